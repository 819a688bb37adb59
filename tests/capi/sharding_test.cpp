// Optimizers over several ranks through the C interface and C++: ranks are threads over one hash store.
#include <haft/haft.hpp>

#include <cmath>
#include <filesystem>

#include "ranks_testing.h"
#include "training_testing.h"

namespace {

namespace optim = haft::optim;
using haft::ProcessGroup;
using haft::Tensor;

class Sharding : public RanksTest {
 protected:
  static void run(int n, const std::function<void(const ProcessGroup&)>& f) {
    expect_none(RanksTest::run(n, f));
  }
};

void want(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}
void want_failure(haft_status got, haft_status wanted, const std::string& text) {
  const std::string told = last_error().message;
  want(got == wanted && told.find(text) != std::string::npos,
       "wanted \"" + text + "\", got " + std::to_string(got) + " \"" + told + "\"");
}

std::vector<float> values(const Tensor& t) { return t.to_vector<float>(); }

// Two parameters of 10 and 3 elements, and what becomes of them alone.
struct Model {
  std::vector<Tensor> ps;
  Model() {
    for (std::int64_t n : {10, 3}) {
      ps.push_back(haft::arange(0, n, 1, HAFT_FLOAT32) * 0.1f);
      ps.back().set_requires_grad(true);
    }
  }
  void give(float by) {
    for (const Tensor& p : ps) p.set_grad(haft::full({p.numel()}, by));
  }
  void back(float by) { ((haft::sum(ps[0]) + haft::sum(haft::square(ps[1]))) * by).backward(); }
};

optim::ShardOptions stage(int n) {
  optim::ShardOptions o;
  o.stage = n;
  return o;
}

TEST_F(Sharding, AnOptimizerIsUsedAsBefore) {
  for (int ranks : {2, 3, 4})
    run(ranks, [&](const ProcessGroup& g) {
      Model m, whole;
      optim::Optimizer a = optim::adam(m.ps), b = optim::adam(whole.ps);
      optim::shard(a, g);
      optim::Scheduler as = optim::exponential_lr(a, 0.5), bs = optim::exponential_lr(b, 0.5);
      for (int s = 1; s < 4; ++s) {
        for (Model* each : {&m, &whole}) each->give(float(s));
        a.step();
        b.step();
        as.step();
        bs.step();
      }
      want(a.lr() == b.lr(), "the schedule");
      for (std::size_t i = 0; i < 2; ++i) want(values(m.ps[i]) == values(whole.ps[i]), "parameters");
      haft_shard_info i = optim::shard_info(a), all = optim::shard_info(b);
      want(i.stage == 1 && i.rank == g.rank() && i.ranks == ranks && i.buckets == 1 && i.elements == 13,
           "info");
      want(i.own_elements <= (13 + ranks - 1) / ranks && i.state_bytes == 8 * i.own_elements &&
               i.gradient_bytes == 52,
           "its part");
      want(all.stage == 0 && all.ranks == 1 && all.own_elements == 13 && all.state_bytes == 104 &&
               all.gradient_bytes == 52,
           "info of the whole");
      haft_tensor* t = nullptr;
      want_failure(haft_optimizer_state(a.get(), 0, "exp_avg", &t), HAFT_ERROR_INVALID_ARGUMENT,
                   "not gathered since it changed");
      want(!t, "the result");
      optim::consolidate(b);  // nothing to do
      optim::consolidate(a);
      want(values(a.state(0, "exp_avg")) == values(b.state(0, "exp_avg")) &&
               values(a.state(1, "exp_avg_sq")) == values(b.state(1, "exp_avg_sq")),
           "state");
      const double before = optim::clip_grad_norm(a, 0.1), wanted = optim::clip_grad_norm(b, 0.1);
      want(std::abs(before - wanted) < 1e-6 && std::abs(before - 3 * std::sqrt(13.0)) < 1e-5, "norm");
      want(std::abs(values(m.ps[1].grad())[0] - 0.1 / std::sqrt(13.0)) < 1e-6, "clipped");
    });
}

TEST_F(Sharding, BackwardLeavesAPartOfTheMean) {
  run(2, [](const ProcessGroup& g) {
    Model m, whole;
    optim::Optimizer a = optim::adam(m.ps), b = optim::adam(whole.ps);
    optim::shard(a, g, stage(2));
    for (int s = 0; s < 3; ++s) {
      a.zero_grad();
      b.zero_grad();
      m.back(float(2 * g.rank()));  // the mean of 0 and 2
      whole.back(1);
      want(!m.ps[0].grad(), "a gradient stayed");
      want(optim::shard_info(a).gradient_bytes == 28, "bytes of 7 elements");
      want(std::abs(optim::clip_grad_norm(a, 1) - optim::clip_grad_norm(b, 1)) < 1e-5, "norm");
      a.step();
      b.step();
    }
    for (std::size_t i = 0; i < 2; ++i)
      for (std::int64_t k = 0; k < m.ps[i].numel(); ++k)
        want(std::abs(values(m.ps[i])[std::size_t(k)] - values(whole.ps[i])[std::size_t(k)]) < 1e-6,
             "parameters");
    want(optim::shard_info(a).gradient_bytes == 28, "until zero_grad");
    a.zero_grad();
    want(optim::shard_info(a).gradient_bytes == 0, "after it");
  });
}

// Saved by one rank of three, loaded by two and by one process.
TEST_F(Sharding, CheckpointsGoOnAtAnotherNumberOfRanks) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("haft-sharding-" + std::to_string(getpid()))).string();
  const auto parts_of = [](const optim::Optimizer& o) {
    haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
    parts.optimizer = o.get();
    return parts;
  };
  std::vector<float> saved, next;
  run(3, [&](const ProcessGroup& g) {
    Model m;
    optim::Optimizer o = optim::adam(m.ps);
    optim::shard(o, g);
    m.give(1);
    o.step();
    const haft_checkpoint_parts parts = parts_of(o);
    want_failure(haft_checkpoint_save(path.c_str(), &parts, nullptr, 0), HAFT_ERROR_INVALID_ARGUMENT,
                 "was not gathered");
    optim::consolidate(o, 1);
    if (g.rank() == 1)
      haft::check(haft_checkpoint_save(path.c_str(), &parts, nullptr, 0));
    else
      want_failure(haft_checkpoint_save(path.c_str(), &parts, nullptr, 0), HAFT_ERROR_INVALID_ARGUMENT,
                   "on another rank than");
    if (g.rank() == 0) saved = values(m.ps[0]);
    m.give(-2);
    o.step();
    if (g.rank() == 0) next = values(m.ps[0]);
  });
  for (int ranks : {1, 2})
    run(ranks, [&](const ProcessGroup& g) {
      Model m;
      m.ps[0] = Tensor::from(saved);
      m.ps[0].set_requires_grad(true);
      optim::Optimizer o = optim::adam(m.ps);
      optim::shard(o, g);
      const haft_checkpoint_parts parts = parts_of(o);
      haft::check(haft_checkpoint_load(path.c_str(), &parts, nullptr));
      m.give(-2);
      o.step();
      want(values(m.ps[0]) == next, "goes on elsewhere");
    });
  std::filesystem::remove(path);
}

TEST_F(Sharding, MisuseIsAnswered) {
  run(2, [](const ProcessGroup& g) {
    Model m;
    optim::Optimizer o = optim::sgd(m.ps);
    haft_shard_options bad = HAFT_SHARD_OPTIONS_INIT;
    bad.stage = 3;
    want_failure(haft_optimizer_shard(o.get(), g.get(), &bad), HAFT_ERROR_INVALID_ARGUMENT,
                 "stage must be 1");
    bad = HAFT_SHARD_OPTIONS_INIT;
    bad.reserved = 1;
    want(haft_optimizer_shard(o.get(), g.get(), &bad) != HAFT_OK, "reserved");
    bad = HAFT_SHARD_OPTIONS_INIT;
    bad.struct_size = 4;
    want(haft_optimizer_shard(o.get(), g.get(), &bad) == HAFT_ERROR_BAD_STRUCT, "size");
    want(haft_optimizer_shard(nullptr, g.get(), nullptr) != HAFT_OK &&
             haft_optimizer_shard(o.get(), nullptr, nullptr) != HAFT_OK,
         "NULL");
    want(haft_optimizer_get_shard_info(o.get(), nullptr) == HAFT_ERROR_INVALID_ARGUMENT, "no room");
    bad = HAFT_SHARD_OPTIONS_INIT;
    bad.stage = 1 + g.rank();
    want_failure(haft_optimizer_shard(o.get(), g.get(), &bad), HAFT_ERROR_MISMATCH, "optimizers differ");
    optim::shard(o, g);
    want_failure(haft_optimizer_shard(o.get(), g.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT,
                 "spread over ranks already");
    want_failure(haft_optimizer_consolidate(o.get(), 2), HAFT_ERROR_INVALID_ARGUMENT, "to must be 0 to 1");
    want_failure(haft_optimizer_clip_grad_norm(o.get(), -1, 2, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
                 "max_norm");
    m.give(1);
    if (g.rank()) m.ps[1].set_grad(Tensor());
    want_failure(haft_optimizer_step(o.get()), HAFT_ERROR_MISMATCH,
                 "parameter 1 has a gradient on some ranks");
  });
}

// As a collector's thread may: the backward that runs ends whole, and then its hooks go.
TEST_F(Sharding, IsLetGoOfInTheMidstOfABackward) {
  run(2, [](const ProcessGroup& g) {
    Model m;
    optim::Optimizer o = optim::sgd(m.ps);
    optim::shard(o, g, stage(2));
    bool let_go = false;
    m.ps[0].add_hook([&](const Tensor&) {
      if (!let_go) std::thread([&] { o = optim::Optimizer(); }).join();
      let_go = true;
      return Tensor();
    });
    m.back(1);
    want(let_go, "the hook");
    for (const Tensor& p : m.ps) p.set_grad(Tensor());
    m.back(1);
    want(m.ps[0].grad() && values(m.ps[0].grad())[0] == 1 && m.ps[1].grad(), "its hooks are gone");
  });
}

// Whoever lets go of the group first.
TEST_F(Sharding, KeepsItsGroup) {
  run(2, [](const ProcessGroup& g) {
    Model m;
    optim::Optimizer o = optim::sgd(m.ps);
    {
      ProcessGroup part = g.subgroup({0, 1});
      optim::shard(o, part);
    }
    m.give(1);
    o.step();
    want(values(m.ps[1])[0] < 0, "a step");
  });
}

}  // namespace
