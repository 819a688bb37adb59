// What the plug-in calls of cuBLASLt 13, declared without its headers; libraries are opened when first needed.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/cuda/runtime.h"

struct cublasLtContext;
struct cublasLtMatmulDescOpaque_t;
struct cublasLtMatrixLayoutOpaque_t;
struct cublasLtMatmulPreferenceOpaque_t;

namespace haft::cuda {

using LtHandle = cublasLtContext*;
using LtMatmul = cublasLtMatmulDescOpaque_t*;
using LtLayout = cublasLtMatrixLayoutOpaque_t*;
using LtPreference = cublasLtMatmulPreferenceOpaque_t*;

// Values of the library's enumerations.
// cudaDataType_t.
enum LtType : int { kLtF32 = 0, kLtF64 = 1, kLtF16 = 2, kLtBF16 = 14, kLtE4M3 = 28, kLtE5M2 = 29 };
enum LtCompute : int { kLtCompute32F = 68, kLtCompute64F = 70, kLtComputeTf32 = 77 };  // cublasComputeType_t
enum LtMatmulAttribute : int {
  kLtTransA = 3,
  kLtTransB = 4,
  kLtEpilogue = 7,
  kLtBiasPointer = 8,
  kLtAScale = 17,  // addresses on the device
  kLtBScale = 18,
  kLtAScaleMode = 31,
  kLtBScaleMode = 32
};
enum LtScaleMode : int32_t { kLtOneScale = 0, kLtScaleOfEach = 3 };  // a row of A, a column of B
enum LtLayoutAttribute : int { kLtBatchCount = 5, kLtBatchOffset = 6 };
enum LtPreferenceAttribute : int {
  kLtMostWorkspace = 1,
  kLtReductionSchemes = 3,
  kLtAlignA = 5,
  kLtAlignB = 6,
  kLtAlignC = 7,
  kLtAlignD = 8
};
enum LtEpilogue : uint32_t { kLtNoEpilogue = 1, kLtBias = 4, kLtSumsOfB = 512 };
enum LtReductionScheme : uint32_t { kLtInComputeType = 2 };

struct LtAlgorithm {
  uint64_t data[8];
};
struct LtHeuristic {
  LtAlgorithm algorithm;
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
};

struct CublasLt {
  int (*cublasLtCreate)(LtHandle*);
  int (*cublasLtMatmulDescCreate)(LtMatmul*, int compute, int scale_type);
  int (*cublasLtMatmulDescDestroy)(LtMatmul);
  int (*cublasLtMatmulDescSetAttribute)(LtMatmul, int attribute, const void*, size_t);
  int (*cublasLtMatrixLayoutCreate)(LtLayout*, int type, uint64_t rows, uint64_t columns, int64_t ld);
  int (*cublasLtMatrixLayoutDestroy)(LtLayout);
  int (*cublasLtMatrixLayoutSetAttribute)(LtLayout, int attribute, const void*, size_t);
  int (*cublasLtMatmulPreferenceCreate)(LtPreference*);
  int (*cublasLtMatmulPreferenceDestroy)(LtPreference);
  int (*cublasLtMatmulPreferenceSetAttribute)(LtPreference, int attribute, const void*, size_t);
  int (*cublasLtMatmulAlgoGetHeuristic)(LtHandle, LtMatmul, LtLayout a, LtLayout b, LtLayout c, LtLayout d,
                                        LtPreference, int wanted, LtHeuristic*, int* got);
  int (*cublasLtMatmul)(LtHandle, LtMatmul, const void* alpha, const void* a, LtLayout, const void* b,
                        LtLayout, const void* beta, const void* c, LtLayout, void* d, LtLayout,
                        const LtAlgorithm*, void* workspace, size_t, Stream);
};
const CublasLt* cublaslt();  // NULL where the library is missing; that is said once in haft's log

}  // namespace haft::cuda
