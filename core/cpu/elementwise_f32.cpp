// Blocks of the POINTWISE ops that compute in float.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/elementwise_f32.cpp"
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include "core/cpu/elementwise_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
void fill_f32(PointwiseTable* t) { fill_row<float>(t->blocks[kRowF32]); }
}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft::cpu {
HWY_EXPORT(fill_f32);
void fill_blocks_f32(PointwiseTable& t) { HWY_DYNAMIC_DISPATCH(fill_f32)(&t); }
}  // namespace haft::cpu
#endif
