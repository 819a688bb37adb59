// haft::TrainingRun in plain numbers, for the Trainer of Java and of C#.
#ifndef HAFT_BINDINGS_TRAINING_HPP
#define HAFT_BINDINGS_TRAINING_HPP
#include "bindings/numbers.hpp"

namespace haft {
namespace bindings {

class Training {
  TrainingRun run_;
  TrainingProgress at_;

  static TrainingOptions options(const nn::Module& loss, const optim::Scheduler& scheduler,
                                 const data::Loader& validation, std::int64_t epochs, double max_grad_norm,
                                 std::int64_t patience, double min_delta, bool restore_best, bool resume,
                                 std::int64_t report_every_ns) {
    TrainingOptions o;
    o.epochs = epochs;
    o.loss = loss;
    o.scheduler = scheduler;
    o.validation = validation;
    o.max_grad_norm = max_grad_norm;
    o.patience = patience;
    o.min_delta = min_delta;
    o.restore_best = restore_best;
    o.resume = resume;
    o.report_every = std::chrono::nanoseconds(report_every_ns);
    return o;
  }

 public:
  Training(const nn::Module& module, const optim::Optimizer& optimizer, const data::Loader& loader,
           const nn::Module& loss, const optim::Scheduler& scheduler, const data::Loader& validation,
           std::int64_t epochs, double max_grad_norm, std::int64_t patience, double min_delta,
           bool restore_best, bool resume, std::int64_t report_every_ns)
      : run_(module, optimizer, loader,
             options(loss, scheduler, validation, epochs, max_grad_norm, patience, min_delta, restore_best,
                     resume, report_every_ns)) {}
  bool step() { return run_.step(); }
  bool is_due() { return run_.is_due(); }
  std::vector<std::int64_t> counts() {
    at_ = run_.progress();
    return TrainingPlaces::numbers(at_);
  }
  /// As of the last counts(), in nanoseconds since the epoch began, as what follows.
  std::int64_t elapsed() const { return at_.elapsed.count(); }
  double loss() const { return at_.loss; }
  double accuracy() const { return at_.accuracy; }
  double validation_loss() const { return at_.validation_loss; }
  double validation_accuracy() const { return at_.validation_accuracy; }
};

}  // namespace bindings
}  // namespace haft
#endif
