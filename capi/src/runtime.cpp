#include <haft/runtime.h>

#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "capi/src/boundary.h"
#include "core/backend/cache.h"
#include "core/backend/device.h"
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/base/fork.h"
#include "core/base/log.h"
#include "core/base/parallel.h"
#include "core/cpu/conv.h"
#include "core/dispatch/defaults.h"
#include "core/io/profile_trace.h"
#include "core/modes/device_profile.h"
#include "core/modes/profiler.h"
#include "core/serve/exposition.h"
#include "core/tensor/host_allocator.h"

using namespace haft;
using namespace haft::capi;

// The statistics without the limit.
template <>
constexpr uint32_t haft::capi::kFirstSize<haft_memory_stats> = offsetof(haft_memory_stats, limit);

namespace {

Device device_or_default(haft_device device, int index) {
  Device d = to_device(device, index, "device");
  return d == kDefaultDevice ? default_device() : d;
}

Device named_device(haft_device device, int index, const char* name) {
  const Device d = to_device(device, index, name);
  if (d == kDefaultDevice)
    fail_argument(Code::invalid_argument, concat(name, " is HAFT_DEVICE_DEFAULT, wanted a device"), index,
                  name, "read one with haft_device_parse");
  return d;
}

constexpr uint32_t kAllKernels = HAFT_KERNELS_NO_DNN | HAFT_KERNELS_NO_DNN_ATTENTION |
                                 HAFT_KERNELS_DNN_ATTENTION | HAFT_KERNELS_TF32_CONVOLUTION |
                                 HAFT_KERNELS_FLOAT32_CONVOLUTION;
// The same bits, further up.
constexpr uint32_t kCallsToKernels = uint32_t(HAFT_CALL_NO_DNN) / HAFT_KERNELS_NO_DNN;
static_assert(HAFT_CALL_NO_DNN_ATTENTION == HAFT_KERNELS_NO_DNN_ATTENTION * kCallsToKernels &&
              HAFT_CALL_DNN_ATTENTION == HAFT_KERNELS_DNN_ATTENTION * kCallsToKernels &&
              HAFT_CALL_TF32_CONVOLUTION == HAFT_KERNELS_TF32_CONVOLUTION * kCallsToKernels &&
              HAFT_CALL_FLOAT32_CONVOLUTION == HAFT_KERNELS_FLOAT32_CONVOLUTION * kCallsToKernels);

struct Profile final : HandleObject {
  std::vector<TraceEvent> events;
  std::vector<std::string> notes;
};

Generator& generator_or_default(const haft_generator* g) {
  Generator* given = to_generator(const_cast<haft_generator*>(g), 0, "g");
  return given ? *given : default_generator();
}

// A function of the host for the whole process. A call keeps it alive, so that whoever replaces it need not wait.
template <class F>
struct HostFunction {
  F* fn;
  UserData data;
};
template <class F>
class HostSlot;
template <class F>
HostSlot<F>& host_slot();
template <class F>
class HostSlot {
  std::mutex mutex_;
  std::shared_ptr<HostFunction<F>> now_;

 public:
  // Never destroyed: threads may log while the process ends.
  HostSlot() {
    on_fork([] { host_slot<F>().mutex_.lock(); }, [] { host_slot<F>().mutex_.unlock(); },
            [] { host_slot<F>().mutex_.unlock(); });
  }
  void set(std::shared_ptr<HostFunction<F>> next) {
    std::lock_guard lock(mutex_);
    now_.swap(next);  // the old one goes after the lock: lock is destroyed first
  }
  std::shared_ptr<HostFunction<F>> get() {
    std::lock_guard lock(mutex_);
    return now_;
  }
};
template <class F>
HostSlot<F>& host_slot() {
  static auto& slot = *new HostSlot<F>;
  return slot;
}
using LogFunction = void(int32_t, const char*, void*);
using PressureFunction = void(int64_t, void*);

// Whom the engine asks for memory: number 0 is that of haft_memory_set_pressure_callback.
class PressureFunctions {
  using Function = std::shared_ptr<HostFunction<PressureFunction>>;
  struct Entry {
    int64_t id = 0, mark = 0;
    Function fn;
  };
  std::mutex mutex_;
  std::vector<Entry> all_;
  int64_t last_ = 0;

  static int64_t call(void* self, int64_t live, int64_t passed) {
    return static_cast<PressureFunctions*>(self)->call_all(live, passed);
  }
  // Those whose mark was passed now, or all. Answers the next mark.
  int64_t call_all(int64_t live, int64_t passed) {
    Entry e;
    for (int64_t last = -1, newest = INT64_MAX; next_between(last, newest, e); last = e.id)
      if (passed < 0 || (e.mark >= passed && live > e.mark)) e.fn->fn(live, e.fn->data.user);
    int64_t next = INT64_MAX;
    std::lock_guard lock(mutex_);
    for (const Entry& one : all_)
      if (one.mark >= live) next = std::min(next, one.mark);
    return next;
  }
  // Those that come meanwhile, as one that arms itself again, are not called: `newest` becomes the newest of the
  // first time.
  bool next_between(int64_t id, int64_t& newest, Entry& e) {
    Entry next;
    std::lock_guard lock(mutex_);
    newest = std::min(newest, last_);
    for (const Entry& one : all_)
      if (one.id > id && one.id <= newest && (!next.fn || one.id < next.id)) next = one;
    std::swap(e, next);  // what it was goes after the lock, and its user's data perhaps with it
    return e.fn != nullptr;
  }

 public:
  // Never destroyed, as HostSlot.
  static PressureFunctions& instance() {
    static auto& all = *new PressureFunctions;
    return all;
  }
  PressureFunctions() {
    on_fork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
            [] { instance().mutex_.unlock(); });
  }
  // Takes the place of the one with this number; -1: beside all others. Answers the number. On failure the user's
  // data stays the user's.
  int64_t set(int64_t id, int64_t mark, const Function& fn, void (*destroy)(void*)) {
    Entry next{id, mark, fn};  // the one before goes after the lock
    std::lock_guard lock(mutex_);
    auto at = std::ranges::find(all_, id, &Entry::id);
    if (id < 0) next.id = id = last_ + 1;
    if (at == all_.end()) {
      all_.push_back(next);
      last_ = std::max(last_, id);
    } else {
      std::swap(*at, next);
    }
    fn->data.destroy = destroy;
    arm();
    return id;
  }
  bool remove(int64_t id) {
    Entry gone;
    std::lock_guard lock(mutex_);
    auto at = std::ranges::find(all_, id, &Entry::id);
    if (at == all_.end()) return false;
    gone = std::move(*at);
    all_.erase(at);
    arm();
    return true;
  }

 private:
  void arm() {
    int64_t lowest = INT64_MAX;
    for (const Entry& e : all_) lowest = std::min(lowest, e.mark);
    set_host_pressure_callback(lowest, all_.empty() ? nullptr : call, this);
  }
};

template <class F>
std::shared_ptr<HostFunction<F>> host_function(F* fn, void* user) {
  return fn ? std::shared_ptr<HostFunction<F>>(new HostFunction<F>{fn, {user, nullptr}}) : nullptr;
}

// The host's allocator in the engine's order of arguments. Set at most once, before the first allocation.
struct HostMemory {
  void* (*alloc)(int64_t, int64_t, void*);
  void (*free)(void*, int64_t, void*);
  void* user;
};

std::string describe() {
  std::string s =
      concat("haft ", HAFT_VERSION, "\nlibrary: ", haft_get_library_path(), "\nthreads: ", num_threads());
  s += concat("\ninstruction set: ", __builtin_cpu_supports("avx512f") ? "AVX-512"
                                     : __builtin_cpu_supports("avx2")  ? "AVX2"
                                                                       : "SSE2");
  s += "\ndevices: cpu";
  for (const char* name : {"cuda"}) {
    try {
      int32_t n = device_count(load_backend_by_name(name));
      for (int32_t i = 0; i < n; ++i) s += concat(", ", name, ":", i);
      if (n == 0) s += concat("\n", name, ": no devices");
    } catch (const Error& e) {
      s += concat("\n", name, ": ", e.message);
    }
  }
  return s;
}

std::string metrics_text() {
  using serve::Family, serve::label;
  std::string text;
  Family(text, "haft_info", "gauge", "The release of the engine.").add(label("version", HAFT_VERSION), 1);
  {
    Family f(text, "haft_live_handles", "gauge", "Handles that are not released, by type.");
    for (int t = 1; t < int(HandleType::count_); ++t)
      if (int64_t n = live_handles(HandleType(t)))
        f.add(label("type", handle_type_name(HandleType(t))), double(n));
  }
  std::vector<std::pair<std::string, DeviceMemoryStats>> memory;
  for (Device d : devices_in_use()) memory.emplace_back(label("device", concat(d)), device_memory_stats(d));
  auto family = [&](const char* name, const char* type, const char* help,
                    int64_t DeviceMemoryStats::*figure) {
    Family f(text, name, type, help);
    for (const auto& [device, stats] : memory) f.add(device, double(stats.*figure));
  };
  family("haft_memory_live_bytes", "gauge", "Memory handed out.", &DeviceMemoryStats::live);
  family("haft_memory_peak_bytes", "gauge", "The most of it since the last reset.", &DeviceMemoryStats::peak);
  family("haft_memory_reserved_bytes", "gauge", "Memory held from the device, caches included.",
         &DeviceMemoryStats::reserved);
  family("haft_memory_pinned_live_bytes", "gauge",
         "Pinned host memory handed out for the device's type; the CPU's: for all types.",
         &DeviceMemoryStats::pinned_live);
  family("haft_memory_pinned_reserved_bytes", "gauge", "The same, caches included.",
         &DeviceMemoryStats::pinned_reserved);
  family("haft_memory_limit_bytes", "gauge", "What may be handed out; 0: no limit.",
         &DeviceMemoryStats::limit);
  family("haft_memory_allocations_total", "counter", "Requests for memory.", &DeviceMemoryStats::allocations);
  serve::write_sessions(text);
  return text;
}

}  // namespace

extern "C" {

int32_t haft_get_version_number(void) noexcept { return HAFT_VERSION_NUMBER; }
const char* haft_get_version_string(void) noexcept { return HAFT_VERSION; }

const char* haft_get_library_path(void) noexcept {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(&haft_get_version_number), &info) && info.dli_fname ? info.dli_fname
                                                                                            : "";
}

haft_status haft_describe(char* buffer, int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_describe", [&] { emit_text(describe(), buffer, capacity, needed); });
}

haft_status haft_metrics_to_text(char* buffer, int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_metrics_to_text", [&] { emit_text(metrics_text(), buffer, capacity, needed); });
}

haft_status haft_shutdown(void) noexcept {
  return boundary("haft_shutdown", [&] {
    std::string alive;
    for (int t = 1; t < int(HandleType::count_); ++t)
      if (int64_t n = live_handles(HandleType(t)))
        alive += concat(alive.empty() ? "" : ", ", n, " ", handle_type_name(HandleType(t)));
    if (!alive.empty()) fail(Code::busy, concat("handles are alive: ", alive), "release them first");
    trim_all_memory();
  });
}

haft_status haft_get_live_handles(int64_t* out) noexcept {
  return boundary("haft_get_live_handles", [&] {
    check_out(out, 0, "out");
    int64_t n = 0;
    for (int t = 1; t < int(HandleType::count_); ++t) n += live_handles(HandleType(t));
    *out = n;
  });
}

haft_status haft_set_num_threads(int32_t n) noexcept {
  return boundary("haft_set_num_threads", [&] { set_num_threads(n); });
}

haft_status haft_get_num_threads(int32_t* out) noexcept {
  return boundary("haft_get_num_threads", [&] {
    check_out(out, 0, "out");
    *out = num_threads();
  });
}

haft_status haft_device_parse(const char* text, haft_device* out) noexcept {
  return boundary("haft_device_parse", [&] {
    check_out(out, 1, "out");
    *out = parse_device(to_text(text, 0, "text")).pack();
  });
}

haft_status haft_device_to_string(haft_device device, char* buffer, int64_t capacity,
                                  int64_t* needed) noexcept {
  return boundary("haft_device_to_string",
                  [&] { emit_text(device_text(device_or_default(device, 0)), buffer, capacity, needed); });
}

haft_status haft_device_get_count(const char* type, int32_t* out) noexcept {
  return boundary("haft_device_get_count", [&] {
    std::string_view name = to_text(type, 0, "type");
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != name.npos)
      fail_argument(Code::invalid_argument, concat("type is \"", name, "\", wanted a device type"), 0, "type",
                    "as \"cpu\" or \"cuda\", without a number");
    check_out(out, 1, "out");
    try {
      *out = device_count(load_backend_by_name(name));
    } catch (const Error& e) {
      if (e.code != Code::unavailable) throw;
      *out = 0;
    }
  });
}

haft_status haft_set_current_device(haft_device device) noexcept {
  return boundary("haft_set_current_device", [&] { set_current_device(named_device(device, 0, "device")); });
}

haft_status haft_get_current_device(const char* type, haft_device* out) noexcept {
  return boundary("haft_get_current_device", [&] {
    const std::string_view name = to_text(type, 0, "type");
    check_out(out, 1, "out");
    if (name.find(':') != name.npos)
      fail_argument(Code::invalid_argument, concat("type is \"", name, "\", wanted a device type"), 0, "type",
                    "as \"cpu\" or \"cuda\", without a number");
    *out = parse_device(name).pack();
  });
}

haft_status haft_device_can_access_peer(haft_device device, haft_device peer, int32_t* out) noexcept {
  return boundary("haft_device_can_access_peer", [&] {
    check_out(out, 2, "out");
    *out = devices_reach(named_device(device, 0, "device"), named_device(peer, 1, "peer"));
  });
}

haft_status haft_device_get_properties(haft_device device, haft_device_properties* properties) noexcept {
  return boundary("haft_device_get_properties", [&] {
    check_out(properties, 1, "properties");
    haft_device_properties out =
        options_of(properties, haft_device_properties HAFT_DEVICE_PROPERTIES_INIT, 1, "properties");
    const haft_backend_properties p = device_properties(device_or_default(device, 0));
    static_assert(sizeof out == sizeof p);  // the same fields, for another reader
    std::memcpy(&out, &p, sizeof out);
    out.struct_size = properties->struct_size;
    std::memcpy(properties, &out, std::min<size_t>(out.struct_size, sizeof out));
  });
}

haft_status haft_device_describe(haft_device device, char* buffer, int64_t capacity,
                                 int64_t* needed) noexcept {
  return boundary("haft_device_describe", [&] {
    emit_text(describe_device(device_or_default(device, 0)), buffer, capacity, needed);
  });
}

haft_status haft_device_synchronize(haft_device device) noexcept {
  return boundary("haft_device_synchronize", [&] { synchronize(device_or_default(device, 0)); });
}

haft_status haft_backend_load(const char* path) noexcept {
  return boundary("haft_backend_load", [&] { load_backend(std::string(to_text(path, 0, "path")).c_str()); });
}

haft_status haft_set_default_device(haft_device device) noexcept {
  return boundary("haft_set_default_device", [&] {
    Device d = to_device(device, 0, "device");
    thread_state().default_device = d == kDefaultDevice ? 0 : d.pack();
  });
}

haft_status haft_get_default_device(haft_device* out) noexcept {
  return boundary("haft_get_default_device", [&] {
    check_out(out, 0, "out");
    *out = default_device().pack();
  });
}

haft_status haft_set_default_dtype(haft_dtype dtype) noexcept {
  return boundary("haft_set_default_dtype", [&] {
    DType t = to_dtype(dtype, 0, "dtype");
    if (t != DType::none && (!is_float(t) || is_float8(t)))
      fail_argument(
          Code::dtype,
          concat("the default dtype must be a floating type that is computed in, got ", dtype_name(t)), 0,
          "dtype");
    thread_state().default_dtype = int32_t(t);
  });
}

haft_status haft_get_default_dtype(haft_dtype* out) noexcept {
  return boundary("haft_get_default_dtype", [&] {
    check_out(out, 0, "out");
    *out = haft_dtype(default_float());
  });
}

const char* haft_dtype_get_name(haft_dtype dtype) noexcept {
  return is_valid(dtype) ? dtype_name(DType(dtype)) : nullptr;
}

int64_t haft_dtype_get_size(haft_dtype dtype) noexcept {
  return is_valid(dtype) ? item_size(DType(dtype)) : 0;
}

haft_status haft_set_math_precision(int32_t precision) noexcept {
  return boundary("haft_set_math_precision", [&] {
    if (precision < HAFT_MATH_EXACT || precision > HAFT_MATH_TF32)
      fail_argument(Code::invalid_argument, concat("precision is ", precision, ", wanted one of HAFT_MATH_*"),
                    0, "precision");
    uint32_t& flags = thread_state().call_flags;
    flags &= ~uint32_t(HAFT_CALL_EXACT | HAFT_CALL_TF32);
    if (precision == HAFT_MATH_EXACT) flags |= HAFT_CALL_EXACT;
    if (precision == HAFT_MATH_TF32) flags |= HAFT_CALL_TF32;
  });
}

haft_status haft_get_math_precision(int32_t* out) noexcept {
  return boundary("haft_get_math_precision", [&] {
    check_out(out, 0, "out");
    const uint32_t flags = thread_state().call_flags;
    *out = flags & HAFT_CALL_EXACT  ? HAFT_MATH_EXACT
           : flags & HAFT_CALL_TF32 ? HAFT_MATH_TF32
                                    : HAFT_MATH_FAST;
  });
}

haft_status haft_set_deterministic(int32_t mode) noexcept {
  return boundary("haft_set_deterministic", [&] {
    if (mode < HAFT_DETERMINISTIC_OFF || mode > HAFT_DETERMINISTIC_ERROR)
      fail_argument(Code::invalid_argument, concat("mode is ", mode, ", wanted one of HAFT_DETERMINISTIC_*"),
                    0, "mode");
    uint32_t& flags = thread_state().call_flags;
    flags &= ~(HAFT_CALL_DETERMINISTIC | kOnlyWarn);
    if (mode != HAFT_DETERMINISTIC_OFF) flags |= HAFT_CALL_DETERMINISTIC;
    if (mode == HAFT_DETERMINISTIC_WARN) flags |= kOnlyWarn;
  });
}

haft_status haft_get_deterministic(int32_t* out) noexcept {
  return boundary("haft_get_deterministic", [&] {
    check_out(out, 0, "out");
    const uint32_t flags = thread_state().call_flags;
    *out = !(flags & HAFT_CALL_DETERMINISTIC) ? HAFT_DETERMINISTIC_OFF
           : flags & kOnlyWarn                ? HAFT_DETERMINISTIC_WARN
                                              : HAFT_DETERMINISTIC_ERROR;
  });
}

haft_status haft_set_kernel_choice(int32_t choice) noexcept {
  return boundary("haft_set_kernel_choice", [&] {
    const uint32_t bits = uint32_t(choice);
    if (bits & ~kAllKernels)
      fail_argument(Code::invalid_argument,
                    concat("choice is ", choice, ", which has bits that mean nothing"), 0, "choice",
                    "take HAFT_KERNELS_*, joined by |");
    if (bits & HAFT_KERNELS_DNN_ATTENTION && bits & (HAFT_KERNELS_NO_DNN | HAFT_KERNELS_NO_DNN_ATTENTION))
      fail_argument(Code::invalid_argument,
                    concat("choice is ", choice, ", which asks for cuDNN's attention and forbids it"), 0,
                    "choice");
    if (bits & HAFT_KERNELS_TF32_CONVOLUTION && bits & HAFT_KERNELS_FLOAT32_CONVOLUTION)
      fail_argument(Code::invalid_argument,
                    concat("choice is ", choice, ", which allows TF32 for convolutions and forbids it"), 0,
                    "choice");
    uint32_t& flags = thread_state().call_flags;
    flags = (flags & ~(kAllKernels * kCallsToKernels)) | bits * kCallsToKernels;
  });
}

haft_status haft_get_kernel_choice(int32_t* out) noexcept {
  return boundary("haft_get_kernel_choice", [&] {
    check_out(out, 0, "out");
    *out = int32_t(thread_state().call_flags / kCallsToKernels & kAllKernels);
  });
}

haft_status haft_memory_get_stats(haft_device device, haft_memory_stats* stats) noexcept {
  return boundary("haft_memory_get_stats", [&] {
    check_out(stats, 1, "stats");
    haft_memory_stats s = options_of(stats, haft_memory_stats HAFT_MEMORY_STATS_INIT, 1, "stats");
    Device d = device_or_default(device, 0);
    const DeviceMemoryStats m = device_memory_stats(d);
    s = {stats->struct_size, 0,         m.live,    m.peak, m.reserved,    m.allocations,
         m.cache_hits,       m.limit,   m.total,   m.free, m.pinned_live, m.pinned_reserved,
         m.peak_reserved,    m.retries, m.failures};
    std::memcpy(stats, &s, std::min<size_t>(stats->struct_size, sizeof s));
  });
}

haft_status haft_memory_get_free_blocks(haft_device device, haft_memory_class* out, int64_t capacity,
                                        int64_t* count) noexcept {
  return boundary("haft_memory_get_free_blocks", [&] {
    check_out(count, 3, "count");
    const Device d = device_or_default(device, 0);
    std::vector<FreeBlocks> blocks;
    if (!d.is_cpu()) {
      haft::detail::reap_retired(d);
      blocks = haft::detail::device_cache(d).free_blocks();
    }
    *count = int64_t(blocks.size());
    if (capacity < 0 || (capacity && !out) || (out && capacity < *count))
      fail_argument(Code::invalid_argument, concat("there are ", *count, " sizes, and room for ", capacity),
                    2, "capacity", "ask with capacity 0 how many there are");
    for (size_t i = 0; out && i < blocks.size(); ++i) out[i] = {blocks[i].bytes, blocks[i].count};
  });
}

haft_status haft_memory_reset_peak(haft_device device) noexcept {
  return boundary("haft_memory_reset_peak", [&] { device_memory_reset_peak(device_or_default(device, 0)); });
}

haft_status haft_memory_trim(haft_device device, int64_t* freed) noexcept {
  return boundary("haft_memory_trim", [&] {
    Device d = device_or_default(device, 0);
    const int64_t bytes = device_memory_trim(d);
    if (freed) *freed = bytes;
  });
}

haft_status haft_memory_set_limit(haft_device device, int64_t bytes) noexcept {
  return boundary("haft_memory_set_limit", [&] {
    if (bytes < 0)
      fail_argument(Code::invalid_argument, concat("bytes must not be negative, got ", bytes), 1, "bytes",
                    "0 means no limit");
    set_device_memory_limit(device_or_default(device, 0), bytes);
  });
}

haft_status haft_memory_set_pressure_callback(int64_t mark, void (*fn)(int64_t, void*), void* user,
                                              void (*destroy)(void*)) noexcept {
  return boundary("haft_memory_set_pressure_callback", [&] {
    if (mark < 0)
      fail_argument(Code::invalid_argument, concat("mark must not be negative, got ", mark), 0, "mark");
    if (fn)
      PressureFunctions::instance().set(0, mark, host_function<PressureFunction>(fn, user), destroy);
    else
      PressureFunctions::instance().remove(0);
  });
}

haft_status haft_memory_add_pressure_callback(int64_t mark, void (*fn)(int64_t, void*), void* user,
                                              void (*destroy)(void*), int64_t* id) noexcept {
  return boundary("haft_memory_add_pressure_callback", [&] {
    if (mark < 0)
      fail_argument(Code::invalid_argument, concat("mark must not be negative, got ", mark), 0, "mark");
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL, wanted a function", 1, "fn");
    check_out(id, 4, "id");
    *id = PressureFunctions::instance().set(-1, mark, host_function<PressureFunction>(fn, user), destroy);
  });
}

haft_status haft_memory_remove_pressure_callback(int64_t id) noexcept {
  return boundary("haft_memory_remove_pressure_callback", [&] {
    if (id <= 0 || !PressureFunctions::instance().remove(id))
      fail_argument(Code::invalid_argument,
                    concat("id is ", id, ", and no pressure callback has that number"), 0, "id");
  });
}

haft_status haft_memory_set_allocator(void* (*alloc)(int64_t, int64_t, void*),
                                      void (*free)(void*, int64_t, void*), void* user) noexcept {
  return boundary("haft_memory_set_allocator", [&] {
    if (!alloc || !free)
      fail_argument(Code::invalid_argument, "alloc and free must both be given", alloc ? 1 : 0,
                    alloc ? "free" : "alloc");
    auto own = std::make_unique<HostMemory>(HostMemory{alloc, free, user});
    set_host_memory_source(
        [](void* m, int64_t bytes, int64_t alignment) {
          return static_cast<HostMemory*>(m)->alloc(bytes, alignment, static_cast<HostMemory*>(m)->user);
        },
        [](void* m, void* p, int64_t bytes) {
          static_cast<HostMemory*>(m)->free(p, bytes, static_cast<HostMemory*>(m)->user);
        },
        own.get());
    own.release();  // as long as the process
  });
}

haft_status haft_set_log_sink(int32_t level, void (*sink)(int32_t, const char*, void*), void* user,
                              void (*destroy)(void*)) noexcept {
  return boundary("haft_set_log_sink", [&] {
    if (level < HAFT_LOG_NONE || level > HAFT_LOG_DEBUG)
      fail_argument(Code::invalid_argument, concat("level must be one of HAFT_LOG_*, got ", level), 0,
                    "level");
    auto next = host_function<LogFunction>(sink, user);
    HostSlot<LogFunction>& slot = host_slot<LogFunction>();
    if (next) next->data.destroy = destroy;
    slot.set(std::move(next));
    auto call = [](void*, int32_t at, const char* text) {
      if (auto f = host_slot<LogFunction>().get()) f->fn(at, text, f->data.user);
    };
    set_log_sink(sink ? +call : nullptr, nullptr, LogLevel(level));
  });
}

haft_status haft_generator_create(int64_t seed, haft_generator** out) noexcept {
  return boundary("haft_generator_create", [&] {
    check_out(out, 1, "out");
    auto g = make_ref<Generator>(uint64_t(seed));
    *out = static_cast<haft_generator*>(new_handle(HandleType::generator, g.get()));
    g.leak();
  });
}

haft_status haft_generator_retain(haft_generator* g) noexcept {
  return boundary("haft_generator_retain", [&] { retain_handle(g, HandleType::generator); });
}

void haft_generator_release(haft_generator* g) noexcept { release_handle(g, HandleType::generator); }

haft_status haft_generator_seed(haft_generator* g, int64_t seed) noexcept {
  return boundary("haft_generator_seed", [&] { generator_or_default(g).reseed(uint64_t(seed)); });
}

haft_status haft_generator_get_state(const haft_generator* g, int64_t* seed, int64_t* offset) noexcept {
  return boundary("haft_generator_get_state", [&] {
    check_out(seed, 1, "seed");
    check_out(offset, 2, "offset");
    Generator& r = generator_or_default(g);
    *seed = int64_t(r.seed.load());
    *offset = int64_t(r.offset.load());
  });
}

haft_status haft_generator_set_state(haft_generator* g, int64_t seed, int64_t offset) noexcept {
  return boundary("haft_generator_set_state", [&] {
    Generator& r = generator_or_default(g);
    r.seed.store(uint64_t(seed));
    r.offset.store(uint64_t(offset));
  });
}

haft_status haft_random_set_stream(int64_t stream, int64_t* before) noexcept {
  return boundary("haft_random_set_stream", [&] {
    if (stream < 0)
      fail_argument(Code::invalid_argument, concat("stream must not be negative, got ", stream), 0, "stream");
    const uint64_t old = std::exchange(random_source().stream, uint64_t(stream));
    if (before) *before = int64_t(old);
  });
}

haft_status haft_profiler_start(int32_t shapes) noexcept {
  return boundary("haft_profiler_start",
                  [&] { profiler_start(to_bool(shapes, 0, "shapes") ? uint32_t(kProfileShapes) : 0); });
}

haft_status haft_profiler_start_with(uint32_t what) noexcept {
  return boundary("haft_profiler_start_with", [&] {
    if (what & ~kProfileAll)
      fail(Code::invalid_argument, concat("what is ", what, ", which has bits that mean nothing"),
           "take HAFT_PROFILE_SHAPES, _DEVICES, _RANGES and _MODULES, joined by |", "what");
    profiler_start(what);
  });
}

haft_status haft_profiler_stop(haft_profile** out) noexcept {
  return boundary("haft_profiler_stop", [&] {
    check_out(out, 0, "out");
    auto p = make_ref<Profile>();
    const auto events = profiler_events();
    DeviceRows rows = profiler_device_rows();
    p->events = trace_events(events, rows.events);
    p->notes = std::move(rows.notes);
    haft_profile* h = hand_out_object<haft_profile>(HandleType::profile, std::move(p));
    profiler_stop();  // now that nothing can fail: the profile is not lost when memory is short
    *out = h;
  });
}

haft_status haft_profiler_push(const char* name) noexcept {
  return boundary("haft_profiler_push",
                  [&] { profiler_push(std::string(to_text(name, 0, "name")).c_str()); });
}

haft_status haft_profiler_pop(void) noexcept {
  return boundary("haft_profiler_pop", [&] { profiler_pop(); });
}

haft_status haft_range_push(const char* name) noexcept {
  return boundary("haft_range_push", [&] { push_range(std::string(to_text(name, 0, "name")).c_str()); });
}

haft_status haft_range_pop(void) noexcept {
  return boundary("haft_range_pop", [&] {
    if (!pop_range())
      fail(Code::invalid_argument, "no range of this thread is open", "call haft_range_push first");
  });
}

haft_status haft_profile_get_table(const haft_profile* p, char* buffer, int64_t capacity,
                                   int64_t* needed) noexcept {
  return boundary("haft_profile_get_table", [&] {
    const Profile& profile = object_of<Profile>(p, HandleType::profile, 0, "p");
    emit_text(profile_table(profile.events, profile.notes), buffer, capacity, needed);
  });
}

haft_status haft_profile_write_trace(const haft_profile* p, const char* path) noexcept {
  return boundary("haft_profile_write_trace", [&] {
    CancelGuard guard;
    const std::string file(to_text(path, 1, "path"));
    const Profile& profile = object_of<Profile>(p, HandleType::profile, 0, "p");
    write_chrome_trace(file, profile.events, "haft", profile.notes);
  });
}

haft_status haft_profile_get_trace(const haft_profile* p, char* buffer, int64_t capacity,
                                   int64_t* needed) noexcept {
  return boundary("haft_profile_get_trace", [&] {
    const Profile& profile = object_of<Profile>(p, HandleType::profile, 0, "p");
    emit_text(chrome_trace(profile.events, "haft", profile.notes), buffer, capacity, needed);
  });
}

haft_status haft_profile_retain(haft_profile* p) noexcept {
  return boundary("haft_profile_retain", [&] { retain_handle(p, HandleType::profile); });
}

void haft_profile_release(haft_profile* p) noexcept { release_handle(p, HandleType::profile); }

}  // extern "C"
