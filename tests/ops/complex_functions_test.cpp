// Functions of complex numbers at the ends of the range, where C99's Annex G says what they are, and what else takes
// complex numbers by formulas of its own.
#include <complex>
#include <limits>

#include "core/ops/arithmetic.h"
#include "tests/ops/complex_testing.h"

namespace haft {
namespace {

using namespace testing;
using namespace complex_testing;
struct ComplexFunctions : AutogradTest {};

template <class T>
using Z = std::complex<T>;

// Whether a part is what the C library answers. `sign`: whether that of a zero or an infinity is said.
bool same(double got, double want, double tolerance, bool sign) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || want == 0) {
    if (std::isinf(want) ? !std::isinf(got) : !(std::abs(got) <= std::numeric_limits<float>::min()))
      return false;
    return !sign || std::signbit(got) == std::signbit(want) || std::abs(got) < 1;
  }
  return std::abs(got - want) <= tolerance * std::abs(want);
}

template <class T>
void check_ends(const char* name, Tensor (*ours)(const Tensor&), Z<T> (*theirs)(const Z<T>&)) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T top = std::log(std::numeric_limits<T>::max());
  const T some[] = {-inf, -2 * top, -top - 1, -top, -1, T(-0.0), 0, T(1.5), top, top + 1, 2 * top, inf, nan};
  const DType t = sizeof(T) == 4 ? DType::c64 : DType::c128;
  std::vector<C> inputs;
  std::vector<Z<T>> want;
  for (T re : some)
    for (T im : some) {
      inputs.push_back({re, im});
      want.push_back(theirs({re, im}));
    }
  const std::vector<C> got = numbers(ours(ops::cast(made(inputs), t)));
  const double tolerance = 64 * double(std::numeric_limits<T>::epsilon());
  for (size_t i = 0; i < got.size(); ++i) {
    const bool finite = std::isfinite(inputs[i].imag()) && std::isfinite(inputs[i].real());
    EXPECT_TRUE(same(got[i].real(), double(want[i].real()), tolerance, finite) &&
                same(got[i].imag(), double(want[i].imag()), tolerance, finite))
        << name << inputs[i] << " in " << dtype_name(t) << " is " << got[i] << ", wanted " << want[i];
  }
}

#define ENDS(name)                                                                     \
  check_ends<float>(#name, ops::name, [](const Z<float>& z) { return std::name(z); }); \
  check_ends<double>(#name, ops::name, [](const Z<double>& z) { return std::name(z); })

TEST_F(ComplexFunctions, AtTheEndsOfTheRange) {
  ENDS(exp);
  ENDS(sinh);
  ENDS(cosh);
  ENDS(tanh);
  ENDS(sin);
  ENDS(cos);
  ENDS(tan);
  ENDS(sqrt);
  ENDS(log);
}

// No part of the way may leave the range where the answer is in it, nor what is beyond turn to NaN.
TEST_F(ComplexFunctions, BeyondTheLargestNumber) {
  const double most = std::numeric_limits<double>::max(), inf = std::numeric_limits<double>::infinity();
  expect_close(numbers(ops::log(made({{most, most}}))), {std::log(C(most, most))});
  expect_close(numbers(ops::sqrt(made({{most / 2, -most}}))), {std::sqrt(C(most / 2, -most))});
  EXPECT_EQ(numbers(ops::exp2(made({1e4})))[0], C(inf, 0));
  EXPECT_EQ(numbers(ops::pow_scalar(made({1e200}), 2.5))[0], C(inf, 0));
  EXPECT_EQ(numbers(ops::expm1(made({1e4})))[0], C(inf, 0));
  EXPECT_EQ(numbers(ops::asin(made({{inf, 1}})))[0], C(std::acos(-1) / 2, inf));
  EXPECT_EQ(numbers(ops::acosh(made({{-inf, 0}})))[0], C(inf, std::acos(-1)));
  EXPECT_EQ(numbers(ops::atanh(made({{1, inf}})))[0], C(0, std::acos(-1) / 2));
  // Where the square of the distance from 1 is no number of the type.
  for (const C& c : {C(1, 1e-300), C(-1, -1e-200), C(1, 1e-30), C(-1, 1e-20)}) {
    expect_close(numbers(ops::atanh(made({c}))), {std::atanh(c)});
    if (std::abs(c.imag()) > 1e-37)
      expect_close(numbers(ops::atanh(ops::cast(made({c}), DType::c64))), {std::atanh(c)}, 1e-6);
  }
  const C none = std::nan("");
  for (auto f : {ops::asin, ops::atanh}) EXPECT_EQ(numbers(f(made({{0, none.real()}})))[0].real(), 0);
  for (auto f : {ops::asinh, ops::atan}) EXPECT_EQ(numbers(f(made({none})))[0].imag(), 0);
}

// Each side of a cut has its own value, by the sign of 0; small results keep their digits, and so do those beside the
// ends of cuts.
TEST_F(ComplexFunctions, InversesOnTheirCutsAndNearZero) {
  const std::vector<C> cuts = {{2, 0.0},  {2, -0.0},  {-2, 0.0},  {-2, -0.0}, {0.0, 3},   {-0.0, 3},
                               {0.0, -3}, {-0.0, -3}, {-1, 1e-8}, {1, -1e-8}, {1e-8, -1}, {-1e-8, 1}};
  const std::vector<C> small = {{1e-9, 2e-9}, {-3e-12, 1e-9}, {1e-200, 1e-200}};
  struct Function {
    Tensor (*ours)(const Tensor&);
    C (*theirs)(const C&);
    bool small;
  };
  for (const Function& f :
       {Function{ops::asin, std::asin, true}, Function{ops::acos, std::acos, false},
        Function{ops::atan, std::atan, true}, Function{ops::asinh, std::asinh, true},
        Function{ops::acosh, std::acosh, false}, Function{ops::atanh, std::atanh, true}}) {
    std::vector<C> want;
    for (const C& c : cuts) want.push_back(f.theirs(c));
    expect_close(numbers(f.ours(made(cuts))), want);
    const std::vector<C> near = numbers(f.ours(made(small)));
    for (size_t i = 0; f.small && i < small.size(); ++i)
      EXPECT_LE(std::abs(near[i] - f.theirs(small[i])), 1e-13 * std::abs(small[i])) << near[i];
  }
  for (const C& c : small) {
    EXPECT_LE(std::abs(numbers(ops::expm1(made({c})))[0] - c), 1e-8 * std::abs(c));
    EXPECT_LE(std::abs(numbers(ops::log1p(made({c})))[0] - c), 1e-8 * std::abs(c));
  }
}

TEST_F(ComplexFunctions, RefusesBoolAndRealResultsInPlace) {
  const Tensor z = made({{1, 2}, {3, 4}}), mask = ops::ones(Shape{2}, DType::boolean);
  expect_error([&] { ops::sub(z, mask); }, Code::dtype, "[sub] does not take bool");
  expect_error([&] { ops::sub(mask, z); }, Code::dtype, "[sub] does not take bool");
  expect_error([&] { ops::sub_scalar(z, true); }, Code::dtype, "[sub_scalar] does not take bool");
  expect_error([&] { ops::rsub_scalar(z, true); }, Code::dtype, "[rsub_scalar] does not take bool");
  expect_error([&] { ops::sub_(z, mask); }, Code::dtype, "[sub] does not take bool");
  expect_error([&] { ops::abs_(z); }, Code::dtype, "[abs_] the absolute value of complex128 is real");
  expect_close(numbers(z), {{1, 2}, {3, 4}});
}

TEST_F(ComplexFunctions, RunningProducts) {
  const std::vector<C> some = {{1, 2}, {-1.5, 0.25}, {0.3, -0.7}, {0, 0}, {2, 1}, {-3, 0.5}};
  std::vector<C> want;
  C p = 1;
  for (const C& c : some) want.push_back(p *= c);
  Tensor x = leaf(made(some)), y = ops::cumprod(x, 0);
  expect_close(numbers(y), want);
  expect_close(numbers(ops::cumprod(made(some, Shape{2, 3}), 0)),
               {some[0], some[1], some[2], some[0] * some[3], some[1] * some[4], some[2] * some[5]});
  backward(ops::sum(ops::real(y)));
  std::vector<C> slopes;
  for (size_t k = 0; k < some.size(); ++k) {
    C slope = 0;
    for (size_t i = k; i < some.size(); ++i) {
      C q = 1;
      for (size_t j = 0; j <= i; ++j) q *= j == k ? C(1) : some[j];
      slope += q;
    }
    slopes.push_back(std::conj(slope));
  }
  expect_close(numbers(gradient_of(x)), slopes);
}

TEST_F(ComplexFunctions, SumsOfManyKinds) {
  const std::vector<C> a = {{1, 2}, {-1.5, 0.25}, {0.3, -0.7}}, b = {{0.5, 1}, {2, -1}, {-1, 0.1}};
  C dot = 0, sum = 0;
  for (size_t i = 0; i < 3; ++i) dot += std::conj(a[i]) * b[i], sum += std::exp(a[i]);
  expect_close(numbers(ops::vecdot(made(a), made(b))), {dot});
  expect_close(numbers(ops::logsumexp(made(a))), {std::log(sum)});
  expect_close(numbers(ops::logsumexp(made({{1000, 1}, {1000, 1}}))), {C(1000 + std::log(2.0), 1)});
  const Tensor rows = ops::stack(std::vector{made(a), made(b)}, 0), c = ops::cov(rows),
               r = ops::corrcoef(rows);
  C ma = (a[0] + a[1] + a[2]) / 3.0, mb = (b[0] + b[1] + b[2]) / 3.0, aa = 0, ab = 0, bb = 0;
  for (size_t i = 0; i < 3; ++i) {
    aa += std::norm(a[i] - ma) / 2;
    bb += std::norm(b[i] - mb) / 2;
    ab += (a[i] - ma) * std::conj(b[i] - mb) / 2.0;
  }
  expect_close(numbers(c), {aa, ab, std::conj(ab), bb});
  const C s = std::sqrt(aa * bb);
  expect_close(numbers(r), {1, ab / s, std::conj(ab) / s, 1});
  auto [variance, mean] = ops::var_mean(made(a));
  expect_close(numbers(variance), {aa});
  expect_close(numbers(mean), {ma});
  expect_close(numbers(ops::trapezoid(made(a), Tensor(), 2)), {a[0] + 2.0 * a[1] + a[2]});
  expect_close(numbers(ops::dist(made(a), made(b))),
               {std::sqrt(std::norm(a[0] - b[0]) + std::norm(a[1] - b[1]) + std::norm(a[2] - b[2]))});
  expect_close(numbers(ops::linalg_vander(made({{1, 2}}), 3)), {1, {1, 2}, C(1, 2) * C(1, 2)});
}

TEST_F(ComplexFunctions, IsPaddedAndMade) {
  const Tensor x = made({{1, 2}, {3, 4}, {5, 6}}, Shape{1, 3});
  expect_close(numbers(ops::pad(x, Shape{1, 1}, 0, 7.0)), {7, {1, 2}, {3, 4}, {5, 6}, 7});
  expect_close(numbers(ops::pad(x, Shape{1, -1}, 0, 0.0)), {0, {1, 2}, {3, 4}});
  expect_close(numbers(ops::pad(x, Shape{1, 0}, 1, 0.0)), {{3, 4}, {1, 2}, {3, 4}, {5, 6}});
  expect_close(numbers(ops::pad(x, Shape{1, 0}, 2, 0.0)), {{1, 2}, {1, 2}, {3, 4}, {5, 6}});
  expect_close(numbers(ops::pad(x, Shape{1, 0}, 3, 0.0)), {{5, 6}, {1, 2}, {3, 4}, {5, 6}});
  Tensor u = leaf(made({{1, 2}, {3, 4}}));
  backward(ops::sum(ops::real(ops::pad(u, Shape{1, 1}) * made({9, 2, {0, 3}, 9}))));
  expect_close(numbers(gradient_of(u)), {2, {0, -3}});
  expect_close(numbers(ops::linspace(1, 3, 3, DType::c64)), {1, 2, 3});
  expect_close(numbers(ops::logspace(0, 2, 3, 10, DType::c128)), {1, 10, 100});
  const Tensor n = ops::randn(Shape{40000}, DType::c64), v = ops::var(n);
  EXPECT_NEAR(numbers(v)[0].real(), 1, 0.05);
  EXPECT_NEAR(numbers(ops::var(ops::imag(n)))[0].real(), 0.5, 0.03);
  expect_close(numbers(ops::mean(ops::normal(3, 0.1, Shape{40000}, DType::c64))), {3}, 0.01);
  const Tensor w = ops::rand_like(n);
  EXPECT_EQ(w.dtype(), DType::c64);
  EXPECT_GE(numbers(ops::amin(ops::imag(w)))[0].real(), 0);
  EXPECT_NEAR(numbers(ops::mean(ops::imag(w)))[0].real(), 0.5, 0.02);
}

// A window of a wider type decides, as in a product.
TEST_F(ComplexFunctions, WindowsMeetSignalsAsProductsDo) {
  const Tensor x = ops::sin(ops::arange(0, 32, 1, DType::f32)), w = ops::full(Shape{8}, 0.5, DType::f64);
  const Tensor y = ops::stft(x, 8, 2, kNone, w);
  EXPECT_EQ(y.dtype(), DType::c128);
  expect_close(numbers(y), numbers(ops::stft(ops::cast(x, DType::f64), 8, 2, kNone, w)));
  EXPECT_EQ(ops::istft(y, 8, 2, kNone, w).dtype(), DType::f64);
  EXPECT_EQ(ops::istft(ops::cast(y, DType::c64), 8, 2, kNone, w).dtype(), DType::f64);
  EXPECT_EQ(ops::stft(ops::cast(x, DType::f64), 8, 2, kNone, ops::cast(w, DType::f32)).dtype(), DType::c128);
}

}  // namespace
}  // namespace haft
