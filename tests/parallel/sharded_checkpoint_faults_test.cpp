// Sharded checkpoints where something is held up, in the way or too much.
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/parallel/fully_sharded.h"
#include "core/parallel/sharded_parts.h"
#include "tests/io/io_testing.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

// What is flushed of the folder that a test watches, in order; a disk that is held up flushes no tensors.
struct Disk {
  std::mutex mutex;
  std::condition_variable changed;
  std::string watched;  // empty: nothing is noted or held up
  std::vector<std::string> flushed;
  bool held = false;
  int waiting = 0;
};
Disk& disk() {
  static auto& d = *new Disk;
  return d;
}

struct Watching {
  explicit Watching(const std::string& folder, bool held = false) {
    std::lock_guard lock(disk().mutex);
    disk().watched = folder;
    disk().flushed.clear();
    disk().held = held;
  }
  ~Watching() { let_go(); }
  void await_held() {
    std::unique_lock lock(disk().mutex);
    disk().changed.wait(lock, [] { return disk().waiting > 0; });
  }
  void let_go() {
    std::lock_guard lock(disk().mutex);
    disk().held = false;
    disk().watched.clear();
    disk().changed.notify_all();
  }
};

}  // namespace

extern "C" int fsync(int fd) {
  char path[4096] = "";
  const ssize_t n = readlink(concat("/proc/self/fd/", fd).c_str(), path, sizeof path - 1);
  {
    std::unique_lock lock(disk().mutex);
    if (n > 0 && !disk().watched.empty() && std::string_view(path, size_t(n)).starts_with(disk().watched)) {
      disk().flushed.emplace_back(path, size_t(n));
      if (std::string_view(path, size_t(n)).find(".safetensors.tmp-") != std::string_view::npos) {
        ++disk().waiting;
        disk().changed.notify_all();
        disk().changed.wait(lock, [] { return !disk().held; });
        --disk().waiting;
      }
    }
  }
  return int(syscall(SYS_fsync, fd));
}

namespace {

TensorPiece piece(std::string name, Tensor t) {
  TensorPiece p;
  p.name = std::move(name);
  p.tensor = std::move(t);
  return p;
}

// Answers the save's end, whose done it is.
struct End {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::string> told;
  ShardedSave::Done done() {
    return [this](std::shared_ptr<const Error> e) {
      std::lock_guard lock(mutex);
      told = e ? e->message : "";
      changed.notify_all();
    };
  }
  std::string wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return told.has_value(); });
    return *told;
  }
};

TEST(ShardedCheckpoint, NewNamesAreFlushedUpToTheFolderThatWasThere) {
  TempFolder dir;
  init();
  const std::string top = std::filesystem::canonical(dir / ".");
  Watching watching(top);
  const TensorPiece p = piece("t", normal({10}, 1));
  save_sharded({}, top + "/a/b", std::span(&p, 1), {}, {});
  std::vector<std::string> flushed;
  {
    std::lock_guard lock(disk().mutex);
    flushed = disk().flushed;
  }
  const auto last = [&](const std::string& path) {
    for (size_t i = flushed.size(); i-- > 0;)
      if (flushed[i] == path) return int(i);
    return -1;
  };
  for (const char* made : {"", "/a", "/a/b"}) EXPECT_GE(last(top + made), 0) << made << " was not flushed";
  ASSERT_GE(flushed.size(), 3u);
  // The folder is there before the index takes its name, behind which nothing may fail.
  EXPECT_EQ(flushed.end()[-3], top + "/a");
  EXPECT_EQ(flushed.back(), top + "/a/b");
}

TEST(ShardedCheckpoint, TheSaveBeforeIsNotWaitedForWithoutEnd) {
  TempFolder dir;
  End first, third;
  expect_none(run_threads(
      1,
      [&](Group& g) {
        const Ref<Group> group = Ref<Group>::share(&g);
        const TensorPiece p = piece("t", normal({10}, 1));
        Watching watching(std::filesystem::canonical(dir / "."), true);
        save_sharded(group, dir / "c", std::span(&p, 1), {}, first.done());
        watching.await_held();
        const std::string told =
            failure_of([&] { save_sharded(group, dir / "d", std::span(&p, 1), {}, {}); });
        want(told == concat("23: the save before it, into '", dir / "c", "', has not ended within 0.2 s"),
             told);
        watching.let_go();
        want(first.wait().empty(), *first.told);
        save_sharded(group, dir / "d", std::span(&p, 1), {}, third.done());
        want(third.wait().empty(), *third.told);
      },
      patient(0.2)));
}

TEST(ShardedCheckpoint, OfTwoSavesIntoOneFolderTheLaterIsRefused) {
  TempFolder dir;
  End first;
  expect_none(run_threads(2, [&](Group& g) {
    const TensorPiece p = piece("t", normal({10}, 1)), other = piece("other", normal({10}, 2));
    std::optional<Watching> watching;
    if (g.rank() == 0) {
      watching.emplace(std::filesystem::canonical(dir / "."), true);
      save_sharded({}, dir / "c", std::span(&p, 1), {}, first.done());
      watching->await_held();
    }
    g.run(job(dist::Kind::barrier, {}, {}));
    const std::string told =
        failure_of([&] { save_sharded(Ref<Group>::share(&g), dir / "c", std::span(&other, 1), {}, {}); });
    want(told == concat("10: rank 0: another save into '", dir / "c", "' is under way"), told);
    if (watching) {
      watching->let_go();
      want(first.wait().empty(), *first.told);
      want(ShardedReader(dir / "c").index().find("t"), "the first save's tensor");
    }
    g.run(job(dist::Kind::barrier, {}, {}));
    save_sharded(Ref<Group>::share(&g), dir / "c", std::span(&other, 1), {}, {});
    want(ShardedReader(dir / "c").index().find("other"), "the second save's tensor");
  }));
}

TEST(ShardedCheckpoint, WhatARankFailedWithIsToldWhereTheOthersCannotBe) {
  TempFolder dir;
  std::string told[2];
  run_threads(2, [&](Group& g) {
    g.run(job(dist::Kind::barrier, {}, {}));
    if (g.rank() == 0) g.kill("its end");
    const TensorPiece p = piece(g.rank() ? "not UTF-8: \xff" : "t", normal({10}, 1));
    told[g.rank()] =
        failure_of([&] { save_sharded(Ref<Group>::share(&g), dir / "c", std::span(&p, 1), {}, {}); });
  });
  EXPECT_NE(told[0].find("its end"), std::string::npos) << told[0];
  EXPECT_EQ(told[1].substr(0, 3), "1: ") << told[1];
  for (const char* part : {"is not UTF-8; other ranks could not be told: ", "its end"})
    EXPECT_NE(told[1].find(part), std::string::npos) << told[1];
}

// As a module that is not spread: what only one side has is an error, and nothing is written.
TEST(ShardedCheckpoint, RowsOfAModuleOfOtherNamesOrShapesAreNotLoaded) {
  TempFolder dir;
  using List = std::vector<Ref<nn::Module>>;
  const auto net = [](const std::vector<int64_t>& widths) {
    List list;
    for (size_t i = 0; i + 1 < widths.size(); ++i)
      list.push_back(make_ref<nn::Linear>(widths[i], widths[i + 1], true, nn::Build{}));
    return Ref<nn::Module>(make_ref<nn::Sequential>(list));
  };
  expect_none(run_threads(2, [&](Group& g) {
    const auto parts_of = [](nn::Module& m) {
      CheckpointParts p;
      p.module = &m;
      p.default_generator = false;
      return p;
    };
    const auto sharded = [&](const Ref<nn::Module>& m) {
      return FullyShardedUnit::create(m, Ref<Group>::share(&g), {}, {}, {});
    };
    Ref<nn::Module> saved = net({4, 6, 3});
    auto unit = sharded(saved);
    save_sharded_parts(Ref<Group>::share(&g), dir / "c", {}, parts_of(*saved), {}, {});
    unit->close();
    const std::pair<std::vector<int64_t>, std::string> others[] = {
        {{4, 6}, "unexpected 'module.1.bias', 'module.1.weight'"},
        {{4, 6, 3, 5}, "missing 'module.2.weight', 'module.2.bias'"},
        {{4, 7, 3}, "wrong shape 'module.0.weight' ([6, 4], wanted [7, 4])"},
    };
    for (const auto& [widths, trouble] : others) {
      Ref<nn::Module> other = net(widths);
      auto u = sharded(other);
      const Tensor before = ops::clone(ops::detach(shard_or_self(other->parameters()[0])));
      ShardedReader from(dir / "c");
      const std::string told =
          failure_of([&] { load_sharded_parts(from, g.rank(), {}, false, parts_of(*other)); });
      want(told.find(trouble) != std::string::npos, told);
      want(same_bits(before, ops::detach(shard_or_self(other->parameters()[0]))), "something was written");
      u->close();
    }
  }));
}

}  // namespace
