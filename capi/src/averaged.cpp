// Averages of weights.
#include <haft/optim.h>

#include "capi/src/create.h"
#include "capi/src/lending.h"
#include "core/nn/averaged.h"

using namespace haft;
using namespace haft::capi;

extern "C" {

haft_status haft_averaged_model_create(haft_module* average, double ema_decay, int32_t use_buffers,
                                       haft_module** out) noexcept {
  return create_module("haft_averaged_model_create", out, 3, [&] {
    Ref<nn::Module> module = module_arg(average, 0, "average");
    return make_ref<nn::AveragedModel>(std::move(module), ema_decay, to_bool(use_buffers, 2, "use_buffers"));
  });
}

haft_status haft_averaged_model_update(haft_module* averaged, haft_module* model, haft_average_function fn,
                                       void* user) noexcept {
  return boundary("haft_averaged_model_update", [&] {
    Ref<nn::Module> m = module_arg(averaged, 0, "averaged"), from = module_arg(model, 1, "model");
    auto* own = dynamic_cast<nn::AveragedModel*>(m.get());
    if (!own)
      fail_argument(Code::invalid_argument, concat("averaged is a ", m->type(), ", no AveragedModel"), 0,
                    "averaged", "make one with haft_averaged_model_create");
    if (!fn) return own->update(*from);
    own->update(*from, [&](std::span<const Tensor> averages, std::span<const Tensor> values, int64_t before) {
      LentTensors to(averages), with(values);
      call_back("the average",
                [&] { return fn(to.data(), with.data(), int64_t(averages.size()), before, user); });
    });
  });
}

haft_status haft_average_tensors(haft_tensor* const* averages, haft_tensor* const* values, int64_t count,
                                 double ema_decay, int64_t before) noexcept {
  return boundary("haft_average_tensors", [&] {
    ListArg to = list_arg(averages, count, 0, "averages"), from = list_arg(values, count, 1, "values");
    nn::average_tensors(to, from, ema_decay, before);
  });
}

haft_status haft_update_bn(haft_module* m, haft_batch_source next, void* user) noexcept {
  return boundary("haft_update_bn", [&] {
    CancelGuard guard;
    Ref<nn::Module> module = module_arg(m, 0, "m");
    if (!next) fail_argument(Code::invalid_argument, "next is NULL", 1, "next");
    nn::update_batch_norm(*module, [&] {
      TakenTensors taken(1);
      call_back("next", [&] { return next(taken.data(), user); });
      return taken.get(0);
    });
  });
}

}  // extern "C"
