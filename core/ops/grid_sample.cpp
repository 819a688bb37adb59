// Images read at the points of a grid, in two and three dimensions (Jaderberg et al., arXiv:1506.02025).
#include <cmath>
#include <vector>

#include "core/ops/windows.h"
#include "core/tensor/batched.h"

namespace haft {

namespace {

enum Mode : int64_t { kNearest, kLinear, kCubic };
enum Edge : int64_t { kZeros, kBorder, kReflection };

// One coordinate of the points, in cells of a line of `size`.
struct Axis {
  int64_t size;
  bool align_corners;
  int64_t edge;

  double last() const { return double(size - 1); }
  Tensor cells(const Tensor& g) const {
    return align_corners ? (g + 1) * (last() / 2) : ((g + 1) * double(size) - 1) * 0.5;
  }
  // Who stands at the edge or beyond has no slope, as in PyTorch.
  Tensor within(const Tensor& at) const {
    const Tensor inside =
        ops::logical_and(ops::gt_scalar(at, Scalar(0.0)), ops::lt_scalar(at, Scalar(last())));
    return ops::where(inside, at, ops::clamp(ops::detach(at), Scalar(0.0), Scalar(last())));
  }
  Tensor bounded(const Tensor& given) const {
    if (edge == kZeros) return given;
    if (edge == kBorder) return within(ops::masked_fill(given, ops::isnan(given), Scalar(0.0)));
    // As PyTorch.
    const Tensor at = ops::masked_fill(given, ops::logical_not(ops::isfinite(given)), Scalar(0.0));
    const double low = align_corners ? 0 : -0.5, span = align_corners ? last() : double(size);
    if (span == 0) return at * 0;
    const Tensor folded = ops::remainder_scalar(ops::abs(at - low), Scalar(2 * span));
    return within(span - ops::abs(folded - span) + low);
  }
  Tensor holds(const Tensor& cell) const {
    return ops::logical_and(ops::ge_scalar(cell, Scalar(0.0)), ops::lt_scalar(cell, Scalar(double(size))));
  }
  Tensor limited(const Tensor& cell) const {
    return ops::cast(ops::clamp(cell, Scalar(0.0), Scalar(last())), DType::i64);
  }
};

// input (N, C, *S) at whole cells, one tensor (N, *P) for each dimension of S; 0 outside.
Tensor read(const Tensor& flat, std::span<const Axis> axes, std::span<const Tensor> cells,
            const Shape& result) {
  Tensor at, inside;
  for (size_t d = 0; d < axes.size(); ++d) {
    const Tensor cell = axes[d].limited(cells[d]), held = axes[d].holds(cells[d]);
    at = at ? ops::add(ops::mul_scalar(at, Scalar(axes[d].size)), cell) : cell;
    inside = inside ? ops::logical_and(inside, held) : held;
  }
  const int64_t n = flat.size(0), c = flat.size(1), points = at.numel() / std::max<int64_t>(n, 1);
  const Tensor got =
      ops::gather(flat, 2, ops::expand(ops::reshape(at, Shape{n, 1, points}), Shape{n, c, points}));
  const Tensor values = ops::reshape(got, result);
  // Not a product: 0 times infinity is NaN.
  return where_or_zero(ops::expand(ops::unsqueeze(inside, 1), values.sizes()), values);
}

// What the taps at cell - 1, cell, cell + 1 and cell + 2 count: Keys' convolution with A = -0.75.
std::array<Tensor, 4> cubic_weights(const Tensor& t) {
  constexpr double a = -0.75;
  auto near = [](const Tensor& d) { return ((d * (a + 2) - (a + 3)) * d) * d + 1; };
  auto far = [](const Tensor& d) { return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

}  // namespace

namespace ops {

Tensor affine_grid(const Tensor& theta, IntList size, bool align_corners) {
  check_float("affine_grid", theta, "theta");
  if (size.size() != 4 && size.size() != 5)
    fail(Code::invalid_argument,
         concat("[affine_grid] size must be (N, C, H, W) or (N, C, D, H, W), got ", size), {}, "size");
  const int64_t n = size[0], d = int64_t(size.size()) - 2;
  if (theta.ndim() != 3 || theta.size(1) != d || theta.size(2) != d + 1 || theta.size(0) != n)
    fail(Code::shape,
         concat("[affine_grid] theta must be (", n, ", ", d, ", ", d + 1, ") for size ", size, ", got shape ",
                theta.sizes()),
         {}, "theta");
  if (std::ranges::any_of(size.subspan(2), [](int64_t s) { return s < 1; }))
    fail(Code::invalid_argument, concat("[affine_grid] size must be positive, got ", size), {}, "size");
  auto axis = [&](int64_t count) {
    const double last = count == 1 ? 0 : align_corners ? 1 : double(count - 1) / double(count);
    return linspace(-last, last, count, theta.dtype(), theta.device());
  };
  const Shape plane(size.subspan(2));
  std::vector<Tensor> parts;  // x, y and z of each point, and 1
  for (int64_t k = d - 1; k >= 0; --k) {
    Shape line(size_t(d), 1);
    line[k] = plane[k];
    parts.push_back(expand(reshape(axis(plane[k]), line), plane));
  }
  parts.push_back(ones(plane, theta.dtype(), theta.device()));
  Shape result(size.subspan(2));
  result.insert(0, n);
  result.push_back(d);
  return reshape(matmul(reshape(stack(parts, -1), Shape{-1, d + 1}), transpose(theta, 1, 2)), result);
}

Tensor uncast::grid_sample(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding_mode,
                           bool align_corners) {
  check_float("grid_sample", input);
  if (mode < kNearest || mode > kCubic)
    fail(Code::invalid_argument,
         concat("[grid_sample] mode must be 0 (nearest), 1 (linear) or 2 (cubic), got ", mode), {}, "mode");
  if (padding_mode < kZeros || padding_mode > kReflection)
    fail(Code::invalid_argument,
         concat("[grid_sample] padding_mode must be 0 (zeros), 1 (border) or 2 (reflection), got ",
                padding_mode),
         {}, "padding_mode");
  const int n = input.ndim() - 2;
  if ((n != 2 && n != 3) || grid.ndim() != input.ndim() || grid.size(-1) != n ||
      grid.size(0) != input.size(0) ||
      std::ranges::any_of(input.sizes().subspan(2), [](int64_t s) { return s < 1; }))
    fail(Code::shape,
         concat("[grid_sample] takes input (N, C, H, W) and grid (N, H', W', 2), or (N, C, D, H, W) and (N, "
                "D', H', W', 3), got shapes ",
                input.sizes(), " and ", grid.sizes()),
         {}, "grid");
  // 16 bits have no room for a cell and a part of it, and in cubes large weights cancel.
  if (const DType t = promote(input.dtype(), grid.dtype()); wide_dtype(t) != t)
    return cast(uncast::grid_sample(cast(input, DType::f32), cast(grid, DType::f32), mode, padding_mode,
                                    align_corners),
                t);
  std::vector<Axis> axes;
  std::vector<Tensor> places;
  for (int d = 0; d < n; ++d) {
    axes.push_back({input.size(2 + d), align_corners, padding_mode});
    const Tensor at = axes[size_t(d)].cells(select(grid, -1, n - 1 - d));
    places.push_back(mode == kCubic ? at : axes[size_t(d)].bounded(at));
  }
  const Tensor flat = flatten(input, 2, -1);
  Shape result(grid.sizes().first(size_t(n) + 1));
  result.insert(1, input.size(1));
  auto cells = [&](auto&& of) {
    std::vector<Tensor> whole;
    for (int d = 0; d < n; ++d) whole.push_back(of(d));
    return read(flat, axes, whole, result);
  };
  if (mode == kNearest) {
    const Tensor y = cells([&](int d) { return round(detach(places[size_t(d)])); });
    if (!thread_state().grad_enabled || !requires_grad_anywhere(grid)) return y;
    const Tensor x = select(grid, -1, 0);  // a step: the grid has a gradient, of zeros
    return y + unsqueeze(masked_fill(x, ones(x.sizes(), DType::boolean, x.device()), Scalar(0.0)), 1);
  }
  std::vector<Tensor> low, part;
  for (int d = 0; d < n; ++d) {
    low.push_back(floor(detach(places[size_t(d)])));
    part.push_back(unsqueeze(places[size_t(d)] - low[size_t(d)], 1));
  }
  Tensor sum;
  if (mode == kLinear) {
    for (int corner = 0; corner < 1 << n; ++corner) {
      Tensor term = cells([&](int d) { return corner >> d & 1 ? low[size_t(d)] + 1 : low[size_t(d)]; });
      for (int d = 0; d < n; ++d) term = term * (corner >> d & 1 ? part[size_t(d)] : 1 - part[size_t(d)]);
      sum = sum ? sum + term : term;
    }
    return sum;
  }
  std::vector<std::array<Tensor, 4>> weights;
  for (const Tensor& t : part) weights.push_back(cubic_weights(t));
  for (int tap = 0; tap < 1 << (2 * n); ++tap) {  // each stands where the edge puts it
    auto at = [&](int d) { return size_t(tap >> (2 * d) & 3); };
    Tensor term =
        cells([&](int d) { return detach(axes[size_t(d)].bounded(low[size_t(d)] + (double(at(d)) - 1))); });
    for (int d = 0; d < n; ++d) term = term * weights[size_t(d)][at(d)];
    sum = sum ? sum + term : term;
  }
  return sum;
}

}  // namespace ops

}  // namespace haft
