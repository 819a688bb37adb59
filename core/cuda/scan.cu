// Running sums, products, extremes, log-sum-exp and first-order recurrences along one dimension. What an element does
// to those behind it is a state, states are joined in order. Rows along memory are scanned by a warp or a block, tile
// after tile; other lines by a thread each, its neighbours beside it. Few long lines are cut into parts: their totals
// come first, so they are read twice.
#include <algorithm>

#include "core/cuda/numbers.cuh"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

constexpr int kScanThreads = 256, kItems = 4;

// Elements of dense lines: element k of a line stands at first + k * step.
struct Line {
  int64_t first, step;
  __device__ int64_t at(int64_t k) const { return first + k * step; }
};
template <class C>
__device__ inline C read_element(const void* p, DType t, int64_t i) {
  if constexpr (fn::is_int<C>)
    return static_cast<const int64_t*>(p)[i];
  else
    return read_float<C>(p, t, i);
}

template <class C>
struct CarryOf {
  using type = C;
};
template <>
struct CarryOf<float> {
  using type = double;
};
// Running sums and products; floats carry a double.
template <class C, bool kProduct>
struct RunningOp {
  using State = typename CarryOf<C>::type;
  const void* x;
  void* y;
  DType in, out;
  __device__ State none() const { return State(kProduct ? 1 : 0); }
  __device__ State read(const Line& l, int64_t k, int64_t) const {
    return State(read_element<C>(x, in, l.at(k)));
  }
  __device__ State join(State a, State b) const { return kProduct ? fn::mul(a, b) : fn::add(a, b); }
  __device__ void write(const Line& l, int64_t k, int64_t, State s) const {
    write_number(y, out, l.at(k), C(s));
  }
};

template <class C>
struct Placed {
  C value;
  int64_t place;
};
// The largest so far, or with `least` the smallest, and the last place where it stood. NaN wins.
template <class C>
struct RunningExtremeOp {
  using State = Placed<C>;
  const void* x;
  void* values;
  int64_t* places;
  DType in, out;
  bool least;
  __device__ State none() const { return {C(0), -1}; }
  __device__ State read(const Line& l, int64_t k, int64_t) const {
    return {read_element<C>(x, in, l.at(k)), k};
  }
  __device__ State join(const State& a, const State& b) const {
    if (b.place < 0) return a;
    const bool later = a.place < 0 || b.value != b.value ||
                       (a.value == a.value && (least ? b.value <= a.value : b.value >= a.value));
    return later ? b : a;
  }
  __device__ void write(const Line& l, int64_t k, int64_t, const State& s) const {
    write_number(values, out, l.at(k), s.value);
    places[l.at(k)] = s.place;
  }
};

template <class C>
struct Scaled {
  C top, sum;  // sum * exp(top)
};
template <class C>
struct LogSumOp {
  using State = Scaled<C>;
  const void* x;
  void* y;
  DType in, out;
  __device__ State none() const { return {C(-fn::infinity()), C(0)}; }
  __device__ State read(const Line& l, int64_t k, int64_t) const {
    return {read_element<C>(x, in, l.at(k)), C(1)};
  }
  __device__ State join(const State& a, const State& b) const {
    if (a.top != a.top || a.top == b.top) return {a.top, a.sum + b.sum};
    if (b.top != b.top) return b;
    if (a.top > b.top) return {a.top, a.sum + b.sum * fn::exp(b.top - a.top)};
    return {b.top, b.sum + a.sum * fn::exp(a.top - b.top)};
  }
  __device__ void write(const Line& l, int64_t k, int64_t, const State& s) const {
    write_number(y, out, l.at(k), s.top + fn::log(s.sum));
  }
};

// What comes out for what came before: y = factor * before + sum.
struct Recurrence {
  double factor, sum;
};
template <class C>
struct LinearOp {
  using State = Recurrence;
  const void *x, *decay;
  void* y;
  DType in, out;
  bool reverse;
  __device__ State none() const { return {1, 0}; }
  __device__ int64_t place(int64_t k, int64_t n) const { return reverse ? n - 1 - k : k; }
  __device__ State read(const Line& l, int64_t k, int64_t n) const {
    const int64_t p = place(k, n);
    // The first element has nothing before it, and its decay says nothing.
    return {k == 0 ? 0.0 : double(read_element<C>(decay, in, l.at(reverse ? p + 1 : p))),
            double(read_element<C>(x, in, l.at(p)))};
  }
  __device__ State join(const State& a, const State& b) const {
    return {a.factor * b.factor, b.factor * a.sum + b.sum};
  }
  __device__ void write(const Line& l, int64_t k, int64_t n, const State& s) const {
    write_number(y, out, l.at(place(k, n)), C(s.sum));
  }
};

struct ScanArgs {
  int64_t lines, n, inner, chunk;
  int parts, threads;
  bool totals;   // write the states of parts alone
  void* states;  // [parts][lines]: totals, and later what comes before a part
};

template <class Op>
__global__ void __launch_bounds__(kScanThreads, 1) scan_rows(Op op, ScanArgs a) {
  using State = typename Op::State;
  __shared__ State shared[2][kScanThreads / kWarp];
  auto join = [&](const State& p, const State& q) { return op.join(p, q); };
  const int threads = a.threads, thread = int(threadIdx.x) % threads, lane = thread % kWarp,
            warp = thread / kWarp;
  const int rows = kScanThreads / threads, here = int(threadIdx.x) / threads;
  State* const states = static_cast<State*>(a.states) + int64_t(blockIdx.y) * a.lines;
  const int64_t begin = blockIdx.y * a.chunk, end = begin + a.chunk < a.n ? begin + a.chunk : a.n;
  int turn = 0;
  for (int64_t first = int64_t(blockIdx.x) * rows; first < a.lines; first += int64_t(gridDim.x) * rows) {
    const int64_t row = first + here;
    const bool valid = row < a.lines;
    const Line line{row * a.n, 1};
    State carry = op.none();
    if (!a.totals && a.parts > 1 && blockIdx.y > 0 && valid) carry = states[row];
    for (int64_t tile = begin; tile < end; tile += int64_t(threads) * kItems, turn ^= 1) {
      const int64_t k = tile + int64_t(thread) * kItems;
      State s[kItems];
#pragma unroll
      for (int j = 0; j < kItems; ++j) s[j] = valid && k + j < end ? op.read(line, k + j, a.n) : op.none();
#pragma unroll
      for (int j = 1; j < kItems; ++j) s[j] = join(s[j - 1], s[j]);
      State through = s[kItems - 1];  // of this warp up to this thread
#pragma unroll
      for (int step = 1; step < kWarp; step *= 2) {
        const State before = shuffle_up(through, step);
        if (lane >= step) through = join(before, through);
      }
      State before = shuffle_up(through, 1), total = carry;
      if (threads > kWarp) {
        if (lane == kWarp - 1) shared[turn][warp] = through;
        __syncthreads();
        State prefix = carry;
#pragma unroll 1
        for (int w = 0; w < threads / kWarp; ++w) {
          if (w == warp) prefix = total;
          total = join(total, shared[turn][w]);
        }
        before = lane > 0 ? join(prefix, before) : prefix;
      } else {
        before = lane > 0 ? join(carry, before) : carry;
        total = join(carry, from_lane(through, [](auto w) { return __shfl_sync(kAllLanes, w, kWarp - 1); }));
      }
      carry = total;
      if (a.totals || !valid) continue;
      const bool alone = tile == begin && thread == 0 && (blockIdx.y == 0 || a.parts == 1);
#pragma unroll
      for (int j = 0; j < kItems; ++j)
        if (k + j < end) op.write(line, k + j, a.n, alone ? s[j] : join(before, s[j]));
    }
    if (a.totals && valid && thread == 0) states[row] = carry;
    if (threads > kWarp) __syncthreads();
  }
}

template <class Op>
__global__ void __launch_bounds__(kScanThreads, 1) scan_lines(Op op, ScanArgs a) {
  using State = typename Op::State;
  State* const states = static_cast<State*>(a.states) + int64_t(blockIdx.y) * a.lines;
  const int64_t begin = blockIdx.y * a.chunk, end = begin + a.chunk < a.n ? begin + a.chunk : a.n;
  for (int64_t i = grid_index(); i < a.lines; i += grid_size()) {
    const Line line{i / a.inner * a.n * a.inner + i % a.inner, a.inner};
    State carry = op.none();
    bool any = !a.totals && a.parts > 1 && blockIdx.y > 0;
    if (any) carry = states[i];
    int64_t k = begin;
    for (; k + kItems <= end; k += kItems) {
      State s[kItems];
#pragma unroll
      for (int j = 0; j < kItems; ++j) s[j] = op.read(line, k + j, a.n);
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        carry = any ? op.join(carry, s[j]) : s[j];
        any = true;
        if (!a.totals) op.write(line, k + j, a.n, carry);
      }
    }
    for (; k < end; ++k) {
      const State s = op.read(line, k, a.n);
      carry = any ? op.join(carry, s) : s;
      any = true;
      if (!a.totals) op.write(line, k, a.n, carry);
    }
    if (a.totals) states[i] = carry;
  }
}

// Totals of parts to what comes before each.
template <class Op>
__global__ void __launch_bounds__(kScanThreads, 1) join_totals(Op op, ScanArgs a) {
  using State = typename Op::State;
  for (int64_t i = grid_index(); i < a.lines; i += grid_size()) {
    State* p = static_cast<State*>(a.states) + i;
    State carry = *p;
#pragma unroll 4
    for (int k = 1; k < a.parts; ++k) {
      const State own = p[k * a.lines];
      p[k * a.lines] = carry;
      carry = op.join(carry, own);
    }
  }
}

template <class Op>
void scan(const Call& c, const Op& op, const Around& around) {
  const int64_t lines = around.outer * around.inner, n = around.n, sms = multiprocessors(c.device());
  if (lines * n == 0) return;
  ScanArgs a{lines, n, around.inner, n, 1, kScanThreads, false, nullptr};
  Shape3 s;
  s.block.x = kScanThreads;
  const bool rows = around.inner == 1 && (n > 64 || lines < sms * 64);
  int64_t tile = 1, parts = 1;
  if (rows) {
    if (n <= 1024 && lines >= sms * 8) a.threads = kWarp;
    tile = a.threads * kItems;
    s.grid.x = uint32_t(std::min<int64_t>(blocks_of(lines, kScanThreads / a.threads), INT32_MAX));
    if (lines < sms * 4) parts = std::min(blocks_of(sms * 8, lines), n / (4 * tile));
  } else {
    s.grid.x = uint32_t(std::min<int64_t>(blocks_of(lines, kScanThreads), INT32_MAX));
    if (lines < sms * 512) parts = std::min(blocks_of(sms * 1024, lines), n / 64);
  }
  parts = std::clamp<int64_t>(parts, 1, 1024);
  a.chunk = round_up(blocks_of(n, parts), tile);
  a.parts = int(blocks_of(n, a.chunk));
  s.grid.y = uint32_t(a.parts);
  const auto kernel = rows ? scan_rows<Op> : scan_lines<Op>;
  if (a.parts > 1) {
    a.states = c.scratch<typename Op::State>(a.parts * lines);
    a.totals = true;
    launch(c, s, kernel, op, a);
    launch(c, blocks_for(c, lines), join_totals<Op>, op, a);
    a.totals = false;
  }
  launch(c, s, kernel, op, a);
}

Around around_of(const Call& c) {
  const haft_tensor_view& x = c.in(0);
  const int64_t dim = c.attrs.i(0);
  return x.ndim == 0 ? Around{} : around(x, dim < 0 ? dim + x.ndim : dim);
}
// Floats as they are, others as int64, dense.
haft_tensor_view scanned(const Call& c, int i) {
  return dense(c, c.in(i), is_float(c.dtype(i)) ? DType::none : DType::i64);
}

template <bool kProduct>
void running(const Call& c) {
  if (c.out().numel == 0) return;
  haft_tensor_view x = scanned(c, 0);
  if (is_float(DType(x.dtype)) != is_float(c.out_dtype()))
    x = dense(c, x, is_float(c.out_dtype()) ? computed_float(c.out_dtype()) : DType::i64);
  const bool aside = !c.out().contiguous;
  const haft_tensor_view y = aside ? scratch_view(c, sizes(c.out()), c.out_dtype()) : c.out();
  visit_compute(DType(x.dtype), [&]<class C>() {
    scan(c, RunningOp<C, kProduct>{x.data, y.data, DType(x.dtype), DType(y.dtype)}, around_of(c));
  });
  if (aside) copy_view(c, c.out(), y);
}
void running_extreme(const Call& c, bool least) {
  if (c.out(0).numel == 0) return;
  const haft_tensor_view x = scanned(c, 0);
  visit_compute(DType(x.dtype), [&]<class C>() {
    scan(c,
         RunningExtremeOp<C>{x.data, c.out(0).data, c.out_data<int64_t>(1), DType(x.dtype), c.out_dtype(0),
                             least},
         around_of(c));
  });
}

}  // namespace

void k_cumsum(const Call& c) { running<false>(c); }
void k_cumprod(const Call& c) { running<true>(c); }
void k_cummax(const Call& c) { running_extreme(c, false); }
void k_cummin(const Call& c) { running_extreme(c, true); }
void k_logcumsumexp(const Call& c) {
  const haft_tensor_view x = dense(c, c.in(0));
  visit_computed(c, c.dtype(), [&]<class C>() {
    scan(c, LogSumOp<C>{x.data, c.out().data, c.dtype(), c.out_dtype()}, around_of(c));
  });
}
// in: input, decay; attrs: dim, reverse
void k_linear_scan(const Call& c) {
  const haft_tensor_view x = dense(c, c.in(0)), decay = dense(c, c.in(1), c.dtype());
  visit_computed(c, c.dtype(), [&]<class C>() {
    scan(c, LinearOp<C>{x.data, decay.data, c.out().data, c.dtype(), c.out_dtype(), c.attrs.b(1)},
         around_of(c));
  });
}

}  // namespace haft::cuda
