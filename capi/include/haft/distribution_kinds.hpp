// Generated from core/schema/distributions.def by tools/generate; do not edit.
//
// The kinds of distributions in C++17: distributions::Normal(0.0, 1.0). haft/distributions.hpp includes this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_DISTRIBUTION_KINDS_HPP
#define HAFT_DISTRIBUTION_KINDS_HPP

namespace haft {
namespace distributions {

/// A parameter: a tensor or a number; {} is an absent one.
class Value {
  Tensor t_;

 public:
  Value() = default;
  Value(const Tensor& t) : t_(t) {}
  Value(double number) : t_(haft::full({}, number)) {}
  const Tensor& tensor() const { return t_; }
};

/// The normal distribution of mean loc and standard deviation scale.
/// @param loc mean
/// @param scale standard deviation
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Normal(const Value& loc, const Value& scale, bool validate_args = true) {
  return Distribution("Normal", {loc.tensor(), scale.tensor()}, validate_args);
}

/// exp of a normal variable of mean loc and standard deviation scale.
/// @param loc mean of the logarithm
/// @param scale standard deviation of the logarithm
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution LogNormal(const Value& loc, const Value& scale, bool validate_args = true) {
  return Distribution("LogNormal", {loc.tensor(), scale.tensor()}, validate_args);
}

/// The size of a normal variable of mean 0 and standard deviation scale.
/// @param scale standard deviation of the normal variable
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution HalfNormal(const Value& scale, bool validate_args = true) {
  return Distribution("HalfNormal", {scale.tensor()}, validate_args);
}

/// The ratio of two normal variables, times scale, plus loc; it has neither mean nor variance.
/// @param loc mode, which is the median, too
/// @param scale half of the width at half of the largest density
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Cauchy(const Value& loc, const Value& scale, bool validate_args = true) {
  return Distribution("Cauchy", {loc.tensor(), scale.tensor()}, validate_args);
}

/// The size of a Cauchy variable of loc 0.
/// @param scale scale of the Cauchy variable
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution HalfCauchy(const Value& scale, bool validate_args = true) {
  return Distribution("HalfCauchy", {scale.tensor()}, validate_args);
}

/// exp(-|x - loc| / scale) / (2 scale).
/// @param loc mean
/// @param scale the mean of |x - loc|
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Laplace(const Value& loc, const Value& scale, bool validate_args = true) {
  return Distribution("Laplace", {loc.tensor(), scale.tensor()}, validate_args);
}

/// The largest of many: density exp(-(z + exp(-z))) / scale at z = (x - loc) / scale.
/// @param loc mode
/// @param scale scale
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Gumbel(const Value& loc, const Value& scale, bool validate_args = true) {
  return Distribution("Gumbel", {loc.tensor(), scale.tensor()}, validate_args);
}

/// Equally likely in [low, high).
/// @param low the least value
/// @param high above all values
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Uniform(const Value& low, const Value& high, bool validate_args = true) {
  return Distribution("Uniform", {low.tensor(), high.tensor()}, validate_args);
}

/// rate exp(-rate x) for x >= 0.
/// @param rate one over the mean
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Exponential(const Value& rate, bool validate_args = true) {
  return Distribution("Exponential", {rate.tensor()}, validate_args);
}

/// scale times a root of an exponential variable, the concentration-th.
/// @param scale scale
/// @param concentration shape
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Weibull(const Value& scale, const Value& concentration, bool validate_args = true) {
  return Distribution("Weibull", {scale.tensor(), concentration.tensor()}, validate_args);
}

/// scale times exp of an exponential variable of rate alpha: a power law from scale on.
/// @param scale the least value
/// @param alpha the exponent
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Pareto(const Value& scale, const Value& alpha, bool validate_args = true) {
  return Distribution("Pareto", {scale.tensor(), alpha.tensor()}, validate_args);
}

/// loc plus scale times a variable of which (1 + concentration z)^(-1 / concentration) stays above z; exp(-z)
/// at 0.
/// @param loc the least value, which is the mode, too
/// @param scale scale
/// @param concentration how heavy the tail is; below 0 values end at loc - scale / concentration
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution GeneralizedPareto(const Value& loc, const Value& scale, const Value& concentration,
                                      bool validate_args = true) {
  return Distribution("GeneralizedPareto", {loc.tensor(), scale.tensor(),
                                            concentration.tensor()}, validate_args);
}

/// The gamma distribution of shape parameter concentration and rate.
/// @param concentration shape
/// @param rate one over the scale
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Gamma(const Value& concentration, const Value& rate, bool validate_args = true) {
  return Distribution("Gamma", {concentration.tensor(), rate.tensor()}, validate_args);
}

/// The sum of squares of df normal variables.
/// @param df degrees of freedom
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Chi2(const Value& df, bool validate_args = true) {
  return Distribution("Chi2", {df.tensor()}, validate_args);
}

/// One over a gamma variable of shape parameter concentration and rate.
/// @param concentration shape
/// @param rate one over the gamma variable's scale
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution InverseGamma(const Value& concentration, const Value& rate, bool validate_args = true) {
  return Distribution("InverseGamma", {concentration.tensor(), rate.tensor()}, validate_args);
}

/// A number in (0, 1) of probability 1 - (1 - x^concentration1)^concentration0 (Kumaraswamy, 1980).
/// @param concentration1 first shape
/// @param concentration0 second shape
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Kumaraswamy(const Value& concentration1, const Value& concentration0,
                                bool validate_args = true) {
  return Distribution("Kumaraswamy", {concentration1.tensor(), concentration0.tensor()}, validate_args);
}

/// A number in [0, 1] of density proportional to exp(logits x) (Loaiza-Ganem and Cunningham, 2019).
/// @param probs the sigmoid of logits, which is no probability here; or what stands beside it
/// @param logits the slope of the density's logarithm; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution ContinuousBernoulli(const Value& probs = {}, const Value& logits = {},
                                        bool validate_args = true) {
  return Distribution("ContinuousBernoulli", {probs.tensor(), logits.tensor()}, validate_args);
}

/// An angle in [-pi, pi): density proportional to exp(concentration cos(x - loc)).
/// @param loc mean angle, in radians
/// @param concentration how near to loc
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution VonMises(const Value& loc, const Value& concentration, bool validate_args = true) {
  return Distribution("VonMises", {loc.tensor(), concentration.tensor()}, validate_args);
}

/// A part of a whole: the first of two parts of a Dirichlet distribution.
/// @param concentration1 of the part
/// @param concentration0 of the rest
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Beta(const Value& concentration1, const Value& concentration0,
                         bool validate_args = true) {
  return Distribution("Beta", {concentration1.tensor(), concentration0.tensor()}, validate_args);
}

/// Parts of a whole, (..., k): gamma variables of shape parameters concentration, divided by their sum.
/// @param concentration of each part, in the last dimension
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Dirichlet(const Value& concentration, bool validate_args = true) {
  return Distribution("Dirichlet", {concentration.tensor()}, validate_args);
}

/// Parts of a whole, (..., k + 1): normal variables (..., k), or one of numbers, through StickBreaking.
/// @param loc means of the normal variables
/// @param scale standard deviations of the normal variables
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution LogisticNormal(const Value& loc, const Value& scale, bool validate_args = true) {
  return Distribution("LogisticNormal", {loc.tensor(), scale.tensor()}, validate_args);
}

/// loc + scale * t, t of Student's distribution with df degrees of freedom.
/// @param df degrees of freedom
/// @param loc mean, where df is above 1; default 0
/// @param scale scale; default 1
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution StudentT(const Value& df, const Value& loc = 0, const Value& scale = 1,
                             bool validate_args = true) {
  return Distribution("StudentT", {df.tensor(), loc.tensor(), scale.tensor()}, validate_args);
}

/// The ratio of two chi-squared variables, each divided by its degrees of freedom.
/// @param df1 degrees of freedom above
/// @param df2 degrees of freedom below
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution FisherSnedecor(const Value& df1, const Value& df2, bool validate_args = true) {
  return Distribution("FisherSnedecor", {df1.tensor(), df2.tensor()}, validate_args);
}

/// Normal vectors, (..., n), of mean loc and a covariance that is given in one of three ways.
/// @param loc mean
/// @param covariance_matrix covariance, (..., n, n); or what stands beside it
/// @param precision_matrix its inverse; or what stands beside it
/// @param scale_tril its lower Cholesky factor; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution MultivariateNormal(const Value& loc, const Value& covariance_matrix = {},
                                       const Value& precision_matrix = {}, const Value& scale_tril = {},
                                       bool validate_args = true) {
  return Distribution("MultivariateNormal", {loc.tensor(), covariance_matrix.tensor(),
                                             precision_matrix.tensor(), scale_tril.tensor()}, validate_args);
}

/// Normal vectors, (..., n), of covariance cov_factor cov_factor^T and a diagonal: m < n numbers in common, n
/// of their own.
/// @param loc mean
/// @param cov_factor (..., n, m)
/// @param cov_diag the diagonal, (..., n)
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution LowRankMultivariateNormal(const Value& loc, const Value& cov_factor,
                                              const Value& cov_diag, bool validate_args = true) {
  return Distribution("LowRankMultivariateNormal", {loc.tensor(), cov_factor.tensor(),
                                                    cov_diag.tensor()}, validate_args);
}

/// Sums of squares of df normal vectors, (..., n, n), of a covariance that is given in one of three ways.
/// @param df degrees of freedom, more than n - 1
/// @param covariance_matrix covariance, (..., n, n); or what stands beside it
/// @param precision_matrix its inverse; or what stands beside it
/// @param scale_tril its lower Cholesky factor; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Wishart(const Value& df, const Value& covariance_matrix = {},
                            const Value& precision_matrix = {}, const Value& scale_tril = {},
                            bool validate_args = true) {
  return Distribution("Wishart", {df.tensor(), covariance_matrix.tensor(), precision_matrix.tensor(),
                                  scale_tril.tensor()}, validate_args);
}

/// Lower Cholesky factors of correlation matrices, whose density is proportional to their determinant to the
/// power concentration - 1 (Lewandowski et al., 2009).
/// @param dim rows of a matrix, at least 2
/// @param concentration 1 makes all correlation matrices equally likely; default 1
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution LKJCholesky(const Value& dim, const Value& concentration = 1, bool validate_args = true) {
  return Distribution("LKJCholesky", {dim.tensor(), concentration.tensor()}, validate_args);
}

/// 1 with a probability, else 0.
/// @param probs the probability of 1; or what stands beside it
/// @param logits log(p / (1 - p)); or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Bernoulli(const Value& probs = {}, const Value& logits = {}, bool validate_args = true) {
  return Distribution("Bernoulli", {probs.tensor(), logits.tensor()}, validate_args);
}

/// How often a trial fails before it succeeds.
/// @param probs the probability of 1; or what stands beside it
/// @param logits log(p / (1 - p)); or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Geometric(const Value& probs = {}, const Value& logits = {}, bool validate_args = true) {
  return Distribution("Geometric", {probs.tensor(), logits.tensor()}, validate_args);
}

/// How many of total_count trials succeed.
/// @param total_count trials; default 1
/// @param probs the probability of 1; or what stands beside it
/// @param logits log(p / (1 - p)); or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Binomial(const Value& total_count = 1, const Value& probs = {}, const Value& logits = {},
                             bool validate_args = true) {
  return Distribution("Binomial", {total_count.tensor(), probs.tensor(), logits.tensor()}, validate_args);
}

/// How many trials succeed before total_count have failed.
/// @param total_count failures, which need not be whole
/// @param probs the probability of success; or what stands beside it
/// @param logits log(p / (1 - p)); or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution NegativeBinomial(const Value& total_count, const Value& probs = {},
                                     const Value& logits = {}, bool validate_args = true) {
  return Distribution("NegativeBinomial", {total_count.tensor(), probs.tensor(),
                                           logits.tensor()}, validate_args);
}

/// How many events happen where rate are expected.
/// @param rate mean
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Poisson(const Value& rate, bool validate_args = true) {
  return Distribution("Poisson", {rate.tensor()}, validate_args);
}

/// One of K numbers, by K probabilities (or weights, or logits) in the last dimension.
/// @param probs weights of the values in the last dimension, which are divided by their sum; or what stands
///   beside it
/// @param logits logarithms of such weights; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Categorical(const Value& probs = {}, const Value& logits = {},
                                bool validate_args = true) {
  return Distribution("Categorical", {probs.tensor(), logits.tensor()}, validate_args);
}

/// Categorical with vectors of one 1 as values.
/// @param probs weights of the values in the last dimension, which are divided by their sum; or what stands
///   beside it
/// @param logits logarithms of such weights; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution OneHotCategorical(const Value& probs = {}, const Value& logits = {},
                                      bool validate_args = true) {
  return Distribution("OneHotCategorical", {probs.tensor(), logits.tensor()}, validate_args);
}

/// OneHotCategorical whose samples pass their gradient on to the probabilities (Bengio et al., 2013).
/// @param probs weights of the values in the last dimension, which are divided by their sum; or what stands
///   beside it
/// @param logits logarithms of such weights; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution OneHotCategoricalStraightThrough(const Value& probs = {}, const Value& logits = {},
                                                     bool validate_args = true) {
  return Distribution("OneHotCategoricalStraightThrough", {probs.tensor(), logits.tensor()}, validate_args);
}

/// How often each of K values comes in total_count draws.
/// @param total_count draws, one number for the whole batch; default 1
/// @param probs weights of the values in the last dimension, which are divided by their sum; or what stands
///   beside it
/// @param logits logarithms of such weights; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution Multinomial(const Value& total_count = 1, const Value& probs = {},
                                const Value& logits = {}, bool validate_args = true) {
  return Distribution("Multinomial", {total_count.tensor(), probs.tensor(), logits.tensor()}, validate_args);
}

/// A number in (0, 1) in place of Bernoulli's 0 or 1, with gradients (Maddison et al., 2017).
/// @param temperature how far from 0 and 1 values are
/// @param probs the probability of 1; or what stands beside it
/// @param logits log(p / (1 - p)); or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution RelaxedBernoulli(const Value& temperature, const Value& probs = {},
                                     const Value& logits = {}, bool validate_args = true) {
  return Distribution("RelaxedBernoulli", {temperature.tensor(), probs.tensor(),
                                           logits.tensor()}, validate_args);
}

/// Parts of a whole in place of OneHotCategorical's vectors, with gradients (Jang et al., 2017).
/// @param temperature how far from one-hot values are
/// @param probs weights of the values in the last dimension, which are divided by their sum; or what stands
///   beside it
/// @param logits logarithms of such weights; or what stands beside it
/// @param validate_args whether parameters and values are checked, which waits for their device
inline Distribution RelaxedOneHotCategorical(const Value& temperature, const Value& probs = {},
                                             const Value& logits = {}, bool validate_args = true) {
  return Distribution("RelaxedOneHotCategorical", {temperature.tensor(), probs.tensor(),
                                                   logits.tensor()}, validate_args);
}

}  // namespace distributions
}  // namespace haft
#endif
