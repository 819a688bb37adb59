// core/cuda/cupti.h against CUPTI's own headers.
#include <cupti.h>

#include "core/cuda/cupti.h"
#include "tests/cuda/headers/same.h"

namespace haft::cuda {

static_assert(int(kCuptiCopy) == CUPTI_ACTIVITY_KIND_MEMCPY &&
              int(kCuptiFill) == CUPTI_ACTIVITY_KIND_MEMSET &&
              int(kCuptiDriver) == CUPTI_ACTIVITY_KIND_DRIVER &&
              int(kCuptiRuntime) == CUPTI_ACTIVITY_KIND_RUNTIME &&
              int(kCuptiKernel) == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
              int(kCuptiPeerCopy) == CUPTI_ACTIVITY_KIND_MEMCPY2 &&
              int(kCuptiCaller) == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
static_assert(kCuptiSuccess == CUPTI_SUCCESS && kCuptiNoMore == CUPTI_ERROR_MAX_LIMIT_REACHED &&
              int(kCuptiFlushForced) == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED &&
              kCuptiCustom == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
static_assert(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD == 1 && CUPTI_ACTIVITY_MEMCPY_KIND_DTOH == 2 &&
              CUPTI_ACTIVITY_MEMCPY_KIND_DTOD == 8 && CUPTI_ACTIVITY_MEMCPY_KIND_PTOP == 10);

#define AT(Mine, mine, Theirs, theirs)                                                                  \
  static_assert(                                                                                        \
      offsetof(Mine, mine) == offsetof(Theirs, theirs) && sizeof(Mine::mine) == sizeof(Theirs::theirs), \
      #theirs " lies elsewhere")
AT(CuptiKernelRecord, registers, CUpti_ActivityKernel10, registersPerThread);
AT(CuptiKernelRecord, start, CUpti_ActivityKernel10, start);
AT(CuptiKernelRecord, end, CUpti_ActivityKernel10, end);
AT(CuptiKernelRecord, device, CUpti_ActivityKernel10, deviceId);
AT(CuptiKernelRecord, stream, CUpti_ActivityKernel10, streamId);
AT(CuptiKernelRecord, correlation, CUpti_ActivityKernel10, correlationId);
AT(CuptiKernelRecord, name, CUpti_ActivityKernel10, name);
AT(CuptiCopyRecord, copy_kind, CUpti_ActivityMemcpy6, copyKind);
AT(CuptiCopyRecord, bytes, CUpti_ActivityMemcpy6, bytes);
AT(CuptiCopyRecord, start, CUpti_ActivityMemcpy6, start);
AT(CuptiCopyRecord, end, CUpti_ActivityMemcpy6, end);
AT(CuptiCopyRecord, device, CUpti_ActivityMemcpy6, deviceId);
AT(CuptiCopyRecord, stream, CUpti_ActivityMemcpy6, streamId);
AT(CuptiCopyRecord, correlation, CUpti_ActivityMemcpy6, correlationId);
AT(CuptiPeerCopyRecord, copy_kind, CUpti_ActivityMemcpyPtoP4, copyKind);
AT(CuptiPeerCopyRecord, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
AT(CuptiPeerCopyRecord, start, CUpti_ActivityMemcpyPtoP4, start);
AT(CuptiPeerCopyRecord, end, CUpti_ActivityMemcpyPtoP4, end);
AT(CuptiPeerCopyRecord, stream, CUpti_ActivityMemcpyPtoP4, streamId);
AT(CuptiPeerCopyRecord, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
AT(CuptiPeerCopyRecord, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
AT(CuptiFillRecord, bytes, CUpti_ActivityMemset4, bytes);
AT(CuptiFillRecord, start, CUpti_ActivityMemset4, start);
AT(CuptiFillRecord, end, CUpti_ActivityMemset4, end);
AT(CuptiFillRecord, device, CUpti_ActivityMemset4, deviceId);
AT(CuptiFillRecord, stream, CUpti_ActivityMemset4, streamId);
AT(CuptiFillRecord, correlation, CUpti_ActivityMemset4, correlationId);
AT(CuptiCallerRecord, whose, CUpti_ActivityExternalCorrelation, externalKind);
AT(CuptiCallerRecord, caller, CUpti_ActivityExternalCorrelation, externalId);
AT(CuptiCallerRecord, correlation, CUpti_ActivityExternalCorrelation, correlationId);

#define SAME(member, name) \
  static_assert(SameShape<decltype(Cupti::member), decltype(&::name)>::value, #name " has other parameters")
SAME(register_callbacks, cuptiActivityRegisterCallbacks);
SAME(enable, cuptiActivityEnable);
SAME(disable, cuptiActivityDisable);
SAME(flush_all, cuptiActivityFlushAll);
SAME(next_record, cuptiActivityGetNextRecord);
SAME(dropped_records, cuptiActivityGetNumDroppedRecords);
SAME(push_caller, cuptiActivityPushExternalCorrelationId);
SAME(pop_caller, cuptiActivityPopExternalCorrelationId);
SAME(timestamp, cuptiGetTimestamp);
SAME(error_name, cuptiGetResultString);

}  // namespace haft::cuda
