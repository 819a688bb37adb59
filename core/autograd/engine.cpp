#include "core/autograd/engine.h"

#include <algorithm>
#include <unordered_map>

#include "core/autograd/hooks.h"
#include "core/autograd/leaf.h"
#include "core/autograd/rows.h"
#include "core/backend/memory.h"
#include "core/dispatch/autocast_as.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/layout.h"
#include "core/modes/anomaly.h"

namespace haft {

namespace {

// Where the gradient of (node, output) is wanted.
struct Target {
  Ref<Node> node;
  uint32_t output;
  Tensor value;
};

// What a run knows of a leaf that another run has claimed: graphs on several threads may share leaves.
struct SharedLeaf {
  Ref<Node> node;
  NodeRun engine;
  Ref<TensorImpl> incoming;
};

// Buffers of one run, kept per thread so that a steady training loop does not allocate.
struct Scratch {
  std::vector<Ref<Node>> visited;
  std::vector<Node*> ready, roots;  // ready: a heap, see Run::make_ready
  std::vector<Tensor> grads, results;

  void clear() {
    visited.clear();
    ready.clear();
    roots.clear();
    grads.clear();
    results.clear();
  }
};

class Run;

// What the engine keeps of a thread.
struct EngineThread {
  Scratch scratch;
  Run* innermost = nullptr;
};

EngineThread& engine_thread() {
  ThreadState& ts = thread_state();
  void*& slot = ts.slots[kSlotEngine];
  if (!slot) {
    slot = new EngineThread;
    ts.slot_destroy[kSlotEngine] = [](void* p) { delete static_cast<EngineThread*>(p); };
  }
  return *static_cast<EngineThread*>(slot);
}

bool recorded_earlier(const Node* a, const Node* b) { return a->seq < b->seq; }

class Run {
 public:
  // What reaches a target is answered in it or, with `accumulates`, added up where its tensor has its gradient.
  Run(BackwardOptions o, std::span<Target> targets, bool accumulates)
      : recording_(thread_state().grad_enabled, o.create_graph),
        options_(o),
        targets_(targets),
        answered_(accumulates ? std::span<Target>() : targets),
        id_(next_id()) {
    options_.retain_graph |= options_.create_graph;
    EngineThread& thread = engine_thread();
    outer_ = thread.innermost;
    if (outer_) own_ = std::make_unique<Scratch>();  // backward inside a custom function's backward
    s_ = own_ ? own_.get() : &thread.scratch;
    thread.innermost = this;
  }
  ~Run() {
    for (Ref<Node>& n : s_->visited) {
      for (int k = 0; k < n->n_out; ++k) n->incoming[k].reset();
      n->engine.run.store(0, std::memory_order_release);
    }
    s_->clear();
    engine_thread().innermost = outer_;
    for (auto& fn : after_) fn();
  }

  void add_root(const Tensor& out, const Tensor& seed) {
    Ref<Node> n = gradient_node(*out.impl());
    if (!n)
      fail(Code::autograd,
           concat("the output of shape ", out.sizes(), " does not require a gradient and has no history"),
           "call set_requires_grad on the leaves before the forward pass, and check that gradients are not "
           "switched off");
    visit(n);
    deliver(*n, out.impl()->output, seed_for(out, seed));
    if (std::ranges::find(s_->roots, n.get()) == s_->roots.end()) s_->roots.push_back(n.get());
  }

  void execute() {
    discover();
    if (!targets_.empty()) mark_needed();
    for (Node* n : s_->roots)
      if (state(*n).deps == 0) make_ready(*n);
    while (Node* n = take_ready()) step(*n);
    for (size_t i = 0; i < at_end_.size(); ++i) std::exchange(at_end_[i], nullptr)();  // one may add others
  }

  void call_at_end(std::function<void()> fn) { at_end_.push_back(std::move(fn)); }
  void call_after(std::function<void()> fn) { after_.push_back(std::move(fn)); }
  Run* outer() const { return outer_; }

 private:
  static uint64_t next_id() {
    static std::atomic<uint64_t> next{1};
    return next_number(next);
  }

  static Tensor seed_for(const Tensor& out, const Tensor& seed) {
    if (!seed.defined()) {
      if (is_complex(out.dtype()))
        fail(Code::autograd, concat("an output of type ", dtype_name(out.dtype()), " needs a seed gradient"),
             "take the real part or the absolute value, or give a seed of its shape", "seed");
      if (out.numel() != 1)
        fail(Code::autograd, concat("an output of shape ", out.sizes(), " needs a seed gradient"),
             "reduce it to one element, or give a seed of its shape", "seed");
      Tensor one = new_tensor(out.sizes(), out.dtype(), out.device());
      fill_ones(one);
      return one;
    }
    const bool casts = seed.dtype() != out.dtype() && is_float(seed.dtype()) && is_float(out.dtype());
    if (!std::ranges::equal(seed.sizes(), out.sizes()) || (seed.dtype() != out.dtype() && !casts) ||
        seed.device() != out.device())
      fail(Code::shape,
           concat("the seed gradient must be ", dtype_name(out.dtype()), " of shape ", out.sizes(), ", got ",
                  dtype_name(seed.dtype()), " of shape ", seed.sizes()),
           {}, "seed");
    if (!casts) return seed;
    uint64_t w[] = {word(out.dtype())};
    return call1(OpId::cast, {&seed}, w);
  }

  static void fill_ones(Tensor& t) {
    Scalar one(1.0);
    uint64_t w[] = {word_kind(one), word_bits(one)};
    NoGradGuard off;
    call1_inplace(OpId::fill, {&t}, w);
  }

  // Claims a node for this run; true when it is new.
  bool visit(const Ref<Node>& n) {
    if (!shared_.empty() && shared_.contains(n.get())) [[unlikely]]
      return false;
    // Room first: a node that was claimed but not listed would stay claimed for ever.
    if (s_->visited.size() == s_->visited.capacity())
      s_->visited.reserve(std::max<size_t>(64, 2 * s_->visited.size()));
    uint64_t before = claim(n->engine.run, id_);
    if (before == 0) {
      if (n->streamed) [[unlikely]]
        note_stream(static_cast<FunctionNode&>(*n));
      n->engine.deps = 0;
      n->engine.needed = true;
      s_->visited.push_back(n);
      return true;
    }
    if (before == id_) return false;
    if (!n->is_leaf())
      fail(Code::busy, "a backward through the same graph is running, on another thread or around this call",
           "run them one after the other, or build a graph for each");
    shared_[n.get()].node = n;
    return true;
  }

  // The state of a node that this run visited.
  NodeRun& state(Node& n) { return shared_.empty() ? n.engine : shared_state(n); }
  Ref<TensorImpl>& incoming(Node& n, uint32_t output) {
    return shared_.empty() ? n.incoming[output] : shared_incoming(n, output);
  }
  [[gnu::cold]] NodeRun& shared_state(Node& n) {
    auto at = shared_.find(&n);
    return at == shared_.end() ? n.engine : at->second.engine;
  }
  [[gnu::cold]] Ref<TensorImpl>& shared_incoming(Node& n, uint32_t output) {
    auto at = shared_.find(&n);
    return at == shared_.end() ? n.incoming[output] : at->second.incoming;
  }
  bool visited(Node& n) const {
    return n.engine.run.load(std::memory_order_relaxed) == id_ || shared_.contains(&n);
  }

  [[noreturn, gnu::cold]] static void fail_released(const Node& n) {
    fail(Code::autograd,
         concat("backward through \"", n.name(),
                "\" a second time: its saved tensors were freed by the first"),
         "pass retain_graph to the first backward");
  }

  // Whether the gradient of n's inputs is wanted, or added up at a leaf. What has targets stops at them.
  bool runs(const Node& n) {
    if (targets_.empty() || (answered_.empty() && n.is_leaf())) return true;
    for (int e = 0; e < n.n_in; ++e)
      if (n.edges[e].node && state(*n.edges[e].node).needed) return true;
    return false;
  }

  void discover() {
    for (size_t i = 0; i < s_->visited.size(); ++i) {  // grows while we walk
      Node* n = s_->visited[i].get();
      if (n->released && targets_.empty()) fail_released(*n);
      for (int e = 0; e < n->n_in; ++e) {
        const Ref<Node>& to = n->edges[e].node;
        if (!to) continue;
        visit(to);
        ++state(*to).deps;
      }
    }
  }

  // Only nodes from which a target can be reached do any work.
  void mark_needed() {
    for (Ref<Node>& n : s_->visited) n->engine.needed = false;
    for (auto& [n, leaf] : shared_) leaf.engine.needed = false;
    for (Target& t : targets_)
      if (t.node && visited(*t.node)) state(*t.node).needed = true;
    // Children first: Kahn's order from the roots, walked backwards.
    std::vector<Node*> order;
    std::vector<int32_t> deps;
    order.reserve(s_->visited.size());
    for (Ref<Node>& n : s_->visited) deps.push_back(n->engine.deps);
    for (Node* r : s_->roots)
      if (state(*r).deps == 0) order.push_back(r);
    for (size_t i = 0; i < order.size(); ++i)  // what has no edges has nothing to say
      for (int e = 0; e < order[i]->n_in; ++e)
        if (Node* to = order[i]->edges[e].node.get(); to && to->n_in && --to->engine.deps == 0)
          order.push_back(to);
    for (size_t i = 0; i < s_->visited.size(); ++i) s_->visited[i]->engine.deps = deps[i];
    for (size_t i = order.size(); i-- > 0;)
      for (int e = 0; e < order[i]->n_in; ++e)
        if (Node* to = order[i]->edges[e].node.get(); to && state(*to).needed) order[i]->engine.needed = true;
    for (Ref<Node>& n : s_->visited)
      if (n->released && runs(*n)) fail_released(*n);
  }

  // Backward runs a node on the stream of its forward call. A leaf's gradient is added up, and a result is
  // ready, on the caller's stream. Where they are one, as nearly always, nothing is said of streams at all.
  [[gnu::noinline]] void note_stream(const FunctionNode& n) {
    const NodeStream s = n.stream();
    const haft_raw_stream now = current_stream(s.device);
    if (now != s.stream) note_caller(s.device, now);
  }
  [[gnu::cold]] void note_caller(Device d, haft_raw_stream stream) {
    auto same = [d](const NodeStream& s) { return s.device == d; };
    if (std::ranges::none_of(callers_, same)) callers_.push_back({d, stream});
  }
  haft_raw_stream callers_stream(Device d) const {
    for (const NodeStream& s : callers_)
      if (s.device == d) return s.stream;
    return current_stream(d);
  }
  // The stream `to` goes on after what the current one has now.
  static void pass_on(const Tensor& g, haft_raw_stream to) {
    const Device d = g.device();
    const haft_raw_stream from = current_stream(d);
    if (from == to) return;
    struct Event {
      Device device;
      haft_raw_event e;
      explicit Event(Device on) : device(on), e(create_event(on)) {}
      ~Event() { destroy_event(device, e); }
    } event(d);
    record_event(d, event.e, from);
    wait_event(d, event.e, to);
    if (is_batched(g)) return record_stream(memory_under(*g.impl()), d, to);
    if (!is_rows(g)) return record_stream(*resolve(*g.impl(), true).storage, d, to);
    const RowGradient rows = rows_of(g);
    record_stream(*rows.indices.impl()->storage, d, to);
    record_stream(*rows.values.impl()->storage, d, to);
  }
  [[gnu::noinline]] void deliver_across(Node& n, uint32_t output, Tensor g) {
    const Device d = g.device();
    if (!has_streams(d)) return deliver_here(n, output, std::move(g));
    haft_raw_stream to = callers_stream(d);
    if (n.streamed)
      if (NodeStream s = static_cast<FunctionNode&>(n).stream(); s.device == d) to = s.stream;
    if (to == current_stream(d)) return deliver_here(n, output, std::move(g));
    pass_on(g, to);
    StreamGuard guard(d, to);
    deliver_here(n, output, std::move(g));
  }
  void deliver(Node& n, uint32_t output, Tensor g) {
    if (!callers_.empty()) [[unlikely]]
      return deliver_across(n, output, std::move(g));
    deliver_here(n, output, std::move(g));
  }

  // Whether this run may write into a gradient: nobody else can see it.
  bool is_ours(const TensorImpl& a) const {
    return !options_.create_graph && a.unique() && a.storage->unique() && a.view.contiguous && !a.node;
  }
  // The sum that an input has so far, for a gradient which adds to it in place of making a whole one of its own.
  // Anomaly mode wants each node's own part, and across streams `deliver` orders who writes when.
  Tensor take_sum(const Edge& to) {
    if (options_.create_graph || !to.node || !callers_.empty() || thread_state().modes & kModeAnomaly ||
        !state(*to.node).needed)
      return {};
    Ref<TensorImpl>& slot = incoming(*to.node, to.output);
    return slot && is_ours(*slot) ? Tensor(std::move(slot)) : Tensor();
  }

  void deliver_here(Node& n, uint32_t output, Tensor g) {
    Ref<TensorImpl>& slot = incoming(n, output);
    if (!slot) {
      slot = g.take();
      return;
    }
    Tensor sum(std::move(slot));
    TensorImpl& a = *sum.impl();
    if (is_rows(a) || is_rows(g)) [[unlikely]] {
      slot = sum_with_rows(sum, g).take();
      return;
    }
    if (is_ours(a) && sum.dtype() == g.dtype())
      call1_inplace(OpId::add, {&sum, &g});
    else
      sum = call1(OpId::add, {&sum, &g});
    slot = sum.take();
  }

  // Of the nodes that are ready the one recorded last runs first, whatever the order of edges: the reverse of
  // the forward pass. `next_` spares a chain the heap: it is used while two or more nodes wait.
  void make_ready(Node& n) {
    if (!n.n_in) return step(n);  // leaves at once: others wait for their gradients
    Node* waits = &n;
    if (next_ && recorded_earlier(next_, waits)) std::swap(next_, waits);
    if (!next_)
      next_ = waits;
    else
      push_ready(waits);
  }
  Node* take_ready() {
    Node* n = std::exchange(next_, nullptr);
    if (!s_->ready.empty()) [[unlikely]]
      n = last_recorded(n);
    return n;
  }
  [[gnu::noinline]] void push_ready(Node* n) {
    s_->ready.push_back(n);
    std::ranges::push_heap(s_->ready, recorded_earlier);
  }
  [[gnu::noinline]] Node* last_recorded(Node* n) {
    auto& heap = s_->ready;
    if (n && recorded_earlier(heap.front(), n)) return n;
    std::ranges::pop_heap(heap, recorded_earlier);
    Node* last = heap.back();
    heap.pop_back();
    if (n) push_ready(n);
    return last;
  }

  void step(Node& n) {
    if (state(n).needed) {
      if (n.streamed) [[unlikely]]
        apply_on_stream(static_cast<FunctionNode&>(n));
      else
        apply(n);
    }
    for (int e = 0; e < n.n_in; ++e)
      if (Node* to = n.edges[e].node.get(); to && --state(*to).deps == 0) make_ready(*to);
  }

  [[gnu::noinline]] void apply_on_stream(FunctionNode& n) {
    const NodeStream s = n.stream();
    if (s.stream == current_stream(s.device)) return apply(n);
    note_caller(s.device, s.stream);  // a hook chose another stream: it was the caller's until then
    StreamGuard guard(s.device, s.stream);
    apply(n);
  }

  // vector::resize would be a call, which costs more than the one or two elements.
  static void shrink(std::vector<Tensor>& v, size_t size) {
    while (v.size() > size) v.pop_back();
  }

  void apply(Node& n) {
    size_t base_g = s_->grads.size(), base_r = s_->results.size();
    bool any = false;
    for (int k = 0; k < n.n_out; ++k) {
      Ref<TensorImpl>& slot = incoming(n, uint32_t(k));
      any |= bool(slot);
      s_->grads.emplace_back(std::move(slot));
    }
    std::span<Tensor> grads(s_->grads.data() + base_g, n.n_out);
    if (any) {
      if (n.hooks) run_hooks(n, grads);
      for (Target& t : answered_)
        if (t.node.get() == &n) {
          t.value = grads[t.output];
          if (!callers_.empty() && t.value.defined() && has_streams(t.value.device()))
            pass_on(t.value, callers_stream(t.value.device()));
        }
      if (runs(n)) {
        for (int e = 0; e < n.n_in; ++e) s_->results.emplace_back();
        std::span<Tensor> results(s_->results.data() + base_r, n.n_in);
        if (n.is_leaf()) {
          accumulate(static_cast<LeafNode&>(n), std::move(grads[0]), options_.create_graph);
          if (n.hooks) run_post_hooks(n);
        } else {
          auto& f = static_cast<FunctionNode&>(n);
          if (f.adds) results[0] = take_sum(f.edges[0]);
          f.backward(grads, results, options_.create_graph);
          if (thread_state().modes & kModeAnomaly) check_anomaly(n, results);
          if (!options_.retain_graph) f.release_saved();
        }
        for (int e = 0; e < n.n_in; ++e)
          if (n.edges[e].node && results[e].defined() && state(*n.edges[e].node).needed)
            deliver(*n.edges[e].node, n.edges[e].output, std::move(results[e]));
      }
    }
    shrink(s_->grads, base_g);
    shrink(s_->results, base_r);
  }

  ScopedValue<bool> recording_;
  AutocastOff casts_;  // the forward call has chosen the dtypes
  BackwardOptions options_;
  std::span<Target> targets_, answered_;
  uint64_t id_;
  Scratch* s_;
  std::unique_ptr<Scratch> own_;
  Run* outer_;
  Node* next_ = nullptr;
  std::vector<std::function<void()>> at_end_, after_;
  std::vector<NodeStream> callers_;  // the current streams of devices that have nodes on other ones
  std::unordered_map<const Node*, SharedLeaf> shared_;
};

Tensor seed_at(std::span<const Tensor> seeds, size_t i) { return i < seeds.size() ? seeds[i] : Tensor(); }

void check_counts(std::span<const Tensor> outputs, std::span<const Tensor> seeds) {
  if (outputs.empty()) fail(Code::invalid_argument, "backward needs at least one output", {}, "outputs");
  if (!seeds.empty() && seeds.size() != outputs.size())
    fail(Code::invalid_argument,
         concat("got ", int64_t(seeds.size()), " seed gradients for ", int64_t(outputs.size()), " outputs"),
         {}, "seeds");
}

std::vector<Target> targets_of(std::span<const Tensor> inputs) {
  std::vector<Target> targets;
  for (const Tensor& t : inputs) {
    targets.push_back({gradient_node(*t.impl()), t.impl()->output, {}});
    if (!targets.back().node)
      fail(Code::autograd,
           concat("input ", int64_t(targets.size()) - 1, " of shape ", t.sizes(),
                  " does not require a gradient"),
           "call set_requires_grad on it before the forward pass", "inputs");
  }
  return targets;
}

void walk(std::span<const Tensor> outputs, std::span<const Tensor> seeds, BackwardOptions options,
          std::span<Target> targets = {}, bool accumulates = true) {
  Run run(options, targets, accumulates);
  for (size_t i = 0; i < outputs.size(); ++i) run.add_root(outputs[i], seed_at(seeds, i));
  run.execute();
}

}  // namespace

void backward(std::span<const Tensor> outputs, std::span<const Tensor> seeds, BackwardOptions options) {
  check_counts(outputs, seeds);
  walk(outputs, seeds, options);
}

void backward_inputs(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                     std::span<const Tensor> seeds, BackwardOptions options) {
  check_counts(outputs, seeds);
  if (inputs.empty())
    fail(Code::invalid_argument, "'inputs' argument to backward cannot be empty.",
         "leave them out for all leaves", "inputs");
  std::vector<Target> targets = targets_of(inputs);
  for (const Tensor& t : inputs) retain_grad(t);
  walk(outputs, seeds, options, targets);
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         std::span<const Tensor> seeds, BackwardOptions options, bool allow_unused) {
  check_counts(outputs, seeds);
  std::vector<Target> targets = targets_of(inputs);
  walk(outputs, seeds, options, targets, false);
  std::vector<Tensor> result;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!targets[i].value.defined() && !allow_unused)
      fail(Code::autograd, concat("input ", int64_t(i), " was not used to make the outputs"),
           "pass allow_unused to get an empty result instead", "inputs");
    result.push_back(std::move(targets[i].value));
  }
  return result;
}

void after_backward(std::function<void()> fn) {
  Run* run = engine_thread().innermost;
  if (!run)
    fail(Code::invalid_argument,
         "no backward is running on this thread, so there is no end of it to wait for");
  run->call_after(std::move(fn));
}

bool backward_is_running() { return engine_thread().innermost; }

void at_end_of_backward(std::function<void()> fn, bool outermost) {
  Run* run = engine_thread().innermost;
  if (!run)
    fail(Code::invalid_argument,
         "no backward is running on this thread, so there is no end of it to wait for",
         "call it from a hook or from a custom function's backward");
  while (outermost && run->outer()) run = run->outer();
  run->call_at_end(std::move(fn));
}

}  // namespace haft
