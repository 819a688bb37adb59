// Anomaly mode: backward names the forward operator whose gradient holds a NaN.
#pragma once
#include <span>

#include "core/tape/tape.h"

namespace haft {

// For the engine, while the mode's bit is set: fails when one of the node's results contains a NaN.
void check_anomaly(const Node& n, std::span<const Tensor> results);

}  // namespace haft
