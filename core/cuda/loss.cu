// Cross entropy of logits (N, C) against class indices (N), with class weights w and label smoothing e:
//   loss = -(1 - e) w[t] log p[t] - e / C sum_c w[c] log p[c]
// A row is a warp's or a block's, and is read once; the gradient reads and writes it once.
#include "core/cuda/loss.h"

#include "core/cuda/fault.cuh"
#include "core/cuda/reduce.h"
#include "core/cuda/rows.cuh"

namespace haft::cuda {

namespace {

constexpr int kLossThreads = 256;

// The class of each row, checked: -1 for a row that is ignored.
struct Targets {
  const void* data;
  bool wide;  // int64, else int32
  int64_t classes, ignored, first;
  Fault* fault;
  uint32_t op;
  __device__ int64_t at(int64_t row) const {
    const int64_t t = wide ? static_cast<const int64_t*>(data)[row] : static_cast<const int32_t*>(data)[row];
    if (t == ignored) return -1;
    return checked_index(fault, op, t, first + row, 1, classes, false);
  }
};

// A row as vectors of 16 bytes between single elements; single ones alone where the row beside it is not aligned alike.
template <class T>
struct RowReader {
  const T* x;
  int64_t n, head, vectors, tail;
  __device__ RowReader(const T* row, int64_t n, bool alike) : x(row), n(n) {
    constexpr int kVec = int(16 / sizeof(T));
    head = alike ? row_head<T>(row, n, row, row) : n;
    vectors = (n - head) / kVec;
    tail = head + vectors * kVec;
  }
};

template <class T, int kThreadsARow>
__global__ void __launch_bounds__(kLossThreads, 1)
    loss_rows(const T* x, const Computed<T>* weight, Targets targets, Computed<T>* loss,
              Computed<T>* row_weight, Computed<T>* lse, int64_t rows, int64_t n, double smoothing) {
  using C = Computed<T>;
  constexpr int kVec = int(16 / sizeof(T)), kRows = kLossThreads / kThreadsARow;
  using V = Vector<T, kVec>;
  __shared__ ExpSum<C> sums[kWarp];
  __shared__ Pair<C> pairs[kWarp];
  const int lane = int(threadIdx.x) % kThreadsARow;
  for (int64_t first = int64_t(blockIdx.x) * kRows; first < rows; first += int64_t(gridDim.x) * kRows) {
    const int64_t row = first + int(threadIdx.x) / kThreadsARow;
    const bool valid = row < rows;
    const RowReader<T> r(x + (valid ? row : 0) * n, valid ? n : 0, true);
    auto s = ExpSum<C>::none();
    for (int64_t i = lane; i < r.head; i += kThreadsARow) s.add(C(load(r.x[i])));
    for (int64_t i = r.tail + lane; i < r.n; i += kThreadsARow) s.add(C(load(r.x[i])));
    int64_t v = lane;
    for (; v + 3 * kThreadsARow < r.vectors; v += 4 * kThreadsARow) {
      V in[4];
#pragma unroll
      for (int u = 0; u < 4; ++u)
        in[u] = *reinterpret_cast<const V*>(r.x + r.head + (v + u * kThreadsARow) * kVec);
#pragma unroll
      for (int u = 0; u < 4; ++u) s.add_all(in[u], kVec);
    }
    for (; v < r.vectors; v += kThreadsARow)
      s.add_all(*reinterpret_cast<const V*>(r.x + r.head + v * kVec), kVec);
    s = group_join(s, kThreadsARow, sums, JoinExpSums<C>());
    const C sum = n ? s.sum + (s.top - s.top) : s.sum, log_sum = fn::log(sum);
    Pair<C> spread{C(0), C(0)};  // sums of w * (x - top) and of w
    if (smoothing != 0) {        // the row comes from the cache
      for (int64_t i = lane; i < r.n; i += kThreadsARow) {
        const C w = weight ? weight[i] : C(1);
        spread.a += w * (C(load(r.x[i])) - s.top);
        spread.b += w;
      }
      spread = group_join(spread, kThreadsARow, pairs, JoinPairs<C>());
    }
    if (lane == 0 && valid) {
      const int64_t t = targets.at(row);
      C here = C(0), w = C(0);
      if (t >= 0 && n) {
        w = weight ? weight[t] : C(1);
        here = C(1 - smoothing) * w * (log_sum - (C(load(r.x[t])) - s.top));
        if (smoothing != 0) here -= C(smoothing) / C(n) * (spread.a - spread.b * log_sum);
      }
      loss[row] = here;
      row_weight[row] = w;
      lse[row] = t < 0 ? s.shift() + fn::log(s.sum) : s.top + log_sum;
    }
    if (kThreadsARow > kWarp) __syncthreads();
  }
}

// dx may be x. T is the logits' type, Out the gradient's.
template <class T, class Out, int kThreadsARow>
__global__ void __launch_bounds__(kLossThreads, 1)
    loss_backward(const Computed<T>* grad, const T* x, const Computed<T>* weight,
                  const Computed<T>* weight_sum, Targets targets, const Computed<T>* lse, Out* dx,
                  int64_t rows, int64_t n, double smoothing) {
  using C = Computed<T>;
  constexpr int kVec = int(16 / sizeof(T)), kRows = kLossThreads / kThreadsARow;
  using V = Vector<T, kVec>;
  const int lane = int(threadIdx.x) % kThreadsARow;
  const C keep = C(1 - smoothing), spread = C(smoothing) / C(n);
  for (int64_t row = int64_t(blockIdx.x) * kRows + int(threadIdx.x) / kThreadsARow; row < rows;
       row += int64_t(gridDim.x) * kRows) {
    const int64_t t = targets.at(row);
    Out* to = dx + row * n;
    // 16 bytes of x are kVec elements of dx.
    constexpr uintptr_t kWhole = kVec * sizeof(Out);
    const uintptr_t of_x = (reinterpret_cast<uintptr_t>(x + row * n) & 15) / sizeof(T),
                    of_dx = (reinterpret_cast<uintptr_t>(to) & (kWhole - 1)) / sizeof(Out);
    const RowReader<T> r(x + row * n, n, of_x == of_dx);
    const C g = t < 0 ? C(0) : grad[row], one = keep * (weight && t >= 0 ? weight[t] : C(1));
    const C all = smoothing == 0 ? C(0)
                  : weight       ? weight_sum[0]
                                 : C(n),
            scale = g * (one + spread * all), u = g * spread, shift = lse[row];
    const bool smooths = u != C(0);
    auto slope = [&](T in, int64_t i, bool target) {
      C d = scale * fn::exp(C(load(in)) - shift);
      if (smooths) d -= u * (weight ? weight[i] : C(1));
      if (target) d -= g * one;
      Out out;
      store(&out, t < 0 ? C(0) : d);  // not g * 0: an ignored row stays 0 whatever the logits are
      return out;
    };
    auto whole = [&](int64_t v, const V& in) {
      const int64_t i = r.head + v * kVec;
      Vector<Out, kVec> out;
#pragma unroll
      for (int j = 0; j < kVec; ++j) out.at[j] = slope(in.at[j], i + j, false);
      if (uint64_t(t - i) < uint64_t(kVec)) {
#pragma unroll
        for (int j = 0; j < kVec; ++j)
          if (i + j == t) out.at[j] = slope(in.at[j], t, true);
      }
      store_whole(to + i, out);
    };
    auto at = [&](int64_t v) { return *reinterpret_cast<const V*>(r.x + r.head + v * kVec); };
    for (int64_t i = lane; i < r.head; i += kThreadsARow) to[i] = slope(r.x[i], i, i == t);
    for (int64_t i = r.tail + lane; i < n; i += kThreadsARow) to[i] = slope(r.x[i], i, i == t);
    int64_t v = lane;
    for (; v + 3 * kThreadsARow < r.vectors; v += 4 * kThreadsARow) {
      V in[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) in[k] = at(v + k * kThreadsARow);
#pragma unroll
      for (int k = 0; k < 4; ++k) whole(v + k * kThreadsARow, in[k]);
    }
    for (; v < r.vectors; v += kThreadsARow) whole(v, at(v));
  }
}

Targets targets_of(const Call& c, const haft_tensor_view& v, int64_t classes, int64_t ignored,
                   int64_t first) {
  const DType t = DType(v.dtype);
  if (t != DType::i64 && t != DType::i32) fail_dtype(c, t, "int64 or int32 for target");
  return {v.data, t == DType::i64, classes, ignored, first, fault_of(c.device()), c.call.op};
}
Shape3 loss_shape(int64_t rows, int threads) {
  Shape3 s;
  s.block.x = kLossThreads;
  s.grid.x = uint32_t(std::min<int64_t>(blocks_of(rows, kLossThreads / threads), INT32_MAX));
  return s;
}
constexpr int64_t kWarpColumns = 1024;  // up to so many a row is a warp's

template <class T>
void forward(const Call& c, const LossRows& r, void* loss, void* row_weight, void* lse) {
  using C = Computed<T>;
  const int threads = r.n <= kWarpColumns ? kWarp : kLossThreads;
  launch(c, loss_shape(r.rows, threads), threads == kWarp ? loss_rows<T, kWarp> : loss_rows<T, kLossThreads>,
         static_cast<const T*>(r.x), static_cast<const C*>(r.weight),
         targets_of(c, r.target, r.n, r.ignored, r.first), static_cast<C*>(loss), static_cast<C*>(row_weight),
         static_cast<C*>(lse), r.rows, r.n, r.smoothing);
}
template <class T, class Out>
void backward(const Call& c, const LossRows& r, const void* grad, const void* weight_sum, const void* lse,
              void* dx) {
  using C = Computed<T>;
  const int threads = r.n <= kWarpColumns ? kWarp : kLossThreads;
  launch(c, loss_shape(r.rows, threads),
         threads == kWarp ? loss_backward<T, Out, kWarp> : loss_backward<T, Out, kLossThreads>,
         static_cast<const C*>(grad), static_cast<const T*>(r.x), static_cast<const C*>(r.weight),
         static_cast<const C*>(weight_sum), targets_of(c, r.target, r.n, r.ignored, r.first),
         static_cast<const C*>(lse), static_cast<Out*>(dx), r.rows, r.n, r.smoothing);
}

}  // namespace

void loss_of_rows(const Call& c, const LossRows& r, void* loss, void* row_weight, void* lse) {
  if (r.rows) visit_float(c, r.dtype, [&]<class T>() { forward<T>(c, r, loss, row_weight, lse); });
}
void loss_gradient(const Call& c, const LossRows& r, const void* grad, const void* weight_sum,
                   const void* lse, void* dx, DType t) {
  if (r.rows == 0 || r.n == 0) return;
  if (t == r.dtype)
    return visit_float(c, t, [&]<class T>() { backward<T, T>(c, r, grad, weight_sum, lse, dx); });
  t == DType::f16 ? backward<float, half>(c, r, grad, weight_sum, lse, dx)
                  : backward<float, bfloat16>(c, r, grad, weight_sum, lse, dx);
}
const void* class_weights(const Call& c, int i, DType computed, const void** sum) {
  if (sum) *sum = nullptr;
  if (!c.has(i)) return nullptr;
  const haft_tensor_view w = dense(c, c.in(i), computed);
  if (sum) {
    const haft_tensor_view total = scratch_view(c, {}, computed);
    sum_over(c, w, {}, total);
    *sum = total.data;
  }
  return w.data;
}

// in: input, target, weight; out: loss, row_weight, lse
void k_cross_entropy_rows(const Call& c) {
  const haft_tensor_view& x = c.in(0);
  const void* weight = class_weights(c, 2, computed_float(c.dtype(0)), nullptr);
  loss_of_rows(c,
               {x.data, c.dtype(0), weight, c.in(1), c.in(1).numel, x.ndim ? x.sizes[x.ndim - 1] : 1,
                c.attrs.i(0), c.attrs.d(1), 0},
               c.out(0).data, c.out(1).data, c.out(2).data);
}
// in: grad, input, target, weight, lse
void k_cross_entropy_rows_backward(const Call& c) {
  const haft_tensor_view& x = c.in(1);
  const DType computed = computed_float(c.dtype(1));
  const void* weight_sum;
  const void* weight = class_weights(c, 3, computed, &weight_sum);
  const void *grad = dense(c, c.in(0), computed).data, *lse = dense(c, c.in(4), computed).data;
  loss_gradient(c,
                {x.data, c.dtype(1), weight, c.in(2), c.in(2).numel, x.ndim ? x.sizes[x.ndim - 1] : 1,
                 c.attrs.i(0), c.attrs.d(1), 0},
                grad, weight_sum, lse, c.out().data, c.dtype(1));
}

}  // namespace haft::cuda
