// Pipelines: a model cut into stages, one or several on each rank, that works on several parts of a batch at once.
//
// **Plan.** What a rank computes in a step is a list known before (pipeline_plan): forwards and backwards of stages on
// micro-batches. A rank takes them in order, waits for what the action before it has sent, and sends what it made
// without waiting, so ranks stand still only where the plan does. What is sent to a rank that has not asked for it
// yet is held by the sender.
//
// **Handshake.** Before its first micro-batch of a step a stage tells the next one types, shapes and which of its
// results want a gradient; the others of the step are of the same.
//
// **Failure.** Whatever fails in a step kills the group, with the reason, so that no rank waits for this one.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/dist/group.h"
#include "core/nn/module.h"

namespace haft::parallel {

// Values are those of haft/pipeline.h.
enum class PipelineSchedule : uint8_t { gpipe, one_f_one_b, interleaved };

struct PipelineAction {
  bool is_backward;
  int32_t stage, micro_batch;
  int32_t live;  // micro-batches, over the rank's stages, whose activations are held after it
};
using PipelineTrace = std::vector<PipelineAction>;

// What a rank does in a step of training, or with forwards alone. Stage i lies on rank i % ranks.
PipelineTrace pipeline_plan(PipelineSchedule s, int ranks, int rank, int stages_per_rank, int micro_batches,
                            bool train);
// The share of time in which ranks wait, where each action takes one unit: traces of all ranks, of one step.
double pipeline_bubble(std::span<const PipelineTrace> ranks);

struct PipelineOptions {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int micro_batches = 1;
  bool scale_gradients = true;  // by 1 / micro_batches: the loss is a mean over its rows
  Ref<nn::Module> loss;         // of the last stage's results and the target; it answers one element
};

class Pipeline : public RefCounted {
 public:
  // All ranks of the group, with stages rank, rank + ranks, ...
  static Ref<Pipeline> create(Ref<dist::Group> group, std::vector<Ref<nn::Module>> stages,
                              PipelineOptions options);
  ~Pipeline();

  // A parameter that several ranks have, and who else calls it with none: all ranks call it. The first one's values
  // are taken by all, and after each step the gradients are added up.
  void tie(const Tensor& parameter);

  struct Results {
    std::vector<Tensor> outputs;  // of the last stage, all micro-batches behind each other
    Tensor losses;                // one a micro-batch
  };
  // Inputs are the first stage's, the target the last one's; what others bring is not looked at. Answers what the
  // last stage made: more results than there is room for fail as soon as that is known. With `train` gradients are
  // added to parameters.
  Results run(std::span<const Tensor> inputs, const Tensor& target, bool train, bool want_outputs,
              int64_t room = INT64_MAX);

  int stage_count() const { return int(stages_.size()) * group_->size(); }
  bool has_first() const { return group_->rank() == 0; }
  bool has_last() const { return group_->rank() == group_->size() - 1; }
  const PipelineOptions& options() const { return options_; }
  const PipelineTrace& trace() const { return trace_; }  // of the last run
  int peak_live() const { return peak_live_; }
  double planned_bubble() const;

 private:
  struct Form {  // of one tensor that goes from stage to stage
    DType dtype;
    bool trained;
    std::vector<int64_t> sizes;
    Device device;  // each rank's own: of what a stage answers, and of its parameters for what comes
    bool operator==(const Form&) const = default;
  };
  struct Live {
    std::vector<Tensor> inputs, outputs;
  };
  struct Coming {
    std::vector<Tensor> tensors;
    std::vector<Ref<dist::Work>> works;
  };
  struct Stage {
    Ref<nn::Module> module;
    int id;
    std::vector<Form> in, out;
    bool knows_in = false, knows_out = false;
    std::map<int, Live> live;  // by micro-batch
  };
  struct Tie {
    Tensor parameter;
    Ref<dist::Group> group;
    Tensor before;  // the gradient at the beginning of the step
  };
  struct Step {
    std::vector<Tensor> inputs, targets, losses;  // targets, losses: a micro-batch each
    std::vector<std::vector<Tensor>> outputs;
    bool train, want_outputs;
    int64_t room;  // for outputs
  };

  Pipeline(Ref<dist::Group> group, std::vector<Ref<nn::Module>> stages, PipelineOptions options);
  bool is_last(const Stage& s) const { return s.id == stage_count() - 1; }
  Stage& stage(int id) { return stages_[size_t(id / group_->size())]; }
  int rank_of(int stage) const { return stage % group_->size(); }
  void check_room(const Step& step, int64_t results);
  void split_batch(Step& step, std::span<const Tensor> inputs, const Tensor& target);
  void act(Step& step, const PipelineAction& a, const PipelineAction* next);
  void forward(Step& step, Stage& s, int micro_batch, std::vector<Tensor> inputs);
  void backward(Step& step, Stage& s, int micro_batch, std::vector<Tensor> gradients);
  bool expects(const PipelineAction& a);
  Device device_of(const Stage& s) const;
  void learn_forms(Stage& s);
  void tell_forms(Stage& s);
  void ask(const PipelineAction& a);
  std::vector<Tensor> take(const PipelineAction& a);
  void send(int to_stage, int from_stage, int micro_batch, bool is_backward, std::span<const Tensor> tensors);
  void finish_sent(bool all);
  void begin_ties();
  void end_ties();
  void give_up(std::string_view where, std::string_view what) noexcept;
  Results gather(Step& step);

  const Ref<dist::Group> group_;
  const PipelineOptions options_;
  std::vector<Stage> stages_;
  std::vector<Tie> ties_;
  std::map<int32_t, Coming> coming_;  // by tag
  std::deque<Ref<dist::Work>> sent_;
  PipelineTrace trace_;
  Device device_;  // of what this rank was given last
  int peak_live_ = 0;
};

}  // namespace haft::parallel
