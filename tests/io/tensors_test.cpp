#include "core/io/tensors.h"

#include "core/init.h"
#include "core/io/profile_trace.h"
#include "core/io/safetensors.h"
#include "tests/io/io_testing.h"

namespace haft {
namespace {

TEST(Tensors, RoundTripThroughAFile) {
  TempFolder dir;
  std::vector<ArrayRef> refs;
  std::vector<Array> kept;
  for (DType t : kAllTypes)
    for (auto& sizes : {ArrayRef::Sizes{}, ArrayRef::Sizes{0, 4}, ArrayRef::Sizes{3, 50}}) {
      Sample s(concat(dtype_name(t), sizes), t, sizes);
      Tensor x = to_tensor(Array{s.ref, {}});  // no owner: copied
      EXPECT_EQ(x.dtype(), t);
      EXPECT_EQ(x.ndim(), sizes.size());
      kept.push_back(to_array(s.ref.name, x));
      expect_same(kept.back(), s.ref);
    }
  refs.assign(kept.begin(), kept.end());
  write_safetensors(dir / "m", refs);
  Safetensors file = read_safetensors(dir / "m");
  for (auto& want : kept) {
    Tensor x = to_tensor(*file.find(want.name));
    expect_same(to_array("", x), want);
  }
}

TEST(Tensors, ShareMappedMemoryAndKeepIt) {
  TempFolder dir;
  Sample s("w", DType::f32, {100});
  write_safetensors(dir / "m", std::vector{s.ref});
  Tensor x;
  {
    Safetensors file = read_safetensors(dir / "m");
    x = to_tensor(file.arrays[0]);
    EXPECT_EQ(x.data<void>(), file.arrays[0].data);
  }
  EXPECT_EQ(std::memcmp(x.data<void>(), s.ref.data, 400), 0);
  x.data<float>()[0] = 1;  // copy-on-write: neither a fault nor a changed file
  expect_same(read_safetensors(dir / "m").arrays[0], s.ref);
  Array a = to_array("w", x);
  EXPECT_EQ(a.data, x.data<void>());
  x.reset();
  EXPECT_EQ(static_cast<const float*>(a.data)[0], 1);
}

TEST(Tensors, StridedTensorsAreWrittenInRowMajorOrder) {
  init();  // copying strides is an operator
  Sample s("", DType::i32, {2, 3});
  Tensor x = to_tensor(Array{s.ref, {}});
  int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  Tensor t = view_over(*x.impl(), sizes, strides, 0);
  Array a = to_array("t", t);
  const int32_t *got = static_cast<const int32_t*>(a.data), *from = x.data<int32_t>();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_EQ(got[i * 2 + j], from[j * 3 + i]);
}

TEST(Tensors, RefusesNineDimensions) {
  Sample s("deep", DType::u8, ArrayRef::Sizes(9, 1));
  expect_failure([&] { to_tensor(Array{s.ref, {}}); }, Code::shape, {"'deep'", "9 dimensions", "at most 8"});
}

TEST(ProfileTrace, KeepsEverything) {
  auto events = trace_events(std::vector<ProfileEvent>{{"mul", "[2]", 5, 7, 9}, {"range", "", 1, 2, 3}});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].start_ns, 5);
  EXPECT_EQ(events[0].duration_ns, 7);
  EXPECT_EQ(events[0].thread, 9);
  EXPECT_EQ(events[0].args[0].second, "[2]");
  EXPECT_TRUE(events[1].args.empty());
}

}  // namespace
}  // namespace haft
