// gather, scatter and scatter_add: an index of the tensor's rank replaces the coordinate along one dimension.
#include "core/cpu/indices.h"
#include "core/cpu/kernel.h"

namespace haft::cpu {
namespace {

// op(table element, flat element) for each element of index. Elements that share all coordinates but `dim` may meet in
// the table: they stay on one thread, in ascending order. Columns of the last dimension are walked side by side.
template <class T, class Op>
void walk(const haft_kernel_call& c, const haft_view& table, const haft_view& index, const haft_view& flat, Op op) {
  if (index.numel == 0) return;
  const char* name = op_name(OpId(c.op));
  const IndexReader at(index, name);
  const int last = index.ndim - 1;
  const int64_t dim = wrap_dim(AttrReader{c.attrs}.i(0), index.ndim);
  const bool columns = dim < last;
  const int64_t n = index.ndim ? index.sizes[dim] : 1, width = columns ? index.sizes[last] : 1;
  const int64_t positions = index.numel / n;
  auto step = [&](const haft_view& v, int64_t d) { return index.ndim ? v.strides[d] : 0; };
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
      for (int64_t k = 0; k < n; ++k)
        for (int64_t j = 0; j < count; ++j) {
          const int64_t i = at[i0 + k * index_step + j * index_col];
          if (uint64_t(i) >= uint64_t(table_n)) [[unlikely]] {
            int64_t linear = 0, rest = row, stride = 1;
            for (int d = last; d >= 0; --d) {
              int64_t coordinate = d == dim ? k : columns && d == last ? col + j : rest % index.sizes[d];
              if (d != dim && !(columns && d == last)) rest /= index.sizes[d];
              linear += coordinate * stride;
              stride *= index.sizes[d];
            }
            fail_index(name, index_position(index, linear), i, dim, table_n, false);
          }
          op(tp[i * table_step + j * table_col], fp[k * flat_step + j * flat_col]);
        }
      begin += count;
    }
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
  HAFT_ASSERT(c.in[2]->dtype == c.out[0]->dtype);
  visit_dtype(dtype_of(*c.out[0]), [&]<class T>() {
    walk<T>(c, *c.out[0], *c.in[1], *c.in[2], [](T& sum, const T& v) { add_to(sum, v); });
  });
}

}  // namespace haft::cpu
