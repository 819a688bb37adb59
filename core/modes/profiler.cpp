#include "core/modes/profiler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/backend/memory.h"
#include "core/base/thread_state.h"
#include "core/dispatch/dispatch.h"
#include "core/modes/module_range.h"
#include "core/modes/stop.h"

namespace haft {

std::atomic<uint32_t> module_ranges{0};

namespace {

struct Profile {
  explicit Profile(uint32_t w) : what(w) { module_ranges += (what & kProfileModules) != 0; }
  ~Profile() { module_ranges -= (what & kProfileModules) != 0; }
  Profile(const Profile&) = delete;

  const uint32_t what;
  std::vector<ProfileEvent> events;
  std::vector<size_t> open;  // ranges not yet closed
  std::optional<DeviceProfile> devices;

  void enter(ProfileEvent& e) {
    if (!devices) return;
    e.id = devices->new_caller();
    devices->enter(e.name.c_str(), e.id);
  }
  void leave() {
    if (devices) devices->leave();
  }
};

Profile*& current() { return reinterpret_cast<Profile*&>(thread_state().slots[kSlotProfiler]); }

uint64_t thread_id() { return uint64_t(syscall(SYS_gettid)); }

std::string shapes_of(const Call& c) {
  std::string out;
  for (int i = 0; i < c.n_in; ++i) {
    if (i) out += ", ";
    if (c.in[i]->defined())
      append_text(out, c.in[i]->sizes());
    else
      out += "none";
  }
  return out;
}

}  // namespace

void profiler_start(uint32_t what) {
  Profile*& p = current();
  if (p) fail(Code::busy, "the profiler is already on in this thread", "stop it first");
  auto made = std::make_unique<Profile>(what);
  if (what & (kProfileDevices | kProfileRanges))
    made->devices.emplace(what & kProfileDevices, what & kProfileRanges);
  p = made.release();
  thread_state().slot_destroy[kSlotProfiler] = [](void* q) { delete static_cast<Profile*>(q); };
  thread_state().modes |= kModeProfile;
}

namespace {

Profile& running() {
  Profile* p = current();
  if (!p) fail(Code::invalid_argument, "the profiler is not on in this thread", "start it first");
  return *p;
}

}  // namespace

std::span<const ProfileEvent> profiler_events() {
  Profile* p = &running();
  while (!p->open.empty()) profiler_pop();
  return p->events;
}

std::vector<ProfileEvent> profiler_stop() {
  profiler_events();
  Profile*& p = current();
  auto events = std::move(p->events);
  delete p;
  p = nullptr;
  thread_state().modes &= ~uint32_t(kModeProfile);
  return events;
}

DeviceRows profiler_device_rows() {
  Profile& p = running();
  if (!p.devices || !(p.what & kProfileDevices)) return {};
  p.devices->read();
  const auto notes = p.devices->notes();
  return {p.devices->events(), {notes.begin(), notes.end()}};
}

void profiler_push(const char* name) {
  Profile* p = current();
  if (!p) return;
  p->open.reserve(p->open.size() + 1);  // what follows leaves both lists alone when memory is short
  p->events.push_back({name, {}, now_ns(), 0, thread_id(), 0});
  p->open.push_back(p->events.size() - 1);
  p->enter(p->events.back());
}

void profiler_pop() {
  Profile* p = current();
  if (!p || p->open.empty()) return;
  ProfileEvent& e = p->events[p->open.back()];
  p->open.pop_back();
  p->leave();
  e.duration_ns = now_ns() - e.start_ns;
}

bool ModuleRange::push(const char* type) {
  Profile* p = current();
  if (!p || !(p->what & kProfileModules)) return false;
  profiler_push(type);
  return true;
}
void ModuleRange::pop() { profiler_pop(); }

// The time is the host's: on asynchronous devices that of the launch.
void profile_call(const Call& c) {
  Profile* p = current();
  // The record first: an operator that has written in place must not fail for it. What prepares the call
  // stands behind it, with times of its own.
  const size_t at = p->events.size();
  ProfileEvent e{
      op_name(c.op), p->what & kProfileShapes ? shapes_of(c) : std::string(), 0, 0, thread_id(), 0};
  if (c.inplace) e.name += "_";
  p->events.push_back(std::move(e));
  p->enter(p->events[at]);
  try {
    const int64_t start = now_ns();
    p->events[at].start_ns = start;
    dispatch(c);
    p->events[at].duration_ns = now_ns() - start;
    p->leave();
  } catch (...) {
    p->leave();
    p->events.erase(p->events.begin() + ptrdiff_t(at));  // it did not run
    throw;
  }
}

}  // namespace haft
