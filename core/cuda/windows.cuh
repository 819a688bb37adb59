// Maps of a convolution as a factor of a product: element (pixel, column) is what tap and channel `column` of the
// window at `pixel` sees, 0 outside the maps. A pixel is a place of the grid of windows, column = tap * channels +
// channel.
#pragma once
#include "core/cuda/conv.h"
#include "core/cuda/tiles.cuh"

namespace haft::cuda {

// The grid of windows, and where in the maps tap t of window p stands in each dimension: (p * step + start + t * tap)
// / stride, where that is a whole number. A gradient for x reads y so, with a stride.
struct WindowGrid {
  int64_t pixels, size_of_grid[3];
  Divider grid[3];
  int32_t step[3], start[3], tap[3], size[3];
  Divider stride[3], kernel[3], channels;
  int32_t columns;
  bool forward;  // all strides are 1
};
inline WindowGrid window_grid(const ConvShape& s, bool back, int64_t channels) {
  WindowGrid g;
  const int64_t* grid = back ? s.x : s.y;
  g.pixels = s.n * grid[0] * grid[1] * grid[2];
  g.forward = true;
  for (int d = 0; d < 3; ++d) {
    g.size_of_grid[d] = grid[d];
    g.grid[d] = Divider(uint32_t(grid[d]));
    g.step[d] = int32_t(back ? 1 : s.stride[d]);
    g.start[d] = int32_t(back ? s.padding[d] : -s.padding[d]);
    g.tap[d] = int32_t(back ? -s.dilation[d] : s.dilation[d]);
    g.size[d] = int32_t(back ? s.y[d] : s.x[d]);
    g.stride[d] = Divider(uint32_t(back ? s.stride[d] : 1));
    g.kernel[d] = Divider(uint32_t(s.kernel[d]));
    if (back && s.stride[d] > 1) g.forward = false;
  }
  g.channels = Divider(uint32_t(channels < 1 ? 1 : channels));
  g.columns = int32_t(channels * s.taps());
  return g;
}
// The grid of y itself: one tap, every place once.
inline WindowGrid plain_grid(const ConvShape& s, int64_t channels) {
  ConvShape one = s;
  for (int d = 0; d < 3; ++d)
    one.x[d] = s.y[d], one.kernel[d] = one.stride[d] = one.dilation[d] = 1, one.padding[d] = 0;
  return window_grid(one, false, channels);
}

// A place of the grid. Pixels are counted in 64 bits: the first of a tile is found by long division, those after it
// from there.
struct Place {
  int64_t n;
  int32_t at[3];
};
__device__ inline Place first_place(const WindowGrid& g, int64_t i) {
  Place p;
#pragma unroll
  for (int d = 2; d >= 0; --d) {
    const int64_t q = i / g.size_of_grid[d];
    p.at[d] = int32_t(i - q * g.size_of_grid[d]);
    i = q;
  }
  p.n = i;
  return p;
}
__device__ inline Place place_after(const WindowGrid& g, Place p,
                                    uint32_t many) {  // many, and a size of the grid, are below 2^30
#pragma unroll
  for (int d = 2; d >= 0; --d) {
    const uint32_t sum = uint32_t(p.at[d]) + many;
    many = g.grid[d](sum);
    p.at[d] = int32_t(sum - many * g.grid[d].divisor);
  }
  p.n += many;
  return p;
}

struct Pixel {
  int64_t n;
  int32_t at[3];  // where its window starts
  __device__ Pixel() {}
  __device__ Pixel(const WindowGrid& g, const Place& p) : n(p.n) {
#pragma unroll
    for (int d = 0; d < 3; ++d) at[d] = p.at[d] * g.step[d] + g.start[d];
  }
  __device__ void next(const WindowGrid& g) {
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      at[d] += g.step[d];
      if (at[d] != int32_t(g.grid[d].divisor) * g.step[d] + g.start[d]) return;
      at[d] = g.start[d];
    }
    ++n;
  }
};
struct Column {
  int32_t channel, tap[3];  // steps from a window's start
  __device__ Column() {}
  __device__ Column(const WindowGrid& g, uint32_t i) {
    uint32_t left = g.channels(i);
    channel = int32_t(i - left * g.channels.divisor);
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      const uint32_t q = d ? g.kernel[d](left) : 0;
      tap[d] = int32_t(left - q * g.kernel[d].divisor) * g.tap[d];
      left = q;
    }
  }
  __device__ void next(const WindowGrid& g) {
    if (++channel != int32_t(g.channels.divisor)) return;
    channel = 0;
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      tap[d] += g.tap[d];
      if (d == 0 || tap[d] != int32_t(g.kernel[d].divisor) * g.tap[d]) return;
      tap[d] = 0;
    }
  }
};
// Where (pixel, column) stands in maps of these strides; -1: outside.
__device__ inline int64_t place_in(const WindowGrid& g, const MapStrides& s, const Pixel& p,
                                   const Column& c) {
  int64_t to = p.n * s.n + c.channel * s.c;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    int32_t i = p.at[d] + c.tap[d];
    if (i < 0) return -1;
    if (!g.forward) {
      const int32_t q = int32_t(g.stride[d](uint32_t(i)));
      if (q * int32_t(g.stride[d].divisor) != i) return -1;
      i = q;
    }
    if (i >= g.size[d]) return -1;
    to += i * s.s[d];
  }
  return to;
}

// Rows of the factor are pixels and k runs over columns, or the other way round. Either way what a thread brings are
// neighbours in k, but where channels are neighbours in memory and rows: there it brings rows.
template <class T, bool kPixelRows>
struct WindowSource {
  const T* data;
  WindowGrid grid;
  MapStrides strides;
  bool near, vectors;  // neighbouring channels are neighbours in memory; 16 bytes of them may be read at once
  Pixel pixel;         // of the thread's row
  Column column;
  Place place;  // of the first k

  using Factor = FactorType<T>;
  static constexpr int n = kTileShare<T>, kLanes = sizeof(T) == 8 ? 2 : n;
  static constexpr Order kNear = kPixelRows ? Order::along_k : Order::along_rows;
  static constexpr Order kFar = kPixelRows ? Order::row_a_lane : Order::along_k;

  __device__ void begin(int64_t first, int64_t k0) {
    const int row = near ? Share<T, kNear>::row(0) : Share<T, kFar>::row(0);
    if constexpr (kPixelRows) {
      pixel = Pixel(grid, place_after(grid, first_place(grid, first), uint32_t(row)));
      if (first + row >= grid.pixels) pixel.at[0] = INT32_MIN / 2;  // outside, whatever the tap
    } else {
      place = first_place(grid, k0);
      column = Column(grid, uint32_t(first + row));
    }
  }
  __device__ Factor at(int64_t i) const { return i < 0 ? Factor(0) : Factor(load(data[i])); }
  // `since`: how far k is behind the first of this tile's sum.
  template <Order kOrder>
  __device__ void read(int64_t first, uint32_t since, int64_t k, int64_t k_end, Factor* to) const {
    using S = Share<T, kOrder>;
    const int mine = S::k(0);
    Pixel p = pixel;
    Column c = column;
    if constexpr (kPixelRows)
      c = Column(grid, uint32_t(k) + uint32_t(mine));
    else
      p = Pixel(grid, place_after(grid, place, since + uint32_t(mine)));
    if (kOrder == kNear && vectors) {  // all n channels are of one tap
      const int64_t i = kPixelRows ? k + mine : first + S::row(0);
      const int64_t from = k + mine < k_end && i < grid.columns ? place_in(grid, strides, p, c) : -1;
#pragma unroll
      for (int j = 0; j < n; j += kLanes) {
        Vector<T, kLanes> v{};
        if (from >= 0) v = *reinterpret_cast<const Vector<T, kLanes>*>(data + from + j);
#pragma unroll
        for (int l = 0; l < kLanes; ++l) to[j + l] = Factor(load(v.at[l]));
      }
      return;
    }
    int left = int(k_end - k < kTileDepth<T> ? k_end - k : kTileDepth<T>) - mine;
    if constexpr (!kPixelRows) {
      const int64_t rows = grid.columns - first - S::row(0);
      if (kOrder == kNear)
        left = left <= 0 ? 0 : rows < n ? int(rows) : n;
      else if (rows <= 0)
        left = 0;
    }
#pragma unroll
    for (int j = 0; j < n; ++j) {
      to[j] = j < left ? at(place_in(grid, strides, p, c)) : Factor(0);
      if (kPixelRows || kOrder == kNear)
        c.next(grid);
      else
        p.next(grid);
    }
  }
  __device__ void fetch(int64_t first, int64_t k0, int64_t k, int64_t k_end, Factor* to) const {
    near ? read<kNear>(first, uint32_t(k - k0), k, k_end, to)
         : read<kFar>(first, uint32_t(k - k0), k, k_end, to);
  }
  __device__ void put(Factor (*tile)[kTilePitch], const Factor* share) const {
    near ? place_share<T, kNear>(tile, share) : place_share<T, kFar>(tile, share);
  }
};

}  // namespace haft::cuda
