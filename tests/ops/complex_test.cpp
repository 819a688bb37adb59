// Complex numbers: arithmetic beside std::complex, promotion, writes, gradients, and what refuses them.
#include <complex>
#include <functional>
#include <limits>

#include "core/dispatch/op_table.h"
#include "core/io/print.h"
#include "core/ops/arithmetic.h"
#include "core/schema/signature.h"
#include "tests/ops/complex_testing.h"

namespace haft {
namespace {

using namespace testing;
using namespace complex_testing;
struct Complex : AutogradTest {};

const std::vector<C> kSome = {{1, 2}, {-1.5, 0.25}, {0.3, -0.7}, {-0.2, -1.1},
                              {2, 0}, {-3, 0.5},    {0, 1.25},   {-2, 0}};

TEST_F(Complex, FunctionsOfOneNumber) {
  struct Function {
    const char* name;
    Tensor (*ours)(const Tensor&);
    C (*theirs)(const C&);
  };
  const Function all[] = {
      {"exp", ops::exp, std::exp},
      {"log", ops::log, std::log},
      {"log10", ops::log10, std::log10},
      {"sqrt", ops::sqrt, std::sqrt},
      {"sin", ops::sin, std::sin},
      {"cos", ops::cos, std::cos},
      {"tan", ops::tan, std::tan},
      {"sinh", ops::sinh, std::sinh},
      {"cosh", ops::cosh, std::cosh},
      {"tanh", ops::tanh, std::tanh},
      {"asin", ops::asin, std::asin},
      {"acos", ops::acos, std::acos},
      {"atan", ops::atan, std::atan},
      {"asinh", ops::asinh, std::asinh},
      {"acosh", ops::acosh, std::acosh},
      {"atanh", ops::atanh, std::atanh},
      {"expm1", ops::expm1, [](const C& c) { return std::exp(c) - 1.0; }},
      {"log1p", ops::log1p, [](const C& c) { return std::log(1.0 + c); }},
      {"conj", ops::conj, std::conj},
      {"neg", ops::neg, [](const C& c) { return -c; }},
      {"square", ops::square, [](const C& c) { return c * c; }},
      {"reciprocal", ops::reciprocal, [](const C& c) { return 1.0 / c; }},
      {"rsqrt", ops::rsqrt, [](const C& c) { return 1.0 / std::sqrt(c); }},
      {"sigmoid", ops::sigmoid, [](const C& c) { return 1.0 / (1.0 + std::exp(-c)); }},
      {"exp2", ops::exp2, [](const C& c) { return std::exp(c * std::log(2.0)); }},
      {"log2", ops::log2, [](const C& c) { return std::log(c) / std::log(2.0); }},
      {"cubed", [](const Tensor& x) { return ops::pow_scalar(x, 3); }, [](const C& c) { return c * c * c; }},
      {"root", [](const Tensor& x) { return ops::pow_scalar(x, 0.4); },
       [](const C& c) { return std::pow(c, 0.4); }},
      {"minus two", [](const Tensor& x) { return ops::pow_scalar(x, -2); },
       [](const C& c) { return 1.0 / (c * c); }},
      {"of two", [](const Tensor& x) { return ops::rpow_scalar(x, 2.0); },
       [](const C& c) { return std::pow(2.0, c); }},
  };
  for (const Function& f : all) {
    SCOPED_TRACE(f.name);
    std::vector<C> want;
    for (const C& c : kSome) want.push_back(f.theirs(c));
    expect_close(numbers(f.ours(made(kSome))), want);
    // The gradient of a holomorphic function is the conjugate of its derivative.
    if (f.name == std::string("conj")) continue;
    Tensor x = leaf(made(kSome));
    const Tensor y = f.ours(x), one = ops::ones_like(x), g = haft::grad({&y, 1}, {&x, 1}, {&one, 1})[0];
    std::vector<C> slopes;
    for (const C& c : kSome) {
      const C step = c.real() == 0 ? C(0, 1e-5) : C(1e-5);  // along the cuts, not across them
      slopes.push_back(std::conj((f.theirs(c + step) - f.theirs(c - step)) / (2.0 * step)));
    }
    expect_close(numbers(g), slopes, 1e-6);
  }
}

TEST_F(Complex, FunctionsOfTwoNumbers) {
  const std::vector<C> other = {{0.5, 1}, {2, -1},   {-1, 0.1}, {0.25, 0.25},
                                {1, 1},   {-0.5, 2}, {1.5, 0},  {0.1, -3}};
  const Tensor x = made(kSome), y = made(other);
  std::vector<C> sum, difference, product, quotient, power;
  for (size_t i = 0; i < kSome.size(); ++i) {
    sum.push_back(kSome[i] + other[i]);
    difference.push_back(kSome[i] - other[i]);
    product.push_back(kSome[i] * other[i]);
    quotient.push_back(kSome[i] / other[i]);
    power.push_back(std::pow(kSome[i], other[i]));
  }
  expect_close(numbers(x + y), sum);
  expect_close(numbers(x - y), difference);
  expect_close(numbers(x * y), product);
  expect_close(numbers(x / y), quotient);
  expect_close(numbers(ops::pow(x, y)), power);
  EXPECT_EQ(values(ops::cast(ops::eq(x, x), DType::f64)), Numbers(kSome.size(), 1.0));
  EXPECT_EQ(values(ops::cast(ops::ne(x, y), DType::f64)), Numbers(kSome.size(), 1.0));
  expect_close(numbers(made({{1e200, 1e200}}) / made({{1e200, -1e200}})), {C(0, 1)});
  expect_close(numbers(ops::pow(made({0, 0}), made({0, {1, 1}}))), {1, 0});
  EXPECT_TRUE(std::isnan(numbers(ops::pow(made({0}), made({{-1, 1}})))[0].real()));
  EXPECT_TRUE(std::isnan(numbers(ops::pow(made({0}), made({std::nan("")})))[0].real()));
  // Of the powers of 0 the first one has a slope.
  const Tensor zeros = leaf(made({0, 0, 0}));
  backward(ops::sum(ops::real(ops::pow(zeros, made({1, 2, {1.5, 1}})))));
  expect_close(numbers(gradient_of(zeros)), {1, 0, 0});
}

// By 0 what is not 0 is infinite, by infinity what is finite is 0.
TEST_F(Complex, QuotientsAtTheEndsOfTheRange) {
  const double inf = std::numeric_limits<double>::infinity();
  for (DType t : {DType::c64, DType::c128}) {
    auto over = [&](C x, C y) { return numbers(ops::cast(made({x}), t) / ops::cast(made({y}), t))[0]; };
    for (C zero : {C(0, 0), C(-0.0, 0), C(0, -0.0), C(-0.0, -0.0)})
      EXPECT_EQ(over({1, -2}, zero), C(inf, -inf)) << zero;
    EXPECT_EQ(over({1, 0}, 0).real(), inf);
    EXPECT_TRUE(std::isnan(over({1, 0}, 0).imag()));
    EXPECT_TRUE(std::isnan(over(0, 0).real()));
    for (C infinite : {C(inf, 0), C(0, -inf), C(inf, 3), C(-2, inf)})
      EXPECT_EQ(std::abs(over({1, 2}, infinite)), 0) << infinite;
    EXPECT_TRUE(std::isnan(over({1, 2}, {inf, inf}).real()));
    expect_close({over({1e-30, 1e-30}, {1e-40, 0})}, {C(1e10, 1e10)}, t == DType::c64 ? 1e-4 : 1e-13);
  }
  expect_close(numbers(ops::sqrt(made({{1.5e308, 1}}))), {C(std::sqrt(1.5e308), 0)});
  expect_close(numbers(ops::sigmoid(made({{-800, 2}, {800, -1}, {-40, 1}}))),
               {0, 1, std::exp(C(-40, 1)) / (1.0 + std::exp(C(-40, 1)))});
}

// A power of 1 and a product of one number are the number, in memory of their own.
TEST_F(Complex, AnswersAreNobodyElsesMemory) {
  const Tensor one = made({{1, 2}}, {}), column = made({{1, 2}, {3, 4}}, Shape{2, 1});
  ops::add_scalar_(ops::pow_scalar(column, 1), 1);
  ops::add_scalar_(ops::prod(one), 1);
  ops::add_scalar_(ops::prod(column, Shape{1}), 1);
  ops::add_scalar_(ops::prod(column, Shape{1}, true), 1);
  const Tensor square = ops::ones(Shape{2, 2}, DType::f64);
  ops::add_scalar_(ops::matrix_power(square, 1), 1);
  EXPECT_EQ(values(square), Numbers(4, 1.0));
  expect_close(numbers(one), {{1, 2}});
  expect_close(numbers(column), {{1, 2}, {3, 4}});
}

TEST_F(Complex, ProductsAndQuotientsOfAnyMemory) {
  const Tensor k = ops::reshape(ops::arange(0, 37 * 21, 1, DType::f64), Shape{37, 21});
  const Tensor x = ops::complex(ops::sin(k), ops::cos(k * 0.7)), y = ops::complex(ops::cos(k * 1.3), k + 1);
  const std::vector<C> a = numbers(x), b = numbers(y);
  std::vector<C> products, quotients, of_row, over_one;
  for (size_t i = 0; i < a.size(); ++i) {
    products.push_back(a[i] * b[i]);
    quotients.push_back(a[i] / b[i]);
    of_row.push_back(a[i] * b[i % 21]);
    over_one.push_back(a[i] / b[5]);
  }
  auto turned = [](const Tensor& t) { return ops::transpose(t, 0, 1); };
  auto lying = [](const Tensor& t) { return ops::contiguous(t); };
  const Tensor row = ops::select(y, 0, 0), one = ops::select(row, 0, 5);
  expect_close(numbers(ops::mul(x, y)), products);
  expect_close(numbers(ops::div(x, y)), quotients);
  expect_close(numbers(ops::mul(x, row)), of_row);
  expect_close(numbers(ops::div(x, one)), over_one);
  expect_close(numbers(lying(turned(ops::mul(turned(x), turned(y))))), products);
  expect_close(numbers(lying(turned(ops::div(turned(x), lying(turned(y)))))), quotients);
  expect_close(numbers(ops::mul(ops::cast(x, DType::c64), ops::cast(y, DType::c64))), products, 1e-6);
  expect_close(numbers(ops::div(ops::cast(x, DType::c64), ops::cast(y, DType::c64))), quotients, 1e-6);
  // Squares would leave the type's range.
  const Tensor large =
      ops::complex(ops::full(Shape{1}, 1e200, DType::f64, {}), ops::full(Shape{1}, 3e200, DType::f64, {}));
  expect_close(numbers(ops::div(large, large)), {1});
}

TEST_F(Complex, MeetsRealNumbersAsPyTorchDoes) {
  const Tensor c64 = ops::zeros(Shape{2}, DType::c64), c128 = ops::zeros(Shape{2}, DType::c128);
  const auto type = [](const Tensor& t) { return std::string(dtype_name(t.dtype())); };
  auto zero = [](DType t) { return ops::ones({}, t); };
  auto row = [](DType t) { return ops::ones(Shape{2}, t); };
  EXPECT_EQ(type(c64 + row(DType::f64)), "complex128");
  EXPECT_EQ(type(c64 + zero(DType::f64)), "complex64");
  EXPECT_EQ(type(row(DType::f32) * zero(DType::c128)), "complex64");
  EXPECT_EQ(type(row(DType::f64) * zero(DType::c64)), "complex128");
  EXPECT_EQ(type(row(DType::i64) / zero(DType::c64)), "complex64");
  EXPECT_EQ(type(c64 * 2.0), "complex64");
  EXPECT_EQ(type(c64 - c128), "complex128");
  EXPECT_EQ(type(ops::abs(c128)), "float64");
  EXPECT_EQ(type(ops::where(ops::eq_scalar(row(DType::f32), 1), c64, row(DType::f32))), "complex64");
  const Tensor both[] = {row(DType::i32), c64};
  EXPECT_EQ(type(ops::cat(both, 0)), "complex64");
  EXPECT_EQ(type(ops::sum(row(DType::f32), Shape{}, false, DType::c64)), "complex64");
}

TEST_F(Complex, IsWrittenInPlace) {
  Tensor x = made({{1, 2}, {3, 4}, {5, 6}, {7, 8}}, Shape{2, 2});
  const Tensor column = ops::select(x, 1, 1);
  ops::mul_(column, made({{0, 1}, {0, 1}}));
  expect_close(numbers(x), {{1, 2}, {-4, 3}, {5, 6}, {-8, 7}});
  ops::fill_(ops::imag(x), 0);
  expect_close(numbers(x), {1, -4, 5, -8});
  ops::copy_(x, ops::ones(Shape{2}, DType::i32));
  expect_close(numbers(x), {1, 1, 1, 1});
  Tensor out = ops::empty(Shape{2}, DType::c128);
  ops::add_out(made({1, 2}), made({{0, 1}, {0, 1}}), out);
  expect_close(numbers(out), {{1, 1}, {2, 1}});
  Tensor real = ops::zeros(Shape{2}, DType::f64);
  expect_error([&] { ops::add_(real, made({1, 2})); }, Code::dtype, "[add_]");
  ops::copy_(real, made({{1, 5}, {2, 5}}));
  EXPECT_EQ(values(real), (Numbers{1, 2}));
}

TEST_F(Complex, GradientsAreThoseOfTheParts) {
  Tensor x = leaf(made(kSome));
  const Tensor loss = ops::sum(ops::square(ops::abs(x * made({{0, 2}}))));
  backward(loss);
  std::vector<C> want;
  for (const C& c : kSome) want.push_back(c * 8.0);
  expect_close(numbers(gradient_of(x)), want);
  expect_error([&] { backward(x * x); }, Code::autograd, "needs a seed");
  // What is real stays real, and at 0 |x| has no slope.
  Tensor r = leaf(ops::full(Shape{2}, 3.0, DType::f64));
  backward(ops::sum(ops::real(r * made({{2, 5}, {1, 1}}))));
  EXPECT_EQ(grad_of(r), (Numbers{2, 1}));
  Tensor zero = leaf(made({0}));
  backward(ops::sum(ops::abs(zero)));
  expect_close(numbers(gradient_of(zero)), {0});
  // What an operator answers may be written in place.
  Tensor u = leaf(made({1, {0, 2}})), w = u * 2;
  ops::mul_(w, made({{0, 1}, {0, 1}}));
  backward(ops::sum(ops::imag(w)));
  expect_close(numbers(gradient_of(u)), {2, 2});
  // Its factor needs what was there before.
  Tensor factor = leaf(made({{1, 2}, {3, -1}})), written = factor * 2;
  ops::mul_(written, factor);
  backward(ops::sum(ops::real(written)));
  expect_close(numbers(gradient_of(factor)), {{4, -8}, {12, 4}});
  Tensor divisor = leaf(made({{0, 2}})), over = made({{4, 0}});
  ops::div_(over, divisor);
  backward(ops::sum(ops::imag(over)));
  expect_close(numbers(gradient_of(divisor)), {{0, 1}});
  // Differences are taken of real numbers alone: nobody is told that what was not looked at is right.
  const Tensor pairs = leaf(ops::full(Shape{2, 2}, 3.0, DType::f64));
  expect_error(
      [&] {
        gradcheck([](std::span<const Tensor> in) { return std::vector<Tensor>{ops::view_as_complex(in[0])}; },
                  {&pairs, 1});
      },
      Code::dtype, "complex128");
  // A real part of -0 is on neither side.
  Tensor up = leaf(made({{0.0, 8}, {-0.0, 8}, {0.0, -8}, {-0.0, -8}}));
  backward(ops::sum(ops::real(ops::sqrt(up))));
  expect_close(numbers(gradient_of(up)), {{0.125, 0.125}, {0.125, 0.125}, {0.125, -0.125}, {0.125, -0.125}});
  // An angle has no slope at 0.
  Tensor nowhere = leaf(made({0, {0, 2}}));
  backward(ops::sum(ops::angle(nowhere)));
  expect_close(numbers(gradient_of(nowhere)), {0, -0.5});
  // A view of another type, written in place under the tape.
  Tensor y = leaf(made({1, 2}));
  Tensor z = y * 2;
  expect_error(
      [&] {
        ops::mul_scalar_(ops::view_as_real(z), 2.0);
        z = z * z;
        backward(ops::sum(ops::abs(z)));
      },
      Code::autograd, "view of complex128");
}

TEST_F(Complex, ProductsOfMatrices) {
  auto some = [](Shape sizes, double turn) {
    std::vector<C> v;
    for (int64_t i = 0; i < checked_numel(sizes); ++i)
      v.push_back(std::polar(1.0 + 0.1 * double(i % 7), turn * double(i)));
    return made(v, sizes);
  };
  const Tensor a = some(Shape{2, 3, 4}, 0.7), b = some(Shape{2, 4, 5}, -0.3);
  const std::vector<C> u = numbers(a), v = numbers(b), got = numbers(ops::matmul(a, b));
  for (size_t n = 0; n < 2; ++n)
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 5; ++j) {
        C s = 0;
        for (size_t k = 0; k < 4; ++k) s += u[n * 12 + i * 4 + k] * v[n * 20 + k * 5 + j];
        EXPECT_LE(std::abs(s - got[n * 15 + i * 5 + j]), 1e-12);
      }
  const Tensor x = ops::select(a, 0, 0), w = some(Shape{5, 4}, 0.2), bias = some(Shape{5}, 1.1);
  expect_close(numbers(ops::linear(x, w, bias)), numbers(ops::mm(x, ops::transpose(w, 0, 1)) + bias));
  expect_close(numbers(ops::addmm(bias, x, ops::transpose(w, 0, 1), 2.0, 3.0)),
               numbers(bias * 2 + ops::mm(x, ops::transpose(w, 0, 1)) * 3));
  expect_close(numbers(ops::prod(made(kSome))), {[] {
                 C p = 1;
                 for (const C& c : kSome) p *= c;
                 return p;
               }()});
}

TEST_F(Complex, PrintsAsPyTorchDoes) {
  EXPECT_EQ(tensor_text(ops::cast(made({{1, 2}, {-3, -4.5}}), DType::c64)),
            "tensor([ 1.+2.0000j, -3.-4.5000j])");
  EXPECT_EQ(tensor_text(made({{1.5, 2}}, {})), "tensor(1.5000+2.j, dtype=complex128)");
}

// Every operator with a kernel takes complex tensors or says that it does not.
TEST_F(Complex, IsRefusedByNameOrTaken) {
  const Tensor x = ops::ones(Shape{1, 1, 4, 4}, DType::c64);
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = OpId(i);
    if (op_kind(op) == OpKind::composite || op_kind(op) == OpKind::view) continue;
    const Signature s = parse_signature(op_name(op), op_info(op).signature);
    std::vector<const Tensor*> in;
    int words = 0;
    for (const Argument& a : s.arguments) {
      if (is_input(a.type)) in.push_back(&x);
      words += word_count(a.type);
    }
    if (in.empty() || op_traits(op) & COMPLEX) continue;
    std::vector<uint64_t> attributes(size_t(words) + 1);
    Tensor out[kMaxOutputs];
    SCOPED_TRACE(op_name(op));
    expect_error(
        [&] {
          dispatch({.op = op,
                    .n_in = uint16_t(in.size()),
                    .n_out = op_info(op).n_out,
                    .in = in.data(),
                    .words = attributes,
                    .out = out});
        },
        Code::dtype, std::string("[") + op_name(op) + "] does not take complex64");
  }
}

// What the trait promises of pointwise operators has a rule.
TEST_F(Complex, PointwiseOperatorsKeepTheirWord) {
  const Tensor x = made(kSome), mask = ops::isfinite(x);
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = OpId(i);
    if (op_kind(op) != OpKind::pointwise || !(op_traits(op) & COMPLEX)) continue;
    std::vector<const Tensor*> in;
    std::vector<uint64_t> words;
    for (const Argument& a : parse_signature(op_name(op), op_info(op).signature).arguments) {
      const bool masked = (in.empty() && op_traits(op) & MASK0) || (in.size() == 1 && op_traits(op) & MASK1);
      if (is_input(a.type))
        in.push_back(masked ? &mask : &x);
      else
        words.push_back(word_kind(Scalar(2.0))), words.push_back(word_bits(Scalar(2.0)));
    }
    SCOPED_TRACE(op_name(op));
    Tensor out;
    EXPECT_NO_THROW(
        dispatch({.op = op, .n_in = uint16_t(in.size()), .in = in.data(), .words = words, .out = &out}));
  }
}

// Lengths with every radix, split ones, and those that are convolutions, beside the definition.
TEST_F(Complex, TransformsOfAnyLength) {
  for (int64_t n : {3, 7, 11, 13, 17, 30, 49, 64, 97, 121, 256, 257, 600, 1000, 1024, 1573, 2048, 2053, 4096})
    for (int64_t lines : {1, 3, 20}) {
      SCOPED_TRACE(n);
      const Tensor k = ops::arange(0, n, 1, DType::f64);
      const Tensor x = ops::complex(ops::sin(ops::square(k)), ops::cos(k * 0.3)),
                   y = ops::expand(x, Shape{lines, n});
      const std::vector<C> got = numbers(ops::fft_fft(y)), v = numbers(x);
      for (int64_t f : {int64_t(0), n / 3, n - 1}) {
        C s = 0;
        for (int64_t j = 0; j < n; ++j)
          s += v[size_t(j)] * std::polar(1.0, -2 * M_PI * double(j * f % n) / double(n));
        for (int64_t l : {int64_t(0), lines - 1})
          EXPECT_LE(std::abs(got[size_t(l * n + f)] - s), 1e-11 * double(n));
      }
      expect_close(numbers(ops::fft_ifft(ops::fft_fft(y))), numbers(y), 1e-12);
      const Tensor re = ops::contiguous(ops::real(y)), half = ops::fft_rfft(re);
      expect_close(numbers(half), numbers(ops::slice(ops::fft_fft(re), 1, 0, n / 2 + 1)), 1e-11);
      expect_close(numbers(ops::cast(ops::fft_irfft(half, n), DType::c128)),
                   numbers(ops::cast(re, DType::c128)), 1e-12);
      expect_close(numbers(ops::fft_fft(ops::cast(y, DType::c64))), got, 2e-6 * std::sqrt(double(n)));
      // Elements of a line that are no neighbours.
      const Tensor beside = ops::contiguous(ops::transpose(y, 0, 1)), across = ops::fft_fft(beside, kNone, 0);
      expect_close(numbers(ops::contiguous(ops::transpose(across, 0, 1))), got, 1e-11);
      expect_close(numbers(ops::fft_ifft(across, kNone, 0)), numbers(beside), 1e-12);
    }
}

TEST_F(Complex, InverseFramesOfSizesThatNoTensorHas) {
  const Tensor spectra = ops::ones(Shape{5, 4}, DType::c128);
  auto inverse = [&](int64_t hop, int64_t length) {
    return ops::istft(spectra, 8, hop, kNone, {}, true, false, true, length, false);
  };
  EXPECT_EQ(inverse(2, kNone).numel(), 6);
  expect_error([&] { inverse(INT64_MAX / 2, kNone); }, Code::invalid_argument, "hop_length");
  expect_error([&] { inverse(2, INT64_MAX); }, Code::invalid_argument, "length");
}

// Residuals of A V = V diag(L), by haft's loops and, from 33 rows on, by LAPACK where it is there.
void expect_eigenvectors(const Tensor& a) {
  const int64_t n = a.size(-1);
  auto [l, v] = ops::linalg_eig(a);
  const Tensor z = ops::cast(a, DType::c128), left = ops::matmul(z, v), right = v * ops::unsqueeze(l, -2);
  const double size = 1 + item(ops::amax(ops::abs(a))).to_double();
  for (const C& c : numbers(left - right)) EXPECT_LE(std::abs(c), 1e-13 * double(n) * size);
  for (const C& c : numbers(ops::sum(ops::square(ops::abs(v)), Shape{-2})))
    EXPECT_LE(std::abs(c - 1.0), 1e-13);
  C sum = 0, trace = 0;
  for (const C& c : numbers(l)) sum += c;
  for (const C& c : numbers(ops::diagonal(a, 0, 0, 1))) trace += c;
  EXPECT_LE(std::abs(sum - trace), 1e-13 * double(n) * size);
  C alone = 0;
  for (const C& c : numbers(ops::linalg_eigvals(a))) alone += c;
  EXPECT_LE(std::abs(alone - trace), 1e-13 * double(n) * size);
}

TEST_F(Complex, EigenvaluesOfMatrices) {
  for (int64_t n : {1, 2, 3, 4, 7, 16, 32, 33, 50}) {
    SCOPED_TRACE(n);
    const Tensor k = ops::reshape(ops::arange(0, n * n, 1, DType::f64), Shape{n, n});
    expect_eigenvectors(ops::sin(k * k * 0.37));
    expect_eigenvectors(ops::sin(k * k * 0.37) * 1e-140);
    if (n < 33)
      expect_eigenvectors(ops::sin(k * k * 0.37) * 1e-310);  // by haft's loops, below what is normal
    expect_eigenvectors(ops::eye(n, n, DType::f64));
    expect_eigenvectors(ops::zeros(Shape{n, n}, DType::f64));
    expect_eigenvectors(ops::triu(ops::cos(k)));
    expect_eigenvectors(ops::roll(ops::eye(n, n, DType::f64), Shape{1}, Shape{0}));  // roots of 1
  }
}

}  // namespace
}  // namespace haft
