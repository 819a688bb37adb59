// Records of turns, repeats, diagonals, parts, and of several tensors side by side.
#include "tests/ops/record.h"

namespace haft::test {

namespace {

// One result of that shape, element by element.
using Element = double (*)(const Arrays&, const Sizes&);
Reference element(Sizes sizes, Element f) {
  return [=](const Arrays& in) -> Arrays {
    return {make_array(sizes, [&](const Sizes& i) { return f(in, i); })};
  };
}
#define AT(...) [](const Arrays& x, [[maybe_unused]] const Sizes& i) -> double { return __VA_ARGS__; }

// Parts of a vector: start and length of each.
Reference parts(std::vector<std::pair<size_t, size_t>> ranges) {
  return [=](const Arrays& in) -> Arrays {
    Arrays out;
    for (auto [start, length] : ranges) {
      Array y(Sizes{int64_t(length)});
      for (size_t k = 0; k < length; ++k) y.v[k] = in[0].v[start + k];
      out.push_back(y);
    }
    return out;
  };
}

}  // namespace

void add_shapes(Records& r) {
  auto op = [&](const char* name) -> Record& { return r.op(name).on(kAll); };
  op("ravel").add({real({2, 3})}, CALL(ops::ravel(t[0])), element({6}, AT(x[0].v[size_t(i[0])])));
  op("fliplr")
      .add({real({2, 3})}, CALL(ops::fliplr(t[0])), element({2, 3}, AT(x[0][{i[0], 2 - i[1]}])))
      .bad({real({3})}, CALL(ops::fliplr(t[0])), Code::shape, {"[fliplr]", "2 dimensions", "[3]"});
  op("flipud")
      .add({real({3, 2})}, CALL(ops::flipud(t[0])), element({3, 2}, AT(x[0][{2 - i[0], i[1]}])))
      .bad({real({})}, CALL(ops::flipud(t[0])), Code::shape, {"[flipud]", "1 dimensions"});
  op("rot90")
      .add({real({2, 3})}, CALL(ops::rot90(t[0])), element({3, 2}, AT(x[0][{i[1], 2 - i[0]}])))
      .add({real({2, 3})}, CALL(ops::rot90(t[0], -1)), element({3, 2}, AT(x[0][{1 - i[1], i[0]}])))
      .add({real({2, 3})}, CALL(ops::rot90(t[0], 6)), element({2, 3}, AT(x[0][{1 - i[0], 2 - i[1]}])))
      .add({real({2, 3, 2})}, CALL(ops::rot90(t[0], 5, Sizes{1, -1})),
           element({2, 2, 3}, AT(x[0][{i[0], i[2], 1 - i[1]}])))
      .bad({real({2, 3})}, CALL(ops::rot90(t[0], 1, Sizes{0, -2})), Code::invalid_argument,
           {"[rot90]", "both 0"})
      .bad({real({2, 3})}, CALL(ops::rot90(t[0], 1, Sizes{0})), Code::invalid_argument,
           {"[rot90]", "2 dimensions"})
      .bad({real({3})}, CALL(ops::rot90(t[0])), Code::shape, {"[rot90]", "[3]"});
  op("tile")
      .add({real({2, 3})}, CALL(ops::tile(t[0], Sizes{2})), element({2, 6}, AT(x[0][{i[0], i[1] % 3}])))
      .add({real({2})}, CALL(ops::tile(t[0], Sizes{2, 2})), element({2, 4}, AT(x[0].v[size_t(i[1] % 2)])))
      .bad({real({2})}, CALL(ops::tile(t[0], Sizes{-1})), Code::invalid_argument, {"-1"});
  op("repeat_interleave")
      .host_only()
      .depends_on_values()
      .add({real({2, 3}), index_values({3}, {2, 0, 1})}, CALL(ops::repeat_interleave(t[0], t[1], 1)),
           element({2, 3}, AT(x[0][{i[0], i[1] < 2 ? 0 : 2}])))
      .add({real({3}), index_values({3}, {2, 0, 1})},
           CALL(ops::repeat_interleave(t[0], ops::cast(t[1], DType::u8), 0)),
           element({3}, AT(x[0].v[i[0] < 2 ? 0 : 2])))
      .add({real({2, 2}), index_values({}, {2})}, CALL(ops::repeat_interleave(t[0], t[1])),
           element({8}, AT(x[0].v[size_t(i[0] / 2)])))
      .bad({real({2, 3}), index_values({2}, {1, 1})}, CALL(ops::repeat_interleave(t[0], t[1], 1)),
           Code::shape, {"[repeat_interleave]", "3 slices", "[2]"})
      .bad({real({2}), index_values({2}, {1, -1})}, CALL(ops::repeat_interleave(t[0], t[1])),
           Code::invalid_argument, {"[repeat_interleave]", "negative"})
      .bad({real({4}), index_values({4}, {0x1p62, 0x1p62, 0x1p62, 0x1p62})},
           CALL(ops::repeat_interleave(t[0], t[1])), Code::overflow, {"[repeat_interleave]", "add up to"})
      .bad({real({2}), real({2})}, CALL(ops::repeat_interleave(t[0], t[1])), Code::dtype,
           {"[repeat_interleave]", "float32"});
  op("atleast_1d").add({real({})}, CALL(ops::atleast_1d(t[0])), element({1}, AT(x[0].v[0])));
  op("atleast_2d").add({real({3})}, CALL(ops::atleast_2d(t[0])), element({1, 3}, AT(x[0].v[size_t(i[1])])));
  op("atleast_3d")
      .add({real({3})}, CALL(ops::atleast_3d(t[0])), element({1, 3, 1}, AT(x[0].v[size_t(i[1])])))
      .add({real({3, 2})}, CALL(ops::atleast_3d(t[0])), element({3, 2, 1}, AT(x[0][{i[0], i[1]}])));

  op("diag_embed")
      .add({real({3})}, CALL(ops::diag_embed(t[0])),
           element({3, 3}, AT(i[0] == i[1] ? x[0].v[size_t(i[0])] : 0)))
      .add({real({2, 2})}, CALL(ops::diag_embed(t[0], 1, 0, 2)),
           element({3, 2, 3}, AT(i[2] == i[0] + 1 ? x[0][{i[1], i[0]}] : 0)))
      .add({real({2})}, CALL(ops::diag_embed(t[0], -1)),
           element({3, 3}, AT(i[0] == i[1] + 1 ? x[0].v[size_t(i[1])] : 0)))
      .bad({real({})}, CALL(ops::diag_embed(t[0])), Code::shape, {"[diag_embed]"})
      .bad({real({2})}, CALL(ops::diag_embed(t[0], 0, 1, -1)), Code::invalid_argument,
           {"[diag_embed]", "both 1"})
      .bad({real({2})}, CALL(ops::diag_embed(t[0], INT64_MAX)), Code::overflow, {"[diag_embed]", "offset"});
  op("diag")
      .add({real({2})}, CALL(ops::diag(t[0], 1)),
           element({3, 3}, AT(i[1] == i[0] + 1 ? x[0].v[size_t(i[0])] : 0)))
      .add({real({2, 3})}, CALL(ops::diag(t[0], 1)), element({2}, AT(x[0][{i[0], i[0] + 1}])))
      .bad({real({2, 2, 2})}, CALL(ops::diag(t[0])), Code::shape, {"[diag]", "[2, 2, 2]"});
  op("diagflat")
      .add({real({2, 2})}, CALL(ops::diagflat(t[0])),
           element({4, 4}, AT(i[0] == i[1] ? x[0].v[size_t(i[0])] : 0)));
  op("trace")
      .gives({sum_type})
      .tolerance(4)
      .add({real({2, 3})}, CALL(ops::trace(t[0])), element({}, AT(x[0].v[0] + x[0].v[4])))
      .bad({real({2})}, CALL(ops::trace(t[0])), Code::shape, {"[trace]", "[2]"});
  for (bool upper : {false, true})
    r.op(upper ? "triu_indices" : "tril_indices")
        .on(bit(DType::f32), 0)
        .gives({always_i64})
        .host_only()
        .add(
            {},
            [upper](Ins) -> Outs { return upper ? ops::triu_indices(2, 3, 1) : ops::tril_indices(2, 3, 1); },
            [upper](const Arrays&) -> Arrays {
              return {upper ? Array({2, 3}, {0, 0, 1, 1, 2, 2})
                            : Array({2, 5}, {0, 0, 1, 1, 1, 0, 1, 0, 1, 2})};
            })
        .bad({}, [upper](Ins) -> Outs { return upper ? ops::triu_indices(-1, 3) : ops::tril_indices(-1, 3); },
             Code::invalid_argument, {"-1"})
        .bad({},
             [upper](Ins) -> Outs {
               return upper ? ops::triu_indices(2, 3, 0, DType::f32) : ops::tril_indices(2, 3, 0, DType::f32);
             },
             Code::dtype, {"float32"});
  op("tensor_split")
      .add({real({5})}, CALL(ops::tensor_split(t[0], 3)), parts({{0, 2}, {2, 2}, {4, 1}}))
      .bad({real({5})}, CALL(ops::tensor_split(t[0], 0)), Code::invalid_argument, {"[tensor_split]", "0"});
  op("tensor_split_indices")
      .add({real({5})}, CALL(ops::tensor_split_indices(t[0], Sizes{1, -1, 2})),
           parts({{0, 1}, {1, 3}, {4, 0}, {2, 3}}))
      .bad({real({})}, CALL(ops::tensor_split_indices(t[0], Sizes{1})), Code::shape,
           {"[tensor_split_indices]"});

  const std::array none = std::to_array<Tensor>({{}});
  auto empty = std::span<const Tensor>(none).first(0);
  op("hstack")
      .add({real({2, 3}), real({2, 2})}, CALL(ops::hstack(t)),
           element({2, 5}, AT(i[1] < 3 ? x[0][{i[0], i[1]}] : x[1][{i[0], i[1] - 3}])))
      .add({real({}), real({2})}, CALL(ops::hstack(t)),
           element({3}, AT(i[0] ? x[1].v[size_t(i[0] - 1)] : x[0].v[0])))
      .bad({}, [empty](Ins) -> Outs { return ops::hstack(empty); }, Code::invalid_argument, {"[hstack]"});
  op("vstack")
      .add({real({3}), real({2, 3})}, CALL(ops::vstack(t)),
           element({3, 3}, AT(i[0] ? x[1][{i[0] - 1, i[1]}] : x[0].v[size_t(i[1])])))
      .bad({}, [empty](Ins) -> Outs { return ops::vstack(empty); }, Code::invalid_argument, {"[vstack]"});
  op("dstack")
      .add({real({2, 2}), real({2, 2})}, CALL(ops::dstack(t)),
           element({2, 2, 2}, AT(x[size_t(i[2])][{i[0], i[1]}])))
      .bad({}, [empty](Ins) -> Outs { return ops::dstack(empty); }, Code::invalid_argument, {"[dstack]"});
  op("column_stack")
      .add({real({2}), real({2, 2})}, CALL(ops::column_stack(t)),
           element({2, 3}, AT(i[1] ? x[1][{i[0], i[1] - 1}] : x[0].v[size_t(i[0])])))
      .bad({}, [empty](Ins) -> Outs { return ops::column_stack(empty); }, Code::invalid_argument,
           {"[column_stack]"});
  op("broadcast_tensors")
      .add({real({2, 1}), real({3})}, CALL(ops::broadcast_tensors(t)),
           [](const Arrays& x) -> Arrays {
             return {make_array({2, 3}, [&](const Sizes& i) { return x[0].v[size_t(i[0])]; }),
                     make_array({2, 3}, [&](const Sizes& i) { return x[1].v[size_t(i[1])]; })};
           })
      .bad({real({2}), real({3})}, CALL(ops::broadcast_tensors(t)), Code::shape,
           {"[broadcast_tensors]", "[2]", "[3]"});
  Record& grid = op("meshgrid");
  for (bool xy : {false, true})
    grid.add({real({2}), real({3})}, CALL(ops::meshgrid(t, xy)), [xy](const Arrays& x) -> Arrays {
      const Sizes sizes = xy ? Sizes{3, 2} : Sizes{2, 3};
      return {make_array(sizes, [&](const Sizes& i) { return x[0].v[size_t(i[xy])]; }),
              make_array(sizes, [&](const Sizes& i) { return x[1].v[size_t(i[!xy])]; })};
    });
  grid.bad({real({2, 2})}, CALL(ops::meshgrid(t)), Code::shape, {"[meshgrid]", "[2, 2]"});
  op("cartesian_prod")
      .add({real({2}), real({3})}, CALL(ops::cartesian_prod(t)),
           element({6, 2}, AT(i[1] ? x[1].v[size_t(i[0] % 3)] : x[0].v[size_t(i[0] / 3)])));
  op("unravel_index")
      .host_only()
      .add({index_values({2, 2}, {0, 5, 23, 7})}, CALL(ops::unravel_index(t[0], Sizes{2, 3, 4})),
           [](const Arrays&) -> Arrays {
             return {Array({2, 2}, {0, 0, 1, 0}), Array({2, 2}, {0, 1, 2, 1}), Array({2, 2}, {0, 1, 3, 3})};
           })
      .gives({always_i64, always_i64, always_i64})
      .bad({index_values({1}, {6})}, CALL(ops::unravel_index(t[0], Sizes{2, 3})), Code::index,
           {"[unravel_index]", "6", "[2, 3]"})
      .bad({index_values({1}, {-1})}, CALL(ops::unravel_index(t[0], Sizes{2, 3})), Code::index,
           {"[unravel_index]", "-1"})
      .bad({index_values({1}, {0})}, CALL(ops::unravel_index(t[0], Sizes{2, -3})), Code::shape,
           {"[unravel_index]", "-3"});
  op("vander")
      .on(kFloats, 0)
      .tolerance(8)
      .add({real({3}, 0.5, 2)}, CALL(ops::vander(t[0])),
           [](const Arrays& x) -> Arrays {
             return {make_array({3, 3},
                                [&](const Sizes& i) { return std::pow(x[0].v[size_t(i[0])], 2 - i[1]); })};
           })
      .add(
          {real({2}, 0.5, 2)}, CALL(ops::vander(t[0], 4, true)),
          [](const Arrays& x) -> Arrays {
            return {make_array({2, 4}, [&](const Sizes& i) { return std::pow(x[0].v[size_t(i[0])], i[1]); })};
          })
      .bad({real({2, 2})}, CALL(ops::vander(t[0])), Code::shape, {"[vander]", "[2, 2]"})
      .bad({real({2})}, CALL(ops::vander(t[0], -1)), Code::invalid_argument, {"[vander]", "-1"});
  Record& choose = op("combinations").host_only();
  for (bool again : {false, true})
    choose.add({real({3})}, CALL(ops::combinations(t[0], 2, again)), [again](const Arrays& x) -> Arrays {
      Array y(Sizes{again ? 6 : 3, 2});
      size_t k = 0;
      for (size_t a = 0; a < 3; ++a)
        for (size_t b = a + !again; b < 3; ++b) y.v[k++] = x[0].v[a], y.v[k++] = x[0].v[b];
      return {y};
    });
  choose.bad({real({2, 2})}, CALL(ops::combinations(t[0])), Code::shape, {"[combinations]", "[2, 2]"})
      .bad({real({2})}, CALL(ops::combinations(t[0], -1)), Code::invalid_argument, {"[combinations]", "-1"});
  op("block_diag")
      .add({real({1, 2}), real({2, 1}), real({})}, CALL(ops::block_diag(t)),
           element({4, 4}, AT(i[0] == 0  ? (i[1] < 2 ? x[0].v[size_t(i[1])] : 0)
                              : i[0] < 3 ? (i[1] == 2 ? x[1].v[size_t(i[0] - 1)] : 0)
                                         : (i[1] == 3 ? x[2].v[0] : 0))))
      .bad({real({1, 1, 1})}, CALL(ops::block_diag(t)), Code::shape, {"[block_diag]", "[1, 1, 1]"});
}

}  // namespace haft::test
