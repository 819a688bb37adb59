#include "core/io/safetensors.h"

#include <cstring>

#include "tests/fuzz/fuzz.h"

using namespace haft;

std::vector<std::string> fuzz_seeds() {
  std::vector<ArrayRef> all;
  for (int t = 1; t < kDTypeCount; ++t)
    if (is_valid(t) && DType(t) != DType::c128)  // the format has none
      all.push_back(zeros(std::string("t") + char('0' + t), DType(t), {t % 3, 2}));
  std::string header =
      R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}})";
  uint64_t n = header.size();
  return {
      encode_safetensors(all, {{"format", "pt"}, {"k", "v"}}),
      encode_safetensors(std::vector{zeros("w", DType::f32, {2, 3})}),
      encode_safetensors(
          std::vector{zeros("\"\\\n\xc3\xa9", DType::boolean, {}), zeros("e", DType::i64, {0})}),
      encode_safetensors({}),
      std::string(reinterpret_cast<const char*>(&n), 8) + header + std::string(7, '\1'),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Safetensors file;
  if (!accepts([&] { file = parse_safetensors({data, size}, "fuzz"); })) return 0;
  std::vector<ArrayRef> refs(file.arrays.begin(), file.arrays.end());
  for (auto& a : refs) use(a);
  // What was read can be written and read again.
  std::string again = encode_safetensors(refs, file.metadata);
  Safetensors second =
      parse_safetensors({reinterpret_cast<const uint8_t*>(again.data()), again.size()}, "fuzz");
  FUZZ_CHECK(second.arrays.size() == refs.size() && second.metadata == file.metadata);
  for (auto& a : refs) {
    const Array* b = second.find(a.name);
    FUZZ_CHECK(b && b->dtype == a.dtype && b->bytes == a.bytes &&
               (!a.bytes || std::memcmp(a.data, b->data, size_t(a.bytes)) == 0));
  }
  return 0;
}
