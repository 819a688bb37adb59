// Promises of the contract that hold across functions, and the C++ layer over autograd.h and runtime.h.
#include <gtest/gtest.h>
#include <haft/haft.hpp>

#include <stdexcept>

#include "capi_testing.h"

using haft::Tensor;

namespace {

TEST(Contract, NullWithCapacityZeroOnlyAsks) {
  Tensor x = Tensor::from<float>({1, 2, 3});
  int64_t n = 0;
  EXPECT_EQ(haft_tensor_get_size(x.get(), nullptr, 0, &n), HAFT_OK);
  EXPECT_EQ(n, 1);
  EXPECT_EQ(haft_unbind(x.get(), 0, nullptr, 0, &n), HAFT_OK);
  EXPECT_EQ(n, 3);
  haft_tensor* outs[2] = {};
  EXPECT_EQ(haft_unbind(x.get(), 0, outs, 2, &n), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(n, 3);
  EXPECT_EQ(outs[0], nullptr);
}

TEST(Contract, InferenceModeGivesBackWhatItFound) {
  haft::NoGrad off;
  { haft::InferenceMode mode; }
  EXPECT_FALSE(haft::is_grad_enabled());
  {
    haft::InferenceMode mode;
    int32_t before = 1, inside = 0;
    EXPECT_EQ(haft_set_grad_enabled(1, &before), HAFT_OK);
    EXPECT_EQ(before, 0);
    EXPECT_FALSE(haft::is_grad_enabled());
    EXPECT_EQ(haft_is_inference_mode(&inside), HAFT_OK);
    EXPECT_EQ(inside, 1);
  }
  EXPECT_TRUE(haft::is_grad_enabled());
}

TEST(Contract, StructsThatNobodyFilledInAreRefused) {
  Tensor w = Tensor::from<float>({1});
  w.set_requires_grad();
  haft_tensor* params[] = {w.get()};
  haft_optimizer* o = nullptr;
  haft_mse_loss_options loss = HAFT_MSE_LOSS_OPTIONS_INIT;
  haft_softplus_options softplus = HAFT_SOFTPLUS_OPTIONS_INIT;
  haft_rotary_embedding_options rotary = HAFT_ROTARY_EMBEDDING_OPTIONS_INIT;
  haft_module* m = nullptr;
  rotary.reserved = 1;
  EXPECT_EQ(haft_rotary_embedding_create(&rotary, &m), HAFT_ERROR_BAD_STRUCT);
  loss.struct_size = softplus.struct_size = 4;
  EXPECT_EQ(haft_mse_loss_create(&loss, &m), HAFT_ERROR_BAD_STRUCT);
  EXPECT_EQ(haft_softplus_create(&softplus, &m), HAFT_ERROR_BAD_STRUCT);
  EXPECT_EQ(m, nullptr);
  haft_sgd_options options = HAFT_SGD_OPTIONS_INIT;
  options.struct_size = sizeof options - 4;
  EXPECT_EQ(haft_sgd_create(params, 1, &options, &o), HAFT_ERROR_BAD_STRUCT);
  EXPECT_EQ(o, nullptr);
}

TEST(Contract, CallbackReportsItsOwnFailureOnly) {
  Tensor x = Tensor::from<float>({2});
  x.set_requires_grad();
  int64_t id = 0;
  auto fails = [](haft_tensor*, haft_tensor**, void*) -> haft_status { return HAFT_ERROR_CALLBACK; };
  ASSERT_EQ(haft_tensor_add_hook(x.get(), fails, nullptr, nullptr, &id), HAFT_OK);
  haft_error_set(HAFT_ERROR_CALLBACK, "an older story", 77);
  EXPECT_EQ(haft_tensor_backward((x * x).get(), nullptr, 0), HAFT_ERROR_CALLBACK);
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  haft_error_get_last(&info);
  EXPECT_EQ(info.foreign_token, 0);
  EXPECT_EQ(std::string(info.message).find("older"), std::string::npos) << info.message;
}

TEST(Contract, FunctionDataStaysTheCallersOnFailure) {
  static int destroyed = 0;
  auto destroy = [](void*) { ++destroyed; };
  auto fails = [](haft_function_context*, haft_tensor* const*, int64_t, haft_tensor**, int64_t,
                  void*) -> haft_status { return HAFT_ERROR_SHAPE; };
  auto leaves_empty = [](haft_function_context*, haft_tensor* const*, int64_t, haft_tensor**, int64_t,
                         void*) -> haft_status { return HAFT_OK; };
  Tensor x = Tensor::from<float>({2});
  haft_tensor *in[] = {x.get()}, *out = nullptr;
  EXPECT_EQ(haft_function_apply("f", fails, fails, nullptr, destroy, in, 1, &out, 1), HAFT_ERROR_CALLBACK);
  EXPECT_EQ(haft_function_apply("f", leaves_empty, fails, nullptr, destroy, in, 1, &out, 1),
            HAFT_ERROR_CALLBACK);
  EXPECT_EQ(haft_function_apply("f", fails, fails, nullptr, destroy, in, 1, &out, int64_t(1) << 40),
            HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(destroyed, 0);
}

TEST(Contract, LogSinkIsLetGoOnce) {
  static int destroyed = 0, lines = 0;
  auto sink = [](int32_t, const char*, void*) { ++lines; };
  auto destroy = [](void*) { ++destroyed; };
  ASSERT_EQ(haft_set_log_sink(HAFT_LOG_WARNING, sink, nullptr, destroy), HAFT_OK);
  EXPECT_EQ(haft_set_log_sink(99, sink, nullptr, destroy), HAFT_ERROR_INVALID_ARGUMENT);
  Tensor x = Tensor::from<float>({1});
  haft_tensor* stale = x.release();
  haft_tensor_release(stale);
  haft_tensor_release(stale);
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ(haft_set_log_sink(HAFT_LOG_NONE, nullptr, nullptr, nullptr), HAFT_OK);
  EXPECT_EQ(destroyed, 1);
}

struct Square : haft::Function {
  std::vector<Tensor> forward(haft::FunctionContext& ctx, const std::vector<Tensor>& in) override {
    ctx.save(in[0]);
    return {in[0] * in[0]};
  }
  std::vector<Tensor> backward(haft::FunctionContext& ctx, const std::vector<Tensor>& grads) override {
    return {grads[0] * ctx.saved(0) * 2.0};
  }
};

TEST(Cpp, FunctionOfOnesOwnHasEveryDerivative) {
  Tensor x = Tensor::from<double>({3, -2});
  x.set_requires_grad();
  auto f = [](const std::vector<Tensor>& in) {
    return haft::sum(haft::apply(std::make_shared<Square>(), in)[0]);
  };
  haft::gradcheck(f, {x}, 2);
  EXPECT_EQ(haft::grad({f({x})}, {x})[0].to_vector<double>(), (std::vector<double>{6, -4}));
  haft::backward({f({x}), f({x})});
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{12, -8}));
}

TEST(Cpp, ExceptionOfACheckedFunctionComesOutAsItself) {
  Tensor x = Tensor::from<double>({1});
  x.set_requires_grad();
  EXPECT_THROW(
      haft::gradcheck([](const std::vector<Tensor>&) -> Tensor { throw std::out_of_range("mine"); }, {x}),
      std::out_of_range);
}

TEST(Cpp, AccumulateHookSeesTheSumUntilRemoved) {
  Tensor x = Tensor::from<float>({1});
  x.set_requires_grad();
  std::vector<double> seen;
  int64_t id = x.add_accumulate_hook([&](const Tensor& g) { seen.push_back(g.item()); });
  (x * 3.0).backward();
  (x * 4.0).backward();
  x.remove_hook(id);
  (x * 5.0).backward();
  EXPECT_EQ(seen, (std::vector<double>{3, 7}));
}

TEST(Cpp, GeneratorProfilerAndMemory) {
  haft::Generator g(7), same(7);
  auto a = haft::rand({4}, HAFT_FLOAT32, HAFT_DEVICE_CPU, g.get()),
       b = haft::rand({4}, HAFT_FLOAT32, HAFT_DEVICE_CPU, same.get());
  EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
  EXPECT_EQ(g.state(), same.state());
  haft::Profiler profiler;
  {
    haft::ProfilerRange range("outer");
    a + b;
  }
  haft::Profile profile = profiler.stop(), copy = profile;
  profile = haft::Profile();
  EXPECT_NE(copy.table().find("add"), std::string::npos);
  int64_t live = haft::memory_stats().live;
  Tensor large = haft::rand({1000}, HAFT_FLOAT32, HAFT_DEVICE_CPU);
  EXPECT_GE(haft::memory_stats().live, live + 4000);
  EXPECT_NE(haft::describe().find("haft "), std::string::npos);
  EXPECT_EQ(haft::device_text(haft::device("cpu")), "cpu");
}

}  // namespace
