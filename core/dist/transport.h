// What collectives run over: between each two ranks of a group, in each direction, ordered streams of bytes that
// are written and read in place. Nothing here waits but wait(); nothing fails but through `failure`.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "core/base/ref.h"
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
  Transport(int r, int n) : rank(r), size(n) {}
  virtual ~Transport() = default;
  virtual const char* name() const = 0;

  // Room towards a peer that lies in one piece (perhaps none), and the first bytes of it that are now written.
  virtual std::span<std::byte> room(int peer, Channel c) = 0;
  virtual void push(int peer, Channel c, size_t bytes) = 0;
  // What has come from a peer, in one piece (perhaps nothing), and the first bytes of it that are done with.
  virtual std::span<const std::byte> waiting(int peer, Channel c) = 0;
  virtual void pop(int peer, Channel c, size_t bytes) = 0;

  // Changes whenever room, waiting or aborted may have. wait() comes back when it is no longer `seen`, and now
  // and then for nothing, at the latest at `until` (now_ns).
  virtual uint32_t signal() = 0;
  virtual void wait(uint32_t seen, int64_t until) = 0;
  virtual void wake() = 0;  // who waits for this rank in this process

  // Tells what this rank starts; how many calls a peer has started, and the seq-th of them: false when it has not come so
  // far, or so far ahead that nobody remembers.
  virtual void announce(const Header& call) = 0;
  virtual uint64_t started(int peer) = 0;
  virtual bool announced(int peer, uint64_t seq, Header* call) = 0;

  // Kills the group on every rank; the first reason counts.
  virtual void fail_all(const Failure& why) noexcept = 0;
  virtual bool aborted(Failure* why) = 0;
  // Whether the peer will call nothing any more: its process has ended, or it has let go of the group. What it has written
  // before may still wait.
  enum class Life { there, left, ended };
  virtual Life life(int peer) = 0;
  virtual void leave() noexcept = 0;  // this rank calls nothing any more
};

}  // namespace haft::dist
