/* Distributed data parallel: every rank of a group trains its copy of a model on its share of the data, and gradients
 * are the means of all ranks'. docs/data-parallel.md tells how it behaves.
 *
 * The step of a program stays what it was: a forward pass (haft_data_parallel_forward, or haft_data_parallel_prepare
 * and one of its own), backward, a step of the optimizer. During backward gradients are joined bucket by bucket; when
 * it returns all are there. They are views of the buckets: keep them (haft_optimizer_zero_grad with set_to_none 0)
 * and nothing is copied.
 */
#ifndef HAFT_DATA_PARALLEL_H
#define HAFT_DATA_PARALLEL_H
#include <haft/nn.h>
#include <haft/process_group.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_data_parallel haft_data_parallel;

typedef struct haft_data_parallel_options {
  uint32_t struct_size;
  int32_t broadcast_buffers;       /* 1: each forward pass in training begins with rank 0's buffers */
  int32_t find_unused_parameters;  /* 1: parameters that a backward does not reach on some rank count as 0 there */
  int32_t gradient_as_bucket_view; /* 1: gradients are views of buckets; 0: they are copied in and out */
  int32_t static_graph;            /* 1: each step is like the first: which gradients come, and how often */
  int32_t init_sync;               /* 1: models are compared, and rank 0's becomes every rank's */
  int64_t bucket_bytes;            /* 25 MiB */
  int64_t first_bucket_bytes;      /* 1 MiB: the first one begins early */
} haft_data_parallel_options;
#define HAFT_DATA_PARALLEL_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_data_parallel_options), 1, 0, 1, 0, 1, 26214400, 1048576 }

/**
 * @brief Joins the gradients of a module's parameters. Every rank of the group calls it.
 * @param[in]  m        the module; parameters that require no gradient are only broadcast
 * @param[in]  g        the group; kept alive
 * @param[in]  options  NULL: the defaults of HAFT_DATA_PARALLEL_OPTIONS_INIT
 * @param[out] out      a new object; the caller releases it, which takes its hooks off the parameters
 * @return HAFT_OK; HAFT_ERROR_MISMATCH naming the first name, shape, type or requires_grad that differs between
 *         ranks, on every rank; HAFT_ERROR_INVALID_ARGUMENT when no parameter requires a gradient; HAFT_ERROR_DEVICE
 *         for one on another device than others; what the group answers.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_create(haft_module* m, haft_process_group* g,
                                               const haft_data_parallel_options* options,
                                               haft_data_parallel** out) HAFT_NOTHROW;
/**
 * @brief The same for a list of parameters. The program calls haft_data_parallel_prepare before its forward pass.
 * @param[in]  names         of the parameters, for messages; NULL: their numbers
 * @param[in]  parameters    parameter_count leaves
 * @param[in]  parameter_count  how many there are
 * @param[in]  buffers       buffer_count tensors that are rank 0's in each forward pass
 * @param[in]  buffer_count  how many there are; 0
 * @param[in]  g             the group; kept alive
 * @param[in]  options       as for haft_data_parallel_create
 * @param[out] out           a new object; the caller releases it
 * @return as haft_data_parallel_create.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_create_over(const char* const* names, haft_tensor* const* parameters,
                                                    int64_t parameter_count, haft_tensor* const* buffers,
                                                    int64_t buffer_count, haft_process_group* g,
                                                    const haft_data_parallel_options* options,
                                                    haft_data_parallel** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  d  the object
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_retain(haft_data_parallel* d) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Not while a backward through its parameters runs.
 * @param[in]  d  the object
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_data_parallel_release(haft_data_parallel* d) HAFT_NOTHROW;

/**
 * @brief Prepares a step and calls the module with one tensor.
 * @param[in]  d  over a module
 * @param[in]  x  the input
 * @param[out] y  an owned handle
 * @return as haft_data_parallel_prepare and haft_module_forward.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_forward(haft_data_parallel* d, const haft_tensor* x,
                                                haft_tensor** y) HAFT_NOTHROW;
/**
 * @brief Begins a step: buffers become rank 0's, and what was said of joining holds for the backward to come. Does
 *        nothing while gradients are off or the module evaluates: such a forward pass is a rank's own business.
 * @param[in] d the object
 * @return HAFT_OK; HAFT_ERROR_AUTOGRAD naming the parameters that got no gradient in the last step, so that it was
 *         not joined; HAFT_ERROR_CANCELLED when a rank has no more data and the join ends then; what the group
 *         answers.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_prepare(haft_data_parallel* d) HAFT_NOTHROW;
/**
 * @brief 0: gradients add up on each rank (torch's no_sync), until a step that is begun with 1 joins what has come
 *        together.
 * @param[in]  d   the object
 * @param[in]  on  0 or 1; the same on every rank
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_set_sync(haft_data_parallel* d, int32_t on) HAFT_NOTHROW;
/**
 * @brief Whether the next step is joined.
 * @param[in]  d    the object
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_get_sync(haft_data_parallel* d, int32_t* out) HAFT_NOTHROW;
/**
 * @brief What the option static_graph says, before the first step.
 * @param[in]  d  the object
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT afterwards.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_set_static_graph(haft_data_parallel* d) HAFT_NOTHROW;

/**
 * @brief Begins a stretch of steps of which some ranks may have fewer than others. Every rank calls it.
 * @param[in] d                the object
 * @param[in] divide_by_world  1: means are over all ranks; 0: over those that still have data
 * @param[in] fail_early       1: when a rank has no more data, all end with HAFT_ERROR_CANCELLED
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when a join is under way already; what the last step has failed with.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_join_begin(haft_data_parallel* d, int32_t divide_by_world,
                                                   int32_t fail_early) HAFT_NOTHROW;
/**
 * @brief Ends it: this rank has no more data, and takes part in what the others call until they have none either. Its
 *        parameters and buffers are those of a rank that was among the last, then.
 * @param[in]  d  the object
 * @return HAFT_OK, HAFT_ERROR_CANCELLED, what the group answers.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_join_end(haft_data_parallel* d) HAFT_NOTHROW;

typedef struct haft_data_parallel_info {
  uint32_t struct_size;
  int32_t rank;           /* this process among those of the group */
  int32_t size;           /* ranks of the group */
  int32_t rebuilt;        /* 1: buckets lie in the order in which gradients came in the first step */
  int64_t buckets;        /* in which gradients travel */
  int64_t steps;          /* that were joined */
  int64_t gradient_bytes; /* of the gradients joined so far */
  /* That this rank gave to the group for them: less with compression; a program's own hook counts nothing. */
  int64_t sent_bytes;
  /* Parameters that no rank used in the last step; needs find_unused_parameters or static_graph. */
  int64_t unused;
  int64_t copies; /* gradients that were copied into buckets so far */
} haft_data_parallel_info;
#define HAFT_DATA_PARALLEL_INFO_INIT \
  { (uint32_t)sizeof(haft_data_parallel_info), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
/**
 * @brief Numbers of the object.
 * @param[in]  d     the object
 * @param[in,out] info  struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_get_info(haft_data_parallel* d, haft_data_parallel_info* info) HAFT_NOTHROW;

/* ---- how gradients are joined ---- */

/* What a hook sees of a bucket; handles are lent for the call. */
typedef struct haft_gradient_bucket {
  uint32_t struct_size;
  int32_t index;                  /* 0 to buckets - 1 */
  haft_tensor* buffer;            /* 1-d: the gradients, one behind the other */
  haft_tensor* const* gradients;  /* views of the buffer in the shapes of the parameters */
  haft_tensor* const* parameters; /* whose gradients they are, in the same order */
  int64_t count;                  /* of both */
} haft_gradient_bucket;
/**
 * @brief Begins to join a bucket, on the thread that runs backward, in the same order on every rank.
 * @param[in]  bucket  with this rank's gradients
 * @param[in]  g       the group, lent
 * @param[out] work    NULL on entry; what was begun and is to be waited for before `finish`: haft takes it over
 */
typedef haft_status (*haft_gradient_hook)(const haft_gradient_bucket* bucket, haft_process_group* g, haft_work** work,
                                          void* user);
/** @brief Ends it, at the end of backward, in the order of buckets: the bucket's buffer holds the ranks' mean
 *        afterwards.
 * @param[in] bucket the one that was begun @param[in] g the group, lent */
typedef haft_status (*haft_gradient_hook_finish)(const haft_gradient_bucket* bucket, haft_process_group* g, void* user);
/**
 * @brief Joins gradients by functions of the program's instead of a plain mean.
 * @param[in] d        the object
 * @param[in] hook     begins; NULL: plain means again
 * @param[in] finish   ends; NULL: the work leaves the mean in the buffer
 * @param[in] user     handed to both
 * @param[in] destroy  called once, when they are no longer needed; may be NULL. Not called when this function fails
 * @return HAFT_OK, HAFT_ERROR_BUSY in the middle of a step.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_set_hook(haft_data_parallel* d, haft_gradient_hook hook,
                                                 haft_gradient_hook_finish finish, void* user,
                                                 void (*destroy)(void* user)) HAFT_NOTHROW;

enum {
  HAFT_COMPRESSION_FP16 = 1,     /* half the bytes */
  HAFT_COMPRESSION_BF16 = 2,     /* half the bytes, with the range of float32 */
  HAFT_COMPRESSION_INT8 = 3,     /* a byte an element; all ranks' go to all */
  HAFT_COMPRESSION_ONE_BIT = 4,  /* signs and a mean size; all ranks' go to all */
  HAFT_COMPRESSION_TOP_K = 5,    /* the largest elements with their places; all ranks' go to all */
  HAFT_COMPRESSION_RANDOM_K = 6, /* elements that all ranks draw alike */
  HAFT_COMPRESSION_POWER_SGD = 7 /* matrices as products of two thin ones */
};
typedef struct haft_compression_options {
  uint32_t struct_size;
  int32_t kind;           /* HAFT_COMPRESSION_* */
  int32_t error_feedback; /* 1: what is lost is added to the next step's gradients; not of FP16 and BF16 */
  int32_t warm_start;     /* 1: POWER_SGD begins where the last step ended */
  double ratio;           /* TOP_K, RANDOM_K: part of the elements that is sent */
  double min_rate;        /* POWER_SGD leaves matrices alone that it would not make this many times smaller */
  int64_t rank;           /* POWER_SGD: width of the thin matrices */
  int64_t start_step;     /* plain means in the steps before */
  int64_t seed;           /* RANDOM_K, POWER_SGD: the same on every rank */
} haft_compression_options;
#define HAFT_COMPRESSION_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_compression_options), HAFT_COMPRESSION_FP16, 1, 1, 0.01, 2, 1, 0, 0 }
/**
 * @brief Sends less than the gradients.
 * @param[in]  d        the object
 * @param[in]  options  NULL: plain means again
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY in the middle of a step.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_set_compression(haft_data_parallel* d,
                                                        const haft_compression_options* options) HAFT_NOTHROW;
/**
 * @brief Post-local SGD: plain means up to a step, then means of a part of the ranks only. A haft_model_averager
 *        joins the models.
 * @param[in]  d           the object
 * @param[in]  part        the group of the ranks that go on together, kept alive; NULL: each on its own
 * @param[in]  start_step  the first such step
 * @return HAFT_OK, HAFT_ERROR_BUSY in the middle of a step.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_set_post_local(haft_data_parallel* d, haft_process_group* part,
                                                       int64_t start_step) HAFT_NOTHROW;

/**
 * @brief What compression keeps from step to step, which belongs into checkpoints: "step", "residual.<parameter>",
 *        "warm.<parameter>". They share memory with it.
 * @param[in]  d         the object
 * @param[out] outs      room for `capacity` handles, each owned by the caller; NULL with capacity 0 asks for the number
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_state(haft_data_parallel* d, haft_tensor** outs, int64_t capacity,
                                              int64_t* count) HAFT_NOTHROW;
/**
 * @brief The name of the index-th tensor of haft_data_parallel_state.
 * @param[in]  d         the object
 * @param[in]  index     from 0
 * @param[out] buffer    room for capacity bytes; NULL with capacity 0 asks for the size
 * @param[in]  capacity  room at buffer
 * @param[out] needed    bytes of the text with its final 0; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_get_state_name(haft_data_parallel* d, int64_t index, char* buffer,
                                                       int64_t capacity, int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Takes over what haft_data_parallel_state told, of the same compression over the same parameters; other
 *        ranks' or other buckets do not matter.
 * @param[in]  d        the object
 * @param[in]  names    of the tensors
 * @param[in]  tensors  what is copied
 * @param[in]  count    of both
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown name, HAFT_ERROR_SHAPE: nothing was changed.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_load_state(haft_data_parallel* d, const char* const* names,
                                                   haft_tensor* const* tensors, int64_t count) HAFT_NOTHROW;

/* ---- models joined now and then ---- */

typedef struct haft_model_averager haft_model_averager;

typedef struct haft_model_averager_options {
  uint32_t struct_size;
  /* 1: a step of an outer optimizer along what the mean has moved (DiLoCo); 0: the mean itself (local SGD). */
  int32_t outer;
  int32_t nesterov; /* of the outer optimizer */
  int32_t reserved;
  int64_t period; /* steps from one to the next */
  /* Without any. The step behind them joins (without warm-up the very first one), then every period-th; an outer
   * step wants a whole period behind it. */
  int64_t warmup_steps;
  double outer_lr;       /* learning rate of the outer optimizer */
  double outer_momentum; /* and its momentum */
} haft_model_averager_options;
#define HAFT_MODEL_AVERAGER_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_model_averager_options), 0, 1, 0, 1, 0, 0.7, 0.9 }
/**
 * @brief Joins parameters of all ranks every some steps.
 * @param[in]  parameters  count tensors of one device
 * @param[in]  count       at least 1
 * @param[in]  g           the group; kept alive
 * @param[in]  options     NULL: the defaults of HAFT_MODEL_AVERAGER_OPTIONS_INIT
 * @param[out] out         a new object; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_DEVICE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_model_averager_create(haft_tensor* const* parameters, int64_t count, haft_process_group* g,
                                                const haft_model_averager_options* options,
                                                haft_model_averager** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  a  the averager
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_model_averager_retain(haft_model_averager* a) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  a  the averager
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_model_averager_release(haft_model_averager* a) HAFT_NOTHROW;
/**
 * @brief To be called on every rank after each step of its optimizer.
 * @param[in]  a         the averager
 * @param[out] averaged  1 when it was the turn; may be NULL
 * @return HAFT_OK, what the group answers.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_model_averager_step(haft_model_averager* a, int32_t* averaged) HAFT_NOTHROW;
/**
 * @brief What belongs into checkpoints, as haft_data_parallel_state: "step", and the outer model and its momentum by
 *        element types.
 * @param[in]  a         the averager
 * @param[out] outs      room for `capacity` handles, each owned by the caller
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_model_averager_state(haft_model_averager* a, haft_tensor** outs, int64_t capacity,
                                               int64_t* count) HAFT_NOTHROW;
/**
 * @brief The name of the index-th tensor of haft_model_averager_state.
 * @param[in]  a         the averager
 * @param[in]  index     from 0
 * @param[out] buffer    room for capacity bytes; NULL with capacity 0 asks for the size
 * @param[in]  capacity  room at buffer
 * @param[out] needed    bytes of the text with its final 0; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_model_averager_get_state_name(haft_model_averager* a, int64_t index, char* buffer,
                                                        int64_t capacity, int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Takes over what haft_model_averager_state told.
 * @param[in]  a        the averager
 * @param[in]  names    of the tensors
 * @param[in]  tensors  what is copied
 * @param[in]  count    of both
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown name, HAFT_ERROR_SHAPE: nothing was changed.
 * @note Thread class: exclusive. @since 1.0
 */
HAFT_API haft_status haft_model_averager_load_state(haft_model_averager* a, const char* const* names,
                                                    haft_tensor* const* tensors, int64_t count) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
