// What the plug-in calls of cuFFT 12 (CUDA 13), declared without its headers; libraries are opened when first needed.
#pragma once
#include <cstddef>

#include "core/cuda/runtime.h"

namespace haft::cuda {

// Values of the library's enumerations.
enum FourierType : int {
  kFourierR32 = 0,
  kFourierR64 = 1,
  kFourierC32 = 4,
  kFourierC64 = 5
};  // cudaDataType
enum FourierDirection : int { kFourierForward = -1, kFourierInverse = 1 };

struct Cufft {
  int (*cufftCreate)(int* plan);
  int (*cufftSetAutoAllocation)(int plan, int on);
  // Lines of element j * stride + line * dist, in numbers of their type; `inembed` may be NULL where both are dense.
  int (*cufftXtMakePlanMany)(int plan, int rank, long long* n, long long* inembed, long long istride,
                             long long idist, int input, long long* onembed, long long ostride,
                             long long odist, int output, long long batch, size_t* room, int execution);
  int (*cufftSetStream)(int plan, Stream);
  int (*cufftSetWorkArea)(int plan, void*);
  int (*cufftXtExec)(int plan, void* input, void* output, int direction);
  int (*cufftDestroy)(int plan);
};

}  // namespace haft::cuda
