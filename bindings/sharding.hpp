// Parameters that are spread over ranks as the bindings' classes call them: options and numbers as plain values.
#ifndef HAFT_BINDINGS_SHARDING_HPP
#define HAFT_BINDINGS_SHARDING_HPP
#include "bindings/numbers.hpp"

namespace haft {
namespace bindings {

// One class, so that the languages keep them to themselves.
struct ShardingCalls {
#ifndef SWIG
  static FullyShardedOptions options(int reshard_after_forward, int prefetch, bool init_sync, bool offload,
                                     bool cast_forward_inputs, haft_dtype param_dtype,
                                     haft_dtype reduce_dtype, haft_dtype output_dtype) {
    FullyShardedOptions o;
    o.reshard_after_forward = reshard_after_forward;
    o.prefetch = prefetch;
    o.init_sync = init_sync;
    o.offload = offload;
    o.cast_forward_inputs = cast_forward_inputs;
    o.param_dtype = param_dtype;
    o.reduce_dtype = reduce_dtype;
    o.output_dtype = output_dtype;
    return o;
  }
#endif
  /// Without `hybrid` nobody has the same parts, and `replicas` is not looked at.
  static FullySharded fully_shard(const nn::Module& module, const ProcessGroup& group, bool hybrid,
                                  const ProcessGroup& replicas, int reshard_after_forward, int prefetch,
                                  bool init_sync, bool offload, bool cast_forward_inputs,
                                  haft_dtype param_dtype, haft_dtype reduce_dtype, haft_dtype output_dtype) {
    return FullySharded(module, group,
                        options(reshard_after_forward, prefetch, init_sync, offload, cast_forward_inputs,
                                param_dtype, reduce_dtype, output_dtype),
                        hybrid ? replicas : ProcessGroup());
  }
  static FullySharded fully_shard_parameters(const nn::NamedTensors& parameters, const ProcessGroup& group,
                                             bool hybrid, const ProcessGroup& replicas,
                                             int reshard_after_forward, int prefetch, bool init_sync,
                                             bool offload, bool cast_forward_inputs, haft_dtype param_dtype,
                                             haft_dtype reduce_dtype, haft_dtype output_dtype) {
    return FullySharded(parameters, group,
                        options(reshard_after_forward, prefetch, init_sync, offload, cast_forward_inputs,
                                param_dtype, reduce_dtype, output_dtype),
                        hybrid ? replicas : ProcessGroup());
  }
  static std::vector<std::int64_t> numbers(const FullySharded& u) {
    return FullyShardedPlaces::numbers(u.info());
  }
  /// The shard of a parameter, or none.
  static std::vector<Tensor> shard(const Tensor& parameter) {
    Tensor s = shard_of(parameter);
    return s ? std::vector<Tensor>{s} : std::vector<Tensor>();
  }
  static std::vector<std::int64_t> shard_numbers(const Tensor& t) {
    return TensorShardPlaces::numbers(shard_info(t));
  }
};

}  // namespace bindings
}  // namespace haft
#endif
