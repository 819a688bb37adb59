// Extremes, and the indices where they stand first: amax, amin, max_dim, min_dim, argmax, argmin. NaN counts as the
// extreme. The least is the largest of -x, or of ~x for integers.
#include "core/cuda/reduce.cuh"

namespace haft::cuda {

namespace {

template <class C>
__device__ inline C flipped(C x, bool flip) {
  if constexpr (fn::is_int<C>)
    return flip ? ~x : x;
  else
    return flip ? -x : x;
}
template <class C>
__device__ inline C lowest() {
  if constexpr (fn::is_int<C>)
    return C(-9223372036854775807ll - 1);
  else
    return C(-fn::infinity());
}

template <class C>
struct ExtremeOp {
  using Number = C;
  using Acc = C;
  using Origin = Nothing;
  static constexpr int kInputs = 1;
  void* to;
  DType dtype;
  bool least;
  __device__ Nothing origin(int64_t) const { return {}; }
  __device__ Nothing step(int64_t) const { return {}; }
  __device__ void close(Acc&, int64_t) const {}
  __device__ C none() const { return lowest<C>(); }
  __device__ C join(C a, C b) const { return Largest()(a, b); }
  __device__ void add(C& a, C x, int64_t, Nothing, Nothing) const { a = join(a, flipped(x, least)); }
  __device__ void write(int64_t o, C a) const { write_number(to, dtype, o, flipped(a, least)); }
};

template <class C>
struct Found {
  C value;
  int64_t at;
};
template <class C>
struct ExtremeAtOp {
  using Number = C;
  using Acc = Found<C>;
  using Origin = Nothing;
  static constexpr int kInputs = 1;
  static constexpr int64_t kNowhere = 9223372036854775807ll;
  void* values;  // may be null
  DType dtype;
  int64_t* places;
  bool least;
  __device__ Nothing origin(int64_t) const { return {}; }
  __device__ Nothing step(int64_t) const { return {}; }
  __device__ void close(Acc&, int64_t) const {}
  __device__ Acc none() const { return {lowest<C>(), kNowhere}; }
  __device__ static bool beats(C a, C b) { return a > b || (a != a && b == b); }
  __device__ void add(Acc& a, C x, int64_t i, Nothing, Nothing) const {
    x = flipped(x, least);
    const bool better = beats(x, a.value);
    a.value = better ? x : a.value;
    a.at = better ? i : a.at;
  }
  __device__ Acc join(const Acc& a, const Acc& b) const {
    if (beats(a.value, b.value)) return a;
    if (beats(b.value, a.value)) return b;
    return a.at <= b.at ? a : b;
  }
  __device__ void write(int64_t o, const Acc& a) const {
    if (values) write_number(values, dtype, o, flipped(a.value, least));
    places[o] = a.at == kNowhere ? 0 : a.at;  // all are the lowest that there is
  }
};

template <class F>
void visit_extreme(const Call& c, DType t, F&& f) {
  if (is_float(t)) return visit_reduced(c, t, std::forward<F>(f));
  visit_reduced_integer(t, [&]<class T>() { f.template operator()<int64_t, T, false>(); });
}

void extreme(const Call& c, bool least) {
  if (c.out().numel == 0) return;
  const haft_tensor_view& x = c.in(0);
  const ReducePlan plan(x, c.attrs.ints(0));
  visit_extreme(c, DType(x.dtype), [&]<class C, class T, bool kWide>() {
    reduce<T, kWide>(c, plan, ExtremeOp<C>{c.out().data, c.out_dtype(), least});
  });
}
void extreme_at(const Call& c, const haft_tensor_view* values, const haft_tensor_view& places, bool least) {
  if (places.numel == 0) return;
  const int64_t dim = c.attrs.i(0);
  haft_tensor_view x = c.in(0);
  std::span<const int64_t> dims;  // none: all, as one in row-major order
  if (dim != kNone && x.ndim > 0)
    dims = {&dim, 1};
  else
    x = dense(c, x);
  const ReducePlan plan(x, dims);
  visit_extreme(c, DType(x.dtype), [&]<class C, class T, bool kWide>() {
    reduce<T, kWide>(c, plan,
                     ExtremeAtOp<C>{values ? values->data : nullptr, c.dtype(),
                                    static_cast<int64_t*>(places.data), least});
  });
}

}  // namespace

void k_amax(const Call& c) { extreme(c, false); }
void k_amin(const Call& c) { extreme(c, true); }
void k_max_dim(const Call& c) { extreme_at(c, &c.out(0), c.out(1), false); }
void k_min_dim(const Call& c) { extreme_at(c, &c.out(0), c.out(1), true); }
void k_argmax(const Call& c) { extreme_at(c, nullptr, c.out(), false); }
void k_argmin(const Call& c) { extreme_at(c, nullptr, c.out(), true); }

}  // namespace haft::cuda
