#include "core/tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/tensor/view.h"

namespace haft {
namespace {

constexpr DType kAll[] = {DType::boolean, DType::u8,   DType::i8,       DType::i16,   DType::i32,
                          DType::i64,     DType::f16,  DType::bf16,     DType::f32,   DType::f64,
                          DType::c64,     DType::c128, DType::f8e4m3fn, DType::f8e5m2};

TEST(DType, ValuesAreThoseOfTheSeam) {
  EXPECT_EQ(int(DType::boolean), HAFT_BOOL);
  EXPECT_EQ(int(DType::i64), HAFT_INT64);
  EXPECT_EQ(int(DType::bf16), HAFT_BFLOAT16);
  EXPECT_EQ(int(DType::f8e4m3fn), HAFT_FLOAT8_E4M3FN);
  EXPECT_EQ(int(DType::f8e5m2), HAFT_FLOAT8_E5M2);
}

TEST(DType, NamesAreDistinct) {
  std::set<std::string> names;
  for (DType t : kAll) names.insert(dtype_name(t));
  EXPECT_EQ(names.size(), std::size(kAll));
  EXPECT_STREQ(dtype_name(DType::bf16), "bfloat16");
  EXPECT_STREQ(dtype_name(DType(99)), "invalid");
}

// What torch.promote_types answers, row and column in the order of kAll.
constexpr const char* kTorch[12][12] = {
    {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"},
    {"uint8", "uint8", "int16", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"},
    {"int8", "int16", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"},
    {"int16", "int16", "int16", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"},
    {"int32", "int32", "int32", "int32", "int32", "int64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"},
    {"int64", "int64", "int64", "int64", "int64", "int64", "float16", "bfloat16", "float32", "float64",
     "complex64", "complex128"},
    {"float16", "float16", "float16", "float16", "float16", "float16", "float16", "float32", "float32",
     "float64", "complex64", "complex128"},
    {"bfloat16", "bfloat16", "bfloat16", "bfloat16", "bfloat16", "bfloat16", "float32", "bfloat16", "float32",
     "float64", "complex64", "complex128"},
    {"float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32",
     "float64", "complex64", "complex128"},
    {"float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64",
     "float64", "complex128", "complex128"},
    {"complex64", "complex64", "complex64", "complex64", "complex64", "complex64", "complex64", "complex64",
     "complex64", "complex128", "complex64", "complex128"},
    {"complex128", "complex128", "complex128", "complex128", "complex128", "complex128", "complex128",
     "complex128", "complex128", "complex128", "complex128", "complex128"},
};

TEST(DType, PromotesAsPyTorchDoes) {
  for (int a = 0; a < 12; ++a) {
    EXPECT_EQ(promote(kAll[a], DType::none), kAll[a]);
    EXPECT_EQ(promote(DType::none, kAll[a]), kAll[a]);
    for (int b = 0; b < 12; ++b)
      EXPECT_STREQ(dtype_name(promote(kAll[a], kAll[b])), kTorch[a][b])
          << dtype_name(kAll[a]) << " with " << dtype_name(kAll[b]);
  }
}

// They meet in no third type.
TEST(DType, EightBitFloatsAreNotPromoted) {
  for (DType t : {DType::f8e4m3fn, DType::f8e5m2})
    for (DType other : kAll) {
      if (t == other)
        EXPECT_EQ(promote(t, other), t);
      else
        EXPECT_THROW(promote(t, other), Error) << dtype_name(other);
      EXPECT_EQ(promote(DType::none, t), t);
    }
}

TEST(DType, Categories) {
  EXPECT_EQ(category(DType::boolean), Category::boolean);
  EXPECT_EQ(category(DType::u8), Category::integer);
  EXPECT_EQ(category(DType::i64), Category::integer);
  EXPECT_EQ(category(DType::f16), Category::floating);
  EXPECT_EQ(category(DType::c64), Category::complex);
  EXPECT_FALSE(is_integer(DType::boolean));
  EXPECT_TRUE(is_float(DType::bf16));
  EXPECT_FALSE(is_float(DType::c64));
  EXPECT_FALSE(is_valid(0));
  EXPECT_FALSE(is_valid(15));
  EXPECT_TRUE(is_valid(14));
  EXPECT_EQ(real_dtype(DType::c64), DType::f32);
  EXPECT_EQ(complex_dtype(DType::f64), DType::c128);
  EXPECT_TRUE(is_differentiable(DType::c64));
  for (DType t : kAll) {
    EXPECT_EQ(is_float(t), category(t) == Category::floating) << dtype_name(t);
    EXPECT_EQ(is_float8(t), is_float(t) && item_size(t) == 1) << dtype_name(t);
  }
}

TEST(DType, VisitsTheMatchingType) {
  for (DType t : kAll) {
    if (is_complex(t)) continue;
    visit_dtype(t, [&]<class T>() {
      EXPECT_EQ(int64_t(sizeof(T)), item_size(t));
      EXPECT_EQ(DTypeOf<T>::value, t);
    });
  }
}

TEST(Half, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    float f = Half::decode(uint16_t(b));
    if ((b & 0x7c00) == 0x7c00 && (b & 0x3ff))
      EXPECT_TRUE(std::isnan(f));
    else
      ASSERT_EQ(Half::encode(f), b) << f;
  }
}

TEST(Half, RoundsToNearestEven) {
  // Between neighbours a and b: the middle goes to the even one, a little more or less to the nearer one.
  for (uint32_t b = 0; b < 0x7bff; ++b) {
    float lo = Half::decode(uint16_t(b)), hi = Half::decode(uint16_t(b + 1)), mid = (lo + hi) / 2;
    ASSERT_EQ(Half::encode(mid), b + (b & 1));
    ASSERT_EQ(Half::encode(std::nextafter(mid, 0.f)), b);
    ASSERT_EQ(Half::encode(std::nextafter(mid, 1e9f)), b + 1);
    ASSERT_EQ(Half::encode(-mid), (b + (b & 1)) | 0x8000);
  }
  EXPECT_EQ(Half::encode(65519.99f), 0x7bff);
  EXPECT_EQ(Half::encode(65520.f), 0x7c00);
  EXPECT_EQ(Half::encode(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(Half::encode(1e-10f), 0);
  EXPECT_TRUE(std::isnan(float(Half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(BFloat16, RoundsToNearestEven) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    BFloat16 v;
    v.bits = uint16_t(b);
    float f = v;
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(float(BFloat16(f))));
    } else {
      ASSERT_EQ(BFloat16::encode(f), b);
    }
  }
  auto of = [](uint32_t bits) { return BFloat16::encode(std::bit_cast<float>(bits)); };
  EXPECT_EQ(of(0x3f808000), 0x3f80);  // a tie, to even
  EXPECT_EQ(of(0x3f818000), 0x3f82);
  EXPECT_EQ(of(0x3f808001), 0x3f81);
  EXPECT_EQ(of(0x7f7fffff), 0x7f80);  // rounds to infinity
  EXPECT_TRUE(std::isnan(float(BFloat16(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace haft
