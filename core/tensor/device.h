// A device: a type that the registry numbers and an index. Packed, it is the ABI's haft_device.
#pragma once
#include <cstdint>

namespace haft {

// Type numbers. Plug-ins get theirs when they register, so only the text of a device is stable across processes.
constexpr uint16_t kNoDevice = 0;  // "the default device"
constexpr uint16_t kCpu = 1;
constexpr uint16_t kCuda = 2;
constexpr uint16_t kFirstPlugin = 3;
constexpr uint16_t kMaxDeviceTypes = 32;

struct Device {
  uint16_t type = kCpu;
  uint16_t index = 0;

  constexpr bool is_cpu() const { return type == kCpu; }
  constexpr int32_t pack() const { return int32_t(uint32_t(type) << 16 | index); }
  static constexpr Device unpack(int64_t v) { return {uint16_t(uint32_t(v) >> 16), uint16_t(v)}; }
  friend constexpr bool operator==(Device, Device) = default;
};

constexpr Device kDefaultDevice{kNoDevice, 0};

}  // namespace haft
