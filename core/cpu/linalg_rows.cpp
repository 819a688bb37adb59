// Loops over rows for decompositions, and the products and triangular systems that are made of them.
#include <cmath>

#include "core/cpu/linalg.h"
#include "core/cpu/matmul.h"
#include "core/cpu/multiversion.h"

namespace haft::cpu {

namespace {

template <class T>
HAFT_BODY void axpy_loop(T s, const T* x, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += s * x[i];
}
// Sixteen sums at a time, added in order, so that the length alone decides the result.
template <class T>
HAFT_BODY T dot_loop(const T* x, const T* y, int64_t n) {
  T sums[16] = {}, sum = 0;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int k = 0; k < 16; ++k) sums[k] += x[i + k] * y[i + k];
  for (; i < n; ++i) sum += x[i] * y[i];
  if (n >= 16)
    for (int k = 0; k < 16; ++k) sum += sums[k];
  return sum;
}

template <Isa>
HAFT_BODY void axpy32_body(float s, const float* x, float* y, int64_t n) {
  axpy_loop(s, x, y, n);
}
template <Isa>
HAFT_BODY void axpy64_body(double s, const double* x, double* y, int64_t n) {
  axpy_loop(s, x, y, n);
}
template <Isa>
HAFT_BODY void dot32_body(const float* x, const float* y, int64_t n, float* sum) {
  *sum = dot_loop(x, y, n);
}
template <Isa>
HAFT_BODY void dot64_body(const double* x, const double* y, int64_t n, double* sum) {
  *sum = dot_loop(x, y, n);
}
template <Isa>
HAFT_BODY void rotate64_body(double* x, double* y, int64_t n, double c, double s) {
  for (int64_t i = 0; i < n; ++i) {
    const double a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}
HAFT_MULTIVERSION(axpy32, (float s, const float* x, float* y, int64_t n), (s, x, y, n))
HAFT_MULTIVERSION(axpy64, (double s, const double* x, double* y, int64_t n), (s, x, y, n))
HAFT_MULTIVERSION(dot32, (const float* x, const float* y, int64_t n, float* sum), (x, y, n, sum))
HAFT_MULTIVERSION(dot64, (const double* x, const double* y, int64_t n, double* sum), (x, y, n, sum))
HAFT_MULTIVERSION(rotate64, (double* x, double* y, int64_t n, double c, double s), (x, y, n, c, s))

constexpr int64_t kFew = 8;  // rows or columns of which the call of a loop would cost more than the loop

}  // namespace

void axpy(float s, const float* x, float* y, int64_t n) {
  n < kFew ? axpy_loop(s, x, y, n) : axpy32(s, x, y, n);
}
void axpy(double s, const double* x, double* y, int64_t n) {
  n < kFew ? axpy_loop(s, x, y, n) : axpy64(s, x, y, n);
}
float dot(const float* x, const float* y, int64_t n) {
  if (n < kFew) return dot_loop(x, y, n);
  float sum;
  dot32(x, y, n, &sum);
  return sum;
}
double dot(const double* x, const double* y, int64_t n) {
  if (n < kFew) return dot_loop(x, y, n);
  double sum;
  dot64(x, y, n, &sum);
  return sum;
}
void rotate(double* x, double* y, int64_t n, double c, double s) { rotate64(x, y, n, c, s); }
double power_near_one_over(double top) { return top > 0 ? std::exp2(std::min(-std::ilogb(top), 1000)) : 1; }

template <class T>
void subtract_product(T* c, int64_t ldc, int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row,
                      int64_t a_col, const T* b, int64_t b_row, int64_t b_col) {
  if (m == 0 || n == 0 || k == 0) return;
  if (double(m) * double(n) * double(k) < 4096) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p) {
        const T s = -a[i * a_row + p * a_col];
        if (b_col == 1)
          axpy(s, b + p * b_row, c + i * ldc, n);
        else
          for (int64_t j = 0; j < n; ++j) c[i * ldc + j] += s * b[p * b_row + j * b_col];
      }
    return;
  }
  const Scratch<T> product(m * n);
  Gemm<T> g;
  g.m = m, g.n = n, g.k = k;
  g.a = a, g.a_row = a_row, g.a_col = a_col;
  g.b = b, g.b_row = b_row, g.b_col = b_col;
  g.c = product.get(), g.ldc = n;
  gemm(g);
  parallel_for(m, 65536 / n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) axpy(T(-1), product.get() + i * n, c + i * ldc, n);
  });
}

// By halves: what the first rows come to is a product that the others lose.
template <class T>
void solve_triangle(const Triangle<T>& t, int64_t n, T* x, int64_t ldx, int64_t k) {
  if (n > kFew) {
    const int64_t half = n / 2, first = t.upper ? half : 0, size = t.upper ? n - half : half,
                  second = t.upper ? 0 : half, rest = n - size;
    Triangle<T> part = t;
    part.a = t.a + first * (t.row + t.col);
    solve_triangle(part, size, x + first * ldx, ldx, k);
    subtract_product(x + second * ldx, ldx, rest, k, size, t.a + second * t.row + first * t.col, t.row, t.col,
                     x + first * ldx, ldx, int64_t(1));
    part.a = t.a + second * (t.row + t.col);
    return solve_triangle(part, rest, x + second * ldx, ldx, k);
  }
  for (int64_t s = 0; s < n; ++s) {
    const int64_t i = t.upper ? n - 1 - s : s;
    for (int64_t p = 0; p < s; ++p) {
      const int64_t j = t.upper ? n - 1 - p : p;
      axpy(-t.at(i, j), x + j * ldx, x + i * ldx, k);
    }
    if (t.unit) continue;
    const T d = t.at(i, i);
    for (int64_t j = 0; j < k; ++j) x[i * ldx + j] /= d;
  }
}

template <class T>
void require_finite(const char* op, const T* x, int64_t n, int64_t i, int64_t count) {
  for (int64_t j = 0; j < n; ++j)
    if (!std::isfinite(x[j]))
      fail(Code::linalg,
           count == 1 ? concat("[", op, "] the matrix has a value that is not finite")
                      : concat("[", op, "] matrix ", i, " of the batch has a value that is not finite"),
           "no iteration would come to an end", "input");
}

template void subtract_product(float*, int64_t, int64_t, int64_t, int64_t, const float*, int64_t, int64_t,
                               const float*, int64_t, int64_t);
template void subtract_product(double*, int64_t, int64_t, int64_t, int64_t, const double*, int64_t, int64_t,
                               const double*, int64_t, int64_t);
template void solve_triangle(const Triangle<float>&, int64_t, float*, int64_t, int64_t);
template void solve_triangle(const Triangle<double>&, int64_t, double*, int64_t, int64_t);
template void require_finite(const char*, const float*, int64_t, int64_t, int64_t);
template void require_finite(const char*, const double*, int64_t, int64_t, int64_t);

}  // namespace haft::cpu
