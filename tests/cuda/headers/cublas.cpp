// core/cuda/cublaslt.h against cuBLASLt's own header.
#include <cublasLt.h>

// Structs there, other names for structs in the library's header.
#define cublasLtMatmulDescOpaque_t MatmulOfOurs
#define cublasLtMatrixLayoutOpaque_t LayoutOfOurs
#define cublasLtMatmulPreferenceOpaque_t PreferenceOfOurs
#include "core/cuda/cublaslt.h"
#undef cublasLtMatmulDescOpaque_t
#undef cublasLtMatrixLayoutOpaque_t
#undef cublasLtMatmulPreferenceOpaque_t
#include "tests/cuda/headers/same.h"

using namespace haft::cuda;

static_assert(int(kLtF32) == CUDA_R_32F && int(kLtF64) == CUDA_R_64F && int(kLtF16) == CUDA_R_16F &&
              int(kLtBF16) == CUDA_R_16BF && int(kLtE4M3) == CUDA_R_8F_E4M3 &&
              int(kLtE5M2) == CUDA_R_8F_E5M2);
static_assert(int(kLtCompute32F) == CUBLAS_COMPUTE_32F && int(kLtCompute64F) == CUBLAS_COMPUTE_64F &&
              int(kLtComputeTf32) == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(int(kLtTransA) == CUBLASLT_MATMUL_DESC_TRANSA &&
              int(kLtTransB) == CUBLASLT_MATMUL_DESC_TRANSB &&
              int(kLtEpilogue) == CUBLASLT_MATMUL_DESC_EPILOGUE &&
              int(kLtBiasPointer) == CUBLASLT_MATMUL_DESC_BIAS_POINTER &&
              int(kLtAScale) == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER &&
              int(kLtBScale) == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER &&
              int(kLtAScaleMode) == CUBLASLT_MATMUL_DESC_A_SCALE_MODE &&
              int(kLtBScaleMode) == CUBLASLT_MATMUL_DESC_B_SCALE_MODE &&
              int(kLtOneScale) == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F &&
              int(kLtScaleOfEach) == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
static_assert(int(kLtBatchCount) == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT &&
              int(kLtBatchOffset) == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(int(kLtMostWorkspace) == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES &&
              int(kLtReductionSchemes) == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK &&
              int(kLtAlignA) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES &&
              int(kLtAlignD) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(int(kLtNoEpilogue) == CUBLASLT_EPILOGUE_DEFAULT && int(kLtBias) == CUBLASLT_EPILOGUE_BIAS &&
              int(kLtSumsOfB) == CUBLASLT_EPILOGUE_BGRADB);
static_assert(int(kLtInComputeType) == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(sizeof(LtAlgorithm) == sizeof(cublasLtMatmulAlgo_t) &&
              sizeof(LtHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t) &&
              offsetof(LtHeuristic, workspace) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(LtHeuristic, status) == offsetof(cublasLtMatmulHeuristicResult_t, state) &&
              offsetof(LtHeuristic, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

HAFT_SAME(CublasLt, cublasLtCreate);
HAFT_SAME(CublasLt, cublasLtMatmulDescCreate);
HAFT_SAME(CublasLt, cublasLtMatmulDescDestroy);
HAFT_SAME(CublasLt, cublasLtMatmulDescSetAttribute);
HAFT_SAME(CublasLt, cublasLtMatrixLayoutCreate);
HAFT_SAME(CublasLt, cublasLtMatrixLayoutDestroy);
HAFT_SAME(CublasLt, cublasLtMatrixLayoutSetAttribute);
HAFT_SAME(CublasLt, cublasLtMatmulPreferenceCreate);
HAFT_SAME(CublasLt, cublasLtMatmulPreferenceDestroy);
HAFT_SAME(CublasLt, cublasLtMatmulPreferenceSetAttribute);
HAFT_SAME(CublasLt, cublasLtMatmulAlgoGetHeuristic);
HAFT_SAME(CublasLt, cublasLtMatmul);
