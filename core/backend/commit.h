// Memory that is given back and taken again at the same address: views, what the tape saved and addresses that the
// program holds stay as they are. Sharding drops weights so, which it can gather again.
#pragma once
#include <haft/backend.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "core/backend/device.h"
#include "core/tensor/storage.h"

namespace haft {

// Gives the memory back; what it held is lost, which counts as a write. Until commit() whoever reads or writes it
// through the engine is refused. No effect when it is gone already. Fails with unsupported where the memory is not
// the engine's own, or the device cannot.
void decommit(Storage& s);
// Says what stands in memory that is away, and how it comes back.
struct Absentee {
  virtual ~Absentee() = default;
  virtual std::string name_at(const void* address) const = 0;
  const char* hint = "";
};
// The same by an owner who writes what was there before anybody reads it again: no write for those who saved tensors
// of it. Memory of the program's own functions stays, and is refused all the same; so does any that `stays`, since
// recordings go on reading and writing it.
void decommit_until_restored(Storage& s, std::shared_ptr<const Absentee> who, bool stays = false);
// Puts memory of undefined content there again; no effect on what has memory. Fails with out_of_memory.
void commit(Storage& s);
inline bool is_committed(const Storage& s) { return !s.absent; }

// `address`: of what is wanted in it.
[[noreturn, gnu::cold, gnu::noinline]] void fail_decommitted(const Storage& s, std::string_view where,
                                                             const void* address);
inline void check_committed(const Storage& s, std::string_view where, const void* address) {
  if (s.absent) [[unlikely]]
    fail_decommitted(s, where, address);
}

namespace detail {
extern std::atomic<int> gap_counts[kMaxDeviceTypes];  // storages without memory
inline bool has_gaps(Device d) { return gap_counts[d.type].load(std::memory_order_relaxed) != 0; }
// Refuses a kernel call whose tensors have no memory. The CPU's calls come here only while there are such.
void check_committed(const haft_kernel_call& call, Device d, std::string_view where);
// Of a storage that dies without memory, in the place of free.
void free_decommitted(Storage& s) noexcept;
}  // namespace detail

}  // namespace haft
