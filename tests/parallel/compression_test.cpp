// Communication hooks: what is sent and what is kept add up to the gradients, and training goes where plain means
// lead it.
#include "core/parallel/compression.h"
#include "core/parallel/averager.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kWidth = 16, kRows = 24;

struct Saver {
  const char* name;
  CompressionOptions options;
  double part;  // of the bytes at most
  bool feedback = true;
};
const std::vector<Saver>& savers() {
  static const std::vector<Saver> all = [] {
    std::vector<Saver> v;
    auto add = [&](const char* name, Compression kind, double part,
                   bool feedback = true) -> CompressionOptions& {
      v.push_back({name, {}, part, feedback});
      v.back().options.kind = kind;
      return v.back().options;
    };
    add("fp16", Compression::f16, 0.5, false);
    add("bf16", Compression::bf16, 0.5, false);
    add("int8", Compression::int8, 0.27);
    add("one_bit", Compression::one_bit, 0.05);
    add("top_k", Compression::top_k, 0.25).ratio = 0.1;
    add("random_k", Compression::random_k, 0.13).ratio = 0.125;
    add("power_sgd", Compression::power_sgd, 0.5).rank = 2;
    return v;
  }();
  return all;
}

double train(Group& g, const Saver* saver, int steps) {
  Net net(3, kWidth, 1 + g.rank());
  Closing d{parallel_over(net, g, small_buckets())};
  if (saver) d->set_hook(make_compression(saver->options));
  Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, net.tensors(), {{"lr", 0.5}});
  for (int s = 0; s < steps; ++s) {
    o->zero_grad();
    d->prepare();
    back(loss_of(net, batch(s % 8, kRows, kWidth, g.rank(), g.size())));
    o->step();
  }
  want_same_bits(g, net.tensors());
  if (saver) {
    const DataParallelInfo i = d->info();
    const double part = double(i.sent_bytes) / double(i.gradient_bytes);
    want(part <= saver->part && part > 0, concat("sent ", part));
    want(i.rebuilt, "not rebuilt");
  }
  NoGradGuard off;
  double loss = 0;
  for (int s = 0; s < 8; ++s) loss += at(loss_of(net, batch(s, kRows, kWidth)), 0);
  return loss / 8;
}

TEST(Compression, TrainsLikePlainMeans) {
  init();
  double before = 0, plain = 0;
  expect_none(run_threads(2, [&](Group& g) {
    const double b = train(g, nullptr, 0), p = train(g, nullptr, 150);
    if (!g.rank()) {
      before = b;
      plain = p;
    }
  }));
  ASSERT_LT(plain, 0.2 * before);
  for (const Saver& s : savers()) {
    double loss = 0;
    expect_none(run_threads(2, [&](Group& g) {
      const double l = train(g, &s, 150);
      if (!g.rank()) loss = l;
    }));
    EXPECT_LT(loss, 1.35 * plain) << s.name << " plain " << plain << " before " << before;
    RecordProperty(s.name, std::to_string(loss / plain));
  }
}

// Over 6 steps, the first of which makes buckets anew: sum of what was joined + mean of what ranks keep = sum of mean
// gradients.
TEST(Compression, WhatWasSentAndWhatIsKeptAreTheGradients) {
  for (const Saver& s : savers()) {
    SCOPED_TRACE(s.name);
    for (bool kept : {true, false}) {
      if (!s.feedback && kept) continue;
      double off = 0, size = 0;
      expect_none(run_threads(3, [&](Group& g) {
        CompressionOptions o = s.options;
        o.error_feedback = kept;
        Net net(3, kWidth, 1), alone(3, kWidth, 1);
        Closing d{parallel_over(net, g, small_buckets())};
        d->set_hook(make_compression(o));
        std::vector<Tensor> joined;
        for (NamedTensor& n : net.parameters) joined.push_back(ops::zeros_like(n.tensor));
        for (int step = 0; step < 6; ++step) {
          net.clear();
          d->prepare();
          back(loss_of(net, batch(step, kRows, kWidth, g.rank(), 3)));
          back(loss_of(alone, batch(step, kRows, kWidth)));  // adds up
          NoGradGuard none;
          for (size_t i = 0; i < joined.size(); ++i) ops::add_(joined[i], gradient_of(net[i]));
        }
        NoGradGuard none;
        int residuals = 0;
        for (const NamedTensor& n : d->state())
          for (size_t i = 0; i < joined.size(); ++i)
            if (n.name == concat("residual.", net.parameters[i].name)) {
              ++residuals;
              Tensor mean = ops::clone(n.tensor);
              g.run(all_reduce_job(mean, dist::ReduceOp::avg));
              ops::add_(joined[i], mean);
            }
        want(residuals == (kept ? 6 : 0), "residuals");
        if (g.rank()) return;
        off = largest_difference(joined, gradients(alone));
        for (const Tensor& t : gradients(alone)) size = std::max(size, at(ops::amax(ops::abs(t)), 0));
      }));
      if (kept) {
        EXPECT_LT(off, 2e-6 * size + 1e-7);
      } else if (s.feedback) {
        EXPECT_GT(off, 1e-3 * size) << "without feedback something is lost, so the test sees it";
      }
    }
  }
}

TEST(Compression, StateGoesOnWhereItWas) {
  for (const Saver& s : savers()) {
    SCOPED_TRACE(s.name);
    expect_none(run_threads(2, [&](Group& g) {
      auto steps = [&](Net& net, DataParallel& d, int from, int to) {
        for (int i = from; i < to; ++i) {
          net.clear();
          d.prepare();
          back(loss_of(net, batch(i, kRows, kWidth, g.rank(), 2)));
        }
      };
      Net net(3, kWidth, 1), again(3, kWidth, 1);
      Closing d{parallel_over(net, g)};
      d->set_hook(make_compression(s.options));
      steps(net, *d.d, 0, 4);
      std::vector<NamedTensor> state;
      for (const NamedTensor& n : d->state()) state.push_back({n.name, ops::clone(n.tensor)});
      steps(net, *d.d, 4, 6);
      Closing e{parallel_over(again, g)};
      e->set_hook(make_compression(s.options));
      e->load_state(state);
      steps(again, *e.d, 4, 6);
      want(largest_difference(gradients(net), gradients(again)) == 0, "differs");
      for (const NamedTensor& n : e->state())
        if (n.name == "step") want(n.tensor.data<int64_t>()[0] == 6, "step");
      state[0].name = "residual.nothing";
      const std::string text = failure_of([&] { e->load_state(state); });
      want(text.find("its hook keeps no \"residual.nothing\"") != std::string::npos, text);
    }));
  }
}

TEST(Compression, WhatIsNotFiniteReachesEveryRankAndIsNotKept) {
  for (const Saver& s : savers()) {
    SCOPED_TRACE(s.name);
    expect_none(run_threads(2, [&](Group& g) {
      Net net(2, kWidth, 1);
      Closing d{parallel_over(net, g)};
      d->set_hook(make_compression(s.options));
      for (int i = 0; i < 5; ++i) {
        net.clear();
        d->prepare();
        Tensor loss = loss_of(net, batch(i, kRows, kWidth, g.rank(), 2));
        if (i == 2 && g.rank()) loss = ops::mul_scalar(loss, Scalar(NAN));
        back(loss);
        bool finite = true;
        for (const Tensor& t : gradients(net)) finite &= std::isfinite(at(ops::sum(t), 0));
        want(finite == (i != 2), concat("step ", i));
        want_same_bits(g, gradients(net));
      }
      for (const NamedTensor& n : d->state())
        if (n.name != "step") want(std::isfinite(at(ops::sum(n.tensor), 0)), n.name);
    }));
  }
}

TEST(Compression, BeginsWhenItIsTold) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(2, kWidth, 1), alone(2, kWidth, 1);
    Closing d{parallel_over(net, g)};
    CompressionOptions o;
    o.kind = Compression::one_bit;
    o.start_step = 2;
    d->set_hook(make_compression(o));
    for (int s = 0; s < 3; ++s) {
      net.clear();
      alone.clear();
      d->prepare();
      back(loss_of(net, batch(s, kRows, kWidth, g.rank(), 2)));
      back(loss_of(alone, batch(s, kRows, kWidth)));
      want((largest_difference(gradients(net), gradients(alone)) < 1e-6) == (s < 2), concat("step ", s));
    }
  }));
}

TEST(Compression, WorksWithUnusedParametersAndUnevenInputs) {
  for (const Saver& s : savers()) {
    SCOPED_TRACE(s.name);
    expect_none(run_threads(3, [&](Group& g) {
      Net net(4, kWidth, 1 + g.rank());
      DataParallelOptions o = small_buckets();
      o.find_unused = true;
      Closing d{parallel_over(net, g, o)};
      d->set_hook(make_compression(s.options));
      Ref<Optimizer> opt = make_optimizer(OptimizerId::SGD, net.tensors(), {{"lr", 0.1}});
      d->join_begin(true, false);
      for (int i = 0; i < 2 + g.rank(); ++i) {
        opt->zero_grad();
        d->prepare();
        Tensor x = batch(i, kRows, kWidth, g.rank(), 3);
        back(ops::mean(net.layer(g.rank() == 1 ? 1 : 2, net.layer(0, x))));
        want(!gradient_of(net[6]).defined(), "used nowhere");
        want(gradient_of(net[0]).defined(), "used");
        opt->step();
      }
      d->join_end();
      want_same_bits(g, net.tensors());
    }));
  }
}

// ---- models that are joined ----

TEST(Averager, JoinsParametersEverySomeSteps) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(1, 4, 1);
    ModelAverager averager(net.tensors(), Ref<Group>::share(&g), {.period = 3, .warmup = 2});
    for (int s = 0; s < 9; ++s) {
      NoGradGuard off;
      for (Tensor& t : net.tensors()) ops::fill_(t, 10 * s + g.rank());
      const bool due = averager.step();
      want(due == (s == 2 || s == 5 || s == 8), concat("step ", s));
      want(at(net[0], 3) == 10 * s + (due ? 0.5 : g.rank()), concat("step ", s, " has ", at(net[0], 3)));
    }
  }));
}

TEST(Averager, AnOuterOptimizerFollowsWhatTheMeanHasMoved) {
  for (bool nesterov : {true, false})
    expect_none(run_threads(2, [&](Group& g) {
      Tensor w = filled({3}, DType::f32, 1), half = filled({2}, DType::f64, 1);
      AveragerOptions o{
          .period = 2, .outer = true, .outer_lr = 0.5, .outer_momentum = 0.9, .nesterov = nesterov};
      auto averager = make_ref<ModelAverager>(std::vector{w, half}, Ref<Group>::share(&g), o);
      double outer = 1, momentum = 0, now = 1;
      for (int s = 0; s < 8; ++s) {
        NoGradGuard off;
        for (const Tensor& t : {w, half}) ops::add_scalar_(t, Scalar(0.1 * (s + 1) * (g.rank() ? 3 : 1)));
        now += 0.1 * (s + 1) * 2;  // of the mean
        const bool due = averager->step();
        want(due == (s % 2 == 1), "turn");
        if (!due) continue;
        const double moved = outer - now;
        momentum = 0.9 * momentum + moved;
        outer -= 0.5 * (nesterov ? moved + 0.9 * momentum : momentum);
        now = outer;
        want(std::abs(at(w, 1) - outer) < 1e-5 && std::abs(at(half, 1) - outer) < 1e-12,
             concat("step ", s, ": ", at(w, 1), " for ", outer));
        if (s == 3) {  // another one goes on with its state
          std::vector<NamedTensor> state;
          for (const NamedTensor& n : averager->state()) state.push_back({n.name, ops::clone(n.tensor)});
          averager = make_ref<ModelAverager>(std::vector{w, half}, Ref<Group>::share(&g), o);
          averager->load_state(state);
        }
      }
    }));
}

TEST(Averager, PostLocalStepsTalkToTheirPartOnly) {
  expect_none(run_threads(4, [&](Group& g) {
    Member part(g.split(g.rank() / 2, g.rank(), {}));
    Net net(2, kWidth, 1);
    Closing d{parallel_over(net, g)};
    d->set_hook(make_post_local(part.g, 2));
    Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, net.tensors(), {{"lr", 0.1}});
    ModelAverager averager(net.tensors(), Ref<Group>::share(&g), {.period = 2, .warmup = 2});
    for (int s = 0; s < 7; ++s) {
      o->zero_grad();
      d->prepare();
      back(loss_of(net, batch(s, kRows, kWidth, g.rank(), 4)));
      Net alone(2, kWidth, 1);
      want_same_bits(*part, gradients(net));
      o->step();
      const bool due = averager.step();
      want(due == (s >= 2 && s % 2 == 0), "turn");
      Tensor zero = ops::clone(net[0]);
      g.run(broadcast_job(zero, 0));
      const bool same = same_bits(zero, net[0]);
      want(same == (s < 2 || due || g.rank() < 2), concat("step ", s));
    }
    const uint64_t before = g.issued();
    d->set_hook(make_post_local({}, 0));
    net.clear();
    d->prepare();
    back(loss_of(net, batch(9, kRows, kWidth, g.rank(), 4)));
    want(g.issued() == before, "a group of nobody was called");
  }));
}

}  // namespace
