// What requests look like that a session's module has answered: inputs and outputs by dtype, device and sizes. A new
// module is tried with it, and a client's mistake is told from the module's own.
#pragma once
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace haft::serve {

class Signature {
  struct Spec {
    DType dtype = DType::none;
    Device device;
    std::vector<int64_t> sizes;  // kAny where equal requests were answered with different ones
    std::string text() const;
  };
  std::vector<Spec> inputs_, outputs_;

 public:
  bool is_known() const { return !inputs_.empty(); }
  // Alike but for the rows, if there are any.
  bool fits(std::span<const Tensor> inputs, bool rows) const;
  // Of a request that was answered, under the session's mutex: what has been of a size once needs no memory again.
  // Without memory nothing is known.
  void learn(std::span<const Tensor> inputs, std::span<const Tensor> outputs, bool rows) noexcept;
  // Zeros that look like the inputs.
  std::vector<Tensor> sample() const;
  // Fails when the outputs for sample() are not what a caller of the session expects.
  void check(std::span<const Tensor> outputs) const;
};

}  // namespace haft::serve
