// Any views to launches of POINTWISE kernels.
#include "core/cuda/pointwise.h"

#include <algorithm>
#include <bit>

#include "core/cuda/kernels.h"

namespace haft::cuda {

namespace {

// Powers that have cheaper functions with the same value.
OpId simpler_power(double exponent) {
  return exponent == 2     ? OpId::square
         : exponent == 0.5 ? OpId::sqrt
         : exponent == -1  ? OpId::reciprocal
                           : OpId::pow_scalar;
}

// Whether the innermost dimension can be walked n elements, a power of two, at a time: dense in memory and aligned,
// or one element for all.
bool in_vectors(const Walk& w, int64_t n, unsigned* single) {
  *single = 0;
  const int last = w.ndim - 1;
  if (w.sizes[last] & (n - 1)) return false;
  for (int k = 0; k < w.n; ++k) {
    if (k > 0 && w.operands[k].strides[last] == 0 && w.sizes[last] > 1)
      *single |= 1u << (k - 1);
    else if (!w.in_vectors(k, n))
      return false;
  }
  return true;
}

}  // namespace

const PointwiseTable& pointwise_table() {
  static const PointwiseTable* table = [] {
    auto* t = new PointwiseTable;
    auto of = [](DType d) { return int(d); };
    fill_f32(t->vectors[of(DType::f32)], t->any[of(DType::f32)]);
    fill_f64(t->vectors[of(DType::f64)], t->any[of(DType::f64)]);
    fill_bool(t->vectors[of(DType::boolean)], t->any[of(DType::boolean)]);
    fill_i32(t->vectors[of(DType::i32)], t->any[of(DType::i32)]);
    fill_i64(t->vectors[of(DType::i64)], t->any[of(DType::i64)]);
    fill_f16(t->vectors[of(DType::f16)]);
    fill_bf16(t->vectors[of(DType::bf16)]);
    for (DType d : {DType::f16, DType::bf16}) std::copy_n(t->any[of(DType::f32)], kOpCount, t->any[of(d)]);
    for (DType d : {DType::u8, DType::i8, DType::i16})
      std::copy_n(t->any[of(DType::i32)], kOpCount, t->any[of(d)]);
    return t;
  }();
  return *table;
}

void pointwise(const Call& c) {
  if (c.out().numel == 0) return;
  OpId op = c.op();
  const PointwiseArgs& args = kPointwiseArgs[int(op)];
  const DType t = c.dtype(op_traits(op) & MASK0 ? 1 : 0);
  PointwiseParams params{{}, t};
  read_pointwise_params(args, op, t, c.call.attrs, params.words);
  if (op == OpId::pow_scalar && is_float(t)) op = simpler_power(std::bit_cast<double>(params.words[0]));

  Walk whole;
  bool plain = c.out().contiguous;
  for (int k = 0; k < args.n_in; ++k) plain = plain && c.in(k).contiguous;
  if (plain) {
    whole.add_dense(c.out());
    for (int k = 0; k < args.n_in; ++k) whole.add_dense(c.in(k));
  } else {
    whole.add(c.out());
    for (int k = 0; k < args.n_in; ++k) whole.add(c.in(k));
    whole.merge();
  }
  const PointwiseTable& table = pointwise_table();
  const VectorsFn vectors = table.vectors[int(t)][int(op)];
  const AnyFn any = table.any[int(t)][int(op)];
  const int64_t n = item_size(t) == 1 ? 8 : 16 / item_size(t);
  for (const Walk& w : pieces(whole)) {
    unsigned single;
    if (vectors && in_vectors(w, n, &single))
      vectors(c, w, single, params);
    else
      any(c, w, params);
  }
}

haft_kernel_fn pointwise_kernel(OpId op, int32_t dtype) {
  return is_valid(dtype) && pointwise_table().any[dtype][int(op)] ? guarded<pointwise> : nullptr;
}

}  // namespace haft::cuda
