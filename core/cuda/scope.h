// The thread's current device, for calls of CUDA that act on it. Launches do not (runtime.h).
#pragma once
#include "core/cuda/runtime.h"

namespace haft::cuda {

// Makes a device the thread's current one for a scope; the host program's choice comes back.
class DeviceScope {
  Context before_ = nullptr;
  bool changed_ = false;

 public:
  explicit DeviceScope(int device);  // fails where there is no such device, or in the child of a fork()
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
};

}  // namespace haft::cuda
