// Recorded device work through the C interface: what replays do, what cannot be recorded, whose recording it is.
#include <limits>
#include <thread>

#include "capi_testing.h"

namespace {

struct DeviceGraphs : CapiTest {
  haft_device sim() {
    haft::load_backend(HAFT_SIM_DEVICE);
    return haft::device("sim:0");
  }
  static std::vector<float> values(const Tensor& t) {
    return haft::to(t, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>();
  }
  static Tensor numbers(std::vector<float> v, haft_device d) {
    return haft::to(Tensor::from(v), HAFT_DTYPE_NONE, d);
  }
};

TEST_F(DeviceGraphs, ReplaysReadAndWriteTheSameMemory) {
  const haft_device d = sim();
  haft::DeviceGraph g(d);
  EXPECT_FALSE(g.is_ready());
  EXPECT_FAILS(haft_device_graph_replay(g.get()), HAFT_ERROR_INVALID_ARGUMENT, "nothing is recorded");
  Tensor x = numbers({1, 2, 3}, d), y;
  haft::synchronize(d);
  g.record([&] { y = haft::mul(haft::add(x, x), x); });
  EXPECT_TRUE(g.is_ready());
  g.replay();
  EXPECT_EQ(values(y), (std::vector<float>{2, 8, 18}));
  haft::copy_(x, numbers({3, 0, 1}, d));
  g.replay();
  EXPECT_EQ(values(y), (std::vector<float>{18, 0, 2}));
  g.record([&] { y = haft::neg(x); });  // in its place
  g.replay();
  EXPECT_EQ(values(y), (std::vector<float>{-3, 0, -1}));
}

TEST_F(DeviceGraphs, AWholeStepGoesOnWithItsOptimizerAndItsNumbers) {
  const haft_device d = sim();
  auto train = [&](bool recorded) {
    haft::manual_seed(4);
    Tensor w = haft::to(haft::ones({8}), HAFT_DTYPE_NONE, d).set_requires_grad(true);
    haft::optim::Optimizer o = haft::optim::adam({w}, 0.1);
    auto step = [&] {
      o.zero_grad();
      haft::sum(haft::square(haft::dropout(w, 0.5, true))).backward();
      o.step();
    };
    step();
    const haft::DeviceGraph g(d);
    haft::manual_seed(5);
    for (int i = 0; i < 4; ++i) {
      o.set_lr(0.1 / (i + 1));
      if (!recorded) {
        step();
        continue;
      }
      if (i == 0) {
        g.record(step);
        haft::manual_seed(5);
      }
      g.replay();
    }
    return values(haft::detach(w));
  };
  const std::vector<float> wanted = train(false), got = train(true);
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-5);
}

// What a step with an infinite gradient would have been is decided where the gradients are.
TEST_F(DeviceGraphs, AScalersStepIsRecorded) {
  const haft_device d = sim();
  Tensor w = haft::to(haft::zeros({1}), HAFT_DTYPE_NONE, d).set_requires_grad(true), x = numbers({1}, d);
  haft::optim::Optimizer o = haft::optim::sgd({w}, 1.0);
  const haft::GradScaler scaler(8, 2, 0.5, 2);
  auto step = [&] {
    o.zero_grad();
    scaler.scale(haft::sum(haft::mul(w, x))).backward();
    EXPECT_TRUE(scaler.step(o));
    scaler.update();
  };
  step();
  const haft::DeviceGraph g(d);
  g.record(step);
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> factors{1, infinity, 2}, weights{-2, -2, -4}, scales{16, 8, 8};
  for (size_t i = 0; i < factors.size(); ++i) {
    haft::copy_(x, numbers({factors[i]}, d));
    g.replay();
    EXPECT_EQ(values(haft::detach(w)), std::vector<float>{weights[i]});
    EXPECT_EQ(scaler.get_scale(), scales[i]);
  }
  EXPECT_EQ(o.state(0, "step").item(), 3);
}

// A recording belongs to its thread, and ends with it: the stream is free for others.
TEST_F(DeviceGraphs, AThreadThatEndsWhileItRecords) {
  const haft_device d = sim();
  haft::DeviceGraph g(d);
  Tensor x = numbers({1, 2}, d), y;
  haft::synchronize(d);
  std::thread([&] {
    g.begin();
    y = haft::add(x, x);
  }).join();
  EXPECT_FALSE(g.is_ready());
  EXPECT_FAILS(haft_device_graph_end(g.get()), HAFT_ERROR_INVALID_ARGUMENT,
               "the thread that recorded this graph has ended");
  EXPECT_FAILS(haft_device_graph_discard(g.get()), HAFT_ERROR_INVALID_ARGUMENT, "has ended");
  EXPECT_FAILS(haft_device_graph_replay(g.get()), HAFT_ERROR_INVALID_ARGUMENT, "nothing is recorded");
  // Waits for the stream, which records no more.
  EXPECT_EQ(values(haft::mul(x, x)), (std::vector<float>{1, 4}));
  g.record([&] { y = haft::mul(haft::add(x, x), x); });
  g.replay();
  EXPECT_EQ(values(y), (std::vector<float>{2, 8}));
  {
    haft::DeviceGraph gone(d);  // its handle alone does not keep it
    std::thread([&] { gone.begin(); }).join();
  }
  EXPECT_EQ(values(haft::neg(x)), (std::vector<float>{-1, -2}));
}

TEST_F(DeviceGraphs, ShareMemory) {
  const haft_device d = sim();
  const haft::DeviceGraph pool(d), first(d), second(d), alone(d);
  Tensor x = numbers({1, 2, 3}, d), y, z, w;
  haft::synchronize(d);
  void *place = nullptr, *other = nullptr, *own = nullptr;
  const auto work = [&](Tensor& out, void** at) {
    const Tensor between = haft::add(x, x);  // gone when the recording is over
    ASSERT_EQ(haft_tensor_get_data(between.get(), at), HAFT_OK);
    out = haft::mul(between, x);
  };
  first.begin_sharing(pool);
  work(y, &place);
  std::thread([&] {
    EXPECT_FAILS(haft_device_graph_begin_sharing(second.get(), pool.get()), HAFT_ERROR_BUSY,
                 "in this memory");
  }).join();
  first.end();
  second.begin_sharing(first);
  work(z, &other);
  second.end();
  alone.record([&] { work(w, &own); });
  EXPECT_EQ(place, other);
  EXPECT_NE(place, own);
  for (const auto* g : {&first, &second, &alone}) g->replay();
  for (const Tensor& t : {y, z, w}) EXPECT_EQ(values(t), (std::vector<float>{2, 8, 18}));
  EXPECT_FAILS(haft_device_graph_begin_sharing(first.get(), haft::DeviceGraph(haft::device("sim:1")).get()),
               HAFT_ERROR_DEVICE, "sim:1");
  second.begin_sharing(second);  // anew where it was
  work(z, &other);
  second.end();
  second.replay();
  EXPECT_EQ(values(z), (std::vector<float>{2, 8, 18}));
}

TEST_F(DeviceGraphs, WhatWaitsIsRefusedByItsName) {
  const haft_device d = sim();
  haft::DeviceGraph g(d);
  Tensor x = numbers({1, 0}, d);
  haft::synchronize(d);
  g.begin();
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_nonzero(x.get(), &out), HAFT_ERROR_UNSUPPORTED, "[nonzero]");
  EXPECT_FAILS(haft_device_graph_begin(g.get()), HAFT_ERROR_BUSY, "is being recorded");
  haft::DeviceGraph other(d);
  EXPECT_FAILS(haft_device_graph_begin(other.get()), HAFT_ERROR_BUSY, "this thread records another graph");
  std::thread([&] {
    EXPECT_FAILS(haft_device_graph_end(g.get()), HAFT_ERROR_INVALID_ARGUMENT, "another thread");
  }).join();
  g.discard();
  EXPECT_FALSE(g.is_ready());
  EXPECT_FAILS(haft_device_graph_end(g.get()), HAFT_ERROR_INVALID_ARGUMENT, "nothing is being recorded");
  EXPECT_THROW(g.record([&] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_EQ(values(haft::add(x, x)), (std::vector<float>{2, 0}));  // the thread works on
  haft_device_graph* none = nullptr;
  EXPECT_FAILS(haft_device_graph_create(HAFT_DEVICE_CPU, &none), HAFT_ERROR_UNSUPPORTED, "records no graphs");
}

}  // namespace
