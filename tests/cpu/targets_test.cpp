// HAFT_TEST_ISA=avx2 or baseline: the kernels of an older processor than this one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "core/cpu/bf16_tiles.h"
#include "core/cpu/dnnl.h"
#include "core/cpu/multiversion.h"
#include "hwy/targets.h"

namespace haft::test {
namespace {

std::string_view asked() {
  const char* text = std::getenv("HAFT_TEST_ISA");
  return text ? text : "";
}

// Before main(), and so before any kernel has chosen.
const bool limited = [] {
  if (asked() == "avx2") hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~(HWY_AVX2 - 1));
  if (asked() == "baseline") hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  return !asked().empty();
}();

TEST(Targets, KernelsAreThoseAskedFor) {
  if (!limited) GTEST_SKIP() << "this processor's own";
  const bool can = hwy::SupportedTargets() & HWY_AVX2;
  if (asked() == "avx2") {
    if (!can) GTEST_SKIP() << "no AVX2 here";
    EXPECT_EQ(cpu::isa(), cpu::Isa::avx2);
  } else {
    EXPECT_EQ(asked(), "baseline");
    EXPECT_EQ(cpu::isa(), cpu::Isa::baseline);
  }
}

TEST(Targets, Bfloat16FollowsWhatOneDnnMayUse) {
  const char* text = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (!text || std::string_view(text) != "AVX512_CORE_BF16")
    GTEST_SKIP() << "ONEDNN_MAX_CPU_ISA is not AVX512_CORE_BF16, as in the test cpu.bf16_pairs";
  EXPECT_EQ(cpu::bf16_isa(), cpu::cpu_has_bf16() ? cpu::Bf16Isa::pairs : cpu::Bf16Isa::none);
}

}  // namespace
}  // namespace haft::test
