// Fused functions through the C interface: one kernel a call, derivatives, whose function it is, what is refused.
#include "capi_testing.h"

namespace {

struct FusedFunctions : CapiTest {
  static haft_device sim() {
    haft::load_backend(HAFT_SIM_DEVICE);
    return haft::device("sim:0");
  }
  static std::vector<float> values(const Tensor& t) {
    return haft::to(t, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>();
  }
  static Tensor numbers(std::vector<float> v, haft_device d) {
    return haft::to(Tensor::from(v), HAFT_DTYPE_NONE, d);
  }
};

std::vector<Tensor> gate(const std::vector<Tensor>& in) { return {haft::mul(haft::silu(in[0]), in[1])}; }

TEST_F(FusedFunctions, AreOneKernelACall) {
  const haft_device d = sim();
  const haft::Fused f(gate, "gate");
  const Tensor x = numbers({1, -2, 3}, d), y = numbers({4, 5, -6}, d);
  for (int i = 1; i <= 3; ++i) {
    const std::vector<float> got = values(f({x, y})[0]), want = values(gate({x, y})[0]);
    for (size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(got[k], want[k]);
    EXPECT_EQ(f.kernels(), i);
  }
  EXPECT_EQ(f.traces(), 1);
  EXPECT_EQ(f.unfused(), 0);
  EXPECT_EQ(f.reason(), "");
  // On the CPU operators run as ever, and it is said.
  const Tensor a = Tensor::from(std::vector<float>{1, -2, 3});
  EXPECT_EQ(values(f({a, a})[0]), values(gate({a, a})[0]));
  EXPECT_EQ(f.unfused(), 1);
  EXPECT_NE(f.reason().find("cpu fuses no kernels"), std::string::npos) << f.reason();
}

TEST_F(FusedFunctions, DifferentiateToAnyOrder) {
  const haft_device d = sim();
  const haft::Fused f(gate);
  auto derivatives = [&](const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fn) {
    Tensor x = numbers({1, -2, 3}, d).set_requires_grad(true),
           y = numbers({4, 5, -6}, d).set_requires_grad(true);
    const Tensor loss = haft::sum(fn({x, y})[0]);
    const std::vector<Tensor> first = haft::grad({loss}, {x, y}, HAFT_BACKWARD_CREATE_GRAPH);
    const std::vector<Tensor> second = haft::grad({haft::sum(haft::mul(first[0], first[1]))}, {x, y});
    std::vector<float> all;
    for (const Tensor& t : {first[0], first[1], second[0], second[1]})
      for (float v : values(t)) all.push_back(v);
    return all;
  };
  const std::vector<float> got = derivatives([&](const std::vector<Tensor>&in) { return f(in); }),
                           want = derivatives(gate);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-4) << i;
  EXPECT_GT(f.kernels(), 2);
  EXPECT_EQ(f.unfused(), 0) << f.reason();
}

TEST_F(FusedFunctions, LetGoOfTheirFunctionOnce) {
  static int called, destroyed;
  called = destroyed = 0;
  auto fn = [](haft_tensor* const* in, int64_t n, haft_tensor** out, int64_t* count,
               void* user) -> haft_status {
    ++called;
    EXPECT_EQ(user, &called);
    EXPECT_EQ(n, 1);
    *count = 1;
    return haft_neg(in[0], out);
  };
  haft_fused* f = nullptr;
  EXPECT_FAILS(haft_fused_create(
                   nullptr, fn, &called, [](void*) { ++destroyed; }, &f),
               HAFT_ERROR_INVALID_ARGUMENT, "name is NULL");
  EXPECT_FAILS(haft_fused_create(
                   "f", nullptr, &called, [](void*) { ++destroyed; }, &f),
               HAFT_ERROR_INVALID_ARGUMENT, "fn is NULL");
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ(haft_fused_create(
                "f", fn, &called, [](void*) { ++destroyed; }, &f),
            HAFT_OK);
  const Tensor x = Tensor::from(std::vector<float>{1, 2});
  haft_tensor *in[] = {x.get()}, *out[2] = {};
  int64_t count = 0;
  EXPECT_FAILS(haft_fused_call(f, in, 1, out, 0, &count), HAFT_ERROR_INVALID_ARGUMENT, "");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(haft_fused_call(f, in, 1, out, 2, &count), HAFT_OK);
    ASSERT_EQ(count, 1);
    EXPECT_EQ(values(Tensor(out[0])), (std::vector<float>{-1, -2}));
  }
  EXPECT_EQ(called, 1);
  haft_fused_release(f);
  EXPECT_EQ(destroyed, 1);
  EXPECT_FAILS(haft_fused_call(f, in, 1, out, 2, &count), HAFT_ERROR_STALE_HANDLE, "fused function");
}

TEST_F(FusedFunctions, RefuseByNameWhatIsNoChain) {
  const Tensor x = haft::ones({3, 4});
  auto message = [&](haft::Fused f) {
    try {
      f({x});
    } catch (const haft::Error& e) {
      return e.message();
    }
    return std::string("nothing failed");
  };
  EXPECT_NE(
      message(haft::Fused(
                  [](const std::vector<Tensor>& in) { return std::vector<Tensor>{haft::softmax(in[0], 1)}; },
                  "mine"))
          .find("[mine] softmax does not compute element by element"),
      std::string::npos);
  EXPECT_NE(message(haft::Fused([&](const std::vector<Tensor>& in) {
              return std::vector<Tensor>{haft::add(in[0], x)};
            })).find("not one of the function's inputs"),
            std::string::npos);
  EXPECT_NE(message(haft::Fused([](const std::vector<Tensor>& in) {
              return haft::mul_(in[0], in[0]), in;
            })).find("mul_ writes into an input"),
            std::string::npos);
}

}  // namespace
