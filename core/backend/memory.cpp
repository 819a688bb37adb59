#include "core/backend/memory.h"

#include <exception>
#include <memory>
#include <mutex>
#include <ranges>

#include "core/backend/cache.h"
#include "core/backend/commit.h"
#include "core/backend/pinned.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/backend/stream_use.h"
#include "core/tensor/host_allocator.h"

namespace haft {

namespace {

class DeviceCache final : public BlockCache {
  const Device device_;
  const BackendEntry& backend_;
  std::atomic<int64_t> limit_{0};

  // What other threads and streams let go of meanwhile; waits for the device.
  void reclaim_all() {
    synchronize(device_);
    reclaim();
  }

  void* obtain(int64_t bytes, int64_t size, haft_raw_stream s) override {
    char error[512] = "";
    void* p = nullptr;
    int32_t status = backend_.table.alloc(device_.index, size, s, &p, error, sizeof error);
    if (status == int32_t(Code::out_of_memory)) {
      reclaim_all();
      drain();
      trim_backend();
      synchronize(device_);  // frees are in the order of streams
      status = backend_.table.alloc(device_.index, size, s, &p, error, sizeof error);
      if (!status) note_retry();
    }
    error[sizeof error - 1] = 0;
    if (status == int32_t(Code::out_of_memory)) fail_memory(bytes, error);
    if (status) fail_backend(status, error, concat("memory of ", device_));
    if (!p)
      fail(Code::internal, concat("memory of ", device_, ": the device answered NULL for ", size, " bytes"));
    return p;
  }

  void give_back(void* p, int64_t size, haft_raw_stream s) noexcept override {
    backend_.table.free(device_.index, p, size, s);
  }

  bool reclaim() override { return retired.reap(); }

  void charge(int64_t bytes) override {
    int64_t limit = limit_.load(std::memory_order_relaxed);
    if (!limit || live() <= limit) return;
    reclaim_all();
    if (live() > limit) ask_host_for_memory();
    if (live() > limit) fail_memory(bytes, concat("the limit is ", limit), kMemoryLimit);
  }

  std::string where() const override { return concat("on ", device_); }

 public:
  RetiredStorages retired;

  explicit DeviceCache(Device d) : device_(d), backend_(backend(d)) {}

  void decommit(void* p, int64_t bytes) {
    char error[512] = "";
    const int64_t size = block_bytes(block_class(bytes));
    if (int32_t s = backend_.table.decommit(device_.index, p, size, error, sizeof error)) {
      error[sizeof error - 1] = 0;
      fail_backend(s, error, concat("decommit of ", bytes, " bytes on ", device_));
    }
    uncount(bytes);
  }

  void commit(void* p, int64_t bytes) {
    char error[512] = "";
    const int64_t size = block_bytes(block_class(bytes));
    auto call = [&] { return backend_.table.commit(device_.index, p, size, error, sizeof error); };
    count(bytes);
    int32_t status = call();
    if (status == int32_t(Code::out_of_memory)) {
      reclaim_all();
      drain();
      trim_backend();
      synchronize(device_);
      status = call();
    }
    if (!status) return;
    uncount(bytes);
    error[sizeof error - 1] = 0;
    if (status == int32_t(Code::out_of_memory)) fail_memory(bytes, error);
    fail_backend(status, error, concat("commit of ", bytes, " bytes on ", device_));
  }

  int64_t trim_backend() {
    int64_t freed = 0;
    char error[256];
    if (backend_.table.trim) backend_.table.trim(device_.index, &freed, error, sizeof error);
    return freed;
  }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(int64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
};

// Caches live as long as the process: tensors may be released at its very end. Read without a lock once made.
struct TypeCaches {
  const int32_t n;
  std::unique_ptr<std::atomic<DeviceCache*>[]> at;
  explicit TypeCaches(int32_t count) : n(count), at(new std::atomic<DeviceCache*>[size_t(count)]()) {}
};
std::atomic<TypeCaches*> caches[kMaxDeviceTypes];

[[gnu::cold, gnu::noinline]] DeviceCache& make_cache(Device d) {
  static std::mutex mutex;
  check_device(d);
  std::lock_guard lock(mutex);
  auto& of_type = caches[d.type];
  if (!of_type.load(std::memory_order_relaxed))
    of_type.store(new TypeCaches(device_count(d.type)), std::memory_order_release);
  auto& slot = of_type.load(std::memory_order_relaxed)->at[d.index];
  if (!slot.load(std::memory_order_relaxed)) slot.store(new DeviceCache(d), std::memory_order_release);
  return *slot.load(std::memory_order_relaxed);
}

DeviceCache& cache(Device d) {
  if (TypeCaches* t = caches[d.type % kMaxDeviceTypes].load(std::memory_order_acquire)) [[likely]]
    if (d.index < t->n) [[likely]]
      if (DeviceCache* c = t->at[d.index].load(std::memory_order_acquire)) [[likely]]
        return *c;
  return make_cache(d);
}

void alloc_storage(Storage& s) {
  if (s.device.is_cpu()) [[likely]] {
    s.data = host_alloc(s.bytes);
    return;
  }
  DeviceBlock b = device_alloc(s.device, s.bytes);
  s.data = b.p;
  s.home = b.home;
}

void free_storage(Storage& s) noexcept {
  if (s.absent) [[unlikely]]
    return detail::free_decommitted(s);
  if (s.device.is_cpu()) [[likely]]
    return host_free(s.data, s.bytes);
  device_free(s.device, {s.data, static_cast<StreamBlocks*>(s.home)}, s.bytes);
}

void retire_storage(Storage& s) noexcept {
  if (in_forked_child()) return;  // the child of a fork() owns nothing there
  if (s.pinned) return detail::retire_pinned(s);
  cache(s.device).retired.add(s);
}

}  // namespace

BlockCache& detail::device_cache(Device d) { return cache(d); }

void detail::device_decommit(Storage& s) {
  if (&static_cast<StreamBlocks*>(s.home)->cache != &cache(s.device))
    fail(Code::unsupported, concat("decommit: the memory on ", s.device, " belongs to a recording"),
         "a clone() outside the recording has memory of its own");
  cache(s.device).decommit(s.data, s.bytes);
}

void detail::device_commit(Storage& s) { cache(s.device).commit(s.data, s.bytes); }

void detail::device_free_decommitted(Storage& s) noexcept {
  if (!in_forked_child())
    cache(s.device).lose_decommitted(*static_cast<StreamBlocks*>(s.home), s.data, s.bytes);
}

bool detail::reap_retired(Device d) noexcept {
  TypeCaches* t = caches[d.type].load(std::memory_order_acquire);
  DeviceCache* c = t && d.index < t->n ? t->at[d.index].load(std::memory_order_acquire) : nullptr;
  return c && c->retired.reap();
}

MemorySource device_memory_source() { return {alloc_storage, free_storage, retire_storage}; }

DeviceBlock device_alloc(Device d, int64_t bytes) {
  if (bytes == 0) return {};
  if (d.is_cpu()) return {host_alloc(bytes), nullptr};
  fail_if_forked(d);
  StreamBlocks& list = current_list(d);
  return {list.cache.alloc(list, bytes), &list};
}

void device_free(Device d, DeviceBlock b, int64_t bytes) noexcept {
  if (!b.p) return;
  if (d.is_cpu()) return host_free(b.p, bytes);
  if (!in_forked_child()) b.home->cache.free(*b.home, b.p, bytes);
}

void record_stream(Storage& storage, Device d, haft_raw_stream s) {
  if (d.is_cpu() || !backend(d).has_streams()) return;
  fail_if_forked(d);
  if (storage.pinned) return add_stream_use(storage, d, s);
  if (storage.device != d)
    fail(Code::device, concat("record_stream: the memory is on ", storage.device, ", the stream on ", d),
         storage.device.is_cpu() ? "only pinned memory of the host is used by streams"
                                 : "give a stream of the device");
  if (!storage.release) return;  // no bytes, and no home either
  auto* home = static_cast<StreamBlocks*>(storage.home);
  if (!home || !home->serves(s)) add_stream_use(storage, d, s);
}

DeviceMemoryStats device_memory_stats(Device d) {
  DeviceMemoryStats s;
  if (d.is_cpu()) {
    HostMemoryStats h = host_memory_stats();
    s = {h.live, h.peak, h.reserved, h.allocations, h.cache_hits, h.limit};
  } else {
    fail_if_forked(d);
    BlockStats b = cache(d).stats();
    s = {b.live, b.peak, b.reserved, b.allocations, b.hits, cache(d).limit()};
    s.peak_reserved = b.peak_reserved;
    s.retries = b.retries;
    s.failures = b.failures;
  }
  const BlockStats pinned = pinned_memory_stats(d);
  s.pinned_live = pinned.live;
  s.pinned_reserved = pinned.reserved;
  const BackendEntry& backend_of = backend(d);
  haft_backend_memory info = {-1, -1};
  char error[512] = "";
  if (backend_of.table.memory_info &&
      backend_of.table.memory_info(d.index, &info, error, sizeof error) == 0) {
    s.total = info.total;
    s.free = info.free;
  }
  return s;
}

[[gnu::cold]] std::vector<Device> devices_in_use() {
  std::vector<Device> used{Device{}};
  if (in_forked_child()) return used;
  for (const std::atomic<TypeCaches*>& of_type : caches)
    if (const TypeCaches* t = of_type.load(std::memory_order_acquire))
      for (int32_t i = 0; i < t->n; ++i)
        if (t->at[i].load(std::memory_order_acquire))
          used.push_back({uint16_t(&of_type - caches), uint16_t(i)});
  return used;
}

void device_memory_reset_peak(Device d) {
  if (d.is_cpu()) return host_memory_reset_peak();
  fail_if_forked(d);
  cache(d).reset_peak();
}

int64_t device_memory_trim(Device d) {
  if (d.is_cpu()) return host_memory_trim() + pinned_memory_trim(d);
  fail_if_forked(d);
  DeviceCache& c = cache(d);
  c.retired.reap();
  int64_t before = c.stats().reserved;
  c.drain();
  return before - c.stats().reserved + c.trim_backend() + pinned_memory_trim(d);
}

void trim_all_memory() {
  std::exception_ptr failed;
  // The host last: for pinned memory that copies used until now.
  for (Device d : std::views::reverse(devices_in_use())) {
    try {
      synchronize(d);
    } catch (const Error&) {
      if (!failed) failed = std::current_exception();
    }
    device_memory_trim(d);
  }
  if (failed) std::rethrow_exception(failed);
}

void set_device_memory_limit(Device d, int64_t bytes) {
  if (bytes < 0)
    fail(Code::invalid_argument, concat("a memory limit of ", bytes, " bytes; wanted 0 (none) or more"));
  if (d.is_cpu()) return set_host_memory_limit(bytes);
  fail_if_forked(d);
  cache(d).set_limit(bytes);
}

void synchronize(Device d) {
  const BackendEntry& b = backend(d);
  if (!d.is_cpu()) fail_if_forked(d);
  char error[512] = "";
  int32_t status = b.table.synchronize(d.index, error, sizeof error);
  if (!d.is_cpu()) detail::reap_retired(d);
  if (status) {
    error[sizeof error - 1] = 0;
    fail_backend(status, error, concat("waiting for ", d));
  }
}

}  // namespace haft
