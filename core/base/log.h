// Messages for the host's log. A library prints nothing by itself: without a sink, text goes to stderr only
// when the environment variable HAFT_LOG names a level (error, warning, info, debug).
#pragma once
#include <atomic>
#include <cstdint>

#include "core/base/text.h"

namespace haft {

enum class LogLevel : int32_t { none = 0, error = 1, warning = 2, info = 3, debug = 4 };

// Called on the thread that logs, from several at once; it may log itself.
using LogSink = void (*)(void* user, int32_t level, const char* text);

void set_log_sink(LogSink sink, void* user, LogLevel level);  // nullptr: back to HAFT_LOG's
// Nothing beyond it, whatever the sink's level; LogLevel::debug: no limit.
void set_log_limit(LogLevel limit);
void log_write(LogLevel level, const char* text) noexcept;

namespace detail {
extern std::atomic<int32_t> log_level;  // -1: HAFT_LOG not read yet
int32_t read_log_level();
}  // namespace detail

inline bool log_enabled(LogLevel level) {
  int32_t at = detail::log_level.load(std::memory_order_relaxed);
  if (at < 0) [[unlikely]]
    at = detail::read_log_level();
  return int32_t(level) <= at;
}

// Parts are joined as concat() joins them, and only when somebody listens.
template <class... A>
void log_text(LogLevel level, const A&... parts) {
  if (log_enabled(level)) [[unlikely]]
    log_write(level, concat(parts...).c_str());
}
template <class... A>
void log_warning(const A&... parts) {
  log_text(LogLevel::warning, parts...);
}

}  // namespace haft
