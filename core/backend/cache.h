// Caches of memory that streams use: of each device (and arena, and of pinned host memory), free blocks by
// stream and size class. A block goes back to the list of the stream it was made on and is handed out there
// again at once, for later work of a stream runs after the work that still uses the block. Work of other
// streams is waited for before (stream_use.h). Each list has its own lock, which only threads on the same
// stream contend for.
#pragma once
#include <haft/backend.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/backend/device.h"
#include "core/base/error.h"

namespace haft {

// Sizes of blocks: 512 bytes, then eight classes a doubling, so that at most an eighth of a block is lost.
constexpr int64_t kSmallestBlock = 512, kLargestBlock = int64_t(1) << 60;
int block_class(int64_t bytes);
int64_t block_bytes(int block_class);

class BlockCache;

// The free blocks of one stream.
class StreamBlocks {
  friend class BlockCache;
  std::mutex mutex_;
  std::vector<std::vector<void*>> bins_;  // by class
  int64_t out_ = 0;                       // blocks that came from here and are not back
  int64_t allocations_ = 0, hits_ = 0;
  bool retired_ = false;  // its stream is gone: blocks go to the default stream's list

 public:
  BlockCache& cache;
  haft_raw_stream stream;

  StreamBlocks(BlockCache& c, haft_raw_stream s) : cache(c), stream(s) {}
  // Whether a block that comes back serves s alone: a device may give the number of a stream that is gone again.
  bool serves(haft_raw_stream s);
};

struct BlockStats {
  int64_t live, peak, reserved, allocations, hits, peak_reserved, retries, failures;
};

// Blocks of one size that nobody has.
struct FreeBlocks {
  int64_t bytes, count;
};

class BlockCache {
  struct Counters {
    std::atomic<int64_t> live{0}, peak{0}, reserved{0}, peak_reserved{0}, retries{0}, failures{0};
  };
  StreamBlocks default_;
  std::mutex lists_mutex_;
  std::vector<std::unique_ptr<StreamBlocks>> lists_;  // of the other streams
  Counters counters_;

  void* find(StreamBlocks& list, int64_t bytes, int c);
  void* take(StreamBlocks& list, int c);
  bool put(StreamBlocks& list, int c, void* p) noexcept;  // under the list's lock
  void keep_for_all(void* p, int c) noexcept;             // in the default stream's list
  void lose(void* p, int c, haft_raw_stream s) noexcept;
  void drain(StreamBlocks& list) noexcept;
  void reserve(int64_t bytes) noexcept;
  template <class F>
  void each_list(F&& f);

 protected:
  BlockCache() : default_(*this, 0) {}
  ~BlockCache() = default;
  BlockCache(const BlockCache&) = delete;

  // A block from where the cache gets its memory; fails with out_of_memory. `bytes` is what the caller wants.
  virtual void* obtain(int64_t bytes, int64_t size, haft_raw_stream s) = 0;
  virtual void give_back(void* p, int64_t size, haft_raw_stream s) noexcept = 0;
  // Takes back what streams have passed meanwhile: true when there was any.
  virtual bool reclaim() { return false; }
  virtual void charge(int64_t) {}  // fails when the limit says no to these bytes, which `live` counts already
  void note_retry() { counters_.retries.fetch_add(1, std::memory_order_relaxed); }
  virtual std::string where() const = 0;  // for messages: "on sim:0"
  virtual void block_out() noexcept {}
  virtual void block_back() noexcept {}  // last: the cache may be gone then
  [[noreturn, gnu::cold]] void fail_memory(int64_t bytes, const std::string& why,
                                           std::string_view argument = {});

 public:
  StreamBlocks& list_of(haft_raw_stream s);  // made at its first use
  void retire_list(haft_raw_stream s);       // the stream has finished and goes
  void* alloc(StreamBlocks& list, int64_t bytes);
  void free(StreamBlocks& list, void* p, int64_t bytes) noexcept;
  // A block that is out and has no memory meanwhile: not counted. count() fails when the limit says no.
  void uncount(int64_t bytes) noexcept;
  void count(int64_t bytes);
  void lose_decommitted(StreamBlocks& list, void* p, int64_t bytes) noexcept;  // in the place of free
  void drain() noexcept;  // all free blocks go back to where they came from

  int64_t live() const { return counters_.live.load(std::memory_order_relaxed); }
  BlockStats stats();
  std::vector<FreeBlocks> free_blocks();  // of all streams, by size
  void reset_peak();
};

}  // namespace haft
