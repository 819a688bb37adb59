// Products by cuBLASLt, whose matrices are column-major: it is given C^T = B^T A^T, each in place. Which algorithm
// takes a problem is asked once and kept.
#include "core/cuda/cublaslt.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/cuda/library.h"
#include "core/cuda/matmul.h"

namespace haft::cuda {

namespace {

constexpr int64_t kMostWorkspace = 32 << 20;
constexpr size_t kMostPlans = 8192;

LtType type_of(DType t) {
  switch (t) {
    case DType::f64: return kLtF64;
    case DType::f16: return kLtF16;
    case DType::bf16: return kLtBF16;
    case DType::f8e4m3fn: return kLtE4M3;
    case DType::f8e5m2: return kLtE5M2;
    default: return kLtF32;
  }
}

// A factor of the product, rows and columns as in memory: unit stride one way, `ld` the other.
struct Factor {
  const void* data;
  int64_t batch, ld;
  bool transposed;  // the unit stride goes along the other dimension than row-major order's
};

// Strides that the library does not take (none is 1, or rows overlap) are copied.
Factor factor(const Call& c, DType t, int64_t batches, const void* p, int64_t rows, int64_t columns,
              int64_t batch, int64_t row, int64_t column) {
  if (batches == 1) batch = 0;
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1))
    return {p, batch, rows == 1 ? columns : row, false};
  if ((row == 1 || rows == 1) && (column >= rows || columns == 1))
    return {p, batch, columns == 1 ? rows : column, true};
  const int64_t n = batch == 0 ? 1 : batches;
  haft_tensor_view v{};
  v.data = const_cast<void*>(p);
  v.dtype = uint8_t(t);
  v.ndim = 3;
  v.numel = n * rows * columns;
  v.sizes[0] = n, v.sizes[1] = rows, v.sizes[2] = columns;
  v.strides[0] = batch, v.strides[1] = row, v.strides[2] = column;
  return {dense(c, v).data, batch == 0 ? 0 : rows * columns, columns, false};
}

// What a plan depends on.
struct Problem {
  int64_t device, type, b_type, c_type, compute, epilogue;
  int64_t scales;          // 0: none, 1: one number each, 2: vectors
  int64_t batch, m, n, k;  // of C as the caller sees it, row-major
  int64_t a_ld, a_batch, a_transposed, b_ld, b_batch, b_transposed, c_ld, c_batch, d_ld, d_batch;
  int64_t aligned;  // logarithms of the addresses' alignment
  bool operator==(const Problem&) const = default;
};
static_assert(std::has_unique_object_representations_v<Problem>);
struct HashProblem {
  size_t operator()(const Problem& p) const {
    int64_t words[sizeof(Problem) / 8];
    std::memcpy(words, &p, sizeof p);
    uint64_t h = 0;
    for (int64_t w : words) h = (h ^ uint64_t(w)) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    return size_t(h);
  }
};

int64_t alignment(const void* p) {
  return std::min(std::countr_zero(reinterpret_cast<uintptr_t>(p) | 256), 8);
}

// Addresses that are attributes of the descriptor, so calls of a plan that has some take turns.
struct Beside {
  const void *bias = nullptr, *a_scale = nullptr, *b_scale = nullptr;
  bool any() const { return bias || a_scale; }
};

// A problem's descriptors and the algorithm.
struct Plan {
  const CublasLt& lib;
  const LtHandle handle;
  LtMatmul matmul = nullptr;
  LtLayout a = nullptr, b = nullptr, c = nullptr, d = nullptr;
  LtHeuristic best{};
  bool exists = false;
  std::mutex turn;

  Plan(const CublasLt& lib, LtHandle handle, const Problem& p, const Beside& beside);
  ~Plan() {
    if (matmul) lib.cublasLtMatmulDescDestroy(matmul);
    for (LtLayout l : {a, b, c, d})
      if (l) lib.cublasLtMatrixLayoutDestroy(l);
  }
  Plan(const Plan&) = delete;

  // The library's first factor is B.
  bool tell(const Beside& b) {
    return (!b.bias || set(kLtBiasPointer, b.bias)) &&
           (!b.a_scale || (set(kLtAScale, b.b_scale) && set(kLtBScale, b.a_scale)));
  }

 private:
  template <class T>
  bool set(int attribute, T value) {
    return lib.cublasLtMatmulDescSetAttribute(matmul, attribute, &value, sizeof value) == 0;
  }
  bool layout(LtLayout* to, int64_t type, int64_t rows, int64_t columns, int64_t ld, int64_t batches,
              int64_t step) {
    const int32_t n = int32_t(batches);
    return lib.cublasLtMatrixLayoutCreate(to, int(type), uint64_t(rows), uint64_t(columns), ld) == 0 &&
           (batches == 1 ||
            (lib.cublasLtMatrixLayoutSetAttribute(*to, kLtBatchCount, &n, sizeof n) == 0 &&
             lib.cublasLtMatrixLayoutSetAttribute(*to, kLtBatchOffset, &step, sizeof step) == 0));
  }
};

Plan::Plan(const CublasLt& l, LtHandle h, const Problem& p, const Beside& beside) : lib(l), handle(h) {
  const int64_t scale = p.compute == kLtCompute64F ? kLtF64 : kLtF32;
  // The library's first factor is B^T (n, k), its second A^T (k, m); row-major memory is a transposed matrix to it
  // already.
  bool ok = lib.cublasLtMatmulDescCreate(&matmul, int(p.compute), int(scale)) == 0 &&
            set(kLtTransA, int32_t(p.b_transposed)) && set(kLtTransB, int32_t(p.a_transposed)) &&
            set(kLtEpilogue, uint32_t(p.epilogue)) && tell(beside) &&
            (p.scales < 2 ||
             (set(kLtAScaleMode, int32_t(kLtScaleOfEach)) && set(kLtBScaleMode, int32_t(kLtScaleOfEach))));
  const int64_t b_rows = p.b_transposed ? p.k : p.n, a_rows = p.a_transposed ? p.m : p.k;
  ok = ok && layout(&a, p.b_type, b_rows, p.n + p.k - b_rows, p.b_ld, p.batch, p.b_batch) &&
       layout(&b, p.type, a_rows, p.m + p.k - a_rows, p.a_ld, p.batch, p.a_batch) &&
       layout(&c, p.c_type, p.n, p.m, p.c_ld, p.batch, p.c_batch) &&
       layout(&d, p.c_type, p.n, p.m, p.d_ld, p.batch, p.d_batch);
  LtPreference preference = nullptr;
  ok = ok && lib.cublasLtMatmulPreferenceCreate(&preference) == 0;
  auto prefer = [&](int attribute, auto value) {
    ok = ok && lib.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value) == 0;
  };
  prefer(kLtMostWorkspace, uint64_t(kMostWorkspace));
  prefer(kLtReductionSchemes,
         uint32_t(kLtInComputeType));  // a split sum is added up in a fixed order, in full precision
  prefer(kLtAlignA, uint32_t(1) << (p.aligned >> 8 & 15));
  prefer(kLtAlignB, uint32_t(1) << (p.aligned & 15));
  prefer(kLtAlignC, uint32_t(1) << (p.aligned >> 16 & 15));
  prefer(kLtAlignD, uint32_t(1) << (p.aligned >> 24 & 15));
  int got = 0;
  exists = ok &&
           lib.cublasLtMatmulAlgoGetHeuristic(handle, matmul, a, b, c, d, preference, 1, &best, &got) == 0 &&
           got > 0 && best.status == 0;
  if (preference) lib.cublasLtMatmulPreferenceDestroy(preference);
}

struct Device {
  LtHandle handle = nullptr;
  bool asked = false;
};
struct Plans {
  std::mutex mutex;
  std::map<int, Device> devices;
  std::unordered_map<Problem, std::shared_ptr<Plan>, HashProblem> plans;
};
Plans& plans() {
  static Plans* p = new Plans;
  return *p;
}

// The handle of a device, NULL where the library cannot serve it; that is said once.
LtHandle handle_of(const CublasLt& lib, int device) {
  Plans& all = plans();
  std::lock_guard lock(all.mutex);
  Device& d = all.devices[device];
  if (!d.asked) {
    d.asked = true;
    if (const int s = lib.cublasLtCreate(&d.handle)) {
      d.handle = nullptr;
      log_line(LogLevel::warning, concat("cuBLASLt does not serve cuda:", device, " (cublasLtCreate: status ",
                                         s, "); products use slower kernels"));
    }
  }
  return d.handle;
}

// NULL where the library does not serve the device.
std::shared_ptr<Plan> plan_of(const CublasLt& lib, const Problem& p, const Beside& beside) {
  Plans& all = plans();
  {
    std::lock_guard lock(all.mutex);
    if (auto it = all.plans.find(p); it != all.plans.end()) return it->second;
  }
  const LtHandle handle = handle_of(lib, int(p.device));
  if (!handle) return nullptr;
  auto made = std::make_shared<Plan>(lib, handle, p, beside);
  std::lock_guard lock(all.mutex);
  if (all.plans.size() >= kMostPlans) all.plans.clear();
  return all.plans.try_emplace(p, std::move(made)).first->second;
}

// A product whose C has unit stride along its columns.
bool run(const Call& c, const CublasLt& lib, const Gemm& g) {
  const bool f64 = g.type == DType::f64;
  const DType b_type = g.b_type == DType::none ? g.type : g.b_type;
  const Factor a = factor(c, g.type, g.batch, g.a, g.m, g.k, g.a_batch, g.a_row, g.a_col),
               b = factor(c, b_type, g.batch, g.b, g.k, g.n, g.b_batch, g.b_row, g.b_col);
  Problem p{};
  p.device = c.device();
  p.type = type_of(g.type), p.b_type = type_of(b_type), p.c_type = type_of(g.c_type);
  p.scales = !g.a_scale ? 0 : g.scale_vectors ? 2 : 1;
  p.compute = f64 ? kLtCompute64F : g.type == DType::f32 && c.tf32() ? kLtComputeTf32 : kLtCompute32F;
  p.batch = g.batch, p.m = g.m, p.n = g.n, p.k = g.k;
  p.a_ld = a.ld, p.a_batch = a.batch, p.a_transposed = a.transposed;
  p.b_ld = b.ld, p.b_batch = b.batch, p.b_transposed = b.transposed;
  p.d_ld = g.m == 1 ? g.n : g.c_row, p.d_batch = g.batch == 1 ? 0 : g.c_batch;
  if (p.d_ld < g.n) return false;

  const void* added = nullptr;  // the library's C
  Beside beside{nullptr, g.a_scale, g.b_scale};
  double beta = g.bias ? g.beta.to_double() : 0;
  std::shared_ptr<Plan> plan;
  auto find = [&](const void* c_matrix, int64_t c_ld, int64_t c_batch, LtEpilogue epilogue) {
    added = c_matrix;
    p.c_ld = c_ld, p.c_batch = c_batch;
    p.epilogue = epilogue;
    p.aligned = alignment(a.data) | alignment(b.data) << 8 | alignment(added) << 16 | alignment(g.c) << 24 |
                alignment(beside.bias) << 32;
    plan = plan_of(lib, p, beside);
    return plan && plan->exists;
  };
  const bool one_row =
      g.bias && g.bias_row == 0 && (g.bias_col == 1 || g.n == 1) && (g.batch == 1 || g.bias_batch == 0);
  const bool matrix = g.bias && (g.bias_col == 1 || g.n == 1) && (g.bias_row >= g.n || g.m == 1) &&
                      (g.batch == 1 || g.bias_batch != 0);
  bool found = false;
  if (g.row_sums) {
    beside.bias = g.row_sums;  // the library's second factor is A^T, and its columns' sums go where a bias is
    found = find(g.c, p.d_ld, p.d_batch, kLtSumsOfB);
  } else if (!g.bias) {
    found = find(g.c, p.d_ld, p.d_batch, kLtNoEpilogue);
  } else if (one_row && beta == 1 && g.bias != g.c) {
    beside.bias = g.bias;
    found = find(g.c, p.d_ld, p.d_batch, kLtBias);
    if (found)
      beta = 0;
    else
      beside.bias = nullptr;
  } else if (matrix) {
    found = find(g.bias, g.m == 1 ? g.n : g.bias_row, g.batch == 1 ? 0 : g.bias_batch, kLtNoEpilogue);
  }
  // Any other bias is written to C first.
  if (!found && g.bias && find(g.c, p.d_ld, p.d_batch, kLtNoEpilogue)) {
    found = true;
    haft_tensor_view to{}, from{};
    to.data = g.c, from.data = const_cast<void*>(g.bias);
    to.dtype = from.dtype = uint8_t(g.c_type);
    to.ndim = from.ndim = 3;
    to.numel = from.numel = g.batch * g.m * g.n;
    const int64_t n[] = {g.batch, g.m, g.n}, to_steps[] = {g.c_batch, g.c_row, g.c_col},
                  from_steps[] = {g.bias_batch, g.bias_row, g.bias_col};
    std::copy_n(n, 3, to.sizes), std::copy_n(n, 3, from.sizes);
    std::copy_n(to_steps, 3, to.strides), std::copy_n(from_steps, 3, from.strides);
    if (g.bias != g.c) copy_view(c, to, from);
  }
  if (!found) return false;

  const double alpha = g.alpha.to_double();
  const float alpha32 = float(alpha), beta32 = float(beta);
  void* workspace = c.scratch_bytes(int64_t(plan->best.workspace));
  std::unique_lock turn(plan->turn, std::defer_lock);
  if (beside.any()) {
    turn.lock();
    if (!plan->tell(beside)) return false;
  }
  const int s = lib.cublasLtMatmul(
      plan->handle, plan->matmul, f64 ? static_cast<const void*>(&alpha) : &alpha32, b.data, plan->a, a.data,
      plan->b, f64 ? static_cast<const void*>(&beta) : &beta32, added, plan->c, g.c, plan->d,
      &plan->best.algorithm, workspace, plan->best.workspace, c.stream);
  if (s)
    fail(Code::internal, concat("[", c.name(), "] cublasLtMatmul failed with status ", s, " for ", g.m, " x ",
                                g.k, " times ", g.k, " x ", g.n));
  return true;
}

}  // namespace

const CublasLt* cublaslt() {
  static constexpr const char* kNames[] = {
      "cublasLtCreate",
      "cublasLtMatmulDescCreate",
      "cublasLtMatmulDescDestroy",
      "cublasLtMatmulDescSetAttribute",
      "cublasLtMatrixLayoutCreate",
      "cublasLtMatrixLayoutDestroy",
      "cublasLtMatrixLayoutSetAttribute",
      "cublasLtMatmulPreferenceCreate",
      "cublasLtMatmulPreferenceDestroy",
      "cublasLtMatmulPreferenceSetAttribute",
      "cublasLtMatmulAlgoGetHeuristic",
      "cublasLtMatmul",
  };
  static const CublasLt* table = [] {
    const CublasLt* t = functions_of<CublasLt>(Library::cublaslt, kNames);
    if (!t) log_missing(Library::cublaslt);
    return t;
  }();
  return table;
}

bool library_gemm(const Call& c, const Gemm& given) {
  Gemm g = given;
  if (g.n > 1 && g.c_col != 1) {  // the transposed product has its C the other way
    if ((g.m > 1 && g.c_row != 1) || g.row_sums) return false;
    std::swap(g.m, g.n);
    std::swap(g.a, g.b);
    std::swap(g.a_scale, g.b_scale);
    if (g.b_type != DType::none) std::swap(g.type, g.b_type);
    std::swap(g.a_batch, g.b_batch);
    const int64_t a_row = g.a_row, a_col = g.a_col;
    g.a_row = g.b_col, g.a_col = g.b_row, g.b_row = a_col, g.b_col = a_row;
    std::swap(g.c_row, g.c_col);
    std::swap(g.bias_row, g.bias_col);
  }
  if (g.batch > INT32_MAX) return false;
  const CublasLt* lib = cublaslt();
  if (!lib) return false;
  c.use_device();
  return run(c, *lib, g);
}

}  // namespace haft::cuda
