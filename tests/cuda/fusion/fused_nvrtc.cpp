// The text of fused kernels by the NVRTC that is installed, without a GPU: every POINTWISE op for every dtype, and
// the patterns, for several architectures. What comes of the dense ones reads and writes 16 bytes at a time, and
// nothing has memory of its own.
#include <cstdio>
#include <cstring>

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

}  // namespace
}  // namespace haft::cuda

int main(int argc, char** argv) {
  using namespace haft;
  using namespace haft::cuda;
  using namespace haft::fusion;
  const bool print = argc > 1 && !std::strcmp(argv[1], "print");
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
      for (const Chain& c : all_ops(t, argc > 2 ? 1 : 8)) {
        const FusedProgram p(c.program());
        compile_by_nvrtc(fused_text(p, {.ndim = 2}), c.name, 90);
        if (t == DType::f32 || t == DType::bf16)
          for (int compute : {80, 90, 100})
            expect_clean(c.name, fused_text(p, {.pack = p.widest_pack()}), compute, true, false);
      }
  } catch (const Error& e) {
    wrong(e.message, "");
  }
  return mistakes != 0;
}
