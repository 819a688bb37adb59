/* Generated from core/schema/ops.def and the headers beside this one by tools/generate; do not edit.
 *
 * Every function of haft in one table, for programs that load the library at run time and look up one symbol.
 * haft_dl.h does so and gives the functions their usual names. Slots are only ever appended: the table of a
 * newer library serves a program built with an older header.
 */
#ifndef HAFT_API_TABLE_H
#define HAFT_API_TABLE_H
#include <haft/amp.h>
#include <haft/autograd.h>
#include <haft/data.h>
#include <haft/data_parallel.h>
#include <haft/device_graph.h>
#include <haft/distributions.h>
#include <haft/dlpack.h>
#include <haft/error.h>
#include <haft/evaluator.h>
#include <haft/fully_sharded.h>
#include <haft/fused.h>
#include <haft/init.h>
#include <haft/io.h>
#include <haft/layers.h>
#include <haft/model_parallel.h>
#include <haft/nn.h>
#include <haft/ops.h>
#include <haft/optim.h>
#include <haft/optimizers.h>
#include <haft/parallel.h>
#include <haft/parameter_server.h>
#include <haft/process_group.h>
#include <haft/rpc.h>
#include <haft/runtime.h>
#include <haft/session.h>
#include <haft/sharded_checkpoint.h>
#include <haft/sharding.h>
#include <haft/shared_memory.h>
#include <haft/store.h>
#include <haft/stream.h>
#include <haft/tensor.h>
#include <haft/tensor_parallel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_api {
  uint32_t struct_size; /* bytes that the library's table has */
  uint32_t version;     /* the library's HAFT_VERSION_NUMBER */
  haft_status (*haft_abs)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_abs_)(haft_tensor* input);
  haft_status (*haft_abs_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_neg)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_neg_)(haft_tensor* input);
  haft_status (*haft_neg_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_sign)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sign_)(haft_tensor* input);
  haft_status (*haft_sign_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_exp)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_exp_)(haft_tensor* input);
  haft_status (*haft_exp_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_exp2)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_exp2_)(haft_tensor* input);
  haft_status (*haft_exp2_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_expm1)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_expm1_)(haft_tensor* input);
  haft_status (*haft_expm1_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_log)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_log_)(haft_tensor* input);
  haft_status (*haft_log_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_log2)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_log2_)(haft_tensor* input);
  haft_status (*haft_log2_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_log10)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_log10_)(haft_tensor* input);
  haft_status (*haft_log10_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_log1p)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_log1p_)(haft_tensor* input);
  haft_status (*haft_log1p_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_sqrt)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sqrt_)(haft_tensor* input);
  haft_status (*haft_sqrt_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_rsqrt)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_rsqrt_)(haft_tensor* input);
  haft_status (*haft_rsqrt_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_square)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_square_)(haft_tensor* input);
  haft_status (*haft_square_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_reciprocal)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_reciprocal_)(haft_tensor* input);
  haft_status (*haft_reciprocal_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_sin)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sin_)(haft_tensor* input);
  haft_status (*haft_sin_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_cos)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_cos_)(haft_tensor* input);
  haft_status (*haft_cos_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_tan)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_tan_)(haft_tensor* input);
  haft_status (*haft_tan_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_asin)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_asin_)(haft_tensor* input);
  haft_status (*haft_asin_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_acos)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_acos_)(haft_tensor* input);
  haft_status (*haft_acos_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_atan)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_atan_)(haft_tensor* input);
  haft_status (*haft_atan_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_sinh)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sinh_)(haft_tensor* input);
  haft_status (*haft_sinh_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_cosh)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_cosh_)(haft_tensor* input);
  haft_status (*haft_cosh_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_tanh)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_tanh_)(haft_tensor* input);
  haft_status (*haft_tanh_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_erf)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_erf_)(haft_tensor* input);
  haft_status (*haft_erf_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_sigmoid)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sigmoid_)(haft_tensor* input);
  haft_status (*haft_sigmoid_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_floor)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_floor_)(haft_tensor* input);
  haft_status (*haft_floor_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_ceil)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_ceil_)(haft_tensor* input);
  haft_status (*haft_ceil_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_round)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_round_)(haft_tensor* input);
  haft_status (*haft_round_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_trunc)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_trunc_)(haft_tensor* input);
  haft_status (*haft_trunc_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_isnan)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_isinf)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_isfinite)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_logical_not)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_bitwise_not)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_bitwise_not_)(haft_tensor* input);
  haft_status (*haft_bitwise_not_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_add)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_add_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_add_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_sub)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_sub_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_sub_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_mul)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_mul_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_mul_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_div)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_div_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_div_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_pow)(const haft_tensor* input, const haft_tensor* exponent, haft_tensor** out);
  haft_status (*haft_pow_)(haft_tensor* input, const haft_tensor* exponent);
  haft_status (*haft_pow_out)(const haft_tensor* input, const haft_tensor* exponent, haft_tensor* out);
  haft_status (*haft_maximum)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_maximum_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_maximum_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_minimum)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_minimum_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_minimum_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_fmod)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_fmod_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_fmod_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_remainder)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_remainder_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_remainder_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_floor_divide)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_floor_divide_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_floor_divide_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_atan2)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_atan2_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_atan2_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_eq)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_ne)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_lt)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_le)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_gt)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_ge)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_logical_and)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_logical_or)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_logical_xor)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_bitwise_and)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_bitwise_and_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_bitwise_and_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_bitwise_or)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_bitwise_or_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_bitwise_or_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_bitwise_xor)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_bitwise_xor_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_bitwise_xor_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_add_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_add_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_add_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_sub_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_sub_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_sub_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_rsub_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_rsub_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_mul_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_mul_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_mul_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_div_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_div_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_div_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_rdiv_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_rdiv_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_pow_scalar)(const haft_tensor* input, haft_scalar exponent, haft_tensor** out);
  haft_status (*haft_pow_scalar_)(haft_tensor* input, haft_scalar exponent);
  haft_status (*haft_pow_scalar_out)(const haft_tensor* input, haft_scalar exponent, haft_tensor* out);
  haft_status (*haft_rpow_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_rpow_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_fmod_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_fmod_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_fmod_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_remainder_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_remainder_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_remainder_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_floor_divide_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_floor_divide_scalar_)(haft_tensor* input, haft_scalar other);
  haft_status (*haft_floor_divide_scalar_out)(const haft_tensor* input, haft_scalar other, haft_tensor* out);
  haft_status (*haft_eq_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_ne_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_lt_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_le_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_gt_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_ge_scalar)(const haft_tensor* input, haft_scalar other, haft_tensor** out);
  haft_status (*haft_clamp)(const haft_tensor* input, haft_scalar min, haft_scalar max, haft_tensor** out);
  haft_status (*haft_clamp_)(haft_tensor* input, haft_scalar min, haft_scalar max);
  haft_status (*haft_clamp_out)(const haft_tensor* input, haft_scalar min, haft_scalar max, haft_tensor* out);
  haft_status (*haft_where)(const haft_tensor* condition, const haft_tensor* input, const haft_tensor* other,
                            haft_tensor** out);
  haft_status (*haft_where_out)(const haft_tensor* condition, const haft_tensor* input,
                                const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_masked_fill)(const haft_tensor* input, const haft_tensor* mask, haft_scalar value,
                                  haft_tensor** out);
  haft_status (*haft_masked_fill_)(haft_tensor* input, const haft_tensor* mask, haft_scalar value);
  haft_status (*haft_addcmul)(const haft_tensor* input, const haft_tensor* tensor1,
                              const haft_tensor* tensor2, haft_scalar value, haft_tensor** out);
  haft_status (*haft_addcmul_)(haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                               haft_scalar value);
  haft_status (*haft_addcmul_out)(const haft_tensor* input, const haft_tensor* tensor1,
                                  const haft_tensor* tensor2, haft_scalar value, haft_tensor* out);
  haft_status (*haft_addcdiv)(const haft_tensor* input, const haft_tensor* tensor1,
                              const haft_tensor* tensor2, haft_scalar value, haft_tensor** out);
  haft_status (*haft_addcdiv_)(haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                               haft_scalar value);
  haft_status (*haft_addcdiv_out)(const haft_tensor* input, const haft_tensor* tensor1,
                                  const haft_tensor* tensor2, haft_scalar value, haft_tensor* out);
  haft_status (*haft_lerp)(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                           haft_tensor** out);
  haft_status (*haft_lerp_)(haft_tensor* input, const haft_tensor* end, haft_scalar weight);
  haft_status (*haft_lerp_out)(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                               haft_tensor* out);
  haft_status (*haft_relu)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_relu_)(haft_tensor* input);
  haft_status (*haft_relu_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_gelu)(const haft_tensor* input, int32_t tanh, haft_tensor** out);
  haft_status (*haft_gelu_out)(const haft_tensor* input, int32_t tanh, haft_tensor* out);
  haft_status (*haft_silu)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_silu_)(haft_tensor* input);
  haft_status (*haft_silu_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_mish)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_mish_)(haft_tensor* input);
  haft_status (*haft_mish_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_softplus)(const haft_tensor* input, double beta, double threshold, haft_tensor** out);
  haft_status (*haft_softplus_out)(const haft_tensor* input, double beta, double threshold, haft_tensor* out);
  haft_status (*haft_elu)(const haft_tensor* input, double alpha, haft_tensor** out);
  haft_status (*haft_elu_)(haft_tensor* input, double alpha);
  haft_status (*haft_elu_out)(const haft_tensor* input, double alpha, haft_tensor* out);
  haft_status (*haft_leaky_relu)(const haft_tensor* input, double negative_slope, haft_tensor** out);
  haft_status (*haft_leaky_relu_)(haft_tensor* input, double negative_slope);
  haft_status (*haft_leaky_relu_out)(const haft_tensor* input, double negative_slope, haft_tensor* out);
  haft_status (*haft_hardtanh)(const haft_tensor* input, double min_val, double max_val, haft_tensor** out);
  haft_status (*haft_hardtanh_)(haft_tensor* input, double min_val, double max_val);
  haft_status (*haft_hardtanh_out)(const haft_tensor* input, double min_val, double max_val,
                                   haft_tensor* out);
  haft_status (*haft_hardsigmoid)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_hardsigmoid_)(haft_tensor* input);
  haft_status (*haft_hardsigmoid_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_hardswish)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_hardswish_)(haft_tensor* input);
  haft_status (*haft_hardswish_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_logsigmoid)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_logsigmoid_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_full)(const int64_t* size, int64_t size_count, haft_scalar fill_value, haft_dtype dtype,
                           haft_device device, haft_tensor** out);
  haft_status (*haft_empty)(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                            haft_tensor** out);
  haft_status (*haft_zeros)(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                            haft_tensor** out);
  haft_status (*haft_ones)(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                           haft_tensor** out);
  haft_status (*haft_arange)(haft_scalar start, haft_scalar end, haft_scalar step, haft_dtype dtype,
                             haft_device device, haft_tensor** out);
  haft_status (*haft_linspace)(double start, double end, int64_t steps, haft_dtype dtype, haft_device device,
                               haft_tensor** out);
  haft_status (*haft_logspace)(double start, double end, int64_t steps, double base, haft_dtype dtype,
                               haft_device device, haft_tensor** out);
  haft_status (*haft_eye)(int64_t n, int64_t m, haft_dtype dtype, haft_device device, haft_tensor** out);
  haft_status (*haft_empty_like)(const haft_tensor* input, haft_dtype dtype, haft_tensor** out);
  haft_status (*haft_zeros_like)(const haft_tensor* input, haft_dtype dtype, haft_tensor** out);
  haft_status (*haft_ones_like)(const haft_tensor* input, haft_dtype dtype, haft_tensor** out);
  haft_status (*haft_full_like)(const haft_tensor* input, haft_scalar fill_value, haft_dtype dtype,
                                haft_tensor** out);
  haft_status (*haft_rand)(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                           haft_generator* generator, haft_tensor** out);
  haft_status (*haft_randn)(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                            haft_generator* generator, haft_tensor** out);
  haft_status (*haft_randint)(int64_t low, int64_t high, const int64_t* size, int64_t size_count,
                              haft_dtype dtype, haft_device device, haft_generator* generator,
                              haft_tensor** out);
  haft_status (*haft_randperm)(int64_t n, haft_dtype dtype, haft_device device, haft_generator* generator,
                               haft_tensor** out);
  haft_status (*haft_uniform)(const int64_t* size, int64_t size_count, double low, double high,
                              haft_dtype dtype, haft_device device, haft_generator* generator,
                              haft_tensor** out);
  haft_status (*haft_normal)(double mean, double std, const int64_t* size, int64_t size_count,
                             haft_dtype dtype, haft_device device, haft_generator* generator,
                             haft_tensor** out);
  haft_status (*haft_bernoulli)(const haft_tensor* input, haft_generator* generator, haft_tensor** out);
  haft_status (*haft_multinomial)(const haft_tensor* input, int64_t num_samples, int32_t replacement,
                                  haft_generator* generator, haft_tensor** out);
  haft_status (*haft_rand_like)(const haft_tensor* input, haft_dtype dtype, haft_generator* generator,
                                haft_tensor** out);
  haft_status (*haft_randn_like)(const haft_tensor* input, haft_dtype dtype, haft_generator* generator,
                                 haft_tensor** out);
  haft_status (*haft_dropout)(const haft_tensor* input, double p, int32_t training, haft_generator* generator,
                              haft_tensor** out);
  haft_status (*haft_as_strided)(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                 const int64_t* stride, int64_t stride_count, int64_t offset,
                                 haft_tensor** out);
  haft_status (*haft_view)(const haft_tensor* input, const int64_t* size, int64_t size_count,
                           haft_tensor** out);
  haft_status (*haft_permute)(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                              haft_tensor** out);
  haft_status (*haft_transpose)(const haft_tensor* input, int64_t dim0, int64_t dim1, haft_tensor** out);
  haft_status (*haft_expand)(const haft_tensor* input, const int64_t* size, int64_t size_count,
                             haft_tensor** out);
  haft_status (*haft_squeeze)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_unsqueeze)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_slice)(const haft_tensor* input, int64_t dim, int64_t start, int64_t end, int64_t step,
                            haft_tensor** out);
  haft_status (*haft_select)(const haft_tensor* input, int64_t dim, int64_t index, haft_tensor** out);
  haft_status (*haft_diagonal)(const haft_tensor* input, int64_t offset, int64_t dim1, int64_t dim2,
                               haft_tensor** out);
  haft_status (*haft_unfold)(const haft_tensor* input, int64_t dimension, int64_t size, int64_t step,
                             haft_tensor** out);
  haft_status (*haft_detach)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_reshape)(const haft_tensor* input, const int64_t* shape, int64_t shape_count,
                              haft_tensor** out);
  haft_status (*haft_flatten)(const haft_tensor* input, int64_t start_dim, int64_t end_dim,
                              haft_tensor** out);
  haft_status (*haft_unflatten)(const haft_tensor* input, int64_t dim, const int64_t* sizes,
                                int64_t sizes_count, haft_tensor** out);
  haft_status (*haft_t)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_movedim)(const haft_tensor* input, const int64_t* source, int64_t source_count,
                              const int64_t* destination, int64_t destination_count, haft_tensor** out);
  haft_status (*haft_narrow)(const haft_tensor* input, int64_t dim, int64_t start, int64_t length,
                             haft_tensor** out);
  haft_status (*haft_expand_as)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_split)(const haft_tensor* input, int64_t split_size, int64_t dim, haft_tensor** outs,
                            int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_split_sizes)(const haft_tensor* input, const int64_t* split_sizes,
                                  int64_t split_sizes_count, int64_t dim, haft_tensor** outs,
                                  int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_chunk)(const haft_tensor* input, int64_t chunks, int64_t dim, haft_tensor** outs,
                            int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_unbind)(const haft_tensor* input, int64_t dim, haft_tensor** outs, int64_t outs_capacity,
                             int64_t* outs_count);
  haft_status (*haft_cast)(const haft_tensor* input, haft_dtype dtype, haft_tensor** out);
  haft_status (*haft_contiguous)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_clone)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_to)(const haft_tensor* input, haft_dtype dtype, haft_device device, int32_t non_blocking,
                         haft_tensor** out);
  haft_status (*haft_fill)(const haft_tensor* input, haft_scalar value, haft_tensor** out);
  haft_status (*haft_fill_)(haft_tensor* input, haft_scalar value);
  haft_status (*haft_as_strided_scatter)(const haft_tensor* input, const haft_tensor* src,
                                         const int64_t* size, int64_t size_count, const int64_t* stride,
                                         int64_t stride_count, int64_t offset, haft_tensor** out);
  haft_status (*haft_cat)(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim, haft_tensor** out);
  haft_status (*haft_stack)(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                            haft_tensor** out);
  haft_status (*haft_flip)(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                           haft_tensor** out);
  haft_status (*haft_roll)(const haft_tensor* input, const int64_t* shifts, int64_t shifts_count,
                           const int64_t* dims, int64_t dims_count, haft_tensor** out);
  haft_status (*haft_repeat)(const haft_tensor* input, const int64_t* repeats, int64_t repeats_count,
                             haft_tensor** out);
  haft_status (*haft_tril)(const haft_tensor* input, int64_t diagonal, haft_tensor** out);
  haft_status (*haft_triu)(const haft_tensor* input, int64_t diagonal, haft_tensor** out);
  haft_status (*haft_sum)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                          haft_dtype dtype, haft_tensor** out);
  haft_status (*haft_sum_out)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int32_t keepdim, haft_dtype dtype, haft_tensor* out);
  haft_status (*haft_mean)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                           haft_tensor** out);
  haft_status (*haft_prod)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                           haft_tensor** out);
  haft_status (*haft_amax)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                           haft_tensor** out);
  haft_status (*haft_amin)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                           haft_tensor** out);
  haft_status (*haft_max_dim)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                              haft_tensor** indices);
  haft_status (*haft_min_dim)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                              haft_tensor** indices);
  haft_status (*haft_argmax)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** out);
  haft_status (*haft_argmin)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** out);
  haft_status (*haft_any)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                          haft_tensor** out);
  haft_status (*haft_all)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                          haft_tensor** out);
  haft_status (*haft_var)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int64_t correction,
                          int32_t keepdim, haft_tensor** out);
  haft_status (*haft_std)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int64_t correction,
                          int32_t keepdim, haft_tensor** out);
  haft_status (*haft_norm)(const haft_tensor* input, double p, const int64_t* dim, int64_t dim_count,
                           int32_t keepdim, haft_tensor** out);
  haft_status (*haft_logsumexp)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                int32_t keepdim, haft_tensor** out);
  haft_status (*haft_cumsum)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_cumprod)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_count_nonzero)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    haft_tensor** out);
  haft_status (*haft_sum_to_size)(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                  haft_tensor** out);
  haft_status (*haft_mm)(const haft_tensor* input, const haft_tensor* mat2, haft_tensor** out);
  haft_status (*haft_mm_out)(const haft_tensor* input, const haft_tensor* mat2, haft_tensor* out);
  haft_status (*haft_bmm)(const haft_tensor* input, const haft_tensor* mat2, haft_tensor** out);
  haft_status (*haft_bmm_out)(const haft_tensor* input, const haft_tensor* mat2, haft_tensor* out);
  haft_status (*haft_addmm)(const haft_tensor* input, const haft_tensor* mat1, const haft_tensor* mat2,
                            haft_scalar beta, haft_scalar alpha, haft_tensor** out);
  haft_status (*haft_linear)(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                             haft_tensor** out);
  haft_status (*haft_matmul)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_mv)(const haft_tensor* input, const haft_tensor* vec, haft_tensor** out);
  haft_status (*haft_dot)(const haft_tensor* input, const haft_tensor* tensor, haft_tensor** out);
  haft_status (*haft_outer)(const haft_tensor* input, const haft_tensor* vec2, haft_tensor** out);
  haft_status (*haft_baddbmm)(const haft_tensor* input, const haft_tensor* batch1, const haft_tensor* batch2,
                              haft_scalar beta, haft_scalar alpha, haft_tensor** out);
  haft_status (*haft_index_select)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                   haft_tensor** out);
  haft_status (*haft_gather)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                             haft_tensor** out);
  haft_status (*haft_scatter)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                              const haft_tensor* src, haft_tensor** out);
  haft_status (*haft_scatter_)(haft_tensor* input, int64_t dim, const haft_tensor* index,
                               const haft_tensor* src);
  haft_status (*haft_scatter_add)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                  const haft_tensor* src, haft_tensor** out);
  haft_status (*haft_scatter_add_)(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                   const haft_tensor* src);
  haft_status (*haft_index_add)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                const haft_tensor* source, haft_tensor** out);
  haft_status (*haft_index_add_)(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                 const haft_tensor* source);
  haft_status (*haft_index)(const haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                            haft_tensor** out);
  haft_status (*haft_index_put)(const haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                                const haft_tensor* values, int32_t accumulate, haft_tensor** out);
  haft_status (*haft_index_put_)(haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                                 const haft_tensor* values, int32_t accumulate);
  haft_status (*haft_masked_select)(const haft_tensor* input, const haft_tensor* mask, haft_tensor** out);
  haft_status (*haft_nonzero)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_masked_scatter)(const haft_tensor* input, const haft_tensor* mask,
                                     const haft_tensor* source, haft_tensor** out);
  haft_status (*haft_one_hot)(const haft_tensor* input, int64_t num_classes, haft_tensor** out);
  haft_status (*haft_sort)(const haft_tensor* input, int64_t dim, int32_t descending, haft_tensor** values,
                           haft_tensor** indices);
  haft_status (*haft_argsort)(const haft_tensor* input, int64_t dim, int32_t descending, haft_tensor** out);
  haft_status (*haft_topk)(const haft_tensor* input, int64_t k, int64_t dim, int32_t largest,
                           haft_tensor** values, haft_tensor** indices);
  haft_status (*haft_embedding)(const haft_tensor* weight, const haft_tensor* indices, int64_t padding_idx,
                                int32_t sparse, int32_t scale_grad_by_freq, haft_tensor** out);
  haft_status (*haft_conv2d)(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                             const int64_t* stride, int64_t stride_count, const int64_t* padding,
                             int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                             int64_t groups, haft_tensor** out);
  haft_status (*haft_max_pool2d)(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                 const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                 int64_t dilation_count, int32_t ceil_mode, haft_tensor** out);
  haft_status (*haft_avg_pool2d)(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                 const int64_t* padding, int64_t padding_count, int32_t ceil_mode,
                                 int32_t count_include_pad, int64_t divisor_override, haft_tensor** out);
  haft_status (*haft_adaptive_avg_pool2d)(const haft_tensor* input, const int64_t* output_size,
                                          int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_softmax)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_softmax_out)(const haft_tensor* input, int64_t dim, haft_tensor* out);
  haft_status (*haft_log_softmax)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_log_softmax_out)(const haft_tensor* input, int64_t dim, haft_tensor* out);
  haft_status (*haft_batch_norm)(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                                 haft_tensor* running_mean, haft_tensor* running_var, int32_t training,
                                 double momentum, double eps, haft_tensor** out);
  haft_status (*haft_layer_norm)(const haft_tensor* input, const int64_t* normalized_shape,
                                 int64_t normalized_shape_count, const haft_tensor* weight,
                                 const haft_tensor* bias, double eps, haft_tensor** out);
  haft_status (*haft_cross_entropy)(const haft_tensor* input, const haft_tensor* target,
                                    const haft_tensor* weight, int64_t reduction, int64_t ignore_index,
                                    double label_smoothing, haft_tensor** out);
  haft_status (*haft_nll_loss)(const haft_tensor* input, const haft_tensor* target, const haft_tensor* weight,
                               int64_t reduction, int64_t ignore_index, haft_tensor** out);
  haft_status (*haft_mse_loss)(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                               haft_tensor** out);
  haft_status (*haft_l1_loss)(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                              haft_tensor** out);
  haft_status (*haft_smooth_l1_loss)(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                     double beta, haft_tensor** out);
  haft_status (*haft_huber_loss)(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                 double delta, haft_tensor** out);
  haft_status (*haft_binary_cross_entropy)(const haft_tensor* input, const haft_tensor* target,
                                           const haft_tensor* weight, int64_t reduction, haft_tensor** out);
  haft_status (*haft_binary_cross_entropy_with_logits)(const haft_tensor* input, const haft_tensor* target,
                                                       const haft_tensor* weight,
                                                       const haft_tensor* pos_weight, int64_t reduction,
                                                       haft_tensor** out);
  haft_status (*haft_kl_div)(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                             int32_t log_target, haft_tensor** out);
  haft_status (*haft_error_get_last)(haft_error_info* info);
  const char* (*haft_error_get_message)(void);
  void (*haft_error_clear)(void);
  haft_status (*haft_error_set)(haft_status code, const char* message, int64_t token);
  const char* (*haft_status_get_name)(haft_status status);
  haft_status (*haft_tensor_from_data)(const void* data, const int64_t* size, int64_t size_count,
                                       haft_dtype dtype, haft_device device, haft_tensor** out);
  haft_status (*haft_tensor_from_memory)(void* data, const int64_t* size, const int64_t* stride,
                                         int64_t size_count, haft_dtype dtype, haft_device device,
                                         void (*release)(void* user), void* user, haft_tensor** out);
  haft_status (*haft_tensor_retain)(haft_tensor* t);
  void (*haft_tensor_release)(haft_tensor* t);
  void (*haft_tensor_release_many)(haft_tensor* const* ts, int64_t count);
  haft_status (*haft_tensor_get_dtype)(const haft_tensor* t, haft_dtype* out);
  haft_status (*haft_tensor_get_device)(const haft_tensor* t, haft_device* out);
  haft_status (*haft_tensor_get_ndim)(const haft_tensor* t, int64_t* out);
  haft_status (*haft_tensor_get_numel)(const haft_tensor* t, int64_t* out);
  haft_status (*haft_tensor_get_size)(const haft_tensor* t, int64_t* size, int64_t capacity, int64_t* count);
  haft_status (*haft_tensor_get_stride)(const haft_tensor* t, int64_t* stride, int64_t capacity,
                                        int64_t* count);
  haft_status (*haft_tensor_is_contiguous)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_tensor_get_version)(const haft_tensor* t, int64_t* out);
  haft_status (*haft_tensor_shares_memory)(const haft_tensor* a, const haft_tensor* b, int32_t* out);
  haft_status (*haft_tensor_get_data)(const haft_tensor* t, void** out);
  haft_status (*haft_tensor_touch)(haft_tensor* t);
  haft_status (*haft_tensor_read)(const haft_tensor* t, void* data, int64_t bytes);
  haft_status (*haft_tensor_write)(haft_tensor* t, const void* data, int64_t bytes);
  haft_status (*haft_tensor_get_item)(const haft_tensor* t, haft_scalar* out);
  haft_status (*haft_tensor_get_item_double)(const haft_tensor* t, double* out);
  haft_status (*haft_tensor_get_item_int)(const haft_tensor* t, int64_t* out);
  haft_status (*haft_tensor_to_string)(const haft_tensor* t, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_scope_begin)(void);
  haft_status (*haft_scope_end)(void);
  haft_status (*haft_scope_keep)(haft_tensor* t);
  haft_status (*haft_tensor_set_requires_grad)(haft_tensor* t, int32_t on);
  haft_status (*haft_tensor_requires_grad)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_tensor_is_leaf)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_tensor_grad)(const haft_tensor* t, haft_tensor** out);
  haft_status (*haft_tensor_set_grad)(haft_tensor* t, const haft_tensor* grad);
  haft_status (*haft_tensor_retain_grad)(haft_tensor* t);
  haft_status (*haft_tensor_backward)(const haft_tensor* output, const haft_tensor* seed, int32_t flags);
  haft_status (*haft_autograd_backward)(haft_tensor* const* outputs, haft_tensor* const* seeds, int64_t count,
                                        int32_t flags);
  haft_status (*haft_autograd_grad)(haft_tensor* const* outputs, haft_tensor* const* seeds,
                                    int64_t output_count, haft_tensor* const* inputs, int64_t input_count,
                                    int32_t flags, haft_tensor** grads);
  haft_status (*haft_tensor_add_hook)(haft_tensor* t, haft_grad_hook fn, void* user,
                                      void (*destroy)(void* user), int64_t* id);
  haft_status (*haft_tensor_add_accumulate_hook)(haft_tensor* t, haft_grad_hook fn, void* user,
                                                 void (*destroy)(void* user), int64_t* id);
  haft_status (*haft_tensor_remove_hook)(haft_tensor* t, int64_t id);
  haft_status (*haft_set_grad_enabled)(int32_t on, int32_t* before);
  haft_status (*haft_is_grad_enabled)(int32_t* out);
  haft_status (*haft_set_inference_mode)(int32_t on, int32_t* before);
  haft_status (*haft_set_anomaly_mode)(int32_t on, int32_t* before);
  haft_status (*haft_function_apply)(const char* name, haft_function_forward forward,
                                     haft_function_backward backward, void* user, void (*destroy)(void* user),
                                     haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs,
                                     int64_t output_count);
  haft_status (*haft_function_save)(haft_function_context* ctx, const haft_tensor* t);
  haft_status (*haft_function_saved)(haft_function_context* ctx, int64_t index, haft_tensor** out);
  haft_status (*haft_function_needs_grad)(haft_function_context* ctx, int64_t index, int32_t* out);
  haft_status (*haft_autograd_gradcheck)(haft_checked_function fn, void* user, haft_tensor* const* inputs,
                                         int64_t count, int32_t order);
  int32_t (*haft_get_version_number)(void);
  const char* (*haft_get_version_string)(void);
  const char* (*haft_get_library_path)(void);
  haft_status (*haft_describe)(char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_shutdown)(void);
  haft_status (*haft_get_live_handles)(int64_t* out);
  haft_status (*haft_set_num_threads)(int32_t n);
  haft_status (*haft_get_num_threads)(int32_t* out);
  haft_status (*haft_device_parse)(const char* text, haft_device* out);
  haft_status (*haft_device_to_string)(haft_device device, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_device_get_count)(const char* type, int32_t* out);
  haft_status (*haft_device_synchronize)(haft_device device);
  haft_status (*haft_backend_load)(const char* path);
  haft_status (*haft_set_default_device)(haft_device device);
  haft_status (*haft_get_default_device)(haft_device* out);
  haft_status (*haft_set_default_dtype)(haft_dtype dtype);
  haft_status (*haft_get_default_dtype)(haft_dtype* out);
  const char* (*haft_dtype_get_name)(haft_dtype dtype);
  int64_t (*haft_dtype_get_size)(haft_dtype dtype);
  haft_status (*haft_memory_get_stats)(haft_device device, haft_memory_stats* stats);
  haft_status (*haft_memory_reset_peak)(haft_device device);
  haft_status (*haft_memory_trim)(haft_device device, int64_t* freed);
  haft_status (*haft_memory_set_limit)(haft_device device, int64_t bytes);
  haft_status (*haft_memory_set_pressure_callback)(int64_t mark, void (*fn)(int64_t live, void* user),
                                                   void* user, void (*destroy)(void* user));
  haft_status (*haft_memory_set_allocator)(void* (*alloc)(int64_t bytes, int64_t alignment, void* user),
                                           void (*free)(void* p, int64_t bytes, void* user), void* user);
  haft_status (*haft_set_log_sink)(int32_t level, void (*sink)(int32_t level, const char* text, void* user),
                                   void* user, void (*destroy)(void* user));
  haft_status (*haft_generator_create)(int64_t seed, haft_generator** out);
  haft_status (*haft_generator_retain)(haft_generator* g);
  void (*haft_generator_release)(haft_generator* g);
  haft_status (*haft_generator_seed)(haft_generator* g, int64_t seed);
  haft_status (*haft_generator_get_state)(const haft_generator* g, int64_t* seed, int64_t* offset);
  haft_status (*haft_generator_set_state)(haft_generator* g, int64_t seed, int64_t offset);
  haft_status (*haft_profiler_start)(int32_t shapes);
  haft_status (*haft_profiler_stop)(haft_profile** out);
  haft_status (*haft_profiler_push)(const char* name);
  haft_status (*haft_profiler_pop)(void);
  haft_status (*haft_profile_get_table)(const haft_profile* p, char* buffer, int64_t capacity,
                                        int64_t* needed);
  haft_status (*haft_profile_write_trace)(const haft_profile* p, const char* path);
  void (*haft_profile_release)(haft_profile* p);
  haft_status (*haft_linear_create)(const haft_linear_options* options, haft_module** out);
  haft_status (*haft_conv2d_create)(const haft_conv2d_options* options, haft_module** out);
  haft_status (*haft_batch_norm1d_create)(const haft_batch_norm1d_options* options, haft_module** out);
  haft_status (*haft_batch_norm2d_create)(const haft_batch_norm2d_options* options, haft_module** out);
  haft_status (*haft_layer_norm_create)(const haft_layer_norm_options* options, haft_module** out);
  haft_status (*haft_dropout_create)(const haft_dropout_options* options, haft_module** out);
  haft_status (*haft_embedding_create)(const haft_embedding_options* options, haft_module** out);
  haft_status (*haft_max_pool2d_create)(const haft_max_pool2d_options* options, haft_module** out);
  haft_status (*haft_avg_pool2d_create)(const haft_avg_pool2d_options* options, haft_module** out);
  haft_status (*haft_adaptive_avg_pool2d_create)(const haft_adaptive_avg_pool2d_options* options,
                                                 haft_module** out);
  haft_status (*haft_relu_create)(haft_module** out);
  haft_status (*haft_leaky_relu_create)(const haft_leaky_relu_options* options, haft_module** out);
  haft_status (*haft_gelu_create)(const haft_gelu_options* options, haft_module** out);
  haft_status (*haft_silu_create)(haft_module** out);
  haft_status (*haft_sigmoid_create)(haft_module** out);
  haft_status (*haft_tanh_create)(haft_module** out);
  haft_status (*haft_elu_create)(const haft_elu_options* options, haft_module** out);
  haft_status (*haft_softplus_create)(const haft_softplus_options* options, haft_module** out);
  haft_status (*haft_hardswish_create)(haft_module** out);
  haft_status (*haft_mish_create)(haft_module** out);
  haft_status (*haft_softmax_create)(const haft_softmax_options* options, haft_module** out);
  haft_status (*haft_log_softmax_create)(const haft_log_softmax_options* options, haft_module** out);
  haft_status (*haft_identity_create)(haft_module** out);
  haft_status (*haft_flatten_create)(const haft_flatten_options* options, haft_module** out);
  haft_status (*haft_sequential_create)(haft_module* const* modules, int64_t count, haft_module** out);
  haft_status (*haft_module_list_create)(haft_module* const* modules, int64_t count, haft_module** out);
  haft_status (*haft_module_dict_create)(const char* const* names, haft_module* const* modules, int64_t count,
                                         haft_module** out);
  haft_status (*haft_callback_module_create)(const char* type, haft_module_forward_fn forward, void* user,
                                             void (*destroy)(void* user), haft_module** out);
  haft_status (*haft_module_retain)(haft_module* m);
  void (*haft_module_release)(haft_module* m);
  haft_status (*haft_module_forward)(haft_module* m, const haft_tensor* x, haft_tensor** y);
  haft_status (*haft_module_forward_many)(haft_module* m, haft_tensor* const* inputs, int64_t input_count,
                                          haft_tensor** outs, int64_t capacity, int64_t* count);
  haft_status (*haft_module_train)(haft_module* m, int32_t on);
  haft_status (*haft_module_is_training)(const haft_module* m, int32_t* out);
  haft_status (*haft_module_zero_grad)(haft_module* m);
  haft_status (*haft_module_set_requires_grad)(haft_module* m, int32_t on);
  haft_status (*haft_module_to)(haft_module* m, haft_dtype dtype, haft_device device);
  haft_status (*haft_module_add_child)(haft_module* m, const char* name, haft_module* child);
  haft_status (*haft_module_get_child_count)(const haft_module* m, int64_t* out);
  haft_status (*haft_module_get_child_name)(const haft_module* m, int64_t index, char* buffer,
                                            int64_t capacity, int64_t* needed);
  haft_status (*haft_module_child)(const haft_module* m, const char* name, haft_module** out);
  haft_status (*haft_module_apply)(haft_module* m,
                                   haft_status (*fn)(haft_module* m, const char* name, void* user),
                                   void* user);
  haft_status (*haft_module_get_type)(const haft_module* m, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_module_to_string)(const haft_module* m, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_module_get_summary)(const haft_module* m, char* buffer, int64_t capacity,
                                         int64_t* needed);
  haft_status (*haft_module_register_parameter)(haft_module* m, const char* name, haft_tensor* t,
                                                int32_t requires_grad);
  haft_status (*haft_module_register_buffer)(haft_module* m, const char* name, haft_tensor* t,
                                             int32_t persistent);
  haft_status (*haft_module_get_parameter_count)(const haft_module* m, int64_t* tensors, int64_t* elements);
  haft_status (*haft_module_parameters)(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                        int64_t* count);
  haft_status (*haft_module_get_parameter_name)(const haft_module* m, int64_t index, char* buffer,
                                                int64_t capacity, int64_t* needed);
  haft_status (*haft_module_parameter)(const haft_module* m, const char* name, haft_tensor** out);
  haft_status (*haft_module_buffer)(const haft_module* m, const char* name, haft_tensor** out);
  haft_status (*haft_module_state)(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                   int64_t* count);
  haft_status (*haft_module_get_state_name)(const haft_module* m, int64_t index, char* buffer,
                                            int64_t capacity, int64_t* needed);
  haft_status (*haft_module_load_state)(haft_module* m, const char* const* names, haft_tensor* const* tensors,
                                        int64_t count, int32_t strict);
  haft_status (*haft_module_save)(const haft_module* m, const char* path);
  haft_status (*haft_module_load)(haft_module* m, const char* path, int32_t strict);
  haft_status (*haft_module_add_pre_hook)(haft_module* m, haft_module_pre_hook fn, void* user,
                                          void (*destroy)(void* user), int64_t* id);
  haft_status (*haft_module_add_hook)(haft_module* m, haft_module_hook fn, void* user,
                                      void (*destroy)(void* user), int64_t* id);
  haft_status (*haft_module_remove_hook)(haft_module* m, int64_t id);
  haft_status (*haft_init_uniform)(haft_tensor* t, double low, double high, haft_generator* generator);
  haft_status (*haft_init_normal)(haft_tensor* t, double mean, double std, haft_generator* generator);
  haft_status (*haft_init_constant)(haft_tensor* t, double value);
  haft_status (*haft_init_trunc_normal)(haft_tensor* t, double mean, double std, double low, double high,
                                        haft_generator* generator);
  haft_status (*haft_init_xavier_uniform)(haft_tensor* t, double gain, haft_generator* generator);
  haft_status (*haft_init_xavier_normal)(haft_tensor* t, double gain, haft_generator* generator);
  haft_status (*haft_init_kaiming_uniform)(haft_tensor* t, double a, int32_t mode, int32_t nonlinearity,
                                           haft_generator* generator);
  haft_status (*haft_init_kaiming_normal)(haft_tensor* t, double a, int32_t mode, int32_t nonlinearity,
                                          haft_generator* generator);
  haft_status (*haft_init_orthogonal)(haft_tensor* t, double gain, haft_generator* generator);
  haft_status (*haft_sgd_create)(haft_tensor* const* params, int64_t count, const haft_sgd_options* options,
                                 haft_optimizer** out);
  haft_status (*haft_adam_create)(haft_tensor* const* params, int64_t count, const haft_adam_options* options,
                                  haft_optimizer** out);
  haft_status (*haft_adamw_create)(haft_tensor* const* params, int64_t count,
                                   const haft_adamw_options* options, haft_optimizer** out);
  haft_status (*haft_optimizer_retain)(haft_optimizer* o);
  void (*haft_optimizer_release)(haft_optimizer* o);
  haft_status (*haft_optimizer_step)(haft_optimizer* o);
  haft_status (*haft_optimizer_zero_grad)(haft_optimizer* o, int32_t set_to_none);
  haft_status (*haft_optimizer_add_group)(haft_optimizer* o, haft_tensor* const* params, int64_t count,
                                          int64_t* group);
  haft_status (*haft_optimizer_get_group_count)(const haft_optimizer* o, int64_t* out);
  haft_status (*haft_optimizer_parameters)(const haft_optimizer* o, int64_t group, haft_tensor** params,
                                           int64_t capacity, int64_t* count);
  haft_status (*haft_optimizer_set_lr)(haft_optimizer* o, int64_t group, double lr);
  haft_status (*haft_optimizer_get_lr)(const haft_optimizer* o, int64_t group, double* lr);
  haft_status (*haft_optimizer_set_option)(haft_optimizer* o, int64_t group, const char* name, double value);
  haft_status (*haft_optimizer_get_option)(const haft_optimizer* o, int64_t group, const char* name,
                                           double* value);
  haft_status (*haft_optimizer_state)(haft_optimizer* o, int64_t parameter, const char* name,
                                      haft_tensor** out);
  haft_status (*haft_optimizer_set_state)(haft_optimizer* o, int64_t parameter, const char* name,
                                          const haft_tensor* value);
  haft_status (*haft_grad_clip_norm)(haft_tensor* const* params, int64_t count, double max_norm,
                                     double norm_type, haft_tensor** norm);
  haft_status (*haft_grad_clip_value)(haft_tensor* const* params, int64_t count, double limit);
  haft_status (*haft_step_lr_create)(haft_optimizer* o, const haft_step_lr_options* options,
                                     haft_scheduler** out);
  haft_status (*haft_multi_step_lr_create)(haft_optimizer* o, const haft_multi_step_lr_options* options,
                                           haft_scheduler** out);
  haft_status (*haft_exponential_lr_create)(haft_optimizer* o, const haft_exponential_lr_options* options,
                                            haft_scheduler** out);
  haft_status (*haft_cosine_annealing_lr_create)(haft_optimizer* o,
                                                 const haft_cosine_annealing_lr_options* options,
                                                 haft_scheduler** out);
  haft_status (*haft_linear_lr_create)(haft_optimizer* o, const haft_linear_lr_options* options,
                                       haft_scheduler** out);
  haft_status (*haft_lambda_lr_create)(haft_optimizer* o, haft_lr_factor fn, void* user,
                                       void (*destroy)(void* user), haft_scheduler** out);
  haft_status (*haft_scheduler_retain)(haft_scheduler* s);
  void (*haft_scheduler_release)(haft_scheduler* s);
  haft_status (*haft_scheduler_step)(haft_scheduler* s);
  haft_status (*haft_scheduler_get_last_epoch)(const haft_scheduler* s, int64_t* out);
  haft_status (*haft_tensor_dataset_create)(haft_tensor* const* tensors, int64_t count, haft_dataset** out);
  haft_status (*haft_idx_dataset_create)(const char* images_path, const char* labels_path,
                                         haft_dataset** out);
  haft_status (*haft_callback_dataset_create)(int64_t size, const haft_field* fields, int64_t field_count,
                                              haft_dataset_read read, void* user, void (*destroy)(void* user),
                                              int32_t one_at_a_time, haft_dataset** out);
  haft_status (*haft_dataset_retain)(haft_dataset* d);
  void (*haft_dataset_release)(haft_dataset* d);
  haft_status (*haft_dataset_get_size)(const haft_dataset* d, int64_t* out);
  haft_status (*haft_dataset_item)(const haft_dataset* d, int64_t index, haft_tensor** outs, int64_t capacity,
                                   int64_t* count);
  haft_status (*haft_to_float_transform_create)(double scale, haft_transform** out);
  haft_status (*haft_normalize_transform_create)(const double* mean, const double* std, int64_t count,
                                                 haft_transform** out);
  haft_status (*haft_random_crop_transform_create)(int64_t height, int64_t width, int64_t padding,
                                                   haft_transform** out);
  haft_status (*haft_random_horizontal_flip_transform_create)(double probability, haft_transform** out);
  haft_status (*haft_random_rotation_transform_create)(double degrees, haft_transform** out);
  haft_status (*haft_transform_retain)(haft_transform* t);
  void (*haft_transform_release)(haft_transform* t);
  haft_status (*haft_loader_create)(const haft_dataset* dataset, const haft_loader_options* options,
                                    haft_loader** out);
  haft_status (*haft_loader_retain)(haft_loader* l);
  void (*haft_loader_release)(haft_loader* l);
  haft_status (*haft_loader_next)(haft_loader* l, haft_tensor** outs, int64_t capacity, int64_t* count);
  haft_status (*haft_loader_reset)(haft_loader* l);
  haft_status (*haft_loader_cancel)(haft_loader* l);
  haft_status (*haft_loader_get_batch_count)(const haft_loader* l, int64_t* out);
  haft_status (*haft_loader_get_sample_count)(const haft_loader* l, int64_t* out);
  haft_status (*haft_loader_get_state)(haft_loader* l, int64_t* seed, int64_t* epoch, int64_t* batch);
  haft_status (*haft_loader_set_state)(haft_loader* l, int64_t seed, int64_t epoch, int64_t batch);
  haft_status (*haft_weights_save)(const char* const* names, haft_tensor* const* tensors, int64_t count,
                                   const char* path);
  haft_status (*haft_weights_open)(const char* path, haft_weights** out);
  haft_status (*haft_weights_retain)(haft_weights* w);
  void (*haft_weights_release)(haft_weights* w);
  haft_status (*haft_weights_get_count)(const haft_weights* w, int64_t* out);
  haft_status (*haft_weights_get_name)(const haft_weights* w, int64_t index, const char** out);
  haft_status (*haft_weights_tensor)(const haft_weights* w, int64_t index, haft_tensor** out);
  haft_status (*haft_weights_find)(const haft_weights* w, const char* name, haft_tensor** out);
  haft_status (*haft_npy_save)(const haft_tensor* t, const char* path);
  haft_status (*haft_npy_load)(const char* path, haft_tensor** out);
  haft_status (*haft_writer_create)(const char* folder, haft_writer** out);
  haft_status (*haft_writer_retain)(haft_writer* w);
  void (*haft_writer_release)(haft_writer* w);
  haft_status (*haft_writer_add_scalar)(haft_writer* w, const char* tag, double value, int64_t step);
  haft_status (*haft_writer_add_histogram)(haft_writer* w, const char* tag, const haft_tensor* values,
                                           int64_t step);
  haft_status (*haft_writer_flush)(haft_writer* w);
  haft_status (*haft_writer_close)(haft_writer* w);
  haft_status (*haft_writer_get_path)(const haft_writer* w, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_checkpoint_save)(const char* path, const haft_checkpoint_parts* parts,
                                      const haft_key_value* values, int64_t value_count);
  haft_status (*haft_checkpoint_load)(const char* path, const haft_checkpoint_parts* parts,
                                      haft_checkpoint** out);
  void (*haft_checkpoint_release)(haft_checkpoint* c);
  haft_status (*haft_checkpoint_get_number)(const haft_checkpoint* c, const char* key, haft_scalar* out);
  haft_status (*haft_checkpoint_get_text)(const haft_checkpoint* c, const char* key, const char** out);
  haft_status (*haft_is_inference_mode)(int32_t* out);
  haft_status (*haft_checkpoint_retain)(haft_checkpoint* c);
  haft_status (*haft_profile_retain)(haft_profile* p);
  haft_status (*haft_session_create)(haft_module* module, const haft_session_options* options,
                                     haft_session** out);
  haft_status (*haft_session_retain)(haft_session* s);
  void (*haft_session_release)(haft_session* s);
  haft_status (*haft_session_run)(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                  int64_t timeout_us, haft_tensor** outs, int64_t capacity, int64_t* count);
  haft_status (*haft_session_submit)(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                     int64_t timeout_us, haft_request_done done, void* user,
                                     void (*destroy)(void* user), haft_request** out);
  haft_status (*haft_request_retain)(haft_request* r);
  void (*haft_request_release)(haft_request* r);
  haft_status (*haft_request_wait)(haft_request* r, int64_t timeout_us);
  haft_status (*haft_request_is_done)(const haft_request* r, int32_t* out);
  haft_status (*haft_request_result)(haft_request* r, haft_tensor** outs, int64_t capacity, int64_t* count);
  haft_status (*haft_request_cancel)(haft_request* r);
  haft_status (*haft_session_update)(haft_session* s, haft_module* module);
  haft_status (*haft_session_drain)(haft_session* s, int64_t timeout_us);
  haft_status (*haft_session_close)(haft_session* s);
  haft_status (*haft_session_get_metrics)(const haft_session* s, haft_session_metrics* metrics);
  haft_status (*haft_session_reset_metrics)(haft_session* s);
  haft_status (*haft_cancel_token_create)(haft_cancel_token** out);
  haft_status (*haft_cancel_token_retain)(haft_cancel_token* t);
  void (*haft_cancel_token_release)(haft_cancel_token* t);
  haft_status (*haft_cancel_token_cancel)(haft_cancel_token* t);
  haft_status (*haft_cancel_token_is_cancelled)(const haft_cancel_token* t, int32_t* out);
  haft_status (*haft_set_cancel_token)(haft_cancel_token* t);
  haft_status (*haft_copy)(const haft_tensor* input, const haft_tensor* src, haft_tensor** out);
  haft_status (*haft_copy_)(haft_tensor* input, const haft_tensor* src);
  haft_status (*haft_tensor_grad_fn)(const haft_tensor* t, haft_node** out);
  haft_status (*haft_node_retain)(haft_node* n);
  void (*haft_node_release)(haft_node* n);
  haft_status (*haft_node_get_id)(const haft_node* n, int64_t* out);
  haft_status (*haft_node_get_name)(const haft_node* n, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_node_get_next_count)(const haft_node* n, int64_t* out);
  haft_status (*haft_node_next)(const haft_node* n, int64_t index, haft_node** next, int64_t* output);
  haft_status (*haft_node_variable)(const haft_node* n, haft_tensor** out);
  haft_status (*haft_autograd_graph_to_text)(const haft_tensor* t, int32_t format, char* buffer,
                                             int64_t capacity, int64_t* needed);
  haft_status (*haft_tensor_set_data)(haft_tensor* t, const haft_tensor* data);
  haft_status (*haft_tensor_get_storage)(const haft_tensor* t, int64_t* offset, int64_t* bytes);
  haft_status (*haft_tensor_is_sole_owner)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_profile_get_trace)(const haft_profile* p, char* buffer, int64_t capacity,
                                        int64_t* needed);
  haft_status (*haft_erfc)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_erfc_)(haft_tensor* input);
  haft_status (*haft_erfc_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_erfinv)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_erfinv_)(haft_tensor* input);
  haft_status (*haft_erfinv_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_lgamma)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_lgamma_)(haft_tensor* input);
  haft_status (*haft_lgamma_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_digamma)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_digamma_)(haft_tensor* input);
  haft_status (*haft_digamma_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_polygamma)(int64_t n, const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_hypot)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_hypot_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_hypot_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_copysign)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_copysign_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_copysign_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_logaddexp)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_logaddexp_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_logaddexp2)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_logaddexp2_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_xlogy)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_xlogy_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_xlogy_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_kthvalue)(const haft_tensor* input, int64_t k, int64_t dim, int32_t keepdim,
                               haft_tensor** values, haft_tensor** indices);
  haft_status (*haft_median)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_nanmedian)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_median_dim)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                                 haft_tensor** indices);
  haft_status (*haft_nanmedian_dim)(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                    haft_tensor** values, haft_tensor** indices);
  haft_status (*haft_searchsorted)(const haft_tensor* sorted_sequence, const haft_tensor* input,
                                   int32_t right, haft_tensor** out);
  haft_status (*haft_bucketize)(const haft_tensor* input, const haft_tensor* boundaries, int32_t right,
                                haft_tensor** out);
  haft_status (*haft_isin)(const haft_tensor* elements, const haft_tensor* test_elements, int32_t invert,
                           haft_tensor** out);
  haft_status (*haft_bincount)(const haft_tensor* input, const haft_tensor* weights, int64_t minlength,
                               haft_tensor** out);
  haft_status (*haft_histc)(const haft_tensor* input, int64_t bins, double min, double max,
                            haft_tensor** out);
  haft_status (*haft_cummax)(const haft_tensor* input, int64_t dim, haft_tensor** values,
                             haft_tensor** indices);
  haft_status (*haft_cummin)(const haft_tensor* input, int64_t dim, haft_tensor** values,
                             haft_tensor** indices);
  haft_status (*haft_logcumsumexp)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_scatter_reduce)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                     const haft_tensor* src, int64_t reduce, int32_t include_self,
                                     haft_tensor** out);
  haft_status (*haft_index_reduce)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                   const haft_tensor* source, int64_t reduce, int32_t include_self,
                                   haft_tensor** out);
  haft_status (*haft_set_math_precision)(int32_t precision);
  haft_status (*haft_get_math_precision)(int32_t* out);
  haft_status (*haft_tensor_to_dlpack)(const haft_tensor* t, struct DLManagedTensor** out);
  haft_status (*haft_tensor_to_dlpack_versioned)(const haft_tensor* t, struct DLManagedTensorVersioned** out);
  haft_status (*haft_tensor_from_dlpack)(struct DLManagedTensor* managed, haft_tensor** out);
  haft_status (*haft_tensor_from_dlpack_versioned)(struct DLManagedTensorVersioned* managed,
                                                   haft_tensor** out);
  haft_status (*haft_module_buffers)(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                     int64_t* count);
  haft_status (*haft_module_get_buffer_name)(const haft_module* m, int64_t index, char* buffer,
                                             int64_t capacity, int64_t* needed);
  haft_status (*haft_scheduler_get_state)(haft_scheduler* s, double* values, int64_t capacity,
                                          int64_t* count);
  haft_status (*haft_scheduler_get_state_name)(haft_scheduler* s, int64_t index, char* buffer,
                                               int64_t capacity, int64_t* needed);
  haft_status (*haft_scheduler_set_state)(haft_scheduler* s, const char* const* names, const double* values,
                                          int64_t count);
  haft_status (*haft_stream_create)(haft_device device, haft_stream** out);
  haft_status (*haft_stream_current)(haft_device device, haft_stream** out);
  haft_status (*haft_stream_default)(haft_device device, haft_stream** out);
  haft_status (*haft_stream_retain)(haft_stream* s);
  void (*haft_stream_release)(haft_stream* s);
  haft_status (*haft_stream_get_device)(const haft_stream* s, haft_device* out);
  haft_status (*haft_set_current_stream)(haft_stream* s);
  haft_status (*haft_stream_synchronize)(haft_stream* s);
  haft_status (*haft_stream_wait)(haft_stream* s, haft_event* e);
  haft_status (*haft_event_create)(haft_device device, int32_t timing, haft_event** out);
  haft_status (*haft_event_retain)(haft_event* e);
  void (*haft_event_release)(haft_event* e);
  haft_status (*haft_event_record)(haft_event* e, haft_stream* s);
  haft_status (*haft_event_is_done)(const haft_event* e, int32_t* out);
  haft_status (*haft_event_synchronize)(const haft_event* e);
  haft_status (*haft_event_get_elapsed)(const haft_event* start, const haft_event* end, double* milliseconds);
  haft_status (*haft_autograd_add_callback)(haft_backward_callback fn, void* user,
                                            void (*destroy)(void* user));
  haft_status (*haft_saved_tensor_hooks_push)(haft_pack_hook pack, haft_unpack_hook unpack,
                                              void (*release)(void* packed, void* user), void* user,
                                              void (*destroy)(void* user));
  haft_status (*haft_saved_tensor_hooks_pop)(void);
  haft_status (*haft_tensor_record_stream)(haft_tensor* t, haft_stream* s);
  haft_status (*haft_tensor_pin_memory)(const haft_tensor* t, haft_device device, haft_tensor** out);
  haft_status (*haft_tensor_is_pinned)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_hardtanh_create)(const haft_hardtanh_options* options, haft_module** out);
  haft_status (*haft_hardsigmoid_create)(haft_module** out);
  haft_status (*haft_cross_entropy_loss_create)(const haft_cross_entropy_loss_options* options,
                                                haft_module** out);
  haft_status (*haft_nll_loss_create)(const haft_nll_loss_options* options, haft_module** out);
  haft_status (*haft_mse_loss_create)(const haft_mse_loss_options* options, haft_module** out);
  haft_status (*haft_l1_loss_create)(const haft_l1_loss_options* options, haft_module** out);
  haft_status (*haft_smooth_l1_loss_create)(const haft_smooth_l1_loss_options* options, haft_module** out);
  haft_status (*haft_huber_loss_create)(const haft_huber_loss_options* options, haft_module** out);
  haft_status (*haft_bce_loss_create)(const haft_bce_loss_options* options, haft_module** out);
  haft_status (*haft_bce_with_logits_loss_create)(const haft_bce_with_logits_loss_options* options,
                                                  haft_module** out);
  haft_status (*haft_kl_div_loss_create)(const haft_kl_div_loss_options* options, haft_module** out);
  haft_status (*haft_device_get_properties)(haft_device device, haft_device_properties* properties);
  haft_status (*haft_set_deterministic)(int32_t mode);
  haft_status (*haft_get_deterministic)(int32_t* out);
  haft_status (*haft_tensor_decommit)(haft_tensor* t);
  haft_status (*haft_tensor_commit)(haft_tensor* t);
  haft_status (*haft_tensor_is_committed)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_prelu_create)(const haft_prelu_options* options, haft_module** out);
  haft_status (*haft_logsigmoid_create)(haft_module** out);
  haft_status (*haft_asinh)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_asinh_)(haft_tensor* input);
  haft_status (*haft_asinh_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_acosh)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_acosh_)(haft_tensor* input);
  haft_status (*haft_acosh_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_atanh)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_atanh_)(haft_tensor* input);
  haft_status (*haft_atanh_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_prelu)(const haft_tensor* input, const haft_tensor* weight, haft_tensor** out);
  haft_status (*haft_addbmm)(const haft_tensor* input, const haft_tensor* batch1, const haft_tensor* batch2,
                             haft_scalar beta, haft_scalar alpha, haft_tensor** out);
  haft_status (*haft_addmv)(const haft_tensor* input, const haft_tensor* mat, const haft_tensor* vec,
                            haft_scalar beta, haft_scalar alpha, haft_tensor** out);
  haft_status (*haft_addr)(const haft_tensor* input, const haft_tensor* vec1, const haft_tensor* vec2,
                           haft_scalar beta, haft_scalar alpha, haft_tensor** out);
  haft_status (*haft_cross)(const haft_tensor* input, const haft_tensor* other, int64_t dim,
                            haft_tensor** out);
  haft_status (*haft_rmsprop_create)(haft_tensor* const* params, int64_t count,
                                     const haft_rmsprop_options* options, haft_optimizer** out);
  haft_status (*haft_adagrad_create)(haft_tensor* const* params, int64_t count,
                                     const haft_adagrad_options* options, haft_optimizer** out);
  haft_status (*haft_adadelta_create)(haft_tensor* const* params, int64_t count,
                                      const haft_adadelta_options* options, haft_optimizer** out);
  haft_status (*haft_adamax_create)(haft_tensor* const* params, int64_t count,
                                    const haft_adamax_options* options, haft_optimizer** out);
  haft_status (*haft_radam_create)(haft_tensor* const* params, int64_t count,
                                   const haft_radam_options* options, haft_optimizer** out);
  haft_status (*haft_rprop_create)(haft_tensor* const* params, int64_t count,
                                   const haft_rprop_options* options, haft_optimizer** out);
  haft_status (*haft_lion_create)(haft_tensor* const* params, int64_t count, const haft_lion_options* options,
                                  haft_optimizer** out);
  haft_status (*haft_selu_create)(haft_module** out);
  haft_status (*haft_celu_create)(const haft_celu_options* options, haft_module** out);
  haft_status (*haft_softsign_create)(haft_module** out);
  haft_status (*haft_tanhshrink_create)(haft_module** out);
  haft_status (*haft_hardshrink_create)(const haft_hardshrink_options* options, haft_module** out);
  haft_status (*haft_softshrink_create)(const haft_softshrink_options* options, haft_module** out);
  haft_status (*haft_threshold_create)(const haft_threshold_options* options, haft_module** out);
  haft_status (*haft_glu_create)(const haft_glu_options* options, haft_module** out);
  haft_status (*haft_poisson_nll_loss_create)(const haft_poisson_nll_loss_options* options,
                                              haft_module** out);
  haft_status (*haft_gaussian_nll_loss_create)(const haft_gaussian_nll_loss_options* options,
                                               haft_module** out);
  haft_status (*haft_hinge_embedding_loss_create)(const haft_hinge_embedding_loss_options* options,
                                                  haft_module** out);
  haft_status (*haft_soft_margin_loss_create)(const haft_soft_margin_loss_options* options,
                                              haft_module** out);
  haft_status (*haft_margin_ranking_loss_create)(const haft_margin_ranking_loss_options* options,
                                                 haft_module** out);
  haft_status (*haft_cosine_embedding_loss_create)(const haft_cosine_embedding_loss_options* options,
                                                   haft_module** out);
  haft_status (*haft_triplet_margin_loss_create)(const haft_triplet_margin_loss_options* options,
                                                 haft_module** out);
  haft_status (*haft_multi_margin_loss_create)(const haft_multi_margin_loss_options* options,
                                               haft_module** out);
  haft_status (*haft_multilabel_margin_loss_create)(const haft_multilabel_margin_loss_options* options,
                                                    haft_module** out);
  haft_status (*haft_multilabel_soft_margin_loss_create)(
      const haft_multilabel_soft_margin_loss_options* options, haft_module** out);
  haft_status (*haft_selu)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_celu)(const haft_tensor* input, double alpha, haft_tensor** out);
  haft_status (*haft_softsign)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_tanhshrink)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_hardshrink)(const haft_tensor* input, double lambd, haft_tensor** out);
  haft_status (*haft_softshrink)(const haft_tensor* input, double lambd, haft_tensor** out);
  haft_status (*haft_threshold)(const haft_tensor* input, double threshold, double value, haft_tensor** out);
  haft_status (*haft_glu)(const haft_tensor* input, int64_t dim, haft_tensor** out);
  haft_status (*haft_pairwise_distance)(const haft_tensor* x1, const haft_tensor* x2, double p, double eps,
                                        int32_t keepdim, haft_tensor** out);
  haft_status (*haft_cosine_similarity)(const haft_tensor* x1, const haft_tensor* x2, int64_t dim, double eps,
                                        haft_tensor** out);
  haft_status (*haft_poisson_nll_loss)(const haft_tensor* input, const haft_tensor* target, int32_t log_input,
                                       int32_t full, double eps, int64_t reduction, haft_tensor** out);
  haft_status (*haft_gaussian_nll_loss)(const haft_tensor* input, const haft_tensor* target,
                                        const haft_tensor* var, int32_t full, double eps, int64_t reduction,
                                        haft_tensor** out);
  haft_status (*haft_hinge_embedding_loss)(const haft_tensor* input, const haft_tensor* target, double margin,
                                           int64_t reduction, haft_tensor** out);
  haft_status (*haft_soft_margin_loss)(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                       haft_tensor** out);
  haft_status (*haft_margin_ranking_loss)(const haft_tensor* input1, const haft_tensor* input2,
                                          const haft_tensor* target, double margin, int64_t reduction,
                                          haft_tensor** out);
  haft_status (*haft_cosine_embedding_loss)(const haft_tensor* input1, const haft_tensor* input2,
                                            const haft_tensor* target, double margin, int64_t reduction,
                                            haft_tensor** out);
  haft_status (*haft_triplet_margin_loss)(const haft_tensor* anchor, const haft_tensor* positive,
                                          const haft_tensor* negative, double margin, double p, double eps,
                                          int32_t swap, int64_t reduction, haft_tensor** out);
  haft_status (*haft_multi_margin_loss)(const haft_tensor* input, const haft_tensor* target,
                                        const haft_tensor* weight, int64_t p, double margin,
                                        int64_t reduction, haft_tensor** out);
  haft_status (*haft_multilabel_margin_loss)(const haft_tensor* input, const haft_tensor* target,
                                             int64_t reduction, haft_tensor** out);
  haft_status (*haft_multilabel_soft_margin_loss)(const haft_tensor* input, const haft_tensor* target,
                                                  const haft_tensor* weight, int64_t reduction,
                                                  haft_tensor** out);
  haft_status (*haft_embedding_bag)(const haft_tensor* weight, const haft_tensor* input,
                                    const haft_tensor* offsets, const haft_tensor* per_sample_weights,
                                    int64_t mode, int32_t include_last_offset, int64_t padding_idx,
                                    int32_t sparse, int32_t scale_grad_by_freq, haft_tensor** out);
  haft_status (*haft_max_pool1d)(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                 const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                 int64_t dilation_count, int32_t ceil_mode, haft_tensor** out);
  haft_status (*haft_max_pool3d)(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                 const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                 int64_t dilation_count, int32_t ceil_mode, haft_tensor** out);
  haft_status (*haft_max_pool1d_with_indices)(const haft_tensor* input, const int64_t* kernel_size,
                                              int64_t kernel_size_count, const int64_t* stride,
                                              int64_t stride_count, const int64_t* padding,
                                              int64_t padding_count, const int64_t* dilation,
                                              int64_t dilation_count, int32_t ceil_mode, haft_tensor** values,
                                              haft_tensor** indices);
  haft_status (*haft_max_pool2d_with_indices)(const haft_tensor* input, const int64_t* kernel_size,
                                              int64_t kernel_size_count, const int64_t* stride,
                                              int64_t stride_count, const int64_t* padding,
                                              int64_t padding_count, const int64_t* dilation,
                                              int64_t dilation_count, int32_t ceil_mode, haft_tensor** values,
                                              haft_tensor** indices);
  haft_status (*haft_max_pool3d_with_indices)(const haft_tensor* input, const int64_t* kernel_size,
                                              int64_t kernel_size_count, const int64_t* stride,
                                              int64_t stride_count, const int64_t* padding,
                                              int64_t padding_count, const int64_t* dilation,
                                              int64_t dilation_count, int32_t ceil_mode, haft_tensor** values,
                                              haft_tensor** indices);
  haft_status (*haft_avg_pool1d)(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                 const int64_t* padding, int64_t padding_count, int32_t ceil_mode,
                                 int32_t count_include_pad, haft_tensor** out);
  haft_status (*haft_avg_pool3d)(const haft_tensor* input, const int64_t* kernel_size,
                                 int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                 const int64_t* padding, int64_t padding_count, int32_t ceil_mode,
                                 int32_t count_include_pad, int64_t divisor_override, haft_tensor** out);
  haft_status (*haft_lp_pool1d)(const haft_tensor* input, double norm_type, const int64_t* kernel_size,
                                int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                int32_t ceil_mode, haft_tensor** out);
  haft_status (*haft_lp_pool2d)(const haft_tensor* input, double norm_type, const int64_t* kernel_size,
                                int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                int32_t ceil_mode, haft_tensor** out);
  haft_status (*haft_lp_pool3d)(const haft_tensor* input, double norm_type, const int64_t* kernel_size,
                                int64_t kernel_size_count, const int64_t* stride, int64_t stride_count,
                                int32_t ceil_mode, haft_tensor** out);
  haft_status (*haft_adaptive_avg_pool1d)(const haft_tensor* input, const int64_t* output_size,
                                          int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_adaptive_avg_pool3d)(const haft_tensor* input, const int64_t* output_size,
                                          int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_adaptive_max_pool1d)(const haft_tensor* input, const int64_t* output_size,
                                          int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_adaptive_max_pool2d)(const haft_tensor* input, const int64_t* output_size,
                                          int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_adaptive_max_pool3d)(const haft_tensor* input, const int64_t* output_size,
                                          int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_adaptive_max_pool1d_with_indices)(const haft_tensor* input, const int64_t* output_size,
                                                       int64_t output_size_count, haft_tensor** values,
                                                       haft_tensor** indices);
  haft_status (*haft_adaptive_max_pool2d_with_indices)(const haft_tensor* input, const int64_t* output_size,
                                                       int64_t output_size_count, haft_tensor** values,
                                                       haft_tensor** indices);
  haft_status (*haft_adaptive_max_pool3d_with_indices)(const haft_tensor* input, const int64_t* output_size,
                                                       int64_t output_size_count, haft_tensor** values,
                                                       haft_tensor** indices);
  haft_status (*haft_max_unpool1d)(const haft_tensor* input, const haft_tensor* indices,
                                   const int64_t* kernel_size, int64_t kernel_size_count,
                                   const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                   int64_t padding_count, const int64_t* output_size,
                                   int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_max_unpool2d)(const haft_tensor* input, const haft_tensor* indices,
                                   const int64_t* kernel_size, int64_t kernel_size_count,
                                   const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                   int64_t padding_count, const int64_t* output_size,
                                   int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_max_unpool3d)(const haft_tensor* input, const haft_tensor* indices,
                                   const int64_t* kernel_size, int64_t kernel_size_count,
                                   const int64_t* stride, int64_t stride_count, const int64_t* padding,
                                   int64_t padding_count, const int64_t* output_size,
                                   int64_t output_size_count, haft_tensor** out);
  haft_status (*haft_conv1d)(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                             const int64_t* stride, int64_t stride_count, const int64_t* padding,
                             int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                             int64_t groups, haft_tensor** out);
  haft_status (*haft_conv3d)(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                             const int64_t* stride, int64_t stride_count, const int64_t* padding,
                             int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                             int64_t groups, haft_tensor** out);
  haft_status (*haft_conv_transpose1d)(const haft_tensor* input, const haft_tensor* weight,
                                       const haft_tensor* bias, const int64_t* stride, int64_t stride_count,
                                       const int64_t* padding, int64_t padding_count,
                                       const int64_t* output_padding, int64_t output_padding_count,
                                       int64_t groups, const int64_t* dilation, int64_t dilation_count,
                                       haft_tensor** out);
  haft_status (*haft_conv_transpose2d)(const haft_tensor* input, const haft_tensor* weight,
                                       const haft_tensor* bias, const int64_t* stride, int64_t stride_count,
                                       const int64_t* padding, int64_t padding_count,
                                       const int64_t* output_padding, int64_t output_padding_count,
                                       int64_t groups, const int64_t* dilation, int64_t dilation_count,
                                       haft_tensor** out);
  haft_status (*haft_conv_transpose3d)(const haft_tensor* input, const haft_tensor* weight,
                                       const haft_tensor* bias, const int64_t* stride, int64_t stride_count,
                                       const int64_t* padding, int64_t padding_count,
                                       const int64_t* output_padding, int64_t output_padding_count,
                                       int64_t groups, const int64_t* dilation, int64_t dilation_count,
                                       haft_tensor** out);
  haft_status (*haft_im2col)(const haft_tensor* input, const int64_t* kernel_size, int64_t kernel_size_count,
                             const int64_t* dilation, int64_t dilation_count, const int64_t* padding,
                             int64_t padding_count, const int64_t* stride, int64_t stride_count,
                             haft_tensor** out);
  haft_status (*haft_col2im)(const haft_tensor* input, const int64_t* output_size, int64_t output_size_count,
                             const int64_t* kernel_size, int64_t kernel_size_count, const int64_t* dilation,
                             int64_t dilation_count, const int64_t* padding, int64_t padding_count,
                             const int64_t* stride, int64_t stride_count, haft_tensor** out);
  haft_status (*haft_bilinear)(const haft_tensor* input1, const haft_tensor* input2,
                               const haft_tensor* weight, const haft_tensor* bias, haft_tensor** out);
  haft_status (*haft_pixel_shuffle)(const haft_tensor* input, int64_t upscale_factor, haft_tensor** out);
  haft_status (*haft_pixel_unshuffle)(const haft_tensor* input, int64_t downscale_factor, haft_tensor** out);
  haft_status (*haft_channel_shuffle)(const haft_tensor* input, int64_t groups, haft_tensor** out);
  haft_status (*haft_interpolate)(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                  int64_t mode, int32_t align_corners, double scale_w, double scale_h,
                                  double scale_d, haft_tensor** out);
  haft_status (*haft_affine_grid)(const haft_tensor* theta, const int64_t* size, int64_t size_count,
                                  int32_t align_corners, haft_tensor** out);
  haft_status (*haft_grid_sample)(const haft_tensor* input, const haft_tensor* grid, int64_t mode,
                                  int64_t padding_mode, int32_t align_corners, haft_tensor** out);
  haft_status (*haft_pad)(const haft_tensor* input, const int64_t* pad, int64_t pad_count, int64_t mode,
                          haft_scalar value, haft_tensor** out);
  haft_status (*haft_rms_norm)(const haft_tensor* input, const int64_t* normalized_shape,
                               int64_t normalized_shape_count, const haft_tensor* weight, double eps,
                               haft_tensor** out);
  haft_status (*haft_group_norm)(const haft_tensor* input, int64_t num_groups, const haft_tensor* weight,
                                 const haft_tensor* bias, double eps, haft_tensor** out);
  haft_status (*haft_instance_norm)(const haft_tensor* input, const haft_tensor* weight,
                                    const haft_tensor* bias, haft_tensor* running_mean,
                                    haft_tensor* running_var, int32_t use_input_stats, double momentum,
                                    double eps, haft_tensor** out);
  haft_status (*haft_local_response_norm)(const haft_tensor* input, int64_t size, double alpha, double beta,
                                          double k, haft_tensor** out);
  haft_status (*haft_max_pool1d_create)(const haft_max_pool1d_options* options, haft_module** out);
  haft_status (*haft_max_pool3d_create)(const haft_max_pool3d_options* options, haft_module** out);
  haft_status (*haft_avg_pool1d_create)(const haft_avg_pool1d_options* options, haft_module** out);
  haft_status (*haft_avg_pool3d_create)(const haft_avg_pool3d_options* options, haft_module** out);
  haft_status (*haft_lp_pool1d_create)(const haft_lp_pool1d_options* options, haft_module** out);
  haft_status (*haft_lp_pool2d_create)(const haft_lp_pool2d_options* options, haft_module** out);
  haft_status (*haft_lp_pool3d_create)(const haft_lp_pool3d_options* options, haft_module** out);
  haft_status (*haft_adaptive_avg_pool1d_create)(const haft_adaptive_avg_pool1d_options* options,
                                                 haft_module** out);
  haft_status (*haft_adaptive_avg_pool3d_create)(const haft_adaptive_avg_pool3d_options* options,
                                                 haft_module** out);
  haft_status (*haft_adaptive_max_pool1d_create)(const haft_adaptive_max_pool1d_options* options,
                                                 haft_module** out);
  haft_status (*haft_adaptive_max_pool2d_create)(const haft_adaptive_max_pool2d_options* options,
                                                 haft_module** out);
  haft_status (*haft_adaptive_max_pool3d_create)(const haft_adaptive_max_pool3d_options* options,
                                                 haft_module** out);
  haft_status (*haft_pixel_shuffle_create)(const haft_pixel_shuffle_options* options, haft_module** out);
  haft_status (*haft_pixel_unshuffle_create)(const haft_pixel_unshuffle_options* options, haft_module** out);
  haft_status (*haft_channel_shuffle_create)(const haft_channel_shuffle_options* options, haft_module** out);
  haft_status (*haft_local_response_norm_create)(const haft_local_response_norm_options* options,
                                                 haft_module** out);
  haft_status (*haft_frac)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_signbit)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_logit)(const haft_tensor* input, haft_scalar eps, haft_tensor** out);
  haft_status (*haft_deg2rad)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_rad2deg)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sinc)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_nan_to_num)(const haft_tensor* input, haft_scalar nan, haft_scalar posinf,
                                 haft_scalar neginf, haft_tensor** out);
  haft_status (*haft_isposinf)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_isneginf)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_heaviside)(const haft_tensor* input, const haft_tensor* values, haft_tensor** out);
  haft_status (*haft_fmax)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_fmin)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_isclose)(const haft_tensor* input, const haft_tensor* other, double rtol, double atol,
                              int32_t equal_nan, haft_tensor** out);
  haft_status (*haft_ravel)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_fliplr)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_flipud)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_rot90)(const haft_tensor* input, int64_t k, const int64_t* dims, int64_t dims_count,
                            haft_tensor** out);
  haft_status (*haft_tile)(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                           haft_tensor** out);
  haft_status (*haft_repeat_interleave)(const haft_tensor* input, const haft_tensor* repeats, int64_t dim,
                                        haft_tensor** out);
  haft_status (*haft_atleast_1d)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_atleast_2d)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_atleast_3d)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_diag_embed)(const haft_tensor* input, int64_t offset, int64_t dim1, int64_t dim2,
                                 haft_tensor** out);
  haft_status (*haft_diag)(const haft_tensor* input, int64_t diagonal, haft_tensor** out);
  haft_status (*haft_diagflat)(const haft_tensor* input, int64_t offset, haft_tensor** out);
  haft_status (*haft_trace)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_tril_indices)(int64_t row, int64_t col, int64_t offset, haft_dtype dtype,
                                   haft_device device, haft_tensor** out);
  haft_status (*haft_triu_indices)(int64_t row, int64_t col, int64_t offset, haft_dtype dtype,
                                   haft_device device, haft_tensor** out);
  haft_status (*haft_tensor_split)(const haft_tensor* input, int64_t sections, int64_t dim,
                                   haft_tensor** outs, int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_tensor_split_indices)(const haft_tensor* input, const int64_t* indices,
                                           int64_t indices_count, int64_t dim, haft_tensor** outs,
                                           int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_hstack)(haft_tensor* const* tensors, int64_t tensors_count, haft_tensor** out);
  haft_status (*haft_vstack)(haft_tensor* const* tensors, int64_t tensors_count, haft_tensor** out);
  haft_status (*haft_dstack)(haft_tensor* const* tensors, int64_t tensors_count, haft_tensor** out);
  haft_status (*haft_column_stack)(haft_tensor* const* tensors, int64_t tensors_count, haft_tensor** out);
  haft_status (*haft_broadcast_tensors)(haft_tensor* const* tensors, int64_t tensors_count,
                                        haft_tensor** outs, int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_meshgrid)(haft_tensor* const* tensors, int64_t tensors_count, int32_t xy,
                               haft_tensor** outs, int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_cartesian_prod)(haft_tensor* const* tensors, int64_t tensors_count, haft_tensor** out);
  haft_status (*haft_combinations)(const haft_tensor* input, int64_t r, int32_t with_replacement,
                                   haft_tensor** out);
  haft_status (*haft_block_diag)(haft_tensor* const* tensors, int64_t tensors_count, haft_tensor** out);
  haft_status (*haft_nansum)(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                             haft_dtype dtype, haft_tensor** out);
  haft_status (*haft_nanmean)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                              int32_t keepdim, haft_tensor** out);
  haft_status (*haft_aminmax)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** min,
                              haft_tensor** max);
  haft_status (*haft_msort)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_diff)(const haft_tensor* input, int64_t n, int64_t dim, const haft_tensor* prepend,
                           const haft_tensor* append, haft_tensor** out);
  haft_status (*haft_quantile)(const haft_tensor* input, const haft_tensor* q, int64_t dim, int32_t keepdim,
                               int64_t interpolation, haft_tensor** out);
  haft_status (*haft_unique)(const haft_tensor* input, int64_t dim, haft_tensor** values,
                             haft_tensor** inverse, haft_tensor** counts);
  haft_status (*haft_unique_consecutive)(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                         haft_tensor** inverse, haft_tensor** counts);
  haft_status (*haft_einsum)(const char* equation, haft_tensor* const* operands, int64_t operands_count,
                             haft_tensor** out);
  haft_status (*haft_tensordot)(const haft_tensor* input, const haft_tensor* other, const int64_t* dims_self,
                                int64_t dims_self_count, const int64_t* dims_other, int64_t dims_other_count,
                                haft_tensor** out);
  haft_status (*haft_inner)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_chain_matmul)(haft_tensor* const* matrices, int64_t matrices_count, haft_tensor** out);
  haft_status (*haft_matrix_power)(const haft_tensor* input, int64_t n, haft_tensor** out);
  haft_status (*haft_kron)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_dist)(const haft_tensor* input, const haft_tensor* other, double p, haft_tensor** out);
  haft_status (*haft_cdist)(const haft_tensor* x1, const haft_tensor* x2, double p, haft_tensor** out);
  haft_status (*haft_renorm)(const haft_tensor* input, double p, int64_t dim, double maxnorm,
                             haft_tensor** out);
  haft_status (*haft_take)(const haft_tensor* input, const haft_tensor* index, haft_tensor** out);
  haft_status (*haft_take_along_dim)(const haft_tensor* input, const haft_tensor* indices, int64_t dim,
                                     haft_tensor** out);
  haft_status (*haft_index_copy)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                 const haft_tensor* source, haft_tensor** out);
  haft_status (*haft_nadam_create)(haft_tensor* const* params, int64_t count,
                                   const haft_nadam_options* options, haft_optimizer** out);
  haft_status (*haft_asgd_create)(haft_tensor* const* params, int64_t count, const haft_asgd_options* options,
                                  haft_optimizer** out);
  haft_status (*haft_metrics_to_text)(char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_memory_add_pressure_callback)(int64_t mark, void (*fn)(int64_t live, void* user),
                                                   void* user, void (*destroy)(void* user), int64_t* id);
  haft_status (*haft_memory_remove_pressure_callback)(int64_t id);
  haft_status (*haft_session_run_cancellable)(haft_session* s, haft_tensor* const* inputs,
                                              int64_t input_count, int64_t timeout_us,
                                              haft_cancel_token* token, haft_tensor** outs, int64_t capacity,
                                              int64_t* count);
  haft_status (*haft_store_create)(const char* url, const haft_store_options* options, haft_store** out);
  haft_status (*haft_hash_store_create)(haft_store** out);
  haft_status (*haft_prefix_store_create)(const char* prefix, haft_store* store, haft_store** out);
  haft_status (*haft_store_retain)(haft_store* s);
  void (*haft_store_release)(haft_store* s);
  haft_status (*haft_store_set)(haft_store* s, const char* key, const void* value, int64_t size);
  haft_status (*haft_store_get)(haft_store* s, const char* key, int64_t timeout_us, void* buffer,
                                int64_t capacity, int64_t* size);
  haft_status (*haft_store_wait)(haft_store* s, const char* const* keys, int64_t count, int64_t timeout_us);
  haft_status (*haft_store_check)(haft_store* s, const char* const* keys, int64_t count, int32_t* out);
  haft_status (*haft_store_add)(haft_store* s, const char* key, int64_t delta, int64_t* out);
  haft_status (*haft_store_compare_set)(haft_store* s, const char* key, const void* expected,
                                        int64_t expected_size, const void* desired, int64_t desired_size,
                                        int32_t* changed, void* current, int64_t capacity, int64_t* size);
  haft_status (*haft_store_delete)(haft_store* s, const char* key, int32_t* out);
  haft_status (*haft_store_lease)(haft_store* s, const char* key, const void* value, int64_t size,
                                  int64_t ttl_us);
  haft_status (*haft_store_get_port)(haft_store* s, int32_t* out);
  haft_status (*haft_rendezvous)(const char* url, const haft_rendezvous_options* options, haft_store** out,
                                 int32_t* out_rank, int32_t* out_world);
  haft_status (*haft_get_launch_environment)(haft_launch_environment* out);
  haft_status (*haft_process_group_create)(haft_store* store, int32_t rank, int32_t size,
                                           const haft_process_group_options* options,
                                           haft_process_group** out);
  haft_status (*haft_process_group_subgroup)(haft_process_group* g, const int32_t* ranks, int64_t count,
                                             const haft_process_group_options* options,
                                             haft_process_group** out);
  haft_status (*haft_process_group_split)(haft_process_group* g, int64_t color, int64_t key,
                                          const haft_process_group_options* options,
                                          haft_process_group** out);
  haft_status (*haft_process_group_retain)(haft_process_group* g);
  void (*haft_process_group_release)(haft_process_group* g);
  haft_status (*haft_process_group_get_info)(const haft_process_group* g, haft_process_group_info* info);
  haft_status (*haft_process_group_abort)(haft_process_group* g, const char* reason);
  haft_status (*haft_process_group_recorder_to_json)(const haft_process_group* g, char* buffer,
                                                     int64_t capacity, int64_t* needed);
  haft_status (*haft_process_group_broadcast)(haft_process_group* g, haft_tensor* tensor, int32_t root,
                                              haft_work** work);
  haft_status (*haft_process_group_all_reduce)(haft_process_group* g, haft_tensor* tensor, int32_t op,
                                               haft_work** work);
  haft_status (*haft_process_group_reduce)(haft_process_group* g, haft_tensor* tensor, int32_t op,
                                           int32_t root, haft_work** work);
  haft_status (*haft_process_group_all_gather)(haft_process_group* g, haft_tensor* const* outputs,
                                               int64_t count, const haft_tensor* input, haft_work** work);
  haft_status (*haft_process_group_all_gather_into)(haft_process_group* g, haft_tensor* output,
                                                    const haft_tensor* input, const int64_t* parts,
                                                    int64_t count, haft_work** work);
  haft_status (*haft_process_group_gather)(haft_process_group* g, haft_tensor* const* outputs, int64_t count,
                                           const haft_tensor* input, int32_t root, haft_work** work);
  haft_status (*haft_process_group_scatter)(haft_process_group* g, haft_tensor* output,
                                            haft_tensor* const* inputs, int64_t count, int32_t root,
                                            haft_work** work);
  haft_status (*haft_process_group_reduce_scatter)(haft_process_group* g, haft_tensor* output,
                                                   haft_tensor* const* inputs, int64_t count, int32_t op,
                                                   haft_work** work);
  haft_status (*haft_process_group_reduce_scatter_from)(
      haft_process_group* g, haft_tensor* output, const haft_tensor* input, int32_t op, haft_work** work);
  haft_status (*haft_process_group_all_to_all)(haft_process_group* g, haft_tensor* const* outputs,
                                               haft_tensor* const* inputs, int64_t count, haft_work** work);
  haft_status (*haft_process_group_all_to_all_single)(haft_process_group* g, haft_tensor* output,
                                                      const haft_tensor* input, const int64_t* output_parts,
                                                      const int64_t* input_parts, int64_t count,
                                                      haft_work** work);
  haft_status (*haft_process_group_barrier)(haft_process_group* g, int64_t timeout_us, haft_work** work);
  haft_status (*haft_process_group_send)(haft_process_group* g, const haft_tensor* tensor, int32_t peer,
                                         int32_t tag, haft_work** work);
  haft_status (*haft_process_group_recv)(haft_process_group* g, haft_tensor* tensor, int32_t peer,
                                         int32_t tag, int32_t* source, haft_work** work);
  haft_status (*haft_work_retain)(haft_work* w);
  void (*haft_work_release)(haft_work* w);
  haft_status (*haft_work_wait)(haft_work* w, int64_t timeout_us);
  haft_status (*haft_work_is_done)(haft_work* w, int32_t* out);
  haft_status (*haft_work_get_source)(const haft_work* w, int32_t* out);
  haft_status (*haft_work_on_done)(haft_work* w, haft_work_done done, void* user,
                                   void (*destroy)(void* user));
  haft_status (*haft_parallel_all_reduce)(haft_process_group* g, const haft_tensor* x, int32_t op,
                                          haft_tensor** out);
  haft_status (*haft_parallel_broadcast)(haft_process_group* g, const haft_tensor* x, int32_t root,
                                         haft_tensor** out);
  haft_status (*haft_parallel_reduce)(haft_process_group* g, const haft_tensor* x, int32_t root, int32_t op,
                                      haft_tensor** out);
  haft_status (*haft_parallel_all_gather)(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                          const int64_t* rows, int64_t count, haft_tensor** out);
  haft_status (*haft_parallel_reduce_scatter)(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                              int32_t op, const int64_t* rows, int64_t count,
                                              haft_tensor** out);
  haft_status (*haft_parallel_all_to_all_single)(haft_process_group* g, const haft_tensor* x,
                                                 const int64_t* output_rows, const int64_t* input_rows,
                                                 int64_t count, haft_tensor** out);
  haft_status (*haft_parallel_copy_to)(haft_process_group* g, const haft_tensor* x, haft_tensor** out);
  haft_status (*haft_parallel_reduce_from)(haft_process_group* g, const haft_tensor* x, haft_tensor** out);
  haft_status (*haft_parallel_split_to)(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                        haft_tensor** out);
  haft_status (*haft_parallel_gather_from)(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                           const int64_t* rows, int64_t count, haft_tensor** out);
  haft_status (*haft_parallel_sync_batch_norm)(haft_process_group* g, const haft_tensor* x,
                                               const haft_tensor* weight, const haft_tensor* bias,
                                               haft_tensor* running_mean, haft_tensor* running_var,
                                               double momentum, double eps, haft_tensor** out);
  haft_status (*haft_module_convert_sync_batchnorm)(haft_module* m, haft_process_group* g, haft_module** out);
  haft_status (*haft_parallel_sum_values)(haft_process_group* g, double* values, int64_t count);
  haft_status (*haft_parallel_log_rank)(const haft_process_group* g, int32_t rank);
  haft_status (*haft_device_mesh_create)(haft_process_group* g, const int64_t* shape,
                                         const char* const* names, int64_t ndim, haft_device_mesh** out);
  haft_status (*haft_device_mesh_retain)(haft_device_mesh* m);
  void (*haft_device_mesh_release)(haft_device_mesh* m);
  haft_status (*haft_device_mesh_get_dim_count)(const haft_device_mesh* m, int64_t* out);
  haft_status (*haft_device_mesh_get_dim)(const haft_device_mesh* m, int64_t dim, int64_t* size,
                                          int64_t* coordinate);
  haft_status (*haft_device_mesh_get_dim_name)(const haft_device_mesh* m, int64_t dim, char* buffer,
                                               int64_t capacity, int64_t* needed);
  haft_status (*haft_device_mesh_get_dim_of_name)(const haft_device_mesh* m, const char* name, int64_t* out);
  haft_status (*haft_device_mesh_group)(const haft_device_mesh* m, int64_t dim, haft_process_group** out);
  haft_status (*haft_device_mesh_slice)(const haft_device_mesh* m, const int64_t* dims, int64_t count,
                                        haft_device_mesh** out);
  haft_status (*haft_column_parallel_linear_create)(haft_process_group* g, const haft_module* dense,
                                                    const haft_tensor_parallel_options* options,
                                                    haft_module** out);
  haft_status (*haft_row_parallel_linear_create)(haft_process_group* g, const haft_module* dense,
                                                 const haft_tensor_parallel_options* options,
                                                 haft_module** out);
  haft_status (*haft_vocab_parallel_embedding_create)(haft_process_group* g, const haft_module* dense,
                                                      const haft_tensor_parallel_options* options,
                                                      haft_module** out);
  haft_status (*haft_module_sum_gradients)(haft_module* m, haft_process_group* g);
  haft_status (*haft_parallel_cross_entropy)(haft_process_group* g, const haft_tensor* x,
                                             const haft_tensor* target, int64_t classes,
                                             const haft_cross_entropy_loss_options* options,
                                             haft_tensor** out);
  haft_status (*haft_pipeline_create)(haft_process_group* g, haft_module* const* stages, int64_t count,
                                      const haft_pipeline_options* options, haft_pipeline** out);
  haft_status (*haft_pipeline_retain)(haft_pipeline* p);
  void (*haft_pipeline_release)(haft_pipeline* p);
  haft_status (*haft_pipeline_tie)(haft_pipeline* p, haft_tensor* parameter);
  haft_status (*haft_pipeline_step)(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count,
                                    haft_tensor* target, haft_tensor** losses, haft_tensor** outputs,
                                    int64_t capacity, int64_t* count);
  haft_status (*haft_pipeline_evaluate)(haft_pipeline* p, haft_tensor* const* inputs, int64_t input_count,
                                        haft_tensor* target, haft_tensor** losses, haft_tensor** outputs,
                                        int64_t capacity, int64_t* count);
  haft_status (*haft_pipeline_get_info)(haft_pipeline* p, haft_pipeline_info* info);
  haft_status (*haft_pipeline_get_trace)(haft_pipeline* p, haft_pipeline_action* actions, int64_t capacity,
                                         int64_t* count);
  haft_status (*haft_mixture_of_experts_create)(haft_process_group* g, haft_module* router,
                                                haft_module* const* experts, int64_t count,
                                                const haft_mixture_of_experts_options* options,
                                                haft_module** out);
  haft_status (*haft_parallel_ring_attention)(haft_process_group* g, const haft_tensor* query,
                                              const haft_tensor* key, const haft_tensor* value,
                                              int32_t is_causal, double scale, haft_tensor** out);
  haft_status (*haft_data_parallel_create)(haft_module* m, haft_process_group* g,
                                           const haft_data_parallel_options* options,
                                           haft_data_parallel** out);
  haft_status (*haft_data_parallel_create_over)(const char* const* names, haft_tensor* const* parameters,
                                                int64_t parameter_count, haft_tensor* const* buffers,
                                                int64_t buffer_count, haft_process_group* g,
                                                const haft_data_parallel_options* options,
                                                haft_data_parallel** out);
  haft_status (*haft_data_parallel_retain)(haft_data_parallel* d);
  void (*haft_data_parallel_release)(haft_data_parallel* d);
  haft_status (*haft_data_parallel_forward)(haft_data_parallel* d, const haft_tensor* x, haft_tensor** y);
  haft_status (*haft_data_parallel_prepare)(haft_data_parallel* d);
  haft_status (*haft_data_parallel_set_sync)(haft_data_parallel* d, int32_t on);
  haft_status (*haft_data_parallel_get_sync)(haft_data_parallel* d, int32_t* out);
  haft_status (*haft_data_parallel_set_static_graph)(haft_data_parallel* d);
  haft_status (*haft_data_parallel_join_begin)(haft_data_parallel* d, int32_t divide_by_world,
                                               int32_t fail_early);
  haft_status (*haft_data_parallel_join_end)(haft_data_parallel* d);
  haft_status (*haft_data_parallel_get_info)(haft_data_parallel* d, haft_data_parallel_info* info);
  haft_status (*haft_data_parallel_set_hook)(haft_data_parallel* d, haft_gradient_hook hook,
                                             haft_gradient_hook_finish finish, void* user,
                                             void (*destroy)(void* user));
  haft_status (*haft_data_parallel_set_compression)(haft_data_parallel* d,
                                                    const haft_compression_options* options);
  haft_status (*haft_data_parallel_set_post_local)(haft_data_parallel* d, haft_process_group* part,
                                                   int64_t start_step);
  haft_status (*haft_data_parallel_state)(haft_data_parallel* d, haft_tensor** outs, int64_t capacity,
                                          int64_t* count);
  haft_status (*haft_data_parallel_get_state_name)(haft_data_parallel* d, int64_t index, char* buffer,
                                                   int64_t capacity, int64_t* needed);
  haft_status (*haft_data_parallel_load_state)(haft_data_parallel* d, const char* const* names,
                                               haft_tensor* const* tensors, int64_t count);
  haft_status (*haft_model_averager_create)(haft_tensor* const* parameters, int64_t count,
                                            haft_process_group* g, const haft_model_averager_options* options,
                                            haft_model_averager** out);
  haft_status (*haft_model_averager_retain)(haft_model_averager* a);
  void (*haft_model_averager_release)(haft_model_averager* a);
  haft_status (*haft_model_averager_step)(haft_model_averager* a, int32_t* averaged);
  haft_status (*haft_model_averager_state)(haft_model_averager* a, haft_tensor** outs, int64_t capacity,
                                           int64_t* count);
  haft_status (*haft_model_averager_get_state_name)(haft_model_averager* a, int64_t index, char* buffer,
                                                    int64_t capacity, int64_t* needed);
  haft_status (*haft_model_averager_load_state)(haft_model_averager* a, const char* const* names,
                                                haft_tensor* const* tensors, int64_t count);
  haft_status (*haft_parameter_server_create)(haft_rpc* rpc, const haft_parameter_server_options* options,
                                              haft_parameter_server** out);
  haft_status (*haft_parameter_server_retain)(haft_parameter_server* server);
  void (*haft_parameter_server_release)(haft_parameter_server* server);
  haft_status (*haft_parameter_server_save)(haft_parameter_server* server, const char* path);
  haft_status (*haft_parameter_server_get_info)(haft_parameter_server* server,
                                                haft_parameter_server_info* info);
  haft_status (*haft_parameter_client_create)(haft_rpc* rpc, const int32_t* servers, int64_t count,
                                              const char* name, int64_t timeout_us,
                                              haft_parameter_client** out);
  haft_status (*haft_parameter_client_retain)(haft_parameter_client* client);
  void (*haft_parameter_client_release)(haft_parameter_client* client);
  haft_status (*haft_parameter_client_join)(haft_parameter_client* client, int64_t* clock);
  haft_status (*haft_parameter_client_leave)(haft_parameter_client* client);
  haft_status (*haft_parameter_client_add)(haft_parameter_client* client, const char* key, haft_tensor* value,
                                           int64_t* version);
  haft_status (*haft_parameter_client_add_table)(haft_parameter_client* client, const char* key, int64_t rows,
                                                 int64_t width, haft_dtype dtype, double std, uint64_t seed,
                                                 int64_t* version);
  haft_status (*haft_parameter_client_pull)(haft_parameter_client* client, const char* const* keys,
                                            haft_tensor* const* tensors, int64_t count, int64_t* versions);
  haft_status (*haft_parameter_client_push)(haft_parameter_client* client, const char* const* keys,
                                            haft_tensor* const* gradients, int64_t count);
  haft_status (*haft_parameter_client_pull_rows)(haft_parameter_client* client, const char* key,
                                                 haft_tensor* rows, int64_t* version, haft_tensor** out);
  haft_status (*haft_parameter_client_push_rows)(haft_parameter_client* client, const char* key,
                                                 haft_tensor* rows, haft_tensor* gradients);
  haft_status (*haft_parameter_client_step)(haft_parameter_client* client, int64_t* clock, int64_t* version);
  haft_status (*haft_parameter_client_set_option)(haft_parameter_client* client, const char* name,
                                                  double value);
  haft_status (*haft_rpc_create)(haft_store* store, int32_t rank, int32_t size,
                                 const haft_rpc_options* options, haft_rpc** out);
  haft_status (*haft_rpc_retain)(haft_rpc* rpc);
  void (*haft_rpc_release)(haft_rpc* rpc);
  haft_status (*haft_rpc_start)(haft_rpc* rpc, int64_t timeout_us);
  haft_status (*haft_rpc_shutdown)(haft_rpc* rpc, int64_t timeout_us);
  haft_status (*haft_rpc_abort)(haft_rpc* rpc);
  haft_status (*haft_rpc_get_rank)(const haft_rpc* rpc, const char* name, int32_t* out);
  haft_status (*haft_rpc_get_name)(const haft_rpc* rpc, int32_t rank, char* buffer, int64_t capacity,
                                   int64_t* needed);
  haft_status (*haft_rpc_get_port)(const haft_rpc* rpc, int32_t* out);
  haft_status (*haft_rpc_register)(haft_rpc* rpc, const char* name, haft_rpc_function function, void* user,
                                   void (*destroy)(void* user));
  haft_status (*haft_rpc_request_retain)(haft_rpc_request* request);
  void (*haft_rpc_request_release)(haft_rpc_request* request);
  haft_status (*haft_rpc_request_get_caller)(const haft_rpc_request* request, int32_t* out);
  haft_status (*haft_rpc_request_tensors)(const haft_rpc_request* request, haft_tensor** outs,
                                          int64_t capacity, int64_t* count);
  haft_status (*haft_rpc_request_get_bytes)(const haft_rpc_request* request, const void** data,
                                            int64_t* size);
  haft_status (*haft_rpc_request_reply)(haft_rpc_request* request, haft_tensor* const* tensors, int64_t count,
                                        const void* data, int64_t size);
  haft_status (*haft_rpc_request_fail)(haft_rpc_request* request, haft_status status, const char* message);
  haft_status (*haft_rpc_call)(haft_rpc* rpc, int32_t to, const char* function, haft_tensor* const* tensors,
                               int64_t count, const void* data, int64_t size, int64_t timeout_us,
                               haft_future** out);
  haft_status (*haft_future_retain)(haft_future* f);
  void (*haft_future_release)(haft_future* f);
  haft_status (*haft_future_wait)(haft_future* f, int64_t timeout_us);
  haft_status (*haft_future_is_done)(haft_future* f, int32_t* out);
  haft_status (*haft_future_tensors)(haft_future* f, haft_tensor** outs, int64_t capacity, int64_t* count);
  haft_status (*haft_future_get_bytes)(haft_future* f, const void** data, int64_t* size);
  haft_status (*haft_future_on_done)(haft_future* f, haft_future_done done, void* user,
                                     void (*destroy)(void* user));
  haft_status (*haft_tensor_share_memory)(haft_tensor* t);
  haft_status (*haft_tensor_is_shared)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_tensor_get_shared_name)(const haft_tensor* t, char* buffer, int64_t capacity,
                                             int64_t* needed);
  haft_status (*haft_tensor_from_shared)(const char* name, haft_tensor** out);
  haft_status (*haft_data_parallel_module_create)(haft_module* m, const haft_device* devices, int64_t count,
                                                  int64_t dim, haft_module** out);
  haft_status (*haft_parallel_join_gradients)(haft_process_group* g, haft_tensor* const* parameters,
                                              int64_t count, int32_t op);
  haft_status (*haft_parallel_clip_grad_norm)(haft_process_group* g, haft_tensor* const* parameters,
                                              const int64_t* copies, int64_t count, double max_norm,
                                              double norm_type, double* norm);
  haft_status (*haft_random_set_stream)(int64_t stream, int64_t* before);
  haft_status (*haft_optimizer_shard)(haft_optimizer* o, haft_process_group* g,
                                      const haft_shard_options* options);
  haft_status (*haft_optimizer_consolidate)(haft_optimizer* o, int32_t to);
  haft_status (*haft_optimizer_clip_grad_norm)(haft_optimizer* o, double max_norm, double norm_type,
                                               double* norm);
  haft_status (*haft_optimizer_get_shard_info)(haft_optimizer* o, haft_shard_info* info);
  haft_status (*haft_process_group_is_available)(const char* engine, int32_t* out);
  haft_status (*haft_module_fully_shard)(haft_module* m, haft_process_group* g, haft_process_group* replicas,
                                         const haft_fully_sharded_options* options, haft_fully_sharded** out);
  haft_status (*haft_fully_shard_parameters)(const char* const* names, haft_tensor* const* parameters,
                                             int64_t count, haft_process_group* g,
                                             haft_process_group* replicas,
                                             const haft_fully_sharded_options* options,
                                             haft_fully_sharded** out);
  haft_status (*haft_fully_sharded_retain)(haft_fully_sharded* u);
  void (*haft_fully_sharded_release)(haft_fully_sharded* u);
  haft_status (*haft_fully_sharded_before_forward)(haft_fully_sharded* u, haft_tensor* const* inputs,
                                                   int64_t count, haft_tensor** outs);
  haft_status (*haft_fully_sharded_after_forward)(haft_fully_sharded* u, haft_tensor* const* outputs,
                                                  int64_t count, haft_tensor** outs);
  haft_status (*haft_fully_sharded_unshard)(haft_fully_sharded* u);
  haft_status (*haft_fully_sharded_reshard)(haft_fully_sharded* u);
  haft_status (*haft_fully_sharded_set_gradient_sync)(haft_fully_sharded* u, int32_t on);
  haft_status (*haft_fully_sharded_set_reshard_after_forward)(haft_fully_sharded* u, int32_t value);
  haft_status (*haft_fully_sharded_close)(haft_fully_sharded* u);
  haft_status (*haft_fully_sharded_get_info)(haft_fully_sharded* u, haft_fully_sharded_info* info);
  haft_status (*haft_tensor_shard)(const haft_tensor* t, haft_tensor** out);
  haft_status (*haft_tensor_get_shard_info)(const haft_tensor* t, haft_tensor_shard_info* info);
  haft_status (*haft_sharded_checkpoint_save)(haft_process_group* g, const char* folder,
                                              const haft_checkpoint_piece* pieces, int64_t piece_count,
                                              const haft_checkpoint_parts* parts,
                                              const haft_key_value* values, int64_t value_count,
                                              haft_future** out);
  haft_status (*haft_sharded_checkpoint_open)(const char* folder, haft_sharded_checkpoint** out);
  haft_status (*haft_sharded_checkpoint_retain)(haft_sharded_checkpoint* c);
  void (*haft_sharded_checkpoint_release)(haft_sharded_checkpoint* c);
  haft_status (*haft_sharded_checkpoint_get_count)(const haft_sharded_checkpoint* c, int64_t* out);
  haft_status (*haft_sharded_checkpoint_get_tensor_info)(
      const haft_sharded_checkpoint* c, int64_t index, haft_sharded_tensor_info* info);
  haft_status (*haft_sharded_checkpoint_tensor)(const haft_sharded_checkpoint* c, const char* name,
                                                haft_tensor** out);
  haft_status (*haft_sharded_checkpoint_load)(const haft_sharded_checkpoint* c,
                                              const haft_checkpoint_piece* pieces, int64_t piece_count,
                                              int32_t cast, const haft_checkpoint_parts* parts, int32_t rank);
  haft_status (*haft_sharded_checkpoint_get_value_count)(const haft_sharded_checkpoint* c, int64_t* out);
  haft_status (*haft_sharded_checkpoint_get_value)(const haft_sharded_checkpoint* c, int64_t index,
                                                   haft_key_value* out);
  haft_status (*haft_sharded_checkpoint_find_value)(const haft_sharded_checkpoint* c, const char* key,
                                                    haft_key_value* out);
  haft_status (*haft_sharded_checkpoint_to_file)(const haft_sharded_checkpoint* c, const char* path);
  haft_status (*haft_rnn)(const haft_tensor* input, const haft_tensor* h0, const haft_tensor* c0,
                          haft_tensor* const* weights, int64_t weights_count, int64_t mode,
                          int64_t num_layers, int32_t bidirectional, int32_t batch_first, double dropout,
                          int32_t training, const int64_t* batch_sizes, int64_t batch_sizes_count,
                          haft_generator* generator, haft_tensor** out, haft_tensor** h, haft_tensor** c);
  haft_status (*haft_rnn_create)(const haft_rnn_options* options, haft_module** out);
  haft_status (*haft_lstm_create)(const haft_lstm_options* options, haft_module** out);
  haft_status (*haft_gru_create)(const haft_gru_options* options, haft_module** out);
  haft_status (*haft_rnn_cell_create)(const haft_rnn_cell_options* options, haft_module** out);
  haft_status (*haft_lstm_cell_create)(const haft_lstm_cell_options* options, haft_module** out);
  haft_status (*haft_gru_cell_create)(const haft_gru_cell_options* options, haft_module** out);
  haft_status (*haft_scaled_dot_product_attention)(const haft_tensor* query, const haft_tensor* key,
                                                   const haft_tensor* value, const haft_tensor* attn_mask,
                                                   double dropout_p, int32_t is_causal, haft_scalar scale,
                                                   int32_t enable_gqa, haft_generator* generator,
                                                   haft_tensor** out);
  haft_status (*haft_multihead_attention_create)(const haft_multihead_attention_options* options,
                                                 haft_module** out);
  haft_status (*haft_transformer_encoder_layer_create)(const haft_transformer_encoder_layer_options* options,
                                                       haft_module** out);
  haft_status (*haft_transformer_decoder_layer_create)(const haft_transformer_decoder_layer_options* options,
                                                       haft_module** out);
  haft_status (*haft_transformer_encoder_create)(const haft_transformer_encoder_options* options,
                                                 haft_module** out);
  haft_status (*haft_transformer_decoder_create)(const haft_transformer_decoder_options* options,
                                                 haft_module** out);
  haft_status (*haft_transformer_create)(const haft_transformer_options* options, haft_module** out);
  haft_status (*haft_rotary_embedding_create)(const haft_rotary_embedding_options* options,
                                              haft_module** out);
  haft_status (*haft_kv_cache_create)(const haft_kv_cache_options* options, haft_module** out);
  haft_status (*haft_multi_head_attention)(const haft_tensor* query, const haft_tensor* key,
                                           const haft_tensor* value, const haft_tensor* in_proj_weight,
                                           const haft_tensor* q_proj_weight, const haft_tensor* k_proj_weight,
                                           const haft_tensor* v_proj_weight, const haft_tensor* in_proj_bias,
                                           const haft_tensor* bias_k, const haft_tensor* bias_v,
                                           const haft_tensor* out_proj_weight,
                                           const haft_tensor* out_proj_bias,
                                           const haft_tensor* key_padding_mask, const haft_tensor* attn_mask,
                                           const haft_tensor* static_k, const haft_tensor* static_v,
                                           int64_t num_heads, int32_t add_zero_attn, double dropout_p,
                                           int32_t is_causal, int32_t need_weights,
                                           int32_t average_attn_weights, int32_t batch_first,
                                           haft_generator* generator, haft_tensor** out,
                                           haft_tensor** weights);
  haft_status (*haft_rotary_embedding)(const haft_tensor* input, const haft_tensor* cos,
                                       const haft_tensor* sin, int32_t interleaved, haft_tensor** out);
  haft_status (*haft_standard_gamma)(const haft_tensor* input, haft_generator* generator, haft_tensor** out);
  haft_status (*haft_index_fill)(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                 haft_scalar value, haft_tensor** out);
  haft_status (*haft_put)(const haft_tensor* input, const haft_tensor* index, const haft_tensor* source,
                          int32_t accumulate, haft_tensor** out);
  haft_status (*haft_select_scatter)(const haft_tensor* input, const haft_tensor* src, int64_t dim,
                                     int64_t index, haft_tensor** out);
  haft_status (*haft_slice_scatter)(const haft_tensor* input, const haft_tensor* src, int64_t dim,
                                    int64_t start, int64_t end, int64_t step, haft_tensor** out);
  haft_status (*haft_diagonal_scatter)(const haft_tensor* input, const haft_tensor* src, int64_t offset,
                                       int64_t dim1, int64_t dim2, haft_tensor** out);
  haft_status (*haft_conv1d_create)(const haft_conv1d_options* options, haft_module** out);
  haft_status (*haft_conv3d_create)(const haft_conv3d_options* options, haft_module** out);
  haft_status (*haft_conv_transpose1d_create)(const haft_conv_transpose1d_options* options,
                                              haft_module** out);
  haft_status (*haft_conv_transpose2d_create)(const haft_conv_transpose2d_options* options,
                                              haft_module** out);
  haft_status (*haft_conv_transpose3d_create)(const haft_conv_transpose3d_options* options,
                                              haft_module** out);
  haft_status (*haft_unfold_create)(const haft_unfold_options* options, haft_module** out);
  haft_status (*haft_fold_create)(const haft_fold_options* options, haft_module** out);
  haft_status (*haft_batch_norm3d_create)(const haft_batch_norm3d_options* options, haft_module** out);
  haft_status (*haft_instance_norm1d_create)(const haft_instance_norm1d_options* options, haft_module** out);
  haft_status (*haft_instance_norm2d_create)(const haft_instance_norm2d_options* options, haft_module** out);
  haft_status (*haft_instance_norm3d_create)(const haft_instance_norm3d_options* options, haft_module** out);
  haft_status (*haft_group_norm_create)(const haft_group_norm_options* options, haft_module** out);
  haft_status (*haft_rms_norm_create)(const haft_rms_norm_options* options, haft_module** out);
  haft_status (*haft_embedding_bag_create)(const haft_embedding_bag_options* options, haft_module** out);
  haft_status (*haft_bilinear_create)(const haft_bilinear_options* options, haft_module** out);
  haft_status (*haft_cosine_similarity_create)(const haft_cosine_similarity_options* options,
                                               haft_module** out);
  haft_status (*haft_pairwise_distance_create)(const haft_pairwise_distance_options* options,
                                               haft_module** out);
  haft_status (*haft_reflection_pad1d_create)(const haft_reflection_pad1d_options* options,
                                              haft_module** out);
  haft_status (*haft_replication_pad1d_create)(const haft_replication_pad1d_options* options,
                                               haft_module** out);
  haft_status (*haft_circular_pad1d_create)(const haft_circular_pad1d_options* options, haft_module** out);
  haft_status (*haft_zero_pad1d_create)(const haft_zero_pad1d_options* options, haft_module** out);
  haft_status (*haft_constant_pad1d_create)(const haft_constant_pad1d_options* options, haft_module** out);
  haft_status (*haft_reflection_pad2d_create)(const haft_reflection_pad2d_options* options,
                                              haft_module** out);
  haft_status (*haft_replication_pad2d_create)(const haft_replication_pad2d_options* options,
                                               haft_module** out);
  haft_status (*haft_circular_pad2d_create)(const haft_circular_pad2d_options* options, haft_module** out);
  haft_status (*haft_zero_pad2d_create)(const haft_zero_pad2d_options* options, haft_module** out);
  haft_status (*haft_constant_pad2d_create)(const haft_constant_pad2d_options* options, haft_module** out);
  haft_status (*haft_reflection_pad3d_create)(const haft_reflection_pad3d_options* options,
                                              haft_module** out);
  haft_status (*haft_replication_pad3d_create)(const haft_replication_pad3d_options* options,
                                               haft_module** out);
  haft_status (*haft_circular_pad3d_create)(const haft_circular_pad3d_options* options, haft_module** out);
  haft_status (*haft_zero_pad3d_create)(const haft_zero_pad3d_options* options, haft_module** out);
  haft_status (*haft_constant_pad3d_create)(const haft_constant_pad3d_options* options, haft_module** out);
  haft_status (*haft_max_unpool1d_create)(const haft_max_unpool1d_options* options, haft_module** out);
  haft_status (*haft_max_unpool2d_create)(const haft_max_unpool2d_options* options, haft_module** out);
  haft_status (*haft_max_unpool3d_create)(const haft_max_unpool3d_options* options, haft_module** out);
  haft_status (*haft_upsample_create)(const haft_upsample_options* options, haft_module** out);
  haft_status (*haft_upsampling_nearest2d_create)(const haft_upsampling_nearest2d_options* options,
                                                  haft_module** out);
  haft_status (*haft_upsampling_bilinear2d_create)(const haft_upsampling_bilinear2d_options* options,
                                                   haft_module** out);
  haft_status (*haft_dropout1d_create)(const haft_dropout1d_options* options, haft_module** out);
  haft_status (*haft_dropout2d_create)(const haft_dropout2d_options* options, haft_module** out);
  haft_status (*haft_dropout3d_create)(const haft_dropout3d_options* options, haft_module** out);
  haft_status (*haft_alpha_dropout_create)(const haft_alpha_dropout_options* options, haft_module** out);
  haft_status (*haft_feature_alpha_dropout_create)(const haft_feature_alpha_dropout_options* options,
                                                   haft_module** out);
  haft_status (*haft_rrelu_create)(const haft_rrelu_options* options, haft_module** out);
  haft_status (*haft_relu6_create)(haft_module** out);
  haft_status (*haft_softmin_create)(const haft_softmin_options* options, haft_module** out);
  haft_status (*haft_softmax2d_create)(haft_module** out);
  haft_status (*haft_unflatten_create)(const haft_unflatten_options* options, haft_module** out);
  haft_status (*haft_feature_dropout)(const haft_tensor* input, double p, int32_t training,
                                      haft_generator* generator, haft_tensor** out);
  haft_status (*haft_alpha_dropout)(const haft_tensor* input, double p, int32_t training,
                                    haft_generator* generator, haft_tensor** out);
  haft_status (*haft_feature_alpha_dropout)(const haft_tensor* input, double p, int32_t training,
                                            haft_generator* generator, haft_tensor** out);
  haft_status (*haft_rrelu)(const haft_tensor* input, double lower, double upper, int32_t training,
                            haft_generator* generator, haft_tensor** out);
  haft_status (*haft_ctc_loss)(const haft_tensor* log_probs, const haft_tensor* targets,
                               const haft_tensor* input_lengths, const haft_tensor* target_lengths,
                               int64_t blank, int64_t reduction, int32_t zero_infinity, haft_tensor** out);
  haft_status (*haft_linear_cross_entropy)(const haft_tensor* input, const haft_tensor* linear_weight,
                                           const haft_tensor* target, const haft_tensor* linear_bias,
                                           const haft_tensor* weight, int64_t reduction, int64_t ignore_index,
                                           double label_smoothing, haft_tensor** out);
  haft_status (*haft_multiplicative_lr_create)(haft_optimizer* o, haft_lr_factor fn, void* user,
                                               void (*destroy)(void* user), haft_scheduler** out);
  haft_status (*haft_chained_scheduler_create)(haft_scheduler* const* schedulers, int64_t count,
                                               haft_scheduler** out);
  haft_status (*haft_sequential_lr_create)(haft_optimizer* o, haft_scheduler* const* schedulers,
                                           int64_t count, const int64_t* milestones, int64_t milestone_count,
                                           haft_scheduler** out);
  haft_status (*haft_scheduler_step_metric)(haft_scheduler* s, double metric);
  haft_status (*haft_ctc_loss_create)(const haft_ctc_loss_options* options, haft_module** out);
  haft_status (*haft_constant_lr_create)(haft_optimizer* o, const haft_constant_lr_options* options,
                                         haft_scheduler** out);
  haft_status (*haft_polynomial_lr_create)(haft_optimizer* o, const haft_polynomial_lr_options* options,
                                           haft_scheduler** out);
  haft_status (*haft_cosine_annealing_warm_restarts_create)(
      haft_optimizer* o, const haft_cosine_annealing_warm_restarts_options* options, haft_scheduler** out);
  haft_status (*haft_cyclic_lr_create)(haft_optimizer* o, const haft_cyclic_lr_options* options,
                                       haft_scheduler** out);
  haft_status (*haft_one_cycle_lr_create)(haft_optimizer* o, const haft_one_cycle_lr_options* options,
                                          haft_scheduler** out);
  haft_status (*haft_reduce_lr_on_plateau_create)(haft_optimizer* o,
                                                  const haft_reduce_lr_on_plateau_options* options,
                                                  haft_scheduler** out);
  haft_status (*haft_swa_lr_create)(haft_optimizer* o, const haft_swa_lr_options* options,
                                    haft_scheduler** out);
  haft_status (*haft_autograd_vjp)(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                   int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                                   int32_t flags, haft_tensor** outputs, int64_t capacity,
                                   int64_t* output_count, haft_tensor** products);
  haft_status (*haft_autograd_jvp)(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                   int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                                   int32_t flags, haft_tensor** outputs, int64_t capacity,
                                   int64_t* output_count, haft_tensor** products);
  haft_status (*haft_autograd_jacobian)(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                        int64_t input_count, int32_t flags, haft_tensor** jacobians,
                                        int64_t capacity, int64_t* count);
  haft_status (*haft_autograd_hessian)(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                       int64_t input_count, int32_t flags, haft_tensor** hessians);
  haft_status (*haft_autograd_hvp)(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                   int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                                   int32_t flags, haft_tensor** output, haft_tensor** products);
  haft_status (*haft_autograd_checkpoint)(haft_tensors_function fn, void* user, void (*destroy)(void* user),
                                          int32_t preserve_random, haft_tensor* const* inputs,
                                          int64_t input_count, haft_tensor** outputs, int64_t capacity,
                                          int64_t* output_count);
  haft_status (*haft_module_as_function)(haft_tensor* const* inputs, int64_t input_count,
                                         haft_tensor** outputs, int64_t* output_count, void* module);
  haft_status (*haft_optimizer_step_closure)(haft_optimizer* o, haft_loss_closure closure, void* user,
                                             haft_tensor** loss);
  haft_status (*haft_lamb_create)(haft_tensor* const* params, int64_t count, const haft_lamb_options* options,
                                  haft_optimizer** out);
  haft_status (*haft_muon_create)(haft_tensor* const* params, int64_t count, const haft_muon_options* options,
                                  haft_optimizer** out);
  haft_status (*haft_lbfgs_create)(haft_tensor* const* params, int64_t count,
                                   const haft_lbfgs_options* options, haft_optimizer** out);
  haft_status (*haft_i0)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_i0_)(haft_tensor* input);
  haft_status (*haft_i0_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_i1)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_i1_out)(const haft_tensor* input, haft_tensor* out);
  haft_status (*haft_bitwise_left_shift)(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor** out);
  haft_status (*haft_bitwise_left_shift_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_bitwise_left_shift_out)(const haft_tensor* input, const haft_tensor* other,
                                             haft_tensor* out);
  haft_status (*haft_bitwise_right_shift)(const haft_tensor* input, const haft_tensor* other,
                                          haft_tensor** out);
  haft_status (*haft_bitwise_right_shift_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_bitwise_right_shift_out)(const haft_tensor* input, const haft_tensor* other,
                                              haft_tensor* out);
  haft_status (*haft_gcd)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_gcd_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_gcd_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_lcm)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_lcm_)(haft_tensor* input, const haft_tensor* other);
  haft_status (*haft_lcm_out)(const haft_tensor* input, const haft_tensor* other, haft_tensor* out);
  haft_status (*haft_ldexp)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_bartlett_window)(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                      haft_device device, haft_tensor** out);
  haft_status (*haft_blackman_window)(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                      haft_device device, haft_tensor** out);
  haft_status (*haft_hamming_window)(int64_t window_length, int32_t periodic, double alpha, double beta,
                                     haft_dtype dtype, haft_device device, haft_tensor** out);
  haft_status (*haft_hann_window)(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                  haft_device device, haft_tensor** out);
  haft_status (*haft_kaiser_window)(int64_t window_length, int32_t periodic, double beta, haft_dtype dtype,
                                    haft_device device, haft_tensor** out);
  haft_status (*haft_unravel_index)(const haft_tensor* indices, const int64_t* shape, int64_t shape_count,
                                    haft_tensor** outs, int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_vander)(const haft_tensor* x, int64_t N, int32_t increasing, haft_tensor** out);
  haft_status (*haft_nanquantile)(const haft_tensor* input, const haft_tensor* q, int64_t dim,
                                  int32_t keepdim, int64_t interpolation, haft_tensor** out);
  haft_status (*haft_mode)(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                           haft_tensor** indices);
  haft_status (*haft_cov)(const haft_tensor* input, int64_t correction, const haft_tensor* fweights,
                          const haft_tensor* aweights, haft_tensor** out);
  haft_status (*haft_corrcoef)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_trapezoid)(const haft_tensor* y, const haft_tensor* x, double dx, int64_t dim,
                                haft_tensor** out);
  haft_status (*haft_cumulative_trapezoid)(const haft_tensor* y, const haft_tensor* x, double dx, int64_t dim,
                                           haft_tensor** out);
  haft_status (*haft_pdist)(const haft_tensor* input, double p, haft_tensor** out);
  haft_status (*haft_autocast_push)(haft_device device, haft_dtype dtype, int32_t enabled,
                                    int32_t cache_enabled);
  haft_status (*haft_autocast_pop)(void);
  haft_status (*haft_autocast_get_enabled)(haft_device device, int32_t* out);
  haft_status (*haft_autocast_get_dtype)(haft_device device, haft_dtype* out);
  haft_status (*haft_autocast_set)(haft_device device, int32_t enabled, haft_dtype dtype);
  haft_status (*haft_autocast_get_cache_enabled)(int32_t* out);
  haft_status (*haft_autocast_set_cache_enabled)(int32_t on);
  haft_status (*haft_autocast_clear_cache)(void);
  haft_status (*haft_grad_scaler_create)(const haft_grad_scaler_state* state, int32_t enabled,
                                         haft_grad_scaler** out);
  haft_status (*haft_grad_scaler_retain)(haft_grad_scaler* s);
  void (*haft_grad_scaler_release)(haft_grad_scaler* s);
  haft_status (*haft_grad_scaler_scale)(haft_grad_scaler* s, const haft_tensor* x, haft_tensor** out);
  haft_status (*haft_grad_scaler_unscale)(haft_grad_scaler* s, haft_optimizer* o);
  haft_status (*haft_grad_scaler_step)(haft_grad_scaler* s, haft_optimizer* o, int32_t* stepped);
  haft_status (*haft_grad_scaler_unscale_gradients)(haft_grad_scaler* s, int64_t owner,
                                                    haft_tensor* const* gradients, int64_t count);
  haft_status (*haft_grad_scaler_begin_step)(haft_grad_scaler* s, int64_t owner, int32_t* out);
  haft_status (*haft_grad_scaler_get_stage)(haft_grad_scaler* s, int64_t owner, haft_grad_scaler_stage* out);
  haft_status (*haft_grad_scaler_update)(haft_grad_scaler* s);
  haft_status (*haft_grad_scaler_set_scale)(haft_grad_scaler* s, double scale);
  haft_status (*haft_grad_scaler_get_state)(haft_grad_scaler* s, haft_grad_scaler_state* state);
  haft_status (*haft_grad_scaler_set_state)(haft_grad_scaler* s, const haft_grad_scaler_state* state);
  haft_status (*haft_grad_scaler_get_enabled)(haft_grad_scaler* s, int32_t* out);
  haft_status (*haft_tensor_is_sparse)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_tensor_from_rows)(const haft_tensor* indices, const haft_tensor* values, int64_t rows,
                                       haft_tensor** out);
  haft_status (*haft_tensor_sparse_indices)(const haft_tensor* t, haft_tensor** out);
  haft_status (*haft_tensor_sparse_values)(const haft_tensor* t, haft_tensor** out);
  haft_status (*haft_tensor_is_coalesced)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_tensor_coalesce)(const haft_tensor* t, haft_tensor** out);
  haft_status (*haft_tensor_to_dense)(const haft_tensor* t, haft_tensor** out);
  haft_status (*haft_init_dirac)(haft_tensor* t, int64_t groups);
  haft_status (*haft_init_sparse)(haft_tensor* t, double sparsity, double std, haft_generator* generator);
  haft_status (*haft_sparse_adam_create)(haft_tensor* const* params, int64_t count,
                                         const haft_sparse_adam_options* options, haft_optimizer** out);
  haft_status (*haft_averaged_model_create)(haft_module* average, double ema_decay, int32_t use_buffers,
                                            haft_module** out);
  haft_status (*haft_averaged_model_update)(haft_module* averaged, haft_module* model,
                                            haft_average_function fn, void* user);
  haft_status (*haft_average_tensors)(haft_tensor* const* averages, haft_tensor* const* values, int64_t count,
                                      double ema_decay, int64_t before);
  haft_status (*haft_update_bn)(haft_module* m, haft_batch_source next, void* user);
  haft_status (*haft_autograd_backward_inputs)(haft_tensor* const* outputs, haft_tensor* const* seeds,
                                               int64_t output_count, haft_tensor* const* inputs,
                                               int64_t input_count, int32_t flags);
  haft_status (*haft_grad_scaler_end_step)(haft_grad_scaler* s, int64_t owner);
  haft_status (*haft_weight_norm_create)(const haft_weight_norm_options* options, haft_module** out);
  haft_status (*haft_spectral_norm_create)(const haft_spectral_norm_options* options, haft_module** out);
  haft_status (*haft_orthogonal_create)(const haft_orthogonal_options* options, haft_module** out);
  haft_status (*haft_set_checkpoint_early_stop)(int32_t on, int32_t* before);
  haft_status (*haft_triplet_margin_with_distance_loss_create)(
      haft_module* distance, double margin, int32_t swap, int32_t reduction, haft_module** out);
  haft_status (*haft_module_register_parametrization)(haft_module* m, const char* name,
                                                      haft_module* parametrization,
                                                      haft_module* right_inverse, int32_t unsafe);
  haft_status (*haft_module_remove_parametrizations)(haft_module* m, const char* name,
                                                     int32_t leave_parametrized);
  haft_status (*haft_module_is_parametrized)(const haft_module* m, const char* name, int32_t* out);
  haft_status (*haft_module_set_parametrized)(haft_module* m, const char* name, const haft_tensor* value);
  haft_status (*haft_module_value)(const haft_module* m, const char* name, haft_tensor** out);
  haft_status (*haft_module_right_inverse)(haft_module* m, const haft_tensor* value, haft_tensor** outs,
                                           int64_t capacity, int64_t* count);
  haft_status (*haft_module_functional_call)(haft_module* m, const char* const* names,
                                             haft_tensor* const* others, int64_t other_count,
                                             haft_tensor* const* inputs, int64_t input_count,
                                             haft_tensor** outs, int64_t capacity, int64_t* count);
  haft_status (*haft_module_prune)(haft_module* m, const char* name, const haft_prune_options* options,
                                   const haft_tensor* scores);
  haft_status (*haft_module_prune_by_mask)(haft_module* m, const char* name, const haft_tensor* mask);
  haft_status (*haft_prune_global)(haft_module* const* modules, const char* const* names,
                                   haft_tensor* const* scores, int64_t count,
                                   const haft_prune_options* options);
  haft_status (*haft_module_remove_pruning)(haft_module* m, const char* name);
  haft_status (*haft_module_is_pruned)(const haft_module* m, int32_t* out);
  haft_status (*haft_prune_mask)(const haft_tensor* scores, const haft_tensor* mask,
                                 const haft_prune_options* options, haft_tensor** out);
  haft_status (*haft_fractional_max_pool2d_create)(const haft_fractional_max_pool2d_options* options,
                                                   haft_module** out);
  haft_status (*haft_fractional_max_pool3d_create)(const haft_fractional_max_pool3d_options* options,
                                                   haft_module** out);
  haft_status (*haft_adaptive_log_softmax_with_loss_create)(
      const haft_adaptive_log_softmax_with_loss_options* options, haft_module** out);
  haft_status (*haft_fractional_max_pool2d)(const haft_tensor* input, const haft_tensor* random_samples,
                                            const int64_t* kernel_size, int64_t kernel_size_count,
                                            const int64_t* output_size, int64_t output_size_count,
                                            haft_tensor** values, haft_tensor** indices);
  haft_status (*haft_fractional_max_pool3d)(const haft_tensor* input, const haft_tensor* random_samples,
                                            const int64_t* kernel_size, int64_t kernel_size_count,
                                            const int64_t* output_size, int64_t output_size_count,
                                            haft_tensor** values, haft_tensor** indices);
  haft_status (*haft_idx_load)(const char* path, haft_tensor** out);
  haft_status (*haft_writer_add_event)(haft_writer* w, const void* event, int64_t size);
  haft_status (*haft_tensor_to_text)(const haft_tensor* t, const haft_print_options* options, char* buffer,
                                     int64_t capacity, int64_t* needed);
  haft_status (*haft_device_describe)(haft_device device, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_device_graph_create)(haft_device device, haft_device_graph** out);
  haft_status (*haft_device_graph_retain)(haft_device_graph* g);
  void (*haft_device_graph_release)(haft_device_graph* g);
  haft_status (*haft_device_graph_begin)(haft_device_graph* g);
  haft_status (*haft_device_graph_end)(haft_device_graph* g);
  haft_status (*haft_device_graph_discard)(haft_device_graph* g);
  haft_status (*haft_device_graph_replay)(haft_device_graph* g);
  haft_status (*haft_device_graph_is_ready)(const haft_device_graph* g, int32_t* out);
  haft_status (*haft_fused_create)(const char* name, haft_tensors_function fn, void* user,
                                   void (*destroy)(void* user), haft_fused** out);
  haft_status (*haft_fused_retain)(haft_fused* f);
  void (*haft_fused_release)(haft_fused* f);
  haft_status (*haft_fused_call)(haft_fused* f, haft_tensor* const* inputs, int64_t input_count,
                                 haft_tensor** outputs, int64_t capacity, int64_t* output_count);
  haft_status (*haft_fused_get_counts)(const haft_fused* f, int64_t* traces, int64_t* kernels,
                                       int64_t* unfused);
  haft_status (*haft_fused_get_reason)(const haft_fused* f, char* buffer, int64_t capacity, int64_t* needed);
  haft_status (*haft_scaled_mm)(const haft_tensor* input, const haft_tensor* mat2, const haft_tensor* scale_a,
                                const haft_tensor* scale_b, const haft_tensor* bias, haft_dtype out_dtype,
                                haft_tensor** out);
  haft_status (*haft_stream_create_with_priority)(haft_device device, int32_t priority, haft_stream** out);
  haft_status (*haft_memory_get_free_blocks)(haft_device device, haft_memory_class* out, int64_t capacity,
                                             int64_t* count);
  haft_status (*haft_profiler_start_with)(uint32_t what);
  haft_status (*haft_distribution_create)(const char* name, haft_tensor* const* parameters, int64_t count,
                                          int32_t validate_args, haft_distribution** out);
  haft_status (*haft_independent_create)(const haft_distribution* base, int64_t reinterpreted_batch_ndims,
                                         int32_t validate_args, haft_distribution** out);
  haft_status (*haft_mixture_same_family_create)(const haft_distribution* mixture,
                                                 const haft_distribution* component, int32_t validate_args,
                                                 haft_distribution** out);
  haft_status (*haft_distribution_retain)(haft_distribution* d);
  void (*haft_distribution_release)(haft_distribution* d);
  haft_status (*haft_distribution_get_name)(const haft_distribution* d, char* buffer, int64_t capacity,
                                            int64_t* needed);
  haft_status (*haft_distribution_get_support)(const haft_distribution* d, char* buffer, int64_t capacity,
                                               int64_t* needed);
  haft_status (*haft_distribution_to_string)(const haft_distribution* d, char* buffer, int64_t capacity,
                                             int64_t* needed);
  haft_status (*haft_distribution_get_batch_shape)(const haft_distribution* d, int64_t* sizes,
                                                   int64_t capacity, int64_t* count);
  haft_status (*haft_distribution_get_event_shape)(const haft_distribution* d, int64_t* sizes,
                                                   int64_t capacity, int64_t* count);
  haft_status (*haft_distribution_has_rsample)(const haft_distribution* d, int32_t* out);
  haft_status (*haft_distribution_has_enumerate_support)(const haft_distribution* d, int32_t* out);
  haft_status (*haft_distribution_parameter)(const haft_distribution* d, const char* name, haft_tensor** out);
  haft_status (*haft_distribution_sample)(const haft_distribution* d, const int64_t* sample_shape,
                                          int64_t sample_shape_count, haft_generator* generator,
                                          haft_tensor** out);
  haft_status (*haft_distribution_rsample)(const haft_distribution* d, const int64_t* sample_shape,
                                           int64_t sample_shape_count, haft_generator* generator,
                                           haft_tensor** out);
  haft_status (*haft_distribution_log_prob)(const haft_distribution* d, const haft_tensor* value,
                                            haft_tensor** out);
  haft_status (*haft_distribution_cdf)(const haft_distribution* d, const haft_tensor* value,
                                       haft_tensor** out);
  haft_status (*haft_distribution_icdf)(const haft_distribution* d, const haft_tensor* value,
                                        haft_tensor** out);
  haft_status (*haft_distribution_in_support)(const haft_distribution* d, const haft_tensor* value,
                                              haft_tensor** out);
  haft_status (*haft_distribution_mean)(const haft_distribution* d, haft_tensor** out);
  haft_status (*haft_distribution_mode)(const haft_distribution* d, haft_tensor** out);
  haft_status (*haft_distribution_variance)(const haft_distribution* d, haft_tensor** out);
  haft_status (*haft_distribution_stddev)(const haft_distribution* d, haft_tensor** out);
  haft_status (*haft_distribution_entropy)(const haft_distribution* d, haft_tensor** out);
  haft_status (*haft_distribution_perplexity)(const haft_distribution* d, haft_tensor** out);
  haft_status (*haft_distribution_enumerate_support)(const haft_distribution* d, int32_t expand,
                                                     haft_tensor** out);
  haft_status (*haft_distribution_expand)(const haft_distribution* d, const int64_t* batch_shape,
                                          int64_t batch_shape_count, haft_distribution** out);
  haft_status (*haft_distribution_kl_divergence)(const haft_distribution* p, const haft_distribution* q,
                                                 haft_tensor** out);
  haft_status (*haft_constraint_check)(const char* name, const haft_tensor* value, haft_tensor** out);
  haft_status (*haft_grad_scaler_unscale_parameters)(haft_grad_scaler* s, int64_t owner,
                                                     haft_tensor* const* parameters, int64_t count);
  haft_status (*haft_ndtr)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_log_ndtr)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_ndtri)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_erfcx)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_entr)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_xlog1py)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_i0e)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_i1e)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_bessel_j0)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_bessel_j1)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_bessel_y0)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_bessel_y1)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_modified_bessel_k0)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_modified_bessel_k1)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_scaled_modified_bessel_k0)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_scaled_modified_bessel_k1)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_igamma)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_igammac)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_mvlgamma)(const haft_tensor* input, int64_t p, haft_tensor** out);
  haft_status (*haft_frexp)(const haft_tensor* input, haft_tensor** mantissa, haft_tensor** exponent);
  haft_status (*haft_nextafter)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_clamp_tensor)(const haft_tensor* input, const haft_tensor* min, const haft_tensor* max,
                                   haft_tensor** out);
  haft_status (*haft_lerp_tensor)(const haft_tensor* input, const haft_tensor* end, const haft_tensor* weight,
                                  haft_tensor** out);
  haft_status (*haft_div_rounded)(const haft_tensor* input, const haft_tensor* other, int64_t rounding_mode,
                                  haft_tensor** out);
  haft_status (*haft_allclose)(const haft_tensor* input, const haft_tensor* other, double rtol, double atol,
                               int32_t equal_nan, haft_tensor** out);
  haft_status (*haft_equal)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_gumbel_softmax)(const haft_tensor* logits, double tau, int32_t hard, int64_t dim,
                                     haft_generator* generator, haft_tensor** out);
  haft_status (*haft_exponential)(const int64_t* size, int64_t size_count, double lambd, haft_dtype dtype,
                                  haft_device device, haft_generator* generator, haft_tensor** out);
  haft_status (*haft_cauchy)(const int64_t* size, int64_t size_count, double median, double sigma,
                             haft_dtype dtype, haft_device device, haft_generator* generator,
                             haft_tensor** out);
  haft_status (*haft_log_normal)(const int64_t* size, int64_t size_count, double mean, double std,
                                 haft_dtype dtype, haft_device device, haft_generator* generator,
                                 haft_tensor** out);
  haft_status (*haft_geometric)(const int64_t* size, int64_t size_count, double p, haft_dtype dtype,
                                haft_device device, haft_generator* generator, haft_tensor** out);
  haft_status (*haft_poisson)(const haft_tensor* input, haft_generator* generator, haft_tensor** out);
  haft_status (*haft_binomial)(const haft_tensor* count, const haft_tensor* prob, haft_generator* generator,
                               haft_tensor** out);
  haft_status (*haft_var_mean)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               int64_t correction, int32_t keepdim, haft_tensor** var, haft_tensor** mean);
  haft_status (*haft_std_mean)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               int64_t correction, int32_t keepdim, haft_tensor** std, haft_tensor** mean);
  haft_status (*haft_matrix_norm)(const haft_tensor* input, haft_scalar ord, const int64_t* dim,
                                  int64_t dim_count, int32_t keepdim, haft_tensor** out);
  haft_status (*haft_normalize)(const haft_tensor* input, double p, const int64_t* dim, int64_t dim_count,
                                double eps, haft_tensor** out);
  haft_status (*haft_gradient)(const haft_tensor* input, haft_tensor* const* spacing, int64_t spacing_count,
                               const int64_t* dim, int64_t dim_count, int64_t edge_order, haft_tensor** outs,
                               int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_vecdot)(const haft_tensor* x, const haft_tensor* y, int64_t dim, haft_tensor** out);
  haft_status (*haft_searchsorted_by)(const haft_tensor* sorted_sequence, const haft_tensor* input,
                                      const haft_tensor* sorter, int32_t right, haft_tensor** out);
  haft_status (*haft_histogram)(const haft_tensor* input, const haft_tensor* edges, const haft_tensor* weight,
                                int64_t bins, double min, double max, int32_t density, haft_tensor** hist,
                                haft_tensor** bin_edges);
  haft_status (*haft_segment_reduce)(const haft_tensor* data, const haft_tensor* lengths, int64_t reduce,
                                     haft_scalar initial, haft_tensor** out);
  haft_status (*haft_transformed_distribution_create)(const haft_distribution* base,
                                                      haft_variable_transform* const* transforms,
                                                      int64_t count, int32_t validate_args,
                                                      haft_distribution** out);
  haft_status (*haft_variable_transform_create)(const char* name, haft_tensor* const* parameters,
                                                int64_t count, haft_variable_transform** out);
  haft_status (*haft_variable_transform_compose)(haft_variable_transform* const* parts, int64_t count,
                                                 haft_variable_transform** out);
  haft_status (*haft_variable_transform_inverted)(const haft_variable_transform* t,
                                                  haft_variable_transform** out);
  haft_status (*haft_variable_transform_independent)(const haft_variable_transform* t,
                                                     int64_t reinterpreted_batch_ndims,
                                                     haft_variable_transform** out);
  haft_status (*haft_variable_transform_retain)(haft_variable_transform* t);
  void (*haft_variable_transform_release)(haft_variable_transform* t);
  haft_status (*haft_variable_transform_to_string)(const haft_variable_transform* t, char* buffer,
                                                   int64_t capacity, int64_t* needed);
  haft_status (*haft_variable_transform_get_event_dims)(
      const haft_variable_transform* t, int64_t* domain, int64_t* codomain);
  haft_status (*haft_variable_transform_is_bijective)(const haft_variable_transform* t, int32_t* out);
  haft_status (*haft_variable_transform_in_codomain)(const haft_variable_transform* t, const haft_tensor* y,
                                                     haft_tensor** out);
  haft_status (*haft_variable_transform_forward)(const haft_variable_transform* t, const haft_tensor* x,
                                                 haft_tensor** out);
  haft_status (*haft_variable_transform_inverse)(const haft_variable_transform* t, const haft_tensor* y,
                                                 haft_tensor** out);
  haft_status (*haft_variable_transform_log_abs_det_jacobian)(
      const haft_variable_transform* t, const haft_tensor* x, const haft_tensor* y, haft_tensor** out);
  haft_status (*haft_embedding_renorm)(haft_tensor* weight, const haft_tensor* indices, double max_norm,
                                       double norm_type, haft_tensor** out);
  haft_status (*haft_adafactor_create)(haft_tensor* const* params, int64_t count,
                                       const haft_adafactor_options* options, haft_optimizer** out);
  haft_status (*haft_linear_cross_entropy_loss_create)(const haft_linear_cross_entropy_loss_options* options,
                                                       haft_module** out);
  haft_status (*haft_evaluator_create)(int64_t num_classes, int64_t top_k, int64_t ignore_index,
                                       haft_evaluator** out);
  haft_status (*haft_evaluator_retain)(haft_evaluator* e);
  void (*haft_evaluator_release)(haft_evaluator* e);
  haft_status (*haft_evaluator_update)(haft_evaluator* e, const haft_tensor* predictions,
                                       const haft_tensor* target);
  haft_status (*haft_evaluator_add)(haft_evaluator* e, const haft_tensor* values, double weight);
  haft_status (*haft_evaluator_reset)(haft_evaluator* e);
  haft_status (*haft_evaluator_get_count)(haft_evaluator* e, int64_t* out);
  haft_status (*haft_evaluator_get_accuracy)(haft_evaluator* e, int64_t k, double* out);
  haft_status (*haft_evaluator_get_mean)(haft_evaluator* e, double* out);
  haft_status (*haft_evaluator_confusion)(haft_evaluator* e, haft_tensor** out);
  haft_status (*haft_evaluator_scores)(haft_evaluator* e, haft_tensor** precision, haft_tensor** recall,
                                       haft_tensor** f1);
  haft_status (*haft_evaluator_get_state)(haft_evaluator* e, haft_tensor** out);
  haft_status (*haft_evaluator_set_state)(haft_evaluator* e, const haft_tensor* state);
  haft_status (*haft_npz_save)(const char* const* names, haft_tensor* const* tensors, int64_t count,
                               int32_t compressed, const char* path);
  haft_status (*haft_pad_sequence)(haft_tensor* const* sequences, int64_t sequences_count,
                                   int32_t batch_first, double padding_value, int32_t left,
                                   haft_tensor** out);
  haft_status (*haft_unpad_sequence)(const haft_tensor* padded_sequences, const haft_tensor* lengths,
                                     int32_t batch_first, haft_tensor** outs, int64_t outs_capacity,
                                     int64_t* outs_count);
  haft_status (*haft_pack_padded_sequence)(const haft_tensor* input, const haft_tensor* lengths,
                                           int32_t batch_first, int32_t enforce_sorted, haft_tensor** data,
                                           haft_tensor** batch_sizes, haft_tensor** sorted_indices,
                                           haft_tensor** unsorted_indices);
  haft_status (*haft_pack_sequence)(haft_tensor* const* sequences, int64_t sequences_count,
                                    int32_t enforce_sorted, haft_tensor** data, haft_tensor** batch_sizes,
                                    haft_tensor** sorted_indices, haft_tensor** unsorted_indices);
  haft_status (*haft_pad_packed_sequence)(const haft_tensor* data, const haft_tensor* batch_sizes,
                                          const haft_tensor* unsorted_indices, int32_t batch_first,
                                          double padding_value, int64_t total_length, haft_tensor** padded,
                                          haft_tensor** lengths);
  haft_status (*haft_unpack_sequence)(const haft_tensor* data, const haft_tensor* batch_sizes,
                                      const haft_tensor* unsorted_indices, haft_tensor** outs,
                                      int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_csv_dataset_create)(const char* path, int32_t delimiter, int64_t skip_lines,
                                         int64_t label_column, haft_dtype label_dtype, haft_dataset** out);
  haft_status (*haft_cifar_dataset_create)(const char* const* paths, int64_t count, int64_t label_bytes,
                                           haft_dataset** out);
  haft_status (*haft_random_vertical_flip_transform_create)(double probability, haft_transform** out);
  haft_status (*haft_resize_transform_create)(int64_t height, int64_t width, int64_t mode,
                                              haft_transform** out);
  haft_status (*haft_center_crop_transform_create)(int64_t height, int64_t width, haft_transform** out);
  haft_status (*haft_grayscale_transform_create)(int64_t channels, haft_transform** out);
  haft_status (*haft_color_jitter_transform_create)(double brightness, double contrast, double saturation,
                                                    double hue, haft_transform** out);
  haft_status (*haft_png_save)(const haft_tensor* image, const char* path);
  haft_status (*haft_writer_add_image)(haft_writer* w, const char* tag, const haft_tensor* image,
                                       int64_t step, double wall_time);
  haft_status (*haft_writer_add_text)(haft_writer* w, const char* tag, const char* text, int64_t step,
                                      double wall_time);
  haft_status (*haft_device_graph_begin_sharing)(haft_device_graph* g, haft_device_graph* memory);
  haft_status (*haft_device_graph_is_recording)(int32_t* out);
  haft_status (*haft_set_current_device)(haft_device device);
  haft_status (*haft_get_current_device)(const char* type, haft_device* out);
  haft_status (*haft_device_can_access_peer)(haft_device device, haft_device peer, int32_t* out);
  haft_status (*haft_set_kernel_choice)(int32_t choice);
  haft_status (*haft_get_kernel_choice)(int32_t* out);
  haft_status (*haft_range_push)(const char* name);
  haft_status (*haft_range_pop)(void);
  haft_status (*haft_stream_is_done)(haft_stream* s, int32_t* out);
  haft_status (*haft_stream_get_native)(const haft_stream* s, void** out);
  haft_status (*haft_stream_from_native)(haft_device device, void* native, haft_stream** out);
  haft_status (*haft_event_get_native)(const haft_event* e, void** out);
  haft_status (*haft_linalg_solve_triangular)(const haft_tensor* A, const haft_tensor* B, int32_t upper,
                                              int32_t left, int32_t unitriangular, haft_tensor** out);
  haft_status (*haft_linalg_cholesky)(const haft_tensor* A, int32_t upper, haft_tensor** out);
  haft_status (*haft_linalg_cholesky_ex)(const haft_tensor* A, int32_t upper, int32_t check_errors,
                                         haft_tensor** L, haft_tensor** info);
  haft_status (*haft_cholesky_solve)(const haft_tensor* input, const haft_tensor* L, int32_t upper,
                                     haft_tensor** out);
  haft_status (*haft_cholesky_inverse)(const haft_tensor* input, int32_t upper, haft_tensor** out);
  haft_status (*haft_linalg_lu_factor)(const haft_tensor* A, haft_tensor** LU, haft_tensor** pivots);
  haft_status (*haft_linalg_lu_factor_ex)(const haft_tensor* A, int32_t check_errors, haft_tensor** LU,
                                          haft_tensor** pivots, haft_tensor** info);
  haft_status (*haft_lu_unpack)(const haft_tensor* LU_data, const haft_tensor* LU_pivots, int32_t unpack_data,
                                int32_t unpack_pivots, haft_tensor** P, haft_tensor** L, haft_tensor** U);
  haft_status (*haft_linalg_lu)(const haft_tensor* A, haft_tensor** P, haft_tensor** L, haft_tensor** U);
  haft_status (*haft_linalg_lu_solve)(const haft_tensor* LU, const haft_tensor* pivots, const haft_tensor* B,
                                      int32_t left, int32_t adjoint, haft_tensor** out);
  haft_status (*haft_linalg_solve)(const haft_tensor* A, const haft_tensor* B, int32_t left,
                                   haft_tensor** out);
  haft_status (*haft_linalg_solve_ex)(const haft_tensor* A, const haft_tensor* B, int32_t left,
                                      int32_t check_errors, haft_tensor** result, haft_tensor** info);
  haft_status (*haft_linalg_inv)(const haft_tensor* A, haft_tensor** out);
  haft_status (*haft_linalg_inv_ex)(const haft_tensor* A, int32_t check_errors, haft_tensor** inverse,
                                    haft_tensor** info);
  haft_status (*haft_linalg_det)(const haft_tensor* A, haft_tensor** out);
  haft_status (*haft_linalg_slogdet)(const haft_tensor* A, haft_tensor** sign, haft_tensor** logabsdet);
  haft_status (*haft_logdet)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_linalg_qr)(const haft_tensor* A, int64_t mode, haft_tensor** Q, haft_tensor** R);
  haft_status (*haft_linalg_householder_product)(const haft_tensor* input, const haft_tensor* tau,
                                                 haft_tensor** out);
  haft_status (*haft_linalg_eigh)(const haft_tensor* A, int32_t upper, haft_tensor** eigenvalues,
                                  haft_tensor** eigenvectors);
  haft_status (*haft_linalg_eigvalsh)(const haft_tensor* A, int32_t upper, haft_tensor** out);
  haft_status (*haft_linalg_svd)(const haft_tensor* A, int32_t full_matrices, haft_tensor** U,
                                 haft_tensor** S, haft_tensor** Vh);
  haft_status (*haft_linalg_svdvals)(const haft_tensor* A, haft_tensor** out);
  haft_status (*haft_linalg_pinv)(const haft_tensor* A, haft_scalar atol, haft_scalar rtol, int32_t hermitian,
                                  haft_tensor** out);
  haft_status (*haft_linalg_matrix_rank)(const haft_tensor* A, haft_scalar atol, haft_scalar rtol,
                                         int32_t hermitian, haft_tensor** out);
  haft_status (*haft_linalg_lstsq)(const haft_tensor* input, const haft_tensor* B, haft_scalar rcond,
                                   int64_t driver, haft_tensor** solution, haft_tensor** residuals,
                                   haft_tensor** rank, haft_tensor** singular_values);
  haft_status (*haft_linalg_cond)(const haft_tensor* A, haft_scalar p, haft_tensor** out);
  haft_status (*haft_nuclear_norm)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int32_t keepdim, haft_tensor** out);
  haft_status (*haft_matrix_exp)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_linalg_tensorsolve)(const haft_tensor* A, const haft_tensor* B, const int64_t* dims,
                                         int64_t dims_count, haft_tensor** out);
  haft_status (*haft_linalg_tensorinv)(const haft_tensor* A, int64_t ind, haft_tensor** out);
  haft_status (*haft_linalg_vander)(const haft_tensor* x, int64_t N, haft_tensor** out);
  haft_status (*haft_autograd_vmap)(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                    int64_t input_count, const haft_vmap_options* options,
                                    haft_tensor** outputs, int64_t capacity, int64_t* output_count);
  haft_status (*haft_tensor_is_batched)(const haft_tensor* t, int32_t* out);
  haft_status (*haft_autograd_jacobian_by_chunks)(haft_tensors_function fn, void* user,
                                                  haft_tensor* const* inputs, int64_t input_count,
                                                  int32_t flags, int64_t chunk_size, haft_tensor** jacobians,
                                                  int64_t capacity, int64_t* count);
  haft_status (*haft_image_folder_dataset_create)(const char* root, int64_t channels, haft_dataset** out);
  haft_status (*haft_image_files_dataset_create)(const char* const* paths, const int64_t* labels,
                                                 int64_t count, int64_t channels, haft_dataset** out);
  haft_status (*haft_dataset_get_class_count)(const haft_dataset* d, int64_t* out);
  haft_status (*haft_dataset_get_class_name)(const haft_dataset* d, int64_t index, const char** out);
  haft_status (*haft_dataset_targets)(const haft_dataset* d, haft_tensor** out);
  haft_status (*haft_random_resized_crop_transform_create)(
      int64_t height, int64_t width, double scale_low, double scale_high, double ratio_low, double ratio_high,
      int64_t mode, haft_transform** out);
  haft_status (*haft_jpeg_save)(const haft_tensor* image, int64_t quality, const char* path);
  haft_status (*haft_image_load)(const char* path, int64_t channels, haft_tensor** out);
  haft_status (*haft_image_decode)(const haft_tensor* bytes, int64_t channels, haft_tensor** out);
  haft_status (*haft_image_encode)(const haft_tensor* image, int32_t format, int64_t quality,
                                   haft_tensor** out);
  haft_status (*haft_writer_add_graph)(haft_writer* w, haft_module* module, haft_tensor* const* inputs,
                                       int64_t input_count);
  haft_status (*haft_writer_add_recorded_graph)(haft_writer* w, haft_tensor* const* inputs,
                                                int64_t input_count, haft_tensor* const* outputs,
                                                int64_t output_count, const char* const* names,
                                                haft_tensor* const* parameters, int64_t parameter_count,
                                                const haft_graph_scope* scopes, int64_t scope_count);
  haft_status (*haft_histogramdd)(const haft_tensor* input, haft_tensor* const* edges, int64_t edges_count,
                                  const haft_tensor* weight, const haft_tensor* range, const int64_t* bins,
                                  int64_t bins_count, int32_t density, haft_tensor** outs,
                                  int64_t outs_capacity, int64_t* outs_count);
  haft_status (*haft_weighted_mse_loss)(const haft_tensor* input, const haft_tensor* target,
                                        const haft_tensor* weight, int64_t reduction, haft_tensor** out);
  haft_status (*haft_weighted_l1_loss)(const haft_tensor* input, const haft_tensor* target,
                                       const haft_tensor* weight, int64_t reduction, haft_tensor** out);
  haft_status (*haft_weighted_huber_loss)(const haft_tensor* input, const haft_tensor* target,
                                          const haft_tensor* weight, int64_t reduction, double delta,
                                          haft_tensor** out);
  haft_status (*haft_view_as_real)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_view_as_complex)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_complex)(const haft_tensor* real, const haft_tensor* imag, haft_tensor** out);
  haft_status (*haft_polar)(const haft_tensor* abs, const haft_tensor* angle, haft_tensor** out);
  haft_status (*haft_real)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_imag)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_conj)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_angle)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_sgn)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_isreal)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_vdot)(const haft_tensor* input, const haft_tensor* other, haft_tensor** out);
  haft_status (*haft_adjoint)(const haft_tensor* input, haft_tensor** out);
  haft_status (*haft_fft_fft)(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                              haft_tensor** out);
  haft_status (*haft_fft_ifft)(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                               haft_tensor** out);
  haft_status (*haft_fft_rfft)(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                               haft_tensor** out);
  haft_status (*haft_fft_irfft)(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                haft_tensor** out);
  haft_status (*haft_fft_hfft)(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                               haft_tensor** out);
  haft_status (*haft_fft_ihfft)(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                haft_tensor** out);
  haft_status (*haft_fft_fftn)(const haft_tensor* input, const int64_t* s, int64_t s_count,
                               const int64_t* dim, int64_t dim_count, int64_t norm, haft_tensor** out);
  haft_status (*haft_fft_ifftn)(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                const int64_t* dim, int64_t dim_count, int64_t norm, haft_tensor** out);
  haft_status (*haft_fft_rfftn)(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                const int64_t* dim, int64_t dim_count, int64_t norm, haft_tensor** out);
  haft_status (*haft_fft_irfftn)(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                 const int64_t* dim, int64_t dim_count, int64_t norm, haft_tensor** out);
  haft_status (*haft_fft_hfftn)(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                const int64_t* dim, int64_t dim_count, int64_t norm, haft_tensor** out);
  haft_status (*haft_fft_ihfftn)(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                 const int64_t* dim, int64_t dim_count, int64_t norm, haft_tensor** out);
  haft_status (*haft_fft_fftfreq)(int64_t n, double d, haft_dtype dtype, haft_device device,
                                  haft_tensor** out);
  haft_status (*haft_fft_rfftfreq)(int64_t n, double d, haft_dtype dtype, haft_device device,
                                   haft_tensor** out);
  haft_status (*haft_fft_fftshift)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   haft_tensor** out);
  haft_status (*haft_fft_ifftshift)(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    haft_tensor** out);
  haft_status (*haft_stft)(const haft_tensor* input, int64_t n_fft, int64_t hop_length, int64_t win_length,
                           const haft_tensor* window, int32_t center, int64_t pad_mode, int32_t normalized,
                           int32_t onesided, haft_tensor** out);
  haft_status (*haft_istft)(const haft_tensor* input, int64_t n_fft, int64_t hop_length, int64_t win_length,
                            const haft_tensor* window, int32_t center, int32_t normalized, int32_t onesided,
                            int64_t length, int32_t return_complex, haft_tensor** out);
  haft_status (*haft_linalg_eig)(const haft_tensor* A, haft_tensor** eigenvalues, haft_tensor** eigenvectors);
  haft_status (*haft_linalg_eigvals)(const haft_tensor* A, haft_tensor** out);
  haft_status (*haft_variable_transform_cat)(haft_variable_transform* const* parts, int64_t count,
                                             const int64_t* lengths, int64_t lengths_count, int64_t dim,
                                             haft_variable_transform** out);
  haft_status (*haft_variable_transform_cumulative)(const haft_distribution* d,
                                                    haft_variable_transform** out);
} haft_api;

/**
 * @brief The function table, or NULL when the library does not serve `version`.
 * @param[in] version  HAFT_VERSION_NUMBER of the caller's headers; 0 asks for the table whatever its version
 * @return a table that lives as long as the process; NULL when the library's major version is another one
 *     or its minor version is lower
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const haft_api* haft_get_api(uint32_t version) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
