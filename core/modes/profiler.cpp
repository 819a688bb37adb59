#include "core/modes/profiler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "core/backend/memory.h"
#include "core/base/thread_state.h"
#include "core/dispatch/dispatch.h"
#include "core/modes/stop.h"

namespace haft {

namespace {

struct Profile {
  bool with_shapes = false;
  std::vector<ProfileEvent> events;
  std::vector<size_t> open;  // ranges not yet closed
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

void profiler_start(bool with_shapes) {
  Profile*& p = current();
  if (p) fail(Code::busy, "the profiler is already on in this thread", "stop it first");
  p = new Profile{with_shapes, {}, {}};
  thread_state().slot_destroy[kSlotProfiler] = [](void* q) { delete static_cast<Profile*>(q); };
  thread_state().modes |= kModeProfile;
}

std::span<const ProfileEvent> profiler_events() {
  Profile* p = current();
  if (!p) fail(Code::invalid_argument, "the profiler is not on in this thread", "start it first");
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

void profiler_push(const char* name) {
  Profile* p = current();
  if (!p) return;
  p->open.reserve(p->open.size() + 1);  // what follows leaves both lists alone when memory is short
  p->events.push_back({name, {}, now_ns(), 0, thread_id()});
  p->open.push_back(p->events.size() - 1);
}

void profiler_pop() {
  Profile* p = current();
  if (!p || p->open.empty()) return;
  ProfileEvent& e = p->events[p->open.back()];
  p->open.pop_back();
  e.duration_ns = now_ns() - e.start_ns;
}

// On asynchronous devices the time is that of the launch, as the host sees it.
void profile_call(const Call& c) {
  Profile* p = current();
  // The record first: an operator that has written in place must not fail for it. What prepares the call
  // stands behind it, with times of its own.
  const size_t at = p->events.size();
  ProfileEvent e{op_name(c.op), p->with_shapes ? shapes_of(c) : std::string(), 0, 0, thread_id()};
  if (c.inplace) e.name += "_";
  p->events.push_back(std::move(e));
  try {
    const int64_t start = now_ns();
    p->events[at].start_ns = start;
    dispatch(c);
    p->events[at].duration_ns = now_ns() - start;
  } catch (...) {
    p->events.erase(p->events.begin() + ptrdiff_t(at));  // it did not run
    throw;
  }
}

}  // namespace haft
