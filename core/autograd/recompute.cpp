#include "core/autograd/recompute.h"

#include <mutex>
#include <optional>
#include <utility>

#include "core/autograd/engine.h"
#include "core/dispatch/autocast_as.h"
#include "core/dispatch/generator.h"
#include "core/tape/saved_hooks.h"

namespace haft {

namespace {

// An input of the first run. Hooks around the checkpoint pack it like everything that backward needs: so a checkpoint
// within a checkpoint keeps nothing either.
struct KeptInput {
  Tensor value;
  uint32_t version = 0;
  std::optional<PackedTensor> packed;
  bool requires_grad = false;

  explicit KeptInput(const Tensor& t) : requires_grad(t.requires_grad()) {
    if (saves_are_hooked(thread_state())) {
      packed.emplace(*t.impl());
    } else {
      value = shallow_copy(*t.impl());
      version = version_of(*value.impl());
    }
  }
  Tensor again(size_t number) const {
    if (!packed && version_of(*value.impl()) != version)
      fail(Code::autograd,
           concat("checkpoint: input ", int64_t(number), " of shape ", value.sizes(),
                  " was changed in place after the call"),
           "clone() it before writing");
    Tensor t = packed ? packed->unpack({}, 0) : shallow_copy(*value.impl());
    if (requires_grad) set_requires_grad(t, true);
    return t;
  }
};

// One call of a checkpoint: what stands for its saved tensors are their numbers.
struct Frame : RefCounted {
  struct Meta {
    Shape sizes;
    DType dtype;
    Device device;
    bool fits(const Tensor& t) const {
      return std::ranges::equal(t.sizes(), IntList(sizes)) && t.dtype() == dtype && t.device() == device;
    }
  };
  TensorsFunction fn;
  std::vector<KeptInput> inputs;
  std::vector<Meta> saved;  // of the first run, in the order in which the tape kept them
  bool complete = false;    // the first run is over
  bool early_stop = true;   // the second run ends with the last tensor that the first one kept
  std::optional<RandomSource> random;
  uint64_t seed = 0, offset = 0;
  uint32_t call_flags = 0;
  AutocastState autocast;  // backward runs without one; what is computed again has the types of the first run

  // Backwards of two threads may come by: through different results of one call.
  std::recursive_mutex mutex;
  std::vector<Tensor> made;  // by the second run, each until it is taken

  // Forgets what a backward did not ask for.
  void clear() {
    std::vector<Tensor> old;
    std::lock_guard lock(mutex);
    old.swap(made);
  }

  Tensor take(size_t number) {
    std::lock_guard lock(mutex);
    if (number >= made.size() || !made[number].defined()) {
      if (backward_is_running()) after_backward([self = Ref<Frame>::share(this)] { self->clear(); });
      made = run_again();
    }
    if (number >= made.size())
      fail(Code::autograd,
           concat("checkpoint: tensor ", int64_t(number), " was kept at first, the second run kept ",
                  int64_t(made.size())),
           "the function must do the same each time");
    return std::move(made[number]);
  }

  // Ends the function from within the operator that kept the last tensor.
  [[noreturn]] static void stop() {
    fail(Code::cancelled,
         "checkpoint: all that backward needs has been computed again, so the function ends here",
         "let it pass, or turn the early stop off where the function must come to its end");
  }

  std::vector<Tensor> run_again() {
    std::vector<Tensor> in, kept;
    for (size_t i = 0; i < inputs.size(); ++i) in.push_back(inputs[i].again(i));
    Generator replay(seed);
    replay.offset = offset;
    RandomSource& source = random_source();
    ScopedValue<RandomSource> numbers(source, random ? RandomSource{&replay, random->stream} : source);
    ThreadState& ts = thread_state();
    ScopedValue<bool> recording(ts.grad_enabled, true);
    ScopedValue<uint32_t> flags(ts.call_flags, call_flags);
    AutocastAs casts(autocast);
    auto hooks = make_ref<SavedTensorHooks>();
    bool stopped = false;
    hooks->pack = [&](const Tensor& t) -> std::shared_ptr<void> {
      if (stopped) stop();  // somebody caught it
      const size_t i = kept.size();
      if (i < saved.size() && !saved[i].fits(t))
        fail(Code::autograd,
             concat("checkpoint: tensor ", int64_t(i), " that is kept for backward was ",
                    dtype_name(saved[i].dtype), " of shape ", IntList(saved[i].sizes), " at first and is ",
                    dtype_name(t.dtype()), " of shape ", t.sizes(), " when the function runs again"),
             "the function must do the same each time");
      kept.push_back(t);
      stopped = early_stop && complete && i + 1 == saved.size();
      if (stopped) stop();
      return std::static_pointer_cast<void>(std::make_shared<Tensor>(t));
    };
    hooks->unpack = [](const std::shared_ptr<void>& p) { return *static_cast<Tensor*>(p.get()); };
    {
      OnlySavedTensorHooks only(std::move(hooks));
      try {
        fn(in);
      } catch (...) {
        if (!stopped) throw;
      }
      if (stopped) return kept;
      only.check("checkpoint");
    }
    if (complete && kept.size() != saved.size())
      fail(Code::autograd,
           concat("checkpoint: ", int64_t(saved.size()), " tensors were kept for backward at first, ",
                  int64_t(kept.size()), " when the function ran again"),
           "the function must do the same each time");
    return kept;
  }
};

thread_local bool thread_stops_early = true;

}  // namespace

bool set_checkpoint_early_stop(bool on) { return std::exchange(thread_stops_early, on); }

std::vector<Tensor> checkpoint(TensorsFunction fn, std::span<const Tensor> inputs, RecomputeOptions options) {
  ThreadState& ts = thread_state();
  if (!ts.grad_enabled) return fn(inputs);
  auto frame = make_ref<Frame>();
  for (const Tensor& t : inputs) frame->inputs.emplace_back(t);
  if (options.preserve_random) {
    frame->random = random_source();
    const Generator& g = frame->random->generator ? *frame->random->generator : default_generator();
    frame->seed = g.seed;
    frame->offset = g.offset;
  }
  frame->early_stop = thread_stops_early;
  frame->call_flags = ts.call_flags;
  frame->autocast = ts.autocast;
  frame->autocast.caches = false;  // a cache would outlive backward, which is no region
  frame->fn = std::move(fn);
  auto hooks = make_ref<SavedTensorHooks>();
  hooks->pack = [frame](const Tensor& t) {
    frame->saved.push_back({Shape(t.sizes()), t.dtype(), t.device()});
    return std::static_pointer_cast<void>(std::make_shared<size_t>(frame->saved.size() - 1));
  };
  hooks->unpack = [frame](const std::shared_ptr<void>& p) {
    return frame->take(*static_cast<size_t*>(p.get()));
  };
  std::vector<Tensor> outputs;
  {
    OnlySavedTensorHooks only(std::move(hooks));
    outputs = frame->fn(inputs);
    only.check("checkpoint");
  }
  frame->complete = true;
  return outputs;
}

}  // namespace haft
