/* Generated from core/schema/ops.def by tools/generate; do not edit.
 *
 * The operators. Beside the conventions of haft/types.h
 *  1. Inputs stay the caller's and may be released as soon as the call is over. An absent tensor or generator
 *     is NULL, an absent integer HAFT_NONE, an absent number haft_scalar_none(), an empty list NULL with count 0.
 *  2. A list of results needs an array with room for outs_capacity tensors. NULL with capacity 0 only asks
 *     how many there are; the operator has run then, too. Otherwise outs_count tells how many there
 *     are, also when the capacity is smaller; then no tensor is written: HAFT_ERROR_INVALID_ARGUMENT.
 *  3. haft_<op>_ writes into its first argument, haft_<op>_out into a tensor of the result's shape and dtype.
 *  4. Every operator may answer HAFT_ERROR_INVALID_ARGUMENT (NULL where a tensor is wanted, a flag other than
 *     0 or 1, a negative count), HAFT_ERROR_STALE_HANDLE, HAFT_ERROR_WRONG_HANDLE, HAFT_ERROR_OUT_OF_MEMORY
 *     and HAFT_ERROR_UNSUPPORTED (the device lacks the operator for the dtype or mode); @return names the others.
 */
#ifndef HAFT_OPS_H
#define HAFT_OPS_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pointwise: unary ---------------------------------------------------------------------------------- */

/**
 * @brief Absolute value |input|.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_abs(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_abs, written into its first argument: Absolute value |input|.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_abs_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_abs, written into a given tensor: Absolute value |input|.
 * @param[in]     input  tensor, any dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_abs_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Negative -input; bool is refused.
 * @param[in]  input  tensor, any dtype but bool; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_neg(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_neg, written into its first argument: Negative -input; bool is refused.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_neg_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_neg, written into a given tensor: Negative -input; bool is refused.
 * @param[in]     input  tensor, any dtype but bool; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_neg_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief -1, 0 or 1 by the sign of input; 0 for NaN.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sign(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sign, written into its first argument: -1, 0 or 1 by the sign of input; 0 for NaN.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sign_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_sign, written into a given tensor: -1, 0 or 1 by the sign of input; 0 for NaN.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sign_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief e to the power input.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_exp(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_exp, written into its first argument: e to the power input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_exp_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_exp, written into a given tensor: e to the power input.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_exp_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief 2 to the power input.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_exp2(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_exp2, written into its first argument: 2 to the power input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_exp2_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_exp2, written into a given tensor: 2 to the power input.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_exp2_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief exp(input) - 1, accurate near 0.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_expm1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_expm1, written into its first argument: exp(input) - 1, accurate near 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_expm1_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_expm1, written into a given tensor: exp(input) - 1, accurate near 0.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_expm1_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Natural logarithm; -inf at 0, NaN below.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_log, written into its first argument: Natural logarithm; -inf at 0, NaN below.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_log_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_log, written into a given tensor: Natural logarithm; -inf at 0, NaN below.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_log_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Logarithm to base 2.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log2(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_log2, written into its first argument: Logarithm to base 2.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_log2_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_log2, written into a given tensor: Logarithm to base 2.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_log2_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Logarithm to base 10.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log10(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_log10, written into its first argument: Logarithm to base 10.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_log10_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_log10, written into a given tensor: Logarithm to base 10.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_log10_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief log(1 + input), accurate near 0.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log1p(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_log1p, written into its first argument: log(1 + input), accurate near 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_log1p_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_log1p, written into a given tensor: log(1 + input), accurate near 0.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_log1p_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Square root; NaN below 0.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sqrt(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sqrt, written into its first argument: Square root; NaN below 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sqrt_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_sqrt, written into a given tensor: Square root; NaN below 0.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sqrt_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief 1 / sqrt(input).
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rsqrt(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_rsqrt, written into its first argument: 1 / sqrt(input).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_rsqrt_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_rsqrt, written into a given tensor: 1 / sqrt(input).
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_rsqrt_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * input.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_square(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_square, written into its first argument: input * input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_square_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_square, written into a given tensor: input * input.
 * @param[in]     input  tensor, any dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_square_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief 1 / input.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_reciprocal(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_reciprocal, written into its first argument: 1 / input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_reciprocal_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_reciprocal, written into a given tensor: 1 / input.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_reciprocal_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Sine of input in radians.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sin(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sin, written into its first argument: Sine of input in radians.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sin_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_sin, written into a given tensor: Sine of input in radians.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sin_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Cosine of input in radians.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cos(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_cos, written into its first argument: Cosine of input in radians.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_cos_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_cos, written into a given tensor: Cosine of input in radians.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_cos_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Tangent of input in radians.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tan(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_tan, written into its first argument: Tangent of input in radians.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_tan_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_tan, written into a given tensor: Tangent of input in radians.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_tan_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Arc sine in radians; NaN outside [-1, 1].
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_asin(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_asin, written into its first argument: Arc sine in radians; NaN outside [-1, 1].
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_asin_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_asin, written into a given tensor: Arc sine in radians; NaN outside [-1, 1].
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_asin_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Arc cosine in radians; NaN outside [-1, 1].
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_acos(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_acos, written into its first argument: Arc cosine in radians; NaN outside [-1, 1].
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_acos_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_acos, written into a given tensor: Arc cosine in radians; NaN outside [-1, 1].
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_acos_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Arc tangent in radians.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_atan(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_atan, written into its first argument: Arc tangent in radians.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_atan_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_atan, written into a given tensor: Arc tangent in radians.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_atan_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Hyperbolic sine.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sinh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sinh, written into its first argument: Hyperbolic sine.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sinh_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_sinh, written into a given tensor: Hyperbolic sine.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sinh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Hyperbolic cosine.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cosh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_cosh, written into its first argument: Hyperbolic cosine.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_cosh_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_cosh, written into a given tensor: Hyperbolic cosine.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_cosh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Hyperbolic tangent.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tanh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_tanh, written into its first argument: Hyperbolic tangent.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_tanh_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_tanh, written into a given tensor: Hyperbolic tangent.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_tanh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Inverse hyperbolic sine.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_asinh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_asinh, written into its first argument: Inverse hyperbolic sine.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_asinh_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_asinh, written into a given tensor: Inverse hyperbolic sine.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_asinh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Inverse hyperbolic cosine; NaN below 1.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_acosh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_acosh, written into its first argument: Inverse hyperbolic cosine; NaN below 1.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_acosh_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_acosh, written into a given tensor: Inverse hyperbolic cosine; NaN below 1.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_acosh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Inverse hyperbolic tangent; NaN outside [-1, 1].
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_atanh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_atanh, written into its first argument: Inverse hyperbolic tangent; NaN outside [-1, 1].
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_atanh_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_atanh, written into a given tensor: Inverse hyperbolic tangent; NaN outside [-1, 1].
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_atanh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Error function.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_erf(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_erf, written into its first argument: Error function.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_erf_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_erf, written into a given tensor: Error function.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_erf_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Complementary error function 1 - erf(input), accurate where it is small.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_erfc(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_erfc, written into its first argument: Complementary error function 1 - erf(input), accurate
 *   where it is small.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_erfc_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_erfc, written into a given tensor: Complementary error function 1 - erf(input), accurate where
 *   it is small.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_erfc_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Inverse of erf; +-infinity at +-1, NaN outside.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_erfinv(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_erfinv, written into its first argument: Inverse of erf; +-infinity at +-1, NaN outside.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_erfinv_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_erfinv, written into a given tensor: Inverse of erf; +-infinity at +-1, NaN outside.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_erfinv_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lgamma(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_lgamma, written into its first argument: Logarithm of |Gamma(input)|; infinite at 0, -1, -2,
 *   ...
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_lgamma_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_lgamma, written into a given tensor: Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_lgamma_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Derivative of lgamma; NaN at -1, -2, ...
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_digamma(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_digamma, written into its first argument: Derivative of lgamma; NaN at -1, -2, ...
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_digamma_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_digamma, written into a given tensor: Derivative of lgamma; NaN at -1, -2, ...
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_digamma_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief n-th derivative of digamma; n >= 0.
 * @param[in]  n      integer
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_polygamma(int64_t n, const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Modified Bessel function of the first kind, order 0.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_i0(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_i0, written into its first argument: Modified Bessel function of the first kind, order 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_i0_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_i0, written into a given tensor: Modified Bessel function of the first kind, order 0.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_i0_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Modified Bessel function of the first kind, order 1.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_i1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_i1, written into a given tensor: Modified Bessel function of the first kind, order 1.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_i1_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief 1 / (1 + exp(-input)).
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sigmoid(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sigmoid, written into its first argument: 1 / (1 + exp(-input)).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sigmoid_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_sigmoid, written into a given tensor: 1 / (1 + exp(-input)).
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Largest integer not above input.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_floor(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_floor, written into its first argument: Largest integer not above input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_floor, written into a given tensor: Largest integer not above input.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Smallest integer not below input.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ceil(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_ceil, written into its first argument: Smallest integer not below input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_ceil_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_ceil, written into a given tensor: Smallest integer not below input.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_ceil_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Nearest integer, halves to even.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_round(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_round, written into its first argument: Nearest integer, halves to even.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_round_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_round, written into a given tensor: Nearest integer, halves to even.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_round_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Integer part, towards 0.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_trunc(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_trunc, written into its first argument: Integer part, towards 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_trunc_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_trunc, written into a given tensor: Integer part, towards 0.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_trunc_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief True where input is NaN.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isnan(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where input is an infinity.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isinf(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where input is neither infinite nor NaN.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isfinite(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where input is 0.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logical_not(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Bitwise complement; logical not for bool.
 * @param[in]  input  tensor, integer or bool; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_not(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_not, written into its first argument: Bitwise complement; logical not for bool.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_not_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_not, written into a given tensor: Bitwise complement; logical not for bool.
 * @param[in]     input  tensor, integer or bool; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_not_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/* ---- Pointwise: binary --------------------------------------------------------------------------------- */

/**
 * @brief input + other; logical or for bool.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_add(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_add, written into its first argument: input + other; logical or for bool.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_add_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_add, written into a given tensor: input + other; logical or for bool.
 * @param[in]     input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_add_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input - other; bool is refused.
 * @param[in]  input  tensor, any dtype but bool; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype but bool; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sub(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sub, written into its first argument: input - other; bool is refused.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any dtype but bool; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sub_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_sub, written into a given tensor: input - other; bool is refused.
 * @param[in]     input  tensor, any dtype but bool; broadcasts and promotes with the others
 * @param[in]     other  tensor, any dtype but bool; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sub_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * other; logical and for bool.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mul(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_mul, written into its first argument: input * other; logical and for bool.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_mul_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_mul, written into a given tensor: input * other; logical and for bool.
 * @param[in]     input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_mul_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input / other, true division.
 * @param[in]  input  tensor, any dtype, integers count as the default float; broadcasts and promotes with the
 *     others
 * @param[in]  other  tensor, any dtype, integers count as the default float; broadcasts and promotes with the
 *     others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_div(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_div, written into its first argument: input / other, true division.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_div_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_div, written into a given tensor: input / other, true division.
 * @param[in]     input  tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]     other  tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_div_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input to the power exponent.
 * @param[in]  input     tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  exponent  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out       a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pow(const haft_tensor* input, const haft_tensor* exponent,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_pow, written into its first argument: input to the power exponent.
 * @param[in,out] input     tensor; receives the result in its own shape and dtype
 * @param[in]     exponent  tensor, any dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_pow_(haft_tensor* input, const haft_tensor* exponent) HAFT_NOTHROW;

/**
 * @brief haft_pow, written into a given tensor: input to the power exponent.
 * @param[in]     input     tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     exponent  tensor, any dtype; broadcasts and promotes with the others
 * @param[in,out] out       tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_pow_out(const haft_tensor* input, const haft_tensor* exponent,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief The larger of input and other; NaN if either is. At ties the gradient is shared equally.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_maximum(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_maximum, written into its first argument: The larger of input and other; NaN if either is. At
 *   ties the gradient is shared equally.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_maximum_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_maximum, written into a given tensor: The larger of input and other; NaN if either is. At ties
 *   the gradient is shared equally.
 * @param[in]     input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_maximum_out(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief The smaller of input and other; NaN if either is. At ties the gradient is shared equally.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_minimum(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_minimum, written into its first argument: The smaller of input and other; NaN if either is. At
 *   ties the gradient is shared equally.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_minimum_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_minimum, written into a given tensor: The smaller of input and other; NaN if either is. At ties
 *   the gradient is shared equally.
 * @param[in]     input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_minimum_out(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fmod(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_fmod, written into its first argument: Remainder of input / other with the sign of input (C's
 *   fmod); integer division by 0 gives 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_fmod_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_fmod, written into a given tensor: Remainder of input / other with the sign of input (C's
 *   fmod); integer division by 0 gives 0.
 * @param[in]     input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_fmod_out(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_remainder(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_remainder, written into its first argument: Remainder of input / other with the sign of other
 *   (Python's %); integer division by 0 gives 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_remainder_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_remainder, written into a given tensor: Remainder of input / other with the sign of other
 *   (Python's %); integer division by 0 gives 0.
 * @param[in]     input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_remainder_out(const haft_tensor* input, const haft_tensor* other,
                                        haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief The whole number q for which input is q * other + remainder(input, other); integer division by 0
 *   gives 0.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_divide(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_floor_divide, written into its first argument: The whole number q for which input is q * other
 *   + remainder(input, other); integer division by 0 gives 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_divide_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_floor_divide, written into a given tensor: The whole number q for which input is q * other +
 *   remainder(input, other); integer division by 0 gives 0.
 * @param[in]     input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]     other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_divide_out(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Angle of the point (other, input) in radians.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]  other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_atan2(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_atan2, written into its first argument: Angle of the point (other, input) in radians.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_atan2_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_atan2, written into a given tensor: Angle of the point (other, input) in radians.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_atan2_out(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief sqrt(input^2 + other^2) without overflow in between.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]  other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hypot(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_hypot, written into its first argument: sqrt(input^2 + other^2) without overflow in between.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_hypot_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_hypot, written into a given tensor: sqrt(input^2 + other^2) without overflow in between.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_hypot_out(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief |input| with the sign of other, that of zeros included.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]  other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_copysign(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_copysign, written into its first argument: |input| with the sign of other, that of zeros
 *   included.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_copysign_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_copysign, written into a given tensor: |input| with the sign of other, that of zeros included.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_copysign_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief log(exp(input) + exp(other)), without overflow.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]  other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logaddexp(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_logaddexp, written into a given tensor: log(exp(input) + exp(other)), without overflow.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_logaddexp_out(const haft_tensor* input, const haft_tensor* other,
                                        haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief log2(2^input + 2^other), without overflow.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]  other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logaddexp2(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_logaddexp2, written into a given tensor: log2(2^input + 2^other), without overflow.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_logaddexp2_out(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * log(other), and 0 where input is 0 unless other is NaN.
 * @param[in]  input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]  other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[out] out    a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_xlogy(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_xlogy, written into its first argument: input * log(other), and 0 where input is 0 unless other
 *   is NaN.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_xlogy_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_xlogy, written into a given tensor: input * log(other), and 0 where input is 0 unless other is
 *   NaN.
 * @param[in]     input  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     other  tensor, any real dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_xlogy_out(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input == other.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_eq(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input != other.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ne(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input < other.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lt(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input <= other.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_le(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input > other.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gt(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input >= other.
 * @param[in]  input  tensor, any real dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any real dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ge(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input != 0 and other != 0.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logical_and(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input != 0 or other != 0.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logical_or(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Exactly one of input and other is not 0.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other  tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logical_xor(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Bitwise and; logical for bool.
 * @param[in]  input  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer or bool; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_and(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_and, written into its first argument: Bitwise and; logical for bool.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer or bool; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_and_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_and, written into a given tensor: Bitwise and; logical for bool.
 * @param[in]     input  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_and_out(const haft_tensor* input, const haft_tensor* other,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Bitwise or; logical for bool.
 * @param[in]  input  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer or bool; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_or(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_or, written into its first argument: Bitwise or; logical for bool.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer or bool; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_or_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_or, written into a given tensor: Bitwise or; logical for bool.
 * @param[in]     input  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_or_out(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Bitwise exclusive or; logical for bool.
 * @param[in]  input  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer or bool; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_xor(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_xor, written into its first argument: Bitwise exclusive or; logical for bool.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer or bool; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_xor_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_xor, written into a given tensor: Bitwise exclusive or; logical for bool.
 * @param[in]     input  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer or bool; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_xor_out(const haft_tensor* input, const haft_tensor* other,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * 2^other in the bits of the type; 0 where other is negative or no bit is left.
 * @param[in]  input  tensor, integer; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_left_shift(const haft_tensor* input, const haft_tensor* other,
                                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_left_shift, written into its first argument: input * 2^other in the bits of the type; 0
 *   where other is negative or no bit is left.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_left_shift_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_left_shift, written into a given tensor: input * 2^other in the bits of the type; 0
 *   where other is negative or no bit is left.
 * @param[in]     input  tensor, integer; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_left_shift_out(const haft_tensor* input, const haft_tensor* other,
                                                 haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief floor(input / 2^other); the sign's bits where other is negative or no bit is left.
 * @param[in]  input  tensor, integer; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_right_shift(const haft_tensor* input, const haft_tensor* other,
                                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_right_shift, written into its first argument: floor(input / 2^other); the sign's bits
 *   where other is negative or no bit is left.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_right_shift_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_bitwise_right_shift, written into a given tensor: floor(input / 2^other); the sign's bits where
 *   other is negative or no bit is left.
 * @param[in]     input  tensor, integer; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bitwise_right_shift_out(const haft_tensor* input, const haft_tensor* other,
                                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Greatest common divisor, not negative; gcd(0, 0) is 0.
 * @param[in]  input  tensor, integer; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gcd(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_gcd, written into its first argument: Greatest common divisor, not negative; gcd(0, 0) is 0.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_gcd_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_gcd, written into a given tensor: Greatest common divisor, not negative; gcd(0, 0) is 0.
 * @param[in]     input  tensor, integer; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_gcd_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Least common multiple, not negative; 0 where one of both is.
 * @param[in]  input  tensor, integer; broadcasts and promotes with the others
 * @param[in]  other  tensor, integer; broadcasts and promotes with the others
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lcm(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_lcm, written into its first argument: Least common multiple, not negative; 0 where one of both
 *   is.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_lcm_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW;

/**
 * @brief haft_lcm, written into a given tensor: Least common multiple, not negative; 0 where one of both is.
 * @param[in]     input  tensor, integer; broadcasts and promotes with the others
 * @param[in]     other  tensor, integer; broadcasts and promotes with the others
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_lcm_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW;

/* ---- Pointwise: with a scalar -------------------------------------------------------------------------- */

/**
 * @brief input + other.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_add_scalar(const haft_tensor* input, haft_scalar other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_add_scalar, written into its first argument: input + other.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_add_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_add_scalar, written into a given tensor: input + other.
 * @param[in]     input  tensor, any dtype; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_add_scalar_out(const haft_tensor* input, haft_scalar other,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input - other; bool is refused.
 * @param[in]  input  tensor, any dtype but bool; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sub_scalar(const haft_tensor* input, haft_scalar other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sub_scalar, written into its first argument: input - other; bool is refused.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_sub_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_sub_scalar, written into a given tensor: input - other; bool is refused.
 * @param[in]     input  tensor, any dtype but bool; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sub_scalar_out(const haft_tensor* input, haft_scalar other,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief other - input; bool is refused.
 * @param[in]  input  tensor, any dtype but bool; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rsub_scalar(const haft_tensor* input, haft_scalar other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_rsub_scalar, written into a given tensor: other - input; bool is refused.
 * @param[in]     input  tensor, any dtype but bool; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_rsub_scalar_out(const haft_tensor* input, haft_scalar other,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * other.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mul_scalar(const haft_tensor* input, haft_scalar other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_mul_scalar, written into its first argument: input * other.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_mul_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_mul_scalar, written into a given tensor: input * other.
 * @param[in]     input  tensor, any dtype; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_mul_scalar_out(const haft_tensor* input, haft_scalar other,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input / other, true division.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_div_scalar(const haft_tensor* input, haft_scalar other,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_div_scalar, written into its first argument: input / other, true division.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_div_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_div_scalar, written into a given tensor: input / other, true division.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_div_scalar_out(const haft_tensor* input, haft_scalar other,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief other / input, true division.
 * @param[in]  input  tensor, any dtype, integers count as the default float; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rdiv_scalar(const haft_tensor* input, haft_scalar other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_rdiv_scalar, written into a given tensor: other / input, true division.
 * @param[in]     input  tensor, any dtype, integers count as the default float; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_rdiv_scalar_out(const haft_tensor* input, haft_scalar other,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input to the power exponent.
 * @param[in]  input     tensor, any dtype; any shape
 * @param[in]  exponent  number; only its kind takes part in promotion
 * @param[out] out       a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pow_scalar(const haft_tensor* input, haft_scalar exponent,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_pow_scalar, written into its first argument: input to the power exponent.
 * @param[in,out] input     tensor; receives the result in its own shape and dtype
 * @param[in]     exponent  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_pow_scalar_(haft_tensor* input, haft_scalar exponent) HAFT_NOTHROW;

/**
 * @brief haft_pow_scalar, written into a given tensor: input to the power exponent.
 * @param[in]     input     tensor, any dtype; any shape
 * @param[in]     exponent  number; only its kind takes part in promotion
 * @param[in,out] out       tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_pow_scalar_out(const haft_tensor* input, haft_scalar exponent,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief other to the power input.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rpow_scalar(const haft_tensor* input, haft_scalar other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_rpow_scalar, written into a given tensor: other to the power input.
 * @param[in]     input  tensor, any dtype; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_rpow_scalar_out(const haft_tensor* input, haft_scalar other,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Remainder of input / other with the sign of input.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fmod_scalar(const haft_tensor* input, haft_scalar other,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_fmod_scalar, written into its first argument: Remainder of input / other with the sign of
 *   input.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_fmod_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_fmod_scalar, written into a given tensor: Remainder of input / other with the sign of input.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_fmod_scalar_out(const haft_tensor* input, haft_scalar other,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Remainder of input / other with the sign of other.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_remainder_scalar(const haft_tensor* input, haft_scalar other,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_remainder_scalar, written into its first argument: Remainder of input / other with the sign of
 *   other.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_remainder_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_remainder_scalar, written into a given tensor: Remainder of input / other with the sign of
 *   other.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_remainder_scalar_out(const haft_tensor* input, haft_scalar other,
                                               haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief The whole number q for which input is q * other + remainder(input, other).
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_divide_scalar(const haft_tensor* input, haft_scalar other,
                                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_floor_divide_scalar, written into its first argument: The whole number q for which input is q *
 *   other + remainder(input, other).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     other  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_divide_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW;

/**
 * @brief haft_floor_divide_scalar, written into a given tensor: The whole number q for which input is q *
 *   other + remainder(input, other).
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in]     other  number; only its kind takes part in promotion
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_floor_divide_scalar_out(const haft_tensor* input, haft_scalar other,
                                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input == other.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_eq_scalar(const haft_tensor* input, haft_scalar other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input != other.
 * @param[in]  input  tensor, any dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ne_scalar(const haft_tensor* input, haft_scalar other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input < other.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lt_scalar(const haft_tensor* input, haft_scalar other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input <= other.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_le_scalar(const haft_tensor* input, haft_scalar other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input > other.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gt_scalar(const haft_tensor* input, haft_scalar other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input >= other.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  other  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of that shape, bool; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ge_scalar(const haft_tensor* input, haft_scalar other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[in]  min    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  max    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_clamp(const haft_tensor* input, haft_scalar min, haft_scalar max,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_clamp, written into its first argument: input limited to [min, max]; an absent bound (kind
 *   none) does not limit. NaN stays NaN.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     min    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]     max    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_clamp_(haft_tensor* input, haft_scalar min, haft_scalar max) HAFT_NOTHROW;

/**
 * @brief haft_clamp, written into a given tensor: input limited to [min, max]; an absent bound (kind none)
 *   does not limit. NaN stays NaN.
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in]     min    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]     max    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_clamp_out(const haft_tensor* input, haft_scalar min, haft_scalar max,
                                    haft_tensor* out) HAFT_NOTHROW;

/* ---- Pointwise: ternary and masks ---------------------------------------------------------------------- */

/**
 * @brief input where condition is true, other elsewhere.
 * @param[in]  condition  tensor, bool; broadcasts
 * @param[in]  input      tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  other      tensor, any dtype; broadcasts and promotes with the others
 * @param[out] out        a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_where(const haft_tensor* condition, const haft_tensor* input,
                                const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_where, written into a given tensor: input where condition is true, other elsewhere.
 * @param[in]     condition  tensor, bool; broadcasts
 * @param[in]     input      tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     other      tensor, any dtype; broadcasts and promotes with the others
 * @param[in,out] out        tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_where_out(const haft_tensor* condition, const haft_tensor* input,
                                    const haft_tensor* other, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief value where mask is true, input elsewhere; the result has input's dtype.
 * @param[in]  input  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  mask   tensor, bool; broadcasts
 * @param[in]  value  number; only its kind takes part in promotion
 * @param[out] out    a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_masked_fill(const haft_tensor* input, const haft_tensor* mask, haft_scalar value,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_masked_fill, written into its first argument: value where mask is true, input elsewhere; the
 *   result has input's dtype.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     mask   tensor, bool; broadcasts
 * @param[in]     value  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_masked_fill_(haft_tensor* input, const haft_tensor* mask,
                                       haft_scalar value) HAFT_NOTHROW;

/**
 * @brief input + value * tensor1 * tensor2.
 * @param[in]  input    tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  tensor1  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  tensor2  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]  value    number; only its kind takes part in promotion (usually 1)
 * @param[out] out      a new tensor of the broadcast shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_addcmul(const haft_tensor* input, const haft_tensor* tensor1,
                                  const haft_tensor* tensor2, haft_scalar value,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_addcmul, written into its first argument: input + value * tensor1 * tensor2.
 * @param[in,out] input    tensor; receives the result in its own shape and dtype
 * @param[in]     tensor1  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     tensor2  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     value    number; only its kind takes part in promotion (usually 1)
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_addcmul_(haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                                   haft_scalar value) HAFT_NOTHROW;

/**
 * @brief haft_addcmul, written into a given tensor: input + value * tensor1 * tensor2.
 * @param[in]     input    tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     tensor1  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     tensor2  tensor, any dtype; broadcasts and promotes with the others
 * @param[in]     value    number; only its kind takes part in promotion (usually 1)
 * @param[in,out] out      tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_addcmul_out(const haft_tensor* input, const haft_tensor* tensor1,
                                      const haft_tensor* tensor2, haft_scalar value,
                                      haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input + value * tensor1 / tensor2.
 * @param[in]  input    tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]  tensor1  tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]  tensor2  tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]  value    number; only its kind takes part in promotion (usually 1)
 * @param[out] out      a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_addcdiv(const haft_tensor* input, const haft_tensor* tensor1,
                                  const haft_tensor* tensor2, haft_scalar value,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_addcdiv, written into its first argument: input + value * tensor1 / tensor2.
 * @param[in,out] input    tensor; receives the result in its own shape and dtype
 * @param[in]     tensor1  tensor, any dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     tensor2  tensor, any dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     value    number; only its kind takes part in promotion (usually 1)
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_addcdiv_(haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                                   haft_scalar value) HAFT_NOTHROW;

/**
 * @brief haft_addcdiv, written into a given tensor: input + value * tensor1 / tensor2.
 * @param[in]     input    tensor, any dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     tensor1  tensor, any dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     tensor2  tensor, any dtype, integers count as the default float; broadcasts and promotes
 *     with the others
 * @param[in]     value    number; only its kind takes part in promotion (usually 1)
 * @param[in,out] out      tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_addcdiv_out(const haft_tensor* input, const haft_tensor* tensor1,
                                      const haft_tensor* tensor2, haft_scalar value,
                                      haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input + weight * (end - input).
 * @param[in]  input   tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]  end     tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]  weight  number; only its kind takes part in promotion
 * @param[out] out     a new tensor of the broadcast shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lerp(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_lerp, written into its first argument: input + weight * (end - input).
 * @param[in,out] input   tensor; receives the result in its own shape and dtype
 * @param[in]     end     tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]     weight  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_lerp_(haft_tensor* input, const haft_tensor* end, haft_scalar weight) HAFT_NOTHROW;

/**
 * @brief haft_lerp, written into a given tensor: input + weight * (end - input).
 * @param[in]     input   tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]     end     tensor, any dtype, integers count as the default float; broadcasts and promotes with
 *     the others
 * @param[in]     weight  number; only its kind takes part in promotion
 * @param[in,out] out     tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_lerp_out(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                                   haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input above 0, weight * input below; weight has one element, or one for each channel (dimension 1).
 * @param[in]  input   tensor, any real dtype
 * @param[in]  weight  tensor, any real dtype
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_prelu(const haft_tensor* input, const haft_tensor* weight,
                                haft_tensor** out) HAFT_NOTHROW;

/* ---- Arithmetic: of one or two elements ---------------------------------------------------------------- */

/**
 * @brief input - trunc(input).
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_frac(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where the sign bit is set, that of -0.0 too.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_signbit(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief log(input / (1 - input)); input is limited to [eps, 1 - eps] first.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  eps    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logit(const haft_tensor* input, haft_scalar eps, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Degrees in radians.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_deg2rad(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Radians in degrees.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rad2deg(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief sin(pi input) / (pi input); 1 at 0.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sinc(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief NaN and infinities replaced by numbers; absent: 0, the largest and the smallest number of the type.
 * @param[in]  input   tensor, any real dtype
 * @param[in]  nan     number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  posinf  number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  neginf  number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nan_to_num(const haft_tensor* input, haft_scalar nan, haft_scalar posinf,
                                     haft_scalar neginf, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where input is +infinity.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isposinf(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where input is -infinity.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isneginf(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief 0 below 0, values at 0, 1 above.
 * @param[in]  input   tensor, any real dtype
 * @param[in]  values  tensor, of the dtype of input
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_heaviside(const haft_tensor* input, const haft_tensor* values,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The larger of both; NaN only where both are.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fmax(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The smaller of both; NaN only where both are.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fmin(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input * 2^other.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ldexp(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where |input - other| <= atol + rtol * |other|.
 * @param[in]  input      tensor, any dtype
 * @param[in]  other      tensor, any dtype
 * @param[in]  rtol       number (usually 1e-5)
 * @param[in]  atol       number (usually 1e-8)
 * @param[in]  equal_nan  0 or 1: whether so (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isclose(const haft_tensor* input, const haft_tensor* other, double rtol,
                                  double atol, int32_t equal_nan, haft_tensor** out) HAFT_NOTHROW;

/* ---- Special ------------------------------------------------------------------------------------------- */

/**
 * @brief The standard normal distribution's probability below input: erfc(-input / sqrt(2)) / 2.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ndtr(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief log(ndtr(input)), accurate far below 0, too.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log_ndtr(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of ndtr; -+infinity at 0 and 1, NaN outside.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ndtri(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp(input^2) * erfc(input), which does not underflow.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_erfcx(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief -input * log(input); 0 at 0, -infinity below.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_entr(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input * log(1 + other), and 0 where input is 0 unless other is NaN.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_xlog1py(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp(-|input|) * i0(input), which does not overflow.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_i0e(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp(-|input|) * i1(input), which does not overflow.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_i1e(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Bessel function of the first kind, order 0.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bessel_j0(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Bessel function of the first kind, order 1.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bessel_j1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Bessel function of the second kind, order 0; -infinity at 0, NaN below.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bessel_y0(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Bessel function of the second kind, order 1; -infinity at 0, NaN below.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bessel_y1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Modified Bessel function of the second kind, order 0; infinity at 0, NaN below.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_modified_bessel_k0(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Modified Bessel function of the second kind, order 1; infinity at 0, NaN below.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_modified_bessel_k1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp(input) * modified_bessel_k0(input), which does not underflow.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scaled_modified_bessel_k0(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp(input) * modified_bessel_k1(input), which does not underflow.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scaled_modified_bessel_k1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Regularised lower incomplete gamma function P(input, other): the integral of t^(input - 1) exp(-t)
 *   from 0 to other over Gamma(input); NaN for negative arguments. The derivative in input is of the first
 *   order.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_igamma(const haft_tensor* input, const haft_tensor* other,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Regularised upper incomplete gamma function Q(input, other) = 1 - igamma(input, other), accurate
 *   where it is small.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_igammac(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Logarithm of the multivariate gamma function of dimension p: the sum of lgamma(input - i / 2) over i
 *   = 0, ..., p - 1, and p (p - 1) / 4 log(pi).
 * @param[in]  input  tensor, any real dtype
 * @param[in]  p      integer
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mvlgamma(const haft_tensor* input, int64_t p, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input as mantissa * 2^exponent, the mantissa's size in [0.5, 1) or 0, the exponent int32; infinities
 *   and NaN have exponent 0.
 * @param[in]  input     tensor, any real dtype
 * @param[out] mantissa  the result; the caller releases it
 * @param[out] exponent  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_frexp(const haft_tensor* input, haft_tensor** mantissa,
                                haft_tensor** exponent) HAFT_NOTHROW;

/**
 * @brief The next number after input towards other, in their floating dtype.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  other  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nextafter(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_NOTHROW;

/* ---- Forms --------------------------------------------------------------------------------------------- */

/**
 * @brief input limited to [min, max], bounds that broadcast; an absent one does not limit. NaN wins, and max
 *   over min.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  min    tensor, or NULL when absent
 * @param[in]  max    tensor, or NULL when absent
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_clamp_tensor(const haft_tensor* input, const haft_tensor* min,
                                       const haft_tensor* max, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input + weight * (end - input) with a weight for each element.
 * @param[in]  input   tensor, any real dtype
 * @param[in]  end     tensor, any real dtype
 * @param[in]  weight  tensor, any real dtype
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lerp_tensor(const haft_tensor* input, const haft_tensor* end,
                                      const haft_tensor* weight, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input / other rounded down (rounding_mode 1: floor) or towards 0 (2: trunc); integers stay integers,
 *   and by 0 give 0.
 * @param[in]  input          tensor, any real dtype
 * @param[in]  other          tensor, any real dtype
 * @param[in]  rounding_mode  integer
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_div_rounded(const haft_tensor* input, const haft_tensor* other,
                                      int64_t rounding_mode, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief One bool: whether isclose is true everywhere.
 * @param[in]  input      tensor, any dtype
 * @param[in]  other      tensor, any dtype
 * @param[in]  rtol       number (usually 1e-5)
 * @param[in]  atol       number (usually 1e-8)
 * @param[in]  equal_nan  0 or 1: whether so (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_allclose(const haft_tensor* input, const haft_tensor* other, double rtol,
                                   double atol, int32_t equal_nan, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief One bool: whether both have the same sizes and elements.
 * @param[in]  input  tensor, any dtype
 * @param[in]  other  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_equal(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor** out) HAFT_NOTHROW;

/* ---- Activations --------------------------------------------------------------------------------------- */

/**
 * @brief max(input, 0).
 * @param[in]  input  tensor, any real dtype; any shape
 * @param[out] out    a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_relu(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_relu, written into its first argument: max(input, 0).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_relu_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_relu, written into a given tensor: max(input, 0).
 * @param[in]     input  tensor, any real dtype; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_relu_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in]  tanh   0 or 1: whether so (usually 0)
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gelu(const haft_tensor* input, int32_t tanh, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_gelu, written into a given tensor: input * Phi(input), or its tanh approximation (Hendrycks and
 *   Gimpel, arXiv:1606.08415).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in]     tanh   0 or 1: whether so (usually 0)
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_gelu_out(const haft_tensor* input, int32_t tanh, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * sigmoid(input).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_silu(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_silu, written into its first argument: input * sigmoid(input).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_silu_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_silu, written into a given tensor: input * sigmoid(input).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_silu_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * tanh(softplus(input)) (Misra, arXiv:1908.08681).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mish(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_mish, written into its first argument: input * tanh(softplus(input)) (Misra, arXiv:1908.08681).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_mish_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_mish, written into a given tensor: input * tanh(softplus(input)) (Misra, arXiv:1908.08681).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_mish_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold.
 * @param[in]  input      tensor, any real dtype, integers count as the default float; any shape
 * @param[in]  beta       number (usually 1)
 * @param[in]  threshold  number (usually 20)
 * @param[out] out        a new tensor of that shape, in the default float for integers; the caller releases
 *     it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softplus(const haft_tensor* input, double beta, double threshold,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_softplus, written into a given tensor: log(1 + exp(beta * input)) / beta; input itself where
 *   beta * input > threshold.
 * @param[in]     input      tensor, any real dtype, integers count as the default float; any shape
 * @param[in]     beta       number (usually 1)
 * @param[in]     threshold  number (usually 20)
 * @param[in,out] out        tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_softplus_out(const haft_tensor* input, double beta, double threshold,
                                       haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in]  alpha  number (usually 1)
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_elu(const haft_tensor* input, double alpha, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_elu, written into its first argument: input above 0, alpha * (exp(input) - 1) below (Clevert et
 *   al., arXiv:1511.07289).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     alpha  number (usually 1)
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_elu_(haft_tensor* input, double alpha) HAFT_NOTHROW;

/**
 * @brief haft_elu, written into a given tensor: input above 0, alpha * (exp(input) - 1) below (Clevert et
 *   al., arXiv:1511.07289).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in]     alpha  number (usually 1)
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_elu_out(const haft_tensor* input, double alpha, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input above 0, negative_slope * input below.
 * @param[in]  input           tensor, any real dtype, integers count as the default float; any shape
 * @param[in]  negative_slope  number (usually 0.01)
 * @param[out] out             a new tensor of that shape, in the default float for integers; the caller
 *     releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_leaky_relu(const haft_tensor* input, double negative_slope,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_leaky_relu, written into its first argument: input above 0, negative_slope * input below.
 * @param[in,out] input           tensor; receives the result in its own shape and dtype
 * @param[in]     negative_slope  number (usually 0.01)
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_leaky_relu_(haft_tensor* input, double negative_slope) HAFT_NOTHROW;

/**
 * @brief haft_leaky_relu, written into a given tensor: input above 0, negative_slope * input below.
 * @param[in]     input           tensor, any real dtype, integers count as the default float; any shape
 * @param[in]     negative_slope  number (usually 0.01)
 * @param[in,out] out             tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_leaky_relu_out(const haft_tensor* input, double negative_slope,
                                         haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input limited to [min_val, max_val].
 * @param[in]  input    tensor, any real dtype; any shape
 * @param[in]  min_val  number (usually -1)
 * @param[in]  max_val  number (usually 1)
 * @param[out] out      a new tensor of that shape, in the promoted dtype; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardtanh(const haft_tensor* input, double min_val, double max_val,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_hardtanh, written into its first argument: input limited to [min_val, max_val].
 * @param[in,out] input    tensor; receives the result in its own shape and dtype
 * @param[in]     min_val  number (usually -1)
 * @param[in]     max_val  number (usually 1)
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_hardtanh_(haft_tensor* input, double min_val, double max_val) HAFT_NOTHROW;

/**
 * @brief haft_hardtanh, written into a given tensor: input limited to [min_val, max_val].
 * @param[in]     input    tensor, any real dtype; any shape
 * @param[in]     min_val  number (usually -1)
 * @param[in]     max_val  number (usually 1)
 * @param[in,out] out      tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_hardtanh_out(const haft_tensor* input, double min_val, double max_val,
                                       haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief clamp(input / 6 + 1/2, 0, 1).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardsigmoid(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_hardsigmoid, written into its first argument: clamp(input / 6 + 1/2, 0, 1).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_hardsigmoid_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_hardsigmoid, written into a given tensor: clamp(input / 6 + 1/2, 0, 1).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_hardsigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief input * hardsigmoid(input) (Howard et al., arXiv:1905.02244).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardswish(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_hardswish, written into its first argument: input * hardsigmoid(input) (Howard et al.,
 *   arXiv:1905.02244).
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_hardswish_(haft_tensor* input) HAFT_NOTHROW;

/**
 * @brief haft_hardswish, written into a given tensor: input * hardsigmoid(input) (Howard et al.,
 *   arXiv:1905.02244).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_hardswish_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief log(sigmoid(input)).
 * @param[in]  input  tensor, any real dtype, integers count as the default float; any shape
 * @param[out] out    a new tensor of that shape, in the default float for integers; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logsigmoid(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_logsigmoid, written into a given tensor: log(sigmoid(input)).
 * @param[in]     input  tensor, any real dtype, integers count as the default float; any shape
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_logsigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief elu scaled so that mean 0 and variance 1 are kept (Klambauer et al., arXiv:1706.02515).
 * @param[in]  input  tensor, floating
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_selu(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief max(0, input) + min(0, alpha * (exp(input / alpha) - 1)) (Barron, arXiv:1704.07483).
 * @param[in]  input  tensor, floating
 * @param[in]  alpha  number (usually 1)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_celu(const haft_tensor* input, double alpha, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input / (1 + |input|).
 * @param[in]  input  tensor, floating
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softsign(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input - tanh(input).
 * @param[in]  input  tensor, floating
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tanhshrink(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input where |input| > lambd, 0 elsewhere; NaN stays.
 * @param[in]  input  tensor, floating
 * @param[in]  lambd  number (usually 0.5)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardshrink(const haft_tensor* input, double lambd, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input moved by lambd towards 0; 0 where it would pass it.
 * @param[in]  input  tensor, floating
 * @param[in]  lambd  number (usually 0.5)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softshrink(const haft_tensor* input, double lambd, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input above threshold, value elsewhere; NaN stays.
 * @param[in]  input      tensor, floating
 * @param[in]  threshold  number
 * @param[in]  value      number
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_threshold(const haft_tensor* input, double threshold, double value,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The first half along dim times the sigmoid of the second (Dauphin et al., arXiv:1612.08083).
 * @param[in]  input  tensor, floating
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_glu(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/* ---- Creation ------------------------------------------------------------------------------------------ */

/**
 * @brief A tensor filled with fill_value; dtype by its kind (bool, int64, default float).
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[in]  fill_value  number; only its kind takes part in promotion
 * @param[in]  dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out         a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_full(const int64_t* size, int64_t size_count, haft_scalar fill_value,
                               haft_dtype dtype, haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A tensor with undefined content.
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[in]  dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_empty(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A tensor of zeros; default float unless dtype says otherwise.
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[in]  dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_zeros(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A tensor of ones; default float unless dtype says otherwise.
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[in]  dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ones(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief start, start + step, ... below end; int64 when all three are integers.
 * @param[in]  start   number; only its kind takes part in promotion
 * @param[in]  end     number; only its kind takes part in promotion
 * @param[in]  step    number; only its kind takes part in promotion (usually 1)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_arange(haft_scalar start, haft_scalar end, haft_scalar step, haft_dtype dtype,
                                 haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief steps values from start to end, both included.
 * @param[in]  start   number
 * @param[in]  end     number
 * @param[in]  steps   number of values
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linspace(double start, double end, int64_t steps, haft_dtype dtype,
                                   haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief base to the power of linspace(start, end, steps).
 * @param[in]  start   number
 * @param[in]  end     number
 * @param[in]  steps   number of values
 * @param[in]  base    number (usually 10)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logspace(double start, double end, int64_t steps, double base, haft_dtype dtype,
                                   haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief n x m matrix (m -1: n) with ones on the diagonal.
 * @param[in]  n       integer
 * @param[in]  m       integer (usually -1)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_eye(int64_t n, int64_t m, haft_dtype dtype, haft_device device,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Undefined content with the shape, dtype and device of input.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dtype  element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_empty_like(const haft_tensor* input, haft_dtype dtype,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Zeros with the shape, dtype and device of input.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dtype  element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_zeros_like(const haft_tensor* input, haft_dtype dtype,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Ones with the shape, dtype and device of input.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dtype  element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ones_like(const haft_tensor* input, haft_dtype dtype,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief fill_value with the shape, dtype and device of input.
 * @param[in]  input       tensor, any dtype
 * @param[in]  fill_value  number; only its kind takes part in promotion
 * @param[in]  dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_full_like(const haft_tensor* input, haft_scalar fill_value, haft_dtype dtype,
                                    haft_tensor** out) HAFT_NOTHROW;

/* ---- Signal_windows ------------------------------------------------------------------------------------ */

/**
 * @brief A triangle from 0 to 1 and back; periodic: the next period's first element is left out.
 * @param[in]  window_length  integer
 * @param[in]  periodic       0 or 1: whether so (usually 1)
 * @param[in]  dtype          element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device         device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bartlett_window(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                          haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief 0.42 - 0.5 cos(t) + 0.08 cos(2 t) over a turn.
 * @param[in]  window_length  integer
 * @param[in]  periodic       0 or 1: whether so (usually 1)
 * @param[in]  dtype          element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device         device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_blackman_window(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                          haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief alpha - beta cos(t) over a turn.
 * @param[in]  window_length  integer
 * @param[in]  periodic       0 or 1: whether so (usually 1)
 * @param[in]  alpha          number (usually 0.54)
 * @param[in]  beta           number (usually 0.46)
 * @param[in]  dtype          element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device         device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hamming_window(int64_t window_length, int32_t periodic, double alpha, double beta,
                                         haft_dtype dtype, haft_device device,
                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (1 - cos(t)) / 2 over a turn.
 * @param[in]  window_length  integer
 * @param[in]  periodic       0 or 1: whether so (usually 1)
 * @param[in]  dtype          element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device         device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hann_window(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                      haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1 (Kaiser, 1974).
 * @param[in]  window_length  integer
 * @param[in]  periodic       0 or 1: whether so (usually 1)
 * @param[in]  beta           number (usually 12)
 * @param[in]  dtype          element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device         device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_kaiser_window(int64_t window_length, int32_t periodic, double beta,
                                        haft_dtype dtype, haft_device device, haft_tensor** out) HAFT_NOTHROW;

/* ---- Random -------------------------------------------------------------------------------------------- */

/**
 * @brief Uniform numbers in [0, 1).
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_rand(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                               haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Standard normal numbers.
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_randn(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                                haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Integers in [low, high); int64 unless dtype says otherwise.
 * @param[in]     low         integer
 * @param[in]     high        integer
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_randint(int64_t low, int64_t high, const int64_t* size, int64_t size_count,
                                  haft_dtype dtype, haft_device device, haft_generator* generator,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A random permutation of 0..n-1; int64 unless dtype says otherwise.
 * @param[in]     n          integer
 * @param[in]     dtype      element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device     device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_randperm(int64_t n, haft_dtype dtype, haft_device device, haft_generator* generator,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Uniform numbers in [low, high).
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     low         number
 * @param[in]     high        number
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_uniform(const int64_t* size, int64_t size_count, double low, double high,
                                  haft_dtype dtype, haft_device device, haft_generator* generator,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Normal numbers with that mean and standard deviation.
 * @param[in]     mean        number
 * @param[in]     std         number
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_normal(double mean, double std, const int64_t* size, int64_t size_count,
                                 haft_dtype dtype, haft_device device, haft_generator* generator,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Gamma variables of shape parameters input and rate 1 (Marsaglia and Tsang); the gradient is implicit
 *   (Figurnov et al., arXiv:1805.08498), of the first order.
 * @param[in]     input      tensor, floating
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_standard_gamma(const haft_tensor* input, haft_generator* generator,
                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief 1 with the probability that input holds, else 0; dtype of input. The gradient is 0.
 * @param[in]     input      tensor, floating
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_bernoulli(const haft_tensor* input, haft_generator* generator,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief num_samples int64 indices per row of input (1-d or 2-d), drawn by its weights.
 * @param[in]     input        tensor, floating
 * @param[in]     num_samples  integer
 * @param[in]     replacement  0 or 1: whether an index may come twice (usually 0)
 * @param[in,out] generator    generator; NULL for the calling thread's default one
 * @param[out]    out          the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_multinomial(const haft_tensor* input, int64_t num_samples, int32_t replacement,
                                      haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Uniform numbers in [0, 1) with the shape of input.
 * @param[in]     input      tensor, any dtype
 * @param[in]     dtype      element type; HAFT_DTYPE_NONE: inferred
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_rand_like(const haft_tensor* input, haft_dtype dtype, haft_generator* generator,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Standard normal numbers with the shape of input.
 * @param[in]     input      tensor, any dtype
 * @param[in]     dtype      element type; HAFT_DTYPE_NONE: inferred
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_randn_like(const haft_tensor* input, haft_dtype dtype, haft_generator* generator,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Zeroes each element with probability p and scales the rest by 1 / (1 - p); input itself when not
 *   training (Srivastava et al., JMLR 2014).
 * @param[in]     input      tensor, floating
 * @param[in]     p          number (usually 0.5)
 * @param[in]     training   0 or 1: whether this is training (usually 1)
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_dropout(const haft_tensor* input, double p, int32_t training,
                                  haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief dropout of whole channels of (N, C, *): each is zeroed with probability p, the rest scaled by 1 / (1
 *   - p) (Tompson et al., arXiv:1411.4280).
 * @param[in]     input      tensor, floating
 * @param[in]     p          number (usually 0.5)
 * @param[in]     training   0 or 1: whether this is training (usually 1)
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_feature_dropout(const haft_tensor* input, double p, int32_t training,
                                          haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief dropout that keeps mean 0 and variance 1 of what selu gives (Klambauer et al., arXiv:1706.02515).
 * @param[in]     input      tensor, floating
 * @param[in]     p          number (usually 0.5)
 * @param[in]     training   0 or 1: whether this is training (usually 1)
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_alpha_dropout(const haft_tensor* input, double p, int32_t training,
                                        haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief alpha_dropout of whole channels of (N, C, *).
 * @param[in]     input      tensor, floating
 * @param[in]     p          number (usually 0.5)
 * @param[in]     training   0 or 1: whether this is training (usually 1)
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_feature_alpha_dropout(const haft_tensor* input, double p, int32_t training,
                                                haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input above 0; below it times a slope drawn from [lower, upper), or times their mean when not
 *   training (Xu et al., arXiv:1505.00853).
 * @param[in]     input      tensor, floating
 * @param[in]     lower      number (usually 0.125)
 * @param[in]     upper      number (usually 0.3333333333333333)
 * @param[in]     training   0 or 1: whether this is training (usually 1)
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_rrelu(const haft_tensor* input, double lower, double upper, int32_t training,
                                haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A sample of the Gumbel-softmax distribution along dim at temperature tau (Jang et al.,
 *   arXiv:1611.01144); hard: one-hot, with the gradient of the soft sample.
 * @param[in]     logits     tensor, floating
 * @param[in]     tau        number (usually 1)
 * @param[in]     hard       0 or 1: whether so (usually 0)
 * @param[in]     dim        a dimension; negative counts from the end (usually -1)
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_gumbel_softmax(const haft_tensor* logits, double tau, int32_t hard, int64_t dim,
                                         haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Numbers of density lambd * exp(-lambd * x).
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     lambd       number (usually 1)
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_exponential(const int64_t* size, int64_t size_count, double lambd, haft_dtype dtype,
                                      haft_device device, haft_generator* generator,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Numbers of density sigma / (pi * ((x - median)^2 + sigma^2)).
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     median      number (usually 0)
 * @param[in]     sigma       number (usually 1)
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_cauchy(const int64_t* size, int64_t size_count, double median, double sigma,
                                 haft_dtype dtype, haft_device device, haft_generator* generator,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp of normal numbers with that mean and standard deviation.
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     mean        number (usually 1)
 * @param[in]     std         number (usually 2)
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_log_normal(const int64_t* size, int64_t size_count, double mean, double std,
                                     haft_dtype dtype, haft_device device, haft_generator* generator,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief How many trials there are up to the first success, each with probability p: 1, 2, ...
 * @param[in]     size        sizes of dimensions
 * @param[in]     size_count  number of integers in size
 * @param[in]     p           number
 * @param[in]     dtype       element type; HAFT_DTYPE_NONE: inferred
 * @param[in]     device      device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_geometric(const int64_t* size, int64_t size_count, double p, haft_dtype dtype,
                                    haft_device device, haft_generator* generator,
                                    haft_tensor** out) HAFT_NOTHROW;

/* ---- Counts -------------------------------------------------------------------------------------------- */

/**
 * @brief Poisson variables of rates input, by search and transformed rejection (Hoermann, 1993) in float64;
 *   dtype of input. The gradient is 0.
 * @param[in]     input      tensor, floating
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_poisson(const haft_tensor* input, haft_generator* generator,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief How many of count trials succeed, each with probability prob; both broadcast, dtype of prob.
 * @param[in]     count      tensor, floating
 * @param[in]     prob       tensor, floating
 * @param[in,out] generator  generator; NULL for the calling thread's default one
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_binomial(const haft_tensor* count, const haft_tensor* prob,
                                   haft_generator* generator, haft_tensor** out) HAFT_NOTHROW;

/* ---- Views --------------------------------------------------------------------------------------------- */

/**
 * @brief A view with given sizes and strides (elements); offset counts from input's first element.
 * @param[in]  input         tensor, any dtype
 * @param[in]  size          sizes of dimensions
 * @param[in]  size_count    number of integers in size
 * @param[in]  stride        steps
 * @param[in]  stride_count  number of integers in stride
 * @param[in]  offset        integer (usually 0)
 * @param[out] out           a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_as_strided(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                     const int64_t* stride, int64_t stride_count, int64_t offset,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The same memory with another shape; one size may be -1. Fails when strides do not allow it: use
 *   reshape.
 * @param[in]  input       tensor, any dtype
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[out] out         a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_view(const haft_tensor* input, const int64_t* size, int64_t size_count,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Dimensions in the order dims.
 * @param[in]  input       tensor, any dtype
 * @param[in]  dims        dimensions; negative ones count from the end
 * @param[in]  dims_count  number of integers in dims
 * @param[out] out         a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_permute(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Two dimensions exchanged.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim0   a dimension; negative counts from the end
 * @param[in]  dim1   a dimension; negative counts from the end
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transpose(const haft_tensor* input, int64_t dim0, int64_t dim1,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front.
 * @param[in]  input       tensor, any dtype
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[out] out         a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_expand(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Without the dimension dim if it has size 1; absent: without all of size 1.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_squeeze(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A new dimension of size 1 at dim.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unsqueeze(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input[start:end:step] along dim with Python's clipping; step > 0.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  start  integer
 * @param[in]  end    integer
 * @param[in]  step   integer (usually 1)
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_slice(const haft_tensor* input, int64_t dim, int64_t start, int64_t end,
                                int64_t step, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input at index along dim, without that dimension; negative counts from the end.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  integer
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_select(const haft_tensor* input, int64_t dim, int64_t index,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The diagonal of two dimensions as a new last dimension.
 * @param[in]  input   tensor, any dtype
 * @param[in]  offset  integer (usually 0)
 * @param[in]  dim1    a dimension; negative counts from the end (usually 0)
 * @param[in]  dim2    a dimension; negative counts from the end (usually 1)
 * @param[out] out     a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_diagonal(const haft_tensor* input, int64_t offset, int64_t dim1, int64_t dim2,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief All windows of `size` along dimension, `step` apart, as a new last dimension.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dimension  a dimension; negative counts from the end
 * @param[in]  size       integer
 * @param[in]  step       integer
 * @param[out] out        a view of the same memory; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unfold(const haft_tensor* input, int64_t dimension, int64_t size, int64_t step,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The same memory without its history.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_detach(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Another shape; a view where strides allow it, else a copy. One size may be -1.
 * @param[in]  input        tensor, any dtype
 * @param[in]  shape        sizes of dimensions
 * @param[in]  shape_count  number of integers in shape
 * @param[out] out          the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_reshape(const haft_tensor* input, const int64_t* shape, int64_t shape_count,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Dimensions start_dim..end_dim joined into one.
 * @param[in]  input      tensor, any dtype
 * @param[in]  start_dim  a dimension; negative counts from the end (usually 0)
 * @param[in]  end_dim    a dimension; negative counts from the end (usually -1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_flatten(const haft_tensor* input, int64_t start_dim, int64_t end_dim,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Dimension dim split into sizes; one may be -1.
 * @param[in]  input        tensor, any dtype
 * @param[in]  dim          a dimension; negative counts from the end
 * @param[in]  sizes        sizes along the dimension
 * @param[in]  sizes_count  number of integers in sizes
 * @param[out] out          the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unflatten(const haft_tensor* input, int64_t dim, const int64_t* sizes,
                                    int64_t sizes_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Transpose of a tensor of at most 2 dimensions.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_t(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Dimensions source moved to destination.
 * @param[in]  input              tensor, any dtype
 * @param[in]  source             integers
 * @param[in]  source_count       number of integers in source
 * @param[in]  destination        integers
 * @param[in]  destination_count  number of integers in destination
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_movedim(const haft_tensor* input, const int64_t* source, int64_t source_count,
                                  const int64_t* destination, int64_t destination_count,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input[start : start + length] along dim.
 * @param[in]  input   tensor, any dtype
 * @param[in]  dim     a dimension; negative counts from the end
 * @param[in]  start   integer
 * @param[in]  length  integer
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_narrow(const haft_tensor* input, int64_t dim, int64_t start, int64_t length,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input expanded to the shape of other.
 * @param[in]  input  tensor, any dtype
 * @param[in]  other  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_expand_as(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Views of `split_size` along dim; the last may be smaller.
 * @param[in]  input          tensor, any dtype
 * @param[in]  split_size     integer
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_split(const haft_tensor* input, int64_t split_size, int64_t dim, haft_tensor** outs,
                                int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief Views of the sizes split_sizes along dim; they add up to its size.
 * @param[in]  input              tensor, any dtype
 * @param[in]  split_sizes        sizes along the dimension
 * @param[in]  split_sizes_count  number of integers in split_sizes
 * @param[in]  dim                a dimension; negative counts from the end (usually 0)
 * @param[out] outs               receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity      number of entries that outs has room for
 * @param[out] outs_count         number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_split_sizes(const haft_tensor* input, const int64_t* split_sizes,
                                      int64_t split_sizes_count, int64_t dim, haft_tensor** outs,
                                      int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief At most `chunks` views of equal size along dim; the last may be smaller.
 * @param[in]  input          tensor, any dtype
 * @param[in]  chunks         integer
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_chunk(const haft_tensor* input, int64_t chunks, int64_t dim, haft_tensor** outs,
                                int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief One view for each index of dim, without that dimension.
 * @param[in]  input          tensor, any dtype
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unbind(const haft_tensor* input, int64_t dim, haft_tensor** outs,
                                 int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW;

/* ---- Copies -------------------------------------------------------------------------------------------- */

/**
 * @brief input in another element type, dense; floats are truncated towards 0 for integers.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  dtype  element type
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cast(const haft_tensor* input, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input itself when dense and row-major, else a copy that is.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_contiguous(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy with its own memory; gradients flow through.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_clone(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a
 *   view that overlaps it.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  src    tensor, of the dtype of input
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_copy(const haft_tensor* input, const haft_tensor* src,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_copy, written into its first argument: src broadcast and cast into the shape and dtype of
 *   input; copy_ writes input's memory, also from a view that overlaps it.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     src    tensor, of the dtype of input
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_copy_(haft_tensor* input, const haft_tensor* src) HAFT_NOTHROW;

/**
 * @brief input in another dtype and on another device; device 0 keeps input's. input itself when neither
 *   changes.
 * @param[in]  input         tensor, any dtype
 * @param[in]  dtype         element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device        device; HAFT_DEVICE_DEFAULT: the default one
 * @param[in]  non_blocking  0 or 1: whether so (usually 0)
 * @param[out] out           the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_to(const haft_tensor* input, haft_dtype dtype, haft_device device,
                             int32_t non_blocking, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief value in the shape of input; fill_ writes input's memory.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  value  number; only its kind takes part in promotion
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fill(const haft_tensor* input, haft_scalar value, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_fill, written into its first argument: value in the shape of input; fill_ writes input's
 *   memory.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     value  number; only its kind takes part in promotion
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_AUTOGRAD or a status that every operator
 *     may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_fill_(haft_tensor* input, haft_scalar value) HAFT_NOTHROW;

/**
 * @brief A copy of input in which as_strided(size, stride, offset) holds src.
 * @param[in]  input         tensor, any dtype, 8-bit floats too
 * @param[in]  src           tensor, of the dtype of input
 * @param[in]  size          sizes of dimensions
 * @param[in]  size_count    number of integers in size
 * @param[in]  stride        steps
 * @param[in]  stride_count  number of integers in stride
 * @param[in]  offset        integer (usually 0)
 * @param[out] out           a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_as_strided_scatter(const haft_tensor* input, const haft_tensor* src,
                                             const int64_t* size, int64_t size_count, const int64_t* stride,
                                             int64_t stride_count, int64_t offset,
                                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Tensors joined along dim; other sizes are equal, dtypes are promoted.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] out            a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cat(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Equal shapes joined along a new dimension.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stack(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy with those dimensions reversed.
 * @param[in]  input       tensor, any dtype, 8-bit floats too
 * @param[in]  dims        dimensions; negative ones count from the end
 * @param[in]  dims_count  number of integers in dims
 * @param[out] out         a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_flip(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy shifted cyclically; empty dims: flattened, then restored.
 * @param[in]  input         tensor, any dtype, 8-bit floats too
 * @param[in]  shifts        places, one number a dimension of dims
 * @param[in]  shifts_count  number of integers in shifts
 * @param[in]  dims          dimensions; negative ones count from the end
 * @param[in]  dims_count    number of integers in dims; NULL with 0 means none given
 * @param[out] out           a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_roll(const haft_tensor* input, const int64_t* shifts, int64_t shifts_count,
                               const int64_t* dims, int64_t dims_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy tiled that many times along each dimension.
 * @param[in]  input          tensor, any dtype
 * @param[in]  repeats        times, one number a dimension
 * @param[in]  repeats_count  number of integers in repeats
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_repeat(const haft_tensor* input, const int64_t* repeats, int64_t repeats_count,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Elements on and below a diagonal of the last two dimensions, 0 elsewhere.
 * @param[in]  input     tensor, any dtype, 8-bit floats too
 * @param[in]  diagonal  0: the main one; above 0: to its right (usually 0)
 * @param[out] out       a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tril(const haft_tensor* input, int64_t diagonal, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Elements on and above a diagonal of the last two dimensions, 0 elsewhere.
 * @param[in]  input     tensor, any dtype, 8-bit floats too
 * @param[in]  diagonal  0: the main one; above 0: to its right (usually 0)
 * @param[out] out       a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_triu(const haft_tensor* input, int64_t diagonal, haft_tensor** out) HAFT_NOTHROW;

/* ---- Shapes -------------------------------------------------------------------------------------------- */

/**
 * @brief All elements as a vector; a view where strides allow it.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ravel(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy with its second dimension reversed.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fliplr(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy with its first dimension reversed.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_flipud(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy turned k times by 90 degrees in the plane of two dimensions; empty dims: the first two.
 * @param[in]  input       tensor, any dtype
 * @param[in]  k           integer (usually 1)
 * @param[in]  dims        dimensions; negative ones count from the end
 * @param[in]  dims_count  number of integers in dims; NULL with 0 means none given
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rot90(const haft_tensor* input, int64_t k, const int64_t* dims, int64_t dims_count,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy tiled that many times along the last dimensions.
 * @param[in]  input       tensor, any dtype
 * @param[in]  dims        dimensions; negative ones count from the end
 * @param[in]  dims_count  number of integers in dims
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tile(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Each slice along dim repeated: repeats has one element, or one for each slice. Absent dim: of the
 *   flattened tensor.
 * @param[in]  input    tensor, any dtype
 * @param[in]  repeats  tensor, any dtype
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[out] out      the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_repeat_interleave(const haft_tensor* input, const haft_tensor* repeats, int64_t dim,
                                            haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input with at least 1 dimension.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_atleast_1d(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input with at least 2 dimensions: a vector becomes a row.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_atleast_2d(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input with at least 3 dimensions: (N) becomes (1, N, 1), (M, N) becomes (M, N, 1).
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_atleast_3d(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Zeros with input's last dimension on a diagonal of two new dimensions.
 * @param[in]  input   tensor, any dtype
 * @param[in]  offset  integer (usually 0)
 * @param[in]  dim1    a dimension; negative counts from the end (usually -2)
 * @param[in]  dim2    a dimension; negative counts from the end (usually -1)
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_diag_embed(const haft_tensor* input, int64_t offset, int64_t dim1, int64_t dim2,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The diagonal of a matrix, or a matrix with that diagonal.
 * @param[in]  input     tensor, any dtype
 * @param[in]  diagonal  0: the main one; above 0: to its right (usually 0)
 * @param[out] out       the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_diag(const haft_tensor* input, int64_t diagonal, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A matrix with the elements of input on a diagonal.
 * @param[in]  input   tensor, any dtype
 * @param[in]  offset  integer (usually 0)
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_diagflat(const haft_tensor* input, int64_t offset, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sum of the diagonal of a matrix.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_trace(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Indices (2, n) of the elements on and below a diagonal; int64 unless dtype says int32.
 * @param[in]  row     integer
 * @param[in]  col     integer
 * @param[in]  offset  integer (usually 0)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tril_indices(int64_t row, int64_t col, int64_t offset, haft_dtype dtype,
                                       haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Indices (2, n) of the elements on and above a diagonal; int64 unless dtype says int32.
 * @param[in]  row     integer
 * @param[in]  col     integer
 * @param[in]  offset  integer (usually 0)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_triu_indices(int64_t row, int64_t col, int64_t offset, haft_dtype dtype,
                                       haft_device device, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Views of nearly equal size along dim, the first ones larger.
 * @param[in]  input          tensor, any dtype
 * @param[in]  sections       integer
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_split(const haft_tensor* input, int64_t sections, int64_t dim,
                                       haft_tensor** outs, int64_t outs_capacity,
                                       int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief Views between the given places along dim.
 * @param[in]  input          tensor, any dtype
 * @param[in]  indices        integers
 * @param[in]  indices_count  number of integers in indices
 * @param[in]  dim            a dimension; negative counts from the end (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_split_indices(const haft_tensor* input, const int64_t* indices,
                                               int64_t indices_count, int64_t dim, haft_tensor** outs,
                                               int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW;

/* ---- Joins --------------------------------------------------------------------------------------------- */

/**
 * @brief Joined along the second dimension (vectors: the first).
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hstack(haft_tensor* const* tensors, int64_t tensors_count,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Joined along the first dimension, vectors as rows.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_vstack(haft_tensor* const* tensors, int64_t tensors_count,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Joined along the third dimension.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dstack(haft_tensor* const* tensors, int64_t tensors_count,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Joined along the second dimension, vectors as columns.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_column_stack(haft_tensor* const* tensors, int64_t tensors_count,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief All tensors expanded to their common size.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_broadcast_tensors(haft_tensor* const* tensors, int64_t tensors_count,
                                            haft_tensor** outs, int64_t outs_capacity,
                                            int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief Coordinates of a grid: vectors expanded along each other's dimensions; xy exchanges the first two.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[in]  xy             0 or 1: whether so (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_meshgrid(haft_tensor* const* tensors, int64_t tensors_count, int32_t xy,
                                   haft_tensor** outs, int64_t outs_capacity,
                                   int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief All combinations of the elements of vectors, a row each.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cartesian_prod(haft_tensor* const* tensors, int64_t tensors_count,
                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The index in each dimension of what has these places in a dense tensor of shape.
 * @param[in]  indices        tensor of indices, int64 or int32
 * @param[in]  shape          sizes of dimensions
 * @param[in]  shape_count    number of integers in shape
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unravel_index(const haft_tensor* indices, const int64_t* shape, int64_t shape_count,
                                        haft_tensor** outs, int64_t outs_capacity,
                                        int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief Powers N - 1, ..., 0 (or 0, ..., N - 1) of the elements of a vector, a row each; N is the vector's
 *   length unless given.
 * @param[in]  x           tensor, any real dtype
 * @param[in]  N           integer; HAFT_NONE when absent
 * @param[in]  increasing  0 or 1: whether so (usually 0)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_vander(const haft_tensor* x, int64_t N, int32_t increasing,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief All combinations of r elements of a vector, a row each.
 * @param[in]  input             tensor, any dtype
 * @param[in]  r                 integer (usually 2)
 * @param[in]  with_replacement  0 or 1: whether so (usually 0)
 * @param[out] out               the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_combinations(const haft_tensor* input, int64_t r, int32_t with_replacement,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Matrices along the diagonal of a larger one.
 * @param[in]  tensors        array of tensors_count tensors
 * @param[in]  tensors_count  number of tensors in tensors
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_block_diag(haft_tensor* const* tensors, int64_t tensors_count,
                                     haft_tensor** out) HAFT_NOTHROW;

/* ---- Reduce (an empty list means all dimensions) ------------------------------------------------------- */

/**
 * @brief Sum over dim; integers and bool in int64.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[in]  dtype      element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out        a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sum(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int32_t keepdim, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_sum, written into a given tensor: Sum over dim; integers and bool in int64.
 * @param[in]     input      tensor, any dtype
 * @param[in]     dim        dimensions; negative ones count from the end
 * @param[in]     dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]     keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[in]     dtype      element type; HAFT_DTYPE_NONE: inferred
 * @param[in,out] out        tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW, HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_sum_out(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                  int32_t keepdim, haft_dtype dtype, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Mean over dim; floats only.
 * @param[in]  input      tensor, floating or complex
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Product over dim; integers and bool in int64.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_prod(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Largest value over dim; NaN wins. Gradients are shared equally at ties.
 * @param[in]  input      tensor, any real dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_amax(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Smallest value over dim; NaN wins. Gradients are shared equally at ties.
 * @param[in]  input      tensor, any real dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_amin(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Largest value along dim and the first index where it stands (int64).
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] values   a new tensor; the caller releases it
 * @param[out] indices  a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                  haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Smallest value along dim and the first index where it stands (int64).
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] values   a new tensor; the caller releases it
 * @param[out] indices  a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_min_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                  haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief First index of the largest value along dim (int64); absent: of the flattened tensor.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out      a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_argmax(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief First index of the smallest value along dim (int64); absent: of the flattened tensor.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out      a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_argmin(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where some element over dim is not 0.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_any(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where every element over dim is not 0.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_all(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Variance over dim with divisor n - correction (two passes).
 * @param[in]  input       tensor, floating or complex
 * @param[in]  dim         dimensions; negative ones count from the end
 * @param[in]  dim_count   number of integers in dim; NULL with 0 means none given
 * @param[in]  correction  taken off the divisor; 1: Bessel's (usually 1)
 * @param[in]  keepdim     0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out         a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_var(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int64_t correction, int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Square root of var.
 * @param[in]  input       tensor, floating or complex
 * @param[in]  dim         dimensions; negative ones count from the end
 * @param[in]  dim_count   number of integers in dim; NULL with 0 means none given
 * @param[in]  correction  taken off the divisor; 1: Bessel's (usually 1)
 * @param[in]  keepdim     0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out         the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_std(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int64_t correction, int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief p-norm over dim; p is any number or +-infinity.
 * @param[in]  input      tensor, floating or complex
 * @param[in]  p          number (usually 2)
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_norm(const haft_tensor* input, double p, const int64_t* dim, int64_t dim_count,
                               int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief var and mean over dim.
 * @param[in]  input       tensor, floating or complex
 * @param[in]  dim         dimensions; negative ones count from the end
 * @param[in]  dim_count   number of integers in dim; NULL with 0 means none given
 * @param[in]  correction  taken off the divisor; 1: Bessel's (usually 1)
 * @param[in]  keepdim     0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] var         the result, floating; the caller releases it
 * @param[out] mean        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_var_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int64_t correction, int32_t keepdim, haft_tensor** var,
                                   haft_tensor** mean) HAFT_NOTHROW;

/**
 * @brief std and mean over dim.
 * @param[in]  input       tensor, floating or complex
 * @param[in]  dim         dimensions; negative ones count from the end
 * @param[in]  dim_count   number of integers in dim; NULL with 0 means none given
 * @param[in]  correction  taken off the divisor; 1: Bessel's (usually 1)
 * @param[in]  keepdim     0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] std         the result, floating; the caller releases it
 * @param[out] mean        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_std_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int64_t correction, int32_t keepdim, haft_tensor** std,
                                   haft_tensor** mean) HAFT_NOTHROW;

/**
 * @brief Norm of matrices in the two dimensions dim (none: the last two). ord: absent (Frobenius), 1 and -1
 *   (largest and smallest sum of a column's sizes), infinity and -infinity (of a row's), 2 and -2 (largest
 *   and smallest singular value); nuclear_norm sums these.
 * @param[in]  input      tensor, floating
 * @param[in]  ord        number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW,
 *     HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_matrix_norm(const haft_tensor* input, haft_scalar ord, const int64_t* dim,
                                      int64_t dim_count, int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input over its p-norm along dim (none: the second), which counts at least eps.
 * @param[in]  input      tensor, floating
 * @param[in]  p          number (usually 2)
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  eps        added to the variance (usually 1e-12)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_normalize(const haft_tensor* input, double p, const int64_t* dim, int64_t dim_count,
                                    double eps, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief p-norm of x1 - x2 + eps over the last dimension.
 * @param[in]  x1       tensor, floating
 * @param[in]  x2       tensor, floating
 * @param[in]  p        number (usually 2)
 * @param[in]  eps      added to the variance (usually 1e-6)
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out      the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pairwise_distance(const haft_tensor* x1, const haft_tensor* x2, double p,
                                            double eps, int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief x1 . x2 / (|x1| |x2|) along dim; each norm counts at least eps.
 * @param[in]  x1   tensor, floating
 * @param[in]  x2   tensor, floating
 * @param[in]  dim  a dimension; negative counts from the end (usually 1)
 * @param[in]  eps  added to the variance (usually 1e-8)
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cosine_similarity(const haft_tensor* x1, const haft_tensor* x2, int64_t dim,
                                            double eps, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief log(sum(exp(input))) over dim, shifted by the maximum.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logsumexp(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Running sum along dim; integers and bool in int64.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cumsum(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Running product along dim; integers and bool in int64.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cumprod(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Number of elements that are not 0 (int64).
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_count_nonzero(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                        haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input summed over the dimensions that broadcasting from size had added.
 * @param[in]  input       tensor, any dtype
 * @param[in]  size        sizes of dimensions
 * @param[in]  size_count  number of integers in size
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sum_to_size(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                      haft_tensor** out) HAFT_NOTHROW;

/* ---- Statistics ---------------------------------------------------------------------------------------- */

/**
 * @brief Sum over dim in which NaN counts as 0.
 * @param[in]  input      tensor, any real dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[in]  dtype      element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nansum(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                 int32_t keepdim, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean over dim of the elements that are not NaN.
 * @param[in]  input      tensor, floating
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nanmean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                  int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Smallest and largest value along dim; absent: of all elements.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] min      the result; the caller releases it
 * @param[out] max      the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_aminmax(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** min,
                                  haft_tensor** max) HAFT_NOTHROW;

/**
 * @brief input sorted along its first dimension.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_msort(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Differences of neighbours along dim, n times, after prepend and append have been joined to input.
 * @param[in]  input    tensor, any dtype
 * @param[in]  n        integer (usually 1)
 * @param[in]  dim      a dimension; negative counts from the end (usually -1)
 * @param[in]  prepend  tensor, or NULL when absent
 * @param[in]  append   tensor, or NULL when absent
 * @param[out] out      the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_diff(const haft_tensor* input, int64_t n, int64_t dim, const haft_tensor* prepend,
                               const haft_tensor* append, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The quantiles of the elements that are not NaN; NaN where there are none.
 * @param[in]  input          tensor, floating
 * @param[in]  q              tensor, floating
 * @param[in]  dim            a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[in]  keepdim        0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[in]  interpolation  integer (usually 0)
 * @param[out] out            the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nanquantile(const haft_tensor* input, const haft_tensor* q, int64_t dim,
                                      int32_t keepdim, int64_t interpolation, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The most frequent element along dim, the least of several, and the last place where it stands.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end (usually -1)
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] values   the result; the caller releases it
 * @param[out] indices  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mode(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                               haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Covariances (D, D) of variables whose observations are the rows of input (D, N); a vector is one
 *   variable. fweights (N) are whole numbers of repetitions, aweights (N) weights.
 * @param[in]  input       tensor, any dtype but bool
 * @param[in]  correction  taken off the divisor; 1: Bessel's (usually 1)
 * @param[in]  fweights    tensor, or NULL when absent
 * @param[in]  aweights    tensor, or NULL when absent
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cov(const haft_tensor* input, int64_t correction, const haft_tensor* fweights,
                              const haft_tensor* aweights, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Pearson's correlation coefficients (D, D) of the rows of input (D, N), between -1 and 1.
 * @param[in]  input  tensor, any dtype but bool
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_corrcoef(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The integral along dim by trapezoids, at the places x (a vector, or as y), or dx apart.
 * @param[in]  y    tensor, any dtype
 * @param[in]  x    tensor, or NULL when absent
 * @param[in]  dx   number (usually 1)
 * @param[in]  dim  a dimension; negative counts from the end (usually -1)
 * @param[out] out  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_trapezoid(const haft_tensor* y, const haft_tensor* x, double dx, int64_t dim,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The integrals up to each place but the first.
 * @param[in]  y    tensor, any dtype
 * @param[in]  x    tensor, or NULL when absent
 * @param[in]  dx   number (usually 1)
 * @param[in]  dim  a dimension; negative counts from the end (usually -1)
 * @param[out] out  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cumulative_trapezoid(const haft_tensor* y, const haft_tensor* x, double dx,
                                               int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Slopes of what input samples, a tensor for each dimension of dim (none: all), by central
 *   differences, at both ends of order edge_order 1 or 2. spacing: none (1), one for all or one each: a step
 *   (one number) or the places of the elements (a vector).
 * @param[in]  input          tensor, any real dtype
 * @param[in]  spacing        array of spacing_count tensors
 * @param[in]  spacing_count  number of tensors in spacing
 * @param[in]  dim            dimensions; negative ones count from the end
 * @param[in]  dim_count      number of integers in dim; NULL with 0 means none given
 * @param[in]  edge_order     integer (usually 1)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gradient(const haft_tensor* input, haft_tensor* const* spacing,
                                   int64_t spacing_count, const int64_t* dim, int64_t dim_count,
                                   int64_t edge_order, haft_tensor** outs, int64_t outs_capacity,
                                   int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief The q-quantiles along dim, or of all elements; q is one number or a vector. Between two elements: 0
 *   linear, 1 lower, 2 higher, 3 midpoint, 4 nearest. NaN wins.
 * @param[in]  input          tensor, floating
 * @param[in]  q              tensor, floating
 * @param[in]  dim            a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[in]  keepdim        0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[in]  interpolation  integer (usually 0)
 * @param[out] out            the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_quantile(const haft_tensor* input, const haft_tensor* q, int64_t dim,
                                   int32_t keepdim, int64_t interpolation, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The different elements, or slices along dim, in order; which of them each is, and how often it
 *   comes.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[out] values   the result; the caller releases it
 * @param[out] inverse  the result; the caller releases it
 * @param[out] counts   the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unique(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                 haft_tensor** inverse, haft_tensor** counts) HAFT_NOTHROW;

/**
 * @brief input without elements, or slices along dim, that equal the one before; which of them each is, and
 *   how often it comes.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[out] values   the result; the caller releases it
 * @param[out] inverse  the result; the caller releases it
 * @param[out] counts   the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unique_consecutive(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                             haft_tensor** inverse, haft_tensor** counts) HAFT_NOTHROW;

/* ---- Matmul -------------------------------------------------------------------------------------------- */

/**
 * @brief Matrix product (M, K) x (K, N) -> (M, N).
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  mat2   tensor, any dtype but bool
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mm(const haft_tensor* input, const haft_tensor* mat2,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_mm, written into a given tensor: Matrix product (M, K) x (K, N) -> (M, N).
 * @param[in]     input  tensor, any dtype but bool
 * @param[in]     mat2   tensor, any dtype but bool
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_mm_out(const haft_tensor* input, const haft_tensor* mat2,
                                 haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N).
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  mat2   tensor, any dtype but bool
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bmm(const haft_tensor* input, const haft_tensor* mat2,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_bmm, written into a given tensor: Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N).
 * @param[in]     input  tensor, any dtype but bool
 * @param[in]     mat2   tensor, any dtype but bool
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_AUTOGRAD or a status
 *     that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_bmm_out(const haft_tensor* input, const haft_tensor* mat2,
                                  haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N).
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  mat1   tensor, any dtype but bool
 * @param[in]  mat2   tensor, any dtype but bool
 * @param[in]  beta   number; only its kind takes part in promotion (usually 1)
 * @param[in]  alpha  number; only its kind takes part in promotion (usually 1)
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_addmm(const haft_tensor* input, const haft_tensor* mat1, const haft_tensor* mat2,
                                haft_scalar beta, haft_scalar alpha, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input @ weight^T + bias: input (*, in), weight (out, in), bias (out) -> (*, out).
 * @param[in]  input   tensor, any dtype but bool
 * @param[in]  weight  tensor, any dtype but bool
 * @param[in]  bias    tensor, or NULL when absent
 * @param[out] out     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linear(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K,
 *   N) that broadcast.
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  other  tensor, any dtype but bool
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_matmul(const haft_tensor* input, const haft_tensor* other,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Matrix-vector product (M, K) x (K) -> (M).
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  vec    tensor, any dtype but bool
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mv(const haft_tensor* input, const haft_tensor* vec,
                             haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sum of products of two vectors: (K) x (K) -> ().
 * @param[in]  input   tensor, any dtype but bool
 * @param[in]  tensor  tensor, any dtype but bool
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dot(const haft_tensor* input, const haft_tensor* tensor,
                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (M) x (N) -> (M, N).
 * @param[in]  input  tensor, any dtype
 * @param[in]  vec2   tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_outer(const haft_tensor* input, const haft_tensor* vec2,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to
 *   (B, M, N).
 * @param[in]  input   tensor, any dtype but bool
 * @param[in]  batch1  tensor, any dtype but bool
 * @param[in]  batch2  tensor, any dtype but bool
 * @param[in]  beta    number; only its kind takes part in promotion (usually 1)
 * @param[in]  alpha   number; only its kind takes part in promotion (usually 1)
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_baddbmm(const haft_tensor* input, const haft_tensor* batch1,
                                  const haft_tensor* batch2, haft_scalar beta, haft_scalar alpha,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief beta * input + alpha * the sum over the batch of bmm(batch1, batch2); input broadcasts to (M, N).
 * @param[in]  input   tensor, any dtype but bool
 * @param[in]  batch1  tensor, any dtype but bool
 * @param[in]  batch2  tensor, any dtype but bool
 * @param[in]  beta    number; only its kind takes part in promotion (usually 1)
 * @param[in]  alpha   number; only its kind takes part in promotion (usually 1)
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_addbmm(const haft_tensor* input, const haft_tensor* batch1,
                                 const haft_tensor* batch2, haft_scalar beta, haft_scalar alpha,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief beta * input + alpha * (mat @ vec): mat (M, K), vec (K); input broadcasts to (M).
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  mat    tensor, any dtype but bool
 * @param[in]  vec    tensor, any dtype but bool
 * @param[in]  beta   number; only its kind takes part in promotion (usually 1)
 * @param[in]  alpha  number; only its kind takes part in promotion (usually 1)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_addmv(const haft_tensor* input, const haft_tensor* mat, const haft_tensor* vec,
                                haft_scalar beta, haft_scalar alpha, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief beta * input + alpha * outer(vec1, vec2): vec1 (M), vec2 (N); input broadcasts to (M, N).
 * @param[in]  input  tensor, any dtype
 * @param[in]  vec1   tensor, any dtype
 * @param[in]  vec2   tensor, any dtype
 * @param[in]  beta   number; only its kind takes part in promotion (usually 1)
 * @param[in]  alpha  number; only its kind takes part in promotion (usually 1)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_addr(const haft_tensor* input, const haft_tensor* vec1, const haft_tensor* vec2,
                               haft_scalar beta, haft_scalar alpha, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Product of 8-bit floats (M, K) x (K, N), the sum kept in float32, times scale_a and scale_b: one
 *   float32 number each, or one a row of input, (M, 1), and a column of mat2, (1, N); then + bias (N). The
 *   result is bfloat16 (out_dtype none), float16, float32 or an 8-bit float. Any strides; GPUs want rows of
 *   input and columns of mat2 dense.
 * @param[in]  input      tensor, an 8-bit float
 * @param[in]  mat2       tensor, an 8-bit float
 * @param[in]  scale_a    tensor, float32
 * @param[in]  scale_b    tensor, float32
 * @param[in]  bias       tensor, or NULL when absent
 * @param[in]  out_dtype  element type; HAFT_DTYPE_NONE: inferred
 * @param[out] out        a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scaled_mm(const haft_tensor* input, const haft_tensor* mat2,
                                    const haft_tensor* scale_a, const haft_tensor* scale_b,
                                    const haft_tensor* bias, haft_dtype out_dtype,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Vector products along dim, of size 3; absent: the first of that size. Other dimensions broadcast.
 * @param[in]  input  tensor, any real dtype but bool
 * @param[in]  other  tensor, any real dtype but bool
 * @param[in]  dim    a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cross(const haft_tensor* input, const haft_tensor* other, int64_t dim,
                                haft_tensor** out) HAFT_NOTHROW;

/* ---- Contraction --------------------------------------------------------------------------------------- */

/**
 * @brief Einstein's sums: ij,jk->ik names each dimension of each operand by a letter, and those of the result
 *   behind the arrow; equal letters are one index, and those that the result lacks are summed. ... stands for
 *   the dimensions without a letter, which broadcast. Without an arrow the result has them, then the letters
 *   that come once, in their order.
 * @param[in]  equation        text, as ij,jk->ik
 * @param[in]  operands        array of operands_count tensors
 * @param[in]  operands_count  number of tensors in operands
 * @param[out] out             the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_einsum(const char* equation, haft_tensor* const* operands, int64_t operands_count,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sums of products over dimensions of input and of other.
 * @param[in]  input             tensor, any dtype but bool
 * @param[in]  other             tensor, any dtype but bool
 * @param[in]  dims_self         integers
 * @param[in]  dims_self_count   number of integers in dims_self
 * @param[in]  dims_other        integers
 * @param[in]  dims_other_count  number of integers in dims_other
 * @param[out] out               the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensordot(const haft_tensor* input, const haft_tensor* other,
                                    const int64_t* dims_self, int64_t dims_self_count,
                                    const int64_t* dims_other, int64_t dims_other_count,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sums of products along the last dimensions.
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  other  tensor, any dtype but bool
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_inner(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The product of several matrices, in the order that takes the fewest multiplications; the first and
 *   the last may be vectors.
 * @param[in]  matrices        array of matrices_count tensors
 * @param[in]  matrices_count  number of tensors in matrices
 * @param[out] out             the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_chain_matmul(haft_tensor* const* matrices, int64_t matrices_count,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Square matrices (*, N, N) to the power n; below 0 their inverses to the power -n.
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  n      integer
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_matrix_power(const haft_tensor* input, int64_t n, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sums of products along dim.
 * @param[in]  x    tensor, any dtype but bool
 * @param[in]  y    tensor, any dtype but bool
 * @param[in]  dim  a dimension; negative counts from the end (usually -1)
 * @param[out] out  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_vecdot(const haft_tensor* x, const haft_tensor* y, int64_t dim,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The Kronecker product: every element of input times other.
 * @param[in]  input  tensor, any dtype
 * @param[in]  other  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_kron(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief p-norm of input - other.
 * @param[in]  input  tensor, floating or complex
 * @param[in]  other  tensor, floating or complex
 * @param[in]  p      number (usually 2)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dist(const haft_tensor* input, const haft_tensor* other, double p,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief p-norms of the differences of all pairs of rows of (N, M), (N (N - 1) / 2): 0 and 1, 0 and 2, ...
 * @param[in]  input  tensor, floating
 * @param[in]  p      number (usually 2)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pdist(const haft_tensor* input, double p, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief p-norms of the differences of all rows: (*, P, M) and (*, R, M) -> (*, P, R).
 * @param[in]  x1   tensor, floating
 * @param[in]  x2   tensor, floating
 * @param[in]  p    number (usually 2)
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cdist(const haft_tensor* x1, const haft_tensor* x2, double p,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Slices along dim scaled to a p-norm of at most maxnorm.
 * @param[in]  input    tensor, floating or complex
 * @param[in]  p        number
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[in]  maxnorm  number
 * @param[out] out      the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_renorm(const haft_tensor* input, double p, int64_t dim, double maxnorm,
                                 haft_tensor** out) HAFT_NOTHROW;

/* ---- Linalg (float32 and float64; any leading dimensions are a batch; LAPACK's factors) ---------------- */

/**
 * @brief X of A X = B, or of X A = B without left: A (*, N, N), of which the upper or the lower triangle is
 *   read, B (*, N, K) or (*, K, N); leading dimensions broadcast. unitriangular: the diagonal counts as 1. A
 *   zero on the diagonal gives infinities or NaN.
 * @param[in]  A              tensor, floating
 * @param[in]  B              tensor, floating
 * @param[in]  upper          0 or 1: whether so
 * @param[in]  left           0 or 1: whether so (usually 1)
 * @param[in]  unitriangular  0 or 1: whether so (usually 0)
 * @param[out] out            a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_solve_triangular(const haft_tensor* A, const haft_tensor* B, int32_t upper,
                                                  int32_t left, int32_t unitriangular,
                                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief L with A = L L^T of positive definite matrices (*, N, N), or L^T with upper; one triangle is read,
 *   the lower one unless upper. A matrix that is not positive definite is an error that names it.
 * @param[in]  A      tensor, floating
 * @param[in]  upper  0 or 1: whether so (usually 0)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_cholesky(const haft_tensor* A, int32_t upper,
                                          haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief linalg_cholesky without the error: info, int32 (*), is 0, or the order of the first leading minor
 *   that is not positive definite; L has no meaning there.
 * @param[in]  A             tensor, floating
 * @param[in]  upper         0 or 1: whether so (usually 0)
 * @param[in]  check_errors  0 or 1: whether so (usually 0)
 * @param[out] L             the result, floating; the caller releases it
 * @param[out] info          the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_cholesky_ex(const haft_tensor* A, int32_t upper, int32_t check_errors,
                                             haft_tensor** L, haft_tensor** info) HAFT_NOTHROW;

/**
 * @brief X of A X = input (*, N, K), where L (*, N, N) is the factor of A: A = L L^T, or L^T L with upper.
 * @param[in]  input  tensor, floating
 * @param[in]  L      tensor, floating
 * @param[in]  upper  0 or 1: whether so (usually 0)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cholesky_solve(const haft_tensor* input, const haft_tensor* L, int32_t upper,
                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The inverse of A whose factor input (*, N, N) is: A = L L^T, or L^T L with upper. A factor with a
 *   zero on its diagonal is refused.
 * @param[in]  input  tensor, floating
 * @param[in]  upper  0 or 1: whether so (usually 0)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cholesky_inverse(const haft_tensor* input, int32_t upper,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Factors of matrices (*, M, N) with exchanged rows: LU (*, M, N) has U in its upper triangle and L,
 *   whose diagonal is 1, below; row i was exchanged with row pivots[i] - 1, int32 (*, min(M, N)), in the
 *   order of i. A pivot of 0 is an error that names the matrix.
 * @param[in]  A       tensor, floating
 * @param[out] LU      the result, floating; the caller releases it
 * @param[out] pivots  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_lu_factor(const haft_tensor* A, haft_tensor** LU,
                                           haft_tensor** pivots) HAFT_NOTHROW;

/**
 * @brief linalg_lu_factor without the error: info, int32 (*), is 0 or the number of the first pivot that is
 *   0, from 1 on.
 * @param[in]  A             tensor, floating
 * @param[in]  check_errors  0 or 1: whether so (usually 0)
 * @param[out] LU            the result, floating; the caller releases it
 * @param[out] pivots        the result, floating; the caller releases it
 * @param[out] info          the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_lu_factor_ex(const haft_tensor* A, int32_t check_errors, haft_tensor** LU,
                                              haft_tensor** pivots, haft_tensor** info) HAFT_NOTHROW;

/**
 * @brief P L U of what linalg_lu_factor answers: (*, M, M), (*, M, K) and (*, K, N) with K = min(M, N). What
 *   is not unpacked is empty.
 * @param[in]  LU_data        tensor, floating
 * @param[in]  LU_pivots      tensor, floating
 * @param[in]  unpack_data    0 or 1: whether so (usually 1)
 * @param[in]  unpack_pivots  0 or 1: whether so (usually 1)
 * @param[out] P              the result, floating; the caller releases it
 * @param[out] L              the result, floating; the caller releases it
 * @param[out] U              the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lu_unpack(const haft_tensor* LU_data, const haft_tensor* LU_pivots,
                                    int32_t unpack_data, int32_t unpack_pivots, haft_tensor** P,
                                    haft_tensor** L, haft_tensor** U) HAFT_NOTHROW;

/**
 * @brief A = P L U of matrices (*, M, N): P (*, M, M) a permutation, L (*, M, K) lower with a diagonal of 1,
 *   U (*, K, N) upper, K = min(M, N).
 * @param[in]  A  tensor, floating
 * @param[out] P  the result, floating; the caller releases it
 * @param[out] L  the result, floating; the caller releases it
 * @param[out] U  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_lu(const haft_tensor* A, haft_tensor** P, haft_tensor** L,
                                    haft_tensor** U) HAFT_NOTHROW;

/**
 * @brief X of A X = B, A^T X = B with adjoint, or with A behind X without left, for A (*, N, N) that
 *   linalg_lu_factor has factored.
 * @param[in]  LU       tensor, floating
 * @param[in]  pivots   tensor, floating
 * @param[in]  B        tensor, floating
 * @param[in]  left     0 or 1: whether so (usually 1)
 * @param[in]  adjoint  0 or 1: whether so (usually 0)
 * @param[out] out      the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_lu_solve(const haft_tensor* LU, const haft_tensor* pivots,
                                          const haft_tensor* B, int32_t left, int32_t adjoint,
                                          haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief X of A X = B, or of X A = B without left: A (*, N, N); B (*, N, K) or (*, K, N), whose leading
 *   dimensions broadcast, or vectors (*, N): of one dimension, or of A's leading ones. A singular matrix is
 *   an error that names it.
 * @param[in]  A     tensor, floating
 * @param[in]  B     tensor, floating
 * @param[in]  left  0 or 1: whether so (usually 1)
 * @param[out] out   the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_LINALG or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_solve(const haft_tensor* A, const haft_tensor* B, int32_t left,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief linalg_solve without the error: info, int32 (*), is 0 or the number of the first pivot that is 0,
 *   from 1 on.
 * @param[in]  A             tensor, floating
 * @param[in]  B             tensor, floating
 * @param[in]  left          0 or 1: whether so (usually 1)
 * @param[in]  check_errors  0 or 1: whether so (usually 0)
 * @param[out] result        the result, floating; the caller releases it
 * @param[out] info          the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_LINALG or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_solve_ex(const haft_tensor* A, const haft_tensor* B, int32_t left,
                                          int32_t check_errors, haft_tensor** result,
                                          haft_tensor** info) HAFT_NOTHROW;

/**
 * @brief Inverses of matrices (*, N, N). A singular one is an error that names it.
 * @param[in]  A    tensor, floating
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_inv(const haft_tensor* A, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief linalg_inv without the error: info, int32 (*), is 0 or the number of the first pivot that is 0, from
 *   1 on.
 * @param[in]  A             tensor, floating
 * @param[in]  check_errors  0 or 1: whether so (usually 0)
 * @param[out] inverse       the result, floating; the caller releases it
 * @param[out] info          the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_inv_ex(const haft_tensor* A, int32_t check_errors, haft_tensor** inverse,
                                        haft_tensor** info) HAFT_NOTHROW;

/**
 * @brief Determinants (*) of matrices (*, N, N); third derivatives want matrices that are not singular.
 * @param[in]  A    tensor, floating
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_det(const haft_tensor* A, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Signs (-1, 0 or 1) of determinants and logarithms of their sizes, (*) of matrices (*, N, N).
 * @param[in]  A          tensor, floating
 * @param[out] sign       the result, floating; the caller releases it
 * @param[out] logabsdet  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_slogdet(const haft_tensor* A, haft_tensor** sign,
                                         haft_tensor** logabsdet) HAFT_NOTHROW;

/**
 * @brief Logarithms of determinants of matrices (*, N, N): -infinity where they are 0, NaN below.
 * @param[in]  input  tensor, floating
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logdet(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A = Q R of matrices (*, M, N), Q with orthonormal columns, R upper. mode: 0 reduced, Q (*, M, K) and
 *   R (*, K, N) with K = min(M, N); 1 complete, Q (*, M, M) and R (*, M, N); 2 R alone, reduced, and Q empty.
 *   Derivatives want the first K columns independent; there are none for mode 2, nor for mode 1 where M > N.
 * @param[in]  A     tensor, floating
 * @param[in]  mode  integer (usually 0)
 * @param[out] Q     the result, floating; the caller releases it
 * @param[out] R     the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_qr(const haft_tensor* A, int64_t mode, haft_tensor** Q,
                                    haft_tensor** R) HAFT_NOTHROW;

/**
 * @brief The first N columns of the product of reflections I - tau[i] v v^T, where v is column i of input (*,
 *   M, N), M >= N, with 1 on the diagonal and 0 above; tau (*, K), K <= N.
 * @param[in]  input  tensor, floating
 * @param[in]  tau    tensor, floating
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_householder_product(const haft_tensor* input, const haft_tensor* tau,
                                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Eigenvalues (*, N), ascending, and orthonormal eigenvectors, the columns of (*, N, N), of symmetric
 *   matrices (*, N, N), of which one triangle is read. Derivatives of the vectors want eigenvalues that
 *   differ.
 * @param[in]  A             tensor, floating
 * @param[in]  upper         0 or 1: whether so (usually 0)
 * @param[out] eigenvalues   the result, floating; the caller releases it
 * @param[out] eigenvectors  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_eigh(const haft_tensor* A, int32_t upper, haft_tensor** eigenvalues,
                                      haft_tensor** eigenvectors) HAFT_NOTHROW;

/**
 * @brief Eigenvalues (*, N), ascending, of symmetric matrices (*, N, N), of which one triangle is read.
 * @param[in]  A      tensor, floating
 * @param[in]  upper  0 or 1: whether so (usually 0)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_eigvalsh(const haft_tensor* A, int32_t upper,
                                          haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Complex eigenvalues (*, N), in no order, and eigenvectors of length 1, the columns of (*, N, N), of
 *   real square matrices (*, N, N): A V = V diag(L). Derivatives want eigenvalues that differ; those of the
 *   vectors are for functions that do not depend on a vector's phase.
 * @param[in]  A             tensor, floating
 * @param[out] eigenvalues   the result, floating; the caller releases it
 * @param[out] eigenvectors  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_eig(const haft_tensor* A, haft_tensor** eigenvalues,
                                     haft_tensor** eigenvectors) HAFT_NOTHROW;

/**
 * @brief Complex eigenvalues (*, N), in no order, of real square matrices (*, N, N).
 * @param[in]  A    tensor, floating
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_eigvals(const haft_tensor* A, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A = U diag(S) Vh of matrices (*, M, N): S (*, K) descending, K = min(M, N); U (*, M, M) and Vh (*,
 *   N, N), or (*, M, K) and (*, K, N) without full_matrices, orthonormal. Derivatives of the vectors, those
 *   beyond K left out, want singular values that differ and, where M is not N, are not 0.
 * @param[in]  A              tensor, floating
 * @param[in]  full_matrices  0 or 1: whether so (usually 1)
 * @param[out] U              the result, floating; the caller releases it
 * @param[out] S              the result, floating; the caller releases it
 * @param[out] Vh             the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_svd(const haft_tensor* A, int32_t full_matrices, haft_tensor** U,
                                     haft_tensor** S, haft_tensor** Vh) HAFT_NOTHROW;

/**
 * @brief Singular values (*, min(M, N)), descending, of matrices (*, M, N).
 * @param[in]  A    tensor, floating
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_svdvals(const haft_tensor* A, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Pseudo-inverses (*, N, M) of matrices (*, M, N) (Moore and Penrose). Singular values up to max(atol,
 *   rtol * the largest) count as 0; atol is 0 and rtol, without atol, max(M, N) times the epsilon of the
 *   type. hermitian: symmetric matrices, by eigenvalues.
 * @param[in]  A          tensor, floating
 * @param[in]  atol       number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  rtol       number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  hermitian  0 or 1: whether so (usually 0)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_pinv(const haft_tensor* A, haft_scalar atol, haft_scalar rtol,
                                      int32_t hermitian, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief How many singular values of matrices (*, M, N) are above max(atol, rtol * the largest), int64 (*),
 *   with linalg_pinv's defaults.
 * @param[in]  A          tensor, floating
 * @param[in]  atol       number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  rtol       number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  hermitian  0 or 1: whether so (usually 0)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_matrix_rank(const haft_tensor* A, haft_scalar atol, haft_scalar rtol,
                                             int32_t hermitian, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief X of least |input X - B|, and of least |X| where there are several: input (*, M, N), B (*, M, K) or
 *   vectors (*, M) as linalg_solve takes them. driver: 0 gelsy, 1 gels, which wants full rank, 2 gelsd, 3
 *   gelss; all but gels go by singular values, of which those up to rcond times the largest (none: max(M, N)
 *   times the epsilon of the type) count as 0. residuals (*, K) are the squared distances where M > N, the
 *   rank is full and driver is not gelsy, else empty; rank int64 (*), empty for gels; singular_values for 2
 *   and 3, else empty.
 * @param[in]  input            tensor, floating
 * @param[in]  B                tensor, floating
 * @param[in]  rcond            number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]  driver           integer (usually 0)
 * @param[out] solution         the result, floating; the caller releases it
 * @param[out] residuals        the result, floating; the caller releases it
 * @param[out] rank             the result, floating; the caller releases it
 * @param[out] singular_values  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_LINALG or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_lstsq(const haft_tensor* input, const haft_tensor* B, haft_scalar rcond,
                                       int64_t driver, haft_tensor** solution, haft_tensor** residuals,
                                       haft_tensor** rank, haft_tensor** singular_values) HAFT_NOTHROW;

/**
 * @brief Condition numbers (*) of matrices by a norm: absent or 2, largest over smallest singular value of
 *   (*, M, N), -2 the reverse; 1, -1, infinity and -infinity by the norms of square matrices and their
 *   inverses, infinity for singular ones.
 * @param[in]  A    tensor, floating
 * @param[in]  p    number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_cond(const haft_tensor* A, haft_scalar p, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sum of the singular values of matrices in the two dimensions dim (none: the last two).
 * @param[in]  input      tensor, floating
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  keepdim    0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW,
 *     HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nuclear_norm(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                       int32_t keepdim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Exponentials of matrices (*, N, N): the sum of A^k / k!, by Taylor's polynomial and squaring
 *   (Higham, Functions of Matrices, chapter 10).
 * @param[in]  input  tensor, floating
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_matrix_exp(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief X of tensordot(A, X, X.ndim) = B; the dimensions dims of A are moved to its end first.
 * @param[in]  A           tensor, floating
 * @param[in]  B           tensor, floating
 * @param[in]  dims        dimensions; negative ones count from the end
 * @param[in]  dims_count  number of integers in dims; NULL with 0 means none given
 * @param[out] out         the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW, HAFT_ERROR_LINALG or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_tensorsolve(const haft_tensor* A, const haft_tensor* B, const int64_t* dims,
                                             int64_t dims_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The inverse of tensordot(A, ., ind), where the sizes of the first ind dimensions have the product of
 *   the others.
 * @param[in]  A    tensor, floating
 * @param[in]  ind  integer (usually 2)
 * @param[out] out  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_LINALG or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_tensorinv(const haft_tensor* A, int64_t ind, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Vandermonde's matrices (*, n, N) of (*, n): the powers 0 to N - 1 (none: n) of each element.
 * @param[in]  x    tensor, any dtype but bool
 * @param[in]  N    integer; HAFT_NONE when absent
 * @param[out] out  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linalg_vander(const haft_tensor* x, int64_t N, haft_tensor** out) HAFT_NOTHROW;

/* ---- Index --------------------------------------------------------------------------------------------- */

/**
 * @brief Slices of input along dim at the 1-d index.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  tensor of indices, int64 or int32
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index_select(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief out[i][j] = input[index[i][j]][j] for dim 0, and so on; index has input's rank.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  tensor of indices, int64 or int32
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gather(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with src written where index points along dim; for repeated indices one of the
 *   writes wins.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  tensor of indices, int64 or int32
 * @param[in]  src    tensor, of the dtype of input
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scatter(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                  const haft_tensor* src, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_scatter, written into its first argument: A copy of input with src written where index points
 *   along dim; for repeated indices one of the writes wins.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     dim    a dimension; negative counts from the end
 * @param[in]     index  tensor of indices, int64 or int32
 * @param[in]     src    tensor, of the dtype of input
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_scatter_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                   const haft_tensor* src) HAFT_NOTHROW;

/**
 * @brief A copy of input with src added where index points along dim.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  tensor of indices, int64 or int32
 * @param[in]  src    tensor, of the dtype of input
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scatter_add(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                      const haft_tensor* src, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_scatter_add, written into its first argument: A copy of input with src added where index points
 *   along dim.
 * @param[in,out] input  tensor; receives the result in its own shape and dtype
 * @param[in]     dim    a dimension; negative counts from the end
 * @param[in]     index  tensor of indices, int64 or int32
 * @param[in]     src    tensor, of the dtype of input
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_scatter_add_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                       const haft_tensor* src) HAFT_NOTHROW;

/**
 * @brief A copy of input with the slices of source added at the 1-d index along dim.
 * @param[in]  input   tensor, any dtype
 * @param[in]  dim     a dimension; negative counts from the end
 * @param[in]  index   tensor of indices, int64 or int32
 * @param[in]  source  tensor, of the dtype of input
 * @param[out] out     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index_add(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                    const haft_tensor* source, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_index_add, written into its first argument: A copy of input with the slices of source added at
 *   the 1-d index along dim.
 * @param[in,out] input   tensor; receives the result in its own shape and dtype
 * @param[in]     dim     a dimension; negative counts from the end
 * @param[in]     index   tensor of indices, int64 or int32
 * @param[in]     source  tensor, of the dtype of input
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_index_add_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                     const haft_tensor* source) HAFT_NOTHROW;

/**
 * @brief NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.
 * @param[in]  input          tensor, any dtype, 8-bit floats too
 * @param[in]  indices        array of indices_count tensors; a NULL entry is absent
 * @param[in]  indices_count  number of tensors in indices
 * @param[out] out            a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index(const haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with values written (or added) where advanced indexing points.
 * @param[in]  input          tensor, any dtype, 8-bit floats too
 * @param[in]  indices        array of indices_count tensors; a NULL entry is absent
 * @param[in]  indices_count  number of tensors in indices
 * @param[in]  values         tensor, of the dtype of input
 * @param[in]  accumulate     0 or 1: whether values are added to what is there (usually 0)
 * @param[out] out            a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index_put(const haft_tensor* input, haft_tensor* const* indices,
                                    int64_t indices_count, const haft_tensor* values, int32_t accumulate,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_index_put, written into its first argument: A copy of input with values written (or added)
 *   where advanced indexing points.
 * @param[in,out] input          tensor; receives the result in its own shape and dtype
 * @param[in]     indices        array of indices_count tensors; a NULL entry is absent
 * @param[in]     indices_count  number of tensors in indices
 * @param[in]     values         tensor, of the dtype of input
 * @param[in]     accumulate     0 or 1: whether values are added to what is there (usually 0)
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on input.
 * @since 1.0
 */
HAFT_API haft_status haft_index_put_(haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                                     const haft_tensor* values, int32_t accumulate) HAFT_NOTHROW;

/**
 * @brief The elements where mask is true, as a vector.
 * @param[in]  input  tensor, any dtype, 8-bit floats too
 * @param[in]  mask   tensor, bool
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_masked_select(const haft_tensor* input, const haft_tensor* mask,
                                        haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Indices of the elements that are not 0: (count, ndim), int64.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nonzero(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Elements of the flattened tensor at index, in its shape.
 * @param[in]  input  tensor, any dtype
 * @param[in]  index  tensor of indices, int64 or int32
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_take(const haft_tensor* input, const haft_tensor* index,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Elements of input along dim at indices, both broadcast in the other dimensions; absent: of the
 *   flattened tensor.
 * @param[in]  input    tensor, any dtype
 * @param[in]  indices  tensor of indices, int64 or int32
 * @param[in]  dim      a dimension; negative counts from the end; HAFT_NONE when absent
 * @param[out] out      the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_take_along_dim(const haft_tensor* input, const haft_tensor* indices, int64_t dim,
                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with value in the slices at the 1-d index along dim; negative indices count from the
 *   end.
 * @param[in]  input  tensor, any dtype
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  tensor of indices, int64 or int32
 * @param[in]  value  number; only its kind takes part in promotion
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index_fill(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                     haft_scalar value, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with source written, or added, at index into all elements in row-major order.
 * @param[in]  input       tensor, any dtype
 * @param[in]  index       tensor of indices, int64 or int32
 * @param[in]  source      tensor, of the dtype of input
 * @param[in]  accumulate  0 or 1: whether values are added to what is there (usually 0)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_put(const haft_tensor* input, const haft_tensor* index, const haft_tensor* source,
                              int32_t accumulate, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with src in the place of select(input, dim, index).
 * @param[in]  input  tensor, any dtype
 * @param[in]  src    tensor, of the dtype of input
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[in]  index  integer
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_select_scatter(const haft_tensor* input, const haft_tensor* src, int64_t dim,
                                         int64_t index, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with src in the place of slice(input, dim, start, end, step).
 * @param[in]  input  tensor, any dtype
 * @param[in]  src    tensor, of the dtype of input
 * @param[in]  dim    a dimension; negative counts from the end (usually 0)
 * @param[in]  start  integer; HAFT_NONE when absent
 * @param[in]  end    integer; HAFT_NONE when absent
 * @param[in]  step   integer (usually 1)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_slice_scatter(const haft_tensor* input, const haft_tensor* src, int64_t dim,
                                        int64_t start, int64_t end, int64_t step,
                                        haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with src in the place of diagonal(input, offset, dim1, dim2).
 * @param[in]  input   tensor, any dtype
 * @param[in]  src     tensor, of the dtype of input
 * @param[in]  offset  integer (usually 0)
 * @param[in]  dim1    a dimension; negative counts from the end (usually 0)
 * @param[in]  dim2    a dimension; negative counts from the end (usually 1)
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_diagonal_scatter(const haft_tensor* input, const haft_tensor* src, int64_t offset,
                                           int64_t dim1, int64_t dim2, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with the slices of source written at the 1-d index along dim.
 * @param[in]  input   tensor, any dtype
 * @param[in]  dim     a dimension; negative counts from the end
 * @param[in]  index   tensor of indices, int64 or int32
 * @param[in]  source  tensor, of the dtype of input
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index_copy(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                     const haft_tensor* source, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A copy of input with consecutive elements of source where mask is true.
 * @param[in]  input   tensor, any dtype
 * @param[in]  mask    tensor, bool
 * @param[in]  source  tensor, of the dtype of input
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_masked_scatter(const haft_tensor* input, const haft_tensor* mask,
                                         const haft_tensor* source, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief int64 tensor with 1 at each index that input holds, along a new last dimension; num_classes < 0: the
 *   largest index and 1.
 * @param[in]  input        tensor, any real dtype
 * @param[in]  num_classes  size of the new dimension; negative: the largest index and 1 (usually -1)
 * @param[out] out          the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_one_hot(const haft_tensor* input, int64_t num_classes,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Stable sort along dim; NaN counts as largest.
 * @param[in]  input       tensor, any real dtype
 * @param[in]  dim         a dimension; negative counts from the end (usually -1)
 * @param[in]  descending  0 or 1: whether the largest comes first (usually 0)
 * @param[out] values      a new tensor; the caller releases it
 * @param[out] indices     a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sort(const haft_tensor* input, int64_t dim, int32_t descending,
                               haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Indices that sort input along dim.
 * @param[in]  input       tensor, any real dtype
 * @param[in]  dim         a dimension; negative counts from the end (usually -1)
 * @param[in]  descending  0 or 1: whether the largest comes first (usually 0)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_argsort(const haft_tensor* input, int64_t dim, int32_t descending,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The k largest (or smallest) elements along dim, sorted.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  k        integer
 * @param[in]  dim      a dimension; negative counts from the end (usually -1)
 * @param[in]  largest  0 or 1: whether the largest are wanted (usually 1)
 * @param[out] values   a new tensor; the caller releases it
 * @param[out] indices  a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_topk(const haft_tensor* input, int64_t k, int64_t dim, int32_t largest,
                               haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  k        integer
 * @param[in]  dim      a dimension; negative counts from the end (usually -1)
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] values   the result; the caller releases it
 * @param[out] indices  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_kthvalue(const haft_tensor* input, int64_t k, int64_t dim, int32_t keepdim,
                                   haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared
 *   equally at ties.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_median(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Median of the elements that are not NaN.
 * @param[in]  input  tensor, any real dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nanmedian(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Middle element along dim, the lower of two, and where it stands; NaN if any is.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] values   the result; the caller releases it
 * @param[out] indices  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_median_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                     haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Middle along dim of the elements that are not NaN, and where it stands.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[in]  keepdim  0 or 1: whether what is reduced stays as a dimension of size 1 (usually 0)
 * @param[out] values   the result; the caller releases it
 * @param[out] indices  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nanmedian_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                        haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Where each element of input keeps the last dimension of sorted_sequence in order (int64): before
 *   equal elements, or after them with right. sorted_sequence has one dimension, or the leading ones of
 *   input.
 * @param[in]  sorted_sequence  tensor, any real dtype
 * @param[in]  input            tensor, any real dtype
 * @param[in]  right            0 or 1: whether equal elements stand before (usually 0)
 * @param[out] out              a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_searchsorted(const haft_tensor* sorted_sequence, const haft_tensor* input,
                                       int32_t right, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief searchsorted of input in the vector boundaries.
 * @param[in]  input       tensor, any real dtype
 * @param[in]  boundaries  tensor, any real dtype
 * @param[in]  right       0 or 1: whether equal elements stand before (usually 0)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bucketize(const haft_tensor* input, const haft_tensor* boundaries, int32_t right,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief searchsorted in what sorter, indices as argsort gives them, puts in order along the last dimension.
 * @param[in]  sorted_sequence  tensor, any real dtype
 * @param[in]  input            tensor, any real dtype
 * @param[in]  sorter           tensor, any real dtype
 * @param[in]  right            0 or 1: whether equal elements stand before (usually 0)
 * @param[out] out              the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_searchsorted_by(const haft_tensor* sorted_sequence, const haft_tensor* input,
                                          const haft_tensor* sorter, int32_t right,
                                          haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where an element of elements is among those of test, or is not with invert. NaN is not.
 * @param[in]  elements       tensor, any real dtype
 * @param[in]  test_elements  tensor, any real dtype
 * @param[in]  invert         0 or 1: whether so (usually 0)
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isin(const haft_tensor* elements, const haft_tensor* test_elements, int32_t invert,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief How often each of 0, 1, ... stands in the integer vector input, or the sum of its weights; at least
 *   minlength counts.
 * @param[in]  input      tensor, integer or bool
 * @param[in]  weights    tensor, or NULL when absent
 * @param[in]  minlength  integer (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bincount(const haft_tensor* input, const haft_tensor* weights, int64_t minlength,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Counts in bins of equal width from min to max, both included; equal limits mean those of the data.
 * @param[in]  input  tensor, floating
 * @param[in]  bins   integer (usually 100)
 * @param[in]  min    number (usually 0)
 * @param[in]  max    number (usually 0)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_histc(const haft_tensor* input, int64_t bins, double min, double max,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Counts, or sums of weight, in the bins between edges, or in bins of equal width from min to max
 *   (equal: those of the data): half open, the last one closed. With density they integrate to 1.
 * @param[in]  input      tensor, floating
 * @param[in]  edges      tensor, or NULL when absent
 * @param[in]  weight     tensor, or NULL when absent
 * @param[in]  bins       integer (usually 100)
 * @param[in]  min        number (usually 0)
 * @param[in]  max        number (usually 0)
 * @param[in]  density    0 or 1: whether so (usually 0)
 * @param[out] hist       the result, floating; the caller releases it
 * @param[out] bin_edges  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_histogram(const haft_tensor* input, const haft_tensor* edges,
                                    const haft_tensor* weight, int64_t bins, double min, double max,
                                    int32_t density, haft_tensor** hist,
                                    haft_tensor** bin_edges) HAFT_NOTHROW;

/**
 * @brief Counts of the points input (*, D), or sums of weight (*), in boxes of D dimensions, then the edges
 *   of each dimension. edges are vectors, or none: so many bins of equal width in each dimension as bins says
 *   (one number stands for all), from range[d, 0] to range[d, 1], a tensor (D, 2) (absent: those of the
 *   data). With density over the sum and the boxes' volumes.
 * @param[in]  input          tensor, floating
 * @param[in]  edges          array of edges_count tensors
 * @param[in]  edges_count    number of tensors in edges
 * @param[in]  weight         tensor, or NULL when absent
 * @param[in]  range          tensor, or NULL when absent
 * @param[in]  bins           integers
 * @param[in]  bins_count     number of integers in bins; NULL with 0 means none given
 * @param[in]  density        0 or 1: whether so (usually 0)
 * @param[out] outs           receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity  number of entries that outs has room for
 * @param[out] outs_count     number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_histogramdd(const haft_tensor* input, haft_tensor* const* edges,
                                      int64_t edges_count, const haft_tensor* weight,
                                      const haft_tensor* range, const int64_t* bins, int64_t bins_count,
                                      int32_t density, haft_tensor** outs, int64_t outs_capacity,
                                      int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief Rows of weight (V, D) at indices (*) -> (*, D); row padding_idx gets no gradient. With sparse a
 *   weight that is a leaf gets a gradient of rows, unless that gradient is recorded or captured. With
 *   scale_grad_by_freq a row's gradient is divided by how often indices name it.
 * @param[in]  weight              tensor, any dtype, 8-bit floats too
 * @param[in]  indices             tensor of indices, int64 or int32
 * @param[in]  padding_idx         integer (usually -1)
 * @param[in]  sparse              0 or 1: whether so (usually 0)
 * @param[in]  scale_grad_by_freq  0 or 1: whether so (usually 0)
 * @param[out] out                 a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_embedding(const haft_tensor* weight, const haft_tensor* indices,
                                    int64_t padding_idx, int32_t sparse, int32_t scale_grad_by_freq,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sums (mode 0), means (1) or maxima (2) of the rows of weight at each bag of indices: input (B, N),
 *   or (N) with where each of the bags begins (B): offsets are int64 or int32, begin with 0, do not fall and
 *   are at most N; with include_last_offset the last one is the end. Row padding_idx does not count. sparse
 *   and scale_grad_by_freq, not for maxima, are those of embedding.
 * @param[in]  weight               tensor, any real dtype
 * @param[in]  input                tensor, any real dtype
 * @param[in]  offsets              tensor, or NULL when absent
 * @param[in]  per_sample_weights   tensor, or NULL when absent
 * @param[in]  mode                 integer (usually 1)
 * @param[in]  include_last_offset  0 or 1: whether so (usually 0)
 * @param[in]  padding_idx          integer (usually -1)
 * @param[in]  sparse               0 or 1: whether so (usually 0)
 * @param[in]  scale_grad_by_freq   0 or 1: whether so (usually 0)
 * @param[out] out                  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_embedding_bag(const haft_tensor* weight, const haft_tensor* input,
                                        const haft_tensor* offsets, const haft_tensor* per_sample_weights,
                                        int64_t mode, int32_t include_last_offset, int64_t padding_idx,
                                        int32_t sparse, int32_t scale_grad_by_freq,
                                        haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Rows of weight (V, D) at indices (*) that are longer than max_norm by their p-norm, p = norm_type,
 *   are scaled to it in weight itself, unrecorded. Answers weight.
 * @param[in,out] weight     tensor, which is written
 * @param[in]     indices    tensor of indices, int64 or int32
 * @param[in]     max_norm   number
 * @param[in]     norm_type  number (usually 2)
 * @param[out]    out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any; exclusive on weight.
 * @since 1.0
 */
HAFT_API haft_status haft_embedding_renorm(haft_tensor* weight, const haft_tensor* indices, double max_norm,
                                           double norm_type, haft_tensor** out) HAFT_NOTHROW;

/* ---- Scan ---------------------------------------------------------------------------------------------- */

/**
 * @brief Largest element so far along dim, and the last place where it stood (int64); NaN wins.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[out] values   a new tensor; the caller releases it
 * @param[out] indices  a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cummax(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                 haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Smallest element so far along dim, and the last place where it stood (int64); NaN wins.
 * @param[in]  input    tensor, any real dtype
 * @param[in]  dim      a dimension; negative counts from the end
 * @param[out] values   a new tensor; the caller releases it
 * @param[out] indices  a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cummin(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                 haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief log(cumsum(exp(input))) along dim, without overflow; floats only.
 * @param[in]  input  tensor, floating
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[out] out    a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logcumsumexp(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/* ---- Scatter_reduce (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) --------------------- */

/**
 * @brief A copy of input in which the elements that index points to along dim are reduced with those of src;
 *   without include_self, of src alone. Means of integers are rounded down.
 * @param[in]  input         tensor, any real dtype
 * @param[in]  dim           a dimension; negative counts from the end
 * @param[in]  index         tensor of indices, int64 or int32
 * @param[in]  src           tensor, of the dtype of input
 * @param[in]  reduce        sum, product, mean, largest or smallest: HAFT_REDUCE_...
 * @param[in]  include_self  0 or 1: whether what input holds counts (usually 1)
 * @param[out] out           the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_scatter_reduce(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                         const haft_tensor* src, int64_t reduce, int32_t include_self,
                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief scatter_reduce of whole slices of source at the 1-d index along dim.
 * @param[in]  input         tensor, any real dtype
 * @param[in]  dim           a dimension; negative counts from the end
 * @param[in]  index         tensor of indices, int64 or int32
 * @param[in]  source        tensor, of the dtype of input
 * @param[in]  reduce        sum, product, mean, largest or smallest: HAFT_REDUCE_...
 * @param[in]  include_self  0 or 1: whether what input holds counts (usually 1)
 * @param[out] out           the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_index_reduce(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                       const haft_tensor* source, int64_t reduce, int32_t include_self,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Reductions of consecutive slices of data along its first dimension, of which lengths (a vector)
 *   tells how many there are in each segment; initial takes part in each. A segment of none is 0, 1, NaN,
 *   -infinity or infinity.
 * @param[in]  data     tensor, floating
 * @param[in]  lengths  tensor, floating
 * @param[in]  reduce   sum, product, mean, largest or smallest: HAFT_REDUCE_...
 * @param[in]  initial  number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[out] out      the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_segment_reduce(const haft_tensor* data, const haft_tensor* lengths, int64_t reduce,
                                         haft_scalar initial, haft_tensor** out) HAFT_NOTHROW;

/* ---- Conv ---------------------------------------------------------------------------------------------- */

/**
 * @brief Cross-correlation: input (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W').
 * @param[in]  input           tensor, any real dtype but bool
 * @param[in]  weight          tensor, any real dtype but bool
 * @param[in]  bias            tensor, or NULL when absent
 * @param[in]  stride          steps
 * @param[in]  stride_count    number of integers in stride
 * @param[in]  padding         one number, or height and width
 * @param[in]  padding_count   number of integers in padding
 * @param[in]  dilation        one number, or height and width
 * @param[in]  dilation_count  number of integers in dilation
 * @param[in]  groups          groups of channels that do not see each other; divides both numbers of channels
 *     (usually 1)
 * @param[out] out             a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv2d(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                                 const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                 int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                                 int64_t groups, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Maximum of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size.
 *   Padding counts as -infinity.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool2d(const haft_tensor* input, const int64_t* kernel_size,
                                     int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                     const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                     int64_t dilation_count, int32_t ceil_mode,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size.
 * @param[in]  input              tensor, floating
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[in]  count_include_pad  0 or 1: whether the padding counts (usually 1)
 * @param[in]  divisor_override   integer; HAFT_NONE when absent
 * @param[out] out                a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_avg_pool2d(const haft_tensor* input, const int64_t* kernel_size,
                                     int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                     const int64_t* padding, int64_t padding_count, int32_t ceil_mode,
                                     int32_t count_include_pad, int64_t divisor_override,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean over a grid of output_size windows of input (N, C, H, W) or (C, H, W).
 * @param[in]  input              tensor, floating
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] out                a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_avg_pool2d(const haft_tensor* input, const int64_t* output_size,
                                              int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/* ---- Pool_nd (one number stands for all dimensions; an empty stride means the kernel size) ------------- */

/**
 * @brief Maximum of each window of input (N, C, L) or (C, L). Padding counts as -infinity.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool1d(const haft_tensor* input, const int64_t* kernel_size,
                                     int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                     const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                     int64_t dilation_count, int32_t ceil_mode,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Maximum of each window of input (N, C, D, H, W) or (C, D, H, W). Padding counts as -infinity.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool3d(const haft_tensor* input, const int64_t* kernel_size,
                                     int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                     const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                     int64_t dilation_count, int32_t ceil_mode,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief max_pool1d, and where each maximum stands among the elements of its channel (int64).
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool1d_with_indices(const haft_tensor* input, const int64_t* kernel_size,
                                                  int64_t kernel_size_count, const int64_t* stride,
                                                  int64_t stride_count, const int64_t* padding,
                                                  int64_t padding_count, const int64_t* dilation,
                                                  int64_t dilation_count, int32_t ceil_mode,
                                                  haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief max_pool2d, and where each maximum stands among the elements of its channel (int64).
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool2d_with_indices(const haft_tensor* input, const int64_t* kernel_size,
                                                  int64_t kernel_size_count, const int64_t* stride,
                                                  int64_t stride_count, const int64_t* padding,
                                                  int64_t padding_count, const int64_t* dilation,
                                                  int64_t dilation_count, int32_t ceil_mode,
                                                  haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief max_pool3d, and where each maximum stands among the elements of its channel (int64).
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool3d_with_indices(const haft_tensor* input, const int64_t* kernel_size,
                                                  int64_t kernel_size_count, const int64_t* stride,
                                                  int64_t stride_count, const int64_t* padding,
                                                  int64_t padding_count, const int64_t* dilation,
                                                  int64_t dilation_count, int32_t ceil_mode,
                                                  haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Maximum of output_size windows of input (N, C, H, W) or without N, which begin at random distances
 *   (Graham, arXiv:1412.6071), and where it stands among the elements of its channel (int64). random_samples
 *   (N, C, 2) from [0, 1): of width and height.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  random_samples     tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fractional_max_pool2d(const haft_tensor* input, const haft_tensor* random_samples,
                                                const int64_t* kernel_size, int64_t kernel_size_count,
                                                const int64_t* output_size, int64_t output_size_count,
                                                haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Maximum of output_size windows of input (N, C, D, H, W) or without N, which begin at random
 *   distances (Graham, arXiv:1412.6071), and where it stands among the elements of its channel (int64).
 *   random_samples (N, C, 3) from [0, 1): of depth, height and width.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  random_samples     tensor, any real dtype but bool
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fractional_max_pool3d(const haft_tensor* input, const haft_tensor* random_samples,
                                                const int64_t* kernel_size, int64_t kernel_size_count,
                                                const int64_t* output_size, int64_t output_size_count,
                                                haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Mean of each window of input (N, C, L) or (C, L).
 * @param[in]  input              tensor, floating
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[in]  count_include_pad  0 or 1: whether the padding counts (usually 1)
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_avg_pool1d(const haft_tensor* input, const int64_t* kernel_size,
                                     int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                     const int64_t* padding, int64_t padding_count, int32_t ceil_mode,
                                     int32_t count_include_pad, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean of each window of input (N, C, D, H, W) or (C, D, H, W); divisor_override divides sums in place
 *   of the window's size.
 * @param[in]  input              tensor, floating
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[in]  count_include_pad  0 or 1: whether the padding counts (usually 1)
 * @param[in]  divisor_override   integer; HAFT_NONE when absent
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_avg_pool3d(const haft_tensor* input, const int64_t* kernel_size,
                                     int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                     const int64_t* padding, int64_t padding_count, int32_t ceil_mode,
                                     int32_t count_include_pad, int64_t divisor_override,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (sum of input^norm_type)^(1 / norm_type) over each window of (N, C, L) or (C, L).
 * @param[in]  input              tensor, floating
 * @param[in]  norm_type          number
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lp_pool1d(const haft_tensor* input, double norm_type, const int64_t* kernel_size,
                                    int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                    int32_t ceil_mode, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (sum of input^norm_type)^(1 / norm_type) over each window of (N, C, H, W) or (C, H, W).
 * @param[in]  input              tensor, floating
 * @param[in]  norm_type          number
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lp_pool2d(const haft_tensor* input, double norm_type, const int64_t* kernel_size,
                                    int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                    int32_t ceil_mode, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (sum of input^norm_type)^(1 / norm_type) over each window of (N, C, D, H, W) or (C, D, H, W).
 * @param[in]  input              tensor, floating
 * @param[in]  norm_type          number
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  ceil_mode          0 or 1: whether windows that only begin inside count, too (usually 0)
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lp_pool3d(const haft_tensor* input, double norm_type, const int64_t* kernel_size,
                                    int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                    int32_t ceil_mode, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean over a grid of output_size windows of input (N, C, L) or (C, L); an absent number keeps the
 *   input's size.
 * @param[in]  input              tensor, floating
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_avg_pool1d(const haft_tensor* input, const int64_t* output_size,
                                              int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean over a grid of output_size windows of input (N, C, D, H, W) or (C, D, H, W); an absent number
 *   keeps the input's size.
 * @param[in]  input              tensor, floating
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] out                the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_avg_pool3d(const haft_tensor* input, const int64_t* output_size,
                                              int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Maximum over a grid of output_size windows of input (N, C, L) or (C, L); an absent number keeps the
 *   input's size.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool1d(const haft_tensor* input, const int64_t* output_size,
                                              int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Maximum over a grid of output_size windows of input (N, C, H, W) or (C, H, W); an absent number
 *   keeps the input's size.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool2d(const haft_tensor* input, const int64_t* output_size,
                                              int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Maximum over a grid of output_size windows of input (N, C, D, H, W) or (C, D, H, W); an absent
 *   number keeps the input's size.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool3d(const haft_tensor* input, const int64_t* output_size,
                                              int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief adaptive_max_pool1d, and where each maximum stands among the elements of its channel (int64).
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool1d_with_indices(
    const haft_tensor* input, const int64_t* output_size, int64_t output_size_count, haft_tensor** values,
    haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief adaptive_max_pool2d, and where each maximum stands among the elements of its channel (int64).
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool2d_with_indices(
    const haft_tensor* input, const int64_t* output_size, int64_t output_size_count, haft_tensor** values,
    haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief adaptive_max_pool3d, and where each maximum stands among the elements of its channel (int64).
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[out] values             the result; the caller releases it
 * @param[out] indices            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool3d_with_indices(
    const haft_tensor* input, const int64_t* output_size, int64_t output_size_count, haft_tensor** values,
    haft_tensor** indices) HAFT_NOTHROW;

/**
 * @brief Puts maxima back where max_pool1d_with_indices found them, 0 elsewhere; the last numbers of
 *   output_size are the result's sizes.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  indices            tensor of indices, int64 or int32
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size; NULL with 0 means none given
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_unpool1d(const haft_tensor* input, const haft_tensor* indices,
                                       const int64_t* kernel_size, int64_t kernel_size_count,
                                       const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                       int64_t padding_count, const int64_t* output_size,
                                       int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Puts maxima back where max_pool2d_with_indices found them, 0 elsewhere; the last numbers of
 *   output_size are the result's sizes.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  indices            tensor of indices, int64 or int32
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size; NULL with 0 means none given
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_unpool2d(const haft_tensor* input, const haft_tensor* indices,
                                       const int64_t* kernel_size, int64_t kernel_size_count,
                                       const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                       int64_t padding_count, const int64_t* output_size,
                                       int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Puts maxima back where max_pool3d_with_indices found them, 0 elsewhere; the last numbers of
 *   output_size are the result's sizes.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  indices            tensor of indices, int64 or int32
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size; NULL with 0 means none given
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_OVERFLOW or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_unpool3d(const haft_tensor* input, const haft_tensor* indices,
                                       const int64_t* kernel_size, int64_t kernel_size_count,
                                       const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                       int64_t padding_count, const int64_t* output_size,
                                       int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW;

/* ---- Conv_nd (one number stands for all dimensions) ---------------------------------------------------- */

/**
 * @brief Cross-correlation of (N, C, L) or (C, L) with weight (O, C/groups, kL).
 * @param[in]  input           tensor, any real dtype but bool
 * @param[in]  weight          tensor, any real dtype but bool
 * @param[in]  bias            tensor, or NULL when absent
 * @param[in]  stride          steps
 * @param[in]  stride_count    number of integers in stride; NULL with 0 means none given
 * @param[in]  padding         one number, or height and width
 * @param[in]  padding_count   number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation        one number, or height and width
 * @param[in]  dilation_count  number of integers in dilation; NULL with 0 means none given
 * @param[in]  groups          groups of channels that do not see each other; divides both numbers of channels
 *     (usually 1)
 * @param[out] out             the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv1d(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                                 const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                 int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                                 int64_t groups, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Cross-correlation of (N, C, D, H, W) or (C, D, H, W) with weight (O, C/groups, kD, kH, kW).
 * @param[in]  input           tensor, any real dtype but bool
 * @param[in]  weight          tensor, any real dtype but bool
 * @param[in]  bias            tensor, or NULL when absent
 * @param[in]  stride          steps
 * @param[in]  stride_count    number of integers in stride; NULL with 0 means none given
 * @param[in]  padding         one number, or height and width
 * @param[in]  padding_count   number of integers in padding; NULL with 0 means none given
 * @param[in]  dilation        one number, or height and width
 * @param[in]  dilation_count  number of integers in dilation; NULL with 0 means none given
 * @param[in]  groups          groups of channels that do not see each other; divides both numbers of channels
 *     (usually 1)
 * @param[out] out             the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv3d(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                                 const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                 int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                                 int64_t groups, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The transpose of conv1d: weight (C, O/groups, kL); output_padding adds elements at the end.
 * @param[in]  input                 tensor, any real dtype but bool
 * @param[in]  weight                tensor, any real dtype but bool
 * @param[in]  bias                  tensor, or NULL when absent
 * @param[in]  stride                steps
 * @param[in]  stride_count          number of integers in stride; NULL with 0 means none given
 * @param[in]  padding               one number, or height and width
 * @param[in]  padding_count         number of integers in padding; NULL with 0 means none given
 * @param[in]  output_padding        integers
 * @param[in]  output_padding_count  number of integers in output_padding; NULL with 0 means none given
 * @param[in]  groups                groups of channels that do not see each other; divides both numbers of
 *     channels (usually 1)
 * @param[in]  dilation              one number, or height and width
 * @param[in]  dilation_count        number of integers in dilation; NULL with 0 means none given
 * @param[out] out                   the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv_transpose1d(const haft_tensor* input, const haft_tensor* weight,
                                           const haft_tensor* bias, const int64_t* stride,
                                           int64_t stride_count, const int64_t* padding,
                                           int64_t padding_count, const int64_t* output_padding,
                                           int64_t output_padding_count, int64_t groups,
                                           const int64_t* dilation, int64_t dilation_count,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The transpose of conv2d: weight (C, O/groups, kH, kW); output_padding adds elements at the end.
 * @param[in]  input                 tensor, any real dtype but bool
 * @param[in]  weight                tensor, any real dtype but bool
 * @param[in]  bias                  tensor, or NULL when absent
 * @param[in]  stride                steps
 * @param[in]  stride_count          number of integers in stride; NULL with 0 means none given
 * @param[in]  padding               one number, or height and width
 * @param[in]  padding_count         number of integers in padding; NULL with 0 means none given
 * @param[in]  output_padding        integers
 * @param[in]  output_padding_count  number of integers in output_padding; NULL with 0 means none given
 * @param[in]  groups                groups of channels that do not see each other; divides both numbers of
 *     channels (usually 1)
 * @param[in]  dilation              one number, or height and width
 * @param[in]  dilation_count        number of integers in dilation; NULL with 0 means none given
 * @param[out] out                   the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv_transpose2d(const haft_tensor* input, const haft_tensor* weight,
                                           const haft_tensor* bias, const int64_t* stride,
                                           int64_t stride_count, const int64_t* padding,
                                           int64_t padding_count, const int64_t* output_padding,
                                           int64_t output_padding_count, int64_t groups,
                                           const int64_t* dilation, int64_t dilation_count,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The transpose of conv3d: weight (C, O/groups, kD, kH, kW); output_padding adds elements at the end.
 * @param[in]  input                 tensor, any real dtype but bool
 * @param[in]  weight                tensor, any real dtype but bool
 * @param[in]  bias                  tensor, or NULL when absent
 * @param[in]  stride                steps
 * @param[in]  stride_count          number of integers in stride; NULL with 0 means none given
 * @param[in]  padding               one number, or height and width
 * @param[in]  padding_count         number of integers in padding; NULL with 0 means none given
 * @param[in]  output_padding        integers
 * @param[in]  output_padding_count  number of integers in output_padding; NULL with 0 means none given
 * @param[in]  groups                groups of channels that do not see each other; divides both numbers of
 *     channels (usually 1)
 * @param[in]  dilation              one number, or height and width
 * @param[in]  dilation_count        number of integers in dilation; NULL with 0 means none given
 * @param[out] out                   the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv_transpose3d(const haft_tensor* input, const haft_tensor* weight,
                                           const haft_tensor* bias, const int64_t* stride,
                                           int64_t stride_count, const int64_t* padding,
                                           int64_t padding_count, const int64_t* output_padding,
                                           int64_t output_padding_count, int64_t groups,
                                           const int64_t* dilation, int64_t dilation_count,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The windows of a convolution as columns: (N, C, H, W) -> (N, C kH kW, windows).
 *   torch.nn.functional.unfold.
 * @param[in]  input              tensor, any real dtype
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_im2col(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* dilation, int64_t dilation_count,
                                 const int64_t* padding, int64_t padding_count, const int64_t* stride,
                                 int64_t stride_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Adds the columns of im2col up again: (N, C kH kW, windows) -> (N, C, H, W).
 *   torch.nn.functional.fold.
 * @param[in]  input              tensor, any real dtype but bool
 * @param[in]  output_size        height and width of the grid
 * @param[in]  output_size_count  number of integers in output_size
 * @param[in]  kernel_size        the window: one number, or height and width
 * @param[in]  kernel_size_count  number of integers in kernel_size
 * @param[in]  dilation           one number, or height and width
 * @param[in]  dilation_count     number of integers in dilation; NULL with 0 means none given
 * @param[in]  padding            one number, or height and width
 * @param[in]  padding_count      number of integers in padding; NULL with 0 means none given
 * @param[in]  stride             steps
 * @param[in]  stride_count       number of integers in stride; NULL with 0 means none given
 * @param[out] out                the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_col2im(const haft_tensor* input, const int64_t* output_size,
                                 int64_t output_size_count, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* dilation, int64_t dilation_count,
                                 const int64_t* padding, int64_t padding_count, const int64_t* stride,
                                 int64_t stride_count, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input1 @ weight[k] @ input2 + bias[k] for each k: (*, in1), (*, in2) and weight (out, in1, in2) ->
 *   (*, out).
 * @param[in]  input1  tensor, any real dtype but bool
 * @param[in]  input2  tensor, any real dtype but bool
 * @param[in]  weight  tensor, any real dtype but bool
 * @param[in]  bias    tensor, or NULL when absent
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bilinear(const haft_tensor* input1, const haft_tensor* input2,
                                   const haft_tensor* weight, const haft_tensor* bias,
                                   haft_tensor** out) HAFT_NOTHROW;

/* ---- Resample ------------------------------------------------------------------------------------------ */

/**
 * @brief (*, C r r, H, W) -> (*, C, H r, W r) for the factor r (Shi et al., arXiv:1609.05158).
 * @param[in]  input           tensor, any real dtype
 * @param[in]  upscale_factor  integer
 * @param[out] out             the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pixel_shuffle(const haft_tensor* input, int64_t upscale_factor,
                                        haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (*, C, H r, W r) -> (*, C r r, H, W) for the factor r.
 * @param[in]  input             tensor, any real dtype
 * @param[in]  downscale_factor  integer
 * @param[out] out               the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pixel_unshuffle(const haft_tensor* input, int64_t downscale_factor,
                                          haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (N, groups C, *): channel c of group g becomes channel g of group c (Zhang et al.,
 *   arXiv:1707.01083).
 * @param[in]  input   tensor, any real dtype
 * @param[in]  groups  groups of channels that do not see each other; divides both numbers of channels
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_channel_shuffle(const haft_tensor* input, int64_t groups,
                                          haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Resamples (N, C, *) to size by the nearest element (mode 0), linearly (1), by cubes (2), as means
 *   (3), by the exactly nearest (4), or linearly (5) or by cubes (6) as wide as what an element of the result
 *   covers (HAFT_INTERPOLATE_*); a factor above 0, of the last dimension, the one before and the one before
 *   that, is what places are computed with in the place of the sizes' ratio.
 * @param[in]  input          tensor, any real dtype
 * @param[in]  size           sizes of dimensions
 * @param[in]  size_count     number of integers in size
 * @param[in]  mode           integer (usually 0)
 * @param[in]  align_corners  0 or 1: whether so (usually 0)
 * @param[in]  scale_w        number (usually 0)
 * @param[in]  scale_h        number (usually 0)
 * @param[in]  scale_d        number (usually 0)
 * @param[out] out            the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_interpolate(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                      int64_t mode, int32_t align_corners, double scale_w, double scale_h,
                                      double scale_d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Points of affine maps for grid_sample: (N, 2, 3) and size (N, C, H, W) give (N, H, W, 2), (N, 3, 4)
 *   and (N, C, D, H, W) give (N, D, H, W, 3).
 * @param[in]  theta          tensor, floating
 * @param[in]  size           sizes of dimensions
 * @param[in]  size_count     number of integers in size
 * @param[in]  align_corners  0 or 1: whether so (usually 0)
 * @param[out] out            the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_affine_grid(const haft_tensor* theta, const int64_t* size, int64_t size_count,
                                      int32_t align_corners, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Reads input (N, C, H, W) at the points of grid (N, H', W', 2), or (N, C, D, H, W) at those of (N,
 *   D', H', W', 3), whose corners are -1 and 1: by the nearest element (mode 0), linearly (1) or by cubes
 *   (2), with zeros (padding_mode 0), the edge (1) or reflections (2) outside.
 * @param[in]  input          tensor, floating
 * @param[in]  grid           tensor, floating
 * @param[in]  mode           integer (usually 1)
 * @param[in]  padding_mode   integer (usually 0)
 * @param[in]  align_corners  0 or 1: whether so (usually 0)
 * @param[out] out            the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_grid_sample(const haft_tensor* input, const haft_tensor* grid, int64_t mode,
                                      int64_t padding_mode, int32_t align_corners,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Adds elements before and after the last dimension, the one before it, ...; negative numbers take
 *   them away. mode: value, or what HAFT_PADDING_REFLECT (1), _REPLICATE (2) or _CIRCULAR (3) take from
 *   input.
 * @param[in]  input      tensor, any dtype
 * @param[in]  pad        integers
 * @param[in]  pad_count  number of integers in pad
 * @param[in]  mode       integer (usually 0)
 * @param[in]  value      number; only its kind takes part in promotion (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_OVERFLOW or a status that every operator
 *     may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pad(const haft_tensor* input, const int64_t* pad, int64_t pad_count, int64_t mode,
                              haft_scalar value, haft_tensor** out) HAFT_NOTHROW;

/* ---- Norm ---------------------------------------------------------------------------------------------- */

/**
 * @brief exp(input) / sum(exp(input)) along dim, shifted by the maximum.
 * @param[in]  input  tensor, floating
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[out] out    a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softmax(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_softmax, written into a given tensor: exp(input) / sum(exp(input)) along dim, shifted by the
 *   maximum.
 * @param[in]     input  tensor, floating
 * @param[in]     dim    a dimension; negative counts from the end
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_softmax_out(const haft_tensor* input, int64_t dim, haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief log(softmax(input)) along dim, without overflow.
 * @param[in]  input  tensor, floating
 * @param[in]  dim    a dimension; negative counts from the end
 * @param[out] out    a new tensor, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log_softmax(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief haft_log_softmax, written into a given tensor: log(softmax(input)) along dim, without overflow.
 * @param[in]     input  tensor, floating
 * @param[in]     dim    a dimension; negative counts from the end
 * @param[in,out] out    tensor of the result's shape and dtype; receives the result
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INDEX,
 *     HAFT_ERROR_AUTOGRAD or a status that every operator may answer.
 * @note Thread class: exclusive on out.
 * @since 1.0
 */
HAFT_API haft_status haft_log_softmax_out(const haft_tensor* input, int64_t dim,
                                          haft_tensor* out) HAFT_NOTHROW;

/**
 * @brief (input - mean) / sqrt(var + eps) * weight + bias per channel of input (N, C, *); the others are (C);
 *   updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).
 * @param[in]     input         tensor, floating
 * @param[in]     weight        tensor, or NULL when absent
 * @param[in]     bias          tensor, or NULL when absent
 * @param[in,out] running_mean  tensor, which may be written, or NULL when absent
 * @param[in,out] running_var   tensor, which may be written, or NULL when absent
 * @param[in]     training      0 or 1: whether this is training
 * @param[in]     momentum      part of a new batch in the running statistics (usually 0.1)
 * @param[in]     eps           added to the variance (usually 1e-5)
 * @param[out]    out           the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any; exclusive on running_mean; exclusive on running_var.
 * @since 1.0
 */
HAFT_API haft_status haft_batch_norm(const haft_tensor* input, const haft_tensor* weight,
                                     const haft_tensor* bias, haft_tensor* running_mean,
                                     haft_tensor* running_var, int32_t training, double momentum, double eps,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (input - mean) / sqrt(var + eps) * weight + bias over the last dimensions normalized_shape (Ba et
 *   al., arXiv:1607.06450).
 * @param[in]  input                   tensor, floating
 * @param[in]  normalized_shape        sizes of the last dimensions, over which is normalised
 * @param[in]  normalized_shape_count  number of integers in normalized_shape
 * @param[in]  weight                  tensor, or NULL when absent
 * @param[in]  bias                    tensor, or NULL when absent
 * @param[in]  eps                     added to the variance (usually 1e-5)
 * @param[out] out                     the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_layer_norm(const haft_tensor* input, const int64_t* normalized_shape,
                                     int64_t normalized_shape_count, const haft_tensor* weight,
                                     const haft_tensor* bias, double eps, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input / sqrt(mean(input^2) + eps) * weight over the last dimensions normalized_shape (Zhang and
 *   Sennrich, arXiv:1910.07467); a negative eps is that of the type it is computed in, float32 for 16-bit
 *   floats.
 * @param[in]  input                   tensor, floating
 * @param[in]  normalized_shape        sizes of the last dimensions, over which is normalised
 * @param[in]  normalized_shape_count  number of integers in normalized_shape
 * @param[in]  weight                  tensor, or NULL when absent
 * @param[in]  eps                     added to the variance (usually -1)
 * @param[out] out                     the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rms_norm(const haft_tensor* input, const int64_t* normalized_shape,
                                   int64_t normalized_shape_count, const haft_tensor* weight, double eps,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input (N, C, *) normalised over each of num_groups groups of channels of each sample; weight and
 *   bias (C) (Wu and He, arXiv:1803.08494).
 * @param[in]  input       tensor, floating
 * @param[in]  num_groups  integer
 * @param[in]  weight      tensor, or NULL when absent
 * @param[in]  bias        tensor, or NULL when absent
 * @param[in]  eps         added to the variance (usually 1e-5)
 * @param[out] out         the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_group_norm(const haft_tensor* input, int64_t num_groups, const haft_tensor* weight,
                                     const haft_tensor* bias, double eps, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input (N, C, *) normalised over each channel of each sample; the others are (C). Without
 *   use_input_stats by the running statistics, which else follow the means over the batch.
 * @param[in]     input            tensor, floating
 * @param[in]     weight           tensor, or NULL when absent
 * @param[in]     bias             tensor, or NULL when absent
 * @param[in,out] running_mean     tensor, which may be written, or NULL when absent
 * @param[in,out] running_var      tensor, which may be written, or NULL when absent
 * @param[in]     use_input_stats  0 or 1: whether so (usually 1)
 * @param[in]     momentum         part of a new batch in the running statistics (usually 0.1)
 * @param[in]     eps              added to the variance (usually 1e-5)
 * @param[out]    out              the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any; exclusive on running_mean; exclusive on running_var.
 * @since 1.0
 */
HAFT_API haft_status haft_instance_norm(const haft_tensor* input, const haft_tensor* weight,
                                        const haft_tensor* bias, haft_tensor* running_mean,
                                        haft_tensor* running_var, int32_t use_input_stats, double momentum,
                                        double eps, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input / (k + alpha * mean of squares over size channels)^beta: (N, C, *) (Krizhevsky et al., 2012).
 * @param[in]  input  tensor, floating
 * @param[in]  size   integer
 * @param[in]  alpha  number (usually 1e-4)
 * @param[in]  beta   number (usually 0.75)
 * @param[in]  k      number (usually 1)
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_local_response_norm(const haft_tensor* input, int64_t size, double alpha,
                                              double beta, double k, haft_tensor** out) HAFT_NOTHROW;

/* ---- Recurrent (mode: 0 tanh, 1 relu, 2 LSTM, 3 GRU) --------------------------------------------------- */

/**
 * @brief Recurrent layers: mode 0 is Elman's with tanh, 1 with relu, 2 an LSTM (Hochreiter and Schmidhuber,
 *   1997), 3 a GRU (Cho et al., arXiv:1406.1078). input is (L, N, I), (N, L, I) with batch_first, (L, I), or
 *   with batch_sizes the rows of packed sequences: those of each step, the longest sequence first. weights
 *   are weight_ih, weight_hh, then bias_ih and bias_hh, then weight_hr of a projection, for each layer and
 *   direction. Answers all outputs and the last states (layers * directions, N, *); absent first states are
 *   0, and c is empty but for an LSTM.
 * @param[in]     input              tensor, floating
 * @param[in]     h0                 tensor, or NULL when absent
 * @param[in]     c0                 tensor, or NULL when absent
 * @param[in]     weights            array of weights_count tensors
 * @param[in]     weights_count      number of tensors in weights
 * @param[in]     mode               integer
 * @param[in]     num_layers         integer (usually 1)
 * @param[in]     bidirectional      0 or 1: whether so (usually 0)
 * @param[in]     batch_first        0 or 1: whether so (usually 0)
 * @param[in]     dropout            number (usually 0)
 * @param[in]     training           0 or 1: whether this is training (usually 0)
 * @param[in]     batch_sizes        integers
 * @param[in]     batch_sizes_count  number of integers in batch_sizes; NULL with 0 means none given
 * @param[in,out] generator          generator; NULL for the calling thread's default one
 * @param[out]    out                the result, floating; the caller releases it
 * @param[out]    h                  the result, floating; the caller releases it
 * @param[out]    c                  the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OVERFLOW or a status
 *     that every operator may answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_rnn(const haft_tensor* input, const haft_tensor* h0, const haft_tensor* c0,
                              haft_tensor* const* weights, int64_t weights_count, int64_t mode,
                              int64_t num_layers, int32_t bidirectional, int32_t batch_first, double dropout,
                              int32_t training, const int64_t* batch_sizes, int64_t batch_sizes_count,
                              haft_generator* generator, haft_tensor** out, haft_tensor** h,
                              haft_tensor** c) HAFT_NOTHROW;

/* ---- Sequences (sequences of different lengths, for recurrent layers) ---------------------------------- */

/**
 * @brief Sequences (L, *) of different lengths side by side: (longest, N, *), or (N, longest, *) with
 *   batch_first. padding_value stands behind them, or in front with left.
 * @param[in]  sequences        array of sequences_count tensors
 * @param[in]  sequences_count  number of tensors in sequences
 * @param[in]  batch_first      0 or 1: whether so (usually 0)
 * @param[in]  padding_value    number (usually 0)
 * @param[in]  left             0 or 1: whether so (usually 0)
 * @param[out] out              the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pad_sequence(haft_tensor* const* sequences, int64_t sequences_count,
                                       int32_t batch_first, double padding_value, int32_t left,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The N sequences of (L, N, *), or of (N, L, *) with batch_first, each cut to its length: views.
 *   lengths is int64 or int32 (N).
 * @param[in]  padded_sequences  tensor, any real dtype
 * @param[in]  lengths           tensor, any real dtype
 * @param[in]  batch_first       0 or 1: whether so (usually 0)
 * @param[out] outs              receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity     number of entries that outs has room for
 * @param[out] outs_count        number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unpad_sequence(const haft_tensor* padded_sequences, const haft_tensor* lengths,
                                         int32_t batch_first, haft_tensor** outs, int64_t outs_capacity,
                                         int64_t* outs_count) HAFT_NOTHROW;

/**
 * @brief Padded sequences (L, N, *), or (N, L, *) with batch_first, without their padding, as recurrent
 *   layers take them: data (sum of lengths, *) holds all first steps, then all second ones, the longest
 *   sequence first; batch_sizes (int64, on the host) how many sequences reach each step. sorted_indices (N)
 *   tells which sequence stands where, unsorted_indices the way back. lengths (N), int64 or int32, are 1 to
 *   L, and must not rise with enforce_sorted.
 * @param[in]  input             tensor, any real dtype
 * @param[in]  lengths           tensor, any real dtype
 * @param[in]  batch_first       0 or 1: whether so (usually 0)
 * @param[in]  enforce_sorted    0 or 1: whether so (usually 1)
 * @param[out] data              the result; the caller releases it
 * @param[out] batch_sizes       the result; the caller releases it
 * @param[out] sorted_indices    the result; the caller releases it
 * @param[out] unsorted_indices  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pack_padded_sequence(const haft_tensor* input, const haft_tensor* lengths,
                                               int32_t batch_first, int32_t enforce_sorted,
                                               haft_tensor** data, haft_tensor** batch_sizes,
                                               haft_tensor** sorted_indices,
                                               haft_tensor** unsorted_indices) HAFT_NOTHROW;

/**
 * @brief Sequences (L, *) of different lengths, packed as pack_padded_sequence does.
 * @param[in]  sequences         array of sequences_count tensors
 * @param[in]  sequences_count   number of tensors in sequences
 * @param[in]  enforce_sorted    0 or 1: whether so (usually 1)
 * @param[out] data              the result; the caller releases it
 * @param[out] batch_sizes       the result; the caller releases it
 * @param[out] sorted_indices    the result; the caller releases it
 * @param[out] unsorted_indices  the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pack_sequence(haft_tensor* const* sequences, int64_t sequences_count,
                                        int32_t enforce_sorted, haft_tensor** data, haft_tensor** batch_sizes,
                                        haft_tensor** sorted_indices,
                                        haft_tensor** unsorted_indices) HAFT_NOTHROW;

/**
 * @brief What pack_padded_sequence packed, padded again with padding_value to the longest sequence or to
 *   total_length: (L, N, *), or (N, L, *) with batch_first, and the lengths (N), int64 on the host.
 *   unsorted_indices bring back the order; absent: it stays.
 * @param[in]  data              tensor, any real dtype
 * @param[in]  batch_sizes       tensor, any real dtype
 * @param[in]  unsorted_indices  tensor, or NULL when absent
 * @param[in]  batch_first       0 or 1: whether so (usually 0)
 * @param[in]  padding_value     number (usually 0)
 * @param[in]  total_length      integer; HAFT_NONE when absent
 * @param[out] padded            the result; the caller releases it
 * @param[out] lengths           the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pad_packed_sequence(const haft_tensor* data, const haft_tensor* batch_sizes,
                                              const haft_tensor* unsorted_indices, int32_t batch_first,
                                              double padding_value, int64_t total_length,
                                              haft_tensor** padded, haft_tensor** lengths) HAFT_NOTHROW;

/**
 * @brief The sequences that were packed, each of its own length.
 * @param[in]  data              tensor, any real dtype
 * @param[in]  batch_sizes       tensor, any real dtype
 * @param[in]  unsorted_indices  tensor, or NULL when absent
 * @param[out] outs              receives outs_count tensors; the caller releases each
 * @param[in]  outs_capacity     number of entries that outs has room for
 * @param[out] outs_count        number of results, also when outs is too small
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unpack_sequence(const haft_tensor* data, const haft_tensor* batch_sizes,
                                          const haft_tensor* unsorted_indices, haft_tensor** outs,
                                          int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW;

/* ---- Attention ----------------------------------------------------------------------------------------- */

/**
 * @brief softmax(scale * query @ key^T + attn_mask) @ value: (*, L, E), (*, S, E), (*, S, Ev) -> (*, L, Ev),
 *   in tiles, so that memory is linear in L and S (Dao et al., arXiv:2205.14135). attn_mask broadcasts to (*,
 *   L, S): bool (true: takes part) or added; is_causal lets row i see columns up to i; scale is 1 / sqrt(E)
 *   unless given; with enable_gqa key and value may have fewer heads, a divisor of query's. A row that sees
 *   nothing is 0.
 * @param[in]     query       tensor, floating
 * @param[in]     key         tensor, floating
 * @param[in]     value       tensor, floating
 * @param[in]     attn_mask   tensor, or NULL when absent
 * @param[in]     dropout_p   number (usually 0)
 * @param[in]     is_causal   0 or 1: whether so (usually 0)
 * @param[in]     scale       number; only its kind takes part in promotion; haft_scalar_none(): absent
 * @param[in]     enable_gqa  0 or 1: whether so (usually 0)
 * @param[in,out] generator   generator; NULL for the calling thread's default one
 * @param[out]    out         the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_scaled_dot_product_attention(const haft_tensor* query, const haft_tensor* key,
                                                       const haft_tensor* value, const haft_tensor* attn_mask,
                                                       double dropout_p, int32_t is_causal, haft_scalar scale,
                                                       int32_t enable_gqa, haft_generator* generator,
                                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Attention of several heads (Vaswani et al., arXiv:1706.03762): query (L, N, E), key and value (S, N,
 *   *), (N, L, E) and (N, S, *) with batch_first, or without N, projected by in_proj_weight (3 E, E) or by
 *   three weights, then by out_proj_weight unless it is absent. bias_k and bias_v, and with add_zero_attn a
 *   zero, stand behind keys and values; static_k and static_v (N * num_heads, S, E / num_heads) replace them.
 *   key_padding_mask (N, S) and attn_mask, (L, S) or (N * num_heads, L, S), are bool (true: not attended to)
 *   or added. weights are (N, L, S), or (N, num_heads, L, S) unless averaged, or empty: without them memory
 *   is linear in L and S. A row that sees nothing is 0.
 * @param[in]     query                 tensor, floating
 * @param[in]     key                   tensor, floating
 * @param[in]     value                 tensor, floating
 * @param[in]     in_proj_weight        tensor, or NULL when absent
 * @param[in]     q_proj_weight         tensor, or NULL when absent
 * @param[in]     k_proj_weight         tensor, or NULL when absent
 * @param[in]     v_proj_weight         tensor, or NULL when absent
 * @param[in]     in_proj_bias          tensor, or NULL when absent
 * @param[in]     bias_k                tensor, or NULL when absent
 * @param[in]     bias_v                tensor, or NULL when absent
 * @param[in]     out_proj_weight       tensor, or NULL when absent
 * @param[in]     out_proj_bias         tensor, or NULL when absent
 * @param[in]     key_padding_mask      tensor, or NULL when absent
 * @param[in]     attn_mask             tensor, or NULL when absent
 * @param[in]     static_k              tensor, or NULL when absent
 * @param[in]     static_v              tensor, or NULL when absent
 * @param[in]     num_heads             integer
 * @param[in]     add_zero_attn         0 or 1: whether so (usually 0)
 * @param[in]     dropout_p             number (usually 0)
 * @param[in]     is_causal             0 or 1: whether so (usually 0)
 * @param[in]     need_weights          0 or 1: whether so (usually 1)
 * @param[in]     average_attn_weights  0 or 1: whether so (usually 1)
 * @param[in]     batch_first           0 or 1: whether so (usually 0)
 * @param[in,out] generator             generator; NULL for the calling thread's default one
 * @param[out]    out                   the result, floating; the caller releases it
 * @param[out]    weights               the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_multi_head_attention(const haft_tensor* query, const haft_tensor* key,
                                               const haft_tensor* value, const haft_tensor* in_proj_weight,
                                               const haft_tensor* q_proj_weight,
                                               const haft_tensor* k_proj_weight,
                                               const haft_tensor* v_proj_weight,
                                               const haft_tensor* in_proj_bias, const haft_tensor* bias_k,
                                               const haft_tensor* bias_v, const haft_tensor* out_proj_weight,
                                               const haft_tensor* out_proj_bias,
                                               const haft_tensor* key_padding_mask,
                                               const haft_tensor* attn_mask, const haft_tensor* static_k,
                                               const haft_tensor* static_v, int64_t num_heads,
                                               int32_t add_zero_attn, double dropout_p, int32_t is_causal,
                                               int32_t need_weights, int32_t average_attn_weights,
                                               int32_t batch_first, haft_generator* generator,
                                               haft_tensor** out, haft_tensor** weights) HAFT_NOTHROW;

/**
 * @brief Rotary positions (Su et al., arXiv:2104.09864): each pair (a, b) of input (*, L, E) becomes (a cos -
 *   b sin, b cos + a sin). cos and sin (*, L, P) broadcast to input's leading dimensions. The first 2 P
 *   elements are P pairs: (i, i + P) (Llama), or neighbours (2 i, 2 i + 1) with interleaved (GPT-J); those
 *   behind them stay.
 * @param[in]  input        tensor, floating
 * @param[in]  cos          tensor, floating
 * @param[in]  sin          tensor, floating
 * @param[in]  interleaved  0 or 1: whether so (usually 0)
 * @param[out] out          the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rotary_embedding(const haft_tensor* input, const haft_tensor* cos,
                                           const haft_tensor* sin, int32_t interleaved,
                                           haft_tensor** out) HAFT_NOTHROW;

/* ---- Loss (reduction: 0 none, 1 mean, 2 sum) ----------------------------------------------------------- */

/**
 * @brief -log softmax(input)[target]: input (N, C, *) against class indices (N, *) of int64, or probabilities
 *   of input's shape.
 * @param[in]  input            tensor, floating
 * @param[in]  target           tensor; what input should be
 * @param[in]  weight           tensor, or NULL when absent
 * @param[in]  reduction        none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  ignore_index     a class that does not count (usually -100)
 * @param[in]  label_smoothing  part of the target that all classes share, from 0 to 1 (usually 0)
 * @param[out] out              the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cross_entropy(const haft_tensor* input, const haft_tensor* target,
                                        const haft_tensor* weight, int64_t reduction, int64_t ignore_index,
                                        double label_smoothing, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief -input[target] for log-probabilities input (N, C, *) and class indices target (N, *), int64.
 * @param[in]  input         tensor, floating
 * @param[in]  target        tensor; what input should be
 * @param[in]  weight        tensor, or NULL when absent
 * @param[in]  reduction     none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  ignore_index  a class that does not count (usually -100)
 * @param[out] out           the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nll_loss(const haft_tensor* input, const haft_tensor* target,
                                   const haft_tensor* weight, int64_t reduction, int64_t ignore_index,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief (input - target)^2; the shapes broadcast.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mse_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief |input - target|; the shapes broadcast.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_l1_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Quadratic below beta, linear above (Girshick, arXiv:1504.08083).
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  beta       number (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_smooth_l1_loss(const haft_tensor* input, const haft_tensor* target,
                                         int64_t reduction, double beta, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Huber's loss: delta times smooth_l1_loss with beta = delta.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  delta      number (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_huber_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                     double delta, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief mse_loss times weight, which has input's sizes; the mean is the sum over that of weight.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  weight     tensor, any real dtype but bool
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_weighted_mse_loss(const haft_tensor* input, const haft_tensor* target,
                                            const haft_tensor* weight, int64_t reduction,
                                            haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief l1_loss times weight, which has input's sizes; the mean is the sum over that of weight.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  weight     tensor, any real dtype but bool
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_weighted_l1_loss(const haft_tensor* input, const haft_tensor* target,
                                           const haft_tensor* weight, int64_t reduction,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief huber_loss times weight, which has input's sizes; the mean is over all elements.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  weight     tensor, any real dtype but bool
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  delta      number (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_weighted_huber_loss(const haft_tensor* input, const haft_tensor* target,
                                              const haft_tensor* weight, int64_t reduction, double delta,
                                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief -(target log input + (1 - target) log(1 - input)); logarithms are limited to -100 as in PyTorch.
 * @param[in]  input      tensor, any real dtype but bool
 * @param[in]  target     tensor; what input should be
 * @param[in]  weight     tensor, or NULL when absent
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_binary_cross_entropy(const haft_tensor* input, const haft_tensor* target,
                                               const haft_tensor* weight, int64_t reduction,
                                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief binary_cross_entropy of sigmoid(input), without overflow.
 * @param[in]  input       tensor, any real dtype but bool
 * @param[in]  target      tensor; what input should be
 * @param[in]  weight      tensor, or NULL when absent
 * @param[in]  pos_weight  tensor, or NULL when absent
 * @param[in]  reduction   none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_binary_cross_entropy_with_logits(
    const haft_tensor* input, const haft_tensor* target, const haft_tensor* weight,
    const haft_tensor* pos_weight, int64_t reduction, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief target (log target - input) for log-probabilities input; reduction 3, batchmean, is the sum over the
 *   size of the first dimension.
 * @param[in]  input       tensor, any real dtype but bool
 * @param[in]  target      tensor; what input should be
 * @param[in]  reduction   none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  log_target  0 or 1: whether so (usually 0)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_kl_div(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                 int32_t log_target, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Negative logarithm of a Poisson distribution with rate exp(input), or input; full adds Stirling's
 *   term where target > 1.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  log_input  0 or 1: whether so (usually 1)
 * @param[in]  full       0 or 1: whether so (usually 0)
 * @param[in]  eps        added to the variance (usually 1e-8)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_poisson_nll_loss(const haft_tensor* input, const haft_tensor* target,
                                           int32_t log_input, int32_t full, double eps, int64_t reduction,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Negative logarithm of normal distributions with means input and variances var, which count at least
 *   eps; full adds the constant.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  var        tensor, floating
 * @param[in]  full       0 or 1: whether so (usually 0)
 * @param[in]  eps        added to the variance (usually 1e-6)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gaussian_nll_loss(const haft_tensor* input, const haft_tensor* target,
                                            const haft_tensor* var, int32_t full, double eps,
                                            int64_t reduction, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input where target is 1, max(0, margin - input) where it is -1.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  margin     number (usually 1)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hinge_embedding_loss(const haft_tensor* input, const haft_tensor* target,
                                               double margin, int64_t reduction,
                                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief log(1 + exp(-target * input)), without overflow.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_soft_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                           int64_t reduction, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief max(0, -target * (input1 - input2) + margin).
 * @param[in]  input1     tensor, floating
 * @param[in]  input2     tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  margin     number (usually 0)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_margin_ranking_loss(const haft_tensor* input1, const haft_tensor* input2,
                                              const haft_tensor* target, double margin, int64_t reduction,
                                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief 1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1: (N, D), (N, D) and
 *   (N), or (D), (D) and ().
 * @param[in]  input1     tensor, floating
 * @param[in]  input2     tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  margin     number (usually 0)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cosine_embedding_loss(const haft_tensor* input1, const haft_tensor* input2,
                                                const haft_tensor* target, double margin, int64_t reduction,
                                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief max(0, d(anchor, positive) - d(anchor, negative) + margin) with d the pairwise_distance; swap takes
 *   d(positive, negative) where that is smaller.
 * @param[in]  anchor     tensor, floating
 * @param[in]  positive   tensor, floating
 * @param[in]  negative   tensor, floating
 * @param[in]  margin     number (usually 1)
 * @param[in]  p          number (usually 2)
 * @param[in]  eps        added to the variance (usually 1e-6)
 * @param[in]  swap       0 or 1: whether so (usually 0)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_triplet_margin_loss(const haft_tensor* anchor, const haft_tensor* positive,
                                              const haft_tensor* negative, double margin, double p,
                                              double eps, int32_t swap, int64_t reduction,
                                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Mean over the other classes of max(0, margin - input[target] + input[i])^p: input (N, C) or (C),
 *   class indices (N) or (), p 1 or 2.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  weight     tensor, or NULL when absent
 * @param[in]  p          integer (usually 1)
 * @param[in]  margin     number (usually 1)
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multi_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                            const haft_tensor* weight, int64_t p, double margin,
                                            int64_t reduction, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Hinge loss between each target class and each other one: (N, C) or (C), twice; a row of class
 *   indices ends at its first -1.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multilabel_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                                 int64_t reduction, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief binary_cross_entropy_with_logits of each class, mean over the classes in the last dimension.
 * @param[in]  input      tensor, floating
 * @param[in]  target     tensor; what input should be
 * @param[in]  weight     tensor, or NULL when absent
 * @param[in]  reduction  none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[out] out        the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multilabel_soft_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                                      const haft_tensor* weight, int64_t reduction,
                                                      haft_tensor** out) HAFT_NOTHROW;

/* ---- Ctc ----------------------------------------------------------------------------------------------- */

/**
 * @brief -log of the probability of each target over all ways to spread it over the steps, with blanks
 *   between: log_probs (T, N, C) as log_softmax answers them, targets (N, S) or one after the other, lengths
 *   (N); or (T, C), (S), (), () (Graves et al., 2006). The mean is that of the losses divided by their
 *   targets' lengths; zero_infinity takes 0 where a target does not fit.
 * @param[in]  log_probs       tensor, floating
 * @param[in]  targets         tensor, floating
 * @param[in]  input_lengths   tensor, floating
 * @param[in]  target_lengths  tensor, floating
 * @param[in]  blank           integer (usually 0)
 * @param[in]  reduction       none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  zero_infinity   0 or 1: whether so (usually 0)
 * @param[out] out             the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ctc_loss(const haft_tensor* log_probs, const haft_tensor* targets,
                                   const haft_tensor* input_lengths, const haft_tensor* target_lengths,
                                   int64_t blank, int64_t reduction, int32_t zero_infinity,
                                   haft_tensor** out) HAFT_NOTHROW;

/* ---- Linear_cross_entropy ------------------------------------------------------------------------------ */

/**
 * @brief cross_entropy(linear(input, linear_weight, linear_bias), target): input (N, D), linear_weight (C,
 *   D), class indices target (N), linear_bias and weight (C). Few of the N C logits are in memory at a time,
 *   forward and backward: on the CPU at most 4 Mi, on NVIDIA's GPUs 256 MiB (less where the device has less
 *   than 128 GiB, a 512th), but 16 rows at least; only gradients that are recorded themselves hold them all,
 *   and what else it takes: linear_weight and linear_bias (C, *, D) and (C, *) with targets (N, *),
 *   probabilities (N, C, *) as targets, and one input (D).
 * @param[in]  input            tensor, floating
 * @param[in]  linear_weight    tensor, floating
 * @param[in]  target           tensor; what input should be
 * @param[in]  linear_bias      tensor, or NULL when absent
 * @param[in]  weight           tensor, or NULL when absent
 * @param[in]  reduction        none, mean or sum: HAFT_REDUCTION_... (usually 1)
 * @param[in]  ignore_index     a class that does not count (usually -100)
 * @param[in]  label_smoothing  part of the target that all classes share, from 0 to 1 (usually 0)
 * @param[out] out              the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linear_cross_entropy(const haft_tensor* input, const haft_tensor* linear_weight,
                                               const haft_tensor* target, const haft_tensor* linear_bias,
                                               const haft_tensor* weight, int64_t reduction,
                                               int64_t ignore_index, double label_smoothing,
                                               haft_tensor** out) HAFT_NOTHROW;

/* ---- Complex: complex numbers -------------------------------------------------------------------------- */

/**
 * @brief The memory of complex input (*) as its parts (*, 2), real and imaginary.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_view_as_real(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The memory of pairs (*, 2), float32 or float64, as complex numbers (*).
 * @param[in]  input  tensor, floating or complex
 * @param[out] out    a view of the same memory; the caller releases it
 * @return HAFT_OK or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_view_as_complex(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief real + i imag, which are both float32 or both float64.
 * @param[in]  real  tensor, floating or complex
 * @param[in]  imag  tensor, floating or complex
 * @param[out] out   the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_complex(const haft_tensor* real, const haft_tensor* imag,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief abs (cos(angle) + i sin(angle)), angle in radians.
 * @param[in]  abs    tensor, floating or complex
 * @param[in]  angle  tensor, floating or complex
 * @param[out] out    the result, floating; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_polar(const haft_tensor* abs, const haft_tensor* angle,
                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The real part, a view; input itself where it is real.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_real(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The imaginary part of complex input, a view.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_imag(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The complex conjugate, a new tensor; input itself where it is real.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conj(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The angle of a complex number in radians, -pi to pi; of a real one 0, or pi below 0.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_angle(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief input / |input|, and 0 at 0; sign of what is real.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sgn(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief True where the imaginary part is 0.
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_isreal(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Sum of products of two vectors, the first one conjugated: (K) x (K) -> ().
 * @param[in]  input  tensor, any dtype but bool
 * @param[in]  other  tensor, any dtype but bool
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_vdot(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Matrices (*, M, N) transposed and conjugated: (*, N, M).
 * @param[in]  input  tensor, any dtype
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adjoint(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW;

/* ---- Fourier: Fourier transforms (norm: 0 backward, 1 ortho, 2 forward: HAFT_FFT_*) -------------------- */

/**
 * @brief Discrete Fourier transform along dim: y[k] = sum_j x[j] exp(-2 pi i j k / n), of input cut or padded
 *   with 0 to n.
 * @param[in]  input  tensor, any dtype
 * @param[in]  n      integer; HAFT_NONE when absent
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[in]  norm   HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_fft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_fft: (1 / n) sum_k x[k] exp(2 pi i j k / n).
 * @param[in]  input  tensor, any dtype
 * @param[in]  n      integer; HAFT_NONE when absent
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[in]  norm   HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_ifft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief fft_fft of real input: the elements 0 to n / 2, of which the others are conjugates.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  n      integer; HAFT_NONE when absent
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[in]  norm   HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_rfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_rfft: n real numbers, 2 (size - 1) unless given.
 * @param[in]  input  tensor, any dtype
 * @param[in]  n      integer; HAFT_NONE when absent
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[in]  norm   HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_irfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief fft_fft of a signal that is its own conjugate reversed, given by its first half: n real numbers, 2
 *   (size - 1) unless given.
 * @param[in]  input  tensor, any dtype
 * @param[in]  n      integer; HAFT_NONE when absent
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[in]  norm   HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_hfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_hfft: elements 0 to n / 2.
 * @param[in]  input  tensor, any real dtype
 * @param[in]  n      integer; HAFT_NONE when absent
 * @param[in]  dim    a dimension; negative counts from the end (usually -1)
 * @param[in]  norm   HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out    the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_ihfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief fft_fft along each of dim, cut or padded to the sizes s; -1 there keeps a size. An empty dim means
 *   all, or the last ones that s names; a transform along none, PyTorch's dim=(), is input itself.
 * @param[in]  input      tensor, any dtype
 * @param[in]  s          integers
 * @param[in]  s_count    number of integers in s; NULL with 0 means none given
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  norm       HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_fftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                   const int64_t* dim, int64_t dim_count, int64_t norm,
                                   haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_fftn.
 * @param[in]  input      tensor, any dtype
 * @param[in]  s          integers
 * @param[in]  s_count    number of integers in s; NULL with 0 means none given
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  norm       HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_ifftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                    const int64_t* dim, int64_t dim_count, int64_t norm,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief fft_fftn of real input: the last of dim is halved as by fft_rfft.
 * @param[in]  input      tensor, any real dtype
 * @param[in]  s          integers
 * @param[in]  s_count    number of integers in s; NULL with 0 means none given
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  norm       HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_rfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                    const int64_t* dim, int64_t dim_count, int64_t norm,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_rfftn.
 * @param[in]  input      tensor, any dtype
 * @param[in]  s          integers
 * @param[in]  s_count    number of integers in s; NULL with 0 means none given
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  norm       HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_irfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                     const int64_t* dim, int64_t dim_count, int64_t norm,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief fft_hfft along the last of dim, fft_fft along the others.
 * @param[in]  input      tensor, any dtype
 * @param[in]  s          integers
 * @param[in]  s_count    number of integers in s; NULL with 0 means none given
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  norm       HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_hfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                    const int64_t* dim, int64_t dim_count, int64_t norm,
                                    haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_hfftn.
 * @param[in]  input      tensor, any real dtype
 * @param[in]  s          integers
 * @param[in]  s_count    number of integers in s; NULL with 0 means none given
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[in]  norm       HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD (usually 0)
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_ihfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                     const int64_t* dim, int64_t dim_count, int64_t norm,
                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Frequencies of the n elements of fft_fft for samples d apart: 0, 1, ..., then negative ones, over n
 *   d.
 * @param[in]  n       integer
 * @param[in]  d       number (usually 1)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_fftfreq(int64_t n, double d, haft_dtype dtype, haft_device device,
                                      haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Frequencies of the elements of fft_rfft of n samples d apart: 0 to n / 2, over n d.
 * @param[in]  n       integer
 * @param[in]  d       number (usually 1)
 * @param[in]  dtype   element type; HAFT_DTYPE_NONE: inferred
 * @param[in]  device  device; HAFT_DEVICE_DEFAULT: the default one
 * @param[out] out     the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_DEVICE or a status that every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_rfftfreq(int64_t n, double d, haft_dtype dtype, haft_device device,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The zero frequency moved to the middle of each of dim (none: all).
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_fftshift(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                       haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of fft_fftshift.
 * @param[in]  input      tensor, any dtype
 * @param[in]  dim        dimensions; negative ones count from the end
 * @param[in]  dim_count  number of integers in dim; NULL with 0 means none given
 * @param[out] out        the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INDEX, HAFT_ERROR_OVERFLOW or a status that
 *     every operator may answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fft_ifftshift(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                        haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Short-time Fourier transform: input (*, T), * at most a batch, in frames of n_fft, hop_length (n_fft
 *   / 4) apart, times window (win_length), (*, frequencies, frames). center: frame t has its middle at t
 *   hop_length, of input padded by n_fft / 2 at both ends as pad says (pad_mode 0 constant, 1 reflect, 2
 *   replicate, 3 circular). onesided: frequencies 0 to n_fft / 2; normalized: over sqrt(n_fft).
 * @param[in]  input       tensor, any dtype
 * @param[in]  n_fft       integer
 * @param[in]  hop_length  integer; HAFT_NONE when absent
 * @param[in]  win_length  integer; HAFT_NONE when absent
 * @param[in]  window      tensor, or NULL when absent
 * @param[in]  center      0 or 1: whether so (usually 1)
 * @param[in]  pad_mode    integer (usually 1)
 * @param[in]  normalized  0 or 1: whether so (usually 0)
 * @param[in]  onesided    0 or 1: whether so (usually 1)
 * @param[out] out         the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_stft(const haft_tensor* input, int64_t n_fft, int64_t hop_length,
                               int64_t win_length, const haft_tensor* window, int32_t center,
                               int64_t pad_mode, int32_t normalized, int32_t onesided,
                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Inverse of stft by least squares (Griffin and Lim, 1984): input (*, frequencies, frames), (*,
 *   length); every sample must be under some window.
 * @param[in]  input           tensor, any dtype
 * @param[in]  n_fft           integer
 * @param[in]  hop_length      integer; HAFT_NONE when absent
 * @param[in]  win_length      integer; HAFT_NONE when absent
 * @param[in]  window          tensor, or NULL when absent
 * @param[in]  center          0 or 1: whether so (usually 1)
 * @param[in]  normalized      0 or 1: whether so (usually 0)
 * @param[in]  onesided        0 or 1: whether so (usually 1)
 * @param[in]  length          integer; HAFT_NONE when absent
 * @param[in]  return_complex  0 or 1: whether so (usually 0)
 * @param[out] out             the result; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE or a status that every operator may
 *     answer.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_istft(const haft_tensor* input, int64_t n_fft, int64_t hop_length,
                                int64_t win_length, const haft_tensor* window, int32_t center,
                                int32_t normalized, int32_t onesided, int64_t length, int32_t return_complex,
                                haft_tensor** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
