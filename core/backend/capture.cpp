#include "core/backend/capture.h"

#include <algorithm>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/backend/stream_use.h"

namespace haft {

namespace {

const haft_backend& recorder(Device d) {
  const BackendEntry& b = backend(d);
  if (!d.is_cpu()) fail_if_forked(d);
  if (!b.table.capture_begin)
    fail(Code::unsupported, concat("device type ", b.name, " records no graphs"), "run the work each time");
  check_device(d);
  return b.table;
}

[[noreturn]] void failed(int32_t status, char (&error)[512], const std::string& what) {
  error[sizeof error - 1] = 0;
  fail_backend(status, error, what);
}

}  // namespace

MemoryArena::MemoryArena(Device d) : device_(d) {
  char error[512] = "";
  if (int32_t s = recorder(d).arena_create(d.index, &raw_, error, sizeof error))
    failed(s, error, concat("an arena on ", d));
}

MemoryArena::~MemoryArena() {
  if (!in_forked_child()) backend(device_).table.arena_destroy(device_.index, raw_);
}

void* MemoryArena::obtain(int64_t bytes, int64_t size, haft_raw_stream) {
  char error[512] = "";
  void* p = nullptr;
  int32_t s = backend(device_).table.arena_alloc(device_.index, raw_, size, &p, error, sizeof error);
  if (s == int32_t(Code::out_of_memory)) {
    error[sizeof error - 1] = 0;
    fail_memory(bytes, error);
  }
  if (s) failed(s, error, concat("memory ", where()));
  return p;
}

ArenaUse::ArenaUse(MemoryArena& arena) : arena_(arena) {
  if (arena.recording_.exchange(true, std::memory_order_acquire))
    fail(Code::busy, "another recording is being made in this memory",
         "end that one first, or record with memory of its own", "memory");
}

bool MemoryArena::reclaim() { return detail::reap_retired(device_); }
std::string MemoryArena::where() const { return concat("in an arena of ", device_); }

LiveWords::Place LiveWords::add(std::span<const uint64_t> words) {
  const int64_t n = int64_t(words.size());
  HAFT_ASSERT(n <= kChunk);
  if (chunks_.empty() || chunks_.back().used + n > kChunk) {
    Chunk c;
    c.words = std::make_unique<uint64_t[]>(kChunk);
    chunks_.reserve(chunks_.size() + 1);
    c.there = static_cast<uint64_t*>(arena_.fresh(kChunk * int64_t(sizeof(uint64_t))));
    chunks_.push_back(std::move(c));
  }
  Chunk& c = chunks_.back();
  const Place place{c.words.get() + c.used, c.there + c.used};
  std::copy(words.begin(), words.end(), place.here);
  c.used += n;
  return place;
}

void LiveWords::refresh() {
  for (const std::function<void()>& change : changes_) change();
  for (const Chunk& c : chunks_)
    copy_bytes(arena_.device(), c.there, Device{}, c.words.get(), c.used * int64_t(sizeof(uint64_t)), false);
}

DeviceGraph::~DeviceGraph() {
  if (in_forked_child()) return;
  if (passed_) destroy_event(device_, passed_);
  backend(device_).table.graph_destroy(device_.index, raw_);
}

void DeviceGraph::replay() {
  fail_if_forked(device_);
  std::lock_guard lock(mutex_);
  const haft_raw_stream stream = current_stream(device_);
  // What is written before a replay must not reach the one before: on the same stream it does not.
  if (replayed_ && stream != last_ && !live_->empty() && is_stream(device_, last_)) {
    if (!passed_) passed_ = create_event(device_);
    record_event(device_, passed_, last_);
    wait_event(device_, passed_, stream);
  }
  live_->refresh();
  char error[512] = "";
  if (int32_t s = backend(device_).table.graph_replay(device_.index, raw_, stream, error, sizeof error))
    failed(s, error, concat("replaying a graph on ", device_));
  replayed_ = true;
  last_ = stream;
}

DeviceCapture::DeviceCapture(Ref<MemoryArena> arena)
    : arena_(std::move(arena)),
      use_(*arena_),
      scope_(*arena_),
      stream_(current_stream(arena_->device())),
      live_(std::make_unique<LiveWords>(*arena_)) {
  const Device d = arena_->device();
  const haft_backend& table = recorder(d);
  char error[512] = "";
  RetiredStorages::hold();
  if (int32_t s = table.capture_begin(d.index, stream_, error, sizeof error)) {
    RetiredStorages::go_on();
    failed(s, error, concat("recording on ", d));
  }
}

DeviceCapture::~DeviceCapture() {
  if (!recording_) return;
  const Device d = arena_->device();
  char error[512];
  backend(d).table.capture_end(d.index, stream_, nullptr, error, sizeof error);
  RetiredStorages::go_on();
}

Ref<DeviceGraph> DeviceCapture::end() {
  const Device d = arena_->device();
  char error[512] = "";
  haft_raw_graph raw = 0;
  HAFT_ASSERT(recording_);
  recording_ = false;
  int32_t s = backend(d).table.capture_end(d.index, stream_, &raw, error, sizeof error);
  RetiredStorages::go_on();
  if (s) failed(s, error, concat("recording on ", d));
  try {
    return make_ref<DeviceGraph>(d, raw, arena_, std::move(live_));
  } catch (...) {
    backend(d).table.graph_destroy(d.index, raw);
    throw;
  }
}

}  // namespace haft
