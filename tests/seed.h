// The random numbers of a run of tests.
#pragma once
#include <cstdint>

namespace haft::test {

// HAFT_TEST_SEED, which repeats a run, or a new one in every process. The engine's own generator starts from it in each test,
// and each failed test prints it.
uint64_t seed();

}  // namespace haft::test
