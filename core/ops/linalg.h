// What the families of linear algebra share.
#pragma once
#include <array>

#include "core/ops/gradient.h"

namespace haft::linalg {

inline Tensor turned(const Tensor& x) { return ops::transpose(x, -2, -1); }
inline Tensor column(const Tensor& x) { return ops::unsqueeze(x, -1); }  // of each row
inline Tensor row(const Tensor& x) { return ops::unsqueeze(x, -2); }
inline Tensor own_diagonal(const Tensor& x) { return ops::diagonal(x, 0, -2, -1); }
// Unit matrices (*, n, n) of x's leading dimensions, as a view.
Tensor identity_like(const Tensor& x, int64_t n);
// The leading dimensions of matrices, with what stands behind them.
Shape batch_of(const Tensor& matrices, std::initializer_list<int64_t> behind = {});
// A view of x with these leading dimensions.
Tensor spread(const Tensor& x, IntList batch);

// The two dimensions of matrices in x, wrapped (none given: the last two). Fails unless they are two.
std::array<int64_t, 2> matrix_dims(const char* op, const Tensor& x, IntList dims);
// The singular values (*, K) of the matrices in these dimensions.
Tensor singular_values(const Tensor& x, std::array<int64_t, 2> dims);
// y (*), one number for each matrix, with 1 in the place of their dimensions.
Tensor with_dims(const Tensor& y, std::array<int64_t, 2> dims);

// Fail unless x is float32 or float64 of at least 2 dimensions, or square besides.
void require_matrices(const char* op, const Tensor& x, const char* argument = "A");
void require_square(const char* op, const Tensor& x, const char* argument = "A");
// Fails for the first matrix whose `info` (int32) is not 0, which `text` ends with. Reads it on the host. `factor`: the
// argument of an operator without a form that answers `info`.
void require_success(const char* op, const Tensor& info, const char* text, const char* factor = nullptr);

// The rule of PyTorch's solvers: b holds vectors when it has one dimension, or just the leading ones of a.
bool are_vectors(const Tensor& a, const Tensor& b);
// Rows in the order of `permutation` (*, n): row i is row permutation[i] of x (*, n, k).
Tensor rows_in_order(const Tensor& x, const Tensor& permutation);
// The permutation that pivots (*, k) of exchanged rows come to, int64 (*, rows). Reads them on the host.
Tensor permutation_of(const Tensor& pivots, int64_t rows);
// X of A X = B (A^T X = B) for A with these factors; b (*, n, k) of the same leading dimensions.
Tensor solve_factored(const Tensor& lu, const Tensor& permutation, const Tensor& b, bool adjoint);

inline double epsilon_of(const Tensor& x) { return x.dtype() == DType::f64 ? 0x1p-52 : 0x1p-23; }
// The call's node at every level of vmap, for compositions that are one to the tape: their gradients stand beside them.
void record_as_one(OpId op, std::initializer_list<const Tensor*> inputs, std::span<Tensor> results);
// Whether the tape would want one at any of them.
bool is_recorded(std::initializer_list<const Tensor*> inputs);

}  // namespace haft::linalg
