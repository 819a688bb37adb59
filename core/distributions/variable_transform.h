// Maps of values with an inverse and the logarithm of the size of their derivative, and distributions of what they
// make of variables.
#pragma once
#include "core/distributions/distribution.h"

namespace haft {

// Never changes. `ndim`s: dimensions that belong together on either side, 1 where vectors are mapped as a whole.
class VariableTransform : public RefCounted {
 public:
  virtual ~VariableTransform() = default;

  virtual Tensor forward(const Tensor& x) const = 0;
  virtual Tensor inverse(const Tensor& y) const = 0;
  // log |dy / dx| of y = forward(x), without the dimensions of domain_ndim.
  virtual Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const = 0;
  virtual int64_t domain_ndim() const { return 0; }
  virtual int64_t codomain_ndim() const { return 0; }
  virtual bool bijective() const { return true; }
  // The probability of not being above on the other side, where single numbers keep or turn their order.
  virtual Tensor turned(const Tensor& probability) const { return probability; }
  virtual Shape forward_shape(IntList shape) const { return Shape(shape); }
  virtual Shape inverse_shape(IntList shape) const { return forward_shape(shape); }
  // Which values forward may answer, and for which there is an inverse: bool, without the dimensions of codomain_ndim.
  virtual Tensor reaches(const Tensor& y) const { return satisfies(reached(), y); }
  virtual Tensor takes(const Tensor& x) const { return satisfies(Constraint::real, x); }
  virtual std::string reached_text() const { return constraint_text(reached()); }
  virtual std::string text() const = 0;  // "AffineTransform"
  virtual bool same(const VariableTransform& other) const { return this == &other; }

 protected:
  virtual Constraint reached() const { return Constraint::real; }
};

// By PyTorch's names without "Transform": Abs, Affine (loc, scale), CorrCholesky, Exp, LowerCholesky, PositiveDefinite,
// Power (exponent), Reshape (in_shape, out_shape: vectors of integers), Sigmoid, Softmax, Softplus, StickBreaking and
// Tanh.
Ref<VariableTransform> make_variable_transform(std::string_view name, std::span<const Tensor> parameters);
// One after the other, the first one first.
Ref<VariableTransform> make_composition(std::vector<Ref<VariableTransform>> parts);
Ref<VariableTransform> make_inverse(Ref<VariableTransform> base);
// `count` more dimensions belong together, whose logarithms are added.
Ref<VariableTransform> make_independent_transform(Ref<VariableTransform> base, int64_t count);
// Of parts of values along a dimension, of those lengths (none: 1 each).
Ref<VariableTransform> make_cat_transform(std::vector<Ref<VariableTransform>> parts,
                                          std::vector<int64_t> lengths, int64_t dim);
// To the probability of not being above, of a distribution of single numbers.
Ref<VariableTransform> make_cumulative_transform(Ref<Distribution> distribution);

Ref<VariableTransform> make_reshape_transform(const Tensor& in_shape, const Tensor& out_shape);
Ref<VariableTransform> make_lower_cholesky_transform();
Ref<VariableTransform> make_positive_definite_transform();
Ref<VariableTransform> make_corr_cholesky_transform();

// What the transform makes of the base's values.
Ref<Distribution> make_transformed(Ref<Distribution> base, std::vector<Ref<VariableTransform>> transforms,
                                   bool validates);

}  // namespace haft
