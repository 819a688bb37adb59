// Collectives of tensors on a device, by the engine that the device's plug-in brings (haft/collectives.h): NCCL for CUDA.
//
// A group has at most one communicator, on the device of its first such call. Ranks that have no devices of their own (two on one, or of
// different types) cannot make one: their tensors go through host memory (Work::stage), as do calls that the engine does not know. Which way
// a call goes follows from what all ranks agree on, so all go the same.
#pragma once
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
  enum class State : uint8_t { unknown, made, refused } state_ = State::unknown;
  Device device_;
  uint64_t comm_ = 0;
  haft_raw_stream stream_ = 0;
  bool given_up_ = false;

  void meet(Device d, Deadline deadline);
  void enqueue(const DeviceCall& c);

 public:
  DeviceCalls(Ref<Store> store, int rank, int size) : store_(std::move(store)), rank_(rank), size_(size) {}
  ~DeviceCalls();

  // Whether an engine takes such a call; `even`: all parts have as many elements.
  static bool knows(const Header& call, Device d, bool even);
  // Whether the ranks have a communicator; the first call of all makes it.
  bool joins(Device d, Deadline deadline);
  // Comes back when the device has done it. `dead` says whether the group has failed meanwhile, and how.
  void run(const DeviceCall& c, Deadline deadline, const std::function<void()>& check_alive);
  void give_up() noexcept;
};

}  // namespace haft::dist
