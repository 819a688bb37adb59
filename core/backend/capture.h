// What a device recorded once and replays: kernels and copies without their cost on the host. The memory that
// a recording uses comes from an arena, keeps its addresses, and lives as long as the recording.
#pragma once
#include <haft/backend.h>

#include "core/backend/cache.h"
#include "core/backend/stream.h"
#include "core/base/ref.h"

namespace haft {

// Memory of its own for recordings: blocks are reused inside it, by stream, and go back to the device with
// it. Tensors made in its scope (ArenaScope, stream.h) keep it alive.
class MemoryArena final : public RefCounted, public BlockCache {
  const Device device_;
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
};

class DeviceGraph final : public RefCounted {
  const Device device_;
  const haft_raw_graph raw_;
  const Ref<MemoryArena> arena_;

 public:
  DeviceGraph(Device d, haft_raw_graph raw, Ref<MemoryArena> arena)
      : device_(d), raw_(raw), arena_(std::move(arena)) {}
  ~DeviceGraph();
  void replay();  // on the current stream, over the same addresses
};

// Records what this thread enqueues on its current stream from here to end(), and takes memory from the arena.
class DeviceCapture {
  const Ref<MemoryArena> arena_;
  const ArenaScope scope_;
  const haft_raw_stream stream_;
  bool recording_ = true;

 public:
  explicit DeviceCapture(Ref<MemoryArena> arena);
  ~DeviceCapture();  // without end(): throws the recording away
  DeviceCapture(const DeviceCapture&) = delete;
  Ref<DeviceGraph> end();
};

}  // namespace haft
