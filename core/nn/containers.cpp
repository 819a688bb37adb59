#include "core/nn/containers.h"

namespace haft::nn {

Sequential::Sequential(std::span<const Ref<Module>> modules) : Module("Sequential") {
  for (const Ref<Module>& m : modules) append(m);
}

Tensor Sequential::forward(const Tensor& x) {
  Tensor y = x;
  for (const NamedModule& c : children()) y = c.module->call(y);
  return y;
}

ModuleList::ModuleList(std::span<const Ref<Module>> modules) : Module("ModuleList") {
  for (const Ref<Module>& m : modules) append(m);
}

ModuleDict::ModuleDict(std::span<const NamedModule> modules) : Module("ModuleDict") {
  for (const NamedModule& m : modules) add_child(m.name, m.module);
}

Tensor Callback::forward(const Tensor& x) {
  std::vector<Tensor> out = forward_many({&x, 1});
  if (out.size() != 1)
    fail(Code::invalid_argument,
         concat("the forward callback of this ", type(), " answered ", out.size(), " tensors, wanted one"),
         "use forward_many");
  return std::move(out[0]);
}

}  // namespace haft::nn
