// Modules on a device with its own address space, as they will be on CUDA.
#include "core/backend/registry.h"
#include "core/nn/containers.h"
#include "core/tape/tape.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::backward;
using testing::values;

struct Devices : testing::NnTest {
  static Device sim(uint16_t index = 0) {
    static const uint16_t type = load_backend(HAFT_SIM_DEVICE);
    return {type, index};
  }
};

// The device computes float32 in float64.
void expect_close(const std::vector<double>& got, const std::vector<double>& want,
                  const std::string& what = {}) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-4 * std::max(1.0, std::abs(want[i]))) << what << ", element " << i;
}

Ref<Sequential> net(const Build& build = {}) {
  return make_ref<Sequential>(std::vector<Ref<Module>>{
      make_ref<Conv>(
          2, ConvOptions{.in_channels = 1, .out_channels = 16, .kernel_size = {3, 3}, .padding = {1, 1}},
          build),
      make_ref<BatchNorm>(2, BatchNormOptions{.num_features = 16}, build), relu(), max_pool2d({2, 2}),
      flatten(), make_ref<Linear>(16 * 9, 5, true, build)});
}

TEST_F(Devices, ModulesMoveAndTrain) {
  auto here = net(), there = net();
  there->load_state_dict(here->state_dict());
  Tensor w = there->find_parameter("5.weight");
  there->to(DType::none, sim());
  EXPECT_EQ(w.device(), sim());
  EXPECT_EQ(values(w), values(here->find_parameter("5.weight")));

  Tensor x = ops::randn(Shape{4, 1, 6, 6});
  Tensor a = here->call(x), b = there->call(ops::to(x, DType::none, sim()));
  EXPECT_EQ(b.device(), sim());
  expect_close(values(b), values(a));
  backward(ops::sum(ops::mul(a, a)));
  backward(ops::sum(ops::mul(b, b)));
  auto left = here->named_parameters(), right = there->named_parameters();
  for (size_t i = 0; i < left.size(); ++i)
    expect_close(values(gradient_of(right[i].tensor)), values(gradient_of(left[i].tensor)), left[i].name);
  expect_close(values(there->find_buffer("1.running_var")), values(here->find_buffer("1.running_var")));
  EXPECT_EQ(values(there->find_buffer("1.num_batches_tracked")), (std::vector<double>{1}));

  there->load_state_dict(here->state_dict());  // from the host
  there->to(DType::f64, sim(1));
  EXPECT_EQ(gradient_of(w).device(), sim(1));
  EXPECT_EQ(gradient_of(w).dtype(), DType::f64);
  there->to(DType::f32, Device{});
  expect_close(values(gradient_of(w)), values(gradient_of(here->find_parameter("5.weight"))));
}

TEST_F(Devices, ModulesAreBornThere) {
  Generator a(9), b(9);
  auto here = net({.generator = &a}), there = net({.device = sim(2), .generator = &b});
  auto left = here->state_dict(), right = there->state_dict();
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(right[i].tensor.device(), sim(2)) << right[i].name;
    EXPECT_EQ(values(left[i].tensor), values(right[i].tensor)) << left[i].name;
  }
  testing::expect_error([&] { there->call(ops::ones(Shape{1, 1, 6, 6})); }, Code::device, "");
  Embedding table(4, 2, {.padding_idx = 1}, {.device = sim()});
  EXPECT_EQ(values(ops::select(table.find_parameter("weight"), 0, 1)), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace haft::nn
