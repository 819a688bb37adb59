// Complex numbers at the contract: std::complex in and out, numbers, transforms, and what refuses them by its argument.
#include <complex>

#include "capi_testing.h"

namespace {

struct Complex : CapiTest {};
using C = std::complex<float>;

TEST_F(Complex, GoInAndOut) {
  const Tensor z = Tensor::from<C>({{1, 2}, {-3, 0.5f}});
  EXPECT_EQ(z.dtype(), HAFT_COMPLEX64);
  EXPECT_EQ(haft_dtype_get_size(HAFT_COMPLEX128), 16);
  EXPECT_STREQ(haft_dtype_get_name(HAFT_COMPLEX64), "complex64");
  EXPECT_EQ((z * z).to_vector<C>(), (std::vector<C>{{-3, 4}, {8.75f, -3}}));
  EXPECT_EQ(haft::view_as_real(z).to_vector<float>(), (std::vector<float>{1, 2, -3, 0.5f}));
  EXPECT_EQ(haft::select(z, 0, 1).item_complex(), std::complex<double>(-3, 0.5));
  EXPECT_EQ(haft::full({}, 2.5).item_complex(), std::complex<double>(2.5, 0));
  EXPECT_EQ(haft::arange(7, 8).item_complex(), std::complex<double>(7, 0));
  haft_scalar s = haft_scalar_int(0);
  ASSERT_EQ(haft_tensor_get_item(haft::select(z, 0, 0).get(), &s), HAFT_OK);
  EXPECT_EQ(s.kind, HAFT_SCALAR_COMPLEX);
  EXPECT_EQ(s.v.d, 1);
  EXPECT_EQ(s.imag, 2);
}

TEST_F(Complex, StandInANumbersPlace) {
  const Tensor z = Tensor::from<C>({{1, 2}, {-3, 0.5f}});
  EXPECT_EQ((z * C(0, 1)).to_vector<C>(), (std::vector<C>{{-2, 1}, {-0.5f, -3}}));
  EXPECT_EQ((z + std::complex<double>(1, -2)).to_vector<C>(), (std::vector<C>{{2, 0}, {-2, -1.5f}}));
  EXPECT_EQ(haft::full({2}, C(0, 3)).to_vector<C>(), (std::vector<C>{{0, 3}, {0, 3}}));
  EXPECT_EQ((haft::ones({1}) * C(0, 1)).dtype(), HAFT_COMPLEX64);
}

TEST_F(Complex, TransformsAndTheirGradients) {
  const Tensor x = Tensor::from<C>({{1, 0}, {0, 1}, {-1, 0}, {0, -1}});
  EXPECT_EQ(haft::fft_fft(x).to_vector<C>(), (std::vector<C>{0, 4, 0, 0}));
  EXPECT_EQ(haft::fft_ifft(haft::fft_fft(x)).to_vector<C>(), x.to_vector<C>());
  const Tensor y = haft::clone(x).set_requires_grad();
  haft::sum(haft::square(haft::abs(haft::fft_fft(y)))).backward();
  EXPECT_EQ(y.grad().to_vector<C>(), (std::vector<C>{{8, 0}, {0, 8}, {-8, 0}, {0, -8}}));
}

TEST_F(Complex, AreRefusedByTheArgument) {
  const Tensor z = Tensor::from<C>({{1, 2}, {3, 4}}), x = floats({1, 2});
  haft_tensor* out = nullptr;
  EXPECT_FAILS_AT(haft_mse_loss(x.get(), z.get(), 1, &out), HAFT_ERROR_DTYPE, 1, "target");  // a composition
  EXPECT_EQ(haft_relu(z.get(), &out), HAFT_ERROR_DTYPE);                                     // a kernel
  EXPECT_NE(std::string(haft_error_get_message()).find("[relu] does not take complex64"), std::string::npos);
  EXPECT_FAILS_AT(haft_mul_scalar_out(z.get(), haft_scalar_complex(0, 1), z.get()), HAFT_ERROR_UNSUPPORTED, 1,
                  "other");
  double d = 0;
  EXPECT_EQ(haft_tensor_get_item_double(haft::select(z, 0, 0).get(), &d), HAFT_ERROR_DTYPE);
  EXPECT_EQ(out, nullptr);
}

}  // namespace
