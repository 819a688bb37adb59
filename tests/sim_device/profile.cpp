// What the devices ran, for the engine's profiler.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "sim.h"

namespace sim {

namespace {

struct Noted {
  haft_profiled what;
  std::string name;
};

std::mutex mutex;
int profiles = 0;
std::vector<Noted>& all() {
  static auto* v = new std::vector<Noted>;  // streams may outlive static objects
  return *v;
}
std::atomic<bool> on{false};
// No vector: profile_enter answers nothing, and so cannot tell that there is no memory.
constexpr size_t kDeepest = 256;
thread_local uint64_t callers[kDeepest];
thread_local size_t depth = 0;
thread_local const uint64_t* replaying = nullptr;

uint64_t caller() { return depth == 0 ? 0 : callers[std::min(depth, kDeepest) - 1]; }
int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int32_t start(char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(0);
    if (env_number("HAFT_SIM_UNPROFILED", 0)) throw Failure{kUnsupported, "sim was told to note nothing"};
    std::lock_guard lock(mutex);
    on = ++profiles > 0;
  });
}
void stop() {
  std::lock_guard lock(mutex);
  on = --profiles > 0;
  if (!on) all().clear();
}
int32_t read(haft_profiled_fn take, void* context, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    for (int device = 0; device < kDevices; ++device) wait_device(device);
    std::vector<Noted> taken;
    {
      std::lock_guard lock(mutex);
      taken.swap(all());
    }
    for (Noted& n : taken) {
      n.what.name = n.name.c_str();
      take(context, &n.what);
    }
  });
}

}  // namespace

std::function<void()> noted(int device, haft_raw_stream s, int32_t kind, std::string name, int64_t bytes,
                            std::function<void()> work) {
  return [=, name = std::move(name), by = caller(), work = std::move(work)] {
    if (!on) return work();
    const int64_t begin = now();
    work();
    const int64_t duration = now() - begin;
    std::lock_guard lock(mutex);
    all().push_back({{sizeof(haft_profiled), kind, device, uint32_t(s), replaying ? *replaying : by, begin,
                      duration, bytes, nullptr},
                     name});
  };
}

std::function<void()> replayed(std::function<void()> work) {
  return [by = caller(), work = std::move(work)] {
    replaying = &by;
    work();
    replaying = nullptr;
  };
}

void fill_profile(haft_backend* t) {
  t->profile_start = start;
  t->profile_read = read;
  t->profile_stop = stop;
  t->profile_enter = [](uint64_t by) {
    if (depth < kDeepest) callers[depth] = by;
    ++depth;
  };
  t->profile_leave = [] { --depth; };
}

}  // namespace sim
