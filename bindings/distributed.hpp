// Stores, rendezvous, process groups and data parallel as the bindings call them: values as bytes, options as
// arguments, and waiting that a token ends.
#ifndef HAFT_BINDINGS_DISTRIBUTED_HPP
#define HAFT_BINDINGS_DISTRIBUTED_HPP
#include <algorithm>
#include <chrono>
#include <locale>
#include <sstream>

#include "bindings/numbers.hpp"

namespace haft {
namespace bindings {

/// What a store keeps by key.
struct Bytes {
  std::string bytes;
};

inline void store_set(const Store& store, const std::string& key, const Bytes& value) {
  store.set(key, value.bytes);
}
inline bool store_compare_set(const Store& store, const std::string& key, const Bytes& expected,
                              const Bytes& desired) {
  return store.compare_set(key, expected.bytes, desired.bytes);
}
/// What the key holds then.
inline Bytes store_compare_exchange(const Store& store, const std::string& key, const Bytes& expected,
                                    const Bytes& desired) {
  Bytes current;
  store.compare_set(key, expected.bytes, desired.bytes, &current.bytes);
  return current;
}
inline void store_lease(const Store& store, const std::string& key, const Bytes& value, std::int64_t ttl_us) {
  store.lease(key, value.bytes, ttl_us);
}
inline std::vector<std::int64_t> group_numbers(const ProcessGroup& g) {
  return GroupPlaces::numbers(g.info());
}
inline std::string group_engine(const ProcessGroup& g) { return g.info().engine; }

inline std::vector<std::int64_t> launch_numbers() { return LaunchPlaces::numbers(launch_environment()); }
/// Launcher, host of the master and run, a line each.
inline std::string launch_texts() {
  const haft_launch_environment e = launch_environment();
  return std::string(e.launcher) + '\n' + e.master_host + '\n' + e.run_id;
}

#ifndef SWIG
inline ProcessGroupOptions group_options(std::int64_t timeout_us, const std::string& engine) {
  ProcessGroupOptions o;
  o.timeout_us = timeout_us;
  if (!engine.empty()) o.engine = engine.c_str();
  return o;
}
#endif
inline ProcessGroup make_group(const Store& store, int rank, int size, const std::string& engine,
                               const std::string& name, std::int64_t timeout_us) {
  return ProcessGroup(store, rank, size, group_options(timeout_us, engine), name);
}
inline ProcessGroup make_subgroup(const ProcessGroup& g, const std::vector<std::int64_t>& ranks,
                                  const std::string& engine, std::int64_t timeout_us) {
  return g.subgroup(ranks, group_options(timeout_us, engine));
}
inline ProcessGroup make_split(const ProcessGroup& g, std::int64_t color, std::int64_t key,
                               const std::string& engine, std::int64_t timeout_us) {
  return g.split(color, key, group_options(timeout_us, engine));
}

#ifndef SWIGPYTHON  // whose calls wait until they are done
#ifndef SWIG
// Calls wait(microseconds) piece by piece until that is true, the time is over (false) or somebody cancels the token.
template <class Wait>
bool wait_in_pieces(const CancelToken& token, std::int64_t timeout_us, std::int64_t piece, const char* what,
                    Wait&& wait) {
  if (!token.get()) return wait(timeout_us);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  for (std::int64_t left = timeout_us;;) {
    if (token.is_cancelled()) check(haft_error_set(HAFT_ERROR_CANCELLED, what, 0));
    if (timeout_us != HAFT_NONE)
      left = std::max<std::int64_t>(
          0,
          timeout_us - std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun).count());
    const bool last = timeout_us != HAFT_NONE && left <= piece;
    if (wait(last ? left : piece)) return true;
    if (last) return false;
  }
}
// The same for what throws when the key is not there in time.
template <class Wait>
void wait_for_keys(const CancelToken& token, std::int64_t timeout_us, Wait&& wait) {
  std::string message;
  const bool there = wait_in_pieces(token, timeout_us, 250000, "nobody waits for the key any longer",
                                    [&](std::int64_t piece) {
                                      try {
                                        wait(piece);
                                        return true;
                                      } catch (const Error& e) {
                                        if (e.code() != HAFT_ERROR_TIMEOUT) throw;
                                        message = e.message();
                                        return false;
                                      }
                                    });
  if (there) return;
  const std::size_t rest = message.find(" s for ");  // "waited 0.25 s for key ...": that was the last piece
  if (rest != std::string::npos) {
    std::ostringstream waited;
    waited.imbue(std::locale::classic());  // the program's may write a comma
    waited << "waited " << static_cast<double>(timeout_us) / 1e6;
    message.replace(0, rest, waited.str());
  }
  check(haft_error_set(HAFT_ERROR_TIMEOUT, message.c_str(), 0));
}
#endif

inline Store make_store(const std::string& url, bool serve, std::int64_t timeout_us, bool own_secret,
                        const std::string& secret, const std::string& run) {
  haft_store_options o = HAFT_STORE_OPTIONS_INIT;
  o.serve = serve;
  o.timeout_us = timeout_us;
  if (own_secret) o.secret = secret.c_str();
  if (!run.empty()) o.run = run.c_str();
  haft_store* s = nullptr;
  check(haft_store_create(url.c_str(), &o, &s));
  return Store(s);
}
inline Bytes store_await(const Store& store, const std::string& key, const CancelToken& token,
                         std::int64_t timeout_us) {
  Bytes out;
  wait_for_keys(token, timeout_us, [&](std::int64_t piece) { out.bytes = store.get_value(key, piece); });
  return out;
}
inline void store_await_all(const Store& store, const CancelToken& token, std::int64_t timeout_us,
                            const std::vector<std::string>& keys) {
  wait_for_keys(token, timeout_us, [&](std::int64_t piece) { store.wait(keys, piece); });
}
inline std::string group_name(const ProcessGroup& g) { return g.info().name; }
/// False when it is not done within the time.
inline bool work_await(const Work& work, const CancelToken& token, std::int64_t timeout_us) {
  return wait_in_pieces(token, timeout_us, 20000, "nobody waits for the work any longer; it goes on",
                        [&](std::int64_t piece) { return work.wait(piece); });
}
#endif

#ifndef SWIG
inline DataParallelOptions data_parallel_options(bool broadcast_buffers, bool find_unused, bool bucket_view,
                                                 bool static_graph, bool init_sync, std::int64_t bucket_bytes,
                                                 std::int64_t first_bucket_bytes) {
  DataParallelOptions o;
  o.broadcast_buffers = broadcast_buffers;
  o.find_unused_parameters = find_unused;
  o.gradient_as_bucket_view = bucket_view;
  o.static_graph = static_graph;
  o.init_sync = init_sync;
  o.bucket_bytes = bucket_bytes;
  o.first_bucket_bytes = first_bucket_bytes;
  return o;
}
#endif
inline DataParallel make_data_parallel(const nn::Module& module, const ProcessGroup& group,
                                       bool broadcast_buffers, bool find_unused, bool bucket_view,
                                       bool static_graph, bool init_sync, std::int64_t bucket_bytes,
                                       std::int64_t first_bucket_bytes) {
  return DataParallel(module, group,
                      data_parallel_options(broadcast_buffers, find_unused, bucket_view, static_graph,
                                            init_sync, bucket_bytes, first_bucket_bytes));
}
inline DataParallel make_data_parallel_over(const nn::NamedTensors& parameters,
                                            const std::vector<Tensor>& buffers, const ProcessGroup& group,
                                            bool broadcast_buffers, bool find_unused, bool bucket_view,
                                            bool static_graph, bool init_sync, std::int64_t bucket_bytes,
                                            std::int64_t first_bucket_bytes) {
  return DataParallel(parameters, buffers, group,
                      data_parallel_options(broadcast_buffers, find_unused, bucket_view, static_graph,
                                            init_sync, bucket_bytes, first_bucket_bytes));
}
inline std::vector<std::int64_t> data_parallel_numbers(const DataParallel& d) {
  return DataParallelPlaces::numbers(d.info());
}
inline void data_parallel_compress(const DataParallel& d, int kind, bool error_feedback, bool warm_start,
                                   double ratio, double min_rate, std::int64_t rank, std::int64_t start_step,
                                   std::int64_t seed) {
  CompressionOptions o;
  o.kind = kind;
  o.error_feedback = error_feedback;
  o.warm_start = warm_start;
  o.ratio = ratio;
  o.min_rate = min_rate;
  o.rank = rank;
  o.start_step = start_step;
  o.seed = seed;
  d.set_compression(o);
}
inline ModelAverager make_averager(const std::vector<Tensor>& parameters, const ProcessGroup& group,
                                   std::int64_t period, std::int64_t warmup_steps, bool outer,
                                   double outer_lr, double outer_momentum, bool nesterov) {
  ModelAveragerOptions o;
  o.period = period;
  o.warmup_steps = warmup_steps;
  o.outer = outer;
  o.outer_lr = outer_lr;
  o.outer_momentum = outer_momentum;
  o.nesterov = nesterov;
  return ModelAverager(parameters, group, o);
}

inline void shard_optimizer(const optim::Optimizer& optimizer, const ProcessGroup& group, int stage,
                            bool init_sync, std::int64_t bucket_bytes) {
  optim::ShardOptions o;
  o.stage = stage;
  o.init_sync = init_sync;
  o.bucket_bytes = bucket_bytes;
  optim::shard(optimizer, group, o);
}
inline void consolidate_optimizer(const optim::Optimizer& optimizer, int to) {
  optim::consolidate(optimizer, to);
}
inline double clip_optimizer(const optim::Optimizer& optimizer, double max_norm, double norm_type) {
  return optim::clip_grad_norm(optimizer, max_norm, norm_type);
}
inline std::vector<std::int64_t> shard_numbers(const optim::Optimizer& optimizer) {
  return OptimizerShardPlaces::numbers(optim::shard_info(optimizer));
}

}  // namespace bindings
}  // namespace haft
#endif
