// Units: what they have, and how it is cut, gathered and given back.
#include "core/parallel/fully_sharded.h"

#include <algorithm>

#include "core/autograd/hooks.h"
#include "core/backend/commit.h"
#include "core/dispatch/replay.h"
#include "core/nn/set_data.h"
#include "core/ops/functions.h"
#include "core/parallel/calls.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

using dist::Group;
using nn::NamedTensor;

namespace {

// Bytes between parameters, and behind the last: none of them has the memory to itself.
constexpr int64_t kAlign = 64;

[[noreturn, gnu::cold, gnu::noinline]] void refuse(Code code, const std::string& what, const char* hint,
                                                   const char* argument) {
  fail(code, concat("fully sharded: ", what), hint, argument);
}

Tensor zeros(int64_t count, DType dtype, Device d) { return ops::zeros(IntList(&count, 1), dtype, d); }

// Says which parameter lies at an address of a lane.
struct Names final : Absentee {
  struct Name {
    const char* begin;
    std::string name;
  };
  std::vector<Name> names;
  std::string name_at(const void* address) const override {
    for (size_t i = names.size(); i-- > 0;)
      if (address >= names[i].begin)
        return concat("the parameter \"", names[i].name, "\" of a fully sharded unit");
    return "a parameter of a fully sharded unit";
  }
};

struct Schedules {
  std::mutex mutex;
  std::vector<std::weak_ptr<FullyShardedSchedule>> all;
};
Schedules& schedules() {
  static auto& s = *new Schedules;
  return s;
}

Ref<Group> second_group(Group& g) {
  if (g.size() == 1) return Ref<Group>::share(&g);
  std::vector<int64_t> ranks;
  for (int r = 0; r < g.size(); ++r) ranks.push_back(r);
  return g.subgroup(ranks, std::nullopt);
}

bool all_have(Group& g, bool mine) {
  if (g.size() == 1) return mine;
  const int64_t one = 1;
  Tensor t = new_tensor(IntList(&one, 1), DType::u8);
  t.data<uint8_t>()[0] = mine;
  g.run(all_reduce_job(t, dist::ReduceOp::min));
  return t.data<uint8_t>()[0];
}

}  // namespace

// ---- the schedule ----

std::shared_ptr<FullyShardedSchedule> FullyShardedSchedule::of(Ref<Group> group, Ref<Group> replicas,
                                                               std::shared_ptr<void> keeps) {
  std::shared_ptr<FullyShardedSchedule> found;
  {
    std::lock_guard lock(schedules().mutex);
    std::erase_if(schedules().all, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : schedules().all)
      if (auto s = weak.lock(); s && s->group.get() == group.get() && s->replicas.get() == replicas.get())
        found = std::move(s);
  }
  // A collector may have let go of a rank's units earlier than of another's.
  bool have = all_have(*group, bool(found));
  if (replicas) have = all_have(*replicas, have);
  if (have) return found;
  auto made = std::make_shared<FullyShardedSchedule>();
  made->keeps = std::move(keeps);
  made->reduces = second_group(*group);
  if (replicas) made->replica_reduces = second_group(*replicas);
  made->group = std::move(group);
  made->replicas = std::move(replicas);
  std::lock_guard lock(schedules().mutex);
  std::erase_if(schedules().all, [&](const auto& weak) { return weak.lock() == found; });
  schedules().all.push_back(made);
  return made;
}

FullyShardedSchedule::~FullyShardedSchedule() {
  const auto let_go = [](Ref<Group>& g, const Ref<Group>& given) {
    if (!g || g.get() == given.get()) return;
    if (g->is_foreign())
      g.leak();  // its locks may be those of threads that stayed in the parent
    else
      g->close();
  };
  let_go(reduces, group);
  let_go(replica_reduces, replicas);
}

// ---- a unit is made ----

FullyShardedUnit::FullyShardedUnit(std::vector<NamedTensor> parameters, std::shared_ptr<Schedule> schedule,
                                   const FullyShardedOptions& options)
    : s_(std::move(schedule)),
      number_(uint16_t((s_->replicas ? 0x8000 : 0) + 1 + s_->made++ % 0x7fff)),
      options_(options) {
  for (NamedTensor& n : parameters) {
    Parameter& p = parameters_.emplace_back();
    p.name = std::move(n.name);
    p.tensor = std::move(n.tensor);
  }
}

// What one of several ranks fails with alone is the end of the group: the others would wait for it.
void FullyShardedUnit::together(const char* what, const std::function<void()>& f) {
  if (s_->group->size() == 1 && !s_->replicas)
    f();
  else if (s_->replicas)
    or_kill(*s_->replicas, what, [&] { or_kill(*s_->group, what, f); });
  else
    or_kill(*s_->group, what, f);
}

std::shared_ptr<FullyShardedUnit> FullyShardedUnit::create(Ref<nn::Module> module, Ref<Group> group,
                                                           Ref<Group> replicas,
                                                           const FullyShardedOptions& options,
                                                           std::shared_ptr<void> keeps) {
  std::vector<NamedTensor> free;
  for (NamedTensor& n : module->named_parameters())
    if (!shard_of(n.tensor)) free.push_back(std::move(n));
  // A module that has a parameter of a unit must be inside of that unit's: the parameter is away otherwise when it
  // runs.
  const std::vector<nn::NamedModule> modules = module->named_modules();
  for (const nn::NamedModule& m : modules)
    for (const NamedTensor& n : m.module->named_parameters()) {
      const auto s = n.name.find('.') == n.name.npos ? shard_of(n.tensor) : std::nullopt;  // its own
      if (!s || !s->owner) continue;  // a program that owns a unit says itself when it runs
      const auto owner =
          std::ranges::find_if(modules, [&](const nn::NamedModule& o) { return o.module.get() == s->owner; });
      if (owner != modules.end() && owner->module.get() != module.get() &&
          std::ranges::any_of(owner->module->named_modules(),
                              [&](const nn::NamedModule& o) { return o.module.get() == m.module.get(); }))
        continue;
      refuse(Code::invalid_argument,
             concat("\"", nn::join_name(m.name, n.name),
                    "\" belongs to another unit, whose module does not contain this one"),
             "modules that share a parameter belong into one unit: shard the module around both instead",
             "m");
    }
  return create(std::move(free), std::move(group), std::move(replicas), options, std::move(module),
                std::move(keeps));
}

std::shared_ptr<FullyShardedUnit> FullyShardedUnit::create(std::vector<NamedTensor> parameters,
                                                           Ref<Group> group, Ref<Group> replicas,
                                                           const FullyShardedOptions& options,
                                                           Ref<nn::Module> module,
                                                           std::shared_ptr<void> keeps) {
  if (options.prefetch < 0)
    refuse(Code::invalid_argument, concat("prefetch must not be negative, got ", options.prefetch), "",
           "prefetch");
  if (options.reshard_after_forward < -1 || options.reshard_after_forward > 1)
    refuse(Code::invalid_argument,
           concat("reshard_after_forward must be 1, 0 or -1, got ", options.reshard_after_forward), "",
           "reshard_after_forward");
  for (DType t : {options.param_dtype, options.reduce_dtype, options.output_dtype})
    if (t != DType::none && !is_float(t))
      refuse(Code::dtype, concat(dtype_name(t), " is no floating type"), "", "options");

  std::vector<NamedTensor> unique;
  for (NamedTensor& n : parameters)
    if (std::ranges::none_of(unique,
                             [&](const NamedTensor& u) { return u.tensor.impl() == n.tensor.impl(); }))
      unique.push_back(std::move(n));
  std::string lines =
      concat("reshard ", options.reshard_after_forward, " prefetch ", options.prefetch, " types ",
             int(options.param_dtype), " ", int(options.reduce_dtype), " ", int(options.output_dtype), "\n");
  for (const NamedTensor& n : unique) {
    const Tensor& t = n.tensor;
    const auto about = [&](const char* what) { return concat("\"", n.name, "\" ", what); };
    if (shard_of(t) || whole_of(t))
      refuse(Code::invalid_argument, about("is sharded already"),
             "modules that share a parameter belong into one unit", "parameters");
    if (!is_leaf(t))
      refuse(Code::autograd, about("is the result of an operator, wanted a leaf"), "detach it", "parameters");
    if (!t.ndim())
      refuse(Code::shape, about("has no dimension that could be cut"), "give it the shape [1]", "parameters");
    if (gradient_of(t).defined())
      refuse(Code::invalid_argument, about("has a gradient"), "call zero_grad first", "parameters");
    const LeafNode* leaf = leaf_of(t);
    if (leaf && has_post_accumulate_hooks(*leaf))
      refuse(Code::invalid_argument, about("has a hook behind its gradient, as data parallel sets one"),
             "a unit joins gradients by itself", "parameters");
    lines +=
        concat(n.name, " ", dtype_name(t.dtype()), " ", t.sizes(), t.requires_grad() ? " trained\n" : "\n");
  }
  verify_same(*group, "fully sharded: units differ", lines);
  if (replicas) {
    verify_same(*replicas, "fully sharded: units of replicas differ", lines);
    verify_same(*replicas, "fully sharded: replicas have different shards",
                concat("rank ", group->rank(), " of ", group->size(), "\n"));
  }
  auto s = FullyShardedSchedule::of(group, replicas, std::move(keeps));
  std::lock_guard lock(s->mutex);
  if (s->end_queued) refuse(Code::busy, "a backward of other units is running", "", "");
  auto made = std::shared_ptr<FullyShardedUnit>(new FullyShardedUnit(std::move(unique), s, options));
  made->together("a unit of fully sharded parameters", [&] {
    NoGradGuard off;
    if (options.init_sync)
      for (Group* g : {group.get(), replicas.get()})
        for (const Parameter& p : made->parameters_)
          if (g && g->size() > 1) {
            if (p.tensor.device().is_cpu() || !options.offload) {
              g->run(broadcast_job(p.tensor, 0));
              continue;
            }
            const Tensor here = ops::to(p.tensor, DType::none, Device{});
            g->run(broadcast_job(here, 0));
            ops::copy_(p.tensor, ops::to(here, DType::none, p.tensor.device()));
          }
    made->lay_out();
    s->units.push_back(made);
    try {
      made->add_hooks();
      for (const Parameter& p : made->parameters_)
        note_shard({p.tensor, p.shard, p.name, p.rows, s->group->rank() * p.each, p.mine, group, replicas,
                    module.get()});
      if (module) made->add_module_hooks(*module);
      made->take_memory();
    } catch (...) {
      made->remove_hooks();
      for (uint64_t id : {made->pre_hook_, made->post_hook_})
        if (id) module->remove_hook(id);
      throw;
    }
  });
  return made;
}

FullyShardedUnit::~FullyShardedUnit() {
  if (s_->group->is_foreign()) return;
  remove_hooks();
}

// Lanes, each parameter's place in them, and this rank's shards with their values.
void FullyShardedUnit::lay_out() {
  const int64_t ranks = s_->group->size(), rank = s_->group->rank();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Parameter& p = parameters_[i];
    const DType dtype = p.tensor.dtype();
    auto lane = std::ranges::find_if(
        lanes_, [&](const Lane& l) { return l.dtype == dtype && l.device == p.tensor.device(); });
    if (lane == lanes_.end()) {
      lane = lanes_.insert(lanes_.end(), Lane{});
      lane->dtype = dtype;
      lane->low = is_float(dtype) && options_.param_dtype != DType::none ? options_.param_dtype : dtype;
      lane->reduce = options_.reduce_dtype != DType::none ? options_.reduce_dtype : lane->low;
      lane->device = p.tensor.device();
      lane->home = options_.offload ? Device{} : lane->device;
    }
    lane->parameters.push_back(i);
    p.lane = size_t(lane - lanes_.begin());
    p.rows = p.tensor.size(0);
    p.row = 1;
    for (int64_t d = 1; d < p.tensor.ndim(); ++d) p.row *= p.tensor.size(d);
    p.each = (p.rows + ranks - 1) / ranks;
    p.mine = std::clamp<int64_t>(p.rows - rank * p.each, 0, p.each);
    const int64_t align = kAlign / item_size(lane->low);
    p.at = lane->count;
    p.own_at = lane->chunk;
    lane->count += (p.rows * p.row + align - 1) / align * align;
    lane->chunk += p.each * p.row;
  }
  for (Lane& l : lanes_) {
    l.count += kAlign / item_size(l.low);
    l.own = zeros(l.chunk, l.dtype, l.home);
    for (size_t i : l.parameters) {
      Parameter& p = parameters_[i];
      Shape sizes(p.tensor.sizes());
      sizes[0] = p.mine;
      p.shard = view_over(*l.own.impl(), sizes, contiguous_strides(sizes), p.own_at);
      if (p.mine)
        ops::copy_(ops::flatten(p.shard), ops::to(ops::narrow(ops::flatten(ops::detach(p.tensor)), 0,
                                                              rank * p.each * p.row, p.mine * p.row),
                                                  DType::none, l.home));
      if (p.tensor.requires_grad()) set_requires_grad(p.shard, true);
    }
  }
  lay_out_gradients();
}

void FullyShardedUnit::lay_out_gradients() {
  has_frozen_ = false;
  for (Lane& l : lanes_) {
    l.gradient_chunk = l.flags = 0;
    for (size_t i : l.parameters) {
      Parameter& p = parameters_[i];
      p.flag = p.tensor.requires_grad() ? l.flags++ : -1;
      p.gradient_at = l.gradient_chunk;
      if (p.flag >= 0)
        l.gradient_chunk += p.each * p.row;
      else
        has_frozen_ = true;
    }
    l.gradient_chunk += l.flags;
  }
}

// The parameters move to memory that comes and goes. What may fail comes first.
void FullyShardedUnit::take_memory() {
  std::vector<Tensor> places(parameters_.size());
  for (Lane& l : lanes_) {
    l.whole = new_tensor(IntList(&l.count, 1), l.low, l.device);
    l.whole.impl()->storage->expose();  // nothing is kept of it: a packed copy would be a whole one
    auto names = std::make_shared<Names>();
    names->hint =
        "it is whole while its unit's forward or backward runs, and between unshard and reshard; optimizers "
        "take its shard";
    for (size_t i : l.parameters) {
      const Parameter& p = parameters_[i];
      places[i] = view_over(*l.whole.impl(), p.tensor.sizes(), contiguous_strides(p.tensor.sizes()), p.at);
      names->names.push_back({places[i].data<char>(), p.name});
    }
    l.names = std::move(names);
    decommit_until_restored(*l.whole.impl()->storage, l.names);
  }
  for (size_t i = 0; i < parameters_.size(); ++i) nn::set_data(parameters_[i].tensor, places[i]);
}

void FullyShardedUnit::add_hooks() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Parameter& p = parameters_[i];
    if (p.hook || !p.tensor.requires_grad()) continue;
    p.hook = add_post_accumulate_hook(p.tensor, [weak = weak_from_this(), i](const Tensor& g) {
      if (auto u = weak.lock()) u->on_gradient(i, g);
    });
  }
}

void FullyShardedUnit::add_module_hooks(nn::Module& m) {
  pre_hook_ = m.add_forward_pre_hook(
      [u = shared_from_this()](nn::Module&, std::span<Tensor> in) { u->before_forward(in); });
  module_ = &m;
  post_hook_ = m.add_forward_hook([u = shared_from_this()](nn::Module&, std::span<const Tensor>,
                                                           std::span<Tensor> out) { u->after_forward(out); });
}

void FullyShardedUnit::remove_hooks() noexcept {
  for (Parameter& p : parameters_) {
    if (LeafNode* leaf = p.hook ? leaf_of(p.tensor) : nullptr) remove_hook(*leaf, p.hook);
    p.hook = 0;
    if (p.shard.defined()) forget_shard(p.tensor);
  }
}

// What is trained may change between steps.
void FullyShardedUnit::refresh_trained() {
  const auto same = [](const Parameter& p) { return p.tensor.requires_grad() == (p.flag >= 0); };
  if (reached_ || std::ranges::all_of(parameters_, same)) return;
  if (std::ranges::any_of(lanes_, [](const Lane& l) { return l.flat.defined(); }))
    refuse(Code::invalid_argument,
           "a parameter was frozen or unfrozen while gradients of it wait to be joined",
           "do so behind a backward with gradient sync", "");
  for (Parameter& p : parameters_)
    if (!same(p)) set_requires_grad(p.shard, p.tensor.requires_grad());
  lay_out_gradients();
  add_hooks();
}

// ---- whole, and away again ----

void FullyShardedUnit::begin_gather(bool ahead) {
  const int64_t ranks = s_->group->size();
  for (Lane& l : lanes_) {
    if (!l.chunk) continue;
    // Somebody may have given a shard other memory: once, for a copy counts as a change.
    for (size_t i : l.parameters) {
      const Parameter& p = parameters_[i];
      if (!p.mine || p.shard.data<char>() == l.own.data<char>() + p.own_at * item_size(l.dtype)) continue;
      Shape sizes(p.tensor.sizes());
      sizes[0] = p.mine;
      if (!std::ranges::equal(p.shard.sizes(), sizes))
        refuse(Code::shape,
               concat("the shard of \"", p.name, "\" was given data of shape ", p.shard.sizes(), ", it is ",
                      sizes),
               "", "");
      const Tensor place = view_over(*l.own.impl(), sizes, contiguous_strides(sizes), p.own_at);
      ops::copy_(place, ops::to(ops::detach(p.shard), l.dtype, l.home));
      nn::set_data(p.shard, place);
    }
    l.giving = l.low == l.dtype ? l.own : ops::cast(l.own, l.low);
    if (ranks == 1) {
      l.arriving = l.giving;
      continue;
    }
    const int64_t count = ranks * l.chunk;
    l.arriving = new_tensor(IntList(&count, 1), l.low, l.home);
    dist::Job job = of_unit(all_gather_job(l.giving, l.arriving));
    info_.sent_bytes += (ranks - 1) * l.giving.bytes();
    if (ahead)
      l.gather = s_->group->start(std::move(job));
    else
      s_->group->run(std::move(job));
  }
  gathering_ = true;
  ++info_.gathers;
}

void FullyShardedUnit::finish_gather() {
  for (Lane& l : lanes_) {
    if (l.gather) finish_work(l.gather);
    Storage& memory = *l.whole.impl()->storage;
    commit(memory);
    if (!l.chunk) continue;
    // The same bits as before, unless shards have changed: graphs that saved these tensors go on.
    const uint32_t version = memory.version.load(std::memory_order_relaxed),
                   now = l.own.impl()->storage->version.load(std::memory_order_relaxed);
    const Tensor all = l.home == l.device ? l.arriving : ops::to(l.arriving, DType::none, l.device);
    for (size_t i : l.parameters) {
      const Parameter& p = parameters_[i];
      if (p.tensor.numel() && p.tensor.impl()->storage.get() != &memory)
        refuse(Code::invalid_argument,
               concat("\"", p.name, "\" was given other data, of which its shards know nothing"),
               "give it to the shard", "");
      each_part(p, view_over(*l.whole.impl(), IntList(&p.rows, 1), IntList(&p.row, 1), p.at), all, l.chunk,
                p.own_at, [](const Tensor& whole, const Tensor& part) { ops::copy_(whole, part); });
    }
    memory.version.store(version + (now != l.seen), std::memory_order_relaxed);
    l.seen = now;
    l.giving.reset();
    l.arriving.reset();
  }
  gathering_ = false;
  whole_ = true;
}

void FullyShardedUnit::drop_gather() noexcept {
  for (Lane& l : lanes_) {
    if (l.gather) l.astray = std::move(l.gather);  // behind any that it replaces
    l.giving.reset();
    l.arriving.reset();
  }
  gathering_ = false;
}

void FullyShardedUnit::make_whole() {
  in_recordings_ |= is_recording();
  if (whole_) return;
  together("the parameters of a fully sharded unit", [&] {
    NoGradGuard off;
    try {
      if (gathering_)
        ++info_.prefetched;
      else
        begin_gather(false);
      finish_gather();
    } catch (...) {
      drop_gather();
      drop_memory();
      throw;
    }
  });
  std::erase_if(s_->ahead, [&](const Schedule::Weak& w) { return w.lock().get() == this; });
}

void FullyShardedUnit::give_back() {
  if (!whole_ || held_) return;
  drop_memory();
  whole_ = false;
}

// Replays read and write it without asking, from the first recording on.
void FullyShardedUnit::drop_memory() {
  in_recordings_ |= is_recording();
  for (Lane& l : lanes_) decommit_until_restored(*l.whole.impl()->storage, l.names, in_recordings_);
}

void FullyShardedUnit::unshard() {
  std::lock_guard lock(s_->mutex);
  if (closed_ || held_) return;
  // Left from a forward, or gathered ahead in one: shards may have changed.
  if (s_->entered.empty() && !s_->end_queued) {
    give_back();
    drop_gather();
  }
  make_whole();
  held_ = true;
}

void FullyShardedUnit::reshard() {
  std::lock_guard lock(s_->mutex);
  held_ = false;
  if (!closed_) give_back();
}

void FullyShardedUnit::set_gradient_sync(bool on) {
  std::lock_guard lock(s_->mutex);
  sync_ = on;
}

void FullyShardedUnit::set_reshard_after_forward(int value) {
  std::lock_guard lock(s_->mutex);
  if (value < -1 || value > 1)
    refuse(Code::invalid_argument, concat("reshard_after_forward must be 1, 0 or -1, got ", value), "",
           "value");
  options_.reshard_after_forward = value;
}

bool FullyShardedUnit::is_closed() {
  std::lock_guard lock(s_->mutex);
  return closed_;
}

FullyShardedInfo FullyShardedUnit::info() {
  std::lock_guard lock(s_->mutex);
  FullyShardedInfo i = info_;
  i.rank = s_->group->rank();
  i.ranks = s_->group->size();
  i.whole = whole_ || closed_;
  i.parameters = int64_t(parameters_.size());
  for (const Parameter& p : parameters_) {
    i.elements += p.rows * p.row;
    i.own_elements += p.mine * p.row;
    if (const Tensor g = gradient_of(p.shard)) i.gradient_bytes += g.bytes();
  }
  for (const Lane& l : lanes_) {
    i.whole_bytes += l.whole.bytes();
    i.parameter_bytes += l.own.bytes() + (whole_ ? l.whole.bytes() : 0);
    if (l.flat.defined()) i.gradient_bytes += l.flat.bytes();
  }
  return i;
}

void FullyShardedUnit::close() {
  std::lock_guard lock(s_->mutex);
  if (closed_) return;
  if (s_->end_queued || !s_->entered.empty())
    if (s_->end_queued ||
        std::ranges::any_of(s_->entered, [&](const Schedule::Weak& w) { return w.lock().get() == this; }))
      refuse(Code::busy, "a forward or backward of it is running", "", "");
  together("closing a fully sharded unit", [&] {
    NoGradGuard off;
    held_ = false;
    give_back();
    drop_gather();
    for (Lane& l : lanes_) l.low = l.dtype;
    begin_gather(false);
    std::vector<Tensor> whole(parameters_.size());
    for (Lane& l : lanes_)
      for (size_t i : l.parameters) {
        const Parameter& p = parameters_[i];
        whole[i] = new_tensor(p.tensor.sizes(), l.dtype, l.home);
        if (p.rows > 0 && p.row > 0)
          each_part(p, whole[i], l.arriving, l.chunk, p.own_at,
                    [](const Tensor& to, const Tensor& part) { ops::copy_(to, part); });
        if (l.home != l.device) whole[i] = ops::to(whole[i], DType::none, l.device);
      }
    for (size_t i = 0; i < parameters_.size(); ++i) nn::set_data(parameters_[i].tensor, whole[i]);
  });
  closed_ = true;
  remove_hooks();
  if (module_) {
    module_->remove_hook(pre_hook_);
    module_->remove_hook(post_hook_);
  }
  std::erase_if(s_->units, [&](const Schedule::Weak& w) { return w.expired() || w.lock().get() == this; });
  std::erase_if(s_->ahead, [&](const Schedule::Weak& w) { return w.expired() || w.lock().get() == this; });
  parameters_.clear();
  lanes_.clear();
}

}  // namespace haft::parallel
