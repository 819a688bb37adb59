#include "core/distributions/distribution.h"

#include <algorithm>
#include <cfloat>

#include "core/dispatch/defaults.h"
#include "core/dispatch/host_access.h"
#include "core/schema/module_text.h"

namespace haft {

// ---- the kinds ----

#define DISTRIBUTION(name, ...) Ref<Distribution> new_##name();
#include "core/schema/distributions.def"

namespace {

DistributionKind read_kind(const char* name, const char* support, std::string_view abilities,
                           std::initializer_list<const char*> items, Ref<Distribution> (*make)()) {
  DistributionKind kind{.name = name,
                        .support = constraint_of(support),
                        .rsample = abilities.find("rsample") != abilities.npos,
                        .enumerates = abilities.find("enumerate") != abilities.npos,
                        .parameters = {},
                        .make = make};
  for (const char* text : items) {
    const ParameterText t = parse_parameter(text);
    DistributionKind::Parameter p{.name = std::string(t.name),
                                  .constraint = constraint_of(t.type),
                                  .either = t.name.ends_with('?'),
                                  .has_default = !t.default_value.empty(),
                                  .default_value = detail::number(t.default_value)};
    if (p.either) p.name.pop_back();
    kind.parameters.push_back(std::move(p));
  }
  return kind;
}

std::span<const DistributionKind> kinds() {
  static const DistributionKind all[] = {
#define DISTRIBUTION(name, support, abilities, doc, ...) \
  read_kind(#name, #support, abilities, {__VA_ARGS__}, new_##name),
#include "core/schema/distributions.def"
  };
  return all;
}

}  // namespace

int DistributionKind::find(std::string_view parameter) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == parameter) return int(i);
  return -1;
}

const DistributionKind& distribution_kind(std::string_view name) {
  for (const DistributionKind& k : kinds())
    if (k.name == name) return k;
  fail(Code::invalid_argument, concat("there is no distribution \"", name, "\""),
       "docs/distributions.md lists them", "name");
}

// ---- making one ----

bool all_true(const Tensor& condition) { return item(ops::all(condition)).to<bool>(); }

FloatFacts facts_of(DType t) {
  switch (t) {
    case DType::f64: return {DBL_EPSILON, DBL_MIN, -DBL_MAX};
    case DType::f16: return {0.0009765625, 6.103515625e-05, -65504};
    case DType::bf16: return {0.0078125, FLT_MIN, -3.3895313892515355e38};
    default: return {FLT_EPSILON, FLT_MIN, -FLT_MAX};
  }
}

namespace {

// Numbers take the type of what has dimensions, and go to its device; among equals the wider type counts.
void meet(std::vector<Tensor>& all) {
  DType t = DType::none;
  Device d;
  for (const bool numbers : {false, true}) {
    if (is_float(t)) break;
    for (const Tensor& x : all) {
      if (!x || (x.ndim() == 0) != numbers) continue;
      if (t == DType::none) d = x.device();
      if (t == DType::none || !is_float(t))
        t = x.dtype();
      else if (is_float(x.dtype()))
        t = promote(t, x.dtype());
    }
  }
  if (!is_float(t)) t = default_float();
  for (Tensor& x : all) {
    if (!x) continue;
    if (x.device() != d && x.ndim() == 0) x = ops::to(x, DType::none, d);
    x = as_dtype(x, t);
  }
}

// The first value that does not hold, with its place.
std::string found_text(const Tensor& x, const Tensor& holds) {
  const Tensor place = ops::select(ops::nonzero(ops::logical_not(holds)), 0, 0);
  Shape at(place.numel());
  copy_to_host(place, at.data());
  Tensor value = x;
  for (int64_t i : at) value = ops::select(value, 0, i);
  const std::string where = at.empty() ? std::string() : concat(" at ", at);
  if (value.numel() == 1) return concat(item(value).to_double(), where);
  return concat("a value of shape ", value.sizes(), " that starts with ",
                item(ops::select(ops::reshape(value, Shape{value.numel()}), 0, 0)).to_double(), where);
}

void check_parameter(const DistributionKind& kind, const DistributionKind::Parameter& is, const Tensor& x) {
  const Tensor plain = ops::detach(x), fits = satisfies(is.constraint, plain);
  if (all_true(fits)) return;
  fail(Code::invalid_argument,
       concat("Expected parameter ", is.name, " (Tensor of shape ", x.sizes(), ") of distribution ",
              kind.name, " to satisfy the constraint ", constraint_text(is.constraint),
              ", but found invalid values: ", found_text(plain, fits)),
       {}, is.name);
}

// Exactly one of the alternatives.
void check_choice(const DistributionKind& kind, std::span<const Tensor> all) {
  std::string names;
  int given = 0, choices = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const DistributionKind::Parameter& is = kind.parameters[i];
    if (is.either) {
      names += concat(choices++ ? " or `" : "`", is.name, "`");
      given += bool(all[i]);
    } else if (!all[i]) {
      fail(Code::invalid_argument, concat(kind.name, ": the parameter ", is.name, " is absent"), {}, is.name);
    }
  }
  if (choices && given != 1)
    fail(Code::invalid_argument,
         choices == 2 ? concat("Either ", names, " must be specified, but not both.")
                      : concat("Exactly one of ", names, " must be specified, got ", given, "."),
         {}, "parameters");
}

IntList without(IntList sizes, int64_t last) { return sizes.first(sizes.size() - size_t(last)); }

}  // namespace

Shape joined_shape(IntList a, IntList b) {
  Shape out(a);
  if (!b.empty()) out.append(b.data(), int64_t(b.size()));
  return out;
}

Ref<Distribution> make_distribution(const DistributionKind& kind, std::vector<Tensor> given, bool validates) {
  if (given.size() > kind.parameters.size())
    fail(Code::invalid_argument,
         concat(kind.name, " has ", kind.parameters.size(), " parameters, got ", given.size()), {},
         "parameters");
  given.resize(kind.parameters.size());
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i] && kind.parameters[i].has_default)
      given[i] = ops::full({}, kind.parameters[i].default_value, default_float());
  check_choice(kind, given);
  meet(given);
  Ref<Distribution> d = kind.make();
  d->kind_ = &kind;
  d->validates_ = validates;
  for (size_t i = 0; i < given.size(); ++i) {
    const DistributionKind::Parameter& is = kind.parameters[i];
    const int64_t inside = event_ndim(is.constraint);
    if (!given[i]) continue;
    if (given[i].ndim() < inside)
      fail(Code::shape,
           concat("`", is.name, "` parameter must be at least ", inside == 1 ? "one" : "two",
                  "-dimensional, got shape ", given[i].sizes()),
           {}, is.name);
    if (is.constraint == Constraint::number) {
      if (given[i].numel() != 1)
        fail(Code::shape, concat(kind.name, ": ", is.name, " is one number, got shape ", given[i].sizes()),
             {}, is.name);
      given[i] = ops::reshape(given[i], Shape());
      continue;
    }
    const IntList sizes = given[i].sizes(), own = sizes.last(size_t(inside));
    d->batch_ = broadcast_shapes(d->batch_, without(sizes, inside), kind.name.c_str());
    if (event_ndim(kind.support) && inside && is.constraint != Constraint::real_matrix)
      d->event_ = broadcast_shapes(d->event_, own.last(1), kind.name.c_str());
  }
  if (event_ndim(kind.support) == 2) d->event_ = joined_shape(d->event_, d->event_);
  for (size_t i = 0; i < given.size(); ++i) {
    const int64_t inside = event_ndim(kind.parameters[i].constraint);
    if (!given[i] || kind.parameters[i].constraint == Constraint::number) continue;
    const Shape sizes = joined_shape(d->batch_, given[i].sizes().last(size_t(inside)));
    if (!std::ranges::equal(sizes, given[i].sizes())) given[i] = ops::expand(given[i], sizes);
  }
  d->parameters_ = std::move(given);
  // What is derived from the parameters may be asked before they are known to fit, never be used.
  d->prepare();
  if (validates) {
    for (size_t i = 0; i < kind.parameters.size(); ++i)
      if (d->parameters_[i]) check_parameter(kind, kind.parameters[i], d->parameters_[i]);
    d->check();
  }
  return d;
}

Ref<Distribution> Distribution::expand(IntList batch_shape) const {
  const Shape all = broadcast_shapes(batch_, batch_shape, "expand");
  if (!std::ranges::equal(all, batch_shape))
    fail(Code::shape, concat(kind_->name, " of batch_shape ", batch_, " does not expand to ", batch_shape),
         {}, "batch_shape");
  return expanded(batch_shape);
}

Ref<Distribution> Distribution::expanded(IntList batch_shape) const {
  Ref<Distribution> d = kind_->make();
  d->kind_ = kind_;
  d->batch_ = Shape(batch_shape);
  d->event_ = event_;
  d->validates_ = validates_;
  d->parameters_ = parameters_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor& x = d->parameters_[i];
    if (x && kind_->parameters[i].constraint != Constraint::number)
      x = ops::expand(
          x, joined_shape(batch_shape, x.sizes().last(size_t(event_ndim(kind_->parameters[i].constraint)))));
  }
  d->prepare();
  return d;
}

// ---- asking it ----

void Distribution::fail_absent(const char* what) const {
  fail(Code::unsupported, concat(kind_->name, " has no ", what), "docs/distributions.md tells what each has");
}

Tensor Distribution::sample(IntList shape, Generator* gen) const {
  NoGradGuard none;
  return draw(joined_shape(joined_shape(shape, batch_), event_), gen);
}

Tensor Distribution::rsample(IntList shape, Generator* gen) const {
  if (!has_rsample()) fail_absent("rsample: its samples have no gradient");
  return draw(joined_shape(joined_shape(shape, batch_), event_), gen);
}

void Distribution::check_value(const Tensor& value, const char* what) const {
  const IntList sizes = value.sizes();
  const size_t inside = size_t(event_.size());
  if (sizes.size() < inside || !std::ranges::equal(sizes.last(inside), IntList(event_)))
    fail(Code::shape,
         concat(kind_->name, ".", what, ": The right-most size of value must match event_shape: ", sizes,
                " vs ", event_),
         {}, "value");
  const Shape own = joined_shape(batch_, event_);
  for (size_t i = 1; i <= std::min(sizes.size(), size_t(own.size())); ++i) {
    const int64_t a = sizes[sizes.size() - i], b = own[own.size() - int64_t(i)];
    if (a != 1 && b != 1 && a != b)
      fail(Code::shape,
           concat(kind_->name, ".", what,
                  ": Value is not broadcastable with batch_shape+event_shape: ", sizes, " vs ", own),
           {}, "value");
  }
  if (!validates_) return;
  const Tensor plain = ops::detach(value), fits = holds(plain);
  if (all_true(fits)) return;
  fail(Code::invalid_argument,
       concat("Expected value argument (Tensor of shape ", sizes, ") to be within the support (",
              support_text(), ") of the distribution ", text(),
              ", but found invalid values: ", found_text(plain, fits)),
       {}, "value");
}

Tensor Distribution::in_support(const Tensor& value) const {
  const size_t inside = size_t(event_.size());
  if (size_t(value.ndim()) < inside)
    fail(Code::shape, concat("a value of ", kind_->name, " has shape ", event_, ", got ", value.sizes()), {},
         "value");
  return holds(ops::detach(value));
}

Tensor Distribution::log_prob(const Tensor& value) const {
  check_value(value, "log_prob");
  return log_density(value);
}

Tensor Distribution::cdf(const Tensor& value) const {
  check_value(value, "cdf");
  return below(value);
}

Tensor Distribution::icdf(const Tensor& probability) const {
  if (validates_ && !all_true(satisfies(Constraint::unit_interval, ops::detach(probability))))
    fail(Code::invalid_argument, concat(kind_->name, ".icdf takes probabilities from 0 to 1"), {}, "value");
  return quantile(probability);
}

Tensor Distribution::enumerate_support(bool expand) const {
  if (!has_enumerate_support()) fail_absent("enumerate_support: its values cannot be listed");
  const Tensor all = values();
  const int64_t n[] = {all.size(0)};
  const Tensor apart = ops::reshape(all, joined_shape(joined_shape(n, Shape(batch_.size(), 1)), event_));
  return expand ? ops::expand(apart, joined_shape(joined_shape(n, batch_), event_)) : apart;
}

Tensor Distribution::mean() const { fail_absent("mean"); }
Tensor Distribution::mode() const { fail_absent("mode"); }
Tensor Distribution::variance() const { fail_absent("variance"); }
Tensor Distribution::entropy() const { fail_absent("entropy"); }
Tensor Distribution::below(const Tensor&) const { fail_absent("cdf"); }
Tensor Distribution::quantile(const Tensor&) const { fail_absent("icdf"); }
Tensor Distribution::values() const { fail_absent("enumerate_support"); }

Tensor Distribution::parameter(std::string_view name) const {
  const int i = kind_->find(name);
  return i < 0 ? Tensor() : p(i);
}

std::string Distribution::text() const {
  std::string out = kind_->name + "(";
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& x = parameters_[i];
    if (!x) continue;
    out += concat(out.back() == '(' ? "" : ", ", kind_->parameters[i].name, ": ");
    out += x.numel() == 1 ? concat(item(x).to_double()) : concat(x.sizes());
  }
  return out + ")";
}

Tensor Distribution::open_numbers(IntList shape, Generator* gen) const {
  const FloatFacts f = facts_of(dtype());
  return ops::clamp(uniform_numbers(shape, gen), f.tiny, 1 - f.eps);
}

}  // namespace haft
