// What decompositions on the CPU are written with: loops over rows, products of blocks, systems with triangles,
// reflections. Matrices are row-major unless strides say otherwise. LU, Cholesky and QR are haft's own, blocks of them
// products that the engine shares among its threads; batches are shared matrix by matrix.
#pragma once
#include <algorithm>

#include "core/cpu/kernel.h"

namespace haft::cpu {

// ---- rows (linalg_rows.cpp) ----
void axpy(float s, const float* x, float* y, int64_t n);  // y += s x
void axpy(double s, const double* x, double* y, int64_t n);
float dot(const float* x, const float* y, int64_t n);
double dot(const double* x, const double* y, int64_t n);
void rotate(double* x, double* y, int64_t n, double c, double s);  // (c x - s y, s x + c y)
// A power of two that makes `top`, the largest of many, about 1; of what has less than all bits still a number.
double power_near_one_over(double top);

// ---- blocks ----
// C (m, n) -= A (m, k) B (k, n).
template <class T>
void subtract_product(T* c, int64_t ldc, int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row,
                      int64_t a_col, const T* b, int64_t b_row, int64_t b_col);
// X (n, k) of A X = X, of which one triangle is read.
template <class T>
struct Triangle {
  const T* a;
  int64_t row, col;  // strides
  bool upper, unit;
  T at(int64_t i, int64_t j) const { return a[i * row + j * col]; }
};
template <class T>
void solve_triangle(const Triangle<T>& t, int64_t n, T* x, int64_t ldx, int64_t k);

// ---- reflections (householder.cpp) ----
// a (m, n) becomes R, with the reflections of its columns below; tau has min(m, n) elements.
template <class T>
void reflect(T* a, int64_t m, int64_t n, T* tau);
// The first `columns` columns of their product, q (m, columns).
template <class T>
void form_q(const T* a, int64_t m, int64_t n, const T* tau, T* q, int64_t columns);

// ---- batches ----
// Matrices of the last two dimensions, one behind the other in the order of the leading ones.
struct Matrices {
  const haft_tensor_view& v;
  int64_t rows, columns, count = 1;

  explicit Matrices(const haft_tensor_view& view)
      : v(view), rows(view.sizes[view.ndim - 2]), columns(view.sizes[view.ndim - 1]) {
    for (int d = 0; d < v.ndim - 2; ++d) count *= v.sizes[d];
  }
  int64_t row_stride() const { return v.strides[v.ndim - 2]; }
  int64_t column_stride() const { return v.strides[v.ndim - 1]; }
  int64_t offset(int64_t i) const {
    int64_t at = 0;
    for (int d = v.ndim - 3; d >= 0; --d) {
      at += i % v.sizes[d] * v.strides[d];
      i /= v.sizes[d];
    }
    return at;
  }
};

// f(i) for every matrix of a batch, each some `work` operations.
template <class F>
void each_matrix(int64_t count, double work, F&& f) {
  parallel_for(count, std::max<int64_t>(1, int64_t(40000 / (work + 1))), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// Fails for matrix i of `count` unless its n elements are finite.
template <class T>
void require_finite(const char* op, const T* x, int64_t n, int64_t i, int64_t count);

}  // namespace haft::cpu
