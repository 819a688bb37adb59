// Orthogonal weights: a free matrix mapped to one with orthonormal columns, or rows where those are fewer.
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/nn/factories.h"
#include "core/nn/init.h"
#include "core/nn/parametrize.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

enum class Map : int64_t { automatic, matrix_exp, cayley, householder };
constexpr const char* kMapNames[] = {"None", "matrix_exp", "cayley", "householder"};

Tensor turned(const Tensor& x) { return ops::transpose(x, -2, -1); }
Tensor identity_of(const Tensor& x, int64_t rows, int64_t columns) {
  return ops::eye(rows, columns, x.dtype(), x.device());
}
Tensor part(const Tensor& x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  return ops::narrow(ops::narrow(x, -2, row, rows), -1, column, columns);
}
Tensor rows_of(std::initializer_list<Tensor> parts) {
  return ops::cat(std::span(parts.begin(), parts.size()), -2);
}
Tensor columns_of(std::initializer_list<Tensor> parts) {
  return ops::cat(std::span(parts.begin(), parts.size()), -1);
}

// The inverse of matrices whose symmetric part is positive definite, by halves: so are the upper left block and what
// is left of the lower right one.
Tensor inverse(const Tensor& m) {
  const int64_t n = m.size(-1), half = n / 2, rest = n - half;
  if (n == 1) return ops::reciprocal(m);
  const Tensor b = part(m, 0, half, half, rest), c = part(m, half, rest, 0, half);
  const Tensor a = inverse(part(m, 0, half, 0, half)), ca = ops::matmul(c, a);
  const Tensor d = inverse(ops::sub(part(m, half, rest, half, rest), ops::matmul(ca, b)));
  const Tensor right = ops::neg(ops::matmul(ops::matmul(a, b), d));
  return rows_of({columns_of({ops::sub(a, ops::matmul(right, ca)), right}),
                  columns_of({ops::neg(ops::matmul(d, ca)), d})});
}

// The product of the reflections that the columns of X below the diagonal mean: I - V T V^T with T joined of halves,
// all pairs of a width at once.
Tensor householder(const Tensor& x) {  // (B, n, k), n >= k
  const int64_t batch = x.size(0), n = x.size(1), k = x.size(2);
  int64_t wide = 1;
  while (wide < k) wide *= 2;
  const Tensor below = ops::tril(x, -1), v = ops::add(below, identity_of(x, n, k));
  const Tensor tau = ops::mul_scalar(
      ops::reciprocal(ops::add_scalar(ops::sum(ops::square(below), Shape{-2}), Scalar(1.0))), Scalar(2.0));
  const Tensor products = ops::pad(ops::matmul(turned(v), v), Shape{0, wide - k, 0, wide - k});
  Tensor t = ops::reshape(ops::pad(tau, Shape{0, wide - k}), Shape{batch, wide, 1, 1});
  for (int64_t s = 1; s < wide; s *= 2) {
    const int64_t pairs = wide / (2 * s);
    const Tensor blocks =
        ops::diagonal(ops::reshape(products, Shape{batch, pairs, 2 * s, pairs, 2 * s}), 0, 1, 3);
    const Tensor between = part(ops::permute(blocks, Shape{0, 3, 1, 2}), 0, s, s, s);
    const Tensor halves = ops::reshape(t, Shape{batch, pairs, 2, s, s}), one = ops::select(halves, 2, 0),
                 two = ops::select(halves, 2, 1);
    const Tensor corner = ops::neg(ops::matmul(ops::matmul(one, between), two));
    t = rows_of({columns_of({one, corner}), columns_of({ops::zeros_like(two), two})});
  }
  t = part(ops::reshape(t, Shape{batch, wide, wide}), 0, k, 0, k);
  const Tensor q =
      ops::sub(identity_of(x, n, k), ops::matmul(v, ops::matmul(t, turned(ops::narrow(v, 1, 0, k)))));
  const Tensor signs =
      ops::trunc(ops::detach(ops::diagonal(x, 0, -2, -1)));  // 1 or -1, no values to be trained
  return ops::mul(q, ops::unsqueeze(signs, -2));
}

// LAPACK's geqrf in double: R and, below it, the reflections; then the signs that householder() wants on the diagonal.
void reflections(double* a, int64_t n, int64_t k) {  // (n, k), row-major
  auto at = [&](int64_t i, int64_t j) -> double& { return a[i * k + j]; };
  for (int64_t j = 0; j < k; ++j) {
    double squares = 0;
    for (int64_t i = j + 1; i < n; ++i) squares += at(i, j) * at(i, j);
    const double alpha = at(j, j),
                 beta = squares == 0 ? alpha : -std::copysign(std::sqrt(alpha * alpha + squares), alpha);
    const double tau = squares == 0 ? 0 : (beta - alpha) / beta;
    for (int64_t i = j + 1; i < n && tau != 0; ++i) at(i, j) /= alpha - beta;
    for (int64_t c = j + 1; c < k && tau != 0; ++c) {
      double sum = at(j, c);
      for (int64_t i = j + 1; i < n; ++i) sum += at(i, j) * at(i, c);
      at(j, c) -= tau * sum;
      for (int64_t i = j + 1; i < n; ++i) at(i, c) -= tau * sum * at(i, j);
    }
    const double sign = beta > 0 ? 1 : beta < 0 ? -1 : 0;
    at(j, j) = tau == 0 ? -sign : sign;
  }
}

class Orthogonal final : public Parametrization {
  Map map_;
  bool trivialization_;

 public:
  Orthogonal(int64_t map, bool use_trivialization)
      : Parametrization("Orthogonal"), map_(Map(map)), trivialization_(use_trivialization) {
    if (trivialization_) register_buffer("base", {});
  }

  Tensor forward(const Tensor& given) override {
    const int64_t rows = given.ndim() < 2 ? 0 : given.size(-2),
                  columns = given.ndim() < 2 ? 0 : given.size(-1);
    if (given.ndim() < 2) refuse(given);
    if (trivialization_ && !buffer(0))
      fail(Code::invalid_argument, "Orthogonal has no base yet",
           "register it as a parametrization, or call its right inverse once with the weight");
    if (given.numel() == 0) return given;
    const int64_t n = std::max(rows, columns), k = std::min(rows, columns);
    const DType type =
        given.dtype() == DType::f64 ? DType::f64 : DType::f32;  // 16 bits are too few for what comes
    Tensor x = ops::reshape(ops::cast(rows < columns ? turned(given) : given, type), Shape{-1, n, k}), q;
    if (map_of(rows, columns) == Map::householder) {
      q = householder(x);
    } else {
      x = ops::tril(x);
      if (n != k) x = ops::pad(x, Shape{0, n - k});
      const Tensor skew = ops::sub(x, turned(x));
      if (map_of(rows, columns) == Map::matrix_exp) {
        q = ops::matrix_exp(skew);
      } else {
        const Tensor one = identity_of(x, n, n), half = ops::mul_scalar(skew, Scalar(0.5));
        q = ops::matmul(inverse(ops::sub(one, half)), ops::add(one, half));
      }
      q = ops::narrow(q, -1, 0, k);
    }
    if (trivialization_) q = ops::matmul(ops::reshape(ops::cast(buffer(0), type), Shape{-1, n, n}), q);
    if (rows < columns) q = turned(q);
    return ops::cast(ops::reshape(q, given.sizes()), given.dtype());
  }

  // With a base: an orthogonal matrix whose first columns are value, made orthonormal, from where the map begins.
  // Without: what householder() makes it of.
  std::vector<Tensor> right_inverse(const Tensor& value) override {
    if (value.ndim() < 2) refuse(value);
    const int64_t rows = value.size(-2), columns = value.size(-1), n = std::max(rows, columns),
                  k = std::min(rows, columns);
    if (!trivialization_ && map_of(rows, columns) != Map::householder)
      fail(Code::unsupported,
           concat("Orthogonal: a value cannot be assigned through ", kMapNames[size_t(map_of(rows, columns))],
                  " without a base"),
           "use the trivialization, or the map householder", "value");
    if (value.numel() == 0 && !trivialization_) return {value};
    NoGradGuard off;
    const DType type = value.dtype() == DType::f64 ? DType::f64 : DType::f32;
    // Vectors as rows, on the CPU.
    const Tensor vectors =
        ops::reshape(ops::to(rows < columns ? value : turned(value), type, Device{}), Shape{-1, k, n});
    const int64_t batch = vectors.size(0);
    if (trivialization_) {
      std::vector<Tensor> bases;
      for (int64_t b = 0; b < batch; ++b) {
        const Tensor own = ops::select(vectors, 0, b);
        const Shape size{n - k, n};
        const Tensor more[] = {own,
                               n == k ? ops::narrow(own, 0, 0, 0) : ops::normal(0, 1, size, type, Device{})};
        bases.push_back(ops::t(orthonormal_rows(ops::cat(more, 0))));
      }
      Shape sizes(value.sizes());
      sizes[sizes.size() - 1] = sizes[sizes.size() - 2] = n;
      Tensor base = batch ? ops::reshape(ops::stack(bases), sizes) : ops::zeros(sizes, type);
      register_buffer("base", ops::to(base, value.dtype(), value.device()));
      Tensor start = ops::zeros(value.sizes(), value.dtype(), value.device());
      ops::fill_(ops::diagonal(start, 0, -2, -1), Scalar(-1.0));  // householder() makes the identity of it
      return {start};
    }
    const Tensor matrices = ops::empty(Shape{batch, n, k}, DType::f64, Device{});
    ops::copy_(matrices, turned(vectors));
    for (int64_t b = 0; b < batch; ++b)
      reflections(static_cast<double*>(matrices.view().data) + b * n * k, n, k);
    return {ops::to(ops::reshape(rows < columns ? turned(matrices) : matrices, value.sizes()), value.dtype(),
                    value.device())};
  }
  std::string extra() const override {
    return concat("orthogonal_map=", kMapNames[size_t(map_)],
                  ", use_trivialization=", flag_text(trivialization_));
  }

 private:
  Map map_of(int64_t rows, int64_t columns) const {
    return map_ != Map::automatic ? map_ : rows == columns ? Map::matrix_exp : Map::householder;
  }
  [[noreturn]] static void refuse(const Tensor& t) {
    fail(Code::shape, concat("Orthogonal: wanted a matrix or a batch of matrices, got shape ", t.sizes()), {},
         "value");
  }
};

}  // namespace

Ref<Module> orthogonal(int64_t orthogonal_map, bool use_trivialization) {
  return make_ref<Orthogonal>(orthogonal_map, use_trivialization);
}

}  // namespace haft::nn
