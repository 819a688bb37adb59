// How tensors print: as PyTorch 1.13 does. The texts are its own, without the prefix "torch." of dtypes.
#include <cmath>

#include "capi_testing.h"

namespace {

struct Print : CapiTest {};

TEST_F(Print, AsPyTorchDoes) {
  EXPECT_EQ((floats({1.0f, 2.5f, -3.0f})).to_string(), R"(tensor([ 1.0000,  2.5000, -3.0000]))");
  EXPECT_EQ((haft::arange(0, 5)).to_string(), R"(tensor([0, 1, 2, 3, 4]))");
  EXPECT_EQ((haft::full({}, 2.5)).to_string(), R"(tensor(2.5000))");
  EXPECT_EQ((haft::full({}, 7)).to_string(), R"(tensor(7))");
  EXPECT_EQ((haft::zeros({0})).to_string(), R"(tensor([]))");
  EXPECT_EQ((haft::zeros({0, 3})).to_string(), R"(tensor([], size=(0, 3)))");
  EXPECT_EQ((haft::gt_scalar(haft::arange(0, 3), 1)).to_string(), R"(tensor([False, False,  True]))");
  EXPECT_EQ((haft::ones({2, 3}, HAFT_FLOAT64)).to_string(), R"(tensor([[1., 1., 1.],
        [1., 1., 1.]], dtype=float64))");
  EXPECT_EQ((haft::ones({2}, HAFT_FLOAT16)).to_string(), R"(tensor([1., 1.], dtype=float16))");
  EXPECT_EQ((haft::ones({2}, HAFT_BFLOAT16)).to_string(), R"(tensor([1., 1.], dtype=bfloat16))");
  EXPECT_EQ((haft::ones({2}, HAFT_UINT8)).to_string(), R"(tensor([1, 1], dtype=uint8))");
  EXPECT_EQ((floats({1e-5f, 1.0f, 1e6f})).to_string(), R"(tensor([1.0000e-05, 1.0000e+00, 1.0000e+06]))");
  EXPECT_EQ((floats({NAN, INFINITY, -INFINITY, 1.5f})).to_string(),
            R"(tensor([   nan,    inf,   -inf, 1.5000]))");
  EXPECT_EQ((floats({1e10f, 2.0f})).to_string(), R"(tensor([1.0000e+10, 2.0000e+00]))");
  EXPECT_EQ((floats({0.1f, 22.25f, 333.125f})).to_string(),
            R"(tensor([1.0000e-01, 2.2250e+01, 3.3312e+02]))");
  EXPECT_EQ((haft::reshape(haft::arange(0, 8), {2, 2, 2})).to_string(), R"(tensor([[[0, 1],
         [2, 3]],

        [[4, 5],
         [6, 7]]]))");
  EXPECT_EQ((haft::arange(0.0, 1001.0)).to_string(),
            R"(tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.]))");
  EXPECT_EQ((haft::reshape(haft::arange(0, 3600), {60, 60})).to_string(),
            R"(tensor([[   0,    1,    2,  ...,   57,   58,   59],
        [  60,   61,   62,  ...,  117,  118,  119],
        [ 120,  121,  122,  ...,  177,  178,  179],
        ...,
        [3420, 3421, 3422,  ..., 3477, 3478, 3479],
        [3480, 3481, 3482,  ..., 3537, 3538, 3539],
        [3540, 3541, 3542,  ..., 3597, 3598, 3599]]))");
  EXPECT_EQ((haft::transpose(haft::reshape(haft::arange(0.0, 6.0), {2, 3}), 0, 1)).to_string(),
            R"(tensor([[0., 3.],
        [1., 4.],
        [2., 5.]]))");
  EXPECT_EQ((leaf({1.0f, 2.0f})).to_string(), R"(tensor([1., 2.], requires_grad=True))");
  EXPECT_EQ((haft::arange(-3, 40)).to_string(),
            R"(tensor([-3, -2, -1,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
        15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
        33, 34, 35, 36, 37, 38, 39]))");
  EXPECT_EQ((haft::mul_scalar(haft::arange(0.0, 30.0), 0.1)).to_string(),
            R"(tensor([0.0000, 0.1000, 0.2000, 0.3000, 0.4000, 0.5000, 0.6000, 0.7000, 0.8000,
        0.9000, 1.0000, 1.1000, 1.2000, 1.3000, 1.4000, 1.5000, 1.6000, 1.7000,
        1.8000, 1.9000, 2.0000, 2.1000, 2.2000, 2.3000, 2.4000, 2.5000, 2.6000,
        2.7000, 2.8000, 2.9000]))");
  EXPECT_EQ((haft::ones({2, 2}, HAFT_BOOL)).to_string(), R"(tensor([[True, True],
        [True, True]]))");
}

TEST_F(Print, ByOptions) {
  haft_print_options o = HAFT_PRINT_OPTIONS_INIT;
  EXPECT_EQ(floats({1, 2.5f}).to_text(o), "tensor([1.0000, 2.5000])");
  o.precision = 1, o.name = "Weights";
  EXPECT_EQ(floats({1, 2.5f}).to_text(o), "Weights([1.0, 2.5])");
  o.scientific = 1;
  EXPECT_EQ(floats({1, 2.5f}).to_text(o), "Weights([1.0e+00, 2.5e+00])");
  o.scientific = -1, o.threshold = 4, o.edge = 1;
  EXPECT_EQ(haft::reshape(haft::arange(0, 9), {3, 3}).to_text(o), R"(Weights([[0,  ..., 2],
         ...,
         [6,  ..., 8]]))");
  o.name = nullptr, o.notes = "one\nanother", o.line_width = 24;
  EXPECT_EQ(floats({1}).to_text(o), R"(tensor([1.], one,
       another))");
  o.notes = "";
  EXPECT_EQ(haft::ones({2}, HAFT_FLOAT64).to_text(o), "tensor([1., 1.])");
  EXPECT_EQ(floats({NAN, 1}).to_string(), "tensor([nan, 1.])");  // what is no number has no part in the width
  o.edge = 0;
  char text[64];
  EXPECT_FAILS(haft_tensor_to_text(floats({1}).get(), &o, text, 64, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "edge is 0");
  EXPECT_EQ(haft_tensor_to_text(floats({1}).get(), nullptr, text, 64, nullptr), HAFT_OK);
  EXPECT_STREQ(text, "tensor([1.])");
}

TEST_F(Print, BuffersAreMeasured) {
  Tensor a = floats({1, 2});
  int64_t needed = 0;
  ASSERT_EQ(haft_tensor_to_string(a.get(), nullptr, 0, &needed), HAFT_OK);
  std::string text(size_t(needed), 'x');
  ASSERT_EQ(haft_tensor_to_string(a.get(), &text[0], needed, nullptr), HAFT_OK);
  EXPECT_STREQ(text.c_str(), "tensor([1., 2.])");
  EXPECT_FAILS(haft_tensor_to_string(a.get(), &text[0], needed - 1, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "needs 17");
}

}  // namespace
