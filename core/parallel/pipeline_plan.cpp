// In which order ranks compute, and how long they wait for each other.
#include <algorithm>

#include "core/parallel/pipeline.h"

namespace haft::parallel {

PipelineTrace pipeline_plan(PipelineSchedule s, int ranks, int rank, int per_rank, int micro_batches,
                            bool train) {
  // Interleaved: `round` micro-batches pass the first of a rank's stages, then the same the second, and so on.
  const int all = micro_batches * per_rank;
  const int round = per_rank == 1 ? micro_batches : micro_batches / std::max(1, micro_batches / ranks);
  int warm_up = all;
  if (train && s != PipelineSchedule::gpipe)
    warm_up =
        std::min(all, per_rank == 1 ? ranks - rank - 1 : 2 * (ranks - rank - 1) + (per_rank - 1) * round);
  PipelineTrace plan;
  int live = 0;
  const auto add = [&](int k, bool is_backward) {
    const int step = k / round % per_rank, local = is_backward ? per_rank - 1 - step : step;
    if (train) live += is_backward ? -1 : 1;
    plan.push_back({is_backward, local * ranks + rank, k / (round * per_rank) * round + k % round, live});
  };
  for (int k = 0; k < warm_up; ++k) add(k, false);
  if (!train) return plan;
  for (int k = 0; k < all; ++k) {
    if (warm_up + k < all) add(warm_up + k, false);
    add(k, true);
  }
  return plan;
}

double pipeline_bubble(std::span<const PipelineTrace> ranks) {
  int last = 0;
  int64_t left = 0, actions = 0;
  for (const PipelineTrace& t : ranks) {
    actions += int64_t(t.size());
    for (const PipelineAction& a : t) last = std::max(last, int(a.stage));
  }
  std::map<std::tuple<bool, int, int>, int64_t> ends;
  std::vector<size_t> next(ranks.size());
  std::vector<int64_t> free(ranks.size());
  for (left = actions; left;) {
    const int64_t before = left;
    for (size_t r = 0; r < ranks.size(); ++r)
      while (next[r] < ranks[r].size()) {
        const PipelineAction& a = ranks[r][next[r]];
        int64_t begin = free[r];
        if (a.is_backward || a.stage > 0) {
          const bool turn = a.is_backward && a.stage == last;  // right after its own forward
          const auto from =
              ends.find({a.is_backward && !turn, a.is_backward ? (turn ? last : a.stage + 1) : a.stage - 1,
                         a.micro_batch});
          if (from == ends.end()) break;
          begin = std::max(begin, from->second);
        }
        free[r] = ends[{a.is_backward, a.stage, a.micro_batch}] = begin + 1;
        ++next[r];
        --left;
      }
    if (left == before)
      fail(Code::invalid_argument,
           "pipeline: the traces wait for each other; they must be those of all ranks, of one step");
  }
  const int64_t end = free.empty() ? 0 : *std::max_element(free.begin(), free.end());
  return end ? 1 - double(actions) / double(end * int64_t(ranks.size())) : 0;
}

}  // namespace haft::parallel
