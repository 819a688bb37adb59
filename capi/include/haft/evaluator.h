/* Measures of a classifier, and running means: an evaluator is told batch after batch, and asked at the end.
 *
 * It keeps sums alone, on the device of what it is told, so that telling it waits for nothing; what it answers waits
 * for that device. Over several processes the sums are added up: haft_evaluator_get_state, a sum over the ranks
 * (haft_process_group_all_reduce), and haft_evaluator_set_state. */
#ifndef HAFT_EVALUATOR_H
#define HAFT_EVALUATOR_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_evaluator haft_evaluator;

/**
 * @brief An evaluator that has been told nothing.
 * @param[in]  num_classes   classes of the confusion matrix, from which precision, recall and F1 come; 0: none is kept
 * @param[in]  top_k         haft_evaluator_get_accuracy may be asked for the first 1 to top_k classes; at least 1
 * @param[in]  ignore_index  targets of this number do not count; PyTorch's losses have -100
 * @param[out] out           the caller releases it
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a negative num_classes and a top_k below 1 or above num_classes.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_evaluator_create(int64_t num_classes, int64_t top_k, int64_t ignore_index,
                                           haft_evaluator** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  e  the evaluator
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_evaluator_retain(haft_evaluator* e) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  e  the evaluator
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_evaluator_release(haft_evaluator* e) HAFT_NOTHROW;
/**
 * @brief Counts a batch.
 * @param[in] e            the evaluator
 * @param[in] predictions  floating (N, C, *): a score for each class, of which the highest are taken; or integers (N,
 *                         *): classes, with top_k 1
 * @param[in] target       integers (N, *), the right classes, on the same device
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT,
 *         HAFT_ERROR_INDEX for a class beyond num_classes (a GPU says it later, when something waits for it),
 *         HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e.
 * @since 1.0
 */
HAFT_API haft_status haft_evaluator_update(haft_evaluator* e, const haft_tensor* predictions,
                                           const haft_tensor* target) HAFT_NOTHROW;
/**
 * @brief Adds values to the running mean: the losses of a batch, or their mean with the batch's size as weight.
 * @param[in] e       the evaluator
 * @param[in] values  any numbers, of any shape
 * @param[in] weight  of each value, from 0
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e.
 * @since 1.0
 */
HAFT_API haft_status haft_evaluator_add(haft_evaluator* e, const haft_tensor* values, double weight) HAFT_NOTHROW;
/**
 * @brief Forgets all that it was told.
 * @param[in]  e  the evaluator
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_reset(haft_evaluator* e) HAFT_NOTHROW;
/**
 * @brief How many targets counted.
 * @param[in]  e    the evaluator
 * @param[out] out  their number
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_get_count(haft_evaluator* e, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Share of targets that are among the k classes with the highest scores.
 * @param[in]  e    the evaluator
 * @param[in]  k    1..top_k
 * @param[out] out  in [0, 1]; NaN before anything counted
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_get_accuracy(haft_evaluator* e, int64_t k, double* out) HAFT_NOTHROW;
/**
 * @brief Mean of the values added, by their weights.
 * @param[in]  e    the evaluator
 * @param[out] out  NaN before any was added
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_get_mean(haft_evaluator* e, double* out) HAFT_NOTHROW;
/**
 * @brief The confusion matrix.
 * @param[in]  e    the evaluator
 * @param[out] out  int64 (C, C) on the host, owned by the caller: row i, column j: targets i that were taken for j
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT without num_classes, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_confusion(haft_evaluator* e, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Scores of each class, float64 (C) on the host; their means are the macro averages. What is divided by 0 is 0.
 * @param[in]  e          the evaluator
 * @param[out] precision  right ones among those taken for the class; owned by the caller, as
 * @param[out] recall     right ones among the targets of the class
 * @param[out] f1         2 precision recall / (precision + recall)
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT without num_classes, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e.
 * @since 1.0
 */
HAFT_API haft_status haft_evaluator_scores(haft_evaluator* e, haft_tensor** precision, haft_tensor** recall,
                                           haft_tensor** f1) HAFT_NOTHROW;
/**
 * @brief The sums, to be added to another evaluator's with the same options.
 * @param[in]  e    the evaluator
 * @param[out] out  a float64 vector on the device of what it was told, a copy owned by the caller
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_get_state(haft_evaluator* e, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Goes on from such sums.
 * @param[in]  e      the evaluator
 * @param[in]  state  copied
 * @return HAFT_OK, HAFT_ERROR_SHAPE for a state of other options, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on e. @since 1.0
 */
HAFT_API haft_status haft_evaluator_set_state(haft_evaluator* e, const haft_tensor* state) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
