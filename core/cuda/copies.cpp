// Bytes between the host and devices.
#include "core/cuda/capture.h"
#include "core/cuda/guard.h"
#include "core/cuda/kernel.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

namespace {

// Memory that is not pinned CUDA has read when the call returns, and has written once the stream was waited for. What
// somebody else has pinned it reads later, and nobody holds it until then: that is waited for, too.
void copy(int device, void* to, const void* from, int64_t bytes, CopyKind kind, haft_raw_stream raw,
          uint32_t flags, const char* what) {
  const Stream s = stream_of(device, raw);
  const bool pinned = flags & HAFT_COPY_PINNED,
             waits = flags & HAFT_COPY_BLOCKING ||
                     (!pinned && (kind == kDeviceToHost || runtime().is_pinned(from)));
  if (waits || !pinned) refuse_recording(device, s, what);
  if (bytes) check(runtime().copy_async(to, from, size_t(bytes), kind, s), what);
  if (!waits) return;
  check(runtime().stream_synchronize(s), what);
  throw_fault(device);
}

// Once for each pair: from then on what runs on `device` reads and writes the other's memory by itself.
void reach(int device, int peer) {
  std::atomic<bool>& there = device_state(device).reaches.at(size_t(peer));
  if (there.load(std::memory_order_relaxed)) return;
  int can = 0;
  check(runtime().can_access_peer(&can, device, peer), "whether devices reach each other");
  if (can) {
    const int status = runtime().enable_peer(peer);
    if (status == kPeerAccessAlreadyEnabled)
      runtime().last_error();
    else
      check(status, "access to another device");
  }
  there = true;  // where they do not, CUDA goes by way of the host
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
    if (dst_index == src_index) {
      check(runtime().copy_async(dst, src, size_t(bytes), kDeviceToDevice, stream),
            "a copy within the device");
      return;
    }
    { DeviceScope there(src_index); }  // which may not have been used yet
    reach(dst_index, src_index);
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
