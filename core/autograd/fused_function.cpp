#include "core/autograd/fused_function.h"

#include <algorithm>
#include <map>

#include "core/autograd/engine.h"
#include "core/autograd/function.h"
#include "core/backend/fused.h"
#include "core/backend/registry.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/layout.h"
#include "core/modes/profiler.h"
#include "core/tensor/order.h"

namespace haft {

namespace {

constexpr size_t kMostPlans = 256;  // signatures of a function that are remembered

Tensor expanded(const Tensor& x, IntList sizes) {
  if (std::ranges::equal(x.sizes(), sizes)) return x;
  AttrWriter w;
  w.add(sizes);
  return call1(OpId::expand, {&x}, w.finish());
}
Tensor without_last(const Tensor& x) {
  uint64_t words[] = {word(int64_t(-1))};
  return call1(OpId::squeeze, {&x}, words);
}
Tensor joined(const Tensor& x, const Chain::Output& o) {
  const OpId op = o.join == HAFT_FUSED_SUM    ? OpId::sum
                  : o.join == HAFT_FUSED_MEAN ? OpId::mean
                  : o.join == HAFT_FUSED_MAX  ? OpId::amax
                                              : OpId::amin;
  const int64_t last[] = {x.ndim() - 1};
  AttrWriter w;
  w.add(IntList(last)).add(int64_t(true));
  if (op == OpId::sum) w.add(int64_t(DType::none));
  return call1(op, {&x}, w.finish());
}

// What was cast in the trace is not cast again.
struct WithoutAutocast : ScopedValue<uint32_t> {
  WithoutAutocast() : ScopedValue(thread_state().modes, thread_state().modes & ~uint32_t(kModeAutocast)) {}
};

}  // namespace

class FusedChain final : public RefCounted {
 public:
  FusedChain(std::string name, Chain chain, std::shared_ptr<FusedCounts> counts)
      : name_(std::move(name)), chain_(std::move(chain)), counts_(std::move(counts)) {}

  std::vector<Tensor> run(std::span<const Tensor> all) {
    std::vector<Tensor> in;
    for (int64_t i : chain_.inputs) in.push_back(all[size_t(i)]);
    WithoutAutocast as_traced;
    std::vector<Tensor> out;
    FusedKernel* kernel = chain_.steps.empty() ? nullptr : kernel_for(in[0].device());
    if (!kernel) {
      out = one_by_one(in);
    } else {
      bool record = false;
      for (const Tensor& t : in)
        record |= thread_state().grad_enabled && is_float(t.dtype()) && t.requires_grad();
      if (record) {
        for (Tensor& t : in)
          t = expanded(t,
                       chain_.space);  // recorded, so that gradients of what was broadcast are summed there
        out = apply_function(differentiable(), in);
      } else {
        out = launch(*kernel, in);
      }
    }
    for (size_t k = 0; k < out.size(); ++k) {
      const Chain::Output& o = chain_.outputs[k];
      if (o.join != HAFT_FUSED_STORE) {
        if (!o.keepdim) out[k] = without_last(out[k]);
      } else {
        out[k] = expanded(out[k], IntList(o.sizes));
      }
    }
    return out;
  }

 private:
  struct Compiled {
    std::unique_ptr<FusedKernel> kernel;
    std::string reason;
  };
  // A gradient as a chain over the inputs and the gradients of the results, and which inputs it answers; no chain:
  // the composition.
  struct GradientPlan {
    Ref<FusedChain> chain;
    std::vector<bool> defined;
  };

  bool passes(const Chain::Output& o) const {
    return o.value < chain_.in_dtypes.size() && o.join == HAFT_FUSED_STORE;
  }

  // Results with joined dimensions kept, computed in operators.
  std::vector<Tensor> one_by_one(std::span<const Tensor> in) const {
    std::vector<Tensor> values(in.begin(), in.end()), out;
    for (const haft_fused_step& s : chain_.steps) {
      const Tensor* of[6];
      for (int i = 0; i < s.n_in; ++i) of[i] = &values[s.in[i]];
      SmallVec<uint64_t, 8> words;
      for (uint32_t w = 0; w < s.n_attrs; ++w) words.push_back(chain_.words[s.attrs + w]);
      Tensor result;
      dispatch({.op = OpId(s.op),
                .n_in = s.n_in,
                .in = of,
                .words = {words.data(), size_t(words.size())},
                .out = &result});
      values.push_back(std::move(result));
    }
    for (const Chain::Output& o : chain_.outputs) {
      const Tensor& x = values[o.value];
      out.push_back(o.join == HAFT_FUSED_STORE ? x : joined(expanded(x, chain_.space), o));
    }
    return out;
  }

  FusedKernel* kernel_for(Device d) {
    std::lock_guard lock(mutex_);
    Compiled& c = kernels_[d.pack()];
    if (!c.kernel && c.reason.empty()) {
      std::vector<uint8_t> types, joins;
      std::vector<uint16_t> outputs;
      for (DType t : chain_.in_dtypes) types.push_back(uint8_t(t));
      for (const Chain::Output& o : chain_.outputs) {
        if (passes(o)) continue;
        outputs.push_back(o.value);
        joins.push_back(o.join);
      }
      const haft_fused_program program = {
          sizeof program, uint32_t(types.size()), uint32_t(outputs.size()), uint32_t(chain_.steps.size()),
          types.data(),   chain_.steps.data(),    outputs.data(),           name_.c_str(),
          joins.data()};
      try {
        c.kernel = std::make_unique<FusedKernel>(d, program);
      } catch (const Error& e) {
        if (e.code != Code::unsupported) throw;
        c.reason = e.message;
      }
    }
    if (!c.kernel) {
      ++counts_->unfused;
      std::lock_guard reason(counts_->mutex);
      counts_->reason = c.reason;
    }
    return c.kernel.get();
  }

  std::vector<Tensor> launch(FusedKernel& kernel, std::span<const Tensor> in) {
    const IntList space(chain_.space);
    const Device device = in[0].device();
    // Inputs as the kernel walks them; the results lie as those do that are of the whole shape.
    std::vector<haft_tensor_view> views;
    std::vector<const int64_t*> strides;
    for (const Tensor& t : in) {
      haft_tensor_view v = resolve(*t.impl(), false).view;
      if (!std::ranges::equal(t.sizes(), space)) {
        const int more = int(space.size()) - v.ndim;
        haft_tensor_view wide = v;
        wide.ndim = uint8_t(space.size());
        wide.contiguous = 0;
        wide.numel = 1;
        for (int d = 0; d < int(space.size()); ++d) {
          wide.sizes[d] = space[size_t(d)];
          wide.strides[d] = d < more || v.sizes[d - more] != space[size_t(d)] ? 0 : v.strides[d - more];
          wide.numel *= wide.sizes[d];
        }
        v = wide;
      }
      views.push_back(v);
    }
    for (const haft_tensor_view& v : views) strides.push_back(v.strides);
    const Shape order = strides_in_order_of(space, strides);

    std::vector<Tensor> out;
    std::vector<const haft_tensor_view*> ins, outs;
    bool any = false;
    for (const Chain::Output& o : chain_.outputs) {
      if (passes(o)) {
        out.push_back(in[o.value]);
        continue;
      }
      Shape sizes = space;
      if (o.join != HAFT_FUSED_STORE) sizes.back() = 1;
      out.push_back(o.join == HAFT_FUSED_STORE ? new_tensor_strided(sizes, order, o.dtype, device)
                                               : new_tensor(sizes, o.dtype, device));
      any = any || out.back().numel() > 0;
    }
    for (const haft_tensor_view& v : views) ins.push_back(&v);
    for (size_t k = 0; k < out.size(); ++k)
      if (!passes(chain_.outputs[k])) outs.push_back(&out[k].view());
    if (!any) return out;
    profiler_push(name_.c_str());
    struct Range {
      ~Range() { profiler_pop(); }
    } range;
    kernel.launch(ins, outs, chain_.words);
    ++counts_->kernels;
    return out;
  }

  Ref<CustomFunction> differentiable() {
    auto fn = make_ref<CustomFunction>();
    fn->name = name_;
    fn->forward = [self = Ref<FusedChain>::share(this)](FunctionContext& context,
                                                        std::span<const Tensor> in) {
      for (const Tensor& t : in) context.save(t);
      return self->launch(*self->kernel_for(in[0].device()), in);
    };
    fn->backward = [self = Ref<FusedChain>::share(this)](FunctionContext& context,
                                                         std::span<const Tensor> grads) {
      return self->gradient(context, grads);
    };
    return fn;
  }

  std::vector<Tensor> gradient(FunctionContext& context, std::span<const Tensor> grads) {
    const bool create_graph = thread_state().grad_enabled;
    const size_t n = chain_.in_dtypes.size();
    std::vector<bool> key{create_graph}, needs;
    std::vector<Tensor> given;
    for (size_t i = 0; i < n; ++i) {
      given.push_back(context.saved(int64_t(i)));
      needs.push_back(context.needs[i] && is_float(chain_.in_dtypes[i]));
      key.push_back(needs[i]);
    }
    for (const Tensor& g : grads) {
      key.push_back(g.defined());
      if (g.defined()) given.push_back(g);
    }
    const std::vector<bool> seeded(key.begin() + 1 + int64_t(n), key.end());
    GradientPlan plan;
    {
      std::lock_guard lock(mutex_);
      if (const auto found = gradients_.find(key); found != gradients_.end()) plan = found->second;
    }
    const TracedFunction composition = [&](std::span<const Tensor> all) {
      return gradient_of_operators(all, needs, seeded, create_graph);
    };
    if (!plan.chain && plan.defined.empty()) {
      try {
        ++counts_->traces;
        Chain chain = trace(name_ + " backward", composition, given, &plan.defined);
        plan.chain = make_ref<FusedChain>(name_ + " backward", std::move(chain), counts_);
      } catch (const Error& e) {
        if (e.code != Code::unsupported) throw;
        plan.defined.assign(n, true);
        plan.chain.reset();
      }
      std::lock_guard lock(mutex_);
      gradients_[key] = plan;
    }
    if (!plan.chain) {
      ++counts_->unfused;
      return composition(given);
    }
    std::vector<Tensor> some = plan.chain->chain_.outputs.empty() ? std::vector<Tensor>()
                                                                  : plan.chain->run(given),
                        result(n);
    for (size_t i = 0, k = 0; i < n; ++i)
      if (plan.defined[i]) result[i] = std::move(some[k++]);
    return result;
  }

  // Of inputs, then the gradients of the results that have one.
  std::vector<Tensor> gradient_of_operators(std::span<const Tensor> all, const std::vector<bool>& needs,
                                            const std::vector<bool>& seeded, bool create_graph) const {
    const size_t n = chain_.in_dtypes.size();
    ScopedValue<bool> recording(thread_state().grad_enabled, true);
    std::vector<Tensor> in, wanted, outputs;
    for (size_t i = 0; i < n; ++i) {
      const bool connected = create_graph && all[i].requires_grad();
      in.push_back(connected ? all[i] : shallow_copy(*all[i].impl()));
      if (needs[i] && !connected) set_requires_grad(in.back(), true);
      if (needs[i]) wanted.push_back(in.back());
    }
    const std::vector<Tensor> results = one_by_one(in);
    std::vector<Tensor> seeds;
    for (size_t k = 0, g = n; k < results.size(); ++k) {
      if (!seeded[k]) continue;
      const Tensor& seed = all[g++];
      if (!results[k].requires_grad()) continue;
      outputs.push_back(results[k]);
      seeds.push_back(seed);
    }
    std::vector<Tensor> some(wanted.size()), answer(n);
    if (!outputs.empty())
      some = grad(outputs, wanted, seeds, {.retain_graph = create_graph, .create_graph = create_graph}, true);
    for (size_t i = 0, k = 0; i < n; ++i)
      if (needs[i]) answer[i] = some[k++];
    return answer;
  }

  const std::string name_;
  const Chain chain_;
  const std::shared_ptr<FusedCounts> counts_;
  std::mutex mutex_;  // for what follows
  std::map<int32_t, Compiled> kernels_;
  std::map<std::vector<bool>, GradientPlan> gradients_;
};

FusedFunction::FusedFunction(std::string name, TracedFunction fn)
    : name_(std::move(name)), fn_(std::move(fn)) {}
FusedFunction::~FusedFunction() = default;

std::vector<Tensor> FusedFunction::operator()(std::span<const Tensor> inputs) {
  if (is_tracing()) return fn_(inputs);  // within another one
  if (std::ranges::any_of(inputs, [](const Tensor& t) { return is_batched(t); })) return fn_(inputs);
  ThreadState& ts = thread_state();
  std::vector<int64_t> signature{int64_t(default_float()),
                                 ts.modes & kModeAutocast ? int64_t(ts.autocast.enabled) : 0};
  for (const Tensor& t : inputs) {
    if (!t.defined()) fail(Code::invalid_argument, concat("[", name_, "] an input is absent"));
    const int64_t type = t.device().type;
    signature.insert(signature.end(), {int64_t(t.dtype()), int64_t(t.device().pack()), t.ndim(),
                                       int64_t(ts.autocast.dtype[type])});
    signature.insert(signature.end(), t.sizes().begin(), t.sizes().end());
  }
  Ref<FusedChain> chain;
  {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(plans_, signature, &Plan::signature);
    if (found != plans_.end()) {
      std::rotate(plans_.begin(), found, found + 1);
      chain = plans_.front().chain;
    }
  }
  if (!chain) {
    NoGradGuard off;
    ++counts_->traces;
    chain = make_ref<FusedChain>(name_, trace(name_, fn_, inputs), counts_);
    std::lock_guard lock(mutex_);
    if (plans_.size() == kMostPlans) plans_.pop_back();
    plans_.insert(plans_.begin(), {signature, chain});
  }
  return chain->run(inputs);
}

}  // namespace haft
