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

Tensor norm_of(const Tensor& x) { return ops::norm(item_size(x.dtype()) == 2 ? ops::cast(x, DType::f32) : x); }

void step_lamb(std::span<const double> o, const Tensor& p, const Tensor& gradient, ParameterState& s) {
  using Option = rules::rule_LAMB<double>;
  const Tensor g = o[Option::maximize] != 0 ? ops::neg(gradient) : gradient, mean = slot(s, 0, p), square = slot(s, 1, p);
  const double step = double(s.step + 1), b1 = o[Option::beta1], b2 = o[Option::beta2];
  ops::lerp_(mean, g, Scalar(1 - b1));
  ops::mul_scalar_(square, Scalar(b2));
  ops::addcmul_(square, g, g, Scalar(1 - b2));
  const Tensor root = ops::sqrt(square);
  ops::mul_scalar_(root, Scalar(1 / std::sqrt(1 - std::pow(b2, step))));
  ops::add_scalar_(root, Scalar(o[Option::eps]));
  const Tensor change = ops::div(mean, root);
  ops::mul_scalar_(change, Scalar(1 / (1 - std::pow(b1, step))));
  if (o[Option::weight_decay] != 0) ops::add_(change, ops::mul_scalar(p, Scalar(o[Option::weight_decay])));
  // Who is zero has no ratio; chosen by operators, so that nobody waits for the device.
  const Tensor length = norm_of(p), of_change = norm_of(change), some = ops::logical_and(ops::gt_scalar(length, Scalar(0.0)), ops::gt_scalar(of_change, Scalar(0.0)));
  const Tensor ratio = ops::where(some, ops::div(length, of_change), ops::ones_like(length));
  ops::sub_(p, ops::mul(change, ops::to(ops::mul_scalar(ratio, Scalar(o[Option::lr])), change.dtype(), change.device())));
}

enum { kRowVar, kColVar, kVariance };

double epsilon_of(DType t) {
  return t == DType::f64 ? 0x1p-52 : t == DType::f16 ? 0x1p-10 : t == DType::bf16 ? 0x1p-7 : 0x1p-23;
}

// Norms stay tensors, so that nobody waits for the device.
void step_adafactor(std::span<const double> o, const Tensor& p, const Tensor& gradient, ParameterState& s) {
  using Option = rules::rule_Adafactor<double>;
  if (p.numel() == 0) return;
  const Tensor g = o[Option::maximize] != 0 ? ops::neg(gradient) : gradient;
  const double step = double(s.step + 1), new_part = std::pow(step, o[Option::beta2_decay]),
               rate = std::min(o[Option::lr], 1 / std::sqrt(step));
  const double root = std::sqrt(double(p.numel())),
               least = o[Option::eps1] < 0 ? epsilon_of(p.dtype()) : o[Option::eps1];
  const Tensor scale = ops::mul_scalar(
      ops::clamp(ops::div_scalar(norm_of(p), Scalar(root)), Scalar(o[Option::eps2])), Scalar(rate));
  if (o[Option::weight_decay] != 0) ops::mul_scalar_(p, Scalar(1 - o[Option::lr] * o[Option::weight_decay]));
  Tensor spread;
  if (p.ndim() > 1) {
    const OptimizerKind& kind = optimizer_kind(OptimizerId::Adafactor);
    for (int k : {kRowVar, kColVar}) {
      const int64_t dim[] = {k == kRowVar ? -1 : -2};
      const Tensor squares =
          ops::div_scalar(ops::square(ops::norm(g, 2, dim, true)), Scalar(double(g.size(int(dim[0])))));
      ops::lerp_(slot(s, k, p, *slot_sizes(kind, size_t(k), p)), ops::to(squares, p.dtype()),
                 Scalar(new_part));
    }
    const int64_t rows[] = {-2};
    spread = ops::div(ops::matmul(s.slots[kRowVar], s.slots[kColVar]),
                      ops::clamp(ops::mean(s.slots[kRowVar], rows, true), Scalar(least)));
  } else {
    ops::lerp_(slot(s, kVariance, p), ops::square(g), Scalar(new_part));
    spread = s.slots[kVariance];
  }
  const Tensor change = ops::mul(ops::rsqrt(ops::clamp(spread, Scalar(least * least))), g);
  const Tensor longer =
      ops::clamp(ops::div_scalar(norm_of(change), Scalar(root * o[Option::d])), Scalar(1.0));
  ops::sub_(p, ops::mul(change, ops::to(ops::div(scale, longer), change.dtype())));
}

// Near U V^T of the singular value decomposition: the singular values go to about 1.
Tensor orthogonal(const Tensor& g, std::span<const double> o) {
  using Option = rules::rule_Muon<double>;
  const bool tall = g.size(0) > g.size(1);
  Tensor x = tall ? ops::transpose(g, 0, 1) : g;
  x = ops::div(x, ops::clamp(ops::norm(x), Scalar(o[Option::eps])));
  for (double k = 0; k < o[Option::ns_steps]; ++k) {
    const Tensor gram = ops::matmul(x, ops::transpose(x, 0, 1));
    x = ops::addmm(x, ops::addmm(gram, gram, gram, Scalar(o[Option::ns_b]), Scalar(o[Option::ns_c])), x, Scalar(o[Option::ns_a]));
  }
  return tall ? ops::transpose(x, 0, 1) : x;
}

void step_muon(std::span<const double> o, const Tensor& p, const Tensor& g, ParameterState& s) {
  using Option = rules::rule_Muon<double>;
  if (p.numel() == 0) return;
  const Tensor mean = slot(s, 0, p);
  ops::lerp_(mean, g, Scalar(1 - o[Option::momentum]));
  Tensor update = o[Option::nesterov] != 0 ? ops::lerp(g, mean, Scalar(o[Option::momentum])) : mean;
  if (item_size(update.dtype()) == 2) update = ops::cast(update, DType::f32);
  const double rows = double(p.size(0)), columns = double(p.size(1));
  const double ratio = o[Option::match_rms_adamw] != 0      ? 0.2 * std::sqrt(std::max(rows, columns))
                       : o[Option::spectral_unclamped] != 0 ? std::sqrt(rows / columns)
                                                            : std::sqrt(std::max(1.0, rows / columns));
  ops::mul_scalar_(p, Scalar(1 - o[Option::lr] * o[Option::weight_decay]));
  ops::sub_(p, ops::to(ops::mul_scalar(orthogonal(update, o), Scalar(o[Option::lr] * ratio)), p.dtype(), p.device()));
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
    fail(Code::shape, concat("Muon: parameter ", number, " has shape ", p.sizes(), ", wanted a matrix"), "give vectors and convolutions to AdamW", "params");
}

void step_whole(const OptimizerKind& kind, std::span<const double> options, const Tensor& p, const Tensor& g, ParameterState& s) {
  if (!std::ranges::equal(p.sizes(), g.sizes()))
    fail(Code::shape, concat(kind.name, ": a gradient has shape ", g.sizes(), ", its parameter ", p.sizes()), {}, "params");
  AutocastOff off;  // its products, too, are of the parameters' precision
  if (kind.id == OptimizerId::LAMB)
    step_lamb(options, p, g, s);
  else if (kind.id == OptimizerId::Adafactor)
    step_adafactor(options, p, g, s);
  else
    step_muon(options, p, g, s);
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
