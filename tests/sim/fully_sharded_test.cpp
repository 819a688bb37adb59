// Parameters on a device; shards, gradients and states there or on the host.
#include "core/parallel/fully_sharded.h"

#include <thread>

#include "core/autograd/hooks.h"
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/optim/optimizer.h"
#include "core/parallel/calls.h"
#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
using parallel::FullyShardedOptions;
using parallel::FullyShardedUnit;
struct SimFullySharded : DeviceTest {};

Ref<nn::Module> net(Device d, uint64_t seed) {
  Generator g(seed);
  nn::Build build{.device = d, .generator = &g};
  return make_ref<nn::Sequential>(std::vector<Ref<nn::Module>>{make_ref<nn::Linear>(6, 15, true, build),
                                                               make_ref<nn::Linear>(15, 3, true, build)});
}
std::vector<Tensor> shards(nn::Module& m) {
  std::vector<Tensor> out;
  for (const Tensor& t : m.parameters()) out.push_back(parallel::shard_or_self(t));
  return out;
}
Tensor loss(nn::Module& m, Device d, int step) {
  Generator g(uint64_t(100 + step));
  return ops::mean(ops::square(m.call(on(ops::randn(Shape{8, 6}, DType::f32, Device{}, &g), d))));
}

TEST_F(SimFullySharded, ShardsStayOnTheHostOrGoAlong) {
  constexpr int kRanks = 2;
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  std::vector<std::thread> threads;
  for (int r = 0; r < kRanks; ++r)
    threads.emplace_back([&, r] {
      Ref<dist::Group> group = dist::Group::create(store, r, kRanks, {});
      {
        Ref<nn::Module> here = net(Device{}, 3), there = net(sim(r), 3), beside = net(sim(r), 3);
        FullyShardedOptions o;
        o.offload = true;
        std::vector<std::shared_ptr<FullyShardedUnit>> units;
        for (const char* name : {"0", ""}) {
          for (const Ref<nn::Module>& m : {here, there})
            units.push_back(FullyShardedUnit::create(m->find(name), group, {}, o, {}));
          units.push_back(FullyShardedUnit::create(beside->find(name), group, {}, {}, {}));
        }
        Ref<Optimizer> a = make_optimizer(OptimizerId::Adam, shards(*here)),
                       b = make_optimizer(OptimizerId::Adam, shards(*there)),
                       c = make_optimizer(OptimizerId::Adam, shards(*beside));
        for (int s = 0; s < 4; ++s) {
          for (Ref<Optimizer>* each : {&a, &b, &c}) (*each)->zero_grad();
          backward(loss(*here, Device{}, s), {});
          backward(loss(*there, sim(r), s), {});
          backward(loss(*beside, sim(r), s), {});
          a->step();
          b->step();
          c->step();
        }
        const std::vector<Tensor> p = shards(*here), q = shards(*there), k = shards(*beside);
        for (size_t i = 0; i < p.size(); ++i) {
          EXPECT_TRUE(q[i].device().is_cpu() && gradient_of(q[i]).device().is_cpu());
          expect_close(values(q[i]), values(p[i]), 1e-4);
          EXPECT_TRUE(k[i].device() == sim(r) && gradient_of(k[i]).device() == sim(r));
          expect_close(values(k[i]), values(p[i]), 1e-4);
        }
        for (const auto& u : units) u->close();
        for (const Tensor& t : there->parameters()) EXPECT_EQ(t.device(), sim(r));
      }
      group->close();
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace haft
