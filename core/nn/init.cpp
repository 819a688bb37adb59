#include "core/nn/init.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

void check_positive(double v, const char* what, const char* name) {
  if (!(v >= 0) || std::isinf(v))
    fail(Code::invalid_argument, concat("[", what, "] ", name, " must be a number from 0 up, got ", v), {},
         name);
}

// sum a b, and a -= s b; sixteen sums at a time, which vectors hold.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T part[16] = {}, sum = 0;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int k = 0; k < 16; ++k) part[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sum += a[i] * b[i];
  for (T p : part) sum += p;
  return sum;
}
template <class T>
void subtract(T* a, T s, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) a[i] -= s * b[i];
}

// Rows of q, few of many, made orthonormal by Gram and Schmidt, each block of rows against those before it by
// products; twice is enough (Giraud, Langou and Rozloznik, 2005).
template <class T>
void make_orthonormal_rows(const Tensor& q) {
  constexpr int64_t kBlock = 32;
  const int64_t few = q.size(0), many = q.size(1);
  T* rows = static_cast<T*>(q.view().data);
  for (int64_t i = 0; i < few; i += kBlock) {
    const int64_t count = std::min(kBlock, few - i);
    const Tensor block = ops::narrow(q, 0, i, count), before = ops::narrow(q, 0, 0, i);
    for (int pass = 0; pass < 2; ++pass) {
      if (i)
        ops::copy_(block, ops::addmm(block, ops::mm(block, ops::t(before)), before, Scalar(1), Scalar(-1)));
      for (int64_t r = i; r < i + count; ++r) {
        T* row = rows + r * many;
        for (int64_t k = i; k < r; ++k) subtract(row, dot(row, rows + k * many, many), rows + k * many, many);
        const T scale = 1 / std::sqrt(dot(row, row, many));
        for (int64_t k = 0; k < many; ++k) row[k] *= scale;
      }
    }
  }
}

}  // namespace

double gain(Nonlinearity n, double negative_slope) {
  switch (n) {
    case Nonlinearity::tanh: return 5.0 / 3;
    case Nonlinearity::relu: return std::sqrt(2.0);
    case Nonlinearity::leaky_relu: return std::sqrt(2 / (1 + negative_slope * negative_slope));
    case Nonlinearity::selu: return 0.75;
    default: return 1;
  }
}

Fans fans(const Tensor& weight) {
  if (weight.ndim() < 2)
    fail(Code::shape,
         concat("fan in and fan out need a weight of at least 2 dimensions, got shape ", weight.sizes()));
  int64_t field = 1;
  for (int64_t d = 2; d < weight.ndim(); ++d) field *= weight.size(d);
  return {weight.size(1) * field, weight.size(0) * field};
}

Tensor new_parameter(IntList sizes, DType dtype, Device device) {
  if (dtype != DType::none && !is_float(dtype))
    fail(Code::dtype, concat("parameters must be floating, got ", dtype_name(dtype)), {}, "dtype");
  ScopedValue<bool> recorded(thread_state().inference, false);
  return ops::empty(sizes, dtype, device);
}

void uniform_(const Tensor& t, double low, double high, Generator* gen) {
  NoGradGuard off;
  ops::copy_(t, ops::uniform(t.sizes(), low, high, t.dtype(), t.device(), gen));
}

void normal_(const Tensor& t, double mean, double std, Generator* gen) {
  check_positive(std, "normal_", "std");
  NoGradGuard off;
  ops::copy_(t, ops::normal(mean, std, t.sizes(), t.dtype(), t.device(), gen));
}

void constant_(const Tensor& t, double value) {
  NoGradGuard off;
  ops::fill_(t, Scalar(value));
}

void trunc_normal_(const Tensor& t, double mean, double std, double low, double high, Generator* gen) {
  check_positive(std, "trunc_normal_", "std");
  if (!(low < high))
    fail(Code::invalid_argument, concat("[trunc_normal_] low must be below high, got ", low, " and ", high),
         {}, "low");
  NoGradGuard off;
  auto below = [&](double x) { return std::erf((x - mean) / (std * M_SQRT2)); };
  double from = below(low), to = below(high);
  if (!(from < to))
    fail(Code::invalid_argument,
         concat("[trunc_normal_] [", low, ", ", high, "] is too far from the mean ", mean,
                " for the standard deviation ", std),
         {}, "low");
  // In one tail alone 1 - |erf| would have no digits of float32.
  const DType dtype = t.dtype() == DType::f64 || std::min(from, to) > 0.9 || std::max(from, to) < -0.9
                          ? DType::f64
                          : DType::f32;
  Tensor x = ops::uniform(t.sizes(), from, to, dtype, t.device(), gen);
  const double end = dtype == DType::f64 ? 1 - 0x1p-53 : 1 - 0x1p-24;  // next to 1, where erfinv is infinite
  ops::clamp_(x, Scalar(-end), Scalar(end));
  ops::erfinv_(x);
  ops::mul_scalar_(x, Scalar(std * M_SQRT2));
  ops::add_scalar_(x, Scalar(mean));
  ops::clamp_(x, Scalar(low), Scalar(high));
  ops::copy_(t, x);
}

void xavier_uniform_(const Tensor& t, double gain, Generator* gen) {
  Fans f = fans(t);
  double bound = gain * std::sqrt(6.0 / double(std::max<int64_t>(f.in + f.out, 1)));
  uniform_(t, -bound, bound, gen);
}

void xavier_normal_(const Tensor& t, double gain, Generator* gen) {
  Fans f = fans(t);
  normal_(t, 0, gain * std::sqrt(2.0 / double(std::max<int64_t>(f.in + f.out, 1))), gen);
}

namespace {
double kaiming_std(const Tensor& t, double a, Fan mode, Nonlinearity n) {
  Fans f = fans(t);
  return gain(n, a) / std::sqrt(double(std::max<int64_t>(mode == Fan::in ? f.in : f.out, 1)));
}
}  // namespace

void kaiming_uniform_(const Tensor& t, double a, Fan mode, Nonlinearity n, Generator* gen) {
  double bound = std::sqrt(3.0) * kaiming_std(t, a, mode, n);
  uniform_(t, -bound, bound, gen);
}

void kaiming_normal_(const Tensor& t, double a, Fan mode, Nonlinearity n, Generator* gen) {
  normal_(t, 0, kaiming_std(t, a, mode, n), gen);
}

void orthogonal_(const Tensor& t, double gain, Generator* gen) {
  if (t.ndim() < 2)
    fail(Code::shape, concat("[orthogonal_] needs at least 2 dimensions, got shape ", t.sizes()));
  if (t.numel() == 0) return;
  NoGradGuard off;
  int64_t rows = t.size(0), cols = t.numel() / rows, few = std::min(rows, cols), many = std::max(rows, cols);
  const int64_t size[] = {few, many};
  const bool wide = t.dtype() == DType::f64;
  const Tensor q = ops::normal(0, 1, size, wide ? DType::f64 : DType::f32, Device{}, gen);
  wide ? make_orthonormal_rows<double>(q) : make_orthonormal_rows<float>(q);
  const Tensor matrix = rows <= cols ? q : ops::t(q);
  ops::copy_(
      t, ops::to(ops::reshape(ops::mul_scalar(matrix, Scalar(gain)), t.sizes()), DType::none, t.device()));
}

Tensor orthonormal_rows(const Tensor& matrix) {
  NoGradGuard off;
  const bool wide = matrix.dtype() == DType::f64;
  const Tensor q = ops::empty(matrix.sizes(), wide ? DType::f64 : DType::f32, Device{});
  ops::copy_(q, matrix);
  wide ? make_orthonormal_rows<double>(q) : make_orthonormal_rows<float>(q);
  return q;
}

void dirac_(const Tensor& t, int64_t groups) {
  if (t.ndim() < 3 || t.ndim() > 5)
    fail(Code::shape,
         concat("[dirac_] wants the weight of a convolution, 3 to 5 dimensions, got shape ", t.sizes()), {},
         "t");
  if (groups < 1 || t.size(0) % groups)
    fail(Code::invalid_argument,
         concat("[dirac_] dim 0 must be divisible by groups, got shape ", t.sizes(), " and ", groups,
                " groups"),
         {}, "groups");
  if (t.numel() == 0) return;
  NoGradGuard off;
  const Tensor values = ops::zeros(t.sizes(), t.dtype(), t.device());  // t is written at once, or not
  Tensor middle = values;                                              // (out, in)
  for (int64_t d = t.ndim() - 1; d >= 2; --d) middle = ops::select(middle, d, t.size(d) / 2);
  const int64_t each = t.size(0) / groups;
  for (int64_t g = 0; g < groups; ++g)
    ops::fill_(ops::diagonal(ops::narrow(middle, 0, g * each, each)), Scalar(1.0));
  ops::copy_(t, values);
}

void sparse_(const Tensor& t, double sparsity, double std, Generator* gen) {
  if (t.ndim() != 2) fail(Code::shape, concat("[sparse_] wants a matrix, got shape ", t.sizes()), {}, "t");
  if (!(sparsity >= 0 && sparsity <= 1))
    fail(Code::invalid_argument, concat("[sparse_] sparsity must be in [0, 1], got ", sparsity), {},
         "sparsity");
  check_positive(std, "sparse_", "std");
  NoGradGuard off;
  const Tensor values = ops::empty(t.sizes(), t.dtype(), t.device());
  normal_(values, 0, std, gen);
  const int64_t rows = t.size(0), zeros = int64_t(std::ceil(sparsity * double(rows)));
  if (zeros == 0 || t.numel() == 0) return void(ops::copy_(t, values));
  // A random order of each column's rows, of which the first ones go.
  const Tensor order = ops::argsort(ops::uniform(t.sizes(), 0, 1, DType::f64, t.device(), gen), 0);
  ops::scatter_(values, 0, ops::narrow(order, 0, 0, zeros),
                ops::zeros(Shape{zeros, t.size(1)}, t.dtype(), t.device()));
  ops::copy_(t, values);
}

}  // namespace haft::nn
