// Parameters that are spread over ranks, for functions that take parameters.
#pragma once
#include <span>
#include <vector>

#include "core/optim/optimizer.h"

namespace haft::capi {

// Their shards in the place of parameters that have one.
std::vector<Tensor> shards_in_place(std::span<const Tensor> parameters);
// Fails when there is one, whose gradient lies elsewhere, or, unless the ranks are asked together, a shard, which is
// a part.
void refuse_shards(std::span<const Tensor> parameters, const char* what, bool together = false,
                   const char* hint = "haft_optimizer_clip_grad_norm takes the norm over all of them");

// Fails when the optimizer has a parameter that was spread after it was made: it would see no gradient of it, and
// step nothing.
void refuse_absent(const Optimizer& o);

}  // namespace haft::capi
