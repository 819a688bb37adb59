// Streams and events: on a device that has them (sim), and on the CPU, which has not.
#include <thread>

#include "capi_testing.h"

namespace {

struct Streams : CapiTest {
  haft_device sim() {
    haft::load_backend(HAFT_SIM_DEVICE);
    return haft::device("sim:0");
  }
};

TEST_F(Streams, WorkGoesToTheCurrentStream) {
  const haft_device d = sim();
  haft::Stream a(d), b(d);
  EXPECT_EQ(a.device(), d);
  haft::Event made(d), used(d);
  EXPECT_TRUE(made.is_done());  // nothing recorded
  Tensor x, y;
  {
    haft::StreamGuard on(a);
    x = haft::ones({1000}, HAFT_FLOAT32, d);
    for (int i = 0; i < 20; ++i) x = haft::add(x, x);
    made.record();
  }
  b.wait(made);
  {
    haft::StreamGuard on(b);
    y = haft::mul(x, x);
    used.record(b);
    std::thread([&] { EXPECT_EQ(haft::current_stream(d).device(), d); }).join();
  }
  used.synchronize();
  EXPECT_TRUE(used.is_done());
  EXPECT_TRUE(made.is_done());
  b.synchronize();
  EXPECT_EQ(haft::to(y, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>()[999],
            float(1 << 20) * float(1 << 20));
  haft::default_stream(d).synchronize();
}

TEST_F(Streams, EventsTellTheTimeBetweenThem) {
  const haft_device d = sim();
  haft::Event start(d, true), end(d, true), plain(d);
  start.record();
  Tensor x = haft::ones({1 << 16}, HAFT_FLOAT32, d);
  for (int i = 0; i < 10; ++i) x = haft::exp(x);
  end.record();
  plain.record();
  end.synchronize();
  EXPECT_GT(start.elapsed(end), 0);
  double ms = 0;
  EXPECT_FAILS(haft_event_get_elapsed(start.get(), plain.get(), &ms), HAFT_ERROR_INVALID_ARGUMENT, "timing");
  haft::Event other(haft::device("sim:1"), true);
  EXPECT_FAILS(haft_event_get_elapsed(start.get(), other.get(), &ms), HAFT_ERROR_DEVICE, "sim:1");
}

TEST_F(Streams, LentMemoryIsGivenBackAfterTheWorkOnIt) {
  const haft_device d = sim();
  Tensor own = haft::ones({1 << 22}, HAFT_FLOAT32, d);
  haft::synchronize(d);
  void* data = nullptr;
  int64_t size = 1 << 22;
  ASSERT_EQ(haft_tensor_get_data(own.get(), &data), HAFT_OK);
  struct Seen {
    haft_event* done;
    bool released = false, too_early = false;
  } seen{nullptr};
  haft::Event done(d);
  seen.done = done.get();
  auto release = [](void* user) {
    auto& s = *static_cast<Seen*>(user);
    int32_t over = 0;
    s.too_early = haft_event_is_done(s.done, &over) != HAFT_OK || !over;
    s.released = true;
  };
  haft_tensor* lent = nullptr;
  ASSERT_EQ(haft_tensor_from_memory(data, &size, nullptr, 1, HAFT_FLOAT32, d, release, &seen, &lent),
            HAFT_OK);
  Tensor y;
  for (int i = 0; i < 3; ++i) {
    haft_tensor* exp = nullptr;
    ASSERT_EQ(haft_exp(lent, &exp), HAFT_OK);
    y = Tensor(exp);
  }
  done.record();
  haft_tensor_release(lent);
  haft::synchronize(d);
  EXPECT_TRUE(seen.released);
  EXPECT_FALSE(seen.too_early);
}

TEST_F(Streams, AreUsedAgain) {
  const haft_device d = sim();
  { haft::Stream first(d); }
  haft::Stream again(d);
  haft::set_current_stream(again);
  again = haft::Stream();  // this thread goes on working there
  Tensor x = haft::ones({4}, HAFT_FLOAT32, d);
  haft::set_current_stream(haft::default_stream(d));
  haft::synchronize(d);
  EXPECT_EQ(haft::to(x, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>(), std::vector<float>(4, 1));
}

TEST_F(Streams, PinnedMemoryIsCopiedBehindTheProgramsBack) {
  const haft_device d = sim();
  Tensor here = haft::pin_memory(floats({1, 2, 3}), d), plain = floats({1, 2, 3});
  EXPECT_TRUE(haft::is_pinned(here));
  EXPECT_TRUE(haft::is_pinned(haft::select(here, 0, 1)));
  EXPECT_FALSE(haft::is_pinned(plain));
  EXPECT_FALSE(haft::is_pinned(haft::pin_memory(plain, HAFT_DEVICE_CPU)));
  haft::Stream side(d);
  haft::Event copied(d);
  Tensor there;
  {
    haft::StreamGuard on(side);
    there = haft::to(here, HAFT_DTYPE_NONE, d, true);
    copied.record();
  }
  haft::record_stream(there, haft::current_stream(d));
  copied.synchronize();
  EXPECT_EQ(there.to_vector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_FAILS(haft_tensor_record_stream(plain.get(), side.get()), HAFT_ERROR_DEVICE, "cpu");
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_tensor_pin_memory(there.get(), d, &out), HAFT_ERROR_DEVICE, "sim:0");
}

TEST_F(Streams, TheCpuHasNothingToWaitFor) {
  haft::Stream s(HAFT_DEVICE_CPU);
  haft::Event e(HAFT_DEVICE_CPU, true);
  haft::StreamGuard on(s);
  e.record();
  s.wait(e);
  e.synchronize();
  s.synchronize();
  EXPECT_TRUE(e.is_done());
  double ms = 0;
  EXPECT_FAILS(haft_event_get_elapsed(e.get(), e.get(), &ms), HAFT_ERROR_UNSUPPORTED, "clock");
}

// A released stream serves those of its own priority again.
TEST_F(Streams, OfAPriority) {
  const haft_device d = sim();
  for (int32_t priority : {-1, 0, -5, 3}) {
    haft::Stream s(d, priority);
    EXPECT_EQ(s.device(), d);
    haft::StreamGuard on(s);
    const Tensor x = haft::ones({4}, HAFT_FLOAT32, d);
    EXPECT_EQ(haft::sum(haft::add(x, x)).item(), 8);
  }
  haft_stream* s = nullptr;
  EXPECT_EQ(haft_stream_create_with_priority(HAFT_DEVICE_CPU, -1, &s), HAFT_OK);
  haft_stream_release(s);
  EXPECT_FAILS(haft_stream_create_with_priority(0x70000, -1, &s), HAFT_ERROR_DEVICE, "");
  EXPECT_FAILS(haft_stream_create_with_priority(HAFT_DEVICE_CPU, 0, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "out");
}

TEST_F(Streams, WhatLiesFreeOfADevice) {
  { const Tensor x = haft::zeros({1000}, HAFT_FLOAT32, sim()); }
  haft::synchronize(sim());
  int64_t n = 0;
  ASSERT_EQ(haft_memory_get_free_blocks(sim(), nullptr, 0, &n), HAFT_OK);
  ASSERT_GT(n, 0);
  std::vector<haft_memory_class> blocks(static_cast<size_t>(n));
  EXPECT_FAILS(haft_memory_get_free_blocks(sim(), blocks.data(), n - 1, &n), HAFT_ERROR_INVALID_ARGUMENT,
               "capacity");
  ASSERT_EQ(haft_memory_get_free_blocks(sim(), blocks.data(), n, &n), HAFT_OK);
  int64_t largest = 0, idle = 0;
  for (const haft_memory_class& b : blocks) {
    EXPECT_GT(b.bytes, largest);
    EXPECT_GT(b.count, 0);
    largest = b.bytes;
    idle += b.bytes * b.count;
  }
  EXPECT_GE(largest, 4000);
  EXPECT_LE(idle, haft::memory_stats(sim()).reserved);
  EXPECT_EQ(haft::memory_free_blocks(sim()).size(), blocks.size() * 2);
  EXPECT_TRUE(haft::memory_free_blocks(HAFT_DEVICE_CPU).empty());
}

TEST_F(Streams, MisuseIsAStatus) {
  haft_stream* s = nullptr;
  haft_event* e = nullptr;
  EXPECT_FAILS(haft_stream_create(0x70000, &s), HAFT_ERROR_DEVICE, "");
  EXPECT_FAILS(haft_event_create(HAFT_DEVICE_CPU, 2, &e), HAFT_ERROR_INVALID_ARGUMENT, "timing");
  EXPECT_FAILS(haft_stream_synchronize(nullptr), HAFT_ERROR_INVALID_ARGUMENT, "s");
  haft::Stream there(sim()), here(HAFT_DEVICE_CPU);
  haft::Event event(HAFT_DEVICE_CPU);
  EXPECT_FAILS(haft_event_record(event.get(), there.get()), HAFT_ERROR_DEVICE, "sim:0");
  EXPECT_FAILS(haft_stream_wait(there.get(), event.get()), HAFT_ERROR_DEVICE, "cpu");
  s = here.release();
  haft_stream_release(s);
  haft_device d = 0;
  EXPECT_FAILS(haft_stream_get_device(s, &d), HAFT_ERROR_STALE_HANDLE, "");
}

TEST_F(Streams, AreDoneWhenTheirWorkIs) {
  const haft_device d = sim();
  haft::Stream s(d);
  haft::StreamGuard on(s);
  const Tensor x = haft::ones({4}, HAFT_FLOAT32, d);
  s.synchronize();
  EXPECT_TRUE(s.is_done());
  EXPECT_TRUE(haft::Stream(HAFT_DEVICE_CPU).is_done());
  const haft::DeviceGraph g(d);
  haft::synchronize(d);
  std::int32_t done = 0;
  EXPECT_FALSE(haft::is_recording());
  g.begin();
  EXPECT_TRUE(haft::is_recording());
  EXPECT_FAILS(haft_stream_is_done(s.get(), &done), HAFT_ERROR_UNSUPPORTED, "cannot be recorded");
  g.end();
}

// Handles of the vendor's library: the simulated device has none. tests/bindings/python/test_cuda_devices.py has
// those of CUDA.
TEST_F(Streams, WithoutHandlesForOtherCode) {
  void* native = nullptr;
  haft_stream* out = nullptr;
  for (const haft_device d : {sim(), haft_device(HAFT_DEVICE_CPU)}) {
    const haft::Stream s(d);
    const haft::Event e(d);
    EXPECT_FAILS(haft_stream_get_native(s.get(), &native), HAFT_ERROR_UNSUPPORTED,
                 "no handle that other code knows");
    EXPECT_FAILS(haft_event_get_native(e.get(), &native), HAFT_ERROR_UNSUPPORTED, "an event of");
    EXPECT_FAILS(haft_stream_from_native(d, &native, &out), HAFT_ERROR_UNSUPPORTED, "CUDA");
  }
}

TEST_F(Streams, TheCurrentDeviceOfAThread) {
  const haft_device d = sim(), third = haft::device("sim:2");
  EXPECT_EQ(haft::device("sim"), d);
  EXPECT_EQ(haft::current_device("sim"), d);
  haft::set_current_device(third);
  EXPECT_EQ(haft::device("sim"), third);
  EXPECT_EQ(haft::current_device("sim"), third);
  EXPECT_EQ(haft::device("sim:0"), d);
  EXPECT_EQ(haft::default_device(), HAFT_DEVICE_CPU);
  std::thread([&] { EXPECT_EQ(haft::device("sim"), d); }).join();
  haft::set_current_device(HAFT_DEVICE_CPU);
  EXPECT_EQ(haft::device("sim"), third);
  haft::set_current_device(d);
  EXPECT_FAILS(haft_set_current_device(HAFT_DEVICE_DEFAULT), HAFT_ERROR_INVALID_ARGUMENT,
               "HAFT_DEVICE_DEFAULT");
  EXPECT_FAILS(haft_set_current_device(third + 7), HAFT_ERROR_DEVICE, "sim:9");
  haft_device out = 0;
  EXPECT_FAILS(haft_get_current_device("sim:1", &out), HAFT_ERROR_INVALID_ARGUMENT, "without a number");
  EXPECT_FAILS(haft_get_current_device("nowhere", &out), HAFT_ERROR_UNAVAILABLE, "nowhere");
  EXPECT_TRUE(haft::can_access_peer(d, d));
  EXPECT_FALSE(haft::can_access_peer(d, third));  // the simulated one says nothing of it
  EXPECT_FALSE(haft::can_access_peer(d, HAFT_DEVICE_CPU));
}

TEST_F(Streams, KernelsAreChosenByAThread) {
  haft::set_kernel_choice(0);  // whatever a test before has left
  haft::set_kernel_choice(HAFT_KERNELS_NO_DNN | HAFT_KERNELS_TF32_CONVOLUTION);
  EXPECT_EQ(haft::kernel_choice(), HAFT_KERNELS_NO_DNN | HAFT_KERNELS_TF32_CONVOLUTION);
  EXPECT_EQ(haft::math_precision(), HAFT_MATH_FAST);
  std::thread([] { EXPECT_EQ(haft::kernel_choice(), 0); }).join();
  haft::set_kernel_choice(0);
  EXPECT_FAILS(haft_set_kernel_choice(32), HAFT_ERROR_INVALID_ARGUMENT, "bits that mean nothing");
  EXPECT_FAILS(haft_set_kernel_choice(HAFT_KERNELS_NO_DNN | HAFT_KERNELS_DNN_ATTENTION),
               HAFT_ERROR_INVALID_ARGUMENT, "forbids it");
  EXPECT_FAILS(haft_set_kernel_choice(HAFT_KERNELS_TF32_CONVOLUTION | HAFT_KERNELS_FLOAT32_CONVOLUTION),
               HAFT_ERROR_INVALID_ARGUMENT, "forbids it");
}

TEST_F(Streams, RangesCloseWhatWasOpened) {
  while (haft_range_pop() == HAFT_OK) continue;  // whatever a test before has left
  haft::range_push("outer");
  haft::range_push("inner");
  haft::range_pop();
  haft::range_pop();
  EXPECT_FAILS(haft_range_pop(), HAFT_ERROR_INVALID_ARGUMENT, "no range");
}

TEST_F(Streams, MemoryThatWasHeldAtMost) {
  const haft_device d = sim();
  haft::trim_memory(d);
  haft::reset_peak_memory(d);
  const haft_memory_stats before = haft::memory_stats(d);
  EXPECT_EQ(before.peak_reserved, before.reserved);
  { const Tensor x = haft::zeros({1 << 20}, HAFT_FLOAT32, d); }
  haft::synchronize(d);
  haft::trim_memory(d);
  const haft_memory_stats after = haft::memory_stats(d);
  EXPECT_GE(after.peak_reserved, before.reserved + (4 << 20));
  EXPECT_LT(after.reserved, after.peak_reserved);
  haft_tensor* out = nullptr;
  const std::int64_t size[] = {std::int64_t(1) << 40};
  EXPECT_FAILS(haft_zeros(size, 1, HAFT_FLOAT32, d, &out), HAFT_ERROR_OUT_OF_MEMORY, "sim:0");
  EXPECT_EQ(haft::memory_stats(d).failures, before.failures + 1);
  EXPECT_EQ(haft::memory_stats(HAFT_DEVICE_CPU).peak_reserved, -1);
  haft_memory_stats shorter = HAFT_MEMORY_STATS_INIT;  // as a program compiled before has it
  shorter.struct_size = offsetof(haft_memory_stats, peak_reserved);
  shorter.failures = 77;
  ASSERT_EQ(haft_memory_get_stats(d, &shorter), HAFT_OK);
  EXPECT_EQ(shorter.failures, 77);
}

}  // namespace
