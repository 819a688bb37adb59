// PyTorch's files as tests write them, instruction by instruction.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/io/pytorch.h"
#include "core/io/zip.h"

namespace haft {

inline std::string pickled_text(const std::string& s) {
  return "X" + std::string{char(s.size()), 0, 0, 0} + s;
}
inline std::string pickled_numbers(const std::vector<int>& v) {
  std::string s = "(";
  for (int n : v) s += std::string("K") + char(n);
  return s + "t";
}
// A tensor over memory `key` of `numel` elements; `part` stands behind the number of elements in its persistent id.
inline std::string pickled_tensor(const std::string& type, const std::string& key, int numel, int offset,
                                  const std::vector<int>& sizes, const std::vector<int>& strides,
                                  const std::string& part = "") {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") + "ctorch\n" + type + "\n" +
         pickled_text(key) + pickled_text("cpu") + "K" + char(numel) + part + "tQK" + char(offset) +
         pickled_numbers(sizes) + pickled_numbers(strides) + "\x89}tR";
}
// A dict of names and values.
inline std::string pickled_dict(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string s = "}(";
  for (auto& [name, value] : entries) s += pickled_text(name) + value;
  return s + "u";
}
inline std::string whole_pickle(const std::string& value) { return "\x80\x02" + value + "."; }

using Members = std::vector<std::pair<std::string, std::string>>;
inline std::string zipped(const Members& members, bool deflate = false) {
  std::string out;
  ZipWriter zip([&](const void* data, int64_t n) { out.append(static_cast<const char*>(data), size_t(n)); });
  for (auto& [name, content] : members) {
    const std::span<const uint8_t> part[] = {
        {reinterpret_cast<const uint8_t*>(content.data()), content.size()}};
    zip.add(name, part, deflate);
  }
  zip.finish();
  return out;
}
inline std::string pytorch_file(const std::string& value, const Members& memories, bool deflate = false) {
  Members all{{"archive/data.pkl", whole_pickle(value)}, {"archive/byteorder", "little"}};
  for (auto& [key, content] : memories) all.push_back({"archive/data/" + key, content});
  return zipped(all, deflate);
}
// As PyTorch wrote before 1.6: memories are (key, elements of 4 bytes).
inline std::string pytorch_before_zip(const std::string& value, const Members& memories) {
  std::string keys = "](", data;
  for (auto& [key, content] : memories) {
    keys += pickled_text(key);
    const int64_t n = int64_t(content.size()) / 4;
    data += std::string(reinterpret_cast<const char*>(&n), 8) + content;
  }
  return std::string(kPytorchBeforeZip) + whole_pickle("M\xe9\x03") +
         whole_pickle(pickled_dict({{"little_endian", "\x88"}})) + whole_pickle(value) +
         whole_pickle(keys + "e") + data;
}

}  // namespace haft
