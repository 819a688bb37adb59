// Elements from one type to another, and stores that pass the caches.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/elementwise_convert.cpp"
#define HAFT_WITHOUT_AVX512
#include "core/cpu/foreach_target.h"
// The target list comes first.
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "core/cpu/elementwise.h"
#include "core/tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr bool kHardwareHalf = HWY_TARGET <= HWY_AVX2;

void from_f16(const void* from, void* to, int64_t n) {
  const uint16_t* in = static_cast<const uint16_t*>(from);
  float* out = static_cast<float*>(to);
  int64_t i = 0;
  if constexpr (kHardwareHalf) {
    hn::ScalableTag<float> df;
    hn::Rebind<hwy::float16_t, decltype(df)> dh;
    hn::Rebind<uint16_t, decltype(df)> du;
    const int64_t N = int64_t(hn::Lanes(df));
    for (; i + N <= n; i += N)
      hn::StoreU(hn::PromoteTo(df, hn::BitCast(dh, hn::LoadU(du, in + i))), df, out + i);
  }
  for (; i < n; ++i) out[i] = Half::decode(in[i]);
}

void to_f16(const void* from, void* to, int64_t n) {
  const float* in = static_cast<const float*>(from);
  uint16_t* out = static_cast<uint16_t*>(to);
  int64_t i = 0;
  if constexpr (kHardwareHalf) {
    hn::ScalableTag<float> df;
    hn::Rebind<hwy::float16_t, decltype(df)> dh;
    hn::Rebind<uint16_t, decltype(df)> du;
    const int64_t N = int64_t(hn::Lanes(df));
    for (; i + N <= n; i += N)
      hn::StoreU(hn::BitCast(du, hn::DemoteTo(dh, hn::LoadU(df, in + i))), du, out + i);
  }
  for (; i < n; ++i) out[i] = Half::encode(in[i]);
}

void from_bf16(const void* from, void* to, int64_t n) {
  const uint16_t* in = static_cast<const uint16_t*>(from);
  float* out = static_cast<float*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(uint32_t(in[i]) << 16);
}

// Rounds by an integer addition; a NaN keeps its upper half and becomes quiet.
void to_bf16(const void* from, void* to, int64_t n) {
  const float* in = static_cast<const float*>(from);
  uint16_t* out = static_cast<uint16_t*>(to);
  for (int64_t i = 0; i < n; ++i) {
    uint32_t u = std::bit_cast<uint32_t>(in[i]);
    uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
    out[i] = uint16_t((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
  }
}

// 8-bit floats have 256 values.
template <class T>
void from_float8(const void* from, void* to, int64_t n) {
  static constexpr auto kValues = [] {
    std::array<uint32_t, 256> v{};
    for (int b = 0; b < 256; ++b)
      v[size_t(b)] =
          std::is_same_v<T, Float8E4M3> ? bits_of_float8_e4m3fn(uint8_t(b)) : bits_of_float8_e5m2(uint8_t(b));
    return v;
  }();
  const uint8_t* in = static_cast<const uint8_t*>(from);
  uint32_t* out = static_cast<uint32_t*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = kValues[in[i]];
}
template <class T>
void to_float8(const void* from, void* to, int64_t n) {
  const float* in = static_cast<const float*>(from);
  T* out = static_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = T(in[i]);
}

void stream(void* dst, const void* src, int64_t bytes) {
  hn::ScalableTag<uint8_t> d;
  const int64_t N = int64_t(hn::Lanes(d));
  uint8_t* y = static_cast<uint8_t*>(dst);
  const uint8_t* x = static_cast<const uint8_t*>(src);
  for (int64_t i = 0; i < bytes; i += N) hn::Stream(hn::LoadU(d, x + i), d, y + i);
}

// Defined for every value: limits are those that the float type can hold.
template <class To, class From>
HWY_INLINE To convert_one(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    constexpr From lo = From(std::numeric_limits<Wide>::min());
    constexpr From hi = sizeof(Wide) == 4   ? (sizeof(From) == 4 ? From(2147483520.0) : From(2147483647.0))
                        : sizeof(From) == 4 ? From(9223371487098961920.0)
                                            : From(9223372036854774784.0);
    x = x == x ? x : From(0);
    x = x > lo ? x : lo;
    x = x < hi ? x : hi;
    return To(Wide(x));
  } else {
    return To(x);
  }
}

template <class To, class From>
void cast_loop(const void* in, void* out, int64_t n) {
  using I = std::conditional_t<std::is_same_v<From, bool>, uint8_t, From>;
  using O = std::conditional_t<std::is_same_v<To, bool>, uint8_t, To>;
  const I* x = static_cast<const I*>(in);
  O* y = static_cast<O*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = O(convert_one<To, I>(x[i]));
}

template <class From, class... To>
void fill_from(Conversions* c) {
  ((c->cast[int(DTypeOf<From>::value)][int(DTypeOf<To>::value)] = cast_loop<To, From>), ...);
}
template <class... T>
void fill_all(Conversions* c) {
  (fill_from<T, T...>(c), ...);
}

void fill_conversions(Conversions* c) {
  fill_all<bool, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>(c);
  c->cast[HAFT_FLOAT16][HAFT_FLOAT32] = from_f16;
  c->cast[HAFT_FLOAT32][HAFT_FLOAT16] = to_f16;
  c->cast[HAFT_BFLOAT16][HAFT_FLOAT32] = from_bf16;
  c->cast[HAFT_FLOAT32][HAFT_BFLOAT16] = to_bf16;
  c->cast[HAFT_FLOAT8_E4M3FN][HAFT_FLOAT32] = from_float8<Float8E4M3>;
  c->cast[HAFT_FLOAT32][HAFT_FLOAT8_E4M3FN] = to_float8<Float8E4M3>;
  c->cast[HAFT_FLOAT8_E5M2][HAFT_FLOAT32] = from_float8<Float8E5M2>;
  c->cast[HAFT_FLOAT32][HAFT_FLOAT8_E5M2] = to_float8<Float8E5M2>;
  c->stream = stream;
}

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
