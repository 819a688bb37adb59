// Tensors from numbers on the GPU: the bits of the CPU, also for numbers that a type cannot hold.
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;
struct CudaCreation : CudaTest {};

constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64,
                            DType::i32, DType::i16, DType::i8,  DType::u8,   DType::boolean};

// What the engine refuses for any device is left out.
void expect_made(const std::function<Tensor(Device)>& f) {
  Device where{};
  try {
    f(where);
  } catch (const Error&) {
    return;
  }
  expect_same({}, [&](const Tensors&) -> Tensors {
    const Tensor t = f(where);
    where = cuda();
    return {t};
  });
}

TEST_F(CudaCreation, NumbersBecomeThoseOfTheType) {
  const Scalar values[] = {0.0,
                           -0.0,
                           1.5,
                           -3.7,
                           300.25,
                           1e10,
                           -1e10,
                           1e19,
                           -1e19,
                           double(NAN),
                           double(INFINITY),
                           true,
                           int64_t(300),
                           int64_t(-129),
                           (int64_t(1) << 53) + 1,
                           INT64_MAX - 64};
  for (DType t : kTypes)
    for (size_t i = 0; i < std::size(values); ++i) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " value " + std::to_string(i));
      for (int64_t n : {1, 7, 33}) expect_made([&](Device d) { return ops::full({{n}}, values[i], t, d); });
    }
}

TEST_F(CudaCreation, FillsViews) {
  for (DType t : {DType::f32, DType::u8, DType::f64, DType::bf16}) {
    SCOPED_TRACE(dtype_name(t));
    expect_same({few({{9, 21}}, t)}, [](const Tensors& in) -> Tensors {
      const Tensor a = ops::clone(in[0]), b = ops::clone(in[0]), c = ops::clone(in[0]);
      ops::fill_(ops::slice(a, 1, 3, 20, 2), Scalar(int64_t(5)));
      ops::fill_(ops::reshape(ops::slice(b, 0, 1, 9, 1), {{168}}), Scalar(int64_t(7)));  // dense, not aligned
      ops::fill_(ops::transpose(c, 0, 1), Scalar(int64_t(3)));
      return {a, b, c};
    });
  }
}

TEST_F(CudaCreation, StepsHaveTheSameBits) {
  for (DType t : kTypes) {
    SCOPED_TRACE(dtype_name(t));
    expect_made([&](Device d) { return ops::arange(-1.7, 90.1, 0.37, t, d); });
    expect_made([&](Device d) { return ops::arange(int64_t(100), int64_t(-900), int64_t(-3), t, d); });
    for (int64_t n : {1, 2, 301}) expect_made([&](Device d) { return ops::linspace(-0.3, 77.7, n, t, d); });
    expect_made([&](Device d) { return ops::eye(13, 40, t, d); });
    expect_made([&](Device d) { return ops::eye(40, 3, t, d); });
  }
}

}  // namespace
}  // namespace haft
