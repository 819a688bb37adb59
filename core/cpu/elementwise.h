// POINTWISE ops on the CPU, in three layers:
//
//   blocks   elementwise_{f32,f64,int}.cpp: for each op, type and instruction set, one loop over dense arrays
//   driver   elementwise.cpp: any views to blocks; gathers what is not dense, widens 16-bit floats to float and
//            8- and 16-bit integers to int32, splits, streams
//   table    one row a compute type, filled once at start from what the processor has
#pragma once
#include <haft/backend.h>

#include <cstdint>

#include "core/backend/pointwise_call.h"
#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"
#include "core/tensor/view.h"

namespace haft::cpu {

constexpr int kMaxInputs = kMaxPointwiseInputs, kMaxParams = kMaxPointwiseParams;

// out[i] = op(in[0][i], ..., params) for i < n. Masks and bool results are bytes. A number in params is a
// double for floating types and an int64 for integers; a bool is 0 or 1. `out` may be one of the inputs.
using BlockFn = void (*)(const void* const* in, void* out, int64_t n, const uint64_t* params);

// What an element costs decides when a second thread pays: elements that take about 20 us.
constexpr int32_t kCheapGrain = 131072;
constexpr int32_t pointwise_grain(OpId op, uint32_t traits) {
  switch (op) {
    case OpId::pow:
    case OpId::pow_scalar:
    case OpId::rpow_scalar: return 8192;
    case OpId::atan2:
    case OpId::fmod:
    case OpId::fmod_scalar:
    case OpId::floor_divide:
    case OpId::floor_divide_scalar:
    case OpId::remainder:
    case OpId::remainder_scalar:
    case OpId::erf:
    case OpId::gelu:
    case OpId::gelu_backward: return 32768;
    case OpId::silu_backward: return 65536;
    default: return traits & FLOAT ? 65536 : kCheapGrain;
  }
}

// Cheap numbers in, a number out: worth a way of its own for a single element.
constexpr bool is_cheap(OpId op, uint32_t traits) {
  return pointwise_grain(op, traits) == kCheapGrain && !(traits & (BOOLOUT | MASK0 | MASK1));
}

// Rows of the table by compute type.
enum Row : int { kRowF32, kRowF64, kRowBool, kRowI32, kRowI64, kRowCount };
struct PointwiseTable {
  BlockFn blocks[kRowCount][kOpCount] = {};
};
void fill_blocks_f32(PointwiseTable& t);
void fill_blocks_f64(PointwiseTable& t);
void fill_blocks_int(PointwiseTable& t);

// Loops that change the type of dense elements.
using ConvertFn = void (*)(const void* in, void* out, int64_t n);
struct Conversions {
  // By dtype. 16- and 8-bit floats have entries to and from float only; floats become integers by truncation, where
  // what does not fit int32 (int64 for int64) is clamped, NaN is 0 and narrower types keep the low bits.
  ConvertFn cast[kDTypeCount][kDTypeCount] = {};
  // Bytes past the caches; dst is 64-byte aligned, bytes a multiple of 64.
  void (*stream)(void* dst, const void* src, int64_t bytes) = nullptr;
};
const Conversions& conversions();

// The kernel of a POINTWISE op for tensors of a dtype, or NULL when the op does not take it.
haft_kernel_fn pointwise_kernel(OpId op, int32_t dtype);

// Outputs of at least this many bytes that no input shares are written past the caches.
int64_t stream_threshold();

}  // namespace haft::cpu
