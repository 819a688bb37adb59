// core/cuda/nvrtc.cpp against NVRTC's own header.
#include <nvrtc.h>

#include "core/cuda/nvrtc.cpp"
#include "tests/cuda/headers/same.h"

namespace haft::cuda {

#define SAME(member, name) \
  static_assert(SameShape<decltype(Nvrtc::member), decltype(&::name)>::value, #name " has other parameters")
SAME(create, nvrtcCreateProgram);
SAME(destroy, nvrtcDestroyProgram);
SAME(compile, nvrtcCompileProgram);
SAME(log_size, nvrtcGetProgramLogSize);
SAME(log, nvrtcGetProgramLog);
SAME(cubin_size, nvrtcGetCUBINSize);
SAME(cubin, nvrtcGetCUBIN);
SAME(ptx_size, nvrtcGetPTXSize);
SAME(ptx, nvrtcGetPTX);
SAME(arch_count, nvrtcGetNumSupportedArchs);
SAME(archs, nvrtcGetSupportedArchs);
SAME(error_text, nvrtcGetErrorString);

static_assert(sizeof(Nvrtc) == sizeof(void*) * std::size(kNames));

}  // namespace haft::cuda
