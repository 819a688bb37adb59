#include "core/distributions/variable_transform.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dispatch/defaults.h"

namespace haft {

namespace {

// Logarithms and quotients stay finite.
Tensor within_unit(const Tensor& p) {
  const FloatFacts f = facts_of(p.dtype());
  return ops::clamp(p, f.tiny, 1 - f.eps);
}
// log(1 + exp(x)), without a threshold.
Tensor log_one_exp(const Tensor& x) { return -ops::logsigmoid(-x); }
Tensor sum_behind(const Tensor& x, int64_t count) {
  Shape dims;
  for (int64_t i = 1; i <= count; ++i) dims.push_back(-i);
  return count > 0 ? ops::sum(x, dims) : x;
}
Tensor all_behind(const Tensor& x, int64_t count) {
  Shape dims;
  for (int64_t i = 1; i <= count; ++i) dims.push_back(-i);
  return count > 0 ? ops::all(x, dims) : x;
}
Tensor float_of(const Tensor& x) { return as_dtype(x, is_float(x.dtype()) ? x.dtype() : default_float()); }

class Plain : public VariableTransform {
 public:
  bool same(const VariableTransform& other) const override { return text() == other.text(); }
};

class Affine final : public VariableTransform {
  Tensor loc_, scale_;

  // Numbers have the type of what they meet.
  static Tensor like(const Tensor& own, const Tensor& x) {
    return own.ndim() ? own : as_dtype(own, is_float(x.dtype()) ? x.dtype() : default_float());
  }

 public:
  Affine(const Tensor& loc, const Tensor& scale) : loc_(loc), scale_(scale) {}
  Tensor forward(const Tensor& x) const override { return like(loc_, x) + like(scale_, x) * x; }
  Tensor inverse(const Tensor& y) const override { return (y - like(loc_, y)) / like(scale_, y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return ops::expand(ops::log(ops::abs(like(scale_, x))), forward_shape(x.sizes()));
  }
  Tensor turned(const Tensor& p) const override { return ops::sign(like(scale_, p)) * (p - 0.5) + 0.5; }
  Shape forward_shape(IntList shape) const override {
    return broadcast_shapes(broadcast_shapes(shape, loc_.sizes(), "AffineTransform"), scale_.sizes(),
                            "AffineTransform");
  }
  std::string text() const override { return "AffineTransform"; }
};

class Exp final : public Plain {
  Tensor forward(const Tensor& x) const override { return ops::exp(x); }
  Tensor inverse(const Tensor& y) const override { return ops::log(y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override { return x; }
  Constraint reached() const override { return Constraint::positive; }
  std::string text() const override { return "ExpTransform"; }
};

class Sigmoid final : public Plain {
  Tensor forward(const Tensor& x) const override { return within_unit(ops::sigmoid(x)); }
  Tensor inverse(const Tensor& y) const override {
    const Tensor p = within_unit(y);
    return ops::log(p) - ops::log1p(-p);
  }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return ops::logsigmoid(x) + ops::logsigmoid(-x);
  }
  Constraint reached() const override { return Constraint::unit_interval; }
  std::string text() const override { return "SigmoidTransform"; }
};

class Tanh final : public Plain {
  Tensor forward(const Tensor& x) const override { return ops::tanh(x); }
  Tensor inverse(const Tensor& y) const override { return ops::atanh(y); }
  // log(1 - tanh(x)^2), without cancellation.
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return (std::numbers::ln2 - x - log_one_exp(x * -2)) * 2;
  }
  Tensor reaches(const Tensor& y) const override { return ops::le_scalar(ops::abs(y), 1); }
  std::string reached_text() const override { return "Interval(lower_bound=-1.0, upper_bound=1.0)"; }
  std::string text() const override { return "TanhTransform"; }
};

class Power final : public VariableTransform {
  Tensor exponent_;

 public:
  explicit Power(const Tensor& exponent) : exponent_(exponent) {}
  Tensor forward(const Tensor& x) const override { return ops::pow(x, exponent_); }
  Tensor inverse(const Tensor& y) const override { return ops::pow(y, ops::reciprocal(exponent_)); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    return ops::log(ops::abs(exponent_ * y / x));
  }
  Tensor turned(const Tensor& p) const override { return ops::sign(exponent_) * (p - 0.5) + 0.5; }
  Shape forward_shape(IntList shape) const override {
    return broadcast_shapes(shape, exponent_.sizes(), "PowerTransform");
  }
  Tensor takes(const Tensor& x) const override { return satisfies(Constraint::positive, x); }
  Constraint reached() const override { return Constraint::positive; }
  std::string text() const override { return "PowerTransform"; }
};

class Softplus final : public Plain {
  Tensor forward(const Tensor& x) const override { return log_one_exp(x); }
  Tensor inverse(const Tensor& y) const override { return ops::log(-ops::expm1(-y)) + y; }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override { return ops::logsigmoid(x); }
  Constraint reached() const override { return Constraint::positive; }
  std::string text() const override { return "SoftplusTransform"; }
};

// Of two values with the same size the inverse is the one above 0.
class Abs final : public Plain {
  Tensor forward(const Tensor& x) const override { return ops::abs(x); }
  Tensor inverse(const Tensor& y) const override { return y; }
  Tensor log_abs_det_jacobian(const Tensor&, const Tensor&) const override {
    fail(Code::unsupported, "AbsTransform is not one to one: it has no determinant");
  }
  Tensor turned(const Tensor&) const override {
    fail(Code::unsupported, "AbsTransform does not keep the order of values");
  }
  bool bijective() const override { return false; }
  Constraint reached() const override { return Constraint::nonnegative; }
  std::string text() const override { return "AbsTransform"; }
};

class VectorTransform : public Plain {
 public:
  int64_t domain_ndim() const override { return 1; }
  int64_t codomain_ndim() const override { return 1; }
  Tensor turned(const Tensor&) const override {
    fail(Code::unsupported, concat(text(), " maps vectors, which have no order"));
  }
  Tensor takes(const Tensor& x) const override { return satisfies(Constraint::real_vector, x); }
  Constraint reached() const override { return Constraint::simplex; }
};

class Softmax final : public VectorTransform {
  Tensor forward(const Tensor& x) const override { return ops::softmax(x, -1); }
  Tensor inverse(const Tensor& y) const override { return ops::log(y); }
  Tensor log_abs_det_jacobian(const Tensor&, const Tensor&) const override {
    fail(Code::unsupported, "SoftmaxTransform is not one to one: it has no determinant");
  }
  bool bijective() const override { return false; }
  std::string text() const override { return "SoftmaxTransform"; }
};

// n numbers to n + 1 parts of a whole: each breaks off a part of what is left (Carpenter et al., "Stan", Journal of
// Statistical Software 76, 2017).
class StickBreaking final : public VectorTransform {
  // The logarithms of how many parts are still to come: n, ..., 1.
  static Tensor to_come(const Tensor& like, int64_t n) {
    return ops::log(ops::arange(double(n), 0.0, -1.0, like.dtype(), like.device()));
  }
  static Tensor but_last(const Tensor& y) { return ops::narrow(y, -1, 0, y.size(-1) - 1); }
  static Shape longer(IntList shape, int64_t by) {
    if (shape.empty() || shape.back() + by < 0)
      fail(Code::shape, concat("StickBreakingTransform takes vectors, got shape ", shape), {}, "x");
    Shape s(shape);
    s.back() += by;
    return s;
  }
  Tensor forward(const Tensor& x) const override {
    longer(x.sizes(), 1);
    const Tensor z = within_unit(ops::sigmoid(x - to_come(x, x.size(-1)))), left = ops::cumprod(1 - z, -1);
    Shape single(x.sizes());
    single.back() = 1;
    const Tensor one = ops::ones(single, x.dtype(), x.device()), parts[] = {z, one}, before[] = {one, left};
    return ops::cat(parts, -1) * ops::cat(before, -1);
  }
  Tensor inverse(const Tensor& y) const override {
    longer(y.sizes(), -1);
    const Tensor part = but_last(y), left = ops::clamp(1 - ops::cumsum(part, -1), facts_of(y.dtype()).tiny);
    return ops::log(part) - ops::log(left) + to_come(y, part.size(-1));
  }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    longer(x.sizes(), 1);
    longer(y.sizes(), -1);
    const Tensor t = x - to_come(x, x.size(-1));
    return sum_last(ops::logsigmoid(t) - t + ops::log(but_last(y)));
  }
  Shape forward_shape(IntList shape) const override { return longer(shape, 1); }
  Shape inverse_shape(IntList shape) const override { return longer(shape, -1); }
  std::string text() const override { return "StickBreakingTransform"; }
};

class Inverse final : public VariableTransform {
  Ref<VariableTransform> base_;

 public:
  explicit Inverse(Ref<VariableTransform> base) : base_(std::move(base)) {}
  const Ref<VariableTransform>& base() const { return base_; }
  Tensor forward(const Tensor& x) const override { return base_->inverse(x); }
  Tensor inverse(const Tensor& y) const override { return base_->forward(y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    return -base_->log_abs_det_jacobian(y, x);
  }
  int64_t domain_ndim() const override { return base_->codomain_ndim(); }
  int64_t codomain_ndim() const override { return base_->domain_ndim(); }
  bool bijective() const override { return base_->bijective(); }
  Tensor turned(const Tensor& p) const override { return base_->turned(p); }
  Shape forward_shape(IntList shape) const override { return base_->inverse_shape(shape); }
  Shape inverse_shape(IntList shape) const override { return base_->forward_shape(shape); }
  Tensor reaches(const Tensor& y) const override { return base_->takes(y); }
  Tensor takes(const Tensor& x) const override { return base_->reaches(x); }
  std::string reached_text() const override { return concat("the domain of ", base_->text()); }
  std::string text() const override { return concat("_InverseTransform(", base_->text(), ")"); }
  bool same(const VariableTransform& other) const override {
    const auto* o = dynamic_cast<const Inverse*>(&other);
    return o && base_->same(*o->base_);
  }
};

class Joined final : public VariableTransform {
  Ref<VariableTransform> base_;
  int64_t count_;

 public:
  Joined(Ref<VariableTransform> base, int64_t count) : base_(std::move(base)), count_(count) {}
  Tensor forward(const Tensor& x) const override { return base_->forward(checked(x, domain_ndim())); }
  Tensor inverse(const Tensor& y) const override { return base_->inverse(checked(y, codomain_ndim())); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    return sum_behind(base_->log_abs_det_jacobian(x, y), count_);
  }
  int64_t domain_ndim() const override { return base_->domain_ndim() + count_; }
  int64_t codomain_ndim() const override { return base_->codomain_ndim() + count_; }
  bool bijective() const override { return base_->bijective(); }
  Tensor turned(const Tensor& p) const override { return base_->turned(p); }
  Shape forward_shape(IntList shape) const override { return base_->forward_shape(shape); }
  Shape inverse_shape(IntList shape) const override { return base_->inverse_shape(shape); }
  Tensor reaches(const Tensor& y) const override { return all_behind(base_->reaches(y), count_); }
  Tensor takes(const Tensor& x) const override { return all_behind(base_->takes(x), count_); }
  std::string reached_text() const override {
    return concat("IndependentConstraint(", base_->reached_text(), ", ", count_, ")");
  }
  std::string text() const override {
    return concat("IndependentTransform(", base_->text(), ", ", count_, ")");
  }
  bool same(const VariableTransform& other) const override {
    const auto* o = dynamic_cast<const Joined*>(&other);
    return o && o->count_ == count_ && base_->same(*o->base_);
  }

 private:
  static const Tensor& checked(const Tensor& x, int64_t ndim) {
    if (x.ndim() < ndim)
      fail(Code::shape,
           concat("IndependentTransform takes values of at least ", ndim, " dimensions, got shape ",
                  x.sizes()),
           {}, "x");
    return x;
  }
};

class Composition final : public VariableTransform {
  std::vector<Ref<VariableTransform>> parts_;
  int64_t domain_ = 0, codomain_ = 0;

 public:
  explicit Composition(std::vector<Ref<VariableTransform>> parts) : parts_(std::move(parts)) {
    if (parts_.empty()) return;
    domain_ = parts_.back()->codomain_ndim();
    for (size_t i = parts_.size(); i-- > 0;) {
      const VariableTransform& t = *parts_[i];
      domain_ = std::max(domain_ + t.domain_ndim() - t.codomain_ndim(), t.domain_ndim());
    }
    codomain_ = parts_.front()->domain_ndim();
    for (const Ref<VariableTransform>& t : parts_)
      codomain_ = std::max(codomain_ + t->codomain_ndim() - t->domain_ndim(), t->codomain_ndim());
  }
  Tensor forward(const Tensor& given) const override {
    Tensor x = given;
    for (const Ref<VariableTransform>& t : parts_) x = t->forward(x);
    return x;
  }
  Tensor inverse(const Tensor& given) const override {
    Tensor y = given;
    for (size_t i = parts_.size(); i-- > 0;) y = parts_[i]->inverse(y);
    return y;
  }
  Tensor log_abs_det_jacobian(const Tensor& given, const Tensor& y) const override {
    Tensor x = given, all;
    int64_t inside = domain_;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const VariableTransform& t = *parts_[i];
      const Tensor next = i + 1 < parts_.size() ? t.forward(x) : y;
      const Tensor one = sum_behind(t.log_abs_det_jacobian(x, next), inside - t.domain_ndim());
      all = all ? all + one : one;
      inside += t.codomain_ndim() - t.domain_ndim();
      x = next;
    }
    return all ? all : ops::zeros_like(x);
  }
  int64_t domain_ndim() const override { return domain_; }
  int64_t codomain_ndim() const override { return codomain_; }
  bool bijective() const override {
    for (const Ref<VariableTransform>& t : parts_)
      if (!t->bijective()) return false;
    return true;
  }
  Tensor turned(const Tensor& given) const override {
    Tensor p = given;
    for (const Ref<VariableTransform>& t : parts_) p = t->turned(p);
    return p;
  }
  Shape forward_shape(IntList shape) const override {
    Shape s(shape);
    for (const Ref<VariableTransform>& t : parts_) s = t->forward_shape(s);
    return s;
  }
  Shape inverse_shape(IntList shape) const override {
    Shape s(shape);
    for (size_t i = parts_.size(); i-- > 0;) s = parts_[i]->inverse_shape(s);
    return s;
  }
  Tensor reaches(const Tensor& y) const override {
    return parts_.empty() ? satisfies(Constraint::real, y)
                          : all_behind(parts_.back()->reaches(y), codomain_ - parts_.back()->codomain_ndim());
  }
  Tensor takes(const Tensor& x) const override {
    return parts_.empty() ? satisfies(Constraint::real, x)
                          : all_behind(parts_.front()->takes(x), domain_ - parts_.front()->domain_ndim());
  }
  std::string reached_text() const override {
    return parts_.empty() ? constraint_text(Constraint::real) : parts_.back()->reached_text();
  }
  std::string text() const override {
    std::string all;
    for (const Ref<VariableTransform>& t : parts_) all += concat(all.empty() ? "" : ", ", t->text());
    return concat("ComposeTransform([", all, "])");
  }
  bool same(const VariableTransform& other) const override {
    const auto* o = dynamic_cast<const Composition*>(&other);
    if (!o || o->parts_.size() != parts_.size()) return false;
    for (size_t i = 0; i < parts_.size(); ++i)
      if (!parts_[i]->same(*o->parts_[i])) return false;
    return true;
  }
};

struct TransformKind {
  std::string_view name, parameters;
  size_t count;
  Ref<VariableTransform> (*make)(std::span<const Tensor>);
};
using Parameters = std::span<const Tensor>;
constexpr TransformKind kTransforms[] = {
    {"Abs", "none", 0, [](Parameters) -> Ref<VariableTransform> { return make_ref<Abs>(); }},
    {"Affine", "loc and scale", 2,
     [](Parameters p) -> Ref<VariableTransform> { return make_ref<Affine>(float_of(p[0]), float_of(p[1])); }},
    {"CorrCholesky", "none", 0, [](Parameters) { return make_corr_cholesky_transform(); }},
    {"Exp", "none", 0, [](Parameters) -> Ref<VariableTransform> { return make_ref<Exp>(); }},
    {"LowerCholesky", "none", 0, [](Parameters) { return make_lower_cholesky_transform(); }},
    {"PositiveDefinite", "none", 0, [](Parameters) { return make_positive_definite_transform(); }},
    {"Power", "exponent", 1,
     [](Parameters p) -> Ref<VariableTransform> { return make_ref<Power>(float_of(p[0])); }},
    {"Reshape", "in_shape and out_shape", 2, [](Parameters p) { return make_reshape_transform(p[0], p[1]); }},
    {"Sigmoid", "none", 0, [](Parameters) -> Ref<VariableTransform> { return make_ref<Sigmoid>(); }},
    {"Softmax", "none", 0, [](Parameters) -> Ref<VariableTransform> { return make_ref<Softmax>(); }},
    {"Softplus", "none", 0, [](Parameters) -> Ref<VariableTransform> { return make_ref<Softplus>(); }},
    {"StickBreaking", "none", 0,
     [](Parameters) -> Ref<VariableTransform> { return make_ref<StickBreaking>(); }},
    {"Tanh", "none", 0, [](Parameters) -> Ref<VariableTransform> { return make_ref<Tanh>(); }},
};

}  // namespace

Ref<VariableTransform> make_variable_transform(std::string_view name, std::span<const Tensor> parameters) {
  for (const TransformKind& n : kTransforms) {
    if (n.name != name) continue;
    if (parameters.size() != n.count)
      fail(Code::invalid_argument,
           concat(name, " has ", n.count, " parameters (", n.parameters, "), got ", parameters.size()), {},
           "parameters");
    return n.make(parameters);
  }
  fail(Code::invalid_argument, concat("there is no transform \"", name, "\""),
       "docs/distributions.md lists them", "name");
}

Ref<VariableTransform> make_composition(std::vector<Ref<VariableTransform>> parts) {
  return make_ref<Composition>(std::move(parts));
}

Ref<VariableTransform> make_inverse(Ref<VariableTransform> base) {
  if (const auto* twice = dynamic_cast<const Inverse*>(base.get())) return twice->base();
  return make_ref<Inverse>(std::move(base));
}

Ref<VariableTransform> make_independent_transform(Ref<VariableTransform> base, int64_t count) {
  if (count < 0)
    fail(Code::invalid_argument, concat("reinterpreted_batch_ndims must not be negative, got ", count), {},
         "reinterpreted_batch_ndims");
  return make_ref<Joined>(std::move(base), count);
}

}  // namespace haft
