// Copies, casts, layouts, joins and creation.
#include <numeric>

#include "tests/cpu/call.h"

namespace haft::test {
namespace {

const DType kTypes[] = {DType::boolean, DType::u8,  DType::i8,   DType::i16, DType::i32,
                        DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64};

void count_up(Array& a) {
  a.fill([&](int64_t i) { return double(a.dtype() == DType::boolean ? i % 2 : i % 120); });
}

TEST(Copy, EveryPairOfTypesAndForms) {
  for (DType from : kTypes)
    for (DType to : kTypes)
      for (Form f : {Form::dense, Form::transposed, Form::sliced, Form::expanded})
        for (Form g : {Form::dense, Form::transposed, Form::sliced})
          for (auto& sizes : std::vector<std::vector<int64_t>>{
                   {}, {0, 3}, {1}, {5}, {17, 9}, {33, 70}, {2, 3, 4, 5}, {3, 1, 40, 2}}) {
            Array src(from, sizes, f), dst(to, sizes, g);
            count_up(src);
            ASSERT_EQ(run(OpId::copy, {&dst, &src}, {&dst}), 0);
            for (int64_t i = 0; i < src.numel(); ++i) {
              double want = to == DType::boolean ? src.get(i) != 0 : src.get(i);
              ASSERT_EQ(dst.get(i), want) << dtype_name(from) << " to " << dtype_name(to) << " at " << i;
            }
          }
}

TEST(Copy, PermutationsAndTransposesOfManySizes) {
  for (DType t : {DType::u8, DType::i16, DType::f32, DType::f64})
    for (int64_t r : {1, 3, 4, 15, 16, 17, 63, 64, 65, 130})
      for (int64_t c : {1, 4, 5, 16, 31, 33, 129}) {
        Array src(t, {2, r, c});
        count_up(src);
        haft_tensor_view& v = src.view;  // (2, r, c) as (c, 2, r)
        v.sizes[0] = c, v.sizes[1] = 2, v.sizes[2] = r;
        v.strides[0] = 1, v.strides[1] = r * c, v.strides[2] = c;
        v.contiguous = 0;
        Array dst(t, {c, 2, r});
        ASSERT_EQ(run(OpId::contiguous_copy, {&src}, {&dst}), 0);
        ASSERT_EQ(dst.values(), src.values()) << r << " " << c;
      }
}

TEST(Copy, FloatsToIntegersAreDefinedEverywhere) {
  Array f(DType::f32, {8});
  const double values[] = {1.9, -1.9, 3e9, -3e9, INFINITY, -INFINITY, NAN, 255};
  for (int i = 0; i < 8; ++i) f.set(i, values[i]);
  Array i32(DType::i32, {8}), i64(DType::i64, {8}), u8(DType::u8, {8}), b(DType::boolean, {8});
  ASSERT_EQ(run(OpId::cast, {&f}, {&i32}), 0);
  EXPECT_EQ(i32.values(), (std::vector<double>{1, -1, 2147483520, INT32_MIN, 2147483520, INT32_MIN, 0, 255}));
  ASSERT_EQ(run(OpId::cast, {&f}, {&i64}), 0);
  EXPECT_EQ(i64.get(2), 3e9);
  EXPECT_EQ(i64.get(6), 0);
  EXPECT_GT(i64.get(4), 9e18);
  ASSERT_EQ(run(OpId::cast, {&f}, {&u8}), 0);
  EXPECT_EQ(u8.get(0), 1);
  EXPECT_EQ(u8.get(7), 255);
  ASSERT_EQ(run(OpId::cast, {&f}, {&b}), 0);
  EXPECT_EQ(b.get(6), 1);
}

TEST(Copy, HalfRoundsToNearestEvenAndKeepsSpecials) {
  Array f(DType::f32, {70}), h(DType::f16, {70}), b(DType::bf16, {70});
  f.fill([](int64_t i) {
    return i == 60 ? NAN : i == 61 ? INFINITY : i == 62 ? 65520.0 : i == 63 ? 5.96e-8 : 1 + double(i) / 4096;
  });
  ASSERT_EQ(run(OpId::cast, {&f}, {&h}), 0);
  ASSERT_EQ(run(OpId::cast, {&f}, {&b}), 0);
  for (int64_t i = 0; i < 70; ++i) {
    if (i == 60) {
      EXPECT_TRUE(std::isnan(h.get(i)) && std::isnan(b.get(i)));
      continue;
    }
    EXPECT_EQ(h.get(i), double(float(Half(float(f.get(i)))))) << i;
    EXPECT_EQ(b.get(i), double(float(BFloat16(float(f.get(i)))))) << i;
  }
}

TEST(Copy, BlockedLayouts) {
  for (int block : {8, 16})
    for (DType t : {DType::f32, DType::bf16, DType::f64}) {
      const int64_t N = 2, C = 32, H = 5, W = 3;
      Array plain(t, {N, C, H, W}), blocked(t, {N, C, H, W}), back(t, {N, C, H, W}),
          wide(DType::f64, {N, C, H, W});
      count_up(plain);
      blocked.view.layout = block == 8 ? HAFT_LAYOUT_BLOCKED8 : HAFT_LAYOUT_BLOCKED16;
      blocked.view.contiguous = 0;
      cpu::to_blocked(blocked.view, plain.view);
      for (int64_t n = 0; n < N; ++n)
        for (int64_t c = 0; c < C; ++c)
          for (int64_t p = 0; p < H * W; ++p) {
            int64_t at = ((n * (C / block) + c / block) * H * W + p) * block + c % block;
            haft_tensor_view flat = blocked.view;
            Array one(t, {1});
            std::memcpy(one.view.data, static_cast<char*>(flat.data) + at * item_size(t),
                        size_t(item_size(t)));
            ASSERT_EQ(one.get(0), plain.get((n * C + c) * H * W + p));
          }
      ASSERT_EQ(run(OpId::contiguous_copy, {&blocked}, {&back}), 0);
      EXPECT_EQ(back.values(), plain.values());
      ASSERT_EQ(run(OpId::cast, {&blocked}, {&wide}), 0);
      EXPECT_EQ(wide.values(), plain.values());
    }
}

TEST(Copy, FillFullCat) {
  for (DType t : kTypes)
    for (Form f : {Form::dense, Form::transposed, Form::sliced}) {
      Array a(t, {7, 9}, f);
      ASSERT_EQ(run(OpId::fill, {&a}, {&a}, Attrs(Scalar(3))), 0);
      for (double v : a.values()) ASSERT_EQ(v, t == DType::boolean ? 1 : 3);
      ASSERT_EQ(run(OpId::full, {}, {&a}, Attrs(std::vector<int64_t>{7, 9}, Scalar(2.0), 0, 0)), 0);
      for (double v : a.values()) ASSERT_EQ(v, t == DType::boolean ? 1 : 2);
      Array x(t, {2, 3}, f), y(DType::i32, {2, 4}), z(t, {2, 0}), out(t, {2, 7});
      count_up(x), count_up(y);
      ASSERT_EQ(run(OpId::cat, {&x, &z, &y}, {&out}, Attrs(1)), 0);
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t j = 0; j < 7; ++j) {
          double want = j < 3 ? x.get(i * 3 + j) : y.get(i * 4 + j - 3);
          ASSERT_EQ(out.get(i * 7 + j), t == DType::boolean ? want != 0 : want);
        }
    }
}

TEST(Copy, FlipRollTriangles) {
  Array x(DType::f32, {3, 4, 5}, Form::transposed), out(DType::f32, {3, 4, 5});
  count_up(x);
  auto at = [](int64_t i, int64_t j, int64_t k) { return (i * 4 + j) * 5 + k; };
  ASSERT_EQ(run(OpId::flip, {&x}, {&out}, Attrs(std::vector<int64_t>{0, 2})), 0);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t k = 0; k < 5; ++k) ASSERT_EQ(out.get(at(i, j, k)), x.get(at(2 - i, j, 4 - k)));
  ASSERT_EQ(run(OpId::roll, {&x}, {&out}, Attrs(std::vector<int64_t>{1, -7}, std::vector<int64_t>{0, 2})), 0);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t k = 0; k < 5; ++k) ASSERT_EQ(out.get(at((i + 1) % 3, j, (k + 3) % 5)), x.get(at(i, j, k)));
  ASSERT_EQ(run(OpId::roll, {&x}, {&out}, Attrs(std::vector<int64_t>{-3}, std::vector<int64_t>{})), 0);
  for (int64_t i = 0; i < 60; ++i) ASSERT_EQ(out.get((i + 57) % 60), x.get(i));
  for (int64_t d : {-5, -1, 0, 2, 9})
    for (bool lower : {true, false}) {
      ASSERT_EQ(run(lower ? OpId::tril : OpId::triu, {&x}, {&out}, Attrs(d)), 0);
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 4; ++j)
          for (int64_t k = 0; k < 5; ++k)
            ASSERT_EQ(out.get(at(i, j, k)), (lower ? k - j <= d : k - j >= d) ? x.get(at(i, j, k)) : 0);
    }
}

TEST(Copy, AsStridedScatter) {
  Array x(DType::f64, {12}), src(DType::f64, {2, 3}), out(DType::f64, {12});
  count_up(src);
  ASSERT_EQ(run(OpId::as_strided_scatter, {&x, &src}, {&out},
                Attrs(std::vector<int64_t>{2, 3}, std::vector<int64_t>{1, 4}, 2)),
            0);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j) EXPECT_EQ(out.get(2 + i + 4 * j), src.get(i * 3 + j));
  EXPECT_EQ(out.get(0), 0);
}

TEST(Creation, Ranges) {
  Array i(DType::i64, {1500}), f(DType::f32, {1500}), h(DType::bf16, {5}), l(DType::f64, {7}),
      one(DType::f32, {1});
  ASSERT_EQ(run(OpId::arange, {}, {&i}, Attrs(Scalar(5), Scalar(0), Scalar(-3), 0, 0)), 0);
  for (int64_t k = 0; k < 1500; ++k) ASSERT_EQ(i.get(k), double(5 - 3 * k));
  ASSERT_EQ(run(OpId::arange, {}, {&f}, Attrs(Scalar(0.5), Scalar(0), Scalar(0.25), 0, 0)), 0);
  for (int64_t k = 0; k < 1500; ++k) ASSERT_EQ(f.get(k), 0.5 + 0.25 * double(k));
  ASSERT_EQ(run(OpId::arange, {}, {&h}, Attrs(Scalar(0), Scalar(5), Scalar(1), 0, 0)), 0);
  EXPECT_EQ(h.values(), (std::vector<double>{0, 1, 2, 3, 4}));
  ASSERT_EQ(run(OpId::linspace, {}, {&l}, Attrs(-1.0, 2.0, 7, 0, 0)), 0);
  for (int64_t k = 0; k < 7; ++k) EXPECT_NEAR(l.get(k), -1 + 0.5 * double(k), 1e-15);
  EXPECT_EQ(l.get(6), 2);
  ASSERT_EQ(run(OpId::linspace, {}, {&one}, Attrs(3.0, 9.0, 1, 0, 0)), 0);
  EXPECT_EQ(one.get(0), 3);
  Array e(DType::f16, {3, 5});
  ASSERT_EQ(run(OpId::eye, {}, {&e}, Attrs(3, 5, 0, 0)), 0);
  for (int64_t k = 0; k < 15; ++k) EXPECT_EQ(e.get(k), k / 5 == k % 5);
}

}  // namespace
}  // namespace haft::test
