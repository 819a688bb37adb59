// Rotary positions: pairs of elements turned by an angle.
#include "core/cpu/kernel.h"
#include "core/cpu/rows.h"

namespace haft::cpu {

namespace {

// x becomes its pairs (a, b) turned to (a cos - b sin, b cos + a sin); members of a pair are side by side, or half
// apart.
template <class T>
void turn_pairs(T* x, const T* cos, const T* sin, int64_t pairs, bool interleaved) {
  const int64_t step = interleaved ? 2 : 1;
  T* y = x + (interleaved ? 1 : pairs);
  for (int64_t i = 0; i < pairs; ++i) {
    const T a = x[i * step], b = y[i * step];
    x[i * step] = a * cos[i] - b * sin[i];
    y[i * step] = b * cos[i] + a * sin[i];
  }
}

template <class T>
void rotate(const KernelCall& k) {
  const haft_tensor_view &in = k.in(0), &cos = k.in(1), &sin = k.in(2), &out = k.out();
  const RowShape rows(in, -1);
  const RowStrides from(in, rows.dim), of_cos(cos, rows.dim), of_sin(sin, rows.dim), to(out, rows.dim);
  const int64_t pairs = cos.sizes[cos.ndim - 1], n = rows.n;
  const bool interleaved = k.attrs.b(0), direct = dtype_of(out) == DTypeOf<T>::value && to.step == 1;
  parallel_for(rows.rows, std::max<int64_t>(1, kRowGrain / std::max<int64_t>(n, 1)),
               [&](int64_t begin, int64_t end) {
                 Scratch<T> room(n + 2 * pairs + 1);
                 T *const row = room.get(), *const c = row + n, *const s = c + pairs;
                 for (int64_t r = begin; r < end; ++r) {
                   const int64_t at = from.offset(rows, r), cos_at = of_cos.offset(rows, r),
                                 sin_at = of_sin.offset(rows, r), out_at = to.offset(rows, r);
                   T* const x = direct ? static_cast<T*>(out.data) + out_at : row;
                   load_rows(in, &at, 1, n, from.step, x);
                   load_rows(cos, &cos_at, 1, pairs, of_cos.step, c);
                   load_rows(sin, &sin_at, 1, pairs, of_sin.step, s);
                   turn_pairs(x, c, s, pairs, interleaved);
                   if (!direct) store_rows(x, out, &out_at, 1, n, to.step);
                 }
               });
}

}  // namespace

// in: input (*, E), cos and sin (*, pairs) in the computed type; attrs: interleaved
void k_rotary(const haft_kernel_call& c) {
  const KernelCall k(c);
  if (k.out().numel == 0) return;
  if (k.dtype() == DType::f64)
    rotate<double>(k);
  else
    rotate<float>(k);
}

}  // namespace haft::cpu
