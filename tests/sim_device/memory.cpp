#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "sim.h"

namespace sim {

namespace {

// Device addresses are real ones with these bits on top: no processor maps them, and they tell the device.
constexpr uintptr_t tag(int device) { return uintptr_t(0xD0 + device) << 48; }
constexpr uintptr_t kTagMask = ~((uintptr_t(1) << 48) - 1);

struct Space {
  std::mutex mutex;
  std::map<uintptr_t, BlockRef> live;  // by device address
  std::atomic<int64_t> used{0};        // blocks that enqueued work still holds included
};

// Never destroyed: memory is released until the very end of the process.
Space& space(int device) {
  static Space* all = new Space[kDevices];
  return all[device];
}

std::string hex(const void* p) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

std::string describe(const void* p) {
  uintptr_t top = uintptr_t(p) & kTagMask;
  for (int d = 0; d < kDevices; ++d)
    if (top == tag(d)) return "memory of sim:" + std::to_string(d);
  return top == 0 ? "host memory" : "no address at all";
}

}  // namespace

Block::Block(int d, int64_t n) : device(d), bytes(n) {
  int64_t rounded = (n + 63) / 64 * 64;
  real = static_cast<char*>(std::aligned_alloc(64, size_t(rounded)));
  if (!real) throw Failure{kOutOfMemory, "the host has no " + std::to_string(n) + " bytes for sim"};
  std::memset(real, 0xff, size_t(rounded));  // reads of undefined content become NaN
}

Block::~Block() {
  std::free(real);
  if (committed) space(device).used -= bytes;
}

int64_t memory_limit() { return env_number("HAFT_SIM_MEMORY", int64_t(1) << 30); }
int64_t memory_used(int device) { return space(device).used; }

void* allocate(int device, int64_t bytes) {
  if (bytes <= 0) throw Failure{kInvalidArgument, "allocation of " + std::to_string(bytes) + " bytes"};
  Space& s = space(device);
  int64_t limit = memory_limit(), used = s.used.fetch_add(bytes);
  BlockRef block;
  try {
    if (bytes > limit - used)
      throw Failure{kOutOfMemory, "sim:" + std::to_string(device) + " has " + std::to_string(limit) +
                                      " bytes, " + std::to_string(used) + " of them in use"};
    block = std::make_shared<Block>(device, bytes);
  } catch (...) {
    s.used -= bytes;
    throw;
  }
  uintptr_t p = uintptr_t(block->real) | tag(device);
  std::lock_guard lock(s.mutex);
  s.live[p] = std::move(block);
  return reinterpret_cast<void*>(p);
}

void release(int device, void* p) {
  Space& s = space(device);
  BlockRef last;  // destroyed outside the lock
  std::lock_guard lock(s.mutex);
  auto it = s.live.find(uintptr_t(p));
  if (it == s.live.end()) {
    fail_device(device, kInvalidArgument,
                "free of " + hex(p) + ", which is not a live allocation of sim:" + std::to_string(device));
    return;
  }
  last = std::move(it->second);
  s.live.erase(it);
}

// The limit holds for commit, too; what was there is gone.
void set_committed(int device, void* p, bool on) {
  Space& s = space(device);
  std::lock_guard lock(s.mutex);
  auto it = s.live.find(uintptr_t(p));
  if (it == s.live.end())
    throw Failure{kInvalidArgument, hex(p) + " is no live allocation of sim:" + std::to_string(device)};
  Block& b = *it->second;
  if (b.committed == on)
    throw Failure{kInvalidArgument, hex(p) + (on ? " has memory already" : " has no memory already")};
  if (on && b.bytes > memory_limit() - s.used)
    throw Failure{kOutOfMemory,
                  "sim:" + std::to_string(device) + " has no " + std::to_string(b.bytes) + " bytes"};
  s.used += on ? b.bytes : -b.bytes;
  b.committed = on;
  std::memset(b.real, 0xff, size_t(b.bytes));
}

Range translate(int device, const void* p, int64_t first, int64_t last, const std::string& what) {
  uintptr_t at = uintptr_t(p);
  if ((at & kTagMask) != tag(device))
    throw Failure{kDevice, what + " is at " + hex(p) + ", which is " + describe(p) +
                               ", not memory of sim:" + std::to_string(device)};
  Space& s = space(device);
  std::lock_guard lock(s.mutex);
  auto it = s.live.upper_bound(at);
  uintptr_t begin = 0;
  if (it != s.live.begin()) begin = (--it)->first;
  if (!begin || at > begin + uintptr_t(it->second->bytes))
    throw Failure{kDevice, what + " is at " + hex(p) +
                               ", which no live allocation of sim:" + std::to_string(device) + " holds"};
  int64_t offset = int64_t(at - begin), bytes = it->second->bytes;
  if (offset + first < 0 || offset + last > bytes)
    throw Failure{kDevice, what + " covers bytes " + std::to_string(offset + first) + " to " +
                               std::to_string(offset + last) + " of an allocation of " +
                               std::to_string(bytes) + " bytes of sim:" + std::to_string(device)};
  if (!it->second->committed)
    throw Failure{kDevice, what + " is at " + hex(p) + ", whose memory was given back"};
  return {it->second, it->second->real + offset};
}

// ---- arenas ----

namespace {

struct Arena {
  int device;
  std::vector<void*> blocks;
};
std::mutex arenas_mutex;
std::map<haft_raw_arena, Arena>& arenas() {
  static auto& all = *new std::map<haft_raw_arena, Arena>;
  return all;
}

}  // namespace

haft_raw_arena create_arena(int device) {
  static haft_raw_arena next = 1;
  std::lock_guard lock(arenas_mutex);
  arenas()[next] = {device, {}};
  return next++;
}

void* arena_allocate(int device, haft_raw_arena arena, int64_t bytes) {
  std::lock_guard lock(arenas_mutex);
  auto it = arenas().find(arena);
  if (it == arenas().end() || it->second.device != device)
    throw Failure{kInvalidArgument,
                  "sim:" + std::to_string(device) + " has no arena " + std::to_string(arena)};
  it->second.blocks.reserve(it->second.blocks.size() + 1);
  it->second.blocks.push_back(allocate(device, bytes));
  return it->second.blocks.back();
}

void destroy_arena(int device, haft_raw_arena arena) {
  std::lock_guard lock(arenas_mutex);
  auto it = arenas().find(arena);
  if (it == arenas().end()) return fail_device(device, kInvalidArgument, "no arena " + std::to_string(arena));
  for (void* p : it->second.blocks) release(device, p);
  arenas().erase(it);
}

// ---- pinned memory ----

struct PinnedUse {
  char* p;
  int64_t bytes;
  PinnedUse(char* at, int64_t n) : p(at), bytes(n) {}
  ~PinnedUse() { std::free(p); }
};

namespace {

std::mutex pinned_mutex;
std::map<uintptr_t, std::shared_ptr<PinnedUse>>& pinned() {
  static auto& all = *new std::map<uintptr_t, std::shared_ptr<PinnedUse>>;
  return all;
}

}  // namespace

void* pin(int64_t bytes) {
  auto* p = static_cast<char*>(std::aligned_alloc(64, size_t((bytes + 63) / 64 * 64)));
  if (!p) throw Failure{kOutOfMemory, "the host has no " + std::to_string(bytes) + " bytes to pin"};
  std::lock_guard lock(pinned_mutex);
  pinned()[uintptr_t(p)] = std::make_shared<PinnedUse>(p, bytes);
  return p;
}

void unpin(int device, void* p) {
  std::lock_guard lock(pinned_mutex);
  auto it = pinned().find(uintptr_t(p));
  if (it == pinned().end())
    return fail_device(device, kInvalidArgument, "free of " + hex(p) + ", which is not pinned");
  if (it->second.use_count() > 1)
    fail_device(device, kInternal, "pinned memory at " + hex(p) + " is freed while copies wait to use it");
  pinned().erase(it);
}

std::shared_ptr<PinnedUse> use_pinned(const void* p, int64_t bytes, const std::string& what) {
  std::lock_guard lock(pinned_mutex);
  auto it = pinned().upper_bound(uintptr_t(p));
  if (it != pinned().begin()) {
    const auto& use = (--it)->second;
    if (static_cast<const char*>(p) + bytes <= use->p + use->bytes) return use;
  }
  throw Failure{kInvalidArgument, what + " is called pinned, " + hex(p) + " is not"};
}

void check_host(const void* p, const std::string& what) {
  if (uintptr_t(p) & kTagMask)
    throw Failure{kDevice, what + " is at " + hex(p) + ", which is " + describe(p) + ", not host memory"};
}

}  // namespace sim
