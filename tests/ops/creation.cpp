#include "tests/ops/record.h"

namespace haft::test {

void add_creation(Records&) {}

}  // namespace haft::test
