// haft/amp.h: regions of a thread, and the scale of gradients.
#include <haft/haft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using haft::Autocast;
using haft::GradScaler;
using haft::Tensor;

TEST(Amp, RegionsAreOfAThread) {
  int32_t on = 1;
  haft_dtype dtype = HAFT_DTYPE_NONE;
  ASSERT_EQ(haft_autocast_get_enabled(0, &on), HAFT_OK);
  ASSERT_EQ(haft_autocast_get_dtype(0, &dtype), HAFT_OK);
  EXPECT_EQ(on, 0);
  EXPECT_EQ(dtype, HAFT_BFLOAT16);
  EXPECT_EQ(haft_autocast_pop(), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_autocast_push(0, HAFT_INT32, 1, 1), HAFT_ERROR_DTYPE);
  EXPECT_EQ(haft_autocast_push(0, 99, 1, 1), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_autocast_push(0, HAFT_BFLOAT16, 2, 1), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_autocast_get_enabled(0, nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  const Tensor x = haft::ones({4, 4});
  {
    Autocast outer;
    EXPECT_TRUE(haft::is_autocast_enabled());
    EXPECT_EQ(haft::mm(x, x).dtype(), HAFT_BFLOAT16);
    {
      Autocast inner(HAFT_DEVICE_DEFAULT, HAFT_DTYPE_NONE, false);
      EXPECT_EQ(haft::mm(x, x).dtype(), HAFT_FLOAT32);
      EXPECT_EQ(haft_autocast_set(0, 1, HAFT_FLOAT16), HAFT_OK);
      EXPECT_EQ(haft::mm(x, x).dtype(), HAFT_FLOAT16);
    }
    EXPECT_EQ(haft::mse_loss(haft::mm(x, x), x).dtype(), HAFT_FLOAT32);
    EXPECT_EQ(haft_autocast_get_cache_enabled(&on), HAFT_OK);
    EXPECT_EQ(on, 1);
    EXPECT_EQ(haft_autocast_set_cache_enabled(0), HAFT_OK);
    EXPECT_EQ(haft_autocast_clear_cache(), HAFT_OK);
  }
  EXPECT_EQ(haft::mm(x, x).dtype(), HAFT_FLOAT32);
}

TEST(Amp, ScalerLeavesInfiniteStepsOut) {
  Tensor w = haft::ones({3});
  w.set_requires_grad(true);
  const haft::optim::Optimizer o = haft::optim::sgd({w}, 0.5);
  const GradScaler scaler(8, 2, 0.5, 2);
  auto step = [&](double factor) {
    o.zero_grad();
    scaler.scale(haft::sum(w * factor)).backward();
    const bool made = scaler.step(o);
    scaler.update();
    return made;
  };
  EXPECT_TRUE(step(1));
  EXPECT_EQ(scaler.growth_tracker(), 1);
  EXPECT_TRUE(step(1));
  EXPECT_EQ(scaler.get_scale(), 16);
  EXPECT_FALSE(step(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(scaler.get_scale(), 8);
  EXPECT_FALSE(step(std::nan("")));
  EXPECT_EQ(scaler.get_scale(), 4);
  EXPECT_EQ(haft::sum(w).item(), 0);  // 1 - 0.5 - 0.5, thrice

  o.zero_grad();
  EXPECT_EQ(haft_grad_scaler_update(scaler.get()), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_grad_scaler_step(scaler.get(), o.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  scaler.scale(haft::sum(w)).backward();
  scaler.unscale(o);
  EXPECT_EQ(haft_grad_scaler_unscale(scaler.get(), o.get()), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft::sum(w.grad()).item(), 3);
  EXPECT_TRUE(scaler.step(o));
  EXPECT_EQ(haft_grad_scaler_step(scaler.get(), o.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST(Amp, ScalerState) {
  const GradScaler a(8, 3, 0.25, 7), b, off(8, 3, 0.25, 7, false);
  b.set_state(a.state());
  EXPECT_EQ(b.get_scale(), 8);
  EXPECT_EQ(b.growth_factor(), 3);
  EXPECT_EQ(b.backoff_factor(), 0.25);
  EXPECT_EQ(b.growth_interval(), 7);
  EXPECT_EQ(off.get_scale(), 1);
  EXPECT_FALSE(off.is_enabled());
  EXPECT_EQ(off.scale(haft::full({}, 3.0)).item(), 3);
  haft_grad_scaler_state s = HAFT_GRAD_SCALER_STATE_INIT;
  for (double bad : {0.0, -1.0, 1e39, std::nan("")}) {
    s.scale = bad;
    EXPECT_EQ(haft_grad_scaler_set_state(b.get(), &s), HAFT_ERROR_INVALID_ARGUMENT) << bad;
    EXPECT_EQ(haft_grad_scaler_set_scale(b.get(), bad), HAFT_ERROR_INVALID_ARGUMENT) << bad;
  }
  s = HAFT_GRAD_SCALER_STATE_INIT;
  s.growth_factor = 1;
  haft_grad_scaler* out = nullptr;
  EXPECT_EQ(haft_grad_scaler_create(&s, 1, &out), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(b.get_scale(), 8);

  // Gradients that no optimizer has.
  const Tensor g = haft::full({5}, 16.0), h = haft::full({2}, 16.0, HAFT_BFLOAT16);
  b.unscale_gradients(1, {g, h});
  EXPECT_EQ(b.stage(1), HAFT_GRAD_SCALER_UNSCALED);
  EXPECT_EQ(b.stage(2), HAFT_GRAD_SCALER_READY);
  EXPECT_EQ(haft::sum(g).item() + haft::sum(h).item(), 14);
  EXPECT_EQ(haft_grad_scaler_end_step(b.get(), 2), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(b.begin_step(1));
  EXPECT_EQ(b.stage(1), HAFT_GRAD_SCALER_UNSCALED);
  EXPECT_TRUE(b.begin_step(1)) << "one that failed is tried again";
  b.end_step(1);
  EXPECT_EQ(b.stage(1), HAFT_GRAD_SCALER_STEPPED);
  EXPECT_EQ(haft_grad_scaler_end_step(b.get(), 1), HAFT_ERROR_INVALID_ARGUMENT);
  std::int32_t go = 0;
  EXPECT_EQ(haft_grad_scaler_begin_step(b.get(), 1, &go), HAFT_ERROR_INVALID_ARGUMENT);
  b.set_scale(4);  // in place of update()
  EXPECT_EQ(b.stage(1), HAFT_GRAD_SCALER_READY);
  EXPECT_EQ(haft_grad_scaler_update(b.get()), HAFT_ERROR_INVALID_ARGUMENT);
  // Elements that share memory would be divided more than once.
  const Tensor shared = haft::expand(haft::full({1}, 16.0), {5});
  haft_tensor* expanded[] = {g.get(), shared.get()};
  EXPECT_EQ(haft_grad_scaler_unscale_gradients(b.get(), 4, expanded, 2), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft::sum(g).item() + haft::sum(shared).item(), 90) << "neither was written";
  const Tensor low = haft::full({2}, 16.0, HAFT_FLOAT16);
  haft_tensor* list[] = {low.get()};
  EXPECT_EQ(haft_grad_scaler_unscale_gradients(b.get(), 3, list, 1), HAFT_ERROR_DTYPE);
}

// Backing off never ends at 0, nor where the reciprocal is infinite.
TEST(Amp, ScaleStaysAboveZero) {
  const GradScaler s(1e-37, 2, 0.25, 7);
  for (int i = 0; i < 4; ++i) {
    s.unscale_gradients(1, {haft::full({1}, std::numeric_limits<double>::infinity())});
    EXPECT_FALSE(s.begin_step(1));
    s.end_step(1);
    s.update();
  }
  EXPECT_FLOAT_EQ(float(s.get_scale()), std::numeric_limits<float>::min());
  const GradScaler again;
  again.set_state(s.state());
  EXPECT_EQ(again.get_scale(), s.get_scale());
}

}  // namespace
