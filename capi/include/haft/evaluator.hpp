// Measures of a classifier in C++17 over haft/evaluator.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_EVALUATOR_HPP
#define HAFT_EVALUATOR_HPP
#include <haft/evaluator.h>

namespace haft {

/// Measures of a classifier, and running means: it is told batch after batch, and asked at the end. It keeps sums
/// alone, on the device of what it is told: over several processes state() is added up and set again.
class Evaluator : public detail::Handle<haft_evaluator, haft_evaluator_retain, haft_evaluator_release> {
 public:
  using Handle::Handle;
  /// num_classes: of the confusion matrix, 0: none; top_k: accuracy(k) is asked for 1 to this; ignore_index: targets
  /// that do not count.
  explicit Evaluator(std::int64_t num_classes, std::int64_t top_k = 1, std::int64_t ignore_index = -100) {
    haft_evaluator* e = nullptr;
    check(haft_evaluator_create(num_classes, top_k, ignore_index, &e));
    *this = Evaluator(e);
  }
#ifndef SWIG
  // 0 is a number here, not a pointer.
  explicit Evaluator(int num_classes, std::int64_t top_k = 1, std::int64_t ignore_index = -100)
      : Evaluator(static_cast<std::int64_t>(num_classes), top_k, ignore_index) {}
#endif
  /// Counts a batch: scores (N, C, *) or classes (N, *), and the right classes (N, *).
  void update(const Tensor& predictions, const Tensor& target) const {
    check(haft_evaluator_update(get(), predictions.get(), target.get()));
  }
  /// Adds values, each with that weight, to the running mean.
  void add(const Tensor& values, double weight = 1) const { check(haft_evaluator_add(get(), values.get(), weight)); }
  /// Forgets all that it was told.
  void reset() const { check(haft_evaluator_reset(get())); }
  /// How many targets counted.
  std::int64_t count() const {
    std::int64_t n = 0;
    check(haft_evaluator_get_count(get(), &n));
    return n;
  }
  /// Share of targets among the k classes with the highest scores; NaN before anything counted.
  double accuracy(std::int64_t k = 1) const {
    double v = 0;
    check(haft_evaluator_get_accuracy(get(), k, &v));
    return v;
  }
  /// Mean of the values added; NaN before any was.
  double mean() const {
    double v = 0;
    check(haft_evaluator_get_mean(get(), &v));
    return v;
  }
  /// int64 (C, C): row i, column j: targets i that were taken for j.
  Tensor confusion() const {
    haft_tensor* t = nullptr;
    check(haft_evaluator_confusion(get(), &t));
    return Tensor(t);
  }
  /// Right ones among those taken for each class, float64 (C).
  Tensor precision() const { return score(0); }
  /// Right ones among the targets of each class, float64 (C).
  Tensor recall() const { return score(1); }
  /// 2 precision recall / (precision + recall) of each class, float64 (C).
  Tensor f1() const { return score(2); }
  /// The sums, to be added to another evaluator's with the same options: a float64 vector on the device of what it
  /// was told.
  Tensor state() const {
    haft_tensor* t = nullptr;
    check(haft_evaluator_get_state(get(), &t));
    return Tensor(t);
  }
  /// Goes on from such sums.
  void set_state(const Tensor& state) const { check(haft_evaluator_set_state(get(), state.get())); }

 private:
  Tensor score(int which) const {
    haft_tensor* t[3] = {};
    check(haft_evaluator_scores(get(), &t[0], &t[1], &t[2]));
    const Tensor all[] = {Tensor(t[0]), Tensor(t[1]), Tensor(t[2])};
    return all[which];
  }
};

}  // namespace haft
#endif
