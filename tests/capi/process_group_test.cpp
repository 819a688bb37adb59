// Process groups through the C interface: ranks are threads over one hash store.
#include <haft/haft.hpp>

#include <atomic>
#include <thread>

#include "ranks_testing.h"

namespace {

using haft::ProcessGroup;
using haft::ReduceOp;
using haft::Store;
using haft::Work;

class ProcessGroups : public RanksTest {};

void want(const Tensor& t, const std::vector<float>& v) {
  const std::vector<float> got = t.to_vector<float>();
  if (got == v) return;
  std::string s = "got";
  for (float x : got) s += " " + std::to_string(x);
  throw std::runtime_error(s);
}

TEST_F(ProcessGroups, EveryCollective) {
  expect_none(run(3, [](const ProcessGroup& g) {
    const auto me = float(g.rank());
    Tensor x = floats({me, 2 * me});
    g.all_reduce(x);
    want(x, {3, 6});
    g.all_reduce(x, ReduceOp::AVG);
    want(x, {3, 6});
    Tensor y = floats({me + 1});
    g.reduce(y, 2, ReduceOp::PRODUCT);
    want(y, {me == 2 ? 6 : me + 1});
    g.broadcast(y, 2);
    want(y, {6});
    const std::vector<Tensor> outs = {floats({0}), floats({0, 0}), floats({0, 0, 0})};
    g.all_gather(outs, haft::full({g.rank() + 1}, me));
    want(outs[2], {2, 2, 2});
    Tensor into = floats({0, 0, 0, 0, 0, 0});
    g.all_gather_into(into, floats({me, me + 10}));
    want(into, {0, 10, 1, 11, 2, 12});
    g.all_gather_into(into, haft::full({g.rank() + 1}, me), {1, 2, 3});
    want(into, {0, 1, 1, 2, 2, 2});
    g.gather(me == 1 ? outs : std::vector<Tensor>(), haft::full({g.rank() + 1}, me + 5), 1);
    want(outs[1], me == 1 ? std::vector<float>{6, 6} : std::vector<float>{1, 1});
    Tensor own = floats({0});
    g.scatter(
        own, me == 0 ? std::vector<Tensor>{floats({7}), floats({8}), floats({9})} : std::vector<Tensor>(), 0);
    want(own, {me + 7});
    g.reduce_scatter(own, {floats({1}), floats({2}), floats({3})});
    want(own, {3 * (me + 1)});
    g.reduce_scatter_from(own, floats({1, 2, 3}), ReduceOp::MAX);
    want(own, {me + 1});
    const std::vector<Tensor> from = {floats({0}), floats({0}), floats({0})};
    g.all_to_all(from, {floats({me}), floats({me + 10}), floats({me + 20})});
    want(from[1], {1 + 10 * me});
    Tensor single = floats({0, 0, 0});
    g.all_to_all_single(single, floats({me, me + 10, me + 20}));
    want(single, {10 * me, 10 * me + 1, 10 * me + 2});
    g.barrier(600000000);
    if (me == 0) g.send(floats({4, 5}), 2, 6);
    Tensor got = floats({0, 0});
    if (me == 2 && g.recv(got, HAFT_ANY_SOURCE, 6) != 0) throw std::runtime_error("source");
    if (me == 2) want(got, {4, 5});
    const ProcessGroup half = g.split(me == 1 ? -1 : 3, 0);
    if (bool(half) == (me == 1)) throw std::runtime_error("split");
    haft::ProcessGroupOptions pigeons;
    pigeons.engine = "pigeons";
    EXPECT_EQ(code_of([&] { g.subgroup({0, 1, 2}, pigeons); }), HAFT_ERROR_UNAVAILABLE);
    EXPECT_EQ(code_of([&] { g.subgroup({0, (int64_t{1} << 32) + 1}); }), HAFT_ERROR_INVALID_ARGUMENT);
    const ProcessGroup some = g.subgroup({2, 1});
    if (some && some.rank() != (me == 2 ? 0 : 1)) throw std::runtime_error("subgroup");
  }));
}

TEST_F(ProcessGroups, Works) {
  std::atomic<int> called{0};
  expect_none(run(2, [&](const ProcessGroup& g) {
    Tensor x = floats({1, 2}), in = floats({0}), out = floats({float(g.rank())});
    Work w = g.all_reduce_async(x);
    w.on_done([&](const Work& done, haft_status s) {
      if (s == HAFT_OK && done.is_done()) ++called;
    });
    Work r = g.recv_async(in, 1 - g.rank()), s = g.send_async(out, 1 - g.rank());
    if (!r.wait() || !s.wait() || !w.wait()) throw std::runtime_error("wait");
    want(x, {2, 4});
    want(in, {1.0f - float(g.rank())});
    if (r.source() != 1 - g.rank()) throw std::runtime_error("source");
    if (g.info().issued != 1 || std::string(g.info().engine) != "shm" || g.info().failure != HAFT_OK ||
        g.info().timeout_us != 600000000)
      throw std::runtime_error("info");
    if (g.recorder_json().find("\"all_reduce\"") == std::string::npos) throw std::runtime_error("recorder");
    g.barrier();
  }));
  EXPECT_EQ(called, 2);
}

// TIMEOUT of a wait that was short, and of a call that a rank came late for.
TEST_F(ProcessGroups, AWaitThatIsOverIsNoFailedCall) {
  expect_none(run(2, [](const ProcessGroup& g) {
    Tensor x = floats({0});
    const int other = 1 - g.rank();
    if (g.rank() == 0) {
      const Work w = g.recv_async(x, other);
      EXPECT_EQ(haft_work_wait(w.get(), 1000), HAFT_ERROR_TIMEOUT);
      EXPECT_FALSE(w.is_done());
      g.send(floats({1}), other);
      EXPECT_TRUE(w.wait());
      want(x, {7});
      const Work late = g.barrier_async(1000);
      EXPECT_EQ(haft_work_wait(late.get(), HAFT_NONE), HAFT_ERROR_TIMEOUT);
      EXPECT_TRUE(late.is_done());
      EXPECT_EQ(g.info().failure, HAFT_ERROR_TIMEOUT);
    } else {
      g.recv(x, other);
      g.send(floats({7}), other);
      EXPECT_EQ(code_of([&] { g.recv(x, other); }), HAFT_ERROR_TIMEOUT);  // the group dies of the barrier
    }
  }));
}

TEST_F(ProcessGroups, FailuresAreStatuses) {
  const std::vector<std::string> f = run(2, [](const ProcessGroup& g) {
    EXPECT_EQ(code_of([&] { g.all_reduce(floats({1}), ReduceOp::BAND); }), HAFT_ERROR_DTYPE);
    EXPECT_EQ(code_of([&] { g.broadcast(floats({1}), 2); }), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] { g.all_reduce(floats({1}), ReduceOp(8)); }), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] { g.reduce_scatter_from(floats({1}), floats({1, 2, 3})); }), HAFT_ERROR_SHAPE);
    EXPECT_EQ(code_of([&] {
                g.all_to_all_single(floats({1, 2}), floats({1, 2}), {1, 1}, {2});
              }),
              HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] {
                g.all_reduce(g.rank() ? floats({1}) : floats({1, 2}));
                g.barrier();
              }),
              HAFT_ERROR_MISMATCH);
    EXPECT_EQ(g.info().failure, HAFT_ERROR_MISMATCH);
    EXPECT_EQ(code_of([&] { g.barrier(); }), HAFT_ERROR_MISMATCH);
  });
  expect_none(f);
  haft_store* s = nullptr;
  ASSERT_EQ(haft_hash_store_create(&s), HAFT_OK);
  haft_process_group* g = nullptr;
  haft_process_group_options o = HAFT_PROCESS_GROUP_OPTIONS_INIT;
  EXPECT_EQ(haft_process_group_create(s, 2, 2, nullptr, &g), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_process_group_create(s, 0, 0, nullptr, &g), HAFT_ERROR_INVALID_ARGUMENT);
  o.engine = "pigeons";
  EXPECT_EQ(haft_process_group_create(s, 0, 1, &o, &g), HAFT_ERROR_UNAVAILABLE);
  EXPECT_FALSE(ProcessGroup::is_available("pigeons"));
  EXPECT_TRUE(ProcessGroup::is_available("shm"));
  int32_t there = 7;
  EXPECT_EQ(haft_process_group_is_available(nullptr, &there), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(there, 7);
  o.engine = nullptr;
  o.timeout_us = 100000;
  EXPECT_EQ(haft_process_group_create(s, 1, 2, &o, &g), HAFT_ERROR_TIMEOUT);
  EXPECT_EQ(g, nullptr);
  haft_store_release(s);
}

}  // namespace
