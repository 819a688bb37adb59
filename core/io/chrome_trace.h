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
  int64_t thread = 0;  // of a device: the stream
  std::vector<std::pair<std::string, std::string>> args;
  std::string device = {};  // that it ran on; empty: the host
  uint64_t id = 0;          // what `caller` of the device's events names; 0: nothing does
  uint64_t caller = 0;      // the event that enqueued it
};

// Events of devices stand in processes of their own, a thread a stream, with an arrow from who enqueued them. `notes`
// say what is missing.
void write_chrome_trace(const std::string& path, std::span<const TraceEvent> events,
                        std::string_view process = "haft", std::span<const std::string> notes = {});
// The same text in memory.
std::string chrome_trace(std::span<const TraceEvent> events, std::string_view process = "haft",
                         std::span<const std::string> notes = {});

struct ProfileRow {
  std::string name;
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t self_ns = 0;    // without the events inside it on the same thread
  int64_t device_ns = 0;  // of what it has enqueued on devices, without the events inside it
};

// One row a name of what ran on the host, by falling total, then by name.
std::vector<ProfileRow> profile_rows(std::span<const TraceEvent> events);

// Columns: name, calls, total, mean, self, share; share is of the sum of self times, so that shares add up to 100 %.
// Where devices ran something, the time that each row's calls had there, and a second table of what ran.
std::string profile_table(std::span<const TraceEvent> events, std::span<const std::string> notes = {});

}  // namespace haft
