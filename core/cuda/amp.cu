// Gradients of a whole model, many tensors a launch: divided by a scale that the device knows, multiplied, their norms,
// and the scale of the next step. Nothing is read on the host.
#include "core/cuda/tensor_lists.cuh"

namespace haft::cuda {

namespace {

constexpr int kGradients = tensors_a_launch<1>(256);
using Gradients = TensorLists<kGradients, 1>;

// Elements of T times `by`; answers whether one was infinite or NaN before.
template <class T>
__device__ bool scale_chunk(T* x, int64_t begin, int64_t end, bool aligned, double by_exact) {
  using C = Computed<T>;
  constexpr int kVec = int(16 / sizeof(T));
  const C by = C(by_exact);
  bool bad = false;
  auto one = [&](T& v) {
    const C f = C(load(v));
    bad |= !(f - f == C(0));
    store(&v, f * by);
  };
  int64_t i = begin;
  if (aligned) {
    const int64_t whole = begin + (end - begin) / kVec * kVec;
    for (i += int64_t(threadIdx.x) * kVec; i < whole; i += int64_t(kListThreads) * kVec) {
      auto v = *reinterpret_cast<Vector<T, kVec>*>(x + i);
#pragma unroll
      for (int j = 0; j < kVec; ++j) one(v.at[j]);
      *reinterpret_cast<Vector<T, kVec>*>(x + i) = v;
    }
    i = whole;
  }
  for (i += threadIdx.x; i < end; i += kListThreads) one(x[i]);
  return bad;
}

// Times the factor, or divided by it; found (or null) becomes 1 where an element is infinite or NaN.
struct Factor {
  const void* data;
  DType dtype;
  bool inverse;
};
__global__ void __launch_bounds__(kListThreads, 1)
    scale_lists(const Gradients lists, const Factor factor, float* found) {
  const int tensor = lists.tensor_of(blockIdx.x);
  const bool aligned = lists.aligned >> tensor & 1;
  int64_t begin, end;
  lists.chunk(blockIdx.x, tensor, &begin, &end);
  const double f = read_float<double>(factor.data, factor.dtype, 0), by = factor.inverse ? 1 / f : f;
  void* x = lists.data[0][tensor];
  bool bad;
  switch (lists.dtype(0, tensor)) {
    case DType::f64: bad = scale_chunk(static_cast<double*>(x), begin, end, aligned, by); break;
    case DType::f16: bad = scale_chunk(static_cast<half*>(x), begin, end, aligned, by); break;
    case DType::bf16: bad = scale_chunk(static_cast<bfloat16*>(x), begin, end, aligned, by); break;
    default: bad = scale_chunk(static_cast<float*>(x), begin, end, aligned, by); break;
  }
  if (bad && found) *found = 1.0f;  // whoever finds one writes the same
}

template <class T>
__device__ double squares_of_chunk(const T* x, int64_t begin, int64_t end, bool aligned) {
  using C = Computed<T>;
  constexpr int kVec = int(16 / sizeof(T));
  C sum = C(0);
  int64_t i = begin;
  if (aligned) {
    const int64_t whole = begin + (end - begin) / kVec * kVec;
#pragma unroll 4
    for (i += int64_t(threadIdx.x) * kVec; i < whole; i += int64_t(kListThreads) * kVec) {
      const auto v = *reinterpret_cast<const Vector<T, kVec>*>(x + i);
#pragma unroll
      for (int j = 0; j < kVec; ++j) sum += C(load(v.at[j])) * C(load(v.at[j]));
    }
    i = whole;
  }
  for (i += threadIdx.x; i < end; i += kListThreads) sum += C(load(x[i])) * C(load(x[i]));
  return double(sum);
}
// partial: of each block.
__global__ void __launch_bounds__(kListThreads, 1) square_lists(const Gradients lists, double* partial) {
  __shared__ double shared[kWarp];
  const int tensor = lists.tensor_of(blockIdx.x);
  const bool aligned = lists.aligned >> tensor & 1;
  int64_t begin, end;
  lists.chunk(blockIdx.x, tensor, &begin, &end);
  const void* x = lists.data[0][tensor];
  double sum;
  switch (lists.dtype(0, tensor)) {
    case DType::f64: sum = squares_of_chunk(static_cast<const double*>(x), begin, end, aligned); break;
    case DType::f16: sum = squares_of_chunk(static_cast<const half*>(x), begin, end, aligned); break;
    case DType::bf16: sum = squares_of_chunk(static_cast<const bfloat16*>(x), begin, end, aligned); break;
    default: sum = squares_of_chunk(static_cast<const float*>(x), begin, end, aligned); break;
  }
  sum = block_reduce(sum, 0.0, shared, Plus());
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
// A block a tensor: the sums of its chunks, in order. at: which of the results it is.
struct Numbered {
  int32_t at[kGradients];
};
__global__ void __launch_bounds__(kListThreads, 1)
    join_squares(const Gradients lists, const Numbered number, const double* partial, void* out, DType t) {
  __shared__ double shared[kWarp];
  const int tensor = int(blockIdx.x);
  const int64_t chunks = (lists.numel[tensor] + kListChunk - 1) / kListChunk;
  double sum = 0;
  for (int64_t k = threadIdx.x; k < chunks; k += kListThreads) sum += partial[lists.first[tensor] + k];
  sum = block_reduce(sum, 0.0, shared, Plus());
  if (threadIdx.x == 0) write_number(out, t, number.at[tensor], fn::sqrt(sum));
}

constexpr int kFoundALaunch = 256;
struct FoundPointers {
  const float* at[kFoundALaunch];
  int count;
};
__global__ void gather_found(const FoundPointers found, float* any) {
  const int i = int(threadIdx.x);
  if (i < found.count && *found.at[i] != 0.0f) *any = 1.0f;
}
__global__ void next_scale(float* scale, float* good, const float* any, double growth, double backoff,
                           float interval, const uint64_t* live) {
  if (live) {  // of a replay (haft_kernel_call.live)
    growth = __longlong_as_double((long long)(live[1]));
    backoff = __longlong_as_double((long long)(live[2]));
    interval = float(int64_t(live[3]));
  }
  float s = *scale, steps = *good;
  if (*any != 0.0f) {
    // Never so small that its reciprocal is infinite, or 0.
    constexpr float smallest = 1.17549435e-38f;
    const float backed = float(double(s) * backoff), bounded = backed > smallest ? backed : smallest;
    s = bounded < s ? bounded : s;
    steps = 0;
  } else if (steps + 1 >= interval) {
    // A scale beyond float32 would make every gradient infinite.
    const float grown = float(double(s) * growth);
    if (grown - grown == 0.0f) s = grown;
    steps = 0;
  } else {
    steps += 1;
  }
  *scale = s;
  *good = steps;
}

void scale_all(const Call& c, int64_t n, bool inverse, float* found) {
  const Factor factor{c.in(int(n)).data, c.dtype(int(n)), inverse};
  each_lists<Gradients>(
      c, n, [](DType) { return true; },
      [&](const Gradients& lists, const Shape3& s) { launch(c, s, scale_lists, lists, factor, found); });
}

}  // namespace

// in: n gradients, scale, found
void k_amp_unscale(const Call& c) {
  const int64_t n = c.attrs.i(0);
  float* found = static_cast<float*>(c.in(int(n + 1)).data);
  scale_all(c, n, true, found);
}
// in: n tensors, factor
void k_foreach_mul(const Call& c) { scale_all(c, c.attrs.i(0), false, nullptr); }
void k_foreach_norm(const Call& c) {
  if (c.n_in() == 0) return;
  c.zero(c.out().data, bytes(c.out()));  // those of tensors without elements
  std::vector<int32_t> there;
  for (int i = 0; i < c.n_in(); ++i)
    if (c.in(i).numel) there.push_back(i);
  size_t next = 0;
  each_lists<Gradients>(
      c, c.n_in(), [](DType) { return true; },
      [&](const Gradients& lists, const Shape3& s) {
        double* partial = c.scratch<double>(s.grid.x);
        launch(c, s, square_lists, lists, partial);
        Numbered number{};
        for (int i = 0; i < lists.count; ++i) number.at[i] = there[next++];
        Shape3 each = s;
        each.grid.x = uint32_t(lists.count);
        launch(c, each, join_squares, lists, number, static_cast<const double*>(partial), c.out().data,
               c.out_dtype(0));
      },
      false);
}

// in: scale, good steps, what was found by each; attrs: n, growth, backoff, interval
void k_amp_update(const Call& c) {
  float* any = c.scratch<float>(1);
  c.zero(any, sizeof(float));
  for (int i = 2; i < c.n_in();) {
    FoundPointers found{};
    for (; i < c.n_in() && found.count < kFoundALaunch; ++i) found.at[found.count++] = c.data<float>(i);
    Shape3 s;
    s.block.x = kFoundALaunch;
    launch(c, s, gather_found, found, any);
  }
  launch(c, Shape3{}, next_scale, static_cast<float*>(c.in(0).data), static_cast<float*>(c.in(1).data),
         static_cast<const float*>(any), c.attrs.d(1), c.attrs.d(2), float(c.attrs.i(3)), c.call.live);
}

}  // namespace haft::cuda
