// What ranks do with gradients between backward and the optimizer's step when each has a part of the model, or its
// data.
#pragma once
#include <span>

#include "core/dist/group.h"

namespace haft::parallel {

// Joins the gradients of these parameters over ranks, in place: small ones travel together. One that is missing
// counts as 0 and is there afterwards. For models that no hook can join during backward, since a step has many
// (pipelines).
void join_gradients(dist::Group& g, std::span<const Tensor> parameters, dist::ReduceOp op);

// clip_grad_norm over the ranks of a group that have the model together. copies[i]: how many of them have the
// gradient of parameter i, all the same one; empty: each is this rank's alone. Answers the norm before, the same bits
// on every rank.
double clip_grad_norm(dist::Group& g, std::span<const Tensor> parameters, std::span<const int64_t> copies,
                      double max_norm, double norm_type = 2);

// The norm of all gradients that the ranks of a group have together, the same bits on every rank; `copies` as above,
// undefined gradients do not count.
double norm_over_ranks(dist::Group& g, std::span<const Tensor> gradients, std::span<const int64_t> copies,
                       double norm_type);

}  // namespace haft::parallel
