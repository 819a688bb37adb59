/* What models over several ranks are made of: collectives that take part in gradients, batch normalisation over all
 * ranks, sums of metrics, and whose messages are logged.
 *
 * Differentiable collectives
 *  1. Results are new tensors; the gradient of each is another of these calls, so gradients of every order exist.
 *  2. Whether tensors require a gradient must be the same on all ranks: a rank that records nothing calls nothing in
 *     backward, where the others wait for it. Backward is called by all ranks.
 *  3. Joined by HAFT_REDUCE_OP_SUM or AVG they have a gradient.
 *  4. The group is not kept alive by what is recorded or made with it: release its handle when these are no longer
 *     used.
 *  5. What haft_process_group_* answers is answered here, too, also by haft_backward.
 *  6. A tensor that does not fit, and whatever else fails on one rank alone, ends the group, with the reason on every
 *     rank: the others would wait for it. A root or a reduction that there is not is refused and leaves the group
 *     alive.
 */
#ifndef HAFT_PARALLEL_H
#define HAFT_PARALLEL_H
#include <haft/nn.h>
#include <haft/process_group.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- differentiable collectives ---- */

/**
 * @brief The tensors of all ranks joined, for all. Gradient: that of all ranks joined in the same way.
 * @param[in]  g    the group
 * @param[in]  x    of the same shape on every rank
 * @param[in]  op   HAFT_REDUCE_OP_*
 * @param[out] out  a new tensor
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD for x with a gradient and an op without.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_all_reduce(haft_process_group* g, const haft_tensor* x, int32_t op,
                                              haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The root's tensor for all. Gradient: the sum over ranks at the root, 0 elsewhere.
 * @param[in]  g     the group
 * @param[in]  x     of the same shape on every rank
 * @param[in]  root  whose
 * @param[out] out   a new tensor
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a root that is no rank; HAFT_ERROR_MISMATCH on every rank where
 *         their calls differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_broadcast(haft_process_group* g, const haft_tensor* x, int32_t root,
                                             haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The tensors of all ranks joined at the root, 0 elsewhere. Gradient: the root's for all.
 * @param[in]  g     the group
 * @param[in]  x     of the same shape on every rank
 * @param[in]  root  who gets it
 * @param[in]  op    HAFT_REDUCE_OP_SUM or AVG
 * @param[out] out   a new tensor
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a root that is no rank and for another op; HAFT_ERROR_MISMATCH on
 *         every rank where their calls differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_reduce(haft_process_group* g, const haft_tensor* x, int32_t root, int32_t op,
                                          haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief All ranks' tensors behind each other. Gradient: haft_parallel_reduce_scatter.
 * @param[in]  g      the group
 * @param[in]  x      this rank's
 * @param[in]  dim    along which
 * @param[in]  rows   each rank's size there; NULL: all have this one's
 * @param[in]  count  the size of the group, or 0 with NULL
 * @param[out] out    a new tensor
 * @return HAFT_OK; HAFT_ERROR_SHAPE for a scalar and for rows that are not this rank's size; HAFT_ERROR_INDEX for dim;
 *         HAFT_ERROR_INVALID_ARGUMENT for another count.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_all_gather(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                              const int64_t* rows, int64_t count, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief This rank's part of the joined tensors. Gradient: haft_parallel_all_gather.
 * @param[in]  g      the group
 * @param[in]  x      of the same shape on every rank
 * @param[in]  dim    along which there is a part for each rank
 * @param[in]  op     HAFT_REDUCE_OP_SUM or AVG
 * @param[in]  rows   the parts' sizes; NULL: equal ones
 * @param[in]  count  the size of the group, or 0 with NULL
 * @param[out] out    a new tensor
 * @return HAFT_OK; HAFT_ERROR_SHAPE for a scalar and for rows that do not add up to the size along dim;
 *         HAFT_ERROR_INDEX for dim; HAFT_ERROR_INVALID_ARGUMENT for another op or count.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_reduce_scatter(haft_process_group* g, const haft_tensor* x, int64_t dim, int32_t op,
                                                  const int64_t* rows, int64_t count, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Rows of dimension 0 for each rank and from each rank. Gradient: the way back.
 * @param[in]  g            the group
 * @param[in]  x            what goes
 * @param[in]  output_rows  how many come from each rank; NULL: equal parts of as many as go
 * @param[in]  input_rows   how many go to each; NULL: equal parts
 * @param[in]  count        the size of the group, or 0 with NULL for both
 * @param[out] out          a new tensor
 * @return HAFT_OK; HAFT_ERROR_SHAPE for a scalar and for rows that do not add up to the size;
 *         HAFT_ERROR_INVALID_ARGUMENT for another count; HAFT_ERROR_MISMATCH on every rank where their rows do not fit
 *         together.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_all_to_all_single(haft_process_group* g, const haft_tensor* x,
                                                     const int64_t* output_rows, const int64_t* input_rows,
                                                     int64_t count, haft_tensor** out) HAFT_NOTHROW;

/* Within a model that is spread over a group what follows a value that all ranks have is computed by all of them
 * alike: its gradient is whole on each rank and is not added up again. These pairs are each other's gradient. */

/**
 * @brief x itself, before ranks do different things with it. Gradient: haft_parallel_reduce_from.
 * @param[in]  g    the group
 * @param[in]  x    the same on all ranks
 * @param[out] out  a new tensor on x's memory
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE; it calls no other rank.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_copy_to(haft_process_group* g, const haft_tensor* x, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The sum over ranks, with which all go on alike. Gradient: haft_parallel_copy_to.
 * @param[in]  g    the group
 * @param[in]  x    of the same shape on every rank
 * @param[out] out  a new tensor
 * @return HAFT_OK; HAFT_ERROR_MISMATCH on every rank where their shapes or types differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_reduce_from(haft_process_group* g, const haft_tensor* x,
                                               haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief This rank's part of what all have. Of n there all ranks have n / ranks, rounded up, but the last ones, who
 *        have the rest or nothing. Gradient: haft_parallel_gather_from.
 * @param[in]  g    the group
 * @param[in]  x    the same on all ranks
 * @param[in]  dim  along which
 * @param[out] out  a new tensor
 * @return HAFT_OK; HAFT_ERROR_SHAPE for a scalar; HAFT_ERROR_INDEX for dim.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_split_to(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                            haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief All ranks' parts behind each other, with which all go on alike. Gradient: haft_parallel_split_to.
 * @param[in]  g      the group
 * @param[in]  x      this rank's part
 * @param[in]  dim    along which
 * @param[in]  rows   each rank's size there; NULL: all have this one's
 * @param[in]  count  the size of the group, or 0 with NULL
 * @param[out] out    a new tensor
 * @return HAFT_OK; HAFT_ERROR_SHAPE for a scalar and for rows that are not this rank's size; HAFT_ERROR_INDEX for dim;
 *         HAFT_ERROR_INVALID_ARGUMENT for another count.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_gather_from(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                               const int64_t* rows, int64_t count, haft_tensor** out) HAFT_NOTHROW;

/* ---- batch normalisation over all ranks ---- */

/**
 * @brief x (N, C, *) normalised by mean and variance over the batches of all ranks, whose sizes may differ, also be 0.
 *        Gradients go through the statistics to all ranks.
 * @param[in]     g             the group
 * @param[in]     x             this rank's batch
 * @param[in]     weight        (C), or NULL
 * @param[in]     bias          (C), or NULL
 * @param[in,out] running_mean  (C), moved towards the mean by momentum; or NULL
 * @param[in,out] running_var   (C), towards the variance with divisor n - 1; or NULL
 * @param[in]     momentum      part of the new statistics in the running ones
 * @param[in]     eps           added to the variance
 * @param[out]    out           a new tensor
 * @return HAFT_OK, HAFT_ERROR_SHAPE when all ranks together have fewer than 2 values a channel.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_parallel_sync_batch_norm(haft_process_group* g, const haft_tensor* x,
                                                   const haft_tensor* weight, const haft_tensor* bias,
                                                   haft_tensor* running_mean, haft_tensor* running_var, double momentum,
                                                   double eps, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Turns every BatchNorm1d and BatchNorm2d of a tree into one over all ranks, with the same parameters and
 *        buffers; all ranks call it. torch.nn.SyncBatchNorm.convert_sync_batchnorm. In evaluation nothing changes.
 * @param[in]  m    the tree's root
 * @param[in]  g    the group, whose handle must live as long as the module trains
 * @param[out] out  the root, or the module that it has become; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_BUSY while the module runs.
 * @note Thread class: exclusive on m.
 * @since 1.0
 */
HAFT_API haft_status haft_module_convert_sync_batchnorm(haft_module* m, haft_process_group* g,
                                                        haft_module** out) HAFT_NOTHROW;

/* ---- gradients between backward and step ---- */

/**
 * @brief Joins gradients over ranks, in place, small ones in one call: what data parallel is for models of which a
 *        step has many backwards, such as pipelines. haft/data_parallel.h overlaps the same with backward where a
 *        step has one.
 * @param[in] g           the group
 * @param[in] parameters  count, as many of the same shapes on every rank; those that require no gradient do not
 *                        count, one that has none counts as 0 and has one afterwards
 * @param[in] count       how many there are
 * @param[in] op          HAFT_REDUCE_OP_AVG, HAFT_REDUCE_OP_SUM, ...
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for an op that there is not; what the group answers.
 * @note Thread class: exclusive on parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_parallel_join_gradients(haft_process_group* g, haft_tensor* const* parameters, int64_t count,
                                                  int32_t op) HAFT_NOTHROW;
/**
 * @brief haft_grad_clip_norm for a model that the ranks of a group have together: the norm is of all their gradients.
 * @param[in]  g           the group
 * @param[in]  parameters  count of this rank's; those without a gradient do not count. Other ranks may have others
 * @param[in]  copies      for each of them how many ranks of the group have the same gradient: those of spread layers
 *                         1, of norms between them and of biases of row-parallel ones as many as spread them. NULL:
 *                         all 1
 * @param[in]  count       how many there are
 * @param[in]  max_norm    not negative
 * @param[in]  norm_type   2 for the Euclidean norm; positive, may be infinity
 * @param[out] norm        the norm before, the same on every rank; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, what the group answers.
 * @note Thread class: exclusive on parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_parallel_clip_grad_norm(haft_process_group* g, haft_tensor* const* parameters,
                                                  const int64_t* copies, int64_t count, double max_norm,
                                                  double norm_type, double* norm) HAFT_NOTHROW;

/* ---- metrics and messages ---- */

/**
 * @brief Adds up numbers of all ranks, in place and in double: losses, hits and counts that a metric is made of.
 * @param[in]  g       the group
 * @param[in,out] values  count numbers
 * @param[in]  count   as many on every rank
 * @return HAFT_OK; HAFT_ERROR_MISMATCH on every rank where their counts differ; what the group answers.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parallel_sum_values(haft_process_group* g, double* values, int64_t count) HAFT_NOTHROW;
/**
 * @brief Of all ranks' processes one logs everything, the others errors only, whatever their sink's level. It calls
 *        no other rank.
 * @param[in]  g     the group
 * @param[in]  rank  who logs; HAFT_ANY_SOURCE: all, again
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. Of the process: the last call counts. @since 1.0
 */
HAFT_API haft_status haft_parallel_log_rank(const haft_process_group* g, int32_t rank) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
