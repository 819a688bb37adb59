#include "core/base/log.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/base/fork.h"

namespace haft {
namespace {

constexpr const char* kNames[] = {"none", "error", "warning", "info", "debug"};

constinit std::mutex mutex;
constinit LogSink sink = nullptr;
constinit void* sink_user = nullptr;
constinit int32_t sink_level = -1;  // -1: HAFT_LOG's
constinit int32_t limit = int32_t(LogLevel::debug);
constinit std::once_flag watching;

void watch() {
  std::call_once(watching,
                 [] { on_fork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); }); });
}

// One fprintf a message, so that lines of several threads do not mix.
void to_stderr(void*, int32_t level, const char* text) {
  std::fprintf(stderr, "haft %s: %s\n", kNames[level], text);
}

int32_t level_of_environment() {
  const char* v = std::getenv("HAFT_LOG");
  if (!v) return 0;
  for (int32_t i = 0; i < 5; ++i)
    if (std::strcmp(v, kNames[i]) == 0) return i;
  return int32_t(LogLevel::warning);
}

// Under the mutex.
void set_level() {
  detail::log_level.store(std::min(sink_level < 0 ? level_of_environment() : sink_level, limit));
}

}  // namespace

namespace detail {

constinit std::atomic<int32_t> log_level{-1};

int32_t read_log_level() {
  std::lock_guard lock(mutex);
  set_level();
  return log_level.load();
}

}  // namespace detail

void set_log_sink(LogSink s, void* user, LogLevel level) {
  watch();
  std::lock_guard lock(mutex);
  sink = s;
  sink_user = user;
  sink_level = s ? int32_t(level) : -1;
  set_level();
}

void set_log_limit(LogLevel l) {
  watch();
  std::lock_guard lock(mutex);
  limit = int32_t(l);
  set_level();
}

void log_write(LogLevel level, const char* text) noexcept {
  if (level <= LogLevel::none || level > LogLevel::debug) level = LogLevel::error;
  if (!log_enabled(level)) return;
  LogSink s;
  void* user;
  {
    std::lock_guard lock(mutex);
    s = sink ? sink : to_stderr;
    user = sink_user;
  }
  s(user, int32_t(level), text);
}

}  // namespace haft
