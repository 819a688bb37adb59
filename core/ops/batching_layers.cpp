// Products, convolutions, pooling, norms, attention and losses: the examples go where the kernel has a dimension for
// them, the batch, the channels, or rows.
#include "core/ops/batching_layers.h"

namespace haft {

namespace {

// Input i for broadcasting against `ndim` dimensions of each example, which stand in front.
Tensor behind_ones(const BatchCall& b, size_t i, int64_t ndim) {
  if (!b.many[i]) return b.in[i];
  Shape sizes{b.size};
  for (int64_t d = b.ndim(i); d < ndim; ++d) sizes.push_back(1);
  for (int64_t s : b.logical[i]->sizes()) sizes.push_back(s);
  return ops::reshape(b.in[i], sizes);
}

// ---- products ----

Tensor front_swapped(const Tensor& x) {  // dimensions 0 and 1
  return ops::transpose(x, 0, 1);
}

// (B, M, K) x (B, K, N), where one may lack its examples.
Tensor matrix_product(const BatchCall& b, size_t i) {
  const Tensor &x = b.in[i], &y = b.in[i + 1];
  if (b.many[i] && b.many[i + 1]) return ops::bmm(x, y);
  const int64_t m = b.logical[i]->size(0), n = b.logical[i + 1]->size(1);
  if (b.many[i]) return ops::reshape(ops::mm(ops::flatten(x, 0, 1), y), Shape{b.size, m, n});
  const Tensor wide = ops::flatten(front_swapped(y), 1, 2);  // (K, B N)
  return front_swapped(ops::reshape(ops::mm(x, wide), Shape{m, b.size, n}));
}

void mm(BatchCall& b) { b.out[0] = matrix_product(b, 0); }

void bmm(BatchCall& b) {
  const int64_t batch = b.logical[0]->size(0), m = b.logical[0]->size(1), n = b.logical[1]->size(2);
  if (b.many[0] && b.many[1]) {
    b.out[0] = ops::bmm(ops::flatten(b.in[0], 0, 1), ops::flatten(b.in[1], 0, 1));
  } else if (b.many[0]) {  // rows of all examples
    const Tensor rows = ops::flatten(front_swapped(b.in[0]), 1, 2);
    b.out[0] = front_swapped(ops::reshape(ops::bmm(rows, b.in[1]), Shape{batch, b.size, m, n}));
  } else {  // columns of all examples
    const int64_t order[] = {1, 2, 0, 3}, back[] = {2, 0, 1, 3};
    const Tensor columns = ops::flatten(ops::permute(b.in[1], order), 2, 3);
    b.out[0] = ops::permute(ops::reshape(ops::bmm(b.in[0], columns), Shape{batch, m, b.size, n}), back);
  }
}

void addmm(BatchCall& b) {
  const Scalar beta = b.attrs().scalar(0), alpha = b.attrs().scalar(2);
  Tensor y = b.any({1, 2}) ? matrix_product(b, 1) : ops::mm(b.in[1], b.in[2]);
  if (alpha.to_double() != 1) y = ops::mul_scalar(y, alpha);
  if (beta.to_double() != 0) {
    const Tensor x = behind_ones(b, 0, 2);
    y = (beta.to_double() == 1 ? x : ops::mul_scalar(x, beta)) + y;
  }
  b.out[0] = y.ndim() == 2 ? ops::expand(y, with_examples(b.size, y.sizes())) : y;
}

void linear_weights(BatchCall& b) {
  const Tensor g = b.all(0), turned = ops::transpose(g, 1, 2), &x = b.in[1];
  b.out[0] = b.many[1] ? ops::bmm(turned, x)
                       : ops::reshape(ops::mm(ops::flatten(turned, 0, 1), x),
                                      Shape{b.size, turned.size(1), x.size(1)});
  b.out[1] = ops::sum(g, Shape{1});
}

// input (*, in), weight (out, in), bias (out).
void linear(BatchCall& b) {
  if (!b.any({1, 2})) return b.run();
  const int64_t in = b.logical[1]->size(1), out = b.logical[1]->size(0);
  int64_t rows = 1;
  for (int64_t d = 0; d + 1 < b.ndim(0); ++d) rows *= b.logical[0]->size(d);
  Tensor y;
  if (!b.many[1]) {
    y = ops::linear(b.in[0], b.in[1]);
    y = ops::reshape(y, Shape{b.many[0] ? b.size : 1, rows, out});
  } else if (b.many[0]) {
    y = ops::bmm(ops::reshape(b.in[0], Shape{b.size, rows, in}), ops::transpose(b.in[1], 1, 2));
  } else {
    y = ops::linear(ops::reshape(b.in[0], Shape{rows, in}), ops::flatten(b.in[1], 0, 1));
    y = front_swapped(ops::unflatten(y, 1, Shape{b.size, out}));
  }
  if (b.has(2)) y = y + (b.many[2] ? ops::unsqueeze(b.in[2], 1) : b.in[2]);
  b.out[0] = y;
}

// ---- the batch of a layer takes the examples ----

// x (B, N, ...) as (B N, ...).
Tensor batch_joined(const Tensor& x) { return x.defined() ? ops::flatten(x, 0, 1) : x; }

// Inputs that are (N, ...) of each call.
template <int... batches>
void in_batch(BatchCall& b) {
  ((b.in[batches] = batch_joined(b.all(batches))), ...);
  b.run();
}

// Losses of rows, whose weights of classes stand at `weight`.
template <int weight, int... rows>
void loss_rows(BatchCall& b) {
  if (b.any({weight})) return loop_over_examples(b, 0);
  ((b.in[rows] = b.all(rows)), ...);
  b.run();
}

// Planes (N, C, H, W) or (C, H, W); the size of the input, where it is an attribute, is word 0.
template <bool has_size, int... planes>
void pooled(BatchCall& b) {
  const bool batch = b.ndim(0) == 4;
  if (has_size) {
    Shape size(b.attrs().ints(0));
    if (batch)
      size[0] *= b.size;
    else
      size = with_examples(b.size, size);
    b.set_ints(0, size);
  }
  ((b.in[planes] = batch ? batch_joined(b.all(planes)) : b.all(planes)), ...);
  b.run();
}

// ---- the channels of a layer take the examples ----

// x (B, N, C, ...) as (N, B C, ...), and back.
Tensor to_channels(const Tensor& x) { return ops::flatten(front_swapped(x), 1, 2); }
Tensor from_channels(const Tensor& x, int64_t size) {
  return front_swapped(ops::unflatten(x, 1, Shape{size, size ? x.size(1) / size : 0}));
}

// For bias of each channel: (C) as (C, 1, 1), with examples (B, 1, C, 1, 1).
Tensor for_channels(const Tensor& bias, bool many, int64_t dims) {
  Shape sizes;
  if (many) sizes = Shape{bias.size(0), 1};
  sizes.push_back(bias.size(many));
  for (int64_t d = 0; d < dims; ++d) sizes.push_back(1);
  return ops::reshape(bias, sizes);
}

// With a weight for each example: x or its gradient in channels, groups for each. `groups` is the word of them. A
// single input for all serves as it is while there are no groups.
bool one_for_all(const BatchCall& b, size_t input, int groups) {
  return !b.many[input] && b.attrs().i(groups) == 1;
}

void convolve(BatchCall& b) {
  if (!b.any({1, 2})) return in_batch<0>(b);
  const Tensor bias = b.in[2];
  const int64_t dims = b.ndim(0) - 2;
  b.in[2] = Tensor();
  Tensor y;
  if (!b.many[1]) {
    b.in[0] = batch_joined(b.all(0));
    b.run();
    y = ops::unflatten(b.out[0], 0, Shape{b.size, b.logical[0]->size(0)});
  } else {
    if (!one_for_all(b, 0, 3)) {
      b.in[0] = to_channels(b.all(0));
      b.words[3] *= uint64_t(b.size);
    }
    b.in[1] = batch_joined(b.in[1]);
    b.run();
    y = from_channels(b.out[0], b.size);
  }
  b.out[0] = bias.defined() ? y + for_channels(bias, b.many[2], dims) : y;
}

void convolve_input(BatchCall& b) {
  Shape size(b.attrs().ints(0));
  if (!b.many[1]) {
    size[0] *= b.size;
    b.set_ints(0, size);
    return in_batch<0>(b);
  }
  size[1] *= b.size;
  b.set_ints(0, size);
  b.words[4] *= uint64_t(b.size);
  b.in[0] = to_channels(b.all(0));
  b.in[1] = batch_joined(b.in[1]);
  b.run();
  b.out[0] = from_channels(b.out[0], b.size);
}

void convolve_weight(BatchCall& b) {
  Shape size(b.attrs().ints(0));
  size[0] *= b.size;
  b.set_ints(0, size);
  if (!one_for_all(b, 1, 4)) {
    b.in[1] = to_channels(b.all(1));
    b.words[4] *= uint64_t(b.size);
  }
  b.in[0] = to_channels(b.all(0));
  b.run();
}

void channel_sum(BatchCall& b) {
  b.in[0] = to_channels(b.all(0));
  b.run();
}

// What is one number for each channel: (C) or (B, C) as (B C).
Tensor of_channels(const BatchCall& b, size_t i) {
  return b.has(i) ? ops::flatten(b.all(i), 0, 1) : Tensor();
}

void normalise_batch(BatchCall& b) {
  b.in = {to_channels(b.all(0)), of_channels(b, 1), of_channels(b, 2)};
  b.run();
  b.out[0] = from_channels(b.out[0], b.size);
}

void normalise_by_given(BatchCall& b) {
  if (!b.any({1, 2, 3, 4})) return in_batch<0>(b);
  b.in = {to_channels(b.all(0)), of_channels(b, 1), of_channels(b, 2), of_channels(b, 3), of_channels(b, 4)};
  b.run();
  b.out[0] = from_channels(b.out[0], b.size);
}

void normalise_batch_backward(BatchCall& b) {
  b.in = {to_channels(b.all(0)), to_channels(b.all(1)), of_channels(b, 2), of_channels(b, 3),
          of_channels(b, 4)};
  b.run();
  b.out[0] = from_channels(b.out[0], b.size);
}

// ---- norms of rows ----

void normalise_rows(BatchCall& b) {
  b.in[0] = b.all(0);
  if (!b.any({1, 2})) return b.run();
  const Tensor weight = b.in[1], bias = b.in[2];
  b.in[1] = b.in[2] = Tensor();
  b.run();
  Tensor y = b.out[0];
  b.in[1] = weight;
  b.in[2] = bias;
  if (weight.defined()) y = y * behind_ones(b, 1, b.ndim(0));
  if (bias.defined()) y = y + behind_ones(b, 2, b.ndim(0));
  b.out[0] = as_dtype(y, b.results[0].dtype);
}

// The kernel sums the gradients of weights over all rows: here over those of each example.
void normalise_rows_backward(BatchCall& b) {
  const int64_t ndim = b.ndim(1), rows = ndim - int64_t(b.attrs().ints(0).size());
  const Tensor grad = b.all(0), x = b.all(1), mean = b.all(3), rstd = b.all(4);
  const Shape shape(b.attrs().ints(0));
  Tensor scaled = grad, weight = b.in[2];
  if (b.any({2})) {
    scaled = as_dtype(grad * behind_ones(b, 2, ndim), grad.dtype());
    weight.reset();
  }
  b.out[0] = ops::layer_norm_backward(scaled, x, shape, weight, mean, rstd, b.attrs().b(1))[0];
  const DType wide = mean.dtype();
  const Tensor g = as_dtype(grad, wide);
  Shape dims;
  for (int64_t d = 1; d <= rows; ++d) dims.push_back(d);
  auto summed = [&](const Tensor& t) {
    return as_dtype(dims.empty() ? t : ops::sum(t, dims), b.results[1].dtype);
  };
  b.out[1] = summed(g * ((as_dtype(x, wide) - mean) * rstd));
  b.out[2] = summed(g);
}

struct LayerRule {
  OpId op;
  BatchRule rule;
};

constexpr LayerRule kLayerRules[] = {
    {OpId::mm, mm},
    {OpId::bmm, bmm},
    {OpId::addmm, addmm},
    {OpId::linear, linear},
    {OpId::linear_weight_backward, linear_weights},
    {OpId::conv2d, convolve},
    {OpId::conv2d_input, convolve_input},
    {OpId::conv2d_weight, convolve_weight},
    {OpId::conv3d_output, convolve},
    {OpId::conv3d_input, convolve_input},
    {OpId::conv3d_weight, convolve_weight},
    {OpId::channel_sum, channel_sum},
    {OpId::max_pool2d_indices, pooled<false, 0>},
    {OpId::max_pool2d_backward, pooled<true, 0, 1>},
    {OpId::max_pool2d_gather, pooled<false, 0, 1>},
    {OpId::avg_pool2d, pooled<false, 0>},
    {OpId::avg_pool2d_backward, pooled<true, 0>},
    {OpId::adaptive_avg_pool2d, pooled<false, 0>},
    {OpId::adaptive_avg_pool2d_backward, pooled<true, 0>},
    {OpId::batch_norm_stats, normalise_batch},
    {OpId::batch_norm_apply, normalise_by_given},
    {OpId::batch_norm_backward, normalise_batch_backward},
    {OpId::layer_norm_stats, normalise_rows},
    {OpId::layer_norm_backward, normalise_rows_backward},
    {OpId::attention, in_batch<0, 1, 2, 3>},
    {OpId::attention_backward, in_batch<0, 1, 2, 3, 4, 5, 6>},
    {OpId::cross_entropy_rows, loss_rows<2, 0, 1>},
    {OpId::cross_entropy_rows_backward, loss_rows<3, 0, 1, 2, 4>},
};

}  // namespace

BatchRule layer_rule(OpId op) {
  for (const LayerRule& r : kLayerRules)
    if (r.op == op) return r.rule;
  return nullptr;
}

}  // namespace haft
