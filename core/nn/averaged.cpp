#include "core/nn/averaged.h"

#include "core/dispatch/host_access.h"
#include "core/nn/layers.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

void check_alike(std::span<const Tensor> averages, std::span<const Tensor> values, const char* what) {
  if (averages.size() != values.size())
    fail(Code::invalid_argument,
         concat("average: there are ", int64_t(averages.size()), " averages and ", int64_t(values.size()),
                " ", what),
         "the average is a module of the same structure", "model");
  for (size_t i = 0; i < averages.size(); ++i) {
    if (!averages[i].defined() || !values[i].defined())
      fail(Code::invalid_argument, concat("average: tensor ", int64_t(i), " of the ", what, " is absent"), {},
           "model");
    if (!std::ranges::equal(averages[i].sizes(), values[i].sizes()))
      fail(Code::shape,
           concat("average: tensor ", int64_t(i), " of the ", what, " has shape ", values[i].sizes(),
                  ", its average ", averages[i].sizes()),
           {}, "model");
  }
}

std::vector<Tensor> tensors_of(const std::vector<NamedTensor>& named) {
  std::vector<Tensor> out;
  for (const NamedTensor& n : named) out.push_back(n.tensor);
  return out;
}

}  // namespace

void check_ema_decay(double ema_decay, const char* what) {
  if (!(ema_decay <= 1))
    fail(Code::invalid_argument,
         concat(what, ": ema_decay must be at most 1, or below 0 for the equal average, got ", ema_decay), {},
         "ema_decay");
}

void average_tensors(std::span<const Tensor> averages, std::span<const Tensor> values, double ema_decay,
                     int64_t before) {
  check_ema_decay(ema_decay, "average");
  check_alike(averages, values, "values");
  if (before < 0)
    fail(Code::invalid_argument, concat("average: before must not be negative, got ", before), {}, "before");
  NoGradGuard off;
  const double part = ema_decay < 0 ? 1 / (double(before) + 1) : 1 - ema_decay;
  for (size_t i = 0; i < averages.size(); ++i) {
    const Tensor &own = averages[i], value = ops::to(values[i], own.dtype(), own.device());
    if (before == 0 || !is_float(own.dtype()))
      ops::copy_(own, value);
    else
      ops::lerp_(own, value, Scalar(part));
  }
}

AveragedModel::AveragedModel(Ref<Module> average, double ema_decay, bool use_buffers)
    : Module("AveragedModel"), ema_decay_(ema_decay), use_buffers_(use_buffers) {
  check_ema_decay(ema_decay, "AveragedModel");
  ScopedValue<bool> recorded(thread_state().inference, false);
  const std::vector<Tensor> parameters = average->parameters();
  register_buffer("n_averaged",
                  ops::zeros({}, DType::i64, parameters.empty() ? Device{} : parameters[0].device()));
  add_child("module", std::move(average));
}

std::string AveragedModel::extra() const {
  return ema_decay_ < 0 ? std::string() : concat("ema_decay=", float_text(ema_decay_));
}

int64_t AveragedModel::count() const { return item(buffer(0)).to_int(); }

void AveragedModel::update(Module& model, const AverageFunction& fn) {
  ReadingTree reading(model);
  Module& average = *children()[0].module;
  if (&average == &model)
    fail(Code::invalid_argument, "AveragedModel: the average is the model itself",
         "make it over a second module of the same structure", "model");
  std::vector<Tensor> own = tensors_of(average.named_parameters()),
                      given = tensors_of(model.named_parameters());
  std::vector<Tensor> buffers = tensors_of(average.named_buffers()), now = tensors_of(model.named_buffers());
  check_alike(own, given, "parameters");
  check_alike(buffers, now, "buffers");
  if (use_buffers_) {
    own.insert(own.end(), buffers.begin(), buffers.end());
    given.insert(given.end(), now.begin(), now.end());
    buffers.clear();
    now.clear();
  }
  NoGradGuard off;
  const int64_t before = count();
  if (fn && before)
    fn(own, given, before);
  else
    average_tensors(own, given, ema_decay_, before);
  average_tensors(buffers, now, 0, 0);
  ops::add_scalar_(buffer(0), Scalar(1));
}

void update_batch_norm(Module& m, const std::function<Tensor()>& next) {
  struct Norm {
    Ref<Module> module;
    RunningNorm* norm;
    double momentum;
  };
  struct Restore {
    Module& root;
    std::vector<Norm> norms;
    std::vector<std::pair<Ref<Module>, bool>> modes;
    ~Restore() {
      for (const Norm& n : norms) n.norm->set_momentum(n.momentum);
      for (const auto& [module, on] : modes) module->set_mode(on);
    }
  } restore{m, {}, {}};
  for (const NamedModule& n : m.named_modules()) {
    restore.modes.emplace_back(n.module, n.module->training());
    auto* norm = dynamic_cast<RunningNorm*>(n.module.get());
    if (norm && !norm->type().starts_with("InstanceNorm"))
      restore.norms.push_back({n.module, norm, norm->options().momentum});
  }
  if (restore.norms.empty()) return;
  m.train();
  NoGradGuard off;
  for (const Norm& n : restore.norms) n.norm->reset_running_stats();
  for (int64_t batch = 0;; ++batch) {
    const Tensor x = next();
    if (!x.defined()) return;
    for (const Norm& n : restore.norms) n.norm->set_momentum(1 / double(batch + 1));
    m.call(x);
  }
}

}  // namespace haft::nn
