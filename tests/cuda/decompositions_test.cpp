// Matrices that have no decomposition: the GPU says what the CPU says, though later.
#include "core/backend/stream.h"
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;
struct CudaDecompositions : CudaTest {};

Tensor matrices(const std::vector<double>& v, DType t) {
  return ops::cast(vector_of(v, DType::f64, {{int64_t(v.size()) / 4, 2, 2}}), t);
}

// What cuSOLVER says of NaN is not documented, and its simulation says nonsense: what is 0 on U's diagonal decides.
TEST_F(CudaDecompositions, SingularMatricesAndThoseWithNaN) {
  const std::vector<double> all{1, 2, 2, 4, 0, 0, 0, 0, NAN, 1, 1, 1, 1, 2, 3, 4, 0, 1, 0, 2};
  for (DType t : {DType::f32, DType::f64}) {
    SCOPED_TRACE(dtype_name(t));
    expect_same(
        {matrices(all, t)},
        [](const Tensors& in) -> Tensors {
          const auto [lu, pivots, order, info] = ops::lu_factors(in[0]);
          const auto [sign, log] = ops::linalg_slogdet(in[0]);
          return {info, ops::linalg_det(in[0]), sign, log};
        },
        1e-6);
    const Tensor odd = matrices({NAN, 1, 1, 1}, t);
    expect_same(
        {odd}, [](const Tensors& in) -> Tensors { return {ops::linalg_inv(in[0])}; }, 1e-6);
    expect_same(
        {odd, matrices({1, 2, 3, 4}, t)},
        [](const Tensors& in) -> Tensors { return {ops::linalg_solve(in[0], in[1], true)}; }, 1e-6);
    // The third is not definite, the fourth has NaN.
    expect_same(
        {matrices({4, 2, 2, 3, 1, 0, 0, 1, 1, 2, 2, 1, 1, NAN, NAN, 1, NAN, 0, 0, 1}, t)},
        [](const Tensors& in) -> Tensors { return {ops::cholesky_factor(in[0])[1]}; }, 1e-6);
  }
}

TEST_F(CudaDecompositions, WhatIsNotFiniteIsTold) {
  auto told = [](auto&& call, const std::string& part) {
    try {
      call();
      raw(on(ops::full({{2}}, Scalar(1.0), DType::f32, cuda()), Device{}));
      ADD_FAILURE() << "nothing was told; wanted: " << part;
    } catch (const Error& e) {
      EXPECT_EQ(int(e.code), int(Code::linalg)) << e.message;
      EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
    }
  };
  for (Device d : {Device{}, cuda()}) {
    const Tensor one = on(matrices({1, 2, NAN, 4}, DType::f32), d),
                 two = on(matrices({1, 2, 3, 4, 1, INFINITY, 3, 4}, DType::f32), d),
                 above = on(matrices({1, NAN, 3, 4}, DType::f32), d);
    const std::string finite = " has a value that is not finite";
    told([&] { ops::eigh_factors(one, true); }, "[linalg_eigh] the matrix" + finite);
    told([&] { ops::svd_factors(one, 1); }, "[linalg_svd] the matrix" + finite);
    told([&] { ops::svd_factors(two, 0); }, "[linalg_svd] matrix 1 of the batch" + finite);
    // Above the diagonal nobody looks.
    EXPECT_NEAR(numbers(ops::eigh_factors(above, false)[0])[1], 5.8541, 1e-3);
  }
}

}  // namespace
}  // namespace haft
