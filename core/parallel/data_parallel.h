// Distributed data parallel: every rank has a copy of the parameters and a share of the data, and the gradients of
// all are their mean. docs/data-parallel.md tells how it behaves.
//
// Parameters lie in **buckets**, roughly in the order in which backward makes their gradients. A hook at each parameter
// counts; when all gradients of a bucket are there, and the buckets before it are under way, its all-reduce is
// issued, so that it runs while backward goes on. The end of backward waits for all. A parameter's gradient is a view
// of its bucket.
//
// One mutex guards the state; hooks may come from any thread that runs a backward. What it calls while it holds it:
// the group, the communication hook.
#pragma once
#include <mutex>
#include <optional>

#include "core/nn/module.h"
#include "core/parallel/comm_hook.h"

namespace haft::parallel {

struct DataParallelOptions {
  bool broadcast_buffers = true, find_unused = false, bucket_view = true, static_graph = false,
       init_sync = true;
  int64_t first_bucket_bytes = int64_t(1) << 20, bucket_bytes = int64_t(25) << 20;
};

struct DataParallelInfo {
  int64_t buckets = 0, steps = 0, sent_bytes = 0, gradient_bytes = 0, unused = 0, copies = 0;
  bool rebuilt = false;
};

class DataParallel final : public RefCounted {
 public:
  // All ranks make it with the same parameters; those of rank 0 become every rank's, as do its buffers. The module
  // may be NULL: its owner then calls prepare() before each forward pass.
  static Ref<DataParallel> create(std::vector<nn::NamedTensor> parameters,
                                  std::vector<nn::NamedTensor> buffers, Ref<dist::Group> group,
                                  DataParallelOptions options, Ref<nn::Module> module);
  // Takes its hooks off the parameters, at the end of a backward that runs; gradients stay what they are.
  void close();

  // Begins a step of training. Nothing happens where gradients are off or the module evaluates: such a forward pass
  // is a rank's own business.
  void prepare();
  Tensor forward(const Tensor& x);
  std::vector<Tensor> forward_many(std::span<const Tensor> xs);
  // Off: gradients add up on each rank, until a step with it on joins what has come together.
  void set_sync(bool on);
  bool sync();
  void set_static_graph();
  void set_hook(Ref<CommHook> hook);

  // From here on ranks tell each other at the beginning of each step who still has data. `by_world`: means are over all
  // ranks, not over those with data. `fail_early`: the first that runs out ends it with an error on every rank.
  void join_begin(bool by_world, bool fail_early);
  // This rank has no more data: takes part in what the others call until they have none either, and then has the
  // parameters of one that was among the last.
  void join_end();

  DataParallelInfo info();
  const Ref<nn::Module>& module() const { return module_; }
  std::vector<Tensor> parameters() const;  // those whose gradients are joined
  dist::Group& group() { return *group_; }
  // What a hook keeps from step to step, by names. load_state fails on names it does not know, before anything is
  // changed.
  std::vector<nn::NamedTensor> state();
  void load_state(std::span<const nn::NamedTensor> state);

 private:
  struct Parameter {
    std::string name;
    Tensor tensor;
    uint64_t hook = 0;
    int bucket = 0, place = 0;
    bool used = false;    // got a gradient since the last step that was joined
    bool ready = false;   // in this step
    bool unused = false;  // ready without a gradient
    int32_t fires = 0;    // of a static graph: how often its gradient comes in a step
    int32_t left = 0;
  };
  struct Lane {  // a bucket and where it stands in this step
    Bucket bucket;
    Tensor flat, tail;  // the buffer, and behind it in the last one whether each parameter was used
    int pending = 0;
    bool begun = false;
    Ref<dist::Work> work;
  };
  enum State : uint8_t { kOut, kLocal, kSync };  // of a rank at the beginning of a step

  DataParallel(std::vector<nn::NamedTensor> parameters, std::vector<nn::NamedTensor> buffers,
               Ref<dist::Group> group, DataParallelOptions options, Ref<nn::Module> module);
  void share_state(int root);  // parameters and buffers
  void add_hooks();
  void broadcast_buffers(int root);
  void check_module() const;

  void lay_out(const std::vector<int>& order);
  void lay_out_hook();
  void rebuild();
  static Tensor piece_at(const Tensor& flat, const Tensor& place, const Tensor& buffer);
  Tensor piece(const Tensor& flat, const Parameter& p);
  void on_gradient(int p, const Tensor& g);
  void begin_step();
  void mark_ready(Parameter& p, const Tensor& g);
  void mark_unused(Parameter& p);
  Tensor& slot(const Parameter& p) { return lanes_[size_t(p.bucket)].bucket.gradients[size_t(p.place)]; }
  bool is_slot(const Parameter& p, const Tensor& g);
  void fill_slot(const Parameter& p, const Tensor& g);
  void begin_ready();
  void begin_lane(Lane& l, bool wait);
  void end_of_backward(bool whole);
  void finish_step();
  void write_used(Tensor& to);
  void take_gradients(const Tensor& used);
  void reset_step();
  [[noreturn]] void fail_twice(const Parameter& p);
  std::string names_missing();
  void check_finished();
  State meet(State mine);
  [[noreturn]] void fail_ran_out();
  bool tells_used() const { return options_.find_unused || options_.static_graph; }
  bool plain() const { return !hook_; }

  const Ref<dist::Group> group_;
  const Ref<nn::Module> module_;
  DataParallelOptions options_;
  std::recursive_mutex mutex_;  // a communication hook may ask for what there is
  std::vector<Parameter> parameters_;
  std::vector<nn::NamedTensor> all_, buffers_;  // all parameters, trained or not
  std::vector<Lane> lanes_;
  Ref<CommHook> hook_;
  Ref<dist::Work> used_work_;
  Tensor used_bits_;  // with a hook: whether each parameter was used, joined apart from the buckets

  bool closed_ = false, sync_ = true;
  std::optional<bool> latched_;  // what prepare() found sync_ to be
  bool in_step_ = false;         // a gradient has come
  bool end_queued_ = false;
  bool closing_ = false;    // when the backward that runs is at its end
  size_t next_ = 0;         // the bucket that is to begin
  bool first_ = true;       // no step was joined so far
  std::vector<int> order_;  // in which gradients came in the first
  Tensor packed_;           // all buffers
  std::vector<Tensor> packed_views_;

  bool joining_ = false, by_world_ = true, fail_early_ = false;
  bool shadows_ = false;        // this rank has no more data
  int active_ = 0, root_ = -1;  // how many have some, and the first of those that had some last
  DataParallelInfo info_;
};

}  // namespace haft::parallel
