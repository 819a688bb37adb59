#include "core/io/graph_text.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/io/text.h"

namespace haft {

std::vector<const Node*> nodes_behind(std::span<const Node* const> roots) {
  std::vector<const Node*> all;
  std::unordered_set<const Node*> seen;
  for (const Node* root : roots)
    if (seen.insert(root).second) all.push_back(root);
  for (size_t i = 0; i < all.size(); ++i)  // grows while we walk
    for (int e = 0; e < all[i]->n_in; ++e)
      if (const Node* to = all[i]->edges[e].node.get(); to && seen.insert(to).second) all.push_back(to);
  std::ranges::sort(all, [](const Node* a, const Node* b) { return a->seq > b->seq; });
  return all;
}

namespace {

std::string leaf_text(const LeafNode& n) { return concat(dtype_name(n.dtype), " ", IntList(n.sizes)); }

std::string json(std::string_view s) {
  std::string out;
  append_json_string(out, s);
  return out;
}

std::string as_text(const std::vector<const Node*>& nodes) {
  std::string out;
  for (const Node* n : nodes) {
    out += concat("#", n->seq, " ", n->name());
    if (n->is_leaf()) {
      out += concat(" ", leaf_text(static_cast<const LeafNode&>(*n)));
    } else {
      out += "(";
      for (int e = 0; e < n->n_in; ++e) {
        const Edge& edge = n->edges[e];
        out += e ? ", " : "";
        out += edge.node ? concat("#", edge.node->seq) : "-";
        if (edge.node && edge.node->n_out > 1) out += concat(".", edge.output);
      }
      out += ")";
    }
    out += "\n";
  }
  return out;
}

// Arrows point the way gradients go, from a result to what it was made from.
std::string as_dot(const std::vector<const Node*>& nodes) {
  std::string out = "digraph haft {\n  node [shape=box];\n";
  for (const Node* n : nodes) {
    std::string label = n->name();
    if (n->is_leaf()) label += "\n" + leaf_text(static_cast<const LeafNode&>(*n));
    out += concat("  n", n->seq, " [label=", json(label), n->is_leaf() ? ", style=rounded" : "", "];\n");
  }
  for (const Node* n : nodes)
    for (int e = 0; e < n->n_in; ++e)
      if (const Edge& edge = n->edges[e]; edge.node) {
        out += concat("  n", n->seq, " -> n", edge.node->seq);
        if (edge.node->n_out > 1) out += concat(" [label=\"", edge.output, "\"]");
        out += ";\n";
      }
  return out + "}\n";
}

std::string as_json(const std::vector<const Node*>& nodes) {
  std::string out = "{\"nodes\": [";
  const char* between = "\n";
  for (const Node* n : nodes) {
    out += concat(between, "  {\"id\": ", n->seq, ", \"name\": ", json(n->name()),
                  ", \"outputs\": ", int(n->n_out));
    if (n->is_leaf()) {
      const auto& leaf = static_cast<const LeafNode&>(*n);
      out += concat(", \"dtype\": ", json(dtype_name(leaf.dtype)), ", \"size\": ", IntList(leaf.sizes));
    }
    out += "}";
    between = ",\n";
  }
  out += "\n], \"edges\": [";
  between = "\n";
  for (const Node* n : nodes)
    for (int e = 0; e < n->n_in; ++e)
      if (const Edge& edge = n->edges[e]; edge.node) {
        out += concat(between, "  {\"from\": ", n->seq, ", \"input\": ", e, ", \"to\": ", edge.node->seq,
                      ", \"output\": ", edge.output, "}");
        between = ",\n";
      }
  return out + "\n]}\n";
}

}  // namespace

std::string graph_text(const Tensor& t, GraphFormat format) {
  Ref<Node> root = gradient_node(*t.impl());
  if (!root)
    fail(Code::autograd, "there is no graph: the tensor does not require a gradient",
         "call set_requires_grad on what it is made from", "t");
  const Node* const first = root.get();
  std::vector<const Node*> nodes = nodes_behind({&first, 1});
  switch (format) {
    case GraphFormat::dot: return as_dot(nodes);
    case GraphFormat::json: return as_json(nodes);
    case GraphFormat::text: break;
  }
  return as_text(nodes);
}

}  // namespace haft
