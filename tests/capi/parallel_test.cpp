// Differentiable collectives, SyncBatchNorm, meshes and layers spread over ranks through the C interface: ranks are
// threads.
#include <haft/haft.hpp>

#include <thread>

#include "ranks_testing.h"

namespace {

namespace nn = haft::nn;
namespace parallel = haft::parallel;
using haft::ProcessGroup;

class Parallel : public RanksTest {
 protected:
  static void run(int n, const std::function<void(const ProcessGroup&)>& f) {
    expect_none(RanksTest::run(n, f));
  }
};
using V = std::vector<float>;

TEST_F(Parallel, EveryCollectiveWithItsGradient) {
  run(2, [](const ProcessGroup& g) {
    const float me = float(g.rank());
    const auto check = [&](const Tensor& y, const Tensor& x, const V& value, const V& gradient) {
      EXPECT_EQ(y.to_vector<float>(), value);
      haft::sum(y * (me + 1)).backward();
      EXPECT_EQ(x.grad().to_vector<float>(), gradient);
    };
    const auto leaf = [](V v) {
      Tensor t = floats(v);
      t.set_requires_grad(true);
      return t;
    };
    Tensor x = leaf({me, 1});
    check(parallel::all_reduce(g, x), x, {1, 2}, {3, 3});
    x = leaf({me, 1});
    check(parallel::broadcast(g, x, 1), x, {1, 1}, me == 1 ? V{3, 3} : V{0, 0});
    x = leaf({me, 1});
    check(parallel::reduce(g, x, 0, haft::ReduceOp::AVG), x, me == 0 ? V{0.5, 1} : V{0, 0}, {0.5, 0.5});
    x = leaf(me == 0 ? V{5} : V{6, 7});
    check(parallel::all_gather(g, x, 0, {1, 2}), x, {5, 6, 7}, me == 0 ? V{3} : V{3, 3});
    x = leaf({1, me});
    check(parallel::reduce_scatter(g, x), x, me == 0 ? V{2} : V{1}, {1, 2});
    x = leaf({me, 10 + me});
    check(parallel::all_to_all_single(g, x), x, me == 0 ? V{0, 1} : V{10, 11}, {1, 2});
    x = leaf({4, 5});
    check(parallel::copy_to(g, x), x, {4, 5}, {3, 3});
    x = leaf({me});
    check(parallel::reduce_from(g, x), x, {1}, {me + 1});
    x = leaf({8, 9});
    check(parallel::split_to(g, x), x, {8 + me}, {1, 2});
    x = leaf({me});
    check(parallel::gather_from(g, x), x, {0, 1}, {me + 1});
    EXPECT_EQ(parallel::sum_values(g, {1, me}), (std::vector<double>{2, 1}));
    haft_tensor* none = nullptr;
    EXPECT_EQ(haft_parallel_all_gather(g.get(), x.get(), 0, nullptr, 2, &none), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(haft_parallel_all_reduce(g.get(), x.get(), 99, &none), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(haft_parallel_all_reduce(g.get(), x.get(), HAFT_REDUCE_OP_MAX, &none), HAFT_ERROR_AUTOGRAD);
    EXPECT_EQ(haft_parallel_sum_values(g.get(), nullptr, 1), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(none, nullptr);
  });
}

TEST_F(Parallel, SyncBatchNormOfAConvertedModel) {
  run(2, [](const ProcessGroup& g) {
    nn::Module norm = nn::BatchNorm1d(1);
    const nn::Module model = nn::Sequential({norm}), same = parallel::convert_sync_batchnorm(model, g);
    EXPECT_EQ(model["0"].type(), "SyncBatchNorm");
    const Tensor x = floats(g.rank() ? V{1, 3, 5} : V{7});
    const V y = model(haft::reshape(x, {-1, 1})).to_vector<float>();
    EXPECT_NEAR(y[0], g.rank() ? -3 / std::sqrt(5.0) : 3 / std::sqrt(5.0), 1e-4);
    EXPECT_NEAR(norm.buffer("running_mean").item(), 0.4, 1e-6);  // the tensors are the same
    EXPECT_NEAR(norm.buffer("running_var").item(), 0.9 + 0.1 * 20 / 3, 1e-5);
    EXPECT_EQ(code_of([&] { parallel::sync_batch_norm(g, floats({1}), {}, {}, {}, {}); }), HAFT_ERROR_SHAPE);
  });
}

TEST_F(Parallel, MeshesAndSpreadLayers) {
  run(4, [](const ProcessGroup& g) {
    const haft::DeviceMesh mesh(g, {2, 2}, {"dp", "tp"});
    EXPECT_EQ(mesh.ndim(), 2);
    EXPECT_EQ(mesh.size(0), 2);
    EXPECT_EQ(mesh.coordinate(mesh.find("tp")), g.rank() % 2);
    EXPECT_EQ(mesh.name(-1), "tp");
    ProcessGroup tp;
    {
      const haft::DeviceMesh part = haft::DeviceMesh(mesh).slice({1});
      EXPECT_EQ(part.ndim(), 1);
      tp = part.group(0);
    }
    EXPECT_EQ(tp.size(), 2);
    haft::manual_seed(3);
    const nn::Module up = nn::Linear(3, 4), down = nn::Linear(4, 2), table = nn::Embedding(5, 3);
    const nn::Module cut = parallel::column_parallel_linear(tp, up),
                     joined = parallel::row_parallel_linear(tp, down),
                     rows = parallel::vocab_parallel_embedding(tp, table);
    parallel::sum_gradients(nn::Linear(1, 1), tp);
    g.barrier();
    const std::vector<std::int64_t> at = {0, 4};
    const Tensor index = Tensor::from(at);
    const Tensor logits = joined(cut(rows(index)));
    EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 2}));
    const Tensor target = Tensor::from(std::vector<std::int64_t>{0, 1});
    const Tensor loss = parallel::cross_entropy(tp, parallel::split_to(tp, logits), target, 2);
    EXPECT_NEAR(loss.item(), haft::cross_entropy(logits, target).item(), 1e-6);
    haft_tensor_parallel_options o = HAFT_TENSOR_PARALLEL_OPTIONS_INIT;
    o.reserved = 1;
    haft_module* none = nullptr;
    EXPECT_EQ(haft_row_parallel_linear_create(tp.get(), up.get(), &o, &none), HAFT_ERROR_BAD_STRUCT);
    EXPECT_EQ(haft_row_parallel_linear_create(tp.get(), table.get(), nullptr, &none),
              HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] { mesh.find("pp"); }), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] { mesh.group(2); }), HAFT_ERROR_INDEX);
    EXPECT_EQ(code_of([&] { haft::DeviceMesh(g, {3}); }), HAFT_ERROR_SHAPE);
    EXPECT_EQ(code_of([&] { haft::DeviceMesh(g, {4}, {"a", "b"}); }), HAFT_ERROR_INVALID_ARGUMENT);
    g.barrier();
  });
}

TEST_F(Parallel, GradientsAreJoinedAndClipped) {
  run(2, [](const ProcessGroup& g) {
    const float me = float(g.rank());
    Tensor own = floats({3}), same = floats({2, 2});
    for (Tensor* t : {&own, &same}) t->set_requires_grad(true);
    own.set_grad(floats({1 + 2 * me}));
    same.set_grad(floats({me, 2 - me}));
    parallel::join_gradients(g, {same});
    EXPECT_EQ(same.grad().to_vector<float>(), (V{0.5, 1.5}));
    EXPECT_NEAR(parallel::clip_grad_norm(g, {own, same}, {1, 2}, 1), std::sqrt(1 + 9 + 0.25 + 2.25), 1e-6);
    EXPECT_NEAR(own.grad().to_vector<float>()[0], (1 + 2 * me) / std::sqrt(12.5), 1e-6);
    EXPECT_EQ(code_of([&] { parallel::clip_grad_norm(g, {own}, {1, 1}, 1); }), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] { parallel::clip_grad_norm(g, {own}, {3}, 1); }), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(code_of([&] { parallel::clip_grad_norm(g, {own}, {}, -1); }), HAFT_ERROR_INVALID_ARGUMENT);
    haft_tensor* list[] = {own.get()};
    EXPECT_EQ(haft_parallel_join_gradients(g.get(), list, 1, 99), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(haft_parallel_clip_grad_norm(g.get(), list, nullptr, 1, 1, 2, nullptr), HAFT_OK);
  });
}

TEST_F(Parallel, OneRankLogs) {
  run(1, [](const ProcessGroup& g) {
    EXPECT_EQ(haft_parallel_log_rank(g.get(), 1), HAFT_ERROR_INVALID_ARGUMENT);
    parallel::log_rank(g, 0);
  });
  std::vector<std::string> lines;
  haft::set_log_sink(HAFT_LOG_DEBUG, [&](std::int32_t, const std::string& text) { lines.push_back(text); });
  // What a stale handle logs.
  const auto warn = [] { haft_tensor_release(reinterpret_cast<haft_tensor*>(1)); };
  run(2, [&](const ProcessGroup& g) {
    if (g.rank() == 0) return;
    warn();
    EXPECT_EQ(lines.size(), 1u);
    parallel::log_rank(g, 0);
    warn();
    EXPECT_EQ(lines.size(), 1u);
    parallel::log_rank(g, HAFT_ANY_SOURCE);
    warn();
    EXPECT_EQ(lines.size(), 2u);
  });
  haft::set_log_sink(HAFT_LOG_NONE, nullptr);
}

TEST_F(Parallel, LoadersShareADataset) {
  const haft::data::Dataset d = haft::data::tensor_dataset({floats({0, 1, 2, 3, 4})});
  V all;
  for (int r = 0; r < 2; ++r) {
    haft::data::LoaderOptions o(2, true);
    o.num_replicas = 2;
    o.rank = r;
    o.drop_uneven = 1;
    const haft::data::Loader l(d, o);
    std::vector<Tensor> batch;
    ASSERT_TRUE(l.next(batch));
    for (float x : batch[0].to_vector<float>()) all.push_back(x);
    EXPECT_FALSE(l.next(batch));
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()) - all.begin(), 4);
  haft::data::LoaderOptions o(2);
  o.num_replicas = 2;
  o.rank = 2;
  EXPECT_EQ(code_of([&] { haft::data::Loader(d, o); }), HAFT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
