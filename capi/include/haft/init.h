/* Initial values of weights. The functions write into a floating tensor and are not recorded; `generator` NULL: the
 * default one. Fan in and fan out need a weight (out, in, *) and answer HAFT_ERROR_SHAPE for less than two
 * dimensions. */
#ifndef HAFT_INIT_H
#define HAFT_INIT_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HAFT_FAN_IN = 0, HAFT_FAN_OUT = 1 };
/* What follows the layer, for kaiming's gain. */
enum {
  HAFT_NONLINEARITY_LINEAR = 0,
  HAFT_NONLINEARITY_SIGMOID = 1,
  HAFT_NONLINEARITY_TANH = 2,
  HAFT_NONLINEARITY_RELU = 3,
  HAFT_NONLINEARITY_LEAKY_RELU = 4, /* of slope a */
  HAFT_NONLINEARITY_SELU = 5
};

/**
 * @brief Uniform in [low, high).
 * @param[in] t          the tensor
 * @param[in] low        least value
 * @param[in] high       bound, not reached
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INVALID_ARGUMENT for a range that is none, HAFT_ERROR_AUTOGRAD when t
 *         is the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_uniform(haft_tensor* t, double low, double high, haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief Normal.
 * @param[in] t          the tensor
 * @param[in] mean       the mean
 * @param[in] std        the standard deviation
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INVALID_ARGUMENT for a negative std, HAFT_ERROR_AUTOGRAD when t is
 *         the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_normal(haft_tensor* t, double mean, double std, haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief One value.
 * @param[in] t      the tensor
 * @param[in] value  the value
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD when t is the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_constant(haft_tensor* t, double value) HAFT_NOTHROW;
/**
 * @brief Normal, cut at [low, high].
 * @param[in] t          the tensor
 * @param[in] mean       of the normal before it is cut
 * @param[in] std        of the normal before it is cut
 * @param[in] low        least value
 * @param[in] high       largest value
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INVALID_ARGUMENT for a range that is none, HAFT_ERROR_AUTOGRAD when t
 *         is the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_trunc_normal(haft_tensor* t, double mean, double std, double low, double high,
                                            haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief Uniform with variance gain^2 2 / (fan in + fan out) (Glorot and Bengio, AISTATS 2010).
 * @param[in] t          the tensor
 * @param[in] gain       factor on the standard deviation
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_AUTOGRAD when t is the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_xavier_uniform(haft_tensor* t, double gain, haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief Normal with variance gain^2 2 / (fan in + fan out).
 * @param[in] t          the tensor
 * @param[in] gain       factor on the standard deviation
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_AUTOGRAD when t is the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_xavier_normal(haft_tensor* t, double gain, haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief Uniform with variance gain^2 / fan (He et al., arXiv:1502.01852).
 * @param[in] t             the tensor
 * @param[in] a             negative slope of a leaky ReLU
 * @param[in] mode          HAFT_FAN_*
 * @param[in] nonlinearity  HAFT_NONLINEARITY_*
 * @param[in] generator     NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_AUTOGRAD when t is the result of an operator,
 *         HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_kaiming_uniform(haft_tensor* t, double a, int32_t mode, int32_t nonlinearity,
                                               haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief Normal; otherwise like haft_init_kaiming_uniform.
 * @param[in] t             the tensor
 * @param[in] a             negative slope of a leaky ReLU
 * @param[in] mode          HAFT_FAN_*
 * @param[in] nonlinearity  HAFT_NONLINEARITY_*
 * @param[in] generator     NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_AUTOGRAD when t is the result of an operator,
 *         HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_kaiming_normal(haft_tensor* t, double a, int32_t mode, int32_t nonlinearity,
                                              haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief Rows or columns, whichever are fewer, of the matrix (size(0), rest) orthonormal, times gain.
 * @param[in] t          the tensor
 * @param[in] gain       factor on the standard deviation
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_AUTOGRAD when t is the result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_orthogonal(haft_tensor* t, double gain, haft_generator* generator) HAFT_NOTHROW;
/**
 * @brief The weight (out, in, *) of a convolution that answers its input, as far as there are channels.
 * @param[in] t       a tensor of 3 to 5 dimensions
 * @param[in] groups  groups of the convolution, which divide out
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_AUTOGRAD when t is the result of an
 *         operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_dirac(haft_tensor* t, int64_t groups) HAFT_NOTHROW;
/**
 * @brief Normal numbers around 0 with a part of each column set to 0 (Martens, ICML 2010).
 * @param[in] t          a matrix
 * @param[in] sparsity   that part, in [0, 1]; the number of zeros is rounded up
 * @param[in] std        standard deviation of the others
 * @param[in] generator  NULL: the default one
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_AUTOGRAD when t is the
 *         result of an operator.
 * @note Thread class: exclusive on t. @since 1.0
 */
HAFT_API haft_status haft_init_sparse(haft_tensor* t, double sparsity, double std,
                                      haft_generator* generator) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
