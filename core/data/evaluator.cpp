#include "core/data/evaluator.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/thread_state.h"
#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"

namespace haft {

namespace {

constexpr int64_t kMostClasses = 1 << 15;  // a matrix of 8 GiB

Tensor as_int64(const Tensor& t, const char* name) {
  if (is_float(t.dtype()) || t.dtype() == DType::boolean)
    fail(Code::dtype, concat("[evaluator] ", name, " must be integers, got ", dtype_name(t.dtype())), {},
         name);
  return ops::cast(t, DType::i64);
}

// Adds to a part of the sums, in place.
void add_at(const Tensor& sums, int64_t at, const Tensor& values) {
  ops::add_(ops::slice(sums, 0, at, at + values.numel()), ops::reshape(values, Shape{values.numel()}));
}

}  // namespace

Evaluator::Evaluator(const EvaluatorOptions& options) : options_(options) {
  if (options.num_classes < 0 || options.num_classes > kMostClasses)
    fail(Code::invalid_argument,
         concat("[evaluator] num_classes must be in 0..", kMostClasses, ", got ", options.num_classes),
         "0 keeps no confusion matrix", "num_classes");
  if (options.top_k < 1 || (options.num_classes && options.top_k > options.num_classes) ||
      options.top_k > kMostClasses)
    fail(Code::invalid_argument,
         concat("[evaluator] top_k must be in 1..", options.num_classes ? options.num_classes : kMostClasses,
                ", got ", options.top_k),
         {}, "top_k");
}

Tensor& Evaluator::sums_on(Device device) {
  if (!sums_.defined())
    sums_ = ops::zeros(Shape{size()}, DType::f64, device);
  else if (sums_.device() != device)
    sums_ = ops::to(sums_, DType::none, device);
  return sums_;
}

void Evaluator::update(const Tensor& predictions, const Tensor& given) {
  NoGradGuard no_grad;
  const bool scores = is_float(predictions.dtype());
  Tensor target = as_int64(given, "target");
  Shape wanted(predictions.sizes());
  if (scores && predictions.ndim() > 1) wanted.erase(1);
  if (predictions.ndim() < (scores ? 2 : 1) || !std::ranges::equal(wanted, target.sizes()))
    fail(Code::shape,
         concat("[evaluator] wanted scores (N, C, *) or classes (N, *), and a target (N, *), got shapes ",
                predictions.sizes(), " and ", target.sizes()),
         {}, "predictions");
  if (predictions.device() != target.device())
    fail(Code::device, "[evaluator] predictions and target are on different devices", {}, "target");
  if (!scores && options_.top_k > 1)
    fail(Code::invalid_argument,
         concat("[evaluator] the first ", options_.top_k, " classes want scores (N, C, *), got classes"), {},
         "predictions");
  const int64_t classes = scores ? predictions.size(1) : options_.num_classes, count = target.numel();
  if (scores && (classes < options_.top_k || (options_.num_classes && classes != options_.num_classes)))
    fail(Code::shape,
         concat("[evaluator] wanted scores of ",
                options_.num_classes ? concat(options_.num_classes) : concat("at least ", options_.top_k),
                " classes, got shape ", predictions.sizes()),
         {}, "predictions");
  if (count == 0) return;
  target = ops::reshape(target, Shape{count});
  const Tensor counts = ops::ne_scalar(target, options_.ignore_index), weight = ops::cast(counts, DType::f64);
  // (count, top_k): the best classes, the best one first.
  Tensor best;
  if (!scores) {
    best = ops::reshape(as_int64(predictions, "predictions"), Shape{count, 1});
  } else {
    const int64_t channels[] = {1}, last[] = {-1};
    const Tensor rows = ops::reshape(ops::movedim(predictions, channels, last), Shape{count, classes});
    best = options_.top_k == 1 ? ops::argmax(rows, 1, true) : ops::topk(rows, options_.top_k, 1)[1];
  }
  Tensor& sums = sums_on(target.device());
  if (const int64_t n = options_.num_classes) {
    // Cells are numbered by rows. What is no class gets the number behind the last cell, which is refused.
    const Tensor first = ops::reshape(ops::slice(best, 1, 0, 1), Shape{count});
    auto outside = [&](const Tensor& t) {
      return ops::logical_or(ops::lt_scalar(t, int64_t(0)), ops::ge_scalar(t, n));
    };
    const Tensor cell = ops::add(ops::mul_scalar(target, n), first);
    const Tensor known = ops::masked_fill(cell, ops::logical_or(outside(first), outside(target)), n * n);
    const Tensor index = ops::masked_fill(known, ops::logical_not(counts), int64_t(0));
    ops::index_add_(ops::slice(sums, 0, matrix(), size()), 0, index, weight);
  }
  const Tensor right =
      ops::mul(ops::cast(ops::eq(best, ops::unsqueeze(target, 1)), DType::f64), ops::unsqueeze(weight, 1));
  add_at(sums, kRight, ops::sum(right, Shape{0}));
  add_at(sums, kSamples, ops::sum(weight));
}

void Evaluator::add(const Tensor& values, double weight) {
  NoGradGuard no_grad;
  if (!(weight >= 0) || weight > std::numeric_limits<double>::max())
    fail(Code::invalid_argument, concat("[evaluator] a weight must be finite and not negative, got ", weight),
         {}, "weight");
  Tensor& sums = sums_on(values.device());
  add_at(sums, kValues, ops::mul_scalar(ops::sum(ops::cast(values, DType::f64)), weight));
  add_at(sums, kWeights, ops::full({}, weight * double(values.numel()), DType::f64, values.device()));
}

Tensor Evaluator::state() const {
  NoGradGuard no_grad;
  return sums_.defined() ? ops::clone(sums_) : ops::zeros(Shape{size()}, DType::f64, Device{});
}

void Evaluator::set_state(const Tensor& state) {
  NoGradGuard no_grad;
  if (state.dtype() != DType::f64 || state.ndim() != 1 || state.numel() != size())
    fail(Code::shape,
         concat("[evaluator] the state is float64 of shape [", size(), "], got ", dtype_name(state.dtype()),
                " of shape ", state.sizes()),
         "set what an evaluator with the same options told", "state");
  sums_ = ops::clone(ops::detach(state));
}

double Evaluator::sum(int64_t at) const {
  return sums_.defined() ? item(ops::slice(sums_, 0, at, at + 1)).to_double() : 0;
}

int64_t Evaluator::samples() const { return int64_t(sum(kSamples)); }
double Evaluator::mean() const { return sum(kValues) / sum(kWeights); }

double Evaluator::accuracy(int64_t k) const {
  if (k < 1 || k > options_.top_k)
    fail(Code::invalid_argument, concat("[evaluator] k must be in 1..", options_.top_k, ", got ", k),
         "create it with a larger top_k", "k");
  double right = 0;
  for (int64_t i = 0; i < k; ++i) right += sum(kRight + i);
  return right / sum(kSamples);
}

void Evaluator::want_matrix() const {
  if (!options_.num_classes)
    fail(Code::invalid_argument, "[evaluator] no confusion matrix is kept", "create it with num_classes",
         "e");
}

Tensor Evaluator::confusion() const {
  want_matrix();
  const int64_t n = options_.num_classes;
  NoGradGuard no_grad;
  return ops::cast(
      ops::reshape(ops::to(ops::slice(state(), 0, matrix(), size()), DType::none, Device{}), Shape{n, n}),
      DType::i64);
}

std::array<Tensor, 3> Evaluator::scores() const {
  NoGradGuard no_grad;
  const Tensor m = ops::cast(confusion(), DType::f64), right = ops::diagonal(m),
               wanted = ops::sum(m, Shape{1}), given = ops::sum(m, Shape{0});
  auto share = [](const Tensor& part, const Tensor& whole) {
    return ops::div(part, ops::clamp(whole, Scalar(1.0)));
  };
  return {share(right, given), share(right, wanted),
          share(ops::mul_scalar(right, 2.0), ops::add(wanted, given))};
}

}  // namespace haft
