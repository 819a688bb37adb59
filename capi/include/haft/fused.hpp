// Fused functions in C++17 over haft/fused.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_FUSED_HPP
#define HAFT_FUSED_HPP

namespace haft {

/// A function of tensors that computes element by element, run as one kernel where the device fuses. It is called
/// with stand-ins, once for each signature of its inputs; gradients of every order exist.
class Fused : public detail::Handle<haft_fused, haft_fused_retain, haft_fused_release> {
 public:
  using Handle::Handle;
  /// name: for messages, profilers and the graph.
  explicit Fused(TensorsFunction fn, const std::string& name = "fused") {
    auto own = std::make_unique<TensorsFunction>(std::move(fn));
    haft_fused* f = nullptr;
    check(haft_fused_create(
        name.c_str(),
        [](haft_tensor* const* x, std::int64_t n, haft_tensor** y, std::int64_t* m, void* user) -> haft_status {
          return detail::guarded([&] { detail::FunctionCall::run(*static_cast<TensorsFunction*>(user), x, n, y, m); });
        },
        own.get(), detail::destroy<TensorsFunction>, &f));
    own.release();
    *this = Fused(f);
  }
  /// Calls it with tensors of one device.
  std::vector<Tensor> call(const std::vector<Tensor>& inputs) const {
    auto in = detail::handles(inputs);
    std::vector<haft_tensor*> outputs(HAFT_MAX_FUNCTION_OUTPUTS);
    std::int64_t count = 0;
    check(haft_fused_call(get(), in.data(), detail::count_of(in), outputs.data(), HAFT_MAX_FUNCTION_OUTPUTS, &count));
    return detail::adopt(outputs.data(), count);
  }
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const { return call(inputs); }
  /// How often something was traced: the function, or a gradient.
  std::int64_t traces() const { return count(0); }
  /// Fused kernels launched.
  std::int64_t kernels() const { return count(1); }
  /// How often operators ran one by one instead.
  std::int64_t unfused() const { return count(2); }
  /// Why operators ran one by one, the last time that they did; empty where they never did.
  std::string reason() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return haft_fused_get_reason(get(), buffer, capacity, needed);
    });
  }

 private:
  std::int64_t count(int which) const {
    std::int64_t n[3] = {};
    check(haft_fused_get_counts(get(), &n[0], &n[1], &n[2]));
    return n[which];
  }
};

}  // namespace haft
#endif
