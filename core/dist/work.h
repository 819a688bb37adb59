// One call of a group: what it moves, and what has become of it. A Work is answered exactly once. One that a device
// does itself is enqueued before, and what is enqueued behind its event finds the results.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "core/backend/stream.h"
#include "core/dist/collectives.h"
#include "core/tensor/tensor.h"

namespace haft::dist {

class Group;

// What a caller gives; shapes are checked (group_calls.cpp). Tensors of one device, of any strides.
struct Job {
  Header call;
  std::vector<Tensor> in, out;
  // How many elements each rank has of a single tensor of `in` or `out` that stands for all of them; empty: a tensor
  // a rank.
  std::vector<int64_t> in_parts, out_parts;
  int peer = -1;  // of send and recv; -1: any source
  int32_t tag = 0;
  int64_t timeout_ns = -1;  // -1: the group's
};

class Work : public RefCounted {
 public:
  using Done = std::function<void(Work&)>;

  Work(Ref<Group> group, Job job);
  ~Work();

  bool is_done() const { return state_.load(std::memory_order_acquire) == State::answered; }
  // False when the time has passed first; the work goes on. Moves messages of the group meanwhile. Without an end, a
  // work that a device does is not waited for here: the caller's current stream is ordered behind it. With one, until
  // the device has done it.
  bool wait(Deadline deadline);
  bool test();   // is_done(), after a look at the streams and the device
  void check();  // of what is done: fails with its failure
  Code status() const { return error_ ? error_->code : Code::ok; }
  int source() const { return source_; }  // of a finished recv
  // Called once, on the thread that answers, or at once.
  void on_done(Done done);
  Group& group() { return *group_; }

 private:
  friend class Group;
  friend class Direct;
  friend class DeviceMessages;
  enum class State : uint8_t { issued, answered, enqueued };

  void prepare();  // dense memory for what is not
  void stage();    // host memory for what is on a device
  void to_host();  // the same, unless it is there
  void buffer();   // what is sent may be changed from now on
  bool by_device() const;
  Buffers buffers() const;
  Amounts amounts() const;
  void finish_outputs();
  void finish_on(haft_raw_stream s);  // the same, as work of the stream that is current
  bool is_under_way() const { return state_.load(std::memory_order_acquire) != State::issued; }
  // For who waits: on the host, or on the device. A recorded one has nothing that the host could wait for.
  bool has_ended(bool on_host) const {
    return is_done() || (is_under_way() && (!on_host || recorded_)) || (buffered_ && !on_host);
  }
  void order_behind();  // the current stream, behind what is enqueued
  // Before it is answered: who waits for it finds the memory free that it gives up then, however long the group's
  // thread holds the work.
  void let_go() noexcept {
    for (auto* list : {&job_.in, &job_.out, &dense_in_, &dense_out_}) list->clear();
  }

  Ref<Group> group_;
  Job job_;
  Deadline deadline_;
  std::vector<Tensor> dense_in_, dense_out_;  // what the streams see
  Device device_;
  haft_raw_event before_ = 0;  // on a device: behind the work that made the tensors
  std::atomic<State> state_{State::issued};
  std::shared_ptr<const Error> error_;
  int source_ = -1;
  uint64_t record_ = 0;
  std::vector<Done> callbacks_;  // under the group's mutex
  haft_raw_event done_ = 0;      // on a device: behind the call
  bool recorded_ = false;        // it is part of a recording, and never answered
  bool agreed_ = false;          // all ranks had come before it was enqueued
  bool on_host_ = true;          // what the streams see, of a message
  bool buffered_ = false;        // a message whose tensor was copied: nobody need wait for it
};

}  // namespace haft::dist
