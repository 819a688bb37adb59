#include "core/parallel/tensor_parallel.h"

#include "core/autograd/hooks.h"
#include "core/nn/init.h"
#include "core/nn/text.h"
#include "core/ops/arithmetic.h"
#include "core/parallel/calls.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

namespace {

enum { kNoReduction, kMean, kSum };  // HAFT_REDUCTION_*

template <class T>
T& made_of(const char* kind, nn::Module& dense, const char* wanted) {
  if (auto* m = dynamic_cast<T*>(&dense)) return *m;
  fail(Code::invalid_argument, concat(kind, ": is made of a ", wanted, ", got a ", dense.type()), {},
       "dense");
}

// Every rank has a part, so that all record the same collectives.
void check_ranks(const char* kind, const char* what, int64_t n, dist::Group& g) {
  if (!part_of(n, g.size(), g.size() - 1).size)
    fail(Code::shape,
         concat(kind, ": ", what, " ", n, " cannot be spread over ", g.size(), " ranks: in parts of ",
                part_of(n, g.size(), 0).size, " the last rank has none"),
         "use a smaller group", "dense");
}

Tensor tensor_of(nn::Module& m, std::string_view name) {
  for (const nn::NamedTensor& p : m.named_parameters())
    if (p.name == name) return p.tensor;
  return {};
}

// The weight of a layer of which all ranks make a spread one. What one rank refuses all hear; what all refuse alike
// leaves the group alive.
template <class T, class F>
Tensor agreed_weight(dist::Group& g, const char* kind, nn::Module& dense, const char* wanted,
                     const ParallelOptions& o, F&& check) {
  Tensor weight;
  std::string facts;
  std::exception_ptr refusal;
  try {
    made_of<T>(kind, dense, wanted);
    weight = tensor_of(dense, "weight");
    check(weight);
    facts = concat("weight ", dtype_name(weight.dtype()), " ", weight.sizes(), "\nbias ",
                   tensor_of(dense, "bias").defined(), "\nblocks ", o.blocks, "\nsplit_output ",
                   o.split_output, "\nsplit_input ", o.split_input, "\nsequence_dim ", o.sequence_dim, "\n");
  } catch (const Error& e) {
    facts = e.message;
    refusal = std::current_exception();
  }
  verify_same(g, concat(kind, ": ranks differ"), facts);
  if (refusal) std::rethrow_exception(refusal);
  return weight;
}

// Rank 0's values, whole.
Tensor shared(dist::Group& g, const Tensor& t) {
  Tensor all = ops::clone(ops::detach(t));
  g.run(broadcast_job(all, 0));
  return all;
}

// This rank's part along dim, of each of several blocks of equal size.
Tensor part(dist::Group& g, const Tensor& whole, int64_t dim, int64_t blocks) {
  const int64_t block = whole.size(dim) / blocks;
  const Part p = part_of(block, g.size(), g.rank());
  std::vector<Tensor> parts;
  for (int64_t b = 0; b < blocks; ++b) parts.push_back(ops::narrow(whole, dim, b * block + p.begin, p.size));
  return ops::cat(parts, dim);
}

Tensor parameter_of(const Tensor& values, const Tensor& dense) {
  Tensor p = nn::new_parameter(values.sizes(), values.dtype(), values.device());
  ops::copy_(p, values);
  set_requires_grad(p, dense.requires_grad());
  return p;
}

Tensor outside(const Tensor& index, int64_t n) {
  return ops::logical_or(ops::lt_scalar(index, Scalar(int64_t(0))), ops::ge_scalar(index, Scalar(n)));
}
void check_range(const char* kind, const char* what, const Tensor& wrong, int64_t n) {
  if (wrong.numel() && *ops::to(ops::any(wrong), DType::none, Device{}).data<bool>())
    fail(Code::index, concat(kind, ": ", what, " holds an index outside 0 to ", n - 1), {}, what);
}

std::string facts(std::initializer_list<std::pair<const char*, int64_t>> numbers, bool bias, dist::Group& g) {
  std::string s;
  for (const auto& [name, value] : numbers) s += concat(name, "=", value, ", ");
  return concat(s, "bias=", nn::flag_text(bias), ", ranks=", g.size());
}

}  // namespace

// ---- column ----

ColumnParallelLinear::ColumnParallelLinear(const GroupRef& g, nn::Module& dense,
                                           const ParallelOptions& options)
    : Module("ColumnParallelLinear"),
      group_(g),
      o_(options),
      in_(agreed_weight<nn::Linear>(
              *g, "ColumnParallelLinear", dense, "Linear", options,
              [&](const Tensor& weight) {
                const int64_t out = weight.size(0), blocks = options.blocks;
                if (blocks < 1 || out % blocks)
                  fail(Code::invalid_argument,
                       concat("ColumnParallelLinear: ", out, " outputs are not ", blocks, " equal blocks"),
                       {}, "blocks");
                if (blocks > 1 && !options.split_output)
                  fail(Code::invalid_argument,
                       "ColumnParallelLinear: blocks stay split: gathered they would stand in another order",
                       {}, "split_output");
                check_ranks("ColumnParallelLinear", "out_features", out / blocks, *g);
              })
              .size(1)),
      out_(tensor_of(dense, "weight").size(0)) {
  or_kill(*group_, "ColumnParallelLinear", [&] {
    NoGradGuard off;
    for (const char* name : {"weight", "bias"}) {
      const Tensor whole = tensor_of(dense, name);
      register_parameter(
          name, whole ? parameter_of(part(*group_, shared(*group_, whole), 0, o_.blocks), whole) : Tensor(),
          whole && whole.requires_grad());
    }
  });
}

Tensor ColumnParallelLinear::forward(const Tensor& x) {
  return or_kill(*group_, "ColumnParallelLinear", [&] {
    const Tensor all = o_.sequence_dim == kNone ? copy_to(group_, x) : all_gather(group_, x, o_.sequence_dim);
    Tensor y = ops::linear(all, parameter(0), parameter(1));
    return o_.split_output ? y : gather_from(group_, y, -1, parts_of(out_, group_->size()));
  });
}

std::string ColumnParallelLinear::extra() const {
  return facts({{"in_features", in_}, {"out_features", out_}}, parameter(1).defined(), *group_);
}

// ---- row ----

RowParallelLinear::RowParallelLinear(const GroupRef& g, nn::Module& dense, const ParallelOptions& options)
    : Module("RowParallelLinear"),
      group_(g),
      o_(options),
      in_(agreed_weight<nn::Linear>(*g, "RowParallelLinear", dense, "Linear", options,
                                    [&](const Tensor& weight) {
                                      check_ranks("RowParallelLinear", "in_features", weight.size(1), *g);
                                    })
              .size(1)),
      out_(tensor_of(dense, "weight").size(0)) {
  or_kill(*group_, "RowParallelLinear", [&] {
    NoGradGuard off;
    const Tensor weight = tensor_of(dense, "weight"), bias = tensor_of(dense, "bias");
    register_parameter("weight", parameter_of(part(*group_, shared(*group_, weight), 1, 1), weight),
                       weight.requires_grad());
    register_parameter("bias", bias ? parameter_of(shared(*group_, bias), bias) : Tensor(),
                       bias && bias.requires_grad());
  });
}

Tensor RowParallelLinear::forward(const Tensor& x) {
  return or_kill(*group_, "RowParallelLinear", [&] {
    const Tensor mine = o_.split_input ? x : split_to(group_, x);
    const Tensor y = ops::linear(mine, parameter(0));
    if (o_.sequence_dim == kNone)
      return parameter(1) ? reduce_from(group_, y) + parameter(1) : reduce_from(group_, y);
    const Tensor part = reduce_scatter(group_, y, o_.sequence_dim);
    return parameter(1) ? part + copy_to(group_, parameter(1)) : part;  // each rank adds it to its tokens
  });
}

std::string RowParallelLinear::extra() const {
  return facts({{"in_features", in_}, {"out_features", out_}}, parameter(1).defined(), *group_);
}

// ---- embedding ----

VocabParallelEmbedding::VocabParallelEmbedding(const GroupRef& g, nn::Module& dense,
                                               const ParallelOptions& options)
    : Module("VocabParallelEmbedding"),
      group_(g),
      o_(options),
      rows_(agreed_weight<nn::Embedding>(
                *g, "VocabParallelEmbedding", dense, "Embedding", options,
                [&](const Tensor& weight) {
                  check_ranks("VocabParallelEmbedding", "num_embeddings", weight.size(0), *g);
                  const nn::TableOptions& o = static_cast<nn::Embedding&>(dense).options();
                  if (o.max_norm >= 0 || o.scale_grad_by_freq)
                    fail(Code::unsupported,
                         "VocabParallelEmbedding: the layer has max_norm or scale_grad_by_freq",
                         "spread one without them", "m");
                })
                .size(0)),
      dim_(tensor_of(dense, "weight").size(1)),
      padding_(static_cast<nn::Embedding&>(dense).options().padding_idx),
      part_(part_of(rows_, group_->size(), group_->rank())) {
  or_kill(*group_, "VocabParallelEmbedding", [&] {
    NoGradGuard off;
    const Tensor weight = tensor_of(dense, "weight");
    register_parameter("weight", parameter_of(part(*group_, shared(*group_, weight), 0, 1), weight),
                       weight.requires_grad());
  });
}

Tensor VocabParallelEmbedding::forward(const Tensor& x) {
  return or_kill(*group_, "VocabParallelEmbedding", [&] {
    check_range("VocabParallelEmbedding", "x", outside(x, rows_), rows_);
    const Tensor at = ops::sub_scalar(x, Scalar(part_.begin));
    const Tensor others = outside(at, part_.size);
    const bool padded = padding_ >= part_.begin && padding_ < part_.begin + part_.size;  // kNone is below all
    const Tensor rows = ops::embedding(parameter(0), ops::masked_fill(at, others, Scalar(int64_t(0))),
                                       padded ? padding_ - part_.begin : -1);
    const Tensor y = ops::masked_fill(rows, ops::unsqueeze(others, -1), Scalar(0.0));
    return o_.sequence_dim == kNone ? reduce_from(group_, y) : reduce_scatter(group_, y, o_.sequence_dim);
  });
}

std::string VocabParallelEmbedding::extra() const {
  return concat(rows_, ", ", dim_, ", ranks=", group_->size());
}

// ---- sequence parallel, loss ----

void sum_gradients(const GroupRef& g, nn::Module& m) {
  for (const Tensor& p : m.parameters())
    if (p.requires_grad()) add_hook(p, [g](const Tensor& grad) { return all_reduce(g, grad); });
}

static Tensor spread_cross_entropy(const GroupRef& g, const Tensor& x, const Tensor& target, int64_t classes,
                                   int64_t reduction, int64_t ignore_index, double label_smoothing) {
  const auto bad = [](Code code, std::string text, const char* argument) {
    fail(code, concat("[vocab_parallel_cross_entropy] ", text), {}, argument);
  };
  const Part mine = part_of(classes, g->size(), g->rank());
  if (!x.ndim() || x.size(-1) != mine.size || !mine.size)
    bad(Code::shape,
        concat("rank ", g->rank(), " has ", mine.size, " of ", classes, " classes, got x of shape ",
               x.sizes()),
        "x");
  if (!std::ranges::equal(target.sizes(), x.sizes().first(x.sizes().size() - 1)) || is_float(target.dtype()))
    bad(Code::shape,
        concat("target must hold a class for each of x's rows ", x.sizes(), ", got ",
               dtype_name(target.dtype()), " of shape ", target.sizes()),
        "target");
  const int64_t last[] = {-1};
  const Tensor ignored = ops::eq_scalar(target, Scalar(ignore_index));
  check_range("[vocab_parallel_cross_entropy]", "target",
              ops::logical_and(outside(target, classes), ops::logical_not(ignored)), classes);

  Tensor z = as_dtype(x, wide_dtype(x.dtype()));
  z = z - all_reduce(g, ops::amax(ops::detach(z), last, true), ReduceOp::max);
  const Tensor log_sum = ops::log(reduce_from(g, ops::sum(ops::exp(z), last)));
  const Tensor at = ops::sub_scalar(as_dtype(target, DType::i64), Scalar(mine.begin));
  const Tensor others = outside(at, mine.size);
  const Tensor picked = ops::squeeze(
      ops::gather(z, -1, ops::unsqueeze(ops::masked_fill(at, others, Scalar(int64_t(0))), -1)), -1);
  Tensor loss = log_sum - reduce_from(g, ops::masked_fill(picked, others, Scalar(0.0)));
  if (label_smoothing > 0) {
    const Tensor mean = reduce_from(g, ops::sum(z, last)) / double(classes);
    loss = loss * (1 - label_smoothing) + (log_sum - mean) * label_smoothing;
  }
  loss = ops::masked_fill(loss, ignored, Scalar(0.0));
  if (reduction == kNoReduction) return as_dtype(loss, x.dtype());
  Tensor total = ops::sum(loss);
  if (reduction == kMean) total = total / ops::sum(ops::logical_not(ignored));
  return as_dtype(total, x.dtype());
}

Tensor vocab_parallel_cross_entropy(const GroupRef& g, const Tensor& x, const Tensor& target, int64_t classes,
                                    int64_t reduction, int64_t ignore_index, double label_smoothing) {
  const auto bad = [](std::string text, const char* argument) {
    fail(Code::invalid_argument, concat("[vocab_parallel_cross_entropy] ", text), {}, argument);
  };
  if (reduction < kNoReduction || reduction > kSum)
    bad(concat("reduction is ", reduction, ", wanted one of HAFT_REDUCTION_*"), "reduction");
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    bad(concat("label_smoothing must be between 0 and 1, got ", label_smoothing), "label_smoothing");
  return or_kill(*g, "[vocab_parallel_cross_entropy]", [&] {
    return spread_cross_entropy(g, x, target, classes, reduction, ignore_index, label_smoothing);
  });
}

}  // namespace haft::parallel
