#include "core/optim/whole_steps.h"

#include <cmath>

#include "core/dispatch/autocast_as.h"
#include "core/ops/functions.h"
#include "core/optim/rules.h"

namespace haft {

namespace {

Tensor slot(ParameterState& s, int k, const Tensor& p) {
  if (!s.slots[k].defined()) s.slots[k] = ops::full(p.sizes(), Scalar(0.0), p.dtype(), p.device());
  return s.slots[k];
}

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
  else
    step_muon(options, p, g, s);
}

}  // namespace haft
