#include "core/cpu/loop.h"

namespace haft::cpu {

void Loop::add(const haft_tensor_view& v) {
  Operand& o = ops[n];
  o.data = static_cast<char*>(v.data);
  o.item = item_size(DType(v.dtype));
  if (n++ == 0) {
    numel = v.numel;
    ndim = v.ndim;
    for (int d = 0; d < ndim; ++d) sizes[d] = v.sizes[d];
  }
  for (int d = 0; d < ndim; ++d) o.strides[d] = v.strides[d] * o.item;
}

void Loop::collapse() {
  int kept = 0;
  int order[HAFT_MAX_DIMS];
  for (int d = 0; d < ndim; ++d)
    if (sizes[d] != 1) order[kept++] = d;
  for (int i = 1; i < kept; ++i)
    for (int j = i; j > 0 && ops[0].strides[order[j - 1]] < ops[0].strides[order[j]]; --j)
      std::swap(order[j - 1], order[j]);

  // Build the merged dimensions from the outermost on.
  int64_t new_sizes[HAFT_MAX_DIMS], new_strides[kMaxOperands][HAFT_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < kept; ++i) {
    int d = order[i];
    bool merge = m > 0;
    for (int k = 0; merge && k < n; ++k) merge = new_strides[k][m - 1] == ops[k].strides[d] * sizes[d];
    if (merge) {
      new_sizes[m - 1] *= sizes[d];
      for (int k = 0; k < n; ++k) new_strides[k][m - 1] = ops[k].strides[d];
    } else {
      new_sizes[m] = sizes[d];
      for (int k = 0; k < n; ++k) new_strides[k][m] = ops[k].strides[d];
      ++m;
    }
  }
  if (m == 0) {
    new_sizes[0] = 1;
    for (int k = 0; k < n; ++k) new_strides[k][0] = ops[k].item;
    m = 1;
  }
  ndim = m;
  for (int d = 0; d < m; ++d) {
    sizes[d] = new_sizes[d];
    for (int k = 0; k < n; ++k) ops[k].strides[d] = new_strides[k][d];
  }
}

namespace {

template <class U>
void read_run(U* dense, const char* p, int64_t stride, int64_t count) {
  if (stride == int64_t(sizeof(U))) {
    std::memcpy(dense, p, size_t(count) * sizeof(U));
  } else if (stride == 0) {
    U v = *reinterpret_cast<const U*>(p);
    for (int64_t i = 0; i < count; ++i) dense[i] = v;
  } else {
    for (int64_t i = 0; i < count; ++i, p += stride) dense[i] = *reinterpret_cast<const U*>(p);
  }
}
template <class U>
void write_run(const U* dense, char* p, int64_t stride, int64_t count) {
  if (stride == int64_t(sizeof(U)))
    std::memcpy(p, dense, size_t(count) * sizeof(U));
  else
    for (int64_t i = 0; i < count; ++i, p += stride) *reinterpret_cast<U*>(p) = dense[i];
}

// Runs along the innermost dimension.
template <class U, bool kRead, class D>
void walk(const Loop& l, const Operand& o, Cursor c, int64_t count, D* dense) {
  const int inner = l.ndim - 1;
  const int64_t row = l.sizes[inner], stride = o.strides[inner];
  char* p = c.address(l, o);
  while (count > 0) {
    int64_t run = row - c.at[inner] < count ? row - c.at[inner] : count;
    if constexpr (kRead)
      read_run<U>(dense, p, stride, run);
    else
      write_run<U>(dense, p, stride, run);
    dense += run;
    count -= run;
    if (count == 0) break;
    p -= c.at[inner] * stride;
    c.at[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
      p += o.strides[d];
      if (++c.at[d] < l.sizes[d]) break;
      p -= l.sizes[d] * o.strides[d];
      c.at[d] = 0;
    }
  }
}

struct Pair64 {
  uint64_t a, b;
};

template <bool kRead, class D>
void walk_any(const Loop& l, const Operand& o, Cursor c, int64_t count, D* dense) {
  auto as = [&]<class U>() {
    using P = std::conditional_t<kRead, U, const U>;
    walk<U, kRead>(l, o, c, count, static_cast<P*>(dense));
  };
  switch (o.item) {
    case 1: return as.template operator()<uint8_t>();
    case 2: return as.template operator()<uint16_t>();
    case 4: return as.template operator()<uint32_t>();
    case 8: return as.template operator()<uint64_t>();
    default: return as.template operator()<Pair64>();
  }
}

}  // namespace

void gather(const Loop& l, const Operand& o, Cursor c, int64_t count, void* dense) {
  walk_any<true>(l, o, c, count, dense);
}
void scatter(const Loop& l, const Operand& o, Cursor c, int64_t count, const void* dense) {
  walk_any<false>(l, o, c, count, dense);
}

}  // namespace haft::cpu
