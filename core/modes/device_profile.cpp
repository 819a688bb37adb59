#include "core/modes/device_profile.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "core/backend/registry.h"

namespace haft {

namespace {

// Callers of a profile: its number above, theirs below.
constexpr int kCallerBits = 40;

std::mutex profiles_mutex;
std::vector<DeviceProfile*>& profiles() {
  static auto* all = new std::vector<DeviceProfile*>;  // threads may end after static objects
  return *all;
}
std::vector<uint64_t>& numbers() {
  static auto* all = new std::vector<uint64_t>;
  return *all;
}
std::atomic<uint64_t> last_profile{0};

}  // namespace

DeviceProfile::DeviceProfile(bool rows, bool ranges)
    : rows_(rows), ranges_(ranges), first_(++last_profile << kCallerBits) {
  types_.reserve(kMaxDeviceTypes);
  notes_.reserve(2 * kMaxDeviceTypes);
  {
    std::lock_guard lock(profiles_mutex);
    profiles().reserve(profiles().size() + 1);
    numbers().push_back(first_ >> kCallerBits);
    profiles().push_back(this);
  }
  join();
}

DeviceProfile::~DeviceProfile() {
  const bool here = !in_forked_child();
  while (here && depth_ > 0) leave();
  for (const Type& t : types_) {
    if (!here || !t.rows) continue;
    backend(t.type).table.profile_leave();
    backend(t.type).table.profile_stop();
  }
  std::lock_guard lock(profiles_mutex);
  const auto at = std::find(profiles().begin(), profiles().end(), this) - profiles().begin();
  profiles().erase(profiles().begin() + at);
  numbers().erase(numbers().begin() + at);
}

void DeviceProfile::join() noexcept {
  for (uint16_t type = kCuda; type < kMaxDeviceTypes; ++type) {
    const BackendEntry* e = detail::backends[type].load(std::memory_order_acquire);
    if (!e || known_ >> type & 1) continue;
    known_ |= 1u << type;
    if (in_forked_child()) continue;
    bool rows = rows_ && e->table.profile_start;
    char error[512] = "";
    if (rows && e->table.profile_start(error, sizeof error)) rows = false;
    error[sizeof error - 1] = 0;
    const char* const why = rows || !rows_ ? "" : error[0] ? error : "its plug-in notes nothing";
    try {
      if (why[0]) notes_.push_back(concat(e->name, ": ", why));
    } catch (const std::bad_alloc&) {  // the rows are missing without a word
    }
    const bool ranges = ranges_ && e->table.range_push;
    if (rows) e->table.profile_enter(first_);
    if (rows || ranges) types_.push_back({type, rows, ranges, depth_});
  }
}

void DeviceProfile::enter(const char* name, uint64_t caller) noexcept {
  join();
  ++depth_;
  for (const Type& t : types_) {
    if (t.rows) backend(t.type).table.profile_enter(caller);
    if (t.ranges) backend(t.type).table.range_push(name);
  }
}

void DeviceProfile::leave() noexcept {
  --depth_;
  for (Type& t : types_) {
    if (t.base > depth_) {
      t.base = depth_;
      continue;
    }
    if (t.ranges) backend(t.type).table.range_pop();
    if (t.rows) backend(t.type).table.profile_leave();
  }
}

void DeviceProfile::read() {
  if (in_forked_child()) return;
  for (const Type& t : types_) {
    if (!t.rows) continue;
    struct Taking {
      uint16_t type;
      bool short_of_memory = false;
    } taking{t.type};
    char error[512] = "";
    const int32_t status = backend(t.type).table.profile_read(
        [](void* context, const haft_profiled* what) {
          auto* taken = static_cast<Taking*>(context);
          std::lock_guard lock(profiles_mutex);
          for (size_t i = 0; i < profiles().size(); ++i)
            if (numbers()[i] == what->caller >> kCallerBits) {
              try {
                profiles()[i]->take(taken->type, *what);
              } catch (const std::bad_alloc&) {
                taken->short_of_memory = true;
              }
            }
        },
        &taking, error, sizeof error);
    error[sizeof error - 1] = 0;
    if (status)
      notes_.push_back(concat(backend(t.type).name, ": ", error[0] ? error : "its plug-in gave no reason"));
    if (taking.short_of_memory) throw std::bad_alloc();
  }
}

void DeviceProfile::take(uint16_t type, const haft_profiled& what) {
  DeviceEvent e{what.name ? what.name : "",
                what.kind,
                {type, uint16_t(what.device_index)},
                what.stream,
                what.caller,
                what.start_ns,
                what.duration_ns,
                what.bytes};
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(e));
}

std::vector<DeviceEvent> DeviceProfile::events() const {
  std::lock_guard lock(mutex_);
  return events_;
}

namespace {
thread_local std::vector<uint32_t> open_ranges;  // the device types of each, a bit a type
}  // namespace

void push_range(const char* name) {
  open_ranges.reserve(open_ranges.size() + 1);
  uint32_t types = 0;
  for (uint16_t type = kCuda; type < kMaxDeviceTypes; ++type) {
    const BackendEntry* e = detail::backends[type].load(std::memory_order_acquire);
    if (!e || !e->table.range_push) continue;
    fail_if_forked({type, 0});
    e->table.range_push(name);
    types |= 1u << type;
  }
  open_ranges.push_back(types);
}

bool pop_range() {
  if (open_ranges.empty()) return false;
  const uint32_t types = open_ranges.back();
  open_ranges.pop_back();
  for (uint16_t type = kCuda; type < kMaxDeviceTypes; ++type)
    if (types >> type & 1 && !in_forked_child()) backend(type).table.range_pop();
  return true;
}

}  // namespace haft
