// What a device recorded once and replays: kernels and copies without their cost on the host. The memory that
// a recording uses comes from an arena, keeps its addresses, and lives as long as the recording.
#pragma once
#include <haft/backend.h>

#include "core/backend/cache.h"
#include "core/backend/memory.h"
#include "core/backend/stream.h"
#include "core/base/ref.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace haft {

// Memory of its own for recordings: blocks are reused inside it, by stream, and go back to the device with
// it. Tensors made in its scope (ArenaScope, stream.h) keep it alive.
class MemoryArena final : public RefCounted, public BlockCache {
  friend class ArenaUse;
  const Device device_;
  std::atomic<bool> recording_{false};
  haft_raw_arena raw_ = 0;

  void* obtain(int64_t bytes, int64_t size, haft_raw_stream s) override;
  void give_back(void*, int64_t, haft_raw_stream) noexcept override {}  // all goes with the arena
  bool reclaim() override;
  std::string where() const override;
  // What is made in an arena keeps it.
  void block_out() noexcept override { retain(); }
  void block_back() noexcept override { Ref<MemoryArena>::adopt(this); }

 public:
  explicit MemoryArena(Device d);  // fails with unsupported where the device cannot record
  ~MemoryArena();
  Device device() const { return device_; }
  // Memory until the arena goes that no recorded work had before: for what is written ahead of a replay, which
  // earlier work would spoil.
  void* fresh(int64_t bytes) { return obtain(bytes, bytes, 0); }
};

// One recording at a time takes memory from an arena, however many have done so before.
class ArenaUse {
  MemoryArena& arena_;

 public:
  explicit ArenaUse(MemoryArena& arena);
  ~ArenaUse() { arena_.recording_.store(false, std::memory_order_release); }
  ArenaUse(const ArenaUse&) = delete;
};

// Attribute words of recorded calls that replays change (haft_kernel_call.live): in memory of the recording's arena,
// which is written anew before each replay from what stands here.
class LiveWords {
  static constexpr int64_t kChunk = 4096;  // words; a call's stand in one chunk
  struct Chunk {
    uint64_t* there;
    std::unique_ptr<uint64_t[]> words;
    int64_t used = 0;
  };
  MemoryArena& arena_;  // lives longer
  std::vector<Chunk> chunks_;
  std::vector<std::function<void()>> changes_;

 public:
  explicit LiveWords(MemoryArena& arena) : arena_(arena) {}
  LiveWords(const LiveWords&) = delete;

  struct Place {
    uint64_t* here;         // what the next replay finds
    const uint64_t* there;  // where its kernel reads it
  };
  Place add(std::span<const uint64_t> words);
  // Runs before each replay, in this order, and writes what it wants into places.
  void before_replay(std::function<void()> change) { changes_.push_back(std::move(change)); }
  void refresh();  // makes the changes and copies all words, on the current stream
  bool empty() const { return chunks_.empty(); }
  Device device() const { return arena_.device(); }
};

class DeviceGraph final : public RefCounted {
  const Device device_;
  const haft_raw_graph raw_;
  const Ref<MemoryArena> arena_;
  const std::unique_ptr<LiveWords> live_;
  std::mutex mutex_;  // replays of several threads are one behind the other: each has words of its own
  bool replayed_ = false;
  haft_raw_stream last_ = 0;   // of the replay before, which reads its words there
  haft_raw_event passed_ = 0;  // made when another stream is to wait for that

 public:
  DeviceGraph(Device d, haft_raw_graph raw, Ref<MemoryArena> arena, std::unique_ptr<LiveWords> live)
      : device_(d), raw_(raw), arena_(std::move(arena)), live_(std::move(live)) {}
  ~DeviceGraph();
  Device device() const { return device_; }
  void replay();  // on the current stream, over the same addresses
};

// Records what this thread enqueues on its current stream from here to end(), and takes memory from the arena.
class DeviceCapture {
  const Ref<MemoryArena> arena_;
  const ArenaUse use_;
  const ArenaScope scope_;
  const haft_raw_stream stream_;
  std::unique_ptr<LiveWords> live_;
  bool recording_ = true;

 public:
  explicit DeviceCapture(Ref<MemoryArena> arena);
  ~DeviceCapture();  // without end(): throws the recording away
  DeviceCapture(const DeviceCapture&) = delete;
  LiveWords& live() { return *live_; }
  Ref<DeviceGraph> end();
};

}  // namespace haft
