// Records of pooling in one to three dimensions. The references walk over windows of any rank.
#include <cmath>
#include <limits>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

struct Form {
  Sizes x, kernel, stride, padding, dilation;  // a full number for each dimension behind the channels
  bool ceil_mode = false, include_pad = true;

  size_t dims() const { return kernel.size(); }
  size_t first() const { return x.size() - dims(); }  // dimension
  int64_t step(size_t d) const { return dilation.empty() ? 1 : dilation[d]; }
  Sizes result() const {
    Sizes y = x;
    for (size_t d = 0; d < dims(); ++d) {
      const int64_t size = x[first() + d], room = size + 2 * padding[d] - step(d) * (kernel[d] - 1) - 1;
      int64_t last = (ceil_mode ? room + stride[d] - 1 : room) / stride[d];
      if (ceil_mode && last * stride[d] >= size + padding[d]) --last;
      y[first() + d] = last + 1;
    }
    return y;
  }
  // f(place) for the places in x that the window of y covers.
  template <class F>
  void window(const Sizes& y, F&& f) const {
    each_index(kernel, [&](const Sizes& k) {
      Sizes i = y;
      for (size_t d = 0; d < dims(); ++d) {
        int64_t& at = i[first() + d];
        at = at * stride[d] - padding[d] + k[d] * step(d);
        if (at < 0 || at >= x[first() + d]) return;
      }
      f(i);
    });
  }
  double divisor(const Sizes& y) const {
    double n = 1;
    for (size_t d = 0; d < dims(); ++d) {
      const int64_t start = y[first() + d] * stride[d] - padding[d], end = start + kernel[d],
                    size = x[first() + d];
      n *= double(include_pad ? std::min(end, size + padding[d]) - start
                              : std::min(end, size) - std::max<int64_t>(start, 0));
    }
    return n;
  }
};

// The place behind the channels as one number.
double flat(const Sizes& i, const Sizes& x, size_t first) {
  int64_t n = 0;
  for (size_t d = first; d < x.size(); ++d) n = n * x[d] + i[d];
  return double(n);
}

// The first of the largest, or the first NaN.
struct Largest {
  double value = 0, place = 0;
  bool any = false;
  void see(double v, double at) {
    if (any && !(!std::isnan(value) && (v > value || std::isnan(v)))) return;
    value = v, place = at, any = true;
  }
};

Arrays maxima(const Form& p, const Array& x) {
  Array y(p.result()), at(p.result());
  each_index(y.sizes, [&](const Sizes& o) {
    Largest l;
    p.window(o, [&](const Sizes& i) { l.see(x[i], flat(i, p.x, p.first())); });
    y[o] = l.value, at[o] = l.place;
  });
  return {y, at};
}
Array sums(const Form& p, const Array& x, double power = 1) {
  return make_array(p.result(), [&](const Sizes& o) {
    double s = 0;
    p.window(o, [&](const Sizes& i) { s += std::pow(x[i], power); });
    return s;
  });
}

const Form kForms[3][3] = {
    {{{2, 2, 7}, {3}, {2}, {1}}, {{3, 6}, {2}, {2}, {0}, {2}}, {{1, 2, 8}, {3}, {2}, {1}, {}, true, false}},
    {{{2, 2, 4, 5}, {3, 2}, {2, 1}, {1, 0}},
     {{2, 5, 5}, {2, 2}, {2, 2}, {0, 0}, {1, 2}, true},
     {{1, 2, 5, 6}, {3, 3}, {2, 2}, {1, 1}, {}, true, false}},
    {{{1, 2, 3, 4, 3}, {2, 3, 2}, {1, 2, 1}, {1, 1, 0}},
     {{2, 4, 3, 5}, {2, 2, 2}, {2, 1, 2}, {0, 1, 0}, {2, 1, 1}, true},
     {{1, 1, 5, 4, 3}, {3, 2, 3}, {2, 2, 2}, {1, 0, 1}, {}, true, false}}};

// f(place in x, size of the bin) for the bins of a grid that covers x, with the place in the result.
template <class F>
void each_bin(const Sizes& x, const Sizes& grid, F&& f) {
  const size_t first = x.size() - grid.size();
  Sizes y = x;
  for (size_t d = 0; d < grid.size(); ++d) y[first + d] = grid[d];
  each_index(y, [&](const Sizes& o) {
    Sizes begin, sizes;
    double cells = 1;
    for (size_t d = 0; d < grid.size(); ++d) {
      const int64_t s = x[first + d], k = o[first + d];
      begin.push_back(k * s / grid[d]);
      sizes.push_back(((k + 1) * s + grid[d] - 1) / grid[d] - begin[d]);
      cells *= double(sizes[d]);
    }
    each_index(sizes, [&](const Sizes& k) {
      Sizes i = o;
      for (size_t d = 0; d < grid.size(); ++d) i[first + d] = begin[d] + k[d];
      f(o, i, cells);
    });
  });
}
Sizes grid_result(Sizes x, const Sizes& grid) {
  for (size_t d = 0; d < grid.size(); ++d) x[x.size() - grid.size() + d] = grid[d];
  return x;
}

using MaxPool = std::function<Tensor(const Tensor&, IntList, IntList, IntList, IntList, bool)>;
using MaxPoolIndices =
    std::function<std::array<Tensor, 2>(const Tensor&, IntList, IntList, IntList, IntList, bool)>;
using LpPool = std::function<Tensor(const Tensor&, double, IntList, IntList, bool)>;
using Adaptive = std::function<Tensor(const Tensor&, IntList)>;
using AdaptiveIndices = std::function<std::array<Tensor, 2>(const Tensor&, IntList)>;
using Unpool = std::function<Tensor(const Tensor&, const Tensor&, IntList, IntList, IntList, IntList)>;

void add_maxima(Records& r, int n, MaxPool pool, MaxPoolIndices indexed) {
  const std::string name = concat("max_pool", n, "d");
  Record& with = r.op(concat(name, "_with_indices").c_str()).on(kNumbers).gives({same, always_i64});
  Record* plain = pool ? &r.op(name.c_str()).on(kNumbers).specials() : nullptr;
  for (const Form& p : kForms[n - 1]) {
    with.add({real(p.x)}, CALL(indexed(t[0], p.kernel, p.stride, p.padding, p.dilation, p.ceil_mode)),
             [p](const Arrays& in) -> Arrays { return maxima(p, in[0]); });
    if (plain)
      plain->add({real(p.x)}, CALL(pool(t[0], p.kernel, p.stride, p.padding, p.dilation, p.ceil_mode)),
                 [p](const Arrays& in) -> Arrays { return {maxima(p, in[0])[0]}; });
  }
  const Sizes x(size_t(n + 1), 4);
  with.bad({real({4})}, CALL(indexed(t[0], Sizes{2}, {}, {}, {}, false)), Code::shape, {name, "[4]"})
      .bad({real(x)}, CALL(indexed(t[0], Sizes{2}, {}, Sizes{2}, {}, false)), Code::invalid_argument,
           {concat("[", name, "]"), "half of kernel size"})
      .bad({real(x)}, CALL(indexed(t[0], Sizes{2}, {}, {}, Sizes{4}, false)), Code::shape,
           {concat("[", name, "]"), "no window", concat(IntList(x))})
      .bad({real(x)}, CALL(indexed(t[0], Sizes{2, 2, 2, 2}, {}, {}, {}, false)), Code::invalid_argument,
           {name, "kernel_size"});
  if (plain)
    plain->bad({real(x)}, CALL(pool(t[0], Sizes{5}, {}, {}, {}, false)), Code::shape,
               {concat("[", name, "]"), "no window", concat(IntList(x))});
}

void add_unpooling(Records& r, int n, Unpool unpool) {
  const std::string name = concat("max_unpool", n, "d");
  const Sizes shapes[] = {{2, 2, 3}, {1, 2, 2, 3}, {1, 2, 2, 1, 2}};
  const Sizes& x = shapes[n - 1];
  Sizes wide = x;
  for (size_t d = 2; d < x.size(); ++d) wide[d] = 2 * x[d] + 1;
  const Sizes size(wide.begin() + 2, wide.end());
  Input at = index_below(x, 2);
  at.fix = [x, wide](Array& a) {  // each in a window of its own
    size_t k = 0;
    each_index(x, [&](const Sizes& i) {
      Sizes to = i;
      for (size_t d = 2; d < i.size(); ++d) to[d] = 2 * i[d] + int64_t(k % 2);
      a.v[k++] = flat(to, wide, 2);
    });
  };
  r.op(name.c_str())
      .on(kNumbers, 0)
      .add({real(x), at}, CALL(unpool(t[0], t[1], Sizes{3}, Sizes{2}, {}, {})),
           [wide](const Arrays& in) -> Arrays {
             Array y(wide);
             const size_t inner = y.v.size() / size_t(wide[0] * wide[1]),
                          own = in[0].v.size() / size_t(wide[0] * wide[1]);
             for (size_t k = 0; k < in[0].v.size(); ++k)
               y.v[k / own * inner + size_t(in[1].v[k])] = in[0].v[k];
             return {y};
           })
      .bad({real(x), at}, CALL(unpool(t[0], t[1], Sizes{3}, Sizes{2}, {}, Sizes(size.size(), 99))),
           Code::invalid_argument, {name, "invalid output_size", "99"})
      .bad({real(x), index_below({1, 1}, 1)}, CALL(unpool(t[0], t[1], Sizes{2}, {}, {}, {})), Code::shape,
           {name})
      .bad({real({3}), index_below({3}, 1)}, CALL(unpool(t[0], t[1], Sizes{2}, {}, {}, {})), Code::shape,
           {name, "[3]"});
}

void add_norms_of_windows(Records& r, int n, LpPool pool) {
  const std::string name = concat("lp_pool", n, "d");
  Record& record = r.op(name.c_str()).tolerance(8);
  for (const double power : {2.0, 3.0, 4.0}) {
    Form p = kForms[n - 1][0];
    std::fill(p.padding.begin(), p.padding.end(), 0);
    const double low = power == 4 ? 20 : 0.5;  // the powers are no float16
    record.add({real(p.x, low, 2 * low)}, CALL(pool(t[0], power, p.kernel, p.stride, false)),
               [p, power](const Arrays& in) -> Arrays {
                 Array y = sums(p, in[0], power);
                 for (double& v : y.v) v = std::pow(v, 1 / power);
                 return {y};
               });
  }
  record.bad({real({3})}, CALL(pool(t[0], 2, Sizes{2}, {}, false)), Code::shape, {"pool", "[3]"});
}

void add_grids(Records& r, int n, Adaptive mean, Adaptive largest, AdaptiveIndices indexed) {
  const Sizes shapes[] = {{2, 2, 7}, {2, 4, 5}, {1, 2, 3, 4, 5}}, grids[] = {{3}, {2, 3}, {2, 2, 3}};
  const Sizes even[] = {{1, 2, 6}, {1, 2, 4, 6}, {2, 4, 2, 6}}, halves[] = {{3}, {2, 3}, {2, 1, 3}};
  // Bins that share elements.
  const Sizes few[] = {{2, 1, 2}, {1, 1, 2, 3}, {1, 1, 2, 1, 3}}, more[] = {{5}, {5, 4}, {5, 2, 4}};
  const std::string avg = concat("adaptive_avg_pool", n, "d"), max = concat("adaptive_max_pool", n, "d");
  Record& with = r.op(concat(max, "_with_indices").c_str()).on(kNumbers).gives({same, always_i64});
  Record& plain = r.op(max.c_str()).on(kNumbers);
  Record* means = mean ? &r.op(avg.c_str()).tolerance(4) : nullptr;
  for (const auto& [x, grid] :
       {std::pair{shapes[n - 1], grids[n - 1]}, {even[n - 1], halves[n - 1]}, {few[n - 1], more[n - 1]}}) {
    auto reference = [x = x, grid = grid](const Arrays& in) -> Arrays {
      const Sizes y = grid_result(x, grid);
      std::vector<Largest> all(Array(y).v.size());
      each_bin(x, grid, [&](const Sizes& o, const Sizes& i, double) {
        all[Array(y).at(o)].see(in[0][i], flat(i, x, x.size() - grid.size()));
      });
      Array value(y), place(y);
      for (size_t k = 0; k < all.size(); ++k) value.v[k] = all[k].value, place.v[k] = all[k].place;
      return {value, place};
    };
    with.add(
        {real(x)}, [indexed, grid = grid](Ins t) -> Outs { return indexed(t[0], grid); }, reference);
    plain.add(
        {real(x)}, [largest, grid = grid](Ins t) -> Outs { return largest(t[0], grid); },
        [reference](const Arrays& in) -> Arrays { return {reference(in)[0]}; });
    if (means)
      means->add(
          {real(x)}, [mean, grid = grid](Ins t) -> Outs { return mean(t[0], grid); },
          [x = x, grid = grid](const Arrays& in) -> Arrays {
            Array out(grid_result(x, grid));
            each_bin(x, grid,
                     [&](const Sizes& o, const Sizes& i, double cells) { out[o] += in[0][i] / cells; });
            return {out};
          });
  }
  // An absent number keeps the size.
  plain.add({real(shapes[n - 1])}, CALL(largest(t[0], Sizes{kNone})),
            [](const Arrays& in) -> Arrays { return {in[0]}; });
  plain.bad({real({4})}, CALL(largest(t[0], Sizes{2})), Code::shape, {max, "[4]"});
  // Without bins there is nothing, of an input with elements.
  Sizes none = shapes[n - 1];
  none.back() = 0;
  const Sizes no_bins(halves[n - 1].begin(), halves[n - 1].end() - 1);
  auto nowhere = [=](bool both) {
    return [=](const Arrays&) -> Arrays {
      Sizes y = none;
      std::copy(no_bins.begin(), no_bins.end(), y.end() - n);
      return both ? Arrays{Array(y), Array(y)} : Arrays{Array(y)};
    };
  };
  Sizes grid = no_bins;
  grid.push_back(0);
  with.add({real(shapes[n - 1])}, CALL(indexed(t[0], grid)), nowhere(true));
  plain.add({real(shapes[n - 1])}, CALL(largest(t[0], grid)), nowhere(false));
  if (means) means->add({real(shapes[n - 1])}, CALL(mean(t[0], grid)), nowhere(false));
  with.bad({real(none)}, CALL(indexed(t[0], Sizes(size_t(n), 0))), Code::shape, {max, "no elements"});
  if (means)
    means->bad({real(shapes[n - 1])}, CALL(mean(t[0], Sizes{1, 1, 1, 1})), Code::invalid_argument,
               {avg, "output_size"});
}

// Windows that begin at random distances.
void add_random_windows(Records& r) {
  for (int n : {2, 3}) {
    Record& windows = r.op(n == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d");
    windows.on(kFloats, 0).rules = {same, always_i64};
    const Sizes x = n == 2 ? Sizes{2, 2, 6, 5} : Sizes{1, 2, 4, 5, 6},
                kernel = n == 2 ? Sizes{2, 3} : Sizes{2, 2, 3}, size = n == 2 ? Sizes{3, 2} : Sizes{2, 3, 1};
    // Samples that every float holds, between which no window begins at a rounded place.
    const Input samples = real({x[0], 2, n}).constant().fixed([](Array& a) {
      for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = double((i * 5 + 3) % 8) / 8 + 1.0 / 32;
    });
    auto call = [=](Ins t) {
      return n == 2 ? ops::fractional_max_pool2d(t[0], t[1], kernel, size)
                    : ops::fractional_max_pool3d(t[0], t[1], kernel, size);
    };
    for (bool single : {false, true}) {
      if (single && x[0] != 1) continue;
      const Sizes own(x.begin() + single, x.end());
      windows.add({real(own), samples}, CALL(call(t)), [=](const Arrays& in) -> Arrays {
        Sizes out{x[0], x[1]};
        out.insert(out.end(), size.begin(), size.end());
        Array y(out), at(out);
        each_index(out, [&](const Sizes& o) {
          Sizes from(size_t(n), 0);
          for (int d = 0; d < n; ++d) {
            const double sample = in[1].v[size_t((o[0] * 2 + o[1]) * n + (n == 2 ? 1 - d : d))];
            const int64_t room = x[size_t(2 + d)] - kernel[size_t(d)], i = o[size_t(2 + d)];
            const double alpha = size[size_t(d)] > 1 ? double(room) / double(size[size_t(d)] - 1) : 0;
            from[size_t(d)] = i == size[size_t(d)] - 1
                                  ? room
                                  : int64_t((double(i) + sample) * alpha) - int64_t(sample * alpha);
          }
          double best = -INFINITY;
          each_index(kernel, [&](const Sizes& k) {
            int64_t flat = 0, whole = o[0] * x[1] + o[1];
            for (int d = 0; d < n; ++d) {
              flat = flat * x[size_t(2 + d)] + from[size_t(d)] + k[size_t(d)];
              whole = whole * x[size_t(2 + d)] + from[size_t(d)] + k[size_t(d)];
            }
            if (in[0].v[size_t(whole)] > best) best = in[0].v[size_t(whole)], at[o] = double(flat);
          });
          y[o] = best;
        });
        if (single) y.sizes.erase(y.sizes.begin()), at.sizes.erase(at.sizes.begin());
        return {y, at};
      });
    }
    const char* name = n == 2 ? "[fractional_max_pool2d]" : "[fractional_max_pool3d]";
    windows.bad({real({3}), samples}, CALL(call(t)), Code::shape, {name, "[3]"});
    windows.bad({real(n == 2 ? Sizes{2, 2, 3, 3} : Sizes{1, 2, 2, 3, 3}), samples}, CALL(call(t)),
                Code::shape, {name, "do not fit"});
  }
}

}  // namespace

#define OP(name) [](const auto&... a) { return ops::name(a...); }
void add_pooling_nd(Records& r) {
  add_maxima(r, 1, OP(max_pool1d), OP(max_pool1d_with_indices));
  add_maxima(r, 2, nullptr, OP(max_pool2d_with_indices));
  add_maxima(r, 3, OP(max_pool3d), OP(max_pool3d_with_indices));
  add_unpooling(r, 1, OP(max_unpool1d));
  add_unpooling(r, 2, OP(max_unpool2d));
  add_unpooling(r, 3, OP(max_unpool3d));
  add_norms_of_windows(r, 1, OP(lp_pool1d));
  add_norms_of_windows(r, 2, OP(lp_pool2d));
  add_norms_of_windows(r, 3, OP(lp_pool3d));
  add_grids(r, 1, OP(adaptive_avg_pool1d), OP(adaptive_max_pool1d), OP(adaptive_max_pool1d_with_indices));
  add_grids(r, 2, nullptr, OP(adaptive_max_pool2d), OP(adaptive_max_pool2d_with_indices));
  add_grids(r, 3, OP(adaptive_avg_pool3d), OP(adaptive_max_pool3d), OP(adaptive_max_pool3d_with_indices));

  add_random_windows(r);

  Record& line = r.op("avg_pool1d").tolerance(4);
  Record& box = r.op("avg_pool3d").tolerance(4);
  for (int n : {1, 3})
    for (Form p : kForms[n - 1]) {
      p.dilation.clear();
      auto mean = [p](const Arrays& in) -> Arrays {
        Array y = sums(p, in[0]);
        each_index(y.sizes, [&](const Sizes& o) { y[o] /= p.divisor(o); });
        return {y};
      };
      if (n == 1) {
        line.add({real(p.x)},
                 CALL(ops::avg_pool1d(t[0], p.kernel, p.stride, p.padding, p.ceil_mode, p.include_pad)),
                 mean);
        continue;
      }
      box.add({real(p.x)},
              CALL(ops::avg_pool3d(t[0], p.kernel, p.stride, p.padding, p.ceil_mode, p.include_pad)), mean);
      box.add({real(p.x)},
              CALL(ops::avg_pool3d(t[0], p.kernel, p.stride, p.padding, p.ceil_mode, p.include_pad, 5)),
              [p](const Arrays& in) -> Arrays {
                Array y = sums(p, in[0]);
                for (double& v : y.v) v /= 5;
                return {y};
              });
    }
  line.bad({real({3})}, CALL(ops::avg_pool1d(t[0], Sizes{2})), Code::shape, {"[avg_pool1d]", "[3]"});
  box.bad({real({2, 3, 3, 3})}, CALL(ops::avg_pool3d(t[0], Sizes{2}, Sizes{}, Sizes{}, false, true, 0)),
          Code::invalid_argument, {"[avg_pool3d]", "divisor must be not zero"})
      .bad({real({2, 3, 3, 3})}, CALL(ops::avg_pool3d(t[0], Sizes{2}, Sizes{}, Sizes{2}, false, true, 3)),
           Code::invalid_argument, {"[avg_pool3d]", "half of kernel size"})
      .bad({real({2, 2, 3, 3})}, CALL(ops::avg_pool3d(t[0], Sizes{3}, Sizes{}, Sizes{}, false, true, 3)),
           Code::shape, {"[avg_pool3d]", "no window", "[2, 2, 3, 3]"});
}

}  // namespace haft::test
