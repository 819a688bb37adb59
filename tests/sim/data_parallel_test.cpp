// A module on several devices of one process against the same module on one.
#include "core/nn/data_parallel.h"

#include <mutex>
#include <set>

#include "core/autograd/hooks.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/generator.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/ops/arithmetic.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimDataParallel : DeviceTest {};

Ref<nn::Module> net(Device d) {
  Generator g(3);
  const nn::Build build{.device = d, .generator = &g};
  return make_ref<nn::Sequential>(
      std::vector<Ref<nn::Module>>{nn::linear(4, 8, true, build), nn::tanh(), nn::linear(8, 3, true, build)});
}
Tensor batch(int64_t rows, Device d) {
  Generator g(uint64_t(rows + 1));
  return leaf_on(ops::randn(Shape{rows, 4}, DType::f32, Device{}, &g), d);
}
std::vector<Device> devices(int n) {
  std::vector<Device> all;
  for (int i = 0; i < n; ++i) all.push_back(sim(i));
  return all;
}
std::string failure(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return concat(int(e.code), ": ", e.message);
  }
  return "none";
}
Ref<nn::Module> callback(std::function<std::vector<Tensor>(nn::Module&, std::span<const Tensor>)> f) {
  return make_ref<nn::Callback>("Mine", std::move(f));
}

// Results, gradients of parameters and of the input, for even, uneven and small batches, and for none.
TEST_F(SimDataParallel, EqualsOneDevice) {
  for (const int64_t rows : {9, 8, 7, 4, 2, 1, 0}) {
    SCOPED_TRACE(rows);
    auto one = net(sim(0)), inner = net(sim(0));
    auto many = make_ref<nn::DataParallel>(inner, devices(3), 0);
    for (int step = 0; step < 2; ++step) {  // gradients add up
      const Tensor x = batch(rows, sim(0)), z = batch(rows, sim(0));
      const Tensor y = one->call(x), got = many->call(z);
      EXPECT_EQ(got.device(), sim(0));
      expect_close(values(got), values(y));
      backward(ops::sum(y * y));
      backward(ops::sum(got * got));
      expect_close(values(gradient_of(z)), values(gradient_of(x)));
      auto p = inner->parameters(), q = one->parameters();
      for (size_t i = 0; i < p.size(); ++i) {
        EXPECT_EQ(gradient_of(p[i]).device(), sim(0));
        expect_close(values(gradient_of(p[i])), values(gradient_of(q[i])));
      }
    }
  }
}

// A region of the caller is one of every part, and of no thread behind it.
TEST_F(SimDataParallel, PartsComputeInTheCallersRegion) {
  struct Region {
    explicit Region(bool on) { enter_autocast(sim(0).type, DType::bf16, on, true); }
    ~Region() { leave_autocast(); }
  };
  std::mutex mutex;
  std::multiset<std::string> seen;
  auto inner = net(sim(0)), one = net(sim(0));
  auto m = callback([&](nn::Module& self, std::span<const Tensor> xs) {
    const Tensor y = self.find("net")->call(xs[0]);
    std::lock_guard lock(mutex);
    seen.insert(concat(y.device(), " ", dtype_name(y.dtype())));
    return std::vector{y};
  });
  m->add_child("net", inner);
  nn::DataParallel many(m, devices(3), 0);
  const Tensor x = batch(7, sim(0)), z = batch(7, sim(0));
  for (bool on : {true, false, true}) {
    seen.clear();
    Tensor y, got;
    {
      Region region(on);
      y = one->call(x), got = many.call(z);
      EXPECT_EQ(is_autocast_enabled(sim(0).type), on);
    }
    const std::string type = on ? "bfloat16" : "float32";
    EXPECT_EQ(seen, (std::multiset<std::string>{concat(sim(0), " ", type), concat(sim(1), " ", type),
                                                concat(sim(2), " ", type)}));
    EXPECT_EQ(got.dtype(), y.dtype());
    expect_close(values(ops::cast(got, DType::f32)), values(ops::cast(y, DType::f32)), on ? 1e-2 : 2e-5);
    backward(ops::sum(ops::square(ops::cast(y, DType::f32))));
    backward(ops::sum(ops::square(ops::cast(got, DType::f32))));
    EXPECT_EQ(gradient_of(z).dtype(), DType::f32);
    auto p = inner->parameters(), q = one->parameters();
    for (size_t i = 0; i < p.size(); ++i) {
      EXPECT_EQ(gradient_of(p[i]).dtype(), DType::f32);
      expect_close(values(gradient_of(p[i])), values(gradient_of(q[i])), 4e-2);
    }
  }
  EXPECT_FALSE(is_autocast_enabled(sim(0).type));
}

TEST_F(SimDataParallel, EachPartOnItsDevice) {
  std::mutex mutex;
  std::multiset<std::string> seen;
  auto inner = net(sim(0));
  auto m = callback([&](nn::Module&, std::span<const Tensor> xs) {
    const Tensor y = inner->call(xs[0]);  // a module that the callback knows, not the replica's
    std::lock_guard lock(mutex);
    seen.insert(concat(default_device(), " ", y.device(), " ", inner->find_parameter("0.weight").device(),
                       " ", xs[0].size(0), " ", xs[1].device(), " ", thread_state().grad_enabled));
    return std::vector{y, ops::sum(y), ops::narrow(y, 1, 0, 1)};
  });
  m->add_child("net", inner);
  nn::DataParallel many(m, devices(3), 0);
  const Tensor xs[] = {batch(7, Device{}), on(ops::ones({}), sim(0))};  // the second goes to all
  NoGradGuard off;
  const auto y = many.call_many(xs);
  const auto said = [](int i, int rows) {
    return concat(sim(i), " ", sim(i), " ", sim(i), " ", rows, " ", sim(i), " false");
  };
  EXPECT_EQ(seen, (std::multiset<std::string>{said(0, 3), said(1, 3), said(2, 1)}));
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[0].size(0), 7);
  EXPECT_EQ(y[1].size(0), 3);  // numbers become a vector
  EXPECT_EQ(y[2].sizes()[0], 7);
  EXPECT_EQ(inner->find_parameter("0.weight").device(), sim(0));
}

TEST_F(SimDataParallel, AlongAnotherDimension) {
  auto inner = callback([](nn::Module&, std::span<const Tensor> xs) {
    return std::vector{xs[0] * double(xs[0].device().index + 1)};
  });
  nn::DataParallel many(inner, devices(2), -1);
  const Tensor y = many.call(on(ops::ones(Shape{2, 3}), sim(0)));
  expect_close(values(y), {1, 1, 2, 1, 1, 2});
}

// As in PyTorch the first part's statistics stay.
TEST_F(SimDataParallel, BuffersOfTheFirstPartStay) {
  const auto norm = [] { return nn::batch_norm1d(4, 1e-5, 0.1, true, true, true, {.device = sim(0)}); };
  auto inner = norm(), one = norm();
  nn::DataParallel many(inner, devices(2), 0);
  const Tensor x = batch(6, sim(0));
  const Tensor y = many.call(x), first = one->call(ops::narrow(x, 0, 0, 3)),
               second = norm()->call(ops::narrow(x, 0, 3, 3));
  expect_close(values(y), values(ops::cat(std::vector{first, second})));
  for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
    expect_close(values(inner->find_buffer(name)), values(one->find_buffer(name)));
  many.eval();
  one->eval();
  expect_close(values(many.call(x)), values(one->call(x)));
  many.train();
  for (int i = 0; i < 100; ++i) many.call(x);  // parts train at once, each with statistics of its own
}

TEST_F(SimDataParallel, PartsDrawTheirOwnNumbersAndTheSameAgain) {
  nn::DataParallel many(nn::dropout(0.5), devices(2), 0);
  const Tensor x = on(ops::ones(Shape{2, 64}), sim(0));
  default_generator().reseed(1);
  const auto a = values(many.call(x));
  default_generator().reseed(1);
  EXPECT_EQ(values(many.call(x)), a);
  EXPECT_NE(std::vector(a.begin(), a.begin() + 64), std::vector(a.begin() + 64, a.end()));
  EXPECT_NE(values(many.call(x)), a);
}

TEST_F(SimDataParallel, NamesTheDeviceOfAFailure) {
  auto tired = callback([](nn::Module&, std::span<const Tensor> xs) -> std::vector<Tensor> {
    if (xs[0].device().index == 1) fail(Code::unsupported, "no more", "rest");
    return {xs[0]};
  });
  nn::DataParallel many(tired, devices(3), 0);
  EXPECT_EQ(failure([&] { many.call(batch(6, sim(0))); }), "12: DataParallel: part 1 on sim:1: no more");
  expect_close(values(many.call(ops::narrow(batch(6, sim(0)), 0, 0, 1))),
               values(ops::narrow(batch(6, sim(0)), 0, 0, 1)));
  EXPECT_EQ(failure([&] { nn::DataParallel(net(Device{}), devices(2), 0).call(batch(2, sim(0))); }),
            "4: DataParallel: the module has a parameter on cpu, its first device is sim:0");
  EXPECT_EQ(failure([&] {
              nn::DataParallel(net(sim(0)), {sim(0), sim(1), sim(0)}, 0);
            }),
            "1: DataParallel: sim:0 is named twice");
  EXPECT_EQ(failure([&] { nn::DataParallel(net(sim(0)), {}, 0); }),
            "1: DataParallel: takes at least one device");
  const Tensor uneven[] = {batch(4, sim(0)), batch(3, sim(0))}, none[] = {on(ops::ones({}), sim(0))};
  EXPECT_EQ(failure([&] { many.call_many(uneven); }),
            "2: DataParallel: inputs of shapes [4, 4] and [3, 4] have no common batch in dimension 0");
  EXPECT_EQ(failure([&] { many.call_many(none); }), "2: DataParallel: no input has a dimension to split");
}

TEST_F(SimDataParallel, IsAModuleOfTheTree) {
  auto inner = net(sim(0));
  nn::DataParallel many(inner, devices(2), 0);
  EXPECT_EQ(many.state_dict()[0].name, "module.0.weight");
  EXPECT_EQ(many.parameters()[0].impl(), inner->parameters()[0].impl());
  EXPECT_NE(many.text().find("devices=sim:0, sim:1"), std::string::npos) << many.text();
}

}  // namespace
}  // namespace haft
