// Collectives of tensors on a device, by the engine that the device's plug-in brings (haft/collectives.h): NCCL for
// CUDA.
//
// A group has at most one communicator, on the device of its first such call. Ranks that have no devices of their own
// (two on one, or of different types) cannot make one: their tensors go through host memory (Work::stage), as do
// calls that the engine does not know; where the program has named the engine, it is an error. Which way a call goes
// follows from what all ranks agree on, so all go the same.
//
// What ranks have in parts of their own (all_to_all, gather, scatter, an uneven all_gather) is one step of sends and
// receives.
//
// Calls go to a communication stream of the device, of high priority, behind an event of the work that made their
// tensors. Nobody waits for the device here: who uses what a call gives orders its stream behind the call's event,
// and the group watches what is under way.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "core/backend/device.h"
#include "core/backend/stream.h"
#include "core/dist/collectives.h"
#include "core/dist/deadline.h"
#include "core/dist/store.h"
#include "core/tensor/tensor.h"

namespace haft::dist {

bool has_collectives(Device d);         // of an engine that its plug-in brings
std::string device_identity(Device d);  // as every process and host knows it: its type, and which one

// What a rank brings to one call; tensors are dense.
struct DeviceCall {
  Header call;
  Device device;
  haft_raw_event before;  // behind the work that made the tensors
  std::span<const Tensor> in, out;
  Buffers blocks;  // in them, one a rank where the call has several
};

class DeviceCalls {
  const Ref<Store> store_;
  const int rank_, size_;
  const bool named_;  // the program asked for this engine
  enum class State : uint8_t { unknown, made, refused };
  std::atomic<State> state_{State::unknown};
  Device device_;
  uint64_t comm_ = 0;
  haft_raw_stream stream_ = 0;
  std::atomic<bool> given_up_{false};

  void meet(Device d, Deadline deadline);
  void go_by_host(Device d, Code code, const std::string& why, const char* hint);
  void enqueue(const DeviceCall& c);
  void enqueue_parts(const DeviceCall& c);

 public:
  DeviceCalls(Ref<Store> store, int rank, int size, bool named)
      : store_(std::move(store)), rank_(rank), size_(size), named_(named) {}
  ~DeviceCalls();

  // Whether an engine takes such a call.
  static bool knows(const Header& call, Device d);
  // Whether the ranks have a communicator; the first call of all makes it.
  bool joins(Device d, Deadline deadline);
  bool is_made() const { return state_ == State::made; }
  // Enqueues it, then what `finish` does on the communication stream, and answers an event behind both, which is the
  // caller's.
  haft_raw_event begin(const DeviceCall& c, const std::function<void(haft_raw_stream)>& finish);
  // Fails with what the engine has found since, of any call.
  void check(const char* kind);
  void give_up() noexcept;
};

}  // namespace haft::dist
