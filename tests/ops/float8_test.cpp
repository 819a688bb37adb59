// 8-bit floats: what is stored, moved and cast, with PyTorch 2.15's rules, and what is refused.
#include <array>
#include <functional>

#include "core/dispatch/host_access.h"
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;
struct Float8 : AutogradTest {};

constexpr DType kE4 = DType::f8e4m3fn, kE5 = DType::f8e5m2;

// All values of a type, by their bits.
Tensor every(DType t) {
  std::array<uint8_t, 256> bits;
  for (int i = 0; i < 256; ++i) bits[size_t(i)] = uint8_t(i);
  Tensor x = new_tensor(Shape{256}, t);
  copy_from_host(x, bits.data());
  return x;
}
std::vector<uint8_t> bits_of(const Tensor& t) {
  std::vector<uint8_t> v(size_t(t.numel()));
  copy_to_host(t, v.data());
  return v;
}
// The value of bits by the format's definition.
double by_definition(int bits, DType t) {
  const int mantissa = t == kE4 ? 3 : 2, bias = t == kE4 ? 7 : 15, e = (bits & 127) >> mantissa,
            m = bits & ((1 << mantissa) - 1);
  const double sign = bits & 128 ? -1 : 1;
  if (t == kE4 && (bits & 127) == 127) return NAN;
  if (t == kE5 && e == 31) return m ? NAN : sign * INFINITY;
  return sign * std::ldexp(e ? 1 + std::ldexp(m, -mantissa) : std::ldexp(m, -mantissa), (e ? e : 1) - bias);
}

void expect_failure(const std::function<void()>& f, Code code, const std::vector<std::string>& words) {
  try {
    f();
    ADD_FAILURE() << "nothing failed; wanted: " << words[0];
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << e.message;
    for (const std::string& w : words)
      EXPECT_NE((e.message + " " + e.hint).find(w), std::string::npos) << e.message << " lacks " << w;
  }
}

TEST_F(Float8, EveryValueIsTheFormats) {
  for (DType t : {kE4, kE5}) {
    const Numbers got = values(every(t));
    for (int i = 0; i < 256; ++i) {
      const double want = by_definition(i, t);
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(got[size_t(i)])) << i;
      else
        EXPECT_TRUE(got[size_t(i)] == want && std::signbit(got[size_t(i)]) == std::signbit(want)) << i;
    }
  }
}

TEST_F(Float8, EveryValueSurvivesAWiderType) {
  for (DType t : {kE4, kE5})
    for (DType wide : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const std::vector<uint8_t> got = bits_of(ops::cast(ops::cast(every(t), wide), t));
      for (int i = 0; i < 256; ++i) {
        const bool nan = std::isnan(by_definition(i, t));
        EXPECT_EQ(got[size_t(i)], nan ? (i & 128) | 127 : i)
            << dtype_name(t) << " by way of " << dtype_name(wide);
      }
    }
}

// Between neighbours the nearer one, from the middle the even one; the numbers come as each type that holds them.
TEST_F(Float8, RoundsToNearestEven) {
  for (DType t : {kE4, kE5}) {
    const int last = t == kE4 ? 126 : 123;
    Numbers x;
    std::vector<uint8_t> want;
    for (int i = 0; i < last; ++i) {
      const double low = by_definition(i, t), high = by_definition(i + 1, t), middle = (low + high) / 2;
      for (double sign : {1.0, -1.0})
        for (auto [v, code] : {std::pair{middle, i + (i & 1)},
                               {std::nextafter(float(middle), 0.0f), i},
                               {std::nextafter(float(middle), 1e9f), i + 1}}) {
          x.push_back(sign * v);
          want.push_back(uint8_t(code | (sign < 0 ? 128 : 0)));
        }
    }
    for (DType from : {DType::f32, DType::f64})
      EXPECT_EQ(bits_of(ops::cast(ops::cast(tensor(x), from), t)), want) << dtype_name(t);
  }
}

// PyTorch 2.15: e4m3fn ends at 448, e5m2 goes on to infinity from 61440 on.
TEST_F(Float8, WhatIsTooLarge) {
  const Tensor x = tensor(
      {448, 464, 465, 1e6, INFINITY, -INFINITY, -1e30, NAN, 57344, 61439, 61440, -61440, 1e-12, -1e-12});
  EXPECT_EQ(bits_of(ops::cast(x, kE4)), (std::vector<uint8_t>{0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe, 0xfe, 0x7f,
                                                              0x7e, 0x7e, 0x7e, 0xfe, 0, 0x80}));
  EXPECT_EQ(bits_of(ops::cast(x, kE5)), (std::vector<uint8_t>{0x5f, 0x5f, 0x5f, 0x7c, 0x7c, 0xfc, 0xfc, 0x7f,
                                                              0x7b, 0x7b, 0x7c, 0xfc, 0, 0x80}));
  // float64 is rounded twice, as PyTorch does: 1 + 2^-4 + 2^-40 becomes the middle in float32.
  EXPECT_EQ(values(ops::cast(tensor({1 + 0x1p-4 + 0x1p-40}), kE4)), Numbers{1});
}

TEST_F(Float8, IntegersAndBool) {
  const Tensor x = tensor({-20, 0, 17, 54, 500});
  for (DType t : {DType::i16, DType::i32, DType::i64}) {
    EXPECT_EQ(values(ops::cast(ops::cast(x, t), kE4)), (Numbers{-20, 0, 16, 56, 448}));
    EXPECT_EQ(values(ops::cast(ops::cast(x, kE5), t)), (Numbers{-20, 0, 16, 56, 512}));
  }
  EXPECT_EQ(values(ops::cast(ops::cast(tensor({1, 127}), DType::u8), kE5)), (Numbers{1, 128}));
  EXPECT_EQ(values(ops::cast(ops::cast(tensor({0, 1}), DType::boolean), kE4)), (Numbers{0, 1}));
  EXPECT_EQ(values(ops::cast(ops::cast(tensor({0, -0.0, 0x1p-9, NAN}), kE4), DType::boolean)),
            (Numbers{0, 0, 1, 1}));
}

TEST_F(Float8, Moves) {
  for (DType t : {kE4, kE5}) {
    const Tensor x = ops::cast(ops::reshape(ops::arange(0, 12, 1, DType::f32), Shape{3, 4}), t),
                 i = ops::cast(tensor({2, 0}), DType::i64);
    auto same = [&](const Tensor& got, const Tensor& wide) {
      EXPECT_EQ(got.dtype(), t);
      EXPECT_EQ(values(got), values(wide));
    };
    const Tensor w = ops::cast(x, DType::f32), mask = ops::gt_scalar(w, 4.0);
    same(ops::contiguous(ops::transpose(x, 0, 1)), ops::contiguous(ops::transpose(w, 0, 1)));
    same(ops::cat({{x, x}}, 1), ops::cat({{w, w}}, 1));
    same(ops::flip(x, Shape{0}), ops::flip(w, Shape{0}));
    same(ops::roll(x, Shape{1}), ops::roll(w, Shape{1}));
    same(ops::tril(x), ops::tril(w));
    same(ops::index_select(x, 0, i), ops::index_select(w, 0, i));
    same(ops::gather(x, 0, ops::expand(ops::unsqueeze(i, 1), Shape{2, 4})),
         ops::gather(w, 0, ops::expand(ops::unsqueeze(i, 1), Shape{2, 4})));
    same(ops::masked_select(x, mask), ops::masked_select(w, mask));
    same(ops::embedding(x, i), ops::embedding(w, i));
    same(ops::repeat(x, Shape{2, 1}), ops::repeat(w, Shape{2, 1}));
    same(ops::index_put(x, {{i}}, ops::select(x, 0, 1)), ops::index_put(w, {{i}}, ops::select(w, 0, 1)));
    same(ops::scatter(x, 0, ops::expand(ops::unsqueeze(i, 1), Shape{2, 4}), ops::slice(x, 0, 1, 3, 1)),
         ops::scatter(w, 0, ops::expand(ops::unsqueeze(i, 1), Shape{2, 4}), ops::slice(w, 0, 1, 3, 1)));
    same(ops::full(Shape{3}, 3.3, t), ops::full(Shape{3}, t == kE4 ? 3.25 : 3.5));
    same(ops::zeros(Shape{2}, t), ops::zeros(Shape{2}));
    same(ops::ones_like(x), ops::ones_like(w));
    same(ops::eye(3, -1, t), ops::eye(3));
    const Tensor y = ops::clone(w);
    ops::copy_(ops::select(y, 0, 0), ops::select(x, 0, 2));
    EXPECT_EQ(values(ops::select(y, 0, 0)), values(ops::select(w, 0, 2)));
    EXPECT_EQ(item(ops::select(ops::select(x, 0, 2), 0, 3)).to_double(), t == kE4 ? 11 : 12);
  }
}

TEST_F(Float8, NothingComputes) {
  const Tensor x = ops::ones(Shape{2, 2}, kE4), w = ops::ones(Shape{2, 2});
  auto refused = [](const std::function<void()>& f, std::vector<std::string> words) {
    words.push_back("float8_e4m3fn");
    expect_failure(f, Code::dtype, words);
  };
  refused([&] { ops::add(x, x); }, {"[add]", "cast to float32"});
  refused([&] { ops::add_scalar(x, 1.0); }, {"[add_scalar]"});
  refused([&] { ops::exp(x); }, {"[exp]"});
  refused([&] { ops::eq(x, x); }, {"[eq]"});
  refused([&] { ops::mul_(x, x); }, {"[mul]"});
  refused([&] { ops::masked_fill(x, ops::gt_scalar(w, 0.0), 1.0); }, {"[masked_fill]"});
  refused([&] { ops::sum(x); }, {"[sum]"});
  refused([&] { ops::sum(w, {}, false, kE4); }, {"[sum]"});
  refused([&] { ops::mm(x, x); }, {"[mm]", "scaled_mm"});
  refused([&] { ops::sort(x); }, {"[sort]"});
  refused([&] { ops::softmax(x, 0); }, {"[softmax]"});
  refused([&] { ops::arange(0, 3, 1, kE4); }, {"[arange]"});
  refused([&] { ops::rand(Shape{2}, kE4); }, {"uniform"});
  refused(
      [&] {
        ops::index_put(x, {{ops::zeros(Shape{1}, DType::i64)}}, ops::ones(Shape{1, 2}, kE4), true);
      },
      {"[index_put]"});
  // No type in common.
  refused([&] { ops::add(x, w); }, {"float32", "not promoted"});
  refused([&] { ops::add(w, x); }, {"float32"});
  refused([&] { ops::cat({{x, w}}); }, {"float32"});
  refused([&] { ops::add(x, ops::ones(Shape{2, 2}, kE5)); }, {"float8_e5m2"});
  refused([&] { ops::add(x, ops::ones(Shape{2, 2}, DType::i32)); }, {"int32"});
  EXPECT_EQ(promote(kE4, kE4), kE4);
}

// Casts have gradients, of the type of what is cast.
TEST_F(Float8, GradientsGoThroughCasts) {
  const Tensor x = leaf({1, 2.1, -500}), y = ops::cast(x, kE4);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(values(grad(ops::sum(ops::mul_scalar(ops::cast(y, DType::f64), 3.0)), x)), (Numbers{3, 3, 3}));
}

TEST_F(Float8, ScaledProducts) {
  const Tensor a = ops::cast(ops::reshape(tensor({1, 2, 3, 4, 5, 6}), Shape{2, 3}), kE4),
               b = ops::cast(ops::reshape(tensor({1, 0, 0, 1, 2, -1}), Shape{3, 2}), kE5),
               one = ops::ones(Shape{}), half = ops::full(Shape{}, 0.5);
  const Tensor y = ops::scaled_mm(a, b, half, one, {});
  EXPECT_EQ(y.dtype(), DType::bf16);
  EXPECT_EQ(values(y), (Numbers{3.5, -0.5, 8, -0.5}));
  for (DType t : {DType::f16, DType::f32, kE4, kE5}) {
    const Tensor z = ops::scaled_mm(a, b, half, one, ops::cast(tensor({1, 500}), DType::bf16), t);
    EXPECT_EQ(z.dtype(), t);
    EXPECT_EQ(values(z), t == kE4   ? (Numbers{4.5, 448, 9, 448})
                         : t == kE5 ? (Numbers{4, 512, 8, 512})
                                    : (Numbers{4.5, 499.5, 9, 499.5}));
  }
  expect_failure([&] { ops::scaled_mm(a, b, half, tensor({1}), {}); }, Code::dtype, {"scale_b"});
  const Tensor scale = ops::ones(Shape{1});
  Tensor needs = scale;
  set_requires_grad(needs, true);
  expect_failure([&] { ops::scaled_mm(a, b, half, needs, {}); }, Code::autograd,
                 {"[scaled_mm]", "no gradient"});
  NoGradGuard no_grad;
  EXPECT_EQ(values(ops::scaled_mm(a, b, half, needs, {})), values(y));
}

}  // namespace
}  // namespace haft
