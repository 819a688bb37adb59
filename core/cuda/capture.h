// What a recording may hold.
#pragma once
#include "core/cuda/device.h"

namespace haft::cuda {

bool is_recording(int device, Stream s);
// Fails with unsupported where the stream is being recorded; `what` is what was wanted of it.
void refuse_recording(int device, Stream s, const char* what);
void refuse_any_recording(int device, const char* what);  // of any stream of the device
// Memory that a recorded stream lets go of is freed when all recordings of the device have ended.
void free_when_recorded(int device, void* p, int64_t bytes, Stream s);
void free_memory(int device, void* p, int64_t bytes, Stream s);  // memory.cpp

}  // namespace haft::cuda
