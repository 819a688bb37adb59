// A kernel that a device made of several pointwise operators (haft_fused_program).
#pragma once
#include <haft/backend.h>

#include <span>

#include "core/backend/device.h"
#include "core/base/ref.h"

namespace haft {

class FusedKernel final : public RefCounted {
  const Device device_;
  haft_raw_fused raw_ = 0;

 public:
  // Fails with unsupported and the device's reason for what it cannot fuse: run the operators then.
  FusedKernel(Device d, const haft_fused_program& program);
  ~FusedKernel();
  // On the current stream; `words` are the attributes of all steps.
  void launch(std::span<const haft_tensor_view* const> in, std::span<const haft_tensor_view* const> out,
              std::span<const uint64_t> words);
};

}  // namespace haft
