// A fuzz target is LLVMFuzzerTestOneInput and its seeds. libFuzzer runs it with clang; driver.cpp runs it
// with any compiler, with random mutations of the seeds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/array.h"
#include "core/io/text.h"

std::vector<std::string> fuzz_seeds();
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace haft {

#define FUZZ_CHECK(cond)                                                                \
  do {                                                                                  \
    if (!(cond)) {                                                                      \
      std::fprintf(stderr, "%s:%d: the reader broke: %s\n", __FILE__, __LINE__, #cond); \
      std::abort();                                                                     \
    }                                                                                   \
  } while (0)

// A reader may refuse its input, in words, for these reasons and no others. Returns whether it accepted it.
template <class F>
bool accepts(F&& read) {
  try {
    read();
    return true;
  } catch (const Error& e) {
    FUZZ_CHECK(e.code == Code::corrupt || e.code == Code::dtype || e.code == Code::unsupported);
    FUZZ_CHECK(e.message.starts_with("fuzz") && valid_utf8(e.message) && e.message.size() < 2000);
    return false;
  }
}

// Every promised byte is there (the sanitizer watches the reads) and every promise about it holds.
inline void use(const ArrayRef& a) {
  int64_t bytes;
  FUZZ_CHECK(is_valid(int(a.dtype)) && dense_bytes(a.sizes, a.dtype, &bytes) && bytes == a.bytes);
  if (a.bytes == 0) return;
  FUZZ_CHECK(reinterpret_cast<uintptr_t>(a.data) % uintptr_t(item_size(a.dtype)) == 0);
  auto* p = static_cast<const uint8_t*>(a.data);
  volatile uint8_t sum = 0;
  for (int64_t i = 0; i < a.bytes; ++i) sum = uint8_t(sum + p[i]);
  if (a.dtype == DType::boolean) FUZZ_CHECK(find_bad_bool(a.data, a.bytes) < 0);
}

// An array for seeds; its zeros are valid elements of every type.
inline ArrayRef zeros(std::string name, DType dtype, ArrayRef::Sizes sizes) {
  static const uint64_t memory[32] = {};
  ArrayRef a;
  a.name = std::move(name);
  a.dtype = dtype;
  a.sizes = std::move(sizes);
  FUZZ_CHECK(dense_bytes(a.sizes, dtype, &a.bytes) && a.bytes <= int64_t(sizeof memory));
  a.data = memory;
  return a;
}

}  // namespace haft
