// The table of runtime.h from the CUDA runtime that is linked in, and from the driver by the runtime's own look-up:
// the plug-in loads where there is no driver, too.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstring>

#include "core/cuda/runtime.h"

namespace haft::cuda {

namespace {

static_assert(int(kMemoryAllocation) == cudaErrorMemoryAllocation &&
              int(kInsufficientDriver) == cudaErrorInsufficientDriver &&
              int(kStubLibrary) == cudaErrorStubLibrary && int(kNoDevice) == cudaErrorNoDevice &&
              int(kInvalidDevice) == cudaErrorInvalidDevice && int(kNotReady) == cudaErrorNotReady &&
              int(kInvalidContext) == cudaErrorDeviceUninitialized &&
              int(kInvalidHandle) == cudaErrorInvalidResourceHandle &&
              int(kPeerAccessAlreadyEnabled) == cudaErrorPeerAccessAlreadyEnabled &&
              int(kStreamCaptureUnsupported) == cudaErrorStreamCaptureUnsupported &&
              int(kStreamCaptureInvalidated) == cudaErrorStreamCaptureInvalidated &&
              int(kLastOfCapture) == cudaErrorStreamCaptureWrongThread);
static_assert(int(kHostToDevice) == cudaMemcpyHostToDevice && int(kDeviceToHost) == cudaMemcpyDeviceToHost &&
              int(kDeviceToDevice) == cudaMemcpyDeviceToDevice);
static_assert(int(kCapturing) == cudaStreamCaptureStatusActive &&
              int(kCaptureInvalidated) == cudaStreamCaptureStatusInvalidated);

// A function of the driver's; CUresult and cudaError_t are equal numbers for what the two share. 0 when there is none.
template <class F>
F* driver(const char* name, int version) {
  void* f = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &f, unsigned(version), cudaEnableDefault, &found);
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<F*>(f) : nullptr;
}
// The function is looked up once, at its first call.
#define HAFT_DRIVER(name, version)                                \
  static const auto f = driver<decltype(::name)>(#name, version); \
  if (!f) return int(cudaErrorInsufficientDriver)

int get_context(Context* c) {
  HAFT_DRIVER(cuCtxGetCurrent, 4000);
  return f(c);
}
int set_context(Context c) {
  HAFT_DRIVER(cuCtxSetCurrent, 4000);
  return f(c);
}

int attribute(int device, cudaDeviceAttr which) {
  int v = 0;
  if (cudaDeviceGetAttribute(&v, which, device) != cudaSuccess) cudaGetLastError();
  return v;
}
int facts(int device, DeviceFacts* out) {
  *out = {};
  cudaDeviceProp p;
  if (const cudaError_t failed = cudaGetDeviceProperties(&p, device)) return failed;
  std::snprintf(out->name, sizeof out->name, "%.127s", p.name);
  std::snprintf(out->pci, sizeof out->pci, "%04x:%02x:%02x.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
  std::memcpy(out->uuid, p.uuid.bytes, 16);
  out->major = p.major;
  out->minor = p.minor;
  out->multiprocessors = p.multiProcessorCount;
  out->clock_khz = attribute(device, cudaDevAttrClockRate);
  out->max_threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
  out->max_shared_per_block = int(p.sharedMemPerBlockOptin);
  out->total_memory = int64_t(p.totalGlobalMem);
  out->l2_cache = p.l2CacheSize;
  out->memory_pools = attribute(device, cudaDevAttrMemoryPoolsSupported);
  out->integrated = p.integrated;
  return 0;
}

int pool_keep(int device) {
  cudaMemPool_t pool;
  if (const cudaError_t failed = cudaDeviceGetDefaultMemPool(&pool, device)) return failed;
  uint64_t all = UINT64_MAX;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
}
int pool_trim(int device, size_t keep) {
  cudaMemPool_t pool;
  if (const cudaError_t failed = cudaDeviceGetDefaultMemPool(&pool, device)) return failed;
  return cudaMemPoolTrimTo(pool, keep);
}

CUmemAllocationProp memory_on(int device) {
  CUmemAllocationProp p = {};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  return p;
}
int granule(int device, size_t* out) {
  HAFT_DRIVER(cuMemGetAllocationGranularity, 10020);
  const CUmemAllocationProp p = memory_on(device);
  return f(out, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
}
int reserve(void** out, size_t bytes, int) {
  HAFT_DRIVER(cuMemAddressReserve, 10020);
  CUdeviceptr p = 0;
  const CUresult status = f(&p, bytes, 0, 0, 0);
  *out = reinterpret_cast<void*>(p);
  return status;
}
int release_reserved(void* p, size_t bytes) {
  HAFT_DRIVER(cuMemAddressFree, 10020);
  return f(CUdeviceptr(p), bytes);
}
int release_handle(uint64_t handle) {
  HAFT_DRIVER(cuMemRelease, 10020);
  return f(handle);
}
int create_handle(uint64_t* handle, size_t bytes, int device) {
  HAFT_DRIVER(cuMemCreate, 10020);
  const CUmemAllocationProp p = memory_on(device);
  CUmemGenericAllocationHandle h = 0;
  const CUresult status = f(&h, bytes, &p, 0);
  *handle = h;
  return status;
}
int unmap_range(void* p, size_t bytes) {
  HAFT_DRIVER(cuMemUnmap, 10020);
  return f(CUdeviceptr(p), bytes);
}
int map_range(void* p, size_t bytes, uint64_t handle) {
  HAFT_DRIVER(cuMemMap, 10020);
  return f(CUdeviceptr(p), bytes, 0, handle, 0);
}
// For the device itself, and for those that can reach it: peer access to mapped memory is said here, not by
// cudaDeviceEnablePeerAccess.
int allow(void* p, size_t bytes, int device) {
  HAFT_DRIVER(cuMemSetAccess, 10020);
  int count = 0;
  if (const cudaError_t failed = cudaGetDeviceCount(&count)) return failed;
  for (int d = 0; d < count; ++d) {
    int can = d == device;
    if (!can && cudaDeviceCanAccessPeer(&can, d, device) != cudaSuccess) can = (cudaGetLastError(), 0);
    if (!can) continue;
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, {d}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const CUresult status = f(CUdeviceptr(p), bytes, &access, 1);
    if (status != CUDA_SUCCESS && d == device) return status;
  }
  return 0;
}
int map(void* p, size_t bytes, int device, uint64_t* handle) {
  if (const int failed = create_handle(handle, bytes, device)) return failed;
  int status = map_range(p, bytes, *handle);
  if (status == 0) {
    status = allow(p, bytes, device);
    if (status) unmap_range(p, bytes);
  }
  if (status) release_handle(*handle);
  return status;
}
int unmap(void* p, size_t bytes, uint64_t handle) {
  if (const int failed = unmap_range(p, bytes)) return failed;
  return release_handle(handle);
}

// Memory of pools is opened by the pool, all other by the device.
int enable_peer(int peer) {
  int device = 0;
  cudaMemPool_t pool;
  if (const cudaError_t failed = cudaGetDevice(&device)) return failed;
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
  if (enabled != cudaSuccess && enabled != cudaErrorPeerAccessAlreadyEnabled) return enabled;
  cudaGetLastError();
  if (const cudaError_t failed = cudaDeviceGetDefaultMemPool(&pool, peer)) return failed;
  cudaMemAccessDesc access = {};
  access.location = {cudaMemLocationTypeDevice, {device}};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  return cudaMemPoolSetAccess(pool, &access, 1);
}

cudaMemcpyKind kind_of(CopyKind k) { return cudaMemcpyKind(int(k)); }
// A handle that says nothing of a context: the driver takes the stream's, so that none needs to be current and
// nothing of the runtime's stands in between.
int kernel_handle(const void** kernel, const void* function) {
  cudaKernel_t k = nullptr;
  const cudaError_t failed = cudaGetKernel(&k, function);
  *kernel = k;
  return int(failed);
}
int launch(const Launch& l) {
  HAFT_DRIVER(cuLaunchKernel, 4000);
  return f(static_cast<CUfunction>(const_cast<void*>(l.kernel)), l.grid.x, l.grid.y, l.grid.z, l.block.x,
           l.block.y, l.block.z, unsigned(l.shared), l.stream, l.arguments, nullptr);
}
int allow_shared(const void* function, int bytes) {
  HAFT_DRIVER(cuKernelSetAttribute, 12000);
  cudaKernel_t k = nullptr;
  int device = 0;
  if (const cudaError_t failed = cudaGetKernel(&k, function)) return failed;
  if (const cudaError_t failed = cudaGetDevice(&device)) return failed;
  return f(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes, k, device);
}

Runtime make() {
  Runtime r = {};
  r.error_name = [](int e) { return cudaGetErrorName(cudaError_t(e)); };
  r.error_text = [](int e) { return cudaGetErrorString(cudaError_t(e)); };
  r.driver_version = [](int* v) { return int(cudaDriverGetVersion(v)); };
  r.runtime_version = [](int* v) { return int(cudaRuntimeGetVersion(v)); };
  r.device_count = [](int* n) { return int(cudaGetDeviceCount(n)); };
  r.set_device = [](int d) { return int(cudaSetDevice(d)); };
  r.get_context = get_context;
  r.set_context = set_context;
  r.facts = facts;
  r.memory_info = [](size_t* free, size_t* total) { return int(cudaMemGetInfo(free, total)); };
  r.last_error = [] { return int(cudaGetLastError()); };

  r.malloc_async = [](void** p, size_t n, Stream s) { return int(cudaMallocAsync(p, n, s)); };
  r.free_async = [](void* p, Stream s) { return int(cudaFreeAsync(p, s)); };
  r.pool_keep = pool_keep;
  r.pool_trim = pool_trim;
  r.malloc = [](void** p, size_t n) { return int(cudaMalloc(p, n)); };
  r.free = [](void* p) { return int(cudaFree(p)); };
  r.host_alloc = [](void** p, size_t n) { return int(cudaHostAlloc(p, n, cudaHostAllocPortable)); };
  r.host_free = [](void* p) { return int(cudaFreeHost(p)); };
  r.reserve = reserve;
  r.release_reserved = release_reserved;
  r.map = map;
  r.unmap = unmap;
  r.granule = granule;

  r.is_pinned = [](const void* p) {
    cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p) == cudaSuccess) return a.type != cudaMemoryTypeUnregistered;
    cudaGetLastError();
    return true;  // to wait is always right
  };
  r.copy_async = [](void* to, const void* from, size_t n, CopyKind k, Stream s) {
    return int(cudaMemcpyAsync(to, from, n, kind_of(k), s));
  };
  r.copy_peer_async = [](void* to, int to_device, const void* from, int from_device, size_t n, Stream s) {
    return int(cudaMemcpyPeerAsync(to, to_device, from, from_device, n, s));
  };
  r.fill_async = [](void* p, int byte, size_t n, Stream s) { return int(cudaMemsetAsync(p, byte, n, s)); };
  r.can_access_peer = [](int* can, int device, int peer) {
    return int(cudaDeviceCanAccessPeer(can, device, peer));
  };
  r.enable_peer = enable_peer;

  r.stream_create = [](Stream* s, int priority) {
    return int(cudaStreamCreateWithPriority(s, cudaStreamNonBlocking, priority));
  };
  r.stream_destroy = [](Stream s) { return int(cudaStreamDestroy(s)); };
  r.stream_synchronize = [](Stream s) { return int(cudaStreamSynchronize(s)); };
  r.stream_query = [](Stream s) { return int(cudaStreamQuery(s)); };
  r.stream_device = [](Stream s, int* device) { return int(cudaStreamGetDevice(s, device)); };
  r.stream_wait_event = [](Stream s, Event e) { return int(cudaStreamWaitEvent(s, e, 0)); };
  r.device_synchronize = [] { return int(cudaDeviceSynchronize()); };

  r.event_create = [](Event* e, int timing) {
    return int(cudaEventCreateWithFlags(e, timing ? cudaEventDefault : cudaEventDisableTiming));
  };
  r.event_destroy = [](Event e) { return int(cudaEventDestroy(e)); };
  r.event_record = [](Event e, Stream s) { return int(cudaEventRecord(e, s)); };
  r.event_query = [](Event e) { return int(cudaEventQuery(e)); };
  r.event_synchronize = [](Event e) { return int(cudaEventSynchronize(e)); };
  r.event_elapsed = [](float* ms, Event a, Event b) { return int(cudaEventElapsedTime(ms, a, b)); };

  r.capture_begin = [](Stream s) { return int(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); };
  r.capture_end = [](Stream s, Graph* g) { return int(cudaStreamEndCapture(s, g)); };
  r.capture_status = [](Stream s, CaptureStatus* out) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t failed = cudaStreamIsCapturing(s, &status);
    *out = CaptureStatus(int(status));
    return int(failed);
  };
  r.graph_instantiate = [](GraphExec* e, Graph g) { return int(cudaGraphInstantiate(e, g, 0)); };
  r.graph_launch = [](GraphExec e, Stream s) { return int(cudaGraphLaunch(e, s)); };
  r.graph_exec_destroy = [](GraphExec e) { return int(cudaGraphExecDestroy(e)); };
  r.graph_destroy = [](Graph g) { return int(cudaGraphDestroy(g)); };

  r.kernel_handle = kernel_handle;
  r.launch = launch;
  r.allow_shared = allow_shared;
  r.library_load = [](void** library, const void* image) {
    return int(cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(library), image, nullptr, nullptr, 0,
                                   nullptr, nullptr, 0));
  };
  r.kernel_of = [](const void** kernel, void* library, const char* name) {
    cudaKernel_t k = nullptr;
    const cudaError_t failed = cudaLibraryGetKernel(&k, static_cast<cudaLibrary_t>(library), name);
    *kernel = k;
    return int(failed);
  };

  r.range_push = [](const char* name) { nvtxRangePushA(name); };
  r.range_pop = [] { nvtxRangePop(); };
  return r;
}

}  // namespace

const Runtime& runtime() {
  static const Runtime table = make();
  return table;
}

}  // namespace haft::cuda
