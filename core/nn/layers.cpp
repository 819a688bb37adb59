#include "core/nn/layers.h"

#include "core/nn/factories.h"
#include "core/nn/init.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

// ---- Linear ----

Ref<Module> linear(int64_t in_features, int64_t out_features, bool bias, const Build& build) {
  return make_ref<Linear>(in_features, out_features, bias, build);
}

Linear::Linear(int64_t in_features, int64_t out_features, bool bias, const Build& build, const char* type)
    : Module(type), in_(in_features), out_(out_features) {
  check_size(in_, "Linear", "in_features");
  check_size(out_, "Linear", "out_features");
  const int64_t size[] = {out_, in_};
  Tensor w = new_parameter(size, build.dtype, build.device);
  Tensor b = bias ? new_parameter({size, 1}, build.dtype, build.device) : Tensor();
  init_weight_and_bias(w, b, build.generator);
  register_parameter("weight", std::move(w));
  register_parameter("bias", std::move(b));
}

Tensor Linear::forward(const Tensor& x) { return ops::linear(x, parameter(0), parameter(1)); }

std::string Linear::extra() const {
  return concat("in_features=", in_, ", out_features=", out_, ", bias=", flag_text(parameter(1).defined()));
}

// ---- PReLU ----

Ref<Module> prelu(int64_t num_parameters, double init, const Build& build) {
  return make_ref<PReLU>(num_parameters, init, build);
}

PReLU::PReLU(int64_t num_parameters, double init, const Build& build) : Module("PReLU") {
  check_size(num_parameters, "PReLU", "num_parameters", 1);
  register_parameter("weight", constant_parameter({&num_parameters, 1}, init, build));
}

Tensor PReLU::forward(const Tensor& x) { return ops::prelu(x, parameter(0)); }

std::string PReLU::extra() const { return concat("num_parameters=", parameter(0).numel()); }

// ---- Embedding ----

namespace {

// Standard normal rows, zeros in the row padding_idx, which then counts from the front; or the table that there is.
Tensor table(const char* type, int64_t rows, int64_t dim, TableOptions& o, const Build& build) {
  check_size(rows, type, "num_embeddings");
  check_size(dim, type, "embedding_dim");
  if (o.padding_idx != kNone) {
    if (o.padding_idx < -rows || o.padding_idx >= rows)
      fail(Code::index,
           concat(type, ": padding_idx must be in [", -rows, ", ", rows - 1, "], got ", o.padding_idx), {},
           "padding_idx");
    if (o.padding_idx < 0) o.padding_idx += rows;
  }
  const int64_t size[] = {rows, dim};
  if (Tensor given = std::exchange(o.weight, {})) {
    if (!std::ranges::equal(given.sizes(), size))
      fail(Code::shape, concat(type, ": weight must have shape (", rows, ", ", dim, "), got ", given.sizes()),
           {}, "weight");
    if (!is_float(given.dtype()))
      fail(Code::dtype, concat(type, ": weight must be floating, got ", dtype_name(given.dtype())), {},
           "weight");
    return ops::detach(given);
  }
  Tensor w = new_parameter(size, build.dtype, build.device);
  normal_(w, 0, 1, build.generator);
  if (o.padding_idx != kNone) {
    NoGradGuard off;
    constant_(ops::select(w, 0, o.padding_idx), 0);
  }
  return w;
}

// The rows that x names, not longer than they may be.
const Tensor& shortened(const TableOptions& o, const Tensor& weight, const Tensor& x) {
  if (o.max_norm >= 0) ops::embedding_renorm(weight, x, o.max_norm, o.norm_type);
  return weight;
}
int64_t padding_row(const TableOptions& o) { return o.padding_idx == kNone ? -1 : o.padding_idx; }

std::string norm_text(const TableOptions& o) {
  std::string s;
  if (o.max_norm >= 0) s += concat(", max_norm=", float_text(o.max_norm));
  if (o.norm_type != 2) s += concat(", norm_type=", float_text(o.norm_type));
  if (o.scale_grad_by_freq) s += ", scale_grad_by_freq=True";
  return s;
}

}  // namespace

Ref<Module> embedding(int64_t num_embeddings, int64_t embedding_dim, int64_t padding_idx, bool sparse,
                      double max_norm, double norm_type, bool scale_grad_by_freq, const Tensor& weight,
                      bool freeze, const Build& build) {
  return make_ref<Embedding>(
      num_embeddings, embedding_dim,
      TableOptions{padding_idx, sparse, max_norm, norm_type, scale_grad_by_freq, weight, freeze}, build);
}

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, TableOptions options, const Build& build)
    : Module("Embedding"), rows_(num_embeddings), dim_(embedding_dim), o_(std::move(options)) {
  register_parameter("weight", table("Embedding", rows_, dim_, o_, build), !o_.freeze);
}

Tensor Embedding::forward(const Tensor& x) {
  return ops::embedding(shortened(o_, parameter(0), x), x, padding_row(o_), o_.sparse, o_.scale_grad_by_freq);
}

std::string Embedding::extra() const {
  std::string s = concat(rows_, ", ", dim_);
  if (o_.padding_idx != kNone) s += concat(", padding_idx=", o_.padding_idx);
  s += norm_text(o_);
  if (o_.sparse) s += ", sparse=True";
  return s;
}

// ---- EmbeddingBag ----

namespace {

class EmbeddingBag final : public Module {
  int64_t rows_, dim_, mode_;
  bool include_last_;
  TableOptions o_;

 public:
  EmbeddingBag(int64_t rows, int64_t dim, int64_t mode, bool include_last_offset, TableOptions options,
               const Build& build)
      : Module("EmbeddingBag"),
        rows_(rows),
        dim_(dim),
        mode_(mode),
        include_last_(include_last_offset),
        o_(std::move(options)) {
    register_parameter("weight", table("EmbeddingBag", rows, dim, o_, build), !o_.freeze);
  }
  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }

  // input, then offsets where it is a vector, then a weight of each index; what comes last may be left out.
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.empty() || xs.size() > 3 || !xs[0])
      fail(Code::invalid_argument,
           concat("EmbeddingBag takes input, offsets and per_sample_weights, the last two optional, got ",
                  int64_t(xs.size()), " tensors"),
           {}, "inputs");
    auto given = [&](size_t i) { return i < xs.size() ? xs[i] : Tensor(); };
    return {ops::embedding_bag(shortened(o_, parameter(0), xs[0]), xs[0], given(1), given(2), mode_,
                               include_last_, padding_row(o_), o_.sparse, o_.scale_grad_by_freq)};
  }
  std::string extra() const override {
    constexpr const char* modes[] = {"sum", "mean", "max"};
    std::string s = concat(rows_, ", ", dim_, norm_text(o_), ", mode=", modes[mode_]);
    if (o_.padding_idx != kNone) s += concat(", padding_idx=", o_.padding_idx);
    return s;
  }
};

// Of two inputs: weight (out, in1, in2).
class Bilinear final : public Module {
  int64_t in1_, in2_, out_;

 public:
  Bilinear(int64_t in1, int64_t in2, int64_t out, bool bias, const Build& build)
      : Module("Bilinear"), in1_(in1), in2_(in2), out_(out) {
    check_size(in1, "Bilinear", "in1_features", 1);
    check_size(in2, "Bilinear", "in2_features");
    check_size(out, "Bilinear", "out_features");
    const double bound = 1 / std::sqrt(double(in1));
    for (const char* name : {"weight", "bias"}) {
      Tensor t;
      if (bias || *name == 'w') {
        t = new_parameter(*name == 'w' ? Shape{out, in1, in2} : Shape{out}, build.dtype, build.device);
        uniform_(t, -bound, bound, build.generator);
      }
      register_parameter(name, std::move(t));
    }
  }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.size() != 2 || !xs[0] || !xs[1])
      fail(Code::invalid_argument, concat("Bilinear takes two tensors, got ", int64_t(xs.size())), {},
           "inputs");
    return {ops::bilinear(xs[0], xs[1], parameter(0), parameter(1))};
  }
  std::string extra() const override {
    return concat("in1_features=", in1_, ", in2_features=", in2_, ", out_features=", out_,
                  ", bias=", flag_text(parameter(1).defined()));
  }
};

}  // namespace

Ref<Module> embedding_bag(int64_t num_embeddings, int64_t embedding_dim, int64_t mode,
                          bool include_last_offset, int64_t padding_idx, bool sparse, double max_norm,
                          double norm_type, bool scale_grad_by_freq, const Tensor& weight, bool freeze,
                          const Build& build) {
  return make_ref<EmbeddingBag>(
      num_embeddings, embedding_dim, mode, include_last_offset,
      TableOptions{padding_idx, sparse, max_norm, norm_type, scale_grad_by_freq, weight, freeze}, build);
}
Ref<Module> bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, bool bias,
                     const Build& build) {
  return make_ref<Bilinear>(in1_features, in2_features, out_features, bias, build);
}

}  // namespace haft::nn
