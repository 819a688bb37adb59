/* What optimizers and schedules of the learning rate do, and clipping of gradients; haft/optimizers.h makes them.
 * Names, defaults and arithmetic are PyTorch's. haft/sharding.h spreads an optimizer over several ranks, of which
 * each then calls the functions that are here together with the others. */
#ifndef HAFT_OPTIM_H
#define HAFT_OPTIM_H
#include <haft/nn.h>
#include <haft/optimizers.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- optimizers ---- */

/**
 * @brief One more owner of the handle.
 * @param[in]  o  the optimizer
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_optimizer_retain(haft_optimizer* o) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  o  the optimizer
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_optimizer_release(haft_optimizer* o) HAFT_NOTHROW;

/**
 * @brief Changes every parameter that has a gradient, in place and unrecorded; all of a group in one pass.
 * @param[in] o  the optimizer
 * @return HAFT_OK, HAFT_ERROR_DTYPE or HAFT_ERROR_SHAPE for a gradient that does not fit its parameter,
 *         HAFT_ERROR_INVALID_ARGUMENT for a parameter that was spread over ranks since the optimizer was made, or for
 *         one that needs a closure, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_step(haft_optimizer* o) HAFT_NOTHROW;
/**
 * @brief Clears the gradients, computes the loss and its gradients, and answers the loss; it may call this
 *        optimizer's other functions.
 * @param[out] loss  NULL on entry; an owned handle of a tensor of one element, which haft takes over. It may stay
 *                   NULL where the optimizer does not need it
 * @return HAFT_OK, or a status that the calling function reports as HAFT_ERROR_CALLBACK
 */
typedef haft_status (*haft_loss_closure)(haft_tensor** loss, void* user);
/**
 * @brief A step after a closure: haft_lbfgs_create's calls it again and again, those of all others once, before.
 * @param[in]  o        the optimizer
 * @param[in]  closure  called on this thread, with recording on
 * @param[in]  user     handed to the closure
 * @param[out] loss     the first loss, owned by the caller, or NULL where the closure gave none; may be NULL
 * @return HAFT_OK, HAFT_ERROR_CALLBACK, as haft_optimizer_step.
 * @note Thread class: exclusive on o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_step_closure(haft_optimizer* o, haft_loss_closure closure, void* user,
                                                 haft_tensor** loss) HAFT_NOTHROW;
/**
 * @brief Forgets the gradients of all parameters.
 * @param[in] o            the optimizer
 * @param[in] set_to_none  1: the gradients become absent; 0: they are filled with zeros in place
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_zero_grad(haft_optimizer* o, int32_t set_to_none) HAFT_NOTHROW;

/**
 * @brief Adds a group of parameters with the options that the optimizer was created with; change them with
 *        haft_optimizer_set_lr and haft_optimizer_set_option.
 * @param[in]  o       the optimizer
 * @param[in]  params  leaves of a floating dtype that no group has; retained by the optimizer
 * @param[in]  count   number of params, at least 1
 * @param[out] group   the number of the new group; may be NULL
 * @return as haft_sgd_create
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_add_group(haft_optimizer* o, haft_tensor* const* params, int64_t count,
                                              int64_t* group) HAFT_NOTHROW;
/**
 * @brief Number of groups.
 * @param[in]  o    the optimizer
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_optimizer_get_group_count(const haft_optimizer* o, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Parameters of a group.
 * @param[in]  o         the optimizer
 * @param[in]  group     0..groups - 1
 * @param[out] params    room for capacity handles, each owned by the caller
 * @param[in]  capacity  room at params
 * @param[out] count     number of parameters; always set
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_parameters(const haft_optimizer* o, int64_t group, haft_tensor** params,
                                               int64_t capacity, int64_t* count) HAFT_NOTHROW;
/**
 * @brief Sets the learning rate of a group.
 * @param[in]  o      the optimizer
 * @param[in]  group  0..groups - 1
 * @param[in]  lr     not negative
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on o. @since 1.0
 */
HAFT_API haft_status haft_optimizer_set_lr(haft_optimizer* o, int64_t group, double lr) HAFT_NOTHROW;
/**
 * @brief The learning rate of a group.
 * @param[in]  o      the optimizer
 * @param[in]  group  0..groups - 1
 * @param[out] lr     the rate
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_optimizer_get_lr(const haft_optimizer* o, int64_t group, double* lr) HAFT_NOTHROW;
/**
 * @brief Sets an option of a group by its name in PyTorch's state dict; flags are 0 or 1, betas are "beta1" and
 *        "beta2".
 * @param[in] o      the optimizer
 * @param[in] group  0..groups - 1
 * @param[in] name   "lr", "weight_decay", "momentum", ...
 * @param[in] value  the new value
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_INVALID_ARGUMENT naming the options there are.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_set_option(haft_optimizer* o, int64_t group, const char* name,
                                               double value) HAFT_NOTHROW;
/**
 * @brief An option of a group; see haft_optimizer_set_option.
 * @param[in]  o      the optimizer
 * @param[in]  group  0..groups - 1
 * @param[in]  name   the option
 * @param[out] value  its value
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_optimizer_get_option(const haft_optimizer* o, int64_t group, const char* name,
                                               double* value) HAFT_NOTHROW;

/**
 * @brief What the optimizer remembers of a parameter: "step" and "exp_avg", "exp_avg_sq", "max_exp_avg_sq" (Adam,
 *        AdamW) or "momentum_buffer" (SGD), as in PyTorch's state dict. LBFGS has all of it at parameter 0, lists as
 *        "old_dirs.<n>".
 * @param[in]  o          the optimizer
 * @param[in]  parameter  number of the parameter, counted through all groups
 * @param[in]  name       which tensor
 * @param[out] out        owned by the caller, shares the optimizer's memory; NULL when there is none yet
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_INVALID_ARGUMENT for a name the optimizer does not have.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_state(haft_optimizer* o, int64_t parameter, const char* name,
                                          haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Replaces what haft_optimizer_state tells by a copy.
 * @param[in] o          the optimizer
 * @param[in] parameter  number of the parameter, counted through all groups
 * @param[in] name       which tensor
 * @param[in] value      the parameter's shape ("step": one element)
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_SHAPE, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_set_state(haft_optimizer* o, int64_t parameter, const char* name,
                                              const haft_tensor* value) HAFT_NOTHROW;

/**
 * @brief Scales the gradients of params so that the norm of all of them together is at most max_norm
 *        (torch.nn.utils.clip_grad_norm_).
 * @param[in]  params     parameters; those without a gradient do not count
 * @param[in]  count      number of params
 * @param[in]  max_norm   not negative
 * @param[in]  norm_type  2 for the Euclidean norm; positive, may be infinity
 * @param[out] norm       the norm before, a tensor without dimensions on the first gradient's device, owned by the
 *                        caller: nothing waits for the device; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_UNSUPPORTED for parameters of haft/fully_sharded.h, of
 *         which each rank has a part: haft_optimizer_clip_grad_norm.
 * @note Thread class: exclusive on params.
 * @since 1.0
 */
HAFT_API haft_status haft_grad_clip_norm(haft_tensor* const* params, int64_t count, double max_norm, double norm_type,
                                         haft_tensor** norm) HAFT_NOTHROW;
/**
 * @brief Limits every element of the gradients of params to [-limit, limit].
 * @param[in]  params  parameters
 * @param[in]  count   number of params
 * @param[in]  limit   not negative
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a negative limit.
 * @note Thread class: exclusive on params. @since 1.0
 */
HAFT_API haft_status haft_grad_clip_value(haft_tensor* const* params, int64_t count, double limit) HAFT_NOTHROW;

/* ---- schedules ----
 * They change the rates that the optimizer has now, so that several may work on one optimizer. A group that is added
 * after the scheduler keeps its rate. */

/**
 * @brief Tells the factor on the first rate after `epoch` steps.
 * @return HAFT_OK, or a status that the calling function reports as HAFT_ERROR_CALLBACK
 */
typedef haft_status (*haft_lr_factor)(int64_t epoch, double* factor, void* user);
/**
 * @brief The first rate times a factor of the caller's (LambdaLR).
 * @param[in]  o        retained
 * @param[in]  fn       called at once for epoch 0, then by haft_scheduler_step
 * @param[in]  user     handed to fn
 * @param[in]  destroy  called once when the scheduler is gone; may be NULL; not called when this function fails
 * @param[out] out      the caller releases it
 * @return HAFT_OK, HAFT_ERROR_CALLBACK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on o. @since 1.0
 */
HAFT_API haft_status haft_lambda_lr_create(haft_optimizer* o, haft_lr_factor fn, void* user,
                                           void (*destroy)(void* user), haft_scheduler** out) HAFT_NOTHROW;
/**
 * @brief The rate of the step before times a factor of the caller's (MultiplicativeLR).
 * @param[in]  o        retained
 * @param[in]  fn       called by haft_scheduler_step, from epoch 1 on
 * @param[in]  user     handed to fn
 * @param[in]  destroy  called once when the scheduler is gone; may be NULL; not called when this function fails
 * @param[out] out      the caller releases it
 * @return HAFT_OK, HAFT_ERROR_CALLBACK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on o. @since 1.0
 */
HAFT_API haft_status haft_multiplicative_lr_create(haft_optimizer* o, haft_lr_factor fn, void* user,
                                                   void (*destroy)(void* user), haft_scheduler** out) HAFT_NOTHROW;
/**
 * @brief Several schedules of one optimizer that all act at each step (ChainedScheduler).
 * @param[in]  schedulers  count handles; retained. Nobody else steps them from here on
 * @param[in]  count       at least 1
 * @param[out] out         the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for schedules of different optimizers, or one that comes twice,
 *         HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on the schedulers and their optimizer. @since 1.0
 */
HAFT_API haft_status haft_chained_scheduler_create(haft_scheduler* const* schedulers, int64_t count,
                                                   haft_scheduler** out) HAFT_NOTHROW;
/**
 * @brief Schedules one after the other (SequentialLR): the next begins at each milestone, from the first rates. What
 *        the schedules did to the rates when they were made is taken back.
 * @param[in]  o                whose rates they set; retained
 * @param[in]  schedulers       count handles; retained. Nobody else steps them from here on
 * @param[in]  count            at least 1
 * @param[in]  milestones       steps at which the next one begins, in ascending order
 * @param[in]  milestone_count  count - 1
 * @param[out] out              the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on the schedulers and o. @since 1.0
 */
HAFT_API haft_status haft_sequential_lr_create(haft_optimizer* o, haft_scheduler* const* schedulers, int64_t count,
                                               const int64_t* milestones, int64_t milestone_count,
                                               haft_scheduler** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  s  the scheduler
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_scheduler_retain(haft_scheduler* s) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  s  the scheduler
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_scheduler_release(haft_scheduler* s) HAFT_NOTHROW;
/**
 * @brief Sets the optimizer's rates for the next step of the schedule; call it after haft_optimizer_step.
 * @param[in]  s  the scheduler
 * @return HAFT_OK, HAFT_ERROR_CALLBACK, HAFT_ERROR_BUSY, HAFT_ERROR_INVALID_ARGUMENT for one that wants
 *         haft_scheduler_step_metric or has no step left.
 * @note Thread class: exclusive on s and its optimizer. @since 1.0
 */
HAFT_API haft_status haft_scheduler_step(haft_scheduler* s) HAFT_NOTHROW;
/**
 * @brief Sets the optimizer's rates for the next step of a schedule that looks at a metric (ReduceLROnPlateau).
 * @param[in]  s       the scheduler
 * @param[in]  metric  what came of the last step
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a schedule that looks at none, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on s and its optimizer. @since 1.0
 */
HAFT_API haft_status haft_scheduler_step_metric(haft_scheduler* s, double metric) HAFT_NOTHROW;
/**
 * @brief What the scheduler would go on from, as numbers: "last_epoch" and "base_lrs.<group>", and what its kind
 *        remembers besides. The present rates are the optimizer's and saved with it (haft_optimizer_get_lr).
 * @param[in]  s         the scheduler
 * @param[out] values    room for capacity numbers, in the order of haft_scheduler_get_state_name; NULL with capacity
 *                       0 asks for their number
 * @param[in]  capacity  room at values
 * @param[out] count     how many there are, also when capacity is too small
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_scheduler_get_state(haft_scheduler* s, double* values, int64_t capacity,
                                              int64_t* count) HAFT_NOTHROW;
/**
 * @brief The name of the index-th number of haft_scheduler_get_state.
 * @param[in]  s         the scheduler
 * @param[in]  index     from 0
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_scheduler_get_state_name(haft_scheduler* s, int64_t index, char* buffer, int64_t capacity,
                                                   int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Sets what haft_scheduler_get_state told, perhaps in another process, of a scheduler of the same kind.
 * @param[in] s       the scheduler
 * @param[in] names   count names, in any order
 * @param[in] values  count numbers
 * @param[in] count   number of names
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a name that is missing, with nothing changed, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on s.
 * @since 1.0
 */
HAFT_API haft_status haft_scheduler_set_state(haft_scheduler* s, const char* const* names, const double* values,
                                              int64_t count) HAFT_NOTHROW;
/**
 * @brief Steps so far.
 * @param[in]  s    the scheduler
 * @param[out] out  their number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_scheduler_get_last_epoch(const haft_scheduler* s, int64_t* out) HAFT_NOTHROW;

/* ---- averages of weights (Izmailov et al., arXiv:1803.05407) ---- */

/**
 * @brief A module whose parameters are averages of another's over a training; torch.optim.swa_utils.AveragedModel. It
 *        runs `average`, which is its child "module", and counts in its buffer "n_averaged".
 * @param[in]  average      a second module of the same structure as the one that is trained; the new module becomes
 *                          one more owner, and its values are replaced by the first haft_averaged_model_update
 * @param[in]  ema_decay    below 0: the equal average; otherwise, up to 1, the part of an exponential average that
 *                          stays
 * @param[in]  use_buffers  1: buffers are averaged, too; 0: they are copied
 * @param[out] out          a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_averaged_model_create(haft_module* average, double ema_decay, int32_t use_buffers,
                                                haft_module** out) HAFT_NOTHROW;
/**
 * @brief Writes the next averages into `averages`, in place.
 * @param[in] averages  count tensors, lent for the call
 * @param[in] values    those of the model
 * @param[in] count     how many there are
 * @param[in] before    how many models the averages are of, at least 1
 * @return HAFT_OK, or a status that the calling function reports as HAFT_ERROR_CALLBACK
 */
typedef haft_status (*haft_average_function)(haft_tensor* const* averages, haft_tensor* const* values, int64_t count,
                                             int64_t before, void* user);
/**
 * @brief Takes a model into the average; the first one is copied.
 * @param[in] averaged  of haft_averaged_model_create
 * @param[in] model     a module of the structure of its child; not written
 * @param[in] fn        an average of one's own, called on this thread without recording from the second model on;
 *                      NULL: that which `averaged` was made with
 * @param[in] user      handed to fn
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE, both with nothing changed, HAFT_ERROR_BUSY,
 *         HAFT_ERROR_CALLBACK.
 * @note Thread class: exclusive on averaged.
 * @since 1.0
 */
HAFT_API haft_status haft_averaged_model_update(haft_module* averaged, haft_module* model, haft_average_function fn,
                                                void* user) HAFT_NOTHROW;
/**
 * @brief The same for tensors: takes values into averages in place, unrecorded. What is no floating type is copied.
 * @param[in] averages   count tensors
 * @param[in] values     count tensors of their shapes
 * @param[in] count      how many there are
 * @param[in] ema_decay  as for haft_averaged_model_create
 * @param[in] before     how many values the averages are of; 0: all are copied
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE, both with nothing changed.
 * @note Thread class: exclusive on averages.
 * @since 1.0
 */
HAFT_API haft_status haft_average_tensors(haft_tensor* const* averages, haft_tensor* const* values, int64_t count,
                                          double ema_decay, int64_t before) HAFT_NOTHROW;
/**
 * @brief Answers the next input.
 * @param[out] batch  NULL on entry; an owned handle, which haft takes over. It stays NULL behind the last one
 * @return HAFT_OK, or a status that the calling function reports as HAFT_ERROR_CALLBACK
 */
typedef haft_status (*haft_batch_source)(haft_tensor** batch, void* user);
/**
 * @brief Computes the running statistics of all batch norms of a module anew, as the plain means over some inputs:
 *        for averages of weights, which never ran. It runs in training mode without gradients; mode and momentum are
 *        as before afterwards.
 * @param[in] m     the module
 * @param[in] next  called on this thread
 * @param[in] user  handed to next
 * @return HAFT_OK, HAFT_ERROR_BUSY, HAFT_ERROR_CALLBACK, and what a call of m fails with.
 * @note Thread class: exclusive on m.
 * @since 1.0
 */
HAFT_API haft_status haft_update_bn(haft_module* m, haft_batch_source next, void* user) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
