// Memory that the caller can write: what haft may keep of it, and what it refuses to write itself.
#include <cmath>
#include <limits>
#include <random>

#include "capi_testing.h"

namespace {

struct Memory : CapiTest {
  std::mt19937 rng{20240607};

  std::vector<float> random(int64_t n) {
    std::uniform_real_distribution<float> u(-1, 1);
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = u(rng);
    return v;
  }
};

using Sizes = std::vector<int64_t>;

Tensor over(std::vector<float>& memory, const Sizes& size) {
  haft_tensor* out = nullptr;
  haft::check(haft_tensor_from_memory(memory.data(), size.data(), nullptr, int64_t(size.size()), HAFT_FLOAT32,
                                      HAFT_DEVICE_CPU, nullptr, nullptr, &out));
  return Tensor(out);
}
float* address(const Tensor& t) {
  void* data = nullptr;
  haft::check(haft_tensor_get_data(t.get(), &data));
  return static_cast<float*>(data);
}
std::vector<float> read(const Tensor& t) {
  std::vector<float> v(static_cast<size_t>(t.numel()));
  haft::check(haft_tensor_read(t.get(), v.data(), int64_t(v.size() * 4)));
  return v;
}
Tensor copy_of(const std::vector<float>& v, const Sizes& size) { return floats(v, size); }

Tensor conv(const Tensor& x, const Tensor& w, int64_t padding) {
  return haft::conv2d(x, w, Tensor(), {1}, {padding}, {1}, 1);
}
Tensor pool(const Tensor& x) { return haft::max_pool2d(x, {2}, {2}, {0}, {1}, false); }

struct Weighted {
  const char* name;
  Sizes x, w;
  Tensor (*run)(const Tensor& x, const Tensor& w);
};
const Weighted kWeighted[] = {
    {"linear",
     {4, 160},
     {192, 160},
     [](const Tensor& x, const Tensor& w) { return haft::linear(x, w, Tensor()); }},
    {"linear of a vector",
     {1, 300},
     {256, 300},
     [](const Tensor& x, const Tensor& w) { return haft::linear(x, w, Tensor()); }},
    {"linear of many rows",
     {200, 256},
     {256, 256},
     [](const Tensor& x, const Tensor& w) { return haft::linear(x, w, Tensor()); }},
    {"conv2d",
     {1, 32, 14, 14},
     {32, 32, 3, 3},
     [](const Tensor& x, const Tensor& w) { return conv(x, w, 1); }},
    {"conv2d 1x1",
     {2, 64, 9, 9},
     {48, 64, 1, 1},
     [](const Tensor& x, const Tensor& w) { return conv(x, w, 0); }},
    {"conv2d of few channels",
     {1, 3, 20, 20},
     {8, 3, 5, 5},
     [](const Tensor& x, const Tensor& w) { return conv(x, w, 0); }},
};
int64_t numel(const Sizes& size) {
  int64_t n = 1;
  for (int64_t s : size) n *= s;
  return n;
}

// Weights that the host writes behind haft's back, many forwards after it got their address.
TEST_F(Memory, ForwardsSeeWhatTheHostWritesIntoWeights) {
  for (const Weighted& c : kWeighted)
    for (bool lent : {false, true}) {
      SCOPED_TRACE(std::string(c.name) + (lent ? ", lent memory" : ", an address"));
      const Tensor x = copy_of(random(numel(c.x)), c.x);
      std::vector<float> memory = random(numel(c.w));
      Tensor w = lent ? over(memory, c.w) : copy_of(memory, c.w);
      float* p = nullptr;
      if (!lent) {
        for (int i = 0; i < 100; ++i) c.run(x, w);  // a reordered copy is kept by now
        p = address(w);
      } else {
        p = memory.data();
      }
      for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 100; ++i) c.run(x, w);
        const std::vector<float> fresh = random(numel(c.w));
        std::copy(fresh.begin(), fresh.end(), p);
        EXPECT_EQ(read(c.run(x, w)), read(c.run(x, copy_of(fresh, c.w)))) << "round " << round;
      }
    }
}

// A result of a convolution lies in a layout of its own; with its address given away, everyone reads there.
TEST_F(Memory, OperatorsSeeWhatTheHostWritesIntoActivations) {
  const Tensor x = copy_of(random(2 * 16 * 8 * 8), {2, 16, 8, 8}),
               w = copy_of(random(16 * 16 * 9), {16, 16, 3, 3});
  const Tensor y = conv(x, w, 1);
  float* p = address(y);
  for (int64_t i = 0; i < y.numel(); ++i) p[i] = float(i % 7) - 3;
  const Tensor same = copy_of(std::vector<float>(p, p + y.numel()), {2, 16, 8, 8});
  EXPECT_EQ(read(haft::relu(y)), read(haft::relu(same)));
  EXPECT_EQ(read(pool(y)), read(pool(same)));
  EXPECT_EQ(read(conv(y, w, 0)), read(conv(same, w, 0)));
}

TEST_F(Memory, WhatSharesAnElementIsNotWritten) {
  const Tensor row = floats({1, 2, 3}), wide = haft::expand(row, {4, 3});
  const std::vector<float> values(12, 7);
  EXPECT_FAILS(haft_tensor_write(wide.get(), values.data(), 48), HAFT_ERROR_INVALID_ARGUMENT, "share memory");
  const Tensor a = copy_of(random(12), {4, 3}), m = copy_of(random(9), {3, 3});
  EXPECT_FAILS(haft_add_out(a.get(), a.get(), wide.get()), HAFT_ERROR_INVALID_ARGUMENT, "[add_out]");
  EXPECT_FAILS(haft_mm_out(a.get(), m.get(), wide.get()), HAFT_ERROR_INVALID_ARGUMENT, "[mm_out]");
  EXPECT_EQ(read(row), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(read(haft::expand(floats({5}), {1})), (std::vector<float>{5}));
}

TEST_F(Memory, FromMemoryWithoutADtypeTakesTheThreadsDefault) {
  double memory[3] = {1, 2, 3};
  const int64_t size[] = {3};
  for (haft_dtype d : {HAFT_FLOAT64, HAFT_FLOAT32}) {
    ASSERT_EQ(haft_set_default_dtype(d), HAFT_OK);
    haft_tensor* t = nullptr;
    const haft_status s = haft_tensor_from_memory(memory, size, nullptr, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU,
                                                  nullptr, nullptr, &t);
    ASSERT_EQ(haft_set_default_dtype(HAFT_FLOAT32), HAFT_OK);
    ASSERT_EQ(s, HAFT_OK);
    EXPECT_EQ(Tensor(t).dtype(), d);
  }
}

TEST_F(Memory, SizesAndStridesThatOverflow) {
  float x = 0;
  haft_tensor* t = nullptr;
  const int64_t huge = int64_t(1) << 40;
  for (const std::vector<int64_t>& size :
       {std::vector<int64_t>{0, huge, huge}, {huge, 0, huge}, {huge, huge, 0}}) {
    EXPECT_FAILS(haft_tensor_from_memory(&x, size.data(), nullptr, 3, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr,
                                         nullptr, &t),
                 HAFT_ERROR_OVERFLOW, "");
    EXPECT_FAILS(haft_zeros(size.data(), 3, HAFT_FLOAT32, HAFT_DEVICE_CPU, &t), HAFT_ERROR_OVERFLOW, "");
  }
  const int64_t size[] = {0, 3, 1}, stride[] = {1, int64_t(1) << 62, 1}, last[] = {1, 1, INT64_MAX};
  for (const int64_t* s : {stride, last})
    EXPECT_FAILS(haft_tensor_from_memory(&x, size, s, 3, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, nullptr, &t),
                 HAFT_ERROR_OVERFLOW, "stride");
}

TEST_F(Memory, ANegativeStrideOfOneElementLeadsNowhere) {
  float x[3] = {1, 2, 3};
  const int64_t size[] = {1, 3}, backwards[] = {-3, 1};  // NumPy's ones((1, 3))[::-1]
  haft_tensor* t = nullptr;
  ASSERT_EQ(
      haft_tensor_from_memory(x, size, backwards, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, nullptr, &t),
      HAFT_OK);
  EXPECT_EQ(Tensor(t).to_vector<float>(), (std::vector<float>{1, 2, 3}));
  const int64_t two[] = {3, 1};
  EXPECT_FAILS(
      haft_tensor_from_memory(x, two, backwards, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, nullptr, &t),
      HAFT_ERROR_INVALID_ARGUMENT, "negative");
}

TEST_F(Memory, ItemIntRefusesWhatIsNoInt) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (double v : {nan, inf, -inf, 1e30, -1e30, 9223372036854775808.0}) {
    int64_t out = 42;
    EXPECT_FAILS(haft_tensor_get_item_int(haft::full({}, v, HAFT_FLOAT64).get(), &out),
                 HAFT_ERROR_INVALID_ARGUMENT, "");
    EXPECT_EQ(out, 42);
  }
  for (double v : {-9223372036854775808.0, 9223372036854774784.0, -0.9, 2.9, 0.0}) {
    int64_t out = 42;
    ASSERT_EQ(haft_tensor_get_item_int(haft::full({}, v, HAFT_FLOAT64).get(), &out), HAFT_OK);
    EXPECT_EQ(out, int64_t(v));
  }
}

}  // namespace
