// Gloo's connection of two ranks, such that whoever connects without the group's token is hung up on, that what goes wrong in it
// ends it and nothing else, and that its owner is told when something has come or gone.
#pragma once
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/tcp/unbound_buffer.h>

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

class Owner {
 public:
  virtual ~Owner() = default;
  virtual void changed() noexcept = 0;  // from any thread, perhaps with the pair's lock held
  Hello hello;                          // with the token and this rank
};

class Pair final : public tcp::Pair {
  class Greeting;  // somebody who has connected and not said yet who he is
  Owner& owner_;
  Hello out_, in_;  // what this side says, what the other has to
  bool moved_ = false;
  std::atomic<bool> connected_{false}, lost_{false};
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
  void welcome(int fd);
};

// The memory of a lane's slots on one side, and how many messages of it are through.
class Lane final : public tcp::UnboundBuffer {
  uint64_t sent_ = 0, received_ = 0;

 public:
  std::atomic<uint64_t> given{0};  // sends that were asked for
  using tcp::UnboundBuffer::UnboundBuffer;
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
