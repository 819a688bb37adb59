// Fully sharded units through the C interface and C++: ranks are threads over one hash store.
#include <haft/haft.hpp>

#include "ranks_testing.h"
#include "training_testing.h"

namespace {

namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::FullySharded;
using haft::ProcessGroup;
using haft::Tensor;

class FullyShardedC : public RanksTest {
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
Tensor input(int rank) {
  return haft::reshape(haft::arange(0, 12, 1, HAFT_FLOAT32), {2, 6}) * (0.1f * float(rank + 1));
}
nn::Module linear(std::int64_t in, std::int64_t out) {
  nn::Module m = nn::Linear(in, out);
  const haft::NoGrad off;
  float v = 0;
  for (const Tensor& p : m.parameters()) p.write(std::vector<float>(std::size_t(p.numel()), v += 0.03f));
  return m;
}

TEST_F(FullyShardedC, AProgramStaysWhatItWas) {
  for (int ranks : {1, 2, 3})
    run(ranks, [&](const ProcessGroup& g) {
      nn::Module a = linear(6, 5), b = linear(5, 4), net = nn::Sequential({a, b});
      nn::Module whole_a = linear(6, 5), whole_b = linear(5, 4), whole = nn::Sequential({whole_a, whole_b});
      haft::DataParallel joined(whole, g);
      FullySharded inner(a, g), outer(net, g);
      optim::Optimizer o = optim::adam(net.parameters()), twin = optim::adam(whole.parameters());
      want(o.params()[0].sizes() == haft::shard_of(net.parameters()[0]).sizes(),
           "the optimizer steps shards");
      for (int s = 0; s < 3; ++s) {
        net.zero_grad();
        twin.zero_grad();
        joined.prepare();
        haft::sum(haft::square(whole(input(g.rank())))).backward();
        haft::sum(haft::square(net(input(g.rank())))).backward();
        const std::vector<Tensor> mine = net.parameters(), all = whole.parameters();
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const haft_tensor_shard_info at = haft::shard_info(mine[i]);
          const Tensor shard = haft::shard_of(mine[i]);
          want(at.rank == g.rank() && at.ranks == ranks && at.rows == mine[i].size(0) && !at.is_shard &&
                   at.replicas == 1 && shard.size(0) == at.count,
               "where it is");
          want(haft::shard_info(shard).is_shard == 1 && haft::shard_info(all[i]).ranks == 0, "what it is");
          want(!mine[i].grad(), "a gradient stayed");
          const Tensor wanted = haft::narrow(all[i].grad(), 0, at.first, at.count);
          want(values(shard.grad()) == values(wanted), "a gradient");
        }
        const double norm = optim::clip_grad_norm(o, 0.5);
        haft_tensor* given[4];
        for (std::size_t i = 0; i < 4; ++i) given[i] = all[i].get();
        haft_tensor* before = nullptr;
        haft::check(haft_grad_clip_norm(given, 4, 0.5, 2, &before));
        want(std::abs(norm - Tensor(before).item()) < 1e-4 * norm, "the norm");
        o.step();
        twin.step();
      }
      net.zero_grad();
      for (const Tensor& p : net.parameters()) want(!haft::shard_of(p).grad(), "zero_grad of a module");
      const haft_fully_sharded_info i = inner.info();
      want(i.rank == g.rank() && i.ranks == ranks && !i.whole && i.parameters == 2 && i.elements == 35 &&
               i.gathers == 6 && i.scatters == 3,
           "info");
      want(optim::shard_info(o).state_bytes == 8 * (i.own_elements + outer.info().own_elements), "state");
      inner.unshard();
      want(inner.info().whole == 1 && a.parameters()[0].to_vector<float>().size() == 30, "whole");
      inner.reshard();
      inner.close();
      outer.close();
      for (std::size_t k = 0; k < 4; ++k) {
        const std::vector<float> x = values(net.parameters()[k]), y = values(whole.parameters()[k]);
        for (std::size_t e = 0; e < x.size(); ++e) want(std::abs(x[e] - y[e]) < 1e-5f, "whole again");
      }
    });
}

// A program that runs its own forward.
TEST_F(FullyShardedC, AListOfParameters) {
  run(2, [&](const ProcessGroup& g) {
    Tensor w = haft::full({3, 4}, 0.5f), unit = haft::ones({1});
    w.set_requires_grad(true);
    haft::FullyShardedOptions o;
    o.param_dtype = HAFT_BFLOAT16;
    o.output_dtype = HAFT_FLOAT32;
    FullySharded u({{"w", w}, {"tied", w}}, g, o);
    want(u.info().parameters == 1, "taken once");
    u.set_gradient_sync(false);
    for (int s = 0; s < 2; ++s) {
      if (s) u.set_gradient_sync(true);
      const std::vector<Tensor> in = u.before_forward({haft::ones({2, 3}), Tensor()});
      want(in.size() == 2 && in[0].dtype() == HAFT_BFLOAT16 && !in[1], "inputs");
      const std::vector<Tensor> out = u.after_forward({haft::matmul(in[0], w)});
      want(out[0].dtype() == HAFT_FLOAT32, "outputs");
      haft::sum(out[0]).backward();
      want(bool(haft::shard_of(w).grad()) == (s == 1), "joined");
    }
    for (float v : values(haft::shard_of(w).grad())) want(v == 4, "two backwards of two rows");
    u.set_reshard_after_forward(0);
    u.before_forward({});
    u.after_forward({});
    want(u.info().whole == 1, "kept");
    u.close();
  });
}

TEST_F(FullyShardedC, MisuseIsTold) {
  run(2, [&](const ProcessGroup& g) {
    nn::Module m = linear(6, 4);
    haft_fully_sharded_options bad = HAFT_FULLY_SHARDED_OPTIONS_INIT;
    bad.prefetch = -1;
    want_failure(haft_module_fully_shard(m.get(), g.get(), nullptr, &bad, nullptr),
                 HAFT_ERROR_INVALID_ARGUMENT, "prefetch");
    bad = HAFT_FULLY_SHARDED_OPTIONS_INIT;
    bad.reserved = 1;
    want(haft_module_fully_shard(m.get(), g.get(), nullptr, &bad, nullptr) != HAFT_OK, "reserved");
    bad.struct_size = 3;
    want(haft_module_fully_shard(m.get(), g.get(), nullptr, &bad, nullptr) == HAFT_ERROR_BAD_STRUCT, "size");
    want(haft_module_fully_shard(nullptr, g.get(), nullptr, nullptr, nullptr) != HAFT_OK, "no module");
    want(haft_module_fully_shard(m.get(), nullptr, nullptr, nullptr, nullptr) != HAFT_OK, "no group");
    optim::Optimizer early = optim::adam(m.parameters());
    FullySharded u(m, g);
    const std::vector<Tensor> ps = m.parameters();
    haft_tensor* list[] = {ps[0].get(), ps[1].get()};
    want_failure(haft_grad_clip_norm(list, 2, 1, 2, nullptr), HAFT_ERROR_UNSUPPORTED,
                 "\"weight\", is spread over 2 ranks");
    want(haft_grad_clip_value(list, 2, 1) == HAFT_OK, "values are clipped one by one");
    want_failure(haft_parallel_clip_grad_norm(g.get(), list, nullptr, 2, 1, 2, nullptr),
                 HAFT_ERROR_UNSUPPORTED, "is spread over 2 ranks");
    haft_tensor* sum = nullptr;
    want_failure(haft_exp(list[0], &sum), HAFT_ERROR_INVALID_ARGUMENT,
                 "the parameter \"weight\" of a fully sharded unit, which has no memory now");
    void* data = nullptr;
    want_failure(haft_tensor_get_data(list[1], &data), HAFT_ERROR_INVALID_ARGUMENT, "the parameter \"bias\"");
    want_failure(haft_tensor_commit(list[0]), HAFT_ERROR_INVALID_ARGUMENT, "a part of its memory");
    optim::Optimizer o = optim::adam(ps);
    want_failure(haft_optimizer_shard(o.get(), g.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, "is a shard");
    haft::GradScaler scaler, off(1, 2, 0.5, 1, false);
    want_failure(haft_grad_scaler_unscale(scaler.get(), early.get()), HAFT_ERROR_UNSUPPORTED,
                 "is spread over 2 ranks");
    want(haft_grad_scaler_unscale(off.get(), early.get()) == HAFT_OK, "a scaler that is off passes it by");
    want_failure(haft_optimizer_step(early.get()), HAFT_ERROR_INVALID_ARGUMENT,
                 "after the optimizer was made");
    want(haft_fully_sharded_before_forward(u.get(), list, 1, nullptr) != HAFT_OK, "no place for results");
    want_failure(haft_fully_sharded_set_reshard_after_forward(u.get(), 7), HAFT_ERROR_INVALID_ARGUMENT,
                 "got 7");
    want(haft_fully_sharded_unshard(reinterpret_cast<haft_fully_sharded*>(g.get())) != HAFT_OK,
         "another handle");
    haft_tensor* none = list[0];
    want(haft_tensor_shard(input(0).get(), &none) == HAFT_OK && !none, "no shard");
  });
}

}  // namespace
