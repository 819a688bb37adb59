// Batch norm and sums over channels. A tensor (N, C, *) is a row of planes, each of one channel (dense) or 8
// or 16 (blocked); a plane is walked as vectors of sixteen elements with a pattern of per-channel numbers
// that repeats. Statistics are accurate without a second pass over memory: mean and squared deviations of a
// plane while it is in the cache, then Chan's formula over the planes in double.
#include "core/cpu/dense.h"
#include "core/cpu/layout.h"
#include "core/cpu/multiversion.h"

namespace haft::cpu {
namespace {

constexpr int64_t kElementsAThread = 1 << 15;
constexpr int64_t kLanes = 16;
// Vectors added in the compute type before the sum moves on to double.
constexpr int64_t kRun = 64;

typedef double f64x16 __attribute__((vector_size(128)));
typedef double f64x16u __attribute__((vector_size(128), aligned(8), may_alias));
template <class C>
struct Sixteen;
template <>
struct Sixteen<float> {
  using type = f32x16;
  using unaligned = f32x16u;
};
template <>
struct Sixteen<double> {
  using type = f64x16;
  using unaligned = f64x16u;
};

// Whole vectors of a plane, two at a time and in runs: each(i, 0 or 1) for every vector, flush() after a run.
// Answers where the rest begins; the lane of a later element is its distance from there.
template <class Each, class Flush>
HAFT_BODY int64_t each_vector(int64_t n, Each each, Flush flush) {
  int64_t i = 0;
  while (i + kLanes <= n) {
    const int64_t stop = std::min(n, i + kRun * kLanes);
    for (; i + 2 * kLanes <= stop; i += 2 * kLanes) each(i, 0), each(i + kLanes, 1);
    if (i + kLanes <= stop) each(i, 0), i += kLanes;
    flush();
  }
  return i;
}

// Below, l = i % 16 is the lane of element i.

// sum[l] += x[i]
template <Isa, class C>
HAFT_BODY void sum_body(const C* x, int64_t n, double* sum) {
  using V = typename Sixteen<C>::type;
  using U = typename Sixteen<C>::unaligned;
  V a[2] = {};
  auto each = [&](int64_t i, int k) HAFT_INLINE { a[k] += *reinterpret_cast<const U*>(x + i); };
  auto flush = [&]() HAFT_INLINE {
    a[0] += a[1];
    for (int l = 0; l < kLanes; ++l) sum[l] += double(a[0][l]);
    a[0] = a[1] = V{};
  };
  int64_t i = each_vector(n, each, flush);
  for (int64_t l = 0; i < n; ++i, ++l) sum[l] += double(x[i]);
}
HAFT_MULTIVERSION(sum, (const float* x, int64_t n, double* to), (x, n, to))
HAFT_MULTIVERSION(sum, (const double* x, int64_t n, double* to), (x, n, to))

// sum[l] += (x[i] - mean[l])^2
template <Isa, class C>
HAFT_BODY void squares_body(const C* x, int64_t n, const C* mean, double* sum) {
  using V = typename Sixteen<C>::type;
  using U = typename Sixteen<C>::unaligned;
  const V m = *reinterpret_cast<const U*>(mean);
  V a[2] = {};
  auto each = [&](int64_t i, int k) HAFT_INLINE {
    const V d = *reinterpret_cast<const U*>(x + i) - m;
    a[k] += d * d;
  };
  auto flush = [&]() HAFT_INLINE {
    a[0] += a[1];
    for (int l = 0; l < kLanes; ++l) sum[l] += double(a[0][l]);
    a[0] = a[1] = V{};
  };
  int64_t i = each_vector(n, each, flush);
  for (int64_t l = 0; i < n; ++i, ++l) {
    const C d = x[i] - mean[l];
    sum[l] += double(d * d);
  }
}
HAFT_MULTIVERSION(squares, (const float* x, int64_t n, const float* mean, double* to), (x, n, mean, to))
HAFT_MULTIVERSION(squares, (const double* x, int64_t n, const double* mean, double* to), (x, n, mean, to))

// y[i] = (x[i] - mean[l]) * scale[l] + shift[l]
template <class C>
struct Affine {
  C mean[kLanes], scale[kLanes], shift[kLanes];
};
template <Isa, class C>
HAFT_BODY void affine_body(const C* x, C* y, int64_t n, const Affine<C>& by) {
  using V = typename Sixteen<C>::type;
  using U = typename Sixteen<C>::unaligned;
  const V m = *reinterpret_cast<const U*>(by.mean), s = *reinterpret_cast<const U*>(by.scale),
          h = *reinterpret_cast<const U*>(by.shift);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    *reinterpret_cast<U*>(y + i) = (*reinterpret_cast<const U*>(x + i) - m) * s + h;
  for (int64_t l = 0; i < n; ++i, ++l) y[i] = (x[i] - by.mean[l]) * by.scale[l] + by.shift[l];
}
HAFT_MULTIVERSION(affine, (const float* x, float* y, int64_t n, const Affine<float>& by), (x, y, n, by))
HAFT_MULTIVERSION(affine, (const double* x, double* y, int64_t n, const Affine<double>& by), (x, y, n, by))

// sum_g[l] += g[i]; sum_gx[l] += g[i] * (x[i] - mean[l])
template <Isa, class C>
HAFT_BODY void gradient_sums_body(const C* g, const C* x, int64_t n, const C* mean, double* sum_g,
                                  double* sum_gx) {
  using V = typename Sixteen<C>::type;
  using U = typename Sixteen<C>::unaligned;
  const V m = *reinterpret_cast<const U*>(mean);
  V a[2] = {}, b[2] = {};
  auto each = [&](int64_t i, int k) HAFT_INLINE {
    const V v = *reinterpret_cast<const U*>(g + i);
    a[k] += v;
    b[k] += v * (*reinterpret_cast<const U*>(x + i) - m);
  };
  auto flush = [&]() HAFT_INLINE {
    a[0] += a[1];
    b[0] += b[1];
    for (int l = 0; l < kLanes; ++l) sum_g[l] += double(a[0][l]), sum_gx[l] += double(b[0][l]);
    a[0] = a[1] = b[0] = b[1] = V{};
  };
  int64_t i = each_vector(n, each, flush);
  for (int64_t l = 0; i < n; ++i, ++l) {
    sum_g[l] += double(g[i]);
    sum_gx[l] += double(g[i] * (x[i] - mean[l]));
  }
}
HAFT_MULTIVERSION(gradient_sums,
                  (const float* g, const float* x, int64_t n, const float* mean, double* to_g, double* to_gx),
                  (g, x, n, mean, to_g, to_gx))
HAFT_MULTIVERSION(gradient_sums,
                  (const double* g, const double* x, int64_t n, const double* mean, double* to_g,
                   double* to_gx),
                  (g, x, n, mean, to_g, to_gx))

// dx[i] = g[i] * p[l] + ((x[i] - mean[l]) * q[l] + r[l])
template <class C>
struct AffineGradient {
  C mean[kLanes], p[kLanes], q[kLanes], r[kLanes];
};
template <Isa, class C>
HAFT_BODY void gradient_body(const C* g, const C* x, C* dx, int64_t n, const AffineGradient<C>& by) {
  using V = typename Sixteen<C>::type;
  using U = typename Sixteen<C>::unaligned;
  const V m = *reinterpret_cast<const U*>(by.mean), p = *reinterpret_cast<const U*>(by.p),
          q = *reinterpret_cast<const U*>(by.q), r = *reinterpret_cast<const U*>(by.r);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    *reinterpret_cast<U*>(dx + i) =
        *reinterpret_cast<const U*>(g + i) * p + ((*reinterpret_cast<const U*>(x + i) - m) * q + r);
  for (int64_t l = 0; i < n; ++i, ++l) dx[i] = g[i] * by.p[l] + ((x[i] - by.mean[l]) * by.q[l] + by.r[l]);
}
HAFT_MULTIVERSION(gradient,
                  (const float* g, const float* x, float* dx, int64_t n, const AffineGradient<float>& by),
                  (g, x, dx, n, by))
HAFT_MULTIVERSION(gradient,
                  (const double* g, const double* x, double* dx, int64_t n, const AffineGradient<double>& by),
                  (g, x, dx, n, by))

// Planes of (N, C, *): plane p holds `lanes` channels from (p % groups) * lanes on, n elements.
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
  // Where the number of a channel in the i-th tensor of the batch stands in a list of lanes of all planes.
  int64_t index(int64_t i, int64_t channel) const {
    return (i * groups + channel / lanes) * lanes + channel % lanes;
  }
};

// Sixteen lanes fold onto the channels of a plane: lane l is channel l % lanes.
void fold_lanes(double* s, int64_t lanes) {
  for (int64_t l = lanes; l < kLanes; ++l) s[l % lanes] += s[l];
}
template <class A>
void spread(const A* channel, int64_t lanes, A (&pattern)[kLanes]) {
  for (int64_t l = 0; l < kLanes; ++l) pattern[l] = channel[l % lanes];
}

// A matrix (N, C) would have planes of one element: the loops run over its transpose, C planes of N elements.
bool wants_turn(const haft_tensor_view& x) {
  return x.layout == HAFT_LAYOUT_STRIDED && x.sizes[0] > 1 && x.numel == x.sizes[0] * x.sizes[1];
}
haft_tensor_view turned(const haft_tensor_view& x) {
  if (!wants_turn(x)) return x;
  haft_tensor_view t = x;
  t.ndim = 2;
  t.contiguous = 0;
  std::swap(t.sizes[0], t.sizes[1]);
  std::swap(t.strides[0], t.strides[1]);
  return t;
}
Planes planes_of(const haft_tensor_view& x) {
  Planes p(x);
  if (!wants_turn(x)) return p;
  p.n = p.per_channel = p.batch;
  p.batch = 1;
  p.count = p.groups;
  return p;
}

// f(first, last) over the planes.
template <class F>
void for_planes(const Planes& p, F&& f) {
  parallel_for(p.count, kElementsAThread / (p.n + 1) + 1, f);
}

// A vector of numbers by channel as A; `otherwise` where it is absent.
template <class A>
Scratch<A> channel_vector(const haft_tensor_view* v, int64_t channels, A otherwise) {
  Scratch<A> out(std::max<int64_t>(channels, 1));
  if (v)
    copy_view(row_major_view(*v, DTypeOf<A>::value, out.get()), *v);
  else
    std::fill_n(out.get(), channels, otherwise);
  return out;
}
void write_channels(const haft_tensor_view& v, const double* values) {
  copy_view(v, row_major_view(v, DType::f64, values));
}
// Both vectors of results when x has no element.
void fill_channels(const KernelCall& k, int64_t channels, double value) {
  Scratch<double> values(std::max<int64_t>(channels, 1));
  std::fill_n(values.get(), channels, value);
  write_channels(k.out(1), values.get());
  write_channels(k.out(2), values.get());
}

// Mean and squared deviations of the channels of each plane.
template <class C>
void plane_statistics(const Planes& p, const LaidIn& x, DType t, double* mean, double* squared) {
  for_planes(p, [&](int64_t b, int64_t e) {
    const RunsIn<C> planes(x.data(), t, p.n);
    const double each = double(p.n / p.lanes);
    for (int64_t i = b; i < e; ++i) {
      const C* plane = planes.read(i);
      double s[kLanes] = {}, q[kLanes] = {};
      C pattern[kLanes];
      sum(plane, p.n, s);
      fold_lanes(s, p.lanes);
      for (int64_t l = 0; l < p.lanes; ++l) s[l] /= each;
      for (int64_t l = 0; l < kLanes; ++l) pattern[l] = C(s[l % p.lanes]);
      squares(plane, p.n, pattern, q);
      fold_lanes(q, p.lanes);
      for (int64_t l = 0; l < p.lanes; ++l) {
        // The mean was rounded to the compute type on the way; the exact one lies beside it.
        const double off = s[l] - double(pattern[l]);
        mean[i * p.lanes + l] = s[l];
        squared[i * p.lanes + l] = q[l] - off * off * each;
      }
    }
  });
}

// Mean and variance of a channel from those of its planes (Chan, Golub, LeVeque 1983).
struct Moments {
  double mean = 0, variance = 0;
};
Moments moments_of(const Planes& p, int64_t channel, const double* mean, const double* squared) {
  const double each = double(p.n / p.lanes);
  double m = 0, q = 0, n = 0;
  for (int64_t i = 0; i < p.batch; ++i) {
    const int64_t at = p.index(i, channel);
    const double d = mean[at] - m, both = n + each;
    m += d * each / both;
    q += squared[at] + d * d * n * each / both;
    n = both;
  }
  return {m, q != q ? q : std::max(q / n, 0.0)};  // max() would hide a NaN
}

// y = (x - mean) * scale + shift by channel.
template <class C>
void apply_affine(const Planes& p, const LaidIn& in, const haft_tensor_view& y, uint8_t layout, const C* mean,
                  const C* scale, const C* shift) {
  const DType t = DType(y.dtype);
  LaidOut out(y, layout);
  for_planes(p, [&](int64_t b, int64_t e) {
    const RunsIn<C> from(in.data(), t, p.n);
    const RunsOut<C> to(out.data(), t, p.n);
    for (int64_t i = b; i < e; ++i) {
      const int64_t first = i % p.groups * p.lanes;
      Affine<C> by;
      spread(mean + first, p.lanes, by.mean);
      spread(scale + first, p.lanes, by.scale);
      spread(shift + first, p.lanes, by.shift);
      affine(from.read(i), to.place(i), p.n, by);
      to.write(i);
    }
  });
  out.finish();
}

// The same for a matrix (N, C), whose rows are the patterns.
template <class C>
void rows_affine(const haft_tensor_view& x, const haft_tensor_view& y, const C* mean, const C* scale,
                 const C* shift) {
  const int64_t channels = x.sizes[1];
  LaidIn in(x);
  LaidOut out(y);
  parallel_for(x.sizes[0], kElementsAThread / (channels + 1) + 1, [&](int64_t b, int64_t e) {
    const RunsIn<C> from(in.data(), DType(x.dtype), channels);
    const RunsOut<C> to(out.data(), DType(y.dtype), channels);
    for (int64_t i = b; i < e; ++i) {
      const C* row = from.read(i);
      C* result = to.place(i);
      for (int64_t ch = 0; ch < channels; ++ch) result[ch] = (row[ch] - mean[ch]) * scale[ch] + shift[ch];
      to.write(i);
    }
  });
  out.finish();
}

// Sums of g and of g * (x - mean) over the channels of each plane.
template <class C>
void plane_gradients(const Planes& p, const LaidIn& g, const LaidIn& x, DType t, const C* mean, double* sum_g,
                     double* sum_gx) {
  for_planes(p, [&](int64_t b, int64_t e) {
    const RunsIn<C> gradients(g.data(), t, p.n), planes(x.data(), t, p.n);
    for (int64_t i = b; i < e; ++i) {
      double s[kLanes] = {}, sx[kLanes] = {};
      C pattern[kLanes];
      spread(mean + i % p.groups * p.lanes, p.lanes, pattern);
      gradient_sums(gradients.read(i), planes.read(i), p.n, pattern, s, sx);
      fold_lanes(s, p.lanes);
      fold_lanes(sx, p.lanes);
      std::copy_n(s, p.lanes, sum_g + i * p.lanes);
      std::copy_n(sx, p.lanes, sum_gx + i * p.lanes);
    }
  });
}

// dx = g * by_g + ((x - mean) * by_x + shift) by channel.
template <class C>
void apply_gradient(const Planes& p, const LaidIn& g, const LaidIn& x, const haft_tensor_view& dx,
                    uint8_t layout, const C* mean, const C* by_g, const C* by_x, const C* shift) {
  const DType t = DType(dx.dtype);
  LaidOut out(dx, layout);
  for_planes(p, [&](int64_t b, int64_t e) {
    const RunsIn<C> gradients(g.data(), t, p.n), planes(x.data(), t, p.n);
    const RunsOut<C> to(out.data(), t, p.n);
    for (int64_t i = b; i < e; ++i) {
      const int64_t first = i % p.groups * p.lanes;
      AffineGradient<C> by;
      spread(mean + first, p.lanes, by.mean);
      spread(by_g + first, p.lanes, by.p);
      spread(by_x + first, p.lanes, by.q);
      spread(shift + first, p.lanes, by.r);
      gradient(gradients.read(i), planes.read(i), to.place(i), p.n, by);
      to.write(i);
    }
  });
  out.finish();
}

}  // namespace

void k_batch_norm_stats(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view& x = k.in(0);
  const double eps = k.attrs.d(0);
  const int64_t channels = x.sizes[1];
  if (x.numel == 0) return fill_channels(k, channels, std::numeric_limits<double>::quiet_NaN());
  visit_compute_float(k, k.dtype(0), [&]<class C>() {
    const Planes p = planes_of(x);
    const LaidIn in(turned(x), x.layout);
    Scratch<double> mean(p.count * p.lanes), squared(p.count * p.lanes);
    plane_statistics<C>(p, in, k.dtype(0), mean.get(), squared.get());
    const Scratch<C> weight = channel_vector<C>(k.has(1) ? &k.in(1) : nullptr, channels, C(1));
    const Scratch<C> shift = channel_vector<C>(k.has(2) ? &k.in(2) : nullptr, channels, C(0));
    Scratch<double> means(channels), variances(channels);
    Scratch<C> center(channels), scale(channels);
    for (int64_t ch = 0; ch < channels; ++ch) {
      const Moments m = moments_of(p, ch, mean.get(), squared.get());
      means[ch] = m.mean;
      variances[ch] = m.variance;
      center[ch] = C(m.mean);
      scale[ch] = C(double(weight[ch]) / std::sqrt(m.variance + eps));
    }
    write_channels(k.out(1), means.get());
    write_channels(k.out(2), variances.get());
    apply_affine<C>(p, in, turned(k.out(0)), x.layout, center.get(), scale.get(), shift.get());
  });
}

// in: running mean and variance, those of the batch. Cold, so that it is short.
[[gnu::cold]] void k_batch_norm_update(const haft_kernel_call& c) {
  KernelCall k(c);
  for (int i = 0; i < 2; ++i) {
    if (!k.has(i)) continue;
    const int64_t channels = k.in(i).numel;
    const Scratch<double> to = channel_vector<double>(&k.in(i), channels, 0),
                          batch = channel_vector<double>(&k.in(i + 2), channels, 0);
    const double momentum = k.attrs.d(1), scale = i ? momentum * k.attrs.d(2) : momentum;
    for (int64_t ch = 0; ch < channels; ++ch) to[ch] = (1 - momentum) * to[ch] + scale * batch[ch];
    write_channels(k.in(i), to.get());
  }
}

void k_batch_norm_apply(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view& x = k.in(0);
  if (x.numel == 0) return;
  const double eps = k.attrs.d(0);
  const int64_t channels = x.sizes[1];
  visit_compute_float(k, k.dtype(0), [&]<class C>() {
    const Scratch<C> weight = channel_vector<C>(k.has(1) ? &k.in(1) : nullptr, channels, C(1));
    const Scratch<C> shift = channel_vector<C>(k.has(2) ? &k.in(2) : nullptr, channels, C(0));
    const Scratch<C> mean = channel_vector<C>(&k.in(3), channels, C(0));
    const Scratch<C> scale = channel_vector<C>(&k.in(4), channels, C(1));  // the variance, until here
    for (int64_t ch = 0; ch < channels; ++ch)
      scale[ch] = C(double(weight[ch]) / std::sqrt(double(scale[ch]) + eps));
    if (x.numel == x.sizes[0] * channels && x.layout == HAFT_LAYOUT_STRIDED)
      return rows_affine<C>(x, k.out(0), mean.get(), scale.get(), shift.get());
    apply_affine<C>(Planes(x), LaidIn(x, x.layout), k.out(0), x.layout, mean.get(), scale.get(), shift.get());
  });
}

void k_batch_norm_backward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &dy = k.in(0), &x = k.in(1);
  const DType t = k.dtype(1);
  const double eps = k.attrs.d(0);
  const int64_t channels = x.sizes[1];
  if (x.numel == 0) return fill_channels(k, channels, 0);
  visit_compute_float(k, t, [&]<class C>() {
    const Planes p = planes_of(x);
    const LaidIn in(turned(x), x.layout), grads(turned(dy), x.layout);
    const Scratch<C> mean = channel_vector<C>(&k.in(3), channels, C(0));
    const Scratch<double> variance = channel_vector<double>(&k.in(4), channels, 1.0);
    const Scratch<double> weight = channel_vector<double>(k.has(2) ? &k.in(2) : nullptr, channels, 1.0);
    Scratch<double> plane_g(p.count * p.lanes), plane_gx(p.count * p.lanes);
    plane_gradients<C>(p, grads, in, t, mean.get(), plane_g.get(), plane_gx.get());
    Scratch<double> dweight(channels), dbias(channels);
    Scratch<C> by_g(channels), by_x(channels), shift(channels);
    const double n = double(p.per_channel);
    for (int64_t ch = 0; ch < channels; ++ch) {
      double g = 0, gx = 0;
      for (int64_t i = 0; i < p.batch; ++i) g += plane_g[p.index(i, ch)], gx += plane_gx[p.index(i, ch)];
      const double invstd = 1.0 / std::sqrt(variance[ch] + eps), scale = weight[ch] * invstd;
      dbias[ch] = g;
      dweight[ch] = gx * invstd;
      by_g[ch] = C(scale);
      by_x[ch] = C(-scale * invstd * invstd * gx / n);
      shift[ch] = C(-scale * g / n);
    }
    write_channels(k.out(1), dweight.get());
    write_channels(k.out(2), dbias.get());
    apply_gradient<C>(p, grads, in, turned(k.out(0)), x.layout, mean.get(), by_g.get(), by_x.get(),
                      shift.get());
  });
}

void k_channel_sum(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view& x = k.in(0);
  const int64_t channels = x.sizes[1];
  Scratch<double> total(std::max<int64_t>(channels, 1));
  std::fill_n(total.get(), channels, 0.0);
  if (x.numel != 0)
    visit_compute_float(k, k.dtype(0), [&]<class C>() {
      const Planes p(x);
      const LaidIn in(x, x.layout);
      Scratch<double> part(p.count * p.lanes);
      for_planes(p, [&](int64_t b, int64_t e) {
        const RunsIn<C> planes(in.data(), k.dtype(0), p.n);
        for (int64_t i = b; i < e; ++i) {
          double s[kLanes] = {};
          sum(planes.read(i), p.n, s);
          fold_lanes(s, p.lanes);
          std::copy_n(s, p.lanes, part.get() + i * p.lanes);
        }
      });
      for (int64_t i = 0; i < p.count; ++i)
        for (int64_t l = 0; l < p.lanes; ++l) total[i % p.groups * p.lanes + l] += part[i * p.lanes + l];
    });
  write_channels(k.out(), total.get());
}

}  // namespace haft::cpu
