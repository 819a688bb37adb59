#include "core/parallel/sync_batch_norm.h"

#include <unordered_map>

#include "core/dispatch/host_access.h"
#include "core/dispatch/replay.h"
#include "core/nn/text.h"
#include "core/ops/arithmetic.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

namespace {

// (1, 2 C + 1): the rank's means, sums of squared distances from them, and how many values a channel has.
Tensor statistics(const Tensor& x, double eps) {
  if (x.ndim() < 2)
    fail(Code::shape, concat("[sync_batch_norm] takes (N, C, *), got shape ", x.sizes()), {}, "x");
  const int64_t c = x.size(1), n = c ? x.numel() / c : 0;
  const DType wide = wide_dtype(x.dtype());
  Tensor mean, spread;
  if (n) {
    auto [out, m, v] = ops::batch_norm_stats(x, Tensor(), Tensor(), eps);
    mean = m;
    spread = v * double(n);
  } else {  // nothing, but with x's history: every rank takes part in backward
    Shape dims{0};
    for (int64_t d = 2; d < x.ndim(); ++d) dims.push_back(d);
    mean = spread = ops::sum(as_dtype(x, wide), dims);
  }
  const int64_t one[] = {1};
  const Tensor row[] = {mean, spread, ops::full(one, Scalar(double(n)), wide, mean.device())};
  return ops::unsqueeze(ops::cat(row), 0);
}

}  // namespace

Tensor sync_batch_norm(const GroupRef& g, const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const Tensor& running_mean, const Tensor& running_var, double momentum, double eps) {
  const Tensor mine = or_kill(*g, "[sync_batch_norm]", [&] { return statistics(x, eps); });
  const int64_t c = x.size(1);
  const Tensor all = all_gather(g, mine);  // (ranks, 2 C + 1)
  const Tensor means = ops::narrow(all, 1, 0, c), counts = ops::detach(ops::narrow(all, 1, 2 * c, 1));
  const Tensor total = ops::sum(counts);
  // On all ranks. A recording, whose numbers are those of its replays, is not asked.
  if (c && !is_recording() && *ops::to(total, DType::f64, Device{}).data<double>() < 2)
    fail(Code::shape,
         concat("[sync_batch_norm] training needs more than 1 value per channel over all ranks, rank ",
                g->rank(), " has shape ", x.sizes()),
         "use a larger batch", "x");
  return or_kill(*g, "[sync_batch_norm]", [&] {
    // Chan, Golub and LeVeque, 1979: exact for any sizes, without the difference of large squares.
    const int64_t ranks[] = {0};
    const Tensor mean = ops::sum(means * (counts / total), ranks);
    const Tensor spread = ops::sum(ops::narrow(all, 1, c, c) + counts * ops::square(means - mean), ranks);
    if (running_mean.defined() || running_var.defined()) {
      NoGradGuard off;
      const Tensor running[] = {running_mean, running_var}, batch[] = {mean, spread / (total - 1.0)};
      ops::batch_norm_update(2, momentum, 1, running, batch);
    }
    return ops::batch_norm_apply(x, weight, bias, mean, spread / total, eps);
  });
}

SyncBatchNorm::SyncBatchNorm(const GroupRef& g, nn::Module& from, const nn::BatchNormOptions& options)
    : Module("SyncBatchNorm"), o_(options), group_(g) {
  for (const char* name : {"weight", "bias"}) {
    const Tensor t = o_.affine ? from.find_parameter(name) : Tensor();
    register_parameter(name, t, t.defined() && t.requires_grad());
  }
  for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
    register_buffer(name, o_.track_running_stats ? from.find_buffer(name) : Tensor());
  train(from.training());
}

SyncBatchNorm::SyncBatchNorm(const GroupRef& g, const nn::BatchNormOptions& options, const nn::Build& build)
    : SyncBatchNorm(g, *make_ref<nn::BatchNorm>(2, options, build), options) {}

Tensor SyncBatchNorm::forward(const Tensor& x) {
  const Tensor &weight = parameter(0), &bias = parameter(1), &mean = buffer(0), &var = buffer(1);
  const auto check = [&] {
    if (x.ndim() < 2 || x.size(1) != o_.num_features)
      fail(Code::shape,
           concat("SyncBatchNorm: wanted x of shape (N, C, *) with C = ", o_.num_features, ", got ",
                  x.sizes()),
           {}, "x");
  };
  if (!training()) {  // which calls nobody
    check();
    return ops::batch_norm(x, weight, bias, mean, var, !o_.track_running_stats, o_.momentum, o_.eps);
  }
  or_kill(*group_, "SyncBatchNorm", check);
  if (updating_.exchange(true, std::memory_order_acquire))
    fail(Code::busy,
         "another thread is training through this SyncBatchNorm, whose running statistics would mix",
         "train from one thread at a time, or call haft_module_train(m, 0) for inference");
  struct Done {
    std::atomic<bool>& flag;
    ~Done() { flag.store(false, std::memory_order_release); }
  } done{updating_};
  const double momentum = o_.momentum < 0 && o_.track_running_stats ? 1 / (item(buffer(2)).to_double() + 1)
                                                                    : o_.momentum;  // below 0: their average
  Tensor y = sync_batch_norm(group_, x, weight, bias, mean, var, momentum, o_.eps);
  if (o_.track_running_stats) ops::add_scalar_(buffer(2), Scalar(1));
  return y;
}

std::string SyncBatchNorm::extra() const {
  return concat(o_.num_features, ", eps=", nn::float_text(o_.eps),
                ", momentum=", o_.momentum < 0 ? std::string("None") : nn::float_text(o_.momentum),
                ", affine=", nn::flag_text(o_.affine), o_.affine && !parameter(1) ? ", bias=False" : "",
                ", track_running_stats=", nn::flag_text(o_.track_running_stats));
}

Ref<nn::Module> convert_sync_batchnorm(Ref<nn::Module> root, const GroupRef& g) {
  std::unordered_map<nn::Module*, Ref<nn::Module>> made;  // one that stands at several places stays one
  const auto converted = [&](const Ref<nn::Module>& m) -> Ref<nn::Module> {
    auto* norm = dynamic_cast<nn::BatchNorm*>(m.get());
    if (!norm) return {};
    Ref<nn::Module>& known = made[norm];
    if (!known) known = make_ref<SyncBatchNorm>(g, *norm, norm->options());
    return known;
  };
  for (const nn::NamedModule& parent : root->named_modules()) {
    std::vector<nn::NamedModule> children;
    {
      nn::Reading reading(*parent.module);
      children = parent.module->children();
    }
    for (nn::NamedModule& child : children)
      if (Ref<nn::Module> norm = converted(child.module))
        parent.module->add_child(child.name, std::move(norm));
  }
  Ref<nn::Module> whole = converted(root);
  return whole ? whole : root;
}

}  // namespace haft::parallel
