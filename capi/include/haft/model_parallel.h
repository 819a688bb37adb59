/* Models that are spread over the ranks of a group: pipelines of stages, mixtures of experts, attention over a
 * sequence of which each rank has a part. docs/pipelines.md tells how they work.
 */
#ifndef HAFT_MODEL_PARALLEL_H
#define HAFT_MODEL_PARALLEL_H
#include <haft/nn.h>
#include <haft/process_group.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pipelines ---- */

typedef struct haft_pipeline haft_pipeline;

enum {
  HAFT_PIPELINE_SCHEDULE_GPIPE = 0,           /* all forwards, then all backwards */
  HAFT_PIPELINE_SCHEDULE_1F1B = 1,            /* backwards as soon as they can, so that fewer micro-batches are held */
  HAFT_PIPELINE_SCHEDULE_INTERLEAVED_1F1B = 2 /* several stages a rank, which makes ranks wait less */
};

typedef struct haft_pipeline_options {
  uint32_t struct_size;
  int32_t schedule;      /* HAFT_PIPELINE_SCHEDULE_* */
  int32_t micro_batches; /* equal parts of a batch */
  /* 1: by 1 / micro_batches, for a loss that is a mean over its rows; 0: not, for one that is a sum. */
  int32_t scale_gradients;
  /* Of the last stage's results and the target, one element; NULL on other ranks, and to evaluate only. */
  haft_module* loss;
} haft_pipeline_options;
#define HAFT_PIPELINE_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_pipeline_options), HAFT_PIPELINE_SCHEDULE_1F1B, 1, 1, NULL }

/**
 * @brief A pipeline: every rank of the group brings its stages, in the order of ranks: rank r has the stages r, r +
 *        size, ...
 * @param[in]  g        the group; retained. Tags of messages from 2^30 on are the pipeline's
 * @param[in]  stages   modules of this rank; each takes what the one before it answers, up to 64 tensors; retained
 * @param[in]  count    the same on every rank: 1, or more with the interleaved schedule
 * @param[in]  options  NULL: the defaults of HAFT_PIPELINE_OPTIONS_INIT; the same on every rank, but for the loss
 * @param[out] out      a new pipeline; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_MISMATCH when ranks want different pipelines, HAFT_ERROR_BAD_STRUCT, what a group
 *         answers.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pipeline_create(haft_process_group* g, haft_module* const* stages, int64_t count,
                                          const haft_pipeline_options* options, haft_pipeline** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  p  the pipeline
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_pipeline_retain(haft_pipeline* p) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  p  the pipeline
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_pipeline_release(haft_pipeline* p) HAFT_NOTHROW;
/**
 * @brief A parameter that stages of several ranks share. All ranks call it. The values of the first rank that has it
 *        are taken by the others, and each step adds their gradients up, so that equal optimizers keep them equal.
 * @param[in] p          the pipeline
 * @param[in] parameter  this rank's; NULL: its stages do not have it
 * @return HAFT_OK, HAFT_ERROR_MISMATCH when shapes differ, HAFT_ERROR_BUSY, what a group answers.
 * @note Thread class: exclusive on p.
 * @since 1.0
 */
HAFT_API haft_status haft_pipeline_tie(haft_pipeline* p, haft_tensor* parameter) HAFT_NOTHROW;
/**
 * @brief One step of training: forwards and backwards of all micro-batches. All ranks call it. Gradients are added to
 *        those of the parameters; optimizers are the caller's.
 * @param[in]  p            the pipeline
 * @param[in]  inputs       of the first stage's rank: what the stage takes, each with the whole batch in its first
 *                          dimension
 * @param[in]  input_count  how many; others give 0
 * @param[in]  target       of the last stage's rank: the loss's, with the batch in its first dimension; others give
 *                          NULL
 * @param[out] losses       on the last stage's rank a new tensor of one loss a micro-batch, else NULL; may be NULL
 * @param[out] outputs      room for the last stage's results of the whole batch, each owned by the caller; NULL with
 *                          capacity 0: they are not kept
 * @param[in]  capacity     room at outputs
 * @param[out] count        how many there are, 0 on other ranks; may be NULL with capacity 0
 * @return HAFT_OK. Whatever fails on a rank kills the group, so others answer HAFT_ERROR_CANCELLED with the reason; a
 *         rank that has done its part already, with its next call. HAFT_ERROR_SHAPE for a batch without equal parts
 *         and for results that change their shape from one micro-batch to the next, HAFT_ERROR_BUSY, what modules and
 *         a group answer.
 * @note Thread class: exclusive on p.
 * @since 1.0
 */
HAFT_API haft_status haft_pipeline_step(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count,
                                        haft_tensor* target, haft_tensor** losses, haft_tensor** outputs,
                                        int64_t capacity, int64_t* count) HAFT_NOTHROW;
/**
 * @brief Forwards alone, without gradients. All ranks call it. Modules stay in the mode they are in.
 * @param[in]  p            the pipeline
 * @param[in]  inputs       as haft_pipeline_step
 * @param[in]  input_count  as haft_pipeline_step
 * @param[in]  target       NULL: no losses
 * @param[out] losses       as haft_pipeline_step; NULL where there is no target
 * @param[out] outputs      as haft_pipeline_step
 * @param[in]  capacity     room at outputs
 * @param[out] count        as haft_pipeline_step
 * @return as haft_pipeline_step.
 * @note Thread class: exclusive on p.
 * @since 1.0
 */
HAFT_API haft_status haft_pipeline_evaluate(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count,
                                            haft_tensor* target, haft_tensor** losses, haft_tensor** outputs,
                                            int64_t capacity, int64_t* count) HAFT_NOTHROW;

typedef struct haft_pipeline_info {
  uint32_t struct_size;
  int32_t stages; /* of all ranks */
  int32_t micro_batches;
  int32_t has_first; /* 1: this rank gives the inputs */
  int32_t has_last;  /* 1: this rank gives the target and gets losses and outputs */
  /* micro-batches whose activations this rank's stages held at once in the last step, added up. */
  int32_t peak_live;
  double bubble; /* the share of a step in which ranks wait when all forwards and backwards take equally long */
} haft_pipeline_info;
#define HAFT_PIPELINE_INFO_INIT \
  { (uint32_t)sizeof(haft_pipeline_info), 0, 0, 0, 0, 0, 0.0 }
/**
 * @brief What the pipeline is.
 * @param[in]  p     the pipeline
 * @param[in,out] info  struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on p. @since 1.0
 */
HAFT_API haft_status haft_pipeline_get_info(haft_pipeline* p, haft_pipeline_info* info) HAFT_NOTHROW;

typedef struct haft_pipeline_action {
  int32_t is_backward; /* 1: a backward; 0: a forward */
  int32_t stage;       /* of all, from 0 */
  int32_t micro_batch; /* from 0 */
  int32_t live;        /* micro-batches held after it */
} haft_pipeline_action;
/**
 * @brief What this rank did in the last step, in order.
 * @param[in]  p         the pipeline
 * @param[out] actions   room for capacity; NULL with capacity 0 asks for the number
 * @param[in]  capacity  room at actions
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on p. @since 1.0
 */
HAFT_API haft_status haft_pipeline_get_trace(haft_pipeline* p, haft_pipeline_action* actions, int64_t capacity,
                                             int64_t* count) HAFT_NOTHROW;

/* ---- experts ---- */

typedef struct haft_mixture_of_experts_options {
  uint32_t struct_size;
  int32_t top_k; /* experts a token */
  /* An expert takes capacity_factor * top_k * tokens / experts of each rank's tokens; 0: all that come. */
  double capacity_factor;
  int32_t normalize; /* 1: the weights of a token's experts add up to 1, when it has several */
  int32_t reserved;
} haft_mixture_of_experts_options;
#define HAFT_MIXTURE_OF_EXPERTS_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_mixture_of_experts_options), 2, 0.0, 1, 0 }
/**
 * @brief A layer of experts that are spread over the group: tokens go to the ranks of their experts and come back.
 *        All ranks make it, and call it together. It takes a tensor of shape (..., width) and answers one of the same
 *        shape, and, asked for two, a loss (arXiv:2101.03961) that is 1 when experts are equally loaded. Gradients of
 *        experts are of the sum of all ranks' losses; those of the router are this rank's part of it. What fails on a
 *        rank, in an expert say, kills the group.
 * @param[in]  g        the group; to be kept while the module is called
 * @param[in]  router   answers, for (tokens, width), a logit for each of all experts: its child "router", the same on
 *                      every rank
 * @param[in]  experts  this rank's, numbers rank * count to (rank + 1) * count - 1 of all: its children
 *                      "experts.<number>"; each answers the shape that it takes
 * @param[in]  count    the same on every rank
 * @param[in]  options  NULL: the defaults of HAFT_MIXTURE_OF_EXPERTS_OPTIONS_INIT; the same on every rank
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_MISMATCH when ranks want different ones, HAFT_ERROR_BAD_STRUCT, what a group answers.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mixture_of_experts_create(haft_process_group* g, haft_module* router,
                                                    haft_module* const* experts, int64_t count,
                                                    const haft_mixture_of_experts_options* options,
                                                    haft_module** out) HAFT_NOTHROW;

/* ---- long sequences ---- */

/**
 * @brief softmax(query key^T * scale) value over a sequence of which rank r has the r-th part. Keys and values go
 *        around the ranks, so nobody ever holds those of the whole. All ranks call it. It has a first gradient;
 *        whether inputs require one must be the same on all ranks.
 * @param[in]  g          the group
 * @param[in]  query      (..., positions, width), of one shape on all ranks; a floating type
 * @param[in]  key        (..., positions, width)
 * @param[in]  value      (..., positions, any width)
 * @param[in]  is_causal  1: a query sees no later position
 * @param[in]  scale      0: 1 / sqrt(width)
 * @param[out] out        this rank's part, an owned handle
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_MISMATCH, what a group answers.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_parallel_ring_attention(haft_process_group* g, const haft_tensor* query,
                                                  const haft_tensor* key, const haft_tensor* value, int32_t is_causal,
                                                  double scale, haft_tensor** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
