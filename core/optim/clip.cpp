#include "core/optim/clip.h"

#include <vector>

#include "core/dispatch/host_access.h"
#include "core/tape/tape.h"
#include "core/ops/functions.h"

namespace haft {

namespace {

std::vector<Tensor> gradients_of(std::span<const Tensor> parameters) {
  std::vector<Tensor> out;
  for (const Tensor& p : parameters)
    if (Tensor g = gradient_of(p); g.defined()) out.push_back(std::move(g));
  return out;
}

}  // namespace

double clip_grad_norm(std::span<const Tensor> parameters, double max_norm, double norm_type) {
  if (!(max_norm >= 0))
    fail(Code::invalid_argument, concat("clip_grad_norm: max_norm must not be negative, got ", max_norm), {},
         "max_norm");
  if (!(norm_type > 0))
    fail(Code::invalid_argument, concat("clip_grad_norm: norm_type must be positive, got ", norm_type), {},
         "norm_type");
  NoGradGuard no_grad;
  std::vector<Tensor> grads = gradients_of(parameters), norms;
  if (grads.empty()) return 0;
  // One value to wait for, however many gradients there are.
  Device device = grads[0].device();
  for (const Tensor& g : grads) {
    Tensor n = ops::norm(g, norm_type);
    norms.push_back(n.device() == device ? n : copy_to_device(n, device));
  }
  double norm = item(ops::norm(ops::stack(norms), norm_type)).to_double();
  double scale = max_norm / (norm + 1e-6);
  if (!(scale >= 1))
    for (const Tensor& g : grads) ops::mul_scalar_(g, Scalar(scale));
  return norm;
}

void clip_grad_value(std::span<const Tensor> parameters, double limit) {
  if (!(limit >= 0))
    fail(Code::invalid_argument, concat("clip_grad_value: limit must not be negative, got ", limit), {},
         "limit");
  NoGradGuard no_grad;
  for (const Tensor& g : gradients_of(parameters)) ops::clamp_(g, Scalar(-limit), Scalar(limit));
}

}  // namespace haft
