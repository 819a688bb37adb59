// What services rely on in sessions: models exchanged safely, who is to blame, cancelling from outside, memory limits.
#include <haft/haft.hpp>

#include <atomic>
#include <future>
#include <thread>

#include "capi_testing.h"

namespace {

using haft::Session;
using haft::SessionOptions;
using haft::Tensor;
using haft::nn::Module;
using SessionService = CapiTest;

SessionOptions with(int64_t max_batch) {
  SessionOptions o;
  o.max_batch = max_batch;
  o.workers = 1;
  return o;
}

TEST_F(SessionService, UpdateUnderLoad) {
  auto constant = [](float v) {
    haft::NoGrad off;
    Module m = haft::nn::Linear(1, 2);
    m.parameter("weight").write(std::vector<float>{0, 0});
    m.parameter("bias").write(std::vector<float>{v, v});
    return m;
  };
  std::vector<Module> modules = {constant(0), constant(1), constant(2)};
  SessionOptions options = with(8);
  options.max_delay_us = 100;
  options.workers = 2;
  Session session(modules[0], options);
  std::atomic<bool> stop{false};
  std::atomic<int> mixed{0}, calls{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        auto y = session(haft::ones({2, 1})).to_vector<float>();
        mixed += y[0] != y[1] || y[0] != y[3];
        ++calls;
      }
    });
  for (int i = 1; i <= 30; ++i) {
    session.update(modules[size_t(i % 3)]);
    // What starts from now on has the new one.
    EXPECT_EQ(session(haft::ones({1, 1})).to_vector<float>()[0], float(i % 3));
  }
  stop = true;
  for (auto& t : threads) t.join();
  EXPECT_EQ(mixed, 0);
  EXPECT_GT(calls, 0);
  modules[1].train();  // free again
  EXPECT_EQ(code_of([&] { modules[0].train(); }), HAFT_ERROR_BUSY);
  session.update(modules[1]);
  EXPECT_FALSE(modules[1].is_training());
}

// Of a session whose module has answered float32 [?, 3] by [?, 2].
TEST_F(SessionService, AnUpdateThatDoesNotFitLeavesTheOldModule) {
  for (int64_t max_batch : {1, 8}) {
    Session session(haft::nn::Linear(3, 2), with(max_batch));
    session.update(haft::nn::Linear(5, 7));  // nothing is known yet
    session.update(haft::nn::Linear(3, 2));
    session(haft::ones({4, 3}));
    const auto before = session(haft::ones({1, 3})).to_vector<float>();
    try {
      session.update(haft::nn::Linear(3, 5));
      ADD_FAILURE() << "other sizes";
    } catch (const haft::Error& e) {
      EXPECT_EQ(e.code(), HAFT_ERROR_SHAPE);
      EXPECT_NE(e.message().find("answers float32 ["), std::string::npos) << e.message();
      EXPECT_NE(e.message().find("5] for inputs of float32 ["), std::string::npos) << e.message();
    }
    EXPECT_EQ(code_of([&] { session.update(haft::nn::Linear(4, 2)); }), HAFT_ERROR_SHAPE);
    EXPECT_EQ(
        code_of([&] {
          session.update(haft::nn::Callback("Half", [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
            return {haft::to(haft::narrow(x[0], 1, 0, 2), HAFT_FLOAT64)};
          }));
        }),
        HAFT_ERROR_DTYPE);
    EXPECT_EQ(session(haft::ones({1, 3})).to_vector<float>(), before);
    session.update(haft::nn::Linear(3, 2));
    EXPECT_EQ(session.metrics().failed + session.metrics().invalid, 0);
  }
}

// What clients send that no module could take is theirs; what fails like inputs that were answered is the module's.
TEST_F(SessionService, MistakesOfClientsAreNoFailures) {
  std::atomic<bool> breaks{false};
  Module own = haft::nn::Callback("Own", [&](const std::vector<Tensor>& x) -> std::vector<Tensor> {
    if (breaks) haft::check(haft_error_set(HAFT_ERROR_SHAPE, "broken", 0));
    return {haft::matmul(x[0], haft::ones({3, 2}))};
  });
  for (const Module& module : {Module(haft::nn::Linear(3, 2)), own}) {
    Session session(module, with(4));
    EXPECT_NE(code_of([&] { session(haft::ones({1, 5})); }), HAFT_OK);
    session(haft::ones({1, 3}));
    EXPECT_NE(code_of([&] { session(haft::ones({1, 4})); }), HAFT_OK);
    EXPECT_NE(code_of([&] { session(haft::ones({1, 7})); }), HAFT_OK);
    EXPECT_EQ(code_of([&] { session(haft::ones({})); }), HAFT_ERROR_SHAPE);  // no rows
    EXPECT_EQ(session.metrics().invalid, 4);
    EXPECT_EQ(session.metrics().failed, 0);
    expect_balanced(session.metrics());
  }
  Session session(own, with(1));
  session(haft::ones({1, 3}));
  breaks = true;
  EXPECT_NE(code_of([&] { session(haft::ones({1, 3})); }), HAFT_OK);
  EXPECT_EQ(session.metrics().failed, 1);
  EXPECT_EQ(session.metrics().invalid, 0);
}

TEST_F(SessionService, ATokenOfItsOwnCancelsARun) {
  std::promise<void> inside, go;
  Session session(haft::nn::Callback("Gate",
                                     [&, open = go.get_future().share()](
                                         const std::vector<Tensor>& x) -> std::vector<Tensor> {
                                       inside.set_value();
                                       open.wait();
                                       return {x[0] * 2.0};
                                     }),
                  with(1));
  haft::CancelToken waiting, running;
  std::vector<haft_status> codes(2);
  std::thread a([&] { codes[0] = code_of([&] { session.run_cancellable(haft::ones({1, 2}), running); }); });
  inside.get_future().wait();
  std::thread b([&] {
    codes[1] = code_of([&] { session.run_cancellable(std::vector<Tensor>{haft::ones({1, 2})}, waiting); });
  });
  while (session.metrics().queue_length == 0) std::this_thread::yield();
  waiting.cancel();
  b.join();
  EXPECT_EQ(codes[1], HAFT_ERROR_CANCELLED);
  running.cancel();
  go.set_value();
  a.join();
  EXPECT_EQ(codes[0], HAFT_ERROR_CANCELLED);
  EXPECT_EQ(code_of([&] { session.run_cancellable(haft::ones({1, 2}), waiting); }), HAFT_ERROR_CANCELLED);
  EXPECT_EQ(session.metrics().cancelled, 3);
  expect_balanced(session.metrics());
}

// A program that holds results by its collector is asked for them before the session's limit says no.
TEST_F(SessionService, TheMemoryLimitAsksFirst) {
  SessionOptions options = with(1);
  options.memory_limit = 64 << 10;
  Session session(haft::nn::ReLU(), options);
  std::vector<Tensor> garbage;
  const int64_t id = haft::add_memory_pressure_callback(INT64_MAX, [&](int64_t) { garbage.clear(); });
  for (int i = 0; i < 100; ++i) garbage.push_back(session(haft::ones({1, 1024})));
  EXPECT_EQ(session.metrics().completed, 100);
  haft_memory_remove_pressure_callback(id);
  try {
    while (garbage.size() < 100) garbage.push_back(session(haft::ones({1, 1024})));
    ADD_FAILURE() << "no limit";
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.argument(), "memory_limit");
  }
}

// Weights as the library wants them are copies that go with the model. What is held in between takes the place of
// what was let go of, so that every model lies elsewhere.
TEST_F(SessionService, ModelsLeaveNothing) {
  auto model = [] {
    return haft::nn::Sequential(
        {haft::nn::Conv2d(32, 32, 3, {1, 1}), haft::nn::Flatten(), haft::nn::Linear(512, 512)});
  };
  auto round = [&] {
    Session session(model(), with(4));
    for (int version = 0; version < 2; ++version) {
      for (int i = 0; i < 6; ++i) session(haft::ones({4, 32, 4, 4}));
      session.update(model());
    }
    session.close();
  };
  auto live = [] { return haft::memory_stats().live; };
  round();
  const int64_t before = live();
  std::vector<Tensor> held;
  for (int i = 0; i < 6; ++i) {
    round();
    for (const auto& p : model().parameters()) held.push_back(haft::empty_like(p));
  }
  held.clear();
  EXPECT_EQ(live(), before);
}

}  // namespace
