#include "core/optim/whole_steps.h"

#include <cmath>

#include "core/dispatch/autocast_as.h"
#include "core/ops/functions.h"
#include "core/optim/rules.h"

namespace haft {

namespace {

Tensor slot(ParameterState& s, int k, const Tensor& p, IntList sizes) {
  if (!s.slots[k].defined()) s.slots[k] = ops::full(sizes, Scalar(0.0), p.dtype(), p.device());
  return s.slots[k];
}
Tensor slot(ParameterState& s, int k, const Tensor& p) { return slot(s, k, p, p.sizes()); }

Tensor norm_of(const Tensor& x) {
  return ops::norm(item_size(x.dtype()) == 2 ? ops::cast(x, DType::f32) : x);
}

// A factor of a step: a number of the host or, in a recording, one of the device: float64, no dimensions.
struct Factor {
  double value = 0;
  Tensor there;
};

Tensor as(const Tensor& x, DType t) { return x.dtype() == t ? x : ops::cast(x, t); }
DType computed(const Tensor& x) { return x.dtype() == DType::f64 ? DType::f64 : DType::f32; }

// Numbers of the device join in the type that operators compute x in.
template <class F>
Tensor joined(const Tensor& x, const Factor& f, F&& compute) {
  const DType t = computed(x);
  return as(compute(as(x, t), as(f.there, t)), x.dtype());
}
Tensor times(const Tensor& x, const Factor& f) {
  if (!f.there.defined()) return ops::mul_scalar(x, Scalar(f.value));
  return joined(x, f, [](const Tensor& a, const Tensor& b) { return ops::mul(a, b); });
}
void scale_(const Tensor& x, const Factor& f) {
  if (f.there.defined())
    ops::copy_(x, times(x, f));
  else
    ops::mul_scalar_(x, Scalar(f.value));
}
void add_(const Tensor& x, const Factor& f) {
  if (f.there.defined())
    ops::copy_(x, joined(x, f, [](const Tensor& a, const Tensor& b) { return ops::add(a, b); }));
  else
    ops::add_scalar_(x, Scalar(f.value));
}
Tensor mixed(const Tensor& a, const Tensor& b, const Factor& f) {
  return f.there.defined() ? ops::add(a, times(ops::sub(as(b, a.dtype()), a), f))
                           : ops::lerp(a, b, Scalar(f.value));
}
void mix_(const Tensor& a, const Tensor& b, const Factor& f) {
  if (f.there.defined())
    ops::copy_(a, mixed(a, b, f));
  else
    ops::lerp_(a, b, Scalar(f.value));
}

// The options of a recording on its device.
struct Options {
  const Tensor& numbers;
  Tensor operator[](int option) const { return ops::select(numbers, 0, option + 1); }
};
Tensor one_minus(const Tensor& x) { return ops::add_scalar(ops::neg(x), Scalar(1.0)); }

struct LambFactors {
  Factor mix, keep_square, mix_square, root, eps, mean, decay, rate;
};
LambFactors lamb_factors(std::span<const double> o, double step) {
  using Option = rules::rule_LAMB<double>;
  const double b1 = o[Option::beta1], b2 = o[Option::beta2];
  return {{1 - b1, {}},
          {b2, {}},
          {1 - b2, {}},
          {1 / std::sqrt(1 - std::pow(b2, step)), {}},
          {o[Option::eps], {}},
          {1 / (1 - std::pow(b1, step)), {}},
          {o[Option::weight_decay], {}},
          {o[Option::lr], {}}};
}
LambFactors lamb_factors(const RecordedNumbers& now) {
  using Option = rules::rule_LAMB<double>;
  const Options o{now.numbers};
  Tensor step = ops::select(now.numbers, 0, 0);
  if (now.skipped.defined()) step = ops::sub(step, ops::cast(now.skipped, DType::f64));
  const Tensor b1 = o[Option::beta1], b2 = o[Option::beta2];
  auto there = [](Tensor t) { return Factor{0, std::move(t)}; };
  return {there(one_minus(b1)),           there(b2),
          there(one_minus(b2)),           there(ops::reciprocal(ops::sqrt(one_minus(ops::pow(b2, step))))),
          there(o[Option::eps]),          there(ops::reciprocal(one_minus(ops::pow(b1, step)))),
          there(o[Option::weight_decay]), there(o[Option::lr])};
}

void step_lamb(std::span<const double> o, const LambFactors& f, const Tensor& p, const Tensor& gradient,
               ParameterState& s) {
  using Option = rules::rule_LAMB<double>;
  const Tensor g = o[Option::maximize] != 0 ? ops::neg(gradient) : gradient, mean = slot(s, 0, p),
               square = slot(s, 1, p);
  mix_(mean, g, f.mix);
  scale_(square, f.keep_square);
  if (f.mix_square.there.defined())
    ops::add_(square,
              as(times(as(ops::square(as(g, computed(g))), computed(square)), f.mix_square), square.dtype()));
  else
    ops::addcmul_(square, g, g, Scalar(f.mix_square.value));
  const Tensor root = ops::sqrt(square);
  scale_(root, f.root);
  add_(root, f.eps);
  const Tensor change = ops::div(mean, root);
  scale_(change, f.mean);
  if (o[Option::weight_decay] != 0 || f.decay.there.defined()) ops::add_(change, times(p, f.decay));
  // Who is zero has no ratio; chosen by operators, so that nobody waits for the device.
  const Tensor length = norm_of(p), of_change = norm_of(change),
               some = ops::logical_and(ops::gt_scalar(length, Scalar(0.0)),
                                       ops::gt_scalar(of_change, Scalar(0.0)));
  const Tensor ratio = ops::where(some, ops::div(length, of_change), ops::ones_like(length));
  ops::sub_(p, ops::mul(change, ops::to(times(ratio, f.rate), change.dtype(), change.device())));
}

struct MuonFactors {
  Factor mix, momentum, shrink, rate, eps, a, b, c;
};
double muon_ratio(std::span<const double> o, const Tensor& p) {
  using Option = rules::rule_Muon<double>;
  const double rows = double(p.size(0)), columns = double(p.size(1));
  return o[Option::match_rms_adamw] != 0      ? 0.2 * std::sqrt(std::max(rows, columns))
         : o[Option::spectral_unclamped] != 0 ? std::sqrt(rows / columns)
                                              : std::sqrt(std::max(1.0, rows / columns));
}
MuonFactors muon_factors(std::span<const double> o, const Tensor& p) {
  using Option = rules::rule_Muon<double>;
  return {{1 - o[Option::momentum], {}},
          {o[Option::momentum], {}},
          {1 - o[Option::lr] * o[Option::weight_decay], {}},
          {o[Option::lr] * muon_ratio(o, p), {}},
          {o[Option::eps], {}},
          {o[Option::ns_a], {}},
          {o[Option::ns_b], {}},
          {o[Option::ns_c], {}}};
}
MuonFactors muon_factors(std::span<const double> options, const RecordedNumbers& now, const Tensor& p) {
  using Option = rules::rule_Muon<double>;
  const Options o{now.numbers};
  auto there = [](Tensor t) { return Factor{0, std::move(t)}; };
  return {there(one_minus(o[Option::momentum])),
          there(o[Option::momentum]),
          there(one_minus(ops::mul(o[Option::lr], o[Option::weight_decay]))),
          there(ops::mul_scalar(o[Option::lr], Scalar(muon_ratio(options, p)))),
          there(o[Option::eps]),
          there(o[Option::ns_a]),
          there(o[Option::ns_b]),
          there(o[Option::ns_c])};
}

enum { kRowVar, kColVar, kVariance };

double epsilon_of(DType t) {
  return t == DType::f64 ? 0x1p-52 : t == DType::f16 ? 0x1p-10 : t == DType::bf16 ? 0x1p-7 : 0x1p-23;
}

struct AdafactorFactors {
  Factor new_part, rate, shrink, shortest, least, least_square, per_clip;
};
double least_of(std::span<const double> o, const Tensor& p) {
  const double eps1 = o[rules::rule_Adafactor<double>::eps1];
  return eps1 < 0 ? epsilon_of(p.dtype()) : eps1;
}
AdafactorFactors adafactor_factors(std::span<const double> o, double step, const Tensor& p) {
  using Option = rules::rule_Adafactor<double>;
  const double least = least_of(o, p);
  return {{std::pow(step, o[Option::beta2_decay]), {}},
          {std::min(o[Option::lr], 1 / std::sqrt(step)), {}},
          {1 - o[Option::lr] * o[Option::weight_decay], {}},
          {o[Option::eps2], {}},
          {least, {}},
          {least * least, {}},
          {1 / o[Option::d], {}}};
}
AdafactorFactors adafactor_factors(std::span<const double> options, const RecordedNumbers& now,
                                   const Tensor& p) {
  using Option = rules::rule_Adafactor<double>;
  const Options o{now.numbers};
  Tensor step = ops::select(now.numbers, 0, 0);
  if (now.skipped.defined()) step = ops::sub(step, ops::cast(now.skipped, DType::f64));
  auto there = [](Tensor t) { return Factor{0, std::move(t)}; };
  const Tensor least = options[Option::eps1] < 0
                           ? ops::full({}, Scalar(epsilon_of(p.dtype())), DType::f64, p.device())
                           : o[Option::eps1];
  return {there(ops::pow(step, o[Option::beta2_decay])),
          there(ops::minimum(o[Option::lr], ops::rsqrt(step))),
          there(one_minus(ops::mul(o[Option::lr], o[Option::weight_decay]))),
          there(o[Option::eps2]),
          there(least),
          there(ops::square(least)),
          there(ops::reciprocal(o[Option::d]))};
}
Tensor at_least(const Tensor& x, const Factor& f) {
  return f.there.defined() ? ops::maximum(x, as(f.there, x.dtype())) : ops::clamp(x, Scalar(f.value));
}

// Norms stay tensors, so that nobody waits for the device.
void step_adafactor(std::span<const double> o, const AdafactorFactors& f, const Tensor& p,
                    const Tensor& gradient, ParameterState& s) {
  using Option = rules::rule_Adafactor<double>;
  if (p.numel() == 0) return;
  const Tensor g = o[Option::maximize] != 0 ? ops::neg(gradient) : gradient;
  const Scalar root(std::sqrt(double(p.numel())));
  const Tensor scale = times(at_least(ops::div_scalar(norm_of(p), root), f.shortest), f.rate);
  if (f.shrink.there.defined() || o[Option::weight_decay] != 0) scale_(p, f.shrink);
  Tensor spread;
  if (p.ndim() > 1) {
    const OptimizerKind& kind = optimizer_kind(OptimizerId::Adafactor);
    for (int k : {kRowVar, kColVar}) {
      const int64_t dim[] = {k == kRowVar ? -1 : -2};
      const Tensor squares =
          ops::div_scalar(ops::square(ops::norm(g, 2, dim, true)), Scalar(double(g.size(int(dim[0])))));
      mix_(slot(s, k, p, *slot_sizes(kind, size_t(k), p)), as(squares, p.dtype()), f.new_part);
    }
    const int64_t rows[] = {-2};
    spread = ops::div(ops::matmul(s.slots[kRowVar], s.slots[kColVar]),
                      at_least(ops::mean(s.slots[kRowVar], rows, true), f.least));
  } else {
    mix_(slot(s, kVariance, p), ops::square(g), f.new_part);
    spread = s.slots[kVariance];
  }
  const Tensor change = ops::mul(ops::rsqrt(at_least(spread, f.least_square)), g);
  const Tensor longer = ops::clamp(times(ops::div_scalar(norm_of(change), root), f.per_clip), Scalar(1.0));
  ops::sub_(p, ops::mul(change, as(ops::div(scale, longer), change.dtype())));
}

// Near U V^T of the singular value decomposition: the singular values go to about 1.
Tensor orthogonal(const Tensor& g, std::span<const double> o, const MuonFactors& f) {
  using Option = rules::rule_Muon<double>;
  const bool tall = g.size(0) > g.size(1), there = f.eps.there.defined();
  Tensor x = tall ? ops::transpose(g, 0, 1) : g;
  const Tensor norm = ops::norm(x);
  x = ops::div(
      x, there ? ops::maximum(norm, as(f.eps.there, norm.dtype())) : ops::clamp(norm, Scalar(f.eps.value)));
  for (double k = 0; k < o[Option::ns_steps]; ++k) {
    const Tensor gram = ops::matmul(x, ops::transpose(x, 0, 1));
    if (there) {
      const Tensor sum = ops::add(times(gram, f.b), times(ops::matmul(gram, gram), f.c));
      x = ops::add(times(x, f.a), ops::matmul(sum, x));
    } else {
      x = ops::addmm(x, ops::addmm(gram, gram, gram, Scalar(f.b.value), Scalar(f.c.value)), x,
                     Scalar(f.a.value));
    }
  }
  return tall ? ops::transpose(x, 0, 1) : x;
}

void step_muon(std::span<const double> o, const MuonFactors& f, const Tensor& p, const Tensor& g,
               ParameterState& s) {
  using Option = rules::rule_Muon<double>;
  if (p.numel() == 0) return;
  const Tensor mean = slot(s, 0, p);
  mix_(mean, g, f.mix);
  Tensor update = o[Option::nesterov] != 0 ? mixed(g, mean, f.momentum) : mean;
  if (item_size(update.dtype()) == 2) update = ops::cast(update, DType::f32);
  scale_(p, f.shrink);
  ops::sub_(p, ops::to(times(orthogonal(update, o, f), f.rate), p.dtype(), p.device()));
}

void check_step(const OptimizerKind& kind, const Tensor& p, const Tensor& g) {
  if (!std::ranges::equal(p.sizes(), g.sizes()))
    fail(Code::shape, concat(kind.name, ": a gradient has shape ", g.sizes(), ", its parameter ", p.sizes()),
         {}, "params");
}

}  // namespace

std::optional<Shape> slot_sizes(const OptimizerKind& kind, size_t k, const Tensor& p) {
  Shape sizes(p.sizes());
  if (kind.id != OptimizerId::Adafactor) return sizes;
  if ((p.ndim() > 1) == (k == kVariance)) return {};
  if (k != kVariance) sizes[p.ndim() - (k == kRowVar ? 1 : 2)] = 1;
  return sizes;
}

void check_whole(const OptimizerKind& kind, const Tensor& p, int64_t number) {
  if (kind.id == OptimizerId::Muon && p.ndim() != 2)
    fail(Code::shape, concat("Muon: parameter ", number, " has shape ", p.sizes(), ", wanted a matrix"),
         "give vectors and convolutions to AdamW", "params");
}

void step_whole(const OptimizerKind& kind, std::span<const double> options, const Tensor& p, const Tensor& g,
                ParameterState& s) {
  check_step(kind, p, g);
  AutocastOff off;  // its products, too, are of the parameters' precision
  if (kind.id == OptimizerId::LAMB)
    step_lamb(options, lamb_factors(options, double(s.step + 1)), p, g, s);
  else if (kind.id == OptimizerId::Adafactor)
    step_adafactor(options, adafactor_factors(options, double(s.step + 1), p), p, g, s);
  else
    step_muon(options, muon_factors(options, p), p, g, s);
}

void record_whole_step(const OptimizerKind& kind, std::span<const double> options, const RecordedNumbers& now,
                       const Tensor& p, const Tensor& g, ParameterState& s) {
  check_step(kind, p, g);
  AutocastOff off;
  std::vector<Tensor> written{p}, before;
  for (const Tensor& t : s.slots)
    if (t.defined()) written.push_back(t);
  if (now.found.defined())
    for (const Tensor& t : written) before.push_back(ops::clone(t));
  if (kind.id == OptimizerId::LAMB)
    step_lamb(options, lamb_factors(now), p, g, s);
  else if (kind.id == OptimizerId::Adafactor)
    step_adafactor(options, adafactor_factors(options, now, p), p, g, s);
  else
    step_muon(options, muon_factors(options, now, p), p, g, s);
  if (before.empty()) return;
  const Tensor stepped = ops::eq_scalar(ops::reshape(now.found, Shape{}), Scalar(0.0));
  for (size_t i = 0; i < written.size(); ++i)
    ops::copy_(written[i], ops::where(stepped, written[i], before[i]));
}

void step_row_momentum(std::span<const double> o, const Tensor& p, const RowGradient& rows,
                       ParameterState& s) {
  using Option = rules::rule_SGD<double>;
  const bool fresh = !s.slots[0].defined();
  const Tensor mean = slot(s, 0, p), g = o[Option::maximize] != 0 ? ops::neg(rows.values) : rows.values;
  if (!fresh) ops::mul_scalar_(mean, Scalar(o[Option::momentum]));
  ops::index_add_(mean, 0, rows.indices, fresh ? g : ops::mul_scalar(g, Scalar(1 - o[Option::dampening])));
  const bool ahead = o[Option::nesterov] != 0;
  if (ahead) ops::index_add_(p, 0, rows.indices, ops::mul_scalar(g, Scalar(-o[Option::lr])));
  const Tensor one = ops::ones({}, p.dtype(), p.device());
  ops::addcmul_(p, mean, one, Scalar(ahead ? -o[Option::lr] * o[Option::momentum] : -o[Option::lr]));
}

}  // namespace haft
