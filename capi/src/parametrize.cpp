// Tensors of modules that are computed: parametrizations, pruning, calls with other tensors.
#include <haft/nn.h>

#include "capi/src/create.h"
#include "core/nn/parametrize.h"
#include "core/nn/prune.h"

using namespace haft;
using namespace haft::capi;

namespace {

std::string name_of(const char* name, int index = 1) { return std::string(to_text(name, index, "name")); }

nn::PruneOptions prune_options(const haft_prune_options* given, int index) {
  static constexpr haft_prune_options defaults = HAFT_PRUNE_OPTIONS_INIT;
  const haft_prune_options o = options_of(given, defaults, index);
  if (o.method < HAFT_PRUNE_IDENTITY || o.method > HAFT_PRUNE_LN_STRUCTURED)
    fail_argument(Code::invalid_argument,
                  concat("options.method is ", o.method, ", wanted one of HAFT_PRUNE_*"), index, "options");
  return {nn::Pruning(o.method),
          o.fraction,
          o.count,
          o.n,
          o.dim,
          to_generator(o.generator, index, "options.generator")};
}

void check_given(const void* list, int64_t count, int index, const char* name) {
  if (count < 0 || (count && !list))
    fail_argument(Code::invalid_argument,
                  concat(name, " must be an array of count >= 0 entries, got ",
                         list ? "count " : "NULL with count ", count),
                  index, name);
}

}  // namespace

extern "C" {

haft_status haft_module_register_parametrization(haft_module* m, const char* name,
                                                 haft_module* parametrization, haft_module* right_inverse,
                                                 int32_t unsafe) noexcept {
  return boundary("haft_module_register_parametrization", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m"), fn = module_arg(parametrization, 2, "parametrization");
    Ref<nn::Module> inverse =
        right_inverse ? module_arg(right_inverse, 3, "right_inverse") : Ref<nn::Module>();
    nn::register_parametrization(*module, name_of(name), std::move(fn), std::move(inverse),
                                 to_bool(unsafe, 4, "unsafe"));
  });
}

haft_status haft_module_remove_parametrizations(haft_module* m, const char* name,
                                                int32_t leave_parametrized) noexcept {
  return boundary("haft_module_remove_parametrizations", [&] {
    nn::remove_parametrizations(*module_arg(m, 0, "m"), name_of(name),
                                to_bool(leave_parametrized, 2, "leave_parametrized"));
  });
}

haft_status haft_module_is_parametrized(const haft_module* m, const char* name, int32_t* out) noexcept {
  return boundary("haft_module_is_parametrized", [&] {
    check_out(out, 2, "out");
    *out = nn::is_parametrized(*module_arg(m, 0, "m"), name ? name_of(name) : std::string());
  });
}

haft_status haft_module_set_parametrized(haft_module* m, const char* name,
                                         const haft_tensor* value) noexcept {
  return boundary("haft_module_set_parametrized", [&] {
    nn::set_parametrized(*module_arg(m, 0, "m"), name_of(name), arg(value, 2, "value"));
  });
}

haft_status haft_module_value(const haft_module* m, const char* name, haft_tensor** out) noexcept {
  return boundary("haft_module_value", [&] {
    check_out(out, 2, "out");
    emit(out, module_arg(m, 0, "m")->find_value(to_text(name, 1, "name")));
  });
}

haft_status haft_module_right_inverse(haft_module* m, const haft_tensor* value, haft_tensor** outs,
                                      int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_module_right_inverse", [&] {
    check_list_out(outs, capacity, count, 2, "outs");
    Ref<nn::Module> module = module_arg(m, 0, "m");
    emit_list(outs, capacity, count, nn::right_inverse(*module, arg(value, 1, "value")));
  });
}

haft_status haft_module_functional_call(haft_module* m, const char* const* names, haft_tensor* const* others,
                                        int64_t other_count, haft_tensor* const* inputs, int64_t input_count,
                                        haft_tensor** outs, int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_module_functional_call", [&] {
    check_list_out(outs, capacity, count, 6, "outs");
    Ref<nn::Module> module = module_arg(m, 0, "m");
    ListArg given = list_arg(others, other_count, 2, "others"),
            in = optional_list_arg(inputs, input_count, 4, "inputs");
    check_given(names, other_count, 1, "names");
    std::vector<nn::NamedTensor> named;
    for (int64_t i = 0; i < other_count; ++i)
      named.push_back({std::string(to_text(names[i], 1, "names")), given.vector()[size_t(i)]});
    if (!has_room(outs, capacity, count, module->output_count())) return;
    emit_list(outs, capacity, count, module->functional_call(named, in));
  });
}

haft_status haft_module_prune(haft_module* m, const char* name, const haft_prune_options* options,
                              const haft_tensor* scores) noexcept {
  return boundary("haft_module_prune", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    nn::prune(*module, name_of(name), prune_options(options, 2), optional_arg(scores, 3, "scores"));
  });
}

haft_status haft_module_prune_by_mask(haft_module* m, const char* name, const haft_tensor* mask) noexcept {
  return boundary("haft_module_prune_by_mask",
                  [&] { nn::prune_by_mask(*module_arg(m, 0, "m"), name_of(name), arg(mask, 2, "mask")); });
}

haft_status haft_prune_global(haft_module* const* modules, const char* const* names,
                              haft_tensor* const* scores, int64_t count,
                              const haft_prune_options* options) noexcept {
  return boundary("haft_prune_global", [&] {
    check_given(modules, count, 0, "modules");
    check_given(names, count, 1, "names");
    std::vector<nn::PruneTarget> targets;
    for (int64_t i = 0; i < count; ++i)
      targets.push_back({module_arg(modules[i], 0, "modules"), std::string(to_text(names[i], 1, "names")),
                         scores ? optional_arg(scores[i], 2, "scores") : Tensor()});
    nn::prune_global(targets, prune_options(options, 4));
  });
}

haft_status haft_module_remove_pruning(haft_module* m, const char* name) noexcept {
  return boundary("haft_module_remove_pruning",
                  [&] { nn::remove_pruning(*module_arg(m, 0, "m"), name_of(name)); });
}

haft_status haft_module_is_pruned(const haft_module* m, int32_t* out) noexcept {
  return boundary("haft_module_is_pruned", [&] {
    check_out(out, 1, "out");
    *out = nn::is_pruned(*module_arg(m, 0, "m"));
  });
}

haft_status haft_prune_mask(const haft_tensor* scores, const haft_tensor* mask,
                            const haft_prune_options* options, haft_tensor** out) noexcept {
  return boundary("haft_prune_mask", [&] {
    check_out(out, 3, "out");
    emit(out, nn::prune_mask(arg(scores, 0, "scores"), arg(mask, 1, "mask"), prune_options(options, 2)));
  });
}

}  // extern "C"
