// The plug-in's ranges reach a tool that NVTX puts in, and nobody where there is none: nvtx [TOOL]
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/cuda/runtime.h"

int main(int argc, char** argv) {
  if (argc > 1) setenv("NVTX_INJECTION64_PATH", argv[1], 1);
  const haft::cuda::Runtime& r = haft::cuda::runtime();
  r.range_push("step");
  r.range_push("add");
  r.range_pop();
  r.range_pop();
  if (argc < 2) return 0;
  void* tool = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
  auto* seen = tool ? reinterpret_cast<const char* (*)()>(dlsym(tool, "ranges_seen")) : nullptr;
  if (!seen) return std::printf("the tool was not put in\n"), 1;
  if (seen() != std::string("(step(add))"))
    return std::printf("the tool saw \"%s\", wanted \"(step(add))\"\n", seen()), 1;
  return 0;
}
