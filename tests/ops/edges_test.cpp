// Values and gradients where a function has an edge, and of what is no number: PyTorch's.
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
using Function = Tensor (*)(const Tensor&);
struct Edges : AutogradTest {};

void expect_slopes(Function f, const Numbers& x, const Numbers& first, const Numbers& second) {
  const Tensor at = leaf(x), slope = grad(ops::sum(f(at)), at, {.create_graph = true});
  EXPECT_EQ(values(slope), first);
  if (second.empty()) return;
  EXPECT_EQ(values(grad(ops::sum(slope), at)), second);
}

TEST_F(Edges, ExponentialUnitsAtZero) {
  expect_slopes([](const Tensor& x) { return ops::elu(x, 2); }, {0, 1, -INFINITY, INFINITY}, {2, 1, 0, 1},
                {0, 0, 0, 0});
  expect_slopes([](const Tensor& x) { return ops::celu(x, 2); }, {0, 1, -INFINITY, INFINITY}, {1, 1, 0, 1},
                {0, 0, 0, 0});
  const Tensor x = leaf({0});
  EXPECT_EQ(values(grad(grad(ops::selu(x), x, {.create_graph = true}), x)), Numbers{0});
}

TEST_F(Edges, HardswishAtItsCorners) {
  expect_slopes([](const Tensor& x) { return ops::hardswish(x); }, {-4, -3, 3, INFINITY}, {0, 0, 1, 1}, {});
}

TEST_F(Edges, ClampAtItsBounds) {
  expect_slopes([](const Tensor& x) { return ops::clamp(x, 0, 2); }, {-1, 0, 1, 2, 3, NAN},
                {0, 0, 1, 0, 0, 0}, {});
}

// They are made of clamp(), whose slopes at bounds are others.
TEST_F(Edges, SoftshrinkAndLogitAtTheirBounds) {
  expect_slopes([](const Tensor& x) { return ops::softshrink(x, 0.5); }, {-1, -0.5, 0, 0.5, 1},
                {1, 0, 0, 0, 1}, {});
  expect_slopes([](const Tensor& x) { return ops::logit(x, 0.25); }, {0, 0.25, 0.5, 0.75, 1},
                {0, 1 / (0.25 * 0.75), 4, 1 / (0.25 * 0.75), 0}, {});
  expect_slopes([](const Tensor& x) { return ops::logit(x); }, {0, 0.5, 1}, {INFINITY, 4, INFINITY}, {});
  const Tensor x = leaf({-1, 1.5, NAN});
  for (double slope : values(grad(ops::sum(ops::logit(x)), x))) EXPECT_TRUE(std::isnan(slope)) << slope;
}

TEST_F(Edges, DrawnNumbersHaveNoSlope) {
  for (Function f : {Function([](const Tensor& x) { return ops::bernoulli(x); }),
                     Function([](const Tensor& x) { return ops::poisson(x); })})
    expect_slopes(f, {0.25, 1}, {0, 0}, {});
}

// The product of the others is a number of the type, those of some of them are not.
TEST_F(Edges, ProductsWhosePartsOverflow) {
  const Numbers x = {1e30, 1e30, 1e-30, 1e-30, 2};
  const Tensor at = ops::cast(leaf(x), DType::f32);
  const Numbers g = values(ops::cast(grad(ops::prod(at), at), DType::f64));
  const Numbers h = values(ops::cast(grad(ops::select(ops::cumprod(at, 0), 0, 4), at), DType::f64));
  const Numbers want = {2e-30, 2e-30, 2e30, 2e30, 1};
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(g[i] / want[i], 1, 1e-5) << i;
    EXPECT_NEAR(h[i] / want[i], 1, 1e-5) << i;
  }
  const Tensor zero = ops::cast(leaf({0, 1e30, 1e30, 1e-30, 1e-30}), DType::f32);
  EXPECT_NEAR(values(ops::cast(grad(ops::prod(zero), zero), DType::f64))[0], 1, 1e-5);
}

// LAPACK's meaning of a tolerance that is none: for gelsy all that is not 0 counts, for others the precision.
TEST_F(Edges, LeastSquaresWithANegativeTolerance) {
  const Tensor a = ops::reshape(leaf({1, 0, 0, 1e-20, 0, 0}), Shape{3, 2}),
               b = ops::ones(Shape{3, 1}, DType::f64);
  auto rank = [&](double rcond, int64_t driver) {
    return item(ops::linalg_lstsq(a, b, Scalar(rcond), driver)[2]).to_int();
  };
  EXPECT_EQ(rank(-1, 0), 2);
  EXPECT_EQ(rank(0, 0), 2);
  for (int64_t driver : {2, 3}) EXPECT_EQ(rank(-1, driver), 1) << driver;
  EXPECT_EQ(rank(0, 2), 1);
  EXPECT_EQ(rank(0, 3), 2);
  EXPECT_EQ(rank(1, 2), 1);
  EXPECT_EQ(values(ops::linalg_lstsq(a, b, Scalar(-1.0), 3)[0]), (Numbers{1, 0}));
}

TEST_F(Edges, PowersOfTheLeastExponent) {
  EXPECT_EQ(values(ops::matrix_power(ops::reshape(leaf({-1}), Shape{1, 1}), INT64_MIN)), Numbers{1});
  EXPECT_EQ(values(ops::matrix_power(ops::reshape(leaf({-1}), Shape{1, 1}), -INT64_MAX)), Numbers{-1});
}

TEST_F(Edges, BoundsThatAreTensorsShareTheGradient) {
  const Tensor x = leaf({-1, 0, 1, 2, 3}), low = leaf({0, 0, 0, 0, 0}), high = leaf({2, 2, 2, 2, 2});
  const Tensor y = ops::sum(ops::clamp_tensor(x, low, high));
  EXPECT_EQ(values(grad(y, x, {.retain_graph = true})), (Numbers{0, 0.5, 1, 0.5, 0}));
  EXPECT_EQ(values(grad(y, low, {.retain_graph = true})), (Numbers{1, 0.5, 0, 0, 0}));
  EXPECT_EQ(values(grad(y, high)), (Numbers{0, 0, 0, 0.5, 1}));
}

TEST_F(Edges, ExtremesWithoutNaN) {
  for (auto [f, x_slope, y_slope] : {std::tuple(&ops::fmax, Numbers{0.5, 0, 0, 1}, Numbers{0.5, 1, 1, 0}),
                                     std::tuple(&ops::fmin, Numbers{0.5, 1, 0, 1}, Numbers{0.5, 0, 1, 0})}) {
    const Tensor x = leaf({1, 2, NAN, 4}), y = leaf({1, 3, 5, NAN});
    const Tensor z = f(x, y);
    EXPECT_EQ(values(ops::slice(z, 0, 2, 4)), (Numbers{5, 4}));
    EXPECT_EQ(values(grad(ops::sum(z), x, {.retain_graph = true})), x_slope);
    EXPECT_EQ(values(grad(ops::sum(z), y)), y_slope);
  }
}

TEST_F(Edges, AngleOfTheOrigin) {
  const Tensor y = leaf({0, 3}), x = leaf({0, 4}), angle = ops::sum(ops::atan2(y, x));
  EXPECT_EQ(values(grad(angle, y, {.retain_graph = true})), (Numbers{0, 0.16}));
  EXPECT_EQ(values(grad(angle, x)), (Numbers{0, -0.12}));
}

// The nearest double to 1 / 0.1 is 10, while 0.1 fits nine times into 1.
TEST_F(Edges, QuotientsThatAreRoundedUp) {
  const Tensor x = leaf({1, -1, INFINITY}), y = leaf({0.1, 0.1, 2});
  const Tensor whole = ops::div_rounded(x, y, 1);
  EXPECT_EQ(values(ops::slice(whole, 0, 0, 2)), (Numbers{9, -10}));
  EXPECT_TRUE(std::isnan(values(whole)[2]));
  EXPECT_EQ(values(grad(ops::sum(whole), y)), (Numbers{0, 0, 0}));
  const Tensor none = leaf({0});
  EXPECT_EQ(values(grad(ops::div_rounded(none, none, 2), none)), Numbers{0});
  const Tensor some = leaf({0.1}), rest = ops::remainder(leaf({1}), some);
  EXPECT_EQ(values(grad(rest, some)), Numbers{-9});
}

TEST_F(Edges, OneNumberDoesNotWidenItsNeighbour) {
  const Tensor x = ops::ones(Shape{2}, DType::f32), wide = ops::full({}, 2, DType::f64);
  EXPECT_EQ(ops::nextafter(x, wide).dtype(), DType::f32);
  EXPECT_EQ(ops::nextafter(wide, x).dtype(), DType::f32);
  EXPECT_EQ(ops::nextafter(ops::full({}, 1, DType::f32), wide).dtype(), DType::f64);
}

TEST_F(Edges, HistogramOfNothing) {
  const auto [hist, edges] =
      ops::histogram(ops::zeros(Shape{0}, DType::f64), Tensor(), Tensor(), 2, 0, 0, false);
  EXPECT_EQ(values(hist), (Numbers{0, 0}));
  EXPECT_EQ(values(edges), (Numbers{0, 0.5, 1}));
}

// Limits that are given are not those of the data, equal or not.
TEST_F(Edges, HistogramOfARangeWithoutWidth) {
  const Tensor points = ops::reshape(tensor({0.25, 1, 3, 4}), Shape{4, 1}), range = tensor({0, 0});
  const auto found = ops::histogramdd(points, std::vector<Tensor>{}, Tensor(), range, Shape{2});
  EXPECT_EQ(values(found[0]), (Numbers{0, 1}));
  EXPECT_EQ(values(found[1]), (Numbers{-0.5, 0, 0.5}));
  expect_error([&] { ops::histogramdd(points, std::vector<Tensor>{}, Tensor(), Tensor(), Shape{INT64_MAX}); },
               Code::invalid_argument, "bins must be positive");
  expect_error([&] { ops::histc(ops::flatten(points), INT64_MAX); }, Code::invalid_argument, "bins");
}

TEST_F(Edges, NormsOfNothing) {
  EXPECT_EQ(values(ops::matrix_norm(ops::zeros(Shape{2, 0, 3}, DType::f64), 2.0)), (Numbers{0, 0}));
}

TEST_F(Edges, ConditionByInfinityTimesNothing) {
  const Tensor tiny = ops::mul_scalar(ops::eye(2, -1, DType::f64), 1e-310);
  EXPECT_EQ(values(ops::linalg_cond(tiny, 1)), Numbers{INFINITY});
  EXPECT_EQ(values(ops::linalg_cond(tensor({NAN, 1, 2, 3}, Shape{2, 2}), 1)), Numbers{INFINITY});
}

// The square of 2^32 is not the 0 that is left of it in 64 bits.
TEST_F(Edges, SystemOfMoreThanThereIs) {
  const Tensor wide = ops::expand(ops::ones(Shape{1}, DType::f64), Shape{int64_t(1) << 32});
  expect_error([&] { ops::linalg_tensorsolve(ops::zeros(Shape{0}, DType::f64), wide); }, Code::shape,
               "does not fit B");
}

// A zero makes the norm 0 whatever the others are; what is counted does not change with what it is.
TEST_F(Edges, NormsWithoutASlope) {
  for (double p : {-0.5, -1.0, -2.0, 0.0})
    for (const Numbers& v : {Numbers{0, 1}, Numbers{0, 0}}) {
      const Tensor x = leaf(v), y = ops::norm(x, p);
      EXPECT_EQ(values(y)[0], p == 0 ? v[1] : 0);
      EXPECT_EQ(values(grad(y, x)), (Numbers{0, 0})) << p;
    }
  EXPECT_EQ(values(ops::norm(tensor({NAN, 0, -INFINITY}), 0)), Numbers{2});
  for (double p : {-1.0, -2.0}) EXPECT_TRUE(std::isnan(values(ops::norm(tensor({0, NAN}), p))[0])) << p;
}

TEST_F(Edges, QuantilesFollowWhatIsAskedFor) {
  const Tensor q = leaf({0.3, 0.5, 1}), x = tensor({1, 2, 5, NAN});
  EXPECT_EQ(values(grad(ops::sum(ops::quantile(ops::slice(x, 0, 0, 3), q)), q)), (Numbers{2, 0, 0}));
  EXPECT_EQ(values(grad(ops::sum(ops::nanquantile(x, q)), q)), (Numbers{2, 0, 0}));
  EXPECT_FALSE(ops::quantile(x, q, 0, false, 1).requires_grad());
}

TEST_F(Edges, ResidualsThatAreNone) {
  const Tensor a = ops::reshape(leaf({1, 2, 3, 5}), Shape{2, 2}), b = leaf({1, 2});
  const Tensor left = ops::linalg_lstsq(a, b)[1];
  EXPECT_EQ(left.numel(), 0);
  EXPECT_EQ(values(grad(ops::sum(left), b)), (Numbers{0, 0}));
}

TEST_F(Edges, SumsOfBoolAreOr) {
  const Tensor a = ops::cast(tensor({1, 0}), DType::boolean), b = ops::logical_not(a);
  EXPECT_EQ(values(ops::cast(ops::addr(a, a, b), DType::f64)), (Numbers{1, 1, 1, 0}));
  EXPECT_EQ(values(ops::cast(ops::addr(a, a, b, 0), DType::f64)), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(values(ops::cast(ops::addr(a, a, b, 0, -0.5), DType::f64)), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(values(ops::addr(tensor({1, 1}), a, b, 1, 2)), (Numbers{1, 3, 1, 1}));
}

// 0, 0.5, 1.5, 2
TEST_F(Edges, HalvesOfBytesGoUp) {
  const Tensor line = ops::reshape(ops::arange(0, 4, 2, DType::u8), Shape{1, 1, 2});
  const Tensor wide = ops::interpolate(line, Shape{4}, 1);
  EXPECT_EQ(values(ops::cast(ops::flatten(wide), DType::f64)), (Numbers{0, 1, 2, 2}));
}

// Numbers whose inverses are none give what larger ones do.
TEST_F(Edges, DecompositionsOfTinyMatrices) {
  const Tensor one = tensor({3, 1, 0.5, 1, 2, 0.25, 0.5, 0.25, 1}), x = ops::reshape(one, Shape{3, 3}),
               tiny = ops::mul_scalar(ops::mul_scalar(x, 0x1p-1000), 0x1p-50);
  auto grown = [](const Tensor& t) { return ops::mul_scalar(ops::mul_scalar(t, 0x1p1000), 0x1p50); };
  auto expect_as = [&](const Tensor& found, const Tensor& wanted, double tolerance = 1e-5) {
    const Numbers a = values(found), b = values(wanted);
    for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
  };
  const auto [q, r] = ops::linalg_qr(tiny);
  expect_as(ops::matmul(q, grown(r)), x);
  expect_as(grown(ops::linalg_svdvals(tiny)), ops::linalg_svdvals(x));
  expect_as(grown(ops::linalg_eigvalsh(tiny)), ops::linalg_eigvalsh(x));
  const auto [q32, r32] = ops::linalg_qr(ops::mul_scalar(ops::cast(x, DType::f32), 0x1p-135));
  const Tensor large = ops::mul_scalar(ops::cast(r32, DType::f64), 0x1p135);
  expect_as(ops::matmul(ops::cast(q32, DType::f64), large), x, 2e-3);  // of 14 bits
}

// Of a permutation of 0, 1, 2 its sign, of others 0.
double parity(int64_t i, int64_t j, int64_t k) { return double((i - j) * (j - k) * (k - i)) / 2; }

// The slope of the weighted cofactors: that of (i, j) by a(k, l) is the element which is in neither's row or column.
TEST_F(Edges, SecondDerivativesOfSingularDeterminants) {
  const Numbers weights = {1, 4, 9, 16, 25, 36, 49, 64, 81};
  for (const Numbers& rows :
       {Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9}, Numbers{1, 0, 0, 0, 2, 0, 0, 0, 0},
        Numbers{1, 2, 3, 2, 4, 6, 3, 6, 9}, Numbers(9, 0.0), Numbers{2, 1, 0, 1, 3, 1, 0, 1, 1},
        Numbers{1e20, 2e20, 3e20, 3, 4, 5, 7, 1, 2}}) {  // the last two are not
    const Tensor x = leaf(rows, Shape{3, 3}), regular = tensor({0, 2, 0, 3, 0, 0, 0, 0, 1}, Shape{3, 3}),
                 both = ops::stack(std::array{regular, x}, 0);
    const Tensor slope = grad(ops::sum(ops::linalg_det(both)), x, {.create_graph = true});
    const Numbers found = values(grad(ops::sum(ops::mul(slope, tensor(weights, Shape{3, 3}))), x));
    Numbers want(9);
    for (int64_t at = 0; at < 729; ++at) {
      const auto digit = [&](int64_t power) { return at / power % 3; };
      const int64_t i = digit(1), j = digit(3), k = digit(9), l = digit(27), m = digit(81), n = digit(243);
      want[size_t(3 * k + l)] +=
          weights[size_t(3 * i + j)] * parity(i, k, m) * parity(j, l, n) * rows[size_t(3 * m + n)];
    }
    for (size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(found[i], want[i], 1e-9 * (1 + std::abs(want[i]))) << i << " of " << rows[0] << rows[8];
  }
  const Tensor one = leaf({0}, Shape{1, 1});
  EXPECT_EQ(values(grad(grad(ops::linalg_det(one), one, {.create_graph = true}), one)), Numbers{0});
}

// The cofactors, whether a further derivative is wanted or not.
TEST_F(Edges, DeterminantsOfSingularMatrices) {
  for (const auto& [rows, cofactors] : {std::pair(Numbers{1, 2, 2, 4}, Numbers{4, -2, -2, 1}),
                                        std::pair(Numbers{0, 0, 0, 3}, Numbers{3, 0, 0, 0})})
    for (bool again : {false, true}) {
      const Tensor x = leaf(rows, Shape{2, 2});
      const Numbers found = values(grad(ops::linalg_det(x), x, {.create_graph = again}));
      for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], cofactors[i], 1e-9) << i << again;
    }
  const Tensor x = leaf({1, 2, 2, 4, NAN, 1, 1, 2}, Shape{2, 2, 2});  // one of a batch that is none leaves the other
  const Numbers found = values(grad(ops::sum(ops::linalg_det(x)), x, {.create_graph = true}));
  EXPECT_NEAR(found[0], 4, 1e-9);
  EXPECT_TRUE(std::isnan(found[5]));
}

// One triangle is read: a gradient that is not symmetric would change what no value depends on.
TEST_F(Edges, GradientsOfEigenvectorsAreSymmetric) {
  const Tensor x = leaf({3, 1, 0.5, 1, 2, 0.25, 0.5, 0.25, 1}, Shape{3, 3}),
               weights = tensor({1, 5, 2, 7, 3, 8, 4, 6, 9}, Shape{3, 3});
  const auto [l, v] = ops::linalg_eigh(x);
  const Tensor g = grad(ops::sum(ops::mul(ops::mul(ops::square(v), weights), l)), x);
  const Numbers given = values(g), turned = values(ops::transpose(g, 0, 1));
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(given[i], turned[i], 1e-10) << i;
}

TEST_F(Edges, ReflectionsOfNaN) {
  const Tensor x = ops::reshape(tensor({0, NAN}), Shape{2, 1});
  EXPECT_TRUE(std::isnan(values(ops::linalg_qr(x)[1])[0]));
}

TEST_F(Edges, NaNStaysNaN) {
  for (Function f : {Function([](const Tensor& x) { return ops::hardswish(x); }),
                     Function([](const Tensor& x) { return ops::celu(x, 2); }),
                     Function([](const Tensor& x) { return ops::elu(x, 2); }),
                     Function([](const Tensor& x) { return ops::selu(x); })}) {
    const Tensor x = leaf({NAN, 1});
    EXPECT_TRUE(std::isnan(values(f(x))[0]));
    const Numbers slope = values(grad(ops::sum(f(x)), x));
    EXPECT_TRUE(std::isnan(slope[0]) && !std::isnan(slope[1])) << slope[0];
  }
}

TEST_F(Edges, SlopesAtNaN) {
  const Function relu = [](const Tensor& x) { return ops::relu(x); };
  expect_slopes(relu, {NAN, -1, 0, 2}, {1, 0, 0, 1}, {});
  const Tensor x = leaf({NAN, -1, 0, 2});
  EXPECT_EQ(values(grad(ops::sum(relu(x)), x)), (Numbers{1, 0, 0, 1}));
  expect_slopes([](const Tensor& y) { return ops::abs(y); }, {NAN, -1, 0, 2}, {0, -1, 0, 1}, {});
  EXPECT_EQ(values(ops::sign(x)), (Numbers{0, -1, 0, 1}));
  expect_slopes([](const Tensor& y) { return ops::angle(y); }, {NAN, -1, 0, 2}, {0, 0, 0, 0}, {});
}

// (x - target) / max(x (1 - x), 1e-12)
TEST_F(Edges, CrossEntropyOfCertainties) {
  for (auto [x, target, slope] : {std::array{0.0, 0.0, 0.0},
                                  {0.0, 1.0, -1e12},
                                  {1.0, 1.0, 0.0},
                                  {1.0, 0.0, 1e12},
                                  {0.0, 0.25, -0.25e12},
                                  {1e-13, 0.0, 0.1}}) {
    const Tensor p = leaf({x}), t = leaf({target});
    const Tensor loss = ops::binary_cross_entropy(p, t);
    const Numbers got = values(grad(loss, p, {.retain_graph = true}));
    EXPECT_NEAR(got[0], slope, 1e-9 * std::abs(slope) + 1e-12) << x << ", " << target;
    EXPECT_NEAR(values(grad(loss, t))[0], std::max(std::log(1 - x), -100.0) - std::max(std::log(x), -100.0),
                1e-9);
  }
}

// Infinities are the sum's, and a NaN beside one is seen.
TEST_F(Edges, LogarithmsOfSumsWithInfinities) {
  for (DType t : {DType::f64, DType::f32, DType::bf16})
    for (int64_t dim : {0, 1}) {
      const Tensor x = ops::reshape(leaf({-INFINITY, -INFINITY, -INFINITY, 1, INFINITY, -INFINITY, INFINITY,
                                          NAN, 1, NAN, 1, INFINITY, -INFINITY, 2, -INFINITY}),
                                    Shape{5, 3});
      const Tensor given = ops::cast(ops::detach(dim ? x : ops::transpose(x, 0, 1)), t);
      const Numbers got = values(ops::cast(ops::logsumexp(given, Shape{dim}), DType::f64));
      ASSERT_EQ(got.size(), 5u);
      EXPECT_EQ(got[0], -INFINITY);
      EXPECT_EQ(got[1], INFINITY);
      EXPECT_TRUE(std::isnan(got[2]) && std::isnan(got[3]));
      EXPECT_EQ(got[4], 2);
    }
  const Tensor x = leaf({INFINITY, 1, -INFINITY});
  const Numbers slope = values(grad(ops::logsumexp(x, Shape{0}), x));
  EXPECT_TRUE(std::isnan(slope[0]));
  EXPECT_EQ(slope[1], 0);
}

// PyTorch's legacy, which has an order of its own for maps.
TEST_F(Edges, JoinsOfNothing) {
  const Tensor none = ops::zeros(Shape{0}), both = ops::cat(std::array{none, none}, 0);
  EXPECT_EQ(both.strides()[0], 1);
  EXPECT_TRUE(both.is_contiguous());
}

// A correction may be any number: what is left of the count never wraps.
TEST_F(Edges, VarianceWithAnExtremeCorrection) {
  for (int64_t correction : {INT64_MIN, INT64_MAX}) {
    const Tensor x = leaf({1, 2, 4}), var = ops::var(x, {}, correction, false);
    const double divisor = correction < 0 ? 0x1p63 : 0;
    EXPECT_DOUBLE_EQ(values(var)[0], (14.0 / 3) / divisor);
    EXPECT_DOUBLE_EQ(values(grad(var, x))[2], 2 * (4 - 7.0 / 3) / divisor);
  }
}

}  // namespace
}  // namespace haft
