#include "core/cpu/multiversion.h"
#include "core/cpu/packed_weights.h"
#include "tests/cpu/kernel_case.h"

namespace haft::test {
namespace {

std::mt19937 rng(7);

// Swaps the last two dimensions of the view and of the reference.
void transpose(Sample& o) {
  int n = int(o.size.size());
  int64_t rows = o.size[size_t(n - 2)], cols = o.size[size_t(n - 1)],
          batch = o.numel() / std::max<int64_t>(rows * cols, 1);
  std::vector<double> v(o.value.size());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        v[size_t((b * cols + j) * rows + i)] = o.value[size_t((b * rows + i) * cols + j)];
  o.value = v;
  std::swap(o.size[size_t(n - 2)], o.size[size_t(n - 1)]);
  std::swap(o.view.sizes[n - 2], o.view.sizes[n - 1]);
  std::swap(o.view.strides[n - 2], o.view.strides[n - 1]);
  o.view.contiguous = 0;
}

std::vector<double> product(const Sample& a, const Sample& b, int64_t batch, int64_t m, int64_t n,
                            int64_t k) {
  std::vector<double> c(size_t(batch * m * n), 0.0);
  for (int64_t z = 0; z < batch; ++z)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j)
          c[size_t((z * m + i) * n + j)] +=
              a.value[size_t((z * m + i) * k + p)] * b.value[size_t((z * k + p) * n + j)];
  return c;
}

void check_mm(DType t, int64_t m, int64_t n, int64_t k, int layout_a, int layout_b) {
  Sample a, b, c;
  auto make = [&](Sample& o, int64_t r, int64_t q, int how) {
    if (how == 1) {
      o.make(t, {q, r});
      o.fill(rng);
      transpose(o);
    } else {
      o.make(t, {r, q}, HAFT_LAYOUT_STRIDED, how == 2);
      o.fill(rng);
    }
  };
  make(a, m, k, layout_a);
  make(b, k, n, layout_b);
  c.make(t, {m, n});
  run(cpu::k_mm, OpId::mm, {&a, &b}, {&c});
  expect_near(c, product(a, b, 1, m, n, k), double(k),
              concat("mm ", dtype_name(t), " ", m, "x", n, "x", k, " layouts ", layout_a, layout_b));
}

TEST(Matmul, AgreesWithDoubleForAllShapesAndStrides) {
  const int64_t shapes[][3] = {{1, 1, 1},      {1, 7, 5},      {5, 1, 9},     {3, 4, 5},     {8, 8, 8},
                               {16, 16, 16},   {17, 33, 9},    {31, 31, 31},  {32, 32, 32},  {33, 47, 65},
                               {1, 200, 130},  {130, 1, 77},   {64, 10, 128}, {10, 128, 64}, {64, 128, 100},
                               {100, 300, 40}, {257, 129, 65}, {4, 300, 700}, {64, 128, 10}, {7, 9, 3},
                               {2, 5, 31},     {9, 40, 17},    {3, 2, 2},     {50, 16, 30},  {23, 70, 15},
                               {5, 16, 20},    {6, 48, 16},    {64, 16, 16},  {16, 32, 64}};
  for (auto& s : shapes)
    for (int la = 0; la < 3; ++la)
      for (int lb = 0; lb < 3; ++lb) check_mm(DType::f32, s[0], s[1], s[2], la, lb);
}

TEST(Matmul, LargeProductsSharedAmongThreads) {
  for (int la = 0; la < 2; ++la)
    for (int lb = 0; lb < 2; ++lb) {
      check_mm(DType::f32, 260, 390, 330, la, lb);
      check_mm(DType::f32, 32, 520, 300, la, lb);
      check_mm(DType::f32, 600, 80, 512, la, lb);
      check_mm(DType::f32, 1, 67, 3001, la, lb);  // a tall matrix times a vector, from both sides
      check_mm(DType::f32, 90, 1, 2503, la, lb);
    }
}

TEST(Matmul, FewRowsShareTheColumns) {
  for (int la = 0; la < 3; ++la)
    for (int lb = 0; lb < 3; ++lb) {
      check_mm(DType::f32, 64, 128, 784, la, lb);
      check_mm(DType::f32, 37, 160, 411, la, lb);
      check_mm(DType::f32, 13, 512, 250, la, lb);
    }
}

TEST(Matmul, EveryDtype) {
  for (DType t :
       {DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::i8, DType::i16})
    for (int la = 0; la < 3; ++la)
      for (int lb = 0; lb < 3; ++lb) {
        bool narrow = item_size(t) == 1;
        check_mm(t, 3, 5, 4, la, lb);
        check_mm(t, 37, 50, narrow ? 3 : 61, la, lb);
        if (!narrow) check_mm(t, 70, 300, 290, la, lb);
      }
}

// As gradients of weights are: columns of A and of B in whole panels and parts of them, sums of odd lengths and of
// several blocks.
TEST(Matmul, TransposedBfloat16InPanels) {
  const int64_t shapes[][3] = {{160, 144, 128}, {257, 129, 165}, {70, 300, 1025},
                               {600, 47, 513},  {1000, 33, 96},  {33, 1000, 1537}};
  for (auto& s : shapes)
    for (int lb = 0; lb < 3; ++lb) check_mm(DType::bf16, s[0], s[1], s[2], 1, lb);
}

TEST(Matmul, ThreadsDoNotChangeATransposedBfloat16Product) {
  const int before = num_threads();
  Sample a, b, one, many;
  a.make(DType::bf16, {700, 500});
  a.fill(rng);
  transpose(a);
  b.make(DType::bf16, {700, 210});
  b.fill(rng);
  one.make(DType::bf16, {500, 210});
  many.make(DType::bf16, {500, 210});
  set_num_threads(1);
  run(cpu::k_mm, OpId::mm, {&a, &b}, {&one});
  set_num_threads(3);
  run(cpu::k_mm, OpId::mm, {&a, &b}, {&many});
  set_num_threads(before);
  EXPECT_EQ(std::memcmp(one.view.data, many.view.data, 500 * 210 * 2), 0);
}

TEST(Matmul, EmptyDimensions) {
  check_mm(DType::f32, 0, 4, 3, 0, 0);
  check_mm(DType::f32, 4, 0, 3, 0, 0);
  check_mm(DType::f32, 4, 3, 0, 0, 0);
  check_mm(DType::f64, 4, 3, 0, 0, 0);
  check_mm(DType::i64, 4, 3, 0, 0, 0);
}

TEST(Matmul, ExpandedOperandsAreRead) {
  Sample a, b, c;
  a.make(DType::f32, {1, 40});
  a.fill(rng);
  std::vector<double> row = a.value;
  a.size = {50, 40};
  a.view.sizes[0] = 50;
  a.view.strides[0] = 0;
  a.view.numel = 2000;
  a.view.contiguous = 0;
  a.value.clear();
  for (int i = 0; i < 50; ++i) a.value.insert(a.value.end(), row.begin(), row.end());
  b.make(DType::f32, {40, 60});
  b.fill(rng);
  c.make(DType::f32, {50, 60});
  run(cpu::k_mm, OpId::mm, {&a, &b}, {&c});
  expect_near(c, product(a, b, 1, 50, 60, 40), 40, "expanded");
}

TEST(Matmul, NanAndInfinityPassThrough) {
  for (int64_t n : {8, 40, 100}) {
    Sample a, b, c;
    a.make(DType::f32, {n, n});
    a.fill(rng);
    a.value[0] = std::nan("");
    a.write();
    b.make(DType::f32, {n, n});
    b.fill(rng);
    c.make(DType::f32, {n, n});
    run(cpu::k_mm, OpId::mm, {&a, &b}, {&c});
    expect_near(c, product(a, b, 1, n, n, n), double(n), "nan");
  }
}

TEST(Addmm, ScalesAndBroadcastsTheBias) {
  for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32})
    for (auto [m, n, k] : {std::array<int64_t, 3>{3, 5, 7},
                           {64, 128, 80},
                           {40, 70, 100},
                           {1, 60, 33},
                           {50, 1, 20},
                           {1, 67, 2100},
                           {24, 128, 800}})
      for (int how = 0; how < 3; ++how)
        for (auto [beta, alpha] : {std::array<double, 2>{1, 1}, {0.5, 2}, {0, 1}}) {
          if (!is_float(t) && beta == 0.5) continue;
          Sample s, a, b, c;
          s.make(t, {how == 1 ? 1 : m, how == 2 ? 1 : n});
          s.fill(rng);
          a.make(t, {m, k});
          a.fill(rng);
          b.make(t, {k, n});
          b.fill(rng);
          c.make(t, {m, n});
          std::vector<double> want = product(a, b, 1, m, n, k);
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              double bias = s.value[size_t((how == 1 ? 0 : i) * s.size[1] + (how == 2 ? 0 : j))];
              want[size_t(i * n + j)] = alpha * want[size_t(i * n + j)] + beta * bias;
            }
          for (int d = 0; d < 2; ++d)
            if (s.size[size_t(d)] == 1) s.view.strides[d] = 0;
          s.view.sizes[0] = m;
          s.view.sizes[1] = n;
          s.view.numel = m * n;
          s.view.contiguous = how == 0;
          AttrWriter w;
          w.add(Scalar(beta)).add(Scalar(alpha));
          run(cpu::k_addmm, OpId::addmm, {&s, &a, &b}, {&c}, w.finish());
          expect_near(c, want, double(k),
                      concat("addmm ", dtype_name(t), " ", m, "x", n, "x", k, " bias ", how));
        }
}

TEST(Bmm, Batches) {
  for (DType t : {DType::f32, DType::f64, DType::bf16, DType::i64})
    for (auto [z, m, n, k] : {std::array<int64_t, 4>{5, 3, 4, 6},
                              {1, 40, 50, 60},
                              {17, 64, 32, 48},
                              {2, 150, 160, 170},
                              {0, 3, 4, 5}})
      for (int how = 0; how < 2; ++how) {
        Sample a, b, c;
        a.make(t, {z, m, k});
        a.fill(rng);
        b.make(t, how ? std::vector<int64_t>{z, n, k} : std::vector<int64_t>{z, k, n});
        b.fill(rng);
        if (how) transpose(b);
        c.make(t, {z, m, n});
        run(cpu::k_bmm, OpId::bmm, {&a, &b}, {&c});
        expect_near(c, product(a, b, z, m, n, k), double(k), concat("bmm ", dtype_name(t), " ", z));
      }
}

TEST(Linear, LeadingDimensionsAndBias) {
  for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (auto lead : {std::vector<int64_t>{}, {1}, {4}, {64}, {3, 5}, {2, 3, 4}, {0}})
      for (auto [in, out] : {std::array<int64_t, 2>{5, 3}, {100, 70}, {784, 128}})
        for (int how = 0; how < 4; ++how) {
          Sample x, w, s, y;
          auto xs = lead, ys = lead;
          xs.push_back(in);
          ys.push_back(out);
          x.make(t, xs, HAFT_LAYOUT_STRIDED, how & 2);
          x.fill(rng);
          w.make(t, {out, in});
          w.fill(rng);
          s.make(t, {out});
          s.fill(rng);
          y.make(t, ys);
          int64_t rows = y.numel() / out;
          std::vector<double> want(size_t(rows * out));
          for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < out; ++j) {
              double v = how & 1 ? s.value[size_t(j)] : 0;
              for (int64_t p = 0; p < in; ++p) v += x.value[size_t(i * in + p)] * w.value[size_t(j * in + p)];
              want[size_t(i * out + j)] = v;
            }
          run(cpu::k_linear, OpId::linear, {&x, &w, how & 1 ? &s : nullptr}, {&y});
          expect_near(y, want, double(in), concat("linear ", dtype_name(t), " rows ", rows));
        }
}

TEST(Linear, PackedWeightsFollowTheirVersion) {
  const int threads = num_threads();
  for (int64_t rows : {2, 7, 17, 32, 65, 300})
    for (bool bias : {false, true}) {
      set_num_threads(bias ? 3 : 1);
      Sample x, w, s, y;
      x.make(DType::f32, {rows, 300});
      x.fill(rng);
      w.make(DType::f32, {500, 300});
      s.make(DType::f32, {500});
      s.fill(rng);
      y.make(DType::f32, {rows, 500});
      for (uint64_t version = 1; version <= 2; ++version) {
        w.fill(rng);
        w.view.version_key = uint64_t(rows) * 100 + uint64_t(bias) * 10 + version;
        std::vector<double> want(size_t(rows * 500));
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < 500; ++j) {
            double v = bias ? s.value[size_t(j)] : 0;
            for (int64_t p = 0; p < 300; ++p)
              v += x.value[size_t(i * 300 + p)] * w.value[size_t(j * 300 + p)];
            want[size_t(i * 500 + j)] = v;
          }
        // Many rows wait longer: gradients of a few batches are added up before a weight is written.
        const int settled = rows > 32 ? 16 : 4;
        const int64_t hits = cpu::packed_weights_stats().hits;
        for (int use = 1; use < settled + 3; ++use) {
          run(cpu::k_linear, OpId::linear, {&x, &w, bias ? &s : nullptr}, {&y});
          expect_near(y, want, 300, concat("rows ", rows, " version ", int(version), " use ", use));
          if (use < settled) {
            EXPECT_EQ(cpu::packed_weights_stats().hits, hits) << rows;
          }
        }
        if (cpu::isa() == cpu::Isa::avx512) {
          EXPECT_GT(cpu::packed_weights_stats().hits, hits) << rows;
        }
      }
    }
  set_num_threads(threads);
}

TEST(Matmul, SameNumbersEveryTime) {
  Sample a, b, c, d;
  a.make(DType::f32, {300, 400});
  a.fill(rng);
  b.make(DType::f32, {400, 500});
  b.fill(rng);
  c.make(DType::f32, {300, 500});
  d.make(DType::f32, {300, 500});
  run(cpu::k_mm, OpId::mm, {&a, &b}, {&c});
  for (int i = 0; i < 5; ++i) {
    run(cpu::k_mm, OpId::mm, {&a, &b}, {&d});
    ASSERT_EQ(c.memory, d.memory);
  }
}

TEST(Matmul, ATallMatrixTimesAVectorIsTheSameOnAnyNumberOfThreads) {
  Sample a, b, c, d;
  a.make(DType::f32, {1, 3001});
  a.fill(rng);
  b.make(DType::f32, {3001, 67});
  b.fill(rng);
  c.make(DType::f32, {1, 67});
  d.make(DType::f32, {1, 67});
  run(cpu::k_mm, OpId::mm, {&a, &b}, {&c});
  int before = num_threads();
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    run(cpu::k_mm, OpId::mm, {&a, &b}, {&d});
    EXPECT_EQ(c.memory, d.memory) << threads << " threads";
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace haft::test
