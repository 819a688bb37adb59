// Gradients that would vanish in a 16-bit type: the loss is multiplied by a scale, and before the step the gradients
// are divided by it. Steps with an infinite gradient are left out, and the scale grows and shrinks by that. All of it
// in operators; the host waits once a step, for whether to make it. In a recording it does not: there the kernels of
// the optimizer's step read what was found, and count on the device how many steps were left out (dispatch/replay.h).
//
// Where ranks have parts of the gradients, what each has found is joined, so that all make a step or leave it out.
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "core/base/ref.h"
#include "core/optim/optimizer.h"

namespace haft {

struct GradScalerState {
  double scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  int64_t growth_interval = 2000, growth_tracker = 0;
};

class GradScaler final : public RefCounted {
 public:
  enum Stage { kReady, kUnscaled, kStepped };

  GradScaler(const GradScalerState& state, bool enabled);
  bool enabled() const { return enabled_; }

  Tensor scale(const Tensor& x);
  // The largest of what the ranks have, in place; of one element on the device of the first parameter.
  struct Join {
    std::function<void(const Tensor& number)> largest;  // empty: the gradients are whole
    Device device;
  };
  // Once an owner (whoever has the gradients, by a number of its own) between two updates.
  void unscale(uint64_t owner, std::span<const Tensor> gradients, const Join& join);
  void unscale(uint64_t owner, std::span<const Tensor> gradients) { unscale(owner, gradients, {}); }
  Stage stage(uint64_t owner) const;
  // Whether the owner's step is to be made. It counts as made from end_step() on: one that failed can be tried again.
  // While the thread records: yes, and each replay decides about the steps of optimizers until end_step().
  bool begin_step(uint64_t owner);
  void end_step(uint64_t owner);
  void update();
  void set_scale(double scale);  // in place of update(): what was seen is forgotten

  GradScalerState state() const;  // waits for the device
  void set_state(const GradScalerState& state);

  // Of an optimizer, by its address: it lives until update(). `shards`: of one whose parameters are parts.
  void unscale(Optimizer& o, const Join& shards);
  bool step(Optimizer& o, const Join& shards);  // whether it was made
  void unscale(Optimizer& o) { unscale(o, {}); }
  bool step(Optimizer& o) { return step(o, {}); }

 private:
  struct Seen {
    Device device;
    Tensor scale, found;
  };
  struct Owner {
    Stage stage = kReady;
    std::vector<Seen> seen;  // one a device
    Ref<Optimizer> keep;
  };

  // Numbers on a device for recorded calls to count in, made before the recording: what is made within it begins anew
  // with each replay.
  struct Counters {
    Device device;
    Tensor all, numbers;  // of each call a count, and what its rule keeps
    int64_t taken = 0;
  };
  static constexpr int64_t kCounters = 64;

  void join_found(Owner& o, const Join& join) const;
  void move_to(Device d);  // the scale, from the host to the first device that it is wanted on
  void write(double scale, double tracker);  // where they lie: recordings read them there
  void make_counters(const Owner& o);
  std::pair<Tensor, Tensor> take_counter(Device d);

  std::vector<Counters> counters_;
  GradScalerState state_;  // factors and interval; the other two as they were set last
  bool enabled_;
  Tensor scale_, tracker_;
  std::map<uint64_t, Owner> owners_;
};

}  // namespace haft
