// Allocation failures in the middle of what a program does: training, hooks, files, batches.
#include <thread>

#include "oom_cases.h"

namespace oom {
namespace {

struct Memory : testing::Test {
  haft_tensor *a = nullptr, *w = nullptr, *large = nullptr, *images = nullptr;

  void SetUp() override {
    const int64_t small[] = {2, 3}, matrix[] = {64, 256}, image[] = {2, 16, 8, 8};
    must(haft_randn(small, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &a));
    must(haft_randn(small, 2, HAFT_FLOAT64, HAFT_DEVICE_CPU, nullptr, &w));
    must(haft_tensor_set_requires_grad(w, 1));
    must(haft_randn(matrix, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &large));
    must(haft_randn(image, 4, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &images));
  }
  void TearDown() override {
    for (haft_tensor* t : {a, w, large, images}) haft_tensor_release(t);
  }

  // `call` does one thing and releases what it got; any function in it may be the one that fails.
  void sweep(const char* what, const std::function<haft_status()>& call, Caches caches = Caches::steady) {
    SCOPED_TRACE(what);
    oom::sweep(
        "",
        [&](Attempt& a) {
          a.may_fail_in_callbacks();
          a.run(call);
        },
        caches);
  }
};

#define TRY(call)                                          \
  do {                                                     \
    if (haft_status s_ = (call); s_ != HAFT_OK) return s_; \
  } while (0)

TEST_F(Memory, Autograd) {
  sweep("backward", [&]() -> haft_status {
    Tensor y, z, s;
    TRY(haft_exp(w, &y));
    TRY(haft_mul(y, w, &z));
    TRY(haft_sum(z, nullptr, 0, 0, HAFT_DTYPE_NONE, &s));
    TRY(haft_tensor_backward(s, nullptr, 0));
    return haft_tensor_set_grad(w, nullptr);
  });
  sweep("grad", [&]() -> haft_status {
    Tensor y, g;
    TRY(haft_sum(w, nullptr, 0, 0, HAFT_DTYPE_NONE, &y));
    haft_tensor *outs[] = {y}, *ins[] = {w};
    return haft_autograd_grad(outs, nullptr, 1, ins, 1, HAFT_BACKWARD_CREATE_GRAPH, &g);
  });
  sweep("in place on a view", [&]() -> haft_status {
    Tensor h, row, s;
    TRY(haft_mul_scalar(w, haft_scalar_float(2), &h));
    TRY(haft_select(h, 0, 1, &row));
    TRY(haft_mul_scalar_(row, haft_scalar_float(3)));
    TRY(haft_sum(h, nullptr, 0, 0, HAFT_DTYPE_NONE, &s));
    return haft_tensor_backward(s, nullptr, 0);
  });
  sweep("hook", [&]() -> haft_status {
    Tensor s;
    int64_t id = 0;
    TRY(haft_tensor_add_hook(
        w, [](haft_tensor* g, haft_tensor** r, void*) { return haft_neg(g, r); }, nullptr, nullptr, &id));
    haft_status status = haft_sum(w, nullptr, 0, 0, HAFT_DTYPE_NONE, &s);
    if (status == HAFT_OK) status = haft_tensor_backward(s, nullptr, 0);
    haft_status removed = haft_tensor_remove_hook(w, id);
    // A hook that lacked memory answers for it itself.
    return status ? status : removed;
  });
  static int destroyed;
  static int accepted;
  destroyed = accepted = 0;
  sweep("custom function", [&]() -> haft_status {
    haft_tensor *ins[] = {w}, *out = nullptr;
    haft_status s = haft_function_apply(
        "Square",
        [](haft_function_context* c, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t,
           void*) -> haft_status {
          TRY(haft_function_save(c, in[0]));
          return haft_square(in[0], out);
        },
        [](haft_function_context* c, haft_tensor* const* g, int64_t, haft_tensor** r, int64_t,
           void*) -> haft_status {
          Tensor x, two;
          TRY(haft_function_saved(c, 0, &x));
          TRY(haft_mul_scalar(x, haft_scalar_float(2), &two));
          return haft_mul(g[0], two, r);
        },
        nullptr, [](void*) { ++destroyed; }, ins, 1, &out, 1);
    TRY(s);
    ++accepted;
    s = haft_tensor_backward(out, out, 0);
    haft_tensor_release(out);
    return s;
  });
  EXPECT_EQ(destroyed, accepted);
}

TEST_F(Memory, Scopes) {
  sweep("scope", [&]() -> haft_status {
    TRY(haft_scope_begin());
    haft_status s = HAFT_OK;
    for (int i = 0; i < 20 && s == HAFT_OK; ++i) {
      haft_tensor* t = nullptr;
      s = haft_add(a, a, &t);
    }
    must(haft_scope_end());
    return s;
  });
  EXPECT_EQ(haft_scope_end(), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Memory, ModulesAndOptimizers) {
  sweep("linear", [&]() -> haft_status {
    Module m;
    return create_linear(3, 4, &m);
  });
  haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
  o.in_channels = o.out_channels = 16;
  o.kernel_size[0] = o.kernel_size[1] = 3;
  std::string file = folder() + "/m.safetensors";
  sweep(
      "train",
      [&]() -> haft_status {
        Module conv, relu, flat, net;
        TRY(haft_conv2d_create(&o, &conv));
        TRY(haft_relu_create(&relu));
        TRY(haft_flatten_create(nullptr, &flat));
        haft_module* parts[] = {conv, relu, flat};
        TRY(haft_sequential_create(parts, 3, &net));
        haft_tensor* ps[4];
        int64_t n = 0;
        TRY(haft_module_parameters(net, ps, 4, &n));
        Optimizer opt;
        haft_status s = haft_adam_create(ps, n, nullptr, &opt);
        haft_tensor_release_many(ps, n);
        TRY(s);
        Tensor y, loss;
        TRY(haft_module_forward(net, images, &y));
        TRY(haft_mean(y, nullptr, 0, 0, &loss));
        TRY(haft_tensor_backward(loss, nullptr, 0));
        TRY(haft_optimizer_step(opt));
        TRY(haft_module_save(net, file.c_str()));
        return haft_module_load(net, file.c_str(), 1);
      },
      Caches::growing);
}

TEST_F(Memory, Loader) {
  sweep("loader", [&]() -> haft_status {
    Dataset d;
    Loader l;
    haft_tensor* ts[] = {large};
    TRY(haft_tensor_dataset_create(ts, 1, &d));
    haft_loader_options o = HAFT_LOADER_OPTIONS_INIT;
    o.batch_size = 16;
    TRY(haft_loader_create(d, &o, &l));
    for (int i = 0; i < 3; ++i) {
      haft_tensor* batch[2];
      int64_t n = 0;
      TRY(haft_loader_next(l, batch, 2, &n));
      haft_tensor_release_many(batch, n);
    }
    return HAFT_OK;
  });
}

TEST_F(Memory, Files) {
  std::string npy = folder() + "/a.npy", weights = folder() + "/w.safetensors";
  sweep("npy", [&]() -> haft_status {
    Tensor back;
    TRY(haft_npy_save(a, npy.c_str()));
    return haft_npy_load(npy.c_str(), &back);
  });
  sweep("safetensors", [&]() -> haft_status {
    const char* names[] = {"a", "large"};
    haft_tensor* ts[] = {a, large};
    TRY(haft_weights_save(names, ts, 2, weights.c_str()));
    Weights f;
    Tensor back;
    TRY(haft_weights_open(weights.c_str(), &f));
    return haft_weights_find(f, "large", &back);
  });
}

// A step of an optimizer over ranks: what backward, the step and gathering take.
TEST(MemoryOverRanks, ShardedOptimizer) {
  for (int stage : {1, 2})
    oom::sweep("", [&](Attempt& a) {
      Alone g;
      Linear net;
      Filled x;
      Optimizer o;
      haft_tensor* ps[2] = {};
      int64_t n = 0;
      must(haft_module_parameters(net, ps, 2, &n));
      must(haft_adam_create(ps, n, nullptr, &o));
      haft_tensor_release_many(ps, n);
      haft_shard_options options = HAFT_SHARD_OPTIONS_INIT;
      options.stage = stage;
      must(haft_optimizer_shard(o, g, &options));
      Filled more;
      must(haft_tensor_set_requires_grad(more, 1));
      a.run([&]() -> haft_status {
        Tensor y, loss;
        TRY(haft_module_forward(net, x, &y));
        TRY(haft_mean(y, nullptr, 0, 0, &loss));
        TRY(haft_tensor_backward(loss, nullptr, 0));
        TRY(haft_optimizer_clip_grad_norm(o, 1, 2, nullptr));
        TRY(haft_optimizer_step(o));
        TRY(haft_optimizer_consolidate(o, 0));
        TRY(haft_optimizer_zero_grad(o, 1));
        haft_tensor* group[] = {more};
        return haft_optimizer_add_group(o, group, 1, nullptr);
      });
    });
}

}  // namespace
}  // namespace oom
