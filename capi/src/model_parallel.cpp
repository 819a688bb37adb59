// Pipelines, mixtures of experts and ring attention over core/parallel.
#include <haft/model_parallel.h>

#include <cmath>
#include <cstring>

#include "capi/src/group_handle.h"
#include "capi/src/module_handle.h"
#include "core/parallel/expert_parallel.h"
#include "core/parallel/pipeline.h"
#include "core/parallel/ring_attention.h"

using namespace haft;
using namespace haft::capi;

namespace {

// Whoever has the pipeline has the group, whose handle may be released before.
struct PipelineObject final : HandleObject {
  Ref<GroupObject> group;
  Ref<parallel::Pipeline> value;
};
Ref<PipelineObject> pipeline_of(haft_pipeline* p) {
  return Ref<PipelineObject>::share(&object_of<PipelineObject>(p, HandleType::pipeline, 0, "p"));
}

// Results and losses of a step, all or none.
void run_step(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count, haft_tensor* target,
              bool train, haft_tensor** losses, haft_tensor** outputs, int64_t capacity, int64_t* count) {
  if (capacity || outputs) check_list_out(outputs, capacity, count, 5, "outputs");
  auto o = pipeline_of(p);
  Exclusive exclusive(*o, "pipeline");
  const ListArg in = list_arg(inputs, input_count, 1, "inputs");
  const Tensor wanted = optional_arg(target, 3, "target");
  CancelGuard guard;
  parallel::Pipeline::Results r = o->value->run(in, wanted, train, capacity > 0, capacity);
  const int64_t made = int64_t(r.outputs.size());
  if (losses) r.outputs.push_back(r.losses);
  std::vector<haft_tensor*> handles(r.outputs.size());
  emit_all(handles.data(), std::move(r.outputs));
  std::copy_n(handles.begin(), made, outputs);
  if (losses) *losses = handles.back();
  if (count) *count = made;
}

}  // namespace

extern "C" {

haft_status haft_pipeline_create(haft_process_group* g, haft_module* const* stages, int64_t count,
                                 const haft_pipeline_options* options, haft_pipeline** out) noexcept {
  return boundary("haft_pipeline_create", [&] {
    check_out(out, 4, "out");
    auto made = make_ref<PipelineObject>();
    made->group = Ref<GroupObject>::share(&object_of<GroupObject>(g, HandleType::process_group, 0, "g"));
    if (count < 0 || (count && !stages))
      fail_argument(Code::invalid_argument, "stages is NULL, or count negative", 1, "stages");
    std::vector<Ref<nn::Module>> modules;
    for (int64_t i = 0; i < count; ++i) modules.push_back(module_arg(stages[i], 1, "stages"));
    const haft_pipeline_options given =
        options_of(options, haft_pipeline_options HAFT_PIPELINE_OPTIONS_INIT, 3);
    if (given.schedule < HAFT_PIPELINE_SCHEDULE_GPIPE ||
        given.schedule > HAFT_PIPELINE_SCHEDULE_INTERLEAVED_1F1B)
      fail_argument(Code::invalid_argument,
                    concat("schedule must be one of HAFT_PIPELINE_SCHEDULE_*, got ", given.schedule), 3,
                    "options");
    parallel::PipelineOptions o;
    o.schedule = parallel::PipelineSchedule(given.schedule);
    o.micro_batches = given.micro_batches;
    o.scale_gradients = to_bool(given.scale_gradients, 3, "options");
    if (given.loss) o.loss = module_arg(given.loss, 3, "options");
    CancelGuard guard;
    made->value = parallel::Pipeline::create(made->group->value, std::move(modules), std::move(o));
    *out = hand_out_object<haft_pipeline>(HandleType::pipeline, std::move(made));
  });
}

haft_status haft_pipeline_retain(haft_pipeline* p) noexcept {
  return boundary("haft_pipeline_retain", [&] {
    pipeline_of(p);
    retain_handle(p, HandleType::pipeline);
  });
}

void haft_pipeline_release(haft_pipeline* p) noexcept {
  CancelGuard guard;
  release_handle(p, HandleType::pipeline);
}

haft_status haft_pipeline_tie(haft_pipeline* p, haft_tensor* parameter) noexcept {
  return boundary("haft_pipeline_tie", [&] {
    auto o = pipeline_of(p);
    Exclusive exclusive(*o, "pipeline");
    const Tensor mine = optional_arg(parameter, 1, "parameter");
    CancelGuard guard;
    o->value->tie(mine);
  });
}

haft_status haft_pipeline_step(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count,
                               haft_tensor* target, haft_tensor** losses, haft_tensor** outputs,
                               int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_pipeline_step",
                  [&] { run_step(p, inputs, input_count, target, true, losses, outputs, capacity, count); });
}

haft_status haft_pipeline_evaluate(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count,
                                   haft_tensor* target, haft_tensor** losses, haft_tensor** outputs,
                                   int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_pipeline_evaluate",
                  [&] { run_step(p, inputs, input_count, target, false, losses, outputs, capacity, count); });
}

haft_status haft_pipeline_get_info(haft_pipeline* p, haft_pipeline_info* info) noexcept {
  return boundary("haft_pipeline_get_info", [&] {
    auto o = pipeline_of(p);
    Exclusive exclusive(*o, "pipeline");
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_pipeline_info r = options_of(info, haft_pipeline_info HAFT_PIPELINE_INFO_INIT, 1, "info");
    const parallel::Pipeline& v = *o->value;
    r.stages = v.stage_count();
    r.micro_batches = v.options().micro_batches;
    r.has_first = v.has_first();
    r.has_last = v.has_last();
    r.peak_live = v.peak_live();
    r.bubble = v.planned_bubble();
    r.struct_size = size;
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_pipeline_get_trace(haft_pipeline* p, haft_pipeline_action* actions, int64_t capacity,
                                    int64_t* count) noexcept {
  return boundary("haft_pipeline_get_trace", [&] {
    auto o = pipeline_of(p);
    Exclusive exclusive(*o, "pipeline");
    check_out(count, 3, "count");
    const parallel::PipelineTrace& t = o->value->trace();
    if (capacity || actions) {
      if (!actions || capacity < int64_t(t.size()))
        fail_argument(Code::invalid_argument,
                      concat("actions has room for ", actions ? capacity : 0, ", there are ", t.size()), 2,
                      "capacity");
      for (const parallel::PipelineAction& a : t)
        *actions++ = {a.is_backward, a.stage, a.micro_batch, a.live};
    }
    *count = int64_t(t.size());
  });
}

haft_status haft_mixture_of_experts_create(haft_process_group* g, haft_module* router,
                                           haft_module* const* experts, int64_t count,
                                           const haft_mixture_of_experts_options* options,
                                           haft_module** out) noexcept {
  return boundary("haft_mixture_of_experts_create", [&] {
    check_out(out, 5, "out");
    auto group = group_of(g);
    if (count < 0 || (count && !experts))
      fail_argument(Code::invalid_argument, "experts is NULL, or count negative", 2, "experts");
    std::vector<Ref<nn::Module>> modules;
    for (int64_t i = 0; i < count; ++i) modules.push_back(module_arg(experts[i], 2, "experts"));
    const haft_mixture_of_experts_options given =
        options_of(options, haft_mixture_of_experts_options HAFT_MIXTURE_OF_EXPERTS_OPTIONS_INIT, 4);
    check_reserved(given.reserved, 4);
    parallel::ExpertOptions o;
    o.top_k = given.top_k;
    o.capacity_factor = given.capacity_factor;
    o.normalize = to_bool(given.normalize, 4, "options");
    CancelGuard guard;
    *out = hand_out_module(make_ref<parallel::MixtureOfExperts>(
        std::move(group), module_arg(router, 1, "router"), std::move(modules), o));
  });
}

haft_status haft_parallel_ring_attention(haft_process_group* g, const haft_tensor* query,
                                         const haft_tensor* key, const haft_tensor* value, int32_t is_causal,
                                         double scale, haft_tensor** out) noexcept {
  return boundary("haft_parallel_ring_attention", [&] {
    check_out(out, 6, "out");
    auto group = group_of(g);
    const Tensor q = arg(query, 1, "query"), k = arg(key, 2, "key"), v = arg(value, 3, "value");
    parallel::RingAttentionOptions o;
    o.causal = to_bool(is_causal, 4, "is_causal");
    if (!std::isfinite(scale))
      fail_argument(Code::invalid_argument, concat("scale must be finite, got ", scale), 5, "scale");
    o.scale = scale;
    CancelGuard guard;
    emit(out, parallel::ring_attention(std::move(group), q, k, v, o));
  });
}

}  // extern "C"
