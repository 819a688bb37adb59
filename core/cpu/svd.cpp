// Singular values and vectors: rotations of the columns of R until they are orthogonal (Hestenes, J. SIAM 6, 1958), in
// double, which finds small values as exactly as large ones; LAPACK's divide and conquer for large matrices where it is
// there.
#include <cmath>
#include <numeric>
#include <vector>

#include "core/cpu/lapack.h"
#include "core/cpu/linalg.h"

#pragma GCC optimize("Os")  // rows do the work: small instead of fast

namespace haft::cpu {

namespace {

// A length that counts as 0 beside elements of which the largest is about 1: what is left of rows that depended on
// others shrinks with every sweep, and would not come to an end.
constexpr double kNothing = 1e-100;

// Rows of g (n, n) become orthogonal; those of v, unless it is NULL, are turned with them. False: no end.
bool orthogonalize(double* g, int64_t n, double* v) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool turned = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double *x = g + p * n, *y = g + q * n;
        const double a = dot(x, x, n), b = dot(y, y, n), c = dot(x, y, n);
        if (std::fabs(c) <= 1e-15 * std::sqrt(a) * std::sqrt(b) || std::min(a, b) <= kNothing * kNothing)
          continue;
        turned = true;
        const double z = (b - a) / (2 * c), t = std::copysign(1 / (std::fabs(z) + std::hypot(1.0, z)), z),
                     cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
        rotate(x, y, n, cosine, sine);
        if (v) rotate(v + p * n, v + q * n, n, cosine, sine);
      }
    if (!turned) return true;
  }
  return false;
}

// What a call answers of one matrix (m, n): u (m, u_columns), s, vh (vh_rows, n); u and vh are NULL for values alone.
template <class T>
struct Wanted {
  T *u, *s, *vh;
  int64_t u_columns, vh_rows;
};

// m >= n. The transposed of u comes out where `flipped`: the caller's matrix is the transposed of a.
template <class T>
bool by_loops(const T* given, int64_t m, int64_t n, bool flipped, const Wanted<T>& want) {
  const bool vectors = want.u != nullptr;
  const int64_t u_columns = flipped ? want.vh_rows : want.u_columns;
  const Scratch<double> memory(2 * m * n + n + 3 * n * n + (vectors ? 2 * m * u_columns : 0));
  double *a = memory.get(), *tau = a + 2 * m * n, *g = tau + n, *v = g + n * n, *inner = v + n * n,
         *q = inner + n * n, *u = q + (vectors ? m * u_columns : 0);
  double top = 0;
  for (int64_t i = 0; i < m * n; ++i) top = std::max(top, std::fabs(double(given[i])));
  const double scale = power_near_one_over(top);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      a[i * n + j] = double(flipped ? given[j * m + i] : given[i * n + j]) * scale;
  reflect(a, m, n, tau);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      g[j * n + i] = j < i ? 0 : a[i * n + j];  // rows are R's columns
      v[i * n + j] = i == j;
    }
  if (!orthogonalize(g, n, vectors ? v : nullptr)) return false;
  std::vector<double> length(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) length[size_t(j)] = std::sqrt(dot(g + j * n, g + j * n, n));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t x, int64_t y) { return length[size_t(x)] > length[size_t(y)]; });
  for (int64_t j = 0; j < n; ++j) want.s[j] = T(length[size_t(order[size_t(j)])] / scale);
  if (!vectors) return true;

  // The columns of R over their lengths; those without a length are any that complete the others.
  int64_t rank = 0;
  for (; rank < n && length[size_t(order[size_t(rank)])] > kNothing; ++rank)
    for (int64_t i = 0; i < n; ++i)
      inner[i * n + rank] = g[order[size_t(rank)] * n + i] / length[size_t(order[size_t(rank)])];
  form_q(a, m, n, tau, q, u_columns);
  if (rank < n) {
    const Scratch<double> some(2 * n * n + n);
    double *columns = some.get(), *all = columns + n * n, *tau_of = all + n * n;
    for (int64_t i = 0; i < n; ++i) std::copy_n(inner + i * n, rank, columns + i * rank);
    reflect(columns, n, rank, tau_of);
    form_q(columns, n, rank, tau_of, all, n);
    for (int64_t i = 0; i < n; ++i) std::copy_n(all + i * n + rank, n - rank, inner + i * n + rank);
  }
  for (int64_t i = 0; i < m; ++i) {
    double* out = u + i * u_columns;
    std::fill_n(out, n, 0.0);
    for (int64_t p = 0; p < n; ++p) axpy(q[i * u_columns + p], inner + p * n, out, n);
    std::copy_n(q + i * u_columns + n, u_columns - n, out + n);
  }
  T *tall = flipped ? want.vh : want.u, *square = flipped ? want.u : want.vh;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < u_columns; ++j)
      tall[flipped ? j * m + i : i * u_columns + j] = T(u[i * u_columns + j]);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) square[flipped ? i * n + j : j * n + i] = T(v[order[size_t(j)] * n + i]);
  return true;
}

// Its columns are rows: it decomposes the transposed matrix, whose U is Vh as it lies, and the reverse.
template <class T>
bool by_lapack(const Lapack& l, const T* given, int64_t m, int64_t n, const Wanted<T>& want) {
  const int rows = int(n), columns = int(m), query = -1, ldvt = int(std::max<int64_t>(want.u_columns, 1));
  const Scratch<T> a(m * n);
  std::copy_n(given, m * n, a.get());
  const Scratch<int> iwork(8 * std::min(m, n));
  const char* jobz = !want.u ? "N" : want.u_columns == m && want.vh_rows == n ? "A" : "S";
  int info = 0;
  T size = 0, none[1];
  T *u = want.u ? want.vh : none, *vt = want.u ? want.u : none;
  const Lapack::Alone alone(l);
  const auto gesdd = l.gesdd(a.get());
  gesdd(jobz, &rows, &columns, a.get(), &rows, want.s, u, &rows, vt, &ldvt, &size, &query, iwork.get(), &info,
        1);
  const int room = int(size);
  const Scratch<T> work(room);
  gesdd(jobz, &rows, &columns, a.get(), &rows, want.s, u, &rows, vt, &ldvt, work.get(), &room, iwork.get(),
        &info, 1);
  return info == 0;
}

}  // namespace

// attrs: mode (0 values, 1 reduced, 2 full)
void k_svd_factors(const haft_kernel_call& c) {
  KernelCall k(c);
  const Matrices in(k.in(0));
  const int64_t m = in.rows, n = in.columns, least = std::min(m, n);
  const bool vectors = k.attrs.i(0) != 0;
  const int64_t u_columns = vectors ? k.out(0).sizes[k.out(0).ndim - 1] : 0,
                vh_rows = vectors ? k.out(2).sizes[k.out(2).ndim - 2] : 0;
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    T *u = k.out_data<T>(0), *vh = k.out_data<T>(2);
    if (least == 0) {  // what is left are unit matrices
      for (int64_t i = 0; vectors && i < in.count * m * u_columns; ++i) u[i] = T(i / m % m == i % m);
      for (int64_t i = 0; vectors && i < in.count * n * vh_rows; ++i) vh[i] = T(i / n % n == i % n);
      return;
    }
    const Lapack* const library = least >= kLapackSingularValues ? lapack() : nullptr;
    each_matrix(in.count, 20.0 * double(m) * double(n) * double(least + 8), [&](int64_t i) {
      const T* a = k.data<T>(0) + i * m * n;
      require_finite("linalg_svd", a, m * n, i, in.count);
      const Wanted<T> want{vectors ? u + i * m * u_columns : nullptr, k.out_data<T>(1) + i * least,
                           vectors ? vh + i * vh_rows * n : nullptr, u_columns, vh_rows};
      const bool ended = library  ? by_lapack(*library, a, m, n, want)
                         : m >= n ? by_loops(a, m, n, false, want)
                                  : by_loops(a, n, m, true, want);
      if (!ended)
        fail(Code::linalg, concat("[linalg_svd] matrix ", i, " of the batch: the iteration has no end"));
    });
  });
}

}  // namespace haft::cpu
