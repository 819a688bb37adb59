#include "core/io/npy.h"

#include <cstring>

#include "tests/fuzz/fuzz.h"

using namespace haft;

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> out;
  for (int t = 1; t <= int(DType::f64); ++t)
    if (DType(t) != DType::bf16) out.push_back(encode_npy(zeros("", DType(t), {2, t % 3, 3})));
  out.push_back(encode_npy(zeros("", DType::f32, {})));
  std::string fortran = encode_npy(zeros("", DType::i16, {2, 3}));
  fortran.replace(fortran.find("False"), 5, "True ");
  out.push_back(fortran);
  std::string version2 = encode_npy(zeros("", DType::f32, {4}));
  version2[6] = 2;
  out.push_back(version2.insert(10, 2, '\0'));
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Array a;
  if (!accepts([&] { a = parse_npy({data, size}, "fuzz"); })) return 0;
  use(a);
  std::string again = encode_npy(a);
  Array b = parse_npy({reinterpret_cast<const uint8_t*>(again.data()), again.size()}, "fuzz");
  FUZZ_CHECK(b.dtype == a.dtype && b.bytes == a.bytes &&
             (!a.bytes || std::memcmp(a.data, b.data, size_t(a.bytes)) == 0));
  return 0;
}
