// Moves the data of one collective: what goes to and comes from each peer, in order, all streams at once. A schedule
// (collectives.h) says what; run() comes back when all of it is done, and fails with the group's failure.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "core/dist/deadline.h"
#include "core/dist/transport.h"

namespace haft::dist {

class Exchange {
  // Bytes in memory of ours; each piece fills whole units of 16 on its stream, so that elements stay aligned there.
  struct Piece {
    std::byte* at;
    int64_t bytes;
    const int64_t* ready;  // how many may be read so far; NULL: all
    int64_t done;
    bool ended;  // with its padding
  };
  static constexpr int kPieces = 4;
  struct Stream {
    std::array<Piece, kPieces> pieces;
    int count = 0, at = 0;
    bool over() const { return at == count; }
    Piece& add(const void* p, int64_t bytes, const int64_t* ready);
  };
  struct Link {
    Header to, from;       // before all else
    int64_t expected = 0;  // elements that the peer's header tells of
    bool in_use = false, checked = false;
    Stream out, in;
  };
  struct Reduction {
    std::byte* to;
    const std::byte* own;
    int64_t bytes, done;
    bool open = false;
  };

  Transport& transport_;
  std::vector<Link> links_;
  std::vector<const void*> sources_;  // of a reduction
  Reduction reduction_{};
  Header call_;
  std::function<bool()> meanwhile_;

  bool send_some(int peer);
  bool receive_some(int peer);
  bool reduce_some();
  void drive(Deadline deadline, bool only_send);
  bool is_done(bool only_send) const;
  void check(int peer);
  void compare_calls();
  [[noreturn]] void give_up(Code code, int culprit, std::string text);
  [[noreturn]] void fail_late(Deadline deadline);

 public:
  // `meanwhile` moves other things of the group while this waits, and says whether it did.
  Exchange(Transport& t, std::function<bool()> meanwhile);

  int rank() const { return transport_.rank; }
  int size() const { return transport_.size; }

  void begin(const Header& call);
  // The peer takes part: each tells the other how many elements follow, and both know that they do the same.
  void meet(int peer, int64_t sends, int64_t gets);
  void send(int peer, const void* from, int64_t bytes, const int64_t* ready = nullptr);
  // Answers where it counts the bytes that have come.
  const int64_t* receive(int peer, void* to, int64_t bytes);
  // Joins `bytes` that come from every peer with `own`, before anything that is received; likewise.
  const int64_t* reduce(void* to, const void* own, int64_t bytes);
  // All that was added so far is sent: its memory may be written over. It must find room with the peers.
  void flush(Deadline deadline) { drive(deadline, true); }
  void run(Deadline deadline) { drive(deadline, false); }
};

[[noreturn]] void fail_with(const Failure& f);
const char* life_text(Transport::Life life);

}  // namespace haft::dist
