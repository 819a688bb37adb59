#include "core/backend/registry.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/fork.h"
#include "core/base/thread_state.h"
#include "core/schema/op_hash.h"

namespace haft {

namespace detail {
std::atomic<BackendEntry*> backends[kMaxDeviceTypes];
}
using detail::backends;

namespace {

std::mutex register_mutex;
std::atomic<bool> forked{false};

// No lock and no allocation: the parent may have been forked in the middle of either.
void after_fork_in_child() {
  forked.store(true, std::memory_order_relaxed);
  for (uint16_t t = kCuda; t < kMaxDeviceTypes; ++t)
    if (BackendEntry* e = backends[t].load(std::memory_order_relaxed))
      for (auto& k : e->kernels) k.store(nullptr, std::memory_order_relaxed);
}

bool valid_name(std::string_view name) {
  if (name.empty() || name.size() > 15 || name[0] < 'a' || name[0] > 'z') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

struct Slot {
  const char* name;
  size_t offset;
};
#define SLOT(s) \
  { #s, offsetof(haft_backend, s) }
// clang-format off: a table
constexpr Slot kRequired[] = {SLOT(device_count), SLOT(alloc),          SLOT(free),      SLOT(kernel),
                              SLOT(copy_to_host), SLOT(copy_from_host), SLOT(copy_peer), SLOT(synchronize)};
// Optional slots that come together.
constexpr Slot kStreams[] = {SLOT(stream_create), SLOT(stream_destroy), SLOT(stream_synchronize),
                             SLOT(event_create),  SLOT(event_destroy),  SLOT(event_record),
                             SLOT(event_wait),    SLOT(event_query),    SLOT(event_synchronize),
                             SLOT(event_elapsed)};
constexpr Slot kPinned[] = {SLOT(pinned_alloc), SLOT(pinned_free)};
constexpr Slot kCommit[] = {SLOT(decommit), SLOT(commit)};
constexpr Slot kCapture[] = {SLOT(arena_create), SLOT(arena_alloc),  SLOT(arena_destroy), SLOT(capture_begin),
                             SLOT(capture_end),  SLOT(graph_replay), SLOT(graph_destroy)};
constexpr Slot kFused[] = {SLOT(fused_compile), SLOT(fused_launch), SLOT(fused_destroy)};
constexpr Slot kProfiles[] = {SLOT(profile_start), SLOT(profile_read), SLOT(profile_stop),
                              SLOT(profile_enter), SLOT(profile_leave)};
constexpr Slot kRanges[] = {SLOT(range_push), SLOT(range_pop)};
constexpr Slot kForeign[] = {SLOT(stream_native), SLOT(stream_adopt), SLOT(stream_disown),
                             SLOT(event_native)};
constexpr struct Group {
  const char* what;
  std::span<const Slot> slots;
} kGroups[] = {{"streams and events", kStreams},
               {"pinned memory", kPinned},
               {"decommit and commit", kCommit},
               {"capture", kCapture},
               {"fused kernels", kFused},
               {"profiles", kProfiles},
               {"ranges", kRanges},
               {"streams of other code", kForeign}};
// clang-format on
#undef SLOT

std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
  return text;
}

bool has(const void* table, const Slot& s) {
  void* p;
  std::memcpy(&p, static_cast<const char*>(table) + s.offset, sizeof p);
  return p != nullptr;
}

haft_backend checked_copy(const haft_backend* table) {
  if (!table)
    fail(Code::invalid_argument, "backend: the table is NULL",
         "give a haft_backend that lives as long as the process");
  // Of a table for another version nothing else means what it means here.
  if (table->abi != HAFT_BACKEND_ABI)
    fail(Code::unavailable,
         concat("backend: built for version ", table->abi, " of the device seam; this haft speaks version ",
                HAFT_BACKEND_ABI),
         "rebuild the plug-in with this haft's haft/backend.h");
  if (table->struct_size < offsetof(haft_backend, stream_create) || table->struct_size > 65536)
    fail(Code::bad_struct,
         concat("backend: struct_size is ", table->struct_size, "; the required slots alone take ",
                offsetof(haft_backend, stream_create), " bytes"),
         "set struct_size to sizeof(haft_backend)");
  haft_backend t = {};
  std::memcpy(&t, table, std::min<size_t>(table->struct_size, sizeof t));
  if (t.ops_hash && t.ops_hash != kOpsHash)
    fail(Code::unavailable,
         concat("backend ", t.name ? t.name : "", t.version ? concat(" ", t.version) : "",
                ": built with the operators ", hex(t.ops_hash),
                "; this haft " HAFT_VERSION " has the operators ", hex(kOpsHash)),
         "take the plug-in of the same build as libhaft");
  if (!t.name || !valid_name(t.name))
    fail(Code::invalid_argument,
         concat("backend: the name is \"", t.name, "\"; wanted 1 to 15 of a-z, 0-9 and _, a letter first"));
  for (const Slot& s : kRequired)
    if (!has(&t, s))
      fail(Code::invalid_argument, concat("backend ", t.name, ": the required slot ", s.name, " is NULL"));
  for (const Group& g : kGroups)
    for (const Slot& s : g.slots)
      if (has(&t, s) != has(&t, g.slots[0]))
        fail(Code::invalid_argument,
             concat("backend ", t.name, ": ", s.name, has(&t, s) ? " is set but " : " is NULL but ",
                    g.slots[0].name, has(&t, s) ? " is NULL" : " is set"),
             concat("give all slots for ", g.what, ", or none"));
  return t;
}

BackendEntry* find(std::string_view name) {
  for (auto& slot : backends)
    if (BackendEntry* e = slot.load(std::memory_order_acquire); e && e->name == name) return e;
  return nullptr;
}

#define SLOT(s) \
  { #s, offsetof(haft_collectives, s) }
constexpr Slot kCollectives[] = {SLOT(unique_id),   SLOT(init),           SLOT(destroy),    SLOT(abort),
                                 SLOT(async_error), SLOT(all_reduce),     SLOT(reduce),     SLOT(broadcast),
                                 SLOT(all_gather),  SLOT(reduce_scatter), SLOT(all_to_all), SLOT(send),
                                 SLOT(recv),        SLOT(group_begin),    SLOT(group_end)};
#undef SLOT

// Empty for NULL.
haft_collectives checked_collectives(const haft_collectives* table, const char* backend) {
  haft_collectives c = {};
  if (!table) return c;
  if (table->abi != HAFT_COLLECTIVES_ABI)
    fail(Code::unavailable,
         concat("backend ", backend, ": collectives built for version ", table->abi,
                "; this haft speaks version ", HAFT_COLLECTIVES_ABI),
         "rebuild the plug-in with this haft's haft/collectives.h");
  std::memcpy(&c, table, std::min<size_t>(table->struct_size, sizeof c));
  for (const Slot& s : kCollectives)
    if (!has(&c, s))
      fail(Code::invalid_argument,
           concat("backend ", backend, ": the slot ", s.name, " of its collectives is NULL"));
  return c;
}

uint16_t add(const haft_backend* table, bool cpu) {
  haft_backend t = checked_copy(table);
  haft_collectives c = checked_collectives(t.collectives, t.name);
  std::lock_guard lock(register_mutex);
  if (BackendEntry* e = find(t.name)) {
    if (e->source == table) return e->type;
    fail(Code::invalid_argument,
         concat("backend: a device type named \"", t.name, "\" is registered already"));
  }
  std::string_view name = t.name;
  if ((name == "cpu") != cpu)
    fail(Code::invalid_argument, "backend: the name \"cpu\" belongs to haft itself");
  uint16_t type = cpu ? kCpu : name == "cuda" ? kCuda : kFirstPlugin;
  while (type >= kFirstPlugin && backends[type].load(std::memory_order_relaxed))
    if (++type == kMaxDeviceTypes)
      fail(Code::unavailable,
           concat("backend ", t.name, ": all ", kMaxDeviceTypes, " device types are taken"));

  static bool watching = false;
  if (!cpu && !watching) {
    on_fork(nullptr, nullptr, after_fork_in_child);
    watching = true;
  }
  auto* e = new BackendEntry;  // lives as long as the process
  e->source = table;
  e->table = t;
  e->collectives = c;
  e->name = t.name;
  e->table.name = e->name.c_str();
  e->type = type;
  e->plain.store(cpu, std::memory_order_relaxed);
  backends[type].store(e, std::memory_order_release);
  return type;
}

std::string known_devices() {
  std::string text;
  for (uint16_t t = kCpu; t < kMaxDeviceTypes; ++t)
    if (BackendEntry* e = backends[t].load(std::memory_order_acquire)) {
      int32_t n = e->count.load(std::memory_order_relaxed);
      if (!text.empty()) text += ", ";
      text += e->name;
      if (t != kCpu && n > 0) text += n == 1 ? ":0" : concat(":0..", n - 1);
    }
  return text;
}

}  // namespace

bool in_forked_child() { return forked.load(std::memory_order_relaxed); }

void fail_if_forked(Device d) {
  if (in_forked_child())
    fail(Code::forked, concat("device type ", backend(d).name, " does not work in the child of a fork()"),
         "fork before the first use of the device, or use the CPU in the child");
}

void detail::fail_no_backend(uint16_t type) {
  if (type == kCpu)
    fail(Code::internal, "the CPU is not registered yet", "this is a bug in haft; please report it");
  fail(Code::device, concat("no device type has the number ", type, "; there are: ", known_devices()),
       "get a device from its text, e.g. \"cuda:0\"");
}

void fail_backend(int32_t status, const char* error, const std::string& what) {
  std::string text = error && *error ? error : concat("status ", status, " without a message");
  fail(is_failure(status) ? Code(status) : Code::internal, concat(what, ": ", text));
}

void fail_float8(OpId op, DType t) {
  fail(Code::dtype,
       concat("[", op_name(op), "] nothing computes with ", dtype_name(t),
              ", a type to store and to multiply"),
       "cast to float32 or bfloat16 first; scaled_mm multiplies 8-bit floats");
}

namespace {

// The kernel of devices for complex elements, which are only moved, by `copy` and `contiguous_copy`: devices know real
// numbers alone, so it moves their parts.
int32_t run_in_pairs(const haft_kernel_call* c) {
  constexpr int kMost = 3;
  haft_tensor_view pairs[kMost];
  const haft_tensor_view* views[kMost];
  const int n = c->n_in + c->n_out;
  for (int i = 0; i < n; ++i) {
    haft_tensor_view& p = pairs[i] = i < c->n_in ? *c->in[i] : *c->out[i - c->n_in];
    views[i] = &p;
    if (p.ndim == HAFT_MAX_DIMS) {
      std::snprintf(c->error, size_t(c->error_size),
                    "[%s] a complex tensor of %d dimensions is too much for a device: flatten some of them",
                    op_name(OpId(c->op)), int(p.ndim));
      return int32_t(Code::shape);
    }
    for (int d = 0; d < p.ndim; ++d) p.strides[d] *= 2;
    p.sizes[p.ndim] = 2;
    p.strides[p.ndim++] = 1;
    p.numel *= 2;
    p.dtype = uint8_t(real_dtype(DType(p.dtype)));
  }
  haft_kernel_call real = *c;
  real.dtype = int32_t(real_dtype(DType(c->dtype)));
  real.in = views;
  real.out = views + c->n_in;
  return backend(pairs[0].device_type).kernel(OpId(c->op), DType(real.dtype))(&real);
}

}  // namespace

haft_kernel_fn BackendEntry::resolve(OpId op, DType dtype) const {
  if (is_float8(dtype) && !(op_traits(op) & FLOAT8)) fail_float8(op, dtype);
  if (type != kCpu) fail_if_forked({type, 0});
  if (type != kCpu && is_complex(dtype)) {
    kernel(op, real_dtype(dtype));  // which may be refused
    kernels[int(op) * kDTypeSlots + int(dtype)].store(run_in_pairs, std::memory_order_release);
    return run_in_pairs;
  }
  char reason[256] = "";
  haft_kernel_fn fn = table.kernel(uint32_t(op), int32_t(dtype), reason, sizeof reason);
  reason[sizeof reason - 1] = 0;
  if (!fn)
    fail(Code::unsupported,
         concat("[", op_name(op), "] device ", name, " has no kernel for ", dtype_name(dtype), ": ",
                reason[0] ? reason : "it gives no reason"),
         type == kCpu ? "convert the tensor to another dtype"
                      : "move the tensors to the CPU with haft_to, or change their dtype");
  kernels[int(op) * kDTypeSlots + int(dtype)].store(fn, std::memory_order_release);
  return fn;
}

void register_cpu(const haft_backend* table) { add(table, true); }
uint16_t register_backend(const haft_backend* table) { return add(table, false); }

uint16_t find_backend(std::string_view name) {
  BackendEntry* e = find(name);
  return e ? e->type : kNoDevice;
}

int32_t device_count(uint16_t type) {
  const BackendEntry& e = backend(type);
  int32_t n = e.count.load(std::memory_order_relaxed);
  if (n >= 0) return n;
  char error[512] = "";
  if (int32_t s = e.table.device_count(&n, error, sizeof error)) {
    error[sizeof error - 1] = 0;
    fail_backend(s, error, concat("devices of type ", e.name));
  }
  if (n < 0 || n > 65535)
    fail(Code::internal, concat("device type ", e.name, " claims to have ", n, " devices"));
  e.count.store(n, std::memory_order_relaxed);
  return n;
}

void check_device(Device d) {
  int32_t n = device_count(d.type);
  if (d.index < n) return;
  const std::string& name = backend(d.type).name;
  fail(Code::device,
       concat("device ", name, ":", d.index, " does not exist; ",
              n == 0 ? concat("there is no device of type ", name) : concat("there are: ", known_devices())));
}

const haft_collectives& collectives(uint16_t type) {
  const BackendEntry& e = backend(type);
  if (!e.collectives.abi)
    fail(Code::unsupported, concat("devices of type ", e.name, " have no collectives"),
         "communicate between copies on the host");
  return e.collectives;
}

haft_backend_properties device_properties(Device d) {
  check_device(d);
  const BackendEntry& e = backend(d);
  if (!d.is_cpu()) fail_if_forked(d);
  haft_backend_properties p = {};
  p.struct_size = sizeof p;
  char error[512] = "";
  if (e.table.properties) {
    if (int32_t s = e.table.properties(d.index, &p, error, sizeof error)) {
      error[sizeof error - 1] = 0;
      fail_backend(s, error, concat("properties of ", d));
    }
    for (auto [text, size] : {std::pair<char*, size_t>{p.name, sizeof p.name},
                              {p.pci, sizeof p.pci},
                              {p.uuid, sizeof p.uuid},
                              {p.runtime, sizeof p.runtime}})
      text[size - 1] = 0;
    return p;
  }
  std::snprintf(p.name, sizeof p.name, "%s", e.name.c_str());
  haft_backend_memory m = {-1, -1};
  if (e.table.memory_info && !e.table.memory_info(d.index, &m, error, sizeof error) && m.total > 0)
    p.total_memory = m.total;
  return p;
}

std::string describe_device(Device d) {
  const haft_backend_properties p = device_properties(d);
  const BackendEntry& e = backend(d);
  std::string s = concat("device: ", d, "\nname: ", p.name);
  auto line = [&](const char* name, std::string_view value) {
    if (!value.empty()) s += concat("\n", name, ": ", value);
  };
  auto bytes = [](int64_t n) { return n > 0 ? concat(n >> 20, " MiB") : std::string(); };
  if (p.compute_major) line("version", concat(p.compute_major, ".", p.compute_minor));
  line(d.is_cpu() ? "processors" : "multiprocessors",
       p.multiprocessors ? concat(p.multiprocessors) : std::string());
  line("memory", bytes(p.total_memory));
  line("cache", bytes(p.l2_cache));
  line("bus", p.pci);
  line("uuid", p.uuid);
  line("runtime", p.runtime);
  if (!e.table.describe) return s;
  std::vector<char> text(size_t(16) << 10);
  char error[512] = "";
  if (int32_t status = e.table.describe(d.index, text.data(), uint32_t(text.size()), error, sizeof error)) {
    error[sizeof error - 1] = 0;
    fail_backend(status, error, concat("description of ", d));
  }
  text.back() = 0;
  if (text[0]) s += concat("\n", text.data());
  return s;
}

std::string device_text(Device d) {
  if (d.is_cpu() && d.index == 0) return "cpu";
  BackendEntry* e = backends[d.type % kMaxDeviceTypes].load(std::memory_order_acquire);
  if (!e || e->type != d.type) return concat("device type ", d.type, ":", d.index);
  return concat(e->name, ":", d.index);
}

Device current_device(uint16_t type) { return {type, thread_state().current_device[type % kMaxDeviceTypes]}; }

Device set_current_device(Device d) {
  check_device(d);
  return {d.type, std::exchange(thread_state().current_device[d.type % kMaxDeviceTypes], d.index)};
}

bool devices_reach(Device d, Device peer) {
  for (Device one : {d, peer}) check_device(one);
  if (d.type != peer.type || d == peer) return d == peer;
  const BackendEntry& e = backend(d);
  if (!d.is_cpu()) fail_if_forked(d);
  if (!e.table.can_access_peer) return false;
  int32_t can = 0;
  char error[512] = "";
  if (int32_t s = e.table.can_access_peer(d.index, peer.index, &can, error, sizeof error)) {
    error[sizeof error - 1] = 0;
    fail_backend(s, error, concat("whether ", d, " reaches ", peer));
  }
  return can != 0;
}

Device parse_device(std::string_view text) {
  auto bad = [&] {
    fail(Code::invalid_argument, concat("\"", text, "\" is not a device"),
         "write a type and an optional index, e.g. \"cpu\" or \"cuda:0\"");
  };
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  if (!valid_name(name)) bad();
  if (colon == std::string_view::npos) {
    const Device d = current_device(load_backend_by_name(name));
    check_device(d);
    return d;
  }
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 5) bad();
  uint32_t index = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') bad();
    index = index * 10 + uint32_t(c - '0');
  }
  if (index > 65535) bad();
  Device d{load_backend_by_name(name), uint16_t(index)};
  check_device(d);
  return d;
}

}  // namespace haft
