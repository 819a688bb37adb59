#include "core/parallel/compression_operators.h"

#include <cfloat>
#include <limits>

#include "core/ops/functions.h"

namespace haft::parallel {

namespace {

const Scalar kNaN(std::numeric_limits<double>::quiet_NaN());

Tensor number_at(const Tensor& flat, int64_t at) {
  return ops::reshape(in_bytes(flat, DType::f32, at, 1), Shape{});
}

// 1, 2, 4, ... 128: the bits of a byte.
Tensor bits_of_byte(Device d) {
  const Tensor places = ops::arange(Scalar(int64_t(0)), Scalar(int64_t(8)), Scalar(int64_t(1)), DType::u8, d);
  return ops::bitwise_left_shift(ops::ones_like(places), places);
}

// The mean over ranks of what `values(message)` is times the number at its begin, in the order of ranks.
template <class Values>
void join_in_units(const Tensor& to, const Tensor& messages, int64_t size, Values&& values) {
  const int64_t ranks = messages.numel() / size;
  for (int64_t r = 0; r < ranks; ++r) {
    const Tensor unit = ops::mul_scalar(number_at(messages, r * size), Scalar(1.0 / double(ranks)));
    const Tensor stands_for = values(r * size + int64_t(sizeof(float)), unit);
    if (r == 0)
      ops::copy_(to, stands_for);
    else
      ops::add_(to, stands_for);
  }
}

}  // namespace

Tensor in_bytes(const Tensor& flat, DType dtype, int64_t at, int64_t count) {
  const int64_t one = 1;
  return tensor_over(flat.impl()->storage, IntList(&count, 1), IntList(&one, 1), dtype,
                     at / item_size(dtype));
}

Tensor lacks_numbers(const Tensor& x) { return ops::logical_not(ops::isfinite(ops::mean(ops::abs(x)))); }

Tensor send_int8(const Tensor& message, const Tensor& x, const Tensor& lacks) {
  Tensor unit = ops::div_scalar(ops::amax(ops::abs(x)), Scalar(127.0));
  // 127 of a number of few bits may be less than the largest.
  unit = ops::masked_fill(unit, ops::lt_scalar(unit, Scalar(double(FLT_MIN))), Scalar(0.0));
  const Tensor q =
      ops::round(ops::div(x, ops::masked_fill(unit, ops::eq_scalar(unit, Scalar(0.0)), Scalar(1.0))));
  ops::copy_(number_at(message, 0), ops::masked_fill(unit, lacks, kNaN));
  ops::copy_(in_bytes(message, DType::i8, sizeof(float), x.numel()), q);
  return ops::sub(x, ops::mul(q, unit));
}

void join_int8(const Tensor& to, const Tensor& messages, int64_t size) {
  join_in_units(to, messages, size, [&](int64_t at, const Tensor& unit) {
    return ops::mul(ops::cast(in_bytes(messages, DType::i8, at, to.numel()), DType::f32), unit);
  });
}

Tensor send_signs(const Tensor& message, const Tensor& x, const Tensor& lacks) {
  const int64_t n = x.numel(), bytes = (n + 7) / 8;
  const Tensor mean = ops::mean(ops::abs(x)), above = ops::gt_scalar(x, Scalar(0.0));
  const Tensor bits = ops::zeros(Shape{8 * bytes}, DType::u8, x.device());
  ops::copy_(ops::narrow(bits, 0, 0, n), above);
  const Tensor each = ops::mul(ops::reshape(bits, Shape{bytes, 8}), bits_of_byte(x.device()));
  const int64_t one = 1;
  ops::copy_(number_at(message, 0), ops::masked_fill(mean, lacks, kNaN));
  ops::copy_(in_bytes(message, DType::u8, sizeof(float), bytes), ops::sum(each, IntList(&one, 1)));
  return ops::sub(x, ops::where(above, mean, ops::neg(mean)));
}

void join_signs(const Tensor& to, const Tensor& messages, int64_t size) {
  const int64_t n = to.numel(), bytes = (n + 7) / 8;
  const Tensor places = bits_of_byte(to.device());
  join_in_units(to, messages, size, [&](int64_t at, const Tensor& mean) {
    const Tensor set =
        ops::bitwise_and(ops::reshape(in_bytes(messages, DType::u8, at, bytes), Shape{bytes, 1}), places);
    const Tensor above =
        ops::narrow(ops::reshape(ops::ne_scalar(set, Scalar(int64_t(0))), Shape{8 * bytes}), 0, 0, n);
    return ops::where(above, mean, ops::neg(mean));
  });
}

Tensor send_largest(const Tensor& message, const Tensor& x, const Tensor& lacks, int64_t k) {
  const auto [sizes, places] = ops::topk(ops::abs(x), k);
  ops::copy_(in_bytes(message, DType::f32, 0, k),
             ops::masked_fill(ops::index_select(x, 0, places), lacks, kNaN));
  ops::copy_(in_bytes(message, DType::i32, k * int64_t(sizeof(float)), k), places);
  return ops::index_fill(x, 0, places, Scalar(0.0));
}

void join_largest(const Tensor& to, const Tensor& messages, int64_t size, int64_t k) {
  const int64_t ranks = messages.numel() / size;
  ops::fill_(to, Scalar(0.0));
  for (int64_t r = 0; r < ranks; ++r) {
    const Tensor values = in_bytes(messages, DType::f32, r * size, k),
                 places = in_bytes(messages, DType::i32, r * size + k * int64_t(sizeof(float)), k);
    ops::index_add_(to, 0, ops::cast(places, DType::i64),
                    ops::mul_scalar(values, Scalar(1.0 / double(ranks))));
  }
}

}  // namespace haft::parallel
