// 8-bit floats on the GPU: the bits of the CPU, and products by the library and without it.
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;
struct CudaFloat8 : CudaTest {
  // Floats of every exponent and sign, many of them middles between two 8-bit ones.
  Tensor any(int64_t n) {
    std::vector<uint32_t> bits(static_cast<size_t>(n));
    for (uint32_t& b : bits) b = uint32_t(random()) & (below(2) ? 0xffffffffu : 0xfff80000u);
    return vector_of(bits, DType::f32, Shape{n});
  }
  Tensor eight(IntList size, DType t) { return ops::cast(ops::mul_scalar(real(size, DType::f32), 8.0), t); }
};

constexpr DType kEight[] = {DType::f8e4m3fn, DType::f8e5m2};
constexpr DType kTypes[] = {DType::f32, DType::f64,     DType::f16,      DType::bf16,
                            DType::i64, DType::i32,     DType::i16,      DType::i8,
                            DType::u8,  DType::boolean, DType::f8e4m3fn, DType::f8e5m2};

TEST_F(CudaFloat8, CastsHaveTheSameBits) {
  std::vector<uint8_t> all(256);
  for (int i = 0; i < 256; ++i) all[size_t(i)] = uint8_t(i);
  for (DType t : kEight) {
    const Tensor values = vector_of(all, t, Shape{256}), floats = any(20000);
    for (DType other : kTypes) {
      if (other == t) continue;
      SCOPED_TRACE(std::string(dtype_name(t)) + " and " + dtype_name(other));
      expect_same({values}, [&](const Tensors& in) { return Tensors{ops::cast(in[0], other)}; });
      expect_same({is_float(other) ? ops::cast(floats, other) : few(Shape{1000}, other)},
                  [&](const Tensors& in) { return Tensors{ops::cast(in[0], t)}; });
    }
  }
}

TEST_F(CudaFloat8, ViewsAndMoves) {
  for (DType t : kEight) {
    SCOPED_TRACE(dtype_name(t));
    const Tensor x = eight({{37, 50}}, t), at = picks({{9}}, 37);
    expect_same({x, at}, [&](const Tensors& in) -> Tensors {
      const Tensor x = in[0], i = in[1], turned = ops::transpose(x, 0, 1),
                   y = ops::zeros(Shape{50, 37}, DType::f32, x.device());
      const Tensor wide = ops::expand(ops::unsqueeze(i, 1), Shape{9, 50}),
                   mask = ops::gt_scalar(ops::cast(x, DType::f32), 0.0);
      ops::copy_(y, turned);
      return {
          ops::contiguous(turned),
          ops::cast(turned, DType::f16),
          y,
          ops::cat({{x, x}}, 1),
          ops::flip(x, Shape{0, 1}),
          ops::roll(x, Shape{3}),
          ops::tril(x),
          ops::triu(x, 1),
          ops::index_select(x, 0, i),
          ops::gather(x, 0, wide),
          ops::embedding(x, i),
          ops::masked_select(x, mask),
          ops::index(x, {{i}}),
          ops::index_put(x, {{ops::slice(i, 0, 0, 1, 1)}}, ops::slice(x, 0, 2, 3, 1)),
          ops::scatter(x, 1, ops::slice(wide, 1, 0, 1, 1), ops::slice(ops::slice(x, 0, 0, 9, 1), 1, 0, 1, 1)),
          ops::full(Shape{33}, 3.3, t, x.device()),
          ops::eye(7, 9, t, x.device()),
          ops::ones_like(turned)};
    });
  }
}

// Sizes that the library takes and others; scales of one number, of each row and column, and of both kinds.
TEST_F(CudaFloat8, ScaledProducts) {
  struct Sizes {
    int64_t m, n, k;
  };
  for (const Sizes s : {Sizes{5, 32, 48}, {64, 16, 16}, {1, 48, 32}, {17, 33, 40}, {3, 16, 7}, {16, 20, 32}})
    for (DType a : kEight)
      for (DType b : kEight) {
        const Tensor x = eight({{s.m, s.k}}, a), w = eight({{s.n, s.k}}, b), bias = real({{s.n}}, DType::f32);
        const Tensor one = ops::full(Shape{}, 0.37), two = ops::full(Shape{1}, -1.5),
                     rows = real({{s.m, 1}}, DType::f32), columns = real({{1, s.n}}, DType::f32);
        for (DType t : {DType::f32, DType::bf16, DType::f16}) {
          SCOPED_TRACE(std::string(dtype_name(a)) + " times " + dtype_name(b) + " in " + dtype_name(t) +
                       ", m " + std::to_string(s.m) + ", n " + std::to_string(s.n) + ", k " +
                       std::to_string(s.k));
          // Hopper's tensor cores add products of 8-bit floats with about 14 bits.
          const double near = t == DType::f32 ? 2e-4 : t == DType::f16 ? 2e-3 : 1.6e-2;
          expect_same(
              {x, w, one, two, rows, columns, bias},
              [&](const Tensors& in) -> Tensors {
                const Tensor y = ops::transpose(in[1], 0, 1), z = ops::contiguous(y);
                return {ops::scaled_mm(in[0], y, in[2], in[3], {}, t),
                        ops::scaled_mm(in[0], y, in[4], in[5], {}, t),
                        ops::scaled_mm(in[0], y, in[2], in[3], in[6], t),
                        ops::scaled_mm(in[0], y, in[4], in[5], in[6], t),
                        ops::scaled_mm(in[0], y, in[2], in[5], {}, t),
                        ops::scaled_mm(in[0], z, in[2], in[3], in[6], t)};
              },
              near);
        }
        // The sums are exact, and so is what is rounded to 8 bits.
        expect_same(
            {ops::cast(few({{s.m, s.k}}, DType::f32), a), ops::cast(few({{s.n, s.k}}, DType::f32), b)},
            [&](const Tensors& in) -> Tensors {
              const Tensor half = ops::full(Shape{}, 0.5, DType::f32, in[0].device());
              return {ops::scaled_mm(in[0], ops::transpose(in[1], 0, 1), half, half, {}, DType::f8e4m3fn),
                      ops::scaled_mm(in[0], ops::transpose(in[1], 0, 1), half, half, {}, DType::f8e5m2)};
            });
      }
}

TEST_F(CudaFloat8, NothingComputes) {
  const Tensor x = ops::ones(Shape{2, 2}, DType::f8e4m3fn, cuda());
  for (const std::function<void()>& f : {std::function<void()>([&] { ops::add(x, x); }),
                                         {[&] { ops::mm(x, x); }},
                                         {[&] { ops::sum(x); }},
                                         {[&] { ops::sort(x); }}})
    try {
      f();
      ADD_FAILURE() << "was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(int(e.code), int(Code::dtype)) << e.message;
      EXPECT_NE(e.message.find("float8_e4m3fn"), std::string::npos) << e.message;
    }
}

}  // namespace
}  // namespace haft
