// Check 6: a device with its own address space, streams, layouts and numerics gives what the CPU gives, within what
// the record allows. HAFT_TEST_DEVICE names the device ("cuda:0"); otherwise it is the simulated one.
#include <cstdlib>

#include "core/backend/device.h"
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

Device tested() {
  static const Device d = [] {
    const char* name = std::getenv("HAFT_TEST_DEVICE");
    return name && *name ? parse_device(name) : Device{load_backend(HAFT_SIM_DEVICE), 0};
  }();
  return d;
}

// Both have rounded on their way.
Tolerance twice(Tolerance t) { return {2 * t.relative, 2 * t.absolute, t.of_rms}; }
Tolerance for_gradients(const Record& r, DType t) {
  return t == DType::f64 ? Tolerance{1e-9 * r.loose, 1e-10 * r.loose}
                         : Tolerance{2e-4 * r.loose, 1e-4 * r.loose};
}

std::vector<Tensor> moved(const std::vector<Tensor>& ts, Device d) {
  std::vector<Tensor> out;
  for (const Tensor& t : ts) out.push_back(t.defined() ? ops::to_device(t, d) : t);
  return out;
}

}  // namespace

namespace {
void compare(const Record& r);
}
void check_device(const Record& r) {
  if (r.on_host) return;
  try {
    compare(r);
  } catch (const Error& e) {
    // Those of core/cuda/refused.def, which the engine replaces by others before it comes to a kernel.
    const bool replaced = r.name == "resize_plane" || r.name == "pick_plane";
    if (!replaced || e.code != Code::unsupported) throw;
    GTEST_SKIP() << e.message;
  }
}
namespace {
void compare(const Record& r) {
  Random random = random_for(r, "device");
  for (size_t k = 0; k < r.cases.size(); ++k) {
    const Case& c = r.cases[k];
    for (DType t : {DType::f32, DType::f64, DType::i64}) {
      if (!(r.works & bit(t))) continue;
      SCOPED_TRACE("case " + std::to_string(k) + " in " + dtype_name(t));
      Drawn d = draw(c, t, random, true);
      std::vector<Tensor> there = moved(d.tensors, tested());
      // Calls without inputs make their tensors on the thread's default device.
      ScopedValue<int32_t> here(thread_state().default_device, c.inputs.empty() ? tested().pack() : 0);
      Outs got = c.call(there);
      for (const Tensor& o : got) EXPECT_TRUE(o.device() == tested()) << "a result is not on the device";
      synchronize(tested());
      if (r.random && !c.inputs.empty()) continue;
      thread_state().default_device = 0;
      if (!r.random) {
        const Outs want = c.call(d.tensors);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i)
          expect_near(moved({got[i]}, Device{}), {want[i]}, twice(tolerance(r, want[i].dtype())),
                      "result " + std::to_string(i));
      }
      if (!r.differentiable() || !c.grad || !is_float(t)) continue;
      uint64_t s = random();
      expect_near(moved(gradients(c, there, s), Device{}), gradients(c, d.tensors, s), for_gradients(r, t),
                  "gradients");
    }
  }
}
}  // namespace

}  // namespace haft::test
