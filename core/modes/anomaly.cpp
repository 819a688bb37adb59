#include "core/modes/anomaly.h"

#include "core/dispatch/dispatch.h"
#include "core/dispatch/host_access.h"
#include "core/tensor/batched.h"
#include "core/tensor/row_gradient.h"

namespace haft {

void check_anomaly(const Node& n, std::span<const Tensor> results) {
  NoGradGuard off;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || !is_float(results[i].dtype())) continue;
    uint64_t none[] = {0, 0};
    const Tensor numbers = with_all_examples(is_rows(results[i]) ? rows_of(results[i]).values : results[i]);
    Tensor bad = call1(OpId::any, {&static_cast<const Tensor&>(call1(OpId::isnan, {&numbers}))}, none);
    if (item(bad).to_int())
      fail(Code::autograd,
           concat("anomaly mode: the gradient of \"", n.name(), "\" for its input ", int64_t(i), " of shape ",
                  results[i].sizes(), " contains NaN"),
           "look at the forward call of that operator: a division by 0, a logarithm or a square root of a "
           "number below 0");
  }
}

}  // namespace haft
