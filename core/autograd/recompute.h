// Memory for time (torch.utils.checkpoint, the form that is not reentrant): what a part of a program keeps for backward
// is forgotten, and computed again when backward first asks for it.
#pragma once
#include "core/autograd/transforms.h"

namespace haft {

struct RecomputeOptions {
  bool preserve_random = true;  // the second run draws the numbers of the first
};

// fn(inputs), recorded as usual, of which only the inputs are kept. fn runs once more, on the thread of backward, for
// each backward that comes through, with inputs of equal values that have no history; it must do the same again. It
// ends with the operator that keeps the last of the tensors, which fails with Code::cancelled, unless the thread's
// early stop was off in the first run. Fails there with Code::autograd where it keeps other tensors than at first, or
// where an input was written in place since.
std::vector<Tensor> checkpoint(TensorsFunction fn, std::span<const Tensor> inputs,
                               RecomputeOptions options = {});

// Whether second runs of the thread's checkpoints from here on end early; answers what was. On at first.
bool set_checkpoint_early_stop(bool on);

}  // namespace haft
