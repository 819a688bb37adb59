// Random tensors: a composite takes blocks of a generator's stream, a kernel draws from them.
// core/schema/philox.h defines the numbers; whatever their type, n of them take ceil(n / 4) blocks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/dispatch/generator.h"
#include "core/ops/complex.h"
#include "core/ops/creation.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

void floating_out(ShapeContext& c, const char* op) {
  creation_out(c, c.attrs.ints(0), 5, default_float());
  if (!is_float(c.outs[0].dtype))
    fail(Code::dtype, concat("[", op, "] draws floating numbers, got ", dtype_name(c.outs[0].dtype)),
         "use randint() for integers", "dtype");
}

// Named as the user knows the operator, not the kernel.
void need_float(const Tensor& x, const char* op, const char* argument) {
  if (!is_float(x.dtype()))
    fail(Code::dtype,
         concat("[", op, "] ", argument, " must be a floating tensor, got ", dtype_name(x.dtype())),
         "convert it with to()", argument);
}

// Integers up to this stand in the type without gaps.
int64_t largest_exact(DType t) {
  return visit_dtype(t, []<class T>() -> int64_t {
    if constexpr (std::is_same_v<T, Half>)
      return int64_t(1) << 11;
    else if constexpr (std::is_same_v<T, BFloat16>)
      return int64_t(1) << 8;
    else if constexpr (std::is_floating_point_v<T>)
      return int64_t(1) << std::numeric_limits<T>::digits;
    else
      return int64_t(std::numeric_limits<T>::max());
  });
}
int64_t smallest_exact(DType t) {
  return visit_dtype(t, [&]<class T>() -> int64_t {
    if constexpr (std::is_integral_v<T>)
      return int64_t(std::numeric_limits<T>::min());
    else
      return -largest_exact(t);
  });
}

}  // namespace

SHAPE(philox_uniform) {
  floating_out(c, "uniform");
  const double low = c.attrs.d(1), high = c.attrs.d(2);
  if (!(low <= high) || high - low > std::numeric_limits<double>::max())
    fail(Code::invalid_argument,
         concat("[uniform] low must not be above high, both finite, got ", low, " and ", high), {}, "low");
}

SHAPE(philox_normal) {
  floating_out(c, "normal");
  if (!(c.attrs.d(2) >= 0))
    fail(Code::invalid_argument, concat("[normal] std must not be negative, got ", c.attrs.d(2)), {}, "std");
}

SHAPE(philox_randint) {
  creation_out(c, c.attrs.ints(0), 5, DType::i64);
  const int64_t low = c.attrs.i(1), high = c.attrs.i(2);
  const DType t = c.outs[0].dtype;
  if (low >= high)
    fail(Code::invalid_argument, concat("[randint] low must be below high, got ", low, " and ", high), {},
         "high");
  if (low < smallest_exact(t) || high - 1 > largest_exact(t))
    fail(Code::invalid_argument,
         concat("[randint] ", dtype_name(t), " cannot hold all of ", low, "..", high - 1),
         "use a wider dtype", "dtype");
}

SHAPE(philox_bernoulli) {
  need_float(c.in(0), "bernoulli", "input");
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}
// As PyTorch has it: what was drawn is a step of its probability.
GRADIENT(philox_bernoulli) { b.set(0, ops::zeros_like(b.grad())); }

SHAPE(philox_gamma) {
  need_float(c.in(0), "standard_gamma", "input");
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}

// Implicit reparameterisation (Figurnov et al., arXiv:1805.08498).
GRADIENT(philox_gamma, .saves = {IN0 | OUT0}) { b.set(0, b.grad() * ops::gamma_slope(b.in(0), b.out(0))); }

// Of the sample by the density's logarithm, whose slopes are known.
GRADIENT(gamma_slope, .saves = {0, IN0 | IN1 | OUT0}) {
  if (b.needs(0))
    fail(Code::unsupported,
         "[gamma_slope] the shape parameter of gamma variables and of igamma has no second derivative");
  const Tensor a = b.in(0), x = b.in(1);
  if (b.needs(1)) b.set(1, b.grad() * (ops::digamma(a) - ops::log(x) - b.out() * ((a - 1) / x - 1)));
}

SHAPE(gamma_slope) {
  need_float(c.in(0), "gamma_slope", "input");
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}

SHAPE(philox_randperm) {
  const int64_t n[] = {c.attrs.i(0)};
  if (n[0] < 0 || n[0] >= int64_t(1) << 32)
    fail(Code::invalid_argument, concat("[randperm] n must be in 0..2^32 - 1, got ", n[0]), {}, "n");
  creation_out(c, n, 3, DType::i64);
  const DType t = c.outs[0].dtype;
  if (n[0] - 1 > largest_exact(t))
    fail(Code::invalid_argument, concat("[randperm] ", dtype_name(t), " cannot hold ", n[0] - 1),
         "use a wider dtype", "dtype");
}

SHAPE(philox_dropout) {
  const Tensor& x = c.in(0);
  need_float(x, "dropout", "input");
  c.out(0, x.dtype(), x.sizes());
  c.out(1, DType::boolean, x.sizes());
}
// Drawing again would need no mask, but costs twice as much as reading one.
GRADIENT(philox_dropout, .saves = {OUT1}) {
  const Tensor zero = ops::zeros({}, b.grad().dtype(), b.grad().device());
  b.set(0, ops::where(b.out(1), b.grad() * (1 / (1 - b.attrs.d(0))), zero));
}

SHAPE(philox_multinomial) {
  const Tensor& w = c.in(0);
  need_float(w, "multinomial", "input");
  const int64_t n = c.attrs.i(0);
  if (w.ndim() < 1 || w.ndim() > 2)
    fail(Code::shape, concat("[multinomial] input has one or two dimensions, got shape ", w.sizes()), {},
         "input");
  if (n <= 0)
    fail(Code::invalid_argument, concat("[multinomial] num_samples must be positive, got ", n), {},
         "num_samples");
  const int64_t classes = w.size(-1);
  if (classes == 0)
    fail(Code::shape, concat("[multinomial] there is nothing to draw from in shape ", w.sizes()), {},
         "input");
  if (n > classes && !c.attrs.b(1))
    fail(Code::invalid_argument,
         concat("[multinomial] cannot draw ", n, " of ", classes, " without replacement"),
         "draw with replacement", "num_samples");
  Shape sizes(w.sizes());
  sizes.back() = n;
  c.out(0, DType::i64, sizes);
}

namespace ops {

namespace {

// The sizes of complex numbers as pairs.
Shape paired(IntList size) {
  Shape s(size);
  s.push_back(2);
  return s;
}

}  // namespace

Tensor uniform(IntList size, double low, double high, DType dtype, Device device, Generator* gen) {
  if (is_complex(dtype)) return joined(uniform(paired(size), low, high, real_dtype(dtype), device, gen));
  const Draw d = draw(gen, checked_numel(size));
  return philox_uniform(size, low, high, d.seed, d.offset, dtype, device);
}

// The variance of complex numbers is that of both parts, which have half of it each.
Tensor normal(double mean, double std, IntList size, DType dtype, Device device, Generator* gen) {
  if (is_complex(dtype)) {
    const Tensor z =
        joined(normal(0, std * std::numbers::sqrt2 / 2, paired(size), real_dtype(dtype), device, gen));
    return mean == 0 ? z : z + mean;
  }
  const Draw d = draw(gen, checked_numel(size));
  return philox_normal(size, mean, std, d.seed, d.offset, dtype, device);
}

namespace {

// What a law draws, made of uniform or normal numbers in at least float32 and brought to its type.
DType drawn_in(DType t) { return t == DType::f64 ? t : DType::f32; }
DType drawn_type(DType t) { return t == DType::none ? default_float() : t; }

}  // namespace

Tensor exponential(IntList size, double lambd, DType dtype, Device device, Generator* gen) {
  if (!(lambd > 0))
    fail(Code::invalid_argument, concat("[exponential] lambd must be above 0, got ", lambd), {}, "lambd");
  const DType t = drawn_type(dtype);
  return as_dtype(log1p(-uniform(size, 0, 1, drawn_in(t), device, gen)) / -lambd, t);
}

Tensor cauchy(IntList size, double median, double sigma, DType dtype, Device device, Generator* gen) {
  if (!(sigma > 0))
    fail(Code::invalid_argument, concat("[cauchy] sigma must be above 0, got ", sigma), {}, "sigma");
  const DType t = drawn_type(dtype);
  return as_dtype(
      tan((uniform(size, 0, 1, drawn_in(t), device, gen) - 0.5) * std::numbers::pi) * sigma + median, t);
}

Tensor log_normal(IntList size, double mean, double std, DType dtype, Device device, Generator* gen) {
  if (!(std > 0))
    fail(Code::invalid_argument, concat("[log_normal] std must be above 0, got ", std), {}, "std");
  const DType t = drawn_type(dtype);
  return as_dtype(exp(normal(mean, std, size, drawn_in(t), device, gen)), t);
}

Tensor geometric(IntList size, double p, DType dtype, Device device, Generator* gen) {
  if (!(p > 0 && p < 1))
    fail(Code::invalid_argument, concat("[geometric] p must be between 0 and 1, got ", p), {}, "p");
  const Tensor u = 1 - uniform(size, 0, 1, drawn_in(dtype), device, gen);  // in (0, 1]
  return as_dtype(clamp(ceil(log(u) / std::log1p(-p)), 1), drawn_type(dtype));
}

Tensor rand(IntList size, DType dtype, Device device, Generator* gen) {
  return uniform(size, 0, 1, dtype, device, gen);
}
Tensor randn(IntList size, DType dtype, Device device, Generator* gen) {
  return normal(0, 1, size, dtype, device, gen);
}

Tensor rand_like(const Tensor& x, DType dtype, Generator* gen) {
  return uniform(x.sizes(), 0, 1, dtype == DType::none ? x.dtype() : dtype, x.device(), gen);
}
Tensor randn_like(const Tensor& x, DType dtype, Generator* gen) {
  return normal(0, 1, x.sizes(), dtype == DType::none ? x.dtype() : dtype, x.device(), gen);
}

Tensor randint(int64_t low, int64_t high, IntList size, DType dtype, Device device, Generator* gen) {
  const Draw d = draw(gen, checked_numel(size));
  return philox_randint(size, low, high, d.seed, d.offset, dtype, device);
}

Tensor randperm(int64_t n, DType dtype, Device device, Generator* gen) {
  const Draw d = draw(gen, std::max<int64_t>(n, 0));
  return philox_randperm(n, d.seed, d.offset, dtype, device);
}

Tensor bernoulli(const Tensor& p, Generator* gen) {
  const Draw d = draw(gen, p.numel());
  return philox_bernoulli(p, d.seed, d.offset);
}

Tensor standard_gamma(const Tensor& shape, Generator* gen) {
  const Draw d = draw(gen, shape.numel());
  return philox_gamma(shape, d.seed, d.offset);
}

// With replacement every draw takes a number, without every class does.
Tensor multinomial(const Tensor& weights, int64_t n, bool replacement, Generator* gen) {
  int64_t rows = weights.ndim() == 2 ? weights.size(0) : 1, numbers = weights.numel();
  if (replacement && __builtin_mul_overflow(rows, std::max<int64_t>(n, 0), &numbers))
    fail(Code::overflow,
         concat("[multinomial] ", n, " draws from ", rows, " rows are more than memory can hold"), {},
         "num_samples");
  const Draw d = draw(gen, numbers);
  return philox_multinomial(weights, n, replacement, d.seed, d.offset);
}

Tensor dropout(const Tensor& x, double p, bool train, Generator* gen) {
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat("[dropout] p must be in 0..1, got ", p), {}, "p");
  if (!train || p == 0) return x;
  if (p == 1) return fill(x, 0.0);
  const Draw d = draw(gen, x.numel());
  return philox_dropout(x, p, d.seed, d.offset)[0];
}

namespace {

void check_p(const char* op, const Tensor& x, double p) {
  need_float(x, op, "input");
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat("[", op, "] p must be in 0..1, got ", p), {}, "p");
}

// 1 with probability 1 - p for each element, or for each channel of each sample, else 0.
Tensor kept(const char* op, const Tensor& x, double p, bool channels, Generator* gen) {
  Shape size(x.sizes());
  if (channels && x.ndim() < 2)
    fail(Code::shape, concat("[", op, "] takes (N, C, *), got shape ", x.sizes()), {}, "input");
  for (int64_t d = 2; channels && d < x.ndim(); ++d) size[d] = 1;
  NoGradGuard off;
  // 16 bits would round p.
  return as_dtype(bernoulli(full(size, Scalar(1 - p), wide_dtype(x.dtype()), x.device()), gen), x.dtype());
}

// What is dropped takes SELU's limit below; a and b bring mean and variance back to 0 and 1.
Tensor dropped_alpha(const char* op, const Tensor& x, double p, bool train, bool channels, Generator* gen) {
  check_p(op, x, p);
  if (!train || p == 0) return x;
  if (p == 1) return x * 0.0;
  constexpr double low = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
  const double a = 1 / std::sqrt((1 - p) * (1 + p * low * low)), b = -a * low * p;
  const Tensor keep = kept(op, x, p, channels, gen);
  return x * (keep * a) + ((1 - keep) * (a * low) + b);
}

}  // namespace

Tensor feature_dropout(const Tensor& x, double p, bool train, Generator* gen) {
  check_p("feature_dropout", x, p);
  if (!train || p == 0) return x;
  return x * (kept("feature_dropout", x, p, true, gen) * (p == 1 ? 0.0 : 1 / (1 - p)));
}

Tensor alpha_dropout(const Tensor& x, double p, bool train, Generator* gen) {
  return dropped_alpha("alpha_dropout", x, p, train, false, gen);
}

Tensor feature_alpha_dropout(const Tensor& x, double p, bool train, Generator* gen) {
  return dropped_alpha("feature_alpha_dropout", x, p, train, true, gen);
}

// Of logits in float64 or at least float32; hard: the gradient is that of the soft sample.
Tensor gumbel_softmax(const Tensor& logits, double tau, bool hard, int64_t dim, Generator* gen) {
  need_float(logits, "gumbel_softmax", "logits");
  const DType t = wide_dtype(logits.dtype());
  Tensor noise;
  {
    NoGradGuard off;
    noise = -log(-log(clamp(uniform(logits.sizes(), 0, 1, t, logits.device(), gen), 1e-38, 1 - 6e-8)));
  }
  const Tensor soft = softmax((logits + as_dtype(noise, logits.dtype())) / tau, dim);
  if (!hard) return soft;
  const Tensor plain = detach(soft), index = argmax(plain, dim, true);
  return scatter(zeros_like(plain), dim, index, ones(index.sizes(), plain.dtype(), plain.device())) - plain +
         soft;
}

Tensor rrelu(const Tensor& x, double lower, double upper, bool train, Generator* gen) {
  need_float(x, "rrelu", "input");
  if (!(lower <= upper))
    fail(Code::invalid_argument, concat("[rrelu] lower must not be above upper, got ", lower, " and ", upper),
         {}, "lower");
  if (!train) return leaky_relu(x, (lower + upper) / 2);
  Tensor slope;
  {
    NoGradGuard off;
    slope = where(gt_scalar(x, Scalar(0)), ones({}, x.dtype(), x.device()),
                  uniform(x.sizes(), 0, 1, x.dtype(), x.device(), gen) * (upper - lower) + lower);
  }
  return x * slope;
}

}  // namespace ops
}  // namespace haft
