// The profiler through the C interface: what it records, its table and its trace.
#include <fstream>
#include <iterator>
#include <thread>

#include "capi_testing.h"

namespace {

struct Profiler : CapiTest {};

struct Profile {
  haft_profile* p = nullptr;
  ~Profile() { haft_profile_release(p); }
  std::string table() const {
    return haft::detail::text_of(
        [this](char* b, int64_t n, int64_t* needed) { return haft_profile_get_table(p, b, n, needed); });
  }
};

TEST_F(Profiler, RecordsOperatorsOfItsThread) {
  Tensor x = leaf({1, 2});
  ASSERT_EQ(haft_profiler_start(1), HAFT_OK);
  EXPECT_FAILS(haft_profiler_start(0), HAFT_ERROR_BUSY, "");
  ASSERT_EQ(haft_profiler_push("forward"), HAFT_OK);
  Tensor y = haft::sum(haft::exp(x));
  ASSERT_EQ(haft_profiler_pop(), HAFT_OK);
  y.backward();
  std::thread([] { haft::tanh(floats({1})); }).join();
  Profile profile;
  ASSERT_EQ(haft_profiler_stop(&profile.p), HAFT_OK);
  haft::sin(x);  // after the end
  std::string table = profile.table();
  EXPECT_NE(table.find("exp"), std::string::npos) << table;
  EXPECT_NE(table.find("forward"), std::string::npos) << table;
  EXPECT_EQ(table.find("tanh"), std::string::npos) << table;
  EXPECT_EQ(table.find("sin"), std::string::npos) << table;

  TempFolder folder;
  std::string path = folder / "trace.json";
  ASSERT_EQ(haft_profile_write_trace(profile.p, path.c_str()), HAFT_OK);
  std::ifstream file(path);
  std::string trace{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(trace.find("traceEvents"), std::string::npos);
  EXPECT_NE(trace.find("\"exp\""), std::string::npos);
  EXPECT_FAILS(haft_profile_write_trace(profile.p, "/dev/null/trace.json"), HAFT_ERROR_IO, "/dev/null");
  std::string text(trace.size(), ' ');
  int64_t needed = 0;
  ASSERT_EQ(haft_profile_get_trace(profile.p, nullptr, 0, &needed), HAFT_OK);
  EXPECT_EQ(needed, int64_t(trace.size()) + 1);
  EXPECT_FAILS(haft_profile_get_trace(profile.p, text.data(), 5, nullptr), HAFT_ERROR_INVALID_ARGUMENT, "buffer");
  text.resize(size_t(needed));
  ASSERT_EQ(haft_profile_get_trace(profile.p, text.data(), needed, nullptr), HAFT_OK);
  EXPECT_EQ(text.substr(0, trace.size()), trace);
}

TEST_F(Profiler, ChangesNoNumbersAndStopsOnlyWhatRuns) {
  Tensor x = leaf({1, 2});
  haft_profile* p = nullptr;
  EXPECT_NE(haft_profiler_stop(&p), HAFT_OK);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(haft_profiler_push("ignored"), HAFT_OK);
  EXPECT_EQ(haft_profiler_pop(), HAFT_OK);
  ASSERT_EQ(haft_profiler_start(0), HAFT_OK);
  haft_tensor* bad = nullptr;
  EXPECT_FAILS(haft_mm(x.get(), x.get(), &bad), HAFT_ERROR_SHAPE, "haft_mm");
  haft::sum(haft::square(x)).backward();
  Profile profile;
  ASSERT_EQ(haft_profiler_stop(&profile.p), HAFT_OK);
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{2, 4}));
}

}  // namespace
