// vmap: nesting, transforms inside and around it, writes in place, random numbers, what is refused. Every operator is
// in tests/ops/batching.cpp.
#include "core/autograd/vmap.h"

#include "core/dispatch/modes.h"
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
using Tensors = std::vector<Tensor>;
using In = std::span<const Tensor>;

struct Vmap : RandomTest {};

void expect_close(const Tensor& a, const Tensor& b, double tolerance = 1e-10) {
  ASSERT_TRUE(std::ranges::equal(a.sizes(), b.sizes())) << concat(a.sizes(), " and ", b.sizes());
  const std::vector<double> x = values(a), y = values(b);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], tolerance * (1 + std::abs(y[i]))) << i;
}

// fn for each example of the inputs, which lie in dimension 0, by a loop.
Tensor looped(const TensorsFunction& fn, const Tensors& inputs, std::vector<bool> whole = {}) {
  Tensors rows;
  for (int64_t e = 0; e < inputs[0].size(0); ++e) {
    Tensors in;
    for (size_t i = 0; i < inputs.size(); ++i)
      in.push_back(i < whole.size() && whole[i] ? inputs[i] : ops::select(inputs[i], 0, e));
    rows.push_back(fn(in)[0]);
  }
  return ops::stack(rows, 0);
}

TEST_F(Vmap, Dimensions) {
  const Tensor x = some({3, 4}), y = some({4, 3});
  const TensorsFunction product = [](In t) -> Tensors { return {ops::mul(t[0], t[1])}; };
  const int64_t dims[] = {1, 0}, last[] = {1}, whole[] = {0, kNone}, none[] = {kNone};
  expect_close(vmap(product, Tensors{x, y}, {.in_dims = dims, .out_dims = last})[0],
               ops::mul(x, ops::transpose(y, 0, 1)));
  const Tensor row = some({4});
  expect_close(vmap(product, Tensors{x, row}, {.in_dims = whole})[0], ops::mul(x, row));
  // What is the same for all is answered for each, or once.
  const TensorsFunction second = [](In t) -> Tensors { return {t[1]}; };
  EXPECT_EQ(vmap(second, Tensors{x, row}, {.in_dims = whole})[0].size(0), 3);
  EXPECT_EQ(vmap(second, Tensors{x, row}, {.in_dims = whole, .out_dims = none})[0].ndim(), 1);
  for (int64_t chunk : {1, 2, 3, 5})
    expect_close(vmap(product, Tensors{x, x}, {.chunk_size = chunk})[0], ops::mul(x, x));
  EXPECT_TRUE(
      std::ranges::equal(vmap(product, Tensors{some({0, 4}), some({0, 4})}, {})[0].sizes(), Shape{0, 4}));
}

TEST_F(Vmap, Refusals) {
  const Tensor x = some({3, 4}), outside = some({4});
  const TensorsFunction same = [](In t) -> Tensors { return {t[0]}; };
  const int64_t far[] = {2}, none[] = {kNone}, two[] = {0, 0};
  expect_error([&] { vmap(same, Tensors{x}, {.in_dims = far}); }, Code::invalid_argument, "Got in_dim=2");
  expect_error([&] { vmap(same, Tensors{x}, {.in_dims = none}); }, Code::invalid_argument, "all none");
  expect_error([&] { vmap(same, Tensors{x}, {.in_dims = two}); }, Code::invalid_argument, "2 in_dims");
  expect_error([&] { vmap(same, Tensors{x}, {.out_dims = none}); }, Code::invalid_argument,
               "out_dim is none");
  expect_error([&] { vmap(same, Tensors{x, some({2})}, {}); }, Code::shape, "got sizes [3, 2]");
  expect_error(
      [&] {
        vmap(
            [](In t) -> Tensors {
              item(ops::sum(t[0]));
              return {t[0]};
            },
            Tensors{x}, {});
      },
      Code::unsupported, "many examples under vmap");
  expect_error([&] { vmap([](In t) -> Tensors { return {ops::nonzero(t[0])}; }, Tensors{x}, {}); },
               Code::unsupported, "many examples under vmap");
  expect_error([&] { vmap([&](In t) -> Tensors { return {ops::add_(outside, t[0])}; }, Tensors{x}, {}); },
               Code::unsupported, "inplace arithmetic [add_] is not possible");
  expect_error(
      [&] { vmap([](In t) -> Tensors { return {ops::add(t[0], ops::rand(Shape{4}))}; }, Tensors{x}, {}); },
      Code::invalid_argument, "randomness error mode");
  Tensor escaped;
  vmap(
      [&](In t) -> Tensors {
        escaped = ops::neg(t[0]);
        return {t[0]};
      },
      Tensors{x}, {});
  expect_error([&] { values(escaped); }, Code::unsupported, "many examples under vmap");
  expect_error([&] { ops::add(escaped, escaped); }, Code::unsupported, "many examples under vmap");
  expect_error([&] { vmap([&](In t) -> Tensors { return {ops::add(t[0], escaped)}; }, Tensors{x}, {}); },
               Code::invalid_argument, "a vmap that is over");
}

TEST_F(Vmap, InsideOfAnother) {
  const Tensor a = some({3}), b = some({4}), m = some({3, 4, 5});
  const int64_t first[] = {0, kNone}, second[] = {kNone, 0};
  const TensorsFunction inner = [&](In t) -> Tensors {
    return vmap([](In u) -> Tensors { return {ops::mul(u[0], ops::exp(u[1]))}; }, t, {.in_dims = second});
  };
  expect_close(vmap(inner, Tensors{a, b}, {.in_dims = first})[0],
               ops::mul(ops::unsqueeze(a, 1), ops::exp(b)));
  const TensorsFunction norms = [](In t) -> Tensors {
    return vmap([](In u) -> Tensors { return {ops::softmax(u[0], 0), ops::sum(u[0])}; }, t, {});
  };
  expect_close(vmap(norms, Tensors{m}, {})[0], ops::softmax(m, 2));
  const int64_t dim[] = {2};
  expect_close(vmap(norms, Tensors{m}, {})[1], ops::sum(m, dim));
  // A product whose factors are of different levels, and one of three.
  const Tensor w = some({6, 5});
  const TensorsFunction linear = [&](In t) -> Tensors {
    return vmap([&](In u) -> Tensors { return {ops::linear(u[0], w)}; }, t, {});
  };
  expect_close(vmap(linear, Tensors{m}, {})[0], ops::linear(m, w));
}

// Gradients of each example, of what all share and of what each has.
TEST_F(Vmap, GradientsInside) {
  const Tensor x = some({5, 3}), w = some({4, 3}), bias = some({4}), target = some({5, 4});
  const TensorsFunction loss = [](In t) -> Tensors {  // x, w, b, target
    return {ops::mean(ops::square(ops::sub(ops::tanh(ops::linear(t[0], t[1], t[2])), t[3])))};
  };
  for (int which : {0, 1, 2}) {
    const TensorsFunction gradient = [&](In t) -> Tensors {
      const Tensors rest(t.begin(), t.end());
      return vjp(
                 [&](In u) {
                   Tensors all = rest;
                   all[size_t(which)] = u[0];
                   return loss(all);
                 },
                 Tensors{t[size_t(which)]}, {})
          .products;
    };
    const int64_t dims[] = {0, kNone, kNone, 0};
    const Tensor found = vmap(gradient, Tensors{x, w, bias, target}, {.in_dims = dims})[0];
    EXPECT_FALSE(found.requires_grad());
    expect_close(found, looped(gradient, {x, w, bias, target}, {false, true, true, false}));
  }
  // Anomaly mode looks at all examples.
  const TensorsFunction root = [](In t) -> Tensors {
    return vjp([](In u) -> Tensors { return {ops::sum(ops::sqrt(u[0]))}; }, t, {}).products;
  };
  {
    ScopedValue<uint32_t> on(thread_state().modes, thread_state().modes | kModeAnomaly);
    vmap(root, Tensors{ops::add_scalar(ops::square(x), 1.0)}, {});
    expect_error([&] { vmap(root, Tensors{tensor({4, 1, -1})}, {}); }, Code::autograd, "contains NaN");
  }
  // Second derivatives of each example.
  const TensorsFunction curve = [](In t) -> Tensors {
    return hessian([](In u) -> Tensors { return {ops::sum(ops::pow_scalar(u[0], 3.0))}; }, t);
  };
  expect_close(vmap(curve, Tensors{x}, {})[0], looped(curve, {x}));
}

// The results are recorded, in the examples and in what the function holds.
TEST_F(Vmap, GradientsAround) {
  Tensor x = some({5, 3}), w = some({4, 3});
  set_requires_grad(x, true);
  set_requires_grad(w, true);
  const TensorsFunction fn = [&](In t) -> Tensors {
    const Tensor y = ops::relu(ops::linear(t[0], w));
    return {ops::cat(Tensors{ops::split(y, 2, 0)[1], ops::cumsum(ops::select(ops::unsqueeze(y, 0), 0, 0), 0)},
                     0)};
  };
  const Tensor y = vmap(fn, Tensors{x}, {})[0], wanted = looped(fn, {x});
  expect_close(y, wanted);
  const Tensors in{x, w}, seeds{some({5, 6})}, outs{y}, other{wanted};
  const Tensors a = haft::grad(outs, in, seeds), b = haft::grad(other, in, seeds);
  for (size_t i = 0; i < in.size(); ++i) expect_close(a[i], b[i]);
  // Through gradients that were taken inside.
  const TensorsFunction inner = [&](In t) -> Tensors {
    return vjp([&](In u) -> Tensors { return {ops::sum(ops::exp(ops::linear(u[0], w)))}; }, t, {},
               {.create_graph = true})
        .products;
  };
  const Tensor g = vmap(inner, Tensors{x}, {})[0], h = looped(inner, {x});
  const Tensors more{some({5, 3})}, gs{g}, hs{h};
  const Tensors c = haft::grad(gs, in, more), d = haft::grad(hs, in, more);
  for (size_t i = 0; i < in.size(); ++i) expect_close(c[i], d[i]);
}

// What is one node to the tape, or looks at whether somebody wants a gradient, asks at every level.
TEST_F(Vmap, GradientsAroundCompositions) {
  const Tensor drawn = some({3, 4, 4}), one = ops::eye(4, -1, DType::f64),
               positive = ops::add(ops::matmul(drawn, ops::transpose(drawn, 1, 2)), one),
               labels = tensor({0, 1, 0, 1}), points = some({3, 4});
  Tensor chances = ops::sigmoid(points), flat = ops::clone(points);
  ops::fill_(ops::select(ops::select(chances, 0, 0), 0, 0), 0.0);
  ops::fill_(ops::select(ops::select(chances, 0, 1), 0, 1), 1.0);
  ops::fill_(ops::select(flat, 0, 1), 0.0);
  struct {
    const char* name;
    Tensor x;
    Tensor (*fn)(const Tensor& x, const Tensor& labels);
  } cases[] = {
      {"inv", positive, [](const Tensor& x, const Tensor&) { return ops::linalg_inv(x); }},
      {"solve", positive, [](const Tensor& x, const Tensor& b) { return ops::linalg_solve(x, b); }},
      {"solve itself", positive,
       [](const Tensor& x, const Tensor&) { return ops::linalg_solve(x, ops::tril(x), false); }},
      {"det", positive, [](const Tensor& x, const Tensor&) { return ops::linalg_det(x); }},
      {"slogdet", positive, [](const Tensor& x, const Tensor&) { return ops::linalg_slogdet(x)[1]; }},
      {"pinv", positive, [](const Tensor& x, const Tensor&) { return ops::linalg_pinv(x); }},
      {"eigvalsh", positive, [](const Tensor& x, const Tensor&) { return ops::linalg_eigvalsh(x); }},
      {"svdvals", positive, [](const Tensor& x, const Tensor&) { return ops::linalg_svdvals(x); }},
      {"binary_cross_entropy", chances,
       [](const Tensor& x, const Tensor& y) { return ops::binary_cross_entropy(x, y, Tensor()); }},
      {"median", points, [](const Tensor& x, const Tensor&) { return ops::median(x); }},
      {"std", flat, [](const Tensor& x, const Tensor&) { return ops::std(x); }},
      {"norm", flat, [](const Tensor& x, const Tensor&) { return ops::norm(x); }},
  };
  for (auto& c : cases) {
    SCOPED_TRACE(c.name);
    const TensorsFunction fn = [&](In t) -> Tensors { return {c.fn(t[0], labels)}; };
    const TensorsFunction slope = [&](In t) -> Tensors {
      return vjp([&](In u) -> Tensors { return {ops::sum(ops::square(fn(u)[0]))}; }, t, {},
                 {.create_graph = true})
          .products;
    };
    Tensor x = ops::clone(c.x);
    set_requires_grad(x, true);
    for (const TensorsFunction* f : {&fn, &slope}) {
      if (f == &slope && c.x.ndim() < 3) continue;
      const Tensor y = vmap(*f, Tensors{x}, {})[0], wanted = looped(*f, {x});
      expect_close(y, wanted);
      const Tensors seeds{some(Shape(y.sizes()))}, in{x}, ys{y}, others{wanted};
      expect_close(haft::grad(ys, in, seeds)[0], haft::grad(others, in, seeds)[0], 1e-7);
    }
  }
}

// Who looks at numbers that do not decide on shapes.
TEST_F(Vmap, PivotsAndClasses) {
  const auto [lu, pivots] = ops::linalg_lu_factor(some({2, 3, 4, 4}));
  const Tensor right = some({2, 3, 4, 1}), classes = ops::reshape(ops::arange(0, 6), Shape{2, 3});
  const TensorsFunction solve = [](In t) -> Tensors { return {ops::linalg_lu_solve(t[0], t[1], t[2])}; };
  const TensorsFunction solves = [&](In t) { return vmap(solve, t, {}); };
  expect_close(vmap(solves, Tensors{lu, pivots, right}, {})[0], ops::linalg_lu_solve(lu, pivots, right));
  const TensorsFunction rows = [](In t) -> Tensors { return {ops::one_hot(t[0], 6)}; };
  expect_close(vmap(rows, Tensors{classes}, {})[0], ops::one_hot(classes, 6));
  expect_error([&] { vmap([](In t) -> Tensors { return {ops::one_hot(t[0], -1)}; }, Tensors{classes}, {}); },
               Code::unsupported, "many examples under vmap");
}

// Complex numbers are computed by their parts, which have rules; so the gradients are theirs.
TEST_F(Vmap, ComplexNumbers) {
  Tensor x = some({3, 4, 2}), y = some({4, 2});
  set_requires_grad(x, true);
  set_requires_grad(y, true);
  const TensorsFunction fn = [&](In t) -> Tensors {
    const Tensor a = ops::view_as_complex(t[0]), b = ops::view_as_complex(y);
    const Tensor z = ops::add(ops::mul(a, b), ops::exp(ops::div(a, ops::add_scalar(b, 5.0))));
    return {ops::view_as_real(ops::fft_fft(z)), ops::abs(ops::sum(z))};
  };
  const Tensors in{x, y};
  for (size_t k : {0, 1}) {
    const TensorsFunction one = [&](In t) -> Tensors { return {fn(t)[k]}; };
    const Tensor found = vmap(one, Tensors{x}, {})[0], wanted = looped(one, {x});
    expect_close(found, wanted);
    const Tensors seeds{some(Shape(found.sizes()))}, outs{found}, other{wanted};
    const Tensors a = haft::grad(outs, in, seeds), b = haft::grad(other, in, seeds);
    for (size_t i = 0; i < in.size(); ++i) expect_close(a[i], b[i]);
  }
}

TEST_F(Vmap, WritesInPlace) {
  const Tensor x = some({3, 4}), kept = ops::clone(x);
  const TensorsFunction fn = [](In t) -> Tensors {
    Tensor zero = ops::zeros(Shape{4}, DType::f64), like = ops::zeros_like(t[0]),
           whole = ops::zeros(Shape{2, 4}, DType::f64);
    ops::add_(zero, t[0]);                       // made inside: each example has its own from now on
    ops::copy_(ops::select(whole, 0, 1), t[0]);  // through a view
    ops::mul_(ops::add_(like, t[0]), zero);
    return {ops::add(ops::sum(whole), like)};
  };
  expect_close(vmap(fn, Tensors{x}, {})[0], looped(fn, {x}));
  expect_close(x, kept);
  // The caller's own examples are written.
  const Tensor y = ops::clone(x);
  vmap([](In t) -> Tensors { return {ops::fill_(ops::select(t[0], 0, 1), 7.0)}; }, Tensors{y}, {});
  const Tensor column = ops::select(y, 1, 1);
  EXPECT_EQ(values(column), (Numbers{7, 7, 7}));
  // With gradients inside: what was saved is kept, what was overwritten counts no more.
  const TensorsFunction gradient = [](In t) -> Tensors {
    return vjp(
               [](In u) -> Tensors {
                 Tensor s = ops::mul_scalar(u[0], 2.0), e = ops::exp(s);
                 ops::mul_(s, u[0]);
                 ops::fill_(ops::select(s, 0, 0), 1.0);
                 return {ops::sum(ops::mul(s, e))};
               },
               t, {})
        .products;
  };
  expect_close(vmap(gradient, Tensors{x}, {})[0], looped(gradient, {x}));
  // What a gradient saved and somebody wrote through another view of it is noticed.
  expect_error(
      [&] {
        vmap(
            [](In t) -> Tensors {
              return vjp(
                         [](In u) -> Tensors {
                           const Tensor s = ops::mul_scalar(u[0], 2.0), e = ops::square(s);
                           {
                             NoGradGuard off;
                             ops::fill_(ops::select(s, 0, 0), 1.0);
                           }
                           return {ops::sum(e)};
                         },
                         t, {})
                  .products;
            },
            Tensors{x}, {});
      },
      Code::autograd, "changed in place");
}

TEST_F(Vmap, RandomNumbers) {
  const Tensor x = ops::zeros(Shape{64, 8}, DType::f32);
  auto distinct = [](const Tensor& t) {
    std::vector<double> v = values(ops::reshape(t, Shape{-1}));
    std::ranges::sort(v);
    return std::unique(v.begin(), v.end()) - v.begin();
  };
  const TensorsFunction fn = [](In t) -> Tensors {
    return {ops::add(t[0], ops::rand(Shape{8})), ops::add(t[0], ops::rand_like(t[0]))};
  };
  default_generator().reseed(5);
  const Tensors apart = vmap(fn, Tensors{x}, {.randomness = Randomness::different});
  const int64_t dim[] = {0};
  EXPECT_GE(distinct(ops::cat(apart, 0)), 1000);  // of 1024
  const Tensors same = vmap(fn, Tensors{x}, {.randomness = Randomness::same});
  EXPECT_LE(distinct(same[0]), 8);
  // Dropout, whose mask differs or is one; permutations by a loop.
  const Tensor ones = ops::ones(Shape{64, 32});
  const TensorsFunction drop = [](In t) -> Tensors { return {ops::dropout(t[0], 0.5, true)}; };
  auto rows = [&](const Tensor& t) { return distinct(ops::sum(ops::mul(t, ops::arange(1, 33)), Shape{1})); };
  EXPECT_GT(rows(vmap(drop, Tensors{ones}, {.randomness = Randomness::different})[0]), 32);
  EXPECT_EQ(rows(vmap(drop, Tensors{ones}, {.randomness = Randomness::same})[0]), 1);
  EXPECT_EQ(rows(vmap(drop, Tensors{ones}, {.randomness = Randomness::same, .chunk_size = 10})[0]), 1);
  const TensorsFunction shuffle = [](In t) -> Tensors { return {ops::add(ops::randperm(32), t[0])}; };
  EXPECT_GT(rows(vmap(shuffle, Tensors{ops::zeros(Shape{64})}, {.randomness = Randomness::different})[0]),
            60);
  // Whole numbers, for which all wait for the last.
  const TensorsFunction count = [](In t) -> Tensors { return {ops::poisson(t[0])}; };
  for (double rate : {4.0, 40.0}) {
    const Tensor rates = ops::full(Shape{64, 32}, rate);
    const Tensor each = vmap(count, Tensors{rates}, {.randomness = Randomness::different})[0];
    EXPECT_GT(rows(each), 32);
    EXPECT_NEAR(values(ops::mean(each))[0], rate, rate / 4);
    EXPECT_EQ(rows(vmap(count, Tensors{rates}, {.randomness = Randomness::same})[0]), 1);
  }
  expect_error(
      [&] {
        vmap(count, Tensors{ops::full(Shape{2, 3}, -1.0)}, {.randomness = Randomness::same});
      },
      Code::invalid_argument, "be at least 0");
  (void)dim;
}

// One call of each kernel, whatever the number of examples.
thread_local std::vector<std::string> kernels;

TEST_F(Vmap, OneCallForAllExamples) {
  const Tensor x = some({7, 2, 3, 8, 8}), w = some({4, 3, 3, 3}), b = some({4}), scale = some({4}),
               shift = some({4}), dense = some({5, 64}), target = ops::randint(0, 5, Shape{7, 2});
  const TensorsFunction net = [&](In t) -> Tensors {
    const int64_t one[] = {1, 1}, two[] = {2, 2};
    Tensor y = ops::conv2d(t[0], t[2], b, one, one, one, 1);
    y = ops::relu(ops::batch_norm(y, scale, shift, Tensor(), Tensor(), true));
    y = ops::max_pool2d(y, two, two, Shape{0, 0}, one, false);
    y = ops::layer_norm(ops::flatten(y, 1), Shape{64}, Tensor(), Tensor());
    return {ops::cross_entropy(ops::linear(y, dense), t[1])};
  };
  const TensorsFunction gradient = [&](In t) -> Tensors {
    return vjp([&](In u) { return net(Tensors{t[0], t[1], u[0]}); }, Tensors{t[2]}, {}).products;
  };
  const int64_t dims[] = {0, 0, kNone};
  const Tensors in{x, target, w};
  expect_close(vmap(gradient, in, {.in_dims = dims})[0], looped(gradient, in, {false, false, true}), 1e-7);
  set_mode(kModeCapture, {.finished = [](const FinishedCall& f) { kernels.push_back(op_name(f.call.op)); }});
  auto calls = [&](int64_t examples) {
    const Tensors some_in{ops::narrow(x, 0, 0, examples), ops::narrow(target, 0, 0, examples), w};
    kernels.clear();
    ScopedValue<uint32_t> on(thread_state().modes, thread_state().modes | kModeCapture);
    vmap(gradient, some_in, {.in_dims = dims});
    return kernels;
  };
  EXPECT_EQ(calls(2), calls(7));
  const std::vector<std::string> all = calls(7);
  for (const char* op :
       {"conv2d", "conv2d_weight", "batch_norm_stats", "max_pool2d_indices", "linear", "cross_entropy_rows"})
    EXPECT_EQ(std::ranges::count(all, op), 1) << op;
  // A Jacobian is one walk.
  kernels.clear();
  {
    ScopedValue<uint32_t> on(thread_state().modes, thread_state().modes | kModeCapture);
    jacobian([&](In t) -> Tensors { return {ops::tanh(ops::linear(t[0], dense))}; }, Tensors{some({64})});
  }
  set_mode(kModeCapture, {});
  EXPECT_EQ(std::ranges::count(kernels, "mm"), 1);
}

// A function of the user's own sees the examples' gradients one by one, as it does without vmap.
TEST_F(Vmap, FunctionsOfOnesOwn) {
  auto own = make_ref<CustomFunction>();
  own->name = "doubled";
  own->forward = [](FunctionContext&, In t) -> Tensors { return {ops::mul_scalar(t[0], 2.0)}; };
  own->backward = [](FunctionContext&, In g) -> Tensors {
    item(ops::sum(g[0]));  // reads
    return {ops::mul_scalar(g[0], 2.0)};
  };
  const Tensor x = some({4});
  expect_close(jacobian([&](In t) { return apply_function(own, t); }, Tensors{x})[0],
               ops::mul_scalar(ops::eye(4, -1, DType::f64), 2.0));
  own->backward = [](FunctionContext&, In g) -> Tensors { return {ops::mul_scalar(g[0], 2.0)}; };
  const TensorsFunction gradient = [&](In t) -> Tensors {
    return vjp([&](In u) -> Tensors { return {ops::sum(ops::square(apply_function(own, u)[0]))}; }, t, {})
        .products;
  };
  const Tensor many = some({3, 4});
  expect_close(vmap(gradient, Tensors{many}, {})[0], ops::mul_scalar(many, 8.0));
  Tensor outer = some({3, 4});
  set_requires_grad(outer, true);
  expect_error([&] { vmap([&](In t) { return apply_function(own, t); }, Tensors{outer}, {}); },
               Code::unsupported, "from outside of the mapped function");
}

}  // namespace
}  // namespace haft
