#include "tests/ops/record.h"

namespace haft::test {

void add_random(Records&) {}

}  // namespace haft::test
