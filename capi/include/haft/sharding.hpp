// Optimizers that are spread over ranks, in C++17 over haft/sharding.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_SHARDING_HPP
#define HAFT_SHARDING_HPP
#include <haft/optim.hpp>
#include <haft/process_group.hpp>

namespace haft {
namespace optim {

/// What haft_shard_options holds, with its defaults; set fields by name.
struct ShardOptions : haft_shard_options {
  ShardOptions() : haft_shard_options(HAFT_SHARD_OPTIONS_INIT) {}
};

/// Spreads an optimizer's state over the ranks of a group, in stage 2 gradients, too. All ranks call it;
/// docs/sharding.md.
inline void shard(const Optimizer& o, const ProcessGroup& group, const ShardOptions& options = ShardOptions()) {
  check(haft_optimizer_shard(o.get(), group.get(), &options));
}
/// The state of all ranks comes together on one, or on all (-1), until the next step. All ranks call it.
inline void consolidate(const Optimizer& o, int to = -1) { check(haft_optimizer_consolidate(o.get(), to)); }
/// Limits the norm of all gradients of an optimizer, whoever has them; answers the norm before. All ranks call it.
inline double clip_grad_norm(const Optimizer& o, double max_norm, double norm_type = 2) {
  double norm = 0;
  check(haft_optimizer_clip_grad_norm(o.get(), max_norm, norm_type, &norm));
  return norm;
}
/// What this rank has of an optimizer.
inline haft_shard_info shard_info(const Optimizer& o) {
  haft_shard_info i = HAFT_SHARD_INFO_INIT;
  check(haft_optimizer_get_shard_info(o.get(), &i));
  return i;
}

}  // namespace optim
}  // namespace haft
#endif
