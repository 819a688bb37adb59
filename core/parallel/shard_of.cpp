#include "core/parallel/shard_of.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/parallel/calls.h"
#include "core/parallel/gradients.h"

namespace haft::parallel {

namespace {

struct Shards {
  std::mutex mutex;
  std::unordered_map<const TensorImpl*, std::shared_ptr<const ShardOf>> by_parameter, by_shard;
  std::atomic<int64_t> count{0};  // most programs have none
};
Shards& shards() {
  static auto& s = *new Shards;  // modules die until the very end of the process
  return s;
}

std::shared_ptr<const ShardOf> find(
    const Tensor& t, std::unordered_map<const TensorImpl*, std::shared_ptr<const ShardOf>> Shards::*map) {
  Shards& s = shards();
  if (!s.count.load(std::memory_order_acquire) || !t.defined()) return {};
  std::lock_guard lock(s.mutex);
  const auto at = (s.*map).find(t.impl());
  return at == (s.*map).end() ? std::shared_ptr<const ShardOf>() : at->second;
}

std::optional<ShardOf> copied(const std::shared_ptr<const ShardOf>& s) {
  return s ? std::optional(*s) : std::nullopt;
}

}  // namespace

std::optional<ShardOf> shard_of(const Tensor& parameter) {
  return copied(find(parameter, &Shards::by_parameter));
}
std::optional<ShardOf> whole_of(const Tensor& shard) { return copied(find(shard, &Shards::by_shard)); }
Tensor shard_or_self(const Tensor& t) {
  const auto s = find(t, &Shards::by_parameter);
  return s ? s->shard : t;
}

bool has_shards(std::span<const Tensor> parameters) {
  return std::ranges::any_of(parameters, [](const Tensor& t) { return bool(find(t, &Shards::by_shard)); });
}

double clip_shards(std::span<const Tensor> parameters, double max_norm, double norm_type) {
  std::shared_ptr<const ShardOf> first;
  std::vector<int64_t> copies;
  for (const Tensor& t : parameters) {
    const auto s = find(t, &Shards::by_shard);
    copies.push_back(!s);
    if (!s) continue;
    if (!first) first = s;
    if (s->group.get() != first->group.get())
      fail(Code::unsupported,
           concat("clip_grad_norm: \"", first->name, "\" and \"", s->name,
                  "\" are spread over different groups"),
           "give each group of ranks an optimizer of its own", "o");
  }
  for (int64_t& n : copies) n = n ? first->group->size() : 1;
  return clip_grad_norm(*first->group, parameters, copies, max_norm, norm_type);
}

std::function<void(const Tensor&)> joins_largest(std::span<const Tensor> parameters) {
  std::vector<Ref<dist::Group>> groups;  // replicas of a shard have the same gradient
  for (const Tensor& t : parameters)
    if (const auto s = find(t, &Shards::by_shard); s && s->group->size() > 1)
      if (std::ranges::none_of(groups, [&](const auto& g) { return g.get() == s->group.get(); }))
        groups.push_back(s->group);
  if (groups.empty()) return {};
  return [groups](const Tensor& number) {
    for (const auto& g : groups) g->run(all_reduce_job(number, dist::ReduceOp::max));
  };
}

void note_shard(ShardOf given) {
  Shards& s = shards();
  const auto entry = std::make_shared<const ShardOf>(std::move(given));
  std::lock_guard lock(s.mutex);
  s.by_parameter[entry->parameter.impl()] = entry;
  try {
    s.by_shard[entry->shard.impl()] = entry;
  } catch (...) {
    s.by_parameter.erase(entry->parameter.impl());
    throw;
  }
  s.count.fetch_add(1, std::memory_order_release);
}

void forget_shard(const Tensor& parameter) noexcept {
  Shards& s = shards();
  std::shared_ptr<const ShardOf> gone;  // lets go of tensors and groups after the lock
  std::lock_guard lock(s.mutex);
  const auto at = s.by_parameter.find(parameter.impl());
  if (at == s.by_parameter.end()) return;
  gone = std::move(at->second);
  s.by_parameter.erase(at);
  s.by_shard.erase(gone->shard.impl());
  s.count.fetch_sub(1, std::memory_order_release);
}

}  // namespace haft::parallel
