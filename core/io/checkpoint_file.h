// A checkpoint is one safetensors file, so that any tool for that format can read its arrays. Its metadata
// tells it apart ("format": "haft-checkpoint", "version") and carries named sections of typed values as JSON.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/io/array.h"

namespace haft {

// Unsigned 64-bit values (seeds, offsets) are stored as the int64 of the same bits.
struct CheckpointValue : std::variant<bool, int64_t, double, std::string> {
  using Base = std::variant<bool, int64_t, double, std::string>;
  using Base::Base;
  // libstdc++ 12 destroys a variant with a string that was not made where its copy finds no memory: the value is
  // copied first.
  CheckpointValue(const CheckpointValue& o) : Base() { copy(o); }
  CheckpointValue(CheckpointValue&&) noexcept = default;
  CheckpointValue& operator=(const CheckpointValue& o) {
    copy(o);
    return *this;
  }
  CheckpointValue& operator=(CheckpointValue&&) noexcept = default;

 private:
  void copy(const CheckpointValue& o) {
    std::visit([this](auto value) { Base::operator=(std::move(value)); }, static_cast<const Base&>(o));
  }
};
using CheckpointSection = std::map<std::string, CheckpointValue>;

struct CheckpointFile {
  static constexpr int kVersion = 1;

  std::map<std::string, CheckpointSection> sections;  // "module", "optimizer", "generator", "loader", ...
  std::vector<Array> arrays;

  const Array* find(std::string_view name) const;
};

// Written atomically: the old checkpoint stays whole until the new one is durable. A section may not be
// called "format" or "version".
void write_checkpoint(const std::string& path, const std::map<std::string, CheckpointSection>& sections,
                      std::span<const ArrayRef> arrays);
std::string encode_checkpoint(const std::map<std::string, CheckpointSection>& sections,
                              std::span<const ArrayRef> arrays);

// Code::corrupt for a file that is no checkpoint, Code::unsupported for one of a newer version.
CheckpointFile read_checkpoint(const std::string& path);
CheckpointFile parse_checkpoint(std::span<const uint8_t> bytes, std::string_view where,
                                const Ref<ByteBlock>& owner = {});

// The entry `key` of `section`, of type T (bool, int64_t, double or std::string); Code::corrupt names what is
// missing.
template <class T>
const T& checkpoint_value(const CheckpointFile& file, const std::string& section, const std::string& key);

}  // namespace haft
