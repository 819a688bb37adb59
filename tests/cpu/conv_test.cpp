#include "core/cpu/conv.h"

#include "core/cpu/conv_lines.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/packed_weights.h"
#include "tests/cpu/kernel_case.h"

namespace haft::test {
namespace {

using cpu::ConvShape;
std::mt19937 rng(11);

ConvShape shape(int64_t n, int64_t c, int64_t h, int64_t w, int64_t o, int64_t kh, int64_t kw, int64_t sh,
                int64_t sw, int64_t ph, int64_t pw, int64_t dh, int64_t dw, int64_t groups) {
  ConvShape s{n, c, h, w, o, 0, 0, kh, kw, sh, sw, ph, pw, dh, dw, groups};
  s.oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1;
  s.ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1;
  return s;
}

// f(x index, weight index, y index) over every multiplication.
template <class F>
void each_product(const ConvShape& s, F&& f) {
  int64_t cg = s.c / s.groups, og = s.o / s.groups;
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t o = 0; o < s.o; ++o)
      for (int64_t c = 0; c < cg; ++c)
        for (int64_t ky = 0; ky < s.kh; ++ky)
          for (int64_t kx = 0; kx < s.kw; ++kx)
            for (int64_t oy = 0; oy < s.oh; ++oy) {
              int64_t iy = oy * s.sh - s.ph + ky * s.dh;
              if (iy < 0 || iy >= s.h) continue;
              for (int64_t ox = 0; ox < s.ow; ++ox) {
                int64_t ix = ox * s.sw - s.pw + kx * s.dw;
                if (ix < 0 || ix >= s.w) continue;
                f(size_t(((n * s.c + o / og * cg + c) * s.h + iy) * s.w + ix),
                  size_t(((o * cg + c) * s.kh + ky) * s.kw + kx),
                  size_t(((n * s.o + o) * s.oh + oy) * s.ow + ox));
              }
            }
}

std::span<const uint64_t> conv_attrs(AttrWriter& w, const ConvShape& s) {
  std::vector<int64_t> stride{s.sh, s.sw}, padding{s.ph, s.pw}, dilation{s.dh, s.dw};
  w.add(std::span<const int64_t>(stride))
      .add(std::span<const int64_t>(padding))
      .add(std::span<const int64_t>(dilation));
  w.add(s.groups);
  return w.finish();
}

std::string name(const ConvShape& s, DType t, uint8_t lx, uint8_t ly) {
  return concat(dtype_name(t), " n", s.n, " ", s.c, "->", s.o, " ", s.h, "x", s.w, " k", s.kh, "x", s.kw,
                " s", s.sh, " p", s.ph, " d", s.dh, " g", s.groups, " layouts ", int(lx), int(ly));
}

uint8_t blocked(int64_t channels) {
  if (cpu::isa() == cpu::Isa::avx512) return channels % 16 ? HAFT_LAYOUT_STRIDED : HAFT_LAYOUT_BLOCKED16;
  return channels % 8 ? HAFT_LAYOUT_STRIDED : HAFT_LAYOUT_BLOCKED8;
}

void check(const ConvShape& s, DType t, uint8_t lx, uint8_t ly, bool bias, bool gaps = false) {
  Sample x, w, b, y, dy, dx, dw;
  x.make(t, {s.n, s.c, s.h, s.w}, lx, gaps && lx == HAFT_LAYOUT_STRIDED);
  x.fill(rng);
  w.make(t, {s.o, s.c / s.groups, s.kh, s.kw}, HAFT_LAYOUT_STRIDED, gaps);
  w.fill(rng, 0.5);
  b.make(t, {s.o});
  b.fill(rng);
  y.make(t, {s.n, s.o, s.oh, s.ow}, ly, gaps && ly == HAFT_LAYOUT_STRIDED);
  dy.make(t, {s.n, s.o, s.oh, s.ow}, ly);
  dy.fill(rng);
  dx.make(t, {s.n, s.c, s.h, s.w}, lx);
  dw.make(t, {s.o, s.c / s.groups, s.kh, s.kw});
  std::vector<double> wy(y.value.size(), 0.0), wx(x.value.size(), 0.0), ww(w.value.size(), 0.0);
  if (bias)
    for (size_t i = 0; i < wy.size(); ++i) wy[i] = b.value[i / size_t(s.oh * s.ow) % size_t(s.o)];
  each_product(s, [&](size_t i, size_t j, size_t o) {
    wy[o] += x.value[i] * w.value[j];
    wx[i] += dy.value[o] * w.value[j];
    ww[j] += dy.value[o] * x.value[i];
  });
  std::string what = name(s, t, lx, ly);
  double k = double(s.c / s.groups * s.kh * s.kw);
  {
    AttrWriter a;
    run(cpu::k_conv2d, OpId::conv2d, {&x, &w, bias ? &b : nullptr}, {&y}, conv_attrs(a, s));
    expect_near(y, wy, 4 * k, "forward " + what);
  }
  std::vector<int64_t> stride{s.sh, s.sw}, padding{s.ph, s.pw}, dilation{s.dh, s.dw};
  {
    AttrWriter a;
    std::vector<int64_t> size = x.size;
    a.add(std::span<const int64_t>(size))
        .add(std::span<const int64_t>(stride))
        .add(std::span<const int64_t>(padding));
    a.add(std::span<const int64_t>(dilation)).add(s.groups);
    run(cpu::k_conv2d_input, OpId::conv2d_input, {&dy, &w}, {&dx}, a.finish());
    expect_near(dx, wx, 4 * double(s.o / s.groups * s.kh * s.kw), "input " + what);
  }
  {
    AttrWriter a;
    std::vector<int64_t> size = w.size;
    a.add(std::span<const int64_t>(size))
        .add(std::span<const int64_t>(stride))
        .add(std::span<const int64_t>(padding));
    a.add(std::span<const int64_t>(dilation)).add(s.groups);
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {&dw}, a.finish());
    expect_near(dw, ww, 4 * double(s.n * s.oh * s.ow), "weight " + what);
  }
}

const ConvShape kShapes[] = {
    shape(2, 1, 9, 9, 16, 3, 3, 1, 1, 0, 0, 1, 1, 1),    shape(2, 3, 12, 10, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1),
    shape(3, 16, 8, 8, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1),   shape(1, 32, 7, 9, 16, 1, 1, 1, 1, 0, 0, 1, 1, 1),
    shape(2, 32, 8, 8, 64, 1, 1, 2, 2, 0, 0, 1, 1, 1),   shape(2, 16, 9, 9, 16, 3, 3, 2, 2, 1, 1, 1, 1, 1),
    shape(2, 16, 10, 10, 16, 3, 3, 2, 2, 1, 1, 1, 1, 1), shape(2, 5, 7, 6, 7, 3, 2, 1, 2, 1, 0, 1, 1, 1),
    shape(2, 20, 6, 6, 10, 5, 5, 1, 1, 2, 2, 1, 1, 1),   shape(2, 16, 11, 11, 16, 3, 3, 1, 1, 2, 2, 2, 2, 1),
    shape(2, 6, 8, 8, 9, 3, 3, 1, 1, 1, 1, 1, 1, 3),     shape(2, 32, 8, 8, 32, 3, 3, 1, 1, 1, 1, 1, 1, 32),
    shape(2, 32, 8, 8, 32, 3, 3, 1, 1, 1, 1, 1, 1, 2),   shape(2, 32, 8, 8, 64, 3, 3, 2, 2, 1, 1, 1, 1, 4),
    shape(1, 16, 5, 5, 10, 1, 1, 1, 1, 0, 0, 1, 1, 1),   shape(9, 16, 6, 6, 48, 3, 3, 1, 1, 0, 0, 1, 1, 1),
    shape(1, 3, 33, 31, 64, 7, 7, 2, 2, 3, 3, 1, 1, 1),  shape(2, 8, 5, 5, 24, 3, 3, 1, 1, 1, 1, 1, 1, 1),
};

TEST(Conv, EveryShapeDense) {
  for (const ConvShape& s : kShapes)
    for (DType t : {DType::f32, DType::f64, DType::bf16, DType::f16})
      check(s, t, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, s.n & 1);
}

TEST(Conv, EveryShapeBlocked) {
  for (const ConvShape& s : kShapes)
    for (DType t : {DType::f32, DType::bf16, DType::f16}) {
      check(s, t, blocked(s.c), blocked(s.o), true);
      check(s, t, blocked(s.c), HAFT_LAYOUT_STRIDED, false);
      check(s, t, HAFT_LAYOUT_STRIDED, blocked(s.o), false);
    }
}

TEST(Conv, StridedOperands) {
  for (const ConvShape& s : kShapes)
    for (DType t : {DType::f32, DType::f64})
      check(s, t, HAFT_LAYOUT_STRIDED, blocked(t == DType::f64 ? 1 : s.o), true, true);
}

TEST(Conv, Integers) {
  check(kShapes[7], DType::i64, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, true);
  check(kShapes[10], DType::i32, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, false);
}

// A filter a channel: its gradient has loops of its own. Kernels wider and higher than what registers hold at once,
// channels that fill no block, rows shorter than a vector, strips of rows, rows of sequences, steps, padding beyond
// the map.
const ConvShape kDepthwise[] = {
    shape(2, 16, 9, 9, 16, 7, 7, 1, 1, 3, 3, 1, 1, 16),
    shape(3, 24, 17, 19, 24, 5, 5, 1, 1, 2, 2, 1, 1, 24),
    shape(2, 32, 20, 33, 32, 5, 7, 2, 2, 2, 3, 1, 1, 32),
    shape(1, 40, 7, 7, 40, 3, 3, 1, 1, 1, 1, 1, 1, 40),
    shape(2, 16, 12, 11, 16, 4, 2, 1, 2, 0, 1, 2, 3, 16),
    shape(1, 16, 40, 180, 16, 3, 9, 1, 1, 1, 4, 1, 1, 16),
    shape(2, 48, 1, 70, 48, 1, 7, 1, 1, 0, 3, 1, 1, 48),
    shape(2, 3, 6, 5, 3, 6, 11, 1, 1, 3, 8, 1, 1, 3),
    shape(2, 16, 3, 3, 16, 1, 1, 1, 1, 4, 4, 1, 1, 16),
    shape(35, 2, 5, 6, 2, 2, 2, 1, 1, 0, 0, 1, 1, 2),
    shape(1, 32, 150, 150, 32, 2, 3, 3, 1, 1, 1, 1, 1, 32),
};
TEST(Conv, Depthwise) {
  for (const ConvShape& s : kDepthwise) {
    for (DType t : {DType::f32, DType::f64, DType::bf16})
      check(s, t, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, s.n & 1);
    check(s, DType::f32, blocked(s.c), blocked(s.o), true);
    check(s, DType::f32, blocked(s.c), HAFT_LAYOUT_STRIDED, false);
    check(s, DType::f32, HAFT_LAYOUT_STRIDED, blocked(s.o), false, true);
    if (s.c % 8 == 0) check(s, DType::f32, HAFT_LAYOUT_BLOCKED8, HAFT_LAYOUT_BLOCKED8, false);
  }
}
// Rows on both sides, unit steps: rows of fewer and of more than whole vectors, any padding that leaves no window
// outside.
TEST(Conv, DepthwiseRows) {
  for (const ConvShape& s :
       {shape(2, 3, 1, 1, 3, 3, 3, 1, 1, 1, 1, 1, 1, 3), shape(1, 2, 9, 15, 2, 3, 3, 1, 1, 0, 2, 1, 1, 2),
        shape(1, 16, 17, 16, 16, 3, 3, 1, 1, 2, 0, 1, 1, 16),
        shape(40, 2, 8, 17, 2, 3, 3, 1, 1, 1, 1, 1, 1, 2), shape(1, 2, 23, 33, 2, 5, 5, 1, 1, 4, 2, 1, 1, 2),
        shape(2, 2, 5, 70, 2, 5, 5, 1, 1, 2, 0, 1, 1, 2), shape(1, 2, 24, 31, 2, 7, 7, 1, 1, 0, 6, 1, 1, 2),
        shape(1, 2, 7, 90, 2, 7, 7, 1, 1, 3, 3, 1, 1, 2), shape(1, 2, 300, 40, 2, 3, 3, 1, 1, 1, 1, 1, 1, 2)})
    for (bool bias : {false, true})
      check(s, DType::f32, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, bias, bias);
}
// Maps of one row: columns and channels that fill no tile, taps that begin beside the line, far apart or before it.
TEST(Conv, Lines) {
  const int threads = num_threads();
  for (const ConvShape& s : {shape(8, 32, 1, 128, 20, 1, 3, 1, 1, 0, 1, 1, 1, 1),
                             shape(6, 48, 1, 140, 25, 1, 4, 1, 1, 0, 0, 1, 1, 1),
                             shape(1, 80, 1, 1101, 31, 1, 5, 1, 1, 0, 9, 1, 2, 1),
                             shape(3, 32, 1, 513, 37, 1, 2, 1, 1, 0, 70, 1, 1, 1),
                             shape(2, 144, 1, 300, 22, 1, 1, 1, 1, 0, 2, 1, 1, 1),
                             shape(17, 32, 1, 190, 21, 1, 3, 1, 1, 0, 60, 1, 60, 1),
                             shape(4, 48, 1, 301, 24, 1, 4, 1, 2, 0, 1, 1, 1, 1),
                             shape(2, 32, 1, 1700, 20, 1, 3, 1, 3, 0, 4, 1, 2, 1)})
    for (int n : {1, 3}) {
      set_num_threads(n);
      const cpu::ConvPlan plan{
          s,     cpu::ConvPass::weight, HAFT_FLOAT32, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED,
          false, cpu::Winograd::off};
      EXPECT_EQ(cpu::lines_possible(plan), cpu::isa() == cpu::Isa::avx512);
      check(s, DType::f32, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, n == 1, n == 3);
    }
  set_num_threads(threads);
}
TEST(Conv, LinesAreTheSameOnAnyNumberOfThreads) {
  if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "loops of its own want AVX-512";
  const int threads = num_threads();
  const ConvShape s = shape(5, 64, 1, 1200, 33, 1, 3, 1, 1, 0, 1, 1, 1, 1);
  Sample x, w, y, dy, dw, again, other;
  x.make(DType::f32, {s.n, s.c, 1, s.w});
  w.make(DType::f32, {s.o, s.c, 1, s.kw});
  dy.make(DType::f32, {s.n, s.o, 1, s.ow});
  for (Sample* a : {&x, &w, &dy}) a->fill(rng);
  for (Sample* a : {&y, &other}) a->make(DType::f32, dy.size);
  for (Sample* a : {&dw, &again}) a->make(DType::f32, w.size);
  AttrWriter of_maps, of_weights;
  std::vector<int64_t> size = w.size, one{1, 1}, padding{0, 1};
  for (const auto& v : {size, one, padding, one}) of_weights.add(std::span<const int64_t>(v));
  of_weights.add(int64_t(1));
  const std::span<const uint64_t> attrs = of_weights.finish(), forward = conv_attrs(of_maps, s);
  for (int n : {1, 2, 5}) {
    set_num_threads(n);
    run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {n == 1 ? &y : &other}, forward);
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {n == 1 ? &dw : &again}, attrs);
    if (n > 1) {
      EXPECT_EQ(y.memory, other.memory) << n << " threads";
      EXPECT_EQ(dw.memory, again.memory) << n << " threads";
    }
  }
  set_num_threads(threads);
}
// Infinite numbers meet nothing beside a line: its zeros would make NaN of them.
TEST(Conv, InfinitiesBesideALine) {
  if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "loops of its own want AVX-512";
  for (const ConvShape& s : {shape(5, 32, 1, 130, 32, 1, 3, 1, 1, 0, 1, 1, 1, 1),
                             shape(5, 32, 1, 261, 32, 1, 3, 1, 2, 0, 2, 1, 1, 1)}) {
    const int64_t first = (s.pw + s.sw - 1) / s.sw;  // the first window that begins in the line
    Sample x, w, y, dx, dy, dw;
    x.make(DType::f32, {s.n, s.c, 1, s.w});
    w.make(DType::f32, {s.o, s.c, 1, s.kw});
    for (Sample* a : {&x, &w}) a->fill(rng);
    w.value[0] = INFINITY;  // tap 0 from channel 0 to channel 0
    w.write();
    y.make(DType::f32, {s.n, s.o, 1, s.ow});
    dy.make(DType::f32, y.size);
    dy.fill(rng);
    dy.value[0] = INFINITY;
    dy.write();
    dw.make(DType::f32, w.size);
    AttrWriter of_maps, of_input, of_weights;
    const std::vector<int64_t> maps = x.size, size = w.size, stride{1, s.sw}, padding{0, s.pw},
                               dilation{1, s.dw};
    for (const auto* v : {&size, &stride, &padding, &dilation}) of_weights.add(std::span<const int64_t>(*v));
    of_weights.add(int64_t(1));
    run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {&y}, conv_attrs(of_maps, s));
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {&dw}, of_weights.finish());
    for (int64_t i = 0; i < s.ow; ++i) EXPECT_EQ(std::isfinite(y.at(i)), i < first) << i;
    for (int64_t i = 0; i < s.c * s.kw; ++i)  // of channel 0, whose first window begins before the line
      EXPECT_EQ(std::isfinite(dw.at(i)), i % s.kw * s.dw < s.pw) << i;
    dy.value[0] = 1;
    dy.write();
    dx.make(DType::f32, x.size);
    for (const auto* v : {&maps, &stride, &padding, &dilation}) of_input.add(std::span<const int64_t>(*v));
    of_input.add(int64_t(1));
    run(cpu::k_conv2d_input, OpId::conv2d_input, {&dy, &w}, {&dx}, of_input.finish());
    for (int64_t i = 0; i < s.w; ++i) {
      const int64_t at = i + s.pw;  // where tap 0 stands
      EXPECT_EQ(std::isfinite(dx.at(i)), at % s.sw != 0 || at / s.sw >= s.ow) << i;
    }
  }
}
// A plane of NaN, and memory of NaN behind the maps, reach no other plane.
TEST(Conv, DepthwisePlanesKeepToThemselves) {
  for (int64_t k : {3, 7}) {
    const ConvShape s = shape(1, 3, 9, 18, 3, k, k, 1, 1, k / 2, k / 2, 1, 1, 3);
    Sample x, w, y, dw;
    x.make(DType::f32, {1, 3, 9, 18});
    x.fill(rng);
    w.make(DType::f32, {3, 1, k, k});
    w.fill(rng);
    y.make(DType::f32, {1, 3, 9, 18});
    dw.make(DType::f32, {3, 1, k, k});
    std::fill_n(static_cast<float*>(x.view.data) + 9 * 18, 9 * 18, NAN);
    AttrWriter a, g;
    run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {&y}, conv_attrs(a, s));
    const std::vector<int64_t> size = dw.size, one{1, 1}, padding{k / 2, k / 2};
    for (const auto* v : {&size, &one, &padding, &one}) g.add(std::span<const int64_t>(*v));
    g.add(int64_t(3));
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&x, &x}, {&dw}, g.finish());
    for (int64_t i = 0; i < 3 * 9 * 18; ++i) EXPECT_EQ(std::isnan(y.at(i)), i / (9 * 18) == 1) << i;
    for (int64_t i = 0; i < 3 * k * k; ++i) EXPECT_EQ(std::isnan(dw.at(i)), i / (k * k) == 1) << i;
  }
}
TEST(Conv, DepthwiseRepeats) {
  if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "loops of its own want AVX-512";
  const int threads = num_threads();
  const ConvShape s = shape(37, 32, 9, 9, 32, 7, 7, 1, 1, 3, 3, 1, 1, 32);
  for (uint8_t layout : {HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_BLOCKED16}) {
    Sample x, dy, dw, again;
    x.make(DType::f32, {s.n, s.c, s.h, s.w}, layout);
    x.fill(rng);
    dy.make(DType::f32, {s.n, s.o, s.oh, s.ow}, layout);
    dy.fill(rng);
    dw.make(DType::f32, {s.o, 1, 7, 7});
    again.make(DType::f32, {s.o, 1, 7, 7});
    AttrWriter a;
    const std::vector<int64_t> size = dw.size, one{1, 1}, three{3, 3};
    for (const auto* v : {&size, &one, &three, &one}) a.add(std::span<const int64_t>(*v));
    a.add(s.groups);
    const auto attrs = a.finish();
    for (int n : {1, 2, 5}) {
      set_num_threads(n);
      run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {n == 1 ? &dw : &again}, attrs);
      if (n == 1) continue;
      EXPECT_EQ(dw.memory, again.memory) << n << " threads, layout " << int(layout);
    }
  }
  set_num_threads(threads);
}

TEST(Conv, SharedAmongThreads) {
  check(shape(13, 32, 16, 16, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1), DType::f32, blocked(32), blocked(64), true);
  check(shape(7, 3, 40, 40, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1), DType::f32, HAFT_LAYOUT_STRIDED, blocked(64),
        true);
  check(shape(1, 64, 28, 28, 128, 3, 3, 1, 1, 1, 1, 1, 1, 1), DType::f32, blocked(64), blocked(128), true);
}

// Large images and a stride: also one thread cuts the batch, here into 6 and 5.
TEST(Conv, StridedPieces) {
  const int threads = num_threads();
  ConvShape s = shape(11, 16, 56, 56, 16, 3, 3, 2, 2, 1, 1, 1, 1, 1);
  for (int n : {1, 2}) {
    set_num_threads(n);
    check(s, DType::f32, blocked(16), blocked(16), true);
    check(s, DType::f32, HAFT_LAYOUT_STRIDED, blocked(16), false);
  }
  set_num_threads(threads);
}

// Few results of many weights are products of the plain weights.
TEST(Conv, FewResults) {
  const int threads = num_threads();
  set_num_threads(3);
  for (const ConvShape& s : {shape(1, 352, 4, 4, 352, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                             shape(3, 336, 7, 5, 350, 3, 3, 2, 2, 1, 1, 1, 1, 1),
                             shape(2, 1040, 6, 5, 1034, 1, 1, 2, 1, 0, 0, 1, 1, 1),
                             shape(1, 360, 9, 9, 336, 3, 3, 1, 1, 1, 0, 2, 1, 1)})
    check(s, DType::f32, s.n % 2 ? blocked(s.c) : uint8_t(HAFT_LAYOUT_STRIDED), blocked(s.o), s.n < 3);
  set_num_threads(threads);
}

TEST(Conv, EmptyBatch) {
  ConvShape s = shape(0, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1);
  check(s, DType::f32, blocked(16), blocked(16), true);
  check(s, DType::f64, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, true);
}

double relative_rms(const Sample& got, const std::vector<double>& want) {
  double e = 0, r = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    double d = got.at(int64_t(i)) - want[i];
    e += d * d;
    r += want[i] * want[i];
  }
  return std::sqrt(e / r);
}

// Neither many channels nor many tiles may add to the error.
TEST(Conv, WinogradStaysWithinItsErrorBound) {
  if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "Winograd's kernels want AVX-512";
  for (const ConvShape& s : {shape(4, 64, 20, 20, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                             shape(3, 512, 8, 8, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1)}) {
    Sample x, w, y, dw;
    x.make(DType::f32, {s.n, s.c, s.h, s.w}, blocked(s.c));
    x.fill(rng);
    w.make(DType::f32, {s.o, s.c, s.kh, s.kw});
    w.fill(rng, 0.06);
    y.make(DType::f32, {s.n, s.o, s.oh, s.ow}, blocked(s.o));
    std::vector<double> want(y.value.size(), 0.0), want_dw(w.value.size(), 0.0);
    each_product(s, [&](size_t i, size_t j, size_t o) { want[o] += x.value[i] * w.value[j]; });
    AttrWriter a;
    auto attrs = conv_attrs(a, s);
    run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {&y}, attrs);
    EXPECT_LT(relative_rms(y, want), 1.2e-6) << s.c << " channels";
    std::vector<char> fast = y.memory;
    {
      ScopedValue exact(thread_state().call_flags, uint32_t(HAFT_CALL_EXACT));
      run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {&y}, attrs);
    }
    EXPECT_LT(relative_rms(y, want), 5e-7);
    EXPECT_NE(fast, y.memory) << "the switch";

    y.fill(rng);
    each_product(s, [&](size_t i, size_t j, size_t o) { want_dw[j] += x.value[i] * y.value[o]; });
    dw.make(DType::f32, {s.o, s.c, s.kh, s.kw});
    AttrWriter g;
    std::vector<int64_t> size = dw.size, one{1, 1};
    for (int i = 0; i < 4; ++i) g.add(std::span<const int64_t>(i ? one : size));
    g.add(int64_t(1));
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&y, &x}, {&dw}, g.finish());
    EXPECT_LT(relative_rms(dw, want_dw), 1.2e-6) << s.c << " channels, the weights' gradient";
  }
}

// Odd numbers of channel blocks, other padding in one direction than in the other, tiles beyond the edge,
// several passes over the images (the fourth) and over the channels made (the last two).
TEST(Conv, WinogradShapes) {
  for (const ConvShape& s : {shape(2, 48, 9, 13, 80, 3, 3, 1, 1, 1, 0, 1, 1, 1),
                             shape(3, 32, 6, 10, 48, 3, 3, 1, 1, 0, 1, 1, 1, 1),
                             shape(1, 32, 33, 30, 32, 3, 3, 1, 1, 0, 0, 1, 1, 1),
                             shape(5, 64, 41, 43, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                             shape(13, 48, 4, 3, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                             shape(9, 512, 4, 4, 144, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                             shape(9, 144, 4, 4, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1)})
    check(s, DType::f32, blocked(s.c), blocked(s.o), s.n % 2);
}

// Kernels 4x4 with steps of 2: odd numbers of tiles and of blocks, tiles beyond the edge, maps in rows and in blocks.
TEST(Conv, WinogradQuarters) {
  const int threads = num_threads();
  for (const ConvShape& s : {shape(4, 16, 20, 44, 64, 4, 4, 2, 2, 1, 1, 1, 1, 1),
                             shape(2, 48, 58, 56, 64, 4, 4, 2, 2, 1, 1, 1, 1, 1),
                             shape(5, 32, 38, 30, 80, 4, 4, 2, 2, 1, 1, 1, 1, 1),
                             shape(1, 16, 60, 60, 64, 4, 4, 2, 2, 1, 1, 1, 1, 1)}) {
    set_num_threads(s.n);
    check(s, DType::f32, blocked(s.c), blocked(s.o), s.n % 2);
    check(s, DType::f32, HAFT_LAYOUT_STRIDED, blocked(s.o), true);
    check(s, DType::f32, blocked(s.c), HAFT_LAYOUT_STRIDED, false);
  }
  set_num_threads(threads);
}

class ConvWeights : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Conv, ConvWeights, testing::Values(1, 3));

TEST_P(ConvWeights, FollowTheirVersion) {
  cpu::clear_packed_weights();
  const int64_t k = GetParam();
  ConvShape s = shape(2, 32, 6, 6, 32, k, k, 1, 1, k / 2, k / 2, 1, 1, 1);
  Sample x, w, y;
  x.make(DType::f32, {s.n, s.c, s.h, s.w}, blocked(s.c));
  x.fill(rng);
  w.make(DType::f32, {s.o, s.c, k, k});
  y.make(DType::f32, {s.n, s.o, s.oh, s.ow}, blocked(s.o));
  AttrWriter a;
  auto attrs = conv_attrs(a, s);
  const cpu::PackedWeightsStats before = cpu::packed_weights_stats();
  for (uint64_t version = 1; version <= 3; ++version) {
    w.fill(rng);
    w.view.version_key = version;
    std::vector<double> want(y.value.size(), 0.0);
    each_product(s, [&](size_t i, size_t j, size_t o) { want[o] += x.value[i] * w.value[j]; });
    for (int i = 0; i < 4; ++i) {
      run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {&y}, attrs);
      expect_near(y, want, double(4 * 32 * k * k), concat("version ", int(version), " use ", i));
    }
  }
  EXPECT_EQ(cpu::packed_weights_stats().packs - before.packs, 3);
  EXPECT_EQ(cpu::packed_weights_stats().hits - before.hits, 6);
  cpu::clear_packed_weights();
}

// More bytes of weights than of maps, and one image: the threads share the channels of the result, here in
// uneven parts.
TEST(Conv, ChannelsAreShared) {
  const int threads = num_threads();
  for (int n : {1, 3, 5}) {
    set_num_threads(n);
    for (const ConvShape& s : {shape(3, 400, 3, 3, 400, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                               shape(2, 304, 5, 5, 416, 3, 3, 2, 2, 1, 1, 1, 1, 1),
                               shape(1, 48, 20, 20, 80, 3, 3, 1, 1, 1, 1, 1, 1, 1)})
      for (DType t : {DType::f32, DType::bf16}) {
        check(s, t, blocked(s.c), blocked(s.o), true);
        if (s.n == 1) check(s, t, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, true);
      }
  }
  set_num_threads(threads);
}

// Windows that lie in the padding, overhang small maps or leave cells out, over memory full of NaN: what the
// library's tiles may leave unwritten.
TEST(Conv, WindowsBesideSmallMaps) {
  for (const ConvShape& s :
       {shape(5, 64, 11, 1, 32, 6, 7, 4, 2, 2, 4, 1, 1, 1), shape(1, 32, 5, 2, 16, 5, 4, 2, 4, 1, 3, 1, 1, 1),
        shape(1, 176, 12, 11, 32, 1, 7, 2, 3, 0, 4, 1, 1, 1),
        shape(2, 48, 3, 1, 48, 6, 5, 2, 2, 3, 3, 1, 1, 1), shape(2, 3, 8, 2, 192, 6, 3, 3, 4, 1, 2, 1, 1, 1),
        shape(17, 48, 7, 3, 64, 2, 7, 2, 4, 0, 2, 1, 1, 1)})
    for (DType t : {DType::f32, DType::bf16}) {
      for (int i = 0; i < 3; ++i) {
        spoil_free_memory();
        check(s, t, blocked(s.c), blocked(s.o), true);
      }
      spoil_free_memory();
      check(s, t, HAFT_LAYOUT_STRIDED, HAFT_LAYOUT_STRIDED, false);
    }
}

// Many bfloat16 weights over small maps, which are products over windows where the processor has tiles; larger maps
// and other layouts beside them are not.
TEST(Conv, SmallMapsOfManyBfloat16Weights) {
  const int threads = num_threads();
  for (int n : {1, 3}) {
    set_num_threads(n);
    for (const ConvShape& s : {shape(9, 176, 4, 4, 176, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                               shape(15, 256, 3, 5, 192, 2, 3, 1, 1, 0, 2, 1, 1, 1),
                               shape(11, 176, 8, 7, 192, 3, 3, 2, 2, 1, 1, 1, 1, 1),
                               shape(7, 192, 7, 7, 160, 3, 3, 1, 1, 2, 2, 2, 2, 1),
                               shape(40, 400, 2, 2, 336, 2, 2, 1, 1, 1, 1, 1, 1, 1)}) {
      check(s, DType::bf16, blocked(s.c), blocked(s.o), true);
      if (n == 1) check(s, DType::bf16, HAFT_LAYOUT_STRIDED, blocked(s.o), false);
    }
  }
  set_num_threads(threads);
}

// Weights' gradients that multiply in bfloat16, beside those that go through float32 and Winograd, where there are no
// tiles.
TEST(Conv, Bfloat16WeightsBesideWinograd) {
  const int threads = num_threads();
  for (int n : {1, 3}) {
    set_num_threads(n);
    for (const ConvShape& s : {shape(7, 48, 17, 15, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1),
                               shape(6, 32, 18, 18, 48, 3, 3, 1, 1, 0, 0, 1, 1, 1),
                               shape(5, 48, 17, 15, 80, 3, 3, 2, 2, 1, 1, 1, 1, 1),
                               shape(9, 64, 16, 14, 32, 1, 1, 2, 2, 0, 0, 1, 1, 1),
                               shape(4, 32, 13, 13, 48, 5, 5, 1, 1, 2, 2, 1, 1, 1)})
      for (int i = 0; i < 2; ++i) {
        spoil_free_memory();
        check(s, DType::bf16, blocked(s.c), blocked(s.o), i);
      }
  }
  set_num_threads(threads);
}

// The same memory read with other strides is another weight, although pointer and version are equal.
TEST(Conv, PackedWeightsKnowTheirStrides) {
  cpu::clear_packed_weights();
  ConvShape s = shape(2, 32, 6, 6, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1);
  Sample x, w, y;
  x.make(DType::f32, {s.n, s.c, s.h, s.w}, blocked(s.c));
  x.fill(rng);
  w.make(DType::f32, {s.o, s.c, 3, 3});
  w.fill(rng);
  w.view.version_key = 7;
  y.make(DType::f32, {s.n, s.o, s.oh, s.ow}, blocked(s.o));
  AttrWriter a;
  auto attrs = conv_attrs(a, s);
  for (int turned = 0; turned < 2; ++turned) {
    w.view.strides[2] = turned ? 1 : 3;
    w.view.strides[3] = turned ? 3 : 1;
    w.view.contiguous = !turned;
    std::vector<double> want(y.value.size(), 0.0);
    each_product(s, [&](size_t i, size_t j, size_t o) {
      size_t tap = j % 9, mirrored = j - tap + tap % 3 * 3 + tap / 3;
      want[o] += x.value[i] * w.value[turned ? mirrored : j];
    });
    for (int i = 0; i < 3; ++i) {
      run(cpu::k_conv2d, OpId::conv2d, {&x, &w, nullptr}, {&y}, attrs);
      expect_near(y, want, 4 * 32 * 9, concat("transposed ", turned, " use ", i));
    }
  }
  cpu::clear_packed_weights();
}

TEST(Conv, SameNumbersEveryTime) {
  ConvShape s = shape(12, 32, 16, 16, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1);
  Sample x, dy, dw, again;
  x.make(DType::f32, {s.n, s.c, s.h, s.w}, blocked(s.c));
  x.fill(rng);
  dy.make(DType::f32, {s.n, s.o, s.oh, s.ow}, blocked(s.o));
  dy.fill(rng);
  dw.make(DType::f32, {s.o, s.c, 3, 3});
  again.make(DType::f32, {s.o, s.c, 3, 3});
  AttrWriter a;
  std::vector<int64_t> size = dw.size, one{1, 1};
  for (int i = 0; i < 4; ++i) a.add(std::span<const int64_t>(i ? one : size));
  a.add(int64_t(1));
  auto attrs = a.finish();
  run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {&dw}, attrs);
  for (int i = 0; i < 5; ++i) {
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {&again}, attrs);
    ASSERT_EQ(dw.memory, again.memory);
  }
  if (cpu::isa() != cpu::Isa::avx512) return;
  // Winograd's sums do not depend on how many threads share them.
  const int threads = num_threads();
  for (int n : {1, 2, 5}) {
    set_num_threads(n);
    run(cpu::k_conv2d_weight, OpId::conv2d_weight, {&dy, &x}, {&again}, attrs);
    EXPECT_EQ(dw.memory, again.memory) << n << " threads";
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace haft::test
