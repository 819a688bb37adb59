#include "core/io/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  if (s.size() > 1 && s.front() == '"' && s.back() == '"') s = trimmed(s.substr(1, s.size() - 2));
  if (s.size() > 1 && s.front() == '+' && s[1] != '-') s.remove_prefix(1);  // from_chars takes none
  return s;
}

template <class T>
bool read_number(std::string_view s, T* out) {
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
  return end == s.data() + s.size() && error == std::errc();
}
// Whether a number that no double holds is too large for them, not too small: where its first digit stands decides.
bool is_too_large(std::string_view s) {
  const size_t e = std::min(s.find_first_of("eE"), s.size()), first = s.find_first_of("123456789"),
               point = std::min(s.find('.'), e);
  std::string_view power = s.substr(std::min(e + 1, s.size()));
  if (power.starts_with('+')) power.remove_prefix(1);
  int64_t exponent = 0;
  if (!power.empty() && !read_number(power, &exponent)) return !power.starts_with('-');
  return std::clamp(exponent, int64_t(-1) << 60, int64_t(1) << 60) + int64_t(point) - int64_t(first) > 0;
}

// As float32: what is too large is infinite, what is too small 0.
bool read_float(std::string_view s, float* out) {
  if (read_number(s, out)) return true;
  double wide = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), wide);
  if (end != s.data() + s.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {  // wide is as it was
    wide = is_too_large(s) ? HUGE_VAL : 0;
    if (s.starts_with('-')) wide = -wide;
  }
  *out = float(wide);
  return true;
}

}  // namespace

CsvTable parse_csv(std::string_view text, std::string_view where, const CsvOptions& options) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // what marks UTF-8
  CsvTable table;
  int64_t line = 0, width = -1, label = CsvOptions::kNoLabel;
  std::vector<std::string_view> cells;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (++line <= options.skip_lines || trimmed(row).empty()) continue;
    cells.clear();
    for (size_t at = 0; at != row.npos;) {
      const size_t next = row.find(options.delimiter, at);
      cells.push_back(row.substr(at, next == row.npos ? next : next - at));
      at = next == row.npos ? next : next + 1;
    }
    const int64_t n = int64_t(cells.size());
    if (width < 0) {
      width = n;
      if (options.label_column != CsvOptions::kNoLabel) {
        label = options.label_column < 0 ? options.label_column + n : options.label_column;
        if (label < 0 || label >= n)
          fail(Code::corrupt, concat(where, ": line ", line, " has ", n, " columns, wanted labels in column ",
                                     options.label_column));
      }
      table.columns = label < 0 ? n : n - 1;
    }
    if (n != width)
      fail(Code::corrupt,
           concat(where, ": line ", line, " has ", n, " columns, wanted ", width, " as in the lines before"));
    for (int64_t c = 0; c < n; ++c) {
      const std::string_view cell = trimmed(cells[size_t(c)]);
      float v = 0;
      int64_t whole = 0;
      const bool is_whole = c == label && options.whole_labels;
      if (!(is_whole ? read_number(cell, &whole) : read_float(cell, &v)))
        fail(Code::corrupt,
             concat(where, ": line ", line, ", column ", c, " holds ", quoted(cell), ", wanted a ",
                    is_whole ? "whole number" : "number"),
             line == 1 ? "a heading is left out with skip_lines" : "");
      if (is_whole)
        table.whole_labels.push_back(whole);
      else
        (c == label ? table.labels : table.values).push_back(v);
    }
    ++table.rows;
  }
  if (table.rows == 0) fail(Code::corrupt, concat(where, ": has no rows"));
  return table;
}

}  // namespace haft
