// Copies of rearranged regions: cat, flip, roll, triangles, scatter into a strided window.
#include "core/cuda/space.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"
#include "core/tensor/narrow.h"

namespace haft::cuda {

namespace {

// ---- cat: dense tensors, which are rows of the result's columns, many in a launch ----

constexpr int kJoined = 48;
struct Parts {
  const char* data[kJoined];
  uint32_t width[kJoined];  // units of V in a row
  int64_t column[kJoined];  // where its rows begin in the result's, in units
};
template <class V>
__global__ void __launch_bounds__(kThreads) join_rows(Parts parts, V* out, int64_t rows, int64_t row) {
  const V* const from = reinterpret_cast<const V*>(parts.data[blockIdx.y]);
  const uint32_t width = parts.width[blockIdx.y];
  const Divider by(width);
  V* const to = out + parts.column[blockIdx.y];
  const uint32_t count = uint32_t(rows) * width;
  for (uint32_t i = uint32_t(grid_index()); i < count; i += uint32_t(grid_size())) {
    const uint32_t r = by(i);
    to[int64_t(r) * row + (i - r * width)] = from[i];
  }
}

// (N, C, H, W) as (N, H, W, C).
haft_tensor_view with_channels_last(const haft_tensor_view& v) {
  haft_tensor_view turned = v;
  turned.contiguous = 1;
  int64_t step = 1;
  for (int d = 3; d >= 0; --d) {
    const int from = d == 0 ? 0 : d == 3 ? 1 : d + 1;
    turned.sizes[d] = v.sizes[from], turned.strides[d] = v.strides[from];
    if (turned.sizes[d] != 1 && turned.strides[d] != step) turned.contiguous = 0;
    step *= turned.sizes[d];
  }
  return turned;
}

// ---- roll ----

constexpr int kMostRolled = HAFT_MAX_DIMS;
struct Rolling {
  int ndim = 0;
  Divider sizes[kMostRolled];  // innermost first
  uint32_t shifts[kMostRolled];
  int64_t strides[kMostRolled];  // of what is read, in units of V
};
template <class V>
__global__ void __launch_bounds__(kThreads) roll_elements(Rolling by, const V* from, V* to, uint32_t count) {
  for (uint32_t i = uint32_t(grid_index()); i < count; i += uint32_t(grid_size())) {
    uint32_t left = i;
    int64_t at = 0;
    for (int d = 0; d < by.ndim; ++d) {
      const uint32_t n = by.sizes[d].divisor, q = by.sizes[d](left), k = left - q * n;
      at += int64_t(k >= by.shifts[d] ? k - by.shifts[d] : k + n - by.shifts[d]) * by.strides[d];
      left = q;
    }
    to[i] = from[at];
  }
}
void roll_in_one(const Call& c, const haft_tensor_view& out, const haft_tensor_view& x,
                 const int64_t* shifts) {
  const int64_t item = item_size(DType(x.dtype));
  int64_t sizes[HAFT_MAX_DIMS], strides[HAFT_MAX_DIMS], shift[HAFT_MAX_DIMS];
  int n = 0;
  for (int d = x.ndim - 1; d >= 0; --d) {
    if (x.sizes[d] == 1) continue;
    const bool joins =
        n && shifts[d] == 0 && shift[n - 1] == 0 && x.strides[d] == strides[n - 1] * sizes[n - 1];
    if (joins)
      sizes[n - 1] *= x.sizes[d];
    else
      sizes[n] = x.sizes[d], strides[n] = x.strides[d], shift[n++] = shifts[d];
  }
  // Whole vectors where the innermost dimension stays as it is.
  int64_t vector = 1;
  for (int64_t v = 16 / item; v > 1 && vector == 1 && n; v /= 2) {
    bool fits = shift[0] == 0 && strides[0] == 1 && sizes[0] % v == 0 && is_aligned(x.data, item * v) &&
                is_aligned(out.data, item * v);
    for (int d = 1; d < n; ++d) fits = fits && strides[d] % v == 0;
    if (fits) vector = v;
  }
  Rolling by;
  by.ndim = n;
  for (int d = 0; d < n; ++d) {
    by.sizes[d] = Divider(uint32_t(d ? sizes[d] : sizes[d] / vector));
    by.shifts[d] = uint32_t(shift[d]);
    by.strides[d] = d ? strides[d] / vector : strides[d];
  }
  const uint32_t count = uint32_t(out.numel / vector);
  auto go = [&]<class V>() {
    launch(c, blocks_for(c, count), roll_elements<V>, by, static_cast<const V*>(x.data),
           static_cast<V*>(out.data), count);
  };
  if (item * vector == 16) return go.template operator()<Vector<uint32_t, 4>>();
  visit_size(item * vector, go);
}

// dst = src rolled by the shifts: each dimension falls into two pieces.
void roll(const Call& c, const haft_tensor_view& dst, const haft_tensor_view& src,
          std::span<const int64_t> shifts, std::span<const int64_t> dims) {
  if (dst.numel == 0) return;
  if (dims.empty()) return copy_view(c, dst, src);
  const int d = int(wrap(dims[0], dst.ndim));
  const int64_t n = dst.sizes[d], s = wrap(shifts[0], n);
  if (n - s) roll(c, narrow(dst, d, s, n - s), narrow(src, d, 0, n - s), shifts.subspan(1), dims.subspan(1));
  if (s) roll(c, narrow(dst, d, 0, s), narrow(src, d, n - s, s), shifts.subspan(1), dims.subspan(1));
}

// ---- triangles: `beyond` counts how far right of the main diagonal an element stands ----

template <class T, int kN>
__global__ void __launch_bounds__(kThreads) keep_triangle(Space<3> space, int64_t diagonal, bool lower) {
  char* p[3];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    auto v = *reinterpret_cast<const Vector<T, kN>*>(p[1]);
    const int64_t beyond = reinterpret_cast<int64_t>(p[2]) - diagonal;
#pragma unroll
    for (int j = 0; j < kN; ++j)
      if (lower ? beyond + j > 0 : beyond + j < 0) v.at[j] = T(0);
    *reinterpret_cast<Vector<T, kN>*>(p[0]) = v;
  }
}

void triangle(const Call& c, bool lower) {
  const haft_tensor_view &x = c.in(0), &out = c.out();
  if (out.numel == 0) return;
  Walk whole;
  whole.add(out);
  whole.add(x);
  Operand& beyond = whole.operands[whole.n++];
  beyond = {};
  beyond.item = 1;
  beyond.strides[x.ndim - 2] = -1;
  beyond.strides[x.ndim - 1] = 1;
  whole.merge();
  for (const Walk& w : pieces(whole)) {
    const int64_t item = w.operands[0].item, n = 16 / item;
    const int last = w.ndim - 1;
    bool vectors = w.sizes[last] % n == 0 && w.operands[2].strides[last] == 1;
    for (int k = 0; k < 2; ++k) {
      vectors = vectors && w.operands[k].strides[last] == item && is_aligned(w.operands[k].data, 16);
      for (int d = 0; d < last; ++d) vectors = vectors && w.operands[k].strides[d] % 16 == 0;
    }
    visit_size(item, [&]<class T>() {
      constexpr int kN = int(16 / sizeof(T));
      if (vectors)
        launch(c, blocks_for(c, w.numel / kN), keep_triangle<T, kN>, Space<3>(w, kN), c.attrs.i(0), lower);
      else
        launch(c, blocks_for(c, w.numel), keep_triangle<T, 1>, Space<3>(w), c.attrs.i(0), lower);
    });
  }
}

}  // namespace

void k_cat(const Call& c) {
  if (c.out().numel == 0) return;
  // Maps that lie channels last are joined in the order of their memory.
  const bool last = !c.out().contiguous;
  auto in_order = [&](const haft_tensor_view& v) { return last ? with_channels_last(v) : v; };
  const haft_tensor_view out = in_order(c.out());
  int dim = int(wrap(c.attrs.i(0), out.ndim));
  if (last && dim > 0) dim = dim == 1 ? 3 : dim - 1;
  const int64_t item = item_size(c.out_dtype());
  const Around all = around(out, dim);
  const int64_t row = all.n * all.inner;
  // Dense parts stand in rows of the same number; the widest unit that divides all of them moves all.
  int64_t unit = 16;
  auto fits = [&](const haft_tensor_view& x) { return x.contiguous && x.numel <= most_elements; };
  int64_t at = 0;
  for (int i = 0; i < c.n_in(); ++i) {
    if (c.in(i).ndim != out.ndim || c.in(i).numel == 0)
      continue;  // PyTorch's legacy: an empty vector joins anything
    const haft_tensor_view x = in_order(c.in(i));
    const int64_t width = x.sizes[dim] * all.inner * item;
    while (fits(x) && (width % unit || at % unit || row * item % unit || !is_aligned(x.data, unit) ||
                       !is_aligned(out.data, unit)))
      unit /= 2;
    at += width;
  }
  Parts parts{};
  int n = 0;
  int64_t most = 0;
  auto flush = [&] {
    if (n == 0) return;
    auto go = [&]<class V>() {
      Shape3 s = blocks_for(c, most / unit);
      s.grid.y = uint32_t(n);
      launch(c, s, join_rows<V>, parts, c.out_data<V>(), all.outer, row * item / unit);
    };
    if (unit == 16)
      go.template operator()<Vector<uint32_t, 4>>();
    else
      visit_size(unit, go);
    n = 0;
    most = 0;
  };
  at = 0;
  for (int i = 0; i < c.n_in(); ++i) {
    if (c.in(i).ndim != out.ndim || c.in(i).numel == 0) continue;
    const haft_tensor_view x = in_order(c.in(i));
    if (fits(x)) {
      parts.data[n] = static_cast<const char*>(x.data);
      parts.width[n] = uint32_t(x.sizes[dim] * all.inner * item / unit);
      parts.column[n++] = at * all.inner * item / unit;
      if (bytes(x) > most) most = bytes(x);
      if (n == kJoined) flush();
    } else {
      copy_view(c, narrow(out, dim, at, x.sizes[dim]), x);
    }
    at += x.sizes[dim];
  }
  flush();
}

void k_flip(const Call& c) {
  haft_tensor_view x = c.in(0);
  if (x.numel == 0) return;
  for (int64_t raw : c.attrs.ints(0)) {
    const int64_t d = wrap(raw, x.ndim);
    x.data = static_cast<char*>(x.data) + (x.sizes[d] - 1) * x.strides[d] * item_size(DType(x.dtype));
    x.strides[d] = -x.strides[d];
    x.contiguous = 0;
  }
  copy_view(c, c.out(), x);
}

void k_roll(const Call& c) {
  const haft_tensor_view &x = c.in(0), &out = c.out();
  if (out.numel == 0) return;
  const auto shifts = c.attrs.ints(0), dims = c.attrs.ints(1);
  if (dims.empty()) {  // flattened: two pieces of dense memory
    const haft_tensor_view src = dense(c, x);
    const int64_t s = wrap(shifts[0], out.numel) * item_size(c.out_dtype()), rest = bytes(out) - s;
    c.copy(c.out_data<char>() + s, src.data, rest);
    c.copy(c.out_data<char>(), static_cast<const char*>(src.data) + rest, s);
    return;
  }
  if (out.numel > most_elements) return roll(c, out, x, shifts, dims);
  int64_t by[HAFT_MAX_DIMS] = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap(dims[i], x.ndim);
    by[d] = wrap(by[d] + wrap(shifts[i], x.sizes[d]), x.sizes[d]);
  }
  roll_in_one(c, out, x, by);
}

void k_tril(const Call& c) { triangle(c, true); }
void k_triu(const Call& c) { triangle(c, false); }

// out holds a copy of x already.
void k_as_strided_scatter(const Call& c) {
  copy_view(c, window_of(c.out(), c.attrs.ints(0), c.attrs.ints(1), c.attrs.i(2)), c.in(1));
}

}  // namespace haft::cuda
