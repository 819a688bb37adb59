// Collectives that take part in gradients: the gradient of each is another of them, its conjugate, so every order
// exists.
//
// Results are new tensors. Whether a tensor requires a gradient must be the same on all ranks: a rank that records
// nothing calls nothing in backward, where the others wait for it. A tensor that does not fit on one rank, and
// whatever else fails on one alone, is the end of the group, so that the others hear of it at once; what a program
// says of all ranks (a root, a reduction) is refused and leaves the group alive.
#pragma once
#include <vector>

#include "core/dist/group.h"

namespace haft::parallel {

using GroupRef = Ref<dist::Group>;
using dist::ReduceOp;
using Rows = std::vector<int64_t>;  // sizes along a dimension, one a rank; empty: equal ones

// What each rank contributes, joined for all. A gradient exists of sum and avg: the same call of the ranks' gradients.
Tensor all_reduce(const GroupRef& g, const Tensor& x, ReduceOp op = ReduceOp::sum);
// The root's for all: x of the other ranks gives the shape. Gradient: the sum over ranks at the root, 0 elsewhere.
Tensor broadcast(const GroupRef& g, const Tensor& x, int root);
// The joined values at the root, 0 elsewhere; sum and avg. Gradient: the root's for all.
Tensor reduce(const GroupRef& g, const Tensor& x, int root, ReduceOp op = ReduceOp::sum);
// All ranks' tensors behind each other along dim. Gradient: reduce_scatter.
Tensor all_gather(const GroupRef& g, const Tensor& x, int64_t dim = 0, const Rows& rows = {});
// This rank's part, along dim, of the joined values; sum and avg. Gradient: all_gather.
Tensor reduce_scatter(const GroupRef& g, const Tensor& x, int64_t dim = 0, ReduceOp op = ReduceOp::sum,
                      const Rows& rows = {});
// Parts along dimension 0: in[r] rows go to rank r, out[r] come from it. Gradient: the way back.
Tensor all_to_all_single(const GroupRef& g, const Tensor& x, const Rows& out = {}, const Rows& in = {});

// ---- within a model that is spread over a group ----
// What follows a value that is the same on all ranks is computed by all of them alike, so its gradient is whole on
// each and is not added up again. These pairs are each other's gradient (f and g of Shoeybi et al.,
// arXiv:1909.08053).

// x itself, before ranks do different things with it; gradient: sum over ranks.
Tensor copy_to(const GroupRef& g, const Tensor& x);
// The sum over ranks, of which all go on alike; gradient: as it is.
Tensor reduce_from(const GroupRef& g, const Tensor& x);
// This rank's part along dim of what all have; gradient: all ranks' parts.
Tensor split_to(const GroupRef& g, const Tensor& x, int64_t dim = -1);
// All ranks' parts along dim, of which all go on alike; gradient: this rank's part.
Tensor gather_from(const GroupRef& g, const Tensor& x, int64_t dim = -1, const Rows& rows = {});

// A rank's part of n things, cut as torch.chunk cuts: all have ceil(n / ranks) but the last ones, who have the rest,
// or nothing.
struct Part {
  int64_t begin, size;
};
Part part_of(int64_t n, int ranks, int rank);
Rows parts_of(int64_t n, int ranks);

// Joined over ranks, in place, in float64: sums and counts that a metric is made of.
void sum_values(dist::Group& g, double* values, int64_t count);

}  // namespace haft::parallel
