/* ZeRO: an optimizer whose state, and in stage 2 the gradients, too, is spread over the ranks of a group.
 * docs/sharding.md tells how it works and what it costs.
 *
 *  1. Every rank makes the same optimizer over the same parameters and calls haft_optimizer_shard; from then on the
 *     handle is used as before. All ranks call haft_optimizer_step, haft_optimizer_add_group and what this header
 *     has, in the same order.
 *  2. Parameters stay whole on every rank. Of a state a rank has its elements of each bucket of parameters, 1/N of all.
 *  3. Stage 1 takes gradients that are the same on all ranks, as haft/data_parallel.h leaves them. Stage 2 takes each
 *     rank's own, joins them in backward and leaves no gradient at the parameters; no data parallel is made over
 *     these.
 *  4. States are set and loaded whole, at any number of ranks, and each rank takes its part. They are told and saved
 *     (haft_optimizer_state, haft_checkpoint_save) after haft_optimizer_consolidate, up to the next step.
 *  5. What haft_process_group_* answers is answered here, too, by haft_optimizer_step and in stage 2 by haft_backward.
 */
#ifndef HAFT_SHARDING_H
#define HAFT_SHARDING_H
#include <haft/optim.h>
#include <haft/process_group.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_shard_options {
  uint32_t struct_size;
  int32_t stage;     /* 1: the state; 2: the state and the gradients */
  int32_t init_sync; /* 1: the parameters of rank 0 become every rank's; 0: they are the same already */
  int32_t reserved;
  int64_t bucket_bytes; /* of parameters that travel together */
} haft_shard_options;
#define HAFT_SHARD_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_shard_options), 1, 1, 0, 26214400 }

/**
 * @brief Spreads an optimizer's state over the ranks of a group, for the rest of its life; each rank keeps its part
 *        of what there is. All ranks call it.
 * @param[in] o        any optimizer of the engine over parameters of one device, with the same parameters, options
 *                     and steps on every rank
 * @param[in] g        the group; kept alive
 * @param[in] options  NULL: the defaults of HAFT_SHARD_OPTIONS_INIT
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for one that is spread already, for a stage that does not exist and
 *         for gradients that are there in stage 2, HAFT_ERROR_MISMATCH when ranks bring different optimizers,
 *         HAFT_ERROR_DEVICE, HAFT_ERROR_BUSY, what the group answers.
 * @note Thread class: exclusive on o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_shard(haft_optimizer* o, haft_process_group* g,
                                          const haft_shard_options* options) HAFT_NOTHROW;
/**
 * @brief Brings the whole state together, so that haft_optimizer_state and haft_checkpoint_save tell it until the
 *        next step or load. All ranks call it. For an optimizer that is not spread it does nothing.
 * @param[in] o   the optimizer
 * @param[in] to  the rank that gets it, or -1: all of them
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY, what the group answers.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_consolidate(haft_optimizer* o, int32_t to) HAFT_NOTHROW;
/**
 * @brief haft_grad_clip_norm for all parameters of an optimizer, also where ranks have parts of the gradients. All
 *        ranks call it.
 * @param[in]  o          the optimizer
 * @param[in]  max_norm   not negative
 * @param[in]  norm_type  2 for the Euclidean norm; positive, may be infinity
 * @param[out] norm       the norm before, the same on every rank; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY, what the group answers.
 * @note Thread class: exclusive on o and its parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_optimizer_clip_grad_norm(haft_optimizer* o, double max_norm, double norm_type,
                                                   double* norm) HAFT_NOTHROW;

typedef struct haft_shard_info {
  uint32_t struct_size;
  int32_t stage;          /* 0: not spread */
  int32_t rank;           /* this process among those of the group */
  int32_t ranks;          /* ranks of the group */
  int64_t buckets;        /* of parameters that travel together */
  int64_t elements;       /* of all parameters */
  int64_t own_elements;   /* whose state is this rank's */
  int64_t state_bytes;    /* that this rank has */
  int64_t gradient_bytes; /* that this rank has, at the parameters or as its part */
} haft_shard_info;
#define HAFT_SHARD_INFO_INIT \
  { (uint32_t)sizeof(haft_shard_info), 0, 0, 0, 0, 0, 0, 0, 0 }
/**
 * @brief What a rank has of an optimizer.
 * @param[in]  o     the optimizer
 * @param[in,out] info  filled in; struct_size is the caller's
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on o. @since 1.0
 */
HAFT_API haft_status haft_optimizer_get_shard_info(haft_optimizer* o, haft_shard_info* info) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
