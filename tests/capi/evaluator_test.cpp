// Measures of a classifier as a user of the library has them, on the host and on a device.
#include <cmath>

#include "capi_testing.h"

namespace {

using haft::Evaluator;
using haft::Tensor;
using Doubles = std::vector<double>;

class Measures : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() != std::string("cpu")) haft::check(haft_backend_load(HAFT_SIM_DEVICE));
    device = haft::device(GetParam());
  }
  Tensor on(const Tensor& t) const { return haft::to(t, HAFT_DTYPE_NONE, device); }
  Tensor scores(std::vector<float> v, std::vector<int64_t> sizes) const {
    return on(Tensor::from(v.data(), sizes));
  }
  Tensor classes(std::vector<int64_t> v) const { return on(Tensor::from(v)); }
  haft_device device = 0;
};
INSTANTIATE_TEST_SUITE_P(Devices, Measures, ::testing::Values("cpu", "sim:0"));

TEST_P(Measures, AccuracyAndConfusion) {
  Evaluator e(3, 2);
  EXPECT_TRUE(std::isnan(e.accuracy()));
  e.update(scores({3, 2, 1, 3, 2, 1, 1, 2, 3, 0, 5, 4}, {4, 3}), classes({0, 1, 2, 0}));
  e.update(scores({1, 2, 3}, {1, 3}), classes({-100}));  // does not count
  EXPECT_EQ(e.count(), 4);
  EXPECT_DOUBLE_EQ(e.accuracy(), 0.5);
  EXPECT_DOUBLE_EQ(e.accuracy(2), 0.75);
  EXPECT_EQ(e.confusion().to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(e.precision().to_vector<double>(), (Doubles{0.5, 0, 1}));
  EXPECT_EQ(e.recall().to_vector<double>(), (Doubles{0.5, 0, 1}));
  EXPECT_EQ(e.f1().to_vector<double>(), (Doubles{0.5, 0, 1}));
  e.reset();
  EXPECT_EQ(e.count(), 0);
  EXPECT_EQ(haft::sum(e.confusion()).item_int(), 0);
}

// Scores (N, C, *) of pixels, and classes in their place.
TEST_P(Measures, PixelsAndClasses) {
  Evaluator a(2), b(2);
  a.update(scores({1, 0, 0, 1, 0, 1, 1, 0}, {1, 2, 2, 2}), haft::reshape(classes({0, 1, 0, 0}), {1, 2, 2}));
  b.update(haft::reshape(classes({0, 1, 1, 0}), {1, 2, 2}), haft::reshape(classes({0, 1, 0, 0}), {1, 2, 2}));
  EXPECT_DOUBLE_EQ(a.accuracy(), 0.75);
  EXPECT_EQ(a.confusion().to_vector<int64_t>(), (std::vector<int64_t>{2, 1, 0, 1}));
  EXPECT_EQ(b.confusion().to_vector<int64_t>(), a.confusion().to_vector<int64_t>());
}

TEST_P(Measures, MeansAndStates) {
  Evaluator a(0, 1, 7), b(0, 1, 7);
  EXPECT_TRUE(std::isnan(a.mean()));
  a.add(scores({1, 2}, {2}));
  a.add(scores({6}, {}), 2);
  EXPECT_DOUBLE_EQ(a.mean(), 15.0 / 4);
  a.update(scores({1, 0}, {1, 2}), classes({0}));
  b.update(scores({1, 0, 1, 0}, {2, 2}), classes({1, 7}));
  b.add(scores({5}, {1}));
  // What ranks do: their sums are added up.
  b.set_state(haft::add(a.state(), b.state()));
  EXPECT_EQ(b.count(), 2);
  EXPECT_DOUBLE_EQ(b.accuracy(), 0.5);
  EXPECT_DOUBLE_EQ(b.mean(), 20.0 / 5);
  EXPECT_EQ(a.count(), 1);
}

TEST_P(Measures, Refusals) {
  haft_evaluator* none = nullptr;
  EXPECT_FAILS(haft_evaluator_create(-1, 1, 0, &none), HAFT_ERROR_INVALID_ARGUMENT, "num_classes");
  EXPECT_FAILS(haft_evaluator_create(3, 4, 0, &none), HAFT_ERROR_INVALID_ARGUMENT, "top_k");
  Evaluator e(3, 2), plain(0);
  auto update = [&](const Tensor& p, const Tensor& t) {
    return haft_evaluator_update(e.get(), p.get(), t.get());
  };
  EXPECT_FAILS(update(scores({1, 2}, {1, 2}), classes({0})), HAFT_ERROR_SHAPE, "3 classes");
  EXPECT_FAILS(update(scores({1, 2, 3}, {1, 3}), classes({0, 1})), HAFT_ERROR_SHAPE, "[2]");
  EXPECT_FAILS(update(scores({1, 2, 3}, {1, 3}), scores({0}, {1})), HAFT_ERROR_DTYPE, "target");
  EXPECT_FAILS(update(classes({1}), classes({1})), HAFT_ERROR_INVALID_ARGUMENT, "first 2 classes");
  if (device == HAFT_DEVICE_CPU)
    EXPECT_FAILS(update(scores({1, 2, 3}, {1, 3}), classes({3})), HAFT_ERROR_INDEX, "9");
  double v = 0;
  haft_tensor* t = nullptr;
  EXPECT_FAILS(haft_evaluator_get_accuracy(e.get(), 3, &v), HAFT_ERROR_INVALID_ARGUMENT, "1..2");
  EXPECT_FAILS(haft_evaluator_confusion(plain.get(), &t), HAFT_ERROR_INVALID_ARGUMENT, "num_classes");
  EXPECT_FAILS(haft_evaluator_set_state(e.get(), plain.state().get()), HAFT_ERROR_SHAPE, "[14]");
  EXPECT_FAILS(haft_evaluator_add(e.get(), scores({1}, {1}).get(), -1), HAFT_ERROR_INVALID_ARGUMENT,
               "weight");
}

}  // namespace
