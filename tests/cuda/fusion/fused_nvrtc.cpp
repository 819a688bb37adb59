// The text of fused kernels by the NVRTC that is installed, without a GPU: every POINTWISE op for every dtype, and
// the patterns, for several architectures. What comes of the dense ones reads and writes 16 bytes at a time, and
// nothing has memory of its own.
//
//   fused_nvrtc          what a run of the tests has time for
//   fused_nvrtc all      every op for every architecture
//   fused_nvrtc print    the patterns' texts, too
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/cuda/fuse.h"
#include "core/cuda/nvrtc.h"
#include "tests/cuda/fusion/patterns.h"

namespace haft::cuda {

const haft_backend_host* host = nullptr;

namespace {

int mistakes = 0;
void wrong(const std::string& what, const std::string& text) {
  ++mistakes;
  std::fprintf(stderr, "%s\n%s\n", what.c_str(), text.c_str());
}

// `vectors`: of the dense shape. float64 divides by a function that may want a word of memory, as in the operators'
// own kernels.
void expect_clean(const std::string& name, const std::string& text, int compute, bool vectors, bool doubles) {
  const std::string code = compile_by_nvrtc(text, name, compute, NvrtcCode::inspected),
                    where = concat(name, " for sm_", compute, ": ");
  if (code.find(".local") != std::string::npos) wrong(where + "it has local memory", code);
  for (const std::string access : {"ld.global.v", "st.global.v"}) {
    const std::string wide = access + (doubles ? "2" : "4");
    if (vectors && code.find(wide) == std::string::npos) wrong(where + "it has no " + wide, code);
  }
  if (doubles) return;
  if (code.find("0 bytes spill stores, 0 bytes spill loads") == std::string::npos ||
      code.find("0 bytes stack frame") == std::string::npos)
    wrong(where + "registers are spilled", code);
}

// CUDA's sines keep the bits of 2 / pi that large arguments want in memory; these call them.
bool calls_sines(OpId op) {
  return op == OpId::sin || op == OpId::cos || op == OpId::tan || op == OpId::digamma || op == OpId::rare ||
         op == OpId::turned_exp;
}
bool answers_bools(OpId op) { return op_traits(op) & BOOLOUT; }
bool answers_numbers(OpId op) { return !answers_bools(op) && !calls_sines(op); }

}  // namespace
}  // namespace haft::cuda

int main(int argc, char** argv) {
  using namespace haft;
  using namespace haft::cuda;
  using namespace haft::fusion;
  const std::string what = argc > 1 ? argv[1] : "";
  const bool print = what == "print", all = what == "all";
  try {
    std::printf("NVRTC %s\n", nvrtc_version().c_str());
    for (DType t : {DType::f32, DType::bf16, DType::f16, DType::f64})
      for (const Chain& c : patterns(t)) {
        const FusedProgram p(c.program());
        const int pack = p.widest_pack();
        if (print) std::puts(fused_text(p, {.pack = pack}).c_str());
        for (int compute : t == DType::f32 || t == DType::bf16 ? std::vector{80, 90, 100} : std::vector{90})
          expect_clean(c.name, fused_text(p, {.pack = pack}), compute, !p.rows, t == DType::f64);
        if (t != DType::bf16) continue;
        expect_clean(c.name, fused_text(p, {.pack = 1, .ndim = 3}), 90, false, t == DType::f64);
        expect_clean(c.name, fused_text(p, {.pack = pack, .ndim = 2, .single = 1u << p.n_out()}), 90, false,
                     t == DType::f64);
      }
    for (DType t : {DType::f32, DType::f64, DType::bf16, DType::i64, DType::u8, DType::boolean})
      for (const Chain& c : all_ops(t))
        compile_by_nvrtc(fused_text(FusedProgram(c.program()), {.ndim = 2}), c.name, 90);
    // Each for the other architectures takes minutes: so a run has one of four parts, which the seed chooses.
    const char* seed = std::getenv("HAFT_TEST_SEED");
    const uint64_t part = seed ? std::strtoull(seed, nullptr, 10) % 4 : 0;
    for (DType t : {DType::f32, DType::bf16})
      for (int compute : {80, 100}) {
        if (!all && part != (t == DType::f32 ? 0 : 2) + uint64_t(compute == 100)) continue;
        for (const bool numbers : {true, false})
          for (const Chain& c : all_ops(t, 4, numbers ? answers_numbers : answers_bools)) {
            const FusedProgram p(c.program());
            expect_clean(c.name, fused_text(p, {.pack = p.widest_pack()}), compute, numbers, false);
          }
      }
  } catch (const Error& e) {
    wrong(e.message, "");
  }
  return mistakes != 0;
}
