// Connectionist temporal classification (Graves et al., 2006).
#include <algorithm>
#include <limits>
#include <vector>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

// The logarithm of nothing in what is differentiated again: finite, so that gradients stay numbers.
constexpr double kNever = -1e30;

// along dim 1 by k places, with `fill` in front or, where k is negative, at the end
Tensor shifted(const Tensor& x, int64_t k, double fill) {
  const int64_t n = x.size(1);
  if (k > 0) return ops::slice(ops::pad(x, Shape{k, 0}, 0, Scalar(fill)), 1, 0, n);
  return ops::slice(ops::pad(x, Shape{0, -k}, 0, Scalar(fill)), 1, -k, n - k);
}

// The states of each target: (N, 2 S + 1), and 0 where a way may lead two states on, kNever elsewhere.
struct States {
  Tensor label, jump, last;  // last (N, 1): the number of the last state
  Tensor inside;             // bool: it is a state of this target
};

States states_of(const Tensor& targets, const Tensor& lengths, int64_t blank, DType dtype) {
  const int64_t n = targets.size(0), s = targets.size(1);
  auto numbers = [&](int64_t end) {
    return ops::arange(Scalar(int64_t(0)), Scalar(end), Scalar(int64_t(1)), DType::i64, targets.device());
  };
  const Tensor ends = ops::unsqueeze(lengths, 1);
  const Tensor known = ops::where(ops::lt(numbers(s), ends), targets,
                                  ops::full({}, Scalar(blank), DType::i64, targets.device()));
  const Tensor blanks = ops::full(Shape{n, s + 1}, Scalar(blank), DType::i64, targets.device());
  // blank, label, blank, label, ..., blank
  const Tensor pairs =
      ops::reshape(ops::stack(std::vector<Tensor>{ops::slice(blanks, 1, 0, s), known}, 2), Shape{n, 2 * s});
  States out;
  out.label = ops::cat(std::vector<Tensor>{pairs, ops::slice(blanks, 1, s, s + 1)}, 1);
  const Tensor places = numbers(2 * s + 1);
  const Tensor odd = ops::eq_scalar(ops::remainder_scalar(places, Scalar(int64_t(2))), Scalar(int64_t(1)));
  const Tensor other = ops::ne(out.label, shifted(out.label, 2, double(blank)));
  const Tensor may =
      ops::logical_and(ops::logical_and(odd, ops::ge_scalar(places, Scalar(int64_t(3)))), other);
  const Tensor zero = ops::zeros({}, dtype, targets.device()),
               never = ops::full({}, Scalar(kNever), dtype, targets.device());
  out.jump = ops::where(may, zero, never);
  out.last = ops::mul_scalar(ends, Scalar(int64_t(2)));
  out.inside = ops::le(places, out.last);
  return out;
}

// The gradient in operators: alpha forward, then the weight of each state at each step backward.
void differentiable_ctc(Backward& b) {
  if (!b.has_grad(0)) return;
  const Tensor x = as_dtype(b.in(0), wide_dtype(b.in(0).dtype())), &targets = b.in(1), &inputs = b.in(2),
               &lengths = b.in(3);
  const int64_t steps = x.size(0), n = x.size(1);
  const States z = states_of(targets, lengths, b.attrs.i(0), x.dtype());
  const int64_t states = z.label.size(1);
  const Tensor none = ops::full(Shape{n, states}, Scalar(kNever), x.dtype(), x.device());
  const Tensor read = ops::unsqueeze(inputs, 1);
  auto emitted = [&](int64_t t) {
    return ops::gather(ops::clamp(ops::select(x, 0, t), Scalar(kNever)), 1, z.label);
  };
  std::vector<Tensor> alpha, e;
  for (int64_t t = 0; t < steps; ++t) {
    e.push_back(emitted(t));
    if (t == 0) {
      const Tensor places =
          ops::arange(Scalar(int64_t(0)), Scalar(states), Scalar(int64_t(1)), DType::i64, x.device());
      alpha.push_back(
          ops::where(ops::logical_and(ops::lt_scalar(places, Scalar(int64_t(2))), z.inside), e[0], none));
      continue;
    }
    const Tensor& a = alpha.back();
    const Tensor moved =
        ops::logaddexp(ops::logaddexp(a, shifted(a, 1, kNever)), shifted(a, 2, kNever) + z.jump) + e.back();
    alpha.push_back(ops::where(ops::gt_scalar(read, Scalar(t)), ops::clamp(moved, Scalar(2 * kNever)), a));
  }
  Tensor dx;
  if (steps) {
    // At the end: the last label and the blank behind it share the weight by their probabilities.
    const Tensor places =
        ops::arange(Scalar(int64_t(0)), Scalar(states), Scalar(int64_t(1)), DType::i64, x.device());
    const Tensor ends = ops::logical_and(z.inside, ops::ge(places, z.last - 1));
    const Tensor final = ops::where(ends, alpha.back(), none),
                 total = ops::logsumexp(final, IntList(std::initializer_list<int64_t>{1}), true);
    Tensor w = ops::exp(final - total) * ops::unsqueeze(b.grad(0), 1);
    std::vector<Tensor> rows(static_cast<size_t>(steps));
    for (int64_t t = steps - 1; t >= 0; --t) {
      const Tensor here = ops::gt_scalar(read, Scalar(t));
      rows[size_t(t)] = ops::scatter_add(ops::zeros(Shape{n, x.size(2)}, x.dtype(), x.device()), 1, z.label,
                                         -where_or_zero(here, w));
      if (t == 0) break;
      const Tensor &a = alpha[size_t(t - 1)], rest = e[size_t(t)] - alpha[size_t(t)];
      auto from = [&](const Tensor& part) {
        return w * ops::exp(ops::clamp(part + rest, Scalar(kNever), Scalar(0.0)));
      };
      const Tensor stay = from(a), one = from(shifted(a, 1, kNever)),
                   two = from(shifted(a, 2, kNever) + z.jump);
      w = ops::where(here, stay + shifted(one, -1, 0) + shifted(two, -2, 0), w);
    }
    dx = ops::stack(rows, 0);
    // A target that does not fit has no gradient: NaN, as its loss is infinite; 0 where nobody asked.
    const Tensor lost = ops::logical_and(ops::isinf(ops::detach(b.out(0))),
                                         ops::ne_scalar(ops::detach(b.grad(0)), Scalar(0.0)));
    dx = ops::where(ops::unsqueeze(lost, -1),
                    ops::full({}, Scalar(std::numeric_limits<double>::quiet_NaN()), x.dtype(), x.device()),
                    dx);
    const Tensor idle = ops::isinf(ops::detach(b.out(0)));
    dx = ops::where(ops::unsqueeze(ops::logical_and(idle, ops::logical_not(lost)), -1), ops::zeros_like(dx),
                    dx);
  } else {
    dx = ops::zeros_like(x);
  }
  b.set(0, as_dtype(dx, b.in(0).dtype()));
}

}  // namespace

SHAPE(ctc_loss_rows) {
  const Tensor &x = c.in(0), &targets = c.in(1);
  require_float(c, x);
  if (x.ndim() != 3)
    fail(Code::shape, concat("[ctc_loss] log_probs must be (T, N, C), got shape ", x.sizes()), {},
         "log_probs");
  const int64_t n = x.size(1);
  for (int i = 1; i < 4; ++i) {
    const Tensor& t = c.in(i);
    const bool fits = i == 1 ? t.ndim() == 2 && t.size(0) == n : t.ndim() == 1 && t.size(0) == n;
    if (t.dtype() != DType::i64 || !fits)
      fail(Code::shape,
           concat("[ctc_loss] targets (N, S) and lengths (N) are int64 for N = ", n, ", got ",
                  dtype_name(t.dtype()), " of shape ", t.sizes()),
           {},
           i == 1   ? "targets"
           : i == 2 ? "input_lengths"
                    : "target_lengths");
  }
  const DType wide = wide_dtype(x.dtype());
  const int64_t size[] = {n}, table[] = {n, x.size(0), 2 * targets.size(1) + 1};
  c.out(0, wide, size);
  c.out(1, wide, table);
}
static void fused_ctc(Backward& b) {
  if (!b.has_grad(0) || b.has_grad(1)) return differentiable_ctc(b);
  b.set(0, ops::ctc_loss_backward(b.grad(0), b.in(0), b.in(1), b.in(2), b.in(3), b.out(0), b.out(1),
                                  b.attrs.i(0)));
}
GRADIENT(ctc_loss_rows, .fused = fused_ctc, .saves = {IN0 | IN1 | IN2 | IN3 | OUT0 | OUT1}) {
  differentiable_ctc(b);
}
SHAPE(ctc_loss_backward) { c.out(0, c.in(1).dtype(), c.in(1).sizes()); }

namespace ops {

namespace {

std::vector<int64_t> host_lengths(const Tensor& t, int64_t n, const char* name, int64_t most) {
  if (t.dtype() != DType::i64 && t.dtype() != DType::i32)
    fail(Code::dtype, concat("[ctc_loss] ", name, " must be int64 or int32, got ", dtype_name(t.dtype())), {},
         name);
  if (t.numel() != n)
    fail(Code::shape, concat("[ctc_loss] ", name, " must have ", n, " elements, got shape ", t.sizes()), {},
         name);
  std::vector<int64_t> out(static_cast<size_t>(n));
  if (n) copy_to_host(as_dtype(contiguous(t), DType::i64), out.data());
  for (int64_t v : out)
    if (v < 0 || v > most)
      fail(Code::shape, concat("[ctc_loss] ", name, " must be in 0..", most, ", got ", v), {}, name);
  return out;
}

}  // namespace

Tensor uncast::ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                        const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  if (reduction < 0 || reduction > 2)
    fail(Code::invalid_argument,
         concat("[ctc_loss] reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction), {},
         "reduction");
  const bool single = log_probs.ndim() == 2;
  if (!single && log_probs.ndim() != 3)
    fail(Code::shape,
         concat("[ctc_loss] log_probs must be (T, N, C) or (T, C), got shape ", log_probs.sizes()), {},
         "log_probs");
  if (targets.dtype() != DType::i64 && targets.dtype() != DType::i32)
    fail(Code::dtype, concat("[ctc_loss] targets must be int64 or int32, got ", dtype_name(targets.dtype())),
         {}, "targets");
  const Tensor x = as_dtype(single ? unsqueeze(log_probs, 1) : log_probs, wide_dtype(log_probs.dtype()));
  const int64_t n = x.size(1), classes = x.size(2);
  if (blank < 0 || blank >= classes)
    fail(Code::invalid_argument, concat("[ctc_loss] blank must be in 0..", classes - 1, ", got ", blank), {},
         "blank");
  const std::vector<int64_t> read = host_lengths(input_lengths, n, "input_lengths", x.size(0));
  const bool rows = targets.ndim() == 2;
  if (!rows && targets.ndim() != 1)
    fail(Code::shape,
         concat("[ctc_loss] targets must be (N, S) or (sum of target_lengths), got shape ", targets.sizes()),
         {}, "targets");
  if (rows && targets.size(0) != n)
    fail(Code::shape,
         concat("[ctc_loss] targets of shape ", targets.sizes(), " are not those of ", n, " sequences"), {},
         "targets");
  const std::vector<int64_t> lengths =
      host_lengths(target_lengths, n, "target_lengths", rows ? targets.size(1) : targets.numel());
  int64_t longest = 0, sum_of_lengths = 0;
  for (int64_t l : lengths) longest = std::max(longest, l), sum_of_lengths += l;
  if (!rows && !single && sum_of_lengths != targets.numel())
    fail(Code::shape,
         concat("[ctc_loss] ", targets.numel(), " targets for target_lengths that sum to ", sum_of_lengths),
         {}, "targets");
  std::vector<int64_t> given(static_cast<size_t>(targets.numel())),
      padded(static_cast<size_t>(n * longest), blank);
  if (!given.empty()) copy_to_host(as_dtype(contiguous(targets), DType::i64), given.data());
  for (int64_t i = 0, at = 0; i < n; at += rows ? targets.size(1) : lengths[size_t(i)], ++i)
    for (int64_t k = 0; k < lengths[size_t(i)]; ++k) {
      const int64_t label = given[size_t(at + k)];
      if (label < 0 || label >= classes)
        fail(Code::index,
             concat("[ctc_loss] target ", k, " of sequence ", i, " is ", label, ", but there are ", classes,
                    " classes"),
             {}, "targets");
      padded[size_t(i * longest + k)] = label;
    }
  auto tensor = [&](IntList size, const std::vector<int64_t>& v) {
    Tensor host = empty(size, DType::i64);
    if (host.numel()) copy_from_host(host, v.data());
    return to(host, DType::none, x.device());
  };
  const int64_t one[] = {n}, two[] = {n, longest};
  const Tensor ends = tensor(one, lengths);
  Tensor loss = ctc_loss_rows(x, tensor(two, padded), tensor(one, read), ends, blank)[0];
  if (zero_infinity) loss = where(isinf(loss), zeros({}, loss.dtype(), loss.device()), loss);
  if (reduction == 1) loss = mean(loss / as_dtype(clamp(ends, Scalar(int64_t(1))), loss.dtype()));
  if (reduction == 2) loss = sum(loss);
  if (reduction == 0 && single) loss = squeeze(loss, 0);
  return as_dtype(loss, log_probs.dtype());
}

}  // namespace ops
}  // namespace haft
