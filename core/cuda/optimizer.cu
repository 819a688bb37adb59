// Optimizer steps: many tensors a launch, a table of them in the kernel's parameters, blocks numbered over their
// chunks; each element is read and written once. What happens to it stands in schema/functors_optimizer.h.
#include <algorithm>
#include <bit>
#include <cmath>
#include <new>

#include "core/cuda/numbers.cuh"
#include "core/cuda/tensor_lists.cuh"
#include "core/cuda/visit.cuh"
#include "core/schema/optimizers.h"

namespace haft::cuda {

namespace rules {
using namespace haft::fn;
#include "core/schema/functors_optimizer.h"
}  // namespace rules

namespace {

// What C is stored as in the lists: their types differ, and every thread of a block meets the same.
template <class C, int kVec>
__device__ inline void read_numbers(const void* base, DType t, int64_t i, int64_t rest, bool whole,
                                    C (&to)[kVec]) {
  auto as = [&]<class T>(const T* p) {
    if (whole) {
      constexpr int kPart = int(16 / sizeof(T)) < kVec ? int(16 / sizeof(T)) : kVec;
#pragma unroll
      for (int j = 0; j < kVec; j += kPart) {
        const auto part = *reinterpret_cast<const Vector<T, kPart>*>(p + i + j);
#pragma unroll
        for (int l = 0; l < kPart; ++l) to[j + l] = C(load(part.at[l]));
      }
    } else {
#pragma unroll
      for (int j = 0; j < kVec; ++j) to[j] = j < rest ? C(load(p[i + j])) : C(0);
    }
  };
  if constexpr (sizeof(C) == 8)
    as(static_cast<const double*>(base));
  else if (t == DType::f32)
    as(static_cast<const float*>(base));
  else if (t == DType::bf16)
    as(static_cast<const bfloat16*>(base));
  else
    as(static_cast<const half*>(base));
}
template <class C, int kVec>
__device__ inline void write_numbers(void* base, DType t, int64_t i, int64_t rest, bool whole,
                                     const C (&from)[kVec]) {
  auto as = [&]<class T>(T* p) {
    if (whole) {
      constexpr int kPart = int(16 / sizeof(T)) < kVec ? int(16 / sizeof(T)) : kVec;
#pragma unroll
      for (int j = 0; j < kVec; j += kPart) {
        Vector<T, kPart> part;
#pragma unroll
        for (int l = 0; l < kPart; ++l) store(&part.at[l], from[j + l]);
        store_whole(p + i + j, part);
      }
    } else {
#pragma unroll
      for (int j = 0; j < kVec; ++j)
        if (j < rest) store(p + i + j, from[j]);
    }
  };
  if constexpr (sizeof(C) == 8)
    as(static_cast<double*>(base));
  else if (t == DType::f32)
    as(static_cast<float*>(base));
  else if (t == DType::bf16)
    as(static_cast<bfloat16*>(base));
  else
    as(static_cast<half*>(base));
}

// 16 bytes of the widest type and of 16-bit floats alike.
template <class C>
constexpr int kStepVec = sizeof(C) == 8 ? 2 : 8;

// Of a step that is left out where infinite gradients were found: PyTorch's capturable optimizers count on the device
// for the same end.
struct Gate {
  const float *found, *skipped;  // null: there is none
  double* numbers;               // of a rule with numbers
};

// A rule as kernels get it: by value, or where a replay makes it of the settings of its time (haft_kernel_call.live).
template <class Rule>
struct Made {
  Rule captured;
  const Rule* live;
  const float* found;
};
template <class Rule, int kNumbers, class Kernel>
__global__ void make_rule(const uint64_t* words, const Gate gate, bool last, Kernel* to) {
  rules::OptimizerStep s{
      reinterpret_cast<const double*>(words + (words[6] >> 32)), __longlong_as_double((long long)(words[5])),
      double(int64_t(words[4])) - (gate.skipped ? double(*gate.skipped) : 0.0), words[3] != 0};
  if constexpr (kNumbers > 0)
    if (gate.numbers) {
      rules::KeptOptions<Rule, kNumbers> o(s.options, int(uint32_t(words[6])), gate.numbers);
      s.options = o.values;
      *to = Rule(s);
      if (last) o.keep(s, *gate.found == 0.0f, gate.numbers);
      return;
    }
  *to = Rule(s);
}

template <class C, class Rule, unsigned kSlots, int kTensors>
__global__ void __launch_bounds__(kListThreads, 1)
    step_lists(const Made<Rule> made, const TensorLists<kTensors, 2 + std::popcount(kSlots)> lists) {
  constexpr int kVec = kStepVec<C>, kCount = std::popcount(kSlots);
  if (made.found && *made.found != 0.0f) return;
  const Rule rule = made.live ? *made.live : made.captured;
  const int tensor = lists.tensor_of(blockIdx.x);
  const bool whole = lists.aligned >> tensor & 1;
  int64_t begin, end;
  lists.chunk(blockIdx.x, tensor, &begin, &end);
  for (int64_t i = begin + int64_t(threadIdx.x) * kVec; i < end; i += int64_t(kListThreads) * kVec) {
    C p[kVec], g[kVec], s[kCount ? kCount : 1][kVec];
    const int64_t rest = end - i;
    const bool all = whole && rest >= kVec;
    read_numbers<C, kVec>(lists.data[0][tensor], lists.dtype(0, tensor), i, rest, all, p);
    read_numbers<C, kVec>(lists.data[1][tensor], lists.dtype(1, tensor), i, rest, all, g);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      read_numbers<C, kVec>(lists.data[2 + k][tensor], lists.dtype(2 + k, tensor), i, rest, all, s[k]);
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      C slots[kMaxSlots];
#pragma unroll
      for (int k = 0, at = 0; k < kMaxSlots; ++k)
        if (kSlots >> k & 1) slots[k] = s[at++][j];
      rule.template apply<int(kSlots)>(p[j], g[j], slots);
#pragma unroll
      for (int k = 0, at = 0; k < kMaxSlots; ++k)
        if (kSlots >> k & 1) s[at++][j] = slots[k];
    }
    write_numbers<C, kVec>(lists.data[0][tensor], lists.dtype(0, tensor), i, rest, all, p);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      write_numbers<C, kVec>(lists.data[2 + k][tensor], lists.dtype(2 + k, tensor), i, rest, all, s[k]);
  }
}

// The tensors of one computed type, some at a time.
template <class C, class Rule, unsigned kSlots>
void step(const Call& c, const Made<Rule>& made, int64_t n) {
  constexpr int kTensorLists = 2 + std::popcount(kSlots);
  constexpr int kTensors = tensors_a_launch<kTensorLists>(sizeof(Made<Rule>));
  using Lists = TensorLists<kTensors, kTensorLists>;
  each_lists<Lists>(
      c, n, [](DType t) { return (t == DType::f64) == (sizeof(C) == 8); },
      [&](const Lists& lists, const Shape3& shape) {
        launch(c, shape, step_lists<C, Rule, kSlots, kTensors>, made, lists);
      });
}

// `last`: nobody makes a rule of the same step behind this one.
template <class Rule, int kNumbers>
auto made(const Call& c, const rules::OptimizerStep& s, const Gate& gate, bool last) {
  using Kernel = typename Rule::Kernel;
  Kernel* live = c.call.live ? c.scratch<Kernel>(1) : nullptr;
  if (live) launch(c, Shape3{}, make_rule<Rule, kNumbers, Kernel>, c.call.live, gate, last, live);
  return Made<Kernel>{Rule(s), live, gate.found};
}

template <template <class> class Rule, OptimizerId kId, unsigned kSlots = 0>
bool run(const Call& c, unsigned slots, int64_t n) {
  constexpr StateText state = kOptimizerStates[int(kId)];
  if constexpr (state.whole || kSlots >> state.count) {
    return false;
  } else {
    if constexpr ((kSlots & state.always()) == state.always())
      if (slots == kSlots) {
        const rules::OptimizerStep s{c.attrs.doubles(6).data(), c.attrs.d(5), double(c.attrs.i(4)),
                                     c.attrs.b(3)};
        const int64_t gated = n * (2 + std::popcount(kSlots));
        Gate gate{};
        if (c.n_in() > gated)
          gate.found = c.data<float>(int(gated)), gate.skipped = c.data<float>(int(gated + 1));
        if (state.number_count && gate.found) gate.numbers = static_cast<double*>(c.in(int(gated + 2)).data);
        if (gate.found && !c.call.live)
          fail(Code::unsupported, "[optimizer_step] only recorded steps are gated on this device");
        step<float, typename Rule<float>::Kernel, kSlots>(
            c, made<Rule<float>, state.number_count>(c, s, gate, false), n);
        step<double, typename Rule<double>::Kernel, kSlots>(
            c, made<Rule<double>, state.number_count>(c, s, gate, true), n);
        return true;
      }
    return run<Rule, kId, kSlots + 1>(c, slots, n);
  }
}

}  // namespace

// in: n parameters, n gradients, n states for each bit of slots, and the gate of a recorded step: found, skipped and,
// of a rule with numbers, those that are kept; attrs: rule, n, slots, fresh, step, lr, options
void k_optimizer_step(const Call& c) {
  const auto id = OptimizerId(c.attrs.i(0));
  const int64_t n = c.attrs.i(1);
  const unsigned slots = unsigned(c.attrs.i(2));
  bool known = false;
  switch (id) {
#define OPTIMIZER(name, ...)                                         \
  case OptimizerId::name:                                            \
    known = run<rules::rule_##name, OptimizerId::name>(c, slots, n); \
    break;
#include "core/schema/modules.def"
    default: break;
  }
  if (!known)
    fail(Code::unsupported,
         concat("[optimizer_step] ", kOptimizerNames[int(id)], " steps whole parameters, not elements"));
}

}  // namespace haft::cuda
