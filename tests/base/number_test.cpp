#include "core/base/number.h"

#include <gtest/gtest.h>

namespace haft {
namespace {

std::string plain(std::string_view printed) {
  std::string out;
  append_plain(out, printed);
  return out;
}
std::string number(char form, int precision, double v) {
  std::string out = "x=";
  append_number(out, form, precision, v);
  return out;
}

TEST(Number, TheLocalesCommaIsAPoint) {
  EXPECT_EQ(plain("-1,25e+10"), "-1.25e+10");
  EXPECT_EQ(plain("3\xd9\xab"
                  "5"),
            "3.5");  // Arabic's: two bytes
  EXPECT_EQ(plain("17"), "17");
  EXPECT_EQ(plain("-inf"), "-inf");
}

TEST(Number, FormsArePrintfs) {
  EXPECT_EQ(number('g', 9, 0.1), "x=0.1");
  EXPECT_EQ(number('g', 9, -1e300), "x=-1e+300");
  EXPECT_EQ(number('e', 4, 12345.678), "x=1.2346e+04");
  EXPECT_EQ(number('f', 0, 3), "x=3");
  EXPECT_EQ(number('f', 2, 1e300).size(), 2u + 301 + 3);
  EXPECT_EQ(number('g', 9, std::numeric_limits<double>::quiet_NaN()), "x=nan");
}

}  // namespace
}  // namespace haft
