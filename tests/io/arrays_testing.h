// Files of named arrays from their bytes.
#pragma once
#include "core/io/arrays_file.h"
#include "tests/io/io_testing.h"

namespace haft {

inline std::unique_ptr<ArraysFile> parse(const std::string& content) {
  auto block = allocate_block(int64_t(content.size()));
  std::copy(content.begin(), content.end(), block->data);
  return parse_arrays(block->bytes(), "file 'x'", block);
}
// Reading it or one of its arrays fails.
inline void refuse(const std::string& content, std::vector<std::string> parts, Code code = Code::corrupt) {
  parts.push_back("file 'x'");
  expect_failure(
      [&] {
        auto file = parse(content);
        for (size_t i = 0; i < file->names().size(); ++i) file->read(int64_t(i));
      },
      code, parts);
}

}  // namespace haft
