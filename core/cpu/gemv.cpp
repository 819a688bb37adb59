// Matrix-vector products in float: bound by reading the matrix once, in order.
#include "core/base/parallel.h"
#include "core/cpu/matmul.h"
#include "core/cpu/multiversion.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {
namespace {

constexpr int64_t kBytesWorthAThread = 256 << 10;
constexpr int64_t kLongRow = 512;  // floats

HAFT_BODY float sum16(const f32x16& whole) {
  f32x16 v = whole;
  v += __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1);
  return v[0] + v[1];
}

// R rows at once share the loads of x; two vectors a row hide the latency of the adds.
template <int R>
HAFT_BODY void dots(const float* w, int64_t ld, const float* x, int64_t k, float* y) {
  f32x16 s0[R] = {}, s1[R] = {};
  int64_t i = 0;
  for (; i + 32 <= k; i += 32) {
    f32x16 x0 = *reinterpret_cast<const f32x16u*>(x + i), x1 = *reinterpret_cast<const f32x16u*>(x + i + 16);
    for (int r = 0; r < R; ++r) {
      s0[r] += *reinterpret_cast<const f32x16u*>(w + r * ld + i) * x0;
      s1[r] += *reinterpret_cast<const f32x16u*>(w + r * ld + i + 16) * x1;
    }
  }
  for (int r = 0; r < R; ++r) {
    float s = sum16(s0[r] + s1[r]);
    for (int64_t j = i; j < k; ++j) s += w[r * ld + j] * x[j];
    y[r] = s;
  }
}

// out[0..n) = rows of w times x.
template <Isa>
HAFT_BODY void dot_rows_body(const float* w, int64_t ld, const float* x, int64_t n, int64_t k, float* out) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) dots<4>(w + i * ld, ld, x, k, out + i);
  for (; i < n; ++i) dots<1>(w + i * ld, ld, x, k, out + i);
}
HAFT_MULTIVERSION(dot_rows, (const float* w, int64_t ld, const float* x, int64_t n, int64_t k, float* out),
                  (w, ld, x, n, k, out))

// out[0..n) = sum over k of x[i] * w[i * ld + 0..n): eight rows a pass keep out in the first cache, and two
// vectors of each row a turn keep more reads under way.
template <Isa>
HAFT_BODY void add_rows_body(const float* w, int64_t ld, const float* x, int64_t n, int64_t k, float* out) {
  for (int64_t j = 0; j < n; ++j) out[j] = 0;
  int64_t i = 0;
  for (; i + 8 <= k; i += 8) {
    const float* p = w + i * ld;
    int64_t j = 0;
    for (; j + 32 <= n; j += 32) {
      f32x16 s0 = *reinterpret_cast<f32x16u*>(out + j), s1 = *reinterpret_cast<f32x16u*>(out + j + 16);
      for (int r = 0; r < 8; ++r) {
        s0 += *reinterpret_cast<const f32x16u*>(p + r * ld + j) * x[i + r];
        s1 += *reinterpret_cast<const f32x16u*>(p + r * ld + j + 16) * x[i + r];
      }
      *reinterpret_cast<f32x16u*>(out + j) = s0;
      *reinterpret_cast<f32x16u*>(out + j + 16) = s1;
    }
    for (; j + 16 <= n; j += 16) {
      f32x16 s = *reinterpret_cast<f32x16u*>(out + j);
      for (int r = 0; r < 8; ++r) s += *reinterpret_cast<const f32x16u*>(p + r * ld + j) * x[i + r];
      *reinterpret_cast<f32x16u*>(out + j) = s;
    }
    for (; j < n; ++j) {
      float s = out[j];
      for (int r = 0; r < 8; ++r) s += p[r * ld + j] * x[i + r];
      out[j] = s;
    }
  }
  for (; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) out[j] += w[i * ld + j] * x[i];
}
HAFT_MULTIVERSION(add_rows, (const float* w, int64_t ld, const float* x, int64_t n, int64_t k, float* out),
                  (w, ld, x, n, k, out))

// y[0..n) = the sum of `count` rows of n, in order.
template <Isa>
HAFT_BODY void sum_rows_body(const float* rows, int64_t count, int64_t n, float* y) {
  int64_t j = 0;
  for (; j + 16 <= n; j += 16) {
    f32x16 s = *reinterpret_cast<const f32x16u*>(rows + j);
    for (int64_t r = 1; r < count; ++r) s += *reinterpret_cast<const f32x16u*>(rows + r * n + j);
    *reinterpret_cast<f32x16u*>(y + j) = s;
  }
  for (; j < n; ++j) {
    y[j] = rows[j];
    for (int64_t r = 1; r < count; ++r) y[j] += rows[r * n + j];
  }
}
HAFT_MULTIVERSION(sum_rows, (const float* rows, int64_t count, int64_t n, float* y), (rows, count, n, y))

// A tall W is read in whole rows: up to kStrips strips of them, whose sums are added in order. They depend on
// the shape alone, and so does the result.
constexpr int64_t kStrips = 8, kShortRow = 1024;

bool tall(const Gemv& g) {
  return g.n <= kShortRow && g.k >= 2 * g.n && g.k * g.n * 4 >= 2 * kBytesWorthAThread;
}

void add_strips(const Gemv& g, const float* x, float* y) {
  int64_t least = kBytesWorthAThread / (4 * g.n) + 1;
  int64_t rows = (std::max(least, (g.k + kStrips - 1) / kStrips) + 7) & ~int64_t(7);
  int64_t strips = (g.k + rows - 1) / rows;
  HostBuffer sums(strips * g.n * 4);
  // One run of strips a thread: from call to call it finds its own in its cache.
  parallel_for(strips, (strips + num_threads() - 1) / num_threads(), [&](int64_t b, int64_t e) {
    for (int64_t s = b; s < e; ++s)
      add_rows(g.w + s * rows * g.w_col, g.w_col, x + s * rows, g.n, std::min(rows, g.k - s * rows),
               sums.as<float>() + s * g.n);
  });
  sum_rows(sums.as<float>(), strips, g.n, y);
}

void scale_and_bias(const Gemv& g, float* y, int64_t b, int64_t e) {
  if (g.alpha == 1 && !g.bias) return;
  for (int64_t i = b; i < e; ++i) {
    float v = g.alpha * y[i];
    y[i] = g.bias ? v + g.beta * g.bias[i * g.bias_stride] : v;
  }
}

// Columns of W, or its rows, shared among the threads.
void share_results(const Gemv& g, const float* x, float* y, bool by_rows) {
  int64_t grain = kBytesWorthAThread / (4 * g.k + 1) + 1;
  if (!by_rows) {
    // Pieces of a row of W are read in order only if they are long: 2 KiB, or the share of a thread.
    int64_t share = (g.n + num_threads() - 1) / num_threads();
    grain = (std::max(grain, std::min(share, kLongRow)) + 63) & ~int64_t(63);
  }
  parallel_for(g.n, grain, [&](int64_t b, int64_t e) {
    if (by_rows)
      dot_rows(g.w + b * g.w_row, g.w_row, x, e - b, g.k, y + b);
    else
      add_rows(g.w + b, g.w_col, x, e - b, g.k, y + b);
    scale_and_bias(g, y, b, e);
  });
}

}  // namespace

void gemv(const Gemv& g) {
  HostBuffer x_copy, y_copy;
  const float* x = g.x;
  if (g.x_stride != 1 && g.k > 1) {
    x_copy = HostBuffer(g.k * 4);
    float* p = x_copy.as<float>();
    for (int64_t i = 0; i < g.k; ++i) p[i] = g.x[i * g.x_stride];
    x = p;
  }
  float* y = g.y;
  if ((g.y_stride != 1 && g.n > 1) || g.bias == y) {  // what is added may be what is written
    y_copy = HostBuffer(g.n * 4);
    y = y_copy.as<float>();
  }
  bool by_rows = g.w_col == 1 || g.k == 1;
  if (!by_rows && tall(g)) {
    add_strips(g, x, y);
    scale_and_bias(g, y, 0, g.n);
  } else {
    share_results(g, x, y, by_rows);
  }
  if (y != g.y)
    for (int64_t i = 0; i < g.n; ++i) g.y[i * g.y_stride] = y[i];
}

}  // namespace haft::cpu
