#include "core/io/safetensors.h"

#include "tests/io/io_testing.h"

namespace haft {
namespace {

std::string file_of(const std::string& header, size_t data_bytes, char fill = 1) {
  uint64_t n = header.size();
  return std::string(reinterpret_cast<const char*>(&n), 8) + header + std::string(data_bytes, fill);
}
Safetensors parse(const std::string& content) { return parse_safetensors(bytes_of(content), "file 'x'"); }

void refuse(const std::string& header, size_t data_bytes, std::vector<std::string> parts,
            Code code = Code::corrupt) {
  parts.push_back("file 'x'");
  expect_failure([&] { parse(file_of(header, data_bytes, 2)); }, code, parts);
}

TEST(Safetensors, RoundTripOfAllTypesAndShapes) {
  TempFolder dir;
  std::vector<Sample> samples;
  std::vector<ArrayRef> refs;
  for (DType t : kAllTypes)
    for (auto& sizes : {ArrayRef::Sizes{}, ArrayRef::Sizes{0}, ArrayRef::Sizes{3, 0, 5}, ArrayRef::Sizes{1},
                        ArrayRef::Sizes{3, 5}, ArrayRef::Sizes{1, 2, 1, 3, 1, 1, 2, 1, 3}})
      samples.emplace_back(concat(dtype_name(t), "/", sizes), t, sizes);
  for (auto& s : samples) refs.push_back(s.ref);
  write_safetensors(dir / "m", refs, {{"epoch", "3"}, {"", "empty key"}});
  Safetensors file = read_safetensors(dir / "m");
  ASSERT_EQ(file.arrays.size(), samples.size());
  EXPECT_EQ(file.metadata, (Metadata{{"epoch", "3"}, {"", "empty key"}}));
  for (auto& s : samples) {
    const Array* a = file.find(s.ref.name);
    ASSERT_TRUE(a) << s.ref.name;
    EXPECT_TRUE(a->owner);
    expect_same(*a, s.ref);
  }
  EXPECT_EQ(slurp(dir / "m"), encode_safetensors(refs, file.metadata));
}

TEST(Safetensors, EqualInputGivesEqualBytes) {
  Sample a("a", DType::u8, {3}), b("b", DType::f32, {2}), c("c", DType::i64, {1});
  std::string one = encode_safetensors(std::vector{a.ref, b.ref, c.ref}),
              two = encode_safetensors(std::vector{c.ref, b.ref, a.ref});
  EXPECT_EQ(one, two);
  uint64_t n;
  std::memcpy(&n, one.data(), 8);
  EXPECT_EQ(n % 8, 0u);
  EXPECT_EQ(one.substr(8, one.find('}', 8) - 7),
            "{\"c\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]}");
}

TEST(Safetensors, ArraysOutliveTheFileObject) {
  TempFolder dir;
  Sample s("w", DType::f32, {4});
  write_safetensors(dir / "m", std::vector{s.ref});
  Array kept;
  {
    Safetensors file = read_safetensors(dir / "m");
    kept = file.arrays[0];
  }
  expect_same(kept, s.ref);
}

TEST(Safetensors, NamesAreAnyUtf8) {
  for (std::string name :
       {std::string("a\"b\\c\n\t\x01\x7f"), std::string("\xe9\x87\x8d\xe3\x81\xbf.\xf0\x9f\x98\x80"),
        std::string(""), std::string("nul\0inside", 10)}) {
    Sample s(name, DType::i16, {2});
    std::string content = encode_safetensors(std::vector{s.ref}, {{name, name}});
    Safetensors file = parse(content);
    ASSERT_EQ(file.arrays.size(), 1u);
    EXPECT_EQ(file.arrays[0].name, name);
    EXPECT_EQ(file.metadata.at(name), name);
  }
}

TEST(Safetensors, NoArrays) {
  EXPECT_TRUE(parse(encode_safetensors({})).arrays.empty());
  EXPECT_TRUE(parse(file_of("{}", 0)).arrays.empty());
  EXPECT_EQ(parse(file_of("{\"__metadata__\":{\"a\":\"b\"}}   ", 0)).metadata.at("a"), "b");
}

TEST(Safetensors, UnalignedArraysAreCopied) {
  // Legal: a writer that keeps the arrays' own order.
  std::string content = file_of(
      R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"F32","shape":[2],"data_offsets":[3,11]}})",
      11);
  Safetensors file = parse(content);
  const Array* b = file.find("b");
  ASSERT_TRUE(b);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data) % 4, 0u);
  EXPECT_EQ(std::memcmp(b->data, content.data() + content.size() - 8, 8), 0);
}

TEST(Safetensors, HeaderMayListArraysInAnyOrder) {
  Safetensors file = parse(file_of(
      R"({"b":{"data_offsets":[4,8],"shape":[],"dtype":"F32"},"a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})",
      8));
  EXPECT_EQ(file.arrays[0].name, "a");
  EXPECT_EQ(file.arrays[1].sizes.size(), 0);
}

TEST(Safetensors, RefusesBrokenFrames) {
  expect_failure([] { parse(""); }, Code::corrupt, {"has 0 bytes", "8"});
  expect_failure([] { parse("1234567"); }, Code::corrupt, {"has 7 bytes"});
  expect_failure([] { parse(std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8)); }, Code::corrupt,
                 {"18446744073709551615", "at most 100000000"});
  expect_failure([] { parse(std::string("\x09\0\0\0\0\0\0\0{}", 10)); }, Code::corrupt,
                 {"length is 9", "only 2 bytes"});
  expect_failure([] { parse(std::string(8, '\0')); }, Code::corrupt, {"does not begin with '{'"});
  refuse(" {}", 0, {"does not begin with '{'"});
  refuse("[]", 0, {"does not begin with '{'"});
  refuse("{", 0, {"not valid JSON"});
  refuse("{}x", 0, {"not valid JSON"});
  refuse("{\"a\":\"\xff\"}", 0, {"not UTF-8"});
  refuse("{}", 4, {"holds 4 bytes", "end at 0"});
}

TEST(Safetensors, RefusesWrongFields) {
  refuse(R"({"a":1})", 0, {"array 'a'", "an integer", "an object"});
  refuse(R"({"a":null})", 0, {"array 'a'", "null"});
  refuse(R"({"a":{}})", 0, {"array 'a'", "lacks the field dtype"});
  refuse(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, {"lacks the field shape"});
  refuse(R"({"a":{"dtype":"U8","shape":[1]}})", 1, {"lacks the field data_offsets"});
  refuse(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":1}})", 1, {"'a'", "'more'"});
  refuse(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1, {"'dtype'", "twice"});
  refuse(R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", 1, {"an integer", "a string as dtype"});
  refuse(R"({"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", 1, {"a list as shape"});
  refuse(R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}})", 1,
         {"a fraction", "an integer as size"});
  refuse(R"({"a":{"dtype":"U8","shape":[[1]],"data_offsets":[0,1]}})", 1, {"a list"});
  refuse(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1, {"size -1"});
  refuse(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}})", 1, {"offset -1"});
  refuse(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", 1, {"1 data offsets", "wanted 2"});
  refuse(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", 1, {"an integer"});
  refuse(R"({"a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,1]}})", 1, {"64 bits"});
  refuse(R"({"__metadata__":{"a":1}})", 0, {"__metadata__", "an integer"});
  refuse(R"({"__metadata__":{"a":{}}})", 0, {"__metadata__", "an object"});
  refuse(R"({"__metadata__":[]})", 0, {"__metadata__", "a list"});
  refuse(R"({"__metadata__":{"a":"1","a":"2"}})", 0, {"'a'", "twice"});
  refuse(R"({"__metadata__":{},"__metadata__":{}})", 0, {"twice"});
  refuse(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
      2, {"'a'", "appears twice"});
}

TEST(Safetensors, RefusesWrongContent) {
  refuse(R"({"a":{"dtype":"X7","shape":[1],"data_offsets":[0,1]}})", 1,
         {"'a'", "'X7'", "the format does not have", "F32"});
  refuse(R"({"a":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[0,1]}})", 1,
         {"'F8_E8M0'", "haft does not have"}, Code::dtype);
  refuse(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1, {"[1, 0]", "smaller"});
  refuse(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 2, {"'a'", "[0, 3]", "holds 2 bytes"});
  refuse(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,20]}})", 20,
         {"20 bytes", "[2, 3]", "wants 24"});
  refuse(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0,
         {"do not fit in 63 bits"});
  refuse(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4,0],"data_offsets":[0,0]}})", 0,
         {"do not fit in 63 bits"});
  refuse(
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
      3, {"'b'", "inside the array before it", "wanted 2"});
  refuse(
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})",
      5, {"'b'", "hole", "wanted 2"});
  refuse(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", 3, {"'a'", "hole", "wanted 0"});
  refuse(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 3, {"holds 3 bytes", "end at 2"});
  refuse(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 2,
         {"'a'", "byte 2 as element 0", "0 or 1"});
}

// The names are the format's, for the types of the OCP's specification.
TEST(Safetensors, EightBitFloats) {
  for (auto [t, name] : {std::pair{DType::f8e4m3fn, "\"F8_E4M3\""}, {DType::f8e5m2, "\"F8_E5M2\""}}) {
    Sample a("a", t, {2, 3});
    const std::string file = encode_safetensors(std::vector{a.ref});
    EXPECT_NE(file.find(name), std::string::npos) << file;
    const auto back = parse(file);
    ASSERT_EQ(back.arrays.size(), 1u);
    EXPECT_EQ(back.arrays[0].dtype, t);
    EXPECT_EQ(back.arrays[0].bytes, 6);
  }
}

TEST(Safetensors, WriterRefusals) {
  Sample a("a", DType::f32, {2});
  auto write = [](ArrayRef r) { encode_safetensors(std::vector{r}); };
  ArrayRef r = a.ref;
  r.bytes = 7;
  expect_failure([&] { write(r); }, Code::invalid_argument, {"'a'", "[2]", "7 bytes"});
  r = a.ref, r.name = "\xff";
  expect_failure([&] { write(r); }, Code::invalid_argument, {"not UTF-8"});
  r = a.ref, r.name = "__metadata__";
  expect_failure([&] { write(r); }, Code::invalid_argument, {"reserves"});
  r = a.ref, r.dtype = DType::c128;
  expect_failure([&] { write(r); }, Code::dtype, {"complex128"});
  expect_failure(
      [&] {
        encode_safetensors(std::vector{a.ref, a.ref});
      },
      Code::invalid_argument, {"'a'", "twice"});
  expect_failure([&] { encode_safetensors({}, {{"k", "\xff"}}); }, Code::invalid_argument, {"'k'", "UTF-8"});
  TempFolder dir;
  expect_failure([&] { write_safetensors(dir / "no/m", {}); }, Code::io, {"no/m"});
  expect_failure([&] { read_safetensors(dir / "no"); }, Code::io, {"/no"});
  spew(dir / "short", "abc");
  expect_failure([&] { read_safetensors(dir / "short"); }, Code::corrupt, {"safetensors file", "/short'"});
}

}  // namespace
}  // namespace haft
