/* Fully sharded data parallel: of each parameter, of its gradient and of the optimizer's state a rank keeps 1/N, and
 * has a parameter whole only while its unit computes (ZeRO stage 3, PyTorch's fully_shard). docs/sharding.md tells
 * how it behaves and what it costs.
 *
 *  1. Make the module, call haft_module_fully_shard for its large parts, innermost first, and then for the whole, on
 *     every rank alike; then make the optimizer over the module's parameters: it takes their shards in their place.
 *     The rest of the program stays as it was.
 *  2. A unit is what one such call took: the parameters that no unit had yet. They are gathered before its forward
 *     and before its backward and given back behind them; their objects stay the same. Who reads one in between is
 *     refused by its name.
 *  3. A rank's shard of a parameter is a tensor of its own, some rows of dimension 0 (haft_tensor_shard). Behind
 *     backward it has the gradient: the mean over ranks, as haft/data_parallel.h would leave it.
 *  4. All ranks run the same units in the same order, forward and backward; the output of a unit is used on all of
 *     them or on none. Parameters within a unit may go unused on some.
 *  5. What haft_process_group_* answers is answered by the forward and the backward of units, too.
 */
#ifndef HAFT_FULLY_SHARDED_H
#define HAFT_FULLY_SHARDED_H
#include <haft/nn.h>
#include <haft/process_group.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_fully_sharded haft_fully_sharded;

typedef struct haft_fully_sharded_options {
  uint32_t struct_size;
  /* 1: gives parameters back behind forward; 0: keeps them for backward; -1: 1, and 0 for a unit around others. */
  int32_t reshard_after_forward;
  /* What is gathered, and what the module computes in; 0: as the parameters are. Shards stay what they were. */
  haft_dtype param_dtype;
  haft_dtype reduce_dtype;     /* in which gradients are joined; 0: param_dtype */
  haft_dtype output_dtype;     /* floating results are cast to it; 0: as they come */
  int32_t cast_forward_inputs; /* 1: floating inputs are cast to param_dtype, where it is set */
  /* 1: shards of parameters on a device, their gradients and states stay on the host; 0: they are where the
   * parameters are. */
  int32_t offload;
  int32_t init_sync; /* 1: the values of rank 0 become every rank's */
  int32_t prefetch;  /* units that are gathered ahead, each of which needs memory */
  int32_t reserved;
} haft_fully_sharded_options;
#define HAFT_FULLY_SHARDED_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_fully_sharded_options), -1, 0, 0, 0, 1, 0, 1, 1, 0 }

/**
 * @brief Makes a unit of the parameters of a module that no unit has yet, with hooks around the module's forward. All
 *        ranks call it.
 * @param[in]  m         the module
 * @param[in]  g         the ranks that have a part each; kept alive
 * @param[in]  replicas  the ranks that have equal parts, over which gradients are joined, too (hybrid sharding); kept
 *                       alive; NULL: none
 * @param[in]  options   NULL: the defaults of HAFT_FULLY_SHARDED_OPTIONS_INIT
 * @param[out] out       a new object; the caller releases it. The unit lives as long as the module. May be NULL
 * @return HAFT_OK, HAFT_ERROR_MISMATCH when ranks bring different parameters, HAFT_ERROR_INVALID_ARGUMENT for a
 *         parameter that others share, that has a gradient or that data parallel joins, HAFT_ERROR_SHAPE for one
 *         without dimensions, HAFT_ERROR_DTYPE, HAFT_ERROR_BUSY, what the group answers.
 * @note Thread class: exclusive on m. An optimizer that was made before would step parameters that are not there:
 *       make it behind this.
 * @since 1.0
 */
HAFT_API haft_status haft_module_fully_shard(haft_module* m, haft_process_group* g, haft_process_group* replicas,
                                             const haft_fully_sharded_options* options,
                                             haft_fully_sharded** out) HAFT_NOTHROW;
/**
 * @brief The same for a list of parameters. The program calls haft_fully_sharded_before_forward and
 *        haft_fully_sharded_after_forward around what computes with them, and keeps the object for as long.
 * @param[in]  names       of the parameters, for messages; NULL: their numbers
 * @param[in]  parameters  count leaves; one that stands there twice is taken once
 * @param[in]  count       how many there are; 0: a unit that runs around others
 * @param[in]  g           as for haft_module_fully_shard
 * @param[in]  replicas    as for haft_module_fully_shard
 * @param[in]  options     as for haft_module_fully_shard
 * @param[out] out         a new object; the caller releases it
 * @return as haft_module_fully_shard.
 * @note Thread class: exclusive on parameters.
 * @since 1.0
 */
HAFT_API haft_status haft_fully_shard_parameters(const char* const* names, haft_tensor* const* parameters,
                                                 int64_t count, haft_process_group* g, haft_process_group* replicas,
                                                 const haft_fully_sharded_options* options,
                                                 haft_fully_sharded** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  u  the unit
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_retain(haft_fully_sharded* u) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Parameters stay sharded.
 * @param[in]  u  the unit
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_fully_sharded_release(haft_fully_sharded* u) HAFT_NOTHROW;

/**
 * @brief Gathers the unit's parameters, for a forward of the program's own. All ranks call it.
 * @param[in]  u       the unit
 * @param[in]  inputs  count tensors that the forward takes; NULL entries are absent
 * @param[in]  count   how many there are; 0
 * @param[out] outs    room for count handles, owned by the caller: the inputs, cast where options say so; may be NULL
 *                     when count is 0
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY, what the group answers.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_before_forward(haft_fully_sharded* u, haft_tensor* const* inputs, int64_t count,
                                                       haft_tensor** outs) HAFT_NOTHROW;
/**
 * @brief Gives them back, and sees to it that backward gathers them again.
 * @param[in]  u        the unit
 * @param[in]  outputs  count results of the forward; NULL entries are absent
 * @param[in]  count    how many there are; 0
 * @param[out] outs     room for count handles, owned by the caller: the results to go on with; may be NULL when count
 *                      is 0
 * @return HAFT_OK; what the cast to output_dtype and the group answer.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_after_forward(haft_fully_sharded* u, haft_tensor* const* outputs, int64_t count,
                                                      haft_tensor** outs) HAFT_NOTHROW;
/**
 * @brief Gathers the unit's parameters, which stay whole until haft_fully_sharded_reshard. What is written to them is
 *        lost then. All ranks call it.
 * @param[in]  u  the unit
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY, what the group answers.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_unshard(haft_fully_sharded* u) HAFT_NOTHROW;
/**
 * @brief Gives them back.
 * @param[in]  u  the unit
 * @return HAFT_OK, also when nothing was gathered; HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_reshard(haft_fully_sharded* u) HAFT_NOTHROW;
/**
 * @brief 0: gradients of whole parameters add up on each rank, in N times the memory, until a backward with 1 joins
 *        what has come together.
 * @param[in]  u   the unit
 * @param[in]  on  0 or 1; the same on every rank
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_set_gradient_sync(haft_fully_sharded* u, int32_t on) HAFT_NOTHROW;
/**
 * @brief The option of that name, from the next forward on.
 * @param[in]  u      the unit
 * @param[in]  value  1, 0 or -1; the same on every rank
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_set_reshard_after_forward(haft_fully_sharded* u, int32_t value) HAFT_NOTHROW;
/**
 * @brief Makes ordinary parameters of them again, whole on every rank; the hooks go. Gradients and optimizers of the
 *        shards are no longer theirs. All ranks call it.
 * @param[in]  u  the unit; nothing else is left to do with it but to release it
 * @return HAFT_OK, HAFT_ERROR_BUSY inside of a forward or backward, HAFT_ERROR_OUT_OF_MEMORY, what the group answers.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_close(haft_fully_sharded* u) HAFT_NOTHROW;

typedef struct haft_fully_sharded_info {
  uint32_t struct_size;
  int32_t rank;            /* this process among those that have a part each */
  int32_t ranks;           /* how many they are */
  int32_t whole;           /* 1: the parameters have memory now */
  int64_t parameters;      /* how many parameters the unit has */
  int64_t elements;        /* of all of them */
  int64_t own_elements;    /* of this rank's shards */
  int64_t whole_bytes;     /* of the parameters while they are whole */
  int64_t parameter_bytes; /* that this rank has now: shards, and parameters while they are whole */
  int64_t gradient_bytes;  /* of the shards' gradients, and of what waits to be joined */
  int64_t gathers;         /* so far */
  int64_t prefetched;      /* of those, gathered ahead and used */
  int64_t scatters;        /* how often gradients were joined */
  int64_t sent_bytes;      /* that this rank gave to other ranks for both */
} haft_fully_sharded_info;
#define HAFT_FULLY_SHARDED_INFO_INIT \
  { (uint32_t)sizeof(haft_fully_sharded_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
/**
 * @brief Numbers of a unit.
 * @param[in]  u     the unit
 * @param[in,out] info  struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_fully_sharded_get_info(haft_fully_sharded* u, haft_fully_sharded_info* info) HAFT_NOTHROW;

/**
 * @brief This rank's shard of a parameter: a leaf of rows x the other sizes, perhaps of no rows, which has the
 *        values, the gradient and the optimizer.
 * @param[in]  t    the parameter
 * @param[out] out  the shard, owned by the caller; NULL when t belongs to no unit
 * @return HAFT_OK, also when it is NULL; HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_tensor_shard(const haft_tensor* t, haft_tensor** out) HAFT_NOTHROW;
typedef struct haft_tensor_shard_info {
  uint32_t struct_size;
  int32_t rank;     /* this process among those that have a part each */
  int32_t ranks;    /* 0: t belongs to no unit */
  int32_t replica;  /* with hybrid sharding this rank's number among those with equal shards; 0 */
  int32_t replicas; /* how many they are; 1 */
  int32_t is_shard; /* 1: t itself is the shard */
  int64_t rows;     /* of dimension 0 of the parameter */
  int64_t first;    /* where this rank's rows begin */
  int64_t count;    /* and how many they are */
} haft_tensor_shard_info;
#define HAFT_TENSOR_SHARD_INFO_INIT \
  { (uint32_t)sizeof(haft_tensor_shard_info), 0, 0, 0, 0, 0, 0, 0, 0 }
/**
 * @brief How a tensor is spread.
 * @param[in]  t     a parameter, or a shard
 * @param[in,out] info  struct_size set; the other fields are filled, with zeros for a tensor that belongs to no unit
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_tensor_get_shard_info(const haft_tensor* t, haft_tensor_shard_info* info) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
