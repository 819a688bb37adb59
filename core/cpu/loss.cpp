// Cross entropy of logits (N, C) against class indices (N), with class weights w and label smoothing e:
//   loss = -(1 - e) w[t] log p[t] - e / C sum_c w[c] log p[c]
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/cpu/loss.cpp"
#include "core/cpu/foreach_target.h"

#include <cmath>
#include <limits>

#include "core/cpu/rows.h"
#include "core/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace haft::cpu::HWY_NAMESPACE {

// Per row of x (rows, n): top = max x, total = sum exp(x - top), and with `smooth` dot = sum weight * (x - top).
template <class T>
void exp_sum_rows(const T* x, const T* weight, T* top, T* total, T* dot, int64_t rows, int64_t n,
                  bool smooth) {
  using V = Lanes<T>;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  for (int64_t r = 0; r < rows; ++r, x += n) {
    V high(lowest);
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR { high = max(high, V::load(x + i, part, lowest)); });
    top[r] = high.top();
    const V shift(top[r]);
    V sum(0), weighted(0);
    sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
      sum = sum + exp_normal(V::load(x + i, part, lowest) - shift);
      if (smooth) {
        const V c = V::load(x + i, part, top[r]) - shift;
        weighted = weighted + (weight ? c * V::load(weight + i, part, T(0)) : c);
      }
    });
    total[r] = sum.sum();
    dot[r] = weighted.sum();
  }
}

// dx = p_scale * exp(x - lse) - u * weight for one row; without weights those are 1.
template <class T>
void gradient_row(const T* x, const T* weight, T lse, T p_scale, T u, T* dx, int64_t n) {
  using V = Lanes<T>;
  const V shift(lse), scale(p_scale), uv(u);
  sweep<T>(n, [&](int64_t i, auto part) HWY_ATTR {
    V v = scale * exp_normal(V::load(x + i, part, T(0)) - shift);
    if (u != 0) v = weight ? v - uv * V::load(weight + i, part, T(0)) : v - uv;
    v.store(dx + i, part);
  });
}

void exp_sum_f32(const float* x, const float* weight, float* top, float* total, float* dot, int64_t rows,
                 int64_t n, bool smooth) {
  exp_sum_rows(x, weight, top, total, dot, rows, n, smooth);
}
void exp_sum_f64(const double* x, const double* weight, double* top, double* total, double* dot, int64_t rows,
                 int64_t n, bool smooth) {
  exp_sum_rows(x, weight, top, total, dot, rows, n, smooth);
}
void gradient_f32(const float* x, const float* weight, float lse, float p_scale, float u, float* dx,
                  int64_t n) {
  gradient_row(x, weight, lse, p_scale, u, dx, n);
}
void gradient_f64(const double* x, const double* weight, double lse, double p_scale, double u, double* dx,
                  int64_t n) {
  gradient_row(x, weight, lse, p_scale, u, dx, n);
}

}  // namespace haft::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/cpu/kernel.h"
#include "core/cpu/matmul.h"

namespace haft::cpu {
HWY_EXPORT(exp_sum_f32);
HWY_EXPORT(exp_sum_f64);
HWY_EXPORT(gradient_f32);
HWY_EXPORT(gradient_f64);

namespace {

// The class of each row, checked: -1 for a row that is ignored.
class Targets {
  const haft_tensor_view& view_;
  int64_t classes_, ignore_;

 public:
  Targets(const haft_tensor_view& v, int64_t classes, int64_t ignore)
      : view_(v), classes_(classes), ignore_(ignore) {
    if (dtype_of(v) != DType::i64 && dtype_of(v) != DType::i32)
      fail(Code::dtype, concat("target must be int64 or int32, got ", dtype_name(dtype_of(v))),
           "class indices are integers; convert with cast");
  }
  int64_t at(int64_t row) const {
    const int64_t t = dtype_of(view_) == DType::i64 ? static_cast<const int64_t*>(view_.data)[row]
                                                    : static_cast<const int32_t*>(view_.data)[row];
    if (t == ignore_) return -1;
    if (t < 0 || t >= classes_)
      fail(Code::index, concat("target[", row, "] is ", t, ", but x has ", classes_, " classes"),
           concat("targets are 0 to ", classes_ - 1, ", or ignore_index = ", ignore_));
    return t;
  }
};

template <class C>
C sum_of_weights(const C* weight, int64_t classes) {
  if (!weight) return C(classes);
  double sum = 0;
  for (int64_t i = 0; i < classes; ++i) sum += double(weight[i]);
  return C(sum);
}

// (N, C) whatever the rank: C is the last size, which may be 0.
haft_tensor_view as_matrix(const haft_tensor_view& v, int64_t rows) {
  haft_tensor_view m = v;
  m.ndim = 2;
  m.sizes[0] = rows;
  m.sizes[1] = v.ndim ? v.sizes[v.ndim - 1] : 1;
  m.strides[0] = m.sizes[1];
  m.strides[1] = 1;
  return m;
}

template <class C, class Kernel>
void forward(const haft_kernel_call& c, Kernel kernel) {
  const AttrReader attrs{c.attrs};
  const int64_t ignore = attrs.i(0), rows = c.in[1]->numel;
  const haft_tensor_view x = as_matrix(*c.in[0], rows);
  const int64_t n = x.sizes[1];
  const double smoothing = attrs.d(1);
  const Targets targets(*c.in[1], n, ignore);
  HostBuffer keep_weight;
  const C* weight = as_compute<C>(c.in[2], keep_weight);
  const C weight_sum = sum_of_weights(weight, n);
  constexpr int64_t kBlock = 16;
  struct Results {
    C loss[kBlock], weight[kBlock], log_sum[kBlock];
  };
  auto finish = [&](Results& to, int64_t j, int64_t t, const C* row, C top, C total, C dot) {
    const C log_sum = std::log(total);
    to.loss[j] = to.weight[j] = 0;
    to.log_sum[j] = top + log_sum;
    if (t < 0) {
      // A loss of infinite logits is NaN; the logarithm of their sum is one of them, or a NaN beside it.
      if (std::isinf(top)) {
        for (int64_t i = 0; i < n; ++i)
          if (row[i] != row[i]) top = row[i];
        to.log_sum[j] = top;
      }
      return;
    }
    to.weight[j] = weight ? weight[t] : C(1);
    to.loss[j] = C(1 - smoothing) * to.weight[j] * (log_sum - (row[t] - top));
    if (smoothing != 0) to.loss[j] -= C(smoothing) / C(n) * (dot - weight_sum * log_sum);
  };
  const bool direct = dtype_of(x) == DTypeOf<C>::value;
  parallel_for(
      rows, std::max<int64_t>(1, kRowGrain / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
        HostBuffer scratch;
        if (!direct) scratch = HostBuffer(kBlock * n * int64_t(sizeof(C)));
        C top[kBlock] = {}, total[kBlock] = {}, dot[kBlock] = {};
        Results results;
        for (int64_t r = begin; r < end; r += kBlock) {
          const int64_t count = std::min(kBlock, end - r), at = r * n;
          const C* src = static_cast<const C*>(x.data) + at;
          if (!direct) {
            load_rows(x, &at, 1, count * n, 1, scratch.as<C>());
            src = scratch.as<C>();
          }
          if (n) kernel(src, weight, top, total, dot, count, n, smoothing != 0);  // 0: all rows are ignored
          for (int64_t j = 0; j < count; ++j) {
            const int64_t t = targets.at(r + j);
            finish(results, j, t, src + j * n, top[j], total[j], dot[j]);
          }
          store_rows(results.loss, *c.out[0], &r, 1, count, 1);
          store_rows(results.weight, *c.out[1], &r, 1, count, 1);
          store_rows(results.log_sum, *c.out[2], &r, 1, count, 1);
        }
      });
}

template <class C, class Kernel>
void backward(const haft_kernel_call& c, Kernel kernel) {
  const AttrReader attrs{c.attrs};
  const int64_t ignore = attrs.i(0), rows = c.in[2]->numel;
  const double smoothing = attrs.d(1);
  const haft_tensor_view x = as_matrix(*c.in[1], rows), dx = as_matrix(*c.out[0], rows);
  const int64_t n = x.sizes[1];
  const Targets targets(*c.in[2], n, ignore);
  HostBuffer keep_grad, keep_weight, keep_lse;
  const C* grad = as_compute<C>(c.in[0], keep_grad);
  const C* weight = as_compute<C>(c.in[3], keep_weight);
  const C* lse = as_compute<C>(c.in[4], keep_lse);
  const C keep = C(1 - smoothing), spread = n ? C(smoothing) / C(n) : C(0);
  const C weight_sum = sum_of_weights(weight, n);
  for_rows<C>({&x}, dx, 1, [&](const C* const* in, C* out, int64_t first, int64_t count, int64_t) {
    for (int64_t j = 0; j < count; ++j) {
      const int64_t row = first + j, t = targets.at(row);
      if (t < 0) {  // not grad * 0: an ignored row stays 0 whatever grad holds
        std::fill_n(out + j * n, n, C(0));
        continue;
      }
      const C g = grad[row], one = keep * (weight ? weight[t] : C(1));
      kernel(in[0] + j * n, weight, lse[row], g * (one + spread * weight_sum), g * spread, out + j * n, n);
      out[j * n + t] -= g * one;
    }
  });
}

// Logits of a linear layer, a few rows at a time: at most kLogits of them, or 16 rows.
constexpr int64_t kLogits = int64_t(4) << 20;

template <class C>
struct Head {
  const haft_tensor_view &x, &w, &target;
  int64_t rows, depth, classes, block;
  HostBuffer keep_x, keep_w, keep_bias, keep_weight, memory;
  const C *in, *matrix, *bias, *weight;
  C* logits;

  Head(const haft_tensor_view* xv, const haft_tensor_view* wv, const haft_tensor_view* tv,
       const haft_tensor_view* bv, const haft_tensor_view* cv)
      : x(*xv),
        w(*wv),
        target(*tv),
        rows(x.sizes[0]),
        depth(x.sizes[1]),
        classes(w.sizes[0]),
        block(std::min(rows, std::max<int64_t>(16, kLogits / std::max<int64_t>(1, classes)))),
        memory(std::max<int64_t>(1, block * classes) * int64_t(sizeof(C))) {
    in = as_compute<C>(&x, keep_x);
    matrix = as_compute<C>(&w, keep_w);
    bias = as_compute<C>(bv, keep_bias);
    weight = as_compute<C>(cv, keep_weight);
    logits = memory.as<C>();
  }
  // Those of `count` rows from `first` on.
  void compute(int64_t first, int64_t count) {
    Gemm<C> g{.m = count,
              .n = classes,
              .k = depth,
              .a = in + first * depth,
              .a_row = depth,
              .a_col = 1,
              .b = matrix,
              .b_row = 1,
              .b_col = depth,
              .c = logits,
              .ldc = classes};
    if (bias) g.bias = bias, g.bias_row = 0, g.bias_col = 1;
    gemm(g);
  }
};

template <class C>
haft_tensor_view rows_of(C* data, int64_t rows, int64_t n) {
  haft_tensor_view v{};
  v.data = data;
  v.dtype = int32_t(DTypeOf<C>::value);
  v.ndim = 2;
  v.sizes[0] = rows, v.sizes[1] = n;
  v.strides[0] = n, v.strides[1] = 1;
  v.numel = rows * n;
  v.contiguous = 1;
  return v;
}

// A vector of the caller's from `first` on.
haft_tensor_view tail(const haft_tensor_view& v, int64_t first, int64_t count) {
  haft_tensor_view out = v;
  out.data = static_cast<char*>(v.data) + first * item_size(dtype_of(v));
  out.ndim = 1;
  out.sizes[0] = out.numel = count;
  out.strides[0] = 1;
  return out;
}

// in: input, linear_weight, target, linear_bias, weight. The rows' losses are those of cross_entropy_rows.
template <class C, class Kernel>
void head_forward(const haft_kernel_call& c, Kernel kernel) {
  Head<C> h(c.in[0], c.in[1], c.in[2], c.in[3], c.in[4]);
  const Targets targets(h.target, h.classes, AttrReader{c.attrs}.i(0));
  for (int64_t r = 0; r < h.rows; ++r) targets.at(r);  // parts would count rows from their own first one
  const haft_tensor_view weight = h.weight ? tail(*c.in[4], 0, h.classes) : haft_tensor_view{};
  for (int64_t first = 0; first < h.rows; first += h.block) {
    const int64_t count = std::min(h.block, h.rows - first);
    h.compute(first, count);
    const haft_tensor_view logits = rows_of(h.logits, count, h.classes),
                           target = tail(h.target, first, count);
    haft_tensor_view out[3];
    const haft_tensor_view* in[] = {&logits, &target, h.weight ? &weight : nullptr};
    haft_tensor_view* outs[3];
    for (int k = 0; k < 3; ++k) out[k] = tail(*c.out[k], first, count), outs[k] = &out[k];
    haft_kernel_call part = c;
    part.in = in, part.n_in = 3;
    part.out = outs, part.n_out = 3;
    forward<C>(part, kernel);
  }
}

// in: grad, input, linear_weight, target, linear_bias, weight, lse
template <class C, class Kernel>
void head_backward(const haft_kernel_call& c, Kernel kernel) {
  Head<C> h(c.in[1], c.in[2], c.in[3], c.in[4], c.in[5]);
  const haft_tensor_view weight = h.weight ? tail(*c.in[5], 0, h.classes) : haft_tensor_view{};
  const int64_t d = h.depth, v = h.classes;
  const int64_t wanted = AttrReader{c.attrs}.i(2);
  const bool of_input = wanted & 1, of_weight = wanted & 2, of_bias = wanted & 4;
  // Sums over all rows stay in the type of computation to the end.
  const int64_t nw = of_weight ? v * d : 0, nb = of_bias ? v : 0, nx = of_input ? h.block * d : 0;
  HostBuffer dw_memory(nw * int64_t(sizeof(C))), db_memory(nb * int64_t(sizeof(C))),
      dx_memory(nx * int64_t(sizeof(C)));
  C *dw = dw_memory.as<C>(), *db = db_memory.as<C>(), *dx = dx_memory.as<C>();
  std::fill_n(dw, nw, C(0));
  std::fill_n(db, nb, C(0));
  for (int64_t first = 0; first < h.rows; first += h.block) {
    const int64_t count = std::min(h.block, h.rows - first), at = first * d;
    h.compute(first, count);
    const haft_tensor_view logits = rows_of(h.logits, count, v), target = tail(h.target, first, count),
                           grad = tail(*c.in[0], first, count), lse = tail(*c.in[6], first, count);
    haft_tensor_view out = logits;  // in place: the kernel reads an element before it writes it
    const haft_tensor_view* in[] = {&grad, &logits, &target, h.weight ? &weight : nullptr, &lse};
    haft_tensor_view* outs[] = {&out};
    haft_kernel_call part = c;
    part.in = in, part.n_in = 5;
    part.out = outs, part.n_out = 1;
    backward<C>(part, kernel);
    if (of_input) {
      gemm(Gemm<C>{.m = count,
                   .n = d,
                   .k = v,
                   .a = h.logits,
                   .a_row = v,
                   .a_col = 1,
                   .b = h.matrix,
                   .b_row = d,
                   .b_col = 1,
                   .c = dx,
                   .ldc = d});
      store_rows(dx, *c.out[0], &at, 1, count * d, 1);
    }
    if (of_weight)
      gemm(Gemm<C>{.m = v,
                   .n = d,
                   .k = count,
                   .a = h.logits,
                   .a_row = 1,
                   .a_col = v,
                   .b = h.in + at,
                   .b_row = d,
                   .b_col = 1,
                   .c = dw,
                   .ldc = d,
                   .bias = dw,
                   .bias_row = d,
                   .bias_col = 1});
    if (of_bias)
      parallel_for(v, std::max<int64_t>(64, kRowGrain / std::max<int64_t>(1, count)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t r = 0; r < count; ++r)
                       for (int64_t k = begin; k < end; ++k) db[k] += h.logits[r * v + k];
                   });
  }
  const int64_t zero = 0;
  if (of_weight) store_rows(dw, *c.out[1], &zero, 1, nw, 1);
  if (of_bias) store_rows(db, *c.out[2], &zero, 1, nb, 1);
}

}  // namespace

void k_cross_entropy_rows(const haft_kernel_call& c) {
  if (dtype_of(*c.in[0]) == DType::f64)
    forward<double>(c, HWY_DYNAMIC_DISPATCH(exp_sum_f64));
  else
    forward<float>(c, HWY_DYNAMIC_DISPATCH(exp_sum_f32));
}

void k_cross_entropy_rows_backward(const haft_kernel_call& c) {
  if (dtype_of(*c.in[1]) == DType::f64)
    backward<double>(c, HWY_DYNAMIC_DISPATCH(gradient_f64));
  else
    backward<float>(c, HWY_DYNAMIC_DISPATCH(gradient_f32));
}

void k_linear_cross_entropy_rows(const haft_kernel_call& c) {
  if (dtype_of(*c.in[0]) == DType::f64)
    head_forward<double>(c, HWY_DYNAMIC_DISPATCH(exp_sum_f64));
  else
    head_forward<float>(c, HWY_DYNAMIC_DISPATCH(exp_sum_f32));
}

void k_linear_cross_entropy_backward(const haft_kernel_call& c) {
  if (dtype_of(*c.in[1]) == DType::f64)
    head_backward<double>(c, HWY_DYNAMIC_DISPATCH(gradient_f64));
  else
    head_backward<float>(c, HWY_DYNAMIC_DISPATCH(gradient_f32));
}

}  // namespace haft::cpu
#endif
