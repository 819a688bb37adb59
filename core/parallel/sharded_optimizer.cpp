#include "core/parallel/sharded_optimizer.h"

#include <algorithm>
#include <memory>

#include "core/autograd/hooks.h"
#include "core/ops/functions.h"
#include "core/optim/clip.h"
#include "core/parallel/end_of_backward.h"
#include "core/parallel/gradients.h"
#include "core/parallel/or_kill.h"
#include "core/parallel/shard_of.h"

namespace haft::parallel {

using dist::Job;
using dist::Kind;
using dist::ReduceOp;

namespace {

// One place that makes the strings of all refusals.
[[noreturn, gnu::cold, gnu::noinline]] void refuse(Code code, const std::string& what, const char* hint,
                                                   const char* argument) {
  fail(code, concat("sharded optimizer: ", what), hint, argument);
}
std::string parameter(int64_t number) { return concat("parameter ", number); }

bool is_row_major(const Tensor& t) {
  return t.view().layout == HAFT_LAYOUT_STRIDED && t.is_contiguous() &&
         !t.impl()->twin.load(std::memory_order_acquire);
}

Tensor flat_view(const Tensor& flat, int64_t at, int64_t count) {
  const int64_t one = 1;
  return view_over(*flat.impl(), IntList(&count, 1), IntList(&one, 1), at);
}

Job reduce_scatter_job(const Tensor& all, const Tensor& mine) {
  Job j;
  j.call.kind = Kind::reduce_scatter;
  j.call.reduce = ReduceOp::avg;
  j.in = {all};
  j.out = {mine};
  j.in_parts.assign(size_t(all.numel() / mine.numel()), mine.numel());
  return j;
}

Job gather_job(const Tensor& mine, const Tensor& all, int root) {
  Job j;
  j.call.kind = Kind::gather;
  j.call.root = root;
  j.in = {mine};
  if (all.defined()) {
    j.out = {all};
    j.out_parts.assign(size_t(all.numel() / mine.numel()), mine.numel());
  }
  return j;
}

}  // namespace

// What one of several ranks fails with alone is the end of the group: the others would wait for it.
void ShardedOptimizer::together(const char* what, const std::function<void()>& f) {
  if (group_->size() == 1)
    f();
  else
    or_kill(*group_, what, f);
}

// ---- layout ----

ShardedOptimizer* ShardedOptimizer::of(const Optimizer& o) {
  return static_cast<ShardedOptimizer*>(o.sharding());
}

void ShardedOptimizer::create(Optimizer& o, Ref<dist::Group> group, const ShardOptions& options) {
  if (options.stage != 1 && options.stage != 2)
    refuse(Code::invalid_argument,
           concat("stage must be 1 (state) or 2 (state and gradients), got ", options.stage), "", "stage");
  if (options.bucket_bytes < 1)
    refuse(Code::invalid_argument, "a bucket has at least 1 byte", "", "bucket_bytes");
  if (o.sharding()) refuse(Code::invalid_argument, "it is spread over ranks already", "", "o");
  auto made = Ref<ShardedOptimizer>::adopt(new ShardedOptimizer(std::move(group), options));
  std::string lines =
      concat(o.type(), " stage ", options.stage, " buckets of ", options.bucket_bytes, " bytes\n");
  for (int64_t g = 0; g < o.group_count(); ++g) {
    lines += concat("group of ", int64_t(o.group(g).parameters.size()), "\n");
    for (const ParameterState& s : o.group(g).states) lines += concat("step ", s.step, "\n");
  }
  verify_same(*made->group_, "sharded optimizer: optimizers differ", lines);
  try {
    for (int64_t g = 0; g < o.group_count(); ++g) made->add_group(o.group(g).parameters);
    made->together("sharding an optimizer", [&] { o.shard(made); });
  } catch (...) {
    made->close();  // hooks own what they call
    throw;
  }
}

std::vector<ShardedOptimizer::Bucket> ShardedOptimizer::laid_out(std::span<const Tensor> parameters) const {
  std::vector<Bucket> made;
  std::vector<std::pair<DType, size_t>> open;     // the bucket that a dtype's next parameter goes to
  for (size_t i = parameters.size(); i-- > 0;) {  // roughly the order of gradients
    const Tensor& t = parameters[i];
    auto at = std::ranges::find_if(open, [&](const auto& o) { return o.first == t.dtype(); });
    if (at == open.end() || made[at->second].count * item_size(t.dtype()) >= options_.bucket_bytes) {
      if (at == open.end()) at = open.insert(open.end(), {t.dtype(), 0});
      at->second = made.size();
      made.emplace_back().dtype = t.dtype();
    }
    Bucket& b = made[at->second];
    Piece& p = b.pieces.emplace_back();
    p.parameter = t;
    p.number = int64_t(places_.size() + i);
    p.at = b.count;
    b.count += t.numel();
  }
  for (Bucket& b : made) {
    b.chunk = (b.count + group_->size() - 1) / group_->size();
    const int64_t begin = group_->rank() * b.chunk;
    for (Piece& p : b.pieces) {
      const int64_t from = std::max(p.at, begin), to = std::min(p.at + p.parameter.numel(), begin + b.chunk);
      if (from >= to) continue;
      p.from = from - p.at;
      p.chunk_at = from - begin;
      p.count = to - from;
    }
  }
  return made;
}

void ShardedOptimizer::add_group(std::span<const Tensor> parameters) {
  std::string lines;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& t = parameters[i];
    if (const Device d = device_.value_or(parameters[0].device()); t.device() != d)
      refuse(Code::device, concat(parameter(int64_t(i)), " is on ", t.device(), ", others are on ", d),
             "a rank has its parameters on one device", "params");
    if (whole_of(t))
      refuse(Code::invalid_argument, parameter(int64_t(i)) + " is a shard: its state is spread already", "",
             "params");
    if (options_.stage == 2 && gradient_of(t).defined())
      refuse(Code::invalid_argument,
             parameter(int64_t(i)) + " has a gradient, of which stage 2 would keep a part",
             "call zero_grad first", "params");
    const LeafNode* leaf = options_.stage == 2 ? leaf_of(t) : nullptr;
    if (leaf && has_post_accumulate_hooks(*leaf))
      refuse(Code::invalid_argument,
             parameter(int64_t(i)) + " has a hook behind its gradient, as data parallel sets one",
             "stage 2 joins gradients by itself: release the data parallel object, or take stage 1",
             "params");
    lines += concat(parameter(int64_t(i)), " ", dtype_name(t.dtype()), " ", t.sizes(),
                    t.requires_grad() ? " trained\n" : "\n");
  }
  verify_same(*group_, "sharded optimizer: parameters differ", lines);
  std::lock_guard lock(mutex_);
  if (in_backward_) refuse(Code::busy, "a backward scatters gradients", "add groups between backwards", "o");
  together("a group of a sharded optimizer", [&] {
    NoGradGuard off;
    std::vector<Bucket> made = laid_out(parameters);
    if (options_.init_sync && group_->size() > 1)
      for (const Tensor& t : parameters) group_->run(broadcast_job(t, 0));
    try {
      std::vector<Place> places(places_.size() + parameters.size());
      std::ranges::copy(places_, places.begin());
      for (size_t b = 0; b < made.size(); ++b)
        for (size_t i = 0; i < made[b].pieces.size(); ++i)
          places[size_t(made[b].pieces[i].number)] = {buckets_.size() + b, i};
      buckets_.reserve(buckets_.size() + made.size());
      if (options_.stage == 2)
        for (Bucket& b : made) add_hooks(b);
      whole_.clear();
      gathered_ = false;
      if (!parameters.empty()) device_ = parameters[0].device();
      places_ = std::move(places);
      std::ranges::move(made, std::back_inserter(buckets_));
    } catch (...) {
      remove_hooks(made);
      throw;
    }
  });
}

void ShardedOptimizer::add_hooks(Bucket& b) {
  for (Piece& p : b.pieces) {
    if (!p.parameter.requires_grad()) continue;
    p.hook = add_post_accumulate_hook(
        p.parameter,
        [self = Ref<ShardedOptimizer>::share(this), number = p.number](const Tensor& g) {
          self->on_gradient(number, g);
        },
        "a sharded optimizer of stage 2");
    ++b.hooks;
  }
}

void ShardedOptimizer::remove_hooks(std::span<Bucket> buckets) noexcept {
  for (Bucket& b : buckets)
    for (Piece& p : b.pieces) {
      LeafNode* leaf = p.hook ? leaf_of(p.parameter) : nullptr;  // also of a parameter that was frozen since
      if (leaf) remove_hook(*leaf, p.hook);
    }
}

void ShardedOptimizer::close() noexcept {
  if (group_->is_foreign()) {  // its locks may be those of threads that stayed in the parent
    Ref<ShardedOptimizer>::share(this).leak();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    closing_ = end_queued_;
    if (closing_) return;  // a collector's thread may let go in the midst of a backward: that ends whole
    closed_ = true;
  }
  remove_hooks(buckets_);
}

// ---- parts ----

Tensor ShardedOptimizer::part_of(const Piece& p, const Tensor& whole) const {
  return is_row_major(whole) ? flat_view(whole, p.from, p.count)
                             : ops::narrow(ops::flatten(whole), 0, p.from, p.count);
}

Tensor ShardedOptimizer::part(int64_t parameter, const Tensor& whole) const {
  return part_of(piece(parameter), whole);
}

std::pair<int64_t, int64_t> ShardedOptimizer::range(int64_t parameter) const {
  return {piece(parameter).from, piece(parameter).count};
}

// Where a piece lies in this rank's chunk, and where the whole parameter lies in a bucket.
Tensor ShardedOptimizer::chunk_of(const Tensor& chunk, const Piece& p) const {
  return flat_view(chunk, p.chunk_at, p.count);
}
Tensor ShardedOptimizer::zeros(int64_t count, const Bucket& like) const {
  return ops::zeros(IntList(&count, 1), like.dtype, *device_);
}
Tensor ShardedOptimizer::place_in(const Tensor& flat, const Piece& p) const {
  const IntList sizes = p.parameter.sizes();
  return view_over(*flat.impl(), sizes, contiguous_strides(sizes), p.at);
}

// ---- during backward ----

void ShardedOptimizer::on_gradient(int64_t number, const Tensor& g) {
  std::lock_guard lock(mutex_);
  if (closed_) return;
  if (g.requires_grad())
    refuse(
        Code::autograd,
        "the gradient of " + parameter(number) +
            " was recorded (create_graph), and derivatives of scattered gradients are not joined over ranks",
        "take such derivatives with grad(), which leaves .grad alone", "");
  if (!in_backward_) {
    in_backward_ = true;
    next_ = 0;
    for (Bucket& b : buckets_) {
      b.begun = false;
      b.pending = b.hooks;
      for (Piece& p : b.pieces) p.ready = false;
    }
  }
  if (!end_queued_) {
    at_end_whole_or_not<ShardedOptimizer>(this,
                                          [](ShardedOptimizer& s, bool whole) { s.end_of_backward(whole); });
    end_queued_ = true;
  }
  Bucket& b = buckets_[places_[size_t(number)].bucket];
  Piece& p = piece(number);
  if (b.begun)
    refuse(Code::autograd,
           parameter(number) + " got a second gradient in one backward, after its bucket was scattered",
           "a backward inside of another reaches it: stage 1 with data parallel and static_graph waits for "
           "its last gradient",
           "");
  NoGradGuard off;
  if (!b.flat.defined()) b.flat = zeros(b.chunk * group_->size(), b);
  const Tensor place = place_in(b.flat, p);
  if (p.ready)
    ops::add_(place, ops::cast(g, b.dtype));
  else
    ops::copy_(place, g);
  b.pending -= !p.ready;
  p.ready = p.used = true;
  set_gradient(p.parameter, {});
  // The last one would keep nobody waiting on another thread: the end of backward calls it by itself.
  while (next_ + 1 < buckets_.size() && !buckets_[next_].pending) scatter(buckets_[next_], false);
  for (size_t i = 0; i < next_; ++i)
    if (buckets_[i].work && buckets_[i].work->is_done()) take(buckets_[i]);
}

void ShardedOptimizer::scatter(Bucket& b, bool wait) {
  b.begun = true;
  ++next_;
  if (!b.hooks || !b.count) return;
  if (!b.flat.defined()) b.flat = zeros(b.chunk * group_->size(), b);
  if (group_->size() == 1) {
    b.incoming = std::move(b.flat);
    return take(b);
  }
  b.incoming = ops::empty(IntList(&b.chunk, 1), b.dtype, *device_);
  Job job = reduce_scatter_job(b.flat, b.incoming);
  if (wait)
    group_->run(std::move(job));
  else
    b.work = group_->start(std::move(job));
}

void ShardedOptimizer::take(Bucket& b) {
  if (b.work) finish_work(b.work);
  b.flat.reset();
  if (b.incoming.defined() && b.gradient.defined())
    ops::add_(b.gradient, b.incoming);
  else if (b.incoming.defined())
    b.gradient = std::move(b.incoming);
  b.incoming.reset();
}

void ShardedOptimizer::end_of_backward(bool whole) {
  std::lock_guard lock(mutex_);
  end_queued_ = false;
  struct Closing {
    ShardedOptimizer& s;
    ~Closing() {
      if (s.closing_) s.close();
    }
  } closing{*this};
  if (!in_backward_ || closed_) return;
  struct Over {
    ShardedOptimizer& s;
    ~Over() { s.reset_backward(); }
  } over{*this};
  if (!whole) {  // it failed, and the other ranks wait for what is under way
    try {
      if (next_ && group_->size() > 1)
        group_->kill("sharded optimizer: a backward failed while its gradients were scattered");
    } catch (...) {
    }
    return;
  }
  together("gradients of a sharded optimizer", [&] {
    NoGradGuard off;
    while (next_ < buckets_.size()) scatter(buckets_[next_], next_ + 1 == buckets_.size());
    for (Bucket& b : buckets_) take(b);
  });
}

void ShardedOptimizer::reset_backward() noexcept {
  in_backward_ = false;
  next_ = 0;
  for (Bucket& b : buckets_) {
    b.work = {};
    b.flat.reset();
    b.incoming.reset();
  }
}

// ---- a step ----

// Which parameters have gradients: on any rank in stage 2, whose mean they are; in stage 1 on all or on none.
std::vector<bool> ShardedOptimizer::gradients_present() {
  const int64_t count = int64_t(places_.size());
  std::vector<bool> present(size_t(count), false);
  int64_t differs = -1;
  together("a step of a sharded optimizer", [&] {
    Tensor marks = new_tensor(Shape{count, 2}, DType::u8);
    for (int64_t i = 0; i < count; ++i) {
      const Piece& p = piece(i);
      const bool here = gradient_of(p.parameter).defined();
      if (here && options_.stage == 2)
        refuse(Code::invalid_argument,
               parameter(i) + " has a gradient of its own, which no backward has scattered",
               "in stage 2 gradients come from backward; who sets them by himself wants stage 1", "");
      marks.data<uint8_t>()[2 * i] = here || p.used;
      marks.data<uint8_t>()[2 * i + 1] = !here;
    }
    if (group_->size() > 1) group_->run(all_reduce_job(marks, ReduceOp::max));
    for (int64_t i = 0; i < count; ++i) {
      present[size_t(i)] = marks.data<uint8_t>()[2 * i];
      if (options_.stage == 1 && present[size_t(i)] && marks.data<uint8_t>()[2 * i + 1] && differs < 0)
        differs = i;
    }
  });
  if (differs >= 0)  // on every rank alike
    refuse(Code::mismatch, parameter(differs) + " has a gradient on some ranks and none on others",
           "stage 1 takes gradients that are joined: by data parallel with find_unused_parameters, or "
           "haft_parallel_join_gradients",
           "");
  return present;
}

Tensor ShardedOptimizer::gradient_part(const Bucket& b, const Piece& p) const {
  if (options_.stage == 2) return b.gradient.defined() ? chunk_of(b.gradient, p) : zeros(p.count, b);
  const Tensor g = gradient_of(p.parameter);
  if (g.numel() != p.parameter.numel())
    refuse(Code::shape,
           concat("the gradient of ", parameter(p.number), " has shape ", g.sizes(), ", the parameter ",
                  p.parameter.sizes()),
           "", "");
  return part_of(p, g);
}

void ShardedOptimizer::step(Optimizer& o) {
  std::lock_guard lock(mutex_);
  NoGradGuard off;
  const std::vector<bool> present = gradients_present();
  whole_.clear();
  gathered_ = false;
  together("a step of a sharded optimizer", [&] {
    std::vector<Tensor> parts(places_.size()), gradients(places_.size());
    for (const Bucket& b : buckets_)
      for (const Piece& p : b.pieces) {
        parts[size_t(p.number)] = part_of(p, p.parameter);
        if (present[size_t(p.number)]) gradients[size_t(p.number)] = gradient_part(b, p);
      }
    o.step_parts(parts, gradients);
    gather_parameters(parts, present);
  });
}

// One bucket travels while the next one is packed and the one before is unpacked.
void ShardedOptimizer::gather_parameters(const std::vector<Tensor>& parts, const std::vector<bool>& changed) {
  struct Flight {
    const Bucket* bucket = nullptr;
    Tensor all;
    Ref<dist::Work> work;
  };
  const auto land = [&](Flight& f) {
    if (!f.bucket) return;
    if (f.work) finish_work(f.work);
    for (const Piece& p : f.bucket->pieces)
      if (changed[size_t(p.number)]) ops::copy_(p.parameter, place_in(f.all, p));
  };
  Flight before;
  for (const Bucket& b : buckets_) {
    const auto moves = [&](const Piece& p) { return bool(changed[size_t(p.number)]); };
    if (!b.count || std::ranges::none_of(b.pieces, moves)) continue;
    // Alone, a piece that is a view has been changed where it lies.
    if (group_->size() == 1 &&
        std::ranges::all_of(b.pieces, [](const Piece& p) { return is_row_major(p.parameter); }))
      continue;
    Flight now;
    now.bucket = &b;
    const Tensor mine = zeros(b.chunk, b);
    for (const Piece& p : b.pieces)
      if (p.count) ops::copy_(chunk_of(mine, p), parts[size_t(p.number)]);
    if (group_->size() == 1) {
      now.all = mine;
    } else {
      now.all = zeros(b.chunk * group_->size(), b);
      Job job = all_gather_job(mine, now.all);
      if (buckets_.size() == 1)
        group_->run(std::move(job));
      else
        now.work = group_->start(std::move(job));
    }
    land(before);
    before = std::move(now);
  }
  land(before);
}

void ShardedOptimizer::zero_grad(bool set_to_none) {
  std::lock_guard lock(mutex_);
  NoGradGuard off;
  for (Bucket& b : buckets_) {
    if (set_to_none)
      b.gradient.reset();
    else if (b.gradient.defined())
      ops::fill_(b.gradient, 0);
    for (Piece& p : b.pieces) p.used = p.used && !set_to_none;
  }
}

std::vector<Tensor> ShardedOptimizer::gradient_parts() {
  std::lock_guard lock(mutex_);
  std::vector<Tensor> parts;
  for (const Bucket& b : buckets_)
    if (b.gradient.defined()) parts.push_back(b.gradient);
  return parts;
}

void ShardedOptimizer::join_largest(const Tensor& number) {
  if (group_->size() > 1) group_->run(all_reduce_job(number, ReduceOp::max));
}

double ShardedOptimizer::clip_grad_norm(double max_norm, double norm_type) {
  check_clip(max_norm, norm_type);
  std::lock_guard lock(mutex_);
  NoGradGuard off;
  double norm = 0;
  together("clip_grad_norm of a sharded optimizer", [&] {
    std::vector<Tensor> parts, scaled;
    for (const Bucket& b : buckets_) {
      for (const Piece& p : b.pieces) {
        if (options_.stage == 2 ? !b.gradient.defined() : !gradient_of(p.parameter).defined()) continue;
        if (p.count) parts.push_back(gradient_part(b, p));
        if (options_.stage == 1) scaled.push_back(gradient_of(p.parameter));
      }
      if (options_.stage == 2 && b.gradient.defined()) scaled.push_back(b.gradient);
    }
    norm = norm_over_ranks(*group_, parts, {}, norm_type);
    scale_to_norm(scaled, ops::full({}, norm, DType::f64, Device{}), max_norm);
  });
  return norm;
}

// ---- the state of all ----

void ShardedOptimizer::gather_state(const Optimizer& o, int to) {
  if (to < -1 || to >= group_->size())
    refuse(Code::invalid_argument,
           concat("to must be 0 to ", group_->size() - 1, ", or -1 for all ranks, got ", to), "", "to");
  std::lock_guard lock(mutex_);
  NoGradGuard off;
  together("the state of a sharded optimizer", [&] {
    std::vector<const ParameterState*> states;
    for (int64_t g = 0; g < o.group_count(); ++g)
      for (const ParameterState& s : o.group(g).states) states.push_back(&s);
    const bool here = to < 0 || to == group_->rank();
    std::vector<std::array<Tensor, kMaxSlots>> whole(here ? places_.size() : 0);
    for (const Bucket& b : buckets_)
      for (size_t k = 0; k < o.kind().slots.size(); ++k) {
        const auto slot = [&](const Piece& p) -> const Tensor& { return states[size_t(p.number)]->slots[k]; };
        if (std::ranges::none_of(b.pieces, [&](const Piece& p) { return slot(p).defined(); })) continue;
        Tensor mine = zeros(b.chunk, b), all;
        for (const Piece& p : b.pieces)
          if (p.count && slot(p).defined()) ops::copy_(chunk_of(mine, p), slot(p));
        if (here) all = group_->size() == 1 ? mine : zeros(b.chunk * group_->size(), b);
        if (b.count && group_->size() > 1)
          group_->run(to < 0 ? all_gather_job(mine, all) : gather_job(mine, all, to));
        for (const Piece& p : b.pieces)
          if (here && slot(p).defined()) whole[size_t(p.number)][k] = ops::clone(place_in(all, p));
      }
    whole_ = std::move(whole);
    gathered_ = true;
    here_ = here;
  });
}

Tensor ShardedOptimizer::whole(int64_t parameter, int slot) const {
  std::lock_guard lock(mutex_);
  if (!gathered_ || !here_)
    refuse(Code::invalid_argument,
           gathered_ ? concat("its state was gathered on another rank than ", group_->rank())
                     : concat("its state is spread over ", group_->size(),
                              " ranks and was not gathered since it changed"),
           "haft_optimizer_consolidate gathers it; every rank calls it", "");
  return whole_[size_t(parameter)][size_t(slot)];
}

void ShardedOptimizer::forget_whole() noexcept {
  std::lock_guard lock(mutex_);
  whole_.clear();
  gathered_ = false;
}

ShardInfo ShardedOptimizer::info(const Optimizer& o) {
  ShardInfo i;
  for (int64_t g = 0; g < o.group_count(); ++g) {
    for (const Tensor& p : o.group(g).parameters) {
      i.elements += p.numel();
      if (const Tensor grad = gradient_of(p)) i.gradient_bytes += grad.bytes();
    }
    for (const ParameterState& s : o.group(g).states)
      for (const Tensor& t : s.slots)
        if (t.defined()) i.state_bytes += t.bytes();
  }
  i.own_elements = i.elements;
  ShardedOptimizer* s = of(o);
  if (!s) return i;
  std::lock_guard lock(s->mutex_);
  i.stage = s->options_.stage;
  i.rank = s->group_->rank();
  i.ranks = s->group_->size();
  i.buckets = int64_t(s->buckets_.size());
  i.own_elements = 0;
  for (const Bucket& b : s->buckets_) {
    for (const Piece& p : b.pieces) i.own_elements += p.count;
    if (b.gradient.defined()) i.gradient_bytes += b.gradient.bytes();
  }
  return i;
}

}  // namespace haft::parallel
