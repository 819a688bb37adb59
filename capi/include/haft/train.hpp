// The loop that most training is, in C++17 over haft/haft.hpp, which does not include it. Java's and C#'s Trainer are
// this one.
#ifndef HAFT_TRAIN_HPP
#define HAFT_TRAIN_HPP
#include <haft/haft.hpp>

#include <chrono>
#include <cmath>
#include <limits>

namespace haft {

/// How a TrainingRun goes about it.
struct TrainingOptions {
  std::int64_t epochs = 1;
  /// Of one output and its target, or of several; empty: cross entropy.
  nn::Module loss;
  /// Steps after every step of the optimizer; empty: nothing does.
  optim::Scheduler scheduler;
  /// Batches whose loss is computed after every epoch, in evaluation mode; empty: none.
  data::Loader validation;
  /// Limits the norm of the gradients; 0: no limit.
  double max_grad_norm = 0;
  /// The run ends early after so many epochs without a better loss; 0: never.
  std::int64_t patience = 0;
  /// How much lower a loss must be to count as better.
  double min_delta = 0;
  /// At its end the module gets the weights and buffers of its best epoch.
  bool restore_best = false;
  /// The first epoch goes on where the loader stands.
  bool resume = false;
  /// How often a report is due at most; the end of an epoch always is one.
  std::chrono::nanoseconds report_every = std::chrono::milliseconds(100);
};

/// Where a TrainingRun stands.
struct TrainingProgress {
  std::int64_t epoch = 0;  // from 1
  std::int64_t epochs = 0;
  std::int64_t step = 0;  // of this epoch, from 1
  std::int64_t steps = 0;
  std::int64_t samples = 0;                                    // of this epoch
  double loss = std::numeric_limits<double>::quiet_NaN();      // mean of this epoch so far
  double accuracy = std::numeric_limits<double>::quiet_NaN();  // NaN: targets are no classes
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_accuracy = std::numeric_limits<double>::quiet_NaN();
  std::int64_t best_epoch = 0;  // with the lowest loss, of validation if there is one; 0: none yet
  bool stopped_early = false;
  std::chrono::nanoseconds elapsed{0};  // since the epoch began
};

/// while (run.step()) if (run.is_due()) show(run.progress());
class TrainingRun {
  // Sums over an epoch. They stay on the device: reading them waits for it.
  struct Sums {
    Tensor loss, hits;
    std::int64_t samples = 0;
    bool classes = true;

    void clear(haft_device device) {
      loss = zeros({}, HAFT_FLOAT32, device);
      hits = zeros({}, HAFT_INT64, device);
      samples = 0;
      classes = true;
    }
    void add(const Tensor& value, const Tensor& output, const Tensor& target, std::int64_t n) {
      NoGrad off;
      add_(loss, mul_scalar(reshape(value, {}), static_cast<double>(n)));
      const haft_dtype t = target.dtype();
      const bool whole = t == HAFT_INT64 || t == HAFT_INT32 || t == HAFT_INT16 || t == HAFT_INT8 || t == HAFT_UINT8;
      classes = classes && whole && output.ndim() == 2 && target.ndim() == 1;
      if (classes) add_(hits, sum(eq(argmax(output, 1), target)));
      samples += n;
    }
    double mean_loss() const { return loss.item() / static_cast<double>(samples); }
    double accuracy() const {
      if (!classes) return std::numeric_limits<double>::quiet_NaN();
      return static_cast<double>(hits.item_int()) / static_cast<double>(samples);
    }
  };
  using Clock = std::chrono::steady_clock;

  nn::Module module_;
  optim::Optimizer optimizer_;
  data::Loader loader_;
  TrainingOptions o_;
  haft_device device_ = HAFT_DEVICE_DEFAULT;
  std::vector<Tensor> parameters_;
  TrainingProgress at_;
  Sums sums_;
  Clock::time_point began_{};
  std::chrono::nanoseconds reported_{0};
  bool due_ = false, over_ = false;
  double best_ = std::numeric_limits<double>::infinity();
  nn::NamedTensors best_state_;

  static void refuse(const std::string& text) {
    check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, ("trainer: " + text).c_str(), 0));
  }

  void begin_epoch() {
    if (!o_.resume || at_.epoch > 0 || loader_.state().batch >= at_.steps) loader_.reset();
    TrainingProgress next;
    next.epoch = at_.epoch + 1;
    next.epochs = at_.epochs;
    next.step = loader_.state().batch;
    next.steps = at_.steps;
    next.best_epoch = at_.best_epoch;
    at_ = next;
    began_ = Clock::now();
    reported_ = std::chrono::nanoseconds(0);
    sums_.clear(device_);
    module_.train();
  }
  // Loss and output of one batch.
  Tensor loss_of(const std::vector<Tensor>& batch, Sums& sums) const {
    if (batch.size() != 2)
      refuse("wanted batches of two fields, input and target, got " + std::to_string(batch.size()));
    const Tensor input = to(batch[0], HAFT_DTYPE_NONE, device_), target = to(batch[1], HAFT_DTYPE_NONE, device_);
    const Tensor output = module_(input);
    Tensor value;
    if (o_.loss) {
      std::vector<Tensor> answer = o_.loss(std::vector<Tensor>{output, target});
      if (answer.size() != 1 || !answer[0] || answer[0].numel() != 1) refuse("the loss did not answer one number");
      value = std::move(answer[0]);
    } else {
      value = cross_entropy(output, target);
    }
    sums.add(value, output, target, input.size(0));
    return value;
  }
  void validate() {
    Sums sums;
    sums.clear(device_);
    NoGrad off;
    module_.eval();
    o_.validation.reset();
    std::int64_t seen = 0;
    for (std::vector<Tensor> batch; o_.validation.next(batch); ++seen) loss_of(batch, sums);
    if (seen != o_.validation.batch_count())
      check(haft_error_set(HAFT_ERROR_CANCELLED, "trainer: the loader of the validation was cancelled", 0));
    module_.train();
    at_.validation_loss = sums.mean_loss();
    at_.validation_accuracy = sums.accuracy();
  }
  void keep_best() {
    NoGrad off;
    nn::NamedTensors now = module_.state_dict();
    if (best_state_.size() != now.size()) {
      best_state_.clear();
      for (const auto& s : now) best_state_.emplace_back(s.first, clone(s.second));
    } else {
      for (std::size_t i = 0; i < now.size(); ++i) copy_(best_state_[i].second, now[i].second);
    }
  }
  void end_epoch() {
    at_.loss = sums_.mean_loss();
    if (o_.validation) validate();
    const double watched = o_.validation ? at_.validation_loss : at_.loss;
    if (watched < best_ - o_.min_delta || (at_.best_epoch == 0 && !std::isnan(watched))) {
      best_ = watched;
      at_.best_epoch = at_.epoch;
      if (o_.restore_best) keep_best();
    }
    at_.stopped_early = o_.patience > 0 && at_.epoch < at_.epochs && at_.epoch - at_.best_epoch >= o_.patience;
    over_ = at_.stopped_early || at_.epoch == at_.epochs;
    if (over_ && !best_state_.empty()) module_.load_state_dict(best_state_);
  }

 public:
  TrainingRun(const nn::Module& module, const optim::Optimizer& optimizer, const data::Loader& loader,
              const TrainingOptions& options)
      : module_(module), optimizer_(optimizer), loader_(loader), o_(options) {
    if (!module) refuse("the module is missing");
    if (!optimizer) refuse("the optimizer is missing");
    if (!loader) refuse("the loader is missing");
    if (o_.epochs < 1) refuse("wanted at least 1 epoch, got " + std::to_string(o_.epochs));
    if (o_.patience < 0) refuse("wanted a patience of 0 or more epochs, got " + std::to_string(o_.patience));
    if (!(o_.min_delta >= 0)) refuse("wanted a min_delta of 0 or more, got " + std::to_string(o_.min_delta));
    if (!(o_.max_grad_norm >= 0))
      refuse("wanted a max_grad_norm of 0 or more, got " + std::to_string(o_.max_grad_norm));
    at_.epochs = o_.epochs;
    at_.steps = loader.batch_count();
    if (at_.steps < 1) refuse("the loader has no batch (it drops the last one when that is smaller)");
    if (o_.validation && o_.validation.batch_count() < 1) refuse("the loader of the validation has no batch");
    parameters_ = module.parameters();
    if (!parameters_.empty()) device_ = parameters_[0].device();
  }
  /// Takes one step; after the last one of an epoch it validates. False, and nothing done: the run is over.
  bool step() {
    if (over_) return false;
    if (at_.epoch == 0 || at_.step == at_.steps) begin_epoch();
    std::vector<Tensor> batch;
    if (!loader_.next(batch))
      check(haft_error_set(HAFT_ERROR_CANCELLED,
                           ("trainer: the loader was cancelled in epoch " + std::to_string(at_.epoch) + " after step " +
                            std::to_string(at_.step) + " of " + std::to_string(at_.steps))
                               .c_str(),
                           0));
    optimizer_.zero_grad();
    loss_of(batch, sums_).backward();
    if (o_.max_grad_norm > 0) {
      if (optim::shard_info(optimizer_).stage == 2)  // there are no gradients at the parameters
        optim::clip_grad_norm(optimizer_, o_.max_grad_norm);
      else
        optim::clip_grad_norm(parameters_, o_.max_grad_norm);
    }
    optimizer_.step();
    if (o_.scheduler) o_.scheduler.step();
    ++at_.step;
    at_.samples = sums_.samples;
    if (at_.step == at_.steps) end_epoch();
    at_.elapsed = Clock::now() - began_;
    due_ = at_.step == at_.steps || at_.elapsed - reported_ >= o_.report_every;
    if (due_) reported_ = at_.elapsed;
    return true;
  }
  /// Whether what progress() tells is worth showing after this step.
  bool is_due() const { return due_; }
  /// Where it stands; waits for the device.
  TrainingProgress progress() {
    if (sums_.samples > 0) {
      at_.loss = sums_.mean_loss();
      at_.accuracy = sums_.accuracy();
    }
    return at_;
  }
};

}  // namespace haft
#endif
