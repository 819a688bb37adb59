// Divergences, by pairs of kinds. What is another kind by another name (Chi2 is a Gamma) has no rules of its own.
#include <cmath>

#include "core/distributions/compound.h"
#include "core/distributions/triangular.h"

namespace haft {

namespace {

using D = const Distribution&;

Tensor of_normals(D p, D q) {
  const Tensor ps = p.parameter("scale"), qs = q.parameter("scale"), ratio = ops::square(ps / qs);
  return (ratio + ops::square((p.parameter("loc") - q.parameter("loc")) / qs) - 1 - ops::log(ratio)) * 0.5;
}

Tensor of_half_normals(D p, D q) {
  const Tensor ratio = ops::square(p.parameter("scale") / q.parameter("scale"));
  return (ratio - 1 - ops::log(ratio)) * 0.5;
}

Tensor of_laplaces(D p, D q) {
  const Tensor ps = p.parameter("scale"), qs = q.parameter("scale"), apart = ops::abs(p.parameter("loc") - q.parameter("loc"));
  const Tensor ratio = ps / qs;
  return apart / qs + ratio * ops::exp(-(apart / ps)) - ops::log(ratio) - 1;
}

Tensor of_gumbels(D p, D q) {
  const Tensor ps = p.parameter("scale"), qs = q.parameter("scale"), pl = p.parameter("loc") / qs, ql = q.parameter("loc") / qs;
  const Tensor ratio = ps / qs;
  const double euler = 0.57721566490153286;
  return -ops::log(ratio) - ql + pl + ratio * euler + ops::exp(ql + ops::lgamma(ratio + 1) - pl) - (1 + euler);
}

Tensor of_uniforms(D p, D q) {
  const Tensor pl = p.parameter("low"), ph = p.parameter("high"), ql = q.parameter("low"), qh = q.parameter("high");
  const Tensor outside = ops::logical_or(ops::gt(ql, pl), ops::lt(qh, ph));
  return where_else(ops::logical_not(outside), ops::log((qh - ql) / (ph - pl)), INFINITY);
}

Tensor of_exponentials(D p, D q) {
  const Tensor ratio = q.parameter("rate") / p.parameter("rate");
  return ratio - 1 - ops::log(ratio);
}

Tensor of_paretos(D p, D q) {
  const Tensor pa = p.parameter("alpha"), ratio = p.parameter("scale") / q.parameter("scale"), steeper = q.parameter("alpha") / pa;
  const Tensor d = q.parameter("alpha") * ops::log(ratio) - ops::log(steeper) + steeper - 1;
  return where_else(ops::ge_scalar(ratio, 1), d, INFINITY);
}

Tensor of_gammas(D p, D q) {
  const Tensor a = p.parameter("concentration"), b = q.parameter("concentration"), pr = p.parameter("rate"), qr = q.parameter("rate");
  return b * ops::log(pr / qr) + ops::lgamma(b) - ops::lgamma(a) + (a - b) * ops::digamma(a) + (qr - pr) * (a / pr);
}

Tensor of_parts(const Tensor& a, const Tensor& b) {
  const Tensor total = sum_last(a);
  return ops::lgamma(total) - ops::lgamma(sum_last(b)) - sum_last(ops::lgamma(a) - ops::lgamma(b)) +
         sum_last((a - b) * (ops::digamma(a) - ops::unsqueeze(ops::digamma(total), -1)));
}

Tensor of_dirichlets(D p, D q) { return of_parts(p.parameter("concentration"), q.parameter("concentration")); }

Tensor two_parts(D d) {
  const Tensor both[] = {d.parameter("concentration1"), d.parameter("concentration0")};
  return ops::stack(both, -1);
}
Tensor of_betas(D p, D q) { return of_parts(two_parts(p), two_parts(q)); }

// 0 where p never is, infinite where q never is and p may be.
Tensor but_for_nothing(const Tensor& p, const Tensor& q, const Tensor& d) {
  return ops::where(ops::eq_scalar(p, 0), constant_like(d, 0), where_else(ops::ne_scalar(q, 0), d, INFINITY));
}

Tensor of_bernoullis(D p, D q) {
  const Tensor a = p.parameter("probs"), b = q.parameter("probs"), la = p.parameter("logits"), lb = q.parameter("logits");
  return but_for_nothing(a, b, a * (ops::softplus(-lb) - ops::softplus(-la))) +
         but_for_nothing(1 - a, 1 - b, (1 - a) * (ops::softplus(lb) - ops::softplus(la)));
}

Tensor of_binomials(D p, D q) {
  const Tensor n = p.parameter("total_count");
  const Tensor fewer = ops::lt(q.parameter("total_count"), n), d = n * of_bernoullis(p, q);
  if (!all_true(ops::ge(ops::detach(n), ops::detach(q.parameter("total_count")))))
    fail(Code::unsupported, "KL of Binomials where q has the larger total_count has no closed form");
  return where_else(ops::logical_not(fewer), d, INFINITY);
}

Tensor of_geometrics(D p, D q) { return -p.entropy() - ops::log1p(-q.parameter("probs")) / p.parameter("probs") - q.parameter("logits"); }

Tensor of_poissons(D p, D q) {
  const Tensor a = p.parameter("rate"), b = q.parameter("rate");
  return ops::xlogy(a, a) - ops::xlogy(a, b) - (a - b);
}

Tensor of_categoricals(D p, D q) {
  const Tensor a = p.parameter("probs"), d = a * (p.parameter("logits") - q.parameter("logits"));
  return sum_last(but_for_nothing(a, q.parameter("probs"), d));
}

Tensor of_multivariate_normals(D p, D q) {
  const Tensor ps = p.parameter("scale_tril"), qs = q.parameter("scale_tril"), inverse = inverse_lower(qs);
  const auto log_diagonal = [](const Tensor& l) { return sum_last(ops::log(ops::diagonal(l, 0, -2, -1))); };
  const int64_t both[] = {-2, -1};
  const Tensor shift = ops::squeeze(ops::matmul(inverse, ops::unsqueeze(q.parameter("loc") - p.parameter("loc"), -1)), -1);
  const Tensor trace = ops::sum(ops::square(ops::matmul(inverse, ps)), both);
  return log_diagonal(qs) - log_diagonal(ps) + (trace + sum_last(ops::square(shift)) - double(side(ps))) * 0.5;
}

Tensor of_independents(D p, D q) {
  const auto &a = static_cast<const Independent&>(p), &b = static_cast<const Independent&>(q);
  if (a.count() != b.count()) fail(Code::unsupported, "the two Independent have different numbers of event dimensions");
  return a.summed(kl_divergence(a.base(), b.base()));
}

struct Rule {
  std::string_view p, q;
  Tensor (*of)(D, D);
};
constexpr Rule kRules[] = {
    {"Normal", "Normal", of_normals},
    {"LogNormal", "LogNormal", of_normals},
    {"HalfNormal", "HalfNormal", of_half_normals},
    {"Laplace", "Laplace", of_laplaces},
    {"Gumbel", "Gumbel", of_gumbels},
    {"Uniform", "Uniform", of_uniforms},
    {"Exponential", "Exponential", of_exponentials},
    {"Pareto", "Pareto", of_paretos},
    {"Gamma", "Gamma", of_gammas},
    {"Dirichlet", "Dirichlet", of_dirichlets},
    {"Beta", "Beta", of_betas},
    {"Bernoulli", "Bernoulli", of_bernoullis},
    {"Binomial", "Binomial", of_binomials},
    {"Geometric", "Geometric", of_geometrics},
    {"Poisson", "Poisson", of_poissons},
    {"Categorical", "Categorical", of_categoricals},
    {"OneHotCategorical", "OneHotCategorical", of_categoricals},
    {"MultivariateNormal", "MultivariateNormal", of_multivariate_normals},
    {"Independent", "Independent", of_independents},
};

std::string_view known_as(const std::string& kind) {
  return kind == "Chi2" ? "Gamma" : kind == "OneHotCategoricalStraightThrough" ? "OneHotCategorical" : std::string_view(kind);
}

}  // namespace

Tensor kl_divergence(const Distribution& p, const Distribution& q) {
  const std::string &a = p.kind().name, &b = q.kind().name;
  for (const Rule& r : kRules)
    if (r.p == known_as(a) && r.q == known_as(b)) return r.of(p, q);
  fail(Code::unsupported, concat("No KL(p || q) is implemented for p type ", a, " and q type ", b), "docs/distributions.md lists the pairs");
}

}  // namespace haft
