#include "core/parallel/gradients.h"

#include <cmath>

#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/ops/functions.h"
#include "core/optim/clip.h"
#include "core/parallel/calls.h"

namespace haft::parallel {

namespace {

constexpr int64_t kAlone = 64 << 10;  // bytes from which a gradient travels where it lies

double number(const Tensor& t) { return *ops::to(t, DType::f64, Device{}).data<double>(); }

}  // namespace

void join_gradients(dist::Group& g, std::span<const Tensor> parameters, dist::ReduceOp op) {
  NoGradGuard off;
  std::vector<std::vector<Tensor>> small;  // by type
  std::vector<Tensor> large;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& p = parameters[i];
    if (!p.requires_grad()) continue;
    Tensor grad = gradient_of(p);
    if (!grad) set_gradient(p, grad = ops::zeros_like(ops::detach(p)));
    if (is_rows(grad)) set_gradient(p, grad = to_dense(grad));
    if (grad.bytes() >= kAlone) {
      large.push_back(std::move(grad));
      continue;
    }
    auto of_type =
        std::ranges::find_if(small, [&](const auto& list) { return list[0].dtype() == grad.dtype(); });
    if (of_type == small.end()) of_type = small.insert(small.end(), std::vector<Tensor>());
    of_type->push_back(std::move(grad));
  }
  for (const Tensor& grad : large) g.run(all_reduce_job(grad, op));
  for (const std::vector<Tensor>& list : small) {
    std::vector<Tensor> flat;
    for (const Tensor& grad : list) flat.push_back(ops::flatten(grad));
    const Tensor all = ops::cat(flat);
    g.run(all_reduce_job(all, op));
    int64_t begin = 0;
    for (const Tensor& grad : list) {
      ops::copy_(grad, ops::reshape(ops::narrow(all, 0, begin, grad.numel()), grad.sizes()));
      begin += grad.numel();
    }
  }
}

double norm_over_ranks(dist::Group& g, std::span<const Tensor> gradients, std::span<const int64_t> copies,
                       double norm_type) {
  const bool largest = std::isinf(norm_type);
  std::vector<Tensor> there;
  for (const Tensor& gradient : gradients)
    if (gradient) there.push_back(gradient);
  Tensor norms;  // read at once
  if (!there.empty()) norms = ops::to(norms_of(there, norm_type), DType::f64, Device{});
  const double* next = there.empty() ? nullptr : norms.data<double>();
  double mine = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const int64_t same = copies.empty() ? 1 : copies[i];
    if (same < 1 || same > g.size())
      fail(Code::invalid_argument,
           concat("clip_grad_norm: parameter ", int64_t(i), " has ", same, " copies on ", g.size(), " ranks"),
           {}, "copies");
    if (!gradients[i]) continue;
    const double norm = *next++;
    if (largest)
      mine = norm <= mine ? mine : norm;  // NaN stays
    else
      mine += std::pow(norm, norm_type) / double(same);
  }
  const Tensor all = ops::full({}, mine, DType::f64, Device{});
  g.run(all_reduce_job(all, largest ? dist::ReduceOp::max : dist::ReduceOp::sum));
  return largest ? number(all) : std::pow(number(all), 1 / norm_type);
}

double clip_grad_norm(dist::Group& g, std::span<const Tensor> parameters, std::span<const int64_t> copies,
                      double max_norm, double norm_type) {
  check_gradients_here("clip_grad_norm", parameters);
  check_clip(max_norm, norm_type);
  if (!copies.empty() && copies.size() != parameters.size())
    fail(Code::invalid_argument,
         concat("clip_grad_norm: takes a number of copies for each of ", int64_t(parameters.size()),
                " parameters, got ", int64_t(copies.size())),
         {}, "copies");
  NoGradGuard off;
  std::vector<Tensor> gradients;
  for (const Tensor& p : parameters) gradients.push_back(gradient_of(p));
  const double norm = norm_over_ranks(g, gradients, copies, norm_type);
  scale_to_norm(gradients_of(parameters), ops::full({}, norm, DType::f64, Device{}), max_norm);
  return norm;
}

}  // namespace haft::parallel
