// Cholesky's factor, LU with exchanged rows, and triangular systems: by halves, so that most of the work is products
// (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997), whatever the sizes.
#include <cmath>

#include "core/cpu/linalg.h"

namespace haft::cpu {

namespace {

constexpr int64_t kFew = 8;

// Rows x (rows, n) of x L^T = x.
template <class T>
void solve_rows(const T* l, int64_t ld, int64_t n, T* x, int64_t rows) {
  if (n > 2 * kFew) {
    const int64_t half = n / 2;
    solve_rows(l, ld, half, x, rows);
    subtract_product(x + half, ld, rows, n - half, half, x, ld, int64_t(1), l + half * ld, int64_t(1), ld);
    return solve_rows(l + half * (ld + 1), ld, n - half, x + half, rows);
  }
  for (int64_t i = 0; i < rows; ++i, x += ld)
    for (int64_t j = 0; j < n; ++j) x[j] = (x[j] - dot(x, l + j * ld, j)) / l[j * ld + j];
}

// The lower factor in place. 0, or the order of the first leading minor that is not positive definite.
template <class T>
int64_t cholesky(T* a, int64_t ld, int64_t n) {
  if (n > 2 * kFew) {
    const int64_t half = n / 2, rest = n - half;
    if (int64_t failed = cholesky(a, ld, half)) return failed;
    T *below = a + half * ld, *corner = below + half;
    solve_rows(a, ld, half, below, rest);
    subtract_product(corner, ld, rest, rest, half, below, ld, int64_t(1), below, int64_t(1), ld);
    const int64_t failed = cholesky(corner, ld, rest);
    return failed ? half + failed : 0;
  }
  for (int64_t i = 0; i < n; ++i) {
    T* x = a + i * ld;
    for (int64_t j = 0; j < i; ++j) x[j] = (x[j] - dot(x, a + j * ld, j)) / a[j * ld + j];
    const T d = x[i] - dot(x, x, i);
    if (!(d > 0)) return i + 1;
    x[i] = std::sqrt(d);
  }
  return 0;
}

// A matrix (rows, n) that is being factored, and which rows changed places.
template <class T>
struct Elimination {
  T* a;
  int64_t rows, n;
  int32_t* pivots;
  int64_t* order;
  int32_t zero = 0;  // the first pivot that is 0, from 1 on

  T* at(int64_t i, int64_t j) const { return a + i * n + j; }

  // Columns [first, first + count), of which rows from `first` on are left.
  void columns(int64_t first, int64_t count) {
    if (count > kFew) {
      const int64_t half = count / 2, second = first + half, rest = count - half;
      columns(first, half);
      solve_triangle(Triangle<T>{at(first, first), n, 1, false, true}, half, at(first, second), n, rest);
      subtract_product(at(second, second), n, rows - second, rest, half, at(second, first), n, int64_t(1),
                       at(first, second), n, int64_t(1));
      return columns(second, rest);
    }
    for (int64_t j = first; j < first + count; ++j) {
      int64_t best = j;
      for (int64_t i = j + 1; i < rows; ++i)
        if (std::fabs(*at(i, j)) > std::fabs(*at(best, j))) best = i;
      pivots[j] = int32_t(best + 1);
      if (best != j) {
        std::swap_ranges(at(j, 0), at(j, 0) + n, at(best, 0));
        std::swap(order[j], order[best]);
      }
      const T pivot = *at(j, j);
      if (pivot == 0) {
        if (!zero) zero = int32_t(j + 1);
        continue;
      }
      for (int64_t i = j + 1; i < rows; ++i) {
        const T factor = *at(i, j) /= pivot;
        axpy(-factor, at(j, j + 1), at(i, j + 1), first + count - j - 1);
      }
    }
  }
  void run() {
    for (int64_t i = 0; i < rows; ++i) order[i] = i;
    const int64_t k = std::min(rows, n);
    columns(0, k);
    if (n > k) solve_triangle(Triangle<T>{a, n, 1, false, true}, k, at(0, k), n, n - k);
  }
};

}  // namespace

void k_cholesky_factor(const haft_kernel_call& c) {
  KernelCall k(c);
  const Matrices in(k.in(0));
  const int64_t n = in.rows;
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    const T* from = k.data<T>(0);
    T* to = k.out_data<T>();
    int32_t* info = k.out_data<int32_t>(1);
    each_matrix(in.count, double(n) * double(n) * double(n + 8) / 3, [&](int64_t i) {
      T* a = to + i * n * n;
      for (int64_t r = 0; r < n; ++r) {
        std::copy_n(from + (i * n + r) * n, r + 1, a + r * n);
        std::fill_n(a + r * n + r + 1, n - r - 1, T(0));
      }
      info[i] = int32_t(cholesky(a, n, n));
      // Products of blocks have written beside the diagonal.
      for (int64_t r = 0; n > 2 * kFew && r < n; ++r) std::fill_n(a + r * n + r + 1, n - r - 1, T(0));
    });
  });
}

void k_lu_factors(const haft_kernel_call& c) {
  KernelCall k(c);
  const Matrices in(k.in(0));
  const int64_t m = in.rows, n = in.columns, least = std::min(m, n);
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    const T* from = k.data<T>(0);
    each_matrix(in.count, double(m) * double(n) * double(least + 8), [&](int64_t i) {
      Elimination<T> e{k.out_data<T>() + i * m * n, m, n, k.out_data<int32_t>(1) + i * least,
                       k.out_data<int64_t>(2) + i * m};
      std::copy_n(from + i * m * n, m * n, e.a);
      e.run();
      k.out_data<int32_t>(3)[i] = e.zero;
    });
  });
}

// in: A (*, n, n), B (*, n, k) or (*, k, n); attrs: upper, left, unitriangular
void k_linalg_solve_triangular(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  const Matrices a(k.in(0)), b(k.in(1));
  const bool upper = k.attrs.b(0), left = k.attrs.b(1), unit = k.attrs.b(2);
  const int64_t n = a.rows, other = left ? b.columns : b.rows;
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    const T *triangles = k.data<T>(0), *from = k.data<T>(1);
    T* to = k.out_data<T>();
    each_matrix(b.count, double(n) * double(n) * double(other), [&](int64_t i) {
      Triangle<T> t{triangles + a.offset(i), a.row_stride(), a.column_stride(), upper, unit};
      const T* given = from + b.offset(i);
      T* x = to + i * b.rows * b.columns;
      if (left) {
        for (int64_t r = 0; r < n; ++r)
          for (int64_t j = 0; j < other; ++j)
            x[r * other + j] = given[r * b.row_stride() + j * b.column_stride()];
        return solve_triangle(t, n, x, other, other);
      }
      // X A = B is A^T X^T = B^T.
      const Scratch<T> turned(n * other);
      for (int64_t j = 0; j < other; ++j)
        for (int64_t r = 0; r < n; ++r)
          turned[r * other + j] = given[j * b.row_stride() + r * b.column_stride()];
      std::swap(t.row, t.col);
      t.upper = !upper;
      solve_triangle(t, n, turned.get(), other, other);
      for (int64_t j = 0; j < other; ++j)
        for (int64_t r = 0; r < n; ++r) x[j * n + r] = turned[r * other + j];
    });
  });
}

}  // namespace haft::cpu
