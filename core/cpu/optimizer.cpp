// Optimizer steps: all parameters together as one long array, cut into chunks; each element is read and written once.
// What happens to it stands in schema/functors_optimizer.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/optimizer.cpp"
#include "core/cpu/foreach_target.h"

#include <bit>
#include <new>
#include <span>

#include "core/cpu/rows.h"
#include "core/cpu/simd.h"
#include "core/schema/optimizers.h"

#ifndef HAFT_CPU_OPTIMIZER_RULES
#define HAFT_CPU_OPTIMIZER_RULES
namespace haft::cpu {
struct RuleStorage {
  alignas(16) unsigned char bytes[192];
};
constexpr int kMaxLists = 2 + kMaxSlots;
constexpr int64_t kWhole = 16;  // a multiple of every vector
// One rule, compute type and set of slots. `run` takes the addresses of a parameter, its gradient and its slots, and a
// multiple of kWhole elements: what is left over is the same for all rules (step_dense).
struct RuleCode {
  void (*make)(RuleStorage& rule, const double* options, double lr, double step, bool fresh);
  void (*run)(const RuleStorage& rule, void* const* t, int64_t n);
};
}  // namespace haft::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {
#include "core/schema/functors_optimizer.h"

template <class Rule>
void make_rule(RuleStorage& rule, const double* options, double lr, double step, bool fresh) {
  static_assert(sizeof(Rule) <= sizeof(RuleStorage) && std::is_trivially_destructible_v<Rule>);
  new (rule.bytes) Rule(OptimizerStep{options, lr, step, fresh});
}

template <class C, class Rule, unsigned kSlots>
void run_rule(const RuleStorage& storage, void* const* t, int64_t n) {
  using V = Lanes<C>;
  if (n % kWhole) __builtin_unreachable();  // where the compiler makes the vectors it writes no second loop
  const Rule rule = *std::launder(reinterpret_cast<const Rule*>(storage.bytes));
  C* p = static_cast<C*>(t[0]);
  const C* g = static_cast<const C*>(t[1]);
  C* s[kMaxSlots];
  for (int k = 0; k < kMaxSlots; ++k)
    s[k] = kSlots >> k & 1 ? static_cast<C*>(t[2 + std::popcount(kSlots & ((1u << k) - 1))]) : nullptr;
#pragma GCC ivdep  // an element is its own only: no second loop for tensors that overlap
  for (int64_t i = 0; i < n; i += V::kSize) {
    V x = V::load(p + i), slots[kMaxSlots];
#pragma GCC unroll 4
    for (int k = 0; k < kMaxSlots; ++k)
      if (kSlots >> k & 1) slots[k] = V::load(s[k] + i);
    rule.template apply<int(kSlots)>(x, V::load(g + i), slots);
    x.store(p + i);
#pragma GCC unroll 4
    for (int k = 0; k < kMaxSlots; ++k)
      if (kSlots >> k & 1) slots[k].store(s[k] + i);
  }
}

template <template <class> class Rule, OptimizerId kId, unsigned kSlots = 0>
RuleCode code_of(unsigned slots, bool wide) {
  constexpr StateText state = kOptimizerStates[int(kId)];
  if constexpr (state.whole || kSlots >> state.count) {
    return {};
  } else {
    if constexpr ((kSlots & state.always()) == state.always())
      if (slots == kSlots)
        return wide ? RuleCode{make_rule<Rule<double>>,
                               run_rule<double, typename Rule<double>::Kernel, kSlots>}
                    : RuleCode{make_rule<Rule<float>>, run_rule<float, typename Rule<float>::Kernel, kSlots>};
    return code_of<Rule, kId, kSlots + 1>(slots, wide);
  }
}

RuleCode rule_code(OptimizerId id, unsigned slots, bool wide) {
  switch (id) {
#define OPTIMIZER(name, ...) \
  case OptimizerId::name:    \
    return code_of<rule_##name, OptimizerId::name>(slots, wide);
#include "core/schema/modules.def"
    default: return {};
  }
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <array>
#include <cstring>

#include "core/cpu/kernel.h"
#include "core/schema/functors.h"

namespace haft::cpu {
HWY_EXPORT(rule_code);

namespace rules {
using fn::select;
using fn::sqrt;
#include "core/schema/functors_optimizer.h"
}  // namespace rules

namespace {

// Of a step that may be left out: its options with the numbers that count, and what they are behind it into `kept`.
using Values = std::array<double, 16>;
template <class Rule, int kNumbers>
[[gnu::cold]] Values keep(std::span<const double> options, double lr, double step, bool made, double* kept) {
  rules::KeptOptions<Rule, kNumbers> o(options.data(), int(options.size()), kept);
  Values values;
  std::copy_n(o.values, values.size(), values.begin());
  o.keep({o.values, lr, step, false}, made, kept);
  return values;
}
using Keep = Values (*)(std::span<const double>, double, double, bool, double*);
template <class Rule, OptimizerId kId>
[[gnu::cold]] Keep keep_of() {
  constexpr int kNumbers = kOptimizerStates[int(kId)].number_count;
  if constexpr (kNumbers > 0)
    return keep<Rule, kNumbers>;
  else
    return nullptr;
}
[[gnu::cold]] Keep keep_of(OptimizerId id) {
  switch (id) {
#define OPTIMIZER(name, ...) \
  case OptimizerId::name:    \
    return keep_of<rules::rule_##name<double>, OptimizerId::name>();
#include "core/schema/modules.def"
    default: return nullptr;
  }
}

// n elements that are dense: whole vectors where they lie, the rest in a copy that is filled up with zeros.
template <class C, class Run>
void step_dense(void* const* t, int lists, int64_t n, Run&& run) {
  const int64_t whole = n / kWhole * kWhole;
  if (whole) run(t, whole);
  if (whole == n) return;
  const size_t bytes = size_t(n - whole) * sizeof(C);
  alignas(64) C rest[kMaxLists][kWhole] = {};
  void* at[kMaxLists] = {};
  for (int k = 0; k < lists; ++k) at[k] = std::memcpy(rest[k], static_cast<C*>(t[k]) + whole, bytes);
  run(at, kWhole);
  for (int k = 0; k < lists; ++k)
    if (k != 1) std::memcpy(static_cast<C*>(t[k]) + whole, rest[k], bytes);
}

// Elements [begin, begin + n) of one parameter and its companions. What is not dense in memory or not of the
// compute type goes through scratch; list 1, the gradients, is only read.
template <class C, class Run>
void step_range(const haft_tensor_view* const* v, int lists, int64_t begin, int64_t n, Run&& run) {
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
    step_dense<C>(t, lists, count, run);
    for (int k = 0; k < lists; ++k)
      if (k != 1 && t[k] == scratch[k]) store_range(scratch[k], *v[k], at, count);
  }
}

// in: `lists` lists of n tensors, parameters and gradients first.
template <class Run>
void step_all(const haft_kernel_call& c, int64_t n, int lists, Run&& run) {
  HAFT_ASSERT(lists <= kMaxLists && c.n_in >= n * lists);
  Scratch<int64_t> start(n + 1);
  start[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    start[i + 1] = start[i] + c.in[i]->numel;
    for (int k = 1; k < lists; ++k) {
      const haft_tensor_view& t = *c.in[k * n + i];
      if (t.layout != c.in[i]->layout)  // sizes are the shape rule's
        fail(Code::shape, concat("[optimizer_step] list ", k, " of parameter ", i,
                                 " lies in another layout than the parameter"));
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
        step_range<double>(v, lists, at, count, [&](void* const* t, int64_t m) { run(true, t, m); });
      else
        step_range<float>(v, lists, at, count, [&](void* const* t, int64_t m) { run(false, t, m); });
      begin += count;
    }
  });
}

}  // namespace

// in: n parameters, n gradients, n states for each bit of slots, and of a step that may be left out found, skipped
// and, of a rule with numbers, those that are kept; attrs: rule, n, slots, fresh, step, lr, options
void k_optimizer_step(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const auto id = OptimizerId(attrs.i(0));
  const unsigned slots = unsigned(attrs.i(2));
  const auto find = HWY_DYNAMIC_DISPATCH(rule_code);
  const RuleCode code[] = {find(id, slots, false), find(id, slots, true)};
  if (!code[0].run || !code[1].run)
    fail(Code::unsupported,
         concat("[optimizer_step] ", kOptimizerNames[int(id)], " steps whole parameters, not elements"));
  const int64_t n = attrs.i(1), lists = 2 + std::popcount(slots);
  double step = double(attrs.i(4));
  const double* options = attrs.doubles(6).data();
  Values values;
  if (c.n_in > n * lists) {  // gated
    const bool made = number(*c.in[n * lists]) == 0;
    step -= number(*c.in[n * lists + 1]);
    if (const Keep keep = keep_of(id)) {
      values =
          keep(attrs.doubles(6), attrs.d(5), step, made, static_cast<double*>(c.in[n * lists + 2]->data));
      options = values.data();
    }
    if (!made) return;
  }
  RuleStorage rule[2];
  for (int wide = 0; wide < 2; ++wide) code[wide].make(rule[wide], options, attrs.d(5), step, attrs.b(3));
  step_all(c, n, int(lists), [&](bool wide, void* const* t, int64_t n) { code[wide].run(rule[wide], t, n); });
}

}  // namespace haft::cpu
#endif
