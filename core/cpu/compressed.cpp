#include "core/cpu/compressed.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/parallel.h"
#include "core/cpu/multiversion.h"

// The build switches off contraction for this file: with it x - q * unit would depend on the instruction set.

namespace haft::cpu {
namespace {

typedef int32_t i32x16 __attribute__((vector_size(64)));

constexpr int64_t kBlock =
    4096;  // elements whose sum is one addend, whoever adds it up; they stay in the first cache
constexpr int64_t kGrain = 8;  // blocks
constexpr int64_t kSmall = 512;
constexpr int32_t kSizeBits = 0x7fffffff, kInfinite = 0x7f800000;
constexpr float kToInteger = 12582912;  // 1.5 * 2^23: x + this is x rounded, in the lowest bits

template <class F>
void each_block(int64_t n, F&& f) {
  parallel_for((n + kBlock - 1) / kBlock, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) f(b * kBlock, std::min(kBlock, n - b * kBlock));
  });
}
// f(at, g, rest, n); where nothing is kept there are zeros in its place for a moment.
template <class F>
void each_block(Gradient x, F&& f) {
  each_block(x.n, [&](int64_t at, int64_t n) {
    alignas(64) float none[kBlock];
    if (!x.rest) std::memset(none, 0, sizeof none);
    f(at, x.g + at, x.rest ? x.rest + at : none, n);
  });
}

struct Part {
  double sum;
  int32_t top;
};

template <Isa>
HAFT_BODY void measure_block_body(const float* g, const float* rest, int64_t n, Part* out) {
  f32x16 sum = {};
  i32x16 top = {};
  const auto add = [&](const float* a, const float* b) HAFT_INLINE {
    const f32x16 x = *reinterpret_cast<const f32x16u*>(a) + *reinterpret_cast<const f32x16u*>(b);
    const i32x16 size = reinterpret_cast<i32x16>(x) & kSizeBits;
    sum += reinterpret_cast<f32x16>(size);
    top = size > top ? size : top;
  };
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) add(g + i, rest + i);
  if (i < n) {
    float a[16] = {}, b[16] = {};
    std::memcpy(a, g + i, size_t(n - i) * sizeof(float));
    std::memcpy(b, rest + i, size_t(n - i) * sizeof(float));
    add(a, b);
  }
  *out = {};
  for (int l = 0; l < 16; ++l) {
    out->sum += double(sum[l]);
    out->top = std::max(out->top, top[l]);
  }
}
HAFT_MULTIVERSION(measure_block, (const float* g, const float* rest, int64_t n, Part* out), (g, rest, n, out))

template <Isa>
HAFT_BODY void int8_block_body(int8_t* to, const float* g, float* rest, int64_t n, float divisor,
                               float unit) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float x = g[i] + rest[i];
    const float q = x / divisor + kToInteger;
    to[i] = int8_t(std::bit_cast<int32_t>(q));
    rest[i] = x - (q - kToInteger) * unit;
  }
}
HAFT_MULTIVERSION(int8_block,
                  (int8_t * to, const float* g, float* rest, int64_t n, float divisor, float unit),
                  (to, g, rest, n, divisor, unit))

// Eight bytes, the first one lowest.
HAFT_BODY uint64_t word_at(const uint8_t* bytes) {
  uint64_t w;
  std::memcpy(&w, bytes, sizeof w);
  return std::endian::native == std::endian::big ? __builtin_bswap64(w) : w;
}

template <Isa>
HAFT_BODY void signs_block_body(uint8_t* to, const float* g, float* rest, int64_t n, float size) {
  alignas(64) uint8_t above[kSmall];
  for (int64_t at = 0; at < n; at += kSmall) {
    const int64_t m = std::min(kSmall, n - at);
    const float* a = g + at;
    float* b = rest + at;
    if (m % 8) std::memset(above + m / 8 * 8, 0, 8);
#pragma GCC ivdep
    for (int64_t i = 0; i < m; ++i) {
      const float x = a[i] + b[i];
      above[i] = x > 0;
      b[i] = x - (x > 0 ? size : -size);
    }
    for (int64_t i = 0; i < m; i += 8)  // byte j of eight becomes bit j of one
      to[(at + i) / 8] = uint8_t(word_at(above + i) * 0x0102040810204080 >> 56);
  }
}
HAFT_MULTIVERSION(signs_block, (uint8_t * to, const float* g, float* rest, int64_t n, float size),
                  (to, g, rest, n, size))

template <Isa>
HAFT_BODY void add_block_body(float* rest, const float* g, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) rest[i] = g[i] + rest[i];
}
HAFT_MULTIVERSION(add_block, (float* rest, const float* g, int64_t n), (rest, g, n))

template <Isa>
HAFT_BODY void add_int8_body(float* out, const int8_t* q, float unit, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] += float(q[i]) * unit;
}
HAFT_MULTIVERSION(add_int8, (float* out, const int8_t* q, float unit, int64_t n), (out, q, unit, n))

template <Isa>
HAFT_BODY void add_signs_body(float* out, const uint8_t* bits, float size, int64_t n) {
  const i32x16 one = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                      1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  const f32x16 plus = f32x16{} + size, minus = f32x16{} - size;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const int32_t word = bits[i / 8] | bits[i / 8 + 1] << 8;
    const f32x16 sum = *reinterpret_cast<const f32x16u*>(out + i);
    *reinterpret_cast<f32x16u*>(out + i) = sum + (((i32x16{} + word) & one) != 0 ? plus : minus);
  }
  for (; i < n; ++i) out[i] += bits[i / 8] >> i % 8 & 1 ? size : -size;
}
HAFT_MULTIVERSION(add_signs, (float* out, const uint8_t* bits, float size, int64_t n), (out, bits, size, n))

// Sizes as integers, which stand in the same order, of at most kSmall: whether each is `least` or more, and the
// largest. Flags behind the last are 0.
template <Isa>
HAFT_BODY void compare_body(const float* g, const float* rest, int64_t n, int32_t least, int32_t* sizes,
                            uint8_t* flags, int32_t* top) {
  std::memset(flags + n / 8 * 8, 0, 8);
  int32_t largest = *top;
  for (int64_t i = 0; i < n; ++i) {
    sizes[i] = std::bit_cast<int32_t>(g[i] + rest[i]) & kSizeBits;
    flags[i] = sizes[i] >= least;
    largest = std::max(largest, sizes[i]);
  }
  *top = largest;
}
HAFT_MULTIVERSION(compare,
                  (const float* g, const float* rest, int64_t n, int32_t least, int32_t* sizes,
                   uint8_t* flags, int32_t* top),
                  (g, rest, n, least, sizes, flags, top))

// Larger sizes first, and lower places among equal ones.
uint64_t order(int32_t size, int64_t place) {
  return uint64_t(uint32_t(~size)) << 32 | uint64_t(uint32_t(place));
}

// The one that stands at `place` when they are sorted.
uint64_t element_of(std::vector<uint64_t>& v, int64_t place) {
  std::nth_element(v.begin(), v.begin() + place, v.end());
  return v[size_t(place)];
}

// What is at least so large, in the order of places.
std::vector<uint64_t> collect(Gradient x, int32_t least, int32_t* top) {
  std::vector<std::vector<uint64_t>> found(size_t((x.n + kBlock - 1) / kBlock));
  std::vector<int32_t> tops(found.size(), 0);
  each_block(x, [&](int64_t from, const float* g, const float* rest, int64_t count) {
    const size_t block = size_t(from / kBlock);
    alignas(64) int32_t sizes[kSmall];
    alignas(64) uint8_t flags[kSmall + 8];
    for (int64_t at = 0; at < count; at += kSmall) {
      const int64_t m = std::min(kSmall, count - at);
      compare(g + at, rest + at, m, least, sizes, flags, &tops[block]);
      for (int64_t i = 0; i < m; i += 8) {
        for (uint64_t set = word_at(flags + i); set; set &= set - 1) {
          const int64_t j = i + std::countr_zero(set) / 8;
          found[block].push_back(order(sizes[j], from + at + j));
        }
      }
    }
  });
  size_t count = 0;
  for (const auto& f : found) count += f.size();
  std::vector<uint64_t> all;
  all.reserve(count);
  for (const auto& f : found) all.insert(all.end(), f.begin(), f.end());
  *top = 0;
  for (int32_t t : tops) *top = std::max(*top, t);
  return all;
}

// A size that some more than k have, from a sample; at least that of the smallest number.
int32_t guess_least(Gradient x, int64_t k) {
  constexpr int64_t kRuns = 1024, kRun = 16;
  std::vector<uint64_t> sample;
  const int64_t stride = std::max(kRun, x.n / kRuns);
  for (int64_t at = 0; at < x.n; at += stride)
    for (int64_t i = at; i < std::min(x.n, at + kRun); ++i)
      sample.push_back(order(std::bit_cast<int32_t>(x.rest ? x.g[i] + x.rest[i] : x.g[i]) & kSizeBits, 0));
  const double share = double(k) / double(x.n) * double(sample.size());
  const auto place = int64_t(share + 4 * std::sqrt(share) + 8);
  if (place >= int64_t(sample.size())) return 1;
  return std::max(1, int32_t(~uint32_t(element_of(sample, place) >> 32)));
}

}  // namespace

Size size_of(Gradient x) {
  std::vector<Part> parts(size_t((x.n + kBlock - 1) / kBlock));
  each_block(x, [&](int64_t at, const float* g, const float* rest, int64_t n) {
    measure_block(g, rest, n, &parts[size_t(at / kBlock)]);
  });
  Part all{};
  for (const Part& p : parts) {
    all.sum += p.sum;
    all.top = std::max(all.top, p.top);
  }
  const float mean = x.n ? float(all.sum / double(x.n)) : 0;
  return {all.top < kInfinite && std::isfinite(mean), std::bit_cast<float>(all.top), mean};
}

void take_int8(int8_t* to, Gradient x, float unit) {
  each_block(x, [&](int64_t at, const float* g, float* rest, int64_t n) {
    int8_block(to + at, g, rest, n, unit != 0 ? unit : 1, unit);
  });
}

void take_signs(uint8_t* to, Gradient x, float size) {
  each_block(x, [&](int64_t at, const float* g, float* rest, int64_t n) {
    signs_block(to + at / 8, g, rest, n, size);
  });
}

void take_nothing(Gradient x) {
  if (x.rest) each_block(x.n, [&](int64_t at, int64_t n) { add_block(x.rest + at, x.g + at, n); });
}

void find_largest(int32_t* places, Gradient x, int64_t k, bool* finite) {
  int32_t least = guess_least(x, k), top = 0;
  std::vector<uint64_t> found = collect(x, least, &top);
  if (int64_t(found.size()) < k && least > 1) found = collect(x, 1, &top);
  *finite = top < kInfinite;
  std::vector<uint64_t> some = found;
  const uint64_t end = k < int64_t(some.size()) ? element_of(some, k) : ~uint64_t(0);
  int64_t zeros = k - std::min(k, int64_t(found.size())),
          next = 0;  // how many zeros are among them: the first
  int32_t* to = places;
  const auto put_zeros = [&](int64_t before) {
    for (; zeros && next < before; ++next, --zeros) *to++ = int32_t(next);
    next = before + 1;
  };
  for (const uint64_t f : found) {
    if (f >= end) continue;
    const auto place = int64_t(uint32_t(f));
    put_zeros(place);
    *to++ = int32_t(place);
  }
  put_zeros(x.n);
}

void sum_int8(float* out, const int8_t* const* from, const float* units, int ranks, int64_t n) {
  each_block(n, [&](int64_t at, int64_t m) {
    std::memset(out + at, 0, size_t(m) * sizeof(float));
    for (int r = 0; r < ranks; ++r) add_int8(out + at, from[r] + at, units[r], m);
  });
}

void sum_signs(float* out, const uint8_t* const* from, const float* sizes, int ranks, int64_t n) {
  each_block(n, [&](int64_t at, int64_t m) {
    std::memset(out + at, 0, size_t(m) * sizeof(float));
    for (int r = 0; r < ranks; ++r) add_signs(out + at, from[r] + at / 8, sizes[r], m);
  });
}

}  // namespace haft::cpu
