// Vector products.
#include "core/cpu/dense.h"
#include "core/schema/functors.h"

namespace haft::cpu {

// in: two of one shape; attrs: dim, of size 3
void k_cross(const haft_kernel_call& c) {
  KernelCall k(c);
  const Around a = around(k.in(0), k.attrs.i(0));
  visit_compute(k.dtype(), [&]<class C>() {
    const DenseIn left(k.in(0), DTypeOf<C>::value), right(k.in(1), DTypeOf<C>::value);
    const DenseOut out(k.out(), DTypeOf<C>::value);
    const C *x = left.as<C>(), *y = right.as<C>();
    C* z = out.as<C>();
    parallel_for(a.outer * a.inner, 4096, [&](int64_t begin, int64_t end) {
      while (begin < end) {  // vectors side by side, their elements `inner` apart
        const int64_t first = begin / a.inner * 3 * a.inner + begin % a.inner;
        const int64_t n = std::min(a.inner - begin % a.inner, end - begin);
        for (int64_t i = first; i < first + n; ++i) {
          const int64_t j = i + a.inner, l = j + a.inner;
          z[i] = fn::sub(fn::mul(x[j], y[l]), fn::mul(x[l], y[j]));
          z[j] = fn::sub(fn::mul(x[l], y[i]), fn::mul(x[i], y[l]));
          z[l] = fn::sub(fn::mul(x[i], y[j]), fn::mul(x[j], y[i]));
        }
        begin += n;
      }
    });
    out.finish();
  });
}

}  // namespace haft::cpu
