// Records of medians, searching and counting.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

using Line = std::vector<double>;
bool before(double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); }

// f(line) answers the place of the element that is taken from it.
Arrays taken(const Array& x, int64_t dim, bool keepdim, const std::function<size_t(const Line&)>& f) {
  if (x.sizes.empty()) return {x, Array(Sizes{}, 0.0)};
  const size_t d = size_t(dim < 0 ? dim + x.ndim() : dim);
  Sizes lines = x.sizes;
  lines[d] = 1;
  Arrays out(2, Array(lines));
  each_index(lines, [&](Sizes i) {
    Line line;
    for (i[d] = 0; i[d] < x.sizes[d]; ++i[d]) line.push_back(x[i]);
    const size_t at = f(line);
    i[d] = 0;
    out[0][i] = line[at];
    out[1][i] = double(at);
  });
  if (!keepdim)
    for (Array& a : out) a.sizes.erase(a.sizes.begin() + int64_t(d));
  return out;
}

std::vector<size_t> order(const Line& v) {
  std::vector<size_t> at(v.size());
  std::iota(at.begin(), at.end(), 0);
  std::ranges::stable_sort(at, [&](size_t a, size_t b) { return before(v[a], v[b]); });
  return at;
}
size_t middle(const Line& v, bool skip_nan) {
  const size_t numbers = size_t(std::ranges::count_if(v, [](double x) { return !std::isnan(x); }));
  if (skip_nan) return order(v)[numbers ? (numbers - 1) / 2 : 0];
  return order(v)[numbers < v.size() ? numbers : (v.size() - 1) / 2];
}

void put_nan(Array& a) {
  for (size_t i = 0; i < a.v.size(); i += 3) a.v[i] = NAN;
}

Reference counted(bool right) {
  return [right](const Arrays& in) -> Arrays {
    const Array &edges = in[0], &x = in[1];
    const size_t n = size_t(edges.size(-1)), row = edges.ndim() == 1 ? x.v.size() : size_t(x.size(-1));
    Array y(x.sizes);
    for (size_t i = 0; i < x.v.size(); ++i) {
      const size_t first = edges.ndim() == 1 ? 0 : i / row * n;
      for (size_t k = 0; k < n; ++k) {
        const double e = edges.v[first + k];
        y.v[i] += std::isnan(x.v[i]) || e < x.v[i] || (right && e == x.v[i]);
      }
    }
    return {y};
  };
}
void sort_rows(Array& a) {
  const int64_t n = a.size(-1);
  for (int64_t i = 0; n && i + n <= a.numel(); i += n) std::sort(a.v.begin() + i, a.v.begin() + i + n);
}

}  // namespace

void add_searching(Records& r) {
  struct Form {
    Sizes x;
    int64_t dim;
    bool keepdim;
  };
  const Form forms[] = {{{3, 5}, 1, false}, {{4, 3}, 0, true}, {{2, 3, 4}, -2, false}, {{}, -1, false},
                        {{2, 1}, 1, false}, {{0, 3}, 1, true}, {{2, 300}, 1, false}};
  Record& kth = r.op("kthvalue").on(kAll).gives({same, always_i64}).specials();
  for (const Form& f : forms)
    for (int64_t k :
         {int64_t(1), f.x.empty() ? 1 : f.x[size_t(f.dim < 0 ? f.dim + int64_t(f.x.size()) : f.dim)]}) {
      kth.add(
          {real(f.x)}, [f, k](Ins t) -> Outs { return ops::kthvalue(t[0], k, f.dim, f.keepdim); },
          [f, k](const Arrays& in) -> Arrays {
            return taken(in[0], f.dim, f.keepdim, [k](const Line& v) { return order(v)[size_t(k - 1)]; });
          });
      if (Array(f.x).numel() > 100) kth.no_grad();
    }
  kth.bad({real({2, 3})}, CALL(ops::kthvalue(t[0], 0, 1)), Code::index, {"[kthvalue]", "1..3", "0"})
      .bad({real({2, 3})}, CALL(ops::kthvalue(t[0], 3, 0)), Code::index, {"1..2", "3"});

  for (bool skip : {false, true}) {
    const char* name = skip ? "nanmedian_dim" : "median_dim";
    Record& along = r.op(name).on(kAll).gives({same, always_i64}).specials();
    auto add = [&](const Form& f, const Input& x) {
      along.add(
          {x},
          [f, skip](Ins t) -> Outs {
            return skip ? ops::nanmedian_dim(t[0], f.dim, f.keepdim)
                        : ops::median_dim(t[0], f.dim, f.keepdim);
          },
          [f, skip](const Arrays& in) -> Arrays {
            return taken(in[0], f.dim, f.keepdim, [skip](const Line& v) { return middle(v, skip); });
          });
      if (Array(f.x).numel() > 100) along.no_grad();
    };
    for (const Form& f : forms) add(f, real(f.x));
    along.bad({real({2, 0})},
              [skip](Ins t) -> Outs { return skip ? ops::nanmedian_dim(t[0], 1) : ops::median_dim(t[0], 1); },
              Code::shape, {name, "[2, 0]"});

    Record& all = r.op(skip ? "nanmedian" : "median").on(kAll).specials().depends_on_values();
    for (const Sizes& s : {Sizes{3, 5}, Sizes{4}, Sizes{}, Sizes{2, 3, 2}})
      all.add(
          {real(s)}, [skip](Ins t) -> Outs { return skip ? ops::nanmedian(t[0]) : ops::median(t[0]); },
          [skip](const Arrays& in) -> Arrays { return {Array(Sizes{}, in[0].v[middle(in[0].v, skip)])}; });
  }

  Record& search = r.op("searchsorted").on(kAll).gives({always_i64}).specials();
  for (bool right : {false, true})
    for (auto [edges, values] :
         {std::pair{Sizes{5}, Sizes{2, 3}}, std::pair{Sizes{5}, Sizes{}}, std::pair{Sizes{2, 4}, Sizes{2, 3}},
          std::pair{Sizes{0}, Sizes{3}}, std::pair{Sizes{3}, Sizes{0, 2}}, std::pair{Sizes{40}, Sizes{700}}})
      search.add({real(edges).fixed(sort_rows), real(values)}, CALL(ops::searchsorted(t[0], t[1], right)),
                 counted(right));
  search.with_specials = false;  // NaN among the edges are not in order
  search
      .bad({real({2, 3}), real({3, 2})}, CALL(ops::searchsorted(t[0], t[1])), Code::shape,
           {"[searchsorted]", "[2, 3]", "[3, 2]"})
      .bad({real({}), real({3})}, CALL(ops::searchsorted(t[0], t[1])), Code::shape, {"[searchsorted]"})
      .bad({real({2}), index_below({3}, 2)}, CALL(ops::searchsorted(t[0], t[1])), Code::dtype,
           {"float32", "int64"});

  r.op("bucketize")
      .on(kAll)
      .gives({always_i64})
      .add({real({2, 3}), real({4}).fixed(sort_rows)}, CALL(ops::bucketize(t[0], t[1], true)),
           [](const Arrays& in) -> Arrays {
             return counted(true)({in[1], in[0]});
           })
      .bad({real({2, 3}), real({2, 2})}, CALL(ops::bucketize(t[0], t[1])), Code::shape,
           {"[bucketize]", "[2, 2]"});

  Record& among = r.op("isin").on(kAll).gives({always_bool});
  for (bool invert : {false, true})
    for (const Sizes& s : {Sizes{5}, Sizes{0}, Sizes{2, 2}, Sizes{}})
      among.add({real({3, 4}, -3, 3).fixed([](Array& a) {
                   for (double& v : a.v) v = std::round(v);
                 }),
                 real(s, -3, 3).fixed([](Array& a) {
                   for (double& v : a.v) v = std::round(v);
                 })},
                CALL(ops::isin(t[0], t[1], invert)), [invert](const Arrays& in) -> Arrays {
                  Array y = in[0];
                  for (double& v : y.v) v = (std::ranges::count(in[1].v, v) > 0) != invert;
                  return {y};
                });

  r.op("bincount")
      .on(kFloats, 0)
      .gives({same})
      .depends_on_values()
      .host_only()
      .tolerance(4)
      .add({index_below({9}, 5), real({9})}, CALL(ops::bincount(t[0], t[1], 7)),
           [](const Arrays& in) -> Arrays {
             Array y(Sizes{7});
             for (size_t i = 0; i < in[0].v.size(); ++i) y.v[size_t(in[0].v[i])] += in[1].v[i];
             return {y};
           })
      .bad({real({3}), absent()}, CALL(ops::bincount(t[0], t[1])), Code::dtype, {"[bincount]", "float32"})
      .bad({index_below({2, 2}, 3), absent()}, CALL(ops::bincount(t[0], t[1])), Code::shape,
           {"[bincount]", "[2, 2]"})
      .bad({index_below({2}, 3), real({3})}, CALL(ops::bincount(t[0], t[1])), Code::shape,
           {"[bincount]", "[3]"})
      .bad({index_values({2}, {0, -1}), absent()}, CALL(ops::bincount(t[0], t[1])), Code::invalid_argument,
           {"[bincount]", "-1"})
      .bad({index_below({2}, 3), absent()}, CALL(ops::bincount(t[0], t[1], -1)), Code::invalid_argument,
           {"minlength", "-1"});

  Record& bins = r.op("histc").on(kFloats).host_only().depends_on_values();
  for (auto [low, high] : {std::pair{-1.0, 1.0}, std::pair{0.0, 0.0}})
    bins.add({real({40}).fixed([](Array& a) {
               for (double& v : a.v) v = std::round(v * 4) / 4 + 0.0625;
             })},
             CALL(ops::histc(t[0], 4, low, high)), [low = low, high = high](const Arrays& in) -> Arrays {
               const double from = low == high ? std::ranges::min(in[0].v) : low,
                            to = low == high ? std::ranges::max(in[0].v) : high;
               Array y(Sizes{4});
               for (double v : in[0].v)
                 if (v >= from && v <= to) ++y.v[std::min<size_t>(3, size_t((v - from) / (to - from) * 4))];
               return {y};
             });
  bins.bad({real({3})}, CALL(ops::histc(t[0], 0, 0, 1)), Code::invalid_argument, {"[histc]", "bins"})
      .bad({real({3})}, CALL(ops::histc(t[0], 2, 3, 1)), Code::invalid_argument, {"[histc]", "min"})
      .bad({real({3}).fixed(put_nan)}, CALL(ops::histc(t[0], 2, 0, 0)), Code::invalid_argument,
           {"[histc]", "finite"});
  r.op("searchsorted_by")
      .on(kNumbers, 0)
      .gives({always_i64})
      .add({real({4}).fixed([](Array& a) {
              a.v = {3, 0, 2, 1};
            }),
            real({3}).fixed([](Array& a) {
              a.v = {1, 4, 0};
            }),
            index_values({4}, {1, 3, 2, 0})},
           CALL(ops::searchsorted_by(t[0], t[1], t[2], true)),
           [](const Arrays&) -> Arrays {
             return {Array({3}, {2, 4, 1})};
           })
      .bad({real({4}), real({3}), index_values({4}, {1, 3, 2, 7})},
           CALL(ops::searchsorted_by(t[0], t[1], t[2])), Code::index, {"7"});
  const auto values = [](Array& a) { a.v = {0, 0.5, 1, 1.5, 2, 7}; };
  r.op("histogram")
      .on(kFloats)
      .host_only()
      .add({real({6}).fixed(values)}, CALL(ops::histogram(t[0], Tensor(), Tensor(), 2, 0, 2)),
           [](const Arrays&) -> Arrays {
             return {Array({2}, {2, 3}), Array({3}, {0, 1, 2})};
           })
      .add({real({6}).fixed(values), real({3}).fixed([](Array& a) {
              a.v = {0, 1, 3};
            }),
            real({6}).fixed([](Array& a) { a.v = {1, 2, 1, 1, 1, 1}; })},
           CALL(ops::histogram(t[0], t[1], t[2])),
           [](const Arrays&) -> Arrays {
             return {Array({2}, {3, 3}), Array({3}, {0, 1, 3})};
           })
      .add({real({6}).fixed(values), real({3}).fixed([](Array& a) {
              a.v = {0, 1, 3};
            })},
           CALL(ops::histogram(t[0], t[1], Tensor(), 1, 0, 0, true)),
           [](const Arrays&) -> Arrays {
             return {Array({2}, {0.4, 0.3}), Array({3}, {0, 1, 3})};
           })
      .add({real({6}).fixed(values)}, CALL(ops::histogram(t[0], Tensor(), Tensor(), 7)),
           [](const Arrays&) -> Arrays {
             return {Array({7}, {2, 2, 1, 0, 0, 0, 1}), Array({8}, {0, 1, 2, 3, 4, 5, 6, 7})};
           })
      .bad({real({6})}, CALL(ops::histogram(t[0], Tensor(), Tensor(), 0)), Code::invalid_argument,
           {"[histogram]", "got 0"})
      .bad({real({6}), real({2, 2})}, CALL(ops::histogram(t[0], t[1], Tensor())), Code::shape,
           {"[histogram]", "[2, 2]"})
      .bad({real({6}), real({2})}, CALL(ops::histogram(t[0], Tensor(), t[1])), Code::shape,
           {"[histogram]", "[2]", "[6]"})
      .bad({real({6})}, CALL(ops::histogram(t[0], Tensor(), Tensor(), 3)), Code::dtype,
           {"[histogram]", "int64"}, DType::i64);
  const auto points = [](Array& a) { a.v = {0, 0, 0.5, 1, 1.5, 2, 2, 0.5, 7, 1}; };  // (5, 2)
  const auto thirds = [](Array& a) { a.v = {0, 1, 3}; };
  const Input all = real({5, 2}).fixed(points), edges = real({3}).fixed(thirds);
  r.op("histogramdd")
      .on(kFloats)
      .host_only()
      .add({all, real({4}).fixed([](Array& a) {
              a.v = {0, 2, 0, 3};
            })},
           CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, Tensor(), t[1], Sizes{2, 3})),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3}, {1, 1, 0, 1, 0, 1}), Array({3}, {0, 1, 2}), Array({4}, {0, 1, 2, 3})};
           })
      .add({all, edges, edges, real({5}).fixed([](Array& a) {
              a.v = {1, 2, 3, 4, 5};
            })},
           CALL(ops::histogramdd(t[0], std::vector<Tensor>{t[1], t[2]}, t[3], Tensor())),
           [](const Arrays&) -> Arrays {
             return {Array({2, 2}, {1, 2, 4, 3}), Array({3}, {0, 1, 3}), Array({3}, {0, 1, 3})};
           })
      .add({all, edges, edges},
           CALL(ops::histogramdd(t[0], std::vector<Tensor>{t[1], t[2]}, Tensor(), Tensor(), Sizes{}, true)),
           [](const Arrays&) -> Arrays {
             return {Array({2, 2}, {0.25, 0.125, 0.125, 0.0625}), Array({3}, {0, 1, 3}),
                     Array({3}, {0, 1, 3})};
           })
      .add({all}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, Tensor(), Tensor(), Sizes{1})),
           [](const Arrays&) -> Arrays {
             return {Array({1, 1}, {5}), Array({2}, {0, 7}), Array({2}, {0, 2})};
           })
      .bad({all}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, Tensor(), Tensor(), Sizes{2, 2, 2})),
           Code::shape, {"[histogramdd]", "2 dimensions", "got 3"})
      .bad({all}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, Tensor(), Tensor(), Sizes{2, 0})),
           Code::invalid_argument, {"[histogramdd]", "got 0"})
      .bad({all, edges}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{t[1]}, Tensor(), Tensor())),
           Code::shape, {"[histogramdd]", "got 1"})
      .bad({all, edges}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, Tensor(), t[1], Sizes{2})),
           Code::shape, {"[histogramdd]", "range", "4", "got 3"})
      .bad({all, edges}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, t[1], Tensor(), Sizes{2})),
           Code::shape, {"[histogramdd]", "weight", "[3]", "[5, 2]"})
      .bad({real({6})}, CALL(ops::histogramdd(t[0], std::vector<Tensor>{}, Tensor(), Tensor(), Sizes{2})),
           Code::shape, {"[histogramdd]", "[6]"});
}

}  // namespace haft::test
