// Tensors in shared memory, and training on them without locks.
#include <random>

#include "core/autograd/hooks.h"
#include "core/optim/optimizer.h"
#include "core/rpc/shared_tensor.h"
#include "tests/rpc/agents.h"

namespace haft::rpc::testing {
namespace {

TEST(SharedTensor, KeepsIdentityValuesAndGradient) {
  init();
  Tensor t = numbers({3, 4}, DType::f32, [](int64_t i) { return double(i); });
  set_requires_grad(t, true);
  set_gradient(t, filled({3, 4}, DType::f32, 2));
  EXPECT_FALSE(is_shared(t));
  EXPECT_EQ(failure_of([&] { shared_name(t); }).code, Code::invalid_argument);
  share_memory(t);
  EXPECT_TRUE(is_shared(t));
  share_memory(t);
  EXPECT_TRUE(t.requires_grad());
  EXPECT_EQ(at(t, 11), 11);
  const Tensor other = open_shared(shared_name(t));
  EXPECT_NE(other.data<void>(), t.data<void>());
  other.data<float>()[11] = 50;
  EXPECT_EQ(at(t, 11), 50);
  // Parts go by name, too.
  const Tensor column = open_shared(shared_name(ops::narrow(other, 1, 2, 1)));
  EXPECT_EQ(column.size(0), 3);
  EXPECT_EQ(at(ops::contiguous(column), 2), 10);
  const Tensor empty = filled({0, 3}, DType::f32, 0);
  share_memory(empty);
  EXPECT_EQ(open_shared(shared_name(empty)).numel(), 0);
}

TEST(SharedTensor, NamesOfNothingAreRefused) {
  init();
  Tensor t = filled({4}, DType::f32, 1);
  share_memory(t);
  std::string name = shared_name(t);
  for (size_t i = 0; i < name.size(); ++i)
    EXPECT_NE(failure_of([&] { open_shared(name.substr(0, i)); }).code, Code::ok);
  EXPECT_EQ(failure_of([&] { open_shared(name + " 1"); }).code, Code::invalid_argument);
  std::string larger = name;
  larger.replace(larger.rfind("4 1"), 1, "5");
  EXPECT_NE(failure_of([&] { open_shared(larger); }).message.find("larger than its memory"),
            std::string::npos);
  t.reset();
  EXPECT_EQ(failure_of([&] { open_shared(name); }).code, Code::unavailable);
  EXPECT_EQ(failure_of([&] { open_shared("haft-shared 1 1 0 0 9 0 0"); }).code, Code::unavailable);
}

// Two processes write whole tensors of two values without a lock; no reader ever sees anything else.
TEST(SharedTensor, ElementsAreNeverTorn) {
  init();
  const double values[] = {1.0, -3.1415926535};
  Tensor t[] = {filled({4099}, DType::f32, values[0]), filled({4099}, DType::f64, values[0])};
  for (Tensor& x : t) share_memory(x);
  Processes p(2, [&](Ref<dist::Store> store, int rank) -> std::string {
    Tensor mine[] = {open_shared(shared_name(t[0])), t[1]};
    store->set(concat("ready", rank), "");
    const std::string stop[] = {"stop"};
    do {
      for (int i = 0; i < 50; ++i)
        for (Tensor& x : mine) ops::copy_(x, filled({4099}, x.dtype(), values[size_t(rank)]));
    } while (!store->check(stop));
    return "done";
  });
  for (int r : {0, 1}) p.store()->get(concat("ready", r), patient());
  int64_t seen[2] = {};
  for (int round = 0; round < 300; ++round)
    for (const Tensor& x : t) {
      const Tensor copy = ops::clone(x);
      for (int64_t i = 0; i < copy.numel(); ++i) {
        const double v = at(copy, i);
        if (v == values[0] || v == double(float(values[0])))
          ++seen[0];
        else if (v == values[1] || v == double(float(values[1])))
          ++seen[1];
        else
          FAIL() << v;
      }
    }
  p.store()->set("stop", "");
  EXPECT_EQ(p.told(0), "done");
  EXPECT_EQ(p.told(1), "done");
  EXPECT_GT(seen[0] + seen[1], 0);
}

// Hogwild: processes step the same sparse least squares problem without a lock; each example touches 3 of 200 weights.
TEST(SharedTensor, HogwildConverges) {
  init();
  constexpr int64_t kWeights = 200;
  Tensor w = filled({kWeights, 1}, DType::f32, 0);
  share_memory(w);
  auto target = [](int64_t i) { return double(i % 7) - 3; };
  Processes p(3, [&](Ref<dist::Store>, int rank) -> std::string {
    std::mt19937 random(uint32_t(rank) + 10);
    for (int step = 0; step < 6000; ++step) {
      int64_t ids[3];
      double y = 0;
      for (int64_t& i : ids) y += target(i = int64_t(random() % kWeights));
      Tensor index = new_tensor(std::array{int64_t(3)}, DType::i64);
      std::memcpy(index.data<void>(), ids, sizeof ids);
      const double error = at(ops::sum(ops::index_select(w, 0, index)), 0) - y;
      ops::index_add_(w, 0, index, filled({3, 1}, DType::f32, -0.2 * error));
    }
    return "done";
  });
  for (int r = 0; r < 3; ++r) EXPECT_EQ(p.told(r), "done");
  double worst = 0;
  for (int64_t i = 0; i < kWeights; ++i) worst = std::max(worst, std::fabs(at(w, i) - target(i)));
  EXPECT_LT(worst, 0.05);
}

}  // namespace
}  // namespace haft::rpc::testing
