// Records of pooling.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

struct Pool {
  Sizes x, kernel, stride, padding, dilation{1, 1};
  bool ceil_mode = false, include_pad = true;
  int64_t override = kNone;

  // The windows of PyTorch: with ceil_mode a last one may hang over, unless it would start in the padding.
  int64_t count(size_t d) const {
    int64_t size = x[x.size() - 2 + d], room = size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
    int64_t n = (ceil_mode ? (room + stride[d] - 1) / stride[d] : room / stride[d]) + 1;
    return ceil_mode && (n - 1) * stride[d] >= size + padding[d] ? n - 1 : n;
  }
  Sizes result() const {
    Sizes y = x;
    y[y.size() - 2] = count(0);
    y[y.size() - 1] = count(1);
    return y;
  }
  // Positions in x that the window of y covers.
  std::vector<Sizes> window(const Sizes& y) const {
    std::vector<Sizes> list;
    size_t r = x.size() - 2;
    each_index(kernel, [&](const Sizes& k) {
      Sizes i = y;
      for (size_t d = 0; d < 2; ++d) {
        i[r + d] = y[r + d] * stride[d] - padding[d] + k[d] * dilation[d];
        if (i[r + d] < 0 || i[r + d] >= x[r + d]) return;
      }
      list.push_back(i);
    });
    return list;
  }
  double divisor(const Sizes& y) const {
    if (override != kNone) return double(override);
    double n = 1;
    size_t r = x.size() - 2;
    for (size_t d = 0; d < 2; ++d) {
      int64_t start = y[r + d] * stride[d] - padding[d], end = start + kernel[d], size = x[r + d];
      if (include_pad)
        n *= double(std::min(end, size + padding[d]) - start);
      else
        n *= double(std::min(end, size) - std::max<int64_t>(start, 0));
    }
    return n;
  }
};

const Pool kMax[] = {
    {{2, 2, 4, 4}, {2, 2}, {2, 2}, {0, 0}},         {{1, 2, 5, 4}, {3, 2}, {2, 1}, {1, 1}},
    {{1, 1, 6, 5}, {2, 2}, {1, 2}, {0, 0}, {2, 1}}, {{2, 5, 5}, {2, 2}, {2, 2}, {0, 0}, {1, 1}, true},
    {{1, 16, 5, 7}, {3, 3}, {2, 2}, {1, 1}},        {{2, 8, 4, 4}, {2, 2}, {2, 2}, {0, 0}}};
const Pool kAverage[] = {{{2, 2, 4, 4}, {2, 2}, {2, 2}, {0, 0}},
                         {{1, 2, 5, 4}, {3, 2}, {2, 1}, {1, 1}},
                         {{1, 2, 5, 4}, {3, 2}, {2, 1}, {1, 1}, {1, 1}, false, false},
                         {{2, 5, 5}, {2, 2}, {2, 2}, {0, 0}, {1, 1}, true},
                         {{1, 1, 5, 5}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, true, false},
                         {{1, 16, 5, 7}, {3, 3}, {2, 2}, {1, 1}},
                         {{1, 2, 5, 4}, {3, 2}, {2, 1}, {1, 1}, {1, 1}, true, true, 5},
                         {{1, 16, 5, 7}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, false, false, -4}};

// Value and flat position in the plane of each window's maximum; the first NaN wins.
Arrays maxima(const Pool& p, const Array& x) {
  Array y(p.result()), at(p.result());
  each_index(y.sizes, [&](const Sizes& o) {
    bool first = true;
    for (const Sizes& i : p.window(o)) {
      bool better = first || (!std::isnan(y[o]) && (x[i] > y[o] || std::isnan(x[i])));
      first = false;
      if (!better) continue;
      y[o] = x[i];
      at[o] = double(i[i.size() - 2] * x.size(-1) + i[i.size() - 1]);
    }
  });
  return {y, at};
}

}  // namespace

void add_pooling(Records& r) {
  Record& pooled = r.op("max_pool2d").on(kNumbers).specials();
  Record& indexed = r.op("max_pool2d_indices").on(kNumbers).gives({same, always_i32});
  Record& back = r.op("max_pool2d_backward").on(kFloats, 0).tolerance(4);
  Record& gather = r.op("max_pool2d_gather").on(kFloats, 0);
  for (const Pool& p : kMax) {
    bool small = p.x[p.x.size() - 3] < 8;
    pooled
        .add(
            {real(p.x)},
            [p](Ins t) -> Outs {
              return ops::max_pool2d(t[0], p.kernel, p.stride, p.padding, p.dilation, p.ceil_mode);
            },
            [p](const Arrays& in) -> Arrays { return {maxima(p, in[0])[0]}; })
        .cases.back()
        .grad = small;
    indexed
        .add(
            {real(p.x)},
            [p](Ins t) -> Outs {
              return ops::max_pool2d_indices(t[0], p.kernel, p.stride, p.padding, p.dilation, p.ceil_mode);
            },
            [p](const Arrays& in) -> Arrays { return maxima(p, in[0]); })
        .cases.back()
        .grad = small;
    // Where the maxima of some plane stand, as int32 indices.
    Input at = index_below(p.result(), 2);
    at.fix = [p](Array& a) {
      Array x(p.x);
      for (size_t k = 0; k < x.v.size(); ++k) x.v[k] = std::sin(double(7 * k));
      a.v = maxima(p, x)[1].v;
    };
    back.add(
            {real(p.result()), at},
            [p](Ins t) -> Outs { return ops::max_pool2d_backward(t[0], ops::cast(t[1], DType::i32), p.x); },
            [p](const Arrays& in) -> Arrays {
              Array dx(p.x);
              each_index(in[0].sizes, [&](const Sizes& o) {
                Sizes i = o;
                i[i.size() - 2] = int64_t(in[1][o]) / p.x.back();
                i.back() = int64_t(in[1][o]) % p.x.back();
                dx[i] += in[0][o];
              });
              return {dx};
            })
        .cases.back()
        .grad = small;
    gather
        .add({real(p.x), at}, CALL(ops::max_pool2d_gather(t[0], ops::cast(t[1], DType::i32))),
             [p](const Arrays& in) -> Arrays {
               return {make_array(p.result(), [&](const Sizes& o) {
                 Sizes i = o;
                 i[i.size() - 2] = int64_t(in[1][o]) / p.x.back();
                 i.back() = int64_t(in[1][o]) % p.x.back();
                 return in[0][i];
               })};
             })
        .cases.back()
        .grad = small;
  }
  auto pool = [](Sizes kernel, Sizes padding) {
    return [=](Ins t) -> Outs { return ops::max_pool2d(t[0], kernel, Sizes{}, padding, Sizes{}); };
  };
  pooled
      .add({real({1, 1, 4, 4})}, pool({2}, {}),
           [](const Arrays& in) -> Arrays {
             return {maxima({{1, 1, 4, 4}, {2, 2}, {2, 2}, {0, 0}}, in[0])[0]};
           })
      .bad({real({1, 1, 2, 2})}, pool({3}, {}), Code::shape, {"[max_pool2d]", "[3, 3]", "[1, 1, 2, 2]"})
      .bad({real({1, 1, 4, 4})}, pool({2}, {2}), Code::invalid_argument, {"max_pool2d", "padding", "half"})
      .bad({real({4, 4})}, pool({2}, {}), Code::shape, {"max_pool2d", "[4, 4]"})
      .bad({real({1, 1, 4, 4})}, pool({0}, {}), Code::invalid_argument, {"max_pool2d", "kernel", "0"});

  Record& average = r.op("avg_pool2d").tolerance(4).specials();
  Record& spread = r.op("avg_pool2d_backward").on(kFloats, 0).tolerance(4);
  for (const Pool& p : kAverage) {
    bool small = p.x[p.x.size() - 3] < 8;
    average
        .add(
            {real(p.x)},
            [p](Ins t) -> Outs {
              return ops::avg_pool2d(t[0], p.kernel, p.stride, p.padding, p.ceil_mode, p.include_pad,
                                     p.override);
            },
            [p](const Arrays& in) -> Arrays {
              return {make_array(p.result(), [&](const Sizes& o) {
                double s = 0;
                for (const Sizes& i : p.window(o)) s += in[0][i];
                return s / p.divisor(o);
              })};
            })
        .cases.back()
        .grad = small;
    spread
        .add(
            {real(p.result())},
            [p](Ins t) -> Outs {
              return ops::avg_pool2d_backward(t[0], p.x, p.kernel, p.stride, p.padding, p.ceil_mode,
                                              p.include_pad, p.override);
            },
            [p](const Arrays& in) -> Arrays {
              Array dx(p.x);
              each_index(in[0].sizes, [&](const Sizes& o) {
                for (const Sizes& i : p.window(o)) dx[i] += in[0][o] / p.divisor(o);
              });
              return {dx};
            })
        .cases.back()
        .grad = small;
  }
  average
      .bad({real({1, 1, 2, 2})}, CALL(ops::avg_pool2d(t[0], Sizes{3}, Sizes{}, Sizes{})), Code::shape,
           {"[avg_pool2d]", "[3, 3]", "[1, 1, 2, 2]"})
      .bad({real({4})}, CALL(ops::avg_pool2d(t[0], Sizes{2}, Sizes{}, Sizes{})), Code::shape,
           {"[avg_pool2d]", "[4]"})
      .bad({real({1, 2, 2})}, CALL(ops::avg_pool2d(t[0], Sizes{2}, Sizes{}, Sizes{}, false, true, 0)),
           Code::invalid_argument, {"[avg_pool2d]", "divisor"});

  // Window k of n over size s: from floor(k s / n) to ceil((k + 1) s / n).
  auto cells = [](int64_t k, int64_t n, int64_t s) {
    return std::pair{k * s / n, ((k + 1) * s + n - 1) / n};
  };
  Record& adaptive = r.op("adaptive_avg_pool2d").tolerance(4).specials();
  Record& adaptive_back = r.op("adaptive_avg_pool2d_backward").on(kFloats, 0).tolerance(4);
  for (auto [x, grid] : {std::pair{Sizes{2, 2, 4, 5}, Sizes{2, 3}},
                         {Sizes{1, 3, 4, 4}, Sizes{1, 1}},
                         {Sizes{2, 3, 3}, Sizes{5, 2}},
                         {Sizes{1, 16, 4, 3}, Sizes{2, 2}}}) {
    auto each_cell = [=, x = x,
                      grid = grid](auto&& f) {  // f(place in the result, place in x, size of the window)
      Sizes y = x;
      y[y.size() - 2] = grid[0];
      y.back() = grid[1];
      each_index(y, [&](const Sizes& o) {
        auto [h0, h1] = cells(o[o.size() - 2], grid[0], x[x.size() - 2]);
        auto [w0, w1] = cells(o.back(), grid[1], x.back());
        for (int64_t h = h0; h < h1; ++h)
          for (int64_t w = w0; w < w1; ++w) {
            Sizes i = o;
            i[i.size() - 2] = h;
            i.back() = w;
            f(o, i, double((h1 - h0) * (w1 - w0)));
          }
      });
    };
    Sizes y = x;
    y[y.size() - 2] = grid[0];
    y.back() = grid[1];
    bool small = x[x.size() - 3] < 8;
    adaptive
        .add(
            {real(x)}, [grid = grid](Ins t) -> Outs { return ops::adaptive_avg_pool2d(t[0], grid); },
            [=](const Arrays& in) -> Arrays {
              Array out(y);
              each_cell([&](const Sizes& o, const Sizes& i, double n) { out[o] += in[0][i] / n; });
              return {out};
            })
        .cases.back()
        .grad = small;
    adaptive_back
        .add(
            {real(y)}, [x = x](Ins t) -> Outs { return ops::adaptive_avg_pool2d_backward(t[0], x); },
            [=, x = x](const Arrays& in) -> Arrays {
              Array dx(x);
              each_cell([&](const Sizes& o, const Sizes& i, double n) { dx[i] += in[0][o] / n; });
              return {dx};
            })
        .cases.back()
        .grad = small;
  }
  adaptive
      .bad({real({1, 2, 0, 3})}, CALL(ops::adaptive_avg_pool2d(t[0], Sizes{2})), Code::shape,
           {"[adaptive_avg_pool2d]", "[1, 2, 0, 3]"})
      .bad({real({1, 2, 3, 3})}, CALL(ops::adaptive_avg_pool2d(t[0], Sizes{})), Code::invalid_argument,
           {"[adaptive_avg_pool2d]", "output_size"});
}

}  // namespace haft::test
