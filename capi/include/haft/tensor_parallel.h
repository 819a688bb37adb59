/* Tensor parallel: a mesh of ranks, and layers whose weights are spread over the ranks of a group, equal to the dense
 * layer up to rounding, gradients included. docs/sharding.md tells how a model is put together. haft/parallel.h holds
 * the collectives that they use, and what they ask of groups.
 */
#ifndef HAFT_TENSOR_PARALLEL_H
#define HAFT_TENSOR_PARALLEL_H
#include <haft/nn.h>
#include <haft/process_group.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- device mesh ---- */

/* Ranks seen as an array; along each dimension stand ranks that work together in one way, such as data or tensor
 * parallel. */
typedef struct haft_device_mesh haft_device_mesh;

/**
 * @brief Makes a mesh of all ranks of a group, and a group of the ranks along each dimension; all ranks call it.
 * @param[in]  g      the group, whose ranks fill the mesh in row-major order
 * @param[in]  shape  ndim sizes, which multiply to the group's
 * @param[in]  names  ndim names of dimensions, all different; NULL: none
 * @param[in]  ndim   at least 1
 * @param[out] out    a new mesh; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_INVALID_ARGUMENT; as haft_process_group_split.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_device_mesh_create(haft_process_group* g, const int64_t* shape, const char* const* names,
                                             int64_t ndim, haft_device_mesh** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  m  the mesh
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_retain(haft_device_mesh* m) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. This rank leaves the mesh's groups with the last handle of a mesh
 *        or of the group itself.
 * @param[in]  m  the mesh
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_device_mesh_release(haft_device_mesh* m) HAFT_NOTHROW;
/**
 * @brief How many dimensions it has.
 * @param[in]  m    the mesh
 * @param[out] out  their number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_get_dim_count(const haft_device_mesh* m, int64_t* out) HAFT_NOTHROW;
/**
 * @brief How many ranks stand along a dimension, and where this one does.
 * @param[in]  m           the mesh
 * @param[in]  dim         which; negative counts from the end
 * @param[out] size        may be NULL
 * @param[out] coordinate  may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_get_dim(const haft_device_mesh* m, int64_t dim, int64_t* size,
                                              int64_t* coordinate) HAFT_NOTHROW;
/**
 * @brief A dimension's name.
 * @param[in]  m         the mesh
 * @param[in]  dim       which
 * @param[out] buffer    room for capacity bytes; may be NULL when that is 0
 * @param[in]  capacity  room at buffer
 * @param[out] needed    bytes of the text with its final 0
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_get_dim_name(const haft_device_mesh* m, int64_t dim, char* buffer,
                                                   int64_t capacity, int64_t* needed) HAFT_NOTHROW;
/**
 * @brief The dimension of a name.
 * @param[in]  m     the mesh
 * @param[in]  name  which
 * @param[out] out   its number
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT naming those there are.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_get_dim_of_name(const haft_device_mesh* m, const char* name,
                                                      int64_t* out) HAFT_NOTHROW;
/**
 * @brief The group of the ranks along a dimension, each at its coordinate.
 * @param[in]  m    the mesh
 * @param[in]  dim  which
 * @param[out] out  a handle that the caller releases
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_group(const haft_device_mesh* m, int64_t dim,
                                            haft_process_group** out) HAFT_NOTHROW;
/**
 * @brief A mesh of some dimensions, in the order given: the ranks that share this one's coordinates in the others. No
 *        rank is called.
 * @param[in]  m      the mesh
 * @param[in]  dims   count different dimensions
 * @param[in]  count  at least 1
 * @param[out] out    a new mesh; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_device_mesh_slice(const haft_device_mesh* m, const int64_t* dims, int64_t count,
                                            haft_device_mesh** out) HAFT_NOTHROW;

/* ---- layers ---- */

/* Each is made of a dense layer, from which rank 0's values are taken: every rank keeps its part and may release the
 * dense layer. Of n rows or columns all ranks have n / ranks, rounded up, but the last one, which has the rest and
 * must have one at least. All ranks call these functions, with equal arguments: ranks that differ answer
 * HAFT_ERROR_MISMATCH. Whatever fails on one rank when the layer is called ends the group, so that no rank waits for
 * it. */

typedef struct haft_tensor_parallel_options {
  uint32_t struct_size;
  int32_t split_output; /* column: 1: each rank keeps its part of the last dimension; 0: all get the whole */
  int32_t split_input;  /* row: 1: each rank brings its part of the last dimension; 0: all bring the whole */
  int32_t reserved;
  /* Along it each rank has a part of the sequence: of a column's input, of the output of a row or an embedding.
   * HAFT_NONE: all have the whole. */
  int64_t sequence_dim;
  /* Column: the outputs are so many blocks of equal size, each of which is spread: 3 for query, key and value. */
  int64_t blocks;
} haft_tensor_parallel_options;
#define HAFT_TENSOR_PARALLEL_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_tensor_parallel_options), 1, 1, 0, HAFT_NONE, 1 }

/**
 * @brief A linear layer of whose outputs each rank computes a part.
 * @param[in]  g        the group
 * @param[in]  dense    a Linear
 * @param[in]  options  NULL: the defaults of HAFT_TENSOR_PARALLEL_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE where a rank would have none.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_column_parallel_linear_create(haft_process_group* g, const haft_module* dense,
                                                        const haft_tensor_parallel_options* options,
                                                        haft_module** out) HAFT_NOTHROW;
/**
 * @brief A linear layer of whose inputs each rank has a part.
 * @param[in]  g        the group
 * @param[in]  dense    a Linear
 * @param[in]  options  NULL: the defaults
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE where a rank would have none.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_row_parallel_linear_create(haft_process_group* g, const haft_module* dense,
                                                     const haft_tensor_parallel_options* options,
                                                     haft_module** out) HAFT_NOTHROW;
/**
 * @brief An embedding of whose rows each rank has a part.
 * @param[in]  g        the group
 * @param[in]  dense    an Embedding
 * @param[in]  options  NULL: the defaults
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE where a rank would have none.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_vocab_parallel_embedding_create(haft_process_group* g, const haft_module* dense,
                                                          const haft_tensor_parallel_options* options,
                                                          haft_module** out) HAFT_NOTHROW;
/**
 * @brief Adds up the gradients of a module's parameters over ranks as they come: of norms that all ranks have and use
 *        on their parts of the sequence. Call it once.
 * @param[in]  m  the module
 * @param[in]  g  the group
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE. What a sum fails with is answered by backward.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_sum_gradients(haft_module* m, haft_process_group* g) HAFT_NOTHROW;
/**
 * @brief Cross entropy over classes of which each rank has a part, as a column-parallel layer gives them; no rank
 *        sees all.
 * @param[in]  g          the group
 * @param[in]  x          (*, part) this rank's logits; parts as of the layers
 * @param[in]  target     (*) classes of all, the same on all ranks
 * @param[in]  classes    how many there are on all ranks together
 * @param[in]  options    NULL: the defaults of HAFT_CROSS_ENTROPY_LOSS_OPTIONS_INIT; without weight
 * @param[out] out        the loss, the same on all ranks
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_INDEX for a target that is no class, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_parallel_cross_entropy(haft_process_group* g, const haft_tensor* x, const haft_tensor* target,
                                                 int64_t classes, const haft_cross_entropy_loss_options* options,
                                                 haft_tensor** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
