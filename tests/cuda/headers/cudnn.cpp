// core/cuda/dnn against cuDNN's own header.
#include <cudnn.h>

#include "core/cuda/dnn.cpp"
#include "tests/cuda/headers/same.h"

namespace haft::cuda::dnn {

static_assert(int(kPointwise) == CUDNN_BACKEND_POINTWISE_DESCRIPTOR &&
              int(kConvolution) == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR &&
              int(kEngine) == CUDNN_BACKEND_ENGINE_DESCRIPTOR &&
              int(kEngineConfig) == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR &&
              int(kHeuristics) == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR &&
              int(kExecutionPlan) == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR &&
              int(kConvolutionForward) == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
              int(kConvolutionWeight) == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR &&
              int(kConvolutionInput) == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR &&
              int(kPointwiseOp) == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR &&
              int(kOperationGraph) == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR &&
              int(kVariables) == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR &&
              int(kTensor) == CUDNN_BACKEND_TENSOR_DESCRIPTOR &&
              int(kMatmul) == CUDNN_BACKEND_MATMUL_DESCRIPTOR &&
              int(kMatmulOp) == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR &&
              int(kReduce) == CUDNN_BACKEND_REDUCTION_DESCRIPTOR &&
              int(kReduceOp) == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR &&
              int(kReshapeOp) == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR &&
              int(kDeviceDescription) == CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
static_assert(int(kHandleType) == CUDNN_TYPE_HANDLE && int(kDataType) == CUDNN_TYPE_DATA_TYPE &&
              int(kBool) == CUDNN_TYPE_BOOLEAN && int(kInt64) == CUDNN_TYPE_INT64 &&
              int(kFloat) == CUDNN_TYPE_FLOAT && int(kDouble) == CUDNN_TYPE_DOUBLE &&
              int(kPointer) == CUDNN_TYPE_VOID_PTR && int(kConvolutionMode) == CUDNN_TYPE_CONVOLUTION_MODE &&
              int(kHeuristicMode) == CUDNN_TYPE_HEUR_MODE && int(kNote) == CUDNN_TYPE_NUMERICAL_NOTE &&
              int(kPointwiseMode) == CUDNN_TYPE_POINTWISE_MODE &&
              int(kDescriptor) == CUDNN_TYPE_BACKEND_DESCRIPTOR &&
              int(kReductionType) == CUDNN_TYPE_REDUCTION_OPERATOR_TYPE && int(kChar) == CUDNN_TYPE_CHAR);
static_assert(int(kInstant) == CUDNN_HEUR_MODE_INSTANT && int(kFallback) == CUDNN_HEUR_MODE_FALLBACK);
static_assert(int(kTensorCore) == CUDNN_NUMERICAL_NOTE_TENSOR_CORE &&
              int(kConvertsDown) == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS &&
              int(kRoundsSums) == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION &&
              int(kTransforms) == CUDNN_NUMERICAL_NOTE_FFT &&
              int(kNotDeterministic) == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC &&
              int(kWinograd) == CUDNN_NUMERICAL_NOTE_WINOGRAD);
static_assert(int(kAdd) == CUDNN_POINTWISE_ADD && int(kMultiply) == CUDNN_POINTWISE_MUL &&
              int(kSubtract) == CUDNN_POINTWISE_SUB && int(kDivide) == CUDNN_POINTWISE_DIV &&
              int(kExp) == CUDNN_POINTWISE_EXP && int(kLog) == CUDNN_POINTWISE_LOG &&
              int(kIdentity) == CUDNN_POINTWISE_IDENTITY && int(kReluForward) == CUDNN_POINTWISE_RELU_FWD &&
              int(kGreaterEqual) == CUDNN_POINTWISE_CMP_GE && int(kIndex) == CUDNN_POINTWISE_GEN_INDEX &&
              int(kSelect) == CUDNN_POINTWISE_BINARY_SELECT);
static_assert(int(kSum) == CUDNN_REDUCE_TENSOR_ADD && int(kMaximum) == CUDNN_REDUCE_TENSOR_MAX);

HAFT_SAME(Functions, cudnnCreate);
HAFT_SAME(Functions, cudnnSetStream);
HAFT_SAME(Functions, cudnnGetErrorString);
HAFT_SAME(Functions, cudnnGetLastErrorString);
HAFT_SAME(Functions, cudnnBackendCreateDescriptor);
HAFT_SAME(Functions, cudnnBackendDestroyDescriptor);
HAFT_SAME(Functions, cudnnBackendSetAttribute);
HAFT_SAME(Functions, cudnnBackendGetAttribute);
HAFT_SAME(Functions, cudnnBackendFinalize);
HAFT_SAME(Functions, cudnnBackendExecute);

}  // namespace haft::cuda::dnn
