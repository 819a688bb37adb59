// 16-bit floats to float and back, and stores that pass the caches.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/elementwise_convert.cpp"
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include <bit>

#include "core/cpu/elementwise.h"
#include "core/tensor/half.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr bool kHardwareHalf = HWY_TARGET <= HWY_AVX2;

void from_f16(const uint16_t* in, float* out, int64_t n) {
  int64_t i = 0;
  if constexpr (kHardwareHalf) {
    hn::ScalableTag<float> df;
    hn::Rebind<hwy::float16_t, decltype(df)> dh;
    hn::Rebind<uint16_t, decltype(df)> du;
    const int64_t N = int64_t(hn::Lanes(df));
    for (; i + N <= n; i += N) hn::StoreU(hn::PromoteTo(df, hn::BitCast(dh, hn::LoadU(du, in + i))), df, out + i);
  }
  for (; i < n; ++i) out[i] = Half::decode(in[i]);
}

void to_f16(const float* in, uint16_t* out, int64_t n) {
  int64_t i = 0;
  if constexpr (kHardwareHalf) {
    hn::ScalableTag<float> df;
    hn::Rebind<hwy::float16_t, decltype(df)> dh;
    hn::Rebind<uint16_t, decltype(df)> du;
    const int64_t N = int64_t(hn::Lanes(df));
    for (; i + N <= n; i += N) hn::StoreU(hn::BitCast(du, hn::DemoteTo(dh, hn::LoadU(df, in + i))), du, out + i);
  }
  for (; i < n; ++i) out[i] = Half::encode(in[i]);
}

void from_bf16(const uint16_t* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(uint32_t(in[i]) << 16);
}

// Rounds by an integer addition; a NaN keeps its upper half and becomes quiet.
void to_bf16(const float* in, uint16_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    uint32_t u = std::bit_cast<uint32_t>(in[i]);
    uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
    out[i] = uint16_t((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
  }
}

void stream(void* dst, const void* src, int64_t bytes) {
  hn::ScalableTag<uint8_t> d;
  const int64_t N = int64_t(hn::Lanes(d));
  uint8_t* y = static_cast<uint8_t*>(dst);
  const uint8_t* x = static_cast<const uint8_t*>(src);
  for (int64_t i = 0; i < bytes; i += N) hn::Stream(hn::LoadU(d, x + i), d, y + i);
}

void fill_conversions(Conversions* c) { *c = {from_f16, to_f16, from_bf16, to_bf16, stream}; }

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haft::cpu {
HWY_EXPORT(fill_conversions);
const Conversions& conversions() {
  static const Conversions c = [] {
    Conversions t;
    HWY_DYNAMIC_DISPATCH(fill_conversions)(&t);
    return t;
  }();
  return c;
}
}  // namespace haft::cpu
#endif
