// Records of reductions and scans.
#include <algorithm>
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

using Values = std::vector<double>;

// Gathers the elements of each group and answers one number for it.
Array reduced(const Array& x, Sizes dims, bool keepdim, const std::function<double(const Values&)>& f) {
  std::vector<bool> gone(x.sizes.size(), dims.empty());
  for (int64_t d : dims)
    if (!x.sizes.empty()) gone[size_t(d < 0 ? d + x.ndim() : d)] = true;
  Sizes kept;
  for (size_t d = 0; d < gone.size(); ++d) kept.push_back(gone[d] ? 1 : x.sizes[d]);
  Array y(kept);
  std::vector<Values> groups(y.v.size());
  each_index(x.sizes, [&](const Sizes& i) {
    Sizes to = i;
    for (size_t d = 0; d < gone.size(); ++d)
      if (gone[d]) to[d] = 0;
    groups[y.at(to)].push_back(x[i]);
  });
  for (size_t k = 0; k < groups.size(); ++k) y.v[k] = f(groups[k]);
  if (keepdim) return y;
  Sizes short_sizes;
  for (size_t d = 0; d < gone.size(); ++d)
    if (!gone[d]) short_sizes.push_back(x.sizes[d]);
  y.sizes = short_sizes;
  return y;
}

double total(const Values& v) {
  long double s = 0;
  for (double x : v) s += x;
  return double(s);
}
double mean(const Values& v) { return total(v) / double(v.size()); }
double product(const Values& v) {
  double p = 1;
  for (double x : v) p *= x;
  return p;
}
bool has_nan(const Values& v) {
  return std::ranges::any_of(v, [](double x) { return std::isnan(x); });
}
double largest(const Values& v) { return has_nan(v) ? NAN : *std::ranges::max_element(v); }
double smallest(const Values& v) { return has_nan(v) ? NAN : *std::ranges::min_element(v); }
double variance(const Values& v, double correction) {
  double m = mean(v), s = 0;
  for (double x : v) s += (x - m) * (x - m);
  return s / std::max(0.0, double(v.size()) - correction);
}
// The first NaN, or else the first extreme.
double place(const Values& v, bool max) {
  for (size_t i = 0; i < v.size(); ++i)
    if (std::isnan(v[i])) return double(i);
  return double((max ? std::ranges::max_element(v) : std::ranges::min_element(v)) - v.begin());
}

struct Form {
  Sizes x, dims;
  bool keepdim;
};
// Inner, outer, middle and several dimensions; none; a vector longer than every unrolled loop; no dimension at all.
const Form kForms[] = {{{3, 4}, {1}, false},       {{3, 4}, {0}, true},    {{2, 3, 4}, {1}, false},
                       {{2, 3, 4}, {-1, 0}, true}, {{2, 3, 4}, {}, false}, {{}, {}, false},
                       {{}, {-1}, true},           {{1037}, {0}, false},   {{67, 35}, {0}, false},
                       {{5, 131}, {1}, true}};
const Form kEmptyForms[] = {{{0}, {}, false}, {{2, 0, 3}, {1}, false}, {{2, 0, 3}, {2}, false}};

using Reduce = Tensor (*)(const Tensor&, IntList, bool);

void add_forms(Record& r, Reduce op, const std::function<double(const Values&)>& f, bool empty_too,
               double low = -2, double high = 2, double away = 0) {
  auto add = [&](const Form& m) {
    r.add(
        {real(m.x, low, high).nonzero(away)}, [op, m](Ins t) -> Outs { return op(t[0], m.dims, m.keepdim); },
        [f, m](const Arrays& in) -> Arrays { return {reduced(in[0], m.dims, m.keepdim, f)}; });
    if (r.cases.back().inputs[0].sizes.size() &&
        make_array(m.x, [](const Sizes&) { return 0.0; }).numel() > 100)
      r.no_grad();
  };
  for (const Form& m : kForms) add(m);
  if (empty_too)
    for (const Form& m : kEmptyForms) {
      add(m);
      if (std::isnan(f({}))) r.no_grad();  // a mean of nothing has no slope
    }
  r.bad({real({2, 3})}, [op](Ins t) -> Outs { return op(t[0], Sizes{2}, false); }, Code::index,
        {"[" + r.name + "]", "2"});
  r.bad({real({2, 3})},
        [op](Ins t) -> Outs {
          return op(t[0], Sizes{1, -1}, false);
        },
        Code::invalid_argument, {"[" + r.name + "]", "twice"});
  if (!empty_too)
    r.bad({real({2, 0})}, [op](Ins t) -> Outs { return op(t[0], Sizes{1}, false); }, Code::shape,
          {"[" + r.name + "]", "[2, 0]"});
}

// The largest (smallest) value along a dimension and where it stands.
void add_extreme_with_index(Records& rs, const char* name, bool max) {
  Record& r = rs.op(name).on(kAll).gives({same, always_i64}).specials();
  for (Form m : {Form{{3, 4}, {1}, false}, Form{{3, 4}, {0}, true}, Form{{2, 3, 4}, {1}, false},
                 Form{{}, {-1}, false}, Form{{2, 301}, {1}, false}, Form{{33, 18}, {0}, false}}) {
    r.add(
        {real(m.x)},
        [m, max](Ins t) -> Outs {
          return max ? ops::max_dim(t[0], m.dims[0], m.keepdim) : ops::min_dim(t[0], m.dims[0], m.keepdim);
        },
        [m, max](const Arrays& in) -> Arrays {
          return {reduced(in[0], m.dims, m.keepdim, max ? largest : smallest),
                  reduced(in[0], m.dims, m.keepdim, [max](const Values& v) { return place(v, max); })};
        });
    if (m.x.size() == 2 && m.x[0] * m.x[1] > 100) r.no_grad();
  }
  std::string word = "[" + r.name + "]";
  r.bad({real({2, 3})}, [max](Ins t) -> Outs { return max ? ops::max_dim(t[0], 2) : ops::min_dim(t[0], 2); },
        Code::index, {word, "2"});
  r.bad({real({2, 0})}, [max](Ins t) -> Outs { return max ? ops::max_dim(t[0], 1) : ops::min_dim(t[0], 1); },
        Code::shape, {word, "[2, 0]"});
}

void add_place(Records& rs, const char* name, bool max) {
  Record& r = rs.op(name).on(kAll).gives({always_i64}).specials();
  for (Form m : {Form{{3, 4}, {1}, false}, Form{{3, 4}, {0}, true}, Form{{2, 3, 4}, {}, false},
                 Form{{}, {}, false}, Form{{2, 301}, {1}, false}, Form{{19, 33}, {0}, false}})
    r.add(
        {real(m.x)},
        [m, max](Ins t) -> Outs {
          int64_t dim = m.dims.empty() ? kNone : m.dims[0];
          return max ? ops::argmax(t[0], dim, m.keepdim) : ops::argmin(t[0], dim, m.keepdim);
        },
        [m, max](const Arrays& in) -> Arrays {
          return {reduced(in[0], m.dims, m.keepdim, [max](const Values& v) { return place(v, max); })};
        });
  std::string word = "[" + r.name + "]";
  r.bad({real({2, 0})}, [max](Ins t) -> Outs { return max ? ops::argmax(t[0], 1) : ops::argmin(t[0], 1); },
        Code::shape, {word, "[2, 0]"});
  r.bad({real({2, 3})}, [max](Ins t) -> Outs { return max ? ops::argmax(t[0], -3) : ops::argmin(t[0], -3); },
        Code::index, {word, "-3"});
}

void add_scan(Records& rs, const char* name, Tensor (*op)(const Tensor&, int64_t),
              double (*step)(double, double), double low) {
  Record& r = rs.op(name).on(kAll).gives({sum_type}).specials().tolerance(4);
  struct Shape {
    Sizes sizes;
    int64_t dim;
  };
  for (const Shape& s :
       {Shape{{3, 4}, 1}, {{3, 4}, 0}, {{2, 5, 2}, -2}, {{}, 0}, {{0}, 0}, {{1, 1}, 0}, {{2, 131}, 1}}) {
    r.add(
        {real(s.sizes, low, 1.4)}, [op, s](Ins t) -> Outs { return op(t[0], s.dim); },
        [step, s](const Arrays& in) -> Arrays {
          Array y = in[0];
          if (y.sizes.empty()) return {y};
          size_t d = size_t(s.dim < 0 ? s.dim + y.ndim() : s.dim);
          each_index(y.sizes, [&](const Sizes& i) {
            if (i[d] == 0) return;
            Sizes before = i;
            --before[d];
            y[i] = step(y[before], y[i]);
          });
          return {y};
        });
    if (s.sizes.size() == 2 && s.sizes[1] > 100) r.no_grad();
  }
  r.bad({real({2, 3})}, [op](Ins t) -> Outs { return op(t[0], 2); }, Code::index, {"[" + r.name + "]", "2"});
}

}  // namespace

void add_reductions(Records& r) {
  add_forms(
      r.op("sum").on(kAll).gives({sum_type}).specials().tolerance(8),
      [](const Tensor& x, IntList d, bool k) { return ops::sum(x, d, k); }, total, true);
  r.all.back().add({real({3, 4})}, CALL(ops::sum(t[0], Sizes{0}, false, t[0].dtype())),
                   [](const Arrays& in) -> Arrays { return {reduced(in[0], {0}, false, total)}; });
  add_forms(
      r.op("mean").specials().tolerance(4),
      [](const Tensor& x, IntList d, bool k) { return ops::mean(x, d, k); }, mean, true);
  add_forms(
      r.op("prod").on(kAll).gives({sum_type}).specials().tolerance(8),
      [](const Tensor& x, IntList d, bool k) { return ops::prod(x, d, k); }, product, true, -1.1, 1.1,
      0.9);  // a long product neither vanishes nor overflows
  // Zeros: the product of the others, never a division.
  r.all.back().add({real({2, 4}).fixed([](Array& a) { a.v[1] = 0, a.v[4] = 0, a.v[6] = 0; })},
                   CALL(ops::prod(t[0], Sizes{1})),
                   [](const Arrays& in) -> Arrays { return {reduced(in[0], {1}, false, product)}; });
  add_forms(
      r.op("amax").on(kAll).specials(), [](const Tensor& x, IntList d, bool k) { return ops::amax(x, d, k); },
      largest, false);
  add_forms(
      r.op("amin").on(kAll).specials(), [](const Tensor& x, IntList d, bool k) { return ops::amin(x, d, k); },
      smallest, false);
  add_extreme_with_index(r, "max_dim", true);
  add_extreme_with_index(r, "min_dim", false);
  add_place(r, "argmax", true);
  add_place(r, "argmin", false);
  auto some = [](const Values& v) { return double(std::ranges::any_of(v, [](double x) { return x != 0; })); };
  auto every = [](const Values& v) {
    return double(std::ranges::all_of(v, [](double x) { return x != 0; }));
  };
  add_forms(
      r.op("any").on(kAll).gives({always_bool}).specials(),
      [](const Tensor& x, IntList d, bool k) { return ops::any(x, d, k); }, some, true, -0.4, 0.4);
  add_forms(
      r.op("all").on(kAll).gives({always_bool}).specials(),
      [](const Tensor& x, IntList d, bool k) { return ops::all(x, d, k); }, every, true);
  r.all.back().add({real({4, 2}).fixed([](Array& a) { a.v = {1, 0, 1, 1, 1, 1, 2, 3}; })},
                   CALL(ops::all(t[0], Sizes{0})),
                   [every](const Arrays& in) -> Arrays { return {reduced(in[0], {0}, false, every)}; });

  const auto one = [](const Values& v) { return variance(v, 1); };
  add_forms(
      r.op("var").tolerance(8), [](const Tensor& x, IntList d, bool k) { return ops::var(x, d, 0, k); },
      [](const Values& v) { return variance(v, 0); }, true);
  r.all.back().add({real({3, 4})}, CALL(ops::var(t[0], Sizes{1})),
                   [one](const Arrays& in) -> Arrays { return {reduced(in[0], {1}, false, one)}; });
  r.all.back()
      .add({real({3, 1})}, CALL(ops::var(t[0], Sizes{1})),
           [one](const Arrays& in) -> Arrays { return {reduced(in[0], {1}, false, one)}; })
      .no_grad();
  Record& deviation = r.op("std").tolerance(8);
  for (const Sizes& dims : {Sizes{1}, Sizes{0}, Sizes{}})
    deviation.add(
        {real({3, 4})}, [dims](Ins t) -> Outs { return ops::std(t[0], dims, 1, true); },
        [dims, one](const Arrays& in) -> Arrays {
          return {reduced(in[0], dims, true, [one](const Values& v) { return std::sqrt(one(v)); })};
        });
  deviation.bad({real({2, 3})}, CALL(ops::std(t[0], Sizes{5})), Code::index, {"5"});

  Record& distance = r.op("pairwise_distance").on(kFloats, 0).tolerance(8, 8);
  for (double p : {2.0, 1.0, 3.0})
    distance.add(
        {real({3, 4}), real({3, 4})},
        [p](Ins t) -> Outs { return ops::pairwise_distance(t[0], t[1], p, 0.01); },
        [p](const Arrays& in) -> Arrays {
          Array y({3});
          each_index({3, 4}, [&](const Sizes& i) {
            y.v[size_t(i[0])] += std::pow(std::fabs(in[0][i] - in[1][i] + 0.01), p);
          });
          for (double& v : y.v) v = std::pow(v, 1 / p);
          return {y};
        });
  Record& cosine = r.op("cosine_similarity").tolerance(8, 8);
  for (int64_t dim : {1, -2})
    cosine.add(
        {real({3, 4}), real({3, 4})},
        [dim](Ins t) -> Outs { return ops::cosine_similarity(t[0], t[1], dim, 1e-4); },
        [dim](const Arrays& in) -> Arrays {
          const size_t kept = dim == 1 ? 0 : 1;
          Array dot({dim == 1 ? 3 : 4}), a = dot, b = dot;
          each_index({3, 4}, [&](const Sizes& i) {
            const size_t k = size_t(i[kept]);
            dot.v[k] += in[0][i] * in[1][i];
            a.v[k] += in[0][i] * in[0][i];
            b.v[k] += in[1][i] * in[1][i];
          });
          for (size_t k = 0; k < dot.v.size(); ++k) dot.v[k] /= std::sqrt(a.v[k] * b.v[k]);
          return {dot};
        });

  // dim counts in the common shape.
  cosine.add({real({1, 2, 3}), real({2, 1, 3})}, CALL(ops::cosine_similarity(t[0], t[1], -2, 1e-4)),
             [](const Arrays& in) -> Arrays {
               return {make_array({2, 3}, [&](const Sizes& i) {
                 const double b = in[1][{i[0], 0, i[1]}], p = in[0][{0, 0, i[1]}], q = in[0][{0, 1, i[1]}];
                 return (p + q) * b / std::sqrt((p * p + q * q) * 2 * b * b);
               })};
             });

  Record& norm = r.op("norm").tolerance(8);
  for (double p : {2.0, 1.0, 0.0, 3.0, 0.5, -1.0, double(INFINITY), -double(INFINITY)})
    for (const Sizes& dims : {Sizes{1}, Sizes{}})
      norm.add(
          {real({3, 4}, -2, 2).nonzero(0.1)},
          [p, dims](Ins t) -> Outs { return ops::norm(t[0], p, dims, true); },
          [p, dims](const Arrays& in) -> Arrays {
            return {reduced(in[0], dims, true, [p](const Values& v) {
              Values size;
              for (double x : v) size.push_back(std::fabs(x));
              if (std::isinf(p)) return p > 0 ? largest(size) : smallest(size);
              double s = 0;
              for (double x : size) s += p == 0 ? x != 0 : std::pow(x, p);
              return p == 0 ? s : std::pow(s, 1 / p);
            })};
          });
  norm.bad({real({2, 3})}, CALL(ops::norm(t[0], NAN)), Code::invalid_argument, {"[norm]", "nan"});

  Record& lse = r.op("logsumexp").tolerance(4).on(kAll).gives({float_type});
  for (const Form& m : {Form{{3, 4}, {1}, false}, Form{{3, 4}, {0}, true}, Form{{2, 3, 2}, {}, false},
                        Form{{}, {}, false}, Form{{2, 0}, {1}, false}})
    lse.add(
           {real(m.x, -3, 3)}, [m](Ins t) -> Outs { return ops::logsumexp(t[0], m.dims, m.keepdim); },
           [m](const Arrays& in) -> Arrays {
             return {reduced(in[0], m.dims, m.keepdim, [](const Values& v) {
               double s = 0;
               for (double x : v) s += std::exp(x);
               return std::log(s);
             })};
           })
        .cases.back()
        .grad = m.x.size() < 2 || m.x[1] > 0;  // the slope at the logarithm of 0 is infinite
  lse.add(
         {real({3}).fixed([](Array& a) {
           a.v = {1000, 1001, 999};
         })},
         CALL(ops::logsumexp(t[0])),
         [](const Arrays& in) -> Arrays {
           return {Array({}, std::vector<double>{in[0].v[1] + std::log(1 + std::exp(in[0].v[0] - in[0].v[1]) +
                                                                       std::exp(in[0].v[2] - in[0].v[1]))})};
         })
      .no_grad();
  lse.bad({real({2, 3})}, CALL(ops::logsumexp(t[0], Sizes{2})), Code::index, {"2"});

  add_scan(
      r, "cumsum", [](const Tensor& x, int64_t d) { return ops::cumsum(x, d); },
      [](double a, double b) { return a + b; }, -1);
  add_scan(
      r, "cumprod", [](const Tensor& x, int64_t d) { return ops::cumprod(x, d); },
      [](double a, double b) { return a * b; }, -1.4);
  r.all.back().add({real({2, 5}).fixed([](Array& a) { a.v[2] = 0, a.v[5] = 0, a.v[8] = 0; })},
                   CALL(ops::cumprod(t[0], 1)), [](const Arrays& in) -> Arrays {
                     Array y = in[0];
                     for (size_t k = 0; k < 10; ++k)
                       if (k % 5) y.v[k] *= y.v[k - 1];
                     return {y};
                   });

  Record& count = r.op("count_nonzero").on(kAll).gives({always_i64}).specials();
  for (const Sizes& dims : {Sizes{}, Sizes{1}, Sizes{0, -1}})
    count.add(
        {real({3, 4}).fixed([](Array& a) { a.v[2] = a.v[7] = 0; })},
        [dims](Ins t) -> Outs { return ops::count_nonzero(t[0], dims); },
        [dims](const Arrays& in) -> Arrays {
          return {reduced(in[0], dims, false, [](const Values& v) {
            return double(v.size()) - double(std::ranges::count(v, 0.0));
          })};
        });
  count.bad({real({2, 3})}, CALL(ops::count_nonzero(t[0], Sizes{2})), Code::index, {"2"});

  Record& to_size = r.op("sum_to_size").on(kAll).tolerance(4);
  for (const Sizes& size : {Sizes{1, 3}, Sizes{3}, Sizes{}, Sizes{2, 4, 3}, Sizes{4, 1}})
    to_size.add(
        {real({2, 4, 3}, -0.9, 1.1)}, [size](Ins t) -> Outs { return ops::sum_to_size(t[0], size); },
        [size](const Arrays& in) -> Arrays {
          Array y(size);
          each_index(in[0].sizes, [&](const Sizes& i) {
            Sizes to(size.size());
            for (size_t d = 0; d < size.size(); ++d) to[d] = size[d] == 1 ? 0 : i[i.size() - size.size() + d];
            y[to] += in[0][i];
          });
          return {y};
        });
  to_size.bad({real({2, 3})}, CALL(ops::sum_to_size(t[0], Sizes{2})), Code::shape,
              {"[sum_to_size]", "[2]", "[2, 3]"});
  for (bool root : {false, true})
    r.op(root ? "std_mean" : "var_mean")
        .on(kFloats)
        .tolerance(4, 10)
        .add({real({3, 4})},
             CALL(root ? ops::std_mean(t[0], Sizes{1}, 1, true) : ops::var_mean(t[0], Sizes{1}, 1, true)),
             [root](const Arrays& in) -> Arrays {
               return {reduced(in[0], {1}, true,
                               [root](const Values& v) {
                                 return root ? std::sqrt(variance(v, 1)) : variance(v, 1);
                               }),
                       reduced(in[0], {1}, true, mean)};
             });
  const auto sums = [](const Array& x, int64_t summed, bool most) {
    const Array s = reduced(x, {summed}, true, [](const Values& v) {
      double all = 0;
      for (double e : v) all += std::fabs(e);
      return all;
    });
    return reduced(s, {}, false, most ? largest : smallest);
  };
  r.op("matrix_norm")
      .on(kFloats)
      .tolerance(4, 10)
      .add({real({3, 4})}, CALL(ops::matrix_norm(t[0])),
           [](const Arrays& in) -> Arrays {
             return {reduced(in[0], {}, false, [](const Values& v) {
               double s = 0;
               for (double e : v) s += e * e;
               return std::sqrt(s);
             })};
           })
      .add({real({3, 4}).nonzero(0.2)}, CALL(ops::matrix_norm(t[0], 1)),
           [=](const Arrays& in) -> Arrays { return {sums(in[0], 0, true)}; })
      .add({real({3, 4}).nonzero(0.2)}, CALL(ops::matrix_norm(t[0], -1)),
           [=](const Arrays& in) -> Arrays { return {sums(in[0], 0, false)}; })
      .add({real({3, 4}).nonzero(0.2)}, CALL(ops::matrix_norm(t[0], INFINITY, Sizes{0, 1})),
           [=](const Arrays& in) -> Arrays { return {sums(in[0], 1, true)}; })
      .bad({real({3, 4})}, CALL(ops::matrix_norm(t[0], 3)), Code::invalid_argument,
           {"[matrix_norm]", "got 3"})
      .bad({real({3, 4})}, CALL(ops::matrix_norm(t[0], 1, Sizes{1, 1})), Code::invalid_argument,
           {"[matrix_norm]", "both"})
      .bad({real({3})}, CALL(ops::matrix_norm(t[0])), Code::shape, {"[matrix_norm]", "[3]"});
  r.op("normalize")
      .on(kFloats)
      .tolerance(4, 10)
      .add({real({3, 4}).nonzero(0.2)}, CALL(ops::normalize(t[0])),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             each_index(y.sizes, [&](const Sizes& i) {
               double s = 0;
               for (int64_t k = 0; k < 4; ++k) s += in[0][{i[0], k}] * in[0][{i[0], k}];
               y[i] = in[0][i] / std::sqrt(s);
             });
             return {y};
           })
      .add({real({2, 2}, -1, 1)}, CALL(ops::normalize(t[0], 1, Sizes{0}, 100)),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             for (double& v : y.v) v /= 100;
             return {y};
           });
}

}  // namespace haft::test
