#include "core/io/file_datasets.h"

#include "core/io/csv.h"
#include "tests/io/io_testing.h"

namespace haft {
namespace {

CsvTable parse(std::string_view text, CsvOptions options = {}) {
  return parse_csv(text, "file 'x'", options);
}

TEST(Csv, Numbers) {
  const CsvTable t = parse(
      "\xef\xbb\xbf"
      "1,2.5, -3e2\r\n\r\n\" +4 \",5,\"6\"\n7,8,9");
  EXPECT_EQ(t.rows, 3);
  EXPECT_EQ(t.columns, 3);
  EXPECT_EQ(t.values, (std::vector<float>{1, 2.5, -300, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(t.labels.empty() && t.whole_labels.empty());
}

// float32's: too large ones are infinite, too small ones 0.
TEST(Csv, NumbersBeyondTheType) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(parse("1e39,-1e400,1e-60,-1e-400,inf\n").values, (std::vector<float>{inf, -inf, 0, -0.0f, inf}));
  const std::string zeros(400, '0');  // the exponent alone does not say it
  EXPECT_EQ(parse("0." + zeros + "1,-1" + zeros + ".5,1" + zeros + "e-9,0." + zeros +
                  "1e9,1e99999999999999999999\n")
                .values,
            (std::vector<float>{0, -inf, inf, 0, inf}));
}

TEST(Csv, Labels) {
  const CsvTable whole = parse("a;b;c\n1;2;3\n4;5;6\n", {';', 1, -1, true}),
                 real = parse("1,2,3\n4,5,6\n", {',', 0, 0, false});
  EXPECT_EQ(whole.values, (std::vector<float>{1, 2, 4, 5}));
  EXPECT_EQ(whole.whole_labels, (std::vector<int64_t>{3, 6}));
  EXPECT_EQ(real.values, (std::vector<float>{2, 3, 5, 6}));
  EXPECT_EQ(real.labels, (std::vector<float>{1, 4}));
}

TEST(Csv, Refusals) {
  auto refuse = [](std::string_view text, CsvOptions options, std::vector<std::string> parts) {
    parts.push_back("file 'x'");
    expect_failure([&] { parse(text, options); }, Code::corrupt, parts);
  };
  refuse("", {}, {"no rows"});
  refuse("a,b\n", {',', 1}, {"no rows"});
  refuse("a,b\n1,2\n", {}, {"line 1, column 0", "'a'", "number"});
  refuse("1,2\n3\n", {}, {"line 2 has 1 columns, wanted 2"});
  refuse("1,2\n3,\n", {}, {"line 2, column 1", "''"});
  refuse("1,2\n3,4x\n", {}, {"'4x'"});
  refuse("1,2.5\n", {',', 0, 1, true}, {"'2.5'", "whole number"});
  refuse("1,2\n", {',', 0, 2, true}, {"column 2"});
  refuse("1,2\n", {',', 0, -3, true}, {"column -3"});
}

TEST(Csv, Dataset) {
  TempFolder dir;
  spew(dir / "a.csv", "1,2,0\n3,4,1\n");
  auto d = open_csv_dataset(dir / "a.csv", {',', 0, -1, true});
  EXPECT_EQ(d->size(), 2);
  ASSERT_EQ(d->fields().size(), 2u);
  EXPECT_EQ(d->fields()[0].numel(), 2);
  float x[2];
  int64_t label = 0;
  void* dst[] = {x, &label};
  d->read(1, dst);
  EXPECT_EQ(x[1], 4);
  EXPECT_EQ(label, 1);
  EXPECT_EQ(open_csv_dataset(dir / "a.csv", {})->fields().size(), 1u);
}

TEST(Cifar, FilesOneBehindTheOther) {
  TempFolder dir;
  for (int64_t labels : {1, 2}) {
    std::vector<std::string> paths;
    for (int f = 0; f < 2; ++f) {
      std::string content;
      for (int i = 0; i < 3; ++i)
        content +=
            std::string(size_t(labels - 1), '\7') + char(f * 3 + i) + std::string(3072, char(10 * f + i));
      paths.push_back(dir / concat("b", f));
      spew(paths.back(), content);
    }
    auto d = open_cifar_dataset(paths, labels);
    EXPECT_EQ(d->size(), 6);
    std::vector<uint8_t> picture(3072);
    int64_t label = 0;
    void* dst[] = {picture.data(), &label};
    d->read(4, dst);
    EXPECT_EQ(label, 4);
    EXPECT_EQ(picture, std::vector<uint8_t>(3072, 11));
    EXPECT_EQ(static_cast<const uint8_t*>(d->address(0, 4))[3071], 11);
    expect_failure([&] { open_cifar_dataset(paths, 3 - labels); }, Code::corrupt,
                   {"b0", "whole number of pictures"});
  }
  spew(dir / "bad", '\x0b' + std::string(3072, 'x'));
  const std::string bad[] = {dir / "bad"};
  expect_failure([&] { open_cifar_dataset(bad, 1); }, Code::corrupt, {"picture 0", "class 11"});
  expect_failure([&] { open_cifar_dataset({}, 1); }, Code::invalid_argument, {"no files"});
  expect_failure([&] { open_cifar_dataset(bad, 3); }, Code::invalid_argument, {"label_bytes", "3"});
}

}  // namespace
}  // namespace haft
