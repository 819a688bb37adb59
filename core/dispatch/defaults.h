// What a thread uses when a call does not say.
#pragma once
#include "core/base/thread_state.h"
#include "core/tensor/device.h"
#include "core/tensor/dtype.h"

namespace haft {

inline Device default_device() {
  int32_t d = thread_state().default_device;
  return d ? Device::unpack(d) : Device{};
}
inline DType default_float() {
  int32_t t = thread_state().default_dtype;
  return t ? DType(t) : DType::f32;
}

}  // namespace haft
