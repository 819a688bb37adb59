// Pooling of maps whose channels are neighbours, several at a time, gives what it gives for row-major ones.
#include <cstring>
#include <random>

#include "core/schema/attrs.h"
#include "core/tensor/half.h"
#include "tests/cuda/cuda_testing.h"
#include "tests/seed.h"

namespace haft::cuda {

void k_max_pool2d_indices(const Call& c);
void k_max_pool2d_backward(const Call& c);
void k_max_pool2d_gather(const Call& c);
void k_avg_pool2d(const Call& c);
void k_avg_pool2d_backward(const Call& c);
void k_adaptive_avg_pool2d(const Call& c);
void k_adaptive_avg_pool2d_backward(const Call& c);

namespace {

constexpr int64_t kMaps[] = {2, 16, 9, 7}, kPooled[] = {2, 16, 5, 4}, kBins[] = {2, 16, 4, 3};

struct Pools : CudaTest {
  std::mt19937_64 random{test::seed()};
  std::vector<std::pair<void*, int64_t>> made;
  char error[512] = "";

  void TearDown() override {
    for (auto [p, n] : made) free(p, n);
    CudaTest::TearDown();
  }
  haft_tensor_view maps(const int64_t* sizes, DType t, bool channels_last) {
    haft_tensor_view v{};
    v.dtype = uint8_t(t);
    v.ndim = 4;
    v.contiguous = !channels_last;
    v.numel = sizes[0] * sizes[1] * sizes[2] * sizes[3];
    std::copy_n(sizes, 4, v.sizes);
    const int64_t area = sizes[2] * sizes[3], c = sizes[1];
    const int64_t last[] = {c * area, 1, sizes[3] * c, c}, first[] = {c * area, area, sizes[3], 1};
    std::copy_n(channels_last ? last : first, 4, v.strides);
    made.push_back({v.data = memory(v.numel * item_size(t)), v.numel * item_size(t)});
    return v;
  }
  // Elements in the order (n, c, h, w), whatever that of the memory.
  std::vector<char> read_maps(const haft_tensor_view& v) {
    const size_t item = size_t(item_size(DType(v.dtype)));
    std::vector<char> memory(size_t(v.numel) * item), out(memory.size());
    must(table().copy_to_host, 0, static_cast<void*>(memory.data()), static_cast<const void*>(v.data),
         int64_t(memory.size()), haft_raw_stream(0), uint32_t(HAFT_COPY_BLOCKING));
    size_t i = 0;
    each(v,
         [&](int64_t at) { std::memcpy(out.data() + i++ * item, memory.data() + size_t(at) * item, item); });
    return out;
  }
  void write_maps(const haft_tensor_view& v, const std::vector<char>& elements) {
    const size_t item = size_t(item_size(DType(v.dtype)));
    std::vector<char> memory(elements.size());
    size_t i = 0;
    each(v, [&](int64_t at) {
      std::memcpy(memory.data() + size_t(at) * item, elements.data() + i++ * item, item);
    });
    must(table().copy_from_host, 0, v.data, static_cast<const void*>(memory.data()), int64_t(memory.size()),
         haft_raw_stream(0), 0u);
  }
  template <class F>
  static void each(const haft_tensor_view& v, F f) {
    for (int64_t n = 0; n < v.sizes[0]; ++n)
      for (int64_t c = 0; c < v.sizes[1]; ++c)
        for (int64_t y = 0; y < v.sizes[2]; ++y)
          for (int64_t x = 0; x < v.sizes[3]; ++x)
            f(n * v.strides[0] + c * v.strides[1] + y * v.strides[2] + x * v.strides[3]);
  }
  std::vector<char> numbers(const int64_t* sizes, DType t) {
    const int64_t n = sizes[0] * sizes[1] * sizes[2] * sizes[3], item = item_size(t);
    std::vector<char> out(size_t(n * item));
    for (int64_t i = 0; i < n; ++i) {
      const float x = float(int(random() % 64)) / 4 - 8;
      const double wide = x;
      const uint16_t bits = t == DType::bf16 ? BFloat16::encode(x) : Half::encode(x);
      const void* from = item == 8   ? static_cast<const void*>(&wide)
                         : item == 4 ? static_cast<const void*>(&x)
                                     : &bits;
      std::memcpy(out.data() + i * item, from, size_t(item));
    }
    return out;
  }
  void run(void (*op)(const Call&), std::vector<const haft_tensor_view*> in,
           std::vector<const haft_tensor_view*> out, AttrWriter& attrs) {
    const auto words = attrs.finish();
    haft_kernel_call c{};
    c.struct_size = sizeof c;
    c.op = uint32_t(OpId::avg_pool2d);
    c.n_in = uint16_t(in.size()), c.n_out = uint16_t(out.size());
    c.in = in.data(), c.out = out.data();
    c.attrs = words.data(), c.n_attrs = uint32_t(words.size());
    c.error = error, c.error_size = sizeof error;
    op(Call(c));
  }
};

TEST_F(Pools, DoNotDependOnTheOrderOfMemory) {
  DeviceScope device(0);
  const int64_t three[] = {3, 3}, two[] = {2, 2}, one[] = {1, 1};
  const std::span<const int64_t> maps_size(kMaps), kernel(three), stride(two), padding(one),
      bins(kBins + 2, 2);
  for (const DType t : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    std::vector<std::vector<char>> results[2];
    const std::vector<char> values = numbers(kMaps, t), grads = numbers(kPooled, t),
                            bin_grads = numbers(kBins, t);
    for (const bool last : {false, true}) {
      const haft_tensor_view x = maps(kMaps, t, last), y = maps(kPooled, t, last),
                             at = maps(kPooled, DType::i32, last), grad = maps(kPooled, t, last),
                             dx = maps(kMaps, t, last), b = maps(kBins, t, last), db = maps(kBins, t, last);
      write_maps(x, values), write_maps(grad, grads), write_maps(db, bin_grads);
      auto keep = [&](const haft_tensor_view& v) { results[last].push_back(read_maps(v)); };
      AttrWriter max, back, avg, avg_back, size, none, bins_back;
      run(k_max_pool2d_indices, {&x}, {&y, &at},
          max.add(kernel).add(stride).add(padding).add(std::span<const int64_t>(one)).add(int64_t(0)));
      keep(y), keep(at);
      run(k_max_pool2d_backward, {&grad, &at}, {&dx}, back.add(maps_size));
      keep(dx);
      run(k_max_pool2d_gather, {&x, &at}, {&y}, none);
      keep(y);
      EXPECT_EQ(results[last][3], results[last][0]) << "the values where the maxima stood";
      run(k_avg_pool2d, {&x}, {&y},
          avg.add(kernel).add(stride).add(padding).add(int64_t(0)).add(int64_t(1)).add(kNone));
      keep(y);
      run(k_avg_pool2d_backward, {&grad}, {&dx},
          avg_back.add(maps_size)
              .add(kernel)
              .add(stride)
              .add(padding)
              .add(int64_t(0))
              .add(int64_t(1))
              .add(kNone));
      keep(dx);
      run(k_adaptive_avg_pool2d, {&x}, {&b}, size.add(bins));
      keep(b);
      run(k_adaptive_avg_pool2d_backward, {&db}, {&dx}, bins_back.add(maps_size));
      keep(dx);
    }
    for (size_t i = 0; i < results[0].size(); ++i)
      EXPECT_EQ(results[0][i], results[1][i]) << dtype_name(t) << ", result " << i;
  }
}

}  // namespace
}  // namespace haft::cuda
