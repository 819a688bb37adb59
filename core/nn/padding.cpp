#include "core/nn/padding.h"

#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

int64_t source(int64_t i, int64_t n, PaddingMode mode) {
  switch (mode) {
    case PaddingMode::reflect: i = std::abs(i); return i < n ? i : 2 * (n - 1) - i;
    case PaddingMode::circular: return (i + n) % n;
    default: return std::clamp<int64_t>(i, 0, n - 1);
  }
}

}  // namespace

const char* padding_mode_name(PaddingMode mode) {
  constexpr const char* names[] = {"zeros", "reflect", "replicate", "circular"};
  return names[int(mode)];
}

Tensor pad_edges(const Tensor& x, Pair padding, PaddingMode mode) {
  if (x.ndim() < 2)
    fail(Code::shape, concat("padding with ", padding_mode_name(mode), " wants x of shape (..., H, W), got ", x.sizes()), {},
         "x");
  Tensor y = x;
  for (int i = 0; i < 2; ++i) {
    const int64_t dim = x.ndim() - 2 + i, n = x.size(int(dim)), p = padding[size_t(i)];
    if (p == 0) continue;
    const int64_t most = mode == PaddingMode::reflect ? n - 1 : mode == PaddingMode::circular ? n : n ? (kMaxNumel - n) / 2 : 0;
    if (p > most)
      fail(Code::shape,
           concat("padding with ", padding_mode_name(mode), " by ", p, " wants ", i ? "columns" : "rows", " to take from, and ",
                  x.sizes(), " allows ", std::max<int64_t>(most, 0)),
           "pad less, or use another padding_mode", "x");
    std::vector<int64_t> from;
    from.reserve(size_t(n + 2 * p));
    for (int64_t at = -p; at < n + p; ++at) from.push_back(source(at, n, mode));
    Tensor index = ops::empty(Shape{n + 2 * p}, DType::i64, x.device());
    copy_from_host(index, from.data());
    y = ops::index_select(y, dim, index);
  }
  return y;
}

}  // namespace haft::nn
