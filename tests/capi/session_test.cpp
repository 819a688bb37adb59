// Sessions as a service uses them: many threads, batches, limits, cancelling, metrics, weights exchanged and
// sessions closed under load.
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "capi_testing.h"

namespace {

using haft::CancelScope;
using haft::CancelToken;
using haft::Request;
using haft::Session;
using haft::SessionOptions;
using haft::nn::Module;
using Clock = std::chrono::steady_clock;
using Sessions = CapiTest;

Module perceptron(int64_t in = 20, int64_t out = 7) {
  return haft::nn::Sequential({haft::nn::Linear(in, 32), haft::nn::ReLU(), haft::nn::Linear(32, out)});
}
SessionOptions with(int64_t max_batch, int64_t delay_us = 0, int workers = 1) {
  SessionOptions o;
  o.max_batch = max_batch;
  o.max_delay_us = delay_us;
  o.workers = workers;
  return o;
}
Tensor rows(int64_t n, int64_t width = 20) { return haft::randn({n, width}); }
void expect_close(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.sizes(), want.sizes());
  auto a = got.to_vector<float>(), b = want.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5 * (1 + std::abs(b[i])));
}
template <class F>
void eventually(F&& f) {
  for (int i = 0; i < 60000 && !f(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(f());
}

// A module that waits inside forward until the test lets it go, between two operators.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  int inside = 0, calls = 0, finished = 0;

  Module module() {
    return haft::nn::Callback("Gate", [this](const std::vector<Tensor>& in) {
      Tensor x = in[0] + 1.0;
      {
        std::unique_lock lock(mutex);
        ++inside;
        ++calls;
        changed.notify_all();
        changed.wait(lock, [&] { return open; });
        --inside;
      }
      x = x * 2.0;
      std::lock_guard lock(mutex);
      ++finished;
      return std::vector<Tensor>{x};
    });
  }
  void wait_inside(int n = 1) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside >= n; });
  }
  int entered() {
    std::lock_guard lock(mutex);
    return calls;
  }
  void let_go() {
    std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  void shut() {
    std::lock_guard lock(mutex);
    open = false;
  }
};

TEST_F(Sessions, RunsInC) {
  Module net = perceptron();
  haft_session* s = nullptr;
  haft_session_options options = HAFT_SESSION_OPTIONS_INIT;
  ASSERT_EQ(haft_session_create(net.get(), &options, &s), HAFT_OK);
  Tensor x = rows(3);
  haft_tensor *in = x.get(), *y = nullptr;
  int64_t count = 0;
  ASSERT_EQ(haft_session_run(s, &in, 1, HAFT_NONE, &y, 1, &count), HAFT_OK);
  EXPECT_EQ(count, 1);
  Tensor got(y);
  expect_close(got, net(x));
  EXPECT_FALSE(got.requires_grad());
  y = nullptr;
  EXPECT_FAILS(haft_session_run(s, &in, 1, HAFT_NONE, &y, 0, &count), HAFT_ERROR_INVALID_ARGUMENT, "room");
  EXPECT_EQ(y, nullptr);
  EXPECT_EQ(count, 1);
  count = 0;
  ASSERT_EQ(haft_session_run(s, &in, 1, HAFT_NONE, nullptr, 0, &count), HAFT_OK);  // only asks
  EXPECT_EQ(count, 1);
  haft_session_metrics m = HAFT_SESSION_METRICS_INIT;
  ASSERT_EQ(haft_session_get_metrics(s, &m), HAFT_OK);
  EXPECT_EQ(m.completed, 1);  // neither of the two has run
  haft_session_release(s);
}

TEST_F(Sessions, RefuseWrongOptionsAndArguments) {
  Module net = perceptron();
  haft_session* s = nullptr;
  auto expect_refused = [&](auto set, const char* name) {
    haft_session_options o = HAFT_SESSION_OPTIONS_INIT;
    set(o);
    EXPECT_FAILS(haft_session_create(net.get(), &o, &s), HAFT_ERROR_INVALID_ARGUMENT, name);
  };
  expect_refused([](auto& o) { o.max_batch = 0; }, "max_batch");
  expect_refused([](auto& o) { o.max_delay_us = -1; }, "max_delay_us");
  expect_refused([](auto& o) { o.max_queue = 0; }, "max_queue");
  expect_refused([](auto& o) { o.memory_limit = -1; }, "memory_limit");
  expect_refused([](auto& o) { o.timeout_us = 0; }, "timeout_us");
  expect_refused([](auto& o) { o.workers = 257; }, "workers");
  haft_session_options o = HAFT_SESSION_OPTIONS_INIT;
  o.struct_size = 3;
  EXPECT_FAILS(haft_session_create(net.get(), &o, &s), HAFT_ERROR_BAD_STRUCT, "struct_size");
  EXPECT_FAILS_AT(haft_session_create(net.get(), nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 2, "out");
  EXPECT_EQ(s, nullptr);

  Session session(net, with(4));
  Tensor x = rows(1);
  haft_tensor *in = x.get(), *y = nullptr;
  haft_request* r = nullptr;
  int64_t n = 0;
  EXPECT_FAILS_AT(haft_session_run(session.get(), &in, 1, -5, &y, 1, &n), HAFT_ERROR_INVALID_ARGUMENT, 3,
                  "timeout_us");
  EXPECT_FAILS_AT(haft_session_submit(session.get(), &in, 1, HAFT_NONE, nullptr, nullptr, nullptr, nullptr),
                  HAFT_ERROR_INVALID_ARGUMENT, 7, "out");
  EXPECT_FAILS(haft_session_submit(session.get(), nullptr, 0, HAFT_NONE, nullptr, nullptr, nullptr, &r),
               HAFT_ERROR_SHAPE, "needs an input");
  EXPECT_EQ(code_of([&] { session(haft::full({}, 1.0)); }), HAFT_ERROR_SHAPE);     // no rows
  EXPECT_EQ(code_of([&] { session.run({rows(2), rows(3)}); }), HAFT_ERROR_SHAPE);  // not as many
  EXPECT_EQ(code_of([&] { session(rows(2, 19)); }), HAFT_ERROR_SHAPE);             // the module's word
  EXPECT_EQ(haft_session_retain(reinterpret_cast<haft_session*>(net.get())), HAFT_ERROR_WRONG_HANDLE);
}

// The module is frozen: evaluation mode, and nobody changes it or a part of it.
TEST_F(Sessions, FreezeTheirModule) {
  Module net = haft::nn::Sequential({haft::nn::Linear(20, 8), haft::nn::Dropout(0.5)});
  EXPECT_TRUE(net.is_training());
  {
    Session a(net), b(net);
    EXPECT_FALSE(net.is_training());
    Tensor x = rows(4);
    expect_close(a(x), b(x));
    EXPECT_EQ(code_of([&] { net.train(); }), HAFT_ERROR_BUSY);
    EXPECT_EQ(code_of([&] { net["0"].to(HAFT_FLOAT64); }), HAFT_ERROR_BUSY);
    EXPECT_EQ(code_of([&] { net.append(haft::nn::ReLU()); }), HAFT_ERROR_BUSY);
  }
  net.train();
  EXPECT_TRUE(net.is_training());
}

TEST_F(Sessions, BatchesEqualSingleRuns) {
  Module conv = haft::nn::Sequential(
      {haft::nn::Conv2d(3, 16, 3), haft::nn::BatchNorm2d(16), haft::nn::ReLU(), haft::nn::Conv2d(16, 16, 3)});
  struct Case {
    Module net;
    std::function<Tensor(int64_t)> make;
  };
  std::vector<Case> cases = {{perceptron(), [](int64_t n) { return rows(n); }},
                             {conv, [](int64_t n) {
                                return haft::randn({n, 3, 9, 11});
                              }}};
  for (Case& c : cases) {
    Session session(c.net, with(6, 500000));  // all rows together
    constexpr int kThreads = 6;
    std::vector<Tensor> in(kThreads), out(kThreads);
    for (int i = 0; i < kThreads; ++i) in[size_t(i)] = c.make(i % 3);  // 0, 1 and 2 rows
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] { out[size_t(i)] = session(in[size_t(i)]); });
    for (auto& t : threads) t.join();
    for (int i = 0; i < kThreads; ++i) expect_close(out[size_t(i)], c.net(in[size_t(i)]));
    haft_session_metrics m = session.metrics();
    EXPECT_EQ(m.completed, kThreads);
    EXPECT_LT(m.batches, kThreads);
    EXPECT_GT(m.mean_batch, 1);
    // Apart: a result does not keep the batch's memory.
    for (int i = 1; i < kThreads; ++i) EXPECT_FALSE(out[size_t(i)].shares_memory(out[0]));
  }
}

TEST_F(Sessions, JoinWhatFits) {
  std::mutex mutex;
  std::vector<std::vector<int64_t>> seen;
  Module spy = haft::nn::Callback("Spy", [&](const std::vector<Tensor>& in) {
    std::lock_guard lock(mutex);
    seen.push_back(in[0].sizes());
    return std::vector<Tensor>{in[0] * 2.0, haft::sum(in[1], {1})};
  });
  Gate gate;
  Session session(spy, with(4, 3600000000));
  auto request = [&](int64_t n, int64_t width, haft_dtype t = HAFT_FLOAT32) {
    return session.submit({haft::ones({n, width}, t), haft::ones({n, 2})});
  };
  // 1 + 2 + 1 rows fill a batch; other widths and dtypes make their own; 6 rows run alone.
  std::vector<Request> rs = {request(1, 3), request(1, 5), request(2, 3),
                             request(1, 3), request(6, 3), request(4, 3, HAFT_FLOAT64)};
  for (int i : {0, 2, 3, 4, 5}) EXPECT_TRUE(rs[size_t(i)].wait(60000000));
  EXPECT_FALSE(rs[1].is_done());
  EXPECT_FALSE(rs[1].wait(1000));
  EXPECT_TRUE(session.drain(60000000));  // an incomplete batch waits no longer
  EXPECT_TRUE(rs[1].is_done());
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0], (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(seen.back(), (std::vector<int64_t>{1, 5}));
  auto out = rs[2].result();
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>(6, 2)));
  EXPECT_EQ(out[1].to_vector<float>(), (std::vector<float>(2, 2)));
  EXPECT_EQ(rs[2].result().size(), 2u);  // again
  expect_balanced(session.metrics());
}

TEST_F(Sessions, DelayIsBounded) {
  Session session(perceptron(), with(64, 20000));
  for (bool own : {true, false}) {
    auto start = Clock::now();
    if (own)
      session(rows(1));
    else
      session.submit({rows(1)}).result();
    auto took = Clock::now() - start;
    EXPECT_GE(took, std::chrono::milliseconds(19));
    EXPECT_LT(took, std::chrono::seconds(60));
  }
}

TEST_F(Sessions, ManyThreadsBothWays) {
  Module net = perceptron();
  for (int64_t max_batch : {1, 16}) {
    Session session(net, with(max_batch, max_batch > 1 ? 200 : 0, 2));
    constexpr int kThreads = 16, kCalls = 60;
    std::atomic<int> wrong{0}, answered{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        Tensor x = rows(1 + t % 3), want;
        {
          haft::NoGrad off;
          want = net(x);
        }
        auto expected = want.to_vector<float>();
        for (int i = 0; i < kCalls; ++i) {
          std::vector<Tensor> y;
          if (i % 3 == 0)
            y = session.submit({x}, [&](const Request&, haft_status s) { answered += s == HAFT_OK; })
                    .result();
          else
            y = session.run({x});
          auto got = y[0].to_vector<float>();
          for (size_t k = 0; k < got.size(); ++k) wrong += std::abs(got[k] - expected[k]) > 1e-5;
        }
      });
    for (auto& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(session.drain());  // callbacks, too
    EXPECT_EQ(answered, kThreads * kCalls / 3);
    haft_session_metrics m = session.metrics();
    EXPECT_EQ(m.completed, kThreads * kCalls);
    eventually([&] { return session.metrics().bytes_live == 0; });  // threads may still be letting go
    EXPECT_GT(m.bytes_peak, 0);
    EXPECT_LE(m.latency_p50_us, m.latency_p90_us);
    EXPECT_LE(m.latency_p90_us, m.latency_p99_us);
    EXPECT_LE(m.latency_p99_us, m.latency_max_us);
    EXPECT_GT(m.latency_p50_us, 0);
    expect_balanced(m);
  }
}

TEST_F(Sessions, AFullQueueRefuses) {
  Gate gate;
  SessionOptions o = with(1);
  o.max_queue = 2;
  Session session(gate.module(), o);
  Request running = session.submit({rows(1)});
  gate.wait_inside();
  Request a = session.submit({rows(1)}), b = session.submit({rows(1)});
  Tensor x = rows(1);
  haft_tensor *in = x.get(), *y = nullptr;
  haft_request* r = nullptr;
  int64_t n = 0;
  EXPECT_FAILS(haft_session_run(session.get(), &in, 1, HAFT_NONE, &y, 1, &n), HAFT_ERROR_QUEUE_FULL,
               "2 requests wait (max_queue)");
  EXPECT_NE(std::string(last_error().hint).find("raise max_queue"), std::string::npos);
  EXPECT_FAILS(haft_session_submit(session.get(), &in, 1, HAFT_NONE, nullptr, nullptr, nullptr, &r),
               HAFT_ERROR_QUEUE_FULL, "queue is full");
  haft_session_metrics m = session.metrics();
  EXPECT_EQ(m.refused, 2);
  EXPECT_EQ(m.queue_length, 2);
  EXPECT_EQ(m.queue_peak, 2);
  EXPECT_EQ(m.running, 1);
  gate.let_go();
  EXPECT_EQ(a.result().size(), 1u);
  EXPECT_EQ(b.result().size(), 1u);
  expect_close(running.result()[0], running.result()[0]);
  eventually([&] { return session.metrics().running == 0; });
  expect_balanced(session.metrics());
  session.reset_metrics();
  EXPECT_EQ(session.metrics().requests, 0);
  EXPECT_EQ(session.metrics().latency_max_us, 0);
}

TEST_F(Sessions, WaitingRequestsAreCancelled) {
  Gate gate;
  Session session(gate.module(), with(1));
  Request running = session.submit({rows(1)});
  gate.wait_inside();
  haft_status told = HAFT_OK;
  int calls = 0;
  Request waiting = session.submit({rows(1)}, [&](const Request& r, haft_status s) {
    told = s;
    ++calls;
    EXPECT_TRUE(r.is_done());
  });
  waiting.cancel();
  EXPECT_EQ(told, HAFT_ERROR_CANCELLED);  // on this thread, before it returns
  EXPECT_EQ(code_of([&] { waiting.result(); }), HAFT_ERROR_CANCELLED);
  waiting.cancel();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(session.metrics().queue_length, 0);
  gate.let_go();
  EXPECT_EQ(running.result().size(), 1u);
  running.cancel();  // too late
  EXPECT_EQ(running.result().size(), 1u);
  EXPECT_EQ(gate.calls, 1);
}

TEST_F(Sessions, RunningRequestsAreCancelledBetweenOperators) {
  Gate gate;
  Session session(gate.module(), with(1));
  Request r = session.submit({rows(1)});
  gate.wait_inside();
  r.cancel();
  EXPECT_TRUE(r.is_done());  // at once
  EXPECT_EQ(code_of([&] { r.result(); }), HAFT_ERROR_CANCELLED);
  EXPECT_EQ(session.metrics().running, 1);
  gate.let_go();
  EXPECT_TRUE(session.drain(60000000));
  EXPECT_EQ(gate.finished, 0);  // the second operator did not run
  expect_balanced(session.metrics());
}

// One of a batch is cancelled: the others get their results.
TEST_F(Sessions, ABatchGoesOnForTheOthers) {
  Gate gate;
  Session session(gate.module(), with(2, 60000000));
  Request a = session.submit({haft::ones({1, 2})}), b = session.submit({haft::ones({1, 2})});
  gate.wait_inside();
  a.cancel();
  gate.let_go();
  EXPECT_EQ(b.result()[0].to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_EQ(code_of([&] { a.result(); }), HAFT_ERROR_CANCELLED);
  gate.shut();
  Request c = session.submit({haft::ones({1, 2})}), d = session.submit({haft::ones({1, 2})});
  gate.wait_inside();
  c.cancel();
  d.cancel();
  gate.let_go();
  EXPECT_TRUE(session.drain(60000000));
  EXPECT_EQ(gate.finished, 1);
}

TEST_F(Sessions, TimeoutsWaitingAndRunning) {
  Gate gate;
  SessionOptions o = with(1);
  o.timeout_us = 30000;
  Session session(gate.module(), o);
  Request running = session.submit({rows(1)}, INT64_MAX);
  gate.wait_inside();
  EXPECT_EQ(code_of([&] { session(rows(1)); }), HAFT_ERROR_TIMEOUT);        // the options' time
  EXPECT_EQ(code_of([&] { session(rows(1), 1000); }), HAFT_ERROR_TIMEOUT);  // its own
  EXPECT_EQ(code_of([&] { session.submit({rows(1)}, 1000).result(); }), HAFT_ERROR_TIMEOUT);
  EXPECT_FALSE(running.is_done());
  gate.let_go();
  EXPECT_EQ(running.result().size(), 1u);
  EXPECT_EQ(gate.calls, 1);

  gate.shut();
  int64_t timed_out = 3;
  for (int64_t time = 20000; gate.entered() == 1; time *= 2) {  // as long as it takes to come inside in time
    Request late = session.submit({rows(1)}, time);
    EXPECT_EQ(code_of([&] { late.result(); }), HAFT_ERROR_TIMEOUT);
    ++timed_out;
  }
  gate.let_go();
  eventually([&] { return session.metrics().running == 0; });
  EXPECT_EQ(gate.finished, 1);
  EXPECT_EQ(session.metrics().timed_out, timed_out);
  // On the caller's own thread operators look at the clock.
  Session slow(haft::nn::Callback("Slow",
                                  [](const std::vector<Tensor>& in) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                    return std::vector<Tensor>{in[0] + 1.0};
                                  }),
               with(1));
  EXPECT_EQ(code_of([&] { slow(rows(1), 5000); }), HAFT_ERROR_TIMEOUT);
  EXPECT_EQ(code_of([&] { slow(rows(1), 0); }), HAFT_ERROR_TIMEOUT);
  EXPECT_EQ(code_of([&] { slow(rows(1)); }), HAFT_OK);
  expect_balanced(slow.metrics());
}

TEST_F(Sessions, MemoryIsLimited) {
  Module net = perceptron(1000, 1000);
  SessionOptions o = with(1);
  o.memory_limit = 100000;
  Session session(net, o);
  std::vector<Tensor> held;
  held.push_back(session(rows(10, 1000)));  // 40000 bytes stay
  EXPECT_EQ(session.metrics().bytes_live, 40000);
  EXPECT_EQ(code_of([&] { session(rows(20, 1000)); }), HAFT_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(haft_error_get_message()).find("100000 bytes"), std::string::npos)
      << haft_error_get_message();
  EXPECT_EQ(session.metrics().bytes_live, 40000);
  held.clear();
  EXPECT_EQ(session.metrics().bytes_live, 0);
  EXPECT_EQ(session(rows(20, 1000)).size(0), 20);
  EXPECT_LE(session.metrics().bytes_peak, 100000);
  EXPECT_EQ(session.metrics().failed, 1);
  Tensor kept = session(rows(1, 1000));
  session.close();
  session = Session();
  EXPECT_EQ(kept.numel(), 1000);  // results outlive the session
}

TEST_F(Sessions, AFailureSpoilsNobodyElse) {
  Module pick = haft::nn::Embedding(10, 4);
  Session session(pick, with(3, 3600000000));
  auto ids = [](int64_t i) { return Tensor::from<int64_t>({i}); };
  Request a = session.submit({ids(1)}), b = session.submit({ids(99)}), c = session.submit({ids(9)});
  EXPECT_EQ(a.result()[0].sizes(), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(code_of([&] { b.result(); }), HAFT_ERROR_INDEX);
  EXPECT_EQ(c.result()[0].sizes(), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(session.metrics().failed, 1);
  EXPECT_EQ(session.metrics().completed, 2);
}

TEST_F(Sessions, OutputsMustHaveTheRows) {
  Session session(
      haft::nn::Callback(
          "Mean", [](const std::vector<Tensor>& in) { return std::vector<Tensor>{haft::mean(in[0])}; }),
      with(4));
  EXPECT_EQ(code_of([&] { session(rows(2)); }), HAFT_ERROR_SHAPE);
  EXPECT_NE(std::string(haft_error_get_message()).find("max_batch 1"), std::string::npos)
      << haft_error_get_message();
}

TEST_F(Sessions, ForeignErrorsComeThrough) {
  Module bad = haft::nn::Callback("Bad", [](const std::vector<Tensor>&) -> std::vector<Tensor> {
    haft::check(haft_error_set(HAFT_ERROR_IO, "no such thing", 4711));
    return {};
  });
  Session session(bad);
  try {
    session(rows(1));
    ADD_FAILURE();
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_CALLBACK);
    EXPECT_EQ(e.message(), "no such thing");
    EXPECT_EQ(e.token(), 4711);
  }
}

// So that what the module before needs may go, and the module be changed, as soon as update() is back.
TEST_F(Sessions, UpdateWaitsForTheLastBatchOfTheModuleBefore) {
  Gate gate;
  Module before = gate.module();
  Session session(before, with(1, 0, 2));
  Request running = session.submit({rows(1)});
  gate.wait_inside();
  std::atomic<bool> updated{false};
  std::thread updates([&] {
    session.update(perceptron());
    updated = true;
    before.train();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(updated);
  gate.let_go();
  updates.join();
  EXPECT_EQ(running.result().size(), 1u);
  EXPECT_TRUE(before.is_training());
}

// The callback is told of the batch that runs the module before: waiting would be for itself.
TEST_F(Sessions, AnUpdateByACallbackWaitsForNothing) {
  Gate gate;
  gate.let_go();
  Session session(gate.module(), with(1, 0, 1));
  std::promise<void> updated;
  session.submit({rows(1)}, [&](const Request&, haft_status) {
    session.update(gate.module());
    updated.set_value();
  });
  updated.get_future().wait();
  EXPECT_EQ(session.submit({rows(1)}).result().size(), 1u);
}

TEST_F(Sessions, DrainAnswersAndRefuses) {
  Gate gate;
  Session session(gate.module(), with(1));
  Request a = session.submit({rows(1)}), b = session.submit({rows(1)});
  gate.wait_inside();
  EXPECT_FALSE(session.drain(1000));
  EXPECT_EQ(code_of([&] { session(rows(1)); }), HAFT_ERROR_CANCELLED);
  EXPECT_EQ(code_of([&] { session.submit({rows(1)}); }), HAFT_ERROR_CANCELLED);
  gate.let_go();
  EXPECT_TRUE(session.drain());
  EXPECT_EQ(a.result().size() + b.result().size(), 2u);
  EXPECT_TRUE(session.drain(0));
  session.close();
  session.close();
  EXPECT_EQ(code_of([&] { session.update(perceptron()); }), HAFT_ERROR_CANCELLED);
  expect_balanced(session.metrics());
}

TEST_F(Sessions, CloseUnderLoad) {
  for (int round = 0; round < 5; ++round) {
    Session session(perceptron(), with(round % 2 ? 8 : 1, 50, 2));
    std::atomic<int> done{0}, cancelled{0}, other{0}, told{0}, submitted{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (haft_status s = HAFT_OK; s == HAFT_OK;) {
          s = code_of([&] {
            if (t % 2) {
              session(rows(1));
            } else {
              Request r = session.submit({rows(1)}, [&](const Request&, haft_status) { ++told; });
              ++submitted;
              r.result();
            }
          });
          ++(s == HAFT_OK ? done : s == HAFT_ERROR_CANCELLED ? cancelled : other);
        }
      });
    eventually([&] { return done > 50; });
    session.close();
    for (auto& t : threads) t.join();
    EXPECT_EQ(cancelled, 8);
    EXPECT_EQ(other, 0);
    EXPECT_EQ(told, submitted);
    expect_balanced(session.metrics());
  }
}

// The last release stops what runs, and answers what waits.
TEST_F(Sessions, ReleaseAnswersEverything) {
  Gate gate;
  Request running, waiting;
  {
    Session session(gate.module(), with(1));
    running = session.submit({rows(1)});
    waiting = session.submit({rows(1)});
    gate.wait_inside();
    std::thread opens([&] {
      waiting.wait();
      gate.let_go();
    });
    session = Session();
    opens.join();
  }
  EXPECT_EQ(code_of([&] { running.result(); }), HAFT_ERROR_CANCELLED);
  EXPECT_EQ(code_of([&] { waiting.result(); }), HAFT_ERROR_CANCELLED);
  EXPECT_EQ(gate.finished, 0);
}

TEST_F(Sessions, CallbacksMaySubmitAndModulesMayNotRun) {
  Session session;
  haft_status inner = HAFT_OK, waited = HAFT_OK, closed = HAFT_OK;
  Module self = haft::nn::Callback("Self", [&](const std::vector<Tensor>& in) {
    inner = code_of([&] { session(in[0]); });
    return std::vector<Tensor>{in[0] + 1.0};
  });
  session = Session(self, with(1));
  session(rows(1));
  EXPECT_EQ(inner, HAFT_ERROR_RECURSIVE);

  std::atomic<int> left{5};
  std::function<void(const Request&, haft_status)> again = [&](const Request&, haft_status) {
    waited = code_of([&] { session.drain(); });
    closed = code_of([&] { session.close(); });
    if (--left > 0) session.submit({haft::ones({1, 1})}, again);
  };
  session.submit({haft::ones({1, 1})}, again);
  eventually([&] { return left <= 0; });
  EXPECT_TRUE(session.drain());
  EXPECT_EQ(waited, HAFT_ERROR_RECURSIVE);
  EXPECT_EQ(closed, HAFT_ERROR_RECURSIVE);
  session = Session();
}

// The last handle may go in a callback: nobody can wait for the thread that is doing it.
TEST_F(Sessions, ACallbackMayReleaseTheSession) {
  struct Last {
    haft_session* session;
    std::atomic<bool> gone{false};
  };
  for (bool cancels : {false, true}) {
    Session session(perceptron(), with(4, cancels ? 60000000 : 1000));
    Last last{session.get()};
    Tensor x = rows(1);
    haft_tensor* in = x.get();
    haft_request* r = nullptr;
    haft::check(haft_session_submit(
        session.release(), &in, 1, HAFT_NONE,
        [](haft_request*, haft_status, void* user) {
          haft_session_release(static_cast<Last*>(user)->session);
        },
        &last, [](void* user) { static_cast<Last*>(user)->gone = true; }, &r));
    Request request(r);
    if (cancels) request.cancel();
    eventually([&] { return last.gone.load(); });
    EXPECT_EQ(code_of([&] { request.result(); }), cancels ? HAFT_ERROR_CANCELLED : HAFT_OK);
  }
}

// Whoever lets go of a request last frees it, close() too (the leak checker sees it if not).
TEST_F(Sessions, CloseMayHoldARequestLast) {
  struct Running {
    Gate gate;
    std::thread thread;
  } running;
  Session session(running.gate.module(), with(1));
  running.thread = std::thread([&] { EXPECT_EQ(code_of([&] { session(rows(1)); }), HAFT_ERROR_CANCELLED); });
  running.gate.wait_inside();
  // close() drops what waits before what runs: meanwhile the run ends, and its thread is gone.
  float value[20] = {};
  Request waiting = session.submit({Tensor::over(
      value, {1, 20},
      [](void* user) {
        auto& r = *static_cast<Running*>(user);
        r.gate.let_go();
        r.thread.join();
      },
      &running)});
  session.close();
  EXPECT_FALSE(running.thread.joinable());
  EXPECT_EQ(code_of([&] { waiting.result(); }), HAFT_ERROR_CANCELLED);
}

// Runs do not see the thread that runs them, nor leave anything there.
TEST_F(Sessions, RunsSeeAFreshThread) {
  haft_dtype seen = 0;
  Session session(haft::nn::Callback("Default",
                                     [&](const std::vector<Tensor>& in) {
                                       seen = haft::default_dtype();
                                       return std::vector<Tensor>{in[0] + haft::ones({1})};
                                     }),
                  with(1));
  haft::set_default_dtype(HAFT_FLOAT64);
  haft::check(haft_scope_begin());
  Tensor x = haft::ones({2}, HAFT_FLOAT32).set_requires_grad();
  haft_tensor *in = x.release(), *y = nullptr;
  int64_t n = 0;
  EXPECT_EQ(haft_session_run(session.get(), &in, 1, HAFT_NONE, &y, 1, &n), HAFT_OK);
  haft::check(haft_scope_keep(y));
  haft::check(haft_scope_end());
  Tensor result(y);
  EXPECT_EQ(seen, HAFT_FLOAT32);
  EXPECT_EQ(haft::default_dtype(), HAFT_FLOAT64);
  haft::set_default_dtype(HAFT_FLOAT32);
  EXPECT_FALSE(result.requires_grad());
  EXPECT_TRUE((haft::ones({1}).set_requires_grad() + 1.0).requires_grad());
}

TEST_F(Sessions, TokensCancelAThread) {
  CancelToken token;
  std::atomic<bool> started{false};
  std::atomic<int> steps{0};
  haft_status end = HAFT_OK;
  std::thread worker([&] {
    CancelScope scope(token);
    Tensor w = haft::ones({4}).set_requires_grad();
    end = code_of([&] {
      for (;; ++steps) {
        haft::sum(w * w).backward();
        started = true;
      }
    });
  });
  eventually([&] { return started.load(); });
  token.cancel();
  worker.join();
  EXPECT_EQ(end, HAFT_ERROR_CANCELLED);
  EXPECT_TRUE(token.is_cancelled());
  {
    CancelScope scope(token);
    EXPECT_EQ(code_of([] { haft::ones({2}) + 1.0; }), HAFT_ERROR_CANCELLED);
  }
  EXPECT_EQ((haft::ones({1}) + 1.0).item(), 2);  // other threads, and this one again
}

// A token also ends haft_session_run where it waits or runs.
TEST_F(Sessions, TokensCancelRuns) {
  Gate gate;
  Session session(gate.module(), with(1));
  CancelToken first, second;
  haft_status ends[2] = {HAFT_OK, HAFT_OK};
  auto runs = [&](CancelToken& t, haft_status& end) {
    return std::thread([&] {
      CancelScope scope(t);
      end = code_of([&] { session(rows(1)); });
    });
  };
  std::thread a = runs(first, ends[0]);
  gate.wait_inside();
  std::thread b = runs(second, ends[1]);
  eventually([&] { return session.metrics().queue_length == 1; });
  second.cancel();
  b.join();
  EXPECT_EQ(ends[1], HAFT_ERROR_CANCELLED);
  first.cancel();
  gate.let_go();
  a.join();
  EXPECT_EQ(ends[0], HAFT_ERROR_CANCELLED);
  EXPECT_EQ(gate.finished, 0);
  haft_status inside = HAFT_OK;
  Session sets(haft::nn::Callback("Sets",
                                  [&](const std::vector<Tensor>& in) {
                                    inside = haft_set_cancel_token(nullptr);
                                    return in;
                                  }),
               with(1));
  sets(rows(1));
  EXPECT_EQ(inside, HAFT_ERROR_RECURSIVE);
}

TEST_F(Sessions, ChildrenOfAForkAreToldSo) {
  Session session(perceptron(), with(4));
  Request r = session.submit({rows(1)});
  r.wait();
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool good = code_of([&] { session(rows(1)); }) == HAFT_ERROR_FORKED &&
                code_of([&] { session.submit({rows(1)}); }) == HAFT_ERROR_FORKED &&
                code_of([&] { session.metrics(); }) == HAFT_ERROR_FORKED &&
                code_of([&] { session.close(); }) == HAFT_ERROR_FORKED &&
                code_of([&] { r.cancel(); }) == HAFT_ERROR_FORKED;
    session = Session();
    r = Request();
    good = good && (haft::ones({2}) + 1.0).numel() == 2 && Session(perceptron())(rows(1)).numel() == 7;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(session(rows(1)).numel(), 7);
}

}  // namespace
