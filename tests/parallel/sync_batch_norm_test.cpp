// SyncBatchNorm against BatchNorm over the concatenated batch of one process.
#include "core/parallel/sync_batch_norm.h"

#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "numbers.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;
using dist::Group;
using nn::BatchNorm;
using nn::BatchNormOptions;

struct Values {
  Tensor y, dx, dw, db, ddx, mean, var;
};

// rows: which of x's are this rank's
Values train(nn::Module& m, const Tensor& whole, int64_t begin, int64_t n) {
  Values v;
  const Tensor x = leaf(ops::narrow(whole, 0, begin, n));
  const Tensor weights =
      ops::narrow(random({whole.sizes().begin(), whole.sizes().end()}, 77, whole.dtype()), 0, begin, n);
  v.y = m.call(x);
  const Tensor loss = ops::sum(ops::cast(v.y * v.y * weights, DType::f64));
  const Tensor of[] = {x, m.find_parameter("weight"), m.find_parameter("bias")};
  const std::vector<Tensor> first = grad({&loss, 1}, of, {}, {.create_graph = true});
  v.dx = first[0], v.dw = first[1], v.db = first[2];
  const Tensor next = ops::sum(ops::cast(v.dx * weights, DType::f64));
  v.ddx = grad_of(next, x);
  v.mean = m.find_buffer("running_mean"), v.var = m.find_buffer("running_var");
  return v;
}

void compare(std::vector<int64_t> sizes, std::vector<int64_t> rows, DType t, double tolerance) {
  init();
  const Tensor whole = random(sizes, 3, t) * 3.0 + 100.0;  // far from 0: squares alone would lose it
  const BatchNormOptions o{sizes[1]};
  const auto fill = [&](nn::Module& m) {
    NoGradGuard off;
    ops::copy_(m.find_parameter("weight"), random({sizes[1]}, 5, t));
    ops::copy_(m.find_parameter("bias"), random({sizes[1]}, 6, t));
  };
  BatchNorm dense(sizes.size() == 4 ? 2 : 1, o, {.dtype = t});
  fill(dense);
  const Values want = train(dense, whole, 0, sizes[0]);
  dense.eval();
  const Tensor evaluated = dense.call(whole);
  expect_none(run_threads(int(rows.size()), [&](Group& g) {
    SyncBatchNorm m(GroupRef::share(&g), o, {.dtype = t});
    fill(m);
    int64_t begin = 0;
    for (int r = 0; r < g.rank(); ++r) begin += rows[size_t(r)];
    const int64_t n = rows[size_t(g.rank())];
    const Values got = train(m, whole, begin, n);
    EXPECT_CLOSE(got.y, ops::narrow(want.y, 0, begin, n), tolerance);
    EXPECT_CLOSE(got.dx, ops::narrow(want.dx, 0, begin, n), tolerance);
    EXPECT_CLOSE(got.ddx, ops::narrow(want.ddx, 0, begin, n), 10 * tolerance);
    NoGradGuard off;
    // Weights are every rank's own: their gradients add up to the batch's, as data parallel adds them.
    EXPECT_CLOSE(all_reduce(GroupRef::share(&g), got.dw), want.dw, 10 * tolerance);
    EXPECT_CLOSE(all_reduce(GroupRef::share(&g), got.db), want.db, 10 * tolerance);
    EXPECT_CLOSE(got.mean, want.mean, 10 * tolerance);
    EXPECT_CLOSE(got.var, want.var, 10 * tolerance);
    EXPECT_EQ(at(m.find_buffer("num_batches_tracked"), 0), 1);
    m.eval();
    EXPECT_CLOSE(m.call(whole), evaluated, 10 * tolerance);
  }));
}

TEST(SyncBatchNorm, IsBatchNormOverTheConcatenatedBatch) {
  compare({6, 3, 2, 2}, {2, 2, 2}, DType::f64, 1e-11);
  compare({7, 2}, {4, 3}, DType::f64, 1e-11);
  compare({6, 3, 2, 2}, {1, 5}, DType::f32, 2e-4);
}

TEST(SyncBatchNorm, BatchesMayBeOfAnySizeAlsoNone) {
  compare({5, 2, 3}, {1, 0, 4}, DType::f64, 1e-11);
  compare({2, 4}, {1, 1}, DType::f64, 1e-9);  // one value a channel on each rank
}

TEST(SyncBatchNorm, RefusesWhatHasNoStatistics) {
  const dist::testing::Failures f = run_threads(2, [](Group& g) {
    SyncBatchNorm m(GroupRef::share(&g), BatchNormOptions{3});
    m.call(random({g.rank(), 3}, 1, DType::f32));
  });
  for (const std::string& text : f)
    EXPECT_NE(text.find("more than 1 value per channel over all ranks"), std::string::npos) << text;
}

// A batch that does not fit on one rank: the others do not wait for it until their time is over.
TEST(SyncBatchNorm, WhatDoesNotFitOnOneRankIsToldToAll) {
  for (const bool whole : {true, false}) {
    const dist::testing::Failures f = run_threads(
        2,
        [&](Group& g) {
          const Tensor x =
              random(g.rank() ? std::vector<int64_t>{4} : std::vector<int64_t>{4, 3}, 1, DType::f32);
          if (whole)
            SyncBatchNorm(GroupRef::share(&g), BatchNormOptions{3}).call(x);
          else
            sync_batch_norm(GroupRef::share(&g), x, {}, {}, {}, {}, 0.1, 1e-5);
        },
        dist::testing::patient(60));
    for (const std::string& text : f)
      EXPECT_NE(text.find(whole ? "SyncBatchNorm: wanted x of shape (N, C, *) with C = 3, got [4]"
                                : "[sync_batch_norm] takes (N, C, *), got shape [4]"),
                std::string::npos)
          << text;
    EXPECT_NE(f[0].find("rank 1 aborted the group: "), std::string::npos) << f[0];
  }
}

TEST(SyncBatchNorm, ConvertKeepsTensorsNamesModesAndSharing) {
  expect_none(run_threads(2, [](Group& g) {
    const auto norm = make_ref<BatchNorm>(2, BatchNormOptions{4}),
               off = make_ref<BatchNorm>(1, BatchNormOptions{.num_features = 2, .affine = false});
    off->eval();
    Tensor frozen = norm->find_parameter("bias");
    set_requires_grad(frozen, false);
    const Ref<nn::Module> inner[] = {nn::conv2d(3, 4, {1, 1}), norm, off};
    const Ref<nn::Module> outer[] = {make_ref<nn::Sequential>(inner), norm};
    const Ref<nn::Module> model = make_ref<nn::Sequential>(outer);
    const std::vector<nn::NamedTensor> before = model->state_dict();
    EXPECT_EQ(convert_sync_batchnorm(model, GroupRef::share(&g)).get(), model.get());
    const std::vector<nn::NamedTensor> after = model->state_dict();
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].name, after[i].name);
      EXPECT_EQ(before[i].tensor.impl(), after[i].tensor.impl());
    }
    EXPECT_EQ(model->find("0.1")->type(), "SyncBatchNorm");
    EXPECT_EQ(model->find("0.1").get(), model->find("1").get());
    EXPECT_FALSE(model->find("0.2")->training());
    EXPECT_TRUE(model->find("1")->training());
    EXPECT_FALSE(model->find_parameter("1.bias").requires_grad());
    EXPECT_EQ(model->find("1")->extra(), norm->extra());
    EXPECT_EQ(convert_sync_batchnorm(norm, GroupRef::share(&g))->type(), "SyncBatchNorm");
  }));
}

}  // namespace
