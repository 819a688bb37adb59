// What the tests of file formats share: a folder that goes away, whole files as strings, expected failures.
#pragma once
#include <dirent.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/array.h"

namespace haft {

class TempFolder {
 public:
  TempFolder() {
    std::string base = std::filesystem::temp_directory_path() / "haft-io-XXXXXX";
    path_ = ::mkdtemp(base.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (auto& e : std::filesystem::directory_iterator(path_)) out.push_back(e.path().filename());
    return out;
  }

 private:
  std::string path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), {}};
}
inline void spew(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}
inline std::span<const uint8_t> bytes_of(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

// The call fails with `code` and a message that holds each of `parts`.
template <class F>
void expect_failure(F&& call, Code code, std::vector<std::string> parts) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << e.message;
    for (auto& part : parts)
      EXPECT_NE(e.message.find(part), std::string::npos) << "wanted \"" << part << "\" in: " << e.message;
    return;
  }
  ADD_FAILURE() << "did not fail";
}

inline const DType kAllTypes[] = {DType::boolean, DType::u8,  DType::i8,   DType::i16, DType::i32,
                                  DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64};

// An array whose bytes differ from each other; booleans alternate.
struct Sample {
  std::vector<uint8_t> bytes;
  ArrayRef ref;
  Sample(std::string name, DType dtype, ArrayRef::Sizes sizes) {
    ref.name = std::move(name);
    ref.dtype = dtype;
    ref.sizes = std::move(sizes);
    EXPECT_TRUE(dense_bytes(ref.sizes, dtype, &ref.bytes));
    for (int64_t i = 0; i < ref.bytes; ++i)
      bytes.push_back(uint8_t(dtype == DType::boolean ? i % 2 : 7 * i + 3));
    ref.data = bytes.data();
  }
};

inline void expect_same(const ArrayRef& got, const ArrayRef& want) {
  EXPECT_EQ(got.dtype, want.dtype);
  EXPECT_EQ(std::vector<int64_t>(got.sizes.begin(), got.sizes.end()),
            std::vector<int64_t>(want.sizes.begin(), want.sizes.end()));
  ASSERT_EQ(got.bytes, want.bytes);
  EXPECT_TRUE(got.bytes == 0 || std::memcmp(got.data, want.data, size_t(got.bytes)) == 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(got.data) % (got.bytes ? uintptr_t(item_size(got.dtype)) : 1), 0u);
}

}  // namespace haft
