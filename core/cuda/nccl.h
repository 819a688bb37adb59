// What the plug-in calls of NCCL 2, declared without its header; the library is opened when a group is first made.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/cuda/runtime.h"

struct ncclComm;

namespace haft::cuda {

using NcclComm = ncclComm*;
struct NcclId {
  char bytes[128];
};

// Values of the library's enumerations.
enum NcclResult : int {
  kNcclSuccess = 0,
  kNcclUnhandledCuda = 1,
  kNcclSystem = 2,
  kNcclInvalidUsage = 5,
  kNcclRemote = 6,
  kNcclInProgress = 7
};
enum NcclType : int {
  kNcclI8 = 0,
  kNcclU8 = 1,
  kNcclI32 = 2,
  kNcclI64 = 4,
  kNcclF16 = 6,
  kNcclF32 = 7,
  kNcclF64 = 8,
  kNcclBF16 = 9
};
enum NcclOp : int { kNcclSum = 0, kNcclProd = 1, kNcclMax = 2, kNcclMin = 3, kNcclAvg = 4 };

// The head of ncclConfig_t, as of 2.14: what a later library does not find there has its default.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;
};

struct Nccl {
  const char* (*ncclGetErrorString)(int);
  const char* (*ncclGetLastError)(NcclComm);
  int (*ncclGetUniqueId)(NcclId*);
  int (*ncclCommInitRankConfig)(NcclComm*, int ranks, NcclId, int rank, NcclConfig*);
  int (*ncclCommFinalize)(NcclComm);
  int (*ncclCommDestroy)(NcclComm);
  int (*ncclCommAbort)(NcclComm);
  int (*ncclCommGetAsyncError)(NcclComm, int*);
  int (*ncclAllReduce)(const void*, void*, size_t, int type, int op, NcclComm, Stream);
  int (*ncclReduce)(const void*, void*, size_t, int type, int op, int root, NcclComm, Stream);
  int (*ncclBroadcast)(const void*, void*, size_t, int type, int root, NcclComm, Stream);
  int (*ncclAllGather)(const void*, void*, size_t, int type, NcclComm, Stream);
  int (*ncclReduceScatter)(const void*, void*, size_t, int type, int op, NcclComm, Stream);
  int (*ncclSend)(const void*, size_t, int type, int peer, NcclComm, Stream);
  int (*ncclRecv)(void*, size_t, int type, int peer, NcclComm, Stream);
  int (*ncclGroupStart)();
  int (*ncclGroupEnd)();
};

const Nccl& nccl();  // fails with unavailable, and why

}  // namespace haft::cuda
