// Units under failing allocations: over a group of one rank, where nobody else can be told.
#include "oom_cases.h"

namespace oom {
namespace {

struct Over : FullySharded {
  Alone group;
  Linear linear;
  Filled x;
  Over() { must(haft_module_fully_shard(linear, group, nullptr, nullptr, &h)); }
};

}  // namespace

void add_fully_sharded(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_module_fully_shard", [](Attempt& a) {
    Alone g;
    Linear m;
    FullySharded u(a);
    a.run([&] { return haft_module_fully_shard(m, g, nullptr, nullptr, &u); });
  });
  add("haft_fully_shard_parameters", [](Attempt& a) {
    Alone g;
    Linear m;
    Tensor p;
    must(haft_module_parameter(m, "weight", &p));
    haft_tensor* ps[] = {p};
    FullySharded u(a);
    a.run([&] { return haft_fully_shard_parameters(nullptr, ps, 1, g, nullptr, nullptr, &u); });
  });
  add("haft_fully_sharded_before_forward", [](Attempt& a) {
    Over u;
    haft_tensor* in[] = {u.x};
    Tensor out(a);
    a.run([&] { return haft_fully_sharded_before_forward(u, in, 1, &out); });
  });
  add("haft_fully_sharded_after_forward", [](Attempt& a) {
    Over u;
    must(haft_fully_sharded_before_forward(u, nullptr, 0, nullptr));
    Graph graph;
    haft_tensor* in[] = {graph.y};
    Tensor out(a);
    a.run([&] { return haft_fully_sharded_after_forward(u, in, 1, &out); });
  });
  // f(object)
  auto call = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Over u;
      a.run([&] { return f(u.h); });
    });
  };
  call("haft_fully_sharded_unshard", haft_fully_sharded_unshard);
  add("haft_fully_sharded_reshard", [](Attempt& a) {
    Over u;
    must(haft_fully_sharded_unshard(u));
    a.run([&] { return haft_fully_sharded_reshard(u); });
  });
  call("haft_fully_sharded_set_gradient_sync",
       [](haft_fully_sharded* u) { return haft_fully_sharded_set_gradient_sync(u, 0); });
  call("haft_fully_sharded_set_reshard_after_forward",
       [](haft_fully_sharded* u) { return haft_fully_sharded_set_reshard_after_forward(u, 0); });
  call("haft_fully_sharded_close", haft_fully_sharded_close);
  call("haft_fully_sharded_get_info", [](haft_fully_sharded* u) {
    haft_fully_sharded_info i = HAFT_FULLY_SHARDED_INFO_INIT;
    return haft_fully_sharded_get_info(u, &i);
  });
  add("haft_tensor_shard", [](Attempt& a) {
    Over u;
    Tensor w, s(a);
    must(haft_module_parameter(u.linear, "weight", &w));
    a.run([&] { return haft_tensor_shard(w, &s); });
  });
  add("haft_tensor_get_shard_info", [](Attempt& a) {
    Over u;
    Tensor w;
    must(haft_module_parameter(u.linear, "weight", &w));
    haft_tensor_shard_info i = HAFT_TENSOR_SHARD_INFO_INIT;
    a.run([&] { return haft_tensor_get_shard_info(w, &i); });
  });
  add_counting<FullySharded>(
      all, "fully_sharded",
      [](FullySharded& u) {
        Over made;
        u.h = std::exchange(made.h, nullptr);
      },
      haft_fully_sharded_retain, haft_fully_sharded_release);
}

// A step: what gathering, backward, joining gradients and the optimizer over shards take.
TEST(MemoryOverRanks, FullySharded) {
  sweep("", [&](Attempt& a) {
    Over u;
    Optimizer o;
    haft_tensor* ps[2] = {};
    int64_t n = 0;
    must(haft_module_parameters(u.linear, ps, 2, &n));
    must(haft_adam_create(ps, n, nullptr, &o));
    haft_tensor_release_many(ps, n);
    a.run([&]() -> haft_status {
      Tensor y, loss;
      haft_status s = haft_module_forward(u.linear, u.x, &y);
      if (s == HAFT_OK) s = haft_mean(y, nullptr, 0, 0, &loss);
      if (s == HAFT_OK) s = haft_tensor_backward(loss, nullptr, 0);
      if (s == HAFT_OK) s = haft_optimizer_clip_grad_norm(o, 1, 2, nullptr);
      if (s == HAFT_OK) s = haft_optimizer_step(o);
      return s == HAFT_OK ? haft_optimizer_zero_grad(o, 1) : s;
    });
  });
}

}  // namespace oom
