// A mixture of experts whose experts are spread over ranks: tokens go to their experts and come back.
#pragma once
#include "core/dist/group.h"
#include "core/nn/module.h"

namespace haft::parallel {

struct ExpertOptions {
  int top_k = 2;
  // An expert takes capacity_factor * top_k * tokens / experts of each rank's tokens, first choices before second
  // ones, in order; the others pass with the rest of their experts, or as 0. 0: as many as come.
  double capacity_factor = 0;
  bool normalize = true;  // the weights of a token's experts add up to 1, when it has several
};

// Experts rank * own to (rank + 1) * own - 1 of all lie on a rank, as children "experts.<number among all>"; "router"
// answers a logit for each of all. Results: what x, (..., width), becomes, of the same width, and the loss of Switch
// Transformer (arXiv:2101.03961) over the tokens of all ranks, which is 1 when experts are equally loaded. All ranks
// call it together; what fails on one is the end of the group.
//
// Gradients: of a sum over ranks of their losses, those of experts are whole; the router's are this rank's part.
class MixtureOfExperts final : public nn::Module {
  const Ref<dist::Group> group_;
  const ExpertOptions options_;
  Ref<nn::Module> router_;
  std::vector<Ref<nn::Module>> experts_;
  int64_t all_ = 0;
  std::vector<Tensor> pass(std::span<const Tensor> xs);

 public:
  MixtureOfExperts(Ref<dist::Group> group, Ref<nn::Module> router, std::vector<Ref<nn::Module>> experts,
                   ExpertOptions options);
  Tensor forward(const Tensor& x) override;  // without the loss
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override;
  int64_t output_count() const override { return 2; }
  std::string extra() const override;
  int64_t dropped = 0;  // choices of this rank's tokens that found no room, in the last call
};

}  // namespace haft::parallel
