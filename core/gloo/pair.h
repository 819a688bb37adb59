// Gloo's connection of two ranks, such that whoever connects without the group's token is hung up on, that what goes
// wrong in it ends it and nothing else, and that its owner is told when something has come or gone.
#pragma once
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/tcp/unbound_buffer.h>

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace haft::gloo_engine {

namespace tcp = ::gloo::transport::tcp;

// What a rank says first on each connection.
struct Hello {
  char magic[8] = {'h', 'a', 'f', 't', 'm', 's', 'h', 1};
  unsigned char token[16] = {};
  int32_t from = -1, to = -1;
};
static_assert(sizeof(Hello) == 32);

class Lane;

class Owner {
 public:
  virtual ~Owner() = default;
  virtual void changed() noexcept = 0;  // from any thread, perhaps with the pair's lock held
  // As haft_mesh_options.place of that lane, whose slot begins at `first`.
  virtual char* place(const Lane& lane, const char* first, size_t bytes, size_t* head) noexcept = 0;
  Hello hello;  // with the token and this rank
};

class Pair final : public tcp::Pair {
  class Greeting;  // somebody who has connected and not said yet who he is
  Owner& owner_;
  Hello out_, in_;  // what this side says, what the other has to
  bool moved_ = false;
  bool driven_ = false;  // by who waits: the device's thread leaves it alone
  std::atomic<bool> connected_{false}, lost_{false};
  char ahead_[1024];  // what was read behind a message: notes of Gloo's, and how the next one begins
  size_t ahead_from_ = 0, ahead_to_ = 0;
  struct Landing {  // of the message that is being read
    bool asked = false;
    Lane* lane = nullptr;
    char *first = nullptr, *at = nullptr;  // its slot; where it goes but for its head
    size_t head = 0;
  } landing_;
  std::vector<std::unique_ptr<Greeting>> greetings_, retired_;  // of the listening side, under m_

 public:
  Pair(tcp::Context* context, tcp::Device* device, int peer, Owner& owner);
  ~Pair() override;

  // Begins to connect, and returns at once.
  void begin(const std::vector<char>& address);
  bool is_connected() const { return connected_.load(std::memory_order_acquire); }
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  std::string why_lost();
  // Bytes that the peer's machine has not taken yet, of what the system was given.
  int unsent();
  // Moves what can be moved without waiting, on this thread, which has the connection to itself until rest(). True: a
  // message came or went.
  bool drive();
  bool watch(pollfd& to);  // what drive() could do; false: nothing
  void push();             // what is to be sent, if driven
  void rest();
  void keep(Lane& lane);  // nothing of it is sent from memory of others any more
  // Nothing of it is written to memory of others any more; the offset of the slot that it is in, or -1.
  ptrdiff_t take_back(Lane& lane);
  void shut();    // what is under way is lost
  void settle();  // after that of all pairs: no function of theirs runs any more

  void handleEvents(int events) override;

 protected:
  void waitUntilConnected(std::unique_lock<std::mutex>&, bool) override {}
  bool read() override;
  bool write(tcp::Op& op) override;
  void changeState(state next) noexcept override;

 private:
  void greet();
  void land(Lane& lane, iovec& piece);
  bool write_queue();
  size_t write_some(tcp::Op* const* ops, size_t count);
  void welcome(int fd);
};

// The memory of a lane's slots on one side, and how many messages of it are through.
class Lane final : public tcp::UnboundBuffer {
  const size_t slot_bytes_;
  uint64_t sent_ = 0, received_ = 0;

 public:
  struct Lent {  // what is sent from elsewhere but for the slot's first bytes
    const char* at = nullptr;
    size_t head = 0, bytes = 0;
  };

 private:
  std::vector<Lent> lent_;  // by slot; under the lock of the pair

 public:
  const int peer, number;
  std::atomic<uint64_t> given{0};  // sends that were asked for
  Lane(const std::shared_ptr<tcp::Context>& context, int peer, int number, void* at, size_t slots,
       size_t slot_bytes)
      : tcp::UnboundBuffer(context, at, slots * slot_bytes),
        slot_bytes_(slot_bytes),
        lent_(slots),
        peer(peer),
        number(number) {}
  int32_t slot_at(ptrdiff_t offset) const { return offset < 0 ? -1 : int32_t(size_t(offset) / slot_bytes_); }
  // Before it is sent.
  void lend(int slot, size_t head, const void* data, size_t bytes) {
    lent_[size_t(slot)] = {static_cast<const char*>(data), head, bytes};
  }
  Lent& lent(size_t offset) { return lent_[offset / slot_bytes_]; }
  void keep() {
    for (size_t s = 0; s < lent_.size(); ++s)
      if (Lent l = std::exchange(lent_[s], {}); l.at)
        std::memcpy(static_cast<char*>(ptr) + s * slot_bytes_ + l.head, l.at, l.bytes);
  }
  uint64_t sent() {
    std::lock_guard<std::mutex> lock(m_);
    return sent_ += uint64_t(std::exchange(sendCompletions_, 0));
  }
  uint64_t received() {
    std::lock_guard<std::mutex> lock(m_);
    return received_ += uint64_t(std::exchange(recvCompletions_, 0));
  }
};

class Context final : public tcp::Context {
  Owner& owner_;

 public:
  Context(std::shared_ptr<tcp::Device> device, int rank, int size, Owner& owner)
      : tcp::Context(std::move(device), rank, size), owner_(owner) {}
  std::unique_ptr<::gloo::transport::Pair>& createPair(int peer) override {
    pairs_[size_t(peer)] = std::make_unique<Pair>(this, device_.get(), peer, owner_);
    return pairs_[size_t(peer)];
  }
  Pair& pair(int peer) { return static_cast<Pair&>(*pairs_[size_t(peer)]); }
};

}  // namespace haft::gloo_engine
