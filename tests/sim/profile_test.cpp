// The profiler on devices: what they ran, by whom it was enqueued, and on the host's clock.
#include <thread>

#include "core/base/sync.h"
#include "core/io/profile_trace.h"
#include "core/modes/profiler.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimProfile : DeviceTest {};

const ProfileEvent* event_of(std::span<const ProfileEvent> events, uint64_t id) {
  for (const ProfileEvent& e : events)
    if (e.id == id) return &e;
  return nullptr;
}

int64_t kernels_of(std::span<const ProfileEvent> events, const DeviceRows& rows, const std::string& name) {
  return std::count_if(rows.events.begin(), rows.events.end(), [&](const DeviceEvent& e) {
    const ProfileEvent* by = event_of(events, e.caller);
    return e.kind == HAFT_PROFILED_KERNEL && by && by->name == name;
  });
}

TEST_F(SimProfile, KernelsBelongToTheirOperators) {
  Tensor warm = on(tensor({1, 2, 3}), sim());
  synchronize(sim());
  ops::exp(warm);  // before it: it may run meanwhile, and is nobody's
  profiler_start(kProfileDevices);
  const int64_t begin = now_ns();
  Tensor x = on(tensor({1, 2, 3}), sim());
  profiler_push("part");
  Tensor y = ops::sum(ops::exp(x));
  profiler_pop();
  set_requires_grad(x, true);
  backward(ops::sum(ops::tanh(x)));
  EXPECT_NEAR(values(y)[0], std::exp(1) + std::exp(2) + std::exp(3), 1e-4);
  const auto events = profiler_events();
  const DeviceRows rows = profiler_device_rows();
  const int64_t end = now_ns();
  EXPECT_TRUE(rows.notes.empty()) << rows.notes[0];
  EXPECT_EQ(kernels_of(events, rows, "exp"), 1);
  EXPECT_EQ(kernels_of(events, rows, "tanh"), 1);
  EXPECT_GE(kernels_of(events, rows, "sum"), 2);
  int64_t up = 0, down = 0;
  for (const DeviceEvent& e : rows.events) {
    EXPECT_EQ(e.device, sim());
    EXPECT_NE(e.caller, 0u) << e.name;
    EXPECT_GE(e.start_ns, begin) << e.name;
    EXPECT_GE(e.duration_ns, 0) << e.name;
    EXPECT_LE(e.start_ns + e.duration_ns, end) << e.name;
    if (const ProfileEvent* by = event_of(events, e.caller)) {
      EXPECT_GE(e.start_ns, by->start_ns) << e.name << " ran before " << by->name;
      EXPECT_TRUE(by->name != "part") << e.name << " is the operator's inside";
    }
    if (e.kind != HAFT_PROFILED_COPY) continue;
    up += e.name == "copy to the device" && e.bytes == 24;
    down += e.name == "copy to the host" && e.bytes == 8;
  }
  EXPECT_EQ(up, 1);
  EXPECT_EQ(down, 1);

  // Rows so far are there again, and more.
  ops::exp(x);
  EXPECT_GT(profiler_device_rows().events.size(), rows.events.size());
  const auto trace = trace_events(profiler_events(), profiler_device_rows().events);
  const std::string table = profile_table(trace), text = chrome_trace(trace);
  EXPECT_NE(table.find("On devices"), table.npos) << table;
  EXPECT_NE(text.find(to_text(sim())), text.npos);
  EXPECT_NE(text.find("\"by\":\"tanh\""), text.npos) << text;
  EXPECT_NE(text.find("\"bytes\":\"24\""), text.npos) << text;
  profiler_stop();
}

TEST_F(SimProfile, ThreadsHaveTheirOwn) {
  Tensor x = on(tensor({1, 2, 3}), sim());
  profiler_start(kProfileDevices);
  ops::exp(x);
  std::thread([&] {
    ops::tanh(x);  // nobody's
    profiler_start(kProfileDevices);
    ops::sin(x);
    const auto events = profiler_events();
    const DeviceRows rows = profiler_device_rows();  // brings the other thread's as well
    EXPECT_EQ(rows.events.size(), 1u);
    EXPECT_EQ(kernels_of(events, rows, "sin"), 1);
    profiler_stop();
  }).join();
  std::thread([] { profiler_start(kProfileDevices); }).join();  // ends with its thread
  ops::cos(x);
  const auto events = profiler_events();
  const DeviceRows rows = profiler_device_rows();
  EXPECT_EQ(kernels_of(events, rows, "exp"), 1);
  EXPECT_EQ(kernels_of(events, rows, "cos"), 1);
  EXPECT_EQ(rows.events.size(), 2u);
  profiler_stop();
}

TEST_F(SimProfile, AnOperatorThatFailsIsLeft) {
  Tensor x = on(tensor({1, 2, 3}), sim());
  profiler_start(kProfileDevices);
  expect_error([&] { ops::mm(x, x); }, Code::shape, "");
  ops::exp(x);
  const auto events = profiler_events();
  const DeviceRows rows = profiler_device_rows();
  EXPECT_EQ(kernels_of(events, rows, "exp"), 1);
  profiler_stop();
}

TEST_F(SimProfile, WithoutDevicesThereAreNone) {
  Tensor x = on(tensor({1, 2, 3}), sim());
  profiler_start();
  ops::exp(x);
  EXPECT_TRUE(profiler_device_rows().events.empty());
  EXPECT_EQ(profiler_stop()[0].id, 0u);
}

TEST_F(SimProfile, ModulesAreRanges) {
  auto net = make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{nn::tanh()});
  for (uint32_t what : {uint32_t(kProfileModules), 0u}) {
    profiler_start(what);
    net->call(tensor({1, 2}));
    std::vector<std::string> names;
    for (const ProfileEvent& e : profiler_stop()) names.push_back(e.name);
    if (what)
      EXPECT_EQ(names, (std::vector<std::string>{"Sequential", "Tanh", "tanh"}));
    else
      EXPECT_EQ(names, (std::vector<std::string>{"tanh"}));
  }
}

}  // namespace
}  // namespace haft
