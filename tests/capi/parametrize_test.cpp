// Parametrizations, pruning and calls with other tensors as a user of the library has them.
#include <gtest/gtest.h>
#include <haft/haft.hpp>

#include <cmath>

namespace {

namespace nn = haft::nn;
using haft::Tensor;
using Numbers = std::vector<float>;

struct Parametrize : testing::Test {
  int64_t before = 0;
  void SetUp() override { haft::check(haft_get_live_handles(&before)); }
  void TearDown() override {
    int64_t after = 0;
    haft::check(haft_get_live_handles(&after));
    EXPECT_EQ(after, before);
  }
};

Numbers values(const Tensor& t) { return haft::detach(t).to_vector<float>(); }
std::vector<std::string> names(const nn::NamedTensors& list) {
  std::vector<std::string> out;
  for (const auto& n : list) out.push_back(n.first);
  return out;
}
template <class F>
void expect_code(F&& f, haft_status code, const std::string& part) {
  try {
    f();
    ADD_FAILURE() << "nothing failed; wanted: " << part;
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST_F(Parametrize, InC) {
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  linear.in_features = 3, linear.out_features = 2;
  haft_weight_norm_options norm = HAFT_WEIGHT_NORM_OPTIONS_INIT;
  haft_module *m = nullptr, *p = nullptr;
  ASSERT_EQ(haft_linear_create(&linear, &m), HAFT_OK);
  ASSERT_EQ(haft_weight_norm_create(&norm, &p), HAFT_OK);
  ASSERT_EQ(haft_module_register_parametrization(m, "weight", p, nullptr, 0), HAFT_OK)
      << haft_error_get_message();
  int32_t yes = 0;
  ASSERT_EQ(haft_module_is_parametrized(m, "weight", &yes), HAFT_OK);
  EXPECT_EQ(yes, 1);
  ASSERT_EQ(haft_module_is_parametrized(m, "bias", &yes), HAFT_OK);
  EXPECT_EQ(yes, 0);
  char name[64];
  ASSERT_EQ(haft_module_get_parameter_name(m, 1, name, sizeof name, nullptr), HAFT_OK);
  EXPECT_STREQ(name, "parametrizations.weight.original0");
  haft_tensor* w = nullptr;
  EXPECT_EQ(haft_module_parameter(m, "weight", &w), HAFT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(haft_module_value(m, "weight", &w), HAFT_OK);
  EXPECT_EQ(haft_module_set_parametrized(m, "weight", w), HAFT_OK);
  haft_tensor_release(w);
  ASSERT_EQ(haft_module_remove_parametrizations(m, "weight", 1), HAFT_OK);
  ASSERT_EQ(haft_module_parameter(m, "weight", &w), HAFT_OK);
  haft_tensor_release(w);

  haft_prune_options half = HAFT_PRUNE_OPTIONS_INIT;
  half.fraction = 0.5;
  ASSERT_EQ(haft_module_prune(m, "weight", &half, nullptr), HAFT_OK) << haft_error_get_message();
  ASSERT_EQ(haft_module_is_pruned(m, &yes), HAFT_OK);
  EXPECT_EQ(yes, 1);
  half.method = 9;
  EXPECT_EQ(haft_module_prune(m, "weight", &half, nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(haft_module_remove_pruning(m, "weight"), HAFT_OK);
  EXPECT_EQ(haft_module_remove_pruning(m, "weight"), HAFT_ERROR_INVALID_ARGUMENT);
  haft_module_release(p);
  haft_module_release(m);
}

TEST_F(Parametrize, OfEveryKindInCpp) {
  const Tensor x = haft::randn({4, 3});
  for (const nn::Module& p : {nn::WeightNorm(), nn::SpectralNorm(), nn::Orthogonal()}) {
    nn::Module m = nn::Linear(3, 2);
    m.register_parametrization("weight", p);
    EXPECT_TRUE(m.is_parametrized());
    const Tensor y = m(x);
    haft::sum(y).backward();
    for (const auto& t : m.named_parameters()) EXPECT_TRUE(t.second.grad()) << t.first;
    m.eval();
    const Numbers kept = values(m.value("weight"));
    nn::Module other = nn::Linear(3, 2);
    const nn::Module q = p.type() == "WeightNorm"     ? nn::WeightNorm()
                         : p.type() == "SpectralNorm" ? nn::SpectralNorm()
                                                      : nn::Orthogonal();
    other.register_parametrization("weight", q);
    other.eval();
    other.load_state_dict(m.state_dict());
    EXPECT_EQ(values(other.value("weight")), kept);
    m.remove_parametrizations("weight");
    EXPECT_EQ(values(m.parameter("weight")), kept);
    EXPECT_EQ(names(m.state_dict()), (std::vector<std::string>{"weight", "bias"}));
  }
}

TEST_F(Parametrize, FunctionsOfOnesOwn) {
  nn::Module m = nn::Linear(3, 2);
  const Numbers before = values(m.parameter("weight"));
  const nn::Module exp = nn::Callback(
      "Exp", [](const std::vector<Tensor>& in) { return std::vector<Tensor>{haft::exp(in[0])}; });
  const nn::Module log = nn::Callback(
      "Log", [](const std::vector<Tensor>& in) { return std::vector<Tensor>{haft::log(haft::abs(in[0]))}; });
  m.register_parametrization("weight", exp, log);
  const Numbers after = values(m.value("weight"));
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], std::abs(before[i]), 1e-6);
  m.set_parametrized("weight", haft::full({2, 3}, 2.0));
  EXPECT_NEAR(values(m.parameter("parametrizations.weight.original"))[0], std::log(2.0), 1e-6);
  expect_code([&] { nn::Linear(3, 2).register_parametrization("nothing", exp); }, HAFT_ERROR_INVALID_ARGUMENT,
              "weight, bias");
  expect_code([&] { exp.right_inverse(haft::ones({2})); }, HAFT_ERROR_UNSUPPORTED, "Exp");
  EXPECT_EQ(nn::WeightNorm().right_inverse(haft::ones({2, 4})).size(), 2u);

  const nn::Module plain = nn::Linear(3, 2);
  const Tensor w = haft::ones({2, 3}), b = haft::zeros({2});
  EXPECT_EQ(values(plain.functional_call({{"weight", w}, {"bias", b}}, {haft::ones({1, 3})})[0]),
            (Numbers{3, 3}));
  expect_code(
      [&] {
        plain.functional_call({{"wight", w}}, {haft::ones({1, 3})});
      },
      HAFT_ERROR_INVALID_ARGUMENT, "wight");
}

TEST_F(Parametrize, Pruning) {
  nn::Module m = nn::Linear(4, 4);
  nn::prune::l1_unstructured(m, "weight", 0.25);
  EXPECT_EQ(haft::sum(m.buffer("weight_mask")).item(), 12);
  nn::prune::random_unstructured(m, "weight", 2);
  EXPECT_EQ(haft::sum(m.buffer("weight_mask")).item(), 10);
  nn::prune::ln_structured(m, "weight", 1, 2, 0);
  nn::prune::random_structured(m, "weight", 1, 0);
  nn::prune::custom_from_mask(m, "weight", haft::zeros({4, 4}));
  EXPECT_EQ(haft::sum(m.buffer("weight_mask")).item(), 0);
  const Tensor y = m(haft::ones({1, 4}));
  EXPECT_EQ(values(y), values(m.parameter("bias")));
  nn::prune::remove(m, "weight");
  EXPECT_EQ(values(m.parameter("weight")), Numbers(16, 0));
  nn::Module a = nn::Linear(4, 4), b = nn::Linear(2, 2);
  nn::prune::identity(b, "bias");
  nn::prune::global_unstructured({{a, "weight"}, {b, "weight"}}, HAFT_PRUNE_L1_UNSTRUCTURED, 0.5);
  EXPECT_EQ(haft::sum(a.buffer("weight_mask")).item() + haft::sum(b.buffer("weight_mask")).item(), 10);
  EXPECT_TRUE(nn::prune::is_pruned(b));
}

TEST_F(Parametrize, LossesOverADistance) {
  const Tensor anchor = haft::randn({5, 3}), positive = haft::randn({5, 3}), negative = haft::randn({5, 3});
  for (bool swap : {false, true}) {
    const nn::Module own = nn::TripletMarginWithDistanceLoss(nn::PairwiseDistance(), 1.0, swap);
    const nn::Module loss = nn::TripletMarginLoss(1.0, 2.0, 1e-6, swap);
    EXPECT_NEAR(own({anchor, positive, negative})[0].item(), loss({anchor, positive, negative})[0].item(),
                1e-6);
  }
  const nn::Module manhattan = nn::Callback("L1", [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{haft::sum(haft::abs(in[0] - in[1]), {1})};
  });
  const nn::Module sum = nn::TripletMarginWithDistanceLoss(manhattan, 0.5, false, HAFT_REDUCTION_SUM);
  const Tensor each = haft::clamp(
      haft::sum(haft::abs(anchor - positive), {1}) - haft::sum(haft::abs(anchor - negative), {1}) + 0.5, 0.0);
  EXPECT_NEAR(sum({anchor, positive, negative})[0].item(), haft::sum(each).item(), 1e-5);
  expect_code([&] { nn::TripletMarginWithDistanceLoss(manhattan, -1); }, HAFT_ERROR_INVALID_ARGUMENT,
              "margin");
}

}  // namespace
