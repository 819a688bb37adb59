// libhaft_gloo.so: Gloo's mesh of TCP connections as an engine of process groups (haft/mesh.h). Gloo connects, and
// its thread reads and writes; here a lane is a pair of its buffers, whose receives are always posted before anything
// can come.
#include <haft/mesh.h>
#include <haft/types.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <thread>
#include <vector>

#include "core/gloo/pair.h"

using namespace haft::gloo_engine;
using Clock = std::chrono::steady_clock;

namespace {

// Gloo's thread takes its time slice instead of interrupting whoever computes, and the host's signals are not its.
std::shared_ptr<tcp::Device> make_device(const std::string& address) {
  std::shared_ptr<tcp::Device> device;
  std::exception_ptr error;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([&] {
      try {
        const sched_param none{};
        sched_setscheduler(0, SCHED_BATCH, &none);  // which the thread that it starts inherits
        tcp::attr where(address.c_str());
        device = std::make_shared<tcp::Device>(tcp::CreateDeviceAttr(where));
      } catch (...) {
        error = std::current_exception();
      }
    }).join();
  } catch (...) {
    error = std::current_exception();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error) std::rethrow_exception(error);
  return device;
}

// One device, which is one thread, an address. A process that was forked has none of its parent's.
std::shared_ptr<tcp::Device> device_at(const std::string& address) {
  struct Known {
    pid_t process;
    std::weak_ptr<tcp::Device> device;
  };
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, Known>;
  std::lock_guard<std::mutex> lock(mutex);
  Known& k = known[address];
  if (auto there = k.process == getpid() ? k.device.lock() : nullptr) return there;
  auto device = make_device(address);
  k = {getpid(), device};
  return device;
}

struct Failed {
  int32_t status;
  std::string why;
};

}  // namespace

struct haft_mesh final : Owner {
  const haft_mesh_options o;
  const std::vector<haft_mesh_lane> lanes;
  std::mutex mutex;
  std::condition_variable news;  // of connections, while they are made
  std::shared_ptr<Context> context;
  std::vector<std::unique_ptr<Lane>> out, in;  // by peer and lane

  explicit haft_mesh(const haft_mesh_options& given)
      : o(given), lanes(given.lanes, given.lanes + given.lane_count), out(places()), in(places()) {
    std::memcpy(hello.token, o.token, sizeof hello.token);
    hello.from = o.rank;
  }
  ~haft_mesh() override {
    Pair* any = nullptr;
    each([&](int p) { (any = &context->pair(p))->shut(); });
    if (any) any->settle();
    out.clear();
    in.clear();
  }

  size_t places() const { return size_t(o.size) * lanes.size(); }
  size_t place(int peer, int lane) const { return size_t(peer) * lanes.size() + size_t(lane); }
  template <class F>
  void each(F&& f) {
    if (context)
      for (int p = 0; p < o.size; ++p)
        if (p != o.rank && context->getPair(p)) f(p);
  }

  void changed() noexcept override {
    news.notify_all();
    o.ring(o.host);
  }

  char* place(const Lane& lane, const char* first, size_t bytes, size_t* head) noexcept override {
    uint64_t own = 0;
    if (!o.place) return nullptr;
    void* at = o.place(o.host, lane.peer, lane.number, lane.slot_at(first - static_cast<char*>(lane.ptr)),
                       first, bytes, &own);
    *head = own;
    return static_cast<char*>(at);
  }

  void connect() {
    const auto until =
        Clock::now() + std::chrono::nanoseconds(std::min<int64_t>(o.timeout_ns, int64_t(1) << 60));
    context = std::make_shared<Context>(device_at(o.address), o.rank, o.size, *this);
    context->setTimeout(std::chrono::hours(1));
    // Each pair listens at a port of its own: a rank tells each other one where.
    std::vector<std::vector<char>> mine(size_t(o.size), std::vector<char>());
    size_t bytes = 0;
    for (int p = 0; p < o.size; ++p) {
      if (p == o.rank) continue;
      mine[size_t(p)] = context->createPair(p)->address().bytes();
      bytes = mine[size_t(p)].size();
    }
    std::string all;
    for (const auto& a : mine) all.append(a.data(), a.size()).append(bytes - a.size(), '\0');
    check(o.set(o.host, key(o.rank).c_str(), all.data(), all.size()));
    for (int p = 0; p < o.size; ++p) {
      if (p == o.rank) continue;
      uint64_t count = 0;
      std::string theirs(bytes * size_t(o.size), '\0');
      check(o.get(o.host, key(p).c_str(), theirs.data(), theirs.size(), &count));
      if (count != theirs.size())
        throw Failed{HAFT_ERROR_MISMATCH,
                     "rank " + std::to_string(p) + " is of another version of haft, or of Gloo"};
      const char* at = theirs.data() + size_t(o.rank) * bytes;
      context->pair(p).begin({at, at + bytes});
    }
    await(until);
    for (int p = 0; p < o.size; ++p) {
      if (p == o.rank) continue;
      for (int l = 0; l < o.lane_count; ++l) {
        const haft_mesh_lane& lane = lanes[size_t(l)];
        const uint64_t at = uint64_t(p) * o.peer_bytes + lane.offset;
        out[place(p, l)] =
            std::make_unique<Lane>(context, p, l, o.outgoing + at, size_t(lane.slots), lane.slot_bytes);
        in[place(p, l)] =
            std::make_unique<Lane>(context, p, l, o.incoming + at, size_t(lane.slots), lane.slot_bytes);
        for (int s = 0; s < lane.slots; ++s) post(p, l, s);
      }
    }
  }

  static std::string key(int rank) { return "gloo/" + std::to_string(rank); }
  static void check(int32_t status) {
    if (status) throw Failed{status, ""};  // the store has told
  }

  void await(Clock::time_point until) {
    for (;;) {
      std::string absent;
      each([&](int p) {
        Pair& pair = context->pair(p);
        if (pair.is_lost())
          throw Failed{HAFT_ERROR_PEER_LOST,
                       "the connection to rank " + std::to_string(p) + " failed: " + pair.why_lost()};
        if (!pair.is_connected()) absent += (absent.empty() ? "" : ", ") + std::to_string(p);
      });
      if (absent.empty()) return;
      if (Clock::now() >= until)
        throw Failed{HAFT_ERROR_TIMEOUT, "no connection between rank " + std::to_string(o.rank) + " at " +
                                             o.address + " and ranks " + absent};
      std::unique_lock<std::mutex> lock(mutex);
      news.wait_for(lock, std::chrono::milliseconds(1));
    }
  }

  void post(int peer, int lane, int slot) {
    const uint64_t size = lanes[size_t(lane)].slot_bytes;
    in[place(peer, lane)]->recv(peer, uint64_t(lane), uint64_t(slot) * size, size);
  }
  void send(int peer, int lane, int slot, uint64_t bytes) {
    Lane& l = *out[place(peer, lane)];
    l.given.fetch_add(1, std::memory_order_relaxed);
    l.send(peer, uint64_t(lane), uint64_t(slot) * lanes[size_t(lane)].slot_bytes, bytes);
    context->pair(peer).push();
  }

  bool has_unsent() {
    bool any = false;
    each([&](int p) {
      Pair& pair = context->pair(p);
      if (any || pair.is_lost() || !out[place(p, 0)]) return;
      for (int l = 0; l < o.lane_count; ++l) {
        Lane& lane = *out[place(p, l)];
        any |= lane.sent() < lane.given.load(std::memory_order_relaxed);
      }
      any = any || pair.unsent() > 0;
    });
    return any;
  }
};

namespace {

void tell(char* reason, uint32_t size, const std::string& text) {
  if (!size) return;
  const size_t n = std::min<size_t>(text.size(), size - 1);
  std::memcpy(reason, text.data(), n);
  reason[n] = 0;
}

int32_t open(const haft_mesh_options* options, haft_mesh** out, char* reason, uint32_t reason_size) {
  std::unique_ptr<haft_mesh> m;
  try {
    m = std::make_unique<haft_mesh>(*options);
    m->connect();
    *out = m.release();
    return HAFT_OK;
  } catch (const Failed& f) {
    tell(reason, reason_size, f.why);
    return f.status;
  } catch (const std::bad_alloc&) {
    return HAFT_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    tell(reason, reason_size, std::string("Gloo: ") + e.what());
    return HAFT_ERROR_UNAVAILABLE;
  }
}

int32_t close(haft_mesh* m, int64_t linger_ns) {
  const auto until = Clock::now() + std::chrono::nanoseconds(linger_ns);
  while (Clock::now() < until && m->has_unsent()) usleep(200);
  delete m;
  return HAFT_OK;
}

// What Gloo says of a broken connection is_lost tells, too.
template <class F>
int32_t guarded(F&& f) {
  try {
    f();
    return HAFT_OK;
  } catch (const std::exception&) {
    return HAFT_ERROR_PEER_LOST;
  }
}
int32_t post(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot) {
  return guarded([&] { m->post(peer, lane, slot); });
}
int32_t send(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot, uint64_t bytes) {
  return guarded([&] { m->send(peer, lane, slot, bytes); });
}
uint64_t sent(haft_mesh* m, int32_t peer, int32_t lane) { return m->out[m->place(peer, lane)]->sent(); }
uint64_t received(haft_mesh* m, int32_t peer, int32_t lane) {
  return m->in[m->place(peer, lane)]->received();
}
int32_t progress(haft_mesh* m) {
  bool moved = false;
  m->each([&](int p) { moved |= m->context->pair(p).drive(); });
  return moved;
}
void rest(haft_mesh* m) {
  m->each([&](int p) { m->context->pair(p).rest(); });
}
int32_t await(haft_mesh* m, int64_t ns) {
  constexpr size_t kMost = 256;  // more peers than that are looked at now and then
  pollfd fds[kMost];
  size_t count = 0;
  m->each([&](int p) {
    if (count < kMost && m->context->pair(p).watch(fds[count])) ++count;
  });
  const timespec t{time_t(ns / 1000000000), long(ns % 1000000000)};
  return count && ppoll(fds, count, &t, nullptr) > 0;
}
int32_t send_from(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot, uint64_t head, const void* data,
                  uint64_t bytes) {
  m->out[m->place(peer, lane)]->lend(slot, head, data, bytes);
  return send(m, peer, lane, slot, head + bytes);
}
void keep(haft_mesh* m, int32_t peer, int32_t lane) {
  m->context->pair(peer).keep(*m->out[m->place(peer, lane)]);
}
int32_t take_back(haft_mesh* m, int32_t peer, int32_t lane) {
  Lane& l = *m->in[m->place(peer, lane)];
  return l.slot_at(m->context->pair(peer).take_back(l));
}
int32_t is_lost(haft_mesh* m, int32_t peer) { return m->context->pair(peer).is_lost(); }

constexpr haft_mesh_engine kEngine = {sizeof(haft_mesh_engine),
                                      HAFT_MESH_ABI,
                                      "gloo",
                                      open,
                                      close,
                                      post,
                                      send,
                                      sent,
                                      received,
                                      is_lost,
                                      progress,
                                      rest,
                                      await,
                                      send_from,
                                      keep,
                                      take_back};

}  // namespace

extern "C" __attribute__((visibility("default"))) const haft_mesh_engine* haft_mesh_entry(const char*, char*,
                                                                                          uint32_t) {
  return &kEngine;
}
