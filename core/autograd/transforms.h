// Functions of functions: products with a Jacobian or a Hessian, and these matrices themselves. The function is called
// once; what it computes is recorded whatever the thread's mode.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace haft {

using TensorsFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

struct TransformOptions {
  bool create_graph = false;  // results are recorded, and depend on inputs that require a gradient
  bool strict = false;        // an output that does not depend on an input is an error instead of zeros
  int64_t chunk_size = 0;     // of a Jacobian: how many rows a walk makes; 0: as many as memory allows
};

struct Products {
  std::vector<Tensor> outputs, products;
};

// v^T J, one product for each input. vectors: one for each output; none at all: 1, for a single output of one element.
Products vjp(const TensorsFunction& fn, std::span<const Tensor> inputs, std::span<const Tensor> vectors,
             TransformOptions options = {});
// J v, one product for each output: the gradient of v^T J for v, since that is linear. vectors: one for each input;
// none: 1, for a single input of one element.
Products jvp(const TensorsFunction& fn, std::span<const Tensor> inputs, std::span<const Tensor> vectors,
             TransformOptions options = {});
// For each output and each input, in this order, a tensor of both shapes, one after the other.
std::vector<Tensor> jacobian(const TensorsFunction& fn, std::span<const Tensor> inputs,
                             TransformOptions options = {});
// Of a function with one output of one element: for each pair of inputs a tensor of both shapes.
std::vector<Tensor> hessian(const TensorsFunction& fn, std::span<const Tensor> inputs,
                            TransformOptions options = {});
// H v of such a function, which is v^T H as well.
Products hvp(const TensorsFunction& fn, std::span<const Tensor> inputs, std::span<const Tensor> vectors,
             TransformOptions options = {});

}  // namespace haft
