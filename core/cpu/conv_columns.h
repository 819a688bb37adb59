// Convolutions of many bfloat16 weights over small maps as products over unfolded windows, in the processor's tiles
// (AMX).
#pragma once
#include "core/cpu/conv_plan.h"

namespace haft::cpu {

// These functions serve the plan, and faster than the library's convolution.
bool columns_pay(const ConvPlan& p);

// Of a forward or input pass; both maps lie in blocks of sixteen channels, the weights row-major.
void columns_maps(const ConvPlan& p, const haft_tensor_view& view, const char* from, const void* weight,
                  const char* bias, char* to);
// dweight is row-major float32, whose sums are made over the whole batch.
void columns_weight(const ConvPlan& p, const char* dy, const char* x, float* dweight);

// Between blocks of sixteen 2-byte channels and channels last.
void blocks_to_last(const void* from, void* to, int64_t images, int64_t channels, int64_t area);
void last_to_blocks(const void* from, void* to, int64_t images, int64_t channels, int64_t area);

}  // namespace haft::cpu
