// One body, three instruction sets: HAFT_MULTIVERSION(name, (parameters), (arguments)) compiles the
// always-inline function template name##_body<Isa> for AVX-512, AVX2 and the baseline, and `name` calls the
// best one that the processor has. Vector code is written with Lanes (simd.h); this is right where a loop wants
// the compiler's own vectors: sums into columns, tiles in registers, and fixed groups of sixteen channels.
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#define HAFT_TARGET_AVX512 \
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c,bmi2,prefer-vector-width=512")]]
#define HAFT_TARGET_AVX2 [[gnu::target("avx2,fma,f16c,bmi2")]]
#else
#define HAFT_TARGET_AVX512
#define HAFT_TARGET_AVX2
#endif

#define HAFT_BODY [[gnu::always_inline]] static inline
#define HAFT_INLINE __attribute__((always_inline))  // of a lambda in a body

namespace haft::cpu {
enum class Isa : uint8_t { baseline, avx2, avx512 };
Isa isa();  // of this processor

// Sixteen floats; loads and stores through f32x16u need no alignment.
typedef float f32x16 __attribute__((vector_size(64)));
typedef float f32x16u __attribute__((vector_size(64), aligned(4), may_alias));
}  // namespace haft::cpu

#define HAFT_MULTIVERSION(name, parameters, arguments)                                            \
  HAFT_TARGET_AVX512 static void name##_avx512 parameters { name##_body<Isa::avx512> arguments; } \
  HAFT_TARGET_AVX2 static void name##_avx2 parameters { name##_body<Isa::avx2> arguments; }       \
  static void name##_baseline parameters { name##_body<Isa::baseline> arguments; }                \
  static void name parameters {                                                                   \
    switch (isa()) {                                                                              \
      case Isa::avx512: return name##_avx512 arguments;                                           \
      case Isa::avx2: return name##_avx2 arguments;                                               \
      default: return name##_baseline arguments;                                                  \
    }                                                                                             \
  }
