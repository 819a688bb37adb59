// What the plug-in calls of cuSOLVER 12 (CUDA 13), declared without its headers; libraries are opened when first
// needed.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/cuda/runtime.h"

struct cusolverDnContext;
struct cusolverDnParams;

namespace haft::cuda {

using SolverHandle = cusolverDnContext*;
using SolverParams = cusolverDnParams*;

// Values of the library's enumerations.
enum SolverFill : int { kSolverUpper = 1 };                          // cublasFillMode_t
enum SolverVectors : int { kSolverValues = 0, kSolverVectors = 1 };  // cusolverEigMode_t
enum SolverType : int { kSolverF32 = 0, kSolverF64 = 1 };            // cudaDataType

// Matrices are column-major, workspaces are bytes on the device and on the host.
struct Cusolver {
  int (*cusolverDnCreate)(SolverHandle*);
  int (*cusolverDnCreateParams)(SolverParams*);
  int (*cusolverDnSetStream)(SolverHandle, Stream);
  int (*cusolverDnXpotrf_bufferSize)(SolverHandle, SolverParams, int fill, int64_t n, int type, const void* a,
                                     int64_t lda, int compute, size_t*, size_t*);
  int (*cusolverDnXpotrf)(SolverHandle, SolverParams, int fill, int64_t n, int type, void* a, int64_t lda,
                          int compute, void*, size_t, void*, size_t, int* info);
  int (*cusolverDnXgetrf_bufferSize)(SolverHandle, SolverParams, int64_t m, int64_t n, int type,
                                     const void* a, int64_t lda, int compute, size_t*, size_t*);
  int (*cusolverDnXgetrf)(SolverHandle, SolverParams, int64_t m, int64_t n, int type, void* a, int64_t lda,
                          int64_t* pivots, int compute, void*, size_t, void*, size_t, int* info);
  int (*cusolverDnXgeqrf_bufferSize)(SolverHandle, SolverParams, int64_t m, int64_t n, int type,
                                     const void* a, int64_t lda, int tau_type, const void* tau, int compute,
                                     size_t*, size_t*);
  int (*cusolverDnXgeqrf)(SolverHandle, SolverParams, int64_t m, int64_t n, int type, void* a, int64_t lda,
                          int tau_type, void* tau, int compute, void*, size_t, void*, size_t, int* info);
  int (*cusolverDnSorgqr_bufferSize)(SolverHandle, int m, int n, int k, const float* a, int lda,
                                     const float* tau, int*);
  int (*cusolverDnSorgqr)(SolverHandle, int m, int n, int k, float* a, int lda, const float* tau, float*, int,
                          int* info);
  int (*cusolverDnDorgqr_bufferSize)(SolverHandle, int m, int n, int k, const double* a, int lda,
                                     const double* tau, int*);
  int (*cusolverDnDorgqr)(SolverHandle, int m, int n, int k, double* a, int lda, const double* tau, double*,
                          int, int* info);
  int (*cusolverDnXsyevd_bufferSize)(SolverHandle, SolverParams, int vectors, int fill, int64_t n, int type,
                                     const void* a, int64_t lda, int w_type, const void* w, int compute,
                                     size_t*, size_t*);
  int (*cusolverDnXsyevd)(SolverHandle, SolverParams, int vectors, int fill, int64_t n, int type, void* a,
                          int64_t lda, int w_type, void* w, int compute, void*, size_t, void*, size_t,
                          int* info);
  int (*cusolverDnXgesvd_bufferSize)(SolverHandle, SolverParams, signed char u_wanted, signed char vt_wanted,
                                     int64_t m, int64_t n, int type, const void* a, int64_t lda, int s_type,
                                     const void* s, int u_type, const void* u, int64_t ldu, int vt_type,
                                     const void* vt, int64_t ldvt, int compute, size_t*, size_t*);
  int (*cusolverDnXgesvd)(SolverHandle, SolverParams, signed char u_wanted, signed char vt_wanted, int64_t m,
                          int64_t n, int type, void* a, int64_t lda, int s_type, void* s, int u_type, void* u,
                          int64_t ldu, int vt_type, void* vt, int64_t ldvt, int compute, void*, size_t, void*,
                          size_t, int* info);
};

}  // namespace haft::cuda
