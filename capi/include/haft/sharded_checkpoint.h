/* Checkpoints of a training over several ranks: every rank writes what it has, and any number of ranks reads it in
 * any layout. docs/sharded-checkpoints.md tells how they behave.
 *
 *  1. A checkpoint is a folder: files in the safetensors format, one a rank, and checkpoint.json, the index. It says
 *     of each tensor the whole's shape and type and which box of it lies where. The index is put into place last: a
 *     save that fails on any rank, or a rank that dies, leaves the checkpoint that was there. One job at a time saves
 *     into a folder: of two the later is refused, where the file system has locks. Reads are over by then.
 *  2. A piece is a rank's part of a tensor: a box, a range of elements, or all of it. Together the ranks give every
 *     element, and none in two ways; what several ranks have (equal name and box) is written once, by one of them or
 *     in slices by several.
 *  3. haft_sharded_checkpoint_save is called by all ranks of the group; all get a status, that of the first rank that
 *     failed. Reading is a rank's own business, whose pieces may be cut in another way: it reads the ranges that it
 *     needs.
 */
#ifndef HAFT_SHARDED_CHECKPOINT_H
#define HAFT_SHARDED_CHECKPOINT_H
#include <haft/io.h>
#include <haft/process_group.h>
#include <haft/rpc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a rank has, or wants to have, of a tensor. */
typedef struct haft_checkpoint_piece {
  const char* name; /* UTF-8 */
  haft_tensor* tensor;
  const int64_t* shape;   /* of the whole, ndim sizes; NULL: the tensor is the whole */
  const int64_t* offsets; /* where the tensor begins in it, ndim numbers; NULL: it is a range of elements */
  int64_t ndim;
  int64_t first; /* of a range: the number of its first element in the row-major whole; otherwise 0 */
  int64_t reserved[2];
} haft_checkpoint_piece;
#define HAFT_CHECKPOINT_PIECE_INIT \
  {                                \
    0, 0, 0, 0, 0, 0, { 0, 0 }     \
  }

/**
 * @brief Saves what the ranks have, in one folder. All ranks of the group call it, in the same order as its
 *        collectives.
 * @param[in]  g            the group; NULL: this process alone
 * @param[in]  folder       reached by all ranks under this name; made if it is missing
 * @param[in]  pieces       piece_count tensors or parts of them; may be NULL
 * @param[in]  piece_count  number of pieces
 * @param[in]  parts        module, optimizer and more, as names "module.*" and "optimizer.*"; NULL: none. Of a spread
 *                          optimizer each rank writes its part; random numbers are kept for each rank, all else is
 *                          the same on all ranks
 * @param[in]  values       value_count values of the caller's own (epoch, step); of a key that several ranks give,
 *                          the lowest rank's
 * @param[in]  value_count  number of values
 * @param[out] out          NULL: the call waits. Otherwise it returns when the tensors are copied to host memory, and
 *                          *out is a new future, which the caller releases, whose wait answers for the whole save on
 *                          all ranks. It has a thread and connections of its own, goes on when group and future are
 *                          released, and ends unfinished with the process
 * @return HAFT_OK; HAFT_ERROR_IO; HAFT_ERROR_MISMATCH when pieces do not fit together; HAFT_ERROR_SHAPE,
 *         HAFT_ERROR_DTYPE, HAFT_ERROR_INVALID_ARGUMENT; HAFT_ERROR_BUSY for parts that another thread changes, and
 *         while another save into the folder is under way; HAFT_ERROR_TIMEOUT; what the group answers.
 * @note A save begins when the one before it, of the same group, has ended. It waits for that no longer than ranks
 *       wait for each other in it, and fails with HAFT_ERROR_TIMEOUT then.
 * @note Thread class: exclusive on the parts.
 * @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_save(haft_process_group* g, const char* folder,
                                                  const haft_checkpoint_piece* pieces, int64_t piece_count,
                                                  const haft_checkpoint_parts* parts, const haft_key_value* values,
                                                  int64_t value_count, haft_future** out) HAFT_NOTHROW;

/* A checkpoint that is open for reading. */
typedef struct haft_sharded_checkpoint haft_sharded_checkpoint;

/**
 * @brief Reads and checks the index of a checkpoint; files are opened when they are needed.
 * @param[in]  folder  the checkpoint
 * @param[out] out     a new handle; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT, HAFT_ERROR_UNSUPPORTED for one of a newer version.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_open(const char* folder, haft_sharded_checkpoint** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  c  the checkpoint
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_retain(haft_sharded_checkpoint* c) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  c  the checkpoint
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_sharded_checkpoint_release(haft_sharded_checkpoint* c) HAFT_NOTHROW;
/**
 * @brief How many tensors there are.
 * @param[in]  c    the checkpoint
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_get_count(const haft_sharded_checkpoint* c, int64_t* out) HAFT_NOTHROW;

typedef struct haft_sharded_tensor_info {
  uint32_t struct_size;
  int32_t dtype;        /* HAFT_FLOAT32, ... */
  const char* name;     /* lives as long as the checkpoint, like shape */
  const int64_t* shape; /* ndim sizes of the whole */
  int64_t ndim;         /* its dimensions */
  int64_t pieces;       /* in which it lies */
} haft_sharded_tensor_info;
#define HAFT_SHARDED_TENSOR_INFO_INIT \
  { (uint32_t)sizeof(haft_sharded_tensor_info), 0, 0, 0, 0, 0 }
/**
 * @brief What the index tells of a tensor.
 * @param[in]  c      the checkpoint
 * @param[in]  index  0 to count - 1, in the order of names
 * @param[in,out] info   filled in; struct_size is the caller's
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_get_tensor_info(const haft_sharded_checkpoint* c, int64_t index,
                                                             haft_sharded_tensor_info* info) HAFT_NOTHROW;
/**
 * @brief A whole tensor.
 * @param[in]  c     the checkpoint
 * @param[in]  name  of the tensor
 * @param[out] out   a new tensor of the CPU; what lies in one piece is read from the file when it is touched
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when there is none, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_tensor(const haft_sharded_checkpoint* c, const char* name,
                                                    haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Fills tensors in place and restores parts, at any number of ranks. What is missing or does not fit is told,
 *        by one error for all pieces, before anything is written.
 * @param[in] c            the checkpoint
 * @param[in] pieces       piece_count tensors or parts of them that are wanted; may be NULL
 * @param[in] piece_count  number of pieces
 * @param[in] cast         1: values are cast to the types of the pieces; 0: another type is an error
 * @param[in] parts        what to restore, as haft_checkpoint_load does, of a spread optimizer this rank's part;
 *                         NULL: nothing
 * @param[in] rank         this rank, whose random numbers go on if there were as many ranks
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for what is missing, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE,
 *         HAFT_ERROR_IO, HAFT_ERROR_CORRUPT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on the pieces and parts.
 * @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_load(const haft_sharded_checkpoint* c, const haft_checkpoint_piece* pieces,
                                                  int64_t piece_count, int32_t cast, const haft_checkpoint_parts* parts,
                                                  int32_t rank) HAFT_NOTHROW;
/**
 * @brief How many values stand beside the tensors.
 * @param[in]  c    the checkpoint
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_get_value_count(const haft_sharded_checkpoint* c,
                                                             int64_t* out) HAFT_NOTHROW;
/**
 * @brief A value by its place in the order of keys.
 * @param[in]  c      the checkpoint
 * @param[in]  index  0 to count - 1
 * @param[out] out    its texts live as long as the checkpoint
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_get_value(const haft_sharded_checkpoint* c, int64_t index,
                                                       haft_key_value* out) HAFT_NOTHROW;
/**
 * @brief A value by its key.
 * @param[in]  c    the checkpoint
 * @param[in]  key  as saved
 * @param[out] out  its texts live as long as the checkpoint
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when there is none.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_find_value(const haft_sharded_checkpoint* c, const char* key,
                                                        haft_key_value* out) HAFT_NOTHROW;
/**
 * @brief Writes one safetensors file with all tensors whole, which have room in memory.
 * @param[in]  c     the checkpoint
 * @param[in]  path  the file
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sharded_checkpoint_to_file(const haft_sharded_checkpoint* c, const char* path) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
