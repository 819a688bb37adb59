// core/cuda/cufft.h against cuFFT's own headers.
#include <cufftXt.h>

#include "core/cuda/cufft.h"
#include "tests/cuda/headers/same.h"

using namespace haft::cuda;

static_assert(int(kFourierR32) == CUDA_R_32F && int(kFourierR64) == CUDA_R_64F &&
              int(kFourierC32) == CUDA_C_32F && int(kFourierC64) == CUDA_C_64F &&
              int(kFourierForward) == CUFFT_FORWARD && int(kFourierInverse) == CUFFT_INVERSE);

HAFT_SAME(Cufft, cufftCreate);
HAFT_SAME(Cufft, cufftSetAutoAllocation);
HAFT_SAME(Cufft, cufftXtMakePlanMany);
HAFT_SAME(Cufft, cufftSetStream);
HAFT_SAME(Cufft, cufftSetWorkArea);
HAFT_SAME(Cufft, cufftXtExec);
HAFT_SAME(Cufft, cufftDestroy);
