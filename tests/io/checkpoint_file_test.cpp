#include "core/io/checkpoint_file.h"

#include <cmath>

#include "core/io/safetensors.h"
#include "tests/io/io_testing.h"

namespace haft {
namespace {

using Sections = std::map<std::string, CheckpointSection>;

CheckpointFile parse(const std::string& content) { return parse_checkpoint(bytes_of(content), "file 'x'"); }
std::string with(Metadata m) { return encode_safetensors({}, m); }
void refuse(const std::string& section, std::vector<std::string> parts) {
  parts.push_back("file 'x': section 's'");
  expect_failure(
      [&] {
        parse(with({{"format", "haft-checkpoint"}, {"version", "1"}, {"s", section}}));
      },
      Code::corrupt, parts);
}

TEST(Checkpoint, RoundTrip) {
  TempFolder dir;
  Sections sections = {
      {"module", {}},
      {"optimizer",
       {{"kind", std::string("adam")},
        {"lr", 0.1},
        {"step", int64_t(7)},
        {"amsgrad", false},
        {"whole", 3.0},
        {"zero", -0.0}}},
      {"generator", {{"seed", INT64_MIN}, {"offset", INT64_MAX}}},
      {"loader",
       {{"\"quoted\" \xe2\x82\xac", std::string("a\nb")},
        {"inf", INFINITY},
        {"-inf", -INFINITY},
        {"tiny", 5e-324},
        {"third", 1.0 / 3},
        {"true", true}}},
  };
  Sample w("module.weight", DType::f32, {2, 3}), m("optimizer.m", DType::bf16, {0});
  write_checkpoint(dir / "c", sections, std::vector{w.ref, m.ref});
  CheckpointFile c = read_checkpoint(dir / "c");
  EXPECT_EQ(c.sections, sections);
  EXPECT_TRUE(std::signbit(checkpoint_value<double>(c, "optimizer", "zero")));
  ASSERT_TRUE(c.find("module.weight"));
  expect_same(*c.find("module.weight"), w.ref);
  expect_same(*c.find("optimizer.m"), m.ref);
  EXPECT_FALSE(c.find("other"));
  EXPECT_EQ(slurp(dir / "c"), encode_checkpoint(sections, std::vector{m.ref, w.ref}));
}

TEST(Checkpoint, NaNStaysNaN) {
  CheckpointFile c = parse(encode_checkpoint({{"s", {{"v", std::nan("")}}}}, {}));
  EXPECT_TRUE(std::isnan(checkpoint_value<double>(c, "s", "v")));
}

TEST(Checkpoint, RefusesOtherFormatsAndNewerVersions) {
  expect_failure([] { parse(with({})); }, Code::corrupt, {"file 'x'", "no checkpoint", "not given"});
  expect_failure([] { parse(with({{"format", "pt"}})); }, Code::corrupt, {"'pt'", "'haft-checkpoint'"});
  expect_failure(
      [] {
        parse(with({{"format", "haft-checkpoint"}, {"version", "2"}}));
      },
      Code::unsupported, {"version 2", "up to 1"});
  for (const char* v : {"", "0", "-1", "1.0", "x", "99999999999"})
    expect_failure(
        [&] {
          parse(with({{"format", "haft-checkpoint"}, {"version", v}}));
        },
        Code::corrupt, {"its version is"});
  expect_failure([] { parse(with({{"format", "haft-checkpoint"}})); }, Code::corrupt, {"its version is ''"});
  expect_failure([] { parse("junk"); }, Code::corrupt, {"file 'x'", "4 bytes"});
}

TEST(Checkpoint, RefusesBrokenSections) {
  refuse("", {"not valid JSON"});
  refuse("3", {"an integer", "wanted an object"});
  refuse("\"a\"", {"a string"});
  refuse("[]", {"a list"});
  refuse("{\"a\":null}", {"null", "'a'"});
  refuse("{\"a\":[1]}", {"a list", "'a'"});
  refuse("{\"a\":1,\"a\":2}", {"'a'", "twice"});
  refuse("{\"a\":{}}", {"an empty object"});
  refuse("{\"a\":{\"int\":1}}", {"the tag 'int'"});
  refuse("{\"a\":{\"float\":1}}", {"an integer"});
  refuse("{\"a\":{\"float\":\"1\"}}", {"'1'"});
  refuse("{\"a\":{\"float\":\"nan\",\"float\":\"nan\"}}", {"a second tag"});
  refuse("{\"a\":{\"float\":{}}}", {"an object"});
  refuse("{\"a\":18446744073709551615}", {"64 bits"});
}

TEST(Checkpoint, ValuesAreTyped) {
  CheckpointFile c = parse(encode_checkpoint({{"s", {{"n", int64_t(1)}}}}, {}));
  EXPECT_EQ(checkpoint_value<int64_t>(c, "s", "n"), 1);
  expect_failure([&] { checkpoint_value<double>(c, "s", "n"); }, Code::corrupt,
                 {"'n'", "'s'", "an integer", "wanted a fraction"});
  expect_failure([&] { checkpoint_value<bool>(c, "s", "m"); }, Code::corrupt,
                 {"'m'", "missing", "a boolean"});
  expect_failure([&] { checkpoint_value<bool>(c, "t", "m"); }, Code::corrupt, {"section 't'"});
}

TEST(Checkpoint, WriterRefusals) {
  expect_failure([] { encode_checkpoint({{"format", {}}}, {}); }, Code::invalid_argument, {"'format'"});
  expect_failure(
      [] {
        encode_checkpoint({{"s", {{"\xff", true}}}}, {});
      },
      Code::invalid_argument, {"'s'", "UTF-8"});
}

}  // namespace
}  // namespace haft
