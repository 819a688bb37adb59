// sum, mean, prod, any, all, var, and sums that other operators are made of.
#include "core/cuda/reduce.h"

#include "core/cuda/reduce.cuh"

namespace haft::cuda {

// Whether `many` elements of 16 bytes can be read at once.
bool ReducePlan::vectors(int64_t item, int64_t many) const {
  if (n == 0) return false;
  const auto address = reinterpret_cast<uintptr_t>(x.data),
             other = y ? reinterpret_cast<uintptr_t>(y) : address;
  if (address % uint64_t(item) || (address - other) % 16) return false;
  const bool columns = strip >= 0 && n > 1;
  auto whole = [&](const ReducedDims& d, int but) {
    for (int i = 0; i < d.n; ++i)
      if (i != but && d.stride[i] % many) return false;
    return true;
  };
  if (columns)
    return kept.stride[strip] == 1 && kept.size[strip] % many == 0 && address % 16 == 0 &&
           whole(kept, strip) && whole(reduced, -1);
  const int last = reduced.n - 1;
  if (last < 0 || reduced.stride[last] != 1) return false;
  if (last == 0 && n >= 8 * many) return true;  // rows begin and end with single elements where they must
  return address % 16 == 0 && reduced.size[last] % many == 0 && whole(kept, -1) && whole(reduced, last);
}

// Into how many parts the reduced elements are cut, so that blocks fill the device and each has `least` of them.
int64_t ReducePlan::parts(const Call& c, int64_t blocks, int64_t least, int64_t each) const {
  const int64_t fill = int64_t(multiprocessors(c.device())) * each;
  if (blocks >= fill / 2) return 1;
  return std::clamp<int64_t>(std::min(fill / std::max<int64_t>(blocks, 1), n / least), 1, 65535);
}

namespace {

struct Target {
  void* data;
  DType dtype;
};
Target target(const haft_tensor_view& v) { return {v.data, DType(v.dtype)}; }

template <class C>
struct Elementwise {  // what is joined in the type of its elements
  using Number = C;
  using Acc = C;
  using Origin = Nothing;
  static constexpr int kInputs = 1;
  __device__ Nothing origin(int64_t) const { return {}; }
  __device__ Nothing step(int64_t) const { return {}; }
  __device__ void close(Acc&, int64_t) const {}
};
template <class C>
struct SumOp : Elementwise<C> {
  Target to;
  C divisor;        // 1: leave as it is
  const C* before;  // what it is added to, or null
  SumOp(Target to, double divisor, bool add = false)
      : to(to), divisor(C(divisor)), before(add ? static_cast<const C*>(to.data) : nullptr) {}
  __device__ C none() const { return C(0); }
  __device__ void add(C& a, C x, int64_t, Nothing, Nothing) const { a = fn::add(a, x); }
  __device__ C join(C a, C b) const { return fn::add(a, b); }
  __device__ void write(int64_t o, C a) const {
    if constexpr (!fn::is_int<C>) a = divisor == C(1) ? a : a / divisor;
    if (before) a = fn::add(before[o], a);
    write_number(to.data, to.dtype, o, a);
  }
};
template <class C>
struct ProdOp : Elementwise<C> {
  Target to;
  ProdOp(Target to, double) : to(to) {}
  __device__ C none() const { return C(1); }
  __device__ void add(C& a, C x, int64_t, Nothing, Nothing) const { a = fn::mul(a, x); }
  __device__ C join(C a, C b) const { return fn::mul(a, b); }
  __device__ void write(int64_t o, C a) const { write_number(to.data, to.dtype, o, a); }
};
// Whether one is not 0; with `all` whether none is 0.
template <class C>
struct TruthOp {
  using Number = C;
  using Acc = int32_t;
  using Origin = Nothing;
  static constexpr int kInputs = 1;
  bool* to;
  bool all;
  __device__ Nothing origin(int64_t) const { return {}; }
  __device__ Nothing step(int64_t) const { return {}; }
  __device__ void close(Acc&, int64_t) const {}
  __device__ Acc none() const { return 0; }
  __device__ void add(Acc& a, C x, int64_t, Nothing, Nothing) const { a |= int32_t((x != C(0)) != all); }
  __device__ Acc join(Acc a, Acc b) const { return a | b; }
  __device__ void write(int64_t o, Acc a) const { to[o] = (a != 0) != all; }
};

template <class C>
struct MomentsOp {
  using Number = C;
  using Acc = Moments<C>;
  using Origin = Nothing;
  static constexpr int kInputs = 1;
  Target variance;
  C* mean;
  C divisor;
  __device__ Nothing origin(int64_t) const { return {}; }
  __device__ C step(int64_t k) const { return C(1) / C(k); }
  __device__ Acc none() const { return Acc::none(); }
  __device__ void add(Acc& a, C x, int64_t, Nothing, C share) const { a.add(x, share); }
  __device__ void close(Acc& a, int64_t k) const { a.n = C(k); }
  __device__ Acc join(const Acc& a, const Acc& b) const { return a.joined(b); }
  __device__ void write(int64_t o, const Acc& a) const {
    if (variance.data) write_number(variance.data, variance.dtype, o, a.squares / divisor);
    if (mean) mean[o] = a.n == C(0) ? C(fn::not_a_number()) : a.mean;
  }
};

template <class C>
struct GradientSumsOp {
  using Number = C;
  using Acc = Pair<C>;
  using Origin = C;
  static constexpr int kInputs = 2;
  const C* mean;
  C *of_g, *of_gx;
  __device__ C origin(int64_t o) const { return mean[o]; }
  __device__ Nothing step(int64_t) const { return {}; }
  __device__ Acc none() const { return {C(0), C(0)}; }
  __device__ void add(Acc& a, C g, C x, int64_t, C m, Nothing) const {
    a.a += g;
    a.b += g * (x - m);
  }
  __device__ void close(Acc&, int64_t) const {}
  __device__ Acc join(const Acc& a, const Acc& b) const { return JoinPairs<C>()(a, b); }
  __device__ void write(int64_t o, const Acc& a) const { of_g[o] = a.a, of_gx[o] = a.b; }
};

// Sums and products compute in the type of the result; x is cast before where it is of another kind.
template <template <class> class Op>
void accumulate(const Call& c, const haft_tensor_view& input, std::span<const int64_t> dims,
                const haft_tensor_view& out, bool mean = false) {
  if (out.numel == 0) return;
  constexpr bool kSum = std::is_same_v<Op<float>, SumOp<float>>;
  const DType have = DType(input.dtype), want = DType(out.dtype);
  if (!is_float(want)) {
    const haft_tensor_view x = !kSum || is_float(have) ? dense(c, input, DType::i64) : input;
    const ReducePlan plan(x, dims);
    const Op<int64_t> op(target(out), 1);
    if constexpr (kSum)
      return visit_reduced_integer(DType(x.dtype),
                                   [&]<class T>() { reduce<T, std::is_same_v<T, uint8_t>>(c, plan, op); });
    return reduce<int64_t, false>(c, plan, op);
  }
  haft_tensor_view x = input;
  if (!is_float(have) || (want == DType::f64 && have != DType::f64))
    x = dense(c, input, want == DType::f64 ? DType::f64 : DType::f32);
  const ReducePlan plan(x, dims);
  visit_reduced(c, DType(x.dtype), [&]<class C, class T, bool kWide>() {
    reduce<T, kWide && kSum>(c, plan, Op<C>(target(out), mean ? double(plan.n) : 1));
  });
}

void truth(const Call& c, bool all) {
  if (c.out().numel == 0) return;
  bool* to = c.out_data<bool>();
  if (is_float(c.dtype())) {
    const ReducePlan plan(c.in(0), c.attrs.ints(0));
    return visit_reduced(c, c.dtype(), [&]<class C, class T, bool kWide>() {
      reduce<T, false>(c, plan, TruthOp<C>{to, all});
    });
  }
  const ReducePlan plan(c.in(0), c.attrs.ints(0));
  // Of 0 there is one form, whatever the sign.
  visit_reduced_integer(c.dtype() == DType::i8 ? DType::u8 : c.dtype(), [&]<class T>() {
    reduce<T, std::is_same_v<T, uint8_t>>(c, plan, TruthOp<int64_t>{to, all});
  });
}

void variance(const Call& c, const haft_tensor_view& x, std::span<const int64_t> dims, int64_t correction,
              Target to, void* mean) {
  const ReducePlan plan(x, dims);
  const double divisor = std::max(0.0, double(plan.n) - double(correction));
  visit_reduced(c, DType(x.dtype), [&]<class C, class T, bool kWide>() {
    reduce<T, kWide>(c, plan, MomentsOp<C>{to, static_cast<C*>(mean), C(divisor)});
  });
}

}  // namespace

void moments(const Call& c, const haft_tensor_view& x, std::span<const int64_t> dims, int64_t correction,
             void* mean, void* var) {
  variance(c, x, dims, correction, {var, DType(x.dtype) == DType::f64 ? DType::f64 : DType::f32}, mean);
}
void sum_over(const Call& c, const haft_tensor_view& x, std::span<const int64_t> dims,
              const haft_tensor_view& to, bool add) {
  if (!add) return accumulate<SumOp>(c, x, dims, to);
  if (to.numel == 0) return;
  const ReducePlan plan(x, dims);
  visit_reduced(c, DType(x.dtype), [&]<class C, class T, bool kWide>() {
    reduce<T, kWide>(c, plan, SumOp<C>(target(to), 1, true));
  });
}
void gradient_sums(const Call& c, const haft_tensor_view& g, const haft_tensor_view& x, const void* mean,
                   void* of_g, void* of_gx) {
  int64_t dims[HAFT_MAX_DIMS];
  int n = 0;
  for (int64_t d = 0; d < x.ndim; ++d)
    if (d != 1) dims[n++] = d;
  ReducePlan plan(g, {dims, size_t(n)});
  plan.y = x.data;
  visit_reduced(c, DType(x.dtype), [&]<class C, class T, bool kWide>() {
    reduce<T, kWide>(
        c, plan,
        GradientSumsOp<C>{static_cast<const C*>(mean), static_cast<C*>(of_g), static_cast<C*>(of_gx)});
  });
}

void k_sum(const Call& c) { accumulate<SumOp>(c, c.in(0), c.attrs.ints(0), c.out()); }
void k_mean(const Call& c) { accumulate<SumOp>(c, c.in(0), c.attrs.ints(0), c.out(), true); }
void k_prod(const Call& c) { accumulate<ProdOp>(c, c.in(0), c.attrs.ints(0), c.out()); }
void k_any(const Call& c) { truth(c, false); }
void k_all(const Call& c) { truth(c, true); }
void k_var(const Call& c) {
  if (c.out().numel) variance(c, c.in(0), c.attrs.ints(0), c.attrs.i(1), target(c.out()), nullptr);
}

}  // namespace haft::cuda
