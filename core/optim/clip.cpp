#include "core/optim/clip.h"

#include <algorithm>

#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"

namespace haft {

namespace {

bool is_half(const Tensor& g) { return item_size(g.dtype()) == 2; }
// Whether one call of an operator over lists takes them.
bool are_together(std::span<const Tensor> gradients) {
  return std::ranges::all_of(
      gradients, [&](const Tensor& g) { return is_float(g.dtype()) && g.device() == gradients[0].device(); });
}

// No memory twice, as of a weight that two modules list: it is scaled for each, one after the other.
bool are_distinct(std::span<const Tensor> gradients) {
  std::vector<const void*> places;
  for (const Tensor& g : gradients)
    if (g.numel()) places.push_back(g.view().data);
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) == places.end();
}

}  // namespace

void check_gradients_here(const char* what, std::span<const Tensor> parameters) {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (const char* taker = gradient_taker(parameters[i]); taker && !gradient_of(parameters[i]).defined())
      fail(Code::invalid_argument,
           concat(what, ": the gradient of parameter ", int64_t(i), " is kept in parts by ", taker),
           "call clip_grad_norm of that optimizer, on all ranks", "params");
}

std::vector<Tensor> gradients_of(std::span<const Tensor> parameters) {
  std::vector<Tensor> out;
  for (const Tensor& p : parameters)
    if (Tensor g = gradient_of(p); g.defined())
      out.push_back(is_rows(g) ? coalesce_in_place(g).values : std::move(g));
  return out;
}

void check_clip(double max_norm, double norm_type) {
  if (!(max_norm >= 0))
    fail(Code::invalid_argument, concat("clip_grad_norm: max_norm must not be negative, got ", max_norm), {},
         "max_norm");
  if (!(norm_type > 0))
    fail(Code::invalid_argument, concat("clip_grad_norm: norm_type must be positive, got ", norm_type), {},
         "norm_type");
}

Tensor norms_of(std::span<const Tensor> gradients, double norm_type) {
  if (norm_type == 2 && are_together(gradients)) return ops::foreach_norm(gradients);
  std::vector<Tensor> norms;
  for (const Tensor& g : gradients)
    norms.push_back(ops::to(ops::norm(g, norm_type), is_half(g) ? DType::f32 : real_dtype(g.dtype()),
                            gradients[0].device()));
  return ops::stack(norms);
}

void scale_to_norm(std::span<const Tensor> gradients, const Tensor& norm, double max_norm) {
  // Multiplied also where it is 1, which is exact: nobody waits for the device to look at the norm.
  const Tensor scale =
      ops::clamp(ops::rdiv_scalar(ops::add_scalar(norm, 1e-6), Scalar(max_norm)), Scalar(), Scalar(1.0));
  if (!gradients.empty() && are_together(gradients) && are_distinct(gradients)) {
    const Tensor here = ops::to(scale, DType::none, gradients[0].device());
    return ops::foreach_mul(int64_t(gradients.size()), gradients, {&here, 1});
  }
  for (const Tensor& g : gradients) {
    const Tensor here = ops::to(scale, DType::none, g.device());
    if (is_half(g))  // a 16-bit factor would have three digits
      ops::copy_(g, ops::mul(ops::cast(g, DType::f32), here));
    else
      ops::mul_(g, here);
  }
}

Tensor clip_grad_norm(std::span<const Tensor> parameters, double max_norm, double norm_type) {
  check_clip(max_norm, norm_type);
  check_gradients_here("clip_grad_norm", parameters);
  NoGradGuard no_grad;
  const std::vector<Tensor> grads = gradients_of(parameters);
  if (grads.empty()) return ops::zeros({});
  const Tensor norm = ops::norm(norms_of(grads, norm_type), norm_type);
  scale_to_norm(grads, norm, max_norm);
  return norm;
}

void clip_grad_value(std::span<const Tensor> parameters, double limit) {
  if (!(limit >= 0))
    fail(Code::invalid_argument, concat("clip_grad_value: limit must not be negative, got ", limit), {},
         "limit");
  check_gradients_here("clip_grad_value", parameters);
  NoGradGuard no_grad;
  for (const Tensor& g : gradients_of(parameters)) ops::clamp_(g, Scalar(-limit), Scalar(limit));
}

}  // namespace haft
