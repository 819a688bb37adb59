#include "core/dispatch/generator.h"

#include <sys/random.h>

namespace haft {

Generator& default_generator() {
  static Generator* g = [] {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = 0x9e3779b97f4a7c15u;
    return new Generator(seed >> 11);  // 53 bits: the seed survives a trip through a double
  }();
  return *g;
}

}  // namespace haft
