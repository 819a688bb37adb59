#include "core/parallel/data_parallel.h"

#include <algorithm>

#include "core/autograd/hooks.h"
#include "core/ops/functions.h"
#include "core/parallel/shard_of.h"

namespace haft::parallel {

using dist::Group;
using nn::NamedTensor;

namespace {

std::string described(const NamedTensor& n) {
  return concat(n.name, " ", dtype_name(n.tensor.dtype()), " ", n.tensor.sizes(),
                n.tensor.requires_grad() ? " trained\n" : "\n");
}

void check_device(const NamedTensor& n, Device d) {
  if (n.tensor.device() != d)
    fail(Code::device,
         concat("data parallel: \"", n.name, "\" is on ", n.tensor.device(), ", others are on ", d),
         "a rank has its model on one device; layers on several are pipelines", "parameters");
}

}  // namespace

DataParallel::DataParallel(std::vector<NamedTensor> parameters, std::vector<NamedTensor> buffers,
                           Ref<Group> group, DataParallelOptions options, Ref<nn::Module> module)
    : group_(std::move(group)), module_(std::move(module)), options_(options), buffers_(std::move(buffers)) {
  const Device device = parameters.empty() ? Device{} : parameters[0].tensor.device();
  for (NamedTensor& n : parameters) {
    check_device(n, device);
    if (shard_of(n.tensor) || whole_of(n.tensor))
      fail(Code::invalid_argument,
           concat("data parallel: \"", n.name,
                  "\" is spread over ranks by fully sharded data parallel, which joins its gradients itself"),
           "leave data parallel out; over replicas of shards, give the unit the group of replicas",
           "parameters");
    all_.push_back(n);
    if (!n.tensor.requires_grad()) continue;
    Parameter p;
    p.name = std::move(n.name);
    p.tensor = std::move(n.tensor);
    parameters_.push_back(std::move(p));
  }
  for (const NamedTensor& n : buffers_) check_device(n, device);
  if (parameters_.empty())
    fail(Code::invalid_argument,
         "data parallel: none of the parameters requires a gradient, so there is nothing to join", {},
         "parameters");
  if (options_.bucket_bytes < 1 || options_.first_bucket_bytes < 1)
    fail(Code::invalid_argument, "data parallel: a bucket has at least 1 byte", {}, "bucket_bytes");
}

Ref<DataParallel> DataParallel::create(std::vector<NamedTensor> parameters, std::vector<NamedTensor> buffers,
                                       Ref<Group> group, DataParallelOptions options,
                                       Ref<nn::Module> module) {
  auto made = Ref<DataParallel>::adopt(new DataParallel(std::move(parameters), std::move(buffers),
                                                        std::move(group), options, std::move(module)));
  if (options.init_sync) {
    std::string lines;
    for (const NamedTensor& n : made->all_) lines += described(n);
    for (const NamedTensor& n : made->buffers_) lines += described(n);
    verify_same(*made->group_, "data parallel: models differ", lines);
    made->share_state(0);
  }
  std::vector<int> order;
  for (int p = int(made->parameters_.size()); p-- > 0;) order.push_back(p);
  made->lay_out(order);
  try {
    made->add_hooks();
  } catch (...) {
    made->close();  // hooks own what they call
    throw;
  }
  return made;
}

void DataParallel::add_hooks() {
  for (size_t i = 0; i < parameters_.size(); ++i)
    parameters_[i].hook = add_post_accumulate_hook(
        parameters_[i].tensor,
        [self = Ref<DataParallel>::share(this), i](const Tensor& g) { self->on_gradient(int(i), g); });
}

void DataParallel::close() {
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    closing_ = end_queued_;
    if (closing_) return;  // a collector's thread may let go in the midst of a backward: that ends whole
    closed_ = true;
  }
  for (Parameter& p : parameters_)
    // Also of a parameter that was frozen since.
    if (LeafNode* leaf = leaf_of(p.tensor)) remove_hook(*leaf, p.hook);
  hook_.reset();
}

void DataParallel::share_state(int root) {
  if (group_->size() == 1) return;
  for (const auto* list : {&all_, &buffers_})
    for (const NamedTensor& n : *list) group_->run(broadcast_job(n.tensor, root));
}

// All buffers in one call: they are small and many.
void DataParallel::broadcast_buffers(int root) {
  if (group_->size() == 1 || buffers_.empty() || !options_.broadcast_buffers) return;
  NoGradGuard off;
  constexpr int64_t kAlign = 16;
  if (!packed_.defined()) {
    int64_t bytes = 0;
    for (const NamedTensor& n : buffers_) bytes += (n.tensor.bytes() + kAlign - 1) / kAlign * kAlign;
    packed_ = ops::zeros(IntList(&bytes, 1), DType::u8, buffers_[0].tensor.device());
    bytes = 0;
    for (const NamedTensor& n : buffers_) {
      const IntList sizes = n.tensor.sizes();
      packed_views_.push_back(tensor_over(packed_.impl()->storage, sizes, contiguous_strides(sizes),
                                          n.tensor.dtype(), bytes / item_size(n.tensor.dtype())));
      bytes += (n.tensor.bytes() + kAlign - 1) / kAlign * kAlign;
    }
  }
  const bool mine = group_->rank() == root;
  for (size_t i = 0; mine && i < buffers_.size(); ++i) ops::copy_(packed_views_[i], buffers_[i].tensor);
  group_->run(broadcast_job(packed_, root));
  for (size_t i = 0; !mine && i < buffers_.size(); ++i) ops::copy_(buffers_[i].tensor, packed_views_[i]);
}

// ---- forward ----

void DataParallel::prepare() {
  std::lock_guard lock(mutex_);
  if (closed_) fail(Code::cancelled, "data parallel: it was released");
  if (!thread_state().grad_enabled || (module_ && !module_->training())) return;
  check_finished();
  int root = 0;
  if (joining_) {
    meet(sync_ ? kSync : kLocal);
    root = root_;
    if (fail_early_ && active_ < group_->size()) fail_ran_out();
  }
  if (sync_) broadcast_buffers(root);
  latched_ = sync_;
}

Tensor DataParallel::forward(const Tensor& x) {
  check_module();
  prepare();
  return module_->call(x);
}
std::vector<Tensor> DataParallel::forward_many(std::span<const Tensor> xs) {
  check_module();
  prepare();
  return module_->call_many(xs);
}
void DataParallel::check_module() const {
  if (!module_)
    fail(Code::invalid_argument, "data parallel over a list of parameters has no forward pass",
         "call prepare before the program's own");
}

void DataParallel::set_sync(bool on) {
  std::lock_guard lock(mutex_);
  sync_ = on;
}
bool DataParallel::sync() {
  std::lock_guard lock(mutex_);
  return sync_;
}

std::vector<Tensor> DataParallel::parameters() const {
  std::vector<Tensor> out;
  for (const Parameter& p : parameters_) out.push_back(p.tensor);
  return out;
}

void DataParallel::set_static_graph() {
  std::lock_guard lock(mutex_);
  if (!first_ || in_step_)
    fail(Code::invalid_argument, "data parallel: a graph is said to be static before the first step");
  if (options_.static_graph) return;
  options_.static_graph = true;
  std::vector<int> order;
  for (int p = int(parameters_.size()); p-- > 0;) order.push_back(p);
  lay_out(order);
}

void DataParallel::set_hook(Ref<CommHook> hook) {
  std::lock_guard lock(mutex_);
  if (in_step_)
    fail(Code::busy, "data parallel: gradients of a step are being joined", "set hooks between steps");
  if (hook_) info_.sent_bytes += hook_->sent;
  hook_ = std::move(hook);
  if (hook_) lay_out_hook();
}

DataParallelInfo DataParallel::info() {
  std::lock_guard lock(mutex_);
  DataParallelInfo i = info_;
  i.buckets = int64_t(lanes_.size());
  if (hook_) i.sent_bytes += hook_->sent;
  return i;
}

// ---- uneven inputs ----

void DataParallel::join_begin(bool by_world, bool fail_early) {
  std::lock_guard lock(mutex_);
  if (joining_)
    fail(Code::invalid_argument, "data parallel: a join is under way already, and there is one at a time",
         "end it before the next begins");
  check_finished();
  joining_ = true;
  by_world_ = by_world;
  fail_early_ = fail_early;
  root_ = -1;
}

// Answers the state of those that have data.
DataParallel::State DataParallel::meet(State mine) {
  const int64_t one = 1, ranks = group_->size();
  Tensor my = new_tensor(IntList(&one, 1), DType::u8), all = new_tensor(IntList(&ranks, 1), DType::u8);
  my.data<uint8_t>()[0] = mine;
  group_->run(all_gather_job(my, all));
  active_ = 0;
  State state = kOut;
  bool differ = false;
  for (int r = int(ranks); r-- > 0;) {
    const State s = State(all.data<uint8_t>()[r]);
    if (s == kOut) continue;
    ++active_;
    root_ = r;
    differ |= state != kOut && s != state;
    state = s;
  }
  if (differ)
    fail(Code::mismatch,
         "data parallel: some ranks join the gradients of this step and others do not (no_sync)",
         "every rank switches joining on and off in the same steps");
  return state;
}

void DataParallel::fail_ran_out() {
  fail(
      Code::cancelled,
      concat("data parallel: ", group_->size() - active_, " of ", group_->size(), " ranks have no more data"),
      "join without fail_early goes on with the others");
}

void DataParallel::join_end() {
  std::lock_guard lock(mutex_);
  if (!joining_)
    fail(Code::invalid_argument, "data parallel: no join is under way that could end", "begin one first");
  struct Ended {
    DataParallel& d;
    ~Ended() { d.joining_ = d.shadows_ = false; }
  } ended{*this};
  check_finished();
  for (;;) {
    const State state = meet(kOut);
    if (!active_) break;
    if (fail_early_) fail_ran_out();
    if (state != kSync) continue;
    broadcast_buffers(root_);
    shadows_ = true;
    begin_step();
    NoGradGuard off;
    for (Lane& l : lanes_) {
      ops::fill_(l.flat, 0);
      l.pending = 0;
    }
    finish_step();
  }
  if (root_ >= 0) share_state(root_);
}

// ---- what hooks keep ----

std::vector<NamedTensor> DataParallel::state() {
  std::lock_guard lock(mutex_);
  std::vector<NamedTensor> out;
  if (!hook_) return out;
  const int64_t one = 1;
  Tensor step = new_tensor(IntList(&one, 1), DType::i64);
  step.data<int64_t>()[0] = hook_->step;
  out.push_back({"step", std::move(step)});
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    if (!hook_->residuals.empty())
      out.push_back({concat("residual.", p.name), piece(hook_->residuals[size_t(p.bucket)], p)});
    if (hook_->warm[i].defined()) out.push_back({concat("warm.", p.name), hook_->warm[i]});
  }
  return out;
}

void DataParallel::load_state(std::span<const NamedTensor> state) {
  std::lock_guard lock(mutex_);
  if (in_step_) fail(Code::busy, "data parallel: gradients of a step are being joined", "load between steps");
  NoGradGuard off;
  std::vector<std::pair<Tensor, const Tensor*>> copies;
  std::vector<std::pair<size_t, Tensor>> warm;
  int64_t step = hook_ ? hook_->step : 0;
  for (const NamedTensor& n : state) {
    const size_t dot = n.name.find('.');
    const std::string kind = n.name.substr(0, dot),
                      name = dot == n.name.npos ? std::string() : n.name.substr(dot + 1);
    const auto at = std::ranges::find(parameters_, name, &Parameter::name);
    if (hook_ && n.name == "step" && n.tensor.numel() == 1 && n.tensor.dtype() == DType::i64) {
      step = n.tensor.data<int64_t>()[0];
    } else if (hook_ && kind == "residual" && at != parameters_.end() && !hook_->residuals.empty()) {
      copies.emplace_back(piece(hook_->residuals[size_t(at->bucket)], *at), &n.tensor);
      if (!std::ranges::equal(n.tensor.sizes(), at->tensor.sizes()))
        fail(Code::shape, concat("data parallel: \"", n.name, "\" has shape ", n.tensor.sizes(), ", wanted ",
                                 at->tensor.sizes()));
    } else if (hook_ && kind == "warm" && at != parameters_.end()) {
      warm.emplace_back(size_t(at - parameters_.begin()),
                        ops::clone(ops::to(n.tensor, DType::none, at->tensor.device())));
    } else {
      fail(Code::invalid_argument, concat("data parallel: its hook keeps no \"", n.name, "\""),
           "set the hook that the state was saved with, over the same parameters", "names");
    }
  }
  for (auto& [to, from] : copies) ops::copy_(to, ops::to(*from, DType::none, to.device()));
  for (auto& [i, t] : warm) hook_->warm[i] = std::move(t);
  if (hook_) hook_->step = step;
}

}  // namespace haft::parallel
