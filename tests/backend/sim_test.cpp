
#include "tests/backend/sim_fixture.h"

namespace haft {
namespace {

uint64_t word(int64_t v) { return uint64_t(v); }

class Sim : public testing::Test {
 protected:
  Device d = sim(0);
};

TEST_F(Sim, RunsTheCpusKernelsOnItsMemory) {
  Numbers<float> a(d, {1, 2, 3}), b(d, {10, 20, 30}), out(d, kUnset, 3);
  Answer r = call_kernel(OpId::add, {a.view(), b.view()}, {out.view()});
  EXPECT_EQ(r.status, 0) << r.text;
  EXPECT_EQ(out.read(), (std::vector<float>{11, 22, 33}));
}

TEST_F(Sim, CopiesAttributesAndViews) {
  Environment delay("HAFT_SIM_DELAY_US", "20000");
  Numbers<float> a(d, {1, 2, 3}), out(d, kUnset, 3), part(d, kUnset, 2);
  AttrWriter scalar;
  scalar.add(Scalar(2.5));
  std::span<const uint64_t> w = scalar.finish();
  Answer r = call_kernel(OpId::add_scalar, {a.view()}, {out.view()}, {w.begin(), w.end()});
  EXPECT_EQ(r.status, 0) << r.text;
  haft_tensor_view tail = out.view({2});
  tail.data = static_cast<char*>(tail.data) + 4;
  r = call_kernel(OpId::add, {tail, tail}, {part.view()});
  EXPECT_EQ(r.status, 0) << r.text;
  EXPECT_EQ(part.read(), (std::vector<float>{9, 11}));
}

TEST_F(Sim, TakesStridedExpandedAndEmptyViews) {
  Numbers<float> a(d, {1, 2, 3, 4, 5, 6}), one(d, {10}), out(d, kUnset, 6);
  haft_tensor_view t = a.view({3, 2});  // the transpose of (2, 3)
  t.contiguous = 0;
  t.strides[0] = 1, t.strides[1] = 3;
  haft_tensor_view e = one.view({3, 2});
  e.contiguous = 0;
  e.strides[0] = e.strides[1] = 0;
  Answer r = call_kernel(OpId::add, {t, e}, {out.view({3, 2})});
  EXPECT_EQ(r.status, 0) << r.text;
  EXPECT_EQ(out.read(), (std::vector<float>{11, 14, 12, 15, 13, 16}));
  haft_tensor_view none = view_of(d, nullptr, DType::f32, {0, 4});
  r = call_kernel(OpId::add, {none, none}, {none});
  EXPECT_EQ(r.status, 0) << r.text;
  synchronize(d);
}

TEST_F(Sim, CatchesWrongViewsAtOnce) {
  std::vector<float> host{1, 2, 3};
  Numbers<float> a(d, {1, 2, 3}), out(d, kUnset, 3), other(sim(1), kUnset, 3);
  haft_tensor_view h = view_of(d, host.data(), DType::f32, {3});
  Answer r = call_kernel(OpId::add, {a.view(), h}, {out.view()});
  EXPECT_EQ(r.status, int32_t(Code::device));
  EXPECT_HAS(r.text, "[add] input 1");
  EXPECT_HAS(r.text, "host memory");
  haft_tensor_view o = other.view();
  r = call_kernel(OpId::add, {a.view(), o}, {out.view()});
  EXPECT_EQ(r.status, int32_t(Code::device));
  EXPECT_HAS(r.text, "sim:1");
  o.device_index = 0;
  r = call_kernel(OpId::add, {a.view(), a.view()}, {o});
  EXPECT_HAS(r.text, "[add] output 0");
  EXPECT_HAS(r.text, "memory of sim:1");
  haft_tensor_view lies = a.view({1000});
  r = call_kernel(OpId::add, {lies, lies}, {out.view()});
  EXPECT_HAS(r.text, "bytes 0 to 4000 of an allocation of 512 bytes");
  lies = a.view();
  lies.data = static_cast<char*>(lies.data) - 4;
  EXPECT_NE(call_kernel(OpId::add, {lies, lies}, {out.view()}).status, 0);
  lies = a.view();
  lies.strides[0] = 2;
  r = call_kernel(OpId::add, {lies, a.view()}, {out.view()});
  EXPECT_HAS(r.text, "called contiguous");
  lies.contiguous = 0;
  lies.strides[0] = 0;
  r = call_kernel(OpId::add, {a.view(), a.view()}, {lies});
  EXPECT_HAS(r.text, "expanded");
  lies.numel = 2;
  EXPECT_HAS(call_kernel(OpId::add, {lies, lies}, {out.view()}).text, "numel");
  synchronize(d);  // nothing of this has reached a stream
}

TEST_F(Sim, FreedMemoryIsNoLongerThere) {
  Numbers<float> a(d, {1, 2, 3});
  DeviceBlock p = device_alloc(d, 100000);
  haft_tensor_view gone = view_of(d, p.p, DType::f32, {25000});
  device_free(d, p, 100000);
  device_memory_trim(d);
  Answer r = call_kernel(OpId::add, {gone, gone}, {gone});
  EXPECT_EQ(r.status, int32_t(Code::device));
  EXPECT_HAS(r.text, "no live allocation");
}

TEST_F(Sim, MemoryStaysUntilEnqueuedWorkIsDone) {
  Numbers<float> out(d, kUnset, 1000);
  {
    Environment delay("HAFT_SIM_DELAY_US", "20000");
    Numbers<float> a(d, std::vector<float>(1000, 2));
    EXPECT_EQ(call_kernel(OpId::add, {a.view(), a.view()}, {out.view()}).status, 0);
  }
  device_memory_trim(d);
  EXPECT_EQ(out.read(), std::vector<float>(1000, 4));
}

// A kernel that fails late: an index outside its range.
TEST_F(Sim, LateFailuresStayUntilSynchronised) {
  Numbers<float> x(d, {1, 2, 3}), out(d, kUnset, 1);
  Numbers<int64_t> at(d, {7});
  {
    Environment delay("HAFT_SIM_DELAY_US", "20000");
    Answer r = call_kernel(OpId::index_select, {x.view(), at.view()}, {out.view()}, {word(0)});
    EXPECT_EQ(r.status, 0) << r.text;
  }
  Error e = error_of([&] { out.read(); });
  EXPECT_EQ(e.code, Code::index) << e.message;
  EXPECT_HAS(e.message, "sim:0");
  EXPECT_HAS(e.message, "index_select");
  EXPECT_HAS(e.message, "7");
  EXPECT_EQ(call_kernel(OpId::add, {x.view(), x.view()}, {x.view()}).status, int32_t(Code::index));
  EXPECT_EQ(error_of([&] { synchronize(d); }).code, Code::index);
  synchronize(d);
  EXPECT_EQ(x.read(), (std::vector<float>{1, 2, 3}));
}

TEST_F(Sim, IsAsynchronous) {
  Numbers<float> a(d, {1});
  haft_raw_event done = create_event(d);
  float want = 1;
  bool early = false;
  // As slow as it takes for this thread to look in time.
  for (int us = 10000; !early && us < 10000000; us *= 2) {
    {
      Environment delay("HAFT_SIM_DELAY_US", std::to_string(us));
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(call_kernel(OpId::add, {a.view(), a.view()}, {a.view()}).status, 0);
      record_event(d, done, 0);
    }
    early = !query_event(d, done);
    EXPECT_EQ(a.read(), std::vector<float>{want *= 16});
    EXPECT_TRUE(query_event(d, done));
  }
  EXPECT_TRUE(early);
  destroy_event(d, done);
}

TEST_F(Sim, StreamsRunBesideEachOtherAndEventsOrderThem) {
  haft_raw_stream s = create_stream(d), t = create_stream(d);
  EXPECT_NE(s, t);
  haft_raw_event e = create_event(d);
  EXPECT_TRUE(query_event(d, e));
  {
    Numbers<float> a(d, {1}), b(d, {1});
    synchronize(d);
    auto add = [&](Numbers<float>& x, haft_raw_stream on) {
      EXPECT_EQ(call_kernel(OpId::add, {x.view(), x.view()}, {x.view()}, {}, on).status, 0);
    };
    {
      Environment delay("HAFT_SIM_DELAY_US", "1000000");  // far longer than this thread needs to look twice
      add(a, s);
      record_event(d, e, s);
    }
    EXPECT_FALSE(query_event(d, e));
    add(b, t);
    synchronize_stream(d, t);  // t does not wait for s
    EXPECT_FALSE(query_event(d, e));
    wait_event(d, e, t);
    add(a, t);
    synchronize_stream(d, t);
    EXPECT_TRUE(query_event(d, e));
    EXPECT_EQ(a.read(), std::vector<float>{4});
    EXPECT_EQ(b.read(), std::vector<float>{2});
  }
  // Another device of the type waits for it, and destroying the event does not disturb that.
  Numbers<float> c(sim(1), {1});
  {
    Environment delay("HAFT_SIM_DELAY_US", "20000");
    copy_bytes(sim(1), c.p, sim(1), c.p, 4, false);
    record_event(d, e, s);
  }
  wait_event(sim(1), e, 0);
  destroy_event(d, e);
  synchronize(sim(1));
  destroy_stream(d, s);
  destroy_stream(d, t);
  EXPECT_EQ(error_of([&] { destroy_stream(d, s); }).code, Code::invalid_argument);
  EXPECT_EQ(error_of([&] { synchronize_stream(d, s); }).code, Code::invalid_argument);
  EXPECT_EQ(error_of([&] { record_event(d, e, 0); }).code, Code::invalid_argument);
}

TEST_F(Sim, AThreadHasItsCurrentStream) {
  haft_raw_stream s = create_stream(d);
  EXPECT_EQ(current_stream(d), 0u);
  {
    StreamGuard on(d, s);
    EXPECT_EQ(current_stream(d), s);
    EXPECT_EQ(current_stream(sim(1)), 0u);
    {
      StreamGuard off(d, 0);
      EXPECT_EQ(current_stream(d), 0u);
    }
    EXPECT_EQ(current_stream(d), s);
  }
  EXPECT_EQ(current_stream(d), 0u);
  set_current_stream(d, s);
  destroy_stream(d, s);
  EXPECT_EQ(current_stream(d), 0u);
  EXPECT_EQ(error_of([&] { set_current_stream(d, s); }).code, Code::invalid_argument);
}

TEST_F(Sim, TheCpuAnswersTrivially) {
  Device cpu;
  haft_raw_stream s = create_stream(cpu);
  haft_raw_event e = create_event(cpu);
  record_event(cpu, e, s);
  wait_event(cpu, e, s);
  EXPECT_TRUE(query_event(cpu, e));
  destroy_event(cpu, e);
  synchronize_stream(cpu, s);
  synchronize(cpu);
  destroy_stream(cpu, s);
  EXPECT_EQ(current_stream(cpu), 0u);
}

using SimDeath = Sim;

TEST_F(SimDeath, ItsAddressesFaultOnTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Numbers<float> a(d, {1, 2, 3});
  EXPECT_DEATH((void)*static_cast<volatile float*>(a.p), "");
}

TEST_F(SimDeath, AProcessMayEndWithWorkPending) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Environment delay("HAFT_SIM_DELAY_US", "20000");
  auto pending = [&] {
    Numbers<float> a(d, {1, 2, 3});
    for (int i = 0; i < 100; ++i) call_kernel(OpId::add, {a.view(), a.view()}, {a.view()});
    std::exit(0);
  };
  EXPECT_EXIT(pending(), testing::ExitedWithCode(0), "");
}

TEST_F(Sim, ServesManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        Numbers<float> a(d, std::vector<float>(100 + size_t(k), float(i))), out(d, kUnset, 100 + k);
        if (call_kernel(OpId::add, {a.view(), a.view()}, {out.view()}).status) ADD_FAILURE();
        EXPECT_EQ(out.read(), std::vector<float>(100 + size_t(k), float(2 * i)));
      }
    });
  for (auto& t : threads) t.join();
}

}  // namespace
}  // namespace haft
