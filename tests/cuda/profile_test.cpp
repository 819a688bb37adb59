// Profiles by a simulated CUPTI: kernels, copies and fills of all devices, whose work they are, on the host's clock;
// and NVTX's ranges.
#include <ctime>

#include "core/cuda/cupti.h"
#include "core/cuda/library.h"
#include "tests/cuda/cuda_testing.h"

namespace haft::cuda {
namespace {

struct Row {
  haft_profiled what;
  std::string name;
};
void take(void* rows, const haft_profiled* what) {
  EXPECT_EQ(what->struct_size, sizeof(haft_profiled));
  static_cast<std::vector<Row>*>(rows)->push_back({*what, what->name});
}
int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

struct Profiles : CudaTest {
  std::vector<Row> read() {
    std::vector<Row> rows;
    must(table().profile_read, &take, static_cast<void*>(&rows));
    return rows;
  }
  void fill(void* p, haft_raw_stream s = 0) {
    DeviceScope scope(0);
    check(runtime().fill_async(p, 0, 64, stream_of(0, s)), "a fill");
  }
};

TEST_F(Profiles, TellWhatRanWhenAndForWhom) {
  const haft_raw_stream s = stream();
  void *p = memory(64, s), *q = memory(64, 0, 2);  // other tests want that device 1 does not reach device 0
  must(table().synchronize, 0);
  must(table().synchronize, 2);
  write(p, {1}, s);  // before
  must(table().stream_synchronize, 0, s);
  must(table().profile_start);
  const int64_t begin = now();
  table().profile_enter(5);
  write(p, {21}, s);
  table().profile_enter(6);
  fill(p, s);
  table().profile_leave();
  fill(p, s);
  table().profile_leave();
  const haft_raw_event e = event();
  must(table().event_record, 0, e, s);
  must(table().event_wait, 2, e, haft_raw_stream(0));
  must(table().copy_peer, 2, q, 0, p, int64_t(32), haft_raw_stream(0));  // nobody's
  const std::vector<Row> rows = read();
  const int64_t end = now();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].name, "copy to the device");
  EXPECT_EQ(rows[0].what.kind, HAFT_PROFILED_COPY);
  EXPECT_EQ(rows[0].what.bytes, 4);
  EXPECT_EQ(rows[0].what.caller, 5u);
  EXPECT_EQ(rows[1].what.kind, HAFT_PROFILED_FILL);
  EXPECT_EQ(rows[1].what.bytes, 64);
  EXPECT_EQ(rows[1].what.caller, 6u);
  EXPECT_EQ(rows[2].what.caller, 5u);
  EXPECT_EQ(rows[3].name, "copy between devices");
  EXPECT_EQ(rows[3].what.device_index, 0);
  EXPECT_EQ(rows[3].what.bytes, 32);
  EXPECT_EQ(rows[3].what.caller, 0u);
  EXPECT_EQ(rows[0].what.stream, rows[1].what.stream);
  EXPECT_NE(rows[0].what.stream, rows[3].what.stream);
  int64_t last = begin;
  for (const Row& r : rows) {  // CUPTI's clock is another and faster
    EXPECT_GE(r.what.start_ns, last - 1000) << r.name;
    EXPECT_GE(r.what.duration_ns, 0) << r.name;
    last = r.what.start_ns + r.what.duration_ns;
  }
  EXPECT_LE(last, end + 1000);
  EXPECT_TRUE(read().empty());  // each once

  must(table().profile_start);  // a second profile
  table().profile_stop();
  fill(p, s);
  EXPECT_EQ(read().size(), 1u);
  table().profile_stop();
  fill(p, s);
  must(table().stream_synchronize, 0, s);
  must(table().profile_start);
  EXPECT_TRUE(read().empty());
  table().profile_stop();

  table().event_destroy(0, e);
  free(p, 64);
  free(q, 64, 0, 2);
  table().stream_destroy(0, s);
}

TEST_F(Profiles, ReplaysBelongToTheirCallers) {
  const haft_raw_stream s = stream();
  void* p = memory(64, s);
  must(table().stream_synchronize, 0, s);
  must(table().profile_start);
  table().profile_enter(1);
  must(table().capture_begin, 0, s);
  fill(p, s);
  fill(p, s);
  std::vector<Row> none;
  const Answer refused = call(table().profile_read, &take, static_cast<void*>(&none));
  EXPECT_EQ(refused.status, int(Code::unsupported));
  EXPECT_NE(refused.text.find("reading a profile"), refused.text.npos) << refused.text;
  haft_raw_graph g = 0;
  must(table().capture_end, 0, s, &g);
  table().profile_leave();
  EXPECT_TRUE(read().empty());  // nothing has run
  table().profile_enter(2);
  must(table().graph_replay, 0, g, s);
  table().profile_leave();
  const std::vector<Row> rows = read();
  EXPECT_EQ(rows.size(), 2u);
  for (const Row& r : rows) EXPECT_EQ(r.what.caller, 2u);
  table().profile_stop();
  table().graph_destroy(0, g);
  free(p, 64);
  table().stream_destroy(0, s);
}

TEST_F(Profiles, FillMoreThanOneBuffer) {
  const haft_raw_stream s = stream();
  void* p = memory(64, s);
  must(table().stream_synchronize, 0, s);
  must(table().profile_start);
  constexpr int kMany = 20000;  // of 48 and 24 bytes, in buffers of 1 MiB
  for (int i = 0; i < kMany; ++i) {
    table().profile_enter(uint64_t(i) + 1);
    fill(p, s);
    table().profile_leave();
  }
  const std::vector<Row> rows = read();
  ASSERT_EQ(rows.size(), size_t(kMany));
  for (int i = 0; i < kMany; ++i) ASSERT_EQ(rows[size_t(i)].what.caller, uint64_t(i) + 1);
  table().profile_stop();
  free(p, 64);
  table().stream_destroy(0, s);
}

TEST_F(Profiles, RangesGoToNvtx) {
  cuda_on_host::ranges().clear();
  table().range_push("step");
  table().range_push("add");
  table().range_pop();
  table().range_pop();
  EXPECT_EQ(cuda_on_host::ranges(), (std::vector<std::string>{"step", "add", "/", "/"}));
}

TEST_F(Profiles, CuptiIsAmongTheLibraries) {
  const LibraryFacts f = library_facts(Library::cupti);
  EXPECT_EQ(f.version, "13.0.1");
  EXPECT_STREQ(f.file, "libcupti.so.13");
}

}  // namespace
}  // namespace haft::cuda
