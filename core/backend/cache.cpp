#include "core/backend/cache.h"

#include <algorithm>
#include <bit>

namespace haft {

namespace {

constexpr int kShift = 10;  // sizes of class 1..8 need 10 bits
constexpr int kClasses = 8 * 51 + 1;

}  // namespace

int block_class(int64_t bytes) {
  if (bytes <= kSmallestBlock) return 0;
  uint64_t last = uint64_t(bytes - 1);
  int bits = std::bit_width(last);
  return 8 * (bits - kShift) + int(last >> (bits - 4)) - 7;
}

int64_t block_bytes(int c) {
  if (c == 0) return kSmallestBlock;
  int bits = (c - 1) / 8 + kShift;
  return int64_t((c - 1) % 8 + 9) << (bits - 4);
}

StreamBlocks& BlockCache::list_of(haft_raw_stream s) {
  if (s == 0) return default_;
  std::lock_guard lock(lists_mutex_);
  StreamBlocks* unused = nullptr;
  for (auto& l : lists_) {
    std::lock_guard inner(l->mutex_);
    if (!l->retired_ && l->stream == s) return *l;
    if (l->retired_ && l->out_ == 0) unused = l.get();
  }
  if (!unused) unused = lists_.emplace_back(std::make_unique<StreamBlocks>(*this, s)).get();
  std::lock_guard inner(unused->mutex_);
  unused->stream = s;
  unused->retired_ = false;
  return *unused;
}

bool StreamBlocks::serves(haft_raw_stream s) {
  std::lock_guard lock(mutex_);
  return !retired_ && stream == s;
}

void BlockCache::retire_list(haft_raw_stream s) {
  std::lock_guard lock(lists_mutex_);
  for (auto& l : lists_) {
    std::vector<std::vector<void*>> bins;
    {
      std::lock_guard inner(l->mutex_);
      if (l->retired_ || l->stream != s) continue;
      l->retired_ = true;
      bins.swap(l->bins_);
    }
    for (size_t c = 0; c < bins.size(); ++c)
      for (void* p : bins[c]) keep_for_all(p, int(c));
  }
}

void* BlockCache::take(StreamBlocks& list, int c) {
  std::lock_guard lock(list.mutex_);
  if (list.bins_.empty() || list.bins_[size_t(c)].empty()) return nullptr;
  void* p = list.bins_[size_t(c)].back();
  list.bins_[size_t(c)].pop_back();
  ++list.out_;
  ++list.allocations_;
  ++list.hits_;
  return p;
}

// False when there is no host memory to remember the block by.
bool BlockCache::put(StreamBlocks& list, int c, void* p) noexcept {
  try {
    if (list.bins_.empty()) list.bins_.resize(kClasses);
    list.bins_[size_t(c)].push_back(p);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void* BlockCache::find(StreamBlocks& list, int64_t bytes, int c) {
  if (bytes > kLargestBlock) fail_memory(bytes, "no device has that much");
  charge(bytes);
  void* p = take(list, c);
  if (!p && reclaim()) p = take(list, c);
  if (p) return p;
  p = obtain(bytes, block_bytes(c), list.stream);
  reserve(block_bytes(c));
  std::lock_guard lock(list.mutex_);
  ++list.out_;
  ++list.allocations_;
  return p;
}

namespace {
void raise_to(std::atomic<int64_t>& peak, int64_t now) noexcept {
  int64_t before = peak.load(std::memory_order_relaxed);
  while (before < now && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}
}  // namespace

void BlockCache::reserve(int64_t bytes) noexcept {
  raise_to(counters_.peak_reserved, counters_.reserved.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void* BlockCache::alloc(StreamBlocks& list, int64_t bytes) {
  int64_t live = counters_.live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  void* p;
  try {
    p = find(list, bytes, block_class(bytes));
  } catch (...) {
    counters_.live.fetch_sub(bytes, std::memory_order_relaxed);
    throw;
  }
  raise_to(counters_.peak, live);
  block_out();
  return p;
}

void BlockCache::lose(void* p, int c, haft_raw_stream s) noexcept {
  give_back(p, block_bytes(c), s);
  counters_.reserved.fetch_sub(block_bytes(c), std::memory_order_relaxed);
}

void BlockCache::free(StreamBlocks& list, void* p, int64_t bytes) noexcept {
  counters_.live.fetch_sub(bytes, std::memory_order_relaxed);
  const int c = block_class(bytes);
  bool kept;
  {
    std::lock_guard lock(list.mutex_);
    --list.out_;
    kept = !list.retired_ && put(list, c, p);
  }
  if (!kept) keep_for_all(p, c);
  block_back();
}

void BlockCache::uncount(int64_t bytes) noexcept {
  counters_.live.fetch_sub(bytes, std::memory_order_relaxed);
  counters_.reserved.fetch_sub(block_bytes(block_class(bytes)), std::memory_order_relaxed);
}

void BlockCache::count(int64_t bytes) {
  counters_.live.fetch_add(bytes, std::memory_order_relaxed);
  try {
    charge(bytes);
  } catch (...) {
    counters_.live.fetch_sub(bytes, std::memory_order_relaxed);
    throw;
  }
  reserve(block_bytes(block_class(bytes)));
}

void BlockCache::lose_decommitted(StreamBlocks& list, void* p, int64_t bytes) noexcept {
  haft_raw_stream s;
  {
    std::lock_guard lock(list.mutex_);
    --list.out_;
    s = list.retired_ ? 0 : list.stream;
  }
  give_back(p, block_bytes(block_class(bytes)), s);
}

void BlockCache::keep_for_all(void* p, int c) noexcept {
  {
    std::lock_guard lock(default_.mutex_);
    if (put(default_, c, p)) return;
  }
  lose(p, c, 0);
}

void BlockCache::drain(StreamBlocks& list) noexcept {
  std::vector<std::vector<void*>> bins;
  haft_raw_stream s;
  {
    std::lock_guard lock(list.mutex_);
    bins.swap(list.bins_);
    s = list.retired_ ? 0 : list.stream;
  }
  for (size_t c = 0; c < bins.size(); ++c)
    for (void* p : bins[c]) lose(p, int(c), s);
}

void BlockCache::drain() noexcept {
  drain(default_);
  std::lock_guard lock(lists_mutex_);
  for (auto& l : lists_) drain(*l);
}

// Calls f with each list, under its lock.
template <class F>
void BlockCache::each_list(F&& f) {
  auto call = [&](StreamBlocks& list) {
    std::lock_guard lock(list.mutex_);
    f(list);
  };
  call(default_);
  std::lock_guard lock(lists_mutex_);
  for (auto& l : lists_) call(*l);
}

BlockStats BlockCache::stats() {
  const Counters& n = counters_;
  BlockStats s{n.live.load(),          n.peak.load(),    n.reserved.load(), 0, 0,
               n.peak_reserved.load(), n.retries.load(), n.failures.load()};
  each_list([&](StreamBlocks& list) {
    s.allocations += list.allocations_;
    s.hits += list.hits_;
  });
  return s;
}

std::vector<FreeBlocks> BlockCache::free_blocks() {
  std::vector<int64_t> counts;
  each_list([&](StreamBlocks& list) {
    if (counts.size() < list.bins_.size()) counts.resize(list.bins_.size());
    for (size_t c = 0; c < list.bins_.size(); ++c) counts[c] += int64_t(list.bins_[c].size());
  });
  std::vector<FreeBlocks> out;
  for (size_t c = 0; c < counts.size(); ++c)
    if (counts[c]) out.push_back({block_bytes(int(c)), counts[c]});
  return out;
}

void BlockCache::reset_peak() {
  counters_.peak.store(counters_.live.load());
  counters_.peak_reserved.store(counters_.reserved.load());
}

void BlockCache::fail_memory(int64_t bytes, const std::string& why, std::string_view argument) {
  counters_.failures.fetch_add(1, std::memory_order_relaxed);
  BlockStats s = stats();
  fail(Code::out_of_memory,
       concat("no memory for ", bytes, " bytes ", where(), ": ", why, "; ", s.live - bytes,
              " bytes are live, ", s.reserved, " held from the device"),
       "release tensors, use smaller batches or raise the limit", argument);
}

}  // namespace haft
