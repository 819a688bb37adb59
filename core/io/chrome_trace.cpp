#include "core/io/chrome_trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/text.h"

namespace haft {

namespace {

// The trace counts in microseconds; three decimals keep every nanosecond, which a double would not after a few days.
void append_microseconds(std::string& out, int64_t ns) {
  uint64_t v = uint64_t(ns);
  if (ns < 0) {
    out += '-';
    v = 0 - v;
  }
  char digits[8];
  std::snprintf(digits, sizeof digits, ".%03u", unsigned(v % 1000));
  append_text(out, v / 1000);
  out += digits;
}

void append_time(std::string& out, double ns) {
  static constexpr const char* units[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  while (unit < 3 && ns >= 999.5) ns /= 1000, ++unit;
  // Digits by hand: printf would write the host program's decimal comma.
  int64_t thousandths = int64_t(ns * 1000 + 0.5);
  int decimals = unit == 0 && thousandths % 1000 == 0 ? 0 : 3;
  out += std::to_string(thousandths / 1000);
  if (decimals) {
    out += '.';
    out += std::to_string(1000 + thousandths % 1000).substr(1);
  }
  out += units[unit];
}

void pad_left(std::string& line, const std::string& cell, size_t width) {
  if (cell.size() < width) line.append(width - cell.size(), ' ');
  line += cell;
}

size_t characters(const std::string& s) {
  return size_t(std::count_if(s.begin(), s.end(), [](char c) { return (uint8_t(c) & 0xc0) != 0x80; }));
}

// Devices as processes: numbers that no process of Linux has.
constexpr int64_t kDeviceProcess = 5000000;

void put_name(std::string& out, const char* what, int64_t pid, int64_t tid, std::string_view name) {
  out += concat(",\n{\"ph\":\"M\",\"name\":\"", what, "\",\"pid\":", pid, ",\"tid\":", tid,
                ",\"args\":{\"name\":");
  append_json_string(out, name);
  out += "}}";
}

class TraceText {
 public:
  TraceText(std::span<const TraceEvent> events, int64_t pid) : pid_(pid) {
    for (const TraceEvent& e : events)
      if (e.id) callers_.emplace(e.id, &e);
  }

  void put(std::string& out, const TraceEvent& e) {
    const int64_t pid = e.device.empty() ? pid_ : device(out, e);
    out += ",\n{\"ph\":\"X\",\"name\":";
    append_json_string(out, e.name);
    out += ",\"cat\":";
    append_json_string(out, e.category);
    out += ",\"ts\":";
    append_microseconds(out, e.start_ns);
    out += ",\"dur\":";
    append_microseconds(out, e.duration_ns);
    out += concat(",\"pid\":", pid, ",\"tid\":", e.thread);
    const auto caller = callers_.find(e.caller);
    const bool called = e.caller && caller != callers_.end();
    if (!e.args.empty() || called) {
      out += ",\"args\":{";
      for (size_t i = 0; i < e.args.size(); ++i) {
        if (i) out += ',';
        append_json_string(out, e.args[i].first);
        out += ':';
        append_json_string(out, e.args[i].second);
      }
      if (called) {
        out += e.args.empty() ? "\"by\":" : ",\"by\":";
        append_json_string(out, caller->second->name);
      }
      out += '}';
    }
    out += '}';
    if (!called) return;
    ++arrows_;
    arrow(out, "\"s\"", pid_, caller->second->thread, caller->second->start_ns);
    arrow(out, "\"f\",\"bp\":\"e\"", pid, e.thread, e.start_ns);
  }

 private:
  int64_t device(std::string& out, const TraceEvent& e) {
    const auto [it, fresh] = devices_.try_emplace(e.device, kDeviceProcess + int64_t(devices_.size()));
    if (fresh) put_name(out, "process_name", it->second, 0, e.device);
    if (streams_.emplace(it->second, e.thread).second)
      put_name(out, "thread_name", it->second, e.thread, concat("stream ", e.thread));
    return it->second;
  }
  void arrow(std::string& out, const char* end, int64_t pid, int64_t tid, int64_t ns) {
    out += concat(",\n{\"ph\":", end, ",\"name\":\"enqueues\",\"cat\":\"enqueues\",\"id\":", arrows_,
                  ",\"pid\":", pid, ",\"tid\":", tid, ",\"ts\":");
    append_microseconds(out, ns);
    out += '}';
  }

  const int64_t pid_;
  int64_t arrows_ = 0;
  std::unordered_map<uint64_t, const TraceEvent*> callers_;
  std::unordered_map<std::string, int64_t> devices_;
  std::set<std::pair<int64_t, int64_t>> streams_;
};

// The trace in pieces of about a MiB.
template <class Take>
void put_trace(std::span<const TraceEvent> events, std::string_view process,
               std::span<const std::string> notes, Take take) {
  const int64_t pid = ::getpid();
  std::string out = "{\"displayTimeUnit\":\"ns\",";
  if (!notes.empty()) out += "\"otherData\":{";
  for (size_t i = 0; i < notes.size(); ++i) {
    out += concat(i ? "," : "", "\"note ", i + 1, "\":");
    append_json_string(out, notes[i]);
  }
  if (!notes.empty()) out += "},";
  out += concat("\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", pid,
                ",\"args\":{\"name\":");
  append_json_string(out, process);
  out += "}}";
  TraceText text(events, pid);
  for (const TraceEvent& e : events) {
    text.put(out, e);
    if (out.size() > (1 << 20)) {
      take(out);
      out.clear();
    }
  }
  out += "\n]}\n";
  take(out);
}

}  // namespace

void write_chrome_trace(const std::string& path, std::span<const TraceEvent> events, std::string_view process,
                        std::span<const std::string> notes) {
  AtomicFile file(path);
  put_trace(events, process, notes, [&](const std::string& piece) { file.write(piece); });
  file.commit();
}

std::string chrome_trace(std::span<const TraceEvent> events, std::string_view process,
                         std::span<const std::string> notes) {
  std::string all;
  put_trace(events, process, notes, [&](const std::string& piece) { all += piece; });
  return all;
}

std::vector<ProfileRow> profile_rows(std::span<const TraceEvent> events) {
  // By thread, then outermost first, so that a stack of open events gives each one its parent.
  std::vector<const TraceEvent*> order;
  for (const TraceEvent& e : events)
    if (e.device.empty()) order.push_back(&e);
  std::stable_sort(order.begin(), order.end(), [](const TraceEvent* a, const TraceEvent* b) {
    if (a->thread != b->thread) return a->thread < b->thread;
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->duration_ns > b->duration_ns;
  });

  std::vector<ProfileRow> rows;
  std::unordered_map<std::string_view, size_t> index;
  struct Open {
    const TraceEvent* event;
    size_t row;
  };
  std::vector<Open> open;
  std::unordered_map<uint64_t, size_t> row_of;  // ids
  for (const TraceEvent* e : order) {
    auto [it, fresh] = index.try_emplace(e->name, rows.size());
    if (fresh) rows.push_back({e->name});
    ProfileRow& row = rows[it->second];
    if (e->id) row_of.emplace(e->id, it->second);
    ++row.calls;
    row.total_ns += e->duration_ns;
    row.self_ns += e->duration_ns;
    int64_t end = e->start_ns + e->duration_ns;
    while (!open.empty() && (open.back().event->thread != e->thread ||
                             open.back().event->start_ns + open.back().event->duration_ns < end))
      open.pop_back();
    if (!open.empty()) rows[open.back().row].self_ns -= e->duration_ns;
    open.push_back({e, it->second});
  }
  for (const TraceEvent& e : events)
    if (auto at = row_of.find(e.caller); !e.device.empty() && at != row_of.end())
      rows[at->second].device_ns += e.duration_ns;
  std::sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name;
  });
  return rows;
}

namespace {

using Cells = std::vector<std::vector<std::string>>;

std::string time_text(double ns) {
  std::string out;
  append_time(out, ns);
  return out;
}

std::string share_text(int64_t part, double whole) {
  const int64_t hundredths = whole > 0 ? int64_t(double(part) / whole * 10000 + 0.5) : 0;
  return concat(hundredths / 100, ".", hundredths % 100 < 10 ? "0" : "", hundredths % 100, "%");
}

// Names of kernels may be longer than a line of any terminal.
std::string short_name(const std::string& name) {
  constexpr size_t kMost = 80;
  if (name.size() <= kMost) return name;
  size_t end = kMost - 3;
  while (end > 0 && (uint8_t(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "...";
}

void append_cells(std::string& out, const Cells& cells) {
  const size_t columns = cells[0].size();
  std::vector<size_t> width(columns, 0);
  for (auto& row : cells)
    for (size_t c = 0; c < columns; ++c)
      width[c] = std::max(width[c], c == 0 ? characters(row[c]) : row[c].size());
  for (size_t r = 0; r < cells.size(); ++r) {
    out += cells[r][0];
    out.append(width[0] - characters(cells[r][0]), ' ');
    for (size_t c = 1; c < columns; ++c) {
      out += "  ";
      pad_left(out, cells[r][c], width[c]);
    }
    out += '\n';
    if (r == 0) {
      size_t line = 2 * (columns - 1);
      for (size_t w : width) line += w;
      out.append(line, '-');
      out += '\n';
    }
  }
}

// What devices ran, a row a name and device.
void append_device_rows(std::string& out, std::span<const TraceEvent> events) {
  std::map<std::pair<std::string_view, std::string_view>, std::pair<int64_t, int64_t>> sums;  // calls, ns
  double all = 0;
  for (const TraceEvent& e : events) {
    if (e.device.empty()) continue;
    auto& [calls, ns] = sums[{e.name, e.device}];
    ++calls;
    ns += e.duration_ns;
    all += double(e.duration_ns);
  }
  std::vector<decltype(sums)::const_iterator> order;
  for (auto it = sums.begin(); it != sums.end(); ++it) order.push_back(it);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a->second.second > b->second.second; });
  Cells cells = {{"On devices", "Device", "Calls", "Total", "Mean", "Share"}};
  for (const auto& it : order) {
    const auto [calls, ns] = it->second;
    cells.push_back({short_name(std::string(it->first.first)), std::string(it->first.second),
                     std::to_string(calls), time_text(double(ns)), time_text(double(ns) / double(calls)),
                     share_text(ns, all)});
  }
  out += '\n';
  append_cells(out, cells);
}

}  // namespace

std::string profile_table(std::span<const TraceEvent> events, std::span<const std::string> notes) {
  auto rows = profile_rows(events);
  double all = 0;
  for (const ProfileRow& r : rows) all += double(r.self_ns);
  const bool devices =
      std::any_of(events.begin(), events.end(), [](const TraceEvent& e) { return !e.device.empty(); });

  Cells cells = {{"Name", "Calls", "Total", "Mean", "Self", "Share"}};
  if (devices) cells[0].push_back("Device");
  for (const ProfileRow& r : rows) {
    cells.push_back({r.name, std::to_string(r.calls), time_text(double(r.total_ns)),
                     time_text(double(r.total_ns) / double(r.calls)), time_text(double(r.self_ns)),
                     share_text(r.self_ns, all)});
    if (devices) cells.back().push_back(r.device_ns ? time_text(double(r.device_ns)) : "-");
  }
  std::string out;
  append_cells(out, cells);
  if (devices) append_device_rows(out, events);
  for (const std::string& note : notes) out += concat("Not shown: ", note, "\n");
  return out;
}

}  // namespace haft
