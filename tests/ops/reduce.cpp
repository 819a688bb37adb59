#include "tests/ops/record.h"

namespace haft::test {

void add_reductions(Records&) {}

}  // namespace haft::test
