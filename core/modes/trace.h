// A trace: what a function of tensors computes element by element, written down in place of being run.
//
// The function gets stand-ins: tensors of the true sizes, dtype and device over one element of memory that nobody
// writes. The mode's handler answers each call with another one, so promotion, broadcasting, autocast and the tape
// are what they are in a run.
#pragma once
#include <haft/backend.h>

#include <functional>
#include <string>
#include <vector>

#include "core/dispatch/call.h"

namespace haft {

// What was computed: steps as in haft_fused_program, and what becomes of their values.
struct Chain {
  struct Output {
    uint16_t value;
    uint8_t join = HAFT_FUSED_STORE;  // over the last dimension
    bool keepdim = true;
    DType dtype;
    Shape sizes;
  };
  std::vector<int64_t> inputs;  // those of the function that are used, by number: values 0, 1, ...
  std::vector<DType> in_dtypes;
  std::vector<haft_fused_step> steps;
  std::vector<uint64_t> words;  // attributes of all steps
  std::vector<Output> outputs;
  Shape space;  // the sizes of all values; inputs are broadcast to them

  DType dtype_of(uint16_t value) const {
    return value < in_dtypes.size() ? in_dtypes[value] : DType(steps[value - in_dtypes.size()].dtype);
  }
};

using TracedFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// Calls fn once, with a stand-in for each input. Fails with unsupported, naming the call, for what a chain cannot be:
// operators that do not compute element by element, but for casts, expansions and, last, a sum, mean, amax or amin
// over the last dimension; tensors that are no inputs; writing into inputs; reading values; results of several
// shapes. An undefined result stays out: `defined` says which are there.
Chain trace(const std::string& name, const TracedFunction& fn, std::span<const Tensor> inputs,
            std::vector<bool>* defined = nullptr);

inline bool is_tracing() { return thread_state().modes & kModeTrace; }

void trace_call(const Call& c);         // the mode's handler
void trace_host_read(const Tensor& x);  // its observer of values that are read

}  // namespace haft
