// Convolutions of volumes and their gradients, against plain loops in double.
#include "core/cpu/conv.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/packed_weights.h"
#include "tests/cpu/kernel_case.h"

namespace haft::test {
namespace {

std::mt19937 rng(17);

struct Volume {
  int64_t n, c, o, groups;
  std::vector<int64_t> size, kernel, stride, padding, dilation;  // depth, height, width

  int64_t out(size_t d) const {
    return (size[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  std::vector<int64_t> x() const { return {n, c, size[0], size[1], size[2]}; }
  std::vector<int64_t> y() const { return {n, o, out(0), out(1), out(2)}; }
  std::vector<int64_t> weight() const { return {o, c / groups, kernel[0], kernel[1], kernel[2]}; }
  std::string name() const {
    return concat("n", n, " ", c, "->", o, " in ", groups, " groups, ", IntList(size), " kernel ",
                  IntList(kernel), " stride ", IntList(stride), " padding ", IntList(padding), " dilation ",
                  IntList(dilation));
  }
};

// f(x index, weight index, y index) over every multiplication.
template <class F>
void each_product(const Volume& s, F&& f) {
  const int64_t cg = s.c / s.groups, og = s.o / s.groups;
  const int64_t oy[] = {s.out(0), s.out(1), s.out(2)}, *k = s.kernel.data();
  for (int64_t no = 0; no < s.n * s.o; ++no)
    for (int64_t c = 0; c < cg; ++c)
      for (int64_t t = 0; t < k[0] * k[1] * k[2]; ++t) {
        const int64_t tap[] = {t / (k[1] * k[2]), t / k[2] % k[1], t % k[2]}, o = no % s.o;
        for (int64_t i = 0; i < oy[0] * oy[1] * oy[2]; ++i) {
          const int64_t at[] = {i / (oy[1] * oy[2]), i / oy[2] % oy[1], i % oy[2]};
          int64_t x = (no / s.o * s.c + o / og * cg + c);
          bool inside = true;
          for (size_t d = 0; d < 3; ++d) {
            const int64_t p = at[d] * s.stride[d] - s.padding[d] + tap[d] * s.dilation[d];
            inside &= p >= 0 && p < s.size[d];
            x = x * s.size[d] + p;
          }
          if (inside)
            f(size_t(x), size_t((o * cg + c) * k[0] * k[1] * k[2] + t),
              size_t(no * oy[0] * oy[1] * oy[2] + i));
        }
      }
}

std::span<const uint64_t> attrs_of(AttrWriter& w, const Volume& s,
                                   const std::vector<int64_t>* size = nullptr) {
  if (size) w.add(std::span<const int64_t>(*size));
  for (auto* v : {&s.stride, &s.padding, &s.dilation}) w.add(std::span<const int64_t>(*v));
  w.add(s.groups);
  return w.finish();
}

void check(const Volume& s, DType t, bool gaps = false) {
  Sample x, w, b, y, dy, dx, dw;
  x.make(t, s.x(), HAFT_LAYOUT_STRIDED, gaps);
  x.fill(rng);
  w.make(t, s.weight(), HAFT_LAYOUT_STRIDED, gaps);
  w.fill(rng, 0.5);
  b.make(t, {s.o});
  b.fill(rng);
  y.make(t, s.y(), HAFT_LAYOUT_STRIDED, gaps);
  dy.make(t, s.y(), HAFT_LAYOUT_STRIDED, gaps);
  dy.fill(rng);
  dx.make(t, s.x(), HAFT_LAYOUT_STRIDED, gaps);
  dw.make(t, s.weight());
  std::vector<double> wy(y.value.size()), wx(x.value.size(), 0.0), ww(w.value.size(), 0.0);
  const int64_t results = s.out(0) * s.out(1) * s.out(2), taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  for (size_t i = 0; i < wy.size(); ++i) wy[i] = b.value[i / size_t(results) % size_t(s.o)];
  each_product(s, [&](size_t i, size_t j, size_t o) {
    wy[o] += x.value[i] * w.value[j];
    wx[i] += dy.value[o] * w.value[j];
    ww[j] += dy.value[o] * x.value[i];
  });
  const std::string what = concat(dtype_name(t), " ", s.name());
  AttrWriter forward, input, weight;
  run(cpu::k_conv3d_output, OpId::conv3d_output, {&x, &w, &b}, {&y}, attrs_of(forward, s));
  expect_near(y, wy, double(4 * s.c / s.groups * taps), "forward " + what);
  run(cpu::k_conv3d_input, OpId::conv3d_input, {&dy, &w}, {&dx}, attrs_of(input, s, &x.size));
  expect_near(dx, wx, double(4 * s.o / s.groups * taps), "input " + what);
  run(cpu::k_conv3d_weight, OpId::conv3d_weight, {&dy, &x}, {&dw}, attrs_of(weight, s, &w.size));
  expect_near(dw, ww, double(4 * s.n * results), "weight " + what);
}

const Volume kVolumes[] = {
    {2, 3, 8, 1, {5, 6, 7}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {1, 16, 32, 1, {4, 5, 6}, {3, 2, 1}, {2, 1, 1}, {1, 0, 0}, {1, 1, 1}},
    {2, 5, 7, 1, {4, 4, 5}, {2, 3, 2}, {1, 2, 1}, {0, 1, 1}, {2, 1, 1}},
    {1, 6, 9, 3, {3, 4, 4}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {2, 32, 32, 2, {3, 6, 6}, {3, 3, 3}, {1, 2, 2}, {1, 1, 1}, {1, 1, 1}},
    {2, 16, 16, 16, {4, 5, 5}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {1, 4, 16, 4, {5, 5, 5}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {2, 2, 2}},
    {1, 16, 16, 1, {1, 8, 8}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
    {3, 1, 1, 1, {2, 3, 3}, {2, 1, 3}, {1, 1, 1}, {1, 0, 1}, {1, 1, 1}},
};

TEST(Conv3d, EveryShape) {
  for (const Volume& s : kVolumes)
    for (DType t : {DType::f32, DType::f64, DType::bf16, DType::f16}) check(s, t);
}
TEST(Conv3d, StridedOperands) {
  for (const Volume& s : kVolumes)
    for (DType t : {DType::f32, DType::f64}) check(s, t, true);
}
TEST(Conv3d, Integers) {
  check(kVolumes[2], DType::i64);
  check(kVolumes[3], DType::i32);
}
TEST(Conv3d, EmptyBatch) {
  Volume s = kVolumes[4];
  s.n = 0;
  check(s, DType::f32);
  check(s, DType::f64);
}

// Planes that share their transformed maps: odd numbers of blocks, strides, dilation and padding in depth, padding
// that no tap leaves, more planes than a turn takes, tiles beyond the edge.
const Volume kWinograd[] = {
    {1, 32, 32, 1, {3, 16, 16}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {2, 48, 32, 1, {5, 15, 16}, {3, 3, 3}, {2, 1, 1}, {1, 1, 0}, {1, 1, 1}},
    {1, 32, 80, 1, {6, 17, 14}, {2, 3, 3}, {1, 1, 1}, {0, 0, 1}, {3, 1, 1}},
    {2, 32, 48, 1, {5, 16, 15}, {3, 3, 3}, {3, 1, 1}, {2, 1, 1}, {2, 1, 1}},
    {1, 32, 32, 1, {6, 20, 18}, {5, 3, 3}, {1, 1, 1}, {2, 1, 1}, {1, 1, 1}},
    {1, 32, 32, 1, {8, 33, 33}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {2, 32, 32, 1, {2, 16, 16}, {1, 3, 3}, {1, 1, 1}, {3, 1, 1}, {1, 1, 1}},
};
TEST(Conv3d, WinogradShapes) {
  for (const Volume& s : kWinograd) check(s, DType::f32);
}
TEST(Conv3d, WinogradIsExactOnDemand) {
  ScopedValue exact(thread_state().call_flags, uint32_t(HAFT_CALL_EXACT));
  check(kWinograd[1], DType::f32);
}

// The same numbers whatever the threads, and new ones with a new version of the weights.
TEST(Conv3d, WinogradRepeats) {
  if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "Winograd's kernels want AVX-512";
  cpu::clear_packed_weights();
  const Volume& s = kWinograd[1];
  Sample x, w, y, dy, dw;
  x.make(DType::f32, s.x());
  x.fill(rng);
  w.make(DType::f32, s.weight());
  w.fill(rng);
  y.make(DType::f32, s.y());
  dy.make(DType::f32, s.y());
  dy.fill(rng);
  dw.make(DType::f32, s.weight());
  AttrWriter forward, weight;
  const auto attrs = attrs_of(forward, s), weight_attrs = attrs_of(weight, s, &w.size);
  std::vector<char> first, first_dw;
  const int threads = num_threads();
  for (int n : {1, 2, 5}) {
    set_num_threads(n);
    w.view.version_key = 5;
    run(cpu::k_conv3d_output, OpId::conv3d_output, {&x, &w, nullptr}, {&y}, attrs);
    run(cpu::k_conv3d_weight, OpId::conv3d_weight, {&dy, &x}, {&dw}, weight_attrs);
    if (first.empty()) first = y.memory, first_dw = dw.memory;
    EXPECT_EQ(y.memory, first) << n << " threads";
    EXPECT_EQ(dw.memory, first_dw) << n << " threads";
  }
  set_num_threads(threads);
  EXPECT_EQ(cpu::packed_weights_stats().entries, 1);
  w.fill(rng);
  w.view.version_key = 6;
  run(cpu::k_conv3d_output, OpId::conv3d_output, {&x, &w, nullptr}, {&y}, attrs);
  std::vector<double> want(y.value.size(), 0.0);
  each_product(s, [&](size_t i, size_t j, size_t o) { want[o] += x.value[i] * w.value[j]; });
  expect_near(y, want, double(4 * s.c * 27), "new weights");
  cpu::clear_packed_weights();
}

// Every tap of the gradient is written, and nothing beside them, where windows that begin in the volume end behind it.
TEST(Conv3d, WindowsThatOverhangTheBack) {
  for (const Volume& s : {Volume{1, 16, 16, 1, {4, 6, 6}, {7, 3, 3}, {4, 1, 1}, {5, 1, 1}, {1, 1, 1}},
                          {1, 16, 16, 1, {5, 4, 4}, {7, 3, 3}, {2, 1, 1}, {3, 1, 1}, {1, 1, 1}},
                          {2, 16, 32, 1, {6, 4, 4}, {7, 3, 3}, {2, 1, 1}, {3, 1, 1}, {1, 1, 1}},
                          {1, 16, 16, 1, {7, 4, 4}, {7, 3, 3}, {2, 1, 1}, {3, 1, 1}, {1, 1, 1}},
                          {1, 3, 32, 1, {5, 5, 5}, {5, 5, 5}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
                          {2, 16, 16, 1, {5, 5, 5}, {5, 5, 5}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
                          {2, 3, 32, 1, {7, 7, 7}, {7, 7, 7}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
                          {1, 16, 16, 1, {6, 5, 5}, {3, 3, 3}, {3, 1, 1}, {2, 1, 1}, {3, 1, 1}}})
    for (DType t : {DType::f32, DType::bf16, DType::f16}) {
      spoil_free_memory();
      check(s, t);
    }
}

// A batch cut among threads, and channels where there is one image.
TEST(Conv3d, SharedAmongThreads) {
  const int threads = num_threads();
  for (int n : {1, 3}) {
    set_num_threads(n);
    check({7, 16, 16, 1, {4, 12, 12}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, DType::f32);
    check({1, 48, 64, 1, {4, 9, 9}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, DType::bf16);
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace haft::test
