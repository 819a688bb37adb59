// Optimizers whose state is spread over ranks, against the same optimizers whole: bit for bit where the gradients are.
#include "core/parallel/sharded_optimizer.h"

#include "core/optim/clip.h"
#include "core/optim/grad_scaler.h"
#include "core/optim/scheduler.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kWidth = 16, kRows = 24;

// Of all sizes: none, fewer than ranks, one, several buckets.
std::vector<Tensor> mixed(int64_t seed, DType t = DType::f32) {
  std::vector<Tensor> out;
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{5, 7}, {}, {1}, {0, 3}, {2}, {33, 3}, {129}, {3}}) {
    out.push_back(normal(sizes, seed + int64_t(out.size()), 0.5, t));
    set_requires_grad(out.back(), true);
  }
  return out;
}

ShardOptions small(int stage = 1, int64_t bytes = 400) {
  ShardOptions o;
  o.stage = stage;
  o.bucket_bytes = bytes;
  return o;
}

Ref<Optimizer> sharded(OptimizerId id, std::span<const Tensor> parameters, Group& g, const ShardOptions& how,
                       const OptionValues& values = {}) {
  Ref<Optimizer> o = make_optimizer(id, parameters, values);
  ShardedOptimizer::create(*o, Ref<Group>::share(&g), how);
  return o;
}

void give(std::span<const Tensor> parameters, int64_t seed, size_t skip = size_t(-1)) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& p = parameters[i];
    set_gradient(
        p, i == skip ? Tensor()
                     : normal({p.sizes().begin(), p.sizes().end()}, seed * 1000 + int64_t(i), 1, p.dtype()));
  }
}

void want_equal(std::span<const Tensor> a, std::span<const Tensor> b, std::string_view what) {
  for (size_t i = 0; i < a.size(); ++i) want(same_bits(a[i], b[i]), concat(what, ": parameter ", int64_t(i)));
}

void want_states_equal(const Optimizer& a, const Optimizer& b) {
  const OptimizerState x = a.state(), y = b.state();
  want(x.numbers == y.numbers, "numbers of the states");
  want(x.tensors.size() == y.tensors.size(), "tensors of the states");
  for (const auto& [name, t] : x.tensors) {
    want(std::ranges::equal(t.sizes(), y.tensors.at(name).sizes()), name);
    want(same_bits(t, y.tensors.at(name)), name);
  }
}

TEST(ShardedOptimizer, EveryKindStepsAsTheWholeOneBitForBit) {
  for (int ranks : {1, 2, 3, 4})
    expect_none(run_threads(ranks, [&](Group& g) {
      for (int id = 0; id < kOptimizerCount; ++id) {
        if (optimizer_kind(OptimizerId(id)).whole || OptimizerId(id) == OptimizerId::SparseAdam) {
          std::string refusal;
          std::vector<Tensor> matrices = mixed(1);
          std::erase_if(matrices, [](const Tensor& t) { return t.ndim() != 2; });
          try {
            sharded(OptimizerId(id), matrices, g, small(), {});
          } catch (const Error& e) {
            refusal = e.message;
          }
          if (refusal.find("spread over ranks") == std::string::npos)
            fail(Code::internal, "taken, or: " + refusal);
          continue;
        }
        const std::vector<Tensor> own = mixed(1), whole = mixed(1);
        OptionValues values{{"lr", 0.01}};
        if (OptimizerId(id) == OptimizerId::SGD) values.push_back({"momentum", 0.9});
        Ref<Optimizer> a = sharded(OptimizerId(id), own, g, small(), values),
                       b = make_optimizer(OptimizerId(id), whole, values);
        for (int s = 0; s < 5; ++s) {
          for (auto* ps : {&own, &whole}) give(*ps, s, s == 0 ? 2 : s == 3 ? 0 : size_t(-1));
          a->step();
          b->step();
          want_equal(own, whole, a->type());
        }
        ShardedOptimizer::of(*a)->gather_state(*a, -1);
        want_states_equal(*a, *b);
      }
    }));
}

TEST(ShardedOptimizer, TypesLayoutsAndGroupsOfParameters) {
  for (int ranks : {2, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      std::vector<Tensor> own, whole;
      for (std::vector<Tensor>* to : {&own, &whole}) {
        for (DType t : {DType::f32, DType::f64, DType::bf16})
          for (const Tensor& p : mixed(3, t)) to->push_back(p);
        Tensor turned = ops::transpose(normal({6, 9}, 77), 0, 1);
        turned = ops::detach(turned);
        set_requires_grad(turned, true);
        to->push_back(turned);
      }
      Ref<Optimizer> a = sharded(OptimizerId::AdamW, own, g, small()),
                     b = make_optimizer(OptimizerId::AdamW, whole);
      std::vector<Tensor> more = mixed(9), others = mixed(9);
      const auto step = [&](int64_t s) {
        for (auto* ps : {&own, &whole}) give(*ps, s);
        for (auto* ps : {&more, &others}) give(*ps, s + 50);
        a->step();
        b->step();
        want_equal(own, whole, "first group");
      };
      step(0);
      want(a->add_group(more, a->defaults()) == 1, "its number");
      b->add_group(others, b->defaults());
      for (Ref<Optimizer>* o : {&a, &b}) (*o)->set_lr(1, 0.5);
      Ref<Scheduler> as = make_exponential_lr(a, 0.5), bs = make_exponential_lr(b, 0.5);
      for (int s = 1; s < 4; ++s) {
        step(s);
        want_equal(more, others, "second group");
        as->step();
        bs->step();
      }
      want(a->lr(1) == 0.0625, "the schedule");
    }));
}

// Gradients are everyone's, so all ranks leave the same steps out.
TEST(ShardedOptimizer, ScaledGradients) {
  expect_none(run_threads(2, [&](Group& g) {
    std::vector<Tensor> own = mixed(5), whole = mixed(5);
    Ref<Optimizer> a = sharded(OptimizerId::Adam, own, g, small()),
                   b = make_optimizer(OptimizerId::Adam, whole);
    GradScaler mine({.scale = 8}, true), theirs({.scale = 8}, true);
    for (int s = 0; s < 3; ++s) {
      for (auto* ps : {&own, &whole}) {
        give(*ps, s);
        if (s == 1) ops::fill_(gradient_of((*ps)[2]), INFINITY);
      }
      want(mine.step(*a) == (s != 1) && theirs.step(*b) == (s != 1), "which steps are made");
      mine.update();
      theirs.update();
      want_equal(own, whole, "parameters");
    }
    want(mine.state().scale == 4, "the scale");
  }));
}

// In stage 2 a rank sees its part of them: what each has found is joined.
TEST(ShardedOptimizer, ScaledGradientsOfParts) {
  expect_none(run_threads(2, [&](Group& g) {
    std::vector<Tensor> own = mixed(5), whole = mixed(5);
    Ref<Optimizer> a = sharded(OptimizerId::Adam, own, g, small(2)),
                   b = make_optimizer(OptimizerId::Adam, whole);
    GradScaler mine({.scale = 8}, true), theirs({.scale = 8}, true);
    for (int s = 0; s < 4; ++s) {
      for (auto* ps : {&own, &whole}) {
        Tensor loss;
        for (size_t i = 0; i < ps->size(); ++i) {
          Tensor slope = normal({(*ps)[i].sizes().begin(), (*ps)[i].sizes().end()}, 100 * s + int64_t(i), 1,
                                (*ps)[i].dtype());
          if (s == 1 && i == 2) ops::fill_(ops::narrow(ops::flatten(slope), 0, 0, 1), INFINITY);
          const Tensor part = ops::cast(ops::sum(ops::mul((*ps)[i], slope)), DType::f64);
          loss = loss.defined() ? ops::add(loss, part) : part;
        }
        back(ps == &own ? mine.scale(loss) : theirs.scale(loss));
      }
      if (s == 2) mine.unscale(*a);
      want(mine.step(*a) == (s != 1) && theirs.step(*b) == (s != 1), "which steps are made");
      mine.update();
      theirs.update();
      for (Ref<Optimizer>* o : {&a, &b}) (*o)->zero_grad();
      want_equal(own, whole, "parameters");
    }
    want(mine.state().scale == 4, "the scale");
  }));
}

// Each rank's share of data, gradients scattered in backward, against data parallel and a whole optimizer, and
// against one process.
TEST(ShardedOptimizer, TrainsAsDataParallelAndAsOneProcess) {
  Net alone(4, kWidth, 1);
  init();
  Ref<Optimizer> o = make_optimizer(OptimizerId::Adam, alone.tensors(), {{"lr", 0.01}});
  for (int s = 0; s < 20; ++s) {
    o->zero_grad();
    back(loss_of(alone, batch(s, kRows, kWidth)));
    clip_grad_norm(alone.tensors(), 0.5);
    o->step();
  }
  for (int ranks : {1, 2, 3, 4})
    for (int stage : {1, 2})
      expect_none(run_threads(ranks, [&](Group& g) {
        Net net(4, kWidth, 1 + g.rank()), twin(4, kWidth, 1 + g.rank());
        Closing d{parallel_over(twin, g, small_buckets())};
        std::unique_ptr<Closing> own;
        if (stage == 1) own.reset(new Closing{parallel_over(net, g, small_buckets())});
        Ref<Optimizer> a = sharded(OptimizerId::Adam, net.tensors(), g, small(stage, 2000), {{"lr", 0.01}});
        Ref<Optimizer> b = make_optimizer(OptimizerId::Adam, twin.tensors(), {{"lr", 0.01}});
        for (int s = 0; s < 20; ++s) {
          const Tensor x = batch(s, kRows, kWidth, g.rank(), ranks);
          a->zero_grad(s % 2);
          b->zero_grad(s % 2);
          d->prepare();
          back(loss_of(twin, x));
          if (own) own->d->prepare();
          back(loss_of(net, x));
          const double norm = ShardedOptimizer::of(*a)->clip_grad_norm(0.5, 2);
          want(std::abs(norm - at(clip_grad_norm(twin.tensors(), 0.5), 0)) < 1e-6 * norm, "the norm");
          a->step();
          b->step();
        }
        want_same_bits(g, net.tensors());
        double far = largest_difference(net.tensors(), twin.tensors());
        want(far < 2e-6, concat("off data parallel by ", far));
        far = largest_difference(net.tensors(), alone.tensors());
        want(far < 2e-5, concat("off one process by ", far));
      }));
}

// Without what rounds differently, the mean that is scattered has the bits of the one that all get.
TEST(ShardedOptimizer, ScatteredGradientsAreThoseOfDataParallelBitForBit) {
  for (int ranks : {2, 3, 4})
    expect_none(run_threads(ranks, [&](Group& g) {
      Net net(4, kWidth, 1), twin(4, kWidth, 1);
      Closing d{parallel_over(twin, g, small_buckets())};
      Ref<Optimizer> a = sharded(OptimizerId::Adam, net.tensors(), g, small(2, 2000), {{"lr", 0.01}});
      Ref<Optimizer> b = make_optimizer(OptimizerId::Adam, twin.tensors(), {{"lr", 0.01}});
      for (int s = 0; s < 5; ++s) {
        a->zero_grad();
        b->zero_grad();
        d->prepare();
        const Tensor x = batch(s, kRows, kWidth, g.rank(), ranks);
        back(loss_of(twin, x));
        back(loss_of(net, x));
        for (const Tensor& t : gradients(net)) want(!t.defined(), "a gradient stayed");
        a->step();
        b->step();
        want_equal(net.tensors(), twin.tensors(), "step");
      }
    }));
}

TEST(ShardedOptimizer, BackwardsAddUpAndUnusedParametersStay) {
  for (int ranks : {1, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      Net net(4, kWidth, 1), twin(4, kWidth, 1);
      Ref<Optimizer> a = sharded(OptimizerId::Adam, net.tensors(), g, small(2, 2000)),
                     b = make_optimizer(OptimizerId::Adam, twin.tensors());
      for (int s = 0; s < 4; ++s) {
        a->zero_grad();
        b->zero_grad();
        for (int part = 0; part < 3; ++part) {
          // Layer 3 takes part on the last rank alone, layer 0 nowhere in step 2.
          const auto loss = [&](Net& n, int rank) {
            Tensor x = batch(3 * s + part, kRows, kWidth, rank, ranks);
            for (size_t i = s == 2; i < (rank == ranks - 1 ? 4u : 3u); ++i) x = n.layer(i, x);
            return ops::mean(ops::square(x));
          };
          back(loss(net, g.rank()));
          for (int r = 0; r < ranks; ++r) back(ops::div_scalar(loss(twin, r), double(ranks)));
        }
        a->step();
        b->step();
        const double far = largest_difference(net.tensors(), twin.tensors());
        want(far < 2e-6, concat("step ", s, " off by ", far));
      }
      ShardedOptimizer::of(*a)->gather_state(*a, -1);
      want(a->state().numbers == b->state().numbers, "counts of steps");
    }));
}

TEST(ShardedOptimizer, BucketsAreScatteredWhileBackwardGoesOn) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(6, kWidth, 1);
    Ref<Optimizer> o = sharded(OptimizerId::SGD, net.tensors(), g, small(2, 1000));
    const uint64_t before = g.issued();
    uint64_t at_last = 0;
    Tensor first = ops::matmul(batch(0, kRows, kWidth, g.rank(), 2), net[0]);
    add_hook(first, [&](const Tensor&) {
      at_last = g.issued();
      return Tensor();
    });
    Tensor y = ops::tanh(ops::add(first, net[1]));
    for (size_t i = 1; i < 6; ++i) y = net.layer(i, y);
    back(ops::mean(y));
    want(at_last > before && g.issued() > at_last, concat(at_last - before, " of ", g.issued() - before));
  }));
}

TEST(ShardedOptimizer, MemoryFallsWithTheNumberOfRanks) {
  int64_t state[5] = {}, gradient[5] = {};
  for (int ranks : {1, 2, 3, 4})
    expect_none(run_threads(ranks, [&](Group& g) {
      Net net(4, 60, 1);
      Ref<Optimizer> o = sharded(OptimizerId::Adam, net.tensors(), g, small(2, 20000));
      back(loss_of(net, batch(0, kRows, 60, g.rank(), ranks)));
      o->step();
      const ShardInfo i = ShardedOptimizer::info(*o);
      want(i.stage == 2 && i.ranks == ranks && i.rank == g.rank() && i.buckets == 2 &&
               i.elements == 4 * 61 * 60,
           "info");
      const int64_t even = i.elements / ranks;
      want(i.own_elements <= even + i.buckets && i.own_elements >= even - ranks * i.buckets,
           concat("elements ", i.own_elements));
      want(i.state_bytes == 8 * i.own_elements, "Adam keeps two numbers of each");
      want(i.gradient_bytes <= 4 * (even + i.buckets), "gradients");
      if (g.rank() == 0) state[ranks] = i.state_bytes, gradient[ranks] = i.gradient_bytes;
    }));
  if (getenv("HAFT_TEST_WORLD")) return;  // rank 0 is one process of several
  EXPECT_EQ(state[1], 4 * 61 * 60 * 8);
  EXPECT_EQ(gradient[1], 4 * 61 * 60 * 4);
  for (int ranks : {2, 3, 4}) {
    EXPECT_NEAR(double(state[ranks]) * ranks / double(state[1]), 1, 1e-3) << ranks;
    EXPECT_NEAR(double(gradient[ranks]) * ranks / double(gradient[1]), 1, 1e-3) << ranks;
  }
}

TEST(ShardedOptimizer, StateGoesOnAtAnotherNumberOfRanks) {
  if (getenv("HAFT_TEST_WORLD")) GTEST_SKIP() << "what a rank has saved stays in its process";
  init();
  const std::vector<Tensor> whole = mixed(1);
  Ref<Optimizer> b = make_optimizer(OptimizerId::NAdam, whole);
  OptimizerState saved;
  std::vector<Tensor> values(whole.size());
  int64_t step = 0;
  for (int ranks : {3, 2, 4, 1}) {
    give(whole, ++step);
    std::vector<Tensor> before;
    for (const Tensor& t : whole) before.push_back(ops::clone(ops::detach(t)));
    b->step();
    OptimizerState next;
    expect_none(run_threads(ranks, [&](Group& g) {
      const std::vector<Tensor> own = mixed(1 + g.rank());
      NoGradGuard off;
      for (size_t i = 0; i < own.size(); ++i) ops::copy_(own[i], before[i]);
      Ref<Optimizer> a = sharded(OptimizerId::NAdam, own, g, small());
      if (!saved.tensors.empty()) a->load_state(saved);
      give(own, step);
      a->step();
      want_equal(own, whole, concat(ranks, " ranks"));
      ShardedOptimizer::of(*a)->gather_state(*a, ranks - 1);
      if (g.rank() != ranks - 1) {
        want(failure_of([&] { a->state(); }).find("on another rank than") != std::string::npos,
             "state elsewhere");
        return;
      }
      want_states_equal(*a, *b);
      next = a->state();
    }));
    saved = std::move(next);
  }
}

TEST(ShardedOptimizer, TakesOverAndGivesSingleStates) {
  expect_none(run_threads(3, [&](Group& g) {
    const std::vector<Tensor> own = mixed(1), whole = mixed(1);
    Ref<Optimizer> a = make_optimizer(OptimizerId::Adam, own), b = make_optimizer(OptimizerId::Adam, whole);
    for (int s = 0; s < 4; ++s) {
      if (s == 2)
        ShardedOptimizer::create(*a, Ref<Group>::share(&g), small());  // what there is becomes parts
      for (auto* ps : {&own, &whole}) give(*ps, s);
      a->step();
      b->step();
      want_equal(own, whole, "step");
    }
    want(at(a->state_tensor(0, "step"), 0) == 4, "counts are everywhere");
    want(failure_of([&] { a->state_tensor(0, "exp_avg"); }).find("not gathered since it changed") !=
             std::string::npos,
         "not gathered");
    const Tensor x = normal({5, 7}, 5);
    for (Ref<Optimizer>* o : {&a, &b}) (*o)->set_state_tensor(0, "exp_avg", x);
    ShardedOptimizer::of(*a)->gather_state(*a, -1);
    want(same_bits(a->state_tensor(0, "exp_avg"), x), "a state that was set");
    want_states_equal(*a, *b);
    a->step();
    b->step();
    want_equal(own, whole, "after it");
    want(!failure_of([&] { a->state(); }).empty(), "gathered before a step");
  }));
}

TEST(ShardedOptimizer, MisuseIsToldOnEveryRank) {
  const auto says = [](const std::function<void()>& f, std::string_view text) {
    const std::string told = failure_of(f);
    want(told.find(text) != std::string::npos, concat("wanted \"", text, "\", got \"", told, "\""));
  };
  expect_none(run_threads(2, [&](Group& g) {
    const auto over = [&](const std::vector<Tensor>& ps, const ShardOptions& how,
                          OptimizerId id = OptimizerId::Adam) { return sharded(id, ps, g, how); };
    says([&] { over(mixed(1), small(3)); }, "stage must be 1 (state) or 2");
    says([&] { over(mixed(1), small(1, 0)); }, "at least 1 byte");
    says([&] { over(mixed(1), small(), g.rank() ? OptimizerId::SGD : OptimizerId::Adam); },
         "rank 0 has \"Adam");
    says([&] { over(mixed(1), small(1 + g.rank())); }, "optimizers differ");
    says([&] { over({mixed(1)[size_t(g.rank())]}, small()); }, "parameters differ");
    std::vector<Tensor> ps = mixed(1);
    Ref<Optimizer> o = over(ps, small());
    says([&] { ShardedOptimizer::create(*o, Ref<Group>::share(&g), small()); }, "spread over ranks already");
    says([&] { ShardedOptimizer::of(*o)->gather_state(*o, 2); }, "to must be 0 to 1");
    says([&] { o->state_tensor(0, "exp"); }, "remembers no 'exp'");
    give(ps, 1, g.rank() ? 5 : size_t(-1));
    says([&] { o->step(); }, "parameter 5 has a gradient on some ranks");
    give(ps, 1);
    o->step();  // the group lives on
    says([&] { over(ps, small(2)); }, "has a gradient, of which stage 2 would keep a part");
    OptimizerState other = make_optimizer(OptimizerId::SGD, mixed(1))->state();
    says([&] { o->load_state(other); }, "is that of 'SGD'");
    Net net(2, kWidth, 1);
    Ref<Optimizer> two = sharded(OptimizerId::SGD, net.tensors(), g, small(2));
    const Tensor x = batch(0, kRows, kWidth, g.rank(), 2);
    const Tensor loss = loss_of(net, x);
    says([&] { backward(std::span(&loss, 1), {}, {.create_graph = true}); }, "create_graph");
    net.clear();  // gradients with a graph hold the parameters that hold them
    // Who takes gradients away limits them: the plain call would limit nothing.
    says([&] { clip_grad_norm(net.tensors(), 1); }, "is kept in parts by a sharded optimizer of stage 2");
    says([&] { clip_grad_value(net.tensors(), 1); }, "clip_grad_value: the gradient of parameter 0");
    {
      Net joined(2, kWidth, 1);
      Closing d{parallel_over(joined, g)};
      says([&] { over(joined.tensors(), small(2)); }, "as data parallel sets one");
    }
    set_gradient(net[0], normal({kWidth, kWidth}, 1));
    says([&] { two->step(); }, "a gradient of its own");
    says([&] { ShardedOptimizer::of(*two)->clip_grad_norm(1, 2); },
         "a step of a sharded optimizer");  // that one has ended the group
  }));
}

// Data parallel that is made afterwards sees no gradients: they are gone before its hooks are called.
TEST(ShardedOptimizer, DataParallelBehindHasNothingToDo) {
  expect_none(run_threads(2, [](Group& g) {
    Net net(2, kWidth, 1);
    Ref<Optimizer> o = sharded(OptimizerId::SGD, net.tensors(), g, small(2));
    Closing d{parallel_over(net, g)};
    for (int s = 0; s < 2; ++s) {
      o->zero_grad();
      d->prepare();
      back(loss_of(net, batch(s, kRows, kWidth, g.rank(), 2)));
      o->step();
    }
    want(d->info().steps == 0, "it has joined gradients");
    want_same_bits(g, net.tensors());
  }));
}

// Its hooks go with it, and so does a backward that is called afterwards.
TEST(ShardedOptimizer, LeavesParametersAsTheyWere) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(2, kWidth, 1);
    { Ref<Optimizer> o = sharded(OptimizerId::SGD, net.tensors(), g, small(2)); }
    back(loss_of(net, batch(0, kRows, kWidth)));
    for (const Tensor& t : gradients(net)) want(t.defined(), "a hook stayed");
    want(net[0].impl()->refs.n.load() < 8, "owners stayed");
  }));
}

}  // namespace
