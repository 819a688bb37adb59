// Records of resampling, grids, padding and the order of pixels.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

// One element of a dimension of the result: places among those of x, and their weights.
using Taps = std::vector<std::pair<int64_t, double>>;

Taps taps(int64_t mode, int64_t at, int64_t from, int64_t to, bool align, double scale) {
  const double step = scale > 0 ? 1 / scale : double(from) / double(to);
  auto limited = [&](double i) { return std::min(std::max<int64_t>(int64_t(i), 0), from - 1); };
  if (mode == 0) return {{limited(std::floor(double(at) * step)), 1}};
  if (mode == 4) return {{limited(std::floor((double(at) + 0.5) * step)), 1}};
  if (mode == 3) {
    const int64_t begin = at * from / to, end = ((at + 1) * from + to - 1) / to;
    Taps t;
    for (int64_t i = begin; i < end; ++i) t.push_back({i, 1 / double(end - begin)});
    return t;
  }
  if (mode > 4) {  // a filter as wide as what an element covers
    const double wide = std::max(step, 1.0), middle = (double(at) + 0.5) * step,
                 radius = wide * (mode == 5 ? 1 : 2);
    Taps t;
    double total = 0;
    for (int64_t i = 0; i < from; ++i) {
      const double d = std::abs((double(i) + 0.5 - middle) / wide), a = -0.5;
      if (double(i) + 0.5 < middle - radius || double(i) + 0.5 > middle + radius) continue;
      const double w = mode == 5 ? std::max(1 - d, 0.0)
                       : d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
                                 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
      t.push_back({i, w});
      total += w;
    }
    for (auto& tap : t) tap.second /= total;
    return t;
  }
  double source =
      align ? (to > 1 ? double(at) * double(from - 1) / double(to - 1) : 0) : (double(at) + 0.5) * step - 0.5;
  if (mode == 1) source = from == to ? double(at) : std::max(source, 0.0);
  const double low = std::floor(source), part = source - low;
  if (mode == 1) return {{limited(low), 1 - part}, {limited(low + 1), part}};
  Taps t;
  for (int k = -1; k < 3; ++k) {
    const double d = std::abs(part - k), a = -0.75;
    t.push_back({limited(low + k),
                 d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a});
  }
  return t;
}

Array resampled(Array x, const Sizes& size, int64_t mode, bool align, double scale) {
  for (size_t d = 0; d < size.size(); ++d) {
    Sizes out = x.sizes;
    out[2 + d] = size[d];
    x = make_array(out, [&](const Sizes& i) {
      double s = 0;
      Sizes from = i;
      for (auto [place, weight] : taps(mode, i[2 + d], x.sizes[2 + d], size[d], align, scale)) {
        from[2 + d] = place;
        s += weight * x[from];
      }
      return s;
    });
  }
  return x;
}

// Where element `at` of a padded dimension comes from, -1 for none.
int64_t source(int64_t at, int64_t size, int64_t mode) {
  if (mode == 2) return std::min(std::max<int64_t>(at, 0), size - 1);
  if (mode == 3) return (at % size + size) % size;
  if (mode == 1) return size - 1 - std::abs(size - 1 - std::abs(at));
  return at < 0 || at >= size ? -1 : at;
}

void add_grids(Records& r) {
  r.op("affine_grid")
      .tolerance(4)
      .add({real({2, 2, 3})}, CALL(ops::affine_grid(t[0], Sizes{2, 1, 2, 4}, false)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 2, 4, 2}, [&](const Sizes& i) {
               const double x = (2 * double(i[2]) + 1) / 4 - 1, y = (2 * double(i[1]) + 1) / 2 - 1;
               return in[0][{i[0], i[3], 0}] * x + in[0][{i[0], i[3], 1}] * y + in[0][{i[0], i[3], 2}];
             })};
           })
      .add({real({1, 2, 3})}, CALL(ops::affine_grid(t[0], Sizes{1, 1, 3, 1}, true)),
           [](const Arrays& in) -> Arrays {
             return {make_array({1, 3, 1, 2}, [&](const Sizes& i) {
               return in[0][{0, i[3], 1}] * (double(i[1]) - 1) + in[0][{0, i[3], 2}];
             })};
           })
      .add({real({1, 3, 4})}, CALL(ops::affine_grid(t[0], Sizes{1, 1, 2, 1, 3}, true)),
           [](const Arrays& in) -> Arrays {
             return {make_array({1, 2, 1, 3, 3}, [&](const Sizes& i) {
               auto m = [&](int64_t k) { return in[0][{0, i[4], k}]; };
               return m(0) * (double(i[3]) - 1) + m(2) * (2 * double(i[1]) - 1) + m(3);
             })};
           })
      .bad({real({2, 2, 2})}, CALL(ops::affine_grid(t[0], Sizes{2, 1, 2, 2})), Code::shape,
           {"[affine_grid]", "[2, 2, 2]"})
      .bad({real({2, 2, 3})}, CALL(ops::affine_grid(t[0], Sizes{2, 1, 2})), Code::invalid_argument,
           {"[affine_grid]", "[2, 1, 2]"});

  Record& grids = r.op("grid_sample").tolerance(4);
  const Sizes x{2, 2, 4, 4}, g{2, 2, 3, 2};
  // Between the cells, some of them outside.
  const Input points = real(g).fixed([](Array& a) {
    for (size_t k = 0; k < a.v.size(); ++k) a.v[k] = double(int64_t(k * 7 % 12) * 2 - 11) / 8;
  });
  for (int64_t mode : {0, 1})
    for (int64_t edge : {0, 1, 2})
      for (bool align : {false, true}) {
        if (align && edge) continue;  // of the same text
        grids.add({real(x), mode ? points : points.constant()},
                  CALL(ops::grid_sample(t[0], t[1], mode, edge, align)), [=](const Arrays& in) -> Arrays {
                    auto place = [&](double v) {
                      v = align ? (v + 1) * 1.5 : ((v + 1) * 4 - 1) / 2;
                      if (edge == 2)
                        v = std::abs(v + 0.5), v = std::fmod(v, 8.0), v = (v > 4 ? 8 - v : v) - 0.5;
                      return edge ? std::min(std::max(v, 0.0), 3.0) : v;
                    };
                    return {make_array({2, 2, 2, 3}, [&](const Sizes& i) {
                      const double px = place(in[1][{i[0], i[2], i[3], 0}]),
                                   py = place(in[1][{i[0], i[2], i[3], 1}]);
                      auto read = [&](double cx, double cy) {
                        return cx < 0 || cy < 0 || cx > 3 || cy > 3
                                   ? 0
                                   : in[0][{i[0], i[1], int64_t(cy), int64_t(cx)}];
                      };
                      if (!mode) return read(std::nearbyint(px), std::nearbyint(py));
                      const double l = std::floor(px), u = std::floor(py), fx = px - l, fy = py - u;
                      return read(l, u) * (1 - fx) * (1 - fy) + read(l + 1, u) * fx * (1 - fy) +
                             read(l, u + 1) * (1 - fx) * fy + read(l + 1, u + 1) * fx * fy;
                    })};
                  });
        grids.cases.back().grad = mode == 1 && edge == 0;  // at the edges points have no slope
      }
  for (int64_t mode : {0, 1, 2})  // (N, C, D, H, W), with zeros outside
    grids.add(
        {real({1, 2, 2, 3, 4}), mode ? real({1, 1, 2, 2, 3}).fixed([](Array& a) {
           for (size_t k = 0; k < a.v.size(); ++k) a.v[k] = double(int64_t(k * 7 % 12) * 2 - 11) / 8;
         })
                                     : real({1, 1, 2, 2, 3}).constant()},
        CALL(ops::grid_sample(t[0], t[1], mode, 0, false)), [=](const Arrays& in) -> Arrays {
          return {make_array({1, 2, 1, 2, 2}, [&](const Sizes& i) {
            double at[3], low[3];
            for (int d = 0; d < 3; ++d) {
              const double size = double(Sizes{2, 3, 4}[d]);
              at[d] = ((in[1][{0, i[2], i[3], i[4], 2 - d}] + 1) * size - 1) / 2;
              low[d] = mode ? std::floor(at[d]) : std::nearbyint(at[d]);
            }
            double s = 0;
            auto weight = [](double d) {
              const double a = -0.75;
              d = std::abs(d);
              return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
            };
            for (int corner = 0; corner < (mode == 2 ? 64 : mode ? 8 : 1); ++corner) {
              double w = 1;
              Sizes from{0, i[1], 0, 0, 0};
              bool inside = true;
              for (int d = 0; d < 3; ++d) {
                from[2 + d] = int64_t(low[d]) + (mode == 2 ? (corner >> 2 * d & 3) - 1 : corner >> d & 1);
                inside = inside && from[2 + d] >= 0 && from[2 + d] < Sizes{2, 3, 4}[d];
                if (mode == 2) w *= weight(at[d] - double(from[2 + d]));
                if (mode == 1) w *= corner >> d & 1 ? at[d] - low[d] : 1 - (at[d] - low[d]);
              }
              if (inside) s += w * in[0][from];
            }
            return s;
          })};
        });
  for (int64_t edge : {0, 1, 2})  // cubes
    grids.add(
        {real(x), points}, CALL(ops::grid_sample(t[0], t[1], 2, edge, false)),
        [=](const Arrays& in) -> Arrays {
          return {make_array({2, 2, 2, 3}, [&](const Sizes& i) {
            auto cell = [&](double v) { return ((v + 1) * 4 - 1) / 2; };
            auto placed = [&](double v) {
              if (edge == 2) v = std::abs(v + 0.5), v = std::fmod(v, 8.0), v = (v > 4 ? 8 - v : v) - 0.5;
              return edge ? std::min(std::max(v, 0.0), 3.0) : v;
            };
            auto weight = [](double d) {
              const double a = -0.75;
              d = std::abs(d);
              return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
            };
            const double px = cell(in[1][{i[0], i[2], i[3], 0}]), py = cell(in[1][{i[0], i[2], i[3], 1}]);
            double s = 0;
            for (int r = -1; r < 3; ++r)
              for (int c = -1; c < 3; ++c) {
                const double cy = std::floor(py) + r, cx = std::floor(px) + c, y = placed(cy), w = placed(cx);
                if (w < 0 || y < 0 || w > 3 || y > 3) continue;
                s += in[0][{i[0], i[1], int64_t(y), int64_t(w)}] * weight(py - cy) * weight(px - cx);
              }
            return s;
          })};
        });
  grids
      .bad({real(x), real({2, 2, 3})}, CALL(ops::grid_sample(t[0], t[1])), Code::shape,
           {"[grid_sample]", "[2, 2, 3]"})
      .bad({real(x), real(g)}, CALL(ops::grid_sample(t[0], t[1], 3)), Code::invalid_argument,
           {"[grid_sample]", "mode", "3"})
      .bad({real(x), real(g)}, CALL(ops::grid_sample(t[0], t[1], 1, 3)), Code::invalid_argument,
           {"[grid_sample]", "padding_mode", "3"});
}

void add_pad(Records& r) {
  struct Form {
    Sizes x, sides;
    int64_t mode;
  };
  Record& pad = r.op("pad").on(kAll);
  for (const Form& f : {Form{{2, 3}, {1, 2}, 0},
                        {{2, 3, 4}, {-1, 2, 0, -1}, 0},
                        {{3}, {0, 0}, 0},
                        {{2, 4}, {3, 1}, 1},
                        {{2, 3, 3}, {1, -1, 2, 0}, 2},
                        {{2, 1}, {2, -2}, 2},
                        {{3}, {-4, 2}, 2},
                        {{2, 3}, {2, -4}, 1},
                        {{3}, {-4, 2}, 1},
                        {{2, 3}, {2, 3, 1, 0}, 3},
                        {{2, 5}, {-2, 1}, 3}}) {
    Sizes y = f.x;
    for (size_t k = 0; k < f.sides.size(); ++k) y[y.size() - 1 - k / 2] += f.sides[k];
    pad.add({real(f.x)}, CALL(ops::pad(t[0], f.sides, f.mode, f.mode ? 0.0 : 1.0)),
            [f, y](const Arrays& in) -> Arrays {
              return {make_array(y, [&](const Sizes& i) {
                Sizes from = i;
                for (size_t k = 0; k < f.sides.size(); k += 2) {
                  const size_t d = y.size() - 1 - k / 2;
                  // What repeats is what is left.
                  const int64_t left = f.sides[k], cut = f.mode == 3 ? std::max<int64_t>(-left, 0) : 0;
                  from[d] = source(i[d] - left - cut, f.x[d] - cut, f.mode);
                  if (from[d] >= 0) from[d] += cut;
                  if (from[d] < 0) return 1.0;
                }
                return in[0][from];
              })};
            });
  }
  pad.bad({real({3})}, CALL(ops::pad(t[0], Sizes{1})), Code::invalid_argument, {"[pad]", "divisible by 2"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{1, 1, 1, 1})), Code::invalid_argument,
           {"[pad]", "too large"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{1, 1}, 4)), Code::invalid_argument, {"[pad]", "mode", "4"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{3, 0}, 1)), Code::shape, {"[pad]", "less than", "(3, 0)"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{0, 4}, 3)), Code::shape, {"[pad]", "more than once"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{0, -4}, 2)), Code::shape, {"[pad]", "negative output size"})
      .bad({real({2})}, CALL(ops::pad(t[0], Sizes{-2, 2}, 3)), Code::shape,
           {"[pad]", "nothing is left to repeat", "(-2, 2)"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{-2, -2})), Code::shape, {"[pad]", "negative output size"})
      .bad({real({3})}, CALL(ops::pad(t[0], Sizes{0, INT64_MAX})), Code::overflow, {"[pad]", "too large"});
}

}  // namespace

void add_resampling(Records& r) {
  struct Form {
    Sizes x, size;
    int64_t mode;
    bool align = false;
    double scale = 0;
  };
  // Steps that every type has exactly.
  Record& interpolate = r.op("interpolate").on(kFloats, 0).tolerance(8);
  for (const Form& f : {Form{{2, 2, 4}, {8}, 0},
                        {{1, 2, 6, 4}, {3, 8}, 0},
                        {{1, 2, 4}, {8}, 4},
                        {{2, 2, 4}, {8}, 1},
                        {{1, 2, 3, 5}, {5, 9}, 1, true},
                        {{1, 1, 2, 4, 2}, {4, 2, 4}, 1},
                        {{1, 2, 7, 4}, {3, 9}, 5},
                        {{1, 1, 9, 5}, {2, 3}, 6},
                        {{1, 2, 4, 4}, {8, 2}, 2},
                        {{1, 1, 3, 4}, {5, 1}, 2, true},
                        {{2, 2, 5}, {3}, 3},
                        {{1, 2, 4, 5}, {2, 3}, 3},
                        {{1, 1, 2, 3, 4}, {2, 2, 2}, 3},
                        {{1, 2, 4}, {7}, 1, false, 2},
                        {{1, 2, 4}, {4}, 1, false, 1.25}})
    interpolate.add(
        {real(f.x)}, CALL(ops::interpolate(t[0], f.size, f.mode, f.align, f.scale)),
        [f](const Arrays& in) -> Arrays { return {resampled(in[0], f.size, f.mode, f.align, f.scale)}; });
  for (int64_t mode : {0, 1, 2, 4}) {  // more places than the 16-bit floats can count
    const Sizes x = mode == 2 ? Sizes{1, 1, 1, 300} : Sizes{1, 1, 300},
                size = mode == 2 ? Sizes{1, 600} : Sizes{600};
    interpolate
        .add({real(x)}, CALL(ops::interpolate(t[0], size, mode)),
             [=](const Arrays& in) -> Arrays { return {resampled(in[0], size, mode, false, 0)}; })
        .no_grad();
  }
  for (double factor : {-1.0, double(NAN), double(INFINITY)})
    interpolate.bad({real({1, 1, 4, 4})},
                    [factor](Ins t) -> Outs {
                      return ops::interpolate(t[0], Sizes{8, 8}, 5, false, factor);
                    },
                    Code::invalid_argument, {"[interpolate]", "scale_w"});
  // Where the size stays, antialiasing copies whatever the factor.
  for (int64_t mode : {5, 6})
    interpolate.add(
        {real({1, 2, 3, 4})},
        [=](Ins t) -> Outs {
          return ops::interpolate(t[0], Sizes{3, 4}, mode, false, 1.25, 1.25);
        },
        [](const Arrays& in) -> Arrays { return {in[0]}; });
  // Factors that lead beyond the line read its last element.
  for (double factor : {0.01, 1e-18, 1e-300})
    for (int64_t mode : {1, 2, 5})
      interpolate.add(
          {real({1, 1, 1, 8})},
          [=](Ins t) -> Outs {
            return ops::slice(ops::interpolate(t[0], Sizes{1, 64}, mode, false, factor, 1), 3, 1, 64);
          },
          [](const Arrays& in) -> Arrays {
            return {Array({1, 1, 1, 63}, in[0].v[7])};
          });
  interpolate
      .bad({real({2, 3})}, CALL(ops::interpolate(t[0], Sizes{2})), Code::shape, {"[interpolate]", "[2, 3]"})
      .bad({real({2, 3, 4})}, CALL(ops::interpolate(t[0], Sizes{2}, 7)), Code::invalid_argument,
           {"[interpolate]", "mode", "7"})
      .bad({real({2, 3, 4})}, CALL(ops::interpolate(t[0], Sizes{2}, 5)), Code::shape,
           {"[interpolate]", "antialiasing"})
      .bad({real({2, 3, 4})}, CALL(ops::interpolate(t[0], Sizes{2}, 2)), Code::shape,
           {"[interpolate]", "cubic"})
      .bad({real({2, 3, 4})}, CALL(ops::interpolate(t[0], Sizes{0})), Code::invalid_argument,
           {"[interpolate]", "size", "0"})
      .bad({real({2, 3, 0})}, CALL(ops::interpolate(t[0], Sizes{2})), Code::shape,
           {"[interpolate]", "no elements"})
      .bad({real({2, 3, 4})}, CALL(ops::interpolate(t[0], Sizes{2}, 1)), Code::dtype,
           {"[interpolate]", "floating"}, DType::i32);
  const DTypes computed = bit(DType::f32) | bit(DType::f64);
  Record &axis = r.op("resize_axis").on(computed).tolerance(8),
         &back = r.op("resize_axis_backward").on(computed).tolerance(8);
  for (bool cubes : {false, true})
    for (bool align : {false, true})
      for (int64_t d : {1, 2}) {
        auto weight = [=](int64_t from, int64_t to, int64_t j, int64_t i) {
          double w = 0;
          for (auto [place, part] : taps(cubes ? 2 : 1, j, from, to, align, 0)) w += place == i ? part : 0;
          return w;
        };
        axis.add({real({2, 5, 3})},
                 CALL(ops::resize_axis(t[0], d, 7, cubes, align, d == 1 ? 5.0 / 7 : 3.0 / 7, false)),
                 [=](const Arrays& in) -> Arrays {
                   return {make_array(d == 1 ? Sizes{2, 7, 3} : Sizes{2, 5, 7}, [&](Sizes i) {
                     const int64_t j = i[d], n = d == 1 ? 5 : 3;
                     double s = 0;
                     for (i[d] = 0; i[d] < n; ++i[d]) s += weight(n, 7, j, i[d]) * in[0][i];
                     return s;
                   })};
                 });
        back.add({real({2, 7, 3})},
                 CALL(ops::resize_axis_backward(t[0], d, 5, cubes, align, 5.0 / (d == 1 ? 7 : 3), false)),
                 [=](const Arrays& in) -> Arrays {
                   return {make_array(d == 1 ? Sizes{2, 5, 3} : Sizes{2, 7, 5}, [&](Sizes i) {
                     const int64_t at = i[d], n = d == 1 ? 7 : 3;
                     double s = 0;
                     for (i[d] = 0; i[d] < n; ++i[d]) s += weight(5, n, i[d], at) * in[0][i];
                     return s;
                   })};
                 });
      }
  axis.bad({real({2, 3})}, CALL(ops::resize_axis(t[0], 1, 4, false, false, 0.75, false)), Code::dtype,
           {"[resize_axis]", "float16"}, DType::f16);
  // Wide lines, whose columns come from two vectors; lines that shrink beyond that; ends of vectors.
  Record &plane = r.op("resize_plane").on(computed).tolerance(8), &pick = r.op("pick_plane").on(kAll);
  for (const Form& f : {Form{{2, 1, 5, 3}, {7, 4}, 1},
                        {{1, 2, 3, 40}, {5, 70}, 1, true},
                        {{1, 1, 6, 50}, {4, 11}, 2},
                        {{2, 1, 3, 36}, {4, 33}, 2, true},
                        {{1, 1, 9, 40}, {3, 17}, 5},
                        {{1, 1, 4, 41}, {9, 80}, 6}})
    plane.add({real(f.x)},
              CALL(ops::resize_plane(t[0], f.size[0], f.size[1], f.mode % 4 == 2, f.align,
                                     double(f.x[2]) / double(f.size[0]), double(f.x[3]) / double(f.size[1]),
                                     f.mode > 4)),
              [f](const Arrays& in) -> Arrays { return {resampled(in[0], f.size, f.mode, f.align, 0)}; });
  plane.bad({real({1, 1, 2, 3})}, CALL(ops::resize_plane(t[0], 2, 4, false, false, 1, 0.75, false)),
            Code::dtype, {"[resize_plane]", "float16"}, DType::f16);
  for (const Form& f :
       {Form{{2, 1, 4, 2}, {8, 4}, 0}, {{1, 2, 2, 36}, {3, 72}, 4}, {{1, 1, 3, 64}, {3, 16}, 0}})
    pick.add({real(f.x)},
             CALL(ops::pick_plane(t[0], f.size[0], f.size[1], double(f.x[2]) / double(f.size[0]),
                                  double(f.x[3]) / double(f.size[1]), f.mode == 4)),
             [f](const Arrays& in) -> Arrays { return {resampled(in[0], f.size, f.mode, false, 0)}; });
  add_grids(r);
  add_pad(r);

  auto shuffled = [](const Arrays& in) -> Arrays {
    Sizes y = in[0].sizes;
    const size_t n = y.size() - 3;
    y[n] /= 4, y[n + 1] *= 2, y[n + 2] *= 2;
    return {make_array(y, [&](Sizes i) {
      i[n] = i[n] * 4 + i[n + 1] % 2 * 2 + i[n + 2] % 2;
      i[n + 1] /= 2, i[n + 2] /= 2;
      return in[0][i];
    })};
  };
  r.op("pixel_shuffle")
      .on(kAll)
      .add({real({2, 8, 2, 3})}, CALL(ops::pixel_shuffle(t[0], 2)), shuffled)
      .add({real({4, 1, 2})}, CALL(ops::pixel_shuffle(t[0], 2)), shuffled)
      .bad({real({2, 3})}, CALL(ops::pixel_shuffle(t[0], 2)), Code::shape,
           {"[pixel_shuffle]", "2 dimension(s)"})
      .bad({real({3, 2, 2})}, CALL(ops::pixel_shuffle(t[0], 2)), Code::shape,
           {"[pixel_shuffle]", "3 is not divisible by 4"})
      .bad({real({4, 2, 2})}, CALL(ops::pixel_shuffle(t[0], 0)), Code::invalid_argument,
           {"[pixel_shuffle]", "upscale_factor", "0"});
  r.op("pixel_unshuffle")
      .on(kAll)
      .add({real({2, 2, 4, 6})}, CALL(ops::pixel_unshuffle(t[0], 2)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 8, 2, 3}, [&](const Sizes& i) {
               return in[0][{i[0], i[1] / 4, i[2] * 2 + i[1] % 4 / 2, i[3] * 2 + i[1] % 2}];
             })};
           })
      .bad({real({2, 3})}, CALL(ops::pixel_unshuffle(t[0], 2)), Code::shape,
           {"[pixel_unshuffle]", "2 dimension(s)"})
      .bad({real({1, 3, 2})}, CALL(ops::pixel_unshuffle(t[0], 2)), Code::shape,
           {"[pixel_unshuffle]", "height", "3"});
  r.op("channel_shuffle")
      .on(kAll)
      .add({real({2, 6, 3})}, CALL(ops::channel_shuffle(t[0], 3)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 6, 3}, [&](const Sizes& i) {
               return in[0][{i[0], i[1] % 3 * 2 + i[1] / 3, i[2]}];
             })};
           })
      .bad({real({2, 6})}, CALL(ops::channel_shuffle(t[0], 2)), Code::shape, {"[channel_shuffle]", "[2, 6]"})
      .bad({real({2, 6, 1})}, CALL(ops::channel_shuffle(t[0], 4)), Code::invalid_argument,
           {"[channel_shuffle]", "6 channels", "4 groups"});
}

}  // namespace haft::test
