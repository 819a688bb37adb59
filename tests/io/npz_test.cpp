#include "core/io/npz.h"

#include "core/io/npy.h"
#include "tests/io/arrays_testing.h"
#include "tests/io/pickled.h"

namespace haft {
namespace {

TEST(Npz, RoundTripOfAllTypes) {
  TempFolder dir;
  std::vector<Sample> samples;
  for (DType t : kAllTypes)
    if (t != DType::bf16)
      for (auto& sizes : {ArrayRef::Sizes{}, ArrayRef::Sizes{0, 2}, ArrayRef::Sizes{3, 40}})
        samples.emplace_back(concat(dtype_name(t), "/", int64_t(samples.size()), "é"), t, sizes);
  std::vector<ArrayRef> refs;
  for (Sample& s : samples) refs.push_back(s.ref);
  for (bool compressed : {false, true}) {
    write_npz(dir / "a.npz", refs, compressed);
    EXPECT_EQ(slurp(dir / "a.npz"), encode_npz(refs, compressed));
    auto file = open_arrays(dir / "a.npz");
    ASSERT_EQ(file->names().size(), refs.size());
    for (const ArrayRef& r : refs) {
      ASSERT_GE(file->find(r.name), 0) << r.name;
      const Array a = file->read(file->find(r.name));
      expect_same(a, r);
      EXPECT_EQ(a.name, r.name);
    }
    EXPECT_EQ(file->find("none"), -1);
  }
}

// An array that is stored is the file's memory: at a multiple of 64, and not copied.
TEST(Npz, StoredArraysAreMapped) {
  TempFolder dir;
  Sample a("a", DType::f64, {300}), b("b", DType::i8, {3}), c("c", DType::f32, {20});
  write_npz(dir / "a.npz", std::vector{a.ref, b.ref, c.ref}, false);
  auto file = open_arrays(dir / "a.npz");
  for (int64_t i = 0; i < 3; ++i) {
    const Array x = file->read(i), again = file->read(i);
    EXPECT_EQ(x.data, again.data);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(x.data) % 64, 0u);
  }
}

TEST(Npz, EmptyArchive) { EXPECT_TRUE(parse(encode_npz({}, false))->names().empty()); }

TEST(Npz, RefusesToWrite) {
  Sample a("a", DType::f32, {2}), half("h", DType::bf16, {2});
  expect_failure(
      [&] {
        encode_npz(std::vector{a.ref, a.ref}, false);
      },
      Code::invalid_argument, {"'a'", "twice"});
  expect_failure([&] { encode_npz(std::vector{half.ref}, false); }, Code::dtype, {"bfloat16"});
  a.ref.name = "\xff";
  expect_failure([&] { encode_npz(std::vector{a.ref}, false); }, Code::invalid_argument, {"UTF-8"});
}

TEST(Npz, DamagedFiles) {
  Sample a("a", DType::f32, {100}), b("b", DType::i64, {3});
  for (bool compressed : {false, true}) {
    const std::string whole = encode_npz(std::vector{a.ref, b.ref}, compressed);
    for (size_t n = 4; n < whole.size(); n += 7) refuse(whole.substr(0, n), {"zip directory"});
    refuse(whole + "x", {"zip directory"});
    // A bit anywhere in the elements is noticed, and the other array still read.
    std::string bent = whole;
    bent[whole.find("a.npy") + 5 + (compressed ? 60 : 300)] ^= 4;
    refuse(bent, {"'a.npy'"});
    expect_same(parse(bent)->read(1), b.ref);
  }
  refuse(zipped({{"a.npy", "no array"}}), {"'a'", "does not begin"});
  refuse(zipped({{"a.npy", encode_npy(a.ref)}, {"a", encode_npy(a.ref)}}), {"two arrays 'a'"});
  refuse(zipped({{"a.npy", encode_npy(a.ref)}, {"a.npy", encode_npy(a.ref)}}), {"'a.npy'", "twice"});
  std::string locked = encode_npz(std::vector{a.ref}, false);
  locked[locked.find("PK\1\2") + 8] |= 1;
  refuse(locked, {"encrypted"}, Code::unsupported);
  std::string other = encode_npz(std::vector{a.ref}, false);
  other[other.find("PK\1\2") + 10] = 14;
  refuse(other, {"method 14"}, Code::unsupported);
  // A small member that says it is huge is refused before memory is taken for it.
  std::string bomb = encode_npz(std::vector{a.ref}, true);
  bomb.replace(bomb.find("PK\1\2") + 24, 4, "\xf0\xff\xff\x7f");
  refuse(bomb, {"impossible"});
}

}  // namespace
}  // namespace haft
