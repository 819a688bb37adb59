// Records of eigenvalues of matrices that are not symmetric, which are told as pairs, (*, 2).
#include <cmath>
#include <complex>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

constexpr DTypes kSingle = bit(DType::f32) | bit(DType::f64), kNone = kInts | kBool;

// Of eigenvalues l and vectors v of matrices, as pairs, what depends neither on an order nor on phases: the sums of
// re(l), re(l^2) and re(l^3), and for each row the sum of |v|^2 re(l^2).
Tensor sums_of_powers(const Tensor& l) {
  const Tensor re = ops::select(l, -1, 0), im = ops::select(l, -1, 1);
  const Tensor a = ops::square(re), b = ops::square(im);
  const std::vector<Tensor> powers = {re, ops::sub(a, b), ops::mul(re, ops::sub(a, ops::mul_scalar(b, 3)))};
  return ops::sum(ops::stack(powers, 0), Sizes{-1});
}
Tensor weighted_rows(const Tensor& l, const Tensor& v) {
  const Tensor re = ops::select(l, -1, 0), im = ops::select(l, -1, 1);
  const Tensor weight = ops::sub(ops::square(re), ops::square(im));
  return ops::sum(ops::mul(ops::sum(ops::square(v), Sizes{-1}), ops::unsqueeze(weight, -2)), Sizes{-1});
}
Outs phaseless(const std::array<Tensor, 2>& lv) {
  return std::array{sums_of_powers(lv[0]), weighted_rows(lv[0], lv[1])};
}
// The traces of powers, which these sums are.
Arrays traces(const Arrays& in) {
  const Array& a = in[0];
  const int64_t n = a.size(0);
  Array sums({3}), power = a;
  for (int64_t k = 0; k < 3; ++k) {
    for (int64_t i = 0; i < n; ++i) sums[{k}] += power[{i, i}];
    power = make_array({n, n}, [&, before = power](const Sizes& i) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += before[{i[0], j}] * a[{j, i[1]}];
      return sum;
    });
  }
  return {sums};
}
// Of a matrix (2, 2), by the roots of its polynomial.
Arrays eigen_of_two(const Arrays& in) {
  const double a = in[0].v[0], b = in[0].v[1], c = in[0].v[2], d = in[0].v[3];
  const std::complex<double> root = std::sqrt(std::complex<double>((a - d) * (a - d) + 4 * b * c));
  Array rows({2});
  for (const std::complex<double> l : {(a + d + root) / 2.0, (a + d - root) / 2.0}) {
    const double first = b * b, second = std::norm(l - a);  // of the vector (b, l - a)
    rows.v[0] += first / (first + second) * (l * l).real();
    rows.v[1] += second / (first + second) * (l * l).real();
  }
  return {traces(in)[0], rows};
}
Input matrix(Sizes sizes, std::vector<double> values) {
  return real(std::move(sizes)).fixed([values](Array& a) { a.v = values; });
}
const std::vector<double> kReal{1, 2, 3, -1}, kTurning{1, -2, 3, 0.5}, kThree{1, 2, -1, -3, 0.5, 2, 1, 1, -2};

}  // namespace

void add_eigenvalues(Records& r) {
  r.op("eig_factors")
      .on(kSingle)
      .tolerance(32, 32)
      .add({matrix({2, 2}, kReal)}, CALL(phaseless(ops::eig_factors(t[0], true))), eigen_of_two)
      .add({matrix({2, 2}, kTurning)}, CALL(phaseless(ops::eig_factors(t[0], true))), eigen_of_two)
      .add({matrix({3, 3}, kThree)}, CALL(sums_of_powers(ops::eig_factors(t[0], true)[0])), traces)
      .bad({real({2, 3})}, CALL(ops::eig_factors(t[0], true)[0]), Code::shape, {"[eig_factors]", "[2, 3]"})
      .bad({real({2, 1, 1}).fixed([](Array& a) {
             a.v = {1, NAN};
           })},
           CALL(ops::eig_factors(t[0], false)[0]), Code::linalg,
           {"[linalg_eig]", "matrix 1", "not finite"});
  r.op("linalg_eig")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add(
          {matrix({2, 2}, kTurning)},
          [](Ins t) -> Outs {
            auto [l, v] = ops::linalg_eig(t[0]);
            return phaseless({ops::view_as_real(l), ops::view_as_real(v)});
          },
          eigen_of_two)
      .bad({real({2, 3})}, CALL(ops::view_as_real(ops::linalg_eig(t[0])[0])), Code::shape,
           {"[linalg_eig]", "[2, 3]"});
  r.op("linalg_eigvals")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({matrix({3, 3}, kThree)}, CALL(sums_of_powers(ops::view_as_real(ops::linalg_eigvals(t[0])))),
           traces)
      .bad({real({2, 3})}, CALL(ops::view_as_real(ops::linalg_eigvals(t[0]))), Code::shape,
           {"[linalg_eigvals]", "[2, 3]"});
}

}  // namespace haft::test
