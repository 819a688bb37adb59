// Convolution of float64, of integers and of what the library lacks as matrix products over unfolded windows.
#include "core/cpu/conv.h"

#include <algorithm>

#include "core/cpu/matmul.h"

namespace haft::cpu {
namespace {

// The plane of x that row kz of the kernel reads for the plane oz of y, or -1.
int64_t plane_of(const ConvShape& s, int64_t oz, int64_t kz) {
  int64_t z = oz * s.sd - s.pd + kz * s.dd;
  return z >= 0 && z < s.d ? z : -1;
}

// columns (c kd kh kw, oh ow) of x (c, d, h, w) for one plane of y; zeros where a window hangs over the edge.
template <class T>
void unfold(const ConvShape& s, const T* x, int64_t channels, int64_t oz, T* columns) {
  int64_t rows = channels * s.taps();
  parallel_for(rows, (1 << 15) / (s.oh * s.ow + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t c = r / s.taps(), kz = r / (s.kh * s.kw) % s.kd, ky = r / s.kw % s.kh, kx = r % s.kw,
              z = plane_of(s, oz, kz);
      T* out = columns + r * s.oh * s.ow;
      if (z < 0) {
        std::fill_n(out, s.oh * s.ow, T(0));
        continue;
      }
      const T* plane = x + (c * s.d + z) * s.h * s.w;
      for (int64_t oy = 0; oy < s.oh; ++oy) {
        int64_t iy = oy * s.sh - s.ph + ky * s.dh;
        for (int64_t ox = 0; ox < s.ow; ++ox) {
          int64_t ix = ox * s.sw - s.pw + kx * s.dw;
          bool inside = iy >= 0 && iy < s.h && ix >= 0 && ix < s.w;
          out[oy * s.ow + ox] = inside ? plane[iy * s.w + ix] : T(0);
        }
      }
    }
  });
}

// The reverse: windows added into x (c, d, h, w), which the first plane of y sets to zero. Channels do not meet.
template <class T>
void fold(const ConvShape& s, const T* columns, int64_t channels, int64_t oz, T* x) {
  parallel_for(channels, (1 << 15) / (s.taps() * s.oh * s.ow + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      if (oz == 0) std::fill_n(x + c * s.x_area(), s.x_area(), T(0));
      for (int64_t k = 0; k < s.taps(); ++k) {
        const T* in = columns + (c * s.taps() + k) * s.oh * s.ow;
        const int64_t z = plane_of(s, oz, k / (s.kh * s.kw));
        if (z < 0) continue;
        T* plane = x + (c * s.d + z) * s.h * s.w;
        for (int64_t oy = 0; oy < s.oh; ++oy) {
          int64_t iy = oy * s.sh - s.ph + k / s.kw % s.kh * s.dh;
          if (iy < 0 || iy >= s.h) continue;
          for (int64_t ox = 0; ox < s.ow; ++ox) {
            int64_t ix = ox * s.sw - s.pw + k % s.kw * s.dw;
            if (ix >= 0 && ix < s.w) plane[iy * s.w + ix] = T(plane[iy * s.w + ix] + in[oy * s.ow + ox]);
          }
        }
      }
    }
  });
}

}  // namespace

// One product an image, a group and a plane of y.
void im2col_forward(const ConvShape& s, DType t, const void* x, const void* weight, const void* bias,
                    void* y) {
  visit_compute(t, [&]<class T>() {
    int64_t cg = s.c / s.groups, og = s.o / s.groups, k = cg * s.taps(), pixels = s.oh * s.ow;
    HostBuffer columns(std::max<int64_t>(k * pixels, 1) * int64_t(sizeof(T)));
    for (int64_t i = 0; i < s.n * s.groups * s.od; ++i) {
      int64_t oz = i % s.od, map = i / s.od, group = map % s.groups;
      unfold(s, static_cast<const T*>(x) + map * cg * s.x_area(), cg, oz, columns.as<T>());
      Gemm<T> g;
      g.m = og;
      g.n = pixels;
      g.k = k;
      g.a = static_cast<const T*>(weight) + group * og * k;
      g.a_row = k;
      g.a_col = 1;
      g.b = columns.as<T>();
      g.b_row = pixels;
      g.b_col = 1;
      g.c = static_cast<T*>(y) + map * og * s.y_area() + oz * pixels;
      g.ldc = s.y_area();
      if (bias) g.bias = static_cast<const T*>(bias) + group * og, g.bias_row = 1;
      gemm(g);
    }
  });
}

void im2col_input(const ConvShape& s, DType t, const void* dy, const void* weight, void* dx) {
  visit_compute(t, [&]<class T>() {
    int64_t cg = s.c / s.groups, og = s.o / s.groups, k = cg * s.taps(), pixels = s.oh * s.ow;
    HostBuffer columns(k * pixels * int64_t(sizeof(T)));
    for (int64_t i = 0; i < s.n * s.groups * s.od; ++i) {
      int64_t oz = i % s.od, map = i / s.od;
      Gemm<T> g;
      g.m = k;
      g.n = pixels;
      g.k = og;
      g.a = static_cast<const T*>(weight) + map % s.groups * og * k;
      g.a_row = 1;
      g.a_col = k;
      g.b = static_cast<const T*>(dy) + map * og * s.y_area() + oz * pixels;
      g.b_row = s.y_area();
      g.b_col = 1;
      g.c = columns.as<T>();
      g.ldc = pixels;
      gemm(g);
      fold(s, columns.as<T>(), cg, oz, static_cast<T*>(dx) + map * cg * s.x_area());
    }
  });
}

void im2col_weight(const ConvShape& s, DType t, const void* dy, const void* x, void* dweight) {
  visit_compute(t, [&]<class T>() {
    int64_t cg = s.c / s.groups, og = s.o / s.groups, k = cg * s.taps(), pixels = s.oh * s.ow;
    HostBuffer columns(k * pixels * int64_t(sizeof(T)));
    for (int64_t i = 0; i < s.n * s.groups * s.od; ++i) {
      int64_t oz = i % s.od, map = i / s.od;
      unfold(s, static_cast<const T*>(x) + map * cg * s.x_area(), cg, oz, columns.as<T>());
      Gemm<T> g;
      g.m = og;
      g.n = k;
      g.k = pixels;
      g.a = static_cast<const T*>(dy) + map * og * s.y_area() + oz * pixels;
      g.a_row = s.y_area();
      g.a_col = 1;
      g.b = columns.as<T>();
      g.b_row = 1;
      g.b_col = pixels;
      g.c = static_cast<T*>(dweight) + map % s.groups * og * k;
      g.ldc = k;
      if (map >= s.groups || oz) g.bias = g.c, g.bias_row = k, g.bias_col = 1;  // adds to those before
      gemm(g);
    }
  });
}

}  // namespace haft::cpu
