// Distributed data parallel against the same training in one process, and what it does where ranks, parameters or
// steps are not all alike.
#include "core/autograd/function.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kWidth = 16, kRows = 24;

std::vector<Tensor> train_alone(OptimizerId id, const OptionValues& options, int steps,
                                DType t = DType::f32) {
  Net net(4, kWidth, 1, t);
  Ref<Optimizer> o = make_optimizer(id, net.tensors(), options);
  for (int s = 0; s < steps; ++s) {
    o->zero_grad();
    back(loss_of(net, batch(s, kRows, kWidth)));
    o->step();
  }
  return net.tensors();
}

void train_together(int ranks, OptimizerId id, const OptionValues& options, DataParallelOptions how,
                    bool to_none = true, double close = 2e-6) {
  init();
  const std::vector<Tensor> alone = train_alone(id, options, 20);
  expect_none(run_threads(ranks, [&](Group& g) {
    Net net(4, kWidth, 1 + g.rank());
    Closing d{parallel_over(net, g, how)};
    Ref<Optimizer> o = make_optimizer(id, net.tensors(), options);
    for (int s = 0; s < 20; ++s) {
      o->zero_grad(to_none);
      d->prepare();
      back(loss_of(net, batch(s, kRows, kWidth, g.rank(), ranks)));
      o->step();
    }
    want_same_bits(g, net.tensors());
    const double far = largest_difference(net.tensors(), alone);
    want(far < close, concat("off by ", far));
    want(d->info().steps == 20, "steps");
    want(how.bucket_bytes > 100000 || d->info().rebuilt, "not rebuilt");
  }));
}

TEST(DataParallel, EqualsOneProcess) {
  const OptionValues sgd{{"lr", 0.2}, {"momentum", 0.9}};
  for (int ranks : {1, 2, 4}) train_together(ranks, OptimizerId::SGD, sgd, small_buckets());
  train_together(3, OptimizerId::Adam, {{"lr", 0.01}}, small_buckets(), true, 2e-5);
  train_together(2, OptimizerId::Adam, {{"lr", 0.01}}, {}, false, 2e-5);
  DataParallelOptions copies = small_buckets();
  copies.bucket_view = false;
  train_together(2, OptimizerId::SGD, sgd, copies);
  DataParallelOptions unused = small_buckets();
  unused.find_unused = true;
  train_together(2, OptimizerId::SGD, sgd, unused, false);
  DataParallelOptions fixed = small_buckets();
  fixed.static_graph = true;
  train_together(2, OptimizerId::SGD, sgd, fixed);
}

// Each rank on a device of its own, and all on one.
TEST(DataParallel, EqualsOneProcessOnDevices) {
  init();
  const std::vector<Tensor> alone = train_alone(OptimizerId::SGD, {{"lr", 0.2}, {"momentum", 0.9}}, 8);
  for (const bool own : {true, false})
    for (const bool unused : {false, true})
      expect_none(run_threads(2, [&](Group& g) {
        const Device d{load_backend(HAFT_SIM_DEVICE), uint16_t(own ? g.rank() : 0)};
        Net net(4, kWidth, 1 + g.rank(), DType::f32, d);
        DataParallelOptions how = small_buckets();
        how.find_unused = unused;
        Closing parallel{parallel_over(net, g, how)};
        Ref<Optimizer> o = make_optimizer(OptimizerId::SGD, net.tensors(), {{"lr", 0.2}, {"momentum", 0.9}});
        for (int s = 0; s < 8; ++s) {
          o->zero_grad();
          parallel->prepare();
          back(loss_of(net, ops::to(batch(s, kRows, kWidth, g.rank(), 2), DType::none, d)));
          o->step();
        }
        std::vector<Tensor> here;
        for (const Tensor& t : net.tensors()) here.push_back(ops::to(ops::detach(t), DType::none, Device{}));
        want_same_bits(g, here);
        const double far = largest_difference(here, alone);
        want(far < 2e-5, concat("off by ", far));
      }));
}

// Events, not time: when the backward reaches its last node, the first bucket has been issued and the last has not.
TEST(DataParallel, BucketsAreJoinedWhileBackwardGoesOn) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(6, kWidth, 1);
    Closing d{parallel_over(net, g, small_buckets())};
    for (int s = 0; s < 3; ++s) {
      net.clear();
      d->prepare();
      const uint64_t before = g.issued();
      uint64_t at_last = 0;
      Tensor x = batch(s, kRows, kWidth, g.rank(), 2);
      Tensor first = ops::matmul(x, net[0]);
      add_hook(first, [&](const Tensor&) {
        at_last = g.issued();
        return Tensor();
      });
      Tensor y = ops::tanh(ops::add(first, net[1]));
      for (size_t i = 1; i < 6; ++i) y = net.layer(i, y);
      back(ops::mean(y));
      const uint64_t buckets = uint64_t(d->info().buckets);
      want(buckets >= 3, "too few buckets");
      want(at_last >= before + 1 && at_last <= before + buckets,
           concat("issued ", at_last - before, " of ", buckets));
    }
    const std::string json = g.recorder_json();
    want(json.find("\"call\": \"all_reduce\"") != std::string::npos, "the recorder shows no all_reduce");
  }));
}

TEST(DataParallel, GradientsAreViewsOfBucketsAndNothingIsCopied) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(3, kWidth, 1);
    Closing d{parallel_over(net, g, small_buckets())};
    auto step = [&](int s) {
      d->prepare();
      back(loss_of(net, batch(s, kRows, kWidth, g.rank(), 2)));
    };
    step(0);
    const int64_t first = d->info().copies;
    want(first == 6, "the first step copies each gradient once");
    std::vector<const void*> where;
    for (const Tensor& t : gradients(net)) where.push_back(t.data<char>());
    for (int s = 1; s < 4; ++s) {
      for (NamedTensor& n : net.parameters) ops::fill_(gradient_of(n.tensor), 0);
      step(s);
    }
    want(d->info().copies == first, "zeroed gradients were copied");
    for (size_t i = 0; i < 6; ++i) want(gradient_of(net[i]).data<char>() == where[i], "a gradient moved");
    // Replaced by the user, or cleared: it lies in its bucket again afterwards, and is the same.
    set_gradient(net[0], ops::zeros(Shape{kWidth, kWidth}));
    set_gradient(net[1], {});
    for (size_t i = 2; i < 6; ++i) ops::fill_(gradient_of(net[i]), 0);
    step(3);
    want(d->info().copies == first + 2, "two were replaced");
    for (size_t i = 0; i < 6; ++i) want(gradient_of(net[i]).data<char>() == where[i], "it is no view");
    Net alone(3, kWidth, 1);
    back(loss_of(alone, batch(3, kRows, kWidth)));
    want(largest_difference(gradients(net), gradients(alone)) < 1e-6, "wrong gradients");
  }));
}

// Registration says one order, the graph of rank 0 another, and that of rank 1 a third.
TEST(DataParallel, BucketsFollowTheOrderOfRankZero) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(6, kWidth, 1);
    Closing d{parallel_over(net, g, small_buckets())};
    const std::vector<size_t> zero{3, 0, 5, 2, 1, 4}, one{0, 1, 2, 3, 4, 5};
    for (int s = 0; s < 4; ++s) {
      net.clear();
      d->prepare();
      Tensor x = batch(s, kRows, kWidth, g.rank(), 2), sum;
      for (size_t i : g.rank() ? one : zero) {
        Tensor y = ops::mean(net.layer(i, x));
        sum = sum.defined() ? ops::add(sum, y) : y;
      }
      back(sum);
    }
    want(d->info().rebuilt, "not rebuilt");
    want_same_bits(g, gradients(net));
    Net alone(6, kWidth, 1);
    Tensor sum = ops::zeros(Shape{});
    for (size_t i = 0; i < 6; ++i) sum = ops::add(sum, ops::mean(alone.layer(i, batch(3, kRows, kWidth))));
    back(sum);
    want(largest_difference(gradients(net), gradients(alone)) < 1e-6, "wrong gradients");
  }));
}

TEST(DataParallel, ModelsThatDifferAreNamed) {
  auto told = [](auto&& change) {
    std::vector<std::string> texts(3);
    expect_none(run_threads(3, [&](Group& g) {
      Net net(2, 4, 1);
      if (g.rank() == 2) change(net);
      texts[size_t(g.rank())] = failure_of([&] { parallel_over(net, g)->close(); });
    }));
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
    return texts[0];
  };
  EXPECT_EQ(told([](Net& n) { n.parameters[2].name = "extra.weight"; }),
            "25: data parallel: models differ: rank 0 has \"1.weight float32 [4, 4] trained\", rank 2 has "
            "\"extra.weight float32 [4, 4] trained\"");
  EXPECT_NE(told([](Net& n) {
              n.parameters[1].tensor = normal({5}, 1);
            }).find("\"0.bias float32 [4] trained\", rank 2 has \"0.bias float32 [5]\""),
            std::string::npos);
  EXPECT_NE(told([](Net& n) {
              n.parameters.pop_back();
            }).find("\"1.bias float32 [4] trained\", rank 2 has nothing"),
            std::string::npos);
}

// ---- unused parameters ----

TEST(Unused, AreFoundOnSomeRanksOrOnAll) {
  for (bool view : {true, false})
    expect_none(run_threads(3, [&](Group& g) {
      Net net(5, kWidth, 1);
      DataParallelOptions o = small_buckets();
      o.find_unused = true;
      o.bucket_view = view;
      Closing d{parallel_over(net, g, o)};
      for (int s = 0; s < 4; ++s) {
        net.clear();
        d->prepare();
        Tensor x = batch(s, kRows, kWidth, g.rank(), 3);
        // Layer 4 nowhere; 1 on rank 0, 2 on the others; 3 on rank 2 alone in odd steps.
        Tensor y = net.layer(0, x);
        y = net.layer(g.rank() ? 2 : 1, y);
        if (g.rank() == 2 && s % 2) y = net.layer(3, y);
        back(ops::mean(y));
        want(!gradient_of(net[8]).defined() && !gradient_of(net[9]).defined(),
             "used nowhere, and has a gradient");
        want(gradient_of(net[6]).defined() == (s % 2), concat("layer 3 in step ", s));
        for (size_t i = 0; i < 6; ++i) want(gradient_of(net[i]).defined(), "used somewhere, and has none");
        want(d->info().unused == (s % 2 ? 2 : 4), concat("unused: ", d->info().unused));
        std::vector<Tensor> there;
        for (const Tensor& t : gradients(net))
          if (t.defined()) there.push_back(t);
        want_same_bits(g, there);
        Net alone(5, kWidth, 1);  // a third of what rank 0 has
        Tensor mine = ops::mean(alone.layer(1, alone.layer(0, batch(s, kRows, kWidth, 0, 3))));
        back(ops::div_scalar(mine, 3));
        want(largest_difference(std::vector{gradient_of(net[2])}, std::vector{gradient_of(alone[2])}) < 1e-6,
             "layer 1");
      }
    }));
}

TEST(Unused, WithoutFindingTheNextStepNamesThem) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(3, 4, 1);
    Closing d{parallel_over(net, g)};
    auto part = [&] { back(ops::mean(net.layer(2, net.layer(0, batch(0, 4, 4))))); };
    d->prepare();
    part();
    const std::string text = failure_of([&] { d->prepare(); });
    want(text ==
             "11: data parallel: the gradients of the last step were not joined, since these parameters got "
             "none: \"1.weight\", \"1.bias\"",
         text);
    // Nothing was under way: the next step is a step like any other.
    net.clear();
    d->prepare();
    back(loss_of(net, batch(0, kRows, 4, g.rank(), 2)));
    want_same_bits(g, gradients(net));
    // Two backwards over parts of the model are one step.
    d->prepare();
    net.clear();
    Tensor x = batch(1, kRows, 4, g.rank(), 2);
    back(ops::mean(net.layer(0, x)));
    want(d->info().steps == 1, "half a step");
    Tensor rest = ops::mean(net.layer(2, net.layer(1, x)));
    back(rest);
    want(d->info().steps == 2, "no step");
    want_same_bits(g, gradients(net));
  }));
}

TEST(Unused, TwiceInAStepIsNamed) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(2, 4, 1);
    Closing d{parallel_over(net, g)};
    Tensor x = batch(0, 4, 4);
    back(ops::mean(net.layer(0, x)));
    const std::string text = failure_of([&] { back(ops::mean(net.layer(0, x))); });
    want(text.starts_with("11: data parallel: \"0.") &&
             text.find("got a second gradient in one step") != std::string::npos &&
             text.find("before the first of \"1.weight\", \"1.bias\"") != std::string::npos,
         text);
  }));
}

TEST(Unused, AFrozenParameterMayComeBack) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(3, kWidth, 1);
    DataParallelOptions o = small_buckets();
    o.find_unused = true;
    Closing d{parallel_over(net, g, o)};
    for (int s = 0; s < 6; ++s) {
      net.clear();
      const bool frozen = s == 2 || s == 3;
      set_requires_grad(net[2], !frozen);
      d->prepare();
      back(loss_of(net, batch(s, kRows, kWidth, g.rank(), 2)));
      want(gradient_of(net[2]).defined() == !frozen, concat("step ", s));
    }
    want_same_bits(g, gradients(net));
  }));
}

// ---- accumulation ----

TEST(Accumulation, JoinsWhatCameTogether) {
  for (bool view : {true, false})
    expect_none(run_threads(2, [&](Group& g) {
      Net net(4, kWidth, 1);
      DataParallelOptions o = small_buckets();
      o.bucket_view = view;
      Closing d{parallel_over(net, g, o)};
      for (int round = 0; round < 3; ++round) {
        net.clear();
        const uint64_t before = g.issued();
        for (int s = 0; s < 3; ++s) {
          d->set_sync(s == 2);
          d->prepare();
          Tensor loss = loss_of(net, batch(3 * round + s, kRows, kWidth, g.rank(), 2));
          d->set_sync(true);  // what the forward pass found counts
          back(loss);
          if (s < 2) want(g.issued() == before, "something was joined");
        }
        want_same_bits(g, gradients(net));
        Net alone(4, kWidth, 1);
        for (int s = 0; s < 3; ++s) back(loss_of(alone, batch(3 * round + s, kRows, kWidth)));
        want(largest_difference(gradients(net), gradients(alone)) < 2e-6, "wrong sum");
      }
    }));
}

// Used in an earlier backward only, on one rank only.
TEST(Accumulation, RemembersWhatWasUsedBefore) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(3, kWidth, 1);
    DataParallelOptions o = small_buckets();
    o.find_unused = true;
    Closing d{parallel_over(net, g, o)};
    for (int s = 0; s < 2; ++s) {
      net.clear();
      Tensor x = batch(s, kRows, kWidth, g.rank(), 2);
      d->set_sync(false);
      d->prepare();
      back(ops::mean(net.layer(g.rank() ? 1 : 0, x)));
      d->set_sync(true);
      d->prepare();
      back(ops::mean(net.layer(0, x)));
      want(gradient_of(net[2]).defined(), "layer 1 has none");
      want(!gradient_of(net[4]).defined(), "layer 2 has one");
      want_same_bits(g, std::vector{gradient_of(net[0]), gradient_of(net[2])});
      want(at(ops::sum(ops::abs(gradient_of(net[2]))), 0) > 0, "layer 1's is 0");
    }
  }));
}

// ---- graphs of other shapes ----

// A backward inside of the backward, which reaches a layer again.
Tensor nested(Net& net, size_t layer, const Tensor& x) {
  auto f = make_ref<CustomFunction>();
  f->name = "Nested";
  f->forward = [&net, layer](FunctionContext& c, std::span<const Tensor> in) {
    c.save(in[0]);
    NoGradGuard off;
    return std::vector{net.layer(layer, in[0])};
  };
  f->backward = [&net, layer](FunctionContext& c, std::span<const Tensor> g) {
    ScopedValue<bool> on(thread_state().grad_enabled, true);
    Tensor x = ops::clone(c.saved(0));
    x = shallow_copy(*x.impl());
    set_requires_grad(x, true);
    Tensor y = net.layer(layer, x);
    backward(std::span(&y, 1), g);
    return std::vector{gradient_of(x)};
  };
  return apply_function(f, std::span(&x, 1))[0];
}

TEST(StaticGraph, WaitsForTheLastOfSeveralGradients) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(4, kWidth, 1);
    DataParallelOptions o = small_buckets();
    o.static_graph = true;
    Closing d{parallel_over(net, g, o)};
    for (int s = 0; s < 4; ++s) {
      net.clear();
      d->prepare();
      Tensor x = batch(s, kRows, kWidth, g.rank(), 2);
      set_requires_grad(x, true);
      back(ops::mean(nested(net, 1, net.layer(2, nested(net, 1, net.layer(0, x))))));
      want_same_bits(g, std::vector{gradient_of(net[0]), gradient_of(net[2]), gradient_of(net[4])});
      want(!gradient_of(net[6]).defined(), "layer 3 has a gradient");
      Net alone(4, kWidth, 1);
      Tensor all = batch(s, kRows, kWidth);
      back(ops::mean(alone.layer(1, alone.layer(2, alone.layer(1, alone.layer(0, all))))));
      for (size_t i = 0; i < 6; ++i)
        want(largest_difference(std::vector{gradient_of(net[i])}, std::vector{gradient_of(alone[i])}) < 1e-6,
             concat("gradient ", i));
    }
    // Another graph than the first is refused.
    net.clear();
    d->prepare();
    Tensor x = batch(9, kRows, kWidth, g.rank(), 2);
    const std::string text = failure_of([&] { back(ops::mean(net.layer(2, net.layer(0, x)))); });
    want(text.find("the graph was said to be static, and \"1.weight\" got 0 gradients in this step, 2 in the "
                   "first") != std::string::npos,
         text);
  }));
}

TEST(Graphs, SharedWeightsAndANestedBackward) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(3, kWidth, 1);
    Closing d{parallel_over(net, g, small_buckets())};
    Net alone(3, kWidth, 1);
    for (int s = 0; s < 3; ++s) {
      auto loss = [&](Net& n, Tensor x, bool inside) {
        Tensor y = n.layer(0, n.layer(0, x));
        y = inside ? nested(n, 1, y) : n.layer(1, y);
        return ops::mean(n.layer(2, y));
      };
      net.clear();
      alone.clear();
      d->prepare();
      back(loss(net, batch(s, kRows, kWidth, g.rank(), 2), true));
      back(loss(alone, batch(s, kRows, kWidth), false));
      want(largest_difference(gradients(net), gradients(alone)) < 1e-6, "wrong gradients");
      want_same_bits(g, gradients(net));
    }
  }));
}

TEST(Graphs, DerivativesOfGradientsAreTakenWithGrad) {
  expect_none(run_threads(2, [&](Group& g) {
    auto penalty = [](Net& n, Tensor x) {
      set_requires_grad(x, true);
      Tensor y = ops::sum(n.forward(x));
      BackwardOptions o;
      o.create_graph = true;
      Tensor dx = grad(std::span(&y, 1), std::span(&x, 1), {}, o)[0];
      return ops::mean(ops::square(dx));
    };
    Net net(2, kWidth, 1), alone(2, kWidth, 1);
    Closing d{parallel_over(net, g)};
    d->prepare();
    // The last bias takes part through its place in tanh; all have gradients.
    back(penalty(net, ops::clone(batch(0, kRows, kWidth, g.rank(), 2))));
    back(penalty(alone, ops::clone(batch(0, kRows, kWidth))));
    want(largest_difference(gradients(net), gradients(alone)) < 1e-6, "wrong gradients");
    net.clear();
    BackwardOptions o;
    o.create_graph = true;
    Tensor loss = loss_of(net, batch(1, kRows, kWidth, g.rank(), 2));
    d->prepare();
    const std::string text = failure_of([&] { backward(std::span(&loss, 1), {}, o); });
    want(text.find("was recorded (create_graph)") != std::string::npos, text);
    net.clear();  // gradients with a graph and their parameters hold each other
    d->set_sync(false);
    d->prepare();
    loss = loss_of(net, batch(1, kRows, kWidth, g.rank(), 2));
    backward(std::span(&loss, 1), {}, o);
    want(gradient_of(net[0]).requires_grad(), "not recorded");
    net.clear();
  }));
}

TEST(Graphs, ABackwardThatFailsLeavesTheNextStepWhole) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(3, kWidth, 1);
    Closing d{parallel_over(net, g)};
    for (int s = 0; s < 3; ++s) {
      net.clear();
      d->prepare();
      Tensor y = net.layer(0, batch(s, kRows, kWidth, g.rank(), 2));
      if (s == 1) add_hook(y, [](const Tensor&) -> Tensor { fail(Code::callback, "no more"); });
      y = ops::mean(net.layer(2, net.layer(1, y)));
      if (s == 1) {
        want(failure_of([&] { back(y); }).find("no more") != std::string::npos, "it did not fail");
        continue;
      }
      back(y);
    }
    want_same_bits(g, gradients(net));
  }));
}

TEST(Precision, BucketsOfSeveralTypes) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(2, kWidth, 1, DType::bf16);
    Net more(2, kWidth, 2, DType::f16);
    for (NamedTensor& n : more.parameters) net.parameters.push_back({concat("more.", n.name), n.tensor});
    Net full(1, kWidth, 3);
    for (NamedTensor& n : full.parameters) net.parameters.push_back({concat("full.", n.name), n.tensor});
    DataParallelOptions o = small_buckets(600);
    o.find_unused = true;  // the last bucket carries the bits in its own type
    Closing d{parallel_over(net, g, o)};
    for (int s = 0; s < 3; ++s) {
      net.clear();
      d->prepare();
      back(ops::mean(net.forward(batch(s, kRows, kWidth, g.rank(), 2))));
      want_same_bits(g, gradients(net));
    }
    Net alone(2, kWidth, 1, DType::bf16);
    Net alone_more(2, kWidth, 2, DType::f16), alone_full(1, kWidth, 3);
    for (Net* n : {&alone_more, &alone_full})
      for (NamedTensor& p : n->parameters) alone.parameters.push_back(p);
    back(ops::mean(alone.forward(batch(2, kRows, kWidth))));
    for (size_t i = 0; i < net.parameters.size(); ++i) {
      want(gradient_of(net[i]).dtype() == net[i].dtype(), "type");
      want(largest_difference(std::vector{gradient_of(net[i])}, std::vector{gradient_of(alone[i])}) < 3e-4,
           net.parameters[i].name);
    }
  }));
}

// ---- buffers, uneven inputs ----

TEST(Buffers, AreThoseOfRankZeroInEachForwardPass) {
  expect_none(run_threads(3, [&](Group& g) {
    Net net(1, 4, 1);
    Tensor mean = filled({3}, DType::f32, g.rank()), count = filled({}, DType::i64, 10 * g.rank());
    Closing d{parallel_over(net, g, {}, {{"mean", mean}, {"count", count}})};
    want(at(mean, 2) == 0 && at(count, 0) == 0, "not at the beginning");
    ops::fill_(mean, 5 + g.rank());
    ops::fill_(count, 7 + g.rank());
    {
      NoGradGuard off;  // an evaluation is a rank's own business
      if (g.rank() == 1) d->prepare();
    }
    d->set_sync(false);
    d->prepare();
    want(at(mean, 0) == 5 + g.rank(), "joined in no_sync");
    d->set_sync(true);
    d->prepare();
    want(at(mean, 0) == 5 && at(count, 0) == 7, "rank 0's");
  }));
}

TEST(Join, RanksThatRunOutGoOnWithTheOthers) {
  const int steps[] = {5, 3, 7};
  for (bool by_world : {true, false})
    for (bool find_unused : {false, true})
      expect_none(run_threads(3, [&](Group& g) {
        DataParallelOptions o = small_buckets();
        o.find_unused = find_unused;
        Net net(3, kWidth, 1 + g.rank()), alone(3, kWidth, 1);
        Tensor buffer = filled({1}, DType::f32, 0);
        Closing d{parallel_over(net, g, o, {{"steps", buffer}})};
        const OptionValues rate{{"lr", 0.1}};
        Ref<Optimizer> opt = make_optimizer(OptimizerId::SGD, net.tensors(), rate),
                       single = make_optimizer(OptimizerId::SGD, alone.tensors(), rate);
        d->join_begin(by_world, false);
        for (int s = 0; s < steps[g.rank()]; ++s) {
          opt->zero_grad();
          d->set_sync(s != 1);  // a step that nobody joins, whose gradients are thrown away
          d->prepare();
          back(loss_of(net, batch(s, kRows, kWidth, g.rank(), 3)));
          if (s != 1) opt->step();
          ops::fill_(buffer, s + 1);
        }
        d->join_end();
        for (int s = 0; s < 7; ++s) {
          if (s == 1) continue;
          single->zero_grad();
          int active = 0;
          for (int r = 0; r < 3; ++r) active += s < steps[r];
          for (int r = 0; r < 3; ++r)
            if (s < steps[r])
              back(ops::div_scalar(loss_of(alone, batch(s, kRows, kWidth, r, 3)), by_world ? 3 : active));
          single->step();
        }
        want_same_bits(g, net.tensors());
        want(largest_difference(net.tensors(), alone.tensors()) < 1e-6, "wrong parameters");
        want(at(buffer, 0) == 7, "the last rank's buffers");
        // And training goes on as before.
        d->prepare();
        back(loss_of(net, batch(9, kRows, kWidth, g.rank(), 3)));
        want_same_bits(g, gradients(net));
      }));
}

TEST(Join, MayEndWithTheFirstThatRunsOut) {
  expect_none(run_threads(2, [&](Group& g) {
    Net net(1, 4, 1);
    Closing d{parallel_over(net, g)};
    d->join_begin(true, true);
    const std::string text = failure_of([&] {
      for (int s = 0; s < 2 + g.rank(); ++s) {
        d->prepare();
        back(loss_of(net, batch(s, 4, 4)));
      }
      d->join_end();
    });
    want(text.starts_with("22: data parallel: 1 of 2 ranks have no more data"), text);
  }));
}

}  // namespace
