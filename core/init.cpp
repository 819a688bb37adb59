#include "core/init.h"

#include <atomic>
#include <mutex>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/cpu/backend.h"
#include "core/cpu/packed_weights.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/modes.h"
#include "core/dispatch/replay.h"
#include "core/modes/profiler.h"
#include "core/modes/stop.h"
#include "core/modes/trace.h"
#include "core/ops/batching.h"
#include "core/ops/table.h"
#include "core/tensor/storage.h"

namespace haft {

void init() {
  // Not std::call_once: what fails here for want of memory is tried again, and exceptions that leave a
  // pthread_once hang under ThreadSanitizer.
  static constinit std::mutex mutex;
  static constinit std::atomic<bool> done{false};
  if (done.load(std::memory_order_acquire)) return;
  std::lock_guard lock(mutex);
  if (done.load(std::memory_order_relaxed)) return;
  register_cpu(cpu_backend());
  set_memory_source(device_memory_source());
  cpu::connect_packed_weights();
  install_ops();
  set_mode(kModeProfile, {.handler = profile_call});
  set_mode(kModeBatch, {.handler = batch_call});
  set_mode(kModeAutocast, {.handler = autocast_or_dispatch});
  set_mode(kModeCapture, {.handler = named_in_recordings});
  set_mode(kModeTrace, {.handler = trace_call, .host_read = trace_host_read});
  set_mode(kModeStop, {.handler = stop_or_dispatch});
  done.store(true, std::memory_order_release);
}

}  // namespace haft
