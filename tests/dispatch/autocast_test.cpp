// Autocast in the engine: what is cast and what is not, the cache of casts, parts of a batch and backward.
#include "core/dispatch/autocast.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/autograd/engine.h"
#include "core/autograd/hooks.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "core/tape/saved_hooks.h"

namespace haft {
namespace {

struct Autocast : ::testing::Test {
  static void SetUpTestSuite() { init(); }
  struct Region {
    explicit Region(DType t = DType::none, bool on = true, bool caches = true) {
      enter_autocast(kCpu, t, on, caches);
    }
    ~Region() { leave_autocast(); }
  };
  ~Autocast() override { EXPECT_EQ(thread_state().modes & kModeAutocast, 0u); }
};

TEST_F(Autocast, CastsByClass) {
  const Tensor a = ops::ones(Shape{8, 8}), half = ops::cast(a, DType::bf16), wide = ops::cast(a, DType::f64);
  Region r;
  EXPECT_EQ(ops::mm(a, a).dtype(), DType::bf16);
  EXPECT_EQ(ops::mm(wide, wide).dtype(), DType::f64);
  EXPECT_EQ(ops::mse_loss(half, half).dtype(), DType::f32);
  EXPECT_EQ(ops::softmax(half, 0).dtype(), DType::bf16);
  EXPECT_EQ(ops::softmax(a, 0).dtype(), DType::f32);
  const Tensor pair[] = {a, half};
  EXPECT_EQ(ops::stack(pair).dtype(), DType::f32);
  EXPECT_EQ(ops::cdist(half, half).dtype(), DType::f32) << "its product is not cast again";
}

TEST_F(Autocast, RegionsNestAndEnd) {
  const Tensor a = ops::ones(Shape{4, 4});
  {
    Region outer;
    {
      Region off(DType::none, false);
      EXPECT_EQ(ops::mm(a, a).dtype(), DType::f32);
      Region again(DType::f16);
      EXPECT_EQ(ops::mm(a, a).dtype(), DType::f16);
    }
    EXPECT_EQ(ops::mm(a, a).dtype(), DType::bf16);
    DType other{};
    std::thread([&] { other = ops::mm(a, a).dtype(); }).join();
    EXPECT_EQ(other, DType::f32);
  }
  EXPECT_THROW(leave_autocast(), Error);
  EXPECT_THROW(enter_autocast(kCpu, DType::f32, true, true), Error);
  EXPECT_THROW(enter_autocast(kMaxDeviceTypes, DType::bf16, true, true), Error);
  EXPECT_EQ(ops::mm(a, a).dtype(), DType::f32);
}

TEST_F(Autocast, OtherTypesOfDevicesStay) {
  const Tensor a = ops::ones(Shape{4, 4});
  enter_autocast(kCuda, DType::none, true, true);
  EXPECT_TRUE(is_autocast_enabled(kCuda));
  EXPECT_EQ(autocast_dtype(kCuda), DType::f16);
  EXPECT_EQ(ops::mm(a, a).dtype(), DType::f32);
  leave_autocast();
}

TEST_F(Autocast, InPlaceAndIntoNothingIsCast) {
  const Tensor third = ops::full(Shape{4, 4}, Scalar(1.0 / 3)), out = ops::zeros(Shape{4, 4});
  Region r;
  ops::mm_out(third, third, out);  // cast, its result would be bfloat16, which out refuses
  EXPECT_FLOAT_EQ(out.data<float>()[0], 4.0f / 9);
  const Tensor low = ops::zeros(Shape{4, 4}, DType::bf16), index = ops::arange(Scalar(0), Scalar(4));
  EXPECT_THROW(ops::index_add_(low, 0, index, third), Error) << "cast to the widest, it would be taken";
}

// Whatever a hook or a callback enters and leaves: the rest of backward is in no region, and the caller's is as it was.
TEST_F(Autocast, BackwardIsInNoRegion) {
  const Tensor third = ops::full(Shape{4, 4}, Scalar(1.0 / 3));
  Tensor x = ops::full(Shape{4, 4}, Scalar(1.0 / 3));
  set_requires_grad(x, true);
  Tensor h;
  Region r;
  {
    Region off(DType::none, false);
    h = ops::mm(x, third);
  }
  int called = 0;
  add_hook(h, [&](const Tensor& g) {
    EXPECT_THROW(leave_autocast(), Error) << "a region of the caller's";
    {
      Region inside;
      EXPECT_EQ(ops::mm(g, g).dtype(), DType::bf16);
    }
    EXPECT_EQ(ops::mm(g, g).dtype(), DType::f32);
    enter_autocast(kCpu, DType::none, true, true);  // left for it
    at_end_of_backward([&] {
      ++called;
      leave_autocast();
      EXPECT_FALSE(is_autocast_enabled(kCpu));
      EXPECT_FALSE(thread_state().grad_enabled);
      EXPECT_EQ(ops::mm(third, third).dtype(), DType::f32);
    });
    enter_autocast(kCpu, DType::none, false, true);
    leave_autocast();
    set_autocast(kCpu, false, DType::bf16);
    return Tensor();
  });
  const Tensor sum = ops::sum(h);
  backward({&sum, 1}, {});
  EXPECT_EQ(called, 1);
  EXPECT_FLOAT_EQ(gradient_of(x).data<float>()[0], 4.0f / 3) << "in bfloat16 it would be 1.336";
  EXPECT_TRUE(is_autocast_enabled(kCpu));
  EXPECT_EQ(ops::mm(third, third).dtype(), DType::bf16);
}

TEST_F(Autocast, WhatAHookDoesNotLeaveEnds) {
  Tensor x = ops::ones(Shape{4, 4});
  set_requires_grad(x, true);
  add_hook(x, [&](const Tensor&) {
    enter_autocast(kCpu, DType::none, true, true);
    throw Error(Code::callback, "stop");
    return Tensor();
  });
  const Tensor sum = ops::sum(x);
  EXPECT_THROW(backward({&sum, 1}, {}), Error);
  EXPECT_FALSE(is_autocast_enabled(kCpu));
  EXPECT_THROW(leave_autocast(), Error);
}

// The memory of w's cast, which mm keeps for backward.
const void* cast_memory(const Tensor& x, const Tensor& w) {
  std::vector<const void*> kept;
  auto hooks = make_ref<SavedTensorHooks>();
  hooks->pack = [&](const Tensor& t) {
    kept.push_back(t.view().data);
    return std::static_pointer_cast<void>(std::make_shared<Tensor>(t));
  };
  hooks->unpack = [](const std::shared_ptr<void>& p) { return *static_cast<Tensor*>(p.get()); };
  push_saved_tensor_hooks(hooks);
  Tensor input = ops::cast(x, x.dtype());
  set_requires_grad(input, true);
  const Tensor y = ops::mm(input, w);
  pop_saved_tensor_hooks();
  for (const void* p : kept)
    if (p != input.view().data) return p;
  return nullptr;
}

TEST_F(Autocast, KeepsCastsOfLeaves) {
  Tensor w = ops::ones(Shape{8, 8});
  set_requires_grad(w, true);
  const Tensor x = ops::cast(ops::ones(Shape{1, 8}), DType::bf16);
  auto first = [&] { return ops::cast(ops::mm(x, w), DType::f32).data<float>()[0]; };
  Region r;
  EXPECT_EQ(cast_memory(x, w), cast_memory(x, w));
  EXPECT_EQ(first(), 8);
  {
    NoGradGuard no_grad;
    ops::mul_scalar_(w, Scalar(2));
    EXPECT_EQ(first(), 16) << "written since it was cast";
  }
  const Tensor y = ops::mm(x, w);
  EXPECT_TRUE(y.requires_grad()) << "cast without recording, and then with it";
  const Tensor sum[] = {ops::sum(y)};
  backward(sum, {});
  EXPECT_EQ(gradient_of(w).dtype(), DType::f32);
}

// Graphs of a region share a weight and nothing else: one may be walked while another is.
TEST_F(Autocast, GraphsOfARegionAreTheirOwn) {
  Tensor w = ops::ones(Shape{8, 8});
  set_requires_grad(w, true);
  const Tensor x = ops::cast(ops::ones(Shape{1, 8}), DType::bf16);
  Tensor one, h;
  {
    Region r;
    one = ops::sum(ops::mm(x, w));
    h = ops::mm(x, w);
  }
  add_hook(h, [&](const Tensor&) {
    backward({&one, 1}, {});
    return Tensor();
  });
  const Tensor two = ops::sum(h);
  backward({&two, 1}, {});
  EXPECT_EQ(gradient_of(w).data<float>()[0], 2);
}

}  // namespace
}  // namespace haft
