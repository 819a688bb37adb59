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
  EXPECT_FAILS(haft_profile_get_trace(profile.p, text.data(), 5, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "buffer");
  text.resize(size_t(needed));
  ASSERT_EQ(haft_profile_get_trace(profile.p, text.data(), needed, nullptr), HAFT_OK);
  EXPECT_EQ(text.substr(0, trace.size()), trace);
}

TEST_F(Profiler, HasRowsOfDevices) {
  EXPECT_FAILS(haft_profiler_start_with(16), HAFT_ERROR_INVALID_ARGUMENT, "what is 16");
  haft::load_backend(HAFT_SIM_DEVICE);
  const haft_device d = haft::device("sim:0");
  Tensor x = haft::to(leaf({1, 2}), HAFT_DTYPE_NONE, d);
  haft::Profiler profiler(false, true, true, true);
  EXPECT_FAILS(haft_profiler_start_with(HAFT_PROFILE_DEVICES), HAFT_ERROR_BUSY, "");
  Tensor y = haft::exp(x);
  const haft::Profile p = profiler.stop();
  const std::string table = p.table(), trace = p.trace();
  EXPECT_NE(table.find("On devices"), std::string::npos) << table;
  EXPECT_NE(table.find("sim_exp"), std::string::npos) << table;
  EXPECT_EQ(table.find("Not shown"), std::string::npos) << table;
  EXPECT_NE(trace.find("\"name\":\"sim:0\""), std::string::npos) << trace;
  EXPECT_NE(trace.find("\"by\":\"exp\""), std::string::npos) << trace;
}

TEST_F(Profiler, SaysWhyADeviceIsMissing) {
  haft::load_backend(HAFT_SIM_DEVICE);
  Tensor x = haft::to(leaf({1, 2}), HAFT_DTYPE_NONE, haft::device("sim:0"));
  setenv("HAFT_SIM_UNPROFILED", "1", 1);
  haft::Profiler profiler(false, true);
  unsetenv("HAFT_SIM_UNPROFILED");
  haft::exp(x);
  const haft::Profile p = profiler.stop();
  EXPECT_NE(p.table().find("exp"), std::string::npos) << p.table();
  EXPECT_NE(p.table().find("Not shown: sim: sim was told to note nothing"), std::string::npos) << p.table();
  EXPECT_NE(p.trace().find("\"otherData\":{\"note 1\":\"sim: sim was told to note nothing\"}"),
            std::string::npos)
      << p.trace();
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
