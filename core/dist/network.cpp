// The transport over an engine's mesh (haft/mesh.h). What is pushed at once is one message in one slot; besides the two
// streams each pair of ranks has two lanes of one slot each: the call that a rank is in, told when it has to wait,
// and the last thing that it says, why the group fails or that it leaves.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>

#include "core/base/descriptor.h"
#include "core/base/fork.h"
#include "core/base/log.h"
#include "core/base/processors.h"
#include "core/dist/bell.h"
#include "core/dist/engines.h"
#include "core/dist/shared_memory.h"

namespace haft::dist {

namespace {

constexpr int kNews = kChannels, kFarewell = kNews + 1, kLanes = kFarewell + 1;
constexpr int kCallsKept = 16;
constexpr size_t kTextRoom = 1500;
constexpr int64_t kPatience = 20000000;    // ns in a call until the others are told of it
constexpr int64_t kLinger = 10 * kSecond;  // that what was sent may take to reach peers when this rank leaves
// Ns that who waits for an engine without a thread asks it before he sleeps.
constexpr int64_t kPolling = 200000;
constexpr int64_t kMillisecond = 1000000;
constexpr int kSlots = 8;

// Begins each message of a stream. The bytes lie in their slot as far behind it as they do behind a multiple of 32 of
// their stream, so that elements which are aligned there are so here.
struct Segment {
  uint64_t bytes;
  uint64_t shift;
  uint64_t from;  // bytes of the stream before
  uint64_t zero;
};
static_assert(sizeof(Segment) == 32);
struct Farewell {
  uint64_t sent[kChannels];  // messages of its streams to this peer, which may come later; of who leaves
  int32_t code;              // 0: it leaves
  int32_t culprit;
  uint32_t length;
  char text[kTextRoom];
};

// Larger steps are fewer messages, smaller ones less memory where there are many ranks.
size_t step_bytes(int size) {
  size_t bytes = 256 << 10;
  while (bytes > 16 << 10 && bytes * size_t(size) * kSlots * 4 > 256 << 20) bytes /= 2;
  return bytes;
}

struct Plan {
  haft_mesh_lane lanes[kLanes];
  uint64_t peer_bytes = 0;
  explicit Plan(int size) {
    auto lane = [&](int l, int slots, uint64_t bytes) {
      lanes[l] = {slots, 0, (bytes + 63) / 64 * 64, peer_bytes};
      peer_bytes += uint64_t(slots) * lanes[l].slot_bytes;
    };
    lane(kCollective, kSlots, step_bytes(size) + 64);
    lane(kDirect, kSlots, step_bytes(size) + 64);
    lane(kNews, 1, sizeof(Header));
    lane(kFarewell, 1, sizeof(Farewell));
    peer_bytes = (peer_bytes + 4095) / 4096 * 4096;
  }
};

// What ranks tell each other through the store before they are connected.
struct Seat {
  unsigned char token[16] = {};  // rank 0's counts
  bool chosen = false;
  std::string address, place, host;
};

// Two ranks of one place reach each other at the loopback address.
std::string own_place() {
  char boot[64] = "";
  Descriptor file(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (!file || read(file.get(), boot, sizeof boot - 1) < 0) gethostname(boot, sizeof boot - 1);
  struct stat net = {};
  if (stat("/proc/self/ns/net", &net) != 0) net.st_ino = 0;
  return concat(std::string_view(boot).substr(0, 36), "/", uint64_t(net.st_ino));
}

std::vector<Seat> call_roll(Store& store, int rank, int size, const Seat& mine, Deadline deadline) {
  auto key = [](int r) { return concat("seat/", r); };
  std::string value(reinterpret_cast<const char*>(mine.token), sizeof mine.token);
  value += concat(mine.chosen ? "+" : "-", mine.address, "\n", mine.place, "\n", mine.host);
  store.set(key(rank), value);
  std::vector<Seat> seats(size_t(size), mine);
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    try {
      value = store.get(key(r), deadline);
    } catch (const Error& e) {
      if (e.code != Code::timeout) throw;
      std::vector<int64_t> missing;
      for (int p = 0; p < size; ++p)
        if (const std::string keys[] = {key(p)}; !store.check(keys)) missing.push_back(p);
      fail(Code::timeout,
           concat(size - int(missing.size()), " of ", size,
                  " ranks have come to the group, missing are ranks ", missing, "; waited ",
                  deadline.given_text()),
           "start all ranks, with the same store and size, or give a longer timeout");
    }
    if (value.starts_with('!'))
      fail(Code::unavailable,
           concat("rank ", r, " cannot join the group: ", std::string_view(value).substr(1)));
    Seat& s = seats[size_t(r)];
    const size_t end = value.find('\n', sizeof s.token), end_of_place = value.find('\n', end + 1);
    if (value.size() < sizeof s.token + 2 || end == value.npos || end_of_place == value.npos)
      fail(Code::corrupt, concat("the store ", store.name(), " holds no seat of rank ", r));
    std::memcpy(s.token, value.data(), sizeof s.token);
    s.chosen = value[sizeof s.token] == '+';
    s.address = value.substr(sizeof s.token + 1, end - sizeof s.token - 1);
    s.place = value.substr(end + 1, end_of_place - end - 1);
    s.host = value.substr(end_of_place + 1);
  }
  return seats;
}

struct Hosts {
  // Of each rank its host; empty: one has all. Of each of this host its place there, or -1.
  std::vector<int> numbers, within;
  int ranks_here = 0;
};
Hosts find_hosts(const std::vector<Seat>& seats, int rank) {
  Hosts h;
  int count = 0;
  for (const Seat& s : seats) {
    size_t first = 0;  // rank of that host
    while (seats[first].host != s.host) ++first;
    h.numbers.push_back(first < h.numbers.size() ? h.numbers[first] : count++);
    h.within.push_back(s.host == seats[size_t(rank)].host ? h.ranks_here++ : -1);
  }
  if (count == 1) h.numbers.clear();
  return h;
}

class Network final : public Transport {
  struct Stream {
    uint64_t slots = 0;  // used so far
    uint64_t bytes = 0;  // in them, but for the one that is being read
    size_t at = 0;       // of the slot that is being read
  };
  struct Peer {
    Stream out[kChannels], in[kChannels];
    uint64_t lent = 0;               // slots of collectives until all that was lent is sent; 0: all is
    std::byte* landed[kSlots] = {};  // of collectives: where a message lies instead of its slot
    // Under the mutex of what is expected:
    uint64_t expected = 0, expected_end = 0;  // bytes of the stream
    std::byte* expected_at = nullptr;
    // Under the mutex:
    uint64_t told = 0, told_seq = 0;  // calls of this rank
    uint64_t news = 0;
    bool bade_farewell = false, left = false;
    uint64_t last[kChannels] = {};  // messages of who has left
    uint64_t started = 0;
    Header calls[kCallsKept];
  };

  const haft_mesh_engine& engine_;
  const Ref<Transport> local_;     // of the ranks of this host; may be none
  const std::vector<int> within_;  // of each rank: which of those it is, or -1
  const Plan plan_;
  const size_t step_;
  const bool crowded_;  // more ranks here than processors
  const uint32_t fork_generation_ = fork_generation();
  std::byte* memory_ = nullptr;
  haft_mesh* mesh_ = nullptr;
  Bell own_bell_{};
  std::vector<Peer> peers_;
  std::atomic<uint32_t> looked_{0};
  std::atomic<bool> dead_{false};
  std::mutex expected_mutex_;
  bool expects_ = false;  // of the thread that is in a collective
  std::mutex mutex_;
  Failure failure_;
  bool left_ = false;
  std::atomic<int64_t> began_{INT64_MAX};  // the call that others may be told of

  // While the mesh is opened.
  Store* store_ = nullptr;
  Deadline deadline_;
  std::exception_ptr error_;

  size_t memory_bytes() const { return 2 * size_t(size) * plan_.peer_bytes; }
  std::byte* slot(std::byte* base, int peer, int lane, uint64_t number) const {
    const haft_mesh_lane& l = plan_.lanes[lane];
    return base + size_t(peer) * plan_.peer_bytes + l.offset + number % uint64_t(l.slots) * l.slot_bytes;
  }
  std::byte* outgoing(int peer, int lane, uint64_t number) const { return slot(memory_, peer, lane, number); }
  std::byte* incoming(int peer, int lane, uint64_t number) const {
    return slot(memory_ + size_t(size) * plan_.peer_bytes, peer, lane, number);
  }
  bool is_threadless() const { return engine_.progress && !engine_.rest; }
  bool is_near(int peer) const { return local_ && within_[size_t(peer)] >= 0; }
  bool is_free(int peer, int lane, uint64_t used) const {
    return used - engine_.sent(mesh_, peer, lane) < uint64_t(plan_.lanes[lane].slots);
  }
  void send(int peer, int lane, uint64_t number, size_t bytes) {
    // Of failures life() tells.
    engine_.send(mesh_, peer, lane, int32_t(number % uint64_t(plan_.lanes[lane].slots)), bytes);
  }
  void post(int peer, int lane, uint64_t number) {
    engine_.post(mesh_, peer, lane, int32_t(number % uint64_t(plan_.lanes[lane].slots)));
  }

  Segment begin_message(int peer, Channel c, size_t bytes) {
    if (!hosts.empty() && hosts[size_t(peer)] != hosts[size_t(rank)])
      bytes_across.fetch_add(bytes, std::memory_order_relaxed);
    Stream& s = peers_[size_t(peer)].out[c];
    const Segment head{bytes, s.bytes & 31, s.bytes, 0};
    std::memcpy(outgoing(peer, c, s.slots), &head, sizeof head);
    s.bytes += bytes;
    return head;
  }

  void note(int peer, const Header& h) {
    Peer& p = peers_[size_t(peer)];
    if (h.magic != kMagic) return;
    p.calls[h.seq % kCallsKept] = h;
    p.started = std::max(p.started, h.seq);
  }

  // Reads what has come on the lanes beside the streams.
  void look_locked() {
    for (int r = 0; r < size; ++r) {
      Peer& p = peers_[size_t(r)];
      if (r == rank) continue;
      if (engine_.received(mesh_, r, kNews) > p.news) {
        Header h;
        std::memcpy(static_cast<void*>(&h), incoming(r, kNews, p.news), sizeof h);
        note(r, h);
        post(r, kNews, p.news++);
      }
      if (p.bade_farewell || !engine_.received(mesh_, r, kFarewell)) continue;
      p.bade_farewell = true;
      Farewell f;
      std::memcpy(&f, incoming(r, kFarewell, 0), sizeof f);
      p.left = f.code == 0;
      std::copy(f.sent, f.sent + kChannels, p.last);
      if (p.left || dead_) continue;
      failure_ = {is_failure(f.code) ? Code(f.code) : Code::peer_lost,
                  f.culprit >= 0 && f.culprit < size ? f.culprit : r,
                  std::string(f.text, std::min<size_t>(f.length, kTextRoom))};
      die_locked();
      bell->ring();
    }
  }

  // Of `failure_`, which somebody else has told. Where an end is seen at once it is passed on: others may find this
  // rank gone before they hear of that one. An engine without a thread sees none, and keeps the slots of what nobody
  // takes any more.
  void die_locked() noexcept {
    dead_.store(true, std::memory_order_release);
    if (is_threadless()) bid_farewell_locked(int32_t(failure_.code), failure_.culprit, failure_.text);
  }

  // Once to each peer, so that its slot is there.
  void bid_farewell_locked(int32_t code, int32_t culprit, std::string_view text) noexcept {
    if (std::exchange(left_, true)) return;
    size_t n = std::min(text.size(), kTextRoom);
    while (n && n < text.size() && (text[n] & 0xc0) == 0x80) --n;  // no half of a character
    for (int r = 0; r < size; ++r) {
      if (r == rank) continue;
      auto& f = *reinterpret_cast<Farewell*>(outgoing(r, kFarewell, 0));
      // Else another thread may send.
      for (int c = 0; c < kChannels && !code; ++c) f.sent[c] = peers_[size_t(r)].out[c].slots;
      f.code = code;
      f.culprit = culprit;
      f.length = uint32_t(n);
      text.copy(f.text, n);
      send(r, kFarewell, 0, offsetof(Farewell, text) + n);
    }
  }

  // Who waits for long tells all others in what.
  void tell_call() {
    std::lock_guard lock(mutex_);
    Peer& mine = peers_[size_t(rank)];
    bool all = true;
    for (int r = 0; r < size; ++r) {
      Peer& p = peers_[size_t(r)];
      if (r == rank || p.told_seq == mine.started) continue;
      if (!is_free(r, kNews, p.told)) {
        all = false;
        continue;
      }
      std::memcpy(outgoing(r, kNews, p.told), &mine.calls[mine.started % kCallsKept], sizeof(Header));
      send(r, kNews, p.told++, sizeof(Header));
      p.told_seq = mine.started;
    }
    if (all) began_.store(INT64_MAX, std::memory_order_relaxed);
  }

  bool has_unsent() {
    for (int r = 0; r < size; ++r) {
      if (r == rank || life(r) == Life::ended) continue;
      const Peer& p = peers_[size_t(r)];
      {
        std::lock_guard lock(mutex_);
        if (p.left) continue;  // and reads nothing any more
      }
      for (int c = 0; c < kChannels; ++c)
        if (engine_.sent(mesh_, r, c) < p.out[c].slots) return true;
    }
    return false;
  }

  void* place(int peer, int lane, int slot, const void* first, uint64_t bytes, uint64_t* head) noexcept {
    if (lane != kCollective) return nullptr;
    Segment s;
    std::memcpy(&s, first, sizeof s);
    *head = sizeof s + s.shift;
    if (s.shift > 31 || bytes != *head + s.bytes) return nullptr;
    std::lock_guard lock(expected_mutex_);
    Peer& p = peers_[size_t(peer)];
    if (s.from < p.expected || s.from > p.expected_end || s.bytes > p.expected_end - s.from) return nullptr;
    return p.landed[slot] = p.expected_at + (s.from - p.expected);
  }

  static int32_t guarded(void* host, const std::function<void(Network&)>& f) noexcept {
    auto& n = *static_cast<Network*>(host);
    try {
      f(n);
      return 0;
    } catch (const Error& e) {
      n.error_ = std::current_exception();
      return int32_t(e.code);
    } catch (...) {
      n.error_ = std::current_exception();
      return int32_t(Code::out_of_memory);
    }
  }

 public:
  Network(const haft_mesh_engine& engine, int r, int n, Ref<Transport> local, std::vector<int> within,
          std::vector<int> on_hosts)
      : Transport(r, n),
        engine_(engine),
        local_(std::move(local)),
        within_(std::move(within)),
        plan_(n),
        step_(step_bytes(n)),
        crowded_((on_hosts.empty() ? n : std::count(on_hosts.begin(), on_hosts.end(), on_hosts[size_t(r)])) >
                 processors()),
        peers_(size_t(n)) {
    bell = local_ ? local_->bell : &own_bell_;
    hosts = std::move(on_hosts);
    void* p = mmap(nullptr, memory_bytes(), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      fail(Code::out_of_memory,
           concat("no ", memory_bytes(), " bytes of memory for a group of ", n, " ranks"));
    memory_ = static_cast<std::byte*>(p);
  }
  ~Network() override {
    if (fork_generation_ != fork_generation()) return;  // connections and their thread are the parent's
    if (mesh_ && engine_.close(mesh_, kSecond)) return;
    munmap(memory_, memory_bytes());
  }

  void open(Store& store, const std::string& address, const unsigned char* token, Deadline deadline) {
    store_ = &store;
    deadline_ = deadline;
    haft_mesh_options o{};
    o.struct_size = sizeof o;
    o.rank = rank;
    o.size = size;
    o.lane_count = kLanes;
    o.lanes = plan_.lanes;
    o.outgoing = reinterpret_cast<unsigned char*>(memory_);
    o.incoming = reinterpret_cast<unsigned char*>(memory_) + size_t(size) * plan_.peer_bytes;
    o.peer_bytes = plan_.peer_bytes;
    o.address = address.c_str();
    std::memcpy(o.token, token, sizeof o.token);
    o.timeout_ns = deadline.left();
    o.host = this;
    o.set = [](void* host, const char* key, const void* bytes, uint64_t count) {
      return guarded(host, [&](Network& n) {
        n.store_->set(key, {static_cast<const char*>(bytes), size_t(count)});
      });
    };
    o.get = [](void* host, const char* key, void* bytes, uint64_t room, uint64_t* count) {
      return guarded(host, [&](Network& n) {
        const std::string value = n.store_->get(key, n.deadline_);
        *count = value.size();
        std::memcpy(bytes, value.data(), std::min<size_t>(room, value.size()));
      });
    };
    o.place = [](void* host, int32_t peer, int32_t lane, int32_t slot, const void* first, uint64_t bytes,
                 uint64_t* head) {
      return static_cast<Network*>(host)->place(peer, lane, slot, first, bytes, head);
    };
    o.ring = [](void* host) { static_cast<Network*>(host)->bell->ring(); };
    char reason[1000] = "";
    const int32_t status = engine_.open(&o, &mesh_, reason, sizeof reason);
    store_ = nullptr;
    if (!status) return;
    mesh_ = nullptr;
    if (error_) std::rethrow_exception(std::exchange(error_, {}));
    reason[sizeof reason - 1] = 0;
    fail(Code(status), concat("the engine \"", engine_.name, "\" does not connect the ranks: ", reason));
  }

  const char* name() const override { return engine_.name; }
  size_t step(int peer) const override { return is_near(peer) ? local_->step(0) : step_; }

  std::span<std::byte> room(int peer, Channel c) override {
    if (is_near(peer)) return local_->room(within_[size_t(peer)], c);
    Stream& s = peers_[size_t(peer)].out[c];
    if (!is_free(peer, c, s.slots)) return {};
    const size_t before = sizeof(Segment) + (s.bytes & 31);
    return {outgoing(peer, c, s.slots) + before, plan_.lanes[c].slot_bytes - before};
  }
  void push(int peer, Channel c, size_t bytes) override {
    if (is_near(peer)) return local_->push(within_[size_t(peer)], c, bytes);
    Stream& s = peers_[size_t(peer)].out[c];
    const Segment head = begin_message(peer, c, bytes);
    send(peer, c, s.slots++, sizeof head + head.shift + bytes);
  }
  bool lend(int peer, Channel c, const std::byte* data, size_t bytes) override {
    if (!engine_.send_from || is_near(peer)) return false;
    Peer& p = peers_[size_t(peer)];
    Stream& s = p.out[c];
    if (!is_free(peer, c, s.slots)) return false;
    const Segment head = begin_message(peer, c, bytes);
    engine_.send_from(mesh_, peer, c, int32_t(s.slots++ % uint64_t(plan_.lanes[c].slots)),
                      sizeof head + head.shift, data, bytes);
    p.lent = s.slots;
    return true;
  }
  bool has_lent(int peer) override {
    Peer& p = peers_[size_t(peer)];
    if (p.lent && engine_.sent(mesh_, peer, kCollective) >= p.lent) p.lent = 0;
    if (p.lent && engine_.is_lost(mesh_, peer)) engine_.keep(mesh_, peer, kCollective), p.lent = 0;
    return p.lent;
  }
  void keep_lent() noexcept override {
    for (int r = 0; r < size; ++r)
      if (std::exchange(peers_[size_t(r)].lent, 0)) engine_.keep(mesh_, r, kCollective);
  }
  std::span<const std::byte> waiting(int peer, Channel c) override {
    if (is_near(peer)) return local_->waiting(within_[size_t(peer)], c);
    Stream& s = peers_[size_t(peer)].in[c];
    if (engine_.received(mesh_, peer, c) == s.slots) return {};
    const std::byte* at = incoming(peer, c, s.slots);
    Segment head;
    std::memcpy(&head, at, sizeof head);
    const size_t room = plan_.lanes[c].slot_bytes - sizeof head;
    // Another process wrote nonsense.
    if (head.shift > 31 || head.bytes > room - head.shift || head.bytes < s.at) return {};
    if (const std::byte* there = c == kCollective ? peers_[size_t(peer)].landed[s.slots % kSlots] : nullptr) {
      if (head.from != s.bytes) return {};
      return {there + s.at, size_t(head.bytes) - s.at};
    }
    return {at + sizeof head + head.shift + s.at, size_t(head.bytes) - s.at};
  }
  void pop(int peer, Channel c, size_t bytes) override {
    if (is_near(peer)) return local_->pop(within_[size_t(peer)], c, bytes);
    Stream& s = peers_[size_t(peer)].in[c];
    Segment head;
    std::memcpy(&head, incoming(peer, c, s.slots), sizeof head);
    s.at += bytes;
    if (s.at < head.bytes) return;
    s.at = 0;
    s.bytes += head.bytes;
    if (c == kCollective) peers_[size_t(peer)].landed[s.slots % kSlots] = nullptr;
    post(peer, c, s.slots++);
  }
  void expect(int peer, size_t ahead, std::byte* at, size_t bytes) override {
    if (!engine_.take_back || is_near(peer)) return;
    std::lock_guard lock(expected_mutex_);
    Peer& p = peers_[size_t(peer)];
    p.expected = p.in[kCollective].bytes + p.in[kCollective].at + ahead;
    p.expected_end = p.expected + bytes;
    p.expected_at = at;
    expects_ = true;
  }
  void forget() noexcept override {
    if (!std::exchange(expects_, false)) return;
    for (int r = 0; r < size; ++r) {
      Peer& p = peers_[size_t(r)];
      {
        std::lock_guard lock(expected_mutex_);
        if (!std::exchange(p.expected_at, nullptr)) continue;
        p.expected = p.expected_end = 0;
      }
      if (const int slot = engine_.take_back(mesh_, r, kCollective); slot >= 0) p.landed[slot] = nullptr;
    }
  }

  bool carry(uint32_t seen) override {
    if (!engine_.rest) return false;
    for (int64_t until = 0;;) {
      if (engine_.progress(mesh_)) {
        bell->ring();  // others wait, too
        return true;
      }
      if (bell->now() != seen) return true;
      if (crowded_) break;
      sched_yield();
      if (!until)
        until = now_ns() + kPolling;
      else if (now_ns() > until)
        break;
    }
    // Ranks of this host ring the bell, which is not heard here.
    if (!local_ && engine_.await && engine_.await(mesh_, kMillisecond)) return true;
    rest();
    return false;
  }
  void carry_on() override {
    if (engine_.rest && engine_.progress(mesh_)) bell->ring();
  }
  void rest() noexcept override {
    if (engine_.rest) engine_.rest(mesh_);
  }
  void wait(uint32_t seen, int64_t until) override {
    const int64_t began = began_.load(std::memory_order_relaxed);
    if (began != INT64_MAX && now_ns() - began > kPatience) tell_call();
    if (!is_threadless()) return bell->wait(seen, until, 0);
    // Nobody moves anything but who calls the engine.
    const int64_t polled = now_ns() + kPolling;
    for (int i = 1; now_ns() < polled; ++i) {
      if (engine_.progress(mesh_)) return bell->ring();
      if (bell->now() != seen) return;
      if (crowded_ || i % 16 == 0) sched_yield();  // to who waits for the engine's lock, too
    }
    bell->wait(seen, std::min(until, now_ns() + 50000), 0);
  }

  void announce(const Header& call) override {
    std::lock_guard lock(mutex_);
    note(rank, call);
    began_.store(now_ns(), std::memory_order_relaxed);
  }
  void heard(int peer, const Header& call) override {
    std::lock_guard lock(mutex_);
    note(peer, call);
  }
  uint64_t started(int peer) override {
    std::lock_guard lock(mutex_);
    return peers_[size_t(peer)].started;
  }
  bool announced(int peer, uint64_t seq, Header* call) override {
    std::lock_guard lock(mutex_);
    const Header& h = peers_[size_t(peer)].calls[seq % kCallsKept];
    if (!seq || h.seq != seq) return false;
    *call = h;
    return true;
  }

  void fail_all(const Failure& why) noexcept override {
    std::lock_guard lock(mutex_);
    if (!dead_) {
      failure_.code = why.code;
      failure_.culprit = why.culprit;
      try {
        failure_.text = why.text;
      } catch (...) {  // no memory for it: the others are told
      }
      dead_.store(true, std::memory_order_release);
      bid_farewell_locked(int32_t(why.code), why.culprit, why.text);
    }
    if (local_) local_->fail_all(failure_);  // which is faster than the network
    bell->ring();
  }
  bool aborted(Failure* why) override {
    const uint32_t now = bell->now();
    if (!dead_.load(std::memory_order_acquire) && looked_.exchange(now) != now) {
      std::lock_guard lock(mutex_);
      look_locked();
    }
    if (Failure near; local_ && !dead_.load(std::memory_order_acquire) && local_->aborted(&near)) {
      std::lock_guard lock(mutex_);
      if (!dead_.load(std::memory_order_relaxed)) {
        failure_ = std::move(near);
        die_locked();
      }
    }
    if (!dead_.load(std::memory_order_acquire)) return false;
    if (why) {
      std::lock_guard lock(mutex_);
      *why = failure_;
    }
    return true;
  }
  Life life(int peer) override {
    const bool lost = engine_.is_lost(mesh_, peer);
    std::lock_guard lock(mutex_);
    Peer& p = peers_[size_t(peer)];
    if (lost && !p.bade_farewell) look_locked();
    bool all_here = true;
    for (int c = 0; c < kChannels; ++c) all_here &= engine_.received(mesh_, peer, c) >= p.last[c];
    return p.left && (all_here || lost) ? Life::left : lost ? Life::ended : Life::there;
  }
  // Comes back when the peers have what was sent them, or do not take it.
  void leave() noexcept override {
    {
      std::lock_guard lock(mutex_);
      bid_farewell_locked(0, -1, {});
    }
    const int64_t until = now_ns() + kLinger;
    while (now_ns() < until) {
      const uint32_t seen = bell->now();
      if (aborted(nullptr) || !has_unsent()) return;
      wait(seen, until);
    }
  }
};

}  // namespace

Ref<Transport> make_network(const std::string& engine, Store& store, int rank, int size,
                            const std::string& host, Deadline deadline) {
  PrefixStore own("net", Ref<Store>::share(&store));
  try {
    const haft_mesh_engine& e = mesh_engine(engine);
    Seat mine;
    mine.address = own_address(store.host(), &mine.chosen, deadline);
    mine.place = own_place();
    mine.host = host.empty() ? mine.place : host;
    if (getrandom(mine.token, sizeof mine.token, 0) != ssize_t(sizeof mine.token))
      fail(Code::unavailable, concat("getrandom: ", strerror(errno)));
    mine.token[0] &= 0x1f;  // not the mark of who cannot join
    const std::vector<Seat> seats = call_roll(own, rank, size, mine, deadline);
    bool one_place = true;
    for (const Seat& s : seats) one_place &= s.place == mine.place;
    for (int r = 0; r < size && !one_place; ++r)
      if (const std::string& a = seats[size_t(r)].address; a.starts_with("127.") || a == "::1")
        fail(Code::unavailable,
             concat("ranks are on several machines, but rank ", r, " has no address but ", a,
                    ", which others do not reach"),
             "name its network interface in HAFT_SOCKET_IFNAME");
    Hosts on = find_hosts(seats, rank);
    Ref<Transport> local;
    if (!on.numbers.empty() && on.ranks_here > 1) {
      PrefixStore shared(concat("host/", on.numbers[size_t(rank)]), Ref<Store>::share(&own));
      try {
        local = make_shared_memory(shared, on.within[size_t(rank)], on.ranks_here, {}, deadline, size);
      } catch (const Error& e) {
        if (e.code != Code::unavailable) throw;
        log_warning("the ranks of this host use the network: ", e.message);
      }
    }
    auto network =
        make_ref<Network>(e, rank, size, std::move(local), std::move(on.within), std::move(on.numbers));
    network->open(own, one_place && !mine.chosen ? "127.0.0.1" : mine.address, seats[0].token, deadline);
    return network;
  } catch (const Error& e) {
    try {
      if (e.code != Code::timeout) own.set(concat("seat/", rank), concat("!", e.message));
    } catch (...) {  // a store that is gone tells them by itself, and is not what happened first here
    }
    throw;
  }
}

}  // namespace haft::dist
