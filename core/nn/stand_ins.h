// Tensors that modules use in place of their own while a thread runs them: copies on another device, what
// parametrizations compute, tensors that a call brings. So a model runs with them whatever its modules are made of, a
// user's callbacks included; nobody has to know how to copy a module.
#pragma once
#include <atomic>
#include <map>

#include "core/tensor/tensor.h"

namespace haft::nn {

class StandIns {
 public:
  void add(const Tensor& own, Tensor other) { others_.emplace(own.impl(), std::move(other)); }

  // What the thread's modules use for a tensor of theirs.
  static const Tensor& of(const Tensor& own) {
    if (threads_.load(std::memory_order_relaxed) == 0) [[likely]]
      return own;
    return find(own);
  }

  // While it lives the thread uses them, and those of before for what they have not.
  class Use {
    friend class StandIns;
    const StandIns& own_;
    const Use* before_;

   public:
    explicit Use(const StandIns& s);
    ~Use();
    Use(const Use&) = delete;
  };

 private:
  static const Tensor& find(const Tensor& own);
  static constinit thread_local const Use* in_use_ __attribute__((tls_model("initial-exec")));
  inline static std::atomic<int32_t> threads_{0};  // that use any

  std::map<const TensorImpl*, Tensor> others_;
};

}  // namespace haft::nn
