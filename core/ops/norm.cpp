// softmax, batch norm and layer norm: shapes, gradients, compositions.
#include <algorithm>
#include <cmath>

#include "core/ops/gradient.h"

namespace haft {

namespace {

void softmax_rule(ShapeContext& c) {
  const Tensor& x = c.in(0);
  require_float(c, x);
  c.set_word(0, word(wrap_dim(c.attrs.i(0), x.ndim(), c.name())));
  c.out(0, x.dtype(), x.sizes());
}
void like_second(ShapeContext& c) { c.out(0, c.in(1).dtype(), c.in(1).sizes()); }

// An optional weight or bias of exactly these sizes.
void check_affine(const ShapeContext& c, int i, IntList sizes, const char* name, const char* op = nullptr) {
  if (!c.has(i)) return;
  require_float(c, c.in(i), name);
  if (!std::ranges::equal(c.in(i).sizes(), sizes))
    fail(Code::shape,
         concat("[", op ? op : c.name(), "] ", name, " must have shape ", sizes, ", got ", c.in(i).sizes()),
         {}, name);
}

Tensor widened(const Tensor& x) { return x.defined() ? as_dtype(x, wide_dtype(x.dtype())) : x; }

// Where a normalisation takes its statistics, and how its weight lies against x.
struct NormShape {
  Shape dims;    // averaged over
  Shape stats;   // x's sizes with those as 1
  Shape affine;  // the weight's sizes, as they broadcast against x
};
NormShape channel_norm(IntList x) {
  NormShape s;
  s.stats = s.affine = Shape(int64_t(x.size()), 1);
  for (int64_t d = 0; d < int64_t(x.size()); ++d)
    if (d != 1) s.dims.push_back(d);
  s.stats[1] = s.affine[1] = x[1];
  return s;
}
NormShape trailing_norm(IntList x, IntList shape) {
  NormShape s;
  s.stats = Shape(x);
  s.affine = Shape(shape);
  for (int64_t d = int64_t(x.size() - shape.size()); d < int64_t(x.size()); ++d) {
    s.dims.push_back(d);
    s.stats[d] = 1;
  }
  return s;
}

// What the third result of a normalisation is.
enum class Spread { variance, rstd, rms };  // rms: rstd about 0

// out = (x - mean) rstd weight + bias, mean and variance or rstd, all differentiated with respect to x,
// weight and bias. Statistics are computed again from x, so that further derivatives see how they depend on it. Cold:
// a first derivative has kernels.
[[gnu::cold]] void norm_gradient(Backward& b, const NormShape& s, double eps, Spread third) {
  Tensor x = widened(b.in(0)), w = widened(b.in(1)), g = widened(b.grad(0));
  const bool rms = third == Spread::rms;
  Tensor centred = rms ? x : x - ops::mean(x, s.dims, true);
  Tensor rstd = ops::rsqrt(ops::mean(ops::square(centred), s.dims, true) + eps);
  Tensor normal = centred * rstd, dx;
  auto add_to = [](Tensor& sum, Tensor t) { sum = sum.defined() ? sum + t : t; };
  if (g.defined()) {
    if (b.needs(0)) {
      Tensor gw = w.defined() ? g * ops::view(w, s.affine) : g;
      Tensor slope = normal * ops::mean(gw * normal, s.dims, true);
      dx = ((rms ? gw : gw - ops::mean(gw, s.dims, true)) - slope) * rstd;
    }
    auto reduced = [&](const Tensor& t, int i) {
      return as_dtype(ops::reshape(ops::sum_to_size(t, s.affine), b.in_sizes(i)), b.in_dtype(i));
    };
    if (b.needs(1)) b.set(1, reduced(g * normal, 1));
    if (b.needs(2)) b.set(2, reduced(g, 2));
  }
  if (!b.needs(0)) return;
  double n = 1;
  for (int64_t d : s.dims) n *= double(x.size(d));
  if (b.has_grad(1) && !rms) add_to(dx, ops::expand(ops::reshape(b.grad(1), s.stats) / n, x.sizes()));
  if (b.has_grad(2)) {
    Tensor g2 = ops::reshape(b.grad(2), s.stats);
    add_to(dx, third == Spread::variance ? centred * (g2 * (2 / n))
                                         : normal * (g2 * ops::square(rstd) * (-1 / n)));
  }
  if (dx.defined()) b.set(0, as_dtype(dx, b.in_dtype(0)));
}

void set_fused(Backward& b, const std::array<Tensor, 3>& d) {
  for (int i = 0; i < 3; ++i)
    if (b.needs(i)) b.set(i, as_dtype(d[i], b.in_dtype(i)));
}

constexpr uint32_t kNormSaves = IN0 | IN1 | OUT1 | OUT2 | SIZES;

void check_running(const char* op, int64_t channels, const Tensor& mean, const Tensor& var) {
  for (const Tensor* r : {&mean, &var})
    if (r->defined() && (r->ndim() != 1 || r->size(0) != channels))
      fail(Code::shape,
           concat("[", op, "] running statistics must have shape [", channels, "], got ", r->sizes()), {},
           r == &mean ? "running_mean" : "running_var");
}

void channel_rule(const ShapeContext& c, const Tensor& x) {
  require_float(c, x);
  if (x.ndim() < 2)
    fail(Code::shape, concat("[", c.name(), "] takes (N, C, *), got shape ", x.sizes()), {}, "input");
}

}  // namespace

SHAPE(softmax) { softmax_rule(c); }
static void fused_softmax(Backward& b) { b.set(0, ops::softmax_backward(b.grad(), b.out(), b.attrs.i(0))); }
GRADIENT(softmax, .fused = fused_softmax, .saves = {OUT0}) {
  int64_t dim = b.attrs.i(0);
  Tensor y = b.out(), gy = b.grad() * y;
  b.set(0, gy - y * ops::sum(gy, IntList(&dim, 1), true));
}
SHAPE(log_softmax) { softmax_rule(c); }
static void fused_log_softmax(Backward& b) {
  b.set(0, ops::log_softmax_backward(b.grad(), b.out(), b.attrs.i(0)));
}
GRADIENT(log_softmax, .fused = fused_log_softmax, .saves = {OUT0}) {
  int64_t dim = b.attrs.i(0);
  b.set(0, b.grad() - ops::exp(b.out()) * ops::sum(b.grad(), IntList(&dim, 1), true));
}
SHAPE(softmax_backward) { like_second(c); }
SHAPE(log_softmax_backward) { like_second(c); }

SHAPE(batch_norm_stats) {
  const Tensor& x = c.in(0);
  channel_rule(c, x);
  Shape channels{x.size(1)};
  check_affine(c, 1, channels, "weight");
  check_affine(c, 2, channels, "bias");
  c.out(0, x.dtype(), x.sizes(), layout_of(c, 0, x.sizes()));
  c.out(1, wide_dtype(x.dtype()), channels);
  c.out(2, wide_dtype(x.dtype()), channels);
}
static void differentiable_batch_norm(Backward& b) {
  norm_gradient(b, channel_norm(b.in_sizes(0)), b.attrs.d(0), Spread::variance);
}
static void fused_batch_norm(Backward& b) {
  if (!b.has_grad(0) || b.has_grad(1) || b.has_grad(2)) return differentiable_batch_norm(b);
  set_fused(b, ops::batch_norm_backward(b.grad(), b.in(0), b.in(1), b.out(1), b.out(2), b.attrs.d(0)));
}
GRADIENT(batch_norm_stats, .fused = fused_batch_norm, .always = kNormSaves) { differentiable_batch_norm(b); }

SHAPE(batch_norm_backward) {
  const Tensor& x = c.in(1);
  DType t = c.has(2) ? c.in(2).dtype() : wide_dtype(x.dtype());
  c.out(0, x.dtype(), x.sizes(), layout_of(c, 1, x.sizes()));
  c.out(1, t, Shape{x.size(1)});
  c.out(2, t, Shape{x.size(1)});
}

SHAPE(batch_norm_update) {
  const Tensor &mean = c.in(0), &var = c.in(1);
  check_running("batch_norm", c.in(mean ? 2 : 3).numel(), mean, var);
  if (mean) require_float(c, mean, "running_mean");
  if (var) require_float(c, var, "running_var");
}

SHAPE(batch_norm_apply) {
  const Tensor& x = c.in(0);
  channel_rule(c, x);
  Shape channels{x.size(1)};
  check_affine(c, 1, channels, "weight");
  check_affine(c, 2, channels, "bias");
  check_affine(c, 3, channels, "running_mean");
  check_affine(c, 4, channels, "running_var");
  c.out(0, x.dtype(), x.sizes(), layout_of(c, 0, x.sizes()));
}
// The gradient for x is scaled by the same operator, which keeps its layout.
GRADIENT(batch_norm_apply,
         .saves = {IN1 | IN4 | SIZES, IN0 | IN1 | IN3 | IN4 | SIZES, SIZES, IN0 | IN1 | IN3 | IN4 | SIZES}) {
  double eps = b.attrs.d(0);
  IntList sizes = b.in_sizes(0);
  NormShape s = channel_norm(sizes);
  auto total = [&](const Tensor& t, int i) {
    return as_dtype(ops::reshape(ops::sum(t, s.dims), b.in_sizes(i)), b.in_dtype(i));
  };
  auto channelwise = [&](const Tensor& v) { return ops::view(v, s.affine); };
  if (b.needs(0)) {
    Tensor zero = ops::zeros(Shape{sizes[1]}, wide_dtype(b.in_dtype(0)), b.in_device(0));
    b.set(0, ops::batch_norm_apply(b.grad(), b.in(1), Tensor(), zero, b.in(4), eps));
  }
  if (b.needs(2))
    b.set(2, sizes.size() == 4 ? as_dtype(ops::channel_sum(b.grad()), b.in_dtype(2)) : total(b.grad(), 2));
  if (!b.needs(1) && !b.needs(3) && !b.needs(4)) return;
  Tensor g = widened(b.grad()), rstd = ops::rsqrt(widened(b.in(4)) + eps);
  Tensor w = widened(b.in(1)), scale = w.defined() ? w * rstd : rstd;
  Tensor dot = ops::sum(g * (widened(b.in(0)) - channelwise(widened(b.in(3)))), s.dims);  // (C)
  if (b.needs(1)) b.set(1, as_dtype(dot * rstd, b.in_dtype(1)));
  if (b.needs(3)) b.set(3, as_dtype(ops::sum(g, s.dims) * -scale, b.in_dtype(3)));
  if (b.needs(4)) b.set(4, as_dtype(dot * scale * ops::square(rstd) * -0.5, b.in_dtype(4)));
}

SHAPE(layer_norm_stats) {
  const Tensor& x = c.in(0);
  require_float(c, x);
  IntList shape = c.attrs.ints(0), sizes = x.sizes();
  const char* op = c.attrs.b(2) ? "rms_norm" : "layer_norm";
  if (shape.empty() || shape.size() > sizes.size() || !std::ranges::equal(sizes.last(shape.size()), shape))
    fail(Code::shape, concat("[", op, "] input of shape ", sizes, " does not end in ", shape),
         "normalized_shape names the last dimensions of input", "normalized_shape");
  check_affine(c, 1, shape, "weight", op);
  check_affine(c, 2, shape, "bias", op);
  NormShape s = trailing_norm(sizes, shape);
  c.out(0, x.dtype(), sizes);
  c.out(1, wide_dtype(x.dtype()), s.stats);
  c.out(2, wide_dtype(x.dtype()), s.stats);
}
static void differentiable_layer_norm(Backward& b) {
  norm_gradient(b, trailing_norm(b.in_sizes(0), b.attrs.ints(0)), b.attrs.d(1),
                b.attrs.b(2) ? Spread::rms : Spread::rstd);
}
static void fused_layer_norm(Backward& b) {
  if (!b.has_grad(0) || b.has_grad(1) || b.has_grad(2)) return differentiable_layer_norm(b);
  set_fused(b, ops::layer_norm_backward(b.grad(), b.in(0), b.attrs.ints(0), b.in(1), b.out(1), b.out(2),
                                        b.attrs.b(2)));
}
GRADIENT(layer_norm_stats, .fused = fused_layer_norm, .always = kNormSaves) { differentiable_layer_norm(b); }

SHAPE(layer_norm_backward) {
  const Tensor& x = c.in(1);
  DType t = c.has(2) ? c.in(2).dtype() : wide_dtype(x.dtype());
  c.out(0, x.dtype(), x.sizes());
  c.out(1, t, c.attrs.ints(0));
  c.out(2, t, c.attrs.ints(0));
}

namespace ops {

namespace {

// running += momentum * (batch - running), where the batch's variance counts `unbiased` times; each may be absent.
// Cold, so that it is short.
[[gnu::cold]] void update_running(const Tensor& mean, const Tensor& var, const Tensor& running_mean,
                                  const Tensor& running_var, double momentum, double unbiased) {
  NoGradGuard no_grad;
  const Tensor running[] = {running_mean, running_var}, batch[] = {mean, var};
  if (!(thread_state().modes & kModeBatch)) return batch_norm_update(2, momentum, unbiased, running, batch);
  // Under vmap they may be those of an example. What can fail comes before the first write: a call that fails leaves
  // both as they were.
  Tensor to[2];
  for (int i = 0; i < 2; ++i)
    if (running[i]) to[i] = as_dtype(batch[i] * (i ? unbiased : 1.0), running[i].dtype());
  for (int i = 0; i < 2; ++i)
    if (running[i]) lerp_(running[i], to[i], momentum);
}

}  // namespace

Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool train, double momentum, double eps) {
  if (x.ndim() == 1 && x.numel() == 0) return clone(x);  // no rows of no channels
  if (!train) {
    if (!running_mean.defined() || !running_var.defined())
      fail(Code::invalid_argument, "[batch_norm] evaluation needs running_mean and running_var",
           "give both, or set training", "running_mean");
    return batch_norm_apply(x, weight, bias, running_mean, running_var, eps);
  }
  if (x.ndim() < 2)
    fail(Code::shape, concat("[batch_norm] takes (N, C, *), got shape ", x.sizes()), {}, "input");
  int64_t channels = x.size(1), n = channels ? x.numel() / channels : 0;
  if (n == 1)
    fail(Code::shape,
         concat("[batch_norm] training needs more than 1 value per channel, got shape ", x.sizes()),
         "use a larger batch", "input");
  auto [out, mean, var] = batch_norm_stats(x, weight, bias, eps);
  if (n && (running_mean || running_var))
    update_running(mean, var, running_mean, running_var, momentum, double(n) / double(n - 1));
  return out;
}

Tensor layer_norm(const Tensor& x, IntList shape, const Tensor& weight, const Tensor& bias, double eps) {
  return layer_norm_stats(x, shape, weight, bias, eps)[0];
}

Tensor rms_norm(const Tensor& x, IntList shape, const Tensor& weight, double eps) {
  if (eps < 0) eps = x.dtype() == DType::f64 ? 0x1p-52 : 0x1p-23;
  return layer_norm_stats(x, shape, weight, Tensor(), eps, true)[0];
}

Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  if (x.ndim() < 2)
    fail(Code::shape,
         concat("[group_norm] Expected at least 2 dimensions for input tensor but received ", x.ndim()), {},
         "input");
  const int64_t n = x.size(0), c = x.size(1);
  if (groups < 1 || c % groups)
    fail(Code::invalid_argument,
         concat("[group_norm] Expected number of channels in input to be divisible by num_groups, but got "
                "input of shape ",
                x.sizes(), " and num_groups=", groups),
         {}, "num_groups");
  int64_t row = c / groups;
  for (int64_t s : x.sizes().subspan(2)) row *= s;
  if (n * row == 1)
    fail(Code::shape,
         concat("[group_norm] Expected more than 1 value per channel when training, got input size ",
                x.sizes()),
         {}, "input");
  Shape channels{1, c};
  for (int64_t d = 2; d < x.ndim(); ++d) channels.push_back(1);
  for (const Tensor* t : {&weight, &bias})
    if (t->defined() && (t->ndim() != 1 || t->numel() != c))
      fail(Code::shape, concat("[group_norm] weight and bias must have shape [", c, "], got ", t->sizes()),
           {}, t == &weight ? "weight" : "bias");
  Tensor y =
      reshape(layer_norm(reshape(x, Shape{n * groups, row}), Shape{row}, Tensor(), Tensor(), eps), x.sizes());
  if (weight.defined()) y = y * reshape(weight, channels);
  if (bias.defined()) y = y + reshape(bias, channels);
  return item_size(x.dtype()) == 2 ? as_dtype(y, x.dtype()) : y;
}

Tensor instance_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                     const Tensor& running_var, bool use_input_stats, double momentum, double eps) {
  if (!use_input_stats) return batch_norm(x, weight, bias, running_mean, running_var, false, momentum, eps);
  if (x.ndim() < 3)
    fail(Code::shape, concat("[instance_norm] takes (N, C, *), got shape ", x.sizes()), {}, "input");
  const int64_t n = x.size(0), c = x.size(1), inner = n && c ? x.numel() / (n * c) : 0;
  if (inner == 1)
    fail(Code::shape,
         concat("[instance_norm] Expected more than 1 spatial element when training, got input size ",
                x.sizes()),
         {}, "input");
  check_running("instance_norm", c, running_mean, running_var);
  const Tensor y = group_norm(x, c, weight, bias, eps);
  // Means over the batch; written when nothing can fail any more.
  if (running_mean.defined() || running_var.defined()) {
    const Tensor rows = reshape(detach(x), Shape{n, c, inner});
    const int64_t all[] = {0, 2}, last[] = {2}, first[] = {0};
    Tensor of_mean, of_var;
    if (running_mean) of_mean = mean(rows, all);
    if (running_var) of_var = mean(var(rows, last), first);
    update_running(of_mean, of_var, running_mean, running_var, momentum, 1);
  }
  return y;
}

Tensor local_response_norm(const Tensor& x, int64_t size, double alpha, double beta, double k) {
  if (x.ndim() < 3)
    fail(Code::shape,
         concat("[local_response_norm] Expected 3D or higher dimensionality input (got ", x.ndim(),
                " dimensions)"),
         {}, "input");
  if (size < 1 || size > INT32_MAX)
    fail(Code::invalid_argument, concat("[local_response_norm] size must be positive, got ", size), {},
         "size");
  if (x.numel() == 0) return x;
  Shape sides;
  for (int64_t d = 2; d < x.ndim(); ++d) sides.push_back(0), sides.push_back(0);
  sides.push_back(size / 2);
  sides.push_back((size - 1) / 2);
  const int64_t last[] = {x.ndim()};
  const Tensor wide = widened(x);
  return as_dtype(
      wide / pow_scalar(mean(unfold(pad(square(wide), sides), 1, size, 1), last) * alpha + k, Scalar(beta)),
      x.dtype());
}

}  // namespace ops

}  // namespace haft
