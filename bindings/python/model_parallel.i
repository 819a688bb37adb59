// What haft.distributed.pipelining, .expert_parallel and .context_parallel stand on.
%ignore haft::PipelineSchedule;
%ignore haft::PipelineResults;
%ignore haft::Pipeline::Pipeline;
%ignore haft::Pipeline::step;
%ignore haft::Pipeline::evaluate;
%ignore haft::Pipeline::info;
%ignore haft::Pipeline::trace;
%ignore haft::mixture_of_experts;
%include "haft/model_parallel.hpp"
%inline %{
namespace haft {
namespace python {
inline haft::nn::Module callable_module(const std::string& type, std::function<std::vector<haft::Tensor>(const std::vector<haft::Tensor>&)> forward) {
  return haft::nn::Callback(type, std::move(forward));
}
inline haft::Pipeline make_pipeline(const haft::ProcessGroup& g, const std::vector<haft::nn::Module>& stages, int schedule, int micro_batches,
                                    bool scale_gradients) {
  return haft::Pipeline(g, stages, static_cast<haft::PipelineSchedule>(schedule), micro_batches, haft::nn::Module(), scale_gradients);
}
inline haft::Pipeline make_pipeline_with_loss(const haft::ProcessGroup& g, const std::vector<haft::nn::Module>& stages, int schedule,
                                              int micro_batches, bool scale_gradients, const haft::nn::Module& loss) {
  return haft::Pipeline(g, stages, static_cast<haft::PipelineSchedule>(schedule), micro_batches, loss, scale_gradients);
}
/// Results, and the losses behind them where there are any.
inline std::vector<haft::Tensor> run_pipeline(const haft::Pipeline& p, const std::vector<haft::Tensor>& inputs, const haft::Tensor& target,
                                              bool train, bool want_outputs) {
  haft::PipelineResults r = train ? p.step(inputs, target, want_outputs) : p.evaluate(inputs, target, want_outputs);
  if (r.losses) r.outputs.push_back(r.losses);
  return r.outputs;
}
/// is_backward, stage, micro_batch and live of each action
inline std::vector<std::int64_t> pipeline_trace(const haft::Pipeline& p) {
  std::vector<std::int64_t> out;
  for (const haft_pipeline_action& a : p.trace()) out.insert(out.end(), {a.is_backward, a.stage, a.micro_batch, a.live});
  return out;
}
inline std::int64_t pipeline_peak_live(const haft::Pipeline& p) { return p.info().peak_live; }
inline double pipeline_bubble(const haft::Pipeline& p) { return p.info().bubble; }
inline haft::nn::Module make_experts(const haft::ProcessGroup& g, const haft::nn::Module& router, const std::vector<haft::nn::Module>& experts,
                                     int top_k, double capacity_factor, bool normalize) {
  return haft::mixture_of_experts(g, router, experts, top_k, capacity_factor, normalize);
}
}
}
%}
