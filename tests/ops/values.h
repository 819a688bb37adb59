// Drawing inputs, moving numbers between tensors and arrays, comparing.
#pragma once
#include <gtest/gtest.h>

#include "core/tape/tape.h"
#include "tests/ops/record.h"
#include "tests/seed.h"

namespace haft::test {

Random random_for(const Record& r, const char* check);

struct Drawn {
  std::vector<Tensor> tensors;
  Arrays arrays;  // the same numbers, after rounding to the dtype
};
// Where values lie about the points of a grid: on them, at random, or so that they and the differences of any two
// keep away from multiples of 1/32 (the kinks of most functions).
enum class Spread { grid, random, smooth };
Drawn draw(const Case& c, DType dtype, Random& random, bool smooth = false);
Array draw_array(const Input& input, size_t position, DType dtype, Random& random, Spread spread);

Tensor to_tensor(const Array& a, DType dtype);
Array to_array(const Tensor& t);
// A float64 value as the dtype holds it: rounded, wrapped or made true.
double rounded(double v, DType dtype);

Tolerance tolerance(const Record& r, DType t);
// Fails the test where they differ; NaN equals NaN.
void expect_near(const Array& got, const Array& want, Tolerance tol, const std::string& what);
void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& want, Tolerance tol,
                 const std::string& what);
constexpr Tolerance kEqual{0, 0};

// Leaves in the place of the inputs that are differentiable; `wanted` lists them.
std::vector<Tensor> make_leaves(const Case& c, const std::vector<Tensor>& inputs,
                                std::vector<Tensor>* wanted);
// Seeds for the outputs that take part in gradients; `live` lists those.
std::vector<Tensor> make_seeds(const std::vector<Tensor>& outs, std::vector<Tensor>* live, Random& random);
// Gradients of the case at these inputs; inputs that took no part give zeros.
std::vector<Tensor> gradients(const Case& c, const std::vector<Tensor>& inputs, uint64_t seed,
                              bool create_graph = false);

// The call that a functional form makes: how in-place and out forms are made from it.
struct RecordedCall {
  OpId op = OpId::count_;
  std::vector<Tensor> in, out;
  std::vector<uint64_t> words;
  bool inplace = false, into = false;
  std::vector<Tensor> given;  // what the caller gave, before casts and expansions

  RecordedCall as_called() const {
    RecordedCall r = *this;
    r.in = given;
    return r;
  }
};
// Runs f and lists every call that ran, as its kernel took it; those that prepare another stand before it.
// `host_read` receives whether values were copied to the host meanwhile.
std::vector<RecordedCall> record_calls(const std::function<void()>& f, bool* host_read = nullptr);
// Runs a recorded call again with other inputs.
std::vector<Tensor> run_call(const RecordedCall& call, const std::vector<Tensor>& in);

// Leaves garbage in the memory that the next tensors of these sizes are likely to get.
void poison(const std::vector<Tensor>& like);

}  // namespace haft::test
