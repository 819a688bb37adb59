// Records of convolutions in one to three dimensions, their transposes, columns of windows, bilinear.
#include "tests/ops/record.h"

namespace haft::test {

namespace {

struct Form {
  Sizes x, weight;  // (N, C, *), (O, C/groups, *)
  Sizes stride, padding, dilation;
  int64_t groups = 1;
  Sizes extra = {};  // output padding of the transposed one

  size_t dims() const { return stride.size(); }
  Sizes result() const {
    Sizes y{x[0], weight[0]};
    for (size_t d = 0; d < dims(); ++d)
      y.push_back((x[2 + d] + 2 * padding[d] - dilation[d] * (weight[2 + d] - 1) - 1) / stride[d] + 1);
    return y;
  }
};

// f(place in x, place in weight, place in the result) for each product of a convolution of x of these sizes.
template <class F>
void each_product(const Form& g, const Sizes& x, const Sizes& y, F&& f) {
  each_index(y, [&](const Sizes& o) {
    Sizes kernel(g.weight.begin() + 1, g.weight.end());
    each_index(kernel, [&](const Sizes& k) {
      Sizes i{o[0], o[1] / (g.weight[0] / g.groups) * g.weight[1] + k[0]}, w{o[1]};
      w.insert(w.end(), k.begin(), k.end());
      for (size_t d = 0; d < g.dims(); ++d) {
        i.push_back(o[2 + d] * g.stride[d] - g.padding[d] + k[1 + d] * g.dilation[d]);
        if (i[2 + d] < 0 || i[2 + d] >= x[2 + d]) return;
      }
      f(i, w, o);
    });
  });
}

Array convolved(const Form& g, const Arrays& in) {
  Array y(g.result());
  if (in[2].defined) each_index(y.sizes, [&](const Sizes& o) { y[o] = in[2].v[size_t(o[1])]; });
  each_product(g, g.x, y.sizes,
               [&](const Sizes& i, const Sizes& w, const Sizes& o) { y[o] += in[0][i] * in[1][w]; });
  return y;
}

// The form's x is the result, its result what goes in.
Array transposed(const Form& g, const Arrays& in) {
  Array y(g.x);
  if (in[2].defined) each_index(y.sizes, [&](const Sizes& o) { y[o] = in[2].v[size_t(o[1])]; });
  each_product(g, g.x, in[0].sizes,
               [&](const Sizes& i, const Sizes& w, const Sizes& o) { y[i] += in[0][o] * in[1][w]; });
  return y;
}

using Conv =
    std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, IntList, IntList, IntList, int64_t)>;
using Transpose = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, IntList, IntList, IntList,
                                       int64_t, IntList)>;

void add_conv(Records& r, const char* name, Conv conv, std::vector<Form> forms) {
  Record& record = r.op(name).tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  bool bias = false;
  for (const Form& g : forms) {
    bias = !bias;
    record.add({real(g.x), real(g.weight), bias ? real({g.weight[0]}) : absent()},
               CALL(conv(t[0], t[1], t[2], g.stride, g.padding, g.dilation, g.groups)),
               [g](const Arrays& in) -> Arrays { return {convolved(g, in)}; });
  }
  Form g = forms[0];
  Sizes rank(g.x.begin() + 2, g.x.end()), wide = g.weight;
  wide[1] += 1;
  record
      .bad({real(rank), real(g.weight)}, CALL(conv(t[0], t[1], Tensor(), {}, {}, {}, 1)), Code::shape,
           {name, "(unbatched)"})
      .bad({real(g.x), real({2, 2})}, CALL(conv(t[0], t[1], Tensor(), {}, {}, {}, 1)), Code::shape,
           {name, "weight", "[2, 2]"})
      .bad({real(g.x), real(wide)}, CALL(conv(t[0], t[1], Tensor(), {}, {}, {}, 1)), Code::shape,
           {concat("[", name, "]"), "channels", concat(IntList(g.x))})
      .bad({real(g.x), real(g.weight)}, CALL(conv(t[0], t[1], Tensor(), Sizes{0}, {}, {}, 1)),
           Code::invalid_argument, {name, "stride", "0"});
}

void add_transposed(Records& r, const char* name, Transpose conv, std::vector<Form> forms) {
  Record& record = r.op(name).tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  bool bias = false;
  for (Form g : forms) {
    bias = !bias;
    const Sizes in = g.x;  // given as the input; the sizes of the result follow
    g.x[1] = g.weight[1] * g.groups;
    for (size_t d = 0; d < g.dims(); ++d)
      g.x[2 + d] = (in[2 + d] - 1) * g.stride[d] - 2 * g.padding[d] + g.dilation[d] * (g.weight[2 + d] - 1) +
                   g.extra[d] + 1;
    record.add({real(in), real(g.weight), bias ? real({g.x[1]}) : absent()},
               CALL(conv(t[0], t[1], t[2], g.stride, g.padding, g.extra, g.groups, g.dilation)),
               [g](const Arrays& a) -> Arrays { return {transposed(g, a)}; });
  }
  const Form& g = forms[0];
  Sizes other = g.x;
  other[1] += 1;
  record
      .bad({real({2}), real(g.weight)}, CALL(conv(t[0], t[1], Tensor(), {}, {}, {}, 1, {})), Code::shape,
           {name, "(unbatched)"})
      .bad({real(g.x), real({2, 2})}, CALL(conv(t[0], t[1], Tensor(), {}, {}, {}, 1, {})), Code::shape,
           {name, "weight", "[2, 2]"})
      .bad({real(other), real(g.weight)}, CALL(conv(t[0], t[1], Tensor(), {}, {}, {}, 1, {})), Code::shape,
           {name, "channels"})
      .bad({real(g.x), real(g.weight)}, CALL(conv(t[0], t[1], Tensor(), {}, {}, Sizes{1}, 1, {})),
           Code::invalid_argument, {name, "output padding must be smaller"})
      .bad({real(g.x), real(g.weight), real({99})}, CALL(conv(t[0], t[1], t[2], {}, {}, {}, 1, {})),
           Code::shape, {name, "bias", "[99]"});
}

}  // namespace

#define OP(name) [](const auto&... a) { return ops::name(a...); }
void add_convolution_nd(Records& r) {
  add_conv(r, "conv1d", OP(conv1d),
           {{{2, 2, 7}, {3, 2, 3}, {2}, {1}, {1}},
            {{1, 4, 6}, {4, 2, 2}, {1}, {0}, {2}, 2},
            {{2, 3, 9}, {3, 1, 5}, {1}, {2}, {1}, 3},
            {{0, 2, 7}, {3, 2, 3}, {2}, {1}, {1}}});
  add_conv(r, "conv3d", OP(conv3d),
           {{{1, 2, 4, 3, 4}, {2, 2, 2, 3, 2}, {1, 1, 2}, {1, 1, 0}, {1, 1, 1}},
            {{2, 2, 4, 3, 3}, {2, 1, 2, 2, 1}, {2, 1, 1}, {0, 0, 1}, {2, 1, 1}, 2},
            {{0, 2, 3, 3, 3}, {2, 2, 2, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}});
  add_transposed(
      r, "conv_transpose1d", OP(conv_transpose1d),
      {{{2, 2, 3}, {2, 3, 3}, {2}, {1}, {1}, 1, {1}}, {{1, 4, 3}, {4, 1, 2}, {1}, {0}, {2}, 2, {1}}});
  add_transposed(r, "conv_transpose2d", OP(conv_transpose2d),
                 {{{1, 2, 3, 2}, {2, 2, 3, 2}, {2, 1}, {1, 0}, {1, 1}, 1, {1, 0}},
                  {{1, 2, 2, 3}, {2, 2, 2, 2}, {1, 2}, {0, 1}, {2, 1}, 2, {1, 0}}});
  add_transposed(r, "conv_transpose3d", OP(conv_transpose3d),
                 {{{1, 2, 2, 2, 3}, {2, 2, 2, 3, 2}, {2, 1, 1}, {1, 1, 0}, {1, 1, 1}, 1, {1, 0, 0}},
                  {{1, 2, 2, 2, 2}, {2, 1, 2, 2, 1}, {1, 2, 1}, {0, 0, 0}, {2, 1, 1}, 2, {1, 1, 0}}});

  // Columns of windows: one channel of weight for each cell.
  const Form g{{2, 2, 4, 5}, {1, 2, 2, 3}, {2, 1}, {1, 0}, {1, 2}};
  const Sizes y = g.result(), columns{2, 12, y[2] * y[3]};
  auto each_column = [g, y](auto&& f) {
    each_product(g, g.x, y, [&](const Sizes& i, const Sizes& w, const Sizes& o) {
      f(i, Sizes{o[0], (w[1] * 2 + w[2]) * 3 + w[3], o[2] * y[3] + o[3]});
    });
  };
  const Sizes kernel{2, 3};
  r.op("im2col")
      .on(kAll)
      .add({real(g.x)}, CALL(ops::im2col(t[0], kernel, g.dilation, g.padding, g.stride)),
           [=](const Arrays& in) -> Arrays {
             Array out(columns);
             each_column([&](const Sizes& i, const Sizes& c) { out[c] = in[0][i]; });
             return {out};
           })
      .bad({real({4, 5})}, CALL(ops::im2col(t[0], kernel)), Code::shape, {"[im2col]", "[4, 5]"})
      .bad({real({2, 1, 5})}, CALL(ops::im2col(t[0], kernel)), Code::shape, {"[im2col]", "2", "1"});
  const Sizes size{4, 5};
  r.op("col2im")
      .on(kFloats, 0)
      .tolerance(4)
      .add({real(columns)}, CALL(ops::col2im(t[0], size, kernel, g.dilation, g.padding, g.stride)),
           [=](const Arrays& in) -> Arrays {
             Array out(g.x);
             each_column([&](const Sizes& i, const Sizes& c) { out[i] += in[0][c]; });
             return {out};
           })
      .bad({real({2, 12, 3})}, CALL(ops::col2im(t[0], size, kernel)), Code::shape, {"[col2im]", "[2, 12, 3]"})
      .bad({real({12})}, CALL(ops::col2im(t[0], size, kernel)), Code::shape, {"[col2im]", "[12]"});

  auto product = [](const Arrays& in) -> Arrays {
    Sizes out = in[0].sizes;
    out.back() = in[2].sizes[0];
    return {make_array(out, [&](const Sizes& i) {
      double s = in[3].defined ? in[3].v[size_t(i.back())] : 0;
      Sizes a = i, b = i;
      for (a.back() = 0; a.back() < in[0].size(-1); ++a.back())
        for (b.back() = 0; b.back() < in[1].size(-1); ++b.back())
          s += in[0][a] * in[2][{i.back(), a.back(), b.back()}] * in[1][b];
      return s;
    })};
  };
  r.op("bilinear")
      .tolerance(4)
      .long_sums()
      .on(kFloats, bit(DType::boolean))
      .add({real({2, 2, 3}), real({2, 2, 2}), real({4, 3, 2}), real({4})},
           CALL(ops::bilinear(t[0], t[1], t[2], t[3])), product)
      .add({real({3}), real({2}), real({2, 3, 2}), absent()}, CALL(ops::bilinear(t[0], t[1], t[2], t[3])),
           product)
      .bad({real({2, 3}), real({3, 2}), real({4, 3, 2})}, CALL(ops::bilinear(t[0], t[1], t[2], Tensor())),
           Code::shape, {"[bilinear]", "batch", "[3, 2]"})
      .bad({real({2, 3}), real({2, 3}), real({4, 3, 2})}, CALL(ops::bilinear(t[0], t[1], t[2], Tensor())),
           Code::shape, {"[bilinear]", "[4, 3, 2]"});
}

}  // namespace haft::test
