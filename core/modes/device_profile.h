// What devices run while a thread's profiler is on, and the ranges that their vendors' tools get of it. The devices
// note it for the whole process; each profile keeps what its own thread has enqueued.
#pragma once
#include <haft/backend.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/device.h"

namespace haft {

struct DeviceEvent {
  std::string name;
  int32_t kind = 0;  // HAFT_PROFILED_*
  Device device;
  uint32_t stream = 0;
  uint64_t caller = 0;  // the ProfileEvent::id it was enqueued by; that of no event: outside of all of them
  int64_t start_ns = 0, duration_ns = 0, bytes = 0;
};

// Ranges of the calling thread for those tools, without a profile: of all device types that are loaded when they are
// opened.
void push_range(const char* name);
bool pop_range();  // false: none is open

// Device types that come after its beginning join with the next `enter`.
class DeviceProfile {
 public:
  DeviceProfile(bool rows, bool ranges);
  ~DeviceProfile();
  DeviceProfile(const DeviceProfile&) = delete;

  uint64_t new_caller() { return first_ + ++callers_; }
  // What the thread enqueues belongs to `caller` until the `leave` of this call.
  void enter(const char* name, uint64_t caller) noexcept;
  void leave() noexcept;

  void read();  // waits for the devices
  std::vector<DeviceEvent> events() const;
  std::span<const std::string> notes() const { return notes_; }  // "cuda: why there are no rows of it"

 private:
  struct Type {
    uint16_t type;
    bool rows, ranges;
    int base;  // how many were open when it joined: their `leave` is not for it
  };
  void join() noexcept;
  void take(uint16_t type, const haft_profiled& what);

  const bool rows_, ranges_;
  const uint64_t first_;
  uint64_t callers_ = 0;
  int depth_ = 0;
  uint32_t known_ = 0;  // types that have been asked, a bit each
  std::vector<Type> types_;
  std::vector<std::string> notes_;
  mutable std::mutex mutex_;
  std::vector<DeviceEvent> events_;  // under the mutex: another thread's `read` may bring some
};

}  // namespace haft
