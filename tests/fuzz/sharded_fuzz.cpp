#include "core/io/sharded_index.h"
#include "tests/fuzz/fuzz.h"

using namespace haft;

namespace {

ShardedTensor tensor(std::string name, DType t, Box::Sizes shape, std::vector<ShardedPiece> pieces) {
  return {std::move(name), t, std::move(shape), std::move(pieces)};
}
ShardedPiece piece(int64_t file, std::string key, Box::Sizes offsets, Box::Sizes sizes) {
  return {file, std::move(key), {std::move(offsets), std::move(sizes)}};
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  ShardedIndex a;
  a.files = {"haft-0-0.safetensors", "haft-0-1.safetensors"};
  a.tensors = {
      tensor("b", DType::f32, {4, 3}, {piece(0, "b@0,0", {0, 0}, {2, 3}), piece(1, "b@2,0", {2, 0}, {2, 3})}),
      tensor("n", DType::i64, {}, {piece(1, "n", {}, {})}), tensor("none", DType::f64, {0, 5}, {})};
  a.sections = {
      {"values", {{"epoch", int64_t(3)}, {"lr", 0.1}, {"name", std::string("x")}, {"inf", 1.0 / 0.0}}},
      {"module", {}}};
  ShardedIndex b;
  return {encode_index(a), encode_index(b)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ShardedIndex index;
  if (!accepts([&] { index = parse_index({reinterpret_cast<const char*>(data), size}, "fuzz"); })) return 0;
  for (const std::string& f : index.files) FUZZ_CHECK(!f.empty() && f.find('/') == f.npos && f != "..");
  for (const ShardedTensor& t : index.tensors) {
    int64_t bytes, elements = 0;
    FUZZ_CHECK(dense_bytes(t.shape, t.dtype, &bytes));
    for (const ShardedPiece& p : t.pieces) {
      FUZZ_CHECK(size_t(p.file) < index.files.size() && box_trouble(p.box, t.shape).empty());
      elements += p.box.numel();
    }
    FUZZ_CHECK(elements == bytes / item_size(t.dtype) && index.find(t.name) == &t);
  }
  const std::string again = encode_index(index);
  FUZZ_CHECK(encode_index(parse_index(again, "fuzz")) == again);
  return 0;
}
