// Convolution of planes and volumes and its two gradients: cuDNN's for floats, else the plug-in's own loops.
#include "core/cuda/conv.h"

#include <algorithm>

namespace haft::cuda {

namespace {

// Attribute `at` and the next three are stride, padding, dilation, groups.
ConvShape shape_of(const Call& c, const haft_tensor_view& x, const haft_tensor_view& w,
                   const haft_tensor_view& y, int at) {
  ConvShape s{};
  s.dims = x.ndim - 2;
  s.n = x.sizes[0], s.c = x.sizes[1], s.o = y.sizes[1];
  s.groups = c.attrs.i(at + 3);
  const auto stride = c.attrs.ints(at), padding = c.attrs.ints(at + 1), dilation = c.attrs.ints(at + 2);
  auto pick = [](std::span<const int64_t> v, int i, int64_t otherwise) {
    return v.empty() ? otherwise : v.size() == 1 ? v[0] : v[size_t(i)];
  };
  for (int d = 0; d < 3; ++d) {
    const int i = d - (3 - s.dims);  // among the tensor's dimensions
    const bool there = i >= 0;
    s.x[d] = there ? x.sizes[2 + i] : 1;
    s.y[d] = there ? y.sizes[2 + i] : 1;
    s.kernel[d] = there ? w.sizes[2 + i] : 1;
    s.stride[d] = there ? pick(stride, i, 1) : 1;
    s.padding[d] = there ? pick(padding, i, 0) : 0;
    s.dilation[d] = there ? pick(dilation, i, 1) : 1;
    // Places in a padded dimension are counted in 30 bits.
    for (int64_t most : {s.x[d] + 2 * s.padding[d], s.stride[d], s.y[d],
                         (s.kernel[d] - 1) * s.dilation[d] + s.x[d] + s.padding[d]})
      if (most >= 1 << 30)
        fail(Code::overflow, concat("[", c.name(), "] a padded size of ", most, " does not fit in 30 bits"));
  }
  const int64_t columns = std::max(s.group_c(), s.group_o()) * s.taps();
  if (columns >= INT32_MAX)
    fail(Code::overflow,
         concat("[", c.name(), "] a window of ", columns, " elements does not fit in 31 bits"));
  return s;
}

// Narrower integers are computed as int64, of which they keep the low bits.
void narrow_conv(const Call& c, const Conv& v, void (*compute)(const Call&, const Conv&)) {
  const haft_tensor_view& out = v.pass == ConvPass::forward ? v.y : v.pass == ConvPass::input ? v.x : v.w;
  Conv wide = v;
  auto widen = [&](haft_tensor_view& t) {
    t = &t - &wide.x == &out - &v.x ? scratch_view(c, sizes(t), DType::i64) : dense(c, t, DType::i64);
  };
  widen(wide.x), widen(wide.w), widen(wide.y);
  haft_tensor_view bias;
  if (v.bias) bias = dense(c, *v.bias, DType::i64), wide.bias = &bias;
  compute(c, wide);
  copy_view(c, out, v.pass == ConvPass::forward ? wide.y : v.pass == ConvPass::input ? wide.x : wide.w);
}

void convolve(const Call& c, const Conv& v) {
  if (is_float(v.dtype()) && library_conv(c, v)) return;
  if (v.dtype() == DType::boolean) fail_dtype(c, v.dtype(), "a number type");
  const auto compute = few_channels(v.s) ? channelwise_conv : tiled_conv;
  if (!is_float(v.dtype()) && v.dtype() != DType::i64) return narrow_conv(c, v, compute);
  compute(c, v);
}

void forward(const Call& c) {
  if (c.out().numel == 0) return;
  Conv v{ConvPass::forward, shape_of(c, c.in(0), c.in(1), c.out(), 0), c.in(0), c.in(1), c.out()};
  if (c.has(2)) v.bias = &c.in(2);
  convolve(c, v);
}
void back_input(const Call& c) {
  if (c.out().numel == 0) return;
  convolve(c, {ConvPass::input, shape_of(c, c.out(), c.in(1), c.in(0), 1), c.out(), c.in(1), c.in(0)});
}
void back_weight(const Call& c) {
  if (c.out().numel == 0) return;
  convolve(c, {ConvPass::weight, shape_of(c, c.in(1), c.out(), c.in(0), 1), c.in(1), c.out(), c.in(0)});
}

}  // namespace

bool few_channels(const ConvShape& s) { return s.groups > 1 && s.group_c() <= 8 && s.group_o() <= 8; }

void k_conv2d(const Call& c) { forward(c); }
void k_conv2d_input(const Call& c) { back_input(c); }
void k_conv2d_weight(const Call& c) { back_weight(c); }
void k_conv3d_output(const Call& c) { forward(c); }
void k_conv3d_input(const Call& c) { back_input(c); }
void k_conv3d_weight(const Call& c) { back_weight(c); }

}  // namespace haft::cuda
