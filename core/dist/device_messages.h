// Messages of tensors on devices, by the engine of the device's plug-in. Two ranks agree on each over the host's
// streams (direct.h), and only then enqueue their halves of it.
//
// Each two ranks that do so share a **channel**: a communicator of the two, a stream and a thread of its own, made
// with their first message. Both take messages in the order in which the lower rank agreed to them, so neither's
// device waits for what the other enqueues later; and who waits for one peer (for its half of the communicator, for
// what the library sets up) holds up nobody else.
#pragma once
#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/sync.h"
#include "core/dist/store.h"
#include "core/dist/work.h"

namespace haft::dist {

class DeviceMessages {
 public:
  // What a rank tells of its device: the type, and which one it is among all.
  using Facts = std::array<uint64_t, 2>;
  // Called by a channel's thread, which keeps what owns this: these are enqueued; its last exception is the end of
  // the group.
  struct Owner {
    std::function<void(Work&)> enqueued;
    std::function<void()> failed;
    std::function<void()> keep, let_go;
  };

  DeviceMessages(Ref<Store> store, int rank, int size, bool named, Owner owner);
  ~DeviceMessages();

  // Whether messages to a rank may go by the engine, as far as this one can tell.
  bool may(Device d, int peer);
  static Facts facts(Device d);
  // The receiver decides. Fails where the program has named the engine and both have the same device.
  bool fits(Device d, int peer, const Facts& theirs);
  void go_by_host(int peer);  // so they have decided
  bool is_made(int peer);

  void add(Ref<Work> w, int peer);  // agreed on: in this order
  bool is_idle();
  void check();  // fails with what the engine has found since
  void give_up() noexcept;
  void close(bool join) noexcept;

 private:
  struct Channel {
    int peer;
    Device device;
    uint64_t comm = 0;
    haft_raw_stream stream = 0;
    std::deque<Ref<Work>> queue;
    bool busy = false, has_thread = false, by_host = false;
    Thread thread;
  };
  struct Start;
  static void* body(void* start);
  void serve(Channel& c) noexcept;
  void make(Channel& c, Device d, Deadline deadline);
  void enqueue(Channel& c, std::span<const Ref<Work>> batch);

  const Ref<Store> store_;
  const int rank_;
  const bool named_;
  const Owner owner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Channel>> channels_;  // by rank
  bool closed_ = false, given_up_ = false;
};

}  // namespace haft::dist
