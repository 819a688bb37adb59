// A module as a session holds it: in evaluation mode, and marked as running so that nobody changes it.
#pragma once
#include <list>

#include "core/nn/module.h"

namespace haft::serve {

struct Model : RefCounted {
  Ref<nn::Module> root;
  std::list<nn::Running> held;  // one for each module of the tree
  int batches = 0;              // that run it; the session's lock guards it

  explicit Model(Ref<nn::Module> module) : root(std::move(module)) {
    auto tree = root->named_modules();
    for (const nn::NamedModule& m : tree)
      if (m.module->training()) {
        root->eval();
        break;
      }
    for (const nn::NamedModule& m : tree) held.emplace_back(*m.module);
  }
};

}  // namespace haft::serve
