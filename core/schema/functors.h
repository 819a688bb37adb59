// What each POINTWISE op does to one element: one definition for every device.
//
// Number rules, special functions and functors are text without includes or a namespace. This file compiles
// it for plain numbers: by the host's compiler, and as it stands by nvcc and NVRTC, which need no other
// header. cpu/simd.h takes the text once more for the vectors of each instruction set. What a device's exp,
// erf or infinity() is stands in its math_*.h; all else is shared.
//
// `op_<name>::apply` gets the inputs in order and then the attributes: numbers as type S (V itself for
// floating V, int64 for integers), bools as bool (uniform over the call). V is a plain number or a vector of
// them with operators, comparisons that give a mask, select(mask, a, b) and the functions of math_*.h.
#pragma once

#ifdef __CUDACC__
#ifndef __CUDACC_RTC__
#include <cstdint>
#endif
#define HAFT_FN __device__ inline
#define HAFT_FAR HAFT_FN
#else
#include <cmath>
#include <cstdint>
#include <limits>
#define HAFT_FN inline
#define HAFT_FAR [[gnu::noinline]] inline  // one copy for all types and instruction sets
#endif

namespace haft::fn {  // each of these files builds on those before it
// clang-format off
#ifdef __CUDACC__
#include "core/schema/math_cuda.h"
#else
#include "core/schema/math_host.h"
#endif
#include "core/schema/special.h"
#include "core/schema/bessel.h"
#include "core/schema/incomplete_gamma.h"
#include "core/schema/rare.h"
#include "core/schema/functors_base.h"
#include "core/schema/functors_unary.h"
#include "core/schema/functors_binary.h"
#include "core/schema/functors_activation.h"
// clang-format on
}  // namespace haft::fn
