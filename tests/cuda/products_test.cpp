// Products and convolutions of several tiles, in layouts that the operators' records do not have, against plain loops.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>

#include "core/cuda/conv.h"
#include "core/cuda/matmul.h"
#include "core/tensor/half.h"
#include "tests/cuda/cuda_testing.h"
#include "tests/seed.h"

namespace haft::cuda {

void k_scaled_mm(const Call& c);

namespace {

double decode(const char* p, DType t) {
  BFloat16 b;
  switch (t) {
    case DType::f32: return *reinterpret_cast<const float*>(p);
    case DType::f64: return *reinterpret_cast<const double*>(p);
    case DType::f16: return Half::decode(*reinterpret_cast<const uint16_t*>(p));
    case DType::bf16: b.bits = *reinterpret_cast<const uint16_t*>(p); return b;
    case DType::i64: return double(*reinterpret_cast<const int64_t*>(p));
    case DType::f8e4m3fn: return *reinterpret_cast<const Float8E4M3*>(p);
    case DType::f8e5m2: return *reinterpret_cast<const Float8E5M2*>(p);
    case DType::i32: return *reinterpret_cast<const int32_t*>(p);
    default: return *reinterpret_cast<const int8_t*>(p);
  }
}
void encode(char* p, DType t, double x) {
  switch (t) {
    case DType::f32: *reinterpret_cast<float*>(p) = float(x); return;
    case DType::f64: *reinterpret_cast<double*>(p) = x; return;
    case DType::f16: *reinterpret_cast<uint16_t*>(p) = Half::encode(float(x)); return;
    case DType::bf16: *reinterpret_cast<uint16_t*>(p) = BFloat16::encode(float(x)); return;
    case DType::i64: *reinterpret_cast<int64_t*>(p) = int64_t(x); return;
    case DType::i32: *reinterpret_cast<int32_t*>(p) = int32_t(x); return;
    case DType::f8e4m3fn: *reinterpret_cast<Float8E4M3*>(p) = Float8E4M3(float(x)); return;
    case DType::f8e5m2: *reinterpret_cast<Float8E5M2*>(p) = Float8E5M2(float(x)); return;
    default: *reinterpret_cast<int8_t*>(p) = int8_t(x); return;
  }
}

// A tensor with a copy on the host, both of `room` elements that the view need not all have.
struct Both {
  haft_tensor_view view{};
  std::vector<char> host;
  void* base = nullptr;
  double at(std::initializer_list<int64_t> place) const { return at(place.begin()); }
  double at(const int64_t* place) const {  // asked for each term of each sum
    int64_t i = 0;
    for (int d = 0; d < view.ndim; ++d) i += place[d] * view.strides[d];
    return decode(host.data() + (static_cast<char*>(view.data) - static_cast<char*>(base)) +
                      i * item_size(DType(view.dtype)),
                  DType(view.dtype));
  }
};

struct Products : CudaTest {
  std::mt19937_64 random{test::seed()};
  std::vector<std::pair<void*, int64_t>> made;
  haft_kernel_call raw{};
  char error[512] = "";

  void TearDown() override {
    for (auto [p, n] : made) free(p, n);
    CudaTest::TearDown();
  }
  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  // Dimensions from the outermost in memory to the innermost; `pad` elements more a row, and as many before the first.
  Both tensor(std::vector<int64_t> sizes, std::vector<int> order, DType t, int64_t pad = 0) {
    Both b;
    b.view.dtype = uint8_t(t);
    b.view.ndim = uint8_t(sizes.size());
    b.view.numel = 1;
    int64_t step = 1;
    for (size_t i = order.size(); i--;) {
      const int d = order[i];
      b.view.sizes[d] = sizes[size_t(d)];
      b.view.strides[d] = step;
      b.view.numel *= sizes[size_t(d)];
      step = step * sizes[size_t(d)] + (i + 1 == order.size() ? pad : 0);
    }
    b.view.contiguous = pad == 0 && std::is_sorted(order.begin(), order.end());
    const int64_t item = item_size(t), bytes = (step + 2 * pad) * item;
    b.host.resize(size_t(bytes));
    for (int64_t i = 0; i < bytes; i += item)
      encode(b.host.data() + i, t, double(draw(-8, 8)) / (is_float(t) ? 4 : 1));
    b.base = memory(bytes);
    made.push_back({b.base, bytes});
    must(table().copy_from_host, 0, b.base, static_cast<const void*>(b.host.data()), bytes,
         haft_raw_stream(0), 0u);
    b.view.data = static_cast<char*>(b.base) + pad * item;
    return b;
  }
  void fetch(Both& b) {
    must(table().copy_to_host, 0, static_cast<void*>(b.host.data()), static_cast<const void*>(b.base),
         int64_t(b.host.size()), haft_raw_stream(0), uint32_t(HAFT_COPY_BLOCKING));
  }
  Call call(uint32_t flags = 0) {
    raw.struct_size = sizeof raw;
    raw.op = uint32_t(OpId::mm);
    raw.flags = flags;
    raw.error = error;
    raw.error_size = sizeof error;
    return Call(raw);
  }
  static double allowed(DType t, double terms) {
    return t == DType::f64    ? 1e-13 * terms
           : t == DType::f32  ? 1e-6 * terms
           : t == DType::f16  ? 2e-3 * terms
           : t == DType::bf16 ? 1.6e-2 * terms
                              : 0;
  }
};

const std::vector<int> kRows = {0, 1, 2}, kColumns = {0, 2, 1};

TEST_F(Products, OfMatricesInAnyOrder) {
  DeviceScope device(0);
  struct Sizes {
    int64_t batch, m, n, k;
  };
  for (const DType t : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::i8})
    for (const Sizes s :
         {Sizes{1, 65, 66, 33}, {2, 8, 64, 32}, {3, 7, 5, 70}, {1, 1, 70, 40}, {1, 70, 1, 40}})
      for (int orders = 0; orders < 8; ++orders) {
        if (!draw(0, 2)) continue;
        const int64_t pad = draw(0, 1) * draw(1, 4);
        const Both a = tensor({s.batch, s.m, s.k}, orders & 1 ? kColumns : kRows, t, pad),
                   b = tensor({s.batch, s.k, s.n}, orders & 2 ? kColumns : kRows, t, pad);
        Both c = tensor({s.batch, s.m, s.n}, orders & 4 ? kColumns : kRows, t, draw(0, 1) * 4);
        const Both bias = tensor({s.batch, s.m, s.n}, draw(0, 1) ? kColumns : kRows, t);
        Gemm g = product_of(a.view, b.view, c.view);
        const int64_t kind = draw(0, 3);  // no bias, a row, all, what stands in C
        const Both before = c;
        int64_t beta = draw(1, 2);
        if (kind == 1) g.bias = bias.view.data, g.bias_col = bias.view.strides[2];
        if (kind == 2)
          g.bias = bias.view.data, g.bias_batch = bias.view.strides[0], g.bias_row = bias.view.strides[1],
          g.bias_col = bias.view.strides[2];
        if (kind == 3) g.bias = g.c, g.bias_batch = g.c_batch, g.bias_row = g.c_row, g.bias_col = g.c_col;
        const int64_t alpha = draw(1, 2);
        g.alpha = Scalar(alpha), g.beta = Scalar(beta);
        draw(0, 3) || t == DType::i8 ? gemm(call(), g) : tiled_gemm(call(), g);
        fetch(c);
        double worst = 0;
        for (int64_t e = 0; e < s.batch; ++e)
          for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j) {
              double want = 0, terms = 1;
              for (int64_t l = 0; l < s.k; ++l) {
                const double term = a.at({e, i, l}) * b.at({e, l, j});
                want += term, terms += std::abs(term);
              }
              want *= double(alpha);
              if (kind == 1) want += double(beta) * bias.at({0, 0, j});
              if (kind == 2) want += double(beta) * bias.at({e, i, j});
              if (kind == 3) want += double(beta) * before.at({e, i, j});
              if (t == DType::i8) want = double(int8_t(int64_t(want)));
              const double off = std::abs(c.at({e, i, j}) - want) - allowed(t, 2 * (terms + std::abs(want)));
              if (!(off <= worst)) worst = off == off ? off : 1e300;
            }
        ASSERT_LE(worst, 0) << dtype_name(t) << " " << s.batch << " of " << s.m << " x " << s.k << " x "
                            << s.n << ", orders " << orders << ", bias " << kind << ", padded by " << pad;
      }
}

TEST_F(Products, OfHalvesIntoFloats) {
  DeviceScope device(0);
  for (const DType t : {DType::f16, DType::bf16})
    for (const bool own : {false, true}) {
      const Both a = tensor({1, 40, 70}, kRows, t), b = tensor({1, 70, 66}, kColumns, t);
      Both c = tensor({1, 40, 66}, kRows, DType::f32);
      const Gemm g = product_of(a.view, b.view, c.view);
      own ? tiled_gemm(call(), g) : gemm(call(), g);
      fetch(c);
      for (int64_t i = 0; i < 40; ++i)
        for (int64_t j = 0; j < 66; ++j) {
          double want = 0;
          for (int64_t l = 0; l < 70; ++l) want += a.at({0, i, l}) * b.at({0, l, j});
          ASSERT_NEAR(c.at({0, i, j}), want, 1e-4);
        }
    }
}

// Factors are rounded to TF32 where a call allows it, and nowhere else.
TEST_F(Products, RoundFactorsOnlyWhereAllowed) {
  if (const char* without = std::getenv("HAFT_SIMULATED_WITHOUT"); without && *without)
    GTEST_SKIP() << "the own kernel never rounds";
  DeviceScope device(0);
  const float x = 1 + 1.0f / 4096;
  Both a = tensor({1, 1, 1}, kRows, DType::f32), c = tensor({1, 1, 1}, kRows, DType::f32);
  must(table().copy_from_host, 0, a.base, static_cast<const void*>(&x), int64_t(4), haft_raw_stream(0), 0u);
  for (const bool rounds : {false, true}) {
    gemm(call(rounds ? HAFT_CALL_TF32 : 0), product_of(a.view, a.view, c.view));
    fetch(c);
    EXPECT_EQ(c.at({0, 0, 0}), rounds ? 1.0 : double(x * x));
  }
}

// 8-bit floats go to the library as they lie, one task; in two of e5m2, or sizes that it does not take, they are
// converted first.
TEST_F(Products, OfEightBitsByTheLibrary) {
  if (const char* without = std::getenv("HAFT_SIMULATED_WITHOUT"); without && *without)
    GTEST_SKIP() << "there is no library";
  DeviceScope device(0);
  auto matrix = [](const Both& b) {
    haft_tensor_view v = b.view;
    v.ndim = 2;
    for (int d = 0; d < 2; ++d) v.sizes[d] = v.sizes[d + 1], v.strides[d] = v.strides[d + 1];
    return v;
  };
  auto tasks = [&](DType a_type, DType b_type, int64_t n, int64_t scales) {
    const Both a = tensor({1, 8, 32}, kRows, a_type), b = tensor({1, 32, n}, kColumns, b_type),
               rows = tensor({1, scales > 1 ? 8 : 1, 1}, kRows, DType::f32),
               columns = tensor({1, 1, scales > 1 ? n : 1}, kRows, DType::f32);
    Both out = tensor({1, 8, n}, kRows, DType::bf16);
    const haft_tensor_view views[] = {matrix(a), matrix(b), matrix(rows), matrix(columns), matrix(out)};
    const haft_tensor_view *in[] = {&views[0], &views[1], &views[2], &views[3]}, *to[] = {&views[4]};
    call();
    raw.op = uint32_t(OpId::scaled_mm), raw.in = in, raw.n_in = 4, raw.out = to, raw.n_out = 1;
    const int64_t before = cuda_on_host::tasks_run();
    k_scaled_mm(Call(raw));
    fetch(out);
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double want = 0, terms = 1;
        for (int64_t l = 0; l < 32; ++l)
          want += a.at({0, i, l}) * b.at({0, l, j}), terms += std::abs(a.at({0, i, l}) * b.at({0, l, j}));
        const double by = rows.at({0, scales > 1 ? i : 0, 0}) * columns.at({0, 0, scales > 1 ? j : 0});
        EXPECT_NEAR(out.at({0, i, j}), want * by, 1.6e-2 * terms * std::abs(by)) << i << ", " << j;
      }
    return cuda_on_host::tasks_run() - before;
  };
  constexpr DType e4 = DType::f8e4m3fn, e5 = DType::f8e5m2;
  const int64_t direct = tasks(e4, e4, 16, 1);
  for (auto [a, b] : {std::pair{e4, e5}, {e5, e4}, {e4, e4}})
    for (int64_t scales : {1, 2})
      EXPECT_EQ(tasks(a, b, 16, scales), direct) << dtype_name(a) << " times " << dtype_name(b);
  EXPECT_GE(tasks(e5, e5, 16, 1), direct + 3);
  EXPECT_GE(tasks(e4, e4, 12, 1), direct + 3);
}

struct Convolutions : Products {
  static std::vector<int> order(int dims, bool channels_last) {
    if (dims == 2) return channels_last ? std::vector<int>{0, 2, 3, 1} : std::vector<int>{0, 1, 2, 3};
    return channels_last ? std::vector<int>{0, 2, 3, 4, 1} : std::vector<int>{0, 1, 2, 3, 4};
  }
  static std::vector<int64_t> sizes(int dims, int64_t a, int64_t b, const int64_t* area) {
    std::vector<int64_t> v = {a, b};
    v.insert(v.end(), area + 3 - dims, area + 3);
    return v;
  }
  static double element(const Both& b, int dims, int64_t n, int64_t c, const int64_t* at) {
    int64_t place[5] = {n, c};
    std::copy(at + 3 - dims, at + 3, place + 2);
    return b.at(place);
  }

  void check(ConvPass pass, const ConvShape& s, DType t, bool x_last, bool y_last, bool with_bias,
             const std::string& what) {
    Both x = tensor(sizes(s.dims, s.n, s.c, s.x), order(s.dims, x_last), t),
         w = tensor(sizes(s.dims, s.o, s.group_c(), s.kernel), order(s.dims, draw(0, 1)), t),
         y = tensor(sizes(s.dims, s.n, s.o, s.y), order(s.dims, y_last), t), bias = tensor({s.o}, {0}, t);
    Conv v{pass, s, x.view, w.view, y.view};
    if (with_bias) v.bias = &bias.view;
    const bool by_library = is_float(t) && draw(0, 1) && library_conv(call(), v);
    if (!by_library) (few_channels(s) ? channelwise_conv : tiled_conv)(call(), v);
    Both& out = pass == ConvPass::forward ? y : pass == ConvPass::input ? x : w;
    const Both before_x = x, before_w = w, before_y = y;
    fetch(out);
    // All products in a plain order, each added where the pass wants it.
    std::vector<double> sums(size_t(out.view.numel)), terms(sums.size());
    auto index = [&](int64_t a, int64_t b, const int64_t* at, int64_t second, const int64_t* area) {
      return size_t((((a * second + b) * area[0] + at[0]) * area[1] + at[1]) * area[2] + at[2]);
    };
    int64_t p[3], k[3], q[3];
    for (int64_t n = 0; n < s.n; ++n)
      for (int64_t o = 0; o < s.o; ++o)
        for (p[0] = 0; p[0] < s.y[0]; ++p[0])
          for (p[1] = 0; p[1] < s.y[1]; ++p[1])
            for (p[2] = 0; p[2] < s.y[2]; ++p[2])
              for (int64_t c = 0; c < s.group_c(); ++c)
                for (k[0] = 0; k[0] < s.kernel[0]; ++k[0])
                  for (k[1] = 0; k[1] < s.kernel[1]; ++k[1])
                    for (k[2] = 0; k[2] < s.kernel[2]; ++k[2]) {
                      bool inside = true;
                      for (int d = 0; d < 3; ++d) {
                        q[d] = p[d] * s.stride[d] - s.padding[d] + k[d] * s.dilation[d];
                        inside = inside && q[d] >= 0 && q[d] < s.x[d];
                      }
                      if (!inside) continue;
                      const int64_t channel = o / s.group_o() * s.group_c() + c;
                      size_t to;
                      double product;
                      if (pass == ConvPass::forward) {
                        to = index(n, o, p, s.o, s.y);
                        product =
                            element(before_x, s.dims, n, channel, q) * element(before_w, s.dims, o, c, k);
                      } else if (pass == ConvPass::input) {
                        to = index(n, channel, q, s.c, s.x);
                        product = element(before_y, s.dims, n, o, p) * element(before_w, s.dims, o, c, k);
                      } else {
                        to = index(o, c, k, s.group_c(), s.kernel);
                        product =
                            element(before_y, s.dims, n, o, p) * element(before_x, s.dims, n, channel, q);
                      }
                      sums[to] += product;
                      terms[to] += std::abs(product);
                    }
    const int64_t *area = pass == ConvPass::forward ? s.y
                          : pass == ConvPass::input ? s.x
                                                    : s.kernel,
                  first = pass == ConvPass::weight ? s.o : s.n,
                  second = pass == ConvPass::forward ? s.o
                           : pass == ConvPass::input ? s.c
                                                     : s.group_c();
    for (int64_t a = 0; a < first; ++a)
      for (int64_t b = 0; b < second; ++b)
        for (p[0] = 0; p[0] < area[0]; ++p[0])
          for (p[1] = 0; p[1] < area[1]; ++p[1])
            for (p[2] = 0; p[2] < area[2]; ++p[2]) {
              const size_t i = index(a, b, p, second, area);
              const double want = sums[i] + (with_bias ? bias.at({b}) : 0);
              ASSERT_NEAR(element(out, s.dims, a, b, p), want, allowed(t, terms[i] + 3) + 0.0)
                  << what << (by_library ? " by the library" : "");
            }
  }
};

int64_t results(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  return (size + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1;
}

TEST_F(Convolutions, OfAnyGeometryInAnyOrder) {
  DeviceScope device(0);
  for (int round = 0; round < 30; ++round) {
    ConvShape s{};
    s.dims = round % 5 == 4 ? 3 : 2;
    s.n = draw(1, 2);
    s.groups = draw(0, 2) ? 1 : draw(2, 3);
    s.c = s.groups * (draw(0, 1) ? draw(1, 5) : 8 * draw(1, 3));
    s.o = s.groups * (draw(0, 1) ? draw(1, 5) : 8 * draw(1, s.groups > 1 ? 2 : 9));
    for (int d = 0; d < 3; ++d) {
      const bool there = d >= 3 - s.dims;
      s.kernel[d] = there ? draw(1, 3) : 1;
      s.stride[d] = there ? draw(1, 3) : 1;
      s.padding[d] = there ? draw(0, 2) : 0;
      s.dilation[d] = there ? draw(1, 2) : 1;
      s.x[d] = there ? draw((s.kernel[d] - 1) * s.dilation[d] + 1, s.dims == 3 ? 6 : 12) : 1;
      s.y[d] = results(s.x[d], s.kernel[d], s.stride[d], s.padding[d], s.dilation[d]);
    }
    constexpr DType kTypes[] = {DType::f32, DType::bf16, DType::f64, DType::f16, DType::i64};
    const DType t = kTypes[draw(0, 4)];
    const bool x_last = draw(0, 1), y_last = draw(0, 1);
    for (const ConvPass pass : {ConvPass::forward, ConvPass::input, ConvPass::weight}) {
      const std::string what =
          concat("round ", round, " pass ", int(pass), " ", dtype_name(t), " n ", s.n, " c ", s.c, " o ", s.o,
                 " groups ", s.groups, x_last ? " x last" : "", y_last ? " y last" : "");
      check(pass, s, t, x_last, y_last, pass == ConvPass::forward && draw(0, 1), what);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace haft::cuda
