// The random numbers of core/schema/philox.h, drawn in blocks.
#pragma once
#include "core/schema/philox.h"

namespace haft::cpu {

using fn::kPhiloxM0, fn::kPhiloxM1, fn::kPhiloxW0, fn::kPhiloxW1;
using fn::Philox, fn::philox4x32;

constexpr int64_t kPhiloxBlock = 1024;  // elements drawn at a time; a multiple of four vectors

}  // namespace haft::cpu
