#include "core/cpu/backend.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/cpu/elementwise.h"
#include "core/cpu/kernel.h"
#include "core/cpu/layout.h"

namespace haft {
namespace cpu {

// Every kernel of a GENERAL op, by name.
#define POINTWISE(...)
#define VIEW(...)
#define GENERAL(name, ...) void k_##name(const haft_kernel_call&);
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef GENERAL

static int32_t report(const haft_kernel_call* c, Code code, const char* text) noexcept {
  if (c->error && c->error_size) {
    std::strncpy(c->error, text, c->error_size - 1);
    c->error[c->error_size - 1] = 0;
  }
  return int32_t(code);
}

int32_t report_failure(const haft_kernel_call* c) noexcept {
  try {
    throw;  // what the kernel threw
  } catch (const Error& e) {
    return report(c, e.code, e.message.c_str());
  } catch (const std::bad_alloc&) {
    return report(c, Code::out_of_memory, "no memory for the kernel's scratch space");
  } catch (const std::exception& e) {
    return report(c, Code::internal, e.what());
  } catch (...) {
    return report(c, Code::internal, "unknown exception in a kernel");
  }
}

void fail_not_float(const KernelCall& k, DType t) {
  fail(Code::dtype, concat(k.name(), ": expected a floating dtype, got ", dtype_name(t)),
       "convert with cast");
}

namespace {

// Ops that the dispatcher does itself with the backends' copy functions.
constexpr bool done_by_dispatcher(OpId op) { return op == OpId::to_device; }

haft_kernel_fn general_kernel(OpId op) {
  switch (op) {
#define GENERAL(name, ...)                         \
  case OpId::name:                                 \
    if constexpr (!done_by_dispatcher(OpId::name)) \
      return guarded<&k_##name>;                   \
    else                                           \
      return nullptr;
#include "core/schema/ops.def"
#undef GENERAL
#undef POINTWISE
#undef VIEW
#undef COMPOSITE
    default: return nullptr;
  }
}

void write(char* buffer, uint32_t size, const std::string& text) noexcept {
  if (!buffer || !size) return;
  size_t n = text.size() < size - 1 ? text.size() : size - 1;
  std::memcpy(buffer, text.data(), n);
  buffer[n] = 0;
}

haft_kernel_fn kernel(uint32_t op, int32_t dtype, char* reason, uint32_t reason_size) {
  haft_kernel_fn f = op < uint32_t(kOpCount) ? cpu_kernel(op, dtype) : nullptr;
  if (f) return f;
  try {
    if (op >= uint32_t(kOpCount))
      write(reason, reason_size, concat("operator ", op, " does not exist"));
    else
      write(reason, reason_size,
            concat("cpu has no ", op_name(OpId(op)), " for ",
                   is_valid(dtype) ? dtype_name(DType(dtype)) : "an invalid dtype"));
  } catch (...) {
  }
  return nullptr;
}

int32_t device_count(int32_t* count, char*, uint32_t) {
  *count = 1;
  return 0;
}

int32_t alloc(int32_t, int64_t bytes, haft_raw_stream, void** out, char* error, uint32_t error_size) {
  try {
    *out = host_alloc(bytes);
    return 0;
  } catch (const Error& e) {
    write(error, error_size, e.message);
    return int32_t(e.code);
  } catch (...) {
    return int32_t(Code::out_of_memory);
  }
}
void release(int32_t, void* p, int64_t bytes, haft_raw_stream) { host_free(p, bytes); }

int32_t copy(int32_t, void* dst, const void* src, int64_t bytes, haft_raw_stream, uint32_t, char*, uint32_t) {
  if (bytes) std::memcpy(dst, src, size_t(bytes));
  return 0;
}
int32_t copy_peer(int32_t, void* dst, int32_t, const void* src, int64_t bytes, haft_raw_stream, char*,
                  uint32_t) {
  if (bytes) std::memcpy(dst, src, size_t(bytes));
  return 0;
}
int32_t synchronize(int32_t, char*, uint32_t) { return 0; }

int32_t properties(int32_t, haft_backend_properties* out, char*, uint32_t) {
  out->multiprocessors = int32_t(sysconf(_SC_NPROCESSORS_ONLN));
  out->total_memory = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  out->l2_cache = std::max(0l, sysconf(_SC_LEVEL2_CACHE_SIZE));
  write(out->name, sizeof out->name, "CPU");
  try {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line) && !line.starts_with("model name")) {
    }
    if (size_t colon = line.find(": "); colon != std::string::npos)
      write(out->name, sizeof out->name, line.substr(colon + 2));
  } catch (...) {  // a name for reports is not worth a failure
  }
  return 0;
}

int32_t trim(int32_t, int64_t* freed, char*, uint32_t) {
  *freed = host_memory_trim();
  return 0;
}

}  // namespace
}  // namespace cpu

haft_kernel_fn cpu_kernel(uint32_t op, int32_t dtype) {
  if (op >= uint32_t(kOpCount)) return nullptr;
  if (op_kind(OpId(op)) == OpKind::pointwise) return cpu::pointwise_kernel(OpId(op), dtype);
  return cpu::general_kernel(OpId(op));
}

const haft_backend* cpu_backend() {
  static const haft_backend table = [] {
    haft_backend b{};
    b.struct_size = sizeof b;
    b.abi = HAFT_BACKEND_ABI;
    b.name = "cpu";
    b.device_count = cpu::device_count;
    b.alloc = cpu::alloc;
    b.free = cpu::release;
    b.kernel = cpu::kernel;
    b.copy_to_host = cpu::copy;
    b.copy_from_host = cpu::copy;
    b.copy_peer = cpu::copy_peer;
    b.synchronize = cpu::synchronize;
    b.properties = cpu::properties;
    b.trim = cpu::trim;
    b.preferred_layout = cpu::preferred_layout;
    return b;
  }();
  return &table;
}

}  // namespace haft
