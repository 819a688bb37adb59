// Layers spread over ranks against the dense layer: outputs, gradients of inputs and of every parameter.
#include "core/parallel/tensor_parallel.h"

#include "core/nn/factories.h"
#include "core/parallel/device_mesh.h"
#include "numbers.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;
using dist::Group;

constexpr nn::Build kDouble{.dtype = DType::f64};

// Each rank makes another: rank 0's count.
Ref<nn::Module> dense_linear(int64_t in, int64_t out, int rank, bool bias = true) {
  Generator gen(uint64_t(7 * in + out + 1000 * rank));
  return nn::linear(in, out, bias, {.dtype = DType::f64, .generator = &gen});
}
Ref<nn::Module> dense_embedding(int64_t rows, int64_t dim, int64_t padding, int rank) {
  Generator gen(uint64_t(rows + 1000 * rank));
  return make_ref<nn::Embedding>(rows, dim, nn::TableOptions{.padding_idx = padding},
                                 nn::Build{.dtype = DType::f64, .generator = &gen});
}
Tensor gradient(nn::Module& m, const char* name) { return gradient_of(m.find_parameter(name)); }
void backward_of(const Tensor& loss) { backward({&loss, 1}, {}); }
Tensor loss_of(const Tensor& y) { return ops::sum(y * y * random({y.sizes().begin(), y.sizes().end()}, 31)); }

TEST(TensorParallel, ColumnThenRowIsTheDenseBlock) {
  init();
  const Tensor x0 = random({2, 3, 5}, 1);
  const auto first = dense_linear(5, 7, 0), second = dense_linear(7, 4, 0);
  const Tensor x = leaf(x0);
  const Tensor y = second->call(ops::gelu(first->call(x)));
  backward_of(loss_of(y));
  expect_none(run_threads(3, [&](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    ColumnParallelLinear column(group, *dense_linear(5, 7, g.rank()), {});
    RowParallelLinear row(group, *dense_linear(7, 4, g.rank()), {});
    const Tensor mine = leaf(x0), out = row.call(ops::gelu(column.call(mine)));
    EXPECT_CLOSE(out, y, 1e-12);
    backward_of(loss_of(out));
    EXPECT_CLOSE(gradient_of(mine), gradient_of(x), 1e-12);
    EXPECT_CLOSE(gradient(column, "weight"), part(gradient(*first, "weight"), g), 1e-12);
    EXPECT_CLOSE(gradient(column, "bias"), part(gradient(*first, "bias"), g), 1e-12);
    EXPECT_CLOSE(gradient(row, "weight"), part(gradient(*second, "weight"), g, 1), 1e-12);
    EXPECT_CLOSE(gradient(row, "bias"), gradient(*second, "bias"), 1e-12);
    EXPECT_EQ(column.find_parameter("weight").size(0), part_of(7, g.size(), g.rank()).size);
    EXPECT_EQ(column.extra(), "in_features=5, out_features=7, bias=True, ranks=3");
  }));
}

TEST(TensorParallel, WholeOutputsAndInputs) {
  init();
  const Tensor x0 = random({4, 6}, 2);
  const auto first = dense_linear(6, 5, 0, false), second = dense_linear(5, 3, 0, false);
  const Tensor x = leaf(x0), y = second->call(first->call(x));
  backward_of(loss_of(y));
  expect_none(run_threads(2, [&](Group& g) {
    ColumnParallelLinear column(GroupRef::share(&g), *dense_linear(6, 5, g.rank(), false),
                                {.split_output = false});
    RowParallelLinear row(GroupRef::share(&g), *dense_linear(5, 3, g.rank(), false), {.split_input = false});
    const Tensor mine = leaf(x0), middle = column.call(mine), out = row.call(middle);
    EXPECT_CLOSE(middle, first->call(x0), 1e-12);
    EXPECT_CLOSE(out, y, 1e-12);
    backward_of(loss_of(out));
    EXPECT_CLOSE(gradient_of(mine), gradient_of(x), 1e-12);
    EXPECT_CLOSE(gradient(column, "weight"), part(gradient(*first, "weight"), g), 1e-12);
    EXPECT_CLOSE(gradient(row, "weight"), part(gradient(*second, "weight"), g, 1), 1e-12);
  }));
}

// Self-attention with query, key and value in one weight: each rank has some of the heads.
TEST(TensorParallel, AttentionHeadsByColumnsAndRows) {
  init();
  constexpr int64_t kWidth = 8, kTokens = 3;
  const auto attend = [](const Tensor& qkv) {  // (B, T, 3 * heads * 2)
    const int64_t heads = qkv.size(-1) / 6;
    const std::vector<Tensor> parts = ops::chunk(qkv, 3, -1);
    const auto split = [&](const Tensor& t) {
      return ops::transpose(ops::reshape(t, Shape{t.size(0), kTokens, heads, 2}), 1, 2);
    };
    const Tensor scores = ops::softmax(
        ops::matmul(split(parts[0]), ops::transpose(split(parts[1]), 2, 3)) / std::sqrt(2.0), -1);
    return ops::reshape(ops::transpose(ops::matmul(scores, split(parts[2])), 1, 2),
                        Shape{qkv.size(0), kTokens, heads * 2});
  };
  const Tensor x0 = random({2, kTokens, kWidth}, 4);
  const auto in = dense_linear(kWidth, 3 * kWidth, 0), out = dense_linear(kWidth, kWidth, 0);
  const Tensor x = leaf(x0), y = out->call(attend(in->call(x)));
  backward_of(loss_of(y));
  expect_none(run_threads(2, [&](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    ColumnParallelLinear column(group, *dense_linear(kWidth, 3 * kWidth, g.rank()), {.blocks = 3});
    RowParallelLinear row(group, *dense_linear(kWidth, kWidth, g.rank()), {});
    const Tensor mine = leaf(x0), got = row.call(attend(column.call(mine)));
    EXPECT_CLOSE(got, y, 1e-12);
    backward_of(loss_of(got));
    EXPECT_CLOSE(gradient_of(mine), gradient_of(x), 1e-12);
    std::vector<Tensor> rows;
    for (const Tensor& block : ops::chunk(gradient(*in, "weight"), 3, 0)) rows.push_back(part(block, g));
    EXPECT_CLOSE(gradient(column, "weight"), ops::cat(rows, 0), 1e-12);
    EXPECT_CLOSE(gradient(row, "weight"), part(gradient(*out, "weight"), g, 1), 1e-12);
  }));
}

// Norms and residuals see a part of the tokens each; columns gather them, rows scatter.
TEST(TensorParallel, SequenceParallelIsTheDenseModel) {
  init();
  constexpr int64_t kVocab = 11, kWidth = 4;
  // (tokens, batch).
  const Tensor index = numbers({6, 2}, DType::i64, [](int64_t i) { return double(3 * i % kVocab); });
  struct Model {
    Ref<nn::Module> table, norm, up, down;
    Tensor run(const Tensor& i) const {
      const Tensor x = table->call(i);
      return x + down->call(ops::gelu(up->call(norm->call(x))));
    }
  };
  const int64_t width[] = {kWidth};
  const auto dense = [&](int r) {
    return Model{dense_embedding(kVocab, kWidth, kNone, r), nn::layer_norm(width, 1e-5, true, true, kDouble),
                 dense_linear(kWidth, 8, r), dense_linear(8, kWidth, r)};
  };
  const Model whole = dense(0);
  const Tensor y = whole.run(index);
  backward_of(loss_of(y));
  expect_none(run_threads(2, [&](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    const Model d = dense(g.rank());
    const ParallelOptions tokens{.sequence_dim = 0};
    const Model mine{make_ref<VocabParallelEmbedding>(group, *d.table, tokens), d.norm,
                     make_ref<ColumnParallelLinear>(group, *d.up, tokens),
                     make_ref<RowParallelLinear>(group, *d.down, tokens)};
    sum_gradients(group, *mine.norm);
    const Tensor out = mine.run(index);
    EXPECT_CLOSE(out, part(y, g), 1e-12);
    const Tensor all = gather_from(group, out, 0);  // the loss of all tokens, on every rank
    backward_of(loss_of(all));
    EXPECT_CLOSE(gradient(*mine.table, "weight"), part(gradient(*whole.table, "weight"), g), 1e-12);
    EXPECT_CLOSE(gradient(*mine.norm, "weight"), gradient(*whole.norm, "weight"), 1e-12);
    EXPECT_CLOSE(gradient(*mine.norm, "bias"), gradient(*whole.norm, "bias"), 1e-12);
    EXPECT_CLOSE(gradient(*mine.up, "weight"), part(gradient(*whole.up, "weight"), g), 1e-12);
    EXPECT_CLOSE(gradient(*mine.down, "weight"), part(gradient(*whole.down, "weight"), g, 1), 1e-12);
    EXPECT_CLOSE(gradient(*mine.down, "bias"), gradient(*whole.down, "bias"), 1e-12);
  }));
}

TEST(TensorParallel, EmbeddingAndCrossEntropyOverTheVocabulary) {
  init();
  constexpr int64_t kVocab = 7;
  const Tensor index = numbers({2, 5}, DType::i64, [](int64_t i) { return double(i * 3 % kVocab); });
  const Tensor target =
      numbers({2, 5}, DType::i64, [](int64_t i) { return i == 4 ? -100 : double(i * 5 % kVocab); });
  for (int64_t reduction : {0, 1, 2})
    for (double smoothing : {0.0, 0.2}) {
      const auto table = dense_embedding(kVocab, 3, 4, 0), head = dense_linear(3, kVocab, 0, false);
      const Tensor logits = head->call(table->call(index)) * 30.0;
      const Tensor loss =
          ops::cross_entropy(ops::reshape(logits, Shape{10, kVocab}), ops::reshape(target, Shape{10}),
                             Tensor(), reduction, -100, smoothing);
      backward_of(ops::sum(loss));
      expect_none(run_threads(3, [&](Group& g) {
        const GroupRef group = GroupRef::share(&g);
        VocabParallelEmbedding t(group, *dense_embedding(kVocab, 3, 4, g.rank()), {});
        ColumnParallelLinear h(group, *dense_linear(3, kVocab, g.rank(), false), {});
        const Tensor mine = h.call(t.call(index)) * 30.0;
        const Tensor got =
            vocab_parallel_cross_entropy(group, mine, target, kVocab, reduction, -100, smoothing);
        EXPECT_CLOSE(reduction ? got : ops::reshape(got, Shape{10}), loss, 1e-10);
        backward_of(ops::sum(got));
        EXPECT_CLOSE(gradient(t, "weight"), part(gradient(*table, "weight"), g), 1e-10);
        EXPECT_CLOSE(gradient(h, "weight"), part(gradient(*head, "weight"), g), 1e-10);
      }));
    }
}

TEST(TensorParallel, RefusesWhatCannotBeSpread) {
  expect_none(run_threads(3, [](Group& g) {
    const GroupRef group = GroupRef::share(&g);
    const auto says = [&](const char* text, const std::function<void()>& f) {
      try {
        f();
        ADD_FAILURE() << text;
      } catch (const Error& e) {
        EXPECT_NE(e.message.find(text), std::string::npos) << e.message;
      }
    };
    says("is made of a Linear, got a Embedding",
         [&] { ColumnParallelLinear(group, *dense_embedding(4, 2, kNone, 0), {}); });
    says("out_features 2 cannot be spread over 3",
         [&] { ColumnParallelLinear(group, *dense_linear(4, 2, 0), {}); });
    says("8 outputs are not 3 equal blocks",
         [&] { ColumnParallelLinear(group, *dense_linear(4, 8, 0), {.blocks = 3}); });
    says("blocks stay split",
         [&] { ColumnParallelLinear(group, *dense_linear(4, 9, 0), {.split_output = false, .blocks = 3}); });
    // As torch.chunk cuts 4 rows, one of 3 ranks has none.
    says("num_embeddings 4 cannot be spread over 3 ranks: in parts of 2 the last rank has none",
         [&] { VocabParallelEmbedding(group, *dense_embedding(4, 2, kNone, 0), {}); });
    says("reduction is 7", [&] {
      vocab_parallel_cross_entropy(group, random({1, 2}, 1), filled({1}, DType::i64, 0), 6, 7);
    });
    // What all refuse leaves the group as it was, and so does what ranks do not agree on.
    says(
        "ColumnParallelLinear: ranks differ: rank 0 has \"weight float64 [6, 4]\", rank 2 has "
        "\"ColumnParallelLinear: is made of a Linear, got a Embedding\"",
        [&] {
          if (g.rank() < 2)
            ColumnParallelLinear(group, *dense_linear(4, 6, 0), {});
          else
            ColumnParallelLinear(group, *dense_embedding(4, 6, kNone, 0), {});
        });
    says("RowParallelLinear: ranks differ: rank 0 has \"bias true\", rank 1 has \"bias false\"",
         [&] { RowParallelLinear(group, *dense_linear(6, 4, 0, g.rank() != 1), {}); });
    g.run(barrier());
  }));
}

TEST(TensorParallel, WhatFailsInACallOnOneRankIsToldToAll) {
  const auto told = [](const char* says, const std::function<void(const GroupRef&, bool)>& call) {
    const Failures f = run_threads(
        3, [&](Group& g) { call(GroupRef::share(&g), g.rank() == 1); }, patient(60));
    EXPECT_NE(f[1].find(says), std::string::npos) << f[1];
    for (int r : {0, 2}) {
      EXPECT_NE(f[size_t(r)].find("rank 1 aborted the group: "), std::string::npos) << f[size_t(r)];
      EXPECT_NE(f[size_t(r)].find(says), std::string::npos) << f[size_t(r)];
    }
  };
  told("VocabParallelEmbedding: x holds an index outside 0 to 4", [](const GroupRef& g, bool bad) {
    VocabParallelEmbedding(g, *dense_embedding(5, 2, kNone, 0), {})
        .call(filled({1}, DType::i64, bad ? 5 : 4));
  });
  told("[vocab_parallel_cross_entropy]: target holds an index outside 0 to 4",
       [](const GroupRef& g, bool bad) {
         vocab_parallel_cross_entropy(g, random({1, part_of(5, 3, g->rank()).size}, 1),
                                      filled({1}, DType::i64, bad ? 5 : 4), 5, 1);
       });
  told("of 5 classes, got x of shape [1, 3]", [](const GroupRef& g, bool bad) {
    vocab_parallel_cross_entropy(g, random({1, bad ? 3 : part_of(5, 3, g->rank()).size}, 1),
                                 filled({1}, DType::i64, 0), 5, 1);
  });
  told("[linear] input of shape [2, 5] must end in 4", [](const GroupRef& g, bool bad) {
    ColumnParallelLinear(g, *dense_linear(4, 6, 0), {.split_output = false})
        .call(random({2, bad ? 5 : 4}, 1));
  });
  told("[linear] input of shape [2, 3] must end in 2", [](const GroupRef& g, bool bad) {
    RowParallelLinear(g, *dense_linear(6, 4, 0), {}).call(random({2, bad ? 3 : 2}, 1));
  });
}

TEST(DeviceMesh, GroupsAlongEachDimension) {
  expect_none(run_threads(6, [](Group& g) {
    const int64_t shape[] = {3, 2};
    const Ref<DeviceMesh> mesh = DeviceMesh::create(GroupRef::share(&g), shape, {"dp", "tp"});
    const Member dp(mesh->group(0)), tp(mesh->group(mesh->find("tp")));
    EXPECT_EQ(mesh->ndim(), 2);
    EXPECT_EQ(mesh->coordinate(0), g.rank() / 2);
    EXPECT_EQ(mesh->coordinate(-1), g.rank() % 2);
    EXPECT_EQ(dp->size(), 3);
    EXPECT_EQ(tp->size(), 2);
    EXPECT_EQ(dp->rank(), g.rank() / 2);
    EXPECT_EQ(at(all_gather(tp.g, filled({1}, DType::i64, g.rank())), 1), g.rank() / 2 * 2 + 1);
    EXPECT_EQ(at(all_gather(dp.g, filled({1}, DType::i64, g.rank())), 2), 4 + g.rank() % 2);
    const Ref<DeviceMesh> turned = mesh->slice({1, 0});
    EXPECT_EQ(turned->name(0), "tp");
    EXPECT_EQ(turned->group(0).get(), tp.g.get());
    const auto says = [&](const char* text, const std::function<void()>& f) {
      try {
        f();
        ADD_FAILURE() << text;
      } catch (const Error& e) {
        EXPECT_NE(e.message.find(text), std::string::npos) << e.message;
      }
    };
    says("there are \"dp\", \"tp\"", [&] { mesh->find("pp"); });
    says("asked for twice", [&] { mesh->slice({0, 0}); });
    const int64_t wrong[] = {2, 2};
    says("wants 4 ranks, the group has 6", [&] { DeviceMesh::create(GroupRef::share(&g), wrong, {}); });
    says("a name for each of 2", [&] { DeviceMesh::create(GroupRef::share(&g), shape, {"a"}); });
    says("names must differ", [&] { DeviceMesh::create(GroupRef::share(&g), shape, {"a", "a"}); });
  }));
}

}  // namespace
