// Differentiation through the C interface: leaves, backward and grad, hooks and their data, modes, checking.
#include "capi_testing.h"

namespace {

struct Autograd : CapiTest {};
using Floats = std::vector<float>;

haft_tensor* total(const Tensor& t) { return haft::sum(t).release(); }
struct Total {  // a sum that releases itself
  haft_tensor* h;
  explicit Total(const Tensor& t) : h(total(t)) {}
  ~Total() { haft_tensor_release(h); }
};

TEST_F(Autograd, BackwardAccumulatesAndIsCleared) {
  Tensor x = leaf({1, 2});
  haft_tensor* g = reinterpret_cast<haft_tensor*>(1);
  ASSERT_EQ(haft_tensor_grad(x.get(), &g), HAFT_OK);
  EXPECT_EQ(g, nullptr);
  Total y(haft::square(x));
  ASSERT_EQ(haft_tensor_backward(y.h, nullptr, HAFT_BACKWARD_RETAIN_GRAPH), HAFT_OK);
  ASSERT_EQ(haft_tensor_backward(y.h, nullptr, 0), HAFT_OK);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4, 8}));
  EXPECT_FAILS(haft_tensor_backward(y.h, nullptr, 0), HAFT_ERROR_AUTOGRAD, "second time");
  ASSERT_EQ(haft_tensor_set_grad(x.get(), nullptr), HAFT_OK);
  EXPECT_FALSE(x.grad());
  ASSERT_EQ(haft_tensor_set_grad(x.get(), floats({7, 8}).get()), HAFT_OK);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{7, 8}));
  EXPECT_FAILS(haft_tensor_set_grad(x.get(), floats({7}).get()), HAFT_ERROR_SHAPE, "");
}

TEST_F(Autograd, SeveralOutputsAndGrad) {
  Tensor x = leaf({1, 2}), unused = leaf({3}), y = haft::square(x), seed = floats({1, 10});
  Total s(x);
  haft_tensor *outs[] = {y.get(), s.h}, *seeds[] = {seed.get(), nullptr};
  ASSERT_EQ(haft_autograd_backward(outs, seeds, 2, HAFT_BACKWARD_RETAIN_GRAPH), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 41}));
  haft_tensor *ins[] = {x.get(), unused.get()}, *grads[2] = {nullptr, nullptr};
  EXPECT_FAILS(haft_autograd_grad(outs, seeds, 2, ins, 2, HAFT_BACKWARD_RETAIN_GRAPH, grads),
               HAFT_ERROR_AUTOGRAD, "input 1");
  EXPECT_EQ(grads[0], nullptr);
  ASSERT_EQ(haft_autograd_grad(outs, seeds, 2, ins, 2, HAFT_GRAD_ALLOW_UNUSED, grads), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(Tensor(grads[0]).to_vector<float>(), (Floats{3, 41}));
  EXPECT_EQ(grads[1], nullptr);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 41}));
}

TEST_F(Autograd, BackwardForChosenInputs) {
  Tensor x = leaf({1, 2}), other = leaf({3, 4}), y = haft::mul(haft::square(x), other),
         seed = floats({1, 10});
  haft::backward_inputs({y}, {x, x}, HAFT_BACKWARD_RETAIN_GRAPH, {seed});
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 160}));
  EXPECT_FALSE(other.grad());
  haft_tensor *outs[] = {y.get()}, *ins[] = {x.get()}, *plain[] = {seed.get()};
  EXPECT_FAILS(haft_autograd_backward_inputs(outs, nullptr, 1, ins, 0, 0), HAFT_ERROR_INVALID_ARGUMENT,
               "cannot be empty");
  EXPECT_FAILS(haft_autograd_backward_inputs(outs, plain, 1, plain, 1, 0), HAFT_ERROR_AUTOGRAD, "input 0");
  EXPECT_FAILS_AT(haft_autograd_backward_inputs(outs, plain, 1, ins, 1, HAFT_GRAD_ALLOW_UNUSED),
                  HAFT_ERROR_INVALID_ARGUMENT, 5, "flags");
}

TEST_F(Autograd, ThirdDerivative) {
  Tensor x = leaf({2}), d = haft::mul(haft::square(x), haft::square(x));
  for (float want : {32.f, 48.f, 48.f, 24.f}) {
    d = haft::grad({haft::sum(d)}, {x}, HAFT_BACKWARD_CREATE_GRAPH)[0];
    EXPECT_EQ(d.item(), want);
  }
}

struct Counts {
  int calls = 0, destroyed = 0;
  Floats seen;
  haft_tensor* own = nullptr;
  int64_t id = 0;
};
void destroy_counts(void* user) { ++static_cast<Counts*>(user)->destroyed; }

haft_status doubling(haft_tensor* g, haft_tensor** r, void* user) {
  auto* c = static_cast<Counts*>(user);
  ++c->calls;
  c->seen.resize(2);
  if (haft_status s = haft_tensor_read(g, c->seen.data(), 8)) return s;
  return haft_mul_scalar(g, haft_scalar_int(2), r);
}

TEST_F(Autograd, HooksReplaceAndAreDestroyedOnce) {
  Counts c;
  {
    Tensor x = leaf({1, 2});
    ASSERT_EQ(haft_tensor_add_hook(x.get(), doubling, &c, destroy_counts, &c.id), HAFT_OK);
    Total a(haft::square(x));
    ASSERT_EQ(haft_tensor_backward(a.h, nullptr, 0), HAFT_OK);
    EXPECT_EQ(c.seen, (Floats{2, 4}));
    EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4, 8}));
    ASSERT_EQ(haft_tensor_remove_hook(x.get(), c.id), HAFT_OK);
    EXPECT_EQ(c.destroyed, 1);
    EXPECT_FAILS_AT(haft_tensor_remove_hook(x.get(), c.id), HAFT_ERROR_INVALID_ARGUMENT, 1, "id");
    ASSERT_EQ(haft_tensor_add_accumulate_hook(x.get(), doubling, &c, destroy_counts, &c.id), HAFT_OK);
    Total b(haft::square(x));
    ASSERT_EQ(haft_tensor_backward(b.h, nullptr, 0), HAFT_OK);
    EXPECT_EQ(c.seen, (Floats{6, 12}));  // the accumulated gradient; the answer is ignored
    EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 12}));
  }
  EXPECT_EQ(c.destroyed, 2);
  Tensor plain = floats({1, 2});
  EXPECT_FAILS(haft_tensor_add_hook(plain.get(), doubling, &c, destroy_counts, &c.id), HAFT_ERROR_AUTOGRAD,
               "");
  EXPECT_FAILS_AT(haft_tensor_add_hook(plain.get(), nullptr, &c, destroy_counts, &c.id),
                  HAFT_ERROR_INVALID_ARGUMENT, 1, "fn");
  EXPECT_EQ(c.destroyed, 2);  // what failed was never taken over
}

struct Packing {
  int packed = 0, unpacked = 0, released = 0, destroyed = 0;
  haft_status status = HAFT_OK;
};
haft_status pack_copy(haft_tensor* t, void** packed, void* user) {
  auto* p = static_cast<Packing*>(user);
  ++p->packed;
  haft_tensor* copy = nullptr;
  if (haft_status s = haft_clone(t, &copy)) return s;
  *packed = copy;
  return HAFT_OK;
}
haft_status unpack_copy(void* packed, haft_tensor** t, void* user) {
  auto* p = static_cast<Packing*>(user);
  ++p->unpacked;
  if (p->status) return p->status;
  *t = static_cast<haft_tensor*>(packed);
  return haft_tensor_retain(*t);
}
void release_copy(void* packed, void* user) {
  ++static_cast<Packing*>(user)->released;
  haft_tensor_release(static_cast<haft_tensor*>(packed));
}
void destroy_packing(void* user) { ++static_cast<Packing*>(user)->destroyed; }

TEST_F(Autograd, SavedTensorHooksPackAndUnpack) {
  Packing p;
  Tensor x = leaf({1, 2});
  {
    ASSERT_EQ(haft_saved_tensor_hooks_push(pack_copy, unpack_copy, release_copy, &p, destroy_packing),
              HAFT_OK);
    Total y(haft::square(x));
    ASSERT_EQ(haft_saved_tensor_hooks_pop(), HAFT_OK);
    EXPECT_EQ(p.packed, 1);
    EXPECT_EQ(p.destroyed, 0);  // the graph needs the pair
    p.status = HAFT_ERROR_IO;
    EXPECT_FAILS(haft_tensor_backward(y.h, nullptr, 0), HAFT_ERROR_CALLBACK,
                 "unpack hook failed with HAFT_ERROR_IO");
    p.status = HAFT_OK;
    ASSERT_EQ(haft_tensor_backward(y.h, nullptr, 0), HAFT_OK);
    EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 4}));
    EXPECT_EQ(p.released, 1);
  }
  EXPECT_EQ(p.unpacked, 2);
  EXPECT_EQ(p.destroyed, 1);
  EXPECT_FAILS(haft_saved_tensor_hooks_pop(), HAFT_ERROR_INVALID_ARGUMENT, "no saved-tensor hooks");
  EXPECT_FAILS_AT(haft_saved_tensor_hooks_push(nullptr, unpack_copy, nullptr, nullptr, nullptr),
                  HAFT_ERROR_INVALID_ARGUMENT, 0, "pack");
  EXPECT_FAILS_AT(haft_saved_tensor_hooks_push(pack_copy, nullptr, nullptr, nullptr, nullptr),
                  HAFT_ERROR_INVALID_ARGUMENT, 1, "unpack");
}

TEST_F(Autograd, ACallbackAtTheEndOfBackward) {
  Counts c;
  Tensor x = leaf({1, 2});
  ASSERT_EQ(haft_tensor_add_hook(
                x.get(),
                [](haft_tensor*, haft_tensor**, void* user) {
                  return haft_autograd_add_callback(
                      [](void* u) -> haft_status {
                        ++static_cast<Counts*>(u)->calls;
                        return HAFT_OK;
                      },
                      user, destroy_counts);
                },
                &c, nullptr, &c.id),
            HAFT_OK);
  Total y(haft::square(x));
  ASSERT_EQ(haft_tensor_backward(y.h, nullptr, 0), HAFT_OK);
  EXPECT_EQ(c.calls, 1);
  EXPECT_EQ(c.destroyed, 1);
  EXPECT_FAILS(haft_autograd_add_callback([](void*) -> haft_status { return HAFT_OK; }, nullptr, nullptr),
               HAFT_ERROR_INVALID_ARGUMENT, "no backward is running");
}

// A hook that removes itself, releases its tensor and answers the gradient that was lent to it.
haft_status reckless(haft_tensor* g, haft_tensor** r, void* user) {
  auto* c = static_cast<Counts*>(user);
  ++c->calls;
  if (haft_status s = haft_tensor_remove_hook(c->own, c->id)) return s;
  haft_tensor_release(c->own);
  haft_tensor_retain(g);
  *r = g;
  return HAFT_OK;
}

TEST_F(Autograd, HooksMayLetGoOfEverything) {
  Counts c;
  c.own = leaf({1, 2}).release();
  ASSERT_EQ(haft_tensor_add_hook(c.own, reckless, &c, destroy_counts, &c.id), HAFT_OK);
  haft_tensor *y = nullptr, *s = nullptr;
  ASSERT_EQ(haft_square(c.own, &y), HAFT_OK);
  ASSERT_EQ(haft_sum(y, nullptr, 0, 0, HAFT_DTYPE_NONE, &s), HAFT_OK);
  haft_tensor_release(y);
  ASSERT_EQ(haft_tensor_backward(s, nullptr, HAFT_BACKWARD_RETAIN_GRAPH), HAFT_OK)
      << haft_error_get_message();
  ASSERT_EQ(haft_tensor_backward(s, nullptr, 0), HAFT_OK) << haft_error_get_message();
  haft_tensor_release(s);
  EXPECT_EQ(c.calls, 1);
  EXPECT_EQ(c.destroyed, 1);
}

haft_status releases_the_output(haft_tensor*, haft_tensor**, void* user) {
  haft_tensor_release(static_cast<haft_tensor*>(user));
  return HAFT_OK;
}

TEST_F(Autograd, AHookMayReleaseTheOutputOfItsBackward) {
  Tensor x = leaf({1, 2});
  haft_tensor* s = total(haft::square(x));
  int64_t id = 0;
  ASSERT_EQ(haft_tensor_add_hook(x.get(), releases_the_output, s, nullptr, &id), HAFT_OK);
  EXPECT_EQ(haft_tensor_backward(s, nullptr, 0), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(haft_tensor_backward(s, nullptr, 0), HAFT_ERROR_STALE_HANDLE);
}

TEST_F(Autograd, ModesNestAndAreRestored) {
  Tensor x = leaf({1});
  int32_t before = -1, on = -1;
  {
    haft::NoGrad off;
    EXPECT_FALSE(haft::square(x).requires_grad());
    {
      haft::InferenceMode inference;
      ASSERT_EQ(haft_is_inference_mode(&on), HAFT_OK);
      EXPECT_EQ(on, 1);
      ASSERT_EQ(haft_set_grad_enabled(1, &before), HAFT_OK);  // from the end of inference mode on
      EXPECT_EQ(before, 0);
      EXPECT_FALSE(haft::square(x).requires_grad());
      ASSERT_EQ(haft_set_grad_enabled(0, nullptr), HAFT_OK);
    }
    ASSERT_EQ(haft_is_grad_enabled(&on), HAFT_OK);
    EXPECT_EQ(on, 0);  // still inside no_grad
  }
  ASSERT_EQ(haft_is_grad_enabled(&on), HAFT_OK);
  EXPECT_EQ(on, 1);
  Tensor born;
  {
    haft::InferenceMode inference;
    born = haft::square(x);
  }
  EXPECT_FAILS(haft_tensor_set_requires_grad(born.get(), 1), HAFT_ERROR_AUTOGRAD, "inference");
  EXPECT_FAILS_AT(haft_set_grad_enabled(2, &before), HAFT_ERROR_INVALID_ARGUMENT, 0, "on");
  EXPECT_EQ(haft_set_inference_mode(-1, nullptr), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Autograd, AnomalyModeNamesTheOperator) {
  Tensor x = leaf({-1});
  Total y(haft::log(x));
  ASSERT_EQ(haft_set_anomaly_mode(1, nullptr), HAFT_OK);
  Total z(haft::mul(haft::sqrt(x), floats({0})));
  EXPECT_FAILS(haft_tensor_backward(z.h, nullptr, 0), HAFT_ERROR_AUTOGRAD, "sqrt");
  int32_t before = 0;
  ASSERT_EQ(haft_set_anomaly_mode(0, &before), HAFT_OK);
  EXPECT_EQ(before, 1);
}

TEST_F(Autograd, SpoiledTensorsAreNamed) {
  Tensor x = leaf({1, 2}), h = haft::exp(x);
  Total y(h);
  haft_tensor* loss = y.h;
  ASSERT_EQ(haft_tensor_touch(h.get()), HAFT_OK);
  EXPECT_FAILS(haft_tensor_backward(loss, nullptr, 0), HAFT_ERROR_AUTOGRAD, "[exp]");
  EXPECT_NE(std::string(haft_error_get_message()).find("changed in place"), std::string::npos);
  const float v[] = {0, 0};
  EXPECT_FAILS_AT(haft_tensor_write(x.get(), v, sizeof v), HAFT_ERROR_AUTOGRAD, 0, "t");
}

TEST_F(Autograd, SetDataKeepsTheHandle) {
  Tensor w = leaf({1, 2}), other = floats({3, 4, 5, 6}, {2, 2});
  Total before(haft::mul(w, w));
  w.set_data(haft::transpose(other, 0, 1));
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{3, 5, 4, 6}));
  EXPECT_TRUE(w.requires_grad());
  EXPECT_TRUE(w.shares_memory(other));
  EXPECT_FAILS(haft_tensor_backward(before.h, nullptr, 0), HAFT_ERROR_AUTOGRAD, "changed in place");
  Total after(haft::mul(w, w));
  ASSERT_EQ(haft_tensor_backward(after.h, nullptr, 0), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{6, 10, 8, 12}));
  EXPECT_FAILS_AT(haft_tensor_set_data(w.get(), haft::arange(0, 4).get()), HAFT_ERROR_DTYPE, -1, "data");
  EXPECT_FAILS_AT(haft_tensor_set_data(w.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1, "data");
  EXPECT_FAILS_AT(haft_tensor_set_data(nullptr, w.get()), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_set_data(haft::mul(w, w).get(), floats({1}).get()), HAFT_ERROR_AUTOGRAD, -1,
                  "data");
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{3, 5, 4, 6}));
}

// What is let go of belongs to the host, which may call back and even let go of the tensor itself.
TEST_F(Autograd, SetDataMayReleaseTheTensorThatItChanges) {
  struct Host {
    float memory[2] = {1, 2};
    haft_tensor* t = nullptr;
    int calls = 0;
  } host;
  const int64_t two = 2;
  ASSERT_EQ(haft_tensor_from_memory(
                host.memory, &two, nullptr, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU,
                [](void* user) {
                  auto* h = static_cast<Host*>(user);
                  ++h->calls;
                  haft_tensor_release(h->t);
                },
                &host, &host.t),
            HAFT_OK);
  Tensor other = floats({3, 4});
  EXPECT_EQ(haft_tensor_set_data(host.t, other.get()), HAFT_OK);
  EXPECT_EQ(host.calls, 1);
  EXPECT_EQ(other.to_vector<float>(), (std::vector<float>{3, 4}));
}

TEST_F(Autograd, ViewsTellWhereTheyLie) {
  Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.storage_offset(), 0);
  EXPECT_GE(x.storage_bytes(), 24);
  Tensor row = haft::select(x, 0, 1);
  EXPECT_EQ(row.storage_offset(), 3);
  EXPECT_EQ(row.storage_bytes(), x.storage_bytes());
  EXPECT_EQ(haft::narrow(row, 0, 2, 1).storage_offset(), 5);
  EXPECT_EQ(haft::empty({0}).storage_offset(), 0);
  int64_t n = 0;
  EXPECT_FAILS_AT(haft_tensor_get_storage(nullptr, &n, &n), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_get_storage(x.get(), nullptr, &n), HAFT_ERROR_INVALID_ARGUMENT, 1, "offset");
  EXPECT_FAILS_AT(haft_tensor_get_storage(x.get(), &n, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 2, "bytes");
}

TEST_F(Autograd, ASoleOwnerHoldsTheHooksToo) {
  Tensor w = leaf({1, 2});
  EXPECT_TRUE(w.is_sole_owner());
  {
    Tensor again = w;
    EXPECT_FALSE(w.is_sole_owner());
  }
  {
    Tensor view = haft::view(w, {2, 1});
    EXPECT_FALSE(w.is_sole_owner()) << "the view's history goes through w";
  }
  {
    Tensor y = haft::mul(w, w);
    EXPECT_FALSE(w.is_sole_owner());
    EXPECT_TRUE(y.is_sole_owner());
    Tensor z = haft::sum(y);
    EXPECT_FALSE(y.is_sole_owner()) << "its node is in z's graph";
    z.backward();
  }
  EXPECT_TRUE(w.is_sole_owner());
  w.set_requires_grad(false);
  EXPECT_TRUE(w.is_sole_owner());
  int32_t yes = 0;
  EXPECT_FAILS_AT(haft_tensor_is_sole_owner(nullptr, &yes), HAFT_ERROR_INVALID_ARGUMENT, 0, "t");
  EXPECT_FAILS_AT(haft_tensor_is_sole_owner(w.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1, "out");
}

haft_status product(haft_tensor* const* in, int64_t, haft_tensor** out, void*) {
  return haft_mul(in[0], in[1], out);
}
haft_status detached(haft_tensor* const* in, int64_t, haft_tensor** out, void*) {
  return haft_mul(in[0], haft::detach(Tensor((haft_tensor_retain(in[0]), in[0]))).get(), out);
}
haft_status empty(haft_tensor* const*, int64_t, haft_tensor**, void*) { return HAFT_OK; }
haft_status failing(haft_tensor* const*, int64_t, haft_tensor**, void*) {
  return haft_error_set(HAFT_ERROR_CALLBACK, "stop", 5);
}

TEST_F(Autograd, Gradcheck) {
  Tensor a = haft::randn({2, 3}, HAFT_FLOAT64).set_requires_grad(),
         b = haft::randn({3}, HAFT_FLOAT64).set_requires_grad();
  haft_tensor* ins[] = {a.get(), b.get()};
  EXPECT_EQ(haft_autograd_gradcheck(product, nullptr, ins, 2, 1), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(haft_autograd_gradcheck(product, nullptr, ins, 2, 2), HAFT_OK) << haft_error_get_message();
  EXPECT_FAILS(haft_autograd_gradcheck(detached, nullptr, ins, 1, 1), HAFT_ERROR_AUTOGRAD, "element");
  EXPECT_FAILS(haft_autograd_gradcheck(empty, nullptr, ins, 1, 1), HAFT_ERROR_CALLBACK, "empty");
  EXPECT_FAILS(haft_autograd_gradcheck(failing, nullptr, ins, 1, 1), HAFT_ERROR_CALLBACK, "stop");
  EXPECT_EQ(last_error().foreign_token, 5);
  EXPECT_FAILS_AT(haft_autograd_gradcheck(product, nullptr, ins, 2, 3), HAFT_ERROR_INVALID_ARGUMENT, 4,
                  "order");
  Tensor f = leaf({1});
  haft_tensor* single[] = {f.get(), f.get()};
  EXPECT_FAILS(haft_autograd_gradcheck(product, nullptr, single, 2, 1), HAFT_ERROR_DTYPE, "float64");
}

}  // namespace
