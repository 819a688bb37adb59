// Batch norm and sums over channels of (N, C, *): row-major, or with the channels last. Statistics are one read
// (reduce.cu), what is done with them is one pass over memory in its own order, whose channels are those of a few
// numbers a channel.
#include <limits>

#include "core/cuda/numbers.cuh"
#include "core/cuda/reduce.h"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// Numbers of the channels, one array behind the other, each `stride` long: mean, scale, shift; for gradients the
// factor of g, too.
template <class C>
struct Channels {
  C* data;
  int64_t stride;
  __device__ C* row(int k) const { return data + k * stride; }
};
enum { kMean, kScale, kShift, kOfGradient, kCoefficients };

// Vectors of channels or floats that may be of any type, or absent.
struct Numbers {
  const void* data;
  DType dtype;
  template <class C>
  __device__ C at(int64_t i, C otherwise) const {
    return data ? read_float<C>(data, dtype, i) : otherwise;
  }
};
Numbers numbers(const Call& c, int i) {
  if (!c.has(i)) return {nullptr, DType::f32};
  return {dense(c, c.in(i)).data, c.dtype(i)};
}

template <class C>
__global__ void __launch_bounds__(kThreads)
    forward_numbers(Channels<C> to, Numbers weight, Numbers bias, Numbers mean, Numbers variance,
                    int64_t channels, double eps) {
  for (int64_t i = grid_index(); i < channels; i += grid_size()) {
    to.row(kMean)[i] = mean.at(i, C(0));
    to.row(kScale)[i] = C(double(weight.at(i, C(1))) / fn::sqrt(double(variance.at(i, C(1))) + eps));
    to.row(kShift)[i] = bias.at(i, C(0));
  }
}
// dx = g * of_gradient + ((x - mean) * scale + shift); of_g and of_gx are the sums of g and of g * (x - mean).
template <class C>
__global__ void __launch_bounds__(kThreads)
    backward_numbers(Channels<C> to, Numbers weight, Numbers mean, Numbers variance, const C* of_g,
                     const C* of_gx, void* dweight, void* dbias, DType t, int64_t channels, double n,
                     double eps) {
  for (int64_t i = grid_index(); i < channels; i += grid_size()) {
    const double g = double(of_g[i]), gx = double(of_gx[i]);
    const double inverse = 1 / fn::sqrt(double(variance.at(i, C(1))) + eps),
                 scale = double(weight.at(i, C(1))) * inverse;
    to.row(kMean)[i] = mean.at(i, C(0));
    to.row(kOfGradient)[i] = C(scale);
    to.row(kScale)[i] = C(-scale * inverse * inverse * gx / n);
    to.row(kShift)[i] = C(-scale * g / n);
    write_number(dweight, t, i, C(gx * inverse));
    write_number(dbias, t, i, C(g));
  }
}

// Memory as (count / inner) runs of one channel: inner is 1 where channels are last.
struct Order {
  int64_t count, channels;
  WideDivider inner, by_channels;
};
template <class T, int kVec, bool kGradient>
__global__ void __launch_bounds__(kThreads)
    apply_channels(const T* x, const T* g, T* y, Channels<Computed<T>> by, Order order) {
  using C = Computed<T>;
  using V = Vector<T, kVec>;
  const int64_t inner = int64_t(order.inner.divisor);
  const bool side_by_side = inner == 1 && order.channels % kVec == 0;
  for (int64_t v = grid_index(); v * kVec < order.count; v += grid_size()) {
    const int64_t i = v * kVec, run = int64_t(order.inner(uint64_t(i)));
    const int64_t rest = order.count - i;
    int64_t channel = run - int64_t(order.by_channels(uint64_t(run)) * order.by_channels.divisor),
            left = (run + 1) * inner - i;
    V in{}, grad{}, out;
    if (rest >= kVec) {
      in = *reinterpret_cast<const V*>(x + i);
      if constexpr (kGradient) grad = *reinterpret_cast<const V*>(g + i);
    } else {
#pragma unroll
      for (int j = 0; j < kVec; ++j)
        if (j < rest) {
          in.at[j] = x[i + j];
          if constexpr (kGradient) grad.at[j] = g[i + j];
        }
    }
    auto result = [&](int j, C mean, C scale, C shift, C of_gradient) {
      const C d = (C(load(in.at[j])) - mean) * scale + shift;
      if constexpr (kGradient)
        store(&out.at[j], C(load(grad.at[j])) * of_gradient + d);
      else
        store(&out.at[j], d);
    };
    if (side_by_side) {
      constexpr int kPart = int(16 / sizeof(C)) < kVec ? int(16 / sizeof(C)) : kVec;
      using P = Vector<C, kPart>;
#pragma unroll
      for (int j = 0; j < kVec; j += kPart) {
        P n[kCoefficients];
#pragma unroll
        for (int k = 0; k < (kGradient ? kCoefficients : kOfGradient); ++k)
          n[k] = *reinterpret_cast<const P*>(by.row(k) + channel + j);
#pragma unroll
        for (int l = 0; l < kPart; ++l)
          result(j + l, n[kMean].at[l], n[kScale].at[l], n[kShift].at[l],
                 kGradient ? n[kOfGradient].at[l] : C(0));
      }
    } else {
      C n[kCoefficients];
      bool fresh = true;
#pragma unroll
      for (int j = 0; j < kVec; ++j) {
        if (left == 0) {
          channel = channel + 1 == order.channels ? 0 : channel + 1;
          left = inner;
          fresh = true;
        }
        if (fresh) {
#pragma unroll
          for (int k = 0; k < (kGradient ? kCoefficients : kOfGradient); ++k) n[k] = by.row(k)[channel];
          fresh = false;
        }
        result(j, n[kMean], n[kScale], n[kShift], kGradient ? n[kOfGradient] : C(0));
        --left;
      }
    }
    if (rest >= kVec) {
      *reinterpret_cast<V*>(y + i) = out;
    } else {
#pragma unroll
      for (int j = 0; j < kVec; ++j)
        if (j < rest) y[i + j] = out.at[j];
    }
  }
}

bool same_strides(const haft_tensor_view& a, const haft_tensor_view& b) {
  if (a.contiguous && b.contiguous) return true;
  for (int d = 0; d < a.ndim; ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}
bool channels_last(const haft_tensor_view& v) {
  int64_t next = v.sizes[1];
  if (v.sizes[1] > 1 && v.strides[1] != 1) return false;
  for (int d = v.ndim - 1; d != 0; --d) {
    const int at = d == 1 ? 0 : d;
    if (v.sizes[at] > 1 && v.strides[at] != next) return false;
    next *= v.sizes[at];
  }
  return true;
}
// v in the memory order of `model`, which is dense.
haft_tensor_view like(const Call& c, const haft_tensor_view& v, const haft_tensor_view& model) {
  if (same_strides(v, model)) return v;
  haft_tensor_view copy = model;
  copy.dtype = v.dtype;
  copy.data = c.scratch_bytes(bytes(v));
  copy_view(c, copy, v);
  return copy;
}

// y, or a dense view to compute it in.
struct Result {
  haft_tensor_view memory;
  bool last, aside;
  Result(const Call& c, const haft_tensor_view& y)
      : memory(y), last(!y.contiguous && channels_last(y)), aside(!y.contiguous && !last) {
    if (aside) memory = scratch_view(c, sizes(y), DType(y.dtype));
  }
};
Order order_of(const haft_tensor_view& x, bool last) {
  const int64_t channels = x.sizes[1];
  return {x.numel, channels, WideDivider(last ? 1 : x.numel / (x.sizes[0] * channels)),
          WideDivider(channels)};
}

template <class T, bool kGradient>
void apply(const Call& c, const haft_tensor_view& x, const haft_tensor_view* g, const haft_tensor_view& y,
           bool last, Channels<Computed<T>> by) {
  constexpr int kVec = int(16 / sizeof(T));
  const T *from = static_cast<const T*>(x.data), *grad = g ? static_cast<const T*>(g->data) : nullptr;
  T* to = static_cast<T*>(y.data);
  const bool aligned = ((reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(grad) |
                         reinterpret_cast<uintptr_t>(to)) &
                        15) == 0;
  launch(c, blocks_for(c, x.numel, aligned ? kVec : 1),
         aligned ? apply_channels<T, kVec, kGradient> : apply_channels<T, 1, kGradient>, from, grad, to, by,
         order_of(x, last));
}
template <class C>
Channels<C> channels_of(const Call& c, int64_t channels) {
  const int64_t stride = round_up(channels, 32);
  return {c.scratch<C>(kCoefficients * stride), stride};
}

template <class T>
void normalise(const Call& c, const Numbers& mean, const Numbers& variance, double eps) {
  using C = Computed<T>;
  const int64_t channels = c.in(0).sizes[1];
  const Result y(c, c.out(0));
  const haft_tensor_view x = like(c, c.in(0), y.memory);
  const Channels<C> by = channels_of<C>(c, channels);
  launch(c, blocks_for(c, channels), forward_numbers<C>, by, numbers(c, 1), numbers(c, 2), mean, variance,
         channels, eps);
  apply<T, false>(c, x, nullptr, y.memory, y.last, by);
  if (y.aside) copy_view(c, c.out(0), y.memory);
}

template <class C>
__global__ void fill_numbers(C* a, C* b, int64_t n, C value) {
  for (int64_t i = grid_index(); i < n; i += grid_size()) a[i] = b[i] = value;
}

// Running statistics, of any stride, or absent.
struct Running {
  void* data;
  DType dtype;
  int64_t stride;
  Numbers batch;
  double scale;
};
Running running(const Call& c, int i, double scale) {
  if (!c.has(i)) return {};
  return {c.in(i).data, c.dtype(i), c.in(i).strides[0], numbers(c, i + 2), scale};
}
__global__ void __launch_bounds__(kThreads)
    move_running(Running mean, Running variance, int64_t channels, double keep) {
  for (int64_t i = grid_index(); i < channels; i += grid_size()) {
    auto move = [&](const Running& r) {
      if (!r.data) return;
      const int64_t at = i * r.stride;
      write_number(r.data, r.dtype, at,
                   keep * read_float<double>(r.data, r.dtype, at) + r.scale * r.batch.at(i, 0.0));
    };
    move(mean);
    move(variance);
  }
}

}  // namespace

// in: running mean and variance, those of the batch
void k_batch_norm_update(const Call& c) {
  const double momentum = c.attrs.d(1);
  const int64_t channels = c.in(c.has(0) ? 0 : 1).numel;
  if (channels)
    launch(c, blocks_for(c, channels), move_running, running(c, 0, momentum),
           running(c, 1, momentum * c.attrs.d(2)), channels, 1 - momentum);
}
// in: input, weight, bias; out: out, mean, var
void k_batch_norm_stats(const Call& c) {
  const haft_tensor_view& x = c.in(0);
  visit_float(c, c.dtype(0), [&]<class T>() {
    using C = Computed<T>;
    C *mean = c.out_data<C>(1), *variance = c.out_data<C>(2);
    if (x.numel == 0) {
      if (x.sizes[1])
        launch(c, blocks_for(c, x.sizes[1]), fill_numbers<C>, mean, variance, x.sizes[1],
               std::numeric_limits<C>::quiet_NaN());
      return;
    }
    int64_t dims[HAFT_MAX_DIMS];
    int n = 0;
    for (int64_t d = 0; d < x.ndim; ++d)
      if (d != 1) dims[n++] = d;
    moments(c, x, {dims, size_t(n)}, 0, mean, variance);
    normalise<T>(c, {mean, kStored<C>}, {variance, kStored<C>}, c.attrs.d(0));
  });
}
// in: input, weight, bias, mean, var
void k_batch_norm_apply(const Call& c) {
  if (c.in(0).numel == 0) return;
  visit_float(c, c.dtype(0), [&]<class T>() { normalise<T>(c, numbers(c, 3), numbers(c, 4), c.attrs.d(0)); });
}
// in: grad, input, weight, mean, var; out: dx, dweight, dbias
void k_batch_norm_backward(const Call& c) {
  const haft_tensor_view& x = c.in(1);
  const int64_t channels = x.sizes[1];
  if (x.numel == 0) {
    for (int k = 1; k <= 2; ++k) c.zero(c.out(k).data, bytes(c.out(k)));
    return;
  }
  visit_float(c, c.dtype(1), [&]<class T>() {
    using C = Computed<T>;
    const Result dx(c, c.out(0));
    const haft_tensor_view in = like(c, x, dx.memory);
    haft_tensor_view g = c.in(0);
    if (DType(g.dtype) != kStored<T>) g = dense(c, g, kStored<T>);
    g = like(c, g, dx.memory);
    const C* mean = static_cast<const C*>(dense(c, c.in(3), kStored<C>).data);
    C *of_g = c.scratch<C>(channels), *of_gx = c.scratch<C>(channels);
    gradient_sums(c, g, in, mean, of_g, of_gx);
    const Channels<C> by = channels_of<C>(c, channels);
    launch(c, blocks_for(c, channels), backward_numbers<C>, by, numbers(c, 2), Numbers{mean, kStored<C>},
           numbers(c, 4), static_cast<const C*>(of_g), static_cast<const C*>(of_gx), c.out(1).data,
           c.out(2).data, c.out_dtype(1), channels, double(x.numel / channels), c.attrs.d(0));
    apply<T, true>(c, in, &g, dx.memory, dx.last, by);
    if (dx.aside) copy_view(c, c.out(0), dx.memory);
  });
}

void k_channel_sum(const Call& c) {
  if (c.out().numel == 0) return;
  const int64_t dims[] = {0, 2, 3};
  sum_over(c, c.in(0), dims, c.out());
}

}  // namespace haft::cuda
