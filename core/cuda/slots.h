// The slots of the device's table, a file a group: memory.cpp, stream.cpp, copies.cpp, capture.cpp, fuse.cpp,
// nccl.cpp, describe.cpp, profile.cpp.
#pragma once
#include <haft/backend.h>

#include <string>

namespace haft::cuda {

void fill_memory(haft_backend* table);
void fill_streams(haft_backend* table);
void fill_copies(haft_backend* table);
void fill_captures(haft_backend* table);
void fill_fused(haft_backend* table);
void fill_description(haft_backend* table);
void fill_profile(haft_backend* table);

std::string version_text(int v);  // "13.0" of 13000
std::string driver_text();        // of the runtime and the driver
const haft_collectives* collectives();

}  // namespace haft::cuda
