// The recorded graph behind a tensor as text: to read, for Graphviz, or for other programs.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/tape/tape.h"

namespace haft {

enum class GraphFormat { text, dot, json };

// Every node from which the roots were made, themselves included, the latest first: a node stands before those it was
// made from, except after in-place writes.
std::vector<const Node*> nodes_behind(std::span<const Node* const> roots);

// Every node from which `t` was made, the leaves included. Fails with autograd when `t` requires no gradient.
std::string graph_text(const Tensor& t, GraphFormat format);

}  // namespace haft
