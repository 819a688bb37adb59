// Random whole numbers by search and by rejection, in operators: all variables at once until each has its value.
#include <cmath>
#include <functional>
#include <vector>

#include "core/dispatch/generator.h"
#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"
#include "core/tensor/batched.h"

namespace haft::ops {

namespace {

using OfCount = std::function<Tensor(const Tensor&)>;

// A law of whole numbers, in float64.
struct CountLaw {
  Tensor mean, center;
  Tensor a, b, quick, width;  // of the hat, and of what is taken without a look at the law
  OfCount log_mass;           // at k, up to `norm`
  OfCount growth;             // the mass of k over that of k - 1
  Tensor log_first;           // the logarithm of the mass of 0
  Tensor norm;
};

constexpr double kFewExpected = 10;

// Of all examples of a vmap: what is done for one goes on until all are.
bool any_of(const Tensor& x) { return item(any(with_all_examples(x))).to<bool>(); }

// Where few are expected: adds up the masses from 0 on until they exceed a uniform number.
Tensor search(const CountLaw& law, const Tensor& few, IntList shape, Generator* gen) {
  const Tensor u = where(few, rand(shape, DType::f64, law.mean.device(), gen), zeros_like(law.mean));
  Tensor mass = exp(where(few, law.log_first, zeros_like(law.mean))), reached = mass,
         k = zeros(shape, DType::f64, u.device());
  for (int n = 1; n < 200; ++n) {  // nobody reaches 200 of 10
    const Tensor on = gt(u, reached);
    if (!any_of(on)) break;
    k = k + as_dtype(on, DType::f64);
    mass = mass * law.growth(full({}, double(n), DType::f64, u.device()));
    reached = reached + mass;
  }
  return k;
}

// Where many are: transformed rejection (Hörmann, 1993), all variables at once until each has its value.
Tensor reject(const CountLaw& law, const Tensor& few, IntList shape, Generator* gen) {
  const Device d = law.mean.device();
  Tensor k = zeros(shape, DType::f64, d), left = logical_and(logical_not(few), isfinite(law.mean));
  while (any_of(left)) {
    const Tensor u = rand(shape, DType::f64, d, gen) - 0.5,
                 v = clamp(rand(shape, DType::f64, d, gen), 1e-300);
    const Tensor us = 0.5 - abs(u), tried = floor((law.a * 2 / us + law.b) * u + law.center);
    const Tensor quick = logical_and(ge_scalar(us, 0.07), le(v, law.quick));
    const Tensor height = log(v) + law.width - log(law.a / square(us) + law.b);
    const Tensor inside =
        logical_and(ge_scalar(tried, 0), le(height, law.log_mass(clamp(tried, 0)) - law.norm));
    const Tensor taken = logical_and(left, logical_or(quick, inside));
    k = where(taken, tried, k);
    left = logical_and(left, logical_not(taken));
  }
  return k;
}

Tensor draw_counts(const CountLaw& law, IntList shape, Generator* gen) {
  const Tensor few = lt_scalar(law.mean, kFewExpected);
  const Tensor k = where(few, search(law, few, shape, gen), reject(law, few, shape, gen));
  return where(isfinite(law.mean), k, law.mean);
}

void check_counts(const char* op, const Tensor& x, const char* argument, const Tensor& holds,
                  const char* what) {
  if (!is_float(x.dtype()))
    fail(Code::dtype,
         concat("[", op, "] ", argument, " must be a floating tensor, got ", dtype_name(x.dtype())),
         "convert it with to()", argument);
  if (any_of(logical_not(holds)))
    fail(Code::invalid_argument, concat("[", op, "] every element of ", argument, " must ", what), {},
         argument);
}

Tensor in_doubles(const Tensor& x) { return as_dtype(detach(x), DType::f64); }

}  // namespace

Tensor poisson(const Tensor& rate, Generator* gen) {
  NoGradGuard none;
  check_counts("poisson", rate, "input", ge_scalar(rate, 0), "be at least 0");
  const Tensor mean = in_doubles(rate), logged = log(mean);
  CountLaw law{.mean = mean,
               .center = mean + 0.43,
               .a = {},
               .b = sqrt(mean) * 2.53 + 0.931,
               .quick = {},
               .width = {},
               .log_mass = [=](const Tensor& k) { return k * logged - mean - lgamma(k + 1); },
               .growth = [=](const Tensor& k) { return mean / k; },
               .log_first = -mean,
               .norm = zeros_like(mean)};
  law.a = law.b * 0.02483 - 0.059;
  law.quick = 0.9277 - reciprocal(law.b - 2) * 3.6224;
  law.width = log(reciprocal(law.b - 3.4) * 1.1328 + 1.1239);
  return cast(draw_counts(law, rate.sizes(), gen), rate.dtype());
}

// By the rarer of success and failure.
Tensor binomial(const Tensor& count, const Tensor& prob, Generator* gen) {
  NoGradGuard none;
  check_counts("binomial", count, "count", ge_scalar(count, 0), "be at least 0");
  check_counts("binomial", prob, "prob", logical_and(ge_scalar(prob, 0), le_scalar(prob, 1)),
               "be from 0 to 1");
  const Tensor all[] = {count, prob};
  const std::vector<Tensor> alike = broadcast_tensors(all);
  const Tensor &trials = alike[0], &probs = alike[1];
  const Tensor n = in_doubles(trials), success = in_doubles(probs), swapped = gt_scalar(success, 0.5);
  const Tensor p = where(swapped, 1 - success, success), q = 1 - p, odds = p / q, mean = n * p;
  const Tensor spread = sqrt(mean * q), top = floor((n + 1) * p);
  const auto log_mass = [=](const Tensor& k) {
    const Tensor in = minimum(k, n);
    const Tensor mass = k * log(odds) - lgamma(in + 1) - lgamma(n - in + 1);
    return masked_fill(mass, gt(k, n), -INFINITY);
  };
  CountLaw law{.mean = mean,
               .center = mean + 0.5,
               .a = {},
               .b = spread * 2.53 + 1.15,
               .quick = {},
               .width = {},
               .log_mass = log_mass,
               .growth = [=](const Tensor& k) { return odds * clamp(n - k + 1, 0) / k; },
               .log_first = n * log1p(-p),
               .norm = log_mass(top)};
  law.a = law.b * 0.0248 + p * 0.01 - 0.0873;
  law.quick = 0.92 - reciprocal(law.b) * 4.2;
  law.width = log((reciprocal(law.b) * 5.1 + 2.83) * spread);
  const Tensor k = draw_counts(law, trials.sizes(), gen);
  return cast(where(swapped, n - k, k), probs.dtype());
}

}  // namespace haft::ops
