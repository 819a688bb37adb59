#include "core/backend/scratch.h"

#include <cstdio>
#include <new>

#include "core/base/error.h"

namespace haft {

KernelScratch::~KernelScratch() {
  for (Piece piece : pieces_) device_free(device_, piece.block, piece.bytes);
}

void* KernelScratch::take(int64_t bytes) {
  pieces_.push_back({});  // room first: memory that nobody remembers would be lost
  pieces_.back() = {device_alloc(device_, bytes), bytes};
  return pieces_.back().block.p;
}

int32_t kernel_scratch(const haft_kernel_call* call, int64_t bytes, void** out) {
  auto refuse = [&](Code code, const char* text) {
    if (call->error && call->error_size) std::snprintf(call->error, call->error_size, "%s", text);
    return int32_t(code);
  };
  if (!call->engine)
    return refuse(Code::invalid_argument, "scratch is for the call that the engine made, while it lasts");
  try {
    *out = static_cast<KernelScratch*>(call->engine)->take(bytes);
    return 0;
  } catch (const Error& e) {
    return refuse(e.code, e.message.c_str());
  } catch (const std::bad_alloc&) {
    return refuse(Code::out_of_memory, "no host memory for the records of scratch memory");
  }
}

}  // namespace haft
