// Differentiable functions of the caller's own, through callbacks.
#include "capi_testing.h"

namespace {

struct CustomFunction : CapiTest {};
using Floats = std::vector<float>;

struct State {
  int destroyed = 0, backwards = 0;
  haft_function_context* context = nullptr;
  haft_tensor* lent = nullptr;
};
void destroy_state(void* user) { ++static_cast<State*>(user)->destroyed; }

haft_status forward_cube(haft_function_context* c, haft_tensor* const* in, int64_t, haft_tensor** out,
                         int64_t, void*) {
  haft_tensor* square = nullptr;
  haft_status s = haft_square(in[0], &square);
  if (!s) s = haft_function_save(c, in[0]);
  if (!s) s = haft_mul(square, in[0], out);
  haft_tensor_release(square);
  return s;
}
haft_status backward_cube(haft_function_context* c, haft_tensor* const* g, int64_t, haft_tensor** r, int64_t,
                          void* user) {
  ++static_cast<State*>(user)->backwards;
  int32_t needed = 0;
  if (haft_status s = haft_function_needs_grad(c, 0, &needed)) return s;
  EXPECT_EQ(needed, 1);
  haft_tensor *x = nullptr, *square = nullptr, *scaled = nullptr;
  haft_status s = haft_function_saved(c, 0, &x);
  if (!s) s = haft_square(x, &square);
  if (!s) s = haft_mul_scalar(square, haft_scalar_int(3), &scaled);
  if (!s) s = haft_mul(g[0], scaled, r);
  for (haft_tensor* t : {x, square, scaled}) haft_tensor_release(t);
  return s;
}

Tensor cube(const Tensor& x, State* state) {
  haft_tensor *in[] = {x.get()}, *out = nullptr;
  haft::check(haft_function_apply("Cube", forward_cube, backward_cube, state, destroy_state, in, 1, &out, 1));
  return Tensor(out);
}

TEST_F(CustomFunction, AllOrders) {
  State state;
  {
    Tensor x = leaf({2});
    Tensor y = cube(x, &state);
    EXPECT_EQ(y.item(), 8);
    Tensor d1 = haft::grad({y}, {x}, HAFT_BACKWARD_CREATE_GRAPH)[0];
    EXPECT_EQ(d1.item(), 12);
    Tensor d2 = haft::grad({d1}, {x})[0];
    EXPECT_EQ(d2.item(), 12);
    EXPECT_EQ(state.destroyed, 0);
  }
  EXPECT_EQ(state.destroyed, 1);
  EXPECT_GE(state.backwards, 1);
  {
    haft::NoGrad off;
    EXPECT_FALSE(cube(leaf({1}), &state).requires_grad());
  }
  EXPECT_EQ(state.destroyed, 2);
}

TEST_F(CustomFunction, FailuresKeepTheirWords) {
  State state;
  Tensor x = leaf({1});
  haft_tensor *in[] = {x.get()}, *out = nullptr;
  auto fails = [](haft_function_context*, haft_tensor* const*, int64_t, haft_tensor**, int64_t,
                  void*) -> haft_status {
    return haft_error_set(HAFT_ERROR_CALLBACK, "ValueError: shape", 99);
  };
  EXPECT_FAILS(haft_function_apply("Fails", fails, backward_cube, &state, destroy_state, in, 1, &out, 1),
               HAFT_ERROR_CALLBACK, "ValueError");
  EXPECT_EQ(last_error().foreign_token, 99);
  EXPECT_EQ(state.destroyed, 0);
  auto leaves_empty = [](haft_function_context*, haft_tensor* const*, int64_t, haft_tensor**, int64_t,
                         void*) -> haft_status { return HAFT_OK; };
  EXPECT_FAILS(
      haft_function_apply("Empty", leaves_empty, backward_cube, &state, destroy_state, in, 1, &out, 1),
      HAFT_ERROR_CALLBACK, "Empty");
  auto stale = [](haft_function_context*, haft_tensor* const*, int64_t, haft_tensor** out, int64_t,
                  void*) -> haft_status {
    *out = reinterpret_cast<haft_tensor*>(uintptr_t(0x77));
    return HAFT_OK;
  };
  EXPECT_FAILS(haft_function_apply("Stale", stale, backward_cube, &state, destroy_state, in, 1, &out, 1),
               HAFT_ERROR_STALE_HANDLE, "");
  EXPECT_EQ(out, nullptr);
  EXPECT_FAILS_AT(haft_function_apply(nullptr, fails, backward_cube, &state, nullptr, in, 1, &out, 1),
                  HAFT_ERROR_INVALID_ARGUMENT, 0, "name");
  EXPECT_FAILS_AT(haft_function_apply("x", nullptr, backward_cube, &state, nullptr, in, 1, &out, 1),
                  HAFT_ERROR_INVALID_ARGUMENT, 1, "forward");
  EXPECT_FAILS_AT(haft_function_apply("x", fails, nullptr, &state, nullptr, in, 1, &out, 1),
                  HAFT_ERROR_INVALID_ARGUMENT, 2, "backward");
  EXPECT_FAILS_AT(haft_function_apply("x", fails, backward_cube, &state, nullptr, in, 1, &out, 0),
                  HAFT_ERROR_INVALID_ARGUMENT, 8, "output_count");
  EXPECT_EQ(state.destroyed, 0);
}

TEST_F(CustomFunction, LentHandlesDieWithTheCall) {
  State state;
  Tensor x = leaf({1});
  haft_tensor *in[] = {x.get()}, *out = nullptr;
  auto keeps = [](haft_function_context*, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t,
                  void* user) -> haft_status {
    static_cast<State*>(user)->lent = in[0];
    haft_tensor_release(in[0]);  // not its own to release; no harm comes of it
    EXPECT_EQ(haft_square(in[0], out), HAFT_ERROR_STALE_HANDLE);
    const int64_t size[] = {1};
    return haft_ones(size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, out);
  };
  ASSERT_EQ(haft_function_apply("Keeps", keeps, backward_cube, &state, destroy_state, in, 1, &out, 1),
            HAFT_OK)
      << haft_error_get_message();
  int64_t n = 0;
  EXPECT_EQ(haft_tensor_get_ndim(state.lent, &n), HAFT_ERROR_STALE_HANDLE);
  EXPECT_EQ(x.item(), 1);
  haft_tensor_release(out);
  EXPECT_EQ(state.destroyed, 1);
}

TEST_F(CustomFunction, CallsInsideCalls) {
  State state;
  Tensor x = leaf({2});
  haft_tensor *in[] = {x.get()}, *out = nullptr;
  auto nested = [](haft_function_context*, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t,
                   void* user) -> haft_status {
    return haft_function_apply("Cube", forward_cube, backward_cube, user, destroy_state, in, 1, out, 1);
  };
  // Backward runs a graph of its own.
  auto inner = [](haft_function_context*, haft_tensor* const* g, int64_t, haft_tensor** r, int64_t,
                  void* user) -> haft_status {
    haft_tensor* lent = g[0];
    haft_tensor_retain(lent);
    Tensor grad(lent);
    int32_t before = 0;
    haft_set_grad_enabled(1, &before);
    {
      Tensor y = leaf({2}), z = cube(y, static_cast<State*>(user));
      z.backward();
      *r = haft::mul(grad, y.grad()).release();
    }
    haft_set_grad_enabled(before, nullptr);
    return HAFT_OK;
  };
  ASSERT_EQ(haft_function_apply("Outer", nested, inner, &state, destroy_state, in, 1, &out, 1), HAFT_OK)
      << haft_error_get_message();
  Tensor y(out);
  EXPECT_EQ(y.item(), 8);
  y.backward();
  EXPECT_EQ(x.grad().item(), 12);
}

}  // namespace
