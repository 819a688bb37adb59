// Records of products over several dimensions, powers and distances.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

// One result of that shape: each element is a sum of f over k < n.
using Term = double (*)(const Arrays&, const Sizes&, int64_t k);
Reference sums(Sizes sizes, int64_t n, Term f) {
  return [=](const Arrays& in) -> Arrays {
    return {make_array(sizes, [&](const Sizes& i) {
      double s = 0;
      for (int64_t k = 0; k < n; ++k) s += f(in, i, k);
      return s;
    })};
  };
}
#define TERM(...)                                                                              \
  [](const Arrays& x, [[maybe_unused]] const Sizes& i, [[maybe_unused]] int64_t k) -> double { \
    return __VA_ARGS__;                                                                        \
  }

}  // namespace

void add_contractions(Records& r) {
  r.op("einsum")
      .on(kNumbers)
      .tolerance(4)
      .add({real({2, 3}), real({3, 4})}, CALL(ops::einsum("ij, jk -> ki", t)),
           sums({4, 2}, 3, TERM(x[0][{i[1], k}] * x[1][{k, i[0]}])))
      .add({real({3, 3}), real({3})}, CALL(ops::einsum("hh,j->h", t)),
           sums({3}, 3, TERM(x[0][{i[0], i[0]}] * x[1].v[size_t(k)])))
      .add({real({2, 3}), real({3, 2}), real({2, 2})}, CALL(ops::einsum("aB,Bc,cd->ad", t)),
           sums({2, 2}, 6, TERM(x[0][{i[0], k / 2}] * x[1][{k / 2, k % 2}] * x[2][{k % 2, i[1]}])))
      .add({real({2, 1, 2}), real({3, 2})}, CALL(ops::einsum("abc,bc->ba", t)),
           sums({3, 2}, 2, TERM(x[0][{i[1], 0, k}] * x[1][{i[0], k}])))
      // The letters that come once, behind what "..." stands for.
      .add({real({2, 3, 2}), real({2, 2})}, CALL(ops::einsum("...ij,jk", t)),
           sums({2, 3, 2}, 2, TERM(x[0][{i[0], i[1], k}] * x[1][{k, i[2]}])))
      .add({real({2, 1, 3}), real({4, 3})}, CALL(ops::einsum("...b,...b->b...", t)),
           sums({3, 2, 4}, 1, TERM(x[0][{i[1], 0, i[0]}] * x[1][{i[2], i[0]}])))
      .bad({real({2, 3}), real({2})}, CALL(ops::einsum("ij,j->i", t)), Code::shape,
           {"[einsum]", "'j' has sizes 3 and 2"})
      .bad({real({2, 3}), real({3, 3})}, CALL(ops::einsum("...i,...i->i", t)), Code::shape,
           {"[einsum]", "'...' has sizes 2 and 3"})
      .bad({real({2, 3})}, CALL(ops::einsum("i->i", t)), Code::shape,
           {"[einsum]", "operand 0 has 1 subscripts", "[2, 3]"})
      .bad({real({2})}, CALL(ops::einsum("...ij->i", t)), Code::shape,
           {"[einsum]", "operand 0 has 2 subscripts", "[2]"})
      .bad({real({2})}, CALL(ops::einsum("i,i->i", t)), Code::invalid_argument,
           {"[einsum]", "2 operands, got 1"})
      .bad({real({2})}, CALL(ops::einsum("i->j", t)), Code::invalid_argument,
           {"[einsum]", "'j', which no operand has"})
      .bad({real({2})}, CALL(ops::einsum("i->ii", t)), Code::invalid_argument, {"[einsum]", "'i' twice"})
      .bad({real({2})}, CALL(ops::einsum("..i", t)), Code::invalid_argument,
           {"[einsum]", "\"..i\"", "position 0"});
  r.op("tensordot")
      .on(kNumbers)
      .tolerance(4)
      .add({real({2, 3, 2}), real({2, 4, 3})}, CALL(ops::tensordot(t[0], t[1], Sizes{1, -1}, Sizes{2, 0})),
           sums({2, 4}, 6, TERM(x[0][{i[0], k / 2, k % 2}] * x[1][{k % 2, i[1], k / 2}])))
      .add({real({2}), real({3})}, CALL(ops::tensordot(t[0], t[1], Sizes{}, Sizes{})),
           sums({2, 3}, 1, TERM(x[0].v[size_t(i[0])] * x[1].v[size_t(i[1])])))
      .add({real({2, 3}), real({1, 4})}, CALL(ops::tensordot(t[0], t[1], Sizes{1}, Sizes{0})),
           sums({2, 4}, 3, TERM(x[0][{i[0], k}] * x[1][{0, i[1]}])))
      .add({real({1, 1, 2}), real({2, 3, 5})},
           CALL(ops::tensordot(t[0], t[1], Sizes{0, 1, 2}, Sizes{1, 2, 0})),
           sums({}, 30, TERM(x[0].v[size_t(k / 15)] * x[1].v[size_t(k)])))
      .bad({real({2, 3}), real({2})}, CALL(ops::tensordot(t[0], t[1], Sizes{1}, Sizes{0})), Code::shape,
           {"[tensordot]", "[2, 3]", "[2]"})
      .bad({real({2}), real({2})}, CALL(ops::tensordot(t[0], t[1], Sizes{0}, Sizes{})),
           Code::invalid_argument, {"[tensordot]", "[0]"});
  r.op("inner")
      .on(kNumbers)
      .tolerance(4)
      .add({real({2, 3}), real({4, 3})}, CALL(ops::inner(t[0], t[1])),
           sums({2, 4}, 3, TERM(x[0][{i[0], k}] * x[1][{i[1], k}])))
      .bad({real({2, 3}), real({2})}, CALL(ops::inner(t[0], t[1])), Code::shape, {"[inner]", "[2, 3]", "[2]"})
      .bad({real({2, 3}), real({1})}, CALL(ops::inner(t[0], t[1])), Code::shape,
           {"[inner]", "[2, 3]", "[1]"});
  r.op("chain_matmul")
      .on(kNumbers)
      .tolerance(4)
      .add({real({2}), real({2, 3}), real({3, 2})}, CALL(ops::chain_matmul(t)),
           sums({2}, 6, TERM(x[0].v[size_t(k / 3)] * x[1][{k / 3, k % 3}] * x[2][{k % 3, i[0]}])))
      .add({real({2, 3}), real({3})}, CALL(ops::chain_matmul(t)),
           sums({2}, 3, TERM(x[0][{i[0], k}] * x[1].v[size_t(k)])))
      .bad({real({2, 3}), real({2}), real({2, 2})}, CALL(ops::chain_matmul(t)), Code::shape,
           {"[chain_matmul]", "tensor 1", "[2]"})
      .bad({real({2, 3}), real({2, 3})}, CALL(ops::chain_matmul(t)), Code::shape, {"[2, 3]"});
  Record& power = r.op("matrix_power").on(kNumbers, 0).tolerance(8);
  for (int64_t n : {1, 3, 0})
    power.add({real({2, 2}, -1, 1)}, CALL(ops::matrix_power(t[0], n)), [n](const Arrays& in) -> Arrays {
      Array y({2, 2}, {1, 0, 0, 1});
      for (int64_t k = 0; k < n; ++k)
        y = sums({2, 2}, 2, TERM(x[0][{i[0], k}] * x[1][{k, i[1]}]))({y, in[0]})[0];
      return {y};
    });
  power.bad({real({2, 3})}, CALL(ops::matrix_power(t[0], 2)), Code::shape, {"[matrix_power]", "[2, 3]"})
      .bad({real({2, 2}).fixed([](Array& a) {
             a.v = {1, 2, 2, 4};
           })},
           CALL(ops::matrix_power(t[0], -1)), Code::linalg, {"[linalg_inv]", "singular"});
  r.op("kron")
      .on(kAll)
      .add({real({2, 3}), real({2})}, CALL(ops::kron(t[0], t[1])),
           sums({2, 6}, 1, TERM(x[0][{i[0], i[1] / 2}] * x[1].v[size_t(i[1] % 2)])))
      .bad({real({1, 1, 1, 1, 1}), real({2})}, CALL(ops::kron(t[0], t[1])), Code::shape, {"[kron]", "4"});
  r.op("dist")
      .on(kFloats)
      .tolerance(8)
      .add({real({2, 3}), real({2, 3})}, CALL(ops::dist(t[0], t[1], 1)),
           sums({}, 6, TERM(std::fabs(x[0].v[size_t(k)] - x[1].v[size_t(k)]))))
      .bad({real({2}), real({3})}, CALL(ops::dist(t[0], t[1])), Code::shape, {"[2]", "[3]"});
  r.op("cdist")
      .on(kFloats)
      .tolerance(8)
      .add({real({2, 3}), real({4, 3})}, CALL(ops::cdist(t[0], t[1], 1)),
           sums({2, 4}, 3, TERM(std::fabs(x[0][{i[0], k}] - x[1][{i[1], k}]))))
      .add({real({2, 0}), real({3, 0})}, CALL(ops::cdist(t[0], t[1], INFINITY)),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3})};
           })
      .bad({real({2, 3}), real({4, 2})}, CALL(ops::cdist(t[0], t[1])), Code::shape,
           {"[cdist]", "[2, 3]", "[4, 2]"})
      .bad({real({2, 3}), real({4, 3})}, CALL(ops::cdist(t[0], t[1], -1)), Code::invalid_argument,
           {"[cdist]", "p", "-1"});
  r.op("pdist")
      .on(kFloats)
      .tolerance(8)
      .add({real({4, 3})}, CALL(ops::pdist(t[0], 1)),
           [](const Arrays& in) -> Arrays {
             Array y(Sizes{6});
             size_t at = 0;
             for (int64_t i = 0; i < 4; ++i)
               for (int64_t j = i + 1; j < 4; ++j, ++at)
                 for (int64_t k = 0; k < 3; ++k) y.v[at] += std::fabs(in[0][{i, k}] - in[0][{j, k}]);
             return {y};
           })
      .add({real({1, 3})}, CALL(ops::pdist(t[0])), [](const Arrays&) -> Arrays { return {Array(Sizes{0})}; })
      .bad({real({2})}, CALL(ops::pdist(t[0])), Code::shape, {"[pdist]", "[2]"})
      .bad({real({2, 3})}, CALL(ops::pdist(t[0], -1)), Code::invalid_argument, {"[pdist]", "-1"});
  r.op("renorm")
      .on(kFloats)
      .tolerance(8)
      .add({real({2, 3}).nonzero(0.5)}, CALL(ops::renorm(t[0], 1, 0, 0.5)),
           [](const Arrays& in) -> Arrays {
             Array y = in[0];
             each_index(y.sizes, [&](const Sizes& i) {
               double n = 1e-7;
               for (int64_t k = 0; k < 3; ++k) n += std::fabs(in[0][{i[0], k}]);
               y[i] *= 0.5 / n;
             });
             return {y};
           })
      .add({real({2, 3}).nonzero(0.1)}, CALL(ops::renorm(t[0], 2, -1, 100)),
           [](const Arrays& in) -> Arrays { return {in[0]}; })
      .bad({real({2})}, CALL(ops::renorm(t[0], 2, 0, 1)), Code::shape, {"[renorm]", "[2]"})
      .bad({real({2, 3})}, CALL(ops::renorm(t[0], 0, 0, 1)), Code::invalid_argument,
           {"[renorm]", "p must be positive", "0"})
      .bad({real({2, 2})}, CALL(ops::renorm(t[0], 2, 0, -1)), Code::invalid_argument, {"[renorm]", "-1"});
  const Reference products = [](const Arrays& in) -> Arrays {
    return {make_array({in[0].size(0)}, [&](const Sizes& i) {
      double s = 0;
      for (int64_t k = 0; k < in[0].size(1); ++k) s += in[0][{i[0], k}] * in[1][{i[0], k}];
      return s;
    })};
  };
  r.op("vecdot")
      .on(kNumbers, 0)
      .gives({sum_type})
      .long_sums()
      .add({real({3, 4}), real({3, 4})}, CALL(ops::vecdot(t[0], t[1])), products)
      .add({real({3, 0}), real({3, 0})}, CALL(ops::vecdot(t[0], t[1], 1)), products)
      .bad({real({2, 3}), real({2, 2})}, CALL(ops::vecdot(t[0], t[1])), Code::shape, {"[2, 3]", "[2, 2]"});
}

}  // namespace haft::test
