// Fused kernels: chains of POINTWISE ops, with joins of rows at their end, as CUDA C that NVRTC compiles from the
// functors' text.
//
// A program (haft_fused_program) says what is computed; a `Shape` how memory lies. The text of a pair of both is
// compiled at its first launch: fuse_emit.cpp writes it over fuse.cuh, nvrtc.cpp compiles it, fuse_cache.cpp keeps it
// on disk, fuse.cpp plans and launches.
#pragma once
#include <haft/backend.h>

#include <string>
#include <vector>

#include "core/tensor/dtype.h"

namespace haft::cuda {

struct FusedProgram {
  std::vector<haft_fused_step> steps;
  std::vector<DType> dtypes;  // of all values: inputs, then steps
  std::vector<uint16_t> out;
  std::vector<uint8_t> joins;  // HAFT_FUSED_*, one an output
  uint32_t n_in = 0;
  std::string name;
  bool rows = false;                 // an output is joined
  std::vector<uint32_t> first_word;  // of each step among the kernel's words
  uint32_t n_words = 0;

  explicit FusedProgram(
      const haft_fused_program& p);  // fails with unsupported, and why, for what cannot be fused
  int n_out() const { return int(out.size()); }
  int operands() const { return n_out() + int(n_in); }
  // Operands are numbered outputs first, as they are walked.
  DType operand_dtype(int k) const;
  int widest_pack()
      const;  // the most elements that a thread has at once: 16 bytes of the narrowest type that is no byte
};

struct FusedShape {
  int pack = 1;         // elements that are read at once
  int ndim = 1;         // dimensions of the walk, over packs or rows
  uint32_t single = 0;  // bit k: operand k is one element for a whole pack, and along a row
};

// The text of the kernel, extern "C" haft_fused. Only what is not in the text is told at a launch: addresses, sizes,
// strides, attributes.
std::string fused_text(const FusedProgram& p, const FusedShape& s);

// The headers that such text includes, as they were when the plug-in was built; `hash` is of all of them.
struct FusedHeaders {
  std::vector<const char*> names, texts;
  uint64_t hash;
};
const FusedHeaders& fused_headers();

// A fused kernel that is loaded, for all devices of one compute capability.
const void* fused_kernel(const std::string& text, const std::string& name, int device);

}  // namespace haft::cuda
