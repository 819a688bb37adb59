// The simulation catches what programs must not do with CUDA: without that its silence would say nothing.
#include "tests/cuda/cuda_testing.h"

namespace haft::cuda {
namespace {

struct Simulation : CudaTest {
  const Runtime& r = runtime();
  Stream s = nullptr;
  void SetUp() override {
    CudaTest::SetUp();
    DeviceScope use(0);
    r.stream_create(&s, 0);
  }
  void TearDown() override {
    {
      DeviceScope use(0);
      r.stream_destroy(s);
    }
    CudaTest::TearDown();
  }
  void* taken(size_t n = 1024) {
    void* p;
    EXPECT_EQ(r.malloc_async(&p, n, s), 0);
    return p;
  }
};

void nothing(int) {}
Launch launch_of(Stream s, void** arguments, const size_t* sizes) {
  Launch l{reinterpret_cast<const void*>(nothing), nullptr, {}, {}, arguments, 0, s, sizes, 1};
  l.invoke = [](const void* f, void** a) {
    reinterpret_cast<void (*)(int)>(const_cast<void*>(f))(*static_cast<int*>(a[0]));
  };
  return l;
}

TEST_F(Simulation, RunsNothingBeforeSomebodyWaits) {
  DeviceScope use(0);
  void* pinned;
  r.host_alloc(&pinned, 64);
  int* host = static_cast<int*>(pinned);
  *host = 1;
  void* p = taken();
  r.copy_async(p, host, 4, kHostToDevice, s);
  *host = 2;  // too early: the copy reads it later
  r.fill_async(static_cast<char*>(p) + 4, 0, 4, s);
  int got = 0;
  r.copy_async(&got, p, 4, kDeviceToHost, s);
  EXPECT_EQ(got, 2);
  r.free_async(p, s);
  r.stream_synchronize(s);
  r.host_free(pinned);
}

TEST_F(Simulation, AMissingWaitReadsWhatIsNotThereYet) {
  DeviceScope use(0);
  Stream other;
  r.stream_create(&other, 0);
  void* p = taken();
  r.stream_synchronize(s);
  r.fill_async(p, 7, 4, s);
  unsigned got = 0;
  r.copy_async(&got, p, 4, kDeviceToHost, other);
  EXPECT_EQ(got, 0xffffffffu);
  Event e;
  r.event_create(&e, 0);
  r.event_record(e, s);
  r.stream_wait_event(other, e);
  r.copy_async(&got, p, 4, kDeviceToHost, other);
  EXPECT_EQ(got, 0x07070707u);
  r.event_destroy(e);
  r.free_async(p, s);
  r.stream_destroy(other);
}

TEST_F(Simulation, KnowsMemoryThatIsNotReadyOrGone) {
  DeviceScope use(0);
  Stream other;
  r.stream_create(&other, 0);
  void* p = taken();
  unsigned got;
  expect_has(mistake_of([&] { r.copy_async(&got, p, 4, kDeviceToHost, other); }),
             "before its stream has come to its allocation");
  r.stream_synchronize(s);
  r.free_async(p, s);
  expect_has(mistake_of([&] { r.fill_async(p, 0, 4, s); }), "were freed");
  expect_has(mistake_of([&] { r.free_async(p, s); }), "were freed");
  r.stream_destroy(other);
}

TEST_F(Simulation, KnowsTheEndsOfMemory) {
  DeviceScope use(0);
  char* p = static_cast<char*>(taken(1000));
  int host;
  expect_has(mistake_of([&] { r.fill_async(p + 996, 0, 8, s); }), "outside their allocation of 1000 bytes");
  expect_has(mistake_of([&] { r.fill_async(&host, 0, 4, s); }), "no memory of a device");
  expect_has(mistake_of([&] { r.copy_async(p, p, 4, kHostToDevice, s); }), "host side is memory of a device");
  expect_has(mistake_of([&] { r.free_async(p + 4, s); }), "does not begin there");
  r.free_async(p, s);
}

TEST_F(Simulation, KnowsTheCurrentDevice) {
  void* p;
  {
    DeviceScope use(0);
    p = taken();
  }
  expect_has(mistake_of([&] { r.fill_async(p, 0, 4, s); }), "no device is current");
  DeviceScope other(1);
  expect_has(mistake_of([&] { r.fill_async(p, 0, 4, s); }),
             "the stream is of device 0, the current one is 1");
  Stream theirs;
  r.stream_create(&theirs, 0);
  EXPECT_EQ(mistake_of([&] {
              r.fill_async(p, 0, 4, theirs);
            }).find("of device 0, which device 1 does not reach") != std::string::npos,
            !cuda_on_host::reaches(1, 0));
  expect_has(mistake_of([&] { r.fill_async(p, 0, 4, nullptr); }), "legacy default stream");
  r.stream_destroy(theirs);
  expect_has(mistake_of([&] { r.stream_synchronize(theirs); }), "was destroyed");
  DeviceScope back(0);
  r.free_async(p, s);
}

TEST_F(Simulation, ChecksLaunches) {
  DeviceScope use(0);
  int x = 0;
  void* arguments[] = {&x};
  const size_t sizes[] = {sizeof x};
  auto wrong = [&](auto change) {
    Launch l = launch_of(s, arguments, sizes);
    change(l);
    return mistake_of([&] { r.launch(l); });
  };
  EXPECT_EQ(wrong([](Launch&) {}), "");
  expect_has(wrong([](Launch& l) { l.grid.y = 65536; }), "65536 blocks in y, at most 65535");
  expect_has(wrong([](Launch& l) { l.grid.z = 65536; }), "65536 blocks in z");
  expect_has(wrong([](Launch& l) { l.grid.x = 0; }), "a launch of nothing");
  expect_has(wrong([](Launch& l) { l.block.x = 1025; }), "1025 threads a block, at most 1024");
  expect_has(wrong([](Launch& l) { l.block.z = 65; }), "65 threads in z");
  expect_has(wrong([](Launch& l) { l.shared = 48 * 1024 + 1; }),
             "49153 bytes of shared memory without allow_shared");
  r.allow_shared(reinterpret_cast<const void*>(nothing), 64 << 10);
  EXPECT_EQ(wrong([](Launch& l) { l.shared = 64 << 10; }), "");
  expect_has(wrong([](Launch& l) { l.invoke = nullptr; }), "not compiled for the host");
  expect_has(mistake_of([&] { r.allow_shared(reinterpret_cast<const void*>(nothing), 228 << 10); }),
             "a block has 232448");
}

TEST_F(Simulation, ArgumentsOfALaunchAreItsOwn) {
  DeviceScope use(0);
  static int seen;
  void (*kernel)(int) = [](int x) { seen = x; };
  int x = 5;
  void* arguments[] = {&x};
  const size_t sizes[] = {sizeof x};
  Launch l = launch_of(s, arguments, sizes);
  l.kernel = reinterpret_cast<const void*>(kernel);
  seen = 0;
  r.launch(l);
  x = 6;
  EXPECT_EQ(seen, 0);
  r.stream_synchronize(s);
  EXPECT_EQ(seen, 5);
}

TEST_F(Simulation, RecordingsHoldNeitherMemoryNorWaits) {
  DeviceScope use(0);
  void* p = taken();
  r.capture_begin(s);
  void* q;
  expect_has(mistake_of([&] { r.malloc_async(&q, 16, s); }),
             "an allocation on a stream that is being recorded");
  expect_has(mistake_of([&] { r.free_async(p, s); }), "freed on a stream that is being recorded");
  int host = 0;
  expect_has(mistake_of([&] { r.copy_async(p, &host, 4, kHostToDevice, s); }),
             "not pinned is being recorded");
  EXPECT_EQ(r.stream_synchronize(s), int(kStreamCaptureUnsupported));
  Graph g;
  EXPECT_EQ(r.capture_end(s, &g), int(kStreamCaptureInvalidated));
  EXPECT_EQ(r.last_error(), int(kStreamCaptureInvalidated));
  r.free_async(p, s);
}

TEST_F(Simulation, StreamsOfARecordingMustComeBack) {
  DeviceScope use(0);
  Stream other;
  Event e, back;
  r.stream_create(&other, 0);
  r.event_create(&e, 0);
  r.event_create(&back, 0);
  void* p = taken();
  for (bool joined : {false, true}) {
    r.capture_begin(s);
    r.event_record(e, s);
    r.stream_wait_event(other, e);
    r.fill_async(p, 1, 4, other);
    if (joined) {
      r.event_record(back, other);
      r.stream_wait_event(s, back);
    }
    Graph g;
    EXPECT_EQ(r.capture_end(s, &g), joined ? 0 : 904);
    if (joined) r.graph_destroy(g);
  }
  r.last_error();
  r.event_destroy(e);
  r.event_destroy(back);
  r.free_async(p, s);
  r.stream_destroy(other);
}

TEST_F(Simulation, PinnedMemoryStaysWhileACopyUsesIt) {
  DeviceScope use(0);
  void *p = taken(), *pinned;
  r.host_alloc(&pinned, 64);
  r.copy_async(pinned, p, 64, kDeviceToHost, s);
  expect_has(mistake_of([&] { r.host_free(pinned); }), "while a copy waits that uses it");
  r.stream_synchronize(s);
  r.host_free(pinned);
  r.free_async(p, s);
}

TEST_F(Simulation, CountsWhatIsNotGivenBack) {
  DeviceScope use(0);
  const auto before = cuda_on_host::live();
  void* p = taken();
  Event e;
  r.event_create(&e, 0);
  EXPECT_EQ(cuda_on_host::live().blocks, before.blocks + 1);
  EXPECT_EQ(cuda_on_host::live().events, before.events + 1);
  r.free_async(p, s);
  r.event_destroy(e);
  EXPECT_TRUE(cuda_on_host::live() == before);
}

#ifndef __SANITIZE_ADDRESS__
using SimulationDeathTest = Simulation;
TEST_F(SimulationDeathTest, DeviceMemoryIsNotTheHosts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  DeviceScope use(0);
  volatile int* p = static_cast<int*>(taken());
  EXPECT_DEATH(*p = 1, "before its stream has come to its allocation");
  r.stream_synchronize(s);
  EXPECT_DEATH(*p = 1, "touched by the host: memory of the pool at byte 0 of 1024");
  EXPECT_DEATH(p[256] = 1, "touched beyond its end");
  r.free_async(const_cast<int*>(p), s);
  r.stream_synchronize(s);
  EXPECT_DEATH(*p = 1, "touched after it was freed");
}
TEST_F(SimulationDeathTest, KernelsStayWithinTheirMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  DeviceScope use(0);
  auto run = [&](int* p) {
    void (*kernel)(int*) = [](int* q) { *q = 1; };
    void* arguments[] = {&p};
    const size_t sizes[] = {sizeof p};
    Launch l{reinterpret_cast<const void*>(kernel), nullptr, {}, {}, arguments, 0, s, sizes, 1};
    l.invoke = [](const void* f, void** a) {
      reinterpret_cast<void (*)(int*)>(const_cast<void*>(f))(*static_cast<int**>(a[0]));
    };
    r.launch(l);
    r.stream_synchronize(s);
  };
  int* p = static_cast<int*>(taken());
  run(p);
  EXPECT_DEATH(run(p + 256), "touched beyond its end");
  r.free_async(p, s);
  EXPECT_DEATH(run(p), "touched after it was freed");
}
#endif

}  // namespace
}  // namespace haft::cuda
