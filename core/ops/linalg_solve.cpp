// Linear systems, inverses and determinants, by factors. Those that are one node to the tape have gradients by their
// own result, which cost a system or a product instead of a way back through the factors.
#include <algorithm>
#include <vector>

#include "core/dispatch/host_access.h"
#include "core/ops/batching.h"
#include "core/ops/linalg.h"
#include "core/tensor/batched.h"

#pragma GCC optimize("Os")  // operators do the work: small instead of fast

namespace haft {

namespace linalg {

void require_success(const char* op, const Tensor& answer, const char* text, const char* factor) {
  const Tensor info = with_all_examples(answer);
  if (info.numel() == 0) return;
  std::vector<int32_t> found(size_t(info.numel()));
  copy_to_host(info, found.data());
  const auto first = std::ranges::find_if(found, [](int32_t i) { return i != 0; });
  if (first == found.end()) return;
  const std::string which = info.ndim() == 0
                                ? std::string("the matrix")
                                : concat("matrix ", int64_t(first - found.begin()), " of the batch");
  fail(Code::linalg, concat("[", op, "] ", which, " ", text, " ", int64_t(*first)),
       factor ? std::string() : concat(op, "_ex answers `info` in place of this error"),
       factor ? factor : "A");
}

bool are_vectors(const Tensor& a, const Tensor& b) {
  return b.ndim() == 1 ||
         (a.ndim() - 1 == b.ndim() && std::ranges::equal(b.sizes(), a.sizes().first(size_t(a.ndim() - 1))));
}

Tensor rows_in_order(const Tensor& x, const Tensor& permutation) {
  return ops::gather(x, -2, ops::expand(ops::unsqueeze(permutation, -1), x.sizes()));
}

Tensor permutation_of(const Tensor& given, int64_t rows) {
  if (given.dtype() != DType::i32 && given.dtype() != DType::i64)
    fail(Code::dtype, concat("pivots are int32 (or int64), got ", dtype_name(given.dtype())),
         "as linalg_lu_factor answers them", "pivots");
  if (is_batched(given))
    return batched(permutation_of(value_of(*given.impl()), rows), place_of(*given.impl()));
  const Tensor pivots = as_dtype(given, DType::i32);
  const int64_t k = pivots.size(-1), count = k ? pivots.numel() / k : 0;
  std::vector<int32_t> exchanged(size_t(pivots.numel()));
  if (pivots.numel()) copy_to_host(pivots, exchanged.data());
  Shape sizes(pivots.sizes());
  sizes.back() = rows;
  std::vector<int64_t> order(size_t(checked_numel(sizes)));
  for (size_t i = 0; i < order.size(); ++i) order[i] = int64_t(i) % rows;
  for (int64_t b = 0; b < count; ++b)
    for (int64_t i = 0; i < k; ++i) {
      const int64_t with = exchanged[size_t(b * k + i)] - 1;
      if (with < 0 || with >= rows || i >= rows)
        fail(Code::index, concat("pivot ", i, " is ", with + 1, ", there are ", rows, " rows"),
             "pivots count from 1", "pivots");
      std::swap(order[size_t(b * rows + i)], order[size_t(b * rows + with)]);
    }
  Tensor t = ops::empty(sizes, DType::i64, pivots.device());
  if (t.numel()) copy_from_host(t, order.data());
  return t;
}

Tensor solve_factored(const Tensor& lu, const Tensor& permutation, const Tensor& b, bool adjoint) {
  if (!adjoint)
    return ops::linalg_solve_triangular(
        lu, ops::linalg_solve_triangular(lu, rows_in_order(b, permutation), false, true, true), true);
  const Tensor t = turned(lu), y = ops::linalg_solve_triangular(t, ops::linalg_solve_triangular(t, b, false),
                                                                true, true, true);
  return rows_in_order(y, ops::argsort(permutation, -1));
}

bool is_recorded(std::initializer_list<const Tensor*> inputs) {
  if (!thread_state().grad_enabled) return false;
  return std::ranges::any_of(inputs, [](const Tensor* t) { return requires_grad_anywhere(*t); });
}

void record_as_one(OpId op, std::initializer_list<const Tensor*> inputs, std::span<Tensor> results) {
  std::vector<Tensor> all;
  for (const Tensor* t : inputs) all.push_back(*t);
  const ScopedValue<bool> recording(thread_state().grad_enabled, true);
  at_each_level(std::move(all), {results.begin(), results.end()},
                [op](std::span<const Tensor> in, std::span<Tensor> out) {
                  std::vector<const Tensor*> given;
                  for (const Tensor& t : in) given.push_back(&t);
                  AttrWriter words;
                  if (std::ranges::any_of(in, [](const Tensor& t) { return t.requires_grad(); }))
                    record(op, given, out, words.finish());
                });
}

}  // namespace linalg

using namespace linalg;

namespace {

struct Solved {
  Tensor x, info;
};
// X of A X = b for matrices b of A's leading dimensions, to which A was spread from `own`.
Solved solved(const Tensor& own, const Tensor& a, const Tensor& b) {
  const bool recorded = is_recorded({&a, &b});
  Solved s;
  NoGradGuard constant;
  auto [factors, pivots, order, info] = ops::lu_factors(own);
  const Tensor lu = spread(factors, batch_of(a)), permutation = ops::expand(order, batch_of(a, {a.size(-1)}));
  s.info = info;
  s.x = solve_factored(lu, permutation, b, false);
  if (recorded) record_as_one(OpId::linalg_solve, {&a, &b, &lu, &permutation}, {&s.x, 1});
  return s;
}

// The inverse as a node of its own.
Solved inverted(const Tensor& a) {
  const bool recorded = is_recorded({&a});
  Solved s;
  NoGradGuard constant;
  auto [lu, pivots, permutation, info] = ops::lu_factors(a);
  s.info = info;
  s.x = solve_factored(lu, permutation, identity_like(a, a.size(-1)), false);
  if (recorded) record_as_one(OpId::linalg_inv, {&a}, {&s.x, 1});
  return s;
}

// 1 or -1: whether exchanges of rows are even.
Tensor sign_of(const Tensor& pivots, DType t) {
  const Tensor stay = ops::arange(1, pivots.size(-1) + 1, 1, DType::i32, pivots.device());
  const Tensor exchanges = ops::sum(ops::ne(pivots, stay), Shape{-1});
  return 1 - as_dtype(ops::remainder_scalar(exchanges, 2), t) * 2;
}

constexpr const char* kSingular = "is singular: U has a zero on its diagonal at number";
constexpr const char* kNotDefinite = "is not positive definite, nor is its leading minor of order";

Solved checked_solve(const char* op, const Tensor& a, const Tensor& b, bool left) {
  require_square(op, a);
  if (b.dtype() != a.dtype())
    fail(Code::dtype, concat("[", op, "] A is ", dtype_name(a.dtype()), ", B is ", dtype_name(b.dtype())),
         "cast one of them", "B");
  const bool vectors = are_vectors(a, b);
  if (vectors && !left)
    fail(Code::invalid_argument,
         concat("[", op, "] without left wants matrices B (*, K, N), got shape ", b.sizes()), "unsqueeze it",
         "B");
  const Tensor matrices = vectors ? column(b) : b;
  if (matrices.ndim() < 2 || matrices.size(left ? -2 : -1) != a.size(-1))
    fail(Code::shape,
         concat("[", op, "] B of shape ", b.sizes(), " does not fit matrices of shape ", a.sizes()),
         concat("it wants ", a.size(-1), left ? " rows" : " columns"), "B");
  const Shape batch = broadcast_shapes(batch_of(a), batch_of(matrices), op);
  const Tensor as = spread(a, batch), bs = spread(matrices, batch);
  Solved s = left ? solved(a, as, bs) : solved(turned(a), turned(as), turned(bs));
  if (!left) s.x = turned(s.x);
  if (vectors) s.x = ops::squeeze(s.x, -1);
  return s;
}

// X of L L^T X = b.
Tensor solved_by_factor(const Tensor& b, const Tensor& l, bool upper) {
  const Tensor lower = upper ? turned(l) : l;
  return ops::linalg_solve_triangular(turned(lower), ops::linalg_solve_triangular(lower, b, false), true);
}

// Where factors and permutations are of matrices that are not square, or pivots of other ones.
void require_pivots(const char* op, const Tensor& lu, const Tensor& pivots) {
  Shape wanted = batch_of(lu, {std::min(lu.size(-2), lu.size(-1))});
  if (!std::ranges::equal(pivots.sizes(), IntList(wanted)))
    fail(Code::shape,
         concat("[", op, "] pivots of shape ", pivots.sizes(), " do not fit factors of shape ", lu.sizes(),
                ": wanted ", IntList(wanted)),
         {}, "pivots");
}

std::array<Tensor, 3> unpacked(const Tensor& lu, const Tensor& permutation, bool data) {
  const int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  const auto none = [&] { return ops::empty(Shape{0}, lu.dtype(), lu.device()); };
  Tensor p = none(), l = p, u = p;
  if (permutation) {  // column i has its 1 in row permutation[i]
    const Tensor rows = ops::arange(0, m, 1, DType::i64, lu.device());
    p = as_dtype(ops::eq(row(permutation), column(rows)), lu.dtype());
  }
  if (data) {
    l = ops::tril(ops::narrow(lu, -1, 0, k), -1) +
        ops::expand(ops::eye(m, k, lu.dtype(), lu.device()), batch_of(lu, {m, k}));
    u = ops::triu(ops::narrow(lu, -2, 0, k));
  }
  return {p, l, u};
}

}  // namespace

// ---- gradients of what is one node ----

// dB = A^-T dX, dA = -dB X^T. The factors serve as long as nobody wants to differentiate what they come to.
static void vjp_linalg_solve(Backward& b) {
  const Tensor g = thread_state().grad_enabled ? solved(turned(b.in(0)), turned(b.in(0)), b.grad()).x
                                               : solve_factored(b.in(2), b.in(3), b.grad(), true);
  if (b.needs(0)) b.set(0, -ops::matmul(g, turned(b.out())));
  if (b.needs(1)) b.set(1, g);
}
extern const Gradient gradient_linalg_solve, gradient_linalg_inv, gradient_linalg_det,
    gradient_linalg_slogdet;
const Gradient gradient_linalg_solve = {.fn = vjp_linalg_solve,
                                        .saves = {IN0 | IN2 | IN3 | OUT0, IN0 | IN2 | IN3}};

static void vjp_linalg_inv(Backward& b) {
  const Tensor x = turned(b.out());
  b.set(0, -ops::matmul(ops::matmul(x, b.grad()), x));
}
const Gradient gradient_linalg_inv = {.fn = vjp_linalg_inv, .saves = {OUT0}};

// Whether a mask holds for anyone; a recording, whose replays may have others, is told so.
static bool may_hold(const Tensor& mask) {
  if (thread_state().modes & kModeCapture) return true;
  bool holds;
  copy_to_host(ops::any(with_all_examples(mask)), &holds);
  return holds;
}

// Cofactors of matrices that may be singular, with their first derivative: B = U^T A V of constant U and V is diagonal,
// so that the cofactor at (i, j) changes with B's element (j, i), and those on the diagonal with the others there.
static Tensor cofactors_by_svd(const Tensor& a) {
  Tensor u, vh, s, alone, both;  // products of all singular values but one (*, N), and but two (*, N, N)
  {
    NoGradGuard constant;
    auto [left, values, right] = ops::linalg_svd(a, false);
    u = left, s = values, vh = right;
    const Tensor t = s + as_dtype(ops::eq_scalar(s, 0.0), s.dtype()) * epsilon_of(a);
    const Tensor all = ops::linalg_det(u) * ops::linalg_det(vh) * ops::prod(t, Shape{-1});
    alone = column(all) / t;
    const Tensor products = column(alone) / row(t);
    both = products - ops::diag_embed(own_diagonal(products));
  }
  const Tensor m = ops::matmul(ops::matmul(turned(u), a), turned(vh));
  const Tensor moved = ops::squeeze(ops::matmul(both, column(own_diagonal(m) - s)), -1);
  return ops::matmul(ops::matmul(u, ops::diag_embed(alone + moved) - both * turned(m)), vh);
}

// d det = det A^-T, the matrix of cofactors: a pivot of 0 counts as epsilon, so that it is there for singular matrices,
// too. Those have one more derivative.
static void vjp_linalg_det(Backward& b) {
  const Tensor a = b.in(0);
  const bool again = thread_state().grad_enabled && a.numel();
  Tensor cofactors, singular;
  {
    NoGradGuard constant;
    auto [lu, pivots, permutation, info] = ops::lu_factors(a);
    const Tensor d = own_diagonal(lu), moved = as_dtype(ops::eq_scalar(d, 0.0), d.dtype()) * epsilon_of(a);
    const Tensor inverse =
        solve_factored(lu + ops::diag_embed(moved), permutation, identity_like(a, a.size(-1)), true);
    const Tensor det = sign_of(pivots, a.dtype()) * ops::prod(d + moved, Shape{-1});
    cofactors = column(column(det)) * inverse;
    if (again) {
      // Of no digits: what a pivot is the difference of, however rows and columns are scaled.
      const Tensor sizes = ops::abs(lu), upper = ops::triu(sizes, 0),
                   lower = ops::tril(sizes, -1) + identity_like(a, a.size(-1)),
                   of = ops::sum(lower * turned(upper), Shape{-1}, false);
      singular = column(column(
          ops::any(ops::le(ops::abs(d), of * (epsilon_of(a) * double(a.size(-1)))), Shape{-1}, false)));
    }
  }
  if (again) {
    // Each of those that it is for alone: others would make NaN of what is not asked for.
    const Tensor one = identity_like(a, a.size(-1));
    cofactors = column(column(b.out())) * turned(inverted(ops::where(singular, one, a)).x);
    if (may_hold(singular))
      cofactors = ops::where(singular, cofactors_by_svd(ops::where(singular, a, one)), cofactors);
  }
  b.set(0, column(column(b.grad())) * cofactors);
}
const Gradient gradient_linalg_det = {.fn = vjp_linalg_det, .saves = {IN0 | OUT0}};

static void vjp_linalg_slogdet(Backward& b) {
  if (!b.has_grad(1)) return;
  b.set(0, column(column(b.grad(1))) * turned(inverted(b.in(0)).x));
}
const Gradient gradient_linalg_slogdet = {.fn = vjp_linalg_slogdet, .saves = {IN0}};

namespace ops {

// ---- Cholesky ----

std::array<Tensor, 2> uncast::linalg_cholesky_ex(const Tensor& a, bool upper, bool check_errors) {
  require_square("linalg_cholesky", a);
  auto [l, info] = cholesky_factor(upper ? turned(a) : a);
  if (check_errors) require_success("linalg_cholesky", info, kNotDefinite);
  return {upper ? turned(l) : l, info};
}

Tensor uncast::linalg_cholesky(const Tensor& a, bool upper) {
  return uncast::linalg_cholesky_ex(a, upper, true)[0];
}

Tensor uncast::cholesky_solve(const Tensor& b, const Tensor& l, bool upper) {
  require_square("cholesky_solve", l, "L");
  return solved_by_factor(b, l, upper);
}

Tensor uncast::cholesky_inverse(const Tensor& l, bool upper) {
  require_square("cholesky_inverse", l, "input");
  // Of n numbers the first 0, counted from 1: the remainder makes 0 of n + 1.
  const Tensor filled = sum(cumprod(as_dtype(ne_scalar(own_diagonal(l), 0.0), DType::i32), -1), Shape{-1});
  const Tensor info = as_dtype(remainder_scalar(filled + 1, l.size(-1) + 1), DType::i32);
  require_success("cholesky_inverse", info, "is singular: the factor has a zero on its diagonal at number",
                  "input");
  return solved_by_factor(identity_like(l, l.size(-1)), l, upper);
}

// ---- LU ----

std::array<Tensor, 3> uncast::linalg_lu_factor_ex(const Tensor& a, bool check_errors) {
  auto [lu, pivots, permutation, info] = lu_factors(a);
  if (check_errors) require_success("linalg_lu_factor", info, kSingular);
  return {lu, pivots, info};
}

std::array<Tensor, 2> uncast::linalg_lu_factor(const Tensor& a) {
  auto [lu, pivots, info] = uncast::linalg_lu_factor_ex(a, true);
  return {lu, pivots};
}

std::array<Tensor, 3> uncast::linalg_lu(const Tensor& a) {
  auto [lu, pivots, permutation, info] = lu_factors(a);
  return unpacked(lu, permutation, true);
}

std::array<Tensor, 3> uncast::lu_unpack(const Tensor& lu, const Tensor& pivots, bool unpack_data,
                                        bool unpack_pivots) {
  require_matrices("lu_unpack", lu, "LU_data");
  require_pivots("lu_unpack", lu, pivots);
  return unpacked(lu, unpack_pivots ? permutation_of(pivots, lu.size(-2)) : Tensor(), unpack_data);
}

Tensor uncast::linalg_lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left,
                               bool adjoint) {
  require_square("linalg_lu_solve", lu, "LU");
  require_pivots("linalg_lu_solve", lu, pivots);
  if (b.ndim() < 2 || b.size(left ? -2 : -1) != lu.size(-1))
    fail(Code::shape,
         concat("[linalg_lu_solve] B of shape ", b.sizes(), " does not fit factors of shape ", lu.sizes()),
         {}, "B");
  const Shape batch = broadcast_shapes(batch_of(lu), batch_of(b), "linalg_lu_solve");
  Shape orders(batch);
  orders.push_back(lu.size(-1));
  const Tensor order = expand(permutation_of(pivots, lu.size(-1)), orders), factors = spread(lu, batch),
               wide = spread(b, batch);
  return left ? solve_factored(factors, order, wide, adjoint)
              : turned(solve_factored(factors, order, turned(wide), !adjoint));
}

// ---- systems and inverses ----

std::array<Tensor, 2> uncast::linalg_solve_ex(const Tensor& a, const Tensor& b, bool left,
                                              bool check_errors) {
  Solved s = checked_solve("linalg_solve", a, b, left);
  if (check_errors) require_success("linalg_solve", s.info, kSingular);
  return {s.x, s.info};
}

Tensor uncast::linalg_solve(const Tensor& a, const Tensor& b, bool left) {
  return uncast::linalg_solve_ex(a, b, left, true)[0];
}

std::array<Tensor, 2> uncast::linalg_inv_ex(const Tensor& a, bool check_errors) {
  require_square("linalg_inv", a);
  Solved s = inverted(a);
  if (check_errors) require_success("linalg_inv", s.info, kSingular);
  return {s.x, s.info};
}

Tensor uncast::linalg_inv(const Tensor& a) { return uncast::linalg_inv_ex(a, true)[0]; }

// Of tensors: what is in front of `ind`, and behind it, is one dimension of a matrix each.
Tensor uncast::linalg_tensorinv(const Tensor& a, int64_t ind) {
  if (ind <= 0 || ind > a.ndim())
    fail(Code::invalid_argument,
         concat("[linalg_tensorinv] ind is from 1 to the number of dimensions, got ", ind, " of shape ",
                a.sizes()),
         {}, "ind");
  const IntList front = a.sizes().first(size_t(ind)), behind = a.sizes().subspan(size_t(ind));
  const int64_t m = checked_numel(front), n = checked_numel(behind);
  if (m != n)
    fail(Code::shape,
         concat("[linalg_tensorinv] shape ", a.sizes(), ": the first ", ind, " sizes have the product ", m,
                ", the others ", n),
         "they must be equal", "ind");
  Shape sizes(behind);
  for (int64_t s : front) sizes.push_back(s);
  return reshape(linalg_inv(reshape(a, Shape{m, n})), sizes);
}

Tensor uncast::linalg_tensorsolve(const Tensor& given, const Tensor& b, IntList dims) {
  Shape from(dims), to;
  for (int64_t i = 0; i < from.size(); ++i) to.push_back(i - from.size());
  const Tensor a = dims.empty() ? given : movedim(given, from, to);
  const int64_t n = b.numel();
  if (a.ndim() < b.ndim() || (n == 0 ? a.numel() != 0 : a.numel() % n != 0 || a.numel() / n != n))
    fail(Code::shape,
         concat("[linalg_tensorsolve] A of shape ", a.sizes(), " does not fit B of shape ", b.sizes()),
         "B has the first sizes of A, and the product of the others is the same", "B");
  const IntList behind = a.sizes().subspan(size_t(b.ndim()));
  const Tensor flat = reshape(b, Shape{-1});
  return reshape(ops::linalg_solve(reshape(a, Shape{flat.size(0), flat.size(0)}), flat), behind);
}

// ---- determinants ----

std::array<Tensor, 2> uncast::linalg_slogdet(const Tensor& a) {
  require_square("linalg_slogdet", a);
  const bool recorded = is_recorded({&a});
  NoGradGuard constant;
  auto [lu, pivots, permutation, info] = lu_factors(a);
  const Tensor d = own_diagonal(lu);
  std::array<Tensor, 2> y = {sign_of(pivots, a.dtype()) * prod(sign(d), Shape{-1}),
                             sum(log(abs(d)), Shape{-1})};
  if (recorded) record_as_one(OpId::linalg_slogdet, {&a}, y);
  return y;
}

Tensor uncast::linalg_det(const Tensor& a) {
  require_square("linalg_det", a);
  const bool recorded = is_recorded({&a});
  NoGradGuard constant;
  auto [lu, pivots, permutation, info] = lu_factors(a);
  Tensor y = sign_of(pivots, a.dtype()) * prod(own_diagonal(lu), Shape{-1});
  if (recorded) record_as_one(OpId::linalg_det, {&a}, {&y, 1});
  return y;
}

Tensor uncast::logdet(const Tensor& a) {
  auto [sign, size] = linalg_slogdet(a);
  return log(detach(sign)) + size;
}

}  // namespace ops

}  // namespace haft
