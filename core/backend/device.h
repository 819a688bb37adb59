// A device as the engine names it: type and index, packed into an int32 at the C ABI and in attribute words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

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
  static constexpr Device unpack(int32_t v) { return {uint16_t(uint32_t(v) >> 16), uint16_t(v)}; }
  friend constexpr bool operator==(Device, Device) = default;
};

// "cpu", "cuda:0", "sim:2". A type that nobody registered prints as "device type 7:0".
std::string device_text(Device d);

// Reads "cpu", "sim" (index 0) or "sim:1" and checks that the device exists; the first use of a type's name loads its
// plug-in. Fails with invalid_argument, unavailable (no plug-in) or device (no such index).
Device parse_device(std::string_view text);

inline void append_text(std::string& out, Device d) { out.append(device_text(d)); }

}  // namespace haft
