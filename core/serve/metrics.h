// What a session counts about itself.
#pragma once
#include <cstdint>
#include <vector>

namespace haft::serve {

// Every request ends in exactly one of the five.
struct Counts {
  int64_t requests = 0;
  int64_t completed = 0, failed = 0, refused = 0, cancelled = 0, timed_out = 0;
  int64_t batches = 0, batched_requests = 0;  // that ran, and the requests in them
};

struct Latency {  // microseconds
  double p50 = 0, p90 = 0, p99 = 0, max = 0;
};

// The latest latencies, in memory that never grows.
class LatencyWindow {
  std::vector<int64_t> ns_;
  size_t next_ = 0, count_ = 0;

 public:
  explicit LatencyWindow(size_t size) : ns_(size) {}
  void add(int64_t ns) noexcept {
    ns_[next_] = ns;
    next_ = (next_ + 1) % ns_.size();
    if (count_ < ns_.size()) ++count_;
  }
  void clear() noexcept { next_ = count_ = 0; }
  // Unsorted; percentiles() does the work without the session's lock.
  std::vector<int64_t> copy() const { return {ns_.begin(), ns_.begin() + int64_t(count_)}; }
};

Latency percentiles(std::vector<int64_t> ns);

struct Metrics {
  Counts counts;
  int64_t queue_length = 0, queue_peak = 0;  // requests that wait
  int64_t running = 0;                       // batches
  int64_t bytes_live = 0, bytes_peak = 0;    // of tensors that runs made
  Latency latency;
};

}  // namespace haft::serve
