// Generated from core/schema/ops.def by tools/generate; do not edit.
// The operators for SWIG; bindings/haft.i includes this.
#ifdef SWIGCSHARP
%csmethodmodifiers haft::Tensor::abs "/// <summary>Absolute value |x|.</summary>
  public";
%csmethodmodifiers haft::Tensor::abs_ "/// <summary>Absolute value |x|.</summary>
  public";
%csmethodmodifiers haft::Tensor::abs_out "/// <summary>Absolute value |x|.</summary>
  public";
%csmethodmodifiers haft::Tensor::neg "/// <summary>Negative -x; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::neg_ "/// <summary>Negative -x; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::neg_out "/// <summary>Negative -x; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sign "/// <summary>-1, 0 or 1 by the sign of x; NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::sign_ "/// <summary>-1, 0 or 1 by the sign of x; NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::sign_out "/// <summary>-1, 0 or 1 by the sign of x; NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp "/// <summary>e to the power x.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp_ "/// <summary>e to the power x.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp_out "/// <summary>e to the power x.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp2 "/// <summary>2 to the power x.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp2_ "/// <summary>2 to the power x.</summary>
  public";
%csmethodmodifiers haft::Tensor::exp2_out "/// <summary>2 to the power x.</summary>
  public";
%csmethodmodifiers haft::Tensor::expm1 "/// <summary>exp(x) - 1, accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::expm1_ "/// <summary>exp(x) - 1, accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::expm1_out "/// <summary>exp(x) - 1, accurate near 0.</summary>
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
%csmethodmodifiers haft::Tensor::log1p "/// <summary>log(1 + x), accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::log1p_ "/// <summary>log(1 + x), accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::log1p_out "/// <summary>log(1 + x), accurate near 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sqrt "/// <summary>Square root; NaN below 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sqrt_ "/// <summary>Square root; NaN below 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sqrt_out "/// <summary>Square root; NaN below 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::rsqrt "/// <summary>1 / sqrt(x).</summary>
  public";
%csmethodmodifiers haft::Tensor::rsqrt_ "/// <summary>1 / sqrt(x).</summary>
  public";
%csmethodmodifiers haft::Tensor::rsqrt_out "/// <summary>1 / sqrt(x).</summary>
  public";
%csmethodmodifiers haft::Tensor::square "/// <summary>x * x.</summary>
  public";
%csmethodmodifiers haft::Tensor::square_ "/// <summary>x * x.</summary>
  public";
%csmethodmodifiers haft::Tensor::square_out "/// <summary>x * x.</summary>
  public";
%csmethodmodifiers haft::Tensor::reciprocal "/// <summary>1 / x.</summary>
  public";
%csmethodmodifiers haft::Tensor::reciprocal_ "/// <summary>1 / x.</summary>
  public";
%csmethodmodifiers haft::Tensor::reciprocal_out "/// <summary>1 / x.</summary>
  public";
%csmethodmodifiers haft::Tensor::sin "/// <summary>Sine of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::sin_ "/// <summary>Sine of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::sin_out "/// <summary>Sine of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::cos "/// <summary>Cosine of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::cos_ "/// <summary>Cosine of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::cos_out "/// <summary>Cosine of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::tan "/// <summary>Tangent of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::tan_ "/// <summary>Tangent of x in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::tan_out "/// <summary>Tangent of x in radians.</summary>
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
%csmethodmodifiers haft::Tensor::erfc "/// <summary>Complementary error function 1 - erf(x), accurate where it is small.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfc_ "/// <summary>Complementary error function 1 - erf(x), accurate where it is small.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfc_out "/// <summary>Complementary error function 1 - erf(x), accurate where it is small.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfinv "/// <summary>Inverse of erf; +-infinity at +-1, NaN outside.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfinv_ "/// <summary>Inverse of erf; +-infinity at +-1, NaN outside.</summary>
  public";
%csmethodmodifiers haft::Tensor::erfinv_out "/// <summary>Inverse of erf; +-infinity at +-1, NaN outside.</summary>
  public";
%csmethodmodifiers haft::Tensor::lgamma "/// <summary>Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::lgamma_ "/// <summary>Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::lgamma_out "/// <summary>Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::digamma "/// <summary>Derivative of lgamma; NaN at -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::digamma_ "/// <summary>Derivative of lgamma; NaN at -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::digamma_out "/// <summary>Derivative of lgamma; NaN at -1, -2, ...</summary>
  public";
%csmethodmodifiers haft::Tensor::polygamma "/// <summary>n-th derivative of digamma; n &gt;= 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::sigmoid "/// <summary>1 / (1 + exp(-x)).</summary>
  public";
%csmethodmodifiers haft::Tensor::sigmoid_ "/// <summary>1 / (1 + exp(-x)).</summary>
  public";
%csmethodmodifiers haft::Tensor::sigmoid_out "/// <summary>1 / (1 + exp(-x)).</summary>
  public";
%csmethodmodifiers haft::Tensor::floor "/// <summary>Largest integer not above x.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_ "/// <summary>Largest integer not above x.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_out "/// <summary>Largest integer not above x.</summary>
  public";
%csmethodmodifiers haft::Tensor::ceil "/// <summary>Smallest integer not below x.</summary>
  public";
%csmethodmodifiers haft::Tensor::ceil_ "/// <summary>Smallest integer not below x.</summary>
  public";
%csmethodmodifiers haft::Tensor::ceil_out "/// <summary>Smallest integer not below x.</summary>
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
%csmethodmodifiers haft::Tensor::isnan "/// <summary>True where x is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::isinf "/// <summary>True where x is an infinity.</summary>
  public";
%csmethodmodifiers haft::Tensor::isfinite "/// <summary>True where x is neither infinite nor NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_not "/// <summary>True where x is 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_not "/// <summary>Bitwise complement; logical not for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_not_ "/// <summary>Bitwise complement; logical not for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::bitwise_not_out "/// <summary>Bitwise complement; logical not for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add "/// <summary>a + b; logical or for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_ "/// <summary>a + b; logical or for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_out "/// <summary>a + b; logical or for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub "/// <summary>a - b; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_ "/// <summary>a - b; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_out "/// <summary>a - b; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul "/// <summary>a * b; logical and for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_ "/// <summary>a * b; logical and for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_out "/// <summary>a * b; logical and for bool.</summary>
  public";
%csmethodmodifiers haft::Tensor::div "/// <summary>a / b, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_ "/// <summary>a / b, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_out "/// <summary>a / b, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow "/// <summary>a to the power b.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_ "/// <summary>a to the power b.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_out "/// <summary>a to the power b.</summary>
  public";
%csmethodmodifiers haft::Tensor::maximum "/// <summary>The larger of a and b; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::maximum_ "/// <summary>The larger of a and b; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::maximum_out "/// <summary>The larger of a and b; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::minimum "/// <summary>The smaller of a and b; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::minimum_ "/// <summary>The smaller of a and b; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::minimum_out "/// <summary>The smaller of a and b; NaN if either is. At ties the gradient is shared equally.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod "/// <summary>Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_ "/// <summary>Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_out "/// <summary>Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder "/// <summary>Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_ "/// <summary>Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_out "/// <summary>Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide "/// <summary>The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_ "/// <summary>The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_out "/// <summary>The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan2 "/// <summary>Angle of the point (b, a) in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan2_ "/// <summary>Angle of the point (b, a) in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::atan2_out "/// <summary>Angle of the point (b, a) in radians.</summary>
  public";
%csmethodmodifiers haft::Tensor::hypot "/// <summary>sqrt(a^2 + b^2) without overflow in between.</summary>
  public";
%csmethodmodifiers haft::Tensor::hypot_ "/// <summary>sqrt(a^2 + b^2) without overflow in between.</summary>
  public";
%csmethodmodifiers haft::Tensor::hypot_out "/// <summary>sqrt(a^2 + b^2) without overflow in between.</summary>
  public";
%csmethodmodifiers haft::Tensor::copysign "/// <summary>|a| with the sign of b, that of zeros included.</summary>
  public";
%csmethodmodifiers haft::Tensor::copysign_ "/// <summary>|a| with the sign of b, that of zeros included.</summary>
  public";
%csmethodmodifiers haft::Tensor::copysign_out "/// <summary>|a| with the sign of b, that of zeros included.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp "/// <summary>log(exp(a) + exp(b)), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp_out "/// <summary>log(exp(a) + exp(b)), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp2 "/// <summary>log2(2^a + 2^b), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::logaddexp2_out "/// <summary>log2(2^a + 2^b), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::xlogy "/// <summary>a * log(b), and 0 where a is 0 unless b is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::xlogy_ "/// <summary>a * log(b), and 0 where a is 0 unless b is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::xlogy_out "/// <summary>a * log(b), and 0 where a is 0 unless b is NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::eq "/// <summary>a == b.</summary>
  public";
%csmethodmodifiers haft::Tensor::ne "/// <summary>a != b.</summary>
  public";
%csmethodmodifiers haft::Tensor::lt "/// <summary>a &lt; b.</summary>
  public";
%csmethodmodifiers haft::Tensor::le "/// <summary>a &lt;= b.</summary>
  public";
%csmethodmodifiers haft::Tensor::gt "/// <summary>a &gt; b.</summary>
  public";
%csmethodmodifiers haft::Tensor::ge "/// <summary>a &gt;= b.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_and "/// <summary>a != 0 and b != 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_or "/// <summary>a != 0 or b != 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::logical_xor "/// <summary>Exactly one of a and b is not 0.</summary>
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
%csmethodmodifiers haft::Tensor::add "/// <summary>a + b.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_ "/// <summary>a + b.</summary>
  public";
%csmethodmodifiers haft::Tensor::add_out "/// <summary>a + b.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub "/// <summary>a - b; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_ "/// <summary>a - b; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::sub_out "/// <summary>a - b; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::rsub "/// <summary>b - a; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::rsub_out "/// <summary>b - a; bool is refused.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul "/// <summary>a * b.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_ "/// <summary>a * b.</summary>
  public";
%csmethodmodifiers haft::Tensor::mul_out "/// <summary>a * b.</summary>
  public";
%csmethodmodifiers haft::Tensor::div "/// <summary>a / b, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_ "/// <summary>a / b, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::div_out "/// <summary>a / b, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::rdiv "/// <summary>b / a, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::rdiv_out "/// <summary>b / a, true division.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow "/// <summary>a to the power b.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_ "/// <summary>a to the power b.</summary>
  public";
%csmethodmodifiers haft::Tensor::pow_out "/// <summary>a to the power b.</summary>
  public";
%csmethodmodifiers haft::Tensor::rpow "/// <summary>b to the power a.</summary>
  public";
%csmethodmodifiers haft::Tensor::rpow_out "/// <summary>b to the power a.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod "/// <summary>Remainder of a / b with the sign of a.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_ "/// <summary>Remainder of a / b with the sign of a.</summary>
  public";
%csmethodmodifiers haft::Tensor::fmod_out "/// <summary>Remainder of a / b with the sign of a.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder "/// <summary>Remainder of a / b with the sign of b.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_ "/// <summary>Remainder of a / b with the sign of b.</summary>
  public";
%csmethodmodifiers haft::Tensor::remainder_out "/// <summary>Remainder of a / b with the sign of b.</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide "/// <summary>The whole number q for which a is q * b + remainder(a, b).</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_ "/// <summary>The whole number q for which a is q * b + remainder(a, b).</summary>
  public";
%csmethodmodifiers haft::Tensor::floor_divide_out "/// <summary>The whole number q for which a is q * b + remainder(a, b).</summary>
  public";
%csmethodmodifiers haft::Tensor::eq "/// <summary>a == b.</summary>
  public";
%csmethodmodifiers haft::Tensor::ne "/// <summary>a != b.</summary>
  public";
%csmethodmodifiers haft::Tensor::lt "/// <summary>a &lt; b.</summary>
  public";
%csmethodmodifiers haft::Tensor::le "/// <summary>a &lt;= b.</summary>
  public";
%csmethodmodifiers haft::Tensor::gt "/// <summary>a &gt; b.</summary>
  public";
%csmethodmodifiers haft::Tensor::ge "/// <summary>a &gt;= b.</summary>
  public";
%csmethodmodifiers haft::Tensor::clamp "/// <summary>x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::clamp_ "/// <summary>x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::clamp_out "/// <summary>x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN.</summary>
  public";
%csmethodmodifiers haft::Tensor::where "/// <summary>a where cond is true, b elsewhere.</summary>
  public";
%csmethodmodifiers haft::Tensor::where_out "/// <summary>a where cond is true, b elsewhere.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_fill "/// <summary>value where mask is true, x elsewhere; the result has x's dtype.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_fill_ "/// <summary>value where mask is true, x elsewhere; the result has x's dtype.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcmul "/// <summary>x + value * a * b.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcmul_ "/// <summary>x + value * a * b.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcmul_out "/// <summary>x + value * a * b.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcdiv "/// <summary>x + value * a / b.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcdiv_ "/// <summary>x + value * a / b.</summary>
  public";
%csmethodmodifiers haft::Tensor::addcdiv_out "/// <summary>x + value * a / b.</summary>
  public";
%csmethodmodifiers haft::Tensor::lerp "/// <summary>a + weight * (b - a).</summary>
  public";
%csmethodmodifiers haft::Tensor::lerp_ "/// <summary>a + weight * (b - a).</summary>
  public";
%csmethodmodifiers haft::Tensor::lerp_out "/// <summary>a + weight * (b - a).</summary>
  public";
%csmethodmodifiers haft::Tensor::relu "/// <summary>max(x, 0).</summary>
  public";
%csmethodmodifiers haft::Tensor::relu_ "/// <summary>max(x, 0).</summary>
  public";
%csmethodmodifiers haft::Tensor::relu_out "/// <summary>max(x, 0).</summary>
  public";
%csmethodmodifiers haft::Tensor::gelu "/// <summary>x * Phi(x), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).</summary>
  public";
%csmethodmodifiers haft::Tensor::gelu_out "/// <summary>x * Phi(x), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415).</summary>
  public";
%csmethodmodifiers haft::Tensor::silu "/// <summary>x * sigmoid(x).</summary>
  public";
%csmethodmodifiers haft::Tensor::silu_ "/// <summary>x * sigmoid(x).</summary>
  public";
%csmethodmodifiers haft::Tensor::silu_out "/// <summary>x * sigmoid(x).</summary>
  public";
%csmethodmodifiers haft::Tensor::mish "/// <summary>x * tanh(softplus(x)) (Misra, arXiv:1908.08681).</summary>
  public";
%csmethodmodifiers haft::Tensor::mish_ "/// <summary>x * tanh(softplus(x)) (Misra, arXiv:1908.08681).</summary>
  public";
%csmethodmodifiers haft::Tensor::mish_out "/// <summary>x * tanh(softplus(x)) (Misra, arXiv:1908.08681).</summary>
  public";
%csmethodmodifiers haft::Tensor::softplus "/// <summary>log(1 + exp(beta x)) / beta; x itself where beta x &gt; threshold.</summary>
  public";
%csmethodmodifiers haft::Tensor::softplus_out "/// <summary>log(1 + exp(beta x)) / beta; x itself where beta x &gt; threshold.</summary>
  public";
%csmethodmodifiers haft::Tensor::elu "/// <summary>x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289).</summary>
  public";
%csmethodmodifiers haft::Tensor::elu_ "/// <summary>x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289).</summary>
  public";
%csmethodmodifiers haft::Tensor::elu_out "/// <summary>x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289).</summary>
  public";
%csmethodmodifiers haft::Tensor::leaky_relu "/// <summary>x above 0, negative_slope x below.</summary>
  public";
%csmethodmodifiers haft::Tensor::leaky_relu_ "/// <summary>x above 0, negative_slope x below.</summary>
  public";
%csmethodmodifiers haft::Tensor::leaky_relu_out "/// <summary>x above 0, negative_slope x below.</summary>
  public";
%csmethodmodifiers haft::Tensor::hardtanh "/// <summary>x limited to [min_val, max_val].</summary>
  public";
%csmethodmodifiers haft::Tensor::hardtanh_ "/// <summary>x limited to [min_val, max_val].</summary>
  public";
%csmethodmodifiers haft::Tensor::hardtanh_out "/// <summary>x limited to [min_val, max_val].</summary>
  public";
%csmethodmodifiers haft::Tensor::hardsigmoid "/// <summary>clamp(x / 6 + 1/2, 0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardsigmoid_ "/// <summary>clamp(x / 6 + 1/2, 0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardsigmoid_out "/// <summary>clamp(x / 6 + 1/2, 0, 1).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardswish "/// <summary>x * hardsigmoid(x) (Howard et al., arXiv:1905.02244).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardswish_ "/// <summary>x * hardsigmoid(x) (Howard et al., arXiv:1905.02244).</summary>
  public";
%csmethodmodifiers haft::Tensor::hardswish_out "/// <summary>x * hardsigmoid(x) (Howard et al., arXiv:1905.02244).</summary>
  public";
%csmethodmodifiers haft::Tensor::logsigmoid "/// <summary>log(sigmoid(x)).</summary>
  public";
%csmethodmodifiers haft::Tensor::logsigmoid_out "/// <summary>log(sigmoid(x)).</summary>
  public";
%csmethodmodifiers haft::Tensor::full "/// <summary>A tensor filled with value; dtype by the kind of value (bool, int64, default float).</summary>
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
%csmethodmodifiers haft::Tensor::empty_like "/// <summary>Undefined content with the shape, dtype and device of x.</summary>
  public";
%csmethodmodifiers haft::Tensor::zeros_like "/// <summary>Zeros with the shape, dtype and device of x.</summary>
  public";
%csmethodmodifiers haft::Tensor::ones_like "/// <summary>Ones with the shape, dtype and device of x.</summary>
  public";
%csmethodmodifiers haft::Tensor::full_like "/// <summary>value with the shape, dtype and device of x.</summary>
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
%csmethodmodifiers haft::Tensor::bernoulli "/// <summary>1 with probability p, else 0; dtype of p.</summary>
  public";
%csmethodmodifiers haft::Tensor::multinomial "/// <summary>n int64 indices per row of weights (1-d or 2-d), drawn by weight.</summary>
  public";
%csmethodmodifiers haft::Tensor::rand_like "/// <summary>Uniform numbers in [0, 1) with the shape of x.</summary>
  public";
%csmethodmodifiers haft::Tensor::randn_like "/// <summary>Standard normal numbers with the shape of x.</summary>
  public";
%csmethodmodifiers haft::Tensor::dropout "/// <summary>Zeroes each element with probability p and scales the rest by 1 / (1 - p); x itself when not training (Srivastava et al., JMLR 2014).</summary>
  public";
%csmethodmodifiers haft::Tensor::as_strided "/// <summary>A view with given sizes and strides (elements); offset counts from x's first element.</summary>
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
%csmethodmodifiers haft::Tensor::slice "/// <summary>x[start:end:step] along dim with Python's clipping; step &gt; 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::select "/// <summary>x at index along dim, without that dimension; negative counts from the end.</summary>
  public";
%csmethodmodifiers haft::Tensor::diagonal "/// <summary>The diagonal of two dimensions as a new last dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::unfold "/// <summary>All windows of `size` along dim, `step` apart, as a new last dimension.</summary>
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
%csmethodmodifiers haft::Tensor::narrow "/// <summary>x[start : start + length] along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::expand_as "/// <summary>x expanded to the shape of other.</summary>
  public";
%csmethodmodifiers haft::Tensor::split "/// <summary>Views of `size` along dim; the last may be smaller.</summary>
  public";
%csmethodmodifiers haft::Tensor::split_sizes "/// <summary>Views of the given sizes along dim; they add up to its size.</summary>
  public";
%csmethodmodifiers haft::Tensor::chunk "/// <summary>At most `chunks` views of equal size along dim; the last may be smaller.</summary>
  public";
%csmethodmodifiers haft::Tensor::unbind "/// <summary>One view for each index of dim, without that dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::cast "/// <summary>x in another element type, dense; floats are truncated towards 0 for integers.</summary>
  public";
%csmethodmodifiers haft::Tensor::contiguous "/// <summary>x itself when dense and row-major, else a copy that is.</summary>
  public";
%csmethodmodifiers haft::Tensor::clone "/// <summary>A copy with its own memory; gradients flow through.</summary>
  public";
%csmethodmodifiers haft::Tensor::copy "/// <summary>src broadcast and cast into the shape and dtype of x; copy_ writes x's memory, also from a view that overlaps it.</summary>
  public";
%csmethodmodifiers haft::Tensor::copy_ "/// <summary>src broadcast and cast into the shape and dtype of x; copy_ writes x's memory, also from a view that overlaps it.</summary>
  public";
%csmethodmodifiers haft::Tensor::to "/// <summary>x in another dtype and on another device; device 0 keeps x's. x itself when neither changes.</summary>
  public";
%csmethodmodifiers haft::Tensor::fill "/// <summary>value in the shape of x; fill_ writes x's memory.</summary>
  public";
%csmethodmodifiers haft::Tensor::fill_ "/// <summary>value in the shape of x; fill_ writes x's memory.</summary>
  public";
%csmethodmodifiers haft::Tensor::as_strided_scatter "/// <summary>A copy of x in which as_strided(size, stride, offset) holds src.</summary>
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
%csmethodmodifiers haft::Tensor::sum "/// <summary>Sum over dims; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::sum_out "/// <summary>Sum over dims; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::mean "/// <summary>Mean over dims; floats only.</summary>
  public";
%csmethodmodifiers haft::Tensor::prod "/// <summary>Product over dims; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::amax "/// <summary>Largest value over dims; NaN wins. Gradients are shared equally at ties.</summary>
  public";
%csmethodmodifiers haft::Tensor::amin "/// <summary>Smallest value over dims; NaN wins. Gradients are shared equally at ties.</summary>
  public";
%csmethodmodifiers haft::Tensor::max_dim "/// <summary>Largest value along dim and the first index where it stands (int64). Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::min_dim "/// <summary>Smallest value along dim and the first index where it stands (int64). Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::argmax "/// <summary>First index of the largest value along dim (int64); absent: of the flattened tensor.</summary>
  public";
%csmethodmodifiers haft::Tensor::argmin "/// <summary>First index of the smallest value along dim (int64); absent: of the flattened tensor.</summary>
  public";
%csmethodmodifiers haft::Tensor::any "/// <summary>True where some element over dims is not 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::all "/// <summary>True where every element over dims is not 0.</summary>
  public";
%csmethodmodifiers haft::Tensor::var "/// <summary>Variance over dims with divisor n - correction (two passes).</summary>
  public";
%csmethodmodifiers haft::Tensor::std "/// <summary>Square root of var.</summary>
  public";
%csmethodmodifiers haft::Tensor::norm "/// <summary>p-norm over dims; p may be 0, 1, 2, any positive number or +-infinity.</summary>
  public";
%csmethodmodifiers haft::Tensor::logsumexp "/// <summary>log(sum(exp(x))) over dims, shifted by the maximum.</summary>
  public";
%csmethodmodifiers haft::Tensor::cumsum "/// <summary>Running sum along dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::cumprod "/// <summary>Running product along dim; integers and bool in int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::count_nonzero "/// <summary>Number of elements that are not 0 (int64).</summary>
  public";
%csmethodmodifiers haft::Tensor::sum_to_size "/// <summary>x summed over the dimensions that broadcasting from size had added.</summary>
  public";
%csmethodmodifiers haft::Tensor::mm "/// <summary>Matrix product (M, K) x (K, N) -&gt; (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::mm_out "/// <summary>Matrix product (M, K) x (K, N) -&gt; (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::bmm "/// <summary>Batched matrix product (B, M, K) x (B, K, N) -&gt; (B, M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::bmm_out "/// <summary>Batched matrix product (B, M, K) x (B, K, N) -&gt; (B, M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::addmm "/// <summary>beta * bias + alpha * (a @ b): a (M, K), b (K, N); bias broadcasts to (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::linear "/// <summary>x @ weight^T + bias: x (*, in), weight (out, in), bias (out) -&gt; (*, out).</summary>
  public";
%csmethodmodifiers haft::Tensor::matmul "/// <summary>Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that broadcast.</summary>
  public";
%csmethodmodifiers haft::Tensor::mv "/// <summary>Matrix-vector product (M, K) x (K) -&gt; (M).</summary>
  public";
%csmethodmodifiers haft::Tensor::dot "/// <summary>Sum of products of two vectors: (K) x (K) -&gt; ().</summary>
  public";
%csmethodmodifiers haft::Tensor::outer "/// <summary>(M) x (N) -&gt; (M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::baddbmm "/// <summary>beta * bias + alpha * bmm(a, b): a (B, M, K), b (B, K, N); bias broadcasts to (B, M, N).</summary>
  public";
%csmethodmodifiers haft::Tensor::index_select "/// <summary>Slices of x along dim at the 1-d index.</summary>
  public";
%csmethodmodifiers haft::Tensor::gather "/// <summary>out[i][j] = x[index[i][j]][j] for dim 0, and so on; index has x's rank.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter "/// <summary>A copy of x with src written where index points along dim; for repeated indices one of the writes wins.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_ "/// <summary>A copy of x with src written where index points along dim; for repeated indices one of the writes wins.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_add "/// <summary>A copy of x with src added where index points along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_add_ "/// <summary>A copy of x with src added where index points along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_add "/// <summary>A copy of x with the slices of src added at the 1-d index along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_add_ "/// <summary>A copy of x with the slices of src added at the 1-d index along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::index "/// <summary>NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_put "/// <summary>A copy of x with values written (or added) where advanced indexing points.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_put_ "/// <summary>A copy of x with values written (or added) where advanced indexing points.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_select "/// <summary>The elements where mask is true, as a vector.</summary>
  public";
%csmethodmodifiers haft::Tensor::nonzero "/// <summary>Indices of the elements that are not 0: (count, ndim), int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::masked_scatter "/// <summary>A copy of x with consecutive elements of src where mask is true.</summary>
  public";
%csmethodmodifiers haft::Tensor::one_hot "/// <summary>int64 tensor with 1 at each index along a new last dimension.</summary>
  public";
%csmethodmodifiers haft::Tensor::sort "/// <summary>Stable sort along dim; NaN counts as largest. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::argsort "/// <summary>Indices that sort x along dim.</summary>
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
%csmethodmodifiers haft::Tensor::searchsorted "/// <summary>Where each value keeps the last dimension of sorted in order (int64): before equal elements, or after them with right. sorted has one dimension, or the leading ones of values.</summary>
  public";
%csmethodmodifiers haft::Tensor::bucketize "/// <summary>searchsorted of x in the vector boundaries.</summary>
  public";
%csmethodmodifiers haft::Tensor::isin "/// <summary>True where an element of x is among those of test, or is not with invert. NaN is not.</summary>
  public";
%csmethodmodifiers haft::Tensor::bincount "/// <summary>How often each of 0, 1, ... stands in the integer vector x, or the sum of its weights; at least minlength counts.</summary>
  public";
%csmethodmodifiers haft::Tensor::histc "/// <summary>Counts in bins of equal width from min to max, both included; equal limits mean those of the data.</summary>
  public";
%csmethodmodifiers haft::Tensor::embedding "/// <summary>Rows of weight (V, D) at index (*) -&gt; (*, D); row padding_idx gets no gradient.</summary>
  public";
%csmethodmodifiers haft::Tensor::cummax "/// <summary>Largest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::cummin "/// <summary>Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices.</summary>
  public";
%csmethodmodifiers haft::Tensor::logcumsumexp "/// <summary>log(cumsum(exp(x))) along dim, without overflow; floats only.</summary>
  public";
%csmethodmodifiers haft::Tensor::scatter_reduce "/// <summary>A copy of x in which the elements that index points to along dim are reduced with those of src; without include_self, of src alone. Means of integers are rounded down.</summary>
  public";
%csmethodmodifiers haft::Tensor::index_reduce "/// <summary>scatter_reduce of whole slices of src at the 1-d index along dim.</summary>
  public";
%csmethodmodifiers haft::Tensor::conv2d "/// <summary>Cross-correlation: x (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -&gt; (N, O, H', W').</summary>
  public";
%csmethodmodifiers haft::Tensor::max_pool2d "/// <summary>Maximum of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding counts as -infinity.</summary>
  public";
%csmethodmodifiers haft::Tensor::avg_pool2d "/// <summary>Mean of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size.</summary>
  public";
%csmethodmodifiers haft::Tensor::adaptive_avg_pool2d "/// <summary>Mean over a grid of output_size windows of x (N, C, H, W) or (C, H, W).</summary>
  public";
%csmethodmodifiers haft::Tensor::softmax "/// <summary>exp(x) / sum(exp(x)) along dim, shifted by the maximum.</summary>
  public";
%csmethodmodifiers haft::Tensor::softmax_out "/// <summary>exp(x) / sum(exp(x)) along dim, shifted by the maximum.</summary>
  public";
%csmethodmodifiers haft::Tensor::log_softmax "/// <summary>log(softmax(x)) along dim, without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::log_softmax_out "/// <summary>log(softmax(x)) along dim, without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::batch_norm "/// <summary>(x - mean) / sqrt(var + eps) * weight + bias per channel of x (N, C, *); the others are (C); updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167).</summary>
  public";
%csmethodmodifiers haft::Tensor::layer_norm "/// <summary>(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions `shape` (Ba et al., arXiv:1607.06450).</summary>
  public";
%csmethodmodifiers haft::Tensor::cross_entropy "/// <summary>-log softmax(x)[target]: x (N, C, *) against class indices (N, *) of int64, or probabilities of x's shape.</summary>
  public";
%csmethodmodifiers haft::Tensor::nll_loss "/// <summary>-x[target] for log-probabilities x (N, C, *) and class indices target (N, *), int64.</summary>
  public";
%csmethodmodifiers haft::Tensor::mse_loss "/// <summary>(x - target)^2; the shapes broadcast.</summary>
  public";
%csmethodmodifiers haft::Tensor::l1_loss "/// <summary>|x - target|; the shapes broadcast.</summary>
  public";
%csmethodmodifiers haft::Tensor::smooth_l1_loss "/// <summary>Quadratic below beta, linear above (Girshick, arXiv:1504.08083).</summary>
  public";
%csmethodmodifiers haft::Tensor::huber_loss "/// <summary>Huber's loss: delta times smooth_l1_loss with beta = delta.</summary>
  public";
%csmethodmodifiers haft::Tensor::binary_cross_entropy "/// <summary>-(t log x + (1 - t) log(1 - x)); logarithms are limited to -100 as in PyTorch.</summary>
  public";
%csmethodmodifiers haft::Tensor::binary_cross_entropy_with_logits "/// <summary>binary_cross_entropy of sigmoid(x), without overflow.</summary>
  public";
%csmethodmodifiers haft::Tensor::kl_div "/// <summary>target (log target - x) for log-probabilities x.</summary>
  public";
#endif

%extend haft::Tensor {

  // ---- Pointwise: unary -------------------------------------------------------------------------------------
  /** Absolute value |x|. */
  haft::Tensor abs() { return haft::abs(*$self); }
  /** Absolute value |x|. */
  haft::Tensor& abs_() { haft::abs_(*$self); return *$self; }
  /** Absolute value |x|. */
  void abs_out(const haft::Tensor& out) { haft::abs_out(*$self, out); }
  /** Negative -x; bool is refused. */
  haft::Tensor neg() { return haft::neg(*$self); }
  /** Negative -x; bool is refused. */
  haft::Tensor& neg_() { haft::neg_(*$self); return *$self; }
  /** Negative -x; bool is refused. */
  void neg_out(const haft::Tensor& out) { haft::neg_out(*$self, out); }
  /** -1, 0 or 1 by the sign of x; NaN stays NaN. */
  haft::Tensor sign() { return haft::sign(*$self); }
  /** -1, 0 or 1 by the sign of x; NaN stays NaN. */
  haft::Tensor& sign_() { haft::sign_(*$self); return *$self; }
  /** -1, 0 or 1 by the sign of x; NaN stays NaN. */
  void sign_out(const haft::Tensor& out) { haft::sign_out(*$self, out); }
  /** e to the power x. */
  haft::Tensor exp() { return haft::exp(*$self); }
  /** e to the power x. */
  haft::Tensor& exp_() { haft::exp_(*$self); return *$self; }
  /** e to the power x. */
  void exp_out(const haft::Tensor& out) { haft::exp_out(*$self, out); }
  /** 2 to the power x. */
  haft::Tensor exp2() { return haft::exp2(*$self); }
  /** 2 to the power x. */
  haft::Tensor& exp2_() { haft::exp2_(*$self); return *$self; }
  /** 2 to the power x. */
  void exp2_out(const haft::Tensor& out) { haft::exp2_out(*$self, out); }
  /** exp(x) - 1, accurate near 0. */
  haft::Tensor expm1() { return haft::expm1(*$self); }
  /** exp(x) - 1, accurate near 0. */
  haft::Tensor& expm1_() { haft::expm1_(*$self); return *$self; }
  /** exp(x) - 1, accurate near 0. */
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
  /** log(1 + x), accurate near 0. */
  haft::Tensor log1p() { return haft::log1p(*$self); }
  /** log(1 + x), accurate near 0. */
  haft::Tensor& log1p_() { haft::log1p_(*$self); return *$self; }
  /** log(1 + x), accurate near 0. */
  void log1p_out(const haft::Tensor& out) { haft::log1p_out(*$self, out); }
  /** Square root; NaN below 0. */
  haft::Tensor sqrt() { return haft::sqrt(*$self); }
  /** Square root; NaN below 0. */
  haft::Tensor& sqrt_() { haft::sqrt_(*$self); return *$self; }
  /** Square root; NaN below 0. */
  void sqrt_out(const haft::Tensor& out) { haft::sqrt_out(*$self, out); }
  /** 1 / sqrt(x). */
  haft::Tensor rsqrt() { return haft::rsqrt(*$self); }
  /** 1 / sqrt(x). */
  haft::Tensor& rsqrt_() { haft::rsqrt_(*$self); return *$self; }
  /** 1 / sqrt(x). */
  void rsqrt_out(const haft::Tensor& out) { haft::rsqrt_out(*$self, out); }
  /** x * x. */
  haft::Tensor square() { return haft::square(*$self); }
  /** x * x. */
  haft::Tensor& square_() { haft::square_(*$self); return *$self; }
  /** x * x. */
  void square_out(const haft::Tensor& out) { haft::square_out(*$self, out); }
  /** 1 / x. */
  haft::Tensor reciprocal() { return haft::reciprocal(*$self); }
  /** 1 / x. */
  haft::Tensor& reciprocal_() { haft::reciprocal_(*$self); return *$self; }
  /** 1 / x. */
  void reciprocal_out(const haft::Tensor& out) { haft::reciprocal_out(*$self, out); }
  /** Sine of x in radians. */
  haft::Tensor sin() { return haft::sin(*$self); }
  /** Sine of x in radians. */
  haft::Tensor& sin_() { haft::sin_(*$self); return *$self; }
  /** Sine of x in radians. */
  void sin_out(const haft::Tensor& out) { haft::sin_out(*$self, out); }
  /** Cosine of x in radians. */
  haft::Tensor cos() { return haft::cos(*$self); }
  /** Cosine of x in radians. */
  haft::Tensor& cos_() { haft::cos_(*$self); return *$self; }
  /** Cosine of x in radians. */
  void cos_out(const haft::Tensor& out) { haft::cos_out(*$self, out); }
  /** Tangent of x in radians. */
  haft::Tensor tan() { return haft::tan(*$self); }
  /** Tangent of x in radians. */
  haft::Tensor& tan_() { haft::tan_(*$self); return *$self; }
  /** Tangent of x in radians. */
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
  /** Complementary error function 1 - erf(x), accurate where it is small. */
  haft::Tensor erfc() { return haft::erfc(*$self); }
  /** Complementary error function 1 - erf(x), accurate where it is small. */
  haft::Tensor& erfc_() { haft::erfc_(*$self); return *$self; }
  /** Complementary error function 1 - erf(x), accurate where it is small. */
  void erfc_out(const haft::Tensor& out) { haft::erfc_out(*$self, out); }
  /** Inverse of erf; +-infinity at +-1, NaN outside. */
  haft::Tensor erfinv() { return haft::erfinv(*$self); }
  /** Inverse of erf; +-infinity at +-1, NaN outside. */
  haft::Tensor& erfinv_() { haft::erfinv_(*$self); return *$self; }
  /** Inverse of erf; +-infinity at +-1, NaN outside. */
  void erfinv_out(const haft::Tensor& out) { haft::erfinv_out(*$self, out); }
  /** Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ... */
  haft::Tensor lgamma() { return haft::lgamma(*$self); }
  /** Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ... */
  haft::Tensor& lgamma_() { haft::lgamma_(*$self); return *$self; }
  /** Logarithm of |Gamma(x)|; infinite at 0, -1, -2, ... */
  void lgamma_out(const haft::Tensor& out) { haft::lgamma_out(*$self, out); }
  /** Derivative of lgamma; NaN at -1, -2, ... */
  haft::Tensor digamma() { return haft::digamma(*$self); }
  /** Derivative of lgamma; NaN at -1, -2, ... */
  haft::Tensor& digamma_() { haft::digamma_(*$self); return *$self; }
  /** Derivative of lgamma; NaN at -1, -2, ... */
  void digamma_out(const haft::Tensor& out) { haft::digamma_out(*$self, out); }
  /** n-th derivative of digamma; n >= 0. */
  static haft::Tensor polygamma(int64_t n, const haft::Tensor& x) { return haft::polygamma(n, x); }
  /** 1 / (1 + exp(-x)). */
  haft::Tensor sigmoid() { return haft::sigmoid(*$self); }
  /** 1 / (1 + exp(-x)). */
  haft::Tensor& sigmoid_() { haft::sigmoid_(*$self); return *$self; }
  /** 1 / (1 + exp(-x)). */
  void sigmoid_out(const haft::Tensor& out) { haft::sigmoid_out(*$self, out); }
  /** Largest integer not above x. */
  haft::Tensor floor() { return haft::floor(*$self); }
  /** Largest integer not above x. */
  haft::Tensor& floor_() { haft::floor_(*$self); return *$self; }
  /** Largest integer not above x. */
  void floor_out(const haft::Tensor& out) { haft::floor_out(*$self, out); }
  /** Smallest integer not below x. */
  haft::Tensor ceil() { return haft::ceil(*$self); }
  /** Smallest integer not below x. */
  haft::Tensor& ceil_() { haft::ceil_(*$self); return *$self; }
  /** Smallest integer not below x. */
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
  /** True where x is NaN. */
  haft::Tensor isnan() { return haft::isnan(*$self); }
  /** True where x is an infinity. */
  haft::Tensor isinf() { return haft::isinf(*$self); }
  /** True where x is neither infinite nor NaN. */
  haft::Tensor isfinite() { return haft::isfinite(*$self); }
  /** True where x is 0. */
  haft::Tensor logical_not() { return haft::logical_not(*$self); }
  /** Bitwise complement; logical not for bool. */
  haft::Tensor bitwise_not() { return haft::bitwise_not(*$self); }
  /** Bitwise complement; logical not for bool. */
  haft::Tensor& bitwise_not_() { haft::bitwise_not_(*$self); return *$self; }
  /** Bitwise complement; logical not for bool. */
  void bitwise_not_out(const haft::Tensor& out) { haft::bitwise_not_out(*$self, out); }

  // ---- Pointwise: binary ------------------------------------------------------------------------------------
#ifdef SWIGPYTHON
  /** a + b; logical or for bool. */
  haft::Tensor add(const haft::bindings::Operand& other) { return other.is_tensor ? haft::add(*$self, other.tensor) : haft::add_scalar(*$self, other.scalar); }
  /** a + b; logical or for bool. */
  haft::Tensor& add_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::add_(*$self, other.tensor); else haft::add_scalar_(*$self, other.scalar); return *$self; }
  /** a + b; logical or for bool. */
  void add_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::add_out(*$self, other.tensor, out); else haft::add_scalar_out(*$self, other.scalar, out); }
#else
  /** a + b; logical or for bool. */
  haft::Tensor add(const haft::Tensor& b) { return haft::add(*$self, b); }
  /** a + b; logical or for bool. */
  haft::Tensor& add_(const haft::Tensor& b) { haft::add_(*$self, b); return *$self; }
  /** a + b; logical or for bool. */
  void add_out(const haft::Tensor& b, const haft::Tensor& out) { haft::add_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** a - b; bool is refused. */
  haft::Tensor sub(const haft::bindings::Operand& other) { return other.is_tensor ? haft::sub(*$self, other.tensor) : haft::sub_scalar(*$self, other.scalar); }
  /** a - b; bool is refused. */
  haft::Tensor& sub_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::sub_(*$self, other.tensor); else haft::sub_scalar_(*$self, other.scalar); return *$self; }
  /** a - b; bool is refused. */
  void sub_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::sub_out(*$self, other.tensor, out); else haft::sub_scalar_out(*$self, other.scalar, out); }
#else
  /** a - b; bool is refused. */
  haft::Tensor sub(const haft::Tensor& b) { return haft::sub(*$self, b); }
  /** a - b; bool is refused. */
  haft::Tensor& sub_(const haft::Tensor& b) { haft::sub_(*$self, b); return *$self; }
  /** a - b; bool is refused. */
  void sub_out(const haft::Tensor& b, const haft::Tensor& out) { haft::sub_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** a * b; logical and for bool. */
  haft::Tensor mul(const haft::bindings::Operand& other) { return other.is_tensor ? haft::mul(*$self, other.tensor) : haft::mul_scalar(*$self, other.scalar); }
  /** a * b; logical and for bool. */
  haft::Tensor& mul_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::mul_(*$self, other.tensor); else haft::mul_scalar_(*$self, other.scalar); return *$self; }
  /** a * b; logical and for bool. */
  void mul_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::mul_out(*$self, other.tensor, out); else haft::mul_scalar_out(*$self, other.scalar, out); }
#else
  /** a * b; logical and for bool. */
  haft::Tensor mul(const haft::Tensor& b) { return haft::mul(*$self, b); }
  /** a * b; logical and for bool. */
  haft::Tensor& mul_(const haft::Tensor& b) { haft::mul_(*$self, b); return *$self; }
  /** a * b; logical and for bool. */
  void mul_out(const haft::Tensor& b, const haft::Tensor& out) { haft::mul_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** a / b, true division. */
  haft::Tensor div(const haft::bindings::Operand& other) { return other.is_tensor ? haft::div(*$self, other.tensor) : haft::div_scalar(*$self, other.scalar); }
  /** a / b, true division. */
  haft::Tensor& div_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::div_(*$self, other.tensor); else haft::div_scalar_(*$self, other.scalar); return *$self; }
  /** a / b, true division. */
  void div_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::div_out(*$self, other.tensor, out); else haft::div_scalar_out(*$self, other.scalar, out); }
#else
  /** a / b, true division. */
  haft::Tensor div(const haft::Tensor& b) { return haft::div(*$self, b); }
  /** a / b, true division. */
  haft::Tensor& div_(const haft::Tensor& b) { haft::div_(*$self, b); return *$self; }
  /** a / b, true division. */
  void div_out(const haft::Tensor& b, const haft::Tensor& out) { haft::div_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** a to the power b. */
  haft::Tensor pow(const haft::bindings::Operand& other) { return other.is_tensor ? haft::pow(*$self, other.tensor) : haft::pow_scalar(*$self, other.scalar); }
  /** a to the power b. */
  haft::Tensor& pow_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::pow_(*$self, other.tensor); else haft::pow_scalar_(*$self, other.scalar); return *$self; }
  /** a to the power b. */
  void pow_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::pow_out(*$self, other.tensor, out); else haft::pow_scalar_out(*$self, other.scalar, out); }
#else
  /** a to the power b. */
  haft::Tensor pow(const haft::Tensor& b) { return haft::pow(*$self, b); }
  /** a to the power b. */
  haft::Tensor& pow_(const haft::Tensor& b) { haft::pow_(*$self, b); return *$self; }
  /** a to the power b. */
  void pow_out(const haft::Tensor& b, const haft::Tensor& out) { haft::pow_out(*$self, b, out); }
#endif
  /** The larger of a and b; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor maximum(const haft::Tensor& b) { return haft::maximum(*$self, b); }
  /** The larger of a and b; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor& maximum_(const haft::Tensor& b) { haft::maximum_(*$self, b); return *$self; }
  /** The larger of a and b; NaN if either is. At ties the gradient is shared equally. */
  void maximum_out(const haft::Tensor& b, const haft::Tensor& out) { haft::maximum_out(*$self, b, out); }
  /** The smaller of a and b; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor minimum(const haft::Tensor& b) { return haft::minimum(*$self, b); }
  /** The smaller of a and b; NaN if either is. At ties the gradient is shared equally. */
  haft::Tensor& minimum_(const haft::Tensor& b) { haft::minimum_(*$self, b); return *$self; }
  /** The smaller of a and b; NaN if either is. At ties the gradient is shared equally. */
  void minimum_out(const haft::Tensor& b, const haft::Tensor& out) { haft::minimum_out(*$self, b, out); }
#ifdef SWIGPYTHON
  /** Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0. */
  haft::Tensor fmod(const haft::bindings::Operand& other) { return other.is_tensor ? haft::fmod(*$self, other.tensor) : haft::fmod_scalar(*$self, other.scalar); }
  /** Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0. */
  haft::Tensor& fmod_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::fmod_(*$self, other.tensor); else haft::fmod_scalar_(*$self, other.scalar); return *$self; }
  /** Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0. */
  void fmod_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::fmod_out(*$self, other.tensor, out); else haft::fmod_scalar_out(*$self, other.scalar, out); }
#else
  /** Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0. */
  haft::Tensor fmod(const haft::Tensor& b) { return haft::fmod(*$self, b); }
  /** Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0. */
  haft::Tensor& fmod_(const haft::Tensor& b) { haft::fmod_(*$self, b); return *$self; }
  /** Remainder of a / b with the sign of a (C's fmod); integer division by 0 gives 0. */
  void fmod_out(const haft::Tensor& b, const haft::Tensor& out) { haft::fmod_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0. */
  haft::Tensor remainder(const haft::bindings::Operand& other) { return other.is_tensor ? haft::remainder(*$self, other.tensor) : haft::remainder_scalar(*$self, other.scalar); }
  /** Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0. */
  haft::Tensor& remainder_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::remainder_(*$self, other.tensor); else haft::remainder_scalar_(*$self, other.scalar); return *$self; }
  /** Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0. */
  void remainder_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::remainder_out(*$self, other.tensor, out); else haft::remainder_scalar_out(*$self, other.scalar, out); }
#else
  /** Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0. */
  haft::Tensor remainder(const haft::Tensor& b) { return haft::remainder(*$self, b); }
  /** Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0. */
  haft::Tensor& remainder_(const haft::Tensor& b) { haft::remainder_(*$self, b); return *$self; }
  /** Remainder of a / b with the sign of b (Python's %); integer division by 0 gives 0. */
  void remainder_out(const haft::Tensor& b, const haft::Tensor& out) { haft::remainder_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0. */
  haft::Tensor floor_divide(const haft::bindings::Operand& other) { return other.is_tensor ? haft::floor_divide(*$self, other.tensor) : haft::floor_divide_scalar(*$self, other.scalar); }
  /** The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0. */
  haft::Tensor& floor_divide_(const haft::bindings::Operand& other) { if (other.is_tensor) haft::floor_divide_(*$self, other.tensor); else haft::floor_divide_scalar_(*$self, other.scalar); return *$self; }
  /** The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0. */
  void floor_divide_out(const haft::bindings::Operand& other, const haft::Tensor& out) { if (other.is_tensor) haft::floor_divide_out(*$self, other.tensor, out); else haft::floor_divide_scalar_out(*$self, other.scalar, out); }
#else
  /** The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0. */
  haft::Tensor floor_divide(const haft::Tensor& b) { return haft::floor_divide(*$self, b); }
  /** The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0. */
  haft::Tensor& floor_divide_(const haft::Tensor& b) { haft::floor_divide_(*$self, b); return *$self; }
  /** The whole number q for which a is q * b + remainder(a, b); integer division by 0 gives 0. */
  void floor_divide_out(const haft::Tensor& b, const haft::Tensor& out) { haft::floor_divide_out(*$self, b, out); }
#endif
  /** Angle of the point (b, a) in radians. */
  haft::Tensor atan2(const haft::Tensor& b) { return haft::atan2(*$self, b); }
  /** Angle of the point (b, a) in radians. */
  haft::Tensor& atan2_(const haft::Tensor& b) { haft::atan2_(*$self, b); return *$self; }
  /** Angle of the point (b, a) in radians. */
  void atan2_out(const haft::Tensor& b, const haft::Tensor& out) { haft::atan2_out(*$self, b, out); }
  /** sqrt(a^2 + b^2) without overflow in between. */
  haft::Tensor hypot(const haft::Tensor& b) { return haft::hypot(*$self, b); }
  /** sqrt(a^2 + b^2) without overflow in between. */
  haft::Tensor& hypot_(const haft::Tensor& b) { haft::hypot_(*$self, b); return *$self; }
  /** sqrt(a^2 + b^2) without overflow in between. */
  void hypot_out(const haft::Tensor& b, const haft::Tensor& out) { haft::hypot_out(*$self, b, out); }
  /** |a| with the sign of b, that of zeros included. */
  haft::Tensor copysign(const haft::Tensor& b) { return haft::copysign(*$self, b); }
  /** |a| with the sign of b, that of zeros included. */
  haft::Tensor& copysign_(const haft::Tensor& b) { haft::copysign_(*$self, b); return *$self; }
  /** |a| with the sign of b, that of zeros included. */
  void copysign_out(const haft::Tensor& b, const haft::Tensor& out) { haft::copysign_out(*$self, b, out); }
  /** log(exp(a) + exp(b)), without overflow. */
  haft::Tensor logaddexp(const haft::Tensor& b) { return haft::logaddexp(*$self, b); }
  /** log(exp(a) + exp(b)), without overflow. */
  void logaddexp_out(const haft::Tensor& b, const haft::Tensor& out) { haft::logaddexp_out(*$self, b, out); }
  /** log2(2^a + 2^b), without overflow. */
  haft::Tensor logaddexp2(const haft::Tensor& b) { return haft::logaddexp2(*$self, b); }
  /** log2(2^a + 2^b), without overflow. */
  void logaddexp2_out(const haft::Tensor& b, const haft::Tensor& out) { haft::logaddexp2_out(*$self, b, out); }
  /** a * log(b), and 0 where a is 0 unless b is NaN. */
  haft::Tensor xlogy(const haft::Tensor& b) { return haft::xlogy(*$self, b); }
  /** a * log(b), and 0 where a is 0 unless b is NaN. */
  haft::Tensor& xlogy_(const haft::Tensor& b) { haft::xlogy_(*$self, b); return *$self; }
  /** a * log(b), and 0 where a is 0 unless b is NaN. */
  void xlogy_out(const haft::Tensor& b, const haft::Tensor& out) { haft::xlogy_out(*$self, b, out); }
#ifdef SWIGPYTHON
  /** a == b. */
  haft::Tensor eq(const haft::bindings::Operand& other) { return other.is_tensor ? haft::eq(*$self, other.tensor) : haft::eq_scalar(*$self, other.scalar); }
#else
  /** a == b. */
  haft::Tensor eq(const haft::Tensor& b) { return haft::eq(*$self, b); }
#endif
#ifdef SWIGPYTHON
  /** a != b. */
  haft::Tensor ne(const haft::bindings::Operand& other) { return other.is_tensor ? haft::ne(*$self, other.tensor) : haft::ne_scalar(*$self, other.scalar); }
#else
  /** a != b. */
  haft::Tensor ne(const haft::Tensor& b) { return haft::ne(*$self, b); }
#endif
#ifdef SWIGPYTHON
  /** a < b. */
  haft::Tensor lt(const haft::bindings::Operand& other) { return other.is_tensor ? haft::lt(*$self, other.tensor) : haft::lt_scalar(*$self, other.scalar); }
#else
  /** a < b. */
  haft::Tensor lt(const haft::Tensor& b) { return haft::lt(*$self, b); }
#endif
#ifdef SWIGPYTHON
  /** a <= b. */
  haft::Tensor le(const haft::bindings::Operand& other) { return other.is_tensor ? haft::le(*$self, other.tensor) : haft::le_scalar(*$self, other.scalar); }
#else
  /** a <= b. */
  haft::Tensor le(const haft::Tensor& b) { return haft::le(*$self, b); }
#endif
#ifdef SWIGPYTHON
  /** a > b. */
  haft::Tensor gt(const haft::bindings::Operand& other) { return other.is_tensor ? haft::gt(*$self, other.tensor) : haft::gt_scalar(*$self, other.scalar); }
#else
  /** a > b. */
  haft::Tensor gt(const haft::Tensor& b) { return haft::gt(*$self, b); }
#endif
#ifdef SWIGPYTHON
  /** a >= b. */
  haft::Tensor ge(const haft::bindings::Operand& other) { return other.is_tensor ? haft::ge(*$self, other.tensor) : haft::ge_scalar(*$self, other.scalar); }
#else
  /** a >= b. */
  haft::Tensor ge(const haft::Tensor& b) { return haft::ge(*$self, b); }
#endif
  /** a != 0 and b != 0. */
  haft::Tensor logical_and(const haft::Tensor& b) { return haft::logical_and(*$self, b); }
  /** a != 0 or b != 0. */
  haft::Tensor logical_or(const haft::Tensor& b) { return haft::logical_or(*$self, b); }
  /** Exactly one of a and b is not 0. */
  haft::Tensor logical_xor(const haft::Tensor& b) { return haft::logical_xor(*$self, b); }
  /** Bitwise and; logical for bool. */
  haft::Tensor bitwise_and(const haft::Tensor& b) { return haft::bitwise_and(*$self, b); }
  /** Bitwise and; logical for bool. */
  haft::Tensor& bitwise_and_(const haft::Tensor& b) { haft::bitwise_and_(*$self, b); return *$self; }
  /** Bitwise and; logical for bool. */
  void bitwise_and_out(const haft::Tensor& b, const haft::Tensor& out) { haft::bitwise_and_out(*$self, b, out); }
  /** Bitwise or; logical for bool. */
  haft::Tensor bitwise_or(const haft::Tensor& b) { return haft::bitwise_or(*$self, b); }
  /** Bitwise or; logical for bool. */
  haft::Tensor& bitwise_or_(const haft::Tensor& b) { haft::bitwise_or_(*$self, b); return *$self; }
  /** Bitwise or; logical for bool. */
  void bitwise_or_out(const haft::Tensor& b, const haft::Tensor& out) { haft::bitwise_or_out(*$self, b, out); }
  /** Bitwise exclusive or; logical for bool. */
  haft::Tensor bitwise_xor(const haft::Tensor& b) { return haft::bitwise_xor(*$self, b); }
  /** Bitwise exclusive or; logical for bool. */
  haft::Tensor& bitwise_xor_(const haft::Tensor& b) { haft::bitwise_xor_(*$self, b); return *$self; }
  /** Bitwise exclusive or; logical for bool. */
  void bitwise_xor_out(const haft::Tensor& b, const haft::Tensor& out) { haft::bitwise_xor_out(*$self, b, out); }

  // ---- Pointwise: with a scalar -----------------------------------------------------------------------------
#ifdef SWIGPYTHON
#else
  /** a + b. */
  haft::Tensor add(double b) { return haft::add_scalar(*$self, b); }
  /** a + b. */
  haft::Tensor add(int64_t b) { return haft::add_scalar(*$self, b); }
  /** a + b. */
  haft::Tensor& add_(double b) { haft::add_scalar_(*$self, b); return *$self; }
  /** a + b. */
  haft::Tensor& add_(int64_t b) { haft::add_scalar_(*$self, b); return *$self; }
  /** a + b. */
  void add_out(double b, const haft::Tensor& out) { haft::add_scalar_out(*$self, b, out); }
  /** a + b. */
  void add_out(int64_t b, const haft::Tensor& out) { haft::add_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** a - b; bool is refused. */
  haft::Tensor sub(double b) { return haft::sub_scalar(*$self, b); }
  /** a - b; bool is refused. */
  haft::Tensor sub(int64_t b) { return haft::sub_scalar(*$self, b); }
  /** a - b; bool is refused. */
  haft::Tensor& sub_(double b) { haft::sub_scalar_(*$self, b); return *$self; }
  /** a - b; bool is refused. */
  haft::Tensor& sub_(int64_t b) { haft::sub_scalar_(*$self, b); return *$self; }
  /** a - b; bool is refused. */
  void sub_out(double b, const haft::Tensor& out) { haft::sub_scalar_out(*$self, b, out); }
  /** a - b; bool is refused. */
  void sub_out(int64_t b, const haft::Tensor& out) { haft::sub_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** b - a; bool is refused. */
  haft::Tensor rsub(haft::Scalar b) { return haft::rsub_scalar(*$self, b); }
  /** b - a; bool is refused. */
  void rsub_out(haft::Scalar b, const haft::Tensor& out) { haft::rsub_scalar_out(*$self, b, out); }
#else
  /** b - a; bool is refused. */
  haft::Tensor rsub(double b) { return haft::rsub_scalar(*$self, b); }
  /** b - a; bool is refused. */
  haft::Tensor rsub(int64_t b) { return haft::rsub_scalar(*$self, b); }
  /** b - a; bool is refused. */
  void rsub_out(double b, const haft::Tensor& out) { haft::rsub_scalar_out(*$self, b, out); }
  /** b - a; bool is refused. */
  void rsub_out(int64_t b, const haft::Tensor& out) { haft::rsub_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** a * b. */
  haft::Tensor mul(double b) { return haft::mul_scalar(*$self, b); }
  /** a * b. */
  haft::Tensor mul(int64_t b) { return haft::mul_scalar(*$self, b); }
  /** a * b. */
  haft::Tensor& mul_(double b) { haft::mul_scalar_(*$self, b); return *$self; }
  /** a * b. */
  haft::Tensor& mul_(int64_t b) { haft::mul_scalar_(*$self, b); return *$self; }
  /** a * b. */
  void mul_out(double b, const haft::Tensor& out) { haft::mul_scalar_out(*$self, b, out); }
  /** a * b. */
  void mul_out(int64_t b, const haft::Tensor& out) { haft::mul_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** a / b, true division. */
  haft::Tensor div(double b) { return haft::div_scalar(*$self, b); }
  /** a / b, true division. */
  haft::Tensor div(int64_t b) { return haft::div_scalar(*$self, b); }
  /** a / b, true division. */
  haft::Tensor& div_(double b) { haft::div_scalar_(*$self, b); return *$self; }
  /** a / b, true division. */
  haft::Tensor& div_(int64_t b) { haft::div_scalar_(*$self, b); return *$self; }
  /** a / b, true division. */
  void div_out(double b, const haft::Tensor& out) { haft::div_scalar_out(*$self, b, out); }
  /** a / b, true division. */
  void div_out(int64_t b, const haft::Tensor& out) { haft::div_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** b / a, true division. */
  haft::Tensor rdiv(haft::Scalar b) { return haft::rdiv_scalar(*$self, b); }
  /** b / a, true division. */
  void rdiv_out(haft::Scalar b, const haft::Tensor& out) { haft::rdiv_scalar_out(*$self, b, out); }
#else
  /** b / a, true division. */
  haft::Tensor rdiv(double b) { return haft::rdiv_scalar(*$self, b); }
  /** b / a, true division. */
  haft::Tensor rdiv(int64_t b) { return haft::rdiv_scalar(*$self, b); }
  /** b / a, true division. */
  void rdiv_out(double b, const haft::Tensor& out) { haft::rdiv_scalar_out(*$self, b, out); }
  /** b / a, true division. */
  void rdiv_out(int64_t b, const haft::Tensor& out) { haft::rdiv_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** a to the power b. */
  haft::Tensor pow(double b) { return haft::pow_scalar(*$self, b); }
  /** a to the power b. */
  haft::Tensor pow(int64_t b) { return haft::pow_scalar(*$self, b); }
  /** a to the power b. */
  haft::Tensor& pow_(double b) { haft::pow_scalar_(*$self, b); return *$self; }
  /** a to the power b. */
  haft::Tensor& pow_(int64_t b) { haft::pow_scalar_(*$self, b); return *$self; }
  /** a to the power b. */
  void pow_out(double b, const haft::Tensor& out) { haft::pow_scalar_out(*$self, b, out); }
  /** a to the power b. */
  void pow_out(int64_t b, const haft::Tensor& out) { haft::pow_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
  /** b to the power a. */
  haft::Tensor rpow(haft::Scalar b) { return haft::rpow_scalar(*$self, b); }
  /** b to the power a. */
  void rpow_out(haft::Scalar b, const haft::Tensor& out) { haft::rpow_scalar_out(*$self, b, out); }
#else
  /** b to the power a. */
  haft::Tensor rpow(double b) { return haft::rpow_scalar(*$self, b); }
  /** b to the power a. */
  haft::Tensor rpow(int64_t b) { return haft::rpow_scalar(*$self, b); }
  /** b to the power a. */
  void rpow_out(double b, const haft::Tensor& out) { haft::rpow_scalar_out(*$self, b, out); }
  /** b to the power a. */
  void rpow_out(int64_t b, const haft::Tensor& out) { haft::rpow_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** Remainder of a / b with the sign of a. */
  haft::Tensor fmod(double b) { return haft::fmod_scalar(*$self, b); }
  /** Remainder of a / b with the sign of a. */
  haft::Tensor fmod(int64_t b) { return haft::fmod_scalar(*$self, b); }
  /** Remainder of a / b with the sign of a. */
  haft::Tensor& fmod_(double b) { haft::fmod_scalar_(*$self, b); return *$self; }
  /** Remainder of a / b with the sign of a. */
  haft::Tensor& fmod_(int64_t b) { haft::fmod_scalar_(*$self, b); return *$self; }
  /** Remainder of a / b with the sign of a. */
  void fmod_out(double b, const haft::Tensor& out) { haft::fmod_scalar_out(*$self, b, out); }
  /** Remainder of a / b with the sign of a. */
  void fmod_out(int64_t b, const haft::Tensor& out) { haft::fmod_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** Remainder of a / b with the sign of b. */
  haft::Tensor remainder(double b) { return haft::remainder_scalar(*$self, b); }
  /** Remainder of a / b with the sign of b. */
  haft::Tensor remainder(int64_t b) { return haft::remainder_scalar(*$self, b); }
  /** Remainder of a / b with the sign of b. */
  haft::Tensor& remainder_(double b) { haft::remainder_scalar_(*$self, b); return *$self; }
  /** Remainder of a / b with the sign of b. */
  haft::Tensor& remainder_(int64_t b) { haft::remainder_scalar_(*$self, b); return *$self; }
  /** Remainder of a / b with the sign of b. */
  void remainder_out(double b, const haft::Tensor& out) { haft::remainder_scalar_out(*$self, b, out); }
  /** Remainder of a / b with the sign of b. */
  void remainder_out(int64_t b, const haft::Tensor& out) { haft::remainder_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** The whole number q for which a is q * b + remainder(a, b). */
  haft::Tensor floor_divide(double b) { return haft::floor_divide_scalar(*$self, b); }
  /** The whole number q for which a is q * b + remainder(a, b). */
  haft::Tensor floor_divide(int64_t b) { return haft::floor_divide_scalar(*$self, b); }
  /** The whole number q for which a is q * b + remainder(a, b). */
  haft::Tensor& floor_divide_(double b) { haft::floor_divide_scalar_(*$self, b); return *$self; }
  /** The whole number q for which a is q * b + remainder(a, b). */
  haft::Tensor& floor_divide_(int64_t b) { haft::floor_divide_scalar_(*$self, b); return *$self; }
  /** The whole number q for which a is q * b + remainder(a, b). */
  void floor_divide_out(double b, const haft::Tensor& out) { haft::floor_divide_scalar_out(*$self, b, out); }
  /** The whole number q for which a is q * b + remainder(a, b). */
  void floor_divide_out(int64_t b, const haft::Tensor& out) { haft::floor_divide_scalar_out(*$self, b, out); }
#endif
#ifdef SWIGPYTHON
#else
  /** a == b. */
  haft::Tensor eq(double b) { return haft::eq_scalar(*$self, b); }
  /** a == b. */
  haft::Tensor eq(int64_t b) { return haft::eq_scalar(*$self, b); }
#endif
#ifdef SWIGPYTHON
#else
  /** a != b. */
  haft::Tensor ne(double b) { return haft::ne_scalar(*$self, b); }
  /** a != b. */
  haft::Tensor ne(int64_t b) { return haft::ne_scalar(*$self, b); }
#endif
#ifdef SWIGPYTHON
#else
  /** a < b. */
  haft::Tensor lt(double b) { return haft::lt_scalar(*$self, b); }
  /** a < b. */
  haft::Tensor lt(int64_t b) { return haft::lt_scalar(*$self, b); }
#endif
#ifdef SWIGPYTHON
#else
  /** a <= b. */
  haft::Tensor le(double b) { return haft::le_scalar(*$self, b); }
  /** a <= b. */
  haft::Tensor le(int64_t b) { return haft::le_scalar(*$self, b); }
#endif
#ifdef SWIGPYTHON
#else
  /** a > b. */
  haft::Tensor gt(double b) { return haft::gt_scalar(*$self, b); }
  /** a > b. */
  haft::Tensor gt(int64_t b) { return haft::gt_scalar(*$self, b); }
#endif
#ifdef SWIGPYTHON
#else
  /** a >= b. */
  haft::Tensor ge(double b) { return haft::ge_scalar(*$self, b); }
  /** a >= b. */
  haft::Tensor ge(int64_t b) { return haft::ge_scalar(*$self, b); }
#endif
#ifdef SWIGPYTHON
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor clamp(haft::Scalar min, haft::Scalar max) { return haft::clamp(*$self, min, max); }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor& clamp_(haft::Scalar min, haft::Scalar max) { haft::clamp_(*$self, min, max); return *$self; }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  void clamp_out(haft::Scalar min, haft::Scalar max, const haft::Tensor& out) { haft::clamp_out(*$self, min, max, out); }
#else
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor clamp(double min, double max) { return haft::clamp(*$self, haft::bindings::number_or_none(min), haft::bindings::number_or_none(max)); }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor clamp(int64_t min, int64_t max) { return haft::clamp(*$self, min, max); }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor& clamp_(double min, double max) { haft::clamp_(*$self, haft::bindings::number_or_none(min), haft::bindings::number_or_none(max)); return *$self; }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  haft::Tensor& clamp_(int64_t min, int64_t max) { haft::clamp_(*$self, min, max); return *$self; }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  void clamp_out(double min, double max, const haft::Tensor& out) { haft::clamp_out(*$self, haft::bindings::number_or_none(min), haft::bindings::number_or_none(max), out); }
  /** x limited to [min, max]; an absent bound (kind none) does not limit. NaN stays NaN. */
  void clamp_out(int64_t min, int64_t max, const haft::Tensor& out) { haft::clamp_out(*$self, min, max, out); }
#endif

  // ---- Pointwise: ternary and masks -------------------------------------------------------------------------
  /** a where cond is true, b elsewhere. */
  haft::Tensor where(const haft::Tensor& a, const haft::Tensor& b) { return haft::where(*$self, a, b); }
  /** a where cond is true, b elsewhere. */
  void where_out(const haft::Tensor& a, const haft::Tensor& b, const haft::Tensor& out) { haft::where_out(*$self, a, b, out); }
#ifdef SWIGPYTHON
  /** value where mask is true, x elsewhere; the result has x's dtype. */
  haft::Tensor masked_fill(const haft::Tensor& mask, haft::Scalar value) { return haft::masked_fill(*$self, mask, value); }
  /** value where mask is true, x elsewhere; the result has x's dtype. */
  haft::Tensor& masked_fill_(const haft::Tensor& mask, haft::Scalar value) { haft::masked_fill_(*$self, mask, value); return *$self; }
#else
  /** value where mask is true, x elsewhere; the result has x's dtype. */
  haft::Tensor masked_fill(const haft::Tensor& mask, double value) { return haft::masked_fill(*$self, mask, value); }
  /** value where mask is true, x elsewhere; the result has x's dtype. */
  haft::Tensor masked_fill(const haft::Tensor& mask, int64_t value) { return haft::masked_fill(*$self, mask, value); }
  /** value where mask is true, x elsewhere; the result has x's dtype. */
  haft::Tensor& masked_fill_(const haft::Tensor& mask, double value) { haft::masked_fill_(*$self, mask, value); return *$self; }
  /** value where mask is true, x elsewhere; the result has x's dtype. */
  haft::Tensor& masked_fill_(const haft::Tensor& mask, int64_t value) { haft::masked_fill_(*$self, mask, value); return *$self; }
#endif
#ifdef SWIGPYTHON
  /** x + value * a * b. */
  haft::Tensor addcmul(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar value = 1) { return haft::addcmul(*$self, a, b, value); }
  /** x + value * a * b. */
  haft::Tensor& addcmul_(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar value = 1) { haft::addcmul_(*$self, a, b, value); return *$self; }
  /** x + value * a * b. */
  void addcmul_out(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar value, const haft::Tensor& out) { haft::addcmul_out(*$self, a, b, value, out); }
#else
  /** x + value * a * b. */
  haft::Tensor addcmul(const haft::Tensor& a, const haft::Tensor& b, double value = 1) { return haft::addcmul(*$self, a, b, value); }
  /** x + value * a * b. */
  haft::Tensor addcmul(const haft::Tensor& a, const haft::Tensor& b, int64_t value) { return haft::addcmul(*$self, a, b, value); }
  /** x + value * a * b. */
  haft::Tensor& addcmul_(const haft::Tensor& a, const haft::Tensor& b, double value = 1) { haft::addcmul_(*$self, a, b, value); return *$self; }
  /** x + value * a * b. */
  haft::Tensor& addcmul_(const haft::Tensor& a, const haft::Tensor& b, int64_t value) { haft::addcmul_(*$self, a, b, value); return *$self; }
  /** x + value * a * b. */
  void addcmul_out(const haft::Tensor& a, const haft::Tensor& b, double value, const haft::Tensor& out) { haft::addcmul_out(*$self, a, b, value, out); }
  /** x + value * a * b. */
  void addcmul_out(const haft::Tensor& a, const haft::Tensor& b, int64_t value, const haft::Tensor& out) { haft::addcmul_out(*$self, a, b, value, out); }
#endif
#ifdef SWIGPYTHON
  /** x + value * a / b. */
  haft::Tensor addcdiv(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar value = 1) { return haft::addcdiv(*$self, a, b, value); }
  /** x + value * a / b. */
  haft::Tensor& addcdiv_(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar value = 1) { haft::addcdiv_(*$self, a, b, value); return *$self; }
  /** x + value * a / b. */
  void addcdiv_out(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar value, const haft::Tensor& out) { haft::addcdiv_out(*$self, a, b, value, out); }
#else
  /** x + value * a / b. */
  haft::Tensor addcdiv(const haft::Tensor& a, const haft::Tensor& b, double value = 1) { return haft::addcdiv(*$self, a, b, value); }
  /** x + value * a / b. */
  haft::Tensor addcdiv(const haft::Tensor& a, const haft::Tensor& b, int64_t value) { return haft::addcdiv(*$self, a, b, value); }
  /** x + value * a / b. */
  haft::Tensor& addcdiv_(const haft::Tensor& a, const haft::Tensor& b, double value = 1) { haft::addcdiv_(*$self, a, b, value); return *$self; }
  /** x + value * a / b. */
  haft::Tensor& addcdiv_(const haft::Tensor& a, const haft::Tensor& b, int64_t value) { haft::addcdiv_(*$self, a, b, value); return *$self; }
  /** x + value * a / b. */
  void addcdiv_out(const haft::Tensor& a, const haft::Tensor& b, double value, const haft::Tensor& out) { haft::addcdiv_out(*$self, a, b, value, out); }
  /** x + value * a / b. */
  void addcdiv_out(const haft::Tensor& a, const haft::Tensor& b, int64_t value, const haft::Tensor& out) { haft::addcdiv_out(*$self, a, b, value, out); }
#endif
#ifdef SWIGPYTHON
  /** a + weight * (b - a). */
  haft::Tensor lerp(const haft::Tensor& b, haft::Scalar weight) { return haft::lerp(*$self, b, weight); }
  /** a + weight * (b - a). */
  haft::Tensor& lerp_(const haft::Tensor& b, haft::Scalar weight) { haft::lerp_(*$self, b, weight); return *$self; }
  /** a + weight * (b - a). */
  void lerp_out(const haft::Tensor& b, haft::Scalar weight, const haft::Tensor& out) { haft::lerp_out(*$self, b, weight, out); }
#else
  /** a + weight * (b - a). */
  haft::Tensor lerp(const haft::Tensor& b, double weight) { return haft::lerp(*$self, b, weight); }
  /** a + weight * (b - a). */
  haft::Tensor lerp(const haft::Tensor& b, int64_t weight) { return haft::lerp(*$self, b, weight); }
  /** a + weight * (b - a). */
  haft::Tensor& lerp_(const haft::Tensor& b, double weight) { haft::lerp_(*$self, b, weight); return *$self; }
  /** a + weight * (b - a). */
  haft::Tensor& lerp_(const haft::Tensor& b, int64_t weight) { haft::lerp_(*$self, b, weight); return *$self; }
  /** a + weight * (b - a). */
  void lerp_out(const haft::Tensor& b, double weight, const haft::Tensor& out) { haft::lerp_out(*$self, b, weight, out); }
  /** a + weight * (b - a). */
  void lerp_out(const haft::Tensor& b, int64_t weight, const haft::Tensor& out) { haft::lerp_out(*$self, b, weight, out); }
#endif

  // ---- Activations ------------------------------------------------------------------------------------------
  /** max(x, 0). */
  haft::Tensor relu() { return haft::relu(*$self); }
  /** max(x, 0). */
  haft::Tensor& relu_() { haft::relu_(*$self); return *$self; }
  /** max(x, 0). */
  void relu_out(const haft::Tensor& out) { haft::relu_out(*$self, out); }
  /** x * Phi(x), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415). */
  haft::Tensor gelu(bool tanh = false) { return haft::gelu(*$self, tanh); }
  /** x * Phi(x), or its tanh approximation (Hendrycks and Gimpel, arXiv:1606.08415). */
  void gelu_out(bool tanh, const haft::Tensor& out) { haft::gelu_out(*$self, tanh, out); }
  /** x * sigmoid(x). */
  haft::Tensor silu() { return haft::silu(*$self); }
  /** x * sigmoid(x). */
  haft::Tensor& silu_() { haft::silu_(*$self); return *$self; }
  /** x * sigmoid(x). */
  void silu_out(const haft::Tensor& out) { haft::silu_out(*$self, out); }
  /** x * tanh(softplus(x)) (Misra, arXiv:1908.08681). */
  haft::Tensor mish() { return haft::mish(*$self); }
  /** x * tanh(softplus(x)) (Misra, arXiv:1908.08681). */
  haft::Tensor& mish_() { haft::mish_(*$self); return *$self; }
  /** x * tanh(softplus(x)) (Misra, arXiv:1908.08681). */
  void mish_out(const haft::Tensor& out) { haft::mish_out(*$self, out); }
  /** log(1 + exp(beta x)) / beta; x itself where beta x > threshold. */
  haft::Tensor softplus(double beta = 1, double threshold = 20) { return haft::softplus(*$self, beta, threshold); }
  /** log(1 + exp(beta x)) / beta; x itself where beta x > threshold. */
  void softplus_out(double beta, double threshold, const haft::Tensor& out) { haft::softplus_out(*$self, beta, threshold, out); }
  /** x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289). */
  haft::Tensor elu(double alpha = 1) { return haft::elu(*$self, alpha); }
  /** x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289). */
  haft::Tensor& elu_(double alpha = 1) { haft::elu_(*$self, alpha); return *$self; }
  /** x above 0, alpha (exp(x) - 1) below (Clevert et al., arXiv:1511.07289). */
  void elu_out(double alpha, const haft::Tensor& out) { haft::elu_out(*$self, alpha, out); }
  /** x above 0, negative_slope x below. */
  haft::Tensor leaky_relu(double negative_slope = 0.01) { return haft::leaky_relu(*$self, negative_slope); }
  /** x above 0, negative_slope x below. */
  haft::Tensor& leaky_relu_(double negative_slope = 0.01) { haft::leaky_relu_(*$self, negative_slope); return *$self; }
  /** x above 0, negative_slope x below. */
  void leaky_relu_out(double negative_slope, const haft::Tensor& out) { haft::leaky_relu_out(*$self, negative_slope, out); }
  /** x limited to [min_val, max_val]. */
  haft::Tensor hardtanh(double min_val = -1, double max_val = 1) { return haft::hardtanh(*$self, min_val, max_val); }
  /** x limited to [min_val, max_val]. */
  haft::Tensor& hardtanh_(double min_val = -1, double max_val = 1) { haft::hardtanh_(*$self, min_val, max_val); return *$self; }
  /** x limited to [min_val, max_val]. */
  void hardtanh_out(double min_val, double max_val, const haft::Tensor& out) { haft::hardtanh_out(*$self, min_val, max_val, out); }
  /** clamp(x / 6 + 1/2, 0, 1). */
  haft::Tensor hardsigmoid() { return haft::hardsigmoid(*$self); }
  /** clamp(x / 6 + 1/2, 0, 1). */
  haft::Tensor& hardsigmoid_() { haft::hardsigmoid_(*$self); return *$self; }
  /** clamp(x / 6 + 1/2, 0, 1). */
  void hardsigmoid_out(const haft::Tensor& out) { haft::hardsigmoid_out(*$self, out); }
  /** x * hardsigmoid(x) (Howard et al., arXiv:1905.02244). */
  haft::Tensor hardswish() { return haft::hardswish(*$self); }
  /** x * hardsigmoid(x) (Howard et al., arXiv:1905.02244). */
  haft::Tensor& hardswish_() { haft::hardswish_(*$self); return *$self; }
  /** x * hardsigmoid(x) (Howard et al., arXiv:1905.02244). */
  void hardswish_out(const haft::Tensor& out) { haft::hardswish_out(*$self, out); }
  /** log(sigmoid(x)). */
  haft::Tensor logsigmoid() { return haft::logsigmoid(*$self); }
  /** log(sigmoid(x)). */
  void logsigmoid_out(const haft::Tensor& out) { haft::logsigmoid_out(*$self, out); }

  // ---- Creation ---------------------------------------------------------------------------------------------
#ifdef SWIGPYTHON
  /** A tensor filled with value; dtype by the kind of value (bool, int64, default float). */
  static haft::Tensor full(const haft::IntArray& size, haft::Scalar value, haft_dtype dtype = 0, haft_device device = 0) { return haft::full(size, value, dtype, device); }
#else
  /** A tensor filled with value; dtype by the kind of value (bool, int64, default float). */
  static haft::Tensor full(const haft::IntArray& size, double value, haft_dtype dtype = 0, haft_device device = 0) { return haft::full(size, value, dtype, device); }
  /** A tensor filled with value; dtype by the kind of value (bool, int64, default float). */
  static haft::Tensor full(const haft::IntArray& size, int64_t value, haft_dtype dtype = 0, haft_device device = 0) { return haft::full(size, value, dtype, device); }
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
  /** Undefined content with the shape, dtype and device of x. */
  haft::Tensor empty_like(haft_dtype dtype = 0) { return haft::empty_like(*$self, dtype); }
  /** Zeros with the shape, dtype and device of x. */
  haft::Tensor zeros_like(haft_dtype dtype = 0) { return haft::zeros_like(*$self, dtype); }
  /** Ones with the shape, dtype and device of x. */
  haft::Tensor ones_like(haft_dtype dtype = 0) { return haft::ones_like(*$self, dtype); }
#ifdef SWIGPYTHON
  /** value with the shape, dtype and device of x. */
  haft::Tensor full_like(haft::Scalar value, haft_dtype dtype = 0) { return haft::full_like(*$self, value, dtype); }
#else
  /** value with the shape, dtype and device of x. */
  haft::Tensor full_like(double value, haft_dtype dtype = 0) { return haft::full_like(*$self, value, dtype); }
  /** value with the shape, dtype and device of x. */
  haft::Tensor full_like(int64_t value, haft_dtype dtype = 0) { return haft::full_like(*$self, value, dtype); }
#endif

  // ---- Random -----------------------------------------------------------------------------------------------
  /** Uniform numbers in [0, 1). */
  static haft::Tensor rand(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* gen = NULL) { return haft::rand(size, dtype, device, gen); }
  /** Standard normal numbers. */
  static haft::Tensor randn(const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* gen = NULL) { return haft::randn(size, dtype, device, gen); }
  /** Integers in [low, high); int64 unless dtype says otherwise. */
  static haft::Tensor randint(int64_t low, int64_t high, const haft::IntArray& size, haft_dtype dtype = 0, haft_device device = 0, haft_generator* gen = NULL) { return haft::randint(low, high, size, dtype, device, gen); }
  /** A random permutation of 0..n-1; int64 unless dtype says otherwise. */
  static haft::Tensor randperm(int64_t n, haft_dtype dtype = 0, haft_device device = 0, haft_generator* gen = NULL) { return haft::randperm(n, dtype, device, gen); }
  /** Uniform numbers in [low, high). */
  static haft::Tensor uniform(const haft::IntArray& size, double low, double high, haft_dtype dtype = 0, haft_device device = 0, haft_generator* gen = NULL) { return haft::uniform(size, low, high, dtype, device, gen); }
  /** Normal numbers with that mean and standard deviation. */
  static haft::Tensor normal(const haft::IntArray& size, double mean, double std, haft_dtype dtype = 0, haft_device device = 0, haft_generator* gen = NULL) { return haft::normal(size, mean, std, dtype, device, gen); }
  /** 1 with probability p, else 0; dtype of p. */
  haft::Tensor bernoulli(haft_generator* gen = NULL) { return haft::bernoulli(*$self, gen); }
  /** n int64 indices per row of weights (1-d or 2-d), drawn by weight. */
  haft::Tensor multinomial(int64_t n, bool replacement = false, haft_generator* gen = NULL) { return haft::multinomial(*$self, n, replacement, gen); }
  /** Uniform numbers in [0, 1) with the shape of x. */
  haft::Tensor rand_like(haft_dtype dtype = 0, haft_generator* gen = NULL) { return haft::rand_like(*$self, dtype, gen); }
  /** Standard normal numbers with the shape of x. */
  haft::Tensor randn_like(haft_dtype dtype = 0, haft_generator* gen = NULL) { return haft::randn_like(*$self, dtype, gen); }
  /** Zeroes each element with probability p and scales the rest by 1 / (1 - p); x itself when not training (Srivastava et al., JMLR 2014). */
  haft::Tensor dropout(double p = 0.5, bool train = true, haft_generator* gen = NULL) { return haft::dropout(*$self, p, train, gen); }

  // ---- Views ------------------------------------------------------------------------------------------------
  /** A view with given sizes and strides (elements); offset counts from x's first element. */
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
  /** x[start:end:step] along dim with Python's clipping; step > 0. */
  haft::Tensor slice(int64_t dim, int64_t start, int64_t end, int64_t step = 1) { return haft::slice(*$self, dim, start, end, step); }
  /** x at index along dim, without that dimension; negative counts from the end. */
  haft::Tensor select(int64_t dim, int64_t index) { return haft::select(*$self, dim, index); }
  /** The diagonal of two dimensions as a new last dimension. */
  haft::Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) { return haft::diagonal(*$self, offset, dim1, dim2); }
  /** All windows of `size` along dim, `step` apart, as a new last dimension. */
  haft::Tensor unfold(int64_t dim, int64_t size, int64_t step) { return haft::unfold(*$self, dim, size, step); }
  /** The same memory without its history. */
  haft::Tensor detach() { return haft::detach(*$self); }
  /** Another shape; a view where strides allow it, else a copy. One size may be -1. */
  haft::Tensor reshape(const haft::IntArray& size) { return haft::reshape(*$self, size); }
  /** Dimensions start_dim..end_dim joined into one. */
  haft::Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) { return haft::flatten(*$self, start_dim, end_dim); }
  /** Dimension dim split into sizes; one may be -1. */
  haft::Tensor unflatten(int64_t dim, const haft::IntArray& sizes) { return haft::unflatten(*$self, dim, sizes); }
  /** Transpose of a tensor of at most 2 dimensions. */
  haft::Tensor t() { return haft::t(*$self); }
  /** Dimension source moved to destination. */
  haft::Tensor movedim(int64_t source, int64_t destination) { return haft::movedim(*$self, source, destination); }
  /** x[start : start + length] along dim. */
  haft::Tensor narrow(int64_t dim, int64_t start, int64_t length) { return haft::narrow(*$self, dim, start, length); }
  /** x expanded to the shape of other. */
  haft::Tensor expand_as(const haft::Tensor& other) { return haft::expand_as(*$self, other); }
  /** Views of `size` along dim; the last may be smaller. */
  std::vector<haft::Tensor> split(int64_t size, int64_t dim = 0) { return haft::split(*$self, size, dim); }
  /** Views of the given sizes along dim; they add up to its size. */
  std::vector<haft::Tensor> split_sizes(const haft::IntArray& sizes, int64_t dim = 0) { return haft::split_sizes(*$self, sizes, dim); }
  /** At most `chunks` views of equal size along dim; the last may be smaller. */
  std::vector<haft::Tensor> chunk(int64_t chunks, int64_t dim = 0) { return haft::chunk(*$self, chunks, dim); }
  /** One view for each index of dim, without that dimension. */
  std::vector<haft::Tensor> unbind(int64_t dim = 0) { return haft::unbind(*$self, dim); }

  // ---- Copies -----------------------------------------------------------------------------------------------
  /** x in another element type, dense; floats are truncated towards 0 for integers. */
  haft::Tensor cast(haft_dtype dtype) { return haft::cast(*$self, dtype); }
  /** x itself when dense and row-major, else a copy that is. */
  haft::Tensor contiguous() { return haft::contiguous(*$self); }
  /** A copy with its own memory; gradients flow through. */
  haft::Tensor clone() { return haft::clone(*$self); }
  /** src broadcast and cast into the shape and dtype of x; copy_ writes x's memory, also from a view that overlaps it. */
  haft::Tensor copy(const haft::Tensor& src) { return haft::copy(*$self, src); }
  /** src broadcast and cast into the shape and dtype of x; copy_ writes x's memory, also from a view that overlaps it. */
  haft::Tensor& copy_(const haft::Tensor& src) { haft::copy_(*$self, src); return *$self; }
  /** x in another dtype and on another device; device 0 keeps x's. x itself when neither changes. */
  haft::Tensor to(haft_dtype dtype = 0, haft_device device = 0, bool non_blocking = false) { return haft::to(*$self, dtype, device, non_blocking); }
#ifdef SWIGPYTHON
  /** value in the shape of x; fill_ writes x's memory. */
  haft::Tensor fill(haft::Scalar value) { return haft::fill(*$self, value); }
  /** value in the shape of x; fill_ writes x's memory. */
  haft::Tensor& fill_(haft::Scalar value) { haft::fill_(*$self, value); return *$self; }
#else
  /** value in the shape of x; fill_ writes x's memory. */
  haft::Tensor fill(double value) { return haft::fill(*$self, value); }
  /** value in the shape of x; fill_ writes x's memory. */
  haft::Tensor fill(int64_t value) { return haft::fill(*$self, value); }
  /** value in the shape of x; fill_ writes x's memory. */
  haft::Tensor& fill_(double value) { haft::fill_(*$self, value); return *$self; }
  /** value in the shape of x; fill_ writes x's memory. */
  haft::Tensor& fill_(int64_t value) { haft::fill_(*$self, value); return *$self; }
#endif
  /** A copy of x in which as_strided(size, stride, offset) holds src. */
  haft::Tensor as_strided_scatter(const haft::Tensor& src, const haft::IntArray& size, const haft::IntArray& stride, int64_t offset = 0) { return haft::as_strided_scatter(*$self, src, size, stride, offset); }
  /** Tensors joined along dim; other sizes are equal, dtypes are promoted. */
  static haft::Tensor cat(int64_t dim, const std::vector<haft::Tensor>& xs) { return haft::cat(dim, xs); }
  /** Equal shapes joined along a new dimension. */
  static haft::Tensor stack(int64_t dim, const std::vector<haft::Tensor>& xs) { return haft::stack(dim, xs); }
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

  // ---- Reduce (an empty dims list means all dimensions) -----------------------------------------------------
  /** Sum over dims; integers and bool in int64. */
  haft::Tensor sum(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false, haft_dtype dtype = 0) { return haft::sum(*$self, dims, keepdim, dtype); }
  /** Sum over dims; integers and bool in int64. */
  void sum_out(const haft::IntArray& dims, bool keepdim, haft_dtype dtype, const haft::Tensor& out) { haft::sum_out(*$self, dims, keepdim, dtype, out); }
  /** Mean over dims; floats only. */
  haft::Tensor mean(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::mean(*$self, dims, keepdim); }
  /** Product over dims; integers and bool in int64. */
  haft::Tensor prod(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::prod(*$self, dims, keepdim); }
  /** Largest value over dims; NaN wins. Gradients are shared equally at ties. */
  haft::Tensor amax(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::amax(*$self, dims, keepdim); }
  /** Smallest value over dims; NaN wins. Gradients are shared equally at ties. */
  haft::Tensor amin(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::amin(*$self, dims, keepdim); }
  /** Largest value along dim and the first index where it stands (int64). Answers values, indices. */
  std::vector<haft::Tensor> max_dim(int64_t dim, bool keepdim = false) { return haft::bindings::list(haft::max_dim(*$self, dim, keepdim)); }
  /** Smallest value along dim and the first index where it stands (int64). Answers values, indices. */
  std::vector<haft::Tensor> min_dim(int64_t dim, bool keepdim = false) { return haft::bindings::list(haft::min_dim(*$self, dim, keepdim)); }
  /** First index of the largest value along dim (int64); absent: of the flattened tensor. */
  haft::Tensor argmax(int64_t dim = HAFT_NONE, bool keepdim = false) { return haft::argmax(*$self, dim, keepdim); }
  /** First index of the smallest value along dim (int64); absent: of the flattened tensor. */
  haft::Tensor argmin(int64_t dim = HAFT_NONE, bool keepdim = false) { return haft::argmin(*$self, dim, keepdim); }
  /** True where some element over dims is not 0. */
  haft::Tensor any(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::any(*$self, dims, keepdim); }
  /** True where every element over dims is not 0. */
  haft::Tensor all(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::all(*$self, dims, keepdim); }
  /** Variance over dims with divisor n - correction (two passes). */
  haft::Tensor var(const haft::IntArray& dims = haft::IntArray(), int64_t correction = 1, bool keepdim = false) { return haft::var(*$self, dims, correction, keepdim); }
  /** Square root of var. */
  haft::Tensor std(const haft::IntArray& dims = haft::IntArray(), int64_t correction = 1, bool keepdim = false) { return haft::std(*$self, dims, correction, keepdim); }
  /** p-norm over dims; p may be 0, 1, 2, any positive number or +-infinity. */
  haft::Tensor norm(double p = 2, const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::norm(*$self, p, dims, keepdim); }
  /** log(sum(exp(x))) over dims, shifted by the maximum. */
  haft::Tensor logsumexp(const haft::IntArray& dims = haft::IntArray(), bool keepdim = false) { return haft::logsumexp(*$self, dims, keepdim); }
  /** Running sum along dim; integers and bool in int64. */
  haft::Tensor cumsum(int64_t dim) { return haft::cumsum(*$self, dim); }
  /** Running product along dim; integers and bool in int64. */
  haft::Tensor cumprod(int64_t dim) { return haft::cumprod(*$self, dim); }
  /** Number of elements that are not 0 (int64). */
  haft::Tensor count_nonzero(const haft::IntArray& dims = haft::IntArray()) { return haft::count_nonzero(*$self, dims); }
  /** x summed over the dimensions that broadcasting from size had added. */
  haft::Tensor sum_to_size(const haft::IntArray& size) { return haft::sum_to_size(*$self, size); }

  // ---- Matmul -----------------------------------------------------------------------------------------------
  /** Matrix product (M, K) x (K, N) -> (M, N). */
  haft::Tensor mm(const haft::Tensor& b) { return haft::mm(*$self, b); }
  /** Matrix product (M, K) x (K, N) -> (M, N). */
  void mm_out(const haft::Tensor& b, const haft::Tensor& out) { haft::mm_out(*$self, b, out); }
  /** Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N). */
  haft::Tensor bmm(const haft::Tensor& b) { return haft::bmm(*$self, b); }
  /** Batched matrix product (B, M, K) x (B, K, N) -> (B, M, N). */
  void bmm_out(const haft::Tensor& b, const haft::Tensor& out) { haft::bmm_out(*$self, b, out); }
#ifdef SWIGPYTHON
  /** beta * bias + alpha * (a @ b): a (M, K), b (K, N); bias broadcasts to (M, N). */
  haft::Tensor addmm(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar beta = 1, haft::Scalar alpha = 1) { return haft::addmm(*$self, a, b, beta, alpha); }
#else
  /** beta * bias + alpha * (a @ b): a (M, K), b (K, N); bias broadcasts to (M, N). */
  haft::Tensor addmm(const haft::Tensor& a, const haft::Tensor& b, double beta = 1, double alpha = 1) { return haft::addmm(*$self, a, b, beta, alpha); }
  /** beta * bias + alpha * (a @ b): a (M, K), b (K, N); bias broadcasts to (M, N). */
  haft::Tensor addmm(const haft::Tensor& a, const haft::Tensor& b, int64_t beta, int64_t alpha) { return haft::addmm(*$self, a, b, beta, alpha); }
#endif
  /** x @ weight^T + bias: x (*, in), weight (out, in), bias (out) -> (*, out). */
  haft::Tensor linear(const haft::Tensor& weight, const haft::Tensor& bias = haft::Tensor()) { return haft::linear(*$self, weight, bias); }
  /** Product with PyTorch's rules: dot (K) x (K), matrix-vector, matrix, and batches (*, M, K) x (*, K, N) that broadcast. */
  haft::Tensor matmul(const haft::Tensor& b) { return haft::matmul(*$self, b); }
  /** Matrix-vector product (M, K) x (K) -> (M). */
  haft::Tensor mv(const haft::Tensor& x) { return haft::mv(*$self, x); }
  /** Sum of products of two vectors: (K) x (K) -> (). */
  haft::Tensor dot(const haft::Tensor& b) { return haft::dot(*$self, b); }
  /** (M) x (N) -> (M, N). */
  haft::Tensor outer(const haft::Tensor& b) { return haft::outer(*$self, b); }
#ifdef SWIGPYTHON
  /** beta * bias + alpha * bmm(a, b): a (B, M, K), b (B, K, N); bias broadcasts to (B, M, N). */
  haft::Tensor baddbmm(const haft::Tensor& a, const haft::Tensor& b, haft::Scalar beta = 1, haft::Scalar alpha = 1) { return haft::baddbmm(*$self, a, b, beta, alpha); }
#else
  /** beta * bias + alpha * bmm(a, b): a (B, M, K), b (B, K, N); bias broadcasts to (B, M, N). */
  haft::Tensor baddbmm(const haft::Tensor& a, const haft::Tensor& b, double beta = 1, double alpha = 1) { return haft::baddbmm(*$self, a, b, beta, alpha); }
  /** beta * bias + alpha * bmm(a, b): a (B, M, K), b (B, K, N); bias broadcasts to (B, M, N). */
  haft::Tensor baddbmm(const haft::Tensor& a, const haft::Tensor& b, int64_t beta, int64_t alpha) { return haft::baddbmm(*$self, a, b, beta, alpha); }
#endif

  // ---- Index ------------------------------------------------------------------------------------------------
  /** Slices of x along dim at the 1-d index. */
  haft::Tensor index_select(int64_t dim, const haft::Tensor& index) { return haft::index_select(*$self, dim, index); }
  /** out[i][j] = x[index[i][j]][j] for dim 0, and so on; index has x's rank. */
  haft::Tensor gather(int64_t dim, const haft::Tensor& index) { return haft::gather(*$self, dim, index); }
  /** A copy of x with src written where index points along dim; for repeated indices one of the writes wins. */
  haft::Tensor scatter(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { return haft::scatter(*$self, dim, index, src); }
  /** A copy of x with src written where index points along dim; for repeated indices one of the writes wins. */
  haft::Tensor& scatter_(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { haft::scatter_(*$self, dim, index, src); return *$self; }
  /** A copy of x with src added where index points along dim. */
  haft::Tensor scatter_add(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { return haft::scatter_add(*$self, dim, index, src); }
  /** A copy of x with src added where index points along dim. */
  haft::Tensor& scatter_add_(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { haft::scatter_add_(*$self, dim, index, src); return *$self; }
  /** A copy of x with the slices of src added at the 1-d index along dim. */
  haft::Tensor index_add(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { return haft::index_add(*$self, dim, index, src); }
  /** A copy of x with the slices of src added at the 1-d index along dim. */
  haft::Tensor& index_add_(int64_t dim, const haft::Tensor& index, const haft::Tensor& src) { haft::index_add_(*$self, dim, index, src); return *$self; }
  /** NumPy's advanced indexing: one integer or bool tensor, or nothing, for each leading dimension. */
  haft::Tensor index(const std::vector<haft::Tensor>& indices) { return haft::index(*$self, indices); }
  /** A copy of x with values written (or added) where advanced indexing points. */
  haft::Tensor index_put(const haft::Tensor& values, bool accumulate, const std::vector<haft::Tensor>& indices) { return haft::index_put(*$self, values, accumulate, indices); }
  /** A copy of x with values written (or added) where advanced indexing points. */
  haft::Tensor& index_put_(const haft::Tensor& values, bool accumulate, const std::vector<haft::Tensor>& indices) { haft::index_put_(*$self, values, accumulate, indices); return *$self; }
  /** The elements where mask is true, as a vector. */
  haft::Tensor masked_select(const haft::Tensor& mask) { return haft::masked_select(*$self, mask); }
  /** Indices of the elements that are not 0: (count, ndim), int64. */
  haft::Tensor nonzero() { return haft::nonzero(*$self); }
  /** A copy of x with consecutive elements of src where mask is true. */
  haft::Tensor masked_scatter(const haft::Tensor& mask, const haft::Tensor& src) { return haft::masked_scatter(*$self, mask, src); }
  /** int64 tensor with 1 at each index along a new last dimension. */
  haft::Tensor one_hot(int64_t classes) { return haft::one_hot(*$self, classes); }
  /** Stable sort along dim; NaN counts as largest. Answers values, indices. */
  std::vector<haft::Tensor> sort(int64_t dim = -1, bool descending = false) { return haft::bindings::list(haft::sort(*$self, dim, descending)); }
  /** Indices that sort x along dim. */
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
  /** Where each value keeps the last dimension of sorted in order (int64): before equal elements, or after them with right. sorted has one dimension, or the leading ones of values. */
  haft::Tensor searchsorted(const haft::Tensor& values, bool right = false) { return haft::searchsorted(*$self, values, right); }
  /** searchsorted of x in the vector boundaries. */
  haft::Tensor bucketize(const haft::Tensor& boundaries, bool right = false) { return haft::bucketize(*$self, boundaries, right); }
  /** True where an element of x is among those of test, or is not with invert. NaN is not. */
  haft::Tensor isin(const haft::Tensor& test, bool invert = false) { return haft::isin(*$self, test, invert); }
  /** How often each of 0, 1, ... stands in the integer vector x, or the sum of its weights; at least minlength counts. */
  haft::Tensor bincount(const haft::Tensor& weights = haft::Tensor(), int64_t minlength = 0) { return haft::bincount(*$self, weights, minlength); }
  /** Counts in bins of equal width from min to max, both included; equal limits mean those of the data. */
  haft::Tensor histc(int64_t bins = 100, double min = 0, double max = 0) { return haft::histc(*$self, bins, min, max); }
  /** Rows of weight (V, D) at index (*) -> (*, D); row padding_idx gets no gradient. */
  haft::Tensor embedding(const haft::Tensor& index, int64_t padding_idx = -1) { return haft::embedding(*$self, index, padding_idx); }

  // ---- Scan -------------------------------------------------------------------------------------------------
  /** Largest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices. */
  std::vector<haft::Tensor> cummax(int64_t dim) { return haft::bindings::list(haft::cummax(*$self, dim)); }
  /** Smallest element so far along dim, and the last place where it stood (int64); NaN wins. Answers values, indices. */
  std::vector<haft::Tensor> cummin(int64_t dim) { return haft::bindings::list(haft::cummin(*$self, dim)); }
  /** log(cumsum(exp(x))) along dim, without overflow; floats only. */
  haft::Tensor logcumsumexp(int64_t dim) { return haft::logcumsumexp(*$self, dim); }

  // ---- Scatter_reduce (reduce: 0 sum, 1 prod, 2 mean, 3 amax, 4 amin: HAFT_REDUCE_*) ------------------------
  /** A copy of x in which the elements that index points to along dim are reduced with those of src; without include_self, of src alone. Means of integers are rounded down. */
  haft::Tensor scatter_reduce(int64_t dim, const haft::Tensor& index, const haft::Tensor& src, int64_t reduce, bool include_self = true) { return haft::scatter_reduce(*$self, dim, index, src, reduce, include_self); }
  /** scatter_reduce of whole slices of src at the 1-d index along dim. */
  haft::Tensor index_reduce(int64_t dim, const haft::Tensor& index, const haft::Tensor& src, int64_t reduce, bool include_self = true) { return haft::index_reduce(*$self, dim, index, src, reduce, include_self); }

  // ---- Conv -------------------------------------------------------------------------------------------------
  /** Cross-correlation: x (N, C, H, W), weight (O, C/groups, kH, kW), bias (O) -> (N, O, H', W'). */
  haft::Tensor conv2d(const haft::Tensor& weight, const haft::Tensor& bias, const haft::IntArray& stride, const haft::IntArray& padding, const haft::IntArray& dilation, int64_t groups = 1) { return haft::conv2d(*$self, weight, bias, stride, padding, dilation, groups); }
  /** Maximum of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size. Padding counts as -infinity. */
  haft::Tensor max_pool2d(const haft::IntArray& kernel, const haft::IntArray& stride, const haft::IntArray& padding, const haft::IntArray& dilation, bool ceil_mode = false) { return haft::max_pool2d(*$self, kernel, stride, padding, dilation, ceil_mode); }
  /** Mean of each window of x (N, C, H, W) or (C, H, W); an empty stride means the kernel size. */
  haft::Tensor avg_pool2d(const haft::IntArray& kernel, const haft::IntArray& stride, const haft::IntArray& padding, bool ceil_mode = false, bool count_include_pad = true) { return haft::avg_pool2d(*$self, kernel, stride, padding, ceil_mode, count_include_pad); }
  /** Mean over a grid of output_size windows of x (N, C, H, W) or (C, H, W). */
  haft::Tensor adaptive_avg_pool2d(const haft::IntArray& output_size) { return haft::adaptive_avg_pool2d(*$self, output_size); }

  // ---- Norm -------------------------------------------------------------------------------------------------
  /** exp(x) / sum(exp(x)) along dim, shifted by the maximum. */
  haft::Tensor softmax(int64_t dim) { return haft::softmax(*$self, dim); }
  /** exp(x) / sum(exp(x)) along dim, shifted by the maximum. */
  void softmax_out(int64_t dim, const haft::Tensor& out) { haft::softmax_out(*$self, dim, out); }
  /** log(softmax(x)) along dim, without overflow. */
  haft::Tensor log_softmax(int64_t dim) { return haft::log_softmax(*$self, dim); }
  /** log(softmax(x)) along dim, without overflow. */
  void log_softmax_out(int64_t dim, const haft::Tensor& out) { haft::log_softmax_out(*$self, dim, out); }
  /** (x - mean) / sqrt(var + eps) * weight + bias per channel of x (N, C, *); the others are (C); updates the running statistics when training (Ioffe and Szegedy, arXiv:1502.03167). */
  haft::Tensor batch_norm(const haft::Tensor& weight, const haft::Tensor& bias, const haft::Tensor& running_mean, const haft::Tensor& running_var, bool train, double momentum = 0.1, double eps = 1e-5) { return haft::batch_norm(*$self, weight, bias, running_mean, running_var, train, momentum, eps); }
  /** (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions `shape` (Ba et al., arXiv:1607.06450). */
  haft::Tensor layer_norm(const haft::IntArray& shape, const haft::Tensor& weight = haft::Tensor(), const haft::Tensor& bias = haft::Tensor(), double eps = 1e-5) { return haft::layer_norm(*$self, shape, weight, bias, eps); }

  // ---- Loss (reduction: 0 none, 1 mean, 2 sum) --------------------------------------------------------------
  /** -log softmax(x)[target]: x (N, C, *) against class indices (N, *) of int64, or probabilities of x's shape. */
  haft::Tensor cross_entropy(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0) { return haft::cross_entropy(*$self, target, weight, reduction, ignore_index, label_smoothing); }
  /** -x[target] for log-probabilities x (N, C, *) and class indices target (N, *), int64. */
  haft::Tensor nll_loss(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), int64_t reduction = 1, int64_t ignore_index = -100) { return haft::nll_loss(*$self, target, weight, reduction, ignore_index); }
  /** (x - target)^2; the shapes broadcast. */
  haft::Tensor mse_loss(const haft::Tensor& target, int64_t reduction = 1) { return haft::mse_loss(*$self, target, reduction); }
  /** |x - target|; the shapes broadcast. */
  haft::Tensor l1_loss(const haft::Tensor& target, int64_t reduction = 1) { return haft::l1_loss(*$self, target, reduction); }
  /** Quadratic below beta, linear above (Girshick, arXiv:1504.08083). */
  haft::Tensor smooth_l1_loss(const haft::Tensor& target, int64_t reduction = 1, double beta = 1) { return haft::smooth_l1_loss(*$self, target, reduction, beta); }
  /** Huber's loss: delta times smooth_l1_loss with beta = delta. */
  haft::Tensor huber_loss(const haft::Tensor& target, int64_t reduction = 1, double delta = 1) { return haft::huber_loss(*$self, target, reduction, delta); }
  /** -(t log x + (1 - t) log(1 - x)); logarithms are limited to -100 as in PyTorch. */
  haft::Tensor binary_cross_entropy(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), int64_t reduction = 1) { return haft::binary_cross_entropy(*$self, target, weight, reduction); }
  /** binary_cross_entropy of sigmoid(x), without overflow. */
  haft::Tensor binary_cross_entropy_with_logits(const haft::Tensor& target, const haft::Tensor& weight = haft::Tensor(), const haft::Tensor& pos_weight = haft::Tensor(), int64_t reduction = 1) { return haft::binary_cross_entropy_with_logits(*$self, target, weight, pos_weight, reduction); }
  /** target (log target - x) for log-probabilities x. */
  haft::Tensor kl_div(const haft::Tensor& target, int64_t reduction = 1, bool log_target = false) { return haft::kl_div(*$self, target, reduction, log_target); }
}
