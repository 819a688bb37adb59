// What haft uses of CUPTI 13, declared without its headers: functions as pointers, and the beginnings of the records
// that they hand out, which later versions of a record keep. tests/cuda/headers holds them to CUPTI's own.
#pragma once
#include <cstddef>
#include <cstdint>

namespace haft::cuda {

enum CuptiKind : uint32_t {
  kCuptiCopy = 1,
  kCuptiFill = 2,
  kCuptiDriver = 4,   // calls of the driver's interface, before whose records
  kCuptiRuntime = 5,  // and before those of the runtime's, stand records of who made them
  kCuptiKernel = 10,
  kCuptiPeerCopy = 22,
  kCuptiCaller = 39,
};
enum : int { kCuptiSuccess = 0, kCuptiNoMore = 12 };  // CUPTI_ERROR_MAX_LIMIT_REACHED
enum : uint32_t { kCuptiFlushForced = 1 };
enum : int { kCuptiCustom = 3 };  // whose callers: CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0

struct [[gnu::packed, gnu::aligned(8)]] CuptiKernelRecord {
  uint32_t kind;
  uint8_t cache, shared_config;
  uint16_t registers;
  uint32_t cache_requested, cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation;
  int64_t grid_id;
  const char* name;
};
struct [[gnu::packed, gnu::aligned(8)]] CuptiCopyRecord {  // peer copies, too, up to `stream`
  uint32_t kind;
  uint8_t copy_kind, source_kind, target_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};
struct [[gnu::packed, gnu::aligned(8)]] CuptiPeerCopyRecord {
  uint32_t kind;
  uint8_t copy_kind, source_kind, target_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t source_device, source_context, target_device, target_context, correlation;
};
struct [[gnu::packed, gnu::aligned(8)]] CuptiFillRecord {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};
struct [[gnu::packed, gnu::aligned(8)]] CuptiCallerRecord {
  uint32_t kind;
  int32_t whose;
  uint64_t caller;
  uint32_t correlation, reserved;
};

using CuptiAsk = void (*)(uint8_t** buffer, size_t* size, size_t* most_records);
using CuptiDone = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t used);

struct Cupti {
  int (*register_callbacks)(CuptiAsk, CuptiDone);
  int (*enable)(uint32_t kind);
  int (*disable)(uint32_t kind);
  int (*flush_all)(uint32_t flags);
  int (*next_record)(uint8_t* buffer, size_t used, void** record);
  int (*dropped_records)(void* context, uint32_t stream, size_t* count);
  int (*push_caller)(int whose, uint64_t caller);
  int (*pop_caller)(int whose, uint64_t* last);
  int (*timestamp)(uint64_t*);
  int (*error_name)(int, const char**);
};
inline constexpr const char* kCuptiNames[] = {"cuptiActivityRegisterCallbacks",
                                              "cuptiActivityEnable",
                                              "cuptiActivityDisable",
                                              "cuptiActivityFlushAll",
                                              "cuptiActivityGetNextRecord",
                                              "cuptiActivityGetNumDroppedRecords",
                                              "cuptiActivityPushExternalCorrelationId",
                                              "cuptiActivityPopExternalCorrelationId",
                                              "cuptiGetTimestamp",
                                              "cuptiGetResultString"};

}  // namespace haft::cuda
