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
  // Numbers have the type of what they meet.
  const Tensor narrow = affine.forward(floats({1, 2}));
  EXPECT_EQ(narrow.dtype(), floats({1}).dtype());
  EXPECT_EQ(affine.log_abs_det_jacobian(floats({1, 2}), narrow).dtype(), narrow.dtype());
  EXPECT_NEAR(haft::kl_divergence(made, haft::transformed(hd::Normal(0.0, 1.0), {exp})).item(),
              haft::kl_divergence(hd::Normal(1.0, 2.0), hd::Normal(0.0, 1.0)).item(), 1e-6);
  const Distribution parts = haft::transformed(hd::Normal(doubles({0, 0, 0}, {3}), 1.0),
                                               {haft::VariableTransform("StickBreaking", {})});
  EXPECT_EQ(parts.event_shape(), (std::vector<int64_t>{4}));
  EXPECT_NEAR(haft::sum(parts.sample({})).item(), 1, 1e-6);
  EXPECT_EQ(parts.expand({5}).rsample({2}).sizes(), (std::vector<int64_t>{2, 5, 4}));
  EXPECT_EQ(values(haft::VariableTransform("StickBreaking", {}).forward(doubles({}, {0}))),
            std::vector<double>{1});
  haft_tensor* divergence = nullptr;
  const Distribution two = hd::LogisticNormal(0.0, 1.0),
                     four = hd::LogisticNormal(doubles({0, 0, 0}, {3}), 1.0);
  EXPECT_FAILS(haft_distribution_kl_divergence(two.get(), four.get(), &divergence), HAFT_ERROR_UNSUPPORTED,
               "different shapes");
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

TEST_F(Distributions, KnowTailsSlopesAndCorrelations) {
  // exp(2 x) over its integral, (exp(2) - 1) / 2.
  const Distribution slope = hd::ContinuousBernoulli({}, 2.0);
  const double all = (std::exp(2) - 1) / 2;
  EXPECT_NEAR(slope.log_prob(haft::full({}, 0.25)).item(), 0.5 - std::log(all), 1e-6);
  EXPECT_NEAR(slope.cdf(haft::full({}, 0.25)).item(), (std::exp(0.5) - 1) / 2 / all, 1e-6);
  EXPECT_NEAR(slope.icdf(slope.cdf(haft::full({}, 0.25))).item(), 0.25, 1e-6);
  EXPECT_NEAR(slope.mean().item(), 1 / (1 - std::exp(-2)) - 0.5, 1e-6);
  EXPECT_NEAR(haft::kl_divergence(slope, hd::ContinuousBernoulli({}, 0.0)).item(), -slope.entropy().item(),
              1e-6);
  EXPECT_EQ(hd::ContinuousBernoulli(0.5).variance().item(), 1.0f / 12);
  EXPECT_EQ(slope.rsample({7}).sizes(), Shape{7});
  EXPECT_EQ(hd::ContinuousBernoulli(doubles({0.2, 0.9}, {2})).sample({7}).sizes(), (Shape{7, 2}));
  const Distribution tail = hd::GeneralizedPareto(1.0, 2.0, 0.5);
  EXPECT_NEAR(tail.cdf(haft::full({}, 5.0)).item(), 1 - 1 / 4.0, 1e-6);  // 1 - (1 + 0.5 * 2)^-2
  EXPECT_NEAR(tail.log_prob(haft::full({}, 5.0)).item(), -std::log(2) - 3 * std::log(2), 1e-6);
  EXPECT_NEAR(tail.icdf(haft::full({}, 0.75)).item(), 5, 1e-5);
  EXPECT_NEAR(tail.mean().item(), 5, 1e-6);
  EXPECT_EQ(hd::GeneralizedPareto(0.0, 1.0, 0.0).icdf(haft::full({}, 1.0)).item(), INFINITY);
  EXPECT_EQ(hd::GeneralizedPareto(0.0, 1.0, 1e-9).cdf(haft::full({}, 1e10)).item(), 1);
  EXPECT_EQ(values(hd::GeneralizedPareto(0.0, 1.0, -0.5).in_support(doubles({-0.1, 1, 2, 2.1}, {4}))),
            (std::vector<double>{0, 1, 1, 0}));
  const Distribution factors = hd::LKJCholesky(3.0, doubles({1, 2}, {2}));
  EXPECT_EQ(factors.batch_shape(), (Shape{2}));
  EXPECT_EQ(factors.event_shape(), (Shape{3, 3}));
  EXPECT_EQ(factors.support(), "CorrCholesky()");
  const Tensor drawn = factors.sample({50});
  EXPECT_EQ(drawn.sizes(), (Shape{50, 2, 3, 3}));
  EXPECT_EQ(haft::all(factors.in_support(drawn)).item(), 1);
  EXPECT_EQ(factors.expand({4, 2}).sample({}).sizes(), (Shape{4, 2, 3, 3}));
  // All matrices of two rows are equally likely: of the one number between -1 and 1, whose factor has the same.
  EXPECT_NEAR(hd::LKJCholesky(2.0).log_prob(doubles({1, 0, 0.6, 0.8}, {2, 2})).item(), -std::log(2), 1e-6);
  const Distribution parts = hd::LogisticNormal(doubles({0.5, 1}, {2}), 2.0);
  EXPECT_EQ(parts.event_shape(), Shape{3});
  EXPECT_EQ(parts.batch_shape(), Shape{});
  EXPECT_EQ(parts.expand({4}).rsample({2}).sizes(), (Shape{2, 4, 3}));
  const Distribution same = haft::transformed(haft::independent(hd::Normal(doubles({0.5, 1}, {2}), 2.0), 1),
                                              {haft::VariableTransform("StickBreaking", {})});
  const Tensor at = doubles({0.2, 0.5, 0.3}, {3});
  EXPECT_NEAR(parts.log_prob(at).item(), same.log_prob(at).item(), 1e-9);
  EXPECT_EQ(hd::LogisticNormal(0.0, 1.0).sample({}).sizes(), Shape{2});
  const Distribution low =
      hd::LowRankMultivariateNormal(doubles({0, 0}, {2}), doubles({1, 2}, {2, 1}), doubles({1, 4}, {2}));
  const std::vector<double> factor = values(low.parameter("scale_tril"));  // of [[2, 2], [2, 8]]
  const double wanted[] = {std::sqrt(2), 0, std::sqrt(2), std::sqrt(6)};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(factor[i], wanted[i], 1e-9);
}

TEST_F(Distributions, GoThroughTransformsOfMatricesAndParts) {
  using haft::VariableTransform;
  const Tensor x = doubles({0.2, 1, -0.3, 0.7, -0.1, 0.4}, {2, 3});
  const VariableTransform corr("CorrCholesky", {});
  EXPECT_EQ(corr.domain_event_dim(), 1);
  EXPECT_EQ(corr.codomain_event_dim(), 2);
  const Tensor y = corr.forward(x);
  EXPECT_EQ(y.sizes(), (Shape{2, 3, 3}));
  EXPECT_EQ(values(corr.in_codomain(y)), (std::vector<double>{1, 1}));
  EXPECT_EQ(values(haft::check_constraint("corr_cholesky", y * 2)), (std::vector<double>{0, 0}));
  EXPECT_NEAR(y.to_vector<double>()[3], std::tanh(0.2), 1e-12);
  EXPECT_NEAR(y.to_vector<double>()[7], std::tanh(-0.3) / std::cosh(1), 1e-12);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(values(corr.inverse(y))[i], values(x)[i], 1e-12);
  const double sech = -2 * (std::log(std::cosh(0.2)) + std::log(std::cosh(1)) + std::log(std::cosh(0.3)));
  EXPECT_NEAR(values(corr.log_abs_det_jacobian(x, y))[0], sech - std::log(std::cosh(1)), 1e-12);
  const Tensor m = doubles({0.5, 9, -1, 0.25}, {2, 2});
  const VariableTransform lower("LowerCholesky", {}), definite("PositiveDefinite", {});
  EXPECT_EQ(values(lower.forward(m)), (std::vector<double>{std::exp(0.5), 0, -1, std::exp(0.25)}));
  EXPECT_FALSE(lower.bijective());
  EXPECT_EQ(values(definite.in_codomain(definite.forward(m))), std::vector<double>{1});
  EXPECT_NEAR(values(definite.inverse(definite.forward(m)))[2], -1, 1e-12);
  auto shape = [](const std::vector<int64_t>& v) { return Tensor::from(v.data(), {int64_t(v.size())}); };
  const VariableTransform flat("Reshape", {shape({2, 3}), shape({6})});
  EXPECT_EQ(flat.forward(x).sizes(), Shape{6});
  EXPECT_EQ(flat.inverse(flat.forward(x)).sizes(), (Shape{2, 3}));
  EXPECT_EQ(flat.log_abs_det_jacobian(x, flat.forward(x)).item(), 0);
  const VariableTransform exp("Exp", {}), affine("Affine", {doubles({1}, {}), doubles({-2}, {})});
  const VariableTransform both = haft::cat_transforms({exp, affine}, -1, {1, 2});
  EXPECT_EQ(both.to_string(), "CatTransform([ExpTransform, AffineTransform])");
  const std::vector<double> parts = values(both.forward(x));
  EXPECT_NEAR(parts[3], std::exp(0.7), 1e-12);
  EXPECT_NEAR(parts[4], 1.2, 1e-12);
  EXPECT_NEAR(values(both.inverse(both.forward(x)))[5], 0.4, 1e-12);
  EXPECT_NEAR(values(both.log_abs_det_jacobian(x, both.forward(x)))[4], std::log(2), 1e-12);
  // Along what belongs together the logarithms are added.
  const Tensor sum =
      haft::cat_transforms({exp.independent(1), affine}, -1, {1, 2}).log_abs_det_jacobian(x, both.forward(x));
  EXPECT_EQ(sum.sizes(), Shape{2});
  EXPECT_NEAR(values(sum)[1], 0.7 + 2 * std::log(2), 1e-12);
  EXPECT_EQ(values(both.in_codomain(doubles({-1, -1, 1}, {3}))), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(haft::cat_transforms({exp, affine}).forward(x).sizes(), (Shape{2, 3}));
  const Distribution normal = hd::Normal(0.5, 2.0);
  const VariableTransform cdf = haft::cumulative_transform(normal);
  EXPECT_EQ(values(cdf.forward(x)), values(normal.cdf(x)));
  EXPECT_EQ(values(cdf.log_abs_det_jacobian(x, x)), values(normal.log_prob(x)));
  EXPECT_NEAR(values(cdf.inverse(cdf.forward(x)))[1], 1, 1e-6);
  haft_variable_transform *t = nullptr, *list[] = {exp.get(), corr.get()};
  const int64_t lengths[] = {1, 2, 3};
  EXPECT_FAILS(haft_variable_transform_cat(list, 2, nullptr, 0, 0, &t), HAFT_ERROR_UNSUPPORTED,
               "CorrCholesky");
  EXPECT_FAILS(haft_variable_transform_cat(list, 1, lengths, 3, 0, &t), HAFT_ERROR_INVALID_ARGUMENT,
               "[1, 2, 3]");
  EXPECT_FAILS(haft_variable_transform_cat(nullptr, 0, nullptr, 0, 0, &t), HAFT_ERROR_INVALID_ARGUMENT,
               "none");
  haft_variable_transform* twice[] = {exp.get(), exp.get()};
  const int64_t endless[] = {INT64_MAX, 1};
  EXPECT_FAILS(haft_variable_transform_cat(twice, 2, endless, 2, 0, &t), HAFT_ERROR_INVALID_ARGUMENT,
               "as long as");
  EXPECT_FAILS(haft_variable_transform_cumulative(hd::Dirichlet(doubles({1, 1}, {2})).get(), &t),
               HAFT_ERROR_UNSUPPORTED, "single numbers");
  haft_tensor *out = nullptr, *odd[] = {x.get(), x.get()};
  EXPECT_FAILS(haft_variable_transform_create("Reshape", odd, 2, &t), HAFT_ERROR_SHAPE, "integers");
  EXPECT_FAILS(haft_variable_transform_forward(both.get(), m.get(), &out), HAFT_ERROR_SHAPE,
               "size 3 in dimension -1");
  EXPECT_FAILS(haft_variable_transform_forward(flat.get(), m.get(), &out), HAFT_ERROR_SHAPE, "[2, 3]");
  EXPECT_FAILS(haft_variable_transform_forward(corr.get(), m.get(), &out), HAFT_ERROR_SHAPE, "n (n - 1) / 2");
  EXPECT_FAILS(haft_variable_transform_inverse(corr.get(), x.get(), &out), HAFT_ERROR_SHAPE, "square");
  const Tensor number = doubles({1}, {}), three = doubles({1, 2, 3}, {3});
  const VariableTransform sticks("StickBreaking", {});
  EXPECT_FAILS(haft_variable_transform_log_abs_det_jacobian(sticks.get(), number.get(), three.get(), &out),
               HAFT_ERROR_SHAPE, "takes vectors");
  EXPECT_FAILS(haft_variable_transform_log_abs_det_jacobian(sticks.get(), three.get(), number.get(), &out),
               HAFT_ERROR_SHAPE, "takes vectors");
  EXPECT_FAILS(haft_variable_transform_log_abs_det_jacobian(corr.get(), number.get(), y.get(), &out),
               HAFT_ERROR_SHAPE, "takes vectors");
  EXPECT_FAILS(haft_variable_transform_log_abs_det_jacobian(corr.get(), three.get(), number.get(), &out),
               HAFT_ERROR_SHAPE, "square");
  EXPECT_FAILS(haft_variable_transform_log_abs_det_jacobian(lower.get(), m.get(), m.get(), &out),
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
  expect(message([&] { hd::LKJCholesky(1.0); }),
         {"dim to be an integer greater than or equal to 2", "dim=1"});
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
