// Memory that a kernel borrows for the work it enqueues (haft_backend_host.scratch): from the cache of the call's
// stream, back there when the kernel has returned.
#pragma once
#include <haft/backend.h>

#include <vector>

#include "core/tensor/device.h"

namespace haft {

// What one call has borrowed; haft_kernel_call.engine points to it.
class KernelScratch {
  struct Piece {
    void* p;
    int64_t bytes;
  };
  const Device device_;
  const haft_raw_stream stream_;
  std::vector<Piece> pieces_;

 public:
  KernelScratch(Device d, haft_raw_stream s) : device_(d), stream_(s) {}
  ~KernelScratch();
  KernelScratch(const KernelScratch&) = delete;
  void* take(int64_t bytes);
};

// The slot of the host's table.
int32_t kernel_scratch(const haft_kernel_call* call, int64_t bytes, void** out);

}  // namespace haft
