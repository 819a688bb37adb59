// What this rank has of a parameter that is spread over a group (fully_sharded.h): rows of dimension 0.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/dist/group.h"
#include "core/nn/module.h"

namespace haft::parallel {

struct ShardOf {
  Tensor parameter, shard;  // the whole one, without memory between uses; this rank's rows, a leaf of its own
  std::string name;
  int64_t rows = 0, first = 0, count = 0;  // of all ranks; where this rank's begin, and how many they are
  // Over which it is spread; of equal shards, NULL: each is there once.
  Ref<dist::Group> group, replicas;
  const nn::Module* owner = nullptr;  // whose forward it is whole in; NULL: the program says when
};

// Empty for a tensor that is not spread.
std::optional<ShardOf> shard_of(const Tensor& parameter);
// The same, asked by the shard.
std::optional<ShardOf> whole_of(const Tensor& shard);
// The shard in place of a parameter that has one, otherwise t.
Tensor shard_or_self(const Tensor& t);

// Whether one of these is a shard.
bool has_shards(std::span<const Tensor> parameters);
// Collective: clip_grad_norm over the ranks that these shards are spread over, all the same ones; what is no shard
// has the same gradient on each.
double clip_shards(std::span<const Tensor> parameters, double max_norm, double norm_type);

// For GradScaler: in place, the largest of a number that each rank has over which these are spread; empty when none
// of them is a shard.
std::function<void(const Tensor&)> joins_largest(std::span<const Tensor> parameters);

// Until it is forgotten, which its owner does before the tensors die.
void note_shard(ShardOf s);
void forget_shard(const Tensor& parameter) noexcept;

}  // namespace haft::parallel
