// How bytes go between host and devices.
#include <algorithm>
#include <cstring>

#include "core/backend/commit.h"
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/tensor/host_allocator.h"

namespace haft {

namespace {

constexpr int64_t kStaging = int64_t(16) << 20;  // host memory for copies between device types

struct PassedEvent {
  Device device;
  haft_raw_event event;
  explicit PassedEvent(Device d) : device(d), event(create_event(d)) {}
  ~PassedEvent() { destroy_event(device, event); }
  PassedEvent(const PassedEvent&) = delete;
};

void check(int32_t status, char (&error)[512], int64_t bytes, Device from, Device to) {
  error[sizeof error - 1] = 0;
  if (status) [[unlikely]]
    fail_backend(status, error, concat("copy of ", bytes, " bytes from ", from, " to ", to));
}

void copy_from_host(Device to, void* dst, const void* src, int64_t bytes, uint32_t flags) {
  char error[512] = "";
  check(backend(to).table.copy_from_host(to.index, dst, src, bytes, current_stream(to), flags, error,
                                         sizeof error),
        error, bytes, Device{}, to);
}

void copy_to_host(void* dst, Device from, const void* src, int64_t bytes, uint32_t flags) {
  char error[512] = "";
  check(backend(from).table.copy_to_host(from.index, dst, src, bytes, current_stream(from), flags, error,
                                         sizeof error),
        error, bytes, from, Device{});
}

void copy_within_type(Device to, void* dst, Device from, const void* src, int64_t bytes) {
  const BackendEntry& b = backend(to);
  char error[512] = "";
  auto copy = [&] {
    check(b.table.copy_peer(to.index, dst, from.index, src, bytes, current_stream(to), error, sizeof error),
          error, bytes, from, to);
  };
  if (to == from || !b.has_streams()) return copy();
  // The copy runs on the destination's stream: after what the source's stream has to do, and before what it
  // does next.
  PassedEvent written(from), copied(to);
  record_event(from, written.event, current_stream(from));
  wait_event(to, written.event, current_stream(to));
  copy();
  record_event(to, copied.event, current_stream(to));
  wait_event(from, copied.event, current_stream(from));
}

}  // namespace

void copy_bytes(Device to, void* dst, Device from, const void* src, int64_t bytes, bool blocking) {
  if (bytes <= 0) return;
  if (to.is_cpu() && from.is_cpu()) {
    std::memmove(dst, src, size_t(bytes));
    return;
  }
  fail_if_forked(to.is_cpu() ? from : to);
  if (from.is_cpu()) {
    copy_from_host(to, dst, src, bytes, blocking ? HAFT_COPY_BLOCKING : 0);
  } else if (to.is_cpu()) {
    copy_to_host(dst, from, src, bytes, HAFT_COPY_BLOCKING);
  } else if (to.type == from.type) {
    copy_within_type(to, dst, from, src, bytes);
    if (blocking) synchronize_stream(to, current_stream(to));
  } else {
    HostBuffer staging(std::min(bytes, kStaging));
    for (int64_t done = 0; done < bytes; done += kStaging) {
      int64_t n = std::min(bytes - done, kStaging);
      copy_bytes(Device{}, staging.data(), from, static_cast<const char*>(src) + done, n, true);
      copy_bytes(to, static_cast<char*>(dst) + done, Device{}, staging.data(), n, blocking);
    }
  }
}

void copy_between(Storage& to, void* dst, Storage& from, const void* src, int64_t bytes, bool blocking) {
  if (bytes <= 0) return;
  check_committed(to, "copy", dst);
  check_committed(from, "copy", src);
  const Device d = to.device.is_cpu() ? from.device : to.device;
  if (d.is_cpu()) return copy_bytes(to.device, dst, from.device, src, bytes, blocking);
  // What lies on a device is in use until its stream has passed, also where it was made for another.
  for (Storage* s : {&to, &from})
    if (!s->device.is_cpu()) record_stream(*s, s->device, current_stream(s->device));
  Storage* host = to.device.is_cpu() ? &to : from.device.is_cpu() ? &from : nullptr;
  if (!host || host->pinned != d.type) return copy_bytes(to.device, dst, from.device, src, bytes, blocking);
  if (!blocking) record_stream(*host, d, current_stream(d));
  const uint32_t flags = HAFT_COPY_PINNED | (blocking ? HAFT_COPY_BLOCKING : 0);
  if (host == &to)
    copy_to_host(dst, d, src, bytes, flags);
  else
    copy_from_host(d, dst, src, bytes, flags);
}

}  // namespace haft
