// Generated from core/schema/ops.def by tools/generate; do not edit.
//
// The C functions of the operators: handles in, a status out. boundary() turns exceptions into statuses; the
// numbers are positions of parameters, for the error record.
#include "capi/src/boundary.h"
#include "core/ops/functions.h"

// After the engine's headers: haft_view is a structure there and a function here.
#include <haft/ops.h>

using namespace haft;
using namespace haft::capi;

namespace {

// Several results: all of them or none.
template <size_t N>
void emit(haft_tensor** const (&outs)[N], std::array<Tensor, N> results) {
  haft_tensor* handles[N];
  size_t made = 0;
  try {
    for (; made < N; ++made) handles[made] = hand_out(std::move(results[made]));
  } catch (...) {
    while (made) release_handle(handles[--made], HandleType::tensor);
    throw;
  }
  for (size_t i = 0; i < N; ++i) *outs[i] = handles[i];
}

}  // namespace

extern "C" {

haft_status haft_abs(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_abs", [&] {
    check_out(out, 1, "out");
    emit(out, ops::abs(arg(input, 0, "input")));
  });
}

haft_status haft_abs_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_abs_", [&] { ops::abs_(arg(input, 0, "input")); });
}

haft_status haft_abs_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_abs_out", [&] { ops::abs_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_neg(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_neg", [&] {
    check_out(out, 1, "out");
    emit(out, ops::neg(arg(input, 0, "input")));
  });
}

haft_status haft_neg_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_neg_", [&] { ops::neg_(arg(input, 0, "input")); });
}

haft_status haft_neg_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_neg_out", [&] { ops::neg_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_sign(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sign", [&] {
    check_out(out, 1, "out");
    emit(out, ops::sign(arg(input, 0, "input")));
  });
}

haft_status haft_sign_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_sign_", [&] { ops::sign_(arg(input, 0, "input")); });
}

haft_status haft_sign_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sign_out", [&] { ops::sign_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_exp(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_exp", [&] {
    check_out(out, 1, "out");
    emit(out, ops::exp(arg(input, 0, "input")));
  });
}

haft_status haft_exp_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_exp_", [&] { ops::exp_(arg(input, 0, "input")); });
}

haft_status haft_exp_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_exp_out", [&] { ops::exp_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_exp2(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_exp2", [&] {
    check_out(out, 1, "out");
    emit(out, ops::exp2(arg(input, 0, "input")));
  });
}

haft_status haft_exp2_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_exp2_", [&] { ops::exp2_(arg(input, 0, "input")); });
}

haft_status haft_exp2_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_exp2_out", [&] { ops::exp2_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_expm1(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_expm1", [&] {
    check_out(out, 1, "out");
    emit(out, ops::expm1(arg(input, 0, "input")));
  });
}

haft_status haft_expm1_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_expm1_", [&] { ops::expm1_(arg(input, 0, "input")); });
}

haft_status haft_expm1_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_expm1_out", [&] { ops::expm1_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_log(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_log", [&] {
    check_out(out, 1, "out");
    emit(out, ops::log(arg(input, 0, "input")));
  });
}

haft_status haft_log_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_log_", [&] { ops::log_(arg(input, 0, "input")); });
}

haft_status haft_log_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_log_out", [&] { ops::log_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_log2(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_log2", [&] {
    check_out(out, 1, "out");
    emit(out, ops::log2(arg(input, 0, "input")));
  });
}

haft_status haft_log2_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_log2_", [&] { ops::log2_(arg(input, 0, "input")); });
}

haft_status haft_log2_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_log2_out", [&] { ops::log2_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_log10(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_log10", [&] {
    check_out(out, 1, "out");
    emit(out, ops::log10(arg(input, 0, "input")));
  });
}

haft_status haft_log10_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_log10_", [&] { ops::log10_(arg(input, 0, "input")); });
}

haft_status haft_log10_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_log10_out", [&] { ops::log10_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_log1p(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_log1p", [&] {
    check_out(out, 1, "out");
    emit(out, ops::log1p(arg(input, 0, "input")));
  });
}

haft_status haft_log1p_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_log1p_", [&] { ops::log1p_(arg(input, 0, "input")); });
}

haft_status haft_log1p_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_log1p_out", [&] { ops::log1p_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_sqrt(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sqrt", [&] {
    check_out(out, 1, "out");
    emit(out, ops::sqrt(arg(input, 0, "input")));
  });
}

haft_status haft_sqrt_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_sqrt_", [&] { ops::sqrt_(arg(input, 0, "input")); });
}

haft_status haft_sqrt_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sqrt_out", [&] { ops::sqrt_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_rsqrt(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_rsqrt", [&] {
    check_out(out, 1, "out");
    emit(out, ops::rsqrt(arg(input, 0, "input")));
  });
}

haft_status haft_rsqrt_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_rsqrt_", [&] { ops::rsqrt_(arg(input, 0, "input")); });
}

haft_status haft_rsqrt_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_rsqrt_out", [&] { ops::rsqrt_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_square(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_square", [&] {
    check_out(out, 1, "out");
    emit(out, ops::square(arg(input, 0, "input")));
  });
}

haft_status haft_square_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_square_", [&] { ops::square_(arg(input, 0, "input")); });
}

haft_status haft_square_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_square_out", [&] { ops::square_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_reciprocal(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_reciprocal", [&] {
    check_out(out, 1, "out");
    emit(out, ops::reciprocal(arg(input, 0, "input")));
  });
}

haft_status haft_reciprocal_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_reciprocal_", [&] { ops::reciprocal_(arg(input, 0, "input")); });
}

haft_status haft_reciprocal_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_reciprocal_out", [&] {
    ops::reciprocal_out(arg(input, 0, "input"), arg(out, 1, "out"));
  });
}

haft_status haft_sin(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sin", [&] {
    check_out(out, 1, "out");
    emit(out, ops::sin(arg(input, 0, "input")));
  });
}

haft_status haft_sin_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_sin_", [&] { ops::sin_(arg(input, 0, "input")); });
}

haft_status haft_sin_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sin_out", [&] { ops::sin_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_cos(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cos", [&] {
    check_out(out, 1, "out");
    emit(out, ops::cos(arg(input, 0, "input")));
  });
}

haft_status haft_cos_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_cos_", [&] { ops::cos_(arg(input, 0, "input")); });
}

haft_status haft_cos_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_cos_out", [&] { ops::cos_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_tan(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_tan", [&] {
    check_out(out, 1, "out");
    emit(out, ops::tan(arg(input, 0, "input")));
  });
}

haft_status haft_tan_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_tan_", [&] { ops::tan_(arg(input, 0, "input")); });
}

haft_status haft_tan_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_tan_out", [&] { ops::tan_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_asin(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_asin", [&] {
    check_out(out, 1, "out");
    emit(out, ops::asin(arg(input, 0, "input")));
  });
}

haft_status haft_asin_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_asin_", [&] { ops::asin_(arg(input, 0, "input")); });
}

haft_status haft_asin_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_asin_out", [&] { ops::asin_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_acos(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_acos", [&] {
    check_out(out, 1, "out");
    emit(out, ops::acos(arg(input, 0, "input")));
  });
}

haft_status haft_acos_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_acos_", [&] { ops::acos_(arg(input, 0, "input")); });
}

haft_status haft_acos_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_acos_out", [&] { ops::acos_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_atan(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_atan", [&] {
    check_out(out, 1, "out");
    emit(out, ops::atan(arg(input, 0, "input")));
  });
}

haft_status haft_atan_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_atan_", [&] { ops::atan_(arg(input, 0, "input")); });
}

haft_status haft_atan_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_atan_out", [&] { ops::atan_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_sinh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sinh", [&] {
    check_out(out, 1, "out");
    emit(out, ops::sinh(arg(input, 0, "input")));
  });
}

haft_status haft_sinh_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_sinh_", [&] { ops::sinh_(arg(input, 0, "input")); });
}

haft_status haft_sinh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sinh_out", [&] { ops::sinh_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_cosh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cosh", [&] {
    check_out(out, 1, "out");
    emit(out, ops::cosh(arg(input, 0, "input")));
  });
}

haft_status haft_cosh_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_cosh_", [&] { ops::cosh_(arg(input, 0, "input")); });
}

haft_status haft_cosh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_cosh_out", [&] { ops::cosh_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_tanh(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_tanh", [&] {
    check_out(out, 1, "out");
    emit(out, ops::tanh(arg(input, 0, "input")));
  });
}

haft_status haft_tanh_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_tanh_", [&] { ops::tanh_(arg(input, 0, "input")); });
}

haft_status haft_tanh_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_tanh_out", [&] { ops::tanh_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_erf(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_erf", [&] {
    check_out(out, 1, "out");
    emit(out, ops::erf(arg(input, 0, "input")));
  });
}

haft_status haft_erf_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_erf_", [&] { ops::erf_(arg(input, 0, "input")); });
}

haft_status haft_erf_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_erf_out", [&] { ops::erf_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_erfc(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_erfc", [&] {
    check_out(out, 1, "out");
    emit(out, ops::erfc(arg(input, 0, "input")));
  });
}

haft_status haft_erfc_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_erfc_", [&] { ops::erfc_(arg(input, 0, "input")); });
}

haft_status haft_erfc_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_erfc_out", [&] { ops::erfc_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_erfinv(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_erfinv", [&] {
    check_out(out, 1, "out");
    emit(out, ops::erfinv(arg(input, 0, "input")));
  });
}

haft_status haft_erfinv_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_erfinv_", [&] { ops::erfinv_(arg(input, 0, "input")); });
}

haft_status haft_erfinv_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_erfinv_out", [&] { ops::erfinv_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_lgamma(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_lgamma", [&] {
    check_out(out, 1, "out");
    emit(out, ops::lgamma(arg(input, 0, "input")));
  });
}

haft_status haft_lgamma_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_lgamma_", [&] { ops::lgamma_(arg(input, 0, "input")); });
}

haft_status haft_lgamma_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_lgamma_out", [&] { ops::lgamma_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_digamma(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_digamma", [&] {
    check_out(out, 1, "out");
    emit(out, ops::digamma(arg(input, 0, "input")));
  });
}

haft_status haft_digamma_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_digamma_", [&] { ops::digamma_(arg(input, 0, "input")); });
}

haft_status haft_digamma_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_digamma_out", [&] { ops::digamma_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_polygamma(int64_t n, const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_polygamma", [&] {
    check_out(out, 2, "out");
    emit(out, ops::polygamma(n, arg(input, 1, "input")));
  });
}

haft_status haft_sigmoid(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sigmoid", [&] {
    check_out(out, 1, "out");
    emit(out, ops::sigmoid(arg(input, 0, "input")));
  });
}

haft_status haft_sigmoid_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_sigmoid_", [&] { ops::sigmoid_(arg(input, 0, "input")); });
}

haft_status haft_sigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sigmoid_out", [&] { ops::sigmoid_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_floor(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_floor", [&] {
    check_out(out, 1, "out");
    emit(out, ops::floor(arg(input, 0, "input")));
  });
}

haft_status haft_floor_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_floor_", [&] { ops::floor_(arg(input, 0, "input")); });
}

haft_status haft_floor_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_floor_out", [&] { ops::floor_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_ceil(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ceil", [&] {
    check_out(out, 1, "out");
    emit(out, ops::ceil(arg(input, 0, "input")));
  });
}

haft_status haft_ceil_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_ceil_", [&] { ops::ceil_(arg(input, 0, "input")); });
}

haft_status haft_ceil_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_ceil_out", [&] { ops::ceil_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_round(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_round", [&] {
    check_out(out, 1, "out");
    emit(out, ops::round(arg(input, 0, "input")));
  });
}

haft_status haft_round_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_round_", [&] { ops::round_(arg(input, 0, "input")); });
}

haft_status haft_round_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_round_out", [&] { ops::round_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_trunc(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_trunc", [&] {
    check_out(out, 1, "out");
    emit(out, ops::trunc(arg(input, 0, "input")));
  });
}

haft_status haft_trunc_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_trunc_", [&] { ops::trunc_(arg(input, 0, "input")); });
}

haft_status haft_trunc_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_trunc_out", [&] { ops::trunc_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_isnan(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_isnan", [&] {
    check_out(out, 1, "out");
    emit(out, ops::isnan(arg(input, 0, "input")));
  });
}

haft_status haft_isinf(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_isinf", [&] {
    check_out(out, 1, "out");
    emit(out, ops::isinf(arg(input, 0, "input")));
  });
}

haft_status haft_isfinite(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_isfinite", [&] {
    check_out(out, 1, "out");
    emit(out, ops::isfinite(arg(input, 0, "input")));
  });
}

haft_status haft_logical_not(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logical_not", [&] {
    check_out(out, 1, "out");
    emit(out, ops::logical_not(arg(input, 0, "input")));
  });
}

haft_status haft_bitwise_not(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bitwise_not", [&] {
    check_out(out, 1, "out");
    emit(out, ops::bitwise_not(arg(input, 0, "input")));
  });
}

haft_status haft_bitwise_not_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_bitwise_not_", [&] { ops::bitwise_not_(arg(input, 0, "input")); });
}

haft_status haft_bitwise_not_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_bitwise_not_out", [&] {
    ops::bitwise_not_out(arg(input, 0, "input"), arg(out, 1, "out"));
  });
}

haft_status haft_add(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_add", [&] {
    check_out(out, 2, "out");
    emit(out, ops::add(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_add_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_add_", [&] { ops::add_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_add_out(const haft_tensor* input, const haft_tensor* other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_add_out", [&] {
    ops::add_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_sub(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sub", [&] {
    check_out(out, 2, "out");
    emit(out, ops::sub(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_sub_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_sub_", [&] { ops::sub_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_sub_out(const haft_tensor* input, const haft_tensor* other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sub_out", [&] {
    ops::sub_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_mul(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mul", [&] {
    check_out(out, 2, "out");
    emit(out, ops::mul(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_mul_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_mul_", [&] { ops::mul_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_mul_out(const haft_tensor* input, const haft_tensor* other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_mul_out", [&] {
    ops::mul_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_div(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_div", [&] {
    check_out(out, 2, "out");
    emit(out, ops::div(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_div_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_div_", [&] { ops::div_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_div_out(const haft_tensor* input, const haft_tensor* other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_div_out", [&] {
    ops::div_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_pow(const haft_tensor* input, const haft_tensor* exponent, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_pow", [&] {
    check_out(out, 2, "out");
    emit(out, ops::pow(arg(input, 0, "input"), arg(exponent, 1, "exponent")));
  });
}

haft_status haft_pow_(haft_tensor* input, const haft_tensor* exponent) HAFT_NOTHROW {
  return boundary("haft_pow_", [&] { ops::pow_(arg(input, 0, "input"), arg(exponent, 1, "exponent")); });
}

haft_status haft_pow_out(const haft_tensor* input, const haft_tensor* exponent,
                         haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_pow_out", [&] {
    ops::pow_out(arg(input, 0, "input"), arg(exponent, 1, "exponent"), arg(out, 2, "out"));
  });
}

haft_status haft_maximum(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_maximum", [&] {
    check_out(out, 2, "out");
    emit(out, ops::maximum(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_maximum_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_maximum_", [&] { ops::maximum_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_maximum_out(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_maximum_out", [&] {
    ops::maximum_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_minimum(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_minimum", [&] {
    check_out(out, 2, "out");
    emit(out, ops::minimum(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_minimum_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_minimum_", [&] { ops::minimum_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_minimum_out(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_minimum_out", [&] {
    ops::minimum_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_fmod(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_fmod", [&] {
    check_out(out, 2, "out");
    emit(out, ops::fmod(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_fmod_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_fmod_", [&] { ops::fmod_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_fmod_out(const haft_tensor* input, const haft_tensor* other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_fmod_out", [&] {
    ops::fmod_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_remainder(const haft_tensor* input, const haft_tensor* other,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_remainder", [&] {
    check_out(out, 2, "out");
    emit(out, ops::remainder(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_remainder_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_remainder_", [&] {
    ops::remainder_(arg(input, 0, "input"), arg(other, 1, "other"));
  });
}

haft_status haft_remainder_out(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_remainder_out", [&] {
    ops::remainder_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_floor_divide(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_floor_divide", [&] {
    check_out(out, 2, "out");
    emit(out, ops::floor_divide(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_floor_divide_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_floor_divide_", [&] {
    ops::floor_divide_(arg(input, 0, "input"), arg(other, 1, "other"));
  });
}

haft_status haft_floor_divide_out(const haft_tensor* input, const haft_tensor* other,
                                  haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_floor_divide_out", [&] {
    ops::floor_divide_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_atan2(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_atan2", [&] {
    check_out(out, 2, "out");
    emit(out, ops::atan2(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_atan2_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_atan2_", [&] { ops::atan2_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_atan2_out(const haft_tensor* input, const haft_tensor* other,
                           haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_atan2_out", [&] {
    ops::atan2_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_hypot(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_hypot", [&] {
    check_out(out, 2, "out");
    emit(out, ops::hypot(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_hypot_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_hypot_", [&] { ops::hypot_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_hypot_out(const haft_tensor* input, const haft_tensor* other,
                           haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_hypot_out", [&] {
    ops::hypot_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_copysign(const haft_tensor* input, const haft_tensor* other,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_copysign", [&] {
    check_out(out, 2, "out");
    emit(out, ops::copysign(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_copysign_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_copysign_", [&] { ops::copysign_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_copysign_out(const haft_tensor* input, const haft_tensor* other,
                              haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_copysign_out", [&] {
    ops::copysign_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_logaddexp(const haft_tensor* input, const haft_tensor* other,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logaddexp", [&] {
    check_out(out, 2, "out");
    emit(out, ops::logaddexp(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_logaddexp_out(const haft_tensor* input, const haft_tensor* other,
                               haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_logaddexp_out", [&] {
    ops::logaddexp_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_logaddexp2(const haft_tensor* input, const haft_tensor* other,
                            haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logaddexp2", [&] {
    check_out(out, 2, "out");
    emit(out, ops::logaddexp2(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_logaddexp2_out(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_logaddexp2_out", [&] {
    ops::logaddexp2_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_xlogy(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_xlogy", [&] {
    check_out(out, 2, "out");
    emit(out, ops::xlogy(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_xlogy_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_xlogy_", [&] { ops::xlogy_(arg(input, 0, "input"), arg(other, 1, "other")); });
}

haft_status haft_xlogy_out(const haft_tensor* input, const haft_tensor* other,
                           haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_xlogy_out", [&] {
    ops::xlogy_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_eq(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_eq", [&] {
    check_out(out, 2, "out");
    emit(out, ops::eq(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_ne(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ne", [&] {
    check_out(out, 2, "out");
    emit(out, ops::ne(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_lt(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_lt", [&] {
    check_out(out, 2, "out");
    emit(out, ops::lt(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_le(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_le", [&] {
    check_out(out, 2, "out");
    emit(out, ops::le(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_gt(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_gt", [&] {
    check_out(out, 2, "out");
    emit(out, ops::gt(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_ge(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ge", [&] {
    check_out(out, 2, "out");
    emit(out, ops::ge(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_logical_and(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logical_and", [&] {
    check_out(out, 2, "out");
    emit(out, ops::logical_and(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_logical_or(const haft_tensor* input, const haft_tensor* other,
                            haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logical_or", [&] {
    check_out(out, 2, "out");
    emit(out, ops::logical_or(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_logical_xor(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logical_xor", [&] {
    check_out(out, 2, "out");
    emit(out, ops::logical_xor(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_bitwise_and(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bitwise_and", [&] {
    check_out(out, 2, "out");
    emit(out, ops::bitwise_and(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_bitwise_and_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_bitwise_and_", [&] {
    ops::bitwise_and_(arg(input, 0, "input"), arg(other, 1, "other"));
  });
}

haft_status haft_bitwise_and_out(const haft_tensor* input, const haft_tensor* other,
                                 haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_bitwise_and_out", [&] {
    ops::bitwise_and_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_bitwise_or(const haft_tensor* input, const haft_tensor* other,
                            haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bitwise_or", [&] {
    check_out(out, 2, "out");
    emit(out, ops::bitwise_or(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_bitwise_or_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_bitwise_or_", [&] {
    ops::bitwise_or_(arg(input, 0, "input"), arg(other, 1, "other"));
  });
}

haft_status haft_bitwise_or_out(const haft_tensor* input, const haft_tensor* other,
                                haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_bitwise_or_out", [&] {
    ops::bitwise_or_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_bitwise_xor(const haft_tensor* input, const haft_tensor* other,
                             haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bitwise_xor", [&] {
    check_out(out, 2, "out");
    emit(out, ops::bitwise_xor(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_bitwise_xor_(haft_tensor* input, const haft_tensor* other) HAFT_NOTHROW {
  return boundary("haft_bitwise_xor_", [&] {
    ops::bitwise_xor_(arg(input, 0, "input"), arg(other, 1, "other"));
  });
}

haft_status haft_bitwise_xor_out(const haft_tensor* input, const haft_tensor* other,
                                 haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_bitwise_xor_out", [&] {
    ops::bitwise_xor_out(arg(input, 0, "input"), arg(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_add_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_add_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::add_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_add_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_add_scalar_", [&] {
    ops::add_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_add_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_add_scalar_out", [&] {
    ops::add_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_sub_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sub_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::sub_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_sub_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_sub_scalar_", [&] {
    ops::sub_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_sub_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sub_scalar_out", [&] {
    ops::sub_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_rsub_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_rsub_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::rsub_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_rsub_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_rsub_scalar_out", [&] {
    ops::rsub_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_mul_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mul_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::mul_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_mul_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_mul_scalar_", [&] {
    ops::mul_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_mul_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_mul_scalar_out", [&] {
    ops::mul_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_div_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_div_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::div_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_div_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_div_scalar_", [&] {
    ops::div_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_div_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_div_scalar_out", [&] {
    ops::div_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_rdiv_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_rdiv_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::rdiv_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_rdiv_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_rdiv_scalar_out", [&] {
    ops::rdiv_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_pow_scalar(const haft_tensor* input, haft_scalar exponent, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_pow_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::pow_scalar(arg(input, 0, "input"), to_scalar(exponent, 1, "exponent")));
  });
}

haft_status haft_pow_scalar_(haft_tensor* input, haft_scalar exponent) HAFT_NOTHROW {
  return boundary("haft_pow_scalar_", [&] {
    ops::pow_scalar_(arg(input, 0, "input"), to_scalar(exponent, 1, "exponent"));
  });
}

haft_status haft_pow_scalar_out(const haft_tensor* input, haft_scalar exponent,
                                haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_pow_scalar_out", [&] {
    ops::pow_scalar_out(arg(input, 0, "input"), to_scalar(exponent, 1, "exponent"), arg(out, 2, "out"));
  });
}

haft_status haft_rpow_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_rpow_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::rpow_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_rpow_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_rpow_scalar_out", [&] {
    ops::rpow_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_fmod_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_fmod_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::fmod_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_fmod_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_fmod_scalar_", [&] {
    ops::fmod_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_fmod_scalar_out(const haft_tensor* input, haft_scalar other, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_fmod_scalar_out", [&] {
    ops::fmod_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_remainder_scalar(const haft_tensor* input, haft_scalar other,
                                  haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_remainder_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::remainder_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_remainder_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_remainder_scalar_", [&] {
    ops::remainder_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_remainder_scalar_out(const haft_tensor* input, haft_scalar other,
                                      haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_remainder_scalar_out", [&] {
    ops::remainder_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_floor_divide_scalar(const haft_tensor* input, haft_scalar other,
                                     haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_floor_divide_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::floor_divide_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_floor_divide_scalar_(haft_tensor* input, haft_scalar other) HAFT_NOTHROW {
  return boundary("haft_floor_divide_scalar_", [&] {
    ops::floor_divide_scalar_(arg(input, 0, "input"), to_scalar(other, 1, "other"));
  });
}

haft_status haft_floor_divide_scalar_out(const haft_tensor* input, haft_scalar other,
                                         haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_floor_divide_scalar_out", [&] {
    ops::floor_divide_scalar_out(arg(input, 0, "input"), to_scalar(other, 1, "other"), arg(out, 2, "out"));
  });
}

haft_status haft_eq_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_eq_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::eq_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_ne_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ne_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::ne_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_lt_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_lt_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::lt_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_le_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_le_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::le_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_gt_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_gt_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::gt_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_ge_scalar(const haft_tensor* input, haft_scalar other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ge_scalar", [&] {
    check_out(out, 2, "out");
    emit(out, ops::ge_scalar(arg(input, 0, "input"), to_scalar(other, 1, "other")));
  });
}

haft_status haft_clamp(const haft_tensor* input, haft_scalar min, haft_scalar max,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_clamp", [&] {
    check_out(out, 3, "out");
    emit(out, ops::clamp(arg(input, 0, "input"), to_optional_scalar(min, 1, "min"),
                         to_optional_scalar(max, 2, "max")));
  });
}

haft_status haft_clamp_(haft_tensor* input, haft_scalar min, haft_scalar max) HAFT_NOTHROW {
  return boundary("haft_clamp_", [&] {
    ops::clamp_(arg(input, 0, "input"), to_optional_scalar(min, 1, "min"), to_optional_scalar(max, 2, "max"));
  });
}

haft_status haft_clamp_out(const haft_tensor* input, haft_scalar min, haft_scalar max,
                           haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_clamp_out", [&] {
    ops::clamp_out(arg(input, 0, "input"), to_optional_scalar(min, 1, "min"),
                   to_optional_scalar(max, 2, "max"), arg(out, 3, "out"));
  });
}

haft_status haft_where(const haft_tensor* condition, const haft_tensor* input, const haft_tensor* other,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_where", [&] {
    check_out(out, 3, "out");
    emit(out, ops::where(arg(condition, 0, "condition"), arg(input, 1, "input"), arg(other, 2, "other")));
  });
}

haft_status haft_where_out(const haft_tensor* condition, const haft_tensor* input, const haft_tensor* other,
                           haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_where_out", [&] {
    ops::where_out(arg(condition, 0, "condition"), arg(input, 1, "input"), arg(other, 2, "other"),
                   arg(out, 3, "out"));
  });
}

haft_status haft_masked_fill(const haft_tensor* input, const haft_tensor* mask, haft_scalar value,
                             haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_masked_fill", [&] {
    check_out(out, 3, "out");
    emit(out, ops::masked_fill(arg(input, 0, "input"), arg(mask, 1, "mask"), to_scalar(value, 2, "value")));
  });
}

haft_status haft_masked_fill_(haft_tensor* input, const haft_tensor* mask, haft_scalar value) HAFT_NOTHROW {
  return boundary("haft_masked_fill_", [&] {
    ops::masked_fill_(arg(input, 0, "input"), arg(mask, 1, "mask"), to_scalar(value, 2, "value"));
  });
}

haft_status haft_addcmul(const haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                         haft_scalar value, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_addcmul", [&] {
    check_out(out, 4, "out");
    emit(out, ops::addcmul(arg(input, 0, "input"), arg(tensor1, 1, "tensor1"), arg(tensor2, 2, "tensor2"),
                           to_scalar(value, 3, "value")));
  });
}

haft_status haft_addcmul_(haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                          haft_scalar value) HAFT_NOTHROW {
  return boundary("haft_addcmul_", [&] {
    ops::addcmul_(arg(input, 0, "input"), arg(tensor1, 1, "tensor1"), arg(tensor2, 2, "tensor2"),
                  to_scalar(value, 3, "value"));
  });
}

haft_status haft_addcmul_out(const haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                             haft_scalar value, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_addcmul_out", [&] {
    ops::addcmul_out(arg(input, 0, "input"), arg(tensor1, 1, "tensor1"), arg(tensor2, 2, "tensor2"),
                     to_scalar(value, 3, "value"), arg(out, 4, "out"));
  });
}

haft_status haft_addcdiv(const haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                         haft_scalar value, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_addcdiv", [&] {
    check_out(out, 4, "out");
    emit(out, ops::addcdiv(arg(input, 0, "input"), arg(tensor1, 1, "tensor1"), arg(tensor2, 2, "tensor2"),
                           to_scalar(value, 3, "value")));
  });
}

haft_status haft_addcdiv_(haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                          haft_scalar value) HAFT_NOTHROW {
  return boundary("haft_addcdiv_", [&] {
    ops::addcdiv_(arg(input, 0, "input"), arg(tensor1, 1, "tensor1"), arg(tensor2, 2, "tensor2"),
                  to_scalar(value, 3, "value"));
  });
}

haft_status haft_addcdiv_out(const haft_tensor* input, const haft_tensor* tensor1, const haft_tensor* tensor2,
                             haft_scalar value, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_addcdiv_out", [&] {
    ops::addcdiv_out(arg(input, 0, "input"), arg(tensor1, 1, "tensor1"), arg(tensor2, 2, "tensor2"),
                     to_scalar(value, 3, "value"), arg(out, 4, "out"));
  });
}

haft_status haft_lerp(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_lerp", [&] {
    check_out(out, 3, "out");
    emit(out, ops::lerp(arg(input, 0, "input"), arg(end, 1, "end"), to_scalar(weight, 2, "weight")));
  });
}

haft_status haft_lerp_(haft_tensor* input, const haft_tensor* end, haft_scalar weight) HAFT_NOTHROW {
  return boundary("haft_lerp_", [&] {
    ops::lerp_(arg(input, 0, "input"), arg(end, 1, "end"), to_scalar(weight, 2, "weight"));
  });
}

haft_status haft_lerp_out(const haft_tensor* input, const haft_tensor* end, haft_scalar weight,
                          haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_lerp_out", [&] {
    ops::lerp_out(arg(input, 0, "input"), arg(end, 1, "end"), to_scalar(weight, 2, "weight"),
                  arg(out, 3, "out"));
  });
}

haft_status haft_relu(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_relu", [&] {
    check_out(out, 1, "out");
    emit(out, ops::relu(arg(input, 0, "input")));
  });
}

haft_status haft_relu_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_relu_", [&] { ops::relu_(arg(input, 0, "input")); });
}

haft_status haft_relu_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_relu_out", [&] { ops::relu_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_gelu(const haft_tensor* input, int32_t tanh, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_gelu", [&] {
    check_out(out, 2, "out");
    emit(out, ops::gelu(arg(input, 0, "input"), to_bool(tanh, 1, "tanh")));
  });
}

haft_status haft_gelu_out(const haft_tensor* input, int32_t tanh, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_gelu_out", [&] {
    ops::gelu_out(arg(input, 0, "input"), to_bool(tanh, 1, "tanh"), arg(out, 2, "out"));
  });
}

haft_status haft_silu(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_silu", [&] {
    check_out(out, 1, "out");
    emit(out, ops::silu(arg(input, 0, "input")));
  });
}

haft_status haft_silu_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_silu_", [&] { ops::silu_(arg(input, 0, "input")); });
}

haft_status haft_silu_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_silu_out", [&] { ops::silu_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_mish(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mish", [&] {
    check_out(out, 1, "out");
    emit(out, ops::mish(arg(input, 0, "input")));
  });
}

haft_status haft_mish_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_mish_", [&] { ops::mish_(arg(input, 0, "input")); });
}

haft_status haft_mish_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_mish_out", [&] { ops::mish_out(arg(input, 0, "input"), arg(out, 1, "out")); });
}

haft_status haft_softplus(const haft_tensor* input, double beta, double threshold,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_softplus", [&] {
    check_out(out, 3, "out");
    emit(out, ops::softplus(arg(input, 0, "input"), beta, threshold));
  });
}

haft_status haft_softplus_out(const haft_tensor* input, double beta, double threshold,
                              haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_softplus_out", [&] {
    ops::softplus_out(arg(input, 0, "input"), beta, threshold, arg(out, 3, "out"));
  });
}

haft_status haft_elu(const haft_tensor* input, double alpha, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_elu", [&] {
    check_out(out, 2, "out");
    emit(out, ops::elu(arg(input, 0, "input"), alpha));
  });
}

haft_status haft_elu_(haft_tensor* input, double alpha) HAFT_NOTHROW {
  return boundary("haft_elu_", [&] { ops::elu_(arg(input, 0, "input"), alpha); });
}

haft_status haft_elu_out(const haft_tensor* input, double alpha, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_elu_out", [&] { ops::elu_out(arg(input, 0, "input"), alpha, arg(out, 2, "out")); });
}

haft_status haft_leaky_relu(const haft_tensor* input, double negative_slope, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_leaky_relu", [&] {
    check_out(out, 2, "out");
    emit(out, ops::leaky_relu(arg(input, 0, "input"), negative_slope));
  });
}

haft_status haft_leaky_relu_(haft_tensor* input, double negative_slope) HAFT_NOTHROW {
  return boundary("haft_leaky_relu_", [&] { ops::leaky_relu_(arg(input, 0, "input"), negative_slope); });
}

haft_status haft_leaky_relu_out(const haft_tensor* input, double negative_slope,
                                haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_leaky_relu_out", [&] {
    ops::leaky_relu_out(arg(input, 0, "input"), negative_slope, arg(out, 2, "out"));
  });
}

haft_status haft_hardtanh(const haft_tensor* input, double min_val, double max_val,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_hardtanh", [&] {
    check_out(out, 3, "out");
    emit(out, ops::hardtanh(arg(input, 0, "input"), min_val, max_val));
  });
}

haft_status haft_hardtanh_(haft_tensor* input, double min_val, double max_val) HAFT_NOTHROW {
  return boundary("haft_hardtanh_", [&] { ops::hardtanh_(arg(input, 0, "input"), min_val, max_val); });
}

haft_status haft_hardtanh_out(const haft_tensor* input, double min_val, double max_val,
                              haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_hardtanh_out", [&] {
    ops::hardtanh_out(arg(input, 0, "input"), min_val, max_val, arg(out, 3, "out"));
  });
}

haft_status haft_hardsigmoid(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_hardsigmoid", [&] {
    check_out(out, 1, "out");
    emit(out, ops::hardsigmoid(arg(input, 0, "input")));
  });
}

haft_status haft_hardsigmoid_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_hardsigmoid_", [&] { ops::hardsigmoid_(arg(input, 0, "input")); });
}

haft_status haft_hardsigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_hardsigmoid_out", [&] {
    ops::hardsigmoid_out(arg(input, 0, "input"), arg(out, 1, "out"));
  });
}

haft_status haft_hardswish(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_hardswish", [&] {
    check_out(out, 1, "out");
    emit(out, ops::hardswish(arg(input, 0, "input")));
  });
}

haft_status haft_hardswish_(haft_tensor* input) HAFT_NOTHROW {
  return boundary("haft_hardswish_", [&] { ops::hardswish_(arg(input, 0, "input")); });
}

haft_status haft_hardswish_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_hardswish_out", [&] {
    ops::hardswish_out(arg(input, 0, "input"), arg(out, 1, "out"));
  });
}

haft_status haft_logsigmoid(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logsigmoid", [&] {
    check_out(out, 1, "out");
    emit(out, ops::logsigmoid(arg(input, 0, "input")));
  });
}

haft_status haft_logsigmoid_out(const haft_tensor* input, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_logsigmoid_out", [&] {
    ops::logsigmoid_out(arg(input, 0, "input"), arg(out, 1, "out"));
  });
}

haft_status haft_full(const int64_t* size, int64_t size_count, haft_scalar fill_value, haft_dtype dtype,
                      haft_device device, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_full", [&] {
    check_out(out, 5, "out");
    emit(out, ops::full(int_list(size, size_count, 0, "size"), to_scalar(fill_value, 2, "fill_value"),
                        to_dtype(dtype, 3, "dtype"), to_device(device, 4, "device")));
  });
}

haft_status haft_empty(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_empty", [&] {
    check_out(out, 4, "out");
    emit(out, ops::empty(int_list(size, size_count, 0, "size"), to_dtype(dtype, 2, "dtype"),
                         to_device(device, 3, "device")));
  });
}

haft_status haft_zeros(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_zeros", [&] {
    check_out(out, 4, "out");
    emit(out, ops::zeros(int_list(size, size_count, 0, "size"), to_dtype(dtype, 2, "dtype"),
                         to_device(device, 3, "device")));
  });
}

haft_status haft_ones(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ones", [&] {
    check_out(out, 4, "out");
    emit(out, ops::ones(int_list(size, size_count, 0, "size"), to_dtype(dtype, 2, "dtype"),
                        to_device(device, 3, "device")));
  });
}

haft_status haft_arange(haft_scalar start, haft_scalar end, haft_scalar step, haft_dtype dtype,
                        haft_device device, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_arange", [&] {
    check_out(out, 5, "out");
    emit(out, ops::arange(to_scalar(start, 0, "start"), to_scalar(end, 1, "end"), to_scalar(step, 2, "step"),
                          to_dtype(dtype, 3, "dtype"), to_device(device, 4, "device")));
  });
}

haft_status haft_linspace(double start, double end, int64_t steps, haft_dtype dtype, haft_device device,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_linspace", [&] {
    check_out(out, 5, "out");
    emit(out, ops::linspace(start, end, steps, to_dtype(dtype, 3, "dtype"), to_device(device, 4, "device")));
  });
}

haft_status haft_logspace(double start, double end, int64_t steps, double base, haft_dtype dtype,
                          haft_device device, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logspace", [&] {
    check_out(out, 6, "out");
    emit(out, ops::logspace(start, end, steps, base, to_dtype(dtype, 4, "dtype"),
                            to_device(device, 5, "device")));
  });
}

haft_status haft_eye(int64_t n, int64_t m, haft_dtype dtype, haft_device device,
                     haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_eye", [&] {
    check_out(out, 4, "out");
    emit(out, ops::eye(n, m, to_dtype(dtype, 2, "dtype"), to_device(device, 3, "device")));
  });
}

haft_status haft_empty_like(const haft_tensor* input, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_empty_like", [&] {
    check_out(out, 2, "out");
    emit(out, ops::empty_like(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype")));
  });
}

haft_status haft_zeros_like(const haft_tensor* input, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_zeros_like", [&] {
    check_out(out, 2, "out");
    emit(out, ops::zeros_like(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype")));
  });
}

haft_status haft_ones_like(const haft_tensor* input, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_ones_like", [&] {
    check_out(out, 2, "out");
    emit(out, ops::ones_like(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype")));
  });
}

haft_status haft_full_like(const haft_tensor* input, haft_scalar fill_value, haft_dtype dtype,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_full_like", [&] {
    check_out(out, 3, "out");
    emit(out, ops::full_like(arg(input, 0, "input"), to_scalar(fill_value, 1, "fill_value"),
                             to_dtype(dtype, 2, "dtype")));
  });
}

haft_status haft_rand(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                      haft_generator* generator, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_rand", [&] {
    check_out(out, 5, "out");
    emit(out, ops::rand(int_list(size, size_count, 0, "size"), to_dtype(dtype, 2, "dtype"),
                        to_device(device, 3, "device"), to_generator(generator, 4, "generator")));
  });
}

haft_status haft_randn(const int64_t* size, int64_t size_count, haft_dtype dtype, haft_device device,
                       haft_generator* generator, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_randn", [&] {
    check_out(out, 5, "out");
    emit(out, ops::randn(int_list(size, size_count, 0, "size"), to_dtype(dtype, 2, "dtype"),
                         to_device(device, 3, "device"), to_generator(generator, 4, "generator")));
  });
}

haft_status haft_randint(int64_t low, int64_t high, const int64_t* size, int64_t size_count, haft_dtype dtype,
                         haft_device device, haft_generator* generator, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_randint", [&] {
    check_out(out, 7, "out");
    emit(out, ops::randint(low, high, int_list(size, size_count, 2, "size"), to_dtype(dtype, 4, "dtype"),
                           to_device(device, 5, "device"), to_generator(generator, 6, "generator")));
  });
}

haft_status haft_randperm(int64_t n, haft_dtype dtype, haft_device device, haft_generator* generator,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_randperm", [&] {
    check_out(out, 4, "out");
    emit(out, ops::randperm(n, to_dtype(dtype, 1, "dtype"), to_device(device, 2, "device"),
                            to_generator(generator, 3, "generator")));
  });
}

haft_status haft_uniform(const int64_t* size, int64_t size_count, double low, double high, haft_dtype dtype,
                         haft_device device, haft_generator* generator, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_uniform", [&] {
    check_out(out, 7, "out");
    emit(out, ops::uniform(int_list(size, size_count, 0, "size"), low, high, to_dtype(dtype, 4, "dtype"),
                           to_device(device, 5, "device"), to_generator(generator, 6, "generator")));
  });
}

haft_status haft_normal(double mean, double std, const int64_t* size, int64_t size_count, haft_dtype dtype,
                        haft_device device, haft_generator* generator, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_normal", [&] {
    check_out(out, 7, "out");
    emit(out, ops::normal(mean, std, int_list(size, size_count, 2, "size"), to_dtype(dtype, 4, "dtype"),
                          to_device(device, 5, "device"), to_generator(generator, 6, "generator")));
  });
}

haft_status haft_bernoulli(const haft_tensor* input, haft_generator* generator,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bernoulli", [&] {
    check_out(out, 2, "out");
    emit(out, ops::bernoulli(arg(input, 0, "input"), to_generator(generator, 1, "generator")));
  });
}

haft_status haft_multinomial(const haft_tensor* input, int64_t num_samples, int32_t replacement,
                             haft_generator* generator, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_multinomial", [&] {
    check_out(out, 4, "out");
    emit(out, ops::multinomial(arg(input, 0, "input"), num_samples, to_bool(replacement, 2, "replacement"),
                               to_generator(generator, 3, "generator")));
  });
}

haft_status haft_rand_like(const haft_tensor* input, haft_dtype dtype, haft_generator* generator,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_rand_like", [&] {
    check_out(out, 3, "out");
    emit(out, ops::rand_like(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype"),
                             to_generator(generator, 2, "generator")));
  });
}

haft_status haft_randn_like(const haft_tensor* input, haft_dtype dtype, haft_generator* generator,
                            haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_randn_like", [&] {
    check_out(out, 3, "out");
    emit(out, ops::randn_like(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype"),
                              to_generator(generator, 2, "generator")));
  });
}

haft_status haft_dropout(const haft_tensor* input, double p, int32_t training, haft_generator* generator,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_dropout", [&] {
    check_out(out, 4, "out");
    emit(out, ops::dropout(arg(input, 0, "input"), p, to_bool(training, 2, "training"),
                           to_generator(generator, 3, "generator")));
  });
}

haft_status haft_as_strided(const haft_tensor* input, const int64_t* size, int64_t size_count,
                            const int64_t* stride, int64_t stride_count, int64_t offset,
                            haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_as_strided", [&] {
    check_out(out, 6, "out");
    emit(out, ops::as_strided(arg(input, 0, "input"), int_list(size, size_count, 1, "size"),
                              int_list(stride, stride_count, 3, "stride"), offset));
  });
}

haft_status haft_view(const haft_tensor* input, const int64_t* size, int64_t size_count,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_view", [&] {
    check_out(out, 3, "out");
    emit(out, ops::view(arg(input, 0, "input"), int_list(size, size_count, 1, "size")));
  });
}

haft_status haft_permute(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_permute", [&] {
    check_out(out, 3, "out");
    emit(out, ops::permute(arg(input, 0, "input"), int_list(dims, dims_count, 1, "dims")));
  });
}

haft_status haft_transpose(const haft_tensor* input, int64_t dim0, int64_t dim1,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_transpose", [&] {
    check_out(out, 3, "out");
    emit(out, ops::transpose(arg(input, 0, "input"), dim0, dim1));
  });
}

haft_status haft_expand(const haft_tensor* input, const int64_t* size, int64_t size_count,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_expand", [&] {
    check_out(out, 3, "out");
    emit(out, ops::expand(arg(input, 0, "input"), int_list(size, size_count, 1, "size")));
  });
}

haft_status haft_squeeze(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_squeeze", [&] {
    check_out(out, 2, "out");
    emit(out, ops::squeeze(arg(input, 0, "input"), dim));
  });
}

haft_status haft_unsqueeze(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_unsqueeze", [&] {
    check_out(out, 2, "out");
    emit(out, ops::unsqueeze(arg(input, 0, "input"), dim));
  });
}

haft_status haft_slice(const haft_tensor* input, int64_t dim, int64_t start, int64_t end, int64_t step,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_slice", [&] {
    check_out(out, 5, "out");
    emit(out, ops::slice(arg(input, 0, "input"), dim, start, end, step));
  });
}

haft_status haft_select(const haft_tensor* input, int64_t dim, int64_t index,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_select", [&] {
    check_out(out, 3, "out");
    emit(out, ops::select(arg(input, 0, "input"), dim, index));
  });
}

haft_status haft_diagonal(const haft_tensor* input, int64_t offset, int64_t dim1, int64_t dim2,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_diagonal", [&] {
    check_out(out, 4, "out");
    emit(out, ops::diagonal(arg(input, 0, "input"), offset, dim1, dim2));
  });
}

haft_status haft_unfold(const haft_tensor* input, int64_t dimension, int64_t size, int64_t step,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_unfold", [&] {
    check_out(out, 4, "out");
    emit(out, ops::unfold(arg(input, 0, "input"), dimension, size, step));
  });
}

haft_status haft_detach(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_detach", [&] {
    check_out(out, 1, "out");
    emit(out, ops::detach(arg(input, 0, "input")));
  });
}

haft_status haft_reshape(const haft_tensor* input, const int64_t* shape, int64_t shape_count,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_reshape", [&] {
    check_out(out, 3, "out");
    emit(out, ops::reshape(arg(input, 0, "input"), int_list(shape, shape_count, 1, "shape")));
  });
}

haft_status haft_flatten(const haft_tensor* input, int64_t start_dim, int64_t end_dim,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_flatten", [&] {
    check_out(out, 3, "out");
    emit(out, ops::flatten(arg(input, 0, "input"), start_dim, end_dim));
  });
}

haft_status haft_unflatten(const haft_tensor* input, int64_t dim, const int64_t* sizes, int64_t sizes_count,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_unflatten", [&] {
    check_out(out, 4, "out");
    emit(out, ops::unflatten(arg(input, 0, "input"), dim, int_list(sizes, sizes_count, 2, "sizes")));
  });
}

haft_status haft_t(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_t", [&] {
    check_out(out, 1, "out");
    emit(out, ops::t(arg(input, 0, "input")));
  });
}

haft_status haft_movedim(const haft_tensor* input, int64_t source, int64_t destination,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_movedim", [&] {
    check_out(out, 3, "out");
    emit(out, ops::movedim(arg(input, 0, "input"), source, destination));
  });
}

haft_status haft_narrow(const haft_tensor* input, int64_t dim, int64_t start, int64_t length,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_narrow", [&] {
    check_out(out, 4, "out");
    emit(out, ops::narrow(arg(input, 0, "input"), dim, start, length));
  });
}

haft_status haft_expand_as(const haft_tensor* input, const haft_tensor* other,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_expand_as", [&] {
    check_out(out, 2, "out");
    emit(out, ops::expand_as(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_split(const haft_tensor* input, int64_t split_size, int64_t dim, haft_tensor** outs,
                       int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW {
  return boundary("haft_split", [&] {
    check_list_out(outs, outs_capacity, outs_count, 3, "outs");
    emit_list(outs, outs_capacity, outs_count, ops::split(arg(input, 0, "input"), split_size, dim));
  });
}

haft_status haft_split_sizes(const haft_tensor* input, const int64_t* split_sizes, int64_t split_sizes_count,
                             int64_t dim, haft_tensor** outs, int64_t outs_capacity,
                             int64_t* outs_count) HAFT_NOTHROW {
  return boundary("haft_split_sizes", [&] {
    check_list_out(outs, outs_capacity, outs_count, 4, "outs");
    emit_list(outs, outs_capacity, outs_count, ops::split_sizes(
        arg(input, 0, "input"), int_list(split_sizes, split_sizes_count, 1, "split_sizes"), dim));
  });
}

haft_status haft_chunk(const haft_tensor* input, int64_t chunks, int64_t dim, haft_tensor** outs,
                       int64_t outs_capacity, int64_t* outs_count) HAFT_NOTHROW {
  return boundary("haft_chunk", [&] {
    check_list_out(outs, outs_capacity, outs_count, 3, "outs");
    emit_list(outs, outs_capacity, outs_count, ops::chunk(arg(input, 0, "input"), chunks, dim));
  });
}

haft_status haft_unbind(const haft_tensor* input, int64_t dim, haft_tensor** outs, int64_t outs_capacity,
                        int64_t* outs_count) HAFT_NOTHROW {
  return boundary("haft_unbind", [&] {
    check_list_out(outs, outs_capacity, outs_count, 2, "outs");
    emit_list(outs, outs_capacity, outs_count, ops::unbind(arg(input, 0, "input"), dim));
  });
}

haft_status haft_cast(const haft_tensor* input, haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cast", [&] {
    check_out(out, 2, "out");
    emit(out, ops::cast(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype")));
  });
}

haft_status haft_contiguous(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_contiguous", [&] {
    check_out(out, 1, "out");
    emit(out, ops::contiguous(arg(input, 0, "input")));
  });
}

haft_status haft_clone(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_clone", [&] {
    check_out(out, 1, "out");
    emit(out, ops::clone(arg(input, 0, "input")));
  });
}

haft_status haft_copy(const haft_tensor* input, const haft_tensor* src, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_copy", [&] {
    check_out(out, 2, "out");
    emit(out, ops::copy(arg(input, 0, "input"), arg(src, 1, "src")));
  });
}

haft_status haft_copy_(haft_tensor* input, const haft_tensor* src) HAFT_NOTHROW {
  return boundary("haft_copy_", [&] { ops::copy_(arg(input, 0, "input"), arg(src, 1, "src")); });
}

haft_status haft_to(const haft_tensor* input, haft_dtype dtype, haft_device device, int32_t non_blocking,
                    haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_to", [&] {
    check_out(out, 4, "out");
    emit(out, ops::to(arg(input, 0, "input"), to_dtype(dtype, 1, "dtype"), to_device(device, 2, "device"),
                      to_bool(non_blocking, 3, "non_blocking")));
  });
}

haft_status haft_fill(const haft_tensor* input, haft_scalar value, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_fill", [&] {
    check_out(out, 2, "out");
    emit(out, ops::fill(arg(input, 0, "input"), to_scalar(value, 1, "value")));
  });
}

haft_status haft_fill_(haft_tensor* input, haft_scalar value) HAFT_NOTHROW {
  return boundary("haft_fill_", [&] { ops::fill_(arg(input, 0, "input"), to_scalar(value, 1, "value")); });
}

haft_status haft_as_strided_scatter(const haft_tensor* input, const haft_tensor* src, const int64_t* size,
                                    int64_t size_count, const int64_t* stride, int64_t stride_count,
                                    int64_t offset, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_as_strided_scatter", [&] {
    check_out(out, 7, "out");
    emit(out, ops::as_strided_scatter(arg(input, 0, "input"), arg(src, 1, "src"),
                                      int_list(size, size_count, 2, "size"),
                                      int_list(stride, stride_count, 4, "stride"), offset));
  });
}

haft_status haft_cat(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                     haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cat", [&] {
    check_out(out, 3, "out");
    emit(out, ops::cat(list_arg(tensors, tensors_count, 0, "tensors"), dim));
  });
}

haft_status haft_stack(haft_tensor* const* tensors, int64_t tensors_count, int64_t dim,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_stack", [&] {
    check_out(out, 3, "out");
    emit(out, ops::stack(list_arg(tensors, tensors_count, 0, "tensors"), dim));
  });
}

haft_status haft_flip(const haft_tensor* input, const int64_t* dims, int64_t dims_count,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_flip", [&] {
    check_out(out, 3, "out");
    emit(out, ops::flip(arg(input, 0, "input"), int_list(dims, dims_count, 1, "dims")));
  });
}

haft_status haft_roll(const haft_tensor* input, const int64_t* shifts, int64_t shifts_count,
                      const int64_t* dims, int64_t dims_count, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_roll", [&] {
    check_out(out, 5, "out");
    emit(out, ops::roll(arg(input, 0, "input"), int_list(shifts, shifts_count, 1, "shifts"),
                        int_list(dims, dims_count, 3, "dims")));
  });
}

haft_status haft_repeat(const haft_tensor* input, const int64_t* repeats, int64_t repeats_count,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_repeat", [&] {
    check_out(out, 3, "out");
    emit(out, ops::repeat(arg(input, 0, "input"), int_list(repeats, repeats_count, 1, "repeats")));
  });
}

haft_status haft_tril(const haft_tensor* input, int64_t diagonal, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_tril", [&] {
    check_out(out, 2, "out");
    emit(out, ops::tril(arg(input, 0, "input"), diagonal));
  });
}

haft_status haft_triu(const haft_tensor* input, int64_t diagonal, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_triu", [&] {
    check_out(out, 2, "out");
    emit(out, ops::triu(arg(input, 0, "input"), diagonal));
  });
}

haft_status haft_sum(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                     haft_dtype dtype, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sum", [&] {
    check_out(out, 5, "out");
    emit(out, ops::sum(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                       to_bool(keepdim, 3, "keepdim"), to_dtype(dtype, 4, "dtype")));
  });
}

haft_status haft_sum_out(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                         haft_dtype dtype, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_sum_out", [&] {
    ops::sum_out(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"), to_bool(keepdim, 3, "keepdim"),
                 to_dtype(dtype, 4, "dtype"), arg(out, 5, "out"));
  });
}

haft_status haft_mean(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mean", [&] {
    check_out(out, 4, "out");
    emit(out, ops::mean(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                        to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_prod(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_prod", [&] {
    check_out(out, 4, "out");
    emit(out, ops::prod(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                        to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_amax(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_amax", [&] {
    check_out(out, 4, "out");
    emit(out, ops::amax(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                        to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_amin(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_amin", [&] {
    check_out(out, 4, "out");
    emit(out, ops::amin(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                        to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_max_dim(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                         haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_max_dim", [&] {
    check_out(values, 3, "values");
    check_out(indices, 4, "indices");
    emit({values, indices}, ops::max_dim(arg(input, 0, "input"), dim, to_bool(keepdim, 2, "keepdim")));
  });
}

haft_status haft_min_dim(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                         haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_min_dim", [&] {
    check_out(values, 3, "values");
    check_out(indices, 4, "indices");
    emit({values, indices}, ops::min_dim(arg(input, 0, "input"), dim, to_bool(keepdim, 2, "keepdim")));
  });
}

haft_status haft_argmax(const haft_tensor* input, int64_t dim, int32_t keepdim,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_argmax", [&] {
    check_out(out, 3, "out");
    emit(out, ops::argmax(arg(input, 0, "input"), dim, to_bool(keepdim, 2, "keepdim")));
  });
}

haft_status haft_argmin(const haft_tensor* input, int64_t dim, int32_t keepdim,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_argmin", [&] {
    check_out(out, 3, "out");
    emit(out, ops::argmin(arg(input, 0, "input"), dim, to_bool(keepdim, 2, "keepdim")));
  });
}

haft_status haft_any(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                     haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_any", [&] {
    check_out(out, 4, "out");
    emit(out, ops::any(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                       to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_all(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                     haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_all", [&] {
    check_out(out, 4, "out");
    emit(out, ops::all(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                       to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_var(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int64_t correction,
                     int32_t keepdim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_var", [&] {
    check_out(out, 5, "out");
    emit(out, ops::var(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"), correction,
                       to_bool(keepdim, 4, "keepdim")));
  });
}

haft_status haft_std(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int64_t correction,
                     int32_t keepdim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_std", [&] {
    check_out(out, 5, "out");
    emit(out, ops::std(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"), correction,
                       to_bool(keepdim, 4, "keepdim")));
  });
}

haft_status haft_norm(const haft_tensor* input, double p, const int64_t* dim, int64_t dim_count,
                      int32_t keepdim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_norm", [&] {
    check_out(out, 5, "out");
    emit(out, ops::norm(arg(input, 0, "input"), p, int_list(dim, dim_count, 2, "dim"),
                        to_bool(keepdim, 4, "keepdim")));
  });
}

haft_status haft_logsumexp(const haft_tensor* input, const int64_t* dim, int64_t dim_count, int32_t keepdim,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logsumexp", [&] {
    check_out(out, 4, "out");
    emit(out, ops::logsumexp(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim"),
                             to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_cumsum(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cumsum", [&] {
    check_out(out, 2, "out");
    emit(out, ops::cumsum(arg(input, 0, "input"), dim));
  });
}

haft_status haft_cumprod(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cumprod", [&] {
    check_out(out, 2, "out");
    emit(out, ops::cumprod(arg(input, 0, "input"), dim));
  });
}

haft_status haft_count_nonzero(const haft_tensor* input, const int64_t* dim, int64_t dim_count,
                               haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_count_nonzero", [&] {
    check_out(out, 3, "out");
    emit(out, ops::count_nonzero(arg(input, 0, "input"), int_list(dim, dim_count, 1, "dim")));
  });
}

haft_status haft_sum_to_size(const haft_tensor* input, const int64_t* size, int64_t size_count,
                             haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_sum_to_size", [&] {
    check_out(out, 3, "out");
    emit(out, ops::sum_to_size(arg(input, 0, "input"), int_list(size, size_count, 1, "size")));
  });
}

haft_status haft_mm(const haft_tensor* input, const haft_tensor* mat2, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mm", [&] {
    check_out(out, 2, "out");
    emit(out, ops::mm(arg(input, 0, "input"), arg(mat2, 1, "mat2")));
  });
}

haft_status haft_mm_out(const haft_tensor* input, const haft_tensor* mat2, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_mm_out", [&] {
    ops::mm_out(arg(input, 0, "input"), arg(mat2, 1, "mat2"), arg(out, 2, "out"));
  });
}

haft_status haft_bmm(const haft_tensor* input, const haft_tensor* mat2, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bmm", [&] {
    check_out(out, 2, "out");
    emit(out, ops::bmm(arg(input, 0, "input"), arg(mat2, 1, "mat2")));
  });
}

haft_status haft_bmm_out(const haft_tensor* input, const haft_tensor* mat2, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_bmm_out", [&] {
    ops::bmm_out(arg(input, 0, "input"), arg(mat2, 1, "mat2"), arg(out, 2, "out"));
  });
}

haft_status haft_addmm(const haft_tensor* input, const haft_tensor* mat1, const haft_tensor* mat2,
                       haft_scalar beta, haft_scalar alpha, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_addmm", [&] {
    check_out(out, 5, "out");
    emit(out, ops::addmm(arg(input, 0, "input"), arg(mat1, 1, "mat1"), arg(mat2, 2, "mat2"),
                         to_scalar(beta, 3, "beta"), to_scalar(alpha, 4, "alpha")));
  });
}

haft_status haft_linear(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_linear", [&] {
    check_out(out, 3, "out");
    emit(out, ops::linear(arg(input, 0, "input"), arg(weight, 1, "weight"), optional_arg(bias, 2, "bias")));
  });
}

haft_status haft_matmul(const haft_tensor* input, const haft_tensor* other, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_matmul", [&] {
    check_out(out, 2, "out");
    emit(out, ops::matmul(arg(input, 0, "input"), arg(other, 1, "other")));
  });
}

haft_status haft_mv(const haft_tensor* input, const haft_tensor* vec, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mv", [&] {
    check_out(out, 2, "out");
    emit(out, ops::mv(arg(input, 0, "input"), arg(vec, 1, "vec")));
  });
}

haft_status haft_dot(const haft_tensor* input, const haft_tensor* tensor, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_dot", [&] {
    check_out(out, 2, "out");
    emit(out, ops::dot(arg(input, 0, "input"), arg(tensor, 1, "tensor")));
  });
}

haft_status haft_outer(const haft_tensor* input, const haft_tensor* vec2, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_outer", [&] {
    check_out(out, 2, "out");
    emit(out, ops::outer(arg(input, 0, "input"), arg(vec2, 1, "vec2")));
  });
}

haft_status haft_baddbmm(const haft_tensor* input, const haft_tensor* batch1, const haft_tensor* batch2,
                         haft_scalar beta, haft_scalar alpha, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_baddbmm", [&] {
    check_out(out, 5, "out");
    emit(out, ops::baddbmm(arg(input, 0, "input"), arg(batch1, 1, "batch1"), arg(batch2, 2, "batch2"),
                           to_scalar(beta, 3, "beta"), to_scalar(alpha, 4, "alpha")));
  });
}

haft_status haft_index_select(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                              haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_index_select", [&] {
    check_out(out, 3, "out");
    emit(out, ops::index_select(arg(input, 0, "input"), dim, arg(index, 2, "index")));
  });
}

haft_status haft_gather(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                        haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_gather", [&] {
    check_out(out, 3, "out");
    emit(out, ops::gather(arg(input, 0, "input"), dim, arg(index, 2, "index")));
  });
}

haft_status haft_scatter(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                         const haft_tensor* src, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_scatter", [&] {
    check_out(out, 4, "out");
    emit(out, ops::scatter(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(src, 3, "src")));
  });
}

haft_status haft_scatter_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                          const haft_tensor* src) HAFT_NOTHROW {
  return boundary("haft_scatter_", [&] {
    ops::scatter_(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(src, 3, "src"));
  });
}

haft_status haft_scatter_add(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                             const haft_tensor* src, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_scatter_add", [&] {
    check_out(out, 4, "out");
    emit(out, ops::scatter_add(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(src, 3, "src")));
  });
}

haft_status haft_scatter_add_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                              const haft_tensor* src) HAFT_NOTHROW {
  return boundary("haft_scatter_add_", [&] {
    ops::scatter_add_(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(src, 3, "src"));
  });
}

haft_status haft_index_add(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                           const haft_tensor* source, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_index_add", [&] {
    check_out(out, 4, "out");
    emit(out, ops::index_add(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(source, 3, "source")));
  });
}

haft_status haft_index_add_(haft_tensor* input, int64_t dim, const haft_tensor* index,
                            const haft_tensor* source) HAFT_NOTHROW {
  return boundary("haft_index_add_", [&] {
    ops::index_add_(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(source, 3, "source"));
  });
}

haft_status haft_index(const haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_index", [&] {
    check_out(out, 3, "out");
    emit(out, ops::index(arg(input, 0, "input"), optional_list_arg(indices, indices_count, 1, "indices")));
  });
}

haft_status haft_index_put(const haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                           const haft_tensor* values, int32_t accumulate, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_index_put", [&] {
    check_out(out, 5, "out");
    emit(out, ops::index_put(arg(input, 0, "input"), optional_list_arg(indices, indices_count, 1, "indices"),
                             arg(values, 3, "values"), to_bool(accumulate, 4, "accumulate")));
  });
}

haft_status haft_index_put_(haft_tensor* input, haft_tensor* const* indices, int64_t indices_count,
                            const haft_tensor* values, int32_t accumulate) HAFT_NOTHROW {
  return boundary("haft_index_put_", [&] {
    ops::index_put_(arg(input, 0, "input"), optional_list_arg(indices, indices_count, 1, "indices"),
                    arg(values, 3, "values"), to_bool(accumulate, 4, "accumulate"));
  });
}

haft_status haft_masked_select(const haft_tensor* input, const haft_tensor* mask,
                               haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_masked_select", [&] {
    check_out(out, 2, "out");
    emit(out, ops::masked_select(arg(input, 0, "input"), arg(mask, 1, "mask")));
  });
}

haft_status haft_nonzero(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_nonzero", [&] {
    check_out(out, 1, "out");
    emit(out, ops::nonzero(arg(input, 0, "input")));
  });
}

haft_status haft_masked_scatter(const haft_tensor* input, const haft_tensor* mask, const haft_tensor* source,
                                haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_masked_scatter", [&] {
    check_out(out, 3, "out");
    emit(out, ops::masked_scatter(arg(input, 0, "input"), arg(mask, 1, "mask"), arg(source, 2, "source")));
  });
}

haft_status haft_one_hot(const haft_tensor* input, int64_t num_classes, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_one_hot", [&] {
    check_out(out, 2, "out");
    emit(out, ops::one_hot(arg(input, 0, "input"), num_classes));
  });
}

haft_status haft_sort(const haft_tensor* input, int64_t dim, int32_t descending, haft_tensor** values,
                      haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_sort", [&] {
    check_out(values, 3, "values");
    check_out(indices, 4, "indices");
    emit({values, indices}, ops::sort(arg(input, 0, "input"), dim, to_bool(descending, 2, "descending")));
  });
}

haft_status haft_argsort(const haft_tensor* input, int64_t dim, int32_t descending,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_argsort", [&] {
    check_out(out, 3, "out");
    emit(out, ops::argsort(arg(input, 0, "input"), dim, to_bool(descending, 2, "descending")));
  });
}

haft_status haft_topk(const haft_tensor* input, int64_t k, int64_t dim, int32_t largest, haft_tensor** values,
                      haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_topk", [&] {
    check_out(values, 4, "values");
    check_out(indices, 5, "indices");
    emit({values, indices}, ops::topk(arg(input, 0, "input"), k, dim, to_bool(largest, 3, "largest")));
  });
}

haft_status haft_kthvalue(const haft_tensor* input, int64_t k, int64_t dim, int32_t keepdim,
                          haft_tensor** values, haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_kthvalue", [&] {
    check_out(values, 4, "values");
    check_out(indices, 5, "indices");
    emit({values, indices}, ops::kthvalue(arg(input, 0, "input"), k, dim, to_bool(keepdim, 3, "keepdim")));
  });
}

haft_status haft_median(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_median", [&] {
    check_out(out, 1, "out");
    emit(out, ops::median(arg(input, 0, "input")));
  });
}

haft_status haft_nanmedian(const haft_tensor* input, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_nanmedian", [&] {
    check_out(out, 1, "out");
    emit(out, ops::nanmedian(arg(input, 0, "input")));
  });
}

haft_status haft_median_dim(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                            haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_median_dim", [&] {
    check_out(values, 3, "values");
    check_out(indices, 4, "indices");
    emit({values, indices}, ops::median_dim(arg(input, 0, "input"), dim, to_bool(keepdim, 2, "keepdim")));
  });
}

haft_status haft_nanmedian_dim(const haft_tensor* input, int64_t dim, int32_t keepdim, haft_tensor** values,
                               haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_nanmedian_dim", [&] {
    check_out(values, 3, "values");
    check_out(indices, 4, "indices");
    emit({values, indices}, ops::nanmedian_dim(arg(input, 0, "input"), dim, to_bool(keepdim, 2, "keepdim")));
  });
}

haft_status haft_searchsorted(const haft_tensor* sorted_sequence, const haft_tensor* input, int32_t right,
                              haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_searchsorted", [&] {
    check_out(out, 3, "out");
    emit(out, ops::searchsorted(arg(sorted_sequence, 0, "sorted_sequence"), arg(input, 1, "input"),
                                to_bool(right, 2, "right")));
  });
}

haft_status haft_bucketize(const haft_tensor* input, const haft_tensor* boundaries, int32_t right,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bucketize", [&] {
    check_out(out, 3, "out");
    emit(out, ops::bucketize(arg(input, 0, "input"), arg(boundaries, 1, "boundaries"),
                             to_bool(right, 2, "right")));
  });
}

haft_status haft_isin(const haft_tensor* elements, const haft_tensor* test_elements, int32_t invert,
                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_isin", [&] {
    check_out(out, 3, "out");
    emit(out, ops::isin(arg(elements, 0, "elements"), arg(test_elements, 1, "test_elements"),
                        to_bool(invert, 2, "invert")));
  });
}

haft_status haft_bincount(const haft_tensor* input, const haft_tensor* weights, int64_t minlength,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_bincount", [&] {
    check_out(out, 3, "out");
    emit(out, ops::bincount(arg(input, 0, "input"), optional_arg(weights, 1, "weights"), minlength));
  });
}

haft_status haft_histc(const haft_tensor* input, int64_t bins, double min, double max,
                       haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_histc", [&] {
    check_out(out, 4, "out");
    emit(out, ops::histc(arg(input, 0, "input"), bins, min, max));
  });
}

haft_status haft_embedding(const haft_tensor* weight, const haft_tensor* indices, int64_t padding_idx,
                           haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_embedding", [&] {
    check_out(out, 3, "out");
    emit(out, ops::embedding(arg(weight, 0, "weight"), arg(indices, 1, "indices"), padding_idx));
  });
}

haft_status haft_cummax(const haft_tensor* input, int64_t dim, haft_tensor** values,
                        haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_cummax", [&] {
    check_out(values, 2, "values");
    check_out(indices, 3, "indices");
    emit({values, indices}, ops::cummax(arg(input, 0, "input"), dim));
  });
}

haft_status haft_cummin(const haft_tensor* input, int64_t dim, haft_tensor** values,
                        haft_tensor** indices) HAFT_NOTHROW {
  return boundary("haft_cummin", [&] {
    check_out(values, 2, "values");
    check_out(indices, 3, "indices");
    emit({values, indices}, ops::cummin(arg(input, 0, "input"), dim));
  });
}

haft_status haft_logcumsumexp(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_logcumsumexp", [&] {
    check_out(out, 2, "out");
    emit(out, ops::logcumsumexp(arg(input, 0, "input"), dim));
  });
}

haft_status haft_scatter_reduce(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                                const haft_tensor* src, int64_t reduce, int32_t include_self,
                                haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_scatter_reduce", [&] {
    check_out(out, 6, "out");
    emit(out, ops::scatter_reduce(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(src, 3, "src"),
                                  reduce, to_bool(include_self, 5, "include_self")));
  });
}

haft_status haft_index_reduce(const haft_tensor* input, int64_t dim, const haft_tensor* index,
                              const haft_tensor* source, int64_t reduce, int32_t include_self,
                              haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_index_reduce", [&] {
    check_out(out, 6, "out");
    emit(out, ops::index_reduce(arg(input, 0, "input"), dim, arg(index, 2, "index"), arg(source, 3, "source"),
                                reduce, to_bool(include_self, 5, "include_self")));
  });
}

haft_status haft_conv2d(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                        const int64_t* stride, int64_t stride_count, const int64_t* padding,
                        int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                        int64_t groups, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_conv2d", [&] {
    check_out(out, 10, "out");
    emit(out, ops::conv2d(arg(input, 0, "input"), arg(weight, 1, "weight"), optional_arg(bias, 2, "bias"),
                          int_list(stride, stride_count, 3, "stride"),
                          int_list(padding, padding_count, 5, "padding"),
                          int_list(dilation, dilation_count, 7, "dilation"), groups));
  });
}

haft_status haft_max_pool2d(const haft_tensor* input, const int64_t* kernel_size, int64_t kernel_size_count,
                            const int64_t* stride, int64_t stride_count, const int64_t* padding,
                            int64_t padding_count, const int64_t* dilation, int64_t dilation_count,
                            int32_t ceil_mode, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_max_pool2d", [&] {
    check_out(out, 10, "out");
    emit(out, ops::max_pool2d(arg(input, 0, "input"),
                              int_list(kernel_size, kernel_size_count, 1, "kernel_size"),
                              int_list(stride, stride_count, 3, "stride"),
                              int_list(padding, padding_count, 5, "padding"),
                              int_list(dilation, dilation_count, 7, "dilation"),
                              to_bool(ceil_mode, 9, "ceil_mode")));
  });
}

haft_status haft_avg_pool2d(const haft_tensor* input, const int64_t* kernel_size, int64_t kernel_size_count,
                            const int64_t* stride, int64_t stride_count, const int64_t* padding,
                            int64_t padding_count, int32_t ceil_mode, int32_t count_include_pad,
                            haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_avg_pool2d", [&] {
    check_out(out, 9, "out");
    emit(out, ops::avg_pool2d(arg(input, 0, "input"),
                              int_list(kernel_size, kernel_size_count, 1, "kernel_size"),
                              int_list(stride, stride_count, 3, "stride"),
                              int_list(padding, padding_count, 5, "padding"),
                              to_bool(ceil_mode, 7, "ceil_mode"),
                              to_bool(count_include_pad, 8, "count_include_pad")));
  });
}

haft_status haft_adaptive_avg_pool2d(const haft_tensor* input, const int64_t* output_size,
                                     int64_t output_size_count, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_adaptive_avg_pool2d", [&] {
    check_out(out, 3, "out");
    emit(out, ops::adaptive_avg_pool2d(arg(input, 0, "input"),
                                       int_list(output_size, output_size_count, 1, "output_size")));
  });
}

haft_status haft_softmax(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_softmax", [&] {
    check_out(out, 2, "out");
    emit(out, ops::softmax(arg(input, 0, "input"), dim));
  });
}

haft_status haft_softmax_out(const haft_tensor* input, int64_t dim, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_softmax_out", [&] {
    ops::softmax_out(arg(input, 0, "input"), dim, arg(out, 2, "out"));
  });
}

haft_status haft_log_softmax(const haft_tensor* input, int64_t dim, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_log_softmax", [&] {
    check_out(out, 2, "out");
    emit(out, ops::log_softmax(arg(input, 0, "input"), dim));
  });
}

haft_status haft_log_softmax_out(const haft_tensor* input, int64_t dim, haft_tensor* out) HAFT_NOTHROW {
  return boundary("haft_log_softmax_out", [&] {
    ops::log_softmax_out(arg(input, 0, "input"), dim, arg(out, 2, "out"));
  });
}

haft_status haft_batch_norm(const haft_tensor* input, const haft_tensor* weight, const haft_tensor* bias,
                            haft_tensor* running_mean, haft_tensor* running_var, int32_t training,
                            double momentum, double eps, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_batch_norm", [&] {
    check_out(out, 8, "out");
    emit(out, ops::batch_norm(arg(input, 0, "input"), optional_arg(weight, 1, "weight"),
                              optional_arg(bias, 2, "bias"), optional_arg(running_mean, 3, "running_mean"),
                              optional_arg(running_var, 4, "running_var"), to_bool(training, 5, "training"),
                              momentum, eps));
  });
}

haft_status haft_layer_norm(const haft_tensor* input, const int64_t* normalized_shape,
                            int64_t normalized_shape_count, const haft_tensor* weight,
                            const haft_tensor* bias, double eps, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_layer_norm", [&] {
    check_out(out, 6, "out");
    emit(out, ops::layer_norm(arg(input, 0, "input"),
                              int_list(normalized_shape, normalized_shape_count, 1, "normalized_shape"),
                              optional_arg(weight, 3, "weight"), optional_arg(bias, 4, "bias"), eps));
  });
}

haft_status haft_cross_entropy(const haft_tensor* input, const haft_tensor* target, const haft_tensor* weight,
                               int64_t reduction, int64_t ignore_index, double label_smoothing,
                               haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_cross_entropy", [&] {
    check_out(out, 6, "out");
    emit(out, ops::cross_entropy(arg(input, 0, "input"), arg(target, 1, "target"),
                                 optional_arg(weight, 2, "weight"), reduction, ignore_index,
                                 label_smoothing));
  });
}

haft_status haft_nll_loss(const haft_tensor* input, const haft_tensor* target, const haft_tensor* weight,
                          int64_t reduction, int64_t ignore_index, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_nll_loss", [&] {
    check_out(out, 5, "out");
    emit(out, ops::nll_loss(arg(input, 0, "input"), arg(target, 1, "target"),
                            optional_arg(weight, 2, "weight"), reduction, ignore_index));
  });
}

haft_status haft_mse_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                          haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_mse_loss", [&] {
    check_out(out, 3, "out");
    emit(out, ops::mse_loss(arg(input, 0, "input"), arg(target, 1, "target"), reduction));
  });
}

haft_status haft_l1_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                         haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_l1_loss", [&] {
    check_out(out, 3, "out");
    emit(out, ops::l1_loss(arg(input, 0, "input"), arg(target, 1, "target"), reduction));
  });
}

haft_status haft_smooth_l1_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                                double beta, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_smooth_l1_loss", [&] {
    check_out(out, 4, "out");
    emit(out, ops::smooth_l1_loss(arg(input, 0, "input"), arg(target, 1, "target"), reduction, beta));
  });
}

haft_status haft_huber_loss(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                            double delta, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_huber_loss", [&] {
    check_out(out, 4, "out");
    emit(out, ops::huber_loss(arg(input, 0, "input"), arg(target, 1, "target"), reduction, delta));
  });
}

haft_status haft_binary_cross_entropy(const haft_tensor* input, const haft_tensor* target,
                                      const haft_tensor* weight, int64_t reduction,
                                      haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_binary_cross_entropy", [&] {
    check_out(out, 4, "out");
    emit(out, ops::binary_cross_entropy(arg(input, 0, "input"), arg(target, 1, "target"),
                                        optional_arg(weight, 2, "weight"), reduction));
  });
}

haft_status haft_binary_cross_entropy_with_logits(const haft_tensor* input, const haft_tensor* target,
                                                  const haft_tensor* weight, const haft_tensor* pos_weight,
                                                  int64_t reduction, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_binary_cross_entropy_with_logits", [&] {
    check_out(out, 5, "out");
    emit(out, ops::binary_cross_entropy_with_logits(arg(input, 0, "input"), arg(target, 1, "target"),
                                                    optional_arg(weight, 2, "weight"),
                                                    optional_arg(pos_weight, 3, "pos_weight"), reduction));
  });
}

haft_status haft_kl_div(const haft_tensor* input, const haft_tensor* target, int64_t reduction,
                        int32_t log_target, haft_tensor** out) HAFT_NOTHROW {
  return boundary("haft_kl_div", [&] {
    check_out(out, 4, "out");
    emit(out, ops::kl_div(arg(input, 0, "input"), arg(target, 1, "target"), reduction,
                          to_bool(log_target, 3, "log_target")));
  });
}

}  // extern "C"
