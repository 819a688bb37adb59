// Devices of the process: which there are, the current one of a thread, and what their kernels have found wrong.
#pragma once
#include <haft/backend.h>

#include "core/cuda/runtime.h"

namespace haft::cuda {

// Makes a device the thread's current one for a scope; the host program's choice comes back.
class DeviceScope {
  int before_ = -1;

 public:
  explicit DeviceScope(int device);  // fails where there is no such device, or in the child of a fork()
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
};

int device_count();
const DeviceFacts& device_facts(int device);

// What a kernel found wrong with its input, in pinned memory that device and host see: the first that raises it writes the rest
// (raise in fault.cuh), and whoever waits for the device next is answered with it.
struct Fault {
  uint32_t raised;
  uint32_t op;
  int64_t value, position, dim, size;
};
Fault* fault_of(int device);
void throw_fault(int device);  // fails with it, once

}  // namespace haft::cuda
