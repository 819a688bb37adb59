// Records of reductions that are compositions: without NaN, differences, quantiles, what is different.
#include <algorithm>
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

using Values = std::vector<double>;

// Rows of a matrix, each to one number.
Reference by_row(double (*f)(const Values&)) {
  return [f](const Arrays& in) -> Arrays {
    Array y(Sizes{in[0].size(0)});
    for (int64_t i = 0; i < in[0].size(0); ++i)
      y.v[size_t(i)] =
          f(Values(in[0].v.begin() + i * in[0].size(1), in[0].v.begin() + (i + 1) * in[0].size(1)));
    return {y};
  };
}

Input with_nan(Sizes s) {
  return real(std::move(s)).constant().fixed([](Array& a) { a.v[1] = NAN; });
}

Array differences(const Array& x) {
  Array y(Sizes{x.size(0), x.size(1) - 1});
  each_index(y.sizes, [&](const Sizes& i) { y[i] = x[{i[0], i[1] + 1}] - x[i]; });
  return y;
}

// A quantile of sorted numbers by PyTorch's rules.
double quantile(Values v, double q, int way) {
  std::ranges::sort(v);
  const double at = q * double(v.size() - 1);
  const double low = v[size_t(std::floor(at))], high = v[size_t(std::ceil(at))];
  switch (way) {
    case 0: return low + (high - low) * (at - std::floor(at));
    case 1: return low;
    case 2: return high;
    case 3: return low + (high - low) / 2;
    default: return v[size_t(std::nearbyint(at))];
  }
}

}  // namespace

void add_statistics(Records& r) {
  r.op("nansum")
      .on(kAll)
      .gives({sum_type})
      .tolerance(4)
      .add({real({3, 4})}, CALL(ops::nansum(t[0], Sizes{1})), by_row([](const Values& v) {
             double s = 0;
             for (double x : v) s += x;
             return s;
           }))
      .bad({real({2})}, CALL(ops::nansum(t[0], Sizes{1})), Code::index, {"1"});
  r.op("nanmean")
      .on(kFloats, 0)
      .tolerance(4)
      .add({real({3, 4})}, CALL(ops::nanmean(t[0], Sizes{1})),
           by_row([](const Values& v) { return (v[0] + v[1] + v[2] + v[3]) / 4; }))
      .add({with_nan({3, 4})}, CALL(ops::nanmean(t[0], Sizes{1})), by_row([](const Values& v) {
             double s = 0, n = 0;
             for (double x : v)
               if (!std::isnan(x)) s += x, ++n;
             return s / n;
           }))
      .add({real({70000}, 0.25, 0.5)}, CALL(ops::nanmean(t[0])),  // as a float16 their number is infinity
           [](const Arrays& in) -> Arrays {
             double s = 0;
             for (double v : in[0].v) s += v / 70000;
             return {Array({}, s)};
           })
      .no_grad()
      .bad({index_below({2}, 3)}, CALL(ops::nanmean(t[0])), Code::dtype, {"[nanmean]", "int64"});
  r.op("aminmax")
      .on(kAll)
      .gives({same, same})
      .add({real({3, 4})}, CALL(ops::aminmax(t[0], 1)),
           [](const Arrays& in) -> Arrays {
             return {by_row([](const Values& v) { return std::ranges::min(v); })(in)[0],
                     by_row([](const Values& v) { return std::ranges::max(v); })(in)[0]};
           })
      .bad({real({0})}, CALL(ops::aminmax(t[0])), Code::shape, {"[0]"});
  r.op("msort").on(kAll).add({real({4, 2})}, CALL(ops::msort(t[0])), [](const Arrays& in) -> Arrays {
    Array y = in[0];
    for (size_t c = 0; c < 2; ++c) {
      Values v{y.v[c], y.v[2 + c], y.v[4 + c], y.v[6 + c]};
      std::ranges::sort(v);
      for (size_t k = 0; k < 4; ++k) y.v[2 * k + c] = v[k];
    }
    return {y};
  });
  r.op("diff")
      .on(kNumbers, 0)
      .add({real({2, 4})}, CALL(ops::diff(t[0])),
           [](const Arrays& in) -> Arrays { return {differences(in[0])}; })
      .add({real({2, 4})}, CALL(ops::diff(t[0], 2, 1)),
           [](const Arrays& in) -> Arrays { return {differences(differences(in[0]))}; })
      .add({real({2, 2}), real({2, 1}), real({2, 2})}, CALL(ops::diff(t[0], 1, -1, t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             return {differences(make_array({2, 5}, [&](const Sizes& i) {
               return i[1] < 1 ? in[1][i] : i[1] < 3 ? in[0][{i[0], i[1] - 1}] : in[2][{i[0], i[1] - 3}];
             }))};
           })
      .add({real({2, 1})}, CALL(ops::diff(t[0], 3)),
           [](const Arrays&) -> Arrays {
             return {Array(Sizes{2, 0})};
           })
      .add({real({2, 2}), real({2, 1})}, CALL(ops::diff(t[0], 0, -1, t[1])),
           [](const Arrays& in) -> Arrays { return {in[0]}; })
      .bad({real({})}, CALL(ops::diff(t[0])), Code::shape, {"[diff]", "0-dim"})
      .bad({real({2})}, CALL(ops::diff(t[0], -1)), Code::invalid_argument, {"[diff]", "-1"});

  Record& quantiles = r.op("quantile").on(kFloats).host_only().tolerance(4);
  // Between two elements the result follows q, too.
  auto wanted = [](const Sizes& s, int way, Values v) {
    const Input q = real(s).fixed([v](Array& a) { a.v = v; });
    return way ? q.constant() : q;
  };
  for (int way : {0, 1, 2, 3, 4}) {
    quantiles.add({real({3, 5}), wanted({2}, way, {0.375, 0.8125})},
                  CALL(ops::quantile(t[0], t[1], 1, way == 0, way)), [way](const Arrays& in) -> Arrays {
                    Array y(way == 0 ? Sizes{2, 3, 1} : Sizes{2, 3});
                    for (size_t q = 0; q < 2; ++q)
                      for (size_t i = 0; i < 3; ++i)
                        y.v[3 * q + i] = quantile(
                            Values(in[0].v.begin() + int64_t(5 * i), in[0].v.begin() + int64_t(5 * i + 5)),
                            in[1].v[q], way);
                    return {y};
                  });
    quantiles.add({real({2, 3}), wanted({}, way, {0.25})},
                  CALL(ops::quantile(t[0], t[1], kNone, way == 1, way)), [way](const Arrays& in) -> Arrays {
                    return {Array(way == 1 ? Sizes{1, 1} : Sizes{}, Values{quantile(in[0].v, 0.25, way)})};
                  });
  }
  auto half = real({}).constant().fixed([](Array& a) { a.v = {0.5}; });
  quantiles.bad({real({0}), half}, CALL(ops::quantile(t[0], t[1])), Code::shape, {"[quantile]", "[0]"})
      .bad({real({3}), half}, CALL(ops::quantile(t[0], ops::mul_scalar(t[1], 3))), Code::invalid_argument,
           {"[quantile]", "1.5"})
      .bad({real({3}), real({1, 1})}, CALL(ops::quantile(t[0], t[1])), Code::shape, {"[quantile]", "[1, 1]"})
      .bad({real({3}), half}, CALL(ops::quantile(t[0], t[1], 0, false, 5)), Code::invalid_argument,
           {"[quantile]", "5"});

  Record& visible = r.op("nanquantile").on(kFloats).host_only().tolerance(4);
  for (int way : {0, 1, 2, 3, 4})
    visible.add({with_nan({3, 5}), wanted({2}, way, {0.375, 0.8125})},
                CALL(ops::nanquantile(t[0], t[1], 1, way == 0, way)), [way](const Arrays& in) -> Arrays {
                  Array y(way == 0 ? Sizes{2, 3, 1} : Sizes{2, 3});
                  for (size_t q = 0; q < 2; ++q)
                    for (size_t i = 0; i < 3; ++i) {
                      Values row;
                      for (size_t k = 0; k < 5; ++k)
                        if (const double v = in[0].v[5 * i + k]; !std::isnan(v)) row.push_back(v);
                      y.v[3 * q + i] = quantile(row, in[1].v[q], way);
                    }
                  return {y};
                });
  visible.add({real({2, 5}), real({}).constant().fixed([](Array& a) { a.v = {0.375}; })},
              CALL(ops::nanquantile(t[0], t[1], 1)), [](const Arrays& in) -> Arrays {
                return {by_row([](const Values& v) { return quantile(v, 0.375, 0); })(in)};
              });
  visible.bad({real({0}), half}, CALL(ops::nanquantile(t[0], t[1])), Code::shape, {"[nanquantile]", "[0]"});

  auto modes = [](const Arrays& in) -> Arrays {
    Array values(Sizes{in[0].size(0)}), places(Sizes{in[0].size(0)});
    for (int64_t i = 0; i < in[0].size(0); ++i) {
      int64_t most = 0;
      for (int64_t k = 0; k < in[0].size(1); ++k) {
        int64_t count = 0;
        for (int64_t l = 0; l < in[0].size(1); ++l) count += in[0][{i, l}] == in[0][{i, k}];
        double& best = values.v[size_t(i)];
        if (count < most || (count == most && in[0][{i, k}] > best)) continue;
        most = count, best = in[0][{i, k}], places.v[size_t(i)] = double(k);
      }
    }
    return {values, places};
  };
  r.op("mode")
      .on(kAll)
      .gives({same, always_i64})
      .add({real({2, 5}).fixed([](Array& a) { a.v = {3, 1, 3, 1, 2, 0, 1, 2, 3, 4}; })},
           CALL(ops::mode(t[0])), modes)
      .no_grad()  // a difference would end what is equal
      .add({real({3, 4})}, CALL(ops::mode(t[0])), modes)
      .bad({real({2, 0})}, CALL(ops::mode(t[0])), Code::index, {"[mode]", "[2, 0]"});

  // Sums of products of what is off the mean.
  auto covariance = [](const Array& x, const Values& weights, double divisor) {
    const int64_t d = x.size(0), n = x.size(1);
    double total = 0;
    for (double w : weights) total += w;
    Array y(Sizes{d, d});
    Values means;
    for (int64_t i = 0; i < d; ++i) {
      double s = 0;
      for (int64_t k = 0; k < n; ++k) s += weights[size_t(k)] * x[{i, k}];
      means.push_back(s / total);
    }
    for (int64_t i = 0; i < d; ++i)
      for (int64_t j = 0; j < d; ++j) {
        double s = 0;
        for (int64_t k = 0; k < n; ++k)
          s += weights[size_t(k)] * (x[{i, k}] - means[size_t(i)]) * (x[{j, k}] - means[size_t(j)]);
        y[{i, j}] = s / divisor;
      }
    return y;
  };
  r.op("cov")
      .on(kFloats, kBool)
      .host_only()
      .tolerance(8)
      .add({real({3, 5})}, CALL(ops::cov(t[0])),
           [=](const Arrays& in) -> Arrays { return {covariance(in[0], Values(5, 1.0), 4)}; })
      .add({real({2, 4})}, CALL(ops::cov(t[0], 0)),
           [=](const Arrays& in) -> Arrays { return {covariance(in[0], Values(4, 1.0), 4)}; })
      .add({real({2, 4}), index_values({4}, {1, 2, 3, 4})}, CALL(ops::cov(t[0], 1, t[1])),
           [=](const Arrays& in) -> Arrays {
             return {covariance(in[0], {1, 2, 3, 4}, 9)};
           })
      .add({real({2, 3}), real({3}, 0.5, 2).constant()}, CALL(ops::cov(t[0], 1, Tensor(), t[1])),
           [=](const Arrays& in) -> Arrays {
             double sum = 0, squares = 0;
             for (double w : in[1].v) sum += w, squares += w * w;
             return {covariance(in[0], in[1].v, sum - squares / sum)};
           })
      .bad({real({2, 2, 2})}, CALL(ops::cov(t[0])), Code::shape, {"[cov]", "[2, 2, 2]"})
      .bad({real({2, 3}), real({2})}, CALL(ops::cov(t[0], 1, Tensor(), t[1])), Code::shape,
           {"[cov]", "aweights", "[2]"})
      .bad({real({2, 3}), real({3})}, CALL(ops::cov(t[0], 1, t[1])), Code::dtype, {"[cov]", "fweights"});
  r.op("corrcoef")
      .on(kFloats, kBool)
      .tolerance(8)
      .allow(4, 4)
      .add({real({2, 5})}, CALL(ops::corrcoef(t[0])),
           [=](const Arrays& in) -> Arrays {
             Array c = covariance(in[0], Values(5, 1.0), 4);
             const double off = c.v[1] / std::sqrt(c.v[0] * c.v[3]);
             return {Array({2, 2}, {1, off, off, 1})};
           })
      .bad({real({1, 2, 3})}, CALL(ops::corrcoef(t[0])), Code::shape, {"[corrcoef]", "[1, 2, 3]"});

  auto areas = [](const Array& y, const Array* x, double dx) {
    Array a(Sizes{y.size(0), y.size(1) - 1});
    each_index(a.sizes, [&](const Sizes& i) {
      const Sizes next{i[0], i[1] + 1};
      const double wide = !x ? dx : x->ndim() == 1 ? (*x)[{next[1]}] - (*x)[{i[1]}] : (*x)[next] - (*x)[i];
      a[i] = (y[i] + y[next]) / 2 * wide;
    });
    return a;
  };
  auto whole = [](const Array& a) {
    Array y(Sizes{a.size(0)});
    each_index(a.sizes, [&](const Sizes& i) { y.v[size_t(i[0])] += a[i]; });
    return y;
  };
  r.op("trapezoid")
      .on(kFloats, 0)
      .tolerance(4)
      .add({real({2, 4})}, CALL(ops::trapezoid(t[0], Tensor(), 0.5)),
           [=](const Arrays& in) -> Arrays { return {whole(areas(in[0], nullptr, 0.5))}; })
      .add({real({2, 4}), real({4})}, CALL(ops::trapezoid(t[0], t[1])),
           [=](const Arrays& in) -> Arrays { return {whole(areas(in[0], &in[1], 1))}; })
      .add({real({2, 4}), real({2, 4})}, CALL(ops::trapezoid(t[0], t[1])),
           [=](const Arrays& in) -> Arrays { return {whole(areas(in[0], &in[1], 1))}; })
      .bad({real({2, 4}), real({3})}, CALL(ops::trapezoid(t[0], t[1])), Code::shape,
           {"[trapezoid]", "3 places", "4"})
      .bad({real({})}, CALL(ops::trapezoid(t[0], Tensor())), Code::shape, {"[trapezoid]", "0-dim"});
  r.op("cumulative_trapezoid")
      .on(kFloats, 0)
      .tolerance(4)
      .add({real({2, 4}), real({4})}, CALL(ops::cumulative_trapezoid(t[0], t[1])),
           [=](const Arrays& in) -> Arrays {
             Array a = areas(in[0], &in[1], 1);
             for (int64_t i = 0; i < 2; ++i)
               for (int64_t k = 1; k < 3; ++k) a[{i, k}] += a[{i, k - 1}];
             return {a};
           })
      .bad({real({})}, CALL(ops::cumulative_trapezoid(t[0], Tensor())), Code::shape,
           {"[cumulative_trapezoid]", "0-dim"});

  const auto pairs = real({2, 4}).fixed([](Array& a) { a.v = {1, 0, 1, 1, 0, 1, 1, 0}; });
  r.op("unique")
      .on(kAll)
      .gives({same, always_i64, always_i64})
      .host_only()
      .depends_on_values()
      .add({pairs}, CALL(ops::unique(t[0])),
           [](const Arrays& in) -> Arrays {
             return {Array({2}, {0, 1}), in[0], Array({2}, {3, 5})};
           })
      .add({pairs}, CALL(ops::unique(t[0], 1)),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3}, {0, 1, 1, 1, 0, 1}), Array({4}, {1, 0, 2, 1}), Array({3}, {1, 2, 1})};
           })
      .bad({real({2})}, CALL(ops::unique(t[0], 1)), Code::index, {"[unique]", "1"});
  r.op("unique_consecutive")
      .on(kAll)
      .gives({same, always_i64, always_i64})
      .host_only()
      .depends_on_values()
      .add({pairs}, CALL(ops::unique_consecutive(t[0])),
           [](const Arrays&) -> Arrays {
             return {Array({6}, {1, 0, 1, 0, 1, 0}), Array({2, 4}, {0, 1, 2, 2, 3, 4, 4, 5}),
                     Array({6}, {1, 1, 2, 1, 2, 1})};
           })
      .add({pairs}, CALL(ops::unique_consecutive(t[0], -1)),
           [](const Arrays& in) -> Arrays {
             return {in[0], Array({4}, {0, 1, 2, 3}), Array({4}, {1, 1, 1, 1})};
           })
      .bad({real({2})}, CALL(ops::unique_consecutive(t[0], 1)), Code::index, {"[unique_consecutive]", "1"});
  const auto line = [](const Arrays& in, const std::vector<double>& at, int order) -> Arrays {
    Array y = in[0];
    const std::vector<double>& v = in[0].v;
    const size_t n = v.size();
    const auto slope = [&](size_t i) { return (v[i + 1] - v[i]) / (at[i + 1] - at[i]); };
    const auto width = [&](size_t i) { return at[i + 1] - at[i]; };
    for (size_t i = 1; i + 1 < n; ++i)
      y.v[i] = (slope(i - 1) * width(i) + slope(i) * width(i - 1)) / (width(i - 1) + width(i));
    y.v[0] = slope(0), y.v[n - 1] = slope(n - 2);
    if (order == 2) {
      y.v[0] += (slope(0) - slope(1)) * width(0) / (width(0) + width(1));
      y.v[n - 1] += (slope(n - 2) - slope(n - 3)) * width(n - 2) / (width(n - 2) + width(n - 3));
    }
    return {y};
  };
  const auto only = [](std::vector<Tensor> all) { return all.at(0); };
  Record& gradient = r.op("gradient").on(kFloats, 0).tolerance(8);
  for (int order : {1, 2}) {
    gradient.add({real({5})}, CALL(only(ops::gradient(t[0], std::vector<Tensor>(), Sizes{}, order))),
                 [=](const Arrays& in) {
                   return line(in, {0, 1, 2, 3, 4}, order);
                 });
    gradient.add({real({5})},
                 CALL(only(ops::gradient(t[0], std::vector<Tensor>{ops::full(Sizes{}, 0.5, t[0].dtype())},
                                         Sizes{0}, order))),
                 [=](const Arrays& in) {
                   return line(in, {0, 0.5, 1, 1.5, 2}, order);
                 });
    gradient.add({real({5}), real({5}).constant().fixed([](Array& a) {
                    a.v = {0, 1, 3, 3.5, 4};
                  })},
                 CALL(only(ops::gradient(t[0], std::vector<Tensor>{t[1]}, Sizes{}, order))),
                 [=](const Arrays& in) {
                   return line(in, {0, 1, 3, 3.5, 4}, order);
                 });
  }
  gradient.add({real({2})}, CALL(only(ops::gradient(t[0], std::vector<Tensor>(), Sizes{}, 1))),
               [=](const Arrays& in) {
                 return line(in, {0, 1}, 1);
               });
  gradient
      .bad({real({1, 3})}, CALL(ops::gradient(t[0], std::vector<Tensor>(), Sizes{}, 1)), Code::shape,
           {"[gradient]", "[1, 3]", "at least 2"})
      .bad({real({3, 3})}, CALL(ops::gradient(t[0], std::vector<Tensor>(), Sizes{}, 3)),
           Code::invalid_argument, {"[gradient]", "got 3"})
      .bad({real({3, 3})}, CALL(ops::gradient(t[0], std::vector<Tensor>(), Sizes{1, -1}, 1)),
           Code::invalid_argument, {"[gradient]", "dim 1", "twice"})
      .bad({real({3, 3}), real({2})}, CALL(ops::gradient(t[0], std::vector<Tensor>{t[1]}, Sizes{}, 1)),
           Code::shape, {"[gradient]", "[2]"});
}

}  // namespace haft::test
