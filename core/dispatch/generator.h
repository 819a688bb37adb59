// Random numbers: a generator is a seed and a position in the Philox stream of that seed.
#pragma once
#include <atomic>

#include "core/base/ref.h"

namespace haft {

struct Generator : RefCounted {
  std::atomic<uint64_t> seed{0};
  std::atomic<uint64_t> offset{0};  // in blocks of four words

  explicit Generator(uint64_t s = 0) : seed(s) {}
  void reseed(uint64_t s) {
    seed.store(s);
    offset.store(0);
  }
  // Takes `blocks` blocks of the stream; concurrent callers get disjoint ones.
  uint64_t take(uint64_t blocks) { return offset.fetch_add(blocks); }
};

// The process's own generator, seeded by the system until somebody seeds it.
Generator& default_generator();

}  // namespace haft
