#include "tests/ops/pointwise_references.h"

#include "tests/ops/record.h"

namespace haft::test {

std::vector<PointwiseReference> pointwise_references() {
  Records records;
  for (auto add : {add_pointwise, add_scalar_pointwise, add_special, add_activations}) add(records);
  std::vector<PointwiseReference> all;
  for (const Record& r : records.all)
    if (r.each) all.push_back({r.name, r.each, r.numbers, r.slack, r.scale});
  return all;
}

}  // namespace haft::test
