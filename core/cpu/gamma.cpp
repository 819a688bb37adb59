// Gamma variables and how they change with their shape parameter: rows of core/schema/gamma.h.
#include "core/schema/gamma.h"

#include <cmath>

#include "core/cpu/kernel.h"
#include "core/cpu/philox.h"
#include "core/cpu/rows.h"

namespace haft::cpu {
namespace {
constexpr int64_t kStrip = 256;
}  // namespace

// attrs: seed, offset
void k_philox_gamma(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &a = k.in(0), &out = k.out();
  const Philox source{uint64_t(k.attrs.i(0)), uint64_t(k.attrs.i(1))};
  // A variable of a small shape may lie below what the type holds; its logarithm shall be finite.
  const double least = visit_dtype(k.out_dtype(), []<class T>() -> double {
    if constexpr (std::is_floating_point_v<T>) return double(std::numeric_limits<T>::min());
    return std::is_same_v<T, Half> ? 0x1p-14 : 0x1p-126;
  });
  parallel_for((out.numel + kStrip - 1) / kStrip, 1, [&](int64_t begin, int64_t end) {
    double v[kStrip];
    for (int64_t s = begin; s < end; ++s) {
      const int64_t at = s * kStrip, n = std::min(kStrip, out.numel - at);
      load_range(a, at, n, v);
      for (int64_t i = 0; i < n; ++i) {
        if (!(v[i] >= 0) || std::isinf(v[i]))
          fail(Code::invalid_argument, concat("standard_gamma: element ", at + i, " is ", v[i]),
               "shape parameters are positive and finite");
        v[i] = v[i] == 0 ? 0 : std::max(fn::draw_gamma(source, uint64_t(at + i), v[i]), least);
      }
      store_range(v, out, at, n);
    }
  });
}

void k_gamma_slope(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &a = k.in(0), &x = k.in(1), &out = k.out();
  parallel_for((out.numel + kStrip - 1) / kStrip, 1, [&](int64_t begin, int64_t end) {
    double v[kStrip], w[kStrip];
    for (int64_t s = begin; s < end; ++s) {
      const int64_t at = s * kStrip, n = std::min(kStrip, out.numel - at);
      load_range(a, at, n, v);
      load_range(x, at, n, w);
      for (int64_t i = 0; i < n; ++i) v[i] = fn::gamma_slope(v[i], w[i]);
      store_range(v, out, at, n);
    }
  });
}

}  // namespace haft::cpu
