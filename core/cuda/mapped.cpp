#include "core/cuda/mapped.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/cuda/kernel.h"

namespace haft::cuda {

namespace {

struct Mapped {
  size_t bytes = 0;
  uint64_t handle = 0;
  bool there = true;           // has memory
  bool freed = false;          // its addresses go, too
  std::vector<Event> passing;  // events behind which it goes; empty: it stays
};
struct Space {
  std::mutex mutex;
  size_t granule = 0;
  std::unordered_map<void*, Mapped> all;
};
Space& space_of(int device) {
  static auto* spaces = new std::vector<Space>(size_t(device_count()));
  return (*spaces)[size_t(device)];
}

void pass(Mapped& m) {
  for (Event e : m.passing) runtime().event_destroy(e);
  m.passing.clear();
}
void leave_behind(Mapped& m, Stream s) {
  m.passing.reserve(m.passing.size() + 1);
  Event e;
  check(runtime().event_create(&e, 0), "an event behind freed memory");
  const int failed = runtime().event_record(e, s);
  if (failed) runtime().event_destroy(e);  // it would count as passed
  check(failed, "an event behind freed memory");
  m.passing.push_back(e);
}

bool has_passed(const Mapped& m, bool wait) {
  for (Event e : m.passing) {
    const int status = wait ? runtime().event_synchronize(e) : runtime().event_query(e);
    if (status == kNotReady) return runtime().last_error(), false;
    // Any other failure is the device's own: nothing runs there any more.
  }
  return true;
}

// Nothing uses it any more. Answers the next one.
auto unmap(Space& space, std::unordered_map<void*, Mapped>::iterator it) {
  Mapped& m = it->second;
  pass(m);
  if (m.there) runtime().unmap(it->first, m.bytes, m.handle);
  m.there = false;
  if (m.freed) runtime().release_reserved(it->first, m.bytes);
  return m.freed ? space.all.erase(it) : std::next(it);
}

// Under the space's lock.
bool unmap_passed(Space& space, bool wait) {
  bool any = false;
  for (auto it = space.all.begin(); it != space.all.end();) {
    const bool goes = !it->second.passing.empty() && has_passed(it->second, wait);
    any = any || goes;
    it = goes ? unmap(space, it) : std::next(it);
  }
  return any;
}

// Once more when memory that was on its way out has gone: that of mappings, then that of the pool.
int with_room(int device, Space& space, auto&& attempt) {
  int status = attempt();
  if (status == kMemoryAllocation && unmap_passed(space, true)) status = attempt();
  if (status == kMemoryAllocation && runtime().device_synchronize() == kSuccess &&
      runtime().pool_trim(device, 0) == kSuccess)
    status = attempt();
  return status;
}

}  // namespace

void* map_memory(int device, int64_t bytes) {
  Space& space = space_of(device);
  std::lock_guard lock(space.mutex);
  unmap_passed(space, false);
  if (!space.granule) check(runtime().granule(device, &space.granule), "the device's granule of memory");
  Mapped m;
  m.bytes = (size_t(bytes) + space.granule - 1) / space.granule * space.granule;
  void* p = nullptr;
  check(runtime().reserve(&p, m.bytes, device), "addresses for memory");
  if (const int failed =
          with_room(device, space, [&] { return runtime().map(p, m.bytes, device, &m.handle); })) {
    runtime().release_reserved(p, m.bytes);
    check(failed, "memory");
  }
  space.all.emplace(p, std::move(m));
  return p;
}

void unmap_behind(int device, void* p, Stream s) {
  Space& space = space_of(device);
  std::lock_guard lock(space.mutex);
  const auto it = space.all.find(p);
  if (it == space.all.end()) return;
  it->second.freed = true;
  try {
    leave_behind(it->second, s);
  } catch (...) {  // nothing tells when it may go: the device is waited for, or has failed and runs nothing
    runtime().device_synchronize();
    unmap(space, it);
  }
  unmap_passed(space, false);
}

void decommit_mapped(int device, void* p) {
  DeviceState& d = device_state(device);
  Space& space = space_of(device);
  std::scoped_lock lock(d.mutex, space.mutex);  // no stream goes meanwhile
  Mapped& m = space.all.at(p);
  if (!m.there || !m.passing.empty()) return;
  try {
    for (Stream s : d.streams) leave_behind(m, s);
  } catch (...) {
    pass(m);  // behind some streams alone it would go too early
    throw;
  }
  unmap_passed(space, false);
}

void commit_mapped(int device, void* p) {
  Space& space = space_of(device);
  std::lock_guard lock(space.mutex);
  Mapped& m = space.all.at(p);
  pass(m);  // it has not gone yet: it stays
  if (m.there) return;
  check(with_room(device, space, [&] { return runtime().map(p, m.bytes, device, &m.handle); }),
        "memory under given-back addresses");
  m.there = true;
}

bool unmap_passed(int device, bool wait) {
  Space& space = space_of(device);
  std::lock_guard lock(space.mutex);
  return unmap_passed(space, wait);
}

}  // namespace haft::cuda
