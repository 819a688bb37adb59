// Gradients of rows, and averages of weights, through the C functions and haft.hpp.
#include <haft/haft.hpp>

#include <gtest/gtest.h>

#include "capi_testing.h"

namespace {

Tensor longs(const std::vector<std::int64_t>& v) { return Tensor::from(v); }

TEST(RowGradients, OfALayerStepByStep) {
  const auto layer = haft::nn::Embedding(5, 2, HAFT_NONE, true);
  const Tensor table = layer.parameter("weight");
  const auto before = table.to_vector<float>();
  for (int pass = 0; pass < 2; ++pass) haft::sum(layer(longs({3, 1, 3}))).backward();
  const Tensor g = table.grad();
  ASSERT_TRUE(g.is_sparse());
  EXPECT_FALSE(table.is_sparse());
  EXPECT_FALSE(g.is_contiguous());
  EXPECT_EQ(g.sizes(), (std::vector<std::int64_t>{5, 2}));
  EXPECT_EQ(g.to_dense().to_vector<float>(), (std::vector<float>{0, 0, 2, 2, 0, 0, 4, 4, 0, 0}));
  const Tensor once = g.coalesce();
  EXPECT_TRUE(once.is_coalesced());
  EXPECT_EQ(once.sparse_indices().to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(once.sparse_values().to_vector<float>(), (std::vector<float>{2, 2, 4, 4}));
  EXPECT_FAILS(haft_tensor_read(g.get(), nullptr, 0), HAFT_ERROR_INVALID_ARGUMENT, "");
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_exp(g.get(), &out), HAFT_ERROR_UNSUPPORTED, "gradient of rows");
  EXPECT_FAILS(haft_clone(g.get(), &out), HAFT_ERROR_UNSUPPORTED, "to_dense");
  void* data = nullptr;
  EXPECT_FAILS(haft_tensor_get_data(g.get(), &data), HAFT_ERROR_UNSUPPORTED, "gradient of rows");
  EXPECT_EQ(data, nullptr);
  haft::optim::sparse_adam({table}).step();
  const auto after = table.to_vector<float>();
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(after[i] != before[i], i / 2 == 1 || i / 2 == 3) << i;
  EXPECT_FAILS(haft_optimizer_step(haft::optim::adam({table}).get()), HAFT_ERROR_UNSUPPORTED, "Adam");
}

TEST(RowGradients, FromParts) {
  const Tensor at = longs({2, 0, 2}), values = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor g = Tensor::from_rows(at, values, 4);
  EXPECT_EQ(g.to_dense().to_vector<float>(), (std::vector<float>{3, 4, 0, 0, 6, 8, 0, 0}));
  Tensor p = haft::zeros({4, 2});
  p.set_requires_grad(true);
  p.set_grad(g);
  haft::optim::sgd({p}, 1).step();
  EXPECT_EQ(p.to_vector<float>(), (std::vector<float>{-3, -4, 0, 0, -6, -8, 0, 0}));
  haft_tensor* out = nullptr;
  int32_t yes = 0;
  EXPECT_FAILS(haft_tensor_from_rows(at.get(), values.get(), 2, &out), HAFT_ERROR_INDEX, "index 0 is 2");
  EXPECT_FAILS(haft_tensor_from_rows(values.get(), values.get(), 4, &out), HAFT_ERROR_DTYPE, "");
  EXPECT_FAILS(haft_tensor_from_rows(at.get(), p.get(), 4, &out), HAFT_ERROR_SHAPE, "");
  EXPECT_FAILS_AT(haft_tensor_sparse_indices(p.get(), &out), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_sparse_values(p.get(), &out), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_is_coalesced(p.get(), &yes), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_coalesce(p.get(), &out), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_is_sparse(p.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1, "out");
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(p.to_dense().to_vector<float>(), p.to_vector<float>());
}

TEST(WeightAverages, OfAModel) {
  const auto model = haft::nn::Linear(2, 1), copy = haft::nn::Linear(2, 1);
  const auto average = haft::optim::averaged_model(copy),
             moving = haft::optim::averaged_model(haft::nn::Linear(2, 1), 0.75);
  const Tensor w = model.parameter("weight");
  for (float v : {1.0f, 2.0f, 6.0f}) {
    {
      haft::NoGrad off;
      w.write(std::vector<float>{v, -v});
    }
    haft::optim::update_average(average, model);
    haft::optim::update_average(moving, model);
  }
  EXPECT_EQ(average.parameter("module.weight").to_vector<float>(), (std::vector<float>{3, -3}));
  EXPECT_EQ(moving.parameter("module.weight").to_vector<float>(), (std::vector<float>{2.4375f, -2.4375f}));
  EXPECT_EQ(average.buffer("n_averaged").item_int(), 3);
  haft::optim::update_average_by(
      average, model,
      [](const std::vector<Tensor>& to, const std::vector<Tensor>& from, std::int64_t before) {
        EXPECT_EQ(before, 3);
        for (size_t i = 0; i < to.size(); ++i) to[i].write((from[i] * 10.0).to_vector<float>());
      });
  EXPECT_EQ(average.parameter("module.weight").to_vector<float>(), (std::vector<float>{60, -60}));
  EXPECT_THROW(haft::optim::update_average_by(
                   average, model, [](auto&, auto&, std::int64_t) { throw std::runtime_error("mine"); }),
               std::runtime_error);
  haft_module* out = nullptr;
  EXPECT_FAILS(haft_averaged_model_create(model.get(), 2, 0, &out), HAFT_ERROR_INVALID_ARGUMENT, "ema_decay");
  EXPECT_FAILS_AT(haft_averaged_model_create(model.get(), 0.5, 7, &out), HAFT_ERROR_INVALID_ARGUMENT, 2,
                  "use_buffers");
  EXPECT_FAILS_AT(haft_averaged_model_update(model.get(), model.get(), nullptr, nullptr),
                  HAFT_ERROR_INVALID_ARGUMENT, 0, "averaged");
  const Tensor a = haft::zeros({2}), b = haft::ones({2});
  haft::optim::average_tensors({a}, {b}, -1, 3);
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{0.25f, 0.25f}));
  EXPECT_THROW(haft::optim::average_tensors({a}, {b, b}, -1, 3), haft::Error);
}

TEST(WeightAverages, BatchNormAnew) {
  const auto norm = haft::nn::BatchNorm1d(1);
  norm.eval();
  int left = 2;
  haft::optim::update_bn(norm, [&] {
    return left-- ? floats({float(left), float(left) + 2}, {2, 1}) : Tensor();
  });
  EXPECT_EQ(norm.buffer("running_mean").to_vector<float>(), std::vector<float>{1.5f});
  EXPECT_EQ(norm.buffer("running_var").to_vector<float>(), std::vector<float>{2});
  EXPECT_FALSE(norm.is_training());
  EXPECT_THROW(haft::optim::update_bn(norm, []() -> Tensor { throw std::runtime_error("mine"); }),
               std::runtime_error);
  EXPECT_FAILS_AT(haft_update_bn(norm.get(), nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1, "next");
}

TEST(InitialValues, DiracAndSparse) {
  const Tensor w = haft::ones({2, 2, 3});
  haft::nn::init::dirac_(w);
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}));
  EXPECT_FAILS(haft_init_dirac(w.get(), 3), HAFT_ERROR_INVALID_ARGUMENT, "divisible");
  const Tensor m = haft::ones({4, 3});
  haft::nn::init::sparse_(m, 0.5);
  EXPECT_EQ(haft::sum(haft::eq(m, haft::zeros({4, 3}))).item_int(), 6);
  EXPECT_FAILS(haft_init_sparse(w.get(), 0.5, 1, nullptr), HAFT_ERROR_SHAPE, "");
  EXPECT_FAILS(haft_init_sparse(m.get(), -0.5, 1, nullptr), HAFT_ERROR_INVALID_ARGUMENT, "sparsity");
}

}  // namespace
