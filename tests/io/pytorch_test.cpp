#include "core/io/pytorch.h"

#include <numeric>

#include "tests/io/arrays_testing.h"
#include "tests/io/pickled.h"

namespace haft {
namespace {

std::string floats(int n) {
  std::vector<float> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), 0.f);
  return {reinterpret_cast<const char*>(v.data()), v.size() * 4};
}
std::vector<float> values(const ArraysFile& file, const std::string& name) {
  const int64_t i = file.find(name);
  EXPECT_GE(i, 0) << name;
  if (i < 0) return {};
  const Array a = file.read(i);
  EXPECT_EQ(a.dtype, DType::f32);
  auto* p = static_cast<const float*>(a.data);
  return {p, p + a.bytes / 4};
}
const std::string kTensor = pickled_tensor("FloatStorage", "0", 6, 0, {2, 3}, {3, 1});

TEST(PyTorch, DictsListsAndViews) {
  const std::string value = pickled_dict(
      {{"w", kTensor},
       {"turned", pickled_tensor("FloatStorage", "0", 6, 0, {3, 2}, {1, 3})},
       {"part", pickled_tensor("FloatStorage", "0", 6, 2, {2}, {2})},
       {"one", pickled_tensor("FloatStorage", "0", 6, 5, {}, {})},
       {"none", pickled_tensor("FloatStorage", "0", 6, 0, {0, 3}, {3, 1})},
       {"epoch", "K\3"},
       {"inner", pickled_dict({{"b", kTensor}, {"list", "](" + kTensor + "K\1" + kTensor + "e"}})}});
  for (bool deflate : {false, true}) {
    auto file = parse(pytorch_file(value, {{"0", floats(6)}}, deflate));
    EXPECT_EQ(file->names(), (std::vector<std::string>{"w", "turned", "part", "one", "none", "inner.b",
                                                       "inner.list.0", "inner.list.2"}));
    EXPECT_EQ(values(*file, "w"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(values(*file, "turned"), (std::vector<float>{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(values(*file, "part"), (std::vector<float>{2, 4}));
    EXPECT_EQ(values(*file, "one"), (std::vector<float>{5}));
    EXPECT_EQ(values(*file, "none"), (std::vector<float>{}));
    EXPECT_EQ(values(*file, "inner.list.2"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(PyTorch, OneTensorAlone) {
  EXPECT_EQ(parse(pytorch_file(kTensor, {{"0", floats(6)}}))->names(), std::vector<std::string>{"tensor"});
}

// A parameter, an OrderedDict with its _metadata, a module as a whole with a buffer that is not saved, and a class of
// the program's own.
TEST(PyTorch, ObjectsAreReadWithoutTheirCode) {
  const std::string parameter = "ctorch._utils\n_rebuild_parameter\n(" + kTensor + "\x88}tR";
  const std::string module =
      "cmy.own\nNet\n)\x81" +
      pickled_dict(
          {{"training", "\x88"},
           {"_parameters", pickled_dict({{"weight", parameter}, {"bias", "N"}})},
           {"_buffers", pickled_dict({{"mean", kTensor}, {"cache", kTensor}})},
           {"_non_persistent_buffers_set", "c__builtin__\nset\n](" + pickled_text("cache") + "e\x85R"},
           {"_modules", pickled_dict({{"0", "cmy.own\nNet\n)\x81" +
                                                pickled_dict({{"_parameters", pickled_dict({{"w", kTensor}})},
                                                              {"_buffers", "}"},
                                                              {"_modules", "}"}}) +
                                                "b"}})}}) +
      "b";
  auto file = parse(pytorch_file(module, {{"0", floats(6)}}));
  EXPECT_EQ(file->names(), (std::vector<std::string>{"weight", "mean", "0.w"}));
  const std::string ordered = "ccollections\nOrderedDict\n)R(" + pickled_text("w") + parameter + "u" +
                              pickled_dict({{"_metadata", kTensor}}) + "b";
  EXPECT_EQ(parse(pytorch_file(ordered, {{"0", floats(6)}}))->names(), std::vector<std::string>{"w"});
  EXPECT_EQ(
      parse(pytorch_file(
                pickled_dict({{"args", "cargparse\nNamespace\n)\x81" + pickled_dict({{"lr", kTensor}}) + "b"},
                              {"w", kTensor}}),
                {{"0", floats(6)}}))
          ->names(),
      std::vector<std::string>{"w"});
  // Nothing is called: what would be, is passed over.
  EXPECT_EQ(
      parse(pytorch_file(pickled_dict({{"evil", "cos\nsystem\n" + pickled_text("touch /tmp/x") + "\x85R"},
                                       {"w", kTensor}}),
                         {{"0", floats(6)}}))
          ->names(),
      std::vector<std::string>{"w"});
}

TEST(PyTorch, FilesBeforeZip) {
  const std::string part = "(" + pickled_text("view") + "K\2K\2t";
  const std::string value = pickled_dict({{"w", kTensor},
                                          {"part", pickled_tensor("FloatStorage", "0", 6, 1, {1}, {1}, part)},
                                          {"n", pickled_tensor("IntStorage", "7", 2, 0, {2}, {1})}});
  auto file = parse(pytorch_before_zip(value, {{"0", floats(6)}, {"7", std::string("\1\0\0\0\2\0\0\0", 8)}}));
  EXPECT_EQ(values(*file, "w"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(*file, "part"), (std::vector<float>{3}));
  const Array n = file->read(file->find("n"));
  EXPECT_EQ(n.dtype, DType::i32);
  EXPECT_EQ(static_cast<const int32_t*>(n.data)[1], 2);
  const std::string whole = pytorch_before_zip(value, {{"0", floats(6)}, {"7", std::string(8, '\0')}});
  for (size_t cut = kPytorchBeforeZip.size(); cut < whole.size(); ++cut)
    refuse(whole.substr(0, cut), {"cut off"});
  refuse(pytorch_before_zip(value, {{"0", floats(6)}}), {"'n'", "'7'", "lacks"});
  refuse(pytorch_before_zip(value, {{"9", floats(6)}}), {"'9'", "nothing names"});
}

TEST(PyTorch, TypesWithoutMemoryOfTheirOwn) {
  auto typed = [](const std::string& dtype) {
    return "ctorch._utils\n_rebuild_tensor_v3\n((" + pickled_text("storage") +
           "ctorch.storage\nUntypedStorage\n" + pickled_text("0") + pickled_text("cpu") + "K\4tQK\0" +
           std::string() + pickled_numbers({4}) + pickled_numbers({1}) + "\x89}ctorch\n" + dtype + "\ntR";
  };
  std::string eight = typed("float8_e4m3fn"), sixteen = typed("uint16");
  // "K\0" ends a literal: the offset is put in by hand.
  for (std::string* s : {&eight, &sixteen}) s->insert(s->find("tQK") + 3, 1, '\0');
  auto file =
      parse(pytorch_file(pickled_dict({{"a", eight}, {"b", sixteen}}), {{"0", std::string("\1\2\3\4", 4)}}));
  EXPECT_EQ(file->read(0).dtype, DType::f8e4m3fn);
  expect_failure([&] { file->read(1); }, Code::dtype, {"'b'", "'uint16'"});
}

TEST(PyTorch, DamagedFiles) {
  auto one = [](const std::string& tensor) {
    return pytorch_file(pickled_dict({{"w", tensor}}), {{"0", floats(6)}});
  };
  refuse(one(pickled_tensor("FloatStorage", "0", 6, 1, {2, 3}, {3, 1})), {"'w'", "[2, 3]", "24 bytes"});
  refuse(one(pickled_tensor("FloatStorage", "0", 6, 0, {2, 3}, {1})), {"'w'", "2 sizes and 1 strides"});
  refuse(one(pickled_tensor("FloatStorage", "1", 6, 0, {2}, {1})), {"'w'", "'1'", "lacks"});
  refuse(one(pickled_tensor("BoolStorage", "0", 24, 0, {20}, {1})), {"'w'", "wanted 0 or 1"});
  refuse(one(pickled_tensor("QInt8Storage", "0", 24, 0, {2}, {1})), {"'w'", "QInt8Storage"}, Code::dtype);
  refuse(one("ctorch._utils\n_rebuild_sparse_tensor\n)R"), {"'w'", "_rebuild_sparse_tensor"},
         Code::unsupported);
  refuse(pytorch_file(pickled_dict({{"a.b", kTensor}, {"a", pickled_dict({{"b", kTensor}})}}),
                      {{"0", floats(6)}}),
         {"'a.b'", "twice"});
  refuse(pytorch_file("cmy\nNet\n)R", {}), {"'my.Net'", "dict of tensors"}, Code::unsupported);
  refuse(pytorch_file("K\1", {}), {"plain value"}, Code::unsupported);
  refuse(zipped({{"a/data.pkl", whole_pickle("}")}, {"a/byteorder", "big"}}), {"big-endian"},
         Code::unsupported);
  refuse(zipped({{"a/data.pkl", "\x80\x06}."}}), {"protocol 6"}, Code::unsupported);
  refuse(zipped({{"a/data.pkl", "(dp0\n."}}), {"protocols 0 and 1"}, Code::unsupported);
  for (const char* pickle : {"", "\x80\x02", "}", "}u.", "}(Nu.", "Na.", "h\5.", "}}b", "\xff.", "N\x85R.",
                             "K", "X\xff\xff\xff\x7f.", "cmodule\n"})
    refuse(zipped({{"a/data.pkl", pickle}}), {"the pickle"});
  // Lists in lists: too deep, and one that doubles with every level.
  std::string deep = "}", twice = "]";
  for (int i = 0; i < 70; ++i) deep = "(" + deep + "t";
  refuse(zipped({{"a/data.pkl", whole_pickle(deep)}}), {"64 containers"}, Code::unsupported);
  for (int i = 0; i < 40; ++i) twice += "2\x86";
  refuse(zipped({{"a/data.pkl", whole_pickle(twice)}}), {"values"}, Code::unsupported);
}

}  // namespace
}  // namespace haft
