// Records of decompositions, systems and what is made of them. References are plain elimination, Gram and Schmidt's
// process and Jacobi's rotations in float64; what is told up to signs is compared without them.
#include <algorithm>
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

constexpr DTypes kSingle = bit(DType::f32) | bit(DType::f64), kNone = kInts | kBool;

Array product(const Array& a, const Array& b) {
  return make_array({a.size(0), b.size(1)}, [&](const Sizes& i) {
    double s = 0;
    for (int64_t k = 0; k < a.size(1); ++k) s += a[{i[0], k}] * b[{k, i[1]}];
    return s;
  });
}
Array turned(const Array& a) {
  return make_array({a.size(1), a.size(0)}, [&](const Sizes& i) { return a[{i[1], i[0]}]; });
}
Array without_signs(Array a) {
  for (double& v : a.v) v = std::fabs(v);
  return a;
}
Array identity(int64_t n) {
  return make_array({n, n}, [](const Sizes& i) { return double(i[0] == i[1]); });
}

// Each matrix of a batch through f, results side by side.
Arrays batched(const Arrays& in, size_t inner, Arrays (*f)(const Arrays&)) {
  if (size_t(in[0].ndim()) == inner) return f(in);
  Arrays all;
  for (int64_t b = 0; b < in[0].size(0); ++b) {
    Arrays one;
    for (const Array& a : in) {
      Sizes sizes(a.sizes.begin() + 1, a.sizes.end());
      Array part(sizes);
      const size_t n = part.v.size();
      part.v.assign(a.v.begin() + int64_t(size_t(b) * n), a.v.begin() + int64_t(size_t(b + 1) * n));
      one.push_back(part);
    }
    Arrays results = f(one);
    if (all.empty())
      for (Array& r : results) {
        Sizes sizes = r.sizes;
        sizes.insert(sizes.begin(), 0);
        all.emplace_back(sizes);
      }
    for (size_t k = 0; k < results.size(); ++k) {
      ++all[k].sizes[0];
      all[k].v.insert(all[k].v.end(), results[k].v.begin(), results[k].v.end());
    }
  }
  return all;
}

// (A^-1 B, det A) by elimination with the largest pivot; B may have no columns.
struct Eliminated {
  Array x;
  double det = 1;
};
Eliminated eliminate(Array a, Array b) {
  const int64_t n = a.size(0), k = b.size(1);
  double det = 1;
  for (int64_t j = 0; j < n; ++j) {
    int64_t best = j;
    for (int64_t i = j + 1; i < n; ++i)
      if (std::fabs(a[{i, j}]) > std::fabs(a[{best, j}])) best = i;
    if (best != j) det = -det;
    for (int64_t c = 0; c < n; ++c) std::swap(a[{j, c}], a[{best, c}]);
    for (int64_t c = 0; c < k; ++c) std::swap(b[{j, c}], b[{best, c}]);
    det *= a[{j, j}];
    for (int64_t i = 0; i < n; ++i) {
      if (i == j) continue;
      const double f = a[{i, j}] / a[{j, j}];
      for (int64_t c = 0; c < n; ++c) a[{i, c}] -= f * a[{j, c}];
      for (int64_t c = 0; c < k; ++c) b[{i, c}] -= f * b[{j, c}];
    }
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < k; ++c) b[{i, c}] /= a[{i, i}];
  return {b, det};
}
Array inverse(const Array& a) { return eliminate(a, identity(a.size(0))).x; }
double determinant(const Array& a) { return eliminate(a, Array({a.size(0), 0})).det; }

// A A^T + 2: what the calls make of their input, too.
Array definite(const Array& a) {
  Array y = product(a, turned(a));
  for (int64_t i = 0; i < y.size(0); ++i) y[{i, i}] += 2;
  return y;
}
Tensor definite(const Tensor& a) {
  const Tensor unit = ops::eye(a.size(-2), -1, a.dtype(), a.device());
  return ops::add(ops::matmul(a, ops::transpose(a, -2, -1)), ops::mul_scalar(unit, 2));
}
Array cholesky(const Array& a) {
  Array l(a.sizes);
  for (int64_t i = 0; i < a.size(0); ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double s = a[{i, j}];
      for (int64_t k = 0; k < j; ++k) s -= l[{i, k}] * l[{j, k}];
      l[{i, j}] = i == j ? std::sqrt(s) : s / l[{j, j}];
    }
  return l;
}

// Gram and Schmidt: Q (m, k), R (k, n) with a positive diagonal.
std::pair<Array, Array> gram_schmidt(const Array& a) {
  const int64_t m = a.size(0), n = a.size(1), k = std::min(m, n);
  Array q({m, k}), r({k, n});
  for (int64_t j = 0; j < n; ++j) {
    std::vector<double> column;
    for (int64_t i = 0; i < m; ++i) column.push_back(a[{i, j}]);
    for (int twice = 0; twice < 2; ++twice)
      for (int64_t p = 0; p < std::min(j, k); ++p) {
        double s = 0;
        for (int64_t i = 0; i < m; ++i) s += q[{i, p}] * column[size_t(i)];
        r[{p, j}] += s;
        for (int64_t i = 0; i < m; ++i) column[size_t(i)] -= s * q[{i, p}];
      }
    if (j >= k) continue;
    double length = 0;
    for (double v : column) length += v * v;
    r[{j, j}] = std::sqrt(length);
    for (int64_t i = 0; i < m; ++i) q[{i, j}] = column[size_t(i)] / r[{j, j}];
  }
  return {q, r};
}

// Jacobi: eigenvalues, ascending, and the sizes of eigenvectors, columns.
std::pair<Array, Array> eigen(Array a) {
  const int64_t n = a.size(0);
  Array v = identity(n);
  for (int sweep = 0; sweep < 60; ++sweep)
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        if (a[{p, q}] == 0) continue;
        const double theta = 0.5 * std::atan2(2 * a[{p, q}], a[{q, q}] - a[{p, p}]), c = std::cos(theta),
                     s = std::sin(theta);
        auto turn = [&](double& x, double& y) {
          const double u = c * x - s * y, w = s * x + c * y;
          x = u, y = w;
        };
        for (int64_t k = 0; k < n; ++k) turn(a[{k, p}], a[{k, q}]);
        for (int64_t k = 0; k < n; ++k) turn(a[{p, k}], a[{q, k}]);
        for (int64_t k = 0; k < n; ++k) turn(v[{k, p}], v[{k, q}]);
        a[{p, q}] = a[{q, p}] = 0;
      }
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n; ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return a[{x, x}] < a[{y, y}]; });
  return {make_array({n},
                     [&](const Sizes& i) {
                       return a[{order[size_t(i[0])], order[size_t(i[0])]}];
                     }),
          make_array({n, n}, [&](const Sizes& i) {
            return std::fabs(v[{i[0], order[size_t(i[1])]}]);
          })};
}
// The singular values, and the sizes of U's and V's columns, (m, k) and (n, k).
std::array<Array, 3> singular(const Array& a) {
  const int64_t m = a.size(0), n = a.size(1), k = std::min(m, n);
  auto [left, u] = eigen(product(a, turned(a)));
  auto [right, v] = eigen(product(turned(a), a));
  const Array& values = m <= n ? left : right;
  auto last = [k](const Array& x) {
    return make_array({x.size(0), k}, [&](const Sizes& i) { return x[{i[0], x.size(1) - 1 - i[1]}]; });
  };
  return {make_array({k}, [&](const Sizes& i) { return std::sqrt(values.v[size_t(k - 1 - i[0])]); }), last(u),
          last(v)};
}

// Symmetric matrices with eigenvalues, and others with singular values, that keep apart; pivots that are told apart.
void spread(Array& a) {
  const int64_t m = a.size(-2), n = a.size(-1);
  for (size_t k = 0; k < a.v.size(); ++k) {
    const int64_t i = int64_t(k) / n % m, j = int64_t(k) % n;
    a.v[k] += i == j ? double(4 * (i + 1)) : 0;
  }
}
void pivoted(Array& a) {
  const int64_t m = a.size(-2), n = a.size(-1);
  for (size_t k = 0; k < a.v.size(); ++k) {
    const int64_t i = int64_t(k) / n % m, j = int64_t(k) % n;
    a.v[k] += (i + 1) % m == j ? 8 : 0;
  }
}
Input apart(Sizes sizes) { return real(std::move(sizes), -1, 1).fixed(spread); }
Input exchanged(Sizes sizes) { return real(std::move(sizes)).fixed(pivoted); }
Array symmetric(const Array& a) {
  return make_array(a.sizes, [&](const Sizes& i) { return 0.5 * (a[i] + a[{i[1], i[0]}]); });
}
Tensor symmetric(const Tensor& a) {  // integers stay, to be refused
  return is_float(a.dtype()) ? ops::mul_scalar(ops::add(a, ops::transpose(a, -2, -1)), 0.5) : a;
}

// What `fix` adds to the first input becomes part of the call and of the reference, since other checks put other
// numbers there: rows that are all the same.
void keep(Case& c) {
  const auto fix = c.inputs[0].fix;
  if (!fix || c.inputs[0].sizes.size() > 2) return;  // matrices of a batch may all be the same
  Array added(c.inputs[0].sizes), other(c.inputs[0].sizes, 1);
  fix(added);
  fix(other);
  for (size_t k = 0; k < added.v.size(); ++k)
    if (other.v[k] != added.v[k] + 1) return;
  c.inputs[0].fix = {};
  c.call = [call = c.call, added](Ins t) -> Outs {
    std::vector<Tensor> in(t.begin(), t.end());
    std::vector<Tensor> parts;  // made by calls, so that programs of them are whole
    for (double v : added.v) parts.push_back(ops::full(Sizes{}, int64_t(v), t[0].dtype(), t[0].device()));
    if (!parts.empty()) in[0] = ops::add(t[0], ops::reshape(ops::stack(parts), added.sizes));
    return call(in);
  };
  c.reference = [reference = c.reference, added](const Arrays& in) -> Arrays {
    Arrays moved = in;
    for (size_t k = 0; k < added.v.size(); ++k) moved[0].v[k] += added.v[k];
    return reference(moved);
  };
}

Arrays lu_of(const Arrays& in) {
  Array a = in[0];
  const int64_t m = a.size(0), n = a.size(1), k = std::min(m, n);
  Array pivots({k}), order({m}), info({}, 0);
  for (int64_t i = 0; i < m; ++i) order.v[size_t(i)] = double(i);
  for (int64_t j = 0; j < k; ++j) {
    int64_t best = j;
    for (int64_t i = j + 1; i < m; ++i)
      if (std::fabs(a[{i, j}]) > std::fabs(a[{best, j}])) best = i;
    pivots.v[size_t(j)] = double(best + 1);
    std::swap(order.v[size_t(j)], order.v[size_t(best)]);
    for (int64_t c = 0; c < n; ++c) std::swap(a[{j, c}], a[{best, c}]);
    for (int64_t i = j + 1; i < m; ++i) {
      a[{i, j}] /= a[{j, j}];
      for (int64_t c = j + 1; c < n; ++c) a[{i, c}] -= a[{i, j}] * a[{j, c}];
    }
  }
  return {a, pivots, order, info};
}
Arrays unpacked(const Arrays& in) {
  const Arrays lu = lu_of(in);
  const Array& a = lu[0];
  const int64_t m = a.size(0), n = a.size(1), k = std::min(m, n);
  return {make_array({m, m}, [&](const Sizes& i) { return double(lu[2].v[size_t(i[1])] == double(i[0])); }),
          make_array({m, k}, [&](const Sizes& i) { return i[0] > i[1] ? a[i] : double(i[0] == i[1]); }),
          make_array({k, n}, [&](const Sizes& i) { return i[0] <= i[1] ? a[i] : 0; })};
}

Reference each(size_t inner, Arrays (*f)(const Arrays&)) {
  return [=](const Arrays& in) { return batched(in, inner, f); };
}
Arrays solution(const Arrays& in) { return {eliminate(in[0], in[1]).x}; }
Arrays inverse_of(const Arrays& in) { return {inverse(in[0])}; }
Arrays pseudo_inverse(const Arrays& in) {
  const Array &a = in[0], t = turned(a);
  return {a.size(0) >= a.size(1) ? product(inverse(product(t, a)), t) : product(t, inverse(product(a, t)))};
}
double norm_of(const Array& a, bool rows) {
  double most = 0;
  for (int64_t i = 0; i < a.size(0); ++i) {
    double s = 0;
    for (int64_t j = 0; j < a.size(0); ++j) s += std::fabs(rows ? a[{i, j}] : a[{j, i}]);
    most = std::max(most, s);
  }
  return most;
}

Input singular_input() {
  return real({2, 2}).fixed([](Array& a) { a.v = {1, 2, 2, 4}; });
}
Input indefinite() {
  return real({2, 2, 2}).fixed([](Array& a) { a.v = {2, 0, 0, 2, 1, 2, 2, 1}; });
}

void add_factors(Records& r) {
  r.op("cholesky_factor")
      .on(kSingle)
      .gives({same, always_i32})
      .tolerance(16, 16)
      .add({real({3, 3})}, CALL(ops::cholesky_factor(definite(t[0]))),
           each(2,
                [](const Arrays& in) -> Arrays {
                  return {cholesky(definite(in[0])), Array({}, 0)};
                }))
      .add({real({2, 2, 2})}, CALL(ops::cholesky_factor(definite(t[0]))),
           each(2,
                [](const Arrays& in) -> Arrays {
                  return {cholesky(definite(in[0])), Array({}, 0)};
                }))
      .add({real({0, 0})}, CALL(ops::cholesky_factor(t[0])),
           each(2,
                [](const Arrays& in) -> Arrays {
                  return {in[0], Array({}, 0)};
                }))
      .bad({real({2, 3})}, CALL(ops::cholesky_factor(t[0])), Code::shape, {"[cholesky_factor]", "[2, 3]"})
      .bad({real({3})}, CALL(ops::cholesky_factor(t[0])), Code::shape, {"[cholesky_factor]", "[3]"})
      .bad({real({2, 2})}, CALL(ops::cholesky_factor(t[0])), Code::dtype, {"float16"}, DType::f16);
  Record& lu =
      r.op("lu_factors").on(kSingle).gives({same, always_i32, always_i64, always_i32}).tolerance(16, 16);
  for (const Sizes& s : {Sizes{3, 3}, Sizes{3, 2}, Sizes{2, 3}, Sizes{2, 2, 2}, Sizes{1, 1}})
    lu.add({exchanged(s)}, CALL(ops::lu_factors(t[0])), each(2, lu_of));
  lu.bad({real({3})}, CALL(ops::lu_factors(t[0])), Code::shape, {"[lu_factors]", "[3]"});

  Record& qr = r.op("qr_factors").on(kSingle).tolerance(16, 16);
  for (const Sizes& s : {Sizes{3, 3}, Sizes{4, 2}, Sizes{2, 3}, Sizes{2, 3, 2}})
    qr.add(
        {apart(s)},
        [](Ins t) -> Outs {
          auto [q, r] = ops::qr_factors(t[0], 0);
          return std::array{ops::abs(q), ops::abs(r)};
        },
        each(2, [](const Arrays& in) -> Arrays {
          auto [q, r] = gram_schmidt(in[0]);
          return {without_signs(q), without_signs(r)};
        }));
  qr.add(
        {apart({4, 2})},
        [](Ins t) -> Outs {
          auto [q, r] = ops::qr_factors(t[0], 1);
          return std::array{ops::matmul(q, r), ops::matmul(q, ops::transpose(q, -2, -1))};
        },
        [](const Arrays& in) -> Arrays {
          return {in[0], identity(4)};
        })
      .no_grad()
      .bad({real({3})}, CALL(ops::qr_factors(t[0], 0)[0]), Code::shape, {"[qr_factors]", "[3]"});

  Record& eigh = r.op("eigh_factors").on(kSingle).tolerance(32, 32);
  for (const Sizes& s : {Sizes{3, 3}, Sizes{2, 2, 2}, Sizes{1, 1}})
    eigh.add(
        {apart(s)},
        [](Ins t) -> Outs {
          auto [l, v] = ops::eigh_factors(symmetric(t[0]), true);
          return std::array{l, ops::abs(v)};
        },
        each(2, [](const Arrays& in) -> Arrays {
          auto [l, v] = eigen(symmetric(in[0]));
          return {l, v};
        }));
  eigh.bad({real({2, 3})}, CALL(ops::eigh_factors(t[0], true)[0]), Code::shape, {"[eigh_factors]", "[2, 3]"})
      .bad({real({2, 1, 1}).fixed([](Array& a) {
             a.v = {1, NAN};
           })},
           CALL(ops::eigh_factors(t[0], true)[0]), Code::linalg, {"[linalg_eigh]", "matrix 1", "not finite"});

  Record& svd = r.op("svd_factors").on(kSingle).tolerance(32, 32);
  for (const Sizes& s : {Sizes{3, 3}, Sizes{4, 2}, Sizes{2, 3}, Sizes{2, 3, 2}})
    for (int64_t mode : {1, 2})
      svd.add(
          {apart(s)},
          [mode](Ins t) -> Outs {
            auto [u, s, vh] = ops::svd_factors(t[0], mode);
            const int64_t k = s.size(-1);
            return std::array{ops::abs(ops::narrow(u, -1, 0, k)), s, ops::abs(ops::narrow(vh, -2, 0, k))};
          },
          each(2, [](const Arrays& in) -> Arrays {
            auto [s, u, v] = singular(in[0]);
            return {u, s, turned(v)};
          }));
  svd.bad({real({3})}, CALL(ops::svd_factors(t[0], 1)[0]), Code::shape, {"[svd_factors]", "[3]"})
      .bad({real({1, 1}).fixed([](Array& a) { a.v = {INFINITY}; })}, CALL(ops::svd_factors(t[0], 0)[0]),
           Code::linalg, {"[linalg_svd]", "the matrix", "not finite"});
}

void add_cholesky(Records& r) {
  auto lower = each(2, [](const Arrays& in) -> Arrays { return {cholesky(definite(in[0]))}; });
  auto upper = each(2, [](const Arrays& in) -> Arrays { return {turned(cholesky(definite(in[0])))}; });
  r.op("linalg_cholesky")
      .on(kSingle, kNone)
      .tolerance(16, 16)
      .add({real({3, 3})}, CALL(ops::linalg_cholesky(definite(t[0]))), lower)
      .add({real({2, 2, 2})}, CALL(ops::linalg_cholesky(definite(t[0]), true)), upper)
      .bad({indefinite()}, CALL(ops::linalg_cholesky(t[0])), Code::linalg,
           {"[linalg_cholesky]", "matrix 1 of the batch", "2"})
      .bad({real({2, 3})}, CALL(ops::linalg_cholesky(t[0])), Code::shape, {"[linalg_cholesky]", "[2, 3]"});
  r.op("linalg_cholesky_ex")
      .on(kSingle, kNone)
      .gives({same, always_i32})
      .tolerance(16, 16)
      .add({real({3, 3})}, CALL(ops::linalg_cholesky_ex(definite(t[0]), true, true)),
           [](const Arrays& in) -> Arrays {
             return {turned(cholesky(definite(in[0]))), Array({}, 0)};
           })
      .bad({indefinite()}, CALL(ops::linalg_cholesky_ex(t[0], false, true)[0]), Code::linalg,
           {"[linalg_cholesky]", "matrix 1"});
  r.op("cholesky_solve")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({real({3, 2}), real({3, 3})},
           CALL(ops::cholesky_solve(t[0], ops::linalg_cholesky_ex(definite(t[1]))[0])),
           [](const Arrays& in) -> Arrays { return {eliminate(definite(in[1]), in[0]).x}; })
      .add({real({3, 2}), real({3, 3})},
           CALL(ops::cholesky_solve(t[0], ops::linalg_cholesky_ex(definite(t[1]), true)[0], true)),
           [](const Arrays& in) -> Arrays { return {eliminate(definite(in[1]), in[0]).x}; })
      .bad({real({3, 2}), real({3, 2})}, CALL(ops::cholesky_solve(t[0], t[1])), Code::shape,
           {"[cholesky_solve]", "[3, 2]"});
  r.op("cholesky_inverse")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({real({3, 3})}, CALL(ops::cholesky_inverse(ops::linalg_cholesky_ex(definite(t[0]))[0])),
           [](const Arrays& in) -> Arrays { return {inverse(definite(in[0]))}; })
      .add({real({3, 3})},
           CALL(ops::cholesky_inverse(ops::linalg_cholesky_ex(definite(t[0]), true)[0], true)),
           [](const Arrays& in) -> Arrays { return {inverse(definite(in[0]))}; })
      .bad({real({3, 2})}, CALL(ops::cholesky_inverse(t[0])), Code::shape, {"[cholesky_inverse]", "[3, 2]"})
      .bad({real({2, 2, 2}).fixed([](Array& a) { a.v = {1, 0, 2, 1, 3, 0, 2, 0}; })},
           CALL(ops::cholesky_inverse(t[0])), Code::linalg,
           {"[cholesky_inverse]", "matrix 1 of the batch", "number 2"});
}

void add_lu(Records& r) {
  r.op("linalg_lu_factor")
      .on(kSingle, kNone)
      .gives({same, always_i32})
      .tolerance(16, 16)
      .add({exchanged({3, 2})}, CALL(ops::linalg_lu_factor(t[0])),
           [](const Arrays& in) -> Arrays {
             return {lu_of(in)[0], lu_of(in)[1]};
           })
      .bad({singular_input()}, CALL(ops::linalg_lu_factor(t[0])[0]), Code::linalg,
           {"[linalg_lu_factor]", "the matrix", "singular", "2"});
  r.op("linalg_lu_factor_ex")
      .on(kSingle, kNone)
      .gives({same, always_i32, always_i32})
      .tolerance(16, 16)
      .add({exchanged({2, 3})}, CALL(ops::linalg_lu_factor_ex(t[0], true)),
           [](const Arrays& in) -> Arrays {
             return {lu_of(in)[0], lu_of(in)[1], lu_of(in)[3]};
           })
      .bad({singular_input()}, CALL(ops::linalg_lu_factor_ex(t[0], true)[0]), Code::linalg,
           {"[linalg_lu_factor]", "singular"});
  Record& lu = r.op("linalg_lu").on(kSingle, kNone).tolerance(16, 16);
  for (const Sizes& s : {Sizes{3, 3}, Sizes{3, 2}, Sizes{2, 3}})
    lu.add({exchanged(s)}, CALL(ops::linalg_lu(t[0])), each(2, unpacked));
  lu.bad({real({3})}, CALL(ops::linalg_lu(t[0])[0]), Code::shape, {"[lu_factors]", "[3]"});
  r.op("lu_unpack")
      .on(kSingle, kNone)
      .depends_on_values()
      .tolerance(16, 16)
      .add(
          {exchanged({3, 3})},
          [](Ins t) -> Outs {
            auto [lu, pivots] = ops::linalg_lu_factor(t[0]);
            return ops::lu_unpack(lu, pivots);
          },
          unpacked)
      .bad({real({3, 3}), index_below({2}, 3)}, CALL(ops::lu_unpack(t[0], t[1])[0]), Code::shape,
           {"[lu_unpack]", "pivots", "[2]", "[3]"});
  Record& solve = r.op("linalg_lu_solve").on(kSingle, kNone).depends_on_values().tolerance(32, 32);
  for (bool left : {true, false})
    for (bool adjoint : {false, true})
      solve.add(
          {exchanged({2, 2}), left ? real({2, 3}) : real({3, 2})},
          [=](Ins t) -> Outs {
            auto [lu, pivots] = ops::linalg_lu_factor(t[0]);
            return ops::linalg_lu_solve(lu, pivots, t[1], left, adjoint);
          },
          [=](const Arrays& in) -> Arrays {
            const Array a = adjoint ? turned(in[0]) : in[0];
            if (left) return {eliminate(a, in[1]).x};
            return {turned(eliminate(turned(a), turned(in[1])).x)};
          });
  solve.bad({real({2, 2}), index_below({3}, 2), real({2, 1})}, CALL(ops::linalg_lu_solve(t[0], t[1], t[2])),
            Code::shape, {"[linalg_lu_solve]", "pivots", "[3]"});
}

void add_systems(Records& r) {
  Record& triangular = r.op("linalg_solve_triangular").on(kSingle, kNone).tolerance(16, 16);
  for (bool upper : {false, true})
    for (bool left : {true, false})
      for (bool unit : {false, true})
        triangular.add(
            {apart({3, 3}), left ? real({3, 2}) : real({2, 3})},
            [=](Ins t) -> Outs { return ops::linalg_solve_triangular(t[0], t[1], upper, left, unit); },
            [=](const Arrays& in) -> Arrays {
              const Array a = make_array({3, 3}, [&](const Sizes& i) {
                if (i[0] == i[1]) return unit ? 1.0 : in[0][i];
                return (i[0] < i[1]) == upper ? in[0][i] : 0;
              });
              if (left) return {eliminate(a, in[1]).x};
              return {turned(eliminate(turned(a), turned(in[1])).x)};
            });
  triangular
      .bad({real({2, 2}), real({3, 1})}, CALL(ops::linalg_solve_triangular(t[0], t[1], true)), Code::shape,
           {"[linalg_solve_triangular]", "[3, 1]", "2 rows"})
      .bad({real({2, 3}), real({2, 1})}, CALL(ops::linalg_solve_triangular(t[0], t[1], true)), Code::shape,
           {"[linalg_solve_triangular]", "square"});

  r.op("linalg_solve")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({exchanged({3, 3}), real({3, 2})}, CALL(ops::linalg_solve(t[0], t[1])), each(2, solution))
      .add({exchanged({2, 2, 2}), real({2, 2, 1})}, CALL(ops::linalg_solve(t[0], t[1])), each(2, solution))
      .add({exchanged({3, 3}), real({3})}, CALL(ops::linalg_solve(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             Array x = eliminate(in[0], Array({3, 1}, in[1].v)).x;
             x.sizes = {3};
             return {x};
           })
      .add({exchanged({3, 3}), real({2, 3})}, CALL(ops::linalg_solve(t[0], t[1], false)),
           [](const Arrays& in) -> Arrays { return {turned(eliminate(turned(in[0]), turned(in[1])).x)}; })
      .bad({singular_input(), real({2, 1})}, CALL(ops::linalg_solve(t[0], t[1])), Code::linalg,
           {"[linalg_solve]", "the matrix", "singular"})
      .bad({real({2, 2}), real({3, 1})}, CALL(ops::linalg_solve(t[0], t[1])), Code::shape,
           {"[linalg_solve]", "[3, 1]", "[2, 2]"});
  r.op("linalg_solve_ex")
      .on(kSingle, kNone)
      .gives({same, always_i32})
      .tolerance(32, 32)
      .add({exchanged({3, 3}), real({3, 2})}, CALL(ops::linalg_solve_ex(t[0], t[1], true, true)),
           [](const Arrays& in) -> Arrays {
             return {solution(in)[0], Array({}, 0)};
           })
      .bad({singular_input(), real({2, 1})}, CALL(ops::linalg_solve_ex(t[0], t[1], true, true)[0]),
           Code::linalg, {"[linalg_solve]", "singular"});
  r.op("linalg_inv")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({exchanged({3, 3})}, CALL(ops::linalg_inv(t[0])), each(2, inverse_of))
      .add({exchanged({2, 2, 2})}, CALL(ops::linalg_inv(t[0])), each(2, inverse_of))
      .bad({singular_input()}, CALL(ops::linalg_inv(t[0])), Code::linalg, {"[linalg_inv]", "singular"})
      .bad({real({2, 3})}, CALL(ops::linalg_inv(t[0])), Code::shape, {"[linalg_inv]", "[2, 3]"});
  r.op("linalg_inv_ex")
      .on(kSingle, kNone)
      .gives({same, always_i32})
      .tolerance(32, 32)
      .add({exchanged({3, 3})}, CALL(ops::linalg_inv_ex(t[0], true)),
           [](const Arrays& in) -> Arrays {
             return {inverse(in[0]), Array({}, 0)};
           })
      .bad({singular_input()}, CALL(ops::linalg_inv_ex(t[0], true)[0]), Code::linalg, {"[linalg_inv]"});
  r.op("linalg_tensorsolve")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({exchanged({4, 4}), real({2, 2})},
           CALL(ops::linalg_tensorsolve(ops::reshape(t[0], Sizes{2, 2, 4}), t[1])),
           [](const Arrays& in) -> Arrays {
             Array x = eliminate(in[0], Array({4, 1}, in[1].v)).x;
             x.sizes = {4};
             return {x};
           })
      .bad({real({2, 2, 3}), real({2, 2})}, CALL(ops::linalg_tensorsolve(t[0], t[1])), Code::shape,
           {"[linalg_tensorsolve]", "[2, 2, 3]"});
  r.op("linalg_tensorinv")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({exchanged({4, 4})}, CALL(ops::linalg_tensorinv(ops::reshape(t[0], Sizes{4, 2, 2}), 1)),
           [](const Arrays& in) -> Arrays {
             Array x = inverse(in[0]);
             x.sizes = {2, 2, 4};
             return {x};
           })
      .bad({real({2, 3})}, CALL(ops::linalg_tensorinv(t[0], 1)), Code::shape,
           {"[linalg_tensorinv]", "[2, 3]"})
      .bad({real({2, 2})}, CALL(ops::linalg_tensorinv(t[0], 0)), Code::invalid_argument,
           {"[linalg_tensorinv]", "0"});
}

void add_determinants(Records& r) {
  auto det = each(2, [](const Arrays& in) -> Arrays { return {Array({}, determinant(in[0]))}; });
  r.op("linalg_det")
      .on(kSingle, kNone)
      .tolerance(16, 16)
      .add({exchanged({3, 3})}, CALL(ops::linalg_det(t[0])), det)
      .add({exchanged({2, 2, 2})}, CALL(ops::linalg_det(t[0])), det)
      .add({real({0, 0})}, CALL(ops::linalg_det(t[0])), det)
      .bad({real({2, 3})}, CALL(ops::linalg_det(t[0])), Code::shape, {"[linalg_det]", "[2, 3]"});
  r.op("linalg_slogdet")
      .on(kSingle, kNone)
      .tolerance(16, 16)
      .add({exchanged({3, 3})}, CALL(ops::linalg_slogdet(t[0])),
           [](const Arrays& in) -> Arrays {
             const double d = determinant(in[0]);
             return {Array({}, d > 0 ? 1 : -1), Array({}, std::log(std::fabs(d)))};
           })
      .bad({real({2, 3})}, CALL(ops::linalg_slogdet(t[0])[0]), Code::shape, {"[linalg_slogdet]", "[2, 3]"});
  r.op("logdet")
      .on(kSingle, kNone)
      .tolerance(16, 16)
      .add({real({3, 3})}, CALL(ops::logdet(definite(t[0]))),
           [](const Arrays& in) -> Arrays { return {Array({}, std::log(determinant(definite(in[0]))))}; })
      .bad({real({2, 3})}, CALL(ops::logdet(t[0])), Code::shape, {"[2, 3]"});
}

void add_decompositions(Records& r) {
  r.op("linalg_qr")
      .on(kSingle, kNone)
      .tolerance(16, 16)
      .add(
          {apart({3, 2})},
          [](Ins t) -> Outs {
            auto [q, r] = ops::linalg_qr(t[0]);
            return std::array{ops::abs(q), ops::abs(r)};
          },
          [](const Arrays& in) -> Arrays {
            auto [q, r] = gram_schmidt(in[0]);
            return {without_signs(q), without_signs(r)};
          })
      .bad({real({2, 2})}, CALL(ops::linalg_qr(t[0], 3)[0]), Code::invalid_argument,
           {"[linalg_qr]", "mode", "3"});
  r.op("linalg_householder_product")
      .on(kSingle, kNone)
      .tolerance(16, 16)
      .add({real({3, 2}), real({2})}, CALL(ops::linalg_householder_product(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             Array q = identity(3);
             for (int64_t k = 0; k < 2; ++k) {
               auto v = [&](int64_t i) { return i < k ? 0.0 : i == k ? 1.0 : in[0][{i, k}]; };
               q = product(q, make_array({3, 3}, [&](const Sizes& i) {
                             return double(i[0] == i[1]) - in[1].v[size_t(k)] * v(i[0]) * v(i[1]);
                           }));
             }
             return {make_array({3, 2}, [&](const Sizes& i) { return q[i]; })};
           })
      .bad({real({2, 3}), real({2})}, CALL(ops::linalg_householder_product(t[0], t[1])), Code::shape,
           {"[linalg_householder_product]", "[2, 3]"});
  auto values = [](const Arrays& in) -> Arrays { return {eigen(symmetric(in[0])).first}; };
  r.op("linalg_eigh")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add(
          {apart({3, 3})},
          [](Ins t) -> Outs {
            auto [l, v] = ops::linalg_eigh(symmetric(t[0]), true);
            return std::array{l, ops::abs(v)};
          },
          [](const Arrays& in) -> Arrays {
            auto [l, v] = eigen(symmetric(in[0]));
            return {l, v};
          })
      .bad({real({2, 3})}, CALL(ops::linalg_eigh(t[0])[0]), Code::shape, {"[linalg_eigh]", "[2, 3]"});
  r.op("linalg_eigvalsh")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({apart({3, 3})}, CALL(ops::linalg_eigvalsh(symmetric(t[0]))), each(2, values))
      .bad({real({2, 3})}, CALL(ops::linalg_eigvalsh(t[0])), Code::shape, {"[linalg_eigvalsh]", "[2, 3]"});
  r.op("linalg_svd")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add(
          {apart({3, 2})},
          [](Ins t) -> Outs {
            auto [u, s, vh] = ops::linalg_svd(t[0], false);
            return std::array{ops::abs(u), s, ops::abs(vh)};
          },
          [](const Arrays& in) -> Arrays {
            auto [s, u, v] = singular(in[0]);
            return {u, s, turned(v)};
          })
      .bad({real({3})}, CALL(ops::linalg_svd(t[0])[0]), Code::shape, {"[linalg_svd]", "[3]"});
  r.op("linalg_svdvals")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({apart({2, 3})}, CALL(ops::linalg_svdvals(t[0])),
           [](const Arrays& in) -> Arrays { return {singular(in[0])[0]}; })
      .bad({real({3})}, CALL(ops::linalg_svdvals(t[0])), Code::shape, {"[linalg_svdvals]", "[3]"});
}

void add_values(Records& r) {
  Record& pinv = r.op("linalg_pinv").on(kSingle, kNone).tolerance(64, 64);
  for (const Sizes& s : {Sizes{3, 2}, Sizes{2, 3}, Sizes{2, 2, 2}})
    pinv.add({apart(s)}, CALL(ops::linalg_pinv(t[0])), each(2, pseudo_inverse));
  pinv.add({apart({3, 3})}, CALL(ops::linalg_pinv(symmetric(t[0]), Scalar(), 1e-6, true)),
           [](const Arrays& in) -> Arrays { return {inverse(symmetric(in[0]))}; })
      .bad({real({3})}, CALL(ops::linalg_pinv(t[0])), Code::shape, {"[linalg_pinv]", "[3]"});
  r.op("linalg_matrix_rank")
      .on(kSingle, kNone)
      .gives({always_i64})
      .add({apart({2, 3})}, CALL(ops::linalg_matrix_rank(t[0])),
           [](const Arrays&) -> Arrays { return {Array({}, 2)}; })
      .add({singular_input()}, CALL(ops::linalg_matrix_rank(t[0], Scalar(), Scalar(), true)),
           [](const Arrays&) -> Arrays { return {Array({}, 1)}; })
      .bad({real({3})}, CALL(ops::linalg_matrix_rank(t[0])), Code::shape, {"[linalg_matrix_rank]", "[3]"});
  Record& lstsq = r.op("linalg_lstsq")
                      .on(kSingle, kNone)
                      .gives({same, same, always_i64, same})
                      .depends_on_values()
                      .tolerance(64, 64);
  for (const Sizes& s : {Sizes{4, 2}, Sizes{2, 3}})
    for (int64_t driver : {2, 1}) {
      auto whole = [driver](const Arrays& in) -> Arrays {
        const Array x = product(pseudo_inverse(in)[0], in[1]), y = product(in[0], x);
        const int64_t m = in[0].size(0), n = in[0].size(1);
        Array left({m > n ? 2 : 0});
        for (size_t k = 0; k < left.v.size(); ++k)
          for (int64_t i = 0; i < m; ++i)
            left.v[k] += std::pow(y[{i, int64_t(k)}] - in[1][{i, int64_t(k)}], 2);
        return {x, left, driver == 1 ? Array({0}) : Array({}, double(std::min(m, n))),
                driver == 1 ? Array({0}) : singular(in[0])[0]};
      };
      lstsq.add({apart(s), real({s[0], 2})}, CALL(ops::linalg_lstsq(t[0], t[1], Scalar(), driver)), whole)
          .no_grad()
          .add(
              {apart(s), real({s[0], 2})},
              [driver](Ins t) -> Outs {
                auto [x, left, rank, values] = ops::linalg_lstsq(t[0], t[1], Scalar(), driver);
                return std::array{x, left};
              },
              [whole](const Arrays& in) -> Arrays {
                return {whole(in)[0], whole(in)[1]};
              });
    }
  lstsq
      .bad({real({3, 2}), real({2, 1})}, CALL(ops::linalg_lstsq(t[0], t[1])[0]), Code::shape,
           {"[linalg_lstsq]", "[2, 1]", "[3, 2]"})
      .bad({real({3, 2}), real({3, 1})}, CALL(ops::linalg_lstsq(t[0], t[1], Scalar(), 4)[0]),
           Code::invalid_argument, {"[linalg_lstsq]", "driver", "4"});
  r.op("linalg_cond")
      .on(kSingle, kNone)
      .tolerance(64, 64)
      .add({apart({3, 2})}, CALL(ops::linalg_cond(t[0])),
           [](const Arrays& in) -> Arrays {
             return {Array({}, singular(in[0])[0].v[0] / singular(in[0])[0].v[1])};
           })
      .add({apart({3, 3})}, CALL(ops::linalg_cond(t[0], 1)),
           [](const Arrays& in) -> Arrays {
             return {Array({}, norm_of(in[0], false) * norm_of(inverse(in[0]), false))};
           })
      .add({singular_input().constant()}, CALL(ops::linalg_cond(t[0], INFINITY)),
           [](const Arrays&) -> Arrays { return {Array({}, INFINITY)}; })
      .no_grad()
      .bad({apart({3, 2})}, CALL(ops::linalg_cond(t[0], 1)), Code::shape, {"[linalg_cond]", "[3, 2]"})
      .bad({apart({2, 2})}, CALL(ops::linalg_cond(t[0], 3)), Code::invalid_argument,
           {"[linalg_cond]", "got 3"});
  r.op("nuclear_norm")
      .on(kSingle, kNone)
      .tolerance(32, 32)
      .add({apart({3, 2})}, CALL(ops::nuclear_norm(t[0])),
           [](const Arrays& in) -> Arrays {
             return {Array({}, singular(in[0])[0].v[0] + singular(in[0])[0].v[1])};
           })
      .add({apart({3, 2})}, CALL(ops::nuclear_norm(t[0], Sizes{1, 0}, true)),
           [](const Arrays& in) -> Arrays {
             return {Array({1, 1}, singular(in[0])[0].v[0] + singular(in[0])[0].v[1])};
           })
      .bad({real({3})}, CALL(ops::nuclear_norm(t[0])), Code::shape, {"[nuclear_norm]", "[3]"})
      .bad({real({3, 3})}, CALL(ops::nuclear_norm(t[0], Sizes{1, -1})), Code::invalid_argument,
           {"[nuclear_norm]", "both"});
  r.op("matrix_exp")
      .on(kSingle, kNone)
      .depends_on_values()
      .tolerance(32, 32)
      .add({real({3, 3})}, CALL(ops::matrix_exp(t[0])),
           each(2,
                [](const Arrays& in) -> Arrays {
                  Array y = identity(3), term = y;
                  for (int k = 1; k < 80; ++k) {
                    term = product(term, in[0]);
                    for (double& v : term.v) v /= k;
                    for (size_t i = 0; i < y.v.size(); ++i) y.v[i] += term.v[i];
                  }
                  return {y};
                }))
      .bad({real({2, 3})}, CALL(ops::matrix_exp(t[0])), Code::shape, {"[matrix_exp]", "[2, 3]"});
  r.op("linalg_vander")
      .on(kNumbers)
      .gives({sum_type})
      .tolerance(8)
      .add({real({3})}, CALL(ops::linalg_vander(t[0])),
           [](const Arrays& in) -> Arrays {
             return {make_array(
                 {3, 3}, [&](const Sizes& i) { return std::pow(in[0].v[size_t(i[0])], double(i[1])); })};
           })
      .add({real({2, 2}, -1, 1)}, CALL(ops::linalg_vander(t[0], 4)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 2, 4}, [&](const Sizes& i) {
               return std::pow(in[0][{i[0], i[1]}], double(i[2]));
             })};
           })
      .add({real({}, -1, 1)}, CALL(ops::linalg_vander(t[0], 3)),
           [](const Arrays& in) -> Arrays {
             return {Array({1, 3}, {1, in[0].v[0], in[0].v[0] * in[0].v[0]})};
           })
      .bad({real({2})}, CALL(ops::linalg_vander(t[0], 1)), Code::invalid_argument, {"[linalg_vander]", "1"});
}

}  // namespace

void add_plain_linalg(Records& r, Input (*apart)(Sizes), Input (*exchanged)(Sizes));  // linalg_calls.cpp

void add_linalg(Records& r) {
  const size_t before = r.all.size();
  add_factors(r);
  add_cholesky(r);
  add_lu(r);
  add_systems(r);
  add_determinants(r);
  add_decompositions(r);
  add_values(r);
  add_plain_linalg(r, apart, exchanged);
  for (size_t k = before; k < r.all.size(); ++k)
    for (Case& c : r.all[k].cases) keep(c);
}

}  // namespace haft::test
