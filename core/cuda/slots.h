// The slots of the device's table, a file a group: memory.cpp, stream.cpp, copies.cpp, capture.cpp.
#pragma once
#include <haft/backend.h>

namespace haft::cuda {

void fill_memory(haft_backend* table);
void fill_streams(haft_backend* table);
void fill_copies(haft_backend* table);
void fill_captures(haft_backend* table);

}  // namespace haft::cuda
