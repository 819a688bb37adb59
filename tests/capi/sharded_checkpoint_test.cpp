// Checkpoints that ranks write together through the C interface and C++: ranks are threads over one hash store.
#include <haft/haft.hpp>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ranks_testing.h"
#include "training_testing.h"

namespace {

namespace io = haft::io;
namespace optim = haft::optim;
using haft::ProcessGroup;
using haft::Tensor;
using io::CheckpointPiece;

class ShardedCheckpointC : public RanksTest {
 protected:
  std::string folder = std::filesystem::temp_directory_path() / ("haft-sharded-" + std::to_string(getpid()));
  void TearDown() override {
    std::filesystem::remove_all(folder);
    RanksTest::TearDown();
  }
  static void run(int n, const std::function<void(const ProcessGroup&)>& f) {
    expect_none(RanksTest::run(n, f));
  }
};

void want(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}
std::vector<float> values(const Tensor& t) { return t.to_vector<float>(); }
Tensor numbers(std::int64_t n) { return haft::arange(0, n, 1, HAFT_FLOAT32); }

TEST_F(ShardedCheckpointC, PiecesAndValues) {
  run(2, [&](const ProcessGroup& g) {
    const std::int64_t r = g.rank();
    const Tensor all = haft::reshape(numbers(12), {4, 3});
    const std::vector<haft_key_value> vs{io::value("epoch", haft::Scalar(3)), io::value("name", "x"),
                                         io::value("rank", haft::Scalar(r))};
    io::save_sharded(
        &g, folder,
        {CheckpointPiece::box("box", haft::narrow(all, 0, 2 * r, 2), {4, 3}, {2 * r, 0}),
         CheckpointPiece::range("range", haft::narrow(haft::reshape(all, {12}), 0, r * 5, r ? 7 : 5), {4, 3},
                                r * 5),
         CheckpointPiece("whole", all),
         CheckpointPiece::range("scalar", haft::narrow(numbers(1), 0, 0, r ? 0 : 1), {}, r)},
        nullptr, vs);
  });
  io::ShardedCheckpoint c(folder);
  EXPECT_EQ(c.names(), (std::vector<std::string>{"box", "range", "scalar", "whole"}));
  for (const char* name : {"box", "range", "whole"})
    EXPECT_EQ(values(c.tensor(name)), values(numbers(12))) << name;
  const haft_sharded_tensor_info i = c.info(0);
  EXPECT_EQ(i.dtype, HAFT_FLOAT32);
  EXPECT_EQ(i.ndim, 2);
  EXPECT_EQ(i.shape[0], 4);
  EXPECT_EQ(i.pieces, 2);
  EXPECT_EQ(c.info(2).ndim, 0);
  EXPECT_EQ(c.values().size(), 3u);
  EXPECT_EQ(c.value("epoch").number.v.i, 3);
  EXPECT_STREQ(c.value("name").text, "x");
  EXPECT_EQ(c.value("rank").number.v.i, 0);  // the lowest rank's
  const Tensor column = haft::zeros({4, 1}), half = haft::zeros({4, 3}, HAFT_FLOAT16);
  c.load({CheckpointPiece::box("box", column, {4, 3}, {0, 1})});
  EXPECT_EQ(values(column), (std::vector<float>{1, 4, 7, 10}));
  EXPECT_THROW(c.load({CheckpointPiece("whole", half)}), haft::Error);
  c.load({CheckpointPiece("whole", half)}, true);
  EXPECT_EQ(values(haft::cast(half, HAFT_FLOAT32)), values(numbers(12)));
  c.to_file(folder + "/one.safetensors");
  haft_weights* w = nullptr;
  ASSERT_EQ(haft_weights_open((folder + "/one.safetensors").c_str(), &w), HAFT_OK);
  std::int64_t n = 0;
  EXPECT_EQ(haft_weights_get_count(w, &n), HAFT_OK);
  EXPECT_EQ(n, 4);
  haft_weights_release(w);
}

TEST_F(ShardedCheckpointC, AModuleAndItsSpreadOptimizerGoOnAtAnotherNumberOfRanks) {
  // A spread optimizer over a module; steps with gradients that are the same on all ranks.
  const auto train = [](const haft::nn::Module& net, const optim::Optimizer& o, int from, int to) {
    for (int s = from; s < to; ++s) {
      float by = float(s + 1);
      for (const Tensor& p : net.parameters()) p.set_grad(haft::full(p.sizes(), by += 0.5f));
      o.step();
    }
  };
  const auto parts_of = [](const haft::nn::Module& net, const optim::Optimizer& o) {
    haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
    parts.module = net.get();
    parts.optimizer = o.get();
    return parts;
  };
  for (bool waits : {true, false}) {
    std::vector<std::vector<float>> wanted;
    const auto all = [](const haft::nn::Module& net) {
      std::vector<std::vector<float>> out;
      for (const Tensor& p : net.parameters()) out.push_back(values(p));
      return out;
    };
    for (int ranks : {4, 3, 1}) {
      std::mutex mutex;
      run(ranks, [&](const ProcessGroup& g) {
        haft::nn::Module net = haft::nn::Linear(7, 5);
        optim::Optimizer o = optim::adam(net.parameters());
        if (ranks > 1) optim::shard(o, g);
        const haft_checkpoint_parts parts = parts_of(net, o);
        if (ranks != 4) io::ShardedCheckpoint(folder).load({}, false, &parts, g.rank());
        {
          std::lock_guard lock(mutex);
          if (!wanted.empty()) want(all(net) == wanted, "the parameters that were saved");
        }
        const int done = ranks == 4 ? 0 : ranks == 3 ? 2 : 4;
        train(net, o, done, done + 2);
        if (waits) {
          io::save_sharded(&g, folder, {}, &parts);
        } else {
          haft::Future f = io::save_sharded_async(&g, folder, {}, &parts);
          want(f.wait(), "the save");
          want(f.tensors().empty() && f.bytes().empty() && f.is_done(), "its answer");
        }
        std::lock_guard lock(mutex);
        wanted = all(net);
      });
    }
    // What one process loads goes on as what it saves in the common way.
    const haft::nn::Module a = haft::nn::Linear(7, 5), b = haft::nn::Linear(7, 5);
    optim::Optimizer ao = optim::adam(a.parameters()), bo = optim::adam(b.parameters());
    const haft_checkpoint_parts pa = parts_of(a, ao), pb = parts_of(b, bo);
    io::ShardedCheckpoint(folder).load({}, false, &pa);
    io::save_checkpoint(folder + "/plain", pa);
    io::Checkpoint(folder + "/plain", pb);
    train(a, ao, 6, 7);
    train(b, bo, 6, 7);
    EXPECT_EQ(all(a), all(b));
    std::filesystem::remove_all(folder);
  }
}

// Also what is wrong before ranks begin to agree, and the group goes on.
TEST_F(ShardedCheckpointC, WhatOneRankGivesWronglyAllAreTold) {
  run(2, [&](const ProcessGroup& g) {
    haft_checkpoint_piece p = HAFT_CHECKPOINT_PIECE_INIT;
    p.name = "x";
    const haft::Tensor x = numbers(4);
    p.tensor = x.get();
    p.first = g.rank();  // a place without a shape
    want(haft_sharded_checkpoint_save(g.get(), folder.c_str(), &p, 1, nullptr, nullptr, 0, nullptr) ==
             HAFT_ERROR_INVALID_ARGUMENT,
         "the status");
    want((std::string(haft_error_get_message()).find("rank 1: ") != std::string::npos) == (g.rank() == 0),
         haft_error_get_message());
    io::save_sharded(&g, folder, {CheckpointPiece("x", x)});
  });
  EXPECT_EQ(values(io::ShardedCheckpoint(folder).tensor("x")), values(numbers(4)));
}

TEST_F(ShardedCheckpointC, RefusesWhatIsWrong) {
  haft_sharded_checkpoint* c = nullptr;
  EXPECT_EQ(haft_sharded_checkpoint_open(nullptr, &c), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_sharded_checkpoint_open((folder + "/none").c_str(), &c), HAFT_ERROR_IO);
  EXPECT_EQ(haft_sharded_checkpoint_save(nullptr, "", nullptr, 0, nullptr, nullptr, 0, nullptr),
            HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_sharded_checkpoint_save(nullptr, folder.c_str(), nullptr, 1, nullptr, nullptr, 0, nullptr),
            HAFT_ERROR_INVALID_ARGUMENT);
  haft_future* f = nullptr;
  std::ofstream(folder) << "a file";
  EXPECT_EQ(haft_sharded_checkpoint_save(nullptr, folder.c_str(), nullptr, 0, nullptr, nullptr, 0, &f),
            HAFT_ERROR_IO);
  EXPECT_EQ(f, nullptr);
  std::filesystem::remove(folder);
  Tensor t = numbers(4);
  haft_checkpoint_piece p = HAFT_CHECKPOINT_PIECE_INIT;
  p.name = "t";
  p.tensor = t.get();
  const std::int64_t shape[] = {4}, offsets[] = {0};
  const auto save = [&](const haft_checkpoint_piece& x) {
    return haft_sharded_checkpoint_save(nullptr, folder.c_str(), &x, 1, nullptr, nullptr, 0, nullptr);
  };
  haft_checkpoint_piece bad = p;
  bad.offsets = offsets;
  EXPECT_EQ(save(bad), HAFT_ERROR_INVALID_ARGUMENT);
  bad = p, bad.shape = shape, bad.ndim = 1, bad.offsets = offsets, bad.first = 1;
  EXPECT_EQ(save(bad), HAFT_ERROR_INVALID_ARGUMENT);
  bad.offsets = nullptr;
  EXPECT_EQ(save(bad), HAFT_ERROR_SHAPE);
  bad = p, bad.reserved[1] = 1;
  EXPECT_EQ(save(bad), HAFT_ERROR_BAD_STRUCT);
  bad = p, bad.name = nullptr;
  EXPECT_EQ(save(bad), HAFT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(save(p), HAFT_OK);
  io::ShardedCheckpoint open(folder);
  haft_key_value v = HAFT_KEY_VALUE_INIT;
  haft_sharded_tensor_info i = HAFT_SHARDED_TENSOR_INFO_INIT;
  haft_tensor* x = nullptr;
  EXPECT_EQ(haft_sharded_checkpoint_get_value(open.get(), 0, &v), HAFT_ERROR_INDEX);
  EXPECT_EQ(haft_sharded_checkpoint_find_value(open.get(), "none", &v), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_sharded_checkpoint_get_tensor_info(open.get(), 1, &i), HAFT_ERROR_INDEX);
  EXPECT_EQ(haft_sharded_checkpoint_tensor(open.get(), "none", &x), HAFT_ERROR_INVALID_ARGUMENT);
  haft::nn::Module net = haft::nn::Linear(2, 2);
  haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
  parts.module = net.get();
  // Holds no module.
  EXPECT_EQ(haft_sharded_checkpoint_load(open.get(), nullptr, 0, 0, &parts, 0), HAFT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
