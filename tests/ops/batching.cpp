// Check 9: under vmap an operator answers for all examples what it answers for each, gradients included, whichever
// inputs differ between them.
#include <set>

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

// `differ`: a bit for each input.
void compare(const Record& r, const Case& c, DType t, const std::vector<std::vector<Tensor>>& examples,
             uint32_t differ, uint64_t seed) {
  std::vector<Tensor> given;  // those that are there
  std::vector<int64_t> dims;
  std::vector<std::vector<Tensor>> wanted;
  for (int64_t e = 0; e < kExamples; ++e) {
    std::vector<Tensor> inputs = examples[0];
    for (size_t i = 0; i < inputs.size(); ++i)
      if (differ >> i & 1) inputs[i] = examples[size_t(e)][i];
    wanted.push_back(computed(r, c, inputs, seed));
  }
  for (size_t i = 0; i < examples[0].size(); ++i) {
    if (!examples[0][i].defined()) continue;
    std::vector<Tensor> rows;
    for (const auto& e : examples) rows.push_back(e[i]);
    given.push_back(differ >> i & 1 ? ops::stack(rows, 0) : rows[0]);
    dims.push_back(differ >> i & 1 ? 0 : kNone);
  }
  const std::vector<Tensor> got = vmap(
      [&](std::span<const Tensor> in) {
        std::vector<Tensor> inputs;
        size_t at = 0;
        for (const Tensor& x : examples[0]) inputs.push_back(x.defined() ? in[at++] : Tensor());
        return computed(r, c, inputs, seed);
      },
      given, {.in_dims = dims});
  ASSERT_EQ(got.size(), wanted[0].size());
  for (size_t k = 0; k < got.size(); ++k) {
    std::vector<Tensor> rows;
    for (const auto& w : wanted) rows.push_back(w[k]);
    expect_near({got[k]}, {ops::stack(rows, 0)}, loosened(r, t), "result or gradient " + std::to_string(k));
  }
}

// What vmap refuses, as PyTorch does.
bool is_refusal(const Record& r, const Error& e) {
  const auto says = [&](const char* text) { return e.message.find(text) != std::string::npos; };
  const bool statistics = r.name == "batch_norm" || r.name == "instance_norm",
             scaler = r.name.starts_with("amp_");
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
  const std::set<OpId> others = {OpId::masked_select, OpId::nonzero,    OpId::optimizer_step,
                                 OpId::amp_unscale,   OpId::amp_update, OpId::full,
                                 OpId::arange,        OpId::linspace,   OpId::eye};
  for (int i = 0; i < kOpCount; ++i) {
    const OpId op = OpId(i);
    if (op_kind(op) != OpKind::general || others.contains(op)) continue;
    EXPECT_EQ(batch_rule(op) == nullptr, looped.contains(op)) << op_name(op);
  }
}

}  // namespace

}  // namespace haft::test
