// NCCL, simulated: processes that meet in shared memory, whose calls are tasks of simulated streams. What the library
// does not promise (sizes that differ between ranks, calls in another order) shows as a rank that waits until the
// group is aborted. A task that waits for another process lets go of this one's simulation meanwhile. With
// HAFT_SIMULATED_NCCL_SETUP each kind of collective sets something up at its first use, for which the call waits
// until all ranks have called it.
#include "core/cuda/nccl.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "core/tensor/half.h"
#include "libraries.h"
#include "simulated.h"

namespace haft::cuda_on_host {

namespace {

using namespace cuda;

constexpr int kMostRanks = 8;
constexpr size_t kSlot = 64 << 10;
enum Kind { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kKinds };

struct Box {                    // from one rank to another
  std::atomic<uint32_t> bytes;  // 0: empty
  char data[kSlot];
};
struct Segment {
  std::atomic<int> come, gone;
  std::atomic<uint32_t> aborted, arrived, generation;
  std::atomic<int> set_up[kKinds];  // ranks that have used it
  char slots[kMostRanks][kSlot];
  Box boxes[kMostRanks][kMostRanks];
};

}  // namespace
}  // namespace haft::cuda_on_host

struct ncclComm {
  haft::cuda_on_host::Segment* shared;
  int rank, size;
  char name[64];
  std::atomic<int> setting_up{-1};
  bool used[haft::cuda_on_host::kKinds] = {};
};

namespace haft::cuda_on_host {

namespace {

struct Stop {};  // the group was aborted: what it was to write stays as it is

void look(const ncclComm& c) {
  if (c.shared->aborted.load()) throw Stop();
}
// Where all ranks meet; nobody waits inside of it.
class Meeting {
  uint32_t now_ = 0;

 public:
  void arrive(const ncclComm& c) {
    Segment& s = *c.shared;
    now_ = s.generation.load();
    if (s.arrived.fetch_add(1) + 1 < uint32_t(c.size)) return;
    s.arrived.store(0);
    s.generation.fetch_add(1);
  }
  bool is_over(const ncclComm& c) const {
    look(c);
    return c.shared->generation.load() != now_;
  }
};

size_t size_of(int type) {
  switch (type) {
    case kNcclI8:
    case kNcclU8: return 1;
    case kNcclF16:
    case kNcclBF16: return 2;
    case kNcclI32:
    case kNcclF32: return 4;
    default: return 8;
  }
}

template <class T, class C>
void join_as(ncclComm& c, size_t bytes, int op, char* to) {
  for (size_t i = 0; i < bytes / sizeof(T); ++i) {
    C sum{};
    for (int r = 0; r < c.size; ++r) {
      T v;
      std::memcpy(&v, c.shared->slots[r] + i * sizeof(T), sizeof v);
      const C x = C(v);
      sum = r == 0            ? x
            : op == kNcclProd ? C(sum * x)
            : op == kNcclMax  ? std::max(sum, x)
            : op == kNcclMin  ? std::min(sum, x)
                              : C(sum + x);
    }
    if (op == kNcclAvg) sum = C(sum / C(c.size));
    const T result = T(sum);
    std::memcpy(to + i * sizeof(T), &result, sizeof result);
  }
}
// What stands in the slots of all ranks, joined.
void join(ncclComm& c, size_t bytes, int type, int op, char* to) {
  switch (type) {
    case kNcclI8: return join_as<int8_t, int64_t>(c, bytes, op, to);
    case kNcclU8: return join_as<uint8_t, int64_t>(c, bytes, op, to);
    case kNcclI32: return join_as<int32_t, int64_t>(c, bytes, op, to);
    case kNcclI64: return join_as<int64_t, int64_t>(c, bytes, op, to);
    case kNcclF16: return join_as<Half, float>(c, bytes, op, to);
    case kNcclBF16: return join_as<BFloat16, float>(c, bytes, op, to);
    case kNcclF32: return join_as<float, float>(c, bytes, op, to);
    default: return join_as<double, double>(c, bytes, op, to);
  }
}

// Piece by piece, and so in each round: give(round, at, n) fills this rank's slot, take(round, at, n) reads all. A
// task in steps.
template <class Give, class Take>
struct Pieces {
  ncclComm* c;
  size_t bytes;
  int rounds;
  Give give;
  Take take;
  size_t at = 0;
  int round = 0, phase = 0;
  Meeting meeting;

  bool operator()() {
    while (bytes && round < rounds) {
      const size_t n = std::min(kSlot, bytes - at);
      if (phase == 0) give(round, at, n), meeting.arrive(*c), phase = 1;
      if (phase == 1) {
        if (!meeting.is_over(*c)) return false;
        take(round, at, n), meeting.arrive(*c), phase = 2;
      }
      if (!meeting.is_over(*c)) return false;
      phase = 0;
      at += n;
      if (at == bytes) at = 0, ++round;
    }
    return true;
  }
};

struct Message {
  ncclComm* comm;
  const char* from;
  char* to;
  size_t bytes, done;
  int peer;

  // One step, if the other side lets it.
  bool move() {
    Segment& s = *comm->shared;
    Box& box = from ? s.boxes[comm->rank][peer] : s.boxes[peer][comm->rank];
    if (from) {
      if (box.bytes.load()) return false;
      const size_t n = std::min(kSlot, bytes - done);
      std::memcpy(box.data, from + done, n);
      done += n;
      box.bytes.store(uint32_t(n));
    } else {
      const uint32_t n = box.bytes.load();
      if (!n) return false;
      std::memcpy(to + done, box.data, n);
      done += n;
      box.bytes.store(0);
    }
    return true;
  }
};
bool run_messages(std::vector<Message>& all) {
  for (bool moved = true; moved;) {
    bool open = moved = false;
    for (size_t i = 0; i < all.size(); ++i) {
      Message& m = all[i];
      if (m.done == m.bytes) continue;
      open = true;
      const bool behind = std::any_of(all.begin(), all.begin() + ptrdiff_t(i), [&](const Message& other) {
        // On the same way, which keeps their order.
        return other.done < other.bytes && other.peer == m.peer && !other.from == !m.from;
      });
      if (!behind) moved |= m.move();
    }
    if (!open) return true;
  }
  look(*all[0].comm);
  return false;
}

template <class F>
int later(Stream s, F step) {
  std::lock_guard guard(lock());  // groups call from threads of their own, while others wait for streams
  give_meeting(s, [step]() mutable {
    try {
      return step();
    } catch (const Stop&) {
      return true;
    }
  });
  return kNcclInProgress;  // as communicators that do not block answer
}
template <class Give, class Take>
int collective(NcclComm c, Kind kind, size_t bytes, Stream s, Give give, Take take, int rounds = 1) {
  if (std::getenv("HAFT_SIMULATED_NCCL_SETUP") && !std::exchange(c->used[kind], true)) {
    c->shared->set_up[kind].fetch_add(1);
    c->setting_up.store(kind);
  }
  return later(s, Pieces<Give, Take>{c, bytes, rounds, give, take});
}

thread_local int depth = 0;
thread_local std::vector<Message> grouped;
thread_local Stream group_stream = nullptr;

const char* error_string(int result) {
  return result == kNcclInvalidUsage ? "invalid usage"
         : result == kNcclSystem     ? "system error"
                                     : "simulated error";
}
const char* last_error(NcclComm) { return ""; }

int unique_id(NcclId* id) {
  std::memset(id->bytes, 0, sizeof id->bytes);
  std::snprintf(id->bytes, 64, "/haft-nccl-%d-%08x", int(getpid()), std::random_device{}());
  return 0;
}
int init(NcclComm* out, int ranks, NcclId id, int rank, NcclConfig* config) {
  if (ranks < 1 || ranks > kMostRanks || rank < 0 || rank >= ranks || config->magic != 0xcafebeef)
    return kNcclInvalidUsage;
  const int file = shm_open(id.bytes, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(Segment)) != 0) return kNcclSystem;
  void* p = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (p == MAP_FAILED) return kNcclSystem;
  auto* c = new ncclComm{static_cast<Segment*>(p), rank, ranks, {}, {-1}, {}};
  std::memcpy(c->name, id.bytes, sizeof c->name);
  c->shared->come.fetch_add(1);
  *out = c;
  return kNcclInProgress;
}
int async_error(NcclComm c, int* result) {
  const int kind = c->setting_up.load();
  const bool waits =
      c->shared->come.load() < c->size || (kind >= 0 && c->shared->set_up[kind].load() < c->size);
  *result = c->shared->aborted.load() ? kNcclRemote : waits ? kNcclInProgress : kNcclSuccess;
  return 0;
}
int finalize(NcclComm) { return kNcclSuccess; }
int destroy(NcclComm c) {
  if (c->shared->gone.fetch_add(1) + 1 == c->size) shm_unlink(c->name);
  // Tasks may still look at it, so that a simulation keeps communicators, where who looks for leaks finds them.
  static std::mutex mutex;
  static auto& kept = *new std::vector<NcclComm>;
  std::lock_guard guard(mutex);
  kept.push_back(c);
  return 0;
}
int abort_comm(NcclComm c) {
  c->shared->aborted.store(1);
  return destroy(c);
}

int all_reduce(const void* in, void* out, size_t count, int type, int op, NcclComm c, Stream s) {
  auto* from = static_cast<const char*>(in);
  auto* to = static_cast<char*>(out);
  return collective(
      c, kAllReduce, count * size_of(type), s,
      [=](int, size_t at, size_t n) { std::memcpy(c->shared->slots[c->rank], from + at, n); },
      [=](int, size_t at, size_t n) { join(*c, n, type, op, to + at); });
}
int reduce(const void* in, void* out, size_t count, int type, int op, int root, NcclComm c, Stream s) {
  auto* from = static_cast<const char*>(in);
  auto* to = static_cast<char*>(out);
  return collective(
      c, kReduce, count * size_of(type), s,
      [=](int, size_t at, size_t n) { std::memcpy(c->shared->slots[c->rank], from + at, n); },
      [=](int, size_t at, size_t n) {
        if (c->rank == root) join(*c, n, type, op, to + at);
      });
}
int broadcast(const void* in, void* out, size_t count, int type, int root, NcclComm c, Stream s) {
  auto* from = static_cast<const char*>(in);
  auto* to = static_cast<char*>(out);
  return collective(
      c, kBroadcast, count * size_of(type), s,
      [=](int, size_t at, size_t n) {
        if (c->rank == root) std::memcpy(c->shared->slots[root], from + at, n);
      },
      [=](int, size_t at, size_t n) { std::memcpy(to + at, c->shared->slots[root], n); });
}
int all_gather(const void* in, void* out, size_t count, int type, NcclComm c, Stream s) {
  auto* from = static_cast<const char*>(in);
  auto* to = static_cast<char*>(out);
  const size_t part = count * size_of(type);
  return collective(
      c, kAllGather, part, s,
      [=](int, size_t at, size_t n) { std::memcpy(c->shared->slots[c->rank], from + at, n); },
      [=](int, size_t at, size_t n) {
        for (int r = 0; r < c->size; ++r) std::memcpy(to + size_t(r) * part + at, c->shared->slots[r], n);
      });
}
int reduce_scatter(const void* in, void* out, size_t count, int type, int op, NcclComm c, Stream s) {
  auto* from = static_cast<const char*>(in);
  auto* to = static_cast<char*>(out);
  const size_t part = count * size_of(type);
  return collective(
      c, kReduceScatter, part, s,
      [=](int target, size_t at, size_t n) {
        std::memcpy(c->shared->slots[c->rank], from + size_t(target) * part + at, n);
      },
      [=](int target, size_t at, size_t n) {
        if (c->rank == target) join(*c, n, type, op, to + at);
      },
      c->size);
}
int message(const void* from, void* to, size_t count, int type, int peer, NcclComm c, Stream s) {
  grouped.push_back(
      {c, static_cast<const char*>(from), static_cast<char*>(to), count * size_of(type), 0, peer});
  group_stream = s;
  if (depth > 0) return kNcclInProgress;
  return later(s, [all = std::exchange(grouped, {})]() mutable { return run_messages(all); });
}
int send(const void* from, size_t count, int type, int peer, NcclComm c, Stream s) {
  return message(from, nullptr, count, type, peer, c, s);
}
int recv(void* to, size_t count, int type, int peer, NcclComm c, Stream s) {
  return message(nullptr, to, count, type, peer, c, s);
}
int group_start() {
  ++depth;
  return 0;
}
int group_end() {
  if (--depth > 0 || grouped.empty()) return 0;
  return later(group_stream, [all = std::exchange(grouped, {})]() mutable { return run_messages(all); });
}
int version(int* v) {
  *v = 22809;
  return 0;
}

}  // namespace

void* nccl_function(const char* name) {
  static const struct {
    const char* name;
    void* f;
  } all[] = {{"ncclGetVersion", reinterpret_cast<void*>(version)},
             {"ncclGetErrorString", reinterpret_cast<void*>(error_string)},
             {"ncclGetLastError", reinterpret_cast<void*>(last_error)},
             {"ncclGetUniqueId", reinterpret_cast<void*>(unique_id)},
             {"ncclCommInitRankConfig", reinterpret_cast<void*>(init)},
             {"ncclCommFinalize", reinterpret_cast<void*>(finalize)},
             {"ncclCommDestroy", reinterpret_cast<void*>(destroy)},
             {"ncclCommAbort", reinterpret_cast<void*>(abort_comm)},
             {"ncclCommGetAsyncError", reinterpret_cast<void*>(async_error)},
             {"ncclAllReduce", reinterpret_cast<void*>(all_reduce)},
             {"ncclReduce", reinterpret_cast<void*>(reduce)},
             {"ncclBroadcast", reinterpret_cast<void*>(broadcast)},
             {"ncclAllGather", reinterpret_cast<void*>(all_gather)},
             {"ncclReduceScatter", reinterpret_cast<void*>(reduce_scatter)},
             {"ncclSend", reinterpret_cast<void*>(send)},
             {"ncclRecv", reinterpret_cast<void*>(recv)},
             {"ncclGroupStart", reinterpret_cast<void*>(group_start)},
             {"ncclGroupEnd", reinterpret_cast<void*>(group_end)}};
  for (const auto& entry : all)
    if (std::strcmp(entry.name, name) == 0) return entry.f;
  return nullptr;
}

}  // namespace haft::cuda_on_host
