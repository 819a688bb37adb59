// What the loops of the kernels include: a precompiled header of their own, for their flags change predefined macros.
#pragma once
#include "core/precompiled.h"
#if defined(__x86_64__)
#include <immintrin.h>  // Highway includes it; 0.7 s a file
#endif
