/* Automatic differentiation: leaves, backward and grad, hooks, modes of recording, functions of your own. */
#ifndef HAFT_AUTOGRAD_H
#define HAFT_AUTOGRAD_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HAFT_BACKWARD_RETAIN_GRAPH = 1, /* keep saved tensors, so that the graph can be walked again */
  HAFT_BACKWARD_CREATE_GRAPH = 2, /* record the gradients themselves, for higher derivatives; implies retain */
  HAFT_GRAD_ALLOW_UNUSED = 4,     /* haft_autograd_grad answers NULL for inputs that the outputs do not depend on */
  HAFT_TRANSFORM_STRICT = 8       /* haft_autograd_vjp and those beside it fail for such inputs, in place of zeros */
};

/**
 * @brief Makes a leaf require a gradient, or no longer. Operators on a leaf that does are recorded from now on.
 * @param[in] t   a floating leaf
 * @param[in] on  0 or 1; with 0 the leaf keeps its gradient and its hooks, and nothing is added to the gradient
 *                until it is 1 again
 * @return HAFT_OK, HAFT_ERROR_DTYPE (not a floating tensor), HAFT_ERROR_AUTOGRAD (not a leaf).
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_set_requires_grad(haft_tensor* t, int32_t on) HAFT_NOTHROW;
/**
 * @brief 1 when operators on t are recorded.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_requires_grad(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief 1 when t was not made by a recorded operator.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_leaf(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;

/**
 * @brief The accumulated gradient of a leaf, or the kept one of another tensor (haft_tensor_retain_grad).
 * @param[in]  t    the tensor
 * @param[out] out  an owned handle that shares the gradient's memory, or NULL when there is none
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_grad(const haft_tensor* t, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief 1 when t is a gradient of rows: what lookups with `sparse` give their table in place of a tensor of its size.
 *        Operators refuse it; haft_tensor_coalesce and those beside it read it. SGD without momentum and weight decay,
 *        Adagrad and SparseAdam step by its rows alone, and gradients add up, are clipped and unscaled as it is.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_sparse(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief A gradient of rows from its parts, which are copied.
 * @param[in]  indices  (n), int64 or int32: the rows; one may stand there several times
 * @param[in]  values   (n, sizes of a row): their numbers
 * @param[in]  rows     how many rows the whole has
 * @param[out] out      a new tensor of shape (rows, sizes of a row); the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_from_rows(const haft_tensor* indices, const haft_tensor* values, int64_t rows,
                                           haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The rows of a gradient of rows, as they came.
 * @param[in]  t    a gradient of rows
 * @param[out] out  int64 (n), shared with t; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (a tensor of another kind).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_sparse_indices(const haft_tensor* t, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The numbers of the rows of a gradient of rows.
 * @param[in]  t    a gradient of rows
 * @param[out] out  (n, sizes of a row), shared with t; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (a tensor of another kind).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_sparse_values(const haft_tensor* t, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief 1 when each row stands once in a gradient of rows, in order.
 * @param[in]  t    a gradient of rows
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (a tensor of another kind).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_coalesced(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief A gradient of rows in which each row stands once, in order, with the sum of its numbers.
 * @param[in]  t    a gradient of rows, which stays as it is
 * @param[out] out  a new tensor, which shares memory with t if that is so already; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (a tensor of another kind), HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_coalesce(const haft_tensor* t, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The whole tensor that a gradient of rows stands for.
 * @param[in]  t    the tensor; one that is no gradient of rows is answered itself
 * @param[out] out  an owned handle
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_to_dense(const haft_tensor* t, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Replaces the gradient of a leaf, or the kept one of another tensor; NULL removes it (what zero_grad does).
 * @param[in] t     the tensor
 * @param[in] grad  of the shape, dtype and device of t, and not t itself; NULL: none
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_AUTOGRAD.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_set_grad(haft_tensor* t, const haft_tensor* grad) HAFT_NOTHROW;
/**
 * @brief Keeps .grad of a tensor that is no leaf: gradients that reach it are added up, as a leaf's are.
 * @param[in] t  the tensor
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD when t does not require a gradient.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_retain_grad(haft_tensor* t) HAFT_NOTHROW;

/**
 * @brief Adds d(output . seed)/d(leaf) to the gradient of every leaf that output depends on.
 * @param[in] output  a tensor that requires a gradient
 * @param[in] seed    shape and device of output, and a floating dtype, which is cast to the output's; NULL: 1, for an
 *                    output of one element
 * @param[in] flags   HAFT_BACKWARD_*
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD, HAFT_ERROR_SHAPE, HAFT_ERROR_BUSY (another thread walks the same graph),
 *         HAFT_ERROR_CALLBACK.
 * @note Thread class: any, on graphs that share nothing but leaves: their gradients are added up one after the other.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_backward(const haft_tensor* output, const haft_tensor* seed,
                                          int32_t flags) HAFT_NOTHROW;
/**
 * @brief haft_tensor_backward of several outputs at once.
 * @param[in] outputs  count tensors that require a gradient
 * @param[in] seeds    NULL, or an array of `count` seeds; its entries may be NULL
 * @param[in] count    number of outputs
 * @param[in] flags    HAFT_BACKWARD_*
 * @return as haft_tensor_backward.
 * @note Thread class: any, on graphs that share nothing but leaves: their gradients are added up one after the other.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_backward(haft_tensor* const* outputs, haft_tensor* const* seeds, int64_t count,
                                            int32_t flags) HAFT_NOTHROW;
/**
 * @brief haft_autograd_backward for chosen inputs only: leaves accumulate as there, hooks included, and no other leaf
 *        does. A tensor that is no leaf keeps a gradient from now on, as after haft_tensor_retain_grad. Inputs that
 *        the outputs do not depend on get none.
 * @param[in] outputs       output_count tensors that require a gradient
 * @param[in] seeds         NULL, or an array of output_count seeds; its entries may be NULL
 * @param[in] output_count  number of outputs
 * @param[in] inputs        input_count tensors that require a gradient
 * @param[in] input_count   at least 1
 * @param[in] flags         HAFT_BACKWARD_*
 * @return as haft_tensor_backward; HAFT_ERROR_INVALID_ARGUMENT without inputs.
 * @note Thread class: any, on graphs that share nothing but leaves: their gradients are added up one after the other.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_backward_inputs(haft_tensor* const* outputs, haft_tensor* const* seeds,
                                                   int64_t output_count, haft_tensor* const* inputs,
                                                   int64_t input_count, int32_t flags) HAFT_NOTHROW;
/**
 * @brief Gradients of outputs for chosen inputs, answered instead of accumulated.
 * @param[in]  outputs       output_count tensors that require a gradient
 * @param[in]  seeds         NULL, or an array of output_count seeds; its entries may be NULL
 * @param[in]  output_count  number of outputs
 * @param[in]  inputs        input_count tensors that the outputs depend on
 * @param[in]  input_count   number of inputs
 * @param[in]  flags         HAFT_BACKWARD_* and HAFT_GRAD_ALLOW_UNUSED
 * @param[out] grads         room for input_count handles, each owned by the caller
 * @return as haft_tensor_backward.
 * @note Thread class: any, on graphs that share nothing but leaves: their gradients are added up one after the other.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_grad(haft_tensor* const* outputs, haft_tensor* const* seeds, int64_t output_count,
                                        haft_tensor* const* inputs, int64_t input_count, int32_t flags,
                                        haft_tensor** grads) HAFT_NOTHROW;

/**
 * @brief Sees a gradient on its way through a tensor.
 * @param[in]  grad         lent for the call
 * @param[out] replacement  NULL on entry; an owned handle here replaces the gradient (haft releases it)
 * @return HAFT_OK, or a status that stops backward
 */
typedef haft_status (*haft_grad_hook)(haft_tensor* grad, haft_tensor** replacement, void* user);
/**
 * @brief Calls fn with each gradient that reaches t during backward, on the thread that runs it.
 * @param[in]  t        the tensor
 * @param[in]  fn       called with the gradient of t
 * @param[in]  user     handed to the function
 * @param[in]  destroy  called once when the hook or the graph is gone; may be NULL. Not called when this function
 *                      fails.
 * @param[out] id       names the hook for haft_tensor_remove_hook
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD when t does not require a gradient.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_add_hook(haft_tensor* t, haft_grad_hook fn, void* user, void (*destroy)(void* user),
                                          int64_t* id) HAFT_NOTHROW;
/**
 * @brief Calls fn after a gradient was added to the leaf t, with the accumulated gradient; replacement is ignored.
 * @param[in]  t        the tensor
 * @param[in]  fn       called with the accumulated gradient; its replacement must stay NULL
 * @param[in]  user     handed to the function
 * @param[in]  destroy  called once with user, when haft lets go of the function; may be NULL. Not when this function
 *                      fails
 * @param[out] id       names the hook
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD when t is no leaf that requires a gradient, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_add_accumulate_hook(haft_tensor* t, haft_grad_hook fn, void* user,
                                                     void (*destroy)(void* user), int64_t* id) HAFT_NOTHROW;
/**
 * @brief Removes a hook.
 * @param[in] t   the tensor
 * @param[in] id  as the function that added it gave it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown id.
 * @note A backward of another thread that has come to t already calls what it found there: the hook may run once more
 *       behind this call, and its destroy behind that.
 * @note Thread class: exclusive on t.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_remove_hook(haft_tensor* t, int64_t id) HAFT_NOTHROW;

/**
 * @brief Called once at the end of a backward.
 * @return HAFT_OK, or a status that backward answers with
 */
typedef haft_status (*haft_backward_callback)(void* user);
/**
 * @brief Calls fn when the backward that is running on this thread, the innermost, has added its last gradient; from a
 *        hook or a custom function. Functions are called in the order in which they were given, as hooks are: what
 *        they compute is recorded with HAFT_BACKWARD_CREATE_GRAPH only, and in no region of autocast.
 * @param[in] fn       called once; not when backward fails
 * @param[in] user     handed to the function
 * @param[in] destroy  called once with user, when haft lets go of the function; may be NULL. Not when this function
 *                     fails
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when no backward is running on this thread.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_add_callback(haft_backward_callback fn, void* user,
                                                void (*destroy)(void* user)) HAFT_NOTHROW;

/**
 * @brief Takes a tensor that is kept for backward and answers what stands for it
 *        (torch.autograd.graph.saved_tensors_hooks).
 * @param[in]  t       lent for the call, without its history
 * @param[out] packed  NULL on entry; whatever the unpack hook understands
 * @return HAFT_OK, or a status that the operator fails with
 */
typedef haft_status (*haft_pack_hook)(haft_tensor* t, void** packed, void* user);
/**
 * @brief Answers a tensor for what the pack hook gave, when backward reads it.
 * @param[in]  packed  as the pack hook gave it
 * @param[out] t       an owned handle of a tensor of the same shape, dtype and device; haft releases it
 * @return HAFT_OK, or a status that backward fails with
 */
typedef haft_status (*haft_unpack_hook)(void* packed, haft_tensor** t, void* user);
/**
 * @brief From now on what operators of this thread keep for backward goes through pack, and through unpack when it is
 *        read, until haft_saved_tensor_hooks_pop. The innermost pair serves; none does inside a hook.
 * @param[in] pack     called on this thread
 * @param[in] unpack   called on the thread that runs backward
 * @param[in] release  called once with each packed value and user when the graph lets go of it; may be NULL
 * @param[in] user     handed to the functions
 * @param[in] destroy  called once with user, when the last graph that needs the pair is gone; may be NULL. Not when
 *                     this function fails
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when pack or unpack is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_saved_tensor_hooks_push(haft_pack_hook pack, haft_unpack_hook unpack,
                                                  void (*release)(void* packed, void* user), void* user,
                                                  void (*destroy)(void* user)) HAFT_NOTHROW;
/**
 * @brief Removes this thread's innermost pair; what it has packed is unpacked by it all the same.
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when there is none.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_saved_tensor_hooks_pop(void) HAFT_NOTHROW;

/**
 * @brief Switches recording on or off in this thread (torch.no_grad); answers how it was, to be restored. In
 *        inference mode it holds from the end of that mode on.
 * @param[in]  on      0 or 1
 * @param[out] before  may be NULL
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1: nothing has changed.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_grad_enabled(int32_t on, int32_t* before) HAFT_NOTHROW;
/**
 * @brief 1 when this thread records.
 * @param[out] out  0 or 1
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_is_grad_enabled(int32_t* out) HAFT_NOTHROW;
/**
 * @brief Inference mode in this thread: no recording and no bookkeeping of views; tensors made inside can never be
 *        recorded. Its end restores recording as it was. Answers how it was.
 * @param[in]  on      0 or 1
 * @param[out] before  may be NULL
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1: nothing has changed.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_inference_mode(int32_t on, int32_t* before) HAFT_NOTHROW;
/**
 * @brief 1 in inference mode.
 * @param[out] out  0 or 1
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_is_inference_mode(int32_t* out) HAFT_NOTHROW;
/**
 * @brief Anomaly mode in this thread: backward fails at the first gradient that holds a NaN and names the forward
 *        operator. Answers how it was.
 * @param[in]  on      0 or 1
 * @param[out] before  may be NULL
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1: nothing has changed.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_anomaly_mode(int32_t on, int32_t* before) HAFT_NOTHROW;

/* ---- functions of your own ---- */

/* What a custom function keeps from forward to backward; lent to the callbacks. */
typedef struct haft_function_context haft_function_context;

/**
 * @brief Computes the outputs. Nothing inside is recorded. An input that it writes in place must be an output, whose
 *        history it takes; a write that would lose a gradient fails the call with HAFT_ERROR_AUTOGRAD.
 * @param[in]  inputs   lent
 * @param[out] outputs  output_count places for owned handles, NULL on entry
 */
typedef haft_status (*haft_function_forward)(haft_function_context* ctx, haft_tensor* const* inputs,
                                             int64_t input_count, haft_tensor** outputs, int64_t output_count,
                                             void* user);
/**
 * @brief Computes the inputs' gradients with operators, which are recorded when higher derivatives are wanted.
 * @param[in]  grads        gradients of the outputs, lent; NULL: that output was not used
 * @param[out] input_grads  input_count places for owned handles; NULL stays for "none"
 */
typedef haft_status (*haft_function_backward)(haft_function_context* ctx, haft_tensor* const* grads,
                                              int64_t output_count, haft_tensor** input_grads, int64_t input_count,
                                              void* user);

/**
 * @brief Calls a differentiable function written by the caller (torch.autograd.Function).
 * @param[in]  name          shown in errors and graphs
 * @param[in]  forward       called once, before this returns
 * @param[in]  backward      called for each backward through the outputs
 * @param[in]  user          handed to the function
 * @param[in]  destroy       called once, when the graph no longer needs the function, perhaps before this call is
 *                           over; may be NULL. Not called when this function fails.
 * @param[in]  inputs        input_count tensors, at most 65535
 * @param[in]  input_count   number of inputs
 * @param[out] outputs       output_count owned handles, 1..65535
 * @param[in]  output_count  number of outputs
 * @return HAFT_OK, or what a callback answered as HAFT_ERROR_CALLBACK with its message and token.
 * @note Thread class: any. Backward runs on the thread that calls haft_tensor_backward.
 * @since 1.0
 */
HAFT_API haft_status haft_function_apply(const char* name, haft_function_forward forward,
                                         haft_function_backward backward, void* user, void (*destroy)(void* user),
                                         haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs,
                                         int64_t output_count) HAFT_NOTHROW;
/**
 * @brief Keeps a tensor for backward; an in-place change of it in between is an error.
 * @param[in] ctx  what the callback was given
 * @param[in] t    an input or an output of forward, or any tensor
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: the one that runs the callback. Only inside the forward callback.
 * @since 1.0
 */
HAFT_API haft_status haft_function_save(haft_function_context* ctx, const haft_tensor* t) HAFT_NOTHROW;
/**
 * @brief The index-th saved tensor, with its history.
 * @param[in]  ctx    what the callback was given
 * @param[in]  index  in the order of haft_function_save, from 0
 * @param[out] out    an owned handle
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_AUTOGRAD when it was freed or written in place.
 * @note Thread class: the one that runs the callback. Only inside the callbacks.
 * @since 1.0
 */
HAFT_API haft_status haft_function_saved(haft_function_context* ctx, int64_t index, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief 1 when the gradient of input `index` is wanted.
 * @param[in]  ctx    what the callback was given
 * @param[in]  index  the input, from 0
 * @param[out] out    0 or 1
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: the one that runs the callback. Only inside the callbacks.
 * @since 1.0
 */
HAFT_API haft_status haft_function_needs_grad(haft_function_context* ctx, int64_t index, int32_t* out) HAFT_NOTHROW;

/* ---- the graph as an object ---- */

/* A recorded call: an operator or a function of one's own, or AccumulateGrad, which stands for a leaf. */
typedef struct haft_node haft_node;

/* What haft_autograd_graph_to_text writes. */
enum {
  HAFT_GRAPH_TEXT = 0, /* a line for each node: #12 mul(#11, #9) */
  HAFT_GRAPH_DOT = 1,  /* Graphviz; arrows go from results to what they were made from, as gradients do */
  /* {"nodes": [{"id", "name", "outputs", of leaves "dtype", "size"}], "edges": [{"from", "input", "to", "output"}]} */
  HAFT_GRAPH_JSON = 2
};

/**
 * @brief The node that made t. Walking needs no gradients and stays possible after backward has freed what the nodes
 *        had saved: a handle keeps its node and those behind it, not the memory of tensors that backward frees.
 * @param[in]  t    the tensor
 * @param[out] out  an owned handle, or NULL: t is a leaf, or nothing was recorded
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_grad_fn(const haft_tensor* t, haft_node** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in] n  the node
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_node_retain(haft_node* n) HAFT_NOTHROW;
/**
 * @brief One owner less; the last releases the node.
 * @param[in] n  the node; NULL: nothing
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_node_release(haft_node* n) HAFT_NOTHROW;
/**
 * @brief A number that no other node of the process has: equal for all handles of a node, larger for later calls.
 * @param[in]  n    the node
 * @param[out] out  the number, above 0
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_node_get_id(const haft_node* n, int64_t* out) HAFT_NOTHROW;
/**
 * @brief The operator's name, that of a function of one's own, or AccumulateGrad.
 * @param[in]  n         the node
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_node_get_name(const haft_node* n, char* buffer, int64_t capacity,
                                        int64_t* needed) HAFT_NOTHROW;
/**
 * @brief How many inputs the call had, those without a gradient included.
 * @param[in]  n    the node
 * @param[out] out  the number; 0 for AccumulateGrad
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_node_get_next_count(const haft_node* n, int64_t* out) HAFT_NOTHROW;
/**
 * @brief The node that made an input, and which of its results the input was.
 * @param[in]  n       the node
 * @param[in]  index   the input, from 0
 * @param[out] next    an owned handle, or NULL: the input requires no gradient
 * @param[out] output  the result of next, from 0; 0 when next is NULL. May be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_node_next(const haft_node* n, int64_t index, haft_node** next, int64_t* output) HAFT_NOTHROW;
/**
 * @brief The leaf that an AccumulateGrad node stands for.
 * @param[in]  n    the node
 * @param[out] out  an owned handle of the leaf, or NULL: another kind of node, or the leaf is gone
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_node_variable(const haft_node* n, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The whole graph behind t as text. Nodes are named by haft_node_get_id and stand in the order of their
 *        making, the latest first.
 * @param[in]  t         a tensor that requires a gradient
 * @param[in]  format    HAFT_GRAPH_*
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD when t does not require a gradient, HAFT_ERROR_INVALID_ARGUMENT (format, or
 *         a capacity that is too small).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_graph_to_text(const haft_tensor* t, int32_t format, char* buffer, int64_t capacity,
                                                 int64_t* needed) HAFT_NOTHROW;

/* ---- functions of functions ---- */

/* Room for results of a haft_tensors_function. */
#define HAFT_MAX_FUNCTION_OUTPUTS 1024

/**
 * @brief A function of tensors.
 * @param[in]  inputs        input_count tensors, lent for the call: retain one to answer it
 * @param[out] outputs       room for HAFT_MAX_FUNCTION_OUTPUTS owned handles, which haft takes over
 * @param[out] output_count  how many were written; 0 on entry
 * @return HAFT_OK, or a status that the calling function reports as HAFT_ERROR_CALLBACK
 */
typedef haft_status (*haft_tensors_function)(haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs,
                                             int64_t* output_count, void* user);

/**
 * @brief The outputs of a function, and the product of vectors with its Jacobian (torch.autograd.functional.vjp). The
 *        function gets tensors of its own that require a gradient, and what it computes is recorded whatever the
 *        thread's mode.
 * @param[in]  fn            called once. haft_module_as_function makes one of a module
 * @param[in]  user          handed to fn
 * @param[in]  inputs        input_count tensors of floating dtypes
 * @param[in]  input_count   at least 1
 * @param[in]  vectors       one for each output, of its shape and device, and a floating dtype, which is cast; NULL
 *                           with 0: 1, for a single output of one element
 * @param[in]  vector_count  number of vectors
 * @param[in]  flags         HAFT_BACKWARD_CREATE_GRAPH (results are recorded and depend on the caller's inputs),
 *                           HAFT_TRANSFORM_STRICT
 * @param[out] outputs       room for capacity handles, each owned by the caller; NULL with capacity 0: they are not
 *                           wanted
 * @param[in]  capacity      room at outputs
 * @param[out] output_count  how many outputs there are; may be NULL when they are not wanted
 * @param[out] products      room for input_count handles, each owned by the caller: the shape of each input; zeros
 *                           where nothing depends on it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_CALLBACK,
 *         HAFT_ERROR_AUTOGRAD.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_vjp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                       int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                                       int32_t flags, haft_tensor** outputs, int64_t capacity, int64_t* output_count,
                                       haft_tensor** products) HAFT_NOTHROW;
/**
 * @brief The outputs of a function, and the product of its Jacobian with vectors (torch.autograd.functional.jvp): two
 *        walks of the graph.
 * @param[in]  fn            called once
 * @param[in]  user          handed to fn
 * @param[in]  inputs        input_count tensors of floating dtypes
 * @param[in]  input_count   at least 1
 * @param[in]  vectors       one for each input, of its shape and device, and a floating dtype, which is cast; NULL
 *                           with 0: 1, for a single input of one element
 * @param[in]  vector_count  number of vectors
 * @param[in]  flags         as for haft_autograd_vjp
 * @param[out] outputs       room for capacity handles, each owned by the caller; NULL with capacity 0: they are not
 *                           wanted
 * @param[in]  capacity      room at outputs and at products
 * @param[out] output_count  how many outputs, and products, there are
 * @param[out] products      room for capacity handles, each owned by the caller: the shape of each output
 * @return as haft_autograd_vjp; HAFT_ERROR_INVALID_ARGUMENT when capacity is too small, HAFT_MAX_FUNCTION_OUTPUTS is
 *         always enough.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_jvp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                       int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                                       int32_t flags, haft_tensor** outputs, int64_t capacity, int64_t* output_count,
                                       haft_tensor** products) HAFT_NOTHROW;
/**
 * @brief The Jacobian of a function (torch.autograd.functional.jacobian), by one walk of the graph for many elements of
 *        its outputs, or for each where a function of the program's own or a hook is on the way.
 * @param[in]  fn           called once
 * @param[in]  user         handed to fn
 * @param[in]  inputs       input_count tensors of floating dtypes
 * @param[in]  input_count  at least 1
 * @param[in]  flags        as for haft_autograd_vjp
 * @param[out] jacobians    room for capacity handles, each owned by the caller: for each output and each input, in
 *                          this order, a tensor of the sizes of the output and then of the input
 * @param[in]  capacity     room at jacobians
 * @param[out] count        how many there are: outputs times inputs
 * @return as haft_autograd_vjp; HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_jacobian(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                            int64_t input_count, int32_t flags, haft_tensor** jacobians,
                                            int64_t capacity, int64_t* count) HAFT_NOTHROW;
/**
 * @brief The Hessian of a function with one output of one element (torch.autograd.functional.hessian).
 * @param[in]  fn           called once
 * @param[in]  user         handed to fn
 * @param[in]  inputs       input_count tensors of floating dtypes
 * @param[in]  input_count  at least 1
 * @param[in]  flags        as for haft_autograd_vjp
 * @param[out] hessians     room for input_count * input_count handles, each owned by the caller: for each pair of
 *                          inputs, row by row, a tensor of the sizes of the one and then of the other
 * @return as haft_autograd_vjp; HAFT_ERROR_SHAPE for a function with another output.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_hessian(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                           int64_t input_count, int32_t flags, haft_tensor** hessians) HAFT_NOTHROW;
/**
 * @brief The output of a function with one output of one element, and the product of its Hessian with vectors, or of
 *        these with it: the Hessian is symmetric (torch.autograd.functional.hvp and vhp).
 * @param[in]  fn            called once
 * @param[in]  user          handed to fn
 * @param[in]  inputs        input_count tensors of floating dtypes
 * @param[in]  input_count   at least 1
 * @param[in]  vectors       one for each input, of its shape and device, and a floating dtype, which is cast; NULL
 *                           with 0: 1, for a single input of one element
 * @param[in]  vector_count  number of vectors
 * @param[in]  flags         as for haft_autograd_vjp
 * @param[out] output        owned by the caller; NULL: not wanted
 * @param[out] products      room for input_count handles, each owned by the caller: the shape of each input
 * @return as haft_autograd_hessian.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_hvp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                       int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                                       int32_t flags, haft_tensor** output, haft_tensor** products) HAFT_NOTHROW;

/* What random operators do inside of a vmap. */
enum {
  HAFT_RANDOM_ERROR = 0,     /* none may run */
  HAFT_RANDOM_DIFFERENT = 1, /* each example has numbers of its own */
  HAFT_RANDOM_SAME = 2       /* all examples have the same */
};

typedef struct haft_vmap_options {
  uint32_t struct_size;
  int32_t randomness;      /* HAFT_RANDOM_*; HAFT_RANDOM_ERROR */
  const int64_t* in_dims;  /* of each input the dimension along which its examples lie, HAFT_NONE: it is the same for
                               all; NULL: 0 for each input */
  const int64_t* out_dims; /* of each output the dimension that its examples shall have, HAFT_NONE: it is the same for
                               all and answered once; NULL: 0. Read when fn has answered */
  int64_t out_dim_count;   /* of out_dims: 1 for all outputs, or as many as there are; 0 with NULL */
  int64_t chunk_size;      /* examples at a time, at least 1; 0: all */
  int32_t warn;            /* 1: the log is told (warning) of each operator that is called for one example after the
                               other */
  int32_t reserved;        /* 0 */
} haft_vmap_options;
#define HAFT_VMAP_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_vmap_options), HAFT_RANDOM_ERROR, NULL, NULL, 0, 0, 0, 0 }

/**
 * @brief The results of a function of one example for many (torch.func.vmap). The function is called once for all
 *        examples, or for each chunk of them: what it gets has the sizes of one example, its operators compute all
 *        examples at once, and nobody may read values meanwhile. Transforms may stand inside and around, a vmap
 *        within a vmap included: haft_autograd_vjp inside answers the gradients of each example.
 * @param[in]  fn            called with input_count tensors
 * @param[in]  user          handed to fn
 * @param[in]  inputs        input_count tensors
 * @param[in]  input_count   at least 1, of which at least one has examples
 * @param[in]  options       NULL: the defaults of HAFT_VMAP_OPTIONS_INIT
 * @param[out] outputs       room for capacity handles, each owned by the caller: the outputs of all examples
 * @param[in]  capacity      room at outputs; HAFT_MAX_FUNCTION_OUTPUTS is always enough
 * @param[out] output_count  how many there are
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (dimensions, random operators where none may run, capacity),
 *         HAFT_ERROR_SHAPE for inputs of different numbers of examples, HAFT_ERROR_UNSUPPORTED for values that are read
 *         and for examples that are written into a tensor which has none, HAFT_ERROR_CALLBACK, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any; what fn gets lives on this thread, until the call returns.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_vmap(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                        int64_t input_count, const haft_vmap_options* options, haft_tensor** outputs,
                                        int64_t capacity, int64_t* output_count) HAFT_NOTHROW;
/**
 * @brief 1 when t stands for the examples of a vmap that runs: it has the sizes of one, and no values to read.
 * @param[in]  t    the tensor
 * @param[out] out  0 or 1; 0 also of what is the same for all examples
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_is_batched(const haft_tensor* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief haft_autograd_jacobian with a number of rows that a walk of the graph makes: memory against time.
 * @param[in]  fn           called once
 * @param[in]  user         handed to fn
 * @param[in]  inputs       input_count tensors of floating dtypes
 * @param[in]  input_count  at least 1
 * @param[in]  flags        as for haft_autograd_vjp
 * @param[in]  chunk_size   elements of the outputs at a time; 0: as many as let a tensor of the way, for all of them,
 *                          have 32 MiB; 1: one by one
 * @param[out] jacobians    as for haft_autograd_jacobian
 * @param[in]  capacity     room at jacobians
 * @param[out] count        how many there are: outputs times inputs
 * @return as haft_autograd_jacobian; HAFT_ERROR_INVALID_ARGUMENT for a negative chunk_size.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_jacobian_by_chunks(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                                      int64_t input_count, int32_t flags, int64_t chunk_size,
                                                      haft_tensor** jacobians, int64_t capacity,
                                                      int64_t* count) HAFT_NOTHROW;

/**
 * @brief Calls a function of which only the inputs are kept for backward: it runs once more when a backward first
 *        reads what it would have kept (torch.utils.checkpoint, the form that is not reentrant). Its operators are
 *        recorded as usual, so gradients of parameters that it uses, of every order, hooks and chosen inputs work as
 *        without; a checkpoint may stand within another one. Buffers that it writes, such as the statistics of batch
 *        norm, are written by each run.
 * @param[in]  fn               called at once with the inputs, and on the thread of backward with tensors of their
 *                              values; it must do the same each time, and ends early then unless
 *                              haft_set_checkpoint_early_stop says otherwise
 * @param[in]  user             handed to fn
 * @param[in]  destroy          called once, when the graph no longer needs fn, perhaps before this call is over; may
 *                              be NULL. Not called when this function fails
 * @param[in]  preserve_random  1: the second run draws the random numbers of the first; 0: it goes on where the
 *                              generator is
 * @param[in]  inputs           input_count tensors of any dtype
 * @param[in]  input_count      number of inputs
 * @param[out] outputs          room for capacity handles, each owned by the caller
 * @param[in]  capacity         room at outputs
 * @param[out] output_count     how many there are
 * @return HAFT_OK, HAFT_ERROR_CALLBACK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small;
 *         HAFT_MAX_FUNCTION_OUTPUTS is always enough. Backward answers HAFT_ERROR_AUTOGRAD where the second run keeps
 *         other tensors, or an input was written in place since.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_checkpoint(haft_tensors_function fn, void* user, void (*destroy)(void* user),
                                              int32_t preserve_random, haft_tensor* const* inputs, int64_t input_count,
                                              haft_tensor** outputs, int64_t capacity,
                                              int64_t* output_count) HAFT_NOTHROW;

/**
 * @brief Whether the second run of this thread's checkpoints from here on ends with the operator that computes the
 *        last tensor that backward needs; on at first. That operator answers HAFT_ERROR_CANCELLED inside the
 *        function, which hands it on.
 * @param[in]  on      1: ends there; 0: comes to its end, so that what it does besides is done twice in full
 * @param[out] before  what it was; may be NULL
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when on is neither 0 nor 1: nothing has changed.
 * @note Thread class: any; of the calling thread.
 * @since 1.0
 */
HAFT_API haft_status haft_set_checkpoint_early_stop(int32_t on, int32_t* before) HAFT_NOTHROW;

/* ---- checking ---- */

/**
 * @brief A function of tensors to be checked: fills `output` with an owned handle.
 */
typedef haft_status (*haft_checked_function)(haft_tensor* const* inputs, int64_t count, haft_tensor** output,
                                             void* user);
/**
 * @brief Compares gradients with central differences in float64 (torch.autograd.gradcheck).
 * @param[in] fn      the function, called often
 * @param[in] user    handed to the function
 * @param[in] inputs  float64 leaves; those that require a gradient are checked
 * @param[in] count   number of inputs
 * @param[in] order   1: gradients; 2: gradients of gradients as well
 * @return HAFT_OK, HAFT_ERROR_AUTOGRAD with the first entry that differs.
 * @note Thread class: exclusive on inputs.
 * @since 1.0
 */
HAFT_API haft_status haft_autograd_gradcheck(haft_checked_function fn, void* user, haft_tensor* const* inputs,
                                             int64_t count, int32_t order) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
