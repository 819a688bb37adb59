// Pooling whose windows begin at random distances (Graham, arXiv:1412.6071).
#include "core/ops/windows.h"

namespace haft {

namespace {

// Where the windows of one dimension begin, (N, C, size): by steps of alpha that begin at a sample, the last one at
// the end.
Tensor begins(const Tensor& samples, int64_t from, int64_t kernel, int64_t size) {
  const Tensor last = ops::full(Shape{samples.size(0), samples.size(1), 1}, Scalar(from - kernel), DType::i64,
                                samples.device());
  if (size == 1) return last;
  const double alpha = double(from - kernel) / double(size - 1);
  auto cell = [&](const Tensor& at) { return ops::cast(at * alpha, DType::i64); };
  const Tensor first = ops::unsqueeze(samples, 2),
               steps = ops::arange(Scalar(0.0), Scalar(double(size - 1)), Scalar(1.0), samples.dtype(),
                                   samples.device());
  const Tensor parts[] = {cell(first + steps) - cell(first), last};
  return ops::cat(parts, 2);
}

std::array<Tensor, 2> fractional_max_pool(const char* op, int n, const Tensor& input, IntList kernel_size,
                                          IntList output_size, const Tensor& random_samples) {
  const Shape kernel = numbers_of(op, "kernel_size", kernel_size, n, 1, IntList()),
              size = numbers_of(op, "output_size", output_size, n, 1, IntList());
  const Batched in(op, input, n);
  const int64_t batch = in.x.size(0), channels = in.x.size(1);
  if (!std::ranges::equal(random_samples.sizes(), IntList(Shape{batch, channels, n})) ||
      !is_float(random_samples.dtype()))
    fail(Code::shape,
         concat("[", op, "] random_samples must be floating of shape ", IntList(Shape{batch, channels, n}),
                ", got ", dtype_name(random_samples.dtype()), " of shape ", random_samples.sizes()),
         {}, "random_samples");
  for (int d = 0; d < n; ++d)
    if (size[d] + kernel[d] - 1 > in.x.size(2 + d))
      fail(Code::shape,
           concat("[", op, "] ", size[d], " windows of ", kernel[d], " do not fit into dimension ", d - n,
                  " of input of shape ", input.sizes()),
           {}, "output_size");
  const Tensor flat = ops::flatten(in.x, 2, -1);
  Tensor place;
  {
    NoGradGuard off;
    const Tensor samples = ops::cast(ops::detach(random_samples),
                                     random_samples.dtype() == DType::f64 ? DType::f64 : DType::f32);
    Tensor cells;  // (N, C, *size, *kernel)
    for (int d = 0; d < n; ++d) {
      const int64_t from = in.x.size(2 + d);
      // Of planes PyTorch takes the first number for the width, of boxes for the depth.
      const Tensor first = begins(ops::select(samples, 2, n == 2 ? 1 - d : d), from, kernel[d], size[d]);
      const Tensor inside = ops::arange(Scalar(int64_t(0)), Scalar(kernel[d]), Scalar(int64_t(1)), DType::i64,
                                        samples.device());
      Shape window(2 + 2 * n, 1);
      window[0] = batch, window[1] = channels, window[2 + d] = size[d], window[2 + n + d] = kernel[d];
      const Tensor own = ops::reshape(ops::unsqueeze(first, 3) + inside, window);
      cells = cells ? ops::add(ops::mul_scalar(cells, Scalar(from)), own) : own;
    }
    int64_t count = 1, each = 1;
    for (int d = 0; d < n; ++d) count *= size[d], each *= kernel[d];
    cells = ops::reshape(cells, Shape{batch, channels, count, each});
    const Tensor values = ops::reshape(
        ops::gather(ops::detach(flat), 2, ops::reshape(cells, Shape{batch, channels, count * each})),
        cells.sizes());
    place = ops::squeeze(ops::gather(cells, 3, ops::argmax(values, 3, true)), 3);
  }
  Shape result{batch, channels};
  for (int64_t s : size) result.push_back(s);
  return {in.back(ops::reshape(ops::gather(flat, 2, place), result)), in.back(ops::reshape(place, result))};
}

}  // namespace

namespace ops {

std::array<Tensor, 2> fractional_max_pool2d(const Tensor& input, const Tensor& random_samples,
                                            IntList kernel_size, IntList output_size) {
  return fractional_max_pool("fractional_max_pool2d", 2, input, kernel_size, output_size, random_samples);
}
std::array<Tensor, 2> fractional_max_pool3d(const Tensor& input, const Tensor& random_samples,
                                            IntList kernel_size, IntList output_size) {
  return fractional_max_pool("fractional_max_pool3d", 3, input, kernel_size, output_size, random_samples);
}

}  // namespace ops

}  // namespace haft
