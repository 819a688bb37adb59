// Optimizer steps: all parameters together as one long array, each element read and written once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/optimizer.cpp"
#include "core/cpu/foreach_target.h"

#include <cmath>

#include "core/cpu/rows.h"

#ifndef HAFT_CPU_OPTIMIZER_ARGS
#define HAFT_CPU_OPTIMIZER_ARGS
namespace haft::cpu {
struct SgdArgs {
  double lr, momentum, dampening, weight_decay;
  bool nesterov, first, maximize;
};
struct AdamArgs {
  double beta1, beta2, eps, l2, decay, step_size, inv_sqrt_correction2;
  bool amsgrad, maximize;
};
}  // namespace haft::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// Plain loops: the compiler vectorises them for each target. The order of operations is PyTorch's.
// t: parameter, gradient, momentum buffer
template <class C>
HWY_INLINE void sgd_elements(const SgdArgs& a, void* const* t, int64_t n) {
  C* HWY_RESTRICT p = static_cast<C*>(t[0]);
  const C* HWY_RESTRICT grad = static_cast<const C*>(t[1]);
  C* HWY_RESTRICT buffer = static_cast<C*>(t[2]);
  const C lr = C(a.lr), momentum = C(a.momentum), undamped = C(1 - a.dampening), decay = C(a.weight_decay);
  const C sign = a.maximize ? C(-1) : C(1);
  if (a.momentum == 0) {
    for (int64_t i = 0; i < n; ++i) {
      C g = sign * grad[i];
      if (decay != 0) g += decay * p[i];
      p[i] -= lr * g;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    C g = sign * grad[i];
    if (decay != 0) g += decay * p[i];
    const C b = a.first ? g : momentum * buffer[i] + undamped * g;
    buffer[i] = b;
    p[i] -= lr * (a.nesterov ? g + momentum * b : b);
  }
}

// t: parameter, gradient, first moment, second moment, maximum of the second
template <class C, bool kMaximum>
HWY_INLINE void adam_elements(const AdamArgs& a, void* const* t, int64_t n) {
  C* HWY_RESTRICT p = static_cast<C*>(t[0]);
  const C* HWY_RESTRICT grad = static_cast<const C*>(t[1]);
  C* HWY_RESTRICT m = static_cast<C*>(t[2]);
  C* HWY_RESTRICT v = static_cast<C*>(t[3]);
  C* HWY_RESTRICT top = static_cast<C*>(t[4]);
  const C sign = a.maximize ? C(-1) : C(1), l2 = C(a.l2), decay = C(a.decay), eps = C(a.eps),
          step = C(a.step_size);
  const C c1 = C(1 - a.beta1), b2 = C(a.beta2), c2 = C(1 - a.beta2), inv = C(a.inv_sqrt_correction2);
  for (int64_t i = 0; i < n; ++i) {
    C g = sign * grad[i];
    const C w = p[i] * decay;
    if (l2 != 0) g += l2 * w;
    const C first = m[i] + c1 * (g - m[i]);
    C second = b2 * v[i] + c2 * g * g;
    m[i] = first;
    v[i] = second;
    if constexpr (kMaximum) {
      // A NaN in the second moment wins, and stays there.
      second = top[i] >= second ? top[i] : second;
      top[i] = second;
    }
    p[i] = w - step * (first / (std::sqrt(second) * inv + eps));
  }
}

void sgd_block(const SgdArgs& a, bool wide, void* const* t, int64_t n) {
  if (wide)
    sgd_elements<double>(a, t, n);
  else
    sgd_elements<float>(a, t, n);
}

void adam_block(const AdamArgs& a, bool wide, void* const* t, int64_t n) {
  if (a.amsgrad) {
    if (wide)
      adam_elements<double, true>(a, t, n);
    else
      adam_elements<float, true>(a, t, n);
  } else {
    if (wide)
      adam_elements<double, false>(a, t, n);
    else
      adam_elements<float, false>(a, t, n);
  }
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/kernel.h"

namespace haft::cpu {
HWY_EXPORT(sgd_block);
HWY_EXPORT(adam_block);

namespace {

constexpr int kMaxLists = 5;

// Elements [begin, begin + n) of one parameter and its companions. What is not dense in memory or not of the
// compute type goes through scratch; list 1, the gradients, is only read.
template <class C, class Kernel>
void step_range(const haft_tensor_view* const* v, int lists, int64_t begin, int64_t n, Kernel&& kernel) {
  auto direct = [](const haft_tensor_view& t) { return dense(t) && dtype_of(t) == DTypeOf<C>::value; };
  bool all_direct = true;
  for (int k = 0; k < lists; ++k) all_direct = all_direct && direct(*v[k]);
  constexpr int64_t kBlock = 512;
  const int64_t block = all_direct ? n : kBlock;
  C scratch[kMaxLists][kBlock];
  for (int64_t done = 0; done < n; done += block) {
    const int64_t at = begin + done, count = std::min(block, n - done);
    void* t[kMaxLists] = {};
    for (int k = 0; k < lists; ++k) {
      if (direct(*v[k])) {
        t[k] = static_cast<C*>(v[k]->data) + at;
      } else {
        load_range(*v[k], at, count, scratch[k]);
        t[k] = scratch[k];
      }
    }
    kernel(std::is_same_v<C, double>, t, count);
    for (int k = 0; k < lists; ++k)
      if (k != 1 && t[k] == scratch[k]) store_range(scratch[k], *v[k], at, count);
  }
}

// in: `lists` lists of n tensors, parameters and gradients first.
template <class Kernel>
void step_all(const haft_kernel_call& c, int64_t n, int lists, Kernel&& kernel) {
  HAFT_ASSERT(lists <= kMaxLists && c.n_in >= n * lists);
  Scratch<int64_t> start(n + 1);
  start[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    start[i + 1] = start[i] + c.in[i]->numel;
    for (int k = 1; k < lists; ++k) {
      const haft_tensor_view& t = *c.in[k * n + i];
      if (t.numel != c.in[i]->numel || t.layout != c.in[i]->layout)
        fail(Code::shape,
             concat("optimizer: list ", k, " of parameter ", i, " has ", sizes(t), ", the parameter ",
                    sizes(*c.in[i]), t.layout != c.in[i]->layout ? " in another layout" : ""));
    }
  }
  parallel_for(start[n], 32768, [&](int64_t begin, int64_t end) {
    int64_t i = std::upper_bound(start.get(), start.get() + n + 1, begin) - start.get() - 1;
    for (; begin < end; ++i) {
      const int64_t count = std::min(end, start[i + 1]) - begin;
      if (count == 0) continue;
      const haft_tensor_view* v[kMaxLists];
      for (int k = 0; k < lists; ++k) v[k] = c.in[k * n + i];
      const int64_t at = begin - start[i];
      if (dtype_of(*v[0]) == DType::f64)
        step_range<double>(v, lists, at, count, kernel);
      else
        step_range<float>(v, lists, at, count, kernel);
      begin += count;
    }
  });
}

}  // namespace

// attrs: n, lr (2 words), momentum, dampening, weight_decay, nesterov, first, maximize
void k_sgd_step(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const SgdArgs args{
      attrs.scalar(1).to_double(), attrs.d(3), attrs.d(4), attrs.d(5), attrs.b(6), attrs.b(7), attrs.b(8)};
  const auto kernel = HWY_DYNAMIC_DISPATCH(sgd_block);
  step_all(c, attrs.i(0), args.momentum != 0 ? 3 : 2,
           [&](bool wide, void* const* t, int64_t n) { kernel(args, wide, t, n); });
}

// attrs: n, lr (2 words), beta1, beta2, eps, weight_decay, step, decoupled, amsgrad, maximize
void k_adam_step(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const double lr = attrs.scalar(1).to_double(), weight_decay = attrs.d(6);
  const double step = double(attrs.i(7));
  const bool decoupled = attrs.b(8);
  AdamArgs args{};
  args.beta1 = attrs.d(3);
  args.beta2 = attrs.d(4);
  args.eps = attrs.d(5);
  args.l2 = decoupled ? 0 : weight_decay;
  args.decay = decoupled ? 1 - lr * weight_decay : 1;
  args.step_size = lr / (1 - std::pow(args.beta1, step));
  args.inv_sqrt_correction2 = 1 / std::sqrt(1 - std::pow(args.beta2, step));
  args.amsgrad = attrs.b(9);
  args.maximize = attrs.b(10);
  const auto kernel = HWY_DYNAMIC_DISPATCH(adam_block);
  step_all(c, attrs.i(0), args.amsgrad ? 5 : 4,
           [&](bool wide, void* const* t, int64_t n) { kernel(args, wide, t, n); });
}

}  // namespace haft::cpu
#endif
