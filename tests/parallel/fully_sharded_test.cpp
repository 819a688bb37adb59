// Units whose parameters come and go, against the same model under data parallel and in one process.
#include "core/autograd/function.h"
#include "core/nn/set_data.h"
#include "core/optim/clip.h"
#include "core/tensor/host_allocator.h"
#include "tests/parallel/units.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;

constexpr int64_t kWidth = 10, kRows = 24;

Ref<Module> activation() {
  return make_ref<nn::Callback>(
      "Tanh", [](Module&, std::span<const Tensor> xs) { return std::vector<Tensor>{ops::tanh(xs[0])}; });
}

// first, blocks of 10 -> 7 -> 10 with a norm, last. Rows of weights are 10 and 7: uneven for 3 and 4 ranks, and the
// last rank of 4 has 1 of 7 and 1 of 10. The head has 3 rows, fewer than 4 ranks.
struct Model {
  std::vector<Ref<Module>> blocks;
  Ref<Module> root;

  explicit Model(int count, int64_t seed, int64_t width = kWidth, int64_t inner = 7, DType t = DType::f32) {
    const nn::Build build{.dtype = t};
    std::vector<Ref<Module>> all{make_ref<nn::Linear>(width, width, true, build)};
    for (int i = 0; i < count; ++i) {
      blocks.push_back(sequence({make_ref<nn::Linear>(width, inner, true, build), activation(),
                                 make_ref<nn::Linear>(inner, width, i % 2 == 0, build),
                                 make_ref<nn::LayerNorm>(IntList(&width, 1), 1e-5, true, true, build)}));
      all.push_back(blocks.back());
    }
    all.push_back(make_ref<nn::Linear>(width, 3, true, build));
    root = sequence(all);
    NoGradGuard off;
    for (const Tensor& p : root->parameters())
      ops::copy_(ops::detach(p), normal({p.sizes().begin(), p.sizes().end()}, ++seed * 31, 0.4, t));
  }
  std::vector<Tensor> tensors() const { return root->parameters(); }
  std::vector<Unit> shard(Group& g, const FullyShardedOptions& o = {}, Ref<Group> replicas = {}) const {
    std::vector<Unit> units;
    FullyShardedOptions inner = o;
    inner.output_dtype = DType::none;
    for (const Ref<Module>& b : blocks)
      units.push_back(FullyShardedUnit::create(b, Ref<Group>::share(&g), replicas, inner, {}));
    units.push_back(FullyShardedUnit::create(root, Ref<Group>::share(&g), replicas, o, {}));
    return units;
  }
};

Tensor part(int step, Group& g, int64_t width = kWidth) {
  return batch(step, kRows, width, g.rank(), g.size());
}

// What the shards of all ranks are together, on every rank.
std::vector<Tensor> joined(Group& g, std::span<const Tensor> parameters, bool gradients = false) {
  NoGradGuard off;
  std::vector<Tensor> out;
  for (const Tensor& t : parameters) {
    const ShardOf s = *shard_of(t);
    const int64_t each = (s.rows + g.size() - 1) / g.size();
    Shape sizes(t.sizes());
    sizes[0] = each * g.size();
    Tensor all = ops::zeros(sizes, s.shard.dtype());
    sizes[0] = each;
    Tensor mine = ops::zeros(sizes, s.shard.dtype());
    const Tensor from = gradients ? gradient_of(s.shard) : ops::detach(s.shard);
    if (from.defined() && s.count) ops::copy_(ops::narrow(mine, 0, 0, s.count), from);
    if (mine.numel()) g.run(all_gather_job(mine, all));
    out.push_back(ops::clone(ops::narrow(all, 0, 0, s.rows)));
  }
  return out;
}

void want_equal(std::span<const Tensor> a, std::span<const Tensor> b, std::string_view what) {
  want(a.size() == b.size(), what);
  for (size_t i = 0; i < a.size(); ++i)
    want(same_bits(ops::contiguous_copy(ops::detach(a[i])), ops::contiguous_copy(ops::detach(b[i]))),
         concat(what, ": parameter ", int64_t(i)));
}

struct Joined {
  Ref<DataParallel> d;
  Joined(const Model& m, Group& g)
      : d(DataParallel::create(m.root->named_parameters(), {}, Ref<Group>::share(&g), {}, {})) {}
  ~Joined() { d->close(); }
};

TEST(FullySharded, TrainsAsDataParallelBitForBit) {
  for (int ranks : {1, 2, 3, 4})
    for (int how : {-1, 0, 1})
      expect_none(run_threads(ranks, [&](Group& g) {
        Model m(3, 1 + 100 * g.rank()), twin(3, 1 + 100 * g.rank());
        Joined d(twin, g);
        FullyShardedOptions o;
        o.reshard_after_forward = how;
        std::vector<Unit> units = m.shard(g, o);
        Ref<Optimizer> a = make_optimizer(OptimizerId::Adam, shards(m.tensors()), {{"lr", 0.01}});
        Ref<Optimizer> b = make_optimizer(OptimizerId::Adam, twin.tensors(), {{"lr", 0.01}});
        for (int s = 0; s < 4; ++s) {
          a->zero_grad();
          b->zero_grad();
          d.d->prepare();
          const Tensor x = part(s, g), want_loss = loss_of(twin.root, x), loss = loss_of(m.root, x);
          want(same_bits(loss, want_loss), "the loss");
          back(want_loss);
          back(loss);
          std::vector<Tensor> gs;
          for (const Tensor& t : twin.tensors()) gs.push_back(gradient_of(t));
          want_equal(joined(g, m.tensors(), true), gs, concat("gradients of step ", s));
          for (const Tensor& t : m.tensors()) want(!gradient_of(t).defined(), "a gradient stayed whole");
          a->step();
          b->step();
          want_equal(joined(g, m.tensors()), twin.tensors(), concat("step ", s));
        }
        for (const Unit& u : units) {
          const FullyShardedInfo i = u->info();
          want(!i.whole && i.ranks == ranks, "whole between steps");
        }
        for (const Unit& u : units) u->close();
        want_equal(m.tensors(), twin.tensors(), "whole again");
        back(loss_of(m.root, part(9, g)));
        for (const Tensor& t : m.tensors())
          want(gradient_of(t).defined() && !shard_of(t), "ordinary parameters");
      }));
}

// Each rank's share of the data against all of it in one process.
TEST(FullySharded, TrainsAsOneProcess) {
  init();
  Model alone(3, 1);
  Ref<Optimizer> o = make_optimizer(OptimizerId::AdamW, alone.tensors(), {{"lr", 0.01}});
  std::vector<double> norms;
  for (int s = 0; s < 10; ++s) {
    o->zero_grad();
    back(loss_of(alone.root, batch(s, kRows, kWidth)));
    norms.push_back(at(clip_grad_norm(alone.tensors(), 0.5), 0));
    o->step();
  }
  for (int ranks : {2, 3, 4})
    expect_none(run_threads(ranks, [&](Group& g) {
      Model m(3, 1 + g.rank());
      m.shard(g);
      const std::vector<Tensor> own = shards(m.tensors());
      Ref<Optimizer> a = make_optimizer(OptimizerId::AdamW, own, {{"lr", 0.01}});
      for (int s = 0; s < 10; ++s) {
        a->zero_grad(s % 2);
        back(loss_of(m.root, part(s, g)));
        const double norm = clip_shards(own, 0.5, 2);
        want(std::abs(norm - norms[size_t(s)]) < 1e-5 * norm,
             concat("norm ", norm, " for ", norms[size_t(s)]));
        a->step();
      }
      const double far = largest_difference(joined(g, m.tensors()), alone.tensors());
      want(far < 2e-5, concat("off by ", far));
      for (const Tensor& t : own)
        if (t.numel()) want(t.numel() < 10 * 10, "a shard is a part");
    }));
}

// Blocks whose forward is done again in backward.
Ref<Module> recomputed(Ref<Module> inner) {
  return make_ref<nn::Callback>("Recomputed", [inner](Module&, std::span<const Tensor> xs) {
    auto f = make_ref<CustomFunction>();
    f->name = "Recomputed";
    f->forward = [inner](FunctionContext& c, std::span<const Tensor> in) {
      NoGradGuard off;
      c.save(in[0]);
      return std::vector<Tensor>{inner->call(in[0])};
    };
    f->backward = [inner](FunctionContext& c, std::span<const Tensor> g) {
      Tensor x = ops::detach(c.saved(0));
      set_requires_grad(x, true);
      ScopedValue<bool> on(thread_state().grad_enabled, true);
      const Tensor y = inner->call(x);
      backward(std::span(&y, 1), g);
      return std::vector<Tensor>{gradient_of(x)};
    };
    return apply_function(f, xs);
  });
}

TEST(FullySharded, RecomputationGathersAgain) {
  for (int ranks : {1, 2, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      Model m(3, 1), twin(3, 1);
      std::vector<Unit> units = m.shard(g);
      Joined d(twin, g);
      Ref<Module> first = m.root->find("0"), last = m.root->find("4");
      std::vector<Ref<Module>> list{first};
      for (const Ref<Module>& b : m.blocks) list.push_back(recomputed(b));
      list.push_back(last);
      Ref<Module> again = sequence(list);
      for (int s = 0; s < 3; ++s) {
        clear(shards(m.tensors()));
        clear(twin.tensors());
        d.d->prepare();
        back(loss_of(twin.root, part(s, g)));
        Tensor x = part(s, g);
        Tensor in[] = {x};
        units.back()->before_forward(in);
        Tensor out[] = {again->call(in[0])};
        units.back()->after_forward(out);
        back(ops::mean(ops::square(out[0])));
        std::vector<Tensor> gs;
        for (const Tensor& t : twin.tensors()) gs.push_back(gradient_of(t));
        want_equal(joined(g, m.tensors(), true), gs, concat("step ", s));
        for (const Unit& u : units) want(!u->info().whole, "whole behind backward");
      }
      want(units[0]->info().gathers == 6 && units[0]->info().scatters == 3,
           concat(units[0]->info().gathers, " gathers"));
    }));
}

TEST(FullySharded, TheNextUnitIsGatheredAhead) {
  for (int ranks : {1, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      for (int prefetch : {0, 1, 2}) {
        Model m(4, 1);
        FullyShardedOptions o;
        o.prefetch = prefetch;
        std::vector<Unit> units = m.shard(g, o);
        const auto step = [&](int s) { back(loss_of(m.root, part(s, g))); };
        step(0);
        const int64_t before = units[1]->info().prefetched;
        step(1);
        for (const Unit& u : units) {
          const FullyShardedInfo i = u->info();
          const bool root = u == units.back();
          want(i.gathers == (root ? 2 : 4) && i.scatters == 2,
               concat("gathers ", i.gathers, " scatters ", i.scatters));
        }
        const FullyShardedInfo i = units[1]->info();
        want(i.prefetched - before == (prefetch ? 2 : 0),
             concat("gathered ahead: ", i.prefetched, " with ", prefetch));
        const int64_t chunk = i.parameter_bytes;
        want(i.sent_bytes == (g.size() == 1 ? 0 : (g.size() - 1) * (6 * chunk + 2 * 4 * i.parameters)) ||
                 g.size() == 1,
             concat("sent ", i.sent_bytes, " of chunks of ", chunk));
        // Other blocks take part from now on, in another order.
        Ref<Module> other = sequence({m.root->find("0"), m.blocks[3], m.blocks[1], m.root->find("5")});
        for (int s = 0; s < 2; ++s) {
          Tensor in[] = {part(s, g)};
          units.back()->before_forward(in);
          Tensor out[] = {other->call(in[0])};
          units.back()->after_forward(out);
          back(ops::mean(out[0]));
        }
        step(3);
        for (const Unit& u : units) want(!u->info().whole, "whole");
      }
    }));
}

TEST(FullySharded, UnusedParametersGetNoGradient) {
  for (int ranks : {1, 2, 4})
    expect_none(run_threads(ranks, [&](Group& g) {
      // Two linears in a unit, of which each step uses the second on some ranks.
      const auto make = [&](int64_t seed, int& uses) {
        auto one = make_ref<nn::Linear>(kWidth, kWidth), two = make_ref<nn::Linear>(kWidth, kWidth);
        auto block = make_ref<nn::Callback>("Either", [one, two, &uses](Module&, std::span<const Tensor> xs) {
          Tensor y = one->call(xs[0]);
          return std::vector<Tensor>{uses ? ops::add(y, two->call(y)) : y};
        });
        block->add_child("one", one);
        block->add_child("two", two);
        Ref<Module> m =
            sequence({make_ref<nn::Linear>(kWidth, kWidth), block, make_ref<nn::Linear>(kWidth, 2)});
        NoGradGuard off;
        for (const Tensor& p : m->parameters())
          ops::copy_(ops::detach(p), normal({p.sizes().begin(), p.sizes().end()}, ++seed, 0.4));
        return std::pair(m, Ref<Module>(block));
      };
      int uses = 0;
      auto [m, block] = make(1, uses);
      auto [twin, other] = make(1, uses);
      Unit inner = FullyShardedUnit::create(block, Ref<Group>::share(&g), {}, {}, {}),
           outer = FullyShardedUnit::create(m, Ref<Group>::share(&g), {}, {}, {});
      DataParallelOptions find;
      find.find_unused = true;
      Closing d{DataParallel::create(twin->named_parameters(), {}, Ref<Group>::share(&g), find, {})};
      Ref<Optimizer> a = make_optimizer(OptimizerId::Adam, shards(m->parameters())),
                     b = make_optimizer(OptimizerId::Adam, twin->parameters());
      for (int s = 0; s < 4; ++s) {
        uses = s == 0 ? 0 : s == 1 ? g.rank() == g.size() - 1 : s == 2;
        a->zero_grad();
        b->zero_grad();
        d->prepare();
        back(loss_of(twin, part(s, g)));
        back(loss_of(m, part(s, g)));
        want(bool(gradient_of(shard_or_self(block->find_parameter("two.weight")))) == (s == 1 || s == 2),
             concat("step ", s));
        a->step();
        b->step();
        want_equal(joined(g, m->parameters()), twin->parameters(), concat("step ", s));
      }
    }));
}

// Several units of which each rank uses other parameters: reductions are still in one order, and nobody waits for who
// waits for him. One unit runs twice in a forward.
TEST(FullySharded, RanksUseDifferentParametersOfManyUnits) {
  for (int ranks : {2, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      int64_t seed = 0;
      int s = 0;
      const auto make = [&](std::vector<Ref<Module>>* blocks) {
        std::vector<Ref<Module>> all{make_ref<nn::Linear>(kWidth, kWidth)};
        for (int i = 0; i < 5; ++i) {
          auto one = make_ref<nn::Linear>(kWidth, kWidth), two = make_ref<nn::Linear>(kWidth, kWidth);
          auto block = make_ref<nn::Callback>(
              "Either", [&g, &s, one, two, i, calls = 0](Module&, std::span<const Tensor> xs) mutable {
                const bool both = (s + i + calls++ + g.rank()) % 3 != 0;
                Tensor y = ops::tanh(one->call(xs[0]));
                return std::vector<Tensor>{both ? ops::add(y, two->call(y)) : y};
              });
          block->add_child("one", one);
          block->add_child("two", two);
          all.push_back(block);
          if (blocks) blocks->push_back(block);
        }
        all.push_back(all[2]);  // once more
        Ref<Module> m = sequence(all);
        NoGradGuard off;
        for (const Tensor& p : m->parameters())
          ops::copy_(ops::detach(p), normal({p.sizes().begin(), p.sizes().end()}, ++seed % 64, 0.4));
        return m;
      };
      std::vector<Ref<Module>> blocks;
      Ref<Module> m = make(&blocks);
      seed = 0;
      Ref<Module> twin = make(nullptr);
      std::vector<Unit> units;
      for (const Ref<Module>& b : blocks)
        units.push_back(FullyShardedUnit::create(b, Ref<Group>::share(&g), {}, {}, {}));
      units.push_back(FullyShardedUnit::create(m, Ref<Group>::share(&g), {}, {}, {}));
      DataParallelOptions find;
      find.find_unused = true;
      Closing d{DataParallel::create(twin->named_parameters(), {}, Ref<Group>::share(&g), find, {})};
      for (; s < 4; ++s) {
        clear(shards(m->parameters()));
        clear(twin->parameters());
        loss_of(twin, part(s, g));
        loss_of(m, part(s, g));  // nobody waits for the backward of what was dropped
        d->prepare();
        back(loss_of(twin, part(s, g)));
        back(loss_of(m, part(s, g)));
        std::vector<Tensor> gs;
        for (const Tensor& t : twin->parameters())
          gs.push_back(gradient_of(t).defined() ? gradient_of(t) : ops::zeros_like(ops::detach(t)));
        want_equal(joined(g, m->parameters(), true), gs, concat("step ", s));
        for (const Unit& u : units)
          want(!u->info().whole && u->info().scatters == s + 1, concat("scatters ", u->info().scatters));
      }
    }));
}

TEST(FullySharded, FrozenParametersAndThoseThatThaw) {
  for (int ranks : {1, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      Model m(3, 1), twin(3, 1);
      const auto freeze = [](const Model& model, bool on) {
        for (const nn::NamedTensor& n : model.root->named_parameters())
          if (n.name.find(".2.") != std::string::npos || n.name.starts_with("1.") ||
              n.name.starts_with("0.")) {
            Tensor t = n.tensor;
            set_requires_grad(t, !on);
          }
      };
      freeze(m, true);
      freeze(twin, true);
      std::vector<Unit> units = m.shard(g);
      for (int s = 0; s < 4; ++s) {
        if (s == 2) {
          freeze(m, false);
          freeze(twin, false);
        }
        clear(shards(m.tensors()));
        clear(twin.tensors());
        back(loss_of(m.root, part(s, g)));
        back(loss_of(twin.root, part(s, g)));
        for (const Tensor& t : twin.tensors())
          if (Tensor grad = gradient_of(t)) {
            NoGradGuard off;
            g.run(all_reduce_job(grad, dist::ReduceOp::avg));
          }
        const std::vector<Tensor> own = m.tensors(), all = twin.tensors(), got = joined(g, own, true);
        for (size_t i = 0; i < own.size(); ++i) {
          const Tensor wanted = gradient_of(all[i]);
          want(shard_or_self(own[i]).requires_grad() == own[i].requires_grad(), "the shard's flag");
          want(bool(wanted) == bool(gradient_of(shard_or_self(own[i]))), "there is one");
          if (wanted) want(same_bits(got[i], wanted), concat("step ", s, " parameter ", int64_t(i)));
        }
        for (const Unit& u : units) want(!u->info().whole, "whole");
      }
    }));
}

TEST(FullySharded, GradientsAddUpUntilTheyAreJoined) {
  for (int ranks : {1, 2, 3})
    expect_none(run_threads(ranks, [&](Group& g) {
      Model m(2, 1), twin(2, 1);
      std::vector<Unit> units = m.shard(g);
      Joined d(twin, g);
      for (int s = 0; s < 6; ++s) {
        const bool sync = s % 3 == 2;
        for (const Unit& u : units) u->set_gradient_sync(sync);
        d.d->set_sync(sync);
        d.d->prepare();
        back(loss_of(twin.root, part(s, g)));
        back(loss_of(m.root, part(s, g)));
        if (s < 2) {
          for (const Tensor& t : shards(m.tensors())) want(!gradient_of(t), "joined too early");
          want(units[0]->info().scatters == 0 && units[0]->info().gradient_bytes > 0, "kept");
        }
      }
      std::vector<Tensor> gs;
      for (const Tensor& t : twin.tensors()) gs.push_back(gradient_of(t));
      const double far = largest_difference(joined(g, m.tensors(), true), gs);
      // Data parallel has added the second mean before it was taken.
      want(far < 1e-5, concat("off by ", far));
    }));
}

TEST(FullySharded, MixedPrecisionComputesInBfloat16OverFloat32) {
  for (int ranks : {1, 2, 3})
    for (DType reduce : {DType::none, DType::f32})
      expect_none(run_threads(ranks, [&](Group& g) {
        Model m(2, 1), low(2, 1);
        FullyShardedOptions o;
        o.param_dtype = DType::bf16;
        o.reduce_dtype = reduce;
        o.output_dtype = DType::f32;
        std::vector<Unit> units = m.shard(g, o);
        const std::vector<Tensor> own = shards(m.tensors());
        Ref<Optimizer> a = make_optimizer(OptimizerId::SGD, own, {{"lr", 0.1}});
        for (int s = 0; s < 3; ++s) {
          const Tensor y = m.root->call(part(s, g));
          want(y.dtype() == DType::f32, "the result");
          low.root->to(DType::bf16, kDefaultDevice);
          const Tensor wanted = ops::cast(low.root->call(ops::cast(part(s, g), DType::bf16)), DType::f32);
          if (s == 0) want(same_bits(y, wanted), "the model in bfloat16");
          a->zero_grad();
          back(ops::mean(ops::square(y)));
          for (const Tensor& t : own)
            want(t.dtype() == DType::f32 && gradient_of(t).dtype() == DType::f32, "masters");
          for (const Tensor& t : m.tensors()) want(t.dtype() == DType::bf16, "what is gathered");
          a->step();
        }
        const FullyShardedInfo i = units[0]->info();
        want(i.whole_bytes < 2 * i.elements + 1000 && i.parameter_bytes >= 4 * i.own_elements, "bytes");
        for (const Unit& u : units) u->close();
        for (const Tensor& t : m.tensors()) want(t.dtype() == DType::f32, "the masters are back");
      }));
}

TEST(FullySharded, HybridOverReplicas) {
  expect_none(run_threads(4, [&](Group& g) {
    Member part_of{g.split(g.rank() / 2, g.rank(), std::nullopt)},
        same{g.split(g.rank() % 2, g.rank(), std::nullopt)};
    Model m(2, 1 + g.rank()), twin(2, 1 + g.rank());
    Joined d(twin, g);
    std::vector<Unit> units = m.shard(*part_of, {}, same.g);
    Ref<Optimizer> a = make_optimizer(OptimizerId::Adam, shards(m.tensors())),
                   b = make_optimizer(OptimizerId::Adam, twin.tensors());
    want_equal(joined(*part_of, m.tensors()), twin.tensors(), "rank 0's values");
    for (int s = 0; s < 4; ++s) {
      a->zero_grad();
      b->zero_grad();
      d.d->prepare();
      back(loss_of(twin.root, part(s, g)));
      back(loss_of(m.root, part(s, g)));
      a->step();
      b->step();
      const std::vector<Tensor> all = joined(*part_of, m.tensors());
      want_same_bits(g, all);
      const double far = largest_difference(all, twin.tensors());
      want(far < 1e-5, concat("off by ", far));  // sums of two by two
    }
    want(failure_of([&] {
           Model other(1, 1);
           other.shard(*part_of, {}, part_of.g);
         }).find("replicas") != std::string::npos,
         "the same group twice");
  }));
}

// Three units whose result is one tensor: backward reaches the innermost first.
TEST(FullySharded, UnitsWithTheSameResult) {
  for (int ranks : {1, 2})
    for (bool own : {false, true})
      expect_none(run_threads(ranks, [&](Group& g) {
        const auto make = [&](std::vector<Ref<Module>>* parts) {
          int64_t seed = 0;
          std::vector<Ref<Module>> layers, halves;
          for (int i = 0; i < 4; ++i) layers.push_back(make_ref<nn::Linear>(4, 4));
          for (size_t i : {0, 2}) {
            std::vector<Ref<Module>> half{layers[i], layers[i + 1]};
            if (own) half.insert(half.begin(), make_ref<nn::Linear>(4, 4));
            halves.push_back(sequence(half));
          }
          Ref<Module> m = sequence(halves);
          NoGradGuard off;
          for (const Tensor& p : m->parameters())
            ops::copy_(ops::detach(p), normal({p.sizes().begin(), p.sizes().end()}, ++seed, 0.4));
          if (parts) {
            *parts = layers;
            parts->insert(parts->end(), halves.begin(), halves.end());
            parts->push_back(m);
          }
          return m;
        };
        std::vector<Ref<Module>> parts;
        Ref<Module> m = make(&parts), twin = make(nullptr);
        std::vector<Unit> units;
        for (const Ref<Module>& each : parts)
          units.push_back(FullyShardedUnit::create(each, Ref<Group>::share(&g), {}, {}, {}));
        for (int s = 0; s < 2; ++s) {
          back(loss_of(m, normal({6, 4}, 7 + s)));
          back(loss_of(twin, normal({6, 4}, 7 + s)));
        }
        std::vector<Tensor> gs;
        for (const Tensor& t : twin->parameters()) gs.push_back(gradient_of(t));
        want_equal(joined(g, m->parameters(), true), gs, "gradients");
      }));
}

TEST(FullySharded, WhatWasGatheredAheadAndNotUsedIsGatheredAgain) {
  expect_none(run_threads(2, [](Group& g) {
    Ref<Module> a = make_ref<nn::Linear>(4, 4), b = make_ref<nn::Linear>(4, 4);
    bool skip = false;
    Ref<Module> m = make_ref<nn::Callback>("Skips", [&](Module&, std::span<const Tensor> xs) {
      return std::vector<Tensor>{skip ? a->call(xs[0]) : b->call(a->call(xs[0]))};
    });
    m->add_child("a", a);
    m->add_child("b", b);
    std::vector<Unit> units;
    for (const Ref<Module>& each : {a, b, m})
      units.push_back(FullyShardedUnit::create(each, Ref<Group>::share(&g), {}, {}, {}));
    NoGradGuard off;
    m->call(normal({2, 4}, 1));
    skip = true;
    m->call(normal({2, 4}, 1));
    const Tensor w = b->find_parameter("weight"), five = filled({4, 4}, DType::f32, 5);
    ops::copy_(ops::detach(shard_or_self(w)), ops::narrow(five, 0, 0, 2));
    units[1]->unshard();
    want(same_bits(ops::clone(ops::detach(w)), five), "values of before");
    units[1]->reshard();
    g.run(barrier());
  }));
}

TEST(FullySharded, ForwardWithoutBackwardAndFailuresInTheMidst) {
  for (int ranks : {1, 2})
    expect_none(run_threads(ranks, [&](Group& g) {
      Model m(3, 1), twin(3, 1);
      bool fails = false, fails_back = false;
      m.blocks[1]->add_forward_pre_hook([&](Module&, std::span<Tensor> in) {
        if (fails) fail(Code::internal, "in the midst of forward");
        if (is_leaf(in[0])) return;
        add_hook(in[0], [&](const Tensor&) -> Tensor {
          if (fails_back) fail(Code::internal, "in the midst of backward");
          return {};
        });
      });
      std::vector<Unit> units = m.shard(g);
      Joined d(twin, g);
      Ref<Optimizer> a = make_optimizer(OptimizerId::Adam, shards(m.tensors())),
                     b = make_optimizer(OptimizerId::Adam, twin.tensors());
      const auto train = [&](int s) {
        a->zero_grad();
        b->zero_grad();
        d.d->prepare();
        back(loss_of(twin.root, part(s, g)));
        back(loss_of(m.root, part(s, g)));
        a->step();
        b->step();
        want_equal(joined(g, m.tensors()), twin.tensors(), concat("step ", s));
      };
      const auto evaluate = [&] {
        NoGradGuard off;
        want(same_bits(loss_of(m.root, part(50, g)), loss_of(twin.root, part(50, g))), "evaluation");
        for (const Unit& u : units) want(!u->info().whole, "whole behind an evaluation");
      };
      train(0);
      evaluate();
      train(1);
      fails = true;
      says([&] { loss_of(m.root, part(2, g)); }, "in the midst of forward");
      fails = false;
      evaluate();
      train(2);
      fails_back = true;
      says([&] { back(loss_of(m.root, part(3, g))); }, "in the midst of backward");
      fails_back = false;
      for (const Unit& u : units) want(!u->info().whole, "whole behind a failure");
      train(3);
      // A forward that is recorded and never gone over, then two that are, one behind the other.
      loss_of(m.root, part(4, g));
      clear(shards(m.tensors()));
      clear(twin.tensors());
      Tensor first = loss_of(m.root, part(5, g)), second = loss_of(m.root, part(6, g));
      back(first);
      back(second);
      for (int s : {5, 6}) {
        d.d->prepare();
        back(ops::mul_scalar(loss_of(twin.root, part(s, g)), 1.0));
      }
      // Of weights that have changed since, backward is refused.
      const Tensor stale = loss_of(m.root, part(7, g));
      a->zero_grad();
      back(loss_of(m.root, part(8, g)));
      a->step();
      says([&] { back(stale); }, "was changed in place after the forward call");
      for (const Unit& u : units) want(!u->info().whole, "whole behind a refusal");
      // A gather that was begun ahead is under way, and who leaves in its midst ends the group.
      g.run(barrier());
    }));
}

// A module may go without a word: its unit goes with it.
TEST(FullySharded, AUnitGoesWithItsModule) {
  expect_none(run_threads(2, [&](Group& g) {
    std::weak_ptr<FullyShardedUnit> watched;
    Tensor kept;
    {
      Model m(1, 1);
      std::vector<Unit> units = m.shard(g);
      watched = units[0];
      back(loss_of(m.root, part(0, g)));
      kept = m.tensors()[0];
    }
    want(watched.expired(), "something holds it");
    want(!shard_of(kept), "it is still known");
    Model again(1, 1);
    std::vector<Unit> units = again.shard(g);
    back(loss_of(again.root, part(0, g)));
  }));
}

TEST(FullySharded, AMemberThatEndsIsNamed) {
  if (getenv("HAFT_TEST_WORLD"))
    GTEST_SKIP() << "starts ranks by itself, which a rank of mpirun may not: see it in the test `parallel`";
  Processes ps(3, [&](Ref<dist::Store> store, int r) -> std::string {
    Member g(Group::create(std::move(store), r, 3, patient()));
    Model m(3, 1);
    std::vector<Unit> units = m.shard(*g);
    try {
      for (int s = 0; s < (r == 1 ? 3 : 1000000); ++s) back(loss_of(m.root, part(s, *g)));
    } catch (const Error& e) {
      return concat(int(e.code), " ", e.message);
    }
    kill(getpid(), SIGKILL);
    return "";
  });
  for (int r : {0, 2}) EXPECT_NE(ps.told(r).find("rank 1 has ended"), std::string::npos) << r;
}

// Bytes of a process: shards, their gradients and states between steps; within one at most two blocks above them, and
// gradients of two.
TEST(FullySharded, MemoryFallsWithTheNumberOfRanks) {
  if (getenv("HAFT_TEST_WORLD"))
    GTEST_SKIP() << "starts ranks by itself, which a rank of mpirun may not: see it in the test `parallel`";
  constexpr int64_t kBlocks = 12, kWide = 256, kInner = 1024;
  // One in two has no second bias.
  constexpr int64_t kBlock = 4 * (2 * kWide * kInner + kInner + 3 * kWide), kAll = kBlocks * kBlock;
  for (int ranks : {2, 4}) {
    Processes ps(ranks, [&](Ref<dist::Store> store, int r) -> std::string {
      Member g(Group::create(std::move(store), r, ranks, patient()));
      const int64_t begin = host_memory_stats().live;
      const auto held = [&] { return host_memory_stats().live - begin; };
      Model m(kBlocks, 1, kWide, kInner);
      std::string told;
      const auto check = [&](const char* what, int64_t got, double most) {
        told += concat(what, " ", got, " of ", int64_t(most), got <= int64_t(most) ? "\n" : " FAILED\n");
      };
      check("whole model", held(), 1.1 * kAll);
      m.shard(*g);
      check("shards", held(), 1.1 * kAll / ranks);
      Ref<Optimizer> o = make_optimizer(OptimizerId::Adam, shards(m.tensors()));
      const auto step = [&] {
        o->zero_grad();
        back(ops::mean(ops::square(m.root->call(normal({4, kWide}, 1)))));
        o->step();
      };
      step();
      step();
      check("between steps", held(), 1.1 * 4 * kAll / ranks);
      o->zero_grad();
      check("without gradients", held(), 1.1 * 3 * kAll / ranks);
      int64_t base = held();
      host_memory_reset_peak();
      {
        NoGradGuard off;
        m.root->call(normal({4, kWide}, 1));
      }
      check("above them in forward", host_memory_stats().peak - begin - base, 2.2 * kBlock);
      host_memory_reset_peak();
      base += kAll / ranks;  // the gradients of a step
      step();
      check("above them in a step", host_memory_stats().peak - begin - base, 5 * kBlock);
      return told;
    });
    for (int r = 0; r < ranks; ++r) {
      const std::string told = ps.told(r);
      EXPECT_TRUE(told.find("step") != std::string::npos && told.find("FAILED") == std::string::npos) << told;
      if (r == 0)
        printf("%d ranks, a block of %lld, all %lld\n%s", ranks, (long long)kBlock, (long long)kAll,
               told.c_str());
    }
  }
}

}  // namespace
