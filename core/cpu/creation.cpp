// Tensors from numbers: full, fill, arange, linspace, eye.
#include <cmath>

#include "core/cpu/elementwise.h"
#include "core/cpu/kernel.h"
#include "core/cpu/loop.h"
#include "hwy/cache_control.h"

namespace haft::cpu {
namespace {

// One element of dtype t with the scalar's value, as raw bytes.
struct Element {
  alignas(16) char raw[16] = {};
  Element(DType t, Scalar s) {
    if (s.kind == ScalarKind::floating)
      convert(raw, t, &s.d, DType::f64, 1);
    else
      convert(raw, t, &s.i, DType::i64, 1);
  }
};

void fill_dense(char* data, int64_t numel, const Element& e, int64_t item) {
  alignas(64) char block[kBlock * 8];
  const int64_t per_block = int64_t(sizeof block) / item;
  for (int64_t i = 0; i < per_block && i < numel; ++i) std::memcpy(block + i * item, e.raw, size_t(item));
  const bool past_caches = numel * item >= stream_threshold() && reinterpret_cast<uintptr_t>(data) % 64 == 0;
  parallel_for((numel + per_block - 1) / per_block, 64, [&](int64_t b, int64_t end) {
    for (; b < end; ++b) {
      int64_t n = numel - b * per_block < per_block ? numel - b * per_block : per_block;
      int64_t size = n * item, whole = past_caches ? size / 64 * 64 : 0;
      char* at = data + b * int64_t(sizeof block);
      if (whole) conversions().stream(at, block, whole);
      std::memcpy(at + whole, block + whole, size_t(size - whole));
    }
    if (past_caches) hwy::FlushStream();
  });
}

void fill_view(const haft_tensor_view& out, Scalar value) {
  if (out.numel == 0) return;
  const Element e(DType(out.dtype), value);
  const int64_t item = item_size(DType(out.dtype));
  if (dense(out)) return fill_dense(static_cast<char*>(out.data), out.numel, e, item);
  haft_tensor_view src = out;
  src.data = const_cast<char*>(e.raw);
  for (int d = 0; d < src.ndim; ++d) src.strides[d] = 0;
  copy_view(out, src);
}

// value(i) for i < numel in the type `Wide`, stored as the output's dtype.
template <class Wide, class F>
void generate(const haft_tensor_view& out, F value) {
  const int64_t item = item_size(DType(out.dtype));
  parallel_for(out.numel, 32768, [&](int64_t b, int64_t e) {
    Wide block[kBlock];
    for (; b < e; b += kBlock) {
      int64_t n = e - b < kBlock ? e - b : kBlock;
      for (int64_t i = 0; i < n; ++i) block[i] = value(b + i);
      convert(static_cast<char*>(out.data) + b * item, DType(out.dtype), block, DTypeOf<Wide>::value, n);
    }
  });
}

}  // namespace

void k_full(const haft_kernel_call& c) { fill_view(*c.out[0], AttrReader{c.attrs}.scalar(1)); }
void k_fill(const haft_kernel_call& c) { fill_view(*c.out[0], AttrReader{c.attrs}.scalar(0)); }

// Each element from its index, so that errors do not add up.
void k_arange(const haft_kernel_call& c) {
  AttrReader r{c.attrs};
  const Scalar start = r.scalar(0), step = r.scalar(4);
  // Integers count in integers, as in PyTorch.
  if (!is_integer(DType(c.out[0]->dtype)) &&
      (start.kind == ScalarKind::floating || step.kind == ScalarKind::floating)) {
    const double a = start.to_double(), s = step.to_double();
    generate<double>(*c.out[0], [=](int64_t i) { return a + s * double(i); });
  } else {
    const uint64_t a = uint64_t(start.to_int()), s = uint64_t(step.to_int());
    generate<int64_t>(*c.out[0], [=](int64_t i) { return int64_t(a + s * uint64_t(i)); });
  }
}

// The second half counts from the end, so that `end` comes out exactly.
void k_linspace(const haft_kernel_call& c) {
  AttrReader r{c.attrs};
  const double a = r.d(0), b = r.d(1);
  const int64_t n = c.out[0]->numel;
  const double step = n > 1 ? (b - a) / double(n - 1) : 0;
  generate<double>(*c.out[0], [=](int64_t i) {
    return i < (n + 1) / 2 ? a + step * double(i) : b - step * double(n - 1 - i);
  });
}

void k_eye(const haft_kernel_call& c) {
  const haft_tensor_view& out = *c.out[0];
  if (out.numel == 0) return;
  std::memset(out.data, 0, size_t(bytes(out)));
  const Element one(DType(out.dtype), Scalar(1));
  const int64_t item = item_size(DType(out.dtype)),
                n = out.sizes[0] < out.sizes[1] ? out.sizes[0] : out.sizes[1];
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(static_cast<char*>(out.data) + i * (out.sizes[1] + 1) * item, one.raw, size_t(item));
}

}  // namespace haft::cpu
