// Pipelines, experts and ring attention through the C interface: ranks are threads over one hash store.
#include <haft/haft.hpp>

#include <cmath>
#include <thread>

#include "ranks_testing.h"

namespace {

using haft::Pipeline;
using haft::PipelineSchedule;
using haft::ProcessGroup;

class ModelParallel : public RanksTest {};

void want(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}
void want_near(const Tensor& got, const Tensor& wanted, const std::string& what) {
  const std::vector<float> a = got.to_vector<float>(), b = wanted.to_vector<float>();
  want(a.size() == b.size(), what + ": another size");
  for (size_t i = 0; i < a.size(); ++i)
    want(std::abs(a[i] - b[i]) < 1e-5f,
         what + ": got " + std::to_string(a[i]) + ", wanted " + std::to_string(b[i]));
}
Tensor some(std::vector<std::int64_t> sizes, int seed) {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  std::vector<float> v;
  for (std::int64_t i = 0; i < n; ++i) v.push_back(std::sin(float(i * 7 + seed * 13)));
  return haft::reshape(floats(v), sizes);
}
haft::nn::Module linear(int in, int out, int seed) {
  haft::nn::Module m = haft::nn::Linear(in, out);
  m.load_state_dict({{"weight", some({out, in}, seed)}, {"bias", some({out}, seed + 1)}});
  return m;
}

TEST_F(ModelParallel, APipelineTrainsAsTheModelDoes) {
  for (bool interleaved : {false, true})
    expect_none(run(2, [&](const ProcessGroup& g) {
      const int layers = interleaved ? 4 : 2;
      std::vector<haft::nn::Module> all, mine;
      for (int i = 0; i < layers; ++i) {
        all.push_back(linear(5, 5, i));
        if (i % 2 == g.rank()) mine.push_back(linear(5, 5, i));
      }
      const Pipeline p(g, mine,
                       interleaved ? PipelineSchedule::INTERLEAVED_1F1B : PipelineSchedule::ONE_F_ONE_B, 4,
                       haft::nn::MSELoss());
      const Tensor x = some({8, 5}, 50), y = some({8, 5}, 60);
      const bool last = g.rank() == 1;
      const haft::PipelineResults r =
          p.step(last ? std::vector<Tensor>() : std::vector<Tensor>{x}, last ? y : Tensor(), true);
      Tensor out = x;
      for (const auto& m : all) out = m(out);
      const Tensor loss = haft::mse_loss(out, y);
      loss.backward();
      want(r.outputs.size() == size_t(last) && bool(r.losses) == last, "results of the last rank");
      if (last) {
        want_near(r.outputs[0], haft::detach(out), "outputs");
        want_near(haft::mean(r.losses), haft::detach(loss), "losses");
      }
      for (size_t i = 0; i < mine.size(); ++i)
        want_near(mine[i].named_parameters()[0].second.grad(),
                  all[2 * i + size_t(g.rank())].named_parameters()[0].second.grad(), "gradients");

      const haft_pipeline_info info = p.info();
      want(info.stages == layers && info.micro_batches == 4 && info.has_first == !last &&
               info.has_last == last,
           "info");
      want(std::abs(info.bubble - 1.0 / (layers / 2 * 4 + 1)) < 1e-12, "bubble");
      int most = 0;
      const auto trace = p.trace();
      for (const haft_pipeline_action& a : trace) most = std::max(most, a.live);
      want(trace.size() == size_t(4 * layers) && trace[0].is_backward == 0 && trace.back().is_backward == 1 &&
               trace.back().live == 0,
           "trace");
      want(info.peak_live <= (interleaved ? 5 : 2) && most <= info.peak_live, "held at once");

      const haft::PipelineResults e = p.evaluate(last ? std::vector<Tensor>() : std::vector<Tensor>{x});
      if (last) want_near(e.outputs[0], haft::detach(out), "evaluated");
      want(!e.losses, "no target, no losses");
    }));
}

TEST_F(ModelParallel, TheGroupsHandleMayGoFirst) {
  expect_none(run(2, [](const ProcessGroup& given) {
    ProcessGroup g = given.split(0);
    const int rank = g.rank();
    const haft::nn::Module stage = linear(3, 3, 1);
    const Pipeline p(g, {stage}, PipelineSchedule::GPIPE, 2, haft::nn::MSELoss());
    g = ProcessGroup();
    p.tie(rank == 0 ? stage.named_parameters()[1].second : Tensor());
    const haft::PipelineResults r =
        p.step(rank ? std::vector<Tensor>() : std::vector<Tensor>{some({4, 3}, 1)}, some({4, 3}, 2));
    want(r.outputs.empty() && bool(r.losses) == (rank == 1), "results");
  }));
}

TEST_F(ModelParallel, ACallbackThatFailsIsTheGroupsFailure) {
  const auto failures = run(2, [](const ProcessGroup& g) {
    const haft::nn::Module stage =
        haft::nn::Callback("Stage", [&](const std::vector<Tensor>& xs) -> std::vector<Tensor> {
          if (g.rank()) throw std::runtime_error("tired");
          return xs;
        });
    const Pipeline p(g, {stage}, PipelineSchedule::ONE_F_ONE_B, 2);
    p.evaluate({some({4, 3}, 1)});
    g.barrier();
  });
  EXPECT_NE(failures[0].find("rank 1 aborted the group: pipeline, forward of stage 1, micro-batch 0"),
            std::string::npos)
      << failures[0];
  EXPECT_NE(failures[1].find("tired"), std::string::npos) << failures[1];
}

TEST_F(ModelParallel, ExpertsAndRingAttentionOnOneRankAndTwo) {
  expect_none(run(2, [](const ProcessGroup& g) {
    const ProcessGroup alone = g.split(g.rank());
    const haft::nn::Module router = linear(4, 2, 9);
    const auto spread = haft::mixture_of_experts(g, router, {linear(4, 4, 20 + g.rank())}, 1);
    const auto whole = haft::mixture_of_experts(alone, router, {linear(4, 4, 20), linear(4, 4, 21)}, 1);
    const Tensor x = some({6, 4}, g.rank());
    want_near(spread(x), whole(x), "experts");
    want(spread(std::vector<Tensor>{x}).size() == 2, "with the loss of the load");

    const Tensor q = some({2, 8, 3}, 1), k = some({2, 8, 3}, 2), v = some({2, 8, 3}, 3);
    const auto mine = [&](const Tensor& t) { return haft::narrow(t, 1, 4 * g.rank(), 4); };
    want_near(haft::ring_attention(g, mine(q), mine(k), mine(v), true),
              haft::contiguous(mine(haft::ring_attention(alone, q, k, v, true))), "attention");
  }));
}

TEST_F(ModelParallel, Misuse) {
  expect_none(run(1, [](const ProcessGroup& g) {
    const auto fails = [](haft_status got, haft_status wanted, int line) {
      want(got == wanted, "line " + std::to_string(line) + ": " + std::to_string(got));
    };
    haft_pipeline* p = nullptr;
    const haft::nn::Module m = linear(3, 3, 1);
    haft_module *stages[] = {m.get()}, *none[] = {nullptr};
    haft_pipeline_options o = HAFT_PIPELINE_OPTIONS_INIT;
    fails(haft_pipeline_create(g.get(), stages, 1, nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    fails(haft_pipeline_create(nullptr, stages, 1, nullptr, &p), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    fails(haft_pipeline_create(g.get(), none, 1, nullptr, &p), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    fails(haft_pipeline_create(g.get(), nullptr, 0, nullptr, &p), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    o.schedule = 3;
    fails(haft_pipeline_create(g.get(), stages, 1, &o, &p), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    fails(haft_pipeline_create(g.get(), stages, 1, nullptr, &p), HAFT_OK, __LINE__);
    const Tensor x = some({4, 3}, 1);
    haft_tensor *xs[] = {x.get()}, *out = nullptr;
    int64_t count = -1;
    haft_pipeline_action actions[1];
    fails(haft_pipeline_evaluate(p, xs, 1, nullptr, nullptr, nullptr, 0, nullptr), HAFT_OK, __LINE__);
    fails(haft_pipeline_evaluate(p, xs, 1, nullptr, nullptr, &out, 1, &count), HAFT_OK, __LINE__);
    want(count == 1 && out, "a result");
    haft_tensor_release(out);
    fails(haft_pipeline_evaluate(p, xs, 1, nullptr, nullptr, nullptr, 1, &count), HAFT_ERROR_INVALID_ARGUMENT,
          __LINE__);
    fails(haft_pipeline_get_trace(p, nullptr, 0, &count), HAFT_OK, __LINE__);
    want(count == 1, "a forward");
    fails(haft_pipeline_get_trace(p, actions, 0, &count), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    fails(haft_pipeline_get_trace(p, actions, 1, &count), HAFT_OK, __LINE__);
    fails(haft_pipeline_step(p, xs, 1, x.get(), nullptr, nullptr, 0, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
          __LINE__);  // no loss
    fails(haft_pipeline_evaluate(p, xs, 1, nullptr, nullptr, nullptr, 0, nullptr), HAFT_ERROR_CANCELLED,
          __LINE__);  // the group is dead
    haft_pipeline_release(p);
    fails(haft_pipeline_retain(p), HAFT_ERROR_STALE_HANDLE, __LINE__);
    fails(haft_pipeline_tie(nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    haft_module* layer = nullptr;
    fails(haft_mixture_of_experts_create(g.get(), m.get(), nullptr, 0, nullptr, &layer),
          HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
    fails(haft_parallel_ring_attention(g.get(), xs[0], xs[0], xs[0], 2, 0, &out), HAFT_ERROR_INVALID_ARGUMENT,
          __LINE__);
    fails(haft_parallel_ring_attention(g.get(), xs[0], xs[0], xs[0], 0, NAN, &out),
          HAFT_ERROR_INVALID_ARGUMENT, __LINE__);
  }));
}

}  // namespace
