/* Tensors shared with other libraries without a copy, by DLPack (https://dmlc.github.io/dlpack). The structs are
 * those of dlpack.h, which whoever looks inside includes; here they are only passed on, so this header does not need
 * it. */
#ifndef HAFT_DLPACK_H
#define HAFT_DLPACK_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/**
 * @brief Lends a tensor's memory to another library, as DLPack before version 1.0 has it.
 *
 * On a device the memory holds what this thread's current stream has written when its work so far is done: the
 * taker's stream waits for an event behind it (haft_event_record there, haft_stream_wait of haft_stream_from_native's
 * stream), works on that stream (haft_stream_get_native), or the host waits (haft_stream_synchronize). What the taker
 * enqueues must be over, or ordered before haft's stream, when it calls the deleter. In-place writes of the other
 * library are seen at once and not by autograd (haft_tensor_touch).
 * @param[in]  t    a tensor that does not require a gradient, on the CPU or on a CUDA device
 * @param[out] out  the memory lives until its deleter is called, which may happen on any thread
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD for a tensor that requires a gradient, HAFT_ERROR_UNSUPPORTED for a device that
 *         DLPack does not know.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_to_dlpack(const haft_tensor* t, struct DLManagedTensor** out) HAFT_NOTHROW;
/**
 * @brief The same as DLPack 1.0 and later have it. Otherwise like haft_tensor_to_dlpack.
 * @param[in]  t    a tensor that does not require a gradient, on the CPU or on a CUDA device
 * @param[out] out  version 1.0; the memory lives until its deleter is called, which may happen on any thread
 * @return as haft_tensor_to_dlpack.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_to_dlpack_versioned(const haft_tensor* t,
                                                     struct DLManagedTensorVersioned** out) HAFT_NOTHROW;
/**
 * @brief A tensor over memory that another library lends, as DLPack before version 1.0 has it.
 *
 * On a device this thread's current stream must be ordered behind the work that the memory waits for; it is given
 * back when what the stream has been given until then is done.
 * @param[in]  managed  becomes haft's: its deleter is called once, on any thread, when the last tensor on the memory is
 *                      gone. It stays the caller's when this function fails.
 * @param[out] out      a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE for elements that haft has no type for, HAFT_ERROR_SHAPE above HAFT_MAX_DIMS
 *         dimensions, HAFT_ERROR_DEVICE, HAFT_ERROR_UNSUPPORTED (a kind of device), HAFT_ERROR_INVALID_ARGUMENT
 *         (misaligned, negative strides).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_from_dlpack(struct DLManagedTensor* managed, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The same as DLPack 1.x has it. Memory that may only be read is copied, since a haft tensor may be written, and
 *        given back at once. Otherwise like haft_tensor_from_dlpack.
 * @param[in]  managed  becomes haft's, as in haft_tensor_from_dlpack
 * @param[out] out      a new tensor; the caller releases it
 * @return as haft_tensor_from_dlpack; HAFT_ERROR_UNSUPPORTED also for another major version than 1.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_from_dlpack_versioned(struct DLManagedTensorVersioned* managed,
                                                       haft_tensor** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
