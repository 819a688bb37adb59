/* Generated from core/schema/modules.def by tools/generate; do not edit.
 *
 * Optimizers and schedules of the learning rate. haft/optim.h includes this and says what they do.
 */
#ifndef HAFT_OPTIMIZERS_H
#define HAFT_OPTIMIZERS_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_optimizer haft_optimizer;
typedef struct haft_scheduler haft_scheduler;

/* Options of haft_sgd_create. */
typedef struct haft_sgd_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Part of the last step that goes on, >= 0. */
  double momentum;
  /* Part of the gradient that does not enter the momentum. */
  double dampening;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* 0 or 1: whether the momentum is Nesterov's; wants momentum and no dampening. */
  int32_t nesterov;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
} haft_sgd_options;
#define HAFT_SGD_OPTIONS_INIT {(uint32_t)sizeof(haft_sgd_options), 1e-3, 0, 0, 0, 0, 0}

/**
 * @brief Stochastic gradient descent, with momentum when it is not 0. torch.optim.SGD.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_SGD_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sgd_create(haft_tensor* const* params, int64_t count,
                                     const haft_sgd_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_adam_create. */
typedef struct haft_adam_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of the mean of their squares, in [0, 1). */
  double beta2;
  /* Added to the root, >= 0. */
  double eps;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* 0 or 1: whether the largest mean of squares so far counts. */
  int32_t amsgrad;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0 or 1: whether the rate times weight_decay of the parameter is taken off it instead, as by AdamW. */
  int32_t decoupled_weight_decay;
  /* 0. */
  int32_t reserved;
} haft_adam_options;
#define HAFT_ADAM_OPTIONS_INIT {(uint32_t)sizeof(haft_adam_options), 1e-3, 0.9, 0.999, 1e-8, 0, 0, 0, 0, 0}

/**
 * @brief Adam (Kingma and Ba, arXiv:1412.6980). torch.optim.Adam.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ADAM_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adam_create(haft_tensor* const* params, int64_t count,
                                      const haft_adam_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_adamw_create. */
typedef struct haft_adamw_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of the mean of their squares, in [0, 1). */
  double beta2;
  /* Added to the root, >= 0. */
  double eps;
  /* The rate times this part of the parameter is taken off it, >= 0. */
  double weight_decay;
  /* 0 or 1: whether the largest mean of squares so far counts. */
  int32_t amsgrad;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
} haft_adamw_options;
#define HAFT_ADAMW_OPTIONS_INIT {(uint32_t)sizeof(haft_adamw_options), 1e-3, 0.9, 0.999, 1e-8, 1e-2, 0, 0}

/**
 * @brief AdamW (Loshchilov and Hutter, arXiv:1711.05101): Adam whose weight decay shrinks the parameter.
 *   torch.optim.AdamW.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ADAMW_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adamw_create(haft_tensor* const* params, int64_t count,
                                       const haft_adamw_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_rmsprop_create. */
typedef struct haft_rmsprop_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the means, >= 0. */
  double alpha;
  /* Added to the root, >= 0. */
  double eps;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* Part of the last step that goes on, >= 0. */
  double momentum;
  /* 0 or 1: whether the squared mean of gradients is subtracted from the mean of their squares. */
  int32_t centered;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
} haft_rmsprop_options;
#define HAFT_RMSPROP_OPTIONS_INIT {(uint32_t)sizeof(haft_rmsprop_options), 1e-2, 0.99, 1e-8, 0, 0, 0, 0}

/**
 * @brief RMSprop (Hinton): divides by the root of the mean of squares. torch.optim.RMSprop.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_RMSPROP_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rmsprop_create(haft_tensor* const* params, int64_t count,
                                         const haft_rmsprop_options* options,
                                         haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_adagrad_create. */
typedef struct haft_adagrad_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* The rate is divided by 1 + steps so far times this, >= 0. */
  double lr_decay;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* Where the sum begins, >= 0. */
  double initial_accumulator_value;
  /* Added to the root, >= 0. */
  double eps;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_adagrad_options;
#define HAFT_ADAGRAD_OPTIONS_INIT {(uint32_t)sizeof(haft_adagrad_options), 1e-2, 0, 0, 0, 1e-10, 0, 0}

/**
 * @brief Adagrad (Duchi et al., JMLR 2011): divides by the root of the sum of squares. torch.optim.Adagrad.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ADAGRAD_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adagrad_create(haft_tensor* const* params, int64_t count,
                                         const haft_adagrad_options* options,
                                         haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_adadelta_create. */
typedef struct haft_adadelta_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the means of squares, in [0, 1]. */
  double rho;
  /* Added to the means, >= 0. */
  double eps;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_adadelta_options;
#define HAFT_ADADELTA_OPTIONS_INIT {(uint32_t)sizeof(haft_adadelta_options), 1.0, 0.9, 1e-6, 0, 0, 0}

/**
 * @brief Adadelta (Zeiler, arXiv:1212.5701): the ratio of the root mean squares of steps and gradients.
 *   torch.optim.Adadelta.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ADADELTA_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adadelta_create(haft_tensor* const* params, int64_t count,
                                          const haft_adadelta_options* options,
                                          haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_adamax_create. */
typedef struct haft_adamax_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of their largest size, in [0, 1). */
  double beta2;
  /* Added to the gradient's size, >= 0. */
  double eps;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_adamax_options;
#define HAFT_ADAMAX_OPTIONS_INIT {(uint32_t)sizeof(haft_adamax_options), 2e-3, 0.9, 0.999, 1e-8, 0, 0, 0}

/**
 * @brief Adam with the infinity norm (Kingma and Ba, arXiv:1412.6980). torch.optim.Adamax.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ADAMAX_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adamax_create(haft_tensor* const* params, int64_t count,
                                        const haft_adamax_options* options,
                                        haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_radam_create. */
typedef struct haft_radam_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of the mean of their squares, in [0, 1). */
  double beta2;
  /* Added to the root, >= 0. */
  double eps;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0 or 1: whether the rate times weight_decay of the parameter is taken off it instead, as by AdamW. */
  int32_t decoupled_weight_decay;
} haft_radam_options;
#define HAFT_RADAM_OPTIONS_INIT {(uint32_t)sizeof(haft_radam_options), 1e-3, 0.9, 0.999, 1e-8, 0, 0, 0}

/**
 * @brief Adam with a rectified variance (Liu et al., arXiv:1908.03265). torch.optim.RAdam.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_RADAM_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_radam_create(haft_tensor* const* params, int64_t count,
                                       const haft_radam_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_nadam_create. */
typedef struct haft_nadam_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of the mean of their squares, in [0, 1). */
  double beta2;
  /* Added to the root, >= 0. */
  double eps;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* How fast the momentum grows to beta1, >= 0. */
  double momentum_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0 or 1: whether the rate times weight_decay of the parameter is taken off it instead, as by AdamW. */
  int32_t decoupled_weight_decay;
} haft_nadam_options;
#define HAFT_NADAM_OPTIONS_INIT {(uint32_t)sizeof(haft_nadam_options), 2e-3, 0.9, 0.999, 1e-8, 0, 4e-3, 0, 0}

/**
 * @brief Adam with Nesterov's momentum (Dozat, 2016). torch.optim.NAdam.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_NADAM_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nadam_create(haft_tensor* const* params, int64_t count,
                                       const haft_nadam_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_asgd_create. */
typedef struct haft_asgd_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* How fast the rate falls, and the parameter with it. */
  double lambd;
  /* The power with which the rate falls. */
  double alpha;
  /* The step after which the average begins. */
  double t0;
  /* The parameter times this is added to the gradient, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_asgd_options;
#define HAFT_ASGD_OPTIONS_INIT {(uint32_t)sizeof(haft_asgd_options), 1e-2, 1e-4, 0.75, 1e6, 0, 0, 0}

/**
 * @brief Averaged stochastic gradient descent (Polyak and Juditsky, 1992): the average of each parameter is
 *   its state `ax`. torch.optim.ASGD.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ASGD_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_asgd_create(haft_tensor* const* params, int64_t count,
                                      const haft_asgd_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_rprop_create. */
typedef struct haft_rprop_options {
  uint32_t struct_size;
  /* The first size of steps, >= 0. */
  double lr;
  /* The factor of a step's size where the sign has changed, below 1. */
  double eta1;
  /* And where it has not, above 1. */
  double eta2;
  /* The smallest step. */
  double step_size1;
  /* The largest. */
  double step_size2;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_rprop_options;
#define HAFT_RPROP_OPTIONS_INIT {(uint32_t)sizeof(haft_rprop_options), 1e-2, 0.5, 1.2, 1e-6, 50, 0, 0}

/**
 * @brief Resilient backpropagation (Riedmiller and Braun, 1993): only the sign of the gradient counts.
 *   torch.optim.Rprop.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_RPROP_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rprop_create(haft_tensor* const* params, int64_t count,
                                       const haft_rprop_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_lion_create. */
typedef struct haft_lion_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Part of the mean in a step, in [0, 1). */
  double beta1;
  /* Decay of the mean, in [0, 1). */
  double beta2;
  /* The rate times this part of the parameter is taken off it, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_lion_options;
#define HAFT_LION_OPTIONS_INIT {(uint32_t)sizeof(haft_lion_options), 1e-4, 0.9, 0.99, 0, 0, 0}

/**
 * @brief Lion (Chen et al., arXiv:2302.06675): the sign of a mean of the gradient; weight decay shrinks the
 *   parameter. torch.optim.Lion.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_LION_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lion_create(haft_tensor* const* params, int64_t count,
                                      const haft_lion_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_lamb_create. */
typedef struct haft_lamb_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of the mean of their squares, in [0, 1). */
  double beta2;
  /* Added to the root, >= 0. */
  double eps;
  /* The parameter times this is added to the step, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_lamb_options;
#define HAFT_LAMB_OPTIONS_INIT {(uint32_t)sizeof(haft_lamb_options), 1e-3, 0.9, 0.999, 1e-6, 1e-2, 0, 0}

/**
 * @brief LAMB (You et al., arXiv:1904.00962): Adam's step, scaled for each parameter by its norm over that of
 *   the step. torch.optim.LAMB.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_LAMB_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lamb_create(haft_tensor* const* params, int64_t count,
                                      const haft_lamb_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_adafactor_create. */
typedef struct haft_adafactor_options {
  uint32_t struct_size;
  /* The largest rate, and that of the weight decay, >= 0. */
  double lr;
  /* The mean of squares keeps 1 - step^beta2_decay; at most 0. */
  double beta2_decay;
  /* The least mean of squares is its square; below 0: the dtype's epsilon. */
  double eps1;
  /* The least root mean square of a parameter that the rate is multiplied by, >= 0. */
  double eps2;
  /* The root mean square from which on a step is shortened to it, >= 1. */
  double d;
  /* The rate times this part of the parameter is taken off it, >= 0. */
  double weight_decay;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_adafactor_options;
#define HAFT_ADAFACTOR_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_adafactor_options), 1e-2, -0.8, -1.0, 1e-3, 1.0, 0, 0, 0}

/**
 * @brief Adafactor (Shazeer and Stern, arXiv:1804.04235): the mean squares of a matrix's gradient are kept by
 *   row and by column, and the rate follows the parameter's size. torch.optim.Adafactor.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_ADAFACTOR_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adafactor_create(haft_tensor* const* params, int64_t count,
                                           const haft_adafactor_options* options,
                                           haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_muon_create. */
typedef struct haft_muon_options {
  uint32_t struct_size;
  /* Learning rate, >= 0. */
  double lr;
  /* The rate times this part of the parameter is taken off it, >= 0. */
  double weight_decay;
  /* Part of the mean of gradients that stays, >= 0. */
  double momentum;
  /* 0 or 1: whether the momentum is Nesterov's. */
  int32_t nesterov;
  /* Factor of the matrix in a step of the iteration. */
  double ns_a;
  /* Factor of its cube. */
  double ns_b;
  /* Factor of its fifth power. */
  double ns_c;
  /* The least norm that the matrix is divided by, >= 0. */
  double eps;
  /* Steps of the iteration, in [0, 100). */
  double ns_steps;
  /* 0 or 1: scale the rate by 0.2 * sqrt(max(rows, columns)), as AdamW's steps are, in place of sqrt(max(1,
     rows / columns)). */
  int32_t match_rms_adamw;
  /* 0 or 1: scale the rate by sqrt(rows / columns). */
  int32_t spectral_unclamped;
} haft_muon_options;
#define HAFT_MUON_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_muon_options), 1e-3, 0.1, 0.95, 1, 3.4445, -4.775, 2.0315, 1e-7, 5, 0, 0}

/**
 * @brief Muon (Jordan, 2024) for matrices: the momentum, made nearly orthogonal by a Newton-Schulz iteration.
 *   That is computed in float32, or float64 for such parameters. torch.optim.Muon.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_MUON_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_muon_create(haft_tensor* const* params, int64_t count,
                                      const haft_muon_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_sparse_adam_create. */
typedef struct haft_sparse_adam_options {
  uint32_t struct_size;
  /* Learning rate, > 0. */
  double lr;
  /* Decay of the mean of gradients, in [0, 1). */
  double beta1;
  /* Decay of the mean of their squares, in [0, 1). */
  double beta2;
  /* Added to the root, > 0. */
  double eps;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
  /* 0. */
  int32_t reserved;
} haft_sparse_adam_options;
#define HAFT_SPARSE_ADAM_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_sparse_adam_options), 1e-3, 0.9, 0.999, 1e-8, 0, 0}

/**
 * @brief Adam for gradients of rows, the only ones that it takes: the means of other rows stand still.
 *   torch.optim.SparseAdam.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_SPARSE_ADAM_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sparse_adam_create(haft_tensor* const* params, int64_t count,
                                             const haft_sparse_adam_options* options,
                                             haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_lbfgs_create. */
typedef struct haft_lbfgs_options {
  uint32_t struct_size;
  /* Learning rate, the first length of a step, >= 0. */
  double lr;
  /* Iterations a step, >= 0. */
  double max_iter;
  /* Evaluations a step; below 0: a quarter more than max_iter. */
  double max_eval;
  /* Ends when no element of the gradient is larger. */
  double tolerance_grad;
  /* Ends when value and parameters change less. */
  double tolerance_change;
  /* Updates that are remembered, >= 1. */
  double history_size;
  /* 0 or 1: whether to search along the direction for a step that fulfils the strong Wolfe conditions. */
  int32_t strong_wolfe;
  /* 0 or 1: whether to climb. */
  int32_t maximize;
} haft_lbfgs_options;
#define HAFT_LBFGS_OPTIONS_INIT {(uint32_t)sizeof(haft_lbfgs_options), 1, 20, -1, 1e-7, 1e-9, 100, 0, 0}

/**
 * @brief L-BFGS (Liu and Nocedal, 1989) over one group of parameters; its step takes a closure, which
 *   computes the loss and its gradients again. torch.optim.LBFGS.
 * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer
 * @param[in]  count    number of params, at least 1
 * @param[in]  options  NULL: the defaults of HAFT_LBFGS_OPTIONS_INIT
 * @param[out] out      a new optimizer; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD for what is no leaf, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lbfgs_create(haft_tensor* const* params, int64_t count,
                                       const haft_lbfgs_options* options, haft_optimizer** out) HAFT_NOTHROW;

/* Options of haft_step_lr_create. */
typedef struct haft_step_lr_options {
  uint32_t struct_size;
  /* Steps between changes; to be set. */
  int64_t step_size;
  /* The factor. */
  double gamma;
} haft_step_lr_options;
#define HAFT_STEP_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_step_lr_options), 0, 0.1}

/**
 * @brief The rate times gamma every step_size steps. torch.optim.lr_scheduler.StepLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_STEP_LR_OPTIONS_INIT; to be set: step_size
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_step_lr_create(haft_optimizer* o, const haft_step_lr_options* options,
                                         haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_multi_step_lr_create. */
typedef struct haft_multi_step_lr_options {
  uint32_t struct_size;
  /* The steps; to be set. */
  const int64_t* milestones;
  /* Number of integers in milestones. */
  int64_t milestones_count;
  /* The factor. */
  double gamma;
} haft_multi_step_lr_options;
#define HAFT_MULTI_STEP_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_multi_step_lr_options), 0, 0, 0.1}

/**
 * @brief The rate times gamma at each milestone. torch.optim.lr_scheduler.MultiStepLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_MULTI_STEP_LR_OPTIONS_INIT; to be set: milestones
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_multi_step_lr_create(haft_optimizer* o, const haft_multi_step_lr_options* options,
                                               haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_exponential_lr_create. */
typedef struct haft_exponential_lr_options {
  uint32_t struct_size;
  /* The factor; to be set. */
  double gamma;
} haft_exponential_lr_options;
#define HAFT_EXPONENTIAL_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_exponential_lr_options), 0}

/**
 * @brief The rate times gamma at every step. torch.optim.lr_scheduler.ExponentialLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_EXPONENTIAL_LR_OPTIONS_INIT; to be set: gamma
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_exponential_lr_create(haft_optimizer* o, const haft_exponential_lr_options* options,
                                                haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_cosine_annealing_lr_create. */
typedef struct haft_cosine_annealing_lr_options {
  uint32_t struct_size;
  /* Steps to the lowest rate; to be set. */
  int64_t t_max;
  /* The lowest rate. */
  double eta_min;
} haft_cosine_annealing_lr_options;
#define HAFT_COSINE_ANNEALING_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_cosine_annealing_lr_options), 0, 0.0}

/**
 * @brief From the present rate to eta_min along half a cosine. torch.optim.lr_scheduler.CosineAnnealingLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_COSINE_ANNEALING_LR_OPTIONS_INIT; to be set: t_max
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_cosine_annealing_lr_create(haft_optimizer* o,
                                                     const haft_cosine_annealing_lr_options* options,
                                                     haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_linear_lr_create. */
typedef struct haft_linear_lr_options {
  uint32_t struct_size;
  /* The factor at once, in (0, 1]. */
  double start_factor;
  /* The factor at the end, in [0, 1]. */
  double end_factor;
  /* Steps between them. */
  int64_t total_iters;
} haft_linear_lr_options;
#define HAFT_LINEAR_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_linear_lr_options), 1.0 / 3, 1.0, 5}

/**
 * @brief The first rate times a factor that goes from one value to another in a line: a warm-up.
 *   torch.optim.lr_scheduler.LinearLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  NULL: the defaults of HAFT_LINEAR_LR_OPTIONS_INIT
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_linear_lr_create(haft_optimizer* o, const haft_linear_lr_options* options,
                                           haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_constant_lr_create. */
typedef struct haft_constant_lr_options {
  uint32_t struct_size;
  /* The factor, in [0, 1]. */
  double factor;
  /* Steps with it. */
  int64_t total_iters;
} haft_constant_lr_options;
#define HAFT_CONSTANT_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_constant_lr_options), 1.0 / 3, 5}

/**
 * @brief The first rate times a factor for the first steps. torch.optim.lr_scheduler.ConstantLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  NULL: the defaults of HAFT_CONSTANT_LR_OPTIONS_INIT
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_constant_lr_create(haft_optimizer* o, const haft_constant_lr_options* options,
                                             haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_polynomial_lr_create. */
typedef struct haft_polynomial_lr_options {
  uint32_t struct_size;
  /* Steps until 0. */
  int64_t total_iters;
  /* The power. */
  double power;
} haft_polynomial_lr_options;
#define HAFT_POLYNOMIAL_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_polynomial_lr_options), 5, 1.0}

/**
 * @brief To 0 as (1 - step / total_iters)^power. torch.optim.lr_scheduler.PolynomialLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  NULL: the defaults of HAFT_POLYNOMIAL_LR_OPTIONS_INIT
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_polynomial_lr_create(haft_optimizer* o, const haft_polynomial_lr_options* options,
                                               haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_cosine_annealing_warm_restarts_create. */
typedef struct haft_cosine_annealing_warm_restarts_options {
  uint32_t struct_size;
  /* Steps of the first one; to be set. */
  int64_t t_0;
  /* Each is so many times as long as the last. */
  int64_t t_mult;
  /* The lowest rate. */
  double eta_min;
} haft_cosine_annealing_warm_restarts_options;
#define HAFT_COSINE_ANNEALING_WARM_RESTARTS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_cosine_annealing_warm_restarts_options), 0, 1, 0.0}

/**
 * @brief From the first rate to eta_min along half a cosine, again and again (Loshchilov and Hutter,
 *   arXiv:1608.03983). torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_COSINE_ANNEALING_WARM_RESTARTS_OPTIONS_INIT; to be set: t_0
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_cosine_annealing_warm_restarts_create(
    haft_optimizer* o, const haft_cosine_annealing_warm_restarts_options* options,
    haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_cyclic_lr_create. */
typedef struct haft_cyclic_lr_options {
  uint32_t struct_size;
  /* The lowest rate; to be set. */
  double base_lr;
  /* The highest; to be set. */
  double max_lr;
  /* Steps on the way up. */
  int64_t step_size_up;
  /* Steps on the way down; none: step_size_up; HAFT_NONE: none. */
  int64_t step_size_down;
  /* 0 or 1: whether each cycle is half as high as the last. */
  int32_t halves;
  /* The height is multiplied by this at each step. */
  double gamma;
  /* 0 or 1: whether the momentum changes, too. */
  int32_t cycle_momentum;
  /* The momentum at the highest rate. */
  double base_momentum;
  /* The momentum at the lowest. */
  double max_momentum;
  /* Base_lr of each group, in place of it. */
  const double* base_lrs;
  /* Number of numbers in base_lrs. */
  int64_t base_lrs_count;
  /* Max_lr of each group. */
  const double* max_lrs;
  /* Number of numbers in max_lrs. */
  int64_t max_lrs_count;
  /* Base_momentum of each group. */
  const double* base_momentums;
  /* Number of numbers in base_momentums. */
  int64_t base_momentums_count;
  /* Max_momentum of each group. */
  const double* max_momentums;
  /* Number of numbers in max_momentums. */
  int64_t max_momentums_count;
} haft_cyclic_lr_options;
#define HAFT_CYCLIC_LR_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_cyclic_lr_options), 0, 0, 2000, HAFT_NONE, 0, 1.0, 1, 0.8, 0.9, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief Between two rates and back, and the momentum against them (Smith, arXiv:1506.01186).
 *   torch.optim.lr_scheduler.CyclicLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_CYCLIC_LR_OPTIONS_INIT; to be set: base_lr, max_lr
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_cyclic_lr_create(haft_optimizer* o, const haft_cyclic_lr_options* options,
                                           haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_one_cycle_lr_create. */
typedef struct haft_one_cycle_lr_options {
  uint32_t struct_size;
  /* The highest rate; to be set. */
  double max_lr;
  /* Steps in all; to be set. */
  int64_t total_steps;
  /* Part of the steps that goes up. */
  double pct_start;
  /* 0 or 1: whether ways are straight in place of half cosines. */
  int32_t linear;
  /* 0 or 1: whether the momentum changes, too; of Adam and its like beta1. */
  int32_t cycle_momentum;
  /* The momentum at the highest rate. */
  double base_momentum;
  /* The momentum at the lowest. */
  double max_momentum;
  /* Max_lr over the first rate. */
  double div_factor;
  /* The first rate over the last. */
  double final_div_factor;
  /* 0 or 1: whether it goes down as fast as up, and then on to the end. */
  int32_t three_phase;
  /* 0. */
  int32_t reserved;
  /* Max_lr of each group, in place of it. */
  const double* max_lrs;
  /* Number of numbers in max_lrs. */
  int64_t max_lrs_count;
  /* Base_momentum of each group. */
  const double* base_momentums;
  /* Number of numbers in base_momentums. */
  int64_t base_momentums_count;
  /* Max_momentum of each group. */
  const double* max_momentums;
  /* Number of numbers in max_momentums. */
  int64_t max_momentums_count;
} haft_one_cycle_lr_options;
#define HAFT_ONE_CYCLE_LR_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_one_cycle_lr_options), 0, 0, 0.3, 0, 1, 0.85, 0.95, 25.0, 1e4, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief Up to max_lr and down again once, and the momentum against it (Smith and Topin, arXiv:1708.07120).
 *   torch.optim.lr_scheduler.OneCycleLR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_ONE_CYCLE_LR_OPTIONS_INIT; to be set: max_lr, total_steps
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_one_cycle_lr_create(haft_optimizer* o, const haft_one_cycle_lr_options* options,
                                              haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_reduce_lr_on_plateau_create. */
typedef struct haft_reduce_lr_on_plateau_options {
  uint32_t struct_size;
  /* 0 or 1: whether a larger metric is better. */
  int32_t maximize;
  /* The factor, below 1. */
  double factor;
  /* Steps without anything better before the rate falls. */
  int64_t patience;
  /* By how much a better metric is better. */
  double threshold;
  /* 0 or 1: whether the threshold is a difference in place of a part of the best metric. */
  int32_t absolute;
  /* Steps after a change that do not count. */
  int64_t cooldown;
  /* The rate does not fall below. */
  double min_lr;
  /* Smaller changes are left out. */
  double eps;
  /* Min_lr of each group, in place of it. */
  const double* min_lrs;
  /* Number of numbers in min_lrs. */
  int64_t min_lrs_count;
} haft_reduce_lr_on_plateau_options;
#define HAFT_REDUCE_LR_ON_PLATEAU_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_reduce_lr_on_plateau_options), 0, 0.1, 10, 1e-4, 0, 0, 0.0, 1e-8, 0, 0}

/**
 * @brief The rate times factor when a metric, which each step is given, has not become better.
 *   torch.optim.lr_scheduler.ReduceLROnPlateau.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  NULL: the defaults of HAFT_REDUCE_LR_ON_PLATEAU_OPTIONS_INIT
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_reduce_lr_on_plateau_create(haft_optimizer* o,
                                                      const haft_reduce_lr_on_plateau_options* options,
                                                      haft_scheduler** out) HAFT_NOTHROW;

/* Options of haft_swa_lr_create. */
typedef struct haft_swa_lr_options {
  uint32_t struct_size;
  /* The last rate; to be set. */
  double swa_lr;
  /* Steps until then. */
  int64_t anneal_epochs;
  /* 0 or 1: whether the way is straight in place of half a cosine. */
  int32_t linear;
  /* 0. */
  int32_t reserved;
  /* Swa_lr of each group, in place of it. */
  const double* swa_lrs;
  /* Number of numbers in swa_lrs. */
  int64_t swa_lrs_count;
} haft_swa_lr_options;
#define HAFT_SWA_LR_OPTIONS_INIT {(uint32_t)sizeof(haft_swa_lr_options), 0, 10, 0, 0, 0, 0}

/**
 * @brief To swa_lr within anneal_epochs steps, where the rate stays (Izmailov et al., arXiv:1803.05407).
 *   torch.optim.lr_scheduler.SWALR.
 * @param[in]  o        whose rates it sets; retained
 * @param[in]  options  begun as HAFT_SWA_LR_OPTIONS_INIT; to be set: swa_lr
 * @param[out] out      a new scheduler; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_BUSY, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: exclusive on o.
 * @since 1.0
 */
HAFT_API haft_status haft_swa_lr_create(haft_optimizer* o, const haft_swa_lr_options* options,
                                        haft_scheduler** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
