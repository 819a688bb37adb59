// Indexing by slices of index tensors: index_select, index_add, index, index_put; and by masks:
// masked_select, nonzero.
#include "core/cpu/dense.h"
#include "core/cpu/indices.h"

namespace haft::cpu {
namespace {

// All of these are one loop over (before, j, after): the table (the indexed tensor) has offset table_at[j]
// where the flat side (what is read out or written in) has flat_at[j]; the other dimensions run along in both.
struct Slices {
  struct Dim {
    int64_t size, table, flat;
  };
  SmallVec<Dim, HAFT_MAX_DIMS> before, after;
  int64_t count = 1;
  Scratch<int64_t> offsets;

  explicit Slices(int64_t n) : count(n), offsets(std::max<int64_t>(1, 2 * n)) {}
  int64_t* table_at() const { return offsets.get(); }
  int64_t* flat_at() const { return offsets.get() + count; }

  // Dimensions that are one in memory on both sides become one loop.
  static void add(SmallVec<Dim, HAFT_MAX_DIMS>& dims, Dim d) {
    if (d.size == 1) return;
    if (!dims.empty() && dims.back().table == d.table * d.size && dims.back().flat == d.flat * d.size)
      dims.back() = {dims.back().size * d.size, d.table, d.flat};
    else
      dims.push_back(d);
  }
  static int64_t total(const SmallVec<Dim, HAFT_MAX_DIMS>& dims) {
    int64_t n = 1;
    for (const Dim& d : dims) n *= d.size;
    return n;
  }
};

// Offsets of the linear position `at` of those dimensions.
void place(const Slices::Dim* dims, int64_t n, int64_t at, int64_t* table, int64_t* flat) {
  for (int64_t d = n - 1; d >= 0; --d) {
    const int64_t k = at % dims[d].size;
    at /= dims[d].size;
    *table += k * dims[d].table;
    *flat += k * dims[d].flat;
  }
}

// The operations on an element of the table and one of the flat side; dense runs may be copied as a whole.
struct ReadOut {
  template <class T>
  void operator()(const T& table, T& flat) const {
    flat = table;
  }
  template <class T>
  void copy(const T* table, T* flat, int64_t n) const {
    std::copy_n(table, n, flat);
  }
};
struct WriteIn {
  template <class T>
  void operator()(T& table, const T& flat) const {
    table = flat;
  }
  template <class T>
  void copy(T* table, const T* flat, int64_t n) const {
    std::copy_n(flat, n, table);
  }
};
struct AddIn {
  template <class T>
  void operator()(T& table, const T& flat) const {
    table = wrap_add(table, flat);
  }
};

template <class T, class Op>
void run_along(T* table, T* flat, int64_t n, int64_t table_step, int64_t flat_step, Op op) {
  if (table_step == 1 && flat_step == 1) {
    if constexpr (requires { op.copy(table, flat, n); })
      op.copy(table, flat, n);
    else
      for (int64_t i = 0; i < n; ++i) op(table[i], flat[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) op(table[i * table_step], flat[i * flat_step]);
  }
}

// op(table element, flat element). With `shared` two j may name the same slice: all j of an element then stay
// on one thread, in ascending order.
template <class T, class Op>
void apply(const Slices& s, void* table_data, void* flat_data, bool shared, Op op) {
  T *const table = static_cast<T*>(table_data), *const flat = static_cast<T*>(flat_data);
  const int64_t before = Slices::total(s.before), after = Slices::total(s.after);
  if (before * after * s.count == 0) return;
  const int64_t inner_dims = s.after.size();
  const Slices::Dim inner = inner_dims ? s.after.back() : Slices::Dim{1, 1, 1};
  const int64_t rows = after / inner.size;
  auto cell = [&](T* t, T* f, int64_t begin, int64_t end) {
    for (int64_t r = 0; r < rows; ++r) {
      int64_t ta = begin * inner.table, fa = begin * inner.flat;
      place(s.after.data(), inner_dims - 1, r, &ta, &fa);
      run_along(t + ta, f + fa, end - begin, inner.table, inner.flat, op);
    }
  };
  auto slices = [&](int64_t b, int64_t from, int64_t to, int64_t begin, int64_t end) {
    int64_t tb = 0, fb = 0;
    place(s.before.data(), s.before.size(), b, &tb, &fb);
    const int64_t *ta = s.table_at(), *fa = s.flat_at();
    if (after == 1) {
      for (int64_t j = from; j < to; ++j) op(table[tb + ta[j]], flat[fb + fa[j]]);
    } else {
      for (int64_t j = from; j < to; ++j) cell(table + tb + ta[j], flat + fb + fa[j], begin, end);
    }
  };
  if (!shared) {
    parallel_for(before * s.count, std::max<int64_t>(1, 32768 / after), [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t b = begin / s.count, from = begin % s.count, to = std::min(s.count, from + end - begin);
        slices(b, from, to, 0, inner.size);
        begin += to - from;
      }
    });
  } else if (before > 1) {
    parallel_for(before, std::max<int64_t>(1, 32768 / (after * s.count)), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) slices(b, 0, s.count, 0, inner.size);
    });
  } else {
    parallel_for(inner.size, std::max<int64_t>(16, 32768 / (rows * s.count)),
                 [&](int64_t begin, int64_t end) { slices(0, 0, s.count, begin, end); });
  }
}

// Slices of `table` along one dimension at a 1-d index.
Slices along_dim(const haft_kernel_call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                 const haft_tensor_view& flat) {
  const char* name = op_name(OpId(c.op));
  const IndexReader at(index, name);
  const int64_t dim = wrap_dim(AttrReader{c.attrs}.i(0), table.ndim);
  const int64_t size = table.ndim ? table.sizes[dim] : 1, step = table.ndim ? table.strides[dim] : 0;
  Slices s(index.numel);
  for (int d = 0; d < table.ndim; ++d)
    if (d != dim)
      Slices::add(d < dim ? s.before : s.after, {table.sizes[d], table.strides[d], flat.strides[d]});
  for (int64_t j = 0; j < s.count; ++j) {
    const int64_t i = at[index.ndim ? j * index.strides[0] : 0];
    if (uint64_t(i) >= uint64_t(size)) fail_index(name, index_position(index, j), i, dim, size, false);
    s.table_at()[j] = i * step;
    s.flat_at()[j] = flat.ndim ? j * flat.strides[dim] : 0;
  }
  return s;
}

// NumPy's advanced indexing of `table` by indices[k], NULL for a whole dimension. The flat side has the
// dimensions (before, broadcast indices, after); its sizes may broadcast when it is read.
Slices advanced(const haft_kernel_call& c, const haft_tensor_view& table,
                const haft_tensor_view* const* indices, int n, const haft_tensor_view& flat) {
  const char* name = op_name(OpId(c.op));
  int first = -1, last = -1, used = 0, index_ndim = 0;
  for (int k = 0; k < n; ++k) {
    if (!indices[k]) continue;
    if (first < 0) first = k;
    last = k;
    ++used;
    index_ndim = std::max<int>(index_ndim, indices[k]->ndim);
  }
  int64_t shape[HAFT_MAX_DIMS], count = 1;
  for (int d = 0; d < index_ndim; ++d) {
    shape[d] = 1;
    for (int k = 0; k < n; ++k) {
      const int own = indices[k] ? d - (index_ndim - indices[k]->ndim) : -1;
      if (own >= 0 && indices[k]->sizes[own] != 1) shape[d] = indices[k]->sizes[own];
    }
    count *= shape[d];
  }
  // Indexed dimensions that stand together keep their place; otherwise the index comes first.
  const int at = used && last - first + 1 == used ? first : 0;
  const int flat_ndim = table.ndim - used + index_ndim;
  auto flat_stride = [&](int d) -> int64_t {
    const int own = d - (flat_ndim - flat.ndim);
    return own < 0 || flat.sizes[own] == 1 ? 0 : flat.strides[own];
  };
  Slices s(count);
  for (int d = 0, place = 0; d < table.ndim; ++d) {
    if (d < n && indices[d]) continue;
    const bool front = place < at;
    Slices::add(front ? s.before : s.after,
                {table.sizes[d], table.strides[d], flat_stride(front ? place : place + index_ndim)});
    ++place;
  }
  std::fill_n(s.offsets.get(), 2 * count, 0);
  auto offset = [&](int64_t j, auto stride) {
    int64_t sum = 0;
    for (int d = index_ndim - 1; d >= 0; --d) {
      sum += j % shape[d] * stride(d);
      j /= shape[d];
    }
    return sum;
  };
  for (int k = 0; k < n; ++k) {
    if (!indices[k]) continue;
    const haft_tensor_view& index = *indices[k];
    const IndexReader reader(index, name);
    const int64_t size = table.sizes[k], step = table.strides[k];
    for (int64_t j = 0; j < count; ++j) {
      const int64_t where = index.contiguous && index.numel == count ? j : offset(j, [&](int d) -> int64_t {
        const int own = d - (index_ndim - index.ndim);
        return own < 0 || index.sizes[own] == 1 ? 0 : index.strides[own];
      });
      int64_t i = reader[where];
      if (i < -size || i >= size) fail_index(name, concat("element ", j, " of index ", k), i, k, size, true);
      if (i < 0) i += size;
      s.table_at()[j] += i * step;
    }
  }
  for (int64_t j = 0; j < count; ++j) s.flat_at()[j] = offset(j, [&](int d) { return flat_stride(at + d); });
  return s;
}

void read_out(const Slices& s, const haft_tensor_view& table, const haft_tensor_view& flat) {
  visit_size(dtype_of(table), [&]<class T>() { apply<T>(s, table.data, flat.data, false, ReadOut{}); });
}

void write_in(const Slices& s, const haft_tensor_view& table, const haft_tensor_view& flat) {
  HAFT_ASSERT(table.dtype == flat.dtype);
  visit_size(dtype_of(table), [&]<class T>() { apply<T>(s, table.data, flat.data, true, WriteIn{}); });
}

// Sums happen in the type that the dtype computes in; slices(table, flat) says where.
template <class F>
void add_in(const haft_tensor_view& table, const haft_tensor_view& flat, F slices) {
  HAFT_ASSERT(table.dtype == flat.dtype);
  visit_compute(dtype_of(table), [&]<class C>() {
    constexpr DType t = DTypeOf<C>::value;
    if (dtype_of(table) == t) return apply<C>(slices(table, flat), table.data, flat.data, true, AddIn{});
    const DenseIn table_memory(table, t), flat_memory(flat, t);
    const haft_tensor_view wide = row_major_view(table, t, table_memory.data()),
                           wide_flat = row_major_view(flat, t, flat_memory.data());
    apply<C>(slices(wide, wide_flat), wide.data, wide_flat.data, true, AddIn{});
    copy_view(table, wide);
  });
}

}  // namespace

// in: x, index; attrs: dim
void k_index_select(const haft_kernel_call& c) {
  read_out(along_dim(c, *c.in[0], *c.in[1], *c.out[0]), *c.in[0], *c.out[0]);
}

// in: x, index, src; attrs: dim; out holds x already
void k_index_add(const haft_kernel_call& c) {
  add_in(*c.out[0], *c.in[2], [&](const haft_tensor_view& table, const haft_tensor_view& flat) {
    return along_dim(c, table, *c.in[1], flat);
  });
}

// in: x, indices
void k_index(const haft_kernel_call& c) {
  read_out(advanced(c, *c.in[0], c.in + 1, c.n_in - 1, *c.out[0]), *c.in[0], *c.out[0]);
}

// in: x, values, indices; attrs: accumulate; out holds x already. Without accumulate the last of repeated
// indices wins.
void k_index_put(const haft_kernel_call& c) {
  auto slices = [&](const haft_tensor_view& table, const haft_tensor_view& flat) {
    return advanced(c, table, c.in + 2, c.n_in - 2, flat);
  };
  if (AttrReader{c.attrs}.b(0))
    add_in(*c.out[0], *c.in[1], slices);
  else
    write_in(slices(*c.out[0], *c.in[1]), *c.out[0], *c.in[1]);
}

// in: x, mask of x's sizes; out has as many elements as the mask has ones
void k_masked_select(const haft_kernel_call& c) {
  const haft_tensor_view &x = *c.in[0], &mask = *c.in[1], &out = *c.out[0];
  if (out.numel == 0) return;
  const RowShape shape(x, x.ndim - 1);
  const RowStrides x_at(x, x.ndim - 1), mask_at(mask, x.ndim - 1);
  visit_size(dtype_of(x), [&]<class T>() {
    T* const dst = static_cast<T*>(out.data);
    int64_t count = 0;
    for (int64_t r = 0; r < shape.rows; ++r) {
      const T* const src = static_cast<const T*>(x.data) + x_at.offset(shape, r);
      const uint8_t* const m = static_cast<const uint8_t*>(mask.data) + mask_at.offset(shape, r);
      // Writes without a branch on the mask: a value that is not wanted is overwritten by the next.
      for (int64_t i = 0; i < shape.n && count < out.numel; ++i) {
        dst[count] = src[i * x_at.step];
        count += m[i * mask_at.step] != 0;
      }
    }
    HAFT_ASSERT(count == out.numel);
  });
}

// out (count, ndim) int64, as many rows as x has elements that are not 0
void k_nonzero(const haft_kernel_call& c) {
  const haft_tensor_view &x = *c.in[0], &out = *c.out[0];
  if (out.numel == 0) return;
  const DenseIn truth(x, DType::boolean);
  const uint8_t* const src = truth.as<uint8_t>();
  const RowShape shape(x, x.ndim - 1);
  int64_t *dst = static_cast<int64_t*>(out.data), *const end = dst + out.numel;
  for (int64_t r = 0; r < shape.rows; ++r) {
    int64_t outer[HAFT_MAX_DIMS];
    for (int64_t d = shape.ndim - 1, rest = r; d >= 0; --d) {
      outer[d] = rest % shape.sizes[d];
      rest /= shape.sizes[d];
    }
    for (int64_t i = 0; i < shape.n; ++i) {
      if (!src[r * shape.n + i]) continue;
      HAFT_ASSERT(dst < end);
      dst = std::copy_n(outer, shape.ndim, dst);
      *dst++ = i;
    }
  }
  HAFT_ASSERT(dst == end);
}

}  // namespace haft::cpu
