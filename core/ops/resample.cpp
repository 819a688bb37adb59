// Resampling, padding and the order of pixels and channels.
#include <cmath>

#include "core/ops/windows.h"
#include "core/tensor/order.h"

namespace haft {

namespace {

enum Mode : int64_t { kNearest, kLinear, kCubic, kArea, kNearestExact, kSmoothLinear, kSmoothCubic };

Tensor places(const Tensor& floats) { return ops::cast(floats, DType::i64); }

// Which of `from` elements are nearest to `size` places. That may hang on the last bit: in float32, as PyTorch.
Tensor nearest(Device device, int64_t from, int64_t size, double step, bool exact) {
  Tensor at = ops::arange(Scalar(int64_t(0)), Scalar(size), Scalar(int64_t(1)), DType::f32, device);
  if (exact) at = at + 0.5;
  return places(ops::clamp(ops::floor(at * step), Scalar(), Scalar(from - 1)));
}

void check_shuffled(const char* op, const Tensor& x, int64_t factor, const char* name) {
  if (x.ndim() < 3)
    fail(Code::shape,
         concat("[", op, "] expects input to have at least 3 dimensions, but got input with ", x.ndim(),
                " dimension(s)"),
         {}, "input");
  if (factor < 1 || factor > INT32_MAX)
    fail(Code::invalid_argument, concat("[", op, "] expects a positive ", name, ", but got ", factor), {},
         name);
}

// Sizes and order of dimensions behind the leading ones.
Tensor reordered(const Tensor& x, IntList split, IntList order, IntList joined) {
  const int64_t lead = x.ndim() - 3;
  Shape dims;
  for (int64_t d = 0; d < lead; ++d) dims.push_back(d);
  for (int64_t d : order) dims.push_back(lead + d);
  return ops::reshape(ops::permute(ops::reshape(x, sizes_with(x, lead, split)), dims),
                      sizes_with(x, lead, joined));
}

}  // namespace

// interpolate() casts what is narrower.
static void require_wide(ShapeContext& c, const char* argument) {
  const DType t = c.in(0).dtype();
  if (t != DType::f32 && t != DType::f64)
    fail(Code::dtype,
         concat("[", c.name(), "] ", argument, " must be float32 or float64, got ", dtype_name(t)), {},
         argument);
}

SHAPE(resize_axis) {
  require_wide(c, "input");
  const Tensor& x = c.in(0);
  const int64_t d = wrap_dim(c.attrs.i(0), x.ndim(), c.name());
  c.set_word(0, word(d));
  Shape y(x.sizes());
  y[d] = c.attrs.i(1);
  c.out(0, x.dtype(), y);
}
GRADIENT(resize_axis, .saves = {SIZES}) {
  const auto& a = b.attrs;
  b.set(0, ops::resize_axis_backward(b.grad(), a.i(0), b.in_sizes(0)[size_t(a.i(0))], a.b(2), a.b(3), a.d(4),
                                     a.b(5)));
}

SHAPE(resize_axis_backward) {
  require_wide(c, "grad");
  const Tensor& grad = c.in(0);
  Shape x(grad.sizes());
  x[size_t(c.attrs.i(0))] = c.attrs.i(1);
  c.out(0, grad.dtype(), x);
}
GRADIENT(resize_axis_backward, .saves = {SIZES}) {
  const auto& a = b.attrs;
  b.set(0, ops::resize_axis(b.grad(), a.i(0), b.in_sizes(0)[size_t(a.i(0))], a.b(2), a.b(3), a.d(4), a.b(5)));
}

namespace {

// The last two dimensions get the two sizes that stand first among the attributes.
void plane_rule(ShapeContext& c) {
  const Tensor& x = c.in(0);
  Shape y(x.sizes());
  y[y.size() - 2] = c.attrs.i(0);
  y[y.size() - 1] = c.attrs.i(1);
  c.out(0, x.dtype(), y);
}

}  // namespace

SHAPE(resize_plane) {
  require_wide(c, "input");
  plane_rule(c);
}
GRADIENT(resize_plane, .saves = {SIZES}) {
  const auto& a = b.attrs;
  const IntList x = b.in_sizes(0);
  const int64_t last = int64_t(x.size()) - 1;
  const Tensor lines =
      ops::resize_axis_backward(b.grad(), last - 1, x[size_t(last - 1)], a.b(2), a.b(3), a.d(4), a.b(6));
  b.set(0, ops::resize_axis_backward(lines, last, x[size_t(last)], a.b(2), a.b(3), a.d(5), a.b(6)));
}

SHAPE(pick_plane) { plane_rule(c); }
GRADIENT(pick_plane, .saves = {SIZES}) {
  const auto& a = b.attrs;
  Tensor grad = b.grad();
  for (int i : {0, 1}) {
    const IntList x = b.in_sizes(0);
    const int64_t dim = int64_t(x.size()) - 2 + i, from = x[size_t(dim)];
    Shape sizes(grad.sizes());
    sizes[dim] = from;
    grad = ops::index_add_(ops::zeros(sizes, grad.dtype(), grad.device()), dim,
                           nearest(grad.device(), from, a.i(i), a.d(2 + i), a.b(4)), grad);
  }
  b.set(0, grad);
}

namespace ops {

Tensor pixel_shuffle(const Tensor& x, int64_t r) {
  check_shuffled("pixel_shuffle", x, r, "upscale_factor");
  const int64_t c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (c % (r * r))
    fail(Code::shape,
         concat("[pixel_shuffle] expects its input's 'channel' dimension to be divisible by the square of "
                "upscale_factor, but input.size(-3)=",
                c, " is not divisible by ", r * r),
         {}, "input");
  return reordered(x, Shape{c / (r * r), r, r, h, w}, Shape{0, 3, 1, 4, 2}, Shape{c / (r * r), h * r, w * r});
}

Tensor pixel_unshuffle(const Tensor& x, int64_t r) {
  check_shuffled("pixel_unshuffle", x, r, "downscale_factor");
  const int64_t c = x.size(-3), h = x.size(-2), w = x.size(-1);
  if (h % r || w % r)
    fail(Code::shape,
         concat("[pixel_unshuffle] expects ", h % r ? "height" : "width",
                " to be divisible by downscale_factor, but ", h % r ? h : w, " is not divisible by ", r),
         {}, "input");
  return reordered(x, Shape{c, h / r, r, w / r, r}, Shape{0, 2, 4, 1, 3}, Shape{c * r * r, h / r, w / r});
}

Tensor channel_shuffle(const Tensor& x, int64_t groups) {
  if (x.ndim() < 3)
    fail(Code::shape,
         concat("[channel_shuffle] takes (N, C, *) with at least 3 dimensions, got shape ", x.sizes()), {},
         "input");
  const int64_t n = x.size(0), c = x.size(1);
  if (groups < 1 || c % groups)
    fail(Code::invalid_argument,
         concat("[channel_shuffle] Number of channels must be divisible by groups. Got ", c, " channels and ",
                groups, " groups."),
         {}, "groups");
  Shape split{n, groups, c / groups};
  for (int64_t s : x.sizes().subspan(2)) split.push_back(s);
  return reshape(transpose(reshape(x, split), 1, 2), x.sizes());
}

Tensor interpolate(const Tensor& input, IntList size, int64_t given, bool align_corners, double scale_w,
                   double scale_h, double scale_d) {
  const int n = int(input.ndim()) - 2;
  if (n < 1 || n > 3)
    fail(Code::shape,
         concat("[interpolate] takes (N, C, *) with 1 to 3 dimensions behind the channels, got shape ",
                input.sizes()),
         {}, "input");
  if (given < kNearest || given > kSmoothCubic)
    fail(Code::invalid_argument,
         concat("[interpolate] mode must be 0 (nearest), 1 (linear), 2 (cubic), 3 (area), 4 (nearest exact), "
                "or 5 (linear) or 6 (cubic) with "
                "antialiasing, got ",
                given),
         {}, "mode");
  const bool antialias = given >= kSmoothLinear;
  const int64_t mode = given == kSmoothLinear ? kLinear : given == kSmoothCubic ? kCubic : given;
  if (mode == kCubic && n != 2)
    fail(Code::shape, concat("[interpolate] the cubic mode takes (N, C, H, W), got shape ", input.sizes()),
         {}, "input");
  if (antialias && n != 2)
    fail(Code::shape, concat("[interpolate] antialiasing takes (N, C, H, W), got shape ", input.sizes()), {},
         "input");
  for (auto [scale, name] :
       {std::pair(scale_w, "scale_w"), std::pair(scale_h, "scale_h"), std::pair(scale_d, "scale_d")})
    if (!(scale >= 0) || std::isinf(scale))
      fail(Code::invalid_argument,
           concat("[interpolate] ", name, " must be a number from 0 up (0: from the sizes), got ", scale), {},
           name);
  const bool picks = mode == kNearest || mode == kNearestExact;
  const bool bytes = input.dtype() == DType::u8 && (mode == kLinear || mode == kCubic);
  if (!picks && !bytes) check_float("interpolate", input);
  const Shape out = numbers_of("interpolate", "size", size, n, 1, IntList());
  for (int64_t s : input.sizes().subspan(2))
    if (s < 1)
      fail(Code::shape, concat("[interpolate] input has no elements to take from: shape ", input.sizes()), {},
           "input");
  if (mode == kArea)
    return n == 1   ? adaptive_avg_pool1d(input, out)
           : n == 2 ? adaptive_avg_pool2d(input, out)
                    : adaptive_avg_pool3d(input, out);
  Tensor x = picks ? input : as_dtype(input, bytes ? DType::f32 : wide_dtype(input.dtype()));
  // Devices resample a dimension at a time, whatever follows it: maps that lie channels last stay so.
  const bool last = n == 2 && !x.device().is_cpu() && !is_batched(x) && !x.is_contiguous() &&
                    is_channels_last(x.sizes(), x.strides());
  if (last) x = permute(x, Shape{0, 2, 3, 1});
  struct Side {
    int64_t dim, from, to;
    double step, ratio;
  };
  std::vector<Side> sides;
  for (int64_t i = n - 1; i >= 0; --i) {  // rows before columns
    const int64_t dim = (last ? 1 : 2) + i, from = x.size(int(dim)), to = out[i];
    const double scale = i == n - 1 ? scale_w : i == n - 2 ? scale_h : scale_d;
    if ((mode == kLinear || antialias) && from == to) continue;  // a copy, whatever the factor: as PyTorch
    sides.push_back(
        {dim, from, to, scale > 0 ? 1 / scale : double(from) / double(to), double(to) / double(from)});
  }
  // What shrinks most first: the least to read. Bytes are rounded in between: rows, then columns, as PyTorch and PIL.
  if (!bytes) std::ranges::stable_sort(sides, {}, [](const Side& s) { return s.ratio; });
  auto is_last = [&](size_t i, int64_t from_end) {
    return i < sides.size() && sides[i].dim == x.ndim() - from_end;
  };
  for (size_t i = 0; i < sides.size(); ++i) {
    const Side& s = sides[i];
    const bool rows = is_last(i, 1) && is_last(i + 1, 2), columns = is_last(i, 2) && is_last(i + 1, 1);
    if ((rows || columns) && !bytes && x.device().is_cpu()) {  // an image: both at once
      const Side &h = sides[rows ? i + 1 : i], &w = sides[rows ? i : i + 1];
      x = picks ? pick_plane(x, h.to, w.to, h.step, w.step, mode == kNearestExact)
                : resize_plane(x, h.to, w.to, mode == kCubic, align_corners, h.step, w.step, antialias);
      ++i;
      continue;
    }
    x = picks ? index_select(x, s.dim, nearest(x.device(), s.from, s.to, s.step, mode == kNearestExact))
              : resize_axis(x, s.dim, s.to, mode == kCubic, align_corners, s.step, antialias);
    if (bytes) x = clamp(floor(x + 0.5), Scalar(0.0), Scalar(255.0));  // halves go up
  }
  if (last) x = permute(x, Shape{0, 3, 1, 2});
  return as_dtype(x, input.dtype());
}

Tensor pad(const Tensor& input, IntList sides, int64_t mode, Scalar value) {
  enum { kConstant, kReflect, kReplicate, kCircular };
  if (sides.size() % 2)
    fail(Code::invalid_argument, concat("[pad] Padding length must be divisible by 2, got ", sides), {},
         "pad");
  if (int64_t(sides.size()) / 2 > input.ndim())
    fail(Code::invalid_argument,
         concat("[pad] Padding length too large: ", sides, " for shape ", input.sizes()), {}, "pad");
  if (mode < kConstant || mode > kCircular)
    fail(Code::invalid_argument,
         concat("[pad] mode must be 0 (constant), 1 (reflect), 2 (replicate) or 3 (circular), got ", mode),
         {}, "mode");
  Shape size(input.sizes());
  for (size_t k = 0; k < sides.size(); k += 2) {
    const int64_t dim = input.ndim() - 1 - int64_t(k / 2), s = size[dim], left = sides[k],
                  right = sides[k + 1];
    if (std::min(left, right) < -kMaxNumel || (mode == kConstant && std::max(left, right) > kMaxNumel))
      fail(Code::overflow, concat("[pad] padding of ", sides, " is too large"), {}, "pad");
    const int64_t most = mode == kReflect               ? s - 1
                         : mode == kCircular            ? s
                         : mode == kReplicate && s == 0 ? 0
                         : mode == kReplicate           ? (kMaxNumel - s) / 2
                                                        : kMaxNumel;
    if (std::max(left, right) > most)
      fail(Code::shape,
           concat("[pad] ",
                  mode == kCircular ? "Padding value causes wrapping around more than once"
                                    : "Padding size should be less than the corresponding input dimension",
                  ", but got: padding (", left, ", ", right, ") at dimension ", dim, " of input ",
                  input.sizes()),
           {}, "pad");
    size[dim] += left + right;
    // At an edge that repeats, what one side takes away may be what the other has put there.
    const bool repeats = mode == kReflect || mode == kReplicate;
    const int64_t kept = s + std::min<int64_t>(left, 0) + std::min<int64_t>(right, 0);
    if ((repeats ? size[dim] : kept) < 0)
      fail(Code::shape,
           concat("[pad] The input size ", s, ", plus negative padding ", left, " and ", right,
                  ", resulted in a negative output size at dimension ", dim),
           {}, "pad");
    if (mode == kCircular && kept == 0 && size[dim] > 0)
      fail(Code::shape,
           concat("[pad] nothing is left to repeat: padding (", left, ", ", right, ") at dimension ", dim,
                  " of input ", input.sizes()),
           {}, "pad");
  }
  checked_numel(size);
  // Two of the four have a class under autocast, PyTorch's.
  const bool reflects = mode == kReflect || mode == kReplicate;
  if (reflects && thread_state().modes & kModeAutocast) {
    AutocastScope cast(F32CAST, {&input});
    return pad(cast[0], sides, mode, value);
  }
  Tensor x = input;
  if (mode != kConstant) {
    for (size_t k = 0; k < sides.size(); k += 2) {
      const int64_t dim = x.ndim() - 1 - int64_t(k / 2);
      int64_t s = x.size(int(dim)), left = sides[k], right = sides[k + 1];
      if (!left && !right) continue;
      if (mode == kCircular && std::min(left, right) < 0) {  // what is left is what repeats
        x = slice(x, dim, std::max<int64_t>(-left, 0), s + std::min<int64_t>(right, 0));
        s = x.size(int(dim)), left = std::max<int64_t>(left, 0), right = std::max<int64_t>(right, 0);
      }
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
    const int64_t dim = x.ndim() - 1 - int64_t(k / 2), before = std::max<int64_t>(-sides[k], 0),
                  s = x.size(int(dim));
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
