// A device: a type that the registry numbers (1 is the CPU) and an index. Packed, it is the ABI's haft_device.
#pragma once
#include <cstdint>

namespace haft {

struct Device {
  uint16_t type = 1;
  uint16_t index = 0;

  // 0 is "the default device" in attributes and in the ABI.
  constexpr int32_t pack() const { return int32_t(type) << 16 | index; }
  static constexpr Device unpack(int64_t p) { return {uint16_t(p >> 16), uint16_t(p & 0xffff)}; }
  constexpr bool is_cpu() const { return type == 1; }
  friend constexpr bool operator==(Device, Device) = default;
};

constexpr Device kDefaultDevice{0, 0};

}  // namespace haft
