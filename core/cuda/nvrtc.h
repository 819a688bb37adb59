// NVIDIA's compiler of CUDA C at run time.
#pragma once
#include <string>

namespace haft::cuda {

// Its version, "13.0"; fails with unsupported, and where it was looked for, where there is none.
std::string nvrtc_version();

// Code of a text that includes fused_headers() alone, for a compute capability (90 for 9.0): what the device loads,
// which is a cubin, or PTX where this NVRTC is older than the device; or, for tests, the assembler's report and the PTX
// that it was given. Fails with internal and the compiler's own words.
enum class NvrtcCode { loadable, inspected };
std::string compile_by_nvrtc(const std::string& text, const std::string& name, int compute,
                             NvrtcCode what = NvrtcCode::loadable);

}  // namespace haft::cuda
