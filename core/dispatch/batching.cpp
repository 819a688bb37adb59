#include "core/dispatch/batching.h"

#include "core/base/text.h"

namespace haft {

Batching& batching() {
  ThreadState& ts = thread_state();
  void*& slot = ts.slots[kSlotBatching];
  if (!slot) {
    slot = new Batching;
    ts.slot_destroy[kSlotBatching] = [](void* p) { delete static_cast<Batching*>(p); };
  }
  return *static_cast<Batching*>(slot);
}

size_t Batching::level_of(const Tensor& t) const {
  if (!is_batched(t)) return 0;
  const uint64_t number = place_of(*t.impl()).level;
  for (size_t i = active; i-- > 0;)
    if (levels[i]->number == number) return i + 1;
  fail(Code::invalid_argument,
       concat("a tensor of shape ", t.sizes(),
              " stands for the examples of a vmap that is over, or of another thread's"),
       "answer it from the mapped function");
}

BatchScope::BatchScope(int64_t size, Randomness randomness, bool warns)
    : all_(batching()), below_(all_.active), modes_(thread_state().modes, thread_state().modes | kModeBatch) {
  static std::atomic<uint64_t> next{1};
  HAFT_ASSERT(below_ == all_.levels.size());
  all_.levels.push_back(std::make_unique<BatchLevel>(
      BatchLevel{.number = next_number(next), .size = size, .randomness = randomness, .warns = warns}));
  all_.active = below_ + 1;
}

BatchScope::~BatchScope() {
  all_.levels.resize(below_);
  all_.active = below_;
}

Tensor BatchScope::unwrap(const Tensor& y, bool& many) const {
  many = false;
  if (!is_batched(y)) return y;
  const BatchPlace p = place_of(*y.impl());
  if (p.level != level().number) return y;
  many = p.many;
  return value_of(*y.impl());
}

Tensor at_innermost_level(const Tensor& x) {
  if (!(thread_state().modes & kModeBatch)) return x;
  Batching& b = batching();
  if (b.active == 0 || b.level_of(x) == b.active || x.view().layout != HAFT_LAYOUT_STRIDED) return x;
  return batched(x, {b.at(b.active).number, false});
}

void note_made(const Tensor& t) {
  if (!(thread_state().modes & kModeBatch)) return;
  if (Batching& b = batching(); b.active) b.at(b.active).made.insert(t.impl());
}

int64_t batched_draw(int64_t n) {
  Batching& b = batching();
  int64_t blocks = (n + 3) / 4;
  for (size_t level = b.active; level > 0; --level) {
    BatchLevel& l = b.at(level);
    if (l.randomness == Randomness::error)
      fail(Code::invalid_argument, "vmap: called random operation while in randomness error mode",
           "ask vmap for randomness 'same' or 'different', or draw outside of the mapped function",
           "randomness");
    l.blocks = blocks;
    if (l.randomness == Randomness::different) blocks *= l.size;
  }
  return b.active ? blocks * 4 : n;
}

}  // namespace haft
