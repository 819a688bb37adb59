// Check 6: a plug-in device with its own address space and asynchronous streams gives what the CPU gives.
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

Device sim() {
  static const uint16_t type = load_backend(HAFT_SIM_DEVICE);
  return {type, 0};
}

std::vector<Tensor> moved(const std::vector<Tensor>& ts, Device d) {
  std::vector<Tensor> out;
  for (const Tensor& t : ts) out.push_back(t.defined() ? ops::to_device(t, d) : t);
  return out;
}

}  // namespace

void check_device(const Record& r) {
  if (r.on_host) return;
  Random random = random_for(r, "device");
  for (size_t k = 0; k < r.cases.size(); ++k) {
    const Case& c = r.cases[k];
    for (DType t : {DType::f32, DType::f64, DType::i64}) {
      if (!(r.works & bit(t))) continue;
      SCOPED_TRACE("case " + std::to_string(k) + " in " + dtype_name(t));
      Drawn d = draw(c, t, random, true);
      std::vector<Tensor> there = moved(d.tensors, sim());
      // Calls without inputs make their tensors on the thread's default device.
      ScopedValue<int32_t> here(thread_state().default_device, c.inputs.empty() ? sim().pack() : 0);
      Outs got = c.call(there);
      for (const Tensor& o : got) EXPECT_TRUE(o.device() == sim()) << "a result is not on the device";
      synchronize(sim());
      if (r.random && !c.inputs.empty()) continue;
      thread_state().default_device = 0;
      if (!r.random) expect_near(moved(got, Device{}), c.call(d.tensors), kEqual, "results");
      if (!r.differentiable() || !c.grad || !is_float(t)) continue;
      uint64_t s = random();
      expect_near(moved(gradients(c, there, s), Device{}), gradients(c, d.tensors, s), kEqual, "gradients");
    }
  }
}

}  // namespace haft::test
