// Records of views: the same elements in another shape.
#include "tests/ops/record.h"

namespace haft::test {

namespace {

// y[i] = x[from(i)].
using Where = Callable<Sizes(const Sizes&)>;
Reference moved(Sizes sizes, Where from) {
  return [sizes, from](const Arrays& in) -> Arrays {
    return {make_array(sizes, [&](const Sizes& i) { return in[0][from(i)]; })};
  };
}
// The same elements in the same order.
Reference renamed(Sizes sizes) {
  return [sizes](const Arrays& in) -> Arrays {
    Array y = in[0];
    y.sizes = sizes;
    return {y};
  };
}
// Parts along a dimension: start and length of each.
Reference parts(size_t dim, std::vector<std::pair<int64_t, int64_t>> ranges, bool drop = false) {
  return [=](const Arrays& in) -> Arrays {
    Arrays out;
    for (auto [start, length] : ranges) {
      Sizes s = in[0].sizes;
      s[dim] = length;
      Array y = make_array(s, [&, start = start](Sizes i) {
        i[dim] += start;
        return in[0][i];
      });
      if (drop) y.sizes.erase(y.sizes.begin() + int64_t(dim));
      out.push_back(y);
    }
    return out;
  };
}

}  // namespace

void add_views(Records& r) {
  auto op = [&](const char* name) -> Record& { return r.op(name).on(kAll).specials(); };
  op("as_strided")
      .add({real({12})}, CALL(ops::as_strided(ops::contiguous(t[0]), Sizes{2, 3}, Sizes{5, 2}, 1)),
           moved({2, 3}, [](const Sizes& i) { return Sizes{1 + 5 * i[0] + 2 * i[1]}; }))
      .add({real({3, 4})}, CALL(ops::as_strided(ops::contiguous(t[0]), Sizes{4, 3}, Sizes{1, 4})),
           moved({4, 3},
                 [](const Sizes& i) {
                   return Sizes{i[1], i[0]};
                 }))
      .bad({real({4})}, CALL(ops::as_strided(t[0], Sizes{3}, Sizes{2})), Code::index,
           {"[as_strided]", "[3]", "[2]"})
      .bad({real({4})}, CALL(ops::as_strided(t[0], Sizes{2}, Sizes{-1}, 2)), Code::invalid_argument,
           {"[as_strided]", "-1"})
      .bad({real({4})}, CALL(ops::as_strided(t[0], Sizes{2, 2}, Sizes{1})), Code::shape, {"[as_strided]"});
  op("view")
      .add({real({2, 6})}, CALL(ops::view(ops::contiguous(t[0]), Sizes{3, -1})), renamed({3, 4}))
      .add({real({4})}, CALL(ops::view(t[0], Sizes{2, 1, 2})), renamed({2, 1, 2}))
      .add({real({0, 3})}, CALL(ops::view(ops::contiguous(t[0]), Sizes{3, 0})), renamed({3, 0}))
      .add({real({1, 1})}, CALL(ops::view(t[0], Sizes{})), renamed({}))
      .bad({real({2, 3})}, CALL(ops::view(t[0], Sizes{4, 2})), Code::shape, {"[view]", "[4, 2]", "6"})
      .bad({real({2, 3})}, CALL(ops::view(ops::transpose(t[0], 0, 1), Sizes{6})), Code::shape,
           {"[view]", "[6]", "[3, 2]", "strides"})
      .bad({real({2, 3})}, CALL(ops::view(t[0], Sizes{-1, -1})), Code::shape, {"[view]", "only one"});
  op("permute")
      .add({real({2, 3, 4})}, CALL(ops::permute(t[0], Sizes{2, 0, -2})),
           moved({4, 2, 3},
                 [](const Sizes& i) {
                   return Sizes{i[1], i[2], i[0]};
                 }))
      .add({real({})}, CALL(ops::permute(t[0], Sizes{})), renamed({}))
      .bad({real({2, 3})}, CALL(ops::permute(t[0], Sizes{0, 0})), Code::invalid_argument,
           {"[permute]", "twice"})
      .bad({real({2, 3})}, CALL(ops::permute(t[0], Sizes{0})), Code::shape,
           {"[permute]", "1 dims", "2 dimensions"})
      .bad({real({2, 3})}, CALL(ops::permute(t[0], Sizes{0, 2})), Code::index, {"[permute]", "2"});
  op("transpose")
      .add({real({2, 3, 4})}, CALL(ops::transpose(t[0], 0, -1)),
           moved({4, 3, 2},
                 [](const Sizes& i) {
                   return Sizes{i[2], i[1], i[0]};
                 }))
      .add({real({})}, CALL(ops::transpose(t[0], 0, -1)), renamed({}))
      .bad({real({2, 3})}, CALL(ops::transpose(t[0], 0, 2)), Code::index, {"[transpose]", "dim1", "2"});
  op("expand")
      .add({real({1, 3})}, CALL(ops::expand(t[0], Sizes{2, 4, 3})),
           moved({2, 4, 3},
                 [](const Sizes& i) {
                   return Sizes{0, i[2]};
                 }))
      .add({real({3, 1})}, CALL(ops::expand(t[0], Sizes{-1, 2})),
           moved({3, 2},
                 [](const Sizes& i) {
                   return Sizes{i[0], 0};
                 }))
      .add({real({1, 3})}, CALL(ops::expand(t[0], Sizes{0, 3})),
           moved({0, 3}, [](const Sizes& i) { return i; }))
      .bad({real({2, 3})}, CALL(ops::expand(t[0], Sizes{4, 3})), Code::shape,
           {"[expand]", "[2, 3]", "[4, 3]"})
      .bad({real({2, 3})}, CALL(ops::expand(t[0], Sizes{3})), Code::shape, {"[expand]", "[3]", "[2, 3]"});
  op("expand_as")
      .add({real({1, 3}), real({2, 3}).constant()}, CALL(ops::expand_as(t[0], t[1])),
           moved({2, 3},
                 [](const Sizes& i) {
                   return Sizes{0, i[1]};
                 }))
      .bad({real({2, 3}), real({3, 2})}, CALL(ops::expand_as(t[0], t[1])), Code::shape,
           {"[expand]", "[2, 3]", "[3, 2]"});
  op("squeeze")
      .add({real({1, 3, 1})}, CALL(ops::squeeze(t[0])), renamed({3}))
      .add({real({1, 3, 1})}, CALL(ops::squeeze(t[0], -1)), renamed({1, 3}))
      .add({real({2, 3})}, CALL(ops::squeeze(t[0], 0)), renamed({2, 3}))
      .bad({real({2, 3})}, CALL(ops::squeeze(t[0], 2)), Code::index, {"[squeeze]", "2"});
  op("unsqueeze")
      .add({real({2, 3})}, CALL(ops::unsqueeze(t[0], 1)), renamed({2, 1, 3}))
      .add({real({2, 3})}, CALL(ops::unsqueeze(t[0], -1)), renamed({2, 3, 1}))
      .add({real({})}, CALL(ops::unsqueeze(t[0], 0)), renamed({1}))
      .bad({real({2, 3})}, CALL(ops::unsqueeze(t[0], 3)), Code::index, {"[unsqueeze]", "3"})
      .bad({real({1, 1, 1, 1, 1, 1, 1, 1})}, CALL(ops::unsqueeze(t[0], 0)), Code::shape,
           {"[unsqueeze]", "8 dimensions"});
  op("slice")
      .add({real({7, 3})}, CALL(ops::slice(t[0], 0, 1, 6, 2)),
           moved({3, 3},
                 [](const Sizes& i) {
                   return Sizes{1 + 2 * i[0], i[1]};
                 }))
      .add({real({3, 7})}, CALL(ops::slice(t[0], -1, -5, -1)),
           moved({3, 4},
                 [](const Sizes& i) {
                   return Sizes{i[0], 2 + i[1]};
                 }))
      .add({real({3, 7})}, CALL(ops::slice(t[0], 1, 5, 100)),
           moved({3, 2},
                 [](const Sizes& i) {
                   return Sizes{i[0], 5 + i[1]};
                 }))
      .add({real({3, 7})}, CALL(ops::slice(t[0], 1, 5, 2)), moved({3, 0}, [](const Sizes& i) { return i; }))
      .bad({real({3})}, CALL(ops::slice(t[0], 0, 0, 3, 0)), Code::invalid_argument, {"[slice]", "step", "0"})
      .bad({real({})}, CALL(ops::slice(t[0], 0, 0, 1)), Code::shape, {"[slice]", "0-dim"})
      .bad({real({3})}, CALL(ops::slice(t[0], 1, 0, 3)), Code::index, {"[slice]", "1"});
  op("select")
      .add({real({3, 4})}, CALL(ops::select(t[0], 1, 2)),
           moved({3},
                 [](const Sizes& i) {
                   return Sizes{i[0], 2};
                 }))
      .add({real({3, 4})}, CALL(ops::select(t[0], 0, -1)),
           moved({4},
                 [](const Sizes& i) {
                   return Sizes{2, i[0]};
                 }))
      .bad({real({3, 4})}, CALL(ops::select(t[0], 1, 4)), Code::index, {"[select]", "4", "dimension 1"})
      .bad({real({})}, CALL(ops::select(t[0], 0, 0)), Code::shape, {"[select]", "0-dim"});
  op("diagonal")
      .add({real({3, 4})}, CALL(ops::diagonal(t[0])),
           moved({3},
                 [](const Sizes& i) {
                   return Sizes{i[0], i[0]};
                 }))
      .add({real({3, 4})}, CALL(ops::diagonal(t[0], -1)),
           moved({2},
                 [](const Sizes& i) {
                   return Sizes{i[0] + 1, i[0]};
                 }))
      .add({real({3, 2, 4})}, CALL(ops::diagonal(t[0], 2, 0, 2)),
           moved({2, 2},
                 [](const Sizes& i) {
                   return Sizes{i[1], i[0], i[1] + 2};
                 }))
      .add({real({3, 4})}, CALL(ops::diagonal(t[0], 9)), moved({0}, [](const Sizes& i) { return i; }))
      .bad({real({3, 4})}, CALL(ops::diagonal(t[0], 0, 1, -1)), Code::invalid_argument,
           {"[diagonal]", "both 1"})
      .bad({real({3})}, CALL(ops::diagonal(t[0])), Code::index, {"[diagonal]", "dim2"});
  op("unfold")
      .add({real({7, 2})}, CALL(ops::unfold(t[0], 0, 3, 2)),
           moved({3, 2, 3},
                 [](const Sizes& i) {
                   return Sizes{2 * i[0] + i[2], i[1]};
                 }))
      .add({real({5})}, CALL(ops::unfold(t[0], 0, 2, 1)),
           moved({4, 2}, [](const Sizes& i) { return Sizes{i[0] + i[1]}; }))
      .bad({real({5})}, CALL(ops::unfold(t[0], 0, 6, 1)), Code::invalid_argument, {"[unfold]", "6", "0..5"})
      .bad({real({5})}, CALL(ops::unfold(t[0], 0, 2, 0)), Code::invalid_argument, {"[unfold]", "step 0"});
  op("detach").add({real({2, 3}).constant()}, CALL(ops::detach(t[0])), renamed({2, 3}));
  op("alias")
      .add({real({2, 3})}, CALL(ops::alias(t[0])), renamed({2, 3}))
      .add({real({})}, CALL(ops::alias(t[0])), renamed({}));

  op("reshape")
      .add({real({2, 6})}, CALL(ops::reshape(t[0], Sizes{4, 3})), renamed({4, 3}))
      .add({real({2, 3})}, CALL(ops::reshape(ops::transpose(t[0], 0, 1), Sizes{-1})),
           moved({6},
                 [](const Sizes& i) {
                   return Sizes{i[0] % 2, i[0] / 2};
                 }))
      .bad({real({2, 3})}, CALL(ops::reshape(t[0], Sizes{4, -1})), Code::shape, {"[4, -1]", "6"});
  op("flatten")
      .add({real({2, 3, 2})}, CALL(ops::flatten(t[0], 1)), renamed({2, 6}))
      .add({real({})}, CALL(ops::flatten(t[0])), renamed({1}))
      .bad({real({2, 3})}, CALL(ops::flatten(t[0], 1, 0)), Code::invalid_argument, {"[flatten]", "1", "0"});
  op("unflatten")
      .add({real({2, 6})}, CALL(ops::unflatten(t[0], 1, Sizes{2, -1})), renamed({2, 2, 3}))
      .bad({real({2, 6})}, CALL(ops::unflatten(t[0], 1, Sizes{4, 2})), Code::shape,
           {"[unflatten]", "[4, 2]", "6"});
  op("t")
      .add({real({2, 3})}, CALL(ops::t(t[0])),
           moved({3, 2},
                 [](const Sizes& i) {
                   return Sizes{i[1], i[0]};
                 }))
      .add({real({3})}, CALL(ops::t(t[0])), renamed({3}))
      .bad({real({2, 3, 4})}, CALL(ops::t(t[0])), Code::shape, {"[t]", "[2, 3, 4]"});
  op("movedim")
      .add({real({2, 3, 4})}, CALL(ops::movedim(t[0], Sizes{0}, Sizes{-1})),
           moved({3, 4, 2},
                 [](const Sizes& i) {
                   return Sizes{i[2], i[0], i[1]};
                 }))
      .add({real({2, 3, 4})}, CALL(ops::movedim(t[0], Sizes{0, -1}, Sizes{1, 0})),
           moved({4, 2, 3},
                 [](const Sizes& i) {
                   return Sizes{i[1], i[2], i[0]};
                 }))
      .bad({real({2, 3})}, CALL(ops::movedim(t[0], Sizes{2}, Sizes{0})), Code::index,
           {"[movedim]", "source", "2"})
      .bad({real({2, 3})}, CALL(ops::movedim(t[0], Sizes{0, 1}, Sizes{0})), Code::invalid_argument,
           {"[movedim]", "length"})
      .bad({real({2, 3})}, CALL(ops::movedim(t[0], Sizes{0, 1}, Sizes{1, 1})), Code::invalid_argument,
           {"[movedim]", "twice"});
  op("narrow")
      .add({real({5, 2})}, CALL(ops::narrow(t[0], 0, 1, 3)),
           moved({3, 2},
                 [](const Sizes& i) {
                   return Sizes{i[0] + 1, i[1]};
                 }))
      .add({real({5, 2})}, CALL(ops::narrow(t[0], 0, -2, 2)),
           moved({2, 2},
                 [](const Sizes& i) {
                   return Sizes{i[0] + 3, i[1]};
                 }))
      .bad({real({5})}, CALL(ops::narrow(t[0], 0, 3, 3)), Code::index, {"[narrow]", "3", "size 5"});
  op("split")
      .add({real({5, 2})}, CALL(ops::split(t[0], 2)), parts(0, {{0, 2}, {2, 2}, {4, 1}}))
      .add({real({2, 4})}, CALL(ops::split(t[0], 4, -1)), parts(1, {{0, 4}}))
      .add({real({0, 4})}, CALL(ops::split(t[0], 0)), parts(0, {{0, 0}}))
      .bad({real({5})}, CALL(ops::split(t[0], 0)), Code::invalid_argument, {"[split]", "0"});
  op("split_sizes")
      .add({real({2, 5})}, CALL(ops::split_sizes(t[0], Sizes{2, 0, 3}, 1)),
           parts(1, {{0, 2}, {2, 0}, {2, 3}}))
      .bad({real({5})}, CALL(ops::split_sizes(t[0], Sizes{2, 2})), Code::shape,
           {"[split_sizes]", "[2, 2]", "5"});
  op("chunk")
      .add({real({5, 2})}, CALL(ops::chunk(t[0], 3)), parts(0, {{0, 2}, {2, 2}, {4, 1}}))
      .add({real({0, 2})}, CALL(ops::chunk(t[0], 2)), parts(0, {{0, 0}, {0, 0}}))
      .bad({real({5})}, CALL(ops::chunk(t[0], 0)), Code::invalid_argument, {"[chunk]", "0"});
  op("unbind")
      .add({real({2, 3})}, CALL(ops::unbind(t[0], 1)), parts(1, {{0, 1}, {1, 1}, {2, 1}}, true))
      .bad({real({})}, CALL(ops::unbind(t[0])), Code::shape, {"[unbind]", "0-dim"});
}

}  // namespace haft::test
