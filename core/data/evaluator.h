// How well predictions fit: how often the right class is among the first k, a confusion matrix, running means. All of
// it is sums, which stay on the device of what is counted, so that evaluators of several ranks add theirs up.
#pragma once
#include <array>

#include "core/base/ref.h"
#include "core/tensor/tensor.h"

namespace haft {

struct EvaluatorOptions {
  int64_t num_classes = 0;      // of the confusion matrix; 0: none is kept
  int64_t top_k = 1;            // accuracy() is asked for 1 to this
  int64_t ignore_index = -100;  // targets that do not count
};

class Evaluator : public RefCounted {
 public:
  explicit Evaluator(const EvaluatorOptions& options);
  const EvaluatorOptions& options() const { return options_; }

  // Floating (N, C, *): scores, or integer (N, *): classes. target is integer (N, *).
  void update(const Tensor& predictions, const Tensor& target);
  // All elements of values, each with that weight, into the mean.
  void add(const Tensor& values, double weight);
  void reset() { sums_ = Tensor(); }

  // float64: sum and weight of the mean, samples, right ones at place 1 to top_k, then the matrix by rows. One whose
  // sums are added up over ranks is set again.
  Tensor state() const;
  void set_state(const Tensor& state);

  int64_t samples() const;
  double mean() const;               // NaN of nothing, as
  double accuracy(int64_t k) const;  // the rest
  Tensor confusion() const;          // int64 (C, C), on the host: rows are targets, columns predictions
  // float64 (C), on the host: precision, recall and F1 of each class; 0 / 0 is 0.
  std::array<Tensor, 3> scores() const;

 private:
  static constexpr int64_t kValues = 0, kWeights = 1, kSamples = 2, kRight = 3;
  int64_t matrix() const { return kRight + options_.top_k; }
  int64_t size() const { return matrix() + options_.num_classes * options_.num_classes; }
  Tensor& sums_on(Device device);
  double sum(int64_t at) const;
  void want_matrix() const;

  EvaluatorOptions options_;
  Tensor sums_;  // undefined: all 0
};

}  // namespace haft
