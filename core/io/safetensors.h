// The safetensors format: u64 header length, a JSON header (name -> dtype, shape, data_offsets; and
// __metadata__), then the elements. https://huggingface.co/docs/safetensors describes it.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/array.h"

namespace haft {

using Metadata = std::map<std::string, std::string>;

struct Safetensors {
  std::vector<Array> arrays;  // in the order of their data
  Metadata metadata;

  const Array* find(std::string_view name) const;  // null when there is none
};

// What the format calls a type: "F32". Empty for one that it does not have; none for a name that it does not have.
std::string_view safetensors_type(DType t);
DType safetensors_type(std::string_view name);

// Equal input gives equal bytes: arrays are ordered by element size (largest first, so that all are aligned),
// then by name. Fails with invalid_argument for equal names, names that are not UTF-8 and arrays that are not dense.
void write_safetensors(const std::string& path, std::span<const ArrayRef> arrays,
                       const Metadata& metadata = {});
std::string encode_safetensors(std::span<const ArrayRef> arrays, const Metadata& metadata = {});

// Maps the file: elements are read from disk when touched. Everything that the header says is checked first;
// Code::corrupt names file, array, what was found and what was wanted.
Safetensors read_safetensors(const std::string& path);

// The same over bytes that stay alive as long as the arrays: `owner` is kept by each of them and may be null.
// `where` begins every message.
Safetensors parse_safetensors(std::span<const uint8_t> bytes, std::string_view where,
                              const Ref<ByteBlock>& owner = {});

}  // namespace haft
