/* The library as a guest of its host: version, threads, devices, memory, log, random numbers, profiler, shutdown. */
#ifndef HAFT_RUNTIME_H
#define HAFT_RUNTIME_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief The library's version as major * 1000000 + minor * 1000 + patch.
 * @return the number.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API int32_t haft_get_version_number(void) HAFT_NOTHROW;
/**
 * @brief "1.0.0"; static text.
 * @return static text.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const char* haft_get_version_string(void) HAFT_NOTHROW;
/**
 * @brief Path of the file that this library was loaded from; lives as long as the library.
 * @return the path.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const char* haft_get_library_path(void) HAFT_NOTHROW;
/**
 * @brief What this machine offers, as text: version, instruction set, threads, devices or why there are none.
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_describe(char* buffer, int64_t capacity, int64_t* needed) HAFT_NOTHROW;
/**
 * @brief What the process does, for a monitoring system: memory of each device in use, live handles, and all sessions
 *        with requests by outcome, histograms of latency and batch size, queues and memory, labelled with their names.
 *        In Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats).
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer; figures grow between two calls, so leave room for some hundred more
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. Figures are of one moment for each session, not for all together.
 * @since 1.0
 */
HAFT_API haft_status haft_metrics_to_text(char* buffer, int64_t capacity, int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Waits for the devices that were used and gives all cached memory back: the host's, each device's and pinned
 *        memory. Refused while handles are alive. May be called again; haft works on afterwards. In the child of a
 *        fork() it is the host's alone.
 * @return HAFT_OK, HAFT_ERROR_BUSY naming how many handles of which type are alive; what a device's work failed with
 *         since somebody waited for it, after all memory has gone back.
 * @note Thread class: exclusive.
 * @since 1.0
 */
HAFT_API haft_status haft_shutdown(void) HAFT_NOTHROW;
/**
 * @brief Handles of all types that are alive, for leak tests.
 * @param[out] out  their number
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_live_handles(int64_t* out) HAFT_NOTHROW;

/* ---- threads ---- */

/**
 * @brief Threads that one operator may use, the caller's included: 1..256. Default: the processors of the process.
 * @param[in] n  1..256
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another n.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_set_num_threads(int32_t n) HAFT_NOTHROW;
/**
 * @brief Threads that one operator may use.
 * @param[out] out  the number
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_num_threads(int32_t* out) HAFT_NOTHROW;

/* ---- devices ---- */

/**
 * @brief Reads "cpu", "cuda" or "cuda:1"; the first use of a device type loads its plug-in. A type's name alone is
 *        this thread's current device of it (haft_set_current_device).
 * @param[in]  text  UTF-8; "cpu" has index 0 only
 * @param[out] out   the device
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_UNAVAILABLE (with every path tried), HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_parse(const char* text, haft_device* out) HAFT_NOTHROW;
/**
 * @brief A device as text.
 * @param[in]  device    HAFT_DEVICE_DEFAULT: this thread's default
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_to_string(haft_device device, char* buffer, int64_t capacity,
                                           int64_t* needed) HAFT_NOTHROW;
/**
 * @brief How many devices of a type there are; the first question about a type loads its plug-in.
 * @param[in]  type  "cpu", "cuda", ...
 * @param[out] out   their number; 0 where there is no device, driver or plug-in: haft_device_parse tells why
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a text that is no device type.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_get_count(const char* type, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The device that this thread means by its type's name alone ("cuda"), from now on. Tensors, streams and the
 *        host program's own current device of CUDA stay as they are, and so does haft_set_default_device's choice.
 * @param[in] device  not HAFT_DEVICE_DEFAULT
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT for HAFT_DEVICE_DEFAULT.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_current_device(haft_device device) HAFT_NOTHROW;
/**
 * @brief The device that this thread means by a type's name alone: the first, unless haft_set_current_device has
 *        named another.
 * @param[in]  type  "cpu", "cuda", ...; the first question about a type loads its plug-in
 * @param[out] out   the device
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a text that is no device type, HAFT_ERROR_UNAVAILABLE,
 *         HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_current_device(const char* type, haft_device* out) HAFT_NOTHROW;
/**
 * @brief Whether a device reads and writes memory of another one of its type by itself, so that copies go between
 *        them directly.
 * @param[in]  device  not HAFT_DEVICE_DEFAULT
 * @param[in]  peer    the other one
 * @param[out] out     0 or 1; 1 for a device and itself, 0 for devices of different types
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT for HAFT_DEVICE_DEFAULT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_can_access_peer(haft_device device, haft_device peer, int32_t* out) HAFT_NOTHROW;
typedef struct haft_device_properties {
  uint32_t struct_size;
  int32_t compute_major, compute_minor; /* the architecture's version, 9.0 for NVIDIA's Hopper; 0 where it has none */
  int32_t multiprocessors;              /* of the CPU: processors */
  int64_t total_memory;                 /* bytes; 0 when unknown, as below */
  int64_t l2_cache;
  int64_t shared_memory; /* that a group of threads can have */
  char name[128];
  char pci[32];      /* "0000:65:00.0"; empty where there is none */
  char uuid[64];     /* the same in every process and after a restart; empty where there is none */
  char runtime[128]; /* driver and libraries with their versions; empty where there are none */
} haft_device_properties;
#define HAFT_DEVICE_PROPERTIES_INIT                                                  \
  {                                                                                  \
    (uint32_t)sizeof(haft_device_properties), 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, { 0 } \
  }

/**
 * @brief What a device is.
 * @param[in]     device      HAFT_DEVICE_DEFAULT: this thread's default
 * @param[in,out] properties  struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_get_properties(haft_device device, haft_device_properties* properties) HAFT_NOTHROW;
/**
 * @brief What a device is and what it leans on, as text: lines "name: value" with its name, memory and version, and
 *        of a plug-in its libraries and what is missing without those that are not there.
 * @param[in]  device    HAFT_DEVICE_DEFAULT: this thread's default
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_describe(haft_device device, char* buffer, int64_t capacity,
                                          int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Waits for all work of a device and reports what failed since.
 * @param[in] device  HAFT_DEVICE_DEFAULT: this thread's default
 * @return HAFT_OK, HAFT_ERROR_DEVICE, or the status of the work that failed.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_synchronize(haft_device device) HAFT_NOTHROW;
/**
 * @brief Loads a device plug-in from an explicit path.
 * @param[in] path  the plug-in, libhaft_<type>.so
 * @return HAFT_OK, HAFT_ERROR_UNAVAILABLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_backend_load(const char* path) HAFT_NOTHROW;
/**
 * @brief This thread's device for calls that say HAFT_DEVICE_DEFAULT.
 * @param[in] device  HAFT_DEVICE_DEFAULT: the CPU again
 * @return HAFT_OK, HAFT_ERROR_DEVICE.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_default_device(haft_device device) HAFT_NOTHROW;
/**
 * @brief This thread's default device.
 * @param[out] out  the device
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_default_device(haft_device* out) HAFT_NOTHROW;
/**
 * @brief This thread's dtype for calls that say HAFT_DTYPE_NONE: a floating type.
 * @param[in] dtype  a floating type; HAFT_DTYPE_NONE: HAFT_FLOAT32 again
 * @return HAFT_OK, HAFT_ERROR_DTYPE.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_default_dtype(haft_dtype dtype) HAFT_NOTHROW;
/**
 * @brief This thread's default dtype; HAFT_FLOAT32 unless set.
 * @param[out] out  the dtype
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_default_dtype(haft_dtype* out) HAFT_NOTHROW;
/**
 * @brief Name of a dtype, "float32"; NULL for a number that is none. Static text.
 * @param[in] dtype  any number
 * @return static text, or NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const char* haft_dtype_get_name(haft_dtype dtype) HAFT_NOTHROW;
/**
 * @brief Bytes of an element; 0 for a number that is no dtype.
 * @param[in] dtype  any number
 * @return the number of bytes.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API int64_t haft_dtype_get_size(haft_dtype dtype) HAFT_NOTHROW;
/* How float32 may be computed. Each allows what those before it allow. */
enum {
  HAFT_MATH_EXACT = 0, /* plain algorithms: convolutions have relative errors of about 2e-7 */
  HAFT_MATH_FAST = 1,  /* and those that round more: Winograd's convolution, up to twice as fast, has 1e-6 */
  HAFT_MATH_TF32 = 2   /* and factors of products with 10 bits of mantissa, on devices that multiply these faster */
};
/**
 * @brief How this thread's operators may compute float32; HAFT_MATH_FAST unless set. A session runs as the thread that
 *        created it had set.
 * @param[in] precision  HAFT_MATH_*
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another number.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_math_precision(int32_t precision) HAFT_NOTHROW;
/**
 * @brief What haft_set_math_precision has set in this thread.
 * @param[out] out  HAFT_MATH_*
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_math_precision(int32_t* out) HAFT_NOTHROW;

/* Whether operators must give equal bits for equal inputs, as torch.set_deterministic_debug_mode takes it. */
enum {
  HAFT_DETERMINISTIC_OFF = 0,
  HAFT_DETERMINISTIC_WARN = 1, /* an operator that cannot runs all the same, after a warning in the log */
  HAFT_DETERMINISTIC_ERROR = 2 /* it fails with HAFT_ERROR_UNSUPPORTED */
};
/**
 * @brief Asks this thread's operators for algorithms that give equal bits for equal inputs and as many threads; off
 *        unless set. The CPU's always do; other devices may have operators that cannot. A session runs as the thread
 *        that created it had set.
 * @param[in] mode  HAFT_DETERMINISTIC_*
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another number.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_deterministic(int32_t mode) HAFT_NOTHROW;
/**
 * @brief What haft_set_deterministic has set in this thread.
 * @param[out] out  HAFT_DETERMINISTIC_*
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_deterministic(int32_t* out) HAFT_NOTHROW;

/* Which kernels compute where a device has several: NVIDIA's GPUs have cuDNN's convolutions and attention, and haft's
 * own. Bits, all 0 unless set; other devices do not look at them. */
enum {
  HAFT_KERNELS_NO_DNN = 1,           /* haft's own for convolutions and attention */
  HAFT_KERNELS_NO_DNN_ATTENTION = 2, /* haft's own for attention */
  /* cuDNN for attention, or HAFT_ERROR_UNSUPPORTED where it does not take the call. */
  HAFT_KERNELS_DNN_ATTENTION = 4,
  /* Convolutions of float32 may be computed as HAFT_MATH_TF32 allows, products only where that is set. */
  HAFT_KERNELS_TF32_CONVOLUTION = 8,
  HAFT_KERNELS_FLOAT32_CONVOLUTION = 16 /* they keep all bits where HAFT_MATH_TF32 is set, too */
};
/**
 * @brief Chooses among the kernels of devices that have several, for this thread's calls; gradients follow the choice
 *        of the thread and the moment that computes them. A session runs as the thread that created it had set.
 * @param[in] choice  HAFT_KERNELS_*, joined by |
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for other bits, or for two bits that contradict each other.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_kernel_choice(int32_t choice) HAFT_NOTHROW;
/**
 * @brief What haft_set_kernel_choice has set in this thread.
 * @param[out] out  HAFT_KERNELS_*, joined by |
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_get_kernel_choice(int32_t* out) HAFT_NOTHROW;

/* ---- memory ---- */

typedef struct haft_memory_stats {
  uint32_t struct_size;
  uint32_t reserved0;
  int64_t live;        /* bytes handed out, as asked for */
  int64_t peak;        /* highest live since the last reset */
  int64_t reserved;    /* bytes held from the system, caches included */
  int64_t allocations; /* requests so far */
  int64_t cache_hits;  /* of these, served from a cache */
  int64_t limit;       /* bytes that may be live at once; 0: no limit */
  int64_t total;       /* bytes that the device has; -1: unknown */
  int64_t free;        /* bytes of these that nobody holds, other programs included; -1: unknown */
  /* Pinned host memory, which devices read and write by themselves: one cache for all devices of a type. The
   * CPU's: for all types. */
  int64_t pinned_live;     /* bytes handed out; not in `live`, nor under a limit */
  int64_t pinned_reserved; /* bytes held, the cache included; not in `reserved` */
  int64_t peak_reserved;   /* highest reserved since the last reset; -1 for the CPU, which does not count it */
  int64_t retries;         /* requests that were served when caches had been given back; 0 for the CPU, as below */
  int64_t failures;        /* requests that failed with HAFT_ERROR_OUT_OF_MEMORY */
} haft_memory_stats;
#define HAFT_MEMORY_STATS_INIT \
  { (uint32_t)sizeof(haft_memory_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * @brief Memory of a device as haft sees it.
 * @param[in]     device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[in,out] stats   struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_memory_get_stats(haft_device device, haft_memory_stats* stats) HAFT_NOTHROW;
/* Blocks of one size that the cache of a device holds and nobody has. */
typedef struct haft_memory_class {
  int64_t bytes; /* of a block */
  int64_t count;
} haft_memory_class;
/**
 * @brief What lies free in the cache of a device, which tells how it is cut up: the last is the largest block that
 *        serves without a question to the device; all of them together (bytes times count) are idle, the rest of
 *        `reserved` is in use, and of that what is not `live` is lost to the sizes of blocks. Of all streams
 *        together, though each reuses its own alone.
 * @param[in]  device    HAFT_DEVICE_DEFAULT: this thread's default. The CPU tells none
 * @param[out] out       by size, the smallest first; may be NULL with capacity 0
 * @param[in]  capacity  how many fit
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small, with the number in count.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_memory_get_free_blocks(haft_device device, haft_memory_class* out, int64_t capacity,
                                                 int64_t* count) HAFT_NOTHROW;
/**
 * @brief Sets peak to live, and peak_reserved to reserved.
 * @param[in] device  HAFT_DEVICE_DEFAULT: this thread's default
 * @return HAFT_OK, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_memory_reset_peak(haft_device device) HAFT_NOTHROW;
/**
 * @brief Gives cached blocks back to the system, and those of pinned host memory for the devices of its type.
 * @param[in]  device  HAFT_DEVICE_DEFAULT: this thread's default; the CPU: with the pinned memory of all types
 * @param[out] freed   bytes; may be NULL
 * @return HAFT_OK, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_memory_trim(haft_device device, int64_t* freed) HAFT_NOTHROW;
/**
 * @brief Bytes that may be live at once; 0: no limit. Beyond, allocation answers HAFT_ERROR_OUT_OF_MEMORY.
 * @param[in] device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[in] bytes   0: no limit
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT for a negative number.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_memory_set_limit(haft_device device, int64_t bytes) HAFT_NOTHROW;
/**
 * @brief Calls fn when live host memory rises above a mark, and before a memory limit (of host, device or session)
 *        says no: the moment for a garbage collector to run. What it releases is there for the allocation.
 * @param[in] mark     bytes, not negative
 * @param[in] fn       called on the allocating thread, without locks; it may release tensors. NULL: none from now on
 * @param[in] user     handed to fn
 * @param[in] destroy  called once, when another callback has taken its place and no call of this one runs; may be
 *                     NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a negative mark.
 * @note Thread class: any (for the whole process).
 * @since 1.0
 */
HAFT_API haft_status haft_memory_set_pressure_callback(int64_t mark, void (*fn)(int64_t live, void* user), void* user,
                                                       void (*destroy)(void* user)) HAFT_NOTHROW;
/**
 * @brief One more such function, beside that of haft_memory_set_pressure_callback, for each of several collectors in
 *        a process.
 * @param[in]  mark     bytes, not negative
 * @param[in]  fn       as there
 * @param[in]  user     handed to fn
 * @param[in]  destroy  called once, when it has been removed and no call of it runs; may be NULL
 * @param[out] id       for haft_memory_remove_pressure_callback
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a negative mark.
 * @note Thread class: any (for the whole process).
 * @since 1.0
 */
HAFT_API haft_status haft_memory_add_pressure_callback(int64_t mark, void (*fn)(int64_t live, void* user), void* user,
                                                       void (*destroy)(void* user), int64_t* id) HAFT_NOTHROW;
/**
 * @brief Calls it no more.
 * @param[in]  id  of haft_memory_add_pressure_callback
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another number.
 * @note Thread class: any (for the whole process). @since 1.0
 */
HAFT_API haft_status haft_memory_remove_pressure_callback(int64_t id) HAFT_NOTHROW;
/**
 * @brief The host's own source of host memory, for as long as the process lives.
 * @param[in] alloc  answers memory of that alignment, or NULL; called on any thread
 * @param[in] free   gets back what alloc gave, with the same number of bytes; called on any thread
 * @param[in] user   handed to both
 * @return HAFT_OK, HAFT_ERROR_BUSY after the first allocation.
 * @note Thread class: exclusive.
 * @since 1.0
 */
HAFT_API haft_status haft_memory_set_allocator(void* (*alloc)(int64_t bytes, int64_t alignment, void* user),
                                               void (*free)(void* p, int64_t bytes, void* user),
                                               void* user) HAFT_NOTHROW;

/* ---- log ---- */

enum { HAFT_LOG_NONE = 0, HAFT_LOG_ERROR = 1, HAFT_LOG_WARNING = 2, HAFT_LOG_INFO = 3, HAFT_LOG_DEBUG = 4 };
/**
 * @brief Where haft's log lines go; without a sink they go nowhere (or to stderr when the environment has HAFT_LOG).
 * @param[in] level    HAFT_LOG_*: the least urgent lines that are wanted
 * @param[in] sink     called on any thread, on several at once; NULL: none
 * @param[in] user     handed to sink
 * @param[in] destroy  called once, when another sink has taken its place and no call of this one runs; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a level that is none.
 * @note Thread class: any (for the whole process).
 * @since 1.0
 */
HAFT_API haft_status haft_set_log_sink(int32_t level, void (*sink)(int32_t level, const char* text, void* user),
                                       void* user, void (*destroy)(void* user)) HAFT_NOTHROW;

/* ---- random numbers ---- */

/**
 * @brief A generator: a position in the stream of Philox4x32-10 that the seed names. The same on every device.
 * @param[in]  seed  any number
 * @param[out] out   a new generator; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any. Calls that draw from one generator at once get disjoint parts of its stream.
 * @since 1.0
 */
HAFT_API haft_status haft_generator_create(int64_t seed, haft_generator** out) HAFT_NOTHROW;
/**
 * @brief One more owner.
 * @param[in] g  the generator
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_generator_retain(haft_generator* g) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in] g  the generator
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_generator_release(haft_generator* g) HAFT_NOTHROW;
/**
 * @brief Starts the stream of a seed from its beginning; torch.manual_seed.
 * @param[in] g     NULL: the default generator
 * @param[in] seed  any number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_generator_seed(haft_generator* g, int64_t seed) HAFT_NOTHROW;
/**
 * @brief Seed and position (in blocks of four numbers).
 * @param[in]  g       NULL: the default generator
 * @param[out] seed    the seed
 * @param[out] offset  the position
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_generator_get_state(const haft_generator* g, int64_t* seed, int64_t* offset) HAFT_NOTHROW;
/**
 * @brief Sets what haft_generator_get_state told.
 * @param[in] g       NULL: the default generator
 * @param[in] seed    the seed
 * @param[in] offset  the position
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_generator_set_state(haft_generator* g, int64_t seed, int64_t offset) HAFT_NOTHROW;

/**
 * @brief Lets random operators of this thread draw apart from those of other ranks, whose generators are equal and
 *        stay so: what a rank does around dropout of its part of a spread tensor, with its rank + 1. Each operator
 *        then takes one block of its generator, whatever the size of its result, and draws from a stream that the
 *        block and this number name.
 * @param[in]  stream  above 0; 0: the generator's own numbers again
 * @param[out] before  what it was; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a negative stream.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_random_set_stream(int64_t stream, int64_t* before) HAFT_NOTHROW;

/* ---- profiler ---- */

typedef struct haft_profile haft_profile;
/**
 * @brief Records every operator that this thread runs.
 * @param[in]  shapes  1: with the inputs' shapes
 * @return HAFT_OK, HAFT_ERROR_BUSY when it is on already.
 * @note Thread class: any (per thread). @since 1.0
 */
HAFT_API haft_status haft_profiler_start(int32_t shapes) HAFT_NOTHROW;
/** What a profile has beside operators and ranges: bits. */
enum {
  HAFT_PROFILE_SHAPES = 1, /**< the shapes of operators' inputs */
  HAFT_PROFILE_DEVICES =
      2, /**< kernels, copies and fills as the devices ran them, each with the operator or range that enqueued it */
  HAFT_PROFILE_RANGES = 4, /**< operators and ranges go to the tools of the devices' vendors as well (NVTX) */
  HAFT_PROFILE_MODULES = 8 /**< a range for each module that runs, named by its type */
};
/**
 * @brief haft_profiler_start with a choice of what is recorded. Operators' own times are the host's. Rows of devices
 * need what their vendor brings for it (CUPTI); where that is missing, the table and the trace say why, and the rest
 * is recorded.
 * @param[in] what  HAFT_PROFILE_* or 0
 * @return HAFT_OK, HAFT_ERROR_BUSY when it is on already, HAFT_ERROR_INVALID_ARGUMENT for other bits.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_profiler_start_with(uint32_t what) HAFT_NOTHROW;
/**
 * @brief Stops recording. With HAFT_PROFILE_DEVICES it waits for the devices first.
 * @param[out] out  the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when it is off; after HAFT_ERROR_OUT_OF_MEMORY it is still on.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_profiler_stop(haft_profile** out) HAFT_NOTHROW;
/**
 * @brief Opens a named range in this thread's profile; no effect while the profiler is off.
 * @param[in] name  UTF-8, copied
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for NULL and for text that is not UTF-8.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_profiler_push(const char* name) HAFT_NOTHROW;
/**
 * @brief Closes the innermost range.
 * @return HAFT_OK, also when no range is open.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_profiler_pop(void) HAFT_NOTHROW;
/**
 * @brief Opens a named range of this thread for the tools of the devices' vendors (NVTX), whether haft's profiler is
 *        on or not: of every device type that is loaded and knows ranges.
 * @param[in] name  UTF-8, copied
 * @return HAFT_OK, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_range_push(const char* name) HAFT_NOTHROW;
/**
 * @brief Closes this thread's innermost range of haft_range_push.
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when none is open, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_range_pop(void) HAFT_NOTHROW;
/**
 * @brief Operators by total time, as a text table. Where devices were recorded: the time that each had there, and a
 * second table of what ran there.
 * @param[in]  p         the profile
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_profile_get_table(const haft_profile* p, char* buffer, int64_t capacity,
                                            int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Writes a trace that chrome://tracing and Perfetto read. Devices stand beside the process, a line a stream.
 * @param[in] p     the profile
 * @param[in] path  the file, replaced when it is there
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_profile_write_trace(const haft_profile* p, const char* path) HAFT_NOTHROW;
/**
 * @brief The trace of haft_profile_write_trace as text (JSON; times in microseconds).
 * @param[in]  p         the profile
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_profile_get_trace(const haft_profile* p, char* buffer, int64_t capacity,
                                            int64_t* needed) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in] p  the profile
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_profile_retain(haft_profile* p) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in] p  the profile
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_profile_release(haft_profile* p) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
