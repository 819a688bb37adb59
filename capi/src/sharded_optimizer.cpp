// Optimizers over several ranks.
#include <haft/sharding.h>

#include <cstring>

#include "capi/src/group_handle.h"
#include "capi/src/training_objects.h"
#include "core/ops/functions.h"
#include "core/optim/clip.h"
#include "core/parallel/shard_of.h"
#include "core/parallel/sharded_optimizer.h"

using namespace haft;
using namespace haft::capi;
using parallel::ShardedOptimizer;

namespace {

std::vector<Tensor> parameters_of(const Optimizer& o) {
  std::vector<Tensor> out;
  for (int64_t g = 0; g < o.group_count(); ++g)
    out.insert(out.end(), o.group(g).parameters.begin(), o.group(g).parameters.end());
  return out;
}

}  // namespace

extern "C" {

haft_status haft_optimizer_shard(haft_optimizer* o, haft_process_group* g,
                                 const haft_shard_options* options) noexcept {
  return boundary("haft_optimizer_shard", [&] {
    CancelGuard guard;
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    auto group = Ref<GroupObject>::share(&object_of<GroupObject>(g, HandleType::process_group, 1, "g"));
    const auto given = options_of(options, haft_shard_options HAFT_SHARD_OPTIONS_INIT, 2);
    check_reserved(given.reserved, 2);
    parallel::ShardOptions how;
    how.stage = given.stage;
    how.init_sync = to_bool(given.init_sync, 2, "init_sync");
    how.bucket_bytes = given.bucket_bytes;
    ShardedOptimizer::create(*h->value, group->value, how);
    h->group = std::move(group);
  });
}

haft_status haft_optimizer_consolidate(haft_optimizer* o, int32_t to) noexcept {
  return boundary("haft_optimizer_consolidate", [&] {
    CancelGuard guard;
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    if (ShardedOptimizer* s = ShardedOptimizer::of(*h->value)) s->gather_state(*h->value, to);
  });
}

haft_status haft_optimizer_clip_grad_norm(haft_optimizer* o, double max_norm, double norm_type,
                                          double* norm) noexcept {
  return boundary("haft_optimizer_clip_grad_norm", [&] {
    CancelGuard guard;
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    ShardedOptimizer* s = ShardedOptimizer::of(*h->value);
    const std::vector<Tensor> ps = parameters_of(*h->value);
    const double before =
        s ? s->clip_grad_norm(max_norm, norm_type)
        : parallel::has_shards(ps)
            ? parallel::clip_shards(ps, max_norm, norm_type)
            : *ops::to(clip_grad_norm(ps, max_norm, norm_type), DType::f64, Device{}).data<double>();
    if (norm) *norm = before;
  });
}

haft_status haft_optimizer_get_shard_info(haft_optimizer* o, haft_shard_info* info) noexcept {
  return boundary("haft_optimizer_get_shard_info", [&] {
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_shard_info r = options_of(info, haft_shard_info HAFT_SHARD_INFO_INIT, 1, "info");
    const parallel::ShardInfo i = ShardedOptimizer::info(*h->value);
    r = {size,       i.stage,        i.rank,        i.ranks,         i.buckets,
         i.elements, i.own_elements, i.state_bytes, i.gradient_bytes};
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

}  // extern "C"
