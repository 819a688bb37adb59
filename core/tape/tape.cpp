#include "core/tape/tape.h"

#include <algorithm>
#include <bit>
#include <new>

#include "core/tape/saved_hooks.h"
#include "core/tensor/batched.h"
#include "core/tensor/order.h"

namespace haft {

const Gradient* gradient_table[kOpCount];

namespace {

struct CellSize {
  PoolId pool;
  size_t bytes;
};
constexpr CellSize kCells[] = {{kPoolNodeS, 192}, {kPoolNodeM, 384}, {kPoolNodeL, 768}};
constexpr uint8_t kHeapCell = 0xff;

size_t align8(size_t n) { return (n + 7) & ~size_t(7); }

// One cell for the node and all its arrays.
template <class T>
Ref<T> allocate(OpId op, int n_in, int n_out, int n_saved, int n_meta, uint32_t n_words) {
  size_t edges = align8(sizeof(T)), saved = edges + sizeof(Edge) * n_in,
         meta = saved + sizeof(Saved) * n_saved;
  size_t incoming = meta + sizeof(SavedMeta) * n_meta, words = incoming + sizeof(Ref<TensorImpl>) * n_out;
  size_t total = words + 8 * size_t(n_words);
  uint8_t cell = 0;
  while (cell < 3 && kCells[cell].bytes < total) ++cell;
  if (cell == 3) cell = kHeapCell;
  char* p = static_cast<char*>(cell == kHeapCell
                                   ? ::operator new(total, std::align_val_t(64))
                                   : pool_take(thread_state(), kCells[cell].pool, kCells[cell].bytes));
  auto* n = new (p) T;
  n->op = op;
  n->cell = cell;
  n->seq = next_sequence();
  n->adds = gradient_table[int(op)]->adds;
  n->n_in = uint16_t(n_in);
  n->n_out = uint16_t(n_out);
  n->n_saved = uint32_t(n_saved);
  n->n_meta = uint16_t(n_meta);
  n->n_words = n_words;
  n->edges = reinterpret_cast<Edge*>(p + edges);
  n->saved = reinterpret_cast<Saved*>(p + saved);
  n->meta = reinterpret_cast<SavedMeta*>(p + meta);
  n->incoming = reinterpret_cast<Ref<TensorImpl>*>(p + incoming);
  n->words = reinterpret_cast<uint64_t*>(p + words);
  for (int i = 0; i < n_in; ++i) new (&n->edges[i]) Edge;
  for (int i = 0; i < n_saved; ++i) new (&n->saved[i]) Saved;
  for (int i = 0; i < n_out; ++i) new (&n->incoming[i]) Ref<TensorImpl>;
  return Ref<T>::adopt(n);
}

// Room behind the words for the stream of a node; the CPU has none.
inline uint32_t stream_words(Device d) { return d.is_cpu() ? 0 : 2; }
[[gnu::noinline]] void keep_stream(OpNode& n, Device d) {
  n.n_words -= 2;
  if (!has_streams(d)) return;
  n.streamed = true;
  n.words[n.n_words] = uint64_t(current_stream(d));
  n.words[n.n_words + 1] = uint64_t(d.pack());
}

template <class T>
void give_back(T* n) noexcept {
  for (uint32_t i = 0; i < n->n_saved; ++i) n->saved[i].~Saved();
  for (int i = 0; i < n->n_out; ++i) n->incoming[i].~Ref<TensorImpl>();
  for (int i = 0; i < n->n_in; ++i) n->edges[i].~Edge();
  const uint8_t cell = n->cell;
  n->T::~T();
  if (cell == kHeapCell)
    ::operator delete(static_cast<void*>(n), std::align_val_t(64));
  else
    pool_give(thread_state(), kCells[cell].pool, n);
}

[[noreturn, gnu::cold]] void fail_inference(OpId op) {
  fail(Code::autograd,
       concat("[", op_name(op), "] a tensor made in inference mode cannot be kept for backward"),
       "clone() it outside inference mode, or run under no_grad instead");
}

void keep(Saved& s, Ref<TensorImpl> t, uint32_t what, OpId op) {
  if (t->inference) [[unlikely]]
    fail_inference(op);
  s.version = version_of(*t);
  s.value = Tensor(std::move(t));
  s.what = what;
}

// A node that describes memory `part` of the memory `whole`: what renews views and rewrites bases.
Ref<OpNode> strided_node(OpId op, const TensorImpl& whole, const TensorImpl& part, int n_in) {
  if (whole.dtype() != part.dtype())
    fail(Code::autograd,
         concat("a ", dtype_name(part.dtype()), " view of ", dtype_name(whole.dtype()),
                " memory, or that memory, was written in place where gradients are recorded"),
         "use the operator that returns a new tensor");
  // Views of a blocked tensor are of its twin.
  const TensorImpl* twin = is_batched(whole) ? nullptr : whole.twin.load(std::memory_order_acquire);
  const haft_tensor_view& w = (twin ? *twin : whole).view;
  int64_t offset =
      (static_cast<char*>(part.view.data) - static_cast<char*>(w.data)) / item_size(whole.dtype());
  Shape strides(part.strides());
  if (!w.contiguous && !to_row_major(whole.sizes(), {w.strides, w.ndim}, part.sizes(), strides, offset))
    fail(Code::autograd,
         concat("a view of shape ", part.sizes(), " and strides ", part.strides(),
                " was written in place; its base, of shape ", whole.sizes(), " and strides ", whole.strides(),
                ", does not lie so in memory that this can be recorded"),
         "make the base contiguous() before taking views");
  AttrWriter words;
  words.add(part.sizes()).add(IntList(strides)).add(offset);
  auto span = words.finish();
  const Device d = whole.device();
  auto n = allocate<OpNode>(op, n_in, 1, 0, n_in, uint32_t(span.size()) + stream_words(d));
  if (!d.is_cpu()) keep_stream(*n, d);
  std::copy(span.begin(), span.end(), n->words);
  return n;
}

void fill_meta(SavedMeta& m, const TensorImpl& t) {
  m.dtype = t.dtype();
  m.device = t.device();
  m.ndim = t.view.ndim;
  std::copy_n(t.view.sizes, m.ndim, m.sizes);
}

}  // namespace

NodeHooks& HookPlace::own() {
  if (NodeHooks* there = get()) return *there;
  auto made = std::make_unique<NodeHooks>();
  NodeHooks* there = nullptr;
  return hooks_.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel) ? *made.release()
                                                                                      : *there;
}

LeafLock::LeafLock(LeafNode& n) : mutex_(__libc_single_threaded ? nullptr : &n.mutex) {
  if (mutex_) mutex_->lock();
}

uint64_t next_sequence() {
  static std::atomic<uint64_t> next{1};
  return next_number(next);
}

uint32_t version_of(const TensorImpl& t) {
  uint32_t v = t.storage->version.load(std::memory_order_relaxed) + t.moves;
  if (TensorImpl* twin = t.twin.load(std::memory_order_acquire))
    v += twin->storage->version.load(std::memory_order_relaxed);
  return v;
}

void OpNode::release_saved() {
  if (n_saved == 0) return;
  released = true;
  for (uint32_t i = 0; i < n_saved; ++i) saved[i].value.reset();
}

void OpNode::dispose() noexcept { give_back(this); }
void PackedNode::dispose() noexcept { give_back(this); }

void OpNode::backward(std::span<Tensor> grads, std::span<Tensor> result, bool create_graph) {
  const Gradient& g = *gradient_table[int(op)];
  Backward b(*this, grads, result);
  if (g.fused && !create_graph)
    g.fused(b);
  else
    g.fn(b);
}

const Tensor& Backward::saved(uint32_t what) const {
  for (uint32_t i = 0; i < node_.n_saved; ++i) {
    const Saved& s = node_.saved[i];
    if (s.what != what) continue;
    if (uint32_t now = version_of(*s.value.impl()); now != s.version)
      fail(Code::autograd,
           concat("[", node_.name(), "] ", what & Saved::kResult ? "its result" : "an input", " of shape ",
                  s.value.sizes(), " was changed in place after the forward call: backward needs version ",
                  s.version, ", it is at ", now),
           "use the operator that returns a new tensor, or clone() before writing");
    return s.value;
  }
  return absent(what);
}

const Tensor& Backward::absent(uint32_t what) const {
  static const Tensor none;
  const Gradient& g = *gradient_table[int(node_.op)];
  uint32_t declared = g.always;
  for (int i = 0; i < node_.n_in; ++i)
    if (needs(i)) declared |= g.saved_for(i);
  const bool result = what & Saved::kResult;
  const int number = int(what & ~Saved::kResult);
  if (!(declared & (result ? saved_output(number) : saved_input(number))))
    fail(Code::internal, concat("[", node_.name(), "] its gradient reads ", result ? "result " : "input ",
                                number, " and does not declare it in `saves`"));
  return none;
}

Tensor Backward::out(int k) const {
  const Tensor& kept = saved(Saved::kResult | uint32_t(k));
  if (!kept.defined() || !thread_state().grad_enabled || !is_differentiable(kept.dtype())) return kept;
  Tensor joined = shallow_copy(*kept.impl());  // to this node again
  joined.impl()->node = Ref<GraphNode>::share(&node_);
  joined.impl()->output = uint32_t(k);
  return joined;
}

namespace {

// f(i) for each of n inputs that `mask` names, or of n results when it is shifted; from kNamedInputs on one bit
// serves all.
constexpr int kFirstResult = kNamedInputs + 1;
template <class F>
[[gnu::always_inline]] inline void each_named(uint32_t mask, int n, F f) {
  for (uint32_t left = mask & ((1u << std::min(n, kNamedInputs)) - 1); left; left &= left - 1)
    f(std::countr_zero(left));
  if (n > kNamedInputs && mask >> kNamedInputs & 1)
    for (int i = kNamedInputs; i < n; ++i) f(i);
}

// All that a node keeps of its call but the saved tensors.
[[gnu::always_inline]] inline void describe(OpNode& n, std::span<const Tensor* const> inputs,
                                            std::span<const uint64_t> words) {
  for (int i = 0; i < n.n_in; ++i) {
    if (!inputs[i]->defined()) continue;
    TensorImpl& t = *inputs[i]->impl();
    if (!t.needs_grad()) continue;
    GraphNode* to = gradient_node(t).leak();
    n.edges[i].node = Ref<Node>::adopt(static_cast<Node*>(to));
    n.edges[i].output = t.output;
  }
  for (int i = 0; i < n.n_meta; ++i) {
    if (inputs[i]->defined())
      fill_meta(n.meta[i], *inputs[i]->impl());
    else
      n.meta[i] = SavedMeta{};
  }
  std::copy(words.begin(), words.end(), n.words);
}

[[gnu::cold]] Ref<OpNode> record_packed(OpId op, std::span<const Tensor* const> inputs,
                                        std::span<Tensor> outputs, std::span<const uint64_t> words,
                                        uint32_t mask, int n_meta) {
  const Device d = outputs[0].device();
  auto n = allocate<PackedNode>(op, int(inputs.size()), int(outputs.size()), 0, n_meta,
                                uint32_t(words.size()) + stream_words(d));
  if (!d.is_cpu()) keep_stream(*n, d);
  describe(*n, inputs, words);
  auto pack = [&](const TensorImpl& t, uint32_t what) {
    if (t.inference) fail_inference(op);
    n->values.push_back({PackedTensor(t), what});
  };
  each_named(mask, int(inputs.size()), [&](int i) {
    if (inputs[i]->defined()) pack(*inputs[i]->impl(), uint32_t(i));
  });
  each_named(mask >> kFirstResult, int(outputs.size()),
             [&](int k) { pack(*outputs[k].impl(), Saved::kResult | uint32_t(k)); });
  return n;
}

}  // namespace

Ref<OpNode> record_node(OpId op, std::span<const Tensor* const> inputs, std::span<Tensor> outputs,
                        std::span<const uint64_t> words) {
  const int n_in = int(inputs.size()), n_out = int(outputs.size());
  const uint32_t mask = saved_mask(*gradient_table[int(op)], inputs);
  int n_saved = 0;
  if (mask & ~SIZES) {
    each_named(mask, n_in, [&](int i) { n_saved += inputs[i]->defined(); });
    each_named(mask >> kFirstResult, n_out, [&](int) { ++n_saved; });
  }
  const int n_meta = mask & SIZES ? n_in : 0;
  if (n_saved && saves_are_hooked(thread_state())) [[unlikely]]
    return record_packed(op, inputs, outputs, words, mask, n_meta);

  const Device d = outputs[0].device();
  auto n = allocate<OpNode>(op, n_in, n_out, n_saved, n_meta, uint32_t(words.size()) + stream_words(d));
  if (!d.is_cpu()) [[unlikely]]
    keep_stream(*n, d);
  describe(*n, inputs, words);
  if (!n_saved) return n;
  int at = 0;
  each_named(mask, n_in, [&](int i) {
    if (inputs[i]->defined()) keep(n->saved[at++], inputs[i]->ref(), uint32_t(i), op);
  });
  each_named(mask >> kFirstResult, n_out, [&](int k) {
    keep(n->saved[at++], shallow_copy(*outputs[k].impl()).take(), Saved::kResult | uint32_t(k), op);
  });
  return n;
}

void record(OpId op, std::span<const Tensor* const> inputs, std::span<Tensor> outputs,
            std::span<const uint64_t> words) {
  Ref<OpNode> n = record_node(op, inputs, outputs, words);
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!is_differentiable(outputs[k].dtype())) continue;
    outputs[k].impl()->node = n;
    outputs[k].impl()->output = uint32_t(k);
  }
}

// A function's result that lies in an input's memory: no operator knows the way from the one to the other, so a write
// to either would lose the function's gradient.
static void refuse_view_of_function(const TensorImpl& t) {
  if (t.node && !dynamic_cast<const OpNode*>(t.node.get()))
    fail(Code::autograd,
         concat("a result of \"", static_cast<const Node*>(t.node.get())->name(),
                "\" is a view of its input, and one of them was written in place"),
         "clone() what the function answers");
}

Ref<Node> gradient_node(TensorImpl& t) {
  std::atomic_ref seen(t.base_epoch);  // its store publishes the new node to threads that read the same view
  if (t.base && t.base->epoch != seen.load(std::memory_order_acquire)) [[unlikely]] {
    static std::mutex renewing;
    Ref<GraphNode> old;  // dies after the lock: its destructor may run the host's code
    std::lock_guard lock(renewing);
    if (t.base->epoch != t.base_epoch) {
      Ref<Node> whole = t.live_base() ? gradient_node(*t.base) : nullptr;
      if (whole) {
        refuse_view_of_function(t);
        auto n = strided_node(OpId::as_strided, *t.base, t, 1);
        fill_meta(n->meta[0], *t.base);
        n->edges[0] = {std::move(whole), t.base->output};
        old = std::move(t.node);
        t.node = n;
        t.output = 0;
      }
      seen.store(t.base->epoch, std::memory_order_release);
    }
  }
  return Ref<Node>::share(static_cast<Node*>(t.node.get()));
}

void rebase_history(TensorImpl& self, Ref<Node> node, uint32_t output) {
  if (!self.live_base()) {
    self.node = std::move(node);
    self.output = output;
    ++self.epoch;
    return;
  }
  refuse_view_of_function(self);
  TensorImpl& base = *self.base;
  auto n = strided_node(OpId::as_strided_scatter, base, self, 2);
  fill_meta(n->meta[0], base);
  fill_meta(n->meta[1], self);
  n->edges[0] = {gradient_node(base), base.output};
  n->edges[1] = {std::move(node), output};
  base.node = std::move(n);
  base.output = 0;
  ++base.epoch;  // self renews its own node from the base when somebody asks
}

Ref<Node> make_leaf_node(const TensorImpl& t) {
  auto n = make_ref<LeafNode>();
  n->seq = next_sequence();
  n->sizes = Shape(t.sizes());
  n->dtype = t.dtype();
  n->device = t.device();
  return n;
}

void set_requires_grad(Tensor& t, bool on) {
  TensorImpl& impl = *t.impl();
  if (on == t.requires_grad()) return;
  if (!on) {
    if (!is_leaf(t))
      fail(Code::autograd,
           "only a leaf can stop requiring a gradient; this tensor is the result of an operator",
           "detach() it");
    {
      LeafLock lock(*leaf_of(t));
      leaf_of(t)->frozen = true;
    }
    impl.frozen = std::move(impl.node);
    return;
  }
  if (!is_differentiable(t.dtype()))
    fail(Code::dtype,
         concat("only floating and complex tensors can require a gradient, got ", dtype_name(t.dtype())),
         "cast to float32");
  if (impl.inference)
    fail(Code::autograd, "a tensor made in inference mode cannot require a gradient",
         "clone() it outside inference mode");
  if (LeafNode* was = leaf_of(t)) {
    LeafLock lock(*was);
    was->frozen = false;
    impl.node = std::move(impl.frozen);
  } else {
    impl.node = make_leaf_node(impl);
    leaf_of(t)->owner = &impl;
    impl.known = true;
  }
  impl.output = 0;
}

LeafNode* leaf_of(const Tensor& t) {
  TensorImpl& impl = *t.impl();
  auto* n = static_cast<Node*>(impl.node ? impl.node.get() : impl.frozen.get());
  return n && n->is_leaf() ? static_cast<LeafNode*>(n) : nullptr;
}

namespace {

// The leaf that points back to t: its node, or what it was before it stopped requiring a gradient.
LeafNode* leaf_that_knows(const TensorImpl& t) {
  for (GraphNode* g : {t.node.get(), t.frozen.get()})
    if (auto* n = static_cast<Node*>(g); n && n->is_leaf())
      if (auto* leaf = static_cast<LeafNode*>(n); leaf->owner == &t) return leaf;
  return nullptr;
}

}  // namespace

bool LeafNode::let_go(TensorImpl& t) noexcept {
  if (owner != &t) return true;
  LeafLock lock(*this);
  // The last reference leaves the count at 1 or 0; variable() may have added one since, and then what is
  // left of ours goes without the tensor.
  std::atomic<uint32_t>& n = t.refs.n;
  if (n.load(std::memory_order_acquire) > 1 && n.fetch_sub(1, std::memory_order_acq_rel) > 1) return false;
  owner = nullptr;
  return true;
}

void drop_leaf(TensorImpl& t) {
  if (LeafNode* leaf = leaf_that_knows(t)) {
    LeafLock lock(*leaf);
    leaf->owner = nullptr;
  }
  t.known = false;
  t.node.reset();
  t.frozen.reset();
}

Tensor LeafNode::variable() {
  LeafLock lock(*this);
  if (!owner) return {};
  std::atomic<uint32_t>& n = owner->refs.n;
  uint32_t now = n.load(std::memory_order_relaxed);
  do
    if (now == 0) return {};  // dying: it waits for the lock
  while (!n.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel, std::memory_order_relaxed));
  return Tensor(Ref<TensorImpl>::adopt(owner));
}

Tensor LeafNode::gradient() {
  LeafLock lock(*this);
  return grad;
}
void LeafNode::set_gradient(Tensor g) {
  LeafLock lock(*this);
  std::swap(grad, g);  // the old one dies after the lock
}

Tensor gradient_of(const Tensor& t) {
  auto* n = static_cast<Node*>(t.impl()->node.get());
  if (LeafNode* leaf = leaf_of(t)) return leaf->gradient();
  if (!n) return {};
  NodeHooks* hooks = n->hooks.get();
  if (!hooks) return {};
  std::lock_guard lock(hooks->mutex);
  return t.impl()->output < hooks->retained.size() ? hooks->retained[t.impl()->output] : Tensor();
}

}  // namespace haft
