// Matrix products: shapes, gradients, compositions. Kernels take any strides, so transposes stay views.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/ops/creation.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

Tensor transposed(const Tensor& x) { return ops::transpose(x, -2, -1); }

bool is_one(Scalar s) { return s.to_double() == 1; }
Tensor times(const Tensor& x, Scalar s) { return is_one(s) ? x : ops::mul_scalar(x, s); }

// Inputs `i` and i + 1 are matrices (or batches of them) that fit together.
void check_product(const ShapeContext& c, int i, int64_t ndim) {
  const Tensor &a = c.in(i), &b = c.in(i + 1);
  if (a.ndim() != ndim || b.ndim() != ndim)
    fail(Code::shape,
         concat("[", c.name(), "] takes tensors of ", ndim, " dimensions, got shapes ", a.sizes(), " and ",
                b.sizes()),
         "matmul() takes any");
  if (a.size(-1) != b.size(-2) || (ndim == 3 && a.size(0) != b.size(0)))
    fail(Code::shape,
         concat("[", c.name(), "] shapes ", a.sizes(), " and ", b.sizes(), " do not fit together: ",
                a.size(-1) != b.size(-2) ? "columns and rows" : "batches", " differ"));
  require_same_dtype(c, i + 1, "mat2");
  if (a.dtype() == DType::boolean)
    fail(Code::dtype, concat("[", c.name(), "] bool has no product"), "cast to a number type");
}

// Factors of integer products are integers.
void check_factor(const char* op, Scalar s, DType t, const char* name) {
  if (!is_float(t) && s.kind == ScalarKind::floating)
    fail(Code::dtype, concat("[", op, "] ", name, " is ", s.to_double(), ", the tensors are ", dtype_name(t)),
         "give an integer, or cast the tensors", name);
}

// beta * bias + alpha * product, in the product's sizes.
Tensor added(const char* op, const Tensor& bias, Tensor product, Scalar beta, Scalar alpha) {
  check_factor(op, beta, product.dtype(), "beta");
  check_factor(op, alpha, product.dtype(), "alpha");
  if (bias.dtype() != product.dtype())
    fail(Code::dtype,
         concat("[", op, "] input is ", dtype_name(bias.dtype()), ", the product is ",
                dtype_name(product.dtype())),
         "cast one of them", "input");
  if (product.dtype() == DType::boolean)
    fail(Code::dtype, concat("[", op, "] bool has no product"), "cast to a number type");
  Shape sizes = broadcast_shapes(bias.sizes(), product.sizes(), op);
  if (!std::ranges::equal(IntList(sizes), product.sizes()))
    fail(Code::shape,
         concat("[", op, "] input of shape ", bias.sizes(), " does not broadcast to ", product.sizes()), {},
         "input");
  product = times(product, alpha);
  if (beta.to_double() == 0) return product;  // as BLAS: what is multiplied by 0 is not read
  return times(bias, beta) + product;
}

// (B, M, K): every M x K matrix of a batch that broadcasting made; a copy only when no view does.
Tensor as_batch(const Tensor& x, IntList batch, int64_t count) {
  Shape sizes(batch);
  sizes.push_back(x.size(-2));
  sizes.push_back(x.size(-1));
  Tensor e = std::ranges::equal(x.sizes(), IntList(sizes)) ? x : ops::expand(x, sizes);
  if (batch.size() == 1) return e;
  return ops::reshape(e, Shape{count, x.size(-2), x.size(-1)});
}

bool views_as(const Tensor& x, IntList sizes) {
  const haft_tensor_view& v = strided_view(x);
  Shape strides;
  return view_strides({v.sizes, v.ndim}, {v.strides, v.ndim}, sizes, &strides);
}

int64_t product(IntList sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

// One number, or one for each of `n` rows or columns, which lie along dimension `dim` of two.
Tensor checked_scale(const ShapeContext& c, int i, const char* name, int dim, int64_t n) {
  const Tensor& s = c.in(i);
  const int64_t sizes[] = {dim == 0 ? n : 1, dim == 0 ? 1 : n};
  if (s.dtype() != DType::f32)
    fail(Code::dtype, concat("[scaled_mm] ", name, " must be float32, got ", dtype_name(s.dtype())),
         "cast it", name);
  if (s.numel() != 1 && !std::ranges::equal(s.sizes(), IntList(sizes)))
    fail(Code::shape,
         concat("[scaled_mm] ", name, " must be one number or have shape ", IntList(sizes), ", got ",
                s.sizes()),
         "unsqueeze a vector", name);
  return ops::contiguous(s);
}

}  // namespace

SHAPE(mm) {
  check_product(c, 0, 2);
  c.out(0, c.in(0).dtype(), Shape{c.in(0).size(0), c.in(1).size(1)});
}
GRADIENT(mm, .saves = {IN1, IN0}) {
  if (b.needs(0)) b.set(0, ops::mm(b.grad(), transposed(b.in(1))));
  if (b.needs(1)) b.set(1, ops::mm(transposed(b.in(0)), b.grad()));
}

SHAPE(bmm) {
  check_product(c, 0, 3);
  c.out(0, c.in(0).dtype(), Shape{c.in(0).size(0), c.in(0).size(1), c.in(1).size(2)});
}
GRADIENT(bmm, .saves = {IN1, IN0}) {
  if (b.needs(0)) b.set(0, ops::bmm(b.grad(), transposed(b.in(1))));
  if (b.needs(1)) b.set(1, ops::bmm(transposed(b.in(0)), b.grad()));
}

SHAPE(addmm) {
  check_product(c, 1, 2);
  require_same_dtype(c, 1, "mat1");
  const Tensor& bias = c.in(0);
  check_factor("addmm", c.attrs.scalar(0), bias.dtype(), "beta");
  check_factor("addmm", c.attrs.scalar(2), bias.dtype(), "alpha");
  Shape sizes{c.in(1).size(0), c.in(2).size(1)};
  bool fits = bias.ndim() <= 2, repeats = false;
  for (int64_t d = 1; fits && d <= bias.ndim(); ++d) {
    int64_t have = bias.size(-d), want = sizes[2 - d];
    fits = have == want || have == 1;
    repeats |= have != want;
  }
  if (!fits)
    fail(Code::shape,
         concat("[addmm] input of shape ", bias.sizes(), " does not broadcast to ", IntList(sizes)), {},
         "input");
  if (repeats)
    c.set_in(0, ops::expand(bias, sizes));  // the kernel reads strides, and a size of 1 may have any
  c.out(0, bias.dtype(), sizes);
}
GRADIENT(addmm, .saves = {SIZES, IN2, IN1}) {
  Scalar beta = b.attrs.scalar(0), alpha = b.attrs.scalar(2);
  if (b.needs(0)) b.set(0, ops::sum_to_size(times(b.grad(), beta), b.in_sizes(0)));
  if (b.needs(1)) b.set(1, times(ops::mm(b.grad(), transposed(b.in(2))), alpha));
  if (b.needs(2)) b.set(2, times(ops::mm(transposed(b.in(1)), b.grad()), alpha));
}

SHAPE(linear) {
  const Tensor &x = c.in(0), &w = c.in(1);
  if (w.ndim() != 2)
    fail(Code::shape, concat("[linear] weight must be (out, in), got shape ", w.sizes()), {}, "weight");
  if (x.ndim() == 0 || x.size(-1) != w.size(1))
    fail(Code::shape,
         concat("[linear] input of shape ", x.sizes(), " must end in ", w.size(1), ": weight has shape ",
                w.sizes()),
         {}, "input");
  if (c.has(2) && (c.in(2).ndim() != 1 || c.in(2).size(0) != w.size(0)))
    fail(Code::shape, concat("[linear] bias must have shape [", w.size(0), "], got ", c.in(2).sizes()), {},
         "bias");
  require_same_dtype(c, 1, "weight");
  require_same_dtype(c, 2, "bias");
  if (x.dtype() == DType::boolean)
    fail(Code::dtype, "[linear] bool has no product", "cast to a number type", "input");
  Shape sizes(x.sizes());
  sizes.back() = w.size(0);
  c.out(0, x.dtype(), sizes);
}
// With `joined` the weight's and the bias's gradients are one call, which may read the results' gradient once.
static void linear_gradients(Backward& b, bool joined) {
  Tensor g = b.grad();  // (*, out), then (rows, out)
  Shape lead(g.sizes());
  int64_t out = lead.back();
  lead.pop_back();
  int64_t rows = product(lead);
  if (g.ndim() != 2) g = ops::reshape(g, Shape{rows, out});
  if (b.needs(0)) {
    Tensor w = b.in(1), dx = ops::mm(g, w);
    lead.push_back(w.size(1));
    b.set(0, lead.size() == 2 ? dx : ops::reshape(dx, lead));
  }
  if (b.needs(1)) {
    Tensor x = b.in(0);
    if (x.ndim() != 2) x = ops::reshape(x, Shape{rows, x.size(-1)});
    if (joined && b.needs(2) && is_float(g.dtype())) {
      auto both = ops::linear_weight_backward(g, x);
      b.set(1, std::move(both[0]));
      return b.set(2, std::move(both[1]));
    }
    b.set(1, ops::mm(transposed(g), x));
  }
  if (b.needs(2)) b.set(2, ops::sum(g, Shape{0}));
}
static void fused_linear(Backward& b) { linear_gradients(b, true); }
GRADIENT(linear, .fused = fused_linear, .saves = {IN1, IN0}) { linear_gradients(b, false); }

SHAPE(linear_weight_backward) {
  const Tensor &g = c.in(0), &x = c.in(1);
  require_same_dtype(c, 1, "input");
  if (g.ndim() != 2 || x.ndim() != 2 || g.size(0) != x.size(0))
    fail(Code::shape,
         concat("[linear_weight_backward] grad and input must be (N, out) and (N, in), got shapes ",
                g.sizes(), " and ", x.sizes()));
  c.out(0, g.dtype(), Shape{g.size(1), x.size(1)});
  c.out(1, g.dtype(), Shape{g.size(1)});
}

SHAPE(scaled_mm) {
  const Tensor &a = c.in(0), &b = c.in(1);
  for (int i = 0; i < 2; ++i)
    if (!is_float8(c.in(i).dtype()))
      fail(Code::dtype,
           concat("[scaled_mm] ", i ? "mat2" : "input", " must be float8_e4m3fn or float8_e5m2, got ",
                  dtype_name(c.in(i).dtype())),
           "divide by a scale and cast, or use mm", i ? "mat2" : "input");
  if (a.ndim() != 2 || b.ndim() != 2 || a.size(1) != b.size(0))
    fail(Code::shape,
         concat("[scaled_mm] shapes ", a.sizes(), " and ", b.sizes(),
                " do not fit together: wanted (M, K) and (K, N)"),
         "transpose a weight of (N, K) with t()");
  const DType out = checked_dtype(DType(c.attrs.i(0)), DType::bf16, "scaled_mm");
  if (!is_float(out) || out == DType::f64)
    fail(Code::dtype,
         concat("[scaled_mm] the result is bfloat16, float16, float32 or an 8-bit float, not ",
                dtype_name(out)),
         {}, "out_dtype");
  for (int i = 0; i < c.n_in(); ++i)
    if (c.has(i) && c.in(i).requires_grad() && thread_state().grad_enabled)
      fail(Code::autograd, "[scaled_mm] has no gradient, and an input requires one",
           "call it under no_grad, or in a function of your own that answers the gradients of the product");
  const int64_t m = a.size(0), n = b.size(1);
  c.set_in(2, checked_scale(c, 2, "scale_a", 0, m));
  c.set_in(3, checked_scale(c, 3, "scale_b", 1, n));
  if (c.has(4)) {
    const Tensor& bias = c.in(4);
    if (bias.ndim() != 1 || bias.size(0) != n || !is_float(bias.dtype()))
      fail(Code::shape,
           concat("[scaled_mm] bias must be floating of shape [", n, "], got ", dtype_name(bias.dtype()),
                  " of shape ", bias.sizes()),
           {}, "bias");
    c.set_in(4, ops::contiguous(as_dtype(bias, is_float8(out) ? DType::f32 : out)));
  }
  c.set_word(0, word(out));
  c.out(0, out, Shape{m, n});
}

SHAPE(cross) {
  require_same_dtype(c, 1, "other");
  if (c.in(0).dtype() == DType::boolean)
    fail(Code::dtype, "[cross] bool has no product", "cast to a number type");
  const Shape sizes = broadcast_shapes(c.in(0).sizes(), c.in(1).sizes(), "cross");
  int64_t dim = c.attrs.i(0);
  if (dim == kNone)
    dim = std::ranges::find(sizes, 3) - sizes.begin();
  else
    dim = wrap_dim(dim, int64_t(sizes.size()), "cross");
  if (dim >= int64_t(sizes.size()) || sizes[dim] != 3)
    fail(
        Code::shape,
        concat("[cross] takes vectors of 3 elements, got shapes ", c.in(0).sizes(), " and ", c.in(1).sizes()),
        "name a dimension of size 3", "dim");
  for (int i = 0; i < 2; ++i)
    if (!std::ranges::equal(c.in(i).sizes(), IntList(sizes))) c.set_in(i, ops::expand(c.in(i), sizes));
  c.set_word(0, word(dim));
  c.out(0, c.in(0).dtype(), sizes);
}
GRADIENT(cross, .saves = {IN1, IN0}) {
  if (b.needs(0)) b.set(0, ops::cross(b.in(1), b.grad(), b.attrs.i(0)));
  if (b.needs(1)) b.set(1, ops::cross(b.grad(), b.in(0), b.attrs.i(0)));
}

namespace ops {

Tensor uncast::mv(const Tensor& a, const Tensor& x) {
  if (a.ndim() != 2 || x.ndim() != 1 || a.size(1) != x.size(0))
    fail(Code::shape,
         concat("[mv] takes a matrix (M, K) and a vector (K), got shapes ", a.sizes(), " and ", x.sizes()));
  return squeeze(mm(a, unsqueeze(x, 1)), 1);
}

Tensor uncast::dot(const Tensor& a, const Tensor& b) {
  if (a.ndim() != 1 || b.ndim() != 1 || a.size(0) != b.size(0))
    fail(Code::shape,
         concat("[dot] takes two vectors of one length, got shapes ", a.sizes(), " and ", b.sizes()));
  return view(mm(unsqueeze(a, 0), unsqueeze(b, 1)), {});
}

Tensor outer(const Tensor& a, const Tensor& b) {
  if (a.ndim() != 1 || b.ndim() != 1)
    fail(Code::shape, concat("[outer] takes two vectors, got shapes ", a.sizes(), " and ", b.sizes()));
  return mul(unsqueeze(a, 1), b);
}

Tensor uncast::baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return added("baddbmm", bias, bmm(a, b), beta, alpha);
}

Tensor uncast::addbmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return added("addbmm", bias, as_dtype(sum(bmm(a, b), Shape{0}), a.dtype()), beta, alpha);
}

Tensor uncast::addmv(const Tensor& bias, const Tensor& a, const Tensor& x, Scalar beta, Scalar alpha) {
  return added("addmv", bias, mv(a, x), beta, alpha);
}

Tensor addr(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  const Tensor product = outer(a, b);
  if (product.dtype() != DType::boolean) return added("addr", bias, product, beta, alpha);
  if (bias.dtype() != DType::boolean) return added("addr", bias, cast(product, bias.dtype()), beta, alpha);
  auto taken = [](const Tensor& t, Scalar times) { return times.to_double() != 0 ? t : zeros_like(t); };
  return logical_or(taken(bias, beta), taken(product, alpha));  // as sums of bool are
}

Tensor uncast::matmul(const Tensor& a, const Tensor& b) {
  int64_t ad = a.ndim(), bd = b.ndim();
  if (ad == 0 || bd == 0)
    fail(Code::shape,
         concat("[matmul] takes tensors with dimensions, got shapes ", a.sizes(), " and ", b.sizes()),
         "use mul() for scalars");
  if (a.size(-1) != b.size(bd == 1 ? 0 : -2))
    fail(Code::shape, concat("[matmul] shapes ", a.sizes(), " and ", b.sizes(), " do not fit together: ",
                             a.size(-1), " columns, ", b.size(bd == 1 ? 0 : -2), " rows"));
  if (ad == 1 && bd == 1) return dot(a, b);
  if (ad == 2 && bd == 1) return mv(a, b);
  if (ad == 1 && bd == 2) return squeeze(mm(unsqueeze(a, 0), b), 0);
  if (ad == 2 && bd == 2) return mm(a, b);

  if (bd <= 2) {  // (*, M, K) x (K, N) is one product of (* M, K), unless folding would copy a
    Shape lead(a.sizes());
    lead.pop_back();
    Shape folded{product(lead), a.size(-1)};
    if (b.requires_grad() || bd == 1 || views_as(a, folded)) {
      Tensor y = mm(reshape(a, folded), bd == 1 ? unsqueeze(b, 1) : b);
      if (bd == 2) lead.push_back(b.size(1));
      return view(y, lead);
    }
  }
  Tensor left = ad == 1 ? unsqueeze(a, 0) : a, right = bd == 1 ? unsqueeze(b, 1) : b;
  Shape batch =
      broadcast_shapes(left.sizes().first(left.ndim() - 2), right.sizes().first(right.ndim() - 2), "matmul");
  int64_t count = product(batch);
  Tensor y = bmm(as_batch(left, batch, count), as_batch(right, batch, count));
  Shape sizes(batch);
  if (ad > 1) sizes.push_back(a.size(-2));
  if (bd > 1) sizes.push_back(b.size(-1));
  return std::ranges::equal(y.sizes(), IntList(sizes)) ? y : view(y, sizes);
}

}  // namespace ops

}  // namespace haft
