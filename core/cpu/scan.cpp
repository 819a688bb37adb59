// Running sums and products along one dimension, element after element; floats carry a double.
#include "core/cpu/kernel.h"

namespace haft::cpu {
namespace {

constexpr int64_t kStrip = 512;

template <class T>
struct CarryOf {
  using type = T;
};
template <>
struct CarryOf<float> {
  using type = double;
};
template <>
struct CarryOf<int64_t> {
  using type = uint64_t;
};  // wraps

template <bool kProduct, class T>
void scan(const T* x, T* y, const Around& a) {
  using Carry = typename CarryOf<T>::type;
  const int64_t strips = (a.inner + kStrip - 1) / kStrip;
  parallel_for(a.outer * strips, 16384 / (a.n * (a.inner < kStrip ? a.inner : kStrip) + 1) + 1,
               [&](int64_t b, int64_t e) {
                 Carry carry[kStrip];
                 for (; b < e; ++b) {
                   const int64_t j0 = b % strips * kStrip, w = a.inner - j0 < kStrip ? a.inner - j0 : kStrip;
                   const int64_t base = b / strips * a.n * a.inner + j0;
                   for (int64_t j = 0; j < w; ++j) carry[j] = Carry(kProduct ? 1 : 0);
                   for (int64_t r = 0; r < a.n; ++r) {
                     const T* in = x + base + r * a.inner;
                     T* out = y + base + r * a.inner;
                     for (int64_t j = 0; j < w; ++j) {
                       carry[j] = kProduct ? carry[j] * Carry(in[j]) : carry[j] + Carry(in[j]);
                       out[j] = T(carry[j]);
                     }
                   }
                 }
               });
}

template <bool kProduct, class T>
void scan_as(const KernelCall& k, const Around& a) {
  const haft_tensor_view &x = k.in(0), &out = k.out();
  const DType t = DTypeOf<T>::value;
  HostBuffer in, result;
  const void* src = x.data;
  if (!dense(x) || k.dtype() != t) {
    in = HostBuffer(x.numel * int64_t(sizeof(T)));
    copy_dense(in.data(), x, t);
    src = in.data();
  }
  void* dst = out.data;
  if (k.out_dtype() != t) {
    result = HostBuffer(out.numel * int64_t(sizeof(T)));
    dst = result.data();
  }
  scan<kProduct, T>(static_cast<const T*>(src), static_cast<T*>(dst), a);
  if (dst != out.data) convert(out.data, k.out_dtype(), dst, t, out.numel);
}

template <bool kProduct>
void scan_any(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.out().numel == 0) return;
  int64_t dim = k.attrs.i(0);
  const Around a = k.in(0).ndim == 0 ? Around{} : around(k.in(0), dim < 0 ? dim + k.in(0).ndim : dim);
  switch (k.out_dtype()) {
    case DType::f64: return scan_as<kProduct, double>(k, a);
    case DType::f16:
    case DType::bf16:
    case DType::f32: return scan_as<kProduct, float>(k, a);
    default: return scan_as<kProduct, int64_t>(k, a);
  }
}

}  // namespace

void k_cumsum(const haft_kernel_call& c) { scan_any<false>(c); }
void k_cumprod(const haft_kernel_call& c) { scan_any<true>(c); }

}  // namespace haft::cpu
