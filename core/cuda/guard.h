// From C++ to the C of the seam: what a slot throws becomes a status and a text.
#pragma once
#include <cstdint>
#include <cstring>
#include <new>

#include "core/base/error.h"
#include "core/cuda/device.h"

namespace haft::cuda {

inline int32_t report(char* error, uint32_t size, Code code, const char* text) noexcept {
  if (error && size) {
    std::strncpy(error, text, size - 1);
    error[size - 1] = 0;
  }
  return int32_t(code);
}

template <class F>
int32_t guard(char* error, uint32_t size, F&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const Error& e) {
    return report(error, size, e.code, e.message.c_str());
  } catch (const std::bad_alloc&) {
    return report(error, size, Code::out_of_memory, "cuda has no host memory for its own records");
  } catch (const std::exception& e) {
    return report(error, size, Code::internal, e.what());
  }
}
// The same on a device.
template <class F>
int32_t guard_on(int device, char* error, uint32_t size, F&& body) noexcept {
  return guard(error, size, [&] {
    DeviceScope scope(device);
    body();
  });
}
// For slots that cannot fail: what fails there has failed before, and whoever waits next is told.
template <class F>
void quietly_on(int device, F&& body) noexcept {
  guard_on(device, nullptr, 0, body);
}

}  // namespace haft::cuda
