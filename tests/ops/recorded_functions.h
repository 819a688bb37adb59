// Generated from core/schema/ops.def by tools/generate; do not edit.
//
// The public operators for the records of tests/ops: they do what haft::ops does, and tests/ops/recording.h hears of it.
#pragma once

namespace haft::test::recorded {
using namespace ::haft::ops;

template <class... A>
auto abs(A&&... a) {
  return Recording::call("abs", [&] { return ::haft::ops::abs(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto neg(A&&... a) {
  return Recording::call("neg", [&] { return ::haft::ops::neg(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sign(A&&... a) {
  return Recording::call("sign", [&] { return ::haft::ops::sign(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto exp(A&&... a) {
  return Recording::call("exp", [&] { return ::haft::ops::exp(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto exp2(A&&... a) {
  return Recording::call("exp2", [&] { return ::haft::ops::exp2(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto expm1(A&&... a) {
  return Recording::call("expm1", [&] { return ::haft::ops::expm1(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto log(A&&... a) {
  return Recording::call("log", [&] { return ::haft::ops::log(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto log2(A&&... a) {
  return Recording::call("log2", [&] { return ::haft::ops::log2(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto log10(A&&... a) {
  return Recording::call("log10", [&] { return ::haft::ops::log10(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto log1p(A&&... a) {
  return Recording::call("log1p", [&] { return ::haft::ops::log1p(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sqrt(A&&... a) {
  return Recording::call("sqrt", [&] { return ::haft::ops::sqrt(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto rsqrt(A&&... a) {
  return Recording::call("rsqrt", [&] { return ::haft::ops::rsqrt(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto square(A&&... a) {
  return Recording::call("square", [&] { return ::haft::ops::square(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto reciprocal(A&&... a) {
  return Recording::call("reciprocal", [&] { return ::haft::ops::reciprocal(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sin(A&&... a) {
  return Recording::call("sin", [&] { return ::haft::ops::sin(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cos(A&&... a) {
  return Recording::call("cos", [&] { return ::haft::ops::cos(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto tan(A&&... a) {
  return Recording::call("tan", [&] { return ::haft::ops::tan(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto asin(A&&... a) {
  return Recording::call("asin", [&] { return ::haft::ops::asin(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto acos(A&&... a) {
  return Recording::call("acos", [&] { return ::haft::ops::acos(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto atan(A&&... a) {
  return Recording::call("atan", [&] { return ::haft::ops::atan(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sinh(A&&... a) {
  return Recording::call("sinh", [&] { return ::haft::ops::sinh(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cosh(A&&... a) {
  return Recording::call("cosh", [&] { return ::haft::ops::cosh(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto tanh(A&&... a) {
  return Recording::call("tanh", [&] { return ::haft::ops::tanh(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto erf(A&&... a) {
  return Recording::call("erf", [&] { return ::haft::ops::erf(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto erfc(A&&... a) {
  return Recording::call("erfc", [&] { return ::haft::ops::erfc(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto erfinv(A&&... a) {
  return Recording::call("erfinv", [&] { return ::haft::ops::erfinv(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto lgamma(A&&... a) {
  return Recording::call("lgamma", [&] { return ::haft::ops::lgamma(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto digamma(A&&... a) {
  return Recording::call("digamma", [&] { return ::haft::ops::digamma(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto polygamma(A&&... a) {
  return Recording::call("polygamma", [&] { return ::haft::ops::polygamma(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sigmoid(A&&... a) {
  return Recording::call("sigmoid", [&] { return ::haft::ops::sigmoid(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto floor(A&&... a) {
  return Recording::call("floor", [&] { return ::haft::ops::floor(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ceil(A&&... a) {
  return Recording::call("ceil", [&] { return ::haft::ops::ceil(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto round(A&&... a) {
  return Recording::call("round", [&] { return ::haft::ops::round(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto trunc(A&&... a) {
  return Recording::call("trunc", [&] { return ::haft::ops::trunc(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto isnan(A&&... a) {
  return Recording::call("isnan", [&] { return ::haft::ops::isnan(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto isinf(A&&... a) {
  return Recording::call("isinf", [&] { return ::haft::ops::isinf(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto isfinite(A&&... a) {
  return Recording::call("isfinite", [&] { return ::haft::ops::isfinite(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logical_not(A&&... a) {
  return Recording::call("logical_not", [&] { return ::haft::ops::logical_not(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bitwise_not(A&&... a) {
  return Recording::call("bitwise_not", [&] { return ::haft::ops::bitwise_not(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto add(A&&... a) {
  return Recording::call("add", [&] { return ::haft::ops::add(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sub(A&&... a) {
  return Recording::call("sub", [&] { return ::haft::ops::sub(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mul(A&&... a) {
  return Recording::call("mul", [&] { return ::haft::ops::mul(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto div(A&&... a) {
  return Recording::call("div", [&] { return ::haft::ops::div(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto pow(A&&... a) {
  return Recording::call("pow", [&] { return ::haft::ops::pow(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto maximum(A&&... a) {
  return Recording::call("maximum", [&] { return ::haft::ops::maximum(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto minimum(A&&... a) {
  return Recording::call("minimum", [&] { return ::haft::ops::minimum(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto fmod(A&&... a) {
  return Recording::call("fmod", [&] { return ::haft::ops::fmod(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto remainder(A&&... a) {
  return Recording::call("remainder", [&] { return ::haft::ops::remainder(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto floor_divide(A&&... a) {
  return Recording::call("floor_divide", [&] { return ::haft::ops::floor_divide(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto atan2(A&&... a) {
  return Recording::call("atan2", [&] { return ::haft::ops::atan2(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto hypot(A&&... a) {
  return Recording::call("hypot", [&] { return ::haft::ops::hypot(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto copysign(A&&... a) {
  return Recording::call("copysign", [&] { return ::haft::ops::copysign(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logaddexp(A&&... a) {
  return Recording::call("logaddexp", [&] { return ::haft::ops::logaddexp(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logaddexp2(A&&... a) {
  return Recording::call("logaddexp2", [&] { return ::haft::ops::logaddexp2(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto xlogy(A&&... a) {
  return Recording::call("xlogy", [&] { return ::haft::ops::xlogy(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto eq(A&&... a) {
  return Recording::call("eq", [&] { return ::haft::ops::eq(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ne(A&&... a) {
  return Recording::call("ne", [&] { return ::haft::ops::ne(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto lt(A&&... a) {
  return Recording::call("lt", [&] { return ::haft::ops::lt(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto le(A&&... a) {
  return Recording::call("le", [&] { return ::haft::ops::le(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto gt(A&&... a) {
  return Recording::call("gt", [&] { return ::haft::ops::gt(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ge(A&&... a) {
  return Recording::call("ge", [&] { return ::haft::ops::ge(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logical_and(A&&... a) {
  return Recording::call("logical_and", [&] { return ::haft::ops::logical_and(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logical_or(A&&... a) {
  return Recording::call("logical_or", [&] { return ::haft::ops::logical_or(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logical_xor(A&&... a) {
  return Recording::call("logical_xor", [&] { return ::haft::ops::logical_xor(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bitwise_and(A&&... a) {
  return Recording::call("bitwise_and", [&] { return ::haft::ops::bitwise_and(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bitwise_or(A&&... a) {
  return Recording::call("bitwise_or", [&] { return ::haft::ops::bitwise_or(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bitwise_xor(A&&... a) {
  return Recording::call("bitwise_xor", [&] { return ::haft::ops::bitwise_xor(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto add_scalar(A&&... a) {
  return Recording::call("add_scalar", [&] { return ::haft::ops::add_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sub_scalar(A&&... a) {
  return Recording::call("sub_scalar", [&] { return ::haft::ops::sub_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto rsub_scalar(A&&... a) {
  return Recording::call("rsub_scalar", [&] { return ::haft::ops::rsub_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mul_scalar(A&&... a) {
  return Recording::call("mul_scalar", [&] { return ::haft::ops::mul_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto div_scalar(A&&... a) {
  return Recording::call("div_scalar", [&] { return ::haft::ops::div_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto rdiv_scalar(A&&... a) {
  return Recording::call("rdiv_scalar", [&] { return ::haft::ops::rdiv_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto pow_scalar(A&&... a) {
  return Recording::call("pow_scalar", [&] { return ::haft::ops::pow_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto rpow_scalar(A&&... a) {
  return Recording::call("rpow_scalar", [&] { return ::haft::ops::rpow_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto fmod_scalar(A&&... a) {
  return Recording::call("fmod_scalar", [&] { return ::haft::ops::fmod_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto remainder_scalar(A&&... a) {
  return Recording::call("remainder_scalar", [&] { return ::haft::ops::remainder_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto floor_divide_scalar(A&&... a) {
  return Recording::call("floor_divide_scalar", [&] { return ::haft::ops::floor_divide_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto eq_scalar(A&&... a) {
  return Recording::call("eq_scalar", [&] { return ::haft::ops::eq_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ne_scalar(A&&... a) {
  return Recording::call("ne_scalar", [&] { return ::haft::ops::ne_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto lt_scalar(A&&... a) {
  return Recording::call("lt_scalar", [&] { return ::haft::ops::lt_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto le_scalar(A&&... a) {
  return Recording::call("le_scalar", [&] { return ::haft::ops::le_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto gt_scalar(A&&... a) {
  return Recording::call("gt_scalar", [&] { return ::haft::ops::gt_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ge_scalar(A&&... a) {
  return Recording::call("ge_scalar", [&] { return ::haft::ops::ge_scalar(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto clamp(A&&... a) {
  return Recording::call("clamp", [&] { return ::haft::ops::clamp(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto where(A&&... a) {
  return Recording::call("where", [&] { return ::haft::ops::where(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto masked_fill(A&&... a) {
  return Recording::call("masked_fill", [&] { return ::haft::ops::masked_fill(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto addcmul(A&&... a) {
  return Recording::call("addcmul", [&] { return ::haft::ops::addcmul(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto addcdiv(A&&... a) {
  return Recording::call("addcdiv", [&] { return ::haft::ops::addcdiv(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto lerp(A&&... a) {
  return Recording::call("lerp", [&] { return ::haft::ops::lerp(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto relu(A&&... a) {
  return Recording::call("relu", [&] { return ::haft::ops::relu(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto gelu(A&&... a) {
  return Recording::call("gelu", [&] { return ::haft::ops::gelu(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto silu(A&&... a) {
  return Recording::call("silu", [&] { return ::haft::ops::silu(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mish(A&&... a) {
  return Recording::call("mish", [&] { return ::haft::ops::mish(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto softplus(A&&... a) {
  return Recording::call("softplus", [&] { return ::haft::ops::softplus(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto elu(A&&... a) {
  return Recording::call("elu", [&] { return ::haft::ops::elu(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto leaky_relu(A&&... a) {
  return Recording::call("leaky_relu", [&] { return ::haft::ops::leaky_relu(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto hardtanh(A&&... a) {
  return Recording::call("hardtanh", [&] { return ::haft::ops::hardtanh(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto hardsigmoid(A&&... a) {
  return Recording::call("hardsigmoid", [&] { return ::haft::ops::hardsigmoid(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto hardswish(A&&... a) {
  return Recording::call("hardswish", [&] { return ::haft::ops::hardswish(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logsigmoid(A&&... a) {
  return Recording::call("logsigmoid", [&] { return ::haft::ops::logsigmoid(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto full(A&&... a) {
  return Recording::call("full", [&] { return ::haft::ops::full(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto empty(A&&... a) {
  return Recording::call("empty", [&] { return ::haft::ops::empty(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto zeros(A&&... a) {
  return Recording::call("zeros", [&] { return ::haft::ops::zeros(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ones(A&&... a) {
  return Recording::call("ones", [&] { return ::haft::ops::ones(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto arange(A&&... a) {
  return Recording::call("arange", [&] { return ::haft::ops::arange(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto linspace(A&&... a) {
  return Recording::call("linspace", [&] { return ::haft::ops::linspace(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logspace(A&&... a) {
  return Recording::call("logspace", [&] { return ::haft::ops::logspace(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto eye(A&&... a) {
  return Recording::call("eye", [&] { return ::haft::ops::eye(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto empty_like(A&&... a) {
  return Recording::call("empty_like", [&] { return ::haft::ops::empty_like(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto zeros_like(A&&... a) {
  return Recording::call("zeros_like", [&] { return ::haft::ops::zeros_like(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto ones_like(A&&... a) {
  return Recording::call("ones_like", [&] { return ::haft::ops::ones_like(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto full_like(A&&... a) {
  return Recording::call("full_like", [&] { return ::haft::ops::full_like(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto rand(A&&... a) {
  return Recording::call("rand", [&] { return ::haft::ops::rand(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto randn(A&&... a) {
  return Recording::call("randn", [&] { return ::haft::ops::randn(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto randint(A&&... a) {
  return Recording::call("randint", [&] { return ::haft::ops::randint(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto randperm(A&&... a) {
  return Recording::call("randperm", [&] { return ::haft::ops::randperm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto uniform(A&&... a) {
  return Recording::call("uniform", [&] { return ::haft::ops::uniform(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto normal(A&&... a) {
  return Recording::call("normal", [&] { return ::haft::ops::normal(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bernoulli(A&&... a) {
  return Recording::call("bernoulli", [&] { return ::haft::ops::bernoulli(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto multinomial(A&&... a) {
  return Recording::call("multinomial", [&] { return ::haft::ops::multinomial(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto rand_like(A&&... a) {
  return Recording::call("rand_like", [&] { return ::haft::ops::rand_like(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto randn_like(A&&... a) {
  return Recording::call("randn_like", [&] { return ::haft::ops::randn_like(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto dropout(A&&... a) {
  return Recording::call("dropout", [&] { return ::haft::ops::dropout(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto as_strided(A&&... a) {
  return Recording::call("as_strided", [&] { return ::haft::ops::as_strided(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto view(A&&... a) {
  return Recording::call("view", [&] { return ::haft::ops::view(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto permute(A&&... a) {
  return Recording::call("permute", [&] { return ::haft::ops::permute(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto transpose(A&&... a) {
  return Recording::call("transpose", [&] { return ::haft::ops::transpose(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto expand(A&&... a) {
  return Recording::call("expand", [&] { return ::haft::ops::expand(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto squeeze(A&&... a) {
  return Recording::call("squeeze", [&] { return ::haft::ops::squeeze(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto unsqueeze(A&&... a) {
  return Recording::call("unsqueeze", [&] { return ::haft::ops::unsqueeze(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto slice(A&&... a) {
  return Recording::call("slice", [&] { return ::haft::ops::slice(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto select(A&&... a) {
  return Recording::call("select", [&] { return ::haft::ops::select(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto diagonal(A&&... a) {
  return Recording::call("diagonal", [&] { return ::haft::ops::diagonal(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto unfold(A&&... a) {
  return Recording::call("unfold", [&] { return ::haft::ops::unfold(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto detach(A&&... a) {
  return Recording::call("detach", [&] { return ::haft::ops::detach(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto reshape(A&&... a) {
  return Recording::call("reshape", [&] { return ::haft::ops::reshape(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto flatten(A&&... a) {
  return Recording::call("flatten", [&] { return ::haft::ops::flatten(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto unflatten(A&&... a) {
  return Recording::call("unflatten", [&] { return ::haft::ops::unflatten(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto t(A&&... a) {
  return Recording::call("t", [&] { return ::haft::ops::t(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto movedim(A&&... a) {
  return Recording::call("movedim", [&] { return ::haft::ops::movedim(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto narrow(A&&... a) {
  return Recording::call("narrow", [&] { return ::haft::ops::narrow(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto expand_as(A&&... a) {
  return Recording::call("expand_as", [&] { return ::haft::ops::expand_as(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto split(A&&... a) {
  return Recording::call("split", [&] { return ::haft::ops::split(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto split_sizes(A&&... a) {
  return Recording::call("split_sizes", [&] { return ::haft::ops::split_sizes(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto chunk(A&&... a) {
  return Recording::call("chunk", [&] { return ::haft::ops::chunk(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto unbind(A&&... a) {
  return Recording::call("unbind", [&] { return ::haft::ops::unbind(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cast(A&&... a) {
  return Recording::call("cast", [&] { return ::haft::ops::cast(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto contiguous(A&&... a) {
  return Recording::call("contiguous", [&] { return ::haft::ops::contiguous(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto clone(A&&... a) {
  return Recording::call("clone", [&] { return ::haft::ops::clone(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto copy(A&&... a) {
  return Recording::call("copy", [&] { return ::haft::ops::copy(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto to(A&&... a) {
  return Recording::call("to", [&] { return ::haft::ops::to(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto fill(A&&... a) {
  return Recording::call("fill", [&] { return ::haft::ops::fill(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto as_strided_scatter(A&&... a) {
  return Recording::call("as_strided_scatter", [&] { return ::haft::ops::as_strided_scatter(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cat(A&&... a) {
  return Recording::call("cat", [&] { return ::haft::ops::cat(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto stack(A&&... a) {
  return Recording::call("stack", [&] { return ::haft::ops::stack(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto flip(A&&... a) {
  return Recording::call("flip", [&] { return ::haft::ops::flip(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto roll(A&&... a) {
  return Recording::call("roll", [&] { return ::haft::ops::roll(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto repeat(A&&... a) {
  return Recording::call("repeat", [&] { return ::haft::ops::repeat(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto tril(A&&... a) {
  return Recording::call("tril", [&] { return ::haft::ops::tril(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto triu(A&&... a) {
  return Recording::call("triu", [&] { return ::haft::ops::triu(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sum(A&&... a) {
  return Recording::call("sum", [&] { return ::haft::ops::sum(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mean(A&&... a) {
  return Recording::call("mean", [&] { return ::haft::ops::mean(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto prod(A&&... a) {
  return Recording::call("prod", [&] { return ::haft::ops::prod(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto amax(A&&... a) {
  return Recording::call("amax", [&] { return ::haft::ops::amax(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto amin(A&&... a) {
  return Recording::call("amin", [&] { return ::haft::ops::amin(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto max_dim(A&&... a) {
  return Recording::call("max_dim", [&] { return ::haft::ops::max_dim(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto min_dim(A&&... a) {
  return Recording::call("min_dim", [&] { return ::haft::ops::min_dim(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto argmax(A&&... a) {
  return Recording::call("argmax", [&] { return ::haft::ops::argmax(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto argmin(A&&... a) {
  return Recording::call("argmin", [&] { return ::haft::ops::argmin(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto any(A&&... a) {
  return Recording::call("any", [&] { return ::haft::ops::any(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto all(A&&... a) {
  return Recording::call("all", [&] { return ::haft::ops::all(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto var(A&&... a) {
  return Recording::call("var", [&] { return ::haft::ops::var(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto std(A&&... a) {
  return Recording::call("std", [&] { return ::haft::ops::std(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto norm(A&&... a) {
  return Recording::call("norm", [&] { return ::haft::ops::norm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logsumexp(A&&... a) {
  return Recording::call("logsumexp", [&] { return ::haft::ops::logsumexp(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cumsum(A&&... a) {
  return Recording::call("cumsum", [&] { return ::haft::ops::cumsum(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cumprod(A&&... a) {
  return Recording::call("cumprod", [&] { return ::haft::ops::cumprod(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto count_nonzero(A&&... a) {
  return Recording::call("count_nonzero", [&] { return ::haft::ops::count_nonzero(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sum_to_size(A&&... a) {
  return Recording::call("sum_to_size", [&] { return ::haft::ops::sum_to_size(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mm(A&&... a) {
  return Recording::call("mm", [&] { return ::haft::ops::mm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bmm(A&&... a) {
  return Recording::call("bmm", [&] { return ::haft::ops::bmm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto addmm(A&&... a) {
  return Recording::call("addmm", [&] { return ::haft::ops::addmm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto linear(A&&... a) {
  return Recording::call("linear", [&] { return ::haft::ops::linear(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto matmul(A&&... a) {
  return Recording::call("matmul", [&] { return ::haft::ops::matmul(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mv(A&&... a) {
  return Recording::call("mv", [&] { return ::haft::ops::mv(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto dot(A&&... a) {
  return Recording::call("dot", [&] { return ::haft::ops::dot(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto outer(A&&... a) {
  return Recording::call("outer", [&] { return ::haft::ops::outer(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto baddbmm(A&&... a) {
  return Recording::call("baddbmm", [&] { return ::haft::ops::baddbmm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto index_select(A&&... a) {
  return Recording::call("index_select", [&] { return ::haft::ops::index_select(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto gather(A&&... a) {
  return Recording::call("gather", [&] { return ::haft::ops::gather(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto scatter(A&&... a) {
  return Recording::call("scatter", [&] { return ::haft::ops::scatter(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto scatter_add(A&&... a) {
  return Recording::call("scatter_add", [&] { return ::haft::ops::scatter_add(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto index_add(A&&... a) {
  return Recording::call("index_add", [&] { return ::haft::ops::index_add(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto index(A&&... a) {
  return Recording::call("index", [&] { return ::haft::ops::index(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto index_put(A&&... a) {
  return Recording::call("index_put", [&] { return ::haft::ops::index_put(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto masked_select(A&&... a) {
  return Recording::call("masked_select", [&] { return ::haft::ops::masked_select(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto nonzero(A&&... a) {
  return Recording::call("nonzero", [&] { return ::haft::ops::nonzero(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto masked_scatter(A&&... a) {
  return Recording::call("masked_scatter", [&] { return ::haft::ops::masked_scatter(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto one_hot(A&&... a) {
  return Recording::call("one_hot", [&] { return ::haft::ops::one_hot(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto sort(A&&... a) {
  return Recording::call("sort", [&] { return ::haft::ops::sort(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto argsort(A&&... a) {
  return Recording::call("argsort", [&] { return ::haft::ops::argsort(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto topk(A&&... a) {
  return Recording::call("topk", [&] { return ::haft::ops::topk(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto kthvalue(A&&... a) {
  return Recording::call("kthvalue", [&] { return ::haft::ops::kthvalue(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto median(A&&... a) {
  return Recording::call("median", [&] { return ::haft::ops::median(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto nanmedian(A&&... a) {
  return Recording::call("nanmedian", [&] { return ::haft::ops::nanmedian(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto median_dim(A&&... a) {
  return Recording::call("median_dim", [&] { return ::haft::ops::median_dim(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto nanmedian_dim(A&&... a) {
  return Recording::call("nanmedian_dim", [&] { return ::haft::ops::nanmedian_dim(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto searchsorted(A&&... a) {
  return Recording::call("searchsorted", [&] { return ::haft::ops::searchsorted(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bucketize(A&&... a) {
  return Recording::call("bucketize", [&] { return ::haft::ops::bucketize(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto isin(A&&... a) {
  return Recording::call("isin", [&] { return ::haft::ops::isin(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto bincount(A&&... a) {
  return Recording::call("bincount", [&] { return ::haft::ops::bincount(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto histc(A&&... a) {
  return Recording::call("histc", [&] { return ::haft::ops::histc(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto embedding(A&&... a) {
  return Recording::call("embedding", [&] { return ::haft::ops::embedding(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cummax(A&&... a) {
  return Recording::call("cummax", [&] { return ::haft::ops::cummax(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cummin(A&&... a) {
  return Recording::call("cummin", [&] { return ::haft::ops::cummin(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto logcumsumexp(A&&... a) {
  return Recording::call("logcumsumexp", [&] { return ::haft::ops::logcumsumexp(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto scatter_reduce(A&&... a) {
  return Recording::call("scatter_reduce", [&] { return ::haft::ops::scatter_reduce(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto index_reduce(A&&... a) {
  return Recording::call("index_reduce", [&] { return ::haft::ops::index_reduce(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto conv2d(A&&... a) {
  return Recording::call("conv2d", [&] { return ::haft::ops::conv2d(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto max_pool2d(A&&... a) {
  return Recording::call("max_pool2d", [&] { return ::haft::ops::max_pool2d(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto avg_pool2d(A&&... a) {
  return Recording::call("avg_pool2d", [&] { return ::haft::ops::avg_pool2d(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto adaptive_avg_pool2d(A&&... a) {
  return Recording::call("adaptive_avg_pool2d", [&] { return ::haft::ops::adaptive_avg_pool2d(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto softmax(A&&... a) {
  return Recording::call("softmax", [&] { return ::haft::ops::softmax(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto log_softmax(A&&... a) {
  return Recording::call("log_softmax", [&] { return ::haft::ops::log_softmax(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto batch_norm(A&&... a) {
  return Recording::call("batch_norm", [&] { return ::haft::ops::batch_norm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto layer_norm(A&&... a) {
  return Recording::call("layer_norm", [&] { return ::haft::ops::layer_norm(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto cross_entropy(A&&... a) {
  return Recording::call("cross_entropy", [&] { return ::haft::ops::cross_entropy(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto nll_loss(A&&... a) {
  return Recording::call("nll_loss", [&] { return ::haft::ops::nll_loss(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto mse_loss(A&&... a) {
  return Recording::call("mse_loss", [&] { return ::haft::ops::mse_loss(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto l1_loss(A&&... a) {
  return Recording::call("l1_loss", [&] { return ::haft::ops::l1_loss(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto smooth_l1_loss(A&&... a) {
  return Recording::call("smooth_l1_loss", [&] { return ::haft::ops::smooth_l1_loss(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto huber_loss(A&&... a) {
  return Recording::call("huber_loss", [&] { return ::haft::ops::huber_loss(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto binary_cross_entropy(A&&... a) {
  return Recording::call("binary_cross_entropy", [&] { return ::haft::ops::binary_cross_entropy(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto binary_cross_entropy_with_logits(A&&... a) {
  return Recording::call("binary_cross_entropy_with_logits", [&] { return ::haft::ops::binary_cross_entropy_with_logits(std::forward<A>(a)...); }, a...);
}
template <class... A>
auto kl_div(A&&... a) {
  return Recording::call("kl_div", [&] { return ::haft::ops::kl_div(std::forward<A>(a)...); }, a...);
}

}  // namespace haft::test::recorded
