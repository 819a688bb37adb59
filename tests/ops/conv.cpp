// Records of convolution and the two gradients that are operators themselves.
#include "tests/ops/record.h"

namespace haft::test {

namespace {

struct Geometry {
  Sizes x, weight;  // (N, C, H, W), (O, C/groups, kH, kW)
  Sizes stride, padding, dilation;
  int64_t groups = 1;
  bool bias = false;
  bool grad = true;

  Sizes result() const {
    auto out = [&](size_t d) {
      return (x[2 + d] + 2 * padding[d] - dilation[d] * (weight[2 + d] - 1) - 1) / stride[d] + 1;
    };
    return {x[0], weight[0], out(0), out(1)};
  }
};

// Calls f with matching positions of x, weight and the result: all three operators are sums over these triples.
template <class F>
void each_product(const Geometry& g, F&& f) {
  int64_t per_group = g.weight[0] / g.groups;
  each_index(g.result(), [&](const Sizes& y) {
    each_index({g.weight[1], g.weight[2], g.weight[3]}, [&](const Sizes& k) {
      int64_t h = y[2] * g.stride[0] - g.padding[0] + k[1] * g.dilation[0],
              w = y[3] * g.stride[1] - g.padding[1] + k[2] * g.dilation[1];
      if (h < 0 || w < 0 || h >= g.x[2] || w >= g.x[3]) return;
      f(Sizes{y[0], y[1] / per_group * g.weight[1] + k[0], h, w}, Sizes{y[1], k[0], k[1], k[2]}, y);
    });
  });
}

const Geometry kForms[] = {
    {{2, 2, 4, 3}, {2, 2, 3, 2}, {1, 1}, {0, 0}, {1, 1}},
    {{1, 2, 5, 4}, {3, 2, 3, 3}, {2, 1}, {1, 1}, {1, 1}, 1, true},
    {{2, 1, 5, 5}, {2, 1, 2, 2}, {1, 2}, {0, 1}, {2, 2}, 1, true},
    {{1, 4, 3, 3}, {2, 2, 2, 2}, {1, 1}, {1, 0}, {1, 1}, 2},
    {{1, 3, 3, 3}, {3, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 3, true},            // depthwise
    {{1, 3, 3, 2}, {2, 3, 1, 1}, {1, 1}, {0, 0}, {1, 1}},                     // a matrix product
    {{2, 16, 9, 8}, {32, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, true, false},  // blocked channels
    {{1, 32, 7, 7}, {16, 32, 3, 3}, {2, 2}, {1, 1}, {1, 1}, 1, false, false},
    {{2, 16, 5, 5}, {16, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 16, false, false},
    {{3, 1, 12, 12}, {8, 1, 5, 5}, {1, 1}, {0, 0}, {1, 1}, 1, true, false},
    {{0, 2, 4, 4}, {3, 2, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
};

// What conv3d and its gradients are made of.
struct Volume {
  Sizes x, weight, stride, padding, dilation;
  int64_t groups = 1;
  bool bias = false;

  Sizes result() const {
    Sizes y{x[0], weight[0]};
    for (size_t d = 0; d < 3; ++d)
      y.push_back((x[2 + d] + 2 * padding[d] - dilation[d] * (weight[2 + d] - 1) - 1) / stride[d] + 1);
    return y;
  }
  template <class F>
  void each_product(F&& f) const {
    each_index(result(), [&](const Sizes& y) {
      each_index({weight[1], weight[2], weight[3], weight[4]}, [&](const Sizes& k) {
        Sizes i{y[0], y[1] / (weight[0] / groups) * weight[1] + k[0]};
        for (size_t d = 0; d < 3; ++d) {
          i.push_back(y[2 + d] * stride[d] - padding[d] + k[1 + d] * dilation[d]);
          if (i.back() < 0 || i.back() >= x[2 + d]) return;
        }
        f(i, Sizes{y[1], k[0], k[1], k[2], k[3]}, y);
      });
    });
  }
};
const Volume kVolumes[] = {
    {{1, 2, 3, 3, 4}, {2, 2, 2, 3, 2}, {1, 1, 2}, {1, 1, 0}, {1, 1, 1}, 1, true},
    {{2, 2, 4, 3, 3}, {2, 1, 2, 2, 1}, {2, 1, 1}, {0, 0, 1}, {2, 1, 1}, 2, false},
    {{1, 3, 2, 2, 3}, {3, 1, 2, 1, 2}, {1, 1, 1}, {1, 0, 0}, {1, 1, 2}, 3, true},  // depthwise
    {{0, 2, 3, 3, 3}, {3, 2, 2, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1, true},
    // Its weights' gradient: rows added to each other.
    {{1, 1, 5, 4, 4}, {1, 1, 3, 3, 2}, {2, 2, 2}, {1, 1, 0}, {2, 2, 2}, 1, false},
};

void add_volumes(Records& r) {
  Record& conv = r.op("conv3d_output").tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  Record& input = r.op("conv3d_input").tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  Record& weight = r.op("conv3d_weight").tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  for (const Volume& g : kVolumes) {
    conv.add({real(g.x), real(g.weight), g.bias ? real({g.weight[0]}) : absent()},
             CALL(ops::conv3d_output(t[0], t[1], t[2], g.stride, g.padding, g.dilation, g.groups)),
             [g](const Arrays& in) -> Arrays {
               Array y(g.result());
               if (in[2].defined) each_index(y.sizes, [&](const Sizes& i) { y[i] = in[2].v[size_t(i[1])]; });
               g.each_product(
                   [&](const Sizes& x, const Sizes& w, const Sizes& o) { y[o] += in[0][x] * in[1][w]; });
               return {y};
             });
    input.add({real(g.result()), real(g.weight)},
              CALL(ops::conv3d_input(t[0], t[1], g.x, g.stride, g.padding, g.dilation, g.groups)),
              [g](const Arrays& in) -> Arrays {
                Array dx(g.x);
                g.each_product(
                    [&](const Sizes& x, const Sizes& w, const Sizes& o) { dx[x] += in[0][o] * in[1][w]; });
                return {dx};
              });
    weight.add({real(g.result()), real(g.x)},
               CALL(ops::conv3d_weight(t[0], t[1], g.weight, g.stride, g.padding, g.dilation, g.groups)),
               [g](const Arrays& in) -> Arrays {
                 Array dw(g.weight);
                 g.each_product(
                     [&](const Sizes& x, const Sizes& w, const Sizes& o) { dw[w] += in[0][o] * in[1][x]; });
                 return {dw};
               });
  }
  const Sizes one{1, 1, 1}, none{0, 0, 0}, x{1, 2, 3, 3, 3}, w{2, 2, 2, 2, 2};
  conv.bad({real({2, 3, 3, 3}), real(w)}, CALL(ops::conv3d_output(t[0], t[1], Tensor(), one, none, one, 1)),
           Code::shape, {"[conv3d_output]", "[2, 3, 3, 3]"})
      .bad({real(x), real(w), real({3})}, CALL(ops::conv3d_output(t[0], t[1], t[2], one, none, one, 1)),
           Code::shape, {"[conv3d_output]", "bias", "[2]", "[3]"})
      .bad({real(x), real(w)}, CALL(ops::conv3d_output(t[0], t[1], Tensor(), Sizes{1, 1}, none, one, 1)),
           Code::invalid_argument, {"[conv3d_output]", "stride", "[1, 1]"})
      .bad({real(x), index_below(w, 3)}, CALL(ops::conv3d_output(t[0], t[1], Tensor(), one, none, one, 1)),
           Code::dtype, {"[conv3d_output]", "weight", "int64", "float32"});
  input.bad({real(x), real(w)}, CALL(ops::conv3d_input(t[0], t[1], Sizes{1, 2, 9, 9, 9}, one, none, one, 1)),
            Code::shape, {"[conv3d_input]", "[1, 2, 3, 3, 3]", "[1, 2, 8, 8, 8]"});
  weight.bad({real(x), real({1, 2, 9, 9, 9})}, CALL(ops::conv3d_weight(t[0], t[1], w, one, none, one, 1)),
             Code::shape, {"[conv3d_weight]", "[1, 2, 3, 3, 3]", "[1, 2, 8, 8, 8]"});
}

}  // namespace

void add_convolution(Records& r) {
  Record& conv = r.op("conv2d").tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  Record& input = r.op("conv2d_input").tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  Record& weight = r.op("conv2d_weight").tolerance(4).long_sums().on(kFloats, bit(DType::boolean));
  for (const Geometry& g : kForms) {
    conv.add(
            {real(g.x), real(g.weight), g.bias ? real({g.weight[0]}) : absent()},
            [g](Ins t) -> Outs {
              return ops::conv2d(t[0], t[1], t[2], g.stride, g.padding, g.dilation, g.groups);
            },
            [g](const Arrays& in) -> Arrays {
              Array y(g.result());
              if (in[2].defined) each_index(y.sizes, [&](const Sizes& i) { y[i] = in[2].v[size_t(i[1])]; });
              each_product(
                  g, [&](const Sizes& x, const Sizes& w, const Sizes& o) { y[o] += in[0][x] * in[1][w]; });
              return {y};
            })
        .cases.back()
        .grad = g.grad;
    input
        .add(
            {real(g.result()), real(g.weight)},
            [g](Ins t) -> Outs {
              return ops::conv2d_input(t[0], t[1], g.x, g.stride, g.padding, g.dilation, g.groups);
            },
            [g](const Arrays& in) -> Arrays {
              Array dx(g.x);
              each_product(
                  g, [&](const Sizes& x, const Sizes& w, const Sizes& o) { dx[x] += in[0][o] * in[1][w]; });
              return {dx};
            })
        .cases.back()
        .grad = g.grad;
    weight
        .add(
            {real(g.result()), real(g.x)},
            [g](Ins t) -> Outs {
              return ops::conv2d_weight(t[0], t[1], g.weight, g.stride, g.padding, g.dilation, g.groups);
            },
            [g](const Arrays& in) -> Arrays {
              Array dw(g.weight);
              each_product(
                  g, [&](const Sizes& x, const Sizes& w, const Sizes& o) { dw[w] += in[0][o] * in[1][x]; });
              return {dw};
            })
        .cases.back()
        .grad = g.grad;
  }
  add_volumes(r);
  auto plain = [](Sizes stride, Sizes padding, int64_t groups) {
    return [=](Ins t) -> Outs { return ops::conv2d(t[0], t[1], Tensor(), stride, padding, Sizes{}, groups); };
  };
  conv.bad({real({1, 3, 4, 4}), real({2, 2, 3, 3})}, plain({}, {}, 1), Code::shape,
           {"[conv2d]", "3 channels", "[2, 2, 3, 3]"})
      .bad({real({1, 2, 2, 2}), real({2, 2, 3, 3})}, plain({}, {}, 1), Code::shape,
           {"[conv2d]", "spans 3", "2 padded"})
      .bad({real({2, 4, 4}), real({2, 2, 3, 3})}, plain({}, {}, 1), Code::shape, {"[conv2d]", "[2, 4, 4]"})
      .bad({real({1, 2, 4, 4}), real({2, 2, 3, 3})}, plain({0}, {}, 1), Code::invalid_argument,
           {"[conv2d]", "stride", "0"})
      .bad({real({1, 2, 4, 4}), real({2, 2, 3, 3})}, plain({}, {-1}, 1), Code::invalid_argument,
           {"[conv2d]", "padding", "-1"})
      .bad({real({1, 2, 4, 4}), real({2, 2, 3, 3})}, plain({}, {}, 0), Code::invalid_argument,
           {"[conv2d]", "groups", "0"})
      .bad({real({1, 0, 4, 4}), real({0, 4, 3, 3})}, plain({}, {}, int64_t(1) << 62), Code::shape,
           {"[conv2d]", "4 a group"})
      .bad({real({1, 2, 4, 4}), real({2, 2, 3, 3}), real({3})},
           CALL(ops::conv2d(t[0], t[1], t[2], Sizes{}, Sizes{}, Sizes{})), Code::shape,
           {"[conv2d]", "bias", "[2]", "[3]"})
      .bad({real({1, 2, 4, 4}), index_below({2, 2, 3, 3}, 3)}, plain({}, {}, 1), Code::dtype,
           {"[conv2d]", "weight", "int64", "float32"});
  input.bad({real({1, 2, 4, 4}), real({2, 2, 3, 3})},
            CALL(ops::conv2d_input(t[0], t[1], Sizes{1, 2, 9, 9}, Sizes{1}, Sizes{0}, Sizes{1}, 1)),
            Code::shape, {"[conv2d_input]", "[1, 2, 4, 4]", "[1, 2, 7, 7]"});
  weight.bad({real({1, 2, 4, 4}), real({1, 2, 9, 9})},
             CALL(ops::conv2d_weight(t[0], t[1], Sizes{2, 2, 3, 3}, Sizes{1}, Sizes{0}, Sizes{1}, 1)),
             Code::shape, {"[conv2d_weight]", "[1, 2, 4, 4]", "[1, 2, 7, 7]"});

  Record& channels = r.op("channel_sum").tolerance(8);
  for (const Sizes& s : {Sizes{2, 3, 2, 2}, Sizes{1, 16, 3, 3}, Sizes{0, 2, 3, 3}})
    channels.add({real(s)}, CALL(ops::channel_sum(t[0])), [](const Arrays& in) -> Arrays {
      Array y({in[0].sizes[1]});
      each_index(in[0].sizes, [&](const Sizes& i) { y.v[size_t(i[1])] += in[0][i]; });
      return {y};
    });
  channels.bad({real({2, 3})}, CALL(ops::channel_sum(t[0])), Code::shape, {"[channel_sum]", "[2, 3]"});
}

}  // namespace haft::test
