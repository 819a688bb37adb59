// What the profiler saw: as a trace for chrome://tracing and Perfetto, and as a table.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace haft {

struct TraceEvent {
  std::string name, category;
  int64_t start_ns = 0, duration_ns = 0;
  int64_t thread = 0;
  std::vector<std::pair<std::string, std::string>> args;
};

void write_chrome_trace(const std::string& path, std::span<const TraceEvent> events,
                        std::string_view process = "haft");
// The same text in memory.
std::string chrome_trace(std::span<const TraceEvent> events, std::string_view process = "haft");

struct ProfileRow {
  std::string name;
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t self_ns = 0;  // without the events inside it on the same thread
};

// One row a name, by falling total, then by name.
std::vector<ProfileRow> profile_rows(std::span<const TraceEvent> events);

// Columns: name, calls, total, mean, self, share; share is of the sum of self times, so that shares add up to 100 %.
std::string profile_table(std::span<const TraceEvent> events);

}  // namespace haft
