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

TEST(ChromeTrace, DevicesAreProcessesWithArrows) {
  std::vector<TraceEvent> events = {{"mm", "op", 1000, 10, 1, {}, "", 7, 0},
                                    {"gemm", "kernel", 2000, 30, 4, {}, "gpu:1", 0, 7},
                                    {"late", "kernel", 3000, 5, 4, {}, "gpu:1", 0, 9}};
  const std::string notes[] = {"other: not \"there\""};
  std::string text = chrome_trace(events, "haft", notes);
  Check c;
  parse_json(text, c, "trace");
  EXPECT_NE(text.find("\"otherData\":{\"note 1\":\"other: not \\\"there\\\"\"},"), text.npos) << text;
  EXPECT_NE(
      text.find(
          "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5000000,\"tid\":0,\"args\":{\"name\":\"gpu:1\"}"),
      text.npos)
      << text;
  EXPECT_NE(text.find("\"ts\":2.000,\"dur\":0.030,\"pid\":5000000,\"tid\":4,\"args\":{\"by\":\"mm\"}"),
            text.npos)
      << text;
  EXPECT_NE(text.find("\"ph\":\"s\",\"name\":\"enqueues\",\"cat\":\"enqueues\",\"id\":1,"), text.npos)
      << text;
  EXPECT_NE(text.find("\"ph\":\"f\",\"bp\":\"e\",\"name\":\"enqueues\",\"cat\":\"enqueues\",\"id\":1,\"pid\":"
                      "5000000,\"tid\":4,\"ts\":2.000}"),
            text.npos)
      << text;
  EXPECT_EQ(text.find("\"id\":2"), text.npos) << text;
}

TEST(ProfileTable, DevicesHaveTheirOwn) {
  std::vector<TraceEvent> events = {{"mm", "op", 0, 1000, 1, {}, "", 7, 0},
                                    {"add", "op", 0, 1000, 2, {}},
                                    {"gemm", "kernel", 5, 3000, 4, {}, "gpu:0", 0, 7},
                                    {"gemm", "kernel", 9, 1000, 4, {}, "gpu:0", 0, 8},
                                    {std::string(100, 'x'), "kernel", 9, 1000, 4, {}, "gpu:0", 0, 7}};
  const std::string notes[] = {"other: not there"};
  const std::string table = profile_table(events, notes), cut = std::string(77, 'x') + "...", gap(70, ' ');
  EXPECT_EQ(table,
            "Name  Calls    Total     Mean     Self   Share   Device\n"
            "-------------------------------------------------------\n"
            "add       1  1.000us  1.000us  1.000us  50.00%        -\n"
            "mm        1  1.000us  1.000us  1.000us  50.00%  4.000us\n"
            "\nOn devices" +
                gap + "  Device  Calls    Total     Mean   Share\n" + std::string(121, '-') +
                "\n"
                "gemm" +
                std::string(76, ' ') + "   gpu:0      2  4.000us  2.000us  80.00%\n" + cut +
                "   gpu:0      1  1.000us  1.000us  20.00%\n"
                "Not shown: other: not there\n");
}

}  // namespace
}  // namespace haft
