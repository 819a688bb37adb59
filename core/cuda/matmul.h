// Matrix products on device memory: C (m, n) = alpha * A (m, k) @ B (k, n) + beta * bias, `batch` of them. A, B and
// bias have any strides, 0 included, C any in which no two elements share a place.
#pragma once
#include "core/cuda/kernel.h"

namespace haft::cuda {

struct Gemm {
  DType type = DType::f32;  // of A and B
  DType c_type =
      DType::none;  // of C and bias: `type` (also what none says), or float32 where that is a 16-bit float
  int64_t batch = 1, m = 0, n = 0, k = 0;
  // Strides in elements.
  const void* a = nullptr;
  int64_t a_batch = 0, a_row = 0, a_col = 0;
  const void* b = nullptr;
  int64_t b_batch = 0, b_row = 0, b_col = 0;
  void* c = nullptr;
  int64_t c_batch = 0, c_row = 0, c_col = 1;
  const void* bias = nullptr;  // may be C itself, with C's strides: the product is added to what stands there
  int64_t bias_batch = 0, bias_row = 0, bias_col = 0;
  // Where there is one, (m) elements of c_type: sums of A's rows. Of one product of 16-bit floats without a bias, and
  // library_gemm alone makes them.
  void* row_sums = nullptr;
  // Of 8-bit floats, which library_gemm alone takes: the product is multiplied by these, one number each or a vector
  // (m) and (n).
  DType b_type = DType::none;  // of B, where it is not `type`
  const float *a_scale = nullptr, *b_scale = nullptr;
  bool scale_vectors = false;
  Scalar alpha = Scalar(int64_t(1)), beta = Scalar(int64_t(1));  // bias is not read where beta is 0
};

// Enqueues the product: cuBLASLt's for floats where the library is there and takes it, else the plug-in's own. Sums
// are kept in float for 16-bit floats and float32 (whose factors are rounded to TF32 only with HAFT_CALL_TF32), in
// double for float64; integers wrap around. Equal calls give equal bits.
void gemm(const Call& c, const Gemm& g);

// The last two dimensions of views, and a first one of both as the batch where there are three.
Gemm product_of(const haft_tensor_view& a, const haft_tensor_view& b, const haft_tensor_view& out);

bool library_gemm(const Call& c, const Gemm& g);  // cublaslt.cpp; false: it cannot
void tiled_gemm(const Call& c, const Gemm& g);  // matmul.cu; float32, float64, 16-bit floats, int32 and int64

}  // namespace haft::cuda
