#include "core/init.h"

#include <mutex>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/cpu/backend.h"
#include "core/cpu/multiversion.h"
#include "core/dispatch/modes.h"
#include "core/dispatch/profiler.h"
#include "core/dispatch/stop.h"
#include "core/ops/table.h"
#include "core/tensor/layout.h"
#include "core/tensor/storage.h"

namespace haft {

void init() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_cpu(cpu_backend());
    set_preferred_channel_block(cpu::isa() == cpu::Isa::avx512 ? 16 : cpu::isa() == cpu::Isa::avx2 ? 8 : 0);
    set_memory_source(
        {device_alloc, [](Device d, void* p, int64_t bytes) noexcept { device_free(d, p, bytes); }});
    install_ops();
    set_mode_handler(kModeProfile, profile_call);
    set_mode_handler(kModeStop, stop_or_dispatch);
  });
}

}  // namespace haft
