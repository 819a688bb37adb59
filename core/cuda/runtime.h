// CUDA's runtime as a table of functions: the plug-in calls nothing else of it, and includes no header of NVIDIA's
// for it. runtime_cuda.cpp fills the table from the static cudart, tests/cuda from a simulation that checks its
// callers.
//
// Functions answer a cudaError_t as a number, 0 for success. All but `launch` act on the current device of the
// calling thread, which DeviceScope (scope.h) sets and restores: the host program's CUDA code has one, too. It
// restores the context, which may be none: to make a device current that nobody has used costs hundreds of megabytes
// of its memory.
#pragma once
#include <cstddef>
#include <cstdint>

struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUctx_st;

namespace haft::cuda {

using Stream = CUstream_st*;
using Event = CUevent_st*;
using Graph = CUgraph_st*;
using GraphExec = CUgraphExec_st*;
using Context = CUctx_st*;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

// Numbers of cudaError_t that are told apart.
enum RuntimeError : int {
  kSuccess = 0,
  kMemoryAllocation = 2,
  kInsufficientDriver = 35,
  kStubLibrary = 34,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotReady = 600,
  kPeerAccessAlreadyEnabled = 704,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kLastOfCapture = 908,  // cudaErrorStreamCaptureWrongThread: all between speak of captures
};
// CUDA's names for the default streams of the current device, which is why they want one for all that goes there.
inline const Stream kLegacyStream = reinterpret_cast<Stream>(1),
                    kStreamOfThread = reinterpret_cast<Stream>(2);
inline bool is_of_current_device(Stream s) { return reinterpret_cast<uintptr_t>(s) <= 2; }
// cudaMemcpyKind
enum CopyKind : int { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3 };
// cudaStreamCaptureStatus
enum CaptureStatus : int { kNotCapturing = 0, kCapturing = 1, kCaptureInvalidated = 2 };

struct DeviceFacts {
  char name[128];
  char pci[32];
  uint8_t uuid[16];
  int major, minor, multiprocessors, clock_khz;
  int max_threads_per_multiprocessor, max_shared_per_block;  // threads, bytes (with opt-in)
  int64_t total_memory, l2_cache;
  int memory_pools, integrated;
};

// What a kernel's launch is: `kernel` is a handle of `kernel_handle` or `kernel_of`, the same for all devices.
// `invoke` calls it for one thread where kernels are compiled for the host (tests/cuda), and is null elsewhere.
struct Launch {
  const void* kernel;
  void (*invoke)(const void* function, void** arguments);
  Dim3 grid, block;
  void** arguments;
  size_t shared;  // bytes of dynamic shared memory
  Stream stream;
  const size_t* sizes;  // bytes of each argument, for who runs it later
  int n_arguments;
};

struct Runtime {
  const char* (*error_name)(int);
  const char* (*error_text)(int);
  int (*driver_version)(int*);  // 13000 for 13.0; 0 without a driver
  int (*runtime_version)(int*);
  int (*device_count)(int*);
  int (*set_device)(int);  // makes the device's primary context at its first use
  int (*get_context)(Context*);
  int (*set_context)(Context);
  int (*facts)(int device, DeviceFacts*);
  int (*memory_info)(size_t* free, size_t* total);
  int (*last_error)();  // and forgets it

  int (*malloc_async)(void**, size_t, Stream);  // from the device's pool
  int (*free_async)(void*, Stream);
  int (*pool_keep)(int device);  // the pool keeps what was freed
  int (*pool_trim)(int device, size_t keep);
  int (*malloc)(void**, size_t);
  int (*free)(void*);
  int (*host_alloc)(void**, size_t);  // pinned, for all devices
  int (*host_free)(void*);

  // Virtual memory of a device: addresses that may lose and regain what lies under them. `granule` divides all sizes.
  int (*reserve)(void**, size_t, int device);
  int (*release_reserved)(void*, size_t);
  int (*map)(void*, size_t, int device, uint64_t* handle);
  int (*unmap)(void*, size_t, uint64_t handle);
  int (*granule)(int device, size_t*);

  bool (*is_pinned)(const void*);  // whether copies of this host memory return before they are done
  int (*copy_async)(void* to, const void* from, size_t, CopyKind, Stream);
  int (*copy_peer_async)(void* to, int to_device, const void* from, int from_device, size_t, Stream);
  int (*fill_async)(void*, int byte, size_t, Stream);
  int (*can_access_peer)(int*, int device, int peer);
  int (*enable_peer)(int peer);

  int (*stream_create)(Stream*, int priority);  // non-blocking; priority 0 or -1 (high)
  int (*stream_destroy)(Stream);
  int (*stream_synchronize)(Stream);
  int (*stream_query)(Stream);
  int (*stream_wait_event)(Stream, Event);
  int (*device_synchronize)();

  int (*event_create)(Event*, int timing);
  int (*event_destroy)(Event);
  int (*event_record)(Event, Stream);
  int (*event_query)(Event);
  int (*event_synchronize)(Event);
  int (*event_elapsed)(float* milliseconds, Event, Event);

  int (*capture_begin)(Stream);  // errors of other threads do not end it
  int (*capture_end)(Stream, Graph*);
  int (*capture_status)(Stream, CaptureStatus*);
  int (*graph_instantiate)(GraphExec*, Graph);
  int (*graph_launch)(GraphExec, Stream);
  int (*graph_exec_destroy)(GraphExec);
  int (*graph_destroy)(Graph);

  // Of the host's name of a __global__ function.
  int (*kernel_handle)(const void** kernel, const void* function);
  // Where the stream is, whatever device is current, if any: a driver that wants one answers kInvalidContext.
  int (*launch)(const Launch&);
  int (*allow_shared)(const void* function, int bytes);    // more than 48 KB of dynamic shared memory
  int (*library_load)(void** library, const void* image);  // a cubin, or PTX; for good
  int (*kernel_of)(const void** kernel, void* library, const char* name);

  // NVTX: for tools that have put themselves in; nobody listens otherwise.
  void (*range_push)(const char* name);
  void (*range_pop)();

  // Of a stream of other code, which kLegacyStream and kStreamOfThread are not.
  int (*stream_device)(Stream, int* device);
};

const Runtime& runtime();  // one a plug-in, linked in

}  // namespace haft::cuda
