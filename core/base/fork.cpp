#include "core/base/fork.h"

#include <pthread.h>

#include <atomic>

namespace haft {
namespace {

constinit std::atomic<uint32_t> count{0};
pthread_once_t once = PTHREAD_ONCE_INIT;

}  // namespace

uint32_t fork_generation() {
  pthread_once(
      &once, [] { pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); }); });
  return count.load(std::memory_order_relaxed);
}

void on_fork(void (*prepare)(), void (*parent)(), void (*child)()) { pthread_atfork(prepare, parent, child); }

}  // namespace haft
