#include "tests/ops/record.h"

namespace haft::test {

void add_indexing(Records&) {}

}  // namespace haft::test
