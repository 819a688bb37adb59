// The nine checks, each a function of a record; harness_test.cpp makes a test of every pair.
#pragma once
#include "tests/ops/record.h"
#include "tests/ops/values.h"

namespace haft::test {

void check_forward(const Record&);   // results against the float64 reference; in-place and out forms
void check_gradient(const Record&);  // first derivatives against differences
void check_second(const Record&);    // second derivatives; fused gradients against differentiable ones
void check_dtypes(const Record&);    // which dtypes work, what they give, how they mix
void check_layouts(const Record&);   // strides, expansion, blocked layouts, NaN and infinities
void check_device(const Record&);    // a device of its own address space answers as the CPU does
void check_capture(const Record&);   // the call records alone reproduce forward and backward
void check_errors(const Record&);    // refusals: code, words, nothing changed
void check_batching(const Record&);  // under vmap: what a loop over examples gives

}  // namespace haft::test
