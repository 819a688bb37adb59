// Products with Jacobians and Hessians, these matrices themselves, against differences and against each other.
#include "core/autograd/transforms.h"

#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
using Tensors = std::vector<Tensor>;

struct Transforms : RandomTest {};

// (3, 2), (2) to (3) and (): values that mix both inputs, and a number.
Tensors two(std::span<const Tensor> in) {
  Tensor y = ops::tanh(ops::matmul(in[0], in[1]));
  return {ops::mul(y, y), ops::sum(ops::exp(ops::mul_scalar(in[0], Scalar(0.5))))};
}
Tensors one(std::span<const Tensor> in) {
  return {ops::sum(ops::mul(ops::sin(in[0]), ops::square(ops::sum(ops::mul(in[1], in[1])))))};
}

// d outputs[k] / d inputs[j] by central differences: numel(out) rows of numel(in).
std::vector<double> differences(const TensorsFunction& fn, Tensors in, size_t k, size_t j) {
  const double eps = 1e-6;
  std::vector<double> x = values(in[j]), out;
  std::vector<std::vector<double>> columns;
  for (size_t i = 0; i < x.size(); ++i) {
    auto at = [&](double v) {
      std::vector<double> moved = x;
      moved[i] = v;
      in[j] = tensor(moved, in[j].sizes());
      return values(fn(in)[k]);
    };
    std::vector<double> high = at(x[i] + eps), low = at(x[i] - eps);
    for (size_t r = 0; r < high.size(); ++r) high[r] = (high[r] - low[r]) / (2 * eps);
    columns.push_back(high);
  }
  for (size_t r = 0; r < columns[0].size(); ++r)
    for (auto& c : columns) out.push_back(c[r]);
  return out;
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << i;
}

TEST_F(Transforms, TheJacobianIsThatOfDifferences) {
  Tensors in{some({3, 2}), some({2})};
  Tensors j = jacobian(two, in);
  ASSERT_EQ(j.size(), 4u);
  EXPECT_TRUE(std::ranges::equal(j[0].sizes(), Shape{3, 3, 2}));
  EXPECT_TRUE(std::ranges::equal(j[1].sizes(), Shape{3, 2}));
  EXPECT_TRUE(std::ranges::equal(j[2].sizes(), Shape{3, 2}));
  EXPECT_TRUE(std::ranges::equal(j[3].sizes(), Shape{2}));
  for (size_t k = 0; k < 2; ++k)
    for (size_t i = 0; i < 2; ++i) expect_close(values(j[2 * k + i]), differences(two, in, k, i), 1e-7);
  for (const Tensor& t : j) EXPECT_FALSE(t.requires_grad());
  EXPECT_EQ(values(j[3]), (std::vector<double>{0, 0}));  // the second output does not know the second input
}

TEST_F(Transforms, ProductsAreThoseOfTheJacobian) {
  Tensors in{some({3, 2}), some({2})}, j = jacobian(two, in);
  Tensors left{some({3}), some({})}, right{some({3, 2}), some({2})};
  NoGradGuard off;  // which they do not mind
  Products v = vjp(two, in, left), r = jvp(two, in, right);
  for (Products* p : {&v, &r}) {
    ASSERT_EQ(p->outputs.size(), 2u);
    expect_close(values(p->outputs[0]), values(two(in)[0]), 1e-15);
  }
  auto flat = [](const Tensor& t, int64_t rows) { return ops::reshape(t, Shape{rows, -1}); };
  for (size_t i = 0; i < 2; ++i) {
    Tensor wanted = ops::add(ops::matmul(left[0], flat(j[i], 3)),
                             ops::matmul(ops::reshape(left[1], Shape{1}), flat(j[2 + i], 1)));
    expect_close(values(v.products[i]), values(wanted), 1e-12);
  }
  for (size_t k = 0; k < 2; ++k) {
    const int64_t rows = k ? 1 : 3;
    Tensor wanted = ops::add(ops::matmul(flat(j[2 * k], rows), ops::reshape(right[0], Shape{-1})),
                             ops::matmul(flat(j[2 * k + 1], rows), right[1]));
    expect_close(values(r.products[k]), values(wanted), 1e-12);
  }
}

TEST_F(Transforms, TheHessianIsTheJacobianOfTheGradient) {
  Tensors in{some({3}), some({2, 2})};
  Tensors h = hessian(one, in);
  ASSERT_EQ(h.size(), 4u);
  TensorsFunction gradient = [](std::span<const Tensor> x) {
    Tensors leaves;
    for (const Tensor& t : x) {
      leaves.push_back(ops::clone(t));
      set_requires_grad(leaves.back(), true);
    }
    Tensor y = one(leaves)[0];
    return haft::grad({&y, 1}, leaves, {});
  };
  for (size_t k = 0; k < 2; ++k)
    for (size_t i = 0; i < 2; ++i) expect_close(values(h[2 * k + i]), differences(gradient, in, k, i), 1e-6);
  Tensors v{some({3}), some({2, 2})};
  Products p = hvp(one, in, v);
  expect_close(values(p.outputs[0]), values(one(in)[0]), 1e-15);
  for (size_t k = 0; k < 2; ++k) {
    const int64_t rows = k ? 4 : 3;
    Tensor wanted = ops::zeros(Shape{rows}, DType::f64);
    for (size_t i = 0; i < 2; ++i)
      wanted = ops::add(
          wanted, ops::matmul(ops::reshape(h[2 * k + i], Shape{rows, -1}), ops::reshape(v[i], Shape{-1})));
    expect_close(values(p.products[k]), values(wanted), 1e-12);
  }
}

TEST_F(Transforms, ResultsAreRecordedWhereAsked) {
  Tensor x = leaf({0.5, -1.5});
  TensorsFunction cube = [](std::span<const Tensor> in) {
    return Tensors{ops::mul(in[0], ops::mul(in[0], in[0]))};
  };
  Tensors j = jacobian(cube, {&x, 1}, {.create_graph = true});
  backward(ops::sum(j[0]));  // the diagonal is 3 x^2
  expect_close(grad_of(x), {3, -9}, 1e-12);
  Tensor v = tensor({1, 1});
  Products p = jvp(cube, {&x, 1}, {&v, 1}, {.create_graph = true});
  expect_close(values(grad(ops::sum(p.products[0]), x)), {3, -9}, 1e-12);
  EXPECT_FALSE(vjp(cube, {&x, 1}, {&v, 1}).products[0].requires_grad());
}

TEST_F(Transforms, EmptyScalarAndStridedInputs) {
  Tensor none = some({0}), zero = some({}), wide = some({4, 3});
  TensorsFunction square = [](std::span<const Tensor> in) { return Tensors{ops::mul(in[0], in[0])}; };
  EXPECT_TRUE(std::ranges::equal(jacobian(square, {&none, 1})[0].sizes(), Shape{0, 0}));
  EXPECT_TRUE(std::ranges::equal(hessian(square, {&zero, 1})[0].sizes(), Shape{}));
  EXPECT_EQ(values(hessian(square, {&zero, 1})[0]), (std::vector<double>{2}));
  Tensor turned = ops::transpose(wide, 0, 1);
  expect_close(values(jacobian(square, {&turned, 1})[0]), differences(square, {turned}, 0, 0), 1e-7);
  TensorsFunction constant = [](std::span<const Tensor>) { return Tensors{tensor({1, 2})}; };
  EXPECT_EQ(values(jacobian(constant, {&zero, 1})[0]), (std::vector<double>{0, 0}));
}

TEST_F(Transforms, WhatDoesNotFitIsRefused) {
  Tensors in{some({3, 2}), some({2})};
  Tensor whole = ops::cast(in[1], DType::i64), x = some({2}), short_one = some({1});
  TensorsFunction square = [](std::span<const Tensor> t) { return Tensors{ops::mul(t[0], t[0])}; };
  TensorsFunction nothing = [](std::span<const Tensor>) { return Tensors{}; };
  TensorsFunction constant = [](std::span<const Tensor>) { return Tensors{tensor({1})}; };
  expect_error([&] { jacobian(square, {&whole, 1}); }, Code::dtype, "input 0 is int64");
  expect_error([&] { jacobian(square, {}); }, Code::invalid_argument, "no inputs");
  expect_error([&] { hessian(square, {&x, 1}); }, Code::shape, "one output of one element");
  expect_error([&] { vjp(square, {&x, 1}, {}); }, Code::invalid_argument, "without vectors");
  expect_error([&] { vjp(two, in, {&x, 1}); }, Code::invalid_argument, "wanted one for each output, 2");
  expect_error([&] { jvp(square, {&x, 1}, {&short_one, 1}); }, Code::shape, "vector 0");
  expect_error([&] { jacobian(nothing, {&x, 1}); }, Code::callback, "answered no tensor");
  expect_error([&] { vjp(constant, {&x, 1}, {}, {.strict = true}); }, Code::autograd, "strict");
  // A matrix that is the same everywhere has no derivative, which strict mode is asked to say.
  TensorsFunction linear = [](std::span<const Tensor> t) {
    return Tensors{ops::sum(ops::mul_scalar(t[0], 3.0))};
  };
  expect_error(
      [&] {
        jacobian(linear, {&x, 1}, {.create_graph = true, .strict = true});
      },
      Code::autograd, "independent of input 0");
  expect_error([&] { hessian(linear, {&x, 1}, {.strict = true}); }, Code::autograd, "independent of input 0");
  EXPECT_EQ(values(jacobian(linear, {&x, 1}, {.strict = true})[0]), (std::vector<double>{3, 3}));
  EXPECT_EQ(values(jacobian(square, {&x, 1}, {.create_graph = true, .strict = true})[0])[1], 0);
}

TEST_F(Transforms, VectorsAreCast) {
  Tensor x = some({3}), v = ops::cast(tensor({1, 2, 3}), DType::f32);
  TensorsFunction square = [](std::span<const Tensor> t) { return Tensors{ops::mul(t[0], t[0])}; };
  const std::vector<double> wanted = values(ops::mul(ops::mul_scalar(x, 2.0), v));
  for (auto product : {vjp, jvp}) {
    const Tensor found = product(square, {&x, 1}, {&v, 1}, {}).products[0];
    EXPECT_EQ(found.dtype(), DType::f64);
    EXPECT_EQ(values(found), wanted);
  }
}

}  // namespace
}  // namespace haft
