// Rules for many examples: operators that go along dimensions, and indexing.
#include <algorithm>

#include "core/ops/batching_layers.h"

namespace haft {

Shape with_examples(int64_t size, IntList sizes) {
  Shape all{size};
  for (int64_t s : sizes) all.push_back(s);
  return all;
}

Shape behind_examples(IntList dims, int64_t ndim) {
  Shape shifted;
  for (int64_t d : dims) shifted.push_back((d < 0 ? d + std::max<int64_t>(ndim, 1) : d) + 1);
  return shifted;
}

bool BatchCall::any(std::initializer_list<size_t> inputs) const {
  return std::ranges::any_of(inputs, [&](size_t i) { return i < many.size() && many[i]; });
}

Tensor BatchCall::all(size_t i) const {
  const Tensor& x = in[i];
  if (!x.defined() || many[i]) return x;
  return ops::expand(x, with_examples(size, x.sizes()));
}

void BatchCall::set_ints(int at, IntList list) {
  words[size_t(at)] = uint64_t(words.size()) << 32 | uint64_t(list.size());
  for (int64_t v : list) words.push_back(uint64_t(v));
}

void BatchCall::run() {
  std::vector<const Tensor*> inputs;
  for (const Tensor& t : in) inputs.push_back(&t);
  dispatch({.op = op,
            .n_in = uint16_t(in.size()),
            .n_out = uint8_t(out.size()),
            .in = inputs.data(),
            .words = words,
            .out = out.data()});
}

void loop_over_examples(BatchCall& b, int64_t step) {
  if (b.size == 0) {
    for (size_t k = 0; k < b.out.size(); ++k) {
      const Tensor* like = nullptr;
      for (const Tensor& t : b.in)
        if (t.defined() && !like) like = &t;
      b.out[k] = ops::zeros(with_examples(0, b.results[k].sizes()), b.results[k].dtype,
                            like ? like->device() : kDefaultDevice);
    }
    return;
  }
  const int8_t offset = op_info(b.op).offset_word;
  const std::vector<Tensor> whole = b.in;
  const std::vector<uint64_t> words = b.words;
  std::vector<std::vector<Tensor>> rows(b.out.size());
  std::vector<Tensor> row(b.out.size());
  const std::span<Tensor> out = std::exchange(b.out, row);
  for (int64_t i = 0; i < b.size; ++i) {
    for (size_t k = 0; k < whole.size(); ++k)
      if (b.many[k]) b.in[k] = ops::select(whole[k], 0, i);
    b.words = words;
    if (offset >= 0) b.words[size_t(offset)] += uint64_t(i * step);
    b.run();
    for (size_t k = 0; k < row.size(); ++k) rows[k].push_back(std::move(row[k]));
  }
  for (size_t k = 0; k < out.size(); ++k) out[k] = ops::stack(rows[k], 0);
}

namespace {

// ---- along dimensions ----

// All inputs with their examples; those of no dimensions get one, which is dimension 1 then.
void spread_inputs(BatchCall& b) {
  for (size_t i = 0; i < b.in.size(); ++i) {
    if (!b.has(i)) continue;
    b.in[i] = b.all(i);
    if (b.ndim(i) == 0) b.in[i] = ops::unsqueeze(b.in[i], 1);
  }
}

void in_rows(BatchCall& b) {
  for (size_t i = 0; i < b.in.size(); ++i) b.in[i] = b.all(i);
  b.run();
}

// The dimension is word `at`, of input 0.
template <int at>
void along(BatchCall& b) {
  const int64_t dim = b.attrs().i(at), ndim = std::max<int64_t>(b.ndim(0), 1);
  spread_inputs(b);
  b.words[at] = word((dim < 0 ? dim + ndim : dim) + 1);
  b.run();
}

// A list of dimensions in word 0; none of them: all.
void over(BatchCall& b) {
  const int64_t ndim = std::max<int64_t>(b.ndim(0), 1);
  Shape dims = behind_examples(b.attrs().ints(0), ndim);
  for (int64_t d = 1; d <= ndim && b.attrs().ints(0).empty(); ++d) dims.push_back(d);
  spread_inputs(b);
  b.set_ints(0, dims);
  b.run();
}

// Vectors without elements are left out among tensors of more dimensions.
void join(BatchCall& b) {
  std::vector<Tensor> parts;
  for (size_t i = 0; i < b.in.size(); ++i)
    if (b.ndim(i) == int64_t(b.results[0].ndim)) parts.push_back(b.all(i));
  b.out[0] = ops::cat(parts, b.attrs().i(0) + 1);
}

// Leading dimensions broadcast from the right: examples stay in front of them.
void triangular_system(BatchCall& b) {
  const int64_t ndim = std::max(b.ndim(0), b.ndim(1));
  for (size_t i = 0; i < 2; ++i) {
    Tensor x = b.all(i);
    for (int64_t d = b.ndim(i); d < ndim; ++d) x = ops::unsqueeze(x, 1);
    b.in[i] = x;
  }
  b.run();
}

void index_of_extreme(BatchCall& b) {
  if (b.attrs().i(0) != kNone) return along<0>(b);
  b.in[0] = ops::reshape(b.all(0), Shape{b.size, b.logical[0]->numel()});
  b.words[0] = word(int64_t(1));
  b.run();
}

void flip(BatchCall& b) {
  if (b.ndim(0) == 0) return in_rows(b);
  b.set_ints(0, behind_examples(b.attrs().ints(0), b.ndim(0)));
  in_rows(b);
}

void roll(BatchCall& b) {
  const bool flat = b.attrs().ints(1).empty();
  const Shape dims = flat ? Shape{1} : behind_examples(b.attrs().ints(1), b.ndim(0));
  b.in[0] = flat ? ops::reshape(b.all(0), Shape{b.size, b.logical[0]->numel()}) : b.all(0);
  b.set_ints(1, dims);
  b.run();
}

void scatter_strided(BatchCall& b) {
  const int64_t numel = b.logical[0]->numel();
  const Shape size(b.attrs().ints(0)), stride(b.attrs().ints(1));
  b.set_ints(0, with_examples(b.size, size));
  b.set_ints(1, with_examples(numel, stride));
  in_rows(b);
}

void search(BatchCall& b) {
  if (b.ndim(0) > 1) return in_rows(b);
  b.in[1] = b.many[0] ? ops::reshape(b.all(1), Shape{b.size, b.logical[1]->numel()}) : b.all(1);
  b.run();
}

// ---- random numbers: those of an example follow one another ----

void draw_sizes(BatchCall& b) {
  b.set_ints(0, with_examples(b.size, b.attrs().ints(0)));
  b.run();
}

// ---- indexing ----

// The positions along a dimension, one list for each example, as one for each element of x.
Tensor positions(const Tensor& index, int64_t dim, IntList sizes) {
  Shape flat{index.size(0)}, wide(sizes);
  for (int64_t d = 1; d < int64_t(sizes.size()); ++d)
    flat.push_back(d == dim ? index.numel() / index.size(0) : 1);
  wide[dim] = flat[dim];
  return ops::expand(ops::reshape(index, flat), wide);
}

void index_select(BatchCall& b) {
  if (!b.many[1]) {
    const Tensor index = b.in[1];
    const int64_t dim = b.attrs().i(0);
    spread_inputs(b);
    b.in[1] = index;
    b.words[0] = word(dim + 1);
    return b.run();
  }
  if (b.ndim(0) == 0 || b.size == 0) return loop_over_examples(b, 0);
  const int64_t dim = b.attrs().i(0);
  const Tensor index = b.in[1];
  if (!b.many[0]) {
    const Tensor y = ops::index_select(b.in[0], dim, ops::reshape(index, Shape{-1}));
    const int64_t to[] = {0}, from[] = {dim}, parts[] = {b.size, index.numel() / b.size};
    b.out[0] = ops::movedim(ops::unflatten(y, dim, parts), from, to);
    return;
  }
  b.out[0] = ops::gather(b.in[0], dim + 1, positions(index, dim + 1, b.in[0].sizes()));
}

void index_add(BatchCall& b) {
  if (b.ndim(0) == 0 || b.size == 0) return loop_over_examples(b, 0);
  const int64_t dim = b.attrs().i(0);
  const Tensor index = b.in[1], x = b.all(0), source = b.all(2);
  b.out[0] = b.many[1] ? ops::scatter_add(x, dim + 1, positions(index, dim + 1, source.sizes()), source)
                       : ops::index_add(x, dim + 1, index, source);
}

// Advanced indices of all examples: where they differ, the example's number is one more index.
struct Indexing {
  std::vector<Tensor> indices;
  bool numbered = false;
  int64_t first = -1, used = 0, rank = 0;  // the place, number and dimensions of an example's indices
  bool together = true;                    // so that they keep their place

  Indexing(const BatchCall& b, size_t from) {
    int64_t last = -1;
    for (size_t i = from; i < b.in.size(); ++i) {
      numbered |= b.many[i];
      if (!b.has(i)) continue;
      const int64_t at = int64_t(i - from);
      together &= last < 0 || at == last + 1;
      if (first < 0) first = at;
      last = at;
      ++used;
      rank = std::max(rank, b.ndim(i));
    }
    numbered &= used > 0;
    if (numbered) {
      Shape sizes{b.size};
      for (int64_t d = 0; d < rank; ++d) sizes.push_back(1);
      indices.push_back(
          ops::reshape(ops::arange(int64_t(0), b.size, int64_t(1), DType::i64, b.in[0].device()), sizes));
    } else {
      indices.emplace_back();
    }
    for (size_t i = from; i < b.in.size(); ++i) {
      Tensor index = b.in[i];
      if (b.many[i] && b.ndim(i) < rank) {  // in broadcasting, the examples stay in front
        Shape sizes{b.size};
        for (int64_t d = b.ndim(i); d < rank; ++d) sizes.push_back(1);
        for (int64_t s : b.logical[i]->sizes()) sizes.push_back(s);
        index = ops::reshape(index, sizes);
      }
      indices.push_back(std::move(index));
    }
  }
  // How an example's dimensions lie in a result that has (examples, those of the indices, all others): as `first` says.
  Shape order(int64_t ndim) const {
    const int64_t before = together ? first : 0;
    Shape dims{0};
    for (int64_t d = 0; d < before; ++d) dims.push_back(1 + rank + d);
    for (int64_t d = 0; d < rank; ++d) dims.push_back(1 + d);
    for (int64_t d = before; d < ndim - rank; ++d) dims.push_back(1 + rank + d);
    return dims;
  }
};

void index(BatchCall& b) {
  const Indexing i(b, 1);
  const int64_t ndim = int64_t(b.results[0].ndim);
  Tensor y = ops::index(b.all(0), i.indices);
  if (i.numbered) {
    // Joined with the examples' numbers, indices stand in front unless they did already.
    b.out[0] = i.first == 0 && i.together ? y : ops::permute(y, i.order(ndim));
  } else if (i.used && !i.together) {  // (indices, examples, others)
    const int64_t from[] = {i.rank}, to[] = {0};
    b.out[0] = ops::movedim(y, from, to);
  } else {
    b.out[0] = y;
  }
}

void index_put(BatchCall& b) {
  const Indexing i(b, 2);
  Tensor values = b.all(1);
  // The shape rule gave values the shape that is indexed.
  if (i.numbered && !(i.first == 0 && i.together)) {
    const Shape order = i.order(b.ndim(1));
    Shape back(order.size());
    for (int64_t d = 0; d < order.size(); ++d) back[order[d]] = d;
    values = ops::permute(values, back);
  } else if (!i.numbered && i.used && !i.together) {
    const int64_t from[] = {0}, to[] = {i.rank};
    values = ops::movedim(values, from, to);
  }
  b.out[0] = ops::index_put(b.all(0), i.indices, values, b.attrs().b(0));
}

// Rows of a table for each example, as those of all tables behind one another.
Tensor numbered_rows(const BatchCall& b, const Tensor& indices, int64_t rows) {
  Shape sizes{b.size};
  for (int64_t d = 1; d < indices.ndim(); ++d) sizes.push_back(1);
  const Tensor first = ops::arange(int64_t(0), b.size, int64_t(1), DType::i64, indices.device());
  return ops::add(as_dtype(indices, DType::i64), ops::reshape(ops::mul_scalar(first, rows), sizes));
}

void embedding(BatchCall& b) {
  if (!b.many[0]) return b.run();
  if (b.attrs().i(0) >= 0) return loop_over_examples(b, 0);  // rows without a gradient
  b.words[1] = b.words[2] = 0;                               // the joined table is no leaf
  const int64_t rows = b.logical[0]->size(0);
  b.in[1] = numbered_rows(b, b.all(1), rows);
  b.in[0] = ops::flatten(b.in[0], 0, 1);
  b.run();
}

void embedding_backward(BatchCall& b) {
  const int64_t rows = b.attrs().i(0), padding = b.attrs().i(1);
  const Tensor indices = b.all(1);
  Tensor grad = b.all(0);
  if (padding >= 0)
    grad = ops::masked_fill(grad, ops::unsqueeze(ops::eq_scalar(indices, padding), -1), Scalar(0.0));
  b.in = {grad, numbered_rows(b, indices, rows)};
  b.words[0] = word(rows * b.size);
  b.words[1] = word(int64_t(-1));
  b.run();
}

struct DimensionRule {
  OpId op;
  BatchRule rule;
};

constexpr DimensionRule kDimensionRules[] = {
    {OpId::sum, over},
    {OpId::mean, over},
    {OpId::prod, over},
    {OpId::amax, over},
    {OpId::amin, over},
    {OpId::any, over},
    {OpId::all, over},
    {OpId::var, over},
    {OpId::max_dim, along<0>},
    {OpId::min_dim, along<0>},
    {OpId::argmax, index_of_extreme},
    {OpId::argmin, index_of_extreme},
    {OpId::cumsum, along<0>},
    {OpId::cumprod, along<0>},
    {OpId::cummax, along<0>},
    {OpId::cummin, along<0>},
    {OpId::logcumsumexp, along<0>},
    {OpId::linear_scan, along<0>},
    {OpId::sort, along<0>},
    {OpId::topk, along<1>},
    {OpId::softmax, along<0>},
    {OpId::log_softmax, along<0>},
    {OpId::softmax_backward, along<0>},
    {OpId::log_softmax_backward, along<0>},
    {OpId::gather, along<0>},
    {OpId::scatter, along<0>},
    {OpId::scatter_add, along<0>},
    {OpId::scatter_prod, along<0>},
    {OpId::scatter_amax, along<0>},
    {OpId::scatter_amin, along<0>},
    {OpId::cat, join},
    {OpId::cross, along<0>},
    {OpId::resize_axis, along<0>},
    {OpId::resize_axis_backward, along<0>},
    {OpId::flip, flip},
    {OpId::roll, roll},
    {OpId::tril, in_rows},
    {OpId::triu, in_rows},
    {OpId::cast, in_rows},
    {OpId::contiguous_copy, in_rows},
    {OpId::to_device, in_rows},
    {OpId::fill, in_rows},
    {OpId::copy, in_rows},
    {OpId::gamma_slope, in_rows},
    {OpId::resize_plane, in_rows},
    {OpId::pick_plane, in_rows},
    {OpId::rotary, in_rows},
    {OpId::fourier, in_rows},
    {OpId::complex_product, in_rows},
    {OpId::complex_quotient, in_rows},
    {OpId::philox_bernoulli, in_rows},
    {OpId::philox_gamma, in_rows},
    {OpId::philox_poisson, in_rows},
    {OpId::philox_binomial, in_rows},
    {OpId::philox_dropout, in_rows},
    {OpId::cholesky_factor, in_rows},
    {OpId::lu_factors, in_rows},
    {OpId::qr_factors, in_rows},
    {OpId::eigh_factors, in_rows},
    {OpId::eig_factors, in_rows},
    {OpId::svd_factors, in_rows},
    {OpId::linalg_solve_triangular, triangular_system},
    {OpId::philox_uniform, draw_sizes},
    {OpId::philox_normal, draw_sizes},
    {OpId::philox_randint, draw_sizes},
    {OpId::as_strided_scatter, scatter_strided},
    {OpId::searchsorted, search},
    {OpId::index_select, index_select},
    {OpId::index_add, index_add},
    {OpId::index, index},
    {OpId::index_put, index_put},
    {OpId::embedding, embedding},
    {OpId::embedding_backward, embedding_backward},
};

}  // namespace

BatchRule batch_rule(OpId op) {
  for (const DimensionRule& r : kDimensionRules)
    if (r.op == op) return r.rule;
  return layer_rule(op);
}

}  // namespace haft
