// The rules of functors_optimizer.h as the host reads them: what they refuse and remember, where their options stand.
#pragma once
#include <array>
#include <cmath>

#include "core/schema/functors.h"

namespace haft::rules {
using fn::select;
using fn::sqrt;
#include "core/schema/functors_optimizer.h"
}  // namespace haft::rules
