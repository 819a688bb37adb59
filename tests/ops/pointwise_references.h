// What the records say of the pointwise operators, for tests of their kernels.
#pragma once
#include <string>
#include <vector>

namespace haft::test {

struct PointwiseReference {
  std::string name;
  double (*each)(const double*);  // one element of the result from one of each input
  std::vector<double> numbers;    // the attributes with which it reckons
  double slack, scale;            // see Record::allow
};
std::vector<PointwiseReference> pointwise_references();

}  // namespace haft::test
