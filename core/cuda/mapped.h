// Large allocations: addresses of a device's virtual memory, so that what lies under them can go and come back
// (decommit, commit). Nothing here waits for the device while there is memory without it: what streams may still use
// goes once they have passed.
#pragma once
#include "core/cuda/device.h"

namespace haft::cuda {

constexpr int64_t kSmallestMapped = int64_t(8)
                                    << 20;  // where a granule, usually 2 MiB, is lost among the rest

void* map_memory(int device, int64_t bytes);  // fails with out_of_memory
// All work of the stream so far passes before its memory goes.
void unmap_behind(int device, void* p, Stream s);
void decommit_mapped(int device, void* p);
void commit_mapped(int device, void* p);
// Unmaps what streams have passed; `wait`: all that is on its way out. Whether there was any.
bool unmap_passed(int device, bool wait);

}  // namespace haft::cuda
