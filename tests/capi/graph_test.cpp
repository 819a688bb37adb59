// The graph as an object: walking it, names, leaves and their tensors, lifetimes, text for other programs.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cctype>
#include <thread>

#include "capi_testing.h"

namespace {

struct GraphObject : CapiTest {};
using haft::grad_fn;
using haft::Node;

TEST_F(GraphObject, IsWalkedFromTheResultToTheLeaves) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4}), constant = floats({5, 6});
  EXPECT_FALSE(grad_fn(x)) << "a leaf was made by nothing";
  EXPECT_FALSE(grad_fn(constant));
  EXPECT_FALSE(grad_fn(constant * constant));
  Tensor product = x * y, out = haft::sum(product * constant + product);

  Node sum = grad_fn(out);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum.name(), "sum");
  EXPECT_EQ(sum.next_count(), 1);
  Node add = sum.next(0);
  EXPECT_EQ(add.name(), "add");
  ASSERT_EQ(add.next_count(), 2);
  Node times = add.next(0), shared = add.next(1);
  EXPECT_EQ(times.name(), "mul");
  EXPECT_EQ(times.next(0), shared) << "the same call, met on two ways";
  EXPECT_EQ(times.next(0).id(), shared.id());
  EXPECT_FALSE(times.next(1)) << "the constant requires no gradient";
  EXPECT_NE(times, shared);
  EXPECT_NE(times, Node());
  EXPECT_EQ(shared, grad_fn(product));
  EXPECT_LT(shared.id(), times.id()) << "made earlier";

  Node leaf_x = shared.next(0), leaf_y = shared.next(1);
  EXPECT_EQ(leaf_x.name(), "AccumulateGrad");
  EXPECT_EQ(leaf_x.next_count(), 0);
  EXPECT_NE(leaf_x, leaf_y);
  Tensor found = leaf_x.variable();
  EXPECT_TRUE(found.shares_memory(x));
  EXPECT_TRUE(found.is_leaf());
  EXPECT_FALSE(sum.variable()) << "no leaf";
  found.set_grad(floats({7, 8}));
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{7, 8})) << "the leaf itself, not a copy";
}

TEST_F(GraphObject, SaysWhichResultAnInputWas) {
  Tensor x = Tensor::from({3.f, 1.f, 2.f}).set_requires_grad();
  auto [values, indices] = haft::sort(x);
  Node exp = grad_fn(haft::exp(values));
  EXPECT_EQ(exp.next(0).name(), "sort");
  EXPECT_EQ(exp.next_output(0), 0);
  EXPECT_FALSE(grad_fn(indices));

  struct Two : haft::Function {
    std::vector<Tensor> forward(haft::FunctionContext&, const std::vector<Tensor>& in) override {
      return {in[0] * 2, in[0] * 3};
    }
    std::vector<Tensor> backward(haft::FunctionContext&, const std::vector<Tensor>& g) override {
      return {g[1] * 3};
    }
  };
  std::vector<Tensor> both = haft::apply(std::make_shared<Two>(), {x}, 2, "My \"Two\"\n");
  Node neg = grad_fn(-both[1]);
  EXPECT_EQ(neg.next(0).name(), "My \"Two\"\n");
  EXPECT_EQ(neg.next_output(0), 1);
  EXPECT_EQ(neg.next(0), grad_fn(both[0]));
}

TEST_F(GraphObject, OutlivesBackwardAndTensors) {
  Node top;
  {
    Tensor x = leaf({1, 2}), out = haft::sum(haft::exp(x));
    top = grad_fn(out);
    out.backward();
    EXPECT_EQ(top.next(0).name(), "exp") << "freed tensors, but the nodes are there";
    EXPECT_TRUE(top.next(0).next(0).variable().shares_memory(x));
    EXPECT_FAILS(haft_tensor_backward(out.get(), nullptr, 0), HAFT_ERROR_AUTOGRAD, "second time");
  }
  Node leaf_node = top.next(0).next(0);
  EXPECT_EQ(leaf_node.name(), "AccumulateGrad");
  EXPECT_FALSE(leaf_node.variable()) << "the leaf died with its last handle";
}

// A handle keeps the node, but what backward frees is free.
TEST_F(GraphObject, KeepsNoSavedMemory) {
  haft_memory_stats before = HAFT_MEMORY_STATS_INIT, kept = HAFT_MEMORY_STATS_INIT,
                    freed = HAFT_MEMORY_STATS_INIT;
  haft::check(haft_memory_get_stats(HAFT_DEVICE_CPU, &before));
  Node node;
  {
    Tensor x = haft::ones({1 << 16}).set_requires_grad(), out = haft::sum(haft::exp(x));
    node = grad_fn(out);
    haft::check(haft_memory_get_stats(HAFT_DEVICE_CPU, &kept));
    out.backward();
    x = Tensor();
  }
  haft::check(haft_memory_get_stats(HAFT_DEVICE_CPU, &freed));
  EXPECT_GE(kept.live - before.live, int64_t(2) << 18);
  // The leaf's node keeps its gradient, as it does without handles.
  EXPECT_LE(freed.live - before.live, (int64_t(1) << 18) + 4096);
}

TEST_F(GraphObject, LeavesOfModulesComeAndGo) {
  Tensor x = leaf({1, 2});
  Node node = grad_fn(x * 2).next(0);
  EXPECT_TRUE(node.variable().shares_memory(x));
  x.set_requires_grad(false);
  EXPECT_TRUE(node.variable().shares_memory(x)) << "frozen, but the same leaf";
  x.set_requires_grad(true);
  EXPECT_EQ(grad_fn(x * 2).next(0), node);
  Tensor copy = x;
  x = Tensor();
  EXPECT_TRUE(node.variable().shares_memory(copy));
  copy = Tensor();
  EXPECT_FALSE(node.variable());
}

TEST_F(GraphObject, IsWalkedByManyThreadsWhileLeavesDie) {
  constexpr int kThreads = 4, kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    Tensor x = leaf({1, 2});
    Node root = grad_fn(haft::exp(x));
    std::atomic<int> wrong{0};
    std::barrier start(kThreads + 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        start.arrive_and_wait();
        for (int i = 0; i < 8; ++i) {
          Tensor found = root.next(0).variable();
          if (found && found.numel() != 2) ++wrong;
        }
      });
    start.arrive_and_wait();
    x = Tensor();
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_FALSE(root.next(0).variable());
  }
}

// Ids as they come: #1, #2, ... An id stands after "#", "n" or one of JSON's keys.
std::string numbers_replaced(const std::string& s) {
  std::string out;
  std::vector<std::string> seen;
  for (size_t i = 0; i < s.size();) {
    size_t end = i;
    while (end < s.size() && std::isdigit(static_cast<unsigned char>(s[end]))) ++end;
    bool is_id = end > i && (out.ends_with('#') || out.ends_with('n') || out.ends_with("\"id\": ") ||
                             out.ends_with("\"from\": ") || out.ends_with("\"to\": "));
    if (!is_id) {
      end = std::max(end, i + 1);
      out.append(s, i, end - i);
    } else {
      auto known = std::find(seen.begin(), seen.end(), s.substr(i, end - i));
      out += std::to_string(known - seen.begin() + 1);
      if (known == seen.end()) seen.push_back(s.substr(i, end - i));
    }
    i = end;
  }
  return out;
}

TEST_F(GraphObject, AsText) {
  Tensor x = haft::ones({2, 3}).set_requires_grad(), w = haft::ones({3}, HAFT_FLOAT64).set_requires_grad();
  Tensor out = haft::mul(x, floats({1, 2, 3}));
  EXPECT_EQ(numbers_replaced(haft::graph_to_text(haft::sum(out))),
            "#1 sum(#2)\n#2 mul(#3, -)\n#3 AccumulateGrad float32 [2, 3]\n");
  EXPECT_EQ(numbers_replaced(haft::graph_to_text(w)), "#1 AccumulateGrad float64 [3]\n");
  Tensor y = x * x;
  EXPECT_EQ(numbers_replaced(haft::graph_to_text(y, HAFT_GRAPH_DOT)),
            "digraph haft {\n  node [shape=box];\n  n1 [label=\"mul\"];\n"
            "  n2 [label=\"AccumulateGrad\\nfloat32 [2, 3]\", style=rounded];\n"
            "  n1 -> n2;\n  n1 -> n2;\n}\n");
  EXPECT_EQ(numbers_replaced(haft::graph_to_text(y, HAFT_GRAPH_JSON)),
            "{\"nodes\": [\n  {\"id\": 1, \"name\": \"mul\", \"outputs\": 1},\n"
            "  {\"id\": 2, \"name\": \"AccumulateGrad\", \"outputs\": 1, \"dtype\": \"float32\", \"size\": "
            "[2, 3]}\n"
            "], \"edges\": [\n  {\"from\": 1, \"input\": 0, \"to\": 2, \"output\": 0},\n"
            "  {\"from\": 1, \"input\": 1, \"to\": 2, \"output\": 0}\n]}\n");
  Tensor second = std::get<0>(haft::topk(x, 2));
  std::string dot = haft::graph_to_text(haft::exp(second), HAFT_GRAPH_DOT);
  EXPECT_NE(dot.find("[label=\"0\"]"), std::string::npos)
      << "edges name results where there are several: " << dot;
}

TEST_F(GraphObject, OfGreatDepthAndFromViewsWrittenInPlace) {
  Tensor x = leaf({1});
  Tensor deep = x;
  for (int i = 0; i < 200000; ++i) deep = haft::neg(deep);
  std::string text = haft::graph_to_text(deep);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 200001);

  Tensor base = leaf({1, 2, 3}) * 1, part = haft::narrow(base, 0, 1, 2);
  haft::mul_scalar_(part, 5);
  EXPECT_EQ(grad_fn(base).name(), "as_strided_scatter");
  EXPECT_EQ(grad_fn(part).name(), "as_strided") << "a view's history is renewed when somebody asks";
  EXPECT_EQ(grad_fn(part).next(0), grad_fn(base));
}

TEST_F(GraphObject, WrongCalls) {
  Tensor x = leaf({1, 2}), y = haft::exp(x);
  haft_node* n = nullptr;
  ASSERT_EQ(haft_tensor_grad_fn(y.get(), &n), HAFT_OK);
  haft_node* next = reinterpret_cast<haft_node*>(1);
  int64_t output = 7;
  EXPECT_FAILS_AT(haft_node_next(n, 1, &next, &output), HAFT_ERROR_INDEX, 1, "index");
  EXPECT_FAILS_AT(haft_node_next(n, -1, &next, &output), HAFT_ERROR_INDEX, 1, "index");
  EXPECT_EQ(next, reinterpret_cast<haft_node*>(1));
  EXPECT_EQ(output, 7);
  EXPECT_FAILS_AT(haft_node_next(n, 0, nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 2, "next");
  EXPECT_FAILS_AT(haft_tensor_grad_fn(y.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1, "out");
  EXPECT_FAILS(haft_node_get_id(reinterpret_cast<haft_node*>(y.get()), &output), HAFT_ERROR_WRONG_HANDLE,
               "node");
  EXPECT_FAILS(haft_tensor_get_numel(reinterpret_cast<haft_tensor*>(n), &output), HAFT_ERROR_WRONG_HANDLE,
               "node");
  EXPECT_FAILS_AT(haft_autograd_graph_to_text(y.get(), 3, nullptr, 0, &output), HAFT_ERROR_INVALID_ARGUMENT,
                  1, "format");
  EXPECT_FAILS(haft_autograd_graph_to_text(floats({1}).get(), 0, nullptr, 0, &output), HAFT_ERROR_AUTOGRAD,
               "does not require");
  char small[4];
  EXPECT_FAILS(haft_autograd_graph_to_text(y.get(), 0, small, 4, &output), HAFT_ERROR_INVALID_ARGUMENT,
               "the text needs");
  ASSERT_EQ(haft_node_get_name(n, small, 4, &output), HAFT_OK);
  EXPECT_STREQ(small, "exp");
  EXPECT_EQ(output, 4);
  ASSERT_EQ(haft_node_retain(n), HAFT_OK);
  haft_node_release(n);
  ASSERT_EQ(haft_node_get_id(n, &output), HAFT_OK);
  haft_node_release(n);
  EXPECT_FAILS(haft_node_get_id(n, &output), HAFT_ERROR_STALE_HANDLE, "");
  haft_node_release(nullptr);
}

}  // namespace
