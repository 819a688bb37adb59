// Decompositions as they are called, and what is made of eigenvalues and singular values: pseudo-inverses, ranks, least
// squares, condition numbers; exponentials.
#include <algorithm>
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/ops/complex.h"
#include "core/ops/linalg.h"
#include "core/tensor/batched.h"

#pragma GCC optimize("Os")  // operators do the work: small instead of fast

namespace haft {

using namespace linalg;

namespace {

// max(atol, rtol * the largest), for values (*, K) that are not negative.
Tensor least_of(const Tensor& values, const Tensor& a, Scalar atol, Scalar rtol) {
  const bool absolute = atol.kind != ScalarKind::none;
  const double relative = rtol.kind != ScalarKind::none ? rtol.to_double()
                          : absolute && atol.to_double() > 0
                              ? 0.0
                              : double(std::max(a.size(-2), a.size(-1))) * epsilon_of(a);
  const Tensor top = values.size(-1) ? ops::amax(values, Shape{-1}, true) : ops::sum(values, Shape{-1}, true);
  const Tensor least = top * relative;
  return absolute ? ops::clamp(least, atol, Scalar()) : least;
}

// 1 / x where that is wanted, 0 elsewhere.
Tensor inverse_where(const Tensor& wanted, const Tensor& x) {
  return where_or_zero(wanted, ops::reciprocal(ops::where(wanted, x, ops::ones_like(x))));
}

Tensor pseudo_inverse(const Tensor& a, Scalar atol, Scalar rtol, bool hermitian) {
  if (hermitian) {
    auto [l, v] = ops::eigh_factors(a, true);
    const Tensor size = ops::abs(l), wanted = ops::gt(size, least_of(size, a, atol, rtol));
    return ops::matmul(v * row(inverse_where(wanted, l)), turned(v));
  }
  auto [u, s, vh] = ops::svd_factors(a, 1);
  const Tensor wanted = ops::gt(s, least_of(s, a, atol, rtol));
  return ops::matmul(turned(vh) * row(inverse_where(wanted, s)), turned(u));
}

// The pseudo-inverse as one node.
Tensor pinv(const Tensor& a, Scalar atol, Scalar rtol, bool hermitian) {
  const bool recorded = is_recorded({&a});
  NoGradGuard constant;
  Tensor p = pseudo_inverse(a, atol, rtol, hermitian);
  if (recorded) record_as_one(OpId::linalg_pinv, {&a}, {&p, 1});
  return p;
}

}  // namespace

// dA = -P^T dP P^T + (1 - A P) dP^T P P^T + P^T P dP^T (1 - P A) for matrices of one rank (Golub and Pereyra, SIAM J.
// Numer. Anal. 10, 1973), with the products in the order that keeps them small.
static void vjp_linalg_pinv(Backward& b) {
  const Tensor a = b.in(0), p = b.out(), pt = turned(p), gt = turned(b.grad());
  if (a.size(-2) <= a.size(-1)) {
    const Tensor k = ops::matmul(gt, p), kp = ops::matmul(k, pt);
    b.set(0, kp - turned(ops::matmul(p, k)) - ops::matmul(ops::matmul(a, p), kp) +
                 ops::matmul(ops::matmul(pt, p), gt - ops::matmul(k, a)));
  } else {
    const Tensor k = ops::matmul(p, gt), pk = ops::matmul(pt, k);
    b.set(0, pk - turned(ops::matmul(k, p)) - ops::matmul(ops::matmul(pk, p), a) +
                 ops::matmul(ops::matmul(gt - ops::matmul(a, k), p), pt));
  }
}
extern const Gradient gradient_linalg_pinv;
const Gradient gradient_linalg_pinv = {.fn = vjp_linalg_pinv, .saves = {IN0 | OUT0}};

namespace ops {

// ---- decompositions ----

std::array<Tensor, 2> uncast::linalg_qr(const Tensor& a, int64_t mode) {
  if (mode < 0 || mode > 2)
    fail(Code::invalid_argument, concat("[linalg_qr] mode is 0 (reduced), 1 (complete) or 2 (r), got ", mode),
         {}, "mode");
  return qr_factors(a, mode);
}

// One reflection after the other, the last one first: each changes what is below its row.
Tensor uncast::linalg_householder_product(const Tensor& a, const Tensor& tau) {
  require_matrices("linalg_householder_product", a, "input");
  const int64_t m = a.size(-2), n = a.size(-1), k = tau.ndim() ? tau.size(-1) : 0;
  if (tau.dtype() != a.dtype() || !std::ranges::equal(tau.sizes(), IntList(batch_of(a, {k}))) || m < n ||
      k > n)
    fail(Code::shape,
         concat("[linalg_householder_product] input (*, M, N) with M >= N wants tau (*, K) of its dtype with "
                "K <= N, got ",
                a.sizes(), " and ", tau.sizes()),
         {}, "tau");
  const Tensor unit = eye(m, n, a.dtype(), a.device()), v = tril(a, -1) + unit;
  Tensor q = expand(unit, a.sizes());
  for (int64_t i = k; i-- > 0;) {
    const Tensor reflection = narrow(v, -1, i, 1), scale = unsqueeze(narrow(tau, -1, i, 1), -1);
    q = q - matmul(reflection * scale, matmul(turned(reflection), q));
  }
  return k ? q : clone(q);
}

std::array<Tensor, 2> uncast::linalg_eigh(const Tensor& a, bool upper) {
  require_square("linalg_eigh", a);
  return eigh_factors(upper ? turned(a) : a, true);
}

Tensor uncast::linalg_eigvalsh(const Tensor& a, bool upper) {
  require_square("linalg_eigvalsh", a);
  return eigh_factors(upper ? turned(a) : a, is_recorded({&a}))[0];
}

std::array<Tensor, 2> uncast::linalg_eig(const Tensor& a) {
  require_square("linalg_eig", a);
  auto [l, v] = eig_factors(a, true);
  return {joined(l), joined(v)};
}

Tensor uncast::linalg_eigvals(const Tensor& a) {
  require_square("linalg_eigvals", a);
  return joined(eig_factors(a, is_recorded({&a}))[0]);
}

std::array<Tensor, 3> uncast::linalg_svd(const Tensor& a, bool full_matrices) {
  require_matrices("linalg_svd", a);
  return svd_factors(a, full_matrices ? 2 : 1);
}

Tensor uncast::linalg_svdvals(const Tensor& a) {
  require_matrices("linalg_svdvals", a);
  return svd_factors(a, is_recorded({&a}))[1];
}

// ---- norms and ranks ----

Tensor uncast::linalg_pinv(const Tensor& a, Scalar atol, Scalar rtol, bool hermitian) {
  hermitian ? require_square("linalg_pinv", a) : require_matrices("linalg_pinv", a);
  return pinv(a, atol, rtol, hermitian);
}

Tensor uncast::linalg_matrix_rank(const Tensor& a, Scalar atol, Scalar rtol, bool hermitian) {
  hermitian ? require_square("linalg_matrix_rank", a) : require_matrices("linalg_matrix_rank", a);
  NoGradGuard constant;
  const Tensor s = hermitian ? abs(eigh_factors(a, false)[0]) : svd_factors(a, 0)[1];
  return sum(gt(s, least_of(s, a, atol, rtol)), Shape{-1});
}

Tensor uncast::linalg_cond(const Tensor& a, Scalar ord) {
  require_matrices("linalg_cond", a);
  const double p = ord.kind == ScalarKind::none ? 2 : ord.to_double();
  if (std::fabs(p) == 2) {
    const Tensor s = linalg_svdvals(a);
    if (!s.size(-1)) return zeros(batch_of(a), a.dtype(), a.device());
    const Tensor top = select(s, -1, 0), least = select(s, -1, -1);
    return p > 0 ? top / least : least / top;
  }
  if (std::fabs(p) != 1 && !std::isinf(p))
    fail(Code::invalid_argument,
         concat("[linalg_cond] p is absent, 1, -1, 2, -2, infinity or -infinity, got ", p),
         "others are matrix_norm(input) * matrix_norm(linalg_inv(input))", "p");
  require_square("linalg_cond", a);
  auto [inverse, info] = ops::linalg_inv_ex(a);
  const Tensor y = ops::matrix_norm(a, ord) * ops::matrix_norm(inverse, ord);
  return masked_fill(y, logical_or(ne_scalar(info, 0), isnan(y)), INFINITY);  // NaN: infinity times 0
}

Tensor uncast::nuclear_norm(const Tensor& x, IntList dims, bool keepdim) {
  const auto both = matrix_dims("nuclear_norm", x, dims);
  const Tensor y = sum(singular_values(x, both), Shape{-1});
  return keepdim ? with_dims(y, both) : y;
}

// ---- least squares ----

std::array<Tensor, 4> uncast::linalg_lstsq(const Tensor& a, const Tensor& given, Scalar rcond,
                                           int64_t driver) {
  enum Driver { gelsy, gels, gelsd, gelss };
  require_matrices("linalg_lstsq", a, "input");
  if (driver < gelsy || driver > gelss)
    fail(Code::invalid_argument,
         concat("[linalg_lstsq] driver is 0 (gelsy), 1 (gels), 2 (gelsd) or 3 (gelss), got ", driver), {},
         "driver");
  const bool vectors = given.ndim() == a.ndim() - 1;
  const Tensor b = vectors ? column(given) : given;
  const int64_t m = a.size(-2), n = a.size(-1);
  if (b.ndim() < 2 || b.size(-2) != m || b.dtype() != a.dtype())
    fail(b.dtype() != a.dtype() ? Code::dtype : Code::shape,
         concat("[linalg_lstsq] B, ", dtype_name(b.dtype()), " of shape ", given.sizes(), ", does not fit ",
                dtype_name(a.dtype()), " matrices of shape ", a.sizes()),
         concat("it wants ", m, " rows and the same dtype"), "B");
  broadcast_shapes(batch_of(a), batch_of(b), "linalg_lstsq");
  Tensor x, rank = empty(Shape{0}, DType::i64, a.device()), values = empty(Shape{0}, a.dtype(), a.device());
  if (driver == gels) {
    auto [q, r] = qr_factors(m >= n ? a : turned(a), 0);
    x = m >= n ? linalg_solve_triangular(r, matmul(turned(q), b), true)
               : matmul(q, linalg_solve_triangular(turned(r), b, false));
  } else {
    // What is below 0 is LAPACK's: by gelsy all that is not 0 counts, for the others it is the type's precision, which
    // gelsd also puts in place of what is not between 0 and 1.
    const double least = rcond.kind == ScalarKind::none ? 0.5 : rcond.to_double();
    if (driver == gelsd ? least <= 0 || least >= 1 : least < 0)
      rcond = Scalar(driver == gelsy ? 0.0 : epsilon_of(a) / 2);
    x = matmul(pinv(a, Scalar(), rcond, false), b);
    NoGradGuard constant;
    const Tensor s = svd_factors(a, 0)[1];
    rank = sum(gt(s, least_of(s, a, Scalar(), rcond)), Shape{-1});
    if (driver != gelsy) values = s;
  }
  Tensor left = slice(flatten(x), 0, 0, 0);  // nothing, which has a gradient all the same
  bool full = driver != gelsy && m > n;
  if (full && driver != gels) full = rank.numel() == 0 || item(amin(with_all_examples(rank))).to_int() == n;
  if (full) left = sum(square(matmul(a, x) - b), Shape{-2});
  return {vectors ? squeeze(x, -1) : x, left, rank, values};
}

// ---- exponentials and powers ----

// Taylor's polynomial of degree 12 of A / 2^s, whose norm is below 1/4, squared s times: the rest is below 3e-18 of it.
Tensor uncast::matrix_exp(const Tensor& a) {
  require_square("matrix_exp", a, "input");
  int squarings = 0;
  if (a.numel()) {
    NoGradGuard off;
    const double norm = item(amax(sum(abs(with_all_examples(detach(a))), Shape{-2}))).to_double();
    if (norm > 0.25 && std::isfinite(norm)) squarings = int(std::ceil(std::log2(norm / 0.25)));
  }
  const Tensor x = a * std::ldexp(1.0, -squarings), x2 = matmul(x, x), x3 = matmul(x2, x),
               x4 = matmul(x2, x2);
  const Tensor powers[] = {identity_like(a, a.size(-1)), x, x2, x3};
  auto chunk = [&](int from) {  // of four terms, without their power of x4
    Tensor sum;
    for (int i = 0; i < 4; ++i) {
      const Tensor term = powers[i] * (1 / std::tgamma(double(from + i + 1)));
      sum = sum ? sum + term : term;
    }
    return sum;
  };
  const Tensor last = chunk(8) + x4 * (1 / std::tgamma(13.0));
  Tensor y = chunk(0) + matmul(x4, chunk(4) + matmul(x4, last));
  for (int i = 0; i < squarings; ++i) y = matmul(y, y);
  return y;
}

Tensor linalg_vander(const Tensor& x, int64_t n) {
  if (x.dtype() == DType::boolean)
    fail(Code::dtype, "[linalg_vander] takes vectors (*, n) of numbers, got bool", {}, "input");
  if (x.ndim() == 0) return linalg_vander(reshape(x, Shape{1}), n);
  const int64_t count = n == kNone ? x.size(-1) : n;
  if (count <= 1)
    fail(Code::invalid_argument, concat("[linalg_vander] N must be greater than 1, got ", count),
         "it is the number of elements unless said", "N");
  Shape sizes(x.sizes());
  sizes.push_back(count - 1);
  const Tensor powers = cumprod(expand(unsqueeze(x, -1), sizes), -1);
  sizes.back() = 1;
  const Tensor parts[] = {ones(sizes, powers.dtype(), x.device()), powers};
  return cat(parts, -1);
}

}  // namespace ops

}  // namespace haft
