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

// Whence the random operators of a thread draw.
struct RandomSource {
  Generator* generator = nullptr;  // in place of the default one
  // Above 0: each operator takes one block of its generator, whatever it draws, and draws from a stream of its own
  // that the block and this number name. Equal generators stay equal where the numbers differ.
  uint64_t stream = 0;
};
RandomSource& random_source();

// Of n numbers that an operator draws; gen: which generator it was given.
struct Draw {
  int64_t seed, offset;
};
Draw draw(Generator* gen, int64_t n);
Draw draw_from(Generator& g, uint64_t stream, int64_t n);
// A seed from the thread's generator.
uint64_t next_seed();

}  // namespace haft
