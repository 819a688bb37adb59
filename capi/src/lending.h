// Handles for the arguments of a caller's callback: lent ones die with the call, taken ones become haft's.
#pragma once
#include <span>
#include <vector>

#include "capi/src/boundary.h"

namespace haft::capi {

// Tensors lent to a callback, released when it returns, whatever it did.
class LentTensors {
  std::vector<haft_tensor*> handles_;

 public:
  explicit LentTensors(std::span<const Tensor> ts) {
    handles_.reserve(ts.size());
    for (const Tensor& t : ts) {
      handles_.push_back(nullptr);
      if (!t) continue;
      Tensor own = t;
      handles_.back() = static_cast<haft_tensor*>(new_handle(HandleType::tensor, own.impl()));
      own.take().leak();
    }
  }
  ~LentTensors() {
    for (haft_tensor* h : handles_) release_handle(h, HandleType::tensor);
  }
  LentTensors(const LentTensors&) = delete;
  haft_tensor* const* data() const { return handles_.data(); }
  int64_t size() const { return int64_t(handles_.size()); }
};

// Places where a callback leaves owned handles; they are taken over, also when something fails halfway.
class TakenTensors {
  std::vector<haft_tensor*> handles_;

 public:
  explicit TakenTensors(size_t room) : handles_(room) {}
  ~TakenTensors() {
    for (haft_tensor* h : handles_) release_handle(h, HandleType::tensor);
  }
  TakenTensors(const TakenTensors&) = delete;
  haft_tensor** data() { return handles_.data(); }
  // The i-th tensor; undefined where the place stayed NULL.
  Tensor get(size_t i) const { return optional_arg(handles_[i], 0, "output"); }
};

}  // namespace haft::capi
