// Moves the data of one collective: what goes to and comes from each peer, in order, all streams at once. A schedule
// (collectives.h) says what; run() comes back when all of it is done, and fails with the group's failure.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "core/dist/deadline.h"
#include "core/dist/topology.h"
#include "core/dist/transport.h"

namespace haft::dist {

// How far memory has been filled that something else reads: `*count` - `from` bytes of it; count NULL: all of it.
struct Ready {
  const int64_t* count = nullptr;
  int64_t from = 0;
  int64_t of(int64_t bytes) const { return count ? std::clamp<int64_t>(*count - from, 0, bytes) : bytes; }
};

class Exchange {
  struct Reduction {
    std::byte* to;
    const std::byte* own;
    Ready own_ready;
    int64_t bytes, done;
    std::span<const int> ranks;
    int divisor;
    bool open;
  };
  // Bytes in memory of ours; each piece fills whole units of 16 on its stream, so that elements stay aligned there.
  struct Piece {
    std::byte* at;
    int64_t bytes;
    Ready ready;
    const Reduction* reduction;  // reads it where it lies
    int64_t done;
  };
  static constexpr int kPieces = 4;
  struct Stream {
    std::unique_ptr<Piece[]> pieces;
    int count = 0, at = 0, room = 0;
    bool over() const { return at == count; }
    Piece& now() const { return pieces[size_t(at)]; }
    Piece& add(const void* p, int64_t bytes, Ready ready, const Reduction* reduction);
    void clear(int pieces);
  };
  struct Link {
    Header to, from;       // before all else
    int64_t expected = 0;  // elements that the peer's header tells of
    bool in_use = false;
    Stream out, in;
  };

  Transport& transport_;
  std::unique_ptr<const Topology> hosts_;
  std::vector<Link> links_;
  std::vector<int> all_;
  std::vector<const void*> sources_;         // of a reduction
  std::unique_ptr<Reduction[]> reductions_;  // one more than there are ranks
  int reducing_ = 0;
  Header call_;
  std::function<bool()> meanwhile_;

  bool send_some(int peer);
  bool receive_some(int peer);
  void expect_largest(int peer);
  bool reduce_some(Reduction& r);
  void drive(Deadline deadline, bool only_send);
  bool is_done(bool only_send) const;
  bool is_through(int peer);        // nothing more goes to it or is wanted of it
  bool keeps_us_waiting(int peer);  // by itself, and not because it waits, too
  void check(int peer);
  void compare_calls();
  [[noreturn]] void give_up(Code code, int culprit, std::string text);
  void fail_late(Deadline deadline);

 public:
  // `meanwhile` moves other things of the group while this waits, and says whether it did.
  Exchange(Transport& t, std::function<bool()> meanwhile);

  int rank() const { return transport_.rank; }
  int size() const { return transport_.size; }
  // Where ranks share hosts, and are on several.
  const Topology* hosts() const { return hosts_.get(); }

  void begin(const Header& call);
  // The peer takes part: each tells the other how many elements follow, and both know that they do the same; in no more
  // than so many pieces in each direction.
  void meet(int peer, int64_t sends, int64_t gets, int pieces = kPieces);
  void send(int peer, const void* from, int64_t bytes, Ready ready = {});
  // Answers where it counts the bytes that have come.
  const int64_t* receive(int peer, void* to, int64_t bytes);
  // Joins `bytes` that come from every peer with `own`; likewise.
  const int64_t* reduce(void* to, const void* own, int64_t bytes) {
    return reduce(to, own, bytes, all_, {}, size());
  }
  // The same of some ranks, this one among them. Averages are divided by the divisor.
  const int64_t* reduce(void* to, const void* own, int64_t bytes, std::span<const int> ranks, Ready own_ready,
                        int divisor);
  // All that was added so far is sent: its memory may be written over. It must find room with the peers.
  void flush(Deadline deadline) { drive(deadline, true); }
  void run(Deadline deadline) { drive(deadline, false); }
};

[[noreturn]] void fail_with(const Failure& f);
const char* life_text(Transport::Life life);

}  // namespace haft::dist
