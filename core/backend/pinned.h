// Pinned host memory: what devices of a type read and write by themselves, so that copies need nobody to
// wait. Cached like device memory; a block that copies still use comes back when their streams have passed.
#pragma once
#include "core/backend/cache.h"
#include "core/backend/memory.h"

namespace haft {

// Host memory that devices of d's type reach by themselves; ordinary host memory (Storage::pinned is 0) where
// the type has none, or d is the host.
Ref<Storage> new_pinned_storage(Device d, int64_t bytes);
// Of d's type; of all types together where d is the host, whose memory it is.
BlockStats pinned_memory_stats(Device d);
int64_t pinned_memory_trim(Device d);  // gives cached blocks back; bytes freed

namespace detail {
void retire_pinned(Storage& s) noexcept;
}  // namespace detail

}  // namespace haft
