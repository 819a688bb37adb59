// AdaptiveLogSoftmaxWithLoss (Grave et al., arXiv:1609.04309), and a triplet loss with a distance that is a module.
#include <cmath>

#include "core/nn/containers.h"
#include "core/nn/distance_loss.h"
#include "core/nn/factories.h"
#include "core/nn/function_module.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

// head: the classes of the shortlist, then a number for each cluster. tail: two projections a cluster, narrow ones of
// rare classes.
class AdaptiveLogSoftmaxWithLoss final : public Module {
  int64_t in_;
  Shape ends_;  // where the shortlist and the clusters end

 public:
  AdaptiveLogSoftmaxWithLoss(int64_t in, int64_t classes, IntList cutoffs, double div_value, bool head_bias,
                             const Build& build)
      : Module("AdaptiveLogSoftmaxWithLoss"), in_(in), ends_(cutoffs) {
    const char* name = "AdaptiveLogSoftmaxWithLoss";
    check_size(in, name, "in_features", 1);
    bool rises = !cutoffs.empty() && cutoffs[0] > 0 && cutoffs.back() <= classes;
    for (size_t i = 1; i < cutoffs.size(); ++i) rises = rises && cutoffs[i] > cutoffs[i - 1];
    if (!rises)
      fail(Code::invalid_argument,
           concat(
               name,
               ": cutoffs should be unique positive numbers in rising order, each between 1 and n_classes = ",
               classes, ", got ", cutoffs),
           {}, "cutoffs");
    check_range(name, "div_value", div_value, "> 0");
    if (cutoffs.back() != classes) ends_.push_back(classes);
    Ref<Module> head = make_ref<Linear>(in, ends_[0] + cluster_count(), head_bias, build);
    std::vector<Ref<Module>> clusters;
    for (int64_t i = 0; i < cluster_count(); ++i) {
      const auto width = int64_t(std::floor(double(in) / std::pow(div_value, double(i + 1))));
      const Ref<Module> both[] = {make_ref<Linear>(in, width, false, build),
                                  make_ref<Linear>(width, ends_[i + 1] - ends_[i], false, build)};
      clusters.push_back(make_ref<Sequential>(both));
    }
    add_child("head", std::move(head));
    add_child("tail", make_ref<ModuleList>(clusters));
  }
  int64_t output_count() const override { return -1; }

  // Log-probabilities of all classes, (N, n_classes).
  Tensor forward(const Tensor& x) override {
    check_input(x);
    const bool single = x.ndim() == 1;
    const Tensor rows = single ? ops::unsqueeze(x, 0) : x,
                 head = ops::log_softmax(find("head")->call(rows), 1);
    std::vector<Tensor> all{ops::narrow(head, 1, 0, ends_[0])};
    for (int64_t i = 0; i < cluster_count(); ++i)
      all.push_back(ops::add(ops::log_softmax(find(concat("tail.", i))->call(rows), 1),
                             ops::narrow(head, 1, ends_[0] + i, 1)));
    const Tensor out = ops::cat(all, 1);
    return single ? ops::squeeze(out, 0) : out;
  }

  // x and its classes to the log-probability of each and the mean loss.
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() == 1 && xs[0]) return {forward(xs[0])};
    if (xs.size() != 2 || !xs[0] || !xs[1])
      fail(Code::invalid_argument,
           concat("AdaptiveLogSoftmaxWithLoss takes x and perhaps its classes, got ", int64_t(xs.size()),
                  " tensors"),
           {}, "inputs");
    check_input(xs[0]);
    const bool single = xs[0].ndim() == 1;
    if (xs[1].ndim() != xs[0].ndim() - 1 || (!single && xs[1].size(0) != xs[0].size(0)))
      fail(Code::shape,
           concat("AdaptiveLogSoftmaxWithLoss: target of shape ", xs[1].sizes(),
                  " must be one class for each row of x of shape ", xs[0].sizes()),
           {}, "target");
    const Tensor x = single ? ops::unsqueeze(xs[0], 0) : xs[0],
                 target = ops::cast(single ? ops::unsqueeze(xs[1], 0) : xs[1], DType::i64);
    const Tensor head = ops::log_softmax(find("head")->call(x), 1);
    Tensor out = ops::zeros(target.sizes(), head.dtype(), head.device()), column = target;  // of the head
    int64_t used = ops::flatten(ops::nonzero(between(target, 0, ends_[0]))).numel();
    for (int64_t i = 0; i < cluster_count(); ++i) {
      const Tensor own = between(target, ends_[i], ends_[i + 1]), row = ops::flatten(ops::nonzero(own));
      used += row.numel();
      column = ops::masked_fill(column, own, Scalar(ends_[0] + i));
      if (row.numel() == 0) continue;
      const Tensor log = ops::log_softmax(find(concat("tail.", i))->call(ops::index_select(x, 0, row)), 1);
      const Tensor inside = ops::sub_scalar(ops::index_select(target, 0, row), Scalar(ends_[i]));
      out = ops::index_add(out, 0, row, ops::squeeze(ops::gather(log, 1, ops::unsqueeze(inside, 1)), 1));
    }
    if (used != target.numel())
      fail(Code::index, concat("AdaptiveLogSoftmaxWithLoss: a target is not in [0, ", ends_.back() - 1, "]"),
           {}, "target");
    out = ops::add(out, ops::squeeze(ops::gather(head, 1, ops::unsqueeze(column, 1)), 1));
    return {single ? ops::squeeze(out, 0) : out, ops::neg(ops::mean(out))};
  }

 private:
  int64_t cluster_count() const { return ends_.size() - 1; }
  static Tensor between(const Tensor& t, int64_t low, int64_t high) {
    return ops::logical_and(ops::ge_scalar(t, Scalar(low)), ops::lt_scalar(t, Scalar(high)));
  }
  void check_input(const Tensor& x) const {
    if ((x.ndim() != 1 && x.ndim() != 2) || x.size(-1) != in_)
      fail(
          Code::shape,
          concat("AdaptiveLogSoftmaxWithLoss: wanted x (N, ", in_, ") or (", in_, "), got shape ", x.sizes()),
          {}, "x");
  }
};

// max(0, d(anchor, positive) - d(anchor, negative) + margin) for a distance that is a module of two tensors.
class TripletMarginWithDistanceLoss final : public Module {
  double margin_;
  bool swap_;
  int64_t reduction_;

 public:
  TripletMarginWithDistanceLoss(Ref<Module> distance, double margin, bool swap, int64_t reduction)
      : Module("TripletMarginWithDistanceLoss"), margin_(margin), swap_(swap), reduction_(reduction) {
    if (!(margin > 0))
      fail(Code::invalid_argument,
           concat("TripletMarginWithDistanceLoss: margin must be above 0, got ", margin), {}, "margin");
    add_child("distance_function", std::move(distance));
  }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != 3 || !xs[0] || !xs[1] || !xs[2])
      fail(Code::invalid_argument,
           concat("TripletMarginWithDistanceLoss takes anchor, positive and negative, got ",
                  int64_t(xs.size()), " tensors"),
           {}, "inputs");
    if (xs[0].ndim() != xs[1].ndim() || xs[0].ndim() != xs[2].ndim())
      fail(Code::shape,
           concat("TripletMarginWithDistanceLoss: anchor, positive and negative must have equally many "
                  "dimensions, got shapes ",
                  xs[0].sizes(), ", ", xs[1].sizes(), " and ", xs[2].sizes()),
           {}, "inputs");
    const Tensor near = distance(xs[0], xs[1]);
    Tensor far = distance(xs[0], xs[2]);
    if (swap_) far = ops::minimum(far, distance(xs[1], xs[2]));
    const Tensor loss = ops::clamp(ops::add_scalar(ops::sub(near, far), Scalar(margin_)), Scalar(0.0));
    return {reduction_ == 1 ? ops::mean(loss) : reduction_ == 2 ? ops::sum(loss) : loss};
  }
  std::string extra() const override {
    return concat("margin=", float_text(margin_), ", swap=", flag_text(swap_));
  }

 private:
  Tensor distance(const Tensor& a, const Tensor& b) {
    const Tensor both[] = {a, b};
    std::vector<Tensor> out = children()[0].module->call_many(both);
    if (out.size() != 1 || !out[0])
      fail(Code::invalid_argument,
           concat("the distance ", children()[0].module->type(), " answered ", int64_t(out.size()),
                  " tensors, wanted one"),
           {}, "distance");
    return std::move(out[0]);
  }
};

}  // namespace

Ref<Module> adaptive_log_softmax_with_loss(int64_t in_features, int64_t n_classes, IntList cutoffs,
                                           double div_value, bool head_bias, const Build& build) {
  return make_ref<AdaptiveLogSoftmaxWithLoss>(in_features, n_classes, cutoffs, div_value, head_bias, build);
}
Ref<Module> triplet_margin_with_distance_loss(Ref<Module> distance, double margin, bool swap,
                                              int64_t reduction) {
  return make_ref<TripletMarginWithDistanceLoss>(std::move(distance), margin, swap, reduction);
}

}  // namespace haft::nn
