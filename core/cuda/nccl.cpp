// Collectives by NCCL. Communicators do not block: a call that the library has not taken yet is waited for here, so
// that a lost peer or an abort brings every thread back.
#include "core/cuda/nccl.h"

#include <haft/collectives.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/library.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

const Nccl& nccl() {
  static constexpr const char* kNames[] = {
      "ncclGetErrorString", "ncclGetLastError", "ncclGetUniqueId", "ncclCommInitRankConfig",
      "ncclCommFinalize",   "ncclCommDestroy",  "ncclCommAbort",   "ncclCommGetAsyncError",
      "ncclAllReduce",      "ncclReduce",       "ncclBroadcast",   "ncclAllGather",
      "ncclReduceScatter",  "ncclSend",         "ncclRecv",        "ncclGroupStart",
      "ncclGroupEnd"};
  const Nccl* table = functions_of<Nccl>(Library::nccl, kNames);
  if (!table) fail(Code::unavailable, library_facts(Library::nccl).why);
  return *table;
}

namespace {

using Clock = std::chrono::steady_clock;

struct Communicator {
  const int device, rank, size;
  std::mutex mutex;   // one operation at a time, until the library has taken it
  std::mutex asking;  // the library's short questions: who aborts frees what they read
  NcclComm comm = nullptr;
  std::atomic<bool> aborted{false};  // or destroyed: whoever sets it frees `comm`
  int failure = kNcclSuccess;        // what failed first, for every later call
  std::string text;

  Communicator(int d, int r, int n) : device(d), rank(r), size(n) {}
};

std::mutex all_mutex;
std::unordered_map<haft_raw_comm, std::shared_ptr<Communicator>>& all() {
  static auto* map = new std::unordered_map<haft_raw_comm, std::shared_ptr<Communicator>>;
  return *map;
}

std::shared_ptr<Communicator> known(haft_raw_comm raw) {
  std::lock_guard lock(all_mutex);
  const auto found = all().find(raw);
  if (found == all().end()) fail(Code::stale_handle, concat("nccl: communicator ", raw, " was destroyed"));
  return found->second;
}

Code code_of(int result) {
  return result == kNcclRemote || result == kNcclSystem ? Code::peer_lost
         : result == kNcclInvalidUsage                  ? Code::invalid_argument
                                                        : Code::device;
}

void fail_if_aborted(const Communicator& c, const char* what) {
  if (c.aborted) fail(Code::cancelled, concat("nccl: ", what, ": the group was aborted"));
}

[[noreturn]] void fail_with(Communicator& c, int result, const char* what) {
  std::lock_guard lock(c.asking);
  fail_if_aborted(c, what);
  const char* more = nccl().ncclGetLastError(c.comm);
  const std::string text = concat("nccl: ", what, ": ", nccl().ncclGetErrorString(result),
                                  more && more[0] ? ": " : "", more ? more : "");
  if (!c.failure) c.failure = result, c.text = text;
  fail(code_of(result), text);
}

// Until the library has taken what was called; a deadline of 0 is none.
void settle(Communicator& c, int result, const char* what, Clock::time_point deadline = {}) {
  for (int pause = 0; result == kNcclInProgress; ++pause) {
    if (deadline != Clock::time_point{} && Clock::now() >= deadline)
      fail(Code::timeout, concat("nccl: ", what, ": not all ranks have come in time"));
    if (pause > 100) std::this_thread::sleep_for(std::chrono::microseconds(50));
    std::lock_guard lock(c.asking);
    fail_if_aborted(c, what);
    if (const int asked = nccl().ncclCommGetAsyncError(c.comm, &result)) result = asked;
  }
  if (result) fail_with(c, result, what);
}

// Between group_begin and group_end of this thread nothing is waited for.
thread_local int group_depth = 0;
thread_local std::vector<std::shared_ptr<Communicator>> in_group;

template <class F>
int32_t call(haft_raw_comm raw, const char* what, haft_raw_stream s, char* error, uint32_t size,
             F&& f) noexcept {
  return guard(error, size, [&] {
    const std::shared_ptr<Communicator> c = known(raw);
    DeviceScope scope(c->device);
    std::lock_guard lock(c->mutex);
    fail_if_aborted(*c, what);
    if (c->failure) fail(code_of(c->failure), c->text);
    const int result = f(*c, stream_of(c->device, s));
    if (group_depth > 0) {
      if (result && result != kNcclInProgress) fail_with(*c, result, what);
      in_group.push_back(c);
    } else {
      settle(*c, result, what);
    }
  });
}

struct Elements {
  size_t count;
  int type;
};
// Elements as the library counts them; what is only moved goes as bytes where it has no such type.
Elements moved(int64_t count, int32_t dtype) {
  switch (DType(dtype)) {
    case DType::f16: return {size_t(count), kNcclF16};
    case DType::bf16: return {size_t(count), kNcclBF16};
    case DType::f32: return {size_t(count), kNcclF32};
    case DType::f64: return {size_t(count), kNcclF64};
    case DType::i32: return {size_t(count), kNcclI32};
    case DType::i64: return {size_t(count), kNcclI64};
    case DType::i8: return {size_t(count), kNcclI8};
    default: return {size_t(count * item_size(DType(dtype))), kNcclU8};
  }
}
Elements joined(int64_t count, int32_t dtype, const char* what) {
  if (DType(dtype) == DType::i16)
    fail(Code::unsupported, concat("nccl: ", what, ": joins no int16"), "convert to int32");
  if (is_float8(DType(dtype)))
    fail(Code::unsupported, concat("nccl: ", what, ": joins no ", dtype_name(DType(dtype))),
         "cast to bfloat16 or float32 first");
  return moved(count, dtype);
}
// bool counts as 0 and 1: a sum is any, a product all.
int op_of(int32_t how, int32_t dtype) {
  const bool logical = DType(dtype) == DType::boolean;
  switch (how) {
    case HAFT_COLLECTIVE_PROD: return logical ? kNcclMin : kNcclProd;
    case HAFT_COLLECTIVE_MIN: return kNcclMin;
    case HAFT_COLLECTIVE_MAX: return kNcclMax;
    case HAFT_COLLECTIVE_AVG: return kNcclAvg;
    default: return logical ? kNcclMax : kNcclSum;
  }
}

int32_t unique_id(haft_unique_id* out, char* error, uint32_t size) {
  return guard(error, size, [&] {
    NcclId id;
    if (const int r = nccl().ncclGetUniqueId(&id))
      fail(Code::device, concat("nccl: a group's id: ", nccl().ncclGetErrorString(r)));
    static_assert(sizeof id == sizeof *out);
    std::memcpy(out, &id, sizeof id);
  });
}

int32_t init(int32_t index, int32_t rank, int32_t ranks, const haft_unique_id* id, int64_t timeout_ms,
             haft_raw_comm* out, char* error, uint32_t size) {
  return guard_on(index, error, size, [&] {
    auto c = std::make_shared<Communicator>(index, rank, ranks);
    NcclId native;
    std::memcpy(&native, id, sizeof native);
    NcclConfig config;
    const Clock::time_point deadline =
        timeout_ms > 0 ? Clock::now() + std::chrono::milliseconds(timeout_ms) : Clock::time_point{};
    try {
      settle(*c, nccl().ncclCommInitRankConfig(&c->comm, ranks, native, rank, &config), "init", deadline);
    } catch (...) {
      if (c->comm) nccl().ncclCommAbort(c->comm);
      throw;
    }
    static std::atomic<haft_raw_comm> last{0};
    const haft_raw_comm raw = ++last;
    std::lock_guard lock(all_mutex);
    all().emplace(raw, c);
    *out = raw;
  });
}

void destroy(haft_raw_comm raw) {
  guard(nullptr, 0, [&] {
    const std::shared_ptr<Communicator> c = known(raw);
    {
      std::lock_guard lock(all_mutex);
      all().erase(raw);
    }
    DeviceScope scope(c->device);
    std::lock_guard lock(c->mutex);
    if (c->aborted) return;
    if (!c->failure)
      guard(nullptr, 0, [&] { settle(*c, nccl().ncclCommFinalize(c->comm), "the end of a group"); });
    std::lock_guard nobody_asks(c->asking);
    if (!c->aborted.exchange(true))
      c->failure ? nccl().ncclCommAbort(c->comm) : nccl().ncclCommDestroy(c->comm);
  });
}

int32_t abort_group(haft_raw_comm raw, char* error, uint32_t size) {
  return guard(error, size, [&] {
    const std::shared_ptr<Communicator> c = known(raw);
    std::lock_guard nobody_asks(c->asking);
    if (c->aborted.exchange(true)) return;
    if (const int r = nccl().ncclCommAbort(c->comm))
      fail(Code::device, concat("nccl: abort: ", nccl().ncclGetErrorString(r)));
  });
}

int32_t async_error(haft_raw_comm raw, int32_t* status, char* error, uint32_t size) {
  return guard(error, size, [&] {
    const std::shared_ptr<Communicator> c = known(raw);
    *status = 0;
    auto told = [&](Code code, const std::string& text) {
      *status = report(error, size, code, text.c_str());
    };
    auto tell_aborted = [&] { told(Code::cancelled, "nccl: the group was aborted"); };
    if (c->aborted) return tell_aborted();
    std::unique_lock lock(c->mutex, std::try_to_lock);
    if (!lock) return;  // somebody is inside a call, and will be told
    if (c->failure) return told(code_of(c->failure), c->text);
    std::lock_guard asking(c->asking);
    if (c->aborted) return tell_aborted();
    int result = 0;
    if (const int asked = nccl().ncclCommGetAsyncError(c->comm, &result)) result = asked;
    if (result == kNcclSuccess || result == kNcclInProgress) return;
    c->failure = result;
    c->text = concat("nccl: ", nccl().ncclGetErrorString(result));
    told(code_of(result), c->text);
  });
}

int32_t all_reduce(haft_raw_comm raw, const void* in, void* out, int64_t count, int32_t dtype, int32_t how,
                   haft_raw_stream s, char* error, uint32_t size) {
  return call(raw, "all_reduce", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = joined(count, dtype, "all_reduce");
    return nccl().ncclAllReduce(in, out, e.count, e.type, op_of(how, dtype), c.comm, stream);
  });
}
int32_t reduce(haft_raw_comm raw, const void* in, void* out, int64_t count, int32_t dtype, int32_t how,
               int32_t root, haft_raw_stream s, char* error, uint32_t size) {
  return call(raw, "reduce", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = joined(count, dtype, "reduce");
    return nccl().ncclReduce(in, out, e.count, e.type, op_of(how, dtype), root, c.comm, stream);
  });
}
int32_t broadcast(haft_raw_comm raw, const void* in, void* out, int64_t count, int32_t dtype, int32_t root,
                  haft_raw_stream s, char* error, uint32_t size) {
  return call(raw, "broadcast", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = moved(count, dtype);
    return nccl().ncclBroadcast(in, out, e.count, e.type, root, c.comm, stream);
  });
}
int32_t all_gather(haft_raw_comm raw, const void* in, void* out, int64_t count, int32_t dtype,
                   haft_raw_stream s, char* error, uint32_t size) {
  return call(raw, "all_gather", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = moved(count, dtype);
    return nccl().ncclAllGather(in, out, e.count, e.type, c.comm, stream);
  });
}
int32_t reduce_scatter(haft_raw_comm raw, const void* in, void* out, int64_t count, int32_t dtype,
                       int32_t how, haft_raw_stream s, char* error, uint32_t size) {
  return call(raw, "reduce_scatter", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = joined(count, dtype, "reduce_scatter");
    return nccl().ncclReduceScatter(in, out, e.count, e.type, op_of(how, dtype), c.comm, stream);
  });
}
// A step of sends and receives: the library has no such call in all versions.
int32_t all_to_all(haft_raw_comm raw, const void* in, void* out, int64_t count, int32_t dtype,
                   haft_raw_stream s, char* error, uint32_t size) {
  return call(raw, "all_to_all", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = moved(count, dtype);
    const int64_t part = count * item_size(DType(dtype));
    int result = nccl().ncclGroupStart();
    for (int peer = 0; peer < c.size && !result; ++peer) {
      result =
          nccl().ncclSend(static_cast<const char*>(in) + peer * part, e.count, e.type, peer, c.comm, stream);
      if (!result || result == kNcclInProgress)
        result =
            nccl().ncclRecv(static_cast<char*>(out) + peer * part, e.count, e.type, peer, c.comm, stream);
      if (result == kNcclInProgress) result = kNcclSuccess;
    }
    const int ended = nccl().ncclGroupEnd();
    return result ? result : ended;
  });
}
int32_t send(haft_raw_comm raw, const void* in, int64_t count, int32_t dtype, int32_t peer, haft_raw_stream s,
             char* error, uint32_t size) {
  return call(raw, "send", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = moved(count, dtype);
    return nccl().ncclSend(in, e.count, e.type, peer, c.comm, stream);
  });
}
int32_t recv(haft_raw_comm raw, void* out, int64_t count, int32_t dtype, int32_t peer, haft_raw_stream s,
             char* error, uint32_t size) {
  return call(raw, "recv", s, error, size, [&](Communicator& c, Stream stream) {
    const Elements e = moved(count, dtype);
    return nccl().ncclRecv(out, e.count, e.type, peer, c.comm, stream);
  });
}

int32_t group_begin(char* error, uint32_t size) {
  return guard(error, size, [&] {
    if (const int r = nccl().ncclGroupStart())
      fail(Code::device, concat("nccl: a group of calls: ", nccl().ncclGetErrorString(r)));
    ++group_depth;
  });
}
int32_t group_end(char* error, uint32_t size) {
  return guard(error, size, [&] {
    const std::vector<std::shared_ptr<Communicator>> members = std::exchange(in_group, {});
    group_depth = 0;
    const int r = nccl().ncclGroupEnd();
    if (r && r != kNcclInProgress) {
      if (!members.empty()) fail_with(*members[0], r, "a group of calls");
      fail(Code::device, concat("nccl: a group of calls: ", nccl().ncclGetErrorString(r)));
    }
    for (const std::shared_ptr<Communicator>& c : members) {
      std::lock_guard lock(c->mutex);
      settle(*c, kNcclInProgress, "a group of calls");
    }
  });
}

}  // namespace

const haft_collectives* collectives() {
  static const haft_collectives table{sizeof(haft_collectives),
                                      HAFT_COLLECTIVES_ABI,
                                      "nccl",
                                      unique_id,
                                      init,
                                      destroy,
                                      abort_group,
                                      async_error,
                                      all_reduce,
                                      reduce,
                                      broadcast,
                                      all_gather,
                                      reduce_scatter,
                                      all_to_all,
                                      send,
                                      recv,
                                      group_begin,
                                      group_end};
  return &table;
}

}  // namespace haft::cuda
