// Models over ranks under failing allocations: groups of one rank.
#include "oom_cases.h"

namespace oom {
namespace {

constexpr int64_t kLabels[] = {4, 6};  // of a linear layer of the cases
struct Loss : Module {
  Loss() { must(haft_mse_loss_create(nullptr, &h)); }
};
void make(haft_process_group* g, haft_module* stage, haft_module* loss, haft_pipeline** p) {
  haft_pipeline_options o = HAFT_PIPELINE_OPTIONS_INIT;
  o.micro_batches = 2;
  o.loss = loss;
  must(haft_pipeline_create(g, &stage, 1, &o, p));
}
struct Line : Pipeline {
  Alone group;
  Linear stage;
  Loss loss;
  Line() { make(group, stage, loss, &h); }
};

}  // namespace

void add_model_parallel(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_pipeline_create", [](Attempt& a) {
    Alone g;
    Linear stage;
    Pipeline p(a);
    haft_module* stages[] = {stage};
    a.run([&] { return haft_pipeline_create(g, stages, 1, nullptr, &p); });
  });
  add("haft_pipeline_tie", [](Attempt& a) {
    Line p;
    Parameter w;
    a.run([&] { return haft_pipeline_tie(p, w); });
  });
  auto step = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Line p;
      Filled x, y(0.5, kLabels);
      Tensor losses(a), result(a);
      haft_tensor* xs[] = {x};
      int64_t count = 0;
      a.run([&] { return f(p.h, xs, 1, y.h, &losses, &result, 1, &count); });
    });
  };
  step("haft_pipeline_step", haft_pipeline_step);
  step("haft_pipeline_evaluate", haft_pipeline_evaluate);
  add("haft_pipeline_get_info", [](Attempt& a) {
    Line p;
    haft_pipeline_info i = HAFT_PIPELINE_INFO_INIT;
    a.run([&] { return haft_pipeline_get_info(p, &i); });
  });
  add("haft_pipeline_get_trace", [](Attempt& a) {
    Line p;
    int64_t count = 0;
    a.run([&] { return haft_pipeline_get_trace(p, nullptr, 0, &count); });
  });
  add("haft_mixture_of_experts_create", [](Attempt& a) {
    Alone g;
    Linear router, expert;
    Module layer(a);
    haft_module* experts[] = {expert, expert};
    a.run([&] { return haft_mixture_of_experts_create(g, router, experts, 2, nullptr, &layer); });
  });
  add("haft_parallel_ring_attention", [](Attempt& a) {
    Alone g;
    Filled q, k, v;
    Tensor y(a);
    a.run([&] { return haft_parallel_ring_attention(g, q, k, v, 1, 0, &y); });
  });
  add_counting<Pipeline>(
      all, "pipeline",
      [](Pipeline& p) {
        Line line;
        p.h = std::exchange(line.h, nullptr);
      },
      haft_pipeline_retain, haft_pipeline_release);
}

}  // namespace oom
