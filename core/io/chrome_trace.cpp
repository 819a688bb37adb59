#include "core/io/chrome_trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
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

// The trace in pieces of about a MiB.
template <class Take>
void put_trace(std::span<const TraceEvent> events, std::string_view process, Take take) {
  std::string pid = std::to_string(::getpid());
  std::string out =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" +
      pid + ",\"args\":{\"name\":";
  append_json_string(out, process);
  out += "}}";
  for (const TraceEvent& e : events) {
    out += ",\n{\"ph\":\"X\",\"name\":";
    append_json_string(out, e.name);
    out += ",\"cat\":";
    append_json_string(out, e.category);
    out += ",\"ts\":";
    append_microseconds(out, e.start_ns);
    out += ",\"dur\":";
    append_microseconds(out, e.duration_ns);
    out += ",\"pid\":" + pid + ",\"tid\":" + std::to_string(e.thread);
    if (!e.args.empty()) {
      out += ",\"args\":{";
      for (size_t i = 0; i < e.args.size(); ++i) {
        if (i) out += ',';
        append_json_string(out, e.args[i].first);
        out += ':';
        append_json_string(out, e.args[i].second);
      }
      out += '}';
    }
    out += '}';
    if (out.size() > (1 << 20)) {
      take(out);
      out.clear();
    }
  }
  out += "\n]}\n";
  take(out);
}

}  // namespace

void write_chrome_trace(const std::string& path, std::span<const TraceEvent> events,
                        std::string_view process) {
  AtomicFile file(path);
  put_trace(events, process, [&](const std::string& piece) { file.write(piece); });
  file.commit();
}

std::string chrome_trace(std::span<const TraceEvent> events, std::string_view process) {
  std::string all;
  put_trace(events, process, [&](const std::string& piece) { all += piece; });
  return all;
}

std::vector<ProfileRow> profile_rows(std::span<const TraceEvent> events) {
  // By thread, then outermost first, so that a stack of open events gives each one its parent.
  std::vector<const TraceEvent*> order;
  for (const TraceEvent& e : events) order.push_back(&e);
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
  for (const TraceEvent* e : order) {
    auto [it, fresh] = index.try_emplace(e->name, rows.size());
    if (fresh) rows.push_back({e->name});
    ProfileRow& row = rows[it->second];
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
  std::sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name;
  });
  return rows;
}

std::string profile_table(std::span<const TraceEvent> events) {
  auto rows = profile_rows(events);
  double all = 0;
  for (const ProfileRow& r : rows) all += double(r.self_ns);

  std::vector<std::vector<std::string>> cells = {{"Name", "Calls", "Total", "Mean", "Self", "Share"}};
  for (const ProfileRow& r : rows) {
    std::string total, mean, self;
    append_time(total, double(r.total_ns));
    append_time(mean, double(r.total_ns) / double(r.calls));
    append_time(self, double(r.self_ns));
    int64_t hundredths = all > 0 ? int64_t(double(r.self_ns) / all * 10000 + 0.5) : 0;
    cells.push_back({r.name, std::to_string(r.calls), total, mean, self,
                     concat(hundredths / 100, ".", hundredths % 100 < 10 ? "0" : "", hundredths % 100, "%")});
  }
  std::vector<size_t> width(6, 0);
  for (auto& row : cells)
    for (size_t c = 0; c < 6; ++c) width[c] = std::max(width[c], c == 0 ? characters(row[c]) : row[c].size());

  std::string out;
  for (size_t r = 0; r < cells.size(); ++r) {
    out += cells[r][0];
    out.append(width[0] - characters(cells[r][0]), ' ');
    for (size_t c = 1; c < 6; ++c) {
      out += "  ";
      pad_left(out, cells[r][c], width[c]);
    }
    out += '\n';
    if (r == 0) {
      size_t line = 10;
      for (size_t w : width) line += w;
      out.append(line, '-');
      out += '\n';
    }
  }
  return out;
}

}  // namespace haft
