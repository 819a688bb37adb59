#include "tests/ops/record.h"

namespace haft::test {

void add_views(Records&) {}

}  // namespace haft::test
