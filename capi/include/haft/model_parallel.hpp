// Models that are spread over the ranks of a group, in C++17 over haft/model_parallel.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_MODEL_PARALLEL_HPP
#define HAFT_MODEL_PARALLEL_HPP
#include <haft/nn.hpp>
#include <haft/process_group.hpp>

namespace haft {

enum class PipelineSchedule : std::int32_t {
  GPIPE = HAFT_PIPELINE_SCHEDULE_GPIPE,
  ONE_F_ONE_B = HAFT_PIPELINE_SCHEDULE_1F1B,
  INTERLEAVED_1F1B = HAFT_PIPELINE_SCHEDULE_INTERLEAVED_1F1B
};

/// What a rank's part of a step answers; of ranks without the last stage nothing.
struct PipelineResults {
  std::vector<Tensor> outputs;
  Tensor losses;  ///< one a micro-batch
};

/// A model cut into stages on the ranks of a group; docs/pipelines.md.
class Pipeline : public detail::Handle<haft_pipeline, haft_pipeline_retain, haft_pipeline_release> {
  using Run = haft_status (*)(haft_pipeline*, haft_tensor* const*, std::int64_t, haft_tensor*, haft_tensor**,
                              haft_tensor**, std::int64_t, std::int64_t*);
  PipelineResults run(Run f, const std::vector<Tensor>& inputs, const Tensor& target, bool want_outputs) const {
    const std::vector<haft_tensor*> in = detail::handles(inputs);
    haft_tensor *outs[HAFT_MAX_MODULE_OUTPUTS] = {}, *losses = nullptr;
    std::int64_t count = 0;
    check(f(get(), in.data(), static_cast<std::int64_t>(in.size()), target.get(), &losses,
            want_outputs ? outs : nullptr, want_outputs ? HAFT_MAX_MODULE_OUTPUTS : 0, &count));
    PipelineResults r;
    r.losses = Tensor(losses);
    for (std::int64_t i = 0; i < count; ++i) r.outputs.emplace_back(outs[i]);
    return r;
  }

 public:
  using Handle::Handle;
  /// Stages rank, rank + size, ... of the whole; loss: a module of the last stage's results and the target, on its
  /// rank.
  Pipeline(const ProcessGroup& group, const std::vector<nn::Module>& stages, PipelineSchedule schedule,
           int micro_batches, const nn::Module& loss = nn::Module(), bool scale_gradients = true) {
    haft_pipeline_options o = HAFT_PIPELINE_OPTIONS_INIT;
    o.schedule = static_cast<std::int32_t>(schedule);
    o.micro_batches = micro_batches;
    o.scale_gradients = scale_gradients;
    o.loss = loss.get();
    std::vector<haft_module*> modules;
    for (const nn::Module& m : stages) modules.push_back(m.get());
    haft_pipeline* p = nullptr;
    check(haft_pipeline_create(group.get(), modules.data(), static_cast<std::int64_t>(modules.size()), &o, &p));
    *this = Pipeline(p);
  }
  /// A parameter that stages of several ranks share; an empty one: not this rank's. All ranks call it.
  void tie(const Tensor& parameter) const { check(haft_pipeline_tie(get(), parameter.get())); }
  /// One step of training: inputs on the first stage's rank, target on the last one's. All ranks call it.
  PipelineResults step(const std::vector<Tensor>& inputs, const Tensor& target, bool want_outputs = false) const {
    return run(haft_pipeline_step, inputs, target, want_outputs);
  }
  /// Forwards alone; losses when there is a target.
  PipelineResults evaluate(const std::vector<Tensor>& inputs, const Tensor& target = Tensor(),
                           bool want_outputs = true) const {
    return run(haft_pipeline_evaluate, inputs, target, want_outputs);
  }
  haft_pipeline_info info() const {
    haft_pipeline_info i = HAFT_PIPELINE_INFO_INIT;
    check(haft_pipeline_get_info(get(), &i));
    return i;
  }
  /// What this rank did in the last step, in order.
  std::vector<haft_pipeline_action> trace() const {
    std::int64_t count = 0;
    check(haft_pipeline_get_trace(get(), nullptr, 0, &count));
    std::vector<haft_pipeline_action> actions(static_cast<std::size_t>(count));
    check(haft_pipeline_get_trace(get(), actions.data(), count, &count));
    return actions;
  }
};

/// A layer of experts that are spread over the group; this rank brings its own. Called with a list it answers the
/// loss of the load, too.
inline nn::Module mixture_of_experts(const ProcessGroup& group, const nn::Module& router,
                                     const std::vector<nn::Module>& experts, int top_k = 2, double capacity_factor = 0,
                                     bool normalize = true) {
  haft_mixture_of_experts_options o = HAFT_MIXTURE_OF_EXPERTS_OPTIONS_INIT;
  o.top_k = top_k;
  o.capacity_factor = capacity_factor;
  o.normalize = normalize;
  std::vector<haft_module*> modules;
  for (const nn::Module& m : experts) modules.push_back(m.get());
  haft_module* m = nullptr;
  check(haft_mixture_of_experts_create(group.get(), router.get(), modules.data(),
                                       static_cast<std::int64_t>(modules.size()), &o, &m));
  return nn::Module(m);
}

/// Attention over a sequence of which each rank has a part; scale 0: 1 / sqrt(width).
inline Tensor ring_attention(const ProcessGroup& group, const Tensor& query, const Tensor& key, const Tensor& value,
                             bool is_causal = false, double scale = 0) {
  haft_tensor* out = nullptr;
  check(haft_parallel_ring_attention(group.get(), query.get(), key.get(), value.get(), is_causal, scale, &out));
  return Tensor(out);
}

}  // namespace haft
#endif
