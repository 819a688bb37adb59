// A handle's share of a module. Several handles may name one module; the module itself notices use by two threads.
#pragma once
#include <haft/nn.h>

#include "capi/src/boundary.h"
#include "core/nn/module.h"

namespace haft::capi {

struct ModuleHandle final : HandleObject {
  Ref<nn::Module> module;
  explicit ModuleHandle(Ref<nn::Module> m) : module(std::move(m)) {}
};

// Keeps the module for the time of a call: a callback may release the handle.
inline Ref<nn::Module> module_arg(const haft_module* m, int index, const char* name) {
  const Ref<nn::Module>& module = object_of<ModuleHandle>(m, HandleType::module, index, name).module;
  if (!module) __builtin_unreachable();  // a handle has a module always; gcc 12 warns about the other case
  return module;
}
inline haft_module* hand_out_module(Ref<nn::Module> m) {
  return hand_out_object<haft_module>(HandleType::module, make_ref<ModuleHandle>(std::move(m)));
}

}  // namespace haft::capi
