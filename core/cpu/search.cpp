// Binary search of many values in sorted rows.
#include "core/cpu/dense.h"

namespace haft::cpu {

// in: sorted, values; attrs: right. A NaN belongs behind every number.
void k_searchsorted(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &sorted = k.in(0), &values = k.in(1);
  if (values.numel == 0) return;
  const int64_t n = sorted.sizes[sorted.ndim - 1],
                row = sorted.ndim == 1 ? values.numel : values.sizes[values.ndim - 1];
  const bool right = k.attrs.b(0);
  int64_t* out = k.out_data<int64_t>();
  visit_compute(k.dtype(), [&]<class C>() {
    const DenseIn edge_list(sorted, DTypeOf<C>::value), value_list(values, DTypeOf<C>::value);
    const C *edges = edge_list.as<C>(), *x = value_list.as<C>();
    parallel_for(values.numel, 512, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const C* first = edges + (sorted.ndim == 1 ? 0 : i / row * n);
        const C v = x[i];
        int64_t low = 0, high = n;
        while (low < high) {
          const int64_t at = low + (high - low) / 2;
          const C edge = first[at];
          if (right ? !(edge > v) : !(edge >= v))
            low = at + 1;
          else
            high = at;
        }
        out[i] = low;
      }
    });
  });
}

}  // namespace haft::cpu
