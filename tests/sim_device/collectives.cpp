// Collectives between simulated devices of one process. A call waits, as a task of its stream, until the same
// call of all ranks has come; the last one to come does the work of all.
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "sim.h"

namespace sim {

namespace {

constexpr int64_t kItemSize[] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 0, 0, 1, 1};  // 0: there is no such type

// What one rank brings to one call.
struct Part {
  std::string what;  // equal on all ranks: the call with its count, dtype, ...
  const char* in;
  char* out;
};
// Does the work of all ranks; their parts stand by rank.
using Together = std::function<void(const std::vector<Part>&)>;

struct Meeting {
  std::vector<Part> parts;
  size_t come = 0;
  bool done = false;
};

struct Group {
  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> devices;  // by rank; -1: has not come
  int come = 0;
  std::map<uint64_t, Meeting> meetings;                               // by the number of the call
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> mail;  // from, to
  int32_t status = 0;                                                 // what failed, for all ranks
  std::string text;

  explicit Group(int n) : size(n), devices(size_t(n), -1) {}

  void fail(int32_t code, const std::string& why) {
    std::lock_guard lock(mutex);
    if (!status) status = code, text = why;
    changed.notify_all();
  }

  void meet(int rank, uint64_t number, const Part& part, const Together& together) {
    std::unique_lock lock(mutex);
    if (status) return;
    Meeting& m = meetings[number];
    m.parts.resize(size_t(size));
    m.parts[size_t(rank)] = part;
    if (++m.come == size_t(size)) {
      for (const Part& p : m.parts)
        if (p.what != part.what) {
          status = kInvalidArgument;
          text = "ranks call different things: " + part.what + " and " + p.what;
          changed.notify_all();
          return;
        }
      together(m.parts);
      m.done = true;
      changed.notify_all();
    } else {
      changed.wait(lock, [&] { return m.done || status; });
    }
    if (--m.come == 0) meetings.erase(number);
  }
};
using GroupRef = std::shared_ptr<Group>;

struct Comm {
  GroupRef group;
  int device, rank;
  uint64_t next = 0;  // number of its next call
};

struct State {
  std::mutex mutex;
  std::map<haft_raw_comm, std::shared_ptr<Comm>> comms;
  std::map<std::array<unsigned char, 128>, std::weak_ptr<Group>> groups;
  uint64_t next = 1;
};
State& state() {
  static State* s = new State;
  return *s;
}

// Ranks that one thread joins between group_begin and group_end wait for the others only at the end.
struct Step {
  int depth = 0;
  std::vector<std::pair<GroupRef, int64_t>> joined;  // and the time to wait
};
thread_local Step step;

std::shared_ptr<Comm> find(haft_raw_comm id) {
  std::lock_guard lock(state().mutex);
  auto it = state().comms.find(id);
  if (it == state().comms.end())
    throw Failure{kInvalidArgument, "sim has no communicator " + std::to_string(id)};
  return it->second;
}

std::shared_ptr<Comm> working(haft_raw_comm id) {
  std::shared_ptr<Comm> c = find(id);
  check_index(c->device);
  throw_if_failed(c->device);
  std::lock_guard lock(c->group->mutex);
  if (c->group->status) throw Failure{c->group->status, c->group->text};
  return c;
}

void wait_for_all(Group& g, int64_t timeout_ms) {
  std::unique_lock lock(g.mutex);
  auto all = [&] { return g.come == g.size || g.status; };
  if (timeout_ms <= 0)
    g.changed.wait(lock, all);
  else if (!g.changed.wait_for(lock, std::chrono::milliseconds(timeout_ms), all))
    throw Failure{kTimeout, std::to_string(g.come) + " of " + std::to_string(g.size) + " ranks came in " +
                                std::to_string(timeout_ms) + " ms"};
  if (g.status) throw Failure{g.status, g.text};
}

template <class T>
void reduce_as(int how, const std::vector<Part>& parts, int64_t from, int64_t count, char* out) {
  std::vector<T> sum(static_cast<size_t>(count));
  for (size_t r = 0; r < parts.size(); ++r)
    for (int64_t i = 0; i < count; ++i) {
      T v, &s = sum[size_t(i)];
      std::memcpy(&v, parts[r].in + (from + i) * int64_t(sizeof(T)), sizeof v);
      s = r == 0                        ? v
          : how == HAFT_COLLECTIVE_PROD ? T(s * v)
          : how == HAFT_COLLECTIVE_MIN  ? std::min(s, v)
          : how == HAFT_COLLECTIVE_MAX  ? std::max(s, v)
                                        : T(s + v);
    }
  if (how == HAFT_COLLECTIVE_AVG)
    for (T& s : sum) s = T(s / T(parts.size()));
  std::memcpy(out, sum.data(), size_t(count) * sizeof(T));
}

using Reduce = void (*)(int how, const std::vector<Part>& parts, int64_t from, int64_t count, char* out);
Reduce reduction(int32_t dtype, int32_t how) {
  const bool floating = dtype == HAFT_FLOAT32 || dtype == HAFT_FLOAT64;
  if (how < 0 || how > HAFT_COLLECTIVE_AVG || (how == HAFT_COLLECTIVE_AVG && !floating))
    throw Failure{kInvalidArgument,
                  "reduction " + std::to_string(how) + " of dtype " + std::to_string(dtype)};
  switch (dtype) {
    case HAFT_FLOAT32: return reduce_as<float>;
    case HAFT_FLOAT64: return reduce_as<double>;
    case HAFT_INT32: return reduce_as<int32_t>;
    case HAFT_INT64: return reduce_as<int64_t>;
    case HAFT_UINT8: return reduce_as<uint8_t>;
    default:
      throw Failure{kUnsupported, "sim reduces float32, float64, uint8, int32 and int64, not dtype " +
                                      std::to_string(dtype)};
  }
}

int64_t item_size(int32_t dtype) {
  if (dtype <= 0 || dtype > HAFT_FLOAT8_E5M2 || !kItemSize[dtype])
    throw Failure{kInvalidArgument, "there is no dtype " + std::to_string(dtype)};
  return kItemSize[dtype];
}

// Enqueues one rank's part of a call. Counts are in elements.
int32_t call(haft_raw_comm id, const char* name, const std::string& details, const void* in, int64_t n_in,
             void* out, int64_t n_out, int32_t dtype, haft_raw_stream s, char* error, uint32_t size,
             const std::function<Together(int ranks, int64_t item)>& make) {
  return guarded(error, size, [&] {
    std::shared_ptr<Comm> c = working(id);
    if (n_in < 0 || n_out < 0) throw Failure{kInvalidArgument, std::string(name) + " of a negative count"};
    const int64_t item = item_size(dtype);
    Range from, to;
    std::string what = std::string(name) + " of " + std::to_string(n_in) + " elements of dtype " +
                       std::to_string(dtype) + details;
    if (in) from = translate(c->device, in, 0, n_in * item, what + ": in");
    if (out) to = translate(c->device, out, 0, n_out * item, what + ": out");
    Together together = make(c->group->size, item);
    uint64_t number = c->next++;
    Part part{what, from.real, to.real};
    enqueue(c->device, s, [c, number, part, together, keep = std::pair(from.block, to.block)] {
      c->group->meet(c->rank, number, part, together);
    });
  });
}

int32_t c_unique_id(haft_unique_id* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    std::lock_guard lock(state().mutex);
    std::memset(out->bytes, 0, sizeof out->bytes);
    std::snprintf(reinterpret_cast<char*>(out->bytes), sizeof out->bytes, "sim group %llu",
                  static_cast<unsigned long long>(state().next++));
  });
}

int32_t c_init(int32_t index, int32_t rank, int32_t ranks, const haft_unique_id* id, int64_t timeout_ms,
               haft_raw_comm* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    if (ranks < 1 || rank < 0 || rank >= ranks)
      throw Failure{kInvalidArgument, "rank " + std::to_string(rank) + " of " + std::to_string(ranks)};
    std::array<unsigned char, 128> key;
    std::copy(id->bytes, id->bytes + 128, key.begin());
    GroupRef group;
    haft_raw_comm made;
    {
      std::lock_guard lock(state().mutex);
      group = state().groups[key].lock();
      if (!group) state().groups[key] = group = std::make_shared<Group>(ranks);
      std::lock_guard inner(group->mutex);
      if (group->size != ranks) throw Failure{kInvalidArgument, "ranks disagree on the size of their group"};
      if (group->devices[size_t(rank)] >= 0)
        throw Failure{kInvalidArgument, "rank " + std::to_string(rank) + " came twice"};
      if (std::count(group->devices.begin(), group->devices.end(), index))
        throw Failure{kInvalidArgument, "sim:" + std::to_string(index) + " is a rank of the group already"};
      group->devices[size_t(rank)] = index;
      made = state().next++;
      state().comms[made] = std::make_shared<Comm>(Comm{group, index, rank});
      if (++group->come == ranks) group->changed.notify_all();
    }
    if (step.depth)
      step.joined.push_back({group, timeout_ms});
    else
      wait_for_all(*group, timeout_ms);
    *out = made;
  });
}

void c_destroy(haft_raw_comm id) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    std::shared_ptr<Comm> c = find(id);
    bool aborted;
    {
      std::lock_guard lock(c->group->mutex);
      aborted = c->group->status != 0;
    }
    if (!aborted) synchronize_device(c->device);
    std::lock_guard lock(state().mutex);
    state().comms.erase(id);
  });
}

int32_t c_abort(haft_raw_comm id, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    std::shared_ptr<Comm> c = find(id);
    c->group->fail(kCancelled, "the group was aborted by rank " + std::to_string(c->rank));
  });
}

int32_t c_async_error(haft_raw_comm id, int32_t* status, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    std::shared_ptr<Comm> c = find(id);
    std::lock_guard lock(c->group->mutex);
    *status = c->group->status;
    if (*status && size) std::snprintf(error, size, "%s", c->group->text.c_str());
  });
}

int32_t c_all_reduce(haft_raw_comm id, const void* in, void* out, int64_t n, int32_t dtype, int32_t how,
                     haft_raw_stream s, char* error, uint32_t size) {
  return call(id, "all_reduce", ", how " + std::to_string(how), in, n, out, n, dtype, s, error, size,
              [=](int, int64_t item) -> Together {
                Reduce reduce = reduction(dtype, how);
                return [=](const std::vector<Part>& parts) {
                  std::vector<char> all(size_t(n * item));
                  reduce(how, parts, 0, n, all.data());
                  for (const Part& p : parts) std::memcpy(p.out, all.data(), all.size());
                };
              });
}

int32_t c_reduce(haft_raw_comm id, const void* in, void* out, int64_t n, int32_t dtype, int32_t how,
                 int32_t root, haft_raw_stream s, char* error, uint32_t size) {
  return call(id, "reduce", ", how " + std::to_string(how) + ", root " + std::to_string(root), in, n, out,
              out ? n : 0, dtype, s, error, size, [=](int, int64_t) -> Together {
                Reduce reduce = reduction(dtype, how);
                return [=](const std::vector<Part>& parts) {
                  reduce(how, parts, 0, n, parts[size_t(root)].out);
                };
              });
}

int32_t c_broadcast(haft_raw_comm id, const void* in, void* out, int64_t n, int32_t dtype, int32_t root,
                    haft_raw_stream s, char* error, uint32_t size) {
  return call(id, "broadcast", ", root " + std::to_string(root), in, n, out, n, dtype, s, error, size,
              [=](int, int64_t item) -> Together {
                return [=](const std::vector<Part>& parts) {
                  for (const Part& p : parts) std::memmove(p.out, parts[size_t(root)].in, size_t(n * item));
                };
              });
}

int32_t c_all_gather(haft_raw_comm id, const void* in, void* out, int64_t n, int32_t dtype, haft_raw_stream s,
                     char* error, uint32_t size) {
  return guarded(error, size, [&] {
    const int ranks = working(id)->group->size;
    int32_t status = call(id, "all_gather", "", in, n, out, n * ranks, dtype, s, error, size,
                          [=](int, int64_t item) -> Together {
                            return [=](const std::vector<Part>& parts) {
                              std::vector<char> all;
                              for (const Part& p : parts) all.insert(all.end(), p.in, p.in + n * item);
                              for (const Part& p : parts) std::memcpy(p.out, all.data(), all.size());
                            };
                          });
    if (status) throw Failure{status, error};
  });
}

int32_t c_reduce_scatter(haft_raw_comm id, const void* in, void* out, int64_t n, int32_t dtype, int32_t how,
                         haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    const int ranks = working(id)->group->size;
    int32_t status =
        call(id, "reduce_scatter", ", how " + std::to_string(how), in, n * ranks, out, n, dtype, s, error,
             size, [=](int, int64_t item) -> Together {
               Reduce reduce = reduction(dtype, how);
               return [=](const std::vector<Part>& parts) {
                 std::vector<char> all(size_t(n * ranks * item));
                 reduce(how, parts, 0, n * ranks, all.data());
                 for (size_t r = 0; r < parts.size(); ++r)
                   std::memcpy(parts[r].out, all.data() + int64_t(r) * n * item, size_t(n * item));
               };
             });
    if (status) throw Failure{status, error};
  });
}

int32_t c_all_to_all(haft_raw_comm id, const void* in, void* out, int64_t n, int32_t dtype, haft_raw_stream s,
                     char* error, uint32_t size) {
  return guarded(error, size, [&] {
    const int ranks = working(id)->group->size;
    int32_t status = call(id, "all_to_all", "", in, n * ranks, out, n * ranks, dtype, s, error, size,
                          [=](int, int64_t item) -> Together {
                            return [=](const std::vector<Part>& parts) {
                              std::vector<std::vector<char>> all(parts.size());
                              for (size_t to = 0; to < parts.size(); ++to)
                                for (const Part& p : parts)
                                  all[to].insert(all[to].end(), p.in + int64_t(to) * n * item,
                                                 p.in + int64_t(to + 1) * n * item);
                              for (size_t r = 0; r < parts.size(); ++r)
                                std::memcpy(parts[r].out, all[r].data(), all[r].size());
                            };
                          });
    if (status) throw Failure{status, error};
  });
}

void check_peer(const Comm& c, int32_t peer) {
  if (peer < 0 || peer >= c.group->size || peer == c.rank)
    throw Failure{kInvalidArgument,
                  "rank " + std::to_string(c.rank) + " has no peer " + std::to_string(peer)};
}

int32_t c_send(haft_raw_comm id, const void* in, int64_t n, int32_t dtype, int32_t peer, haft_raw_stream s,
               char* error, uint32_t size) {
  return guarded(error, size, [&] {
    std::shared_ptr<Comm> c = working(id);
    check_peer(*c, peer);
    const int64_t bytes = n * item_size(dtype);
    Range from = translate(c->device, in, 0, bytes, "what is sent");
    enqueue(c->device, s, [=] {
      std::lock_guard lock(c->group->mutex);
      c->group->mail[{c->rank, peer}].emplace_back(from.real, from.real + bytes);
      c->group->changed.notify_all();
    });
  });
}

int32_t c_recv(haft_raw_comm id, void* out, int64_t n, int32_t dtype, int32_t peer, haft_raw_stream s,
               char* error, uint32_t size) {
  return guarded(error, size, [&] {
    std::shared_ptr<Comm> c = working(id);
    check_peer(*c, peer);
    const int64_t bytes = n * item_size(dtype);
    Range to = translate(c->device, out, 0, bytes, "where it is received");
    enqueue(c->device, s, [=] {
      Group& g = *c->group;
      std::unique_lock lock(g.mutex);
      auto& box = g.mail[{peer, c->rank}];
      g.changed.wait(lock, [&] { return !box.empty() || g.status; });
      if (box.empty()) return;
      if (int64_t(box.front().size()) != bytes) {
        g.status = kInvalidArgument;
        g.text = "rank " + std::to_string(c->rank) + " receives " + std::to_string(bytes) + " bytes, rank " +
                 std::to_string(peer) + " sent " + std::to_string(box.front().size());
        g.changed.notify_all();
        return;
      }
      std::memcpy(to.real, box.front().data(), size_t(bytes));
      box.pop_front();
    });
  });
}

int32_t c_group_begin(char*, uint32_t) {
  ++step.depth;
  return 0;
}

int32_t c_group_end(char* error, uint32_t size) {
  return guarded(error, size, [&] {
    if (!step.depth) throw Failure{kInvalidArgument, "group_end without group_begin"};
    if (--step.depth) return;
    auto joined = std::move(step.joined);
    step.joined.clear();
    for (auto& [group, timeout_ms] : joined) wait_for_all(*group, timeout_ms);
  });
}

}  // namespace

void abandon_collectives() {
  std::lock_guard lock(state().mutex);
  for (auto& [id, comm] : state().comms) comm->group->fail(kCancelled, "the process ends");
}

const haft_collectives* collectives() {
  static const haft_collectives table = {sizeof(haft_collectives),
                                         HAFT_COLLECTIVES_ABI,
                                         "sim",
                                         c_unique_id,
                                         c_init,
                                         c_destroy,
                                         c_abort,
                                         c_async_error,
                                         c_all_reduce,
                                         c_reduce,
                                         c_broadcast,
                                         c_all_gather,
                                         c_reduce_scatter,
                                         c_all_to_all,
                                         c_send,
                                         c_recv,
                                         c_group_begin,
                                         c_group_end};
  return &table;
}

}  // namespace sim
