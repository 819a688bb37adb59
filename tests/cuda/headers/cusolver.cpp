// core/cuda/cusolver.h against cuSOLVER's own header.
#include <cusolverDn.h>

#define cusolverDnContext ContextOfOurs
#define cusolverDnParams ParamsOfOurs
#include "core/cuda/cusolver.h"
#undef cusolverDnContext
#undef cusolverDnParams
#include "tests/cuda/headers/same.h"

using namespace haft::cuda;

static_assert(int(kSolverUpper) == CUBLAS_FILL_MODE_UPPER &&
              int(kSolverValues) == CUSOLVER_EIG_MODE_NOVECTOR &&
              int(kSolverVectors) == CUSOLVER_EIG_MODE_VECTOR && int(kSolverF32) == CUDA_R_32F &&
              int(kSolverF64) == CUDA_R_64F);

HAFT_SAME(Cusolver, cusolverDnCreate);
HAFT_SAME(Cusolver, cusolverDnCreateParams);
HAFT_SAME(Cusolver, cusolverDnSetStream);
HAFT_SAME(Cusolver, cusolverDnXpotrf_bufferSize);
HAFT_SAME(Cusolver, cusolverDnXpotrf);
HAFT_SAME(Cusolver, cusolverDnXgetrf_bufferSize);
HAFT_SAME(Cusolver, cusolverDnXgetrf);
HAFT_SAME(Cusolver, cusolverDnXgeqrf_bufferSize);
HAFT_SAME(Cusolver, cusolverDnXgeqrf);
HAFT_SAME(Cusolver, cusolverDnSorgqr_bufferSize);
HAFT_SAME(Cusolver, cusolverDnSorgqr);
HAFT_SAME(Cusolver, cusolverDnDorgqr_bufferSize);
HAFT_SAME(Cusolver, cusolverDnDorgqr);
HAFT_SAME(Cusolver, cusolverDnXsyevd_bufferSize);
HAFT_SAME(Cusolver, cusolverDnXsyevd);
HAFT_SAME(Cusolver, cusolverDnXgesvd_bufferSize);
HAFT_SAME(Cusolver, cusolverDnXgesvd);
