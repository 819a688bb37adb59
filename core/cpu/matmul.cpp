// mm, bmm, addmm and linear. float32 chooses between our small kernels, oneDNN's batch-reduce kernels (dense
// operands, best for A @ B^T) and its classic GEMM (any leading dimension, best when B exceeds the second cache).
#include "core/cpu/matmul.h"

#include "core/cpu/dense.h"
#include "core/cpu/dnnl.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/packed_weights.h"

namespace haft::cpu {

void k_sum(const haft_kernel_call& c);
namespace {

enum Kind : uint64_t { kMatmul = 1, kPackedMatmul = 3, kPackMatrix = 4 };

// Below, a second thread costs more than it brings (about 10 us of one core).
constexpr int64_t kFlopsAThread = 2 << 20;

// One operand as BLAS wants it: unit stride one way, leading dimension the other.
template <class T>
struct Factor {
  const T* data;
  int64_t ld;
  bool transposed;
};

// Strides that no library takes (neither is 1, or rows overlap) are copied into `copy`.
template <class T>
Factor<T> factor(const T* p, int64_t rows, int64_t cols, int64_t row, int64_t col, HostBuffer& copy) {
  if ((col == 1 || cols == 1) && (row >= cols || rows == 1)) return {p, rows == 1 ? cols : row, false};
  if ((row == 1 || rows == 1) && (col >= rows || cols == 1)) return {p, cols == 1 ? rows : col, true};
  copy = HostBuffer(rows * cols * int64_t(sizeof(T)));
  T* out = copy.as<T>();
  parallel_for(rows, (1 << 15) / (cols + 1) + 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i)
      for (int64_t j = 0; j < cols; ++j) out[i * cols + j] = p[i * row + j * col];
  });
  return {out, cols, false};
}

template <class T>
void fill_bias(const Gemm<T>& g, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  for (int64_t i = i0; i < i1; ++i) {
    T* c = g.c + i * g.ldc;
    const T* s = g.bias + i * g.bias_row;
    if (g.bias_col == 1)
      for (int64_t j = j0; j < j1; ++j) c[j] = g.beta * s[j];
    else
      for (int64_t j = j0; j < j1; ++j) c[j] = g.beta * s[j * g.bias_col];
  }
}

// Dense A (m, k) or A^T, dense B or B^T, dense C, optional row of bias, through oneDNN's matmul. False: not
// implemented.
bool dnnl_matmul(dnnl_data_type_t type, int64_t m, int64_t n, int64_t k, const void* a, bool a_t,
                 const void* b, bool b_t, const void* bias, void* c, dnnl_data_type_t c_type) {
  CallKey key;
  key.word[0] = kMatmul << 32 | uint64_t(c_type) << 16 | uint64_t(type) << 8 | uint64_t(a_t) << 2 |
                uint64_t(b_t) << 1 | uint64_t(bias != nullptr);
  key.word[1] = uint64_t(m);
  key.word[2] = uint64_t(n);
  key.word[3] = uint64_t(k);
  DnnlCall& call = cached_call(key);
  if (!call.ready()) {
    SingleThreaded guard;
    int64_t ad[] = {m, k}, bd[] = {k, n}, cd[] = {m, n}, sd[] = {1, n};
    dnnl_memory_desc_t da = tagged_desc(type, ad, a_t ? dnnl_ba : dnnl_ab);
    dnnl_memory_desc_t db = tagged_desc(type, bd, b_t ? dnnl_ba : dnnl_ab);
    dnnl_memory_desc_t dc = tagged_desc(c_type, cd, dnnl_ab), ds = tagged_desc(type, sd, dnnl_ab);
    dnnl_matmul_desc_t op;
    check_dnnl(dnnl_matmul_desc_init(&op, &da, &db, bias ? &ds : nullptr, &dc), "dnnl_matmul_desc_init");
    dnnl_primitive_desc_t pd = try_primitive_desc(&op);
    if (!pd) return false;
    const int ids[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS};
    call.build(pd, std::span<const int>(ids, bias ? 4 : 3));
  }
  if (bias)
    call.run({a, b, c, bias});
  else
    call.run({a, b, c});
  return true;
}

// x (m, k) @ W^T for a weight in oneDNN's own layout, and the packing of W (n, k) into it. The layout depends
// on n and k only through the primitive's choice, which `format` names.
struct PackedLinear {
  int64_t m, n, k;
  bool bias;

  dnnl_primitive_desc_t describe() const {
    int64_t xd[] = {m, k}, wd[] = {k, n}, yd[] = {m, n}, sd[] = {1, n};
    dnnl_memory_desc_t x = tagged_desc(dnnl_f32, xd, dnnl_ab),
                       w = tagged_desc(dnnl_f32, wd, dnnl_format_tag_any);
    dnnl_memory_desc_t y = tagged_desc(dnnl_f32, yd, dnnl_ab), s = tagged_desc(dnnl_f32, sd, dnnl_ab);
    dnnl_matmul_desc_t op;
    check_dnnl(dnnl_matmul_desc_init(&op, &x, &w, bias ? &s : nullptr, &y), "dnnl_matmul_desc_init");
    return try_primitive_desc(&op);
  }
  DnnlCall& call(Kind kind) const {
    CallKey key;
    key.word[0] = uint64_t(kind) << 32 | uint64_t(bias);
    key.word[1] = uint64_t(m);
    key.word[2] = uint64_t(n);
    key.word[3] = uint64_t(k);
    DnnlCall& c = cached_call(key);
    if (c.ready() || c.note[0]) return c;
    SingleThreaded guard;
    dnnl_primitive_desc_t pd = describe();
    if (!pd) {
      c.note[0] = 1;  // asked before: the library has none
      return c;
    }
    const dnnl_memory_desc_t packed =
        *dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, DNNL_ARG_WEIGHTS);
    if (kind == kPackMatrix) {
      dnnl_primitive_desc_destroy(pd);
      int64_t wd[] = {k, n};
      c.build_reorder(tagged_desc(dnnl_f32, wd, dnnl_ba), packed);
      return c;
    }
    c.note[1] = int64_t(dnnl_memory_desc_get_size(&packed));
    c.note[2] =
        int64_t(std::hash<std::string_view>()({reinterpret_cast<const char*>(&packed), sizeof packed}));
    const int ids[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS};
    c.build(pd, std::span<const int>(ids, bias ? 4 : 3));
    return c;
  }
};

// How the threads share C: blocks of rows and columns, fixed by the shape and the number of threads.
struct Grid {
  int64_t rows = 1, cols = 1;
};

// What a product costs beside its arithmetic, in flops an element: each row of blocks reads or packs B once
// more, each column A. Fitted to all grids of thirty shapes on two threads.
struct Repeated {
  int64_t a, b;
  bool rows, cols;  // may C be cut this way?
};
constexpr int64_t kReading = 4, kPacking = 32;
constexpr int64_t kHeldB = 128 * 1024;  // floats of B beside a block's other operands in 1 MB

// The cheapest grid. More parts cost packing; fewer leave a processor idle at the end, a sixteenth of a part
// on average.
Grid share(int64_t m, int64_t n, int64_t k, Repeated cost) {
  Grid best;
  int threads = in_parallel() ? 1 : num_threads();
  int64_t flops = 2 * m * n * k, parts = std::min<int64_t>(flops / kFlopsAThread, 4 * threads);
  if (threads == 1 || parts < 2) return best;
  // The libraries reach their speed only with blocks of their own in large products.
  bool large = m * n >= int64_t(512) * 512 * parts;
  int64_t least_rows = large ? 256 : 16, least_cols = large ? 256 : 64, least = INT64_MAX;
  for (int64_t r = 1; r <= parts && (r == 1 || (cost.rows && m / r >= least_rows)); r *= 2)
    for (int64_t c = 1; r * c <= parts && (c == 1 || (cost.cols && n / c >= least_cols)); c *= 2) {
      int64_t spent = r * n * k * cost.b + c * m * k * cost.a, part = (flops + spent) / (r * c);
      int64_t turns = (r * c + threads - 1) / threads, time = turns * part + part / 16;
      if (turns == 1) time += kFlopsAThread / 2;  // nobody makes up for a thread that wakes late
      if (time < least) least = time, best = {r, c};
    }
  return best;
}

void library_gemm(const Gemm<float>& g) {
  HostBuffer a_copy, b_copy;
  Factor<float> a = factor(g.a, g.m, g.k, g.a_row, g.a_col, a_copy);
  Factor<float> b = factor(g.b, g.k, g.n, g.b_row, g.b_col, b_copy);
  bool plain = g.alpha == 1 && (!g.bias || (g.beta == 1 && g.bias_row == 0 && g.bias_col == 1));
  bool dense = a.ld == (a.transposed ? g.m : g.k) && b.ld == (b.transposed ? g.k : g.n);
  // Measured on Zen 4 and 5 (bench/micro/gemm.cpp).
  bool reduce = isa() == Isa::avx512 && plain && dense &&
                (a.transposed   ? g.m < 32
                 : b.transposed ? g.m > 8
                                : g.k * g.n <= 400 * 1024);
  // oneDNN's batch-reduce kernels want dense operands, copy a transposed one and fetch a B that the second
  // cache does not hold for each block of rows anew; its GEMM copies A above all.
  bool light_b = !b.transposed && g.k * g.n <= kHeldB;
  Grid grid = reduce ? share(g.m, g.n, g.k,
                             {a.transposed ? kPacking : kReading, light_b ? kReading : kPacking,
                              !a.transposed, b.transposed})
                     : share(g.m, g.n, g.k, {kPacking, kReading, true, true});
  int64_t mb = (g.m + grid.rows - 1) / grid.rows, nb = (g.n + grid.cols - 1) / grid.cols;
  if (grid.rows > 1) mb = (mb + 15) & ~int64_t(15);
  if (grid.cols > 1) nb = (nb + 15) & ~int64_t(15);
  grid.rows = (g.m + mb - 1) / mb;
  grid.cols = (g.n + nb - 1) / nb;
  parallel_for(grid.rows * grid.cols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t i0 = t / grid.cols * mb, j0 = t % grid.cols * nb;
      int64_t i1 = std::min(i0 + mb, g.m), j1 = std::min(j0 + nb, g.n), rows = i1 - i0, cols = j1 - j0;
      const float* pa = a.data + (a.transposed ? i0 : i0 * a.ld);
      const float* pb = b.data + (b.transposed ? j0 * b.ld : j0);
      float* pc = g.c + i0 * g.ldc + j0;
      if (reduce) {
        const float* bias = g.bias ? g.bias + j0 : nullptr;
        if (g.ldc == cols) {
          if (dnnl_matmul(dnnl_f32, rows, cols, g.k, pa, a.transposed, pb, b.transposed, bias, pc, dnnl_f32))
            continue;
        } else {
          HostBuffer block(rows * cols * 4);
          if (dnnl_matmul(dnnl_f32, rows, cols, g.k, pa, a.transposed, pb, b.transposed, bias, block.data(),
                          dnnl_f32)) {
            for (int64_t i = 0; i < rows; ++i)
              std::memcpy(pc + i * g.ldc, block.as<float>() + i * cols, size_t(cols) * 4);
            continue;
          }
        }
      }
      if (g.bias) fill_bias(g, i0, i1, j0, j1);
      SingleThreaded guard;
      check_dnnl(dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', rows, cols, g.k, g.alpha, pa,
                            a.ld, pb, b.ld, g.bias ? 1.0f : 0.0f, pc, g.ldc),
                 "dnnl_sgemm");
    }
  });
}

// Few rows: the threads share the columns of a row-major B that their second caches hold, and nobody packs
// it. Sharing rows, each would read or pack all of B for its few.
bool share_columns(const Gemm<float>& g) {
  constexpr int64_t kPanel = 32;
  int64_t panels = g.n / kPanel, threads = num_threads();
  if (isa() != Isa::avx512 || threads == 1 || in_parallel() || g.b_col != 1 || g.n % kPanel) return false;
  if (g.m > 64 || panels < 2 * threads || g.k * g.n > kHeldB || 2 * g.m * g.n * g.k < threads * kFlopsAThread)
    return false;
  parallel_for(panels, (panels + threads - 1) / threads, [&](int64_t begin, int64_t end) {
    Gemm<float> part = g;
    part.n = (end - begin) * kPanel;
    part.b += begin * kPanel;
    part.c += begin * kPanel;
    if (part.bias) part.bias += begin * kPanel * part.bias_col;
    small_gemm(part);
  });
  return true;
}

// y and bias along the one dimension that is not 1.
bool as_gemv(const Gemm<float>& g) {
  Gemv v;
  v.k = g.k;
  v.alpha = g.alpha;
  v.beta = g.beta;
  v.bias = g.bias;
  v.y = g.c;
  if (g.m == 1) {
    v.n = g.n;
    v.w = g.b;
    v.w_row = g.b_col;
    v.w_col = g.b_row;
    v.x = g.a;
    v.x_stride = g.a_col;
    v.bias_stride = g.bias_col;
  } else {
    v.n = g.m;
    v.w = g.a;
    v.w_row = g.a_row;
    v.w_col = g.a_col;
    v.x = g.b;
    v.x_stride = g.b_row;
    v.y_stride = g.ldc;
    v.bias_stride = g.bias_row;
  }
  if (v.w_col != 1 && v.w_row != 1) return false;
  gemv(v);
  return true;
}

}  // namespace

void gemm(const Gemm<float>& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) {
    if (g.bias) return fill_bias(g, 0, g.m, 0, g.n);
    for (int64_t i = 0; i < g.m; ++i) std::memset(g.c + i * g.ldc, 0, size_t(g.n) * 4);
    return;
  }
  if ((g.m == 1 || g.n == 1) && as_gemv(g)) return;
  if (small_gemm_fits(g)) return small_gemm(g);
  if (share_columns(g)) return;
  library_gemm(g);
}

void library_product(int64_t m, int64_t n, int64_t k, const void* a, bool a_transposed, const void* b,
                     bool b_transposed, const void* bias, void* c, DType type) {
  if (!dnnl_matmul(dnnl_bf16, m, n, k, a, a_transposed, b, b_transposed, bias, c, dnnl_dtype(uint8_t(type))))
    fail(Code::internal, concat("oneDNN has no bfloat16 product of ", m, "x", k, " and ", k, "x", n),
         "please report this with the processor's name");
}

namespace {

// A product of views: rows and columns are the last two dimensions, C is row-major.
struct Product {
  const haft_tensor_view* a;
  const haft_tensor_view* b;
  const haft_tensor_view* bias = nullptr;
  Scalar alpha = Scalar(int64_t(1)), beta = Scalar(int64_t(1));
  bool b_transposed = false;  // b is (n, k)
};

template <class T>
Gemm<T> describe(const Product& p, void* c) {
  const haft_tensor_view &a = *p.a, &b = *p.b;
  Gemm<T> g;
  int ad = a.ndim, bd = b.ndim, row = p.b_transposed ? bd - 1 : bd - 2,
      col = p.b_transposed ? bd - 2 : bd - 1;
  g.m = a.sizes[ad - 2];
  g.k = a.sizes[ad - 1];
  g.n = b.sizes[col];
  g.a = static_cast<const T*>(a.data);
  g.a_row = a.strides[ad - 2];
  g.a_col = a.strides[ad - 1];
  g.b = static_cast<const T*>(b.data);
  g.b_row = b.strides[row];
  g.b_col = b.strides[col];
  g.c = static_cast<T*>(c);
  g.ldc = g.n;
  if (p.bias) {
    const haft_tensor_view& s = *p.bias;
    g.bias = static_cast<const T*>(s.data);
    g.bias_row = s.ndim >= 2 ? s.strides[s.ndim - 2] : 0;
    g.bias_col = s.ndim >= 1 ? s.strides[s.ndim - 1] : 0;
  }
  g.alpha = p.alpha.to<T>();
  g.beta = p.beta.to<T>();
  if (p.bias && g.beta == T(0)) g.bias = nullptr;  // as BLAS: what is multiplied by 0 is not read
  return g;
}

// bfloat16 in hardware: dense operands, rows of C shared among the threads.
bool bf16_rows(const Product& p, void* c) {
  Gemm<BFloat16> g = describe<BFloat16>(p, c);
  bool row_bias = !p.bias || (p.beta.to_double() == 1 && g.bias_row == 0 && g.bias_col == 1);
  if (!cpu_has_bf16() || p.alpha.to_double() != 1 || !row_bias || g.m == 0 || g.n == 0 || g.k == 0)
    return false;
  if (transposed_gemm(g)) return true;
  HostBuffer a_copy, b_copy;
  Factor<BFloat16> a = factor(g.a, g.m, g.k, g.a_row, g.a_col, a_copy);
  Factor<BFloat16> b = factor(g.b, g.k, g.n, g.b_row, g.b_col, b_copy);
  bool a_dense = a.ld == (a.transposed ? g.m : g.k), b_dense = b.ld == (b.transposed ? g.k : g.n);
  if (!a_dense || !b_dense) return false;
  Grid grid = a.transposed ? Grid{} : share(g.m, g.n, g.k / 2 + 1, {kReading, kReading, true, false});
  int64_t mb = (g.m + grid.rows - 1) / grid.rows;
  std::atomic<bool> done{true};
  parallel_for((g.m + mb - 1) / mb, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t i0 = t * mb, rows = std::min(mb, g.m - i0);
      if (!dnnl_matmul(dnnl_bf16, rows, g.n, g.k, a.data + (a.transposed ? 0 : i0 * g.k), a.transposed,
                       b.data, b.transposed, g.bias, g.c + i0 * g.n, dnnl_bf16))
        done = false;
    }
  });
  return done;
}

// The same in C, for operands of a narrower type: they are widened, and the result is narrowed.
template <class C>
void wide_product(const Product& p, DType type, void* c) {
  constexpr DType t = DTypeOf<C>::value;
  const DenseIn a(*p.a, t), b(*p.b, t);
  const haft_tensor_view va = row_major_view(*p.a, t, a.data()), vb = row_major_view(*p.b, t, b.data());
  haft_tensor_view vs;
  Product wide = p;
  wide.a = &va;
  wide.b = &vb;
  HostBuffer bias;
  if (p.bias) {
    bias = HostBuffer(p.bias->numel * int64_t(sizeof(C)));
    vs = row_major_view(*p.bias, t, bias.data());
    copy_view(vs, *p.bias);
    wide.bias = &vs;
  }
  Gemm<C> g = describe<C>(wide, nullptr);
  HostBuffer out(g.m * g.n * int64_t(sizeof(C)));
  g.c = out.as<C>();
  gemm(g);
  convert(c, type, out.data(), t, g.m * g.n);
}

// C, row-major of `type`, from operands of the same type.
void product(const Product& p, DType type, void* c) {
  switch (type) {
    case DType::f32: return gemm(describe<float>(p, c));
    case DType::f64: return gemm(describe<double>(p, c));
    case DType::i64: return gemm(describe<int64_t>(p, c));
    case DType::bf16:
      if (bf16_rows(p, c)) return;
      [[fallthrough]];
    case DType::f16: return wide_product<float>(p, type, c);
    case DType::u8:
    case DType::i8:
    case DType::i16:
    case DType::i32: return wide_product<int64_t>(p, type, c);
    default: fail(Code::dtype, concat("matmul: no kernel for ", dtype_name(type)), "convert with cast");
  }
}

}  // namespace

void k_mm(const haft_kernel_call& c) {
  KernelCall k(c);
  DenseOut out(k.out());
  product({&k.in(0), &k.in(1)}, k.out_dtype(), out.data());
  out.finish();
}

void k_addmm(const haft_kernel_call& c) {
  KernelCall k(c);
  Product p{&k.in(1), &k.in(2)};
  p.bias = &k.in(0);
  p.beta = k.attrs.scalar(0);
  p.alpha = k.attrs.scalar(2);
  DenseOut out(k.out());
  product(p, k.out_dtype(), out.data());
  out.finish();
}

void k_bmm(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &a = k.in(0), &b = k.in(1);
  DenseOut out(k.out());
  int64_t batch = a.sizes[0], m = a.sizes[1], n = b.sizes[2];
  int64_t size = item_size(k.out_dtype());
  int64_t flops = 2 * m * n * a.sizes[2];
  // Few large products share the threads inside, many small ones among each other.
  bool outer = batch >= 2 * num_threads() || flops < kFlopsAThread;
  int64_t grain = outer ? kFlopsAThread / (flops + 1) + 1 : batch;
  parallel_for(batch, grain, [&](int64_t begin, int64_t end) {
    haft_tensor_view va = a, vb = b;
    for (int64_t i = begin; i < end; ++i) {
      va.data = static_cast<char*>(a.data) + i * a.strides[0] * size;
      vb.data = static_cast<char*>(b.data) + i * b.strides[0] * size;
      va.ndim = vb.ndim = 2;
      for (int d = 0; d < 2; ++d) {
        va.sizes[d] = a.sizes[d + 1];
        va.strides[d] = a.strides[d + 1];
        vb.sizes[d] = b.sizes[d + 1];
        vb.strides[d] = b.strides[d + 1];
      }
      va.numel = m * va.sizes[1];
      vb.numel = vb.sizes[0] * n;
      va.contiguous = va.strides[1] == 1 && va.strides[0] == va.sizes[1];
      vb.contiguous = vb.strides[1] == 1 && vb.strides[0] == n;
      product({&va, &vb}, k.out_dtype(), static_cast<char*>(out.data()) + i * m * n * size);
    }
  });
  out.finish();
}

// A weight that came unchanged several times is read packed: up to 1.6 times as fast with few rows, where reading it is
// most of the work, and 3 to 5 % with hundreds. These pay for its packing, done twice until it is kept, after ten calls
// or so: training that adds up gradients of a few batches should not pack. False where it is not read packed, or no
// library call takes it so.
static bool packed_linear(const KernelCall& k, const haft_tensor_view& x, int64_t rows) {
  const haft_tensor_view &w = k.in(1), &y = k.out();
  constexpr int64_t kFewRows = 32, kLeastRows = 8, kRows = 64;  // the last two of a piece
  if (rows < 2 || k.out_dtype() != DType::f32 || isa() != Isa::avx512 || w.numel < 64 * 64) return false;
  bool dense = w.contiguous && y.contiguous && x.strides[1] == 1 && x.strides[0] == x.sizes[1] &&
               (!k.has(2) || k.in(2).contiguous);
  if (!dense || count_use(w) < (rows > kFewRows ? 16 : 4)) return false;
  // The threads share the rows, in more pieces than threads where there are many; the packed weight serves all.
  const int64_t n = w.sizes[0], in = w.sizes[1], threads = in_parallel() ? 1 : num_threads();
  const int64_t parts = threads == 1 ? 1 : threads * std::clamp<int64_t>(rows / (kRows * threads), 1, 4);
  const int64_t wanted = std::clamp<int64_t>(std::min(2 * rows * n * in / kFlopsAThread, rows / kLeastRows),
                                             1, parts),
                piece = (rows + wanted - 1) / wanted, pieces = (rows + piece - 1) / piece;
  PackedLinear main{piece, n, in, k.has(2)}, last{rows - (pieces - 1) * piece, n, in, k.has(2)};
  DnnlCall& c = main.call(kPackedMatmul);
  if (!c.ready()) return false;
  int64_t bytes = c.note[1], format = c.note[2];
  if (last.m != piece) {
    DnnlCall& r = last.call(kPackedMatmul);
    if (!r.ready() || r.note[2] != format) return false;
  }
  if (!packed_weight_fits(w, uint64_t(format), bytes)) return false;
  PackedWeights packed(
      w, uint64_t(format), bytes,
      [&](void* to) {
        main.call(kPackMatrix).run({w.data, to});
      },
      w.data);
  const float* bias = k.data_or_null<float>(2);
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      DnnlCall& call = (i + 1 == pieces ? last : main).call(kPackedMatmul);
      const float* px = static_cast<const float*>(x.data) + i * piece * in;
      float* py = static_cast<float*>(y.data) + i * piece * n;
      if (bias)
        call.run({px, packed.data(), py, bias});
      else
        call.run({px, packed.data(), py});
    }
  });
  return true;
}

// x (*, in) is one matrix whenever its leading dimensions collapse; otherwise it is copied.
void k_linear(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &w = k.in(1);
  int64_t in = w.sizes[1], rows = in == 0 ? k.out().numel / std::max<int64_t>(w.sizes[0], 1) : x.numel / in;
  if (k.out().numel == 0) return;
  haft_tensor_view flat = x;
  HostBuffer copy;
  flat.ndim = 2;
  flat.sizes[0] = rows;
  flat.sizes[1] = in;
  bool two = x.ndim == 2;
  flat.strides[1] = two || x.ndim == 1 ? x.strides[x.ndim - 1] : 1;
  flat.strides[0] = two ? x.strides[0] : in;
  if (!x.contiguous && x.ndim > 2 && x.numel) {
    copy = HostBuffer(bytes(x));
    copy_dense(copy.data(), x);
    flat.data = copy.data();
    flat.contiguous = 1;
  }
  if (packed_linear(k, flat, rows)) return;
  Product p{&flat, &w};
  p.b_transposed = true;
  p.bias = k.has(2) ? &k.in(2) : nullptr;
  DenseOut out(k.out());
  product(p, k.out_dtype(), out.data());
  out.finish();
}

// The operators' kernels one behind the other.
void k_linear_weight_backward(const haft_kernel_call& c) {
  haft_tensor_view g = *c.in[0];
  std::swap(g.sizes[0], g.sizes[1]);
  std::swap(g.strides[0], g.strides[1]);
  g.contiguous = g.strides[1] == 1 && g.strides[0] == g.sizes[1];
  const haft_tensor_view *factors[] = {&g, c.in[1]}, *summed[] = {c.in[0]};
  const uint64_t words[] = {uint64_t(1) << 32 | 1, 0};  // the list of dimension 0
  haft_kernel_call call = c;
  call.n_out = 1;
  call.op = uint32_t(OpId::mm), call.in = factors, call.out = c.out, call.n_attrs = 0;
  k_mm(call);
  call.op = uint32_t(OpId::sum), call.n_in = 1, call.in = summed, call.out = c.out + 1;
  call.attrs = words, call.n_attrs = 2;
  k_sum(call);
}

}  // namespace haft::cpu
