// Convolutions whose groups have few channels (depthwise ones have one): a thread makes one element of the maps, a
// block one weight's gradient, or 32 of them where channels are neighbours in memory.
#include "core/cuda/conv.h"

#include "core/cuda/space.cuh"
#include "core/cuda/visit.cuh"
#include "core/cuda/windows.cuh"

namespace haft::cuda {

namespace {

// out[n, channel, place] = sum over the group's channels that are read and the taps.
template <class T>
struct ChannelMaps {
  const T *from, *weights, *bias;
  T* out;
  WindowGrid grid;
  MapStrides from_strides, out_strides;
  int64_t weight_group, weight_made, weight_read, weight_tap[3], bias_step;
  int64_t made, read, channels, count;  // made and read in a group
  int64_t area;                         // places of an image; 1 where channels are neighbours in out
};
template <class T>
__global__ void __launch_bounds__(kThreads) make_elements(ChannelMaps<T> p) {
  using F = FactorType<T>;
  for (int64_t i = grid_index(); i < p.count; i += grid_size()) {
    // Elements in the order of out: (n, place, channel), or (n, channel, place).
    const int64_t outer = i / p.area, inner = i - outer * p.area;
    int64_t image = outer / p.channels;
    const int64_t channel = outer - image * p.channels, group = channel / p.made;
    const Place place = first_place(p.grid, image * p.area + inner);
    const Pixel pixel(p.grid, place);
    const int64_t own = channel - group * p.made;
    F sum = p.bias ? F(load(p.bias[channel * p.bias_step])) : F(0);
    Column c;
    for (c.channel = 0; c.channel < p.read; ++c.channel) {
      const T* from = p.from + group * p.read * p.from_strides.c;
      const T* w = p.weights + group * p.weight_group + c.channel * p.weight_read + own * p.weight_made;
      for (uint32_t z = 0; z < p.grid.kernel[0].divisor; ++z)
        for (uint32_t y = 0; y < p.grid.kernel[1].divisor; ++y)
          for (uint32_t x = 0; x < p.grid.kernel[2].divisor; ++x) {
            c.tap[0] = int32_t(z) * p.grid.tap[0];
            c.tap[1] = int32_t(y) * p.grid.tap[1];
            c.tap[2] = int32_t(x) * p.grid.tap[2];
            const int64_t at = place_in(p.grid, p.from_strides, pixel, c);
            if (at >= 0)
              sum += F(load(from[at])) *
                     F(load(w[z * p.weight_tap[0] + y * p.weight_tap[1] + x * p.weight_tap[2]]));
          }
    }
    store_sum(p.out + place.n * p.out_strides.n + channel * p.out_strides.c +
                  place.at[0] * p.out_strides.s[0] + place.at[1] * p.out_strides.s[1] +
                  place.at[2] * p.out_strides.s[2],
              sum);
  }
}

template <class T>
struct ChannelWeights {
  const T *x, *y;
  T* weights;
  WindowGrid grid;
  MapStrides x_strides, y_strides, weight_strides;  // of the weights: output, channel of the group, taps
  int64_t out_channels, group_o, group_c, taps, items;
  bool lanes_are_channels;
};
constexpr int kLanesDown = 8;
template <class T>
__global__ void __launch_bounds__(kWarp* kLanesDown) sum_weight(ChannelWeights<T> p) {
  using F = FactorType<T>;
  __shared__ F parts[kLanesDown][kWarp];
  const int lane = int(threadIdx.x), down = int(threadIdx.y);
  for (int64_t item = blockIdx.x; item < p.items; item += gridDim.x) {
    int64_t left = item / p.taps;
    const Column tap(p.grid, uint32_t(item - left * p.taps));  // one channel a tap
    const int64_t block = left / p.group_c, read = left - block * p.group_c;
    const int64_t o = p.lanes_are_channels ? block * kWarp + lane : block;
    F sum = 0;
    if (o < p.out_channels) {
      const T *x = p.x + (o / p.group_o * p.group_c + read) * p.x_strides.c, *y = p.y + o * p.y_strides.c;
      const int64_t step = p.lanes_are_channels ? kLanesDown : kLanesDown * kWarp;
      int64_t i = p.lanes_are_channels ? down : down * kWarp + lane;
      if (i < p.grid.pixels) {
        for (Place place = first_place(p.grid, i); i < p.grid.pixels;
             i += step, place = place_after(p.grid, place, uint32_t(step))) {
          const int64_t at = place_in(p.grid, p.x_strides, Pixel(p.grid, place), tap);
          if (at >= 0)
            sum +=
                F(load(x[at])) * F(load(y[place.n * p.y_strides.n + place.at[0] * p.y_strides.s[0] +
                                          place.at[1] * p.y_strides.s[1] + place.at[2] * p.y_strides.s[2]]));
        }
      }
    }
    __syncthreads();
    parts[down][lane] = sum;
    __syncthreads();
    if (down == 0) {
      for (int d = 1; d < kLanesDown; ++d) sum += parts[d][lane];
      if (!p.lanes_are_channels) sum = warp_reduce(sum, [](F a, F b) { return F(a + b); });
      if (o < p.out_channels && (p.lanes_are_channels || lane == 0)) {
        T* to = p.weights + o * p.weight_strides.n + read * p.weight_strides.c;
        // Steps of a window back to the tap's numbers.
        for (int d = 0; d < 3; ++d) to += tap.tap[d] / p.grid.tap[d] * p.weight_strides.s[d];
        store_sum(to, sum);
      }
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) add_elements(Space<2> space) {
  char* p[2];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    T* to = reinterpret_cast<T*>(p[0]);
    store(to, Computed<T>(load(*to) + load(*reinterpret_cast<const T*>(p[1]))));
  }
}

template <class T>
void maps(const Call& c, const Conv& v) {
  const bool back = v.pass == ConvPass::input;
  const ConvShape& s = v.s;
  const haft_tensor_view &from = back ? v.y : v.x, &out = back ? v.x : v.y;
  const MapStrides w = strides_of(v.w);
  ChannelMaps<T> p;
  p.made = back ? s.group_c() : s.group_o(), p.read = back ? s.group_o() : s.group_c();
  p.from = static_cast<const T*>(from.data), p.out = static_cast<T*>(out.data);
  p.bias = v.bias ? static_cast<const T*>(v.bias->data) : nullptr,
  p.bias_step = v.bias ? v.bias->strides[0] : 0;
  p.grid = window_grid(s, back, p.read);
  p.from_strides = strides_of(from), p.out_strides = strides_of(out);
  // Weights are (O, C / groups, taps); the group's outputs are what is read on the way back.
  p.weight_group = s.group_o() * w.n;
  p.weight_made = back ? w.c : w.n, p.weight_read = back ? w.n : w.c;
  for (int d = 0; d < 3; ++d) p.weight_tap[d] = w.s[d];
  p.channels = back ? s.c : s.o;
  p.count = out.numel;
  p.area = p.out_strides.c == 1 ? 1 : back ? s.x_area() : s.y_area();
  p.weights = static_cast<const T*>(v.w.data);
  launch(c, blocks_for(c, p.count), make_elements<T>, p);
}

template <class T>
void weights(const Call& c, const Conv& v) {
  const ConvShape& s = v.s;
  ChannelWeights<T> p;
  p.x = static_cast<const T*>(v.x.data), p.y = static_cast<const T*>(v.y.data),
  p.weights = static_cast<T*>(v.w.data);
  p.grid = window_grid(s, false, 1);
  p.x_strides = strides_of(v.x), p.y_strides = strides_of(v.y), p.weight_strides = strides_of(v.w);
  p.out_channels = s.o, p.group_o = s.group_o(), p.group_c = s.group_c(), p.taps = s.taps();
  p.lanes_are_channels = p.y_strides.c == 1;
  p.items = (p.lanes_are_channels ? (s.o + kWarp - 1) / kWarp : s.o) * p.group_c * p.taps;
  Shape3 shape;
  shape.grid.x = uint32_t(p.items < INT32_MAX ? p.items : INT32_MAX);
  shape.block = {kWarp, kLanesDown, 1};
  launch(c, shape, sum_weight<T>, p);
}

}  // namespace

void add_channels(const Call& c, const haft_tensor_view& y, const haft_tensor_view& bias) {
  haft_tensor_view expanded = y;
  expanded.data = bias.data;
  for (int d = 0; d < y.ndim; ++d) expanded.strides[d] = d == 1 ? bias.strides[0] : 0;
  Walk whole;
  whole.add(y);
  whole.add(expanded);
  whole.merge();
  visit_float(c, DType(y.dtype), [&]<class T>() {
    for (const Walk& w : pieces(whole)) launch(c, blocks_for(c, w.numel), add_elements<T>, Space<2>(w));
  });
}

void channelwise_conv(const Call& c, const Conv& v) {
  visit_factor(c, v.dtype(),
               [&]<class T>() { v.pass == ConvPass::weight ? weights<T>(c, v) : maps<T>(c, v); });
}

}  // namespace haft::cuda
