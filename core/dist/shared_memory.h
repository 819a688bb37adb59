// The transport within a host: one piece of shared memory a group, with a ring for each stream. Rank 0 makes it and
// hands it to who comes with the token from the store; that succeeds on rank 0's host only, whatever hosts are
// called. The memory has no name in the file system: it goes with its last owner, also when that is killed.
#pragma once
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "core/dist/deadline.h"
#include "core/dist/store.h"
#include "core/dist/transport.h"

namespace haft::dist {

// Fails with unavailable where a rank is on another host or the system lacks what it takes, with timeout when
// somebody does not come: on every rank that has. `host`: what this rank says that its host is; ranks that say
// different things are on different ones. `world`: a failure may be the fault of one of so many.
Ref<Transport> make_shared_memory(Store& store, int rank, int size, const std::string& host,
                                  Deadline deadline, int world = 0);

constexpr int kMaxLocalRanks = 250;  // as many descriptors go with one message

// What the ranks of a host share: the memory, and of each rank a descriptor that tells when its process ends.
struct Shared {
  Descriptor memory;
  std::vector<Descriptor> lives;
};
Shared share_memory(Store& store, int rank, int size, size_t bytes, const std::string& host,
                    Deadline deadline);

}  // namespace haft::dist
