// Memory that a kernel borrows for the work it enqueues (haft_backend_host.scratch): from the cache of the
// call's stream, back there when the kernel has returned.
#pragma once
#include <haft/backend.h>

#include "core/backend/memory.h"
#include "core/base/small_vec.h"

namespace haft {

// What one call has borrowed; haft_kernel_call.engine points to it.
class KernelScratch {
  struct Piece {
    DeviceBlock block;
    int64_t bytes = 0;
  };
  const Device device_;
  SmallVec<Piece, 4> pieces_;

 public:
  explicit KernelScratch(Device d) : device_(d) {}
  ~KernelScratch();
  KernelScratch(const KernelScratch&) = delete;
  void* take(int64_t bytes);
};

// The slot of the host's table.
int32_t kernel_scratch(const haft_kernel_call* call, int64_t bytes, void** out);

}  // namespace haft
