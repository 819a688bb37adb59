// L-BFGS: what it remembers, and its step (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6, with PyTorch's constants).
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace haft {

// Vectors over all parameters, one after the other. Names are those of PyTorch's state of the first parameter.
struct LbfgsMemory {
  int64_t func_evals = 0, n_iter = 0;
  double t = 0, h_diag = 1, prev_loss = 0;
  Tensor d, prev_flat_grad;
  std::vector<Tensor> old_dirs, old_stps;  // the oldest first
  std::vector<double> ro;

  bool empty() const { return func_evals == 0; }
  // By the names below; "old_dirs.<n>" and its like may come in order behind the last that there is.
  void set(std::string_view name, const Tensor& value, const Tensor& p, int64_t size);
  // Under "<prefix>func_evals", "<prefix>d", "<prefix>old_dirs.0", ...
  void write(const std::string& prefix, std::map<std::string, Tensor>& tensors,
             std::map<std::string, double>& numbers) const;
  // Copies for vectors of `size` elements like `p`. Fails, naming `type`, where something is missing or does not fit.
  static LbfgsMemory read(const std::string& prefix, const std::map<std::string, Tensor>& tensors,
                          const std::map<std::string, double>& numbers, const Tensor& p, int64_t size);
};

// Clears the gradients, computes the loss and its gradients, answers the loss.
using LossClosure = std::function<Tensor()>;

// Up to max_iter iterations; options are those of rule_LBFGS. Answers the first loss. What it remembers changes when
// it has come to its end, parameters at once.
Tensor lbfgs_step(std::span<const Tensor> parameters, std::span<const double> options, LbfgsMemory& memory,
                  const LossClosure& closure);

}  // namespace haft
