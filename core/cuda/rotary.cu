// Rotary positions: pairs of elements turned by an angle.
#include "core/cuda/space.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// Operands are the first members of the pairs in out and input, cos and sin; the other member stands `apart` elements
// behind. kVec pairs at once where the members of neighbouring pairs are neighbours.
template <class T, int kVec>
__global__ void __launch_bounds__(kThreads, 1)
    turn_pairs(Space<4> pairs, int64_t out_apart, int64_t in_apart) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  using A = Vector<C, kVec>;
  char* p[4];
  for (uint32_t i = uint32_t(grid_index()); i < pairs.count; i += uint32_t(grid_size())) {
    pairs.at(i, p);
    const T* x = reinterpret_cast<const T*>(p[1]);
    T* y = reinterpret_cast<T*>(p[0]);
    const V first = *reinterpret_cast<const V*>(x), second = *reinterpret_cast<const V*>(x + in_apart);
    const A cos = *reinterpret_cast<const A*>(p[2]), sin = *reinterpret_cast<const A*>(p[3]);
    V to_first, to_second;
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      const C a = C(load(first.at[j])), b = C(load(second.at[j]));
      store(&to_first.at[j], a * cos.at[j] - b * sin.at[j]);
      store(&to_second.at[j], b * cos.at[j] + a * sin.at[j]);
    }
    *reinterpret_cast<V*>(y) = to_first;
    *reinterpret_cast<V*>(y + out_apart) = to_second;
  }
}

// v's last dimension from `first` on, `count` elements with a step.
haft_tensor_view last_part(const haft_tensor_view& v, int64_t first, int64_t count, int64_t step) {
  haft_tensor_view part = v;
  const int d = v.ndim - 1;
  part.data = static_cast<char*>(v.data) + first * v.strides[d] * item_size(DType(v.dtype));
  part.numel = v.sizes[d] ? v.numel / v.sizes[d] * count : 0;
  part.sizes[d] = count;
  part.strides[d] = v.strides[d] * step;
  part.contiguous = 0;
  return part;
}
bool in_vectors(const Walk& w, int64_t n, int64_t out_apart, int64_t in_apart) {
  const int last = w.ndim - 1;
  if (w.sizes[last] % n || out_apart % n || in_apart % n) return false;
  for (int k = 0; k < w.n; ++k)
    if (!w.in_vectors(k, n)) return false;
  return true;
}

}  // namespace

// in: input (*, E), cos and sin (*, pairs) in the computed type; attrs: interleaved
void k_rotary(const Call& c) {
  const haft_tensor_view &x = c.in(0), &y = c.out();
  if (y.numel == 0) return;
  const int last = x.ndim - 1;
  const int64_t pairs = c.in(1).sizes[last], all = x.sizes[last];
  const bool interleaved = c.attrs.b(0);
  if (2 * pairs < all)
    copy_view(c, last_part(y, 2 * pairs, all - 2 * pairs, 1), last_part(x, 2 * pairs, all - 2 * pairs, 1));
  if (pairs == 0) return;
  const int64_t step = interleaved ? 2 : 1, apart = interleaved ? 1 : pairs;
  const int64_t out_apart = apart * y.strides[last], in_apart = apart * x.strides[last];
  Walk whole;
  whole.add(last_part(y, 0, pairs, step));
  whole.add(last_part(x, 0, pairs, step));
  whole.add(c.in(1));
  whole.add(c.in(2));
  whole.merge();
  visit_float(c, c.dtype(), [&]<class T>() {
    constexpr int kVec = sizeof(T) == 8 ? 2 : 4;
    for (const Walk& w : pieces(whole)) {
      if (in_vectors(w, kVec, out_apart, in_apart))
        launch(c, blocks_for(c, w.numel, kVec), turn_pairs<T, kVec>, Space<4>(w, kVec), out_apart, in_apart);
      else
        launch(c, blocks_for(c, w.numel), turn_pairs<T, 1>, Space<4>(w), out_apart, in_apart);
    }
  });
}

}  // namespace haft::cuda
