// Handles for the arguments of a caller's callback: lent ones die with the call, taken ones become haft's.
#pragma once
#include <haft/autograd.h>

#include <functional>
#include <memory>
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

// A caller's function of tensors; `data` goes with it.
inline std::function<std::vector<Tensor>(std::span<const Tensor>)> function_arg(
    haft_tensors_function fn, std::shared_ptr<UserData> data, int index = 0) {
  if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", index, "fn");
  return [fn, data](std::span<const Tensor> in) {
    LentTensors lent(in);
    TakenTensors taken(HAFT_MAX_FUNCTION_OUTPUTS);
    int64_t count = 0;
    call_back("the function", [&] { return fn(lent.data(), lent.size(), taken.data(), &count, data->user); });
    if (count < 0 || count > HAFT_MAX_FUNCTION_OUTPUTS)
      fail(Code::callback, concat("the function says that it answered ", count,
                                  " tensors, there is room for ", HAFT_MAX_FUNCTION_OUTPUTS));
    std::vector<Tensor> out;
    for (int64_t i = 0; i < count; ++i) {
      out.push_back(taken.get(size_t(i)));
      if (!out.back().defined()) fail(Code::callback, concat("the function left its output ", i, " empty"));
    }
    return out;
  };
}

}  // namespace haft::capi
