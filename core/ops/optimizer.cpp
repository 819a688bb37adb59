// An optimizer's step takes lists one after the other and writes into them; it has no results.
#include <algorithm>
#include <bit>

#include "core/ops/gradient.h"
#include "core/schema/optimizers.h"

namespace haft {

namespace {

// The name of a list: parameters, gradients, then the slots that exist.
std::string list_name(int64_t rule, uint64_t slots, int64_t list) {
  if (list < 2) return list ? "gradient" : "parameter";
  int slot = std::countr_zero(slots);
  for (; list > 2; --list) slots &= slots - 1, slot = std::countr_zero(slots);
  return std::string(kOptimizerStates[rule].slots[slot].name);
}

void check_number(const ShapeContext& c, int i, const char* op, const char* what) {
  if (!c.has(i) || c.in(i).numel() != 1 || c.in(i).dtype() != DType::f32)
    fail(Code::invalid_argument, concat("[", op, "] ", what, " must be one float32 number"), {}, "state");
}

void check_float(const ShapeContext& c, int i, const char* op) {
  if (!c.has(i) || !is_float(c.in(i).dtype()))
    fail(Code::dtype, concat("[", op, "] tensor ", i, " is no tensor of a floating type"), {}, "tensors");
}

}  // namespace

SHAPE(optimizer_step) {
  const int64_t rule = c.attrs.i(0), n = c.attrs.i(1);
  const uint64_t slots = uint64_t(c.attrs.i(2));
  if (rule < 0 || rule >= kOptimizerCount)
    fail(Code::invalid_argument, concat("[optimizer_step] rule ", rule, " does not exist"), {}, "rule");
  const unsigned always = kOptimizerStates[rule].always();
  if ((slots & always) != always || slots >> kOptimizerStates[rule].count)
    fail(Code::invalid_argument,
         concat("[optimizer_step] ", kOptimizerNames[rule], " has no such set of slots: ", int64_t(slots)),
         {}, "slots");
  const int64_t lists = 2 + std::popcount(slots);
  const int64_t gate = c.n_in() - n * lists;
  const bool numbers = kOptimizerStates[rule].number_count > 0;
  if (n < 0 || n > c.n_in() || (gate != 0 && gate != 2 + numbers))
    fail(Code::invalid_argument,
         concat("[optimizer_step] ", lists, " lists of ", n, " tensors were announced, ", c.n_in(),
                " tensors given"),
         {}, "lists");
  if (gate) {
    check_number(c, int(n * lists), "optimizer_step", "found");
    check_number(c, int(n * lists + 1), "optimizer_step", "skipped");
    const int kept = int(n * lists + 2);
    if (numbers && (!c.has(kept) || c.in(kept).numel() != kMaxNumbers || c.in(kept).dtype() != DType::f64 ||
                    !c.in(kept).is_contiguous()))
      fail(Code::invalid_argument,
           concat("[optimizer_step] numbers must be ", kMaxNumbers, " float64 numbers, dense"), {}, "state");
  }
  for (int64_t i = 0; i < n; ++i) {
    const Tensor& p = c.in(int(i));
    for (int64_t k = 0; k < lists; ++k) {
      auto what = [&] { return concat("[optimizer_step] ", list_name(rule, slots, k), " ", i); };
      if (!c.has(int(k * n + i))) fail(Code::invalid_argument, what() + " is missing", {}, "lists");
      const Tensor& t = c.in(int(k * n + i));
      if (!is_float(t.dtype()))
        fail(Code::dtype, concat(what(), " is ", dtype_name(t.dtype()), ", wanted a floating type"),
             "cast it", "lists");
      if (!std::ranges::equal(t.sizes(), p.sizes()))
        fail(Code::shape, concat(what(), " has shape ", t.sizes(), ", its parameter ", p.sizes()), {},
             "lists");
      if ((t.dtype() == DType::f64) != (p.dtype() == DType::f64))
        fail(Code::dtype,
             concat(what(), " is ", dtype_name(t.dtype()), ", its parameter ", dtype_name(p.dtype())),
             "cast it", "lists");
    }
  }
}

SHAPE(amp_unscale) {
  const int64_t n = c.attrs.i(0);
  if (n < 0 || c.n_in() != n + 2)
    fail(Code::invalid_argument,
         concat("[amp_unscale] ", n, " gradients and two numbers were announced, ", c.n_in(),
                " tensors given"),
         {}, "grads");
  for (int i = 0; i < n; ++i) check_float(c, i, "amp_unscale");
  check_number(c, int(n), "amp_unscale", "the scale");
  check_number(c, int(n + 1), "amp_unscale", "found");
}

SHAPE(foreach_norm) {
  DType t = DType::f32;
  for (int i = 0; i < c.n_in(); ++i) {
    check_float(c, i, "foreach_norm");
    if (c.in(i).dtype() == DType::f64) t = DType::f64;
  }
  const int64_t n = c.n_in();
  c.out(0, t, IntList(&n, 1));
}

SHAPE(foreach_mul) {
  const int64_t n = c.attrs.i(0);
  if (n < 0 || c.n_in() != n + 1)
    fail(Code::invalid_argument,
         concat("[foreach_mul] ", n, " tensors and a factor were announced, ", c.n_in(), " tensors given"),
         {}, "tensors");
  for (int i = 0; i < n; ++i) check_float(c, i, "foreach_mul");
  const DType t = c.has(int(n)) ? c.in(int(n)).dtype() : DType::none;
  if ((t != DType::f32 && t != DType::f64) || c.in(int(n)).numel() != 1)
    fail(Code::invalid_argument, "[foreach_mul] the factor must be one number of float32 or float64", {},
         "factor");
}

SHAPE(amp_update) {
  if (c.attrs.i(0) != 2 || c.n_in() < 3)
    fail(Code::invalid_argument,
         concat("[amp_update] wants the scale, its count and what was found, ", c.n_in(), " tensors given"),
         {}, "state");
  for (int i = 0; i < c.n_in(); ++i)
    check_number(c, i, "amp_update",
                 i == 0   ? "the scale"
                 : i == 1 ? "the count of good steps"
                          : "what was found");
}

}  // namespace haft
