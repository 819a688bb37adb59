// Convolution of lines (maps of one row), row-major: forward and backward with unit steps, with longer ones the
// gradient for the weights. The library brings maps into blocks of channels and back for every pass, an eighth of the
// time. The results do not depend on the number of threads.
#pragma once
#include "core/cpu/conv_plan.h"

namespace haft::cpu {

// Whether these functions serve a pass: float32 and AVX-512, enough channels and results to fill the tiles.
bool lines_possible(const ConvPlan& p);
// y from x, or dx from dy, which then are `from` and `to`. bias may be nullptr. False, and nothing is done, where the
// zeros beside a line would make NaN of infinite weights, or of infinite dy: the library leaves these products out.
bool lines_maps(const ConvPlan& p, const float* from, const float* weight, const float* bias, float* to);
bool lines_weight(const ConvPlan& p, const float* dy, const float* x, float* dweight);

}  // namespace haft::cpu
