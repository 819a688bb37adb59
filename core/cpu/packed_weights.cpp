#include "core/cpu/packed_weights.h"

#include <map>
#include <mutex>

#include "core/base/fork.h"
#include "core/tensor/storage.h"

namespace haft::cpu {
namespace {

// What is kept of one storage stands together, because it goes together.
struct Key {
  uint64_t storage;
  uintptr_t data;
  uint64_t format;
  auto operator<=>(const Key&) const = default;
};
Key key_of(const haft_tensor_view& v, uint64_t format) {
  return {v.version_key >> 32, reinterpret_cast<uintptr_t>(v.data), format};
}
// An entry without memory only remembers that this version was wanted once: training changes weights every
// step, and a copy that is used once is not worth keeping.
struct Known {
  uint64_t version = 0;
  std::shared_ptr<PackedEntry> packed;
  uint64_t used = 0;
  int64_t uses = 0;  // of the entry that counts (format 0)
};
using Entries = std::map<Key, Known>;

constexpr int64_t kLimit = int64_t(256) << 20;  // bytes of copies that are kept
constexpr size_t kMost = 4096;
struct Cache {
  std::mutex mutex;
  Entries known;
  int64_t bytes = 0, hits = 0, packs = 0;
  uint64_t clock = 0, idle_sought = 0;  // when drop_idle() last looked

  Known& find(const Key& key) {
    Known& k = known[key];
    k.used = ++clock;
    return k;
  }
  void drop_copy(Known& k, std::shared_ptr<PackedEntry>& to) {
    if (k.packed) bytes -= k.packed->buffer.size();
    to = std::move(k.packed);
  }
  // What is forgotten goes into `to`, which its owner empties without the lock.
  void forget(Entries::iterator at, Entries& to) {
    if (at->second.packed) bytes -= at->second.packed->buffer.size();
    to.insert(known.extract(at));
  }
  void trim(Entries& to) {
    while (!known.empty() && (bytes > kLimit || known.size() > kMost)) {
      auto oldest = known.begin();
      for (auto it = known.begin(); it != known.end(); ++it)
        if (it->second.used < oldest->second.used && (bytes <= kLimit || it->second.packed)) oldest = it;
      forget(oldest, to);
    }
  }
  // Copies that nobody wanted while every other was wanted a few times. Looks seldom: there may be thousands.
  void drop_idle(Entries& to) {
    const uint64_t turns = 2 * uint64_t(known.size());
    if (clock - idle_sought < turns) return;
    idle_sought = clock;
    for (auto at = known.begin(); at != known.end();) {
      const auto next = std::next(at);
      if (at->second.packed && clock - at->second.used > 2 * turns) forget(at, to);
      at = next;
    }
  }
};
Cache& cache() {
  // Outlives every thread that may still use it, and needs no memory to be made: it is cleared when there is none.
  alignas(Cache) static unsigned char memory[sizeof(Cache)];
  static Cache& c = *new (memory) Cache;
  return c;
}

void forget_storage(uint64_t id) noexcept {
  Cache& c = cache();
  Entries gone;
  std::lock_guard lock(c.mutex);
  for (auto at = c.known.lower_bound({id, 0, 0}); at != c.known.end() && at->first.storage == id;)
    c.forget(at++, gone);
}

}  // namespace

PackedWeights::PackedWeights(const haft_tensor_view& weight, uint64_t format, int64_t bytes,
                             const std::function<void(void*)>& pack, const void* plain)
    : data_(plain) {
  if (bytes == 0) return;
  Cache& c = cache();
  const Key key = key_of(weight, format);
  std::shared_ptr<PackedEntry> stale;
  Entries gone;
  bool keep = false;
  if (weight.version_key != 0) {
    std::lock_guard lock(c.mutex);
    Known& known = c.find(key);
    if (known.version == weight.version_key) {
      if (known.packed) {
        ++c.hits;
        entry_ = known.packed;
        data_ = entry_->buffer.data();
        return;
      }
      keep = bytes <= kLimit;
    } else {
      c.drop_copy(known, stale);
      known.version = weight.version_key;
      c.trim(gone);
    }
  }
  stale.reset();
  entry_ = std::make_shared<PackedEntry>(PackedEntry{HostBuffer(bytes)});
  pack(entry_->buffer.data());
  data_ = entry_->buffer.data();
  if (!keep) return;
  std::lock_guard lock(c.mutex);
  ++c.packs;
  Known& known = c.find(key);
  c.drop_copy(known, stale);
  known.version = weight.version_key;
  known.packed = entry_;
  c.bytes += bytes;
  c.trim(gone);
}

int64_t count_use(const haft_tensor_view& weight) {
  if (weight.version_key == 0) return 0;
  Cache& c = cache();
  Entries gone;
  std::lock_guard lock(c.mutex);
  if (c.known.size() > kMost) c.trim(gone);
  Known& known = c.find(key_of(weight, 0));
  if (known.version != weight.version_key) known.version = weight.version_key, known.uses = 0;
  return ++known.uses;
}

bool packed_weight_fits(const haft_tensor_view& weight, uint64_t format, int64_t bytes) {
  Cache& c = cache();
  Entries gone;
  std::lock_guard lock(c.mutex);
  const auto at = c.known.find(key_of(weight, format));
  if (at != c.known.end() && at->second.packed && at->second.version == weight.version_key) return true;
  if (c.bytes + bytes > kLimit) c.drop_idle(gone);
  return c.bytes + bytes <= kLimit;
}

PackedWeightsStats packed_weights_stats() {
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  return {c.bytes, int64_t(c.known.size()), c.hits, c.packs};
}

void clear_packed_weights() noexcept {
  Cache& c = cache();
  Entries gone;
  std::lock_guard lock(c.mutex);
  gone.swap(c.known);
  c.bytes = 0;
}

void connect_packed_weights() {
  static const bool once = [] {
    on_fork([] { cache().mutex.lock(); }, [] { cache().mutex.unlock(); }, [] { cache().mutex.unlock(); });
    return true;
  }();
  (void)once;
  set_host_reclaimer(clear_packed_weights);
  set_key_watcher(forget_storage);
}

}  // namespace haft::cpu
