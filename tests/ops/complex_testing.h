// Complex numbers in and out of tensors.
#pragma once
#include <complex>
#include <vector>

#include "core/ops/arithmetic.h"
#include "tests/autograd/autograd_testing.h"

namespace haft::complex_testing {

using C = std::complex<double>;

inline Tensor made(const std::vector<C>& v, IntList sizes) {
  Tensor t = new_tensor(sizes, DType::c128);
  copy_from_host(t, v.data());
  return t;
}
inline Tensor made(const std::vector<C>& v) { return made(v, Shape{int64_t(v.size())}); }
inline std::vector<C> numbers(const Tensor& t) {
  NoGradGuard off;
  std::vector<C> v(size_t(t.numel()));
  copy_to_host(ops::cast(t, DType::c128), v.data());
  return v;
}
inline Tensor leaf(Tensor t) {
  set_requires_grad(t, true);
  return t;
}
inline void expect_close(const std::vector<C>& got, const std::vector<C>& want, double tolerance = 1e-13) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - want[i]), tolerance * (1 + std::abs(want[i])))
        << i << ": " << got[i] << " " << want[i];
}

}  // namespace haft::complex_testing
