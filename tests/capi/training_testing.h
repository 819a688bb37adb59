// What the tests of optimizers, data and files through the C interface share.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>
#include <haft/haft.hpp>

#include <filesystem>
#include <string>

inline haft_error_info last_error() {
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  haft_error_get_last(&info);
  return info;
}

#define EXPECT_FAILS(call, status, part)                                           \
  do {                                                                             \
    EXPECT_EQ((call), (status)) << haft_error_get_message();                       \
    EXPECT_EQ(last_error().code, (status));                                        \
    EXPECT_NE(std::string(haft_error_get_message()).find(part), std::string::npos) \
        << haft_error_get_message();                                               \
  } while (0)

// Every handle that a test makes is released by its end.
struct TrainingTest : testing::Test {
  int64_t before = 0;
  void SetUp() override { haft::check(haft_get_live_handles(&before)); }
  void TearDown() override {
    int64_t after = 0;
    haft::check(haft_get_live_handles(&after));
    EXPECT_EQ(after, before);
  }
};

class TempFolder {
  std::string path_;

 public:
  TempFolder() {
    std::string base = std::filesystem::temp_directory_path() / "haft-capi-XXXXXX";
    path_ = ::mkdtemp(base.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
};
