#include "core/io/npy.h"

#include "tests/io/io_testing.h"

namespace haft {
namespace {

std::string file_of(const std::string& header, const std::string& data, int version = 1) {
  uint32_t n = uint32_t(header.size());
  return std::string("\x93NUMPY") + char(version) + '\0' +
         std::string(reinterpret_cast<const char*>(&n), version == 1 ? 2 : 4) + header + data;
}
Array parse(const std::string& content) { return parse_npy(bytes_of(content), "file 'x'"); }
void refuse(const std::string& header, const std::string& data, std::vector<std::string> parts,
            Code code = Code::corrupt) {
  parts.push_back("file 'x'");
  expect_failure([&] { parse(file_of(header, data)); }, code, parts);
}
std::string dict(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

TEST(Npy, RoundTripOfAllTypesAndShapes) {
  TempFolder dir;
  for (DType t : kAllTypes)
    for (auto& sizes : {ArrayRef::Sizes{}, ArrayRef::Sizes{0}, ArrayRef::Sizes{3, 0, 5}, ArrayRef::Sizes{7},
                        ArrayRef::Sizes{3, 5}, ArrayRef::Sizes{1, 2, 1, 3, 1, 1, 2, 1, 3}}) {
      Sample s("", t, sizes);
      if (t == DType::bf16) {
        expect_failure([&] { encode_npy(s.ref); }, Code::dtype, {"bfloat16"});
        continue;
      }
      write_npy(dir / "a", s.ref);
      expect_same(read_npy(dir / "a"), s.ref);
      std::string content = encode_npy(s.ref);
      EXPECT_EQ(slurp(dir / "a"), content);
      EXPECT_EQ((content.size() - size_t(s.ref.bytes)) % 64, 0u);
    }
}

TEST(Npy, ManyDimensionsNeedVersion2) {
  Sample s("", DType::u8, ArrayRef::Sizes(30000, 1));
  std::string content = encode_npy(s.ref);
  EXPECT_EQ(content[6], 2);
  expect_same(parse(content), s.ref);
}

TEST(Npy, Versions2And3AndLooseSpelling) {
  std::string data(8, '\1');
  for (int version : {1, 2, 3}) EXPECT_EQ(parse(file_of(dict("<f4", "(2,)"), data, version)).sizes[0], 2);
  Array a = parse(file_of("{\"shape\":(1L,2L),'fortran_order':False,'descr':'=i4'}", data));
  EXPECT_EQ(a.dtype, DType::i32);
  EXPECT_EQ(a.sizes.size(), 2);
  EXPECT_EQ(parse(file_of(dict(">u1", "(8,)"), data)).dtype, DType::u8);
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  for (std::string type : {"|u1", "<i2", "<f4", "<f8"}) {
    size_t item = size_t(type[2] - '0');
    int64_t sizes[] = {2, 3, 4};
    std::string data(24 * item, '\0');
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 3; ++j)
        for (int64_t k = 0; k < 4; ++k) data[size_t(i + 2 * (j + 3 * k)) * item] = char(i * 12 + j * 4 + k);
    Array a = parse(file_of(dict(type, "(2, 3, 4)", "True"), data));
    EXPECT_EQ(std::vector<int64_t>(a.sizes.begin(), a.sizes.end()), std::vector<int64_t>(sizes, sizes + 3));
    for (size_t n = 0; n < 24; ++n) EXPECT_EQ(static_cast<const char*>(a.data)[n * item], char(n));
  }
  EXPECT_EQ(parse(file_of(dict("<f4", "(0, 3)", "True"), "")).bytes, 0);
  EXPECT_EQ(parse(file_of(dict("<f4", "()", "True"), "1234")).bytes, 4);
}

TEST(Npy, RefusesForeignTypes) {
  refuse(dict(">f4", "(1,)"), "1234", {"'>f4'", "big-endian"}, Code::dtype);
  refuse(dict("|O", "(1,)"), "1234", {"'|O'", "Python objects"}, Code::dtype);
  refuse(dict("<c32", "(1,)"), std::string(32, '1'), {"'<c32'", "wanted b1"}, Code::dtype);
  refuse(dict("<U3", "(1,)"), "", {"'<U3'"}, Code::dtype);
  refuse(dict("", "(1,)"), "", {"''"}, Code::dtype);
  refuse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234", {"several fields"},
         Code::dtype);
}

TEST(Npy, RefusesBrokenFiles) {
  expect_failure([] { parse(""); }, Code::corrupt, {"does not begin"});
  expect_failure([] { parse("PK\3\4 this is an archive"); }, Code::corrupt, {"does not begin"});
  expect_failure([] { parse(file_of("{}", "", 4)); }, Code::unsupported, {"version 4.0"});
  expect_failure([] { parse(std::string("\x93NUMPY\2\0\1\0", 10)); }, Code::corrupt, {"inside its header"});
  expect_failure([] { parse(std::string("\x93NUMPY\1\0\xff\0", 10)); }, Code::corrupt, {"length is 255"});
  refuse("", "", {"its end", "'{'"});
  refuse("{'descr': '<f4'}", "", {"lacks one of"});
  refuse("{'descr': '<f4', 'descr': '<f4'}", "", {"'descr'", "twice"});
  refuse("{'other': 1}", "", {"'other'"});
  refuse("{'descr': '<f4", "", {"string without its end"});
  refuse("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "", {"fortran_order", "True or False"});
  refuse("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "1234", {"after its closing brace"});
  refuse(dict("<f4", "(-1,)"), "", {"'-1,)", "a size"});
  refuse(dict("<f4", "(1 2)"), "", {"')'", "'2)"});
  refuse(dict("<f4", "(99999999999999999999,)"), "", {"63 bits"});
  refuse(dict("<f4", "(4611686018427387904, 4)"), "", {"63 bits"});
  refuse(dict("<f4", "(3,)"), "1234", {"[3]", "wants 12", "4 are there"});
  refuse(dict("<f4", "(1,)"), "12345", {"wants 4", "5 are there"});
  refuse(dict("|b1", "(2,)"), "\1\2", {"byte 2 as boolean 1"});
  TempFolder dir;
  spew(dir / "a", "x");
  expect_failure([&] { read_npy(dir / "a"); }, Code::corrupt, {"npy file", "/a'"});
}

}  // namespace
}  // namespace haft
