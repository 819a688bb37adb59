#include "core/serve/metrics.h"

#include <algorithm>

namespace haft::serve {

// Nearest rank: the smallest latency that so many percent do not exceed.
Latency percentiles(std::vector<int64_t> ns) {
  Latency l;
  if (ns.empty()) return l;
  std::ranges::sort(ns);
  auto at = [&](size_t percent) { return double(ns[(ns.size() * percent + 99) / 100 - 1]) / 1000; };
  l.p50 = at(50);
  l.p90 = at(90);
  l.p99 = at(99);
  l.max = double(ns.back()) / 1000;
  return l;
}

void Histogram::add(double figure) noexcept {
  ++counts_[size_t(std::ranges::lower_bound(bounds_, figure) - bounds_.begin())];
  sum_ += figure;
}

Histogram latency_histogram() {
  static constexpr double kSeconds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                        0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};
  return Histogram(kSeconds);
}

Histogram batch_histogram() {
  static constexpr double kRequests[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  return Histogram(kRequests);
}

}  // namespace haft::serve
