// What collectives run over: between each two ranks of a group, in each direction, ordered streams of bytes that
// are written and read in place. Nothing here waits but wait(); nothing fails but through `failure`.
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/ref.h"
#include "core/dist/bell.h"
#include "core/dist/call.h"

namespace haft::dist {

// Collectives have a stream of their own, so that they and point-to-point messages never wait for each other.
enum Channel : int { kCollective, kDirect, kChannels };

// Why a group is dead. The first reason that any rank found is every rank's.
struct Failure {
  Code code = Code::ok;
  int culprit = -1;  // the rank at fault; -1: none is named
  std::string text;
};

class Transport : public RefCounted {
 public:
  const int rank, size;
  Bell* bell = nullptr;                   // rings when room, waiting or aborted may have changed
  std::vector<int> hosts;                 // of each rank the number of its host; empty: all are on one
  std::atomic<uint64_t> bytes_across{0};  // that went to ranks of other hosts
  Transport(int r, int n) : rank(r), size(n) {}
  virtual ~Transport() = default;
  virtual const char* name() const = 0;

  // Room towards a peer that lies in one piece (perhaps none), and the first bytes of it that are now written.
  virtual std::span<std::byte> room(int peer, Channel c) = 0;
  virtual void push(int peer, Channel c, size_t bytes) = 0;
  // Writes bytes that the transport reads where they lie, until has_lent says no or keep_lent has come back, which
  // copies what is left. False: there is no room, or it copies always.
  virtual bool lend(int, Channel, const std::byte*, size_t) { return false; }
  virtual bool has_lent(int) { return false; }
  virtual void keep_lent() noexcept {}
  // What has come from a peer, in one piece (perhaps nothing), and the first bytes of it that are done with.
  virtual std::span<const std::byte> waiting(int peer, Channel c) = 0;
  virtual void pop(int peer, Channel c, size_t bytes) = 0;
  // What comes from a peer `ahead` bytes behind what is popped belongs to that memory: `waiting` may answer it in its
  // place there, from now until forget. One such piece a peer.
  virtual void expect(int, size_t, std::byte*, size_t) {}
  virtual void forget() noexcept {}

  uint32_t signal() const { return bell->now(); }
  void wake() { bell->ring(); }  // who waits for this rank in this process
  // Comes back when the signal is no longer `seen`, and now and then for nothing, at the latest at `until` (now_ns).
  virtual void wait(uint32_t seen, int64_t until) = 0;

  // Before wait: carries data itself for a moment where that is faster than to be woken. True: something may have
  // changed since `seen`. Until rest, which comes before the caller does anything else, nobody but who carries moves
  // anything.
  virtual bool carry(uint32_t) { return false; }
  virtual void carry_on() {}  // the same without a moment's time, amid other work
  virtual void rest() noexcept {}

  // Bytes that are best told of at once, so that the peer works meanwhile.
  virtual size_t step(int) const { return 64 << 10; }

  // Tells what this rank starts; what a peer's stream has told of it; how many calls a peer has started, and the
  // seq-th of them: false when it has not come so far, or so far ahead that nobody remembers.
  virtual void announce(const Header& call) = 0;
  virtual void heard(int, const Header&) {}
  virtual uint64_t started(int peer) = 0;
  virtual bool announced(int peer, uint64_t seq, Header* call) = 0;

  // Kills the group on every rank; the first reason counts.
  virtual void fail_all(const Failure& why) noexcept = 0;
  virtual bool aborted(Failure* why) = 0;
  // Whether the peer will call nothing any more: its process has ended, or it has let go of the group. What it has
  // written before may still wait.
  enum class Life { there, left, ended };
  virtual Life life(int peer) = 0;
  virtual void leave() noexcept = 0;  // this rank calls nothing any more
};

}  // namespace haft::dist
