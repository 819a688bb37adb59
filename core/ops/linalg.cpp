// Decompositions of matrices: shape rules and gradients of the kernels' factors. Gradients are written in operators,
// with triangular systems in place of inverses, so that every order exists.
#include "core/ops/linalg.h"

#include <algorithm>

#include "core/ops/complex.h"

#pragma GCC optimize("Os")  // operators do the work: small instead of fast

namespace haft {

namespace linalg {

Tensor identity_like(const Tensor& x, int64_t n) {
  return ops::expand(ops::eye(n, n, x.dtype(), x.device()), batch_of(x, {n, n}));
}

Shape batch_of(const Tensor& matrices, std::initializer_list<int64_t> behind) {
  Shape sizes(matrices.sizes().first(size_t(matrices.ndim() - 2)));
  for (int64_t n : behind) sizes.push_back(n);
  return sizes;
}

Tensor spread(const Tensor& x, IntList batch) {
  Shape sizes(batch);
  sizes.push_back(x.size(-2));
  sizes.push_back(x.size(-1));
  return std::ranges::equal(x.sizes(), IntList(sizes)) ? x : ops::expand(x, sizes);
}

std::array<int64_t, 2> matrix_dims(const char* op, const Tensor& x, IntList dims) {
  const int64_t last_two[] = {-2, -1};
  if (dims.empty()) dims = last_two;
  if (x.ndim() < 2 || dims.size() != 2)
    fail(Code::shape,
         concat("[", op, "] takes two dimensions of at least two, got ", dims, " of shape ", x.sizes()), {},
         "dim");
  const std::array<int64_t, 2> both = {wrap_dim(dims[0], x.ndim(), op), wrap_dim(dims[1], x.ndim(), op)};
  if (both[0] == both[1])
    fail(Code::invalid_argument, concat("[", op, "] both dimensions are ", both[0]), {}, "dim");
  return both;
}

Tensor singular_values(const Tensor& x, std::array<int64_t, 2> dims) {
  const int64_t last_two[] = {-2, -1};
  return ops::linalg_svdvals(ops::movedim(x, dims, last_two));
}

Tensor with_dims(const Tensor& y, std::array<int64_t, 2> dims) {
  return ops::unsqueeze(ops::unsqueeze(y, std::min(dims[0], dims[1])), std::max(dims[0], dims[1]));
}

void require_matrices(const char* op, const Tensor& x, const char* argument) {
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64)
    fail(Code::dtype, concat("[", op, "] takes float32 and float64, got ", dtype_name(x.dtype())),
         "cast it first", argument);
  if (x.ndim() < 2)
    fail(Code::shape, concat("[", op, "] takes matrices (*, M, N), got shape ", x.sizes()), {}, argument);
}

void require_square(const char* op, const Tensor& x, const char* argument) {
  require_matrices(op, x, argument);
  if (x.size(-1) != x.size(-2))
    fail(Code::shape, concat("[", op, "] takes square matrices (*, N, N), got shape ", x.sizes()), {},
         argument);
}

}  // namespace linalg

using namespace linalg;

namespace {

// Solutions with triangular matrices and with their transposes.
Tensor over(const Tensor& triangle, const Tensor& b, bool upper, bool left, bool unit = false) {
  return ops::linalg_solve_triangular(triangle, b, upper, left, unit);
}

// The sum of matrices of which some may be absent.
Tensor plus(const Tensor& a, const Tensor& b) { return !a ? b : !b ? a : a + b; }

}  // namespace

// ---- triangular systems ----

SHAPE(linalg_solve_triangular) {
  require_square(c.name(), c.in(0));
  require_same_dtype(c, 1, "B");
  const Tensor &a = c.in(0), &b = c.in(1);
  const bool left = c.attrs.b(1);
  if (b.ndim() < 2 || b.size(left ? -2 : -1) != a.size(-1))
    fail(Code::shape,
         concat("[linalg_solve_triangular] B of shape ", b.sizes(), " does not fit matrices of shape ",
                a.sizes(), ": it wants ", a.size(-1), left ? " rows" : " columns"),
         "a vector is unsqueezed first", "B");
  const Shape batch = broadcast_shapes(batch_of(a), batch_of(b), c.name());
  for (int i = 0; i < 2; ++i)
    if (Tensor wide = spread(c.in(i), batch); wide.impl() != c.in(i).impl()) c.set_in(i, wide);
  c.out(0, a.dtype(), c.in(1).sizes());
}
// X = A^-1 B: dB = A^-T dX and dA = -dB X^T, of which the triangle counts.
GRADIENT(linalg_solve_triangular, .saves = {IN0 | OUT0, IN0}) {
  const bool upper = b.attrs.b(0), left = b.attrs.b(1), unit = b.attrs.b(2);
  const Tensor g = over(turned(b.in(0)), b.grad(), !upper, left, unit);
  if (b.needs(0)) {
    const Tensor x = b.out(), full = -(left ? ops::matmul(g, turned(x)) : ops::matmul(turned(x), g));
    b.set(0, upper ? ops::triu(full, unit) : ops::tril(full, -int64_t(unit)));
  }
  if (b.needs(1)) b.set(1, g);
}

// ---- Cholesky ----

SHAPE(cholesky_factor) {
  const Tensor& x = c.in(0);
  require_square(c.name(), x);
  c.out(0, x.dtype(), x.sizes());
  c.out(1, DType::i32, batch_of(x));
}
// dA = L^-T S L^-1 with S the symmetric half of the lower triangle of L^T dL, its diagonal halved (Murray,
// arXiv:1602.07527).
GRADIENT(cholesky_factor, .saves = {OUT0}) {
  if (!b.has_grad(0)) return;
  const Tensor l = b.out(), p = ops::matmul(turned(l), b.grad());
  const Tensor s = (ops::tril(p) + turned(ops::tril(p, -1))) * 0.5;
  const Tensor half = over(turned(l), s, true, true);  // L^-T S
  b.set(0, over(l, half, false, false));
}

// ---- LU ----

SHAPE(lu_factors) {
  const Tensor& x = c.in(0);
  require_matrices(c.name(), x);
  c.out(0, x.dtype(), x.sizes());
  c.out(1, DType::i32, batch_of(x, {std::min(x.size(-2), x.size(-1))}));
  c.out(2, DType::i64, batch_of(x, {x.size(-2)}));
  c.out(3, DType::i32, batch_of(x));
}
// With P^T A = L U: the square part is L^-T (lower of L^T dL, upper of dU U^T) U^-T; what stands below it, A2 = L2 U,
// or beside it, A2 = L U2, gives its own and takes its part out of dU, or dL (Higham's conditions hold where no pivot
// is 0). Each triangle of the product reads just its own triangle of the gradient.
GRADIENT(lu_factors, .saves = {OUT0 | OUT2}) {
  if (!b.has_grad(0)) return;
  const Tensor lu = b.out(0), g = b.grad(0);
  const int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  const Tensor square = ops::narrow(ops::narrow(lu, -2, 0, k), -1, 0, k);
  const Tensor l = ops::tril(square, -1) + identity_like(lu, k), u = ops::triu(square);
  Tensor gl = ops::narrow(ops::narrow(g, -2, 0, k), -1, 0, k), gu = gl, rest;
  if (m > n) {
    const Tensor below = ops::narrow(lu, -2, k, m - k);
    rest = over(turned(u), ops::narrow(g, -2, k, m - k), false, false);  // dL2 U^-T
    gu = gu - ops::matmul(turned(below), rest);
  } else if (n > m) {
    const Tensor beside = ops::narrow(lu, -1, k, n - k);
    rest = over(turned(l), ops::narrow(g, -1, k, n - k), true, true, true);  // L^-T dU2
    gl = gl - ops::matmul(rest, turned(beside));
  }
  const Tensor inner = ops::tril(ops::matmul(turned(l), gl), -1) + ops::triu(ops::matmul(gu, turned(u)));
  Tensor x = over(turned(u), over(turned(l), inner, true, true, true), false, false);
  if (rest) {
    const Tensor both[] = {x, rest};
    x = ops::cat(both, m > n ? -2 : -1);
  }
  b.set(0, rows_in_order(x, ops::argsort(b.out(2), -1)));
}

// ---- QR ----

SHAPE(qr_factors) {
  const Tensor& x = c.in(0);
  require_matrices(c.name(), x);
  const int64_t mode = c.attrs.i(0), m = x.size(-2), n = x.size(-1), k = mode == 1 ? m : std::min(m, n);
  c.out(0, x.dtype(), mode == 2 ? Shape{0} : batch_of(x, {m, k}));
  c.out(1, x.dtype(), batch_of(x, {k, n}));
}
// dA = (dQ + Q S) R^-T with S symmetric of the upper triangle of dR R^T - Q^T dQ. Of wide matrices A = (X | Y),
// R = (U | V), the right part is V = Q^T Y.
GRADIENT(qr_factors, .saves = {OUT0 | OUT1}) {
  const int64_t mode = b.attrs.i(0), m = b.out(1).size(-2), n = b.out(1).size(-1);
  if (mode == 2)
    fail(Code::autograd, "[linalg_qr] with mode 2 (r) keeps no Q, which its derivative needs",
         "mode 0 (reduced) has one");
  if (mode == 1 && m > n)
    fail(Code::autograd,
         concat("[linalg_qr] with mode 1 (complete) has no derivative where there are more rows than "
                "columns, got ",
                m, " x ", n, ": the last columns of Q are any that fit"),
         "mode 0 (reduced) has one");
  const Tensor q = b.out(0), r = b.out(1);
  const int64_t k = std::min(r.size(-2), n);
  Tensor gq = b.has_grad(0) ? b.grad(0) : Tensor(), gr = b.has_grad(1) ? b.grad(1) : Tensor();
  const Tensor u = n > k ? ops::narrow(r, -1, 0, k) : r;
  Tensor beside;
  if (n > k) {
    const Tensor v = ops::narrow(r, -1, k, n - k);
    const Tensor gv = gr ? ops::narrow(gr, -1, k, n - k) : ops::zeros_like(v);
    beside = ops::matmul(q, gv);
    gq = plus(gq, ops::matmul(ops::matmul(q, v), turned(gv)));
    if (gr) gr = ops::narrow(gr, -1, 0, k);
  }
  Tensor inner = gr ? ops::matmul(gr, turned(u)) : Tensor();
  if (gq) inner = plus(inner, -ops::matmul(turned(q), gq));
  if (!inner) return;
  const Tensor s = ops::triu(inner) + turned(ops::triu(inner, 1));
  const Tensor x = over(turned(u), plus(ops::matmul(q, s), gq), false, false);
  if (!beside) return b.set(0, x);
  const Tensor both[] = {x, beside};
  b.set(0, ops::cat(both, -1));
}

// ---- eigenvalues ----

SHAPE(eigh_factors) {
  const Tensor& x = c.in(0);
  require_square(c.name(), x);
  c.out(0, x.dtype(), batch_of(x, {x.size(-1)}));
  c.out(1, x.dtype(), batch_of(x, {c.attrs.b(0) ? x.size(-1) : 0, x.size(-1)}));
}
// dA = V (dL + skew(V^T dV) / E) V^T with E[i][j] = l[j] - l[i] and skew(X) = (X - X^T) / 2: symmetric, as A is.
GRADIENT(eigh_factors, .saves = {OUT0 | OUT1}) {
  const Tensor v = b.out(1);
  Tensor inner;
  if (b.has_grad(1) && v.numel()) {
    const Tensor l = b.out(0), e = row(l) - column(l) + identity_like(v, l.size(-1));
    const Tensor p = ops::matmul(turned(v), b.grad(1));
    inner = (p - turned(p)) / (e * 2);
  }
  if (b.has_grad(0)) inner = plus(inner, ops::diag_embed(b.grad(0)));
  if (inner) b.set(0, ops::matmul(ops::matmul(v, inner), turned(v)));
}

SHAPE(eig_factors) {
  const Tensor& x = c.in(0);
  require_square(c.name(), x);
  c.out(0, x.dtype(), batch_of(x, {x.size(-1), 2}));
  c.out(1, x.dtype(), batch_of(x, {c.attrs.b(0) ? x.size(-1) : 0, x.size(-1), 2}));
}
// X of A X = B for complex matrices, by real ones of twice the size. Nothing is read on the host: a singular A answers
// what is not finite.
static Tensor complex_solved(const Tensor& a, const Tensor& b) {
  const Tensor re = ops::real(a), im = ops::imag(a);
  const Tensor above[] = {re, -im}, below[] = {im, re}, right[] = {ops::real(b), ops::imag(b)};
  const Tensor rows[] = {ops::cat(above, -1), ops::cat(below, -1)};
  const Tensor x = ops::linalg_solve_ex(ops::cat(rows, -2), ops::cat(right, -2))[0];
  const int64_t n = b.size(-2);
  return ops::complex(ops::narrow(x, -2, 0, n), ops::narrow(x, -2, n, n));
}
// dA = V^-H (dL + (P - V^H V re(diag P)) / conj(E)) V^H with P = V^H dV and E[i][j] = l[j] - l[i], beside the diagonal
// (Giles, An extended collection of matrix derivative results, 2008; columns of V have length 1).
GRADIENT(eig_factors, .saves = {OUT0 | OUT1}) {
  const Tensor l = joined(b.out(0)), v = joined(b.out(1)), vh = ops::adjoint(v);
  const int64_t n = l.size(-1);
  const Tensor own = ops::ne_scalar(ops::eye(n, n, DType::f32, l.device()), 0);
  const Tensor gl = b.has_grad(0) ? joined(b.grad(0)) : Tensor();
  Tensor inner;
  if (b.has_grad(1) && v.numel()) {
    const Tensor p = ops::matmul(vh, joined(b.grad(1)));
    const Tensor off = p - ops::matmul(vh, v) * row(ops::real(own_diagonal(p)));
    const Tensor e = ops::masked_fill(ops::conj(row(l) - column(l)), own, 1.0);
    inner = ops::masked_fill(off / e, own, 0.0);
    if (gl) inner = ops::where(own, column(gl), inner);
    inner = ops::matmul(inner, vh);
  } else if (gl) {
    inner = column(gl) * vh;
  }
  if (inner) b.set(0, ops::real(complex_solved(vh, inner)));
}

// ---- singular values ----

SHAPE(svd_factors) {
  const Tensor& x = c.in(0);
  require_matrices(c.name(), x);
  const int64_t mode = c.attrs.i(0), m = x.size(-2), n = x.size(-1), k = std::min(m, n);
  c.out(0, x.dtype(), batch_of(x, {m, mode == 0 ? 0 : mode == 1 ? k : m}));
  c.out(1, x.dtype(), batch_of(x, {k}));
  c.out(2, x.dtype(), batch_of(x, {mode == 0 ? 0 : mode == 1 ? k : n, n}));
}
// dA = U (skew(U^T dU) / E S + S skew(V^T dV) / E + dS) V^T with E[i][j] = s[j]^2 - s[i]^2 and skew(X) = X - X^T, and
// what dU and dV have outside of U's and V's columns, over S.
GRADIENT(svd_factors, .saves = {OUT0 | OUT1 | OUT2}) {
  const Tensor s = b.out(1);
  const int64_t k = s.size(-1);
  const Tensor u = ops::narrow(b.out(0), -1, 0, k), vh = ops::narrow(b.out(2), -2, 0, k);
  const int64_t m = u.size(-2), n = vh.size(-1);
  Tensor inner = b.has_grad(1) ? ops::diag_embed(b.grad(1)) : Tensor(), left, right;
  auto skew_over_e = [&](const Tensor& x) {
    const Tensor e = row(ops::square(s)) - column(ops::square(s)) + identity_like(u, k);
    return (x - turned(x)) / e;
  };
  if (b.has_grad(0)) {
    const Tensor gu = ops::narrow(b.grad(0), -1, 0, k), p = ops::matmul(turned(u), gu);
    inner = plus(inner, skew_over_e(p) * row(s));
    if (m > k) left = (gu - ops::matmul(u, p)) / row(s);
  }
  if (b.has_grad(2)) {
    const Tensor gv = ops::narrow(b.grad(2), -2, 0, k), p = ops::matmul(vh, turned(gv));
    inner = plus(inner, column(s) * skew_over_e(p));
    if (n > k) right = (gv - ops::matmul(ops::matmul(gv, turned(vh)), vh)) / column(s);
  }
  Tensor x = inner ? ops::matmul(u, inner) : Tensor();
  x = plus(x, left);
  if (x) x = ops::matmul(x, vh);
  if (right) x = plus(x, ops::matmul(u, right));
  if (x) b.set(0, x);
}

}  // namespace haft
