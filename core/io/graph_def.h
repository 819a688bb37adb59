// The recorded graph as TensorFlow's message GraphDef, which TensorBoard draws: nodes in boxes by their names.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/nn/module.h"

namespace haft {

// What was recorded between two numbers of nodes stands in the box `path`, "Net/Linear[first]"; the narrowest counts.
struct GraphScope {
  uint64_t begin, end;
  std::string path;
};

// What stands behind the outputs. Inputs and parameters that require gradients are its leaves; parameters are known by
// their names, other leaves are constants.
std::string graph_def(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                      std::span<const nn::NamedTensor> parameters, std::span<const GraphScope> scopes);

// What the module records for these inputs, each part in a box of its own. It runs once, in the mode that it is in.
std::string module_graph_def(nn::Module& module, std::span<const Tensor> inputs);

}  // namespace haft
