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

}  // namespace haft::serve
