// Generated from core/schema/ops.def by tools/generate; do not edit.
// The operators for SWIG; bindings/haft.i includes this.
#ifdef SWIGCSHARP
%csmethodmodifiers haft::Tensor::abs "/// <summary>Absolute value |input|.</summary>
  public";
%csmethodmodifiers haft::Tensor::abs_ "/// <summary>Absolute value |input|.</summary>
  public";
%csmethodmodifiers haft::Tensor::abs_out "/// <summary>Absolute value |input|.</summary>
  public";
%csmethodmodifiers haft::Tensor::neg "/// <summary>Negative -input; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::neg_ "/// <summary>Negative -input; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::neg_out "/// <summary>Negative -input; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sign "/// <summary>-1, 0 or 1 by the sign of input; NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::sign_ "/// <summary>-1, 0 or 1 by the sign of input; NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::sign_out "/// <summary>-1, 0 or 1 by the sign of input; NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp "/// <summary>e to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp_ "/// <summary>e to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp_out "/// <summary>e to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp2 "/// <summary>2 to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp2_ "/// <summary>2 to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp2_out "/// <summary>2 to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::expm1 "/// <summary>exp(input) - 1, accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::expm1_ "/// <summary>exp(input) - 1, accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::expm1_out "/// <summary>exp(input) - 1, accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::log "/// <summary>Natural logarithm; -inf at 0, NaN below.</summary>
  public";
%csmethodmodifiers haft::Tensor::log_ "/// <summary>Natural logarithm; -inf at 0, NaN below.</summary>
  public";
%csmethodmodifiers haft::Tensor::log_out "/// <summary>Natural logarithm; -inf at 0, NaN below.</summary>
  public";
%csmethodmodifiers haft::Tensor::log2 "/// <summary>Logarithm to base 2.</summary>
  public";
%csmethodmodifiers haft::Tensor::log2_ "/// <summary>Logarithm to base 2.</summary>
  public";
%csmethodmodifiers haft::Tensor::log2_out "/// <summary>Logarithm to base 2.</summary>
  public";
%csmethodmodifiers haft::Tensor::log10 "/// <summary>Logarithm to base 10.</summary>
  public";
%csmethodmodifiers haft::Tensor::log10_ "/// <summary>Logarithm to base 10.</summary>
  public";
%csmethodmodifiers haft::Tensor::log10_out "/// <summary>Logarithm to base 10.</summary>
  public";
%csmethodmodifiers haft::Tensor::log1p "/// <summary>log(1 + input), accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::log1p_ "/// <summary>log(1 + input), accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::log1p_out "/// <summary>log(1 + input), accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sqrt "/// <summary>Square root; NaN below 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sqrt_ "/// <summary>Square root; NaN below 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sqrt_out "/// <summary>Square root; NaN below 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::rsqrt "/// <summary>1 / sqrt(input).</summary>
  public";
%csmethodmodifiers haft::Tensor::rsqrt_ "/// <summary>1 / sqrt(input).</summary>
  public";
%csmethodmodifiers haft::Tensor::rsqrt_out "/// <summary>1 / sqrt(input).</summary>
  public";
%csmethodmodifiers haft::Tensor::square "/// <summary>input * input.</summary>
  public";
%csmethodmodifiers haft::Tensor::square_ "/// <summary>input * input.</summary>
  public";
%csmethodmodifiers haft::Tensor::square_out "/// <summary>input * input.</summary>
  public";
%csmethodmodifiers haft::Tensor::reciprocal "/// <summary>1 / input.</summary>
  public";
%csmethodmodifiers haft::Tensor::reciprocal_ "/// <summary>1 / input.</summary>
  public";
%csmethodmodifiers haft::Tensor::reciprocal_out "/// <summary>1 / input.</summary>
  public";
%csmethodmodifiers haft::Tensor::sin "/// <summary>Sine of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::sin_ "/// <summary>Sine of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::sin_out "/// <summary>Sine of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::cos "/// <summary>Cosine of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::cos_ "/// <summary>Cosine of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::cos_out "/// <summary>Cosine of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::tan "/// <summary>Tangent of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::tan_ "/// <summary>Tangent of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::tan_out "/// <summary>Tangent of input in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::asin "/// <summary>Arc sine in radians; NaN outside [-1, 1].</summary>
  public";
%csmethodmodifiers haft::Tensor::asin_ "/// <summary>Arc sine in radians; NaN outside [-1, 1].</summary>
  public";
%csmethodmodifiers haft::Tensor::asin_out "/// <summary>Arc sine in radians; NaN outside [-1, 1].</summary>
  public";
%csmethodmodifiers haft::Tensor::acos "/// <summary>Arc cosine in radians; NaN outside [-1, 1].</summary>
  public";
%csmethodmodifiers haft::Tensor::acos_ "/// <summary>Arc cosine in radians; NaN outside [-1, 1].</summary>
  public";
%csmethodmodifiers haft::Tensor::acos_out "/// <summary>Arc cosine in radians; NaN outside [-1, 1].</summary>
  public";
%csmethodmodifiers haft::Tensor::atan "/// <summary>Arc tangent in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan_ "/// <summary>Arc tangent in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan_out "/// <summary>Arc tangent in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::sinh "/// <summary>Hyperbolic sine.</summary>
  public";
%csmethodmodifiers haft::Tensor::sinh_ "/// <summary>Hyperbolic sine.</summary>
  public";
%csmethodmodifiers haft::Tensor::sinh_out "/// <summary>Hyperbolic sine.</summary>
  public";
%csmethodmodifiers haft::Tensor::cosh "/// <summary>Hyperbolic cosine.</summary>
  public";
%csmethodmodifiers haft::Tensor::cosh_ "/// <summary>Hyperbolic cosine.</summary>
  public";
%csmethodmodifiers haft::Tensor::cosh_out "/// <summary>Hyperbolic cosine.</summary>
  public";
%csmethodmodifiers haft::Tensor::tanh "/// <summary>Hyperbolic tangent.</summary>
  public";
%csmethodmodifiers haft::Tensor::tanh_ "/// <summary>Hyperbolic tangent.</summary>
  public";
%csmethodmodifiers haft::Tensor::tanh_out "/// <summary>Hyperbolic tangent.</summary>
  public";
%csmethodmodifiers haft::Tensor::erf "/// <summary>Error function.</summary>
  public";
%csmethodmodifiers haft::Tensor::erf_ "/// <summary>Error function.</summary>
  public";
%csmethodmodifiers haft::Tensor::erf_out "/// <summary>Error function.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfc "/// <summary>Complementary error function 1 - erf(input), accurate where it is small.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfc_ "/// <summary>Complementary error function 1 - erf(input), accurate where it is small.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfc_out "/// <summary>Complementary error function 1 - erf(input), accurate where it is small.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfinv "/// <summary>Inverse of erf; +-infinity at +-1, NaN outside.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfinv_ "/// <summary>Inverse of erf; +-infinity at +-1, NaN outside.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfinv_out "/// <summary>Inverse of erf; +-infinity at +-1, NaN outside.</summary>
  public";
%csmethodmodifiers haft::Tensor::lgamma "/// <summary>Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::lgamma_ "/// <summary>Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::lgamma_out "/// <summary>Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::digamma "/// <summary>Derivative of lgamma; NaN at -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::digamma_ "/// <summary>Derivative of lgamma; NaN at -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::digamma_out "/// <summary>Derivative of lgamma; NaN at -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::polygamma "/// <summary>n-th derivative of digamma; n &gt;= 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sigmoid "/// <summary>1 / (1 + exp(-input)).</summary>
  public";
%csmethodmodifiers haft::Tensor::sigmoid_ "/// <summary>1 / (1 + exp(-input)).</summary>
  public";
%csmethodmodifiers haft::Tensor::sigmoid_out "/// <summary>1 / (1 + exp(-input)).</summary>
  public";
%csmethodmodifiers haft::Tensor::floor "/// <summary>Largest integer not above input.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_ "/// <summary>Largest integer not above input.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_out "/// <summary>Largest integer not above input.</summary>
  public";
%csmethodmodifiers haft::Tensor::ceil "/// <summary>Smallest integer not below input.</summary>
  public";
%csmethodmodifiers haft::Tensor::ceil_ "/// <summary>Smallest integer not below input.</summary>
  public";
%csmethodmodifiers haft::Tensor::ceil_out "/// <summary>Smallest integer not below input.</summary>
  public";
%csmethodmodifiers haft::Tensor::round "/// <summary>Nearest integer, halves to even.</summary>
  public";
%csmethodmodifiers haft::Tensor::round_ "/// <summary>Nearest integer, halves to even.</summary>
  public";
%csmethodmodifiers haft::Tensor::round_out "/// <summary>Nearest integer, halves to even.</summary>
  public";
%csmethodmodifiers haft::Tensor::trunc "/// <summary>Integer part, towards 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::trunc_ "/// <summary>Integer part, towards 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::trunc_out "/// <summary>Integer part, towards 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::isnan "/// <summary>True where input is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::isinf "/// <summary>True where input is an infinity.</summary>
  public";
%csmethodmodifiers haft::Tensor::isfinite "/// <summary>True where input is neither infinite nor NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_not "/// <summary>True where input is 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_not "/// <summary>Bitwise complement; logical not for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_not_ "/// <summary>Bitwise complement; logical not for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_not_out "/// <summary>Bitwise complement; logical not for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add "/// <summary>input + other; logical or for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_ "/// <summary>input + other; logical or for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_out "/// <summary>input + other; logical or for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub "/// <summary>input - other; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_ "/// <summary>input - other; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_out "/// <summary>input - other; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul "/// <summary>input * other; logical and for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_ "/// <summary>input * other; logical and for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_out "/// <summary>input * other; logical and for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::div "/// <summary>input / other, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_ "/// <summary>input / other, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_out "/// <summary>input / other, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow "/// <summary>input to the power exponent.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_ "/// <summary>input to the power exponent.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_out "/// <summary>input to the power exponent.</summary>
  public";
%csmethodmodifiers haft::Tensor::maximum "/// <summary>The larger of input and other; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::maximum_ "/// <summary>The larger of input and other; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::maximum_out "/// <summary>The larger of input and other; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::minimum "/// <summary>The smaller of input and other; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::minimum_ "/// <summary>The smaller of input and other; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::minimum_out "/// <summary>The smaller of input and other; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod "/// <summary>Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_ "/// <summary>Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_out "/// <summary>Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder "/// <summary>Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_ "/// <summary>Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_out "/// <summary>Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide "/// <summary>The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_ "/// <summary>The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_out "/// <summary>The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan2 "/// <summary>Angle of the point (other, input) in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan2_ "/// <summary>Angle of the point (other, input) in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan2_out "/// <summary>Angle of the point (other, input) in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::hypot "/// <summary>sqrt(input^2 + other^2) without overflow in between.</summary>
  public";
%csmethodmodifiers haft::Tensor::hypot_ "/// <summary>sqrt(input^2 + other^2) without overflow in between.</summary>
  public";
%csmethodmodifiers haft::Tensor::hypot_out "/// <summary>sqrt(input^2 + other^2) without overflow in between.</summary>
  public";
%csmethodmodifiers haft::Tensor::copysign "/// <summary>|input| with the sign of other, that of zeros included.</summary>
  public";
%csmethodmodifiers haft::Tensor::copysign_ "/// <summary>|input| with the sign of other, that of zeros included.</summary>
  public";
%csmethodmodifiers haft::Tensor::copysign_out "/// <summary>|input| with the sign of other, that of zeros included.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp "/// <summary>log(exp(input) + exp(other)), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp_out "/// <summary>log(exp(input) + exp(other)), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp2 "/// <summary>log2(2^input + 2^other), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp2_out "/// <summary>log2(2^input + 2^other), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::xlogy "/// <summary>input * log(other), and 0 where input is 0 unless other is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::xlogy_ "/// <summary>input * log(other), and 0 where input is 0 unless other is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::xlogy_out "/// <summary>input * log(other), and 0 where input is 0 unless other is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::eq "/// <summary>input == other.</summary>
  public";
%csmethodmodifiers haft::Tensor::ne "/// <summary>input != other.</summary>
  public";
%csmethodmodifiers haft::Tensor::lt "/// <summary>input &lt; other.</summary>
  public";
%csmethodmodifiers haft::Tensor::le "/// <summary>input &lt;= other.</summary>
  public";
%csmethodmodifiers haft::Tensor::gt "/// <summary>input &gt; other.</summary>
  public";
%csmethodmodifiers haft::Tensor::ge "/// <summary>input &gt;= other.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_and "/// <summary>input != 0 and other != 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_or "/// <summary>input != 0 or other != 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_xor "/// <summary>Exactly one of input and other is not 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_and "/// <summary>Bitwise and; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_and_ "/// <summary>Bitwise and; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_and_out "/// <summary>Bitwise and; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_or "/// <summary>Bitwise or; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_or_ "/// <summary>Bitwise or; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_or_out "/// <summary>Bitwise or; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_xor "/// <summary>Bitwise exclusive or; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_xor_ "/// <summary>Bitwise exclusive or; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_xor_out "/// <summary>Bitwise exclusive or; logical for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add "/// <summary>input + other.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_ "/// <summary>input + other.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_out "/// <summary>input + other.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub "/// <summary>input - other; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_ "/// <summary>input - other; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_out "/// <summary>input - other; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::rsub "/// <summary>other - input; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::rsub_out "/// <summary>other - input; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul "/// <summary>input * other.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_ "/// <summary>input * other.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_out "/// <summary>input * other.</summary>
  public";
%csmethodmodifiers haft::Tensor::div "/// <summary>input / other, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_ "/// <summary>input / other, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_out "/// <summary>input / other, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::rdiv "/// <summary>other / input, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::rdiv_out "/// <summary>other / input, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow "/// <summary>input to the power exponent.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_ "/// <summary>input to the power exponent.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_out "/// <summary>input to the power exponent.</summary>
  public";
%csmethodmodifiers haft::Tensor::rpow "/// <summary>other to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::rpow_out "/// <summary>other to the power input.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod "/// <summary>Remainder of input / other with the sign of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_ "/// <summary>Remainder of input / other with the sign of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_out "/// <summary>Remainder of input / other with the sign of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder "/// <summary>Remainder of input / other with the sign of other.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_ "/// <summary>Remainder of input / other with the sign of other.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_out "/// <summary>Remainder of input / other with the sign of other.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide "/// <summary>The whole number q for which input is q * other + remainder(input, other).</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_ "/// <summary>The whole number q for which input is q * other + remainder(input, other).</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_out "/// <summary>The whole number q for which input is q * other + remainder(input, other).</summary>
  public";
%csmethodmodifiers haft::Tensor::eq "/// <summary>input == other.</summary>
  public";
%csmethodmodifiers haft::Tensor::ne "/// <summary>input != other.</summary>
  public";
%csmethodmodifiers haft::Tensor::lt "/// <summary>input &lt; other.</summary>
  public";
%csmethodmodifiers haft::Tensor::le "/// <summary>input &lt;= other.</summary>
  public";
%csmethodmodifiers haft::Tensor::gt "/// <summary>input &gt; other.</summary>
  public";
%csmethodmodifiers haft::Tensor::ge "/// <summary>input &gt;= other.</summary>
  public";
%csmethodmodifiers haft::Tensor::clamp "/// <summary>input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::clamp_ "/// <summary>input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::clamp_out "/// <summary>input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::where "/// <summary>input where condition is true, other elsewhere.</summary>
  public";
%csmethodmodifiers haft::Tensor::where_out "/// <summary>input where condition is true, other elsewhere.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_fill "/// <summary>value where mask is true, input elsewhere; the result has input's dtype.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_fill_ "/// <summary>value where mask is true, input elsewhere; the result has input's dtype.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcmul "/// <summary>input + value * tensor1 * tensor2.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcmul_ "/// <summary>input + value * tensor1 * tensor2.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcmul_out "/// <summary>input + value * tensor1 * tensor2.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcdiv "/// <summary>input + value * tensor1 / tensor2.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcdiv_ "/// <summary>input + value * tensor1 / tensor2.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcdiv_out "/// <summary>input + value * tensor1 / tensor2.</summary>
  public";
%csmethodmodifiers haft::Tensor::lerp "/// <summary>input + weight * (end - input).</summary>
  public";
%csmethodmodifiers haft::Tensor::lerp_ "/// <summary>input + weight * (end - input).</summary>
  public";
%csmethodmodifiers haft::Tensor::lerp_out "/// <summary>input + weight * (end - input).</summary>
  public";
%csmethodmodifiers haft::Tensor::relu "/// <summary>max(input, 0).</summary>
  public";
%csmethodmodifiers haft::Tensor::relu_ "/// <summary>max(input, 0).</summary>
  public";
%csmethodmodifiers haft::Tensor::relu_out "/// <summary>max(input, 0).</summary>
  public";
%csmethodmodifiers haft::Tensor::gelu "/// <summary>input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).</summary>
  public";
%csmethodmodifiers haft::Tensor::gelu_out "/// <summary>input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).</summary>
  public";
%csmethodmodifiers haft::Tensor::silu "/// <summary>input * sigmoid(input).</summary>
  public";
%csmethodmodifiers haft::Tensor::silu_ "/// <summary>input * sigmoid(input).</summary>
  public";
%csmethodmodifiers haft::Tensor::silu_out "/// <summary>input * sigmoid(input).</summary>
  public";
%csmethodmodifiers haft::Tensor::mish "/// <summary>input * tanh(softplus(input)) (Misra, arXiv:1908.08681).</summary>
  public";
%csmethodmodifiers haft::Tensor::mish_ "/// <summary>input * tanh(softplus(input)) (Misra, arXiv:1908.08681).</summary>
  public";
%csmethodmodifiers haft::Tensor::mish_out "/// <summary>input * tanh(softplus(input)) (Misra, arXiv:1908.08681).</summary>
  public";
%csmethodmodifiers haft::Tensor::softplus "/// <summary>log(1 + exp(beta * input)) / beta; input itself where beta * input &gt; threshold.</summary>
  public";
%csmethodmodifiers haft::Tensor::softplus_out "/// <summary>log(1 + exp(beta * input)) / beta; input itself where beta * input &gt; threshold.</summary>
  public";
%csmethodmodifiers haft::Tensor::elu "/// <summary>input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289).</summary>
  public";
%csmethodmodifiers haft::Tensor::elu_ "/// <summary>input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289).</summary>
  public";
%csmethodmodifiers haft::Tensor::elu_out "/// <summary>input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289).</summary>
  public";
%csmethodmodifiers haft::Tensor::leaky_relu "/// <summary>input above 0, negative_slope * input below.</summary>
  public";
%csmethodmodifiers haft::Tensor::leaky_relu_ "/// <summary>input above 0, negative_slope * input below.</summary>
  public";
%csmethodmodifiers haft::Tensor::leaky_relu_out "/// <summary>input above 0, negative_slope * input below.</summary>
  public";
%csmethodmodifiers haft::Tensor::hardtanh "/// <summary>input limited to [min_val, max_val].</summary>
  public";
%csmethodmodifiers haft::Tensor::hardtanh_ "/// <summary>input limited to [min_val, max_val].</summary>
  public";
%csmethodmodifiers haft::Tensor::hardtanh_out "/// <summary>input limited to [min_val, max_val].</summary>
  public";
%csmethodmodifiers haft::Tensor::hardsigmoid "/// <summary>clamp(input / 6 + 1/2, 0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardsigmoid_ "/// <summary>clamp(input / 6 + 1/2, 0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardsigmoid_out "/// <summary>clamp(input / 6 + 1/2, 0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardswish "/// <summary>input * hardsigmoid(input) (Howard et al., arXiv:1905.02244).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardswish_ "/// <summary>input * hardsigmoid(input) (Howard et al., arXiv:1905.02244).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardswish_out "/// <summary>input * hardsigmoid(input) (Howard et al., arXiv:1905.02244).</summary>
  public";
%csmethodmodifiers haft::Tensor::logsigmoid "/// <summary>log(sigmoid(input)).</summary>
  public";
%csmethodmodifiers haft::Tensor::logsigmoid_out "/// <summary>log(sigmoid(input)).</summary>
  public";
%csmethodmodifiers haft::Tensor::full "/// <summary>A tensor filled with fill_value; dtype by its kind (bool, int64, default float).</summary>
  public";
%csmethodmodifiers haft::Tensor::empty "/// <summary>A tensor with undefined content.</summary>
  public";
%csmethodmodifiers haft::Tensor::zeros "/// <summary>A tensor of zeros; default float unless dtype says otherwise.</summary>
  public";
%csmethodmodifiers haft::Tensor::ones "/// <summary>A tensor of ones; default float unless dtype says otherwise.</summary>
  public";
%csmethodmodifiers haft::Tensor::arange "/// <summary>start, start + step, ... below end; int64 when all three are integers.</summary>
  public";
%csmethodmodifiers haft::Tensor::linspace "/// <summary>steps values from start to end, both included.</summary>
  public";
%csmethodmodifiers haft::Tensor::logspace "/// <summary>base to the power of linspace(start, end, steps).</summary>
  public";
%csmethodmodifiers haft::Tensor::eye "/// <summary>n x m matrix (m &lt; 0: n) with ones on the diagonal.</summary>
  public";
%csmethodmodifiers haft::Tensor::empty_like "/// <summary>Undefined content with the shape, dtype and device of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::zeros_like "/// <summary>Zeros with the shape, dtype and device of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::ones_like "/// <summary>Ones with the shape, dtype and device of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::full_like "/// <summary>fill_value with the shape, dtype and device of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::rand "/// <summary>Uniform numbers in [0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::randn "/// <summary>Standard normal numbers.</summary>
  public";
%csmethodmodifiers haft::Tensor::randint "/// <summary>Integers in [low, high); int64 unless dtype says otherwise.</summary>
  public";
%csmethodmodifiers haft::Tensor::randperm "/// <summary>A random permutation of 0..n-1; int64 unless dtype says otherwise.</summary>
  public";
%csmethodmodifiers haft::Tensor::uniform "/// <summary>Uniform numbers in [low, high).</summary>
  public";
%csmethodmodifiers haft::Tensor::normal "/// <summary>Normal numbers with that mean and standard deviation.</summary>
  public";
%csmethodmodifiers haft::Tensor::bernoulli "/// <summary>1 with the probability that input holds, else 0; dtype of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::multinomial "/// <summary>num_samples int64 indices per row of input (1-d or 2-d), drawn by its weights.</summary>
  public";
%csmethodmodifiers haft::Tensor::rand_like "/// <summary>Uniform numbers in [0, 1) with the shape of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::randn_like "/// <summary>Standard normal numbers with the shape of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::dropout "/// <summary>Zeroes each element with probability p and scales the rest by 1 / (1 - p); input itself when not training (Srivastava et al., JMLR 2014).</summary>
  public";
%csmethodmodifiers haft::Tensor::as_strided "/// <summary>A view with given sizes and strides (elements); offset counts from input's first element.</summary>
  public";
%csmethodmodifiers haft::Tensor::view "/// <summary>The same memory with another shape; one size may be -1. Fails when strides do not allow it: use reshape.</summary>
  public";
%csmethodmodifiers haft::Tensor::permute "/// <summary>Dimensions in the order dims.</summary>
  public";
%csmethodmodifiers haft::Tensor::transpose "/// <summary>Two dimensions exchanged.</summary>
  public";
%csmethodmodifiers haft::Tensor::expand "/// <summary>Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front.</summary>
  public";
%csmethodmodifiers haft::Tensor::squeeze "/// <summary>Without the dimension dim if it has size 1; absent: without all of size 1.</summary>
  public";
%csmethodmodifiers haft::Tensor::unsqueeze "/// <summary>A new dimension of size 1 at dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::slice "/// <summary>input[start:end:step] along dim with Python's clipping; step &gt; 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::select "/// <summary>input at index along dim, without that dimension; negative counts from the end.</summary>
  public";
%csmethodmodifiers haft::Tensor::diagonal "/// <summary>The diagonal of two dimensions as a new last dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::unfold "/// <summary>All windows of `size` along dimension, `step` apart, as a new last dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::detach "/// <summary>The same memory without its history.</summary>
  public";
%csmethodmodifiers haft::Tensor::reshape "/// <summary>Another shape; a view where strides allow it, else a copy. One size may be -1.</summary>
  public";
%csmethodmodifiers haft::Tensor::flatten "/// <summary>Dimensions start_dim..end_dim joined into one.</summary>
  public";
%csmethodmodifiers haft::Tensor::unflatten "/// <summary>Dimension dim split into sizes; one may be -1.</summary>
  public";
%csmethodmodifiers haft::Tensor::t "/// <summary>Transpose of a tensor of at most 2 dimensions.</summary>
  public";
%csmethodmodifiers haft::Tensor::movedim "/// <summary>Dimension source moved to destination.</summary>
  public";
%csmethodmodifiers haft::Tensor::narrow "/// <summary>input[start : start + length] along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::expand_as "/// <summary>input expanded to the shape of other.</summary>
  public";
%csmethodmodifiers haft::Tensor::split "/// <summary>Views of `split_size` along dim; the last may be smaller.</summary>
  public";
%csmethodmodifiers haft::Tensor::split_sizes "/// <summary>Views of the sizes split_sizes along dim; they add up to its size.</summary>
  public";
%csmethodmodifiers haft::Tensor::chunk "/// <summary>At most `chunks` views of equal size along dim; the last may be smaller.</summary>
  public";
%csmethodmodifiers haft::Tensor::unbind "/// <summary>One view for each index of dim, without that dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::cast "/// <summary>input in another element type, dense; floats are truncated towards 0 for integers.</summary>
  public";
%csmethodmodifiers haft::Tensor::contiguous "/// <summary>input itself when dense and row-major, else a copy that is.</summary>
  public";
%csmethodmodifiers haft::Tensor::clone "/// <summary>A copy with its own memory; gradients flow through.</summary>
  public";
%csmethodmodifiers haft::Tensor::copy "/// <summary>src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a view that overlaps it.</summary>
  public";
%csmethodmodifiers haft::Tensor::copy_ "/// <summary>src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a view that overlaps it.</summary>
  public";
%csmethodmodifiers haft::Tensor::to "/// <summary>input in another dtype and on another device; device 0 keeps input's. input itself when neither changes.</summary>
  public";
%csmethodmodifiers haft::Tensor::fill "/// <summary>value in the shape of input; fill_ writes input's memory.</summary>
  public";
%csmethodmodifiers haft::Tensor::fill_ "/// <summary>value in the shape of input; fill_ writes input's memory.</summary>
  public";
%csmethodmodifiers haft::Tensor::as_strided_scatter "/// <summary>A copy of input in which as_strided(size, stride, offset) holds src.</summary>
  public";
%csmethodmodifiers haft::Tensor::cat "/// <summary>Tensors joined along dim; other sizes are equal, dtypes are promoted.</summary>
  public";
%csmethodmodifiers haft::Tensor::stack "/// <summary>Equal shapes joined along a new dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::flip "/// <summary>A copy with those dimensions reversed.</summary>
  public";
%csmethodmodifiers haft::Tensor::roll "/// <summary>A copy shifted cyclically; empty dims: flattened, then restored.</summary>
  public";
%csmethodmodifiers haft::Tensor::repeat "/// <summary>A copy tiled that many times along each dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::tril "/// <summary>Elements on and below a diagonal of the last two dimensions, 0 elsewhere.</summary>
  public";
%csmethodmodifiers haft::Tensor::triu "/// <summary>Elements on and above a diagonal of the last two dimensions, 0 elsewhere.</summary>
  public";
%csmethodmodifiers haft::Tensor::sum "/// <summary>Sum over dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::sum_out "/// <summary>Sum over dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::mean "/// <summary>Mean over dim; floats only.</summary>
  public";
%csmethodmodifiers haft::Tensor::prod "/// <summary>Product over dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::amax "/// <summary>Largest value over dim; NaN wins. Gradients are shared equally at ties.</summary>
  public";
%csmethodmodifiers haft::Tensor::amin "/// <summary>Smallest value over dim; NaN wins. Gradients are shared equally at ties.</summary>
  public";
%csmethodmodifiers haft::Tensor::max_dim "/// <summary>Largest value along dim and the first index where it stands (int64). Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::min_dim "/// <summary>Smallest value along dim and the first index where it stands (int64). Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::argmax "/// <summary>First index of the largest value along dim (int64); absent: of the flattened tensor.</summary>
  public";
%csmethodmodifiers haft::Tensor::argmin "/// <summary>First index of the smallest value along dim (int64); absent: of the flattened tensor.</summary>
  public";
%csmethodmodifiers haft::Tensor::any "/// <summary>True where some element over dim is not 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::all "/// <summary>True where every element over dim is not 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::var "/// <summary>Variance over dim with divisor n - correction (two passes).</summary>
  public";
%csmethodmodifiers haft::Tensor::std "/// <summary>Square root of var.</summary>
  public";
%csmethodmodifiers haft::Tensor::norm "/// <summary>p-norm over dim; p may be 0, 1, 2, any positive number or +-infinity.</summary>
  public";
%csmethodmodifiers haft::Tensor::logsumexp "/// <summary>log(sum(exp(input))) over dim, shifted by the maximum.</summary>
  public";
%csmethodmodifiers haft::Tensor::cumsum "/// <summary>Running sum along dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::cumprod "/// <summary>Running product along dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::count_nonzero "/// <summary>Number of elements that are not 0 (int64).</summary>
  public";
%csmethodmodifiers haft::Tensor::sum_to_size "/// <summary>input summed over the dimensions that broadcasting from size had added.</summary>
  public";
%csmethodmodifiers haft::Tensor::mm "/// <summary>Matrix product (M, K) x (K, N) -&gt; (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::mm_out "/// <summary>Matrix product (M, K) x (K, N) -&gt; (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::bmm "/// <summary>Batched matrix product (B, M, K) x (B, K, N) -&gt; (B, M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::bmm_out "/// <summary>Batched matrix product (B, M, K) x (B, K, N) -&gt; (B, M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::addmm "/// <summary>beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::linear "/// <summary>input @ weight^T + bias: input (*, in), weight (out, in), bias (out) -&gt; (*, out).</summary>
  public";
%csmethodmodifiers haft::Tensor::matmul "/// <summary>Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that broadcast.</summary>
  public";
%csmethodmodifiers haft::Tensor::mv "/// <summary>Matrix-vector product (M, K) x (K) -&gt; (M).</summary>
  public";
%csmethodmodifiers haft::Tensor::dot "/// <summary>Sum of products of two vectors: (K) x (K) -&gt; ().</summary>
  public";
%csmethodmodifiers haft::Tensor::outer "/// <summary>(M) x (N) -&gt; (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::baddbmm "/// <summary>beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to (B, M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::index_select "/// <summary>Slices of input along dim at the 1-d index.</summary>
  public";
%csmethodmodifiers haft::Tensor::gather "/// <summary>out[i][j] = input[index[i][j]][j] for dim 0, and so on; index has input's rank.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter "/// <summary>A copy of input with src written where index points along dim; for repeated indices one of the writes wins.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_ "/// <summary>A copy of input with src written where index points along dim; for repeated indices one of the writes wins.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_add "/// <summary>A copy of input with src added where index points along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_add_ "/// <summary>A copy of input with src added where index points along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_add "/// <summary>A copy of input with the slices of source added at the 1-d index along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_add_ "/// <summary>A copy of input with the slices of source added at the 1-d index along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::index "/// <summary>NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_put "/// <summary>A copy of input with values written (or added) where advanced indexing points.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_put_ "/// <summary>A copy of input with values written (or added) where advanced indexing points.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_select "/// <summary>The elements where mask is true, as a vector.</summary>
  public";
%csmethodmodifiers haft::Tensor::nonzero "/// <summary>Indices of the elements that are not 0: (count, ndim), int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_scatter "/// <summary>A copy of input with consecutive elements of source where mask is true.</summary>
  public";
%csmethodmodifiers haft::Tensor::one_hot "/// <summary>int64 tensor with 1 at each index that input holds, along a new last dimension; num_classes &lt; 0: the largest index and 1.</summary>
  public";
%csmethodmodifiers haft::Tensor::sort "/// <summary>Stable sort along dim; NaN counts as largest. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::argsort "/// <summary>Indices that sort input along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::topk "/// <summary>The k largest (or smallest) elements along dim, sorted. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::kthvalue "/// <summary>The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::median "/// <summary>Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared equally at ties.</summary>
  public";
%csmethodmodifiers haft::Tensor::nanmedian "/// <summary>Median of the elements that are not NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::median_dim "/// <summary>Middle element along dim, the lower of two, and where it stands; NaN if any is. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::nanmedian_dim "/// <summary>Middle along dim of the elements that are not NaN, and where it stands. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::searchsorted "/// <summary>Where each element of input keeps the last dimension of sorted_sequence in order (int64): before equal elements, or after them with right. sorted_sequence has one dimension, or the leading ones of input.</summary>
  public";
%csmethodmodifiers haft::Tensor::bucketize "/// <summary>searchsorted of input in the vector boundaries.</summary>
  public";
%csmethodmodifiers haft::Tensor::isin "/// <summary>True where an element of elements is among those of test, or is not with invert. NaN is not.</summary>
  public";
%csmethodmodifiers haft::Tensor::bincount "/// <summary>How often each of 0, 1, ... stands in the integer vector input, or the sum of its weights; at least minlength counts.</summary>
  public";
%csmethodmodifiers haft::Tensor::histc "/// <summary>Counts in bins of equal width from min to max, both included; equal limits mean those of the data.</summary>
  public";
%csmethodmodifiers haft::Tensor::embedding "/// <summary>Rows of weight (V, D) at indices (*) -&gt; (*, D); row padding_idx gets no gradient.</summary>
  public";
%csmethodmodifiers haft::Tensor::cummax "/// <summary>Largest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::cummin "/// <summary>Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::logcumsumexp "/// <summary>log(cumsum(exp(input))) along dim, without overflow; floats only.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_reduce "/// <summary>A copy of input in which the elements that index points to along dim are reduced with those of src; without include_self, of src alone. Means of integers are rounded down.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_reduce "/// <summary>scatter_reduce of whole slices of source at the 1-d index along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::conv2d "/// <summary>Cross-correlation: input (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -&gt; (N, O, H', W').</summary>
  public";
%csmethodmodifiers haft::Tensor::max_pool2d "/// <summary>Maximum of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding counts as -infinity.</summary>
  public";
%csmethodmodifiers haft::Tensor::avg_pool2d "/// <summary>Mean of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size.</summary>
  public";
%csmethodmodifiers haft::Tensor::adaptive_avg_pool2d "/// <summary>Mean over a grid of output_size windows of input (N, C, H, W) or (C, H, W).</summary>
  public";
%csmethodmodifiers haft::Tensor::softmax "/// <summary>exp(input) / sum(exp(input)) along dim, shifted by the maximum.</summary>
  public";
%csmethodmodifiers haft::Tensor::softmax_out "/// <summary>exp(input) / sum(exp(input)) along dim, shifted by the maximum.</summary>
  public";
%csmethodmodifiers haft::Tensor::log_softmax "/// <summary>log(softmax(input)) along dim, without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::log_softmax_out "/// <summary>log(softmax(input)) along dim, without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::batch_norm "/// <summary>(input - mean) / sqrt(var + eps) * weight + bias per channel of input (N, C, *); the others are (C); updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).</summary>
  public";
%csmethodmodifiers haft::Tensor::layer_norm "/// <summary>(input - mean) / sqrt(var + eps) * weight + bias over the last dimensions normalized_shape (Ba et al., arXiv:1607.06450).</summary>
  public";
%csmethodmodifiers haft::Tensor::cross_entropy "/// <summary>-log softmax(input)[target]: input (N, C, *) against class indices (N, *) of int64, or probabilities of input's shape.</summary>
  public";
%csmethodmodifiers haft::Tensor::nll_loss "/// <summary>-input[target] for log-probabilities input (N, C, *) and class indices target (N, *), int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::mse_loss "/// <summary>(input - target)^2; the shapes broadcast.</summary>
  public";
%csmethodmodifiers haft::Tensor::l1_loss "/// <summary>|input - target|; the shapes broadcast.</summary>
  public";
%csmethodmodifiers haft::Tensor::smooth_l1_loss "/// <summary>Quadratic below beta, linear above (Girshick, arXiv:1504.08083).</summary>
  public";
%csmethodmodifiers haft::Tensor::huber_loss "/// <summary>Huber's loss: delta times smooth_l1_loss with beta = delta.</summary>
  public";
%csmethodmodifiers haft::Tensor::binary_cross_entropy "/// <summary>-(target log input + (1 - target) log(1 - input)); logarithms are limited to -100 as in PyTorch.</summary>
  public";
%csmethodmodifiers haft::Tensor::binary_cross_entropy_with_logits "/// <summary>binary_cross_entropy of sigmoid(input), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::kl_div "/// <summary>target (log target - input) for log-probabilities input.</summary>
  public";
#endif

%extend haft::Tensor {

  // ---- Pointwise: unary -------------------------------------------------------------------------------------
  /** Absolute value |input|. */
  haft::Tensor abs() { return haft::abs(*$self); }
  /** Absolute value |input|. */
  haft::Tensor& abs_() { haft::abs_(*$self); return *$self; }
  /** Absolute value |input|. */
  void abs_out(const haft::Tensor& out) { haft::abs_out(*$self, out); }
  /** Negative -input; bool is refused. */
  haft::Tensor neg() { return haft::neg(*$self); }
  /** Negative -input; bool is refused. */
  haft::Tensor& neg_() { haft::neg_(*$self); return *$self; }
  /** Negative -input; bool is refused. */
  void neg_out(const haft::Tensor& out) { haft::neg_out(*$self, out); }
  /** -1, 0 or 1 by the sign of input; NaN stays NaN. */
  haft::Tensor sign() { return haft::sign(*$self); }
  /** -1, 0 or 1 by the sign of input; NaN stays NaN. */
  haft::Tensor& sign_() { haft::sign_(*$self); return *$self; }
  /** -1, 0 or 1 by the sign of input; NaN stays NaN. */
  void sign_out(const haft::Tensor& out) { haft::sign_out(*$self, out); }
  /** e to the power input. */
  haft::Tensor exp() { return haft::exp(*$self); }
  /** e to the power input. */
  haft::Tensor& exp_() { haft::exp_(*$self); return *$self; }
  /** e to the power input. */
  void exp_out(const haft::Tensor& out) { haft::exp_out(*$self, out); }
  /** 2 to the power input. */
  haft::Tensor exp2() { return haft::exp2(*$self); }
  /** 2 to the power input. */
  haft::Tensor& exp2_() { haft::exp2_(*$self); return *$self; }
  /** 2 to the power input. */
  void exp2_out(const haft::Tensor& out) { haft::exp2_out(*$self, out); }
  /** exp(input) - 1, accurate near 0. */
  haft::Tensor expm1() { return haft::expm1(*$self); }
  /** exp(input) - 1, accurate near 0. */
  haft::Tensor& expm1_() { haft::expm1_(*$self); return *$self; }
  /** exp(input) - 1, accurate near 0. */
  void expm1_out(const haft::Tensor& out) { haft::expm1_out(*$self, out); }
  /** Natural logarithm; -inf at 0, NaN below. */
  haft::Tensor log() { return haft::log(*$self); }
  /** Natural logarithm; -inf at 0, NaN below. */
  haft::Tensor& log_() { haft::log_(*$self); return *$self; }
  /** Natural logarithm; -inf at 0, NaN below. */
  void log_out(const haft::Tensor& out) { haft::log_out(*$self, out); }
  /** Logarithm to base 2. */
  haft::Tensor log2() { return haft::log2(*$self); }
  /** Logarithm to base 2. */
  haft::Tensor& log2_() { haft::log2_(*$self); return *$self; }
  /** Logarithm to base 2. */
  void log2_out(const haft::Tensor& out) { haft::log2_out(*$self, out); }
  /** Logarithm to base 10. */
  haft::Tensor log10() { return haft::log10(*$self); }
  /** Logarithm to base 10. */
  haft::Tensor& log10_() { haft::log10_(*$self); return *$self; }
  /** Logarithm to base 10. */
  void log10_out(const haft::Tensor& out) { haft::log10_out(*$self, out); }
  /** log(1 + input), accurate near 0. */
  haft::Tensor log1p() { return haft::log1p(*$self); }
  /** log(1 + input), accurate near 0. */
  haft::Tensor& log1p_() { haft::log1p_(*$self); return *$self; }
  /** log(1 + input), accurate near 0. */
  void log1p_out(const haft::Tensor& out) { haft::log1p_out(*$self, out); }
  /** Square root; NaN below 0. */
  haft::Tensor sqrt() { return haft::sqrt(*$self); }
  /** Square root; NaN below 0. */
  haft::Tensor& sqrt_() { haft::sqrt_(*$self); return *$self; }
  /** Square root; NaN below 0. */
  void sqrt_out(const haft::Tensor& out) { haft::sqrt_out(*$self, out); }
  /** 1 / sqrt(input). */
  haft::Tensor rsqrt() { return haft::rsqrt(*$self); }
  /** 1 / sqrt(input). */
  haft::Tensor& rsqrt_() { haft::rsqrt_(*$self); return *$self; }
  /** 1 / sqrt(input). */
  void rsqrt_out(const haft::Tensor& out) { haft::rsqrt_out(*$self, out); }
  /** input * input. */
  haft::Tensor square() { return haft::square(*$self); }
  /** input * input. */
  haft::Tensor& square_() { haft::square_(*$self); return *$self; }
  /** input * input. */
  void square_out(const haft::Tensor& out) { haft::square_out(*$self, out); }
  /** 1 / input. */
  haft::Tensor reciprocal() { return haft::reciprocal(*$self); }
  /** 1 / input. */
  haft::Tensor& reciprocal_() { haft::reciprocal_(*$self); return *$self; }
  /** 1 / input. */
  void reciprocal_out(const haft::Tensor& out) { haft::reciprocal_out(*$self, out); }
  /** Sine of input in radians. */
  haft::Tensor sin() { return haft::sin(*$self); }
  /** Sine of input in radians. */
  haft::Tensor& sin_() { haft::sin_(*$self); return *$self; }
  /** Sine of input in radians. */
  void sin_out(const haft::Tensor& out) { haft::sin_out(*$self, out); }
  /** Cosine of input in radians. */
  haft::Tensor cos() { return haft::cos(*$self); }
  /** Cosine of input in radians. */
  haft::Tensor& cos_() { haft::cos_(*$self); return *$self; }
  /** Cosine of input in radians. */
  void cos_out(const haft::Tensor& out) { haft::cos_out(*$self, out); }
  /** Tangent of input in radians. */
  haft::Tensor tan() { return haft::tan(*$self); }
  /** Tangent of input in radians. */
  haft::Tensor& tan_() { haft::tan_(*$self); return *$self; }
  /** Tangent of input in radians. */
  void tan_out(const haft::Tensor& out) { haft::tan_out(*$self, out); }
  /** Arc sine in radians; NaN outside [-1, 1]. */
  haft::Tensor asin() { return haft::asin(*$self); }
  /** Arc sine in radians; NaN outside [-1, 1]. */
  haft::Tensor& asin_() { haft::asin_(*$self); return *$self; }
  /** Arc sine in radians; NaN outside [-1, 1]. */
  void asin_out(const haft::Tensor& out) { haft::asin_out(*$self, out); }
  /** Arc cosine in radians; NaN outside [-1, 1]. */
  haft::Tensor acos() { return haft::acos(*$self); }
  /** Arc cosine in radians; NaN outside [-1, 1]. */
  haft::Tensor& acos_() { haft::acos_(*$self); return *$self; }
  /** Arc cosine in radians; NaN outside [-1, 1]. */
  void acos_out(const haft::Tensor& out) { haft::acos_out(*$self, out); }
  /** Arc tangent in radians. */
  haft::Tensor atan() { return haft::atan(*$self); }
  /** Arc tangent in radians. */
  haft::Tensor& atan_() { haft::atan_(*$self); return *$self; }
  /** Arc tangent in radians. */
  void atan_out(const haft::Tensor& out) { haft::atan_out(*$self, out); }
  /** Hyperbolic sine. */
  haft::Tensor sinh() { return haft::sinh(*$self); }
  /** Hyperbolic sine. */
  haft::Tensor& sinh_() { haft::sinh_(*$self); return *$self; }
  /** Hyperbolic sine. */
  void sinh_out(const haft::Tensor& out) { haft::sinh_out(*$self, out); }
  /** Hyperbolic cosine. */
  haft::Tensor cosh() { return haft::cosh(*$self); }
  /** Hyperbolic cosine. */
  haft::Tensor& cosh_() { haft::cosh_(*$self); return *$self; }
  /** Hyperbolic cosine. */
  void cosh_out(const haft::Tensor& out) { haft::cosh_out(*$self, out); }
  /** Hyperbolic tangent. */
  haft::Tensor tanh() { return haft::tanh(*$self); }
  /** Hyperbolic tangent. */
  haft::Tensor& tanh_() { haft::tanh_(*$self); return *$self; }
  /** Hyperbolic tangent. */
  void tanh_out(const haft::Tensor& out) { haft::tanh_out(*$self, out); }
  /** Error function. */
  haft::Tensor erf() { return haft::erf(*$self); }
  /** Error function. */
  haft::Tensor& erf_() { haft::erf_(*$self); return *$self; }
  /** Error function. */
  void erf_out(const haft::Tensor& out) { haft::erf_out(*$self, out); }
  /** Complementary error function 1 - erf(input), accurate where it is small. */
  haft::Tensor erfc() { return haft::erfc(*$self); }
  /** Complementary error function 1 - erf(input), accurate where it is small. */
  haft::Tensor& erfc_() { haft::erfc_(*$self); return *$self; }
  /** Complementary error function 1 - erf(input), accurate where it is small. */
  void erfc_out(const haft::Tensor& out) { haft::erfc_out(*$self, out); }
  /** Inverse of erf; +-infinity at +-1, NaN outside. */
  haft::Tensor erfinv() { return haft::erfinv(*$self); }
  /** Inverse of erf; +-infinity at +-1, NaN outside. */
  haft::Tensor& erfinv_() { haft::erfinv_(*$self); return *$self; }
  /** Inverse of erf; +-infinity at +-1, NaN outside. */
  void erfinv_out(const haft::Tensor& out) { haft::erfinv_out(*$self, out); }
  /** Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ... */
  haft::Tensor lgamma() { return haft::lgamma(*$self); }
  /** Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ... */
  haft::Tensor& lgamma_() { haft::lgamma_(*$self); return *$self; }
  /** Logarithm of |Gamma(input)|; infinite at 0, -1, -2, ... */
  void lgamma_out(const haft::Tensor& out) { haft::lgamma_out(*$self, out); }
  /** Derivative of lgamma; NaN at -1, -2, ... */
  haft::Tensor digamma() { return haft::digamma(*$self); }
  /** Derivative of lgamma; NaN at -1, -2, ... */
  haft::Tensor& digamma_() { haft::digamma_(*$self); return *$self; }
  /** Derivative of lgamma; NaN at -1, -2, ... */
  void digamma_out(const haft::Tensor& out) { haft::digamma_out(*$self, out); }
  /** n-th derivative of digamma; n >= 0. */
  static haft::Tensor polygamma(int64_t n, const haft::Tensor& input) { return haft::polygamma(n, input); }
  /** 1 / (1 + exp(-input)). */
  haft::Tensor sigmoid() { return haft::sigmoid(*$self); }
  /** 1 / (1 + exp(-input)). */
  haft::Tensor& sigmoid_() { haft::sigmoid_(*$self); return *$self; }
  /** 1 / (1 + exp(-input)). */
  void sigmoid_out(const haft::Tensor& out) { haft::sigmoid_out(*$self, out); }
  /** Largest integer not above input. */
  haft::Tensor floor() { return haft::floor(*$self); }
  /** Largest integer not above input. */
  haft::Tensor& floor_() { haft::floor_(*$self); return *$self; }
  /** Largest integer not above input. */
  void floor_out(const haft::Tensor& out) { haft::floor_out(*$self, out); }
  /** Smallest integer not below input. */
  haft::Tensor ceil() { return haft::ceil(*$self); }
  /** Smallest integer not below input. */
  haft::Tensor& ceil_() { haft::ceil_(*$self); return *$self; }
  /** Smallest integer not below input. */
  void ceil_out(const haft::Tensor& out) { haft::ceil_out(*$self, out); }
  /** Nearest integer, halves to even. */
  haft::Tensor round() { return haft::round(*$self); }
  /** Nearest integer, halves to even. */
  haft::Tensor& round_() { haft::round_(*$self); return *$self; }
  /** Nearest integer, halves to even. */
  void round_out(const haft::Tensor& out) { haft::round_out(*$self, out); }
  /** Integer part, towards 0. */
  haft::Tensor trunc() { return haft::trunc(*$self); }
  /** Integer part, towards 0. */
  haft::Tensor& trunc_() { haft::trunc_(*$self); return *$self; }
  /** Integer part, towards 0. */
  void trunc_out(const haft::Tensor& out) { haft::trunc_out(*$self, out); }
  /** True where input is NaN. */
  haft::Tensor isnan() { return haft::isnan(*$self); }
  /** True where input is an infinity. */
  haft::Tensor isinf() { return haft::isinf(*$self); }
  /** True where input is neither infinite nor NaN. */
  haft::Tensor isfinite() { return haft::isfinite(*$self); }
  /** True where input is 0. */
  haft::Tensor logical_not() { return haft::logical_not(*$self); }
  /** Bitwise complement; logical not for bool. */
  haft::Tensor bitwise_not() { return haft::bitwise_not(*$self); }
  /** Bitwise complement; logical not for bool. */
  haft::Tensor& bitwise_not_() { haft::bitwise_not_(*$self); return *$self; }
  /** Bitwise complement; logical not for bool. */
  void bitwise_not_out(const haft::Tensor& out) { haft::bitwise_not_out(*$self, out); }

  // ---- Pointwise: binary ------------------------------------------------------------------------------------
#ifdef SWIGPYTHON
  /** input + other; logical or for bool. */
  haft::Tensor add(const haft::bindings::Operand& other) { return other.is_tensor ? haft::add(*$self, other.tensor) : haft::add_scalar(*$self, other.scalar); }
  /** input + other; logical or for bool. */
  haft::Tensor& add_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::add_(*$self, other.tensor); else haft::add_scalar_(*$self, other.scalar); return *$self; }
  /** input + other; logical or for bool. */
  void add_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::add_out(*$self, other.tensor, out); else haft::add_scalar_out(*$self, other.scalar, out); }
#else
  /** input + other; logical or for bool. */
  haft::Tensor add(const haft::Tensor& other) { return haft::add(*$self, other); }
  /** input + other; logical or for bool. */
  haft::Tensor& add_(const haft::Tensor& other) { haft::add_(*$self, other); return *$self; }
  /** input + other; logical or for bool. */
  void add_out(const haft::Tensor& other, const haft::Tensor& out) { haft::add_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** input - other; bool is refused. */
  haft::Tensor sub(const haft::bindings::Operand& other) { return other.is_tensor ? haft::sub(*$self, other.tensor) : haft::sub_scalar(*$self, other.scalar); }
  /** input - other; bool is refused. */
  haft::Tensor& sub_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::sub_(*$self, other.tensor); else haft::sub_scalar_(*$self, other.scalar); return *$self; }
  /** input - other; bool is refused. */
  void sub_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::sub_out(*$self, other.tensor, out); else haft::sub_scalar_out(*$self, other.scalar, out); }
#else
  /** input - other; bool is refused. */
  haft::Tensor sub(const haft::Tensor& other) { return haft::sub(*$self, other); }
  /** input - other; bool is refused. */
  haft::Tensor& sub_(const haft::Tensor& other) { haft::sub_(*$self, other); return *$self; }
  /** input - other; bool is refused. */
  void sub_out(const haft::Tensor& other, const haft::Tensor& out) { haft::sub_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** input * other; logical and for bool. */
  haft::Tensor mul(const haft::bindings::Operand& other) { return other.is_tensor ? haft::mul(*$self, other.tensor) : haft::mul_scalar(*$self, other.scalar); }
  /** input * other; logical and for bool. */
  haft::Tensor& mul_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::mul_(*$self, other.tensor); else haft::mul_scalar_(*$self, other.scalar); return *$self; }
  /** input * other; logical and for bool. */
  void mul_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::mul_out(*$self, other.tensor, out); else haft::mul_scalar_out(*$self, other.scalar, out); }
#else
  /** input * other; logical and for bool. */
  haft::Tensor mul(const haft::Tensor& other) { return haft::mul(*$self, other); }
  /** input * other; logical and for bool. */
  haft::Tensor& mul_(const haft::Tensor& other) { haft::mul_(*$self, other); return *$self; }
  /** input * other; logical and for bool. */
  void mul_out(const haft::Tensor& other, const haft::Tensor& out) { haft::mul_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** input / other, true division. */
  haft::Tensor div(const haft::bindings::Operand& other) { return other.is_tensor ? haft::div(*$self, other.tensor) : haft::div_scalar(*$self, other.scalar); }
  /** input / other, true division. */
  haft::Tensor& div_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::div_(*$self, other.tensor); else haft::div_scalar_(*$self, other.scalar); return *$self; }
  /** input / other, true division. */
  void div_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::div_out(*$self, other.tensor, out); else haft::div_scalar_out(*$self, other.scalar, out); }
#else
  /** input / other, true division. */
  haft::Tensor div(const haft::Tensor& other) { return haft::div(*$self, other); }
  /** input / other, true division. */
  haft::Tensor& div_(const haft::Tensor& other) { haft::div_(*$self, other); return *$self; }
  /** input / other, true division. */
  void div_out(const haft::Tensor& other, const haft::Tensor& out) { haft::div_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** input to the power exponent. */
  haft::Tensor pow(const haft::bindings::Operand& exponent) { return exponent.is_tensor ? haft::pow(*$self, exponent.tensor) : haft::pow_scalar(*$self, exponent.scalar); }
  /** input to the power exponent. */
  haft::Tensor& pow_(const haft::bindings::Operand& exponent) { if (exponent.is_tensor) haft::pow_(*$self, exponent.tensor); else haft::pow_scalar_(*$self, exponent.scalar); return *$self; }
  /** input to the power exponent. */
  void pow_out(const haft::bindings::Operand& exponent, const haft::Tensor& out) { if (exponent.is_tensor) haft::pow_out(*$self, exponent.tensor, out); else haft::pow_scalar_out(*$self, exponent.scalar, out); }
#else
  /** input to the power exponent. */
  haft::Tensor pow(const haft::Tensor& exponent) { return haft::pow(*$self, exponent); }
  /** input to the power exponent. */
  haft::Tensor& pow_(const haft::Tensor& exponent) { haft::pow_(*$self, exponent); return *$self; }
  /** input to the power exponent. */
  void pow_out(const haft::Tensor& exponent, const haft::Tensor& out) { haft::pow_out(*$self, exponent, out); }
#endif
  /** The larger of input and other; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor maximum(const haft::Tensor& other) { return haft::maximum(*$self, other); }
  /** The larger of input and other; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor& maximum_(const haft::Tensor& other) { haft::maximum_(*$self, other); return *$self; }
  /** The larger of input and other; NaN if either is. At ties the gradient is shared equally. */
  void maximum_out(const haft::Tensor& other, const haft::Tensor& out) { haft::maximum_out(*$self, other, out); }
  /** The smaller of input and other; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor minimum(const haft::Tensor& other) { return haft::minimum(*$self, other); }
  /** The smaller of input and other; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor& minimum_(const haft::Tensor& other) { haft::minimum_(*$self, other); return *$self; }
  /** The smaller of input and other; NaN if either is. At ties the gradient is shared equally. */
  void minimum_out(const haft::Tensor& other, const haft::Tensor& out) { haft::minimum_out(*$self, other, out); }
#ifdef SWIGPYTHON
  /** Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0. */
  haft::Tensor fmod(const haft::bindings::Operand& other) { return other.is_tensor ? haft::fmod(*$self, other.tensor) : haft::fmod_scalar(*$self, other.scalar); }
  /** Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0. */
  haft::Tensor& fmod_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::fmod_(*$self, other.tensor); else haft::fmod_scalar_(*$self, other.scalar); return *$self; }
  /** Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0. */
  void fmod_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::fmod_out(*$self, other.tensor, out); else haft::fmod_scalar_out(*$self, other.scalar, out); }
#else
  /** Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0. */
  haft::Tensor fmod(const haft::Tensor& other) { return haft::fmod(*$self, other); }
  /** Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0. */
  haft::Tensor& fmod_(const haft::Tensor& other) { haft::fmod_(*$self, other); return *$self; }
  /** Remainder of input / other with the sign of input (C's fmod); integer division by 0 gives 0. */
  void fmod_out(const haft::Tensor& other, const haft::Tensor& out) { haft::fmod_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0. */
  haft::Tensor remainder(const haft::bindings::Operand& other) { return other.is_tensor ? haft::remainder(*$self, other.tensor) : haft::remainder_scalar(*$self, other.scalar); }
  /** Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0. */
  haft::Tensor& remainder_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::remainder_(*$self, other.tensor); else haft::remainder_scalar_(*$self, other.scalar); return *$self; }
  /** Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0. */
  void remainder_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::remainder_out(*$self, other.tensor, out); else haft::remainder_scalar_out(*$self, other.scalar, out); }
#else
  /** Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0. */
  haft::Tensor remainder(const haft::Tensor& other) { return haft::remainder(*$self, other); }
  /** Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0. */
  haft::Tensor& remainder_(const haft::Tensor& other) { haft::remainder_(*$self, other); return *$self; }
  /** Remainder of input / other with the sign of other (Python's %); integer division by 0 gives 0. */
  void remainder_out(const haft::Tensor& other, const haft::Tensor& out) { haft::remainder_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0. */
  haft::Tensor floor_divide(const haft::bindings::Operand& other) { return other.is_tensor ? haft::floor_divide(*$self, other.tensor) : haft::floor_divide_scalar(*$self, other.scalar); }
  /** The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0. */
  haft::Tensor& floor_divide_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::floor_divide_(*$self, other.tensor); else haft::floor_divide_scalar_(*$self, other.scalar); return *$self; }
  /** The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0. */
  void floor_divide_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::floor_divide_out(*$self, other.tensor, out); else haft::floor_divide_scalar_out(*$self, other.scalar, out); }
#else
  /** The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0. */
  haft::Tensor floor_divide(const haft::Tensor& other) { return haft::floor_divide(*$self, other); }
  /** The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0. */
  haft::Tensor& floor_divide_(const haft::Tensor& other) { haft::floor_divide_(*$self, other); return *$self; }
  /** The whole number q for which input is q * other + remainder(input, other); integer division by 0 gives 0. */
  void floor_divide_out(const haft::Tensor& other, const haft::Tensor& out) { haft::floor_divide_out(*$self, other, out); }
#endif
  /** Angle of the point (other, input) in radians. */
  haft::Tensor atan2(const haft::Tensor& other) { return haft::atan2(*$self, other); }
  /** Angle of the point (other, input) in radians. */
  haft::Tensor& atan2_(const haft::Tensor& other) { haft::atan2_(*$self, other); return *$self; }
  /** Angle of the point (other, input) in radians. */
  void atan2_out(const haft::Tensor& other, const haft::Tensor& out) { haft::atan2_out(*$self, other, out); }
  /** sqrt(input^2 + other^2) without overflow in between. */
  haft::Tensor hypot(const haft::Tensor& other) { return haft::hypot(*$self, other); }
  /** sqrt(input^2 + other^2) without overflow in between. */
  haft::Tensor& hypot_(const haft::Tensor& other) { haft::hypot_(*$self, other); return *$self; }
  /** sqrt(input^2 + other^2) without overflow in between. */
  void hypot_out(const haft::Tensor& other, const haft::Tensor& out) { haft::hypot_out(*$self, other, out); }
  /** |input| with the sign of other, that of zeros included. */
  haft::Tensor copysign(const haft::Tensor& other) { return haft::copysign(*$self, other); }
  /** |input| with the sign of other, that of zeros included. */
  haft::Tensor& copysign_(const haft::Tensor& other) { haft::copysign_(*$self, other); return *$self; }
  /** |input| with the sign of other, that of zeros included. */
  void copysign_out(const haft::Tensor& other, const haft::Tensor& out) { haft::copysign_out(*$self, other, out); }
  /** log(exp(input) + exp(other)), without overflow. */
  haft::Tensor logaddexp(const haft::Tensor& other) { return haft::logaddexp(*$self, other); }
  /** log(exp(input) + exp(other)), without overflow. */
  void logaddexp_out(const haft::Tensor& other, const haft::Tensor& out) { haft::logaddexp_out(*$self, other, out); }
  /** log2(2^input + 2^other), without overflow. */
  haft::Tensor logaddexp2(const haft::Tensor& other) { return haft::logaddexp2(*$self, other); }
  /** log2(2^input + 2^other), without overflow. */
  void logaddexp2_out(const haft::Tensor& other, const haft::Tensor& out) { haft::logaddexp2_out(*$self, other, out); }
  /** input * log(other), and 0 where input is 0 unless other is NaN. */
  haft::Tensor xlogy(const haft::Tensor& other) { return haft::xlogy(*$self, other); }
  /** input * log(other), and 0 where input is 0 unless other is NaN. */
  haft::Tensor& xlogy_(const haft::Tensor& other) { haft::xlogy_(*$self, other); return *$self; }
  /** input * log(other), and 0 where input is 0 unless other is NaN. */
  void xlogy_out(const haft::Tensor& other, const haft::Tensor& out) { haft::xlogy_out(*$self, other, out); }
#ifdef SWIGPYTHON
  /** input == other. */
  haft::Tensor eq(const haft::bindings::Operand& other) { return other.is_tensor ? haft::eq(*$self, other.tensor) : haft::eq_scalar(*$self, other.scalar); }
#else
  /** input == other. */
  haft::Tensor eq(const haft::Tensor& other) { return haft::eq(*$self, other); }
#endif
#ifdef SWIGPYTHON
  /** input != other. */
  haft::Tensor ne(const haft::bindings::Operand& other) { return other.is_tensor ? haft::ne(*$self, other.tensor) : haft::ne_scalar(*$self, other.scalar); }
#else
  /** input != other. */
  haft::Tensor ne(const haft::Tensor& other) { return haft::ne(*$self, other); }
#endif
#ifdef SWIGPYTHON
  /** input < other. */
  haft::Tensor lt(const haft::bindings::Operand& other) { return other.is_tensor ? haft::lt(*$self, other.tensor) : haft::lt_scalar(*$self, other.scalar); }
#else
  /** input < other. */
  haft::Tensor lt(const haft::Tensor& other) { return haft::lt(*$self, other); }
#endif
#ifdef SWIGPYTHON
  /** input <= other. */
  haft::Tensor le(const haft::bindings::Operand& other) { return other.is_tensor ? haft::le(*$self, other.tensor) : haft::le_scalar(*$self, other.scalar); }
#else
  /** input <= other. */
  haft::Tensor le(const haft::Tensor& other) { return haft::le(*$self, other); }
#endif
#ifdef SWIGPYTHON
  /** input > other. */
  haft::Tensor gt(const haft::bindings::Operand& other) { return other.is_tensor ? haft::gt(*$self, other.tensor) : haft::gt_scalar(*$self, other.scalar); }
#else
  /** input > other. */
  haft::Tensor gt(const haft::Tensor& other) { return haft::gt(*$self, other); }
#endif
#ifdef SWIGPYTHON
  /** input >= other. */
  haft::Tensor ge(const haft::bindings::Operand& other) { return other.is_tensor ? haft::ge(*$self, other.tensor) : haft::ge_scalar(*$self, other.scalar); }
#else
  /** input >= other. */
  haft::Tensor ge(const haft::Tensor& other) { return haft::ge(*$self, other); }
#endif
  /** input != 0 and other != 0. */
  haft::Tensor logical_and(const haft::Tensor& other) { return haft::logical_and(*$self, other); }
  /** input != 0 or other != 0. */
  haft::Tensor logical_or(const haft::Tensor& other) { return haft::logical_or(*$self, other); }
  /** Exactly one of input and other is not 0. */
  haft::Tensor logical_xor(const haft::Tensor& other) { return haft::logical_xor(*$self, other); }
  /** Bitwise and; logical for bool. */
  haft::Tensor bitwise_and(const haft::Tensor& other) { return haft::bitwise_and(*$self, other); }
  /** Bitwise and; logical for bool. */
  haft::Tensor& bitwise_and_(const haft::Tensor& other) { haft::bitwise_and_(*$self, other); return *$self; }
  /** Bitwise and; logical for bool. */
  void bitwise_and_out(const haft::Tensor& other, const haft::Tensor& out) { haft::bitwise_and_out(*$self, other, out); }
  /** Bitwise or; logical for bool. */
  haft::Tensor bitwise_or(const haft::Tensor& other) { return haft::bitwise_or(*$self, other); }
  /** Bitwise or; logical for bool. */
  haft::Tensor& bitwise_or_(const haft::Tensor& other) { haft::bitwise_or_(*$self, other); return *$self; }
  /** Bitwise or; logical for bool. */
  void bitwise_or_out(const haft::Tensor& other, const haft::Tensor& out) { haft::bitwise_or_out(*$self, other, out); }
  /** Bitwise exclusive or; logical for bool. */
  haft::Tensor bitwise_xor(const haft::Tensor& other) { return haft::bitwise_xor(*$self, other); }
  /** Bitwise exclusive or; logical for bool. */
  haft::Tensor& bitwise_xor_(const haft::Tensor& other) { haft::bitwise_xor_(*$self, other); return *$self; }
  /** Bitwise exclusive or; logical for bool. */
  void bitwise_xor_out(const haft::Tensor& other, const haft::Tensor& out) { haft::bitwise_xor_out(*$self, other, out); }

  // ---- Pointwise: with a scalar -----------------------------------------------------------------------------
#ifdef SWIGPYTHON
#else
  /** input + other. */
  haft::Tensor add(double other) { return haft::add_scalar(*$self, other); }
  /** input + other. */
  haft::Tensor add(int64_t other) { return haft::add_scalar(*$self, other); }
  /** input + other. */
  haft::Tensor& add_(double other) { haft::add_scalar_(*$self, other); return *$self; }
  /** input + other. */
  haft::Tensor& add_(int64_t other) { haft::add_scalar_(*$self, other); return *$self; }
  /** input + other. */
  void add_out(double other, const haft::Tensor& out) { haft::add_scalar_out(*$self, other, out); }
  /** input + other. */
  void add_out(int64_t other, const haft::Tensor& out) { haft::add_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** input - other; bool is refused. */
  haft::Tensor sub(double other) { return haft::sub_scalar(*$self, other); }
  /** input - other; bool is refused. */
  haft::Tensor sub(int64_t other) { return haft::sub_scalar(*$self, other); }
  /** input - other; bool is refused. */
  haft::Tensor& sub_(double other) { haft::sub_scalar_(*$self, other); return *$self; }
  /** input - other; bool is refused. */
  haft::Tensor& sub_(int64_t other) { haft::sub_scalar_(*$self, other); return *$self; }
  /** input - other; bool is refused. */
  void sub_out(double other, const haft::Tensor& out) { haft::sub_scalar_out(*$self, other, out); }
  /** input - other; bool is refused. */
  void sub_out(int64_t other, const haft::Tensor& out) { haft::sub_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** other - input; bool is refused. */
  haft::Tensor rsub(haft::Scalar other) { return haft::rsub_scalar(*$self, other); }
  /** other - input; bool is refused. */
  void rsub_out(haft::Scalar other, const haft::Tensor& out) { haft::rsub_scalar_out(*$self, other, out); }
#else
  /** other - input; bool is refused. */
  haft::Tensor rsub(double other) { return haft::rsub_scalar(*$self, other); }
  /** other - input; bool is refused. */
  haft::Tensor rsub(int64_t other) { return haft::rsub_scalar(*$self, other); }
  /** other - input; bool is refused. */
  void rsub_out(double other, const haft::Tensor& out) { haft::rsub_scalar_out(*$self, other, out); }
  /** other - input; bool is refused. */
  void rsub_out(int64_t other, const haft::Tensor& out) { haft::rsub_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** input * other. */
  haft::Tensor mul(double other) { return haft::mul_scalar(*$self, other); }
  /** input * other. */
  haft::Tensor mul(int64_t other) { return haft::mul_scalar(*$self, other); }
  /** input * other. */
  haft::Tensor& mul_(double other) { haft::mul_scalar_(*$self, other); return *$self; }
  /** input * other. */
  haft::Tensor& mul_(int64_t other) { haft::mul_scalar_(*$self, other); return *$self; }
  /** input * other. */
  void mul_out(double other, const haft::Tensor& out) { haft::mul_scalar_out(*$self, other, out); }
  /** input * other. */
  void mul_out(int64_t other, const haft::Tensor& out) { haft::mul_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** input / other, true division. */
  haft::Tensor div(double other) { return haft::div_scalar(*$self, other); }
  /** input / other, true division. */
  haft::Tensor div(int64_t other) { return haft::div_scalar(*$self, other); }
  /** input / other, true division. */
  haft::Tensor& div_(double other) { haft::div_scalar_(*$self, other); return *$self; }
  /** input / other, true division. */
  haft::Tensor& div_(int64_t other) { haft::div_scalar_(*$self, other); return *$self; }
  /** input / other, true division. */
  void div_out(double other, const haft::Tensor& out) { haft::div_scalar_out(*$self, other, out); }
  /** input / other, true division. */
  void div_out(int64_t other, const haft::Tensor& out) { haft::div_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
  /** other / input, true division. */
  haft::Tensor rdiv(haft::Scalar other) { return haft::rdiv_scalar(*$self, other); }
  /** other / input, true division. */
  void rdiv_out(haft::Scalar other, const haft::Tensor& out) { haft::rdiv_scalar_out(*$self, other, out); }
#else
  /** other / input, true division. */
  haft::Tensor rdiv(double other) { return haft::rdiv_scalar(*$self, other); }
  /** other / input, true division. */
  haft::Tensor rdiv(int64_t other) { return haft::rdiv_scalar(*$self, other); }
  /** other / input, true division. */
  void rdiv_out(double other, const haft::Tensor& out) { haft::rdiv_scalar_out(*$self, other, out); }
  /** other / input, true division. */
  void rdiv_out(int64_t other, const haft::Tensor& out) { haft::rdiv_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** input to the power exponent. */
  haft::Tensor pow(double exponent) { return haft::pow_scalar(*$self, exponent); }
  /** input to the power exponent. */
  haft::Tensor pow(int64_t exponent) { return haft::pow_scalar(*$self, exponent); }
  /** input to the power exponent. */
  haft::Tensor& pow_(double exponent) { haft::pow_scalar_(*$self, exponent); return *$self; }
  /** input to the power exponent. */
  haft::Tensor& pow_(int64_t exponent) { haft::pow_scalar_(*$self, exponent); return *$self; }
  /** input to the power exponent. */
  void pow_out(double exponent, const haft::Tensor& out) { haft::pow_scalar_out(*$self, exponent, out); }
  /** input to the power exponent. */
  void pow_out(int64_t exponent, const haft::Tensor& out) { haft::pow_scalar_out(*$self, exponent, out); }
#endif
#ifdef SWIGPYTHON
  /** other to the power input. */
  haft::Tensor rpow(haft::Scalar other) { return haft::rpow_scalar(*$self, other); }
  /** other to the power input. */
  void rpow_out(haft::Scalar other, const haft::Tensor& out) { haft::rpow_scalar_out(*$self, other, out); }
#else
  /** other to the power input. */
  haft::Tensor rpow(double other) { return haft::rpow_scalar(*$self, other); }
  /** other to the power input. */
  haft::Tensor rpow(int64_t other) { return haft::rpow_scalar(*$self, other); }
  /** other to the power input. */
  void rpow_out(double other, const haft::Tensor& out) { haft::rpow_scalar_out(*$self, other, out); }
  /** other to the power input. */
  void rpow_out(int64_t other, const haft::Tensor& out) { haft::rpow_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** Remainder of input / other with the sign of input. */
  haft::Tensor fmod(double other) { return haft::fmod_scalar(*$self, other); }
  /** Remainder of input / other with the sign of input. */
  haft::Tensor fmod(int64_t other) { return haft::fmod_scalar(*$self, other); }
  /** Remainder of input / other with the sign of input. */
  haft::Tensor& fmod_(double other) { haft::fmod_scalar_(*$self, other); return *$self; }
  /** Remainder of input / other with the sign of input. */
  haft::Tensor& fmod_(int64_t other) { haft::fmod_scalar_(*$self, other); return *$self; }
  /** Remainder of input / other with the sign of input. */
  void fmod_out(double other, const haft::Tensor& out) { haft::fmod_scalar_out(*$self, other, out); }
  /** Remainder of input / other with the sign of input. */
  void fmod_out(int64_t other, const haft::Tensor& out) { haft::fmod_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** Remainder of input / other with the sign of other. */
  haft::Tensor remainder(double other) { return haft::remainder_scalar(*$self, other); }
  /** Remainder of input / other with the sign of other. */
  haft::Tensor remainder(int64_t other) { return haft::remainder_scalar(*$self, other); }
  /** Remainder of input / other with the sign of other. */
  haft::Tensor& remainder_(double other) { haft::remainder_scalar_(*$self, other); return *$self; }
  /** Remainder of input / other with the sign of other. */
  haft::Tensor& remainder_(int64_t other) { haft::remainder_scalar_(*$self, other); return *$self; }
  /** Remainder of input / other with the sign of other. */
  void remainder_out(double other, const haft::Tensor& out) { haft::remainder_scalar_out(*$self, other, out); }
  /** Remainder of input / other with the sign of other. */
  void remainder_out(int64_t other, const haft::Tensor& out) { haft::remainder_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** The whole number q for which input is q * other + remainder(input, other). */
  haft::Tensor floor_divide(double other) { return haft::floor_divide_scalar(*$self, other); }
  /** The whole number q for which input is q * other + remainder(input, other). */
  haft::Tensor floor_divide(int64_t other) { return haft::floor_divide_scalar(*$self, other); }
  /** The whole number q for which input is q * other + remainder(input, other). */
  haft::Tensor& floor_divide_(double other) { haft::floor_divide_scalar_(*$self, other); return *$self; }
  /** The whole number q for which input is q * other + remainder(input, other). */
  haft::Tensor& floor_divide_(int64_t other) { haft::floor_divide_scalar_(*$self, other); return *$self; }
  /** The whole number q for which input is q * other + remainder(input, other). */
  void floor_divide_out(double other, const haft::Tensor& out) { haft::floor_divide_scalar_out(*$self, other, out); }
  /** The whole number q for which input is q * other + remainder(input, other). */
  void floor_divide_out(int64_t other, const haft::Tensor& out) { haft::floor_divide_scalar_out(*$self, other, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** input == other. */
  haft::Tensor eq(double other) { return haft::eq_scalar(*$self, other); }
  /** input == other. */
  haft::Tensor eq(int64_t other) { return haft::eq_scalar(*$self, other); }
#endif
#ifdef SWIGPYTHON
#else
  /** input != other. */
  haft::Tensor ne(double other) { return haft::ne_scalar(*$self, other); }
  /** input != other. */
  haft::Tensor ne(int64_t other) { return haft::ne_scalar(*$self, other); }
#endif
#ifdef SWIGPYTHON
#else
  /** input < other. */
  haft::Tensor lt(double other) { return haft::lt_scalar(*$self, other); }
  /** input < other. */
  haft::Tensor lt(int64_t other) { return haft::lt_scalar(*$self, other); }
#endif
#ifdef SWIGPYTHON
#else
  /** input <= other. */
  haft::Tensor le(double other) { return haft::le_scalar(*$self, other); }
  /** input <= other. */
  haft::Tensor le(int64_t other) { return haft::le_scalar(*$self, other); }
#endif
#ifdef SWIGPYTHON
#else
  /** input > other. */
  haft::Tensor gt(double other) { return haft::gt_scalar(*$self, other); }
  /** input > other. */
  haft::Tensor gt(int64_t other) { return haft::gt_scalar(*$self, other); }
#endif
#ifdef SWIGPYTHON
#else
  /** input >= other. */
  haft::Tensor ge(double other) { return haft::ge_scalar(*$self, other); }
  /** input >= other. */
  haft::Tensor ge(int64_t other) { return haft::ge_scalar(*$self, other); }
#endif
#ifdef SWIGPYTHON
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor clamp(haft::Scalar min = haft::Scalar(), haft::Scalar max = haft::Scalar()) { return haft::clamp(*$self, min, max); }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor& clamp_(haft::Scalar min = haft::Scalar(), haft::Scalar max = haft::Scalar()) { haft::clamp_(*$self, min, max); return *$self; }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  void clamp_out(haft::Scalar min, haft::Scalar max, const haft::Tensor& out) { haft::clamp_out(*$self, min, max, out); }
#else
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor clamp(double min = std::numeric_limits<double>::quiet_NaN(), double max = std::numeric_limits<double>::quiet_NaN()) { return haft::clamp(*$self, haft::bindings::number_or_none(min), haft::bindings::number_or_none(max)); }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor clamp(int64_t min, int64_t max) { return haft::clamp(*$self, min, max); }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor& clamp_(double min = std::numeric_limits<double>::quiet_NaN(), double max = std::numeric_limits<double>::quiet_NaN()) { haft::clamp_(*$self, haft::bindings::number_or_none(min), haft::bindings::number_or_none(max)); return *$self; }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor& clamp_(int64_t min, int64_t max) { haft::clamp_(*$self, min, max); return *$self; }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  void clamp_out(double min, double max, const haft::Tensor& out) { haft::clamp_out(*$self, haft::bindings::number_or_none(min), haft::bindings::number_or_none(max), out); }
  /** input limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  void clamp_out(int64_t min, int64_t max, const haft::Tensor& out) { haft::clamp_out(*$self, min, max, out); }
#endif

  // ---- Pointwise: ternary and masks -------------------------------------------------------------------------
  /** input where condition is true, other elsewhere. */
  haft::Tensor where(const haft::Tensor& input, const haft::Tensor& other) { return haft::where(*$self, input, other); }
  /** input where condition is true, other elsewhere. */
  void where_out(const haft::Tensor& input, const haft::Tensor& other, const haft::Tensor& out) { haft::where_out(*$self, input, other, out); }
#ifdef SWIGPYTHON
  /** value where mask is true, input elsewhere; the result has input's dtype. */
  haft::Tensor masked_fill(const haft::Tensor& mask, haft::Scalar value) { return haft::masked_fill(*$self, mask, value); }
  /** value where mask is true, input elsewhere; the result has input's dtype. */
  haft::Tensor& masked_fill_(const haft::Tensor& mask, haft::Scalar value) { haft::masked_fill_(*$self, mask, value); return *$self; }
#else
  /** value where mask is true, input elsewhere; the result has input's dtype. */
  haft::Tensor masked_fill(const haft::Tensor& mask, double value) { return haft::masked_fill(*$self, mask, value); }
  /** value where mask is true, input elsewhere; the result has input's dtype. */
  haft::Tensor masked_fill(const haft::Tensor& mask, int64_t value) { return haft::masked_fill(*$self, mask, value); }
  /** value where mask is true, input elsewhere; the result has input's dtype. */
  haft::Tensor& masked_fill_(const haft::Tensor& mask, double value) { haft::masked_fill_(*$self, mask, value); return *$self; }
  /** value where mask is true, input elsewhere; the result has input's dtype. */
  haft::Tensor& masked_fill_(const haft::Tensor& mask, int64_t value) { haft::masked_fill_(*$self, mask, value); return *$self; }
#endif
#ifdef SWIGPYTHON
  /** input + value * tensor1 * tensor2. */
  haft::Tensor addcmul(const haft::Tensor& tensor1, const haft::Tensor& tensor2, haft::Scalar value = 1) { return haft::addcmul(*$self, tensor1, tensor2, value); }
  /** input + value * tensor1 * tensor2. */
  haft::Tensor& addcmul_(const haft::Tensor& tensor1, const haft::Tensor& tensor2, haft::Scalar value = 1) { haft::addcmul_(*$self, tensor1, tensor2, value); return *$self; }
  /** input + value * tensor1 * tensor2. */
  void addcmul_out(const haft::Tensor& tensor1, const haft::Tensor& tensor2, haft::Scalar value, const haft::Tensor& out) { haft::addcmul_out(*$self, tensor1, tensor2, value, out); }
#else
  /** input + value * tensor1 * tensor2. */
  haft::Tensor addcmul(const haft::Tensor& tensor1, const haft::Tensor& tensor2, double value = 1) { return haft::addcmul(*$self, tensor1, tensor2, value); }
  /** input + value * tensor1 * tensor2. */
  haft::Tensor addcmul(const haft::Tensor& tensor1, const haft::Tensor& tensor2, int64_t value) { return haft::addcmul(*$self, tensor1, tensor2, value); }
  /** input + value * tensor1 * tensor2. */
  haft::Tensor& addcmul_(const haft::Tensor& tensor1, const haft::Tensor& tensor2, double value = 1) { haft::addcmul_(*$self, tensor1, tensor2, value); return *$self; }
  /** input + value * tensor1 * tensor2. */
  haft::Tensor& addcmul_(const haft::Tensor& tensor1, const haft::Tensor& tensor2, int64_t value) { haft::addcmul_(*$self, tensor1, tensor2, value); return *$self; }
  /** input + value * tensor1 * tensor2. */
  void addcmul_out(const haft::Tensor& tensor1, const haft::Tensor& tensor2, double value, const haft::Tensor& out) { haft::addcmul_out(*$self, tensor1, tensor2, value, out); }
  /** input + value * tensor1 * tensor2. */
  void addcmul_out(const haft::Tensor& tensor1, const haft::Tensor& tensor2, int64_t value, const haft::Tensor& out) { haft::addcmul_out(*$self, tensor1, tensor2, value, out); }
#endif
#ifdef SWIGPYTHON
  /** input + value * tensor1 / tensor2. */
  haft::Tensor addcdiv(const haft::Tensor& tensor1, const haft::Tensor& tensor2, haft::Scalar value = 1) { return haft::addcdiv(*$self, tensor1, tensor2, value); }
  /** input + value * tensor1 / tensor2. */
  haft::Tensor& addcdiv_(const haft::Tensor& tensor1, const haft::Tensor& tensor2, haft::Scalar value = 1) { haft::addcdiv_(*$self, tensor1, tensor2, value); return *$self; }
  /** input + value * tensor1 / tensor2. */
  void addcdiv_out(const haft::Tensor& tensor1, const haft::Tensor& tensor2, haft::Scalar value, const haft::Tensor& out) { haft::addcdiv_out(*$self, tensor1, tensor2, value, out); }
#else
  /** input + value * tensor1 / tensor2. */
  haft::Tensor addcdiv(const haft::Tensor& tensor1, const haft::Tensor& tensor2, double value = 1) { return haft::addcdiv(*$self, tensor1, tensor2, value); }
  /** input + value * tensor1 / tensor2. */
  haft::Tensor addcdiv(const haft::Tensor& tensor1, const haft::Tensor& tensor2, int64_t value) { return haft::addcdiv(*$self, tensor1, tensor2, value); }
  /** input + value * tensor1 / tensor2. */
  haft::Tensor& addcdiv_(const haft::Tensor& tensor1, const haft::Tensor& tensor2, double value = 1) { haft::addcdiv_(*$self, tensor1, tensor2, value); return *$self; }
  /** input + value * tensor1 / tensor2. */
  haft::Tensor& addcdiv_(const haft::Tensor& tensor1, const haft::Tensor& tensor2, int64_t value) { haft::addcdiv_(*$self, tensor1, tensor2, value); return *$self; }
  /** input + value * tensor1 / tensor2. */
  void addcdiv_out(const haft::Tensor& tensor1, const haft::Tensor& tensor2, double value, const haft::Tensor& out) { haft::addcdiv_out(*$self, tensor1, tensor2, value, out); }
  /** input + value * tensor1 / tensor2. */
  void addcdiv_out(const haft::Tensor& tensor1, const haft::Tensor& tensor2, int64_t value, const haft::Tensor& out) { haft::addcdiv_out(*$self, tensor1, tensor2, value, out); }
#endif
#ifdef SWIGPYTHON
  /** input + weight * (end - input). */
  haft::Tensor lerp(const haft::Tensor& end, haft::Scalar weight) { return haft::lerp(*$self, end, weight); }
  /** input + weight * (end - input). */
  haft::Tensor& lerp_(const haft::Tensor& end, haft::Scalar weight) { haft::lerp_(*$self, end, weight); return *$self; }
  /** input + weight * (end - input). */
  void lerp_out(const haft::Tensor& end, haft::Scalar weight, const haft::Tensor& out) { haft::lerp_out(*$self, end, weight, out); }
#else
  /** input + weight * (end - input). */
  haft::Tensor lerp(const haft::Tensor& end, double weight) { return haft::lerp(*$self, end, weight); }
  /** input + weight * (end - input). */
  haft::Tensor lerp(const haft::Tensor& end, int64_t weight) { return haft::lerp(*$self, end, weight); }
  /** input + weight * (end - input). */
  haft::Tensor& lerp_(const haft::Tensor& end, double weight) { haft::lerp_(*$self, end, weight); return *$self; }
  /** input + weight * (end - input). */
  haft::Tensor& lerp_(const haft::Tensor& end, int64_t weight) { haft::lerp_(*$self, end, weight); return *$self; }
  /** input + weight * (end - input). */
  void lerp_out(const haft::Tensor& end, double weight, const haft::Tensor& out) { haft::lerp_out(*$self, end, weight, out); }
  /** input + weight * (end - input). */
  void lerp_out(const haft::Tensor& end, int64_t weight, const haft::Tensor& out) { haft::lerp_out(*$self, end, weight, out); }
#endif

  // ---- Activations ------------------------------------------------------------------------------------------
  /** max(input, 0). */
  haft::Tensor relu() { return haft::relu(*$self); }
  /** max(input, 0). */
  haft::Tensor& relu_() { haft::relu_(*$self); return *$self; }
  /** max(input, 0). */
  void relu_out(const haft::Tensor& out) { haft::relu_out(*$self, out); }
  /** input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415). */
  haft::Tensor gelu(bool tanh = false) { return haft::gelu(*$self, tanh); }
  /** input * Phi(input), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415). */
  void gelu_out(bool tanh, const haft::Tensor& out) { haft::gelu_out(*$self, tanh, out); }
  /** input * sigmoid(input). */
  haft::Tensor silu() { return haft::silu(*$self); }
  /** input * sigmoid(input). */
  haft::Tensor& silu_() { haft::silu_(*$self); return *$self; }
  /** input * sigmoid(input). */
  void silu_out(const haft::Tensor& out) { haft::silu_out(*$self, out); }
  /** input * tanh(softplus(input)) (Misra, arXiv:1908.08681). */
  haft::Tensor mish() { return haft::mish(*$self); }
  /** input * tanh(softplus(input)) (Misra, arXiv:1908.08681). */
  haft::Tensor& mish_() { haft::mish_(*$self); return *$self; }
  /** input * tanh(softplus(input)) (Misra, arXiv:1908.08681). */
  void mish_out(const haft::Tensor& out) { haft::mish_out(*$self, out); }
  /** log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold. */
  haft::Tensor softplus(double beta = 1, double threshold = 20) { return haft::softplus(*$self, beta, threshold); }
  /** log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold. */
  void softplus_out(double beta, double threshold, const haft::Tensor& out) { haft::softplus_out(*$self, beta, threshold, out); }
  /** input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289). */
  haft::Tensor elu(double alpha = 1) { return haft::elu(*$self, alpha); }
  /** input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289). */
  haft::Tensor& elu_(double alpha = 1) { haft::elu_(*$self, alpha); return *$self; }
  /** input above 0, alpha * (exp(input) - 1) below (Clevert et al., arXiv:1511.07289). */
  void elu_out(double alpha, const haft::Tensor& out) { haft::elu_out(*$self, alpha, out); }
  /** input above 0, negative_slope * input below. */
  haft::Tensor leaky_relu(double negative_slope = 0.01) { return haft::leaky_relu(*$self, negative_slope); }
  /** input above 0, negative_slope * input below. */
  haft::Tensor& leaky_relu_(double negative_slope = 0.01) { haft::leaky_relu_(*$self, negative_slope); return *$self; }
  /** input above 0, negative_slope * input below. */
  void leaky_relu_out(double negative_slope, const haft::Tensor& out) { haft::leaky_relu_out(*$self, negative_slope, out); }
  /** input limited to [min_val, max_val]. */
  haft::Tensor hardtanh(double min_val = -1, double max_val = 1) { return haft::hardtanh(*$self, min_val, max_val); }
  /** input limited to [min_val, max_val]. */
  haft::Tensor& hardtanh_(double min_val = -1, double max_val = 1) { haft::hardtanh_(*$self, min_val, max_val); return *$self; }
  /** input limited to [min_val, max_val]. */
  void hardtanh_out(double min_val, double max_val, const haft::Tensor& out) { haft::hardtanh_out(*$self, min_val, max_val, out); }
  /** clamp(input / 6 + 1/2, 0, 1). */
  haft::Tensor hardsigmoid() { return haft::hardsigmoid(*$self); }
  /** clamp(input / 6 + 1/2, 0, 1). */
  haft::Tensor& hardsigmoid_() { haft::hardsigmoid_(*$self); return *$self; }
  /** clamp(input / 6 + 1/2, 0, 1). */
  void hardsigmoid_out(const haft::Tensor& out) { haft::hardsigmoid_out(*$self, out); }
  /** input * hardsigmoid(input) (Howard et al., arXiv:1905.02244). */
  haft::Tensor hardswish() { return haft::hardswish(*$self); }
  /** input * hardsigmoid(input) (Howard et al., arXiv:1905.02244). */
  haft::Tensor& hardswish_() { haft::hardswish_(*$self); return *$self; }
  /** input * hardsigmoid(input) (Howard et al., arXiv:1905.02244). */
  void hardswish_out(const haft::Tensor& out) { haft::hardswish_out(*$self, out); }
  /** log(sigmoid(input)). */
  haft::Tensor logsigmoid() { return haft::logsigmoid(*$self); }
  /** log(sigmoid(input)). */
  void logsigmoid_out(const haft::Tensor& out) { haft::logsigmoid_out(*$self, out); }

  // ---- Creation ---------------------------------------------------------------------------------------------
#ifdef SWIGPYTHON
  /** A tensor filled with fill_value; dtype by its kind (bool, int64, default float). */
  static haft::Tensor full(const haft::IntArray& size, haft::Scalar fill_value, haft_dtype dtype = 0, haft_device device = 0) { return haft::full(size, fill_value, dtype, device); }
#else
  /** A tensor filled with fill_value; dtype by its kind (bool, int64, default float). */
  static haft::Tensor full(const haft::IntArray& size, double fill_value, haft_dtype dtype = 0, haft_device device = 0) { return haft::full(size, fill_value, dtype, device); }
  /** A tensor filled with fill_value; dtype by its kind (bool, int64, default float). */
  static haft::Tensor full(const haft::IntArray& size, int64_t fill_value, haft_dtype dtype = 0, haft_device device = 0) { return haft::full(size, fill_value, dtype, device); }
#endif
  /** A tensor with undefined content. */
  static haft::Tensor empty(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0) { return haft::empty(size, dtype, device); }
  /** A tensor of zeros; default float unless dtype says otherwise. */
  static haft::Tensor zeros(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0) { return haft::zeros(size, dtype, device); }
  /** A tensor of ones; default float unless dtype says otherwise. */
  static haft::Tensor ones(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0) { return haft::ones(size, dtype, device); }
#ifdef SWIGPYTHON
  /** start, start + step, ... below end; int64 when all three are integers. */
  static haft::Tensor arange(haft::Scalar start, haft::Scalar end, haft::Scalar step = 1, haft_dtype dtype = 0, haft_device device = 0) { return haft::arange(start, end, step, dtype, device); }
#else
  /** start, start + step, ... below end; int64 when all three are integers. */
  static haft::Tensor arange(double start, double end, double step = 1, haft_dtype dtype = 0, haft_device device = 0) { return haft::arange(start, end, step, dtype, device); }
  /** start, start + step, ... below end; int64 when all three are integers. */
  static haft::Tensor arange(int64_t start, int64_t end, int64_t step, haft_dtype dtype = 0, haft_device device = 0) { return haft::arange(start, end, step, dtype, device); }
#endif
  /** steps values from start to end, both included. */
  static haft::Tensor linspace(double start, double end, int64_t steps, haft_dtype dtype = 0, haft_device device = 0) { return haft::linspace(start, end, steps, dtype, device); }
  /** base to the power of linspace(start, end, steps). */
  static haft::Tensor logspace(double start, double end, int64_t steps, double base = 10, haft_dtype dtype = 0, haft_device device = 0) { return haft::logspace(start, end, steps, base, dtype, device); }
  /** n x m matrix (m < 0: n) with ones on the diagonal. */
  static haft::Tensor eye(int64_t n, int64_t m = -1, haft_dtype dtype = 0, haft_device device = 0) { return haft::eye(n, m, dtype, device); }
  /** Undefined content with the shape, dtype and device of input. */
  haft::Tensor empty_like(haft_dtype dtype = 0) { return haft::empty_like(*$self, dtype); }
  /** Zeros with the shape, dtype and device of input. */
  haft::Tensor zeros_like(haft_dtype dtype = 0) { return haft::zeros_like(*$self, dtype); }
  /** Ones with the shape, dtype and device of input. */
  haft::Tensor ones_like(haft_dtype dtype = 0) { return haft::ones_like(*$self, dtype); }
#ifdef SWIGPYTHON
  /** fill_value with the shape, dtype and device of input. */
  haft::Tensor full_like(haft::Scalar fill_value, haft_dtype dtype = 0) { return haft::full_like(*$self, fill_value, dtype); }
#else
  /** fill_value with the shape, dtype and device of input. */
  haft::Tensor full_like(double fill_value, haft_dtype dtype = 0) { return haft::full_like(*$self, fill_value, dtype); }
  /** fill_value with the shape, dtype and device of input. */
  haft::Tensor full_like(int64_t fill_value, haft_dtype dtype = 0) { return haft::full_like(*$self, fill_value, dtype); }
#endif

  // ---- Random -----------------------------------------------------------------------------------------------
  /** Uniform numbers in [0, 1). */
  static haft::Tensor rand(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* generator = NULL) { return haft::rand(size, dtype, device, generator); }
  /** Standard normal numbers. */
  static haft::Tensor randn(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* generator = NULL) { return haft::randn(size, dtype, device, generator); }
  /** Integers in [low, high); int64 unless dtype says otherwise. */
  static haft::Tensor randint(int64_t low, int64_t high, const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* generator = NULL) { return haft::randint(low, high, size, dtype, device, generator); }
  /** A random permutation of 0..n-1; int64 unless dtype says otherwise. */
  static haft::Tensor randperm(int64_t n, haft_dtype dtype = 0, haft_device device = 0, haft_generator* generator = NULL) { return haft::randperm(n, dtype, device, generator); }
  /** Uniform numbers in [low, high). */
  static haft::Tensor uniform(const haft::IntArray& size, double low, double high, haft_dtype dtype = 0, haft_device device = 0, haft_generator* generator = NULL) { return haft::uniform(size, low, high, dtype, device, generator); }
  /** Normal numbers with that mean and standard deviation. */
  static haft::Tensor normal(double mean, double std, const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* generator = NULL) { return haft::normal(mean, std, size, dtype, device, generator); }
  /** 1 with the probability that input holds, else 0; dtype of input. */
  haft::Tensor bernoulli(haft_generator* generator = NULL) { return haft::bernoulli(*$self, generator); }
  /** num_samples int64 indices per row of input (1-d or 2-d), drawn by its weights. */
  haft::Tensor multinomial(int64_t num_samples, bool replacement = false, haft_generator* generator = NULL) { return haft::multinomial(*$self, num_samples, replacement, generator); }
  /** Uniform numbers in [0, 1) with the shape of input. */
  haft::Tensor rand_like(haft_dtype dtype = 0, haft_generator* generator = NULL) { return haft::rand_like(*$self, dtype, generator); }
  /** Standard normal numbers with the shape of input. */
  haft::Tensor randn_like(haft_dtype dtype = 0, haft_generator* generator = NULL) { return haft::randn_like(*$self, dtype, generator); }
  /** Zeroes each element with probability p and scales the rest by 1 / (1 - p); input itself when not training (Srivastava et al., JMLR 2014). */
  haft::Tensor dropout(double p = 0.5, bool training = true, haft_generator* generator = NULL) { return haft::dropout(*$self, p, training, generator); }

  // ---- Views ------------------------------------------------------------------------------------------------
  /** A view with given sizes and strides (elements); offset counts from input's first element. */
  haft::Tensor as_strided(const haft::IntArray& size, const haft::IntArray& stride, int64_t offset = 0) { return haft::as_strided(*$self, size, stride, offset); }
  /** The same memory with another shape; one size may be -1. Fails when strides do not allow it: use reshape. */
  haft::Tensor view(const haft::IntArray& size) { return haft::view(*$self, size); }
  /** Dimensions in the order dims. */
  haft::Tensor permute(const haft::IntArray& dims) { return haft::permute(*$self, dims); }
  /** Two dimensions exchanged. */
  haft::Tensor transpose(int64_t dim0, int64_t dim1) { return haft::transpose(*$self, dim0, dim1); }
  /** Dimensions of size 1 repeated without a copy; -1 keeps a size; new dimensions come in front. */
  haft::Tensor expand(const haft::IntArray& size) { return haft::expand(*$self, size); }
  /** Without the dimension dim if it has size 1; absent: without all of size 1. */
  haft::Tensor squeeze(int64_t dim = HAFT_NONE) { return haft::squeeze(*$self, dim); }
  /** A new dimension of size 1 at dim. */
  haft::Tensor unsqueeze(int64_t dim) { return haft::unsqueeze(*$self, dim); }
  /** input[start:end:step] along dim with Python's clipping; step > 0. */
  haft::Tensor slice(int64_t dim, int64_t start, int64_t end, int64_t step = 1) { return haft::slice(*$self, dim, start, end, step); }
  /** input at index along dim, without that dimension; negative counts from the end. */
  haft::Tensor select(int64_t dim, int64_t index) { return haft::select(*$self, dim, index); }
  /** The diagonal of two dimensions as a new last dimension. */
  haft::Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) { return haft::diagonal(*$self, offset, dim1, dim2); }
  /** All windows of `size` along dimension, `step` apart, as a new last dimension. */
  haft::Tensor unfold(int64_t dimension, int64_t size, int64_t step) { return haft::unfold(*$self, dimension, size, step); }
  /** The same memory without its history. */
  haft::Tensor detach() { return haft::detach(*$self); }
  /** Another shape; a view where strides allow it, else a copy. One size may be -1. */
  haft::Tensor reshape(const haft::IntArray& shape) { return haft::reshape(*$self, shape); }
  /** Dimensions start_dim..end_dim joined into one. */
  haft::Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) { return haft::flatten(*$self, start_dim, end_dim); }
  /** Dimension dim split into sizes; one may be -1. */
  haft::Tensor unflatten(int64_t dim, const haft::IntArray& sizes) { return haft::unflatten(*$self, dim, sizes); }
  /** Transpose of a tensor of at most 2 dimensions. */
  haft::Tensor t() { return haft::t(*$self); }
  /** Dimension source moved to destination. */
  haft::Tensor movedim(int64_t source, int64_t destination) { return haft::movedim(*$self, source, destination); }
  /** input[start : start + length] along dim. */
  haft::Tensor narrow(int64_t dim, int64_t start, int64_t length) { return haft::narrow(*$self, dim, start, length); }
  /** input expanded to the shape of other. */
  haft::Tensor expand_as(const haft::Tensor& other) { return haft::expand_as(*$self, other); }
  /** Views of `split_size` along dim; the last may be smaller. */
  std::vector<haft::Tensor> split(int64_t split_size, int64_t dim = 0) { return haft::split(*$self, split_size, dim); }
  /** Views of the sizes split_sizes along dim; they add up to its size. */
  std::vector<haft::Tensor> split_sizes(const haft::IntArray& split_sizes, int64_t dim = 0) { return haft::split_sizes(*$self, split_sizes, dim); }
  /** At most `chunks` views of equal size along dim; the last may be smaller. */
  std::vector<haft::Tensor> chunk(int64_t chunks, int64_t dim = 0) { return haft::chunk(*$self, chunks, dim); }
  /** One view for each index of dim, without that dimension. */
  std::vector<haft::Tensor> unbind(int64_t dim = 0) { return haft::unbind(*$self, dim); }

  // ---- Copies -----------------------------------------------------------------------------------------------
  /** input in another element type, dense; floats are truncated towards 0 for integers. */
  haft::Tensor cast(haft_dtype dtype) { return haft::cast(*$self, dtype); }
  /** input itself when dense and row-major, else a copy that is. */
  haft::Tensor contiguous() { return haft::contiguous(*$self); }
  /** A copy with its own memory; gradients flow through. */
  haft::Tensor clone() { return haft::clone(*$self); }
  /** src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a view that overlaps it. */
  haft::Tensor copy(const haft::Tensor& src) { return haft::copy(*$self, src); }
  /** src broadcast and cast into the shape and dtype of input; copy_ writes input's memory, also from a view that overlaps it. */
  haft::Tensor& copy_(const haft::Tensor& src) { haft::copy_(*$self, src); return *$self; }
  /** input in another dtype and on another device; device 0 keeps input's. input itself when neither changes. */
  haft::Tensor to(haft_dtype dtype = 0, haft_device device = 0, bool non_blocking = false) { return haft::to(*$self, dtype, device, non_blocking); }
#ifdef SWIGPYTHON
  /** value in the shape of input; fill_ writes input's memory. */
  haft::Tensor fill(haft::Scalar value) { return haft::fill(*$self, value); }
  /** value in the shape of input; fill_ writes input's memory. */
  haft::Tensor& fill_(haft::Scalar value) { haft::fill_(*$self, value); return *$self; }
#else
  /** value in the shape of input; fill_ writes input's memory. */
  haft::Tensor fill(double value) { return haft::fill(*$self, value); }
  /** value in the shape of input; fill_ writes input's memory. */
  haft::Tensor fill(int64_t value) { return haft::fill(*$self, value); }
  /** value in the shape of input; fill_ writes input's memory. */
  haft::Tensor& fill_(double value) { haft::fill_(*$self, value); return *$self; }
  /** value in the shape of input; fill_ writes input's memory. */
  haft::Tensor& fill_(int64_t value) { haft::fill_(*$self, value); return *$self; }
#endif
  /** A copy of input in which as_strided(size, stride, offset) holds src. */
  haft::Tensor as_strided_scatter(const haft::Tensor& src, const haft::IntArray& size, const haft::IntArray& stride, int64_t offset = 0) { return haft::as_strided_scatter(*$self, src, size, stride, offset); }
  /** Tensors joined along dim; other sizes are equal, dtypes are promoted. */
  static haft::Tensor cat(const std::vector<haft::Tensor>& tensors, int64_t dim = 0) { return haft::cat(tensors, dim); }
  /** Equal shapes joined along a new dimension. */
  static haft::Tensor stack(const std::vector<haft::Tensor>& tensors, int64_t dim = 0) { return haft::stack(tensors, dim); }
  /** A copy with those dimensions reversed. */
  haft::Tensor flip(const haft::IntArray& dims) { return haft::flip(*$self, dims); }
  /** A copy shifted cyclically; empty dims: flattened, then restored. */
  haft::Tensor roll(const haft::IntArray& shifts, const haft::IntArray& dims) { return haft::roll(*$self, shifts, dims); }
  /** A copy tiled that many times along each dimension. */
  haft::Tensor repeat(const haft::IntArray& repeats) { return haft::repeat(*$self, repeats); }
  /** Elements on and below a diagonal of the last two dimensions, 0 elsewhere. */
  haft::Tensor tril(int64_t diagonal = 0) { return haft::tril(*$self, diagonal); }
  /** Elements on and above a diagonal of the last two dimensions, 0 elsewhere. */
  haft::Tensor triu(int64_t diagonal = 0) { return haft::triu(*$self, diagonal); }

  // ---- Reduce (an empty list means all dimensions) ----------------------------------------------------------
  /** Sum over dim; integers and bool in int64. */
  haft::Tensor sum(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false, haft_dtype dtype = 0) { return haft::sum(*$self, dim, keepdim, dtype); }
  /** Sum over dim; integers and bool in int64. */
  void sum_out(const haft::IntArray& dim, bool keepdim, haft_dtype dtype, const haft::Tensor& out) { haft::sum_out(*$self, dim, keepdim, dtype, out); }
  /** Mean over dim; floats only. */
  haft::Tensor mean(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::mean(*$self, dim, keepdim); }
  /** Product over dim; integers and bool in int64. */
  haft::Tensor prod(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::prod(*$self, dim, keepdim); }
  /** Largest value over dim; NaN wins. Gradients are shared equally at ties. */
  haft::Tensor amax(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::amax(*$self, dim, keepdim); }
  /** Smallest value over dim; NaN wins. Gradients are shared equally at ties. */
  haft::Tensor amin(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::amin(*$self, dim, keepdim); }
  /** Largest value along dim and the first index where it stands (int64). Answers values, indices. */
  std::vector<haft::Tensor> max_dim(int64_t dim, bool keepdim = false) { return haft::bindings::list(haft::max_dim(*$self, dim, keepdim)); }
  /** Smallest value along dim and the first index where it stands (int64). Answers values, indices. */
  std::vector<haft::Tensor> min_dim(int64_t dim, bool keepdim = false) { return haft::bindings::list(haft::min_dim(*$self, dim, keepdim)); }
  /** First index of the largest value along dim (int64); absent: of the flattened tensor. */
  haft::Tensor argmax(int64_t dim = HAFT_NONE, bool keepdim = false) { return haft::argmax(*$self, dim, keepdim); }
  /** First index of the smallest value along dim (int64); absent: of the flattened tensor. */
  haft::Tensor argmin(int64_t dim = HAFT_NONE, bool keepdim = false) { return haft::argmin(*$self, dim, keepdim); }
  /** True where some element over dim is not 0. */
  haft::Tensor any(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::any(*$self, dim, keepdim); }
  /** True where every element over dim is not 0. */
  haft::Tensor all(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::all(*$self, dim, keepdim); }
  /** Variance over dim with divisor n - correction (two passes). */
  haft::Tensor var(const haft::IntArray& dim = haft::IntArray(), int64_t correction = 1, bool keepdim = false) { return haft::var(*$self, dim, correction, keepdim); }
  /** Square root of var. */
  haft::Tensor std(const haft::IntArray& dim = haft::IntArray(), int64_t correction = 1, bool keepdim = false) { return haft::std(*$self, dim, correction, keepdim); }
  /** p-norm over dim; p may be 0, 1, 2, any positive number or +-infinity. */
  haft::Tensor norm(double p = 2, const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::norm(*$self, p, dim, keepdim); }
  /** log(sum(exp(input))) over dim, shifted by the maximum. */
  haft::Tensor logsumexp(const haft::IntArray& dim = haft::IntArray(), bool keepdim = false) { return haft::logsumexp(*$self, dim, keepdim); }
  /** Running sum along dim; integers and bool in int64. */
  haft::Tensor cumsum(int64_t dim) { return haft::cumsum(*$self, dim); }
  /** Running product along dim; integers and bool in int64. */
  haft::Tensor cumprod(int64_t dim) { return haft::cumprod(*$self, dim); }
  /** Number of elements that are not 0 (int64). */
  haft::Tensor count_nonzero(const haft::IntArray& dim = haft::IntArray()) { return haft::count_nonzero(*$self, dim); }
  /** input summed over the dimensions that broadcasting from size had added. */
  haft::Tensor sum_to_size(const haft::IntArray& size) { return haft::sum_to_size(*$self, size); }

  // ---- Matmul -----------------------------------------------------------------------------------------------
  /** Matrix product (M, K) x (K, N) -> (M, N). */
  haft::Tensor mm(const haft::Tensor& mat2) { return haft::mm(*$self, mat2); }
  /** Matrix product (M, K) x (K, N) -> (M, N). */
  void mm_out(const haft::Tensor& mat2, const haft::Tensor& out) { haft::mm_out(*$self, mat2, out); }
  /** Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N). */
  haft::Tensor bmm(const haft::Tensor& mat2) { return haft::bmm(*$self, mat2); }
  /** Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N). */
  void bmm_out(const haft::Tensor& mat2, const haft::Tensor& out) { haft::bmm_out(*$self, mat2, out); }
#ifdef SWIGPYTHON
  /** beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N). */
  haft::Tensor addmm(const haft::Tensor& mat1, const haft::Tensor& mat2, haft::Scalar beta = 1, haft::Scalar alpha = 1) { return haft::addmm(*$self, mat1, mat2, beta, alpha); }
#else
  /** beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N). */
  haft::Tensor addmm(const haft::Tensor& mat1, const haft::Tensor& mat2, double beta = 1, double alpha = 1) { return haft::addmm(*$self, mat1, mat2, beta, alpha); }
  /** beta * input + alpha * (mat1 @ mat2): mat1 (M, K), mat2 (K, N); input broadcasts to (M, N). */
  haft::Tensor addmm(const haft::Tensor& mat1, const haft::Tensor& mat2, int64_t beta, int64_t alpha) { return haft::addmm(*$self, mat1, mat2, beta, alpha); }
#endif
  /** input @ weight^T + bias: input (*, in), weight (out, in), bias (out) -> (*, out). */
  haft::Tensor linear(const haft::Tensor& weight, const haft::Tensor& bias = haft::Tensor()) { return haft::linear(*$self, weight, bias); }
  /** Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that broadcast. */
  haft::Tensor matmul(const haft::Tensor& other) { return haft::matmul(*$self, other); }
  /** Matrix-vector product (M, K) x (K) -> (M). */
  haft::Tensor mv(const haft::Tensor& vec) { return haft::mv(*$self, vec); }
  /** Sum of products of two vectors: (K) x (K) -> (). */
  haft::Tensor dot(const haft::Tensor& tensor) { return haft::dot(*$self, tensor); }
  /** (M) x (N) -> (M, N). */
  haft::Tensor outer(const haft::Tensor& vec2) { return haft::outer(*$self, vec2); }
#ifdef SWIGPYTHON
  /** beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to (B, M, N). */
  haft::Tensor baddbmm(const haft::Tensor& batch1, const haft::Tensor& batch2, haft::Scalar beta = 1, haft::Scalar alpha = 1) { return haft::baddbmm(*$self, batch1, batch2, beta, alpha); }
#else
  /** beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to (B, M, N). */
  haft::Tensor baddbmm(const haft::Tensor& batch1, const haft::Tensor& batch2, double beta = 1, double alpha = 1) { return haft::baddbmm(*$self, batch1, batch2, beta, alpha); }
  /** beta * input + alpha * bmm(batch1, batch2): batch1 (B, M, K), batch2 (B, K, N); input broadcasts to (B, M, N). */
  haft::Tensor baddbmm(const haft::Tensor& batch1, const haft::Tensor& batch2, int64_t beta, int64_t alpha) { return haft::baddbmm(*$self, batch1, batch2, beta, alpha); }
#endif

  // ---- Index ------------------------------------------------------------------------------------------------
  /** Slices of input along dim at the 1-d index. */
  haft::Tensor index_select(int64_t dim, const haft::Tensor& index) { return haft::index_select(*$self, dim, index); }
  /** out[i][j] = input[index[i][j]][j] for dim 0, and so on; index has input's rank. */
  haft::Tensor gather(int64_t dim, const haft::Tensor& index) { return haft::gather(*$self, dim, index); }
  /** A copy of input with src written where index points along dim; for repeated indices one of the writes wins. */
  haft::Tensor scatter(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { return haft::scatter(*$self, dim, index, src); }
  /** A copy of input with src written where index points along dim; for repeated indices one of the writes wins. */
  haft::Tensor& scatter_(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { haft::scatter_(*$self, dim, index, src); return *$self; }
  /** A copy of input with src added where index points along dim. */
  haft::Tensor scatter_add(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { return haft::scatter_add(*$self, dim, index, src); }
  /** A copy of input with src added where index points along dim. */
  haft::Tensor& scatter_add_(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { haft::scatter_add_(*$self, dim, index, src); return *$self; }
  /** A copy of input with the slices of source added at the 1-d index along dim. */
  haft::Tensor index_add(int64_t dim, const haft::Tensor& index, const haft::Tensor& source) { return haft::index_add(*$self, dim, index, source); }
  /** A copy of input with the slices of source added at the 1-d index along dim. */
  haft::Tensor& index_add_(int64_t dim, const haft::Tensor& index, const haft::Tensor& source) { haft::index_add_(*$self, dim, index, source); return *$self; }
  /** NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension. */
  haft::Tensor index(const std::vector<haft::Tensor>& indices) { return haft::index(*$self, indices); }
  /** A copy of input with values written (or added) where advanced indexing points. */
  haft::Tensor index_put(const std::vector<haft::Tensor>& indices, const haft::Tensor& values, bool accumulate = false) { return haft::index_put(*$self, indices, values, accumulate); }
  /** A copy of input with values written (or added) where advanced indexing points. */
  haft::Tensor& index_put_(const std::vector<haft::Tensor>& indices, const haft::Tensor& values, bool accumulate = false) { haft::index_put_(*$self, indices, values, accumulate); return *$self; }
  /** The elements where mask is true, as a vector. */
  haft::Tensor masked_select(const haft::Tensor& mask) { return haft::masked_select(*$self, mask); }
  /** Indices of the elements that are not 0: (count, ndim), int64. */
  haft::Tensor nonzero() { return haft::nonzero(*$self); }
  /** A copy of input with consecutive elements of source where mask is true. */
  haft::Tensor masked_scatter(const haft::Tensor& mask, const haft::Tensor& source) { return haft::masked_scatter(*$self, mask, source); }
  /** int64 tensor with 1 at each index that input holds, along a new last dimension; num_classes < 0: the largest index and 1. */
  haft::Tensor one_hot(int64_t num_classes = -1) { return haft::one_hot(*$self, num_classes); }
  /** Stable sort along dim; NaN counts as largest. Answers values, indices. */
  std::vector<haft::Tensor> sort(int64_t dim = -1, bool descending = false) { return haft::bindings::list(haft::sort(*$self, dim, descending)); }
  /** Indices that sort input along dim. */
  haft::Tensor argsort(int64_t dim = -1, bool descending = false) { return haft::argsort(*$self, dim, descending); }
  /** The k largest (or smallest) elements along dim, sorted. Answers values, indices. */
  std::vector<haft::Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true) { return haft::bindings::list(haft::topk(*$self, k, dim, largest)); }
  /** The k-th smallest element along dim, k from 1, and where it stands; NaN counts as largest. Answers values, indices. */
  std::vector<haft::Tensor> kthvalue(int64_t k, int64_t dim = -1, bool keepdim = false) { return haft::bindings::list(haft::kthvalue(*$self, k, dim, keepdim)); }
  /** Middle of all elements, the lower of two; NaN if any is, or if there are none. Gradients are shared equally at ties. */
  haft::Tensor median() { return haft::median(*$self); }
  /** Median of the elements that are not NaN. */
  haft::Tensor nanmedian() { return haft::nanmedian(*$self); }
  /** Middle element along dim, the lower of two, and where it stands; NaN if any is. Answers values, indices. */
  std::vector<haft::Tensor> median_dim(int64_t dim, bool keepdim = false) { return haft::bindings::list(haft::median_dim(*$self, dim, keepdim)); }
  /** Middle along dim of the elements that are not NaN, and where it stands. Answers values, indices. */
  std::vector<haft::Tensor> nanmedian_dim(int64_t dim, bool keepdim = false) { return haft::bindings::list(haft::nanmedian_dim(*$self, dim, keepdim)); }
  /** Where each element of input keeps the last dimension of sorted_sequence in order (int64): before equal elements, or after them with right. sorted_sequence has one dimension, or the leading ones of input. */
  haft::Tensor searchsorted(const haft::Tensor& input, bool right = false) { return haft::searchsorted(*$self, input, right); }
  /** searchsorted of input in the vector boundaries. */
  haft::Tensor bucketize(const haft::Tensor& boundaries, bool right = false) { return haft::bucketize(*$self, boundaries, right); }
  /** True where an element of elements is among those of test, or is not with invert. NaN is not. */
  haft::Tensor isin(const haft::Tensor& test_elements, bool invert = false) { return haft::isin(*$self, test_elements, invert); }
  /** How often each of 0, 1, ... stands in the integer vector input, or the sum of its weights; at least minlength counts. */
  haft::Tensor bincount(const haft::Tensor& weights = haft::Tensor(), int64_t minlength = 0) { return haft::bincount(*$self, weights, minlength); }
  /** Counts in bins of equal width from min to max, both included; equal limits mean those of the data. */
  haft::Tensor histc(int64_t bins = 100, double min = 0, double max = 0) { return haft::histc(*$self, bins, min, max); }
  /** Rows of weight (V, D) at indices (*) -> (*, D); row padding_idx gets no gradient. */
  haft::Tensor embedding(const haft::Tensor& indices, int64_t padding_idx = -1) { return haft::embedding(*$self, indices, padding_idx); }

  // ---- Scan -------------------------------------------------------------------------------------------------
  /** Largest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices. */
  std::vector<haft::Tensor> cummax(int64_t dim) { return haft::bindings::list(haft::cummax(*$self, dim)); }
  /** Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices. */
  std::vector<haft::Tensor> cummin(int64_t dim) { return haft::bindings::list(haft::cummin(*$self, dim)); }
  /** log(cumsum(exp(input))) along dim, without overflow; floats only. */
  haft::Tensor logcumsumexp(int64_t dim) { return haft::logcumsumexp(*$self, dim); }

  // ---- Scatter_reduce (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) ------------------------
  /** A copy of input in which the elements that index points to along dim are reduced with those of src; without include_self, of src alone. Means of integers are rounded down. */
  haft::Tensor scatter_reduce(int64_t dim, const haft::Tensor& index, const haft::Tensor& src, int64_t reduce, bool include_self = true) { return haft::scatter_reduce(*$self, dim, index, src, reduce, include_self); }
  /** scatter_reduce of whole slices of source at the 1-d index along dim. */
  haft::Tensor index_reduce(int64_t dim, const haft::Tensor& index, const haft::Tensor& source, int64_t reduce, bool include_self = true) { return haft::index_reduce(*$self, dim, index, source, reduce, include_self); }

  // ---- Conv -------------------------------------------------------------------------------------------------
  /** Cross-correlation: input (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W'). */
  haft::Tensor conv2d(const haft::Tensor& weight, const haft::Tensor& bias, const haft::IntArray& stride, const haft::IntArray& padding, const haft::IntArray& dilation, int64_t groups = 1) { return haft::conv2d(*$self, weight, bias, stride, padding, dilation, groups); }
  /** Maximum of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding counts as -infinity. */
  haft::Tensor max_pool2d(const haft::IntArray& kernel_size, const haft::IntArray& stride, const haft::IntArray& padding, const haft::IntArray& dilation, bool ceil_mode = false) { return haft::max_pool2d(*$self, kernel_size, stride, padding, dilation, ceil_mode); }
  /** Mean of each window of input (N, C, H, W) or (C, H, W); an empty stride means the kernel size. */
  haft::Tensor avg_pool2d(const haft::IntArray& kernel_size, const haft::IntArray& stride, const haft::IntArray& padding, bool ceil_mode = false, bool count_include_pad = true) { return haft::avg_pool2d(*$self, kernel_size, stride, padding, ceil_mode, count_include_pad); }
  /** Mean over a grid of output_size windows of input (N, C, H, W) or (C, H, W). */
  haft::Tensor adaptive_avg_pool2d(const haft::IntArray& output_size) { return haft::adaptive_avg_pool2d(*$self, output_size); }

  // ---- Norm -------------------------------------------------------------------------------------------------
  /** exp(input) / sum(exp(input)) along dim, shifted by the maximum. */
  haft::Tensor softmax(int64_t dim) { return haft::softmax(*$self, dim); }
  /** exp(input) / sum(exp(input)) along dim, shifted by the maximum. */
  void softmax_out(int64_t dim, const haft::Tensor& out) { haft::softmax_out(*$self, dim, out); }
  /** log(softmax(input)) along dim, without overflow. */
  haft::Tensor log_softmax(int64_t dim) { return haft::log_softmax(*$self, dim); }
  /** log(softmax(input)) along dim, without overflow. */
  void log_softmax_out(int64_t dim, const haft::Tensor& out) { haft::log_softmax_out(*$self, dim, out); }
  /** (input - mean) / sqrt(var + eps) * weight + bias per channel of input (N, C, *); the others are (C); updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167). */
  haft::Tensor batch_norm(const haft::Tensor& weight, const haft::Tensor& bias, const haft::Tensor& running_mean, const haft::Tensor& running_var, bool training, double momentum = 0.1, double eps = 1e-5) { return haft::batch_norm(*$self, weight, bias, running_mean, running_var, training, momentum, eps); }
  /** (input - mean) / sqrt(var + eps) * weight + bias over the last dimensions normalized_shape (Ba et al., arXiv:1607.06450). */
  haft::Tensor layer_norm(const haft::IntArray& normalized_shape, const haft::Tensor& weight = haft::Tensor(), const haft::Tensor& bias = haft::Tensor(), double eps = 1e-5) { return haft::layer_norm(*$self, normalized_shape, weight, bias, eps); }

  // ---- Loss (reduction: 0 none, 1 mean, 2 sum) --------------------------------------------------------------
  /** -log softmax(input)[target]: input (N, C, *) against class indices (N, *) of int64, or probabilities of input's shape. */
  haft::Tensor cross_entropy(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0) { return haft::cross_entropy(*$self, target, weight, reduction, ignore_index, label_smoothing); }
  /** -input[target] for log-probabilities input (N, C, *) and class indices target (N, *), int64. */
  haft::Tensor nll_loss(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), int64_t reduction = 1, int64_t ignore_index = -100) { return haft::nll_loss(*$self, target, weight, reduction, ignore_index); }
  /** (input - target)^2; the shapes broadcast. */
  haft::Tensor mse_loss(const haft::Tensor& target, int64_t reduction = 1) { return haft::mse_loss(*$self, target, reduction); }
  /** |input - target|; the shapes broadcast. */
  haft::Tensor l1_loss(const haft::Tensor& target, int64_t reduction = 1) { return haft::l1_loss(*$self, target, reduction); }
  /** Quadratic below beta, linear above (Girshick, arXiv:1504.08083). */
  haft::Tensor smooth_l1_loss(const haft::Tensor& target, int64_t reduction = 1, double beta = 1) { return haft::smooth_l1_loss(*$self, target, reduction, beta); }
  /** Huber's loss: delta times smooth_l1_loss with beta = delta. */
  haft::Tensor huber_loss(const haft::Tensor& target, int64_t reduction = 1, double delta = 1) { return haft::huber_loss(*$self, target, reduction, delta); }
  /** -(target log input + (1 - target) log(1 - input)); logarithms are limited to -100 as in PyTorch. */
  haft::Tensor binary_cross_entropy(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), int64_t reduction = 1) { return haft::binary_cross_entropy(*$self, target, weight, reduction); }
  /** binary_cross_entropy of sigmoid(input), without overflow. */
  haft::Tensor binary_cross_entropy_with_logits(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), const haft::Tensor& pos_weight = haft::Tensor(), int64_t reduction = 1) { return haft::binary_cross_entropy_with_logits(*$self, target, weight, pos_weight, reduction); }
  /** target (log target - input) for log-probabilities input. */
  haft::Tensor kl_div(const haft::Tensor& target, int64_t reduction = 1, bool log_target = false) { return haft::kl_div(*$self, target, reduction, log_target); }
}
