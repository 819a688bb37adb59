// QR by reflections, a block of columns at a time: what a block does to the columns behind it is two products
// (I - V T V^T of Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
#include <cmath>

#include "core/cpu/linalg.h"
#include "core/cpu/matmul.h"

namespace haft::cpu {

namespace {

constexpr int64_t kBlock = 32;

// Columns [first, first + count) of a (m, n): R, and the reflections' vectors, whose first element is 1, below it.
template <class T>
void reflect_columns(T* a, int64_t m, int64_t n, int64_t first, int64_t count, T* tau) {
  T sums[kBlock];
  for (int64_t j = first; j < first + count; ++j) {
    T top = 0;
    for (int64_t i = j; i < m; ++i) top = std::max(top, std::fabs(a[i * n + j]));
    if (top == 0) top = 1;  // zeros, or NaN, which squares tell of
    double squares = 0;     // of what is below, over the largest
    for (int64_t i = j + 1; i < m; ++i) {
      const double x = double(a[i * n + j]) / double(top);
      squares += x * x;
    }
    tau[j] = 0;
    if (squares == 0) continue;
    const double alpha = double(a[j * n + j]) / double(top),
                 beta = -std::copysign(std::sqrt(alpha * alpha + squares), alpha);
    const T factor = T((beta - alpha) / beta);
    // Two steps, for the inverse of a tiny one is no number.
    for (int64_t i = j + 1; i < m; ++i) a[i * n + j] = T(double(a[i * n + j]) / double(top) / (alpha - beta));
    const int64_t others = first + count - j - 1;
    T* r = a + j * n + j + 1;
    std::copy_n(r, others, sums);
    for (int64_t i = j + 1; i < m; ++i) axpy(a[i * n + j], a + i * n + j + 1, sums, others);
    axpy(-factor, sums, r, others);
    for (int64_t i = j + 1; i < m; ++i) axpy(-factor * a[i * n + j], sums, a + i * n + j + 1, others);
    a[j * n + j] = T(beta * double(top));
    tau[j] = factor;
  }
}

// A block of reflections that changes other columns.
template <class T>
struct Block {
  int64_t rows, count;
  Scratch<T> v, t;  // (rows, count); (count, count), upper

  Block(const T* a, int64_t m, int64_t n, int64_t first, int64_t size, const T* tau)
      : rows(m - first), count(size), v(rows * size), t(size * size) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < count; ++j)
        v[i * count + j] = i > j ? a[(first + i) * n + first + j] : T(i == j);
    const Scratch<T> products(count * count);
    Gemm<T> g;
    g.m = g.n = count, g.k = rows;
    g.a = v.get(), g.a_row = 1, g.a_col = count;
    g.b = v.get(), g.b_row = count, g.b_col = 1;
    g.c = products.get(), g.ldc = count;
    gemm(g);
    std::fill_n(t.get(), count * count, T(0));
    for (int64_t j = 0; j < count; ++j) {
      const T factor = tau[first + j];
      t[j * count + j] = factor;
      for (int64_t i = 0; i < j; ++i) {
        T sum = 0;
        for (int64_t p = i; p < j; ++p) sum += t[i * count + p] * products[p * count + j];
        t[i * count + j] = -factor * sum;
      }
    }
  }
  // C (rows, n) becomes C - V T V^T C, or with T^T.
  void apply(T* c, int64_t ldc, int64_t n, bool turned) const {
    if (n == 0) return;
    const Scratch<T> w(2 * count * n);
    Gemm<T> g;
    g.m = count, g.n = n, g.k = rows;
    g.a = v.get(), g.a_row = 1, g.a_col = count;
    g.b = c, g.b_row = ldc, g.b_col = 1;
    g.c = w.get(), g.ldc = n;
    gemm(g);
    g.k = count;
    g.a = t.get(), g.a_row = turned ? 1 : count, g.a_col = turned ? count : 1;
    g.b = w.get(), g.b_row = n;
    g.c = w.get() + count * n;
    gemm(g);
    subtract_product(c, ldc, rows, n, count, v.get(), count, int64_t(1), g.c, n, int64_t(1));
  }
};

}  // namespace

template <class T>
void reflect(T* a, int64_t m, int64_t n, T* tau) {
  const int64_t k = std::min(m, n);
  for (int64_t first = 0; first < k; first += kBlock) {
    const int64_t size = std::min(kBlock, k - first), behind = first + size;
    reflect_columns(a, m, n, first, size, tau);
    if (n > behind) Block<T>(a, m, n, first, size, tau).apply(a + first * n + behind, n, n - behind, true);
  }
}

template <class T>
void form_q(const T* a, int64_t m, int64_t n, const T* tau, T* q, int64_t columns) {
  const int64_t k = std::min(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < columns; ++j) q[i * columns + j] = T(i == j);
  for (int64_t first = (k - 1) / kBlock * kBlock; first >= 0 && k > 0; first -= kBlock)
    Block<T>(a, m, n, first, std::min(kBlock, k - first), tau)
        .apply(q + first * columns + first, columns, columns - first, false);
}

template void reflect(float*, int64_t, int64_t, float*);
template void reflect(double*, int64_t, int64_t, double*);
template void form_q(const float*, int64_t, int64_t, const float*, float*, int64_t);
template void form_q(const double*, int64_t, int64_t, const double*, double*, int64_t);

// attrs: mode (0 reduced, 1 complete, 2 R alone)
void k_qr_factors(const haft_kernel_call& c) {
  KernelCall k(c);
  const Matrices in(k.in(0));
  const int64_t m = in.rows, n = in.columns, mode = k.attrs.i(0), least = std::min(m, n),
                q_columns = mode == 1 ? m : least, r_rows = q_columns;
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    each_matrix(in.count, 4.0 * double(m) * double(n) * double(least + 8), [&](int64_t i) {
      const Scratch<T> a(m * n + least);
      T *tau = a.get() + m * n, *r = k.out_data<T>(1) + i * r_rows * n;
      std::copy_n(k.data<T>(0) + i * m * n, m * n, a.get());
      reflect(a.get(), m, n, tau);
      for (int64_t row = 0; row < r_rows; ++row)
        for (int64_t j = 0; j < n; ++j) r[row * n + j] = j < row ? T(0) : a[row * n + j];
      if (mode != 2) form_q(a.get(), m, n, tau, k.out_data<T>(0) + i * m * q_columns, q_columns);
    });
  });
}

}  // namespace haft::cpu
