// Tensors from numbers: full, fill, arange, linspace, eye.
#include <cstring>

#include "core/cuda/space.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"
#include "core/tensor/half.h"

namespace haft::cuda {

namespace {

using Line = Vector<uint64_t, 2>;  // 16 bytes

// One element of dtype t with the scalar's value, repeated over 16 bytes. Numbers become others as in convert
// (device.cuh).
struct Element {
  Line line;

  Element(DType t, Scalar s) {
    const bool real = s.kind == ScalarKind::floating;
    const double d = s.to_double();
    const float f = real ? float(d) : float(s.i);
    unsigned char raw[16];
    auto put = [&]<class T>(T x) {
      for (size_t i = 0; i < sizeof raw; i += sizeof x) std::memcpy(raw + i, &x, sizeof x);
    };
    // What does not fit is clamped to int32, and narrower types keep the low bits.
    const int64_t narrow = !real               ? s.i
                           : d != d            ? 0
                           : d >= 2147483648.0 ? 2147483647
                           : d < -2147483648.0 ? -2147483648ll
                                               : int64_t(d);
    switch (t) {
      case DType::f64: put(d); break;
      case DType::f32: put(f); break;
      case DType::f16: put(Half::encode(f)); break;
      case DType::bf16: put(BFloat16::encode(f)); break;
      case DType::f8e4m3fn: put(Float8E4M3(f).bits); break;
      case DType::f8e5m2: put(Float8E5M2(f).bits); break;
      case DType::boolean: put(uint8_t(real ? d != 0 : s.i != 0)); break;
      case DType::u8:
      case DType::i8: put(uint8_t(narrow)); break;
      case DType::i16: put(uint16_t(narrow)); break;
      case DType::i32: put(uint32_t(narrow)); break;
      default: put(!real ? s.i : d >= 9223372036854775808.0 ? int64_t(9223372036854774784ll) : saturated(d));
    }
    std::memcpy(&line, raw, sizeof raw);
  }
  template <class T>
  T as() const {
    T x;
    std::memcpy(&x, &line, sizeof x);
    return x;
  }
};

__global__ void __launch_bounds__(kThreads) fill_lines(Line* out, int64_t lines, int tail, Line value) {
  for (int64_t i = grid_index(); i < lines; i += grid_size()) out[i] = value;
  if (grid_index() == 0)
    for (int i = 0; i < tail; ++i)
      reinterpret_cast<unsigned char*>(out + lines)[i] =
          uint8_t((i < 8 ? value.at[0] : value.at[1]) >> (i % 8 * 8));
}
template <class T>
__global__ void __launch_bounds__(kThreads) fill_elements(Space<1> space, T value) {
  char* p[1];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    *reinterpret_cast<T*>(p[0]) = value;
  }
}

void fill_view(const Call& c, const haft_tensor_view& out, Scalar value) {
  if (out.numel == 0) return;
  const Element e(DType(out.dtype), value);
  const int64_t size = bytes(out);
  if (out.contiguous && is_aligned(out.data, 16)) {
    launch(c, blocks_for(c, size / 16), fill_lines, static_cast<Line*>(out.data), size / 16, int(size % 16),
           e.line);
    return;
  }
  Walk whole;
  whole.add(out);
  whole.merge();
  for (const Walk& w : pieces(whole))
    visit_size(w.operands[0].item, [&]<class T>() {
      launch(c, blocks_for(c, w.numel), fill_elements<T>, Space<1>(w), e.as<T>());
    });
}

// Each element from its index, so that errors do not add up; steps are rounded one by one, as on every device.
template <class T>
__global__ void __launch_bounds__(kThreads) count_up(T* out, int64_t n, double start, double step) {
  for (int64_t i = grid_index(); i < n; i += grid_size())
    store(out + i, convert_to<T>(__dadd_rn(start, __dmul_rn(step, double(i)))));
}
template <class T>
__global__ void __launch_bounds__(kThreads) count_up_whole(T* out, int64_t n, uint64_t start, uint64_t step) {
  for (int64_t i = grid_index(); i < n; i += grid_size())
    store(out + i, convert_to<T>(int64_t(start + step * uint64_t(i))));
}
// The second half counts from the end, so that `end` comes out exactly.
template <class T>
__global__ void __launch_bounds__(kThreads)
    between(T* out, int64_t n, double start, double end, double step) {
  for (int64_t i = grid_index(); i < n; i += grid_size())
    store(out + i, convert_to<T>(i < (n + 1) / 2 ? __dadd_rn(start, __dmul_rn(step, double(i)))
                                                 : __dadd_rn(end, -__dmul_rn(step, double(n - 1 - i)))));
}

template <class T>
__global__ void __launch_bounds__(kThreads) fill_diagonal(T* out, int64_t n, int64_t step, T value) {
  for (int64_t i = grid_index(); i < n; i += grid_size()) out[i * step] = value;
}

}  // namespace

void k_full(const Call& c) { fill_view(c, c.out(), c.attrs.scalar(1)); }
void k_fill(const Call& c) { fill_view(c, c.out(), c.attrs.scalar(0)); }

void k_arange(const Call& c) {
  const Scalar start = c.attrs.scalar(0), step = c.attrs.scalar(4);
  const int64_t n = c.out().numel;
  if (n == 0) return;
  // Integers count in integers, as in PyTorch.
  const bool real =
      !is_integer(c.out_dtype()) && (start.kind == ScalarKind::floating || step.kind == ScalarKind::floating);
  visit_any(c, c.out_dtype(), [&]<class T>() {
    if (real)
      launch(c, blocks_for(c, n), count_up<T>, c.out_data<T>(), n, start.to_double(), step.to_double());
    else
      launch(c, blocks_for(c, n), count_up_whole<T>, c.out_data<T>(), n, uint64_t(start.to_int()),
             uint64_t(step.to_int()));
  });
}

void k_linspace(const Call& c) {
  const double a = c.attrs.d(0), b = c.attrs.d(1);
  const int64_t n = c.out().numel;
  if (n == 0) return;
  const double step = n > 1 ? (b - a) / double(n - 1) : 0;
  visit_any(c, c.out_dtype(),
            [&]<class T>() { launch(c, blocks_for(c, n), between<T>, c.out_data<T>(), n, a, b, step); });
}

void k_eye(const Call& c) {
  const haft_tensor_view& out = c.out();
  if (out.numel == 0) return;
  c.zero(out.data, bytes(out));
  const int64_t n = out.sizes[0] < out.sizes[1] ? out.sizes[0] : out.sizes[1];
  const Element one(c.out_dtype(), Scalar(1));
  visit_size(item_size(c.out_dtype()), [&]<class T>() {
    launch(c, blocks_for(c, n), fill_diagonal<T>, c.out_data<T>(), n, out.sizes[1] + 1, one.as<T>());
  });
}

}  // namespace haft::cuda
