#include "core/cuda/dnn_conv.h"

namespace haft::cuda::dnn {

std::array<int64_t, 5> format_strides(std::span<const int64_t> sizes, bool channels_last) {
  std::array<int64_t, 5> strides{};
  int64_t step = 1;
  if (channels_last) strides[1] = 1, step = sizes[1];
  for (size_t d = sizes.size(); d-- > 2; step *= sizes[d]) strides[d] = step;
  if (!channels_last) strides[1] = step, step *= sizes[1];
  strides[0] = step;
  return strides;
}

ConvGraph conv_graph(const Functions& lib, ConvPass pass, const ConvShape& s, DType type, bool channels_last,
                     bool bias) {
  ConvGraph g;
  g.graph = std::make_unique<Graph>(lib);
  const DType compute = type == DType::f64 ? DType::f64 : DType::f32;
  const size_t n = size_t(s.dims) + 2, first = size_t(3 - s.dims);
  auto maps = [&](int64_t outer, int64_t channels, const int64_t* area, DType t,
                  Place place = Place::memory) {
    std::array<int64_t, 5> sizes{outer, channels};
    for (size_t d = 2; d < n; ++d) sizes[d] = area[first + d - 2];
    return g.graph->tensor({sizes.data(), n}, {format_strides({sizes.data(), n}, channels_last).data(), n}, t,
                           place);
  };
  g.x = maps(s.n, s.c, s.x, type);
  g.w = maps(s.o, s.group_c(), s.kernel, type);
  g.y = maps(s.n, s.o, s.y, type);
  if (!bias) {
    g.graph->convolve(pass, s, g.x, g.w, g.y, compute);
    return g;
  }
  const int64_t one[3] = {1, 1, 1};
  g.bias = maps(1, s.o, one, type);
  const Tensor product = maps(s.n, s.o, s.y, compute, Place::between);
  g.graph->convolve(pass, s, g.x, g.w, product, compute);
  g.graph->pointwise(kAdd, product, {.b = &g.bias, .out = &g.y, .compute = compute});
  return g;
}

}  // namespace haft::cuda::dnn
