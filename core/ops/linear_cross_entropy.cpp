// Cross entropy of a linear layer whose logits are never there all at once.
#include <algorithm>

#include "core/ops/gradient.h"

namespace haft {

namespace {

// In operators, with all logits: for gradients that are recorded themselves.
void differentiable_head(Backward& b) {
  const Tensor x = b.in(0), w = b.in(1), bias = b.in(3), g = b.grad(0);
  const double smoothing = b.attrs.d(1), spread = smoothing / double(std::max<int64_t>(w.size(0), 1));
  const DType t = wide_dtype(x.dtype());
  const Tensor p = ops::softmax(as_dtype(ops::linear(x, w, bias), t), -1);
  Tensor dz;
  if (g.defined()) {
    const Tensor ignored = ops::eq_scalar(b.in(2), Scalar(b.attrs.i(0)));
    const Tensor index = ops::masked_fill(as_dtype(b.in(2), DType::i64), ignored, Scalar(int64_t(0)));
    Tensor one = g * (1 - smoothing), all = g * spread, total = all * double(w.size(0)),
           each = ops::unsqueeze(all, -1);
    if (b.in(4).defined()) {
      const Tensor weight = as_dtype(b.in(4), t);
      one = one * ops::index_select(weight, 0, index);
      total = all * ops::sum(weight);
      each = each * weight;
    }
    const Tensor hot =
        ops::scatter(ops::zeros_like(p), -1, ops::unsqueeze(index, -1), ops::unsqueeze(one, -1));
    dz = p * ops::unsqueeze(one + total, -1) - hot;
    if (smoothing != 0) dz = dz - each;
    dz = ops::masked_fill(dz, ops::unsqueeze(ignored, -1), Scalar(0.0));
  }
  if (b.has_grad(2)) {
    const Tensor of_lse = p * ops::unsqueeze(b.grad(2), -1);
    dz = dz.defined() ? dz + of_lse : of_lse;
  }
  if (!dz.defined()) return;
  if (b.needs(0)) b.set(0, as_dtype(ops::mm(dz, as_dtype(w, t)), x.dtype()));
  if (b.needs(1)) b.set(1, as_dtype(ops::mm(ops::t(dz), as_dtype(x, t)), w.dtype()));
  if (b.needs(3)) b.set(3, as_dtype(ops::sum(dz, IntList(std::initializer_list<int64_t>{0})), bias.dtype()));
}

void check_head(ShapeContext& c, int at) {
  const Tensor &x = c.in(at), &w = c.in(at + 1), &target = c.in(at + 2);
  require_float(c, x);
  if (x.ndim() != 2 || w.ndim() != 2 || x.size(1) != w.size(1))
    fail(Code::shape,
         concat("[linear_cross_entropy] input must be (N, D) and linear_weight (C, D), got shapes ",
                x.sizes(), " and ", w.sizes()),
         {}, "input");
  if (target.ndim() != 1 || target.size(0) != x.size(0))
    fail(Code::shape,
         concat("[linear_cross_entropy] target of shape ", target.sizes(),
                " does not index the rows of input of shape ", x.sizes()),
         {}, "target");
  for (int i : {at + 3, at + 4}) {
    if (!c.has(i)) continue;
    const Tensor& v = c.in(i);
    if (v.ndim() != 1 || v.size(0) != w.size(0) || !is_float(v.dtype()))
      fail(Code::shape,
           concat("[linear_cross_entropy] linear_bias and weight are floating tensors of shape [", w.size(0),
                  "], got shape ", v.sizes()),
           {}, i == at + 3 ? "linear_bias" : "weight");
  }
  if (w.dtype() != x.dtype() || (c.has(at + 3) && c.in(at + 3).dtype() != x.dtype()))
    fail(Code::dtype,
         concat("[linear_cross_entropy] input is ", dtype_name(x.dtype()), ", linear_weight ",
                dtype_name(w.dtype())),
         "cast one of them", "linear_weight");
}

}  // namespace

SHAPE(linear_cross_entropy_rows) {
  check_head(c, 0);
  const DType t = wide_dtype(c.in(0).dtype());
  for (int k = 0; k < 3; ++k) c.out(k, t, c.in(2).sizes());
}
static void fused_head(Backward& b) {
  if (!b.has_grad(0) || b.has_grad(2)) return differentiable_head(b);
  auto [dx, dw, db] = ops::linear_cross_entropy_backward(
      b.grad(0), b.in(0), b.in(1), b.in(2), b.in(3), b.in(4), b.out(2), b.attrs.i(0), b.attrs.d(1),
      int64_t(b.needs(0)) | int64_t(b.needs(1)) << 1 | int64_t(b.needs(3)) << 2);
  if (b.needs(0)) b.set(0, dx);
  if (b.needs(1)) b.set(1, dw);
  if (b.needs(3)) b.set(3, db);
}
GRADIENT(linear_cross_entropy_rows, .fused = fused_head,
         .saves = {IN0 | IN1 | IN2 | IN3 | IN4 | OUT2, IN0 | IN1 | IN2 | IN3 | IN4 | OUT2, 0,
                   IN0 | IN1 | IN2 | IN3 | IN4 | OUT2}) {
  differentiable_head(b);
}
SHAPE(linear_cross_entropy_backward) {
  check_head(c, 1);
  const Tensor &x = c.in(1), &w = c.in(2);
  const int64_t classes[] = {w.size(0)}, wanted = c.attrs.i(2);
  const Shape none{0};
  c.out(0, x.dtype(), wanted & 1 ? x.sizes() : IntList(none));
  c.out(1, w.dtype(), wanted & 2 ? w.sizes() : IntList(none));
  c.out(2, w.dtype(), wanted & 4 ? IntList(classes) : IntList(none));
}

namespace ops {

Tensor uncast::linear_cross_entropy(const Tensor& x, const Tensor& linear_weight, const Tensor& target,
                                    const Tensor& linear_bias, const Tensor& weight, int64_t reduction,
                                    int64_t ignore_index, double label_smoothing) {
  if (reduction < 0 || reduction > 2)
    fail(Code::invalid_argument,
         concat("[linear_cross_entropy] reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction),
         {}, "reduction");
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    fail(Code::invalid_argument,
         concat("[linear_cross_entropy] label_smoothing must be between 0 and 1, got ", label_smoothing), {},
         "label_smoothing");
  if (x.ndim() == 1 || linear_weight.ndim() != 2 ||
      is_float(target.dtype())) {  // what has all scores at once
    if (linear_weight.ndim() < 2 || (x.ndim() != 1 && x.ndim() != 2))
      fail(Code::shape,
           concat("[linear_cross_entropy] takes input (N, D) or (D) and linear_weight (C, *, D), got shapes ",
                  x.sizes(), " and ", linear_weight.sizes()),
           {}, "linear_weight");
    const Tensor rows = x.ndim() == 1 ? unsqueeze(x, 0) : x,
                 wanted = x.ndim() == 1 ? unsqueeze(target, 0) : target;
    Shape sizes(linear_weight.sizes().first(size_t(linear_weight.ndim() - 1)));
    sizes.insert(0, rows.size(0));
    const Tensor scores = linear(rows, flatten(linear_weight, 0, -2),
                                 linear_bias.defined() ? flatten(linear_bias) : linear_bias);
    const Tensor loss =
        cross_entropy(reshape(scores, sizes), wanted, weight, reduction, ignore_index, label_smoothing);
    return x.ndim() == 1 && reduction == 0 ? squeeze(loss, 0) : loss;
  }
  auto [loss, row_weight, lse] =
      linear_cross_entropy_rows(x, linear_weight, target, linear_bias,
                                weight.defined() ? detach(weight) : weight, ignore_index, label_smoothing);
  if (reduction == 0) return as_dtype(loss, x.dtype());
  Tensor total = sum(loss);
  if (reduction == 1) total = total / sum(detach(row_weight));
  return as_dtype(total, x.dtype());
}

}  // namespace ops
}  // namespace haft
