// The arithmetic of launches: blocks, walks and the pieces of tensors that 32 bits do not count.
#include <numeric>
#include <random>

#include "tests/cuda/cuda_testing.h"
#include "tests/cuda/on_host/on_host.h"  // before device code
// clang-format off
#include "core/cuda/space.cuh"
// clang-format on
#include "core/cuda/walk.h"

namespace haft::cuda {
namespace {

haft_tensor_view view(std::vector<int64_t> sizes, std::vector<int64_t> strides, void* data = nullptr) {
  haft_tensor_view v{};
  v.data = data;
  v.dtype = uint8_t(DType::f32);
  v.ndim = uint8_t(sizes.size());
  v.numel = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    v.sizes[d] = sizes[d];
    v.strides[d] = strides[d];
    v.numel *= sizes[d];
  }
  return v;
}
haft_tensor_view dense(std::vector<int64_t> sizes, void* data = nullptr) {
  std::vector<int64_t> strides(sizes.size());
  int64_t n = 1;
  for (size_t d = sizes.size(); d-- > 0; n *= sizes[d]) strides[d] = n;
  return view(sizes, strides, data);
}

struct Launches : CudaTest {
  haft_kernel_call raw{};
  Shape3 blocks(int64_t n, int64_t each = 1, int threads = kThreads) {
    raw.struct_size = sizeof raw;
    return blocks_for(Call(raw), n, each, threads);
  }
};

TEST_F(Launches, BlocksCoverTheWorkOrFillTheDevice) {
  EXPECT_EQ(blocks(0).grid.x, 1u);
  EXPECT_EQ(blocks(1).grid.x, 1u);
  EXPECT_EQ(blocks(256).grid.x, 1u);
  EXPECT_EQ(blocks(257).grid.x, 2u);
  EXPECT_EQ(blocks(1025, 4).grid.x, 2u);
  EXPECT_EQ(blocks(129, 1, 128).grid.x, 2u);
  EXPECT_EQ(blocks(129, 1, 128).block.x, 128u);
  const uint32_t full = 4 * (2048 / 256) * 4;  // multiprocessors, blocks on each, a few times over
  EXPECT_EQ(blocks(int64_t(1) << 20).grid.x, full);
  EXPECT_EQ(blocks(int64_t(1) << 40).grid.x, full);
}

TEST_F(Launches, DividersAreExact) {
  std::mt19937 random(7);
  for (uint32_t d : {1u, 2u, 3u, 5u, 7u, 10u, 255u, 256u, 257u, 65535u, 65536u, 1000003u, 0x3fffffffu,
                     0x40000000u, 0x7fffffffu}) {
    const Divider by(d);
    for (int i = 0; i < 1000; ++i) {
      const uint32_t n = random() & 0x7fffffffu;
      ASSERT_EQ(by(n), n / d) << n << " / " << d;
    }
    for (uint32_t n : {0u, 1u, d - 1, d, 0x7ffffffeu, 0x7fffffffu})
      ASSERT_EQ(by(n), n / d) << n << " / " << d;
  }
}

TEST_F(Launches, WalksMergeWhatLiesTogether) {
  Walk w;
  w.add(dense({4, 1, 5, 6}));
  w.add(dense({4, 1, 5, 6}));
  w.merge();
  EXPECT_EQ(w.ndim, 1);
  EXPECT_EQ(w.sizes[0], 120);
  EXPECT_TRUE(w.contiguous(0) && w.contiguous(1));

  Walk turned;  // written transposed: in the order of what is written
  turned.add(view({4, 5}, {1, 4}));
  turned.add(dense({4, 5}));
  turned.merge();
  EXPECT_EQ(turned.ndim, 2);
  EXPECT_EQ(turned.sizes[0], 5);
  EXPECT_EQ(turned.sizes[1], 4);

  Walk spread;
  spread.add(dense({3, 4, 5}));
  spread.add(view({3, 4, 5}, {0, 5, 1}));
  spread.merge();
  EXPECT_EQ(spread.ndim, 2);
  EXPECT_EQ(spread.operands[1].strides[0], 0);

  Walk one;
  one.add(view({1, 1}, {7, 9}));
  one.merge();
  EXPECT_EQ(one.ndim, 1);
  EXPECT_EQ(one.numel, 1);
}

// Every element of every operand is met once, in pieces of any size, by the addresses that kernels compute.
TEST_F(Launches, PiecesMeetEveryElementOnce) {
  const int64_t at_first = most_elements;
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<int64_t> sizes(1 + random() % 4);
    for (int64_t& s : sizes) s = 1 + random() % 6;
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    std::vector<float> out(static_cast<size_t>(n)), in(static_cast<size_t>(n) * 2);
    std::vector<int64_t> strides(sizes.size());  // every other element, dimensions turned
    int64_t step = 2;
    for (size_t d = 0; d < sizes.size(); step *= sizes[d++]) strides[d] = step;
    Walk w;
    w.add(dense(sizes, out.data()));
    w.add(view(sizes, strides, in.data()));
    w.merge();
    for (int64_t most : {int64_t(1), int64_t(3), int64_t(7), int64_t(1000000)}) {
      most_elements = most;
      std::fill(out.begin(), out.end(), 0.f);
      std::iota(in.begin(), in.end(), 1.f);
      int64_t met = 0;
      for (const Walk& piece : pieces(w)) {
        EXPECT_LE(piece.numel, most);
        met += piece.numel;
        const Space<2> space(piece);
        for (uint32_t i = 0; i < space.count; ++i) {
          char* p[2];
          space.at(i, p);
          *reinterpret_cast<float*>(p[0]) += *reinterpret_cast<float*>(p[1]);
        }
      }
      EXPECT_EQ(met, n);
      for (int64_t i = 0; i < n; ++i) {
        int64_t at = 0, left = i;
        for (size_t d = sizes.size(); d-- > 0; left /= sizes[d]) at += left % sizes[d] * strides[d];
        ASSERT_EQ(out[size_t(i)], float(at + 1));
      }
    }
  }
  most_elements = at_first;
}

TEST_F(Launches, TensorsBeyond32BitsAreCut) {
  const int64_t n = (int64_t(3) << 31) + 5;
  char* base = reinterpret_cast<char*>(uintptr_t(1) << 32);  // nobody looks there
  Walk w;
  w.add(dense({n}, base));
  w.add(view({n}, {2}, base));
  w.merge();
  int64_t met = 0;
  for (const Walk& p : pieces(w)) {
    EXPECT_LE(p.numel, most_elements);
    EXPECT_EQ(p.operands[0].data - base, met * 4);
    EXPECT_EQ(p.operands[1].data - base, met * 8);
    met += p.numel;
  }
  EXPECT_EQ(met, n);
}

// A kernel goes where its stream is: which device is current, if any, is neither asked nor changed, unless the driver
// insists.
TEST_F(Launches, NeedNoCurrentDevice) {
  char reason[64];
  const haft_kernel_fn add = table().kernel(uint32_t(OpId::add), int32_t(DType::i32), reason, sizeof reason);
  ASSERT_TRUE(add);
  void* p = memory(16, 0, 1);
  write(p, {1, 2, 3, 4}, 0, 1);
  haft_tensor_view v = dense({4}, p);
  v.dtype = uint8_t(DType::i32);
  const haft_tensor_view *in[] = {&v, &v}, *out = &v;
  char error[512] = "";
  haft_kernel_call c{};
  c.struct_size = sizeof c;
  c.op = uint32_t(OpId::add), c.dtype = int32_t(DType::i32), c.device_index = 1;
  c.in = in, c.n_in = 2, c.out = &out, c.n_out = 1;
  c.error = error, c.error_size = sizeof error;
  ASSERT_EQ(add(&c), 0) << error;  // the first launch asks for the kernel

  const Runtime& r = runtime();
  Context other = nullptr, now = nullptr;
  r.set_device(0);
  r.get_context(&other);
  auto launch_with = [&](Context current, bool insists) {
    cuda_on_host::let_launches_want_a_device(insists);
    r.set_context(current);
    EXPECT_EQ(add(&c), 0) << error;
    r.get_context(&now);
    EXPECT_EQ(now, current);
  };
  launch_with(nullptr, true);
  launch_with(nullptr, false);
  launch_with(other, false);
  r.set_context(nullptr);
  EXPECT_EQ(read(p, 4, 0, 1), (std::vector<int>{16, 32, 48, 64}));
  free(p, 16, 0, 1);
}

}  // namespace
}  // namespace haft::cuda
