// Matrix products on plain memory: C (m, n) = alpha * A (m, k) @ B (k, n) + beta * bias. A, B and bias have
// any strides, C is row-major with leading dimension ldc.
#pragma once
#include <cstdint>

#include "core/tensor/dtype.h"

namespace haft::cpu {

template <class T>
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_row = 0, a_col = 0;
  const T* b = nullptr;
  int64_t b_row = 0, b_col = 0;
  T* c = nullptr;
  int64_t ldc = 0;
  const T* bias = nullptr;  // stride 0 where it is broadcast
  int64_t bias_row = 0, bias_col = 0;
  T alpha = T(1), beta = T(1);
};

void gemm(const Gemm<float>& g);    // chooses among the ones below and oneDNN
void gemm(const Gemm<double>& g);   // blocked, own kernel
void gemm(const Gemm<int64_t>& g);  // wraps around

// bfloat16 with A transposed, a row of bias at most, alpha and beta 1. False: the processor or the shape wants
// another way.
bool transposed_gemm(const Gemm<BFloat16>& g);

// C (m, n) = A @ B + bias by the library on this thread: dense bfloat16 operands, or their transposes, C dense
// bfloat16 or float32; bias (n) is bfloat16 or NULL. For processors with bfloat16.
void library_product(int64_t m, int64_t n, int64_t k, const void* a, bool a_transposed, const void* b,
                     bool b_transposed, const void* bias, void* c, DType type);

constexpr int64_t kSmallFlops = 2 * 64 * 64 * 64;
bool small_gemm_fits(const Gemm<float>& g);  // oneDNN's cost per call would show
void small_gemm(const Gemm<float>& g);

// y (n) = alpha * W (n, k) @ x (k) + beta * bias; one of w's strides must be 1.
struct Gemv {
  int64_t n = 0, k = 0;
  const float* w = nullptr;
  int64_t w_row = 0, w_col = 0;
  const float* x = nullptr;
  int64_t x_stride = 1;
  float* y = nullptr;
  int64_t y_stride = 1;
  const float* bias = nullptr;
  int64_t bias_stride = 0;
  float alpha = 1, beta = 1;
};
void gemv(const Gemv& g);

}  // namespace haft::cpu
