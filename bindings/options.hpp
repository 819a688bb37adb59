// Objects whose options have many fields, as functions of all of them: Java's builders and C#'s named
// arguments call these.
#ifndef HAFT_BINDINGS_OPTIONS_HPP
#define HAFT_BINDINGS_OPTIONS_HPP
#include "bindings/support.hpp"

namespace haft {
namespace bindings {

inline data::Loader make_loader(const data::Dataset& dataset, std::int64_t batch_size, bool shuffle,
                                bool drop_last, std::int32_t workers, std::int32_t prefetch,
                                std::int32_t transform_field, std::int64_t seed,
                                const std::vector<data::Transform>& transforms, std::int64_t num_samples,
                                const Tensor& indices, const Tensor& weights, bool replacement,
                                std::int32_t num_replicas, std::int32_t rank, bool drop_uneven,
                                haft_device device, bool pin_memory) {
  data::LoaderOptions o(batch_size, shuffle, workers);
  o.drop_last = drop_last;
  o.prefetch = prefetch;
  o.transform_field = transform_field;
  o.seed = seed;
  o.steps = transforms;
  o.num_samples = num_samples;
  o.indices = indices.get();
  o.weights = weights.get();
  o.replacement = replacement;
  o.num_replicas = num_replicas;
  o.rank = rank;
  o.drop_uneven = drop_uneven;
  o.device = device;
  o.pin_memory = pin_memory;
  return data::Loader(dataset, o);
}
inline Session make_session(const nn::Module& module, std::int32_t workers, std::int64_t max_batch,
                            std::int64_t max_delay_us, std::int64_t max_queue, std::int64_t memory_limit,
                            std::int64_t timeout_us, const std::string& name) {
  SessionOptions o;
  o.workers = workers;
  o.max_batch = max_batch;
  o.max_delay_us = max_delay_us;
  o.max_queue = max_queue;
  o.memory_limit = memory_limit;
  o.timeout_us = timeout_us;
  return Session(module, o, name);
}

}  // namespace bindings
}  // namespace haft
#endif
