// Convolutions as products (implicit GEMM): weights times windows, which are read where the maps lie. A weight's
// gradient is a sum over all pixels, cut into slices that fill the device; slices are added in their order.
#include "core/cuda/conv.h"

#include "core/cuda/visit.cuh"
#include "core/cuda/windows.cuh"

namespace haft::cuda {

namespace {

// out[n, channel, place] = sum over columns of weights(channel, column) * windows(pixel, column), group by group.
template <class T>
struct MapProduct {
  MatrixSource<T> weights;
  WindowSource<T, true> windows;
  int64_t groups, channels;  // of out in a group
  int64_t weights_group, windows_group;
  T* out;
  MapStrides strides;
  const T* bias;  // NULL: none
  int64_t bias_step;
  bool channel_vectors, pixel_vectors;  // four of them stand side by side in out, aligned
};

template <class T>
__global__ void __launch_bounds__(kTileThreads) make_maps(MapProduct<T> p) {
  using F = FactorType<T>;
  const int64_t pixels = p.windows.grid.pixels;
  const int64_t tiles_m = (p.channels + kTileSide - 1) / kTileSide,
                tiles_n = (pixels + kTileSide - 1) / kTileSide;
  const int i0 = int(threadIdx.x) / 16 * 4, j0 = int(threadIdx.x) % 16 * 4;
  for (int64_t t = blockIdx.x; t < p.groups * tiles_m * tiles_n; t += gridDim.x) {
    // Neighbouring blocks share pixels.
    const int64_t tile_n = t / (p.groups * tiles_m), rest = t - tile_n * p.groups * tiles_m,
                  group = rest / tiles_m;
    const int64_t m0 = (rest - group * tiles_m) * kTileSide, n0 = tile_n * kTileSide;
    MatrixSource<T> a = p.weights;
    WindowSource<T, true> b = p.windows;
    a.data += group * p.weights_group;
    b.data += group * p.windows_group;
    F sum[4][4];
    multiply_tile<T>(a, b, m0, n0, 0, p.windows.grid.columns, sum);
    const int64_t first = group * p.channels + m0 + i0, left = p.channels - m0 - i0;
    const int rows = left < 0   ? 0
                     : left < 4 ? int(left)
                                : 4,
              columns = pixels - n0 - j0 < 4 ? int(pixels - n0 - j0) : 4;
    const Place corner = first_place(p.windows.grid, n0);
    int64_t place[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const Place q = place_after(p.windows.grid, corner, uint32_t(j0 + j));
      place[j] =
          q.n * p.strides.n + q.at[0] * p.strides.s[0] + q.at[1] * p.strides.s[1] + q.at[2] * p.strides.s[2];
    }
    if (p.bias) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const F bias = i < rows ? F(load(p.bias[(first + i) * p.bias_step])) : F(0);
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += bias;
      }
    }
    if (p.pixel_vectors) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i < rows) store_four(p.out + (first + i) * p.strides.c + place[0], 1, columns, true, sum[i]);
      continue;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const F x[4] = {sum[0][j], sum[1][j], sum[2][j], sum[3][j]};
      if (j < columns)
        store_four(p.out + first * p.strides.c + place[j], p.strides.c, rows, p.channel_vectors, x);
    }
  }
}

// sums[slice][group][channel of y][tap][channel of x]
template <class T>
struct WeightProduct {
  WindowSource<T, false> y, x;
  int64_t groups, y_group, x_group, slices, slice;  // pixels a slice
  FactorType<T>* sums;
};
template <class T>
__global__ void __launch_bounds__(kTileThreads) sum_weights(WeightProduct<T> p) {
  using F = FactorType<T>;
  const int64_t m = p.y.grid.columns, n = p.x.grid.columns;
  const int64_t tiles_m = (m + kTileSide - 1) / kTileSide, tiles_n = (n + kTileSide - 1) / kTileSide,
                tiles = tiles_m * tiles_n;
  const int i0 = int(threadIdx.x) / 16 * 4, j0 = int(threadIdx.x) % 16 * 4;
  for (int64_t t = blockIdx.x; t < p.slices * p.groups * tiles; t += gridDim.x) {
    const int64_t part = t / tiles, tile = t - part * tiles, slice = part / p.groups,
                  group = part - slice * p.groups;
    const int64_t m0 = tile / tiles_n * kTileSide, n0 = tile % tiles_n * kTileSide;
    WindowSource<T, false> a = p.y, b = p.x;
    a.data += group * p.y_group;
    b.data += group * p.x_group;
    const int64_t k0 = slice * p.slice,
                  k_end = k0 + p.slice < p.x.grid.pixels ? k0 + p.slice : p.x.grid.pixels;
    F sum[4][4];
    multiply_tile<T>(a, b, m0, n0, k0, k_end, sum);
    F* to = p.sums + part * m * n;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (m0 + i0 + i < m && n0 + j0 + j < n) to[(m0 + i0 + i) * n + n0 + j0 + j] = sum[i][j];
  }
}
// dw (O, C / groups, taps) of any strides from the slices' sums.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_slices(T* dw, const FactorType<T>* sums, int64_t slices, int64_t count, MapStrides strides,
               int64_t channels, int64_t k0, int64_t k1, int64_t k2) {
  for (int64_t i = grid_index(); i < count; i += grid_size()) {
    FactorType<T> sum = 0;
    for (int64_t s = 0; s < slices; ++s) sum += sums[s * count + i];
    int64_t at = i, to = at % channels * strides.c;
    at /= channels;
    to += at % k2 * strides.s[2];
    at /= k2;
    to += at % k1 * strides.s[1];
    at /= k1;
    to += at % k0 * strides.s[0] + at / k0 * strides.n;
    store_sum(dw + to, sum);
  }
}

template <class T, bool kPixelRows>
WindowSource<T, kPixelRows> windows_of(const haft_tensor_view& maps, const WindowGrid& grid,
                                       int64_t channels) {
  using W = WindowSource<T, kPixelRows>;
  const MapStrides s = strides_of(maps);
  W w{static_cast<const T*>(maps.data), grid, s, s.c == 1 && channels > 1, false, {}, {}};
  w.vectors = w.near && channels % W::n == 0 && aligned(w.data, W::kLanes, {s.n, s.s[0], s.s[1], s.s[2]});
  return w;
}

// Weights in the order of columns: (O, taps, C / groups), or (groups, taps, O / groups, C / groups) for the gradient
// for x.
haft_tensor_view weights_by_taps(const Call& c, const Conv& v) {
  const MapStrides s = strides_of(v.w);
  haft_tensor_view w = v.w;
  const bool back = v.pass == ConvPass::input;
  int d = 0;
  auto add = [&](int64_t size, int64_t stride) { w.sizes[d] = size, w.strides[d++] = stride; };
  back ? add(v.s.groups, s.n * v.s.group_o()) : add(v.s.o, s.n);
  for (int i = 0; i < 3; ++i) add(v.s.kernel[i], s.s[i]);
  if (back) add(v.s.group_o(), s.n);
  add(v.s.group_c(), s.c);
  w.ndim = uint8_t(d);
  int64_t step = 1;
  w.contiguous = 1;
  for (int i = d - 1; i >= 0; step *= w.sizes[i--])
    if (w.sizes[i] != 1 && w.strides[i] != step) w.contiguous = 0;
  return dense(c, w);
}

template <class T>
void maps(const Call& c, const Conv& v) {
  const bool back = v.pass == ConvPass::input;
  const ConvShape& s = v.s;
  const haft_tensor_view w = weights_by_taps(c, v), &from = back ? v.y : v.x, &out = back ? v.x : v.y;
  const int64_t read = back ? s.group_o() : s.group_c(), made = back ? s.group_c() : s.group_o(),
                columns = read * s.taps();
  const T* weights = static_cast<const T*>(w.data);
  const WindowGrid grid = window_grid(s, back, read);
  constexpr int64_t kLanes = MatrixSource<T>::kLanes;
  const MapStrides to = strides_of(out);
  MapProduct<T> p;
  p.weights = {weights, back ? 1 : columns, back ? made : 1, made, !back, false};
  p.weights.vectors = aligned(weights, kLanes, {back ? made : columns, columns * made});
  p.windows = windows_of<T, true>(from, grid, read);
  p.groups = s.groups, p.channels = made, p.weights_group = columns * made,
  p.windows_group = read * strides_of(from).c;
  p.out = static_cast<T*>(out.data), p.strides = to;
  p.bias = v.bias ? static_cast<const T*>(v.bias->data) : nullptr,
  p.bias_step = v.bias ? v.bias->strides[0] : 0;
  const int64_t four = sizeof(T) == 8 ? 2 : 4, width = back ? s.x[2] : s.y[2];
  p.channel_vectors = to.c == 1 && made % 4 == 0 && aligned(p.out, four, {to.n, to.s[0], to.s[1], to.s[2]});
  p.pixel_vectors = !p.channel_vectors && to.s[2] == 1 && width % 4 == 0 &&
                    aligned(p.out, four, {to.n, to.c, to.s[0], to.s[1]});
  const int64_t tiles =
      s.groups * ((made + kTileSide - 1) / kTileSide) * ((grid.pixels + kTileSide - 1) / kTileSide);
  Shape3 shape;
  shape.grid.x = uint32_t(tiles < INT32_MAX ? tiles : INT32_MAX);
  shape.block.x = kTileThreads;
  launch(c, shape, make_maps<T>, p);
}

template <class T>
void weights(const Call& c, const Conv& v) {
  const ConvShape& s = v.s;
  const int64_t m = s.group_o(), n = s.group_c() * s.taps(), pixels = s.n * s.y_area();
  WeightProduct<T> p{windows_of<T, false>(v.y, plain_grid(s, m), m),
                     windows_of<T, false>(v.x, window_grid(s, false, s.group_c()), s.group_c()),
                     s.groups,
                     m * strides_of(v.y).c,
                     s.group_c() * strides_of(v.x).c,
                     1,
                     0,
                     nullptr};
  const int64_t tiles = s.groups * ((m + kTileSide - 1) / kTileSide) * ((n + kTileSide - 1) / kTileSide);
  constexpr int64_t kLeast = 8 * kTileDepth<T>,
                    kMost = int64_t(1) << 29;  // pixels that are worth a block, and that one may count
  const int64_t wanted = 4 * multiprocessors(c.device()) / tiles, most = (pixels + kLeast - 1) / kLeast;
  p.slices = wanted < 1 || most < 1 ? 1 : wanted < most ? wanted : most;
  if (p.slices < (pixels + kMost - 1) / kMost) p.slices = (pixels + kMost - 1) / kMost;
  p.slice = ((pixels + p.slices - 1) / p.slices + kTileDepth<T> - 1) / kTileDepth<T> * kTileDepth<T>;
  const int64_t count = s.o * n;
  p.sums = c.scratch<FactorType<T>>(p.slices * count);
  Shape3 shape;
  shape.grid.x = uint32_t(tiles * p.slices < INT32_MAX ? tiles * p.slices : INT32_MAX);
  shape.block.x = kTileThreads;
  launch(c, shape, sum_weights<T>, p);
  launch(c, blocks_for(c, count), add_slices<T>, static_cast<T*>(v.w.data), p.sums, p.slices, count,
         strides_of(v.w), s.group_c(), s.kernel[0], s.kernel[1], s.kernel[2]);
}

}  // namespace

void tiled_conv(const Call& c, const Conv& v) {
  visit_factor(c, v.dtype(),
               [&]<class T>() { v.pass == ConvPass::weight ? weights<T>(c, v) : maps<T>(c, v); });
}

}  // namespace haft::cuda
