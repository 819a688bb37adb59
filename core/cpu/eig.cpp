// Eigenvalues and eigenvectors of matrices that are not symmetric: Hessenberg's form by reflections, then Schur's real
// one by double steps with implicit shifts (Golub and Van Loan, Matrix Computations, 7.4 and 7.5), in double; LAPACK's
// geev for large ones where it is there.
#include <cmath>
#include <complex>

#include "core/cpu/lapack.h"
#include "core/cpu/linalg.h"

#pragma GCC optimize("Os")  // rows do the work: small instead of fast

namespace haft::cpu {

namespace {

using C = std::complex<double>;

constexpr double kEps = 0x1p-52;

// A = Q T Q^T with T (n, n), of which the transposed Q is kept where vectors are wanted.
struct Schur {
  int64_t n;
  double *t, *qt;  // qt may be NULL
  double* sums;    // room for n
  double& at(int64_t i, int64_t j) const { return t[i * n + j]; }
  bool starts_pair(int64_t i) const { return i + 1 < n && at(i + 1, i) != 0; }

  // I - beta v v^T, v of `count` elements, from both sides of rows and columns `first` on; what stands left of column
  // `left` or below row `below` is 0 where it matters.
  void reflect(int64_t first, int64_t count, const double* v, double beta, int64_t left,
               int64_t below) const {
    rows(t, first, count, v, beta, left);
    for (int64_t i = 0; i <= below; ++i) {
      double* row = t + i * n + first;
      double s = 0;
      for (int64_t j = 0; j < count; ++j) s += row[j] * v[j];
      for (int64_t j = 0; j < count; ++j) row[j] -= beta * s * v[j];
    }
    if (qt) rows(qt, first, count, v, beta, 0);
  }

 private:
  void rows(double* x, int64_t first, int64_t count, const double* v, double beta, int64_t left) const {
    std::fill_n(sums, n - left, 0.0);
    for (int64_t j = 0; j < count; ++j) axpy(v[j], x + (first + j) * n + left, sums, n - left);
    for (int64_t j = 0; j < count; ++j) axpy(-beta * v[j], sums, x + (first + j) * n + left, n - left);
  }
};

// The vector v (in place of x, n elements) and beta of the reflection that leaves only the first element of x; 0 where
// there is nothing to clear.
double reflection(double* x, int64_t n) {
  double top = 0;
  for (int64_t i = 0; i < n; ++i) top = std::max(top, std::fabs(x[i]));
  double below = 0;
  for (int64_t i = 1; i < n; ++i) below += std::fabs(x[i]);
  if (below == 0) return 0;
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) x[i] /= top, squares += x[i] * x[i];
  x[0] += std::copysign(std::sqrt(squares), x[0]);
  squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += x[i] * x[i];
  return 2 / squares;
}

void hessenberg(const Schur& s, double* v) {
  for (int64_t k = 0; k + 2 < s.n; ++k) {
    const int64_t count = s.n - k - 1;
    for (int64_t i = 0; i < count; ++i) v[i] = s.at(k + 1 + i, k);
    const double beta = reflection(v, count);
    if (beta == 0) continue;
    s.reflect(k + 1, count, v, beta, k, s.n - 1);
    for (int64_t i = k + 2; i < s.n; ++i) s.at(i, k) = 0;
  }
}

// Half the difference of the diagonal of the block at (i, i), and its discriminant: below 0 for a pair of complex
// eigenvalues.
struct Block {
  double half, disc;
  Block(const Schur& s, int64_t i)
      : half((s.at(i, i) - s.at(i + 1, i + 1)) / 2), disc(half * half + s.at(i, i + 1) * s.at(i + 1, i)) {}
};

// A block with real eigenvalues becomes a triangle, by a rotation whose first vector is one of its eigenvectors.
void split(const Schur& s, int64_t i) {
  const Block b(s, i);
  if (b.disc < 0) return;
  const double z = b.half + std::copysign(std::sqrt(b.disc), b.half), c = s.at(i + 1, i),
               r = std::hypot(z, c);
  rotate(s.t + (i + 1) * s.n, s.t + i * s.n, s.n, z / r, c / r);
  for (int64_t k = 0; k <= i + 1; ++k) {
    double &x = s.at(k, i), &y = s.at(k, i + 1);
    const double first = (z * x + c * y) / r;
    y = (z * y - c * x) / r;
    x = first;
  }
  if (s.qt) rotate(s.qt + (i + 1) * s.n, s.qt + i * s.n, s.n, z / r, c / r);
  s.at(i + 1, i) = 0;
}

// One double step on rows and columns lo to hi, whose shifts have this sum and product.
void step(const Schur& s, int64_t lo, int64_t hi, double sum, double product) {
  double v[3];
  v[0] = s.at(lo, lo) * (s.at(lo, lo) - sum) + s.at(lo, lo + 1) * s.at(lo + 1, lo) + product;
  v[1] = s.at(lo + 1, lo) * (s.at(lo, lo) + s.at(lo + 1, lo + 1) - sum);
  v[2] = s.at(lo + 1, lo) * s.at(lo + 2, lo + 1);
  for (int64_t k = lo; k < hi; ++k) {
    const int64_t count = std::min<int64_t>(3, hi - k + 1);
    if (k > lo)
      for (int64_t i = 0; i < count; ++i) v[i] = s.at(k + i, k - 1);
    const double beta = reflection(v, count);
    if (beta == 0) continue;
    s.reflect(k, count, v, beta, std::max(lo, k - 1), std::min(hi, k + 3));
    for (int64_t i = 1; i < count && k > lo; ++i) s.at(k + i, k - 1) = 0;
  }
}

// Hessenberg's form becomes Schur's: blocks of 2 on the diagonal are pairs of complex eigenvalues. False: no end.
bool schur(const Schur& s, double size) {
  int64_t hi = s.n - 1, tries = 0;
  while (hi > 0) {
    int64_t lo = hi;
    for (; lo > 0; --lo) {
      const double around = std::fabs(s.at(lo, lo)) + std::fabs(s.at(lo - 1, lo - 1));
      if (std::fabs(s.at(lo, lo - 1)) <= kEps * (around == 0 ? size : around)) {
        s.at(lo, lo - 1) = 0;
        break;
      }
    }
    if (lo >= hi - 1) {
      if (lo == hi - 1) split(s, lo);
      hi = lo - 1;
      tries = 0;
      continue;
    }
    if (++tries > 60) return false;
    double sum = s.at(hi, hi) + s.at(hi - 1, hi - 1);
    double product = s.at(hi, hi) * s.at(hi - 1, hi - 1) - s.at(hi, hi - 1) * s.at(hi - 1, hi);
    if (tries % 10 == 0) {  // other shifts, where these go round in a circle
      const double other = std::fabs(s.at(hi, hi - 1)) + std::fabs(s.at(hi - 1, hi - 2));
      sum = 1.5 * other;
      product = other * other;
    }
    step(s, lo, hi, sum, product);
  }
  return true;
}

C quotient(C x, C y, double least) { return x / (std::abs(y) < least ? C(least) : y); }

// The vector x of T that belongs to l, whose last row, or pair of rows, begins with `first`; answers how long it is.
int64_t vector_of(const Schur& s, int64_t first, C l, double least, C* x) {
  const int64_t count = first + 1 + s.starts_pair(first);
  x[count - 1] = 1;
  if (s.starts_pair(first)) {
    const double b = s.at(first, first + 1), c = s.at(first + 1, first);
    if (std::fabs(b) >= std::fabs(c))
      x[first] = 1, x[first + 1] = (l - s.at(first, first)) / b;
    else
      x[first] = (l - s.at(first + 1, first + 1)) / c;
  }
  auto rest = [&](int64_t row, int64_t from) {
    C sum = 0;
    for (int64_t j = from; j < count; ++j) sum -= s.at(row, j) * x[j];
    return sum;
  };
  for (int64_t i = first - 1; i >= 0; --i) {
    if (i > 0 && s.starts_pair(i - 1)) {
      const C a = s.at(i - 1, i - 1) - l, d = s.at(i, i) - l, u = rest(i - 1, i + 1), v = rest(i, i + 1);
      const double b = s.at(i - 1, i), c = s.at(i, i - 1);
      const C det = a * d - b * c;
      x[i - 1] = quotient(u * d - b * v, det, least * least);
      x[i] = quotient(a * v - c * u, det, least * least);
      --i;
    } else {
      x[i] = quotient(rest(i, i + 1), s.at(i, i) - l, least);
    }
    const double top = std::abs(x[i]);  // of vectors that nearly are others
    if (top > 0x1p300)
      for (int64_t j = i; j < count; ++j) x[j] /= top;
  }
  return count;
}

// Of length 1, with its largest element real, as column k of v.
template <class T>
void store(const C* x, int64_t n, int64_t k, bool conjugate, T* v) {
  double top = 0, squares = 0;
  int64_t largest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (const double size = std::abs(x[i]); size > top) top = size, largest = i;
  for (int64_t i = 0; i < n; ++i) squares += std::norm(x[i] / top);
  const bool real = std::all_of(x, x + n, [](C c) { return c.imag() == 0; });
  const C by = (real ? C(1) : std::conj(x[largest]) / top) / (top * std::sqrt(squares));
  for (int64_t i = 0; i < n; ++i) {
    const C c = x[i] * by;
    v[2 * (i * n + k)] = T(c.real());
    v[2 * (i * n + k) + 1] = real || i == largest ? T(0) : T(conjugate ? -c.imag() : c.imag());
  }
}

template <class T>
bool by_loops(const T* a, int64_t n, T* values, T* v) {
  const Scratch<double> memory((v ? 2 : 1) * n * n + 2 * n);
  const Scratch<C> numbers(2 * n);
  double *reflected = memory.get(), *t = reflected + 2 * n;
  const Schur s{n, t, v ? t + n * n : nullptr, reflected + n};
  C *x = numbers.get(), *full = x + n;
  double top = 0;
  for (int64_t i = 0; i < n * n; ++i) top = std::max(top, std::fabs(double(a[i])));
  const double scale =
      top > 0x1p100 || (top > 0 && top < 0x1p-100) ? std::exp2(-std::max(std::ilogb(top), -1000)) : 1;
  for (int64_t i = 0; i < n * n; ++i) s.t[i] = double(a[i]) * scale;
  if (s.qt) {
    std::fill_n(s.qt, n * n, 0.0);
    for (int64_t i = 0; i < n; ++i) s.qt[i * n + i] = 1;
  }
  const double size = top * scale * double(n);
  hessenberg(s, reflected);
  if (!schur(s, size)) return false;
  for (int64_t k = 0; k < n; ++k) {
    const bool pair = s.starts_pair(k);
    C l = s.at(k, k);
    if (pair) {
      const Block b(s, k);
      l = {s.at(k + 1, k + 1) + b.half, std::sqrt(std::max(0.0, -b.disc))};
    }
    for (int64_t j = k; j < k + 1 + pair; ++j) {
      values[2 * j] = T(l.real() / scale);
      values[2 * j + 1] = T((j == k ? l.imag() : -l.imag()) / scale);
    }
    if (v) {
      const int64_t count = vector_of(s, k, l, std::max(kEps * size, 0x1p-500), x);
      for (int64_t i = 0; i < n; ++i) {
        full[i] = 0;
        for (int64_t j = 0; j < count; ++j) full[i] += s.qt[j * n + i] * x[j];
      }
      store(full, n, k, false, v);
      if (pair) store(full, n, k + 1, true, v);
    }
    k += pair;
  }
  return true;
}

template <class T>
bool by_lapack(const Lapack& l, const T* a, int64_t n, T* values, T* v) {
  const int size = int(n), query = -1;
  const Scratch<T> memory((v ? 2 : 1) * n * n + 2 * n + 1);
  T *columns = memory.get(), *re = columns + n * n, *im = re + n, *vectors = v ? im + n : columns;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) columns[j * n + i] = a[i * n + j];
  const char* wanted = v ? "V" : "N";
  int info = 0;
  T want = 0;
  const Lapack::Alone alone(l);
  const auto geev = l.geev(columns);
  geev("N", wanted, &size, columns, &size, re, im, columns, &size, vectors, &size, &want, &query, &info, 1,
       1);
  const int room = int(want);
  const Scratch<T> work(room);
  geev("N", wanted, &size, columns, &size, re, im, columns, &size, vectors, &size, work.get(), &room, &info,
       1, 1);
  for (int64_t k = 0; k < n; ++k) values[2 * k] = re[k], values[2 * k + 1] = im[k];
  for (int64_t k = 0; v && k < n; ++k) {  // a pair has its parts in two columns
    const bool pair = im[k] != 0 && k + 1 < n;
    const T* x = vectors + k * n;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= int64_t(pair); ++j) {
        v[2 * (i * n + k + j)] = x[i];
        v[2 * (i * n + k + j) + 1] = pair ? (j ? -x[n + i] : x[n + i]) : T(0);
      }
    k += pair;
  }
  return info == 0;
}

}  // namespace

// attrs: vectors
void k_eig_factors(const haft_kernel_call& c) {
  KernelCall k(c);
  const Matrices in(k.in(0));
  const int64_t n = in.rows;
  const bool vectors = k.attrs.b(0);
  if (k.in(0).numel == 0) return;
  const Lapack* const library = n >= kLapackEigenvalues ? lapack() : nullptr;
  visit_compute_float(k, k.dtype(), [&]<class T>() {
    each_matrix(in.count, 25.0 * double(n) * double(n) * double(n + 8), [&](int64_t i) {
      const T* a = k.data<T>(0) + i * n * n;
      T *values = k.out_data<T>() + i * 2 * n, *v = vectors ? k.out_data<T>(1) + i * 2 * n * n : nullptr;
      require_finite("linalg_eig", a, n * n, i, in.count);
      if (!(library ? by_lapack(*library, a, n, values, v) : by_loops(a, n, values, v)))
        fail(Code::linalg, concat("[linalg_eig] matrix ", i, " of the batch: the iteration has no end"));
    });
  });
}

}  // namespace haft::cpu
