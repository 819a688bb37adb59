// Pruning beside PyTorch 1.13's masks, which stand here.
#include "core/nn/prune.h"

#include "core/autograd/hooks.h"
#include "core/nn/layers.h"
#include "core/nn/parametrize.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::expect_error;
using testing::values;
using Numbers = std::vector<double>;

Tensor waves(const Shape& sizes, double scale = 1) {
  Tensor t = new_tensor(sizes, DType::f64);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = scale * std::sin(double(i + 1) * 1.3);
  return t;
}
Ref<Module> linear(int64_t in, int64_t out, double scale = 1) {
  auto m = make_ref<Linear>(in, out, true, Build{.dtype = DType::f64});
  NoGradGuard off;
  ops::copy_(m->find_parameter("weight"), waves({out, in}, scale));
  return m;
}
std::vector<std::string> names(const Module& m) {
  std::vector<std::string> out;
  for (const NamedTensor& t : m.state_dict()) out.push_back(t.name);
  return out;
}
PruneOptions fraction(Pruning method, double f) { return {.method = method, .fraction = f}; }
PruneOptions count(Pruning method, int64_t n) { return {.method = method, .count = n}; }

class Prune : public testing::NnTest {};

TEST_F(Prune, OneOnTopOfTheOther) {
  auto m = linear(4, 3);
  const Tensor own = m->find_parameter("weight");
  EXPECT_FALSE(is_pruned(*m));
  prune(*m, "weight", count(Pruning::l1_unstructured, 5));
  EXPECT_EQ(values(m->find_buffer("weight_mask")), (Numbers{1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(names(*m), (std::vector<std::string>{"bias", "weight_orig", "weight_mask"}));
  EXPECT_EQ(m->find_parameter("weight_orig").impl(), own.impl());
  EXPECT_TRUE(is_pruned(*m));
  prune(*m, "weight", fraction(Pruning::l1_unstructured, 0.5));  // of 7: 4
  EXPECT_EQ(values(m->find_buffer("weight_mask")), (Numbers{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));
  PruneOptions rows = count(Pruning::ln_structured, 1);
  rows.dim = 0;
  prune(*m, "weight", rows);
  EXPECT_EQ(values(m->find_buffer("weight_mask")), (Numbers{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));

  const Tensor x = waves({2, 4}), w = ops::mul(own, m->find_buffer("weight_mask")), y = m->call(x);
  EXPECT_EQ(values(y), values(ops::linear(x, w, m->find_parameter("bias"))));
  testing::backward(ops::sum(y));
  const Numbers g = values(gradient_of(own));
  for (size_t i = 0; i < g.size(); ++i) EXPECT_EQ(g[i] != 0, i == 5 || i == 10) << i;

  auto other = linear(4, 3);
  prune(*other, "weight", {.method = Pruning::identity});
  EXPECT_EQ(values(other->find_buffer("weight_mask")), Numbers(12, 1));
  other->load_state_dict(m->state_dict());
  EXPECT_EQ(values(other->call(x)), values(y));

  const Numbers kept = values(m->find_value("weight"));
  remove_pruning(*m, "weight");
  EXPECT_EQ(names(*m), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(m->find_parameter("weight").impl(), own.impl());
  EXPECT_EQ(values(own), kept);
  EXPECT_FALSE(is_pruned(*m));
}

TEST_F(Prune, SlicesByTheirNorms) {
  auto m = linear(4, 3);
  PruneOptions columns = fraction(Pruning::ln_structured, 0.5);
  columns.n = std::numeric_limits<double>::infinity();
  prune(*m, "weight", columns);
  EXPECT_EQ(values(m->find_buffer("weight_mask")), (Numbers{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0}));
  columns = count(Pruning::ln_structured, 1);
  columns.n = 1;
  prune(*m, "weight", columns);
  EXPECT_EQ(values(m->find_buffer("weight_mask")), (Numbers{0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}));
}

TEST_F(Prune, AllByOneComparison) {
  auto a = linear(4, 3), b = linear(3, 2, 0.5);
  ops::copy_(ops::detach(b->find_parameter("bias")), testing::tensor({.01, 3}, DType::f64));
  prune(*a, "weight", count(Pruning::l1_unstructured, 2));
  prune_global({{a, "weight", {}}, {b, "weight", {}}, {b, "bias", {}}}, count(Pruning::l1_unstructured, 6));
  EXPECT_EQ(values(a->find_buffer("weight_mask")), (Numbers{1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(values(b->find_buffer("weight_mask")), (Numbers{1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(values(b->find_buffer("bias_mask")), (Numbers{0, 1}));
  EXPECT_EQ(names(*b), (std::vector<std::string>{"weight_orig", "bias_orig", "weight_mask", "bias_mask"}));
  remove_pruning(*b, "weight");
  const Tensor x = waves({2, 3});
  EXPECT_EQ(values(b->call(x)), values(ops::linear(x, b->find_parameter("weight"), b->find_value("bias"))));
  remove_pruning(*b, "bias");
  EXPECT_EQ(names(*b), (std::vector<std::string>{"weight", "bias"}));
}

TEST_F(Prune, OfSeveralAllOrNone) {
  auto a = linear(4, 3), b = linear(3, 2);
  prune(*a, "weight", count(Pruning::l1_unstructured, 2));
  const Numbers before = values(a->find_buffer("weight_mask"));
  const Tensor weight = b->find_parameter("weight");
  expect_error(
      [&] {
        prune_global({{a, "weight", {}}, {b, "weight", {}}, {a, "weight_mask", {}}},
                     count(Pruning::l1_unstructured, 6));
      },
      Code::invalid_argument, "is a buffer");
  EXPECT_EQ(values(a->find_buffer("weight_mask")), before);
  EXPECT_EQ(names(*b), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(b->find_parameter("weight").impl(), weight.impl());
  EXPECT_FALSE(is_pruned(*b));
  // Nobody holds them any more.
  prune_global({{a, "weight", {}}, {b, "weight", {}}}, count(Pruning::l1_unstructured, 6));
  EXPECT_EQ(names(*b), (std::vector<std::string>{"bias", "weight_orig", "weight_mask"}));
}

TEST_F(Prune, AtRandomByScoresAndByMasks) {
  auto m = make_ref<Linear>(20, 10, true, Build{.dtype = DType::f64});
  auto generator = make_ref<Generator>(uint64_t(7));
  PruneOptions o = fraction(Pruning::random_unstructured, 0.3);
  o.generator = generator.get();
  prune(*m, "weight", o);
  EXPECT_EQ(values(ops::sum(m->find_buffer("weight_mask")))[0], 140);
  o = count(Pruning::random_structured, 4);
  o.dim = 1;
  o.generator = generator.get();
  auto n = make_ref<Linear>(20, 10, true, Build{.dtype = DType::f64});
  prune(*n, "weight", o);
  EXPECT_EQ(values(ops::sum(ops::amax(n->find_buffer("weight_mask"), Shape{0})))[0], 16);

  auto by_scores = linear(4, 3);
  prune(*by_scores, "weight", count(Pruning::l1_unstructured, 1),
        ops::reshape(ops::arange(Scalar(-6.0), Scalar(6.0), Scalar(1.0), DType::f64), Shape{3, 4}));
  EXPECT_EQ(values(by_scores->find_buffer("weight_mask"))[6], 0);
  prune_by_mask(*by_scores, "weight", ops::gt_scalar(waves({3, 4}), Scalar(0.0)));
  const Numbers w = values(by_scores->find_value("weight")), v = values(waves({3, 4}));
  for (size_t i = 0; i < w.size(); ++i) EXPECT_EQ(w[i], v[i] > 0 && i != 6 ? v[i] : 0) << i;
}

TEST_F(Prune, MisuseIsRefused) {
  auto m = linear(4, 3);
  expect_error([&] { prune(*m, "wight", count(Pruning::l1_unstructured, 1)); }, Code::invalid_argument,
               "wight");
  expect_error([&] { prune(*m, "weight", count(Pruning::l1_unstructured, 13)); }, Code::invalid_argument,
               "13 units");
  expect_error([&] { prune(*m, "weight", fraction(Pruning::random_unstructured, 1.5)); },
               Code::invalid_argument, "[0, 1]");
  expect_error([&] { prune(*m, "bias", count(Pruning::ln_structured, 1)); }, Code::shape,
               "at least 2 dimensions");
  expect_error(
      [&] {
        prune(*m, "weight", count(Pruning::l1_unstructured, 1), waves({4, 3}));
      },
      Code::shape, "scores");
  expect_error([&] { prune_by_mask(*m, "weight", waves({4, 3})); }, Code::shape, "[4, 3]");
  expect_error(
      [&] {
        prune_global({{m, "weight", {}}}, count(Pruning::ln_structured, 1));
      },
      Code::invalid_argument, "elements");
  expect_error([&] { remove_pruning(*m, "weight"); }, Code::invalid_argument, "not pruned");
  EXPECT_EQ(names(*m), (std::vector<std::string>{"weight", "bias"}));
  prune(*m, "weight", count(Pruning::l1_unstructured, 1));
  expect_error([&] { register_parametrization(*m, "weight", weight_norm()); }, Code::invalid_argument,
               "pruned");
  register_parametrization(*m, "bias", spectral_norm());
  expect_error([&] { prune(*m, "bias", count(Pruning::l1_unstructured, 1)); }, Code::invalid_argument,
               "parametrized");
}

}  // namespace
}  // namespace haft::nn
