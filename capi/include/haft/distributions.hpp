// Probability distributions in C++17 over haft/distributions.h: distributions::Normal(0.0, 1.0).sample({3}). Kinds
// are functions of haft::distributions. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_DISTRIBUTIONS_HPP
#define HAFT_DISTRIBUTIONS_HPP

namespace haft {

/// Independent variables, as many as the batch's sizes say, each with values of the event's sizes. It never changes.
class Distribution : public detail::Handle<haft_distribution, haft_distribution_retain, haft_distribution_release> {
 public:
  using Handle::Handle;
  /// A kind by its name, "Normal", with its parameters in the order of docs/distributions.md; an empty tensor is an
  /// absent one.
  /// @param name PyTorch's name of the kind
  /// @param parameters broadcast to one shape
  /// @param validate_args whether parameters and values are checked, which waits for their device
  explicit Distribution(const std::string& name, const std::vector<Tensor>& parameters, bool validate_args = true) {
    auto in = detail::handles(parameters);
    haft_distribution* d = nullptr;
    check(haft_distribution_create(name.c_str(), in.data(), static_cast<std::int64_t>(in.size()), validate_args, &d));
    *this = Distribution(d);
  }
  /// The name of its kind: "Normal".
  std::string name() const { return text(haft_distribution_get_name); }
  /// What its values are: "GreaterThan(lower_bound=0.0)".
  std::string support() const { return text(haft_distribution_get_support); }
  /// "Normal(loc: 0, scale: 1)".
  std::string to_string() const { return text(haft_distribution_to_string); }
  /// The shape of the independent variables.
  std::vector<std::int64_t> batch_shape() const { return shape(haft_distribution_get_batch_shape); }
  /// The shape of one value.
  std::vector<std::int64_t> event_shape() const { return shape(haft_distribution_get_event_shape); }
  /// Whether rsample() is there.
  bool has_rsample() const { return flag(haft_distribution_has_rsample); }
  /// Whether enumerate_support() is there.
  bool has_enumerate_support() const { return flag(haft_distribution_has_enumerate_support); }
  /// A parameter by its name, or what follows from those that were given: "logits".
  Tensor parameter(const std::string& name) const {
    return made([&](haft_tensor** out) { return haft_distribution_parameter(get(), name.c_str(), out); });
  }
  /// Values of sample_shape + batch_shape() + event_shape(), without gradients.
  Tensor sample(const IntArray& sample_shape = {}, haft_generator* generator = nullptr) const {
    return drawn(haft_distribution_sample, sample_shape, generator);
  }
  /// Values that gradients pass through to the parameters.
  Tensor rsample(const IntArray& sample_shape = {}, haft_generator* generator = nullptr) const {
    return drawn(haft_distribution_rsample, sample_shape, generator);
  }
  /// The logarithm of the density, or of the probability, of values.
  Tensor log_prob(const Tensor& value) const { return of(haft_distribution_log_prob, value); }
  /// The probability of a value that is not above.
  Tensor cdf(const Tensor& value) const { return of(haft_distribution_cdf, value); }
  /// The value that a variable stays below with a probability.
  Tensor icdf(const Tensor& value) const { return of(haft_distribution_icdf, value); }
  /// Whether values are possible: bool.
  Tensor in_support(const Tensor& value) const { return of(haft_distribution_in_support, value); }
  /// The mean, of batch_shape() + event_shape().
  Tensor mean() const { return part(haft_distribution_mean); }
  /// The likeliest value.
  Tensor mode() const { return part(haft_distribution_mode); }
  /// The variance, that of each part where values are vectors.
  Tensor variance() const { return part(haft_distribution_variance); }
  /// The root of the variance.
  Tensor stddev() const { return part(haft_distribution_stddev); }
  /// The entropy in nats: the mean of -log_prob.
  Tensor entropy() const { return part(haft_distribution_entropy); }
  /// exp of the entropy.
  Tensor perplexity() const { return part(haft_distribution_perplexity); }
  /// All values along a new first dimension.
  Tensor enumerate_support(bool expand = true) const {
    return made([&](haft_tensor** out) { return haft_distribution_enumerate_support(get(), expand, out); });
  }
  /// The same with a larger batch_shape.
  Distribution expand(const IntArray& batch_shape) const {
    haft_distribution* d = nullptr;
    check(haft_distribution_expand(get(), batch_shape.data(), batch_shape.size(), &d));
    return Distribution(d);
  }

 private:
  template <class F>
  static Tensor made(F f) {
    haft_tensor* out = nullptr;
    check(f(&out));
    return Tensor(out);
  }
  template <class F>
  Tensor part(F f) const {
    return made([&](haft_tensor** out) { return f(get(), out); });
  }
  template <class F>
  Tensor of(F f, const Tensor& value) const {
    return made([&](haft_tensor** out) { return f(get(), value.get(), out); });
  }
  template <class F>
  Tensor drawn(F f, const IntArray& shape, haft_generator* generator) const {
    return made([&](haft_tensor** out) { return f(get(), shape.data(), shape.size(), generator, out); });
  }
  template <class F>
  bool flag(F f) const {
    std::int32_t yes = 0;
    check(f(get(), &yes));
    return yes != 0;
  }
  template <class F>
  std::string text(F f) const {
    return detail::text_of(
        [&](char* buffer, std::int64_t capacity, std::int64_t* needed) { return f(get(), buffer, capacity, needed); });
  }
  template <class F>
  std::vector<std::int64_t> shape(F f) const {
    std::int64_t v[HAFT_MAX_DIMS], n = 0;
    check(f(get(), v, HAFT_MAX_DIMS, &n));
    return std::vector<std::int64_t>(v, v + n);
  }
};

/// A map of values with an inverse: VariableTransform("Affine", {loc, scale}).
class VariableTransform
    : public detail::Handle<haft_variable_transform, haft_variable_transform_retain, haft_variable_transform_release> {
 public:
  using Handle::Handle;
  /// By PyTorch's name without "Transform": Abs, Affine, CorrCholesky, Exp, LowerCholesky, PositiveDefinite, Power,
  /// Reshape, Sigmoid, Softmax, Softplus, StickBreaking or Tanh.
  /// @param name "Affine"
  /// @param parameters loc and scale of Affine, exponent of Power, in_shape and out_shape of Reshape (vectors of
  ///   integers), none of others
  explicit VariableTransform(const std::string& name, const std::vector<Tensor>& parameters) {
    auto in = detail::handles(parameters);
    haft_variable_transform* t = nullptr;
    check(haft_variable_transform_create(name.c_str(), in.data(), static_cast<std::int64_t>(in.size()), &t));
    *this = VariableTransform(t);
  }

  /// Its kind: "AffineTransform".
  std::string to_string() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return haft_variable_transform_to_string(get(), buffer, capacity, needed);
    });
  }
  /// Dimensions that belong together in what it takes: 0 for single numbers, 1 for vectors.
  std::int64_t domain_event_dim() const { return event_dim(true); }
  /// Dimensions that belong together in what it answers.
  std::int64_t codomain_event_dim() const { return event_dim(false); }
  /// Whether each value has one inverse.
  bool bijective() const {
    std::int32_t yes = 0;
    check(haft_variable_transform_is_bijective(get(), &yes));
    return yes != 0;
  }
  /// Whether it may answer such values: bool.
  Tensor in_codomain(const Tensor& y) const { return of(haft_variable_transform_in_codomain, y); }
  /// Applies it.
  Tensor forward(const Tensor& x) const { return of(haft_variable_transform_forward, x); }
  /// Goes back.
  Tensor inverse(const Tensor& y) const { return of(haft_variable_transform_inverse, y); }
  /// log |dy / dx|, by which densities change.
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
    haft_tensor* out = nullptr;
    check(haft_variable_transform_log_abs_det_jacobian(get(), x.get(), y.get(), &out));
    return Tensor(out);
  }
  /// The way back as a transform.
  VariableTransform inverted() const {
    haft_variable_transform* t = nullptr;
    check(haft_variable_transform_inverted(get(), &t));
    return VariableTransform(t);
  }
  /// This one, and then another.
  VariableTransform then(const VariableTransform& next) const {
    haft_variable_transform *parts[] = {get(), next.get()}, *t = nullptr;
    check(haft_variable_transform_compose(parts, 2, &t));
    return VariableTransform(t);
  }
  /// The same of values whose last dimensions belong together.
  VariableTransform independent(std::int64_t reinterpreted_batch_ndims) const {
    haft_variable_transform* t = nullptr;
    check(haft_variable_transform_independent(get(), reinterpreted_batch_ndims, &t));
    return VariableTransform(t);
  }

 private:
  template <class F>
  Tensor of(F f, const Tensor& value) const {
    haft_tensor* out = nullptr;
    check(f(get(), value.get(), &out));
    return Tensor(out);
  }
  std::int64_t event_dim(bool of_domain) const {
    std::int64_t domain = 0, codomain = 0;
    check(haft_variable_transform_get_event_dims(get(), &domain, &codomain));
    return of_domain ? domain : codomain;
  }
};

/// Transforms one after the other, the first one first; of none: values stay.
inline VariableTransform compose(const std::vector<VariableTransform>& parts) {
  std::vector<haft_variable_transform*> in;
  for (const VariableTransform& t : parts) in.push_back(t.get());
  haft_variable_transform* t = nullptr;
  check(haft_variable_transform_compose(in.data(), static_cast<std::int64_t>(in.size()), &t));
  return VariableTransform(t);
}

/// Transforms of parts of values, which lie one behind the other along a dimension.
/// @param parts one for each part
/// @param dim of the values; below 0: from the last one
/// @param lengths size of each part along dim; empty: 1 each
inline VariableTransform cat_transforms(const std::vector<VariableTransform>& parts, std::int64_t dim = 0,
                                        const IntArray& lengths = {}) {
  std::vector<haft_variable_transform*> in;
  for (const VariableTransform& t : parts) in.push_back(t.get());
  haft_variable_transform* t = nullptr;
  check(haft_variable_transform_cat(in.data(), static_cast<std::int64_t>(in.size()), lengths.data(), lengths.size(),
                                    dim, &t));
  return VariableTransform(t);
}

/// To the probability of not being above: cdf and, backwards, icdf of a distribution of single numbers.
/// @param distribution whose
inline VariableTransform cumulative_transform(const Distribution& distribution) {
  haft_variable_transform* t = nullptr;
  check(haft_variable_transform_cumulative(distribution.get(), &t));
  return VariableTransform(t);
}

/// The Kullback-Leibler divergence: the mean of log p(x) - log q(x) over x drawn from p.
inline Tensor kl_divergence(const Distribution& p, const Distribution& q) {
  haft_tensor* out = nullptr;
  check(haft_distribution_kl_divergence(p.get(), q.get(), &out));
  return Tensor(out);
}

/// Whether values are what parameters and values of distributions may be: bool.
/// @param name "positive" and the like, see haft_constraint_check
/// @param value the last dimension is a vector, the last two are a matrix where the constraint is of those
inline Tensor check_constraint(const std::string& name, const Tensor& value) {
  haft_tensor* out = nullptr;
  check(haft_constraint_check(name.c_str(), value.get(), &out));
  return Tensor(out);
}

/// The last dimensions of a distribution's batch_shape as dimensions of its event_shape.
/// @param base whose values they are
/// @param reinterpreted_batch_ndims how many
/// @param validate_args whether values are checked
inline Distribution independent(const Distribution& base, std::int64_t reinterpreted_batch_ndims,
                                bool validate_args = true) {
  haft_distribution* d = nullptr;
  check(haft_independent_create(base.get(), reinterpreted_batch_ndims, validate_args, &d));
  return Distribution(d);
}

/// A mixture of distributions of one kind, the components along the last dimension of their batch_shape.
/// @param mixture a Categorical: the probability of each component
/// @param component the components
/// @param validate_args whether values are checked
inline Distribution mixture_same_family(const Distribution& mixture, const Distribution& component,
                                        bool validate_args = true) {
  haft_distribution* d = nullptr;
  check(haft_mixture_same_family_create(mixture.get(), component.get(), validate_args, &d));
  return Distribution(d);
}

/// What transforms make, one after the other, of a distribution's values.
/// @param base whose values go through them
/// @param transforms the first one is applied first
/// @param validate_args whether values are checked
inline Distribution transformed(const Distribution& base, const std::vector<VariableTransform>& transforms,
                                bool validate_args = true) {
  std::vector<haft_variable_transform*> in;
  for (const VariableTransform& t : transforms) in.push_back(t.get());
  haft_distribution* d = nullptr;
  check(haft_transformed_distribution_create(base.get(), in.data(), static_cast<std::int64_t>(in.size()), validate_args,
                                             &d));
  return Distribution(d);
}

}  // namespace haft

#include <haft/distribution_kinds.hpp>
#endif
