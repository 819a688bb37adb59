// Finds and loads plug-ins.
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/backend/registry.h"
#include "core/backend/scratch.h"
#include "core/base/dynamic_library.h"
#include "core/base/log.h"
#include "core/schema/op_hash.h"

namespace haft {

namespace {

std::mutex load_mutex;  // one plug-in at a time; taken before the registry's own lock

haft_kernel_fn host_cpu_kernel(uint32_t op, int32_t dtype) {
  if (op >= uint32_t(kOpCount) || !is_valid(dtype)) return nullptr;
  char reason[256];
  const BackendEntry& cpu = backend(kCpu);
  return cpu.table.kernel(op, dtype, reason, sizeof reason);
}

const char* host_op_name(uint32_t op) { return op < uint32_t(kOpCount) ? op_name(OpId(op)) : nullptr; }

// Laid out like the operators' names (core/schema/op_id.h).
struct Signatures {
#define POINTWISE(name, signature, ...) char name[sizeof signature];
#define VIEW(name, signature, ...) char name[sizeof signature];
#define GENERAL(name, signature, ...) char name[sizeof signature];
#define COMPOSITE(name, signature, ...) char name[sizeof signature];
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};
constexpr Signatures kSignatures = {
#define POINTWISE(name, signature, ...) signature,
#define VIEW(name, signature, ...) signature,
#define GENERAL(name, signature, ...) signature,
#define COMPOSITE(name, signature, ...) signature,
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};
constexpr uint16_t kSignatureBegins[] = {
#define POINTWISE(name, ...) offsetof(Signatures, name),
#define VIEW(name, ...) offsetof(Signatures, name),
#define GENERAL(name, ...) offsetof(Signatures, name),
#define COMPOSITE(name, ...) offsetof(Signatures, name),
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};

const char* host_op_signature(uint32_t op) {
  return op < uint32_t(kOpCount) ? reinterpret_cast<const char*>(&kSignatures) + kSignatureBegins[op]
                                 : nullptr;
}

constexpr haft_backend_host kHost = {
    sizeof(haft_backend_host),
    HAFT_BACKEND_ABI,
    HAFT_VERSION,
    kOpsHash,
    kOpCount,
    host_op_name,
    host_op_signature,
    host_cpu_kernel,
    kernel_scratch,
    [](int32_t level, const char* text) { log_text(LogLevel(level), text); }};

// Loads one file. Returns the type's number, or 0 with the reason appended to `why`.
uint16_t load_file(const std::string& path, std::string& why) {
  auto refuse = [&](const std::string& reason) -> uint16_t {
    why += concat("\n  ", path, ": ", reason);
    return kNoDevice;
  };
  if (access(path.c_str(), F_OK) != 0) return refuse("no such file");
  DynamicLibrary lib;
  std::string error;
  if (!DynamicLibrary::try_open(path, &lib, &error)) return refuse(error);
  try {
    auto entry = lib.function<haft_backend_entry_fn>(HAFT_BACKEND_ENTRY);
    char reason[512] = "";
    const haft_backend* table = entry(&kHost, reason, sizeof reason);
    reason[sizeof reason - 1] = 0;
    if (!table) fail(Code::unavailable, reason[0] ? reason : "it refuses to serve and gives no reason");
    uint16_t type = register_backend(table);
    lib.keep();
    return type;
  } catch (const Error& e) {
    return refuse(e.message);
  }
}

}  // namespace

uint16_t load_backend_by_name(std::string_view name) {
  if (uint16_t type = find_backend(name)) return type;
  std::lock_guard lock(load_mutex);
  if (uint16_t type = find_backend(name)) return type;  // another thread was faster

  std::string tried;
  for (const std::string& file : plugin_files(name, &tried)) {
    const uint16_t type = load_file(file, tried);
    if (type && backend(type).name != name)
      fail(Code::unavailable, concat("device type \"", name, "\": ", file, " serves the type \"",
                                     backend(type).name, "\" instead"));
    if (type) return type;
  }
  fail(Code::unavailable, concat("no plug-in serves the device type \"", name, "\". Tried:", tried),
       "install it beside libhaft.so, or name its folder in the environment variable HAFT_BACKEND_PATH");
}

uint16_t load_backend(const char* path) {
  if (!path || !std::strchr(path, '/'))
    fail(Code::invalid_argument, concat("plug-in path \"", path, "\" has no '/'"),
         "give the file itself; no folders are searched", "path");
  std::lock_guard lock(load_mutex);
  std::string why;
  uint16_t type = load_file(path, why);
  if (!type) fail(Code::unavailable, concat("the plug-in does not serve:", why));
  return type;
}

}  // namespace haft
