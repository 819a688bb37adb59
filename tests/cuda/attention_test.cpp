// Attention on the GPU where the records have no sizes for it: 16-bit floats by cuDNN alone, its masks, grouped heads
// and rows that see nothing, and few queries over keys of many parts.
#include <dlfcn.h>

#include <limits>

#include "core/base/thread_state.h"
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct CudaAttention : CudaTest {
  enum Kind { kNone, kKeys, kPlaces, kHeads, kBlind, kAdditive };
  struct Sizes {
    int64_t n = 2, heads = 4, own = 4, queries = 9, keys = 13, width = 16;
  };

  // A mask of the whole (N, H, L, S), by views where it is alike along a dimension.
  Tensor mask(Kind kind, const Sizes& z) {
    const Shape whole{z.n, z.heads, z.queries, z.keys};
    Shape own = whole;
    if (kind == kKeys) own = {z.n, 1, 1, z.keys};
    if (kind == kPlaces || kind == kAdditive) own = {1, 1, z.queries, z.keys};
    int64_t count = 1;
    for (int64_t s : own) count *= s;
    if (kind == kAdditive) {
      std::vector<float> v(static_cast<size_t>(count));
      for (size_t i = 0; i < v.size(); ++i) {
        const int64_t what = i % size_t(z.keys) ? below(6) : 2;  // the first key is seen
        v[i] = what == 0   ? -kInfinity
               : what == 1 ? std::numeric_limits<float>::lowest()
                           : float(below(33) - 16) / 8;
      }
      // A row of nothing, and one whose numbers leave nothing of the scores: that one sees all keys alike.
      for (int64_t j = 0; j < z.keys; ++j) {
        v[size_t(j)] = -kInfinity;
        if (z.queries > 1) v[size_t(z.keys + j)] = -1e9f;
      }
      return ops::expand(vector_of(v, DType::f32, own), whole);
    }
    std::vector<uint8_t> v(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      v[size_t(i)] = below(3) != 0 || i % z.keys == 0;  // the first key is seen
    if (kind == kBlind)
      for (int64_t j = 0; j < z.keys; ++j) v[size_t(2 * z.keys + j)] = 0;
    return ops::expand(ops::cast(vector_of(v, DType::u8, own), DType::boolean), whole);
  }

  struct How {
    bool causal = false, backward = true;
    double dropout = 0;
  };
  // Forward and backward of one shape, on both.
  void compare(Sizes z, Kind kind, DType t, How how) {
    SCOPED_TRACE(concat(dtype_name(t), ", mask ", int(kind), how.causal ? ", causal" : "", ", dropout ",
                        how.dropout, ", heads ", z.heads, " over ", z.own, ", ", z.queries, " queries, ",
                        z.keys, " keys, width ", z.width));
    Tensors in{real(Shape{z.n, z.heads, z.queries, z.width}, t), real(Shape{z.n, z.own, z.keys, z.width}, t),
               real(Shape{z.n, z.own, z.keys, z.width}, t), real(Shape{z.n, z.queries, z.heads, z.width}, t)};
    if (kind != kNone) in.push_back(mask(kind, z));
    const double near = t == DType::bf16 ? 0.02 : t == DType::f16 ? 3e-3 : 1e-5;
    expect_same(
        in,
        [&](const Tensors& x) -> Tensors {
          const Tensor mask = kind == kNone ? Tensor() : x[4];
          const auto [out, lse] = ops::attention(x[0], x[1], x[2], mask, 0.7, how.causal, how.dropout, 3, 4);
          if (!how.backward) return {out, lse};
          const auto [dq, dk, dv] = ops::attention_backward(x[3], x[0], x[1], x[2], mask, out, lse, 0.7,
                                                            how.causal, how.dropout, 3, 4);
          return {out, lse, dq, dk, dv};
        },
        near);
  }
};

// Whoever asks for cuDNN alone is told where it does not take a call.
struct ByLibrary {
  ScopedValue<uint32_t> flags{thread_state().call_flags, HAFT_CALL_DNN_ATTENTION};
};

TEST_F(CudaAttention, MasksGoToTheLibrary) {
  const ByLibrary alone;
  for (DType t : {DType::bf16, DType::f16})
    for (Kind kind : {kNone, kKeys, kPlaces, kHeads, kBlind, kAdditive})
      for (bool causal : {false, true}) compare({}, kind, t, {.causal = causal});
}

TEST_F(CudaAttention, GroupedHeadsGoToTheLibrary) {
  const ByLibrary alone;
  for (int64_t own : {2, 1})
    for (Kind kind : {kNone, kBlind})
      compare({.own = own, .queries = 5, .keys = 8, .width = 8}, kind, DType::bf16, {.causal = true});
}

TEST_F(CudaAttention, TheLibraryTakesNoDropout) {
  const ByLibrary alone;
  const Tensor x = on(real(Shape{1, 2, 8, 16}, DType::bf16), cuda());
  try {
    ops::attention(x, x, x, Tensor(), 1, false, 0.5, 0, 0);
    FAIL() << "cuDNN's numbers of dropout are not the CPU's";
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::unsupported);
    EXPECT_NE(e.message.find("cuDNN does not take this call"), std::string::npos) << e.message;
  }
}

// Keys of one part and of many, groups of one head and of more than a block has rows for, widths that are no vectors.
TEST_F(CudaAttention, FewQueriesOverManyKeys) {
  const How forward{.backward = false}, causal{.causal = true, .backward = false};
  for (DType t : {DType::f32, DType::f16, DType::bf16}) {
    compare({.n = 2, .heads = 3, .own = 3, .queries = 1, .keys = 700, .width = 64}, kNone, t, forward);
    compare({.n = 1, .heads = 12, .own = 1, .queries = 1, .keys = 333, .width = 40}, kNone, t, forward);
    compare({.n = 2, .heads = 4, .own = 2, .queries = 4, .keys = 130, .width = 13}, kBlind, t, forward);
    compare({.n = 1, .heads = 4, .own = 2, .queries = 3, .keys = 300, .width = 128}, kAdditive, t, forward);
    compare({.n = 1, .heads = 2, .own = 2, .queries = 4, .keys = 5, .width = 256}, kNone, t, causal);
    compare({.n = 1, .heads = 2, .own = 2, .queries = 2, .keys = 40, .width = 8}, kKeys, t, causal);
  }
}

// Tiles of queries and keys that are not full, several of each, both widths of the kernels, rows that are no vectors.
TEST_F(CudaAttention, TensorCoresWithoutTheLibrary) {
  const ScopedValue<uint32_t> own(thread_state().call_flags, HAFT_CALL_NO_DNN_ATTENTION);
  for (DType t : {DType::bf16, DType::f16}) {
    compare({.n = 2, .heads = 2, .own = 2, .queries = 70, .keys = 67, .width = 16}, kNone, t,
            {.dropout = 0.25});
    compare({.n = 1, .heads = 2, .own = 1, .queries = 80, .keys = 40, .width = 72}, kAdditive, t,
            {.causal = true});
    compare({.n = 1, .heads = 1, .own = 1, .queries = 9, .keys = 130, .width = 128}, kBlind, t,
            {.dropout = 0.5});
    compare({.n = 1, .heads = 1, .own = 1, .queries = 65, .keys = 65, .width = 13}, kNone, t,
            {.causal = true, .dropout = 0.25});
  }
}

// A weight that dropout divides by 1e-5 is more than float16 holds, its product with a value is not.
TEST_F(CudaAttention, DropoutThatLeavesAlmostNothing) {
  const ScopedValue<uint32_t> own(thread_state().call_flags, HAFT_CALL_NO_DNN_ATTENTION);
  const double p = 0.99999;
  const Tensor q = real(Shape{1, 1, 256, 8}, DType::f16), k = real(Shape{1, 1, 1, 8}, DType::f16),
               v = ops::full(Shape{1, 1, 1, 8}, Scalar(0.125), DType::f16, Device{});
  int64_t seed = 0;
  auto largest = [&] {
    return numbers(ops::amax(ops::attention(q, k, v, Tensor(), 1, false, p, seed, 0)[0], Shape{}))[0];
  };
  while (largest() == 0) ++seed;  // until one is kept
  expect_same(
      {q, k, v},
      [&](const Tensors& x) -> Tensors {
        return {ops::attention(x[0], x[1], x[2], Tensor(), 1, false, p, seed, 0)[0]};
      },
      1e-3);
  EXPECT_NEAR(largest(), 12500, 100);
}

TEST_F(CudaAttention, GeneratingMakesNoPlans) {
  void* plugin = dlopen(HAFT_CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  auto* plans = reinterpret_cast<int64_t (*)()>(plugin ? dlsym(plugin, "haft_simulated_plans") : nullptr);
  if (!plans) GTEST_SKIP() << "only the simulated library counts its plans";
  const Tensor cache = on(real(Shape{1, 2, 64, 16}, DType::bf16), cuda());
  const Tensor q = on(real(Shape{1, 4, 1, 16}, DType::bf16), cuda());
  const int64_t before = plans();
  for (int64_t n = 1; n <= 64; ++n) {
    const Tensor keys = ops::slice(cache, 2, 0, n, 1);
    ops::attention(q, keys, keys, Tensor(), 1, false, 0, 0, 0);
  }
  EXPECT_EQ(plans(), before) << "a plan a token";
  const Tensor prompt = on(real(Shape{1, 4, 8, 16}, DType::bf16), cuda()),
               keys = ops::slice(cache, 2, 0, 8, 1);
  for (int i = 0; i < 3; ++i) ops::attention(prompt, keys, keys, Tensor(), 1, true, 0, 0, 0);
  EXPECT_EQ(plans(), before + 1) << "a prompt's plan is kept";
}

}  // namespace
}  // namespace haft
