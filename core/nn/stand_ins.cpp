#include "core/nn/stand_ins.h"

#include <utility>

namespace haft::nn {

constinit thread_local const StandIns::Use* StandIns::in_use_ __attribute__((tls_model("initial-exec"))) =
    nullptr;

const Tensor& StandIns::find(const Tensor& own) {
  for (const Use* use = in_use_; use; use = use->before_)
    if (const auto at = use->own_.others_.find(own.impl()); at != use->own_.others_.end()) return at->second;
  return own;
}

StandIns::Use::Use(const StandIns& s) : own_(s), before_(std::exchange(in_use_, this)) {
  threads_.fetch_add(1, std::memory_order_relaxed);
}
StandIns::Use::~Use() {
  threads_.fetch_sub(1, std::memory_order_relaxed);
  in_use_ = before_;
}

}  // namespace haft::nn
