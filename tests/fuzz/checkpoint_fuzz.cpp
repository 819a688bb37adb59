#include "core/io/checkpoint_file.h"

#include <cmath>
#include <limits>

#include "tests/fuzz/fuzz.h"

using namespace haft;

std::vector<std::string> fuzz_seeds() {
  std::map<std::string, CheckpointSection> sections = {
      {"module", {}},
      {"optimizer", {{"kind", std::string("adam")}, {"lr", 1e-3}, {"step", int64_t(7)}, {"amsgrad", false}}},
      {"generator", {{"seed", int64_t(-1)}, {"inf", std::numeric_limits<double>::infinity()}}},
  };
  return {
      encode_checkpoint(
          sections, std::vector{zeros("module.w", DType::f32, {2}), zeros("optimizer.m", DType::f64, {1})}),
      encode_checkpoint({{"s", {{"a", true}}}}, {}),
      encode_checkpoint({{"s", {{"a", std::nan("")}}}}, {}),
      encode_checkpoint({}, {}),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  CheckpointFile file;
  if (!accepts([&] { file = parse_checkpoint({data, size}, "fuzz"); })) return 0;
  std::vector<ArrayRef> refs(file.arrays.begin(), file.arrays.end());
  for (auto& a : refs) use(a);
  std::string again = encode_checkpoint(file.sections, refs);
  CheckpointFile second =
      parse_checkpoint({reinterpret_cast<const uint8_t*>(again.data()), again.size()}, "fuzz");
  // NaN differs from itself, so the texts are compared.
  FUZZ_CHECK(encode_checkpoint(second.sections, refs) == again);
  return 0;
}
