// Pruning (torch.nn.utils.prune): parts of a parameter held at 0. The slot "weight" reads weight_orig times the
// buffer weight_mask.
#pragma once
#include "core/nn/module.h"

namespace haft {
class Generator;
}

namespace haft::nn {

enum class Pruning : int32_t {
  identity,
  random_unstructured,
  l1_unstructured,
  random_structured,
  ln_structured
};

struct PruneOptions {
  Pruning method = Pruning::l1_unstructured;
  double fraction = 0;  // of what is left, rounded to the nearest even number of units at a half
  int64_t count = -1;   // so many units; below 0: fraction says it
  double n = 2;         // of the norm by which slices are compared; infinities, too
  int64_t dim = -1;     // along which whole slices go
  Generator* generator = nullptr;
};

// mask without the units that the method takes next: of elements that mask has left, or of slices along dim that have
// some left, those of the least |scores|, of the least norms, or any.
Tensor prune_mask(const Tensor& scores, const Tensor& mask, const PruneOptions& options);
// Prunes a parameter on top of what is pruned already, by its values of now or by scores of its shape.
void prune(Module& m, const std::string& name, const PruneOptions& options, const Tensor& scores = {});
// By a mask of zeros and ones.
void prune_by_mask(Module& m, const std::string& name, const Tensor& mask);

struct PruneTarget {
  Ref<Module> module;
  std::string name;
  Tensor scores;  // none: its values
};
// Elements of several parameters by one comparison of all; the methods without structure.
void prune_global(const std::vector<PruneTarget>& targets, const PruneOptions& options);

// The zeros become part of the parameter, which is an ordinary one again.
void remove_pruning(Module& m, const std::string& name);
bool is_pruned(Module& m);  // some parameter of the tree

}  // namespace haft::nn
