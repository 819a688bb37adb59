// Boxes, and the index of a sharded checkpoint: what it refuses of what it is told.
#include "core/io/sharded_index.h"

#include <numeric>

#include "tests/io/io_testing.h"

namespace haft {
namespace {

TEST(Boxes, OfARangeAreItsElementsInTheirOrder) {
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{}, {7}, {3, 4}, {2, 3, 4}, {1, 5, 1, 3}, {2, 1, 2, 3, 2}}) {
    const int64_t all = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies());
    for (int64_t first = 0; first <= all; ++first)
      for (int64_t count = 0; first + count <= all; ++count) {
        std::vector<int64_t> numbers;
        const std::vector<Box> boxes = boxes_of_range(shape, first, count);
        EXPECT_LE(boxes.size(), std::max<size_t>(1, 2 * shape.size()));
        for (const Box& b : boxes) {
          ASSERT_EQ(box_trouble(b, shape), "");
          for (int64_t i = 0; i < b.numel(); ++i) {
            int64_t at = 0, left = i, volume = b.numel();
            for (int64_t d = 0; d < b.sizes.size(); ++d) {
              volume /= b.sizes[d];
              at = at * shape[size_t(d)] + b.offsets[d] + left / volume;
              left %= volume;
            }
            numbers.push_back(at);
          }
        }
        ASSERT_EQ(int64_t(numbers.size()), count);
        for (int64_t i = 0; i < count; ++i) ASSERT_EQ(numbers[size_t(i)], first + i);
      }
  }
}

TEST(Boxes, CopiesAreElementByElement) {
  const std::vector<int64_t> shape{4, 3, 5};
  std::vector<int32_t> all(60);
  std::iota(all.begin(), all.end(), 0);
  const Box whole = whole_box(shape);
  for (int64_t a = 0; a < 60; a += 7)
    for (int64_t n = 1; a + n <= 60; n += 11)
      for (const Box& to : boxes_of_range(shape, a, n)) {
        const Box part = *intersect(whole, to);
        std::vector<int32_t> there(size_t(to.numel()), -1);
        copy_box(part, whole, all.data(), to, there.data(), 4);
        std::vector<int32_t> back(60, -1);
        copy_box(part, to, there.data(), whole, back.data(), 4);
        int64_t seen = 0;
        for (int64_t i = 0; i < 60; ++i)
          if (back[size_t(i)] != -1) {
            EXPECT_EQ(back[size_t(i)], i);
            ++seen;
          }
        EXPECT_EQ(seen, to.numel());
      }
}

TEST(Boxes, TilingsAreWhole) {
  const std::vector<int64_t> shape{4, 6};
  const Box a{{0, 0}, {2, 6}}, b{{2, 0}, {2, 3}}, c{{2, 3}, {2, 3}}, d{{1, 0}, {2, 3}};
  const auto trouble = [&](std::vector<const Box*> boxes) { return tiling_trouble(boxes, shape); };
  EXPECT_EQ(trouble({&a, &b, &c}), "");
  EXPECT_EQ(trouble({&c, &a, &b}), "");
  EXPECT_NE(trouble({&a, &b}).find("leave out 6 elements"), std::string::npos);
  EXPECT_NE(trouble({&a, &d, &c}).find("overlap at [1, 0]"), std::string::npos);
  EXPECT_NE(trouble({&a, &a}).find("overlap"), std::string::npos);
  EXPECT_EQ(tiling_trouble({}, std::vector<int64_t>{}), "leave out 1 elements of the whole of []");
}

std::string index_with(const std::string& tensors,
                       const std::string& files = R"("a.safetensors","b.safetensors")",
                       const std::string& head = R"("format":"haft-sharded-checkpoint","version":1)") {
  return "{" + head + ",\"files\":[" + files + "],\"tensors\":{" + tensors + "}}";
}
std::string tensor_with(const std::string& pieces, const std::string& shape = "[4]") {
  return R"("t":{"dtype":"F32","shape":)" + shape + R"(,"pieces":[)" + pieces + "]}";
}
void refuse(const std::string& text, std::vector<std::string> parts, Code code = Code::corrupt) {
  parts.push_back("checkpoint 'x'");
  expect_failure([&] { parse_index(text, "checkpoint 'x'"); }, code, parts);
}

TEST(ShardedIndex, GoesThroughTextAndBack) {
  ShardedIndex i;
  i.files = {"one", "\"two\" \xe2\x82\xac\n"};
  i.tensors.push_back({"", DType::boolean, {}, {{1, "k", {{}, {}}}}});
  i.tensors.push_back(
      {"../odd/\"name\"\n", DType::f32, {2, 2}, {{0, "k", {{0, 0}, {2, 1}}}, {1, "l", {{0, 1}, {2, 1}}}}});
  i.sections = {{"values", {{"epoch", int64_t(3)}, {"inf", INFINITY}, {"text", std::string("\0x", 2)}}},
                {"none", {}}};
  const std::string text = encode_index(i);
  const ShardedIndex back = parse_index(text, "x");
  EXPECT_EQ(encode_index(back), text);
  EXPECT_EQ(back.sections, i.sections);
  ASSERT_TRUE(back.find("../odd/\"name\"\n"));
  EXPECT_EQ(back.find("../odd/\"name\"\n")->pieces[1].box.offsets[1], 1);
  EXPECT_FALSE(back.find("nothing"));
}

TEST(ShardedIndex, RefusesWhatIsNotTrue) {
  const std::string one = R"({"file":0,"key":"t","offset":[0],"size":[4]})";
  EXPECT_NO_THROW(parse_index(index_with(tensor_with(one)), "x"));
  refuse("", {"JSON"});
  refuse("[]", {"a list where it does not belong"});
  refuse("{}", {"lacks 'format'"});
  refuse(R"({"files":[]})", {"begins with 'files'"});
  refuse(R"({"format":"other"})", {"the format 'other'"});
  refuse(index_with("", "", R"("format":"haft-sharded-checkpoint","version":2)"),
         {"the version 2", "up to 1"}, Code::unsupported);
  refuse(index_with("", "", R"("format":"haft-sharded-checkpoint")"), {"no version"});
  for (const char* file :
       {R"("../a")", R"("/etc/passwd")", R"("..")", R"("")", R"("a\u0000b")", R"("a","a")"})
    refuse(index_with("", file), {"names the file"});
  refuse(index_with(tensor_with(R"({"file":2,"key":"t","offset":[0],"size":[4]})")),
         {"tensor 't'", "file 2; there are 2"});
  refuse(index_with(tensor_with(R"({"file":-1,"key":"t","offset":[0],"size":[4]})")), {"file -1"});
  refuse(index_with(tensor_with(R"({"file":0,"key":"t","offset":[1],"size":[4]})")),
         {"reaches beyond the whole of [4]"});
  refuse(index_with(tensor_with(
             R"({"file":0,"key":"t","offset":[9223372036854775807],"size":[9223372036854775807]})")),
         {"beyond"});
  refuse(index_with(tensor_with(R"({"file":0,"key":"t","offset":[0],"size":[0]})")), {"an empty piece"});
  refuse(index_with(tensor_with(R"({"file":0,"key":"t","offset":[0,0],"size":[4,1]})")),
         {"has 2 dimensions; the whole has 1"});
  refuse(index_with(tensor_with(R"({"file":0,"key":"t","offset":[0],"size":[3]})")),
         {"leave out 1 elements"});
  refuse(index_with(tensor_with("")), {"leave out 4 elements"});
  refuse(index_with(tensor_with(one + R"(,{"file":1,"key":"t","offset":[0],"size":[4]})")), {"overlap"});
  refuse(index_with(tensor_with(
             R"({"file":0,"key":"t","offset":[0],"size":[2]},{"file":0,"key":"t","offset":[2],"size":[2]})")),
         {"another piece has"});
  refuse(index_with(tensor_with(one, "[-4]")), {"shape [-4]"});
  refuse(index_with(tensor_with("", "[4611686018427387904,4]")), {"do not fit in 63 bits"});
  refuse(index_with(tensor_with(one, "[0,4611686018427387904,4611686018427387904]")), {"tensor 't'"});
  refuse(index_with(tensor_with(one, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]")), {"dimensions"});
  refuse(index_with(tensor_with(one) + "," + tensor_with(one)), {"stands there twice"});
  refuse(index_with(R"("t":{"dtype":"F4","shape":[],"pieces":[]})"), {"the dtype 'F4'"});
  refuse(index_with(R"("t":{"dtype":"F32","shape":[]})"), {"lacks one of the fields"});
  refuse(index_with(R"("t":{"dtype":"F32","dtype":"F32"})"), {"'dtype' twice"});
  refuse(index_with(R"("t":{"more":1})"), {"unknown field 'more'"});
  const std::string whole = index_with(tensor_with(one));
  refuse(whole.substr(0, whole.size() - 1) + R"(,"sections":{"values":{"a":[]}}})", {"a list"});
  refuse(whole.substr(0, whole.size() - 1) + R"(,"sections":{"values":{"a":1},"values":{}}})",
         {"'values' twice"});
  refuse(whole.substr(0, whole.size() - 1) + R"(,"more":{}})", {"unknown field 'more'"});
}

}  // namespace
}  // namespace haft
