// Fully sharded data parallel (ZeRO stage 3; PyTorch's fully_shard): of each parameter a rank keeps its rows of
// dimension 0, and has the whole only while its unit computes. docs/sharding.md tells how it behaves.
//
// A **unit** is a set of parameters that come and go together. Those of a type lie in one memory (a **lane**), whose
// tensors are the parameters themselves; it is given back between uses and put again under the same addresses
// (core/backend/commit.h). This rank's
// **shards** lie one behind the other in another, which is what it gives to an all-gather; each is a leaf of its own,
// with its gradient. Shards are padded to equal rows, as torch.chunk cuts them, so that a lane is one call.
//
// The units over a group share a **schedule**: who comes next, what has been gathered ahead, and which gradients are
// to be scattered. Its one mutex guards them all; under it ranks are waited for. Gathers run in one group and
// reductions in a second one of the same ranks, so that the order in each is that of this rank's calls alone.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "core/nn/module.h"
#include "core/parallel/shard_of.h"

namespace haft {
struct Absentee;
}

namespace haft::parallel {

struct FullyShardedOptions {
  int reshard_after_forward = -1;  // 1, 0, or -1: 1 but for the unit that runs around others
  int prefetch = 1;                // units that are gathered ahead
  // None: the parameters'.
  DType param_dtype = DType::none, reduce_dtype = DType::none, output_dtype = DType::none;
  bool cast_forward_inputs = true, offload = false, init_sync = true;
};

struct FullyShardedInfo {
  int rank = 0, ranks = 1;
  bool whole = false;
  int64_t parameters = 0, elements = 0, own_elements = 0;
  int64_t whole_bytes = 0;                          // of all parameters while they are here
  int64_t parameter_bytes = 0, gradient_bytes = 0;  // that this rank keeps
  int64_t gathers = 0, prefetched = 0, scatters = 0, sent_bytes = 0;
};

class FullyShardedUnit;

// What the units over a group share.
struct FullyShardedSchedule {
  using Weak = std::weak_ptr<FullyShardedUnit>;
  std::recursive_mutex mutex;
  Ref<dist::Group> group, reduces;             // where gathers run, and reductions: the same ranks
  Ref<dist::Group> replicas, replica_reduces;  // hybrid: of the ranks with equal shards; NULL: none
  std::shared_ptr<void> keeps;                 // what the groups' owner wants kept
  std::vector<Weak> units;
  uint64_t made = 0;             // units, on every rank as many
  std::vector<Weak> entered;     // whose forward runs, the outermost first
  Weak last_entered, last_left;  // in this pass
  std::vector<Weak> ahead;       // gathered, or being gathered, before their time
  // In this backward: whose gradients are to be joined, in their order; units around others, whose turn comes behind
  // those; who is at it.
  std::vector<std::shared_ptr<FullyShardedUnit>> reached, around, scattering;
  bool end_queued = false;

  ~FullyShardedSchedule();
  // All ranks together; `keeps` lives as long as the groups are used.
  static std::shared_ptr<FullyShardedSchedule> of(Ref<dist::Group> group, Ref<dist::Group> replicas,
                                                  std::shared_ptr<void> keeps);
};

class FullyShardedUnit final : public std::enable_shared_from_this<FullyShardedUnit> {
 public:
  // All ranks call it with the same. With a module hooks call the two functions below, and own the unit; without, the
  // program does.
  static std::shared_ptr<FullyShardedUnit> create(std::vector<nn::NamedTensor> parameters,
                                                  Ref<dist::Group> group, Ref<dist::Group> replicas,
                                                  const FullyShardedOptions& options, Ref<nn::Module> module,
                                                  std::shared_ptr<void> keeps);
  // Those of a module that no unit has.
  static std::shared_ptr<FullyShardedUnit> create(Ref<nn::Module> module, Ref<dist::Group> group,
                                                  Ref<dist::Group> replicas,
                                                  const FullyShardedOptions& options,
                                                  std::shared_ptr<void> keeps);
  ~FullyShardedUnit();
  FullyShardedUnit(const FullyShardedUnit&) = delete;

  // Around the unit's own forward; they may replace what they see.
  void before_forward(std::span<Tensor> inputs);
  void after_forward(std::span<Tensor> outputs);
  // Collective: whole until reshard().
  void unshard();
  void reshard();
  // Off: gradients add up on this rank; the next backward with it on joins them.
  void set_gradient_sync(bool on);
  void set_reshard_after_forward(int value);
  FullyShardedInfo info();
  // Collective: parameters become ordinary ones again, whole on every rank.
  void close();
  bool is_closed();

 private:
  friend struct FullyShardedSchedule;
  using Schedule = FullyShardedSchedule;
  struct Parameter {
    std::string name;
    Tensor tensor, shard;
    size_t lane = 0;
    int64_t rows = 0, row = 0;   // of dimension 0, and elements of one
    int64_t each = 0, mine = 0;  // rows of a rank, padded; of this one
    // Elements: in the whole memory, in a rank's chunk, in its chunk of gradients.
    int64_t at = 0, own_at = 0, gradient_at = 0;
    int64_t flag = -1;  // its number among the lane's trained ones; -1: none
    uint64_t hook = 0;
    bool ready = false;  // its gradient came in this backward
    bool used = false;   // since gradients were scattered last
  };
  struct Lane {
    // Of shards, of the whole, of what is reduced.
    DType dtype = DType::none, low = DType::none, reduce = DType::none;
    Device device;
    std::vector<size_t> parameters;
    int64_t count = 0, chunk = 0;  // elements of the whole memory, and of a rank's part
    // 0: nothing is trained; the last `flags` elements of a chunk say who got a gradient.
    int64_t gradient_chunk = 0, flags = 0;
    Tensor own, whole;
    std::shared_ptr<Absentee> names;
    uint32_t seen = 0;               // version of own when it was gathered last
    Tensor giving, arriving;         // of a gather under way
    Ref<dist::Work> gather, astray;  // under way; the last one that nobody wants any more
    Tensor flat, reduced;            // gradients of this rank; the mean of its chunk
    Ref<dist::Work> reduce_work;
    // Where shards and gradients lie: the parameters' device, or the host with offload.
    Device home;
    // Every trained parameter had a gradient here when gradients were scattered last, so nobody need ask.
    bool all_used = false;
  };

  FullyShardedUnit(std::vector<nn::NamedTensor> parameters, std::shared_ptr<Schedule> schedule,
                   const FullyShardedOptions& options);
  void together(const char* what, const std::function<void()>& f);
  dist::Job of_unit(dist::Job job) const {
    job.call.unit = number_;
    return job;
  }
  void lay_out();
  void lay_out_gradients();
  void take_memory();
  void add_hooks();
  void remove_hooks() noexcept;
  void add_module_hooks(nn::Module& m);
  template <class F>
  void each_part(const Parameter& p, const Tensor& whole, const Tensor& chunks, int64_t chunk, int64_t at,
                 F&& f) const;

  void begin_gather(bool ahead);
  void finish_gather();
  void fill(Lane& l, const Tensor& whole, const Tensor& all);
  void drop_gather() noexcept;
  void make_whole();
  void give_back();
  void drop_memory();
  void prefetch(Schedule::Weak FullyShardedUnit::*next);
  void enter();
  void leave(bool recorded);

  void join_backward();
  void before_backward(std::shared_ptr<void>& use);
  void reach();
  void pass_by();
  // An earlier forward of it is still to be gone over.
  bool is_awaited() const { return uses_.use_count() > 1; }
  bool is_inside(const FullyShardedUnit& u) const;
  void on_gradient(size_t parameter, const Tensor& g);
  void inputs_done();
  void look_complete();
  void begin_reduce();
  void take_reduced();
  static void scatter_ready(Schedule& s);
  static void take_first(Schedule& s);
  static void settle(Schedule& s);
  static void end_of_backward(Schedule& s, bool whole);
  void reset_backward(bool whole) noexcept;
  void refresh_trained();

  const std::shared_ptr<Schedule> s_;
  // What ranks compare with each call: units of equal sizes would pass for each other otherwise, where a rank has
  // left the others' order.
  const uint16_t number_;
  FullyShardedOptions options_;
  std::vector<Parameter> parameters_;
  std::vector<Lane> lanes_;
  nn::Module* module_ = nullptr;  // its hooks hold this
  uint64_t pre_hook_ = 0, post_hook_ = 0;
  bool whole_ = false, gathering_ = false, held_ = false, closed_ = false;
  bool sync_ = true;
  bool in_recordings_ = false;  // the memory of what is whole stays
  uint64_t began_ = 0;          // the tape's number when its forward began
  bool around_ = false;         // other units ran inside of it in this pass
  bool has_frozen_ = false;
  Schedule::Weak outer_;           // inside of whose forward it ran
  Schedule::Weak after_, before_;  // who came next in forward, and who is next in backward
  // In this backward.
  bool reached_ = false, complete_ = false, inputs_done_ = false, begun_ = false;
  int64_t pending_ = 0;
  // Held by recorded forwards whose backward has not begun.
  std::shared_ptr<void> uses_ = std::make_shared<char>();
  FullyShardedInfo info_;
};

// The places of a parameter in the chunks of all ranks, beside those in the whole of it: flat, row-major.
template <class F>
void FullyShardedUnit::each_part(const Parameter& p, const Tensor& whole, const Tensor& chunks, int64_t chunk,
                                 int64_t at, F&& f) const {
  const int64_t ranks = s_->group->size(), part = p.each * p.row;
  if (!part) return;
  if (p.rows == p.each * ranks) {
    const int64_t sizes[] = {ranks, part}, in_whole[] = {part, 1}, in_chunks[] = {chunk, 1};
    return f(view_over(*whole.impl(), sizes, in_whole, 0), view_over(*chunks.impl(), sizes, in_chunks, at));
  }
  for (int64_t r = 0; r * p.each < p.rows; ++r) {
    const int64_t count = std::min(part, p.rows * p.row - r * part), one = 1;
    f(view_over(*whole.impl(), IntList(&count, 1), IntList(&one, 1), r * part),
      view_over(*chunks.impl(), IntList(&count, 1), IntList(&one, 1), r * chunk + at));
  }
}

}  // namespace haft::parallel
