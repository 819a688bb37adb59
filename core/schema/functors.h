// What each POINTWISE op does to one element: one definition for every device.
//
// functors_*.h are text without includes or a namespace: this file compiles them for plain numbers,
// cpu/simd.h once more for the vectors of each instruction set, and a device compiler may take the same text.
// `op_<name>::apply` gets the inputs in order and then the attributes: numbers as type S (V itself for
// floating V, int64 for integers), bools as bool (uniform over the call). V is a plain number or a vector of
// them with operators, comparisons that give a mask, select(mask, a, b) and the functions of functors_base.h.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/schema/special.h"

#define HAFT_FN inline

namespace haft::fn {  // each of these files builds on those before it
// clang-format off
#include "core/schema/functors_base.h"
#include "core/schema/functors_unary.h"
#include "core/schema/functors_binary.h"
#include "core/schema/functors_activation.h"
// clang-format on
}  // namespace haft::fn
