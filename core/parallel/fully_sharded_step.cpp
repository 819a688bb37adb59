// Units in a step: who is gathered when, and how gradients are joined.
#include <algorithm>
#include <utility>

#include "core/autograd/hooks.h"
#include "core/dispatch/replay.h"
#include "core/ops/functions.h"
#include "core/parallel/calls.h"
#include "core/parallel/end_of_backward.h"
#include "core/parallel/fully_sharded.h"

namespace haft::parallel {

using dist::Job;
using dist::ReduceOp;

namespace {

Tensor cast_to(const Tensor& t, DType dtype) {
  return dtype != DType::none && t.defined() && is_float(t.dtype()) && t.dtype() != dtype
             ? ops::cast(t, dtype)
             : t;
}

bool is_recorded(const Tensor& t) { return t.defined() && t.requires_grad() && !is_leaf(t); }

uint64_t recorded_at(const Tensor& t) { return static_cast<const Node*>(t.impl()->node.get())->seq; }

Job reduce_scatter_job(const Tensor& all, const Tensor& mine) {
  Job j;
  j.call.kind = dist::Kind::reduce_scatter;
  j.call.reduce = ReduceOp::avg;
  j.in = {all};
  j.out = {mine};
  j.in_parts.assign(size_t(all.numel() / mine.numel()), mine.numel());
  return j;
}

}  // namespace

// ---- forward ----

void FullyShardedUnit::before_forward(std::span<Tensor> inputs) {
  {
    std::lock_guard lock(s_->mutex);
    if (closed_) return;
    if (backward_is_running()) {  // recomputation: the graph that is made here is gone over at once
      join_backward();
      make_whole();
      prefetch(&FullyShardedUnit::before_);
    } else {
      enter();
      refresh_trained();
      make_whole();
      prefetch(&FullyShardedUnit::after_);
    }
    if (has_frozen_ &&
        thread_state().grad_enabled)  // whose gradients do not tell when the unit's backward is over
      for (const Tensor& t : inputs)
        if (is_recorded(t))
          add_hook(t, [weak = weak_from_this()](const Tensor&) {
            if (auto u = weak.lock()) u->inputs_done();
            return Tensor();
          });
  }
  if (options_.cast_forward_inputs)
    for (Tensor& t : inputs) t = cast_to(t, options_.param_dtype);
  std::lock_guard lock(s_->mutex);
  // Behind the casts: an input that they make and that comes back is not this unit's.
  began_ = next_sequence();
}

void FullyShardedUnit::after_forward(std::span<Tensor> outputs) {
  std::lock_guard lock(s_->mutex);
  if (closed_) return;
  for (Tensor& t : outputs) {
    t = cast_to(t, options_.output_dtype);
    // What was there before, as an input that comes back unchanged, is another unit's, and a hook at it would run
    // behind that unit's. This one has a place of its own in backward all the same, since on other ranks it may have
    // computed.
    if (thread_state().grad_enabled && is_recorded(t) && recorded_at(t) < began_) t = ops::alias(t);
  }
  const bool recorded = std::ranges::any_of(outputs, is_recorded);
  if (recorded) {
    // Goes with the graph, too: it may never be gone over.
    const auto use = std::make_shared<std::shared_ptr<void>>(uses_);
    for (const Tensor& t : outputs)
      if (is_recorded(t))
        add_hook(t, [weak = weak_from_this(), use](const Tensor&) {
          if (auto u = weak.lock()) u->before_backward(*use);
          return Tensor();
        });
  }
  if (!backward_is_running()) leave(recorded);
}

// What an exception in an earlier forward left behind is mended here.
void FullyShardedUnit::enter() {
  auto& entered = s_->entered;
  const auto again =
      std::ranges::find_if(entered, [&](const Schedule::Weak& w) { return w.lock().get() == this; });
  for (auto it = again; it != entered.end(); ++it)
    if (auto u = it->lock()) u->give_back();
  entered.erase(again, entered.end());
  if (entered.empty()) {  // a pass begins: shards may have changed since what is whole was gathered
    for (const Schedule::Weak& w : s_->units)
      if (auto u = w.lock()) u->give_back();
    for (const Schedule::Weak& w : s_->ahead)
      if (auto u = w.lock()) u->drop_gather();
    s_->ahead.clear();
    s_->last_entered.reset();
    s_->last_left.reset();
  }
  for (const Schedule::Weak& w : entered)
    if (auto u = w.lock()) u->around_ = true;
  around_ = false;
  outer_ = entered.empty() ? Schedule::Weak() : entered.back();
  if (auto before = s_->last_entered.lock()) before->after_ = weak_from_this();
  s_->last_entered = weak_from_this();
  entered.push_back(weak_from_this());
}

void FullyShardedUnit::leave(bool recorded) {
  auto& entered = s_->entered;
  const auto at =
      std::ranges::find_if(entered, [&](const Schedule::Weak& w) { return w.lock().get() == this; });
  entered.erase(at, entered.end());
  before_ = s_->last_left;
  s_->last_left = weak_from_this();
  const int how = options_.reshard_after_forward;
  // Backward would gather it at once.
  const bool stays = how == 0 || (how < 0 && around_ && entered.empty() && recorded);
  if (!stays) give_back();
  if (entered.empty()) settle(*s_);
}

// Gathers that were begun ahead and not used read the shards, which are the program's from here on.
void FullyShardedUnit::settle(Schedule& s) {
  for (const Schedule::Weak& w : s.units)
    if (auto u = w.lock())
      for (Lane& l : u->lanes_) {
        if (l.gather) l.gather->wait(dist::Deadline::never());
        if (l.astray) std::exchange(l.astray, {})->wait(dist::Deadline::never());
      }
}

// Gathers those that come behind this one, and drops what was gathered for an order that is no more.
void FullyShardedUnit::prefetch(Schedule::Weak FullyShardedUnit::*next) {
  std::vector<std::shared_ptr<FullyShardedUnit>> wanted;
  auto u = shared_from_this();
  for (int i = 0; i < options_.prefetch; ++i) {
    u = (u.get()->*next).lock();
    if (!u || u.get() == this || u->closed_) break;
    wanted.push_back(u);
  }
  std::erase_if(s_->ahead, [&](const Schedule::Weak& w) {
    auto had = w.lock();
    if (had && std::ranges::find(wanted, had) != wanted.end()) return false;
    if (had) had->drop_gather();
    return true;
  });
  for (const auto& w : wanted) {
    if (w->whole_ || w->gathering_ || w->complete_) continue;
    w->together("the parameters of a fully sharded unit", [&] {
      NoGradGuard off;
      s_->ahead.push_back(w);
      w->begin_gather(true);
    });
  }
}

// ---- backward ----

void FullyShardedUnit::join_backward() {
  if (s_->end_queued) return;
  at_end_held(s_, [](Schedule& s, bool whole) { end_of_backward(s, whole); });
  s_->end_queued = true;
}

// The gradient of a result has come.
void FullyShardedUnit::before_backward(std::shared_ptr<void>& use) {
  std::lock_guard lock(s_->mutex);
  if (closed_) return;
  use.reset();
  join_backward();
  reach();
  make_whole();
  prefetch(&FullyShardedUnit::before_);
}

// Once for each time that its gradients are scattered.
void FullyShardedUnit::reach() {
  if (reached_ && !begun_) return;
  reached_ = true;
  inputs_done_ = false;
  pending_ = 0;
  for (Parameter& p : parameters_) {
    p.ready = false;
    pending_ += p.flag >= 0;
  }
  begun_ = complete_ = !pending_;
  // What was recorded later has been gone over, so backward has left the units that this one is not inside of: their
  // turn has come on all ranks here, whichever of their parameters were used.
  // One inside of this that was reached before it has the same result, and is only beginning.
  for (const auto& u : s_->reached)
    if (!u->is_inside(*this)) u->pass_by();
  auto& around = s_->around;
  while (!around.empty() && !is_inside(*around.back()) && !around.back()->is_inside(*this)) {
    around.back()->pass_by();
    s_->reached.push_back(std::move(around.back()));
    around.pop_back();
  }
  if (pending_ && around_)
    around.insert(std::ranges::find_if(around, [&](const auto& u) { return u->is_inside(*this); }),
                  shared_from_this());
  else if (pending_)
    s_->reached.push_back(shared_from_this());
  scatter_ready(*s_);
}

void FullyShardedUnit::pass_by() {
  if (is_awaited()) return;
  complete_ = true;
  if (std::ranges::none_of(s_->entered, [&](const Schedule::Weak& w) { return w.lock().get() == this; }))
    give_back();
}

bool FullyShardedUnit::is_inside(const FullyShardedUnit& u) const {
  for (auto o = outer_.lock(); o; o = o->outer_.lock())
    if (o.get() == &u) return true;
  return false;
}

void FullyShardedUnit::on_gradient(size_t number, const Tensor& g) {
  std::lock_guard lock(s_->mutex);
  if (closed_) return;
  Parameter& p = parameters_[number];
  if (p.flag < 0) return;  // it was unfrozen behind the forward pass that is gone over
  if (g.requires_grad())
    fail(Code::autograd,
         concat("fully sharded: the gradient of \"", p.name,
                "\" was recorded (create_graph), and derivatives of scattered gradients are not joined over "
                "ranks"),
         "take such derivatives with grad(), which leaves .grad alone");
  join_backward();
  reach();
  NoGradGuard off;
  Lane& l = lanes_[p.lane];
  if (!l.flat.defined()) {
    const int64_t count = l.gradient_chunk * s_->group->size();
    l.flat = ops::zeros(IntList(&count, 1), l.reduce, l.home);
  }
  const Tensor here = ops::flatten(ops::to(g, DType::none, l.home));
  each_part(p, here, l.flat, l.gradient_chunk, p.gradient_at, [&](const Tensor& from, const Tensor& to) {
    if (p.used)
      ops::add_(to, cast_to(from, l.reduce));
    else
      ops::copy_(to, from);
  });
  set_gradient(p.tensor, {});
  pending_ -= !p.ready;
  p.ready = p.used = true;
  look_complete();
}

void FullyShardedUnit::inputs_done() {
  std::lock_guard lock(s_->mutex);
  if (closed_ || !s_->end_queued) return;
  inputs_done_ = true;
  look_complete();
}

// Ranks that use different parameters of it must agree about when it goes and is joined.
void FullyShardedUnit::look_complete() {
  if (!reached_ || pending_ || is_awaited()) return;
  const bool entered =
      std::ranges::any_of(s_->entered, [&](const Schedule::Weak& w) { return w.lock().get() == this; });
  if ((!has_frozen_ || inputs_done_) && !entered) give_back();
  if (complete_) return;
  complete_ = true;
  scatter_ready(*s_);
}

// In the order in which backward reached the units, which is that of all ranks; who ran around others comes behind
// them. One reduction is under way at a time: what it needs would pile up otherwise.
void FullyShardedUnit::scatter_ready(Schedule& s) {
  while (!s.reached.empty() && s.reached.front()->complete_) {
    auto u = std::move(s.reached.front());
    s.reached.erase(s.reached.begin());
    u->begun_ = true;
    if (!u->sync_) continue;
    u->together("gradients of a fully sharded unit", [&] {
      NoGradGuard off;
      u->begin_reduce();
    });
    s.scattering.push_back(std::move(u));
    if (s.scattering.size() > 1) take_first(s);
  }
}

void FullyShardedUnit::take_first(Schedule& s) {
  auto u = std::move(s.scattering.front());
  s.scattering.erase(s.scattering.begin());
  u->together("gradients of a fully sharded unit", [&] {
    NoGradGuard off;
    u->take_reduced();
  });
}

// Behind each chunk stands which parameters have a gradient on this rank: those that have none anywhere get none.
void FullyShardedUnit::begin_reduce() {
  const int64_t ranks = s_->group->size();
  ++info_.scatters;
  for (Lane& l : lanes_) {
    if (!l.gradient_chunk) continue;
    const int64_t count = l.gradient_chunk * ranks;
    if (!l.flat.defined()) l.flat = ops::zeros(IntList(&count, 1), l.reduce, l.home);
    Tensor used = new_tensor(IntList(&l.flags, 1), DType::f32);
    l.all_used = true;
    for (size_t i : l.parameters)
      if (Parameter& p = parameters_[i]; p.flag >= 0) {
        used.data<float>()[p.flag] = p.used;
        l.all_used &= p.used;
        p.used = false;
      }
    if (!l.all_used && is_recording())
      fail(Code::unsupported,
           "fully sharded: a parameter got no gradient in a step that is recorded, and whether another rank "
           "has one is asked of the device",
           "freeze what the step does not use, or leave the step out of the recording");
    const int64_t sizes[] = {ranks, l.flags}, strides[] = {l.gradient_chunk, 1};
    const Tensor marks = view_over(*l.flat.impl(), sizes, strides, l.gradient_chunk - l.flags);
    if (l.all_used)
      ops::fill_(marks, 1);
    else
      ops::copy_(marks, ops::to(used, DType::none, l.home));
    if (ranks == 1) {
      l.reduced = std::move(l.flat);
      continue;
    }
    l.reduced = new_tensor(IntList(&l.gradient_chunk, 1), l.reduce, l.home);
    info_.sent_bytes += (ranks - 1) * l.reduced.bytes();
    l.reduce_work = s_->reduces->start(of_unit(reduce_scatter_job(l.flat, l.reduced)));
    l.flat.reset();  // the call holds it
  }
}

void FullyShardedUnit::take_reduced() {
  for (Lane& l : lanes_) {
    if (!l.reduced.defined()) continue;
    if (l.reduce_work) finish_work(l.reduce_work);
    const Tensor mean = std::move(l.reduced);
    l.reduced.reset();
    if (s_->replicas && s_->replicas->size() > 1) {
      info_.sent_bytes += mean.bytes();
      s_->replica_reduces->run(of_unit(all_reduce_job(mean, ReduceOp::avg)));
    }
    Tensor used;  // what is asked of a device makes the host wait
    if (!l.all_used)
      used = ops::to(ops::narrow(mean, 0, l.gradient_chunk - l.flags, l.flags), DType::f32, Device{});
    for (size_t i : l.parameters) {
      const Parameter& p = parameters_[i];
      if (p.flag < 0 || (!l.all_used && used.data<float>()[p.flag] == 0)) continue;
      const IntList sizes = p.shard.sizes();
      const Tensor part =
          cast_to(view_over(*mean.impl(), sizes, contiguous_strides(sizes), p.gradient_at), l.dtype);
      if (const Tensor had = gradient_of(p.shard))
        ops::add_(had, part);
      else
        set_gradient(p.shard, part);
    }
  }
}

void FullyShardedUnit::end_of_backward(Schedule& s, bool whole) {
  std::lock_guard lock(s.mutex);
  struct Over {
    Schedule& s;
    bool whole = false;
    ~Over() {
      s.end_queued = false;
      s.reached.clear();
      s.around.clear();
      s.scattering.clear();
      s.ahead.clear();
      for (const Schedule::Weak& w : s.units)
        if (auto u = w.lock()) u->reset_backward(whole);
      std::erase_if(s.units, [](const Schedule::Weak& w) { return w.expired(); });
    }
  } over{s};
  if (!whole) return;
  for (; !s.around.empty(); s.around.pop_back()) s.reached.push_back(std::move(s.around.back()));
  for (const auto& u : s.reached) u->complete_ = true;  // what got no gradient counts as 0
  scatter_ready(s);
  while (!s.scattering.empty()) take_first(s);
  settle(s);
  over.whole = true;
}

// After a backward that failed: what is under way comes to its end without us, and what this rank had is gone.
void FullyShardedUnit::reset_backward(bool whole) noexcept {
  drop_gather();
  reached_ = complete_ = inputs_done_ = begun_ = false;
  if (!whole) {
    for (Lane& l : lanes_) {
      l.flat.reset();
      l.reduced.reset();
      l.reduce_work = {};
    }
    for (Parameter& p : parameters_) p.used = false;
  }
  const bool entered =
      std::ranges::any_of(s_->entered, [&](const Schedule::Weak& w) { return w.lock().get() == this; });
  try {
    if (is_awaited()) uses_ = std::make_shared<char>();
    if (!entered) give_back();
  } catch (...) {  // it stays whole until the next forward
  }
}

}  // namespace haft::parallel
