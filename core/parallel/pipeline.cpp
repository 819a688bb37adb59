#include "core/parallel/pipeline.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/hooks.h"
#include "core/ops/functions.h"
#include "core/parallel/calls.h"

namespace haft::parallel {

using dist::Group;
using dist::Job;
using dist::Kind;
using dist::Work;

namespace {

constexpr int kMaxStages = 1024, kMaxMicroBatches = 65536;
// Types, flags and shapes of this many tensors are one small message.
constexpr int64_t kMaxTensors = 64, kFormWords = 3 + HAFT_MAX_DIMS;

int32_t tag_of(int to_stage, int micro_batch, bool is_backward) {
  return 1 << 30 | int32_t(is_backward) << 26 | to_stage << 16 | micro_batch;
}
int32_t form_tag(int to_stage) { return 1 << 30 | 1 << 27 | to_stage << 16; }

Job message(Kind kind, const Tensor& t, int peer, int32_t tag) {
  Job j;
  j.call.kind = kind;
  (kind == Kind::send ? j.in : j.out) = {t};
  j.peer = peer;
  j.tag = tag;
  return j;
}

Tensor form_message() {
  const int64_t words = 1 + kMaxTensors * kFormWords;
  return new_tensor(IntList(&words, 1), DType::i64);
}

const char* schedule_name(PipelineSchedule s) {
  return s == PipelineSchedule::gpipe         ? "GPipe"
         : s == PipelineSchedule::one_f_one_b ? "1F1B"
                                              : "interleaved 1F1B";
}

int64_t rows_of(const Tensor& t, int micro_batches, const char* what) {
  if (!t || t.ndim() == 0 || t.size(0) % micro_batches)
    fail(Code::shape,
         concat(what, t ? concat(" of shape ", t.sizes()) : std::string(" that is missing"), " has no ",
                micro_batches, " equal micro-batches"),
         "its first dimension is the batch, a multiple of the number of micro-batches", what);
  return t.size(0) / micro_batches;
}

}  // namespace

Pipeline::Pipeline(Ref<Group> group, std::vector<Ref<nn::Module>> stages, PipelineOptions options)
    : group_(std::move(group)), options_(std::move(options)) {
  const int v = int(stages.size()), ranks = group_->size(), m = options_.micro_batches;
  if (!v) fail(Code::invalid_argument, "pipeline: a rank has at least one stage", {}, "stages");
  if (v > 1 && options_.schedule != PipelineSchedule::interleaved)
    fail(Code::invalid_argument,
         concat("pipeline: ", schedule_name(options_.schedule), " takes one stage a rank, got ", v),
         "several are for the interleaved schedule", "stages");
  if (v * ranks > kMaxStages || m < 1 || m >= kMaxMicroBatches)
    fail(Code::invalid_argument,
         concat("pipeline: takes up to ", kMaxStages, " stages and 1 to ", kMaxMicroBatches - 1,
                " micro-batches, got ", v * ranks, " and ", m),
         {}, "micro_batches");
  if (const int rounds = std::max(1, m / ranks); v > 1 && m % rounds)
    fail(Code::invalid_argument,
         concat("pipeline: ", m, " micro-batches on ", ranks, " ranks have no ", rounds, " equal rounds"),
         "interleaved stages want a multiple of the number of ranks", "micro_batches");
  for (int i = 0; i < v; ++i) {
    if (!stages[size_t(i)]) fail(Code::invalid_argument, "pipeline: a stage is NULL", {}, "stages");
    Stage s;
    s.module = std::move(stages[size_t(i)]);
    s.id = i * ranks + group_->rank();
    stages_.push_back(std::move(s));
  }
}

Ref<Pipeline> Pipeline::create(Ref<Group> group, std::vector<Ref<nn::Module>> stages,
                               PipelineOptions options) {
  auto made = Ref<Pipeline>::adopt(new Pipeline(std::move(group), std::move(stages), std::move(options)));
  const PipelineOptions& o = made->options_;
  verify_same(
      *made->group_, "pipelines differ",
      concat(schedule_name(o.schedule), "\nstages a rank: ", made->stages_.size(),
             "\nmicro-batches: ", o.micro_batches, "\nscaled gradients: ", int(o.scale_gradients), "\n"));
  return made;
}

Pipeline::~Pipeline() {
  for (Tie& t : ties_) t.group->close();
}

double Pipeline::planned_bubble() const {
  std::vector<PipelineTrace> all;
  for (int r = 0; r < group_->size(); ++r)
    all.push_back(pipeline_plan(options_.schedule, group_->size(), r, int(stages_.size()),
                                options_.micro_batches, true));
  return pipeline_bubble(all);
}

// ---- a step ----

Pipeline::Results Pipeline::run(std::span<const Tensor> inputs, const Tensor& target, bool train,
                                bool want_outputs, int64_t room) {
  group_->check_alive();
  const auto plan = pipeline_plan(options_.schedule, group_->size(), group_->rank(), int(stages_.size()),
                                  options_.micro_batches, train);
  std::string where = "its batch";
  trace_.clear();
  peak_live_ = 0;
  for (Stage& s : stages_) s.knows_in = s.knows_out = false;
  try {
    ScopedValue<bool> gradients(thread_state().grad_enabled, train);
    Step step;
    step.train = train;
    step.want_outputs = want_outputs;
    step.room = room;
    if (has_last()) check_room(step, stages_.back().module->output_count());
    split_batch(step, inputs, target);
    for (const Tensor* t : {inputs.empty() ? nullptr : &inputs[0], &target})
      if (t && *t) device_ = t->device();
    if (train) begin_ties();
    for (size_t i = 0; i < plan.size(); ++i) {
      const PipelineAction& a = plan[i];
      where = concat(a.is_backward ? "backward" : "forward", " of stage ", a.stage, ", micro-batch ",
                     a.micro_batch);
      act(step, a, i + 1 < plan.size() ? &plan[i + 1] : nullptr);
      finish_sent(false);
    }
    where = "the end of a step";
    finish_sent(true);
    if (train) end_ties();
    return gather(step);
  } catch (const Error& e) {
    give_up(where, e.message);
    throw;
  } catch (...) {
    give_up(where, "out of memory");
    throw;
  }
}

void Pipeline::check_room(const Step& step, int64_t results) {
  if (step.want_outputs && results > step.room)
    fail(Code::invalid_argument, concat("outputs has room for ", step.room, ", there are ", results), {},
         "capacity");
}

void Pipeline::split_batch(Step& step, std::span<const Tensor> inputs, const Tensor& target) {
  const int m = options_.micro_batches;
  if (has_first()) {
    if (inputs.empty())
      fail(Code::invalid_argument, "pipeline: the first stage's rank gives the batch, got no tensor", {},
           "inputs");
    for (const Tensor& t : inputs) {
      rows_of(t, m, "input");
      step.inputs.push_back(ops::detach(t));
    }
  }
  if (!has_last()) return;
  step.losses.resize(size_t(m));
  step.outputs.resize(size_t(m));
  if (step.train && !(target && options_.loss))
    fail(Code::invalid_argument, "pipeline: training wants a loss and a target on the last stage's rank",
         "evaluate goes without", "target");
  if (!target || !options_.loss) return;
  const int64_t rows = rows_of(target, m, "target");
  for (int i = 0; i < m; ++i) step.targets.push_back(ops::narrow(target, 0, i * rows, rows));
}

bool Pipeline::expects(const PipelineAction& a) {
  const int from = a.stage + (a.is_backward ? 1 : -1);
  return from >= 0 && from < stage_count();
}

void Pipeline::act(Step& step, const PipelineAction& a, const PipelineAction* next) {
  Stage& s = stage(a.stage);
  std::vector<Tensor> got;
  if (expects(a)) {
    if (!a.is_backward && !s.knows_in) learn_forms(s);
    ask(a);
    got = take(a);
  } else if (!a.is_backward) {
    for (const Tensor& t : step.inputs) {
      const int64_t rows = t.size(0) / options_.micro_batches;
      got.push_back(ops::narrow(t, 0, a.micro_batch * rows, rows));
    }
  }
  if (next && expects(*next) &&
      (next->is_backward ? stage(next->stage).knows_out : stage(next->stage).knows_in))
    ask(*next);
  if (a.is_backward)
    backward(step, s, a.micro_batch, std::move(got));
  else
    forward(step, s, a.micro_batch, std::move(got));
  int live = 0;
  for (const Stage& each : stages_) live += int(each.live.size());
  peak_live_ = std::max(peak_live_, live);
  trace_.push_back({a.is_backward, a.stage, a.micro_batch, live});
}

void Pipeline::forward(Step& step, Stage& s, int micro_batch, std::vector<Tensor> inputs) {
  if (step.train && s.id > 0)
    for (size_t i = 0; i < inputs.size(); ++i)
      if (s.in[i].trained) set_requires_grad(inputs[i], true);
  std::vector<Tensor> outputs = s.module->call_many(inputs);
  std::vector<Form> forms;
  for (const Tensor& t : outputs) {
    if (!t) fail(Code::invalid_argument, concat("pipeline: a result of stage ", s.id, " is missing"));
    forms.push_back(
        {t.dtype(), step.train && t.requires_grad(), {t.sizes().begin(), t.sizes().end()}, t.device()});
  }
  if (!s.knows_out) {
    s.out = std::move(forms);
    s.knows_out = true;
    if (!is_last(s)) tell_forms(s);
  } else if (forms != s.out) {
    fail(Code::shape,
         concat("pipeline: results of stage ", s.id, " are of another type or shape for micro-batch ",
                micro_batch, " than for the first"),
         "all micro-batches of a step are alike");
  }
  if (!is_last(s)) {
    send(s.id + 1, s.id, micro_batch, false, outputs);
  } else {
    check_room(step, int64_t(outputs.size()));
    if (step.want_outputs)
      for (const Tensor& t : outputs) step.outputs[size_t(micro_batch)].push_back(ops::detach(t));
    if (!step.targets.empty()) {
      outputs.push_back(step.targets[size_t(micro_batch)]);
      outputs = options_.loss->call_many(outputs);
      if (outputs.size() != 1 || !outputs[0] || outputs[0].numel() != 1)
        fail(Code::shape, "pipeline: the loss must answer one tensor of one element", "reduce it to a mean");
      step.losses[size_t(micro_batch)] = ops::reshape(ops::detach(outputs[0]), {});
    }
  }
  if (step.train) s.live[micro_batch] = {std::move(inputs), std::move(outputs)};
}

void Pipeline::backward(Step&, Stage& s, int micro_batch, std::vector<Tensor> gradients) {
  Live live = std::move(s.live.at(micro_batch));
  s.live.erase(micro_batch);
  std::vector<Tensor> outputs;
  if (is_last(s)) {
    outputs = std::move(live.outputs);
    const double share = options_.scale_gradients ? 1.0 / options_.micro_batches : 1.0;
    gradients = {ops::full(outputs[0].sizes(), share, outputs[0].dtype(), outputs[0].device())};
  } else {
    for (size_t i = 0; i < live.outputs.size(); ++i)
      if (s.out[i].trained) outputs.push_back(std::move(live.outputs[i]));
  }
  if (!outputs.empty()) haft::backward(outputs, gradients);
  if (s.id == 0) return;
  NoGradGuard off;
  std::vector<Tensor> answers;
  for (size_t i = 0; i < live.inputs.size(); ++i) {
    if (!s.in[i].trained) continue;
    Tensor g = gradient_of(live.inputs[i]);
    answers.push_back(g ? g : ops::zeros_like(ops::detach(live.inputs[i])));
  }
  send(s.id - 1, s.id, micro_batch, true, answers);
}

// ---- messages ----

// Where what comes to a stage is wanted: at its parameters or buffers; a stage without any is where others of this
// rank are.
Device Pipeline::device_of(const Stage& s) const {
  const auto own = [](nn::Module& m) -> std::optional<Device> {
    for (const auto& list : {m.named_parameters(), m.named_buffers()})
      if (!list.empty()) return list[0].tensor.device();
    return {};
  };
  if (const auto d = own(*s.module)) return *d;
  for (const Stage& other : stages_)
    if (const auto d = own(*other.module)) return *d;
  return device_;
}

void Pipeline::learn_forms(Stage& s) {
  s.knows_in = true;
  if (rank_of(s.id - 1) == group_->rank()) {
    s.in = stage(s.id - 1).out;
    return;
  }
  Tensor t = form_message();
  group_->receive(message(Kind::recv, t, rank_of(s.id - 1), form_tag(s.id)));
  const int64_t* w = t.data<int64_t>();
  const int64_t count = *w++;
  bool good = count >= 1 && count <= kMaxTensors;
  for (int64_t i = 0; good && i < count; ++i) {
    const int64_t* form = w + i * kFormWords;
    good = form[0] > 0 && form[0] < kDTypeCount && form[2] >= 0 && form[2] <= HAFT_MAX_DIMS;
  }
  if (!good)
    fail(Code::corrupt,
         concat("pipeline: what came before stage ", s.id, "'s first micro-batch tells of no tensors"));
  const Device here = device_of(s);
  s.in.assign(size_t(count), {});
  for (Form& f : s.in) {
    f.device = here;
    f.dtype = DType(w[0]);
    f.trained = w[1];
    f.sizes.assign(w + 3, w + 3 + w[2]);
    w += kFormWords;
  }
}

void Pipeline::tell_forms(Stage& s) {
  if (rank_of(s.id + 1) == group_->rank()) return;
  if (s.out.empty() || int64_t(s.out.size()) > kMaxTensors)
    fail(Code::unsupported, concat("pipeline: stage ", s.id, " answers ", s.out.size(), " tensors, 1 to ",
                                   kMaxTensors, " can be passed on"));
  Tensor t = form_message();
  int64_t* w = t.data<int64_t>();
  std::fill_n(w, t.numel(), 0);
  *w++ = int64_t(s.out.size());
  for (const Form& f : s.out) {
    w[0] = int64_t(f.dtype);
    w[1] = f.trained;
    w[2] = int64_t(f.sizes.size());
    std::copy(f.sizes.begin(), f.sizes.end(), w + 3);
    w += kFormWords;
  }
  sent_.push_back(group_->start(message(Kind::send, t, rank_of(s.id + 1), form_tag(s.id + 1))));
}

// What the action waits for may come from now on.
void Pipeline::ask(const PipelineAction& a) {
  const int from = rank_of(a.stage + (a.is_backward ? 1 : -1));
  const int32_t tag = tag_of(a.stage, a.micro_batch, a.is_backward);
  if (from == group_->rank() || coming_.count(tag)) return;
  Stage& s = stage(a.stage);
  Coming c;
  for (const Form& f : a.is_backward ? s.out : s.in) {
    if (a.is_backward && !f.trained) continue;
    c.tensors.push_back(new_tensor(f.sizes, f.dtype, f.device));
    c.works.push_back(group_->start(message(Kind::recv, c.tensors.back(), from, tag)));
  }
  coming_[tag] = std::move(c);
}

std::vector<Tensor> Pipeline::take(const PipelineAction& a) {
  const auto at = coming_.find(tag_of(a.stage, a.micro_batch, a.is_backward));
  Coming c = std::move(at->second);
  coming_.erase(at);
  for (Ref<Work>& w : c.works) finish_work(w);
  return std::move(c.tensors);
}

void Pipeline::send(int to, int from, int micro_batch, bool is_backward, std::span<const Tensor> tensors) {
  const int32_t tag = tag_of(to, micro_batch, is_backward);
  const bool here = rank_of(to) == rank_of(from);
  for (const Tensor& t : tensors) {
    Tensor plain = ops::detach(t);
    if (here)
      coming_[tag].tensors.push_back(std::move(plain));
    else
      sent_.push_back(group_->start(message(Kind::send, plain, rank_of(to), tag)));
  }
  if (here) coming_[tag];  // also when nothing wants a gradient
}

void Pipeline::finish_sent(bool all) {
  while (!sent_.empty() && (all || sent_.front()->is_done())) {
    finish_work(sent_.front());
    sent_.pop_front();
  }
}

// ---- parameters that several ranks have ----

void Pipeline::tie(const Tensor& parameter) {
  Ref<Group> holders = group_->split(parameter ? 0 : -1, group_->rank(), std::nullopt);
  if (!holders) return;
  ties_.push_back({parameter, holders, {}});
  holders->run(broadcast_job(parameter, 0));
}

void Pipeline::begin_ties() {
  for (Tie& t : ties_) {
    t.before = gradient_of(t.parameter);
    set_gradient(t.parameter, {});
  }
}

void Pipeline::end_ties() {
  NoGradGuard off;
  for (Tie& t : ties_) {
    Tensor g = gradient_of(t.parameter);
    if (!g) g = ops::zeros_like(ops::detach(t.parameter));
    t.group->run(all_reduce_job(g, dist::ReduceOp::sum));
    if (t.before) g = ops::add_(std::exchange(t.before, {}), g);
    set_gradient(t.parameter, g);
  }
}

// ---- the end ----

// What fails here is the end of the group, and of those of tied parameters: somebody may wait there for this rank.
void Pipeline::give_up(std::string_view where, std::string_view what) noexcept {
  coming_.clear();
  sent_.clear();
  for (Stage& s : stages_) s.live.clear();
  try {
    const std::string reason = concat("pipeline, ", where, ": ", what);
    group_->kill(reason);
    for (Tie& t : ties_) {
      t.before.reset();
      t.group->kill(reason);
    }
  } catch (...) {  // no memory to say why
    group_->close();
    for (Tie& t : ties_) t.group->close();
  }
}

Pipeline::Results Pipeline::gather(Step& step) {
  NoGradGuard off;
  Results r;
  if (!has_last()) return r;
  if (step.losses[0]) r.losses = ops::stack(step.losses);
  if (!step.want_outputs) return r;
  for (size_t k = 0; k < step.outputs[0].size(); ++k) {
    std::vector<Tensor> parts;
    for (const auto& o : step.outputs) parts.push_back(o[k]);
    r.outputs.push_back(parts[0].ndim() ? ops::cat(parts) : ops::stack(parts));
  }
  return r;
}

}  // namespace haft::parallel
