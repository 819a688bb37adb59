// Devices by name. Numbers of types are given when a plug-in registers, so only the text of a device means
// the same in every process.
#pragma once
#include <string>
#include <string_view>

#include "core/tensor/device.h"

namespace haft {

// "cpu", "cuda:0", "sim:2". A type that nobody registered prints as "device type 7:0".
std::string device_text(Device d);

// The device of a type that this thread means by the type's name alone: the first until it chooses another.
Device current_device(uint16_t type);
Device set_current_device(Device d);  // answers the one before; fails where there is no such device

// Reads "cpu", "sim" (the current one) or "sim:1" and checks that the device exists; the first use of a type's name
// loads its plug-in. Fails with invalid_argument, unavailable (no plug-in) or device (no such index).
Device parse_device(std::string_view text);

inline std::string to_text(Device d) { return device_text(d); }

}  // namespace haft
