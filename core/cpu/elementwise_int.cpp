// Blocks of the POINTWISE ops over integers and bool.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/elementwise_int.cpp"
#define HAFT_WITHOUT_AVX512  // twice the text for integers of 256 bits that the caches bound anyway
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include "core/cpu/elementwise_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
void fill_int(PointwiseTable* t) {
  fill_row<bool>(t->blocks[kRowBool]);
  fill_row<int32_t>(t->blocks[kRowI32]);
  fill_row<int64_t>(t->blocks[kRowI64]);
}
}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft::cpu {
HWY_EXPORT(fill_int);
void fill_blocks_int(PointwiseTable& t) { HWY_DYNAMIC_DISPATCH(fill_int)(&t); }
}  // namespace haft::cpu
#endif
