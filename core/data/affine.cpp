#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/data/affine.cpp"
#ifndef HWY_DISABLED_TARGETS  // three targets tell the processors apart that matter
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "core/data/affine.h"

HWY_BEFORE_NAMESPACE();
namespace haft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void from_u8(const uint8_t* src, float* dst, int64_t n, float scale, float shift) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<int32_t, decltype(d)> d32;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const int64_t lanes = int64_t(hn::Lanes(d));
  const auto a = hn::Set(d, scale), b = hn::Set(d, shift);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, src + i))), a, b), d, dst + i);
  const hn::CappedTag<float, 1> d1;
  for (; i < n; ++i)
    hn::StoreU(hn::MulAdd(hn::Set(d1, float(src[i])), hn::Set(d1, scale), hn::Set(d1, shift)), d1, dst + i);
}

void from_f32(const float* src, float* dst, int64_t n, float scale, float shift) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = int64_t(hn::Lanes(d));
  const auto a = hn::Set(d, scale), b = hn::Set(d, shift);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::MulAdd(hn::LoadU(d, src + i), a, b), d, dst + i);
  const hn::CappedTag<float, 1> d1;
  for (; i < n; ++i)
    hn::StoreU(hn::MulAdd(hn::Set(d1, src[i]), hn::Set(d1, scale), hn::Set(d1, shift)), d1, dst + i);
}

}  // namespace haft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft {
HWY_EXPORT(from_u8);
HWY_EXPORT(from_f32);

void affine_u8(const uint8_t* src, float* dst, int64_t n, float scale, float shift) {
  HWY_DYNAMIC_DISPATCH(from_u8)(src, dst, n, scale, shift);
}
void affine_f32(const float* src, float* dst, int64_t n, float scale, float shift) {
  HWY_DYNAMIC_DISPATCH(from_f32)(src, dst, n, scale, shift);
}

}  // namespace haft
#endif
