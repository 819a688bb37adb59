/* Tensors: creation from memory, what they are, their values, printing, scopes. Operators stand in haft/ops.h. */
#ifndef HAFT_TENSOR_H
#define HAFT_TENSOR_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief A tensor with a copy of host memory.
 * @param[in]  data        row-major elements of dtype; may be NULL when the shape has none
 * @param[in]  size        sizes, size_count of them (0..HAFT_MAX_DIMS)
 * @param[in]  size_count  number of sizes
 * @param[in]  dtype       element type
 * @param[in]  device      where the tensor lives; HAFT_DEVICE_DEFAULT: the thread's default
 * @param[out] out         a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_OVERFLOW, HAFT_ERROR_OUT_OF_MEMORY, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_from_data(const void* data, const int64_t* size, int64_t size_count, haft_dtype dtype,
                                           haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A tensor over the caller's memory, without a copy. The caller may go on writing there between calls; haft
 *        keeps no copies in other layouts of such memory, so weights that are used often are faster in memory of
 *        haft's own (haft_tensor_from_data, haft_clone). After a write, haft_tensor_touch tells autograd.
 * @param[in]  data        address on `device`, aligned for dtype
 * @param[in]  size        sizes, size_count of them (0..HAFT_MAX_DIMS)
 * @param[in]  stride      strides in elements, one per size; NULL: row-major. Negative strides of more than one
 *                         element are refused.
 * @param[in]  size_count  number of sizes
 * @param[in]  dtype       HAFT_DTYPE_NONE: this thread's default
 * @param[in]  device      where the memory lies
 * @param[in]  release     called once, on any thread, when the last tensor on the memory is gone; may be NULL. A
 *                         device first finishes what the stream that is current now was given until then; later
 *                         calls of haft notice (haft_device_synchronize at the latest). It is not called when this
 *                         function fails.
 * @param[in]  user        handed to release
 * @param[out] out         a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_OVERFLOW, HAFT_ERROR_INVALID_ARGUMENT (misaligned, negative strides).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_from_memory(void* data, const int64_t* size, const int64_t* stride, int64_t size_count,
                                             haft_dtype dtype, haft_device device, void (*release)(void* user),
                                             void* user, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief One more owner of the handle.
 * @param[in] t  the tensor
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_retain(haft_tensor* t) HAFT_NOTHROW;

/**
 * @brief Gives up one ownership; the handle is stale once all owners have. NULL is ignored; a stale handle is logged.
 * @param[in] t  the tensor
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_tensor_release(haft_tensor* t) HAFT_NOTHROW;

/**
 * @brief Releases `count` handles; NULL entries are ignored.
 * @param[in] ts     count handles
 * @param[in] count  number of handles
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_tensor_release_many(haft_tensor* const* ts, int64_t count) HAFT_NOTHROW;

/**
 * @brief Element type.
 * @param[in]  t    the tensor
 * @param[out] out  HAFT_BOOL or another haft_dtype
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_dtype(const haft_tensor* t, haft_dtype* out) HAFT_NOTHROW;
/**
 * @brief Device.
 * @param[in]  t    the tensor
 * @param[out] out  the device
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_device(const haft_tensor* t, haft_device* out) HAFT_NOTHROW;
/**
 * @brief Number of dimensions, 0..HAFT_MAX_DIMS.
 * @param[in]  t    the tensor
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_ndim(const haft_tensor* t, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Number of elements.
 * @param[in]  t    the tensor
 * @param[out] out  the number; 1 for a tensor without dimensions
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_numel(const haft_tensor* t, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Sizes: `size` has room for `capacity` numbers; `count` is always set to the number of dimensions.
 * @param[in]  t         the tensor
 * @param[out] size      room for capacity numbers; NULL with capacity 0 asks for the number
 * @param[in]  capacity  numbers that there is room for
 * @param[out] count     how many there are: the number of dimensions
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_size(const haft_tensor* t, int64_t* size, int64_t capacity,
                                          int64_t* count) HAFT_NOTHROW;
/**
 * @brief Strides in elements; otherwise like haft_tensor_get_size.
 * @param[in]  t         the tensor
 * @param[out] stride    room for capacity numbers, in elements; NULL with capacity 0 asks for the number
 * @param[in]  capacity  numbers that there is room for
 * @param[out] count     how many there are: the number of dimensions
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_stride(const haft_tensor* t, int64_t* stride, int64_t capacity,
                                            int64_t* count) HAFT_NOTHROW;
/**
 * @brief 1 when the elements lie dense in row-major order.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_contiguous(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Number of in-place writes to the memory of t so far.
 * @param[in]  t    the tensor
 * @param[out] out  the version
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_version(const haft_tensor* t, int64_t* out) HAFT_NOTHROW;
/**
 * @brief 1 when both tensors share memory owned by the same storage.
 * @param[in]  a    a tensor
 * @param[in]  b    another
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_shares_memory(const haft_tensor* a, const haft_tensor* b, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Where in its memory a tensor begins (under haft_autograd_vmap: its first example), and how large that memory
 *        is. Views of one tensor lie in one memory.
 * @param[in]  t       the tensor
 * @param[out] offset  elements from the start of the memory to the first element of t
 * @param[out] bytes   size of the whole memory
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_storage(const haft_tensor* t, int64_t* offset, int64_t* bytes) HAFT_NOTHROW;
/**
 * @brief 1 when this handle alone keeps t and its hooks alive: no other owner of a handle, no view, graph or module
 *        does. A host that collects cycles of its objects may then let go of t together with what its hooks hold.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any; 1 stays true only while no other thread uses t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_sole_owner(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;

/**
 * @brief Address of the first element, on the tensor's device, with the strides that haft_tensor_get_stride tells. It
 *        lives as long as the tensor's memory. Operators see what is written through it, at any time; autograd does
 *        not, see haft_tensor_touch. From this call on haft keeps no copies of this memory in other layouts, as it
 *        otherwise does of weights that are used often: to read them only, haft_tensor_read is better.
 * @param[in]  t    the tensor
 * @param[out] out  NULL for a tensor without elements
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_data(const haft_tensor* t, void** out) HAFT_NOTHROW;
/**
 * @brief Gives the memory of t back and keeps its address, until haft_tensor_commit: for parameters that can be had
 *        again, from other processes or a file, and that graphs and views hold meanwhile. What it held is lost, which
 *        counts as a write. Operators and whoever reads or writes it through haft are refused then. No effect when it
 *        is gone already.
 * @param[in] t  fills its memory: no view of a part of it. All tensors on the memory lose it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for such a view, HAFT_ERROR_UNSUPPORTED for memory that is not haft's
 *         own (haft_tensor_from_memory, a mapped file, pinned memory), or where the device keeps memory under its
 *         addresses.
 * @note Thread class: exclusive on all tensors that lie in the memory; addresses of it that others hold mean nothing.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_decommit(haft_tensor* t) HAFT_NOTHROW;
/**
 * @brief Puts memory under the address of t again, with undefined content: write it before it is read. No effect when
 *        it has memory.
 * @param[in] t  as haft_tensor_decommit got it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY, after which it has none.
 * @note Thread class: exclusive on all tensors that lie in the memory.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_commit(haft_tensor* t) HAFT_NOTHROW;
/**
 * @brief 0 between haft_tensor_decommit and haft_tensor_commit, otherwise 1.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_committed(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Tells autograd that the caller has written through haft_tensor_get_data, or into the memory given to
 *        haft_tensor_from_memory: raises the version, so that a backward that needs the old values fails instead of
 *        using the new ones. Operators need no such call.
 * @param[in] t  the tensor
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_touch(haft_tensor* t) HAFT_NOTHROW;
/**
 * @brief Gives t the memory of another tensor (PyTorch's t.data = data): the handle, the gradient, the hooks and
 *        whether a gradient is required stay t's own; shape, strides, dtype and device become those of data, and both
 *        share the memory, so that writing one changes the other. The old memory lives on for whoever else holds it.
 *
 * Nothing is recorded: later operators see the new memory, and a graph that kept the old value of t refuses to go
 * backward, as after any write. The accumulated gradient follows to the new dtype and device, and is dropped when the
 * shape changes. A view stops being one, and earlier views of t keep the old memory. The result of an operator keeps
 * its history, so it takes only data of its own shape, dtype and device.
 * @param[in] t     the tensor
 * @param[in] data  any tensor, of a floating dtype when t requires a gradient; its own history stays with it
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE, HAFT_ERROR_DTYPE when t requires a gradient and data is not floating,
 *         HAFT_ERROR_AUTOGRAD when t is the result of an operator and data is of another kind,
 *         HAFT_ERROR_OUT_OF_MEMORY; after an error t is as it was.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_set_data(haft_tensor* t, const haft_tensor* data) HAFT_NOTHROW;

/**
 * @brief Copies all elements to host memory in row-major order; waits for the device.
 * @param[in]  t      the tensor
 * @param[out] data   numel elements of the tensor's dtype
 * @param[in]  bytes  room at data
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when bytes is too small (nothing is written).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_read(const haft_tensor* t, void* data, int64_t bytes) HAFT_NOTHROW;
/**
 * @brief Writes all elements from host memory in row-major order. Not recorded by autograd.
 * @param[in] t      the tensor
 * @param[in] data   row-major elements of the dtype of t
 * @param[in] bytes  must be exactly numel times the size of an element
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (also when several elements share memory, as after expand),
 *         HAFT_ERROR_AUTOGRAD for a leaf that requires a gradient outside no_grad.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_write(haft_tensor* t, const void* data, int64_t bytes) HAFT_NOTHROW;
/**
 * @brief The only element as a number.
 * @param[in]  t    the tensor
 * @param[out] out  the number, of the kind of the dtype
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_item(const haft_tensor* t, haft_scalar* out) HAFT_NOTHROW;
/**
 * @brief The only element as a double.
 * @param[in]  t    the tensor
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_item_double(const haft_tensor* t, double* out) HAFT_NOTHROW;
/**
 * @brief The only element as an int64.
 * @param[in]  t    the tensor
 * @param[out] out  the number; floats are truncated towards 0
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_INVALID_ARGUMENT for NaN and for what an int64 cannot
 *         hold.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_get_item_int(const haft_tensor* t, int64_t* out) HAFT_NOTHROW;

/**
 * @brief The tensor's values as text, as PyTorch prints them: "tensor([[1.0000, 2.0000]])"; long ones are shortened.
 * @param[in]  t         the tensor
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_to_string(const haft_tensor* t, char* buffer, int64_t capacity,
                                           int64_t* needed) HAFT_NOTHROW;

/** How haft_tensor_to_text writes numbers. */
typedef struct haft_print_options {
  uint32_t struct_size;
  int32_t precision;  /* digits behind the point, 0..64 */
  int64_t threshold;  /* elements above which only the edges are shown, at least 0 */
  int64_t edge;       /* elements at each edge, at least 1 */
  int32_t line_width; /* columns, at least 1 */
  int32_t scientific; /* 1: numbers have exponents, 0: none has, -1: as they need it */
  const char* name;   /* stands before the parenthesis; NULL: "tensor" */
  /* What stands behind the numbers, one a line; NULL: device, size, type and gradient where they are not usual. */
  const char* notes;
} haft_print_options;
#define HAFT_PRINT_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_print_options), 4, 1000, 3, 80, -1, NULL, NULL }

/**
 * @brief haft_tensor_to_string by options. Of a tensor that is shortened only the edges are read.
 * @param[in]  t         the tensor
 * @param[in]  options   NULL: those of HAFT_PRINT_OPTIONS_INIT
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when an option is outside its range or capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_to_text(const haft_tensor* t, const haft_print_options* options, char* buffer,
                                         int64_t capacity, int64_t* needed) HAFT_NOTHROW;

/**
 * @brief Opens a scope in this thread: every tensor handle that haft answers until its end belongs to it, too. Scopes
 *        nest; the innermost one counts.
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any (scopes are per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_scope_begin(void) HAFT_NOTHROW;
/**
 * @brief Ends the innermost scope: releases every tensor handle born inside that is still owned, except kept ones.
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when no scope is open.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scope_end(void) HAFT_NOTHROW;
/**
 * @brief Takes a handle out of the innermost scope that holds it: the caller releases it (or the enclosing scope
 *        does).
 * @param[in] t  the tensor
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scope_keep(haft_tensor* t) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
