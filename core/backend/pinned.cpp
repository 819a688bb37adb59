#include "core/backend/pinned.h"

#include <atomic>
#include <mutex>

#include "core/backend/cache.h"
#include "core/backend/registry.h"
#include "core/backend/stream_use.h"

namespace haft {

namespace {

// Of one device type. Blocks wait for streams before they come back (stream_use.h), so one list serves all.
class PinnedCache final : public BlockCache {
  const BackendEntry& backend_;

  void* obtain(int64_t bytes, int64_t size, haft_raw_stream) override {
    char error[512] = "";
    void* p = nullptr;
    int32_t status = backend_.table.pinned_alloc(0, size, &p, error, sizeof error);
    if (status == int32_t(Code::out_of_memory)) {
      drain();
      status = backend_.table.pinned_alloc(0, size, &p, error, sizeof error);
    }
    error[sizeof error - 1] = 0;
    if (status == int32_t(Code::out_of_memory)) fail_memory(bytes, error);
    if (status) fail_backend(status, error, where());
    if (!p) fail(Code::internal, concat(where(), ": the device answered NULL for ", size, " bytes"));
    return p;
  }
  void give_back(void* p, int64_t size, haft_raw_stream) noexcept override {
    backend_.table.pinned_free(0, p, size);
  }
  bool reclaim() override { return retired.reap(); }
  std::string where() const override { return concat("of pinned host memory for ", backend_.name); }

 public:
  RetiredStorages retired;
  explicit PinnedCache(uint16_t type) : backend_(backend(type)) {}
};

std::atomic<PinnedCache*> caches[kMaxDeviceTypes];

PinnedCache& cache(uint16_t type) {
  if (PinnedCache* c = caches[type].load(std::memory_order_acquire)) return *c;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto& slot = caches[type];
  if (!slot.load(std::memory_order_relaxed)) slot.store(new PinnedCache(type), std::memory_order_release);
  return *slot.load(std::memory_order_relaxed);
}

// Of d's type, or of all types for the host; those that have been asked for memory. The child of a fork() has none.
template <class F>
void each_cache(Device d, F&& f) {
  if (in_forked_child()) return;
  for (uint16_t t = 0; t < kMaxDeviceTypes; ++t)
    if (d.is_cpu() || t == d.type)
      if (PinnedCache* c = caches[t].load(std::memory_order_acquire)) f(*c);
}

void release_pinned(Storage& s) {
  if (in_forked_child()) return;
  auto& list = *static_cast<StreamBlocks*>(s.home);
  list.cache.free(list, s.data, s.bytes);
}

}  // namespace

Ref<Storage> new_pinned_storage(Device d, int64_t bytes) {
  if (d.is_cpu() || !backend(d).table.pinned_alloc || bytes == 0)
    return new_storage(thread_state(), Device{}, bytes);
  fail_if_forked(d);
  check_device(d);
  StreamBlocks& list = cache(d.type).list_of(0);
  void* p = list.cache.alloc(list, bytes);
  Ref<Storage> s;
  try {
    s = wrap_storage(Device{}, p, bytes, release_pinned, nullptr);
  } catch (...) {
    list.cache.free(list, p, bytes);
    throw;
  }
  s->pinned = d.type;
  s->home = &list;
  return s;
}

BlockStats pinned_memory_stats(Device d) {
  BlockStats sum{};
  each_cache(d, [&](PinnedCache& c) {
    const BlockStats b = c.stats();
    sum.live += b.live, sum.peak += b.peak, sum.reserved += b.reserved;
    sum.allocations += b.allocations, sum.hits += b.hits;
  });
  return sum;
}

int64_t pinned_memory_trim(Device d) {
  int64_t freed = 0;
  each_cache(d, [&](PinnedCache& c) {
    c.retired.reap();
    const int64_t before = c.stats().reserved;
    c.drain();
    freed += before - c.stats().reserved;
  });
  return freed;
}

void detail::retire_pinned(Storage& s) noexcept { cache(s.pinned).retired.add(s); }

}  // namespace haft
