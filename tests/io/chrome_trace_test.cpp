#include "core/io/chrome_trace.h"

#include "core/io/json_reader.h"
#include "tests/io/io_testing.h"

namespace haft {
namespace {

struct Check : JsonHandler {
  std::vector<std::string> strings;
  std::vector<double> numbers;
  void null() override {}
  void boolean(bool) override {}
  void integer(int64_t v) override { numbers.push_back(double(v)); }
  void real(double v) override { numbers.push_back(v); }
  void string(std::string& v) override { strings.push_back(v); }
  void key(std::string&) override {}
  void begin_object() override {}
  void end_object() override {}
  void begin_array() override {}
  void end_array() override {}
};

TEST(ChromeTrace, IsJsonWithEveryNanosecond) {
  TempFolder dir;
  std::vector<TraceEvent> events = {{"mul \"x\"\xff", "op", 9007199254740993, 1, 3, {{"shape", "[2, 3]"}}},
                                    {"add", "op", -1, 1002003, 4, {}}};
  write_chrome_trace(dir / "t.json", events);
  std::string text = slurp(dir / "t.json");
  EXPECT_NE(text.find("\"ts\":9007199254740.993,\"dur\":0.001,"), text.npos) << text;
  EXPECT_NE(text.find("\"ts\":-0.001,\"dur\":1002.003,"), text.npos) << text;
  Check c;
  parse_json(text, c, "trace");
  EXPECT_EQ(c.strings[3], "haft");
  EXPECT_EQ(c.strings[5], "mul \"x\"\xef\xbf\xbd");
  write_chrome_trace(dir / "t.json", {});
  parse_json(slurp(dir / "t.json"), c, "trace");
  write_chrome_trace(dir / "t.json", std::vector<TraceEvent>(20000, events[0]));  // more than one write
  parse_json(slurp(dir / "t.json"), c, "trace");
}

TEST(ProfileTable, SelfTimeAndOrder) {
  std::vector<TraceEvent> events = {
      {"inner", "op", 10, 20, 1, {}}, {"outer", "op", 0, 100, 1, {}},  {"inner", "op", 40, 60, 1, {}},
      {"leaf", "op", 12, 5, 1, {}},   {"inner", "op", 0, 1000, 2, {}}, {"after", "op", 100, 7, 1, {}},
  };
  auto rows = profile_rows(events);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].name, "inner");
  EXPECT_EQ(rows[0].calls, 3);
  EXPECT_EQ(rows[0].total_ns, 1080);
  EXPECT_EQ(rows[0].self_ns, 1075);
  EXPECT_EQ(rows[1].name, "outer");
  EXPECT_EQ(rows[1].self_ns, 20);
  EXPECT_EQ(rows[2].name, "after");
  EXPECT_EQ(rows[2].self_ns, 7);
}

TEST(ProfileTable, Text) {
  std::vector<TraceEvent> events = {{"matmul", "op", 0, 1500000, 1, {}},
                                    {"add", "op", 2000000, 999, 1, {}},
                                    {"add", "op", 2001000, 501, 1, {}}};
  EXPECT_EQ(profile_table(events),
            "Name    Calls    Total     Mean     Self   Share\n"
            "------------------------------------------------\n"
            "matmul      1  1.500ms  1.500ms  1.500ms  99.90%\n"
            "add         2  1.500us    750ns  1.500us   0.10%\n");
  EXPECT_EQ(profile_table({}),
            "Name  Calls  Total  Mean  Self  Share\n-------------------------------------\n");
}

}  // namespace
}  // namespace haft
