// gather, scatter and its reductions: an index of the tensor's rank replaces the coordinate along one dimension.
#include "core/cpu/dense.h"
#include "core/cpu/indices.h"

namespace haft::cpu {
namespace {

// Row-major position in index of coordinate k along dim, `col` in the last dimension (with columns), `row` in
// the rest.
[[gnu::cold]] int64_t linear_position(const haft_tensor_view& index, int64_t dim, bool columns, int64_t row,
                                      int64_t k, int64_t col) {
  int64_t linear = 0, stride = 1;
  for (int d = index.ndim - 1; d >= 0; --d) {
    const bool is_column = columns && d == index.ndim - 1;
    const int64_t coordinate = d == dim ? k : is_column ? col : row % index.sizes[d];
    if (d != dim && !is_column) row /= index.sizes[d];
    linear += coordinate * stride;
    stride *= index.sizes[d];
  }
  return linear;
}

// op(table element, flat element) for each element of index. Elements that share all coordinates but `dim`
// may meet in the table: they stay on one thread, in ascending order. Columns of the last dimension are
// walked side by side.
template <class T, class Op>
void walk(const haft_kernel_call& c, const haft_tensor_view& table, const haft_tensor_view& index,
          const haft_tensor_view& flat, Op op) {
  if (index.numel == 0) return;
  const char* name = op_name(OpId(c.op));
  const IndexReader at(index, name);
  const int last = index.ndim - 1;
  const int64_t dim = wrap_dim(AttrReader{c.attrs}.i(0), index.ndim);
  const bool columns = dim < last;
  const int64_t n = index.ndim ? index.sizes[dim] : 1, width = columns ? index.sizes[last] : 1;
  const int64_t positions = index.numel / n;
  auto step = [&](const haft_tensor_view& v, int64_t d) { return index.ndim ? v.strides[d] : 0; };
  const int64_t table_n = table.ndim ? table.sizes[dim] : 1, table_step = table.ndim ? table.strides[dim] : 0;
  const int64_t index_step = step(index, dim), flat_step = step(flat, dim);
  const int64_t table_col = columns ? table.strides[last] : 0, index_col = columns ? index.strides[last] : 0,
                flat_col = columns ? flat.strides[last] : 0;
  parallel_for(positions, std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / width, col = begin % width, count = std::min(width - col, end - begin);
      int64_t t0 = col * table_col, i0 = col * index_col, f0 = col * flat_col;
      for (int64_t d = last, rest = row; d >= 0; --d) {
        if (d == dim || (columns && d == last)) continue;
        const int64_t k = rest % index.sizes[d];
        rest /= index.sizes[d];
        t0 += k * table.strides[d];
        i0 += k * index.strides[d];
        f0 += k * flat.strides[d];
      }
      T* const tp = static_cast<T*>(table.data) + t0;
      T* const fp = static_cast<T*>(flat.data) + f0;
      auto one = [&](int64_t k, int64_t j) {
        const int64_t i = at[i0 + k * index_step + j * index_col];
        if (uint64_t(i) >= uint64_t(table_n)) [[unlikely]]
          fail_index(name, index_position(index, linear_position(index, dim, columns, row, k, col + j)), i,
                     dim, table_n, false);
        op(tp[i * table_step + j * table_col], fp[k * flat_step + j * flat_col]);
      };
      if (columns) {
        for (int64_t k = 0; k < n; ++k)
          for (int64_t j = 0; j < count; ++j) one(k, j);
      } else {
        for (int64_t k = 0; k < n; ++k) one(k, 0);
      }
      begin += count;
    }
  });
}

// out = op(out, src) where they meet, in the type they compute in; out holds x already.
template <class Op>
void combine(const haft_kernel_call& c, Op op) {
  const haft_tensor_view &out = *c.out[0], &src = *c.in[2];
  HAFT_ASSERT(src.dtype == out.dtype);
  visit_compute(dtype_of(out), [&]<class C>() {
    constexpr DType t = DTypeOf<C>::value;
    if (dtype_of(out) == t) return walk<C>(c, out, *c.in[1], src, op);
    const DenseIn table(out, t), flat(src, t);
    const haft_tensor_view wide = row_major_view(out, t, table.data());
    walk<C>(c, wide, *c.in[1], row_major_view(src, t, flat.data()), op);
    copy_view(out, wide);
  });
}

}  // namespace

// in: x, index; attrs: dim
void k_gather(const haft_kernel_call& c) {
  visit_size(dtype_of(*c.in[0]), [&]<class T>() {
    walk<T>(c, *c.in[0], *c.in[1], *c.out[0], [](const T& from, T& to) { to = from; });
  });
}

// in: x, index, src; attrs: dim; out holds x already. The last of repeated indices wins.
void k_scatter(const haft_kernel_call& c) {
  HAFT_ASSERT(c.in[2]->dtype == c.out[0]->dtype);
  visit_size(dtype_of(*c.out[0]), [&]<class T>() {
    walk<T>(c, *c.out[0], *c.in[1], *c.in[2], [](T& to, const T& from) { to = from; });
  });
}

void k_scatter_add(const haft_kernel_call& c) {
  combine(c, []<class C>(C& sum, const C& v) { sum = wrap_add(sum, v); });
}

void k_scatter_prod(const haft_kernel_call& c) {
  combine(c, []<class C>(C& product, const C& v) {
    if constexpr (std::is_integral_v<C>)
      product = C(uint64_t(product) * uint64_t(v));  // wraps
    else
      product *= v;
  });
}

void k_scatter_amax(const haft_kernel_call& c) {
  combine(c, []<class C>(C& most, const C& v) {
    if (v > most || v != v) most = v;
  });
}

void k_scatter_amin(const haft_kernel_call& c) {
  combine(c, []<class C>(C& least, const C& v) {
    if (v < least || v != v) least = v;
  });
}

}  // namespace haft::cpu
