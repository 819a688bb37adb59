// Fully sharded data parallel in C++17 over haft/fully_sharded.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_FULLY_SHARDED_HPP
#define HAFT_FULLY_SHARDED_HPP
#include <haft/nn.hpp>
#include <haft/process_group.hpp>

namespace haft {

/// What haft_fully_sharded_options holds, with its defaults; set fields by name.
struct FullyShardedOptions : haft_fully_sharded_options {
  FullyShardedOptions() : haft_fully_sharded_options(HAFT_FULLY_SHARDED_OPTIONS_INIT) {}
};

/// Parameters of which each rank keeps its rows and has the whole only while they are used: docs/sharding.md.
class FullySharded : public detail::Handle<haft_fully_sharded, haft_fully_sharded_retain, haft_fully_sharded_release> {
 public:
  using Handle::Handle;
  /// The parameters of a module that no unit has yet. Innermost modules first, the optimizer behind it. All ranks
  /// call it.
  FullySharded(const nn::Module& module, const ProcessGroup& group,
               const FullyShardedOptions& options = FullyShardedOptions(),
               const ProcessGroup& replicas = ProcessGroup()) {
    haft_fully_sharded* u = nullptr;
    check(haft_module_fully_shard(module.get(), group.get(), replicas.get(), &options, &u));
    *this = FullySharded(u);
  }
  /// Over a list of parameters: before_forward() and after_forward() stand around what computes with them.
  FullySharded(const nn::NamedTensors& parameters, const ProcessGroup& group,
               const FullyShardedOptions& options = FullyShardedOptions(),
               const ProcessGroup& replicas = ProcessGroup()) {
    std::vector<const char*> names;
    std::vector<haft_tensor*> ps;
    for (const auto& p : parameters) {
      names.push_back(p.first.c_str());
      ps.push_back(p.second.get());
    }
    haft_fully_sharded* u = nullptr;
    check(haft_fully_shard_parameters(names.data(), ps.data(), static_cast<std::int64_t>(ps.size()), group.get(),
                                      replicas.get(), &options, &u));
    *this = FullySharded(u);
  }
  /// What the forward is to take in place of its inputs; empty tensors are absent ones.
  std::vector<Tensor> before_forward(const std::vector<Tensor>& inputs) const {
    return through(haft_fully_sharded_before_forward, inputs);
  }
  /// What the program is to go on with in place of the results.
  std::vector<Tensor> after_forward(const std::vector<Tensor>& outputs) const {
    return through(haft_fully_sharded_after_forward, outputs);
  }
  /// Whole until reshard(). All ranks call it.
  void unshard() const { check(haft_fully_sharded_unshard(get())); }
  void reshard() const { check(haft_fully_sharded_reshard(get())); }
  /// false: gradients add up on each rank until a backward with true.
  void set_gradient_sync(bool on) const { check(haft_fully_sharded_set_gradient_sync(get(), on)); }
  void set_reshard_after_forward(int value) const { check(haft_fully_sharded_set_reshard_after_forward(get(), value)); }
  /// Ordinary parameters again, whole on every rank. All ranks call it.
  void close() const { check(haft_fully_sharded_close(get())); }
  haft_fully_sharded_info info() const {
    haft_fully_sharded_info i = HAFT_FULLY_SHARDED_INFO_INIT;
    check(haft_fully_sharded_get_info(get(), &i));
    return i;
  }

 private:
  template <class F>
  std::vector<Tensor> through(F f, const std::vector<Tensor>& ts) const {
    const std::vector<haft_tensor*> in = detail::handles(ts);
    std::vector<haft_tensor*> out(in.size());
    check(f(get(), in.data(), static_cast<std::int64_t>(in.size()), out.data()));
    return detail::adopt(out.data(), static_cast<std::int64_t>(out.size()));
  }
};

/// This rank's rows of a parameter, with its gradient; empty for a tensor that belongs to no unit.
inline Tensor shard_of(const Tensor& t) {
  haft_tensor* s = nullptr;
  check(haft_tensor_shard(t.get(), &s));
  return Tensor(s);
}
/// How a parameter, or a shard, is spread.
inline haft_tensor_shard_info shard_info(const Tensor& t) {
  haft_tensor_shard_info i = HAFT_TENSOR_SHARD_INFO_INIT;
  check(haft_tensor_get_shard_info(t.get(), &i));
  return i;
}

}  // namespace haft
#endif
