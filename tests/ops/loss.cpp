#include "tests/ops/record.h"

namespace haft::test {

void add_losses(Records&) {}

}  // namespace haft::test
