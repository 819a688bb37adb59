#include <algorithm>
#include <numeric>

#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

constexpr DType kAll[] = {DType::boolean, DType::u8,  DType::i8,   DType::i16, DType::i32,
                          DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64};

bool before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }  // NaN is largest

void check(const Array& x, int dim, bool descending, int64_t k = -1) {
  Sizes s(x.view.sizes, x.view.sizes + x.view.ndim);
  const int64_t n = s[size_t(dim)];
  const bool top = k >= 0;
  if (!top) k = n;
  s[size_t(dim)] = k;
  Array values(x.dtype(), s), indices(DType::i64, s);
  if (top)
    run(k_topk, {&x}, {&values, &indices}, words(k, int64_t(dim), int64_t(descending)));
  else
    run(k_sort, {&x}, {&values, &indices}, words(int64_t(dim), int64_t(descending)));
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < dim; ++d) outer *= x.size(d);
  for (int d = dim + 1; d < x.view.ndim; ++d) inner *= x.size(d);
  const auto v = x.values();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      auto at = [&](int64_t j) { return v[size_t((o * n + j) * inner + i)]; };
      std::vector<int64_t> order(static_cast<size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return descending ? before(at(b), at(a)) : before(at(a), at(b));
      });
      for (int64_t j = 0; j < k; ++j) {
        const int64_t e = (o * k + j) * inner + i;
        ASSERT_EQ(int64_t(indices.at(e)), order[size_t(j)]);
        const double want = at(order[size_t(j)]);
        if (std::isnan(want))
          ASSERT_TRUE(std::isnan(values.at(e)));
        else
          ASSERT_EQ(values.at(e), want);
      }
    }
}

}  // namespace

TEST(Sort, EveryDtypeStableBothWays) {
  std::mt19937 rng(1);
  for (DType t : kAll)
    for (int64_t n : {1, 2, 7, 100, 511, 512, 1024, 3000}) {
      const bool flag = t == DType::boolean, sign = t != DType::u8 && !flag;
      for (int64_t rows : {2, 13}) {  // one by one, and side by side
        const Array x = Array::random(t, {rows, n}, rng, sign ? -100 : 0, flag ? 2 : 100);
        for (bool descending : {false, true}) {
          check(x, 1, descending);
          check(x, 1, descending, std::min<int64_t>(n, 5));
        }
      }
    }
}

TEST(Sort, EveryDimensionAndStrides) {
  std::mt19937 rng(2);
  const Array x = Array::random(DType::f32, {6, 5, 9}, rng);
  for (int d = 0; d < 3; ++d)
    for (bool descending : {false, true}) {
      check(x, d, descending);
      check(x.transpose(0, 2), d, descending);
      check(x.every_second(1), d, descending);
      check(x.transpose(0, 2), d, descending, 2);
    }
  check(Array::random(DType::f32, {4, 1}, rng).expand(1, 9), 1, true);
}

TEST(Sort, SpecialValuesAndExtremes) {
  for (DType t : kFloats) {
    const Array x(t, {9}, {0.0, -0.0, kNaN, kInf, -kInf, 1, kNaN, -1, 0.0});
    check(x, 0, false);
    check(x, 0, true);
    check(x, 0, true, 3);
  }
  Array y(DType::i64, {4});
  auto* p = static_cast<int64_t*>(y.view.data);
  p[0] = 0, p[1] = INT64_MIN, p[2] = INT64_MAX, p[3] = -1;
  Array v(DType::i64, {4}), i(DType::i64, {4});
  run(k_sort, {&y}, {&v, &i}, words(int64_t(0), int64_t(0)));
  expect_near(i.values(), {1, 3, 0, 2}, 0);
}

TEST(Sort, EmptyAndScalar) {
  Array x(DType::f32, {3, 0}), i(DType::i64, {3, 0});
  run(k_sort, {&x}, {&x, &i}, words(int64_t(1), int64_t(0)));
  Array y(DType::f32, {3, 4});
  run(k_topk, {&y}, {&x, &i}, words(int64_t(0), int64_t(1), int64_t(1)));
  Array s(DType::f32, {}, {2.0}), v(DType::f32, {}), at(DType::i64, {});
  run(k_sort, {&s}, {&v, &at}, words(int64_t(-1), int64_t(0)));
  EXPECT_EQ(v.at(0), 2);
  EXPECT_EQ(at.at(0), 0);
}

TEST(Embedding, ForwardAndBackward) {
  std::mt19937 rng(3);
  for (DType t : kFloats)
    for (int64_t width : {0, 1, 3, 64}) {
      const int64_t rows = 9;
      for (bool strided : {false, true}) {
        Array weight = strided ? Array::random(t, {width, rows}, rng).transpose(0, 1)
                               : Array::random(t, {rows, width}, rng);
        Array index = Array::random(strided ? DType::i32 : DType::i64, {4, 6}, rng, 0, 7);
        if (strided) index = index.transpose(0, 1);
        Array out(t, {index.size(0), index.size(1), width}), dw(t, {rows, width});
        run(k_embedding, {&weight, &index}, {&out}, words(int64_t(-1)));
        Array grad = Array::random(t, {index.size(0), index.size(1), width}, rng);
        if (strided) grad = Array::random(t, {width, index.size(1), index.size(0)}, rng).transpose(0, 2);
        std::vector<double> want(size_t(rows * width), 0.0);
        for (int64_t i = 0; i < index.numel(); ++i)
          for (int64_t d = 0; d < width; ++d) {
            const int64_t r = int64_t(index.at(i));
            ASSERT_EQ(out.at(i * width + d), weight.at(r * width + d));
            if (r != 2) want[size_t(r * width + d)] += grad.at(i * width + d);
          }
        run(k_embedding_backward, {&grad, &index}, {&dw}, words(rows, int64_t(2)));
        expect_near(dw.values(), want, tolerance(t));
      }
    }
}

TEST(Embedding, IndexOutOfRange) {
  Array w(DType::f32, {3, 2}), i(DType::i64, {2, 2}, {0, 1, 3, 0}), out(DType::f32, {2, 2, 2});
  expect_error(Code::index, {"embedding: index[1, 0] is 3", "has 3"}, [&] {
    run(k_embedding, {&w, &i}, {&out}, words(int64_t(-1)));
  });
  expect_error(Code::index, {"index[1, 0] is 3"}, [&] {
    run(k_embedding_backward, {&out, &i}, {&w}, words(int64_t(3), int64_t(-1)));
  });
}
