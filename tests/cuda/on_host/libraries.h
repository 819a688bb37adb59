// NVIDIA's libraries, simulated: what core/cuda/library.cpp finds in their place.
#pragma once

namespace haft::cuda_on_host {

// HAFT_SIMULATED_WITHOUT: how the names begin of what is not to be there, functions of libraries or "peers"
// ("cublasLt,cudnn").
bool is_there(const char* name);

// A function by its name in the library, or NULL: the simulation has no such library.
void* simulated_function(const char* name);

void* cublaslt_function(const char* name);  // one of cuBLASLt's
void* cudnn_function(const char* name);     // one of cuDNN's
void* nccl_function(const char* name);
void* nvrtc_function(const char* name);
void* cupti_function(const char* name);
void* cusolver_function(const char* name);
void* cufft_function(const char* name);

}  // namespace haft::cuda_on_host
