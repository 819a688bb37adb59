// What a session counts about itself.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace haft::serve {

// Every request ends in exactly one of the six.
struct Counts {
  int64_t requests = 0;
  int64_t completed = 0, failed = 0, refused = 0, cancelled = 0, timed_out = 0;
  int64_t invalid = 0;                        // inputs that do not fit the module: their sender's mistake
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

// How many figures were at most each of the bounds (ascending), each counted at its own only; the last count is of
// those above all.
class Histogram {
  static constexpr size_t kMost = 16;
  std::span<const double> bounds_;
  std::array<int64_t, kMost + 1> counts_{};
  double sum_ = 0;

 public:
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds) {}
  void add(double figure) noexcept;
  void clear() noexcept { *this = Histogram(bounds_); }
  std::span<const double> bounds() const { return bounds_; }
  std::span<const int64_t> counts() const { return std::span(counts_).first(bounds_.size() + 1); }
  double sum() const { return sum_; }
};

Histogram latency_histogram();  // seconds, from 100 us to 10 s
Histogram batch_histogram();    // requests in a batch, by powers of two

struct Metrics {
  Counts counts;
  int64_t queue_length = 0, queue_peak = 0;  // requests that wait
  int64_t running = 0;                       // batches
  int64_t bytes_live = 0, bytes_peak = 0;    // of tensors that runs made
  Latency latency;
  Histogram latencies = latency_histogram(), batch_sizes = batch_histogram();
};

}  // namespace haft::serve
