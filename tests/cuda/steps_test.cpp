// What is enqueued for a step of a recurrent layer, for the gradients of a linear one, for norms and reductions, and
// the memory that those take.
#include <dlfcn.h>

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/hooks.h"
#include "core/backend/memory.h"
#include "core/optim/clip.h"
#include "core/tape/tape.h"
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;

struct CudaSteps : CudaTest {
  static constexpr int64_t kCopy = 1;  // the number's, which `enqueued` waits for
  int64_t (*tasks)() = nullptr;
  void SetUp() override {
    void* plugin = dlopen(HAFT_CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    tasks = reinterpret_cast<int64_t (*)()>(plugin ? dlsym(plugin, "haft_simulated_tasks") : nullptr);
    if (!tasks) GTEST_SKIP() << "only the simulated device counts its tasks";
  }
  // What f enqueues, and a copy of a number to the host, which waits; memory for it is there at the latest the second
  // time.
  int64_t enqueued(const std::function<Tensor()>& f) {
    auto wait = [](const Tensor& t) { return raw(on(t, Device{})); };
    const Tensor x = ops::full({{1}}, Scalar(1.0), DType::f32, cuda());
    int64_t least = INT64_MAX;
    for (int i = 0; i < 4; ++i) {
      wait(x);
      const int64_t before = tasks();
      const Tensor y = f();
      wait(x);
      least = std::min(least, tasks() - before);
    }
    return least;
  }
  // Bytes beside what is there already that f takes at most, its result's among them.
  int64_t taken(const std::function<Tensor()>& f) {
    const int64_t before = device_memory_stats(cuda()).live;
    device_memory_reset_peak(cuda());
    f();
    return device_memory_stats(cuda()).peak - before;
  }
};

enum Mode : int64_t { kTanh, kRelu, kLstm, kGru };

TEST_F(CudaSteps, OfARecurrentLayerAreAProductAndAKernel) {
  const int64_t n = 3, in = 4, hidden = 5, narrow = 2;
  for (DType t : {DType::f32, DType::bf16})
    for (int64_t mode : {kTanh, kRelu, kLstm, kGru})
      for (bool projects : {false, true}) {
        if (projects && mode != kLstm) continue;
        SCOPED_TRACE(concat(dtype_name(t), ", mode ", mode, projects ? ", projected" : ""));
        const int64_t gates = mode == kLstm ? 4 : mode == kGru ? 3 : 1, out = projects ? narrow : hidden;
        auto some = [&](IntList size) { return on(real(size, t), cuda()); };
        const Tensor w = some({{gates * hidden, in}}), r = some({{gates * hidden, out}}),
                     b = some({{gates * hidden}}), hr = projects ? some({{out, hidden}}) : Tensor(),
                     h0 = some({{n, out}}), c0 = mode == kLstm ? some({{n, hidden}}) : Tensor();
        for (bool reverse : {false, true}) {
          int64_t forward[2], backward[2];
          for (int i = 0; i < 2; ++i) {
            const int64_t steps = 4 + 3 * i;
            const std::vector<int64_t> batch(size_t(steps), n);
            const Tensor x = some({{steps * n, in}}), g = some({{steps * n, out}});
            auto layer = [&] { return ops::rnn_layer(x, w, r, b, b, hr, h0, c0, mode, reverse, batch); };
            forward[i] = enqueued([&] { return layer()[0]; });
            const auto kept = layer();
            backward[i] = enqueued([&] {
              return ops::rnn_layer_backward(r, hr, h0, c0, kept[0], kept[3], kept[4], g, Tensor(), Tensor(),
                                             mode, reverse, batch)[0];
            });
          }
          // A projection is one more product; its gradient that and an addition.
          EXPECT_EQ(forward[1] - forward[0], 3 * (projects ? 3 : 2));
          EXPECT_EQ(backward[1] - backward[0], 3 * (projects ? 4 : 2));
        }
      }
}

TEST_F(CudaSteps, BiasGradientsOf16BitFloatsComeWithTheProduct) {
  auto calls = [&](DType t) {
    const Tensor g = on(real({{7, 5}}, t), cuda()), x = on(real({{7, 3}}, t), cuda());
    return enqueued([&] { return ops::linear_weight_backward(g, x)[0]; });
  };
  const int64_t one = calls(DType::bf16);
  EXPECT_EQ(calls(DType::f16), one);
  EXPECT_GT(calls(DType::f32), one);
}

TEST_F(CudaSteps, GradientsOfWeightAndBias) {
  for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (auto [rows, out, in] :
         {std::array<int64_t, 3>{70, 5, 3}, {9, 1, 8}, {1, 6, 4}, {0, 3, 2}, {33, 8, 1}}) {
      SCOPED_TRACE(concat(dtype_name(t), " ", rows, " ", out, " ", in));
      const double near = t == DType::bf16 ? 1e-2 : t == DType::f16 ? 2e-3 : 1e-5;
      expect_same(
          {real({{rows, out}}, t), real({{rows, in}}, t), real({{out, rows}}, t)},
          [](const Tensors& x) -> Tensors {
            const auto [dw, db] = ops::linear_weight_backward(x[0], x[1]);
            const auto [turned, sums] = ops::linear_weight_backward(ops::permute(x[2], {{1, 0}}), x[1]);
            return {dw, db, turned, sums};
          },
          near);
    }
}

TEST_F(CudaSteps, ARootMeanSquareNormIsAKernelAndItsGradientTwo) {
  for (DType t : {DType::f32, DType::bf16}) {
    SCOPED_TRACE(dtype_name(t));
    const int64_t rows = 60, n = 128;
    const Tensor g = on(real({{rows, n}}, t), cuda());
    Tensor x = on(real({{rows, n}}, t), cuda()), w = on(real({{n}}, t), cuda());
    const auto norm = [&] { return ops::rms_norm(x, {{n}}, w); };
    EXPECT_EQ(enqueued(norm), 1 + kCopy);
    EXPECT_LT(taken(norm), rows * n * item_size(t) * 3 / 2);
    set_requires_grad(x, true);
    set_requires_grad(w, true);
    EXPECT_LE(enqueued([&] {
                const Tensor y[] = {norm()}, of[] = {x, w}, seed[] = {g};
                return grad(y, of, seed)[0];
              }),
              1 + 2 + kCopy);
  }
}

TEST_F(CudaSteps, RunningStatisticsMoveInOneKernel) {
  for (DType t : {DType::f32, DType::bf16}) {
    SCOPED_TRACE(dtype_name(t));
    const Tensor x = on(real({{6, 5, 7}}, t), cuda());
    auto steps = [&](const Tensor& mean, const Tensor& var) {
      return enqueued([&] { return ops::batch_norm(x, {}, {}, mean, var, true); });
    };
    const Tensor mean = on(real({{5}}, DType::f32), cuda()), var = on(real({{5}}, DType::f32), cuda());
    const int64_t without = steps({}, {});
    EXPECT_EQ(steps(mean, var), without + 1);
    EXPECT_EQ(steps({}, var), without + 1);
    // Of other types and strides, or with one of them alone.
    expect_same(
        {real({{6, 5, 7}}, t), real({{10}}, DType::f64), real({{5}}, DType::f16)},
        [](const Tensors& in) -> Tensors {
          const Tensor m = ops::clone(in[1]), v = ops::clone(in[2]), alone = ops::clone(in[2]);
          ops::batch_norm(in[0], {}, {}, ops::slice(m, 0, 0, 10, 2), v, true, 0.3);
          ops::batch_norm(in[0], {}, {}, alone, {}, true, 0.3);
          return {m, v, alone};
        },
        1e-3);
  }
}

TEST_F(CudaSteps, ALogarithmOfSumsIsAKernelForRows) {
  for (DType t : {DType::f32, DType::bf16}) {
    SCOPED_TRACE(dtype_name(t));
    const Tensor x = on(real({{50, 400}}, t), cuda());
    const auto along = [&] { return ops::logsumexp(x, Shape{1}); };
    EXPECT_LE(enqueued(along),
              2 + (t != DType::f32) + kCopy);  // targets, rows, and the cast of their results
    EXPECT_LT(taken(along), x.numel() * item_size(t) / 2);
  }
}

// Norms of 64 gradients a launch and what joins them, one number's arithmetic, 64 gradients scaled a launch.
TEST_F(CudaSteps, ClippingIsAFewKernelsForAllGradients) {
  std::vector<Tensor> few, many;
  for (int i = 0; i < 120; ++i) {
    Tensor p = ops::zeros(Shape{3 + i % 5}, DType::f32, cuda());
    set_requires_grad(p, true);
    set_gradient(p, ops::ones_like(ops::detach(p)));
    (i < 2 ? few : many).push_back(p);
  }
  const int64_t of_two = enqueued([&] { return clip_grad_norm(few, 1.0); });
  many.insert(many.end(), few.begin(), few.end());
  EXPECT_LE(of_two, 12);
  EXPECT_EQ(enqueued([&] { return clip_grad_norm(many, 1.0); }), of_two + 3);
}

TEST_F(CudaSteps, IntegersAreReducedWhereTheyLie) {
  for (DType t : {DType::boolean, DType::u8, DType::i8, DType::i16, DType::i32}) {
    SCOPED_TRACE(dtype_name(t));
    const Tensor x = on(few({{40, 5000}}, t), cuda());
    const Shape one{1}, both{0, 1};
    const std::pair<const char*, std::function<Tensor()>> calls[] = {
        {"sum", [&] { return ops::sum(x, one); }},         {"sum of all", [&] { return ops::sum(x, both); }},
        {"any", [&] { return ops::any(x, one); }},         {"all", [&] { return ops::all(x, one); }},
        {"amax", [&] { return ops::amax(x, one); }},       {"amin", [&] { return ops::amin(x, Shape{0}); }},
        {"argmax", [&] { return ops::argmax(x, kNone); }}, {"max", [&] { return ops::max_dim(x, 1)[0]; }},
    };
    for (const auto& [name, call] : calls) {
      SCOPED_TRACE(name);
      EXPECT_LT(taken(call), x.numel() * item_size(t) / 2);
    }
  }
}

}  // namespace
}  // namespace haft
