// Streams, events, devices and what goes wrong on them.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/cuda/cuda_testing.h"

namespace haft::cuda {
namespace {

struct Streams : CudaTest {
  void between(void* to, const void* from, int64_t bytes, haft_raw_stream s, int to_device = 0,
               int from_device = 0) {
    must(table().copy_peer, to_device, to, from_device, from, bytes, s);
  }
};

TEST_F(Streams, EventsOrderThem) {
  for (bool ordered : {true, false}) {
    const haft_raw_stream a = stream(), b = stream();
    void *p = memory(64, a), *q = memory(64, b);
    must(table().synchronize, 0);
    write(p, {21}, a);
    const haft_raw_event e = event();
    must(table().event_wait, 0, e, b);  // never recorded: at once
    must(table().event_record, 0, e, a);
    if (ordered) must(table().event_wait, 0, e, b);
    table().event_destroy(0, e);  // while b waits for it
    between(q, p, 4, b);
    EXPECT_EQ(read(q, 1, b)[0], ordered ? 21 : -1);
    table().stream_destroy(0, a);
    table().stream_destroy(0, b);
    free(p, 64);
    free(q, 64);
  }
}

TEST_F(Streams, OfTwoPriorities) {
  for (const haft_raw_stream wish : {haft_raw_stream(0), haft_raw_stream(HAFT_STREAM_FIRST)}) {
    haft_raw_stream s = wish;
    must(table().stream_create, 0, &s);
#ifdef HAFT_CUDA_ON_HOST
    EXPECT_EQ(reinterpret_cast<const CUstream_st*>(s)->priority, wish ? -1 : 0);
#endif
    table().stream_destroy(0, s);
  }
}

TEST_F(Streams, TheDefaultOneWaitsForNobody) {
  const haft_raw_stream s = stream();
  void* p = memory(64, s);
  must(table().synchronize, 0);
  write(p, {1}, s);
  EXPECT_EQ(read(p, 1)[0], -1);
  must(table().stream_synchronize, 0, s);
  EXPECT_EQ(read(p, 1)[0], 1);
  free(p, 64);
  table().stream_destroy(0, s);
}

TEST_F(Streams, DestroyingOneFinishesItsWork) {
  const haft_raw_stream s = stream();
  void* p = memory(64);
  must(table().synchronize, 0);
  write(p, {2}, s);
  table().stream_destroy(0, s);
  EXPECT_EQ(read(p, 1)[0], 2);
  free(p, 64);
}

TEST_F(Streams, EventsAreAskedAndTellTime) {
  const haft_raw_event a = event(0, HAFT_EVENT_TIMING), b = event(0, HAFT_EVENT_TIMING);
  int32_t done = 0;
  must(table().event_query, 0, a, &done);
  EXPECT_EQ(done, 1);  // nothing to wait for
  must(table().event_record, 0, a, haft_raw_stream(0));
  must(table().event_record, 0, b, haft_raw_stream(0));
  must(table().event_query, 0, b, &done);
  EXPECT_EQ(done, 0);
  must(table().event_synchronize, 0, b);
  must(table().event_query, 0, b, &done);
  EXPECT_EQ(done, 1);
  double ms = -1;
  must(table().event_elapsed, 0, a, b, &ms);
  EXPECT_GE(ms, 0);
  const haft_raw_event plain = event();
  must(table().event_record, 0, plain, haft_raw_stream(0));
  const Answer untimed = call(table().event_elapsed, 0, a, plain, &ms);
  EXPECT_EQ(untimed.status, int(Code::invalid_argument));
  expect_has(untimed.text, "made without HAFT_EVENT_TIMING");
  for (haft_raw_event e : {a, b, plain}) table().event_destroy(0, e);
  EXPECT_EQ(runtime().last_error(), 0);
}

TEST_F(Streams, DevicesCopyToEachOther) {
  void *p = memory(64, 0, 0), *q = memory(64, 0, 1);
  must(table().synchronize, 1);
  write(p, {5, 6});
  const haft_raw_event e = event(0);
  must(table().event_record, 0, e, haft_raw_stream(0));
  must(table().event_wait, 1, e, haft_raw_stream(0));
  between(q, p, 8, 0, 1, 0);
  EXPECT_EQ(read(q, 2, 0, 1), (std::vector<int>{5, 6}));
  EXPECT_TRUE(cuda_on_host::reaches(1, 0));
  table().event_destroy(0, e);
  free(p, 64);
  free(q, 64, 0, 1);
}

TEST_F(Streams, TheHostProgramsDeviceComesBack) {
  Context none = nullptr, own = nullptr, now = nullptr;
  runtime().get_context(&none);
  EXPECT_EQ(none, nullptr);
  { DeviceScope use(1); }
  runtime().get_context(&now);
  EXPECT_EQ(now, nullptr);
  runtime().set_device(0);
  runtime().get_context(&own);
  void* p = memory(64, 0, 1);
  free(p, 64, 0, 1);
  {
    DeviceScope outer(1);
    DeviceScope inner(0);
    DeviceScope same(0);
  }
  runtime().get_context(&now);
  EXPECT_EQ(now, own);
  runtime().set_context(nullptr);
}

TEST_F(Streams, DevicesThatDoNotExistAreNamed) {
  int32_t n = 0;
  must(table().device_count, &n);
  EXPECT_EQ(n, 4);
  for (int index : {-1, 4, 99}) {
    const Answer a = call(table().synchronize, index);
    EXPECT_EQ(a.status, int(Code::device));
    expect_has(a.text, "does not exist; there are 4 devices");
  }
  haft_backend_properties p{};
  must(table().properties, 1, &p);
  EXPECT_STREQ(p.name, "Simulated GPU");
  EXPECT_STREQ(p.uuid, "GPU-00000000-0000-0000-0000-000000000001");
  EXPECT_STREQ(p.pci, "0000:00:01.0");
  EXPECT_EQ(p.compute_major, 9);
  expect_has(p.runtime, "CUDA 13.0");
}

// A kernel found an index out of range: whoever waits next is told, once.
TEST_F(Streams, FaultsAreToldToWhoWaits) {
  Fault* f = fault_of(0);
  auto raised = [&] {
    *f = Fault{};
    f->op = uint32_t(OpId::index_select);
    f->value = 7, f->position = 2, f->dim = 1, f->size = 3;
    __atomic_store_n(&f->raised, uint32_t(kBeingWritten), __ATOMIC_RELEASE);
    must(table().synchronize, 0);  // a kernel of another stream still writes it: told later
    __atomic_store_n(&f->raised, uint32_t(kRaised), __ATOMIC_RELEASE);
  };
  auto expect_told = [&](const Answer& a) {
    EXPECT_EQ(a.status, int(Code::index));
    for (const char* part : {"index_select", "7", "3"}) expect_has(a.text, part);
    EXPECT_EQ(f->raised, 0u);
    must(table().synchronize, 0);
  };
  raised();
  must(table().synchronize, 1);  // another device's waits hear nothing
  expect_told(call(table().synchronize, 0));
  raised();
  expect_told(call(table().stream_synchronize, 0, haft_raw_stream(0)));
  void* p = memory(64);
  int x;
  raised();
  expect_told(call(table().copy_to_host, 0, static_cast<void*>(&x), static_cast<const void*>(p), int64_t(4),
                   haft_raw_stream(0), uint32_t(HAFT_COPY_BLOCKING)));
  const haft_raw_event e = event();
  must(table().event_record, 0, e, haft_raw_stream(0));
  raised();
  expect_told(call(table().event_synchronize, 0, e));
  table().event_destroy(0, e);
  free(p, 64);
}

// What a kernel does to its device stays: every wait and every launch says so, with CUDA's own words.
TEST_F(Streams, ADeviceThatFailedSaysSoAgain) {
  void* p = memory(64);
  must(table().synchronize, 0);
  cuda_on_host::fail_device(0, 700);
  for (int i = 0; i < 2; ++i) {
    const Answer a = call(table().synchronize, 0);
    EXPECT_EQ(a.status, int(Code::internal));
    expect_has(a.text, "an illegal memory access was encountered (cudaErrorIllegalAddress)");
    EXPECT_EQ(call(table().stream_synchronize, 0, haft_raw_stream(0)).status, int(Code::internal));
    int x = 0;
    EXPECT_EQ(
        call(table().copy_from_host, 0, p, static_cast<const void*>(&x), int64_t(4), haft_raw_stream(0), 0u)
            .status,
        int(Code::internal));
  }
  must(table().synchronize, 1);
  cuda_on_host::fail_device(0, 0);
  free(p, 64);
}

TEST_F(Streams, MessagesKeepToTheirBuffer) {
  char small[9];
  std::memset(small, 'x', sizeof small);
  EXPECT_EQ(table().synchronize(99, small, 8), int(Code::device));
  EXPECT_EQ(std::strlen(small), 7u);
  EXPECT_EQ(small[8], 'x');
  EXPECT_EQ(table().synchronize(99, nullptr, 0), int(Code::device));
}

TEST_F(Streams, ChildrenOfAForkAreTold) {
  const pid_t child = fork();
  if (child == 0) {
    char error[256] = "";
    const bool told =
        table().synchronize(0, error, sizeof error) == int(Code::forked) && std::strstr(error, "fork");
    _exit(told ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Streams, ServeManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const int device = t % 2;
      char error[256];
      for (int i = 0; i < 50; ++i) {
        haft_raw_stream s = 0;
        void* p = nullptr;
        int x = t * 1000 + i, y = 0;
        const bool right =
            table().stream_create(device, &s, error, sizeof error) == 0 &&
            table().alloc(device, i % 8 ? 64 : 9 << 20, s, &p, error, sizeof error) == 0 &&
            table().copy_from_host(device, p, &x, 4, s, 0, error, sizeof error) == 0 &&
            table().copy_to_host(device, &y, p, 4, s, HAFT_COPY_BLOCKING, error, sizeof error) == 0;
        wrong += !right || x != y;
        table().free(device, p, i % 8 ? 64 : 9 << 20, s);
        table().stream_destroy(device, s);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace haft::cuda
