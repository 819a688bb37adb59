// The transforms that the operator `fourier` makes of lines of n numbers; none of them divides by n.
#pragma once
#include <cstdint>

namespace haft {

enum class Fourier : uint8_t {
  forward,       // pairs (*, n, 2) to (*, n, 2), exp(-2 pi i j k / n)
  inverse,       // the same with exp(2 pi i j k / n)
  real_forward,  // real (*, n) to the pairs 0 to n / 2 (*, n / 2 + 1, 2)
  real_inverse  // those back to (*, n), the others being their conjugates; parts that these rule out are not read
};

}  // namespace haft
