// The tape: nodes that remember how a tensor was made. The dispatcher records; autograd walks.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/schema/attrs.h"
#include "core/tape/gradient.h"
#include "core/tensor/tensor.h"

namespace haft {

struct Node;

// An edge points to the node that made an input, and says which of its results the input was.
struct Edge {
  Ref<Node> node;
  uint32_t output = 0;
};

// Kept tensor: the value, its version when it was kept, and which of the call's tensors it is.
struct Saved {
  static constexpr uint32_t kResult = 1u << 31;
  Tensor value;
  uint32_t version = 0;
  uint32_t what = 0;  // the number of an input, or kResult and that of a result
};
static_assert(sizeof(Saved) == 16);

// Functions that see or replace a gradient on its way; allocated only when somebody registers one. Other threads add
// and remove them while a backward reads: `mutex` guards everything here, and is held for no call of a hook.
struct NodeHooks {
  struct Hook {
    uint64_t id;
    uint32_t output;
    // An undefined result keeps the gradient. Shared: it may remove itself.
    std::shared_ptr<std::function<Tensor(const Tensor&)>> fn;
    const char* takes = nullptr;  // who takes the gradient away
  };
  std::mutex mutex;
  std::vector<Hook> pre;
  std::vector<Hook> post_accumulate;  // leaves only: after the gradient was added
  std::vector<Tensor> retained;       // by output: gradients kept by retain_grad
  std::vector<bool> retain;
};

// Where a node has its hooks: made by whoever comes first, there until the node dies.
class HookPlace {
  std::atomic<NodeHooks*> hooks_{nullptr};

 public:
  HookPlace() = default;
  HookPlace(const HookPlace&) = delete;
  ~HookPlace() { delete hooks_.load(std::memory_order_relaxed); }
  NodeHooks* get() const { return hooks_.load(std::memory_order_acquire); }
  NodeHooks* operator->() const { return get(); }
  explicit operator bool() const { return get(); }
  NodeHooks& own();
};

// State of the engine that runs through a node; meaningful only while `run` is not 0.
struct NodeRun {
  std::atomic<uint64_t> run{0};
  int32_t deps = 0;
  bool needed = true;
};

struct Node : GraphNode {
  uint64_t seq = 0;   // creation order: edges lead to smaller numbers, except after in-place writes
  uint16_t n_in = 0;  // edges
  uint16_t n_out = 1;
  bool released = false;  // saved tensors are gone: a second backward is an error
  bool streamed = false;  // on a device with streams: FunctionNode::stream() says which one
  bool adds = false;      // takes the sum that the node of its first input has so far; see Gradient
  Edge* edges = nullptr;
  Ref<TensorImpl>* incoming = nullptr;  // n_out slots: gradients that have arrived so far
  NodeRun engine;
  HookPlace hooks;

  virtual const char* name() const = 0;
  virtual bool is_leaf() const { return false; }
};

// The stream that was current when a call was recorded: its backward runs there, too.
struct NodeStream {
  Device device;
  haft_raw_stream stream;
};

// A node that computes: everything but a leaf.
struct FunctionNode : Node {
  virtual NodeStream stream() const = 0;  // of nodes with `streamed`
  // Takes the gradients of the outputs and answers those of the inputs (undefined: none). `create_graph` records.
  virtual void backward(std::span<Tensor> grads, std::span<Tensor> result, bool create_graph) = 0;
  virtual void release_saved() { released = true; }
};

// A leaf's node owns its gradient, so that the tensor may die before the graph. Graphs of several threads may
// share leaves: `mutex` guards the gradient once the process has threads. Recursive, for an allocation may
// call the host.
struct LeafNode final : Node {
  Tensor grad;
  std::recursive_mutex mutex;
  bool frozen = false;          // the tensor stopped requiring a gradient: nothing is added
  TensorImpl* owner = nullptr;  // the tensor, which holds this node; cleared when it dies
  Ref<TensorImpl> slot;
  Shape sizes;
  DType dtype = DType::none;
  Device device;

  LeafNode() { incoming = &slot; }
  const char* name() const override { return "AccumulateGrad"; }
  bool is_leaf() const override { return true; }
  void dispose() noexcept override { delete this; }
  bool let_go(TensorImpl& t) noexcept override;

  Tensor gradient();
  void set_gradient(Tensor g);
  // The tensor whose leaf this is; undefined when it is gone.
  Tensor variable();
};

// Holds a leaf's lock, once the process has threads.
class LeafLock {
  std::recursive_mutex* mutex_;

 public:
  explicit LeafLock(LeafNode& n);
  LeafLock(const LeafLock&) = delete;
  ~LeafLock() {
    if (mutex_) mutex_->unlock();
  }
};

// The shape of an input as the forward call saw it.
struct SavedMeta {
  DType dtype;
  Device device;
  uint8_t ndim;
  int64_t sizes[HAFT_MAX_DIMS];
};

// One recorded operator call. Edges, saved tensors, shapes, words and gradient slots follow in the same cell.
struct OpNode : FunctionNode {
  OpId op;
  uint16_t n_meta = 0;
  uint32_t n_saved = 0;
  uint32_t n_words = 0;
  uint8_t cell = 0;  // pool the cell goes back to; 0xff: the heap
  Saved* saved = nullptr;
  SavedMeta* meta = nullptr;
  uint64_t* words = nullptr;  // those of a node with `streamed` are followed by its stream and device

  const char* name() const override { return op_name(op); }
  NodeStream stream() const override {
    return {Device::unpack(int32_t(words[n_words + 1])), haft_raw_stream(words[n_words])};
  }
  void backward(std::span<Tensor> grads, std::span<Tensor> result, bool create_graph) override;
  void release_saved() override;
  void dispose() noexcept override;
};

// What a gradient function reads and answers; see ops/gradient.h for how one is written.
class Backward {
  OpNode& node_;
  std::span<Tensor> grads_, result_;

 public:
  Backward(OpNode& n, std::span<Tensor> g, std::span<Tensor> r)
      : node_(n), grads_(g), result_(r), attrs{n.words} {}
  AttrReader attrs;

  int n_in() const { return node_.n_in; }
  bool needs(int i) const { return i < node_.n_in && bool(node_.edges[i].node); }
  // Whether that gradient goes to a leaf, not on through operators.
  bool ends_at(int i) const { return needs(i) && node_.edges[i].node->is_leaf(); }
  const Tensor& grad(int k = 0) const { return grads_[k]; }  // undefined: this result took no part
  bool has_grad(int k = 0) const { return grads_[k].defined(); }
  Tensor take_grad(int k = 0) { return std::move(grads_[k]); }  // the last use of it
  // Saved input; undefined if it was absent. Fails for what the gradient did not declare.
  const Tensor& in(int i) const { return saved(uint32_t(i)); }
  Tensor out(int k = 0) const;  // saved output
  IntList in_sizes(int i) const { return {node_.meta[i].sizes, node_.meta[i].ndim}; }
  DType in_dtype(int i) const { return node_.meta[i].dtype; }
  Device in_device(int i) const { return node_.meta[i].device; }
  // What input 0 has of other nodes, where the gradient `adds` and nobody else holds it: its caller's, who answers it
  // with his part added. Undefined: nothing yet, or not to be written.
  Tensor take_sum() { return std::move(result_[0]); }
  void set(int i, Tensor g) { result_[i] = std::move(g); }

 private:
  const Tensor& saved(uint32_t what) const;
  [[gnu::cold]] const Tensor& absent(uint32_t what) const;
};

// What the gradient reads when these inputs take part in it.
inline uint32_t saved_mask(const Gradient& g, std::span<const Tensor* const> inputs) {
  uint32_t mask = g.always;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]->defined() && inputs[i]->impl()->needs_grad()) mask |= g.saved_for(int(i));
  return mask;
}

// The node a tensor's gradient goes to: its own, renewed first when it is a view of memory that got a new history.
Ref<Node> gradient_node(TensorImpl& t);
// Writes the node of a call whose inputs need gradients and hangs it on the outputs.
void record(OpId op, std::span<const Tensor* const> inputs, std::span<Tensor> outputs,
            std::span<const uint64_t> words);
Ref<OpNode> record_node(OpId op, std::span<const Tensor* const> inputs, std::span<Tensor> outputs,
                        std::span<const uint64_t> words);
// After an in-place write: the written tensor's (or its base's) new history is this output of the node.
void rebase_history(TensorImpl& self, Ref<Node> node, uint32_t output = 0);

// Whether calls that answer on this device are recorded with their stream.
inline bool has_streams(Device d) { return !d.is_cpu() && backend(d).has_streams(); }

Ref<Node> make_leaf_node(const TensorImpl& t);
void set_requires_grad(Tensor& t, bool on);  // leaves of float type only
inline bool is_leaf(const Tensor& t) {
  auto* n = static_cast<Node*>(t.impl()->node.get());
  return !t.requires_grad() || (n && n->is_leaf());
}
// The leaf that t is, or was until it stopped requiring a gradient; NULL: neither.
LeafNode* leaf_of(const Tensor& t);
// A tensor that held a leaf no longer does.
void drop_leaf(TensorImpl& t);
// The accumulated (or retained) gradient; undefined when there is none.
Tensor gradient_of(const Tensor& t);
uint64_t next_sequence();
// The version of a tensor's memory, its twin's and its moves included.
uint32_t version_of(const TensorImpl& t);

}  // namespace haft
