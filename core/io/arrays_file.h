// A file of named arrays, whatever its format: safetensors, NumPy's .npz, PyTorch's .pt. The content says which it is.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/array.h"

namespace haft {

class ArraysFile {
 public:
  virtual ~ArraysFile() = default;

  const std::vector<std::string>& names() const { return names_; }  // all different
  int64_t find(std::string_view name) const;                        // -1 when there is none
  // An array, read or decompressed now where it is not mapped. Any thread.
  virtual Array read(int64_t index) const = 0;

 protected:
  std::vector<std::string> names_;
};

// Maps the file. What its directory or header says is checked first; Code::corrupt names file, array and fault.
std::unique_ptr<ArraysFile> open_arrays(const std::string& path);
// The same over bytes that `owner`, which may be null, keeps alive; `where` begins every message.
std::unique_ptr<ArraysFile> parse_arrays(std::span<const uint8_t> bytes, std::string_view where,
                                         const Ref<ByteBlock>& owner = {});

}  // namespace haft
