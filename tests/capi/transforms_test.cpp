// Functions of functions and checkpoints through C and C++, and the closures of optimizers.
#include "capi_testing.h"

namespace {

struct Transforms : CapiTest {};
using Floats = std::vector<float>;
using Tensors = std::vector<Tensor>;

// x, y to x * y and the sum of x.
haft_status both(haft_tensor* const* in, int64_t n, haft_tensor** out, int64_t* count, void* user) {
  if (user) ++*static_cast<int*>(user);
  if (n != 2) return haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "two are wanted", 0);
  haft_status s = haft_mul(in[0], in[1], &out[(*count)++]);
  return s ? s : haft_sum(in[0], nullptr, 0, 0, HAFT_DTYPE_NONE, &out[(*count)++]);
}
haft_status failing(haft_tensor* const*, int64_t, haft_tensor**, int64_t*, void*) {
  return haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "not today", 77);
}
haft_status liar(haft_tensor* const*, int64_t, haft_tensor**, int64_t* count, void*) {
  *count = 2;
  return HAFT_OK;
}
haft_status cubed(haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
  Tensor x(in[0]);
  haft_tensor_retain(in[0]);
  out[(*count)++] = haft::sum(x * x * x).release();
  return HAFT_OK;
}

TEST_F(Transforms, ProductsWithJacobians) {
  Tensor x = floats({1, 2}), y = floats({3, 5}), v = floats({1, 10}), one = haft::full({}, 1.0);
  haft_tensor *in[] = {x.get(), y.get()}, *seeds[] = {v.get(), one.get()}, *outputs[2] = {},
              *products[2] = {};
  int64_t count = 0;
  int calls = 0;
  ASSERT_EQ(haft_autograd_vjp(both, &calls, in, 2, seeds, 2, 0, outputs, 2, &count, products), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(count, 2);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Tensor(outputs[0]).to_vector<float>(), (Floats{3, 10}));
  EXPECT_EQ(Tensor(outputs[1]).to_vector<float>(), (Floats{3}));
  EXPECT_EQ(Tensor(products[0]).to_vector<float>(), (Floats{4, 51}));
  EXPECT_EQ(Tensor(products[1]).to_vector<float>(), (Floats{1, 20}));
  ASSERT_EQ(haft_autograd_vjp(both, nullptr, in, 2, seeds, 2, 0, nullptr, 0, nullptr, products), HAFT_OK)
      << haft_error_get_message();
  for (haft_tensor*& p : products) haft_tensor_release(std::exchange(p, nullptr));
  seeds[1] = v.get();  // of each input now
  ASSERT_EQ(haft_autograd_jvp(both, nullptr, in, 2, seeds, 2, 0, outputs, 2, &count, products), HAFT_OK)
      << haft_error_get_message();
  for (haft_tensor* t : outputs) haft_tensor_release(t);
  EXPECT_EQ(Tensor(products[0]).to_vector<float>(), (Floats{4, 70}));  // v * y + x * v
  EXPECT_EQ(Tensor(products[1]).to_vector<float>(), (Floats{11}));
}

TEST_F(Transforms, Matrices) {
  Tensor x = floats({1, 2}), y = floats({3, 5});
  haft_tensor *in[] = {x.get(), y.get()}, *out[4] = {};
  int64_t count = 0;
  ASSERT_EQ(haft_autograd_jacobian(both, nullptr, in, 2, 0, out, 4, &count), HAFT_OK)
      << haft_error_get_message();
  ASSERT_EQ(count, 4);
  const Floats wanted[] = {{3, 0, 0, 5}, {1, 0, 0, 2}, {1, 1}, {0, 0}};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Tensor(out[i]).to_vector<float>(), wanted[i]) << i;
  haft_tensor* h = nullptr;
  ASSERT_EQ(haft_autograd_hessian(cubed, nullptr, in, 1, 0, &h), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(Tensor(h).to_vector<float>(), (Floats{6, 0, 0, 12}));
  haft_tensor *v[] = {y.get()}, *value = nullptr, *product = nullptr;
  ASSERT_EQ(haft_autograd_hvp(cubed, nullptr, in, 1, v, 1, 0, &value, &product), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(Tensor(value).item(), 9);
  EXPECT_EQ(Tensor(product).to_vector<float>(), (Floats{18, 60}));
}

// The gradient of the sum of x * x * y for x, of one example.
haft_status gradient_inside(haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void* user) {
  haft_tensor* y = in[1];
  int32_t batched = 0;
  if (haft_status s = haft_tensor_is_batched(in[0], &batched)) return s;
  *static_cast<int*>(user) += batched;
  *count = 1;
  return haft_autograd_vjp(
      [](haft_tensor* const* u, int64_t, haft_tensor** o, int64_t* n, void* held) -> haft_status {
        haft_tensor *square = nullptr, *product = nullptr;
        haft_status s = haft_mul(u[0], u[0], &square);
        if (!s) s = haft_mul(square, static_cast<haft_tensor*>(held), &product);
        if (!s) s = haft_sum(product, nullptr, 0, 0, HAFT_DTYPE_NONE, &o[(*n)++]);
        haft_tensor_release(square), haft_tensor_release(product);
        return s;
      },
      y, in, 1, nullptr, 0, 0, nullptr, 0, nullptr, out);
}

TEST_F(Transforms, OfManyExamples) {
  Tensor x = haft::reshape(floats({1, 2, 3, 4, 5, 6}), {3, 2}), y = floats({10, 100});
  haft_tensor *in[] = {x.get(), y.get()}, *out[1] = {};
  const int64_t in_dims[] = {0, HAFT_NONE}, out_dims[] = {1};
  haft_vmap_options options = HAFT_VMAP_OPTIONS_INIT;
  options.in_dims = in_dims;
  options.out_dims = out_dims, options.out_dim_count = 1;
  int calls = 0;
  int64_t count = 0;
  ASSERT_EQ(haft_autograd_vmap(gradient_inside, &calls, in, 2, &options, out, 1, &count), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(calls, 1);
  const Tensor found(out[0]);
  EXPECT_EQ(found.sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(found.to_vector<float>(), (Floats{20, 60, 100, 400, 800, 1200}));
  haft::VmapOptions how;
  how.in_dims = {0, HAFT_NONE};
  how.chunk_size = 2;
  const auto product = [](const Tensors& t) -> Tensors { return {haft::sum(t[0] * t[1])}; };
  EXPECT_EQ(haft::vmap(product, {x, y}, how)[0].to_vector<float>(), (Floats{210, 430, 650}));
  EXPECT_EQ(haft::jacobian([](const Tensors& t) -> Tensors { return {t[0] * t[0]}; }, {y}, 0, 1)[0]
                .to_vector<float>(),
            (Floats{20, 0, 0, 200}));
  haft::vmap(
      [](const Tensors& t) -> Tensors {
        int64_t offset = -1, bytes = 0;
        EXPECT_EQ(haft_tensor_get_storage(haft::select(t[0], 0, 1).get(), &offset, &bytes), HAFT_OK);
        EXPECT_EQ(offset, 1);
        EXPECT_EQ(bytes, 24);
        return {t[0]};
      },
      {haft::reshape(floats({1, 2, 3, 4, 5, 6}), {3, 2})});
  options.randomness = 3;
  EXPECT_FAILS_AT(haft_autograd_vmap(gradient_inside, &calls, in, 2, &options, out, 1, &count),
                  HAFT_ERROR_INVALID_ARGUMENT, 4, "options");
  options.randomness = 0, options.out_dim_count = 2;
  EXPECT_FAILS(haft_autograd_vmap(gradient_inside, &calls, in, 2, &options, out, 1, &count),
               HAFT_ERROR_INVALID_ARGUMENT, "2 out_dims for 1 outputs");
  EXPECT_FAILS_AT(haft_autograd_jacobian_by_chunks(cubed, nullptr, in, 1, 0, -1, out, 1, &count),
                  HAFT_ERROR_INVALID_ARGUMENT, 5, "chunk_size");
  // Values are nobody's to read meanwhile; the status of the call inside says why.
  EXPECT_FAILS(haft_autograd_vmap(
                   [](haft_tensor* const* t, int64_t, haft_tensor**, int64_t*, void*) -> haft_status {
                     double v[2];
                     return haft_tensor_read(t[0], v, sizeof v);
                   },
                   nullptr, in, 1, nullptr, out, 1, &count),
               HAFT_ERROR_CALLBACK, "under vmap");
}

TEST_F(Transforms, OfAModule) {
  haft::nn::Module net = haft::nn::Linear(2, 2);
  Tensor x = floats({1, 2});
  haft_tensor *in[] = {x.get()}, *j = nullptr;
  int64_t count = 0;
  ASSERT_EQ(haft_autograd_jacobian(haft_module_as_function, net.get(), in, 1, 0, &j, 1, &count), HAFT_OK)
      << haft_error_get_message();
  const Floats weight = haft::detach(net.parameters()[0]).to_vector<float>();
  EXPECT_EQ(Tensor(j).to_vector<float>(), weight);
  EXPECT_EQ(haft::jacobian(net, {x})[0].to_vector<float>(), weight);
  Tensor leaf_x = leaf({1, 2});
  haft::sum(haft::checkpoint(net, {leaf_x})[0]).backward();
  EXPECT_EQ(leaf_x.grad().to_vector<float>(), (Floats{weight[0] + weight[2], weight[1] + weight[3]}));
}

TEST_F(Transforms, BadArguments) {
  Tensor x = floats({1, 2}), whole = haft::to(x, HAFT_INT64);
  haft_tensor *in[] = {x.get(), x.get()}, *wrong[] = {whole.get()}, *out[4] = {};
  int64_t count = 7;
  EXPECT_FAILS_AT(haft_autograd_vjp(both, nullptr, in, 2, nullptr, 2, 0, nullptr, 0, nullptr, out),
                  HAFT_ERROR_INVALID_ARGUMENT, 4, "vectors");
  EXPECT_FAILS_AT(haft_autograd_vjp(nullptr, nullptr, in, 2, nullptr, 0, 0, nullptr, 0, nullptr, out),
                  HAFT_ERROR_INVALID_ARGUMENT, 0, "fn");
  EXPECT_FAILS_AT(haft_autograd_vjp(both, nullptr, in, 2, nullptr, 0, 1, nullptr, 0, nullptr, out),
                  HAFT_ERROR_INVALID_ARGUMENT, 6, "flags");
  EXPECT_FAILS(haft_autograd_vjp(both, nullptr, in, 2, nullptr, 0, 0, nullptr, 0, nullptr, out),
               HAFT_ERROR_INVALID_ARGUMENT, "without vectors");
  EXPECT_FAILS(haft_autograd_jacobian(both, nullptr, in, 2, 0, out, 3, &count), HAFT_ERROR_INVALID_ARGUMENT,
               "3");
  EXPECT_FAILS(haft_autograd_jacobian(both, nullptr, in, 2, HAFT_TRANSFORM_STRICT, out, 4, &count),
               HAFT_ERROR_AUTOGRAD, "strict");
  EXPECT_FAILS(haft_autograd_jacobian(both, nullptr, wrong, 1, 0, out, 4, &count), HAFT_ERROR_DTYPE, "int64");
  EXPECT_FAILS(haft_autograd_jacobian(failing, nullptr, in, 1, 0, out, 4, &count), HAFT_ERROR_CALLBACK,
               "not today");
  EXPECT_EQ(last_error().foreign_token, 77);
  EXPECT_FAILS(haft_autograd_jacobian(liar, nullptr, in, 1, 0, out, 4, &count), HAFT_ERROR_CALLBACK, "empty");
  EXPECT_FAILS(haft_autograd_hessian(both, nullptr, in, 2, 0, out), HAFT_ERROR_SHAPE, "one output");
  EXPECT_FAILS_AT(haft_autograd_checkpoint(both, nullptr, nullptr, 2, in, 2, out, 4, &count),
                  HAFT_ERROR_INVALID_ARGUMENT, 3, "preserve_random");
  for (haft_tensor* t : out) EXPECT_EQ(t, nullptr);
  EXPECT_THROW(haft::jacobian([](const Tensors&) -> Tensors { throw std::out_of_range("mine"); }, {x}),
               std::out_of_range);
}

TEST_F(Transforms, CheckpointsLetGoOfTheFunction) {
  struct State {
    int calls = 0, destroyed = 0;
  } state;
  auto destroy = [](void* s) { ++static_cast<State*>(s)->destroyed; };
  const haft_tensors_function squared = [](haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count,
                                           void* s) {
    ++static_cast<State*>(s)->calls;
    return haft_square(in[0], &out[(*count)++]);
  };
  Tensor x = leaf({1, 2});
  haft_tensor *in[] = {x.get()}, *out = nullptr;
  int64_t count = 0;
  ASSERT_EQ(haft_autograd_checkpoint(squared, &state, destroy, 1, in, 1, &out, 1, &count), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(state.destroyed, 0);
  haft::sum(Tensor(out)).backward();
  EXPECT_EQ(state.calls, 2);
  EXPECT_EQ(state.destroyed, 1);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 4}));
  EXPECT_FAILS(haft_autograd_checkpoint(failing, &state, destroy, 1, in, 1, &out, 1, &count),
               HAFT_ERROR_CALLBACK, "not today");
  EXPECT_FAILS(haft_autograd_checkpoint(squared, &state, destroy, 1, in, 1, &out, 0, &count),
               HAFT_ERROR_INVALID_ARGUMENT, "room");
  EXPECT_EQ(state.destroyed, 1);  // it stays the caller's
}

TEST_F(Transforms, OptimizersTakeClosures) {
  Tensor p = leaf({3, -4});
  haft::optim::LBFGSOptions wolfe;
  wolfe.strong_wolfe = 1;
  haft::optim::Optimizer o = haft::optim::lbfgs({p}, wolfe);
  EXPECT_FAILS(haft_optimizer_step(o.get()), HAFT_ERROR_INVALID_ARGUMENT, "closure");
  EXPECT_FAILS_AT(haft_optimizer_step_closure(o.get(), nullptr, nullptr, nullptr),
                  HAFT_ERROR_INVALID_ARGUMENT, 1, "closure");
  int calls = 0;
  Tensor target = floats({1, 2});
  auto closure = [&] {
    ++calls;
    o.zero_grad();  // of the very optimizer that steps
    Tensor l = haft::sum(haft::square(p - target));
    l.backward();
    return l;
  };
  EXPECT_EQ(o.step_closure(closure).item(), 40);
  EXPECT_GT(calls, 1);
  const Floats at = haft::detach(p).to_vector<float>();
  EXPECT_NEAR(at[0], 1, 1e-5);
  EXPECT_NEAR(at[1], 2, 1e-5);
  EXPECT_EQ(o.state(0, "func_evals").item(), calls);
  EXPECT_THROW(o.step_closure([]() -> Tensor { throw std::out_of_range("mine"); }), std::out_of_range);
  o.zero_grad();  // nobody holds it
  haft::optim::Optimizer sgd = haft::optim::sgd({p});
  EXPECT_FALSE(sgd.step_closure([] { return Tensor(); }));
}

}  // namespace
