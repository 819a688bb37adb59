// Intra-op parallelism: one pool for the whole process, shared by every host thread.
// Chunks are claimed dynamically and the caller finishes what a preempted worker has not started.
#pragma once
#include <cstdint>
#include <type_traits>

namespace haft {

int num_threads();  // threads a loop may use, the caller included; default: the processors we may run on
void set_num_threads(int n);  // 1..256; fails with invalid_argument outside
bool in_parallel();           // true inside a chunk: nested loops run inline

namespace detail {
void parallel_run(int64_t n, int64_t chunk, void (*fn)(void*, int64_t, int64_t), void* arg);

// Out of line: the loop on the calling thread and the workers' share one copy of the body.
template <class F>
[[gnu::noinline]] void run_chunk(void* f, int64_t begin, int64_t end) {
  (*static_cast<F*>(f))(begin, end);
}
}  // namespace detail

// Calls f(begin, end) over disjoint chunks that cover [0, n). Runs inline when n <= grain, so that no work
// below ~20 us leaves the calling thread. f may throw: chunks not yet begun are dropped, and the first
// exception is rethrown in the caller after those in progress have ended.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  if (grain < 1) grain = 1;
  using Fn = std::remove_reference_t<F>;
  void* const body = const_cast<void*>(static_cast<const void*>(&f));
  if (n <= grain || num_threads() == 1 || in_parallel()) return detail::run_chunk<Fn>(body, 0, n);
  // About four chunks a thread: enough to balance a slow neighbour, few enough to cost nothing.
  int64_t chunk = n / (4 * int64_t(num_threads()));
  if (chunk < grain) chunk = grain;
  if (chunk >= 256) chunk = (chunk + 63) & ~int64_t(63);  // chunks of elements begin on cache lines
  detail::parallel_run(n, chunk, &detail::run_chunk<Fn>, body);
}

}  // namespace haft
