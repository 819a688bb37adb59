// Distributions through the C and C++ interface: shapes, values, gradients, what is refused and what is said then.
#include <cmath>

#include "capi_testing.h"

namespace {

namespace hd = haft::distributions;
using haft::Distribution;
using Shape = std::vector<int64_t>;

struct Distributions : CapiTest {
  static std::vector<double> values(const Tensor& t) { return haft::to(t, HAFT_FLOAT64).to_vector<double>(); }
  static Tensor doubles(const std::vector<double>& v, const haft::IntArray& size) {
    return Tensor::from(v.data(), size);
  }
};

TEST_F(Distributions, HaveShapesAndParameters) {
  const Distribution d = hd::Normal(doubles({0, 1, 2}, {3}), doubles({1, 2}, {2, 1}));
  EXPECT_EQ(d.name(), "Normal");
  EXPECT_EQ(d.support(), "Real()");
  EXPECT_EQ(d.batch_shape(), (Shape{2, 3}));
  EXPECT_EQ(d.event_shape(), Shape{});
  EXPECT_EQ(d.parameter("scale").sizes(), (Shape{2, 3}));
  EXPECT_TRUE(d.has_rsample());
  EXPECT_FALSE(d.has_enumerate_support());
  const Tensor x = d.rsample({4});
  EXPECT_EQ(x.sizes(), (Shape{4, 2, 3}));
  EXPECT_EQ(x.dtype(), HAFT_FLOAT64);
  EXPECT_EQ(d.expand({5, 2, 3}).batch_shape(), (Shape{5, 2, 3}));
  const Distribution parts = hd::Dirichlet(doubles({1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_EQ(parts.batch_shape(), (Shape{2}));
  EXPECT_EQ(parts.event_shape(), (Shape{3}));
  EXPECT_EQ(hd::Categorical({}, doubles({1, 2, 3}, {3})).parameter("probs").sizes(), (Shape{3}));
  EXPECT_EQ(hd::Normal(0.5, 2.0).to_string(), "Normal(loc: 0.5, scale: 2)");
  const Distribution coins = hd::Bernoulli(doubles({0.25, 0.5}, {2}));
  EXPECT_EQ(coins.enumerate_support().sizes(), (Shape{2, 2}));
  EXPECT_EQ(coins.enumerate_support(false).sizes(), (Shape{2, 1}));
  EXPECT_EQ(haft::independent(coins, 1).event_shape(), (Shape{2}));
}

TEST_F(Distributions, KnowDensitiesMomentsAndDivergences) {
  const Distribution n = hd::Normal(1.0, 2.0), m = hd::Normal(0.0, 1.0);
  EXPECT_NEAR(n.log_prob(haft::full({}, 3.0)).item(), -0.5 - std::log(2) - 0.9189385332046727, 1e-6);
  EXPECT_NEAR(n.cdf(haft::full({}, 1.0)).item(), 0.5, 1e-7);
  EXPECT_NEAR(n.icdf(haft::full({}, 0.8413447)).item(), 3, 1e-4);
  EXPECT_NEAR(n.entropy().item(), 0.5 + 0.9189385332046727 + std::log(2), 1e-6);
  EXPECT_NEAR(n.perplexity().item(), std::exp(0.5 + 0.9189385332046727 + std::log(2)), 1e-4);
  EXPECT_EQ(n.variance().item(), 4);
  EXPECT_EQ(n.stddev().item(), 2);
  EXPECT_EQ(n.mode().item(), 1);
  EXPECT_NEAR(haft::kl_divergence(n, m).item(), 0.5 * (4 + 1 - 1 - std::log(4)), 1e-6);
  EXPECT_EQ(haft::kl_divergence(n, n).item(), 0);
  const Tensor covariance = doubles({4, 2, 2, 3}, {2, 2}), loc = doubles({1, -1}, {2}),
               at = doubles({0, 0}, {2});
  const Distribution by_covariance = hd::MultivariateNormal(loc, covariance);
  const Distribution by_factor = hd::MultivariateNormal(loc, {}, {}, by_covariance.parameter("scale_tril"));
  const Distribution by_precision =
      hd::MultivariateNormal(loc, {}, by_covariance.parameter("precision_matrix"));
  // (1, -1) in the inverse of [[4, 2], [2, 3]], whose determinant is 8: (3 + 4 + 4) / 8.
  const double density = -0.5 * 11 / 8 - std::log(2 * 3.141592653589793) - 0.5 * std::log(8);
  for (const Distribution& d : {by_covariance, by_factor, by_precision}) {
    EXPECT_NEAR(d.log_prob(at).item(), density, 1e-9);
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(values(d.parameter("covariance_matrix"))[size_t(i)], values(covariance)[size_t(i)], 1e-9);
  }
  EXPECT_NEAR(haft::kl_divergence(by_factor, by_precision).item(), 0, 1e-9);
  const Distribution mixture = haft::mixture_same_family(hd::Categorical(doubles({0.25, 0.75}, {2})),
                                                         hd::Normal(doubles({-1, 1}, {2}), 0.5));
  EXPECT_NEAR(mixture.mean().item(), 0.5, 1e-9);
  EXPECT_NEAR(mixture.variance().item(), 0.25 + 0.75, 1e-9);
  EXPECT_EQ(mixture.sample({7}).sizes(), (Shape{7}));
}

TEST_F(Distributions, PassGradients) {
  Tensor loc = leaf({0.5f}), scale = leaf({2}), probs = leaf({0.25f, 0.75f});
  haft::manual_seed(1);
  const Tensor x = hd::Normal(loc, scale).rsample({1000});
  haft::sum(x).backward();
  EXPECT_EQ(values(loc.grad())[0], 1000);
  EXPECT_NEAR(values(scale.grad())[0], (values(haft::sum(x))[0] - 500) / 2, 1e-2);
  EXPECT_FALSE(hd::Normal(loc, scale).sample({3}).requires_grad());
  haft::sum(hd::Bernoulli(probs).log_prob(floats({1, 1}))).backward();
  EXPECT_NEAR(values(probs.grad())[0], 4, 1e-5);
  EXPECT_NEAR(values(probs.grad())[1], 4 / 3.0, 1e-5);
  Tensor logits = leaf({0, 100, -100});  // successes less what is expected
  haft::sum(hd::Binomial(4.0, {}, logits).log_prob(floats({3, 3, 3}))).backward();
  EXPECT_EQ(values(logits.grad()), (std::vector<double>{1, -1, 3}));
}

TEST_F(Distributions, DrawAgainFromAGenerator) {
  haft::Generator a(3), b(3);
  for (const Distribution& d : {hd::Gamma(2.0, 1.0), hd::Poisson(30.0), hd::Poisson(3.0),
                                hd::Binomial(100, 0.4), hd::NegativeBinomial(5, 0.4)}) {
    const Tensor x = d.sample({2000}, a.get()), y = d.sample({2000}, b.get());
    EXPECT_EQ(values(x), values(y)) << d.to_string();
    EXPECT_NEAR(values(haft::mean(x))[0], d.mean().item(), 6 * d.stddev().item() / std::sqrt(2000))
        << d.to_string();
  }
}

TEST_F(Distributions, GoThroughTransforms) {
  const haft::VariableTransform exp("Exp", {}), affine("Affine", {doubles({0.5}, {}), doubles({-2}, {})});
  const Tensor x = doubles({0.2, 1, -0.3}, {3});
  const haft::VariableTransform both = affine.then(exp);
  EXPECT_EQ(both.to_string(), "ComposeTransform([AffineTransform, ExpTransform])");
  const Tensor y = both.forward(x);
  EXPECT_NEAR(y.to_vector<double>()[0], std::exp(0.1), 1e-12);
  EXPECT_NEAR(both.inverse(y).to_vector<double>()[1], 1, 1e-12);
  EXPECT_NEAR(both.inverted().forward(y).to_vector<double>()[2], -0.3, 1e-12);
  EXPECT_NEAR(both.log_abs_det_jacobian(x, y).to_vector<double>()[0], std::log(2) + 0.1, 1e-12);
  EXPECT_NEAR(both.independent(1).log_abs_det_jacobian(x, y).item(), 3 * std::log(2) + 1.5 - 2 * 0.9, 1e-12);
  EXPECT_TRUE(both.bijective());
  EXPECT_FALSE(haft::VariableTransform("Softmax", {}).bijective());
  EXPECT_EQ(haft::VariableTransform("StickBreaking", {}).codomain_event_dim(), 1);
  EXPECT_EQ(exp.domain_event_dim(), 0);
  EXPECT_EQ(values(exp.in_codomain(x)), (std::vector<double>{1, 1, 0}));
  // A LogNormal by hand.
  const Distribution made = haft::transformed(hd::Normal(1.0, 2.0), {exp}), whole = hd::LogNormal(1.0, 2.0);
  const Tensor at = doubles({0.5, 3}, {2});
  for (int i : {0, 1}) {
    EXPECT_NEAR(made.log_prob(at).to_vector<double>()[size_t(i)],
                whole.log_prob(at).to_vector<double>()[size_t(i)], 1e-6);
    EXPECT_NEAR(made.cdf(at).to_vector<double>()[size_t(i)], whole.cdf(at).to_vector<double>()[size_t(i)],
                1e-6);
    EXPECT_NEAR(made.icdf(doubles({0.2, 0.8}, {2})).to_vector<double>()[size_t(i)],
                whole.icdf(doubles({0.2, 0.8}, {2})).to_vector<double>()[size_t(i)], 1e-5);
  }
  EXPECT_NEAR(haft::kl_divergence(made, haft::transformed(hd::Normal(0.0, 1.0), {exp})).item(),
              haft::kl_divergence(hd::Normal(1.0, 2.0), hd::Normal(0.0, 1.0)).item(), 1e-6);
  const Distribution parts = haft::transformed(hd::Normal(doubles({0, 0, 0}, {3}), 1.0),
                                               {haft::VariableTransform("StickBreaking", {})});
  EXPECT_EQ(parts.event_shape(), (std::vector<int64_t>{4}));
  EXPECT_NEAR(haft::sum(parts.sample({})).item(), 1, 1e-6);
  EXPECT_EQ(parts.expand({5}).rsample({2}).sizes(), (std::vector<int64_t>{2, 5, 4}));
  haft_variable_transform* t = nullptr;
  EXPECT_FAILS(haft_variable_transform_create("Exponential", nullptr, 0, &t), HAFT_ERROR_INVALID_ARGUMENT,
               "no transform");
  EXPECT_FAILS(haft_variable_transform_create("Affine", nullptr, 0, &t), HAFT_ERROR_INVALID_ARGUMENT,
               "loc and scale");
  EXPECT_FAILS(haft_variable_transform_compose(nullptr, 1, &t), HAFT_ERROR_INVALID_ARGUMENT, "parts");
  EXPECT_FAILS(haft_variable_transform_independent(exp.get(), -1, &t), HAFT_ERROR_INVALID_ARGUMENT, "-1");
  haft_distribution* d = nullptr;
  haft_variable_transform* sticks[] = {haft::VariableTransform("StickBreaking", {}).release()};
  const Distribution scalar = hd::Normal(0.0, 1.0);
  EXPECT_FAILS(haft_transformed_distribution_create(scalar.get(), sticks, 1, 1, &d), HAFT_ERROR_SHAPE,
               "at least 1");
  haft_variable_transform_release(sticks[0]);
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_variable_transform_log_abs_det_jacobian(haft::VariableTransform("Abs", {}).get(), x.get(),
                                                            x.get(), &out),
               HAFT_ERROR_UNSUPPORTED, "one to one");
}

TEST_F(Distributions, RefuseWhatDoesNotFit) {
  auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const haft::Error& e) {
      return e.message();
    }
    return "nothing";
  };
  auto expect = [&](const std::string& text, std::initializer_list<const char*> words) {
    for (const char* w : words) EXPECT_NE(text.find(w), std::string::npos) << text << " lacks " << w;
  };
  expect(message([&] {
           hd::Normal(0.0, floats({1, -2}));
         }),
         {"parameter scale", "Normal", "GreaterThan(lower_bound=0.0)", "-2 at [1]"});
  hd::Normal(0.0, -1.0, false);
  expect(message([&] { hd::Bernoulli(1.5); }),
         {"parameter probs", "Interval(lower_bound=0.0, upper_bound=1.0)", "1.5"});
  expect(message([&] { hd::Geometric(0.0); }), {"Geometric", "positive", "got 0"});
  expect(message([&] { hd::Bernoulli({}); }), {"Either `probs` or `logits`"});
  expect(message([&] { hd::Uniform(1.0, 0.0); }), {"not defined"});
  expect(message([&] { hd::Categorical(0.5); }), {"`probs` parameter must be at least one-dimensional"});
  expect(message([&] {
           hd::MultivariateNormal(floats({0, 0}), doubles({1, 2, 2, 1}, {2, 2}));
         }),
         {"covariance_matrix", "PositiveDefinite()"});
  expect(message([&] {
           hd::Poisson(2.0).log_prob(floats({1, 2.5f}));
         }),
         {"support", "IntegerGreaterThan(lower_bound=0)", "Poisson(rate: 2)", "2.5 at [1]"});
  expect(message([&] { hd::Bernoulli(0.5).rsample(); }), {"Bernoulli has no rsample"});
  expect(message([&] { hd::Beta(1.0, 1.0).cdf(floats({1})); }), {"Beta has no cdf"});
  expect(message([&] {
           hd::Normal(floats({0, 0, 0}), 1.0).log_prob(floats({1, 2}));
         }),
         {"not broadcastable", "[2]", "[3]"});
  expect(message([&] { haft::kl_divergence(hd::Normal(0.0, 1.0), hd::Cauchy(0.0, 1.0)); }),
         {"p type Normal and q type Cauchy"});
  expect(message([&] { haft::independent(hd::Normal(0.0, 1.0), 1); }), {"reinterpreted_batch_ndims"});
  EXPECT_EQ(code_of([&] { hd::Bernoulli(0.5).rsample(); }), HAFT_ERROR_UNSUPPORTED);
  EXPECT_EQ(code_of([&] { Distribution("Normal", {}); }), HAFT_ERROR_INVALID_ARGUMENT);

  haft_distribution* d = nullptr;
  EXPECT_FAILS_AT(haft_distribution_create("Normale", nullptr, 0, 1, &d), HAFT_ERROR_INVALID_ARGUMENT, -1,
                  "name");
  EXPECT_FAILS(haft_distribution_create(nullptr, nullptr, 0, 1, &d), HAFT_ERROR_INVALID_ARGUMENT,
               "name is NULL");
  EXPECT_FAILS(haft_distribution_create("Normal", nullptr, 0, 1, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "out");
  EXPECT_FAILS(haft_distribution_create("Normal", nullptr, 0, 2, &d), HAFT_ERROR_INVALID_ARGUMENT,
               "validate_args");
  Tensor x = floats({1});
  haft_tensor *in[] = {x.get(), x.get(), x.get()}, *out = nullptr;
  EXPECT_FAILS(haft_distribution_create("Normal", in, 3, 1, &d), HAFT_ERROR_INVALID_ARGUMENT,
               "has 2 parameters, got 3");
  ASSERT_EQ(haft_distribution_create("Normal", in, 2, 1, &d), HAFT_OK);
  int64_t count = 0, sizes[1];
  EXPECT_EQ(haft_distribution_get_batch_shape(d, nullptr, 0, &count), HAFT_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(haft_distribution_get_batch_shape(d, sizes, 1, &count), HAFT_OK);
  EXPECT_EQ(sizes[0], 1);
  EXPECT_FAILS_AT(haft_distribution_parameter(d, "rate", &out), HAFT_ERROR_INVALID_ARGUMENT, 1, "name");
  EXPECT_FAILS(haft_constraint_check("odd", x.get(), &out), HAFT_ERROR_INVALID_ARGUMENT,
               "no constraint \"odd\"");
  EXPECT_EQ(haft_distribution_retain(d), HAFT_OK);
  haft_distribution_release(d);
  EXPECT_EQ(haft_distribution_mean(d, &out), HAFT_OK);
  haft_tensor_release(out);
  haft_distribution_release(d);
  EXPECT_FAILS(haft_distribution_mean(d, &out), HAFT_ERROR_STALE_HANDLE, "distribution");
}

}  // namespace
