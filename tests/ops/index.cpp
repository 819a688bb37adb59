// Records of reading and writing at positions: elements, slices, advanced indexing, masks, order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

// y[i] = x[i with index[...] in dimension dim].
Reference gathered(size_t dim) {
  return [dim](const Arrays& in) -> Arrays {
    return {make_array(in[1].sizes, [&](const Sizes& i) {
      Sizes from = i;
      if (!i.empty()) from[dim] = int64_t(in[1][i]);
      return in[0][from];
    })};
  };
}
Reference scattered(size_t dim, bool add) {
  return [dim, add](const Arrays& in) -> Arrays {
    Array y = in[0];
    each_index(in[1].sizes, [&](const Sizes& i) {
      Sizes to = i;
      if (!i.empty()) to[dim] = int64_t(in[1][i]);
      y[to] = in[2][i] + (add ? y[to] : 0);
    });
    return {y};
  };
}

// Positions along one dimension in the order that sorting gives; stable, NaN last (first when descending).
std::vector<int64_t> order(const std::vector<double>& v, bool descending) {
  std::vector<int64_t> at(v.size());
  std::iota(at.begin(), at.end(), 0);
  auto before = [&](double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); };
  std::ranges::stable_sort(at, [&](int64_t a, int64_t b) {
    return descending ? before(v[size_t(b)], v[size_t(a)]) : before(v[size_t(a)], v[size_t(b)]);
  });
  return at;
}
// The first k of each line along dim: values and positions.
Reference sorted(size_t dim, bool descending, int64_t k = -1) {
  return [=](const Arrays& in) -> Arrays {
    const Array& x = in[0];
    if (x.sizes.empty()) return {x, Array(Sizes{}, 0)};
    Sizes sizes = x.sizes, lines = x.sizes;
    if (k >= 0) sizes[dim] = k;
    lines[dim] = 1;
    Array values(sizes), places(sizes);
    each_index(lines, [&](Sizes i) {
      std::vector<double> line;
      for (i[dim] = 0; i[dim] < x.sizes[dim]; ++i[dim]) line.push_back(x[i]);
      std::vector<int64_t> at = order(line, descending);
      for (i[dim] = 0; i[dim] < sizes[dim]; ++i[dim]) {
        places[i] = double(at[size_t(i[dim])]);
        values[i] = line[size_t(at[size_t(i[dim])])];
      }
    });
    return {values, places};
  };
}

}  // namespace

void add_indexing(Records& r) {
  auto op = [&](const char* name) -> Record& { return r.op(name).on(kAll); };
  const Input picks = index_values({4}, {2, 0, 2, 1});
  op("index_select")
      .add({real({3, 4}), picks}, CALL(ops::index_select(t[0], 0, t[1])),
           [](const Arrays& in) -> Arrays {
             return {make_array({4, 4}, [&](const Sizes& i) {
               return in[0][{int64_t(in[1].v[size_t(i[0])]), i[1]}];
             })};
           })
      .add({real({2, 3}), picks}, CALL(ops::index_select(t[0], -1, t[1])),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 4}, [&](const Sizes& i) {
               return in[0][{i[0], int64_t(in[1].v[size_t(i[1])])}];
             })};
           })
      .add({real({2, 3}), index_values({0}, {})}, CALL(ops::index_select(t[0], 1, t[1])),
           [](const Arrays&) -> Arrays {
             return {Array({2, 0})};
           })
      .specials()
      .bad({real({3, 4}), index_values({2}, {0, 3})}, CALL(ops::index_select(t[0], 0, t[1])), Code::index,
           {"[index_select]", "3"})
      .bad({real({3, 4}), index_below({1, 2}, 3)}, CALL(ops::index_select(t[0], 0, t[1])), Code::shape,
           {"[index_select]", "[1, 2]"})
      .bad({real({3, 4}), real({2})}, CALL(ops::index_select(t[0], 0, t[1])), Code::dtype,
           {"[index_select]", "float32"});
  op("gather")
      .add({real({3, 4}), index_below({2, 4}, 3)}, CALL(ops::gather(t[0], 0, t[1])), gathered(0))
      .add({real({3, 4}), index_below({3, 6}, 4)}, CALL(ops::gather(t[0], -1, t[1])), gathered(1))
      .add({real({}), index_below({}, 1)}, CALL(ops::gather(t[0], 0, t[1])), gathered(0))
      .add({real({2, 3}), index_values({0, 3}, {})}, CALL(ops::gather(t[0], 0, t[1])), gathered(0))
      .specials()
      .bad({real({3, 4}), index_values({1, 4}, {0, 3, 0, 0})}, CALL(ops::gather(t[0], 0, t[1])), Code::index,
           {"[gather]", "3"})
      .bad({real({3, 4}), index_below({4}, 3)}, CALL(ops::gather(t[0], 0, t[1])), Code::shape,
           {"[gather]", "[4]", "[3, 4]"});
  // Every position once, so that the writes do not compete.
  const Input once = index_values({2, 3}, {1, 0, 2, 0, 2, 1});
  op("scatter")
      .add({real({3, 3}), once, real({2, 3})}, CALL(ops::scatter(t[0], 0, t[1], t[2])), scattered(0, false))
      .add({real({2, 4}), once, real({2, 3})}, CALL(ops::scatter(t[0], 1, t[1], t[2])), scattered(1, false))
      .add({real({2, 4}), once, real({3, 5})}, CALL(ops::scatter(t[0], 1, t[1], t[2])), scattered(1, false))
      .specials()
      .bad({real({2, 2}), once, real({2, 3})}, CALL(ops::scatter(t[0], 1, t[1], t[2])), Code::index,
           {"[scatter]", "2"})
      .bad({real({2, 4}), once, real({2, 2})}, CALL(ops::scatter(t[0], 1, t[1], t[2])), Code::shape,
           {"[scatter]", "src", "[2, 2]"})
      .bad({real({2, 4}), once, index_below({2, 3}, 5)}, CALL(ops::scatter(t[0], 1, t[1], t[2])), Code::dtype,
           {"[scatter]", "float32", "int64"});
  op("scatter_add")
      .on(kNumbers, 0)
      .add({real({3, 3}), index_below({2, 3}, 3), real({2, 3})}, CALL(ops::scatter_add(t[0], 0, t[1], t[2])),
           scattered(0, true))
      .add({real({2, 4}), index_below({2, 5}, 4), real({2, 6})}, CALL(ops::scatter_add(t[0], 1, t[1], t[2])),
           scattered(1, true))
      .tolerance(4)
      .bad({real({2, 2}), once, real({2, 3})}, CALL(ops::scatter_add(t[0], 1, t[1], t[2])), Code::index,
           {"[scatter_add]", "2"});
  op("index_add")
      .on(kNumbers, 0)
      .tolerance(4)
      .add({real({3, 2}), picks, real({4, 2})}, CALL(ops::index_add(t[0], 0, t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             each_index(in[2].sizes, [&](const Sizes& i) {
               y[{int64_t(in[1].v[size_t(i[0])]), i[1]}] += in[2][i];
             });
             return {y};
           })
      .add({real({2, 3}), picks, real({2, 4})}, CALL(ops::index_add(t[0], 1, t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             each_index(in[2].sizes, [&](const Sizes& i) {
               y[{i[0], int64_t(in[1].v[size_t(i[1])])}] += in[2][i];
             });
             return {y};
           })
      .bad({real({3, 2}), picks, real({3, 2})}, CALL(ops::index_add(t[0], 0, t[1], t[2])), Code::shape,
           {"[index_add]", "[3, 2]", "[4]"})
      .bad({real({2, 2}), picks, real({4, 2})}, CALL(ops::index_add(t[0], 0, t[1], t[2])), Code::index,
           {"[index_add]", "2"});

  // ---- advanced indexing ----
  const Input rows = index_values({2, 1}, {2, -1}), columns = index_values({3}, {0, 3, 1});
  auto wrapped = [](double v, int64_t n) { return int64_t(v) + (v < 0 ? n : 0); };
  auto list = [](Ins t, std::initializer_list<int> which) {
    std::vector<Tensor> v;
    for (int k : which) v.push_back(k < 0 ? Tensor() : t[size_t(k)]);
    return v;
  };
  Record& index = op("index").depends_on_values();
  index.add(
      {real({3, 4}), rows, columns},
      [=](Ins t) -> Outs {
        return ops::index(t[0], list(t, {1, 2}));
      },
      [=](const Arrays& in) -> Arrays {
        return {make_array({2, 3}, [&](const Sizes& i) {
          return in[0][{wrapped(in[1].v[size_t(i[0])], 3), int64_t(in[2].v[size_t(i[1])])}];
        })};
      });
  index.add(
      {real({2, 4}), columns},
      [=](Ins t) -> Outs {
        return ops::index(t[0], list(t, {-1, 1}));
      },
      [](const Arrays& in) -> Arrays {
        return {make_array({2, 3}, [&](const Sizes& i) {
          return in[0][{i[0], int64_t(in[1].v[size_t(i[1])])}];
        })};
      });
  // Separated indices put their shape in front.
  index.add(
      {real({3, 2, 4}), columns.fixed([](Array& a) {
         a.v = {0, 2, 2};
       }),
       columns},
      [=](Ins t) -> Outs {
        return ops::index(t[0], list(t, {1, -1, 2}));
      },
      [](const Arrays& in) -> Arrays {
        return {make_array({3, 2}, [&](const Sizes& i) {
          return in[0][{int64_t(in[1].v[size_t(i[0])]), i[1], int64_t(in[2].v[size_t(i[0])])}];
        })};
      });
  const Input some = mask({3}).fixed([](Array& a) { a.v = {1, 0, 1}; });
  index.add(
      {real({3, 2}), some}, [=](Ins t) -> Outs { return ops::index(t[0], list(t, {1})); },
      [](const Arrays& in) -> Arrays {
        return {make_array({2, 2}, [&](const Sizes& i) { return in[0][{i[0] * 2, i[1]}]; })};
      });
  index.add(  // a mask of bytes
      {real({3, 2}), some},
      [](Ins t) -> Outs {
        const std::vector<Tensor> bytes = {ops::cast(t[1], DType::u8)};
        return ops::index(t[0], bytes);
      },
      [](const Arrays& in) -> Arrays {
        return {make_array({2, 2}, [&](const Sizes& i) { return in[0][{i[0] * 2, i[1]}]; })};
      });
  index.specials();
  index
      .bad({real({3, 4}), index_values({1}, {3})},
           [=](Ins t) -> Outs { return ops::index(t[0], list(t, {1})); }, Code::index, {"[index]", "3"})
      .bad({real({3}), columns, columns},
           [=](Ins t) -> Outs {
             return ops::index(t[0], list(t, {1, 2}));
           },
           Code::index, {"[index]", "2 dimensions", "[3]"})
      .bad({real({4, 4}), some}, [=](Ins t) -> Outs { return ops::index(t[0], list(t, {1})); }, Code::shape,
           {"[index]", "mask", "[3]", "[4, 4]"})
      .bad({real({3, 4}), real({2})}, [=](Ins t) -> Outs { return ops::index(t[0], list(t, {1})); },
           Code::dtype, {"[index]", "float32"})
      .bad({real({3, 4}), index_below({2}, 3), index_below({3}, 3)},
           [=](Ins t) -> Outs {
             return ops::index(t[0], list(t, {1, 2}));
           },
           Code::shape, {"[index]", "[2]", "[3]"});
  Record& put = op("index_put").depends_on_values().tolerance(2).on(kNumbers, 0);
  for (bool accumulate : {false, true}) {
    auto write = [=](Array& y, const Sizes& at, double v) { y[at] = v + (accumulate ? y[at] : 0); };
    put.add(
        {real({3, 4}), real({2, 3}), rows, columns},
        [=](Ins t) -> Outs {
          return ops::index_put(t[0], list(t, {2, 3}), t[1], accumulate);
        },
        [=](const Arrays& in) -> Arrays {
          Array y = in[0];
          each_index({2, 3}, [&](const Sizes& i) {
            write(y, {2, int64_t(in[3].v[size_t(i[1])])}, in[1][i]);
          });
          return {y};
        });
    // Both rows are the last one: without accumulate, give both the same values.
    if (!accumulate)
      put.cases.back().inputs[2] = index_values({1, 1}, {-1}), put.cases.back().inputs[1] = real({1, 3}),
      put.cases.back().reference = [=](const Arrays& in) -> Arrays {
        Array y = in[0];
        each_index({1, 3}, [&](const Sizes& i) { write(y, {2, int64_t(in[3].v[size_t(i[1])])}, in[1][i]); });
        return {y};
      };
    put.add(
        {real({3, 2}), real({}), some},
        [=](Ins t) -> Outs { return ops::index_put(t[0], list(t, {2}), t[1], accumulate); },
        [=](const Arrays& in) -> Arrays {
          Array y = in[0];
          for (int64_t i : {0, 2})
            for (int64_t j : {0, 1}) write(y, {i, j}, in[1].v[0]);
          return {y};
        });
  }
  put.bad({real({3, 4}), real({5}), columns},
          [=](Ins t) -> Outs {
            return ops::index_put(t[0], list(t, {-1, 2}), t[1], false);
          },
          Code::shape, {"[index_put]", "[5]", "[3, 3]"})
      .bad({real({3}), real({1}), index_values({1}, {7})},
           [=](Ins t) -> Outs { return ops::index_put(t[0], list(t, {2}), t[1], false); }, Code::index,
           {"[index_put]", "7"});

  // ---- masks ----
  auto selected = [](const Arrays& in) -> Arrays {
    std::vector<double> v;
    for (size_t i = 0; i < in[0].v.size(); ++i)
      if (in[1].v[i] != 0) v.push_back(in[0].v[i]);
    return {Array({int64_t(v.size())}, v)};
  };
  op("masked_select")
      .depends_on_values()
      .specials()
      .add({real({3, 4}), mask({3, 4})}, CALL(ops::masked_select(t[0], t[1])), selected)
      .add({real({5}), mask({5}).fixed([](Array& a) { a.v.assign(5, 0); })},
           CALL(ops::masked_select(t[0], t[1])), selected)
      .add({real({2, 2}), mask({1, 2}).fixed([](Array& a) {
              a.v = {0, 1};
            })},
           CALL(ops::masked_select(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             return {Array({2}, std::vector<double>{in[0].v[1], in[0].v[3]})};
           })
      .bad({real({3}), index_below({3}, 2)}, CALL(ops::masked_select(t[0], t[1])), Code::dtype,
           {"[masked_select]", "bool", "int64"})
      .bad({real({3}), mask({2})}, CALL(ops::masked_select(t[0], t[1])), Code::shape,
           {"[masked_select]", "[3]", "[2]"});
  auto places = [](const Arrays& in) -> Arrays {
    std::vector<double> v;
    int64_t n = 0;
    each_index(in[0].sizes, [&](const Sizes& i) {
      if (in[0][i] == 0) return;
      ++n;
      v.insert(v.end(), i.begin(), i.end());
    });
    return {Array({n, in[0].ndim()}, v)};
  };
  op("nonzero").gives({always_i64}).depends_on_values().specials();
  for (const Sizes& s : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}, Sizes{5}})
    r.all.back().add({real(s).fixed([](Array& a) {
                       for (size_t i = 0; i < a.v.size(); i += 3) a.v[i] = 0;
                     })},
                     CALL(ops::nonzero(t[0])), places);
  op("take")
      .add({real({2, 3}), index_values({2, 2}, {5, 0, -1, 2})}, CALL(ops::take(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>& v = in[0].v;
             return {Array({2, 2}, {v[5], v[0], v[5], v[2]})};
           })
      .bad({real({3}), real({2})}, CALL(ops::take(t[0], t[1])), Code::dtype, {"[take]", "float32"})
      .bad({real({3}), index_values({1}, {3})}, CALL(ops::take(t[0], t[1])), Code::index, {"3"});
  op("take_along_dim")
      .add({real({2, 3}), index_values({1, 2}, {2, 0})}, CALL(ops::take_along_dim(t[0], t[1], 1)),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>& v = in[0].v;
             return {Array({2, 2}, {v[2], v[0], v[5], v[3]})};
           })
      .add({real({2, 3}), index_values({2}, {4, 1})}, CALL(ops::take_along_dim(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             return {Array({2}, {in[0].v[4], in[0].v[1]})};
           })
      .add({real({2, 3}), index_values({2, 1}, {-1, 1})}, CALL(ops::take_along_dim(t[0], t[1], 1)),
           [](const Arrays& in) -> Arrays {
             return {Array({2, 1}, {in[0].v[2], in[0].v[4]})};
           })
      .bad({real({2, 3}), index_values({2}, {0, 1})}, CALL(ops::take_along_dim(t[0], t[1], 1)), Code::shape,
           {"[take_along_dim]", "[2, 3]", "[2]"});
  op("index_fill")
      .add({real({2, 3}), index_values({2}, {2, -3})}, CALL(ops::index_fill(t[0], 1, t[1], 2)),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>& v = in[0].v;
             return {Array({2, 3}, {2, v[1], 2, 2, v[4], 2})};
           })
      .add({real({}), index_values({2}, {0, -1})}, CALL(ops::index_fill(t[0], 0, t[1], 1)),
           [](const Arrays&) -> Arrays { return {Array({}, {1})}; })
      .add({real({2}), index_values({0}, {})}, CALL(ops::index_fill(t[0], 0, t[1], 1)),
           [](const Arrays& in) -> Arrays { return {in[0]}; })
      .bad({real({2, 3}), index_values({1}, {3})}, CALL(ops::index_fill(t[0], 1, t[1], 1)), Code::index,
           {"is 3", "3 elements"})
      .bad({real({2, 3}), index_values({2}, {0, -4})}, CALL(ops::index_fill(t[0], 1, t[1], 1)), Code::index,
           {"is -4", "3 elements"})
      .bad({real({}), index_values({2}, {0, 7})}, CALL(ops::index_fill(t[0], 0, t[1], 1)), Code::index,
           {"is 7"})
      .bad({real({3}), mask({3})}, CALL(ops::index_fill(t[0], 0, t[1], 1)), Code::dtype,
           {"[index_fill]", "bool"})
      .bad({real({2}), index_values({1, 1}, {0})}, CALL(ops::index_fill(t[0], 0, t[1], 1)), Code::shape,
           {"[index_fill]", "[1, 1]"});
  op("put")
      .add({real({2, 3}), index_values({2, 1}, {4, -6}), real({2})}, CALL(ops::put(t[0], t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>&v = in[0].v, &s = in[2].v;
             return {Array({2, 3}, {s[1], v[1], v[2], v[3], s[0], v[5]})};
           })
      .add({real({2, 2}), index_values({3}, {1, 1, 2}), real({3})}, CALL(ops::put(t[0], t[1], t[2], true)),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>&v = in[0].v, &s = in[2].v;
             return {Array({2, 2}, {v[0], v[1] + s[0] + s[1], v[2] + s[2], v[3]})};
           })
      .bad({real({2}), index_values({2}, {0, 1}), real({3})}, CALL(ops::put(t[0], t[1], t[2])), Code::shape,
           {"[put]", "[2]", "[3]"})
      .bad({real({2}), index_values({1}, {0}), index_below({1}, 2)}, CALL(ops::put(t[0], t[1], t[2])),
           Code::dtype, {"[put]", "float32", "int64"});
  op("select_scatter")
      .add({real({2, 3}), real({2})}, CALL(ops::select_scatter(t[0], t[1], 1, -2)),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>&v = in[0].v, &s = in[1].v;
             return {Array({2, 3}, {v[0], s[0], v[2], v[3], s[1], v[5]})};
           })
      .bad({real({2, 3}), real({3})}, CALL(ops::select_scatter(t[0], t[1], 1, 0)), Code::shape,
           {"[select_scatter]", "[2]", "[3]"});
  op("slice_scatter")
      .add({real({2, 4}), real({2, 2})}, CALL(ops::slice_scatter(t[0], t[1], 1, 1, kNone, 2)),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>&v = in[0].v, &s = in[1].v;
             return {Array({2, 4}, {v[0], s[0], v[2], s[1], v[4], s[2], v[6], s[3]})};
           })
      .add({real({3}), real({2})}, CALL(ops::slice_scatter(t[0], t[1], 0, kNone, -1)),
           [](const Arrays& in) -> Arrays {
             return {Array({3}, {in[1].v[0], in[1].v[1], in[0].v[2]})};
           })
      .bad({real({3}), real({3})}, CALL(ops::slice_scatter(t[0], t[1], 0, 1)), Code::shape,
           {"[slice_scatter]", "[2]", "[3]"});
  op("diagonal_scatter")
      .add({real({2, 3}), real({2})}, CALL(ops::diagonal_scatter(t[0], t[1], 1)),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>&v = in[0].v, &s = in[1].v;
             return {Array({2, 3}, {v[0], s[0], v[2], v[3], v[4], s[1]})};
           })
      .bad({real({2, 2}), real({1})}, CALL(ops::diagonal_scatter(t[0], t[1])), Code::shape,
           {"[diagonal_scatter]", "[2]", "[1]"});
  op("index_copy")
      .add({real({2, 3}), index_values({2}, {2, 0}), real({2, 2})},
           CALL(ops::index_copy(t[0], 1, t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             const std::vector<double>&v = in[0].v, &s = in[2].v;
             return {Array({2, 3}, {s[1], v[1], s[0], s[3], v[4], s[2]})};
           })
      .add({real({}), index_values({1}, {0}), real({})}, CALL(ops::index_copy(t[0], 0, t[1], t[2])),
           [](const Arrays& in) -> Arrays { return {in[2]}; })
      .bad({real({2, 3}), index_values({1}, {0}), real({2, 2})}, CALL(ops::index_copy(t[0], 1, t[1], t[2])),
           Code::shape, {"[index_copy]", "[2, 2]", "[2, 3]"})
      .bad({real({2}), index_values({1}, {0}), index_below({1}, 2)},
           CALL(ops::index_copy(t[0], 0, t[1], t[2])), Code::dtype, {"[index_copy]", "float32", "int64"})
      .bad({real({2, 3}), index_values({1}, {-1}), real({2, 1})}, CALL(ops::index_copy(t[0], 1, t[1], t[2])),
           Code::index, {"is -1", "3 elements"});
  op("masked_scatter")
      .depends_on_values()
      .add({real({2, 3}), mask({2, 3}), real({7})}, CALL(ops::masked_scatter(t[0], t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             for (size_t i = 0, k = 0; i < y.v.size(); ++i)
               if (in[1].v[i] != 0) y.v[i] = in[2].v[k++];
             return {y};
           })
      .bad({real({3}), mask({3}).fixed([](Array& a) {
              a.v = {1, 1, 1};
            }),
            real({2})},
           CALL(ops::masked_scatter(t[0], t[1], t[2])), Code::shape, {"[masked_scatter]", "3", "2"});
  auto hot = [](const Arrays& in) -> Arrays {
    Sizes s = in[0].sizes;
    s.push_back(4);
    return {make_array(
        s, [&](const Sizes& i) { return double(in[0][Sizes(i.begin(), i.end() - 1)] == double(i.back())); })};
  };
  r.op("one_hot")
      .on(kAll)
      .gives({always_i64})
      .add({index_below({2, 3}, 4)}, CALL(ops::one_hot(t[0], 4)), hot)
      .add({index_values({2}, {3, 0})}, CALL(ops::one_hot(t[0], -1)), hot)
      .depends_on_values()
      .bad({index_values({1}, {4})}, CALL(ops::one_hot(t[0], 4)), Code::index, {"[one_hot]", "holds 4"})
      .bad({index_values({2}, {0, -1})}, CALL(ops::one_hot(t[0], 4)), Code::index, {"[one_hot]", "-1"})
      .bad({index_values({2}, {0, -2})}, CALL(ops::one_hot(t[0], -1)), Code::index, {"[one_hot]", "-2"})
      .bad({index_below({2}, 3)}, CALL(ops::one_hot(t[0], 0)), Code::invalid_argument, {"[one_hot]", "0"})
      .bad({real({2})}, CALL(ops::one_hot(t[0], 4)), Code::dtype, {"[one_hot]", "float32"});

  // ---- order ----
  Record& sort = op("sort").gives({same, always_i64}).specials();
  Record& argsort = op("argsort").gives({always_i64}).specials();
  struct Form {
    Sizes x;
    int64_t dim;
    bool descending;
  };
  for (const Form& f : {Form{{3, 5}, 1, false},
                        {{3, 5}, 0, true},
                        {{2, 3, 2}, -2, false},
                        {{}, 0, false},
                        {{0, 3}, 0, false},
                        {{2, 700}, 1, true}}) {
    size_t d = size_t(f.dim < 0 ? f.dim + int64_t(f.x.size()) : f.dim);
    sort.add(
        {real(f.x)}, [f](Ins t) -> Outs { return ops::sort(t[0], f.dim, f.descending); },
        sorted(d, f.descending));
    if (f.x.size() == 2 && f.x[1] > 100) sort.no_grad();
    argsort.add(
        {real(f.x)}, [f](Ins t) -> Outs { return ops::argsort(t[0], f.dim, f.descending); },
        [=](const Arrays& in) -> Arrays { return {sorted(d, f.descending)(in)[1]}; });
  }
  sort.bad({real({2, 3})}, CALL(ops::sort(t[0], 2)), Code::index, {"[sort]", "2"});
  argsort.bad({real({2, 3})}, CALL(ops::argsort(t[0], -3)), Code::index, {"[sort]", "-3"});
  Record& topk = op("topk").gives({same, always_i64});
  for (auto [k, largest] : {std::pair{2, true}, std::pair{3, false}, std::pair{0, true}, std::pair{5, true}})
    topk.add(
        {real({3, 5})},
        [k = k, largest = largest](Ins t) -> Outs {
          // Among equal elements any may be chosen: compare the values and what stands at the places.
          auto [values, places] = ops::topk(t[0], k, 1, largest);
          return Outs(std::vector<Tensor>{
              values, ops::sub(ops::cast(ops::ne(ops::gather(t[0], 1, places), values), DType::i64),
                               ops::zeros_like(places))});
        },
        [k = k, largest = largest](const Arrays& in) -> Arrays {
          return {sorted(1, largest, k)(in)[0], Array({3, k})};
        });
  topk.bad({real({3, 5})}, CALL(ops::topk(t[0], 6)), Code::index, {"[topk]", "6", "0..5"})
      .bad({real({3, 5})}, CALL(ops::topk(t[0], 1, 2)), Code::index, {"[topk]", "2"});

  // ---- rows of a table ----
  auto looked_up = [](const Arrays& in) -> Arrays {
    Sizes s = in[1].sizes;
    s.push_back(in[0].size(1));
    return {make_array(s, [&](const Sizes& i) {
      return in[0][{int64_t(in[1][Sizes(i.begin(), i.end() - 1)]), i.back()}];
    })};
  };
  // Bags of rows: where each begins, and which row does not count.
  struct Bags {
    std::vector<int64_t> begin;
    int64_t mode, padding;
    bool weighted;
  };
  Record& bags = op("embedding_bag").on(kFloats, 0).tolerance(4);
  for (const Bags& b : {Bags{{0, 2, 2}, 0, -1, true},
                        {{0, 3}, 1, -1, false},
                        {{0, 1, 4}, 1, 2, false},
                        {{0, 3}, 2, -1, false},
                        {{0, 4}, 2, 1, false}}) {
    const std::vector<double> rows = {0, 3, 2, 1, 4, 2};
    std::vector<double> begin(b.begin.begin(), b.begin.end());
    bags.add(
        {real({5, 3}), index_values({6}, rows), index_values({int64_t(begin.size())}, begin),
         b.weighted ? real({6}) : absent()},
        CALL(ops::embedding_bag(t[0], t[1], t[2], t[3], b.mode, false, b.padding)),
        [=](const Arrays& in) -> Arrays {
          Array y({int64_t(b.begin.size()), 3});
          for (size_t g = 0; g < b.begin.size(); ++g) {
            double count = 0;
            for (int64_t k = b.begin[g]; k < (g + 1 < b.begin.size() ? b.begin[g + 1] : 6); ++k) {
              const int64_t row = int64_t(rows[size_t(k)]);
              if (row == b.padding) continue;
              for (int64_t d = 0; d < 3; ++d) {
                double &to = y[{int64_t(g), d}], v = in[0][{row, d}] * (b.weighted ? in[3].v[size_t(k)] : 1);
                to = b.mode == 2 ? (count ? std::max(to, v) : v) : to + v;
              }
              ++count;
            }
            for (int64_t d = 0; b.mode == 1 && count && d < 3; ++d) y[{int64_t(g), d}] /= count;
          }
          return {y};
        });
  }
  const Tensor nothing;
  bags.add({real({5, 3}, 40, 50), index_below({1, 3000}, 5)},
           CALL(ops::embedding_bag(t[0], t[1], nothing, nothing)),  // the sum is no float16
           [](const Arrays& in) -> Arrays {
             return {make_array({1, 3}, [&](const Sizes& i) {
               double s = 0;
               for (double row : in[1].v) s += in[0][{int64_t(row), i[1]}] / 3000;
               return s;
             })};
           })
      .no_grad();
  bags.add({real({5, 3}), index_below({2, 4}, 5)}, CALL(ops::embedding_bag(t[0], t[1], nothing, nothing)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 3}, [&](const Sizes& i) {
               double s = 0;
               for (int64_t k = 0; k < 4; ++k) s += in[0][{int64_t(in[1][{i[0], k}]), i[1]}] / 4;
               return s;
             })};
           })
      .add({real({5, 3}), index_values({3}, {0, 3, 3}), index_values({3}, {0, 1, 3})},
           CALL(ops::embedding_bag(t[0], t[1], t[2], nothing, 0, true)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 3}, [&](const Sizes& i) {
               return i[0] ? 2 * in[0][{3, i[1]}] : in[0][{0, i[1]}];
             })};
           })
      .bad({real({5, 3}), index_below({4}, 5)}, CALL(ops::embedding_bag(t[0], t[1], nothing, nothing)),
           Code::shape, {"[embedding_bag]", "offsets"})
      .bad({real({5, 3}), index_below({1, 2, 2}, 5)}, CALL(ops::embedding_bag(t[0], t[1], nothing, nothing)),
           Code::shape, {"[embedding_bag]", "[1, 2, 2]"})
      .bad({real({5, 3}), index_below({2, 2}, 5)}, CALL(ops::embedding_bag(t[0], t[1], nothing, nothing, 3)),
           Code::invalid_argument, {"[embedding_bag]", "3"})
      .bad({real({5, 3}), index_below({2, 2}, 5), real({3})},
           CALL(ops::embedding_bag(t[0], t[1], nothing, t[2], 0)), Code::invalid_argument,
           {"[embedding_bag]", "per_sample_weights", "[3]"})
      .bad({real({5, 3}), index_below({2, 2}, 5)},
           CALL(ops::embedding_bag(t[0], t[1], nothing, nothing, 0, true)), Code::invalid_argument,
           {"[embedding_bag]", "include_last_offset"})
      .bad({real({5, 3}), index_below({2, 2}, 5)},
           CALL(ops::embedding_bag(t[0], t[1], nothing, nothing, 2, false, -1, false, true)),
           Code::unsupported, {"[embedding_bag]", "frequency"})
      .bad({real({5, 3}), index_below({4}, 5), index_values({2}, {0, 5})},
           CALL(ops::embedding_bag(t[0], t[1], t[2], nothing)), Code::index,
           {"embedding_bag", "offset 1 is 5", "of 4 indices"})
      .bad({real({5, 3}), index_below({4}, 5), index_values({2}, {0, -1})},
           CALL(ops::embedding_bag(t[0], t[1], t[2], nothing)), Code::index,
           {"embedding_bag", "offset 1 is -1"})
      .bad({real({5, 3}), index_below({4}, 5), index_values({3}, {0, 3, 2})},
           CALL(ops::embedding_bag(t[0], t[1], t[2], nothing)), Code::index,
           {"embedding_bag", "offset 2 is 2, behind 3"})
      .bad({real({5, 3}), index_below({4}, 5), index_values({2}, {1, 2})},
           CALL(ops::embedding_bag(t[0], t[1], t[2], nothing)), Code::index,
           {"embedding_bag", "offset 0 is 1, the first"});
  op("bag_numbers")
      .on(kAll)
      .gives({always_i64})
      .add({index_values({4}, {0, 2, 2, 5})}, CALL(ops::bag_numbers(t[0], 6)),
           [](const Arrays&) -> Arrays {
             return {Array({6}, std::vector<double>{0, 0, 2, 2, 2, 3})};
           })
      .add({index_values({0}, {})}, CALL(ops::bag_numbers(t[0], 2)),
           [](const Arrays&) -> Arrays {
             return {Array({2}, std::vector<double>{0, 0})};
           })
      .bad({index_values({2}, {0, 3})}, CALL(ops::bag_numbers(t[0], 2)), Code::index, {"offset 1 is 3"});
  op("embedding_renorm")
      .on(kFloats, 0)
      .tolerance(8)
      .add(
          {real({4, 3}), index_values({2, 2}, {1, 3, 1, 1})},
          [](Ins t) -> Outs {
            const Tensor table = ops::clone(t[0]);
            ops::embedding_renorm(table, t[1], 0.5, 1);
            return Outs(std::vector<Tensor>{table});
          },
          [](const Arrays& in) -> Arrays {
            Array y = in[0];
            for (int64_t row : {1, 3}) {
              double length = 0;
              for (int64_t d = 0; d < 3; ++d) length += std::abs(y[{row, d}]);
              for (int64_t d = 0; length > 0.5 && d < 3; ++d) y[{row, d}] *= 0.5 / (length + 1e-7);
            }
            return {y};
          })
      .no_grad()
      .bad({real({4}), index_below({2}, 4)}, CALL(ops::embedding_renorm(t[0], t[1], 1)), Code::shape,
           {"[embedding_renorm]", "[4]"});
  op("embedding")
      .on(kAll, 0)
      .add({real({5, 3}), index_below({2, 4}, 5)}, CALL(ops::embedding(t[0], t[1])), looked_up)
      .add({real({5, 3}), index_below({}, 5)}, CALL(ops::embedding(t[0], t[1])), looked_up)
      .add({real({5, 17}), index_values({0}, {})}, CALL(ops::embedding(t[0], t[1])), looked_up)
      .bad({real({5, 3}), index_values({1}, {5})}, CALL(ops::embedding(t[0], t[1])), Code::index,
           {"[embedding]", "5"})
      .bad({real({5}), index_below({2}, 5)}, CALL(ops::embedding(t[0], t[1])), Code::shape,
           {"[embedding]", "[5]"})
      .bad({real({5, 3}), real({2})}, CALL(ops::embedding(t[0], t[1])), Code::dtype,
           {"[embedding]", "float32"})
      .bad({real({5, 3}), index_below({2}, 5)}, CALL(ops::embedding(t[0], t[1], 5)), Code::index,
           {"[embedding]", "padding_idx", "5"});
  Record& back = r.op("embedding_backward").on(kFloats, 0).tolerance(4);
  for (int64_t padding : {-1, 2})
    back.add(
        {real({2, 4, 3}), index_below({2, 4}, 5)},
        [padding](Ins t) -> Outs { return ops::embedding_backward(t[0], t[1], 5, padding); },
        [padding](const Arrays& in) -> Arrays {
          Array y({5, 3});
          each_index(in[0].sizes, [&](const Sizes& i) {
            int64_t row = int64_t(in[1][{i[0], i[1]}]);
            if (row != padding) y[{row, i[2]}] += in[0][i];
          });
          return {y};
        });
  back.bad({real({2, 3}), index_below({3}, 5)}, CALL(ops::embedding_backward(t[0], t[1], 5, -1)), Code::shape,
           {"[embedding_backward]", "[2, 3]", "[3]"});
}

}  // namespace haft::test
