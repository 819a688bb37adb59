// Records of copies: to other dtypes and memory, joined, rearranged.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

Reference moved(Sizes sizes, std::function<Sizes(const Sizes&)> from) {
  return [sizes, from](const Arrays& in) -> Arrays {
    return {make_array(sizes, [&](const Sizes& i) { return in[0][from(i)]; })};
  };
}
Arrays same_values(const Arrays& in) { return {in[0]}; }
DType f64(DType) { return DType::f64; }

Array joined(const Arrays& xs, size_t dim) {
  Sizes sizes;
  for (const Array& x : xs) {
    if (x.sizes == Sizes{0}) continue;
    if (sizes.empty())
      sizes = x.sizes;
    else
      sizes[dim] += x.sizes[dim];
  }
  return make_array(sizes, [&](Sizes i) {
    for (const Array& x : xs) {
      if (x.sizes == Sizes{0}) continue;
      if (i[dim] < x.sizes[dim]) return x[i];
      i[dim] -= x.sizes[dim];
    }
    return 0.0;
  });
}

void add_triangle(Record& r, Tensor (*op)(const Tensor&, int64_t), bool lower) {
  for (int64_t k : {0, 1, -2, 99})
    for (const Sizes& s : {Sizes{3, 4}, Sizes{2, 3, 2}, Sizes{0, 3}})
      r.add(
          {real(s)}, [op, k](Ins t) -> Outs { return op(t[0], k); },
          [lower, k](const Arrays& in) -> Arrays {
            return {make_array(in[0].sizes, [&](const Sizes& i) {
              int64_t d = i[i.size() - 1] - i[i.size() - 2];
              return (lower ? d <= k : d >= k) ? in[0][i] : 0.0;
            })};
          });
  r.bad({real({3})}, [op](Ins t) -> Outs { return op(t[0], 0); }, Code::shape, {"[" + r.name + "]", "[3]"});
}

}  // namespace

void add_copies(Records& r) {
  auto op = [&](const char* name) -> Record& { return r.op(name).on(kAll).specials(); };
  op("cast")
      .gives({f64})
      .add({real({3, 5})}, CALL(ops::cast(t[0], DType::f64)), same_values)
      .add({real({3, 5})}, CALL(ops::cast(ops::cast(t[0], DType::f32), DType::f64)), same_values)
      .no_grad()
      .add({real({0})}, CALL(ops::cast(t[0], DType::f64)), same_values)
      .bad({real({2})}, CALL(ops::cast(t[0], DType::none)), Code::dtype, {"[cast]"})
      .tolerance(1, 1e6);  // a case goes through float32
  Record& truncates = r.all.back();
  truncates
      .add({real({40}, -9, 9)}, CALL(ops::cast(ops::cast(t[0], DType::i32), DType::f64)),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             for (double& v : y.v) v = std::trunc(v);
             return {y};
           })
      .no_grad()
      .with_specials = false;
  for (const char* name : {"contiguous_copy", "contiguous", "clone"}) {
    std::string n = name;
    Record& copy = op(name);
    for (const Sizes& s : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}, Sizes{2, 17, 5}})
      copy.add(
          {real(s)},
          [n](Ins t) -> Outs {
            return n == "clone"        ? ops::clone(t[0])
                   : n == "contiguous" ? ops::contiguous(t[0])
                                       : ops::contiguous_copy(t[0]);
          },
          same_values);
  }
  Record& copy = op("copy");
  for (auto [x, src] : {std::pair{Sizes{3, 4}, Sizes{3, 4}},
                        {Sizes{3, 4}, Sizes{4}},
                        {Sizes{2, 3}, Sizes{}},
                        {Sizes{0, 3}, Sizes{3}}})
    copy.add({real(x), real(src)}, CALL(ops::copy(t[0], t[1])), [](const Arrays& in) -> Arrays {
      return {make_array(in[0].sizes, [&](const Sizes& i) {
        Sizes from(i.end() - in[1].ndim(), i.end());
        return in[1][from];
      })};
    });
  copy.bad({real({2, 3}), real({2})}, CALL(ops::copy(t[0], t[1])), Code::shape, {"[copy]", "[2]", "[2, 3]"})
      .bad({real({3}), real({2, 3})}, CALL(ops::copy(t[0], t[1])), Code::shape, {"[copy]", "[2, 3]", "[3]"});
  op("to_device")
      .host_only()
      .add({real({2, 3})}, CALL(ops::to_device(t[0], Device{})), same_values)
      .bad({real({2})}, CALL(ops::to_device(t[0], Device{kCpu, 9})), Code::device, {"cpu:9"});
  op("to")
      .gives({f64})
      .host_only()
      .tolerance(1, 1e6)
      .add({real({2, 3})}, CALL(ops::to(t[0], DType::f64, Device{})), same_values)
      .add({real({2, 3})}, CALL(ops::to(ops::to(t[0], DType::f32), DType::f64)), same_values)
      .no_grad();
  Record& fill = op("fill");
  for (const Sizes& s : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}, Sizes{1031}})
    fill.add({real(s)}, CALL(ops::fill(t[0], 3)),
             [](const Arrays& in) -> Arrays { return {Array(in[0].sizes, 3)}; })
        .cases.back()
        .grad = s.size() != 1;
  fill.bad({real({2})}, CALL(ops::fill(t[0], 300)), Code::invalid_argument, {"[fill]", "int8", "300"},
           DType::i8)
      .bad({real({2})}, CALL(ops::fill_(ops::expand(t[0], Sizes{3, 2}), 1)), Code::invalid_argument,
           {"[fill_]", "share memory"});
  op("as_strided_scatter")
      .add({real({3, 4}), real({2, 2})},
           CALL(ops::as_strided_scatter(t[0], t[1], Sizes{2, 2}, Sizes{5, 2}, 1)),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             for (size_t i = 0; i < 2; ++i)
               for (size_t j = 0; j < 2; ++j) y.v[1 + 5 * i + 2 * j] = in[1].v[2 * i + j];
             return {y};
           })
      .bad({real({3, 4}), real({2, 2})},
           CALL(ops::as_strided_scatter(t[0], t[1], Sizes{2, 2}, Sizes{9, 2}, 2)), Code::index,
           {"[as_strided_scatter]", "12 elements"})
      .bad({real({3, 4}), real({2, 3})},
           CALL(ops::as_strided_scatter(t[0], t[1], Sizes{2, 2}, Sizes{5, 2}, 1)), Code::shape,
           {"[as_strided_scatter]", "[2, 3]", "[2, 2]"});

  Record& cat = op("cat");
  struct Join {
    std::vector<Sizes> xs;
    int64_t dim;
  };
  for (const Join& j : {Join{{{2, 3}, {1, 3}, {4, 3}}, 0},
                        {{{2, 3}, {2, 1}}, -1},
                        {{{2, 2, 2}, {2, 5, 2}}, 1},
                        {{{3}}, 0},
                        {{{0}, {2, 3}, {1, 3}}, 0},
                        {{{0, 2}, {0, 2}}, 0}}) {
    std::vector<Input> in;
    for (const Sizes& s : j.xs) in.push_back(real(s));
    cat.add(
        in, [d = j.dim](Ins t) -> Outs { return ops::cat(t, d); },
        [j](const Arrays& xs) -> Arrays {
          return {joined(xs, size_t(j.dim < 0 ? j.dim + int64_t(j.xs.back().size()) : j.dim))};
        });
  }
  cat.bad({real({2, 3}), real({2, 2})}, CALL(ops::cat(t, 0)), Code::shape, {"[cat]", "[2, 2]", "[2, 3]"})
      .bad({real({})}, CALL(ops::cat(t, 0)), Code::shape, {"[cat]", "no dimensions"})
      .bad({}, CALL(ops::cat(t, 0)), Code::invalid_argument, {"[cat]", "at least one"})
      .bad({real({2})}, CALL(ops::cat(t, 1)), Code::index, {"[cat]", "1"});
  op("stack")
      .add({real({2, 3}), real({2, 3})}, CALL(ops::stack(t, 1)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 2, 3}, [&](const Sizes& i) { return in[size_t(i[1])][{i[0], i[2]}]; })};
           })
      .add({real({}), real({}), real({})}, CALL(ops::stack(t, -1)),
           [](const Arrays& in) -> Arrays {
             return {Array({3}, std::vector<double>{in[0].v[0], in[1].v[0], in[2].v[0]})};
           })
      .bad({real({2}), real({3})}, CALL(ops::stack(t, 0)), Code::shape, {"[stack]", "[3]", "[2]"})
      .bad({}, CALL(ops::stack(t, 0)), Code::invalid_argument, {"[stack]"});

  op("flip")
      .add({real({3, 4})}, CALL(ops::flip(t[0], Sizes{-1})),
           moved({3, 4},
                 [](const Sizes& i) {
                   return Sizes{i[0], 3 - i[1]};
                 }))
      .add({real({3, 4})}, CALL(ops::flip(t[0], Sizes{0, 1})),
           moved({3, 4},
                 [](const Sizes& i) {
                   return Sizes{2 - i[0], 3 - i[1]};
                 }))
      .add({real({3})}, CALL(ops::flip(t[0], Sizes{})), same_values)
      .add({real({})}, CALL(ops::flip(t[0], Sizes{0})), same_values)
      .bad({real({3, 4})}, CALL(ops::flip(t[0], Sizes{1, -1})), Code::invalid_argument, {"[flip]", "twice"})
      .bad({real({3, 4})}, CALL(ops::flip(t[0], Sizes{2})), Code::index, {"[flip]", "2"});
  op("roll")
      .add({real({3, 4})}, CALL(ops::roll(t[0], Sizes{1, -5}, Sizes{0, 1})),
           moved({3, 4},
                 [](const Sizes& i) {
                   return Sizes{(i[0] + 2) % 3, (i[1] + 5) % 4};
                 }))
      .add({real({2, 3})}, CALL(ops::roll(t[0], Sizes{2}, Sizes{})),
           moved({2, 3},
                 [](const Sizes& i) {
                   int64_t k = (i[0] * 3 + i[1] + 4) % 6;
                   return Sizes{k / 3, k % 3};
                 }))
      .add({real({0, 3})}, CALL(ops::roll(t[0], Sizes{2}, Sizes{0})), same_values)
      .bad({real({3, 4})}, CALL(ops::roll(t[0], Sizes{1, 2}, Sizes{0})), Code::invalid_argument,
           {"[roll]", "2 shifts", "1 dims"});
  Record& repeat = op("repeat");
  for (auto [x, times] : {std::pair{Sizes{2, 3}, Sizes{2, 1}},
                          {Sizes{3}, Sizes{2, 3}},
                          {Sizes{2, 3}, Sizes{1, 0}},
                          {Sizes{}, Sizes{4}},
                          {Sizes{1, 2}, Sizes{3, 2}}})
    repeat.add(
        {real(x)}, [times = times](Ins t) -> Outs { return ops::repeat(t[0], times); },
        [x = x, times = times](const Arrays& in) -> Arrays {
          Sizes sizes = times;
          size_t lead = times.size() - x.size();
          for (size_t d = 0; d < x.size(); ++d) sizes[lead + d] *= x[d];
          return {make_array(sizes, [&](const Sizes& i) {
            Sizes from(x.size());
            for (size_t d = 0; d < x.size(); ++d) from[d] = i[lead + d] % x[d];
            return in[0][from];
          })};
        });
  repeat
      .bad({real({2, 3})}, CALL(ops::repeat(t[0], Sizes{2})), Code::shape,
           {"[repeat]", "1 repeats", "[2, 3]"})
      .bad({real({3})}, CALL(ops::repeat(t[0], Sizes{-1})), Code::invalid_argument, {"[repeat]", "[-1]"});
  add_triangle(
      op("tril"), [](const Tensor& x, int64_t k) { return ops::tril(x, k); }, true);
  add_triangle(
      op("triu"), [](const Tensor& x, int64_t k) { return ops::triu(x, k); }, false);
}

}  // namespace haft::test
