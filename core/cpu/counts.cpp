// Poisson and binomial variables: rows of core/schema/counts.h.
#include "core/schema/counts.h"

#include "core/cpu/kernel.h"
#include "core/cpu/philox.h"
#include "core/cpu/rows.h"

namespace haft::cpu {

namespace {

constexpr int64_t kStrip = 256;

// f(begin, n, v) leaves n variables in v.
template <class F>
void in_strips(const haft_tensor_view& out, F&& f) {
  parallel_for((out.numel + kStrip - 1) / kStrip, 1, [&](int64_t begin, int64_t end) {
    double v[kStrip];
    for (int64_t s = begin; s < end; ++s) {
      const int64_t at = s * kStrip, n = std::min(kStrip, out.numel - at);
      f(at, n, v);
      store_range(v, out, at, n);
    }
  });
}
[[noreturn, gnu::cold]] void refuse(const char* op, const char* argument, const char* must, int64_t at,
                                    double got) {
  fail(Code::invalid_argument,
       concat("[", op, "] every element of ", argument, " must ", must, ", element ", at, " is ", got), {},
       argument);
}

}  // namespace

// attrs: seed, offset
void k_philox_poisson(const haft_kernel_call& c) {
  KernelCall k(c);
  const Philox source{uint64_t(k.attrs.i(0)), uint64_t(k.attrs.i(1))};
  in_strips(k.out(), [&](int64_t at, int64_t n, double* v) {
    load_range(k.in(0), at, n, v);
    for (int64_t i = 0; i < n; ++i) {
      if (!(v[i] >= 0)) refuse("poisson", "input", "be at least 0", at + i, v[i]);
      v[i] = fn::draw_poisson(source, uint64_t(at + i), v[i]);
    }
  });
}

// in: probabilities, trials; attrs: seed, offset
void k_philox_binomial(const haft_kernel_call& c) {
  KernelCall k(c);
  const Philox source{uint64_t(k.attrs.i(0)), uint64_t(k.attrs.i(1))};
  in_strips(k.out(), [&](int64_t at, int64_t n, double* v) {
    double p[kStrip];
    load_range(k.in(0), at, n, p);
    load_range(k.in(1), at, n, v);
    for (int64_t i = 0; i < n; ++i) {
      if (!(v[i] >= 0)) refuse("binomial", "count", "be at least 0", at + i, v[i]);
      if (!(p[i] >= 0 && p[i] <= 1)) refuse("binomial", "prob", "be from 0 to 1", at + i, p[i]);
      v[i] = fn::draw_binomial(source, uint64_t(at + i), v[i], p[i]);
    }
  });
}

}  // namespace haft::cpu
