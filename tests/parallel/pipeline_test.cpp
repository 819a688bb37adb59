// Pipelines against the same model on one rank, their order and what they hold, and what happens when a stage fails.
#include "core/parallel/pipeline.h"

#include <set>

#include "core/nn/containers.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr auto kGPipe = PipelineSchedule::gpipe, k1F1B = PipelineSchedule::one_f_one_b,
               kInterleaved = PipelineSchedule::interleaved;

struct Case {
  PipelineSchedule schedule;
  int ranks, per_rank, micro_batches;
};
const Case kCases[] = {{kGPipe, 1, 1, 4},       {kGPipe, 3, 1, 4},       {k1F1B, 1, 1, 2},
                       {k1F1B, 2, 1, 1},        {k1F1B, 2, 1, 6},        {k1F1B, 4, 1, 8},
                       {k1F1B, 4, 1, 3},        {kInterleaved, 1, 3, 2}, {kInterleaved, 2, 2, 4},
                       {kInterleaved, 2, 3, 2}, {kInterleaved, 4, 2, 8}};

std::vector<PipelineTrace> plans(const Case& c) {
  std::vector<PipelineTrace> all;
  for (int r = 0; r < c.ranks; ++r)
    all.push_back(pipeline_plan(c.schedule, c.ranks, r, c.per_rank, c.micro_batches, true));
  return all;
}
double formula(const Case& c) { return double(c.ranks - 1) / (c.per_rank * c.micro_batches + c.ranks - 1); }
int live_bound(const Case& c, int rank) {
  const int all = c.micro_batches * c.per_rank, after = c.ranks - rank - 1;
  if (c.schedule == kGPipe) return all;
  if (c.per_rank == 1) return std::min(all, after + 1);
  const int round = c.micro_batches / std::max(1, c.micro_batches / c.ranks);
  return std::min(all, 2 * after + (c.per_rank - 1) * round + 1);
}

TEST(PipelinePlan, EveryStageTakesEveryMicroBatchOnceEachWay) {
  for (const Case& c : kCases) {
    std::set<std::tuple<bool, int, int>> seen;
    for (const PipelineTrace& t : plans(c))
      for (const PipelineAction& a : t)
        EXPECT_TRUE(seen.insert({a.is_backward, a.stage, a.micro_batch}).second);
    EXPECT_EQ(int(seen.size()), 2 * c.ranks * c.per_rank * c.micro_batches);
  }
}

TEST(PipelinePlan, OneForwardOneBackward) {
  std::string text;
  for (const PipelineAction& a : pipeline_plan(k1F1B, 4, 1, 1, 5, true))
    text += concat(a.is_backward ? "B" : "F", a.micro_batch, " ");
  EXPECT_EQ(text, "F0 F1 F2 B0 F3 B1 F4 B2 B3 B4 ");
}

TEST(PipelinePlan, BubblesAreThoseOfTheFormula) {
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (int m : {1, 2, 3, 4, 8, 12}) {
      for (const Case& c : {Case{kGPipe, ranks, 1, m}, Case{k1F1B, ranks, 1, m}})
        EXPECT_NEAR(pipeline_bubble(plans(c)), formula(c), 1e-12);
      for (int v : {2, 3}) {
        const Case c{kInterleaved, ranks, v, m};
        if (m % ranks == 0) {
          EXPECT_NEAR(pipeline_bubble(plans(c)), formula(c), 1e-12) << ranks << " " << v << " " << m;
        }
      }
    }
  EXPECT_EQ(pipeline_bubble({}), 0);
  const PipelineTrace half{{true, 0, 0, 0}, {false, 0, 0, 0}};
  EXPECT_NE(failure_of([&] { pipeline_bubble(std::span(&half, 1)); }).find("wait for each other"),
            std::string::npos);
}

// ---- running ----

constexpr int64_t kWidth = 6, kRows = 24;

Ref<nn::Module> module(std::function<std::vector<Tensor>(std::span<const Tensor>)> f) {
  return make_ref<nn::Callback>("Stage", [f](nn::Module&, std::span<const Tensor> xs) { return f(xs); });
}
Ref<nn::Module> layer(Net& net, int i) {
  return module([&net, i](std::span<const Tensor> xs) { return std::vector{net.layer(size_t(i), xs[0])}; });
}
Tensor error_of(const Tensor& y, const Tensor& target) { return ops::mean(ops::square(ops::sub(y, target))); }
Ref<nn::Module> loss() {
  return module([](std::span<const Tensor> xs) { return std::vector{error_of(xs[0], xs[1])}; });
}
Ref<Pipeline> pipeline(Group& g, std::vector<Ref<nn::Module>> stages, const Case& c) {
  PipelineOptions o;
  o.schedule = c.schedule;
  o.micro_batches = c.micro_batches;
  o.loss = loss();
  return Pipeline::create(Ref<Group>::share(&g), std::move(stages), o);
}
Ref<Pipeline> pipeline(Group& g, Net& net, const Case& c) {
  std::vector<Ref<nn::Module>> mine;
  for (int k = 0; k < c.per_rank; ++k) mine.push_back(layer(net, k * c.ranks + g.rank()));
  return pipeline(g, std::move(mine), c);
}
void step_down(Net& net, double rate) {
  NoGradGuard off;
  for (NamedTensor& n : net.parameters)
    if (Tensor g = gradient_of(n.tensor)) ops::sub_(n.tensor, ops::mul(g, ops::full({}, rate, g.dtype())));
}
Tensor x_of(int step, DType t = DType::f64) { return ops::cast(batch(step, kRows, kWidth), t); }
void want_near(double a, double b, double within, std::string_view what) {
  if (!(std::abs(a - b) <= within)) fail(Code::internal, concat(what, ": got ", a, ", wanted ", b));
}

// Losses, outputs, weights after some steps, traces and what was held at once.
TEST(Pipeline, EqualsTheModelOnOneRank) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(concat(int(c.schedule), " ", c.ranks, " ", c.per_rank, " ", c.micro_batches));
    const int layers = c.ranks * c.per_rank;
    std::vector<PipelineTrace> traces{size_t(c.ranks)};
    expect_none(run_threads(c.ranks, [&](Group& g) {
      Net net(layers, kWidth, 3, DType::f64), whole(layers, kWidth, 3, DType::f64);
      Ref<Pipeline> p = pipeline(g, net, c);
      for (int i = 0; i < 4; ++i) {
        const Tensor x = x_of(i), y = ops::tanh(x);
        Pipeline::Results r = p->run(std::span(&x, 1), y, true, true);
        const Tensor out = whole.forward(x), error = error_of(out, y);
        back(error);
        want(p->peak_live() == live_bound(c, g.rank()), concat("held at once: ", p->peak_live()));
        want(bool(r.losses) == p->has_last() && r.outputs.size() == size_t(p->has_last()),
             "results of the last rank only");
        if (p->has_last()) {
          want(r.losses.numel() == c.micro_batches, "a loss a micro-batch");
          double sum = 0;
          for (int64_t k = 0; k < c.micro_batches; ++k) sum += at(r.losses, k);
          want_near(sum / c.micro_batches, at(error, 0), 1e-13, "loss");
          const Tensor got[] = {r.outputs[0]}, all[] = {ops::detach(out)};
          want_near(largest_difference(got, all), 0, 1e-13, "outputs");
        }
        step_down(net, 0.3);
        step_down(whole, 0.3);
        net.clear();
        whole.clear();
      }
      for (int k = g.rank(); k < layers; k += c.ranks) {
        const Tensor got[] = {net[size_t(2 * k)], net[size_t(2 * k + 1)]},
                     all[] = {whole[size_t(2 * k)], whole[size_t(2 * k + 1)]};
        want_near(largest_difference(got, all), 0, 1e-13, "weights");
      }
      want_near(p->planned_bubble(), formula(c), 1e-12, "bubble");
      traces[size_t(g.rank())] = p->trace();
    }));
    EXPECT_NEAR(pipeline_bubble(traces), formula(c), 1e-12);  // of what ran
  }
}

TEST(Pipeline, LargeActivationsWaitForNobody) {
  const Case c{k1F1B, 4, 1, 6};
  expect_none(run_threads(4, [&](Group& g) {
    constexpr int64_t kWide = 512;  // 2 MiB a micro-batch, rings hold 256 KiB
    Tensor w = filled({kWide}, DType::f32, 1.5);
    set_requires_grad(w, true);
    auto times = [&](std::span<const Tensor> xs) { return std::vector{ops::mul(xs[0], w)}; };
    Ref<Pipeline> p = pipeline(g, {module(times)}, c);
    const Tensor x = filled({6 * 1024, kWide}, DType::f32, 1), y = filled({6 * 1024, kWide}, DType::f32, 0);
    Pipeline::Results r = p->run(std::span(&x, 1), y, true, false);
    if (p->has_last()) want_near(at(r.losses, 5), std::pow(1.5, 8), 1e-3, "loss");
    want_near(at(gradient_of(w), 7), 2 * std::pow(1.5, 7) / kWide, 1e-5, "gradient");
  }));
}

TEST(Pipeline, ParametersOfTwoStagesStayOne) {
  // x -> x W -> tanh -> (x W^T), W on the first and the last rank, accumulated over two steps.
  const Case c{k1F1B, 3, 1, 4};
  expect_none(run_threads(3, [&](Group& g) {
    Tensor w = normal({kWidth, kWidth}, g.rank() == 2 ? 99 : 5, 0.4, DType::f64),
           one = normal({kWidth, kWidth}, 5, 0.4, DType::f64);
    set_requires_grad(w, true);
    set_requires_grad(one, true);
    Ref<nn::Module> stages[] = {
        module([&](std::span<const Tensor> xs) { return std::vector{ops::matmul(xs[0], w)}; }),
        module([](std::span<const Tensor> xs) { return std::vector{ops::tanh(xs[0])}; }),
        module([&](std::span<const Tensor> xs) {
          return std::vector{ops::matmul(xs[0], ops::transpose(w, 0, 1))};
        })};
    Ref<Pipeline> p = pipeline(g, {stages[g.rank()]}, c);
    p->tie(g.rank() == 1 ? Tensor() : w);
    for (int i = 0; i < 4; ++i) {
      const Tensor x = x_of(i), y = ops::tanh(x);
      p->run(std::span(&x, 1), y, true, false);
      back(error_of(ops::matmul(ops::tanh(ops::matmul(x, one)), ops::transpose(one, 0, 1)), y));
      if (g.rank() == 1) continue;
      const Tensor got[] = {gradient_of(w), ops::detach(w)}, all[] = {gradient_of(one), ops::detach(one)};
      want_near(largest_difference(got, all), 0, 1e-12, "tied");
      if (i % 2 == 0) continue;
      NoGradGuard off;
      for (Tensor* t : {&w, &one}) {
        ops::sub_(*t, ops::mul(gradient_of(*t), ops::full({}, 0.1, DType::f64)));
        set_gradient(*t, {});
      }
    }
  }));
}

TEST(Pipeline, StagesPassSeveralTensorsAndSomeWithoutGradient) {
  expect_none(run_threads(3, [&](Group& g) {
    Tensor w = filled({kWidth}, DType::f64, 2.0 + g.rank());
    set_requires_grad(w, true);
    // The first answers floats, numbers and a mask of rows; the second does not use one float that wants a gradient.
    Ref<nn::Module> stages[] = {
        module([&](std::span<const Tensor> xs) {
          return std::vector{ops::mul(xs[0], w), ops::cast(xs[1], DType::i32), ops::detach(xs[0]),
                             ops::mul(xs[0], w)};
        }),
        module([&](std::span<const Tensor> xs) {
          want(xs[0].requires_grad() && !xs[2].requires_grad() && xs[1].dtype() == DType::i32, "what came");
          return std::vector{ops::mul(ops::mul(xs[0], w), ops::cast(xs[1], DType::f64)), xs[2]};
        }),
        module([&](std::span<const Tensor> xs) { return std::vector{ops::mul(ops::add(xs[0], xs[1]), w)}; })};
    Ref<Pipeline> p = pipeline(g, {stages[g.rank()]}, {kGPipe, 3, 1, 2});
    const Tensor xs[] = {x_of(1), filled({kRows, 1}, DType::i64, 3)},
                 y = filled({kRows, kWidth}, DType::f64, 0);
    Pipeline::Results r = p->run(xs, y, true, true);
    if (p->has_last()) {
      const Tensor got[] = {r.outputs[0]},
                   all[] = {ops::mul(xs[0], ops::full({}, (2 * 3 * 3 + 1) * 4, DType::f64))};
      want_near(largest_difference(got, all), 0, 1e-12, "outputs");
    }
    want(bool(gradient_of(w)), "gradient");
  }));
}

TEST(Pipeline, WhatIsFrozenSendsNoGradients) {
  expect_none(run_threads(3, [&](Group& g) {
    Net net(3, kWidth, 3, DType::f64);
    for (int k = 0; k < 4; ++k) set_requires_grad(net[size_t(k)], false);
    Ref<Pipeline> p = pipeline(g, net, {k1F1B, 3, 1, 4});
    const Tensor x = x_of(0);
    p->run(std::span(&x, 1), x, true, false);
    want(p->trace().size() == 8, "all actions");
    want(bool(gradient_of(net[4])) == (g.rank() == 2), "gradients of the last stage");
  }));
}

TEST(Pipeline, EvaluatesWithoutGradientsInAnyShape) {
  for (const Case& c : {Case{k1F1B, 3, 1, 4}, Case{kInterleaved, 2, 2, 4}})
    expect_none(run_threads(c.ranks, [&](Group& g) {
      const int layers = c.ranks * c.per_rank;
      Net net(layers, kWidth, 3, DType::f64);
      Ref<Pipeline> p = pipeline(g, net, c);
      for (int64_t rows : {24, 8, 4}) {
        const Tensor x = ops::narrow(x_of(5), 0, 0, rows);
        Pipeline::Results r = p->run(std::span(&x, 1), rows == 8 ? x : Tensor(), false, true);
        want(p->trace().size() == size_t(c.micro_batches * c.per_rank) && p->peak_live() == 0,
             "forwards alone, nothing is held");
        if (!p->has_last()) continue;
        want(bool(r.losses) == (rows == 8) && !r.outputs[0].requires_grad(),
             "losses where there is a target");
        const Tensor got[] = {r.outputs[0]}, all[] = {ops::detach(net.forward(x))};
        want_near(largest_difference(got, all), 0, 1e-13, "outputs");
      }
      for (const NamedTensor& n : net.parameters) want(!gradient_of(n.tensor), "no gradients");
    }));
}

TEST(Pipeline, GradientsAreAddedUpWhenTheyAreNotScaled) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(2, kWidth, 3, DType::f64), whole(2, kWidth, 3, DType::f64);
    PipelineOptions o;
    o.micro_batches = 4;
    o.scale_gradients = false;
    o.loss = module([](std::span<const Tensor> xs) {
      return std::vector{ops::sum(ops::square(ops::sub(xs[0], xs[1])))};
    });
    Ref<Pipeline> p = Pipeline::create(Ref<Group>::share(&g), {layer(net, g.rank())}, o);
    const Tensor x = x_of(0);
    for (int i = 0; i < 2; ++i) {
      p->run(std::span(&x, 1), x, true, false);
      back(ops::sum(ops::square(ops::sub(whole.forward(x), x))));
    }
    const Tensor got[] = {gradient_of(net[size_t(2 * g.rank())])},
                 all[] = {gradient_of(whole[size_t(2 * g.rank())])};
    want_near(largest_difference(got, all), 0, 1e-11, "sum");
  }));
}

// ---- failing ----

TEST(Pipeline, AFailingStageEndsTheGroupOnEveryRank) {
  for (bool in_backward : {false, true})
    for (int bad = 0; bad < 4; ++bad) {
      Failures f = run_threads(4, [&](Group& g) {
        Net net(4, kWidth, 3, DType::f64);
        int calls = 0;
        Ref<nn::Module> stage = module([&](std::span<const Tensor> xs) {
          Tensor y = net.layer(size_t(g.rank()), xs[0]);
          if (g.rank() != bad || ++calls < 3) return std::vector{y};
          if (!in_backward) fail(Code::callback, "the stage is tired");
          add_hook(y, [](const Tensor&) -> Tensor { fail(Code::callback, "the stage is tired"); });
          return std::vector{y};
        });
        Ref<Pipeline> p = pipeline(g, {stage}, {k1F1B, 4, 1, 8});
        const Tensor x = x_of(0);
        p->run(std::span(&x, 1), x, true, false);
      });
      for (int r = 0; r < 4; ++r) {
        EXPECT_NE(f[size_t(r)].find("the stage is tired"), std::string::npos) << r << ": " << f[size_t(r)];
        const std::string reason =
            concat("rank ", bad, " aborted the group: pipeline, ", in_backward ? "backward" : "forward",
                   " of stage ", bad, ", micro-batch 2: ");
        EXPECT_TRUE(r == bad || f[size_t(r)].find(reason) != std::string::npos) << r << ": " << f[size_t(r)];
      }
    }
}

// A rank that is no pipeline's any more may say anything in its place.
TEST(Pipeline, GarbageAboutTensorsEndsTheGroup) {
  // So many tensors, of that type and as many dimensions.
  for (int64_t word : {int64_t(-1), int64_t(65), int64_t(1) << 62, int64_t(64)}) {
    const Failures f = run_threads(2, [&](Group& g) {
      Net net(2, kWidth, 3, DType::f64);
      Ref<Pipeline> p = pipeline(g, net, {k1F1B, 2, 1, 2});
      if (g.rank()) {
        p->run({}, x_of(0), true, false);
      } else {
        g.run(send(filled({1 + 64 * (3 + HAFT_MAX_DIMS)}, DType::i64, double(word)), 1,
                   1 << 30 | 1 << 27 | 1 << 16));
        g.run(barrier());
      }
    });
    for (const std::string& s : f)
      EXPECT_NE(s.find("before stage 1's first micro-batch tells of no tensors"), std::string::npos) << s;
  }
}

TEST(Pipeline, WhatDoesNotFitIsSaid) {
  const auto told = [](int ranks, const std::function<void(Group&)>& f) {
    const Failures all = run_threads(ranks, f);
    return all.back();
  };
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  Net net(4, kWidth, 3, DType::f64);
  const Tensor x = x_of(0);
  has(told(2,
           [&](Group& g) {
             pipeline(g, net, {k1F1B, 2, 1, g.rank() ? 4 : 2});
           }),
      "rank 0 has \"micro-batches: 2\", rank 1 has \"micro-batches: 4\"");
  has(told(2, [&](Group& g) { pipeline(g, net, {k1F1B, 2, 2, 2}); }), "takes one stage a rank, got 2");
  has(told(2,
           [&](Group& g) {
             pipeline(g, net, {kInterleaved, 2, 2, 5});
           }),
      "5 micro-batches on 2 ranks have no 2 equal rounds");
  has(told(1, [&](Group& g) { pipeline(g, {}, {k1F1B, 1, 1, 2}); }), "at least one stage");
  has(told(1, [&](Group& g) { pipeline(g, net, {k1F1B, 1, 1, 0}); }), "1 to 65535 micro-batches");
  has(told(1,
           [&](Group& g) {
             pipeline(g, net, {k1F1B, 1, 1, 5})->run(std::span(&x, 1), x, true, false);
           }),
      "input of shape [24, 6] has no 5 equal micro-batches");
  has(told(2,
           [&](Group& g) {
             pipeline(g, net, {k1F1B, 2, 1, 4})->run(std::span(&x, 1), {}, true, false);
           }),
      "wants a loss and a target");
  has(told(2,
           [&](Group& g) {
             pipeline(g, net, {k1F1B, 2, 1, 4})->run({}, x, true, false);
           }),
      "the first stage's rank gives the batch");
  const auto sized = [](std::span<const Tensor> xs) {
    return std::vector{at(xs[0], 0) == 0 ? xs[0] : ops::narrow(xs[0], 0, 0, 1)};
  };
  const Tensor odd = ops::cast(ops::arange(0, 8), DType::f64);
  has(told(2,
           [&](Group& g) {
             pipeline(g, {module(sized)}, {k1F1B, 2, 1, 4})->run(std::span(&odd, 1), {}, false, false);
           }),
      "results of stage 0 are of another type or shape for micro-batch 1");
  has(told(1,
           [&](Group& g) {
             PipelineOptions o;
             o.loss = module([](std::span<const Tensor> xs) { return std::vector{xs[0]}; });
             Pipeline::create(Ref<Group>::share(&g), {layer(net, 0)}, o)
                 ->run(std::span(&x, 1), x, true, false);
           }),
      "the loss must answer one tensor of one element");
}

// Says how many results it has.
struct Two final : nn::Module {
  Ref<nn::Module> of;
  explicit Two(Ref<nn::Module> m) : Module("Two"), of(std::move(m)) {}
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override { return of->call_many(xs); }
  int64_t output_count() const override { return 2; }
};

// Before a backward has run, whether the module tells how many results it has or not.
TEST(Pipeline, ResultsWithoutRoomAreRefusedBeforeTheStepHasEffects) {
  const Tensor x = x_of(0);
  for (const bool tells : {true, false}) {
    const Failures f = run_threads(2, [&](Group& g) {
      Net net(2, kWidth, 3, DType::f64);
      PipelineOptions o;
      o.micro_batches = 2;
      o.loss = module([](std::span<const Tensor> xs) { return std::vector{ops::sum(xs[0])}; });
      int calls = 0;
      const Ref<nn::Module> one = layer(net, 0), two = module([&](std::span<const Tensor> xs) {
                                                   ++calls;
                                                   const Tensor y = net.layer(1, xs[0]);
                                                   return std::vector{y, y};
                                                 });
      const auto p = Pipeline::create(Ref<Group>::share(&g),
                                      {g.rank() == 0 ? one
                                       : tells       ? Ref<nn::Module>(make_ref<Two>(two))
                                                     : two},
                                      o);
      try {
        p->run(std::span(&x, 1), x, true, true, 1);
      } catch (...) {
        EXPECT_EQ(calls, g.rank() && !tells);
        for (const Tensor& t : net.tensors()) EXPECT_FALSE(gradient_of(t).defined());
        throw;
      }
      g.run(barrier());
    });
    for (const std::string& text : f)
      EXPECT_NE(text.find("outputs has room for 1, there are 2"), std::string::npos) << text;
  }
}

}  // namespace
