#include "core/dist/shared_memory.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/base/processors.h"
#include "core/dist/bell.h"

namespace haft::dist {

namespace {

constexpr int kCallsKept = 16;
constexpr size_t kTextRoom = 1500;
// Who waits spins while the ranks have a processor each, and lets others compute where they share one: a turn costs
// less than to be woken.
constexpr int kGlances = 15;              // before it is asked whose processor this is
constexpr int kSpins = 3000;              // about 150 us
constexpr int64_t kYields = 100000;       // ns
constexpr int64_t kStay = 10000000;       // ns between moves to another processor
constexpr int64_t kSlice = Bell::kSlice;  // ns that who sleeps does not look whether peers are alive

// All of the following lies in the shared memory, and starts as zeros.
struct Board {  // of one rank
  Bell bell;
  alignas(64) std::atomic<uint32_t> left;
  std::atomic<int32_t> processor;  // where it waited last, and 1; 0: it has not
  std::atomic<uint64_t> started;
  std::atomic<uint64_t> calls[kCallsKept][sizeof(Header) / 8];
};
struct Ring {
  alignas(64) std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
};
struct Segment {
  alignas(64) std::atomic<uint32_t> claimed;  // by the rank below this; 0: none
  std::atomic<uint32_t> aborted;
  int32_t code, culprit;
  char text[kTextRoom];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// Rings that stay in a processor's caches; fewer bytes each where there are many of them. Where others compute, too,
// each full ring costs a turn of the scheduler.
size_t ring_bytes(int size) {
  size_t bytes = size_t(size <= 4 ? 1024 : 256) << 10;
  while (bytes > 16 << 10 && bytes * size_t(size) * size_t(size) > 64 << 20) bytes /= 2;
  return bytes;
}

struct Layout {
  size_t boards, rings, data, total, ring;
  explicit Layout(int size) {
    const size_t n = size_t(size), streams = n * n * kChannels;
    ring = ring_bytes(size);
    boards = sizeof(Segment);
    rings = boards + n * sizeof(Board);
    data = (rings + streams * sizeof(Ring) + 4095) / 4096 * 4096;
    total = data + streams * ring;
  }
};

class SharedMemory final : public Transport {
  const int world_;
  const Layout layout_;
  Shared shared_;
  std::byte* at_;
  const bool crowded_;
  const int fair_share_;  // ranks of a processor
  std::atomic<int64_t> moved_{0};
  std::atomic<int64_t> looked_{0};
  std::vector<std::atomic<bool>> ended_;

  Segment& segment() { return *reinterpret_cast<Segment*>(at_); }
  Board& board(int r) { return reinterpret_cast<Board*>(at_ + layout_.boards)[r]; }
  size_t stream(int from, int to, Channel c) const {
    return (size_t(from) * size_t(size) + size_t(to)) * kChannels + c;
  }
  Ring& ring(size_t s) { return reinterpret_cast<Ring*>(at_ + layout_.rings)[s]; }
  std::byte* data(size_t s) { return at_ + layout_.data + s * layout_.ring; }

  void call(int peer) { board(peer).bell.ring(); }

 public:
  SharedMemory(int r, int n, int world, Shared shared)
      : Transport(r, n),
        world_(world),
        layout_(n),
        shared_(std::move(shared)),
        crowded_(n > processors()),
        fair_share_((n + processors() - 1) / processors()),
        ended_(size_t(n)) {
    void* p = mmap(nullptr, layout_.total, PROT_READ | PROT_WRITE, MAP_SHARED, shared_.memory.get(), 0);
    if (p == MAP_FAILED)
      fail(Code::out_of_memory,
           concat("cannot map ", layout_.total, " bytes of shared memory: ", strerror(errno)));
    at_ = static_cast<std::byte*>(p);
    bell = &board(rank).bell;
  }
  ~SharedMemory() override { munmap(at_, layout_.total); }
  const char* name() const override { return "shm"; }
  // Nobody works meanwhile where ranks take turns.
  size_t step(int) const override { return crowded_ ? 256 << 10 : 64 << 10; }

  std::span<std::byte> room(int peer, Channel c) override {
    const size_t s = stream(rank, peer, c);
    const uint64_t written = ring(s).written.load(std::memory_order_relaxed);
    const uint64_t used = written - ring(s).read.load(std::memory_order_acquire);
    if (used > layout_.ring) return {};  // another process wrote nonsense
    const size_t at = written & (layout_.ring - 1);
    return {data(s) + at, std::min<size_t>(layout_.ring - used, layout_.ring - at)};
  }
  void push(int peer, Channel c, size_t bytes) override {
    auto& written = ring(stream(rank, peer, c)).written;
    written.store(written.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
    call(peer);
  }
  std::span<const std::byte> waiting(int peer, Channel c) override {
    const size_t s = stream(peer, rank, c);
    const uint64_t read = ring(s).read.load(std::memory_order_relaxed);
    const uint64_t there = ring(s).written.load(std::memory_order_acquire) - read;
    if (there > layout_.ring) return {};
    const size_t at = read & (layout_.ring - 1);
    return {data(s) + at, std::min<size_t>(there, layout_.ring - at)};
  }
  void pop(int peer, Channel c, size_t bytes) override {
    auto& read = ring(stream(peer, rank, c)).read;
    read.store(read.load(std::memory_order_relaxed) + bytes, std::memory_order_release);
    call(peer);
  }

  void wait(uint32_t seen, int64_t until) override {
    if (!crowded_ && bell->spin(seen, kGlances)) return;
    const bool turns = shares_processor() || crowded_;
    bell->wait(seen, until, turns ? 0 : kSpins, turns ? kYields : 0);
  }
  // Who lets others compute hardly sleeps, so the system leaves ranks that wait for each other together, and other
  // processors idle: those of higher numbers leave.
  bool shares_processor() {
    const int32_t here = sched_getcpu() + 1;
    board(rank).processor.store(here, std::memory_order_relaxed);
    int lower = 0, others = 0;
    for (int r = 0; here && r < size; ++r) {
      if (r == rank || board(r).processor.load(std::memory_order_relaxed) != here) continue;
      ++others;
      lower += r < rank;
    }
    if (lower < fair_share_) return others;
    const int64_t now = now_ns();
    if (now - moved_.load(std::memory_order_relaxed) < kStay) return true;
    moved_.store(now, std::memory_order_relaxed);
    if (!leave_processor(2)) return true;
    board(rank).processor.store(sched_getcpu() + 1, std::memory_order_relaxed);
    return false;
  }

  void announce(const Header& h) override {
    Board& b = board(rank);
    uint64_t words[sizeof(Header) / 8];
    std::memcpy(words, &h, sizeof h);
    // Who reads a word of this call where an old one stood sees `started` as high as it was set for the last one.
    std::atomic_thread_fence(std::memory_order_release);
    for (size_t i = 0; i < std::size(words); ++i)
      b.calls[h.seq % kCallsKept][i].store(words[i], std::memory_order_relaxed);
    b.started.store(h.seq, std::memory_order_release);
  }
  uint64_t started(int peer) override { return board(peer).started.load(std::memory_order_acquire); }
  bool announced(int peer, uint64_t seq, Header* h) override {
    Board& b = board(peer);
    if (b.started.load(std::memory_order_acquire) < seq) return false;
    uint64_t words[sizeof(Header) / 8];
    for (size_t i = 0; i < std::size(words); ++i)
      words[i] = b.calls[seq % kCallsKept][i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (b.started.load(std::memory_order_relaxed) + 1 >= seq + kCallsKept)
      return false;  // perhaps written over
    std::memcpy(static_cast<void*>(h), words, sizeof *h);
    return true;
  }

  void fail_all(const Failure& why) noexcept override {
    Segment& s = segment();
    uint32_t writer = 0;
    if (s.claimed.compare_exchange_strong(writer, uint32_t(rank) + 1, std::memory_order_acq_rel)) {
      size_t n = std::min(why.text.size(), kTextRoom - 1);
      while (n && n < why.text.size() && (why.text[n] & 0xc0) == 0x80) --n;  // no half of a character
      std::memcpy(s.text, why.text.data(), n);
      s.code = int32_t(why.code);
      s.culprit = why.culprit;
      s.aborted.store(1, std::memory_order_release);
    } else {  // somebody is writing his reason, when the system lets him, or was killed doing so
      const int64_t until = now_ns() + kSecond;
      const auto is_ended = [&] { return writer <= uint32_t(size) && life(int(writer) - 1) == Life::ended; };
      while (!s.aborted.load(std::memory_order_acquire) && now_ns() < until && !is_ended()) usleep(100);
      s.aborted.store(1, std::memory_order_release);
    }
    for (int r = 0; r < size; ++r) call(r);
  }
  bool aborted(Failure* why) override {
    Segment& s = segment();
    if (!s.aborted.load(std::memory_order_acquire)) return false;
    if (why) {
      why->code = is_failure(s.code) ? Code(s.code) : Code::peer_lost;
      why->culprit = s.culprit >= 0 && s.culprit < world_ ? s.culprit : -1;
      why->text.assign(s.text, strnlen(s.text, kTextRoom));
      if (why->text.empty()) why->text = "a rank was killed while it told why it fails";
    }
    return true;
  }
  Life life(int peer) override {
    const int64_t now = now_ns();
    if (int64_t before = looked_.load(std::memory_order_relaxed);
        now - before > kSlice / 2 &&
        looked_.compare_exchange_strong(before, now, std::memory_order_relaxed)) {
      pollfd fds[kMaxLocalRanks];
      for (int r = 0; r < size; ++r) fds[r] = {r == rank ? -1 : shared_.lives[size_t(r)].get(), POLLIN, 0};
      if (poll(fds, nfds_t(size), 0) > 0)
        for (int r = 0; r < size; ++r)
          if (fds[r].revents) ended_[size_t(r)].store(true, std::memory_order_release);
    }
    if (board(peer).left.load(std::memory_order_acquire)) return Life::left;
    return ended_[size_t(peer)].load(std::memory_order_acquire) ? Life::ended : Life::there;
  }
  void leave() noexcept override {
    board(rank).left.store(1, std::memory_order_release);
    for (int r = 0; r < size; ++r) call(r);
  }
};

}  // namespace

Ref<Transport> make_shared_memory(Store& store, int rank, int size, const std::string& host,
                                  Deadline deadline, int world) {
  if (size > kMaxLocalRanks)
    fail(Code::unavailable, concat("shared memory serves at most ", kMaxLocalRanks, " ranks, got ", size));
  Shared shared = share_memory(store, rank, size, Layout(size).total, host, deadline);
  return make_ref<SharedMemory>(rank, size, std::max(size, world), std::move(shared));
}

}  // namespace haft::dist
