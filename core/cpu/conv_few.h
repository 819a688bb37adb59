// Forward convolution where few results share many weights: the last layers of a network that serves one image.
#pragma once
#include "core/cpu/conv_plan.h"

namespace haft::cpu {

bool few_results(const ConvPlan& p);
// x and y dense in the plan's layouts, weight (o, c, kh, kw) dense, bias (o) or null.
void few_maps(const ConvPlan& p, const float* x, const float* weight, const float* bias, float* y);

}  // namespace haft::cpu
