/* Modules: containers, modules of your own, their weights, files of weights; haft/layers.h has the layers and losses.
 * Names and keys are PyTorch's, so that weights travel both ways.
 *
 * Every haft_<kind>_create answers a new module that the caller owns. Parameters are made with PyTorch's default
 * initial values on `device` (HAFT_DEVICE_DEFAULT: the thread's) in `dtype` (HAFT_DTYPE_NONE: the thread's default
 * float), with numbers of `generator` (NULL: the default one). All of them answer HAFT_OK,
 * HAFT_ERROR_INVALID_ARGUMENT for a value that the layer cannot have, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE,
 * HAFT_ERROR_OUT_OF_MEMORY.
 *
 * Threads: a module may run in any number of threads at once, except that one thread at a time may train through a
 * batch norm with running statistics. What changes a module (children, parameters, hooks, mode, dtype, loading) needs
 * it alone: HAFT_ERROR_BUSY while a forward call runs. A handle may be released on any thread.
 */
#ifndef HAFT_NN_H
#define HAFT_NN_H
#include <haft/init.h>
#include <haft/layers.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- containers and modules of your own ---- */

/**
 * @brief Modules one after the other, named "0", "1", ...; torch.nn.Sequential.
 * @param[in]  modules  count handles; the container becomes one more owner of each. NULL with count 0: none yet
 * @param[in]  count    number of modules
 * @param[out] out      a new module; the caller releases it (and its own handles of the children)
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_sequential_create(haft_module* const* modules, int64_t count, haft_module** out) HAFT_NOTHROW;
/**
 * @brief A module on several devices of this process at once, each of which computes a part of the batch;
 *        torch.nn.DataParallel. Parameters stay where they are: each call copies them to the other devices, and
 *        gradients come back to them. Buffers are copied as well; what the first device's part writes into them
 *        stays. Results are gathered on the first device.
 * @param[in]  m        called by several threads at once, each with its device as the default one and copies of
 *                      parameters and buffers in place of the module's: those of haft_module_parameter and of its
 *                      layers, not tensors that a callback holds
 * @param[in]  devices  count different ones; the module is on the first
 * @param[in]  count    at least 1
 * @param[in]  dim      of the batch in inputs and results. Parts have ceil(n / count) rows, the last ones fewer or
 *                      none; inputs without dimensions go to all, and results without become a vector with one
 *                      element a part
 * @param[out] out      a new module with the child "module"; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT. When called: HAFT_ERROR_DEVICE for a module that is not on the first
 *         device, HAFT_ERROR_SHAPE for inputs without a common batch; a part's error names its device.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_data_parallel_module_create(haft_module* m, const haft_device* devices, int64_t count,
                                                      int64_t dim, haft_module** out) HAFT_NOTHROW;
/**
 * @brief Numbered children for a module of your own; it cannot be called itself. torch.nn.ModuleList.
 * @param[in]  modules  as for haft_sequential_create
 * @param[in]  count    number of modules
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_list_create(haft_module* const* modules, int64_t count,
                                             haft_module** out) HAFT_NOTHROW;
/**
 * @brief Named children for a module of your own; it cannot be called itself. torch.nn.ModuleDict.
 * @param[in]  names    count names, without dots
 * @param[in]  modules  as for haft_sequential_create
 * @param[in]  count    number of modules
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a bad name; of equal names the last one counts.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_dict_create(const char* const* names, haft_module* const* modules, int64_t count,
                                             haft_module** out) HAFT_NOTHROW;

/**
 * @brief max(0, d(anchor, positive) - d(anchor, negative) + margin) with a distance of the caller's;
 *        torch.nn.TripletMarginWithDistanceLoss. Called with three tensors.
 * @param[in]  distance   a module of two tensors: haft_pairwise_distance_create, haft_cosine_similarity_create in a
 *                        module of your own, or haft_callback_module_create; the loss becomes one more owner, its
 *                        child "distance_function"
 * @param[in]  margin     by how much the negative is to be farther away; above 0
 * @param[in]  swap       1: the positive's distance to the negative counts where that is smaller
 * @param[in]  reduction  HAFT_REDUCTION_NONE, MEAN or SUM
 * @param[out] out        a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_triplet_margin_with_distance_loss_create(haft_module* distance, double margin, int32_t swap,
                                                                   int32_t reduction, haft_module** out) HAFT_NOTHROW;

#define HAFT_MAX_MODULE_OUTPUTS 64

/**
 * @brief What a module of your own does; called on the thread that calls haft_module_forward, perhaps on several at
 *        once.
 * @param[in]  self          lent for the call; haft_module_is_training(self, ...) tells the mode
 * @param[in]  inputs        input_count tensors, lent for the call: retain one to answer it
 * @param[out] outputs       room for HAFT_MAX_MODULE_OUTPUTS owned handles, which haft takes over
 * @param[out] output_count  how many were written
 * @return HAFT_OK, or a status that haft_module_forward reports
 */
typedef haft_status (*haft_module_forward_fn)(haft_module* self, haft_tensor* const* inputs, int64_t input_count,
                                              haft_tensor** outputs, int64_t* output_count, void* user);
/**
 * @brief A module written by the caller. Operators and children that `forward` calls are recorded as usual, so it has
 *        its gradient. Register its children and parameters on it.
 * @param[in]  type     shown in texts, for example "ResidualBlock"
 * @param[in]  forward  called for each forward, on the thread that asks for it
 * @param[in]  user     handed to the function
 * @param[in]  destroy  called once, when the module is gone; may be NULL. Not called when this function fails. `user`
 *                      must not own a handle of this very module, or neither ever goes.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when type or forward is NULL.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_callback_module_create(const char* type, haft_module_forward_fn forward, void* user,
                                                 void (*destroy)(void* user), haft_module** out) HAFT_NOTHROW;

/**
 * @brief One more owner of the handle.
 * @param[in] m  the module
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_retain(haft_module* m) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Modules that a container holds live on.
 * @param[in] m  the module
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_module_release(haft_module* m) HAFT_NOTHROW;

/* ---- running ---- */

/**
 * @brief Calls a module with one tensor.
 * @param[in]  m  the module
 * @param[in]  x  the input
 * @param[out] y  an owned handle
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_CALLBACK, HAFT_ERROR_UNSUPPORTED
 *         for a loss, a module list or dict, HAFT_ERROR_BUSY when another thread changes it or trains through the same
 *         batch norm.
 * @note Thread class: any; exclusive while training with batch norm. @since 1.0
 */
HAFT_API haft_status haft_module_forward(haft_module* m, const haft_tensor* x, haft_tensor** y) HAFT_NOTHROW;
/**
 * @brief Calls a module with several tensors: a loss takes a prediction and its target, or three tensors, and answers
 *        one tensor, modules of your own take and answer any number, all others one.
 * @param[in]  m            the module
 * @param[in]  inputs       input_count handles; NULL entries stand for absent inputs (masks, states) of modules that
 *                          know such, and reach callbacks and hooks as NULL
 * @param[in]  input_count  number of inputs
 * @param[out] outs         room for `capacity` handles, each owned by the caller
 * @param[in]  capacity     room at outs
 * @param[out] count        how many there are
 * @return as haft_module_forward, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small, before the module runs; only
 *         a module of your own must run to be counted, and its results are then lost, also when outs is NULL.
 *         HAFT_MAX_MODULE_OUTPUTS is always enough.
 * @note Thread class: any; exclusive while training with batch norm. @since 1.0
 */
HAFT_API haft_status haft_module_forward_many(haft_module* m, haft_tensor* const* inputs, int64_t input_count,
                                              haft_tensor** outs, int64_t capacity, int64_t* count) HAFT_NOTHROW;
/**
 * @brief A module as a function of tensors: a haft_tensors_function for haft_autograd_jacobian and its neighbours,
 *        and for haft_autograd_checkpoint, whose `user` is the module.
 * @param[in]  inputs        input_count handles
 * @param[in]  input_count   number of inputs
 * @param[out] outputs       room for HAFT_MAX_MODULE_OUTPUTS handles, each owned by the caller
 * @param[out] output_count  how many there are
 * @param[in]  module        a haft_module*, which must live as long as it may be called
 * @return as haft_module_forward_many.
 * @note Thread class: as haft_module_forward. @since 1.0
 */
HAFT_API haft_status haft_module_as_function(haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs,
                                             int64_t* output_count, void* module) HAFT_NOTHROW;

/**
 * @brief Training (1) or evaluation (0) for the whole tree; new modules train.
 * @param[in] m   the module
 * @param[in] on  0 or 1
 * @return HAFT_OK, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_train(haft_module* m, int32_t on) HAFT_NOTHROW;
/**
 * @brief 1 in training mode.
 * @param[in]  m    the module
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_is_training(const haft_module* m, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Removes the gradients of all parameters.
 * @param[in] m  the module
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_zero_grad(haft_module* m) HAFT_NOTHROW;
/**
 * @brief Freezes (0) or unfreezes (1) all parameters; frozen ones keep their gradients.
 * @param[in] m   the module
 * @param[in] on  0 or 1
 * @return HAFT_OK, HAFT_ERROR_BUSY, HAFT_ERROR_DTYPE.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_set_requires_grad(haft_module* m, int32_t on) HAFT_NOTHROW;
/**
 * @brief Moves a module. Its tensors keep their identity: handles of them and optimizers over them stay valid.
 * @param[in] m       the module
 * @param[in] dtype   a floating type for floating parameters and buffers; HAFT_DTYPE_NONE: as they are
 * @param[in] device  HAFT_DEVICE_DEFAULT: where they are
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY (nothing has changed).
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_to(haft_module* m, haft_dtype dtype, haft_device device) HAFT_NOTHROW;

/* ---- tree ---- */

/**
 * @brief Puts a module under a name; one that is there already is replaced (a new last layer).
 * @param[in] m      the module
 * @param[in] name   without dots; NULL: the next number
 * @param[in] child  m becomes one more owner
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a bad or taken name, or when m is part of child.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_add_child(haft_module* m, const char* name, haft_module* child) HAFT_NOTHROW;
/**
 * @brief Number of direct children.
 * @param[in]  m    the module
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_child_count(const haft_module* m, int64_t* out) HAFT_NOTHROW;
/**
 * @brief The name of the index-th child.
 * @param[in]  m         the module
 * @param[in]  index     from 0
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_child_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_NOTHROW;
/**
 * @brief A module of the tree by its dotted name, "features.0"; "" is m itself.
 * @param[in]  m     the module
 * @param[in]  name  dotted names; "": m itself
 * @param[out] out   an owned handle
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT naming the children there are.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_child(const haft_module* m, const char* name, haft_module** out) HAFT_NOTHROW;
/**
 * @brief Calls fn with every module of the tree, children first.
 * @param[in] m     the module
 * @param[in] fn    gets a handle lent for the call and the dotted name ("" for m); a status other than HAFT_OK stops
 * @param[in] user  handed to the function
 * @return HAFT_OK, HAFT_ERROR_CALLBACK.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_apply(haft_module* m, haft_status (*fn)(haft_module* m, const char* name, void* user),
                                       void* user) HAFT_NOTHROW;
/**
 * @brief What kind of module it is, "Linear".
 * @param[in]  m         the module
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_type(const haft_module* m, char* buffer, int64_t capacity,
                                          int64_t* needed) HAFT_NOTHROW;
/**
 * @brief The tree as PyTorch prints it.
 * @param[in]  m         the module
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_to_string(const haft_module* m, char* buffer, int64_t capacity,
                                           int64_t* needed) HAFT_NOTHROW;
/**
 * @brief The tree with numbers of parameters and a line of totals.
 * @param[in]  m         the module
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_summary(const haft_module* m, char* buffer, int64_t capacity,
                                             int64_t* needed) HAFT_NOTHROW;

/* ---- parameters and buffers ---- */

/**
 * @brief Gives a module a parameter; one of that name is replaced by a tensor of equal shape (weight tying).
 * @param[in] m              the module
 * @param[in] name           without dots
 * @param[in] t              a leaf, shared with the module; NULL reserves the name
 * @param[in] requires_grad  1: to be trained
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_AUTOGRAD (no leaf), HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_register_parameter(haft_module* m, const char* name, haft_tensor* t,
                                                    int32_t requires_grad) HAFT_NOTHROW;
/**
 * @brief Gives a module a tensor that is no parameter; one of that name is replaced.
 * @param[in] m           the module
 * @param[in] name        without dots
 * @param[in] t           shared with the module; NULL reserves the name
 * @param[in] persistent  1: part of the state; 0: not saved
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_register_buffer(haft_module* m, const char* name, haft_tensor* t,
                                                 int32_t persistent) HAFT_NOTHROW;
/**
 * @brief Parameters of the tree, each once, in PyTorch's order.
 * @param[in]  m         the module
 * @param[out] tensors   how many there are; may be NULL
 * @param[out] elements  how many numbers they hold; may be NULL
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_parameter_count(const haft_module* m, int64_t* tensors,
                                                     int64_t* elements) HAFT_NOTHROW;
/**
 * @brief The parameters of the tree themselves: handles for an optimizer.
 * @param[in]  m         the module
 * @param[out] outs      room for `capacity` handles, each owned by the caller; they share memory with the module
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are, also when capacity is too small
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_parameters(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                            int64_t* count) HAFT_NOTHROW;
/**
 * @brief The dotted name of the index-th parameter.
 * @param[in]  m         the module
 * @param[in]  index     from 0
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_parameter_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                                    int64_t* needed) HAFT_NOTHROW;
/**
 * @brief The buffers of the tree: running statistics and what haft_module_register_buffer added, persistent or not.
 *        Otherwise like haft_module_parameters.
 * @param[in]  m         the module
 * @param[out] outs      room for `capacity` handles, each owned by the caller; they share memory with the module
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are, also when capacity is too small
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_buffers(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                         int64_t* count) HAFT_NOTHROW;
/**
 * @brief The dotted name of the index-th buffer.
 * @param[in]  m         the module
 * @param[in]  index     from 0
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_buffer_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                                 int64_t* needed) HAFT_NOTHROW;
/**
 * @brief A parameter by its dotted name, "0.weight".
 * @param[in]  m     the module
 * @param[in]  name  the dotted name
 * @param[out] out   an owned handle that shares memory with the module
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT naming the parameters there are.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_parameter(const haft_module* m, const char* name, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief A buffer by its dotted name; otherwise like haft_module_parameter.
 * @param[in]  m     the module
 * @param[in]  name  the dotted name, "1.running_mean"
 * @param[out] out   an owned handle that shares memory with the module
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT naming the buffers there are.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_buffer(const haft_module* m, const char* name, haft_tensor** out) HAFT_NOTHROW;

/* ---- state ---- */

/**
 * @brief Parameters and persistent buffers under all their names (torch's state_dict): `outs` in the order of
 *        haft_module_get_state_name.
 * @param[in]  m         the module
 * @param[out] outs      room for `capacity` handles, each owned by the caller; they share memory with the module
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are, also when capacity is too small
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_state(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                       int64_t* count) HAFT_NOTHROW;
/**
 * @brief The index-th name of the state.
 * @param[in]  m         the module
 * @param[in]  index     from 0
 * @param[out] buffer    receives UTF-8 text and a final 0; NULL with capacity 0 asks for the size
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_get_state_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_NOTHROW;
/**
 * @brief Copies values into the module, casting and moving them as needed.
 * @param[in] m        the module
 * @param[in] names    count names
 * @param[in] tensors  count tensors; they are only read
 * @param[in] count    number of names and tensors
 * @param[in] strict   1: names that only one side has are an error; 0: they are left alone
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT or HAFT_ERROR_SHAPE with all missing, unexpected and wrongly shaped
 *         names, and nothing is written.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_load_state(haft_module* m, const char* const* names, haft_tensor* const* tensors,
                                            int64_t count, int32_t strict) HAFT_NOTHROW;
/**
 * @brief Writes the state as a safetensors file that PyTorch reads, too. The old file stays whole until the new one
 *        is.
 * @param[in] m     the module
 * @param[in] path  UTF-8
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any, while nobody trains the module. @since 1.0
 */
HAFT_API haft_status haft_module_save(const haft_module* m, const char* path) HAFT_NOTHROW;
/**
 * @brief Reads a file of named tensors, safetensors, .npz, or a state that torch.save wrote, into the module, like
 *        haft_module_load_state.
 * @param[in] m       the module
 * @param[in] path    UTF-8
 * @param[in] strict  as for haft_module_load_state
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_load(haft_module* m, const char* path, int32_t strict) HAFT_NOTHROW;

/* ---- parametrizations: tensors that are computed from others ---- */

/**
 * @brief From here on m's tensor `name` is parametrization(original), computed once each time that m runs and
 *        recorded, so that gradients come to the original; torch.nn.utils.parametrize.register_parametrization. The
 *        children parametrizations.NAME.0, 1, ... hold the functions, and parametrizations.NAME the tensors that they
 *        begin with: `original`, or `original0`, `original1`, ... These are what parameters, buffers and states name
 *        from now on. The original is the tensor itself where its shape stays, so that optimizers over it go on;
 *        otherwise make them anew.
 * @param[in] m                whose own parameter or buffer it is
 * @param[in] name             without dots; one that is parametrized already gets one more function on top
 * @param[in] parametrization  haft_weight_norm_create, haft_spectral_norm_create, haft_orthogonal_create, or any
 *                             module that answers one tensor; m becomes one more owner
 * @param[in] right_inverse    a module that takes a value and answers the originals that give it, called now and by
 *                             haft_module_set_parametrized; NULL: the engine's parametrizations have their own;
 *                             others begin with the tensor as it is, and nothing can be assigned
 * @param[in] unsafe           1: the parametrization may change shape and dtype
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_register_parametrization(haft_module* m, const char* name,
                                                          haft_module* parametrization, haft_module* right_inverse,
                                                          int32_t unsafe) HAFT_NOTHROW;
/**
 * @brief Makes a parametrized tensor an ordinary one again.
 * @param[in] m                   the module
 * @param[in] name                of the tensor
 * @param[in] leave_parametrized  1: with the value of now; 0: with its one original as it is
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for one that is not parametrized or has several originals to go back to.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_remove_parametrizations(haft_module* m, const char* name,
                                                         int32_t leave_parametrized) HAFT_NOTHROW;
/**
 * @brief Whether a tensor is parametrized.
 * @param[in]  m     the module
 * @param[in]  name  of the tensor; NULL: any of the module's own
 * @param[out] out   0 or 1
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_is_parametrized(const haft_module* m, const char* name, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Changes the originals of a parametrized tensor so that it gets a value, by the right inverses of its
 *        functions.
 * @param[in] m      the module
 * @param[in] name   of the tensor
 * @param[in] value  read
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE, HAFT_ERROR_UNSUPPORTED where a function has no
 *         right inverse.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_set_parametrized(haft_module* m, const char* name,
                                                  const haft_tensor* value) HAFT_NOTHROW;
/**
 * @brief A parameter or buffer by its dotted name as forward reads it: of one that is parametrized or pruned the
 *        value of now.
 * @param[in]  m     the module
 * @param[in]  name  the dotted name, "0.weight"
 * @param[out] out   an owned handle
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT naming those that there are.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_value(const haft_module* m, const char* name, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief The originals that one of the engine's parametrizations makes a value of; it begins with them what it
 *        remembers.
 * @param[in]  m         a parametrization
 * @param[in]  value     the value
 * @param[out] outs      room for `capacity` handles, each owned by the caller
 * @param[in]  capacity  room at outs; HAFT_MAX_MODULE_OUTPUTS is enough
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED for other modules, HAFT_ERROR_SHAPE, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_right_inverse(haft_module* m, const haft_tensor* value, haft_tensor** outs,
                                               int64_t capacity, int64_t* count) HAFT_NOTHROW;
/**
 * @brief haft_module_forward_many with other tensors in place of the module's, which stay as they are;
 *        torch.func.functional_call.
 * @param[in]  m            the module
 * @param[in]  names        other_count dotted names of parameters and buffers
 * @param[in]  others       other_count tensors of their shapes, which may have a history
 * @param[in]  other_count  how many
 * @param[in]  inputs       input_count handles, as for haft_module_forward_many
 * @param[in]  input_count  number of inputs
 * @param[out] outs         room for `capacity` handles, each owned by the caller
 * @param[in]  capacity     room at outs
 * @param[out] count        how many there are
 * @return as haft_module_forward_many; HAFT_ERROR_INVALID_ARGUMENT for a name that there is not, HAFT_ERROR_SHAPE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_functional_call(haft_module* m, const char* const* names, haft_tensor* const* others,
                                                 int64_t other_count, haft_tensor* const* inputs, int64_t input_count,
                                                 haft_tensor** outs, int64_t capacity, int64_t* count) HAFT_NOTHROW;

/* ---- pruning: parts of a parameter held at 0 ---- */

/* Which units go: the elements or, with STRUCTURED, the slices along dim. */
enum {
  HAFT_PRUNE_IDENTITY = 0,            /* none, but the mask is made */
  HAFT_PRUNE_RANDOM_UNSTRUCTURED = 1, /* any elements */
  HAFT_PRUNE_L1_UNSTRUCTURED = 2,     /* the elements nearest to 0 */
  HAFT_PRUNE_RANDOM_STRUCTURED = 3,   /* any slices */
  HAFT_PRUNE_LN_STRUCTURED = 4        /* the slices of the least norms */
};

typedef struct haft_prune_options {
  uint32_t struct_size;
  int32_t method;  /* HAFT_PRUNE_* */
  double fraction; /* in [0, 1]: the part of the units that are left which goes, to the nearest number of them */
  int64_t count;   /* that many units in place of a fraction; below 0: the fraction counts */
  double n;        /* of the norms; infinities, too */
  int64_t dim;     /* of the slices; negative counts from the end */
  haft_generator* generator; /* of random choices; NULL: the default one */
} haft_prune_options;
#define HAFT_PRUNE_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_prune_options), HAFT_PRUNE_L1_UNSTRUCTURED, 0, -1, 2, -1, 0 }

/**
 * @brief Prunes a parameter of m (torch.nn.utils.prune): it becomes the parameter NAME_orig, the tensor itself, and
 *        the buffer NAME_mask of zeros and ones; forward reads their product. What is pruned already stays so, and
 *        the rest is compared.
 * @param[in] m        whose own parameter it is
 * @param[in] name     without dots
 * @param[in] options  NULL: the defaults, which take nothing
 * @param[in] scores   of the parameter's shape, compared in place of its values; NULL: the values
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT (more units than there are, a parametrized tensor), HAFT_ERROR_SHAPE,
 *         HAFT_ERROR_BAD_STRUCT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_prune(haft_module* m, const char* name, const haft_prune_options* options,
                                       const haft_tensor* scores) HAFT_NOTHROW;
/**
 * @brief Prunes a parameter of m by a mask; torch's custom_from_mask.
 * @param[in] m     whose own parameter it is
 * @param[in] name  without dots
 * @param[in] mask  of the parameter's shape: 0 or false where it is pruned, on top of what is
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_prune_by_mask(haft_module* m, const char* name, const haft_tensor* mask) HAFT_NOTHROW;
/**
 * @brief Prunes elements of several parameters by one comparison of all; torch's global_unstructured.
 * @param[in] modules  count modules
 * @param[in] names    count names of own parameters of theirs
 * @param[in] scores   count tensors as for haft_module_prune, NULL entries for values; NULL: values for all
 * @param[in] count    at least 1
 * @param[in] options  a method without structure; fraction and count are of all elements together
 * @return as haft_module_prune.
 * @note Thread class: exclusive on all modules. @since 1.0
 */
HAFT_API haft_status haft_prune_global(haft_module* const* modules, const char* const* names,
                                       haft_tensor* const* scores, int64_t count,
                                       const haft_prune_options* options) HAFT_NOTHROW;
/**
 * @brief The zeros become part of the parameter, which is an ordinary one again; torch's prune.remove.
 * @param[in] m     the module
 * @param[in] name  of the parameter
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for one that is not pruned.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_remove_pruning(haft_module* m, const char* name) HAFT_NOTHROW;
/**
 * @brief Whether some parameter of the tree is pruned.
 * @param[in]  m    the module
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_module_is_pruned(const haft_module* m, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The mask that a pruning makes of one: for tensors that no module of the engine holds.
 * @param[in]  scores   what is compared
 * @param[in]  mask     of their shape, zeros and ones; zeros stay
 * @param[in]  options  NULL: the defaults, which take nothing
 * @param[out] out      an owned handle
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_prune_mask(const haft_tensor* scores, const haft_tensor* mask,
                                     const haft_prune_options* options, haft_tensor** out) HAFT_NOTHROW;

/* ---- hooks ---- */

/**
 * @brief Sees a module's inputs before forward.
 * @param[in]  self      lent for the call
 * @param[in]  inputs    lent for the call
 * @param[out] replaced  input_count places, NULL on entry; an owned handle here replaces that input (haft takes it
 *                       over)
 */
typedef haft_status (*haft_module_pre_hook)(haft_module* self, haft_tensor* const* inputs, int64_t input_count,
                                            haft_tensor** replaced, void* user);
/**
 * @brief Sees a module's outputs after forward.
 * @param[in]  self      lent for the call, as are inputs and outputs
 * @param[out] replaced  output_count places, NULL on entry; an owned handle here replaces that output (haft takes it
 *                       over)
 */
typedef haft_status (*haft_module_hook)(haft_module* self, haft_tensor* const* inputs, int64_t input_count,
                                        haft_tensor* const* outputs, int64_t output_count, haft_tensor** replaced,
                                        void* user);
/**
 * @brief Calls fn before every forward of m (torch's register_forward_pre_hook), also inside containers.
 * @param[in]  m        the module
 * @param[in]  fn       called before each forward
 * @param[in]  user     handed to the function
 * @param[in]  destroy  called once, when the hook or the module is gone; may be NULL. Not called when this function
 *                      fails.
 * @param[out] id       names the hook for haft_module_remove_hook
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_add_pre_hook(haft_module* m, haft_module_pre_hook fn, void* user,
                                              void (*destroy)(void* user), int64_t* id) HAFT_NOTHROW;
/**
 * @brief Calls fn after every forward of m (torch's register_forward_hook); otherwise like haft_module_add_pre_hook.
 * @param[in]  m        the module
 * @param[in]  fn       called after each forward
 * @param[in]  user     handed to the function
 * @param[in]  destroy  called once with user, when haft lets go of the function; may be NULL. Not when this function
 *                      fails
 * @param[out] id       names the hook
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_add_hook(haft_module* m, haft_module_hook fn, void* user, void (*destroy)(void* user),
                                          int64_t* id) HAFT_NOTHROW;
/**
 * @brief Removes a hook.
 * @param[in] m   the module
 * @param[in] id  as haft_module_add_hook or haft_module_add_pre_hook gave it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown id.
 * @note Thread class: exclusive on m. @since 1.0
 */
HAFT_API haft_status haft_module_remove_hook(haft_module* m, int64_t id) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
