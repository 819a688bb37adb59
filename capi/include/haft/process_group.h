/* Process groups: ranks that call collectives together and send each other messages. docs/process-groups.md tells how
 * they behave.
 *
 * What all calls of a group have in common
 *  1. Every rank calls the same collectives in the same order, with fitting arguments. What each has called is
 *     compared: a difference is HAFT_ERROR_MISMATCH on every rank, with both calls in its text.
 *  2. `work` is NULL: the call returns when this rank's part is done. Otherwise it returns at once, *work is a new
 *     handle that the caller releases, and tensors of the call are not to be changed until it is done. Calls run in
 *     the order in which they were issued, from whatever thread.
 *  3. Tensors are of any strides and element types; what is written is no view of what is read. Results take part in no
 *     gradient. On the CPU 16-bit floats are joined in float32 and rounded once. Every rank gets the same bits. A
 *     rank's tensors of one call are on one device: the CPU, or one of the rank's own, by whose engine (NCCL) it goes
 *     then. Without such an engine, or where ranks share a device, it goes through host memory, and is done when the
 *     call returns or the work is. Streams, of what a device's engine does: it begins behind what the calling
 *     thread's current stream had before the call. With `work` NULL the call returns when it is enqueued, and orders
 *     that stream behind it: its results are there for what the stream does next, while other streams and the host
 *     wait for an event on it, or for the device. haft_work_wait does the same for the stream that is current then.
 *     Memory is free for others when all of it has passed. What a device was to write when its group died is
 *     undefined.
 *     A recording (haft/device_graph.h) holds what a device's engine does, once the group has made its communicator,
 *     or two ranks have exchanged their first message: all ranks record the same and replay as often. It is refused
 *     for what goes through host memory, for HAFT_ANY_SOURCE and for haft_process_group_barrier, with
 *     HAFT_ERROR_UNSUPPORTED.
 *  4. A group dies as a whole: of a difference, of a peer that is lost (HAFT_ERROR_PEER_LOST) or late
 *     (HAFT_ERROR_TIMEOUT, with the names of the ranks that are missing), of haft_process_group_abort
 *     (HAFT_ERROR_CANCELLED). What is under way and all later calls on every rank answer so. The process and its
 *     other groups live on; make a new group.
 *  5. After fork() the child answers HAFT_ERROR_FORKED.
 *  6. Beside what @return names, every call may answer these, and HAFT_ERROR_DEVICE, HAFT_ERROR_DTYPE and
 *     HAFT_ERROR_SHAPE for tensors that a rank alone can tell to be wrong: then nothing has happened.
 */
#ifndef HAFT_PROCESS_GROUP_H
#define HAFT_PROCESS_GROUP_H
#include <haft/store.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_process_group haft_process_group;
typedef struct haft_work haft_work;

/* How all_reduce, reduce and reduce_scatter join values. Of bool, SUM and MAX are "or", PROD and MIN "and". */
enum {
  HAFT_REDUCE_OP_SUM = 0,
  HAFT_REDUCE_OP_PROD = 1,
  HAFT_REDUCE_OP_MIN = 2,
  HAFT_REDUCE_OP_MAX = 3,
  HAFT_REDUCE_OP_AVG = 4,  /* floating types only */
  HAFT_REDUCE_OP_BAND = 5, /* bits: integers and bool only */
  HAFT_REDUCE_OP_BOR = 6,
  HAFT_REDUCE_OP_BXOR = 7
};

#define HAFT_ANY_SOURCE (-1)

typedef struct haft_process_group_options {
  uint32_t struct_size;
  int32_t reserved;
  int64_t timeout_us; /* of every call, and of making the group; 300 s */
  /* What moves data in host memory: "shm" within a host, "gloo" over TCP, "mpi" by mpirun; NULL: the fastest that
   * reaches all ranks. "nccl": that, and an error where tensors of CUDA would go through host memory. */
  const char* engine;
  const char* name; /* groups of one store are told apart by it; NULL: "default" */
} haft_process_group_options;
#define HAFT_PROCESS_GROUP_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_process_group_options), 0, 300000000, NULL, NULL }

/**
 * @brief Whether groups can be made with an engine here.
 * @param[in]  engine  "shm", "gloo", "mpi", "nccl" (the plug-in for CUDA and NVIDIA's library) or the name of another
 *                     plug-in, which stays loaded
 * @param[out] out     1 or 0
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for text that is not UTF-8. An engine that is not there is no error.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_process_group_is_available(const char* engine, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Makes a group: every rank calls it, and it returns when all have.
 * @param[in]  store    where ranks find each other, haft_rendezvous' for instance; retained
 * @param[in]  rank     this one's number, 0 to size - 1
 * @param[in]  size     how many ranks there are
 * @param[in]  options  NULL: the defaults of HAFT_PROCESS_GROUP_OPTIONS_INIT
 * @param[out] out      a new group; the caller releases it
 * @return HAFT_OK; HAFT_ERROR_TIMEOUT naming the ranks that have not come; HAFT_ERROR_UNAVAILABLE when no engine
 *         reaches all ranks; what the store answers; HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_process_group_create(haft_store* store, int32_t rank, int32_t size,
                                               const haft_process_group_options* options,
                                               haft_process_group** out) HAFT_NOTHROW;
/**
 * @brief A group of some ranks of this one, in the order given. All ranks of this group call it, in the same order.
 * @param[in]  g        the group
 * @param[in]  ranks    count different ranks of it
 * @param[in]  count    at least 1
 * @param[in]  options  NULL: those of g. The name is made of g's
 * @param[out] out      a new group, which the caller releases; NULL for a rank that is not among them
 * @return as haft_process_group_create.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_process_group_subgroup(haft_process_group* g, const int32_t* ranks, int64_t count,
                                                 const haft_process_group_options* options,
                                                 haft_process_group** out) HAFT_NOTHROW;
/**
 * @brief A group of the ranks that give the same color. All ranks of this group call it, in the same order.
 * @param[in]  g        the group
 * @param[in]  color    0 or more; negative: this rank joins none
 * @param[in]  key      the order of ranks in the new group; of equal ones that of g
 * @param[in]  options  NULL: those of g. The name is made of g's
 * @param[out] out      a new group, which the caller releases; NULL for a negative color
 * @return as haft_process_group_create.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_process_group_split(haft_process_group* g, int64_t color, int64_t key,
                                              const haft_process_group_options* options,
                                              haft_process_group** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  g  the group
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_retain(haft_process_group* g) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. With the last one this rank leaves: what is under way is answered
 *        with HAFT_ERROR_CANCELLED on every rank.
 * @param[in]  g  the group
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_process_group_release(haft_process_group* g) HAFT_NOTHROW;

typedef struct haft_process_group_info {
  uint32_t struct_size;
  int32_t rank;        /* this process, 0 to size - 1 */
  int32_t size;        /* ranks of the group */
  haft_status failure; /* HAFT_OK: the group lives */
  int32_t culprit;     /* the rank at fault, as far as one is known; -1 */
  int32_t reserved;
  int64_t issued;     /* collectives of this rank so far */
  int64_t finished;   /* of these, done */
  int64_t timeout_us; /* of every call that gives none of its own */
  const char* engine; /* they live as long as the group */
  const char* name;   /* by which groups of one store are told apart */
} haft_process_group_info;
#define HAFT_PROCESS_GROUP_INFO_INIT \
  { (uint32_t)sizeof(haft_process_group_info), 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL }
/**
 * @brief What the group is and whether it lives.
 * @param[in]  g     the group
 * @param[in,out] info  struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_get_info(const haft_process_group* g,
                                                 haft_process_group_info* info) HAFT_NOTHROW;
/**
 * @brief Kills the group on every rank.
 * @param[in]  g       the group
 * @param[in]  reason  for the others' errors; UTF-8
 * @return HAFT_OK, also when it was dead.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_abort(haft_process_group* g, const char* reason) HAFT_NOTHROW;
/**
 * @brief The last 2048 calls of this rank with their times as JSON. When a group dies, the same text goes into the
 *        folder that the environment variable HAFT_RECORDER_DIR names.
 * @param[in]  g         the group
 * @param[out] buffer    room for capacity bytes; may be NULL when that is 0
 * @param[in]  capacity  room at buffer
 * @param[out] needed    bytes of the text with its final 0
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_recorder_to_json(const haft_process_group* g, char* buffer, int64_t capacity,
                                                         int64_t* needed) HAFT_NOTHROW;

/* ---- collectives ---- */

/**
 * @brief Copies the root's tensor to all ranks.
 * @param[in]  g       the group
 * @param[in]  tensor  of the same shape and type on every rank
 * @param[in]  root    whose
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a root that is no rank; HAFT_ERROR_MISMATCH on every rank where
 *         their roots, shapes or types differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_broadcast(haft_process_group* g, haft_tensor* tensor, int32_t root,
                                                  haft_work** work) HAFT_NOTHROW;
/**
 * @brief Reduces the tensors of all ranks to one that all get, in place.
 * @param[in]  g       the group
 * @param[in]  tensor  of the same shape and type on every rank
 * @param[in]  op      HAFT_REDUCE_OP_*
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for an op that there is not; HAFT_ERROR_DTYPE for one that the type does
 *         not take; HAFT_ERROR_MISMATCH on every rank where their ops, shapes or types differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_all_reduce(haft_process_group* g, haft_tensor* tensor, int32_t op,
                                                   haft_work** work) HAFT_NOTHROW;
/**
 * @brief Reduces the tensors of all ranks into the root's; the others' stay as they are.
 * @param[in]  g       the group
 * @param[in]  tensor  of the same shape and type on every rank
 * @param[in]  op      HAFT_REDUCE_OP_*
 * @param[in]  root    who gets it
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for an op that there is not and a root that is no rank; HAFT_ERROR_DTYPE
 *         for an op that the type does not take; HAFT_ERROR_MISMATCH on every rank where their calls, shapes or types
 *         differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_reduce(haft_process_group* g, haft_tensor* tensor, int32_t op, int32_t root,
                                               haft_work** work) HAFT_NOTHROW;
/**
 * @brief Collects a tensor of every rank on all ranks.
 * @param[in]  g        the group
 * @param[in]  outputs  one for each rank, with as many elements as that rank gives; their sizes may differ
 * @param[in]  count    the size of the group
 * @param[in]  input    this rank's
 * @param[out] work     NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count; HAFT_ERROR_DTYPE; HAFT_ERROR_SHAPE where this rank's
 *         output has other elements than input; HAFT_ERROR_MISMATCH on every rank where their sizes do not fit
 *         together.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_all_gather(haft_process_group* g, haft_tensor* const* outputs, int64_t count,
                                                   const haft_tensor* input, haft_work** work) HAFT_NOTHROW;
/**
 * @brief haft_process_group_all_gather into one tensor, rank after rank.
 * @param[in]  g       the group
 * @param[in]  output  all that the ranks give
 * @param[in]  input   this rank's
 * @param[in]  parts   how many elements each rank gives; NULL: the same
 * @param[in]  count   the size of the group, or 0 with NULL
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count; HAFT_ERROR_SHAPE where parts do not add up to output,
 *         or NULL parts are not equal; HAFT_ERROR_MISMATCH on every rank where their parts differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_all_gather_into(haft_process_group* g, haft_tensor* output,
                                                        const haft_tensor* input, const int64_t* parts, int64_t count,
                                                        haft_work** work) HAFT_NOTHROW;
/**
 * @brief Collects a tensor of every rank on the root.
 * @param[in]  g        the group
 * @param[in]  outputs  of the root: one for each rank, with as many elements as that one gives
 * @param[in]  count    the size of the group; 0 on other ranks
 * @param[in]  input    this rank's
 * @param[in]  root     who gets them
 * @param[out] work     NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count and a root that is no rank; HAFT_ERROR_SHAPE;
 *         HAFT_ERROR_MISMATCH on every rank where their sizes do not fit together.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_gather(haft_process_group* g, haft_tensor* const* outputs, int64_t count,
                                               const haft_tensor* input, int32_t root, haft_work** work) HAFT_NOTHROW;
/**
 * @brief Sends one of the root's tensors to each rank.
 * @param[in]  g       the group
 * @param[in]  output  as many elements as the root gives this rank
 * @param[in]  inputs  of the root: one for each rank
 * @param[in]  count   the size of the group; 0 on other ranks
 * @param[in]  root    who gives
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count and a root that is no rank; HAFT_ERROR_SHAPE;
 *         HAFT_ERROR_MISMATCH on every rank where their sizes do not fit together.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_scatter(haft_process_group* g, haft_tensor* output, haft_tensor* const* inputs,
                                                int64_t count, int32_t root, haft_work** work) HAFT_NOTHROW;
/**
 * @brief Reduces, for each rank, what all ranks have for it.
 * @param[in]  g       the group
 * @param[in]  output  with as many elements as each input
 * @param[in]  inputs  one for each rank
 * @param[in]  count   the size of the group
 * @param[in]  op      HAFT_REDUCE_OP_*
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count and an op that there is not; HAFT_ERROR_DTYPE for an
 *         op that the type does not take; HAFT_ERROR_SHAPE; HAFT_ERROR_MISMATCH on every rank where their calls differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_reduce_scatter(haft_process_group* g, haft_tensor* output,
                                                       haft_tensor* const* inputs, int64_t count, int32_t op,
                                                       haft_work** work) HAFT_NOTHROW;
/**
 * @brief haft_process_group_reduce_scatter of the equal parts of one tensor.
 * @param[in]  g       the group
 * @param[in]  output  as many elements as a part
 * @param[in]  input   of all parts
 * @param[in]  op      HAFT_REDUCE_OP_*
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for an op that there is not; HAFT_ERROR_DTYPE for one that the type does
 *         not take; HAFT_ERROR_SHAPE where input has no equal parts of output's size; HAFT_ERROR_MISMATCH on every rank
 *         where their calls differ.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_reduce_scatter_from(haft_process_group* g, haft_tensor* output,
                                                            const haft_tensor* input, int32_t op,
                                                            haft_work** work) HAFT_NOTHROW;
/**
 * @brief Sends one tensor to each rank and receives one from each.
 * @param[in]  g        the group
 * @param[in]  outputs  one from each rank
 * @param[in]  inputs   one for each rank, with as many elements as that one expects
 * @param[in]  count    the size of the group
 * @param[out] work     NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count; HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE;
 *         HAFT_ERROR_MISMATCH on every rank where their sizes do not fit together.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_all_to_all(haft_process_group* g, haft_tensor* const* outputs,
                                                   haft_tensor* const* inputs, int64_t count,
                                                   haft_work** work) HAFT_NOTHROW;
/**
 * @brief haft_process_group_all_to_all with the parts of one tensor.
 * @param[in]  g             the group
 * @param[in]  output        what comes, rank after rank
 * @param[in]  input         what goes, rank after rank
 * @param[in]  output_parts  how many elements come from each rank; NULL: the same
 * @param[in]  input_parts   how many go to each rank; NULL: the same
 * @param[in]  count         the size of the group, or 0 with NULL for both
 * @param[out] work          NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for another count; HAFT_ERROR_SHAPE where parts do not add up to a
 *         tensor, or NULL parts are not equal; HAFT_ERROR_MISMATCH on every rank where their parts do not fit together.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_all_to_all_single(haft_process_group* g, haft_tensor* output,
                                                          const haft_tensor* input, const int64_t* output_parts,
                                                          const int64_t* input_parts, int64_t count,
                                                          haft_work** work) HAFT_NOTHROW;
/**
 * @brief Waits until all ranks have come.
 * @param[in]  g           the group
 * @param[in]  timeout_us  instead of the group's; HAFT_NONE: the group's. When it has passed, the error of those that
 *                         have come names the ranks that have not
 * @param[out] work        NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a negative time; HAFT_ERROR_TIMEOUT, of which the group dies;
 *         HAFT_ERROR_UNSUPPORTED while a device records.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_barrier(haft_process_group* g, int64_t timeout_us,
                                                haft_work** work) HAFT_NOTHROW;

/* ---- messages ---- */

/* Messages between two ranks with one tag arrive in the order in which they were sent. They do not wait for
 * collectives. Between devices of the ranks' own they go by the devices' engine, once both ranks have called: until
 * then recv waits, in the host, and so does send of more than 16 KiB. */

/**
 * @brief Sends a tensor. Up to 16 KiB go at once (of a device a copy is kept), more when the receiver has called
 *        recv.
 * @param[in]  g       the group
 * @param[in]  tensor  what
 * @param[in]  peer    to whom
 * @param[in]  tag     tells messages apart
 * @param[out] work    NULL: wait until the tensor may be changed
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a peer that is no other rank; HAFT_ERROR_TIMEOUT and
 *         HAFT_ERROR_PEER_LOST when it does not receive; HAFT_ERROR_MISMATCH when it wants another size or type.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_send(haft_process_group* g, const haft_tensor* tensor, int32_t peer,
                                             int32_t tag, haft_work** work) HAFT_NOTHROW;
/**
 * @brief Receives a tensor.
 * @param[in]  g       the group
 * @param[in]  tensor  of the type and number of elements that come
 * @param[in]  peer    from whom; HAFT_ANY_SOURCE: whoever is first
 * @param[in]  tag     which
 * @param[out] source  whose it was; may be NULL, and is not written when there is a work
 * @param[out] work    NULL: wait
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a peer that is no other rank; HAFT_ERROR_TIMEOUT and
 *         HAFT_ERROR_PEER_LOST when nothing comes; HAFT_ERROR_MISMATCH when what comes is of another size or type.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_process_group_recv(haft_process_group* g, haft_tensor* tensor, int32_t peer, int32_t tag,
                                             int32_t* source, haft_work** work) HAFT_NOTHROW;

/* ---- works ---- */

/**
 * @brief One more owner of the handle.
 * @param[in]  w  the work
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_work_retain(haft_work* w) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The work goes on.
 * @param[in]  w  the work
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_work_release(haft_work* w) HAFT_NOTHROW;
/**
 * @brief Waits until the work is done. One that a device does itself is waited for by the calling thread's current
 *        stream of the device, behind which its results are there, whether other ranks have called or not; with a
 *        timeout the thread waits until the device has done it.
 * @param[in] w           the work
 * @param[in] timeout_us  microseconds, 0 or more; HAFT_NONE: as long as the call itself may take
 * @return HAFT_OK; what the call failed with; HAFT_ERROR_RECURSIVE in a callback of the group for a collective that
 *         is not done. HAFT_ERROR_TIMEOUT has two meanings, which haft_work_is_done tells apart: 0: timeout_us has
 *         passed, the work goes on and may be waited for again; 1: the call failed since a rank was late, and the
 *         group is dead.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_work_wait(haft_work* w, int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief 1 when it is done, in whatever way.
 * @param[in]  w    the work
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_work_is_done(haft_work* w, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Who sent what a recv has got.
 * @param[in]  w    a recv that is done
 * @param[out] out  the rank; -1: it is no such work
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_work_get_source(const haft_work* w, int32_t* out) HAFT_NOTHROW;
/** @brief What to call when a work is done. @param[in] work lent for the call @param[in] status HAFT_OK, or what
 * haft_work_wait will answer @note It may issue calls of the group with a work, but not wait for them. */
typedef void (*haft_work_done)(haft_work* work, haft_status status, void* user);
/**
 * @brief Calls back once when the work is done, on the thread that finds it done: at once when it is.
 * @param[in] w        the work
 * @param[in] done     what to call
 * @param[in] user     handed to done
 * @param[in] destroy  called once, after done, on any thread; may be NULL. Not called when this function fails
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE; HAFT_ERROR_INVALID_ARGUMENT when done is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_work_on_done(haft_work* w, haft_work_done done, void* user,
                                       void (*destroy)(void* user)) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
