// How operators take batched tensors (tensor/batched.h): one call of their kernel for all examples where a rule says
// how, otherwise one for each.
#pragma once
#include <functional>

#include "core/dispatch/batching.h"
#include "core/dispatch/shape_context.h"
#include "core/ops/arithmetic.h"

namespace haft {

void batch_call(const Call& c);  // the mode's handler

// A GENERAL operator's call at one level, one level down.
struct BatchCall {
  OpId op;
  int64_t size;            // how many examples
  Inputs logical;          // as an example sees them
  std::vector<Tensor> in;  // the same with the examples in dimension 0, where `many`
  std::vector<bool> many;
  std::vector<uint64_t> words;                 // of the call
  std::span<const ShapeContext::Out> results;  // sizes and dtypes of an example's
  std::span<Tensor>
      out;  // wanted, with the examples in dimension 0; a rule may leave them in any shape of as many elements

  AttrReader attrs() const { return {words.data()}; }
  int64_t ndim(size_t i) const { return logical[i]->ndim(); }
  bool has(size_t i) const { return i < in.size() && in[i].defined(); }
  bool any(std::initializer_list<size_t> inputs) const;
  Tensor all(size_t i) const;  // input i with the examples in front, whether they differ or not
  void set_ints(int at, IntList list);
  // Calls the operator with `in` and `words`.
  void run();
};

// NULL: a call for each example.
using BatchRule = void (*)(BatchCall&);
BatchRule batch_rule(OpId op);
// The call for each example; `step`: how many blocks of random numbers one has after the other.
void loop_over_examples(BatchCall& b, int64_t step);

// Calls f for results that were computed of inputs: at their own level, then at each one below, where an input that
// lacks the examples of the results gets them.
void at_each_level(std::vector<Tensor> inputs, std::vector<Tensor> results,
                   const std::function<void(std::span<const Tensor> inputs, std::span<Tensor> results)>& f);

// dims of an example, behind the examples.
Shape behind_examples(IntList dims, int64_t ndim);
Shape with_examples(int64_t size, IntList sizes);

}  // namespace haft
