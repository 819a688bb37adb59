// Scopes: what is born inside goes at the end, except what is kept.
#include <thread>

#include "capi_testing.h"

namespace {

struct Scope : CapiTest {};

haft_tensor* born(float v = 1) {
  const int64_t size[] = {1};
  haft_tensor* t = nullptr;
  haft::check(haft_full(size, 1, haft_scalar_float(v), HAFT_FLOAT32, HAFT_DEVICE_CPU, &t));
  return t;
}
bool alive(haft_tensor* t) {
  int64_t n = 0;
  return haft_tensor_get_ndim(t, &n) == HAFT_OK;
}

TEST_F(Scope, ReleasesWhatWasBornInside) {
  haft_tensor* outside = born();
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  haft_tensor *a = born(), *b = nullptr;
  ASSERT_EQ(haft_add(a, outside, &b), HAFT_OK);
  ASSERT_EQ(haft_scope_keep(b), HAFT_OK);
  haft_tensor* released = born();
  haft_tensor_release(released);
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  EXPECT_FALSE(alive(a));
  EXPECT_TRUE(alive(b));
  EXPECT_TRUE(alive(outside));
  haft_tensor_release(b);
  haft_tensor_release(outside);
}

TEST_F(Scope, Nest) {
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  haft_tensor* outer = born();
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  haft_tensor *inner = born(), *up = born();
  ASSERT_EQ(haft_scope_keep(up), HAFT_OK);     // the enclosing scope's now
  ASSERT_EQ(haft_scope_keep(outer), HAFT_OK);  // out of both
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  EXPECT_FALSE(alive(inner));
  EXPECT_TRUE(alive(up));
  haft_tensor* late = born();
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  EXPECT_FALSE(alive(up));
  EXPECT_FALSE(alive(late));
  EXPECT_TRUE(alive(outer));
  haft_tensor_release(outer);
  EXPECT_FAILS(haft_scope_end(), HAFT_ERROR_INVALID_ARGUMENT, "no scope is open");
}

// Most of what is born in a long loop is released at once; what is left belongs to its own scope.
TEST_F(Scope, ForgetsWhatWasReleased) {
  std::vector<haft_tensor*> outer, inner, kept;
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  for (int i = 0; i < 20000; ++i) {
    haft_tensor* t = born();
    if (i % 1000 == 0)
      outer.push_back(t);
    else
      haft_tensor_release(t);
  }
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  for (int i = 0; i < 20000; ++i) {
    haft_tensor* t = born();
    if (i % 1000 == 0) {
      inner.push_back(t);
      if (i % 5000 == 0) {
        ASSERT_EQ(haft_scope_keep(t), HAFT_OK);
        kept.push_back(t);
        inner.pop_back();
      }
    } else {
      haft_tensor_release(t);
    }
  }
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  for (haft_tensor* t : inner) EXPECT_FALSE(alive(t));
  for (haft_tensor* t : outer) EXPECT_TRUE(alive(t));
  for (haft_tensor* t : kept) EXPECT_TRUE(alive(t));
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  for (haft_tensor* t : outer) EXPECT_FALSE(alive(t));
  for (haft_tensor* t : kept) EXPECT_FALSE(alive(t));
}

TEST_F(Scope, LeavesOtherOwnersAlone) {
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  haft_tensor* t = born();
  ASSERT_EQ(haft_tensor_retain(t), HAFT_OK);
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  EXPECT_TRUE(alive(t));
  haft_tensor_release(t);
  EXPECT_FALSE(alive(t));
}

TEST_F(Scope, KeepOutsideAnyScopeAndOfStaleHandles) {
  haft_tensor* t = born();
  EXPECT_EQ(haft_scope_keep(t), HAFT_OK);
  haft_tensor_release(t);
  EXPECT_FAILS(haft_scope_keep(t), HAFT_ERROR_STALE_HANDLE, "");
}

TEST_F(Scope, BelongToTheirThread) {
  ASSERT_EQ(haft_scope_begin(), HAFT_OK);
  haft_tensor *theirs = nullptr, *forgotten = nullptr;
  std::thread([&] {
    theirs = born();
    haft_scope_begin();  // never ended: the thread's end ends it
    forgotten = born();
  }).join();
  ASSERT_EQ(haft_scope_end(), HAFT_OK);
  EXPECT_TRUE(alive(theirs));
  EXPECT_FALSE(alive(forgotten));
  haft_tensor_release(theirs);
}

TEST_F(Scope, HoldsATrainingStep) {
  Tensor w = leaf({1, 2, 3});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(haft_scope_begin(), HAFT_OK);
    haft_tensor *y = nullptr, *loss = nullptr;
    ASSERT_EQ(haft_square(w.get(), &y), HAFT_OK);
    ASSERT_EQ(haft_sum(y, nullptr, 0, 0, HAFT_DTYPE_NONE, &loss), HAFT_OK);
    ASSERT_EQ(haft_tensor_backward(loss, nullptr, 0), HAFT_OK);
    ASSERT_EQ(haft_scope_end(), HAFT_OK);
  }
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{6, 12, 18}));
}

}  // namespace
