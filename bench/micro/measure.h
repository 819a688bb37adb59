// Timing on a shared machine: with one thread its processor time, which neighbours do not disturb; with more
// the best of several windows of wall time.
#pragma once
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace haft::bench {

inline double seconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// Seconds a call.
template <class F>
double measure(int threads, F&& f, double window = 0.02) {
  clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  f();
  double t = seconds(clock);
  f();
  int reps = std::max(1, int(window / std::max(1e-9, seconds(clock) - t)));
  std::vector<double> all;
  for (int i = 0; i < 7; ++i) {
    t = seconds(clock);
    for (int r = 0; r < reps; ++r) f();
    all.push_back((seconds(clock) - t) / reps);
  }
  std::sort(all.begin(), all.end());
  return threads == 1 ? all[3] : all[0];
}

}  // namespace haft::bench
