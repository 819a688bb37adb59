// CUPTI, simulated: what the simulated GPUs run becomes records in the client's buffers. Its clock is another than
// the host's, and goes
// 0.1 % faster.
#include <cstring>
#include <ctime>
#include <utility>

#include "core/cuda/cupti.h"
#include "libraries.h"
#include "simulated.h"

namespace haft::cuda_on_host {

using namespace cuda;

namespace {

struct State {
  CuptiAsk ask = nullptr;
  CuptiDone done = nullptr;
  std::set<uint32_t> enabled;
  uint8_t* buffer = nullptr;
  size_t size = 0, used = 0;
  uint32_t calls = 0;
  uint32_t replayed = 0;  // the call whose graph runs
  size_t dropped = 0;
};
State& cupti() {
  static State* s = new State;
  return *s;
}
// No vector: a thread may be left by its caller after its objects are gone.
constexpr size_t kDeepest = 256;
thread_local uint64_t callers[kDeepest];
thread_local size_t depth = 0;

uint64_t clock_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  const uint64_t ns = uint64_t(t.tv_sec) * 1000000000 + uint64_t(t.tv_nsec);
  return 7000000000000000000u + ns + ns / 1000;
}

size_t size_of(uint32_t kind) {
  switch (kind) {
    case kCuptiKernel: return sizeof(CuptiKernelRecord);
    case kCuptiCopy: return sizeof(CuptiCopyRecord);
    case kCuptiPeerCopy: return sizeof(CuptiPeerCopyRecord);
    case kCuptiFill: return sizeof(CuptiFillRecord);
    default: return sizeof(CuptiCallerRecord);
  }
}
void give_buffer_back() {
  State& s = cupti();
  if (!s.buffer) return;
  uint8_t* const full = std::exchange(s.buffer, nullptr);
  s.done(nullptr, 0, full, s.size, s.used);
}
template <class R>
void put(const R& r) {
  State& s = cupti();
  if (s.buffer && s.used + sizeof r > s.size) give_buffer_back();
  if (!s.buffer) {
    size_t most = 0;
    s.used = 0;
    s.ask(&s.buffer, &s.size, &most);
    if (!s.buffer) return void(++s.dropped);
  }
  std::memcpy(s.buffer + s.used, &r, sizeof r);
  s.used += sizeof r;
}

int next_record(uint8_t* buffer, size_t used, void** record) {
  uint8_t* const at =
      *record ? static_cast<uint8_t*>(*record) + size_of(*static_cast<uint32_t*>(*record)) : buffer;
  if (at >= buffer + used) return kCuptiNoMore;
  *record = at;
  return 0;
}
int enable(uint32_t kind) {
  std::lock_guard guard(lock());
  if (!cupti().ask) mistake("CUPTI is to note something and has no buffers");
  cupti().enabled.insert(kind);
  return 0;
}
int pop_caller(int, uint64_t* last) {
  if (depth == 0) mistake("CUPTI: a caller leaves that never entered");
  *last = callers[--depth];
  return 0;
}

}  // namespace

uint32_t cupti_call() {
  State& s = cupti();
  if (s.enabled.empty()) return 0;
  ++s.calls;
  if (s.enabled.count(kCuptiCaller) && s.enabled.count(kCuptiRuntime) && depth > 0)
    put(CuptiCallerRecord{kCuptiCaller, kCuptiCustom, callers[depth - 1], s.calls, 0});
  return s.calls;
}

std::function<void()> noted(Stream stream, const Noted& what, std::function<void()> run) {
  const uint32_t call = stream->graph ? 0 : cupti_call();
  return [=, run = std::move(run), device = uint32_t(stream->device)] {
    const uint64_t begin = clock_now();
    run();
    State& s = cupti();
    if (!s.enabled.count(what.kind)) return;
    const uint64_t end = clock_now();
    const uint32_t id = uint32_t(reinterpret_cast<uintptr_t>(stream) >> 4), by = call ? call : s.replayed;
    switch (what.kind) {
      case kCuptiKernel: {
        CuptiKernelRecord r = {};
        r.kind = what.kind, r.start = begin, r.end = end, r.device = device, r.stream = id,
        r.correlation = by, r.name = what.name;
        return put(r);
      }
      case kCuptiPeerCopy: {
        CuptiPeerCopyRecord r = {};
        r.kind = what.kind, r.copy_kind = what.copy_kind, r.bytes = what.bytes, r.start = begin, r.end = end,
        r.device = device;
        r.stream = id, r.source_device = what.source, r.target_device = device, r.correlation = by;
        return put(r);
      }
      case kCuptiFill: {
        CuptiFillRecord r = {};
        r.kind = what.kind, r.bytes = what.bytes, r.start = begin, r.end = end, r.device = device,
        r.stream = id, r.correlation = by;
        return put(r);
      }
      default: {
        CuptiCopyRecord r = {};
        r.kind = what.kind, r.copy_kind = what.copy_kind, r.bytes = what.bytes, r.start = begin, r.end = end,
        r.device = device;
        r.stream = id, r.correlation = by;
        return put(r);
      }
    }
  };
}

void run_replay(uint32_t call, const std::function<void()>& nodes) {
  const uint32_t before = std::exchange(cupti().replayed, call);
  nodes();
  cupti().replayed = before;
}

void* cupti_function(const char* name) {
  static const std::map<std::string, void*> all = {
      {"cuptiGetVersion", reinterpret_cast<void*>(+[](uint32_t* v) { return *v = 130001, 0; })},
      {"cuptiActivityRegisterCallbacks", reinterpret_cast<void*>(+[](CuptiAsk ask, CuptiDone done) {
         std::lock_guard guard(lock());
         return cupti().ask = ask, cupti().done = done, 0;
       })},
      {"cuptiActivityEnable", reinterpret_cast<void*>(&enable)},
      {"cuptiActivityDisable", reinterpret_cast<void*>(+[](uint32_t kind) {
         std::lock_guard guard(lock());
         return cupti().enabled.erase(kind), 0;
       })},
      {"cuptiActivityFlushAll", reinterpret_cast<void*>(+[](uint32_t) {
         std::lock_guard guard(lock());
         return give_buffer_back(), 0;
       })},
      {"cuptiActivityGetNextRecord", reinterpret_cast<void*>(&next_record)},
      {"cuptiActivityGetNumDroppedRecords", reinterpret_cast<void*>(+[](void*, uint32_t, size_t* n) {
         return *n = std::exchange(cupti().dropped, 0), 0;
       })},
      {"cuptiActivityPushExternalCorrelationId", reinterpret_cast<void*>(+[](int, uint64_t caller) {
         if (depth == kDeepest) mistake("CUPTI: callers nest deeper than it keeps");
         return callers[depth++] = caller, 0;
       })},
      {"cuptiActivityPopExternalCorrelationId", reinterpret_cast<void*>(&pop_caller)},
      {"cuptiGetTimestamp", reinterpret_cast<void*>(+[](uint64_t* t) { return *t = clock_now(), 0; })},
      {"cuptiGetResultString",
       reinterpret_cast<void*>(+[](int, const char** text) { return *text = "CUPTI_ERROR_UNKNOWN", 0; })}};
  const auto it = all.find(name);
  return it == all.end() ? nullptr : it->second;
}

}  // namespace haft::cuda_on_host
