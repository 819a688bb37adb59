// Resampling, grids and the order of pixels and channels.
#include <cmath>

#include "core/ops/windows.h"

namespace haft {

namespace {

enum Mode : int64_t { kNearest, kLinear, kCubic, kArea, kNearestExact };
enum GridPadding : int64_t { kZeros, kBorder, kReflection };

// A vector that stands along dim of x.
Tensor along(const Tensor& v, int64_t dim, const Tensor& x) {
  Shape s{v.numel()};
  for (int64_t d = dim + 1; d < x.ndim(); ++d) s.push_back(1);
  return ops::reshape(v, s);
}
Tensor places(const Tensor& floats) { return ops::cast(floats, DType::i64); }

Tensor nearest(const Tensor& x, int64_t dim, int64_t size, double step, bool exact) {
  // Which neighbour is nearest may hang on the last bit: as PyTorch, and 16 bits do not count that far.
  const DType type = is_float(x.dtype()) ? wide_dtype(x.dtype()) : DType::f32;
  Tensor at = ops::arange(Scalar(int64_t(0)), Scalar(size), Scalar(int64_t(1)), type, x.device());
  if (exact) at = at + 0.5;
  at = ops::clamp(ops::floor(at * step), Scalar(), Scalar(x.size(int(dim)) - 1));
  return ops::index_select(x, dim, places(at));
}

Tensor between(const Tensor& x, int64_t dim, const Tensor& source) {
  const Scalar last(x.size(int(dim)) - 1);
  const Tensor at = ops::clamp(source, Scalar(int64_t(0)), Scalar()), low = ops::clamp(ops::floor(at), Scalar(), last);
  const Tensor part = along(at - low, dim, x), first = places(low);
  const Tensor second = ops::clamp(ops::add_scalar(first, Scalar(int64_t(1))), Scalar(), last);
  return ops::index_select(x, dim, first) * (1 - part) + ops::index_select(x, dim, second) * part;
}

// Keys' convolution with A = -0.75.
Tensor cubic(const Tensor& x, int64_t dim, const Tensor& source) {
  constexpr double a = -0.75;
  const Tensor low = ops::floor(source), t = source - low, first = places(low);
  auto near = [](const Tensor& d) { return ((d * (a + 2) - (a + 3)) * d) * d + 1; };
  auto far = [](const Tensor& d) { return ((d * a - 5 * a) * d + 8 * a) * d - 4 * a; };
  const Tensor weights[] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  Tensor sum;
  for (int64_t k = 0; k < 4; ++k) {
    const Tensor at = ops::clamp(ops::add_scalar(first, Scalar(k - 1)), Scalar(int64_t(0)), Scalar(x.size(int(dim)) - 1));
    const Tensor term = ops::index_select(x, dim, at) * along(weights[k], dim, x);
    sum = sum ? sum + term : term;
  }
  return sum;
}

void check_shuffled(const char* op, const Tensor& x, int64_t factor, const char* name) {
  if (x.ndim() < 3)
    fail(Code::shape,
         concat("[", op, "] expects input to have at least 3 dimensions, but got input with ", x.ndim(), " dimension(s)"), {}, "input");
  if (factor < 1 || factor > INT32_MAX)
    fail(Code::invalid_argument, concat("[", op, "] expects a positive ", name, ", but got ", factor), {}, name);
}

// Sizes and order of dimensions behind the leading ones.
Tensor reordered(const Tensor& x, IntList split, IntList order, IntList joined) {
  const int64_t lead = x.ndim() - 3;
  Shape dims;
  for (int64_t d = 0; d < lead; ++d) dims.push_back(d);
  for (int64_t d : order) dims.push_back(lead + d);
  return ops::reshape(ops::permute(ops::reshape(x, sizes_with(x, lead, split)), dims), sizes_with(x, lead, joined));
}

}  // namespace

namespace ops {

Tensor pixel_shuffle(const Tensor& x, int64_t r) {
  check_shuffled("pixel_shuffle", x, r, "upscale_factor");
  const int64_t c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (c % (r * r))
    fail(Code::shape,
         concat("[pixel_shuffle] expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=",
                c, " is not divisible by ", r * r),
         {}, "input");
  return reordered(x, Shape{c / (r * r), r, r, h, w}, Shape{0, 3, 1, 4, 2}, Shape{c / (r * r), h * r, w * r});
}

Tensor pixel_unshuffle(const Tensor& x, int64_t r) {
  check_shuffled("pixel_unshuffle", x, r, "downscale_factor");
  const int64_t c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (h % r || w % r)
    fail(Code::shape,
         concat("[pixel_unshuffle] expects ", h % r ? "height" : "width", " to be divisible by downscale_factor, but ", h % r ? h : w,
                " is not divisible by ", r),
         {}, "input");
  return reordered(x, Shape{c, h / r, r, w / r, r}, Shape{0, 2, 4, 1, 3}, Shape{c * r * r, h / r, w / r});
}

Tensor channel_shuffle(const Tensor& x, int64_t groups) {
  if (x.ndim() < 3)
    fail(Code::shape, concat("[channel_shuffle] takes (N, C, *) with at least 3 dimensions, got shape ", x.sizes()), {}, "input");
  const int64_t n = x.size(0), c = x.size(1);
  if (groups < 1 || c % groups)
    fail(Code::invalid_argument,
         concat("[channel_shuffle] Number of channels must be divisible by groups. Got ", c, " channels and ", groups, " groups."), {}, "groups");
  Shape split{n, groups, c / groups};
  for (int64_t s : x.sizes().subspan(2)) split.push_back(s);
  return reshape(transpose(reshape(x, split), 1, 2), x.sizes());
}

Tensor interpolate(const Tensor& input, IntList size, int64_t mode, bool align_corners, double scale_w, double scale_h, double scale_d) {
  const int n = int(input.ndim()) - 2;
  if (n < 1 || n > 3)
    fail(Code::shape, concat("[interpolate] takes (N, C, *) with 1 to 3 dimensions behind the channels, got shape ", input.sizes()), {}, "input");
  if (mode < kNearest || mode > kNearestExact)
    fail(Code::invalid_argument, concat("[interpolate] mode must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area) or 4 (nearest exact), got ", mode),
         {}, "mode");
  if (mode == kCubic && n != 2)
    fail(Code::shape, concat("[interpolate] the cubic mode takes (N, C, H, W), got shape ", input.sizes()), {}, "input");
  const bool picks = mode == kNearest || mode == kNearestExact;
  if (!picks) check_float("interpolate", input);
  const Shape out = numbers_of("interpolate", "size", size, n, 1, IntList());
  for (int64_t s : input.sizes().subspan(2))
    if (s < 1) fail(Code::shape, concat("[interpolate] input has no elements to take from: shape ", input.sizes()), {}, "input");
  if (mode == kArea)
    return n == 1 ? adaptive_avg_pool1d(input, out) : n == 2 ? adaptive_avg_pool2d(input, out) : adaptive_avg_pool3d(input, out);
  Tensor x = picks ? input : as_dtype(input, wide_dtype(input.dtype()));
  for (int i = 0; i < n; ++i) {
    const int64_t dim = 2 + i, from = x.size(int(dim)), to = out[i];
    const double scale = i == n - 1 ? scale_w : i == n - 2 ? scale_h : scale_d;
    if (mode == kLinear && from == to) continue;  // a copy, whatever the factor: as PyTorch
    const double step = scale > 0 ? 1 / scale : double(from) / double(to);
    if (picks) {
      x = nearest(x, dim, to, step, mode == kNearestExact);
      continue;
    }
    Tensor at = arange(Scalar(int64_t(0)), Scalar(to), Scalar(int64_t(1)), x.dtype(), x.device());
    at = align_corners ? at * (to > 1 ? double(from - 1) / double(to - 1) : 0.0) : (at + 0.5) * step - 0.5;
    x = mode == kLinear ? between(x, dim, at) : cubic(x, dim, at);
  }
  return as_dtype(x, input.dtype());
}

Tensor affine_grid(const Tensor& theta, IntList size, bool align_corners) {
  check_float("affine_grid", theta, "theta");
  if (size.size() != 4) fail(Code::invalid_argument, concat("[affine_grid] size must be (N, C, H, W), got ", size), {}, "size");
  const int64_t n = size[0], h = size[2], w = size[3];
  if (theta.ndim() != 3 || theta.size(1) != 2 || theta.size(2) != 3 || theta.size(0) != n)
    fail(Code::shape,
         concat("[affine_grid] Expected a batch of 2D affine matrices of shape Nx2x3 for size ", size, ". Got ", theta.sizes(), "."), {}, "theta");
  if (h < 1 || w < 1) fail(Code::invalid_argument, concat("[affine_grid] size must be positive, got ", size), {}, "size");
  auto axis = [&](int64_t count) {
    const double last = count == 1 ? 0 : align_corners ? 1 : double(count - 1) / double(count);
    return linspace(-last, last, count, theta.dtype(), theta.device());
  };
  const Shape plane{h, w};
  const Tensor one = ones(plane, theta.dtype(), theta.device());
  const Tensor parts[] = {expand(axis(w), plane), expand(unsqueeze(axis(h), 1), plane), one};
  const Tensor points = reshape(stack(parts, -1), Shape{h * w, 3});
  return reshape(matmul(points, transpose(theta, 1, 2)), Shape{n, h, w, 2});
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding_mode, bool align_corners) {
  check_float("grid_sample", input);
  if (mode != kNearest && mode != kLinear)
    fail(Code::invalid_argument, concat("[grid_sample] mode must be 0 (nearest) or 1 (bilinear), got ", mode), {}, "mode");
  if (padding_mode < kZeros || padding_mode > kReflection)
    fail(Code::invalid_argument, concat("[grid_sample] padding_mode must be 0 (zeros), 1 (border) or 2 (reflection), got ", padding_mode), {},
         "padding_mode");
  if (input.ndim() != 4 || grid.ndim() != 4 || grid.size(3) != 2 || grid.size(0) != input.size(0) || input.size(2) < 1 || input.size(3) < 1)
    fail(Code::shape,
         concat("[grid_sample] takes input (N, C, H, W) and grid (N, H', W', 2), got shapes ", input.sizes(), " and ", grid.sizes()), {}, "grid");
  const int64_t n = input.size(0), c = input.size(1), h = input.size(2), w = input.size(3);
  auto place = [&](const Tensor& g, int64_t size) {
    const double last = double(size - 1);
    Tensor at = align_corners ? (g + 1) * (last / 2) : ((g + 1) * double(size) - 1) * 0.5;
    // Who stands at the edge or beyond has no slope, as in PyTorch.
    auto within = [&](const Tensor& i) {
      const Tensor inside = logical_and(gt_scalar(i, Scalar(0.0)), lt_scalar(i, Scalar(last)));
      return where(inside, i, clamp(detach(i), Scalar(0.0), Scalar(last)));
    };
    if (padding_mode == kBorder) return within(at);
    if (padding_mode == kZeros) return at;
    const double low = align_corners ? 0 : -0.5, span = align_corners ? last : double(size);
    if (span == 0) return at * 0;
    at = remainder_scalar(abs(at - low), Scalar(2 * span));
    return within(span - abs(at - span) + low);
  };
  const Tensor x = place(select(grid, -1, 0), w), y = place(select(grid, -1, 1), h), flat = reshape(input, Shape{n, c, h * w});
  const Shape points{n, 1, x.size(1) * x.size(2)}, result{n, c, x.size(1), x.size(2)};
  auto read = [&](const Tensor& ix, const Tensor& iy) {
    auto inside = [](const Tensor& i, int64_t size) {
      return logical_and(ge_scalar(i, Scalar(int64_t(0))), lt_scalar(i, Scalar(size)));
    };
    auto limited = [](const Tensor& i, int64_t size) { return places(clamp(i, Scalar(int64_t(0)), Scalar(size - 1))); };
    const Tensor at = add(mul_scalar(limited(iy, h), Scalar(w)), limited(ix, w));
    const Tensor got = reshape(gather(flat, 2, expand(reshape(at, points), Shape{n, c, points[2]})), result);
    return got * unsqueeze(cast(logical_and(inside(ix, w), inside(iy, h)), input.dtype()), 1);
  };
  if (mode == kNearest) return read(round(detach(x)), round(detach(y)));
  const Tensor left = floor(detach(x)), top = floor(detach(y)), right = left + 1, below = top + 1;
  const Tensor fx = unsqueeze(x - left, 1), fy = unsqueeze(y - top, 1), gx = 1 - fx, gy = 1 - fy;
  return read(left, top) * gx * gy + read(right, top) * fx * gy + read(left, below) * gx * fy + read(right, below) * fx * fy;
}

Tensor pad(const Tensor& input, IntList sides, int64_t mode, Scalar value) {
  enum { kConstant, kReflect, kReplicate, kCircular };
  if (sides.size() % 2) fail(Code::invalid_argument, concat("[pad] Padding length must be divisible by 2, got ", sides), {}, "pad");
  if (int64_t(sides.size()) / 2 > input.ndim())
    fail(Code::invalid_argument, concat("[pad] Padding length too large: ", sides, " for shape ", input.sizes()), {}, "pad");
  if (mode < kConstant || mode > kCircular)
    fail(Code::invalid_argument, concat("[pad] mode must be 0 (constant), 1 (reflect), 2 (replicate) or 3 (circular), got ", mode), {}, "mode");
  Shape size(input.sizes());
  for (size_t k = 0; k < sides.size(); k += 2) {
    const int64_t dim = input.ndim() - 1 - int64_t(k / 2), s = size[dim], left = sides[k], right = sides[k + 1];
    if (std::min(left, right) < -kMaxNumel || (mode == kConstant && std::max(left, right) > kMaxNumel))
      fail(Code::overflow, concat("[pad] padding of ", sides, " is too large"), {}, "pad");
    const int64_t most = mode == kReflect ? s - 1 : mode == kCircular ? s : mode == kReplicate && s == 0 ? 0 : mode == kReplicate ? (kMaxNumel - s) / 2 : kMaxNumel;
    if (std::max(left, right) > most)
      fail(Code::shape,
           concat("[pad] ", mode == kCircular ? "Padding value causes wrapping around more than once"
                            : "Padding size should be less than the corresponding input dimension",
                  ", but got: padding (", left, ", ", right, ") at dimension ", dim, " of input ", input.sizes()),
           {}, "pad");
    size[dim] += left + right;
    if (s + std::min<int64_t>(left, 0) + std::min<int64_t>(right, 0) < 0)
      fail(Code::shape,
           concat("[pad] The input size ", s, ", plus negative padding ", left, " and ", right, ", resulted in a negative output size at dimension ",
                  dim),
           {}, "pad");
  }
  checked_numel(size);
  Tensor x = input;
  if (mode != kConstant) {
    for (size_t k = 0; k < sides.size(); k += 2) {
      const int64_t dim = x.ndim() - 1 - int64_t(k / 2), s = x.size(int(dim)), left = sides[k], right = sides[k + 1];
      if (!left && !right) continue;
      Tensor at = counts(-left, s + right, x);
      if (mode == kReplicate)
        at = clamp(at, Scalar(int64_t(0)), Scalar(s - 1));
      else if (mode == kCircular)
        at = remainder_scalar(at, Scalar(s));
      else  // 2 1 | 0 1 2 | 1 0
        at = rsub_scalar(abs(rsub_scalar(abs(at), Scalar(s - 1))), Scalar(s - 1));
      x = index_select(x, dim, at);
    }
    return x;
  }
  for (size_t k = 0; k < sides.size(); k += 2) {  // what negative numbers take away
    const int64_t dim = x.ndim() - 1 - int64_t(k / 2), before = std::max<int64_t>(-sides[k], 0), s = x.size(int(dim));
    if (before || sides[k + 1] < 0) x = slice(x, dim, before, s + std::min<int64_t>(sides[k + 1], 0));
  }
  if (std::ranges::equal(x.sizes(), IntList(size))) return clone(x);
  Tensor out = full(size, value, input.dtype(), input.device()), inner = out;
  for (size_t k = 0; k < sides.size(); k += 2) {
    const int64_t dim = x.ndim() - 1 - int64_t(k / 2), before = std::max<int64_t>(sides[k], 0);
    inner = slice(inner, dim, before, before + x.size(int(dim)));
  }
  copy_(inner, x);
  return out;
}

}  // namespace ops

}  // namespace haft
