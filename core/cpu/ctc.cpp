// CTC: sums over all ways to spread a target over the steps, in logarithms. The target's states are its labels with
// blanks around and between them, state s even: blank. alpha[t][s] is the logarithm of all ways to state s at step t,
// beta[t][s] of all ways from it to the end; both are vectors over the states.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/ctc.cpp"
#include "core/cpu/foreach_target.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/cpu/rows.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// to[s] = log(exp(a[s]) + exp(b[s]) + exp(c[s] + jump[s])) + e[s]; -infinity where there is nothing to add.
template <class T>
void step_rows(const T* a, const T* b, const T* c, const T* jump, const T* e, T* to, int64_t n) {
  using V = Lanes<T>;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
    const V x = V::load(a + i, part, lowest), y = V::load(b + i, part, lowest),
            z = V::load(c + i, part, lowest) + V::load(jump + i, part, lowest);
    const V top = max(x, max(y, z)), shift = select(top == V(lowest), V(0), top);
    const V sum = exp(x - shift) + exp(y - shift) + exp(z - shift);
    const V total = select(top == V(lowest), V(lowest), log(sum) + shift);
    (total + V::load(e + i, part, T(0))).store(to + i, part);
  });
}

void step_f32(const float* a, const float* b, const float* c, const float* jump, const float* e, float* to,
              int64_t n) {
  step_rows(a, b, c, jump, e, to, n);
}
void step_f64(const double* a, const double* b, const double* c, const double* jump, const double* e,
              double* to, int64_t n) {
  step_rows(a, b, c, jump, e, to, n);
}

// w[s] = exp(alpha[s] + beta[s] + loss)
template <class T>
void weigh_rows(const T* alpha, const T* beta, T loss, T* w, int64_t n) {
  using V = Lanes<T>;
  sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
    exp(V::load(alpha + i, part, T(0)) + V::load(beta + i, part, T(0)) + V(loss)).store(w + i, part);
  });
}
void weigh_f32(const float* alpha, const float* beta, float loss, float* w, int64_t n) {
  weigh_rows(alpha, beta, loss, w, n);
}
void weigh_f64(const double* alpha, const double* beta, double loss, double* w, int64_t n) {
  weigh_rows(alpha, beta, loss, w, n);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/kernel.h"

namespace haft::cpu {
HWY_EXPORT(step_f32);
HWY_EXPORT(step_f64);
HWY_EXPORT(weigh_f32);
HWY_EXPORT(weigh_f64);

namespace {

constexpr int64_t kRoom = 2;  // -infinity before or after a row of states, which neighbours read

// One sequence: its steps, its states and their labels.
struct Sequence {
  int64_t steps, states;
  std::vector<int64_t> label;

  Sequence(const haft_tensor_view& targets, int64_t n, int64_t blank, int64_t steps, int64_t length)
      : steps(steps), states(2 * length + 1), label(size_t(2 * length + 1), blank) {
    const int64_t* row = static_cast<const int64_t*>(targets.data) + n * targets.sizes[1];
    for (int64_t k = 0; k < length; ++k) label[size_t(2 * k + 1)] = row[k];
  }
  // Whether a way may lead from state s - 2 to s: between different labels.
  bool jumps(int64_t s) const { return s % 2 && s >= 3 && label[size_t(s)] != label[size_t(s - 2)]; }
};

struct Sizes {
  int64_t steps, batch, classes, states;  // states of the longest target
  Sizes(const haft_tensor_view& x, const haft_tensor_view& targets)
      : steps(x.sizes[0]), batch(x.sizes[1]), classes(x.sizes[2]), states(2 * targets.sizes[1] + 1) {}
};

const int64_t* lengths(const haft_tensor_view& v) { return static_cast<const int64_t*>(v.data); }

template <class C, class Step>
void forward(const haft_kernel_call& c, Step step) {
  const haft_tensor_view &x = *c.in[0], &targets = *c.in[1];
  const Sizes z(x, targets);
  const int64_t blank = AttrReader{c.attrs}.i(0);
  constexpr C never = -std::numeric_limits<C>::infinity();
  HostBuffer keep;
  const C* lp = as_compute<C>(&x, keep);
  C* loss = static_cast<C*>(c.out[0]->data);
  C* alpha = static_cast<C*>(c.out[1]->data);
  parallel_for(z.batch, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, z.steps * z.states)),
               [&](int64_t begin, int64_t end) {
                 HostBuffer memory(3 * (z.states + kRoom) * int64_t(sizeof(C)));
                 C *before = memory.as<C>(), *e = before + z.states + kRoom, *jump = e + z.states + kRoom;
                 for (int64_t n = begin; n < end; ++n) {
                   const Sequence q(targets, n, blank, lengths(*c.in[2])[n], lengths(*c.in[3])[n]);
                   C* out = alpha + n * z.steps * z.states;
                   std::fill_n(out, z.steps * z.states, never);
                   if (q.steps == 0) {
                     loss[n] = q.states == 1 ? C(0) : -never;
                     continue;
                   }
                   for (int64_t s = 0; s < q.states; ++s) jump[s] = q.jumps(s) ? C(0) : never;
                   std::fill_n(before, z.states + kRoom, never);
                   for (int64_t t = 0; t < q.steps; ++t, out += z.states) {
                     const C* row = lp + (t * z.batch + n) * z.classes;
                     for (int64_t s = 0; s < q.states; ++s) e[s] = row[q.label[size_t(s)]];
                     if (t == 0) {
                       for (int64_t s = 0; s < std::min<int64_t>(q.states, 2); ++s) out[s] = e[s];
                     } else {
                       std::copy_n(out - z.states, q.states, before + kRoom);
                       step(before + kRoom, before + kRoom - 1, before, jump, e, out, q.states);
                     }
                   }
                   const C* last = out - z.states;
                   const C a = last[q.states - 1], b = q.states > 1 ? last[q.states - 2] : never,
                           top = std::max(a, b);
                   loss[n] = top == never ? -never : -(top + std::log(std::exp(a - top) + std::exp(b - top)));
                 }
               });
}

template <class C, class Step, class Weigh>
void backward(const haft_kernel_call& c, Step step, Weigh weigh) {
  const haft_tensor_view &x = *c.in[1], &targets = *c.in[2];
  const Sizes z(x, targets);
  const int64_t blank = AttrReader{c.attrs}.i(0);
  constexpr C never = -std::numeric_limits<C>::infinity();
  HostBuffer keep, keep_grad, keep_loss;
  const C *lp = as_compute<C>(&x, keep), *grad = as_compute<C>(c.in[0], keep_grad),
          *loss = as_compute<C>(c.in[5], keep_loss);
  const C* alpha = static_cast<const C*>(c.in[6]->data);
  parallel_for(z.batch, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, z.steps * z.states)),
               [&](int64_t begin, int64_t end) {
                 const int64_t room = z.states + kRoom;
                 HostBuffer memory((5 * room + z.classes) * int64_t(sizeof(C)));
                 C *beta = memory.as<C>(), *next = beta + room, *jump = next + room, *none = jump + room,
                   *w = none + room, *dx = w + room;
                 for (int64_t n = begin; n < end; ++n) {
                   const Sequence q(targets, n, blank, lengths(*c.in[3])[n], lengths(*c.in[4])[n]);
                   // A loss that nobody asked for has no gradient, were it infinite.
                   const bool idle = grad[n] == C(0), impossible = !idle && loss[n] == -never;
                   for (int64_t s = 0; s < q.states; ++s)
                     jump[s] = s + 2 < q.states && q.jumps(s + 2) ? C(0) : never;
                   std::fill_n(none, room, C(0));
                   std::fill_n(beta, room, never);
                   for (int64_t t = z.steps - 1; t >= 0; --t) {
                     const int64_t at = (t * z.batch + n) * z.classes;
                     const bool counts = t < q.steps && !idle;
                     std::fill_n(dx, z.classes,
                                 counts && impossible ? std::numeric_limits<C>::quiet_NaN() : C(0));
                     if (counts && !impossible) {
                       if (t == q.steps - 1) {
                         for (int64_t s = std::max<int64_t>(0, q.states - 2); s < q.states; ++s) beta[s] = 0;
                       } else {  // next: beta and what is read at the step after
                         const C* row = lp + at + z.batch * z.classes;
                         std::fill_n(next, room, never);
                         for (int64_t s = 0; s < q.states; ++s) next[s] = beta[s] + row[q.label[size_t(s)]];
                         step(next, next + 1, next + 2, jump, none, beta, q.states);
                       }
                       weigh(alpha + (n * z.steps + t) * z.states, beta, loss[n], w, q.states);
                       for (int64_t s = 0; s < q.states; ++s) dx[q.label[size_t(s)]] -= grad[n] * w[s];
                     }
                     store_rows(dx, *c.out[0], &at, 1, z.classes, 1);
                   }
                 }
               });
}

}  // namespace

void k_ctc_loss_rows(const haft_kernel_call& c) {
  if (dtype_of(*c.in[0]) == DType::f64)
    forward<double>(c, HWY_DYNAMIC_DISPATCH(step_f64));
  else
    forward<float>(c, HWY_DYNAMIC_DISPATCH(step_f32));
}

void k_ctc_loss_backward(const haft_kernel_call& c) {
  if (dtype_of(*c.in[1]) == DType::f64)
    backward<double>(c, HWY_DYNAMIC_DISPATCH(step_f64), HWY_DYNAMIC_DISPATCH(weigh_f64));
  else
    backward<float>(c, HWY_DYNAMIC_DISPATCH(step_f32), HWY_DYNAMIC_DISPATCH(weigh_f32));
}

}  // namespace haft::cpu
#endif
