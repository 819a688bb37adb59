// What the poolings share. A tensor (N, C, H, W) is a row of planes; a plane holds H x W cells of `lanes`
// channels: 1 when dense, 8 or 16 when blocked. Planes are read and written in the type they compute in.
#pragma once
#include "core/cpu/dense.h"
#include "core/cpu/layout.h"

namespace haft::cpu {

struct Window {
  int64_t h = 0, w = 0, oh = 0, ow = 0;  // sizes of a plane before and after
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, ph = 0, pw = 0, dh = 1, dw = 1;
  int64_t lanes = 1;

  int64_t cells() const { return h * w * lanes; }
  int64_t results() const { return oh * ow * lanes; }
};

// Planes of x before and y after pooling, in y's layout or `layout`.
inline Window window_of(const haft_tensor_view& x, const haft_tensor_view& y, uint8_t layout) {
  Window g;
  g.h = x.sizes[x.ndim - 2];
  g.w = x.sizes[x.ndim - 1];
  g.oh = y.sizes[y.ndim - 2];
  g.ow = y.sizes[y.ndim - 1];
  g.lanes = channel_block(layout);
  return g;
}
// Results [first, last) whose cell `offset` steps into the window lies inside [0, size).
struct Range {
  int64_t first, last;
};
inline Range inside(int64_t size, int64_t results, int64_t stride, int64_t offset) {
  int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t last = size > offset ? (size - offset + stride - 1) / stride : 0;
  if (last > results) last = results;
  return {first, last < first ? first : last};
}

// Smallest window cell that does not lie before the plane.
inline int64_t first_cell(int64_t start, int64_t step) {
  return start >= 0 ? start : start + (-start + step - 1) / step * step;
}
// Place of the first window cell inside, for results whose every cell is -infinity. kNowhere: steps wider than the
// plane leave none.
constexpr int32_t kNowhere = -1;
inline int32_t first_place(const Window& g, int64_t y0, int64_t x0) {
  const int64_t y = first_cell(y0, g.dh), x = first_cell(x0, g.dw);
  return y < g.h && x < g.w ? int32_t(y * g.w + x) : kNowhere;
}

// Window cells [first, last) that lie inside [0, size).
inline Range cells_inside(int64_t start, int64_t step, int64_t cells, int64_t size) {
  if (start >= 0 && start + (cells - 1) * step < size) [[likely]]
    return {0, cells};  // without a division
  int64_t first = start >= 0 ? 0 : (-start + step - 1) / step;
  int64_t last = size > start ? (size - start + step - 1) / step : 0;
  return {first, last > cells ? cells : last};
}

inline int64_t pick(std::span<const int64_t> v, size_t i, int64_t otherwise) {
  return v.empty() ? otherwise : v.size() == 1 ? v[0] : v[i];
}
// Attributes from `at`: kernel, stride (empty: the kernel), padding.
inline void read_window(Window& g, const AttrReader& attrs, int at) {
  auto kernel = attrs.ints(at), stride = attrs.ints(at + 1), padding = attrs.ints(at + 2);
  g.kh = pick(kernel, 0, 1);
  g.kw = pick(kernel, 1, 1);
  g.sh = pick(stride, 0, g.kh);
  g.sw = pick(stride, 1, g.kw);
  g.ph = pick(padding, 0, 0);
  g.pw = pick(padding, 1, 0);
}

// f(plane, from, to) for all planes: `from` holds in_plane elements of x, `to` takes out_plane of y, both as C.
template <class C, class F>
void for_planes(const haft_tensor_view& x, int64_t in_plane, const haft_tensor_view& y, int64_t out_plane,
                F f) {
  constexpr int64_t kElementsAThread = 1 << 15;
  LaidIn in(x, y.layout);
  LaidOut out(y, y.layout);
  const int64_t planes = y.numel / out_plane, work = std::max(in_plane, out_plane);
  parallel_for(planes, kElementsAThread / (work + 1) + 1, [&](int64_t b, int64_t e) {
    RunsIn<C> from(in.data(), DType(x.dtype), in_plane);
    RunsOut<C> to(out.data(), DType(y.dtype), out_plane);
    for (int64_t p = b; p < e; ++p) {
      f(p, from.read(p), to.place(p));
      to.write(p);
    }
  });
  out.finish();
}

}  // namespace haft::cpu
