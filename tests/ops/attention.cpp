// Attention against plain loops in double: shapes that break tiles, masks, shared heads, and draws of dropout.
#include <cmath>

#include "core/cpu/philox.h"
#include "core/dispatch/generator.h"
#include "tests/ops/record.h"

namespace haft::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Options {
  double scale = 0;  // 0: 1 / sqrt(E)
  bool causal = false, boolean = false;
  double dropout = 0;
  uint64_t seed = 0, offset = 0;
};

double masked(const Array& mask, const Sizes& at, bool boolean) {
  Sizes own(mask.sizes.size());
  for (size_t d = 0; d < own.size(); ++d) own[d] = mask.sizes[d] == 1 ? 0 : at[at.size() - own.size() + d];
  const double m = mask[own];
  return boolean ? (m != 0 ? 0 : -kInfinity) : m;
}

const double* row(const Array& x, int64_t n, int64_t h, int64_t i) {
  return x.v.data() + ((n * x.size(1) + h) * x.size(2) + i) * x.size(3);
}

// out (N, H, L, Ev) and lse (N, H, L) of 4-d inputs.
Arrays attend(const Arrays& in, const Options& o) {
  const Array &q = in[0], &k = in[1], &v = in[2];
  const int64_t heads = q.size(1), length = q.size(2), keys = k.size(2), share = heads / std::max<int64_t>(k.size(1), 1);
  const double scale = o.scale != 0 ? o.scale : 1 / std::sqrt(double(q.size(3)));
  const cpu::Philox random{o.seed, o.offset};
  Array out({q.size(0), heads, length, v.size(3)}), lse({q.size(0), heads, length});
  each_index(lse.sizes, [&](const Sizes& at) {
    const int64_t n = at[0], h = at[1], i = at[2];
    std::vector<double> s(size_t(keys), -kInfinity);
    double top = -kInfinity, sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      if (o.causal && j > i) continue;
      const double *a = row(q, n, h, i), *b = row(k, n, h / share, j);
      double x = 0;
      for (int64_t d = 0; d < q.size(3); ++d) x += a[d] * b[d];
      x *= scale;
      if (in.size() > 3 && in[3].defined) x += masked(in[3], {n, h, i, j}, o.boolean);
      s[size_t(j)] = x;
      top = std::max(top, x);
    }
    if (top == -kInfinity) {
      lse[at] = -kInfinity;
      return;
    }
    for (double& x : s) sum += x = std::exp(x - top);
    lse[at] = top + std::log(sum);
    for (int64_t j = 0; j < keys; ++j) {
      double w = s[size_t(j)] / sum;
      if (o.dropout > 0) {
        const uint64_t element = uint64_t(((n * heads + h) * length + i) * keys + j);
        w = double(random.word(element) >> 8) * 0x1p-24 >= o.dropout ? w / (1 - o.dropout) : 0;
      }
      const double* from = row(v, n, h / share, j);
      double* to = out.v.data() + (row(out, n, h, i) - out.v.data());
      for (int64_t d = 0; d < v.size(3); ++d) to[d] += w * from[d];
    }
  });
  return {out, lse};
}

Array turned(const Array& x) {
  return make_array({x.size(0), x.size(2), x.size(1), x.size(3)}, [&](const Sizes& i) { return x[{i[0], i[2], i[1], i[3]}]; });
}

// Every third element is true; row 0 sees nothing when asked.
Input see(Sizes sizes, bool blind_row) {
  return mask(std::move(sizes)).fixed([blind_row](Array& a) {
    const int64_t columns = a.size(-1);
    for (int64_t i = 0; i < a.numel(); ++i) a.v[size_t(i)] = (i / columns % a.size(-2) != 0 || !blind_row) && i % 3 != 1;
  });
}

void add_pair(Records& r) {
  Record& op = r.op("attention").gives({same, wide_type}).tolerance(8, 20).long_sums();
  struct Shapes {
    int64_t n, h, own, l, s, e, ev;
  };
  for (const Shapes z : {Shapes{1, 1, 1, 1, 1, 1, 1}, {2, 2, 1, 3, 4, 3, 2}, {1, 2, 2, 7, 7, 5, 5}, {1, 2, 2, 97, 129, 8, 17}, {2, 1, 1, 129, 97, 33, 8},
                         {1, 4, 2, 7, 200, 64, 64}, {1, 1, 1, 100, 390, 16, 16}, {1, 1, 1, 2, 3, 256, 80}, {1, 1, 1, 0, 3, 4, 4}, {1, 1, 1, 3, 0, 4, 4},
                         {0, 1, 1, 3, 3, 4, 4}})
    for (int kind = 0; kind < 4; ++kind) {
      Options o{.scale = 0.3, .causal = kind == 1 || kind == 3, .boolean = kind == 2};
      if (kind == 3) o.dropout = 0.25, o.seed = 11, o.offset = 5;
      const Sizes weights{z.n, z.h, z.l, z.s};
      op.add({real({z.n, z.h, z.l, z.e}), real({z.n, z.own, z.s, z.e}), real({z.n, z.own, z.s, z.ev}),
              kind == 2 ? see(weights, true) : absent()},
             [o](Ins t) -> Outs {
               return ops::attention(t[0], t[1], t[2], t[3], o.scale, o.causal, o.dropout, int64_t(o.seed), int64_t(o.offset));
             },
             [o](const Arrays& in) -> Arrays {
               Arrays a = attend(in, o);
               return {turned(a[0]), a[1]};
             });
      op.cases.back().grad = kind != 2 && z.s;  // differences of -infinity are no numbers
    }
  op.bad({real({2, 3, 4})}, CALL(ops::attention(t[0], t[0], t[0], Tensor(), 1, false, 0, 0, 0)), Code::shape, {"[2, 3, 4]"});

  // From the results of the forward kernel, as the tape calls it.
  Record& backward = r.op("attention_backward").tolerance(8, 20).long_sums();
  backward.add({real({1, 3, 2, 2}), real({1, 2, 3, 4}), real({1, 1, 5, 4}), real({1, 1, 5, 2})},
               [](Ins t) -> Outs {
                 const auto [out, lse] = ops::attention(t[1], t[2], t[3], Tensor(), 0.5, false, 0, 0, 0);
                 return ops::attention_backward(t[0], t[1], t[2], t[3], Tensor(), out, lse, 0.5, false, 0, 0, 0);
               },
               [](const Arrays& in) -> Arrays {
                 const Array &g = in[0], &q = in[1], &k = in[2], &v = in[3];
                 const Arrays o = attend({q, k, v}, {.scale = 0.5});
                 Array dq(turned(q).sizes), dk(turned(k).sizes), dv(turned(v).sizes);
                 each_index(o[1].sizes, [&](const Sizes& at) {
                   const int64_t h = at[1], i = at[2];
                   double mean = 0;
                   for (int64_t d = 0; d < 2; ++d) mean += g[{0, i, h, d}] * o[0][{0, h, i, d}];
                   for (int64_t j = 0; j < 5; ++j) {
                     double s = 0, dp = 0;
                     for (int64_t d = 0; d < 4; ++d) s += 0.5 * q[{0, h, i, d}] * k[{0, 0, j, d}];
                     for (int64_t d = 0; d < 2; ++d) dp += g[{0, i, h, d}] * v[{0, 0, j, d}];
                     const double p = std::exp(s - o[1][at]), ds = p * (dp - mean) * 0.5;
                     for (int64_t d = 0; d < 2; ++d) dv[{0, j, 0, d}] += p * g[{0, i, h, d}];
                     for (int64_t d = 0; d < 4; ++d) dq[{0, i, h, d}] += ds * k[{0, 0, j, d}], dk[{0, j, 0, d}] += ds * q[{0, h, i, d}];
                   }
                 });
                 return {dq, dk, dv};
               });
  backward.bad({real({1, 1, 2, 2})}, CALL(ops::attention_backward(t[0], t[0], t[0], t[0], Tensor(), t[0], t[0], 1, false, 0, 0, 0)), Code::shape,
               {"attention_backward"});
}

Array leading(Array a, size_t ndim) {
  while (a.sizes.size() < ndim) a.sizes.insert(a.sizes.begin(), 1);
  return a;
}

}  // namespace

void add_attention(Records& r) {
  add_pair(r);
  Record& op = r.op("scaled_dot_product_attention").is_random().tolerance(8, 20).long_sums();
  const Tensor none;
  auto plain = [](Options o) {
    return [o](const Arrays& in) -> Arrays { return {attend(in, o)[0]}; };
  };
  // Masks broadcast: (S), (L, 1), (N, 1, 1, S), one a head.
  for (const Sizes& sizes : {Sizes{5}, Sizes{4, 1}, Sizes{2, 1, 1, 5}, Sizes{3, 4, 5}})
    for (bool boolean : {false, true})
      op.add({real({2, 3, 4, 2}), real({2, 3, 5, 2}), real({2, 3, 5, 3}),
              boolean ? mask(sizes).fixed([](Array& a) { for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = i % 3 != 1; }) : real(sizes)},
             CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], t[3])), plain({.boolean = boolean}));
  // Rows that see nothing, keys that nobody sees, and no keys at all.
  for (const Sizes& sizes : {Sizes{4, 5}, Sizes{97, 200}})
    op.add({real({2, 2, sizes[0], 3}), real({2, 2, sizes[1], 3}), real({2, 2, sizes[1], 2}), see(sizes, true)},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], t[3])), plain({.boolean = true}));
  op.add({real({1, 2, 3, 4}), real({1, 2, 0, 4}), real({1, 2, 0, 2})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2])), plain({}))
      .add({real({1, 2, 101, 8}), real({1, 2, 195, 8}), real({1, 2, 195, 24}), real({101, 195}).constant()},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], t[3])), plain({}))
      .add({real({2, 4, 1, 64}), real({2, 2, 197, 64}), real({2, 2, 197, 32})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], none, 0, false, Scalar(), true)), plain({}))
      .add({real({2, 2, 3, 4}), real({2, 2, 3, 4}), real({2, 2, 3, 4})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], none, 0, true)),
           plain({.causal = true}))
      .add({real({1, 4, 3, 2}), real({1, 2, 3, 2}), real({1, 2, 3, 2})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], none, 0, false, Scalar(-0.7), true)), plain({.scale = -0.7}))
      .add({real({3, 2}), real({4, 2}), real({4, 5})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             Array o = attend({leading(in[0], 4), leading(in[1], 4), leading(in[2], 4)}, {})[0];
             o.sizes = {3, 5};
             return {o};
           })
      .add({real({2, 1, 2, 3, 2}), real({2, 4, 2}), real({2, 1, 4, 2})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2])),
           [](const Arrays& in) -> Arrays {  // k (2, 4, 2) and v (2, 1, 4, 2) broadcast against q (2, 1, 2, 3, 2)
             Array q = in[0], k({4, 2, 4, 2}), v({4, 2, 4, 2});
             Array queries({4, 2, 3, 2});
             each_index(queries.sizes, [&](const Sizes& i) { queries[i] = q[{i[0] / 2, 0, i[1], i[2], i[3]}]; });
             each_index(k.sizes, [&](const Sizes& i) { k[i] = in[1][{i[1], i[2], i[3]}]; });
             each_index(v.sizes, [&](const Sizes& i) { v[i] = in[2][{i[0] % 2, 0, i[2], i[3]}]; });
             Array o = attend({queries, k, v}, {})[0];
             o.sizes = {2, 2, 2, 3, 2};
             return {o};
           })
      .add({real({2, 2, 9, 4}), real({2, 2, 11, 4}), real({2, 2, 11, 3})},
           [](Ins t) -> Outs {
             Generator g(5);
             return ops::scaled_dot_product_attention(t[0], t[1], t[2], Tensor(), 0.5, false, Scalar(), false, &g);
           },
           {})
      .bad({real({2, 3}), real({2, 4})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[1])), Code::shape, {"[2, 3]", "[2, 4]"})
      .bad({real({2, 3}), mask({2, 2})}, CALL(ops::scaled_dot_product_attention(t[0], t[0], t[0], t[1], 0, true)), Code::invalid_argument,
           {"is_causal"})
      .bad({real({2, 3}), real({2, 3})}, CALL(ops::scaled_dot_product_attention(t[0], t[0], t[0], t[1])), Code::shape, {"[2, 3]"})
      .bad({real({2, 3})}, CALL(ops::scaled_dot_product_attention(t[0], t[0], t[0], none, 1.5)), Code::invalid_argument, {"dropout_p", "1.5"})
      .bad({real({4, 2, 3}), real({3, 2, 3})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[1], none, 0, false, Scalar(), true)), Code::shape,
           {"enable_gqa", "[4, 2, 3]", "[3, 2, 3]"});
}

}  // namespace haft::test
