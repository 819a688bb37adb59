/* The device seam. A device type (cpu, cuda, a plug-in of yours) is one table of C functions over plain
 * views.
 *
 * Contract
 *  1. Nothing here throws, prints or exits. A function returns 0 or a haft status code and, on failure,
 * writes a message with the actual shapes and values into the `error` buffer it was given (never past its
 * size).
 *  2. Memory of a device is touched only by that device's functions; `data` of a view is an address of its
 * device.
 *  3. Kernels and copies are enqueued on a stream and may return before they have run; stream 0 is the
 * device's default stream. Work on one stream runs in order. The CPU has no streams: everything is done on
 * return.
 *  4. The engine has checked dtypes, broadcast and promoted the inputs and allocated the outputs before a
 * kernel is called. Inputs may be strided (stride 0 for a broadcast dimension) unless the op's trait says
 * DENSE.
 *  5. A slot marked (optional) may be NULL; every other slot is required.
 *  6. Every slot may be called from any thread at any time, also from several at once.
 *  7. Work that was enqueued may fail later: the device keeps the error and answers with it at the next copy,
 *     synchronisation or kernel call, at latest when the device is synchronised.
 *  8. Whoever is called in the child of a fork() and cannot serve there answers with status 18 (forked).
 */
#ifndef HAFT_CORE_BACKEND_BACKEND_H
#define HAFT_CORE_BACKEND_BACKEND_H
#include <stddef.h>
#include <stdint.h>

#include "core/tensor/view.h"

#define HAFT_BACKEND_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t haft_stream; /* 0: the device's default stream */
typedef uint64_t haft_event;

/* One call of one operator. Attributes are 8-byte words in the order of the op's signature (see
 * schema/attrs.h). */
typedef struct haft_kernel_call {
  uint32_t op; /* OpId */
  uint16_t n_in, n_out;
  const haft_tensor_view* const* in;  /* NULL entry: an optional input that is absent */
  const haft_tensor_view* const* out; /* allocated by the engine; in-place ops find an input here again */
  const uint64_t* attrs;
  haft_stream stream;
  int32_t device_index;
  uint32_t error_size;
  char* error;
  uint32_t n_attrs; /* words at `attrs`, payloads of lists included */
} haft_kernel_call;

/* Everything a call points to (views, attributes, error) lives only until the kernel returns: a device that
 * runs it later copies what it needs. Memory that the views point to stays until work enqueued before its
 * `free` has run. */

typedef int32_t (*haft_kernel_fn)(const haft_kernel_call* call);

typedef struct haft_memory_info {
  int64_t total, free; /* bytes; -1 when unknown */
} haft_memory_info;

typedef struct haft_backend {
  uint32_t struct_size; /* sizeof(haft_backend) of the plug-in: slots behind it count as NULL */
  uint32_t abi;         /* HAFT_BACKEND_ABI it was built for */
  const char* name;     /* device type as users write it: "cpu", "cuda", "sim" */

  int32_t (*device_count)(int32_t* count, char* error, uint32_t error_size);
  int32_t (*alloc)(int32_t index, int64_t bytes, void** out, char* error, uint32_t error_size);
  void (*free)(int32_t index, void* p, int64_t bytes); /* work already enqueued may still use p */

  /* The kernel of an op, or NULL with a reason when the device lacks it (asked once per op and dtype). */
  haft_kernel_fn (*kernel)(uint32_t op, int32_t dtype, char* reason, uint32_t reason_size);

  /* Bytes between host and device. With `blocking` the copy has happened on return. Without it copy_from_host
   * has still read `src` on return (it stages what it cannot pin), while copy_to_host may write `dst` until
   * the stream is synchronised. copy_peer copies between two devices of the type, or within one (equal
   * indices); `s` belongs to dst_index, and the engine has ordered the source's stream before it with an
   * event. */
  int32_t (*copy_to_host)(int32_t index, void* dst, const void* src, int64_t bytes, haft_stream s,
                          int32_t blocking, char* error, uint32_t error_size);
  int32_t (*copy_from_host)(int32_t index, void* dst, const void* src, int64_t bytes, haft_stream s,
                            int32_t blocking, char* error, uint32_t error_size);
  int32_t (*copy_peer)(int32_t dst_index, void* dst, int32_t src_index, const void* src, int64_t bytes,
                       haft_stream s, char* error, uint32_t error_size);

  int32_t (*synchronize)(int32_t index, char* error, uint32_t error_size); /* all streams of the device */

  /* (optional, all or none) streams and events; NULL for a device that finishes work on return. A stream
   * waits for the last recording of an event (at once when there was none), also of another device of the
   * type; `index` is the stream's device. An event may be destroyed while streams wait for it. stream_destroy
   * finishes the stream's work. */
  int32_t (*stream_create)(int32_t index, haft_stream* out, char* error, uint32_t error_size);
  void (*stream_destroy)(int32_t index, haft_stream s);
  int32_t (*stream_synchronize)(int32_t index, haft_stream s, char* error, uint32_t error_size);
  int32_t (*event_create)(int32_t index, haft_event* out, char* error, uint32_t error_size);
  void (*event_destroy)(int32_t index, haft_event e);
  int32_t (*event_record)(int32_t index, haft_event e, haft_stream s, char* error, uint32_t error_size);
  int32_t (*event_wait)(int32_t index, haft_event e, haft_stream s, char* error, uint32_t error_size);
  int32_t (*event_query)(int32_t index, haft_event e, int32_t* done, char* error, uint32_t error_size);

  /* (optional) */
  int32_t (*memory_info)(int32_t index, haft_memory_info* out, char* error, uint32_t error_size);
  int32_t (*trim)(int32_t index, int64_t* freed, char* error, uint32_t error_size);
} haft_backend;

/* What the engine offers a plug-in; valid for the life of the process. */
typedef struct haft_backend_host {
  uint32_t struct_size;
  uint32_t abi;
  /* The CPU's kernel of an op, for plug-ins that run on host memory; NULL when there is none. */
  haft_kernel_fn (*cpu_kernel)(uint32_t op, int32_t dtype);
  const char* (*op_name)(uint32_t op);
  void (*log)(int32_t level, const char* text);
} haft_backend_host;

/* The one symbol of a plug-in library. Returns NULL with a reason when it cannot serve on this machine. */
typedef const haft_backend* (*haft_backend_entry_fn)(const haft_backend_host* host, char* reason,
                                                     uint32_t reason_size);
#define HAFT_BACKEND_ENTRY "haft_backend_entry"

#ifdef __cplusplus
}
#endif
#endif
