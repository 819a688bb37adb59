// Distributed data parallel in C++17 over haft/data_parallel.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_DATA_PARALLEL_HPP
#define HAFT_DATA_PARALLEL_HPP
#include <haft/nn.hpp>
#include <haft/process_group.hpp>

namespace haft {

/// What haft_data_parallel_options holds, with its defaults; set fields by name.
struct DataParallelOptions : haft_data_parallel_options {
  DataParallelOptions() : haft_data_parallel_options(HAFT_DATA_PARALLEL_OPTIONS_INIT) {}
};
/// What haft_compression_options holds, with its defaults.
struct CompressionOptions : haft_compression_options {
  CompressionOptions() : haft_compression_options(HAFT_COMPRESSION_OPTIONS_INIT) {}
};
/// What haft_model_averager_options holds, with its defaults.
struct ModelAveragerOptions : haft_model_averager_options {
  ModelAveragerOptions() : haft_model_averager_options(HAFT_MODEL_AVERAGER_OPTIONS_INIT) {}
};

/// The gradients of some parameters, as a hook sees them. Tensors share memory with the bucket.
struct GradientBucket {
  int index = 0;
  Tensor buffer;
  std::vector<Tensor> gradients, parameters;
};

namespace detail {

template <class H, class State, class Name>
nn::NamedTensors state_of(H* h, State state, Name name) {
  std::int64_t count = 0;
  haft::check(state(h, nullptr, 0, &count));
  std::vector<haft_tensor*> outs(static_cast<std::size_t>(count));
  haft::check(state(h, outs.data(), count, &count));
  std::vector<Tensor> ts = adopt(outs.data(), count);
  nn::NamedTensors r;
  for (std::size_t i = 0; i < ts.size(); ++i)
    r.emplace_back(text_of([&](char* b, std::int64_t n, std::int64_t* needed) {
                     return name(h, static_cast<std::int64_t>(i), b, n, needed);
                   }),
                   std::move(ts[i]));
  return r;
}
template <class H, class Load>
void load_state(H* h, Load load, const nn::NamedTensors& state) {
  std::vector<const char*> names;
  std::vector<haft_tensor*> tensors;
  for (const auto& s : state) {
    names.push_back(s.first.c_str());
    tensors.push_back(s.second.get());
  }
  haft::check(load(h, names.data(), tensors.data(), static_cast<std::int64_t>(names.size())));
}

}  // namespace detail

/// Every rank's gradients become the means of all: docs/data-parallel.md.
class DataParallel : public detail::Handle<haft_data_parallel, haft_data_parallel_retain, haft_data_parallel_release> {
 public:
  using Handle::Handle;
  DataParallel(const nn::Module& module, const ProcessGroup& group,
               const DataParallelOptions& options = DataParallelOptions()) {
    haft_data_parallel* d = nullptr;
    check(haft_data_parallel_create(module.get(), group.get(), &options, &d));
    *this = DataParallel(d);
  }
  /// Over a list of parameters: prepare() stands before the program's own forward pass.
  DataParallel(const nn::NamedTensors& parameters, const std::vector<Tensor>& buffers, const ProcessGroup& group,
               const DataParallelOptions& options = DataParallelOptions()) {
    std::vector<const char*> names;
    std::vector<haft_tensor*> ps;
    for (const auto& p : parameters) {
      names.push_back(p.first.c_str());
      ps.push_back(p.second.get());
    }
    const std::vector<haft_tensor*> bs = detail::handles(buffers);
    haft_data_parallel* d = nullptr;
    check(haft_data_parallel_create_over(names.data(), ps.data(), static_cast<std::int64_t>(ps.size()), bs.data(),
                                         static_cast<std::int64_t>(bs.size()), group.get(), &options, &d));
    *this = DataParallel(d);
  }
  Tensor forward(const Tensor& x) const {
    haft_tensor* y = nullptr;
    check(haft_data_parallel_forward(get(), x.get(), &y));
    return Tensor(y);
  }
  Tensor operator()(const Tensor& x) const { return forward(x); }
  void prepare() const { check(haft_data_parallel_prepare(get())); }
  /// false: gradients add up on each rank until a step with true.
  void set_sync(bool on) const { check(haft_data_parallel_set_sync(get(), on)); }
  bool sync() const {
    std::int32_t on = 0;
    check(haft_data_parallel_get_sync(get(), &on));
    return on != 0;
  }
  void set_static_graph() const { check(haft_data_parallel_set_static_graph(get())); }
  void join_begin(bool divide_by_world = true, bool fail_early = false) const {
    check(haft_data_parallel_join_begin(get(), divide_by_world, fail_early));
  }
  void join_end() const { check(haft_data_parallel_join_end(get())); }
  haft_data_parallel_info info() const {
    haft_data_parallel_info i = HAFT_DATA_PARALLEL_INFO_INIT;
    check(haft_data_parallel_get_info(get(), &i));
    return i;
  }
  void set_compression(const CompressionOptions& options) const {
    check(haft_data_parallel_set_compression(get(), &options));
  }
  /// Plain means again.
  void clear_hook() const { check(haft_data_parallel_set_compression(get(), nullptr)); }
  /// From that step on means are over `part` only; an empty group: over nobody.
  void set_post_local(const ProcessGroup& part, std::int64_t start_step) const {
    check(haft_data_parallel_set_post_local(get(), part.get(), start_step));
  }
#ifndef SWIG /* the bindings have their own form of callbacks */
  /// begin answers the work that it began, or an empty one; finish leaves the mean in the bucket's buffer.
  void set_hook(std::function<Work(const GradientBucket&, const ProcessGroup&)> begin,
                std::function<void(const GradientBucket&, const ProcessGroup&)> finish = {}) const {
    struct Both {
      std::function<Work(const GradientBucket&, const ProcessGroup&)> begin;
      std::function<void(const GradientBucket&, const ProcessGroup&)> finish;
      static GradientBucket bucket(const haft_gradient_bucket* b) {
        return {b->index, detail::borrow(&b->buffer, 1)[0], detail::borrow(b->gradients, b->count),
                detail::borrow(b->parameters, b->count)};
      }
      static ProcessGroup group(haft_process_group* g) {
        check(haft_process_group_retain(g));
        return ProcessGroup(g);
      }
    };
    auto own = std::make_unique<Both>(Both{std::move(begin), std::move(finish)});
    const bool ends = static_cast<bool>(own->finish);
    check(haft_data_parallel_set_hook(
        get(),
        [](const haft_gradient_bucket* b, haft_process_group* g, haft_work** work, void* user) -> haft_status {
          return detail::guarded(
              [&] { *work = static_cast<Both*>(user)->begin(Both::bucket(b), Both::group(g)).release(); });
        },
        ends ? static_cast<haft_gradient_hook_finish>(
                   [](const haft_gradient_bucket* b, haft_process_group* g, void* user) -> haft_status {
                     return detail::guarded([&] { static_cast<Both*>(user)->finish(Both::bucket(b), Both::group(g)); });
                   })
             : nullptr,
        own.get(), detail::destroy<Both>));
    own.release();
  }
#endif
  /// What compression keeps from step to step.
  nn::NamedTensors state_dict() const {
    return detail::state_of(get(), haft_data_parallel_state, haft_data_parallel_get_state_name);
  }
  void load_state_dict(const nn::NamedTensors& state) const {
    detail::load_state(get(), haft_data_parallel_load_state, state);
  }
};

/// Joins the parameters of all ranks every some steps: local SGD, or DiLoCo with an outer optimizer.
class ModelAverager
    : public detail::Handle<haft_model_averager, haft_model_averager_retain, haft_model_averager_release> {
 public:
  using Handle::Handle;
  ModelAverager(const std::vector<Tensor>& parameters, const ProcessGroup& group,
                const ModelAveragerOptions& options = ModelAveragerOptions()) {
    const std::vector<haft_tensor*> ps = detail::handles(parameters);
    haft_model_averager* a = nullptr;
    check(haft_model_averager_create(ps.data(), static_cast<std::int64_t>(ps.size()), group.get(), &options, &a));
    *this = ModelAverager(a);
  }
  /// After each step of the optimizer; whether it was the turn.
  bool step() const {
    std::int32_t averaged = 0;
    check(haft_model_averager_step(get(), &averaged));
    return averaged != 0;
  }
  nn::NamedTensors state_dict() const {
    return detail::state_of(get(), haft_model_averager_state, haft_model_averager_get_state_name);
  }
  void load_state_dict(const nn::NamedTensors& state) const {
    detail::load_state(get(), haft_model_averager_load_state, state);
  }
};

}  // namespace haft
#endif
