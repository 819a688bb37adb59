// Blocks of the POINTWISE ops over integers and bool.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/elementwise_int.cpp"
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include "core/cpu/elementwise_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
void fill_int(PointwiseTable* t) {
  fill_row<bool>(t->blocks[kRowBool]);
  fill_row<uint8_t>(t->blocks[kRowU8]);
  fill_row<int8_t>(t->blocks[kRowI8]);
  fill_row<int16_t>(t->blocks[kRowI16]);
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
