// Reductions and scans against doubles: every set of dimensions, strides, dtypes, sizes across the chunking.
#include "core/base/parallel.h"
#include "tests/cpu/call.h"
#include "tests/seed.h"

namespace haft::test {
namespace {

const DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16,   DType::i64,
                        DType::i32, DType::i8,  DType::u8,  DType::boolean};

struct Split {  // outputs of a reduction as lists of element numbers
  std::vector<int64_t> out_sizes;
  std::vector<std::vector<int64_t>> members;
};
Split split(const Array& x, const std::vector<int64_t>& dims) {
  Split s;
  std::vector<bool> reduced(8, dims.empty());
  for (int64_t d : dims) reduced[size_t(d)] = true;
  int64_t n = 1;
  for (int d = 0; d < x.view.ndim; ++d)
    if (!reduced[size_t(d)]) s.out_sizes.push_back(x.view.sizes[d]), n *= x.view.sizes[d];
  s.members.resize(size_t(n));
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t rest = i, at = 0, scale = 1;
    for (int d = x.view.ndim - 1; d >= 0; --d) {
      int64_t c = rest % x.view.sizes[d];
      rest /= x.view.sizes[d];
      if (!reduced[size_t(d)]) at += c * scale, scale *= x.view.sizes[d];
    }
    s.members[size_t(at)].push_back(i);
  }
  return s;
}

void fill_random(Array& x, double scale = 1) {
  std::mt19937 rng(5);
  std::normal_distribution<double> normal(0.3, scale);
  x.fill([&](int64_t) {
    double v = normal(rng);
    return is_float(x.dtype())                                     ? v
           : x.dtype() == DType::u8 || x.dtype() == DType::boolean ? std::fabs(std::trunc(3 * v))
                                                                   : std::trunc(3 * v);
  });
}

void check(DType t, const std::vector<int64_t>& sizes, Form form, const std::vector<int64_t>& dims) {
  Array x(t, sizes, form);
  fill_random(x);
  const Split s = split(x, dims);
  const DType sum_type = is_float(t) ? t : DType::i64;
  Array sum(sum_type, s.out_sizes), prod(sum_type, s.out_sizes), mx(t, s.out_sizes), mn(t, s.out_sizes),
      any(DType::boolean, s.out_sizes), all(DType::boolean, s.out_sizes), wide(DType::f64, s.out_sizes);
  ASSERT_EQ(run(OpId::sum, {&x}, {&sum}, Attrs(dims, false, 0)), 0);
  ASSERT_EQ(run(OpId::sum, {&x}, {&wide}, Attrs(dims, false, int(DType::f64))), 0);
  ASSERT_EQ(run(OpId::any, {&x}, {&any}, Attrs(dims, false)), 0);
  ASSERT_EQ(run(OpId::all, {&x}, {&all}, Attrs(dims, false)), 0);
  const bool empty = s.members.empty() || s.members[0].empty();
  if (!empty) {
    ASSERT_EQ(run(OpId::amax, {&x}, {&mx}, Attrs(dims, false)), 0);
    ASSERT_EQ(run(OpId::amin, {&x}, {&mn}, Attrs(dims, false)), 0);
  }
  const bool small = x.numel() < 200;
  if (small) {
    ASSERT_EQ(run(OpId::prod, {&x}, {&prod}, Attrs(dims, false)), 0);
  }
  Array mean(t, s.out_sizes), var(t, s.out_sizes);
  if (is_float(t)) {
    ASSERT_EQ(run(OpId::mean, {&x}, {&mean}, Attrs(dims, false)), 0);
    ASSERT_EQ(run(OpId::var, {&x}, {&var}, Attrs(dims, 1, false)), 0);
  }
  for (size_t o = 0; o < s.members.size(); ++o) {
    long double total = 0, squares = 0;  // the reference must not round
    double magnitude = 0, product = 1, high = -INFINITY, low = INFINITY;
    bool some = false, every = true;
    for (int64_t i : s.members[o]) {
      double v = x.get(i);
      total += v, magnitude += std::fabs(v), product *= v, high = std::max(high, v), low = std::min(low, v);
      some |= v != 0, every &= v != 0;
    }
    const double n = double(s.members[o].size()), eps = epsilon(t), sum_want = double(total);
    if (is_float(t)) {
      ASSERT_NEAR(sum.get(int64_t(o)), sum_want,
                  eps * (4 * std::fabs(sum_want) + 6 * std::sqrt(n) + 0.05 * magnitude))
          << dtype_name(t) << " n " << n;
      if (!empty) {
        ASSERT_NEAR(mean.get(int64_t(o)), sum_want / n, eps * 4 * (magnitude / n + 1e-3));
        for (int64_t i : s.members[o]) squares += (x.get(i) - total / n) * (x.get(i) - total / n);
        if (n > 1) {
          const double want = double(squares) / (n - 1);
          ASSERT_NEAR(var.get(int64_t(o)), want,
                      (eps + 2e-7 * (t != DType::f64)) * (10 + 0.2 * std::sqrt(n)) * (want + 1e-3));
        } else {
          ASSERT_TRUE(std::isnan(var.get(int64_t(o))));
        }
      } else {
        ASSERT_TRUE(std::isnan(mean.get(int64_t(o))));
      }
      if (small) {
        ASSERT_NEAR(prod.get(int64_t(o)), product, eps * (4 + n) * std::fabs(product) + 1e-7);
      }
    } else {
      ASSERT_EQ(sum.get(int64_t(o)), sum_want);
    }
    ASSERT_NEAR(wide.get(int64_t(o)), sum_want, 1e-13 * (magnitude + 1));
    if (!empty) {
      ASSERT_EQ(mx.get(int64_t(o)), high);
      ASSERT_EQ(mn.get(int64_t(o)), low);
    }
    ASSERT_EQ(any.get(int64_t(o)), some);
    ASSERT_EQ(all.get(int64_t(o)), every);
  }
}

TEST(Reduce, EverySetOfDimensions) {
  for (DType t : kTypes)
    for (Form f : {Form::dense, Form::transposed, Form::sliced, Form::expanded})
      for (int mask = 0; mask < 16; ++mask) {
        std::vector<int64_t> dims;
        for (int d = 0; d < 4; ++d)
          if (mask >> d & 1) dims.push_back(d);
        check(t, {3, 4, 2, 5}, f, dims);
        if (HasFatalFailure()) FAIL() << dtype_name(t) << " mask " << mask << " form " << int(f);
      }
}

TEST(Reduce, ShapesThatCrossChunksAndStrips) {
  for (DType t : {DType::f32, DType::f64, DType::bf16, DType::i32, DType::u8})
    for (auto& sizes : std::vector<std::vector<int64_t>>{{},
                                                         {1},
                                                         {100000},
                                                         {300000},
                                                         {3, 70000},
                                                         {70000, 3},
                                                         {1000, 130},
                                                         {130, 1000},
                                                         {5, 2100},
                                                         {2100, 5},
                                                         {70, 9001},
                                                         {4, 300, 33},
                                                         {1, 5000, 1},
                                                         {6000, 16}})
      for (int mask = 0; mask < 1 << sizes.size(); ++mask) {
        if (!sampled()) continue;
        std::vector<int64_t> dims;
        for (size_t d = 0; d < sizes.size(); ++d)
          if (mask >> d & 1) dims.push_back(int64_t(d));
        check(t, sizes, Form::dense, dims);
        if (sizes.size() == 2) check(t, sizes, Form::transposed, dims);
        if (HasFatalFailure()) FAIL() << dtype_name(t) << " mask " << mask;
      }
}

TEST(Reduce, Empty) {
  check(DType::f32, {0}, Form::dense, {});
  check(DType::f32, {0, 3}, Form::dense, {0});
  check(DType::f32, {3, 0}, Form::dense, {1});
  check(DType::f32, {0, 3}, Form::dense, {1});
  check(DType::i64, {0}, Form::dense, {});
}

TEST(Reduce, NanWins) {
  for (DType t : {DType::f32, DType::f64, DType::f16})
    for (int64_t n : {1, 3, 20, 70, 5000})
      for (int64_t at : {int64_t(0), n / 2, n - 1}) {
        Array x(t, {n, 3});
        fill_random(x);
        x.set(at * 3 + 1, NAN);
        Array mx(t, {3}), mn(t, {3}), flat(t, {}), v(t, {3}), i(DType::i64, {3}), k(DType::i64, {});
        ASSERT_EQ(run(OpId::amax, {&x}, {&mx}, Attrs(std::vector<int64_t>{0}, false)), 0);
        ASSERT_EQ(run(OpId::amin, {&x}, {&mn}, Attrs(std::vector<int64_t>{0}, false)), 0);
        ASSERT_EQ(run(OpId::amax, {&x}, {&flat}, Attrs(std::vector<int64_t>{}, false)), 0);
        EXPECT_TRUE(std::isnan(mx.get(1)) && std::isnan(mn.get(1)) && std::isnan(flat.get(0)));
        EXPECT_FALSE(std::isnan(mx.get(0)) || std::isnan(mn.get(2)));
        ASSERT_EQ(run(OpId::max_dim, {&x}, {&v, &i}, Attrs(0, false)), 0);
        EXPECT_TRUE(std::isnan(v.get(1)));
        EXPECT_EQ(i.get(1), double(at));
        ASSERT_EQ(run(OpId::argmin, {&x}, {&k}, Attrs(kNone, false)), 0);
        EXPECT_EQ(k.get(0), double(at * 3 + 1));
      }
}

TEST(Reduce, ExtremesWithTheirFirstIndex) {
  for (DType t : kTypes)
    for (Form f : {Form::dense, Form::transposed, Form::sliced})
      for (auto& sizes : std::vector<std::vector<int64_t>>{
               {40}, {9000}, {7, 11}, {700, 3}, {2, 130, 5}, {3, 5000}, {200000}})
        for (int64_t dim = -1; dim < int64_t(sizes.size()); ++dim) {  // -1: flattened
          Array x(t, sizes, f);
          fill_random(x);
          std::vector<int64_t> dims;
          if (dim >= 0) dims.push_back(dim);
          const Split s = split(x, dims);
          Array v(t, s.out_sizes), i(DType::i64, s.out_sizes), w(t, s.out_sizes), j(DType::i64, s.out_sizes),
              a(DType::i64, s.out_sizes), b(DType::i64, s.out_sizes);
          const int64_t attr = dim >= 0 ? dim : kNone;
          if (dim >= 0) {
            ASSERT_EQ(run(OpId::max_dim, {&x}, {&v, &i}, Attrs(attr, false)), 0);
            ASSERT_EQ(run(OpId::min_dim, {&x}, {&w, &j}, Attrs(attr, false)), 0);
          }
          ASSERT_EQ(run(OpId::argmax, {&x}, {&a}, Attrs(attr, false)), 0);
          ASSERT_EQ(run(OpId::argmin, {&x}, {&b}, Attrs(attr, false)), 0);
          for (size_t o = 0; o < s.members.size(); ++o) {
            size_t hi = 0, lo = 0;
            for (size_t m = 0; m < s.members[o].size(); ++m) {
              if (x.get(s.members[o][m]) > x.get(s.members[o][hi])) hi = m;
              if (x.get(s.members[o][m]) < x.get(s.members[o][lo])) lo = m;
            }
            ASSERT_EQ(a.get(int64_t(o)), double(hi));
            ASSERT_EQ(b.get(int64_t(o)), double(lo));
            if (dim >= 0) {
              ASSERT_EQ(v.get(int64_t(o)), x.get(s.members[o][hi]));
              ASSERT_EQ(w.get(int64_t(o)), x.get(s.members[o][lo]));
              ASSERT_EQ(i.get(int64_t(o)), double(hi));
              ASSERT_EQ(j.get(int64_t(o)), double(lo));
            }
          }
        }
}

TEST(Reduce, DoesNotDependOnThreads) {
  const int before = num_threads();
  for (auto& dims : std::vector<std::vector<int64_t>>{{}, {0}, {1}}) {
    Array x(DType::f32, {1000, 1500});
    fill_random(x);
    std::vector<std::vector<double>> results;
    for (int threads : {1, 2, 5}) {
      set_num_threads(threads);
      Array out(DType::f32, split(x, dims).out_sizes);
      ASSERT_EQ(run(OpId::sum, {&x}, {&out}, Attrs(dims, false, 0)), 0);
      results.push_back(out.values());
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
  set_num_threads(before);
}

TEST(Scan, SumsAndProducts) {
  for (DType t : kTypes)
    for (Form f : {Form::dense, Form::transposed, Form::sliced})
      for (auto& sizes : std::vector<std::vector<int64_t>>{{}, {0}, {9}, {5, 7}, {3, 40, 600}, {2, 3, 4}})
        for (int64_t dim = 0; dim < std::max<int64_t>(1, int64_t(sizes.size())); ++dim) {
          Array x(t, sizes, f);
          fill_random(x, 0.2);
          const DType to = is_float(t) ? t : DType::i64;
          Array sum(to, sizes), prod(to, sizes);
          ASSERT_EQ(run(OpId::cumsum, {&x}, {&sum}, Attrs(dim)), 0);
          ASSERT_EQ(run(OpId::cumprod, {&x}, {&prod}, Attrs(dim)), 0);
          std::vector<int64_t> dims;
          if (!sizes.empty()) dims.push_back(dim);
          for (auto& members : split(x, dims).members) {
            double s = 0, p = 1, magnitude = 0;
            for (int64_t i : members) {
              s += x.get(i), p *= x.get(i), magnitude += std::fabs(x.get(i));
              ASSERT_NEAR(sum.get(i), s, epsilon(t) * 2 * (magnitude + 1e-3));
              ASSERT_NEAR(prod.get(i), p, epsilon(t) * 4 * std::fabs(p) + 1e-7);
            }
          }
        }
}

}  // namespace
}  // namespace haft::test
