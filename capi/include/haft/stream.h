/* Streams and events: work of a device in orders of one's own. Operators go to the calling thread's current stream of
 * their device. On the CPU, and on any device without streams, work is done when a call returns: everything here
 * succeeds there and has nothing to wait for, but the time between events is not measured. */
#ifndef HAFT_STREAM_H
#define HAFT_STREAM_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_stream haft_stream;
typedef struct haft_event haft_event;

/* ---- streams ---- */

/**
 * @brief A stream of a device besides its default one. Work on one stream runs in order; what another stream must wait
 *        for is said by events. A stream that was released serves again later, so its handle may go while it works.
 * @param[in]  device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[out] out     a new stream; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_create(haft_device device, haft_stream** out) HAFT_NOTHROW;
/**
 * @brief haft_stream_create with a priority: where a device has no room for all, what waits on streams of a lower
 *        number begins first. Devices know few of them: for NVIDIA's GPUs all below 0 are one, and all others the
 *        ordinary one.
 * @param[in]  device    HAFT_DEVICE_DEFAULT: this thread's default
 * @param[in]  priority  0: the ordinary one; below 0: before those
 * @param[out] out       a new stream; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_create_with_priority(haft_device device, int32_t priority,
                                                      haft_stream** out) HAFT_NOTHROW;
/**
 * @brief The calling thread's current stream of a device: the default one until haft_set_current_stream names another.
 * @param[in]  device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[out] out     an owned handle
 * @return HAFT_OK, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_current(haft_device device, haft_stream** out) HAFT_NOTHROW;
/**
 * @brief A device's default stream.
 * @param[in]  device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[out] out     an owned handle
 * @return HAFT_OK, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_default(haft_device device, haft_stream** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in] s  the stream
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_retain(haft_stream* s) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Its work goes on.
 * @param[in] s  the stream
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_stream_release(haft_stream* s) HAFT_NOTHROW;
/**
 * @brief The device that the stream belongs to.
 * @param[in]  s    the stream
 * @param[out] out  the device
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_get_device(const haft_stream* s, haft_device* out) HAFT_NOTHROW;
/**
 * @brief Sends what this thread does on the stream's device to it, from now on.
 * @param[in] s  the stream; haft_stream_default's ends the choice
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_current_stream(haft_stream* s) HAFT_NOTHROW;
/**
 * @brief Waits in the calling thread for all work that the stream has been given.
 * @param[in] s  the stream
 * @return HAFT_OK, HAFT_ERROR_FORKED, or the status of work that failed.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_synchronize(haft_stream* s) HAFT_NOTHROW;
/**
 * @brief Later work of the stream starts after what the event has recorded; the calling thread does not wait.
 * @param[in] s  the stream
 * @param[in] e  an event of the stream's device or of another one of its type; never recorded: nothing to wait for
 * @return HAFT_OK, HAFT_ERROR_DEVICE for devices of different types, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_wait(haft_stream* s, haft_event* e) HAFT_NOTHROW;

/**
 * @brief 1 when all that the stream has been given is done.
 * @param[in]  s    the stream
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED while this thread records, HAFT_ERROR_FORKED, or the status of work that
 *         failed.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_is_done(haft_stream* s, int32_t* out) HAFT_NOTHROW;
/**
 * @brief What other code of the process knows the stream by: of a CUDA device a cudaStream_t. Other code may enqueue
 *        on it, record events there and let it wait, and must not destroy it.
 * @param[in]  s    the stream; its handle is kept while the other code uses the answer
 * @param[out] out  the handle of the device's runtime, lent
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED for a device whose streams have none, as the CPU.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_get_native(const haft_stream* s, void** out) HAFT_NOTHROW;
/**
 * @brief A stream that other code of the process has made, as one of haft's: for events that order the two, or as a
 *        thread's current stream, so that operators run in the order of that code.
 *
 * The stream stays its maker's, who destroys it no earlier than all handles to it have been released and no thread
 * has it as its current one. Where it has been some thread's current stream, or haft_tensor_record_stream has named
 * it, the release of the last handle waits for its work, and ends the calling thread's choice of it. A CUDA graph is
 * not recorded on CUDA's legacy default stream.
 * @param[in]  device  where the stream is; HAFT_DEVICE_DEFAULT: this thread's default
 * @param[in]  native  of a CUDA device a cudaStream_t: NULL and cudaStreamLegacy are CUDA's legacy default stream of
 *                     the device, cudaStreamPerThread is the one of the thread that calls CUDA
 * @param[out] out     the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE for a stream of another device, HAFT_ERROR_UNSUPPORTED for a device whose
 *         streams have no such handle, as the CPU, HAFT_ERROR_FORKED, or what the device answers for what is no
 *         stream.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stream_from_native(haft_device device, void* native, haft_stream** out) HAFT_NOTHROW;

/**
 * @brief Says that work of the stream uses the tensor's memory: when the tensor goes, its memory serves nobody else
 *        before that work has run. Needed for tensors made on another stream; the stream that a tensor is made on
 *        needs no word.
 * @param[in] t  a tensor
 * @param[in] s  a stream of the tensor's device
 * @return HAFT_OK, HAFT_ERROR_DEVICE for a stream of another device, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_record_stream(haft_tensor* t, haft_stream* s) HAFT_NOTHROW;

/* ---- pinned memory ---- */

/**
 * @brief A copy of a host tensor in memory that devices of a type read and write by themselves, so that copies
 *        (haft_to with non_blocking 1) need nobody to wait: who reads or writes it in the host waits for an event
 *        behind the copy.
 * @param[in]  t       a tensor on the CPU; the copy is not recorded
 * @param[in]  device  any device of the type; HAFT_DEVICE_DEFAULT: this thread's default. A type that has no such
 *                     memory, as the CPU, gives ordinary memory
 * @param[out] out     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_pin_memory(const haft_tensor* t, haft_device device, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief 1 when the tensor lies in memory of haft_tensor_pin_memory.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_pinned(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;

/* ---- events ---- */

/**
 * @brief A point in the work of a stream, once it is recorded.
 * @param[in]  device  HAFT_DEVICE_DEFAULT: this thread's default
 * @param[in]  timing  1: haft_event_get_elapsed will be asked
 * @param[out] out     a new event; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_create(haft_device device, int32_t timing, haft_event** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in] e  the event
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_retain(haft_event* e) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Streams may still wait for it.
 * @param[in] e  the event
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_event_release(haft_event* e) HAFT_NOTHROW;
/**
 * @brief Marks the end of what the stream has been given so far; an earlier recording is forgotten.
 * @param[in] e  the event
 * @param[in] s  a stream of the event's device; NULL: this thread's current one
 * @return HAFT_OK, HAFT_ERROR_DEVICE for a stream of another device, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_record(haft_event* e, haft_stream* s) HAFT_NOTHROW;
/**
 * @brief What other code of the process knows the event by: of a CUDA device a cudaEvent_t, which its streams may
 *        wait for.
 * @param[in]  e    the event; its handle is kept while the other code uses the answer
 * @param[out] out  the handle of the device's runtime, lent
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED for a device whose events have none, as the CPU.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_get_native(const haft_event* e, void** out) HAFT_NOTHROW;
/**
 * @brief 1 when what the event has recorded is done, or nothing was.
 * @param[in]  e    the event
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_FORKED, or the status of work that failed.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_is_done(const haft_event* e, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Waits in the calling thread for what the event has recorded.
 * @param[in] e  the event
 * @return HAFT_OK, HAFT_ERROR_FORKED, or the status of work that failed.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_synchronize(const haft_event* e) HAFT_NOTHROW;
/**
 * @brief The device's time between two recordings that have passed.
 * @param[in]  start         an event with timing
 * @param[in]  end           another of the same device
 * @param[out] milliseconds  the time
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an event without timing, HAFT_ERROR_DEVICE for events of different
 *         devices, HAFT_ERROR_UNSUPPORTED on a device without streams, HAFT_ERROR_FORKED, or what the device answers
 *         for an event that was not recorded or has not passed.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_event_get_elapsed(const haft_event* start, const haft_event* end,
                                            double* milliseconds) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
