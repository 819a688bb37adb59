/* Mixed precision (torch.amp): operators compute in bfloat16 or float16 where that is safe, in float32 where it is
 * not, while parameters stay float32; and the scale of gradients that float16 needs. docs/mixed-precision.md has the
 * lists. */
#ifndef HAFT_AMP_H
#define HAFT_AMP_H
#include <haft/dtype.h>
#include <haft/optim.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- autocast: a mode of a thread ---- */

/**
 * @brief Begins a region of this thread, which haft_autocast_pop ends: operators on tensors of the device's type cast
 *        their inputs as their class says. Regions nest; the innermost counts. Backward runs outside of any region,
 *        in the types that forward had chosen.
 * @param[in] device         its type counts, the index does not; 0: the thread's default device
 * @param[in] dtype          HAFT_BFLOAT16 or HAFT_FLOAT16; HAFT_DTYPE_NONE: the present one, see
 *                           haft_autocast_get_dtype. float16 on the CPU is rounded to, not computed in: products have
 *                           float32 sums
 * @param[in] enabled        1; 0: a region in which nothing is cast
 * @param[in] cache_enabled  1: casts of leaves that require a gradient are kept until the outermost region ends, the
 *                           leaf is written, or recording is switched on or off
 * @return HAFT_OK, HAFT_ERROR_DTYPE for another type.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_push(haft_device device, haft_dtype dtype, int32_t enabled,
                                        int32_t cache_enabled) HAFT_NOTHROW;
/**
 * @brief Ends this thread's innermost region; everything is as it was before it.
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when the thread is in none.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_pop(void) HAFT_NOTHROW;
/**
 * @brief 1 when operators on tensors of that type of device are cast in this thread.
 * @param[in]  device  its type counts; 0: the thread's default device
 * @param[out] out     0 or 1
 * @return HAFT_OK, HAFT_ERROR_DEVICE for a number that is no device.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_get_enabled(haft_device device, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The type that is computed in, on or off: bfloat16 on the CPU and float16 on devices unless a region says
 *        otherwise.
 * @param[in]  device  its type counts; 0: the thread's default device
 * @param[out] out     the type
 * @return HAFT_OK, HAFT_ERROR_DEVICE for a number that is no device.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_get_dtype(haft_device device, haft_dtype* out) HAFT_NOTHROW;
/**
 * @brief Changes the innermost region, or what holds outside of all.
 * @param[in] device   its type counts; 0: the thread's default device
 * @param[in] enabled  0 or 1
 * @param[in] dtype    HAFT_BFLOAT16 or HAFT_FLOAT16; HAFT_DTYPE_NONE: the present one
 * @return HAFT_OK, HAFT_ERROR_DTYPE.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_set(haft_device device, int32_t enabled, haft_dtype dtype) HAFT_NOTHROW;
/**
 * @brief 1 when casts of weights are kept.
 * @param[out] out  0 or 1
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_get_cache_enabled(int32_t* out) HAFT_NOTHROW;
/**
 * @brief Whether the innermost region keeps casts of weights.
 * @param[in] on  0 or 1; 0 forgets those that there are
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1: nothing has changed.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_set_cache_enabled(int32_t on) HAFT_NOTHROW;
/**
 * @brief Forgets the casts of weights that this thread keeps.
 * @return HAFT_OK, also outside of every region.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_autocast_clear_cache(void) HAFT_NOTHROW;

/* ---- the scale of gradients ---- */

typedef struct haft_grad_scaler haft_grad_scaler;

typedef struct haft_grad_scaler_state {
  uint32_t struct_size;
  int32_t reserved;
  double scale;            /* what losses are multiplied by */
  double growth_factor;    /* above 1 */
  double backoff_factor;   /* between 0 and 1 */
  int64_t growth_interval; /* steps without infinities after which the scale grows; from 1 to 2^24 */
  int64_t growth_tracker;  /* how many of them there were */
} haft_grad_scaler_state;
#define HAFT_GRAD_SCALER_STATE_INIT \
  { (uint32_t)sizeof(haft_grad_scaler_state), 0, 65536, 2, 0.5, 2000, 0 }

/* How far an owner of gradients has come since the last haft_grad_scaler_update. */
typedef int32_t haft_grad_scaler_stage;
#define HAFT_GRAD_SCALER_READY 0
#define HAFT_GRAD_SCALER_UNSCALED 1
#define HAFT_GRAD_SCALER_STEPPED 2

/**
 * @brief A scale for losses that grows while gradients are finite and shrinks when one is not; such steps are left out.
 * @param[in]  state    NULL: HAFT_GRAD_SCALER_STATE_INIT
 * @param[in]  enabled  0: everything passes through, and the scale is 1
 * @param[out] out      a new object; the caller releases it
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for numbers that the fields of the state do not allow;
 *         HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_create(const haft_grad_scaler_state* state, int32_t enabled,
                                             haft_grad_scaler** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  s  the scaler
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_retain(haft_grad_scaler* s) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  s  the scaler
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_grad_scaler_release(haft_grad_scaler* s) HAFT_NOTHROW;
/**
 * @brief A loss times the scale, recorded.
 * @param[in]  s    the scaler
 * @param[in]  x    of a floating type, any shape
 * @param[out] out  of the same type and shape; x itself when the scaler is off
 * @return HAFT_OK, HAFT_ERROR_DTYPE.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_scale(haft_grad_scaler* s, const haft_tensor* x, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Divides the gradients of an optimizer's parameters by the scale, in place, and remembers whether one is
 *        infinite or NaN: before gradients are clipped, at most once a step. haft_grad_scaler_step does it otherwise.
 *        Where ranks have parts of the gradients (haft/fully_sharded.h, stage 2 of haft/sharding.h) all of them call
 *        it, and what each has found is joined: one all-reduce.
 * @param[in] s  the scaler
 * @param[in] o  kept alive until haft_grad_scaler_update
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for the second time, HAFT_ERROR_DTYPE for gradients in float16,
 *         HAFT_ERROR_UNSUPPORTED for parameters that were spread after the optimizer was made, HAFT_ERROR_BUSY; what
 *         haft_process_group_all_reduce answers.
 * @note Thread class: exclusive on s, o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_unscale(haft_grad_scaler* s, haft_optimizer* o) HAFT_NOTHROW;
/**
 * @brief The optimizer's step, unless one of its gradients is infinite or NaN. Waits for the device once. In a
 *        recording (haft_device_graph) nothing waits: each replay makes the step, or leaves it out, by the gradients
 *        of its time.
 * @param[in]  s        the scaler
 * @param[in]  o        the optimizer
 * @param[out] stepped  1 when the step was made, or recorded; may be NULL
 * @return HAFT_OK, what haft_grad_scaler_unscale and haft_optimizer_step answer, HAFT_ERROR_INVALID_ARGUMENT for a
 *         second step before haft_grad_scaler_update, when no parameter has a gradient, or for the first step of a
 *         scaler in a recording; HAFT_ERROR_UNSUPPORTED in a recording where its steps are of different parameters.
 * @note Thread class: exclusive on s, o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_step(haft_grad_scaler* s, haft_optimizer* o, int32_t* stepped) HAFT_NOTHROW;
/**
 * @brief haft_grad_scaler_unscale for gradients that no haft_optimizer has.
 * @param[in] s          the scaler
 * @param[in] owner      any number that tells whose gradients they are
 * @param[in] gradients  written in place
 * @param[in] count      of them
 * @return as haft_grad_scaler_unscale.
 * @note Thread class: exclusive on s and the gradients.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_unscale_gradients(haft_grad_scaler* s, int64_t owner,
                                                        haft_tensor* const* gradients, int64_t count) HAFT_NOTHROW;
/**
 * @brief haft_grad_scaler_unscale for the gradients of parameters that no haft_optimizer has. Those that are spread
 *        over ranks (haft/fully_sharded.h), themselves or their shards, are called for by all ranks together.
 * @param[in] s           the scaler
 * @param[in] owner       any number that tells whose they are
 * @param[in] parameters  their gradients are written in place; those without one are passed by
 * @param[in] count       of them
 * @return as haft_grad_scaler_unscale.
 * @note Thread class: exclusive on s and the parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_unscale_parameters(haft_grad_scaler* s, int64_t owner,
                                                         haft_tensor* const* parameters, int64_t count) HAFT_NOTHROW;
/**
 * @brief Whether the owner's step is to be made. It counts as made from haft_grad_scaler_end_step on: one that failed
 *        can be tried again. While the thread records: 1, and each replay makes the optimizers' steps up to
 *        haft_grad_scaler_end_step, or leaves them out.
 * @param[in]  s      the scaler
 * @param[in]  owner  as in haft_grad_scaler_unscale_gradients, which was called before
 * @param[out] out    0 when a gradient was infinite or NaN
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT as haft_grad_scaler_step.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_begin_step(haft_grad_scaler* s, int64_t owner, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The owner's step counts as made, or left out, until the scale is updated.
 * @param[in] s      the scaler
 * @param[in] owner  as in haft_grad_scaler_begin_step
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when it was not begun, or has ended already, HAFT_ERROR_UNSUPPORTED
 *         when nothing that was recorded since asks whether the step is to be made.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_end_step(haft_grad_scaler* s, int64_t owner) HAFT_NOTHROW;
/**
 * @brief How far an owner has come since the last update.
 * @param[in]  s      the scaler
 * @param[in]  owner  as in haft_grad_scaler_unscale_gradients
 * @param[out] out    0 where nothing has been done, 1 when they are unscaled, 2 when the step is over
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_get_stage(haft_grad_scaler* s, int64_t owner,
                                                haft_grad_scaler_stage* out) HAFT_NOTHROW;
/**
 * @brief The scale of the next step, after all optimizers' steps: smaller when a gradient was not finite, larger
 *        after enough good steps. Nothing waits for the device.
 * @param[in] s  the scaler
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when no gradients were looked at since the last one.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_update(haft_grad_scaler* s) HAFT_NOTHROW;
/**
 * @brief Sets the scale at the end of a step, in place of haft_grad_scaler_update: what was seen since the last one
 *        is forgotten, the count of good steps stays. Nothing happens when the scaler is off.
 * @param[in] s      the scaler
 * @param[in] scale  positive and finite in float32
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another scale.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_set_scale(haft_grad_scaler* s, double scale) HAFT_NOTHROW;
/**
 * @brief Scale, factors and count, as a checkpoint keeps them. Waits for the device.
 * @param[in]     s      the scaler
 * @param[in,out] state  struct_size is set on entry
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_get_state(haft_grad_scaler* s, haft_grad_scaler_state* state) HAFT_NOTHROW;
/**
 * @brief Takes over what haft_grad_scaler_get_state told. Nothing happens when the scaler is off.
 * @param[in] s      the scaler
 * @param[in] state  what to go on from
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT: nothing was changed.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_set_state(haft_grad_scaler* s, const haft_grad_scaler_state* state) HAFT_NOTHROW;
/**
 * @brief Whether it scales at all.
 * @param[in]  s    the scaler
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_scaler_get_enabled(haft_grad_scaler* s, int32_t* out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
