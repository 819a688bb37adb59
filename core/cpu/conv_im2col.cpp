// Convolution of float64 and integers as matrix products over unfolded windows, an image and a group at a time.
#include "core/cpu/conv.h"
#include "core/cpu/matmul.h"

namespace haft::cpu {
namespace {

// columns (c kh kw, oh ow) of x (c, h, w); zeros where a window hangs over the edge.
template <class T>
void unfold(const ConvShape& s, const T* x, int64_t channels, T* columns) {
  int64_t rows = channels * s.kh * s.kw;
  parallel_for(rows, (1 << 15) / (s.oh * s.ow + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t c = r / (s.kh * s.kw), ky = r / s.kw % s.kh, kx = r % s.kw;
      const T* plane = x + c * s.h * s.w;
      T* out = columns + r * s.oh * s.ow;
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

// The reverse: windows added into x (c, h, w), which starts at zero. Channels do not meet.
template <class T>
void fold(const ConvShape& s, const T* columns, int64_t channels, T* x) {
  parallel_for(channels, (1 << 15) / (s.kh * s.kw * s.oh * s.ow + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      T* plane = x + c * s.h * s.w;
      for (int64_t i = 0; i < s.h * s.w; ++i) plane[i] = T(0);
      for (int64_t k = 0; k < s.kh * s.kw; ++k) {
        const T* in = columns + (c * s.kh * s.kw + k) * s.oh * s.ow;
        for (int64_t oy = 0; oy < s.oh; ++oy) {
          int64_t iy = oy * s.sh - s.ph + k / s.kw * s.dh;
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

void im2col_forward(const ConvShape& s, DType t, const void* x, const void* weight, const void* bias,
                    void* y) {
  visit_compute(t, [&]<class T>() {
    int64_t cg = s.c / s.groups, og = s.o / s.groups, k = cg * s.kh * s.kw, pixels = s.oh * s.ow;
    HostBuffer columns(std::max<int64_t>(k * pixels, 1) * int64_t(sizeof(T)));
    for (int64_t i = 0; i < s.n * s.groups; ++i) {
      int64_t group = i % s.groups;
      unfold(s, static_cast<const T*>(x) + i * cg * s.h * s.w, cg, columns.as<T>());
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
      g.c = static_cast<T*>(y) + i * og * pixels;
      g.ldc = pixels;
      if (bias) g.bias = static_cast<const T*>(bias) + group * og, g.bias_row = 1;
      gemm(g);
    }
  });
}

void im2col_input(const ConvShape& s, DType t, const void* dy, const void* weight, void* dx) {
  visit_compute(t, [&]<class T>() {
    int64_t cg = s.c / s.groups, og = s.o / s.groups, k = cg * s.kh * s.kw, pixels = s.oh * s.ow;
    HostBuffer columns(k * pixels * int64_t(sizeof(T)));
    for (int64_t i = 0; i < s.n * s.groups; ++i) {
      Gemm<T> g;
      g.m = k;
      g.n = pixels;
      g.k = og;
      g.a = static_cast<const T*>(weight) + i % s.groups * og * k;
      g.a_row = 1;
      g.a_col = k;
      g.b = static_cast<const T*>(dy) + i * og * pixels;
      g.b_row = pixels;
      g.b_col = 1;
      g.c = columns.as<T>();
      g.ldc = pixels;
      gemm(g);
      fold(s, columns.as<T>(), cg, static_cast<T*>(dx) + i * cg * s.h * s.w);
    }
  });
}

void im2col_weight(const ConvShape& s, DType t, const void* dy, const void* x, void* dweight) {
  visit_compute(t, [&]<class T>() {
    int64_t cg = s.c / s.groups, og = s.o / s.groups, k = cg * s.kh * s.kw, pixels = s.oh * s.ow;
    HostBuffer columns(k * pixels * int64_t(sizeof(T)));
    for (int64_t i = 0; i < s.n * s.groups; ++i) {
      unfold(s, static_cast<const T*>(x) + i * cg * s.h * s.w, cg, columns.as<T>());
      Gemm<T> g;
      g.m = og;
      g.n = k;
      g.k = pixels;
      g.a = static_cast<const T*>(dy) + i * og * pixels;
      g.a_row = pixels;
      g.a_col = 1;
      g.b = columns.as<T>();
      g.b_row = 1;
      g.b_col = pixels;
      g.c = static_cast<T*>(dweight) + i % s.groups * og * k;
      g.ldc = k;
      if (i >= s.groups) g.bias = g.c, g.bias_row = k, g.bias_col = 1;  // adds to the images before
      gemm(g);
    }
  });
}

}  // namespace haft::cpu
