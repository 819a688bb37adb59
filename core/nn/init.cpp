#include "core/nn/init.h"

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

// Inverse of the normal distribution's error function: a start that is good to 1e-3, then Newton's steps.
double inverse_erf(double y) {
  if (y <= -1 || y >= 1) return std::copysign(std::numeric_limits<double>::infinity(), y);
  double l = std::log1p(-y * y), u = 2 / (M_PI * 0.147) + l / 2;
  double x = std::copysign(std::sqrt(std::sqrt(u * u - l / 0.147) - u), y);
  for (int i = 0; i < 3; ++i) {
    // In the tails 1 - |y| cancels: compare complements there.
    double off =
        std::abs(y) < 0.5 ? std::erf(x) - y : -std::copysign(std::erfc(std::abs(x)) - (1 - std::abs(y)), y);
    x -= off * std::sqrt(M_PI) / 2 * std::exp(x * x);
  }
  return x;
}

// Doubles in t's shape, row-major, into t.
void write_doubles(const Tensor& t, const std::vector<double>& values) {
  Tensor host = new_tensor(t.sizes(), DType::f64);
  if (t.numel()) copy_from_host(host, values.data());
  ops::copy_(t, ops::to(host, DType::none, t.device()));
}

std::vector<double> draw(const Tensor& random) {
  std::vector<double> v(size_t(random.numel()));
  copy_to_host(random, v.data());
  return v;
}

double dot(const double* a, const double* b, int64_t n) {
  double s = 0;
  for (int64_t i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
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
  std::vector<double> v = draw(ops::uniform(t.sizes(), from, to, DType::f64, Device{}, gen));
  for (double& x : v) x = std::clamp(mean + std * M_SQRT2 * inverse_erf(x), low, high);
  write_doubles(t, v);
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
  std::vector<double> q = draw(ops::normal(0, 1, size, DType::f64, Device{}, gen));  // (few, many)
  for (int64_t i = 0; i < few; ++i) {
    double* row = &q[size_t(i * many)];
    for (int pass = 0; pass < 2; ++pass)  // Gram and Schmidt; twice is enough (Kahan)
      for (int64_t j = 0; j < i; ++j) {
        const double* other = &q[size_t(j * many)];
        double along = dot(row, other, many);
        for (int64_t k = 0; k < many; ++k) row[k] -= along * other[k];
      }
    double scale = 1 / std::sqrt(dot(row, row, many));
    for (int64_t k = 0; k < many; ++k) row[k] *= scale;
  }
  std::vector<double> v(q.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < cols; ++k)
      v[size_t(i * cols + k)] = gain * q[size_t(rows <= cols ? i * many + k : k * many + i)];
  write_doubles(t, v);
}

}  // namespace haft::nn
