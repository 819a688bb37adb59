// LinearCrossEntropyLoss: the last linear layer of a classifier and its loss in one, so that few scores are in memory
// at a time.
#include "core/nn/factories.h"
#include "core/nn/function_module.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

class LinearCrossEntropyLoss final : public Module {
  int64_t in_, classes_, reduction_, ignore_;
  Shape out_;  // targets of a sample
  double smoothing_;
  bool bias_;

 public:
  LinearCrossEntropyLoss(int64_t in, int64_t classes, IntList out, bool bias, const Tensor& weight,
                         int64_t reduction, int64_t ignore, double smoothing, const Build& build)
      : Module("LinearCrossEntropyLoss"),
        in_(in),
        classes_(classes),
        reduction_(reduction),
        ignore_(ignore),
        out_(out),
        smoothing_(smoothing),
        bias_(bias) {
    check_size(in, "LinearCrossEntropyLoss", "in_features", 1);
    check_size(classes, "LinearCrossEntropyLoss", "num_classes", 1);
    check_range("LinearCrossEntropyLoss", "label_smoothing", smoothing, "in [0, 1]");
    if (weight && (weight.ndim() != 1 || weight.size(0) != classes))
      fail(Code::shape,
           concat("LinearCrossEntropyLoss: weight must have shape (", classes, "), got ", weight.sizes()), {},
           "weight");
    int64_t rows = classes;
    for (int64_t n : out) {
      check_size(n, "LinearCrossEntropyLoss", "out_features", 1);
      if (__builtin_mul_overflow(rows, n, &rows))
        fail(Code::overflow,
             concat("LinearCrossEntropyLoss: ", classes, " classes times ", out, " are too many"), {},
             "out_features");
    }
    register_buffer("weight", weight);
    add_child("linear", make_ref<Linear>(in, rows, bias, build));
  }

  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != 2 || !xs[0] || !xs[1])
      fail(Code::invalid_argument,
           concat("LinearCrossEntropyLoss takes x and its classes, got ", int64_t(xs.size()), " tensors"), {},
           "inputs");
    if ((xs[0].ndim() != 1 && xs[0].ndim() != 2) || xs[0].size(-1) != in_)
      fail(
          Code::shape,
          concat("LinearCrossEntropyLoss: wanted x (N, ", in_, ") or (", in_, "), got shape ", xs[0].sizes()),
          {}, "x");
    Module& linear = *children()[0].module;
    Tensor weight = linear.find_value("weight");
    Tensor bias = bias_ ? linear.find_value("bias") : Tensor();
    if (!out_.empty()) {
      Shape sizes(out_);
      sizes.insert(0, classes_);
      if (bias) bias = ops::reshape(bias, sizes);
      sizes.push_back(in_);
      weight = ops::reshape(weight, sizes);
    }
    return {
        ops::linear_cross_entropy(xs[0], weight, xs[1], bias, buffer(0), reduction_, ignore_, smoothing_)};
  }

  std::string extra() const override {
    constexpr const char* reductions[] = {"none", "mean", "sum"};
    return concat("in_features=", in_, ", num_classes=", classes_,
                  ", out_features=", out_.empty() ? "()" : tuple_text(out_),
                  ", reduction=", reductions[reduction_], ", ignore_index=", ignore_,
                  ", label_smoothing=", float_text(smoothing_));
  }
};

}  // namespace

Ref<Module> linear_cross_entropy_loss(int64_t in_features, int64_t num_classes, IntList out_features,
                                      bool bias, const Tensor& weight, int64_t reduction,
                                      int64_t ignore_index, double label_smoothing, const Build& build) {
  return make_ref<LinearCrossEntropyLoss>(in_features, num_classes, out_features, bias, weight, reduction,
                                          ignore_index, label_smoothing, build);
}

}  // namespace haft::nn
