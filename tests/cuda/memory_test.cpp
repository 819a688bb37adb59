// Memory of the plug-in's devices: the pool's, mapped memory that loses and regains what lies under it, pinned memory.
#include "core/cuda/mapped.h"
#include "tests/cuda/cuda_testing.h"

namespace haft::cuda {
namespace {

using cuda_on_host::live;
constexpr int64_t kMega = int64_t(1) << 20;

struct Memory : CudaTest {
  int64_t free_bytes(int device = 0) {
    haft_backend_memory m{};
    must(table().memory_info, device, &m);
    return m.free;
  }
};

TEST_F(Memory, IsAlignedAndCountsWhatIsFree) {
  const int64_t at_first = free_bytes();
  void* p = memory(kMega);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 256, 0u);
  EXPECT_EQ(free_bytes(), at_first - kMega);
  free(p, kMega);
  must(table().synchronize, 0);
  EXPECT_EQ(free_bytes(), at_first);
}

TEST_F(Memory, FreedMemoryServesWhatWasEnqueuedBefore) {
  for (int64_t bytes : {kMega, 9 * kMega}) {
    void *a = memory(bytes), *b = memory(16);
    write(a, {1, 2, 3});
    must(table().copy_peer, 0, b, 0, static_cast<const void*>(a), int64_t(12), haft_raw_stream(0));
    free(a, bytes);  // the copy has not run
    EXPECT_EQ(read(b, 3), (std::vector<int>{1, 2, 3}));
    free(b, 16);
  }
}

TEST_F(Memory, MappedMemoryGoesWhenItsStreamHasPassed) {
  const int64_t at_first = free_bytes();
  const haft_raw_stream s = stream();
  void* p = memory(9 * kMega, s);
  EXPECT_EQ(free_bytes(), at_first - 10 * kMega);  // in granules
  write(p, {4}, s);
  free(p, 9 * kMega, s);
  must(table().stream_synchronize, 0, s);
  EXPECT_EQ(free_bytes(), at_first);
  table().stream_destroy(0, s);
}

TEST_F(Memory, DecommittedMemoryKeepsItsAddress) {
  const int64_t bytes = 16 * kMega, at_first = free_bytes();
  void *p = memory(bytes), *q = memory(64);
  write(p, {1, 2, 3});
  must(table().copy_peer, 0, q, 0, static_cast<const void*>(p), int64_t(12), haft_raw_stream(0));
  must(table().decommit, 0, p, bytes);  // behind the copy, without waiting for it
  EXPECT_EQ(read(q, 3), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(free_bytes(), at_first - 64);
  must(table().decommit, 0, p, bytes);  // again: nothing
  must(table().commit, 0, p, bytes);
  EXPECT_EQ(free_bytes(), at_first - 64 - bytes);
  write(p, {5, 6});
  EXPECT_EQ(read(p, 2), (std::vector<int>{5, 6}));
  must(table().decommit, 0, p, bytes);
  free(p, bytes);
  free(q, 64);
}

TEST_F(Memory, WhatOtherStreamsStillUseIsNotGivenBack) {
  const int64_t bytes = 16 * kMega;
  const haft_raw_stream s = stream();
  void *p = memory(bytes), *q = memory(64);
  must(table().synchronize, 0);
  write(p, {7}, s);
  must(table().copy_peer, 0, q, 0, static_cast<const void*>(p), int64_t(4), s);
  must(table().decommit, 0, p, bytes);
  must(table().stream_synchronize, 0, haft_raw_stream(0));
  (void)free_bytes();  // here it would go
  EXPECT_EQ(read(q, 1, s), (std::vector<int>{7}));
  free(p, bytes);
  free(q, 64);
  table().stream_destroy(0, s);
}

TEST_F(Memory, CommitBeforeItIsGoneCostsNothing) {
  const int64_t bytes = 16 * kMega;
  void* p = memory(bytes);
  must(table().synchronize, 0);
  const int64_t with_it = free_bytes();
  write(p, {8});
  must(table().decommit, 0, p, bytes);
  must(table().commit, 0, p, bytes);
  must(table().synchronize, 0);
  EXPECT_EQ(free_bytes(), with_it);
  EXPECT_EQ(read(p, 1), (std::vector<int>{8}));
  free(p, bytes);
}

TEST_F(Memory, SmallMemoryIsKeptByDecommit) {
  void* p = memory(kMega);
  must(table().synchronize, 0);
  const int64_t with_it = free_bytes();
  must(table().decommit, 0, p, kMega);
  must(table().synchronize, 0);
  EXPECT_EQ(free_bytes(), with_it);
  must(table().commit, 0, p, kMega);
  free(p, kMega);
}

TEST_F(Memory, RunsOutWithAStatus) {
  cuda_on_host::limit_memory(size_t(32) << 20);
  void* p = nullptr;
  for (int64_t bytes : {7 * kMega, 40 * kMega}) {
    std::vector<void*> all;
    Answer a{0, ""};
    for (; all.size() < 100; all.push_back(p)) {
      a = call(table().alloc, 0, bytes, haft_raw_stream(0), &p);
      if (a.status) break;
    }
    EXPECT_EQ(a.status, int(Code::out_of_memory));
    expect_has(a.text, "out of memory (cudaErrorMemoryAllocation)");
    for (void* q : all) free(q, bytes);
  }
  EXPECT_EQ(runtime().last_error(), 0);  // the host program's own calls see nothing of it
}

TEST_F(Memory, WhatIsOnItsWayOutMakesRoom) {
  cuda_on_host::limit_memory(size_t(32) << 20);
  void* p = memory(20 * kMega);
  free(p, 20 * kMega);  // its event has not passed
  void* q = memory(20 * kMega);
  must(table().decommit, 0, q, 20 * kMega);
  void* small = memory(7 * kMega);  // of the pool
  void* third = memory(20 * kMega);
  EXPECT_EQ(call(table().commit, 0, q, 20 * kMega).status, int(Code::out_of_memory));
  free(third, 20 * kMega);
  must(table().commit, 0, q, 20 * kMega);
  free(q, 20 * kMega);
  free(small, 7 * kMega);
}

TEST_F(Memory, TrimTellsWhatItFreed) {
  void* p = memory(20 * kMega);
  free(p, 20 * kMega);
  int64_t freed = 0;
  must(table().trim, 0, &freed);
  EXPECT_EQ(freed, 20 * kMega);
}

TEST_F(Memory, PinnedMemoryServesAllDevices) {
  void* pinned = nullptr;
  must(table().pinned_alloc, 0, int64_t(64), &pinned);
  int* host = static_cast<int*>(pinned);
  void* p = memory(64, 0, 1);
  host[0] = 11;
  must(table().copy_from_host, 1, p, static_cast<const void*>(pinned), int64_t(4), haft_raw_stream(0),
       uint32_t(HAFT_COPY_PINNED));
  host[0] = 12;  // the copy has not run
  must(table().copy_to_host, 1, static_cast<void*>(host + 1), static_cast<const void*>(p), int64_t(4),
       haft_raw_stream(0), uint32_t(HAFT_COPY_PINNED));
  EXPECT_NE(host[1], 12);
  must(table().stream_synchronize, 1, haft_raw_stream(0));
  EXPECT_EQ(host[1], 12);
  must(table().copy_to_host, 1, static_cast<void*>(host + 2), static_cast<const void*>(p), int64_t(4),
       haft_raw_stream(0), uint32_t(HAFT_COPY_PINNED | HAFT_COPY_BLOCKING));
  EXPECT_EQ(host[2], 12);
  table().pinned_free(0, pinned, 64);
  free(p, 64, 0, 1);
}

TEST_F(Memory, OtherHostMemoryIsReadOnReturn) {
  void* p = memory(64);
  int x = 3;
  must(table().copy_from_host, 0, p, static_cast<const void*>(&x), int64_t(4), haft_raw_stream(0), 0u);
  x = 4;
  int y = 0;
  must(table().copy_to_host, 0, static_cast<void*>(&y), static_cast<const void*>(p), int64_t(4),
       haft_raw_stream(0), 0u);
  EXPECT_EQ(y, 3);
  must(table().copy_from_host, 0, p, static_cast<const void*>(nullptr), int64_t(0), haft_raw_stream(0),
       0u);  // nothing
  free(p, 64);
}

// Pinned by somebody else: the engine does not know, so nobody would hold it until the copy has run.
TEST_F(Memory, PinnedMemoryOfOthersIsReadOnReturn) {
  void *p = memory(64), *pinned = nullptr;
  must(table().pinned_alloc, 0, int64_t(64), &pinned);
  int* host = static_cast<int*>(pinned);
  host[0] = 3;
  must(table().copy_from_host, 0, p, static_cast<const void*>(pinned), int64_t(4), haft_raw_stream(0), 0u);
  host[0] = 4;
  int y = 0;
  must(table().copy_to_host, 0, static_cast<void*>(&y), static_cast<const void*>(p), int64_t(4),
       haft_raw_stream(0), 0u);
  EXPECT_EQ(y, 3);
  table().pinned_free(0, pinned, 64);
  free(p, 64);
}

}  // namespace
}  // namespace haft::cuda
