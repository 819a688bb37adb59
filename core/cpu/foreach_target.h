// Compiles HWY_TARGET_INCLUDE once for each instruction set; the first include of such a file.
//
// AVX-512, AVX2 and the plain x86-64 tell all the processors apart that matter; each costs a full compilation. A file
// whose loops gain nothing from AVX-512 defines HAFT_WITHOUT_AVX512 before.
#ifndef HWY_DISABLED_TARGETS
#ifdef HAFT_WITHOUT_AVX512
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#endif
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
