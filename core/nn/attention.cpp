// Attention of several heads, the transformer (Vaswani et al., arXiv:1706.03762), rotary positions and the cache of
// keys and values: parameters by PyTorch's names around the operators of core/ops/attention.cpp.
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/nn/init.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

void check_probability(const char* module, double p) {
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat(module, ": dropout must be in [0, 1], got ", p), {}, "dropout");
}
// Inputs by number; those that were left out are undefined.
struct Inputs {
  std::span<const Tensor> all;

  Inputs(const Module& m, std::span<const Tensor> xs, size_t least, size_t most, const char* names)
      : all(xs) {
    bool fits = xs.size() >= least && xs.size() <= most;
    for (size_t i = 0; fits && i < least; ++i) fits = xs[i].defined();
    if (!fits)
      fail(Code::invalid_argument,
           concat("a ", m.type(), " takes ", names, "; got ", int64_t(xs.size()), " tensors"), {}, "inputs");
  }
  Tensor operator[](size_t i) const { return i < all.size() ? all[i] : Tensor(); }
};

// ---- MultiheadAttention ----

struct HeadOptions {
  int64_t embed_dim, num_heads;
  double dropout = 0;
  bool bias = true, add_bias_kv = false, add_zero_attn = false;
  int64_t kdim = kNone, vdim = kNone;
  bool batch_first = false, need_weights = true, average_attn_weights = true, is_causal = false;
};

class MultiheadAttention final : public Module {
  HeadOptions o_;
  Ref<Generator> generator_;  // of dropout; null: the default one
  enum { kQuery, kKey, kValue, kAll, kBias, kBiasKey, kBiasValue };

 public:
  MultiheadAttention(const HeadOptions& o, const Build& build)
      : Module("MultiheadAttention"), o_(o), generator_(Ref<Generator>::share(build.generator)) {
    check_size(o.embed_dim, "MultiheadAttention", "embed_dim", 1);
    check_size(o.num_heads, "MultiheadAttention", "num_heads", 1);
    check_probability("MultiheadAttention", o.dropout);
    if (o.embed_dim % o.num_heads)
      fail(
          Code::invalid_argument,
          concat("MultiheadAttention: num_heads must divide embed_dim, ", o.embed_dim, ", got ", o.num_heads),
          {}, "num_heads");
    const int64_t e = o.embed_dim, keys = o.kdim == kNone ? e : o.kdim, values = o.vdim == kNone ? e : o.vdim;
    check_size(keys, "MultiheadAttention", "kdim", 1);
    check_size(values, "MultiheadAttention", "vdim", 1);
    const bool together = keys == e && values == e;
    auto add = [&](const char* name, bool there, IntList sizes,
                   void (*start)(const Tensor&, double, Generator*)) {
      Tensor t = there ? new_parameter(sizes, build.dtype, build.device) : Tensor();
      if (there && start) start(t, 1, build.generator);
      if (there && !start) constant_(t, 0);
      register_parameter(name, std::move(t));
    };
    Ref<Module> out = make_ref<Linear>(e, e, o.bias, build, "NonDynamicallyQuantizableLinear");
    if (o.bias) constant_(out->find_parameter("bias"), 0);
    add("q_proj_weight", !together, Shape{e, e}, xavier_uniform_);
    add("k_proj_weight", !together, Shape{e, keys}, xavier_uniform_);
    add("v_proj_weight", !together, Shape{e, values}, xavier_uniform_);
    add("in_proj_weight", together, Shape{3 * e, e}, xavier_uniform_);
    add("in_proj_bias", o.bias, Shape{3 * e}, nullptr);
    add("bias_k", o.add_bias_kv, Shape{1, 1, e}, xavier_normal_);
    add("bias_v", o.add_bias_kv, Shape{1, 1, e}, xavier_normal_);
    add_child("out_proj", std::move(out));
  }

  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }

  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    const Inputs in(
        *this, xs, xs.size() == 1 ? 1 : 3, 5,
        "query, key, value and the masks key_padding_mask and attn_mask, or one tensor for all three");
    const Tensor &q = xs[0], k = xs.size() == 1 ? q : in[1], v = xs.size() == 1 ? q : in[2];
    auto [out, weights] = ops::multi_head_attention(
        q, k, v, parameter(kAll), parameter(kQuery), parameter(kKey), parameter(kValue), parameter(kBias),
        parameter(kBiasKey), parameter(kBiasValue), Tensor(), Tensor(), in[3], in[4], Tensor(), Tensor(),
        o_.num_heads, o_.add_zero_attn, training() ? o_.dropout : 0, o_.is_causal, o_.need_weights,
        o_.average_attn_weights, o_.batch_first, generator_.get());
    out = children()[0].module->call(out);
    if (o_.need_weights) return {out, weights};
    return {out};
  }

  int64_t output_count() const override { return 1 + o_.need_weights; }
};

// ---- layers of the transformer ----

struct LayerOptions {
  int64_t d_model, nhead, dim_feedforward = 2048;
  double dropout = 0.1;
  bool gelu = false;
  double layer_norm_eps = 1e-5;
  bool batch_first = false, norm_first = false, bias = true, is_causal = false;
};

// Self-attention, in a decoder attention to the encoder's results, and two linear layers, each around a residual.
class TransformerLayer final : public Module {
  LayerOptions o_;
  bool decoder_;

 public:
  TransformerLayer(const LayerOptions& o, bool decoder, const Build& build)
      : Module(decoder ? "TransformerDecoderLayer" : "TransformerEncoderLayer"), o_(o), decoder_(decoder) {
    check_size(o.d_model, type().c_str(), "d_model", 1);
    check_size(o.nhead, type().c_str(), "nhead", 1);
    check_size(o.dim_feedforward, type().c_str(), "dim_feedforward", 1);
    check_probability(type().c_str(), o.dropout);
    HeadOptions heads{.embed_dim = o.d_model,
                      .num_heads = o.nhead,
                      .dropout = o.dropout,
                      .bias = o.bias,
                      .batch_first = o.batch_first,
                      .need_weights = false,
                      .is_causal = o.is_causal};
    add_child("self_attn", make_ref<MultiheadAttention>(heads, build));
    heads.is_causal = false;
    if (decoder) add_child("multihead_attn", make_ref<MultiheadAttention>(heads, build));
    const Ref<Generator> generator = Ref<Generator>::share(build.generator);
    add_child("linear1", make_ref<Linear>(o.d_model, o.dim_feedforward, o.bias, build));
    add_child("dropout", make_ref<Dropout>(o.dropout, generator));
    add_child("linear2", make_ref<Linear>(o.dim_feedforward, o.d_model, o.bias, build));
    const Shape width{o.d_model};
    const char* const norms[] = {"norm1", "norm2", "norm3"};
    const char* const dropouts[] = {"dropout1", "dropout2", "dropout3"};
    for (int i = 0; i < parts(); ++i)
      add_child(norms[i], make_ref<LayerNorm>(width, o.layer_norm_eps, true, o.bias, build));
    for (int i = 0; i < parts(); ++i) add_child(dropouts[i], make_ref<Dropout>(o.dropout, generator));
  }

  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (!decoder_) {
      const Inputs in(*this, xs, 1, 3, "src and the masks src_mask and src_key_padding_mask");
      Tensor x = residual(in[0], 0, [&](const Tensor& t) { return attended(0, t, t, in[2], in[1]); });
      return {residual(x, 1, [&](const Tensor& t) { return fed(t); })};
    }
    const Inputs in(
        *this, xs, 2, 6,
        "tgt, memory and the masks tgt_mask, memory_mask, tgt_key_padding_mask and memory_key_padding_mask");
    Tensor x = residual(in[0], 0, [&](const Tensor& t) { return attended(0, t, t, in[4], in[2]); });
    x = residual(x, 1, [&](const Tensor& t) { return attended(1, t, in[1], in[5], in[3]); });
    return {residual(x, 2, [&](const Tensor& t) { return fed(t); })};
  }
  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }

 private:
  int parts() const { return decoder_ ? 3 : 2; }
  Module& child(int i) const { return *children()[size_t(i)].module; }
  int linear1() const { return decoder_ ? 2 : 1; }

  Tensor attended(int which, const Tensor& x, const Tensor& from, const Tensor& padding, const Tensor& mask) {
    const Tensor in[] = {x, from, from, padding, mask};
    return child(which).call_many(in)[0];
  }
  Tensor fed(const Tensor& x) {
    const Tensor wide = child(linear1()).call(x);
    const auto own =
        std::ranges::find(children(), "activation", &NamedModule::name);  // a child that somebody has added
    const Tensor active = own != children().end() ? own->module->call(wide)
                          : o_.gelu               ? ops::gelu(wide)
                                                  : ops::relu(wide);
    return child(linear1() + 2).call(child(linear1() + 1).call(active));
  }
  template <class F>
  Tensor residual(const Tensor& x, int part, F&& f) {
    Module &norm = child(linear1() + 3 + part), &dropout = child(linear1() + 3 + parts() + part);
    if (o_.norm_first) return ops::add(x, dropout.call(f(norm.call(x))));
    return norm.call(ops::add(x, dropout.call(f(x))));
  }
};

// ---- encoder, decoder and both ----

class TransformerStack final : public Module {
 public:
  TransformerStack(const LayerOptions& o, bool decoder, int64_t layers, bool norm, const Build& build)
      : Module(decoder ? "TransformerDecoder" : "TransformerEncoder"), decoder_(decoder) {
    check_size(layers, type().c_str(), "num_layers");
    std::vector<Ref<Module>> all;
    for (int64_t i = 0; i < layers; ++i) all.push_back(make_ref<TransformerLayer>(o, decoder, build));
    add_child("layers", make_ref<ModuleList>(all));
    if (norm) add_child("norm", make_ref<LayerNorm>(Shape{o.d_model}, o.layer_norm_eps, true, o.bias, build));
  }

  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    [[maybe_unused]] const Inputs checked =
        decoder_ ? Inputs(*this, xs, 2, 6,
                          "tgt, memory and the masks tgt_mask, memory_mask, tgt_key_padding_mask and "
                          "memory_key_padding_mask")
                 : Inputs(*this, xs, 1, 3, "src and the masks src_mask and src_key_padding_mask");
    std::vector<Tensor> now(xs.begin(), xs.end());
    for (const NamedModule& layer : children()[0].module->children())
      now[0] = layer.module->call_many(now)[0];
    return {children().size() > 1 ? children()[1].module->call(now[0]) : now[0]};
  }

 private:
  bool decoder_;
};

class Transformer final : public Module {
  LayerOptions o_;

 public:
  Transformer(const LayerOptions& o, int64_t encoder, int64_t decoder, const Build& build)
      : Module("Transformer"), o_(o) {
    check_size(encoder, "Transformer", "num_encoder_layers");
    check_size(decoder, "Transformer", "num_decoder_layers");
    LayerOptions both = o;
    both.is_causal = false;
    add_child("encoder", make_ref<TransformerStack>(both, false, encoder, true, build));
    add_child("decoder", make_ref<TransformerStack>(o, true, decoder, true, build));
    for (const NamedTensor& p : named_parameters())
      if (p.tensor.ndim() > 1) xavier_uniform_(p.tensor, 1, build.generator);
  }

  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    const Inputs in(*this, xs, 2, 8,
                    "src, tgt and the masks src_mask, tgt_mask, memory_mask, src_key_padding_mask, "
                    "tgt_key_padding_mask and memory_key_padding_mask");
    const Tensor &src = xs[0], &tgt = xs[1];
    const int64_t batch = o_.batch_first ? 0 : 1;
    const bool fits = src.ndim() == tgt.ndim() &&
                      (src.ndim() == 2 || (src.ndim() == 3 && src.size(batch) == tgt.size(batch)));
    if (!fits || src.size(-1) != o_.d_model || tgt.size(-1) != o_.d_model)
      fail(Code::shape,
           concat("Transformer: src and tgt must be of one batch and ", o_.d_model, " wide, got ",
                  src.sizes(), " and ", tgt.sizes()),
           {}, "inputs");
    const Tensor encoded[] = {src, in[2], in[5]};
    const Tensor decoded[] = {tgt, children()[0].module->call_many(encoded)[0], in[3], in[4], in[6], in[7]};
    return {children()[1].module->call_many(decoded)[0]};
  }
};

// ---- rotary positions ----

class RotaryEmbedding final : public Module {
  int64_t dim_;
  double theta_;
  bool interleaved_;

 public:
  RotaryEmbedding(int64_t dim, double theta, bool interleaved)
      : Module("RotaryEmbedding"), dim_(dim), theta_(theta), interleaved_(interleaved) {
    check_size(dim, "RotaryEmbedding", "dim", 2);
    if (dim % 2)
      fail(Code::invalid_argument, concat("RotaryEmbedding: dim must be even, got ", dim), {}, "dim");
    if (!(theta > 0) || std::isinf(theta))
      fail(Code::invalid_argument, concat("RotaryEmbedding: theta must be above 0, got ", theta), {},
           "theta");
  }

  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }
  // x (*, L, E) with E >= dim; positions (L), or (N, L) for the first dimension of x, or 0..L-1.
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    const Inputs in(*this, xs, 1, 2, "x and the positions (int64, optional)");
    const Tensor &x = xs[0], at = in[1];
    if (x.ndim() < 2 || x.size(-1) < dim_)
      fail(Code::shape,
           concat("RotaryEmbedding: x must be (*, L, E) with E of at least ", dim_, ", got ", x.sizes()), {},
           "inputs");
    const int64_t length = x.size(-2), one[] = {length}, each[] = {x.size(0), length};
    const bool by_row = at.defined() && at.ndim() == 2 && x.ndim() > 2;
    if (at.defined() &&
        (at.dtype() != DType::i64 || !std::ranges::equal(at.sizes(), by_row ? IntList(each) : IntList(one))))
      fail(Code::shape,
           concat("RotaryEmbedding: positions must be int64, (", length, ") or (N, ", length, "), got ",
                  at.sizes()),
           {}, "inputs");
    Tensor angles;
    {
      NoGradGuard off;
      // In float64: a position of 10^5 times a frequency has no digits to lose.
      const Tensor pairs =
          ops::arange(Scalar(0.0), Scalar(double(dim_ / 2)), Scalar(1.0), DType::f64, x.device());
      const Tensor frequencies =
          ops::exp(ops::mul_scalar(pairs, Scalar(-2 * std::log(theta_) / double(dim_))));
      const Tensor positions = at.defined() ? ops::cast(at, DType::f64)
                                            : ops::arange(Scalar(0.0), Scalar(double(length)), Scalar(1.0),
                                                          DType::f64, x.device());
      angles = ops::mul(ops::unsqueeze(positions, -1), frequencies);
      if (by_row) {
        Shape sizes{x.size(0)};
        for (int64_t d = 1; d + 2 < x.ndim(); ++d) sizes.push_back(1);
        sizes.push_back(length);
        sizes.push_back(dim_ / 2);
        angles = ops::reshape(angles, sizes);
      }
    }
    return {ops::rotary_embedding(x, ops::cos(angles), ops::sin(angles), interleaved_)};
  }

  std::string extra() const override {
    return concat(dim_, ", theta=", float_text(theta_), ", interleaved=", flag_text(interleaved_));
  }
};

// ---- keys and values of earlier positions ----

class KVCache final : public Module {
  enum { kKeys, kValues, kLength };
  std::atomic<bool> updating_{false};

 public:
  KVCache(int64_t batch, int64_t heads, int64_t positions, int64_t width, const Build& build)
      : Module("KVCache") {
    check_size(batch, "KVCache", "batch_size", 1);
    check_size(heads, "KVCache", "num_heads", 1);
    check_size(positions, "KVCache", "max_length", 1);
    check_size(width, "KVCache", "head_dim", 1);
    const int64_t sizes[] = {batch, heads, positions, width};
    for (const char* name : {"keys", "values"}) {
      Tensor t = new_parameter(sizes, build.dtype, build.device);
      constant_(t, 0);
      register_buffer(name, std::move(t), false);
    }
    ScopedValue<bool> recorded(thread_state().inference, false);
    register_buffer("length", ops::zeros({}, DType::i64, build.device), false);
  }

  Tensor forward(const Tensor& x) override { return forward_many({&x, 1})[0]; }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    const Inputs in(*this, xs, 2, 2, "keys and values (N, heads, L, width)");
    if (updating_.exchange(true, std::memory_order_acquire))
      fail(Code::busy, "another thread is writing into this KVCache",
           "give each sequence that is generated a cache of its own");
    struct Done {
      std::atomic<bool>& flag;
      ~Done() { flag.store(false, std::memory_order_release); }
    } done{updating_};
    const Tensor& keys = buffer(kKeys);
    const int64_t most = keys.size(2), length = item(buffer(kLength)).to_int(),
                  more = xs[0].ndim() == 4 ? xs[0].size(2) : 0;
    for (int i : {0, 1}) {
      const Tensor& own = buffer(i);
      const int64_t wanted[] = {own.size(0), own.size(1), more, own.size(3)};
      if (!std::ranges::equal(xs[size_t(i)].sizes(), IntList(wanted)))
        fail(Code::shape,
             concat("KVCache: ", i ? "values" : "keys", " must have shape (", own.size(0), ", ", own.size(1),
                    ", L, ", own.size(3), "), got ", xs[size_t(i)].sizes()),
             {}, "inputs");
    }
    if (length < 0 || length > most - more)
      fail(Code::shape, concat("KVCache: ", more, " positions behind ", length, " are more than its ", most),
           "make it longer, or set its buffer length back", "inputs");
    NoGradGuard off;
    std::vector<Tensor> all;
    for (int i : {0, 1}) {
      ops::copy_(ops::slice(buffer(i), 2, length, length + more, 1), xs[size_t(i)]);
      all.push_back(ops::slice(buffer(i), 2, 0, length + more, 1));
    }
    ops::fill_(buffer(kLength), Scalar(length + more));
    return all;
  }

  int64_t output_count() const override { return 2; }
  std::string extra() const override { return tuple_text(buffer(kKeys).sizes()); }
};

}  // namespace

Ref<Module> multihead_attention(int64_t embed_dim, int64_t num_heads, double dropout, bool bias,
                                bool add_bias_kv, bool add_zero_attn, int64_t kdim, int64_t vdim,
                                bool batch_first, bool need_weights, bool average_attn_weights,
                                bool is_causal, const Build& build) {
  return make_ref<MultiheadAttention>(
      HeadOptions{embed_dim, num_heads, dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim, batch_first,
                  need_weights, average_attn_weights, is_causal},
      build);
}

Ref<Module> transformer_encoder_layer(int64_t d_model, int64_t nhead, int64_t dim_feedforward, double dropout,
                                      bool gelu, double layer_norm_eps, bool batch_first, bool norm_first,
                                      bool bias, bool is_causal, const Build& build) {
  return make_ref<TransformerLayer>(LayerOptions{d_model, nhead, dim_feedforward, dropout, gelu,
                                                 layer_norm_eps, batch_first, norm_first, bias, is_causal},
                                    false, build);
}
Ref<Module> transformer_decoder_layer(int64_t d_model, int64_t nhead, int64_t dim_feedforward, double dropout,
                                      bool gelu, double layer_norm_eps, bool batch_first, bool norm_first,
                                      bool bias, bool is_causal, const Build& build) {
  return make_ref<TransformerLayer>(LayerOptions{d_model, nhead, dim_feedforward, dropout, gelu,
                                                 layer_norm_eps, batch_first, norm_first, bias, is_causal},
                                    true, build);
}
Ref<Module> transformer_encoder(int64_t d_model, int64_t nhead, int64_t num_layers, bool norm,
                                int64_t dim_feedforward, double dropout, bool gelu, double layer_norm_eps,
                                bool batch_first, bool norm_first, bool bias, bool is_causal,
                                const Build& build) {
  return make_ref<TransformerStack>(LayerOptions{d_model, nhead, dim_feedforward, dropout, gelu,
                                                 layer_norm_eps, batch_first, norm_first, bias, is_causal},
                                    false, num_layers, norm, build);
}
Ref<Module> transformer_decoder(int64_t d_model, int64_t nhead, int64_t num_layers, bool norm,
                                int64_t dim_feedforward, double dropout, bool gelu, double layer_norm_eps,
                                bool batch_first, bool norm_first, bool bias, bool is_causal,
                                const Build& build) {
  return make_ref<TransformerStack>(LayerOptions{d_model, nhead, dim_feedforward, dropout, gelu,
                                                 layer_norm_eps, batch_first, norm_first, bias, is_causal},
                                    true, num_layers, norm, build);
}
Ref<Module> transformer(int64_t d_model, int64_t nhead, int64_t num_encoder_layers,
                        int64_t num_decoder_layers, int64_t dim_feedforward, double dropout, bool gelu,
                        double layer_norm_eps, bool batch_first, bool norm_first, bool bias, bool is_causal,
                        const Build& build) {
  return make_ref<Transformer>(LayerOptions{d_model, nhead, dim_feedforward, dropout, gelu, layer_norm_eps,
                                            batch_first, norm_first, bias, is_causal},
                               num_encoder_layers, num_decoder_layers, build);
}

Ref<Module> rotary_embedding(int64_t dim, double theta, bool interleaved) {
  return make_ref<RotaryEmbedding>(dim, theta, interleaved);
}

Ref<Module> kv_cache(int64_t batch_size, int64_t num_heads, int64_t max_length, int64_t head_dim,
                     const Build& build) {
  return make_ref<KVCache>(batch_size, num_heads, max_length, head_dim, build);
}

}  // namespace haft::nn
