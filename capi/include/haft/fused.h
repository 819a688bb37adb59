/* Fused functions: a function of tensors that computes element by element, run as one kernel of the device.
 *
 * How it works
 *  The function is written with haft's operators and is called with stand-ins, once for each signature: the dtypes,
 *  devices and sizes of the inputs, the default dtype, and autocast. Stand-ins have those and no values; what the
 *  function calls is written down. From then on a call runs what was written. Numbers that the function computes with
 *  beside its inputs are those of that one call.
 *
 *  What it may call: pointwise operators (docs/operators.md names them), compositions of them, casts, expand,
 *  constants (zeros_like, full), and last, for results that nothing goes on with, sum, mean, amax or amin over the
 *  last dimension. Everything else is refused by its name with HAFT_ERROR_UNSUPPORTED, which the function hands on,
 *  and so are tensors that are no inputs and values read on the host. All results are computed in one shape, to which
 *  inputs are broadcast.
 *
 *  A device that fuses (CUDA, where NVRTC is installed) compiles a kernel at the first call and keeps it; its code is
 *  kept on disk, too: in HAFT_CACHE_PATH, else XDG_CACHE_HOME/haft, else ~/.cache/haft. On other devices, the CPU
 *  among them, and where the device refuses, the operators run one by one. Results are the same to the bit but for
 *  the order of sums, and the last bits of operators whose own kernels join products with sums (docs/gpu.md): 16-bit
 *  floats are computed in float32, and each step's result is rounded to its dtype.
 *
 *  Gradients of every order exist. They are the composition's, and run fused as well: what is kept for backward are
 *  the inputs, from which the rest is computed again. Calls may be recorded (haft/device_graph.h), better after a
 *  call that was not: the first one compiles. */
#ifndef HAFT_FUSED_H
#define HAFT_FUSED_H
#include <haft/autograd.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_fused haft_fused;

/**
 * @brief A fused function, nothing of which has been called yet.
 * @param[in]  name     UTF-8, for messages, profilers and the graph; copied
 * @param[in]  fn       called once for each signature, on the thread of that call
 * @param[in]  user     handed to fn
 * @param[in]  destroy  called once with user, when haft lets go of fn; may be NULL. Not when this function fails
 * @param[out] out      a new fused function; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when name or fn is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fused_create(const char* name, haft_tensors_function fn, void* user,
                                       void (*destroy)(void* user), haft_fused** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in] f  the fused function
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fused_retain(haft_fused* f) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in] f  the fused function
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_fused_release(haft_fused* f) HAFT_NOTHROW;
/**
 * @brief Calls the function. Within another fused function's, its operators become that one's.
 * @param[in]  f             the fused function
 * @param[in]  inputs        input_count tensors of any dtype, of one device
 * @param[in]  input_count   at least 1
 * @param[out] outputs       room for capacity handles, each owned by the caller
 * @param[in]  capacity      room at outputs
 * @param[out] output_count  how many there are
 * @return HAFT_OK, HAFT_ERROR_CALLBACK with the message of the operator that fn failed with, HAFT_ERROR_UNSUPPORTED
 *         for results that one kernel cannot have, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small;
 *         HAFT_MAX_FUNCTION_OUTPUTS is always enough.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fused_call(haft_fused* f, haft_tensor* const* inputs, int64_t input_count,
                                     haft_tensor** outputs, int64_t capacity, int64_t* output_count) HAFT_NOTHROW;
/**
 * @brief What the function's calls and their gradients came to so far.
 * @param[in]  f        the fused function
 * @param[out] traces   how often something was traced: fn, or a gradient; may be NULL
 * @param[out] kernels  fused kernels launched; may be NULL
 * @param[out] unfused  how often operators ran one by one instead; may be NULL
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fused_get_counts(const haft_fused* f, int64_t* traces, int64_t* kernels,
                                           int64_t* unfused) HAFT_NOTHROW;
/**
 * @brief Why operators ran one by one, the last time that they did.
 * @param[in]  f         the fused function
 * @param[out] buffer    receives UTF-8 text, empty where they never did, and a final 0; NULL with capacity 0 asks for
 *                       the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fused_get_reason(const haft_fused* f, char* buffer, int64_t capacity,
                                           int64_t* needed) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
