// Tables of numbers as text: a row a line, columns divided by a character (RFC 4180 where it matters: quotes around a
// number are taken off, lines end with \n or \r\n).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace haft {

struct CsvOptions {
  static constexpr int64_t kNoLabel = INT64_MIN;

  char delimiter = ',';
  int64_t skip_lines = 0;           // of a heading
  int64_t label_column = kNoLabel;  // apart from the others; a negative one counts from the end
  bool whole_labels = true;         // of int64, else of float32
};

struct CsvTable {
  int64_t rows = 0, columns = 0;  // without that of the labels
  std::vector<float> values;      // rows x columns
  std::vector<int64_t> whole_labels;
  std::vector<float> labels;
};

// Empty lines are passed over. Code::corrupt names line and column of what is no number, and lines of other lengths.
CsvTable parse_csv(std::string_view text, std::string_view where, const CsvOptions& options);

}  // namespace haft
