// What backward does at a leaf.
#pragma once
#include "core/tape/tape.h"

namespace haft {

// Adds g to the leaf's gradient, which becomes g itself where nobody else holds its memory.
void accumulate(LeafNode& leaf, Tensor g, bool create_graph);

}  // namespace haft
