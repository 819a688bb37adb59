// Operators, gradients and copies on a device with its own address space: the numbers of the CPU.
#include <chrono>
#include <thread>

#include "core/tensor/order.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimEngine : DeviceTest {};

// Runs `f` with the inputs as leaves on a device: its value, then all gradients.
template <class F>
std::vector<Numbers> run(Device d, const std::vector<Tensor>& inputs, F&& f) {
  std::vector<Tensor> leaves;
  for (const Tensor& t : inputs) leaves.push_back(leaf_on(t, d));
  Tensor y = f(leaves);
  EXPECT_EQ(y.device(), d);
  std::vector<Numbers> all{values(y)};
  backward(ops::sum(ops::mul(y, y)));
  for (const Tensor& t : leaves) {
    EXPECT_EQ(gradient_of(t).device(), d);
    all.push_back(grad_of(t));
  }
  return all;
}
template <class F>
void expect_same(const std::vector<Tensor>& inputs, F&& f) {
  const auto here = run(Device{}, inputs, f), there = run(sim(), inputs, f);
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) expect_close(there[i], here[i], 1e-4);
}

using Leaves = const std::vector<Tensor>&;

// A device that has failed answers every call so; what a failed call was to write may be spoiled.
TEST_F(SimEngine, AKernelThatFailsHasRaisedTheVersion) {
  Tensor x = on(tensor({1, 2, 3}), sim()), y = on(tensor({4, 5, 6}), sim());
  Tensor at = on(ops::cast(tensor({7}), DType::i64), sim());
  synchronize(sim());
  ops::index_select(x, 0, at);  // outside its range, seen late
  const uint32_t before = version_of(*x.impl());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  uint32_t writes = 0;
  bool failed = false;
  while (!failed && std::chrono::steady_clock::now() < deadline) {
    ++writes;
    try {
      ops::add_(x, y);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } catch (const Error& e) {
      EXPECT_EQ(int(e.code), int(Code::index)) << e.message;
      failed = true;
    }
    EXPECT_EQ(version_of(*x.impl()), before + writes);
  }
  EXPECT_TRUE(failed);
  expect_error([&] { ops::add_(x, ops::select(y, 0, 0)); }, Code::index, "");  // the prepared way
  EXPECT_EQ(version_of(*x.impl()), before + writes + 1);
  expect_error([&] { synchronize(sim()); }, Code::index, "7");
}

TEST_F(SimEngine, TheSameNumbers) {
  Tensor a = ops::randn(Shape{3, 4}), b = ops::randn(Shape{4}), m = ops::randn(Shape{4, 5});
  expect_same({a, b}, [](Leaves t) { return ops::add(ops::mul(t[0], t[1]), ops::exp(t[0])); });
  expect_same({a, m}, [](Leaves t) { return ops::matmul(t[0], t[1]); });
  expect_same({a}, [](Leaves t) { return ops::softmax(ops::transpose(t[0], 0, 1), 1); });
  expect_same({a, b}, [](Leaves t) {
    return ops::cat(std::vector<Tensor>{t[0], ops::unsqueeze(t[1], 0)}, 0);
  });
  expect_same({a}, [](Leaves t) { return ops::var(t[0], Shape{1}); });
  expect_same({a}, [](Leaves t) {
    return ops::index_select(t[0], 0,
                             ops::to(ops::cast(tensor({2, 0, 2}), DType::i64), DType::none, t[0].device()));
  });
  expect_same({a}, [](Leaves t) {
    Tensor h = ops::mul_scalar(t[0], 2.0), row = ops::select(h, 0, 1);
    ops::mul_(row, row);
    ops::fill_(ops::slice(h, 1, 0, 2), 0.5);
    return h;
  });
  expect_same({a}, [](Leaves t) {
    return ops::where(ops::gt_scalar(ops::detach(t[0]), 0.0), t[0], ops::mul_scalar(t[0], 0.1));
  });
}

TEST_F(SimEngine, ConvolutionPoolingNormsAndLosses) {
  Tensor x = ops::randn(Shape{2, 16, 6, 6}), w = ops::randn(Shape{16, 16, 3, 3}), b = ops::randn(Shape{16});
  expect_same({x, w, b}, [](Leaves t) {
    Tensor y = ops::conv2d(t[0], t[1], t[2], Shape{1, 1}, Shape{1, 1}, Shape{1, 1}, 1);
    return ops::max_pool2d(ops::relu(y), Shape{2, 2}, Shape{}, Shape{0, 0}, Shape{1, 1});
  });
  expect_same({x, b, b}, [](Leaves t) { return ops::batch_norm(t[0], t[1], t[2], {}, {}, true); });
  Tensor logits = ops::randn(Shape{4, 10}), target = ops::cast(tensor({1, 9, 0, 3}), DType::i64);
  expect_same({logits}, [&](Leaves t) { return ops::cross_entropy(t[0], on(target, t[0].device()), {}); });
}

// The device prefers channels-last; that flows by strides, and blocked layouts are the CPU's alone.
TEST_F(SimEngine, ItsOwnLayoutFlows) {
  auto lies_last = [](const Tensor& t) {
    return is_channels_last(t.sizes(), t.strides()) && !t.is_contiguous();
  };
  Tensor x = on(ops::randn(Shape{2, 16, 6, 6}), sim()), w = on(ops::randn(Shape{32, 16, 3, 3}), sim());
  Tensor y = ops::conv2d(x, w, {}, Shape{1, 1}, Shape{1, 1}, Shape{1, 1}, 1);
  EXPECT_TRUE(lies_last(y));
  Tensor z = ops::max_pool2d(ops::relu(ops::batch_norm(y, {}, {}, {}, {}, true)), Shape{2, 2}, Shape{},
                             Shape{0, 0}, Shape{1, 1});
  EXPECT_TRUE(lies_last(z));
  EXPECT_TRUE(lies_last(ops::mul(z, on(ops::randn(Shape{32, 1, 1}), sim()))));
  EXPECT_TRUE(lies_last(ops::cast(z, DType::f16)));
  EXPECT_TRUE(lies_last(ops::zeros_like(z)));
  EXPECT_TRUE(lies_last(on(z, sim(1))));
  EXPECT_TRUE(lies_last(on(z, Device{})));
  EXPECT_EQ(ops::conv2d(z, on(ops::randn(Shape{16, 32, 1, 1}), sim()), {}, Shape{}, Shape{}, Shape{}, 1)
                .view()
                .layout,
            HAFT_LAYOUT_STRIDED);
  Environment wrong("HAFT_SIM_BROKEN", "layout");
  expect_error(
      [&] {
        ops::conv2d(x, w, {}, Shape{1, 1}, Shape{1, 1}, Shape{1, 1}, 1);
      },
      Code::internal, "which the CPU alone has");
}

// float32 is computed in float64 there: b - a keeps the bit that float32 drops.
TEST_F(SimEngine, ItsOwnNumerics) {
  Tensor a = ops::cast(tensor({-1}), DType::f32), b = ops::cast(tensor({16777216}), DType::f32);
  EXPECT_EQ(values(ops::lerp(a, b, 0.375)), (Numbers{6291455}));
  EXPECT_EQ(values(ops::lerp(on(a, sim()), on(b, sim()), 0.375)), (Numbers{6291455.5}));
}

TEST_F(SimEngine, HigherDerivatives) {
  for (Device d : {Device{}, sim()}) {
    Tensor x = leaf_on(tensor({2}), d);
    Tensor d1 = grad(ops::sum(ops::exp(ops::mul(x, x))), x, {.create_graph = true});
    Tensor d2 = grad(ops::sum(d1), x);
    EXPECT_NEAR(values(d2)[0], (2 + 16) * std::exp(4.0), 1e-9);
  }
}

TEST_F(SimEngine, RandomNumbersAreTheSameEverywhere) {
  Generator a(5), b(5);
  EXPECT_EQ(values(ops::rand(Shape{1001}, DType::f32, Device{}, &a)),
            values(ops::rand(Shape{1001}, DType::f32, sim(1), &b)));
  // Normal numbers have logarithms, which are each processor's own.
  expect_close(values(ops::randn(Shape{1001}, DType::f32, Device{}, &a)),
               values(ops::randn(Shape{1001}, DType::f32, sim(1), &b)), 2e-6);
  EXPECT_EQ(values(ops::dropout(ops::ones(Shape{99}), 0.5, true, &a)),
            values(ops::dropout(ops::ones(Shape{99}, DType::f32, sim(1)), 0.5, true, &b)));
}

TEST_F(SimEngine, CopiesAcrossDevicesHaveGradients) {
  Tensor x = leaf({1, 2, 3});
  Tensor there = on(x, sim(1)), further = on(ops::mul(there, there), sim(2)), back = on(further, Device{});
  EXPECT_EQ(there.device(), sim(1));
  EXPECT_EQ(values(back), (Numbers{1, 4, 9}));
  backward(ops::sum(back));
  EXPECT_EQ(gradient_of(x).device(), Device{});
  EXPECT_EQ(grad_of(x), (Numbers{2, 4, 6}));
  Tensor strided = ops::transpose(tensor({1, 2, 3, 4, 5, 6}, Shape{2, 3}), 0, 1);
  EXPECT_EQ(values(on(strided, sim())), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values(on(ops::transpose(on(tensor({1, 2, 3, 4, 5, 6}, Shape{2, 3}), sim()), 0, 1), Device{})),
            (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(on(tensor({}, Shape{0, 3}), sim()).numel(), 0);
  EXPECT_EQ(values(ops::to(on(tensor({1.5}), sim()), DType::i64, Device{})), (Numbers{1}));
}

TEST_F(SimEngine, WritesAcrossDevices) {
  Tensor there = ops::zeros(Shape{2, 3}, DType::f64, sim());
  copy_from_host(there, Numbers{1, 2, 3, 4, 5, 6}.data());
  EXPECT_EQ(item(ops::select(ops::select(there, 0, 1), 0, 1)).to_double(), 5);
  Tensor column = ops::select(there, 1, 0);
  copy_from_host(column, Numbers{9, 8}.data());
  EXPECT_EQ(values(there), (Numbers{9, 2, 3, 8, 5, 6}));
  Tensor x = leaf_on(tensor({2}), sim());
  uint32_t before = version_of(*there.impl());
  ops::mul_scalar_(there, 2.0);
  EXPECT_GT(version_of(*there.impl()), before);
}

TEST_F(SimEngine, HostScalarsMix) {
  Tensor x = on(tensor({1, 2}), sim()), two = ops::full(Shape{}, 2.0, DType::f64);
  Tensor y = ops::mul(x, two);
  EXPECT_EQ(y.device(), sim());
  EXPECT_EQ(values(y), (Numbers{2, 4}));
  EXPECT_EQ(values(ops::sub(two, x)), (Numbers{1, 0}));
  ops::mul_(x, two);
  EXPECT_EQ(values(x), (Numbers{2, 4}));
  Tensor scale = leaf({3}, Shape{});
  Tensor z = ops::sum(ops::mul(x, scale));
  backward(z);
  EXPECT_EQ(gradient_of(scale).device(), Device{});
  EXPECT_EQ(grad_of(scale), (Numbers{6}));
}

TEST_F(SimEngine, DifferentDevicesAreRefusedByName) {
  Tensor a = tensor({1, 2}), b = on(a, sim()), c = on(a, sim(3));
  expect_error([&] { ops::add(a, b); }, Code::device, "sim:0");
  expect_error([&] { ops::add(b, c); }, Code::device, "sim:3");
  expect_error(
      [&] {
        ops::matmul(ops::view(a, Shape{1, 2}), ops::view(b, Shape{2, 1}));
      },
      Code::device, "sim:0");
  expect_error([&] { ops::cat(std::vector<Tensor>{a, b}, 0); }, Code::device, "");
  expect_error([&] { ops::add_(a, b); }, Code::device, "");
  expect_error([&] { ops::zeros(Shape{1}, DType::f32, sim(4)); }, Code::device, "4");
  Tensor x = leaf({1, 2});
  Tensor y = ops::mul(x, x);
  expect_error([&] { haft::backward({&y, 1}, {&b, 1}); }, Code::shape, "seed");
  expect_error([&] { set_gradient(x, b); }, Code::shape, "gradient");
}

TEST_F(SimEngine, AnOperatorThatTheDeviceLacksIsNamed) {
  Environment refuse("HAFT_SIM_REFUSE", "cumprod,erf:float64");
  Device d{load_backend(HAFT_SIM_DEVICE), 2};
  Tensor x = on(tensor({1, 2}), d);
  auto expect_named = [&](const char* op, auto&& f) {
    try {
      f();
      ADD_FAILURE() << op;
    } catch (const Error& e) {
      EXPECT_EQ(int(e.code), int(Code::unsupported)) << e.message;
      EXPECT_NE(e.message.find(op), std::string::npos) << e.message;
      EXPECT_NE(e.message.find("sim"), std::string::npos) << e.message;
    }
  };
  expect_named("cumprod", [&] { ops::cumprod(x, 0); });
  expect_named("erf", [&] { ops::erf(x); });
  EXPECT_EQ(values(ops::erf(ops::cast(x, DType::f32))).size(), 2u);
  EXPECT_EQ(values(ops::cumsum(x, 0)), (Numbers{1, 3}));  // the device works on
}

TEST_F(SimEngine, MemoryHasALimit) {
  {
    Environment memory("HAFT_SIM_MEMORY", "1048576");
    expect_error([&] { ops::zeros(Shape{1 << 20}, DType::f64, sim(3)); }, Code::out_of_memory, "sim:3");
    EXPECT_EQ(values(ops::ones(Shape{2}, DType::f64, sim(3))), (Numbers{1, 1}));
  }
  set_device_memory_limit(sim(3), 1 << 16);
  expect_error([&] { ops::zeros(Shape{1 << 15}, DType::f64, sim(3)); }, Code::out_of_memory, "limit");
  set_device_memory_limit(sim(3), 0);
  EXPECT_EQ(ops::zeros(Shape{1 << 15}, DType::f64, sim(3)).numel(), 1 << 15);
}

// Work is late: nothing may be read or freed before it is done.
TEST_F(SimEngine, SlowDevices) {
  Environment slow("HAFT_SIM_DELAY_US", "300");
  Tensor x = leaf_on(tensor({1, 2, 3}), sim(1));
  Tensor y = x;
  for (int i = 0; i < 20; ++i) y = ops::mul_scalar(y, 1.5);
  backward(ops::sum(y));
  EXPECT_EQ(grad_of(x)[0], std::pow(1.5, 20));
  std::thread([&] { EXPECT_EQ(values(ops::add(x, x)), (Numbers{2, 4, 6})); }).join();
  synchronize(sim(1));
}

TEST_F(SimEngine, WhatSharesAnElementIsNotWritten) {
  Tensor row = on(tensor({1, 2, 3}), sim()), wide = ops::expand(row, Shape{4, 3}),
         a = on(tensor({4, 5, 6}), sim());
  const std::vector<double> twelve(12, 7.0);
  expect_error([&] { copy_from_host(wide, twelve.data()); }, Code::invalid_argument, "share memory");
  expect_error([&] { ops::add_out(a, row, wide); }, Code::shape, "[add_out]");
  expect_error([&] { ops::add_out(wide, wide, wide); }, Code::invalid_argument, "[add_out]");
  expect_error(
      [&] {
        ops::mm_out(ops::expand(row, Shape{3, 3}), ops::expand(a, Shape{3, 3}), ops::expand(a, Shape{3, 3}));
      },
      Code::invalid_argument, "[mm_out]");
  EXPECT_EQ(values(row), (Numbers{1, 2, 3}));
  EXPECT_EQ(values(a), (Numbers{4, 5, 6}));
}

// Nobody waits for a device to say what its numbers are; PyTorch asks the CPU's only, too.
TEST_F(SimEngine, ProbabilitiesAreCheckedOnTheCpu) {
  Tensor x = tensor({0.5, 1.5}), t = tensor({1, 1});
  expect_error([&] { ops::binary_cross_entropy(x, t, Tensor(), 1); }, Code::invalid_argument,
               "between 0 and 1");
  ops::binary_cross_entropy(on(x, sim()), on(t, sim()), Tensor(), 1);
}

// The streams of forward come back in backward, and wait for each other where gradients pass.
TEST_F(SimEngine, BackwardRunsOnTheStreamsOfForward) {
  const Device d = sim();
  struct Stream {
    Device device;
    haft_raw_stream s;
    explicit Stream(Device on) : device(on), s(create_stream(on)) {}
    ~Stream() { destroy_stream(device, s); }
  } a(d), b(d);
  for (int round = 0; round < 20; ++round) {
    Tensor x = leaf_on(tensor({2, 3}), d), w = leaf_on(tensor({1, 2}), d), y, z;
    synchronize(d);
    {
      StreamGuard on(d, a.s);
      y = ops::mul(x, x);
    }
    synchronize(d);
    {
      StreamGuard on(d, b.s);
      z = ops::sum(ops::mul(y, w));
    }
    std::vector<haft_raw_stream> seen;
    auto note = [&](const Tensor&) { return seen.push_back(current_stream(d)), Tensor(); };
    add_hook(z, note);
    add_hook(y, note);
    add_post_accumulate_hook(x, [&](const Tensor&) { seen.push_back(current_stream(d)); });
    const haft_raw_stream caller = current_stream(d);
    synchronize(d);
    backward(z, {.retain_graph = true});
    EXPECT_EQ(seen, (std::vector<haft_raw_stream>{b.s, a.s, caller}));
    EXPECT_EQ(current_stream(d), caller);
    EXPECT_EQ(grad_of(x), (Numbers{4, 12}));
    EXPECT_EQ(grad_of(w), (Numbers{4, 9}));
    EXPECT_EQ(values(grad(z, y)), (Numbers{1, 2}));  // ready on the caller's stream
  }
}

// As PyTorch's: indices and masks of the host move to the tensor, and so does a value that is one number; the other
// way is refused.
TEST_F(SimEngine, IndicesOfTheHost) {
  const Tensor host = ops::reshape(ops::arange(0, 12, 1, DType::f32), Shape{4, 3});
  const Tensor rows = ops::arange(3, 1, -1), mask = ops::gt_scalar(host, 6.0);
  Tensor x = leaf_on(host, sim());
  const Tensor none;
  for (const std::vector<Tensor>& indices :
       {std::vector{rows}, std::vector{mask}, std::vector{none, ops::sub_scalar(rows, 1)},
        std::vector{on(rows, sim()), ops::sub_scalar(rows, 1)}}) {
    std::vector<Tensor> there;
    for (const Tensor& t : indices) there.push_back(t.defined() ? on(t, Device{}) : t);
    const Tensor got = ops::index(x, indices);
    EXPECT_EQ(got.device(), sim());
    expect_close(values(got), values(ops::index(host, there)));
  }
  backward(ops::sum(ops::index(x, std::vector{rows})));
  expect_close(values(gradient_of(x)), {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  Tensor y = on(host, sim()), want = ops::clone(host);
  for (const Tensor& t : {y, want}) {
    ops::index_put_(t, std::vector{mask}, ops::full(Shape{}, -1.0, DType::f32));
    ops::index_put_(t, std::vector{rows}, ops::full(Shape{3}, 2.0, DType::f32, t.device()), true);
  }
  expect_close(values(y), values(want));
  expect_error([&] { ops::index(host, std::vector{on(rows, sim())}); }, Code::device, "different devices");
}

}  // namespace
}  // namespace haft
