// vmap, underneath: the levels that a thread is in, and what draws random numbers or makes tensors inside of them. The
// rules by which operators take batched tensors (tensor/batched.h) stand in ops/batching.h.
#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/thread_state.h"
#include "core/tensor/batched.h"

namespace haft {

// What random operators do inside: fail, draw numbers for each example, or the same ones for all.
enum class Randomness : int32_t { error = 0, different = 1, same = 2 };

struct BatchLevel {
  uint64_t number;
  int64_t size;  // how many examples
  Randomness randomness;
  bool warns;          // tells the log of operators that have no rule
  int64_t blocks = 0;  // of random numbers that the last draw took for each example
  // Tensors made since the level began, which examples may be written into. Addresses: whatever lies there by now is no
  // older.
  std::unordered_set<const TensorImpl*> made = {};
};

struct Batching {
  std::vector<std::unique_ptr<BatchLevel>> levels;  // outermost first
  size_t active = 0;  // how many of them calls see: a rule of level n computes with those below

  // The level of a batched tensor, from 1 on; 0 for others.
  size_t level_of(const Tensor& t) const;
  BatchLevel& at(size_t level) { return *levels[level - 1]; }
};
Batching& batching();

// A vmap at work on this thread.
class BatchScope {
  Batching& all_;
  const size_t below_;
  ScopedValue<uint32_t> modes_;

 public:
  BatchScope(int64_t size, Randomness randomness, bool warns = false);
  ~BatchScope();
  BatchScope(const BatchScope&) = delete;
  BatchLevel& level() const { return all_.at(below_ + 1); }
  // The examples in dimension 0 of x, as the function sees them.
  Tensor wrap(const Tensor& x) const { return batched(x, {level().number, true}); }
  // What it answered: with the examples in dimension 0 (`many`), or the same for all.
  Tensor unwrap(const Tensor& y, bool& many) const;
};

// x at the innermost level, so that a history that it gets there is that level's alone; x itself outside of all.
Tensor at_innermost_level(const Tensor& x);
// Of a tensor made by no operator: it is new.
void note_made(const Tensor& t);
// How many numbers n are, drawn at the innermost level, for all examples. Fails where none may be drawn.
int64_t batched_draw(int64_t n);

}  // namespace haft
