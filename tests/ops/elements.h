// References of operators that reckon element by element.
#pragma once
#include "tests/ops/record.h"

namespace haft::test {

// One element of each of at most three inputs makes one of the result.
inline Reference each(double (*f)(const double*)) {
  return [f](const Arrays& in) -> Arrays {
    Array y = in[0];
    for (size_t k = 0; k < y.v.size(); ++k) {
      double x[3];
      for (size_t i = 0; i < in.size(); ++i) x[i] = in[i].v[in[i].numel() == 1 ? 0 : k];
      y.v[k] = f(x);
    }
    return {y};
  };
}

}  // namespace haft::test
