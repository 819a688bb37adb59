// The engine's parametrizations of weights: length and direction, spectral norm.
#include "core/nn/factories.h"
#include "core/nn/layer_checks.h"
#include "core/nn/parametrize.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

// Norms of the slices along dim, with its dimensions; all: one number.
Tensor lengths(const Tensor& v, int64_t dim, bool all) {
  if (all) return ops::norm(v);
  const int64_t own = wrap_dim(dim, v.ndim(), "WeightNorm");
  Shape others;
  for (int64_t d = 0; d < v.ndim(); ++d)
    if (d != own) others.push_back(d);
  return others.empty() ? ops::abs(v) : ops::norm(v, 2, others, true);
}

Tensor normalized(const Tensor& x, double eps) {
  return ops::div(x, ops::clamp(ops::norm(x), Scalar(eps), {}));
}

// weight = original0 original1 / |original1| (Salimans and Kingma, arXiv:1602.07868).
class WeightNorm final : public Parametrization {
  int64_t dim_;

 public:
  explicit WeightNorm(int64_t dim) : Parametrization("WeightNorm"), dim_(dim) {}

  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != 2 || !xs[0] || !xs[1])
      fail(Code::invalid_argument,
           concat("WeightNorm takes lengths and directions, got ", int64_t(xs.size()), " tensors"), {},
           "inputs");
    return {ops::mul(xs[1], ops::div(xs[0], length(xs[1])))};
  }
  std::vector<Tensor> right_inverse(const Tensor& value) override { return {length(value), value}; }
  std::string extra() const override { return dim_ == kNone ? "dim=None" : concat("dim=", dim_); }

 private:
  Tensor length(const Tensor& v) const { return lengths(v, dim_, dim_ == kNone || dim_ == -1); }
};

// weight = original / its largest singular value, by power iterations that go on with each use in training (Miyato et
// al., arXiv:1802.05957).
class SpectralNorm final : public Parametrization {
  int64_t iterations_, dim_;
  double eps_;
  std::atomic<bool> updating_{false};

 public:
  SpectralNorm(int64_t n_power_iterations, double eps, int64_t dim)
      : Parametrization("SpectralNorm"), iterations_(n_power_iterations), dim_(dim), eps_(eps) {
    check_size(n_power_iterations, "SpectralNorm", "n_power_iterations", 1);
    check_eps(eps, "SpectralNorm");
    register_buffer("_u", {});
    register_buffer("_v", {});
  }

  Tensor forward(const Tensor& weight) override {
    if (weight.ndim() < 2) return normalized(weight, eps_);
    if (!buffer(0))
      fail(Code::invalid_argument, "SpectralNorm has no vectors yet",
           "register it as a parametrization, or call its right inverse once with the weight");
    const Tensor matrix = as_matrix(weight);
    if (training()) {
      if (updating_.exchange(true))
        fail(Code::busy, "two threads train through one SpectralNorm",
             "its vectors change with each use in training: call eval() or give each thread a module");
      struct Done {
        std::atomic<bool>& flag;
        ~Done() { flag = false; }
      } done{updating_};
      iterate(ops::detach(matrix), iterations_);
    }
    // Later iterations write into both, which the graph of this use goes on needing.
    const Tensor u = ops::clone(buffer(0)), v = ops::clone(buffer(1));
    return ops::div(weight, ops::dot(u, ops::mv(matrix, v)));
  }

  // Begins the vectors where there are none.
  std::vector<Tensor> right_inverse(const Tensor& value) override {
    if (value.ndim() >= 2 && (!buffer(0) || !buffer(1))) {
      const Tensor matrix = as_matrix(value);
      auto start = [&](int64_t size) {
        return normalized(ops::normal(0, 1, {&size, 1}, value.dtype(), value.device()), eps_);
      };
      Tensor u = start(matrix.size(0)), v = start(matrix.size(1));
      register_buffer("_u", std::move(u));
      register_buffer("_v", std::move(v));
      iterate(matrix, 15);
    }
    return {value};
  }
  std::string extra() const override {
    return concat("n_power_iterations=", iterations_, dim_ == kNone ? std::string() : concat(", dim=", dim_),
                  ", eps=", float_text(eps_));
  }

  // Transposed convolutions have their outputs in the second dimension.
  void belong_to(const Module& owner) override {
    if (dim_ == kNone) dim_ = owner.type().starts_with("ConvTranspose") ? 1 : 0;
  }

 private:
  Tensor as_matrix(const Tensor& weight) const {
    const int64_t rows = wrap_dim(dim_ == kNone ? 0 : dim_, weight.ndim(), "SpectralNorm");
    return ops::flatten(rows ? ops::movedim(weight, {&rows, 1}, Shape{0}) : weight, 1, -1);
  }
  void iterate(const Tensor& matrix, int64_t times) {
    NoGradGuard off;
    const Tensor &u = buffer(0), &v = buffer(1), turned = ops::t(matrix);
    for (int64_t i = 0; i < times; ++i) {
      ops::copy_(u, normalized(ops::mv(matrix, v), eps_));
      ops::copy_(v, normalized(ops::mv(turned, u), eps_));
    }
  }
};

}  // namespace

Ref<Module> weight_norm(int64_t dim) { return make_ref<WeightNorm>(dim); }
Ref<Module> spectral_norm(int64_t n_power_iterations, double eps, int64_t dim) {
  return make_ref<SpectralNorm>(n_power_iterations, eps, dim);
}

}  // namespace haft::nn
