// Convolutions by cuDNN: float32 and float64 in the order that their maps lie in, 16-bit floats channels last. What
// lies otherwise is copied on its way.
#include <algorithm>

#include "core/cuda/conv.h"
#include "core/cuda/dnn_conv.h"
#include "core/cuda/dnn_plans.h"

namespace haft::cuda {

namespace {

bool has_strides(const haft_tensor_view& v, const std::array<int64_t, 5>& want) {
  for (int d = 0; d < v.ndim; ++d)
    if (v.sizes[d] != 1 && v.strides[d] != want[size_t(d)]) return false;
  return reinterpret_cast<uintptr_t>(v.data) % 16 == 0;
}

// A tensor in the order that the library is told.
struct Formatted {
  haft_tensor_view view;
  bool copied;

  Formatted(const Call& c, const haft_tensor_view& v, bool channels_last, bool read)
      : view(v), copied(false) {
    const auto want = dnn::format_strides(sizes(v), channels_last);
    if (has_strides(v, want)) return;
    copied = true;
    view.data = c.scratch_bytes(bytes(v));
    std::copy_n(want.begin(), v.ndim, view.strides);
    view.contiguous = !channels_last;
    if (read) copy_view(c, view, v);
  }
};

bool is_channels_last(const haft_tensor_view& v) {
  return !v.contiguous && has_strides(v, dnn::format_strides(sizes(v), true));
}

dnn::Key key_of(const Conv& v, bool channels_last, bool bias) {
  const ConvShape& s = v.s;
  dnn::Key key = {int64_t(OpId::conv2d),
                  int64_t(v.pass),
                  int64_t(v.dtype()),
                  s.dims,
                  channels_last,
                  bias,
                  s.n,
                  s.c,
                  s.o,
                  s.groups};
  for (const int64_t* of : {s.x, s.y, s.kernel, s.stride, s.padding, s.dilation})
    key.insert(key.end(), of, of + 3);
  return key;
}

}  // namespace

bool library_conv(const Call& c, const Conv& v) {
  if (v.x.numel == 0 || v.w.numel == 0 || v.y.numel == 0) return false;
  const DType t = v.dtype();
  const haft_tensor_view& out = v.pass == ConvPass::forward ? v.y : v.pass == ConvPass::input ? v.x : v.w;
  const bool half = t == DType::f16 || t == DType::bf16;
  const bool channels_last = half || (v.pass != ConvPass::weight && is_channels_last(out)) ||
                             (v.pass == ConvPass::weight && is_channels_last(v.x) && is_channels_last(v.y));
  dnn::Wanted wanted;
  wanted.tf32 = t != DType::f32 || c.call.flags & HAFT_CALL_TF32_CONVOLUTION ||
                (c.tf32() && !(c.call.flags & HAFT_CALL_FLOAT32_CONVOLUTION));
  wanted.exact = c.exact();
  auto plan = [&](bool bias) {
    return dnn::plan_for(c, key_of(v, channels_last, bias), wanted,
                         [&](const dnn::Functions& lib, std::vector<dnn::Tensor>* tensors) {
                           dnn::ConvGraph g = dnn::conv_graph(lib, v.pass, v.s, t, channels_last, bias);
                           *tensors = {g.x, g.w, g.y};
                           if (bias) tensors->push_back(g.bias);
                           return std::move(g.graph);
                         });
  };
  std::shared_ptr<const dnn::Kept> kept = plan(v.bias != nullptr);
  const bool adds = kept && v.bias;
  if (!kept && v.bias) kept = plan(false);
  if (!kept) return false;

  const Formatted x(c, v.x, channels_last, v.pass != ConvPass::input),
      w(c, v.w, channels_last, v.pass != ConvPass::weight),
      y(c, v.y, channels_last, v.pass != ConvPass::forward);
  if (adds) {
    haft_tensor_view bias = dense(c, *v.bias);
    if (reinterpret_cast<uintptr_t>(bias.data) % 16) {
      const haft_tensor_view moved = scratch_view(c, sizes(bias), t);
      copy_view(c, moved, bias);
      bias = moved;
    }
    dnn::run(c, *kept, {x.view.data, w.view.data, y.view.data, bias.data});
  } else {
    dnn::run(c, *kept, {x.view.data, w.view.data, y.view.data});
  }
  const Formatted& made = v.pass == ConvPass::forward ? y : v.pass == ConvPass::input ? x : w;
  if (made.copied) copy_view(c, out, made.view);
  if (v.bias && !adds) add_channels(c, out, *v.bias);
  return true;
}

}  // namespace haft::cuda
