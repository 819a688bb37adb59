// Files of named arrays in zip archives, and PyTorch's before these.
#include <cstring>

#include "core/io/arrays_file.h"
#include "core/io/npz.h"
#include "tests/fuzz/fuzz.h"
#include "tests/io/pickled.h"

using namespace haft;

std::vector<std::string> fuzz_seeds() {
  const std::vector<ArrayRef> arrays{zeros("a", DType::f32, {2, 3}), zeros("b/c", DType::i64, {}),
                                     zeros("none", DType::boolean, {0, 2})};
  const std::string tensor = pickled_tensor("FloatStorage", "0", 6, 0, {2, 3}, {3, 1});
  const std::string turned = pickled_tensor("FloatStorage", "0", 6, 1, {2, 2}, {1, 2});
  const std::string module =
      "cmy\nNet\n)\x81" +
      pickled_dict({{"_parameters",
                     pickled_dict({{"w", "ctorch._utils\n_rebuild_parameter\n(" + tensor + "\x88}tR"}})},
                    {"_buffers", "}"},
                    {"_modules", "}"}}) +
      "b";
  const std::string state = pickled_dict(
      {{"w", tensor}, {"v", turned}, {"deep", pickled_dict({{"list", "](" + tensor + turned + "e"}})}});
  const std::string memory(24, '\1');
  return {
      encode_npz(arrays, false),
      encode_npz(arrays, true),
      encode_npz({}, false),
      pytorch_file(state, {{"0", memory}}),
      pytorch_file(module, {{"0", memory}}, true),
      pytorch_before_zip(state, {{"0", memory}}),
      pytorch_before_zip(module, {{"0", memory}}),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::unique_ptr<ArraysFile> file;
  if (!accepts([&] { file = parse_arrays({data, size}, "fuzz"); })) return 0;
  for (size_t i = 0; i < file->names().size(); ++i) {
    FUZZ_CHECK(file->find(file->names()[i]) == int64_t(i));
    Array a;
    if (accepts([&] { a = file->read(int64_t(i)); })) use(a);
  }
  return 0;
}
