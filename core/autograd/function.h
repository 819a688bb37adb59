// Differentiable functions written by the user: forward once, backward when asked, any order if backward is
// written with operators.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/tape/saved_hooks.h"

namespace haft {

// What a function keeps from forward to backward.
class FunctionContext {
 public:
  std::vector<bool> needs;  // by input
  void save(const Tensor& t);
  int64_t saved_count() const { return int64_t(saved_.size()); }
  Tensor saved(int64_t i) const;  // fails with autograd when it was changed in place or freed

 private:
  friend struct CustomNode;
  struct Kept {
    Tensor value;
    uint32_t version;
    int32_t output;  // >= 0: a result of the function itself, kept without its history
    int32_t input = -1;
    std::optional<PackedTensor> packed = {};  // by saved-tensor hooks; `value` is gone then
  };
  std::vector<Kept> saved_;
  struct CustomNode* node_ = nullptr;
  bool freed_ = false;
};

struct CustomFunction : RefCounted {
  std::string name;
  std::function<std::vector<Tensor>(FunctionContext&, std::span<const Tensor>)> forward;
  // Gradients of the outputs in (undefined: unused), gradients of the inputs out (undefined: none).
  std::function<std::vector<Tensor>(FunctionContext&, std::span<const Tensor>)> backward;
};

std::vector<Tensor> apply_function(Ref<CustomFunction> fn, std::span<const Tensor> inputs);

}  // namespace haft
