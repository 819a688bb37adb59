#include "tests/cpu/kernel_case.h"

namespace haft::test {
namespace {

std::mt19937 rng(13);

struct Pool {
  int64_t n, c, h, w, kh, kw, sh, sw, ph, pw, dh, dw;
  bool ceil;
  int64_t out(int64_t size, int64_t k, int64_t s, int64_t p, int64_t d) const {
    int64_t span = size + 2 * p - d * (k - 1) - 1;
    int64_t o = (span + (ceil ? s - 1 : 0)) / s + 1;
    return ceil && (o - 1) * s >= size + p ? o - 1 : o;
  }
};

const Pool kPools[] = {
    {2, 16, 8, 8, 2, 2, 2, 2, 0, 0, 1, 1, false},
    {2, 16, 9, 7, 3, 3, 2, 2, 1, 1, 1, 1, false},
    {1, 32, 10, 10, 3, 2, 1, 2, 1, 0, 2, 1, false},
    {2, 16, 7, 7, 2, 2, 2, 2, 0, 0, 1, 1, true},
    {1, 48, 5, 6, 3, 3, 2, 3, 1, 1, 1, 2, true},
    {3, 8, 33, 20, 3, 3, 3, 2, 0, 1, 1, 1, false},
    {2, 5, 6, 6, 2, 3, 2, 1, 1, 1, 1, 1, false},
    {1, 16, 4, 4, 4, 4, 4, 4, 0, 0, 1, 1, false},
    // Rows of more than sixteen results, and padding wider than sixteen.
    {2, 3, 5, 70, 3, 3, 1, 1, 1, 1, 1, 1, false},
    {1, 3, 6, 97, 2, 3, 2, 2, 1, 1, 1, 3, true},
    {1, 2, 4, 110, 2, 5, 1, 3, 1, 2, 1, 1, false},
    {1, 1, 3, 45, 1, 60, 1, 1, 0, 30, 1, 1, false},
    // The depth of a volume's windows, and windows that leave cells between them.
    {1, 4, 9, 37, 3, 1, 2, 1, 1, 0, 1, 1, true},
    {2, 2, 8, 41, 2, 2, 3, 3, 0, 0, 1, 1, false},
    // Steps wider than the plane, whose cells all lie beside it: in one dimension or both.
    {2, 16, 2, 2, 2, 2, 1, 1, 1, 1, 3, 3, false},
    {1, 5, 3, 40, 2, 3, 1, 1, 1, 1, 4, 1, false},
    {1, 8, 6, 3, 3, 2, 1, 4, 1, 1, 1, 6, true},
};

std::span<const uint64_t> attrs_of(AttrWriter& w, const Pool& p, bool dilation) {
  std::vector<int64_t> k{p.kh, p.kw}, s{p.sh, p.sw}, pad{p.ph, p.pw}, d{p.dh, p.dw};
  w.add(std::span<const int64_t>(k)).add(std::span<const int64_t>(s)).add(std::span<const int64_t>(pad));
  if (dilation) w.add(std::span<const int64_t>(d));
  w.add(int64_t(p.ceil));
  return w.finish();
}

std::vector<uint8_t> layouts(int64_t channels) {
  std::vector<uint8_t> l{HAFT_LAYOUT_STRIDED};
  if (channels % 8 == 0) l.push_back(HAFT_LAYOUT_BLOCKED8);
  if (channels % 16 == 0) l.push_back(HAFT_LAYOUT_BLOCKED16);
  return l;
}

void check_max(const Pool& p, DType t, uint8_t lx, uint8_t ly, bool nans) {
  int64_t oh = p.out(p.h, p.kh, p.sh, p.ph, p.dh), ow = p.out(p.w, p.kw, p.sw, p.pw, p.dw);
  Sample x, y, at, g, dx, back;
  x.make(t, {p.n, p.c, p.h, p.w}, lx);
  x.fill(rng);
  if (nans) {
    for (size_t i = 0; i < x.value.size(); i += 7) x.value[i] = std::nan("");
    for (size_t i = 3; i < x.value.size(); i += 11) x.value[i] = -INFINITY;
    x.write();
  }
  y.make(t, {p.n, p.c, oh, ow}, ly);
  at.make(DType::i32, {p.n, p.c, oh, ow}, ly);
  AttrWriter w;
  run(cpu::k_max_pool2d_indices, OpId::max_pool2d_indices, {&x}, {&y, &at}, attrs_of(w, p, true));
  std::vector<double> want(y.value.size()), where(y.value.size());
  for (size_t i = 0; i < want.size(); ++i) {
    int64_t ox = int64_t(i) % ow, oy = int64_t(i) / ow % oh, plane = int64_t(i) / (ow * oh);
    double best = -INFINITY;
    int64_t pos = -1;
    for (int64_t ky = 0; ky < p.kh; ++ky)
      for (int64_t kx = 0; kx < p.kw; ++kx) {
        int64_t iy = oy * p.sh - p.ph + ky * p.dh, ix = ox * p.sw - p.pw + kx * p.dw;
        if (iy < 0 || ix < 0 || iy >= p.h || ix >= p.w) continue;
        double v = x.value[size_t((plane * p.h + iy) * p.w + ix)];
        if (pos < 0 || v > best || std::isnan(v)) best = v, pos = iy * p.w + ix;
      }
    want[i] = pos < 0 ? 0 : best;
    where[i] = double(pos);
    ASSERT_EQ(at.at(int64_t(i)), where[i])
        << "index " << i << " " << dtype_name(t) << " layouts " << int(lx) << int(ly);
    double got = y.at(int64_t(i));
    ASSERT_TRUE(got == best || (std::isnan(got) && std::isnan(best))) << got << " " << best;
  }
  g.make(t, {p.n, p.c, oh, ow}, lx);
  g.fill(rng);
  dx.make(t, {p.n, p.c, p.h, p.w}, lx);
  std::vector<int64_t> size = x.size;
  AttrWriter b;
  b.add(std::span<const int64_t>(size));
  run(cpu::k_max_pool2d_backward, OpId::max_pool2d_backward, {&g, &at}, {&dx}, b.finish());
  std::vector<double> wx(x.value.size(), 0.0);
  for (size_t i = 0; i < want.size(); ++i)
    if (where[i] >= 0) wx[i / size_t(oh * ow) * size_t(p.h * p.w) + size_t(where[i])] += g.value[i];
  expect_near(dx, wx, 9, concat("max backward ", dtype_name(t)));
  if (nans) return;
  back.make(t, {p.n, p.c, oh, ow}, ly);
  run(cpu::k_max_pool2d_gather, OpId::max_pool2d_gather, {&x, &at}, {&back});
  expect_near(back, want, 1, "gather");
}

TEST(MaxPool, ValuesIndicesAndGradient) {
  for (const Pool& p : kPools)
    for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16})
      for (uint8_t lx : layouts(p.c))
        for (uint8_t ly : layouts(p.c)) check_max(p, t, lx, ly, false);
}

TEST(MaxPool, NanWinsAndMinusInfinityKeepsAnIndexInside) {
  for (const Pool& p : kPools)
    for (uint8_t l : layouts(p.c)) check_max(p, DType::f32, l, l, true);
}

TEST(AvgPool, ValuesAndGradient) {
  for (const Pool& q : kPools)
    for (bool include : {true, false})
      for (DType t : {DType::f32, DType::f64, DType::f16})
        for (uint8_t lx : layouts(q.c))
          for (uint8_t ly : layouts(q.c)) {
            Pool p = q;
            p.dh = p.dw = 1;
            int64_t oh = p.out(p.h, p.kh, p.sh, p.ph, 1), ow = p.out(p.w, p.kw, p.sw, p.pw, 1);
            Sample x, y, g, dx;
            x.make(t, {p.n, p.c, p.h, p.w}, lx);
            x.fill(rng);
            y.make(t, {p.n, p.c, oh, ow}, ly);
            g.make(t, {p.n, p.c, oh, ow}, ly);
            g.fill(rng);
            dx.make(t, {p.n, p.c, p.h, p.w}, lx);
            std::vector<double> want(y.value.size(), 0.0), wx(x.value.size(), 0.0);
            for (size_t i = 0; i < want.size(); ++i) {
              int64_t ox = int64_t(i) % ow, oy = int64_t(i) / ow % oh, plane = int64_t(i) / (ow * oh);
              int64_t y0 = oy * p.sh - p.ph, x0 = ox * p.sw - p.pw;
              int64_t y1 = std::min(y0 + p.kh, p.h + p.ph), x1 = std::min(x0 + p.kw, p.w + p.pw);
              double all = double((y1 - y0) * (x1 - x0));
              y0 = std::max<int64_t>(y0, 0), x0 = std::max<int64_t>(x0, 0), y1 = std::min(y1, p.h),
              x1 = std::min(x1, p.w);
              double n = include ? all : double((y1 - y0) * (x1 - x0));
              for (int64_t iy = y0; iy < y1; ++iy)
                for (int64_t ix = x0; ix < x1; ++ix) {
                  size_t at = size_t((plane * p.h + iy) * p.w + ix);
                  want[i] += x.value[at] / n;
                  wx[at] += g.value[i] / n;
                }
            }
            std::vector<int64_t> size = x.size, k{p.kh, p.kw}, s{p.sh, p.sw}, pad{p.ph, p.pw};
            auto sp = [](const std::vector<int64_t>& v) { return std::span<const int64_t>(v); };
            AttrWriter a, b;
            a.add(sp(k)).add(sp(s)).add(sp(pad)).add(int64_t(p.ceil)).add(int64_t(include)).add(kNone);
            run(cpu::k_avg_pool2d, OpId::avg_pool2d, {&x}, {&y}, a.finish());
            expect_near(y, want, 9, "avg");
            b.add(sp(size))
                .add(sp(k))
                .add(sp(s))
                .add(sp(pad))
                .add(int64_t(p.ceil))
                .add(int64_t(include))
                .add(kNone);
            run(cpu::k_avg_pool2d_backward, OpId::avg_pool2d_backward, {&g}, {&dx}, b.finish());
            expect_near(dx, wx, 9, "avg backward");
          }
}

TEST(AdaptiveAvgPool, ValuesAndGradient) {
  for (auto [h, w, oh, ow] : {std::array<int64_t, 4>{8, 8, 1, 1},
                              {7, 9, 3, 4},
                              {4, 4, 4, 4},
                              {5, 5, 7, 2},
                              {1, 1, 3, 3},
                              {3, 4, 2, 0},
                              {3, 4, 0, 0}})
    for (DType t : {DType::f32, DType::f64, DType::bf16})
      for (uint8_t lx : layouts(16))
        for (uint8_t ly : layouts(16)) {
          Sample x, y, g, dx;
          x.make(t, {2, 16, h, w}, lx);
          x.fill(rng);
          y.make(t, {2, 16, oh, ow}, ly);
          g.make(t, {2, 16, oh, ow}, ly);
          g.fill(rng);
          dx.make(t, {2, 16, h, w}, lx);
          std::vector<double> want(y.value.size(), 0.0), wx(x.value.size(), 0.0);
          for (size_t i = 0; i < want.size(); ++i) {
            int64_t ox = int64_t(i) % ow, oy = int64_t(i) / ow % oh, plane = int64_t(i) / (ow * oh);
            int64_t y0 = oy * h / oh, y1 = ((oy + 1) * h + oh - 1) / oh, x0 = ox * w / ow,
                    x1 = ((ox + 1) * w + ow - 1) / ow;
            double n = double((y1 - y0) * (x1 - x0));
            for (int64_t iy = y0; iy < y1; ++iy)
              for (int64_t ix = x0; ix < x1; ++ix) {
                want[i] += x.value[size_t((plane * h + iy) * w + ix)] / n;
                wx[size_t((plane * h + iy) * w + ix)] += g.value[i] / n;
              }
          }
          std::vector<int64_t> size = x.size, out{oh, ow};
          AttrWriter a, b;
          a.add(std::span<const int64_t>(out));
          run(cpu::k_adaptive_avg_pool2d, OpId::adaptive_avg_pool2d, {&x}, {&y}, a.finish());
          expect_near(y, want, 9, "adaptive");
          b.add(std::span<const int64_t>(size));
          run(cpu::k_adaptive_avg_pool2d_backward, OpId::adaptive_avg_pool2d_backward, {&g}, {&dx},
              b.finish());
          expect_near(dx, wx, 9, "adaptive backward");
        }
}

// Over memory of one image, which does not count.
TEST(Pool, EmptyBatchWritesNothing) {
  Sample x, y, at;
  x.make(DType::f32, {1, 16, 8, 8});
  y.make(DType::f32, {1, 16, 4, 4});
  at.make(DType::i32, {1, 16, 4, 4});
  for (Sample* o : {&x, &y, &at}) {
    o->fill(rng);
    o->view.sizes[0] = o->view.numel = 0;
  }
  AttrWriter w;
  run(cpu::k_max_pool2d_indices, OpId::max_pool2d_indices, {&x}, {&y, &at}, attrs_of(w, kPools[0], true));
  for (const Sample* o : {&y, &at})
    for (int64_t i = 0; i < o->numel(); ++i) ASSERT_EQ(o->at(i), o->value[size_t(i)]) << i;
}

}  // namespace
}  // namespace haft::test
