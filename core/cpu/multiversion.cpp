#include "core/cpu/multiversion.h"

namespace haft::cpu {

Isa isa() {
#if defined(__x86_64__)
  static const Isa best = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      return Isa::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::avx2;
    return Isa::baseline;
  }();
  return best;
#else
  return Isa::baseline;
#endif
}

}  // namespace haft::cpu
