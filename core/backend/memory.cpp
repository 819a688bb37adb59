#include "core/backend/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/tensor/host_allocator.h"

namespace haft {

namespace {

constexpr int64_t kSmallest = 512;
constexpr size_t kEagerBatches = 8;              // beyond these, freed blocks share events
constexpr int64_t kStaging = int64_t(16) << 20;  // host memory for copies between device types

// Eight classes a doubling: at most an eighth of a block is lost.
int64_t block_size(int64_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  int64_t step = int64_t(1) << std::max(0, int(std::bit_width(uint64_t(bytes - 1))) - 4);
  return (bytes + step - 1) & ~(step - 1);
}

struct Block {
  void* p;
  int64_t size;
};

// Blocks freed before `passed` was recorded on each stream.
struct Batch {
  std::vector<Block> blocks;
  std::vector<haft_raw_event> passed;
};

class DeviceCache {
  const Device device_;
  const BackendEntry& backend_;
  std::mutex mutex_;
  std::map<int64_t, std::vector<void*>> ready_;  // by size
  std::vector<Block> freed_;                     // the batch that is still open
  std::deque<Batch> waiting_;
  DeviceMemoryStats stats_;
  int64_t limit_ = 0;

 public:
  explicit DeviceCache(Device d) : device_(d), backend_(backend(d)) {}

  void* alloc(int64_t bytes) {
    std::lock_guard lock(mutex_);
    if (bytes > int64_t(1) << 60) fail_memory(bytes, "no device has that much");
    if (limit_ && stats_.live + bytes > limit_) fail_memory(bytes, concat("the limit is ", limit_));
    int64_t size = block_size(bytes);
    void* p = take(size);
    if (p) {
      ++stats_.cache_hits;
    } else {
      p = from_device(bytes, size);
      stats_.reserved += size;
    }
    ++stats_.allocations;
    stats_.live += bytes;
    stats_.peak = std::max(stats_.peak, stats_.live);
    return p;
  }

  void free(void* p, int64_t bytes) noexcept {
    std::lock_guard lock(mutex_);
    stats_.live -= bytes;
    Block b{p, block_size(bytes)};
    try {
      if (!has_user_streams(device_)) return ready_[b.size].push_back(p);
      freed_.push_back(b);
    } catch (const std::bad_alloc&) {  // no host memory to remember it by
      backend_.table.free(device_.index, p, b.size, 0);
      stats_.reserved -= b.size;
      return;
    }
    if (waiting_.size() < kEagerBatches) try_close_batch();
  }

  int64_t trim() {
    std::lock_guard lock(mutex_);
    int64_t before = stats_.reserved, freed_inside = 0;
    give_back();
    char error[256];
    if (backend_.table.trim) backend_.table.trim(device_.index, &freed_inside, error, sizeof error);
    return before - stats_.reserved + freed_inside;
  }

  DeviceMemoryStats stats() {
    std::lock_guard lock(mutex_);
    DeviceMemoryStats s = stats_;
    s.limit = limit_;
    return s;
  }
  void reset_peak() {
    std::lock_guard lock(mutex_);
    stats_.peak = stats_.live;
  }
  void set_limit(int64_t bytes) {
    std::lock_guard lock(mutex_);
    limit_ = bytes;
  }

 private:
  void* take_ready(int64_t size) {
    auto it = ready_.find(size);
    if (it == ready_.end() || it->second.empty()) return nullptr;
    void* p = it->second.back();
    it->second.pop_back();
    return p;
  }

  void* take(int64_t size) {
    if (void* p = take_ready(size)) return p;
    if (freed_.empty() && waiting_.empty()) return nullptr;
    try_close_batch();
    while (!waiting_.empty() && passed(waiting_.front())) {
      for (Block b : waiting_.front().blocks) ready_[b.size].push_back(b.p);
      waiting_.pop_front();
    }
    return take_ready(size);
  }

  void try_close_batch() noexcept {
    try {
      close_batch();
    } catch (...) {  // the device or the host has no event for it now; the batch stays open
    }
  }

  void close_batch() {
    if (freed_.empty()) return;
    Batch batch;
    std::vector<haft_raw_stream> all = user_streams(device_);
    all.push_back(0);
    batch.passed.reserve(all.size());
    try {
      for (haft_raw_stream s : all) {
        batch.passed.push_back(create_event(device_));
        record_event(device_, batch.passed.back(), s);
      }
    } catch (...) {
      for (haft_raw_event e : batch.passed) destroy_event(device_, e);
      throw;
    }
    waiting_.push_back(std::move(batch));
    waiting_.back().blocks.swap(freed_);
  }

  bool passed(Batch& batch) {
    while (!batch.passed.empty()) {
      if (!query_event(device_, batch.passed.back())) return false;
      destroy_event(device_, batch.passed.back());
      batch.passed.pop_back();
    }
    return true;
  }

  // The device itself keeps memory until enqueued work is done with it, so nothing has to wait here.
  void give_back() {
    auto give = [&](void* p, int64_t size) {
      backend_.table.free(device_.index, p, size, 0);
      stats_.reserved -= size;
    };
    for (auto& [size, list] : ready_)
      for (void* p : list) give(p, size);
    ready_.clear();
    for (Block b : freed_) give(b.p, b.size);
    freed_.clear();
    for (Batch& batch : waiting_) {
      for (Block b : batch.blocks) give(b.p, b.size);
      for (haft_raw_event e : batch.passed) destroy_event(device_, e);
    }
    waiting_.clear();
  }

  void* from_device(int64_t bytes, int64_t size) {
    char error[512] = "";
    void* p = nullptr;
    int32_t status = backend_.table.alloc(device_.index, size, current_stream(device_), &p, error, sizeof error);
    if (status == int32_t(Code::out_of_memory)) {
      give_back();
      if (backend_.table.trim) {
        int64_t freed;
        backend_.table.trim(device_.index, &freed, error, sizeof error);
      }
      synchronize(device_);
      status = backend_.table.alloc(device_.index, size, current_stream(device_), &p, error, sizeof error);
    }
    error[sizeof error - 1] = 0;
    if (status == int32_t(Code::out_of_memory)) fail_memory(bytes, error);
    if (status) fail_backend(status, error, concat("memory of ", device_));
    if (!p)
      fail(Code::internal, concat("memory of ", device_, ": the device answered NULL for ", size, " bytes"));
    return p;
  }

  [[noreturn]] void fail_memory(int64_t bytes, const std::string& why) {
    fail(Code::out_of_memory,
         concat("no memory for ", bytes, " bytes on ", device_, ": ", why, "; ", stats_.live,
                " bytes are live, ", stats_.reserved, " held from the device"),
         "release tensors, use smaller batches or raise the limit");
  }
};

// Caches live as long as the process: tensors may be released at its very end.
DeviceCache& cache(Device d) {
  static std::mutex mutex;
  static auto& caches = *new std::map<int32_t, std::unique_ptr<DeviceCache>>;
  std::lock_guard lock(mutex);
  auto& c = caches[d.pack()];
  if (!c) {
    try {
      check_device(d);
      c = std::make_unique<DeviceCache>(d);
    } catch (...) {
      caches.erase(d.pack());
      throw;
    }
  }
  return *c;
}

struct Ended {
  Device device;
  haft_raw_event event;
  explicit Ended(Device d) : device(d), event(create_event(d)) {}
  ~Ended() { destroy_event(device, event); }
  Ended(const Ended&) = delete;
};

void check(int32_t status, char (&error)[512], int64_t bytes, Device from, Device to) {
  error[sizeof error - 1] = 0;
  if (status) [[unlikely]]
    fail_backend(status, error, concat("copy of ", bytes, " bytes from ", from, " to ", to));
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
  Ended written(from), copied(to);
  record_event(from, written.event, current_stream(from));
  wait_event(to, written.event, current_stream(to));
  copy();
  record_event(to, copied.event, current_stream(to));
  wait_event(from, copied.event, current_stream(from));
}

}  // namespace

void* device_alloc(Device d, int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (d.is_cpu()) return host_alloc(bytes);
  fail_if_forked(d);
  return cache(d).alloc(bytes);
}

void device_free(Device d, void* p, int64_t bytes) noexcept {
  if (!p) return;
  if (d.is_cpu()) return host_free(p, bytes);
  if (!in_forked_child()) cache(d).free(p, bytes);  // the child of a fork() owns nothing there
}

DeviceMemoryStats device_memory_stats(Device d) {
  if (d.is_cpu()) {
    HostMemoryStats h = host_memory_stats();
    return {h.live, h.peak, h.reserved, h.allocations, h.cache_hits, h.limit};
  }
  fail_if_forked(d);
  DeviceMemoryStats s = cache(d).stats();
  const BackendEntry& b = backend(d);
  haft_backend_memory info = {-1, -1};
  char error[512] = "";
  if (b.table.memory_info && b.table.memory_info(d.index, &info, error, sizeof error) == 0) {
    s.total = info.total;
    s.free = info.free;
  }
  return s;
}

void device_memory_reset_peak(Device d) {
  if (d.is_cpu()) return host_memory_reset_peak();
  fail_if_forked(d);
  cache(d).reset_peak();
}

int64_t device_memory_trim(Device d) {
  if (d.is_cpu()) return host_memory_trim();
  fail_if_forked(d);
  return cache(d).trim();
}

void set_device_memory_limit(Device d, int64_t bytes) {
  if (bytes < 0)
    fail(Code::invalid_argument, concat("a memory limit of ", bytes, " bytes; wanted 0 (none) or more"));
  if (d.is_cpu()) return set_host_memory_limit(bytes);
  fail_if_forked(d);
  cache(d).set_limit(bytes);
}

void copy_bytes(Device to, void* dst, Device from, const void* src, int64_t bytes, bool blocking) {
  if (bytes <= 0) return;
  if (to.is_cpu() && from.is_cpu()) {
    std::memmove(dst, src, size_t(bytes));
    return;
  }
  fail_if_forked(to.is_cpu() ? from : to);
  char error[512] = "";
  if (from.is_cpu()) {
    check(backend(to).table.copy_from_host(to.index, dst, src, bytes, current_stream(to),
                                           blocking ? HAFT_COPY_BLOCKING : 0, error,
                                           sizeof error),
          error, bytes, from, to);
  } else if (to.is_cpu()) {
    check(backend(from).table.copy_to_host(from.index, dst, src, bytes, current_stream(from),
                                           HAFT_COPY_BLOCKING, error,
                                           sizeof error),
          error, bytes, from, to);
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

void synchronize(Device d) {
  const BackendEntry& b = backend(d);
  if (!d.is_cpu()) fail_if_forked(d);
  char error[512] = "";
  if (int32_t s = b.table.synchronize(d.index, error, sizeof error)) {
    error[sizeof error - 1] = 0;
    fail_backend(s, error, concat("waiting for ", d));
  }
}

}  // namespace haft
