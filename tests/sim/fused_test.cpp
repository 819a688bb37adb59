// Fused functions: what the composition answers, to the last derivative, in one kernel where the device fuses.
#include "core/autograd/fused_function.h"

#include "core/dispatch/autocast.h"
#include "core/dispatch/replay.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
using Tensors = std::vector<Tensor>;

struct SimFused : DeviceTest {
  static Ref<FusedFunction> fuse(TracedFunction fn) {
    return make_ref<FusedFunction>("tested", std::move(fn));
  }
  static Tensor real(IntList sizes, DType t = DType::f32) {
    return ops::cast(ops::uniform(sizes, -2, 2, DType::f64), t);
  }
  // Whether rows are joined by the device's fused kernels, which the simulated plug-in's are too simple for.
  static bool joins() { return backend_name(sim()) == std::string("cuda"); }
  static std::string backend_name(Device d) { return backend(d).name; }

  static Tensors there(const Tensors& in, Device d, bool grad) {
    Tensors all;
    for (const Tensor& t : in) all.push_back(grad && is_float(t.dtype()) ? leaf_on(t, d) : on(t, d));
    return all;
  }
  static Tensor total(const Tensors& out) {
    Tensor sum;
    double weight = 1;
    for (const Tensor& t : out) {
      if (!is_float(t.dtype())) continue;
      const Tensor part = ops::mul_scalar(
          ops::sum(ops::mul(ops::cast(t, DType::f64), ops::sin(ops::cast(t, DType::f64)))), Scalar(weight));
      sum = sum.defined() ? ops::add(sum, part) : part;
      weight += 0.5;
    }
    return sum;
  }
  // Values, gradients and gradients of gradients, beside the function itself, of halves of the numbers: the sine of
  // large results makes much of a last bit.
  static void expect_composition(const TracedFunction& fn, Tensors in, Device d,
                                 FusedCounts* counts = nullptr, double tolerance = 2e-5) {
    const Ref<FusedFunction> f = fuse(fn);
    for (Tensor& t : in)
      if (is_float(t.dtype())) t = ops::mul_scalar(t, Scalar(0.5));
    for (bool create_graph : {false, true}) {
      const Tensors a = there(in, d, true), b = there(in, d, true);
      const Tensors got = (*f)(a), want = fn(b);
      ASSERT_EQ(got.size(), want.size());
      for (size_t k = 0; k < got.size(); ++k) {
        SCOPED_TRACE(concat("result ", int64_t(k)));
        ASSERT_EQ(got[k].dtype(), want[k].dtype());
        ASSERT_TRUE(std::ranges::equal(got[k].sizes(), want[k].sizes()));
        expect_close(values(got[k]), values(want[k]), tolerance);
      }
      Tensors of_a, of_b, leafs_a, leafs_b;
      for (const Tensor& t : a)
        if (t.requires_grad()) leafs_a.push_back(t);
      for (const Tensor& t : b)
        if (t.requires_grad()) leafs_b.push_back(t);
      const Tensor la = total(got), lb = total(want);
      ASSERT_EQ(la.requires_grad(), lb.requires_grad());
      if (!la.requires_grad()) continue;
      of_a = haft::grad({&la, 1}, leafs_a, {}, {.create_graph = create_graph}, true);
      of_b = haft::grad({&lb, 1}, leafs_b, {}, {.create_graph = create_graph}, true);
      auto same = [&](const Tensors& x, const Tensors& y, const char* what) {
        for (size_t i = 0; i < x.size(); ++i) {
          SCOPED_TRACE(concat(what, " of input ", int64_t(i)));
          ASSERT_EQ(x[i].defined(), y[i].defined());
          if (x[i].defined()) expect_close(values(x[i]), values(y[i]), tolerance);
        }
      };
      same(of_a, of_b, "gradient");
      if (!create_graph) continue;
      Tensors ga, gb;
      for (const Tensor& t : of_a)
        if (t.defined() && t.requires_grad()) ga.push_back(t);
      for (const Tensor& t : of_b)
        if (t.defined() && t.requires_grad()) gb.push_back(t);
      if (gb.empty()) continue;  // of steps nothing is left, which a chain does not say
      ASSERT_EQ(ga.size(), gb.size());
      const Tensor sa = total(ga), sb = total(gb);
      same(haft::grad({&sa, 1}, leafs_a, {}, {}, true), haft::grad({&sb, 1}, leafs_b, {}, {}, true),
           "second derivative");
    }
    if (counts) {
      counts->traces = f->counts().traces.load();
      counts->kernels = f->counts().kernels.load();
      counts->unfused = f->counts().unfused.load();
      counts->reason = f->counts().reason;
    }
  }
};

Tensors bias_gelu(std::span<const Tensor> in) { return {ops::gelu(ops::add(in[0], in[1]))}; }

TEST_F(SimFused, IsOneKernelACall) {
  int called = 0;
  const Ref<FusedFunction> f = fuse([&](std::span<const Tensor> in) {
    ++called;
    EXPECT_EQ(in[0].device(), sim());
    EXPECT_EQ(in[0].size(1), 6);
    return Tensors{ops::add_scalar(ops::mul(ops::gelu(ops::add(in[0], in[1])), in[0]), Scalar(1.0)),
                   ops::gt_scalar(in[0], Scalar(int64_t(0)))};
  });
  const Tensor x = on(real(Shape{4, 6}), sim()), bias = on(real(Shape{6}), sim());
  for (int i = 1; i <= 3; ++i) {
    const Tensors out = (*f)(Tensors{x, bias});
    EXPECT_EQ(f->counts().kernels, i);
    EXPECT_EQ(values(out[1]), values(ops::gt_scalar(x, Scalar(int64_t(0)))));
    expect_close(values(out[0]),
                 values(ops::add_scalar(ops::mul(ops::gelu(ops::add(x, bias)), x), Scalar(1.0))));
  }
  EXPECT_EQ(called, 1);
  EXPECT_EQ(f->counts().traces, 1);
  EXPECT_EQ(f->counts().unfused, 0);
  (*f)(Tensors{ops::slice(x, 0, 0, 2), bias});  // other sizes: traced anew
  EXPECT_EQ(called, 1 + 1);
}

TEST_F(SimFused, OnTheCpuOperatorsRunOneByOne) {
  const Ref<FusedFunction> f = fuse(bias_gelu);
  const Tensor x = real(Shape{4, 6}), bias = real(Shape{6});
  EXPECT_EQ(values((*f)(Tensors{x, bias})[0]), values(ops::gelu(ops::add(x, bias))));
  EXPECT_EQ(f->counts().kernels, 0);
  EXPECT_EQ(f->counts().unfused, 1);
  EXPECT_NE(f->counts().reason.find("fuses no kernels"), std::string::npos) << f->counts().reason;
}

TEST_F(SimFused, DerivativesAreTheCompositions) {
  for (Device d : {Device{}, sim()}) {
    SCOPED_TRACE(concat(d));
    FusedCounts n;
    expect_composition(bias_gelu, {real(Shape{3, 5}), real(Shape{5})}, d, &n);
    EXPECT_EQ(n.unfused > 0, d.is_cpu()) << n.reason;
    expect_composition(
        [](std::span<const Tensor> in) {
          return Tensors{ops::mul(ops::silu(in[0]), in[1]), ops::add(in[0], in[1]), in[0]};
        },
        {real(Shape{2, 3, 4}), real(Shape{3, 1})}, d);
    // What is computed in other types, what takes a number alone, what does not depend on everything.
    expect_composition(
        [](std::span<const Tensor> in) {
          const Tensor wide = ops::cast(in[0], DType::f64);
          return Tensors{ops::mul(wide, ops::exp(ops::cast(in[1], DType::f64))),
                         ops::where(ops::gt(in[0], in[2]), in[0], ops::zeros_like(in[0]))};
        },
        {real(Shape{4, 4}), real(Shape{4, 1}), real(Shape{})}, d);
  }
}

TEST_F(SimFused, RowsAreJoinedLast) {
  for (Device d : {Device{}, sim()})
    for (bool keepdim : {false, true}) {
      SCOPED_TRACE(concat(d, " ", int(keepdim)));
      FusedCounts n;
      const int64_t last[] = {-1};
      expect_composition(
          [&](std::span<const Tensor> in) {
            const Tensor x = ops::mul(in[0], in[1]);
            return Tensors{ops::sum(x, last, keepdim), ops::tanh(x),
                           ops::mean(ops::square(x), last, keepdim)};
          },
          {real(Shape{3, 7}), real(Shape{7})}, d, &n);
      EXPECT_EQ(n.unfused > 0, d.is_cpu() || !joins()) << n.reason;
      // The gradient of an extreme needs to know how many there are: the composition runs.
      expect_composition(
          [&](std::span<const Tensor> in) { return Tensors{ops::amax(ops::exp(in[0]), last, keepdim)}; },
          {real(Shape{3, 7})}, d);
    }
}

TEST_F(SimFused, TheGradientOfEveryOperatorIsAChain) {
  struct Case {
    const char* name;
    TracedFunction fn;
  };
  const Case cases[] = {
// clang-format off
#define HAFT_CASE(...)                                  \
  {#__VA_ARGS__, [](std::span<const Tensor> in) {       \
     [[maybe_unused]] const Tensor &x = in[0], &y = in[1]; \
     return Tensors{ops::__VA_ARGS__};                  \
   }}
      // clang-format on
      HAFT_CASE(abs(x)),
      HAFT_CASE(exp(x)),
      HAFT_CASE(tanh(x)),
      HAFT_CASE(sigmoid(x)),
      HAFT_CASE(relu(x)),
      HAFT_CASE(silu(x)),
      HAFT_CASE(gelu(x, true)),
      HAFT_CASE(mish(x)),
      HAFT_CASE(softplus(x, 1, 20)),
      HAFT_CASE(elu(x, 1)),
      HAFT_CASE(leaky_relu(x, 0.1)),
      HAFT_CASE(hardtanh(x, -1, 1)),
      HAFT_CASE(hardsigmoid(x)),
      HAFT_CASE(hardswish(x)),
      HAFT_CASE(logsigmoid(x)),
      HAFT_CASE(sin(x)),
      HAFT_CASE(cos(x)),
      HAFT_CASE(atan(x)),
      HAFT_CASE(erf(x)),
      HAFT_CASE(square(x)),
      HAFT_CASE(floor(x)),
      HAFT_CASE(sign(x)),
      HAFT_CASE(maximum(x, y)),
      HAFT_CASE(minimum(x, y)),
      HAFT_CASE(sub(x, y)),
      HAFT_CASE(div(x, ops::add_scalar(ops::square(y), Scalar(1.0)))),
      HAFT_CASE(pow_scalar(x, Scalar(3.0))),
      HAFT_CASE(clamp(x, Scalar(-1.0), Scalar(1.0))),
      HAFT_CASE(masked_fill(x, ops::gt(x, y), Scalar(0.5))),
      HAFT_CASE(where(ops::gt(x, y), x, y)),
      HAFT_CASE(lerp(x, y, Scalar(0.3))),
      HAFT_CASE(addcmul(x, y, x, Scalar(0.5))),
      HAFT_CASE(atan2(x, y)),
      HAFT_CASE(hypot(x, y)),
      HAFT_CASE(softsign(x))};
#undef HAFT_CASE
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    FusedCounts n;
    expect_composition(c.fn, {real(Shape{3, 5}), real(Shape{3, 5})}, sim(), &n, 1e-4);
    EXPECT_EQ(n.unfused, 0) << n.reason;
  }
}

TEST_F(SimFused, WhatIsNoChainIsRefusedByName) {
  const Tensor x = on(real(Shape{4, 4}), sim()), other = on(real(Shape{4, 4}), sim());
  auto refused = [&](TracedFunction fn, const std::string& part) {
    expect_error([&] { (*fuse(std::move(fn)))(Tensors{x}); }, Code::unsupported, part);
  };
  const int64_t first[] = {0}, last[] = {-1};
  refused([](std::span<const Tensor> in) { return Tensors{ops::softmax(in[0], 1)}; },
          "[tested] softmax does not compute element by element");
  refused([](std::span<const Tensor> in) { return Tensors{ops::matmul(in[0], in[0])}; },
          "does not compute element by element");
  refused([](std::span<const Tensor> in) { return Tensors{ops::add(ops::transpose(in[0], 0, 1), in[0])}; },
          "transpose does not compute");
  refused([](std::span<const Tensor> in) { return Tensors{ops::dropout(in[0], 0.5, true)}; },
          "does not compute element by element");
  refused([&](std::span<const Tensor> in) { return Tensors{ops::add(in[0], other)}; },
          "add takes a tensor of shape [4, 4] that is not one of the function's inputs");
  refused([&](std::span<const Tensor>) { return Tensors{other}; }, "does not depend on the inputs");
  refused(
      [](std::span<const Tensor> in) { return Tensors{ops::mul_scalar(in[0], Scalar(values(in[0])[0]))}; },
      "reads values on the host");
  refused([](std::span<const Tensor> in) { return ops::add_(in[0], in[0]), Tensors{ops::neg(in[0])}; },
          "add_ writes into an input");
  refused([&](std::span<const Tensor> in) { return Tensors{ops::sum(in[0], first, false)}; },
          "does not join rows");
  refused([&](std::span<const Tensor> in) { return Tensors{ops::sub(in[0], ops::mean(in[0], last, true))}; },
          "goes on with joined rows");
  refused([](std::span<const Tensor>) { return Tensors{}; }, "answers nothing");
  expect_error([&] { (*fuse(bias_gelu))(Tensors{}); }, Code::unsupported, "no inputs");
  // Mistakes are the operators' own.
  expect_error([&] { (*fuse(bias_gelu))(Tensors{x, on(real(Shape{3}), sim())}); }, Code::shape, "[add]");
  // The thread is as it was.
  EXPECT_EQ(thread_state().modes, 0u);
  EXPECT_EQ(values(ops::add(x, x)), values(ops::mul_scalar(x, Scalar(2.0))));
}

TEST_F(SimFused, OtherFunctionsAndWritesWithinAreItsOwn) {
  const Ref<FusedFunction> inner = fuse(bias_gelu);
  const Ref<FusedFunction> outer = fuse([&](std::span<const Tensor> in) {
    Tensor y = (*inner)(in)[0];
    ops::mul_(y, in[0]);  // its own result
    return Tensors{y};
  });
  const Tensor x = on(real(Shape{4, 6}), sim()), bias = on(real(Shape{6}), sim());
  expect_close(values((*outer)(Tensors{x, bias})[0]), values(ops::mul(ops::gelu(ops::add(x, bias)), x)));
  EXPECT_EQ(outer->counts().kernels, 1);
  EXPECT_EQ(inner->counts().kernels, 0);
}

TEST_F(SimFused, ReadsAnyLayout) {
  const Tensor x = ops::transpose(on(real(Shape{6, 4}), sim()), 0, 1),
               y = ops::slice(on(real(Shape{4, 13}), sim()), 1, 1, 13, 2);
  const Tensor out = (*fuse(bias_gelu))(Tensors{x, y})[0];
  expect_close(values(out), values(ops::gelu(ops::add(x, y))));
  const Tensor turned = (*fuse(bias_gelu))(Tensors{x, x})[0];
  EXPECT_TRUE(std::ranges::equal(turned.strides(), ops::add(x, x).strides()));
  EXPECT_EQ((*fuse(bias_gelu))(Tensors{ops::slice(x, 0, 0, 0), on(real(Shape{6}), sim())})[0].numel(), 0);
  expect_close(
      values((*fuse(bias_gelu))(Tensors{on(real(Shape{}), sim()), on(real(Shape{}), sim())})[0]).size() == 1
          ? std::vector<double>{}
          : std::vector<double>{1},
      {});
}

TEST_F(SimFused, AutocastIsThatOfTheCall) {
  const Ref<FusedFunction> f =
      fuse([](std::span<const Tensor> in) { return Tensors{ops::log(in[0])}; });  // float32 under autocast
  const Tensor x = on(ops::cast(ops::uniform(Shape{8}, 1, 2), DType::bf16), sim());
  EXPECT_EQ((*f)(Tensors{x})[0].dtype(), DType::bf16);
  enter_autocast(sim().type, DType::bf16, true, true);
  const Tensor under = (*f)(Tensors{x})[0], want = ops::log(x);
  leave_autocast();
  EXPECT_EQ(under.dtype(), want.dtype());
  expect_close(values(under), values(want));
  EXPECT_EQ(f->counts().traces, 2);
  EXPECT_EQ((*f)(Tensors{x})[0].dtype(), DType::bf16);
  EXPECT_EQ(f->counts().traces, 2);
}

TEST_F(SimFused, IsPartOfRecordings) {
  const Ref<FusedFunction> f = fuse(bias_gelu);
  const Tensor x = leaf_on(real(Shape{4, 6}), sim()), bias = on(real(Shape{6}), sim());
  const haft_raw_stream s = create_stream(sim());
  Tensor y, g;
  Ref<DeviceGraph> graph;
  {
    StreamGuard side(sim(), s);
    auto step = [&] {
      y = (*f)(Tensors{x, bias})[0];
      g = haft::grad(Tensors{ops::sum(y)}, Tensors{x}, {})[0];
    };
    step();
    synchronize(sim());
    CaptureScope scope(make_ref<MemoryArena>(sim()));
    step();
    graph = scope.end();
  }
  EXPECT_EQ(f->counts().kernels, 4);
  const Tensor next = on(real(Shape{4, 6}), sim());
  {
    NoGradGuard off;
    ops::copy_(x, next);
  }
  synchronize(sim());
  graph->replay();
  synchronize(sim());
  const Tensor z = leaf_on(next, sim());
  const Tensor want = ops::gelu(ops::add(z, bias));
  expect_close(values(y), values(want));
  expect_close(values(g), values(haft::grad(Tensors{ops::sum(want)}, Tensors{z}, {})[0]));
  y.reset(), g.reset(), graph.reset();
  destroy_stream(sim(), s);
}

}  // namespace
}  // namespace haft
