// Messages from one rank to another, matched by tag: sends and receives of a group that are under way. Small messages
// go at once, larger ones when the receiver has a place for them, so that what nobody has asked for takes little
// memory.
//
// A tensor of a device is offered with what its rank tells of the device, whatever its size. The receiver accepts it
// for the device's engine, if it has a device of its own, or for host memory (Work::stage). Of two ranks the lower
// one's order is that in which both enqueue: it does so when it accepts, or when it hears that it was accepted and
// tells the other to go.
#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "core/dist/device_messages.h"
#include "core/dist/work.h"

namespace haft::dist {

constexpr int64_t kEager = 16 << 10;  // bytes that go without asking

class Direct {
 public:
  Direct(Transport& t, DeviceMessages& devices);

  // A work is entered before it is sent or received, and whoever makes it leave answers it: nobody else does.
  void enter(Ref<Work> w);
  bool leave(const Work& w) noexcept;  // false: another has made it leave
  // The works are through by progress() of whoever calls it.
  void send(Ref<Work> w);
  void receive(Ref<Work> w);
  // Moves what can be moved; works that are through it are appended. Whether anything moved. Fails when a peer breaks
  // the rules, with the reason for the group's end.
  bool progress(std::vector<Ref<Work>>& through);
  // A reason why what is under way will never end: a peer that is gone, or the time. `sure`: the streams were looked
  // at since the last call found something.
  bool is_stuck(bool sure, Failure* why);
  bool idle();
  int64_t next_deadline();
  // Gives everything up: makes one of those under way leave; nothing when there is none.
  Ref<Work> take() noexcept;

 private:
  enum class Type : uint8_t { offer = 1, accept, data };
  enum class Way : uint8_t { host, device };
  struct Frame {
    uint32_t magic = kMagic;
    Type type = Type::offer;
    DType dtype = DType::none;
    // Of an offer: may go, else: goes. An offer has DeviceMessages::Facts then, and data is no more than the word to
    // go.
    Way way = Way::host;
    uint8_t recorded = 0;  // what it moves is part of a recording
    int32_t tag = 0;
    uint32_t eager = 0;  // of an offer: its data follow
    uint64_t id = 0;     // the sender's
    int64_t count = 0;
  };
  static_assert(sizeof(Frame) == 32);
  struct Outgoing {
    Frame frame;
    const std::byte* data = nullptr;
    int64_t bytes = 0, done = 0;  // of frame, data and padding
    Ref<Work> work;
  };
  struct Message {  // that came before somebody wanted it
    int peer;
    Frame frame;
    std::vector<std::byte> data;
  };
  struct Incoming {
    Frame frame;
    int64_t got = 0;  // of frame, data and padding
    std::byte* to = nullptr;
    std::vector<std::byte> kept;  // when nobody wants it yet
    Ref<Work> work;
  };
  struct Peer {
    std::deque<Outgoing> out;
    Incoming in;
    std::map<uint64_t, Ref<Work>> offered;   // by the id of ours
    std::map<uint64_t, Ref<Work>> accepted;  // by the id of theirs
  };

  bool push_some(int p, std::vector<Ref<Work>>& through);
  bool pop_some(int p, std::vector<Ref<Work>>& through);
  void begin(int p);  // a whole frame is there
  void end(int p, std::vector<Ref<Work>>& through);
  Ref<Work> match(int p, const Frame& f);
  void fit(int p, const Frame& f, Work& w);
  void accept(int p, const Frame& f, Ref<Work> w, Way way = Way::host);
  void choose(int p, const Frame& f, std::span<const std::byte> facts, Ref<Work> w);
  void accepted(int p, const Frame& f);
  static int64_t bytes_of(const Frame& f);
  template <class F>
  void each(F&& f);

  Transport& transport_;
  DeviceMessages& devices_;
  std::map<int32_t, DeviceMessages::Facts> facts_;  // of this rank's devices
  std::mutex mutex_;
  std::vector<Peer> peers_;
  std::deque<Message> unexpected_;
  // All that nobody has answered: what is lost where memory fails is found here.
  std::vector<Ref<Work>> live_;
  std::vector<Ref<Work>> wanted_;  // receives that nothing has come for
  int64_t kept_ = 0;               // what `unexpected_` weighs: beyond a limit nothing more is read
  uint64_t last_id_ = 0;
};

}  // namespace haft::dist
