// Units whose parameters come and go, against the same model under data parallel and in one process.
#include "core/parallel/fully_sharded.h"

#include "core/autograd/function.h"
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/optim/clip.h"
#include "core/tensor/host_allocator.h"
#include "tests/parallel/nets.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;
using nn::Module;
using Unit = std::shared_ptr<FullyShardedUnit>;

constexpr int64_t kWidth = 10, kRows = 24;

Ref<Module> activation() {
  return make_ref<nn::Callback>("Tanh", [](Module&, std::span<const Tensor> xs) { return std::vector<Tensor>{ops::tanh(xs[0])}; });
}
Ref<Module> sequence(std::vector<Ref<Module>> list) { return make_ref<nn::Sequential>(list); }

// first, blocks of 10 -> 7 -> 10 with a norm, last. Rows of weights are 10 and 7: uneven for 3 and 4 ranks, and the last rank of 4
// has 1 of 7 and 1 of 10. The head has 3 rows, fewer than 4 ranks.
struct Model {
  std::vector<Ref<Module>> blocks;
  Ref<Module> root;

  explicit Model(int count, int64_t seed, int64_t width = kWidth, int64_t inner = 7, DType t = DType::f32) {
    const nn::Build build{.dtype = t};
    std::vector<Ref<Module>> all{make_ref<nn::Linear>(width, width, true, build)};
    for (int i = 0; i < count; ++i) {
      blocks.push_back(sequence({make_ref<nn::Linear>(width, inner, true, build), activation(), make_ref<nn::Linear>(inner, width, i % 2 == 0, build),
                                 make_ref<nn::LayerNorm>(IntList(&width, 1), 1e-5, true, build)}));
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
    for (const Ref<Module>& b : blocks) units.push_back(FullyShardedUnit::create(b, Ref<Group>::share(&g), replicas, o, {}));
    units.push_back(FullyShardedUnit::create(root, Ref<Group>::share(&g), replicas, o, {}));
    return units;
  }
};

std::vector<Tensor> shards(std::span<const Tensor> parameters) {
  std::vector<Tensor> out;
  for (const Tensor& t : parameters) out.push_back(shard_or_self(t));
  return out;
}

Tensor loss_of(const Ref<Module>& m, const Tensor& x) { return ops::mean(ops::square(m->call(x))); }
Tensor part(int step, Group& g, int64_t width = kWidth) { return batch(step, kRows, width, g.rank(), g.size()); }

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
  for (size_t i = 0; i < a.size(); ++i) want(same_bits(ops::contiguous_copy(ops::detach(a[i])), ops::contiguous_copy(ops::detach(b[i]))), concat(what, ": parameter ", int64_t(i)));
}

struct Joined {
  Ref<DataParallel> d;
  Joined(const Model& m, Group& g) : d(DataParallel::create(m.root->named_parameters(), {}, Ref<Group>::share(&g), {}, {})) {}
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
        for (const Tensor& t : m.tensors()) want(gradient_of(t).defined() && !shard_of(t), "ordinary parameters");
      }));
}

}  // namespace
