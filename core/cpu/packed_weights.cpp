#include "core/cpu/packed_weights.h"

#include <mutex>
#include <unordered_map>

namespace haft::cpu {
namespace {

struct Key {
  const void* data;
  uint64_t format;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    return size_t((uint64_t(reinterpret_cast<uintptr_t>(k.data)) ^ k.format) * 0x9E3779B97F4A7C15u);
  }
};
// An entry without memory only remembers that this version was wanted once: training changes weights every
// step, and a copy that is used once is not worth keeping.
struct Known {
  uint64_t version = 0;
  std::shared_ptr<PackedEntry> packed;
  uint64_t used = 0;
  int64_t uses = 0;  // of the entry that counts (format 0)
};

constexpr int64_t kLimit = int64_t(256) << 20;  // bytes of copies that are kept
struct Cache {
  std::mutex mutex;
  std::unordered_map<Key, Known, KeyHash> known;
  int64_t bytes = 0, hits = 0, packs = 0;
  uint64_t clock = 0;

  void forget(std::unordered_map<Key, Known, KeyHash>::iterator it) {
    if (it->second.packed) bytes -= it->second.packed->buffer.size();
    known.erase(it);
  }
  void trim() {
    while (!known.empty() && (bytes > kLimit || known.size() > 4096)) {
      auto oldest = known.begin();
      for (auto it = known.begin(); it != known.end(); ++it)
        if (it->second.used < oldest->second.used && (bytes <= kLimit || it->second.packed)) oldest = it;
      forget(oldest);
    }
  }
};
Cache& cache() {
  // Outlives every thread that may still use it, and needs no memory to be made: it is cleared when there is none.
  alignas(Cache) static unsigned char memory[sizeof(Cache)];
  static Cache& c = *new (memory) Cache;
  return c;
}

}  // namespace

PackedWeights::PackedWeights(const haft_tensor_view& weight, uint64_t format, int64_t bytes,
                             const std::function<void(void*)>& pack, const void* plain)
    : data_(plain) {
  if (bytes == 0) return;
  Cache& c = cache();
  bool keep = false;
  if (weight.version_key != 0) {
    std::lock_guard lock(c.mutex);
    Known& known = c.known[{weight.data, format}];
    known.used = ++c.clock;
    if (known.version == weight.version_key) {
      if (known.packed) {
        ++c.hits;
        entry_ = known.packed;
        data_ = entry_->buffer.data();
        return;
      }
      keep = bytes <= kLimit;
    } else {
      if (known.packed) c.bytes -= known.packed->buffer.size();
      known.packed.reset();
      known.version = weight.version_key;
      if (c.known.size() > 4096) c.trim();
    }
  }
  entry_ = std::make_shared<PackedEntry>(PackedEntry{HostBuffer(bytes)});
  pack(entry_->buffer.data());
  data_ = entry_->buffer.data();
  if (!keep) return;
  std::lock_guard lock(c.mutex);
  ++c.packs;
  Known& known = c.known[{weight.data, format}];
  if (known.packed) c.bytes -= known.packed->buffer.size();
  known = {weight.version_key, entry_, ++c.clock, 0};
  c.bytes += bytes;
  c.trim();
}

int64_t count_use(const haft_tensor_view& weight) {
  if (weight.version_key == 0) return 0;
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  if (c.known.size() > 4096) c.trim();
  Known& known = c.known[{weight.data, 0}];
  known.used = ++c.clock;
  if (known.version != weight.version_key) known.version = weight.version_key, known.uses = 0;
  return ++known.uses;
}

PackedWeightsStats packed_weights_stats() {
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  return {c.bytes, int64_t(c.known.size()), c.hits, c.packs};
}

void clear_packed_weights() noexcept {
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  c.known.clear();
  c.bytes = 0;
}

}  // namespace haft::cpu
