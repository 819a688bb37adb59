// Functions of the user's own: what they keep, what they answer, graphs inside graphs.
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Function : AutogradTest {};

using Tensors = std::vector<Tensor>;

Tensors apply(const char* name, std::function<Tensors(FunctionContext&, std::span<const Tensor>)> forward,
              std::function<Tensors(FunctionContext&, std::span<const Tensor>)> backward, Tensors inputs) {
  auto fn = make_ref<CustomFunction>();
  fn->name = name;
  fn->forward = std::move(forward);
  fn->backward = std::move(backward);
  return apply_function(std::move(fn), inputs);
}

// x^3, keeping its input.
Tensor cube(const Tensor& x) {
  return apply(
      "Cube",
      [](FunctionContext& c, std::span<const Tensor> in) {
        EXPECT_FALSE(thread_state().grad_enabled);
        c.save(in[0]);
        return Tensors{ops::mul(in[0], ops::mul(in[0], in[0]))};
      },
      [](FunctionContext& c, std::span<const Tensor> g) {
        Tensor x = c.saved(0);
        return Tensors{ops::mul(g[0], ops::mul_scalar(ops::mul(x, x), 3.0))};
      },
      {x})[0];
}
// e^x, keeping its result.
Tensor exponential(const Tensor& x) {
  return apply(
      "Exponential",
      [](FunctionContext& c, std::span<const Tensor> in) {
        Tensor y = ops::exp(in[0]);
        c.save(y);
        return Tensors{y};
      },
      [](FunctionContext& c, std::span<const Tensor> g) { return Tensors{ops::mul(g[0], c.saved(0))}; },
      {x})[0];
}

TEST_F(Function, AnyOrder) {
  std::vector<Tensor> in{leaf({0.5, -1, 2})};
  for (auto f : {cube, exponential}) {
    CheckedFunction checked = [f](std::span<const Tensor> t) { return Tensors{f(t[0])}; };
    gradcheck(checked, in);
    gradgradcheck(checked, in);
  }
  Tensor x = leaf({2}), d1 = grad(ops::sum(exponential(x)), x, {.create_graph = true});
  Tensor d2 = grad(ops::sum(d1), x, {.create_graph = true}), d3 = grad(ops::sum(d2), x);
  EXPECT_NEAR(values(d3)[0], std::exp(2.0), 1e-12);
}

TEST_F(Function, NeedsUnusedOutputsAndAbsentGradients) {
  Tensor x = leaf({1, 2}), plain = tensor({3, 4});
  auto out = apply(
      "Two",
      [](FunctionContext& c, std::span<const Tensor> in) {
        EXPECT_TRUE(c.needs[0]);
        EXPECT_FALSE(c.needs[1]);
        return Tensors{ops::add(in[0], in[1]), ops::mul(in[0], in[1])};
      },
      [](FunctionContext&, std::span<const Tensor> g) {
        EXPECT_TRUE(g[0].defined());
        EXPECT_FALSE(g[1].defined());
        return Tensors{g[0], Tensor()};
      },
      {x, plain});
  backward(ops::sum(out[0]));
  EXPECT_EQ(grad_of(x), (Numbers{1, 1}));
  NoGradGuard off;
  EXPECT_FALSE(cube(x).requires_grad());
}

TEST_F(Function, SavedTensorsAreGuarded) {
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 1.0), y = ops::sum(cube(h));
  ops::add_scalar_(h, 1.0);
  expect_error([&] { backward(y); }, Code::autograd, "changed in place");
  Tensor z = ops::sum(cube(x));
  backward(z);
  expect_error([&] { backward(z); }, Code::autograd, "second time");
  expect_error(
      [&] {
        apply("Empty",
              [](FunctionContext& c, std::span<const Tensor> in) { return c.saved(3), Tensors{in[0]}; }, {},
              {tensor({1})});
      },
      Code::index, "saved tensor 3");
}

TEST_F(Function, WrongAnswers) {
  auto identity = [](FunctionContext&, std::span<const Tensor> in) { return Tensors{ops::clone(in[0])}; };
  Tensor x = leaf({1, 2});
  Tensor few =
      apply("Few", identity, [](FunctionContext&, std::span<const Tensor>) { return Tensors{}; }, {x})[0];
  expect_error([&] { backward(ops::sum(few)); }, Code::callback, "Few");
  Tensor shape =
      apply("Shape", identity,
            [](FunctionContext&, std::span<const Tensor> g) { return Tensors{ops::sum(g[0])}; }, {x})[0];
  expect_error([&] { backward(ops::sum(shape)); }, Code::shape, "Shape");
  expect_error(
      [&] {
        apply("None", [](FunctionContext&, std::span<const Tensor>) { return Tensors{Tensor()}; }, {}, {x});
      },
      Code::callback, "None");
}

TEST_F(Function, MayAnswerItsInputAndViews) {
  auto pass = [](FunctionContext&, std::span<const Tensor> g) { return Tensors{ops::mul_scalar(g[0], 2.0)}; };
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 1.0);
  Tensor same = apply("Same", [](FunctionContext&, std::span<const Tensor> in) { return Tensors{in[0]}; },
                      pass, {h})[0];
  EXPECT_NE(same.impl(), h.impl());
  backward(ops::sum(same), {.retain_graph = true});
  EXPECT_EQ(grad_of(x), (Numbers{2, 2}));
  set_gradient(x, {});
  backward(ops::sum(h));
  EXPECT_EQ(grad_of(x), (Numbers{1, 1}));
  Tensor view = apply(
      "View",
      [](FunctionContext&, std::span<const Tensor> in) {
        return Tensors{ops::view(in[0], Shape{2, 1})};
      },
      [](FunctionContext&, std::span<const Tensor> g) { return Tensors{ops::view(g[0], Shape{2})}; }, {x})[0];
  set_gradient(x, {});
  backward(ops::sum(view));
  EXPECT_EQ(grad_of(x), (Numbers{1, 1}));
}

// What forward writes in place takes the function's history: the tensor, its views and its base.
TEST_F(Function, MayWriteAnInputThatItAnswers) {
  auto clip = [](FunctionContext& c, std::span<const Tensor> in) {
    ops::clamp_(in[0], 0.0, {});
    c.save(in[0]);
    return Tensors{in[0]};
  };
  auto slope = [](FunctionContext& c, std::span<const Tensor> g) {
    return Tensors{ops::mul_scalar(ops::mul(g[0], c.saved(0)), 5.0)};
  };
  Tensor x = leaf({0.5, -2, 3, 0.25}), y = ops::mul_scalar(x, 3.0);
  Tensor part = ops::slice(y, 0, 1, 3, 1);
  Tensor z = apply("Clip", clip, slope, {y})[0];
  EXPECT_EQ(z.impl(), y.impl());
  // d(y^2)/dx = 2 y * 5 y * 3, by way of the name from before the call, of its result and of a view.
  for (const Tensor& t : {y, z})
    EXPECT_EQ(values(grad(ops::sum(ops::square(t)), x, {.retain_graph = true})),
              (Numbers{67.5, 0, 2430, 16.875}));
  EXPECT_EQ(values(grad(ops::sum(ops::square(part)), x, {.create_graph = true})), (Numbers{0, 0, 2430, 0}));

  y = ops::mul_scalar(x, 3.0);
  Tensor w = leaf({2, -1});
  auto scale = [](FunctionContext& c, std::span<const Tensor> in) {
    c.save(in[1]);
    ops::mul_(in[0], in[1]);
    return Tensors{ops::sum(in[1]), in[0]};
  };
  auto factors = [](FunctionContext& c, std::span<const Tensor> g) {
    EXPECT_FALSE(g[0].defined());
    return Tensors{ops::mul(g[1], c.saved(0)), ops::mul_scalar(g[1], 7.0)};
  };
  apply("Scale", scale, factors, {ops::slice(y, 0, 1, 3, 1), w});
  backward(ops::sum(ops::square(y)));
  EXPECT_EQ(grad_of(x), (Numbers{9, -144, 54, 4.5}));
  EXPECT_EQ(grad_of(w), (Numbers{-168, -126}));
  Tensor plain = tensor({1, 1});  // comes into the graph by the call
  apply("Scale", scale, factors, {plain, w});
  EXPECT_EQ(values(grad(ops::sum(ops::square(plain)), w)), (Numbers{28, -14}));

  // What an operator saved of it before is noticed, as with every write in place.
  Tensor kept = ops::exp(x), loss = ops::sum(kept);
  apply("Clip", clip, slope, {kept});
  expect_error([&] { backward(loss); }, Code::autograd, "in place");
}

TEST_F(Function, RefusesWritesThatWouldLoseGradients) {
  auto pass = [](FunctionContext&, std::span<const Tensor> g) { return Tensors{g[0]}; };
  auto doubled = [](FunctionContext&, std::span<const Tensor> in) {
    ops::mul_scalar_(in[0], 2.0);
    return Tensors{ops::add_scalar(in[0], 1.0)};
  };
  auto itself = [](FunctionContext&, std::span<const Tensor> in) {
    return Tensors{ops::mul_scalar_(in[0], 2.0)};
  };
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 1.0), plain = tensor({1, 2});
  expect_error(
      [&] { apply("Doubled", doubled, pass, {h}); }, Code::autograd,
      "forward of \"Doubled\" wrote input 0 in place, which requires a gradient, and did not answer it");
  expect_error([&] { apply("Itself", itself, pass, {x}); }, Code::autograd,
               "wrote input 0 in place, a leaf that requires a gradient");
  expect_error([&] { apply("Itself", itself, pass, {ops::slice(x, 0, 0, 1, 1)}); }, Code::autograd, "a leaf");
  // Running statistics and the like take no part in gradients.
  Tensor y = apply(
      "Counts",
      [](FunctionContext&, std::span<const Tensor> in) {
        ops::add_scalar_(in[1], 1.0);
        return Tensors{ops::mul_scalar(in[0], 1.0)};
      },
      [](FunctionContext&, std::span<const Tensor> g) {
        return Tensors{g[0], Tensor()};
      },
      {x, plain})[0];
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(plain.requires_grad());
  EXPECT_EQ(values(plain), (Numbers{2, 3}));
  NoGradGuard off;
  EXPECT_EQ(values(apply("Doubled", doubled, pass, {plain})[0]), (Numbers{5, 7}));
}

// Checkpointing: backward computes the forward again and walks that graph inside.
TEST_F(Function, BackwardInsideBackward) {
  Tensor x = leaf({1, 2});
  auto body = [](const Tensor& t) { return ops::sum(ops::mul(ops::exp(t), t)); };
  Tensor y = apply(
      "Checkpoint",
      [&](FunctionContext& c, std::span<const Tensor> in) {
        c.save(in[0]);
        return Tensors{body(in[0])};
      },
      [&](FunctionContext& c, std::span<const Tensor> g) {
        ScopedValue<bool> on(thread_state().grad_enabled, true);
        Tensor again = ops::detach(c.saved(0));
        set_requires_grad(again, true);
        Tensor out = body(again);
        haft::backward({&out, 1}, g);
        return Tensors{gradient_of(again)};
      },
      {ops::mul_scalar(x, 1.0)})[0];
  backward(ops::mul_scalar(y, 2.0));
  Numbers g = grad_of(x);
  EXPECT_NEAR(g[0], 2 * 2 * std::exp(1.0), 1e-12);
  EXPECT_NEAR(g[1], 2 * 3 * std::exp(2.0), 1e-12);
  EXPECT_TRUE(thread_state().grad_enabled);
}

TEST_F(Function, LetGoWithTheGraph) {
  struct Token {
    int* count;
    ~Token() { ++*count; }
  };
  int gone = 0;
  {
    auto token = std::make_shared<Token>(Token{&gone});
    gone = 0;
    Tensor x = leaf({1});
    Tensor y = apply(
        "Owner", [token](FunctionContext&, std::span<const Tensor> in) { return Tensors{ops::clone(in[0])}; },
        [](FunctionContext&, std::span<const Tensor> g) { return Tensors{g[0]}; }, {x})[0];
    token.reset();
    backward(ops::sum(y));
    EXPECT_EQ(gone, 0);
  }
  EXPECT_EQ(gone, 1);
}

// What a function answers as a view of an input: a write to either would go past its backward.
TEST_F(Function, AViewOfAnInputMustNotBeWritten) {
  auto twice = [](FunctionContext&, std::span<const Tensor> g) {
    return Tensors{ops::mul_scalar(g[0], 2.0)};
  };
  auto flat = [&](const Tensor& of) {
    return apply(
        "Flat",
        [](FunctionContext&, std::span<const Tensor> in) { return Tensors{shallow_copy(*in[0].impl())}; },
        twice, {of})[0];
  };
  Tensor x = leaf({1, 2}), h = ops::mul_scalar(x, 3.0), y = flat(h);
  expect_error([&] { ops::mul_scalar_(y, 10.0); }, Code::autograd, "view of its input");
  EXPECT_EQ(values(h), (Numbers{3, 6}));
  backward(ops::sum(y), {.retain_graph = true});
  EXPECT_EQ(grad_of(x), (Numbers{6, 6}));
  const Tensor earlier = ops::sum(y);
  ops::mul_scalar_(h, 10.0);
  expect_error([&] { backward(ops::sum(y)); }, Code::autograd, "\"Flat\" is a view");
  set_gradient(x, {});
  backward(earlier);
  EXPECT_EQ(grad_of(x), (Numbers{6, 6}));
  expect_error([&] { ops::mul_scalar_(flat(x), 2.0); }, Code::autograd, "leaf");
  // A view that an operator makes of the result knows its way to the input; only the result itself does not.
  set_gradient(x, {});
  Tensor k = ops::mul_scalar(x, 3.0), z = flat(k);
  ops::mul_scalar_(ops::select(z, 0, 0), 10.0);
  backward(ops::sum(k));
  EXPECT_EQ(grad_of(x), (Numbers{60, 3}));
  expect_error([&] { backward(ops::sum(z)); }, Code::autograd, "\"Flat\" is a view");
  // Nothing is lost without a gradient, or where the input has none.
  NoGradGuard off;
  ops::mul_scalar_(y, 10.0);
  EXPECT_EQ(values(h), (Numbers{300, 600}));
}

TEST_F(Function, GradientsAreSummedToTheInput) {
  auto ones = [](Shape size) {
    return [size](FunctionContext&, std::span<const Tensor>) { return Tensors{ops::ones(size, DType::f64)}; };
  };
  auto copy = [](FunctionContext&, std::span<const Tensor> in) {
    return Tensors{ops::mul_scalar(in[0], 1.0)};
  };
  Tensor x = leaf({1, 2}, Shape{2, 1}), n = leaf({5}, Shape{});
  backward(ops::sum(apply("Wide", copy, ones({3, 2, 4}), {x})[0]));
  EXPECT_EQ(grad_of(x), (Numbers{12, 12}));
  EXPECT_TRUE(std::ranges::equal(gradient_of(x).sizes(), x.sizes()));
  backward(ops::sum(apply("Wide", copy, ones({1}), {n})[0]));
  EXPECT_EQ(grad_of(n), (Numbers{1}));
  for (Shape wrong : {Shape{3, 1}, Shape{2}, Shape{}})
    expect_error([&] { backward(ops::sum(apply("Wide", copy, ones(wrong), {x})[0])); }, Code::shape,
                 "wanted float64");
}

}  // namespace
}  // namespace haft
