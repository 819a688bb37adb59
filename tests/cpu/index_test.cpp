#include <map>

#include "tests/cpu/kernel_fixture.h"

using namespace haft;
using namespace haft::cpu;
using namespace haft::cpu::testing;

namespace {

Sizes sizes_of(const Array& a) { return {a.view.sizes, a.view.sizes + a.view.ndim}; }

Sizes coordinates(const Sizes& s, int64_t i) {
  Sizes at(s.size());
  for (size_t d = s.size(); d-- > 0;) {
    at[d] = i % s[d];
    i /= s[d];
  }
  return at;
}
int64_t linear(const Sizes& s, const Sizes& at) {
  int64_t i = 0;
  for (size_t d = 0; d < s.size(); ++d) i = i * s[d] + at[d];
  return i;
}
double add_as(DType t, double a, double b) { return t == DType::boolean ? double(a != 0 || b != 0) : a + b; }

constexpr DType kSome[] = {DType::boolean, DType::u8,   DType::i32, DType::i64,
                           DType::f16,     DType::bf16, DType::f32, DType::f64};

// Small integers: exact in every dtype.
Array small(DType t, const Sizes& s, std::mt19937& rng) {
  return Array::random(t, s, rng, 0, t == DType::boolean ? 2 : 9);
}
void round_all(Array& a) {
  for (int64_t i = 0; i < a.numel(); ++i) a.set(i, std::floor(a.at(i)));
}

// Reference of NumPy's advanced indexing: the element of x for each element of the result.
std::vector<int64_t> advanced(const Sizes& x, const std::vector<const Array*>& indices,
                              const Sizes& broadcast, Sizes* out) {
  std::vector<size_t> used, rest;
  for (size_t d = 0; d < x.size(); ++d) (d < indices.size() && indices[d] ? used : rest).push_back(d);
  const bool together = !used.empty() && used.back() - used.front() + 1 == used.size();
  const size_t at = together ? used.front() : 0;
  out->clear();
  for (size_t k = 0; k < rest.size() && rest[k] < at; ++k) out->push_back(x[rest[k]]);
  const size_t place = out->size();
  out->insert(out->end(), broadcast.begin(), broadcast.end());
  for (size_t k = place; k < rest.size(); ++k) out->push_back(x[rest[k]]);
  std::vector<int64_t> from;
  for (int64_t i = 0; i < product(*out); ++i) {
    const Sizes c = coordinates(*out, i);
    const int64_t j =
        linear(broadcast, Sizes(c.begin() + int64_t(place), c.begin() + int64_t(place + broadcast.size())));
    Sizes src(x.size());
    for (size_t k = 0; k < rest.size(); ++k) src[rest[k]] = c[k < place ? k : k + broadcast.size()];
    for (size_t d : used) {
      const int64_t v = int64_t(indices[d]->at(j));
      src[d] = v < 0 ? v + x[d] : v;
    }
    from.push_back(linear(x, src));
  }
  return from;
}

}  // namespace

TEST(Index, SelectAndAddAlongEveryDimension) {
  std::mt19937 rng(1);
  for (DType t : kSome)
    for (const Sizes& s : {Sizes{7}, Sizes{5, 3}, Sizes{3, 4, 5}, Sizes{2, 3, 300}})
      for (bool strided : {false, true})
        for (size_t d = 0; d < s.size(); ++d) {
          Array x = small(t, s, rng);
          if (strided && s.size() > 1) x = x.transpose(0, 1);
          round_all(x);
          const Sizes xs = sizes_of(x);
          Array index = Array::random(d % 2 ? DType::i32 : DType::i64, {11}, rng, 0, double(xs[d]));
          if (strided) index = index.every_second(0);
          Sizes os = xs;
          os[d] = index.numel();
          Array out(t, os);
          run(k_index_select, {&x, &index}, {&out}, words(int64_t(d)));
          Array src = small(t, os, rng);
          round_all(src);
          std::vector<double> sum = x.values();
          for (int64_t i = 0; i < out.numel(); ++i) {
            Sizes c = coordinates(os, i);
            c[d] = int64_t(index.at(c[d]));
            ASSERT_EQ(out.at(i), x.at(linear(xs, c)));
            double& v = sum[size_t(linear(xs, c))];
            v = add_as(t, v, src.at(i));
          }
          run(k_index_add, {&x, &index, &src}, {&x}, words(int64_t(d)));
          ASSERT_EQ(x.values(), sum);
        }
}

TEST(Index, GatherAndScatter) {
  std::mt19937 rng(2);
  for (DType t : kSome)
    for (const Sizes& s : {Sizes{9}, Sizes{4, 6}, Sizes{3, 4, 5}})
      for (bool strided : {false, true})
        for (size_t d = 0; d < s.size(); ++d) {
          Array x = small(t, s, rng);
          if (strided && s.size() > 1) x = x.transpose(0, int(s.size()) - 1);
          round_all(x);
          const Sizes xs = sizes_of(x);
          Sizes is = xs;
          is[d] += 4;  // repeated indices; the other sizes may be smaller than x's
          if (s.size() > 1) is[d ? 0 : 1] -= 1;
          Array index = Array::random(DType::i64, is, rng, 0, double(xs[d])), src = small(t, is, rng),
                out(t, is);
          round_all(src);
          run(k_gather, {&x, &index}, {&out}, words(int64_t(d)));
          std::vector<double> set = x.values(), sum = x.values();
          for (int64_t i = 0; i < index.numel(); ++i) {
            Sizes c = coordinates(is, i);
            c[d] = int64_t(index.at(i));
            const size_t at = size_t(linear(xs, c));
            ASSERT_EQ(out.at(i), x.at(int64_t(at)));
            set[at] = src.at(i);
            sum[at] = add_as(t, sum[at], src.at(i));
          }
          Array a(t, xs, x.values()), b(t, xs, x.values());
          run(k_scatter, {&a, &index, &src}, {&a}, words(int64_t(d)));
          run(k_scatter_add, {&b, &index, &src}, {&b}, words(int64_t(d)));
          ASSERT_EQ(a.values(), set);
          ASSERT_EQ(b.values(), sum);
        }
}

TEST(Index, AdvancedReadAndWrite) {
  std::mt19937 rng(3);
  const Sizes s{4, 5, 3, 6};
  for (unsigned mask = 0; mask < 16; ++mask)
    for (const Sizes& b : {Sizes{7}, Sizes{2, 3}, Sizes{}})
      for (DType t : {DType::f32, DType::bf16, DType::i64, DType::u8}) {
        Array x = small(t, {4, 5, 6, 3}, rng).transpose(2, 3);
        round_all(x);
        std::vector<Array> keep;
        keep.reserve(4);
        std::vector<const Array*> indices;
        for (size_t d = 0; d < 4 && mask >> d; ++d) {
          if (mask >> d & 1)
            keep.push_back(
                Array::random(d == 1 ? DType::i32 : DType::i64, b, rng, -double(s[d]), double(s[d])));
          indices.push_back(mask >> d & 1 ? &keep.back() : nullptr);
        }
        Sizes os;
        const auto from = advanced(s, indices, mask ? b : Sizes{}, &os);
        Array out(t, os);
        std::vector<const Array*> in{&x};
        in.insert(in.end(), indices.begin(), indices.end());
        run(k_index, in, {&out}, {});
        for (size_t i = 0; i < from.size(); ++i)
          ASSERT_EQ(out.at(int64_t(i)), x.at(from[i])) << "mask " << mask;

        Array values = small(t, os, rng);
        round_all(values);
        for (bool accumulate : {false, true}) {
          std::vector<double> want = x.values();
          for (size_t i = 0; i < from.size(); ++i) {
            double& w = want[size_t(from[i])];
            w = accumulate ? w + values.at(int64_t(i)) : values.at(int64_t(i));
          }
          Array y(t, s, x.values());
          std::vector<const Array*> put{&y, &values};
          put.insert(put.end(), indices.begin(), indices.end());
          run(k_index_put, put, {&y}, words(int64_t(accumulate)));
          ASSERT_EQ(y.values(), want) << "mask " << mask << " accumulate " << accumulate;
        }
      }
}

TEST(Index, PutBroadcastsValuesAndIndices) {
  Array x(DType::f32, {3, 4}), one(DType::f32, {}, {5.0});
  const Array rows(DType::i64, {2, 1}, {0, -1}), cols(DType::i64, {3}, {1, 2, -1});
  for (int64_t i = 0; i < 12; ++i) x.set(i, 0);
  run(k_index_put, {&x, &one, &rows, &cols}, {&x}, words(int64_t(0)));
  expect_near(x.values(), {0, 5, 5, 5, 0, 0, 0, 0, 0, 5, 5, 5}, 0);
  const Array expanded_rows = rows.expand(1, 3), values(DType::f32, {3}, {1, 2, 3});
  run(k_index_put, {&x, &values, &expanded_rows, &cols}, {&x}, words(int64_t(1)));
  expect_near(x.values(), {0, 6, 7, 8, 0, 0, 0, 0, 0, 6, 7, 8}, 0);
}

TEST(Index, OutOfRangeNamesPositionValueAndSize) {
  Array x(DType::f32, {2, 5}), y(DType::f32, {2, 3}), i1(DType::i64, {3}, {0, 4, 5}),
      i2(DType::i64, {2, 3}, {0, 1, 2, 3, -1, 0});
  Array far(DType::i64, {3}, {0, -6, 1});
  expect_error(Code::index, {"index[2] is 5", "dimension 1 has 5"}, [&] {
    run(k_index_select, {&x, &i1}, {&y}, words(int64_t(1)));
  });
  expect_error(Code::index, {"index[2] is 5"}, [&] {
    run(k_index_add, {&x, &i1, &y}, {&x}, words(int64_t(1)));
  });
  expect_error(Code::index, {"index[1, 1] is -1"}, [&] {
    run(k_gather, {&x, &i2}, {&y}, words(int64_t(1)));
  });
  expect_error(Code::index, {"index[1, 0] is 3", "dimension 0 has 2"}, [&] {
    Array big(DType::i64, {2, 3}, {0, 1, 0, 3, 0, 0});
    run(k_scatter, {&x, &big, &y}, {&x}, words(int64_t(0)));
  });
  expect_error(Code::index, {"index[1, 1] is -1"}, [&] {
    run(k_scatter_add, {&x, &i2, &y}, {&x}, words(int64_t(1)));
  });
  expect_error(Code::index, {"element 1 of index 1 is -6", "dimension 1 has 5"}, [&] {
    run(k_index, {&x, nullptr, &far}, {&y}, {});
  });
  expect_error(Code::index, {"element 1 of index 1 is -6"}, [&] {
    run(k_index_put, {&x, &y, nullptr, &far}, {&x}, words(int64_t(0)));
  });
  const Array f(DType::f32, {3}, {0, 1, 2});
  expect_error(Code::dtype, {"float32"}, [&] { run(k_index_select, {&x, &f}, {&y}, words(int64_t(1))); });
}

TEST(Index, Empty) {
  Array x(DType::f32, {3, 4}), none(DType::i64, {0}), out(DType::f32, {3, 0}), hollow(DType::f32, {0, 4}),
      i(DType::i64, {1}, {0});
  run(k_index_select, {&x, &none}, {&out}, words(int64_t(1)));
  run(k_index_add, {&x, &none, &out}, {&x}, words(int64_t(1)));
  run(k_index, {&x, nullptr, &none}, {&out}, {});
  Array picked(DType::f32, {1, 4}), flat(DType::f32, {0}), mask(DType::boolean, {0, 4}),
      where(DType::i64, {0, 2});
  expect_error(Code::index, {"has 0 elements"}, [&] {
    run(k_index_select, {&hollow, &i}, {&picked}, words(int64_t(0)));
  });
  expect_error(Code::index, {"has 0 elements"}, [&] { run(k_index, {&hollow, &i}, {&picked}, {}); });
  run(k_masked_select, {&hollow, &mask}, {&flat}, {});
  run(k_nonzero, {&hollow}, {&where}, {});
  Array index(DType::i64, {0, 4}), gathered(DType::f32, {0, 4});
  run(k_gather, {&x, &index}, {&gathered}, words(int64_t(0)));
}

TEST(Index, ScalarsAreOneElement) {
  Array x(DType::f32, {}, {4.0}), i(DType::i64, {}, {0.0}), y(DType::f32, {}), one(DType::i64, {1}, {0.0});
  run(k_gather, {&x, &i}, {&y}, words(int64_t(0)));
  EXPECT_EQ(y.at(0), 4);
  run(k_index_select, {&x, &one}, {&y}, words(int64_t(0)));
  EXPECT_EQ(y.at(0), 4);
  run(k_scatter_add, {&x, &i, &y}, {&x}, words(int64_t(0)));
  EXPECT_EQ(x.at(0), 8);
}

TEST(Index, MaskedSelectAndNonzero) {
  std::mt19937 rng(5);
  for (DType t : kSome)
    for (bool strided : {false, true}) {
      Array x = small(t, {5, 4, 7}, rng), mask = Array::random(DType::boolean, {5, 4, 7}, rng, 0, 2);
      for (int64_t i = 0; i < x.numel(); i += 3) x.set(i, 0);
      if (strided) {
        x = x.transpose(0, 2);
        mask = mask.transpose(0, 2);
      }
      std::vector<double> want, places;
      const Sizes s = sizes_of(x);
      for (int64_t i = 0; i < x.numel(); ++i) {
        if (mask.at(i) != 0) want.push_back(x.at(i));
        if (x.at(i) != 0)
          for (int64_t c : coordinates(s, i)) places.push_back(double(c));
      }
      Array out(t, {int64_t(want.size())}), where(DType::i64, {int64_t(places.size()) / 3, 3});
      run(k_masked_select, {&x, &mask}, {&out}, {});
      run(k_nonzero, {&x}, {&where}, {});
      EXPECT_EQ(out.values(), want);
      EXPECT_EQ(where.values(), places);
    }
  const Array x(DType::f32, {4}, {0.0, -0.0, kNaN, 1}), row(DType::boolean, {1, 2}, {1, 0});
  Array where(DType::i64, {2, 1});
  run(k_nonzero, {&x}, {&where}, {});
  expect_near(where.values(), {2, 3}, 0);
  const Array grid(DType::f32, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Array mask = row.expand(0, 3);
  Array out(DType::f32, {3});
  run(k_masked_select, {&grid, &mask}, {&out}, {});
  expect_near(out.values(), {1, 3, 5}, 0);
}
