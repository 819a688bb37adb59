// The random numbers of a run of tests.
#pragma once
#include <cstdint>

namespace haft::test {

// HAFT_TEST_SEED, which repeats a run, or a new one in every process. The engine's own generator starts from it in
// each test, and each failed test prints it.
uint64_t seed();

// Whether a test of many alike combinations takes the next one. Under sanitizers, where each costs several times as
// much, it is one in four, others with each seed: an overrun depends on the loop, of which every combination has a
// few.
bool sampled();

}  // namespace haft::test
