// cuBLASLt, simulated: what its descriptors say is computed in plain loops, so that a wrong layout, stride, epilogue
// or promise about alignment shows. It refuses what the library refuses: float64 with a bias, leading dimensions
// below the rows, 8-bit floats in another form than A^T B, two of e5m2, with sizes that are no multiples of 16, with a
// bias of 32 bits, or a scale of one kind beside one of the other.
#include "core/cuda/cublaslt.h"

#include <cstring>
#include <string>
#include <vector>

#include "core/tensor/half.h"
#include "libraries.h"
#include "simulated.h"

struct cublasLtContext {
  int dummy;
};
struct cublasLtMatmulDescOpaque_t {
  int compute, scale;
  int32_t a_transposed = 0, b_transposed = 0;
  uint32_t epilogue = haft::cuda::kLtNoEpilogue;
  const void *bias = nullptr, *a_scale = nullptr, *b_scale = nullptr;
  int32_t a_scale_mode = 0, b_scale_mode = 0;
};
struct cublasLtMatrixLayoutOpaque_t {
  int type;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batch = 1;
  int64_t step = 0;
};
struct cublasLtMatmulPreferenceOpaque_t {
  uint64_t workspace = 0;
  uint32_t schemes = 7, aligned[4] = {256, 256, 256, 256};
};

namespace haft::cuda {

namespace {

enum Status : int { kInvalid = 7, kNotSupported = 15 };
constexpr size_t kWorkspace = 512;

[[noreturn]] void wrong(const char* what) { cuda_on_host::mistake(std::string("cublasLtMatmul: ") + what); }

double read(const void* p, int type, int64_t i) {
  switch (type) {
    case kLtF64: return static_cast<const double*>(p)[i];
    case kLtF32: return static_cast<const float*>(p)[i];
    case kLtF16: return Half::decode(static_cast<const uint16_t*>(p)[i]);
    case kLtE4M3: {
      Float8E4M3 f;
      f.bits = static_cast<const uint8_t*>(p)[i];
      return f;
    }
    case kLtE5M2: {
      Float8E5M2 f;
      f.bits = static_cast<const uint8_t*>(p)[i];
      return f;
    }
    default: {
      BFloat16 b;
      b.bits = static_cast<const uint16_t*>(p)[i];
      return b;
    }
  }
}
void write(void* p, int type, int64_t i, double x) {
  switch (type) {
    case kLtF64: static_cast<double*>(p)[i] = x; return;
    case kLtF32: static_cast<float*>(p)[i] = float(x); return;
    case kLtF16: static_cast<uint16_t*>(p)[i] = Half::encode(float(x)); return;
    default: static_cast<uint16_t*>(p)[i] = BFloat16::encode(float(x)); return;
  }
}
// As TF32 keeps a float: 10 bits of mantissa, to the nearest.
double in_tf32(double x) {
  float f = float(x);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  bits = (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u;
  std::memcpy(&f, &bits, 4);
  return f;
}

template <class Set>
int destroy(Set* p) {
  delete p;
  return 0;
}
template <class T>
int take(T* to, const void* from, size_t n) {
  if (n != sizeof(T)) return kInvalid;
  std::memcpy(to, from, n);
  return 0;
}

int create(LtHandle* h) { return *h = new cublasLtContext{}, 0; }
int create_matmul(LtMatmul* m, int compute, int scale) {
  const bool f64 = compute == kLtCompute64F;
  if (scale != (f64 ? kLtF64 : kLtF32)) return kInvalid;
  return *m = new cublasLtMatmulDescOpaque_t{compute, scale}, 0;
}
int set_matmul(LtMatmul m, int attribute, const void* p, size_t n) {
  switch (attribute) {
    case kLtTransA: return take(&m->a_transposed, p, n);
    case kLtTransB: return take(&m->b_transposed, p, n);
    case kLtEpilogue: return take(&m->epilogue, p, n);
    case kLtBiasPointer: return take(&m->bias, p, n);
    case kLtAScale: return take(&m->a_scale, p, n);
    case kLtBScale: return take(&m->b_scale, p, n);
    case kLtAScaleMode: return take(&m->a_scale_mode, p, n);
    case kLtBScaleMode: return take(&m->b_scale_mode, p, n);
    default: return kInvalid;
  }
}
int create_layout(LtLayout* l, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  return *l = new cublasLtMatrixLayoutOpaque_t{type, rows, columns, ld}, 0;
}
int set_layout(LtLayout l, int attribute, const void* p, size_t n) {
  return attribute == kLtBatchCount    ? take(&l->batch, p, n)
         : attribute == kLtBatchOffset ? take(&l->step, p, n)
                                       : int(kInvalid);
}
int create_preference(LtPreference* p) { return *p = new cublasLtMatmulPreferenceOpaque_t, 0; }
int set_preference(LtPreference to, int attribute, const void* p, size_t n) {
  switch (attribute) {
    case kLtMostWorkspace: return take(&to->workspace, p, n);
    case kLtReductionSchemes: return take(&to->schemes, p, n);
    case kLtAlignA:
    case kLtAlignB:
    case kLtAlignC:
    case kLtAlignD: return take(&to->aligned[attribute - kLtAlignA], p, n);
    default: return kInvalid;
  }
}

bool is_float8(int type) { return type == kLtE4M3 || type == kLtE5M2; }
bool takes_float8(const LtMatmul m, LtLayout a, LtLayout b, LtLayout d, const uint32_t* aligned) {
  if (!is_float8(a->type) || !is_float8(b->type)) return !m->a_scale && !m->b_scale;
  if (a->type == kLtE5M2 && b->type == kLtE5M2) return false;
  if (!m->a_transposed || m->b_transposed || d->type == kLtF64 || is_float8(d->type)) return false;
  if (a->rows % 16 || d->rows % 16 || a->ld % 16 || b->ld % 16) return false;
  for (int i = 0; i < 4; ++i)
    if (aligned[i] < 16) return false;
  return m->a_scale_mode == m->b_scale_mode && (m->epilogue != kLtBias || d->type != kLtF32);
}

int heuristic(LtHandle, LtMatmul m, LtLayout a, LtLayout b, LtLayout c, LtLayout d, LtPreference p,
              int wanted, LtHeuristic* out, int* got) {
  *got = 0;
  for (const LtLayout l : {a, b, c, d})
    if (l->ld < int64_t(l->rows) || l->batch != d->batch) return kInvalid;
  if (m->epilogue != kLtNoEpilogue && (d->type == kLtF64 || !m->bias)) return kNotSupported;
  if (m->epilogue == kLtSumsOfB && is_float8(b->type)) return kNotSupported;
  if ((is_float8(a->type) || is_float8(b->type) || m->a_scale) && !takes_float8(m, a, b, d, p->aligned))
    return kNotSupported;
  if (p->schemes & 1) wrong("a reduction in place, which rounds");
  if (wanted < 1) return kInvalid;
  // An algorithm knows what it was chosen for.
  *out = {};
  for (int i = 0; i < 4; ++i) out->algorithm.data[i] = p->aligned[i];
  out->algorithm.data[4] = d->rows << 32 ^ d->columns;
  out->workspace = kWorkspace;
  *got = 1;
  return 0;
}

// What a call said, for when its stream comes to it.
struct Given {
  cublasLtMatmulDescOpaque_t m;
  cublasLtMatrixLayoutOpaque_t la, lb, lc, ld;
  const void *a, *b, *c;
  void *d, *workspace;
  double alpha, beta;
};
void compute(const Given& g) {
  std::memset(g.workspace, 0xff, kWorkspace);
  const int64_t rows = int64_t(g.ld.rows), columns = int64_t(g.ld.columns),
                k = int64_t(g.m.a_transposed ? g.la.rows : g.la.columns);
  std::vector<double> results(size_t(rows * columns));
  for (int64_t batch = 0; batch < g.ld.batch; ++batch) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l) {
          double x = read(g.a, g.la.type,
                          batch * g.la.step + (g.m.a_transposed ? l + i * g.la.ld : i + l * g.la.ld));
          double y = read(g.b, g.lb.type,
                          batch * g.lb.step + (g.m.b_transposed ? j + l * g.lb.ld : l + j * g.lb.ld));
          if (g.m.compute == kLtComputeTf32) x = in_tf32(x), y = in_tf32(y);
          sum += x * y;
        }
        sum *= g.alpha;
        if (g.m.a_scale) sum *= static_cast<const float*>(g.m.a_scale)[g.m.a_scale_mode ? i : 0];
        if (g.m.b_scale) sum *= static_cast<const float*>(g.m.b_scale)[g.m.b_scale_mode ? j : 0];
        if (g.beta != 0) sum += g.beta * read(g.c, g.lc.type, batch * g.lc.step + i + j * g.lc.ld);
        if (g.m.epilogue == kLtBias) sum += read(g.m.bias, g.ld.type, i);
        results[size_t(i + j * rows)] = sum;
      }
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i)
        write(g.d, g.ld.type, batch * g.ld.step + i + j * g.ld.ld, results[size_t(i + j * rows)]);
  }
  if (g.m.epilogue != kLtSumsOfB) return;
  for (int64_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (int64_t l = 0; l < k; ++l)
      sum += read(g.b, g.lb.type, g.m.b_transposed ? j + l * g.lb.ld : l + j * g.lb.ld);
    write(const_cast<void*>(g.m.bias), g.ld.type, j, sum);
  }
}

int matmul(LtHandle, LtMatmul m, const void* alpha, const void* a, LtLayout la, const void* b, LtLayout lb,
           const void* beta, const void* c, LtLayout lc, void* d, LtLayout ld, const LtAlgorithm* algorithm,
           void* workspace, size_t workspace_bytes, Stream stream) {
  std::lock_guard guard(cuda_on_host::lock());
  cuda_on_host::check_stream(stream, "a product");
  const void* addresses[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    if (reinterpret_cast<uintptr_t>(addresses[i]) % algorithm->data[i])
      wrong("an address is less aligned than was promised");
  if (algorithm->data[4] != (ld->rows << 32 ^ ld->columns)) wrong("an algorithm of another problem");
  if (workspace_bytes < kWorkspace || !workspace) wrong("too little workspace");
  const uint64_t k = m->a_transposed ? la->rows : la->columns;
  if ((m->a_transposed ? la->columns : la->rows) != ld->rows ||
      (m->b_transposed ? lb->rows : lb->columns) != ld->columns ||
      (m->b_transposed ? lb->columns : lb->rows) != k || lc->rows != ld->rows || lc->columns != ld->columns)
    wrong("sizes that do not fit together");
  const Given g{
      *m, *la, *lb, *lc, *ld, a, b, c, d, workspace, read(alpha, m->scale, 0), read(beta, m->scale, 0)};
  cuda_on_host::give(stream, [g] { compute(g); });
  return 0;
}

size_t version() { return 130100; }

}  // namespace

}  // namespace haft::cuda

namespace haft::cuda_on_host {

void* cublaslt_function(const char* name) {
  using namespace haft::cuda;
  struct Function {
    const char* name;
    void* function;
  };
  static const Function all[] = {
      {"cublasLtGetVersion", reinterpret_cast<void*>(version)},
      {"cublasLtCreate", reinterpret_cast<void*>(create)},
      {"cublasLtMatmulDescCreate", reinterpret_cast<void*>(create_matmul)},
      {"cublasLtMatmulDescDestroy", reinterpret_cast<void*>(destroy<cublasLtMatmulDescOpaque_t>)},
      {"cublasLtMatmulDescSetAttribute", reinterpret_cast<void*>(set_matmul)},
      {"cublasLtMatrixLayoutCreate", reinterpret_cast<void*>(create_layout)},
      {"cublasLtMatrixLayoutDestroy", reinterpret_cast<void*>(destroy<cublasLtMatrixLayoutOpaque_t>)},
      {"cublasLtMatrixLayoutSetAttribute", reinterpret_cast<void*>(set_layout)},
      {"cublasLtMatmulPreferenceCreate", reinterpret_cast<void*>(create_preference)},
      {"cublasLtMatmulPreferenceDestroy", reinterpret_cast<void*>(destroy<cublasLtMatmulPreferenceOpaque_t>)},
      {"cublasLtMatmulPreferenceSetAttribute", reinterpret_cast<void*>(set_preference)},
      {"cublasLtMatmulAlgoGetHeuristic", reinterpret_cast<void*>(heuristic)},
      {"cublasLtMatmul", reinterpret_cast<void*>(matmul)},
  };
  for (const Function& f : all)
    if (std::strcmp(f.name, name) == 0) return f.function;
  return nullptr;
}

}  // namespace haft::cuda_on_host
