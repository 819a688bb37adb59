#include "core/dispatch/generator.h"

#include <sys/random.h>

#include "core/dispatch/batching.h"
#include "core/dispatch/replay.h"

namespace haft {

Generator& default_generator() {
  static Generator* g = [] {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = 0x9e3779b97f4a7c15u;
    return new Generator(seed >> 11);  // 53 bits: the seed survives a trip through a double
  }();
  return *g;
}

namespace {

constinit thread_local RandomSource source __attribute__((tls_model("initial-exec")));

// Steele, Lea and Flood's SplitMix64.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

}  // namespace

RandomSource& random_source() { return source; }

Draw draw_from(Generator& g, uint64_t stream, int64_t n) {
  const uint64_t seed = g.seed.load();
  if (stream == 0) [[likely]]
    return {int64_t(seed), int64_t(g.take((uint64_t(n) + 3) / 4))};
  return {int64_t(mix(mix(mix(seed) + g.take(1)) + stream)), 0};
}

Draw draw(Generator* gen, int64_t n) {
  Generator& g = gen ? *gen : source.generator ? *source.generator : default_generator();
  if (thread_state().modes & kModeBatch) [[unlikely]]
    n = batched_draw(n);
  const Draw d = draw_from(g, source.stream, n);
  if (is_recording()) [[unlikely]]
    note_draw(g, source.stream, n, d);
  return d;
}

uint64_t next_seed() {
  const Draw d = draw(nullptr, 1);
  return mix(mix(uint64_t(d.seed)) + uint64_t(d.offset));
}

}  // namespace haft
