// Blocks of the POINTWISE ops that compute in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/elementwise_f64.cpp"
#define HAFT_WITHOUT_AVX512
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include "core/cpu/elementwise_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
void fill_f64(PointwiseTable* t) { fill_row<double>(t->blocks[kRowF64]); }
}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft::cpu {
HWY_EXPORT(fill_f64);
void fill_blocks_f64(PointwiseTable& t) { HWY_DYNAMIC_DISPATCH(fill_f64)(&t); }
}  // namespace haft::cpu
#endif
