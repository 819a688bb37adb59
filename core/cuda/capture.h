// What a recording may hold.
#pragma once
#include "core/cuda/device.h"

namespace haft::cuda {

bool is_recording(int device, Stream s);
// Fails with unsupported where the stream is being recorded; `what` is what was wanted of it.
void refuse_recording(int device, Stream s, const char* what);
void refuse_any_recording(int device, const char* what);  // of any stream of the device
// Frees it behind the stream's work, or, where that is being recorded, when all recordings of the device have ended.
void free_or_hold(int device, void* p, int64_t bytes, Stream s);
// memory.cpp; of a stream that is not recorded.
void free_memory(int device, void* p, int64_t bytes, Stream s);

}  // namespace haft::cuda
