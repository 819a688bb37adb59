// What tests of fully sharded units are written with.
#pragma once
#include "core/nn/containers.h"
#include "core/nn/layers.h"
#include "core/parallel/fully_sharded.h"
#include "tests/parallel/nets.h"

namespace haft::parallel::testing {

using nn::Module;
using Unit = std::shared_ptr<FullyShardedUnit>;

inline Ref<Module> sequence(std::vector<Ref<Module>> list) { return make_ref<nn::Sequential>(list); }
inline Tensor loss_of(const Ref<Module>& m, const Tensor& x) { return ops::mean(ops::square(m->call(x))); }

inline std::vector<Tensor> shards(std::span<const Tensor> parameters) {
  std::vector<Tensor> out;
  for (const Tensor& t : parameters) out.push_back(shard_or_self(t));
  return out;
}

inline void clear(std::span<const Tensor> ts) {
  for (const Tensor& t : ts)
    if (gradient_of(t).defined()) set_gradient(t, {});
}

// Fails the rank unless f fails with this text.
inline bool says(const std::function<void()>& f, std::string_view text) {
  const std::string told = failure_of(f);
  want(told.find(text) != std::string::npos, concat("wanted \"", text, "\", got \"", told, "\""));
  return true;
}

}  // namespace haft::parallel::testing
