// Calls of a group as the engine makes them, and what ranks compare before they begin.
#pragma once
#include <string>

#include "core/dist/group.h"

namespace haft::parallel {

dist::Job all_reduce_job(const Tensor& t, dist::ReduceOp op);
dist::Job broadcast_job(const Tensor& t, int root);
// One rank's elements behind the other's, of equal number.
dist::Job all_gather_job(const Tensor& mine, const Tensor& all);

// Waits for it, lets go of it and fails with its failure.
void finish_work(Ref<dist::Work>& w);

// The first line of each rank's text that is not rank 0's ends in Code::mismatch on every rank. `what` begins the
// message; lines say what each rank has, so that both can be shown.
void verify_same(dist::Group& g, std::string_view what, const std::string& lines);

}  // namespace haft::parallel
