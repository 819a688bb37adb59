// Transforms of parts of values by others, by their shape alone, and by what a distribution makes of them.
#include <algorithm>
#include <functional>

#include "core/dispatch/host_access.h"
#include "core/distributions/variable_transform.h"

namespace haft {

namespace {

class Reshape final : public VariableTransform {
  Shape in_, out_;

  static Shape exchanged(IntList shape, IntList from, IntList to) {
    if (shape.size() < from.size() || !std::ranges::equal(shape.last(from.size()), from))
      fail(Code::shape, concat("ReshapeTransform takes values that end in ", from, ", got shape ", shape), {},
           "x");
    return joined_shape(shape.first(shape.size() - from.size()), to);
  }
  static Tensor all_real(const Tensor& x, int64_t count) {
    Shape dims;
    for (int64_t i = 1; i <= count; ++i) dims.push_back(-i);
    const Tensor fits = satisfies(Constraint::real, x);
    return count ? ops::all(fits, dims) : fits;
  }

 public:
  Reshape(Shape in, Shape out) : in_(std::move(in)), out_(std::move(out)) {
    const auto odd = [](const Shape& s) { return std::ranges::any_of(s, [](int64_t n) { return n < 0; }); };
    if (odd(in_) || odd(out_) || checked_numel(in_) != checked_numel(out_))
      fail(Code::shape,
           concat("ReshapeTransform: in_shape ", in_, " and out_shape ", out_,
                  " have different numbers of elements"),
           {}, "parameters");
  }
  Tensor forward(const Tensor& x) const override { return ops::reshape(x, forward_shape(x.sizes())); }
  Tensor inverse(const Tensor& y) const override { return ops::reshape(y, inverse_shape(y.sizes())); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return ops::zeros(exchanged(x.sizes(), in_, {}), x.dtype(), x.device());
  }
  int64_t domain_ndim() const override { return in_.size(); }
  int64_t codomain_ndim() const override { return out_.size(); }
  Tensor turned(const Tensor& p) const override { return p; }
  Shape forward_shape(IntList shape) const override { return exchanged(shape, in_, out_); }
  Shape inverse_shape(IntList shape) const override { return exchanged(shape, out_, in_); }
  Tensor reaches(const Tensor& y) const override { return all_real(y, codomain_ndim()); }
  Tensor takes(const Tensor& x) const override { return all_real(x, domain_ndim()); }
  std::string reached_text() const override {
    return concat("IndependentConstraint(Real(), ", codomain_ndim(), ")");
  }
  std::string text() const override { return "ReshapeTransform"; }
  bool same(const VariableTransform& other) const override {
    const auto* o = dynamic_cast<const Reshape*>(&other);
    return o && std::ranges::equal(o->in_, in_) && std::ranges::equal(o->out_, out_);
  }
};

// Each transform has its part along a dimension. Where that is one of those that belong together, the logarithms are
// added; else they stand beside each other as the parts do.
class Cat final : public VariableTransform {
  std::vector<Ref<VariableTransform>> parts_;
  std::vector<int64_t> lengths_;
  int64_t dim_, length_ = 0, ndim_ = 0;

  using Ndim = int64_t (VariableTransform::*)() const;
  using OfPart = std::function<Tensor(const VariableTransform&, const Tensor&, const Tensor&)>;

  // `of` each part of x and of y, y undefined where there is none.
  std::vector<Tensor> each(const Tensor& x, const Tensor& y, const OfPart& of) const {
    for (const Tensor* t : {&x, &y})
      if (*t && (dim_ < -t->ndim() || dim_ >= t->ndim() || t->size(dim_) != length_))
        fail(Code::shape,
             concat("CatTransform takes values of size ", length_, " in dimension ", dim_, ", got shape ",
                    t->sizes()),
             {}, t == &x ? "x" : "y");
    std::vector<Tensor> out;
    int64_t from = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const int64_t n = lengths_[i];
      out.push_back(of(*parts_[i], ops::narrow(x, dim_, from, n), y ? ops::narrow(y, dim_, from, n) : y));
      from += n;
    }
    return out;
  }
  // The dimension from the back, among those that do not belong together: 0 or more where it is one that does.
  int64_t place(const Tensor& x) const { return (dim_ < 0 ? dim_ : dim_ - x.ndim()) + ndim_; }
  static Shape behind(int64_t count) {
    Shape dims;
    for (int64_t i = 1; i <= count; ++i) dims.push_back(-i);
    return dims;
  }
  Tensor fitting(const Tensor& x, bool reached) const {
    const Ndim own = reached ? &VariableTransform::codomain_ndim : &VariableTransform::domain_ndim;
    std::vector<Tensor> all = each(x, {}, [&](const VariableTransform& t, const Tensor& v, const Tensor&) {
      const Tensor fits = reached ? t.reaches(v) : t.takes(v);
      return (t.*own)() < ndim_ ? ops::all(fits, behind(ndim_ - (t.*own)())) : fits;
    });
    if (place(x) < 0) return ops::cat(all, place(x));
    Tensor fits = all[0];
    for (size_t i = 1; i < all.size(); ++i) fits = ops::logical_and(fits, all[i]);
    return fits;
  }

 public:
  Cat(std::vector<Ref<VariableTransform>> parts, std::vector<int64_t> lengths, int64_t dim)
      : parts_(std::move(parts)), lengths_(std::move(lengths)), dim_(dim) {
    if (parts_.empty())
      fail(Code::invalid_argument, "CatTransform wants at least one transform, got none", {}, "parts");
    if (lengths_.empty()) lengths_.assign(parts_.size(), 1);
    if (lengths_.size() != parts_.size() || std::ranges::any_of(lengths_, [](int64_t n) { return n < 0; }))
      fail(Code::invalid_argument,
           concat("CatTransform: ", parts_.size(), " transforms want as many lengths, got ",
                  IntList(lengths_)),
           {}, "lengths");
    for (int64_t n : lengths_)
      if (__builtin_add_overflow(length_, n, &length_))
        fail(Code::invalid_argument,
             concat("CatTransform: no dimension is as long as lengths ", IntList(lengths_)), {}, "lengths");
    for (const Ref<VariableTransform>& t : parts_) {
      if (t->domain_ndim() != t->codomain_ndim())
        fail(Code::unsupported, concat("CatTransform: ", t->text(), " changes the number of dimensions"));
      ndim_ = std::max(ndim_, t->domain_ndim());
    }
  }
  Tensor forward(const Tensor& x) const override {
    return ops::cat(
        each(x, {}, [](const VariableTransform& t, const Tensor& v, const Tensor&) { return t.forward(v); }),
        dim_);
  }
  Tensor inverse(const Tensor& y) const override {
    return ops::cat(
        each(y, {}, [](const VariableTransform& t, const Tensor& v, const Tensor&) { return t.inverse(v); }),
        dim_);
  }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    std::vector<Tensor> all = each(x, y, [&](const VariableTransform& t, const Tensor& v, const Tensor& w) {
      const Tensor one = t.log_abs_det_jacobian(v, w);
      return t.domain_ndim() < ndim_ ? ops::sum(one, behind(ndim_ - t.domain_ndim())) : one;
    });
    if (place(x) < 0) return ops::cat(all, place(x));
    Tensor sum = all[0];
    for (size_t i = 1; i < all.size(); ++i) sum = sum + all[i];
    return sum;
  }
  int64_t domain_ndim() const override { return ndim_; }
  int64_t codomain_ndim() const override { return ndim_; }
  bool bijective() const override {
    return std::ranges::all_of(parts_, [](const Ref<VariableTransform>& t) { return t->bijective(); });
  }
  Tensor turned(const Tensor& p) const override {
    return ops::cat(
        each(p, {}, [](const VariableTransform& t, const Tensor& v, const Tensor&) { return t.turned(v); }),
        dim_);
  }
  Tensor reaches(const Tensor& y) const override { return fitting(y, true); }
  Tensor takes(const Tensor& x) const override { return fitting(x, false); }
  std::string reached_text() const override {
    std::string all;
    for (const Ref<VariableTransform>& t : parts_) all += concat(all.empty() ? "" : ", ", t->reached_text());
    return concat("Cat([", all, "])");
  }
  std::string text() const override {
    std::string all;
    for (const Ref<VariableTransform>& t : parts_) all += concat(all.empty() ? "" : ", ", t->text());
    return concat("CatTransform([", all, "])");
  }
  bool same(const VariableTransform& other) const override {
    const auto* o = dynamic_cast<const Cat*>(&other);
    return o && o->dim_ == dim_ && std::ranges::equal(o->lengths_, lengths_) &&
           std::ranges::equal(o->parts_, parts_, [](const auto& a, const auto& b) { return a->same(*b); });
  }
};

class CumulativeDistribution final : public VariableTransform {
  Ref<Distribution> distribution_;

 public:
  explicit CumulativeDistribution(Ref<Distribution> d) : distribution_(std::move(d)) {
    if (!distribution_->event_shape().empty())
      fail(Code::unsupported,
           concat("CumulativeDistributionTransform wants a distribution of single numbers, got ",
                  distribution_->text()));
  }
  Tensor forward(const Tensor& x) const override { return distribution_->cdf(x); }
  Tensor inverse(const Tensor& y) const override { return distribution_->icdf(y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return distribution_->log_prob(x);
  }
  Shape forward_shape(IntList shape) const override {
    return broadcast_shapes(shape, distribution_->batch_shape(), "CumulativeDistributionTransform");
  }
  Tensor takes(const Tensor& x) const override { return distribution_->in_support(x); }
  Constraint reached() const override { return Constraint::unit_interval; }
  std::string text() const override { return "CumulativeDistributionTransform"; }
  bool same(const VariableTransform& other) const override {
    const auto* o = dynamic_cast<const CumulativeDistribution*>(&other);
    return o && o->distribution_.get() == distribution_.get();
  }
};

Shape numbers_of(const Tensor& sizes) {
  if (sizes.ndim() != 1 || is_float(sizes.dtype()) || sizes.numel() > HAFT_MAX_DIMS)
    fail(Code::shape,
         concat("a shape is a vector of at most ", HAFT_MAX_DIMS, " integers, got shape ", sizes.sizes()), {},
         "parameters");
  Shape out(sizes.numel(), 0);
  copy_to_host(as_dtype(sizes, DType::i64), out.data());
  return out;
}

}  // namespace

Ref<VariableTransform> make_reshape_transform(const Tensor& in_shape, const Tensor& out_shape) {
  return make_ref<Reshape>(numbers_of(in_shape), numbers_of(out_shape));
}

Ref<VariableTransform> make_cat_transform(std::vector<Ref<VariableTransform>> parts,
                                          std::vector<int64_t> lengths, int64_t dim) {
  return make_ref<Cat>(std::move(parts), std::move(lengths), dim);
}

Ref<VariableTransform> make_cumulative_transform(Ref<Distribution> distribution) {
  return make_ref<CumulativeDistribution>(std::move(distribution));
}

}  // namespace haft
