// Models that are joined now and then instead of gradients in each step: local SGD (the mean of the ranks'
// parameters) and DiLoCo (a step of an outer optimizer along what the mean has moved).
#pragma once
#include <mutex>

#include "core/nn/module.h"
#include "core/parallel/calls.h"

namespace haft::parallel {

struct AveragerOptions {
  int64_t period = 1, warmup = 0;  // steps between two means, and before the first
  bool outer = false;
  double outer_lr = 0.7, outer_momentum = 0.9;
  bool nesterov = true;
};

class ModelAverager final : public RefCounted {
 public:
  ModelAverager(std::vector<Tensor> parameters, Ref<dist::Group> group, const AveragerOptions& options);
  // After each step of the optimizer, on every rank. Answers whether it was the turn.
  bool step();
  std::vector<nn::NamedTensor> state();
  void load_state(std::span<const nn::NamedTensor> state);

 private:
  struct Flat {
    std::vector<Tensor> parameters, places;  // places: views of `now`
    Tensor now, outer, momentum;             // the last two with an outer optimizer
  };
  const Ref<dist::Group> group_;
  const AveragerOptions options_;
  std::mutex mutex_;
  std::vector<Flat> flats_;  // by type
  Tensor step_;
};

}  // namespace haft::parallel
