// Running extremes, log-sum-exp and first-order recurrences along one dimension. Columns behind the dimension
// are walked side by side.
#include <cmath>

#include "core/cpu/kernel.h"

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
  visit_dtype(k.dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T* x = k.data<T>(0);
    T* values = k.out_data<T>(0);
    int64_t* places = k.out_data<int64_t>(1);
    each_strip(a, [&](int64_t first, int64_t width) {
      C best[kStrip];
      int64_t place[kStrip];
      for (int64_t r = 0; r < a.n; ++r)
        for (int64_t j = 0; j < width; ++j) {
          const int64_t at = first + r * a.inner + j;
          const C v(x[at]);
          if (r == 0 || v != v || (best[j] == best[j] && (kMax ? v >= best[j] : v <= best[j])))
            best[j] = v, place[j] = r;
          values[at] = T(best[j]);
          places[at] = place[j];
        }
    });
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
  visit_float(k, k.dtype(), [&]<class T>() {
    const T* x = k.data<T>(0);
    T* y = k.out_data<T>();
    each_strip(a, [&](int64_t first, int64_t width) {
      double sum[kStrip];
      for (int64_t r = 0; r < a.n; ++r)
        for (int64_t j = 0; j < width; ++j) {
          const int64_t at = first + r * a.inner + j;
          const double v = double(Compute<T>(x[at]));
          sum[j] = r ? log_add(sum[j], v) : v;
          y[at] = T(Compute<T>(sum[j]));
        }
    });
  });
}

void k_linear_scan(const haft_kernel_call& c) {
  KernelCall k(c);
  const Around a = around_attr(k);
  const bool reverse = k.attrs.b(1);
  visit_float(k, k.dtype(), [&]<class T>() {
    const T *x = k.data<T>(0), *decay = k.data<T>(1);
    T* y = k.out_data<T>();
    each_strip(a, [&](int64_t first, int64_t width) {
      double carry[kStrip];
      for (int64_t step = 0; step < a.n; ++step) {
        const int64_t r = reverse ? a.n - 1 - step : step, joint = reverse ? r + 1 : r;
        for (int64_t j = 0; j < width; ++j) {
          const int64_t at = first + r * a.inner + j;
          const double v = double(Compute<T>(x[at]));
          carry[j] = step ? v + double(Compute<T>(decay[first + joint * a.inner + j])) * carry[j] : v;
          y[at] = T(Compute<T>(carry[j]));
        }
      }
    });
  });
}

}  // namespace haft::cpu
