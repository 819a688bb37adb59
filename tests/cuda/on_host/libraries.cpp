#include "libraries.h"

#include <cstdlib>
#include <string_view>

namespace haft::cuda_on_host {

void* simulated_function(const char* name) {
  // HAFT_SIMULATED_WITHOUT: how the functions begin of a library that is not to be there ("cublasLt").
  static const char* without = std::getenv("HAFT_SIMULATED_WITHOUT");
  if (without && *without && std::string_view(name).starts_with(without)) return nullptr;
  return cublaslt_function(name);
}

}  // namespace haft::cuda_on_host
