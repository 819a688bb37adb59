// Running extremes, log-sum-exp and first-order recurrences along one dimension. Columns behind the dimension
// are walked side by side.
#include <cmath>

#include "core/cpu/dense.h"

namespace haft::cpu {
namespace {

constexpr int64_t kStrip = 256;

Around around_attr(const KernelCall& k) {
  const int64_t dim = k.attrs.i(0);
  return k.in(0).ndim == 0 ? Around{} : around(k.in(0), dim < 0 ? dim + k.in(0).ndim : dim);
}

// f(first element, columns) for strips of columns; element r of column j stands at first + r * inner + j.
template <class F>
void each_strip(const Around& a, F&& f) {
  if (a.outer * a.n * a.inner == 0) return;
  const int64_t strips = (a.inner + kStrip - 1) / kStrip;
  parallel_for(a.outer * strips, 16384 / (a.n * std::min(a.inner, kStrip)) + 1, [&](int64_t b, int64_t e) {
    for (; b < e; ++b) {
      const int64_t j = b % strips * kStrip;
      f(b / strips * a.n * a.inner + j, std::min(a.inner - j, kStrip));
    }
  });
}

template <bool kMax>
void running_extreme(const haft_kernel_call& c) {
  KernelCall k(c);
  const Around a = around_attr(k);
  visit_compute(k.dtype(), [&]<class C>() {
    const DenseIn in(k.in(0), DTypeOf<C>::value);
    const DenseOut out(k.out(0), DTypeOf<C>::value);
    const C* x = in.as<C>();
    C* values = out.as<C>();
    int64_t* places = k.out_data<int64_t>(1);
    each_strip(a, [&](int64_t first, int64_t width) {
      C best[kStrip];
      int64_t place[kStrip];
      for (int64_t r = 0; r < a.n; ++r)
        for (int64_t j = 0; j < width; ++j) {
          const int64_t at = first + r * a.inner + j;
          const C v = x[at];
          if (r == 0 || v != v || (best[j] == best[j] && (kMax ? v >= best[j] : v <= best[j])))
            best[j] = v, place[j] = r;
          values[at] = best[j];
          places[at] = place[j];
        }
    });
    out.finish();
  });
}

double log_add(double a, double b) {
  if (a == b) return a + 0.69314718055994530942;
  const double top = a > b ? a : b;
  return a != a ? a : b != b ? b : top + std::log1p(std::exp(-std::fabs(a - b)));
}

}  // namespace

void k_cummax(const haft_kernel_call& c) { running_extreme<true>(c); }
void k_cummin(const haft_kernel_call& c) { running_extreme<false>(c); }

void k_logcumsumexp(const haft_kernel_call& c) {
  KernelCall k(c);
  const Around a = around_attr(k);
  visit_compute_float(k, k.dtype(), [&]<class C>() {
    const DenseIn in(k.in(0), DTypeOf<C>::value);
    const DenseOut out(k.out(), DTypeOf<C>::value);
    const C* x = in.as<C>();
    C* y = out.as<C>();
    each_strip(a, [&](int64_t first, int64_t width) {
      double sum[kStrip];
      for (int64_t r = 0; r < a.n; ++r)
        for (int64_t j = 0; j < width; ++j) {
          const int64_t at = first + r * a.inner + j;
          sum[j] = r ? log_add(sum[j], double(x[at])) : double(x[at]);
          y[at] = C(sum[j]);
        }
    });
    out.finish();
  });
}

void k_linear_scan(const haft_kernel_call& c) {
  KernelCall k(c);
  const Around a = around_attr(k);
  const bool reverse = k.attrs.b(1);
  visit_compute_float(k, k.dtype(), [&]<class C>() {
    const DenseIn in(k.in(0), DTypeOf<C>::value), factors(k.in(1), DTypeOf<C>::value);
    const DenseOut out(k.out(), DTypeOf<C>::value);
    const C *x = in.as<C>(), *decay = factors.as<C>();
    C* y = out.as<C>();
    each_strip(a, [&](int64_t first, int64_t width) {
      double carry[kStrip];
      for (int64_t step = 0; step < a.n; ++step) {
        const int64_t r = reverse ? a.n - 1 - step : step, joint = reverse ? r + 1 : r;
        for (int64_t j = 0; j < width; ++j) {
          const int64_t at = first + r * a.inner + j;
          const double v = double(x[at]);
          carry[j] = step ? v + double(decay[first + joint * a.inner + j]) * carry[j] : v;
          y[at] = C(carry[j]);
        }
      }
    });
    out.finish();
  });
}

}  // namespace haft::cpu
