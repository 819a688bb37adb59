// Compiles HWY_TARGET_INCLUDE once for each instruction set; the first include of such a file.
// Three targets tell all the processors apart that matter; each costs a full compilation.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
