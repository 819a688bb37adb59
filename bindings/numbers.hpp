// Structs of numbers as the languages get them: as one list. Each has a class of the places of its fields, by which the
// languages' own classes read the list, and their number SIZE, with a function that makes it: the order stands here
// alone.
#ifndef HAFT_BINDINGS_NUMBERS_HPP
#define HAFT_BINDINGS_NUMBERS_HPP
#include <haft/train.hpp>

#include "bindings/support.hpp"

#define HAFT_PLACE(field) field,
#define HAFT_NUMBER(field) static_cast<Number>(of.field),
#ifdef SWIG
#define HAFT_NUMBERS(NAME, TYPE, NUMBER, FIELDS) \
  struct NAME {                                  \
    enum { FIELDS(HAFT_PLACE) SIZE };            \
  };
#else
#define HAFT_NUMBERS(NAME, TYPE, NUMBER, FIELDS)         \
  struct NAME {                                          \
    enum { FIELDS(HAFT_PLACE) SIZE };                    \
    static std::vector<NUMBER> numbers(const TYPE& of) { \
      using Number = NUMBER;                             \
      return {FIELDS(HAFT_NUMBER)};                      \
    }                                                    \
  };
#endif

namespace haft {
namespace bindings {

// clang-format off
#define HAFT_FIELDS(F) F(failure) F(culprit) F(issued) F(finished) F(timeout_us)
HAFT_NUMBERS(GroupPlaces, haft_process_group_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                                 \
  F(rank) F(world_size) F(local_rank) F(local_world_size) F(node_rank) F(restart_count) F(master_port)
HAFT_NUMBERS(LaunchPlaces, haft_launch_environment, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F) F(rebuilt) F(buckets) F(steps) F(gradient_bytes) F(sent_bytes) F(unused) F(copies)
HAFT_NUMBERS(DataParallelPlaces, haft_data_parallel_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                      \
  F(stage) F(ranks) F(buckets) F(elements) F(own_elements) F(state_bytes) F(gradient_bytes)
HAFT_NUMBERS(OptimizerShardPlaces, haft_shard_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                          \
  F(ranks) F(whole) F(parameters) F(elements) F(own_elements) F(whole_bytes) F(parameter_bytes) \
  F(gradient_bytes) F(gathers) F(prefetched) F(scatters) F(sent_bytes)
HAFT_NUMBERS(FullyShardedPlaces, haft_fully_sharded_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F) F(rank) F(ranks) F(replica) F(replicas) F(is_shard) F(rows) F(first) F(count)
HAFT_NUMBERS(TensorShardPlaces, haft_tensor_shard_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F) F(stages) F(micro_batches) F(has_first) F(has_last) F(peak_live)
HAFT_NUMBERS(PipelinePlaces, haft_pipeline_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F) F(is_backward) F(stage) F(micro_batch) F(live)
HAFT_NUMBERS(ActionPlaces, haft_pipeline_action, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                     \
  F(workers) F(version) F(slowest) F(fastest) F(waiting) F(parameters) F(elements) F(rows)
HAFT_NUMBERS(ServerPlaces, haft_parameter_server_info, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                              \
  F(compute_major) F(compute_minor) F(multiprocessors) F(total_memory) F(l2_cache) F(shared_memory)
HAFT_NUMBERS(DevicePlaces, haft_device_properties, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                              \
  F(live) F(peak) F(reserved) F(allocations) F(cache_hits) F(limit) F(total) F(free) F(pinned_live) \
  F(pinned_reserved) F(peak_reserved) F(retries) F(failures)
HAFT_NUMBERS(MemoryPlaces, haft_memory_stats, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F)                                                                          \
  F(running) F(requests) F(completed) F(failed) F(refused) F(cancelled) F(timed_out) F(batches) \
  F(mean_batch) F(queue_length) F(queue_peak) F(bytes_live) F(bytes_peak) F(latency_p50_us)     \
  F(latency_p90_us) F(latency_p99_us) F(latency_max_us) F(invalid)
HAFT_NUMBERS(SessionPlaces, haft_session_metrics, double, HAFT_FIELDS)
#undef HAFT_FIELDS

#define HAFT_FIELDS(F) F(epoch) F(epochs) F(step) F(steps) F(samples) F(best_epoch) F(stopped_early)
HAFT_NUMBERS(TrainingPlaces, TrainingProgress, std::int64_t, HAFT_FIELDS)
#undef HAFT_FIELDS
// clang-format on

}  // namespace bindings
}  // namespace haft
#endif
