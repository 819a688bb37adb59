// Check 6: a device with its own address space, streams, layouts and numerics gives what the CPU gives, within what
// the record allows. HAFT_TEST_DEVICE names the device ("cuda:0"); otherwise it is the simulated one.
#include <cstdlib>
#include <limits>

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
Tolerance of_both(const Record& r, DType t) {
  const Tolerance once = tolerance(r, t);
  return {2 * r.loose_there * once.relative, 2 * r.loose_there * once.absolute, once.of_rms};
}
Tolerance for_gradients(const Record& r, DType t) {
  if (t == DType::f16 || t == DType::bf16) {  // their sums go over rounded numbers
    const Tolerance once = tolerance(r, t);
    return {4 * once.relative, 4 * once.absolute, true};
  }
  return t == DType::f64 ? Tolerance{1e-9 * r.loose, 1e-10 * r.loose}
                         : Tolerance{2e-4 * r.loose, 1e-4 * r.loose};
}

std::vector<Tensor> moved(const std::vector<Tensor>& ts, Device d) {
  std::vector<Tensor> out;
  for (const Tensor& t : ts) out.push_back(t.defined() ? ops::to_device(t, d) : t);
  return out;
}

// The same numbers on a device where no two are neighbours: dimensions turned around, every second place of each.
Tensor scattered(const Tensor& x, Device d) {
  if (!x.defined() || !x.ndim()) return moved({x}, d)[0];
  Sizes turned, big;
  for (int64_t i = x.ndim(); i-- > 0;) turned.push_back(i), big.push_back(2 * x.size(i) + 1);
  const auto places = [&](Tensor m) {
    for (int64_t i = 0; i < m.ndim(); ++i) m = ops::slice(m, i, 1, m.size(i), 2);
    return ops::permute(m, turned);
  };
  const Tensor memory = is_float(x.dtype())
                            ? ops::full(big, std::numeric_limits<double>::quiet_NaN(), x.dtype())
                            : ops::ones(big, x.dtype());
  ops::copy_(places(memory), x);
  return places(ops::to_device(memory, d));
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
    // Those of core/cuda/refused.def and what is composed of them; planes are replaced before it comes to a kernel.
    const bool refused = r.name == "resize_plane" || r.name == "pick_plane" || r.name == "eig_factors" ||
                         r.name == "linalg_eig" || r.name == "linalg_eigvals";
    if (!refused || e.code != Code::unsupported) throw;
    GTEST_SKIP() << e.message;
  }
}
namespace {
void compare(const Record& r, const Case& c, DType t, bool dense, Random& random) {
  Drawn d = draw(c, t, random, true);
  std::vector<Tensor> there = moved(d.tensors, tested());
  if (!dense)
    for (size_t i = 0; i < there.size(); ++i) there[i] = scattered(d.tensors[i], tested());
  // Calls without inputs make their tensors on the thread's default device.
  ScopedValue<int32_t> here(thread_state().default_device, c.inputs.empty() ? tested().pack() : 0);
  Outs got = c.call(there);
  for (const Tensor& o : got) EXPECT_TRUE(o.device() == tested()) << "a result is not on the device";
  synchronize(tested());
  if (r.random && !c.inputs.empty()) return;
  thread_state().default_device = 0;
  if (!r.random) {
    const Outs want = c.call(d.tensors);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      expect_near(moved({got[i]}, Device{}), {want[i]}, of_both(r, want[i].dtype()),
                  "result " + std::to_string(i));
  }
  if (!r.differentiable() || !c.grad || !is_float(t)) return;
  uint64_t s = random();
  expect_near(moved(gradients(c, there, s), Device{}), gradients(c, d.tensors, s), for_gradients(r, t),
              "gradients");
}

void compare(const Record& r) {
  Random random = random_for(r, "device");
  for (size_t k = 0; k < r.cases.size(); ++k)
    for (DType t : {DType::f32, DType::f64, DType::i64, DType::f16, DType::bf16})
      for (bool dense : {true, false}) {
        const bool stretched = t == DType::f32 || t == DType::bf16;
        if (!(r.works & bit(t)) || (!dense && (!stretched || r.cases[k].inputs.empty()))) continue;
        SCOPED_TRACE("case " + std::to_string(k) + " in " + dtype_name(t) + (dense ? "" : ", scattered"));
        compare(r, r.cases[k], t, dense, random);
      }
}
}  // namespace

}  // namespace haft::test
