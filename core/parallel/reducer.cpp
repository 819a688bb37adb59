// Buckets, the hooks that count their gradients, and the end of backward.
#include <algorithm>

#include "core/autograd/hooks.h"
#include "core/autograd/rows.h"
#include "core/ops/functions.h"
#include "core/parallel/data_parallel.h"
#include "core/parallel/end_of_backward.h"

namespace haft::parallel {

using dist::ReduceOp;

// ---- layout ----

void DataParallel::lay_out(const std::vector<int>& order) {
  NoGradGuard off;
  struct Plan {
    std::vector<int> parameters;
    int64_t bytes = 0;
    size_t last = 0;  // position of its last parameter: when it is full
  };
  std::vector<Plan> plans;
  std::vector<std::pair<DType, int>> open;  // the bucket that a dtype's next gradient goes to
  for (size_t i = 0; i < order.size(); ++i) {
    const Tensor& t = parameters_[size_t(order[i])].tensor;
    auto at = std::ranges::find_if(open, [&](auto& o) { return o.first == t.dtype(); });
    if (at == open.end()) {
      plans.emplace_back();
      at = open.insert(open.end(), {t.dtype(), int(plans.size()) - 1});
    } else if (at->second < 0) {
      plans.emplace_back();
      at->second = int(plans.size()) - 1;
    }
    Plan& plan = plans[size_t(at->second)];
    plan.parameters.push_back(order[i]);
    plan.bytes += t.bytes();
    plan.last = i;
    if (plan.bytes >= (at->second == 0 ? options_.first_bucket_bytes : options_.bucket_bytes))
      at->second = -1;
  }
  for (size_t i = 1; i < plans.size(); ++i)  // nearly sorted already
    for (size_t k = i; k && plans[k].last < plans[k - 1].last; --k) std::swap(plans[k], plans[k - 1]);

  std::vector<Lane> lanes(plans.size());
  for (size_t b = 0; b < plans.size(); ++b) {
    Bucket& bucket = lanes[b].bucket;
    bucket.index = int(b);
    bucket.parameters = std::move(plans[b].parameters);
    const DType dtype = parameters_[size_t(bucket.parameters[0])].tensor.dtype();
    int64_t count = 0;
    for (int p : bucket.parameters) count += parameters_[size_t(p)].tensor.numel();
    const int64_t tail = b + 1 == plans.size() && tells_used() ? int64_t(parameters_.size()) : 0;
    const int64_t whole = count + tail, one = 1;
    lanes[b].flat = ops::zeros(IntList(&whole, 1), dtype, parameters_[0].tensor.device());
    const Ref<Storage>& memory = lanes[b].flat.impl()->storage;
    bucket.buffer = tensor_over(memory, IntList(&count, 1), IntList(&one, 1), dtype);
    if (tail) lanes[b].tail = tensor_over(memory, IntList(&tail, 1), IntList(&one, 1), dtype, count);
    int64_t at = 0;
    for (int p : bucket.parameters) {
      const IntList sizes = parameters_[size_t(p)].tensor.sizes();
      bucket.gradients.push_back(tensor_over(memory, sizes, contiguous_strides(sizes), dtype, at));
      at += parameters_[size_t(p)].tensor.numel();
    }
  }

  // What lies in the old buckets moves.
  const std::vector<Lane> before = std::move(lanes_);
  std::vector<Tensor> residuals;
  if (hook_) residuals = std::move(hook_->residuals);
  lanes_ = std::move(lanes);
  for (size_t b = 0; b < lanes_.size(); ++b)
    for (size_t k = 0; k < lanes_[b].bucket.parameters.size(); ++k) {
      Parameter& p = parameters_[size_t(lanes_[b].bucket.parameters[k])];
      p.bucket = int(b);
      p.place = int(k);
    }
  if (hook_) lay_out_hook();
  for (const Lane& old : before)
    for (size_t k = 0; k < old.bucket.parameters.size(); ++k) {
      const Parameter& p = parameters_[size_t(old.bucket.parameters[k])];
      const Tensor& from = old.bucket.gradients[k];
      if (!residuals.empty())
        ops::copy_(piece(hook_->residuals[size_t(p.bucket)], p),
                   piece_at(residuals[size_t(old.bucket.index)], from, old.bucket.buffer));
      if (!options_.bucket_view) continue;
      Tensor g = gradient_of(p.tensor);
      if (!g.defined() || g.impl() != from.impl()) continue;
      ops::copy_(slot(p), from);
      set_gradient(p.tensor, slot(p));
    }
}

// The elements of `flat` that lie where `place` lies in its buffer.
Tensor DataParallel::piece_at(const Tensor& flat, const Tensor& place, const Tensor& buffer) {
  const int64_t from = (place.data<char>() - buffer.data<char>()) / item_size(buffer.dtype());
  return view_over(*flat.impl(), place.sizes(), contiguous_strides(place.sizes()), from);
}

Tensor DataParallel::piece(const Tensor& flat, const Parameter& p) {
  return piece_at(flat, slot(p), lanes_[size_t(p.bucket)].bucket.buffer);
}

void DataParallel::lay_out_hook() {
  std::vector<Bucket*> buckets;
  for (Lane& l : lanes_) buckets.push_back(&l.bucket);
  hook_->residuals.clear();
  if (hook_->has_residuals())
    for (const Bucket* b : buckets) hook_->residuals.push_back(ops::zeros_like(b->buffer, DType::f32));
  hook_->warm.resize(parameters_.size());
  hook_->laid_out(buckets);
}

// After the first step, once, in the order in which rank 0's gradients came.
void DataParallel::rebuild() {
  if (lanes_.size() == 1) return;
  std::vector<bool> came(parameters_.size());
  for (int p : order_) came[size_t(p)] = true;
  for (int p = int(parameters_.size()) - 1; p >= 0; --p)
    if (!came[size_t(p)]) order_.push_back(p);
  const int64_t count = int64_t(order_.size());
  Tensor t = new_tensor(IntList(&count, 1), DType::i64);
  std::ranges::copy(order_, t.data<int64_t>());
  if (group_->size() > 1) group_->run(broadcast_job(t, 0));
  std::copy_n(t.data<int64_t>(), count, order_.begin());
  lay_out(order_);
  info_.rebuilt = true;
}

// ---- during backward ----

void DataParallel::on_gradient(int number, const Tensor& g) {
  std::lock_guard lock(mutex_);
  if (closed_) return;
  Parameter& p = parameters_[size_t(number)];
  p.used = true;
  if (!latched_.value_or(sync_)) return;
  if (g.requires_grad())
    fail(Code::autograd,
         concat(
             "data parallel: the gradient of \"", p.name,
             "\" was recorded (create_graph), and derivatives of joined gradients are not joined over ranks"),
         "take such derivatives with grad(), which leaves .grad alone, or switch joining off for that "
         "backward (no_sync)");
  if (!in_step_) begin_step();
  if (!end_queued_) {
    at_end_whole_or_not<DataParallel>(this, [](DataParallel& d, bool whole) { d.end_of_backward(whole); });
    end_queued_ = true;
  }
  if (first_ && !p.fires) order_.push_back(number);
  if (first_) ++p.fires;
  if (options_.static_graph) {
    if (first_) return;  // how often gradients come is known at its end
    if (--p.left > 0) return;
    if (p.left < 0) fail_twice(p);
  } else if (p.ready && !(p.unused && !lanes_[size_t(p.bucket)].begun)) {
    fail_twice(p);
  }
  mark_ready(p, g);
  begin_ready();
}

void DataParallel::begin_step() {
  in_step_ = true;
  next_ = 0;
  if (first_) order_.clear();
  for (Lane& l : lanes_) {
    l.pending = int(l.bucket.parameters.size());
    l.begun = false;
  }
  for (Parameter& p : parameters_) {
    p.ready = p.unused = false;
    if (first_) p.fires = 0;
    p.left = p.fires;
  }
  if (options_.static_graph ? first_ : !options_.find_unused) return;
  // The engine has visited what this backward can reach.
  for (Parameter& p : parameters_) {
    const LeafNode* leaf = leaf_of(p.tensor);
    const bool comes =
        options_.static_graph ? p.fires > 0 : leaf && leaf->engine.run.load(std::memory_order_relaxed);
    if (!comes) mark_unused(p);
  }
}

bool DataParallel::is_slot(const Parameter& p, const Tensor& g) {
  const Tensor& s = slot(p);
  return g.impl() == s.impl() || (g.data<char>() == s.data<char>() && g.is_contiguous() &&
                                  g.view().layout == HAFT_LAYOUT_STRIDED && g.dtype() == s.dtype());
}

void DataParallel::fill_slot(const Parameter& p, const Tensor& g) {
  if (is_slot(p, g)) return;
  NoGradGuard off;
  ops::copy_(slot(p), to_dense(g));  // of rows, too: which ones other ranks have is not known
  ++info_.copies;
  if (options_.bucket_view) set_gradient(p.tensor, slot(p));
}

void DataParallel::mark_ready(Parameter& p, const Tensor& g) {
  fill_slot(p, g);
  if (!p.ready) --lanes_[size_t(p.bucket)].pending;
  p.ready = true;
  p.unused = false;
}

// This rank gives what it has gathered before, or nothing.
void DataParallel::mark_unused(Parameter& p) {
  Tensor g = gradient_of(p.tensor);
  NoGradGuard off;
  if (g.defined())
    fill_slot(p, g);
  else
    ops::fill_(slot(p), 0);
  if (!p.ready) --lanes_[size_t(p.bucket)].pending;
  p.ready = p.unused = true;
}

void DataParallel::begin_ready() {
  while (next_ < lanes_.size() && !lanes_[next_].pending) {
    // The last one would keep nobody waiting on another thread: the end of backward calls it by itself.
    if (plain() && next_ + 1 == lanes_.size()) return;
    begin_lane(lanes_[next_], false);
  }
}

void DataParallel::begin_lane(Lane& l, bool wait) {
  l.begun = true;
  ++next_;
  info_.gradient_bytes += l.bucket.buffer.bytes();
  const bool last = next_ == lanes_.size();
  if (!plain()) {
    hook_->begin(l.bucket, *group_);
    if (!last || !tells_used() || group_->size() == 1) return;
    write_used(used_bits_);
    used_work_ = group_->start(all_reduce_job(used_bits_, ReduceOp::max));
    return;
  }
  if (group_->size() == 1) return;
  if (last && tells_used()) write_used(l.tail);
  dist::Job job = all_reduce_job(l.flat, ReduceOp::avg);
  info_.sent_bytes += l.flat.bytes();
  if (wait)
    group_->run(std::move(job));
  else
    l.work = group_->start(std::move(job));
}

void DataParallel::write_used(Tensor& to) {
  const int64_t count = int64_t(parameters_.size());
  Tensor bits = new_tensor(IntList(&count, 1), DType::u8);
  for (int64_t i = 0; i < count; ++i) bits.data<uint8_t>()[i] = parameters_[size_t(i)].used && !shadows_;
  NoGradGuard off;
  bits = ops::to(bits, DType::none, parameters_[0].tensor.device());
  if (to.defined())
    ops::copy_(to, bits);
  else
    to = std::move(bits);
}

// ---- the end ----

void DataParallel::end_of_backward(bool whole) {
  std::lock_guard lock(mutex_);
  end_queued_ = false;
  struct Closing {
    DataParallel& d;
    ~Closing() {
      if (d.closing_) d.close();
    }
  } closing{*this};
  if (!in_step_ || closed_) return;
  // It failed. What is under way has to come to its end on every rank; otherwise nothing has happened.
  if (!whole) {
    if (!next_) reset_step();
    return;
  }
  if (tells_used())
    for (Parameter& p : parameters_) {
      if (p.ready) continue;
      Tensor g = gradient_of(p.tensor);
      if (options_.static_graph && first_ && p.fires) {
        if (g.defined()) {
          mark_ready(p, g);
          continue;
        }
      } else if (options_.static_graph && !first_ && p.left) {
        fail(Code::autograd,
             concat("data parallel: the graph was said to be static, and \"", p.name, "\" got ",
                    p.fires - p.left, " gradients in this step, ", p.fires, " in the first"),
             "make it without static_graph");
      }
      mark_unused(p);
    }
  if (std::ranges::all_of(lanes_, [](const Lane& l) { return !l.pending; })) finish_step();
}

void DataParallel::finish_step() {
  while (next_ < lanes_.size()) begin_lane(lanes_[next_], next_ + 1 == lanes_.size());
  NoGradGuard off;
  Tensor used;
  for (Lane& l : lanes_) {
    if (!plain())
      hook_->finish(l.bucket, *group_);
    else if (l.work)
      finish_work(l.work);
    if (joining_ && !by_world_ && active_ < group_->size())
      ops::mul_scalar_(l.bucket.buffer, Scalar(double(group_->size()) / active_));
  }
  if (tells_used()) {
    if (used_work_) finish_work(used_work_);
    if (plain() && group_->size() > 1)
      used = ops::to(lanes_.back().tail, DType::f32, Device{});
    else if (!plain() && group_->size() > 1)
      used = ops::to(used_bits_, DType::f32, Device{});
    else {
      write_used(used);
      used = ops::to(used, DType::f32, Device{});
    }
  }
  if (!shadows_) take_gradients(used);
  if (hook_) ++hook_->step;
  ++info_.steps;
  reset_step();
  for (Parameter& p : parameters_) p.used = false;
  if (first_) {
    rebuild();
    first_ = false;
  }
}

void DataParallel::take_gradients(const Tensor& used) {
  info_.unused = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Parameter& p = parameters_[i];
    if (used.defined() && used.data<float>()[i] == 0) {  // nowhere: its gradient stays what it was
      ++info_.unused;
      continue;
    }
    if (options_.bucket_view) {
      if (p.unused) set_gradient(p.tensor, slot(p));
      continue;
    }
    Tensor g = gradient_of(p.tensor);
    if (g.defined() && !is_rows(g))
      ops::copy_(g, slot(p));
    else
      set_gradient(p.tensor, ops::clone(slot(p)));
  }
}

void DataParallel::reset_step() {
  in_step_ = false;
  next_ = 0;
  latched_.reset();
}

std::string DataParallel::names_missing() {
  std::string names;
  int count = 0;
  for (const Parameter& p : parameters_)
    if (!p.ready && ++count <= 8) names += concat(count > 1 ? ", " : "", "\"", p.name, "\"");
  if (count > 8) names += concat(" and ", count - 8, " more");
  return names;
}

void DataParallel::fail_twice(const Parameter& p) {
  const std::string missing = names_missing();
  if (p.unused)
    fail(Code::autograd,
         concat("data parallel: \"", p.name,
                "\" got a gradient after its bucket had begun without it: nothing of the graph that ",
                "backward began with led to it"),
         "a backward inside of another reaches it: make it without find_unused_parameters, or with "
         "static_graph");
  fail(Code::autograd,
       concat("data parallel: \"", p.name, "\" got a second gradient in one step",
              missing.empty() ? std::string() : concat(", before the first of ", missing)),
       "if some parameters take no part in the loss, find_unused_parameters joins the others; if a backward "
       "inside of another, "
       "or more than one, reaches a parameter again in every step, static_graph waits for its last gradient");
}

void DataParallel::check_finished() {
  if (!in_step_) return;
  group_->check_alive();
  const std::string missing = names_missing();
  if (!next_) reset_step();
  fail(Code::autograd,
       concat(
           "data parallel: the gradients of the last step were not joined, since these parameters got none: ",
           missing),
       "if they take no part in the loss on some rank, set find_unused_parameters; otherwise let every "
       "output take part in it");
}

}  // namespace haft::parallel
