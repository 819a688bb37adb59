#include "libraries.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace haft::cuda_on_host {

bool is_there(const char* name) {
  static const std::string without = [] {
    const char* v = std::getenv("HAFT_SIMULATED_WITHOUT");
    return v ? std::string(v) : std::string();
  }();
  for (size_t at = 0; at < without.size();) {
    const std::string one = without.substr(at, without.find(',', at) - at);
    if (!one.empty() && std::strncmp(name, one.c_str(), one.size()) == 0) return false;
    at += one.size() + 1;
  }
  return true;
}

void* simulated_function(const char* name) {
  if (!is_there(name)) return nullptr;
  for (auto* of : {cublaslt_function, cudnn_function, nccl_function, nvrtc_function, cupti_function,
                   cusolver_function, cufft_function})
    if (void* found = of(name)) return found;
  return nullptr;
}

}  // namespace haft::cuda_on_host
