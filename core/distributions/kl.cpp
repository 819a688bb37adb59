// Divergences, by pairs of kinds. What is another kind by another name (Chi2 is a Gamma) has no rules of its own.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/distributions/compound.h"
#include "core/distributions/continuous_bernoulli.h"
#include "core/distributions/transformed.h"
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
  const Tensor ps = p.parameter("scale"), qs = q.parameter("scale"),
               apart = ops::abs(p.parameter("loc") - q.parameter("loc"));
  const Tensor ratio = ps / qs;
  return apart / qs + ratio * ops::exp(-(apart / ps)) - ops::log(ratio) - 1;
}

Tensor of_gumbels(D p, D q) {
  const Tensor ps = p.parameter("scale"), qs = q.parameter("scale"), pl = p.parameter("loc") / qs,
               ql = q.parameter("loc") / qs;
  const Tensor ratio = ps / qs;
  const double euler = 0.57721566490153286;
  return -ops::log(ratio) - ql + pl + ratio * euler + ops::exp(ql + ops::lgamma(ratio + 1) - pl) -
         (1 + euler);
}

Tensor of_uniforms(D p, D q) {
  const Tensor pl = p.parameter("low"), ph = p.parameter("high"), ql = q.parameter("low"),
               qh = q.parameter("high");
  const Tensor outside = ops::logical_or(ops::gt(ql, pl), ops::lt(qh, ph));
  return where_else(ops::logical_not(outside), ops::log((qh - ql) / (ph - pl)), INFINITY);
}

Tensor of_exponentials(D p, D q) {
  const Tensor ratio = q.parameter("rate") / p.parameter("rate");
  return ratio - 1 - ops::log(ratio);
}

Tensor of_paretos(D p, D q) {
  const Tensor pa = p.parameter("alpha"), ratio = p.parameter("scale") / q.parameter("scale"),
               steeper = q.parameter("alpha") / pa;
  const Tensor d = q.parameter("alpha") * ops::log(ratio) - ops::log(steeper) + steeper - 1;
  return where_else(ops::ge_scalar(ratio, 1), d, INFINITY);
}

Tensor of_gammas(D p, D q) {
  const Tensor a = p.parameter("concentration"), b = q.parameter("concentration"), pr = p.parameter("rate"),
               qr = q.parameter("rate");
  return b * ops::log(pr / qr) + ops::lgamma(b) - ops::lgamma(a) + (a - b) * ops::digamma(a) +
         (qr - pr) * (a / pr);
}

Tensor of_parts(const Tensor& a, const Tensor& b) {
  const Tensor total = sum_last(a);
  return ops::lgamma(total) - ops::lgamma(sum_last(b)) - sum_last(ops::lgamma(a) - ops::lgamma(b)) +
         sum_last((a - b) * (ops::digamma(a) - ops::unsqueeze(ops::digamma(total), -1)));
}

Tensor of_dirichlets(D p, D q) {
  return of_parts(p.parameter("concentration"), q.parameter("concentration"));
}

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
  const Tensor a = p.parameter("probs"), b = q.parameter("probs"), la = p.parameter("logits"),
               lb = q.parameter("logits");
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

Tensor of_geometrics(D p, D q) {
  return -p.entropy() - ops::log1p(-q.parameter("probs")) / p.parameter("probs") - q.parameter("logits");
}

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
  const Tensor shift =
      ops::squeeze(ops::matmul(inverse, ops::unsqueeze(q.parameter("loc") - p.parameter("loc"), -1)), -1);
  const Tensor trace = ops::sum(ops::square(ops::matmul(inverse, ps)), both);
  return log_diagonal(qs) - log_diagonal(ps) +
         (trace + sum_last(ops::square(shift)) - double(side(ps))) * 0.5;
}

Tensor of_independents(D p, D q) {
  const auto &a = static_cast<const Independent&>(p), &b = static_cast<const Independent&>(q);
  if (a.count() != b.count())
    fail(Code::unsupported, "the two Independent have different numbers of event dimensions");
  return a.summed(kl_divergence(a.base(), b.base()));
}

void check_events(D p, D q) {
  if (!std::ranges::equal(p.event_shape(), q.event_shape()))
    fail(Code::unsupported, concat("No KL(p || q) of values of different shapes, p's ", p.event_shape(),
                                   " and q's ", q.event_shape()));
}

Tensor of_transformed(D p, D q) {
  check_events(p, q);
  const auto &a = static_cast<const Transformed&>(p), &b = static_cast<const Transformed&>(q);
  if (!a.transform().same(b.transform()))
    fail(Code::unsupported, "the two TransformedDistributions have different transforms");
  return a.summed(kl_divergence(a.base(), b.base()));
}

// ---- of different kinds ----

// What q cannot give has no probability: infinite, whatever p's parameters are.
Tensor beyond(D p, D q) {
  const Shape sizes = broadcast_shapes(p.batch_shape(), q.batch_shape(), "kl_divergence");
  const Tensor m = p.mean();
  return ops::full(sizes, INFINITY, m.dtype(), m.device());
}

// The mean of -log of a normal density over a law of that mean and variance.
Tensor normal_cross(const Tensor& mean, const Tensor& variance, D q) {
  const Tensor scale = q.parameter("scale");
  return (variance + ops::square(mean - q.parameter("loc"))) / (ops::square(scale) * 2) + ops::log(scale) +
         std::log(2 * std::numbers::pi) / 2;
}
Tensor into_normal(D p, D q) { return normal_cross(p.mean(), p.variance(), q) - p.entropy(); }

// The same of an exponential and of a gamma density; `logarithm` is the mean of log x.
Tensor into_exponential(D p, D q) {
  return q.parameter("rate") * p.mean() - ops::log(q.parameter("rate")) - p.entropy();
}
Tensor gamma_cross(D p, D q, const Tensor& logarithm) {
  const Tensor a = q.parameter("concentration"), rate = q.parameter("rate");
  return rate * p.mean() - a * ops::log(rate) + ops::lgamma(a) - (a - 1) * logarithm;
}
// Of a Gumbel density; `exponential` is the mean of exp(-x / scale).
Tensor gumbel_cross(D p, D q, const Tensor& exponential) {
  const Tensor loc = q.parameter("loc"), scale = q.parameter("scale");
  return ops::log(scale) + (p.mean() - loc) / scale + ops::exp(loc / scale) * exponential;
}
Tensor beta_cross(D q, const Tensor& logarithm, const Tensor& logarithm_of_rest) {
  const Tensor a = q.parameter("concentration1"), b = q.parameter("concentration0");
  return ops::lgamma(a) + ops::lgamma(b) - ops::lgamma(a + b) - (a - 1) * logarithm -
         (b - 1) * logarithm_of_rest;
}

Tensor of_cauchys(D p, D q) {
  const Tensor ps = p.parameter("scale"), qs = q.parameter("scale");
  return ops::log(ops::square(ps + qs) + ops::square(p.parameter("loc") - q.parameter("loc"))) -
         ops::log(ps * qs * 4);
}
Tensor bernoulli_poisson(D p, D q) {
  const Tensor rate = q.parameter("rate");
  return -p.entropy() - (p.parameter("probs") * ops::log(rate) - rate);
}
Tensor beta_gamma(D p, D q) {
  const Tensor a = p.parameter("concentration1"), b = p.parameter("concentration0");
  return gamma_cross(p, q, ops::digamma(a) - ops::digamma(a + b)) - p.entropy();
}
// Of what has values all over [0, 1].
Tensor unit_uniform(D p, D q) {
  const Tensor low = q.parameter("low"), high = q.parameter("high");
  const Tensor holds = ops::logical_and(ops::le_scalar(low, 0), ops::ge_scalar(high, 1));
  return where_else(holds, ops::log(high - low) - p.entropy(), INFINITY);
}
Tensor exponential_gamma(D p, D q) {
  return gamma_cross(p, q, -ops::log(p.parameter("rate")) - std::numbers::egamma) - p.entropy();
}
Tensor exponential_gumbel(D p, D q) {
  const Tensor rate = p.parameter("rate"), scale = q.parameter("scale");
  return gumbel_cross(p, q, rate / (rate + ops::reciprocal(scale))) - p.entropy();
}
Tensor gamma_gumbel(D p, D q) {
  const Tensor a = p.parameter("concentration"), rate = p.parameter("rate");
  return gumbel_cross(p, q, ops::exp(-(a * ops::log1p(ops::reciprocal(rate * q.parameter("scale")))))) -
         p.entropy();
}
Tensor normal_gumbel(D p, D q) {
  const Tensor ratio = p.parameter("scale") / q.parameter("scale");
  return gumbel_cross(p, q, ops::exp(ops::square(ratio) * 0.5 - p.parameter("loc") / q.parameter("scale"))) -
         p.entropy();
}
Tensor normal_laplace(D p, D q) {
  const Tensor ps = p.parameter("scale"), off = p.parameter("loc") - q.parameter("loc"), z = off / ps,
               qs = q.parameter("scale");
  const Tensor apart = ps * std::sqrt(2 / std::numbers::pi) * ops::exp(ops::square(z) * -0.5) +
                       off * ops::erf(z * std::sqrt(0.5));
  return ops::log(qs * 2) + apart / qs - p.entropy();
}
Tensor pareto_exponential(D p, D q) {
  return where_else(ops::gt_scalar(p.parameter("alpha"), 1), into_exponential(p, q), INFINITY);
}
Tensor pareto_gamma(D p, D q) {
  const Tensor logarithm = ops::log(p.parameter("scale")) + ops::reciprocal(p.parameter("alpha"));
  return where_else(ops::gt_scalar(p.parameter("alpha"), 1), gamma_cross(p, q, logarithm) - p.entropy(),
                    INFINITY);
}
Tensor pareto_normal(D p, D q) {
  return where_else(ops::gt_scalar(p.parameter("alpha"), 2), into_normal(p, q), INFINITY);
}

// The mean of log x over [low, high), and of what a uniform variable does beyond an end.
Tensor uniform_log(const Tensor& low, const Tensor& high) {
  return (ops::xlogy(high, high) - ops::xlogy(low, low)) / (high - low) - 1;
}
Tensor uniform_beta(D p, D q) {
  const Tensor low = p.parameter("low"), high = p.parameter("high");
  const Tensor holds = ops::logical_and(ops::ge_scalar(low, 0), ops::le_scalar(high, 1));
  return where_else(
      holds, beta_cross(q, uniform_log(low, high), uniform_log(1 - high, 1 - low)) - p.entropy(), INFINITY);
}
Tensor uniform_exponential(D p, D q) {
  return where_else(ops::ge_scalar(p.parameter("low"), 0), into_exponential(p, q), INFINITY);
}
Tensor uniform_gamma(D p, D q) {
  const Tensor low = p.parameter("low");
  return where_else(ops::ge_scalar(low, 0),
                    gamma_cross(p, q, uniform_log(low, p.parameter("high"))) - p.entropy(), INFINITY);
}
Tensor uniform_gumbel(D p, D q) {
  const Tensor scale = q.parameter("scale"), low = p.parameter("low") / scale,
               high = p.parameter("high") / scale;
  return gumbel_cross(p, q, (ops::exp(-low) - ops::exp(-high)) / (high - low)) - p.entropy();
}
Tensor uniform_pareto(D p, D q) {
  const Tensor low = p.parameter("low"), alpha = q.parameter("alpha"), scale = q.parameter("scale");
  const Tensor d = (alpha + 1) * uniform_log(low, p.parameter("high")) - ops::log(alpha) -
                   alpha * ops::log(scale) - p.entropy();
  return where_else(ops::ge(low, scale), d, INFINITY);
}

Tensor logistic_normals(D p, D q) {
  check_events(p, q);
  return sum_last(of_normals(p, q));
}

Tensor of_continuous_bernoullis(D p, D q) {
  const Tensor a = p.parameter("logits"), b = q.parameter("logits");
  return (a - b) * p.mean() - continuous_bernoulli_normaliser(a) + continuous_bernoulli_normaliser(b);
}
Tensor into_continuous_bernoulli(D p, D q) {
  const Tensor slope = q.parameter("logits");
  return continuous_bernoulli_normaliser(slope) - slope * p.mean() - p.entropy();
}
Tensor uniform_continuous_bernoulli(D p, D q) {
  const Tensor inside =
      ops::logical_and(ops::ge_scalar(p.parameter("low"), 0), ops::le_scalar(p.parameter("high"), 1));
  return where_else(inside, into_continuous_bernoulli(p, q), INFINITY);
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
    {"LowRankMultivariateNormal", "LowRankMultivariateNormal", of_multivariate_normals},
    {"LowRankMultivariateNormal", "MultivariateNormal", of_multivariate_normals},
    {"MultivariateNormal", "LowRankMultivariateNormal", of_multivariate_normals},
    {"Independent", "Independent", of_independents},
    {"TransformedDistribution", "TransformedDistribution", of_transformed},
    {"Cauchy", "Cauchy", of_cauchys},
    {"LogisticNormal", "LogisticNormal", logistic_normals},
    {"ContinuousBernoulli", "ContinuousBernoulli", of_continuous_bernoullis},
    {"Bernoulli", "Poisson", bernoulli_poisson},
    {"Beta", "ContinuousBernoulli", into_continuous_bernoulli},
    {"ContinuousBernoulli", "Exponential", into_exponential},
    {"ContinuousBernoulli", "Normal", into_normal},
    {"ContinuousBernoulli", "Pareto", beyond},
    {"ContinuousBernoulli", "Uniform", unit_uniform},
    {"Uniform", "ContinuousBernoulli", uniform_continuous_bernoulli},
    {"Beta", "Exponential", into_exponential},
    {"Beta", "Gamma", beta_gamma},
    {"Beta", "Normal", into_normal},
    {"Beta", "Pareto", beyond},
    {"Beta", "Uniform", unit_uniform},
    {"Binomial", "Poisson", beyond},
    {"Exponential", "Beta", beyond},
    {"Exponential", "ContinuousBernoulli", beyond},
    {"Exponential", "Gamma", exponential_gamma},
    {"Exponential", "Gumbel", exponential_gumbel},
    {"Exponential", "Normal", into_normal},
    {"Exponential", "Pareto", beyond},
    {"Exponential", "Uniform", beyond},
    {"Gamma", "Beta", beyond},
    {"Gamma", "ContinuousBernoulli", beyond},
    {"Gamma", "Exponential", into_exponential},
    {"Gamma", "Gumbel", gamma_gumbel},
    {"Gamma", "Normal", into_normal},
    {"Gamma", "Pareto", beyond},
    {"Gamma", "Uniform", beyond},
    {"Gumbel", "Beta", beyond},
    {"Gumbel", "ContinuousBernoulli", beyond},
    {"Gumbel", "Exponential", beyond},
    {"Gumbel", "Gamma", beyond},
    {"Gumbel", "Normal", into_normal},
    {"Gumbel", "Pareto", beyond},
    {"Gumbel", "Uniform", beyond},
    {"Laplace", "Beta", beyond},
    {"Laplace", "ContinuousBernoulli", beyond},
    {"Laplace", "Exponential", beyond},
    {"Laplace", "Gamma", beyond},
    {"Laplace", "Normal", into_normal},
    {"Laplace", "Pareto", beyond},
    {"Laplace", "Uniform", beyond},
    {"Normal", "Beta", beyond},
    {"Normal", "ContinuousBernoulli", beyond},
    {"Normal", "Exponential", beyond},
    {"Normal", "Gamma", beyond},
    {"Normal", "Gumbel", normal_gumbel},
    {"Normal", "Laplace", normal_laplace},
    {"Normal", "Pareto", beyond},
    {"Normal", "Uniform", beyond},
    {"Pareto", "Beta", beyond},
    {"Pareto", "ContinuousBernoulli", beyond},
    {"Pareto", "Exponential", pareto_exponential},
    {"Pareto", "Gamma", pareto_gamma},
    {"Pareto", "Normal", pareto_normal},
    {"Pareto", "Uniform", beyond},
    {"Poisson", "Bernoulli", beyond},
    {"Poisson", "Binomial", beyond},
    {"Uniform", "Beta", uniform_beta},
    {"Uniform", "Exponential", uniform_exponential},
    {"Uniform", "Gamma", uniform_gamma},
    {"Uniform", "Gumbel", uniform_gumbel},
    {"Uniform", "Normal", into_normal},
    {"Uniform", "Pareto", uniform_pareto},
};

std::string_view known_as(const std::string& kind) {
  return kind == "Chi2"                               ? "Gamma"
         : kind == "OneHotCategoricalStraightThrough" ? "OneHotCategorical"
                                                      : std::string_view(kind);
}

}  // namespace

Tensor kl_divergence(const Distribution& p, const Distribution& q) {
  const std::string &a = p.kind().name, &b = q.kind().name;
  for (const Rule& r : kRules)
    if (r.p == known_as(a) && r.q == known_as(b)) return r.of(p, q);
  fail(Code::unsupported, concat("No KL(p || q) is implemented for p type ", a, " and q type ", b),
       "docs/distributions.md lists the pairs");
}

}  // namespace haft
