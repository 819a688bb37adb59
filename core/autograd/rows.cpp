#include "core/autograd/rows.h"

#include <algorithm>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/layout.h"

namespace haft {

namespace {

int64_t width_of(IntList sizes) {
  int64_t n = 1;
  for (size_t d = 1; d < sizes.size(); ++d) n *= sizes[d];
  return n;
}

// Dense memory of any shape, seen in another.
Tensor seen_as(const Tensor& x, IntList sizes) {
  return view_over(*x.impl(), sizes, contiguous_strides(sizes), 0);
}

Tensor dense_copy(const Tensor& x) { return call1(OpId::contiguous_copy, {&x}); }

Tensor as_type(const Tensor& x, DType t) {
  if (x.dtype() == t) return x;
  uint64_t w[] = {word(t)};
  return call1(OpId::cast, {&x}, w);
}

Tensor joined(const Tensor& a, const Tensor& b) {
  const Tensor both[] = {a, b};
  uint64_t w[] = {word(0)};
  return call1_list(OpId::cat, {}, both, w);
}

// The sums of values (n, ...) by `to` (n), which counts to `rows`: (rows, ...). Sums of 16-bit types are made in
// float32.
Tensor sums_by(const Tensor& values, const Tensor& to, int64_t rows) {
  const int64_t flat[] = {values.size(0), width_of(values.sizes())};
  const Tensor v = seen_as(values.is_contiguous() ? values : dense_copy(values), flat);
  uint64_t w[] = {word(rows), word(-1)};
  const Tensor sum = call1(OpId::embedding_backward, {&v, &to}, w);
  Shape sizes(values.sizes());
  sizes[0] = rows;
  return seen_as(sum, sizes);
}

// dense[indices] += values
void add_rows(const Tensor& dense, const RowGradient& r) {
  const Tensor values = as_type(r.values, dense.dtype());
  uint64_t w[] = {word(0)};
  call1_inplace(OpId::index_add, {&dense, &r.indices, &values}, w);
}

bool has_memory_alone(const Tensor& x) {
  return x.impl()->storage->unique() && x.is_contiguous() && !x.requires_grad();
}

}  // namespace

Tensor rows_from(const Tensor& indices, const Tensor& values, int64_t rows) {
  NoGradGuard off;
  if (indices.dtype() != DType::i64 && indices.dtype() != DType::i32)
    fail(Code::dtype, concat("indices of rows are int64 or int32, got ", dtype_name(indices.dtype())), {},
         "indices");
  if (indices.ndim() != 1 || values.ndim() < 1 || values.size(0) != indices.size(0) || rows < 0)
    fail(Code::shape,
         concat("a gradient of ", rows, " rows wants indices (n) and values (n, ...), got shapes ",
                indices.sizes(), " and ", values.sizes()),
         {}, "values");
  if (indices.device() != values.device())
    fail(Code::device, concat("indices lie on ", indices.device(), ", values on ", values.device()), {},
         "values");
  RowGradient r{as_type(dense_copy(indices), DType::i64), dense_copy(values), false};
  const Tensor here = r.indices.device().is_cpu() ? r.indices : copy_to_device(r.indices, Device{});
  for (int64_t i = 0; i < r.count(); ++i)
    if (const int64_t v = here.data<int64_t>()[i]; v < 0 || v >= rows)
      fail(Code::index, concat("index ", i, " is ", v, ", there are ", rows, " rows"), {}, "indices");
  Shape sizes(values.sizes());
  sizes[0] = rows;
  return make_rows(std::move(r), sizes);
}

RowGradient coalesce(const Tensor& t) {
  RowGradient r = rows_of(t);
  if (r.coalesced) return r;
  NoGradGuard off;
  const int64_t n = r.count();
  const Tensor here =
      r.indices.device().is_cpu() ? dense_copy(r.indices) : copy_to_device(r.indices, Device{});
  Tensor sorted[2];  // values, where they stood
  const Tensor* in[] = {&here};
  uint64_t w[] = {word(0), word(false)};
  dispatch({.op = OpId::sort, .n_in = 1, .n_out = 2, .in = in, .words = w, .out = sorted});
  const int64_t *v = sorted[0].data<int64_t>(), *from = sorted[1].data<int64_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += i == 0 || v[i] != v[i - 1];
  Tensor rows = new_tensor({&count, 1}, DType::i64), to = new_tensor({&n, 1}, DType::i64);
  for (int64_t i = 0, at = -1; i < n; ++i) {
    if (i == 0 || v[i] != v[i - 1]) rows.data<int64_t>()[++at] = v[i];
    to.data<int64_t>()[from[i]] = at;
  }
  const Device d = r.values.device();
  if (!d.is_cpu()) {
    rows = copy_to_device(rows, d);
    to = copy_to_device(to, d);
  }
  return {rows, sums_by(r.values, to, count), true};
}

RowGradient coalesce_in_place(const Tensor& t) {
  RowGradient r = coalesce(t);
  if (!has_memory_alone(r.values)) {
    NoGradGuard off;
    r.values = dense_copy(r.values);
  }
  set_rows(t, r);
  return r;
}

void clear_rows(const Tensor& t) {
  NoGradGuard off;
  const int64_t none = 0;
  Shape sizes(t.sizes());
  sizes[0] = 0;
  set_rows(t,
           {new_tensor({&none, 1}, DType::i64, t.device()), new_tensor(sizes, t.dtype(), t.device()), true});
}

Tensor to_dense(const Tensor& t) {
  if (!is_rows(t)) return t;
  NoGradGuard off;
  const RowGradient r = rows_of(t);
  return sums_by(r.values, r.indices, t.size(0));
}

Tensor sum_with_rows(const Tensor& a, const Tensor& b) {
  if (is_rows(a) && is_rows(b)) {
    NoGradGuard off;
    const RowGradient x = rows_of(a), y = rows_of(b);
    Tensor sum = make_rows(
        {joined(x.indices, y.indices), joined(x.values, as_type(y.values, a.dtype())), false}, a.sizes());
    if (rows_of(sum).count() > a.size(0)) set_rows(sum, coalesce(sum));  // never much more than the table
    return sum;
  }
  const Tensor &rows = is_rows(a) ? a : b, &dense = is_rows(a) ? b : a;
  if (dense.requires_grad()) {  // recorded: by an operator that has a gradient
    const Tensor whole = to_dense(rows);
    return call1(OpId::add, {&dense, &whole});
  }
  NoGradGuard off;
  const Tensor sum = dense_copy(dense);
  add_rows(sum, rows_of(rows));
  return sum;
}

Tensor accumulate_rows(const Tensor& grad, const Tensor& g, DType dtype, bool create_graph) {
  if (!grad.defined()) {
    NoGradGuard off;
    RowGradient r = rows_of(g);
    r.values = as_type(r.values, dtype);
    // Indices are the caller's own, which he may write into after backward.
    if (!has_memory_alone(r.indices)) r.indices = dense_copy(r.indices);
    if (!has_memory_alone(r.values)) r.values = dense_copy(r.values);
    return make_rows(std::move(r), g.sizes());
  }
  if (is_rows(g) && !create_graph && !grad.requires_grad()) {
    NoGradGuard off;
    if (is_rows(grad))
      set_rows(grad, rows_of(sum_with_rows(grad, g)));
    else
      add_rows(grad, rows_of(g));
    return grad;
  }
  return sum_with_rows(grad, g);
}

}  // namespace haft
