#include "core/io/tensorboard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "tests/io/event_reader.h"

namespace haft {
namespace {

EventWriterOptions fixed(double now) {
  return {[now] { return now; }, "host/name"};
}

TEST(TensorBoard, Scalars) {
  TempFolder dir;
  EventWriter w(dir / "runs/a", fixed(1700000000.25));
  EXPECT_EQ(
      w.path().rfind(
          dir / "runs/a/events.out.tfevents.1700000000.host_name." + std::to_string(::getpid()) + ".", 0),
      0u)
      << w.path();
  w.add_scalar("loss", 2.5f, 0);
  w.add_scalar("loss", NAN, -1);
  w.add_scalar("\xe7\xb2\xbe", -0.f, int64_t(1) << 40);
  w.flush();
  auto e = read_events(w.path());
  ASSERT_EQ(e.size(), 4u);
  EXPECT_EQ(e[0].file_version, "brain.Event:2");
  EXPECT_EQ(e[0].wall_time, 1700000000.25);
  EXPECT_EQ(e[1].tag, "loss");
  EXPECT_EQ(e[1].scalar, 2.5f);
  EXPECT_EQ(e[2].step, -1);
  EXPECT_TRUE(std::isnan(e[2].scalar));
  EXPECT_EQ(e[3].tag, "\xe7\xb2\xbe");
  EXPECT_EQ(e[3].step, int64_t(1) << 40);
}

TEST(TensorBoard, Histograms) {
  TempFolder dir;
  EventWriter w(dir.path(), fixed(1));
  std::vector<double> v;
  for (int i = 0; i <= 300; ++i) v.push_back(i * 0.1);
  w.add_histogram("w", v, 3);
  w.add_histogram("same", std::vector<double>(5, 2.0), 3);
  w.add_histogram("wide", std::vector<double>{-1.7e308, 0, 1.7e308}, 3);
  w.add_histogram("close", std::vector<double>{1e300, std::nextafter(1e300, INFINITY), 5e-324}, 3);
  w.add_histogram("tiny", std::vector<double>{0, 5e-324}, 3);
  auto e = read_events(w.path());
  ASSERT_EQ(e.size(), 6u);
  EXPECT_EQ(e[1].low, 0);
  EXPECT_EQ(e[1].high, 30);
  EXPECT_EQ(e[1].count, 301);
  EXPECT_NEAR(e[1].sum, 4515, 1e-9);
  for (size_t i = 1; i < e.size(); ++i) {
    ASSERT_EQ(e[i].counts.size(), e[i].limits.size());
    EXPECT_EQ(std::accumulate(e[i].counts.begin(), e[i].counts.end(), 0.0), e[i].count);
    EXPECT_EQ(e[i].limits.back(), e[i].high);
    EXPECT_TRUE(std::is_sorted(e[i].limits.begin(), e[i].limits.end()));
  }
  EXPECT_EQ(e[3].counts.front(), 1);
  EXPECT_EQ(e[3].counts.back(), 1);
}

TEST(TensorBoard, Refusals) {
  TempFolder dir;
  EventWriter w(dir.path());
  expect_failure([&] { w.add_scalar("", 1, 1); }, Code::invalid_argument, {"tag is empty"});
  expect_failure([&] { w.add_scalar("\xff", 1, 1); }, Code::invalid_argument, {"UTF-8"});
  expect_failure([&] { w.add_histogram("h", {}, 1); }, Code::invalid_argument, {"'h'", "no values"});
  expect_failure(
      [&] {
        w.add_histogram("h", std::vector<double>{1, NAN}, 1);
      },
      Code::invalid_argument, {"'h'", "value 1"});
  EXPECT_EQ(read_events(w.path()).size(), 1u);
  spew(dir / "file", "");
  expect_failure([&] { EventWriter(dir / "file/x"); }, Code::io, {"file/x", "Not a directory"});
  expect_failure([&] { EventWriter(dir / "file"); }, Code::io, {"/file"});
  expect_failure([&] { EventWriter(""); }, Code::invalid_argument, {"empty"});
}

TEST(TensorBoard, TwoWritersInOneFolderAndManyThreads) {
  TempFolder dir;
  EventWriter a(dir.path(), fixed(5)), b(dir.path(), fixed(5));
  EXPECT_NE(a.path(), b.path());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 250; ++i) a.add_scalar("t" + std::to_string(t), float(i), i);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(read_events(a.path()).size(), 1001u);
}

TEST(TensorBoard, AKilledProcessLeavesWholeRecords) {
  TempFolder dir;
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  pid_t child = ::fork();
  if (child == 0) {
    EventWriter w(dir.path());
    for (int i = 0; i < 100; ++i) w.add_scalar("loss", float(i), i);
    if (::write(pipe_ends[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char c;
  ASSERT_EQ(::read(pipe_ends[0], &c, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  ASSERT_EQ(dir.names().size(), 1u);
  EXPECT_EQ(read_events(dir / dir.names()[0]).size(), 101u);
}

TEST(TensorBoard, AFullDiskLeavesWholeRecords) {
  TempFolder dir;
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EventWriter w(dir.path());
    try {
      for (int i = 0; i < 100; ++i) w.add_scalar("loss", float(i), i);
    } catch (const Error& e) {
      ::_exit(e.code == Code::io ? 7 : 8);
    }
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  std::string path = dir / dir.names()[0];
  EXPECT_GT(read_events(path).size(), 10u);
  // Nothing is left of the record that did not fit.
  std::string all = slurp(path);
  size_t at = 0;
  while (at < all.size()) at += 16 + scalar_of<uint64_t>(all.substr(at, 8));
  EXPECT_EQ(at, all.size());
}

// What else was appended to the file is not the writer's to cut.
TEST(TensorBoard, AFullDiskLeavesTheRecordsOfOthers) {
  TempFolder dir;
  pid_t child = ::fork();
  if (child == 0) {
    EventWriter w(dir.path());
    const std::string first = slurp(w.path());  // a whole record
    for (int i = 0; i < 5; ++i) w.add_scalar("loss", float(i), i);
    const int other = ::open(w.path().c_str(), O_WRONLY | O_APPEND);
    for (int i = 0; i < 3; ++i)
      if (::write(other, first.data(), first.size()) != ssize_t(first.size())) ::_exit(6);
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int added = 5;
    try {
      for (;; ++added) w.add_scalar("loss", float(added), added);
    } catch (const Error& e) {
      ::_exit(e.code == Code::io ? 100 + added : 8);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const int added = WEXITSTATUS(status) - 100;
  ASSERT_GT(added, 5);
  const std::string all = slurp(dir / dir.names()[0]);
  size_t at = 0, records = 0;
  for (; at < all.size(); ++records) at += 16 + scalar_of<uint64_t>(all.substr(at, 8));
  EXPECT_EQ(at, all.size());
  EXPECT_EQ(records, size_t(1 + 3 + added));
}

}  // namespace
}  // namespace haft
