#include "core/io/graph_def.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "core/io/graph_text.h"
#include "core/io/protobuf.h"
#include "core/ops/functions.h"

namespace haft {

namespace {

// "relu_": "Relu"; "MyFunctionBackward": "MyFunction".
std::string operator_of(std::string_view name) {
  if (name.ends_with("Backward") && name.size() > 8) name.remove_suffix(8);
  std::string out;
  bool capital = true;
  for (char c : name) {
    if (c != '_') out += capital && c >= 'a' && c <= 'z' ? char(c - 32) : c;
    capital = c == '_';
  }
  return out;
}

// Field numbers are those of TensorFlow's graph.proto, node_def.proto, attr_value.proto and tensor_shape.proto.
class Definition {
 public:
  std::string unique(const std::string& name) {
    const int64_t n = used_[name]++;
    return n ? concat(name, "_", n) : name;
  }
  void add(std::string_view name, std::string_view op, std::span<const std::string> inputs,
           const IntList* sizes) {
    Message node;
    node.bytes(1, name).bytes(2, op);
    for (const std::string& input : inputs) node.bytes(3, input);
    if (sizes) {
      Message shape;
      for (int64_t n : *sizes) shape.message(2, Message().integer(1, n));
      const Message list = std::move(Message().message(1, Message().message(7, shape)));
      node.message(5, Message().bytes(1, "_output_shapes").message(2, list));
    }
    out_.message(1, node);
  }
  std::string take() {
    out_.message(4, Message().integer(1, 22));  // VersionDef.producer
    return std::string(out_.view());
  }

 private:
  std::map<std::string, int64_t> used_;
  Message out_;
};

const Node* node_of(const Tensor& t) {
  return t.defined() ? gradient_node(*t.impl()).get() : nullptr;  // the tensor holds it
}

}  // namespace

std::string graph_def(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                      std::span<const nn::NamedTensor> parameters, std::span<const GraphScope> scopes) {
  Definition out;
  std::unordered_map<const Node*, std::string> names, known;  // names: of inputs first
  for (const nn::NamedTensor& p : parameters)
    if (const Node* n = node_of(p.tensor)) known.emplace(n, p.name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    const std::string name = i ? concat("input/input_", int64_t(i)) : "input/input";
    const IntList sizes = inputs[i].sizes();
    out.add(name, "IO Node", {}, &sizes);
    if (const Node* n = node_of(inputs[i])) names.emplace(n, name);
  }

  std::vector<const Node*> roots;
  for (const Tensor& t : outputs)
    if (const Node* n = node_of(t)) roots.push_back(n);
  std::vector<const Node*> nodes = nodes_behind(roots);
  std::ranges::reverse(nodes);  // what nodes need comes first
  std::erase_if(nodes, [&](const Node* n) { return names.contains(n); });
  for (const Node* n : nodes) {
    std::string box;
    uint64_t narrowest = UINT64_MAX;
    if (!n->is_leaf())
      for (const GraphScope& s : scopes)
        if (s.begin < n->seq && n->seq < s.end && s.end - s.begin < narrowest)
          narrowest = s.end - s.begin, box = s.path + "/";
    const auto p = known.find(n);
    names[n] = out.unique(p != known.end() ? p->second
                          : n->is_leaf()   ? "constant"
                                           : box + operator_of(n->name()));
  }
  for (const Node* n : nodes) {
    if (n->is_leaf()) {
      const IntList sizes = static_cast<const LeafNode&>(*n).sizes;
      out.add(names[n], known.contains(n) ? "Parameter" : "Constant", {}, &sizes);
      continue;
    }
    std::vector<std::string> before;
    for (int e = 0; e < n->n_in; ++e)
      if (const Node* from = n->edges[e].node.get()) before.push_back(names[from]);
    out.add(names[n], operator_of(n->name()), before, nullptr);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) continue;
    const Node* n = node_of(outputs[i]);
    const std::string name = i ? concat("output/output_", int64_t(i)) : "output/output";
    const IntList sizes = outputs[i].sizes();
    out.add(name, "IO Node", n ? std::span<const std::string>(&names[n], 1) : std::span<const std::string>(),
            &sizes);
  }
  return out.take();
}

std::string module_graph_def(nn::Module& module, std::span<const Tensor> inputs) {
  struct Open {
    std::string path;
    uint64_t begin;
  };
  struct Hook {
    Ref<nn::Module> module;
    uint64_t id;
  };
  struct Recording {
    std::vector<GraphScope> scopes;
    std::vector<Open> open;
  };
  // Hooks that could not be removed, since the module runs elsewhere, find nothing to write into.
  struct Hooked {
    std::shared_ptr<Recording> recording = std::make_shared<Recording>();
    std::vector<Hook> hooks;
    ~Hooked() {
      recording.reset();
      for (Hook& h : hooks) {
        try {
          h.module->remove_hook(h.id);
        } catch (...) {
        }
      }
    }
  } hooked;
  Recording& r = *hooked.recording;
  const std::vector<nn::NamedModule> modules = module.named_modules();
  hooked.hooks.reserve(2 * modules.size());
  std::map<std::string, std::string> paths;  // by dotted names
  auto box_of = [&](const std::string& name) -> const std::string& {
    const size_t dot = name.rfind('.');
    return paths.at(dot == name.npos ? "" : name.substr(0, dot));
  };
  for (const nn::NamedModule& m : modules) {
    const size_t dot = m.name.rfind('.');
    const std::string path = m.name.empty() ? m.module->type()
                                            : concat(box_of(m.name), "/", m.module->type(), "[",
                                                     m.name.substr(dot == m.name.npos ? 0 : dot + 1), "]");
    paths[m.name] = path;
    const std::weak_ptr<Recording> to = hooked.recording;
    hooked.hooks.push_back(
        {m.module, m.module->add_forward_pre_hook([to, path](nn::Module&, std::span<Tensor>) {
           if (auto here = to.lock()) here->open.push_back({path, next_sequence()});
         })});
    hooked.hooks.push_back(
        {m.module, m.module->add_forward_hook([to](nn::Module&, std::span<const Tensor>, std::span<Tensor>) {
           auto here = to.lock();
           if (!here || here->open.empty()) return;
           here->scopes.push_back({here->open.back().begin, next_sequence(), here->open.back().path});
           here->open.pop_back();
         })});
  }
  std::vector<nn::NamedTensor> parameters;
  for (const nn::NamedTensor& p : module.named_parameters()) {
    const size_t dot = p.name.rfind('.');
    parameters.push_back(
        {concat(box_of(p.name), "/", p.name.substr(dot == p.name.npos ? 0 : dot + 1)), p.tensor});
  }
  ScopedValue<bool> recording(thread_state().grad_enabled, true);
  std::vector<Tensor> taken;
  for (const Tensor& x : inputs) {
    taken.push_back(x.defined() && is_float(x.dtype()) ? ops::clone(ops::detach(x)) : x);
    if (x.defined() && is_float(x.dtype())) set_requires_grad(taken.back(), true);
  }
  const std::vector<Tensor> outputs = module.call_many(taken);
  return graph_def(taken, outputs, parameters, r.scopes);
}

}  // namespace haft
