// cuBLASLt's own choice for the products of GPT-2 of 124 million parameters (64 rows of 1024 tokens, bfloat16), beside
// the quickest of the sixteen that it would try: what asking it once costs, and what an epilogue does. Built by
// `run.sh products`; uses nothing of haft's.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Number = __nv_bfloat16;

void check(int status, const char* what) {
  if (!status) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}

// Numbers from -1 to 1: products of zeros are quicker.
__global__ void fill(Number* p, size_t n, unsigned seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    unsigned x = unsigned(i) * 2654435761u + seed;
    x ^= x >> 16, x *= 0x85ebca6b, x ^= x >> 13, x *= 0xc2b2ae35, x ^= x >> 16;
    p[i] = __float2bfloat16(float(x >> 8) / 8388608.0f - 1);
  }
}
Number* memory(size_t n, unsigned seed) {
  Number* p = nullptr;
  check(cudaMalloc(&p, n * sizeof(Number)), "cudaMalloc");
  fill<<<1024, 256>>>(p, n, seed);
  return p;
}

constexpr int64_t kTokens = 65536, kWidest = 50304, kHidden = 3072;
constexpr size_t kWorkspace = 32 << 20;  // the plug-in's
constexpr int kTried = 16;

struct Bench {
  cublasLtHandle_t lt = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t from = nullptr, to = nullptr;
  void* workspace = nullptr;
  Number *narrow = memory(kTokens * kHidden, 1), *wide = memory(kTokens * kWidest, 2),
         *weight = memory(kWidest * kHidden, 3), *bias = memory(kWidest, 4),
         *aside = memory(kTokens * kHidden, 5);

  Bench() {
    check(cublasLtCreate(&lt), "cublasLtCreate");
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    check(cudaEventCreate(&from), "cudaEventCreate");
    check(cudaEventCreate(&to), "cudaEventCreate");
    check(cudaMalloc(&workspace, kWorkspace), "cudaMalloc");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  // Column-major d (m, n) = op(a) op(b).
  void run(const std::string& name, bool turn_a, bool turn_b, int64_t m, int64_t n, int64_t k,
           const Number* a, const Number* b, Number* d, cublasLtEpilogue_t epilogue) {
    cublasLtMatmulDesc_t desc = nullptr;
    check(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
      check(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value),
            "cublasLtMatmulDescSetAttribute");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, turn_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, turn_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    constexpr int kBiases = CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB |
                            (CUBLASLT_EPILOGUE_DGELU_BGRAD & ~CUBLASLT_EPILOGUE_DGELU),
                  kAside = CUBLASLT_EPILOGUE_GELU_AUX & ~CUBLASLT_EPILOGUE_GELU;
    if (epilogue & kBiases) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    if (epilogue & kAside) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aside);
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, m);
    }
    cublasLtMatrixLayout_t la = nullptr, lb = nullptr, ld = nullptr;
    check(cublasLtMatrixLayoutCreate(&la, CUDA_R_16BF, turn_a ? k : m, turn_a ? m : k, turn_a ? k : m),
          "layout");
    check(cublasLtMatrixLayoutCreate(&lb, CUDA_R_16BF, turn_b ? n : k, turn_b ? k : n, turn_b ? n : k),
          "layout");
    check(cublasLtMatrixLayoutCreate(&ld, CUDA_R_16BF, m, n, m), "layout");
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value), "preference");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspace);
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    cublasLtMatmulHeuristicResult_t found[kTried];
    int count = 0;
    if (cublasLtMatmulAlgoGetHeuristic(lt, desc, la, lb, ld, ld, preference, kTried, found, &count) ||
        !count) {
      std::printf("| %s | none | | |\n", name.c_str());
      return;
    }
    const float one = 1, zero = 0;
    std::vector<float> times;
    for (int i = 0; i < count; ++i) {
      std::vector<float> each;
      for (int round = 0; round < 9; ++round) {
        cudaEventRecord(from, stream);
        for (int j = 0; j < 2; ++j)
          if (const int status = cublasLtMatmul(lt, desc, &one, a, la, b, lb, &zero, d, ld, d, ld,
                                                &found[i].algo, workspace, kWorkspace, stream)) {
            std::printf("| %s | status %d of the %d. | | |\n", name.c_str(), status, i + 1);
            return;
          }
        cudaEventRecord(to, stream);
        check(cudaEventSynchronize(to), "cudaEventSynchronize");
        float ms = 0;
        cudaEventElapsedTime(&ms, from, to);
        if (round > 1) each.push_back(ms / 2);
      }
      std::nth_element(each.begin(), each.begin() + each.size() / 2, each.end());
      times.push_back(each[each.size() / 2]);
    }
    const auto best = std::min_element(times.begin(), times.end());
    std::printf("| %s | %.4f | %.4f (of %d, the %d.) | %.0f |\n", name.c_str(), times[0], *best, count,
                int(best - times.begin()) + 1, 2e-9 * double(m) * double(n) * double(k) / times[0]);
    std::fflush(stdout);
    cublasLtMatmulPreferenceDestroy(preference);
    for (cublasLtMatrixLayout_t l : {la, lb, ld}) cublasLtMatrixLayoutDestroy(l);
    cublasLtMatmulDescDestroy(desc);
  }

  // y (tokens, out) = x (tokens, in) w^T (out, in), row-major, and its gradients.
  void forward(const char* name, int64_t out, int64_t in, cublasLtEpilogue_t e) {
    run(std::string("forward ") + name, true, false, out, kTokens, in, weight, narrow, wide, e);
  }
  void input(const char* name, int64_t out, int64_t in, cublasLtEpilogue_t e) {
    const bool from_wide = out > kHidden;
    run(std::string("input's gradient, ") + name, false, false, in, kTokens, out, weight,
        from_wide ? wide : narrow, from_wide ? narrow : wide, e);
  }
  void weights(const char* name, int64_t out, int64_t in, cublasLtEpilogue_t e) {
    run(std::string("weight's gradient, ") + name, false, true, in, out, kTokens, narrow, wide, weight, e);
  }
};

}  // namespace

int main() {
  Bench b;
  constexpr auto kNone = CUBLASLT_EPILOGUE_DEFAULT, kBias = CUBLASLT_EPILOGUE_BIAS,
                 kSums = CUBLASLT_EPILOGUE_BGRADB;
  std::puts("| product | first choice, ms | quickest, ms | TFLOP/s of the first |\n|---|---|---|---|");
  b.run("8192 x 8192 x 8192", false, false, 8192, 8192, 8192, b.narrow, b.weight, b.wide, kNone);
  struct Layer {
    const char* name;
    int64_t out, in;
  };
  for (const Layer& l : {Layer{"768 to 2304", 2304, 768},
                         {"768 to 768", 768, 768},
                         {"768 to 3072", 3072, 768},
                         {"3072 to 768", 768, 3072}}) {
    b.forward(l.name, l.out, l.in, kBias);
    b.input(l.name, l.out, l.in, kNone);
    b.weights(l.name, l.out, l.in, kNone);
    b.weights((std::string(l.name) + ", with the bias's").c_str(), l.out, l.in, kSums);
  }
  b.forward("768 to 50304", kWidest, 768, kNone);
  b.input("768 to 50304", kWidest, 768, kNone);
  b.weights("768 to 50304", kWidest, 768, kNone);
  b.forward("768 to 3072, no bias", kHidden, 768, kNone);
  b.forward("768 to 3072, gelu", kHidden, 768, CUBLASLT_EPILOGUE_GELU_BIAS);
  b.forward("768 to 3072, gelu, its argument kept", kHidden, 768, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  b.forward("768 to 3072, relu", kHidden, 768, CUBLASLT_EPILOGUE_RELU_BIAS);
  b.input("3072 to 768, gelu's slopes", 768, kHidden, CUBLASLT_EPILOGUE_DGELU);
  b.input("3072 to 768, gelu's slopes and the bias's gradient", 768, kHidden, CUBLASLT_EPILOGUE_DGELU_BGRAD);
}
