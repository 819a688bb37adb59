#include "core/autograd/gradcheck.h"

#include <random>

#include "core/dispatch/host_access.h"
#include "core/dispatch/layout.h"
#include "core/dispatch/prepare.h"

namespace haft {

namespace {

std::vector<double> values(const Tensor& t) {
  std::vector<double> v(size_t(t.numel()));
  copy_to_host(t, v.data());
  return v;
}

Tensor from_values(const std::vector<double>& v, const Tensor& like) {
  Tensor t = new_tensor(like.sizes(), DType::f64, like.device());
  copy_from_host(t, v.data());
  return t;
}

std::vector<Tensor> floats(std::vector<Tensor> ts) {
  std::erase_if(ts, [](const Tensor& t) { return !is_differentiable(t.dtype()); });
  for (const Tensor& t : ts)
    if (t.dtype() != DType::f64)
      fail(Code::dtype, concat("gradcheck needs float64 outputs, got ", dtype_name(t.dtype())),
           is_complex(t.dtype()) ? "answer view_as_real() of them" : "");
  return ts;
}

// Sum over the outputs of <weights, output>, computed on the host so that it adds no rounding of its own.
double weighted(const CheckedFunction& fn, std::span<const Tensor> inputs,
                const std::vector<std::vector<double>>& weights) {
  std::vector<Tensor> out = floats(fn(inputs));
  double total = 0;
  for (size_t k = 0; k < out.size(); ++k) {
    std::vector<double> v = values(out[k]);
    for (size_t i = 0; i < v.size(); ++i)
      if (weights[k][i] != 0) total += weights[k][i] * v[i];
  }
  return total;
}

// An input whose values are changed for a while: they come back also when fn fails or memory is short.
class Moved {
  Tensor x_, first_, dense_;

  void write(const Tensor& from) {
    copy_into(x_, from);
    resolve_written(*x_.impl(), false).storage->bump();
  }

 public:
  explicit Moved(const Tensor& x) : x_(x) {
    first_ = from_values(values(x), x);
    dense_ = from_values(values(x), x);
  }
  Moved(const Moved&) = delete;
  ~Moved() {
    try {
      write(first_);
    } catch (...) {  // a device that has failed
    }
  }
  void put(const std::vector<double>& v) {
    copy_from_host(dense_, v.data());
    write(dense_);
  }
};

}  // namespace

void gradcheck(const CheckedFunction& fn, std::span<const Tensor> inputs, const GradcheckOptions& o) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<Tensor> wanted;
  for (const Tensor& t : inputs) {
    if (!t.defined() || !t.requires_grad()) continue;
    if (t.dtype() != DType::f64)
      fail(Code::dtype, concat("gradcheck needs float64 inputs, got ", dtype_name(t.dtype())),
           "cast them to float64", "inputs");
    wanted.push_back(t);
  }
  if (wanted.empty())
    fail(Code::autograd, "no input requires a gradient", "call set_requires_grad on one", "inputs");

  std::vector<Tensor> outputs = floats(fn(inputs)), seeds, live;
  std::vector<std::vector<double>> weights;
  for (const Tensor& t : outputs) {
    std::vector<double> w(size_t(t.numel()));
    for (double& x : w) x = normal(random);
    weights.push_back(std::move(w));
    if (!t.requires_grad()) continue;
    live.push_back(t);
    seeds.push_back(from_values(weights.back(), t));
  }
  std::vector<Tensor> analytic(wanted.size());
  if (!live.empty()) analytic = grad(live, wanted, seeds, {}, true);

  NoGradGuard off;
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::vector<double> x = values(wanted[i]), a(x.size());
    if (analytic[i].defined()) a = values(analytic[i]);
    Moved moved(wanted[i]);
    for (size_t j = 0; j < x.size(); ++j) {
      double x0 = x[j];
      auto at = [&](double v) {
        x[j] = v;
        moved.put(x);
        x[j] = x0;
        return weighted(fn, inputs, weights);
      };
      double numeric = (at(x0 + o.eps) - at(x0 - o.eps)) / (2 * o.eps);
      if (!(std::abs(numeric - a[j]) <= o.atol + o.rtol * std::abs(numeric)))
        fail(Code::autograd,
             concat("gradcheck: input ", int64_t(i), " element ", int64_t(j), " has gradient ", a[j],
                    ", differences give ", numeric),
             "the backward formula disagrees with the forward function there");
    }
  }
}

void gradgradcheck(const CheckedFunction& fn, std::span<const Tensor> inputs,
                   const GradcheckOptions& options) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  size_t n = inputs.size();
  std::vector<Tensor> all(inputs.begin(), inputs.end());
  for (const Tensor& t : floats(fn(inputs))) {
    std::vector<double> w(size_t(t.numel()));
    for (double& x : w) x = normal(random);
    Tensor seed = from_values(w, t);
    set_requires_grad(seed, true);
    all.push_back(std::move(seed));
  }
  CheckedFunction first = [&fn, n](std::span<const Tensor> both) {
    std::vector<Tensor> in(both.begin(), both.begin() + std::ptrdiff_t(n)), wanted, live, seeds;
    ScopedValue<bool> on(thread_state().grad_enabled, true);
    std::vector<Tensor> out = floats(fn(in));
    for (const Tensor& t : in)
      if (t.defined() && t.requires_grad()) wanted.push_back(t);
    for (size_t k = 0; k < out.size(); ++k) {
      if (!out[k].requires_grad()) continue;
      live.push_back(out[k]);
      seeds.push_back(both[n + k]);
    }
    std::vector<Tensor> g = grad(live, wanted, seeds, {.create_graph = true}, true);
    std::erase_if(g, [](const Tensor& t) { return !t.defined(); });
    return g;
  };
  gradcheck(first, all, options);
}

}  // namespace haft
