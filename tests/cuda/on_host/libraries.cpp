#include "libraries.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace haft::cuda_on_host {

void* simulated_function(const char* name) {
  // HAFT_SIMULATED_WITHOUT: how the functions begin of libraries that are not to be there ("cublasLt,cudnn").
  static const std::string without = [] {
    const char* v = std::getenv("HAFT_SIMULATED_WITHOUT");
    return v ? std::string(v) : std::string();
  }();
  for (size_t at = 0; at < without.size();) {
    const std::string one = without.substr(at, without.find(',', at) - at);
    if (!one.empty() && std::strncmp(name, one.c_str(), one.size()) == 0) return nullptr;
    at += one.size() + 1;
  }
  for (auto* of : {cublaslt_function, cudnn_function, nccl_function, cupti_function})
    if (void* found = of(name)) return found;
  return nullptr;
}

}  // namespace haft::cuda_on_host
