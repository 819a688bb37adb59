// The text that a monitoring system scrapes: read back as its format is defined, figure by figure.
#include <atomic>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "capi_testing.h"

namespace {

using haft::Session;
using haft::SessionOptions;
using MetricsText = CapiTest;

// A line of the format: name, labels in braces or nothing, a blank, the value.
struct Sample {
  std::string name, labels, value;
};

std::optional<Sample> parse_sample(const std::string& s) {
  size_t i = 0;
  auto word = [&] {
    size_t start = i;
    while (i < s.size() && (std::islower(static_cast<unsigned char>(s[i])) || s[i] == '_')) ++i;
    return i > start;
  };
  auto is = [&](char c) { return i < s.size() && s[i] == c ? ++i : 0; };
  auto quoted = [&] {
    if (!is('"')) return false;
    for (; i < s.size() && s[i] != '"'; ++i)
      if (s[i] == '\\' && (++i == s.size() || !std::strchr("\\\"n", s[i]))) return false;
    return is('"') != 0;
  };
  if (!word()) return {};
  const size_t name = i;
  if (is('{')) {
    do {
      if (!word() || !is('=') || !quoted()) return {};
      is(',');
    } while (i < s.size() && s[i] != '}');
    if (!is('}')) return {};
  }
  const size_t labels = i;
  if (!is(' ') || i == s.size() || s.find(' ', i) != s.npos) return {};
  return Sample{s.substr(0, name), s.substr(name, labels - name), s.substr(i)};
}

struct Scrape {
  std::map<std::string, double> figures;    // by name and labels
  std::map<std::string, std::string> type;  // of families

  Scrape() {
    std::istringstream text(haft::metrics_text());
    std::string family;
    for (std::string s; std::getline(text, s);) {
      if (s.rfind("# HELP ", 0) == 0) {
        family = s.substr(7, s.find(' ', 7) - 7);
        EXPECT_EQ(type.count(family), 0u) << family << " comes twice";
        continue;
      }
      if (s.rfind("# TYPE ", 0) == 0) {
        EXPECT_EQ(s.substr(7, family.size()), family);
        type[family] = s.substr(8 + family.size());
        continue;
      }
      std::optional<Sample> sample = parse_sample(s);
      if (!sample) {
        ADD_FAILURE() << "no line of the format: " << s;
        continue;
      }
      EXPECT_EQ(sample->name.rfind(family, 0), 0u) << s << " stands in family " << family;
      EXPECT_TRUE(figures
                      .emplace(sample->name + sample->labels,
                               sample->value == "+Inf" ? INFINITY : std::stod(sample->value))
                      .second)
          << s << " comes twice";
    }
  }
  double operator[](const std::string& name) const {
    auto it = figures.find(name);
    if (it == figures.end()) ADD_FAILURE() << "no figure " << name;
    return it == figures.end() ? NAN : it->second;
  }
  bool has(const std::string& name) const { return figures.count(name) > 0; }
};

Session named(const std::string& name, int64_t max_batch = 1) {
  SessionOptions o;
  o.max_batch = max_batch;
  o.memory_limit = 1 << 30;
  return Session(haft::nn::Linear(3, 2), o, name);
}

TEST_F(MetricsText, TellsOfSessions) {
  Session a = named("a"), b = named("b", 8);
  for (int i = 0; i < 5; ++i) a.run({haft::randn({1, 3})});
  b.run({haft::randn({4, 3})});
  EXPECT_THROW(a.run({haft::randn({1, 5})}), haft::Error);
  const Scrape s;
  EXPECT_EQ(s.type.at("haft_session_requests_total"), "counter");
  EXPECT_EQ(s.type.at("haft_session_latency_seconds"), "histogram");
  EXPECT_EQ(s[R"(haft_session_requests_total{session="a",outcome="completed"})"], 5);
  EXPECT_EQ(s[R"(haft_session_requests_total{session="b",outcome="completed"})"], 1);
  EXPECT_EQ(s[R"(haft_session_requests_total{session="a",outcome="invalid"})"], 1);
  EXPECT_EQ(s[R"(haft_session_latency_seconds_count{session="a"})"], 5);
  EXPECT_EQ(s[R"(haft_session_latency_seconds_bucket{session="a",le="+Inf"})"], 5);
  EXPECT_GT(s[R"(haft_session_latency_seconds_sum{session="a"})"], 0);
  double before = 0;
  int bounds = 0;
  for (const char* le : {"0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05",
                         "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"}) {
    const double now = s["haft_session_latency_seconds_bucket{session=\"a\",le=\"" + std::string(le) + "\"}"];
    EXPECT_GE(now, before) << le;
    before = now;
    ++bounds;
  }
  EXPECT_EQ(bounds, 17);
  EXPECT_EQ(s[R"(haft_session_batch_requests_bucket{session="b",le="1"})"], 1);
  EXPECT_EQ(s[R"(haft_session_memory_limit_bytes{session="a"})"], 1 << 30);
  EXPECT_EQ(s[R"(haft_session_running_batches{session="a"})"], 0);
}

TEST_F(MetricsText, ResetBeginsAnew) {
  Session a = named("reset");
  a.run({haft::randn({1, 3})});
  a.reset_metrics();
  const Scrape s;
  EXPECT_EQ(s[R"(haft_session_latency_seconds_count{session="reset"})"], 0);
  EXPECT_EQ(s[R"(haft_session_latency_seconds_sum{session="reset"})"], 0);
  EXPECT_EQ(s[R"(haft_session_batch_requests_count{session="reset"})"], 0);
}

TEST_F(MetricsText, TellsOfMemoryAndHandles) {
  const std::string live = R"(haft_memory_live_bytes{device="cpu"})";
  const double before = Scrape()[live];
  const Tensor x = haft::zeros({1 << 16});
  const Scrape s;
  EXPECT_GE(s[live], before + (4 << 16));
  EXPECT_EQ(s[R"(haft_memory_pinned_live_bytes{device="cpu"})"],
            double(haft::memory_stats(HAFT_DEVICE_CPU).pinned_live));
  EXPECT_TRUE(s.has(R"(haft_memory_pinned_reserved_bytes{device="cpu"})"));
  EXPECT_GE(s[R"(haft_live_handles{type="tensor"})"], 1);
  EXPECT_EQ(s[std::string("haft_info{version=\"") + haft_get_version_string() + "\"}"], 1);
}

TEST_F(MetricsText, NamesAreEscapedAndGiven) {
  Session odd = named("a \"quoted\\ name\nof two lines"), unnamed = named("");
  const Scrape s;
  EXPECT_TRUE(s.has(R"(haft_session_queue_requests{session="a \"quoted\\ name\nof two lines"})"));
  int given = 0;
  for (const auto& [name, value] : s.figures)
    given += name.rfind(R"(haft_session_queue_requests{session="session-)", 0) == 0;
  EXPECT_EQ(given, 1);
}

TEST_F(MetricsText, SessionsComeAndGoMeanwhile) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) named("short").run({haft::randn({1, 3})});
  });
  for (int i = 0; i < 200; ++i) Scrape();
  stop = true;
  other.join();
  EXPECT_FALSE(Scrape().has(R"(haft_session_queue_requests{session="short"})"));
}

TEST_F(MetricsText, SaysWhatRoomItNeeds) {
  int64_t needed = 0;
  ASSERT_EQ(haft_metrics_to_text(nullptr, 0, &needed), HAFT_OK);
  char small[8] = "kept";
  EXPECT_EQ(haft_metrics_to_text(small, sizeof small, &needed), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(small, "kept");
  EXPECT_NE(std::string(haft_error_get_message()).find(std::to_string(needed)), std::string::npos);
}

}  // namespace
