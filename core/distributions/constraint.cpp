#include "core/distributions/constraint.h"

#include <algorithm>

#include "core/distributions/triangular.h"
#include "core/ops/arithmetic.h"

namespace haft {

namespace {

struct Named {
  std::string_view name, text;
  int64_t ndim;
};

// In the enum's order.
constexpr Named kConstraints[] = {
    {"real", "Real()", 0},
    {"positive", "GreaterThan(lower_bound=0.0)", 0},
    {"nonnegative", "GreaterThanEq(lower_bound=0.0)", 0},
    {"unit_interval", "Interval(lower_bound=0.0, upper_bound=1.0)", 0},
    {"half_open_unit", "HalfOpenInterval(lower_bound=0.0, upper_bound=1.0)", 0},
    {"boolean", "Boolean()", 0},
    {"nonnegative_integer", "IntegerGreaterThan(lower_bound=0)", 0},
    {"number", "GreaterThan(lower_bound=0.0)", 0},
    {"simplex", "Simplex()", 1},
    {"one_hot", "OneHot()", 1},
    {"real_vector", "IndependentConstraint(Real(), 1)", 1},
    {"positive_vector", "IndependentConstraint(GreaterThan(lower_bound=0.0), 1)", 1},
    {"real_matrix", "IndependentConstraint(Real(), 2)", 2},
    {"lower_cholesky", "LowerCholesky()", 2},
    {"positive_definite", "PositiveDefinite()", 2},
    {"corr_cholesky", "CorrCholesky()", 2},
    {"interval", "Interval", 0},
    {"integer_interval", "IntegerInterval", 0},
    {"counts", "Multinomial", 1},
};

const Named& named(Constraint c) { return kConstraints[int(c)]; }

Tensor both(const Tensor& a, const Tensor& b) { return ops::logical_and(a, b); }
Tensor whole(const Tensor& x) { return ops::eq(x, is_float(x.dtype()) ? ops::floor(x) : x); }
const int64_t kLast[] = {-1}, kLastTwo[] = {-2, -1};

// But for what sums of `count` numbers lose.
Tensor near(const Tensor& difference, int64_t count) {
  const DType t = difference.dtype();
  const double step = t == DType::f16 ? 1e-3 : t == DType::bf16 ? 1e-2 : 1e-6;
  return ops::le_scalar(ops::abs(difference), step * double(count + 1));
}

}  // namespace

Constraint constraint_of(std::string_view name) {
  const Named* at = std::ranges::find(kConstraints, name, &Named::name);
  if (at == std::end(kConstraints))
    fail(Code::invalid_argument, concat("there is no constraint \"", name, "\""),
         "haft/distributions.h lists them", "name");
  return Constraint(at - kConstraints);
}

int64_t event_ndim(Constraint c) { return named(c).ndim; }
std::string constraint_text(Constraint c) { return std::string(named(c).text); }

Tensor satisfies(Constraint c, const Tensor& x) {
  if (x.ndim() < event_ndim(c))
    fail(Code::shape,
         concat("what ", named(c).text, " holds for has ", event_ndim(c), " dimensions, got shape ",
                x.sizes()),
         {}, "value");
  switch (c) {
    case Constraint::positive:
    case Constraint::number: return ops::gt_scalar(x, 0);
    case Constraint::nonnegative: return ops::ge_scalar(x, 0);
    case Constraint::unit_interval: return both(ops::ge_scalar(x, 0), ops::le_scalar(x, 1));
    case Constraint::half_open_unit: return both(ops::ge_scalar(x, 0), ops::lt_scalar(x, 1));
    case Constraint::boolean: return ops::logical_or(ops::eq_scalar(x, 0), ops::eq_scalar(x, 1));
    case Constraint::nonnegative_integer: return both(ops::ge_scalar(x, 0), whole(x));
    case Constraint::simplex:
      return both(ops::all(ops::ge_scalar(x, 0), kLast), near(ops::sum(x, kLast) - 1, x.size(-1)));
    case Constraint::one_hot:
      return both(ops::all(satisfies(Constraint::boolean, x), kLast), ops::eq_scalar(ops::sum(x, kLast), 1));
    case Constraint::real_vector: return ops::all(satisfies(Constraint::real, x), kLast);
    case Constraint::real_matrix: return ops::all(satisfies(Constraint::real, x), kLastTwo);
    case Constraint::positive_vector: return ops::all(ops::gt_scalar(x, 0), kLast);
    case Constraint::lower_cholesky:
      return both(ops::all(ops::eq(x, ops::tril(x)), kLastTwo),
                  ops::all(ops::gt_scalar(ops::diagonal(x, 0, -2, -1), 0), kLast));
    case Constraint::corr_cholesky:
      return both(satisfies(Constraint::lower_cholesky, x),
                  ops::all(near(ops::sum(ops::square(x), kLast) - 1, side(x)), kLast));
    case Constraint::positive_definite:
      if (x.size(-2) != side(x))
        return ops::full(x.sizes().first(size_t(x.ndim() - 2)), false, DType::boolean, x.device());
      return both(ops::all(near(x - ops::transpose(x, -2, -1), side(x)), kLastTwo),
                  ops::all(ops::isfinite(cholesky(x)), kLastTwo));
    default: return ops::eq(x, x);  // not NaN
  }
}

}  // namespace haft
