// A GPT over a mesh of data, pipeline and tensor parallel ranks against the same model in one process.
#include "core/autograd/hooks.h"
#include "core/nn/containers.h"
#include "core/nn/factories.h"
#include "core/optim/clip.h"
#include "core/optim/optimizer.h"
#include "core/parallel/device_mesh.h"
#include "core/parallel/gradients.h"
#include "core/parallel/pipeline.h"
#include "core/parallel/tensor_parallel.h"
#include "numbers.h"

namespace {

using namespace haft;
using namespace haft::parallel;
using namespace haft::parallel::testing;
using dist::Group;

constexpr int64_t kVocab = 11, kTokens = 5, kWidth = 8, kHead = 2, kRows = 8, kStages = 2, kMicro = 2;

Tensor attend(const Tensor& qkv) {  // (B, T, 3 * heads * kHead)
  const int64_t heads = qkv.size(-1) / (3 * kHead);
  std::vector<Tensor> parts = ops::chunk(qkv, 3, -1);
  for (Tensor& t : parts) t = ops::transpose(ops::reshape(t, Shape{t.size(0), kTokens, heads, kHead}), 1, 2);
  const Tensor later =
      ops::gt_scalar(ops::triu(ops::ones(Shape{kTokens, kTokens}, DType::f64), 1), Scalar(0.0));
  const Tensor scores = ops::matmul(parts[0], ops::transpose(parts[1], 2, 3)) / std::sqrt(double(kHead));
  const Tensor y =
      ops::matmul(ops::softmax(ops::masked_fill(scores, later, Scalar(-INFINITY)), -1), parts[2]);
  return ops::reshape(ops::transpose(y, 1, 2), Shape{qkv.size(0), kTokens, heads * kHead});
}

struct Block {
  Ref<nn::Module> norm1, qkv, out, norm2, up, down;
  Tensor run(const Tensor& x) const {
    const Tensor h = x + out->call(attend(qkv->call(norm1->call(x))));
    return h + down->call(ops::gelu(up->call(norm2->call(h))));
  }
};

// The layer that gives logits has the embedding's weight.
struct Gpt {
  Ref<nn::Module> table, norm, head;
  Tensor positions;
  std::vector<Block> blocks;

  Tensor begin(const Tensor& index) const { return blocks[0].run(table->call(index) + positions); }
  Tensor end(const Tensor& x) const { return head->call(norm->call(blocks.back().run(x))); }
};

Ref<nn::Module> norm_layer(Generator& g) {
  const int64_t width[] = {kWidth};
  Ref<nn::Module> m = nn::layer_norm(width, 1e-5, true, true, {.dtype = DType::f64});
  NoGradGuard off;
  ops::add_(m->find_parameter("bias"), ops::randn(Shape{kWidth}, DType::f64, Device{}, &g));
  return m;
}

Gpt dense_model() {
  Generator g(7);
  const nn::Build build{.dtype = DType::f64, .generator = &g};
  Gpt m;
  m.table = make_ref<nn::Embedding>(kVocab, kWidth, nn::TableOptions{}, build);
  m.head = nn::linear(kWidth, kVocab, false, build);
  m.head->register_parameter("weight", m.table->find_parameter("weight"));
  m.norm = norm_layer(g);
  m.positions = leaf(random({kTokens, kWidth}, 8));
  for (int64_t i = 0; i < kStages; ++i)
    m.blocks.push_back({norm_layer(g), nn::linear(kWidth, 3 * kWidth, true, build),
                        nn::linear(kWidth, kWidth, true, build), norm_layer(g),
                        nn::linear(kWidth, 4 * kWidth, true, build),
                        nn::linear(4 * kWidth, kWidth, true, build)});
  return m;
}

// A parameter of this rank, what it is a part of, and how many ranks of the mesh have its gradient.
struct Own {
  Tensor mine, whole;
  int64_t copies;
  std::function<Tensor(const Tensor&)> part;
};

struct Spread {
  Gpt model;
  std::vector<Own> own;
  GroupRef tp;
  int64_t data;  // ranks

  Tensor part_along(const Tensor& t, int64_t dim) const { return part(t, *tp, dim); }
  void add(nn::Module& m, nn::Module& dense, const char* name, int64_t dim, int64_t copies = 1,
           int64_t blocks = 1) {
    own.push_back({m.find_parameter(name), dense.find_parameter(name), copies * data,
                   [this, dim, blocks](const Tensor& t) {
                     std::vector<Tensor> parts;
                     for (const Tensor& b : ops::chunk(t, blocks, dim)) parts.push_back(part_along(b, dim));
                     return ops::cat(parts, dim);
                   }});
  }
  void add_same(const Tensor& mine, const Tensor& whole) {
    own.push_back({mine, whole, tp->size() * data, [](const Tensor& t) { return t; }});
  }
  // Norms stay as they are, of a model of this rank's own.
  void add_norm(nn::Module& m, nn::Module& dense) {
    for (const char* name : {"weight", "bias"}) add_same(m.find_parameter(name), dense.find_parameter(name));
  }
  Block spread(const Block& b, const Block& dense) {
    Block s{b.norm1,
            make_ref<ColumnParallelLinear>(tp, *b.qkv, ParallelOptions{.blocks = 3}),
            make_ref<RowParallelLinear>(tp, *b.out, ParallelOptions{}),
            b.norm2,
            make_ref<ColumnParallelLinear>(tp, *b.up, ParallelOptions{}),
            make_ref<RowParallelLinear>(tp, *b.down, ParallelOptions{})};
    add_norm(*s.norm1, *dense.norm1);
    add_norm(*s.norm2, *dense.norm2);
    for (const char* name : {"weight", "bias"}) {
      add(*s.qkv, *dense.qkv, name, 0, 1, 3);
      add(*s.up, *dense.up, name, 0);
    }
    add(*s.out, *dense.out, "weight", 1);
    add(*s.down, *dense.down, "weight", 1);
    add_same(s.out->find_parameter("bias"), dense.out->find_parameter("bias"));
    add_same(s.down->find_parameter("bias"), dense.down->find_parameter("bias"));
    return s;
  }
};

Ref<nn::Module> module(std::function<Tensor(std::span<const Tensor>)> f) {
  return make_ref<nn::Callback>("Stage",
                                [f](nn::Module&, std::span<const Tensor> xs) { return std::vector{f(xs)}; });
}

void check_against_one_process(Group& world, std::vector<int64_t> shape) {
  Group& g = world;  // EXPECT_CLOSE names its rank
  const Ref<DeviceMesh> mesh = DeviceMesh::create(GroupRef::share(&world), shape, {"dp", "pp", "tp"});
  const Member dp(mesh->group(0)), pp(mesh->group(1)), tp(mesh->group(2));
  const bool first = pp->rank() == 0, last = pp->rank() == pp->size() - 1;

  const Gpt whole = dense_model(), seed = dense_model();
  std::vector<Tensor> all;
  Spread s{.tp = tp.g, .data = dp->size()};
  const int64_t tied = pp->size();  // the embedding's gradient is on the first stage and on the last
  for (const Ref<nn::Module>& m : {whole.table, whole.norm})
    for (const Tensor& t : m->parameters()) all.push_back(t);
  all.push_back(whole.positions);
  for (const Block& b : whole.blocks)
    for (const Ref<nn::Module>& m : {b.norm1, b.qkv, b.out, b.norm2, b.up, b.down})
      for (const Tensor& t : m->parameters()) all.push_back(t);
  s.model.blocks.resize(kStages);
  if (first) {
    s.model.table = make_ref<VocabParallelEmbedding>(tp.g, *seed.table, ParallelOptions{});
    s.model.positions = seed.positions;
    s.add(*s.model.table, *whole.table, "weight", 0, tied);
    s.add_same(s.model.positions, whole.positions);
    s.model.blocks[0] = s.spread(seed.blocks[0], whole.blocks[0]);
  }
  if (last) {
    s.model.norm = seed.norm;
    s.model.head = make_ref<ColumnParallelLinear>(tp.g, *seed.head, ParallelOptions{});
    s.add_norm(*s.model.norm, *whole.norm);
    s.add(*s.model.head, *whole.table, "weight", 0, tied);
    s.model.blocks[1] = s.spread(seed.blocks[1], whole.blocks[1]);
  }

  PipelineOptions o;
  o.micro_batches = kMicro;
  o.loss = module([&](std::span<const Tensor> xs) {
    return vocab_parallel_cross_entropy(tp.g, xs[0], xs[1], kVocab, 1);
  });
  const Ref<Pipeline> pipeline = Pipeline::create(
      pp.g,
      {module([&](std::span<const Tensor> xs) { return first ? s.model.begin(xs[0]) : s.model.end(xs[0]); })},
      o);
  pipeline->tie((first ? s.model.table : s.model.head)->find_parameter("weight"));

  std::vector<Tensor> mine;
  std::vector<int64_t> copies;
  for (const Own& w : s.own) {
    mine.push_back(w.mine);
    copies.push_back(w.copies);
  }
  const OptionValues options{{"lr", 0.02}, {"weight_decay", 0.01}};
  const Ref<Optimizer> ours = make_optimizer(OptimizerId::AdamW, mine, options),
                       theirs = make_optimizer(OptimizerId::AdamW, all, options);
  for (int step = 0; step < 4; ++step) {
    const Tensor index = numbers({kRows, kTokens}, DType::i64,
                                 [&](int64_t i) { return double((i * i + 3 * i + step) % kVocab); });
    const Tensor target =
        numbers({kRows, kTokens}, DType::i64, [&](int64_t i) { return double((5 * i + step) % kVocab); });
    const Tensor logits = whole.end(whole.begin(index));
    const Tensor loss = ops::cross_entropy(ops::reshape(logits, Shape{kRows * kTokens, kVocab}),
                                           ops::reshape(target, Shape{kRows * kTokens}), {});
    backward({&loss, 1}, {});

    const Tensor x = part(index, *dp), y = part(target, *dp);
    const Pipeline::Results r = pipeline->run(std::span(&x, size_t(first)), last ? y : Tensor(), true, false);
    if (last) {
      Tensor mean = ops::mean(r.losses);
      dp->run(all_reduce(mean, ReduceOp::avg));
      EXPECT_CLOSE(mean, ops::detach(loss), 1e-12);
    }
    join_gradients(*dp, mine, ReduceOp::avg);
    for (size_t i = 0; i < s.own.size(); ++i) {
      SCOPED_TRACE(concat("step ", step, ", parameter ", int64_t(i), " of shape ", s.own[i].mine.sizes()));
      EXPECT_CLOSE(gradient_of(s.own[i].mine), s.own[i].part(gradient_of(s.own[i].whole)), 1e-11);
    }
    const Tensor norm = clip_grad_norm(std::span<const Tensor>(all), 0.5);
    EXPECT_NEAR(clip_grad_norm(world, mine, copies, 0.5), *norm.data<double>(), 1e-11);
    EXPECT_GT(*norm.data<double>(), 0.5);
    ours->step();
    theirs->step();
    for (const Own& w : s.own) EXPECT_CLOSE(w.mine, w.part(w.whole), 1e-11);
    ours->zero_grad();
    theirs->zero_grad();
  }
}

TEST(Mesh, GptOverDataPipelineAndTensorParallelIsTheModelOfOneProcess) {
  init();
  expect_none(run_threads(8, [](Group& g) { check_against_one_process(g, {2, kStages, 2}); }));
}

// Rows of the vocabulary that parts have unevenly.
TEST(Mesh, GptOverPipelineAndFourTensorParallelRanks) {
  init();
  expect_none(run_threads(8, [](Group& g) { check_against_one_process(g, {1, kStages, 4}); }));
}

TEST(Mesh, GradientsOfSeveralTypesAndMissingOnes) {
  init();
  expect_none(run_threads(2, [](Group& g) {
    const Tensor small = leaf(random({3}, 1)), half = leaf(random({2, 2}, 2, DType::f16)),
                 large = leaf(random({100, 100}, 3)), none = leaf(random({4}, 4));
    const Tensor frozen = random({2}, 5);
    const auto gradient = [&](const Tensor& t) {
      return ops::full(t.sizes(), Scalar(double(g.rank() + 1)), t.dtype(), Device{});
    };
    for (const Tensor& t : {small, half, large}) set_gradient(t, gradient(t));
    if (g.rank()) set_gradient(none, gradient(none));
    const Tensor before = gradient_of(small);
    const Tensor parameters[] = {small, half, frozen, large, none};
    join_gradients(g, parameters, ReduceOp::avg);
    for (const Tensor& t : {small, half, large})
      EXPECT_CLOSE(gradient_of(t), ops::full(t.sizes(), Scalar(1.5), DType::f64, Device{}), 0);
    EXPECT_CLOSE(gradient_of(none), ops::full(Shape{4}, Scalar(1.0), DType::f64, Device{}), 0);
    EXPECT_EQ(gradient_of(small).impl(), before.impl());
    EXPECT_FALSE(gradient_of(frozen));

    const Tensor two[] = {small, none};
    const int64_t copies[] = {2, 1};
    EXPECT_NEAR(clip_grad_norm(g, two, copies, 100), std::sqrt(3 * 2.25 + 2 * 4), 1e-12);
    EXPECT_EQ(clip_grad_norm(g, two, {}, 0.75, INFINITY), 1.5);
    EXPECT_NEAR(at(gradient_of(small), 0), 0.75, 1e-6);
    const int64_t wrong[] = {3, 1};
    for (const auto& [list, text] : {std::pair{std::span<const int64_t>(wrong), "has 3 copies on 2 ranks"},
                                     {std::span(copies, 1), "for each of 2 parameters, got 1"}}) {
      try {
        clip_grad_norm(g, two, list, 1);
        ADD_FAILURE() << text;
      } catch (const Error& e) {
        EXPECT_NE(e.message.find(text), std::string::npos) << e.message;
      }
    }
  }));
}

// Dropout of parts draws apart, and what follows it alike, also where parts have different sizes.
TEST(Mesh, RandomStreamsOfPartsDifferAndGeneratorsStayEqual) {
  init();
  expect_none(run_threads(3, [](Group& g) {
    Generator own(5);  // in place of the process's, of which ranks that are threads have one together
    ScopedValue<Generator*> mine(random_source().generator, &own);
    const auto mask = [](int64_t n) {
      return ops::dropout(ops::ones(Shape{n}, DType::f64), 0.5, true, nullptr);
    };
    const auto of_all = [&](const Tensor& t) {
      return all_gather(GroupRef::share(&g), ops::reshape(t, Shape{1, t.numel()}));
    };
    const Tensor before = of_all(mask(64));
    Tensor inside, again;
    {
      ScopedValue<uint64_t> apart(random_source().stream, uint64_t(g.rank() + 1));
      inside = of_all(mask(64));
      again = of_all(mask(64));
      mask(part_of(10, g.size(), g.rank()).size);
    }
    EXPECT_EQ(own.offset.load(), 16u + 3);
    const Tensor after = of_all(mask(64));
    const auto row = [](const Tensor& t, int64_t i) { return ops::contiguous(ops::select(t, 0, i)); };
    for (int64_t r = 1; r < 3; ++r) {
      EXPECT_TRUE(same_bits(row(before, r), row(before, 0)));
      EXPECT_TRUE(same_bits(row(after, r), row(after, 0)));
      EXPECT_FALSE(same_bits(row(inside, r), row(inside, 0)));
      EXPECT_FALSE(same_bits(row(inside, r), row(again, r)));
    }
    EXPECT_FALSE(same_bits(row(inside, 1), row(inside, 2)));
    own.reseed(5);  // and it can be had again
    mask(64);
    ScopedValue<uint64_t> apart(random_source().stream, uint64_t(g.rank() + 1));
    EXPECT_TRUE(same_bits(row(of_all(mask(64)), 2), row(inside, 2)));
  }));
}

}  // namespace
