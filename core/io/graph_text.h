// The recorded graph behind a tensor as text: to read, for Graphviz, or for other programs.
#pragma once
#include <string>

#include "core/tape/tape.h"

namespace haft {

enum class GraphFormat { text, dot, json };

// Every node from which `t` was made, the leaves included. Fails with autograd when `t` requires no gradient.
std::string graph_text(const Tensor& t, GraphFormat format);

}  // namespace haft
