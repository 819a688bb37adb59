/* Tensors that several processes of a machine share: what one writes the others read. docs/asynchronous-training.md
 * tells how processes train on them without locks (Hogwild).
 */
#ifndef HAFT_SHARED_MEMORY_H
#define HAFT_SHARED_MEMORY_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Moves a tensor into memory that other processes can map; its handle, gradient and history stay. Views of its
 *        old memory are views of it no more. The memory goes with the last process that has it.
 * @param[in]  t  a tensor of the CPU
 * @return HAFT_OK, also when it is there; HAFT_ERROR_UNAVAILABLE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive in t. @since 1.0
 */
HAFT_API haft_status haft_tensor_share_memory(haft_tensor* t) HAFT_NOTHROW;
/**
 * @brief Whether a tensor lies in shared memory.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_tensor_is_shared(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The name by which other processes of the same user on this machine open a shared tensor, as long as this
 *        process keeps it.
 * @param[in]  t         a tensor in shared memory
 * @param[out] buffer    room for capacity bytes; may be NULL when that is 0
 * @param[in]  capacity  room at buffer
 * @param[out] needed    bytes of the name with its final 0
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a tensor in memory of its own and when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_tensor_get_shared_name(const haft_tensor* t, char* buffer, int64_t capacity,
                                                 int64_t* needed) HAFT_NOTHROW;
/**
 * @brief A tensor over the memory of a shared one.
 * @param[in]  name  of haft_tensor_get_shared_name, of any process
 * @param[out] out   a new tensor; the caller releases it
 * @return HAFT_OK; HAFT_ERROR_UNAVAILABLE when the process that gave the name has ended or let go of the tensor;
 *         HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_tensor_from_shared(const char* name, haft_tensor** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
