// Tensors of more than 2^31 elements, on a GPU that has the memory: what becomes of their ends.
#include "core/backend/memory.h"
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;

struct CudaLarge : CudaTest {
  static constexpr int64_t kWidth = 1024, kRows = (int64_t(1) << 21) + 9, kEnd = 9;

  static constexpr int64_t kGiB = int64_t(1) << 30,
                           kWanted = 40;  // a sort: values, their places, room to sort in

  void SetUp() override {
    if (!std::getenv("HAFT_TEST_DEVICE"))
      GTEST_SKIP()
          << "wants a GPU, named by HAFT_TEST_DEVICE (cuda:0): the simulated device runs the threads of "
             "2^31 elements one after the other, tens of times";
    std::vector<Tensor> room;
    try {
      while (int64_t(room.size()) < kWanted) room.push_back(new_tensor({{kGiB}}, DType::u8, cuda()));
    } catch (const Error& e) {
      if (e.code != Code::out_of_memory) throw;
    }
    const size_t there = room.size();
    room.clear();
    device_memory_trim(cuda());
    if (int64_t(there) < kWanted)
      GTEST_SKIP() << "wants " << kWanted << " GiB of the GPU's memory, " << there << " were to be had";
  }
  void TearDown() override {
    if (std::getenv("HAFT_TEST_DEVICE")) device_memory_trim(cuda());
  }
  // The last rows, and their first ones, are what the CPU makes of them.
  void expect_rows(const char* name, const Tensor& x, double tolerance,
                   const std::function<Tensor(const Tensor&)>& f) {
    SCOPED_TRACE(name);
    const Tensor y = f(x);
    ASSERT_EQ(y.size(0), x.size(0));
    for (int64_t first : {int64_t(0), x.size(0) - kEnd}) {
      auto part = [&](const Tensor& t) {
        return on(ops::contiguous(ops::narrow(t, 0, first, kEnd)), Device{});
      };
      const std::vector<double> want = numbers(f(part(x))), got = numbers(part(y));
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i])))
            << "from row " << first << ", " << i;
    }
  }
};

TEST_F(CudaLarge, Rows) {
  const Tensor x = ops::randn(Shape{kRows, kWidth}, DType::bf16, cuda());
  ASSERT_GT(x.numel(), int64_t(1) << 31);
  const auto row = [&](int64_t n) { return real(Shape{n}, DType::bf16); };
  const Tensor weight = row(kWidth), bias = row(kWidth);
  auto near = [](const Tensor& t, const Tensor& like) { return on(t, like.device()); };
  expect_rows("relu", x, 0, [](const Tensor& t) { return ops::relu(t); });
  expect_rows("add", x, 0, [](const Tensor& t) { return ops::add(t, t); });
  expect_rows("gelu", x, 2e-2, [](const Tensor& t) { return ops::gelu(t); });
  expect_rows("bias", x, 2e-2, [&](const Tensor& t) { return ops::add(t, near(bias, t)); });
  expect_rows("comparison", x, 0, [](const Tensor& t) { return ops::gt_scalar(t, Scalar(0.5)); });
  expect_rows("softmax", x, 2e-2, [](const Tensor& t) { return ops::softmax(t, -1); });
  expect_rows("logsumexp", x, 2e-2, [](const Tensor& t) { return ops::logsumexp(t, Shape{1}); });
  expect_rows("layer_norm", x, 6e-2, [&](const Tensor& t) {
    return ops::layer_norm(t, Shape{kWidth}, near(weight, t), near(bias, t));
  });
  expect_rows("sum", x, 2e-1, [](const Tensor& t) { return ops::sum(t, Shape{1}); });
  expect_rows("amax", x, 0, [](const Tensor& t) { return ops::amax(t, Shape{1}); });
  expect_rows("argmax", x, 0, [](const Tensor& t) { return ops::argmax(t, 1); });
  expect_rows("sort", x, 0, [](const Tensor& t) { return ops::sort(t, 1)[0]; });
  expect_rows("flip", x, 0, [](const Tensor& t) { return ops::flip(t, Shape{1}); });
  expect_rows("a part", x, 0,
              [](const Tensor& t) { return ops::contiguous(ops::slice(t, 1, 1, kWidth, 3)); });
  expect_rows("cast", ops::gt_scalar(x, Scalar(0.0)), 0,
              [](const Tensor& t) { return ops::cast(t, DType::i16); });
  expect_rows("cross_entropy", x, 2e-2, [](const Tensor& t) {
    return ops::cross_entropy(t, ops::full(Shape{t.size(0)}, Scalar(3), DType::i64, t.device()), Tensor(), 0);
  });
  expect_rows("join", x, 0, [](const Tensor& t) {
    return ops::cat({{ops::narrow(t, 1, 0, 500), ops::narrow(t, 1, 700, 300)}}, 1);
  });
}

TEST_F(CudaLarge, WholeTensors) {
  const int64_t n = (int64_t(1) << 31) + 77, last = n - 3;
  const Tensor x = ops::zeros(Shape{n}, DType::u8, cuda());
  ops::fill_(ops::slice(x, 0, last, n, 1), Scalar(3));
  EXPECT_EQ(numbers(ops::sum(x))[0], 9);
  EXPECT_EQ(numbers(ops::amax(x))[0], 3);
  EXPECT_EQ(numbers(ops::argmax(x))[0], double(last));
  EXPECT_EQ(numbers(ops::count_nonzero(x))[0], 3);
  EXPECT_EQ(numbers(ops::nonzero(x)),
            (std::vector<double>{double(last), double(last + 1), double(last + 2)}));
  EXPECT_EQ(numbers(ops::masked_select(x, ops::gt_scalar(x, Scalar(0)))), (std::vector<double>{3, 3, 3}));
  const Tensor at = on(indices({last, 5, n - 1}), cuda());
  EXPECT_EQ(numbers(ops::index_select(x, 0, at)), (std::vector<double>{3, 0, 3}));
  EXPECT_EQ(numbers(ops::gather(x, 0, at)), (std::vector<double>{3, 0, 3}));
  const Tensor put = ops::index_put(x, {{at}}, on(ops::cast(indices({7, 8, 9}), DType::u8), cuda()), false);
  EXPECT_EQ(numbers(ops::index_select(put, 0, at)), (std::vector<double>{7, 8, 9}));
  EXPECT_EQ(numbers(ops::slice(ops::flip(x, Shape{0}), 0, 0, 4, 1)), (std::vector<double>{3, 3, 3, 0}));
  EXPECT_EQ(numbers(ops::slice(ops::roll(x, Shape{1}), 0, last, n, 1)), (std::vector<double>{0, 3, 3}));
  const Tensor both = ops::cat({{x, x}});
  EXPECT_EQ(numbers(ops::slice(both, 0, 2 * n - 4, 2 * n, 1)), (std::vector<double>{0, 3, 3, 3}));
  EXPECT_EQ(numbers(ops::slice(both, 0, n - 4, n + 1, 1)), (std::vector<double>{0, 3, 3, 3, 0}));
}

TEST_F(CudaLarge, MatricesAndTheirTurns) {
  const int64_t rows = 65536, columns = 32771, width = 64;
  const Tensor a = on(real(Shape{rows, width}, DType::bf16), cuda()),
               b = on(real(Shape{width, columns}, DType::bf16), cuda()), y = ops::mm(a, b);
  auto corner = [](const Tensor& t) {
    return numbers(ops::narrow(ops::narrow(t, 0, t.size(0) - 3, 3), 1, t.size(1) - 3, 3));
  };
  const std::vector<double> want = numbers(
      ops::mm(on(ops::narrow(a, 0, rows - 3, 3), Device{}), on(ops::narrow(b, 1, columns - 3, 3), Device{})));
  const std::vector<double> got = corner(y), turned = corner(ops::contiguous(ops::transpose(y, 0, 1)));
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(got[i], want[i], 2e-2) << i;
    EXPECT_EQ(turned[i], got[i % 3 * 3 + i / 3]) << i;
  }
  const std::vector<double> sums = numbers(ops::narrow(ops::sum(y, Shape{0}), 0, columns - 2, 2));
  for (int64_t k = 0; k < 2; ++k) {
    const double sum = numbers(ops::sum(ops::cast(ops::narrow(y, 1, columns - 2 + k, 1), DType::f32)))[0];
    EXPECT_NEAR(sums[size_t(k)], sum, 1e-2 * (1 + std::abs(sum)));
  }
}

TEST_F(CudaLarge, Images) {
  const Tensor x = ops::randn(Shape{33, 64, 1024, 1024}, DType::bf16, cuda());
  ASSERT_GT(x.numel(), int64_t(1) << 31);
  auto last = [](const Tensor& t) {
    return ops::narrow(ops::narrow(t, 0, t.size(0) - 1, 1), 1, t.size(1) - 1, 1);
  };
  const Tensor own = on(ops::contiguous(last(x)), Device{});
  auto pooled = [](const Tensor& t) {
    return ops::max_pool2d(t, Shape{2, 2}, Shape{}, Shape{0, 0}, Shape{1, 1}, false);
  };
  EXPECT_TRUE(raw(on(last(pooled(x)), Device{})) == raw(pooled(own)));
  const Tensor mean = ops::full(Shape{64}, Scalar(0.5), DType::f32, cuda()), variance = ops::ones_like(mean);
  const std::vector<double> got =
                                numbers(last(ops::batch_norm(x, Tensor(), Tensor(), mean, variance, false))),
                            from = numbers(own);
  for (size_t i = 0; i < got.size(); i += 997) ASSERT_NEAR(got[i], from[i] - 0.5, 3e-2) << i;
}

}  // namespace
}  // namespace haft
