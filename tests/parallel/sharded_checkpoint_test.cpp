// Checkpoints that ranks write together: at any number of ranks and any layout the same bits, and never half of one.
#include "core/parallel/sharded_parts.h"

#include <sys/resource.h>

#include <atomic>
#include <fstream>

#include "core/io/tensors.h"
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/parallel/fully_sharded.h"
#include "tests/io/io_testing.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

Tensor numbers(std::vector<int64_t> sizes, DType t = DType::f32, int64_t from = 0) {
  Tensor x = new_tensor(sizes, DType::i64);
  for (int64_t i = 0; i < x.numel(); ++i)
    x.data<int64_t>()[i] = t == DType::boolean ? (i + from) % 3 == 0 : i + from;
  return ops::cast(x, t);
}

TensorPiece whole_piece(std::string name, Tensor t) {
  TensorPiece p;
  p.name = std::move(name);
  p.tensor = std::move(t);
  return p;
}
// Of dimension d, as torch.chunk cuts it.
TensorPiece slice_piece(std::string name, const Tensor& t, int64_t d, int rank, int ranks) {
  const int64_t n = t.size(d), rows = (n + ranks - 1) / ranks, at = std::min(n, rank * rows),
                count = std::min(rows, n - at);
  TensorPiece p;
  p.name = std::move(name);
  p.whole = false;
  p.shape.assign(t.sizes().begin(), t.sizes().end());
  p.offsets.assign(p.shape.size(), 0);
  p.offsets[size_t(d)] = at;
  p.tensor = ops::clone(ops::narrow(t, d, at, count));
  return p;
}
TensorPiece flat_piece(std::string name, const Tensor& t, int rank, int ranks) {
  const int64_t n = t.numel(), chunk = (n + ranks - 1) / ranks, at = std::min(n, rank * chunk),
                count = std::min(chunk, n - at);
  TensorPiece p;
  p.name = std::move(name);
  p.whole = false;
  p.flat = true;
  p.first = at;
  p.shape.assign(t.sizes().begin(), t.sizes().end());
  p.tensor = ops::clone(ops::narrow(ops::flatten(t), 0, at, count));
  return p;
}

// One tensor of every kind of layout, `turn` moves layouts from tensor to tensor, so that what was written in one is
// read in another.
std::vector<TensorPiece> laid_out(int rank, int ranks, int turn, int64_t from = 0) {
  std::vector<TensorPiece> out;
  int i = turn;
  for (DType t : {DType::f32, DType::bf16, DType::i64, DType::boolean, DType::f64}) {
    const Tensor x = numbers({5, 7, 3}, t, from);
    const std::string name = concat("t.", dtype_name(t));
    switch (i++ % 4) {
      case 0: out.push_back(whole_piece(name, x)); break;
      case 1: out.push_back(slice_piece(name, x, 1, rank, ranks)); break;
      case 2: out.push_back(flat_piece(name, x, rank, ranks)); break;
      case 3: out.push_back(slice_piece(name, x, 0, rank, ranks)); break;
    }
  }
  out.push_back(whole_piece("scalar", numbers({}, DType::f64, 42 + from)));
  out.push_back(whole_piece("nothing", numbers({0, 4})));
  out.push_back(whole_piece("turned", ops::transpose(numbers({3, 9}, DType::f32, from), 0, 1)));
  return out;
}

void load_and_compare(const std::string& folder, int rank, int ranks, int turn, int64_t from = 0) {
  const std::vector<TensorPiece> wanted = laid_out(rank, ranks, turn, from);
  std::vector<TensorPiece> pieces = wanted;
  for (TensorPiece& p : pieces) p.tensor = ops::zeros(p.tensor.sizes(), p.tensor.dtype());
  ShardedReader(folder).load(pieces, false);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Array a = to_array("", pieces[i].tensor), b = to_array("", wanted[i].tensor);
    want(a.bytes == b.bytes && (!a.bytes || !std::memcmp(a.data, b.data, size_t(a.bytes))), pieces[i].name);
  }
}

const std::map<std::string, CheckpointSection> kValues{
    {"values", {{"epoch", int64_t(3)}, {"name", std::string("x")}}}};

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> out;
  for (auto& e : std::filesystem::directory_iterator(folder)) out.push_back(e.path().filename());
  std::ranges::sort(out);
  return out;
}

TEST(ShardedCheckpoint, FourToThreeToOneRanksOfRealProcessesBitForBit) {
  TempFolder dir;
  int turn = 0;
  for (int ranks : {4, 3, 1, 2}) {
    Processes p(ranks, [&](Ref<dist::Store> store, int rank) -> std::string {
      Member m(Group::create(std::move(store), rank, ranks, patient()));
      if (turn) load_and_compare(dir / "c", rank, ranks, turn + 1);
      save_sharded(m.g, dir / "c", laid_out(rank, ranks, turn), kValues, {});
      return "saved";
    });
    for (int r = 0; r < ranks; ++r) EXPECT_EQ(p.told(r), "saved");
    ++turn;
    // A file a rank and the index: earlier ones are gone.
    EXPECT_EQ(files_of(dir / "c").size(), size_t(ranks) + 1);
    ShardedReader reader(dir / "c");
    EXPECT_EQ(reader.index().sections, kValues);
  }
  init();
  load_and_compare(dir / "c", 0, 1, 0);
}

TEST(ShardedCheckpoint, WhatAllHaveIsWrittenOnceInEqualParts) {
  TempFolder dir;
  init();
  const Tensor large = numbers({512, 4096});  // 8 MB
  expect_none(run_threads(4, [&](Group& g) {
    std::vector<TensorPiece> pieces{whole_piece("large", large)};
    for (int i = 0; i < 8; ++i) pieces.push_back(whole_piece(concat("small", i), numbers({100 + i, 100})));
    save_sharded(Ref<Group>::share(&g), dir / "c", pieces, {}, {});
  }));
  int64_t least = INT64_MAX, most = 0, all = 0;
  for (const std::string& f : files_of(dir / "c")) {
    if (f == ShardedIndex::kFile) continue;
    const auto bytes = int64_t(std::filesystem::file_size(dir / ("c/" + f)));
    least = std::min(least, bytes), most = std::max(most, bytes), all += bytes;
  }
  EXPECT_GT(least, most * 9 / 10);
  EXPECT_LT(all, (large.numel() + 8 * 10800) * 4 + 20000);
  ShardedReader reader(dir / "c");
  EXPECT_TRUE(same_bits(reader.whole(*reader.index().find("large")), large));
  reader.write_whole(dir / "one.safetensors");
  const Safetensors one = read_safetensors(dir / "one.safetensors");
  EXPECT_EQ(one.arrays.size(), 9u);
  EXPECT_EQ(std::memcmp(one.find("large")->data, large.data<void>(), size_t(large.bytes())), 0);
}

// Between its file and the index: the others hear of it, and what was there stays.
TEST(ShardedCheckpoint, ARankKilledBetweenItsFileAndTheIndexLeavesTheOldOne) {
  for (int victim : {0, 2}) {
    TempFolder dir;
    Processes p(3, [&](Ref<dist::Store> store, int rank) -> std::string {
      Member m(Group::create(std::move(store), rank, 3, patient()));
      save_sharded(m.g, dir / "c", laid_out(rank, 3, 0), kValues, {});
      if (rank == victim) {
        auto save = make_ref<ShardedSave>(m.g, dir / "c");
        save->plan(laid_out(rank, 3, 1, 500), {});
        save->take(false);
        save->write();
        kill(getpid(), SIGKILL);
      }
      save_sharded(m.g, dir / "c", laid_out(rank, 3, 1, 500), {}, {});
      return "saved";
    });
    for (int r = 0; r < 3; ++r) {
      const std::string told = p.told(r);
      if (r != victim) {
        EXPECT_TRUE(told.starts_with(concat(int(Code::peer_lost), ": "))) << told;
      }
    }
    init();
    EXPECT_EQ(ShardedReader(dir / "c").index().sections, kValues);
    load_and_compare(dir / "c", 0, 1, 3);
    // What the dead one has left goes with the next save.
    save_sharded({}, dir / "c", laid_out(0, 1, 0, 9), {}, {});
    EXPECT_EQ(files_of(dir / "c").size(), 2u);
    load_and_compare(dir / "c", 0, 1, 2, 9);
  }
}

// Rank 0 may have heard that all files are there, and have named them, where another hears only of a lost connection.
TEST(ShardedCheckpoint, AFileThatAnIndexMayNameStays) {
  TempFolder dir;
  init();
  run_threads(2, [&](Group& g) {
    auto save = make_ref<ShardedSave>(Ref<Group>::share(&g), dir / "c");
    save->plan(laid_out(g.rank(), 2, 0), {});
    save->take(false);
    save->write();
    g.run(barrier());
    if (g.rank() == 0) return g.kill("before it says that its file is there");
    expect_failure([&] { save->finish(); }, Code::cancelled, {});
  });
  const std::vector<std::string> left = files_of(dir / "c");
  ASSERT_EQ(left.size(), 1u);  // rank 1's: rank 0 knows that its own is not named
  EXPECT_TRUE(left[0].ends_with("-1.safetensors")) << left[0];
  spew(dir / "c/checkpoint.json.tmp-1-0", "of a rank 0 that was killed");
  save_sharded({}, dir / "c", laid_out(0, 1, 0), {}, {});
  EXPECT_EQ(files_of(dir / "c").size(), 2u);
}

TEST(ShardedCheckpoint, PiecesThatDoNotFitLeaveTheGroupAlive) {
  TempFolder dir;
  init();
  expect_none(run_threads(3, [&](Group& g) {
    expect_failure(
        [&] {
          save_sharded(Ref<Group>::share(&g), dir / "c",
                       std::vector{whole_piece("a", numbers({2 + g.rank() / 2}))}, {}, {});
        },
        Code::mismatch, {"tensor 'a'"});
    save_sharded(Ref<Group>::share(&g), dir / "c", laid_out(g.rank(), 3, 0), {}, {});
    load_and_compare(dir / "c", g.rank(), 3, 1);
  }));
}

TEST(ShardedCheckpoint, WhatOneRankFailsWithAllAreTold) {
  TempFolder dir;
  const auto all_fail = [&](const std::vector<std::string>& failures, Code code, const std::string& part) {
    for (const std::string& f : failures) {
      EXPECT_TRUE(f.starts_with(concat(int(code), ": "))) << f;
      EXPECT_NE(f.find(part), std::string::npos) << f;
    }
  };
  const auto save = [&](const std::function<std::vector<TensorPiece>(int)>& pieces,
                        const std::string& folder) {
    return run_threads(
        3, [&](Group& g) { save_sharded(Ref<Group>::share(&g), folder, pieces(g.rank()), {}, {}); });
  };
  const auto wholes = [](int) { return std::vector{whole_piece("a", numbers({2}))}; };
  spew(dir / "file", "x");
  all_fail(save(wholes, dir / "file"), Code::io, "rank 0: cannot write a checkpoint into");
  all_fail(save(wholes, dir / "file/c"), Code::io, "rank 0: cannot create the folder");
  all_fail(save([](int r) { return std::vector{whole_piece("a", numbers({r == 2 ? 3 : 2}))}; }, dir / "c"),
           Code::mismatch, "tensor 'a'");
  all_fail(save([](int r) { return std::vector{slice_piece("a", numbers({9}), 0, r == 1 ? 0 : r, 3)}; },
                dir / "c"),
           Code::mismatch, "leave out 3 elements");
  all_fail(save([](int r) { return std::vector{slice_piece("a", numbers({9}), 0, r == 1 ? 2 : r, 4)}; },
                dir / "c"),
           Code::mismatch, "the pieces of tensor 'a'");
  all_fail(save(
               [](int r) {
                 auto pieces = std::vector{whole_piece("a", numbers({2}))};
                 if (r == 1) pieces.push_back(pieces[0]);
                 return pieces;
               },
               dir / "c"),
           Code::invalid_argument, "rank 1: the piece of 'a' at [0] is given twice");
  all_fail(save(
               [](int r) {
                 auto p = slice_piece("a", numbers({9}), 0, r, 3);
                 if (r == 2) p.offsets = {8};
                 return std::vector{p};
               },
               dir / "c"),
           Code::shape, "rank 2: the piece of 'a'");
  all_fail(
      save([](int r) { return std::vector{whole_piece(r == 1 ? "\xff" : "a", numbers({2}))}; }, dir / "c"),
      Code::invalid_argument, "UTF-8");
  // The disk says no while files are written.
  Processes p(3, [&](Ref<dist::Store> store, int rank) -> std::string {
    Member m(Group::create(std::move(store), rank, 3, patient()));
    save_sharded(m.g, dir / "d", laid_out(rank, 3, 0), kValues, {});
    if (rank == 1) {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{100, 100};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::string told;
    for (bool async : {false, true}) try {
        if (!async) {
          save_sharded(m.g, dir / "d", laid_out(rank, 3, 1), {}, {});
        } else {
          std::atomic<int> code{-1};
          save_sharded(m.g, dir / "d", laid_out(rank, 3, 1), {}, [&](std::shared_ptr<const Error> e) {
            code = e ? int(e->code) : 0;
            code.notify_all();
          });
          code.wait(-1);
          told += concat(" then ", code.load());
        }
      } catch (const Error& e) {
        told = concat(int(e.code), e.message.starts_with("rank 1: ") ? " of rank 1" : e.message);
      }
    return told;
  });
  for (int r = 0; r < 3; ++r) EXPECT_EQ(p.told(r), concat(int(Code::io), " of rank 1 then ", int(Code::io)));
  init();
  EXPECT_EQ(files_of(dir / "d").size(), 4u);  // nothing of the saves that failed
  load_and_compare(dir / "d", 0, 1, 1);
}

TEST(ShardedCheckpoint, AsynchronousSavesHoldTheValuesOfTheCall) {
  for (int ranks : {1, 2, 3}) {
    TempFolder dir;
    expect_none(run_threads(ranks, [&](Group& g) {
      for (int round = 0; round < 3; ++round) {
        std::vector<TensorPiece> pieces = laid_out(g.rank(), ranks, round, round);
        std::atomic<int> code{-1};
        save_sharded(Ref<Group>::share(&g), dir / "c", pieces, kValues, [&](std::shared_ptr<const Error> e) {
          sigset_t blocked;  // signals are for the host's threads
          pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
          code = e ? int(e->code) : sigismember(&blocked, SIGINT) ? 0 : -2;
          code.notify_all();
        });
        for (const TensorPiece& p : pieces) ops::fill_(p.tensor, Scalar(int64_t(0)));
        Tensor t = numbers({4});  // the group is the caller's meanwhile
        g.run(all_reduce_job(t, dist::ReduceOp::sum));
        if (round < 2) {
          // The next save begins when this one has ended.
          save_sharded(Ref<Group>::share(&g), dir / "d", laid_out(g.rank(), ranks, round), {}, {});
          want(code == 0, "the first has ended before the second");
        }
        code.wait(-1);
        want(code == 0, concat("status ", code.load()));
        load_and_compare(dir / "c", g.rank(), ranks, round + 1, round);
        g.run(barrier());
      }
    }));
  }
  init();
}

TEST(ShardedCheckpoint, AnAsynchronousSaveOutlivesItsGroup) {
  TempFolder dir;
  std::atomic<int> left{3}, wrong{0};
  expect_none(run_threads(3, [&](Group& g) {
    save_sharded(Ref<Group>::share(&g), dir / "c", laid_out(g.rank(), 3, 0), kValues,
                 [&](std::shared_ptr<const Error> e) {
                   wrong += e != nullptr;
                   --left;
                   left.notify_all();
                 });
    g.close();
  }));
  for (int n; (n = left);) left.wait(n);
  EXPECT_EQ(wrong, 0);
  init();
  load_and_compare(dir / "c", 0, 1, 1);
}

TEST(ShardedCheckpoint, LoadTellsAllThatDoesNotFitAndWritesNothing) {
  init();
  TempFolder dir;
  save_sharded({}, dir / "c",
               std::vector{whole_piece("a", numbers({4})), whole_piece("b", numbers({2, 2})),
                           whole_piece("c", numbers({3}))},
               {}, {});
  const Tensor a = ops::zeros(std::vector<int64_t>{4}, DType::f32);
  const auto load = [&](std::vector<TensorPiece> more, bool cast = false) {
    more.insert(more.begin(), whole_piece("a", a));
    ShardedReader(dir / "c").load(more, cast);
  };
  expect_failure(
      [&] {
        load({whole_piece("x", numbers({1})), whole_piece("y", numbers({1})), whole_piece("b", numbers({4})),
              whole_piece("c", numbers({3}, DType::f64))});
      },
      Code::shape,
      {"missing 'x', 'y'", "wrong shape 'b' ([2, 2], wanted [4])",
       "wrong type 'c' (float32, wanted float64)"});
  expect_failure([&] { load({whole_piece("c", numbers({3}, DType::f64))}); }, Code::dtype, {"'c'"});
  expect_failure([&] { load({whole_piece("x", numbers({1}))}); }, Code::invalid_argument, {"'x'"});
  const std::string file = dir / ("c/" + ShardedReader(dir / "c").index().files[0]);
  const std::string content = slurp(file);
  for (size_t cut : {content.size() - 1, content.size() / 2, size_t(4)}) {
    spew(file, content.substr(0, cut));
    expect_failure([&] { load({}); }, Code::corrupt, {"safetensors file"});
  }
  std::filesystem::remove(file);
  expect_failure([&] { load({}); }, Code::io, {});
  // Another array under the name.
  const Array others[] = {to_array("a", numbers({5})), to_array("b", numbers({2, 2})),
                          to_array("c", numbers({3}))};
  write_safetensors(file, std::vector<ArrayRef>(std::begin(others), std::end(others)));
  expect_failure([&] { load({}); }, Code::corrupt, {"has 'a' as float32 of [5]", "wants float32 of [4]"});
  EXPECT_TRUE(same_bits(a, ops::zeros(std::vector<int64_t>{4}, DType::f32)));
  spew(file, content);
  const Tensor half = ops::zeros(std::vector<int64_t>{3}, DType::f16);
  load({whole_piece("c", half)}, true);
  EXPECT_TRUE(same_bits(a, numbers({4})));
  EXPECT_TRUE(same_bits(half, numbers({3}, DType::f16)));
  // An index that claims more than there is costs no memory.
  std::string index = slurp(dir / "c/checkpoint.json");
  for (size_t at; (at = index.find("[4]")) != index.npos;) index.replace(at, 3, "[400000000000]");
  spew(dir / "c/checkpoint.json", index);
  ShardedReader liar(dir / "c");
  expect_failure([&] { liar.whole(*liar.index().find("a")); }, Code::corrupt,
                 {"wants float32 of [400000000000]"});
}

TEST(ShardedCheckpoint, NamesAreTexts) {
  init();
  TempFolder dir;
  const std::vector<std::string> names{
      "", "../../up", "/etc/passwd", "a@0", "a", "with \"quotes\"\n", "\xe2\x82\xac", "__metadata__", "a@0@"};
  expect_none(run_threads(2, [&](Group& g) {
    std::vector<TensorPiece> pieces;
    for (const std::string& n : names) pieces.push_back(slice_piece(n, numbers({4}), 0, g.rank(), 2));
    save_sharded(Ref<Group>::share(&g), dir / "c", pieces, {}, {});
  }));
  EXPECT_EQ(files_of(dir / "c").size(), 3u);
  ShardedReader reader(dir / "c");
  for (const std::string& n : names)
    EXPECT_TRUE(same_bits(reader.whole(*reader.index().find(n)), numbers({4}))) << n;
}

// A fully sharded module and the optimizer of its shards: no rank has a whole one, and what three ranks load four
// have saved.
TEST(ShardedCheckpoint, RowsOfFullyShardedModulesGoToOtherRanks) {
  TempFolder dir;
  init();
  for (int ranks : {4, 3, 1})
    expect_none(run_threads(ranks, [&](Group& g) {
      Ref<nn::Module> net = make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{
          make_ref<nn::Linear>(5, 7, true, nn::Build{}), make_ref<nn::Linear>(7, 3, false, nn::Build{})});
      std::shared_ptr<FullyShardedUnit> unit;
      if (ranks > 1) unit = FullyShardedUnit::create(net, Ref<Group>::share(&g), {}, {}, {});
      std::vector<Tensor> own;
      for (const Tensor& p : net->parameters()) own.push_back(shard_or_self(p));
      Ref<Optimizer> o = make_optimizer(OptimizerId::Adam, own);
      CheckpointParts parts;
      parts.module = net.get();
      parts.optimizer = o.get();
      parts.default_generator = false;
      const Ref<Group> group = Ref<Group>::share(&g);
      if (ranks == 4) {
        for (int s = 0; s < 2; ++s) {
          for (size_t i = 0; i < own.size(); ++i)
            if (own[i].numel())
              set_gradient(own[i],
                           normal({own[i].sizes().begin(), own[i].sizes().end()}, s * 10 + int64_t(i)));
          for (size_t i = 0; i < own.size(); ++i)
            if (!own[i].numel()) set_gradient(own[i], ops::zeros(own[i].sizes(), DType::f32));
          o->step();
        }
        save_sharded_parts(group, dir / "first", {}, parts, {}, {});
      } else {
        ShardedReader from(dir / "first");
        load_sharded_parts(from, g.rank(), {}, false, parts);
        save_sharded_parts(group, dir / concat("at", ranks), {}, parts, {}, {});
      }
      if (unit) unit->close();
    }));
  ShardedReader first(dir / "first");
  EXPECT_EQ(first.index().tensors.size(), 9u);  // three parameters, each with two states
  EXPECT_GT(first.index().find("module.0.weight")->pieces.size(), 1u);
  for (int ranks : {3, 1}) {
    ShardedReader other(dir / concat("at", ranks));
    EXPECT_EQ(other.index().sections.at("optimizer"), first.index().sections.at("optimizer"));
    for (const ShardedTensor& t : first.index().tensors) {
      const ShardedTensor* same = other.index().find(t.name);
      ASSERT_TRUE(same) << t.name;
      EXPECT_TRUE(same_bits(first.whole(t), other.whole(*same))) << t.name;
    }
  }
}

}  // namespace
