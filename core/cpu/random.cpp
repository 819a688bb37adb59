// Random numbers; core/schema/philox.h defines every one of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/random.cpp"
#include "core/cpu/foreach_target.h"
#include "hwy/contrib/math/math-inl.h"

#include <cmath>
#include <type_traits>

#include "core/cpu/attention.h"
#include "core/cpu/kernel.h"
#include "core/cpu/philox.h"
#include "core/cpu/rows.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// The words of elements 0..n-1 of a block that starts at `counter`; out holds kPhiloxBlock words.
void draw(uint64_t seed, uint64_t counter, uint32_t plane, uint32_t* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 4, ++counter) {
    const auto words = philox4x32({{uint32_t(counter), uint32_t(counter >> 32), plane, 0}}, uint32_t(seed),
                                  uint32_t(seed >> 32));
    std::memcpy(out + i, words.at, sizeof words);
  }
}
#else
// The words of elements 0..n-1 of a block that starts at `counter`; out holds kPhiloxBlock words. A 64-bit
// lane carries one counter: the products need no repacking, and the multiplication ignores what is left in
// the upper halves.
void draw(uint64_t seed, uint64_t counter, uint32_t plane, uint32_t* out, int64_t n) {
  const hn::CappedTag<uint64_t, 8> d;
  const hn::Repartition<uint32_t, decltype(d)> d32;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = int64_t(hn::Lanes(d));
  const auto m0 = hn::BitCast(d32, hn::Set(d, uint64_t(kPhiloxM0))),
             m1 = hn::BitCast(d32, hn::Set(d, uint64_t(kPhiloxM1)));
  const V low = hn::Set(d, uint64_t(0xffffffff));
  for (int64_t i = 0; i < n; i += 4 * lanes, counter += uint64_t(lanes)) {
    V c0 = hn::Add(hn::Set(d, counter), hn::Iota(d, 0)), c1 = hn::ShiftRight<32>(c0);
    V c2 = hn::Set(d, uint64_t(plane)), c3 = hn::Zero(d);
    uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const V a = hn::MulEven(hn::BitCast(d32, c0), m0), b = hn::MulEven(hn::BitCast(d32, c2), m1);
      c0 = hn::Xor(hn::ShiftRight<32>(b), hn::Xor(c1, hn::Set(d, uint64_t(k0))));
      c2 = hn::Xor(hn::ShiftRight<32>(a), hn::Xor(c3, hn::Set(d, uint64_t(k1))));
      c1 = b;
      c3 = a;
      k0 += kPhiloxW0;
      k1 += kPhiloxW1;
    }
    const V w01 = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1)),
            w23 = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
    hn::StoreInterleaved2(w01, w23, d, reinterpret_cast<uint64_t*>(out + i));
  }
}
#endif

HWY_INLINE double unit_double(uint32_t high, uint32_t low) {
  return double(int64_t((uint64_t(high) << 32 | low) >> 11)) * 0x1p-53;
}

void uniform_block(DType t, void* out, int64_t n, uint64_t seed, uint64_t counter, double low, double high) {
  alignas(64) uint32_t w[kPhiloxBlock], w2[kPhiloxBlock];
  draw(seed, counter, 0, w, n);
  if (t == DType::f64) {
    draw(seed, counter, 1, w2, n);
    double* const dst = static_cast<double*>(out);
    for (int64_t i = 0; i < n; ++i) {
      const double v = low + unit_double(w[i], w2[i]) * (high - low);
      dst[i] = v >= high ? low : v;
    }
    return;
  }
  alignas(64) float narrow[kPhiloxBlock];
  float* const dst = t == DType::f32 ? static_cast<float*>(out) : narrow;
  const float from = float(low), width = float(high - low), limit = float(high);
  // As many bits as the type holds, so that rounding does not reach 1.
  const int bits = t == DType::f16 ? 11 : t == DType::bf16 ? 8 : 24, shift = 32 - bits;
  const float unit = 1.0f / float(1 << bits);
  for (int64_t i = 0; i < n; ++i) {
    const float v = from + float(int32_t(w[i] >> shift)) * unit * width;
    dst[i] = v >= limit ? from : v;
  }
  if (t == DType::f32) return;
  // Whatever rounds up to the limit begins anew, too.
  convert_here(out, t, dst, DType::f32, n);
  convert_here(dst, DType::f32, out, t, n);
  for (int64_t i = 0; i < n; ++i) dst[i] = dst[i] >= limit ? from : dst[i];
  convert_here(out, t, dst, DType::f32, n);
}

// z (kPhiloxBlock) from u1, u2 (kPhiloxBlock / 2)
template <class T>
HWY_INLINE void box_muller(const T* u1, const T* u2, T* z, int64_t pairs) {
  const hn::CappedTag<T, 16> d;
  for (int64_t i = 0; i < pairs; i += int64_t(hn::Lanes(d))) {
    // The logarithm of 1 may come out a trace above 0.
    const auto square = hn::Max(hn::Mul(hn::Set(d, T(-2)), hn::Log(d, hn::Load(d, u1 + i))), hn::Zero(d));
    const auto r = hn::Sqrt(square), angle = hn::Mul(hn::Load(d, u2 + i), hn::Set(d, T(6.283185307179586)));
    hn::StoreInterleaved2(hn::Mul(r, hn::Cos(d, angle)), hn::Mul(r, hn::Sin(d, angle)), d, z + 2 * i);
  }
}

void normal_block(DType t, void* out, int64_t n, uint64_t seed, uint64_t counter, double mean, double std) {
  alignas(64) uint32_t w[kPhiloxBlock], w2[kPhiloxBlock];
  const int64_t pairs = (n + 1) / 2;
  draw(seed, counter, 0, w, n);
  if (t == DType::f64) {
    draw(seed, counter, 1, w2, n);
    alignas(64) double u1[kPhiloxBlock / 2], u2[kPhiloxBlock / 2], z[kPhiloxBlock];
    for (int64_t i = 0; i < pairs; ++i) {
      u1[i] = unit_double(w[2 * i], w2[2 * i]) + 0x1p-53;
      u2[i] = unit_double(w[2 * i + 1], w2[2 * i + 1]);
    }
    for (int64_t i = pairs; i < kPhiloxBlock / 2 && i % 16; ++i) u1[i] = u2[i] = 1;
    box_muller(u1, u2, z, pairs);
    for (int64_t i = 0; i < n; ++i) static_cast<double*>(out)[i] = mean + std * z[i];
    return;
  }
  alignas(64) float u1[kPhiloxBlock / 2], u2[kPhiloxBlock / 2], z[kPhiloxBlock];
  for (int64_t i = 0; i < pairs; ++i) {
    u1[i] = float(w[2 * i]) * 0x1p-32f + 0x1p-33f;
    u2[i] = float(int32_t(w[2 * i + 1] >> 8)) * 0x1p-24f;
  }
  for (int64_t i = pairs; i < kPhiloxBlock / 2 && i % 16; ++i) u1[i] = u2[i] = 1;
  box_muller(u1, u2, z, pairs);
  const float m = float(mean), s = float(std);
  float* const dst = t == DType::f32 ? static_cast<float*>(out) : z;
  for (int64_t i = 0; i < n; ++i) dst[i] = m + s * z[i];
  if (dst == z) convert_here(out, t, z, DType::f32, n);
}

#if HWY_TARGET == HWY_SCALAR
void drop_f32(const float* x, float* y, uint8_t* kept, const uint32_t* w, int64_t n, uint32_t limit,
              float scale) {
  for (int64_t i = 0; i < n; ++i) {
    kept[i] = w[i] >= limit;
    y[i] = kept[i] ? x[i] * scale : 0;
  }
}
#else
void drop_f32(const float* x, float* y, uint8_t* kept, const uint32_t* w, int64_t n, uint32_t limit,
              float scale) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const int64_t lanes = int64_t(hn::Lanes(d));
  // Words are compared as signed numbers, for which every target has an instruction, with their top bit turned.
  const auto top = hn::Set(di, INT32_MIN), bound = hn::Set(di, int32_t(limit ^ 0x80000000u));
  const auto s = hn::Set(d, scale);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto word = hn::Xor(hn::Load(di, reinterpret_cast<const int32_t*>(w) + i), top);
    const auto drop = hn::VecFromMask(di, hn::Lt(word, bound));  // all ones where dropped
    hn::StoreU(hn::AndNot(hn::BitCast(d, drop), hn::Mul(hn::LoadU(d, x + i), s)), d, y + i);
    hn::StoreU(hn::DemoteTo(d8, hn::Add(drop, hn::Set(di, 1))), d8, kept + i);
  }
  for (; i < n; ++i) {
    kept[i] = w[i] >= limit;
    y[i] = kept[i] ? x[i] * scale : 0;
  }
}
#endif

// Keeps x[i] iff its word reaches `threshold` (2^32: nothing is kept). Dropped elements are 0 even where x is NaN.
void dropout_block(DType t, const void* x, void* y, bool* mask, int64_t n, uint64_t seed, uint64_t counter,
                   uint64_t threshold, double scale) {
  if (threshold >> 32) {
    std::memset(y, 0, size_t(n * item_size(t)));
    std::memset(mask, 0, size_t(n));
    return;
  }
  alignas(64) uint32_t w[kPhiloxBlock];
  draw(seed, counter, 0, w, n);
  const uint32_t limit = uint32_t(threshold);
  uint8_t* const kept = reinterpret_cast<uint8_t*>(mask);
  if (t == DType::f64) {
    const double* src = static_cast<const double*>(x);
    double* dst = static_cast<double*>(y);
    for (int64_t i = 0; i < n; ++i) kept[i] = w[i] >= limit;
    for (int64_t i = 0; i < n; ++i) dst[i] = w[i] >= limit ? src[i] * scale : 0;
  } else if (t == DType::f32) {
    drop_f32(static_cast<const float*>(x), static_cast<float*>(y), kept, w, n, limit, float(scale));
  } else {
    alignas(64) float wide[kPhiloxBlock];
    convert_here(wide, DType::f32, x, t, n);
    drop_f32(wide, wide, kept, w, n, limit, float(scale));
    convert_here(y, t, wide, DType::f32, n);
  }
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/radix.h"

namespace haft::cpu {
HWY_EXPORT(draw);
HWY_EXPORT(uniform_block);
HWY_EXPORT(normal_block);
HWY_EXPORT(dropout_block);

void philox_words(uint64_t seed, uint64_t counter, uint32_t* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(draw)(seed, counter, 0, out, n);
}

namespace {

// f(first element, count, counter of the block) over the blocks of n elements.
template <class F>
void for_blocks(int64_t n, uint64_t offset, F&& f) {
  parallel_for((n + kPhiloxBlock - 1) / kPhiloxBlock, 16, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      f(b * kPhiloxBlock, std::min(kPhiloxBlock, n - b * kPhiloxBlock),
        offset + uint64_t(b) * (kPhiloxBlock / 4));
  });
}

char* element(const haft_tensor_view& v, int64_t i) {
  return static_cast<char*>(v.data) + i * item_size(dtype_of(v));
}

void need_float(const haft_kernel_call& c, DType t) {
  if (!is_float(t))
    fail(Code::dtype, concat(op_name(OpId(c.op)), ": expected a floating dtype, got ", dtype_name(t)));
}

// Both draw weights of a row as running sums or races; a row must have finite weights, none negative.
void check_weights(const double* w, int64_t row, int64_t classes) {
  double total = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!(w[i] >= 0) || std::isinf(w[i]))
      fail(Code::invalid_argument, concat("multinomial: weight ", i, " of row ", row, " is ", w[i]),
           "weights are finite and not negative");
    total += w[i];
  }
  if (!(total > 0))
    fail(Code::invalid_argument, concat("multinomial: the weights of row ", row, " sum to ", total),
         "at least one weight must be positive");
}

}  // namespace

// attrs: size list, low, high, seed, offset, dtype, device
void k_philox_uniform(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view& out = *c.out[0];
  need_float(c, dtype_of(out));
  const auto kernel = HWY_DYNAMIC_DISPATCH(uniform_block);
  for_blocks(out.numel, uint64_t(attrs.i(4)), [&](int64_t at, int64_t n, uint64_t counter) {
    kernel(dtype_of(out), element(out, at), n, uint64_t(attrs.i(3)), counter, attrs.d(1), attrs.d(2));
  });
}

// attrs: size list, mean, std, seed, offset, dtype, device
void k_philox_normal(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view& out = *c.out[0];
  need_float(c, dtype_of(out));
  const auto kernel = HWY_DYNAMIC_DISPATCH(normal_block);
  for_blocks(out.numel, uint64_t(attrs.i(4)), [&](int64_t at, int64_t n, uint64_t counter) {
    kernel(dtype_of(out), element(out, at), n, uint64_t(attrs.i(3)), counter, attrs.d(1), attrs.d(2));
  });
}

// attrs: size list, low, high, seed, offset, dtype, device
void k_philox_randint(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const int64_t low = attrs.i(1), high = attrs.i(2);
  const uint64_t seed = uint64_t(attrs.i(3));
  const haft_tensor_view& out = *c.out[0];
  if (low >= high && out.numel)
    fail(Code::invalid_argument, concat("randint: low is ", low, ", high is ", high),
         "high must be above low");
  const uint64_t range = uint64_t(high) - uint64_t(low);
  const bool wide = range > (uint64_t(1) << 20);
  const auto words = HWY_DYNAMIC_DISPATCH(draw);
  for_blocks(out.numel, uint64_t(attrs.i(4)), [&](int64_t at, int64_t n, uint64_t counter) {
    alignas(64) uint32_t w[kPhiloxBlock], w2[kPhiloxBlock];
    words(seed, counter, 0, w, n);
    if (wide) words(seed, counter, 1, w2, n);
    alignas(64) int64_t drawn[kPhiloxBlock];
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t step = wide ? uint64_t((unsigned __int128)(uint64_t(w[i]) << 32 | w2[i]) * range >> 64)
                                 : uint64_t(w[i]) * range >> 32;
      drawn[i] = int64_t(uint64_t(low) + step);
    }
    convert_here(element(out, at), dtype_of(out), drawn, DType::i64, n);
  });
}

// attrs: seed, offset
void k_philox_bernoulli(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view &p = *c.in[0], &out = *c.out[0];
  need_float(c, dtype_of(p));
  const uint64_t seed = uint64_t(attrs.i(0));
  const bool wide = dtype_of(p) == DType::f64;
  const auto words = HWY_DYNAMIC_DISPATCH(draw);
  for_blocks(out.numel, uint64_t(attrs.i(1)), [&](int64_t at, int64_t n, uint64_t counter) {
    alignas(64) uint32_t w[kPhiloxBlock], w2[kPhiloxBlock];
    double chance[kPhiloxBlock];
    words(seed, counter, 0, w, n);
    if (wide) words(seed, counter, 1, w2, n);
    load_range(p, at, n, chance);
    for (int64_t i = 0; i < n; ++i) {
      if (!(chance[i] >= 0 && chance[i] <= 1))
        fail(Code::invalid_argument, concat("bernoulli: p of element ", at + i, " is ", chance[i]),
             "probabilities lie in [0, 1]");
      const double u =
          wide ? double((uint64_t(w[i]) << 32 | w2[i]) >> 11) * 0x1p-53 : double(w[i] >> 8) * 0x1p-24;
      chance[i] = u < chance[i];
    }
    store_range(chance, out, at, n);
  });
}

// attrs: n, seed, offset, dtype, device
void k_philox_randperm(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view& out = *c.out[0];
  const int64_t n = out.numel;
  if (n >= int64_t(1) << 32)
    fail(Code::overflow, concat("randperm: n is ", n), "permutations have fewer than 2^32 elements");
  const Philox philox{uint64_t(attrs.i(1)), uint64_t(attrs.i(2))};
  Scratch<uint64_t> packed(n + 1), tmp(n + 1);
  const auto words = HWY_DYNAMIC_DISPATCH(draw);
  for_blocks(n, philox.offset, [&](int64_t at, int64_t count, uint64_t counter) {
    alignas(64) uint32_t w[kPhiloxBlock];
    words(philox.seed, counter, 0, w, count);
    for (int64_t i = 0; i < count; ++i) packed[at + i] = uint64_t(w[i]) << 32 | uint64_t(at + i);
  });
  sort_packed(packed.get(), tmp.get(), n);
  // Runs of equal upper words are rare: only they look at the lower ones.
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && packed[end] >> 32 == packed[i] >> 32;) ++end;
    if (end - i > 1)
      std::sort(packed.get() + i, packed.get() + end, [&](uint64_t a, uint64_t b) {
        const uint32_t wa = philox.word(uint32_t(a), 1), wb = philox.word(uint32_t(b), 1);
        return wa != wb ? wa < wb : a < b;
      });
  }
  for (int64_t i = 0; i < n; ++i) packed[i] = uint32_t(packed[i]);
  convert(out.data, dtype_of(out), packed.get(), DType::i64, n);
}

// attrs: p, seed, offset
void k_philox_dropout(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view &x = *c.in[0], &out = *c.out[0], &mask = *c.out[1];
  need_float(c, dtype_of(x));
  const double p = attrs.d(0);
  if (!(p >= 0 && p <= 1)) fail(Code::invalid_argument, concat("dropout: p is ", p), "p lies in [0, 1]");
  // uniform >= p in integers: the upper 24 bits of the word reach ceil(p * 2^24).
  const uint64_t threshold = uint64_t(std::ceil(p * 0x1p24)) << 8;
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  const auto kernel = HWY_DYNAMIC_DISPATCH(dropout_block);
  for_blocks(x.numel, uint64_t(attrs.i(2)), [&](int64_t at, int64_t n, uint64_t counter) {
    kernel(dtype_of(x), element(x, at), element(out, at), static_cast<bool*>(mask.data) + at, n,
           uint64_t(attrs.i(1)), counter, threshold, scale);
  });
}

// attrs: n, replacement, seed, offset. weights (classes) or (rows, classes) -> (n) or (rows, n)
void k_philox_multinomial(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view &weights = *c.in[0], &out = *c.out[0];
  need_float(c, dtype_of(weights));
  const int64_t n = attrs.i(0), classes = weights.ndim ? weights.sizes[weights.ndim - 1] : 1;
  const int64_t rows = n ? out.numel / n : 0;
  const bool replacement = attrs.b(1);
  const Philox philox{uint64_t(attrs.i(2)), uint64_t(attrs.i(3))};
  int64_t* const index = static_cast<int64_t*>(out.data);
  const int64_t work = classes + n;
  parallel_for(rows, std::max<int64_t>(1, 1024 / work), [&](int64_t begin, int64_t end) {
    Scratch<double> w(classes + 1);
    Scratch<int64_t> order(classes + 1);
    for (int64_t r = begin; r < end; ++r) {
      load_range(weights, r * classes, classes, w.get());
      check_weights(w.get(), r, classes);
      if (replacement) {
        for (int64_t i = 1; i < classes; ++i) w[i] += w[i - 1];
        const double total = w[classes - 1];
        for (int64_t j = 0; j < n; ++j) {
          const double u = philox.uniform64(uint64_t(r * n + j)) * total;
          // The last step up, should rounding carry u to the total.
          const double* at = std::upper_bound(w.get(), w.get() + classes, u);
          if (at == w.get() + classes) at = std::lower_bound(w.get(), w.get() + classes, total);
          index[r * n + j] = at - w.get();
        }
        continue;
      }
      for (int64_t i = 0; i < classes; ++i) {
        order[i] = i;
        w[i] = w[i] > 0 ? -std::log1p(-philox.uniform64(uint64_t(r * classes + i))) / w[i]
                        : std::numeric_limits<double>::infinity();
      }
      std::partial_sort(order.get(), order.get() + n, order.get() + classes,
                        [&](int64_t a, int64_t b) { return w[a] != w[b] ? w[a] < w[b] : a < b; });
      std::copy_n(order.get(), n, index + r * n);
    }
  });
}

}  // namespace haft::cpu
#endif
