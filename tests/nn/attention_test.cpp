// Attention and transformer layers: names and texts, how their parts stand together, masks, rotary positions, the cache
// of keys and values, refusals. What the operator computes is compared with plain loops in tests/ops/attention.cpp.
#include "core/base/error.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::backward;
using testing::expect_error;
using testing::values;

struct AttentionLayers : testing::NnTest {};

std::vector<std::string> keys(const Ref<Module>& m) {
  std::vector<std::string> all;
  for (const NamedTensor& p : m->state_dict()) all.push_back(p.name);
  return all;
}
double difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = values(a), y = values(b);
  double most = x.size() == y.size() ? 0 : 1e9;
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}
Tensor drawn(IntList sizes) { return ops::randn(sizes); }
Tensor later(int64_t n) { return ops::triu(ops::ones(Shape{n, n}, DType::boolean), 1); }
std::vector<Tensor> all(std::initializer_list<Tensor> t) { return {t}; }

TEST_F(AttentionLayers, NamesAndTextsArePyTorchs) {
  EXPECT_EQ(keys(multihead_attention(4, 2)),
            (std::vector<std::string>{"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"}));
  EXPECT_EQ(keys(multihead_attention(4, 2, 0, false, true, false, 3, 5)),
            (std::vector<std::string>{"q_proj_weight", "k_proj_weight", "v_proj_weight", "bias_k", "bias_v",
                                      "out_proj.weight"}));
  EXPECT_EQ(multihead_attention(4, 2)->text(),
            "MultiheadAttention(\n  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, "
            "out_features=4, bias=True)\n)");
  const std::vector<std::string> layer = keys(transformer_encoder_layer(4, 2, 8));
  EXPECT_EQ(layer, (std::vector<std::string>{
                       "self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight",
                       "self_attn.out_proj.bias", "linear1.weight", "linear1.bias", "linear2.weight",
                       "linear2.bias", "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"}));
  EXPECT_EQ(keys(transformer_encoder_layer(4, 2, 8, 0.1, false, 1e-5, false, false, false)).size(), 6u);
  EXPECT_EQ(keys(transformer_decoder_layer(4, 2, 8)).size(), 18u);
  const std::vector<std::string> stack = keys(transformer_encoder(4, 2, 2, true, 8));
  EXPECT_EQ(stack.size(), 2 * layer.size() + 2);
  EXPECT_EQ(stack[layer.size()], "layers.1.self_attn.in_proj_weight");
  EXPECT_EQ(stack.back(), "norm.bias");
  EXPECT_EQ(keys(transformer(4, 2, 1, 2, 8)).back(), "decoder.norm.bias");
  EXPECT_TRUE(keys(kv_cache(1, 2, 3, 4)).empty());  // it is not a model's state
  EXPECT_EQ(kv_cache(1, 2, 3, 4)->text(), "KVCache((1, 2, 3, 4))");
  EXPECT_EQ(rotary_embedding(8)->text(), "RotaryEmbedding(8, theta=10000.0, interleaved=False)");
}

TEST_F(AttentionLayers, LayersAreTheirParts) {
  for (bool first : {false, true})
    for (bool gelu : {false, true}) {
      const Ref<Module> m = transformer_decoder_layer(6, 2, 10, 0, gelu, 1e-5, true, first);
      const Tensor x = drawn(Shape{2, 3, 6}), memory = drawn(Shape{2, 4, 6}), mask = later(3);
      auto run = [&](const char* name, const Tensor& t) { return m->find(name)->call(t); };
      auto part = [&](const Tensor& t, const char* norm, auto&& f) {
        return first ? ops::add(t, f(run(norm, t))) : run(norm, ops::add(t, f(t)));
      };
      Tensor y = part(x, "norm1", [&](const Tensor& t) {
        return m->find("self_attn")->call_many(all({t, t, t, Tensor(), mask}))[0];
      });
      y = part(y, "norm2", [&](const Tensor& t) {
        return m->find("multihead_attn")->call_many(all({t, memory, memory}))[0];
      });
      y = part(y, "norm3", [&](const Tensor& t) {
        const Tensor wide = run("linear1", t);
        return run("linear2", gelu ? ops::gelu(wide) : ops::relu(wide));
      });
      EXPECT_EQ(values(m->call_many(all({x, memory, mask}))[0]), values(y));
    }
}

TEST_F(AttentionLayers, StacksRunTheirLayersAndTheTransformerBoth) {
  const Ref<Module> m = transformer(6, 2, 2, 1, 10, 0, false, 1e-5, true);
  const Tensor src = drawn(Shape{2, 4, 6}), tgt = drawn(Shape{2, 3, 6}), mask = later(3);
  Tensor x = src;
  for (const char* name : {"encoder.layers.0", "encoder.layers.1", "encoder.norm"})
    x = m->find(name)->call(x);
  Tensor y = m->find("decoder.layers.0")->call_many(all({tgt, x, mask}))[0];
  y = m->find("decoder.norm")->call(y);
  const Tensor got = m->call_many(all({src, tgt, Tensor(), mask}))[0];
  EXPECT_EQ(values(got), values(y));
  backward(ops::sum(got));
  for (const NamedTensor& p : m->named_parameters()) EXPECT_TRUE(gradient_of(p.tensor).defined()) << p.name;
}

TEST_F(AttentionLayers, MasksSayTheSameInEveryForm) {
  const Ref<Module> plain = multihead_attention(6, 3, 0, true, false, false, kNone, kNone, true, false);
  const Ref<Module> causal =
      multihead_attention(6, 3, 0, true, false, false, kNone, kNone, true, false, true, true);
  const Ref<Module> weighted =
      multihead_attention(6, 3, 0, true, false, false, kNone, kNone, true, true, false);
  causal->load_state_dict(plain->state_dict());
  weighted->load_state_dict(plain->state_dict());
  const Tensor x = drawn(Shape{2, 5, 6}), hides = later(5);
  const Tensor added = ops::masked_fill(ops::zeros(Shape{5, 5}), hides, -INFINITY);
  const Tensor want = causal->call(x);
  for (const Tensor& mask : {hides, added}) {
    EXPECT_LT(difference(plain->call_many(all({x, x, x, Tensor(), mask}))[0], want), 1e-6);
    const std::vector<Tensor> both = weighted->call_many(all({x, x, x, Tensor(), mask}));
    EXPECT_LT(difference(both[0], want), 1e-6);
    EXPECT_TRUE(std::ranges::equal(both[1].sizes(), IntList(Shape{2, 3, 5, 5})));
  }
  // Whoever sees nothing is answered with the last projection of zeros.
  const Tensor padding = ops::ones(Shape{2, 5}, DType::boolean);
  const Tensor bias = ops::expand(plain->find_parameter("out_proj.bias"), Shape{2, 5, 6});
  EXPECT_EQ(values(plain->call_many(all({x, x, x, padding}))[0]), values(bias));
  EXPECT_EQ(values(weighted->call_many(all({x, x, x, padding}))[0]), values(bias));
}

TEST_F(AttentionLayers, DropoutStandsWhileTraining) {
  const Ref<Module> m = transformer_encoder_layer(6, 2, 10, 0.5);
  const Tensor x = drawn(Shape{4, 2, 6});
  EXPECT_GT(difference(m->call(x), m->call(x)), 0);
  m->eval();
  EXPECT_EQ(difference(m->call(x), m->call(x)), 0);
}

// Scores of turned queries and keys depend on the distance alone.
TEST_F(AttentionLayers, RotaryPositionsAreRelative) {
  for (bool interleaved : {false, true}) {
    const Ref<Module> m = rotary_embedding(6, 100, interleaved);
    const Tensor q = ops::expand(drawn(Shape{1, 1, 1, 8}), Shape{2, 3, 5, 8}),
                 k = ops::expand(drawn(Shape{1, 1, 1, 8}), Shape{2, 3, 5, 8});
    const Tensor far =
        ops::add_scalar(ops::arange(Scalar(int64_t(0)), Scalar(int64_t(5)), Scalar(int64_t(1)), DType::i64),
                        Scalar(int64_t(1000)));
    const Tensor near = ops::matmul(m->call(q), ops::transpose(m->call(k), -2, -1));
    const Tensor shifted =
        ops::matmul(m->call_many(all({q, far}))[0], ops::transpose(m->call_many(all({k, far}))[0], -2, -1));
    EXPECT_LT(difference(near, shifted), 1e-4);
    EXPECT_GT(difference(ops::select(near, -1, 0), ops::select(near, -1, 4)), 1e-3);
    const Tensor rows = ops::expand(ops::unsqueeze(far, 0), Shape{2, 5});
    EXPECT_EQ(values(m->call_many(all({q, rows}))[0]), values(m->call_many(all({q, far}))[0]));
    EXPECT_EQ(values(ops::slice(m->call(q), -1, 6, 8, 1)), values(ops::slice(q, -1, 6, 8, 1)));
  }
}

TEST_F(AttentionLayers, ACacheGivesWhatAllPositionsGive) {
  const Ref<Module> cache = kv_cache(2, 3, 9, 16);
  const Tensor q = drawn(Shape{2, 3, 9, 16}), k = drawn(Shape{2, 3, 9, 16}), v = drawn(Shape{2, 3, 9, 16});
  const Tensor want = ops::scaled_dot_product_attention(q, k, v, Tensor(), 0, true);
  for (int64_t round = 0; round < 2; ++round) {
    for (int64_t at = 0, n = 4; at < 9; at += n, n = 1) {
      auto now = [&](const Tensor& x) { return ops::slice(x, 2, at, at + n, 1); };
      const std::vector<Tensor> kv = cache->call_many(all({now(k), now(v)}));
      EXPECT_EQ(kv[0].size(2), at + n);
      const Tensor out = ops::scaled_dot_product_attention(now(q), kv[0], kv[1], Tensor(), 0, n > 1);
      EXPECT_LT(difference(out, now(want)), 1e-5) << at;
    }
    expect_error(
        [&] {
          cache->call_many(all({ops::slice(k, 2, 0, 1, 1), ops::slice(v, 2, 0, 1, 1)}));
        },
        Code::shape, "1 positions behind 9");
    ops::fill_(cache->find_buffer("length"), Scalar(int64_t(0)));
  }
  cache->to(DType::bf16, kDefaultDevice);
  EXPECT_EQ(cache->call_many(all({k, v}))[0].dtype(), DType::bf16);
  expect_error([&] { cache->call_many(all({k})); }, Code::invalid_argument, "KVCache takes");
  expect_error([&] { cache->call_many(all({q, ops::slice(k, 1, 0, 2, 1)})); }, Code::shape, "values");
}

TEST_F(AttentionLayers, Refusals) {
  expect_error([] { multihead_attention(5, 2); }, Code::invalid_argument, "num_heads");
  expect_error([] { multihead_attention(4, 2, 1.5); }, Code::invalid_argument, "dropout");
  expect_error([] { transformer_encoder_layer(4, 3); }, Code::invalid_argument, "num_heads");
  expect_error([] { transformer_decoder(4, 2, -1); }, Code::invalid_argument, "num_layers");
  expect_error([] { rotary_embedding(7); }, Code::invalid_argument, "even");
  expect_error([] { rotary_embedding(8, -1); }, Code::invalid_argument, "theta");
  expect_error([] { kv_cache(1, 1, 0, 1); }, Code::invalid_argument, "max_length");
  const Ref<Module> m = transformer(4, 2, 1, 1, 8);
  const Tensor x = drawn(Shape{3, 2, 4});
  expect_error([&] { m->call(x); }, Code::invalid_argument, "Transformer takes src, tgt");
  expect_error([&] { m->call_many(all({x})); }, Code::invalid_argument, "Transformer takes src, tgt");
  expect_error([&] { m->call_many(all({x, drawn(Shape{3, 3, 4})})); }, Code::shape, "of one batch");
  expect_error([&] { rotary_embedding(8)->call(x); }, Code::shape, "at least 8");
  expect_error([&] { rotary_embedding(2)->call_many(all({x, ops::zeros(Shape{3})})); }, Code::shape, "int64");
}

}  // namespace
}  // namespace haft::nn
