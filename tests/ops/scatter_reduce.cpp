// Records of reductions where an index sends several elements to one place.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

enum { kSum, kProd, kMean, kAmax, kAmin };

double join(double a, double b, int reduce) {
  if (reduce == kProd) return a * b;
  if (reduce == kSum || reduce == kMean) return a + b;
  if (std::isnan(a) || std::isnan(b)) return NAN;
  return reduce == kAmax ? std::max(a, b) : std::min(a, b);
}

// in: x, index, src; all that goes to a place, and then their reduction.
Reference reduced_at(size_t dim, int reduce, bool include_self, bool whole = false) {
  return [=](const Arrays& in) -> Arrays {
    std::map<Sizes, std::vector<double>> arriving;
    each_index(whole ? in[2].sizes : in[1].sizes, [&](const Sizes& i) {
      Sizes to = i;
      if (whole)
        to[dim] = int64_t(in[1].v[size_t(i[dim])]);
      else if (!i.empty())
        to[dim] = int64_t(in[1][i]);
      arriving[to].push_back(in[2][i]);
    });
    Array y = in[0];
    for (auto& [to, list] : arriving) {
      if (include_self) list.insert(list.begin(), y[to]);
      double all = list[0];
      for (size_t k = 1; k < list.size(); ++k) all = join(all, list[k], reduce);
      y[to] = reduce == kMean ? all / double(list.size()) : all;
    }
    return {y};
  };
}

}  // namespace

void add_scatter_reductions(Records& r) {
  const Input repeated = index_values({3, 2}, {0, 2, 0, 0, 3, 2});
  const std::vector<Input> inputs = {real({4, 3}).nonzero(0.4), repeated, real({3, 2}).nonzero(0.4)};
  Record& by_place = r.op("scatter_reduce").on(kFloats, 0).tolerance(8);
  for (int reduce : {kSum, kProd, kMean, kAmax, kAmin})
    for (bool self : {true, false}) {
      by_place.add(inputs, CALL(ops::scatter_reduce(t[0], 0, t[1], t[2], reduce, self)),
                   reduced_at(0, reduce, self));
      by_place.add(
          {real({2, 4}).nonzero(0.4), index_values({2, 3}, {3, 1, 3, 0, 0, 0}), real({2, 5}).nonzero(0.4)},
          CALL(ops::scatter_reduce(t[0], -1, t[1], t[2], reduce, self)), reduced_at(1, reduce, self));
      by_place.add({real({3}), index_below({0}, 3), real({0})},
                   CALL(ops::scatter_reduce(t[0], 0, t[1], t[2], reduce, self)),
                   [](const Arrays& in) -> Arrays { return {in[0]}; });
    }
  by_place
      .bad({real({4}), index_values({1}, {4}), real({1})},
           CALL(ops::scatter_reduce(t[0], 0, t[1], t[2], kProd, true)), Code::index, {"index[0] is 4"})
      .bad({real({4}), index_values({2}, {1, 0}), real({1})},
           CALL(ops::scatter_reduce(t[0], 0, t[1], t[2], kAmax, true)), Code::shape, {"[2]", "[1]"})
      .bad({real({4}), index_values({1}, {0}), real({1})},
           CALL(ops::scatter_reduce(t[0], 0, t[1], t[2], 5, true)), Code::invalid_argument,
           {"[scatter_reduce]", "5"});

  Record& by_slice = r.op("index_reduce").on(kFloats, 0).tolerance(8);
  for (int reduce : {kSum, kProd, kMean, kAmax, kAmin})
    for (bool self : {true, false})
      by_slice.add({real({4, 2}).nonzero(0.4), index_values({3}, {2, 0, 2}), real({3, 2}).nonzero(0.4)},
                   CALL(ops::index_reduce(t[0], 0, t[1], t[2], reduce, self)),
                   reduced_at(0, reduce, self, true));
  for (int reduce : {kProd, kAmax})
    by_slice.add({real({}).nonzero(0.4), index_values({1}, {0}), real({}).nonzero(0.4)},
                 CALL(ops::index_reduce(t[0], 0, t[1], t[2], reduce, true)),
                 [reduce](const Arrays& in) -> Arrays {
                   const double a = in[0].v[0], b = in[2].v[0];
                   return {Array({}, {reduce == kProd ? a * b : std::max(a, b)})};
                 });
  by_slice.bad({real({4, 2}), index_values({3}, {2, 0, 2}), real({2, 2})},
               CALL(ops::index_reduce(t[0], 0, t[1], t[2], kProd, true)), Code::shape,
               {"[index_reduce]", "[3]"});

  // What the compositions are made of, integers and bool included.
  for (auto [name, reduce] : {std::pair{"scatter_prod", kProd}, std::pair{"scatter_amax", kAmax},
                              std::pair{"scatter_amin", kAmin}}) {
    auto call = [reduce = reduce](const Tensor& x, int64_t dim, const Tensor& at, const Tensor& src) {
      return reduce == kProd   ? ops::scatter_prod(x, dim, at, src)
             : reduce == kAmax ? ops::scatter_amax(x, dim, at, src)
                               : ops::scatter_amin(x, dim, at, src);
    };
    Record& q = r.op(name).on(kNumbers, 0).tolerance(4);
    if (reduce != kProd) q.specials();
    q.add(inputs, CALL(call(t[0], 0, t[1], t[2])), reduced_at(0, reduce, true));
  }

  const auto segments = [](int reduce, double initial) -> Reference {
    return [=](const Arrays& in) -> Arrays {
      Array y(Sizes{3, 2});
      const int64_t begins[] = {0, 2, 2}, ends[] = {2, 2, 5};
      each_index(y.sizes, [&](const Sizes& i) {
        double all = reduce == kMean ? std::isnan(initial) ? 0 : initial : initial;
        for (int64_t k = begins[i[0]]; k < ends[i[0]]; ++k) all = join(all, in[0][{k, i[1]}], reduce);
        const double n = double(ends[i[0]] - begins[i[0]]);
        y[i] = reduce == kMean ? (n == 0 ? initial : all / n) : all;
      });
      return {y};
    };
  };
  Record& by_segment = r.op("segment_reduce").on(kFloats, 0).tolerance(8).host_only();
  constexpr double kNothing[] = {0, 1, NAN, -INFINITY, INFINITY};
  for (int reduce : {kSum, kProd, kMean, kAmax, kAmin}) {
    by_segment.add({real({5, 2}).nonzero(0.4), index_values({3}, {2, 0, 3})},
                   CALL(ops::segment_reduce(t[0], t[1], reduce)), segments(reduce, kNothing[reduce]));
    // Infinite in the middle.
    if (reduce == kMean || reduce == kAmax || reduce == kAmin) by_segment.no_grad();
    by_segment.add({real({5, 2}).nonzero(0.4), index_values({3}, {2, 0, 3})},
                   CALL(ops::segment_reduce(t[0], t[1], reduce, 0.25)), segments(reduce, 0.25));
  }
  by_segment
      .bad({real({5, 2}), index_values({2}, {2, 2})}, CALL(ops::segment_reduce(t[0], t[1], kSum)),
           Code::invalid_argument, {"[segment_reduce]", "4", "5"})
      .bad({real({5}), index_values({1, 1}, {5})}, CALL(ops::segment_reduce(t[0], t[1], kSum)), Code::shape,
           {"[segment_reduce]", "[1, 1]"})
      .bad({real({5}), index_values({1}, {5})}, CALL(ops::segment_reduce(t[0], t[1], 7)),
           Code::invalid_argument, {"[segment_reduce]", "got 7"})
      .bad({real({5}), index_values({1}, {5})}, CALL(ops::segment_reduce(t[0], t[1], kSum)), Code::dtype,
           {"[segment_reduce]", "int64"}, DType::i64);
}

}  // namespace haft::test
