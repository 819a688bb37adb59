/* Generated from core/schema/ops.def and the headers beside this one by tools/generate; do not edit.
 *
 * haft for programs that load it at run time instead of linking it. Include this before (or instead of)
 * every other header of haft, in every source file, and call haft_dl_load() once before any other function,
 * while no other thread uses haft. Code written for the linked library then compiles unchanged.
 *
 *   if (haft_dl_load(NULL) != 0) { fprintf(stderr, "%s\n", haft_dl_error()); return 1; }
 */
#ifndef HAFT_DL_H
#define HAFT_DL_H
#ifdef HAFT_API
#error "include haft/haft_dl.h before the other headers of haft"
#endif
#define HAFT_API static inline
#include <haft/api_table.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* One table a program or plug-in, shared by its source files and hidden from others in the process. */
#if defined(__GNUC__)
#define HAFT_DL_SHARED __attribute__((weak, visibility("hidden")))
#else
#define HAFT_DL_SHARED static
#endif
#ifdef __cplusplus
#define HAFT_DL_NOTHROW noexcept
extern "C" {
#else
#define HAFT_DL_NOTHROW
#endif

HAFT_DL_SHARED const haft_api* haft_dl_table = NULL;
HAFT_DL_SHARED char haft_dl_message[512] = "";

/** @brief Why the last haft_dl_load() failed; never NULL. */
static inline const char* haft_dl_error(void) { return haft_dl_message; }

/**
 * @brief Loads the library and its table.
 * @param[in] path  the library's file; NULL: libhaft.so.<major> as the system's loader finds it
 * @return 0; 1 when the library cannot be opened, 2 when it is not haft, 3 when its version does not serve
 *     this header. haft_dl_error() has the details. Loading again is a success without effect.
 */
static inline int haft_dl_load(const char* path) {
  const haft_api* (*get)(uint32_t) = NULL;
  const haft_api* table;
  void* library;
  void* symbol;
  char soname[32];
  if (haft_dl_table) return 0;
  if (!path) {
    snprintf(soname, sizeof soname, "libhaft.so.%d", HAFT_VERSION_MAJOR);
    path = soname;
  }
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    snprintf(haft_dl_message, sizeof haft_dl_message, "cannot load haft: %s", reason ? reason : path);
    return 1;
  }
  symbol = dlsym(library, "haft_get_api");
  if (!symbol) {
    snprintf(haft_dl_message, sizeof haft_dl_message, "%s is not haft: it has no haft_get_api", path);
    dlclose(library);
    return 2;
  }
  memcpy(&get, &symbol, sizeof get); /* ISO C has no cast from an object pointer to a function */
  table = get(HAFT_VERSION_NUMBER);
  if (!table || table->struct_size < sizeof(haft_api)) {
    const char* file = path;
    table = get(0);
#ifdef _GNU_SOURCE
    Dl_info info; /* the file that was really found */
    if (dladdr(symbol, &info) && info.dli_fname) file = info.dli_fname;
#endif
    snprintf(haft_dl_message, sizeof haft_dl_message,
             "%s is haft %u.%u with a table of %u bytes; this program wants %d.%d with %u", file,
             table ? table->version / 1000000 : 0u, table ? table->version / 1000 % 1000 : 0u,
             table ? table->struct_size : 0u, HAFT_VERSION_MAJOR, HAFT_VERSION_MINOR, (unsigned)sizeof(haft_api));
    dlclose(library);
    return 3;
  }
  haft_dl_message[0] = 0;
  haft_dl_table = table;
  return 0;
}

static inline const haft_api* haft_get_api(uint32_t version) HAFT_DL_NOTHROW {
  (void)version;
  return haft_dl_table;
}
static inline haft_status haft_abs(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_abs(input, out);
}
static inline haft_status haft_abs_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_abs_(input);
}
static inline haft_status haft_abs_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_abs_out(input, out);
}
static inline haft_status haft_neg(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_neg(input, out);
}
static inline haft_status haft_neg_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_neg_(input);
}
static inline haft_status haft_neg_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_neg_out(input, out);
}
static inline haft_status haft_sign(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sign(input, out);
}
static inline haft_status haft_sign_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sign_(input);
}
static inline haft_status haft_sign_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sign_out(input, out);
}
static inline haft_status haft_exp(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exp(input, out);
}
static inline haft_status haft_exp_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exp_(input);
}
static inline haft_status haft_exp_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exp_out(input, out);
}
static inline haft_status haft_exp2(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exp2(input, out);
}
static inline haft_status haft_exp2_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exp2_(input);
}
static inline haft_status haft_exp2_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exp2_out(input, out);
}
static inline haft_status haft_expm1(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_expm1(input, out);
}
static inline haft_status haft_expm1_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_expm1_(input);
}
static inline haft_status haft_expm1_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_expm1_out(input, out);
}
static inline haft_status haft_log(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log(input, out);
}
static inline haft_status haft_log_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_(input);
}
static inline haft_status haft_log_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_out(input, out);
}
static inline haft_status haft_log2(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log2(input, out);
}
static inline haft_status haft_log2_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log2_(input);
}
static inline haft_status haft_log2_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log2_out(input, out);
}
static inline haft_status haft_log10(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log10(input, out);
}
static inline haft_status haft_log10_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log10_(input);
}
static inline haft_status haft_log10_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log10_out(input, out);
}
static inline haft_status haft_log1p(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log1p(input, out);
}
static inline haft_status haft_log1p_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log1p_(input);
}
static inline haft_status haft_log1p_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log1p_out(input, out);
}
static inline haft_status haft_sqrt(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sqrt(input, out);
}
static inline haft_status haft_sqrt_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sqrt_(input);
}
static inline haft_status haft_sqrt_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sqrt_out(input, out);
}
static inline haft_status haft_rsqrt(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rsqrt(input, out);
}
static inline haft_status haft_rsqrt_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rsqrt_(input);
}
static inline haft_status haft_rsqrt_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rsqrt_out(input, out);
}
static inline haft_status haft_square(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_square(input, out);
}
static inline haft_status haft_square_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_square_(input);
}
static inline haft_status haft_square_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_square_out(input, out);
}
static inline haft_status haft_reciprocal(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reciprocal(input, out);
}
static inline haft_status haft_reciprocal_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reciprocal_(input);
}
static inline haft_status haft_reciprocal_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reciprocal_out(input, out);
}
static inline haft_status haft_sin(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sin(input, out);
}
static inline haft_status haft_sin_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sin_(input);
}
static inline haft_status haft_sin_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sin_out(input, out);
}
static inline haft_status haft_cos(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cos(input, out);
}
static inline haft_status haft_cos_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cos_(input);
}
static inline haft_status haft_cos_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cos_out(input, out);
}
static inline haft_status haft_tan(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tan(input, out);
}
static inline haft_status haft_tan_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tan_(input);
}
static inline haft_status haft_tan_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tan_out(input, out);
}
static inline haft_status haft_asin(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asin(input, out);
}
static inline haft_status haft_asin_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asin_(input);
}
static inline haft_status haft_asin_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asin_out(input, out);
}
static inline haft_status haft_acos(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_acos(input, out);
}
static inline haft_status haft_acos_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_acos_(input);
}
static inline haft_status haft_acos_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_acos_out(input, out);
}
static inline haft_status haft_atan(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atan(input, out);
}
static inline haft_status haft_atan_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atan_(input);
}
static inline haft_status haft_atan_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atan_out(input, out);
}
static inline haft_status haft_sinh(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sinh(input, out);
}
static inline haft_status haft_sinh_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sinh_(input);
}
static inline haft_status haft_sinh_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sinh_out(input, out);
}
static inline haft_status haft_cosh(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosh(input, out);
}
static inline haft_status haft_cosh_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosh_(input);
}
static inline haft_status haft_cosh_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosh_out(input, out);
}
static inline haft_status haft_tanh(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tanh(input, out);
}
static inline haft_status haft_tanh_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tanh_(input);
}
static inline haft_status haft_tanh_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tanh_out(input, out);
}
static inline haft_status haft_erf(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erf(input, out);
}
static inline haft_status haft_erf_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erf_(input);
}
static inline haft_status haft_erf_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erf_out(input, out);
}
static inline haft_status haft_sigmoid(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sigmoid(input, out);
}
static inline haft_status haft_sigmoid_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sigmoid_(input);
}
static inline haft_status haft_sigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sigmoid_out(input, out);
}
static inline haft_status haft_floor(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor(input, out);
}
static inline haft_status haft_floor_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_(input);
}
static inline haft_status haft_floor_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_out(input, out);
}
static inline haft_status haft_ceil(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ceil(input, out);
}
static inline haft_status haft_ceil_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ceil_(input);
}
static inline haft_status haft_ceil_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ceil_out(input, out);
}
static inline haft_status haft_round(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_round(input, out);
}
static inline haft_status haft_round_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_round_(input);
}
static inline haft_status haft_round_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_round_out(input, out);
}
static inline haft_status haft_trunc(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_trunc(input, out);
}
static inline haft_status haft_trunc_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_trunc_(input);
}
static inline haft_status haft_trunc_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_trunc_out(input, out);
}
static inline haft_status haft_isnan(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isnan(input, out);
}
static inline haft_status haft_isinf(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isinf(input, out);
}
static inline haft_status haft_isfinite(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isfinite(input, out);
}
static inline haft_status haft_logical_not(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logical_not(input, out);
}
static inline haft_status haft_bitwise_not(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_not(input, out);
}
static inline haft_status haft_bitwise_not_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_not_(input);
}
static inline haft_status haft_bitwise_not_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_not_out(input, out);
}
static inline haft_status haft_add(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_add(input, other, out);
}
static inline haft_status haft_add_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_add_(input, other);
}
static inline haft_status haft_add_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_add_out(input, other, out);
}
static inline haft_status haft_sub(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sub(input, other, out);
}
static inline haft_status haft_sub_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sub_(input, other);
}
static inline haft_status haft_sub_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sub_out(input, other, out);
}
static inline haft_status haft_mul(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mul(input, other, out);
}
static inline haft_status haft_mul_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mul_(input, other);
}
static inline haft_status haft_mul_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mul_out(input, other, out);
}
static inline haft_status haft_div(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div(input, other, out);
}
static inline haft_status haft_div_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div_(input, other);
}
static inline haft_status haft_div_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div_out(input, other, out);
}
static inline haft_status haft_pow(const haft_tensor* input, const haft_tensor* exponent,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pow(input, exponent, out);
}
static inline haft_status haft_pow_(haft_tensor* input, const haft_tensor* exponent) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pow_(input, exponent);
}
static inline haft_status haft_pow_out(const haft_tensor* input, const haft_tensor* exponent,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pow_out(input, exponent, out);
}
static inline haft_status haft_maximum(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_maximum(input, other, out);
}
static inline haft_status haft_maximum_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_maximum_(input, other);
}
static inline haft_status haft_maximum_out(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_maximum_out(input, other, out);
}
static inline haft_status haft_minimum(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_minimum(input, other, out);
}
static inline haft_status haft_minimum_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_minimum_(input, other);
}
static inline haft_status haft_minimum_out(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_minimum_out(input, other, out);
}
static inline haft_status haft_fmod(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmod(input, other, out);
}
static inline haft_status haft_fmod_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmod_(input, other);
}
static inline haft_status haft_fmod_out(const haft_tensor* input, const haft_tensor* other,
                                        haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmod_out(input, other, out);
}
static inline haft_status haft_remainder(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_remainder(input, other, out);
}
static inline haft_status haft_remainder_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_remainder_(input, other);
}
static inline haft_status haft_remainder_out(const haft_tensor* input, const haft_tensor* other,
                                             haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_remainder_out(input, other, out);
}
static inline haft_status haft_floor_divide(const haft_tensor* input, const haft_tensor* other,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_divide(input, other, out);
}
static inline haft_status haft_floor_divide_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_divide_(input, other);
}
static inline haft_status haft_floor_divide_out(const haft_tensor* input, const haft_tensor* other,
                                                haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_divide_out(input, other, out);
}
static inline haft_status haft_atan2(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atan2(input, other, out);
}
static inline haft_status haft_atan2_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atan2_(input, other);
}
static inline haft_status haft_atan2_out(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atan2_out(input, other, out);
}
static inline haft_status haft_eq(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_eq(input, other, out);
}
static inline haft_status haft_ne(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ne(input, other, out);
}
static inline haft_status haft_lt(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lt(input, other, out);
}
static inline haft_status haft_le(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_le(input, other, out);
}
static inline haft_status haft_gt(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gt(input, other, out);
}
static inline haft_status haft_ge(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ge(input, other, out);
}
static inline haft_status haft_logical_and(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logical_and(input, other, out);
}
static inline haft_status haft_logical_or(const haft_tensor* input, const haft_tensor* other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logical_or(input, other, out);
}
static inline haft_status haft_logical_xor(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logical_xor(input, other, out);
}
static inline haft_status haft_bitwise_and(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_and(input, other, out);
}
static inline haft_status haft_bitwise_and_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_and_(input, other);
}
static inline haft_status haft_bitwise_and_out(const haft_tensor* input, const haft_tensor* other,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_and_out(input, other, out);
}
static inline haft_status haft_bitwise_or(const haft_tensor* input, const haft_tensor* other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_or(input, other, out);
}
static inline haft_status haft_bitwise_or_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_or_(input, other);
}
static inline haft_status haft_bitwise_or_out(const haft_tensor* input, const haft_tensor* other,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_or_out(input, other, out);
}
static inline haft_status haft_bitwise_xor(const haft_tensor* input, const haft_tensor* other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_xor(input, other, out);
}
static inline haft_status haft_bitwise_xor_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_xor_(input, other);
}
static inline haft_status haft_bitwise_xor_out(const haft_tensor* input, const haft_tensor* other,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_xor_out(input, other, out);
}
static inline haft_status haft_add_scalar(const haft_tensor* input, haft_scalar other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_add_scalar(input, other, out);
}
static inline haft_status haft_add_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_add_scalar_(input, other);
}
static inline haft_status haft_add_scalar_out(const haft_tensor* input, haft_scalar other,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_add_scalar_out(input, other, out);
}
static inline haft_status haft_sub_scalar(const haft_tensor* input, haft_scalar other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sub_scalar(input, other, out);
}
static inline haft_status haft_sub_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sub_scalar_(input, other);
}
static inline haft_status haft_sub_scalar_out(const haft_tensor* input, haft_scalar other,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sub_scalar_out(input, other, out);
}
static inline haft_status haft_rsub_scalar(const haft_tensor* input, haft_scalar other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rsub_scalar(input, other, out);
}
static inline haft_status haft_rsub_scalar_out(const haft_tensor* input, haft_scalar other,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rsub_scalar_out(input, other, out);
}
static inline haft_status haft_mul_scalar(const haft_tensor* input, haft_scalar other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mul_scalar(input, other, out);
}
static inline haft_status haft_mul_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mul_scalar_(input, other);
}
static inline haft_status haft_mul_scalar_out(const haft_tensor* input, haft_scalar other,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mul_scalar_out(input, other, out);
}
static inline haft_status haft_div_scalar(const haft_tensor* input, haft_scalar other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div_scalar(input, other, out);
}
static inline haft_status haft_div_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div_scalar_(input, other);
}
static inline haft_status haft_div_scalar_out(const haft_tensor* input, haft_scalar other,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div_scalar_out(input, other, out);
}
static inline haft_status haft_rdiv_scalar(const haft_tensor* input, haft_scalar other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rdiv_scalar(input, other, out);
}
static inline haft_status haft_rdiv_scalar_out(const haft_tensor* input, haft_scalar other,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rdiv_scalar_out(input, other, out);
}
static inline haft_status haft_pow_scalar(const haft_tensor* input, haft_scalar exponent,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pow_scalar(input, exponent, out);
}
static inline haft_status haft_pow_scalar_(haft_tensor* input, haft_scalar exponent) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pow_scalar_(input, exponent);
}
static inline haft_status haft_pow_scalar_out(const haft_tensor* input, haft_scalar exponent,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pow_scalar_out(input, exponent, out);
}
static inline haft_status haft_rpow_scalar(const haft_tensor* input, haft_scalar other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpow_scalar(input, other, out);
}
static inline haft_status haft_rpow_scalar_out(const haft_tensor* input, haft_scalar other,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpow_scalar_out(input, other, out);
}
static inline haft_status haft_fmod_scalar(const haft_tensor* input, haft_scalar other,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmod_scalar(input, other, out);
}
static inline haft_status haft_fmod_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmod_scalar_(input, other);
}
static inline haft_status haft_fmod_scalar_out(const haft_tensor* input, haft_scalar other,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmod_scalar_out(input, other, out);
}
static inline haft_status haft_remainder_scalar(const haft_tensor* input, haft_scalar other,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_remainder_scalar(input, other, out);
}
static inline haft_status haft_remainder_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_remainder_scalar_(input, other);
}
static inline haft_status haft_remainder_scalar_out(const haft_tensor* input, haft_scalar other,
                                                    haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_remainder_scalar_out(input, other, out);
}
static inline haft_status haft_floor_divide_scalar(const haft_tensor* input, haft_scalar other,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_divide_scalar(input, other, out);
}
static inline haft_status haft_floor_divide_scalar_(haft_tensor* input, haft_scalar other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_divide_scalar_(input, other);
}
static inline haft_status haft_floor_divide_scalar_out(const haft_tensor* input, haft_scalar other,
                                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_floor_divide_scalar_out(input, other, out);
}
static inline haft_status haft_eq_scalar(const haft_tensor* input, haft_scalar other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_eq_scalar(input, other, out);
}
static inline haft_status haft_ne_scalar(const haft_tensor* input, haft_scalar other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ne_scalar(input, other, out);
}
static inline haft_status haft_lt_scalar(const haft_tensor* input, haft_scalar other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lt_scalar(input, other, out);
}
static inline haft_status haft_le_scalar(const haft_tensor* input, haft_scalar other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_le_scalar(input, other, out);
}
static inline haft_status haft_gt_scalar(const haft_tensor* input, haft_scalar other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gt_scalar(input, other, out);
}
static inline haft_status haft_ge_scalar(const haft_tensor* input, haft_scalar other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ge_scalar(input, other, out);
}
static inline haft_status haft_clamp(const haft_tensor* input, haft_scalar min, haft_scalar max,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_clamp(input, min, max, out);
}
static inline haft_status haft_clamp_(haft_tensor* input, haft_scalar min, haft_scalar max) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_clamp_(input, min, max);
}
static inline haft_status haft_clamp_out(const haft_tensor* input, haft_scalar min, haft_scalar max,
                                         haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_clamp_out(input, min, max, out);
}
static inline haft_status haft_where(const haft_tensor* condition, const haft_tensor* input,
                                     const haft_tensor* other, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_where(condition, input, other, out);
}
static inline haft_status haft_where_out(const haft_tensor* condition, const haft_tensor* input,
                                         const haft_tensor* other, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_where_out(condition, input, other, out);
}
static inline haft_status haft_masked_fill(const haft_tensor* input, const haft_tensor* mask,
                                           haft_scalar value, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_masked_fill(input, mask, value, out);
}
static inline haft_status haft_masked_fill_(haft_tensor* input, const haft_tensor* mask,
                                            haft_scalar value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_masked_fill_(input, mask, value);
}
static inline haft_status haft_addcmul(const haft_tensor* input, const haft_tensor* tensor1,
                                       const haft_tensor* tensor2, haft_scalar value,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addcmul(input, tensor1, tensor2, value, out);
}
static inline haft_status haft_addcmul_(haft_tensor* input, const haft_tensor* tensor1,
                                        const haft_tensor* tensor2, haft_scalar value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addcmul_(input, tensor1, tensor2, value);
}
static inline haft_status haft_addcmul_out(const haft_tensor* input, const haft_tensor* tensor1,
                                           const haft_tensor* tensor2, haft_scalar value,
                                           haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addcmul_out(input, tensor1, tensor2, value, out);
}
static inline haft_status haft_addcdiv(const haft_tensor* input, const haft_tensor* tensor1,
                                       const haft_tensor* tensor2, haft_scalar value,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addcdiv(input, tensor1, tensor2, value, out);
}
static inline haft_status haft_addcdiv_(haft_tensor* input, const haft_tensor* tensor1,
                                        const haft_tensor* tensor2, haft_scalar value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addcdiv_(input, tensor1, tensor2, value);
}
static inline haft_status haft_addcdiv_out(const haft_tensor* input, const haft_tensor* tensor1,
                                           const haft_tensor* tensor2, haft_scalar value,
                                           haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addcdiv_out(input, tensor1, tensor2, value, out);
}
static inline haft_status haft_lerp(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lerp(input, end, weight, out);
}
static inline haft_status haft_lerp_(haft_tensor* input, const haft_tensor* end,
                                     haft_scalar weight) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lerp_(input, end, weight);
}
static inline haft_status haft_lerp_out(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                                        haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lerp_out(input, end, weight, out);
}
static inline haft_status haft_relu(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_relu(input, out);
}
static inline haft_status haft_relu_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_relu_(input);
}
static inline haft_status haft_relu_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_relu_out(input, out);
}
static inline haft_status haft_gelu(const haft_tensor* input, int32_t tanh,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gelu(input, tanh, out);
}
static inline haft_status haft_gelu_out(const haft_tensor* input, int32_t tanh,
                                        haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gelu_out(input, tanh, out);
}
static inline haft_status haft_silu(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_silu(input, out);
}
static inline haft_status haft_silu_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_silu_(input);
}
static inline haft_status haft_silu_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_silu_out(input, out);
}
static inline haft_status haft_mish(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mish(input, out);
}
static inline haft_status haft_mish_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mish_(input);
}
static inline haft_status haft_mish_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mish_out(input, out);
}
static inline haft_status haft_softplus(const haft_tensor* input, double beta, double threshold,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softplus(input, beta, threshold, out);
}
static inline haft_status haft_softplus_out(const haft_tensor* input, double beta, double threshold,
                                            haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softplus_out(input, beta, threshold, out);
}
static inline haft_status haft_elu(const haft_tensor* input, double alpha,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_elu(input, alpha, out);
}
static inline haft_status haft_elu_(haft_tensor* input, double alpha) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_elu_(input, alpha);
}
static inline haft_status haft_elu_out(const haft_tensor* input, double alpha,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_elu_out(input, alpha, out);
}
static inline haft_status haft_leaky_relu(const haft_tensor* input, double negative_slope,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_leaky_relu(input, negative_slope, out);
}
static inline haft_status haft_leaky_relu_(haft_tensor* input, double negative_slope) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_leaky_relu_(input, negative_slope);
}
static inline haft_status haft_leaky_relu_out(const haft_tensor* input, double negative_slope,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_leaky_relu_out(input, negative_slope, out);
}
static inline haft_status haft_hardtanh(const haft_tensor* input, double min_val, double max_val,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardtanh(input, min_val, max_val, out);
}
static inline haft_status haft_hardtanh_(haft_tensor* input, double min_val, double max_val) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardtanh_(input, min_val, max_val);
}
static inline haft_status haft_hardtanh_out(const haft_tensor* input, double min_val, double max_val,
                                            haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardtanh_out(input, min_val, max_val, out);
}
static inline haft_status haft_hardsigmoid(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardsigmoid(input, out);
}
static inline haft_status haft_hardsigmoid_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardsigmoid_(input);
}
static inline haft_status haft_hardsigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardsigmoid_out(input, out);
}
static inline haft_status haft_hardswish(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardswish(input, out);
}
static inline haft_status haft_hardswish_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardswish_(input);
}
static inline haft_status haft_hardswish_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardswish_out(input, out);
}
static inline haft_status haft_logsigmoid(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logsigmoid(input, out);
}
static inline haft_status haft_logsigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logsigmoid_out(input, out);
}
static inline haft_status haft_full(const int64_t* size, int64_t size_count, haft_scalar fill_value,
                                    haft_dtype dtype, haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_full(size, size_count, fill_value, dtype, device, out);
}
static inline haft_status haft_empty(const int64_t* size, int64_t size_count, haft_dtype dtype,
                                     haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_empty(size, size_count, dtype, device, out);
}
static inline haft_status haft_zeros(const int64_t* size, int64_t size_count, haft_dtype dtype,
                                     haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_zeros(size, size_count, dtype, device, out);
}
static inline haft_status haft_ones(const int64_t* size, int64_t size_count, haft_dtype dtype,
                                    haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ones(size, size_count, dtype, device, out);
}
static inline haft_status haft_arange(haft_scalar start, haft_scalar end, haft_scalar step, haft_dtype dtype,
                                      haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_arange(start, end, step, dtype, device, out);
}
static inline haft_status haft_linspace(double start, double end, int64_t steps, haft_dtype dtype,
                                        haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linspace(start, end, steps, dtype, device, out);
}
static inline haft_status haft_logspace(double start, double end, int64_t steps, double base,
                                        haft_dtype dtype, haft_device device,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logspace(start, end, steps, base, dtype, device, out);
}
static inline haft_status haft_eye(int64_t n, int64_t m, haft_dtype dtype, haft_device device,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_eye(n, m, dtype, device, out);
}
static inline haft_status haft_empty_like(const haft_tensor* input, haft_dtype dtype,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_empty_like(input, dtype, out);
}
static inline haft_status haft_zeros_like(const haft_tensor* input, haft_dtype dtype,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_zeros_like(input, dtype, out);
}
static inline haft_status haft_ones_like(const haft_tensor* input, haft_dtype dtype,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ones_like(input, dtype, out);
}
static inline haft_status haft_full_like(const haft_tensor* input, haft_scalar fill_value, haft_dtype dtype,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_full_like(input, fill_value, dtype, out);
}
static inline haft_status haft_rand(const int64_t* size, int64_t size_count, haft_dtype dtype,
                                    haft_device device, haft_generator* generator,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rand(size, size_count, dtype, device, generator, out);
}
static inline haft_status haft_randn(const int64_t* size, int64_t size_count, haft_dtype dtype,
                                     haft_device device, haft_generator* generator,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_randn(size, size_count, dtype, device, generator, out);
}
static inline haft_status haft_randint(int64_t low, int64_t high, const int64_t* size, int64_t size_count,
                                       haft_dtype dtype, haft_device device, haft_generator* generator,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_randint(low, high, size, size_count, dtype, device, generator, out);
}
static inline haft_status haft_randperm(int64_t n, haft_dtype dtype, haft_device device,
                                        haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_randperm(n, dtype, device, generator, out);
}
static inline haft_status haft_uniform(const int64_t* size, int64_t size_count, double low, double high,
                                       haft_dtype dtype, haft_device device, haft_generator* generator,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_uniform(size, size_count, low, high, dtype, device, generator, out);
}
static inline haft_status haft_normal(double mean, double std, const int64_t* size, int64_t size_count,
                                      haft_dtype dtype, haft_device device, haft_generator* generator,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_normal(mean, std, size, size_count, dtype, device, generator, out);
}
static inline haft_status haft_bernoulli(const haft_tensor* input, haft_generator* generator,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bernoulli(input, generator, out);
}
static inline haft_status haft_multinomial(const haft_tensor* input, int64_t num_samples, int32_t replacement,
                                           haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multinomial(input, num_samples, replacement, generator, out);
}
static inline haft_status haft_rand_like(const haft_tensor* input, haft_dtype dtype,
                                         haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rand_like(input, dtype, generator, out);
}
static inline haft_status haft_randn_like(const haft_tensor* input, haft_dtype dtype,
                                          haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_randn_like(input, dtype, generator, out);
}
static inline haft_status haft_dropout(const haft_tensor* input, double p, int32_t training,
                                       haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dropout(input, p, training, generator, out);
}
static inline haft_status haft_as_strided(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                          const int64_t* stride, int64_t stride_count, int64_t offset,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_as_strided(input, size, size_count, stride, stride_count, offset, out);
}
static inline haft_status haft_view(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_view(input, size, size_count, out);
}
static inline haft_status haft_permute(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_permute(input, dims, dims_count, out);
}
static inline haft_status haft_transpose(const haft_tensor* input, int64_t dim0, int64_t dim1,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transpose(input, dim0, dim1, out);
}
static inline haft_status haft_expand(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_expand(input, size, size_count, out);
}
static inline haft_status haft_squeeze(const haft_tensor* input, int64_t dim,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_squeeze(input, dim, out);
}
static inline haft_status haft_unsqueeze(const haft_tensor* input, int64_t dim,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unsqueeze(input, dim, out);
}
static inline haft_status haft_slice(const haft_tensor* input, int64_t dim, int64_t start, int64_t end,
                                     int64_t step, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_slice(input, dim, start, end, step, out);
}
static inline haft_status haft_select(const haft_tensor* input, int64_t dim, int64_t index,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_select(input, dim, index, out);
}
static inline haft_status haft_diagonal(const haft_tensor* input, int64_t offset, int64_t dim1, int64_t dim2,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_diagonal(input, offset, dim1, dim2, out);
}
static inline haft_status haft_unfold(const haft_tensor* input, int64_t dimension, int64_t size, int64_t step,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unfold(input, dimension, size, step, out);
}
static inline haft_status haft_detach(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_detach(input, out);
}
static inline haft_status haft_reshape(const haft_tensor* input, const int64_t* shape, int64_t shape_count,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reshape(input, shape, shape_count, out);
}
static inline haft_status haft_flatten(const haft_tensor* input, int64_t start_dim, int64_t end_dim,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_flatten(input, start_dim, end_dim, out);
}
static inline haft_status haft_unflatten(const haft_tensor* input, int64_t dim, const int64_t* sizes,
                                         int64_t sizes_count, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unflatten(input, dim, sizes, sizes_count, out);
}
static inline haft_status haft_t(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_t(input, out);
}
static inline haft_status haft_movedim(const haft_tensor* input, const int64_t* source, int64_t source_count,
                                       const int64_t* destination, int64_t destination_count,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_movedim(input, source, source_count, destination, destination_count, out);
}
static inline haft_status haft_narrow(const haft_tensor* input, int64_t dim, int64_t start, int64_t length,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_narrow(input, dim, start, length, out);
}
static inline haft_status haft_expand_as(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_expand_as(input, other, out);
}
static inline haft_status haft_split(const haft_tensor* input, int64_t split_size, int64_t dim,
                                     haft_tensor** outs, int64_t outs_capacity,
                                     int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_split(input, split_size, dim, outs, outs_capacity, outs_count);
}
static inline haft_status haft_split_sizes(const haft_tensor* input, const int64_t* split_sizes,
                                           int64_t split_sizes_count, int64_t dim, haft_tensor** outs,
                                           int64_t outs_capacity, int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_split_sizes(input, split_sizes, split_sizes_count, dim, outs, outs_capacity,
                                         outs_count);
}
static inline haft_status haft_chunk(const haft_tensor* input, int64_t chunks, int64_t dim,
                                     haft_tensor** outs, int64_t outs_capacity,
                                     int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_chunk(input, chunks, dim, outs, outs_capacity, outs_count);
}
static inline haft_status haft_unbind(const haft_tensor* input, int64_t dim, haft_tensor** outs,
                                      int64_t outs_capacity, int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unbind(input, dim, outs, outs_capacity, outs_count);
}
static inline haft_status haft_cast(const haft_tensor* input, haft_dtype dtype,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cast(input, dtype, out);
}
static inline haft_status haft_contiguous(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_contiguous(input, out);
}
static inline haft_status haft_clone(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_clone(input, out);
}
static inline haft_status haft_to(const haft_tensor* input, haft_dtype dtype, haft_device device,
                                  int32_t non_blocking, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_to(input, dtype, device, non_blocking, out);
}
static inline haft_status haft_fill(const haft_tensor* input, haft_scalar value,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fill(input, value, out);
}
static inline haft_status haft_fill_(haft_tensor* input, haft_scalar value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fill_(input, value);
}
static inline haft_status haft_as_strided_scatter(const haft_tensor* input, const haft_tensor* src,
                                                  const int64_t* size, int64_t size_count,
                                                  const int64_t* stride, int64_t stride_count, int64_t offset,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_as_strided_scatter(input, src, size, size_count, stride, stride_count, offset,
                                                out);
}
static inline haft_status haft_cat(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cat(tensors, tensors_count, dim, out);
}
static inline haft_status haft_stack(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stack(tensors, tensors_count, dim, out);
}
static inline haft_status haft_flip(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_flip(input, dims, dims_count, out);
}
static inline haft_status haft_roll(const haft_tensor* input, const int64_t* shifts, int64_t shifts_count,
                                    const int64_t* dims, int64_t dims_count,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_roll(input, shifts, shifts_count, dims, dims_count, out);
}
static inline haft_status haft_repeat(const haft_tensor* input, const int64_t* repeats, int64_t repeats_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_repeat(input, repeats, repeats_count, out);
}
static inline haft_status haft_tril(const haft_tensor* input, int64_t diagonal,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tril(input, diagonal, out);
}
static inline haft_status haft_triu(const haft_tensor* input, int64_t diagonal,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_triu(input, diagonal, out);
}
static inline haft_status haft_sum(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int32_t keepdim, haft_dtype dtype, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sum(input, dim, dim_count, keepdim, dtype, out);
}
static inline haft_status haft_sum_out(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                       int32_t keepdim, haft_dtype dtype, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sum_out(input, dim, dim_count, keepdim, dtype, out);
}
static inline haft_status haft_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mean(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_prod(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_prod(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_amax(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_amax(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_amin(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                    int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_amin(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_max_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                       haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_dim(input, dim, keepdim, values, indices);
}
static inline haft_status haft_min_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                       haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_min_dim(input, dim, keepdim, values, indices);
}
static inline haft_status haft_argmax(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_argmax(input, dim, keepdim, out);
}
static inline haft_status haft_argmin(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_argmin(input, dim, keepdim, out);
}
static inline haft_status haft_any(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_any(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_all(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_all(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_var(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int64_t correction, int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_var(input, dim, dim_count, correction, keepdim, out);
}
static inline haft_status haft_std(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                   int64_t correction, int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_std(input, dim, dim_count, correction, keepdim, out);
}
static inline haft_status haft_norm(const haft_tensor* input, double p, const int64_t* dim, int64_t dim_count,
                                    int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_norm(input, p, dim, dim_count, keepdim, out);
}
static inline haft_status haft_logsumexp(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                         int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logsumexp(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_cumsum(const haft_tensor* input, int64_t dim,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cumsum(input, dim, out);
}
static inline haft_status haft_cumprod(const haft_tensor* input, int64_t dim,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cumprod(input, dim, out);
}
static inline haft_status haft_count_nonzero(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_count_nonzero(input, dim, dim_count, out);
}
static inline haft_status haft_sum_to_size(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sum_to_size(input, size, size_count, out);
}
static inline haft_status haft_mm(const haft_tensor* input, const haft_tensor* mat2,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mm(input, mat2, out);
}
static inline haft_status haft_mm_out(const haft_tensor* input, const haft_tensor* mat2,
                                      haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mm_out(input, mat2, out);
}
static inline haft_status haft_bmm(const haft_tensor* input, const haft_tensor* mat2,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bmm(input, mat2, out);
}
static inline haft_status haft_bmm_out(const haft_tensor* input, const haft_tensor* mat2,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bmm_out(input, mat2, out);
}
static inline haft_status haft_addmm(const haft_tensor* input, const haft_tensor* mat1,
                                     const haft_tensor* mat2, haft_scalar beta, haft_scalar alpha,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addmm(input, mat1, mat2, beta, alpha, out);
}
static inline haft_status haft_linear(const haft_tensor* input, const haft_tensor* weight,
                                      const haft_tensor* bias, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linear(input, weight, bias, out);
}
static inline haft_status haft_matmul(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_matmul(input, other, out);
}
static inline haft_status haft_mv(const haft_tensor* input, const haft_tensor* vec,
                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mv(input, vec, out);
}
static inline haft_status haft_dot(const haft_tensor* input, const haft_tensor* tensor,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dot(input, tensor, out);
}
static inline haft_status haft_outer(const haft_tensor* input, const haft_tensor* vec2,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_outer(input, vec2, out);
}
static inline haft_status haft_baddbmm(const haft_tensor* input, const haft_tensor* batch1,
                                       const haft_tensor* batch2, haft_scalar beta, haft_scalar alpha,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_baddbmm(input, batch1, batch2, beta, alpha, out);
}
static inline haft_status haft_index_select(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_select(input, dim, index, out);
}
static inline haft_status haft_gather(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gather(input, dim, index, out);
}
static inline haft_status haft_scatter(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                       const haft_tensor* src, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scatter(input, dim, index, src, out);
}
static inline haft_status haft_scatter_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                        const haft_tensor* src) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scatter_(input, dim, index, src);
}
static inline haft_status haft_scatter_add(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                           const haft_tensor* src, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scatter_add(input, dim, index, src, out);
}
static inline haft_status haft_scatter_add_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                            const haft_tensor* src) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scatter_add_(input, dim, index, src);
}
static inline haft_status haft_index_add(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                         const haft_tensor* source, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_add(input, dim, index, source, out);
}
static inline haft_status haft_index_add_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                                          const haft_tensor* source) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_add_(input, dim, index, source);
}
static inline haft_status haft_index(const haft_tensor* input, haft_tensor* const* indices,
                                     int64_t indices_count, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index(input, indices, indices_count, out);
}
static inline haft_status haft_index_put(const haft_tensor* input, haft_tensor* const* indices,
                                         int64_t indices_count, const haft_tensor* values, int32_t accumulate,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_put(input, indices, indices_count, values, accumulate, out);
}
static inline haft_status haft_index_put_(haft_tensor* input, haft_tensor* const* indices,
                                          int64_t indices_count, const haft_tensor* values,
                                          int32_t accumulate) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_put_(input, indices, indices_count, values, accumulate);
}
static inline haft_status haft_masked_select(const haft_tensor* input, const haft_tensor* mask,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_masked_select(input, mask, out);
}
static inline haft_status haft_nonzero(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nonzero(input, out);
}
static inline haft_status haft_masked_scatter(const haft_tensor* input, const haft_tensor* mask,
                                              const haft_tensor* source, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_masked_scatter(input, mask, source, out);
}
static inline haft_status haft_one_hot(const haft_tensor* input, int64_t num_classes,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_one_hot(input, num_classes, out);
}
static inline haft_status haft_sort(const haft_tensor* input, int64_t dim, int32_t descending,
                                    haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sort(input, dim, descending, values, indices);
}
static inline haft_status haft_argsort(const haft_tensor* input, int64_t dim, int32_t descending,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_argsort(input, dim, descending, out);
}
static inline haft_status haft_topk(const haft_tensor* input, int64_t k, int64_t dim, int32_t largest,
                                    haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_topk(input, k, dim, largest, values, indices);
}
static inline haft_status haft_embedding(const haft_tensor* weight, const haft_tensor* indices,
                                         int64_t padding_idx, int32_t sparse, int32_t scale_grad_by_freq,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_embedding(weight, indices, padding_idx, sparse, scale_grad_by_freq, out);
}
static inline haft_status haft_conv2d(const haft_tensor* input, const haft_tensor* weight,
                                      const haft_tensor* bias, const int64_t* stride, int64_t stride_count,
                                      const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                      int64_t dilation_count, int64_t groups,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv2d(input, weight, bias, stride, stride_count, padding, padding_count,
                                    dilation, dilation_count, groups, out);
}
static inline haft_status haft_max_pool2d(const haft_tensor* input, const int64_t* kernel_size,
                                          int64_t kernel_size_count, const int64_t* stride,
                                          int64_t stride_count, const int64_t* padding, int64_t padding_count,
                                          const int64_t* dilation, int64_t dilation_count, int32_t ceil_mode,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool2d(input, kernel_size, kernel_size_count, stride, stride_count, padding,
                                        padding_count, dilation, dilation_count, ceil_mode, out);
}
static inline haft_status haft_avg_pool2d(const haft_tensor* input, const int64_t* kernel_size,
                                          int64_t kernel_size_count, const int64_t* stride,
                                          int64_t stride_count, const int64_t* padding, int64_t padding_count,
                                          int32_t ceil_mode, int32_t count_include_pad,
                                          int64_t divisor_override, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_avg_pool2d(input, kernel_size, kernel_size_count, stride, stride_count, padding,
                                        padding_count, ceil_mode, count_include_pad, divisor_override, out);
}
static inline haft_status haft_adaptive_avg_pool2d(const haft_tensor* input, const int64_t* output_size,
                                                   int64_t output_size_count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_avg_pool2d(input, output_size, output_size_count, out);
}
static inline haft_status haft_softmax(const haft_tensor* input, int64_t dim,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softmax(input, dim, out);
}
static inline haft_status haft_softmax_out(const haft_tensor* input, int64_t dim,
                                           haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softmax_out(input, dim, out);
}
static inline haft_status haft_log_softmax(const haft_tensor* input, int64_t dim,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_softmax(input, dim, out);
}
static inline haft_status haft_log_softmax_out(const haft_tensor* input, int64_t dim,
                                               haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_softmax_out(input, dim, out);
}
static inline haft_status haft_batch_norm(const haft_tensor* input, const haft_tensor* weight,
                                          const haft_tensor* bias, haft_tensor* running_mean,
                                          haft_tensor* running_var, int32_t training, double momentum,
                                          double eps, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_batch_norm(input, weight, bias, running_mean, running_var, training, momentum,
                                        eps, out);
}
static inline haft_status haft_layer_norm(const haft_tensor* input, const int64_t* normalized_shape,
                                          int64_t normalized_shape_count, const haft_tensor* weight,
                                          const haft_tensor* bias, double eps,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_layer_norm(input, normalized_shape, normalized_shape_count, weight, bias, eps,
                                        out);
}
static inline haft_status haft_cross_entropy(const haft_tensor* input, const haft_tensor* target,
                                             const haft_tensor* weight, int64_t reduction,
                                             int64_t ignore_index, double label_smoothing,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing,
                                           out);
}
static inline haft_status haft_nll_loss(const haft_tensor* input, const haft_tensor* target,
                                        const haft_tensor* weight, int64_t reduction, int64_t ignore_index,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nll_loss(input, target, weight, reduction, ignore_index, out);
}
static inline haft_status haft_mse_loss(const haft_tensor* input, const haft_tensor* target,
                                        int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mse_loss(input, target, reduction, out);
}
static inline haft_status haft_l1_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_l1_loss(input, target, reduction, out);
}
static inline haft_status haft_smooth_l1_loss(const haft_tensor* input, const haft_tensor* target,
                                              int64_t reduction, double beta,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_smooth_l1_loss(input, target, reduction, beta, out);
}
static inline haft_status haft_huber_loss(const haft_tensor* input, const haft_tensor* target,
                                          int64_t reduction, double delta,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_huber_loss(input, target, reduction, delta, out);
}
static inline haft_status haft_binary_cross_entropy(const haft_tensor* input, const haft_tensor* target,
                                                    const haft_tensor* weight, int64_t reduction,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_binary_cross_entropy(input, target, weight, reduction, out);
}
static inline haft_status haft_binary_cross_entropy_with_logits(
    const haft_tensor* input, const haft_tensor* target, const haft_tensor* weight,
    const haft_tensor* pos_weight, int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_binary_cross_entropy_with_logits(
      input, target, weight, pos_weight, reduction, out);
}
static inline haft_status haft_kl_div(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                      int32_t log_target, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_kl_div(input, target, reduction, log_target, out);
}
static inline haft_status haft_error_get_last(haft_error_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_error_get_last(info);
}
static inline const char* haft_error_get_message(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_error_get_message();
}
static inline void haft_error_clear(void) HAFT_DL_NOTHROW { haft_dl_table->haft_error_clear(); }
static inline haft_status haft_error_set(haft_status code, const char* message,
                                         int64_t token) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_error_set(code, message, token);
}
static inline const char* haft_status_get_name(haft_status status) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_status_get_name(status);
}
static inline haft_status haft_tensor_from_data(const void* data, const int64_t* size, int64_t size_count,
                                                haft_dtype dtype, haft_device device,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_from_data(data, size, size_count, dtype, device, out);
}
static inline haft_status haft_tensor_from_memory(void* data, const int64_t* size, const int64_t* stride,
                                                  int64_t size_count, haft_dtype dtype, haft_device device,
                                                  void (*release)(void* user), void* user,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_from_memory(data, size, stride, size_count, dtype, device, release, user,
                                                out);
}
static inline haft_status haft_tensor_retain(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_retain(t);
}
static inline void haft_tensor_release(haft_tensor* t) HAFT_DL_NOTHROW {
  haft_dl_table->haft_tensor_release(t);
}
static inline void haft_tensor_release_many(haft_tensor* const* ts, int64_t count) HAFT_DL_NOTHROW {
  haft_dl_table->haft_tensor_release_many(ts, count);
}
static inline haft_status haft_tensor_get_dtype(const haft_tensor* t, haft_dtype* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_dtype(t, out);
}
static inline haft_status haft_tensor_get_device(const haft_tensor* t, haft_device* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_device(t, out);
}
static inline haft_status haft_tensor_get_ndim(const haft_tensor* t, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_ndim(t, out);
}
static inline haft_status haft_tensor_get_numel(const haft_tensor* t, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_numel(t, out);
}
static inline haft_status haft_tensor_get_size(const haft_tensor* t, int64_t* size, int64_t capacity,
                                               int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_size(t, size, capacity, count);
}
static inline haft_status haft_tensor_get_stride(const haft_tensor* t, int64_t* stride, int64_t capacity,
                                                 int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_stride(t, stride, capacity, count);
}
static inline haft_status haft_tensor_is_contiguous(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_contiguous(t, out);
}
static inline haft_status haft_tensor_get_version(const haft_tensor* t, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_version(t, out);
}
static inline haft_status haft_tensor_shares_memory(const haft_tensor* a, const haft_tensor* b,
                                                    int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_shares_memory(a, b, out);
}
static inline haft_status haft_tensor_get_data(const haft_tensor* t, void** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_data(t, out);
}
static inline haft_status haft_tensor_touch(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_touch(t);
}
static inline haft_status haft_tensor_read(const haft_tensor* t, void* data, int64_t bytes) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_read(t, data, bytes);
}
static inline haft_status haft_tensor_write(haft_tensor* t, const void* data, int64_t bytes) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_write(t, data, bytes);
}
static inline haft_status haft_tensor_get_item(const haft_tensor* t, haft_scalar* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_item(t, out);
}
static inline haft_status haft_tensor_get_item_double(const haft_tensor* t, double* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_item_double(t, out);
}
static inline haft_status haft_tensor_get_item_int(const haft_tensor* t, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_item_int(t, out);
}
static inline haft_status haft_tensor_to_string(const haft_tensor* t, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_to_string(t, buffer, capacity, needed);
}
static inline haft_status haft_scope_begin(void) HAFT_DL_NOTHROW { return haft_dl_table->haft_scope_begin(); }
static inline haft_status haft_scope_end(void) HAFT_DL_NOTHROW { return haft_dl_table->haft_scope_end(); }
static inline haft_status haft_scope_keep(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scope_keep(t);
}
static inline haft_status haft_tensor_set_requires_grad(haft_tensor* t, int32_t on) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_set_requires_grad(t, on);
}
static inline haft_status haft_tensor_requires_grad(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_requires_grad(t, out);
}
static inline haft_status haft_tensor_is_leaf(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_leaf(t, out);
}
static inline haft_status haft_tensor_grad(const haft_tensor* t, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_grad(t, out);
}
static inline haft_status haft_tensor_set_grad(haft_tensor* t, const haft_tensor* grad) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_set_grad(t, grad);
}
static inline haft_status haft_tensor_retain_grad(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_retain_grad(t);
}
static inline haft_status haft_tensor_backward(const haft_tensor* output, const haft_tensor* seed,
                                               int32_t flags) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_backward(output, seed, flags);
}
static inline haft_status haft_autograd_backward(haft_tensor* const* outputs, haft_tensor* const* seeds,
                                                 int64_t count, int32_t flags) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_backward(outputs, seeds, count, flags);
}
static inline haft_status haft_autograd_grad(haft_tensor* const* outputs, haft_tensor* const* seeds,
                                             int64_t output_count, haft_tensor* const* inputs,
                                             int64_t input_count, int32_t flags,
                                             haft_tensor** grads) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_grad(outputs, seeds, output_count, inputs, input_count, flags, grads);
}
static inline haft_status haft_tensor_add_hook(haft_tensor* t, haft_grad_hook fn, void* user,
                                               void (*destroy)(void* user), int64_t* id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_add_hook(t, fn, user, destroy, id);
}
static inline haft_status haft_tensor_add_accumulate_hook(
    haft_tensor* t, haft_grad_hook fn, void* user, void (*destroy)(void* user), int64_t* id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_add_accumulate_hook(t, fn, user, destroy, id);
}
static inline haft_status haft_tensor_remove_hook(haft_tensor* t, int64_t id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_remove_hook(t, id);
}
static inline haft_status haft_set_grad_enabled(int32_t on, int32_t* before) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_grad_enabled(on, before);
}
static inline haft_status haft_is_grad_enabled(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_is_grad_enabled(out);
}
static inline haft_status haft_set_inference_mode(int32_t on, int32_t* before) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_inference_mode(on, before);
}
static inline haft_status haft_set_anomaly_mode(int32_t on, int32_t* before) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_anomaly_mode(on, before);
}
static inline haft_status haft_function_apply(const char* name, haft_function_forward forward,
                                              haft_function_backward backward, void* user,
                                              void (*destroy)(void* user), haft_tensor* const* inputs,
                                              int64_t input_count, haft_tensor** outputs,
                                              int64_t output_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_function_apply(name, forward, backward, user, destroy, inputs, input_count,
                                            outputs, output_count);
}
static inline haft_status haft_function_save(haft_function_context* ctx,
                                             const haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_function_save(ctx, t);
}
static inline haft_status haft_function_saved(haft_function_context* ctx, int64_t index,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_function_saved(ctx, index, out);
}
static inline haft_status haft_function_needs_grad(haft_function_context* ctx, int64_t index,
                                                   int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_function_needs_grad(ctx, index, out);
}
static inline haft_status haft_autograd_gradcheck(haft_checked_function fn, void* user,
                                                  haft_tensor* const* inputs, int64_t count,
                                                  int32_t order) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_gradcheck(fn, user, inputs, count, order);
}
static inline int32_t haft_get_version_number(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_version_number();
}
static inline const char* haft_get_version_string(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_version_string();
}
static inline const char* haft_get_library_path(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_library_path();
}
static inline haft_status haft_describe(char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_describe(buffer, capacity, needed);
}
static inline haft_status haft_shutdown(void) HAFT_DL_NOTHROW { return haft_dl_table->haft_shutdown(); }
static inline haft_status haft_get_live_handles(int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_live_handles(out);
}
static inline haft_status haft_set_num_threads(int32_t n) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_num_threads(n);
}
static inline haft_status haft_get_num_threads(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_num_threads(out);
}
static inline haft_status haft_device_parse(const char* text, haft_device* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_parse(text, out);
}
static inline haft_status haft_device_to_string(haft_device device, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_to_string(device, buffer, capacity, needed);
}
static inline haft_status haft_device_get_count(const char* type, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_get_count(type, out);
}
static inline haft_status haft_device_synchronize(haft_device device) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_synchronize(device);
}
static inline haft_status haft_backend_load(const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_backend_load(path);
}
static inline haft_status haft_set_default_device(haft_device device) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_default_device(device);
}
static inline haft_status haft_get_default_device(haft_device* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_default_device(out);
}
static inline haft_status haft_set_default_dtype(haft_dtype dtype) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_default_dtype(dtype);
}
static inline haft_status haft_get_default_dtype(haft_dtype* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_default_dtype(out);
}
static inline const char* haft_dtype_get_name(haft_dtype dtype) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dtype_get_name(dtype);
}
static inline int64_t haft_dtype_get_size(haft_dtype dtype) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dtype_get_size(dtype);
}
static inline haft_status haft_memory_get_stats(haft_device device,
                                                haft_memory_stats* stats) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_get_stats(device, stats);
}
static inline haft_status haft_memory_reset_peak(haft_device device) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_reset_peak(device);
}
static inline haft_status haft_memory_trim(haft_device device, int64_t* freed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_trim(device, freed);
}
static inline haft_status haft_memory_set_limit(haft_device device, int64_t bytes) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_set_limit(device, bytes);
}
static inline haft_status haft_memory_set_pressure_callback(
    int64_t mark, void (*fn)(int64_t live, void* user), void* user,
    void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_set_pressure_callback(mark, fn, user, destroy);
}
static inline haft_status haft_memory_set_allocator(void* (*alloc)(int64_t bytes, int64_t alignment, void* user),
                                                    void (*free)(void* p, int64_t bytes, void* user),
                                                    void* user) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_set_allocator(alloc, free, user);
}
static inline haft_status haft_set_log_sink(int32_t level,
                                            void (*sink)(int32_t level, const char* text, void* user),
                                            void* user, void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_log_sink(level, sink, user, destroy);
}
static inline haft_status haft_generator_create(int64_t seed, haft_generator** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_generator_create(seed, out);
}
static inline haft_status haft_generator_retain(haft_generator* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_generator_retain(g);
}
static inline void haft_generator_release(haft_generator* g) HAFT_DL_NOTHROW {
  haft_dl_table->haft_generator_release(g);
}
static inline haft_status haft_generator_seed(haft_generator* g, int64_t seed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_generator_seed(g, seed);
}
static inline haft_status haft_generator_get_state(const haft_generator* g, int64_t* seed,
                                                   int64_t* offset) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_generator_get_state(g, seed, offset);
}
static inline haft_status haft_generator_set_state(haft_generator* g, int64_t seed,
                                                   int64_t offset) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_generator_set_state(g, seed, offset);
}
static inline haft_status haft_profiler_start(int32_t shapes) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profiler_start(shapes);
}
static inline haft_status haft_profiler_stop(haft_profile** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profiler_stop(out);
}
static inline haft_status haft_profiler_push(const char* name) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profiler_push(name);
}
static inline haft_status haft_profiler_pop(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profiler_pop();
}
static inline haft_status haft_profile_get_table(const haft_profile* p, char* buffer, int64_t capacity,
                                                 int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profile_get_table(p, buffer, capacity, needed);
}
static inline haft_status haft_profile_write_trace(const haft_profile* p, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profile_write_trace(p, path);
}
static inline void haft_profile_release(haft_profile* p) HAFT_DL_NOTHROW {
  haft_dl_table->haft_profile_release(p);
}
static inline haft_status haft_linear_create(const haft_linear_options* options,
                                             haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linear_create(options, out);
}
static inline haft_status haft_conv2d_create(const haft_conv2d_options* options,
                                             haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv2d_create(options, out);
}
static inline haft_status haft_batch_norm1d_create(const haft_batch_norm1d_options* options,
                                                   haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_batch_norm1d_create(options, out);
}
static inline haft_status haft_batch_norm2d_create(const haft_batch_norm2d_options* options,
                                                   haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_batch_norm2d_create(options, out);
}
static inline haft_status haft_layer_norm_create(const haft_layer_norm_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_layer_norm_create(options, out);
}
static inline haft_status haft_dropout_create(const haft_dropout_options* options,
                                              haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dropout_create(options, out);
}
static inline haft_status haft_embedding_create(const haft_embedding_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_embedding_create(options, out);
}
static inline haft_status haft_max_pool2d_create(const haft_max_pool2d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool2d_create(options, out);
}
static inline haft_status haft_avg_pool2d_create(const haft_avg_pool2d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_avg_pool2d_create(options, out);
}
static inline haft_status haft_adaptive_avg_pool2d_create(
    const haft_adaptive_avg_pool2d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_avg_pool2d_create(options, out);
}
static inline haft_status haft_relu_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_relu_create(out);
}
static inline haft_status haft_leaky_relu_create(const haft_leaky_relu_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_leaky_relu_create(options, out);
}
static inline haft_status haft_gelu_create(const haft_gelu_options* options,
                                           haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gelu_create(options, out);
}
static inline haft_status haft_silu_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_silu_create(out);
}
static inline haft_status haft_sigmoid_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sigmoid_create(out);
}
static inline haft_status haft_tanh_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tanh_create(out);
}
static inline haft_status haft_elu_create(const haft_elu_options* options,
                                          haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_elu_create(options, out);
}
static inline haft_status haft_softplus_create(const haft_softplus_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softplus_create(options, out);
}
static inline haft_status haft_hardswish_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardswish_create(out);
}
static inline haft_status haft_mish_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mish_create(out);
}
static inline haft_status haft_softmax_create(const haft_softmax_options* options,
                                              haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softmax_create(options, out);
}
static inline haft_status haft_log_softmax_create(const haft_log_softmax_options* options,
                                                  haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_softmax_create(options, out);
}
static inline haft_status haft_identity_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_identity_create(out);
}
static inline haft_status haft_flatten_create(const haft_flatten_options* options,
                                              haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_flatten_create(options, out);
}
static inline haft_status haft_sequential_create(haft_module* const* modules, int64_t count,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sequential_create(modules, count, out);
}
static inline haft_status haft_module_list_create(haft_module* const* modules, int64_t count,
                                                  haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_list_create(modules, count, out);
}
static inline haft_status haft_module_dict_create(const char* const* names, haft_module* const* modules,
                                                  int64_t count, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_dict_create(names, modules, count, out);
}
static inline haft_status haft_callback_module_create(const char* type, haft_module_forward_fn forward,
                                                      void* user, void (*destroy)(void* user),
                                                      haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_callback_module_create(type, forward, user, destroy, out);
}
static inline haft_status haft_module_retain(haft_module* m) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_retain(m);
}
static inline void haft_module_release(haft_module* m) HAFT_DL_NOTHROW {
  haft_dl_table->haft_module_release(m);
}
static inline haft_status haft_module_forward(haft_module* m, const haft_tensor* x,
                                              haft_tensor** y) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_forward(m, x, y);
}
static inline haft_status haft_module_forward_many(haft_module* m, haft_tensor* const* inputs,
                                                   int64_t input_count, haft_tensor** outs, int64_t capacity,
                                                   int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_forward_many(m, inputs, input_count, outs, capacity, count);
}
static inline haft_status haft_module_train(haft_module* m, int32_t on) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_train(m, on);
}
static inline haft_status haft_module_is_training(const haft_module* m, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_is_training(m, out);
}
static inline haft_status haft_module_zero_grad(haft_module* m) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_zero_grad(m);
}
static inline haft_status haft_module_set_requires_grad(haft_module* m, int32_t on) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_set_requires_grad(m, on);
}
static inline haft_status haft_module_to(haft_module* m, haft_dtype dtype,
                                         haft_device device) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_to(m, dtype, device);
}
static inline haft_status haft_module_add_child(haft_module* m, const char* name,
                                                haft_module* child) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_add_child(m, name, child);
}
static inline haft_status haft_module_get_child_count(const haft_module* m, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_child_count(m, out);
}
static inline haft_status haft_module_get_child_name(const haft_module* m, int64_t index, char* buffer,
                                                     int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_child_name(m, index, buffer, capacity, needed);
}
static inline haft_status haft_module_child(const haft_module* m, const char* name,
                                            haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_child(m, name, out);
}
static inline haft_status haft_module_apply(haft_module* m,
                                            haft_status (*fn)(haft_module* m, const char* name, void* user),
                                            void* user) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_apply(m, fn, user);
}
static inline haft_status haft_module_get_type(const haft_module* m, char* buffer, int64_t capacity,
                                               int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_type(m, buffer, capacity, needed);
}
static inline haft_status haft_module_to_string(const haft_module* m, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_to_string(m, buffer, capacity, needed);
}
static inline haft_status haft_module_get_summary(const haft_module* m, char* buffer, int64_t capacity,
                                                  int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_summary(m, buffer, capacity, needed);
}
static inline haft_status haft_module_register_parameter(
    haft_module* m, const char* name, haft_tensor* t, int32_t requires_grad) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_register_parameter(m, name, t, requires_grad);
}
static inline haft_status haft_module_register_buffer(haft_module* m, const char* name, haft_tensor* t,
                                                      int32_t persistent) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_register_buffer(m, name, t, persistent);
}
static inline haft_status haft_module_get_parameter_count(
    const haft_module* m, int64_t* tensors, int64_t* elements) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_parameter_count(m, tensors, elements);
}
static inline haft_status haft_module_parameters(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                                 int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_parameters(m, outs, capacity, count);
}
static inline haft_status haft_module_get_parameter_name(
    const haft_module* m, int64_t index, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_parameter_name(m, index, buffer, capacity, needed);
}
static inline haft_status haft_module_parameter(const haft_module* m, const char* name,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_parameter(m, name, out);
}
static inline haft_status haft_module_buffer(const haft_module* m, const char* name,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_buffer(m, name, out);
}
static inline haft_status haft_module_state(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                            int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_state(m, outs, capacity, count);
}
static inline haft_status haft_module_get_state_name(const haft_module* m, int64_t index, char* buffer,
                                                     int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_state_name(m, index, buffer, capacity, needed);
}
static inline haft_status haft_module_load_state(haft_module* m, const char* const* names,
                                                 haft_tensor* const* tensors, int64_t count,
                                                 int32_t strict) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_load_state(m, names, tensors, count, strict);
}
static inline haft_status haft_module_save(const haft_module* m, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_save(m, path);
}
static inline haft_status haft_module_load(haft_module* m, const char* path, int32_t strict) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_load(m, path, strict);
}
static inline haft_status haft_module_add_pre_hook(haft_module* m, haft_module_pre_hook fn, void* user,
                                                   void (*destroy)(void* user), int64_t* id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_add_pre_hook(m, fn, user, destroy, id);
}
static inline haft_status haft_module_add_hook(haft_module* m, haft_module_hook fn, void* user,
                                               void (*destroy)(void* user), int64_t* id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_add_hook(m, fn, user, destroy, id);
}
static inline haft_status haft_module_remove_hook(haft_module* m, int64_t id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_remove_hook(m, id);
}
static inline haft_status haft_init_uniform(haft_tensor* t, double low, double high,
                                            haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_uniform(t, low, high, generator);
}
static inline haft_status haft_init_normal(haft_tensor* t, double mean, double std,
                                           haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_normal(t, mean, std, generator);
}
static inline haft_status haft_init_constant(haft_tensor* t, double value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_constant(t, value);
}
static inline haft_status haft_init_trunc_normal(haft_tensor* t, double mean, double std, double low,
                                                 double high, haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_trunc_normal(t, mean, std, low, high, generator);
}
static inline haft_status haft_init_xavier_uniform(haft_tensor* t, double gain,
                                                   haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_xavier_uniform(t, gain, generator);
}
static inline haft_status haft_init_xavier_normal(haft_tensor* t, double gain,
                                                  haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_xavier_normal(t, gain, generator);
}
static inline haft_status haft_init_kaiming_uniform(haft_tensor* t, double a, int32_t mode,
                                                    int32_t nonlinearity,
                                                    haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_kaiming_uniform(t, a, mode, nonlinearity, generator);
}
static inline haft_status haft_init_kaiming_normal(haft_tensor* t, double a, int32_t mode,
                                                   int32_t nonlinearity,
                                                   haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_kaiming_normal(t, a, mode, nonlinearity, generator);
}
static inline haft_status haft_init_orthogonal(haft_tensor* t, double gain,
                                               haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_orthogonal(t, gain, generator);
}
static inline haft_status haft_sgd_create(haft_tensor* const* params, int64_t count,
                                          const haft_sgd_options* options,
                                          haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sgd_create(params, count, options, out);
}
static inline haft_status haft_adam_create(haft_tensor* const* params, int64_t count,
                                           const haft_adam_options* options,
                                           haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adam_create(params, count, options, out);
}
static inline haft_status haft_adamw_create(haft_tensor* const* params, int64_t count,
                                            const haft_adamw_options* options,
                                            haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adamw_create(params, count, options, out);
}
static inline haft_status haft_optimizer_retain(haft_optimizer* o) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_retain(o);
}
static inline void haft_optimizer_release(haft_optimizer* o) HAFT_DL_NOTHROW {
  haft_dl_table->haft_optimizer_release(o);
}
static inline haft_status haft_optimizer_step(haft_optimizer* o) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_step(o);
}
static inline haft_status haft_optimizer_zero_grad(haft_optimizer* o, int32_t set_to_none) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_zero_grad(o, set_to_none);
}
static inline haft_status haft_optimizer_add_group(haft_optimizer* o, haft_tensor* const* params,
                                                   int64_t count, int64_t* group) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_add_group(o, params, count, group);
}
static inline haft_status haft_optimizer_get_group_count(
    const haft_optimizer* o, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_get_group_count(o, out);
}
static inline haft_status haft_optimizer_parameters(const haft_optimizer* o, int64_t group,
                                                    haft_tensor** params, int64_t capacity,
                                                    int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_parameters(o, group, params, capacity, count);
}
static inline haft_status haft_optimizer_set_lr(haft_optimizer* o, int64_t group, double lr) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_set_lr(o, group, lr);
}
static inline haft_status haft_optimizer_get_lr(const haft_optimizer* o, int64_t group,
                                                double* lr) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_get_lr(o, group, lr);
}
static inline haft_status haft_optimizer_set_option(haft_optimizer* o, int64_t group, const char* name,
                                                    double value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_set_option(o, group, name, value);
}
static inline haft_status haft_optimizer_get_option(const haft_optimizer* o, int64_t group, const char* name,
                                                    double* value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_get_option(o, group, name, value);
}
static inline haft_status haft_optimizer_state(haft_optimizer* o, int64_t parameter, const char* name,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_state(o, parameter, name, out);
}
static inline haft_status haft_optimizer_set_state(haft_optimizer* o, int64_t parameter, const char* name,
                                                   const haft_tensor* value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_set_state(o, parameter, name, value);
}
static inline haft_status haft_grad_clip_norm(haft_tensor* const* params, int64_t count, double max_norm,
                                              double norm_type, haft_tensor** norm) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_clip_norm(params, count, max_norm, norm_type, norm);
}
static inline haft_status haft_grad_clip_value(haft_tensor* const* params, int64_t count,
                                               double limit) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_clip_value(params, count, limit);
}
static inline haft_status haft_step_lr_create(haft_optimizer* o, const haft_step_lr_options* options,
                                              haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_step_lr_create(o, options, out);
}
static inline haft_status haft_multi_step_lr_create(haft_optimizer* o,
                                                    const haft_multi_step_lr_options* options,
                                                    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multi_step_lr_create(o, options, out);
}
static inline haft_status haft_exponential_lr_create(haft_optimizer* o,
                                                     const haft_exponential_lr_options* options,
                                                     haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exponential_lr_create(o, options, out);
}
static inline haft_status haft_cosine_annealing_lr_create(
    haft_optimizer* o, const haft_cosine_annealing_lr_options* options,
    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosine_annealing_lr_create(o, options, out);
}
static inline haft_status haft_linear_lr_create(haft_optimizer* o, const haft_linear_lr_options* options,
                                                haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linear_lr_create(o, options, out);
}
static inline haft_status haft_lambda_lr_create(haft_optimizer* o, haft_lr_factor fn, void* user,
                                                void (*destroy)(void* user),
                                                haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lambda_lr_create(o, fn, user, destroy, out);
}
static inline haft_status haft_scheduler_retain(haft_scheduler* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_retain(s);
}
static inline void haft_scheduler_release(haft_scheduler* s) HAFT_DL_NOTHROW {
  haft_dl_table->haft_scheduler_release(s);
}
static inline haft_status haft_scheduler_step(haft_scheduler* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_step(s);
}
static inline haft_status haft_scheduler_get_last_epoch(
    const haft_scheduler* s, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_get_last_epoch(s, out);
}
static inline haft_status haft_tensor_dataset_create(haft_tensor* const* tensors, int64_t count,
                                                     haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_dataset_create(tensors, count, out);
}
static inline haft_status haft_idx_dataset_create(const char* images_path, const char* labels_path,
                                                  haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_idx_dataset_create(images_path, labels_path, out);
}
static inline haft_status haft_callback_dataset_create(int64_t size, const haft_field* fields,
                                                       int64_t field_count, haft_dataset_read read,
                                                       void* user, void (*destroy)(void* user),
                                                       int32_t one_at_a_time,
                                                       haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_callback_dataset_create(size, fields, field_count, read, user, destroy,
                                                     one_at_a_time, out);
}
static inline haft_status haft_dataset_retain(haft_dataset* d) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dataset_retain(d);
}
static inline void haft_dataset_release(haft_dataset* d) HAFT_DL_NOTHROW {
  haft_dl_table->haft_dataset_release(d);
}
static inline haft_status haft_dataset_get_size(const haft_dataset* d, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dataset_get_size(d, out);
}
static inline haft_status haft_dataset_item(const haft_dataset* d, int64_t index, haft_tensor** outs,
                                            int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dataset_item(d, index, outs, capacity, count);
}
static inline haft_status haft_to_float_transform_create(double scale, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_to_float_transform_create(scale, out);
}
static inline haft_status haft_normalize_transform_create(
    const double* mean, const double* std, int64_t count, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_normalize_transform_create(mean, std, count, out);
}
static inline haft_status haft_random_crop_transform_create(
    int64_t height, int64_t width, int64_t padding, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_random_crop_transform_create(height, width, padding, out);
}
static inline haft_status haft_random_horizontal_flip_transform_create(
    double probability, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_random_horizontal_flip_transform_create(probability, out);
}
static inline haft_status haft_random_rotation_transform_create(
    double degrees, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_random_rotation_transform_create(degrees, out);
}
static inline haft_status haft_transform_retain(haft_transform* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transform_retain(t);
}
static inline void haft_transform_release(haft_transform* t) HAFT_DL_NOTHROW {
  haft_dl_table->haft_transform_release(t);
}
static inline haft_status haft_loader_create(const haft_dataset* dataset, const haft_loader_options* options,
                                             haft_loader** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_create(dataset, options, out);
}
static inline haft_status haft_loader_retain(haft_loader* l) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_retain(l);
}
static inline void haft_loader_release(haft_loader* l) HAFT_DL_NOTHROW {
  haft_dl_table->haft_loader_release(l);
}
static inline haft_status haft_loader_next(haft_loader* l, haft_tensor** outs, int64_t capacity,
                                           int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_next(l, outs, capacity, count);
}
static inline haft_status haft_loader_reset(haft_loader* l) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_reset(l);
}
static inline haft_status haft_loader_cancel(haft_loader* l) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_cancel(l);
}
static inline haft_status haft_loader_get_batch_count(const haft_loader* l, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_get_batch_count(l, out);
}
static inline haft_status haft_loader_get_sample_count(const haft_loader* l, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_get_sample_count(l, out);
}
static inline haft_status haft_loader_get_state(haft_loader* l, int64_t* seed, int64_t* epoch,
                                                int64_t* batch) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_get_state(l, seed, epoch, batch);
}
static inline haft_status haft_loader_set_state(haft_loader* l, int64_t seed, int64_t epoch,
                                                int64_t batch) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_loader_set_state(l, seed, epoch, batch);
}
static inline haft_status haft_weights_save(const char* const* names, haft_tensor* const* tensors,
                                            int64_t count, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_save(names, tensors, count, path);
}
static inline haft_status haft_weights_open(const char* path, haft_weights** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_open(path, out);
}
static inline haft_status haft_weights_retain(haft_weights* w) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_retain(w);
}
static inline void haft_weights_release(haft_weights* w) HAFT_DL_NOTHROW {
  haft_dl_table->haft_weights_release(w);
}
static inline haft_status haft_weights_get_count(const haft_weights* w, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_get_count(w, out);
}
static inline haft_status haft_weights_get_name(const haft_weights* w, int64_t index,
                                                const char** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_get_name(w, index, out);
}
static inline haft_status haft_weights_tensor(const haft_weights* w, int64_t index,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_tensor(w, index, out);
}
static inline haft_status haft_weights_find(const haft_weights* w, const char* name,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weights_find(w, name, out);
}
static inline haft_status haft_npy_save(const haft_tensor* t, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_npy_save(t, path);
}
static inline haft_status haft_npy_load(const char* path, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_npy_load(path, out);
}
static inline haft_status haft_writer_create(const char* folder, haft_writer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_create(folder, out);
}
static inline haft_status haft_writer_retain(haft_writer* w) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_retain(w);
}
static inline void haft_writer_release(haft_writer* w) HAFT_DL_NOTHROW {
  haft_dl_table->haft_writer_release(w);
}
static inline haft_status haft_writer_add_scalar(haft_writer* w, const char* tag, double value,
                                                 int64_t step) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_scalar(w, tag, value, step);
}
static inline haft_status haft_writer_add_histogram(haft_writer* w, const char* tag,
                                                    const haft_tensor* values, int64_t step) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_histogram(w, tag, values, step);
}
static inline haft_status haft_writer_flush(haft_writer* w) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_flush(w);
}
static inline haft_status haft_writer_close(haft_writer* w) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_close(w);
}
static inline haft_status haft_writer_get_path(const haft_writer* w, char* buffer, int64_t capacity,
                                               int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_get_path(w, buffer, capacity, needed);
}
static inline haft_status haft_checkpoint_save(const char* path, const haft_checkpoint_parts* parts,
                                               const haft_key_value* values,
                                               int64_t value_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_checkpoint_save(path, parts, values, value_count);
}
static inline haft_status haft_checkpoint_load(const char* path, const haft_checkpoint_parts* parts,
                                               haft_checkpoint** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_checkpoint_load(path, parts, out);
}
static inline void haft_checkpoint_release(haft_checkpoint* c) HAFT_DL_NOTHROW {
  haft_dl_table->haft_checkpoint_release(c);
}
static inline haft_status haft_checkpoint_get_number(const haft_checkpoint* c, const char* key,
                                                     haft_scalar* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_checkpoint_get_number(c, key, out);
}
static inline haft_status haft_checkpoint_get_text(const haft_checkpoint* c, const char* key,
                                                   const char** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_checkpoint_get_text(c, key, out);
}
static inline haft_status haft_is_inference_mode(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_is_inference_mode(out);
}
static inline haft_status haft_checkpoint_retain(haft_checkpoint* c) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_checkpoint_retain(c);
}
static inline haft_status haft_profile_retain(haft_profile* p) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profile_retain(p);
}
static inline haft_status haft_session_create(haft_module* module, const haft_session_options* options,
                                              haft_session** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_create(module, options, out);
}
static inline haft_status haft_session_retain(haft_session* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_retain(s);
}
static inline void haft_session_release(haft_session* s) HAFT_DL_NOTHROW {
  haft_dl_table->haft_session_release(s);
}
static inline haft_status haft_session_run(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                           int64_t timeout_us, haft_tensor** outs, int64_t capacity,
                                           int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_run(s, inputs, input_count, timeout_us, outs, capacity, count);
}
static inline haft_status haft_session_submit(haft_session* s, haft_tensor* const* inputs,
                                              int64_t input_count, int64_t timeout_us, haft_request_done done,
                                              void* user, void (*destroy)(void* user),
                                              haft_request** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_submit(s, inputs, input_count, timeout_us, done, user, destroy, out);
}
static inline haft_status haft_request_retain(haft_request* r) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_request_retain(r);
}
static inline void haft_request_release(haft_request* r) HAFT_DL_NOTHROW {
  haft_dl_table->haft_request_release(r);
}
static inline haft_status haft_request_wait(haft_request* r, int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_request_wait(r, timeout_us);
}
static inline haft_status haft_request_is_done(const haft_request* r, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_request_is_done(r, out);
}
static inline haft_status haft_request_result(haft_request* r, haft_tensor** outs, int64_t capacity,
                                              int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_request_result(r, outs, capacity, count);
}
static inline haft_status haft_request_cancel(haft_request* r) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_request_cancel(r);
}
static inline haft_status haft_session_update(haft_session* s, haft_module* module) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_update(s, module);
}
static inline haft_status haft_session_drain(haft_session* s, int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_drain(s, timeout_us);
}
static inline haft_status haft_session_close(haft_session* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_close(s);
}
static inline haft_status haft_session_get_metrics(const haft_session* s,
                                                   haft_session_metrics* metrics) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_get_metrics(s, metrics);
}
static inline haft_status haft_session_reset_metrics(haft_session* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_reset_metrics(s);
}
static inline haft_status haft_cancel_token_create(haft_cancel_token** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cancel_token_create(out);
}
static inline haft_status haft_cancel_token_retain(haft_cancel_token* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cancel_token_retain(t);
}
static inline void haft_cancel_token_release(haft_cancel_token* t) HAFT_DL_NOTHROW {
  haft_dl_table->haft_cancel_token_release(t);
}
static inline haft_status haft_cancel_token_cancel(haft_cancel_token* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cancel_token_cancel(t);
}
static inline haft_status haft_cancel_token_is_cancelled(
    const haft_cancel_token* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cancel_token_is_cancelled(t, out);
}
static inline haft_status haft_set_cancel_token(haft_cancel_token* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_cancel_token(t);
}
static inline haft_status haft_copy(const haft_tensor* input, const haft_tensor* src,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_copy(input, src, out);
}
static inline haft_status haft_copy_(haft_tensor* input, const haft_tensor* src) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_copy_(input, src);
}
static inline haft_status haft_tensor_grad_fn(const haft_tensor* t, haft_node** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_grad_fn(t, out);
}
static inline haft_status haft_node_retain(haft_node* n) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_node_retain(n);
}
static inline void haft_node_release(haft_node* n) HAFT_DL_NOTHROW { haft_dl_table->haft_node_release(n); }
static inline haft_status haft_node_get_id(const haft_node* n, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_node_get_id(n, out);
}
static inline haft_status haft_node_get_name(const haft_node* n, char* buffer, int64_t capacity,
                                             int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_node_get_name(n, buffer, capacity, needed);
}
static inline haft_status haft_node_get_next_count(const haft_node* n, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_node_get_next_count(n, out);
}
static inline haft_status haft_node_next(const haft_node* n, int64_t index, haft_node** next,
                                         int64_t* output) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_node_next(n, index, next, output);
}
static inline haft_status haft_node_variable(const haft_node* n, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_node_variable(n, out);
}
static inline haft_status haft_autograd_graph_to_text(const haft_tensor* t, int32_t format, char* buffer,
                                                      int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_graph_to_text(t, format, buffer, capacity, needed);
}
static inline haft_status haft_tensor_set_data(haft_tensor* t, const haft_tensor* data) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_set_data(t, data);
}
static inline haft_status haft_tensor_get_storage(const haft_tensor* t, int64_t* offset,
                                                  int64_t* bytes) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_storage(t, offset, bytes);
}
static inline haft_status haft_tensor_is_sole_owner(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_sole_owner(t, out);
}
static inline haft_status haft_profile_get_trace(const haft_profile* p, char* buffer, int64_t capacity,
                                                 int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profile_get_trace(p, buffer, capacity, needed);
}
static inline haft_status haft_erfc(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfc(input, out);
}
static inline haft_status haft_erfc_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfc_(input);
}
static inline haft_status haft_erfc_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfc_out(input, out);
}
static inline haft_status haft_erfinv(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfinv(input, out);
}
static inline haft_status haft_erfinv_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfinv_(input);
}
static inline haft_status haft_erfinv_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfinv_out(input, out);
}
static inline haft_status haft_lgamma(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lgamma(input, out);
}
static inline haft_status haft_lgamma_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lgamma_(input);
}
static inline haft_status haft_lgamma_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lgamma_out(input, out);
}
static inline haft_status haft_digamma(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_digamma(input, out);
}
static inline haft_status haft_digamma_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_digamma_(input);
}
static inline haft_status haft_digamma_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_digamma_out(input, out);
}
static inline haft_status haft_polygamma(int64_t n, const haft_tensor* input,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_polygamma(n, input, out);
}
static inline haft_status haft_hypot(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hypot(input, other, out);
}
static inline haft_status haft_hypot_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hypot_(input, other);
}
static inline haft_status haft_hypot_out(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hypot_out(input, other, out);
}
static inline haft_status haft_copysign(const haft_tensor* input, const haft_tensor* other,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_copysign(input, other, out);
}
static inline haft_status haft_copysign_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_copysign_(input, other);
}
static inline haft_status haft_copysign_out(const haft_tensor* input, const haft_tensor* other,
                                            haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_copysign_out(input, other, out);
}
static inline haft_status haft_logaddexp(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logaddexp(input, other, out);
}
static inline haft_status haft_logaddexp_out(const haft_tensor* input, const haft_tensor* other,
                                             haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logaddexp_out(input, other, out);
}
static inline haft_status haft_logaddexp2(const haft_tensor* input, const haft_tensor* other,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logaddexp2(input, other, out);
}
static inline haft_status haft_logaddexp2_out(const haft_tensor* input, const haft_tensor* other,
                                              haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logaddexp2_out(input, other, out);
}
static inline haft_status haft_xlogy(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_xlogy(input, other, out);
}
static inline haft_status haft_xlogy_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_xlogy_(input, other);
}
static inline haft_status haft_xlogy_out(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_xlogy_out(input, other, out);
}
static inline haft_status haft_kthvalue(const haft_tensor* input, int64_t k, int64_t dim, int32_t keepdim,
                                        haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_kthvalue(input, k, dim, keepdim, values, indices);
}
static inline haft_status haft_median(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_median(input, out);
}
static inline haft_status haft_nanmedian(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nanmedian(input, out);
}
static inline haft_status haft_median_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                          haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_median_dim(input, dim, keepdim, values, indices);
}
static inline haft_status haft_nanmedian_dim(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                             haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nanmedian_dim(input, dim, keepdim, values, indices);
}
static inline haft_status haft_searchsorted(const haft_tensor* sorted_sequence, const haft_tensor* input,
                                            int32_t right, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_searchsorted(sorted_sequence, input, right, out);
}
static inline haft_status haft_bucketize(const haft_tensor* input, const haft_tensor* boundaries,
                                         int32_t right, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bucketize(input, boundaries, right, out);
}
static inline haft_status haft_isin(const haft_tensor* elements, const haft_tensor* test_elements,
                                    int32_t invert, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isin(elements, test_elements, invert, out);
}
static inline haft_status haft_bincount(const haft_tensor* input, const haft_tensor* weights,
                                        int64_t minlength, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bincount(input, weights, minlength, out);
}
static inline haft_status haft_histc(const haft_tensor* input, int64_t bins, double min, double max,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_histc(input, bins, min, max, out);
}
static inline haft_status haft_cummax(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                      haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cummax(input, dim, values, indices);
}
static inline haft_status haft_cummin(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                      haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cummin(input, dim, values, indices);
}
static inline haft_status haft_logcumsumexp(const haft_tensor* input, int64_t dim,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logcumsumexp(input, dim, out);
}
static inline haft_status haft_scatter_reduce(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                              const haft_tensor* src, int64_t reduce, int32_t include_self,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scatter_reduce(input, dim, index, src, reduce, include_self, out);
}
static inline haft_status haft_index_reduce(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                            const haft_tensor* source, int64_t reduce, int32_t include_self,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_reduce(input, dim, index, source, reduce, include_self, out);
}
static inline haft_status haft_set_math_precision(int32_t precision) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_math_precision(precision);
}
static inline haft_status haft_get_math_precision(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_math_precision(out);
}
static inline haft_status haft_tensor_to_dlpack(const haft_tensor* t,
                                                struct DLManagedTensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_to_dlpack(t, out);
}
static inline haft_status haft_tensor_to_dlpack_versioned(
    const haft_tensor* t, struct DLManagedTensorVersioned** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_to_dlpack_versioned(t, out);
}
static inline haft_status haft_tensor_from_dlpack(struct DLManagedTensor* managed,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_from_dlpack(managed, out);
}
static inline haft_status haft_tensor_from_dlpack_versioned(
    struct DLManagedTensorVersioned* managed, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_from_dlpack_versioned(managed, out);
}
static inline haft_status haft_module_buffers(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                              int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_buffers(m, outs, capacity, count);
}
static inline haft_status haft_module_get_buffer_name(const haft_module* m, int64_t index, char* buffer,
                                                      int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_get_buffer_name(m, index, buffer, capacity, needed);
}
static inline haft_status haft_scheduler_get_state(haft_scheduler* s, double* values, int64_t capacity,
                                                   int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_get_state(s, values, capacity, count);
}
static inline haft_status haft_scheduler_get_state_name(
    haft_scheduler* s, int64_t index, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_get_state_name(s, index, buffer, capacity, needed);
}
static inline haft_status haft_scheduler_set_state(haft_scheduler* s, const char* const* names,
                                                   const double* values, int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_set_state(s, names, values, count);
}
static inline haft_status haft_stream_create(haft_device device, haft_stream** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_create(device, out);
}
static inline haft_status haft_stream_current(haft_device device, haft_stream** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_current(device, out);
}
static inline haft_status haft_stream_default(haft_device device, haft_stream** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_default(device, out);
}
static inline haft_status haft_stream_retain(haft_stream* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_retain(s);
}
static inline void haft_stream_release(haft_stream* s) HAFT_DL_NOTHROW {
  haft_dl_table->haft_stream_release(s);
}
static inline haft_status haft_stream_get_device(const haft_stream* s, haft_device* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_get_device(s, out);
}
static inline haft_status haft_set_current_stream(haft_stream* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_current_stream(s);
}
static inline haft_status haft_stream_synchronize(haft_stream* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_synchronize(s);
}
static inline haft_status haft_stream_wait(haft_stream* s, haft_event* e) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_wait(s, e);
}
static inline haft_status haft_event_create(haft_device device, int32_t timing,
                                            haft_event** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_create(device, timing, out);
}
static inline haft_status haft_event_retain(haft_event* e) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_retain(e);
}
static inline void haft_event_release(haft_event* e) HAFT_DL_NOTHROW { haft_dl_table->haft_event_release(e); }
static inline haft_status haft_event_record(haft_event* e, haft_stream* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_record(e, s);
}
static inline haft_status haft_event_is_done(const haft_event* e, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_is_done(e, out);
}
static inline haft_status haft_event_synchronize(const haft_event* e) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_synchronize(e);
}
static inline haft_status haft_event_get_elapsed(const haft_event* start, const haft_event* end,
                                                 double* milliseconds) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_get_elapsed(start, end, milliseconds);
}
static inline haft_status haft_autograd_add_callback(haft_backward_callback fn, void* user,
                                                     void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_add_callback(fn, user, destroy);
}
static inline haft_status haft_saved_tensor_hooks_push(haft_pack_hook pack, haft_unpack_hook unpack,
                                                       void (*release)(void* packed, void* user), void* user,
                                                       void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_saved_tensor_hooks_push(pack, unpack, release, user, destroy);
}
static inline haft_status haft_saved_tensor_hooks_pop(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_saved_tensor_hooks_pop();
}
static inline haft_status haft_tensor_record_stream(haft_tensor* t, haft_stream* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_record_stream(t, s);
}
static inline haft_status haft_tensor_pin_memory(const haft_tensor* t, haft_device device,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_pin_memory(t, device, out);
}
static inline haft_status haft_tensor_is_pinned(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_pinned(t, out);
}
static inline haft_status haft_hardtanh_create(const haft_hardtanh_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardtanh_create(options, out);
}
static inline haft_status haft_hardsigmoid_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardsigmoid_create(out);
}
static inline haft_status haft_cross_entropy_loss_create(
    const haft_cross_entropy_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cross_entropy_loss_create(options, out);
}
static inline haft_status haft_nll_loss_create(const haft_nll_loss_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nll_loss_create(options, out);
}
static inline haft_status haft_mse_loss_create(const haft_mse_loss_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mse_loss_create(options, out);
}
static inline haft_status haft_l1_loss_create(const haft_l1_loss_options* options,
                                              haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_l1_loss_create(options, out);
}
static inline haft_status haft_smooth_l1_loss_create(const haft_smooth_l1_loss_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_smooth_l1_loss_create(options, out);
}
static inline haft_status haft_huber_loss_create(const haft_huber_loss_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_huber_loss_create(options, out);
}
static inline haft_status haft_bce_loss_create(const haft_bce_loss_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bce_loss_create(options, out);
}
static inline haft_status haft_bce_with_logits_loss_create(
    const haft_bce_with_logits_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bce_with_logits_loss_create(options, out);
}
static inline haft_status haft_kl_div_loss_create(const haft_kl_div_loss_options* options,
                                                  haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_kl_div_loss_create(options, out);
}
static inline haft_status haft_device_get_properties(haft_device device,
                                                     haft_device_properties* properties) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_get_properties(device, properties);
}
static inline haft_status haft_set_deterministic(int32_t mode) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_deterministic(mode);
}
static inline haft_status haft_get_deterministic(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_deterministic(out);
}
static inline haft_status haft_tensor_decommit(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_decommit(t);
}
static inline haft_status haft_tensor_commit(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_commit(t);
}
static inline haft_status haft_tensor_is_committed(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_committed(t, out);
}
static inline haft_status haft_prelu_create(const haft_prelu_options* options,
                                            haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_prelu_create(options, out);
}
static inline haft_status haft_logsigmoid_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logsigmoid_create(out);
}
static inline haft_status haft_asinh(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asinh(input, out);
}
static inline haft_status haft_asinh_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asinh_(input);
}
static inline haft_status haft_asinh_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asinh_out(input, out);
}
static inline haft_status haft_acosh(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_acosh(input, out);
}
static inline haft_status haft_acosh_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_acosh_(input);
}
static inline haft_status haft_acosh_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_acosh_out(input, out);
}
static inline haft_status haft_atanh(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atanh(input, out);
}
static inline haft_status haft_atanh_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atanh_(input);
}
static inline haft_status haft_atanh_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atanh_out(input, out);
}
static inline haft_status haft_prelu(const haft_tensor* input, const haft_tensor* weight,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_prelu(input, weight, out);
}
static inline haft_status haft_addbmm(const haft_tensor* input, const haft_tensor* batch1,
                                      const haft_tensor* batch2, haft_scalar beta, haft_scalar alpha,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addbmm(input, batch1, batch2, beta, alpha, out);
}
static inline haft_status haft_addmv(const haft_tensor* input, const haft_tensor* mat, const haft_tensor* vec,
                                     haft_scalar beta, haft_scalar alpha, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addmv(input, mat, vec, beta, alpha, out);
}
static inline haft_status haft_addr(const haft_tensor* input, const haft_tensor* vec1,
                                    const haft_tensor* vec2, haft_scalar beta, haft_scalar alpha,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_addr(input, vec1, vec2, beta, alpha, out);
}
static inline haft_status haft_cross(const haft_tensor* input, const haft_tensor* other, int64_t dim,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cross(input, other, dim, out);
}
static inline haft_status haft_rmsprop_create(haft_tensor* const* params, int64_t count,
                                              const haft_rmsprop_options* options,
                                              haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rmsprop_create(params, count, options, out);
}
static inline haft_status haft_adagrad_create(haft_tensor* const* params, int64_t count,
                                              const haft_adagrad_options* options,
                                              haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adagrad_create(params, count, options, out);
}
static inline haft_status haft_adadelta_create(haft_tensor* const* params, int64_t count,
                                               const haft_adadelta_options* options,
                                               haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adadelta_create(params, count, options, out);
}
static inline haft_status haft_adamax_create(haft_tensor* const* params, int64_t count,
                                             const haft_adamax_options* options,
                                             haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adamax_create(params, count, options, out);
}
static inline haft_status haft_radam_create(haft_tensor* const* params, int64_t count,
                                            const haft_radam_options* options,
                                            haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_radam_create(params, count, options, out);
}
static inline haft_status haft_rprop_create(haft_tensor* const* params, int64_t count,
                                            const haft_rprop_options* options,
                                            haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rprop_create(params, count, options, out);
}
static inline haft_status haft_lion_create(haft_tensor* const* params, int64_t count,
                                           const haft_lion_options* options,
                                           haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lion_create(params, count, options, out);
}
static inline haft_status haft_selu_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_selu_create(out);
}
static inline haft_status haft_celu_create(const haft_celu_options* options,
                                           haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_celu_create(options, out);
}
static inline haft_status haft_softsign_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softsign_create(out);
}
static inline haft_status haft_tanhshrink_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tanhshrink_create(out);
}
static inline haft_status haft_hardshrink_create(const haft_hardshrink_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardshrink_create(options, out);
}
static inline haft_status haft_softshrink_create(const haft_softshrink_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softshrink_create(options, out);
}
static inline haft_status haft_threshold_create(const haft_threshold_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_threshold_create(options, out);
}
static inline haft_status haft_glu_create(const haft_glu_options* options,
                                          haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_glu_create(options, out);
}
static inline haft_status haft_poisson_nll_loss_create(const haft_poisson_nll_loss_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_poisson_nll_loss_create(options, out);
}
static inline haft_status haft_gaussian_nll_loss_create(
    const haft_gaussian_nll_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gaussian_nll_loss_create(options, out);
}
static inline haft_status haft_hinge_embedding_loss_create(
    const haft_hinge_embedding_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hinge_embedding_loss_create(options, out);
}
static inline haft_status haft_soft_margin_loss_create(const haft_soft_margin_loss_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_soft_margin_loss_create(options, out);
}
static inline haft_status haft_margin_ranking_loss_create(
    const haft_margin_ranking_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_margin_ranking_loss_create(options, out);
}
static inline haft_status haft_cosine_embedding_loss_create(
    const haft_cosine_embedding_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosine_embedding_loss_create(options, out);
}
static inline haft_status haft_triplet_margin_loss_create(
    const haft_triplet_margin_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_triplet_margin_loss_create(options, out);
}
static inline haft_status haft_multi_margin_loss_create(
    const haft_multi_margin_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multi_margin_loss_create(options, out);
}
static inline haft_status haft_multilabel_margin_loss_create(
    const haft_multilabel_margin_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multilabel_margin_loss_create(options, out);
}
static inline haft_status haft_multilabel_soft_margin_loss_create(
    const haft_multilabel_soft_margin_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multilabel_soft_margin_loss_create(options, out);
}
static inline haft_status haft_selu(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_selu(input, out);
}
static inline haft_status haft_celu(const haft_tensor* input, double alpha,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_celu(input, alpha, out);
}
static inline haft_status haft_softsign(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softsign(input, out);
}
static inline haft_status haft_tanhshrink(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tanhshrink(input, out);
}
static inline haft_status haft_hardshrink(const haft_tensor* input, double lambd,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hardshrink(input, lambd, out);
}
static inline haft_status haft_softshrink(const haft_tensor* input, double lambd,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softshrink(input, lambd, out);
}
static inline haft_status haft_threshold(const haft_tensor* input, double threshold, double value,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_threshold(input, threshold, value, out);
}
static inline haft_status haft_glu(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_glu(input, dim, out);
}
static inline haft_status haft_pairwise_distance(const haft_tensor* x1, const haft_tensor* x2, double p,
                                                 double eps, int32_t keepdim,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pairwise_distance(x1, x2, p, eps, keepdim, out);
}
static inline haft_status haft_cosine_similarity(const haft_tensor* x1, const haft_tensor* x2, int64_t dim,
                                                 double eps, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosine_similarity(x1, x2, dim, eps, out);
}
static inline haft_status haft_poisson_nll_loss(const haft_tensor* input, const haft_tensor* target,
                                                int32_t log_input, int32_t full, double eps,
                                                int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_poisson_nll_loss(input, target, log_input, full, eps, reduction, out);
}
static inline haft_status haft_gaussian_nll_loss(const haft_tensor* input, const haft_tensor* target,
                                                 const haft_tensor* var, int32_t full, double eps,
                                                 int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gaussian_nll_loss(input, target, var, full, eps, reduction, out);
}
static inline haft_status haft_hinge_embedding_loss(const haft_tensor* input, const haft_tensor* target,
                                                    double margin, int64_t reduction,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hinge_embedding_loss(input, target, margin, reduction, out);
}
static inline haft_status haft_soft_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                                int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_soft_margin_loss(input, target, reduction, out);
}
static inline haft_status haft_margin_ranking_loss(const haft_tensor* input1, const haft_tensor* input2,
                                                   const haft_tensor* target, double margin,
                                                   int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_margin_ranking_loss(input1, input2, target, margin, reduction, out);
}
static inline haft_status haft_cosine_embedding_loss(const haft_tensor* input1, const haft_tensor* input2,
                                                     const haft_tensor* target, double margin,
                                                     int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosine_embedding_loss(input1, input2, target, margin, reduction, out);
}
static inline haft_status haft_triplet_margin_loss(const haft_tensor* anchor, const haft_tensor* positive,
                                                   const haft_tensor* negative, double margin, double p,
                                                   double eps, int32_t swap, int64_t reduction,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction,
                                                 out);
}
static inline haft_status haft_multi_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                                 const haft_tensor* weight, int64_t p, double margin,
                                                 int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multi_margin_loss(input, target, weight, p, margin, reduction, out);
}
static inline haft_status haft_multilabel_margin_loss(const haft_tensor* input, const haft_tensor* target,
                                                      int64_t reduction, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multilabel_margin_loss(input, target, reduction, out);
}
static inline haft_status haft_multilabel_soft_margin_loss(
    const haft_tensor* input, const haft_tensor* target, const haft_tensor* weight, int64_t reduction,
    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multilabel_soft_margin_loss(input, target, weight, reduction, out);
}
static inline haft_status haft_embedding_bag(const haft_tensor* weight, const haft_tensor* input,
                                             const haft_tensor* offsets,
                                             const haft_tensor* per_sample_weights, int64_t mode,
                                             int32_t include_last_offset, int64_t padding_idx, int32_t sparse,
                                             int32_t scale_grad_by_freq, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_embedding_bag(weight, input, offsets, per_sample_weights, mode,
                                           include_last_offset, padding_idx, sparse, scale_grad_by_freq, out);
}
static inline haft_status haft_max_pool1d(const haft_tensor* input, const int64_t* kernel_size,
                                          int64_t kernel_size_count, const int64_t* stride,
                                          int64_t stride_count, const int64_t* padding, int64_t padding_count,
                                          const int64_t* dilation, int64_t dilation_count, int32_t ceil_mode,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool1d(input, kernel_size, kernel_size_count, stride, stride_count, padding,
                                        padding_count, dilation, dilation_count, ceil_mode, out);
}
static inline haft_status haft_max_pool3d(const haft_tensor* input, const int64_t* kernel_size,
                                          int64_t kernel_size_count, const int64_t* stride,
                                          int64_t stride_count, const int64_t* padding, int64_t padding_count,
                                          const int64_t* dilation, int64_t dilation_count, int32_t ceil_mode,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool3d(input, kernel_size, kernel_size_count, stride, stride_count, padding,
                                        padding_count, dilation, dilation_count, ceil_mode, out);
}
static inline haft_status haft_max_pool1d_with_indices(const haft_tensor* input, const int64_t* kernel_size,
                                                       int64_t kernel_size_count, const int64_t* stride,
                                                       int64_t stride_count, const int64_t* padding,
                                                       int64_t padding_count, const int64_t* dilation,
                                                       int64_t dilation_count, int32_t ceil_mode,
                                                       haft_tensor** values,
                                                       haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool1d_with_indices(input, kernel_size, kernel_size_count, stride,
                                                     stride_count, padding, padding_count, dilation,
                                                     dilation_count, ceil_mode, values, indices);
}
static inline haft_status haft_max_pool2d_with_indices(const haft_tensor* input, const int64_t* kernel_size,
                                                       int64_t kernel_size_count, const int64_t* stride,
                                                       int64_t stride_count, const int64_t* padding,
                                                       int64_t padding_count, const int64_t* dilation,
                                                       int64_t dilation_count, int32_t ceil_mode,
                                                       haft_tensor** values,
                                                       haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool2d_with_indices(input, kernel_size, kernel_size_count, stride,
                                                     stride_count, padding, padding_count, dilation,
                                                     dilation_count, ceil_mode, values, indices);
}
static inline haft_status haft_max_pool3d_with_indices(const haft_tensor* input, const int64_t* kernel_size,
                                                       int64_t kernel_size_count, const int64_t* stride,
                                                       int64_t stride_count, const int64_t* padding,
                                                       int64_t padding_count, const int64_t* dilation,
                                                       int64_t dilation_count, int32_t ceil_mode,
                                                       haft_tensor** values,
                                                       haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool3d_with_indices(input, kernel_size, kernel_size_count, stride,
                                                     stride_count, padding, padding_count, dilation,
                                                     dilation_count, ceil_mode, values, indices);
}
static inline haft_status haft_avg_pool1d(const haft_tensor* input, const int64_t* kernel_size,
                                          int64_t kernel_size_count, const int64_t* stride,
                                          int64_t stride_count, const int64_t* padding, int64_t padding_count,
                                          int32_t ceil_mode, int32_t count_include_pad,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_avg_pool1d(input, kernel_size, kernel_size_count, stride, stride_count, padding,
                                        padding_count, ceil_mode, count_include_pad, out);
}
static inline haft_status haft_avg_pool3d(const haft_tensor* input, const int64_t* kernel_size,
                                          int64_t kernel_size_count, const int64_t* stride,
                                          int64_t stride_count, const int64_t* padding, int64_t padding_count,
                                          int32_t ceil_mode, int32_t count_include_pad,
                                          int64_t divisor_override, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_avg_pool3d(input, kernel_size, kernel_size_count, stride, stride_count, padding,
                                        padding_count, ceil_mode, count_include_pad, divisor_override, out);
}
static inline haft_status haft_lp_pool1d(const haft_tensor* input, double norm_type,
                                         const int64_t* kernel_size, int64_t kernel_size_count,
                                         const int64_t* stride, int64_t stride_count, int32_t ceil_mode,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lp_pool1d(input, norm_type, kernel_size, kernel_size_count, stride, stride_count,
                                       ceil_mode, out);
}
static inline haft_status haft_lp_pool2d(const haft_tensor* input, double norm_type,
                                         const int64_t* kernel_size, int64_t kernel_size_count,
                                         const int64_t* stride, int64_t stride_count, int32_t ceil_mode,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lp_pool2d(input, norm_type, kernel_size, kernel_size_count, stride, stride_count,
                                       ceil_mode, out);
}
static inline haft_status haft_lp_pool3d(const haft_tensor* input, double norm_type,
                                         const int64_t* kernel_size, int64_t kernel_size_count,
                                         const int64_t* stride, int64_t stride_count, int32_t ceil_mode,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lp_pool3d(input, norm_type, kernel_size, kernel_size_count, stride, stride_count,
                                       ceil_mode, out);
}
static inline haft_status haft_adaptive_avg_pool1d(const haft_tensor* input, const int64_t* output_size,
                                                   int64_t output_size_count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_avg_pool1d(input, output_size, output_size_count, out);
}
static inline haft_status haft_adaptive_avg_pool3d(const haft_tensor* input, const int64_t* output_size,
                                                   int64_t output_size_count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_avg_pool3d(input, output_size, output_size_count, out);
}
static inline haft_status haft_adaptive_max_pool1d(const haft_tensor* input, const int64_t* output_size,
                                                   int64_t output_size_count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool1d(input, output_size, output_size_count, out);
}
static inline haft_status haft_adaptive_max_pool2d(const haft_tensor* input, const int64_t* output_size,
                                                   int64_t output_size_count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool2d(input, output_size, output_size_count, out);
}
static inline haft_status haft_adaptive_max_pool3d(const haft_tensor* input, const int64_t* output_size,
                                                   int64_t output_size_count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool3d(input, output_size, output_size_count, out);
}
static inline haft_status haft_adaptive_max_pool1d_with_indices(
    const haft_tensor* input, const int64_t* output_size, int64_t output_size_count, haft_tensor** values,
    haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool1d_with_indices(
      input, output_size, output_size_count, values, indices);
}
static inline haft_status haft_adaptive_max_pool2d_with_indices(
    const haft_tensor* input, const int64_t* output_size, int64_t output_size_count, haft_tensor** values,
    haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool2d_with_indices(
      input, output_size, output_size_count, values, indices);
}
static inline haft_status haft_adaptive_max_pool3d_with_indices(
    const haft_tensor* input, const int64_t* output_size, int64_t output_size_count, haft_tensor** values,
    haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool3d_with_indices(
      input, output_size, output_size_count, values, indices);
}
static inline haft_status haft_max_unpool1d(const haft_tensor* input, const haft_tensor* indices,
                                            const int64_t* kernel_size, int64_t kernel_size_count,
                                            const int64_t* stride, int64_t stride_count,
                                            const int64_t* padding, int64_t padding_count,
                                            const int64_t* output_size, int64_t output_size_count,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_unpool1d(input, indices, kernel_size, kernel_size_count, stride,
                                          stride_count, padding, padding_count, output_size,
                                          output_size_count, out);
}
static inline haft_status haft_max_unpool2d(const haft_tensor* input, const haft_tensor* indices,
                                            const int64_t* kernel_size, int64_t kernel_size_count,
                                            const int64_t* stride, int64_t stride_count,
                                            const int64_t* padding, int64_t padding_count,
                                            const int64_t* output_size, int64_t output_size_count,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_unpool2d(input, indices, kernel_size, kernel_size_count, stride,
                                          stride_count, padding, padding_count, output_size,
                                          output_size_count, out);
}
static inline haft_status haft_max_unpool3d(const haft_tensor* input, const haft_tensor* indices,
                                            const int64_t* kernel_size, int64_t kernel_size_count,
                                            const int64_t* stride, int64_t stride_count,
                                            const int64_t* padding, int64_t padding_count,
                                            const int64_t* output_size, int64_t output_size_count,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_unpool3d(input, indices, kernel_size, kernel_size_count, stride,
                                          stride_count, padding, padding_count, output_size,
                                          output_size_count, out);
}
static inline haft_status haft_conv1d(const haft_tensor* input, const haft_tensor* weight,
                                      const haft_tensor* bias, const int64_t* stride, int64_t stride_count,
                                      const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                      int64_t dilation_count, int64_t groups,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv1d(input, weight, bias, stride, stride_count, padding, padding_count,
                                    dilation, dilation_count, groups, out);
}
static inline haft_status haft_conv3d(const haft_tensor* input, const haft_tensor* weight,
                                      const haft_tensor* bias, const int64_t* stride, int64_t stride_count,
                                      const int64_t* padding, int64_t padding_count, const int64_t* dilation,
                                      int64_t dilation_count, int64_t groups,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv3d(input, weight, bias, stride, stride_count, padding, padding_count,
                                    dilation, dilation_count, groups, out);
}
static inline haft_status haft_conv_transpose1d(const haft_tensor* input, const haft_tensor* weight,
                                                const haft_tensor* bias, const int64_t* stride,
                                                int64_t stride_count, const int64_t* padding,
                                                int64_t padding_count, const int64_t* output_padding,
                                                int64_t output_padding_count, int64_t groups,
                                                const int64_t* dilation, int64_t dilation_count,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv_transpose1d(input, weight, bias, stride, stride_count, padding,
                                              padding_count, output_padding, output_padding_count, groups,
                                              dilation, dilation_count, out);
}
static inline haft_status haft_conv_transpose2d(const haft_tensor* input, const haft_tensor* weight,
                                                const haft_tensor* bias, const int64_t* stride,
                                                int64_t stride_count, const int64_t* padding,
                                                int64_t padding_count, const int64_t* output_padding,
                                                int64_t output_padding_count, int64_t groups,
                                                const int64_t* dilation, int64_t dilation_count,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv_transpose2d(input, weight, bias, stride, stride_count, padding,
                                              padding_count, output_padding, output_padding_count, groups,
                                              dilation, dilation_count, out);
}
static inline haft_status haft_conv_transpose3d(const haft_tensor* input, const haft_tensor* weight,
                                                const haft_tensor* bias, const int64_t* stride,
                                                int64_t stride_count, const int64_t* padding,
                                                int64_t padding_count, const int64_t* output_padding,
                                                int64_t output_padding_count, int64_t groups,
                                                const int64_t* dilation, int64_t dilation_count,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv_transpose3d(input, weight, bias, stride, stride_count, padding,
                                              padding_count, output_padding, output_padding_count, groups,
                                              dilation, dilation_count, out);
}
static inline haft_status haft_im2col(const haft_tensor* input, const int64_t* kernel_size,
                                      int64_t kernel_size_count, const int64_t* dilation,
                                      int64_t dilation_count, const int64_t* padding, int64_t padding_count,
                                      const int64_t* stride, int64_t stride_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_im2col(input, kernel_size, kernel_size_count, dilation, dilation_count, padding,
                                    padding_count, stride, stride_count, out);
}
static inline haft_status haft_col2im(const haft_tensor* input, const int64_t* output_size,
                                      int64_t output_size_count, const int64_t* kernel_size,
                                      int64_t kernel_size_count, const int64_t* dilation,
                                      int64_t dilation_count, const int64_t* padding, int64_t padding_count,
                                      const int64_t* stride, int64_t stride_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_col2im(input, output_size, output_size_count, kernel_size, kernel_size_count,
                                    dilation, dilation_count, padding, padding_count, stride, stride_count,
                                    out);
}
static inline haft_status haft_bilinear(const haft_tensor* input1, const haft_tensor* input2,
                                        const haft_tensor* weight, const haft_tensor* bias,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bilinear(input1, input2, weight, bias, out);
}
static inline haft_status haft_pixel_shuffle(const haft_tensor* input, int64_t upscale_factor,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pixel_shuffle(input, upscale_factor, out);
}
static inline haft_status haft_pixel_unshuffle(const haft_tensor* input, int64_t downscale_factor,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pixel_unshuffle(input, downscale_factor, out);
}
static inline haft_status haft_channel_shuffle(const haft_tensor* input, int64_t groups,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_channel_shuffle(input, groups, out);
}
static inline haft_status haft_interpolate(const haft_tensor* input, const int64_t* size, int64_t size_count,
                                           int64_t mode, int32_t align_corners, double scale_w,
                                           double scale_h, double scale_d,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_interpolate(input, size, size_count, mode, align_corners, scale_w, scale_h,
                                         scale_d, out);
}
static inline haft_status haft_affine_grid(const haft_tensor* theta, const int64_t* size, int64_t size_count,
                                           int32_t align_corners, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_affine_grid(theta, size, size_count, align_corners, out);
}
static inline haft_status haft_grid_sample(const haft_tensor* input, const haft_tensor* grid, int64_t mode,
                                           int64_t padding_mode, int32_t align_corners,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grid_sample(input, grid, mode, padding_mode, align_corners, out);
}
static inline haft_status haft_pad(const haft_tensor* input, const int64_t* pad, int64_t pad_count,
                                   int64_t mode, haft_scalar value, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pad(input, pad, pad_count, mode, value, out);
}
static inline haft_status haft_rms_norm(const haft_tensor* input, const int64_t* normalized_shape,
                                        int64_t normalized_shape_count, const haft_tensor* weight, double eps,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rms_norm(input, normalized_shape, normalized_shape_count, weight, eps, out);
}
static inline haft_status haft_group_norm(const haft_tensor* input, int64_t num_groups,
                                          const haft_tensor* weight, const haft_tensor* bias, double eps,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_group_norm(input, num_groups, weight, bias, eps, out);
}
static inline haft_status haft_instance_norm(const haft_tensor* input, const haft_tensor* weight,
                                             const haft_tensor* bias, haft_tensor* running_mean,
                                             haft_tensor* running_var, int32_t use_input_stats,
                                             double momentum, double eps, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats,
                                           momentum, eps, out);
}
static inline haft_status haft_local_response_norm(const haft_tensor* input, int64_t size, double alpha,
                                                   double beta, double k, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_local_response_norm(input, size, alpha, beta, k, out);
}
static inline haft_status haft_max_pool1d_create(const haft_max_pool1d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool1d_create(options, out);
}
static inline haft_status haft_max_pool3d_create(const haft_max_pool3d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_pool3d_create(options, out);
}
static inline haft_status haft_avg_pool1d_create(const haft_avg_pool1d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_avg_pool1d_create(options, out);
}
static inline haft_status haft_avg_pool3d_create(const haft_avg_pool3d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_avg_pool3d_create(options, out);
}
static inline haft_status haft_lp_pool1d_create(const haft_lp_pool1d_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lp_pool1d_create(options, out);
}
static inline haft_status haft_lp_pool2d_create(const haft_lp_pool2d_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lp_pool2d_create(options, out);
}
static inline haft_status haft_lp_pool3d_create(const haft_lp_pool3d_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lp_pool3d_create(options, out);
}
static inline haft_status haft_adaptive_avg_pool1d_create(
    const haft_adaptive_avg_pool1d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_avg_pool1d_create(options, out);
}
static inline haft_status haft_adaptive_avg_pool3d_create(
    const haft_adaptive_avg_pool3d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_avg_pool3d_create(options, out);
}
static inline haft_status haft_adaptive_max_pool1d_create(
    const haft_adaptive_max_pool1d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool1d_create(options, out);
}
static inline haft_status haft_adaptive_max_pool2d_create(
    const haft_adaptive_max_pool2d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool2d_create(options, out);
}
static inline haft_status haft_adaptive_max_pool3d_create(
    const haft_adaptive_max_pool3d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_max_pool3d_create(options, out);
}
static inline haft_status haft_pixel_shuffle_create(const haft_pixel_shuffle_options* options,
                                                    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pixel_shuffle_create(options, out);
}
static inline haft_status haft_pixel_unshuffle_create(const haft_pixel_unshuffle_options* options,
                                                      haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pixel_unshuffle_create(options, out);
}
static inline haft_status haft_channel_shuffle_create(const haft_channel_shuffle_options* options,
                                                      haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_channel_shuffle_create(options, out);
}
static inline haft_status haft_local_response_norm_create(
    const haft_local_response_norm_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_local_response_norm_create(options, out);
}
static inline haft_status haft_frac(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_frac(input, out);
}
static inline haft_status haft_signbit(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_signbit(input, out);
}
static inline haft_status haft_logit(const haft_tensor* input, haft_scalar eps,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logit(input, eps, out);
}
static inline haft_status haft_deg2rad(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_deg2rad(input, out);
}
static inline haft_status haft_rad2deg(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rad2deg(input, out);
}
static inline haft_status haft_sinc(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sinc(input, out);
}
static inline haft_status haft_nan_to_num(const haft_tensor* input, haft_scalar nan, haft_scalar posinf,
                                          haft_scalar neginf, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nan_to_num(input, nan, posinf, neginf, out);
}
static inline haft_status haft_isposinf(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isposinf(input, out);
}
static inline haft_status haft_isneginf(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isneginf(input, out);
}
static inline haft_status haft_heaviside(const haft_tensor* input, const haft_tensor* values,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_heaviside(input, values, out);
}
static inline haft_status haft_fmax(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmax(input, other, out);
}
static inline haft_status haft_fmin(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fmin(input, other, out);
}
static inline haft_status haft_isclose(const haft_tensor* input, const haft_tensor* other, double rtol,
                                       double atol, int32_t equal_nan, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isclose(input, other, rtol, atol, equal_nan, out);
}
static inline haft_status haft_ravel(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ravel(input, out);
}
static inline haft_status haft_fliplr(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fliplr(input, out);
}
static inline haft_status haft_flipud(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_flipud(input, out);
}
static inline haft_status haft_rot90(const haft_tensor* input, int64_t k, const int64_t* dims,
                                     int64_t dims_count, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rot90(input, k, dims, dims_count, out);
}
static inline haft_status haft_tile(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tile(input, dims, dims_count, out);
}
static inline haft_status haft_repeat_interleave(const haft_tensor* input, const haft_tensor* repeats,
                                                 int64_t dim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_repeat_interleave(input, repeats, dim, out);
}
static inline haft_status haft_atleast_1d(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atleast_1d(input, out);
}
static inline haft_status haft_atleast_2d(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atleast_2d(input, out);
}
static inline haft_status haft_atleast_3d(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_atleast_3d(input, out);
}
static inline haft_status haft_diag_embed(const haft_tensor* input, int64_t offset, int64_t dim1,
                                          int64_t dim2, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_diag_embed(input, offset, dim1, dim2, out);
}
static inline haft_status haft_diag(const haft_tensor* input, int64_t diagonal,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_diag(input, diagonal, out);
}
static inline haft_status haft_diagflat(const haft_tensor* input, int64_t offset,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_diagflat(input, offset, out);
}
static inline haft_status haft_trace(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_trace(input, out);
}
static inline haft_status haft_tril_indices(int64_t row, int64_t col, int64_t offset, haft_dtype dtype,
                                            haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tril_indices(row, col, offset, dtype, device, out);
}
static inline haft_status haft_triu_indices(int64_t row, int64_t col, int64_t offset, haft_dtype dtype,
                                            haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_triu_indices(row, col, offset, dtype, device, out);
}
static inline haft_status haft_tensor_split(const haft_tensor* input, int64_t sections, int64_t dim,
                                            haft_tensor** outs, int64_t outs_capacity,
                                            int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_split(input, sections, dim, outs, outs_capacity, outs_count);
}
static inline haft_status haft_tensor_split_indices(const haft_tensor* input, const int64_t* indices,
                                                    int64_t indices_count, int64_t dim, haft_tensor** outs,
                                                    int64_t outs_capacity,
                                                    int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_split_indices(input, indices, indices_count, dim, outs, outs_capacity,
                                                  outs_count);
}
static inline haft_status haft_hstack(haft_tensor* const* tensors, int64_t tensors_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hstack(tensors, tensors_count, out);
}
static inline haft_status haft_vstack(haft_tensor* const* tensors, int64_t tensors_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_vstack(tensors, tensors_count, out);
}
static inline haft_status haft_dstack(haft_tensor* const* tensors, int64_t tensors_count,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dstack(tensors, tensors_count, out);
}
static inline haft_status haft_column_stack(haft_tensor* const* tensors, int64_t tensors_count,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_column_stack(tensors, tensors_count, out);
}
static inline haft_status haft_broadcast_tensors(haft_tensor* const* tensors, int64_t tensors_count,
                                                 haft_tensor** outs, int64_t outs_capacity,
                                                 int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_broadcast_tensors(tensors, tensors_count, outs, outs_capacity, outs_count);
}
static inline haft_status haft_meshgrid(haft_tensor* const* tensors, int64_t tensors_count, int32_t xy,
                                        haft_tensor** outs, int64_t outs_capacity,
                                        int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_meshgrid(tensors, tensors_count, xy, outs, outs_capacity, outs_count);
}
static inline haft_status haft_cartesian_prod(haft_tensor* const* tensors, int64_t tensors_count,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cartesian_prod(tensors, tensors_count, out);
}
static inline haft_status haft_combinations(const haft_tensor* input, int64_t r, int32_t with_replacement,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_combinations(input, r, with_replacement, out);
}
static inline haft_status haft_block_diag(haft_tensor* const* tensors, int64_t tensors_count,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_block_diag(tensors, tensors_count, out);
}
static inline haft_status haft_nansum(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                      int32_t keepdim, haft_dtype dtype, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nansum(input, dim, dim_count, keepdim, dtype, out);
}
static inline haft_status haft_nanmean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                       int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nanmean(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_aminmax(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                       haft_tensor** min, haft_tensor** max) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_aminmax(input, dim, keepdim, min, max);
}
static inline haft_status haft_msort(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_msort(input, out);
}
static inline haft_status haft_diff(const haft_tensor* input, int64_t n, int64_t dim,
                                    const haft_tensor* prepend, const haft_tensor* append,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_diff(input, n, dim, prepend, append, out);
}
static inline haft_status haft_quantile(const haft_tensor* input, const haft_tensor* q, int64_t dim,
                                        int32_t keepdim, int64_t interpolation,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_quantile(input, q, dim, keepdim, interpolation, out);
}
static inline haft_status haft_unique(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                      haft_tensor** inverse, haft_tensor** counts) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unique(input, dim, values, inverse, counts);
}
static inline haft_status haft_unique_consecutive(const haft_tensor* input, int64_t dim, haft_tensor** values,
                                                  haft_tensor** inverse,
                                                  haft_tensor** counts) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unique_consecutive(input, dim, values, inverse, counts);
}
static inline haft_status haft_einsum(const char* equation, haft_tensor* const* operands,
                                      int64_t operands_count, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_einsum(equation, operands, operands_count, out);
}
static inline haft_status haft_tensordot(const haft_tensor* input, const haft_tensor* other,
                                         const int64_t* dims_self, int64_t dims_self_count,
                                         const int64_t* dims_other, int64_t dims_other_count,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensordot(input, other, dims_self, dims_self_count, dims_other, dims_other_count,
                                       out);
}
static inline haft_status haft_inner(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_inner(input, other, out);
}
static inline haft_status haft_chain_matmul(haft_tensor* const* matrices, int64_t matrices_count,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_chain_matmul(matrices, matrices_count, out);
}
static inline haft_status haft_matrix_power(const haft_tensor* input, int64_t n,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_matrix_power(input, n, out);
}
static inline haft_status haft_kron(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_kron(input, other, out);
}
static inline haft_status haft_dist(const haft_tensor* input, const haft_tensor* other, double p,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dist(input, other, p, out);
}
static inline haft_status haft_cdist(const haft_tensor* x1, const haft_tensor* x2, double p,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cdist(x1, x2, p, out);
}
static inline haft_status haft_renorm(const haft_tensor* input, double p, int64_t dim, double maxnorm,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_renorm(input, p, dim, maxnorm, out);
}
static inline haft_status haft_take(const haft_tensor* input, const haft_tensor* index,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_take(input, index, out);
}
static inline haft_status haft_take_along_dim(const haft_tensor* input, const haft_tensor* indices,
                                              int64_t dim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_take_along_dim(input, indices, dim, out);
}
static inline haft_status haft_index_copy(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                          const haft_tensor* source, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_copy(input, dim, index, source, out);
}
static inline haft_status haft_nadam_create(haft_tensor* const* params, int64_t count,
                                            const haft_nadam_options* options,
                                            haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nadam_create(params, count, options, out);
}
static inline haft_status haft_asgd_create(haft_tensor* const* params, int64_t count,
                                           const haft_asgd_options* options,
                                           haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_asgd_create(params, count, options, out);
}
static inline haft_status haft_metrics_to_text(char* buffer, int64_t capacity,
                                               int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_metrics_to_text(buffer, capacity, needed);
}
static inline haft_status haft_memory_add_pressure_callback(
    int64_t mark, void (*fn)(int64_t live, void* user), void* user, void (*destroy)(void* user),
    int64_t* id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_add_pressure_callback(mark, fn, user, destroy, id);
}
static inline haft_status haft_memory_remove_pressure_callback(int64_t id) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_remove_pressure_callback(id);
}
static inline haft_status haft_session_run_cancellable(haft_session* s, haft_tensor* const* inputs,
                                                       int64_t input_count, int64_t timeout_us,
                                                       haft_cancel_token* token, haft_tensor** outs,
                                                       int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_session_run_cancellable(s, inputs, input_count, timeout_us, token, outs,
                                                     capacity, count);
}
static inline haft_status haft_store_create(const char* url, const haft_store_options* options,
                                            haft_store** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_create(url, options, out);
}
static inline haft_status haft_hash_store_create(haft_store** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hash_store_create(out);
}
static inline haft_status haft_prefix_store_create(const char* prefix, haft_store* store,
                                                   haft_store** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_prefix_store_create(prefix, store, out);
}
static inline haft_status haft_store_retain(haft_store* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_retain(s);
}
static inline void haft_store_release(haft_store* s) HAFT_DL_NOTHROW { haft_dl_table->haft_store_release(s); }
static inline haft_status haft_store_set(haft_store* s, const char* key, const void* value,
                                         int64_t size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_set(s, key, value, size);
}
static inline haft_status haft_store_get(haft_store* s, const char* key, int64_t timeout_us, void* buffer,
                                         int64_t capacity, int64_t* size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_get(s, key, timeout_us, buffer, capacity, size);
}
static inline haft_status haft_store_wait(haft_store* s, const char* const* keys, int64_t count,
                                          int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_wait(s, keys, count, timeout_us);
}
static inline haft_status haft_store_check(haft_store* s, const char* const* keys, int64_t count,
                                           int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_check(s, keys, count, out);
}
static inline haft_status haft_store_add(haft_store* s, const char* key, int64_t delta,
                                         int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_add(s, key, delta, out);
}
static inline haft_status haft_store_compare_set(haft_store* s, const char* key, const void* expected,
                                                 int64_t expected_size, const void* desired,
                                                 int64_t desired_size, int32_t* changed, void* current,
                                                 int64_t capacity, int64_t* size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_compare_set(s, key, expected, expected_size, desired, desired_size,
                                               changed, current, capacity, size);
}
static inline haft_status haft_store_delete(haft_store* s, const char* key, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_delete(s, key, out);
}
static inline haft_status haft_store_lease(haft_store* s, const char* key, const void* value, int64_t size,
                                           int64_t ttl_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_lease(s, key, value, size, ttl_us);
}
static inline haft_status haft_store_get_port(haft_store* s, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_store_get_port(s, out);
}
static inline haft_status haft_rendezvous(const char* url, const haft_rendezvous_options* options,
                                          haft_store** out, int32_t* out_rank,
                                          int32_t* out_world) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rendezvous(url, options, out, out_rank, out_world);
}
static inline haft_status haft_get_launch_environment(haft_launch_environment* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_launch_environment(out);
}
static inline haft_status haft_process_group_create(haft_store* store, int32_t rank, int32_t size,
                                                    const haft_process_group_options* options,
                                                    haft_process_group** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_create(store, rank, size, options, out);
}
static inline haft_status haft_process_group_subgroup(haft_process_group* g, const int32_t* ranks,
                                                      int64_t count,
                                                      const haft_process_group_options* options,
                                                      haft_process_group** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_subgroup(g, ranks, count, options, out);
}
static inline haft_status haft_process_group_split(haft_process_group* g, int64_t color, int64_t key,
                                                   const haft_process_group_options* options,
                                                   haft_process_group** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_split(g, color, key, options, out);
}
static inline haft_status haft_process_group_retain(haft_process_group* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_retain(g);
}
static inline void haft_process_group_release(haft_process_group* g) HAFT_DL_NOTHROW {
  haft_dl_table->haft_process_group_release(g);
}
static inline haft_status haft_process_group_get_info(const haft_process_group* g,
                                                      haft_process_group_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_get_info(g, info);
}
static inline haft_status haft_process_group_abort(haft_process_group* g,
                                                   const char* reason) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_abort(g, reason);
}
static inline haft_status haft_process_group_recorder_to_json(
    const haft_process_group* g, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_recorder_to_json(g, buffer, capacity, needed);
}
static inline haft_status haft_process_group_broadcast(haft_process_group* g, haft_tensor* tensor,
                                                       int32_t root, haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_broadcast(g, tensor, root, work);
}
static inline haft_status haft_process_group_all_reduce(
    haft_process_group* g, haft_tensor* tensor, int32_t op, haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_all_reduce(g, tensor, op, work);
}
static inline haft_status haft_process_group_reduce(haft_process_group* g, haft_tensor* tensor, int32_t op,
                                                    int32_t root, haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_reduce(g, tensor, op, root, work);
}
static inline haft_status haft_process_group_all_gather(
    haft_process_group* g, haft_tensor* const* outputs, int64_t count, const haft_tensor* input,
    haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_all_gather(g, outputs, count, input, work);
}
static inline haft_status haft_process_group_all_gather_into(
    haft_process_group* g, haft_tensor* output, const haft_tensor* input, const int64_t* parts, int64_t count,
    haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_all_gather_into(g, output, input, parts, count, work);
}
static inline haft_status haft_process_group_gather(haft_process_group* g, haft_tensor* const* outputs,
                                                    int64_t count, const haft_tensor* input, int32_t root,
                                                    haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_gather(g, outputs, count, input, root, work);
}
static inline haft_status haft_process_group_scatter(haft_process_group* g, haft_tensor* output,
                                                     haft_tensor* const* inputs, int64_t count, int32_t root,
                                                     haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_scatter(g, output, inputs, count, root, work);
}
static inline haft_status haft_process_group_reduce_scatter(
    haft_process_group* g, haft_tensor* output, haft_tensor* const* inputs, int64_t count, int32_t op,
    haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_reduce_scatter(g, output, inputs, count, op, work);
}
static inline haft_status haft_process_group_reduce_scatter_from(
    haft_process_group* g, haft_tensor* output, const haft_tensor* input, int32_t op,
    haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_reduce_scatter_from(g, output, input, op, work);
}
static inline haft_status haft_process_group_all_to_all(
    haft_process_group* g, haft_tensor* const* outputs, haft_tensor* const* inputs, int64_t count,
    haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_all_to_all(g, outputs, inputs, count, work);
}
static inline haft_status haft_process_group_all_to_all_single(
    haft_process_group* g, haft_tensor* output, const haft_tensor* input, const int64_t* output_parts,
    const int64_t* input_parts, int64_t count, haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_all_to_all_single(
      g, output, input, output_parts, input_parts, count, work);
}
static inline haft_status haft_process_group_barrier(haft_process_group* g, int64_t timeout_us,
                                                     haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_barrier(g, timeout_us, work);
}
static inline haft_status haft_process_group_send(haft_process_group* g, const haft_tensor* tensor,
                                                  int32_t peer, int32_t tag,
                                                  haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_send(g, tensor, peer, tag, work);
}
static inline haft_status haft_process_group_recv(haft_process_group* g, haft_tensor* tensor, int32_t peer,
                                                  int32_t tag, int32_t* source,
                                                  haft_work** work) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_recv(g, tensor, peer, tag, source, work);
}
static inline haft_status haft_work_retain(haft_work* w) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_work_retain(w);
}
static inline void haft_work_release(haft_work* w) HAFT_DL_NOTHROW { haft_dl_table->haft_work_release(w); }
static inline haft_status haft_work_wait(haft_work* w, int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_work_wait(w, timeout_us);
}
static inline haft_status haft_work_is_done(haft_work* w, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_work_is_done(w, out);
}
static inline haft_status haft_work_get_source(const haft_work* w, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_work_get_source(w, out);
}
static inline haft_status haft_work_on_done(haft_work* w, haft_work_done done, void* user,
                                            void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_work_on_done(w, done, user, destroy);
}
static inline haft_status haft_parallel_all_reduce(haft_process_group* g, const haft_tensor* x, int32_t op,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_all_reduce(g, x, op, out);
}
static inline haft_status haft_parallel_broadcast(haft_process_group* g, const haft_tensor* x, int32_t root,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_broadcast(g, x, root, out);
}
static inline haft_status haft_parallel_reduce(haft_process_group* g, const haft_tensor* x, int32_t root,
                                               int32_t op, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_reduce(g, x, root, op, out);
}
static inline haft_status haft_parallel_all_gather(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                                   const int64_t* rows, int64_t count,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_all_gather(g, x, dim, rows, count, out);
}
static inline haft_status haft_parallel_reduce_scatter(haft_process_group* g, const haft_tensor* x,
                                                       int64_t dim, int32_t op, const int64_t* rows,
                                                       int64_t count, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_reduce_scatter(g, x, dim, op, rows, count, out);
}
static inline haft_status haft_parallel_all_to_all_single(
    haft_process_group* g, const haft_tensor* x, const int64_t* output_rows, const int64_t* input_rows,
    int64_t count, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_all_to_all_single(g, x, output_rows, input_rows, count, out);
}
static inline haft_status haft_parallel_copy_to(haft_process_group* g, const haft_tensor* x,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_copy_to(g, x, out);
}
static inline haft_status haft_parallel_reduce_from(haft_process_group* g, const haft_tensor* x,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_reduce_from(g, x, out);
}
static inline haft_status haft_parallel_split_to(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_split_to(g, x, dim, out);
}
static inline haft_status haft_parallel_gather_from(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                                    const int64_t* rows, int64_t count,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_gather_from(g, x, dim, rows, count, out);
}
static inline haft_status haft_parallel_sync_batch_norm(
    haft_process_group* g, const haft_tensor* x, const haft_tensor* weight, const haft_tensor* bias,
    haft_tensor* running_mean, haft_tensor* running_var, double momentum, double eps,
    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_sync_batch_norm(g, x, weight, bias, running_mean, running_var, momentum,
                                                      eps, out);
}
static inline haft_status haft_module_convert_sync_batchnorm(
    haft_module* m, haft_process_group* g, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_convert_sync_batchnorm(m, g, out);
}
static inline haft_status haft_parallel_sum_values(haft_process_group* g, double* values,
                                                   int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_sum_values(g, values, count);
}
static inline haft_status haft_parallel_log_rank(const haft_process_group* g, int32_t rank) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_log_rank(g, rank);
}
static inline haft_status haft_device_mesh_create(haft_process_group* g, const int64_t* shape,
                                                  const char* const* names, int64_t ndim,
                                                  haft_device_mesh** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_create(g, shape, names, ndim, out);
}
static inline haft_status haft_device_mesh_retain(haft_device_mesh* m) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_retain(m);
}
static inline void haft_device_mesh_release(haft_device_mesh* m) HAFT_DL_NOTHROW {
  haft_dl_table->haft_device_mesh_release(m);
}
static inline haft_status haft_device_mesh_get_dim_count(
    const haft_device_mesh* m, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_get_dim_count(m, out);
}
static inline haft_status haft_device_mesh_get_dim(const haft_device_mesh* m, int64_t dim, int64_t* size,
                                                   int64_t* coordinate) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_get_dim(m, dim, size, coordinate);
}
static inline haft_status haft_device_mesh_get_dim_name(
    const haft_device_mesh* m, int64_t dim, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_get_dim_name(m, dim, buffer, capacity, needed);
}
static inline haft_status haft_device_mesh_get_dim_of_name(
    const haft_device_mesh* m, const char* name, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_get_dim_of_name(m, name, out);
}
static inline haft_status haft_device_mesh_group(const haft_device_mesh* m, int64_t dim,
                                                 haft_process_group** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_group(m, dim, out);
}
static inline haft_status haft_device_mesh_slice(const haft_device_mesh* m, const int64_t* dims,
                                                 int64_t count, haft_device_mesh** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_mesh_slice(m, dims, count, out);
}
static inline haft_status haft_column_parallel_linear_create(
    haft_process_group* g, const haft_module* dense, const haft_tensor_parallel_options* options,
    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_column_parallel_linear_create(g, dense, options, out);
}
static inline haft_status haft_row_parallel_linear_create(
    haft_process_group* g, const haft_module* dense, const haft_tensor_parallel_options* options,
    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_row_parallel_linear_create(g, dense, options, out);
}
static inline haft_status haft_vocab_parallel_embedding_create(
    haft_process_group* g, const haft_module* dense, const haft_tensor_parallel_options* options,
    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_vocab_parallel_embedding_create(g, dense, options, out);
}
static inline haft_status haft_module_sum_gradients(haft_module* m, haft_process_group* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_sum_gradients(m, g);
}
static inline haft_status haft_parallel_cross_entropy(haft_process_group* g, const haft_tensor* x,
                                                      const haft_tensor* target, int64_t classes,
                                                      const haft_cross_entropy_loss_options* options,
                                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_cross_entropy(g, x, target, classes, options, out);
}
static inline haft_status haft_pipeline_create(haft_process_group* g, haft_module* const* stages,
                                               int64_t count, const haft_pipeline_options* options,
                                               haft_pipeline** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_create(g, stages, count, options, out);
}
static inline haft_status haft_pipeline_retain(haft_pipeline* p) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_retain(p);
}
static inline void haft_pipeline_release(haft_pipeline* p) HAFT_DL_NOTHROW {
  haft_dl_table->haft_pipeline_release(p);
}
static inline haft_status haft_pipeline_tie(haft_pipeline* p, haft_tensor* parameter) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_tie(p, parameter);
}
static inline haft_status haft_pipeline_step(haft_pipeline* p, haft_tensor* const* inputs,
                                             int64_t input_count, haft_tensor* target, haft_tensor** losses,
                                             haft_tensor** outputs, int64_t capacity,
                                             int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_step(p, inputs, input_count, target, losses, outputs, capacity, count);
}
static inline haft_status haft_pipeline_evaluate(haft_pipeline* p, haft_tensor* const* inputs,
                                                 int64_t input_count, haft_tensor* target,
                                                 haft_tensor** losses, haft_tensor** outputs,
                                                 int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_evaluate(p, inputs, input_count, target, losses, outputs, capacity,
                                               count);
}
static inline haft_status haft_pipeline_get_info(haft_pipeline* p, haft_pipeline_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_get_info(p, info);
}
static inline haft_status haft_pipeline_get_trace(haft_pipeline* p, haft_pipeline_action* actions,
                                                  int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pipeline_get_trace(p, actions, capacity, count);
}
static inline haft_status haft_mixture_of_experts_create(
    haft_process_group* g, haft_module* router, haft_module* const* experts, int64_t count,
    const haft_mixture_of_experts_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mixture_of_experts_create(g, router, experts, count, options, out);
}
static inline haft_status haft_parallel_ring_attention(haft_process_group* g, const haft_tensor* query,
                                                       const haft_tensor* key, const haft_tensor* value,
                                                       int32_t is_causal, double scale,
                                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_ring_attention(g, query, key, value, is_causal, scale, out);
}
static inline haft_status haft_data_parallel_create(haft_module* m, haft_process_group* g,
                                                    const haft_data_parallel_options* options,
                                                    haft_data_parallel** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_create(m, g, options, out);
}
static inline haft_status haft_data_parallel_create_over(
    const char* const* names, haft_tensor* const* parameters, int64_t parameter_count,
    haft_tensor* const* buffers, int64_t buffer_count, haft_process_group* g,
    const haft_data_parallel_options* options, haft_data_parallel** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_create_over(names, parameters, parameter_count, buffers,
                                                       buffer_count, g, options, out);
}
static inline haft_status haft_data_parallel_retain(haft_data_parallel* d) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_retain(d);
}
static inline void haft_data_parallel_release(haft_data_parallel* d) HAFT_DL_NOTHROW {
  haft_dl_table->haft_data_parallel_release(d);
}
static inline haft_status haft_data_parallel_forward(haft_data_parallel* d, const haft_tensor* x,
                                                     haft_tensor** y) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_forward(d, x, y);
}
static inline haft_status haft_data_parallel_prepare(haft_data_parallel* d) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_prepare(d);
}
static inline haft_status haft_data_parallel_set_sync(haft_data_parallel* d, int32_t on) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_set_sync(d, on);
}
static inline haft_status haft_data_parallel_get_sync(haft_data_parallel* d, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_get_sync(d, out);
}
static inline haft_status haft_data_parallel_set_static_graph(haft_data_parallel* d) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_set_static_graph(d);
}
static inline haft_status haft_data_parallel_join_begin(
    haft_data_parallel* d, int32_t divide_by_world, int32_t fail_early) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_join_begin(d, divide_by_world, fail_early);
}
static inline haft_status haft_data_parallel_join_end(haft_data_parallel* d) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_join_end(d);
}
static inline haft_status haft_data_parallel_get_info(haft_data_parallel* d,
                                                      haft_data_parallel_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_get_info(d, info);
}
static inline haft_status haft_data_parallel_set_hook(haft_data_parallel* d, haft_gradient_hook hook,
                                                      haft_gradient_hook_finish finish, void* user,
                                                      void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_set_hook(d, hook, finish, user, destroy);
}
static inline haft_status haft_data_parallel_set_compression(
    haft_data_parallel* d, const haft_compression_options* options) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_set_compression(d, options);
}
static inline haft_status haft_data_parallel_set_post_local(
    haft_data_parallel* d, haft_process_group* part, int64_t start_step) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_set_post_local(d, part, start_step);
}
static inline haft_status haft_data_parallel_state(haft_data_parallel* d, haft_tensor** outs,
                                                   int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_state(d, outs, capacity, count);
}
static inline haft_status haft_data_parallel_get_state_name(
    haft_data_parallel* d, int64_t index, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_get_state_name(d, index, buffer, capacity, needed);
}
static inline haft_status haft_data_parallel_load_state(
    haft_data_parallel* d, const char* const* names, haft_tensor* const* tensors,
    int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_load_state(d, names, tensors, count);
}
static inline haft_status haft_model_averager_create(haft_tensor* const* parameters, int64_t count,
                                                     haft_process_group* g,
                                                     const haft_model_averager_options* options,
                                                     haft_model_averager** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_model_averager_create(parameters, count, g, options, out);
}
static inline haft_status haft_model_averager_retain(haft_model_averager* a) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_model_averager_retain(a);
}
static inline void haft_model_averager_release(haft_model_averager* a) HAFT_DL_NOTHROW {
  haft_dl_table->haft_model_averager_release(a);
}
static inline haft_status haft_model_averager_step(haft_model_averager* a,
                                                   int32_t* averaged) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_model_averager_step(a, averaged);
}
static inline haft_status haft_model_averager_state(haft_model_averager* a, haft_tensor** outs,
                                                    int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_model_averager_state(a, outs, capacity, count);
}
static inline haft_status haft_model_averager_get_state_name(
    haft_model_averager* a, int64_t index, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_model_averager_get_state_name(a, index, buffer, capacity, needed);
}
static inline haft_status haft_model_averager_load_state(
    haft_model_averager* a, const char* const* names, haft_tensor* const* tensors,
    int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_model_averager_load_state(a, names, tensors, count);
}
static inline haft_status haft_parameter_server_create(haft_rpc* rpc,
                                                       const haft_parameter_server_options* options,
                                                       haft_parameter_server** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_server_create(rpc, options, out);
}
static inline haft_status haft_parameter_server_retain(haft_parameter_server* server) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_server_retain(server);
}
static inline void haft_parameter_server_release(haft_parameter_server* server) HAFT_DL_NOTHROW {
  haft_dl_table->haft_parameter_server_release(server);
}
static inline haft_status haft_parameter_server_save(haft_parameter_server* server,
                                                     const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_server_save(server, path);
}
static inline haft_status haft_parameter_server_get_info(
    haft_parameter_server* server, haft_parameter_server_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_server_get_info(server, info);
}
static inline haft_status haft_parameter_client_create(haft_rpc* rpc, const int32_t* servers, int64_t count,
                                                       const char* name, int64_t timeout_us,
                                                       haft_parameter_client** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_create(rpc, servers, count, name, timeout_us, out);
}
static inline haft_status haft_parameter_client_retain(haft_parameter_client* client) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_retain(client);
}
static inline void haft_parameter_client_release(haft_parameter_client* client) HAFT_DL_NOTHROW {
  haft_dl_table->haft_parameter_client_release(client);
}
static inline haft_status haft_parameter_client_join(haft_parameter_client* client,
                                                     int64_t* clock) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_join(client, clock);
}
static inline haft_status haft_parameter_client_leave(haft_parameter_client* client) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_leave(client);
}
static inline haft_status haft_parameter_client_add(haft_parameter_client* client, const char* key,
                                                    haft_tensor* value, int64_t* version) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_add(client, key, value, version);
}
static inline haft_status haft_parameter_client_add_table(
    haft_parameter_client* client, const char* key, int64_t rows, int64_t width, haft_dtype dtype, double std,
    uint64_t seed, int64_t* version) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_add_table(client, key, rows, width, dtype, std, seed, version);
}
static inline haft_status haft_parameter_client_pull(haft_parameter_client* client, const char* const* keys,
                                                     haft_tensor* const* tensors, int64_t count,
                                                     int64_t* versions) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_pull(client, keys, tensors, count, versions);
}
static inline haft_status haft_parameter_client_push(haft_parameter_client* client, const char* const* keys,
                                                     haft_tensor* const* gradients,
                                                     int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_push(client, keys, gradients, count);
}
static inline haft_status haft_parameter_client_pull_rows(
    haft_parameter_client* client, const char* key, haft_tensor* rows, int64_t* version,
    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_pull_rows(client, key, rows, version, out);
}
static inline haft_status haft_parameter_client_push_rows(
    haft_parameter_client* client, const char* key, haft_tensor* rows,
    haft_tensor* gradients) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_push_rows(client, key, rows, gradients);
}
static inline haft_status haft_parameter_client_step(haft_parameter_client* client, int64_t* clock,
                                                     int64_t* version) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_step(client, clock, version);
}
static inline haft_status haft_parameter_client_set_option(
    haft_parameter_client* client, const char* name, double value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parameter_client_set_option(client, name, value);
}
static inline haft_status haft_rpc_create(haft_store* store, int32_t rank, int32_t size,
                                          const haft_rpc_options* options, haft_rpc** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_create(store, rank, size, options, out);
}
static inline haft_status haft_rpc_retain(haft_rpc* rpc) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_retain(rpc);
}
static inline void haft_rpc_release(haft_rpc* rpc) HAFT_DL_NOTHROW { haft_dl_table->haft_rpc_release(rpc); }
static inline haft_status haft_rpc_start(haft_rpc* rpc, int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_start(rpc, timeout_us);
}
static inline haft_status haft_rpc_shutdown(haft_rpc* rpc, int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_shutdown(rpc, timeout_us);
}
static inline haft_status haft_rpc_abort(haft_rpc* rpc) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_abort(rpc);
}
static inline haft_status haft_rpc_get_rank(const haft_rpc* rpc, const char* name,
                                            int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_get_rank(rpc, name, out);
}
static inline haft_status haft_rpc_get_name(const haft_rpc* rpc, int32_t rank, char* buffer, int64_t capacity,
                                            int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_get_name(rpc, rank, buffer, capacity, needed);
}
static inline haft_status haft_rpc_get_port(const haft_rpc* rpc, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_get_port(rpc, out);
}
static inline haft_status haft_rpc_register(haft_rpc* rpc, const char* name, haft_rpc_function function,
                                            void* user, void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_register(rpc, name, function, user, destroy);
}
static inline haft_status haft_rpc_request_retain(haft_rpc_request* request) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_request_retain(request);
}
static inline void haft_rpc_request_release(haft_rpc_request* request) HAFT_DL_NOTHROW {
  haft_dl_table->haft_rpc_request_release(request);
}
static inline haft_status haft_rpc_request_get_caller(const haft_rpc_request* request,
                                                      int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_request_get_caller(request, out);
}
static inline haft_status haft_rpc_request_tensors(const haft_rpc_request* request, haft_tensor** outs,
                                                   int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_request_tensors(request, outs, capacity, count);
}
static inline haft_status haft_rpc_request_get_bytes(const haft_rpc_request* request, const void** data,
                                                     int64_t* size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_request_get_bytes(request, data, size);
}
static inline haft_status haft_rpc_request_reply(haft_rpc_request* request, haft_tensor* const* tensors,
                                                 int64_t count, const void* data,
                                                 int64_t size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_request_reply(request, tensors, count, data, size);
}
static inline haft_status haft_rpc_request_fail(haft_rpc_request* request, haft_status status,
                                                const char* message) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_request_fail(request, status, message);
}
static inline haft_status haft_rpc_call(haft_rpc* rpc, int32_t to, const char* function,
                                        haft_tensor* const* tensors, int64_t count, const void* data,
                                        int64_t size, int64_t timeout_us, haft_future** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rpc_call(rpc, to, function, tensors, count, data, size, timeout_us, out);
}
static inline haft_status haft_future_retain(haft_future* f) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_future_retain(f);
}
static inline void haft_future_release(haft_future* f) HAFT_DL_NOTHROW {
  haft_dl_table->haft_future_release(f);
}
static inline haft_status haft_future_wait(haft_future* f, int64_t timeout_us) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_future_wait(f, timeout_us);
}
static inline haft_status haft_future_is_done(haft_future* f, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_future_is_done(f, out);
}
static inline haft_status haft_future_tensors(haft_future* f, haft_tensor** outs, int64_t capacity,
                                              int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_future_tensors(f, outs, capacity, count);
}
static inline haft_status haft_future_get_bytes(haft_future* f, const void** data,
                                                int64_t* size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_future_get_bytes(f, data, size);
}
static inline haft_status haft_future_on_done(haft_future* f, haft_future_done done, void* user,
                                              void (*destroy)(void* user)) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_future_on_done(f, done, user, destroy);
}
static inline haft_status haft_tensor_share_memory(haft_tensor* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_share_memory(t);
}
static inline haft_status haft_tensor_is_shared(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_shared(t, out);
}
static inline haft_status haft_tensor_get_shared_name(const haft_tensor* t, char* buffer, int64_t capacity,
                                                      int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_shared_name(t, buffer, capacity, needed);
}
static inline haft_status haft_tensor_from_shared(const char* name, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_from_shared(name, out);
}
static inline haft_status haft_data_parallel_module_create(
    haft_module* m, const haft_device* devices, int64_t count, int64_t dim,
    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_data_parallel_module_create(m, devices, count, dim, out);
}
static inline haft_status haft_parallel_join_gradients(haft_process_group* g, haft_tensor* const* parameters,
                                                       int64_t count, int32_t op) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_join_gradients(g, parameters, count, op);
}
static inline haft_status haft_parallel_clip_grad_norm(haft_process_group* g, haft_tensor* const* parameters,
                                                       const int64_t* copies, int64_t count, double max_norm,
                                                       double norm_type, double* norm) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_parallel_clip_grad_norm(g, parameters, copies, count, max_norm, norm_type, norm);
}
static inline haft_status haft_random_set_stream(int64_t stream, int64_t* before) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_random_set_stream(stream, before);
}
static inline haft_status haft_optimizer_shard(haft_optimizer* o, haft_process_group* g,
                                               const haft_shard_options* options) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_shard(o, g, options);
}
static inline haft_status haft_optimizer_consolidate(haft_optimizer* o, int32_t to) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_consolidate(o, to);
}
static inline haft_status haft_optimizer_clip_grad_norm(
    haft_optimizer* o, double max_norm, double norm_type, double* norm) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_clip_grad_norm(o, max_norm, norm_type, norm);
}
static inline haft_status haft_optimizer_get_shard_info(
    haft_optimizer* o, haft_shard_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_get_shard_info(o, info);
}
static inline haft_status haft_process_group_is_available(const char* engine, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_process_group_is_available(engine, out);
}
static inline haft_status haft_module_fully_shard(haft_module* m, haft_process_group* g,
                                                  haft_process_group* replicas,
                                                  const haft_fully_sharded_options* options,
                                                  haft_fully_sharded** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_fully_shard(m, g, replicas, options, out);
}
static inline haft_status haft_fully_shard_parameters(const char* const* names,
                                                      haft_tensor* const* parameters, int64_t count,
                                                      haft_process_group* g, haft_process_group* replicas,
                                                      const haft_fully_sharded_options* options,
                                                      haft_fully_sharded** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_shard_parameters(names, parameters, count, g, replicas, options, out);
}
static inline haft_status haft_fully_sharded_retain(haft_fully_sharded* u) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_retain(u);
}
static inline void haft_fully_sharded_release(haft_fully_sharded* u) HAFT_DL_NOTHROW {
  haft_dl_table->haft_fully_sharded_release(u);
}
static inline haft_status haft_fully_sharded_before_forward(
    haft_fully_sharded* u, haft_tensor* const* inputs, int64_t count, haft_tensor** outs) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_before_forward(u, inputs, count, outs);
}
static inline haft_status haft_fully_sharded_after_forward(
    haft_fully_sharded* u, haft_tensor* const* outputs, int64_t count, haft_tensor** outs) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_after_forward(u, outputs, count, outs);
}
static inline haft_status haft_fully_sharded_unshard(haft_fully_sharded* u) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_unshard(u);
}
static inline haft_status haft_fully_sharded_reshard(haft_fully_sharded* u) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_reshard(u);
}
static inline haft_status haft_fully_sharded_set_gradient_sync(
    haft_fully_sharded* u, int32_t on) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_set_gradient_sync(u, on);
}
static inline haft_status haft_fully_sharded_set_reshard_after_forward(
    haft_fully_sharded* u, int32_t value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_set_reshard_after_forward(u, value);
}
static inline haft_status haft_fully_sharded_close(haft_fully_sharded* u) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_close(u);
}
static inline haft_status haft_fully_sharded_get_info(haft_fully_sharded* u,
                                                      haft_fully_sharded_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fully_sharded_get_info(u, info);
}
static inline haft_status haft_tensor_shard(const haft_tensor* t, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_shard(t, out);
}
static inline haft_status haft_tensor_get_shard_info(const haft_tensor* t,
                                                     haft_tensor_shard_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_get_shard_info(t, info);
}
static inline haft_status haft_sharded_checkpoint_save(haft_process_group* g, const char* folder,
                                                       const haft_checkpoint_piece* pieces,
                                                       int64_t piece_count,
                                                       const haft_checkpoint_parts* parts,
                                                       const haft_key_value* values, int64_t value_count,
                                                       haft_future** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_save(g, folder, pieces, piece_count, parts, values,
                                                     value_count, out);
}
static inline haft_status haft_sharded_checkpoint_open(const char* folder,
                                                       haft_sharded_checkpoint** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_open(folder, out);
}
static inline haft_status haft_sharded_checkpoint_retain(haft_sharded_checkpoint* c) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_retain(c);
}
static inline void haft_sharded_checkpoint_release(haft_sharded_checkpoint* c) HAFT_DL_NOTHROW {
  haft_dl_table->haft_sharded_checkpoint_release(c);
}
static inline haft_status haft_sharded_checkpoint_get_count(
    const haft_sharded_checkpoint* c, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_get_count(c, out);
}
static inline haft_status haft_sharded_checkpoint_get_tensor_info(
    const haft_sharded_checkpoint* c, int64_t index, haft_sharded_tensor_info* info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_get_tensor_info(c, index, info);
}
static inline haft_status haft_sharded_checkpoint_tensor(
    const haft_sharded_checkpoint* c, const char* name, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_tensor(c, name, out);
}
static inline haft_status haft_sharded_checkpoint_load(const haft_sharded_checkpoint* c,
                                                       const haft_checkpoint_piece* pieces,
                                                       int64_t piece_count, int32_t cast,
                                                       const haft_checkpoint_parts* parts,
                                                       int32_t rank) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_load(c, pieces, piece_count, cast, parts, rank);
}
static inline haft_status haft_sharded_checkpoint_get_value_count(
    const haft_sharded_checkpoint* c, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_get_value_count(c, out);
}
static inline haft_status haft_sharded_checkpoint_get_value(
    const haft_sharded_checkpoint* c, int64_t index, haft_key_value* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_get_value(c, index, out);
}
static inline haft_status haft_sharded_checkpoint_find_value(
    const haft_sharded_checkpoint* c, const char* key, haft_key_value* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_find_value(c, key, out);
}
static inline haft_status haft_sharded_checkpoint_to_file(
    const haft_sharded_checkpoint* c, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sharded_checkpoint_to_file(c, path);
}
static inline haft_status haft_rnn(const haft_tensor* input, const haft_tensor* h0, const haft_tensor* c0,
                                   haft_tensor* const* weights, int64_t weights_count, int64_t mode,
                                   int64_t num_layers, int32_t bidirectional, int32_t batch_first,
                                   double dropout, int32_t training, const int64_t* batch_sizes,
                                   int64_t batch_sizes_count, haft_generator* generator, haft_tensor** out,
                                   haft_tensor** h, haft_tensor** c) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rnn(input, h0, c0, weights, weights_count, mode, num_layers, bidirectional,
                                 batch_first, dropout, training, batch_sizes, batch_sizes_count, generator,
                                 out, h, c);
}
static inline haft_status haft_rnn_create(const haft_rnn_options* options,
                                          haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rnn_create(options, out);
}
static inline haft_status haft_lstm_create(const haft_lstm_options* options,
                                           haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lstm_create(options, out);
}
static inline haft_status haft_gru_create(const haft_gru_options* options,
                                          haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gru_create(options, out);
}
static inline haft_status haft_rnn_cell_create(const haft_rnn_cell_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rnn_cell_create(options, out);
}
static inline haft_status haft_lstm_cell_create(const haft_lstm_cell_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lstm_cell_create(options, out);
}
static inline haft_status haft_gru_cell_create(const haft_gru_cell_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gru_cell_create(options, out);
}
static inline haft_status haft_scaled_dot_product_attention(
    const haft_tensor* query, const haft_tensor* key, const haft_tensor* value, const haft_tensor* attn_mask,
    double dropout_p, int32_t is_causal, haft_scalar scale, int32_t enable_gqa, haft_generator* generator,
    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scaled_dot_product_attention(
      query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa, generator, out);
}
static inline haft_status haft_multihead_attention_create(
    const haft_multihead_attention_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multihead_attention_create(options, out);
}
static inline haft_status haft_transformer_encoder_layer_create(
    const haft_transformer_encoder_layer_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transformer_encoder_layer_create(options, out);
}
static inline haft_status haft_transformer_decoder_layer_create(
    const haft_transformer_decoder_layer_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transformer_decoder_layer_create(options, out);
}
static inline haft_status haft_transformer_encoder_create(
    const haft_transformer_encoder_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transformer_encoder_create(options, out);
}
static inline haft_status haft_transformer_decoder_create(
    const haft_transformer_decoder_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transformer_decoder_create(options, out);
}
static inline haft_status haft_transformer_create(const haft_transformer_options* options,
                                                  haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transformer_create(options, out);
}
static inline haft_status haft_rotary_embedding_create(const haft_rotary_embedding_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rotary_embedding_create(options, out);
}
static inline haft_status haft_kv_cache_create(const haft_kv_cache_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_kv_cache_create(options, out);
}
static inline haft_status haft_multi_head_attention(const haft_tensor* query, const haft_tensor* key,
                                                    const haft_tensor* value,
                                                    const haft_tensor* in_proj_weight,
                                                    const haft_tensor* q_proj_weight,
                                                    const haft_tensor* k_proj_weight,
                                                    const haft_tensor* v_proj_weight,
                                                    const haft_tensor* in_proj_bias,
                                                    const haft_tensor* bias_k, const haft_tensor* bias_v,
                                                    const haft_tensor* out_proj_weight,
                                                    const haft_tensor* out_proj_bias,
                                                    const haft_tensor* key_padding_mask,
                                                    const haft_tensor* attn_mask, const haft_tensor* static_k,
                                                    const haft_tensor* static_v, int64_t num_heads,
                                                    int32_t add_zero_attn, double dropout_p,
                                                    int32_t is_causal, int32_t need_weights,
                                                    int32_t average_attn_weights, int32_t batch_first,
                                                    haft_generator* generator, haft_tensor** out,
                                                    haft_tensor** weights) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multi_head_attention(query, key, value, in_proj_weight, q_proj_weight,
                                                  k_proj_weight, v_proj_weight, in_proj_bias, bias_k, bias_v,
                                                  out_proj_weight, out_proj_bias, key_padding_mask, attn_mask,
                                                  static_k, static_v, num_heads, add_zero_attn, dropout_p,
                                                  is_causal, need_weights, average_attn_weights, batch_first,
                                                  generator, out, weights);
}
static inline haft_status haft_rotary_embedding(const haft_tensor* input, const haft_tensor* cos,
                                                const haft_tensor* sin, int32_t interleaved,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rotary_embedding(input, cos, sin, interleaved, out);
}
static inline haft_status haft_standard_gamma(const haft_tensor* input, haft_generator* generator,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_standard_gamma(input, generator, out);
}
static inline haft_status haft_index_fill(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                          haft_scalar value, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_index_fill(input, dim, index, value, out);
}
static inline haft_status haft_put(const haft_tensor* input, const haft_tensor* index,
                                   const haft_tensor* source, int32_t accumulate,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_put(input, index, source, accumulate, out);
}
static inline haft_status haft_select_scatter(const haft_tensor* input, const haft_tensor* src, int64_t dim,
                                              int64_t index, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_select_scatter(input, src, dim, index, out);
}
static inline haft_status haft_slice_scatter(const haft_tensor* input, const haft_tensor* src, int64_t dim,
                                             int64_t start, int64_t end, int64_t step,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_slice_scatter(input, src, dim, start, end, step, out);
}
static inline haft_status haft_diagonal_scatter(const haft_tensor* input, const haft_tensor* src,
                                                int64_t offset, int64_t dim1, int64_t dim2,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_diagonal_scatter(input, src, offset, dim1, dim2, out);
}
static inline haft_status haft_conv1d_create(const haft_conv1d_options* options,
                                             haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv1d_create(options, out);
}
static inline haft_status haft_conv3d_create(const haft_conv3d_options* options,
                                             haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv3d_create(options, out);
}
static inline haft_status haft_conv_transpose1d_create(const haft_conv_transpose1d_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv_transpose1d_create(options, out);
}
static inline haft_status haft_conv_transpose2d_create(const haft_conv_transpose2d_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv_transpose2d_create(options, out);
}
static inline haft_status haft_conv_transpose3d_create(const haft_conv_transpose3d_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conv_transpose3d_create(options, out);
}
static inline haft_status haft_unfold_create(const haft_unfold_options* options,
                                             haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unfold_create(options, out);
}
static inline haft_status haft_fold_create(const haft_fold_options* options,
                                           haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fold_create(options, out);
}
static inline haft_status haft_batch_norm3d_create(const haft_batch_norm3d_options* options,
                                                   haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_batch_norm3d_create(options, out);
}
static inline haft_status haft_instance_norm1d_create(const haft_instance_norm1d_options* options,
                                                      haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_instance_norm1d_create(options, out);
}
static inline haft_status haft_instance_norm2d_create(const haft_instance_norm2d_options* options,
                                                      haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_instance_norm2d_create(options, out);
}
static inline haft_status haft_instance_norm3d_create(const haft_instance_norm3d_options* options,
                                                      haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_instance_norm3d_create(options, out);
}
static inline haft_status haft_group_norm_create(const haft_group_norm_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_group_norm_create(options, out);
}
static inline haft_status haft_rms_norm_create(const haft_rms_norm_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rms_norm_create(options, out);
}
static inline haft_status haft_embedding_bag_create(const haft_embedding_bag_options* options,
                                                    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_embedding_bag_create(options, out);
}
static inline haft_status haft_bilinear_create(const haft_bilinear_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bilinear_create(options, out);
}
static inline haft_status haft_cosine_similarity_create(
    const haft_cosine_similarity_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosine_similarity_create(options, out);
}
static inline haft_status haft_pairwise_distance_create(
    const haft_pairwise_distance_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pairwise_distance_create(options, out);
}
static inline haft_status haft_reflection_pad1d_create(const haft_reflection_pad1d_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reflection_pad1d_create(options, out);
}
static inline haft_status haft_replication_pad1d_create(
    const haft_replication_pad1d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_replication_pad1d_create(options, out);
}
static inline haft_status haft_circular_pad1d_create(const haft_circular_pad1d_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_circular_pad1d_create(options, out);
}
static inline haft_status haft_zero_pad1d_create(const haft_zero_pad1d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_zero_pad1d_create(options, out);
}
static inline haft_status haft_constant_pad1d_create(const haft_constant_pad1d_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_constant_pad1d_create(options, out);
}
static inline haft_status haft_reflection_pad2d_create(const haft_reflection_pad2d_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reflection_pad2d_create(options, out);
}
static inline haft_status haft_replication_pad2d_create(
    const haft_replication_pad2d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_replication_pad2d_create(options, out);
}
static inline haft_status haft_circular_pad2d_create(const haft_circular_pad2d_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_circular_pad2d_create(options, out);
}
static inline haft_status haft_zero_pad2d_create(const haft_zero_pad2d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_zero_pad2d_create(options, out);
}
static inline haft_status haft_constant_pad2d_create(const haft_constant_pad2d_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_constant_pad2d_create(options, out);
}
static inline haft_status haft_reflection_pad3d_create(const haft_reflection_pad3d_options* options,
                                                       haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reflection_pad3d_create(options, out);
}
static inline haft_status haft_replication_pad3d_create(
    const haft_replication_pad3d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_replication_pad3d_create(options, out);
}
static inline haft_status haft_circular_pad3d_create(const haft_circular_pad3d_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_circular_pad3d_create(options, out);
}
static inline haft_status haft_zero_pad3d_create(const haft_zero_pad3d_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_zero_pad3d_create(options, out);
}
static inline haft_status haft_constant_pad3d_create(const haft_constant_pad3d_options* options,
                                                     haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_constant_pad3d_create(options, out);
}
static inline haft_status haft_max_unpool1d_create(const haft_max_unpool1d_options* options,
                                                   haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_unpool1d_create(options, out);
}
static inline haft_status haft_max_unpool2d_create(const haft_max_unpool2d_options* options,
                                                   haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_unpool2d_create(options, out);
}
static inline haft_status haft_max_unpool3d_create(const haft_max_unpool3d_options* options,
                                                   haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_max_unpool3d_create(options, out);
}
static inline haft_status haft_upsample_create(const haft_upsample_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_upsample_create(options, out);
}
static inline haft_status haft_upsampling_nearest2d_create(
    const haft_upsampling_nearest2d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_upsampling_nearest2d_create(options, out);
}
static inline haft_status haft_upsampling_bilinear2d_create(
    const haft_upsampling_bilinear2d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_upsampling_bilinear2d_create(options, out);
}
static inline haft_status haft_dropout1d_create(const haft_dropout1d_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dropout1d_create(options, out);
}
static inline haft_status haft_dropout2d_create(const haft_dropout2d_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dropout2d_create(options, out);
}
static inline haft_status haft_dropout3d_create(const haft_dropout3d_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dropout3d_create(options, out);
}
static inline haft_status haft_alpha_dropout_create(const haft_alpha_dropout_options* options,
                                                    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_alpha_dropout_create(options, out);
}
static inline haft_status haft_feature_alpha_dropout_create(
    const haft_feature_alpha_dropout_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_feature_alpha_dropout_create(options, out);
}
static inline haft_status haft_rrelu_create(const haft_rrelu_options* options,
                                            haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rrelu_create(options, out);
}
static inline haft_status haft_relu6_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_relu6_create(out);
}
static inline haft_status haft_softmin_create(const haft_softmin_options* options,
                                              haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softmin_create(options, out);
}
static inline haft_status haft_softmax2d_create(haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_softmax2d_create(out);
}
static inline haft_status haft_unflatten_create(const haft_unflatten_options* options,
                                                haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unflatten_create(options, out);
}
static inline haft_status haft_feature_dropout(const haft_tensor* input, double p, int32_t training,
                                               haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_feature_dropout(input, p, training, generator, out);
}
static inline haft_status haft_alpha_dropout(const haft_tensor* input, double p, int32_t training,
                                             haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_alpha_dropout(input, p, training, generator, out);
}
static inline haft_status haft_feature_alpha_dropout(const haft_tensor* input, double p, int32_t training,
                                                     haft_generator* generator,
                                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_feature_alpha_dropout(input, p, training, generator, out);
}
static inline haft_status haft_rrelu(const haft_tensor* input, double lower, double upper, int32_t training,
                                     haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_rrelu(input, lower, upper, training, generator, out);
}
static inline haft_status haft_ctc_loss(const haft_tensor* log_probs, const haft_tensor* targets,
                                        const haft_tensor* input_lengths, const haft_tensor* target_lengths,
                                        int64_t blank, int64_t reduction, int32_t zero_infinity,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction,
                                      zero_infinity, out);
}
static inline haft_status haft_linear_cross_entropy(const haft_tensor* input,
                                                    const haft_tensor* linear_weight,
                                                    const haft_tensor* target, const haft_tensor* linear_bias,
                                                    const haft_tensor* weight, int64_t reduction,
                                                    int64_t ignore_index, double label_smoothing,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linear_cross_entropy(input, linear_weight, target, linear_bias, weight,
                                                  reduction, ignore_index, label_smoothing, out);
}
static inline haft_status haft_multiplicative_lr_create(
    haft_optimizer* o, haft_lr_factor fn, void* user, void (*destroy)(void* user),
    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_multiplicative_lr_create(o, fn, user, destroy, out);
}
static inline haft_status haft_chained_scheduler_create(
    haft_scheduler* const* schedulers, int64_t count, haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_chained_scheduler_create(schedulers, count, out);
}
static inline haft_status haft_sequential_lr_create(haft_optimizer* o, haft_scheduler* const* schedulers,
                                                    int64_t count, const int64_t* milestones,
                                                    int64_t milestone_count,
                                                    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sequential_lr_create(o, schedulers, count, milestones, milestone_count, out);
}
static inline haft_status haft_scheduler_step_metric(haft_scheduler* s, double metric) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scheduler_step_metric(s, metric);
}
static inline haft_status haft_ctc_loss_create(const haft_ctc_loss_options* options,
                                               haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ctc_loss_create(options, out);
}
static inline haft_status haft_constant_lr_create(haft_optimizer* o, const haft_constant_lr_options* options,
                                                  haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_constant_lr_create(o, options, out);
}
static inline haft_status haft_polynomial_lr_create(haft_optimizer* o,
                                                    const haft_polynomial_lr_options* options,
                                                    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_polynomial_lr_create(o, options, out);
}
static inline haft_status haft_cosine_annealing_warm_restarts_create(
    haft_optimizer* o, const haft_cosine_annealing_warm_restarts_options* options,
    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cosine_annealing_warm_restarts_create(o, options, out);
}
static inline haft_status haft_cyclic_lr_create(haft_optimizer* o, const haft_cyclic_lr_options* options,
                                                haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cyclic_lr_create(o, options, out);
}
static inline haft_status haft_one_cycle_lr_create(haft_optimizer* o,
                                                   const haft_one_cycle_lr_options* options,
                                                   haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_one_cycle_lr_create(o, options, out);
}
static inline haft_status haft_reduce_lr_on_plateau_create(
    haft_optimizer* o, const haft_reduce_lr_on_plateau_options* options,
    haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_reduce_lr_on_plateau_create(o, options, out);
}
static inline haft_status haft_swa_lr_create(haft_optimizer* o, const haft_swa_lr_options* options,
                                             haft_scheduler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_swa_lr_create(o, options, out);
}
static inline haft_status haft_autograd_vjp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                            int64_t input_count, haft_tensor* const* vectors,
                                            int64_t vector_count, int32_t flags, haft_tensor** outputs,
                                            int64_t capacity, int64_t* output_count,
                                            haft_tensor** products) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_vjp(fn, user, inputs, input_count, vectors, vector_count, flags,
                                          outputs, capacity, output_count, products);
}
static inline haft_status haft_autograd_jvp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                            int64_t input_count, haft_tensor* const* vectors,
                                            int64_t vector_count, int32_t flags, haft_tensor** outputs,
                                            int64_t capacity, int64_t* output_count,
                                            haft_tensor** products) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_jvp(fn, user, inputs, input_count, vectors, vector_count, flags,
                                          outputs, capacity, output_count, products);
}
static inline haft_status haft_autograd_jacobian(haft_tensors_function fn, void* user,
                                                 haft_tensor* const* inputs, int64_t input_count,
                                                 int32_t flags, haft_tensor** jacobians, int64_t capacity,
                                                 int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_jacobian(fn, user, inputs, input_count, flags, jacobians, capacity,
                                               count);
}
static inline haft_status haft_autograd_hessian(haft_tensors_function fn, void* user,
                                                haft_tensor* const* inputs, int64_t input_count,
                                                int32_t flags, haft_tensor** hessians) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_hessian(fn, user, inputs, input_count, flags, hessians);
}
static inline haft_status haft_autograd_hvp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                            int64_t input_count, haft_tensor* const* vectors,
                                            int64_t vector_count, int32_t flags, haft_tensor** output,
                                            haft_tensor** products) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_hvp(fn, user, inputs, input_count, vectors, vector_count, flags, output,
                                          products);
}
static inline haft_status haft_autograd_checkpoint(haft_tensors_function fn, void* user,
                                                   void (*destroy)(void* user), int32_t preserve_random,
                                                   haft_tensor* const* inputs, int64_t input_count,
                                                   haft_tensor** outputs, int64_t capacity,
                                                   int64_t* output_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_checkpoint(fn, user, destroy, preserve_random, inputs, input_count,
                                                 outputs, capacity, output_count);
}
static inline haft_status haft_module_as_function(haft_tensor* const* inputs, int64_t input_count,
                                                  haft_tensor** outputs, int64_t* output_count,
                                                  void* module) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_as_function(inputs, input_count, outputs, output_count, module);
}
static inline haft_status haft_optimizer_step_closure(haft_optimizer* o, haft_loss_closure closure,
                                                      void* user, haft_tensor** loss) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_optimizer_step_closure(o, closure, user, loss);
}
static inline haft_status haft_lamb_create(haft_tensor* const* params, int64_t count,
                                           const haft_lamb_options* options,
                                           haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lamb_create(params, count, options, out);
}
static inline haft_status haft_muon_create(haft_tensor* const* params, int64_t count,
                                           const haft_muon_options* options,
                                           haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_muon_create(params, count, options, out);
}
static inline haft_status haft_lbfgs_create(haft_tensor* const* params, int64_t count,
                                            const haft_lbfgs_options* options,
                                            haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lbfgs_create(params, count, options, out);
}
static inline haft_status haft_i0(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i0(input, out);
}
static inline haft_status haft_i0_(haft_tensor* input) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i0_(input);
}
static inline haft_status haft_i0_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i0_out(input, out);
}
static inline haft_status haft_i1(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i1(input, out);
}
static inline haft_status haft_i1_out(const haft_tensor* input, haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i1_out(input, out);
}
static inline haft_status haft_bitwise_left_shift(const haft_tensor* input, const haft_tensor* other,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_left_shift(input, other, out);
}
static inline haft_status haft_bitwise_left_shift_(haft_tensor* input,
                                                   const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_left_shift_(input, other);
}
static inline haft_status haft_bitwise_left_shift_out(const haft_tensor* input, const haft_tensor* other,
                                                      haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_left_shift_out(input, other, out);
}
static inline haft_status haft_bitwise_right_shift(const haft_tensor* input, const haft_tensor* other,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_right_shift(input, other, out);
}
static inline haft_status haft_bitwise_right_shift_(haft_tensor* input,
                                                    const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_right_shift_(input, other);
}
static inline haft_status haft_bitwise_right_shift_out(const haft_tensor* input, const haft_tensor* other,
                                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bitwise_right_shift_out(input, other, out);
}
static inline haft_status haft_gcd(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gcd(input, other, out);
}
static inline haft_status haft_gcd_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gcd_(input, other);
}
static inline haft_status haft_gcd_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gcd_out(input, other, out);
}
static inline haft_status haft_lcm(const haft_tensor* input, const haft_tensor* other,
                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lcm(input, other, out);
}
static inline haft_status haft_lcm_(haft_tensor* input, const haft_tensor* other) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lcm_(input, other);
}
static inline haft_status haft_lcm_out(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lcm_out(input, other, out);
}
static inline haft_status haft_ldexp(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ldexp(input, other, out);
}
static inline haft_status haft_bartlett_window(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                               haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bartlett_window(window_length, periodic, dtype, device, out);
}
static inline haft_status haft_blackman_window(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                               haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_blackman_window(window_length, periodic, dtype, device, out);
}
static inline haft_status haft_hamming_window(int64_t window_length, int32_t periodic, double alpha,
                                              double beta, haft_dtype dtype, haft_device device,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hamming_window(window_length, periodic, alpha, beta, dtype, device, out);
}
static inline haft_status haft_hann_window(int64_t window_length, int32_t periodic, haft_dtype dtype,
                                           haft_device device, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_hann_window(window_length, periodic, dtype, device, out);
}
static inline haft_status haft_kaiser_window(int64_t window_length, int32_t periodic, double beta,
                                             haft_dtype dtype, haft_device device,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_kaiser_window(window_length, periodic, beta, dtype, device, out);
}
static inline haft_status haft_unravel_index(const haft_tensor* indices, const int64_t* shape,
                                             int64_t shape_count, haft_tensor** outs, int64_t outs_capacity,
                                             int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unravel_index(indices, shape, shape_count, outs, outs_capacity, outs_count);
}
static inline haft_status haft_vander(const haft_tensor* x, int64_t N, int32_t increasing,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_vander(x, N, increasing, out);
}
static inline haft_status haft_nanquantile(const haft_tensor* input, const haft_tensor* q, int64_t dim,
                                           int32_t keepdim, int64_t interpolation,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nanquantile(input, q, dim, keepdim, interpolation, out);
}
static inline haft_status haft_mode(const haft_tensor* input, int64_t dim, int32_t keepdim,
                                    haft_tensor** values, haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mode(input, dim, keepdim, values, indices);
}
static inline haft_status haft_cov(const haft_tensor* input, int64_t correction, const haft_tensor* fweights,
                                   const haft_tensor* aweights, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cov(input, correction, fweights, aweights, out);
}
static inline haft_status haft_corrcoef(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_corrcoef(input, out);
}
static inline haft_status haft_trapezoid(const haft_tensor* y, const haft_tensor* x, double dx, int64_t dim,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_trapezoid(y, x, dx, dim, out);
}
static inline haft_status haft_cumulative_trapezoid(const haft_tensor* y, const haft_tensor* x, double dx,
                                                    int64_t dim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cumulative_trapezoid(y, x, dx, dim, out);
}
static inline haft_status haft_pdist(const haft_tensor* input, double p, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pdist(input, p, out);
}
static inline haft_status haft_autocast_push(haft_device device, haft_dtype dtype, int32_t enabled,
                                             int32_t cache_enabled) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_push(device, dtype, enabled, cache_enabled);
}
static inline haft_status haft_autocast_pop(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_pop();
}
static inline haft_status haft_autocast_get_enabled(haft_device device, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_get_enabled(device, out);
}
static inline haft_status haft_autocast_get_dtype(haft_device device, haft_dtype* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_get_dtype(device, out);
}
static inline haft_status haft_autocast_set(haft_device device, int32_t enabled,
                                            haft_dtype dtype) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_set(device, enabled, dtype);
}
static inline haft_status haft_autocast_get_cache_enabled(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_get_cache_enabled(out);
}
static inline haft_status haft_autocast_set_cache_enabled(int32_t on) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_set_cache_enabled(on);
}
static inline haft_status haft_autocast_clear_cache(void) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autocast_clear_cache();
}
static inline haft_status haft_grad_scaler_create(const haft_grad_scaler_state* state, int32_t enabled,
                                                  haft_grad_scaler** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_create(state, enabled, out);
}
static inline haft_status haft_grad_scaler_retain(haft_grad_scaler* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_retain(s);
}
static inline void haft_grad_scaler_release(haft_grad_scaler* s) HAFT_DL_NOTHROW {
  haft_dl_table->haft_grad_scaler_release(s);
}
static inline haft_status haft_grad_scaler_scale(haft_grad_scaler* s, const haft_tensor* x,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_scale(s, x, out);
}
static inline haft_status haft_grad_scaler_unscale(haft_grad_scaler* s, haft_optimizer* o) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_unscale(s, o);
}
static inline haft_status haft_grad_scaler_step(haft_grad_scaler* s, haft_optimizer* o,
                                                int32_t* stepped) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_step(s, o, stepped);
}
static inline haft_status haft_grad_scaler_unscale_gradients(
    haft_grad_scaler* s, int64_t owner, haft_tensor* const* gradients, int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_unscale_gradients(s, owner, gradients, count);
}
static inline haft_status haft_grad_scaler_begin_step(haft_grad_scaler* s, int64_t owner,
                                                      int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_begin_step(s, owner, out);
}
static inline haft_status haft_grad_scaler_get_stage(haft_grad_scaler* s, int64_t owner,
                                                     haft_grad_scaler_stage* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_get_stage(s, owner, out);
}
static inline haft_status haft_grad_scaler_update(haft_grad_scaler* s) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_update(s);
}
static inline haft_status haft_grad_scaler_set_scale(haft_grad_scaler* s, double scale) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_set_scale(s, scale);
}
static inline haft_status haft_grad_scaler_get_state(haft_grad_scaler* s,
                                                     haft_grad_scaler_state* state) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_get_state(s, state);
}
static inline haft_status haft_grad_scaler_set_state(haft_grad_scaler* s,
                                                     const haft_grad_scaler_state* state) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_set_state(s, state);
}
static inline haft_status haft_grad_scaler_get_enabled(haft_grad_scaler* s, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_get_enabled(s, out);
}
static inline haft_status haft_tensor_is_sparse(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_sparse(t, out);
}
static inline haft_status haft_tensor_from_rows(const haft_tensor* indices, const haft_tensor* values,
                                                int64_t rows, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_from_rows(indices, values, rows, out);
}
static inline haft_status haft_tensor_sparse_indices(const haft_tensor* t,
                                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_sparse_indices(t, out);
}
static inline haft_status haft_tensor_sparse_values(const haft_tensor* t, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_sparse_values(t, out);
}
static inline haft_status haft_tensor_is_coalesced(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_coalesced(t, out);
}
static inline haft_status haft_tensor_coalesce(const haft_tensor* t, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_coalesce(t, out);
}
static inline haft_status haft_tensor_to_dense(const haft_tensor* t, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_to_dense(t, out);
}
static inline haft_status haft_init_dirac(haft_tensor* t, int64_t groups) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_dirac(t, groups);
}
static inline haft_status haft_init_sparse(haft_tensor* t, double sparsity, double std,
                                           haft_generator* generator) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_init_sparse(t, sparsity, std, generator);
}
static inline haft_status haft_sparse_adam_create(haft_tensor* const* params, int64_t count,
                                                  const haft_sparse_adam_options* options,
                                                  haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sparse_adam_create(params, count, options, out);
}
static inline haft_status haft_averaged_model_create(haft_module* average, double ema_decay,
                                                     int32_t use_buffers, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_averaged_model_create(average, ema_decay, use_buffers, out);
}
static inline haft_status haft_averaged_model_update(haft_module* averaged, haft_module* model,
                                                     haft_average_function fn, void* user) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_averaged_model_update(averaged, model, fn, user);
}
static inline haft_status haft_average_tensors(haft_tensor* const* averages, haft_tensor* const* values,
                                               int64_t count, double ema_decay,
                                               int64_t before) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_average_tensors(averages, values, count, ema_decay, before);
}
static inline haft_status haft_update_bn(haft_module* m, haft_batch_source next, void* user) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_update_bn(m, next, user);
}
static inline haft_status haft_autograd_backward_inputs(
    haft_tensor* const* outputs, haft_tensor* const* seeds, int64_t output_count, haft_tensor* const* inputs,
    int64_t input_count, int32_t flags) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_backward_inputs(outputs, seeds, output_count, inputs, input_count,
                                                      flags);
}
static inline haft_status haft_grad_scaler_end_step(haft_grad_scaler* s, int64_t owner) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_end_step(s, owner);
}
static inline haft_status haft_weight_norm_create(const haft_weight_norm_options* options,
                                                  haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weight_norm_create(options, out);
}
static inline haft_status haft_spectral_norm_create(const haft_spectral_norm_options* options,
                                                    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_spectral_norm_create(options, out);
}
static inline haft_status haft_orthogonal_create(const haft_orthogonal_options* options,
                                                 haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_orthogonal_create(options, out);
}
static inline haft_status haft_set_checkpoint_early_stop(int32_t on, int32_t* before) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_checkpoint_early_stop(on, before);
}
static inline haft_status haft_triplet_margin_with_distance_loss_create(
    haft_module* distance, double margin, int32_t swap, int32_t reduction,
    haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_triplet_margin_with_distance_loss_create(distance, margin, swap, reduction, out);
}
static inline haft_status haft_module_register_parametrization(
    haft_module* m, const char* name, haft_module* parametrization, haft_module* right_inverse,
    int32_t unsafe) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_register_parametrization(m, name, parametrization, right_inverse, unsafe);
}
static inline haft_status haft_module_remove_parametrizations(
    haft_module* m, const char* name, int32_t leave_parametrized) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_remove_parametrizations(m, name, leave_parametrized);
}
static inline haft_status haft_module_is_parametrized(const haft_module* m, const char* name,
                                                      int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_is_parametrized(m, name, out);
}
static inline haft_status haft_module_set_parametrized(haft_module* m, const char* name,
                                                       const haft_tensor* value) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_set_parametrized(m, name, value);
}
static inline haft_status haft_module_value(const haft_module* m, const char* name,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_value(m, name, out);
}
static inline haft_status haft_module_right_inverse(haft_module* m, const haft_tensor* value,
                                                    haft_tensor** outs, int64_t capacity,
                                                    int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_right_inverse(m, value, outs, capacity, count);
}
static inline haft_status haft_module_functional_call(haft_module* m, const char* const* names,
                                                      haft_tensor* const* others, int64_t other_count,
                                                      haft_tensor* const* inputs, int64_t input_count,
                                                      haft_tensor** outs, int64_t capacity,
                                                      int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_functional_call(m, names, others, other_count, inputs, input_count, outs,
                                                    capacity, count);
}
static inline haft_status haft_module_prune(haft_module* m, const char* name,
                                            const haft_prune_options* options,
                                            const haft_tensor* scores) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_prune(m, name, options, scores);
}
static inline haft_status haft_module_prune_by_mask(haft_module* m, const char* name,
                                                    const haft_tensor* mask) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_prune_by_mask(m, name, mask);
}
static inline haft_status haft_prune_global(haft_module* const* modules, const char* const* names,
                                            haft_tensor* const* scores, int64_t count,
                                            const haft_prune_options* options) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_prune_global(modules, names, scores, count, options);
}
static inline haft_status haft_module_remove_pruning(haft_module* m, const char* name) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_remove_pruning(m, name);
}
static inline haft_status haft_module_is_pruned(const haft_module* m, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_module_is_pruned(m, out);
}
static inline haft_status haft_prune_mask(const haft_tensor* scores, const haft_tensor* mask,
                                          const haft_prune_options* options,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_prune_mask(scores, mask, options, out);
}
static inline haft_status haft_fractional_max_pool2d_create(
    const haft_fractional_max_pool2d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fractional_max_pool2d_create(options, out);
}
static inline haft_status haft_fractional_max_pool3d_create(
    const haft_fractional_max_pool3d_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fractional_max_pool3d_create(options, out);
}
static inline haft_status haft_adaptive_log_softmax_with_loss_create(
    const haft_adaptive_log_softmax_with_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adaptive_log_softmax_with_loss_create(options, out);
}
static inline haft_status haft_fractional_max_pool2d(const haft_tensor* input,
                                                     const haft_tensor* random_samples,
                                                     const int64_t* kernel_size, int64_t kernel_size_count,
                                                     const int64_t* output_size, int64_t output_size_count,
                                                     haft_tensor** values,
                                                     haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fractional_max_pool2d(input, random_samples, kernel_size, kernel_size_count,
                                                   output_size, output_size_count, values, indices);
}
static inline haft_status haft_fractional_max_pool3d(const haft_tensor* input,
                                                     const haft_tensor* random_samples,
                                                     const int64_t* kernel_size, int64_t kernel_size_count,
                                                     const int64_t* output_size, int64_t output_size_count,
                                                     haft_tensor** values,
                                                     haft_tensor** indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fractional_max_pool3d(input, random_samples, kernel_size, kernel_size_count,
                                                   output_size, output_size_count, values, indices);
}
static inline haft_status haft_idx_load(const char* path, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_idx_load(path, out);
}
static inline haft_status haft_writer_add_event(haft_writer* w, const void* event,
                                                int64_t size) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_event(w, event, size);
}
static inline haft_status haft_tensor_to_text(const haft_tensor* t, const haft_print_options* options,
                                              char* buffer, int64_t capacity,
                                              int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_to_text(t, options, buffer, capacity, needed);
}
static inline haft_status haft_device_describe(haft_device device, char* buffer, int64_t capacity,
                                               int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_describe(device, buffer, capacity, needed);
}
static inline haft_status haft_device_graph_create(haft_device device,
                                                   haft_device_graph** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_create(device, out);
}
static inline haft_status haft_device_graph_retain(haft_device_graph* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_retain(g);
}
static inline void haft_device_graph_release(haft_device_graph* g) HAFT_DL_NOTHROW {
  haft_dl_table->haft_device_graph_release(g);
}
static inline haft_status haft_device_graph_begin(haft_device_graph* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_begin(g);
}
static inline haft_status haft_device_graph_end(haft_device_graph* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_end(g);
}
static inline haft_status haft_device_graph_discard(haft_device_graph* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_discard(g);
}
static inline haft_status haft_device_graph_replay(haft_device_graph* g) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_replay(g);
}
static inline haft_status haft_device_graph_is_ready(const haft_device_graph* g,
                                                     int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_is_ready(g, out);
}
static inline haft_status haft_fused_create(const char* name, haft_tensors_function fn, void* user,
                                            void (*destroy)(void* user), haft_fused** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fused_create(name, fn, user, destroy, out);
}
static inline haft_status haft_fused_retain(haft_fused* f) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fused_retain(f);
}
static inline void haft_fused_release(haft_fused* f) HAFT_DL_NOTHROW { haft_dl_table->haft_fused_release(f); }
static inline haft_status haft_fused_call(haft_fused* f, haft_tensor* const* inputs, int64_t input_count,
                                          haft_tensor** outputs, int64_t capacity,
                                          int64_t* output_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fused_call(f, inputs, input_count, outputs, capacity, output_count);
}
static inline haft_status haft_fused_get_counts(const haft_fused* f, int64_t* traces, int64_t* kernels,
                                                int64_t* unfused) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fused_get_counts(f, traces, kernels, unfused);
}
static inline haft_status haft_fused_get_reason(const haft_fused* f, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fused_get_reason(f, buffer, capacity, needed);
}
static inline haft_status haft_scaled_mm(const haft_tensor* input, const haft_tensor* mat2,
                                         const haft_tensor* scale_a, const haft_tensor* scale_b,
                                         const haft_tensor* bias, haft_dtype out_dtype,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scaled_mm(input, mat2, scale_a, scale_b, bias, out_dtype, out);
}
static inline haft_status haft_stream_create_with_priority(
    haft_device device, int32_t priority, haft_stream** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_create_with_priority(device, priority, out);
}
static inline haft_status haft_memory_get_free_blocks(haft_device device, haft_memory_class* out,
                                                      int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_memory_get_free_blocks(device, out, capacity, count);
}
static inline haft_status haft_profiler_start_with(uint32_t what) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_profiler_start_with(what);
}
static inline haft_status haft_distribution_create(const char* name, haft_tensor* const* parameters,
                                                   int64_t count, int32_t validate_args,
                                                   haft_distribution** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_create(name, parameters, count, validate_args, out);
}
static inline haft_status haft_independent_create(const haft_distribution* base,
                                                  int64_t reinterpreted_batch_ndims, int32_t validate_args,
                                                  haft_distribution** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_independent_create(base, reinterpreted_batch_ndims, validate_args, out);
}
static inline haft_status haft_mixture_same_family_create(
    const haft_distribution* mixture, const haft_distribution* component, int32_t validate_args,
    haft_distribution** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mixture_same_family_create(mixture, component, validate_args, out);
}
static inline haft_status haft_distribution_retain(haft_distribution* d) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_retain(d);
}
static inline void haft_distribution_release(haft_distribution* d) HAFT_DL_NOTHROW {
  haft_dl_table->haft_distribution_release(d);
}
static inline haft_status haft_distribution_get_name(const haft_distribution* d, char* buffer,
                                                     int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_get_name(d, buffer, capacity, needed);
}
static inline haft_status haft_distribution_get_support(
    const haft_distribution* d, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_get_support(d, buffer, capacity, needed);
}
static inline haft_status haft_distribution_to_string(const haft_distribution* d, char* buffer,
                                                      int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_to_string(d, buffer, capacity, needed);
}
static inline haft_status haft_distribution_get_batch_shape(
    const haft_distribution* d, int64_t* sizes, int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_get_batch_shape(d, sizes, capacity, count);
}
static inline haft_status haft_distribution_get_event_shape(
    const haft_distribution* d, int64_t* sizes, int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_get_event_shape(d, sizes, capacity, count);
}
static inline haft_status haft_distribution_has_rsample(
    const haft_distribution* d, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_has_rsample(d, out);
}
static inline haft_status haft_distribution_has_enumerate_support(
    const haft_distribution* d, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_has_enumerate_support(d, out);
}
static inline haft_status haft_distribution_parameter(const haft_distribution* d, const char* name,
                                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_parameter(d, name, out);
}
static inline haft_status haft_distribution_sample(const haft_distribution* d, const int64_t* sample_shape,
                                                   int64_t sample_shape_count, haft_generator* generator,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_sample(d, sample_shape, sample_shape_count, generator, out);
}
static inline haft_status haft_distribution_rsample(const haft_distribution* d, const int64_t* sample_shape,
                                                    int64_t sample_shape_count, haft_generator* generator,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_rsample(d, sample_shape, sample_shape_count, generator, out);
}
static inline haft_status haft_distribution_log_prob(const haft_distribution* d, const haft_tensor* value,
                                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_log_prob(d, value, out);
}
static inline haft_status haft_distribution_cdf(const haft_distribution* d, const haft_tensor* value,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_cdf(d, value, out);
}
static inline haft_status haft_distribution_icdf(const haft_distribution* d, const haft_tensor* value,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_icdf(d, value, out);
}
static inline haft_status haft_distribution_in_support(const haft_distribution* d, const haft_tensor* value,
                                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_in_support(d, value, out);
}
static inline haft_status haft_distribution_mean(const haft_distribution* d,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_mean(d, out);
}
static inline haft_status haft_distribution_mode(const haft_distribution* d,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_mode(d, out);
}
static inline haft_status haft_distribution_variance(const haft_distribution* d,
                                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_variance(d, out);
}
static inline haft_status haft_distribution_stddev(const haft_distribution* d,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_stddev(d, out);
}
static inline haft_status haft_distribution_entropy(const haft_distribution* d,
                                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_entropy(d, out);
}
static inline haft_status haft_distribution_perplexity(const haft_distribution* d,
                                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_perplexity(d, out);
}
static inline haft_status haft_distribution_enumerate_support(
    const haft_distribution* d, int32_t expand, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_enumerate_support(d, expand, out);
}
static inline haft_status haft_distribution_expand(const haft_distribution* d, const int64_t* batch_shape,
                                                   int64_t batch_shape_count,
                                                   haft_distribution** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_expand(d, batch_shape, batch_shape_count, out);
}
static inline haft_status haft_distribution_kl_divergence(
    const haft_distribution* p, const haft_distribution* q, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_distribution_kl_divergence(p, q, out);
}
static inline haft_status haft_constraint_check(const char* name, const haft_tensor* value,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_constraint_check(name, value, out);
}
static inline haft_status haft_grad_scaler_unscale_parameters(
    haft_grad_scaler* s, int64_t owner, haft_tensor* const* parameters, int64_t count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grad_scaler_unscale_parameters(s, owner, parameters, count);
}
static inline haft_status haft_ndtr(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ndtr(input, out);
}
static inline haft_status haft_log_ndtr(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_ndtr(input, out);
}
static inline haft_status haft_ndtri(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_ndtri(input, out);
}
static inline haft_status haft_erfcx(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_erfcx(input, out);
}
static inline haft_status haft_entr(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_entr(input, out);
}
static inline haft_status haft_xlog1py(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_xlog1py(input, other, out);
}
static inline haft_status haft_i0e(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i0e(input, out);
}
static inline haft_status haft_i1e(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_i1e(input, out);
}
static inline haft_status haft_bessel_j0(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bessel_j0(input, out);
}
static inline haft_status haft_bessel_j1(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bessel_j1(input, out);
}
static inline haft_status haft_bessel_y0(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bessel_y0(input, out);
}
static inline haft_status haft_bessel_y1(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_bessel_y1(input, out);
}
static inline haft_status haft_modified_bessel_k0(const haft_tensor* input,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_modified_bessel_k0(input, out);
}
static inline haft_status haft_modified_bessel_k1(const haft_tensor* input,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_modified_bessel_k1(input, out);
}
static inline haft_status haft_scaled_modified_bessel_k0(
    const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scaled_modified_bessel_k0(input, out);
}
static inline haft_status haft_scaled_modified_bessel_k1(
    const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_scaled_modified_bessel_k1(input, out);
}
static inline haft_status haft_igamma(const haft_tensor* input, const haft_tensor* other,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_igamma(input, other, out);
}
static inline haft_status haft_igammac(const haft_tensor* input, const haft_tensor* other,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_igammac(input, other, out);
}
static inline haft_status haft_mvlgamma(const haft_tensor* input, int64_t p,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_mvlgamma(input, p, out);
}
static inline haft_status haft_frexp(const haft_tensor* input, haft_tensor** mantissa,
                                     haft_tensor** exponent) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_frexp(input, mantissa, exponent);
}
static inline haft_status haft_nextafter(const haft_tensor* input, const haft_tensor* other,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nextafter(input, other, out);
}
static inline haft_status haft_clamp_tensor(const haft_tensor* input, const haft_tensor* min,
                                            const haft_tensor* max, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_clamp_tensor(input, min, max, out);
}
static inline haft_status haft_lerp_tensor(const haft_tensor* input, const haft_tensor* end,
                                           const haft_tensor* weight, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lerp_tensor(input, end, weight, out);
}
static inline haft_status haft_div_rounded(const haft_tensor* input, const haft_tensor* other,
                                           int64_t rounding_mode, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_div_rounded(input, other, rounding_mode, out);
}
static inline haft_status haft_allclose(const haft_tensor* input, const haft_tensor* other, double rtol,
                                        double atol, int32_t equal_nan, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_allclose(input, other, rtol, atol, equal_nan, out);
}
static inline haft_status haft_equal(const haft_tensor* input, const haft_tensor* other,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_equal(input, other, out);
}
static inline haft_status haft_gumbel_softmax(const haft_tensor* logits, double tau, int32_t hard,
                                              int64_t dim, haft_generator* generator,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gumbel_softmax(logits, tau, hard, dim, generator, out);
}
static inline haft_status haft_exponential(const int64_t* size, int64_t size_count, double lambd,
                                           haft_dtype dtype, haft_device device, haft_generator* generator,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_exponential(size, size_count, lambd, dtype, device, generator, out);
}
static inline haft_status haft_cauchy(const int64_t* size, int64_t size_count, double median, double sigma,
                                      haft_dtype dtype, haft_device device, haft_generator* generator,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cauchy(size, size_count, median, sigma, dtype, device, generator, out);
}
static inline haft_status haft_log_normal(const int64_t* size, int64_t size_count, double mean, double std,
                                          haft_dtype dtype, haft_device device, haft_generator* generator,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_log_normal(size, size_count, mean, std, dtype, device, generator, out);
}
static inline haft_status haft_geometric(const int64_t* size, int64_t size_count, double p, haft_dtype dtype,
                                         haft_device device, haft_generator* generator,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_geometric(size, size_count, p, dtype, device, generator, out);
}
static inline haft_status haft_poisson(const haft_tensor* input, haft_generator* generator,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_poisson(input, generator, out);
}
static inline haft_status haft_binomial(const haft_tensor* count, const haft_tensor* prob,
                                        haft_generator* generator, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_binomial(count, prob, generator, out);
}
static inline haft_status haft_var_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                        int64_t correction, int32_t keepdim, haft_tensor** var,
                                        haft_tensor** mean) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_var_mean(input, dim, dim_count, correction, keepdim, var, mean);
}
static inline haft_status haft_std_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                        int64_t correction, int32_t keepdim, haft_tensor** std,
                                        haft_tensor** mean) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_std_mean(input, dim, dim_count, correction, keepdim, std, mean);
}
static inline haft_status haft_matrix_norm(const haft_tensor* input, haft_scalar ord, const int64_t* dim,
                                           int64_t dim_count, int32_t keepdim,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_matrix_norm(input, ord, dim, dim_count, keepdim, out);
}
static inline haft_status haft_normalize(const haft_tensor* input, double p, const int64_t* dim,
                                         int64_t dim_count, double eps, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_normalize(input, p, dim, dim_count, eps, out);
}
static inline haft_status haft_gradient(const haft_tensor* input, haft_tensor* const* spacing,
                                        int64_t spacing_count, const int64_t* dim, int64_t dim_count,
                                        int64_t edge_order, haft_tensor** outs, int64_t outs_capacity,
                                        int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_gradient(input, spacing, spacing_count, dim, dim_count, edge_order, outs,
                                      outs_capacity, outs_count);
}
static inline haft_status haft_vecdot(const haft_tensor* x, const haft_tensor* y, int64_t dim,
                                      haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_vecdot(x, y, dim, out);
}
static inline haft_status haft_searchsorted_by(const haft_tensor* sorted_sequence, const haft_tensor* input,
                                               const haft_tensor* sorter, int32_t right,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_searchsorted_by(sorted_sequence, input, sorter, right, out);
}
static inline haft_status haft_histogram(const haft_tensor* input, const haft_tensor* edges,
                                         const haft_tensor* weight, int64_t bins, double min, double max,
                                         int32_t density, haft_tensor** hist,
                                         haft_tensor** bin_edges) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_histogram(input, edges, weight, bins, min, max, density, hist, bin_edges);
}
static inline haft_status haft_segment_reduce(const haft_tensor* data, const haft_tensor* lengths,
                                              int64_t reduce, haft_scalar initial,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_segment_reduce(data, lengths, reduce, initial, out);
}
static inline haft_status haft_transformed_distribution_create(
    const haft_distribution* base, haft_variable_transform* const* transforms, int64_t count,
    int32_t validate_args, haft_distribution** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_transformed_distribution_create(base, transforms, count, validate_args, out);
}
static inline haft_status haft_variable_transform_create(
    const char* name, haft_tensor* const* parameters, int64_t count,
    haft_variable_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_create(name, parameters, count, out);
}
static inline haft_status haft_variable_transform_compose(
    haft_variable_transform* const* parts, int64_t count, haft_variable_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_compose(parts, count, out);
}
static inline haft_status haft_variable_transform_inverted(
    const haft_variable_transform* t, haft_variable_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_inverted(t, out);
}
static inline haft_status haft_variable_transform_independent(
    const haft_variable_transform* t, int64_t reinterpreted_batch_ndims,
    haft_variable_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_independent(t, reinterpreted_batch_ndims, out);
}
static inline haft_status haft_variable_transform_retain(haft_variable_transform* t) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_retain(t);
}
static inline void haft_variable_transform_release(haft_variable_transform* t) HAFT_DL_NOTHROW {
  haft_dl_table->haft_variable_transform_release(t);
}
static inline haft_status haft_variable_transform_to_string(
    const haft_variable_transform* t, char* buffer, int64_t capacity, int64_t* needed) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_to_string(t, buffer, capacity, needed);
}
static inline haft_status haft_variable_transform_get_event_dims(
    const haft_variable_transform* t, int64_t* domain, int64_t* codomain) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_get_event_dims(t, domain, codomain);
}
static inline haft_status haft_variable_transform_is_bijective(
    const haft_variable_transform* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_is_bijective(t, out);
}
static inline haft_status haft_variable_transform_in_codomain(
    const haft_variable_transform* t, const haft_tensor* y, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_in_codomain(t, y, out);
}
static inline haft_status haft_variable_transform_forward(
    const haft_variable_transform* t, const haft_tensor* x, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_forward(t, x, out);
}
static inline haft_status haft_variable_transform_inverse(
    const haft_variable_transform* t, const haft_tensor* y, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_inverse(t, y, out);
}
static inline haft_status haft_variable_transform_log_abs_det_jacobian(
    const haft_variable_transform* t, const haft_tensor* x, const haft_tensor* y,
    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_log_abs_det_jacobian(t, x, y, out);
}
static inline haft_status haft_embedding_renorm(haft_tensor* weight, const haft_tensor* indices,
                                                double max_norm, double norm_type,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_embedding_renorm(weight, indices, max_norm, norm_type, out);
}
static inline haft_status haft_adafactor_create(haft_tensor* const* params, int64_t count,
                                                const haft_adafactor_options* options,
                                                haft_optimizer** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adafactor_create(params, count, options, out);
}
static inline haft_status haft_linear_cross_entropy_loss_create(
    const haft_linear_cross_entropy_loss_options* options, haft_module** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linear_cross_entropy_loss_create(options, out);
}
static inline haft_status haft_evaluator_create(int64_t num_classes, int64_t top_k, int64_t ignore_index,
                                                haft_evaluator** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_create(num_classes, top_k, ignore_index, out);
}
static inline haft_status haft_evaluator_retain(haft_evaluator* e) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_retain(e);
}
static inline void haft_evaluator_release(haft_evaluator* e) HAFT_DL_NOTHROW {
  haft_dl_table->haft_evaluator_release(e);
}
static inline haft_status haft_evaluator_update(haft_evaluator* e, const haft_tensor* predictions,
                                                const haft_tensor* target) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_update(e, predictions, target);
}
static inline haft_status haft_evaluator_add(haft_evaluator* e, const haft_tensor* values,
                                             double weight) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_add(e, values, weight);
}
static inline haft_status haft_evaluator_reset(haft_evaluator* e) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_reset(e);
}
static inline haft_status haft_evaluator_get_count(haft_evaluator* e, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_get_count(e, out);
}
static inline haft_status haft_evaluator_get_accuracy(haft_evaluator* e, int64_t k,
                                                      double* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_get_accuracy(e, k, out);
}
static inline haft_status haft_evaluator_get_mean(haft_evaluator* e, double* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_get_mean(e, out);
}
static inline haft_status haft_evaluator_confusion(haft_evaluator* e, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_confusion(e, out);
}
static inline haft_status haft_evaluator_scores(haft_evaluator* e, haft_tensor** precision,
                                                haft_tensor** recall, haft_tensor** f1) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_scores(e, precision, recall, f1);
}
static inline haft_status haft_evaluator_get_state(haft_evaluator* e, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_get_state(e, out);
}
static inline haft_status haft_evaluator_set_state(haft_evaluator* e,
                                                   const haft_tensor* state) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_evaluator_set_state(e, state);
}
static inline haft_status haft_npz_save(const char* const* names, haft_tensor* const* tensors, int64_t count,
                                        int32_t compressed, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_npz_save(names, tensors, count, compressed, path);
}
static inline haft_status haft_pad_sequence(haft_tensor* const* sequences, int64_t sequences_count,
                                            int32_t batch_first, double padding_value, int32_t left,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pad_sequence(sequences, sequences_count, batch_first, padding_value, left, out);
}
static inline haft_status haft_unpad_sequence(const haft_tensor* padded_sequences, const haft_tensor* lengths,
                                              int32_t batch_first, haft_tensor** outs, int64_t outs_capacity,
                                              int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unpad_sequence(padded_sequences, lengths, batch_first, outs, outs_capacity,
                                            outs_count);
}
static inline haft_status haft_pack_padded_sequence(const haft_tensor* input, const haft_tensor* lengths,
                                                    int32_t batch_first, int32_t enforce_sorted,
                                                    haft_tensor** data, haft_tensor** batch_sizes,
                                                    haft_tensor** sorted_indices,
                                                    haft_tensor** unsorted_indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pack_padded_sequence(input, lengths, batch_first, enforce_sorted, data,
                                                  batch_sizes, sorted_indices, unsorted_indices);
}
static inline haft_status haft_pack_sequence(haft_tensor* const* sequences, int64_t sequences_count,
                                             int32_t enforce_sorted, haft_tensor** data,
                                             haft_tensor** batch_sizes, haft_tensor** sorted_indices,
                                             haft_tensor** unsorted_indices) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pack_sequence(sequences, sequences_count, enforce_sorted, data, batch_sizes,
                                           sorted_indices, unsorted_indices);
}
static inline haft_status haft_pad_packed_sequence(const haft_tensor* data, const haft_tensor* batch_sizes,
                                                   const haft_tensor* unsorted_indices, int32_t batch_first,
                                                   double padding_value, int64_t total_length,
                                                   haft_tensor** padded,
                                                   haft_tensor** lengths) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_pad_packed_sequence(data, batch_sizes, unsorted_indices, batch_first,
                                                 padding_value, total_length, padded, lengths);
}
static inline haft_status haft_unpack_sequence(const haft_tensor* data, const haft_tensor* batch_sizes,
                                               const haft_tensor* unsorted_indices, haft_tensor** outs,
                                               int64_t outs_capacity, int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_unpack_sequence(data, batch_sizes, unsorted_indices, outs, outs_capacity,
                                             outs_count);
}
static inline haft_status haft_csv_dataset_create(const char* path, int32_t delimiter, int64_t skip_lines,
                                                  int64_t label_column, haft_dtype label_dtype,
                                                  haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_csv_dataset_create(path, delimiter, skip_lines, label_column, label_dtype, out);
}
static inline haft_status haft_cifar_dataset_create(const char* const* paths, int64_t count,
                                                    int64_t label_bytes, haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cifar_dataset_create(paths, count, label_bytes, out);
}
static inline haft_status haft_random_vertical_flip_transform_create(
    double probability, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_random_vertical_flip_transform_create(probability, out);
}
static inline haft_status haft_resize_transform_create(int64_t height, int64_t width, int64_t mode,
                                                       haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_resize_transform_create(height, width, mode, out);
}
static inline haft_status haft_center_crop_transform_create(
    int64_t height, int64_t width, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_center_crop_transform_create(height, width, out);
}
static inline haft_status haft_grayscale_transform_create(
    int64_t channels, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_grayscale_transform_create(channels, out);
}
static inline haft_status haft_color_jitter_transform_create(
    double brightness, double contrast, double saturation, double hue, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_color_jitter_transform_create(brightness, contrast, saturation, hue, out);
}
static inline haft_status haft_png_save(const haft_tensor* image, const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_png_save(image, path);
}
static inline haft_status haft_writer_add_image(haft_writer* w, const char* tag, const haft_tensor* image,
                                                int64_t step, double wall_time) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_image(w, tag, image, step, wall_time);
}
static inline haft_status haft_writer_add_text(haft_writer* w, const char* tag, const char* text,
                                               int64_t step, double wall_time) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_text(w, tag, text, step, wall_time);
}
static inline haft_status haft_device_graph_begin_sharing(
    haft_device_graph* g, haft_device_graph* memory) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_begin_sharing(g, memory);
}
static inline haft_status haft_device_graph_is_recording(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_graph_is_recording(out);
}
static inline haft_status haft_set_current_device(haft_device device) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_current_device(device);
}
static inline haft_status haft_get_current_device(const char* type, haft_device* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_current_device(type, out);
}
static inline haft_status haft_device_can_access_peer(haft_device device, haft_device peer,
                                                      int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_device_can_access_peer(device, peer, out);
}
static inline haft_status haft_set_kernel_choice(int32_t choice) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_set_kernel_choice(choice);
}
static inline haft_status haft_get_kernel_choice(int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_get_kernel_choice(out);
}
static inline haft_status haft_range_push(const char* name) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_range_push(name);
}
static inline haft_status haft_range_pop(void) HAFT_DL_NOTHROW { return haft_dl_table->haft_range_pop(); }
static inline haft_status haft_stream_is_done(haft_stream* s, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_is_done(s, out);
}
static inline haft_status haft_stream_get_native(const haft_stream* s, void** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_get_native(s, out);
}
static inline haft_status haft_stream_from_native(haft_device device, void* native,
                                                  haft_stream** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stream_from_native(device, native, out);
}
static inline haft_status haft_event_get_native(const haft_event* e, void** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_event_get_native(e, out);
}
static inline haft_status haft_linalg_solve_triangular(const haft_tensor* A, const haft_tensor* B,
                                                       int32_t upper, int32_t left, int32_t unitriangular,
                                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_solve_triangular(A, B, upper, left, unitriangular, out);
}
static inline haft_status haft_linalg_cholesky(const haft_tensor* A, int32_t upper,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_cholesky(A, upper, out);
}
static inline haft_status haft_linalg_cholesky_ex(const haft_tensor* A, int32_t upper, int32_t check_errors,
                                                  haft_tensor** L, haft_tensor** info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_cholesky_ex(A, upper, check_errors, L, info);
}
static inline haft_status haft_cholesky_solve(const haft_tensor* input, const haft_tensor* L, int32_t upper,
                                              haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cholesky_solve(input, L, upper, out);
}
static inline haft_status haft_cholesky_inverse(const haft_tensor* input, int32_t upper,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_cholesky_inverse(input, upper, out);
}
static inline haft_status haft_linalg_lu_factor(const haft_tensor* A, haft_tensor** LU,
                                                haft_tensor** pivots) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_lu_factor(A, LU, pivots);
}
static inline haft_status haft_linalg_lu_factor_ex(const haft_tensor* A, int32_t check_errors,
                                                   haft_tensor** LU, haft_tensor** pivots,
                                                   haft_tensor** info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_lu_factor_ex(A, check_errors, LU, pivots, info);
}
static inline haft_status haft_lu_unpack(const haft_tensor* LU_data, const haft_tensor* LU_pivots,
                                         int32_t unpack_data, int32_t unpack_pivots, haft_tensor** P,
                                         haft_tensor** L, haft_tensor** U) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots, P, L, U);
}
static inline haft_status haft_linalg_lu(const haft_tensor* A, haft_tensor** P, haft_tensor** L,
                                         haft_tensor** U) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_lu(A, P, L, U);
}
static inline haft_status haft_linalg_lu_solve(const haft_tensor* LU, const haft_tensor* pivots,
                                               const haft_tensor* B, int32_t left, int32_t adjoint,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_lu_solve(LU, pivots, B, left, adjoint, out);
}
static inline haft_status haft_linalg_solve(const haft_tensor* A, const haft_tensor* B, int32_t left,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_solve(A, B, left, out);
}
static inline haft_status haft_linalg_solve_ex(const haft_tensor* A, const haft_tensor* B, int32_t left,
                                               int32_t check_errors, haft_tensor** result,
                                               haft_tensor** info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_solve_ex(A, B, left, check_errors, result, info);
}
static inline haft_status haft_linalg_inv(const haft_tensor* A, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_inv(A, out);
}
static inline haft_status haft_linalg_inv_ex(const haft_tensor* A, int32_t check_errors,
                                             haft_tensor** inverse, haft_tensor** info) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_inv_ex(A, check_errors, inverse, info);
}
static inline haft_status haft_linalg_det(const haft_tensor* A, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_det(A, out);
}
static inline haft_status haft_linalg_slogdet(const haft_tensor* A, haft_tensor** sign,
                                              haft_tensor** logabsdet) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_slogdet(A, sign, logabsdet);
}
static inline haft_status haft_logdet(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_logdet(input, out);
}
static inline haft_status haft_linalg_qr(const haft_tensor* A, int64_t mode, haft_tensor** Q,
                                         haft_tensor** R) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_qr(A, mode, Q, R);
}
static inline haft_status haft_linalg_householder_product(
    const haft_tensor* input, const haft_tensor* tau, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_householder_product(input, tau, out);
}
static inline haft_status haft_linalg_eigh(const haft_tensor* A, int32_t upper, haft_tensor** eigenvalues,
                                           haft_tensor** eigenvectors) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_eigh(A, upper, eigenvalues, eigenvectors);
}
static inline haft_status haft_linalg_eigvalsh(const haft_tensor* A, int32_t upper,
                                               haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_eigvalsh(A, upper, out);
}
static inline haft_status haft_linalg_svd(const haft_tensor* A, int32_t full_matrices, haft_tensor** U,
                                          haft_tensor** S, haft_tensor** Vh) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_svd(A, full_matrices, U, S, Vh);
}
static inline haft_status haft_linalg_svdvals(const haft_tensor* A, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_svdvals(A, out);
}
static inline haft_status haft_linalg_pinv(const haft_tensor* A, haft_scalar atol, haft_scalar rtol,
                                           int32_t hermitian, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_pinv(A, atol, rtol, hermitian, out);
}
static inline haft_status haft_linalg_matrix_rank(const haft_tensor* A, haft_scalar atol, haft_scalar rtol,
                                                  int32_t hermitian, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_matrix_rank(A, atol, rtol, hermitian, out);
}
static inline haft_status haft_linalg_lstsq(const haft_tensor* input, const haft_tensor* B, haft_scalar rcond,
                                            int64_t driver, haft_tensor** solution, haft_tensor** residuals,
                                            haft_tensor** rank,
                                            haft_tensor** singular_values) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_lstsq(input, B, rcond, driver, solution, residuals, rank,
                                          singular_values);
}
static inline haft_status haft_linalg_cond(const haft_tensor* A, haft_scalar p,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_cond(A, p, out);
}
static inline haft_status haft_nuclear_norm(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                            int32_t keepdim, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_nuclear_norm(input, dim, dim_count, keepdim, out);
}
static inline haft_status haft_matrix_exp(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_matrix_exp(input, out);
}
static inline haft_status haft_linalg_tensorsolve(const haft_tensor* A, const haft_tensor* B,
                                                  const int64_t* dims, int64_t dims_count,
                                                  haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_tensorsolve(A, B, dims, dims_count, out);
}
static inline haft_status haft_linalg_tensorinv(const haft_tensor* A, int64_t ind,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_tensorinv(A, ind, out);
}
static inline haft_status haft_linalg_vander(const haft_tensor* x, int64_t N,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_vander(x, N, out);
}
static inline haft_status haft_autograd_vmap(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                             int64_t input_count, const haft_vmap_options* options,
                                             haft_tensor** outputs, int64_t capacity,
                                             int64_t* output_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_vmap(fn, user, inputs, input_count, options, outputs, capacity,
                                           output_count);
}
static inline haft_status haft_tensor_is_batched(const haft_tensor* t, int32_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_tensor_is_batched(t, out);
}
static inline haft_status haft_autograd_jacobian_by_chunks(
    haft_tensors_function fn, void* user, haft_tensor* const* inputs, int64_t input_count, int32_t flags,
    int64_t chunk_size, haft_tensor** jacobians, int64_t capacity, int64_t* count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_autograd_jacobian_by_chunks(
      fn, user, inputs, input_count, flags, chunk_size, jacobians, capacity, count);
}
static inline haft_status haft_image_folder_dataset_create(
    const char* root, int64_t channels, haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_image_folder_dataset_create(root, channels, out);
}
static inline haft_status haft_image_files_dataset_create(
    const char* const* paths, const int64_t* labels, int64_t count, int64_t channels,
    haft_dataset** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_image_files_dataset_create(paths, labels, count, channels, out);
}
static inline haft_status haft_dataset_get_class_count(const haft_dataset* d, int64_t* out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dataset_get_class_count(d, out);
}
static inline haft_status haft_dataset_get_class_name(const haft_dataset* d, int64_t index,
                                                      const char** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dataset_get_class_name(d, index, out);
}
static inline haft_status haft_dataset_targets(const haft_dataset* d, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_dataset_targets(d, out);
}
static inline haft_status haft_random_resized_crop_transform_create(
    int64_t height, int64_t width, double scale_low, double scale_high, double ratio_low, double ratio_high,
    int64_t mode, haft_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_random_resized_crop_transform_create(
      height, width, scale_low, scale_high, ratio_low, ratio_high, mode, out);
}
static inline haft_status haft_jpeg_save(const haft_tensor* image, int64_t quality,
                                         const char* path) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_jpeg_save(image, quality, path);
}
static inline haft_status haft_image_load(const char* path, int64_t channels,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_image_load(path, channels, out);
}
static inline haft_status haft_image_decode(const haft_tensor* bytes, int64_t channels,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_image_decode(bytes, channels, out);
}
static inline haft_status haft_image_encode(const haft_tensor* image, int32_t format, int64_t quality,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_image_encode(image, format, quality, out);
}
static inline haft_status haft_writer_add_graph(haft_writer* w, haft_module* module,
                                                haft_tensor* const* inputs,
                                                int64_t input_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_graph(w, module, inputs, input_count);
}
static inline haft_status haft_writer_add_recorded_graph(
    haft_writer* w, haft_tensor* const* inputs, int64_t input_count, haft_tensor* const* outputs,
    int64_t output_count, const char* const* names, haft_tensor* const* parameters, int64_t parameter_count,
    const haft_graph_scope* scopes, int64_t scope_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_writer_add_recorded_graph(w, inputs, input_count, outputs, output_count, names,
                                                       parameters, parameter_count, scopes, scope_count);
}
static inline haft_status haft_histogramdd(const haft_tensor* input, haft_tensor* const* edges,
                                           int64_t edges_count, const haft_tensor* weight,
                                           const haft_tensor* range, const int64_t* bins, int64_t bins_count,
                                           int32_t density, haft_tensor** outs, int64_t outs_capacity,
                                           int64_t* outs_count) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_histogramdd(input, edges, edges_count, weight, range, bins, bins_count, density,
                                         outs, outs_capacity, outs_count);
}
static inline haft_status haft_weighted_mse_loss(const haft_tensor* input, const haft_tensor* target,
                                                 const haft_tensor* weight, int64_t reduction,
                                                 haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weighted_mse_loss(input, target, weight, reduction, out);
}
static inline haft_status haft_weighted_l1_loss(const haft_tensor* input, const haft_tensor* target,
                                                const haft_tensor* weight, int64_t reduction,
                                                haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weighted_l1_loss(input, target, weight, reduction, out);
}
static inline haft_status haft_weighted_huber_loss(const haft_tensor* input, const haft_tensor* target,
                                                   const haft_tensor* weight, int64_t reduction, double delta,
                                                   haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_weighted_huber_loss(input, target, weight, reduction, delta, out);
}
static inline haft_status haft_view_as_real(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_view_as_real(input, out);
}
static inline haft_status haft_view_as_complex(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_view_as_complex(input, out);
}
static inline haft_status haft_complex(const haft_tensor* real, const haft_tensor* imag,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_complex(real, imag, out);
}
static inline haft_status haft_polar(const haft_tensor* abs, const haft_tensor* angle,
                                     haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_polar(abs, angle, out);
}
static inline haft_status haft_real(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_real(input, out);
}
static inline haft_status haft_imag(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_imag(input, out);
}
static inline haft_status haft_conj(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_conj(input, out);
}
static inline haft_status haft_angle(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_angle(input, out);
}
static inline haft_status haft_sgn(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_sgn(input, out);
}
static inline haft_status haft_isreal(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_isreal(input, out);
}
static inline haft_status haft_vdot(const haft_tensor* input, const haft_tensor* other,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_vdot(input, other, out);
}
static inline haft_status haft_adjoint(const haft_tensor* input, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_adjoint(input, out);
}
static inline haft_status haft_fft_fft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                       haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_fft(input, n, dim, norm, out);
}
static inline haft_status haft_fft_ifft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_ifft(input, n, dim, norm, out);
}
static inline haft_status haft_fft_rfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_rfft(input, n, dim, norm, out);
}
static inline haft_status haft_fft_irfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_irfft(input, n, dim, norm, out);
}
static inline haft_status haft_fft_hfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_hfft(input, n, dim, norm, out);
}
static inline haft_status haft_fft_ihfft(const haft_tensor* input, int64_t n, int64_t dim, int64_t norm,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_ihfft(input, n, dim, norm, out);
}
static inline haft_status haft_fft_fftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                        const int64_t* dim, int64_t dim_count, int64_t norm,
                                        haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_fftn(input, s, s_count, dim, dim_count, norm, out);
}
static inline haft_status haft_fft_ifftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                         const int64_t* dim, int64_t dim_count, int64_t norm,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_ifftn(input, s, s_count, dim, dim_count, norm, out);
}
static inline haft_status haft_fft_rfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                         const int64_t* dim, int64_t dim_count, int64_t norm,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_rfftn(input, s, s_count, dim, dim_count, norm, out);
}
static inline haft_status haft_fft_irfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                          const int64_t* dim, int64_t dim_count, int64_t norm,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_irfftn(input, s, s_count, dim, dim_count, norm, out);
}
static inline haft_status haft_fft_hfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                         const int64_t* dim, int64_t dim_count, int64_t norm,
                                         haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_hfftn(input, s, s_count, dim, dim_count, norm, out);
}
static inline haft_status haft_fft_ihfftn(const haft_tensor* input, const int64_t* s, int64_t s_count,
                                          const int64_t* dim, int64_t dim_count, int64_t norm,
                                          haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_ihfftn(input, s, s_count, dim, dim_count, norm, out);
}
static inline haft_status haft_fft_fftfreq(int64_t n, double d, haft_dtype dtype, haft_device device,
                                           haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_fftfreq(n, d, dtype, device, out);
}
static inline haft_status haft_fft_rfftfreq(int64_t n, double d, haft_dtype dtype, haft_device device,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_rfftfreq(n, d, dtype, device, out);
}
static inline haft_status haft_fft_fftshift(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                            haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_fftshift(input, dim, dim_count, out);
}
static inline haft_status haft_fft_ifftshift(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                                             haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_fft_ifftshift(input, dim, dim_count, out);
}
static inline haft_status haft_stft(const haft_tensor* input, int64_t n_fft, int64_t hop_length,
                                    int64_t win_length, const haft_tensor* window, int32_t center,
                                    int64_t pad_mode, int32_t normalized, int32_t onesided,
                                    haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_stft(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized,
                                  onesided, out);
}
static inline haft_status haft_istft(const haft_tensor* input, int64_t n_fft, int64_t hop_length,
                                     int64_t win_length, const haft_tensor* window, int32_t center,
                                     int32_t normalized, int32_t onesided, int64_t length,
                                     int32_t return_complex, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_istft(input, n_fft, hop_length, win_length, window, center, normalized, onesided,
                                   length, return_complex, out);
}
static inline haft_status haft_linalg_eig(const haft_tensor* A, haft_tensor** eigenvalues,
                                          haft_tensor** eigenvectors) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_eig(A, eigenvalues, eigenvectors);
}
static inline haft_status haft_linalg_eigvals(const haft_tensor* A, haft_tensor** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_linalg_eigvals(A, out);
}
static inline haft_status haft_variable_transform_cat(haft_variable_transform* const* parts, int64_t count,
                                                      const int64_t* lengths, int64_t lengths_count,
                                                      int64_t dim,
                                                      haft_variable_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_cat(parts, count, lengths, lengths_count, dim, out);
}
static inline haft_status haft_variable_transform_cumulative(
    const haft_distribution* d, haft_variable_transform** out) HAFT_DL_NOTHROW {
  return haft_dl_table->haft_variable_transform_cumulative(d, out);
}

#ifdef __cplusplus
}
#endif
#endif
