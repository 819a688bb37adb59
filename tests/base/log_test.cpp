#include "core/base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace haft {
namespace {

using Lines = std::vector<std::string>;
void keep(void* user, int32_t level, const char* text) {
  static_cast<Lines*>(user)->push_back(std::to_string(level) + " " + text);
}

TEST(Log, ASinkGetsItsLevels) {
  Lines lines;
  set_log_sink(keep, &lines, LogLevel::warning);
  log_text(LogLevel::error, "a ", 1);
  log_warning("b");
  log_text(LogLevel::info, "c");
  set_log_sink(keep, &lines, LogLevel::debug);
  log_text(LogLevel::debug, "d ", 2.5);
  set_log_sink(nullptr, nullptr, LogLevel::none);
  log_text(LogLevel::error, "e");
  EXPECT_EQ(lines, (Lines{"1 a 1", "2 b", "4 d 2.5"}));
}

TEST(Log, PrintsNothingUnlessTheEnvironmentAsks) {
  unsetenv("HAFT_LOG");
  set_log_sink(nullptr, nullptr, LogLevel::none);
  testing::internal::CaptureStderr();
  log_text(LogLevel::error, "quiet");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  setenv("HAFT_LOG", "info", 1);
  set_log_sink(nullptr, nullptr, LogLevel::none);
  testing::internal::CaptureStderr();
  log_text(LogLevel::info, "loud");
  log_text(LogLevel::debug, "quiet");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "haft info: loud\n");
  unsetenv("HAFT_LOG");
  set_log_sink(nullptr, nullptr, LogLevel::none);
}

TEST(Log, ALimitHoldsForEverySinkUntilItIsLifted) {
  Lines lines;
  set_log_limit(LogLevel::error);
  set_log_sink(keep, &lines, LogLevel::debug);
  log_warning("quiet");
  log_text(LogLevel::error, "a");
  set_log_limit(LogLevel::debug);
  log_text(LogLevel::debug, "b");
  set_log_sink(nullptr, nullptr, LogLevel::none);
  log_text(LogLevel::error, "quiet");
  EXPECT_EQ(lines, (Lines{"1 a", "4 b"}));
}

}  // namespace
}  // namespace haft
