// Containers, and initial values.
#include <haft/nn.h>

#include "capi/src/create.h"
#include "core/dispatch/defaults.h"
#include "core/nn/containers.h"
#include "core/nn/data_parallel.h"
#include "core/nn/distance_loss.h"
#include "core/nn/init.h"

using namespace haft;
using namespace haft::capi;

namespace {

std::vector<Ref<nn::Module>> module_list(haft_module* const* modules, int64_t count, int index) {
  if (count < 0 || (count && !modules))
    fail_argument(Code::invalid_argument,
                  concat("modules must be an array of count >= 0 handles, got ",
                         modules ? "count " : "NULL with count ", count),
                  index, "modules");
  std::vector<Ref<nn::Module>> list;
  for (int64_t i = 0; i < count; ++i) list.push_back(module_arg(modules[i], index, "modules"));
  return list;
}

nn::Fan fan_of(int32_t mode) {
  if (mode != HAFT_FAN_IN && mode != HAFT_FAN_OUT)
    fail_argument(Code::invalid_argument, concat("mode is ", mode, ", wanted one of HAFT_FAN_*"), 2, "mode");
  return nn::Fan(mode);
}
nn::Nonlinearity nonlinearity_of(int32_t n) {
  if (n < 0 || n > HAFT_NONLINEARITY_SELU)
    fail_argument(Code::invalid_argument,
                  concat("nonlinearity is ", n, ", wanted one of HAFT_NONLINEARITY_*"), 3, "nonlinearity");
  return nn::Nonlinearity(n);
}

}  // namespace

extern "C" {

haft_status haft_sequential_create(haft_module* const* modules, int64_t count, haft_module** out) noexcept {
  return create_module("haft_sequential_create", out, 2,
                       [&] { return make_ref<nn::Sequential>(module_list(modules, count, 0)); });
}
haft_status haft_data_parallel_module_create(haft_module* m, const haft_device* devices, int64_t count,
                                             int64_t dim, haft_module** out) noexcept {
  return create_module("haft_data_parallel_module_create", out, 4, [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    if (count < 0 || (count && !devices))
      fail_argument(Code::invalid_argument,
                    concat("devices must be an array of count >= 0 devices, got ",
                           devices ? "count " : "NULL with count ", count),
                    1, "devices");
    std::vector<Device> list;
    for (int64_t i = 0; i < count; ++i) {
      const Device d = to_device(devices[i], 1, "devices");
      list.push_back(d == kDefaultDevice ? default_device() : d);
    }
    return make_ref<nn::DataParallel>(std::move(module), std::move(list), dim);
  });
}
haft_status haft_triplet_margin_with_distance_loss_create(haft_module* distance, double margin, int32_t swap,
                                                          int32_t reduction, haft_module** out) noexcept {
  return create_module("haft_triplet_margin_with_distance_loss_create", out, 4, [&] {
    Ref<nn::Module> d = module_arg(distance, 0, "distance");
    return nn::triplet_margin_with_distance_loss(std::move(d), margin, to_bool(swap, 2, "swap"),
                                                 to_reduction(reduction, 3, "reduction"));
  });
}
haft_status haft_module_list_create(haft_module* const* modules, int64_t count, haft_module** out) noexcept {
  return create_module("haft_module_list_create", out, 2,
                       [&] { return make_ref<nn::ModuleList>(module_list(modules, count, 0)); });
}
haft_status haft_module_dict_create(const char* const* names, haft_module* const* modules, int64_t count,
                                    haft_module** out) noexcept {
  return create_module("haft_module_dict_create", out, 3, [&] {
    auto list = module_list(modules, count, 1);
    if (count && !names)
      fail_argument(Code::invalid_argument, "names is NULL, wanted a name for each module", 0, "names");
    std::vector<nn::NamedModule> named;
    for (size_t i = 0; i < list.size(); ++i)
      named.push_back({std::string(to_text(names[i], 0, "names")), std::move(list[i])});
    return make_ref<nn::ModuleDict>(named);
  });
}

// ---- initial values ----

#define HAFT_INIT(name, parameters, generator_index, ...)                     \
  haft_status name parameters noexcept {                                      \
    return boundary(#name, [&] {                                              \
      const Tensor& x = arg(t, 0, "t");                                       \
      Generator* gen = to_generator(generator, generator_index, "generator"); \
      __VA_ARGS__;                                                            \
    });                                                                       \
  }
HAFT_INIT(haft_init_uniform, (haft_tensor * t, double low, double high, haft_generator* generator), 3,
          nn::uniform_(x, low, high, gen))
HAFT_INIT(haft_init_normal, (haft_tensor * t, double mean, double std, haft_generator* generator), 3,
          nn::normal_(x, mean, std, gen))
HAFT_INIT(haft_init_trunc_normal,
          (haft_tensor * t, double mean, double std, double low, double high, haft_generator* generator), 5,
          nn::trunc_normal_(x, mean, std, low, high, gen))
HAFT_INIT(haft_init_xavier_uniform, (haft_tensor * t, double gain, haft_generator* generator), 2,
          nn::xavier_uniform_(x, gain, gen))
HAFT_INIT(haft_init_xavier_normal, (haft_tensor * t, double gain, haft_generator* generator), 2,
          nn::xavier_normal_(x, gain, gen))
HAFT_INIT(haft_init_kaiming_uniform,
          (haft_tensor * t, double a, int32_t mode, int32_t nonlinearity, haft_generator* generator), 4,
          nn::kaiming_uniform_(x, a, fan_of(mode), nonlinearity_of(nonlinearity), gen))
HAFT_INIT(haft_init_kaiming_normal,
          (haft_tensor * t, double a, int32_t mode, int32_t nonlinearity, haft_generator* generator), 4,
          nn::kaiming_normal_(x, a, fan_of(mode), nonlinearity_of(nonlinearity), gen))
HAFT_INIT(haft_init_orthogonal, (haft_tensor * t, double gain, haft_generator* generator), 2,
          nn::orthogonal_(x, gain, gen))
HAFT_INIT(haft_init_sparse, (haft_tensor * t, double sparsity, double std, haft_generator* generator), 3,
          nn::sparse_(x, sparsity, std, gen))
#undef HAFT_INIT

haft_status haft_init_dirac(haft_tensor* t, int64_t groups) noexcept {
  return boundary("haft_init_dirac", [&] { nn::dirac_(arg(t, 0, "t"), groups); });
}

haft_status haft_init_constant(haft_tensor* t, double value) noexcept {
  return boundary("haft_init_constant", [&] { nn::constant_(arg(t, 0, "t"), value); });
}

}  // extern "C"
