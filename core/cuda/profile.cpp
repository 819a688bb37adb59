// What the GPUs ran, by CUPTI, for haft's profiler; and its ranges for NVIDIA's tools, by NVTX.
//
// CUPTI fills buffers with records: of kernels, copies and fills with the number of the call that enqueued each, and,
// before the record of a call, who was the caller on its thread (profile_enter). Records of one call may come in
// different buffers, so both are kept until profile_read has waited for all work. CUPTI has a clock of its own; both
// clocks are read at the beginning and at each read, and times between are interpolated.
#include <cxxabi.h>

#include <cstdlib>
#include <ctime>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/cuda/capture.h"
#include "core/cuda/cupti.h"
#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/library.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

namespace {

constexpr uint32_t kKinds[] = {kCuptiCaller, kCuptiDriver,   kCuptiRuntime, kCuptiKernel,
                               kCuptiCopy,   kCuptiPeerCopy, kCuptiFill};
constexpr size_t kBuffer = size_t(1) << 20;

struct Noted {
  int32_t kind, device;
  uint32_t stream, correlation;
  uint64_t start, end;
  int64_t bytes;
  std::string name;
};
struct Clocks {
  int64_t host;
  uint64_t cupti;
};
struct State {
  std::mutex control;  // start, read and stop, one at a time; CUPTI calls `done` meanwhile
  int profiles = 0;
  Clocks begin{};
  std::mutex mutex;  // of what follows
  std::vector<Noted> noted;
  std::unordered_map<uint32_t, uint64_t> callers;  // by call
  size_t dropped = 0;
};
State& state() {
  static auto* s = new State;  // CUPTI's threads may outlive static objects
  return *s;
}

const Cupti* cupti() { return functions_of<Cupti>(Library::cupti, kCuptiNames); }

void check_cupti(int status, const char* what) {
  if (status == kCuptiSuccess) return;
  const char* name = nullptr;
  cupti()->error_name(status, &name);
  fail(Code::unavailable,
       concat("CUPTI: ", what, ": ", name ? name : "an error without a name", " (", status, ")"),
       "another profiler of this process or around it may hold CUPTI");
}

// The two clocks at one moment: of some tries the one that took the least.
Clocks read_clocks() {
  auto host_clock = [] {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
  };
  Clocks best{};
  int64_t least = INT64_MAX;
  for (int i = 0; i < 8; ++i) {
    uint64_t there = 0;
    const int64_t before = host_clock();
    check_cupti(cupti()->timestamp(&there), "its clock");
    const int64_t took = host_clock() - before;
    if (took >= least) continue;
    least = took;
    best = {before + took / 2, there};
  }
  return best;
}

std::string plain_name(const char* mangled) {
  if (!mangled) return "kernel";
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : mangled;
  std::free(text);
  return out;
}

// cudaMemcpyKind's order, as CUPTI counts: host, array and device memory on either side.
const char* copy_name(uint8_t kind) {
  switch (kind) {
    case 1: return "copy to the device";
    case 2: return "copy to the host";
    case 8: return "copy on the device";
    case 10: return "copy between devices";
    default: return "copy";
  }
}

void note(State& s, void* record) {
  switch (*static_cast<uint32_t*>(record)) {
    case kCuptiCaller: {
      const auto& r = *static_cast<CuptiCallerRecord*>(record);
      if (r.whose == kCuptiCustom) s.callers[r.correlation] = r.caller;
      break;
    }
    case kCuptiKernel: {
      const auto& r = *static_cast<CuptiKernelRecord*>(record);
      s.noted.push_back({HAFT_PROFILED_KERNEL, int32_t(r.device), r.stream, r.correlation, r.start, r.end, 0,
                         plain_name(r.name)});
      break;
    }
    case kCuptiCopy: {
      const auto& r = *static_cast<CuptiCopyRecord*>(record);
      s.noted.push_back({HAFT_PROFILED_COPY, int32_t(r.device), r.stream, r.correlation, r.start, r.end,
                         int64_t(r.bytes), copy_name(r.copy_kind)});
      break;
    }
    case kCuptiPeerCopy: {
      const auto& r = *static_cast<CuptiPeerCopyRecord*>(record);
      s.noted.push_back({HAFT_PROFILED_COPY, int32_t(r.source_device), r.stream, r.correlation, r.start,
                         r.end, int64_t(r.bytes), copy_name(r.copy_kind)});
      break;
    }
    case kCuptiFill: {
      const auto& r = *static_cast<CuptiFillRecord*>(record);
      s.noted.push_back({HAFT_PROFILED_FILL, int32_t(r.device), r.stream, r.correlation, r.start, r.end,
                         int64_t(r.bytes), "fill"});
      break;
    }
  }
}

void ask(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBuffer));
  *size = *buffer ? kBuffer : 0;
  *most_records = 0;  // as many as fit
}
void done(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t used) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  void* record = nullptr;
  while (buffer && used && cupti()->next_record(buffer, used, &record) == kCuptiSuccess) {
    try {
      note(s, record);
    } catch (const std::bad_alloc&) {
      ++s.dropped;
    }
  }
  size_t dropped = 0;
  if (cupti()->dropped_records(context, stream, &dropped) == kCuptiSuccess) s.dropped += dropped;
  std::free(buffer);
}

void disable_all() {
  for (uint32_t kind : kKinds) cupti()->disable(kind);
}

int32_t profile_start(char* error, uint32_t size) {
  return guard(error, size, [&] {
    if (!cupti())
      fail(Code::unavailable,
           concat("kernels and copies are not noted: ", library_facts(Library::cupti).why));
    State& s = state();
    std::lock_guard control(s.control);
    if (s.profiles++) return;
    try {
      check_cupti(cupti()->register_callbacks(ask, done), "its buffers");
      s.begin = read_clocks();
      for (uint32_t kind : kKinds) check_cupti(cupti()->enable(kind), "noting what runs");
    } catch (...) {
      --s.profiles;
      disable_all();
      throw;
    }
  });
}

void profile_stop() {
  State& s = state();
  std::lock_guard control(s.control);
  if (--s.profiles) return;
  disable_all();
  cupti()->flush_all(kCuptiFlushForced);
  std::lock_guard lock(s.mutex);
  s.noted = {};
  s.callers = {};
  s.dropped = 0;
}

// Waits without a word about what went wrong: that is for who needs the results.
void wait_for_devices() {
  for (int d = 0; d < device_count(); ++d) {
    if (!device_state(d).ready.load(std::memory_order_acquire)) continue;
    DeviceScope scope(d);
    refuse_any_recording(d, "reading a profile");
    if (runtime().device_synchronize() != kSuccess) runtime().last_error();
  }
}

int32_t profile_read(haft_profiled_fn take, void* context, char* error, uint32_t size) {
  return guard(error, size, [&] {
    State& s = state();
    std::lock_guard control(s.control);
    wait_for_devices();
    check_cupti(cupti()->flush_all(kCuptiFlushForced), "its records");
    const Clocks now = read_clocks();
    std::vector<Noted> noted;
    std::unordered_map<uint32_t, uint64_t> callers;
    size_t dropped = 0;
    {
      std::lock_guard lock(s.mutex);
      noted.swap(s.noted);
      callers.swap(s.callers);
      std::swap(dropped, s.dropped);
    }
    const double rate =
        now.cupti > s.begin.cupti ? double(now.host - s.begin.host) / double(now.cupti - s.begin.cupti) : 1;
    auto host_time = [&](uint64_t t) {
      return s.begin.host + int64_t(double(int64_t(t - s.begin.cupti)) * rate);
    };
    for (const Noted& n : noted) {
      if (n.end == 0) continue;  // it never ran
      const auto caller = callers.find(n.correlation);
      haft_profiled p = {};
      p.struct_size = sizeof p;
      p.kind = n.kind;
      p.device_index = n.device;
      p.stream = n.stream;
      p.caller = caller == callers.end() ? 0 : caller->second;
      p.start_ns = host_time(n.start);
      p.duration_ns = host_time(n.end) - p.start_ns;
      p.bytes = n.bytes;
      p.name = n.name.c_str();
      take(context, &p);
    }
    if (dropped)
      fail(Code::out_of_memory, concat(dropped, " records of CUPTI are lost: there was no memory for them"));
  });
}

}  // namespace

void fill_profile(haft_backend* t) {
  t->profile_start = profile_start;
  t->profile_read = profile_read;
  t->profile_stop = profile_stop;
  t->profile_enter = [](uint64_t caller) { cupti()->push_caller(kCuptiCustom, caller); };
  t->profile_leave = [] {
    uint64_t last;
    cupti()->pop_caller(kCuptiCustom, &last);
  };
  t->range_push = [](const char* name) { runtime().range_push(name); };
  t->range_pop = [] { runtime().range_pop(); };
}

}  // namespace haft::cuda
