/* The device seam: a device type (cpu, cuda, a plug-in of yours) is one table of C functions over plain views. For
 * who writes a device; programs do not need this header, and haft/haft.h does not bring it.
 *
 * How it works
 *  A plug-in is libhaft_<type>.so, found beside libhaft.so or in a folder of HAFT_BACKEND_PATH at the first use of
 *  "<type>:0", or loaded by haft_backend_load. Its one symbol, haft_backend_entry, gets the engine's table and
 *  answers with its own. Both carry `ops_hash`, which names the operators of a build: the numbers of operators and the
 *  places of their attributes hold for that build only, and a plug-in of another is refused. A plug-in that was
 *  compiled with no such numbers says 0 and finds operators by op_name and op_signature of the engine's table.
 *
 *  The engine owns policy, the device mechanism. The engine keeps the cache of memory (by device, stream and size
 *  class; of pinned host memory likewise), chooses streams, holds memory until the streams that use it have passed,
 *  checks, promotes and allocates. The device runs kernels and copies in the order of their streams. So `alloc` and
 *  `free` are rare, and the slots that an operator meets are `kernel` (once) and the function it answered.
 *
 * Contract
 *  1. Nothing here throws, prints or exits. A function returns 0 or a haft_status (haft/types.h) and, on failure,
 *     writes a message with the actual shapes and values into the `error` buffer it was given (never past its size).
 *  2. Memory of a device is touched only by that device's functions; `data` of a view is an address of its device.
 *  3. Kernels and copies are enqueued on a stream and may return before they have run; stream 0 is the device's
 *     default stream. Work on one stream runs in order; streams wait for each other only where events say so, the
 *     default stream included. A device without streams is done on return.
 *  4. The engine has checked dtypes, broadcast and promoted the inputs and allocated the outputs before a kernel is
 *     called. Inputs may be strided (stride 0 for a broadcast dimension) unless the op's trait says DENSE.
 *  5. A slot marked (optional) may be NULL, a group of them all or none; every other slot is required. A table that
 *     ends early (struct_size) has NULL behind its end.
 *  6. Every slot may be called from any thread at any time, also from several at once.
 *  7. Work that was enqueued may fail later: the device keeps the error and answers with it at the next copy,
 *     synchronisation or kernel call, at latest when the device is synchronised.
 *  8. Whoever is called in the child of a fork() and cannot serve there answers HAFT_ERROR_FORKED.
 *  9. Structs that begin with struct_size grow at their end; haft_raw_ numbers are the device's own and mean nothing to
 *     the engine, but that 0 is the default stream or "none".
 */
#ifndef HAFT_BACKEND_H
#define HAFT_BACKEND_H
#include <haft/collectives.h>
#include <haft/view.h>

#define HAFT_BACKEND_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t haft_raw_event;
typedef uint64_t haft_raw_arena;
typedef uint64_t haft_raw_graph;
typedef uint64_t haft_raw_fused;

/* ---- kernels ---- */

/* haft_kernel_call.flags; others are the engine's own */
enum {
  HAFT_CALL_DETERMINISTIC = 1, /* equal calls give equal bits; a kernel that cannot answers HAFT_ERROR_UNSUPPORTED */
  HAFT_CALL_EXACT = 2,         /* no algorithm that rounds more than the plain one (Winograd) */
  HAFT_CALL_TF32 = 4,          /* factors of float32 products may be rounded to 10 bits of mantissa */
  /* For devices whose vendor has a library of convolutions and attention (cuDNN) beside their own kernels: */
  HAFT_CALL_NO_DNN = 8,            /* own kernels */
  HAFT_CALL_NO_DNN_ATTENTION = 16, /* own kernels for attention */
  /* Attention by the library, or HAFT_ERROR_UNSUPPORTED where it does not take the call. */
  HAFT_CALL_DNN_ATTENTION = 32,
  HAFT_CALL_TF32_CONVOLUTION = 64,    /* HAFT_CALL_TF32 for convolutions alone */
  HAFT_CALL_FLOAT32_CONVOLUTION = 128 /* HAFT_CALL_TF32 is not for convolutions */
};

/* One call of one operator. All it points to lives only until the kernel returns: a device that runs it later copies
 * what it needs. The memory under the views stays until work enqueued before its `free` has run. */
typedef struct haft_kernel_call {
  uint32_t struct_size;
  uint32_t op; /* number of the operator in the build that ops_hash names */
  uint16_t n_in, n_out;
  int32_t dtype;                      /* what the kernel was asked for by (see haft_backend.kernel) */
  const haft_tensor_view* const* in;  /* NULL entry: an optional input that is absent */
  const haft_tensor_view* const* out; /* allocated by the engine; in-place ops find an input here again */
  /* Attributes as 8-byte words in the order of the op's signature: int, bool, dtype, device take one word; float the
   * bits of a double; Scalar two words, kind (haft_scalar's) and value; int[] and float[] one word, offset << 32 |
   * length, with the payload at that offset, behind all fixed words. An absent int is HAFT_NONE. */
  const uint64_t* attrs;
  uint32_t n_attrs; /* words, payloads included */
  uint32_t flags;   /* HAFT_CALL_* */
  haft_raw_stream stream;
  int32_t device_index;
  uint32_t error_size;
  char* error;
  void* engine; /* the engine's own, for haft_backend_host.scratch */
  /* Of a call that is recorded and whose signature marks attributes as (seed), (offset) or (set), else NULL: memory
   * of the device that holds `attrs` whenever a replay runs. The kernel reads those attributes there as it runs,
   * since replays change them; all others are as in `attrs`. */
  const uint64_t* live;
} haft_kernel_call;

typedef int32_t (*haft_kernel_fn)(const haft_kernel_call* call);

/* ---- facts ---- */

typedef struct haft_backend_properties {
  uint32_t struct_size;
  int32_t compute_major, compute_minor; /* the architecture's version, 9.0 for NVIDIA's Hopper; 0 where it has none */
  int32_t multiprocessors;
  int64_t total_memory;
  int64_t l2_cache;      /* bytes; 0 when unknown */
  int64_t shared_memory; /* bytes that a group of threads can have; 0 where there is none */
  char name[128];
  char pci[32];      /* "0000:65:00.0"; empty where there is none */
  char uuid[64];     /* the same in every process and after a restart; empty where there is none */
  char runtime[128]; /* driver and libraries with their versions, for reports */
} haft_backend_properties;

typedef struct haft_backend_memory {
  int64_t total, free; /* bytes; -1 when unknown */
} haft_backend_memory;

/* ---- copies ---- */

enum {
  HAFT_COPY_BLOCKING = 1, /* the bytes have arrived on return */
  HAFT_COPY_PINNED = 2    /* the host's side is memory of pinned_alloc of this type */
};

/* ---- events ---- */

enum { HAFT_EVENT_TIMING = 1 }; /* event_elapsed will be asked of it */

/* ---- fused kernels ---- */

/* One step of a fused kernel: a POINTWISE operator, or `cast`, over values. Values are numbered: first the inputs of
 * the kernel, then the results of the steps in their order. A step's result is rounded to its dtype. */
typedef struct haft_fused_step {
  uint32_t op;
  uint16_t n_in;
  uint8_t dtype;        /* of the result */
  uint8_t kernel_dtype; /* what the operator's kernel would be asked for by */
  uint16_t in[6];       /* values, all of numbers below this step's own */
  uint32_t attrs;       /* where the step's attribute words begin among those of the launch */
  uint32_t n_attrs;
} haft_fused_step;

/* What becomes of a value that is an output: it is stored, or joined with all others along the last dimension. Sums
 * of integers and bool are int64, all other outputs have the value's dtype; a mean is of floats; NaN is the largest
 * and the least. */
enum { HAFT_FUSED_STORE = 0, HAFT_FUSED_SUM = 1, HAFT_FUSED_MEAN = 2, HAFT_FUSED_MAX = 3, HAFT_FUSED_MIN = 4 };

/* All values have one iteration space; an input may be broadcast into it by strides of 0, and a joined output has the
 * size 1 in place of the last one. Attributes are not part of the kernel: each launch brings them. */
typedef struct haft_fused_program {
  uint32_t struct_size;
  uint32_t n_in, n_out, n_steps;
  const uint8_t* in_dtypes;
  const haft_fused_step* steps;
  const uint16_t* out;  /* the values that are stored, one an output */
  const char* name;     /* for profilers and messages */
  const uint8_t* joins; /* HAFT_FUSED_*, one an output; NULL: all are stored */
} haft_fused_program;

/* ---- profiles ---- */

enum { HAFT_PROFILED_KERNEL = 0, HAFT_PROFILED_COPY = 1, HAFT_PROFILED_FILL = 2 };

/* Something that a device ran. */
typedef struct haft_profiled {
  uint32_t struct_size;
  int32_t kind;         /* HAFT_PROFILED_* */
  int32_t device_index; /* of a copy between devices the source's */
  uint32_t stream;      /* equal for what ran on one stream; a number for people */
  uint64_t caller;      /* of the last profile_enter that was open on the thread when it enqueued this; 0: none was */
  int64_t start_ns;     /* on CLOCK_MONOTONIC */
  int64_t duration_ns;
  int64_t bytes;    /* of a copy or a fill; 0 for kernels */
  const char* name; /* UTF-8 */
} haft_profiled;
/* `what` and its name live during the call only. */
typedef void (*haft_profiled_fn)(void* context, const haft_profiled* what);

/* ---- the device's table ---- */

typedef struct haft_backend {
  uint32_t struct_size; /* sizeof(haft_backend) of the plug-in: slots behind it count as NULL */
  uint32_t abi;         /* HAFT_BACKEND_ABI it was built for */
  const char* name;     /* device type as users write it: "cpu", "cuda", "sim" */
  const char* version;  /* of the plug-in, for messages; may be NULL */
  uint64_t ops_hash;    /* of the operators that it was built with; 0: it asks for them by name */

  int32_t (*device_count)(int32_t* count, char* error, uint32_t error_size);

  /* Memory that is first used on stream `s`. At `free`, all work that uses p has been enqueued on `s` or comes before
   * it by events; it need not have run. */
  int32_t (*alloc)(int32_t index, int64_t bytes, haft_raw_stream s, void** out, char* error, uint32_t error_size);
  void (*free)(int32_t index, void* p, int64_t bytes, haft_raw_stream s);

  /* The kernel of an op, or NULL with a reason when the device lacks it (asked once per op and dtype). `dtype` is that
   * of the first input that is present and no mask (as where's condition is), or of the first output where there is
   * none. */
  haft_kernel_fn (*kernel)(uint32_t op, int32_t dtype, char* reason, uint32_t reason_size);

  /* Bytes between host and device, in the order of stream `s`; flags are HAFT_COPY_*. Without BLOCKING a copy from or
   * to PINNED memory returns at once and happens later, and the engine holds both sides until then. Host memory that
   * is not pinned has been read or written on return: the device stages or waits. copy_peer copies between two devices
   * of the type, or within one (equal indices); `s` belongs to dst_index, and the engine has ordered the source's
   * stream before it with an event. */
  int32_t (*copy_to_host)(int32_t index, void* dst, const void* src, int64_t bytes, haft_raw_stream s, uint32_t flags,
                          char* error, uint32_t error_size);
  int32_t (*copy_from_host)(int32_t index, void* dst, const void* src, int64_t bytes, haft_raw_stream s, uint32_t flags,
                            char* error, uint32_t error_size);
  int32_t (*copy_peer)(int32_t dst_index, void* dst, int32_t src_index, const void* src, int64_t bytes,
                       haft_raw_stream s, char* error, uint32_t error_size);

  int32_t (*synchronize)(int32_t index, char* error, uint32_t error_size); /* all streams of the device */

  /* (optional, all or none) streams and events; NULL for a device that finishes work on return. A stream waits for the
   * last recording of an event (at once when there was none), also of another device of the type; `index` is the
   * stream's device. An event may be destroyed while streams wait for it. stream_destroy finishes the stream's work.
   * stream_create finds in *out 0, or HAFT_STREAM_FIRST where what waits on the stream is wished to begin before what
   * waits on others. event_elapsed is the device's time in milliseconds between two recordings that have passed, of
   * events made with HAFT_EVENT_TIMING. */
#define HAFT_STREAM_FIRST 1
  int32_t (*stream_create)(int32_t index, haft_raw_stream* out, char* error, uint32_t error_size);
  void (*stream_destroy)(int32_t index, haft_raw_stream s);
  int32_t (*stream_synchronize)(int32_t index, haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*event_create)(int32_t index, uint32_t flags, haft_raw_event* out, char* error, uint32_t error_size);
  void (*event_destroy)(int32_t index, haft_raw_event e);
  int32_t (*event_record)(int32_t index, haft_raw_event e, haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*event_wait)(int32_t index, haft_raw_event e, haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*event_query)(int32_t index, haft_raw_event e, int32_t* done, char* error, uint32_t error_size);
  int32_t (*event_synchronize)(int32_t index, haft_raw_event e, char* error, uint32_t error_size);
  int32_t (*event_elapsed)(int32_t index, haft_raw_event start, haft_raw_event end, double* milliseconds, char* error,
                           uint32_t error_size);

  /* (optional) facts; struct_size of *out is set, the rest zero. */
  int32_t (*properties)(int32_t index, haft_backend_properties* out, char* error, uint32_t error_size);
  int32_t (*memory_info)(int32_t index, haft_backend_memory* out, char* error, uint32_t error_size);
  int32_t (*trim)(int32_t index, int64_t* freed, char* error, uint32_t error_size); /* caches of its own */

  /* (optional) The layout in which the device's kernel of `op` would best write its first output of these sizes:
   * HAFT_LAYOUT_*. NULL: HAFT_LAYOUT_STRIDED for all. Never fails, cheap, and always the same for equal arguments. */
  int32_t (*preferred_layout)(uint32_t op, int32_t dtype, const int64_t* sizes, int32_t ndim);

  /* (optional, both or none) host memory that the device reads and writes by itself, for any device of the type. */
  int32_t (*pinned_alloc)(int32_t index, int64_t bytes, void** out, char* error, uint32_t error_size);
  void (*pinned_free)(int32_t index, void* p, int64_t bytes);

  /* (optional, both or none) Gives back what lies under an allocation (p and bytes are alloc's) but keeps its
   * addresses, once all work of the device that uses it has run; commit puts memory of undefined content there again,
   * or answers HAFT_ERROR_OUT_OF_MEMORY. `free` takes an allocation in either state. */
  int32_t (*decommit)(int32_t index, void* p, int64_t bytes, char* error, uint32_t error_size);
  int32_t (*commit)(int32_t index, void* p, int64_t bytes, char* error, uint32_t error_size);

  /* (optional, all or none) capture: between begin and end, kernels, copies within the device or with pinned memory,
   * and events on stream `s` are recorded, not run; streams that wait for its events belong to the recording until `s`
   * waits for theirs. What cannot be recorded (waiting, other host memory, alloc) answers HAFT_ERROR_UNSUPPORTED; free
   * is done beside it. capture_end ends the recording in any case: without a graph when out is NULL, or with the reason
   * when it went wrong. graph_replay enqueues the whole of it on a stream, over the same addresses with what they hold
   * then. Memory that a recording needs comes from an arena, which serves while one is made, never moves, and goes as
   * a whole, after its graphs. */
  int32_t (*arena_create)(int32_t index, haft_raw_arena* out, char* error, uint32_t error_size);
  int32_t (*arena_alloc)(int32_t index, haft_raw_arena arena, int64_t bytes, void** out, char* error,
                         uint32_t error_size);
  void (*arena_destroy)(int32_t index, haft_raw_arena arena);
  int32_t (*capture_begin)(int32_t index, haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*capture_end)(int32_t index, haft_raw_stream s, haft_raw_graph* out, char* error, uint32_t error_size);
  int32_t (*graph_replay)(int32_t index, haft_raw_graph graph, haft_raw_stream s, char* error, uint32_t error_size);
  void (*graph_destroy)(int32_t index, haft_raw_graph graph);

  /* (optional, all or none) fused kernels. compile answers HAFT_ERROR_UNSUPPORTED with a reason for a program that it
   * cannot fuse: the engine then runs the operators. A launch's call has the program's inputs and outputs, equal sizes
   * but for joined ones, and op and dtype 0; it may be recorded. */
  int32_t (*fused_compile)(int32_t index, const haft_fused_program* program, haft_raw_fused* out, char* error,
                           uint32_t error_size);
  int32_t (*fused_launch)(haft_raw_fused fused, const haft_kernel_call* call);
  void (*fused_destroy)(int32_t index, haft_raw_fused fused);

  /* (optional) how devices of the type talk to each other; lives as long as this table. */
  const haft_collectives* collectives;

  /* (optional) What properties cannot say, for people: the libraries that the device leans on and what is missing
   * without those that are not there. UTF-8 lines "name: value" with a final 0, cut at text_size. */
  int32_t (*describe)(int32_t index, char* text, uint32_t text_size, char* error, uint32_t error_size);

  /* (optional, all or none) What all devices of the type run, for haft's profiler. profile_start begins to note it,
   * or answers why it cannot; each one that answers 0 is followed by a profile_stop, and what is noted between them
   * is the same however many there are. profile_read waits for the devices and hands over, on the calling thread,
   * what was noted since the last call, each thing once. profile_enter says to whom the calling thread's work belongs
   * until profile_leave; they nest. */
  int32_t (*profile_start)(char* error, uint32_t error_size);
  int32_t (*profile_read)(haft_profiled_fn take, void* context, char* error, uint32_t error_size);
  void (*profile_stop)(void);
  void (*profile_enter)(uint64_t caller);
  void (*profile_leave)(void);

  /* (optional, both or none) named ranges of the calling thread for the tools of the device's vendor; they nest. */
  void (*range_push)(const char* name);
  void (*range_pop)(void);

  /* (optional, all or none) streams and events that haft shares with other code, by the handles that the vendor's
   * library knows them by. stream_adopt answers the number of a stream that other code has made on the device: that
   * of a stream of the device's own where it is one (0 for the default stream), else a new one, which serves like
   * those of stream_create until stream_disown; that neither waits nor ends the stream. The engine adopts a handle
   * once at a time. */
  int32_t (*stream_native)(int32_t index, haft_raw_stream s, void** out, char* error, uint32_t error_size);
  int32_t (*stream_adopt)(int32_t index, void* native, haft_raw_stream* out, char* error, uint32_t error_size);
  void (*stream_disown)(int32_t index, haft_raw_stream s);
  int32_t (*event_native)(int32_t index, haft_raw_event e, void** out, char* error, uint32_t error_size);

  /* (optional) 1 in *out where kernels of the device read and write memory of another one of the type. */
  int32_t (*can_access_peer)(int32_t index, int32_t peer, int32_t* out, char* error, uint32_t error_size);

  /* (optional) 1 in *done where the stream has done all that it was given; without it the engine asks an event. */
  int32_t (*stream_query)(int32_t index, haft_raw_stream s, int32_t* done, char* error, uint32_t error_size);
} haft_backend;

/* ---- the engine's table ---- */

/* What the engine offers a plug-in; valid for the life of the process. */
typedef struct haft_backend_host {
  uint32_t struct_size;
  uint32_t abi;        /* HAFT_BACKEND_ABI of this haft */
  const char* version; /* of haft: "1.0.0" */
  uint64_t ops_hash;
  uint32_t op_count; /* operators, numbered from 0 */
  /* NULL for a number that is none. Signatures stand in docs/operators.md: "(Tensor a, Tensor b) -> Tensor". */
  const char* (*op_name)(uint32_t op);
  const char* (*op_signature)(uint32_t op);
  /* The CPU's kernel of an op, for plug-ins that run on host memory; NULL when there is none. */
  haft_kernel_fn (*cpu_kernel)(uint32_t op, int32_t dtype);
  /* Memory for the work that this call enqueues, from the engine's cache of its stream; taken back when the kernel
   * returns, for whatever comes later on that stream. On failure the text is in the call's `error` already. */
  int32_t (*scratch)(const haft_kernel_call* call, int64_t bytes, void** out);
  void (*log)(int32_t level, const char* text);
} haft_backend_host;

/* The one symbol of a plug-in library: `haft_backend_entry`, with C linkage. Returns NULL with a reason when it cannot
 * serve on this machine. The table that it answers lives as long as the process. */
typedef const haft_backend* (*haft_backend_entry_fn)(const haft_backend_host* host, char* reason, uint32_t reason_size);
#define HAFT_BACKEND_ENTRY "haft_backend_entry"

#ifdef __cplusplus
}
#endif
#endif
