// core/cuda/nccl.h against NCCL's own header.
#include <nccl.h>

#include "core/cuda/nccl.h"
#include "tests/cuda/headers/same.h"

namespace haft::cuda {

static_assert(int(kNcclSuccess) == ncclSuccess && int(kNcclUnhandledCuda) == ncclUnhandledCudaError &&
              int(kNcclSystem) == ncclSystemError && int(kNcclInvalidUsage) == ncclInvalidUsage &&
              int(kNcclRemote) == ncclRemoteError && int(kNcclInProgress) == ncclInProgress);
static_assert(int(kNcclI8) == ncclInt8 && int(kNcclU8) == ncclUint8 && int(kNcclI32) == ncclInt32 &&
              int(kNcclI64) == ncclInt64 && int(kNcclF16) == ncclFloat16 && int(kNcclF32) == ncclFloat32 &&
              int(kNcclF64) == ncclFloat64 && int(kNcclBF16) == ncclBfloat16);
static_assert(int(kNcclSum) == ncclSum && int(kNcclProd) == ncclProd && int(kNcclMax) == ncclMax &&
              int(kNcclMin) == ncclMin && int(kNcclAvg) == ncclAvg);
static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));

// The head that the plug-in fills in; the version that it tells says where it ends.
static_assert(offsetof(NcclConfig, size) == offsetof(ncclConfig_t, size) &&
              offsetof(NcclConfig, magic) == offsetof(ncclConfig_t, magic) &&
              offsetof(NcclConfig, version) == offsetof(ncclConfig_t, version) &&
              offsetof(NcclConfig, blocking) == offsetof(ncclConfig_t, blocking));
constexpr NcclConfig kOurs;
constexpr ncclConfig_t kTheirs = NCCL_CONFIG_INITIALIZER;
static_assert(kOurs.magic == kTheirs.magic && kOurs.version == NCCL_VERSION(2, 14, 0));

HAFT_SAME(Nccl, ncclGetErrorString);
HAFT_SAME(Nccl, ncclGetLastError);
HAFT_SAME(Nccl, ncclGetUniqueId);
HAFT_SAME(Nccl, ncclCommInitRankConfig);
HAFT_SAME(Nccl, ncclCommFinalize);
HAFT_SAME(Nccl, ncclCommDestroy);
HAFT_SAME(Nccl, ncclCommAbort);
HAFT_SAME(Nccl, ncclCommGetAsyncError);
HAFT_SAME(Nccl, ncclAllReduce);
HAFT_SAME(Nccl, ncclReduce);
HAFT_SAME(Nccl, ncclBroadcast);
HAFT_SAME(Nccl, ncclAllGather);
HAFT_SAME(Nccl, ncclReduceScatter);
HAFT_SAME(Nccl, ncclSend);
HAFT_SAME(Nccl, ncclRecv);
HAFT_SAME(Nccl, ncclGroupStart);
HAFT_SAME(Nccl, ncclGroupEnd);

}  // namespace haft::cuda
