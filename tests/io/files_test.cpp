#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/json_reader.h"
#include "core/io/mapped_file.h"
#include "core/io/text.h"
#include "tests/io/io_testing.h"

namespace haft {
namespace {

void save(const std::string& path, const std::string& content) {
  AtomicFile f(path);
  f.write(content);
  f.commit();
}

TEST(AtomicFile, WritesAndReplaces) {
  TempFolder dir;
  save(dir / "a", "first");
  EXPECT_EQ(slurp(dir / "a"), "first");
  save(dir / "a", "");
  EXPECT_EQ(slurp(dir / "a"), "");
  EXPECT_EQ(dir.names(), std::vector<std::string>{"a"});
}

TEST(AtomicFile, LeavesTheOldFileWhenNotCommitted) {
  TempFolder dir;
  save(dir / "a", "old");
  {
    AtomicFile f(dir / "a");
    f.write("new");
    EXPECT_EQ(dir.names().size(), 2u);
  }
  EXPECT_EQ(slurp(dir / "a"), "old");
  EXPECT_EQ(dir.names().size(), 1u);
}

TEST(AtomicFile, KeepsModeAndFollowsLinks) {
  TempFolder dir;
  save(dir / "a", "old");
  ASSERT_EQ(::chmod((dir / "a").c_str(), 0640), 0);
  ASSERT_EQ(::symlink((dir / "a").c_str(), (dir / "link").c_str()), 0);
  save(dir / "link", "new");
  struct stat st;
  ASSERT_EQ(::lstat((dir / "link").c_str(), &st), 0);
  EXPECT_TRUE(S_ISLNK(st.st_mode));
  ASSERT_EQ(::lstat((dir / "a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0640u);
  EXPECT_EQ(slurp(dir / "a"), "new");
}

TEST(AtomicFile, FailsWithPathAndReason) {
  TempFolder dir;
  expect_failure([&] { save(dir / "no/a", "x"); }, Code::io, {"no/a", "No such file or directory"});
  expect_failure([&] { save(dir.path(), "x"); }, Code::io, {dir.path(), "not a regular file"});
  expect_failure([&] { save("/dev/full", "x"); }, Code::io, {"/dev/full", "not a regular file"});
  expect_failure([&] { save("", "x"); }, Code::io, {""});
}

TEST(AtomicFile, StepsOverALeftoverOfTheSameProcessNumber) {
  TempFolder dir;
  // The next names this process would use, as a killed predecessor with the same number leaves them.
  std::string probe;
  {
    AtomicFile f(dir / "a");
    probe = dir.names()[0];
  }
  size_t dash = probe.rfind('-');
  uint64_t next = std::stoull(probe.substr(dash + 1)) + 1;
  for (uint64_t n = next; n < next + 3; ++n)
    spew(dir / (probe.substr(0, dash + 1) + std::to_string(n)), "leftover");
  save(dir / "a", "new");
  EXPECT_EQ(slurp(dir / "a"), "new");
}

// A limit on the file's size stands for the full disk: write(2) then takes a part and refuses the rest.
TEST(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  TempFolder dir;
  save(dir / "a", "old");
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{100000, 100000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      save(dir / "a", std::string(150000, 'x'));
    } catch (const Error& e) {
      ::_exit(e.code == Code::io && e.message.find("too large") != std::string::npos &&
                      e.message.find("/a'") != std::string::npos
                  ? 7
                  : 8);
    }
    ::_exit(9);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(slurp(dir / "a"), "old");
  EXPECT_EQ(dir.names().size(), 1u);
}

TEST(AtomicFile, AKilledProcessLeavesAWholeFile) {
  TempFolder dir;
  const size_t size = 300000;
  save(dir / "a", std::string(size, 'o'));
  int replaced = 0;
  for (int round = 0; round < 60; ++round) {
    pid_t child = ::fork();
    if (child == 0) {
      for (char c = 'a';; c = c == 'z' ? 'a' : char(c + 1)) {
        AtomicFile f(dir / "a");
        for (int i = 0; i < 10; ++i) f.write(std::string(size / 10, c));
        f.commit();
      }
    }
    ::usleep(useconds_t(100 + 311 * (round % 30)));
    ::kill(child, SIGKILL);
    int status;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    std::string now = slurp(dir / "a");
    ASSERT_EQ(now.size(), size);
    ASSERT_EQ(now.find_first_not_of(now[0]), std::string::npos) << "a mixed file after round " << round;
    replaced += now[0] != 'o';
  }
  EXPECT_GT(replaced, 0);
}

TEST(MappedFile, MapsCopyOnWrite) {
  TempFolder dir;
  spew(dir / "a", "hello");
  auto block = map_file(dir / "a");
  ASSERT_EQ(block->size, 5);
  EXPECT_EQ(std::memcmp(block->data, "hello", 5), 0);
  block->data[0] = 'J';
  EXPECT_EQ(slurp(dir / "a"), "hello");
  auto other = block;
  block.reset();
  EXPECT_EQ(other->data[0], 'J');
}

TEST(MappedFile, OutlivesReplacementAndRemoval) {
  TempFolder dir;
  save(dir / "a", "first");
  auto block = map_file(dir / "a");
  save(dir / "a", "second");
  std::filesystem::remove(dir / "a");
  EXPECT_EQ(std::memcmp(block->data, "first", 5), 0);
}

TEST(MappedFile, ReadsPipesAndEmptyFiles) {
  TempFolder dir;
  spew(dir / "empty", "");
  EXPECT_EQ(map_file(dir / "empty")->size, 0);
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::string content(200001, 'p');
  std::thread writer([&] { spew(dir / "pipe", content); });
  auto block = map_file(dir / "pipe");
  writer.join();
  ASSERT_EQ(block->size, 200001);
  EXPECT_EQ(std::memcmp(block->data, content.data(), content.size()), 0);
  EXPECT_GT(map_file("/proc/self/stat")->size, 0);  // says it has no bytes, and has
}

TEST(MappedFile, FailsWithPathAndReason) {
  TempFolder dir;
  expect_failure([&] { map_file(dir / "no"); }, Code::io, {"cannot open", "/no'", "No such file"});
  expect_failure([&] { map_file(dir.path()); }, Code::io, {"cannot read", "directory"});
  expect_failure([&] { map_file("/dev/zero"); }, Code::io, {"/dev/zero", "device"});
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c("", 0), 0u);
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283u);  // RFC 3720 and every catalogue of CRCs
  EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62a8ab43u);
  uint32_t c = 0xe3069283u;
  EXPECT_EQ(masked_crc32c("123456789", 9), ((c >> 15) | (c << 17)) + 0xa282ead8u);
}

TEST(Text, Utf8) {
  for (const char* good :
       {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(valid_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xc0\x80", "\xc3", "\xc3z", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_FALSE(valid_utf8(bad)) << quoted(bad);
  EXPECT_EQ(quoted("a\"b\\\n\x01\x80"), "'a\\\"b\\\\\\n\\u0001\xef\xbf\xbd'");
  EXPECT_EQ(quoted("abcdef", 3), "'abc...'");
  EXPECT_EQ(quoted("ab\xc3\xa9z", 3), "'ab...'");
  std::string n;
  append_json_number(n, 1);
  append_json_number(n, -0.0);
  append_json_number(n, 1e300);
  EXPECT_EQ(n, "1.0-0.01e+300");
}

struct Recorder : JsonHandler {
  std::string log;
  void null() override { log += "N"; }
  void boolean(bool v) override { log += v ? "T" : "F"; }
  void integer(int64_t v) override { log += "i" + std::to_string(v) + ";"; }
  void real(double v) override { log += concat("r", v, ";"); }
  void string(std::string& v) override { log += "s" + v + ";"; }
  void key(std::string& v) override { log += "k" + v + ";"; }
  void begin_object() override { log += "{"; }
  void end_object() override { log += "}"; }
  void begin_array() override { log += "["; }
  void end_array() override { log += "]"; }
};

std::string events(std::string_view text) {
  Recorder r;
  parse_json(text, r, "here");
  return r.log;
}

TEST(Json, Events) {
  EXPECT_EQ(events(" {} "), "{}");
  EXPECT_EQ(events("[]"), "[]");
  EXPECT_EQ(events("[1 , -2,0.5,-1e2,1E+2 ,true,false,null]"), "[i1;i-2;r0.5;r-100;r100;TFN]");
  EXPECT_EQ(events("{\"a\":{\"b\":[{}]},\"a\":[[]]}"), "{ka;{kb;[{}]}ka;[[]]}");
  EXPECT_EQ(events(R"("\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00")"),
            "s\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;");
  EXPECT_EQ(events("9223372036854775807"), "i9223372036854775807;");
  EXPECT_EQ(events("-9223372036854775808"), "i-9223372036854775808;");
  EXPECT_EQ(events("-0"), "i0;");
  std::string deep(1000000, '[');
  EXPECT_EQ(events(deep + std::string(1000000, ']')).size(), 2000000u);
}

TEST(Json, Refusals) {
  for (const char* bad : {"",
                          " ",
                          "{",
                          "[",
                          "[1",
                          "[1,",
                          "[1,]",
                          "[,1]",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "{a:1}",
                          "{1:1}",
                          "1 2",
                          "{}{}",
                          "01",
                          "-",
                          "1.",
                          ".5",
                          "1e",
                          "+1",
                          "tru",
                          "nul",
                          "NaN",
                          "Infinity",
                          "'a'",
                          "\"",
                          "\"\\",
                          "\"\\x\"",
                          "\"\\u12\"",
                          "\"\\ud800\"",
                          "\"\\ud800\\u0041\"",
                          "\"\\udc00\"",
                          "\"\n\"",
                          "\"\xff\"",
                          "[1}",
                          "{\"a\":1]",
                          "]",
                          "9223372036854775808",
                          "-9223372036854775809",
                          "1e999",
                          "/**/1"})
    expect_failure([&] { events(bad); }, Code::corrupt, {"here: "});
  expect_failure([&] { events("[1, x]"); }, Code::corrupt, {"at byte 4", "'x]'", "a value"});
}

}  // namespace
}  // namespace haft
