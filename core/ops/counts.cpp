// Random whole numbers, each drawn by a kernel; core/schema/counts.h says how.
#include <vector>

#include "core/dispatch/generator.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

void need_float(const Tensor& x, const char* op, const char* argument) {
  if (!is_float(x.dtype()))
    fail(Code::dtype,
         concat("[", op, "] ", argument, " must be a floating tensor, got ", dtype_name(x.dtype())),
         "convert it with to()", argument);
}

}  // namespace

SHAPE(philox_poisson) {
  need_float(c.in(0), "poisson", "input");
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}
// As PyTorch has it: what was drawn is a step of its rate.
GRADIENT(philox_poisson) { b.set(0, ops::zeros_like(b.grad())); }
SHAPE(philox_binomial) {
  need_float(c.in(1), "binomial", "count");
  need_float(c.in(0), "binomial", "prob");
  c.out(0, c.in(0).dtype(), c.in(0).sizes());
}

namespace ops {

Tensor poisson(const Tensor& rate, Generator* gen) {
  const Draw d = draw(gen, rate.numel());
  return philox_poisson(rate, d.seed, d.offset);
}

Tensor binomial(const Tensor& count, const Tensor& prob, Generator* gen) {
  const Tensor all[] = {count, prob};
  const std::vector<Tensor> alike = broadcast_tensors(all);
  const Draw d = draw(gen, alike[1].numel());
  return philox_binomial(alike[1], alike[0], d.seed, d.offset);
}

}  // namespace ops

}  // namespace haft
