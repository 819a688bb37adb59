#include "core/cuda/nvrtc.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/cuda/fuse.h"
#include "core/cuda/library.h"

namespace haft::cuda {

namespace {

struct Nvrtc {
  int (*create)(void** program, const char* text, const char* name, int n, const char* const* headers,
                const char* const* names);
  int (*destroy)(void** program);
  int (*compile)(void* program, int n, const char* const* options);
  int (*log_size)(void* program, size_t*);
  int (*log)(void* program, char*);
  int (*cubin_size)(void* program, size_t*);
  int (*cubin)(void* program, char*);
  int (*ptx_size)(void* program, size_t*);
  int (*ptx)(void* program, char*);
  int (*arch_count)(int*);
  int (*archs)(int*);
  const char* (*error_text)(int);
};
constexpr const char* kNames[] = {
    "nvrtcCreateProgram", "nvrtcDestroyProgram",       "nvrtcCompileProgram",    "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog", "nvrtcGetCUBINSize",         "nvrtcGetCUBIN",          "nvrtcGetPTXSize",
    "nvrtcGetPTX",        "nvrtcGetNumSupportedArchs", "nvrtcGetSupportedArchs", "nvrtcGetErrorString"};

const Nvrtc& nvrtc() {
  const Nvrtc* table = functions_of<Nvrtc>(Library::nvrtc, kNames);
  if (!table) {
    const LibraryFacts f = library_facts(Library::nvrtc);
    fail(Code::unsupported, concat("NVRTC is missing: ", f.feature, ". ", f.why));
  }
  return *table;
}

struct Program {
  const Nvrtc& by;
  void* handle = nullptr;
  ~Program() {
    if (handle) by.destroy(&handle);
  }
  void check(int status, const char* what) const {
    if (status) fail(Code::internal, concat("NVRTC: ", what, ": ", by.error_text(status)));
  }
  std::string text(int (*size)(void*, size_t*), int (*get)(void*, char*), const char* what) const {
    size_t n = 0;
    check(size(handle, &n), what);
    std::string s(n, '\0');
    check(get(handle, s.data()), what);
    return s;
  }
};

}  // namespace

std::string nvrtc_version() {
  nvrtc();
  return library_facts(Library::nvrtc).version;
}

std::string compile_by_nvrtc(const std::string& text, const std::string& name, int compute, NvrtcCode what) {
  const Nvrtc& by = nvrtc();
  const FusedHeaders& headers = fused_headers();
  Program p{by};
  int n = 0;
  p.check(by.arch_count(&n), "its architectures");
  std::vector<int> archs(size_t(n), 0);
  p.check(by.archs(archs.data()), "its architectures");
  const bool known = std::ranges::count(archs, compute) > 0;
  int newest = 0;
  for (int a : archs)
    if (a <= compute) newest = std::max(newest, a);
  if (!newest)
    fail(Code::unsupported, concat("this NVRTC knows no architecture that compute capability ", compute / 10,
                                   ".", compute % 10, " runs"));

  p.check(by.create(&p.handle, text.c_str(), "haft_fused.cu", int(headers.names.size()), headers.texts.data(),
                    headers.names.data()),
          "a program");
  const std::string arch = concat("--gpu-architecture=", known ? "sm_" : "compute_", newest);
  // Products and sums of neighbouring steps stay what they are one by one.
  const char* const options[] = {arch.c_str(), "--std=c++20", "--fmad=false", "--ptxas-options=-v"};
  const int status = by.compile(p.handle, what == NvrtcCode::inspected ? 4 : 3, options);
  const std::string log = p.text(by.log_size, by.log, "its log");
  if (status)
    fail(Code::internal, concat("NVRTC did not compile ", name, " (", by.error_text(status), ") for ", arch,
                                ": ", log.c_str()));
  if (what == NvrtcCode::inspected) return log + p.text(by.ptx_size, by.ptx, "the PTX");
  return known ? p.text(by.cubin_size, by.cubin, "the cubin") : p.text(by.ptx_size, by.ptx, "the PTX");
}

}  // namespace haft::cuda
