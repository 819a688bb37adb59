#include "core/backend/commit.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/base/system_memory.h"
#include "core/tensor/host_allocator.h"

namespace haft {

constinit std::atomic<int> detail::gap_counts[kMaxDeviceTypes]{};

namespace {

constexpr int64_t kStays = -1;

// Storages without memory. Kernels see addresses only.
struct Gap {
  const char *begin, *end;
  Device device;
  int64_t given_back;  // kStays: the memory is there; otherwise, of the host's: bytes of whole pages
  std::shared_ptr<const Absentee> who;
};

struct Gaps {
  std::mutex mutex;
  std::vector<Gap> all;

  // Under the mutex. While the CPU has any, its kernels are not called just so.
  void count_by(Device d, int n) {
    const bool none = detail::gap_counts[d.type].fetch_add(n, std::memory_order_relaxed) + n == 0;
    if (d.is_cpu()) backend(d).plain.store(none, std::memory_order_relaxed);
  }
};
Gaps& gaps() {
  static auto& g = *new Gaps;  // storages die until the very end of the process
  return g;
}

enum class Then { keep, remove };

Gap gap_of(const Storage& s, Then then) {
  Gaps& g = gaps();
  std::lock_guard lock(g.mutex);
  auto it = std::ranges::find_if(
      g.all, [&](const Gap& gap) { return gap.begin == s.data && gap.device == s.device; });
  if (then == Then::keep) return *it;
  const Gap found = std::move(*it);
  if (&*it != &g.all.back()) *it = std::move(g.all.back());
  g.all.pop_back();
  g.count_by(s.device, -1);
  return found;
}

// A few bytes lie in the storage itself and stay there.
void drop_inline(Storage& s) { gap_of(s, Then::remove); }

void check_can(const Storage& s) {
  if (s.pinned || !is_from_source(s))
    fail(Code::unsupported,
         concat("decommit: the memory on ", s.device, s.pinned ? " is pinned" : " belongs to somebody else"),
         "a clone() has memory of its own");
  if (s.device.is_cpu()) return;
  fail_if_forked(s.device);
  if (!backend(s.device).table.decommit)
    fail(Code::unsupported,
         concat("decommit: device type ", backend(s.device).name, " keeps memory under its addresses"),
         "move the tensor to the host and back instead");
}

[[noreturn]] void fail_gap(const Gap& gap, std::string_view where, std::string what, const void* address) {
  if (!gap.who)
    fail(Code::invalid_argument, concat("[", where, "] ", what, " was decommitted: it has no memory"),
         "commit it and write what it is to hold");
  fail(Code::invalid_argument,
       concat("[", where, "] ", what, " is ", gap.who->name_at(address), ", which has no memory now"),
       gap.who->hint);
}

// Whether there was something to give back.
bool give_back(Storage& s, std::shared_ptr<const Absentee> who, bool stays) {
  if (s.absent || !s.bytes) return false;
  check_can(s);
  {
    Gaps& g = gaps();
    std::lock_guard lock(g.mutex);
    g.all.reserve(g.all.size() + 1);
    Gap gap{static_cast<const char*>(s.data), static_cast<const char*>(s.data) + s.bytes, s.device,
            stays ? kStays : 0, std::move(who)};
    if (s.device.is_cpu() && s.release && !stays)
      gap.given_back = gap.who && !system_can_decommit() ? kStays : host_decommit(s.data, s.bytes);
    else if (s.device.is_cpu() && !s.release)
      s.release = drop_inline;
    g.all.push_back(std::move(gap));
    g.count_by(s.device, 1);
  }
  // Without the mutex: a device may wait for what is enqueued, a collective among it, whose other ranks may be
  // threads that ask for gaps.
  if (!s.device.is_cpu() && !stays) {
    try {
      detail::device_decommit(s);
    } catch (...) {
      gap_of(s, Then::remove);
      throw;
    }
  }
  s.absent = 1;
  return true;
}

}  // namespace

void decommit(Storage& s) {
  if (give_back(s, nullptr, false)) s.bump();
}

void decommit_until_restored(Storage& s, std::shared_ptr<const Absentee> who, bool stays) {
  give_back(s, std::move(who), stays);
}

void commit(Storage& s) {
  if (!s.absent) return;
  if (!s.device.is_cpu()) {
    fail_if_forked(s.device);
    if (gap_of(s, Then::keep).given_back != kStays) detail::device_commit(s);
  } else if (s.release == drop_inline) {
    s.release = nullptr;
  } else if (const int64_t given_back = gap_of(s, Then::keep).given_back; given_back != kStays) {
    host_commit(s.bytes, given_back);
  }
  gap_of(s, Then::remove);
  s.absent = 0;
}

void fail_decommitted(const Storage& s, std::string_view where, const void* address) {
  fail_gap(gap_of(s, Then::keep), where, "the tensor", address);
}

void detail::check_committed(const haft_kernel_call& call, Device d, std::string_view where) {
  if (!has_gaps(d)) return;
  Gaps& g = gaps();
  std::lock_guard lock(g.mutex);
  auto look = [&](const haft_tensor_view* const* list, int n, const char* what) {
    for (int i = 0; i < n; ++i)
      if (list[i] && list[i]->numel)
        for (const Gap& gap : g.all)
          if (auto p = static_cast<const char*>(list[i]->data);
              p >= gap.begin && p < gap.end && gap.device == d)
            fail_gap(gap, where, concat(what, i), p);
  };
  look(call.in, call.n_in, "input ");
  look(call.out, call.n_out, "output ");
}

void detail::free_decommitted(Storage& s) noexcept {
  const Gap gap = gap_of(s, Then::remove);
  if (!s.device.is_cpu() && gap.given_back == kStays)
    device_free(s.device, {s.data, static_cast<StreamBlocks*>(s.home)}, s.bytes);
  else if (!s.device.is_cpu())
    device_free_decommitted(s);
  else if (gap.given_back == kStays)
    host_free(s.data, s.bytes);
  else
    host_free_decommitted(s.data, s.bytes, gap.given_back);
}

}  // namespace haft
