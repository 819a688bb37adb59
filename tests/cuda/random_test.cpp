// Random numbers are a function of seed, offset and place: the GPU draws the bits that the CPU draws.
#include <dlfcn.h>

#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;
struct CudaRandom : CudaTest {
  int64_t seed = int64_t(random()), offset = int64_t(random() >> 8);
};

constexpr int64_t kSizes[] = {1, 3, 4, 7, 1024, 5001};
constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

// Calls without inputs: f(device) on both.
void expect_drawn(const std::function<Tensor(Device)>& f, double tolerance = 0) {
  Device where{};
  expect_same(
      {},
      [&](const Tensors&) -> Tensors {
        const Tensor t = f(where);
        where = cuda();
        return {t};
      },
      tolerance);
}

TEST_F(CudaRandom, UniformAndIntegersHaveTheSameBits) {
  for (int64_t n : kSizes) {
    SCOPED_TRACE(n);
    for (DType t : kFloats)
      for (auto [low, high] : {std::array{0.0, 1.0}, std::array{-0.3, 1.9}, std::array{1e3, 1e3 + 1}})
        expect_drawn([&, low = low, high = high](Device d) {
          return ops::philox_uniform({{n}}, low, high, seed, offset, t, d);
        });
    for (DType t : {DType::i64, DType::i32, DType::f32})
      expect_drawn([&](Device d) { return ops::philox_randint({{n}}, -9, 1000, seed, offset, t, d); });
    expect_drawn([&](Device d) {
      return ops::philox_randint({{n}}, INT64_MIN / 2, INT64_MAX, seed, offset, DType::i64, d);
    });
    expect_drawn([&](Device d) { return ops::philox_randint({{n}}, 0, 2, seed, offset, DType::boolean, d); });
  }
  // Counters carry into their upper word.
  expect_drawn([&](Device d) { return ops::philox_uniform({{99}}, 0, 1, seed, 0xfffffff0, DType::f32, d); });
  expect_drawn([&](Device d) { return ops::philox_uniform({{99}}, 0, 1, seed, -5, DType::f64, d); });
}

TEST_F(CudaRandom, NormalsDifferByTheirLogarithmsAtMost) {
  for (int64_t n : kSizes)
    for (DType t : kFloats) {
      const double tolerance = t == DType::f64   ? 1e-14
                               : t == DType::f32 ? 2e-6
                               : t == DType::f16 ? 1e-3
                                                 : 8e-3;
      expect_drawn([&](Device d) { return ops::philox_normal({{n}}, 0.5, 2, seed, offset, t, d); },
                   tolerance);
    }
}

TEST_F(CudaRandom, MasksAndPermutationsHaveTheSameBits) {
  for (int64_t n : {1, 7, 5001}) {
    SCOPED_TRACE(n);
    for (DType t : kFloats) {
      const Tensor p = ops::philox_uniform({{n, 2}}, 0, 1, seed + 1, offset, t, Device{}),
                   x = few({{n + 1}}, t, true);
      expect_same({p}, [&](const Tensors& in) -> Tensors {
        return {ops::philox_bernoulli(in[0], seed, offset),
                ops::philox_bernoulli(ops::select(in[0], 1, 1), seed, offset)};
      });
      for (double drop : {0.1, 1.0})
        expect_same({x}, [&](const Tensors& in) -> Tensors {
          auto all = ops::philox_dropout(in[0], drop, seed, offset);
          auto behind =
              ops::philox_dropout(ops::slice(in[0], 0, 1, n + 1, 1), drop, seed, offset);  // not aligned
          return {all[0], all[1], behind[0], behind[1]};
        });
    }
    expect_drawn([&](Device d) { return ops::philox_randperm(n, seed, offset, DType::i64, d); });
    expect_drawn([&](Device d) { return ops::philox_randperm(n, seed, offset, DType::f64, d); });
  }
}

TEST_F(CudaRandom, MultinomialDrawsTheSameClasses) {
  for (DType t : kFloats)
    for (int64_t classes : {1, 5, 300, 2500}) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(classes));
      const Tensor w = ops::relu(few({{4, classes}}, t)),
                   some = ops::add(w, ops::full({{4, classes}}, Scalar(0.125), t, Device{}));
      expect_same({some}, [&](const Tensors& in) -> Tensors {
        return {ops::philox_multinomial(in[0], 50, true, seed, offset),
                ops::philox_multinomial(in[0], std::min<int64_t>(classes, 40), false, seed, offset)};
      });
    }
}

TEST_F(CudaRandom, GammaVariablesAndTheirSlopes) {
  const Tensor shape = ops::mul_scalar(ops::add_scalar(real({{300}}, DType::f64), Scalar(0.5)), Scalar(4.0));
  for (DType t : kFloats)
    expect_same(
        {ops::cast(shape, t)},
        [&](const Tensors& in) -> Tensors {
          const Tensor x = ops::philox_gamma(in[0], seed, offset);
          return {x};
        },
        t == DType::f64   ? 1e-12
        : t == DType::f32 ? 1e-6
                          : 1e-2);
  expect_same(
      {shape, ops::add_scalar(real({{300}}, DType::f64), Scalar(0.6))},
      [](const Tensors& in) -> Tensors { return {ops::gamma_slope(in[0], in[1])}; }, 1e-11);
}

TEST_F(CudaRandom, CountsAreTheSame) {
  // Rates and trials around the border between search and rejection, and far from it.
  const std::vector<double> rates{0, 0.01, 1, 9.99, 10, 10.5, 40, 3000, INFINITY},
      trials{0, 1, 7, 19, 21, 100, 1000.5, 30000, INFINITY}, chances{0, 1e-3, 0.3, 0.5, 0.51, 0.99, 1};
  auto of = [&](const std::vector<double>& from) {
    std::vector<double> v(700);
    for (double& x : v) x = from[size_t(below(int64_t(from.size())))];
    return vector_of(v, DType::f64, {{700}});
  };
  for (DType t : kFloats) {
    const Tensor rate = ops::cast(of(rates), t), n = ops::cast(of(trials), DType::f32),
                 p = ops::cast(of(chances), t);
    expect_same({rate, p, n}, [&](const Tensors& in) -> Tensors {
      return {ops::philox_poisson(in[0], seed, offset), ops::philox_binomial(in[1], in[2], seed, offset),
              ops::philox_poisson(ops::slice(in[0], 0, 1, 700, 3), seed, offset)};
    });
  }
}

TEST_F(CudaRandom, CountsReadNothingOnTheHost) {
  void* plugin = dlopen(HAFT_CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  auto* waits = reinterpret_cast<int64_t (*)()>(plugin ? dlsym(plugin, "haft_simulated_waits") : nullptr);
  if (!waits) GTEST_SKIP() << "only the simulated device counts its waits";
  const Tensor rate = ops::full({{64}}, Scalar(20.0), DType::f32, cuda()),
               p = ops::full({{64}}, Scalar(0.5), DType::f32, cuda());
  const int64_t before = waits();
  const Tensor some = ops::poisson(rate), others = ops::binomial(rate, p);
  EXPECT_EQ(waits(), before);
  EXPECT_GT(numbers(ops::sum(some))[0] + numbers(ops::sum(others))[0], 64 * 20);
}

TEST_F(CudaRandom, WhatIsNoProbabilityIsTold) {
  auto told = [&](auto&& call, const std::string& part) {
    try {
      call();
      raw(on(ops::full({{2}}, Scalar(1.0), DType::f32, cuda()), Device{}));
      ADD_FAILURE() << "nothing was told; wanted: " << part;
    } catch (const Error& e) {
      EXPECT_EQ(int(e.code), int(Code::invalid_argument)) << e.message;
      EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
    }
  };
  auto row = [](std::vector<double> v) {
    return on(vector_of(v, DType::f64, {{int64_t(v.size())}}), cuda());
  };
  told([&] { ops::philox_bernoulli(row({0, 1, 1.5}), seed, offset); }, "bernoulli: p of element 2 is 1.5");
  told([&] { ops::poisson(row({1, 2, -2})); }, "poisson: element 2 is -2");
  told([&] { ops::binomial(row({5, -1}), row({0.5, 0.5})); }, "binomial: count of element 1 is -1");
  told([&] { ops::binomial(row({5, 5}), row({0.5, 2})); }, "binomial: prob of element 1 is 2");
  told([&] { ops::philox_gamma(row({1, -2}), seed, offset); }, "standard_gamma: element 1 is -2");
  for (bool replacement : {true, false}) {
    told(
        [&] {
          ops::philox_multinomial(row({1, -1, 1}), 1, replacement, seed, offset);
        },
        "multinomial: weight 1 of row 0 is -1");
    told(
        [&] {
          ops::philox_multinomial(row({0, 0}), 1, replacement, seed, offset);
        },
        "multinomial: the weights of row 0 sum to 0");
  }
  // Without replacement classes of weight 0 come when there are no others, in their order.
  EXPECT_EQ(numbers(ops::philox_multinomial(row({0, 3, 0}), 3, false, seed, offset)),
            (std::vector<double>{1, 0, 2}));
}

}  // namespace
}  // namespace haft
