// Collectives of tensors on a device, by the engine that the device's plug-in brings (haft/collectives.h): NCCL for CUDA.
//
// A group has at most one communicator, on the device of its first such call. Ranks that have no devices of their own (two on one, or of
// different types) cannot make one: their tensors go through host memory (Work::stage), as do calls that the engine does not know. Which way
// a call goes follows from what all ranks agree on, so all go the same.
//
// Calls go to a communication stream of the device, of high priority, behind an event of the work that made their tensors. Nobody waits for
// the device here: who uses what a call gives orders its stream behind the call's event, and the group watches what is under way.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "core/backend/device.h"
#include "core/backend/stream.h"
#include "core/dist/call.h"
#include "core/dist/deadline.h"
#include "core/dist/store.h"
#include "core/tensor/tensor.h"

namespace haft::dist {

// What a rank brings to one call; tensors are dense. A single tensor of several ranks' parts has them in equal parts.
struct DeviceCall {
  Header call;
  Device device;
  haft_raw_event before;  // behind the work that made the tensors
  std::span<const Tensor> in, out;
};

class DeviceCalls {
  const Ref<Store> store_;
  const int rank_, size_;
  enum class State : uint8_t { unknown, made, refused };
  std::atomic<State> state_{State::unknown};
  Device device_;
  uint64_t comm_ = 0;
  haft_raw_stream stream_ = 0;
  std::atomic<bool> given_up_{false};

  void meet(Device d, Deadline deadline);
  void enqueue(const DeviceCall& c);

 public:
  DeviceCalls(Ref<Store> store, int rank, int size) : store_(std::move(store)), rank_(rank), size_(size) {}
  ~DeviceCalls();

  // Whether an engine takes such a call; `even`: all parts have as many elements.
  static bool knows(const Header& call, Device d, bool even);
  // Whether the ranks have a communicator; the first call of all makes it.
  bool joins(Device d, Deadline deadline);
  bool is_made() const { return state_ == State::made; }
  // Enqueues it, then what `finish` does on the communication stream, and answers an event behind both, which is the caller's.
  haft_raw_event begin(const DeviceCall& c, const std::function<void(haft_raw_stream)>& finish);
  // Fails with what the engine has found since, of any call.
  void check(const char* kind);
  void give_up() noexcept;
};

}  // namespace haft::dist
