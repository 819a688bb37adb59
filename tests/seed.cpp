#include "seed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#ifdef HAFT_TEST_CAPI
#include <haft/haft.h>
#else
#include "core/dispatch/generator.h"
#endif

namespace haft::test {

uint64_t seed() {
  static const uint64_t s = [] {
    const char* given = std::getenv("HAFT_TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : uint64_t(std::random_device()());
  }();
  return s;
}

bool sampled() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static std::mt19937_64 random(seed());
  return random() % 4 == 0;
#else
  return true;
#endif
}

namespace {

struct Seeding : testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
#ifdef HAFT_TEST_CAPI
    haft_generator_seed(nullptr, int64_t(seed()));
#else
    default_generator().reseed(seed());
#endif
  }
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Failed()) std::printf("HAFT_TEST_SEED=%llu\n", (unsigned long long)seed());
  }
};

const bool listens = (testing::UnitTest::GetInstance()->listeners().Append(new Seeding), true);

}  // namespace
}  // namespace haft::test
