// Check 9: under vmap an operator answers for all examples what it answers for each, gradients included, those that the
// mapped function takes and those of what vmap answers, whichever inputs differ between them.
#include <set>

#include "core/autograd/engine.h"
#include "core/autograd/vmap.h"
#include "core/ops/batching.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

constexpr int64_t kExamples = 3;

// What is computed for an example: results, then gradients.
std::vector<Tensor> computed(const Record& r, const Case& c, const std::vector<Tensor>& inputs,
                             uint64_t seed) {
  std::vector<Tensor> all = c.call(inputs);
  if (r.differentiable() && c.grad)
    for (Tensor& g : gradients(c, inputs, seed)) all.push_back(std::move(g));
  return all;
}

Tolerance loosened(const Record& r, DType t) {
  const double by = r.loose * r.loose64;
  return t == DType::f64 ? Tolerance{1e-9 * by, 1e-9 * by} : Tolerance{1e-3 * r.loose, 2e-4 * r.loose};
}

// The inputs of example e: those that differ are its own.
std::vector<Tensor> inputs_of(const std::vector<std::vector<Tensor>>& examples, int64_t e, uint32_t differ) {
  std::vector<Tensor> inputs = examples[0];
  for (size_t i = 0; i < inputs.size(); ++i)
    if (differ >> i & 1) inputs[i] = examples[size_t(e)][i];
  return inputs;
}
// Those of all examples: what differs side by side.
std::vector<Tensor> stacked(const std::vector<std::vector<Tensor>>& examples, uint32_t differ) {
  std::vector<Tensor> inputs = examples[0];
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!(differ >> i & 1)) continue;
    std::vector<Tensor> rows;
    for (const auto& e : examples) rows.push_back(e[i]);
    inputs[i] = ops::stack(rows, 0);
  }
  return inputs;
}
// What f answers under vmap; absent inputs are left out on the way.
template <class F>
std::vector<Tensor> mapped(F&& f, const std::vector<Tensor>& inputs, uint32_t differ) {
  std::vector<Tensor> given;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    given.push_back(inputs[i]);
    dims.push_back(differ >> i & 1 ? 0 : kNone);
  }
  return vmap(
      [&](std::span<const Tensor> in) {
        std::vector<Tensor> own;
        size_t at = 0;
        for (const Tensor& x : inputs) own.push_back(x.defined() ? in[at++] : Tensor());
        return f(own);
      },
      given, {.in_dims = dims});
}

// `differ`: a bit for each input.
void compare(const Record& r, const Case& c, DType t, const std::vector<std::vector<Tensor>>& examples,
             uint32_t differ, uint64_t seed) {
  std::vector<std::vector<Tensor>> wanted;
  for (int64_t e = 0; e < kExamples; ++e)
    wanted.push_back(computed(r, c, inputs_of(examples, e, differ), seed));
  const std::vector<Tensor> got =
      mapped([&](const std::vector<Tensor>& in) { return computed(r, c, in, seed); },
             stacked(examples, differ), differ);
  ASSERT_EQ(got.size(), wanted[0].size());
  for (size_t k = 0; k < got.size(); ++k) {
    std::vector<Tensor> rows;
    for (const auto& w : wanted) rows.push_back(w[k]);
    expect_near({got[k]}, {ops::stack(rows, 0)}, loosened(r, t), "result or gradient " + std::to_string(k));
  }
}

std::vector<Tensor> gradients_for(const std::vector<Tensor>& live, const std::vector<Tensor>& wanted,
                                  const std::vector<Tensor>& seeds) {
  std::vector<Tensor> g(wanted.size());
  if (!live.empty()) g = grad(live, wanted, seeds, {}, true);
  for (size_t i = 0; i < g.size(); ++i)
    if (!g[i].defined()) g[i] = ops::zeros_like(wanted[i]);
  return g;
}

// Gradients of what vmap answers: each example's, added up for inputs that all share.
void compare_around(const Record& r, const Case& c, DType t, const std::vector<std::vector<Tensor>>& examples,
                    uint32_t differ, uint64_t seed) {
  std::vector<Tensor> wanted, live;
  const std::vector<Tensor> leaves = make_leaves(c, stacked(examples, differ), &wanted);
  if (wanted.empty()) return;
  Random random(seed);
  const std::vector<Tensor> outs =
      mapped([&](const std::vector<Tensor>& in) { return c.call(in); }, leaves, differ);
  const std::vector<Tensor> seeds = make_seeds(outs, &live, random), got = gradients_for(live, wanted, seeds);
  std::vector<std::vector<Tensor>> parts(wanted.size());
  for (int64_t e = 0; e < kExamples; ++e) {
    std::vector<Tensor> own, reached, own_seeds;
    for (const Tensor& y : c.call(make_leaves(c, inputs_of(examples, e, differ), &own)))
      if (y.defined() && y.requires_grad()) reached.push_back(y);
    ASSERT_EQ(reached.size(), live.size());
    for (const Tensor& s : seeds) own_seeds.push_back(ops::select(s, 0, e));
    const std::vector<Tensor> g = gradients_for(reached, own, own_seeds);
    for (size_t i = 0; i < g.size(); ++i) parts[i].push_back(g[i]);
  }
  size_t at = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].defined() || !leaves[i].requires_grad()) continue;
    Tensor want = ops::stack(parts[at], 0);
    if (!(differ >> i & 1)) want = ops::sum(want, Sizes{0});
    expect_near({got[at]}, {want}, loosened(r, t), "gradient of input " + std::to_string(i) + " around vmap");
    ++at;
  }
}

// What vmap refuses, as PyTorch does.
bool is_refusal(const Record& r, const Error& e) {
  const auto says = [&](const char* text) { return e.message.find(text) != std::string::npos; };
  const bool statistics = r.name == "batch_norm" || r.name == "instance_norm",
             scaler = r.name.starts_with("amp_") || r.name == "foreach_mul";
  return (r.on_host && says("many examples under vmap")) ||  // reads values
         ((statistics || r.name == "embedding_renorm") && says("inplace arithmetic")) ||
         (scaler && says("writes tensors")) || says("at most 8 dimensions");
}

}  // namespace

void check_batching(const Record& r) {
  if (r.random || r.value_dependent) return;  // other tests have the former
  Random random = random_for(r, "batching");
  for (size_t k = 0; k < r.cases.size(); ++k) {
    const Case& c = r.cases[k];
    for (DType t : {DType::f32, DType::f64, DType::i64}) {
      if (!(r.works & bit(t))) continue;
      std::vector<std::vector<Tensor>> examples;
      for (int64_t e = 0; e < kExamples; ++e) examples.push_back(draw(c, t, random, true).tensors);
      const uint64_t seed = random();
      uint32_t there = 0;
      for (size_t i = 0; i < examples[0].size(); ++i)
        there |= uint32_t(examples[0][i].defined() && examples[0][i].ndim() < HAFT_MAX_DIMS) << i;
      if (!there) continue;
      std::vector<uint32_t> subsets{there};
      for (size_t i = 0; i < examples[0].size() && t != DType::i64; ++i) {
        const uint32_t one = 1u << i;
        if (there & one && there != one) subsets.push_back(one);
        if (there & one && there != one && (there & ~one) != one) subsets.push_back(there & ~one);
      }
      for (uint32_t differ : subsets) {
        SCOPED_TRACE("case " + std::to_string(k) + " in " + dtype_name(t) +
                     ", inputs that differ: " + std::to_string(differ));
        try {
          compare(r, c, t, examples, differ, seed);
          if (r.differentiable() && c.grad) compare_around(r, c, t, examples, differ, seed);
        } catch (const Error& e) {
          if (!is_refusal(r, e)) throw;
        }
      }
    }
  }
}

namespace {

// Who is called for one example after the other.
TEST(Batching, WhatHasNoRule) {
  const std::set<OpId> looped = {OpId::scaled_mm,
                                 OpId::foreach_norm,
                                 OpId::bag_numbers,
                                 OpId::philox_randperm,
                                 OpId::philox_multinomial,
                                 OpId::rnn_layer,
                                 OpId::rnn_layer_backward,
                                 OpId::ctc_loss_rows,
                                 OpId::ctc_loss_backward,
                                 OpId::linear_cross_entropy_rows,
                                 OpId::linear_cross_entropy_backward};
  // Shapes depend on values, or tensors are written, or there is no input.
  const std::set<OpId> others = {OpId::masked_select,     OpId::nonzero,    OpId::optimizer_step,
                                 OpId::amp_unscale,       OpId::amp_update, OpId::foreach_mul,
                                 OpId::batch_norm_update, OpId::full,       OpId::arange,
                                 OpId::linspace,          OpId::eye};
  for (int i = 0; i < kOpCount; ++i) {
    const OpId op = OpId(i);
    if (op_kind(op) != OpKind::general || others.contains(op)) continue;
    EXPECT_EQ(batch_rule(op) == nullptr, looped.contains(op)) << op_name(op);
  }
}

}  // namespace

}  // namespace haft::test
