// Ranks that use fully sharded units in different ways, and what cannot be put around them.
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/parallel/fully_sharded.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;
using nn::Module;
using Unit = std::shared_ptr<FullyShardedUnit>;

constexpr int64_t kWidth = 6;

Ref<Module> linear(int64_t seed) {
  Ref<Module> m = make_ref<nn::Linear>(kWidth, kWidth, true, nn::Build{});
  NoGradGuard off;
  for (const Tensor& p : m->parameters()) ops::copy_(ops::detach(p), normal({p.sizes().begin(), p.sizes().end()}, ++seed, 0.4));
  return m;
}

Unit shard(const Ref<Module>& m, Group& g, const FullyShardedOptions& o = {}) {
  return FullyShardedUnit::create(m, Ref<Group>::share(&g), {}, o, {});
}

// A rank that left the others' order would take another unit's rows for its own, where both have the same sizes.
TEST(FullySharded, UnitsOfEqualSizesAreToldApart) {
  const Failures failures = run_threads(2, [&](Group& g) {
    const Unit first = shard(linear(1), g), second = shard(linear(2), g);
    first->unshard();
    first->reshard();
    (g.rank() ? second : first)->unshard();
    fail(Code::internal, "another unit's parameters were taken");
  });
  for (const std::string& f : failures) {
    EXPECT_EQ(f.substr(0, 4), "25: ") << f;
    for (const char* part : {"all_gather #", "unit 1)", "unit 2)"}) EXPECT_NE(f.find(part), std::string::npos) << f;
  }
}

// A unit that answers what it was given has no part of backward's graph, and still its place in backward: on other ranks it may compute.
TEST(FullySharded, AUnitMayAnswerItsInput) {
  constexpr int kBlocks = 3;
  for (bool frozen : {false, true})
    for (int skipped = 0; skipped < kBlocks; ++skipped)
      for (int who : {-1, 0, 1})  // all ranks skip it, or one
        if (skipped > 0 || who < 0) expect_none(run_threads(2, [&](Group& g) {  // of the first one's input there is no backward
          const bool skips = who < 0 || who == g.rank();
          std::vector<Ref<Module>> blocks, twins;
          for (int i = 0; i < kBlocks; ++i)
            for (auto* list : {&blocks, &twins}) {
              Ref<Module> inner = linear(10 * i);
              if (Tensor bias = inner->find_parameter("bias"); frozen) set_requires_grad(bias, false);
              Ref<Module> block = make_ref<nn::Callback>("Block", [skip = i == skipped && skips](Module& self, std::span<const Tensor> xs) {
                return std::vector<Tensor>{skip ? xs[0] : ops::tanh(self.find("inner")->call(xs[0]))};
              });
              block->add_child("inner", inner);
              list->push_back(block);
            }
          Ref<Module> model = make_ref<nn::Sequential>(blocks), twin = make_ref<nn::Sequential>(twins);
          std::vector<Unit> units;
          for (const Ref<Module>& b : blocks) units.push_back(shard(b, g));
          for (int step = 0; step < 2; ++step) {
            for (const Ref<Module>& m : {twin, model})
              for (const Tensor& p : m->parameters())
                if (p.requires_grad()) set_gradient(shard_or_self(p), {});
            const Tensor x = batch(step, 4, kWidth, g.rank(), 2);
            const Tensor y = model->call(x), want_y = twin->call(x);
            want(same_bits(y, want_y), "the result");
            back(ops::mean(ops::square(want_y)));
            back(ops::mean(ops::square(y)));
            for (size_t i = 0; i < twin->parameters().size(); ++i) {
              const Tensor whole = twin->parameters()[i];
              if (!whole.requires_grad()) continue;
              const ShardOf s = *shard_of(model->parameters()[i]);
              const bool used = who >= 0 || int(i / 2) != skipped;
              want(gradient_of(s.shard).defined() == used, concat(s.name, used ? " has no gradient" : " has a gradient"));
              Tensor mean = gradient_of(whole).defined() ? gradient_of(whole) : ops::zeros(whole.sizes(), DType::f32);
              g.run(all_reduce(mean, dist::ReduceOp::avg));
              if (!used) continue;
              const Tensor wanted = ops::contiguous_copy(ops::narrow(mean, 0, s.first, s.count)), got = gradient_of(s.shard);
              want(largest_difference(std::span(&wanted, 1), std::span(&got, 1)) < 1e-6, s.name);
            }
          }
          for (const Unit& u : units) u->close();
        }));
}

TEST(FullySharded, DataParallelAroundUnitsIsRefused) {
  expect_none(run_threads(2, [&](Group& g) {
    Ref<Module> inner = linear(1), model = make_ref<nn::Sequential>(std::vector<Ref<Module>>{linear(2), inner});
    const Unit unit = shard(inner, g);
    const std::string told = failure_of([&] { DataParallel::create(model->named_parameters(), {}, Ref<Group>::share(&g), {}, {}); });
    want(told == "1: data parallel: \"1.weight\" is spread over ranks by fully sharded data parallel, which joins its gradients itself", told);
    std::vector<NamedTensor> rows{{"rows", shard_or_self(inner->parameters()[0])}};
    const std::string of_rows = failure_of([&] { DataParallel::create(rows, {}, Ref<Group>::share(&g), {}, {}); });
    want(of_rows.find("\"rows\" is spread over ranks") != std::string::npos, of_rows);
    unit->close();
    DataParallel::create(model->named_parameters(), {}, Ref<Group>::share(&g), {}, {})->close();
  }));
}

}  // namespace
