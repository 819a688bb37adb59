// Callbacks of a session's requests: what they may call, on whose thread, and in which state.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "capi_testing.h"

namespace {

using haft::Request;
using haft::Session;
using SessionCallbacks = CapiTest;

haft::SessionOptions with(int64_t max_batch, int64_t delay_us = 0) {
  haft::SessionOptions o;
  o.max_batch = max_batch;
  o.max_delay_us = delay_us;
  o.workers = 1;
  return o;
}
haft_status run(const Session& session, const Tensor& x, int64_t timeout_us) {
  try {
    session.run({x}, timeout_us);
    return HAFT_OK;
  } catch (const haft::Error& e) {
    return e.code();
  }
}

// A callback that waits in run() holds a thread of the session: its batch, and those before it, run on that thread
// when no other is there.
TEST_F(SessionCallbacks, MayRun) {
  constexpr int64_t kTime = 60000000;  // instead of for good
  for (int64_t max_batch : {1, 4})
    for (int64_t delay : {0, 1000}) {
      Session session(haft::nn::ReLU(), with(max_batch, delay));
      std::atomic<int> left{40}, failed{0}, deepest{0};
      static thread_local int depth;
      depth = 0;
      auto runs = [&](const Request& r, haft_status s) {
        deepest = std::max(deepest.load(), ++depth);
        failed += s != HAFT_OK || run(session, r.result()[0] + 1.0, kTime) != HAFT_OK;
        --depth;
        --left;
      };
      // The first waits for company, the others behind it.
      session.submit({haft::ones({1, 2})}, runs).wait();
      for (int i = 1; i < 40; ++i) session.submit({haft::ones({1, 2})}, runs);
      for (int i = 0; i < 60000 && left; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(left, 0);
      EXPECT_TRUE(session.drain(kTime));
      EXPECT_EQ(failed, 0);
      EXPECT_EQ(deepest, 1);  // the stack does not grow with the queue
      EXPECT_EQ(session.metrics().completed, 80);
    }
}

// A batch that is due has a worker only when somebody runs it: a callback does not keep others out.
TEST_F(SessionCallbacks, HoldUpNobodyWhoRuns) {
  Session session(haft::nn::ReLU(), with(1));
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false, go = false;
  auto slow = [&](const Request&, haft_status) {
    std::unique_lock lock(mutex);
    inside = true;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(60), [&] { return go; });
  };
  session.submit({haft::ones({1, 2})}, slow);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside; });
  }
  Request behind = session.submit({haft::ones({1, 2})});
  EXPECT_EQ(run(session, haft::ones({1, 2}), 30000000), HAFT_OK);
  EXPECT_TRUE(behind.is_done());  // the thread that wanted to run took it along
  {
    std::lock_guard lock(mutex);
    go = true;
    changed.notify_all();
  }
  EXPECT_TRUE(session.drain(60000000));
}

// Who computes a batch for others has nothing to do with their answers, and their callbacks see nothing of him.
TEST_F(SessionCallbacks, SeeNothingOfWhoComputes) {
  Session session(haft::nn::ReLU(), with(2, 3600000000));
  struct Seen {
    haft_tensor *answer = nullptr, *made = nullptr;
    haft_dtype dtype = HAFT_INT32;
    int32_t grad = 0;
    std::thread::id thread;
  } seen;
  const auto done = [](haft_request* r, haft_status, void* user) {
    Seen& s = *static_cast<Seen*>(user);
    int64_t count = 0;
    const int64_t size = 2;
    haft_request_result(r, &s.answer, 1, &count);
    haft_scope_begin();  // and forgets to end it
    haft_ones(&size, 1, 0, HAFT_DEVICE_DEFAULT, &s.made);
    haft_scope_keep(s.made);
    haft_tensor_get_dtype(s.made, &s.dtype);
    haft_is_grad_enabled(&s.grad);
    s.thread = std::this_thread::get_id();
  };
  Tensor x = haft::ones({1, 3});
  haft_tensor *in = x.get(), *own = nullptr;
  ASSERT_EQ(haft_session_submit(session.get(), &in, 1, HAFT_NONE, done, &seen, nullptr, nullptr), HAFT_OK);
  int64_t count = 0;
  double value = 0;
  {
    haft::NoGrad off;
    haft_set_default_dtype(HAFT_FLOAT64);
    ASSERT_EQ(haft_scope_begin(), HAFT_OK);
    ASSERT_EQ(haft_session_run(session.get(), &in, 1, HAFT_NONE, &own, 1, &count), HAFT_OK);
    EXPECT_EQ(seen.thread, std::this_thread::get_id());  // two rows: the batch was ours to compute
    EXPECT_EQ(haft_tensor_get_numel(own, &count), HAFT_OK);
    EXPECT_EQ(haft_scope_end(), HAFT_OK);
    EXPECT_EQ(haft_tensor_get_numel(own, &count), HAFT_ERROR_STALE_HANDLE);  // what we asked for is ours
    EXPECT_FAILS(haft_scope_end(), HAFT_ERROR_INVALID_ARGUMENT, "no scope");
    haft_dtype mine = HAFT_INT32;
    haft_get_default_dtype(&mine);
    EXPECT_EQ(mine, HAFT_FLOAT64);
    haft_set_default_dtype(HAFT_FLOAT32);
  }
  EXPECT_EQ(seen.dtype, HAFT_FLOAT32);
  EXPECT_EQ(seen.grad, 1);
  ASSERT_EQ(haft_tensor_get_numel(seen.answer, &count), HAFT_OK);
  EXPECT_EQ(count, 3);
  ASSERT_EQ(haft_sum(seen.made, nullptr, 0, 0, 0, &own), HAFT_OK);
  ASSERT_EQ(haft_tensor_get_item_double(own, &value), HAFT_OK);
  EXPECT_EQ(value, 2);
  for (haft_tensor* t : {seen.answer, seen.made, own}) haft_tensor_release(t);
}

}  // namespace
