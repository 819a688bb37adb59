// ZeRO (Rajbhandari et al., arXiv:1910.02054): every rank has all parameters, and of an optimizer's state its part
// only. Stage 2: of the gradients, too. docs/sharding.md tells how it behaves.
//
// Parameters of a group lie in **buckets**, one behind the other, those of the last layers first. A bucket is cut
// into equal chunks of elements, one a rank: a step's rule is one for single elements, so that a chunk may begin and
// end within a parameter. A rank steps the pieces of its chunks where they lie in the parameters, and an all-gather
// of each bucket brings what the others have changed.
//
// In stage 2 a hook at each parameter moves its gradient to the bucket's memory; when all of a bucket are there its
// reduce-scatter is issued, which leaves this rank the mean of its chunk, and the memory goes. Later backwards add to
// it until zero_grad.
//
// One mutex guards the state; hooks may come from any thread that runs a backward.
#pragma once
#include <array>
#include <functional>
#include <mutex>
#include <optional>

#include "core/optim/optimizer.h"
#include "core/parallel/calls.h"

namespace haft::parallel {

struct ShardOptions {
  int stage = 1;
  bool init_sync = true;  // parameters of rank 0 become every rank's
  int64_t bucket_bytes = int64_t(25) << 20;
};

struct ShardInfo {
  int stage = 0, rank = 0, ranks = 1;
  int64_t buckets = 0, elements = 0, own_elements = 0, state_bytes = 0, gradient_bytes = 0;
};

class ShardedOptimizer final : public OptimizerSharding {
 public:
  // Spreads o over the group's ranks; all call it with the same optimizer.
  static void create(Optimizer& o, Ref<dist::Group> group, const ShardOptions& options);
  // What spreads o, or NULL.
  static ShardedOptimizer* of(const Optimizer& o);

  // Collective: the state of all parameters comes together on a rank, or on all (-1), and stays until it changes.
  void gather_state(const Optimizer& o, int to);
  // Collective: haft::clip_grad_norm for gradients that ranks have parts of.
  double clip_grad_norm(double max_norm, double norm_type);
  static ShardInfo info(const Optimizer& o);  // also of one that is not spread

  bool has_whole_gradients() const override { return options_.stage == 1; }
  void add_group(std::span<const Tensor> parameters) override;
  Tensor part(int64_t parameter, const Tensor& whole) const override;
  std::pair<int64_t, int64_t> range(int64_t parameter) const override;
  Tensor whole(int64_t parameter, int slot) const override;
  void forget_whole() noexcept override;
  void step(Optimizer& o) override;
  void zero_grad(bool set_to_none) override;
  std::vector<Tensor> gradient_parts() override;
  void join_largest(const Tensor& number) override;
  void close() noexcept override;

 private:
  struct Piece {
    Tensor parameter;
    int64_t number = 0;  // through all groups
    int64_t at = 0;      // where it begins in the bucket
    int64_t from = 0, chunk_at = 0,
            count = 0;   // this rank's elements: where in the parameter, where in the chunk
    uint64_t hook = 0;   // 0: none
    bool ready = false;  // its gradient came in this backward
    bool used = false;   // it came since zero_grad
  };
  struct Bucket {
    DType dtype = DType::none;
    int64_t count = 0, chunk = 0;
    std::vector<Piece> pieces;
    // Of stage 2.
    int hooks = 0, pending = 0;
    bool begun = false;
    Tensor flat, incoming,
        gradient;  // this backward's of all ranks; this rank's chunk of their mean; what came since zero_grad
    Ref<dist::Work> work;
  };
  struct Place {
    size_t bucket = 0, piece = 0;
  };

  ShardedOptimizer(Ref<dist::Group> group, const ShardOptions& options)
      : group_(std::move(group)), options_(options) {}
  void together(const char* what, const std::function<void()>& f);
  Piece& piece(int64_t number) {
    return buckets_[places_[size_t(number)].bucket].pieces[places_[size_t(number)].piece];
  }
  const Piece& piece(int64_t number) const { return const_cast<ShardedOptimizer&>(*this).piece(number); }
  std::vector<Bucket> laid_out(std::span<const Tensor> parameters) const;
  void add_hooks(Bucket& b);
  void remove_hooks(std::span<Bucket> buckets) noexcept;
  Tensor part_of(const Piece& p, const Tensor& whole) const;
  Tensor chunk_of(const Tensor& chunk, const Piece& p) const;
  Tensor place_in(const Tensor& flat, const Piece& p) const;
  Tensor zeros(int64_t count, const Bucket& like) const;

  void on_gradient(int64_t number, const Tensor& g);
  void scatter(Bucket& b, bool wait);
  void take(Bucket& b);
  void end_of_backward(bool whole);
  void reset_backward() noexcept;

  std::vector<bool> gradients_present();
  Tensor gradient_part(const Bucket& b, const Piece& p) const;
  void gather_parameters(const std::vector<Tensor>& parts, const std::vector<bool>& changed);

  const Ref<dist::Group> group_;
  const ShardOptions options_;
  mutable std::recursive_mutex mutex_;  // a backward may end within a hook: by its failure
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;     // by parameter
  std::optional<Device> device_;  // of all parameters, from the first group on
  bool closed_ = false, in_backward_ = false, end_queued_ = false;
  bool closing_ = false;                  // when the backward that runs is at its end
  size_t next_ = 0;                       // the bucket that is to be scattered
  bool gathered_ = false, here_ = false;  // whole_ is of now; it is on this rank
  std::vector<std::array<Tensor, kMaxSlots>> whole_;
};

}  // namespace haft::parallel
