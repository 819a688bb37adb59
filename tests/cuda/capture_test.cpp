// Recordings: what they hold, what they refuse, and what happens beside them.
#include <atomic>
#include <thread>

#include "tests/cuda/cuda_testing.h"

namespace haft::cuda {
namespace {

constexpr int64_t kMega = int64_t(1) << 20;

struct Captures : CudaTest {
  haft_raw_stream s = 0;
  haft_raw_arena arena = 0;
  void SetUp() override {
    CudaTest::SetUp();
    s = stream();
    must(table().arena_create, 0, &arena);
  }
  void TearDown() override {
    table().arena_destroy(0, arena);
    table().stream_destroy(0, s);
    CudaTest::TearDown();
  }
  void* of_arena(int64_t bytes) {
    void* p = nullptr;
    must(table().arena_alloc, 0, arena, bytes, &p);
    return p;
  }
  void begin() { must(table().capture_begin, 0, s); }
  haft_raw_graph end() {
    haft_raw_graph g = 0;
    must(table().capture_end, 0, s, &g);
    return g;
  }
  void copy(void* to, const void* from, int64_t bytes, haft_raw_stream on) {
    must(table().copy_peer, 0, to, 0, from, bytes, on);
  }
  Answer end_without() { return call(table().capture_end, 0, s, static_cast<haft_raw_graph*>(nullptr)); }
};

TEST_F(Captures, ReplayOverTheSameAddressesWithWhatTheyHold) {
  void *p = memory(64), *q = memory(64);
  write(p, {1});
  must(table().synchronize, 0);
  begin();
  void* between = of_arena(64);
  copy(between, p, 4, s);
  copy(q, between, 4, s);
  const haft_raw_graph g = end();
  EXPECT_EQ(read(q, 1)[0], -1);  // nothing ran
  for (int x : {5, 6}) {
    write(p, {x}, s);
    must(table().graph_replay, 0, g, s);
    EXPECT_EQ(read(q, 1, s)[0], x);
  }
  must(table().graph_replay, 0, g, s);
  table().graph_destroy(0, g);  // while it waits to run
  must(table().stream_synchronize, 0, s);
  free(p, 64);
  free(q, 64);
}

TEST_F(Captures, ArenasCutChunksAndGoAsAWhole) {
  const auto before = cuda_on_host::live();
  char *a = static_cast<char*>(of_arena(100)), *b = static_cast<char*>(of_arena(1000)),
       *big = static_cast<char*>(of_arena(3 * kMega));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 256, 0u);
  EXPECT_EQ(b - a, 512);
  EXPECT_NE(big, nullptr);
  EXPECT_EQ(cuda_on_host::live().blocks, before.blocks + 2);
  cuda_on_host::limit_memory(size_t(16) << 20);
  void* p = nullptr;
  EXPECT_EQ(call(table().arena_alloc, 0, arena, 20 * kMega, &p).status, int(Code::out_of_memory));
}

TEST_F(Captures, OtherStreamsJoinByEvents) {
  const haft_raw_stream other = stream();
  const haft_raw_event there = event(), back = event();
  void *p = memory(64), *q = memory(64), *r = memory(64);
  write(p, {1});
  must(table().synchronize, 0);
  begin();
  copy(q, p, 4, s);
  must(table().event_record, 0, there, s);
  must(table().event_wait, 0, there, other);
  copy(r, q, 4, other);
  must(table().event_record, 0, back, other);
  must(table().event_wait, 0, back, s);
  const haft_raw_graph g = end();
  write(p, {9}, s);
  must(table().graph_replay, 0, g, s);
  EXPECT_EQ(read(r, 1, s)[0], 9);
  copy(r, p, 4, other);  // not recorded any more
  table().graph_destroy(0, g);
  table().event_destroy(0, there);
  table().event_destroy(0, back);
  table().stream_destroy(0, other);
  for (void* m : {p, q, r}) free(m, 64);
}

TEST_F(Captures, RefuseWhatCannotBeRecordedAndNameIt) {
  void *p = memory(64), *q = nullptr;
  must(table().synchronize, 0);
  int x = 0;
  begin();
  auto refused = [&](const Answer& a, const char* what) {
    EXPECT_EQ(a.status, int(Code::unsupported));
    expect_has(a.text, what);
    expect_has(a.text, "cannot be recorded");
  };
  refused(call(table().alloc, 0, int64_t(64), s, &q), "memory that is no arena's");
  refused(call(table().alloc, 0, 20 * kMega, s, &q), "memory that is no arena's");
  refused(call(table().stream_synchronize, 0, s), "waiting for a stream");
  refused(call(table().synchronize, 0), "waiting for the device");
  refused(call(table().copy_from_host, 0, p, static_cast<const void*>(&x), int64_t(4), s, 0u),
          "a copy from the host");
  refused(call(table().copy_to_host, 0, static_cast<void*>(&x), static_cast<const void*>(p), int64_t(4), s,
               uint32_t(HAFT_COPY_BLOCKING)),
          "a copy to the host");
  int64_t freed;
  refused(call(table().trim, 0, &freed), "giving memory back");
  refused(call(table().decommit, 0, p, int64_t(64)), "giving memory back");
  copy(p, p, 4, s);
  table().graph_destroy(0, end());  // none of them has spoiled it
  free(p, 64);
}

TEST_F(Captures, PinnedCopiesAreRecorded) {
  void *p = memory(64), *pinned = nullptr;
  must(table().pinned_alloc, 0, int64_t(64), &pinned);
  int* host = static_cast<int*>(pinned);
  must(table().synchronize, 0);
  begin();
  must(table().copy_from_host, 0, p, static_cast<const void*>(host), int64_t(4), s,
       uint32_t(HAFT_COPY_PINNED));
  must(table().copy_to_host, 0, static_cast<void*>(host + 1), static_cast<const void*>(p), int64_t(4), s,
       uint32_t(HAFT_COPY_PINNED));
  const haft_raw_graph g = end();
  for (int x : {3, 4}) {
    host[0] = x;
    must(table().graph_replay, 0, g, s);
    must(table().stream_synchronize, 0, s);
    EXPECT_EQ(host[1], x);
  }
  table().graph_destroy(0, g);
  table().pinned_free(0, pinned, 64);
  free(p, 64);
}

TEST_F(Captures, FreeingIsDoneBesideThem) {
  const haft_raw_stream gone = stream();
  void *p = memory(64, s), *big = memory(20 * kMega, s), *late = memory(64, gone);
  must(table().synchronize, 0);
  write(p, {2}, s);
  begin();
  free(p, 64, s);
  free(big, 20 * kMega, s);
  free(late, 64, gone);  // of a stream that is not recorded: at once
  table().stream_destroy(0, gone);
  void* q = of_arena(64);
  copy(q, q, 4, s);
  table().graph_destroy(0, end());
  must(table().synchronize, 0);
}

// Whoever frees meanwhile finds a recording under way or over, so that nothing stays held behind the last one.
TEST_F(Captures, FreeingWhileTheyBeginAndEnd) {
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 40; ++i) blocks.push_back(memory(64, s));
    void* const big = memory(9 * kMega, s);
    must(table().synchronize, 0);
    std::atomic<bool> go{false};
    std::thread other([&] {
      while (!go) std::this_thread::yield();
      for (void* p : blocks) free(p, 64, s);
      free(big, 9 * kMega, s);
    });
    go = true;
    for (int i = 0; i < 6; ++i) {
      begin();
      table().graph_destroy(0, end());
    }
    other.join();
  }
  must(table().synchronize, 0);
}

TEST_F(Captures, EndWithTheReasonWhenTheyWentWrong) {
  const haft_raw_stream other = stream();
  const haft_raw_event e = event();
  void* p = memory(64);
  must(table().synchronize, 0);
  begin();
  must(table().event_record, 0, e, s);
  must(table().event_wait, 0, e, other);
  copy(p, p, 4, other);
  haft_raw_graph g = 0;
  Answer a = call(table().capture_end, 0, s, &g);  // the other stream has not come back
  EXPECT_EQ(a.status, int(Code::unsupported));
  expect_has(a.text, "unjoined work");
  EXPECT_EQ(g, 0u);

  must(table().event_record, 0, e, other);
  begin();
  a = call(table().event_wait, 0, e, s);  // for work that is not recorded
  EXPECT_EQ(a.status, int(Code::unsupported));
  expect_has(a.text, "a stream's waiting for an event");
  a = call(table().capture_end, 0, s, &g);
  EXPECT_EQ(a.status, int(Code::unsupported));

  begin();
  a = call(table().capture_begin, 0, s);
  EXPECT_EQ(a.status, int(Code::invalid_argument));
  expect_has(a.text, "already");
  EXPECT_EQ(end_without().status, 0);
  begin();  // the stream is as before
  table().graph_destroy(0, end());
  EXPECT_EQ(runtime().last_error(), 0);
  table().event_destroy(0, e);
  table().stream_destroy(0, other);
  free(p, 64);
}

}  // namespace
}  // namespace haft::cuda
