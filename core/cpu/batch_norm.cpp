// Batch norm and sums over channels. A tensor (N, C, *) is a row of planes, each of one channel (dense) or 8
// or 16 (blocked); a plane is walked as vectors of sixteen elements with a pattern of per-channel numbers
// that repeats. Statistics are accurate without a second pass over memory: mean and squared deviations of a
// plane while it is in the cache, then Chan's formula over the planes in double.
#include "core/cpu/dense.h"
#include "core/cpu/multiversion.h"
#include "core/tensor/layout.h"

namespace haft::cpu {
namespace {

constexpr int64_t kElementsAThread = 1 << 15;
constexpr int64_t kLanes = 16;
// Vectors added in the compute type before the sum moves on to double.
constexpr int64_t kRun = 64;

typedef double f64x16 __attribute__((vector_size(128)));
typedef double f64x16u __attribute__((vector_size(128), aligned(8), may_alias));
template <class A>
struct Vec16;
template <>
struct Vec16<float> {
  using type = f32x16;
};
template <>
struct Vec16<double> {
  using type = f64x16;
};

HAFT_BODY void load16(const float* p, f32x16& v) { v = *reinterpret_cast<const f32x16u*>(p); }
HAFT_BODY void load16(const double* p, f64x16& v) { v = *reinterpret_cast<const f64x16u*>(p); }
HAFT_BODY void store16(float* p, const f32x16& v) { *reinterpret_cast<f32x16u*>(p) = v; }
HAFT_BODY void store16(double* p, const f64x16& v) { *reinterpret_cast<f64x16u*>(p) = v; }
template <class H>
HAFT_BODY void load16(const H* p, f32x16& v) {
  f32x16 t = {};
  for (int l = 0; l < 16; ++l) t[l] = float(p[l]);
  v = t;
}
template <class H>
HAFT_BODY void store16(H* p, const f32x16& v) {
  for (int l = 0; l < 16; ++l) p[l] = H(v[l]);
}

// sum[l] += x[i]; l = i % 16.
template <class T, class A = Compute<T>>
HAFT_BODY void plane_sum(const T* x, int64_t n, double* sum) {
  using V = typename Vec16<A>::type;
  int64_t i = 0;
  while (i + kLanes <= n) {
    V a = {}, b = {}, v = {};
    int64_t stop = i + kRun * kLanes < n ? i + kRun * kLanes : n;
    for (; i + 2 * kLanes <= stop; i += 2 * kLanes) {
      load16(x + i, v);
      a += v;
      load16(x + i + kLanes, v);
      b += v;
    }
    if (i + kLanes <= stop) {
      load16(x + i, v);
      a += v;
      i += kLanes;
    }
    a += b;
    for (int l = 0; l < kLanes; ++l) sum[l] += double(a[l]);
  }
  for (int64_t l = 0; i < n; ++i, ++l) sum[l] += double(A(x[i]));
}

// sum[l] += (x[i] - mean[l])^2
template <class T, class A = Compute<T>>
HAFT_BODY void plane_squares(const T* x, int64_t n, const A* mean, double* sum) {
  using V = typename Vec16<A>::type;
  V m;
  load16(mean, m);
  int64_t i = 0;
  while (i + kLanes <= n) {
    V a = {}, b = {}, v = {};
    int64_t stop = i + kRun * kLanes < n ? i + kRun * kLanes : n;
    for (; i + 2 * kLanes <= stop; i += 2 * kLanes) {
      load16(x + i, v);
      v -= m;
      a += v * v;
      load16(x + i + kLanes, v);
      v -= m;
      b += v * v;
    }
    if (i + kLanes <= stop) {
      load16(x + i, v);
      v -= m;
      a += v * v;
      i += kLanes;
    }
    a += b;
    for (int l = 0; l < kLanes; ++l) sum[l] += double(a[l]);
  }
  for (int64_t l = 0; i < n; ++i, ++l) {
    A v = A(x[i]) - mean[l];
    sum[l] += double(v * v);
  }
}

// y[i] = (x[i] - mean[l]) * scale[l] + shift[l]
template <class T, class A = Compute<T>>
HAFT_BODY void plane_affine(const T* x, T* y, int64_t n, const A* mean, const A* scale, const A* shift) {
  using V = typename Vec16<A>::type;
  V m, s, b, v = {};
  load16(mean, m);
  load16(scale, s);
  load16(shift, b);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load16(x + i, v);
    store16(y + i, (v - m) * s + b);
  }
  for (int64_t l = 0; i < n; ++i, ++l) y[i] = T((A(x[i]) - mean[l]) * scale[l] + shift[l]);
}

// sum_g[l] += g[i]; sum_gx[l] += g[i] * (x[i] - mean[l])
template <class T, class A = Compute<T>>
HAFT_BODY void plane_grad_sums(const T* g, const T* x, int64_t n, const A* mean, double* sum_g,
                               double* sum_gx) {
  using V = typename Vec16<A>::type;
  V m;
  load16(mean, m);
  int64_t i = 0;
  while (i + kLanes <= n) {
    V a = {}, b = {}, v = {}, w = {};
    int64_t stop = i + kRun * kLanes < n ? i + kRun * kLanes : n;
    for (; i + kLanes <= stop; i += kLanes) {
      load16(g + i, v);
      load16(x + i, w);
      a += v;
      b += v * (w - m);
    }
    for (int l = 0; l < kLanes; ++l) sum_g[l] += double(a[l]), sum_gx[l] += double(b[l]);
  }
  for (int64_t l = 0; i < n; ++i, ++l) {
    A v = A(g[i]);
    sum_g[l] += double(v);
    sum_gx[l] += double(v * (A(x[i]) - mean[l]));
  }
}

// dx[i] = g[i] * p[l] + (x[i] - mean[l]) * q[l] + r[l]
template <class T, class A = Compute<T>>
HAFT_BODY void plane_grad(const T* g, const T* x, T* dx, int64_t n, const A* mean, const A* p, const A* q,
                          const A* r) {
  using V = typename Vec16<A>::type;
  V m, vp, vq, vr, v = {}, w = {};
  load16(mean, m);
  load16(p, vp);
  load16(q, vq);
  load16(r, vr);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load16(g + i, v);
    load16(x + i, w);
    store16(dx + i, v * vp + ((w - m) * vq + vr));
  }
  for (int64_t l = 0; i < n; ++i, ++l) dx[i] = T(A(g[i]) * p[l] + ((A(x[i]) - mean[l]) * q[l] + r[l]));
}

#define HAFT_PLANES(T)                                                                                      \
  HAFT_BODY void sum_body(const T* x, int64_t n, double* s) { plane_sum(x, n, s); }                         \
  HAFT_MULTIVERSION(sum, (const T* x, int64_t n, double* s), (x, n, s))                                     \
  HAFT_BODY void squares_body(const T* x, int64_t n, const Compute<T>* m, double* s) {                      \
    plane_squares(x, n, m, s);                                                                              \
  }                                                                                                         \
  HAFT_MULTIVERSION(squares, (const T* x, int64_t n, const Compute<T>* m, double* s), (x, n, m, s))         \
  HAFT_BODY void affine_body(const T* x, T* y, int64_t n, const Compute<T>* m, const Compute<T>* a,         \
                             const Compute<T>* b) {                                                         \
    plane_affine(x, y, n, m, a, b);                                                                         \
  }                                                                                                         \
  HAFT_MULTIVERSION(                                                                                        \
      affine, (const T* x, T* y, int64_t n, const Compute<T>* m, const Compute<T>* a, const Compute<T>* b), \
      (x, y, n, m, a, b))                                                                                   \
  HAFT_BODY void grad_sums_body(const T* g, const T* x, int64_t n, const Compute<T>* m, double* s,          \
                                double* t) {                                                                \
    plane_grad_sums(g, x, n, m, s, t);                                                                      \
  }                                                                                                         \
  HAFT_MULTIVERSION(grad_sums,                                                                              \
                    (const T* g, const T* x, int64_t n, const Compute<T>* m, double* s, double* t),         \
                    (g, x, n, m, s, t))                                                                     \
  HAFT_BODY void grad_body(const T* g, const T* x, T* dx, int64_t n, const Compute<T>* m,                   \
                           const Compute<T>* p, const Compute<T>* q, const Compute<T>* r) {                 \
    plane_grad(g, x, dx, n, m, p, q, r);                                                                    \
  }                                                                                                         \
  HAFT_MULTIVERSION(grad,                                                                                   \
                    (const T* g, const T* x, T* dx, int64_t n, const Compute<T>* m, const Compute<T>* p,    \
                     const Compute<T>* q, const Compute<T>* r),                                             \
                    (g, x, dx, n, m, p, q, r))

namespace f32 {
HAFT_PLANES(float)
}
namespace f64 {
HAFT_PLANES(double)
}
namespace f16 {
HAFT_PLANES(Half)
}
namespace bf16 {
HAFT_PLANES(BFloat16)
}
using f32::affine, f64::affine, f16::affine, bf16::affine;
using f32::grad, f64::grad, f16::grad, bf16::grad;
using f32::grad_sums, f64::grad_sums, f16::grad_sums, bf16::grad_sums;
using f32::squares, f64::squares, f16::squares, bf16::squares;
using f32::sum, f64::sum, f16::sum, bf16::sum;

// Planes of (N, C, *): plane p holds `lanes` channels from (p % groups) * lanes on, n elements.
// A matrix (N, C) is one plane a sixteenth of the columns would not fill: it is walked transposed (Matrix
// below).
struct Planes {
  int64_t batch, channels, lanes, groups, n, count, per_channel;
  explicit Planes(const haft_tensor_view& x) {
    lanes = channel_block(x.layout);
    batch = x.sizes[0];
    channels = x.sizes[1];
    groups = channels / lanes;
    n = x.numel / (batch * groups);
    count = batch * groups;
    per_channel = batch * (n / lanes);
  }
};

// Sixteen lanes fold onto the channels of a plane: lane l is channel l % lanes.
void fold_lanes(double* s, int64_t lanes) {
  for (int64_t l = lanes; l < kLanes; ++l) s[l % lanes] += s[l];
}
template <class A>
void spread(const A* channel, int64_t lanes, A* pattern) {
  for (int64_t l = 0; l < kLanes; ++l) pattern[l] = channel[l % lanes];
}

int64_t grain_of(const Planes& p) { return kElementsAThread / (p.n + 1) + 1; }

// An optional vector of C numbers in the compute type; `otherwise` where it is absent.
template <class A>
Scratch<A> channel_vector(const haft_tensor_view* v, int64_t channels, A otherwise) {
  Scratch<A> out(std::max<int64_t>(channels, 1));
  if (!v) {
    for (int64_t c = 0; c < channels; ++c) out[c] = otherwise;
    return out;
  }
  haft_tensor_view dst = row_major_view(*v, DTypeOf<A>::value, out.get());
  copy_view(dst, *v);
  return out;
}
void write_channels(const haft_tensor_view& v, const double* values, int64_t channels) {
  haft_tensor_view src = row_major_view(v, DType::f64, values);
  (void)channels;
  copy_view(v, src);
}

// (N, C) with one element a plane: the transpose has C planes of N elements.
template <class T>
void transpose(const T* from, int64_t rows, int64_t cols, T* to) {
  constexpr int64_t B = 32;
  parallel_for((rows + B - 1) / B, (1 << 15) / (cols * B) + 1, [&](int64_t b, int64_t e) {
    for (int64_t i0 = b * B; i0 < std::min(rows, e * B); i0 += B)
      for (int64_t j0 = 0; j0 < cols; j0 += B)
        for (int64_t i = i0; i < std::min(rows, i0 + B); ++i)
          for (int64_t j = j0; j < std::min(cols, j0 + B); ++j) to[j * rows + i] = from[i * cols + j];
  });
}

// x in the layout that the loops like: itself, or (C, N) for planes that are too short for vectors.
template <class T>
struct Operand {
  LaidIn laid;
  HostBuffer turned;
  const T* data;
  Operand(const haft_tensor_view& x, uint8_t layout, bool turn) : laid(x, layout), data(laid.as<T>()) {
    if (!turn) return;
    turned = HostBuffer(x.numel * int64_t(sizeof(T)));
    transpose(data, x.sizes[0], x.sizes[1], turned.as<T>());
    data = turned.as<T>();
  }
};
// A matrix is turned when every plane would be a single element.
bool wants_turn(const haft_tensor_view& x) {
  return x.layout == HAFT_LAYOUT_STRIDED && x.sizes[0] > 1 && x.numel == x.sizes[0] * x.sizes[1];
}
Planes turned_planes(const haft_tensor_view& x) {
  Planes p(x);
  p.n = p.batch;
  p.batch = 1;
  p.count = p.groups;
  p.per_channel = p.n;
  return p;
}

}  // namespace

void k_batch_norm_stats(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &y = k.out(0);
  double eps = k.attrs.d(0);
  int64_t channels = x.sizes[1];
  if (x.numel == 0) {
    Scratch<double> nan(std::max<int64_t>(channels, 1));
    for (int64_t i = 0; i < channels; ++i) nan[i] = std::numeric_limits<double>::quiet_NaN();
    write_channels(k.out(1), nan.get(), channels);
    return write_channels(k.out(2), nan.get(), channels);
  }
  visit_float(k, k.dtype(0), [&]<class T>() {
    using A = Compute<T>;
    bool turn = wants_turn(x);
    Planes p = turn ? turned_planes(x) : Planes(x);
    Operand<T> in(x, x.layout, turn);
    // Mean and squared deviations of each plane's channels.
    Scratch<double> mean(p.count * p.lanes), squared(p.count * p.lanes);
    parallel_for(p.count, grain_of(p), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        double s[kLanes] = {}, q[kLanes] = {};
        A pattern[kLanes];
        sum(in.data + i * p.n, p.n, s);
        fold_lanes(s, p.lanes);
        for (int64_t l = 0; l < p.lanes; ++l) s[l] /= double(p.n / p.lanes);
        for (int64_t l = 0; l < kLanes; ++l) pattern[l] = A(s[l % p.lanes]);
        squares(in.data + i * p.n, p.n, pattern, q);
        fold_lanes(q, p.lanes);
        for (int64_t l = 0; l < p.lanes; ++l) {
          // The mean was rounded to the compute type on the way; the exact one lies beside it.
          double off = s[l] - double(pattern[l]);
          mean[i * p.lanes + l] = s[l];
          squared[i * p.lanes + l] = q[l] - off * off * double(p.n / p.lanes);
        }
      }
    });
    Scratch<double> total_mean(channels), variance(channels);
    Scratch<A> am(channels), scale(channels);
    Scratch<A> weight = channel_vector<A>(k.has(1) ? &k.in(1) : nullptr, channels, A(1));
    Scratch<A> shift = channel_vector<A>(k.has(2) ? &k.in(2) : nullptr, channels, A(0));
    double each = double(p.n / p.lanes);
    for (int64_t ch = 0; ch < channels; ++ch) {
      double m = 0, q = 0, n = 0;
      for (int64_t i = 0; i < p.batch; ++i) {
        int64_t at = (i * p.groups + ch / p.lanes) * p.lanes + ch % p.lanes;
        double d = mean[at] - m, both = n + each;
        m += d * each / both;
        q += squared[at] + d * d * n * each / both;
        n = both;
      }
      total_mean[ch] = m;
      variance[ch] = q != q ? q : std::max(q / n, 0.0);  // max() would hide a NaN
      am[ch] = A(m);
      scale[ch] = A(double(weight[ch]) / std::sqrt(variance[ch] + eps));
    }
    write_channels(k.out(1), total_mean.get(), channels);
    write_channels(k.out(2), variance.get(), channels);
    LaidOut out(y, x.layout);
    HostBuffer turned_out;
    T* to = out.as<T>();
    if (turn) {
      turned_out = HostBuffer(x.numel * int64_t(sizeof(T)));
      to = turned_out.as<T>();
    }
    parallel_for(p.count, grain_of(p), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        A m[kLanes], s[kLanes], h[kLanes];
        int64_t first = i % p.groups * p.lanes;
        spread(am.get() + first, p.lanes, m);
        spread(scale.get() + first, p.lanes, s);
        spread(shift.get() + first, p.lanes, h);
        affine(in.data + i * p.n, to + i * p.n, p.n, m, s, h);
      }
    });
    if (turn) transpose(to, x.sizes[1], x.sizes[0], out.as<T>());
    out.finish();
  });
}

void k_batch_norm_apply(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &y = k.out(0);
  if (x.numel == 0) return;
  double eps = k.attrs.d(0);
  int64_t channels = x.sizes[1];
  visit_float(k, k.dtype(0), [&]<class T>() {
    using A = Compute<T>;
    Planes p(x);
    LaidIn in(x, x.layout);
    LaidOut out(y, x.layout);
    Scratch<A> weight = channel_vector<A>(k.has(1) ? &k.in(1) : nullptr, channels, A(1));
    Scratch<A> shift = channel_vector<A>(k.has(2) ? &k.in(2) : nullptr, channels, A(0));
    Scratch<A> mean = channel_vector<A>(&k.in(3), channels, A(0));
    Scratch<A> scale = channel_vector<A>(&k.in(4), channels, A(1));
    for (int64_t ch = 0; ch < channels; ++ch)
      scale[ch] = A(double(weight[ch]) / std::sqrt(double(scale[ch]) + eps));
    const T* from = in.as<T>();
    T* to = out.as<T>();
    if (p.n == 1) {  // (N, C): the pattern is the row itself
      parallel_for(p.batch, kElementsAThread / channels + 1, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i)
          for (int64_t ch = 0; ch < channels; ++ch)
            to[i * channels + ch] = T((A(from[i * channels + ch]) - mean[ch]) * scale[ch] + shift[ch]);
      });
      return out.finish();
    }
    parallel_for(p.count, grain_of(p), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        A m[kLanes], s[kLanes], h[kLanes];
        int64_t first = i % p.groups * p.lanes;
        spread(mean.get() + first, p.lanes, m);
        spread(scale.get() + first, p.lanes, s);
        spread(shift.get() + first, p.lanes, h);
        affine(from + i * p.n, to + i * p.n, p.n, m, s, h);
      }
    });
    out.finish();
  });
}

void k_batch_norm_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &dy = k.in(0), &x = k.in(1), &dx = k.out(0);
  double eps = k.attrs.d(0);
  int64_t channels = x.sizes[1];
  if (x.numel == 0) {
    Scratch<double> zero(std::max<int64_t>(channels, 1));
    for (int64_t i = 0; i < channels; ++i) zero[i] = 0;
    write_channels(k.out(1), zero.get(), channels);
    return write_channels(k.out(2), zero.get(), channels);
  }
  visit_float(k, k.dtype(1), [&]<class T>() {
    using A = Compute<T>;
    bool turn = wants_turn(x);
    Planes p = turn ? turned_planes(x) : Planes(x);
    Operand<T> in(x, x.layout, turn), grads(dy, x.layout, turn);
    Scratch<A> mean = channel_vector<A>(&k.in(3), channels, A(0));
    Scratch<double> variance = channel_vector<double>(&k.in(4), channels, 1.0);
    Scratch<double> weight = channel_vector<double>(k.has(2) ? &k.in(2) : nullptr, channels, 1.0);
    Scratch<double> sg(p.count * p.lanes), sgx(p.count * p.lanes);
    parallel_for(p.count, grain_of(p), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        double s[kLanes] = {}, t[kLanes] = {};
        A m[kLanes];
        spread(mean.get() + i % p.groups * p.lanes, p.lanes, m);
        grad_sums(grads.data + i * p.n, in.data + i * p.n, p.n, m, s, t);
        fold_lanes(s, p.lanes);
        fold_lanes(t, p.lanes);
        for (int64_t l = 0; l < p.lanes; ++l) sg[i * p.lanes + l] = s[l], sgx[i * p.lanes + l] = t[l];
      }
    });
    Scratch<double> dweight(channels), dbias(channels);
    Scratch<A> fp(channels), fq(channels), fr(channels);
    double n = double(p.per_channel);
    for (int64_t ch = 0; ch < channels; ++ch) {
      double s = 0, t = 0;
      for (int64_t i = 0; i < p.batch; ++i) {
        int64_t at = (i * p.groups + ch / p.lanes) * p.lanes + ch % p.lanes;
        s += sg[at];
        t += sgx[at];
      }
      dbias[ch] = s;
      double invstd = 1.0 / std::sqrt(variance[ch] + eps), scale = weight[ch] * invstd;
      dweight[ch] = t * invstd;
      fp[ch] = A(scale);
      fq[ch] = A(-scale * invstd * invstd * t / n);
      fr[ch] = A(-scale * s / n);
    }
    write_channels(k.out(1), dweight.get(), channels);
    write_channels(k.out(2), dbias.get(), channels);
    LaidOut out(dx, x.layout);
    HostBuffer turned_out;
    T* to = out.as<T>();
    if (turn) {
      turned_out = HostBuffer(x.numel * int64_t(sizeof(T)));
      to = turned_out.as<T>();
    }
    parallel_for(p.count, grain_of(p), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        A m[kLanes], vp[kLanes], vq[kLanes], vr[kLanes];
        int64_t first = i % p.groups * p.lanes;
        spread(mean.get() + first, p.lanes, m);
        spread(fp.get() + first, p.lanes, vp);
        spread(fq.get() + first, p.lanes, vq);
        spread(fr.get() + first, p.lanes, vr);
        grad(grads.data + i * p.n, in.data + i * p.n, to + i * p.n, p.n, m, vp, vq, vr);
      }
    });
    if (turn) transpose(to, x.sizes[1], x.sizes[0], out.as<T>());
    out.finish();
  });
}

void k_channel_sum(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view& x = k.in(0);
  int64_t channels = x.sizes[1];
  Scratch<double> total(std::max<int64_t>(channels, 1));
  for (int64_t ch = 0; ch < channels; ++ch) total[ch] = 0;
  if (x.numel != 0)
    visit_float(k, k.dtype(0), [&]<class T>() {
      Planes p(x);
      LaidIn in(x, x.layout);
      Scratch<double> part(p.count * p.lanes);
      parallel_for(p.count, grain_of(p), [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          double s[kLanes] = {};
          sum(in.template as<T>() + i * p.n, p.n, s);
          fold_lanes(s, p.lanes);
          for (int64_t l = 0; l < p.lanes; ++l) part[i * p.lanes + l] = s[l];
        }
      });
      for (int64_t i = 0; i < p.count; ++i)
        for (int64_t l = 0; l < p.lanes; ++l) total[i % p.groups * p.lanes + l] += part[i * p.lanes + l];
    });
  write_channels(k.out(), total.get(), channels);
}

}  // namespace haft::cpu
