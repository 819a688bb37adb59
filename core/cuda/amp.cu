// Scaled gradients: all tensors divided by a scale that the device knows, and the scale of the next step. Nothing is
// read on the host.
#include "core/cuda/tensor_lists.cuh"

namespace haft::cuda {

namespace {

constexpr int kUnscaled = tensors_a_launch<1>(32);
using Gradients = TensorLists<kUnscaled, 1>;

// Elements of T times `by`; answers whether one was infinite or NaN before.
template <class T>
__device__ bool unscale_chunk(T* x, int64_t begin, int64_t end, bool aligned, double by_exact) {
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

__global__ void __launch_bounds__(kListThreads, 1)
    unscale_lists(const Gradients lists, const float* scale, float* found) {
  const int tensor = lists.tensor_of(blockIdx.x);
  const bool aligned = lists.aligned >> tensor & 1;
  int64_t begin, end;
  lists.chunk(blockIdx.x, tensor, &begin, &end);
  const double by = 1 / double(*scale);
  void* x = lists.data[0][tensor];
  bool bad;
  switch (lists.dtype(0, tensor)) {
    case DType::f64: bad = unscale_chunk(static_cast<double*>(x), begin, end, aligned, by); break;
    case DType::f16: bad = unscale_chunk(static_cast<half*>(x), begin, end, aligned, by); break;
    case DType::bf16: bad = unscale_chunk(static_cast<bfloat16*>(x), begin, end, aligned, by); break;
    default: bad = unscale_chunk(static_cast<float*>(x), begin, end, aligned, by); break;
  }
  if (bad) *found = 1.0f;  // whoever finds one writes the same
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

}  // namespace

// in: n gradients, scale, found
void k_amp_unscale(const Call& c) {
  const int64_t n = c.attrs.i(0);
  const float* scale = c.data<float>(int(n));
  float* found = static_cast<float*>(c.in(int(n + 1)).data);
  each_lists<Gradients>(
      c, n, [](DType) { return true; },
      [&](const Gradients& lists, const Shape3& s) { launch(c, s, unscale_lists, lists, scale, found); });
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
