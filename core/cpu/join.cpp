// Copies of rearranged regions: cat, flip, roll, triangles, scatter into a strided window.
#include "core/cpu/kernel.h"
#include "core/tensor/narrow.h"

namespace haft::cpu {
namespace {

// dst = src rolled by the shifts: each dimension falls into two pieces.
void roll(const haft_tensor_view& dst, const haft_tensor_view& src, std::span<const int64_t> shifts,
          std::span<const int64_t> dims) {
  if (dst.numel == 0) return;
  if (dims.empty()) return copy_view(dst, src);
  const int d = int(wrap(dims[0], dst.ndim));
  const int64_t n = dst.sizes[d], s = wrap(shifts[0], n);
  for (auto [from, to, count] : {std::array<int64_t, 3>{0, s, n - s}, {n - s, 0, s}})
    if (count)
      roll(narrow(dst, d, to, count), narrow(src, d, from, count), shifts.subspan(1), dims.subspan(1));
}

// Copies x and clears what lies beyond the diagonal; out is dense.
void triangle(const haft_kernel_call& c, bool lower) {
  KernelCall k(c);
  const haft_tensor_view& out = k.out();
  const int64_t diagonal = k.attrs.i(0);
  copy_view(out, k.in(0));
  if (out.numel == 0) return;
  const int64_t rows = out.sizes[out.ndim - 2], cols = out.sizes[out.ndim - 1],
                item = item_size(k.out_dtype());
  char* data = k.out_data<char>();
  parallel_for(out.numel / cols, 65536 / cols + 1, [&](int64_t b, int64_t e) {
    for (int64_t r = b; r < e; ++r) {
      int64_t split = r % rows + diagonal + (lower ? 1 : 0);  // the first column of the upper part
      split = split < 0 ? 0 : split > cols ? cols : split;
      char* row = data + r * cols * item;
      if (lower)
        std::memset(row + split * item, 0, size_t((cols - split) * item));
      else
        std::memset(row, 0, size_t(split * item));
    }
  });
}

}  // namespace

void k_cat(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view& out = k.out();
  const int dim = int(wrap(k.attrs.i(0), out.ndim));
  int64_t at = 0;
  for (int i = 0; i < k.n_in(); ++i) {
    const haft_tensor_view& x = k.in(i);
    if (x.ndim != out.ndim) continue;  // PyTorch's legacy: an empty vector joins anything
    if (x.numel) copy_view(narrow(out, dim, at, x.sizes[dim]), x);
    at += x.sizes[dim];
  }
}

void k_flip(const haft_kernel_call& c) {
  KernelCall k(c);
  haft_tensor_view x = k.in(0);
  if (x.numel == 0) return;
  for (int64_t raw : k.attrs.ints(0)) {
    const int64_t d = wrap(raw, x.ndim);
    x.data = static_cast<char*>(x.data) + (x.sizes[d] - 1) * x.strides[d] * item_size(DType(x.dtype));
    x.strides[d] = -x.strides[d];
    x.contiguous = 0;
  }
  copy_view(k.out(), x);
}

void k_roll(const haft_kernel_call& c) {
  KernelCall k(c);
  auto shifts = k.attrs.ints(0), dims = k.attrs.ints(1);
  if (!dims.empty()) return roll(k.out(), k.in(0), shifts, dims);
  // Flattened: two pieces of dense memory.
  const haft_tensor_view& out = k.out();
  if (out.numel == 0) return;
  HostBuffer copy;
  const char* src = k.data<char>(0);
  if (!dense(k.in(0))) {
    copy = HostBuffer(bytes(out));
    copy_dense(copy.data(), k.in(0));
    src = copy.as<char>();
  }
  const int64_t s = wrap(shifts[0], out.numel) * item_size(k.out_dtype());
  std::memcpy(k.out_data<char>() + s, src, size_t(bytes(out) - s));
  std::memcpy(k.out_data<char>(), src + bytes(out) - s, size_t(s));
}

void k_tril(const haft_kernel_call& c) { triangle(c, true); }
void k_triu(const haft_kernel_call& c) { triangle(c, false); }

// out holds a copy of x already.
void k_as_strided_scatter(const haft_kernel_call& c) {
  KernelCall k(c);
  copy_view(window_of(k.out(), k.attrs.ints(0), k.attrs.ints(1), k.attrs.i(2)), k.in(1));
}

}  // namespace haft::cpu
