// Eigenvalues and eigenvectors of symmetric matrices: tridiagonal by reflections, then diagonal by rotations with
// implicit shifts (Golub and Van Loan, Matrix Computations, 8.3), in double; LAPACK's divide and conquer for large
// ones where it is there.
#include <cmath>
#include <numeric>
#include <vector>

#include "core/cpu/lapack.h"
#include "core/cpu/linalg.h"

#pragma GCC optimize("Os")  // rows do the work: small instead of fast

namespace haft::cpu {

namespace {

// The lower triangle of a (n, n), both of them filled, becomes tridiagonal: d its diagonal, e (n - 1) beside it.
// Row k of v is the vector of the reflection that cleared column k; tau says which of them did anything.
void tridiagonal(double* a, int64_t n, double* d, double* e, double* v, double* tau, double* w) {
  for (int64_t k = 0; k + 1 < n; ++k) {
    double* x = v + k * n;
    std::fill_n(x, n, 0.0);
    std::copy_n(a + k * n + k + 1, n - k - 1, x + k + 1);
    const double alpha = x[k + 1], squares = dot(x + k + 2, x + k + 2, n - k - 2);
    d[k] = a[k * n + k];
    tau[k] = 0;
    e[k] = alpha;
    if (squares == 0) continue;
    const double beta = -std::copysign(std::sqrt(alpha * alpha + squares), alpha);
    for (int64_t i = k + 2; i < n; ++i) x[i] /= alpha - beta;
    x[k + 1] = 1;
    tau[k] = (beta - alpha) / beta;
    e[k] = beta;
    // A - x w^T - w x^T with w = tau A x - tau^2/2 (x^T A x) x.
    const int64_t m = n - k - 1;
    for (int64_t i = k + 1; i < n; ++i) w[i] = tau[k] * dot(a + i * n + k + 1, x + k + 1, m);
    axpy(-0.5 * tau[k] * dot(w + k + 1, x + k + 1, m), x + k + 1, w + k + 1, m);
    for (int64_t i = k + 1; i < n; ++i) {
      axpy(-x[i], w + k + 1, a + i * n + k + 1, m);
      axpy(-w[i], x + k + 1, a + i * n + k + 1, m);
    }
  }
  d[n - 1] = a[n * n - 1];
}

// The transposed product of those reflections.
void transposed_q(const double* v, const double* tau, int64_t n, double* q) {
  for (int64_t i = 0; i < n * n; ++i) q[i] = 0;
  for (int64_t i = 0; i < n; ++i) q[i * n + i] = 1;
  // Q^T = ... H1 H0: each H changes a row of Q^T by its product with the vector.
  for (int64_t k = n - 2; k >= 0; --k)
    for (int64_t i = k + 1; i < n && tau[k] != 0; ++i) {
      double* row = q + i * n + k + 1;
      axpy(-tau[k] * dot(row, v + k * n + k + 1, n - k - 1), v + k * n + k + 1, row, n - k - 1);
    }
}

// d becomes the eigenvalues of the tridiagonal matrix, whose e has room for n; the rows of q (n, n), where there are
// any, follow. False: no end.
bool diagonal(double* d, double* e, int64_t n, double* q) {
  const double eps = 0x1p-52;
  for (int64_t l = 0; l < n; ++l)
    for (int tries = 0;; ++tries) {
      int64_t m = l;
      while (m + 1 < n && std::fabs(e[m]) > eps * (std::fabs(d[m]) + std::fabs(d[m + 1]))) ++m;
      if (m == l) break;
      if (tries == 60) return false;
      // Wilkinson's shift, and the bulge that it makes chased upwards from m.
      double g = (d[l + 1] - d[l]) / (2 * e[l]), r = std::hypot(g, 1.0);
      g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
      double s = 1, c = 1, p = 0;
      int64_t i = m - 1;
      for (; i >= l; --i) {
        const double f = s * e[i], b = c * e[i];
        r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (q) rotate(q + i * n, q + (i + 1) * n, n, c, s);
      }
      e[m] = 0;
      if (r == 0 && i >= l) continue;
      d[l] -= p;
      e[l] = g;
    }
  return true;
}

// The eigenvalues of a's lower triangle, and its eigenvectors as columns of v unless that is NULL.
template <class T>
bool by_loops(const T* a, int64_t n, T* values, T* v) {
  const Scratch<double> memory(3 * n * n + 4 * n);
  double *full = memory.get(), *vectors = full + n * n, *q = vectors + n * n, *d = q + n * n, *e = d + n,
         *tau = e + n, *w = tau + n;
  double top = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) top = std::max(top, std::fabs(double(a[i * n + j])));
  const double scale = top > 0x1p300 || top < 0x1p-300 ? power_near_one_over(top) : 1;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) full[i * n + j] = full[j * n + i] = double(a[i * n + j]) * scale;
  tridiagonal(full, n, d, e, vectors, tau, w);
  e[n - 1] = 0;
  if (v) transposed_q(vectors, tau, n, q);
  if (!diagonal(d, e, n, v ? q : nullptr)) return false;
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return d[x] < d[y]; });
  for (int64_t j = 0; j < n; ++j) {
    values[j] = T(d[order[size_t(j)]] / scale);
    for (int64_t i = 0; v && i < n; ++i) v[i * n + j] = T(q[order[size_t(j)] * n + i]);
  }
  return true;
}

template <class T>
bool by_lapack(const Lapack& l, const T* a, int64_t n, T* values, T* v) {
  const int size = int(n), query = -1;
  const Scratch<T> memory(v ? 0 : n * n);
  T* work_on = v ? v : memory.get();
  std::copy_n(a, n * n, work_on);
  const char* jobz = v ? "V" : "N";
  int info = 0, iwant = 0;
  T want = 0;
  const Lapack::Alone alone(l);
  const auto syevd = l.syevd(work_on);
  // Rows are its columns, so that the lower triangle is its upper one.
  syevd(jobz, "U", &size, work_on, &size, values, &want, &query, &iwant, &query, &info, 1, 1);
  const int room = int(want), iroom = iwant;
  const Scratch<T> work(room);
  const Scratch<int> iwork(iroom);
  syevd(jobz, "U", &size, work_on, &size, values, work.get(), &room, iwork.get(), &iroom, &info, 1, 1);
  for (int64_t i = 0; v && i < n; ++i)
    for (int64_t j = 0; j < i; ++j) std::swap(v[i * n + j], v[j * n + i]);
  return info == 0;
}

}  // namespace

// attrs: vectors
void k_eigh_factors(const haft_kernel_call& c) {
  KernelCall k(c);
  const Matrices in(k.in(0));
  const int64_t n = in.rows;
  const bool vectors = k.attrs.b(0);
  if (k.in(0).numel == 0) return;
  const Lapack* const library = n >= kLapackEigenvalues ? lapack() : nullptr;
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    each_matrix(in.count, 9.0 * double(n) * double(n) * double(n + 8), [&](int64_t i) {
      const T* a = k.data<T>(0) + i * n * n;
      T *values = k.out_data<T>() + i * n, *v = vectors ? k.out_data<T>(1) + i * n * n : nullptr;
      for (int64_t r = 0; r < n; ++r) require_finite("linalg_eigh", a + r * n, r + 1, i, in.count);
      if (!(library ? by_lapack(*library, a, n, values, v) : by_loops(a, n, values, v)))
        fail(Code::linalg, concat("[linalg_eigh] matrix ", i, " of the batch: the iteration has no end"));
    });
  });
}

}  // namespace haft::cpu
