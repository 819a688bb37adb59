#include "core/cpu/multiversion.h"

#include "hwy/targets.h"

namespace haft::cpu {

// Highway's choice, so that both kinds of kernels agree, also when a test asks for an older processor's.
Isa isa() {
#if defined(__x86_64__)
  static const Isa best = [] {
    const int64_t there = hwy::SupportedTargets();
    return there & HWY_AVX3 ? Isa::avx512 : there & HWY_AVX2 ? Isa::avx2 : Isa::baseline;
  }();
  return best;
#else
  return Isa::baseline;
#endif
}

}  // namespace haft::cpu
