// Layers whose weights are spread over the ranks of a group, equal to the dense layer up to rounding (Shoeybi et al.,
// arXiv:1909.08053; sequence parallel: Korthikanti et al., arXiv:2205.05198).
//
// Each is made of a dense layer: rank 0's values count, of which every rank keeps its part (part_of), which must not
// be empty. Inputs and outputs are the same on all ranks unless an option says that each has its part. Ranks whose
// layers differ are told so when they are made; what fails in a call on one rank is the end of the group.
#pragma once
#include "core/nn/layers.h"
#include "core/parallel/functional.h"

namespace haft::parallel {

struct ParallelOptions {
  // Column: all ranks get the whole output; else each keeps its part of the last dimension. Row: each rank brings its
  // part of the last dimension; else all bring the whole input.
  bool split_output = true, split_input = true;
  // Along this dimension each rank has a part of the sequence, where the layer stands between layers that see one
  // token at a time: a column's input, the output of a row or an embedding. kNone: all have the whole.
  int64_t sequence_dim = kNone;
  // Column: out_features are this many blocks of equal size, each of which is spread, as query, key and value in one
  // weight.
  int64_t blocks = 1;
};

// y = x weight^T + bias, of whose rows each rank has a part.
class ColumnParallelLinear final : public nn::Module {
  const GroupRef group_;
  const ParallelOptions o_;
  const int64_t in_, out_;

 public:
  ColumnParallelLinear(const GroupRef& g, nn::Module& dense, const ParallelOptions& options);
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

// Of weight's columns each rank has a part: what they give is added up over ranks.
class RowParallelLinear final : public nn::Module {
  const GroupRef group_;
  const ParallelOptions o_;
  const int64_t in_, out_;

 public:
  RowParallelLinear(const GroupRef& g, nn::Module& dense, const ParallelOptions& options);
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

// Of the table's rows each rank has a part.
class VocabParallelEmbedding final : public nn::Module {
  const GroupRef group_;
  const ParallelOptions o_;
  const int64_t rows_, dim_, padding_;
  const Part part_;

 public:
  VocabParallelEmbedding(const GroupRef& g, nn::Module& dense, const ParallelOptions& options);
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

// Parameters that all ranks have, used by each on its part of the sequence: their gradients are added up over ranks
// as they come.
void sum_gradients(const GroupRef& g, nn::Module& m);

// cross_entropy over the classes in the last dimension of x (*, C), of which each rank has a part (part_of(classes,
// ...)); target (*) holds classes of all. No rank sees all logits. reduction: HAFT_REDUCTION_*; the loss is the same
// on all ranks.
Tensor vocab_parallel_cross_entropy(const GroupRef& g, const Tensor& x, const Tensor& target, int64_t classes,
                                    int64_t reduction, int64_t ignore_index = -100,
                                    double label_smoothing = 0);

}  // namespace haft::parallel
