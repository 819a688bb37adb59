// Bytes between the host and devices.
#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

namespace {

// CUDA has read or written memory that is not pinned when the call returns; of pinned memory it only promises to.
void copy(int device, void* to, const void* from, int64_t bytes, CopyKind kind, haft_raw_stream raw,
          uint32_t flags, const char* what) {
  const Stream s = stream_of(device, raw);
  const bool waits = flags & HAFT_COPY_BLOCKING || !(flags & HAFT_COPY_PINNED);
  if (bytes) check(runtime().copy_async(to, from, size_t(bytes), kind, s), what);
  // Of host memory that is not pinned the driver has a copy on return.
  if (flags & HAFT_COPY_BLOCKING || (waits && kind == kDeviceToHost)) {
    check(runtime().stream_synchronize(s), what);
    throw_fault(device);
  }
}

int32_t copy_to_host(int32_t index, void* dst, const void* src, int64_t bytes, haft_raw_stream s,
                     uint32_t flags, char* error, uint32_t size) {
  return guard_on(index, error, size,
                  [&] { copy(index, dst, src, bytes, kDeviceToHost, s, flags, "a copy to the host"); });
}
int32_t copy_from_host(int32_t index, void* dst, const void* src, int64_t bytes, haft_raw_stream s,
                       uint32_t flags, char* error, uint32_t size) {
  return guard_on(index, error, size,
                  [&] { copy(index, dst, src, bytes, kHostToDevice, s, flags, "a copy from the host"); });
}
int32_t copy_peer(int32_t dst_index, void* dst, int32_t src_index, const void* src, int64_t bytes,
                  haft_raw_stream s, char* error, uint32_t size) {
  return guard_on(dst_index, error, size, [&] {
    const Stream stream = stream_of(dst_index, s);
    if (bytes == 0) return;
    if (dst_index == src_index)
      check(runtime().copy_async(dst, src, size_t(bytes), kDeviceToDevice, stream),
            "a copy within the device");
    else
      check(runtime().copy_peer_async(dst, dst_index, src, src_index, size_t(bytes), stream),
            "a copy between devices");
  });
}

}  // namespace

void fill_copies(haft_backend* t) {
  t->copy_to_host = copy_to_host;
  t->copy_from_host = copy_from_host;
  t->copy_peer = copy_peer;
}

}  // namespace haft::cuda
