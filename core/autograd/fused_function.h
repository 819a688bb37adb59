// Fused functions: a function of tensors that is traced once for each signature (core/modes/trace.h), and runs as one
// kernel where the device fuses; elsewhere its operators run one by one, as they were traced.
//
// The gradient is the composition's. It is traced, too, with stand-ins for the inputs and for the gradients of the
// results, so it is a chain that runs as one kernel and has a gradient of its own. Of an operator whose gradient is
// no chain (amax) the composition runs.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/ref.h"
#include "core/modes/trace.h"

namespace haft {

struct FusedCounts {
  std::atomic<int64_t> traces{0};
  std::atomic<int64_t> kernels{0};  // launched
  std::atomic<int64_t> unfused{0};  // runs one by one
  std::mutex mutex;
  std::string reason;  // why the last of those
};

class FusedFunction : public RefCounted {
 public:
  FusedFunction(std::string name, TracedFunction fn);
  ~FusedFunction();
  std::vector<Tensor> operator()(std::span<const Tensor> inputs);
  FusedCounts& counts() const { return *counts_; }

 private:
  struct Plan {
    std::vector<int64_t> signature;
    Ref<class FusedChain> chain;
  };
  const std::string name_;
  const TracedFunction fn_;
  const std::shared_ptr<FusedCounts> counts_ = std::make_shared<FusedCounts>();
  std::mutex mutex_;
  std::vector<Plan> plans_;  // the one used last is first
};

}  // namespace haft
