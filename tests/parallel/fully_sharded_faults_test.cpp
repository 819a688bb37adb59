// Ranks that use fully sharded units in different ways, and what cannot be put around them.
#include "core/nn/set_data.h"
#include "tests/parallel/units.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kWidth = 6;

Ref<Module> linear(int64_t seed) {
  Ref<Module> m = make_ref<nn::Linear>(kWidth, kWidth, true, nn::Build{});
  NoGradGuard off;
  for (const Tensor& p : m->parameters())
    ops::copy_(ops::detach(p), normal({p.sizes().begin(), p.sizes().end()}, ++seed, 0.4));
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
    for (const char* part : {"all_gather #", "unit 1)", "unit 2)"})
      EXPECT_NE(f.find(part), std::string::npos) << f;
  }
}

// A unit that answers what it was given has no part of backward's graph, and still its place in backward: on other
// ranks it may compute.
TEST(FullySharded, AUnitMayAnswerItsInput) {
  constexpr int kBlocks = 3;
  for (bool frozen : {false, true})
    for (int skipped = 0; skipped < kBlocks; ++skipped)
      for (int who : {-1, 0, 1})  // all ranks skip it, or one
        // Of the first one's input there is no backward.
        if (skipped > 0 || who < 0)
          expect_none(run_threads(2, [&](Group& g) {
            const bool skips = who < 0 || who == g.rank();
            std::vector<Ref<Module>> blocks, twins;
            for (int i = 0; i < kBlocks; ++i)
              for (auto* list : {&blocks, &twins}) {
                Ref<Module> inner = linear(10 * i);
                if (Tensor bias = inner->find_parameter("bias"); frozen) set_requires_grad(bias, false);
                Ref<Module> block = make_ref<nn::Callback>(
                    "Block", [skip = i == skipped && skips](Module& self, std::span<const Tensor> xs) {
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
                want(gradient_of(s.shard).defined() == used,
                     concat(s.name, used ? " has no gradient" : " has a gradient"));
                Tensor mean =
                    gradient_of(whole).defined() ? gradient_of(whole) : ops::zeros(whole.sizes(), DType::f32);
                g.run(all_reduce(mean, dist::ReduceOp::avg));
                if (!used) continue;
                const Tensor wanted = ops::contiguous_copy(ops::narrow(mean, 0, s.first, s.count)),
                             got = gradient_of(s.shard);
                want(largest_difference(std::span(&wanted, 1), std::span(&got, 1)) < 1e-6, s.name);
              }
            }
            for (const Unit& u : units) u->close();
          }));
}

TEST(FullySharded, DataParallelAroundUnitsIsRefused) {
  expect_none(run_threads(2, [&](Group& g) {
    Ref<Module> inner = linear(1),
                model = make_ref<nn::Sequential>(std::vector<Ref<Module>>{linear(2), inner});
    const Unit unit = shard(inner, g);
    const std::string told = failure_of(
        [&] { DataParallel::create(model->named_parameters(), {}, Ref<Group>::share(&g), {}, {}); });
    want(told ==
             "1: data parallel: \"1.weight\" is spread over ranks by fully sharded data parallel, which "
             "joins its gradients itself",
         told);
    std::vector<NamedTensor> rows{{"rows", shard_or_self(inner->parameters()[0])}};
    const std::string of_rows =
        failure_of([&] { DataParallel::create(rows, {}, Ref<Group>::share(&g), {}, {}); });
    want(of_rows.find("\"rows\" is spread over ranks") != std::string::npos, of_rows);
    unit->close();
    DataParallel::create(model->named_parameters(), {}, Ref<Group>::share(&g), {}, {})->close();
  }));
}

TEST(FullySharded, MisuseIsTold) {
  expect_none(run_threads(2, [&](Group& g) {
    const auto group = [&] { return Ref<Group>::share(&g); };
    const auto linear = [] { return Ref<Module>(make_ref<nn::Linear>(4, 4)); };
    const auto shard = [&](Ref<Module> m, FullyShardedOptions o = {}) {
      return FullyShardedUnit::create(m, group(), {}, o, {});
    };
    FullyShardedOptions o;
    o.prefetch = -1;
    says([&] { shard(linear(), o); }, "prefetch must not be negative");
    o = {};
    o.reshard_after_forward = 2;
    says([&] { shard(linear(), o); }, "must be 1, 0 or -1, got 2");
    o = {};
    o.param_dtype = DType::i32;
    says([&] { shard(linear(), o); }, "int32 is no floating type");
    o = {};
    o.prefetch = g.rank();
    says([&] { shard(linear(), o); }, "units differ: rank 0 has \"reshard -1 prefetch 0");
    says([&] { shard(Ref<Module>(make_ref<nn::Linear>(4, 4 + g.rank()))); },
         "units differ: rank 0 has \"weight float32 [4, 4] trained\", rank 1 has \"weight float32 [5, 4]");
    says(
        [&] {
          Ref<Module> m = linear();
          m->register_parameter("scale", normal({}, 1));
          shard(m);
        },
        "\"scale\" has no dimension");
    {
      Ref<Module> m = linear();
      back(loss_of(m, normal({2, 4}, 1)));
      says([&] { shard(m); }, "\"weight\" has a gradient");
      clear(m->parameters());
      Closing d{DataParallel::create(m->named_parameters(), {}, group(), {}, {})};
      says([&] { shard(m); }, "as data parallel sets one");
    }
    // Shared: one module inside of a unit, the other outside.
    Ref<Module> a = linear(), b = linear(), both = sequence({a, b});
    b->register_parameter("weight", a->find_parameter("weight"));
    Unit inner = shard(a);
    says([&] { shard(b); }, "\"weight\" belongs to another unit");
    says([&] { shard(both); }, "\"1.weight\" belongs to another unit");
    says(
        [&] {
          FullyShardedUnit::create({{"w", a->find_parameter("weight")}}, group(), {}, {}, {}, {});
        },
        "\"w\" is sharded already");
    inner->close();
    Unit one = shard(both);
    back(loss_of(both, normal({2, 4}, 1)));
    want(gradient_of(shard_or_self(a->find_parameter("weight"))).defined(), "a shared parameter");

    // Absent parameters are refused by name, wherever they are read.
    const Tensor w = a->find_parameter("weight");
    says([&] { ops::matmul(w, w); },
         "is the parameter \"0.weight\" of a fully sharded unit, which has no memory now");
    says(
        [&] {
          both->load_state_dict(Ref<Module>(sequence({linear(), linear()}))->state_dict());
        },
        "of a fully sharded unit");
    one->unshard();
    const Tensor product = ops::matmul(ops::detach(w), ops::detach(w));
    one->reshard();
    says([&] { ops::matmul(w, w); }, "no memory now");
    // A shard may be given other memory of its shape; what is saved for backward stays valid.
    const Tensor rows = shard_or_self(w);
    {
      NoGradGuard off;
      nn::set_data(rows, ops::add(ops::detach(rows), ops::detach(rows)));
    }
    back(loss_of(both, normal({2, 4}, 1)));
    one->unshard();
    want(!same_bits(ops::matmul(ops::detach(w), ops::detach(w)), product), "the new values");
    one->reshard();
    clear(shards(both->parameters()));
    const Tensor loss = loss_of(both, normal({2, 4}, 1));
    says([&] { backward(std::span(&loss, 1), {}, {.create_graph = true}); }, "create_graph");
    clear(both->parameters());  // gradients with a graph hold the parameters that hold them
    clear(shards(both->parameters()));
    // grad() gathers, and leaves no gradient.
    Tensor x = normal({2, 4}, 1);
    set_requires_grad(x, true);
    const Tensor y = loss_of(both, x);
    want(grad(std::span(&y, 1), std::span(&x, 1), {})[0].defined(), "grad()");
    want(!gradient_of(shard_or_self(w)).defined() && !one->info().whole, "behind grad()");
    Ref<Module> busy = sequence({make_ref<nn::Callback>("Closes", [&](Module&, std::span<const Tensor> xs) {
      one->close();
      return std::vector<Tensor>{xs[0]};
    })});
    Tensor in[] = {x};
    one->before_forward(in);
    says([&] { busy->call(x); }, "is running");
    one->after_forward(in);
    one->close();
    one->close();
    one->before_forward(in);  // of no effect
    one->unshard();
    want(one->is_closed() && ops::matmul(w, w).defined(), "closed");
  }));
  for (bool whole : {false, true})
    expect_none(run_threads(2, [&](Group& g) {
      Ref<Module> m = make_ref<nn::Linear>(4, 4);
      Unit u = FullyShardedUnit::create(m, Ref<Group>::share(&g), {}, {}, {});
      const Tensor t = m->find_parameter("weight");
      nn::set_data(whole ? t : shard_or_self(t), normal({whole ? 4 : 400, 4}, 1));
      says([&] { u->unshard(); },
           whole ? "\"weight\" was given other data"
                 : "the shard of \"weight\" was given data of shape [400, 4], it is [2, 4]");
    }));
}

}  // namespace
