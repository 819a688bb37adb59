// Pooling in one to three dimensions, composed of the pooling of planes: a row is a plane of one line, and what is
// said of a box is said of its slices first, then along their depth.
#include <algorithm>

#include "core/ops/windows.h"

namespace haft {

Shape numbers_of(const char* op, const char* name, IntList v, int n, int64_t least, IntList otherwise) {
  if (v.empty()) v = otherwise;
  if (v.size() != 1 && v.size() != size_t(n))
    fail(Code::invalid_argument, concat("[", op, "] ", name, " takes one number or ", n, ", got ", v), {},
         name);
  Shape out;
  for (int i = 0; i < n; ++i) out.push_back(v[v.size() == 1 ? 0 : size_t(i)]);
  for (int64_t k : out)
    if (k < least || k > INT32_MAX)  // products of two must not overflow
      fail(Code::invalid_argument,
           concat("[", op, "] ", name, " must be between ", least, " and ", INT32_MAX, ", got ", v), {},
           name);
  return out;
}

Shape pooled_sizes(const char* op, IntList x, IntList kernel, IntList stride, IntList padding,
                   IntList dilation, bool ceil_mode) {
  Shape y(x);
  const size_t first = x.size() - kernel.size();
  for (size_t d = 0; d < kernel.size(); ++d) {
    if (padding[d] > kernel[d] / 2)
      fail(Code::invalid_argument,
           concat("[", op, "] padding ", padding, " is more than half of kernel size ", kernel), {},
           "padding");
    const int64_t size = x[first + d];
    const int64_t room =
        size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1 + (ceil_mode ? stride[d] - 1 : 0);
    int64_t n = room < 0 ? 0 : room / stride[d] + 1;
    if (ceil_mode && (n - 1) * stride[d] >= size + padding[d]) --n;
    if (n < 1 || size < 1)
      fail(Code::shape,
           concat("[", op, "] no window of ", kernel, " fits into shape ", x, " with padding ", padding,
                  " and dilation ", dilation),
           {}, "kernel_size");
    y[int64_t(first + d)] = n;
  }
  return y;
}

Batched::Batched(const char* op, const Tensor& input, int n) : x(input), single(input.ndim() == n + 1) {
  if (!single && input.ndim() != n + 2)
    fail(Code::shape,
         concat("[", op, "] Expected ", n + 1, "D (unbatched) or ", n + 2, "D (batched) input to ", op,
                ", got shape ", input.sizes()),
         {}, "input");
  if (single) x = ops::unsqueeze(x, 0);
}

namespace {

struct SpatialWindows {
  Shape kernel, stride, padding, dilation;

  SpatialWindows(const char* op, int n, IntList k, IntList s, IntList p, IntList d)
      : kernel(numbers_of(op, "kernel_size", k, n, 1, IntList())),
        stride(numbers_of(op, "stride", s, n, 1, kernel)),
        padding(numbers_of(op, "padding", p, n, 0, int64_t(0))),
        dilation(numbers_of(op, "dilation", d, n, 1, int64_t(1))) {}
  // Whether a window of x may have all its cells beside x: there, the place of its maximum is -1.
  bool may_miss(IntList x) const {
    const IntList sizes = x.last(size_t(kernel.size()));
    for (int64_t d = 0; d < kernel.size(); ++d)
      if (dilation[d] > sizes[size_t(d)]) return true;
    return false;
  }
  Shape result(const char* op, IntList x, bool ceil_mode) const {
    return pooled_sizes(op, x, kernel, stride, padding, dilation, ceil_mode);
  }
};

// The last one or two numbers of a list as those of a plane; a row has the height `one`.
Shape plane(IntList v, int64_t one) {
  return v.size() == 1 ? Shape{one, v[0]} : Shape{v[v.size() - 2], v.back()};
}

// What pools planes, run over x (N, C, W), (N, C, H, W) or (N, C, D, H, W): `slice` takes their height and width,
// `depth` a column for each place of a slice.
template <class Slice, class Depth>
Tensor over_planes(const Tensor& x, Slice slice, Depth depth) {
  if (x.ndim() == 3) return ops::squeeze(slice(ops::unsqueeze(x, 2)), 2);
  if (x.ndim() == 4) return slice(x);
  const int64_t n = x.size(0), c = x.size(1), d = x.size(2);
  const Tensor y = slice(ops::reshape(x, Shape{n * c, d, x.size(3), x.size(4)}));
  const int64_t h = y.size(2), w = y.size(3);
  const Tensor z = depth(ops::reshape(y, Shape{n, c, d, h * w}));
  return ops::reshape(z, Shape{n, c, z.size(2), h, w});
}

// Values and, as PyTorch counts them, places among all elements behind the channels.
std::array<Tensor, 2> max_pool(const char* op, int n, const Tensor& input, IntList k, IntList s, IntList p,
                               IntList d, bool ceil_mode, bool indices) {
  const SpatialWindows g(op, n, k, s, p, d);
  const Batched in(op, input, n);
  g.result(op, input.sizes(), ceil_mode);  // refuses by this name
  Tensor inside, along;
  auto pool = [&](const Tensor& x, const Shape& kernel, const Shape& stride, const Shape& padding,
                  const Shape& dilation, Tensor& at) {
    auto [y, places] = ops::max_pool2d_indices(x, kernel, stride, padding, dilation, ceil_mode);
    if (indices) at = ops::cast(places, DType::i64);
    return y;
  };
  const Tensor y = over_planes(
      in.x,
      [&](const Tensor& x) {
        return pool(x, plane(g.kernel, 1), plane(g.stride, 1), plane(g.padding, 0), plane(g.dilation, 1),
                    inside);
      },
      [&](const Tensor& x) {
        return pool(x, Shape{g.kernel[0], 1}, Shape{g.stride[0], 1}, Shape{g.padding[0], 0},
                    Shape{g.dilation[0], 1}, along);
      });
  if (!indices) return {in.back(y), Tensor()};
  Tensor at = inside;
  if (n == 1) at = ops::squeeze(at, 2);
  if (n == 3) {  // the slice of each maximum, then its place in that
    const int64_t cells = y.size(3) * y.size(4);
    Tensor slice = ops::floor_divide_scalar(along, Scalar(std::max<int64_t>(cells, 1))), none;
    const bool gaps = g.may_miss(in.x.sizes());
    if (gaps) none = ops::lt_scalar(slice, Scalar(0)), slice = ops::relu(slice);
    const Tensor place =
        ops::gather(ops::reshape(inside, Shape{y.size(0), y.size(1), in.x.size(2), cells}), 2, slice);
    at = ops::add(ops::mul_scalar(slice, Scalar(in.x.size(3) * in.x.size(4))), place);
    if (gaps) at = ops::masked_fill(at, ops::logical_or(none, ops::lt_scalar(place, Scalar(0))), Scalar(-1));
    at = ops::reshape(at, y.sizes());
  }
  return {in.back(y), in.back(at)};
}

Tensor avg_pool(const char* op, int n, const Tensor& input, IntList k, IntList s, IntList p, bool ceil_mode,
                bool include_pad, int64_t divisor) {
  const SpatialWindows g(op, n, k, s, p, {});
  if (divisor == 0)
    fail(Code::invalid_argument, concat("[", op, "] divisor must be not zero"), {}, "divisor_override");
  Batched in(op, input, n);
  const Shape sizes = g.result(op, input.sizes(), ceil_mode);
  Shape padding = g.padding;
  double scale = 1;
  if (divisor != kNone) {  // means over windows that lie inside are sums but for a factor
    Shape sides;
    for (int i = n - 1; i >= 0; --i) {
      const int64_t end = (sizes[sizes.size() - n + i] - 1) * g.stride[i] + g.kernel[i];
      sides.push_back(padding[i]);
      sides.push_back(std::max(end - in.x.size(2 + i) - padding[i], padding[i]));
      scale *= double(g.kernel[i]);
    }
    in.x = ops::pad(in.x, sides);
    std::fill(padding.begin(), padding.end(), 0);
    scale /= double(divisor);
    ceil_mode = false;
  }
  const Tensor y = over_planes(
      in.x,
      [&](const Tensor& x) {
        return ops::avg_pool2d(x, plane(g.kernel, 1), plane(g.stride, 1), plane(padding, 0), ceil_mode,
                               include_pad);
      },
      [&](const Tensor& x) {
        return ops::avg_pool2d(x, Shape{g.kernel[0], 1}, Shape{g.stride[0], 1}, Shape{padding[0], 0},
                               ceil_mode, include_pad);
      });
  return in.back(divisor == kNone ? y : y * scale);
}

Tensor lp_pool(const char* op, int n, const Tensor& x, double p, IntList k, IntList s, bool ceil_mode) {
  check_float(op, x);
  // The square of 256 is no float16.
  const Tensor powers = ops::pow_scalar(as_dtype(x, wide_dtype(x.dtype())), Scalar(p));
  const Tensor mean = avg_pool(op, n, powers, k, s, {}, ceil_mode, true, kNone);
  double cells = 1;
  for (int64_t size : numbers_of(op, "kernel_size", k, n, 1, IntList())) cells *= double(size);
  return as_dtype(
      ops::pow_scalar(ops::mul(ops::sign(mean), ops::relu(ops::abs(mean))) * cells, Scalar(1 / p)),
      x.dtype());
}

// Sizes of an adaptive result; kNone keeps the input's.
Shape adaptive_sizes(const char* op, const Tensor& x, IntList wanted, int n) {
  if (wanted.size() != 1 && wanted.size() != size_t(n))
    fail(Code::invalid_argument, concat("[", op, "] output_size takes one number or ", n, ", got ", wanted),
         {}, "output_size");
  Shape out;
  for (int i = 0; i < n; ++i) {
    const int64_t size = wanted[wanted.size() == 1 ? 0 : size_t(i)];
    out.push_back(size == kNone ? x.size(x.ndim() - n + i) : size);
    if (out[i] < 0)
      fail(Code::invalid_argument, concat("[", op, "] output_size must not be negative, got ", wanted), {},
           "output_size");
  }
  return out;
}

// Whether there is no bin. An input without elements is refused all the same.
bool no_bins(const char* op, const Tensor& input, const Shape& size) {
  for (int i = 0; i < size.size(); ++i)
    if (input.size(input.ndim() - size.size() + i) < 1)
      fail(Code::shape, concat("[", op, "] input has no elements: shape ", input.sizes()), {}, "input");
  return std::ranges::find(size, 0) != size.end();
}
// A result without elements, of which x has a gradient of zeros.
Tensor empty_of(const Tensor& x, const Shape& size) {
  return ops::reshape(ops::slice(x, 2, 0, 0), sizes_with(x, 2, size));
}

// The largest element of each bin along dim and where it stands there; the first where several do.
std::array<Tensor, 2> largest_of_bins(const Tensor& x, int64_t dim, int64_t bins) {
  const int64_t size = x.size(int(dim));
  const int64_t rest = size % bins, most = size / bins + (rest == 0 ? 0 : bins % rest == 0 ? 1 : 2);
  const Tensor k = counts(0, bins, x);
  const Tensor first = ops::floor_divide_scalar(ops::mul_scalar(k, Scalar(size)), Scalar(bins));
  const Tensor last = ops::floor_divide_scalar(
      ops::add_scalar(ops::mul_scalar(k, Scalar(size)), Scalar(size - 1)), Scalar(bins));
  // A bin that is shorter than the longest repeats its last element, which is never the first of its value.
  const Tensor places =
      ops::minimum(ops::add(ops::unsqueeze(first, 1), counts(0, most, x)), ops::unsqueeze(last, 1));
  const Tensor cells =
      ops::unflatten(ops::index_select(x, dim, ops::flatten(places)), dim, Shape{bins, most});
  auto [y, at] = ops::max_dim(cells, dim + 1);
  Shape column{bins};
  for (int64_t d = dim + 1; d < x.ndim(); ++d) column.push_back(1);
  return {y, ops::add(at, ops::reshape(first, column))};
}

std::array<Tensor, 2> adaptive_max(const char* op, int n, const Tensor& input, IntList wanted) {
  if (input.dtype() == DType::boolean)
    fail(Code::dtype, concat("[", op, "] bool has no order"), "cast to a number type", "input");
  const Batched in(op, input, n);
  const Shape size = adaptive_sizes(op, in.x, wanted, n);
  if (no_bins(op, input, size)) {
    const Tensor y = empty_of(in.x, size);
    return {in.back(y), in.back(ops::zeros(y.sizes(), DType::i64, y.device()))};
  }
  bool even = true;
  Shape kernel;
  for (int i = 0; i < n; ++i) {
    const int64_t s = in.x.size(2 + i);
    even &= s % size[i] == 0;
    kernel.push_back(s / size[i]);
  }
  if (even) {
    auto [y, at] = max_pool(op, n, in.x, kernel, {}, {}, {}, false, true);
    return {in.back(y), in.back(at)};
  }
  Tensor x = in.x, at;
  int64_t below = 1;  // elements of a line, then of a plane
  for (int64_t dim = n + 1; dim >= 2; --dim) {
    auto [y, place] = largest_of_bins(x, dim, size[dim - 2]);
    at = at ? ops::add(ops::mul_scalar(place, Scalar(below)), ops::gather(at, dim, place)) : place;
    below *= in.x.size(int(dim));
    x = y;
  }
  return {in.back(x), in.back(at)};
}

Tensor max_unpool(const char* op, int n, const Tensor& input, const Tensor& indices, IntList k, IntList s,
                  IntList p, IntList wanted) {
  const SpatialWindows g(op, n, k, s, p, {});
  const Batched in(op, input, n), at(op, indices, n);
  if (!std::ranges::equal(input.sizes(), indices.sizes()))
    fail(Code::shape,
         concat("[", op, "] indices of shape ", indices.sizes(), " must have input's shape ", input.sizes()),
         {}, "indices");
  if (!wanted.empty() && wanted.size() < size_t(n))
    fail(Code::invalid_argument,
         concat("[", op, "] invalid output_size ", wanted, ": ", n, " numbers are wanted"), {},
         "output_size");
  Shape size;
  int64_t cells = 1;
  for (int i = 0; i < n; ++i) {
    const int64_t usual = (in.x.size(2 + i) - 1) * g.stride[i] + g.kernel[i] - 2 * g.padding[i];
    size.push_back(wanted.empty() ? usual : wanted[wanted.size() - size_t(n) + size_t(i)]);
    if (size[i] <= usual - g.stride[i] || size[i] >= usual + g.stride[i] || size[i] < 0)
      fail(Code::invalid_argument,
           concat("[", op, "] invalid output_size ", wanted, " (dim ", i, " must be between ",
                  usual - g.stride[i], " and ", usual + g.stride[i], ")"),
           {}, "output_size");
    cells *= size[i];
  }
  const Tensor &x = in.x, none = ops::zeros(sizes_with(x, 2, {&cells, 1}), x.dtype(), x.device());
  const Tensor y = ops::scatter(none, 2, ops::flatten(at.x, 2), ops::flatten(x, 2));
  return in.back(ops::reshape(y, sizes_with(x, 2, size)));
}

Tensor adaptive_avg(const char* op, int n, const Tensor& input, IntList wanted) {
  const Batched in(op, input, n);
  check_float(op, input);
  const Shape size = adaptive_sizes(op, in.x, wanted, n);
  if (no_bins(op, input, size)) return in.back(empty_of(in.x, size));
  return in.back(over_planes(
      in.x, [&](const Tensor& x) { return ops::adaptive_avg_pool2d(x, plane(size, 1)); },
      [&](const Tensor& x) {
        return ops::adaptive_avg_pool2d(x, Shape{size[0], x.size(3)});
      }));
}

}  // namespace

namespace ops {

#define HAFT_POOLS(n, where)                                                                          \
  std::array<Tensor, 2> max_pool##n##d_with_indices(const Tensor& x, IntList k, IntList s, IntList p, \
                                                    IntList d, bool ceil) {                           \
    return max_pool("max_pool" #n "d", n, x, k, s, p, d, ceil, true);                                 \
  }                                                                                                   \
  Tensor lp_pool##n##d(const Tensor& x, double p, IntList k, IntList s, bool ceil) {                  \
    return lp_pool("lp_pool" #n "d", n, x, p, k, s, ceil);                                            \
  }                                                                                                   \
  std::array<Tensor, 2> where adaptive_max_pool##n##d_with_indices(const Tensor& x, IntList size) {   \
    return adaptive_max("adaptive_max_pool" #n "d", n, x, size);                                      \
  }                                                                                                   \
  Tensor where adaptive_max_pool##n##d(const Tensor& x, IntList size) {                               \
    return ops::adaptive_max_pool##n##d_with_indices(x, size)[0];                                     \
  }                                                                                                   \
  Tensor max_unpool##n##d(const Tensor& x, const Tensor& at, IntList k, IntList s, IntList p,         \
                          IntList size) {                                                             \
    return max_unpool("max_unpool" #n "d", n, x, at, k, s, p, size);                                  \
  }
HAFT_POOLS(1, )
HAFT_POOLS(2, )
HAFT_POOLS(3, uncast::)
#undef HAFT_POOLS

Tensor max_pool1d(const Tensor& x, IntList k, IntList s, IntList p, IntList d, bool ceil) {
  return max_pool("max_pool1d", 1, x, k, s, p, d, ceil, false)[0];
}
Tensor max_pool3d(const Tensor& x, IntList k, IntList s, IntList p, IntList d, bool ceil) {
  return max_pool("max_pool3d", 3, x, k, s, p, d, ceil, false)[0];
}
Tensor avg_pool1d(const Tensor& x, IntList k, IntList s, IntList p, bool ceil, bool include_pad) {
  return avg_pool("avg_pool1d", 1, x, k, s, p, ceil, include_pad, kNone);
}
Tensor uncast::avg_pool3d(const Tensor& x, IntList k, IntList s, IntList p, bool ceil, bool include_pad,
                          int64_t divisor) {
  return avg_pool("avg_pool3d", 3, x, k, s, p, ceil, include_pad, divisor);
}
Tensor adaptive_avg_pool1d(const Tensor& x, IntList size) {
  return adaptive_avg("adaptive_avg_pool1d", 1, x, size);
}
Tensor uncast::adaptive_avg_pool3d(const Tensor& x, IntList size) {
  return adaptive_avg("adaptive_avg_pool3d", 3, x, size);
}

}  // namespace ops

}  // namespace haft
