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
  const int64_t heads = q.size(1), length = q.size(2), keys = k.size(2),
                share = heads / std::max<int64_t>(k.size(1), 1);
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
  return make_array({x.size(0), x.size(2), x.size(1), x.size(3)}, [&](const Sizes& i) {
    return x[{i[0], i[2], i[1], i[3]}];
  });
}

// Every third element is true; row 0 sees nothing when asked.
Input see(Sizes sizes, bool blind_row) {
  return mask(std::move(sizes)).fixed([blind_row](Array& a) {
    const int64_t columns = a.size(-1);
    for (int64_t i = 0; i < a.numel(); ++i)
      a.v[size_t(i)] = (i / columns % a.size(-2) != 0 || !blind_row) && i % 3 != 1;
  });
}

void add_pair(Records& r) {
  Record& op = r.op("attention").gives({same, wide_type}).tolerance(8, 20).long_sums();
  struct Shapes {
    int64_t n, h, own, l, s, e, ev;
  };
  for (const Shapes z : {Shapes{1, 1, 1, 1, 1, 1, 1},
                         {2, 2, 1, 3, 4, 3, 2},
                         {1, 2, 2, 7, 7, 5, 5},
                         {1, 2, 2, 97, 129, 8, 17},
                         {2, 1, 1, 129, 97, 33, 8},
                         {1, 4, 2, 7, 200, 64, 64},
                         {1, 1, 1, 100, 390, 16, 16},
                         {1, 1, 1, 2, 3, 256, 80},
                         {1, 1, 1, 0, 3, 4, 4},
                         {1, 1, 1, 3, 0, 4, 4},
                         {0, 1, 1, 3, 3, 4, 4}})
    for (int kind = 0; kind < 4; ++kind) {
      Options o{.scale = 0.3, .causal = kind == 1 || kind == 3, .boolean = kind == 2};
      if (kind == 3) o.dropout = 0.25, o.seed = 11, o.offset = 5;
      const Sizes weights{z.n, z.h, z.l, z.s};
      op.add(
          {real({z.n, z.h, z.l, z.e}), real({z.n, z.own, z.s, z.e}), real({z.n, z.own, z.s, z.ev}),
           kind == 2 ? see(weights, true) : absent()},
          [o](Ins t) -> Outs {
            return ops::attention(t[0], t[1], t[2], t[3], o.scale, o.causal, o.dropout, int64_t(o.seed),
                                  int64_t(o.offset));
          },
          [o](const Arrays& in) -> Arrays {
            Arrays a = attend(in, o);
            return {turned(a[0]), a[1]};
          });
      op.cases.back().grad = kind != 2 && z.s;  // differences of -infinity are no numbers
    }
  op.bad({real({2, 3, 4})}, CALL(ops::attention(t[0], t[0], t[0], Tensor(), 1, false, 0, 0, 0)), Code::shape,
         {"[2, 3, 4]"});

  // From the results of the forward kernel, as the tape calls it.
  Record& backward = r.op("attention_backward").tolerance(8, 20).long_sums();
  backward.add(
      {real({1, 3, 2, 2}), real({1, 2, 3, 4}), real({1, 1, 5, 4}), real({1, 1, 5, 2})},
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
            for (int64_t d = 0; d < 4; ++d)
              dq[{0, i, h, d}] += ds * k[{0, 0, j, d}], dk[{0, j, 0, d}] += ds * q[{0, h, i, d}];
          }
        });
        return {dq, dk, dv};
      });
  backward.bad({real({1, 1, 2, 2})},
               CALL(ops::attention_backward(t[0], t[0], t[0], t[0], Tensor(), t[0], t[0], 1, false, 0, 0, 0)),
               Code::shape, {"attention_backward"});
}

// ---- several heads ----

struct Heads {
  int64_t heads = 2;
  bool zero = false, causal = false, weights = true, average = true, first = true, boolean = true;
};

// x (..., in) by w (out, in) and a bias, each row alone.
Array projected(const Array& x, const Array& w, const Array& b, int64_t first_row, int64_t rows) {
  Sizes sizes = x.sizes;
  sizes.back() = rows;
  const int64_t in = x.size(-1);
  Array y(sizes);
  for (int64_t r = 0; r < y.numel() / std::max<int64_t>(rows, 1); ++r)
    for (int64_t o = 0; o < rows; ++o) {
      double sum = b.defined ? b.v[size_t(first_row + o)] : 0;
      for (int64_t i = 0; i < in; ++i)
        sum += x.v[size_t(r * in + i)] * w.v[size_t((w.numel() == in * rows ? o : first_row + o) * in + i)];
      y.v[size_t(r * rows + o)] = sum;
    }
  return y;
}
Array swapped(const Array& x) {
  return make_array({x.size(1), x.size(0), x.size(2)}, [&](const Sizes& i) { return x[{i[1], i[0], i[2]}]; });
}

// All inputs of multi_head_attention, in its order; those that are not named are absent.
enum {
  kQuery,
  kKey,
  kValue,
  kAll,
  kOfQuery,
  kOfKey,
  kOfValue,
  kBias,
  kMoreKey,
  kMoreValue,
  kOut,
  kOutBias,
  kPadding,
  kMask,
  kStaticKey,
  kStaticValue,
  kInputs
};
std::vector<Input> heads_of(std::initializer_list<std::pair<int, Input>> named) {
  std::vector<Input> in(kInputs, absent());
  for (const auto& [i, input] : named) in[size_t(i)] = input;
  return in;
}

Arrays attend_heads(const Arrays& given, const Heads& o) {
  Arrays in = given;
  const bool single = in[kQuery].ndim() == 2;
  for (int i : {kQuery, kKey, kValue}) {
    if (single)
      in[size_t(i)].sizes.insert(in[size_t(i)].sizes.begin(), 1);
    else if (!o.first)
      in[size_t(i)] = swapped(in[size_t(i)]);
  }
  const int64_t e = in[kQuery].size(2), n = in[kQuery].size(0), length = in[kQuery].size(1),
                width = e / o.heads;
  auto side = [&](int i, int more, int fixed) {
    const Array& w = in[kAll].defined ? in[kAll] : in[size_t(kOfQuery + i)];
    Array x = projected(in[size_t(i)], w, in[kBias], i * e, e);
    const bool stands = fixed && in[size_t(fixed)].defined;
    const int64_t own = stands ? in[size_t(fixed)].size(1) : x.size(1);
    const int64_t extra = i ? in[size_t(more)].defined + o.zero : 0;
    return make_array({n, o.heads, own + extra, width}, [&](const Sizes& at) {
      if (at[2] < own)
        return stands ? in[size_t(fixed)][{at[0] * o.heads + at[1], at[2], at[3]}]
                      : x[{at[0], at[2], at[1] * width + at[3]}];
      return at[2] == own && in[size_t(more)].defined ? in[size_t(more)].v[size_t(at[1] * width + at[3])]
                                                      : 0.0;
    });
  };
  const Array q = side(0, 0, 0), k = side(1, kMoreKey, kStaticKey), v = side(2, kMoreValue, kStaticValue);
  const int64_t keys = k.size(2), own = keys - in[kMoreKey].defined - o.zero;
  const Array mask = make_array({n, o.heads, length, keys}, [&](const Sizes& at) {
    if (at[3] >= own) return 0.0;
    const Array &m = in[kMask], &p = in[kPadding];
    double sum = o.causal && at[3] > at[2] ? -kInfinity : 0;
    auto add = [&](double x) { sum += o.boolean ? (x != 0 ? -kInfinity : 0) : x; };
    if (m.defined) add(m.ndim() == 3 ? m[{at[0] * o.heads + at[1], at[2], at[3]}] : m[{at[2], at[3]}]);
    if (p.defined) add(p.v[size_t(at[0] * own + at[3])]);
    return sum;
  });
  const Array out = attend({q, k, v, mask}, {})[0];
  const Array rows = make_array({n, length, e}, [&](const Sizes& at) {
    return out[{at[0], at[2] / width, at[1], at[2] % width}];
  });
  Array y = in[kOut].defined ? projected(rows, in[kOut], in[kOutBias], 0, in[kOut].size(0)) : rows;
  Array weights({0});
  if (o.weights) {  // those of one-hot values
    const Array unit =
        make_array({n, o.heads, keys, keys}, [](const Sizes& at) { return double(at[2] == at[3]); });
    weights = attend({q, k, unit, mask}, {})[0];
    if (o.average)
      weights = make_array({n, length, keys}, [&, w = weights](const Sizes& at) {
        double sum = 0;
        for (int64_t h = 0; h < o.heads; ++h) sum += w[{at[0], h, at[1], at[2]}];
        return sum / double(o.heads);
      });
  }
  if (single) {
    y.sizes.erase(y.sizes.begin());
    if (o.weights) weights.sizes.erase(weights.sizes.begin());
  } else if (!o.first) {
    y = swapped(y);
  }
  return {y, weights};
}

CallFn call_heads(Heads o, bool self = false) {
  return [=](Ins t) -> Outs {
    return ops::multi_head_attention(t[0], self ? t[0] : t[1], self ? t[0] : t[2], t[3], t[4], t[5], t[6],
                                     t[7], t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15], o.heads,
                                     o.zero, 0, o.causal, o.weights, o.average, o.first);
  };
}
Input hides(Sizes sizes, int64_t every) {
  return mask(std::move(sizes)).fixed([every](Array& a) {
    for (int64_t i = 0; i < a.numel(); ++i) a.v[size_t(i)] = i % every == 1;
  });
}

void add_heads(Records& r) {
  Record& op = r.op("multi_head_attention").is_random().tolerance(60, 60).long_sums();
  auto add = [&](Heads o, std::initializer_list<std::pair<int, Input>> in) {
    op.add(heads_of(in), call_heads(o), [o](const Arrays& a) { return attend_heads(a, o); });
  };
  const Input w = real({12, 4}, -0.7, 0.7), b = real({12}, -0.5, 0.5), out = real({4, 4}, -0.7, 0.7),
              q = real({2, 3, 4}), k = real({2, 5, 4});
  add({}, {{kQuery, q},
           {kKey, k},
           {kValue, k},
           {kAll, w},
           {kBias, b},
           {kOut, out},
           {kOutBias, real({4})},
           {kPadding, hides({2, 5}, 4)}});
  add({.weights = false}, {{kQuery, q},
                           {kKey, k},
                           {kValue, k},
                           {kAll, w},
                           {kBias, b},
                           {kOut, out},
                           {kPadding, hides({2, 5}, 4)},
                           {kMask, hides({3, 5}, 3)}});
  add({.average = false, .first = false, .boolean = false}, {{kQuery, real({3, 2, 4})},
                                                             {kKey, real({5, 2, 4})},
                                                             {kValue, real({5, 2, 4})},
                                                             {kAll, w},
                                                             {kOut, out},
                                                             {kMask, real({4, 3, 5})},
                                                             {kPadding, real({2, 5})}});
  add({.zero = true, .weights = false, .first = false}, {{kQuery, real({3, 2, 4})},
                                                         {kKey, real({5, 2, 3})},
                                                         {kValue, real({5, 2, 2})},
                                                         {kOfQuery, real({4, 4}, -0.7, 0.7)},
                                                         {kOfKey, real({4, 3}, -0.7, 0.7)},
                                                         {kOfValue, real({4, 2}, -0.7, 0.7)},
                                                         {kBias, b},
                                                         {kMoreKey, real({1, 1, 4})},
                                                         {kMoreValue, real({1, 1, 4})},
                                                         {kOut, out},
                                                         {kPadding, hides({2, 5}, 2)}});
  add({.causal = true, .weights = false},
      {{kQuery, real({3, 4})}, {kKey, real({3, 4})}, {kValue, real({3, 4})}, {kAll, w}, {kOut, out}});
  add({.heads = 1, .zero = true, .causal = true, .first = false},
      {{kQuery, real({3, 4})}, {kKey, real({3, 4})}, {kValue, real({3, 4})}, {kAll, w}, {kBias, b}});
  add({.weights = false}, {{kQuery, q},
                           {kKey, k},
                           {kValue, k},
                           {kAll, w},
                           {kStaticKey, real({4, 2, 2})},
                           {kStaticValue, real({4, 2, 2})},
                           {kOut, out}});
  // Rows that see nothing are 0 with weights and without; their gradients are, too.
  for (bool weights : {false, true}) {
    const Heads o{.weights = weights};
    op.add(heads_of({{kQuery, q},
                     {kKey, k},
                     {kValue, k},
                     {kAll, w},
                     {kOut, out},
                     {kPadding, hides({2, 5}, 1).fixed([](Array& a) {
                        for (size_t i = 0; i < 10; ++i) a.v[i] = i < 5;
                      })}}),
           call_heads(o), [o](const Arrays& a) { return attend_heads(a, o); });
  }
  // One tensor for all three is one product.
  op.add(heads_of({{kQuery, q}, {kAll, w}, {kBias, b}, {kOut, out}}), call_heads({}, true),
         [](const Arrays& a) {
           Arrays all = a;
           all[kKey] = all[kValue] = all[kQuery];
           return attend_heads(all, {});
         });
  op.bad(heads_of({{kQuery, q}, {kKey, k}, {kValue, k}, {kAll, w}}), call_heads({.heads = 3}),
         Code::invalid_argument, {"num_heads", "3"})
      .bad(heads_of({{kQuery, q}, {kKey, k}, {kValue, k}}), call_heads({}), Code::invalid_argument,
           {"in_proj_weight"})
      .bad(heads_of({{kQuery, q}, {kKey, k}, {kValue, k}, {kAll, real({8, 4})}}), call_heads({}), Code::shape,
           {"in_proj_weight", "[8, 4]"})
      .bad(heads_of({{kQuery, q}, {kKey, real({3, 4})}, {kValue, k}, {kAll, w}}), call_heads({}), Code::shape,
           {"key", "[3, 4]"})
      .bad(heads_of({{kQuery, q}, {kKey, k}, {kValue, k}, {kAll, w}, {kMask, real({3, 4})}}), call_heads({}),
           Code::shape, {"attn_mask", "[3, 4]"})
      .bad(heads_of({{kQuery, q}, {kKey, k}, {kValue, k}, {kAll, w}, {kPadding, mask({5, 2})}}),
           call_heads({}), Code::shape, {"key_padding_mask", "[5, 2]"})
      .bad(heads_of({{kQuery, q}, {kKey, k}, {kValue, k}, {kAll, w}, {kMoreKey, real({4})}}), call_heads({}),
           Code::invalid_argument, {"bias_k"});
}

// ---- rotary positions ----

Array turned_pairs(const Arrays& in, bool interleaved) {
  Array y = in[0];
  const int64_t pairs = in[1].size(-1);
  auto angle = [&](const Array& table, Sizes at, int64_t i) {
    at.back() = i;
    Sizes own(at.end() - table.ndim(), at.end());
    for (size_t d = 0; d < own.size(); ++d) own[d] = table.sizes[d] == 1 ? 0 : own[d];
    return table[own];
  };
  each_index(in[0].sizes, [&](const Sizes& at) {
    const int64_t e = at.back(), i = interleaved ? e / 2 : e % pairs;
    if (e >= 2 * pairs) return;
    const bool second = interleaved ? e % 2 : e >= pairs;
    Sizes other = at;
    other.back() = interleaved ? e ^ 1 : second ? e - pairs : e + pairs;
    const double c = angle(in[1], at, i), s = angle(in[2], at, i);
    y[at] = in[0][at] * c + (second ? 1 : -1) * in[0][other] * s;
  });
  return y;
}

void add_rotary(Records& r) {
  Record& kernel = r.op("rotary").on(kFloats, 0);
  Record& op = r.op("rotary_embedding").tolerance(4);
  for (bool interleaved : {false, true}) {
    kernel.add(
        {real({2, 3, 8}), real({2, 3, 3}), real({2, 3, 3})},
        [=](Ins t) -> Outs {
          const DType wide = wide_type(t[0].dtype());
          return ops::rotary(t[0], ops::cast(t[1], wide), ops::cast(t[2], wide), interleaved);
        },
        [=](const Arrays& in) -> Arrays { return {turned_pairs(in, interleaved)}; });
    for (const Sizes& table : {Sizes{5, 4}, Sizes{2, 1, 5, 2}, Sizes{1}, Sizes{5, 0}})
      op.add({real({2, 3, 5, 8}), real(table), real(table)},
             CALL(ops::rotary_embedding(t[0], t[1], t[2], interleaved)), [=](const Arrays& in) -> Arrays {
               if (!in[1].size(-1)) return {in[0]};
               return {turned_pairs(in, interleaved)};
             });
  }
  kernel.bad({real({2, 3}), real({2, 2})}, CALL(ops::rotary(t[0], t[1], t[1], false)), Code::shape,
             {"[2, 3]", "[2, 2]"});
  op.bad({real({2, 3}), real({2, 2})}, CALL(ops::rotary_embedding(t[0], t[1], t[1])), Code::shape,
         {"[2, 3]", "[2, 2]"})
      .bad({real({2, 4}), real({2, 2}), real({2, 1})}, CALL(ops::rotary_embedding(t[0], t[1], t[2])),
           Code::shape, {"[2, 2]", "[2, 1]"});
}

Array leading(Array a, size_t ndim) {
  while (a.sizes.size() < ndim) a.sizes.insert(a.sizes.begin(), 1);
  return a;
}

}  // namespace

void add_attention(Records& r) {
  add_pair(r);
  add_heads(r);
  add_rotary(r);
  Record& op = r.op("scaled_dot_product_attention").is_random().tolerance(8, 20).long_sums();
  const Tensor none;
  auto plain = [](Options o) { return [o](const Arrays& in) -> Arrays { return {attend(in, o)[0]}; }; };
  // Masks broadcast: (S), (L, 1), (N, 1, 1, S), one a head.
  for (const Sizes& sizes : {Sizes{5}, Sizes{4, 1}, Sizes{2, 1, 1, 5}, Sizes{3, 4, 5}})
    for (bool boolean : {false, true})
      op.add({real({2, 3, 4, 2}), real({2, 3, 5, 2}), real({2, 3, 5, 3}),
              boolean ? mask(sizes).fixed([](Array& a) {
                for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = i % 3 != 1;
              })
                      : real(sizes)},
             CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], t[3])), plain({.boolean = boolean}));
  // Rows that see nothing, keys that nobody sees, and no keys at all.
  for (const Sizes& sizes : {Sizes{4, 5}, Sizes{97, 200}})
    op.add(
        {real({2, 2, sizes[0], 3}), real({2, 2, sizes[1], 3}), real({2, 2, sizes[1], 2}), see(sizes, true)},
        CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], t[3])), plain({.boolean = true}));
  op.add({real({1, 2, 3, 4}), real({1, 2, 0, 4}), real({1, 2, 0, 2})},
         CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2])), plain({}))
      .add({real({1, 2, 101, 8}), real({1, 2, 195, 8}), real({1, 2, 195, 24}), real({101, 195}).constant()},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], t[3])), plain({}))
      .add({real({2, 4, 1, 64}), real({2, 2, 197, 64}), real({2, 2, 197, 32})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], none, 0, false, Scalar(), true)),
           plain({}))
      .add({real({2, 2, 3, 4}), real({2, 2, 3, 4}), real({2, 2, 3, 4})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], none, 0, true)), plain({.causal = true}))
      .add({real({1, 4, 3, 2}), real({1, 2, 3, 2}), real({1, 2, 3, 2})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2], none, 0, false, Scalar(-0.7), true)),
           plain({.scale = -0.7}))
      .add({real({3, 2}), real({4, 2}), real({4, 5})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2])),
           [](const Arrays& in) -> Arrays {
             Array o = attend({leading(in[0], 4), leading(in[1], 4), leading(in[2], 4)}, {})[0];
             o.sizes = {3, 5};
             return {o};
           })
      .add({real({2, 1, 2, 3, 2}), real({2, 4, 2}), real({2, 1, 4, 2})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[2])),
           // K (2, 4, 2) and v (2, 1, 4, 2) broadcast against q (2, 1, 2, 3, 2).
           [](const Arrays& in) -> Arrays {
             Array q = in[0], k({4, 2, 4, 2}), v({4, 2, 4, 2});
             Array queries({4, 2, 3, 2});
             each_index(queries.sizes, [&](const Sizes& i) {
               queries[i] = q[{i[0] / 2, 0, i[1], i[2], i[3]}];
             });
             each_index(k.sizes, [&](const Sizes& i) { k[i] = in[1][{i[1], i[2], i[3]}]; });
             each_index(v.sizes, [&](const Sizes& i) { v[i] = in[2][{i[0] % 2, 0, i[2], i[3]}]; });
             Array o = attend({queries, k, v}, {})[0];
             o.sizes = {2, 2, 2, 3, 2};
             return {o};
           })
      .add({real({2, 2, 9, 4}), real({2, 2, 11, 4}), real({2, 2, 11, 3})},
           [](Ins t) -> Outs {
             Generator g(5);
             return ops::scaled_dot_product_attention(t[0], t[1], t[2], Tensor(), 0.5, false, Scalar(), false,
                                                      &g);
           },
           {})
      .bad({real({2, 3}), real({2, 4})}, CALL(ops::scaled_dot_product_attention(t[0], t[1], t[1])),
           Code::shape, {"[2, 3]", "[2, 4]"})
      .bad({real({2, 3}), mask({2, 2})},
           CALL(ops::scaled_dot_product_attention(t[0], t[0], t[0], t[1], 0, true)), Code::invalid_argument,
           {"is_causal"})
      .bad({real({2, 3}), real({2, 3})}, CALL(ops::scaled_dot_product_attention(t[0], t[0], t[0], t[1])),
           Code::shape, {"[2, 3]"})
      .bad({real({2, 3})}, CALL(ops::scaled_dot_product_attention(t[0], t[0], t[0], none, 1.5)),
           Code::invalid_argument, {"dropout_p", "1.5"})
      .bad({real({4, 2, 3}), real({3, 2, 3})},
           CALL(ops::scaled_dot_product_attention(t[0], t[1], t[1], none, 0, false, Scalar(), true)),
           Code::shape, {"enable_gqa", "[4, 2, 3]", "[3, 2, 3]"});
}

}  // namespace haft::test
