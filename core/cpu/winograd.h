// Winograd's F(4x4, 3x3) (Lavin and Gray, arXiv:1509.09308) for float32 maps in the blocked layout, kernels
// 3x3 and stride 1 (and 4x4 and stride 2), where a call has enough tiles to pay for transforming the weights. The
// result does not depend on the number of threads.
#pragma once
#include "core/cpu/conv_plan.h"

namespace haft::cpu {

// Whether these functions serve the convolution, and should: both layouts HAFT_LAYOUT_BLOCKED16, AVX-512.
bool own_winograd(const ConvPlan& p);

// Whether winograd_maps() and winograd_weight() serve a kernel 4x4 with steps of 2 and a padding of 1, as four
// kernels 2x2 over the quarters of x. Maps are in blocks of 16 channels.
bool winograd_quarters(const ConvPlan& p);

// Forward: y from x; input: dx from dy. `weight` is plain (O, C, kh, kw), `view` names it to the cache of
// packed weights; bias may be nullptr.
void winograd_maps(const ConvPlan& p, const haft_tensor_view& view, const float* from, const float* weight,
                   const float* bias, float* to);
// dweight, plain, from x and dy.
void winograd_weight(const ConvPlan& p, const float* x, const float* dy, float* dweight);

// The same for kernels (kd, 3, 3) of volumes, whose planes share their transformed maps: a product for each of kd
// planes. Maps are (n, channels / 16, depth, h, w, 16).
bool winograd_volume(const ConvPlan& p);
void winograd_volume_maps(const ConvPlan& p, const haft_tensor_view& view, const float* from,
                          const float* weight, const float* bias, float* to);
void winograd_volume_weight(const ConvPlan& p, const float* x, const float* dy, float* dweight);

}  // namespace haft::cpu
