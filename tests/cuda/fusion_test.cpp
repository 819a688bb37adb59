// Fused kernels beside the operators that they are made of, run one by one on the same device: every POINTWISE op,
// and the chains that networks have, over views of all kinds.
#include "core/backend/fused.h"
#include "core/dispatch/dispatch.h"
#include "tests/cuda/against_cpu.h"
#include "tests/cuda/fusion/patterns.h"

namespace haft {
namespace {

using namespace testing;
using fusion::Chain;

// Compiled kernels stay in the build's folder, so that a test that runs again is quick.
[[maybe_unused]] const int kept = setenv("HAFT_CACHE_PATH", HAFT_FUSED_CACHE, 0);

Tensors one_by_one(const Chain& c, const Tensors& in) {
  Tensors values = in, results;
  for (const haft_fused_step& s : c.steps) {
    const Tensor* of[6];
    for (int i = 0; i < s.n_in; ++i) of[i] = &values[s.in[i]];
    std::vector<uint64_t> words(c.words.begin() + s.attrs, c.words.begin() + s.attrs + s.n_attrs);
    Tensor out;
    dispatch({.op = OpId(s.op), .n_in = s.n_in, .in = of, .words = words, .out = &out});
    values.push_back(out);
  }
  const int64_t last[] = {-1};
  for (size_t k = 0; k < c.out.size(); ++k) {
    const Tensor& x = values[c.out[k]];
    switch (c.joins[k]) {
      case HAFT_FUSED_SUM: results.push_back(ops::sum(x, last, true)); break;
      case HAFT_FUSED_MEAN: results.push_back(ops::mean(x, last, true)); break;
      case HAFT_FUSED_MAX: results.push_back(ops::amax(x, last, true)); break;
      case HAFT_FUSED_MIN: results.push_back(ops::amin(x, last, true)); break;
      default: results.push_back(x);
    }
  }
  return results;
}

Tensors fused(const Chain& c, const Tensors& in, const Tensors& want) {
  FusedKernel kernel(cuda(), c.program());
  Tensors out;
  std::vector<const haft_tensor_view*> ins, outs;
  for (const Tensor& t : in) ins.push_back(&t.view());
  for (const Tensor& t : want) out.push_back(new_tensor(t.sizes(), t.dtype(), t.device()));
  for (const Tensor& t : out) outs.push_back(&t.view());
  kernel.launch(ins, outs, c.words);
  return out;
}

struct CudaFusion : CudaTest {
  // Numbers between -4 and 4, and some that operators have rules for.
  Tensor input(IntList size, DType t) {
    if (t == DType::boolean) return ops::gt_scalar(real(size, DType::f64), Scalar(0.0));
    if (!is_float(t)) return few(size, t);
    return ops::where(ops::gt_scalar(real(size, DType::f64), Scalar(0.4)), few(size, t, true),
                      ops::mul_scalar(real(size, t), Scalar(8.0)));
  }
  void expect_fused(const Chain& c, const Tensors& host) {
    SCOPED_TRACE(c.name);
    Tensors in;
    for (const Tensor& t : host) in.push_back(on_device(t));
    const Tensors want = one_by_one(c, in), got = fused(c, in, want);
    for (size_t k = 0; k < want.size(); ++k) {
      const DType t = want[k].dtype();
      const std::vector<double> a = numbers(got[k]), b = numbers(want[k]);
      // A unit or few of the last place: an operator's own kernel joins its products with sums, sums of rows have an
      // order.
      const double unit = t == DType::f64   ? 1e-13
                          : t == DType::f32 ? 1e-5
                          : t == DType::f16 ? 4e-3
                          : is_float(t)     ? 3e-2
                                            : 0;
      for (size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(b[i]) || std::isinf(b[i]))
          ASSERT_TRUE(std::isnan(b[i]) ? std::isnan(a[i]) : a[i] == b[i])
              << "output " << k << ", element " << i << ": " << a[i] << ", wanted " << b[i];
        else
          ASSERT_NEAR(a[i], b[i], unit * (1 + std::abs(b[i]))) << "output " << k << ", element " << i;
      }
    }
  }
  // The same view there: strides stay.
  static Tensor on_device(const Tensor& t) {
    if (t.is_contiguous()) return on(t, cuda());
    int64_t n = 1;
    for (int d = 0; d < t.ndim(); ++d) n += (t.size(d) - 1) * t.strides()[size_t(d)];
    const Tensor flat = on(ops::contiguous(ops::as_strided(t, Shape{t.numel() ? n : 0}, Shape{1})), cuda());
    return ops::as_strided(flat, t.sizes(), t.strides());
  }
};

// A test a type, so that several processes share them (run.sh): nearly all of their time is NVRTC's.
struct CudaFusionOf : CudaFusion, ::testing::WithParamInterface<DType> {};
std::string name_of(const ::testing::TestParamInfo<DType>& info) { return dtype_name(info.param); }

TEST_P(CudaFusionOf, EveryOperator) {
  for (const Chain& c : fusion::all_ops(GetParam())) {
    Tensors in;
    for (uint8_t type : c.in) in.push_back(input(Shape{1003}, DType(type)));
    expect_fused(c, in);
  }
}
INSTANTIATE_TEST_SUITE_P(, CudaFusionOf,
                         ::testing::Values(DType::f32, DType::f64, DType::bf16, DType::f16, DType::u8,
                                           DType::i16, DType::i32, DType::i64, DType::boolean),
                         name_of);

TEST_F(CudaFusion, PatternsOverEveryLayout) {
  for (DType t : {DType::f32, DType::bf16, DType::f64, DType::f16})
    for (const Chain& c : fusion::patterns(t)) {
      auto make = [&](auto&& view) {
        Tensors in;
        for (size_t i = 0; i < c.in.size(); ++i) in.push_back(view(DType(c.in[i]), i));
        return in;
      };
      // Dense: packs, and what is left of them.
      expect_fused(c, make([&](DType d, size_t) { return input(Shape{7, 64}, d); }));
      if (t == DType::f64 || t == DType::f16) continue;
      expect_fused(c, make([&](DType d, size_t) { return input(Shape{5, 33}, d); }));
      expect_fused(c, make([&](DType d, size_t) { return input(Shape{0, 8}, d); }));
      // A bias along the last dimension, and one number a row.
      expect_fused(c, make([&](DType d, size_t i) {
                     return i == 1 ? ops::expand(input(Shape{64}, d), Shape{6, 64}) : input(Shape{6, 64}, d);
                   }));
      expect_fused(
          c, make([&](DType d, size_t i) {
            return i == 0 ? input(Shape{6, 64}, d) : ops::expand(input(Shape{6, 1}, d), Shape{6, 64});
          }));
      // Turned, with steps, misaligned.
      expect_fused(c, make([&](DType d, size_t i) {
                     return i == 0 ? ops::transpose(input(Shape{24, 10}, d), 0, 1) : input(Shape{10, 24}, d);
                   }));
      expect_fused(c, make([&](DType d, size_t) {
                     return ops::slice(input(Shape{4, 3, 50}, d), 2, 1, 50, 3);
                   }));
      expect_fused(c, make([&](DType d, size_t) { return ops::slice(input(Shape{65}, d), 0, 1, 65); }));
    }
}

TEST_F(CudaFusion, NumbersWithoutDimensionsAndRowsOfAllLengths) {
  Chain c("a number", {DType::f32, DType::f32});
  c.store(c.step(OpId::add, {c.step(OpId::mul, {0, 1}), 1}));
  expect_fused(c, {input({}, DType::f32), input({}, DType::f32)});
  Chain r("rows", {DType::f32});
  const uint16_t x = r.step(OpId::square, {0});
  r.store(x, HAFT_FUSED_SUM).store(x, HAFT_FUSED_MAX);
  for (int64_t n : {1, 2, 3, 31, 32, 33, 127, 128, 513, 1000, 4096, 10000}) {
    SCOPED_TRACE(n);
    expect_fused(r, {input(Shape{5, n}, DType::f32)});
  }
  Chain s("sums of integers", {DType::u8});
  s.store(s.step(OpId::add_scalar, {0}, {uint64_t(ScalarKind::integer), 200}), HAFT_FUSED_SUM);
  expect_fused(s, {input(Shape{3, 100}, DType::u8)});
  Chain e("sums of nothing", {DType::f32});
  e.store(e.step(OpId::neg, {0}), HAFT_FUSED_SUM);
  expect_fused(e, {input(Shape{3, 0}, DType::f32)});
}

TEST_F(CudaFusion, TypesAreCastOnTheWay) {
  const DType all[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::boolean,
                       DType::u8,  DType::i8,  DType::i16, DType::i32,  DType::i64};
  for (DType from : {DType::f32, DType::i64, DType::u8}) {
    Chain c(concat("casts of ", dtype_name(from)), {from});
    for (DType to : all) c.store(c.step(OpId::cast, {0}, {uint64_t(to)}));
    expect_fused(c, {ops::mul_scalar(input(Shape{200}, from), Scalar(int64_t(7)))});
  }
}

TEST_F(CudaFusion, WhatItCannotFuseIsRefusedByName) {
  auto refused = [&](const Chain& c) {
    try {
      FusedKernel k(cuda(), c.program());
    } catch (const Error& e) {
      EXPECT_EQ(e.code, Code::unsupported);
      return e.message;
    }
    return std::string();
  };
  Chain mm("a product", {DType::f32, DType::f32});
  mm.store(mm.step(OpId::mm, {0, 1}));
  EXPECT_NE(refused(mm).find("mm does not compute element by element"), std::string::npos) << refused(mm);
  Chain many("many", {DType::f32});
  for (int i = 0; i < 16; ++i) many.store(many.step(OpId::neg, {0}));
  EXPECT_NE(refused(many).find("at most 16 tensors"), std::string::npos) << refused(many);
  Chain mean("a mean", {DType::i32});
  mean.store(mean.step(OpId::neg, {0}), HAFT_FUSED_MEAN);
  EXPECT_NE(refused(mean).find("a mean of int32"), std::string::npos) << refused(mean);
}

}  // namespace
}  // namespace haft
