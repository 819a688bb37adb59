// Losses. Their arithmetic and their reductions are PyTorch's.
#include <algorithm>
#include <numbers>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"
#include "core/tensor/batched.h"

namespace haft {

namespace {

enum Reduction : int64_t { kNoReduction = 0, kMean = 1, kSum = 2, kBatchMean = 3 };

void check_reduction(const char* op, int64_t reduction) {
  if (reduction < kNoReduction || reduction > kSum)
    fail(Code::invalid_argument,
         concat("[", op, "] reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction), {},
         "reduction");
}
Tensor reduce(const Tensor& loss, int64_t reduction) {
  return reduction == kMean ? ops::mean(loss) : reduction == kSum ? ops::sum(loss) : loss;
}

void check_same_sizes(const char* op, const Tensor& x, const Tensor& target) {
  if (!std::ranges::equal(x.sizes(), target.sizes()))
    fail(Code::shape,
         concat("[", op, "] target of shape ", target.sizes(), " must have input's shape ", x.sizes()), {},
         "target");
}

// x (N, C, *) or (C), its class indices (N, *) or (), and a weight (C). Answers the dimension of the classes.
int64_t check_classes(const char* op, const Tensor& x, const Tensor& target, const Tensor& weight) {
  if (x.ndim() == 0)
    fail(Code::shape, concat("[", op, "] input must be (N, C, *) or (C), got a 0-dim tensor"), {}, "input");
  if (!is_float(x.dtype()))
    fail(Code::dtype, concat("[", op, "] input must be a floating tensor, got ", dtype_name(x.dtype())),
         "cast it first", "input");
  int64_t dim = x.ndim() == 1 ? 0 : 1;
  const bool soft = is_float(target.dtype()),
             other = weight.defined() && !soft && weight.dtype() != x.dtype();
  if (weight.defined() && (weight.ndim() != 1 || weight.size(0) != x.size(dim) || other))
    fail(other ? Code::dtype : Code::shape,
         concat("[", op, "] weight must be ", dtype_name(x.dtype()), " of shape [", x.size(dim), "], got ",
                dtype_name(weight.dtype()), " of shape ", weight.sizes()),
         {}, "weight");
  if (soft) return dim;
  if (target.dtype() != DType::i64 && target.dtype() != DType::i32)
    fail(Code::dtype,
         concat("[", op, "] class indices must be int64 or int32, got ", dtype_name(target.dtype())),
         "cast the target to int64", "target");
  Shape want(x.sizes());
  want.erase(dim);
  if (!std::ranges::equal(target.sizes(), IntList(want)))
    fail(Code::shape,
         concat("[", op, "] target of shape ", target.sizes(), " must be ", IntList(want),
                " for input of shape ", x.sizes()),
         {}, "target");
  return dim;
}

struct Targets {
  Tensor ignored;  // bool
  Tensor index;    // int64, 0 where ignored

  Targets(const Tensor& target, int64_t ignore_index)
      : ignored(ops::eq_scalar(target, ignore_index)),
        index(ops::masked_fill(as_dtype(target, DType::i64), ignored, int64_t(0))) {}

  Tensor weights(const Tensor& weight) const {
    return ops::reshape(ops::index_select(weight, 0, ops::flatten(index)), index.sizes());
  }
};

// Fails unless all of x are probabilities; like PyTorch only where nobody has to wait for a device to say so, and
// not of the examples of a vmap.
void check_probabilities(const char* op, const Tensor& x) {
  if (!x.device().is_cpu() || x.numel() == 0 || is_batched(x)) return;
  NoGradGuard off;
  const double least = item(ops::amin(x, {}, false)).to_double(),
               most = item(ops::amax(x, {}, false)).to_double();
  if (least >= 0 && most <= 1) return;  // not so for NaN
  fail(Code::invalid_argument,
       concat("[", op, "] input must lie between 0 and 1, got values from ", least, " to ", most),
       "apply sigmoid() first, or use binary_cross_entropy_with_logits()", "input");
}

// Not below 0. Where x is 0 the gradient passes, as that of PyTorch's clamp_min does.
Tensor positive_part(const Tensor& x) { return ops::clamp(x, Scalar(0.0), Scalar()); }

// Fails where a variance is negative; it waits for a device to say so, as PyTorch.
void check_variances(const Tensor& var) {
  if (var.numel() == 0 || is_batched(var)) return;
  NoGradGuard off;
  const double least = item(ops::amin(var, {}, false)).to_double();
  if (least < 0)
    fail(Code::invalid_argument,
         concat("[gaussian_nll_loss] var has negative entry/entries: the least is ", least), {}, "var");
}

// The classes of x (N, C), as (1, C).
Tensor class_numbers(const Tensor& x) {
  return ops::unsqueeze(ops::arange(0, x.size(1), 1, DType::i64, x.device()), 0);
}

// A mean over classes of rows (N); one sample without a batch has a loss of shape ().
Tensor reduce_rows(const Tensor& loss, const Tensor& x, int64_t reduction) {
  return reduce(x.ndim() == 1 ? ops::squeeze(loss, 0) : loss, reduction);
}

}  // namespace

// x has its classes in the last dimension.
SHAPE(cross_entropy_rows) {
  const Tensor &x = c.in(0), &target = c.in(1);
  require_float(c, x);
  if (x.ndim() == 0 || !std::ranges::equal(x.sizes().first(size_t(x.ndim() - 1)), target.sizes()))
    fail(Code::shape,
         concat("[cross_entropy] target of shape ", target.sizes(),
                " does not index the rows of input of shape ", x.sizes()),
         {}, "target");
  DType t = wide_dtype(x.dtype());
  for (int k = 0; k < 3; ++k) c.out(k, t, target.sizes());
}
static void differentiable_cross_entropy(Backward& b) {
  Tensor x = b.in(0), weight = b.in(2), g = b.grad(0), dx;
  double smoothing = b.attrs.d(1), spread = smoothing / double(std::max<int64_t>(x.size(-1), 1));
  DType t = wide_dtype(x.dtype());
  x = as_dtype(x, t);
  if (g.defined()) {
    Tensor p = ops::softmax(x, -1);
    Targets targets(b.in(1), b.attrs.i(0));
    Tensor one = g * (1 - smoothing), all = g * spread;
    Tensor total = all * double(x.size(-1)), each = ops::unsqueeze(all, -1);
    if (weight.defined()) {
      weight = as_dtype(weight, t);
      one = one * targets.weights(weight);
      total = all * ops::sum(weight);
      each = each * weight;
    }
    Tensor hot =
        ops::scatter(ops::zeros_like(p), -1, ops::unsqueeze(targets.index, -1), ops::unsqueeze(one, -1));
    dx = p * ops::unsqueeze(one + total, -1) - hot;
    if (smoothing != 0) dx = dx - each;
    dx = ops::masked_fill(dx, ops::unsqueeze(targets.ignored, -1), 0.0);
  }
  if (b.has_grad(2)) {
    Tensor of_lse = ops::exp(x - ops::unsqueeze(b.out(2), -1)) * ops::unsqueeze(b.grad(2), -1);
    dx = dx.defined() ? dx + of_lse : of_lse;
  }
  if (dx.defined()) b.set(0, as_dtype(dx, b.in(0).dtype()));
}
static void fused_cross_entropy(Backward& b) {
  if (!b.has_grad(0) || b.has_grad(2)) return differentiable_cross_entropy(b);
  b.set(0, ops::cross_entropy_rows_backward(b.grad(), b.in(0), b.in(1), b.in(2), b.out(2), b.attrs.i(0),
                                            b.attrs.d(1)));
}
// The weight of a row is a constant, as in PyTorch.
GRADIENT(cross_entropy_rows, .fused = fused_cross_entropy, .saves = {IN0 | IN1 | IN2 | OUT2}) {
  differentiable_cross_entropy(b);
}
SHAPE(cross_entropy_rows_backward) { c.out(0, c.in(1).dtype(), c.in(1).sizes()); }

namespace ops {

namespace {

// Target probabilities of x's shape.
Tensor soft_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t dim,
                          int64_t reduction, double smoothing) {
  check_same_sizes("cross_entropy", x, target);
  int64_t classes = x.size(dim);
  Tensor t = smoothing > 0 ? target * (1 - smoothing) + smoothing / double(classes) : target;
  if (weight.defined()) {
    Shape sizes(x.ndim(), 1);
    sizes[dim] = classes;
    t = t * view(weight, sizes);
  }
  Tensor loss = log_softmax(x, dim) * t;
  if (reduction == kNoReduction) return neg(sum(loss, IntList(&dim, 1)));
  Tensor total = sum(loss);
  return reduction == kSum ? neg(total) : total / (-double(x.numel()) / double(classes));
}

}  // namespace

Tensor uncast::cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction,
                             int64_t ignore_index, double label_smoothing) {
  check_reduction("cross_entropy", reduction);
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    fail(Code::invalid_argument,
         concat("[cross_entropy] label_smoothing must be between 0 and 1, got ", label_smoothing), {},
         "label_smoothing");
  int64_t dim = check_classes("cross_entropy", x, target, weight);
  Tensor constant = weight.defined() ? detach(weight) : weight;
  if (is_float(target.dtype())) {
    if (ignore_index >= 0)
      fail(Code::invalid_argument,
           concat("[cross_entropy] ignore_index ", ignore_index, " has no meaning for probabilities"), {},
           "ignore_index");
    return soft_cross_entropy(x, target, constant, dim, reduction, label_smoothing);
  }
  auto [loss, row_weight, lse] = cross_entropy_rows(x.ndim() > 2 ? movedim(x, Shape{1}, Shape{-1}) : x,
                                                    target, constant, ignore_index, label_smoothing);
  if (reduction == kNoReduction) return as_dtype(loss, x.dtype());
  Tensor total = sum(loss);
  if (reduction == kMean) total = total / sum(detach(row_weight));
  return as_dtype(total, x.dtype());
}

Tensor uncast::nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction,
                        int64_t ignore_index) {
  check_reduction("nll_loss", reduction);
  int64_t dim = check_classes("nll_loss", x, target, weight);
  if (is_float(target.dtype()))
    fail(Code::dtype, concat("[nll_loss] target must be class indices, got ", dtype_name(target.dtype())),
         "use cross_entropy for probabilities", "target");
  Targets targets(target, ignore_index);
  Tensor loss = neg(squeeze(gather(x, dim, unsqueeze(targets.index, dim)), dim)), row_weight;
  if (weight.defined()) {
    row_weight = masked_fill(targets.weights(as_dtype(detach(weight), x.dtype())), targets.ignored, 0.0);
    loss = loss * row_weight;
  }
  loss = masked_fill(loss, targets.ignored, 0.0);
  if (reduction == kNoReduction) return loss;
  Tensor total = sum(loss);
  if (reduction == kSum) return total;
  return total / sum(weight.defined() ? row_weight : logical_not(targets.ignored));
}

Tensor uncast::mse_loss(const Tensor& x, const Tensor& target, int64_t reduction) {
  check_reduction("mse_loss", reduction);
  return reduce(square(x - target), reduction);
}

Tensor uncast::l1_loss(const Tensor& x, const Tensor& target, int64_t reduction) {
  check_reduction("l1_loss", reduction);
  return reduce(abs(x - target), reduction);
}

// c (|d| - c/2) with c = min(|d|, beta): quadratic below beta, linear above, without a choice that could make NaNs.
Tensor uncast::smooth_l1_loss(const Tensor& x, const Tensor& target, int64_t reduction, double beta) {
  check_reduction("smooth_l1_loss", reduction);
  if (!(beta >= 0))
    fail(Code::invalid_argument, concat("[smooth_l1_loss] beta must not be negative, got ", beta), {},
         "beta");
  if (beta == 0) return l1_loss(x, target, reduction);
  Tensor d = abs(x - target), near = clamp(d, Scalar(), Scalar(beta));
  return reduce(near * (d - near * 0.5) / beta, reduction);
}

Tensor uncast::huber_loss(const Tensor& x, const Tensor& target, int64_t reduction, double delta) {
  check_reduction("huber_loss", reduction);
  if (!(delta > 0))
    fail(Code::invalid_argument, concat("[huber_loss] delta must be positive, got ", delta), {}, "delta");
  Tensor d = abs(x - target), near = clamp(d, Scalar(), Scalar(delta));
  return reduce(near * (d - near * 0.5), reduction);
}

// Each element's loss times its weight, the mean over the sum of weights or over how many there are.
static Tensor weighted(const char* op, const Tensor& loss, const Tensor& x, const Tensor& weight,
                       int64_t reduction, bool over_weights) {
  check_reduction(op, reduction);
  if (!std::ranges::equal(weight.sizes(), x.sizes()))
    fail(Code::shape,
         concat("[", op, "] weight of shape ", weight.sizes(), " does not fit to input of shape ", x.sizes()),
         "weight has an element for each of input's", "weight");
  const Tensor each = loss * weight;
  return reduction == kMean && over_weights ? sum(each) / sum(weight) : reduce(each, reduction);
}

Tensor uncast::weighted_mse_loss(const Tensor& x, const Tensor& target, const Tensor& weight,
                                 int64_t reduction) {
  return weighted("weighted_mse_loss", square(x - target), x, weight, reduction, true);
}

Tensor uncast::weighted_l1_loss(const Tensor& x, const Tensor& target, const Tensor& weight,
                                int64_t reduction) {
  return weighted("weighted_l1_loss", abs(x - target), x, weight, reduction, true);
}

Tensor uncast::weighted_huber_loss(const Tensor& x, const Tensor& target, const Tensor& weight,
                                   int64_t reduction, double delta) {
  const Tensor loss = uncast::huber_loss(x, target, kNoReduction, delta);
  return weighted("weighted_huber_loss", loss, x, weight, reduction, false);
}

Tensor uncast::binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight,
                                    int64_t reduction) {
  check_reduction("binary_cross_entropy", reduction);
  check_same_sizes("binary_cross_entropy", x, target);
  DType t = wide_dtype(x.dtype());
  if (x.dtype() != t)  // 1e-12 is no number of 16 bits
    return cast(binary_cross_entropy(cast(x, t), target, weight, reduction), x.dtype());
  check_probabilities("binary_cross_entropy", x);
  auto entropy = [&](const Tensor& log_x, const Tensor& log_rest) {
    return addcmul((target - 1) * log_rest, target, log_x, Scalar(-1.0));
  };
  const Tensor p = detach(x);
  auto limited_log = [](const Tensor& v) { return clamp(log(v), Scalar(-100.0), Scalar()); };
  Tensor loss = entropy(limited_log(p), limited_log(1 - p));
  if (thread_state().grad_enabled && requires_grad_anywhere(x)) {
    // At 0 and 1 the slope is (x - target) / 1e-12, as PyTorch's: x (1 - x) counts as at least that.
    constexpr double least = 1e-12;
    const Tensor edge = lt_scalar(p * (1 - p), least), inside = masked_fill(x, edge, 0.5);
    const Tensor at_edge = loss + (x - p) * ((p - detach(target)) / least);
    loss = where(edge, at_edge, entropy(log(inside), log(1 - inside)));
  }
  if (weight.defined()) loss = loss * weight;
  return reduce(loss, reduction);
}

Tensor uncast::binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                                const Tensor& pos_weight, int64_t reduction) {
  check_reduction("binary_cross_entropy_with_logits", reduction);
  check_same_sizes("binary_cross_entropy_with_logits", x, target);
  Tensor log_p = logsigmoid(x), negative = x * (1 - target), loss;
  if (pos_weight.defined())
    loss = addcmul(negative, (pos_weight - 1) * target + 1, log_p, Scalar(-1.0));
  else
    loss = negative - log_p;
  if (weight.defined()) loss = loss * weight;
  return reduce(loss, reduction);
}

Tensor uncast::kl_div(const Tensor& x, const Tensor& target, int64_t reduction, bool log_target) {
  if (reduction == kBatchMean) {
    const Tensor sum = kl_div(x, target, kSum, log_target);
    return x.ndim() ? sum / double(x.size(0)) : sum;
  }
  check_reduction("kl_div", reduction);
  if (log_target) return reduce(exp(target) * (target - x), reduction);
  Tensor log_t = log(masked_fill(target, eq_scalar(target, 0), 1.0));  // 0 log 0 is 0
  return reduce(target * (log_t - x), reduction);
}

Tensor uncast::poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input, bool full, double eps,
                                int64_t reduction) {
  check_reduction("poisson_nll_loss", reduction);
  Tensor loss = log_input ? exp(x) - target * x : x - target * log(x + eps);
  if (full) {  // 1 stands where the term does not count: its logarithm harms no gradient
    Tensor small = le_scalar(target, 1), t = masked_fill(target, small, 1.0);
    Tensor stirling = t * log(t) - t + log(t * (2 * std::numbers::pi)) * 0.5;
    loss = loss + masked_fill(stirling, small, 0.0);
  }
  return reduce(loss, reduction);
}

Tensor uncast::gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& var, bool full,
                                 double eps, int64_t reduction) {
  check_reduction("gaussian_nll_loss", reduction);
  Tensor v = var;
  if (!std::ranges::equal(x.sizes(), var.sizes())) {
    int64_t other = 0;  // sizes that differ from input's: 1 once is what PyTorch broadcasts
    for (int64_t d = 0; var.ndim() == x.ndim() && d < x.ndim(); ++d)
      if (var.size(d) != x.size(d)) other += var.size(d);
    if (std::ranges::equal(x.sizes().first(size_t(std::max<int64_t>(x.ndim() - 1, 0))), var.sizes()))
      v = unsqueeze(var, -1);
    else if (other != 1)
      fail(Code::shape,
           concat("[gaussian_nll_loss] var is of incorrect size: ", var.sizes(), " for input of shape ",
                  x.sizes()),
           {}, "var");
  }
  check_variances(v);
  // Small variances count as eps, and take their gradient all the same.
  Tensor constant = detach(v);
  v = v + (clamp(constant, Scalar(eps), Scalar()) - constant);
  Tensor loss = (log(v) + square(x - target) / v) * 0.5;
  return reduce(full ? loss + 0.5 * std::log(2 * std::numbers::pi) : loss, reduction);
}

Tensor uncast::hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin, int64_t reduction) {
  check_reduction("hinge_embedding_loss", reduction);
  return reduce(masked_fill(positive_part(margin - x), eq_scalar(target, 1), 0.0) +
                    masked_fill(x, eq_scalar(target, -1), 0.0),
                reduction);
}

Tensor uncast::soft_margin_loss(const Tensor& x, const Tensor& target, int64_t reduction) {
  check_reduction("soft_margin_loss", reduction);
  return reduce(-logsigmoid(target * x), reduction);
}

Tensor uncast::margin_ranking_loss(const Tensor& x1, const Tensor& x2, const Tensor& target, double margin,
                                   int64_t reduction) {
  check_reduction("margin_ranking_loss", reduction);
  if (x1.ndim() != target.ndim() || x2.ndim() != target.ndim())
    fail(Code::shape,
         concat("[margin_ranking_loss] All input tensors should have same dimension but got sizes: input1: ",
                x1.sizes(), ", input2: ", x2.sizes(), ", target: ", target.sizes()),
         {}, "target");
  return reduce(positive_part(-target * (x1 - x2) + margin), reduction);
}

Tensor uncast::cosine_embedding_loss(const Tensor& x1, const Tensor& x2, const Tensor& target, double margin,
                                     int64_t reduction) {
  check_reduction("cosine_embedding_loss", reduction);
  if (target.ndim() > 1)
    fail(
        Code::shape,
        concat(
            "[cosine_embedding_loss] 0D or 1D target tensor expected, multi-target not supported, got shape ",
            target.sizes()),
        {}, "target");
  const int64_t dim = target.ndim();
  if (x1.ndim() != dim + 1 || x2.ndim() != dim + 1)
    fail(Code::shape,
         concat("[cosine_embedding_loss] ", dim, "D target tensor expects ", dim + 1,
                "D input tensors, but found inputs with sizes ", x1.sizes(), " and ", x2.sizes()),
         {}, "input1");
  constexpr double eps = 1e-12;
  auto total = [&](const Tensor& x) { return sum(x, IntList(&dim, 1)); };
  Tensor cosine = total(x1 * x2) / sqrt((total(square(x1)) + eps) * (total(square(x2)) + eps));
  return reduce(where_or_zero(eq_scalar(target, 1), 1 - cosine) +
                    where_or_zero(eq_scalar(target, -1), positive_part(cosine - margin)),
                reduction);
}

Tensor uncast::triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                   double margin, double p, double eps, bool swap, int64_t reduction) {
  check_reduction("triplet_margin_loss", reduction);
  if (!(margin > 0))
    fail(Code::invalid_argument, concat("[triplet_margin_loss] margin must be greater than 0, got ", margin),
         {}, "margin");
  if (anchor.ndim() != positive.ndim() || anchor.ndim() != negative.ndim())
    fail(Code::shape,
         concat(
             "[triplet_margin_loss] The anchor, positive, and negative tensors are expected to have the same "
             "number of dimensions, but got: anchor ",
             anchor.ndim(), "D, positive ", positive.ndim(), "D, and negative ", negative.ndim(), "D inputs"),
         {}, "anchor");
  auto distance = [&](const Tensor& a, const Tensor& b) { return pairwise_distance(a, b, p, eps, false); };
  Tensor far = distance(anchor, negative);
  if (swap) far = minimum(far, distance(positive, negative));
  return reduce(positive_part(distance(anchor, positive) - far + margin), reduction);
}

Tensor uncast::multi_margin_loss(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t p,
                                 double margin, int64_t reduction) {
  check_reduction("multi_margin_loss", reduction);
  if (p != 1 && p != 2)
    fail(Code::invalid_argument, concat("[multi_margin_loss] only p == 1 and p == 2 supported, got ", p), {},
         "p");
  if (x.ndim() > 2)
    fail(Code::shape, concat("[multi_margin_loss] input must be (N, C) or (C), got shape ", x.sizes()), {},
         "input");
  if (x.ndim() == 0) return multi_margin_loss(reshape(x, Shape{1}), target, weight, p, margin, reduction);
  // (C) and (1), as PyTorch takes them.
  const bool one = x.ndim() == 1 && target.ndim() == 1 && target.numel() == 1;
  Tensor index = one ? squeeze(target, 0) : target;
  check_classes("multi_margin_loss", x, index, weight);
  if (is_float(index.dtype()))
    fail(Code::dtype,
         concat("[multi_margin_loss] target must be class indices, got ", dtype_name(index.dtype())),
         "cast the target to int64", "target");
  Tensor rows = x.ndim() == 1 ? unsqueeze(x, 0) : x;
  index = unsqueeze(as_dtype(x.ndim() == 1 ? unsqueeze(index, 0) : index, DType::i64), 1);  // (N, 1)
  Tensor losses = relu(rows - gather(rows, 1, index) + margin);
  if (p == 2) losses = square(losses);
  if (weight.defined()) losses = losses * unsqueeze(index_select(weight, 0, squeeze(index, 1)), 1);
  losses = masked_fill(losses, eq(index, class_numbers(rows)), 0.0);
  const int64_t classes = 1;
  return reduce_rows(mean(losses, IntList(&classes, 1)), x, reduction);
}

Tensor uncast::multilabel_margin_loss(const Tensor& x, const Tensor& target, int64_t reduction) {
  check_reduction("multilabel_margin_loss", reduction);
  if (x.ndim() == 0 && target.ndim() == 0)
    return multilabel_margin_loss(reshape(x, Shape{1}), reshape(target, Shape{1}), reduction);
  if (x.ndim() != 1 && x.ndim() != 2)
    fail(Code::shape, concat("[multilabel_margin_loss] input must be (N, C) or (C), got shape ", x.sizes()),
         {}, "input");
  check_same_sizes("multilabel_margin_loss", x, target);
  if (target.dtype() != DType::i64 && target.dtype() != DType::i32)
    fail(Code::dtype,
         concat("[multilabel_margin_loss] class indices must be int64 or int32, got ",
                dtype_name(target.dtype())),
         "cast the target to int64", "target");
  Tensor rows = x.ndim() == 1 ? unsqueeze(x, 0) : x, y = as_dtype(target, DType::i64);
  if (x.ndim() == 1) y = unsqueeze(y, 0);
  Tensor ended = cumsum(cast(lt_scalar(y, 0), DType::i64), 1);  // 0 before the first -1
  Tensor given = unsqueeze(eq_scalar(ended, 0), 2);             // (N, C, 1)
  Tensor index = masked_fill(y, eq_scalar(y, -1), Scalar(0));   // any other negative one is refused by gather
  const int64_t places = 1;
  Tensor is_target = any(logical_and(eq(unsqueeze(index, 2), unsqueeze(class_numbers(rows), 0)), given),
                         IntList(&places, 1));  // (N, C)
  // (N, target, class)
  Tensor losses = relu(1 - unsqueeze(gather(rows, 1, index), 2) + unsqueeze(rows, 1));
  losses = masked_fill(losses, logical_or(logical_not(given), unsqueeze(is_target, 1)), 0.0);
  const int64_t pairs[] = {1, 2};
  return reduce_rows(sum(losses, pairs) / double(rows.size(1)), x, reduction);
}

Tensor uncast::multilabel_soft_margin_loss(const Tensor& x, const Tensor& target, const Tensor& weight,
                                           int64_t reduction) {
  check_reduction("multilabel_soft_margin_loss", reduction);
  Tensor loss = x * (1 - target) - logsigmoid(x);
  if (weight.defined()) loss = loss * weight;
  const int64_t classes = -1;
  return reduce(mean(loss, IntList(&classes, 1)), reduction);
}

}  // namespace ops

}  // namespace haft
