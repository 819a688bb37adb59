// Layers: what they compute, how they print, what they refuse.
#include <thread>

#include "core/nn/containers.h"
#include "core/nn/padding.h"
#include "core/tape/tape.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::backward;
using testing::expect_error;
using testing::values;

struct Layers : testing::NnTest {};

// What PyTorch 1.13 prints for the same arguments.
TEST_F(Layers, PrintLikePyTorch) {
  auto text = [](const Ref<Module>& m) { return m->text(); };
  EXPECT_EQ(text(make_ref<Linear>(3, 4, false)), "Linear(in_features=3, out_features=4, bias=False)");
  EXPECT_EQ(text(make_ref<Conv>(2, ConvOptions{.in_channels = 4,
                                               .out_channels = 8,
                                               .kernel_size = {3, 5},
                                               .stride = {2, 2},
                                               .padding = {1, 2},
                                               .dilation = {2, 2},
                                               .groups = 2,
                                               .bias = false})),
            "Conv2d(4, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 2), dilation=(2, 2), groups=2, "
            "bias=False)");
  EXPECT_EQ(text(make_ref<BatchNorm>(2, BatchNormOptions{.num_features = 5,
                                                         .eps = 1e-3,
                                                         .momentum = 0.01,
                                                         .affine = false,
                                                         .track_running_stats = false})),
            "BatchNorm2d(5, eps=0.001, momentum=0.01, affine=False, track_running_stats=False)");
  EXPECT_EQ(text(make_ref<LayerNorm>(Shape{4, 10}, 1e-5, false)),
            "LayerNorm((4, 10), eps=1e-05, elementwise_affine=False)");
  EXPECT_EQ(text(make_ref<PReLU>(4)), "PReLU(num_parameters=4)");
  EXPECT_EQ(text(make_ref<Dropout>(0.25)), "Dropout(p=0.25, inplace=False)");
  EXPECT_EQ(text(make_ref<Embedding>(10, 3, TableOptions{.padding_idx = -1})),
            "Embedding(10, 3, padding_idx=9)");
  EXPECT_EQ(text(max_pool2d({2, 2})),
            "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)");
  EXPECT_EQ(text(max_pool2d({2, 3}, {1, 1}, {1, 1}, {1, 1}, true)),
            "MaxPool2d(kernel_size=(2, 3), stride=1, padding=1, dilation=1, ceil_mode=True)");
  EXPECT_EQ(text(avg_pool2d({2, 3}, {1, 2}, {1, 1})),
            "AvgPool2d(kernel_size=(2, 3), stride=(1, 2), padding=1)");
  EXPECT_EQ(text(adaptive_avg_pool2d({1, 2})), "AdaptiveAvgPool2d(output_size=(1, 2))");
  EXPECT_EQ(text(max_pool1d(Shape{2})),
            "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)");
  EXPECT_EQ(text(avg_pool3d(Shape{2, 3, 2}, Shape{1})),
            "AvgPool3d(kernel_size=(2, 3, 2), stride=1, padding=0)");
  EXPECT_EQ(text(lp_pool2d(2, Shape{3})),
            "LPPool2d(norm_type=2.0, kernel_size=3, stride=None, ceil_mode=False)");
  EXPECT_EQ(text(local_response_norm(2)), "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)");
  EXPECT_EQ(text(leaky_relu()), "LeakyReLU(negative_slope=0.01)");
  EXPECT_EQ(text(gelu()), "GELU(approximate='none')");
  EXPECT_EQ(text(gelu(true)), "GELU(approximate='tanh')");
  EXPECT_EQ(text(elu()), "ELU(alpha=1.0)");
  EXPECT_EQ(text(softplus()), "Softplus(beta=1, threshold=20)");
  EXPECT_EQ(text(log_softmax(-1)), "LogSoftmax(dim=-1)");
  EXPECT_EQ(text(hardswish()), "Hardswish()");
  EXPECT_EQ(text(hardtanh(-2)), "Hardtanh(min_val=-2.0, max_val=1.0)");
  EXPECT_EQ(text(cross_entropy_loss()), "CrossEntropyLoss()");
}

TEST_F(Layers, RunTheirOperators) {
  ops::empty(Shape{1});
  Tensor x = ops::randn(Shape{2, 3, 6, 5});
  Conv conv(
      2, {.in_channels = 3, .out_channels = 4, .kernel_size = {3, 3}, .stride = {2, 1}, .padding = {1, 0}});
  const int64_t stride[] = {2, 1}, padding[] = {1, 0}, one[] = {1, 1};
  EXPECT_EQ(values(conv.call(x)), values(ops::conv2d(x, conv.find_parameter("weight"),
                                                     conv.find_parameter("bias"), stride, padding, one)));
  Linear linear(5, 7);
  EXPECT_EQ(values(linear.call(x)),
            values(ops::linear(x, linear.find_parameter("weight"), linear.find_parameter("bias"))));
  Linear plain(5, 7, false);
  EXPECT_EQ(values(plain.call(x)), values(ops::linear(x, plain.find_parameter("weight"), {})));
  EXPECT_EQ(plain.parameters().size(), 1u);
  LayerNorm norm(Shape{6, 5});
  EXPECT_EQ(values(norm.call(x)),
            values(ops::layer_norm(x, Shape{6, 5}, ops::ones(Shape{6, 5}), ops::zeros(Shape{6, 5}))));
  const int64_t two[] = {2, 2}, none[] = {0, 0};
  EXPECT_EQ(values(max_pool2d({2, 2})->call(x)), values(ops::max_pool2d(x, two, two, none, one)));
  EXPECT_EQ(values(avg_pool2d({2, 2})->call(x)), values(ops::avg_pool2d(x, two, two, none)));
  EXPECT_EQ(values(adaptive_avg_pool2d({1, 1})->call(x)), values(ops::adaptive_avg_pool2d(x, one)));
  EXPECT_EQ(values(adaptive_avg_pool2d({kNone, 2})->call(x)),
            values(ops::adaptive_avg_pool2d(x, Shape{x.size(-2), 2})));
  EXPECT_EQ(values(softmax(1)->call(x)), values(ops::softmax(x, 1)));
  EXPECT_EQ(values(leaky_relu(0.2)->call(x)), values(ops::leaky_relu(x, 0.2)));
  PReLU slopes(3, 0.5);
  EXPECT_EQ(values(slopes.call(x)), values(ops::prelu(x, testing::tensor({0.5, 0.5, 0.5}))));
  EXPECT_EQ(values(mish()->call(x)), values(ops::mish(x)));
  EXPECT_EQ(flatten()->call(x).sizes().size(), 2u);
  EXPECT_EQ(identity()->call(x).impl(), x.impl());
  Embedding table(5, 3, {.padding_idx = 2});
  Tensor index = ops::cast(testing::tensor({4, 2, 0}), DType::i64);
  Tensor rows = table.call(index);
  EXPECT_EQ(values(rows), values(ops::embedding(table.find_parameter("weight"), index)));
  EXPECT_EQ(values(ops::select(rows, 0, 1)), (std::vector<double>{0, 0, 0}));
  backward(ops::sum(rows));
  EXPECT_EQ(values(ops::sum(gradient_of(table.find_parameter("weight")), Shape{1})),
            (std::vector<double>{3, 0, 0, 0, 3}));
}

// torch.nn.functional.pad(x, (2, 2, 1, 1), mode)
TEST_F(Layers, PadWithWhatTheImageHas) {
  Tensor x = ops::reshape(testing::tensor({0, 1, 2, 3, 4, 5}), Shape{1, 1, 2, 3});
  auto padded = [&](PaddingMode mode) { return values(pad_edges(x, Shape{2, 2, 1, 1}, mode)); };
  EXPECT_EQ(padded(PaddingMode::reflect), (std::vector<double>{5, 4, 3, 4, 5, 4, 3, 2, 1, 0, 1, 2, 1, 0,  //
                                                               5, 4, 3, 4, 5, 4, 3, 2, 1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(padded(PaddingMode::replicate), (std::vector<double>{0, 0, 0, 1, 2, 2, 2, 0, 0, 0, 1, 2, 2, 2,  //
                                                                 3, 3, 3, 4, 5, 5, 5, 3, 3, 3, 4, 5, 5, 5}));
  EXPECT_EQ(padded(PaddingMode::circular), (std::vector<double>{4, 5, 3, 4, 5, 3, 4, 1, 2, 0, 1, 2, 0, 1,  //
                                                                4, 5, 3, 4, 5, 3, 4, 1, 2, 0, 1, 2, 0, 1}));
  expect_error(
      [&] {
        pad_edges(x, Shape{0, 0, 2, 2}, PaddingMode::reflect);
      },
      Code::shape, "padding (2, 2) at dimension 2");
  expect_error(
      [&] {
        pad_edges(x, Shape{4, 4, 0, 0}, PaddingMode::circular);
      },
      Code::shape, "padding (4, 4) at dimension 3");
  expect_error(
      [&] {
        pad_edges(ops::zeros(Shape{1, 0, 3}), Shape{0, 0, 1, 1}, PaddingMode::replicate);
      },
      Code::shape, "at dimension 1");

  Conv conv(2, {.in_channels = 1,
                .out_channels = 2,
                .kernel_size = {3, 5},
                .stride = {1, 2},
                .padding = {1, 2},
                .padding_mode = PaddingMode::reflect});
  EXPECT_EQ(conv.extra(), "1, 2, kernel_size=(3, 5), stride=(1, 2), padding=(1, 2), padding_mode=reflect");
  const int64_t stride[] = {1, 2}, none[] = {0, 0}, one[] = {1, 1};
  x = ops::clone(x);
  set_requires_grad(x, true);
  Tensor y = conv.call(x);
  EXPECT_EQ(values(y), values(ops::conv2d(pad_edges(x, Shape{2, 2, 1, 1}, PaddingMode::reflect),
                                          conv.find_parameter("weight"), conv.find_parameter("bias"), stride,
                                          none, one)));
  backward(ops::sum(pad_edges(x, Shape{2, 2, 1, 1}, PaddingMode::reflect)));
  EXPECT_EQ(values(gradient_of(x)), (std::vector<double>{4, 6, 4, 4, 6, 4}));
}

// What the registry's tests in the other languages do not look at: texts, and results that are several.
TEST_F(Layers, PrintAsPyTorchsOthers) {
  auto text = [](const Ref<Module>& m) { return m->text(); };
  EXPECT_EQ(text(conv1d(3, 4, Shape{3}, {}, Shape{-1})),
            "Conv1d(3, 4, kernel_size=(3,), stride=(1,), padding=same)");
  EXPECT_EQ(text(conv3d(4, 8, Shape{3}, Shape{2}, Shape{1}, {}, 2, false, PaddingMode::circular)),
            "Conv3d(4, 8, kernel_size=(3, 3, 3), stride=(2, 2, 2), padding=(1, 1, 1), groups=2, bias=False, "
            "padding_mode=circular)");
  EXPECT_EQ(text(conv_transpose2d(3, 2, Shape{3}, Shape{2}, {}, Shape{1})),
            "ConvTranspose2d(3, 2, kernel_size=(3, 3), stride=(2, 2), output_padding=(1, 1))");
  EXPECT_EQ(text(batch_norm3d(4)),
            "BatchNorm3d(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)");
  EXPECT_EQ(text(instance_norm1d(4)),
            "InstanceNorm1d(4, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False)");
  EXPECT_EQ(text(group_norm(2, 4)), "GroupNorm(2, 4, eps=1e-05, affine=True)");
  EXPECT_EQ(text(rms_norm(Shape{4})), "RMSNorm((4,), eps=None, elementwise_affine=True)");
  EXPECT_EQ(text(embedding_bag(5, 3, 1, false, 2)), "EmbeddingBag(5, 3, mode=mean, padding_idx=2)");
  EXPECT_EQ(text(bilinear(2, 3, 4)), "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)");
  EXPECT_EQ(text(dropout2d(0.25)), "Dropout2d(p=0.25, inplace=False)");
  EXPECT_EQ(text(rrelu()), "RReLU(lower=0.125, upper=0.333333333)");
  EXPECT_EQ(text(reflection_pad2d(Shape{1})), "ReflectionPad2d((1, 1, 1, 1))");
  EXPECT_EQ(text(constant_pad1d(Shape{1, 2}, 3.5)), "ConstantPad1d(padding=(1, 2), value=3.5)");
  EXPECT_EQ(text(unflatten(1, Shape{2, 3})), "Unflatten(dim=1, unflattened_size=(2, 3))");
  EXPECT_EQ(text(fold(Shape{4, 5}, Shape{2})),
            "Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1)");
  EXPECT_EQ(text(cosine_similarity()), "CosineSimilarity()");
  EXPECT_EQ(text(ctc_loss()), "CTCLoss()");
}

TEST_F(Layers, TakeATableThatThereIs) {
  const Tensor rows = ops::reshape(testing::tensor({1, 2, 3, 4, 0.6, 0.8}), Shape{3, 2});
  const Ref<Module> table = embedding(3, 2, kNone, false, 1, 2, false, rows, true);
  EXPECT_FALSE(table->find_parameter("weight").requires_grad());
  const Tensor at = ops::cast(testing::tensor({0, 2}), DType::i64);
  const std::vector<double> y = values(table->call(at));
  // Shortened in the table itself, whose memory is the caller's.
  EXPECT_NEAR(y[0] * y[0] + y[1] * y[1], 1, 1e-5);
  EXPECT_EQ((std::vector<double>{y[2], y[3]}), values(ops::select(rows, 0, 2)));
  EXPECT_EQ((std::vector<double>{y[0], y[1]}), values(ops::select(rows, 0, 0)));
  EXPECT_EQ(values(ops::select(rows, 0, 1)), (std::vector<double>{3, 4}));
  EXPECT_TRUE(embedding_bag(3, 2, 1, false, kNone, false, -1, 2, false, rows)
                  ->find_parameter("weight")
                  .requires_grad());
  EXPECT_EQ(table->text(), "Embedding(3, 2, max_norm=1.0)");
  expect_error([&] { embedding(2, 2, kNone, false, -1, 2, false, rows); }, Code::shape,
               "weight must have shape (2, 2), got [3, 2]");
}

TEST_F(Layers, AverageTheStatisticsOfBatches) {
  const Ref<Module> norm = batch_norm1d(1, 1e-5, -1);
  for (double x : {1.0, 4.0, 10.0}) norm->call(ops::reshape(testing::tensor({x - 1, x + 1}), Shape{2, 1}));
  EXPECT_NEAR(values(norm->find_buffer("running_mean"))[0], 5, 1e-5);
  EXPECT_NEAR(values(norm->find_buffer("running_var"))[0], 2, 1e-5);
  EXPECT_EQ(norm->text(), "BatchNorm1d(1, eps=1e-05, momentum=None, affine=True, track_running_stats=True)");
  EXPECT_EQ(group_norm(2, 4, 1e-5, true, false)->text(),
            "GroupNorm(2, 4, eps=1e-05, affine=True, bias=False)");
  expect_error([] { instance_norm1d(1, 1e-5, -1); }, Code::invalid_argument, "momentum");
}

TEST_F(Layers, TransformersTakeAnActivation) {
  const Ref<Module> layer = transformer_encoder_layer(4, 2, 6, 0.0);
  layer->eval();
  const Tensor x = ops::reshape(testing::tensor({1, -2, 3, 0, 0.5, 2, -1, 1}), Shape{2, 1, 4});
  const std::vector<double> relus = values(layer->call(x));
  layer->add_child("activation", tanh());
  EXPECT_NE(values(layer->call(x)), relus);
  layer->add_child("activation", relu());
  EXPECT_EQ(values(layer->call(x)), relus);
}

TEST_F(Layers, AnswerMaximaWithTheirPlaces) {
  Tensor x = ops::reshape(testing::tensor({1, 5, 2, 0, 3, 4}), Shape{1, 1, 6});
  Ref<Module> pool = max_pool1d(Shape{2}, {}, {}, {}, false, true);
  EXPECT_EQ(pool->output_count(), 2);
  std::vector<Tensor> y = pool->call_many(std::vector{x});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(values(y[0]), (std::vector<double>{5, 2, 4}));
  EXPECT_EQ(values(y[1]), (std::vector<double>{1, 2, 5}));
  EXPECT_EQ(values(max_unpool1d(Shape{2})->call_many(y)[0]), (std::vector<double>{0, 5, 2, 0, 0, 4}));
  expect_error([&] { pool->call(x); }, Code::unsupported, "MaxPool1d");
  expect_error(
      [&] {
        pool->call_many(std::vector{x, x});
      },
      Code::invalid_argument, "takes one tensor, got 2");
  expect_error([&] { max_unpool1d(Shape{2})->call_many(std::vector{x}); }, Code::invalid_argument,
               "takes input and indices, got 1");
  expect_error([&] { ctc_loss()->call_many(std::vector{x}); }, Code::invalid_argument,
               "takes log_probs, targets, input_lengths and target_lengths, got 1");
}

TEST_F(Layers, RefuseWhatTheyCannotBe) {
  expect_error([] { Linear(-1, 2); }, Code::invalid_argument, "in_features");
  expect_error([] { Linear(2, 2, true, {.dtype = DType::i32}); }, Code::dtype, "int32");
  expect_error([] { Conv(2, {.in_channels = 3, .out_channels = 4}); }, Code::invalid_argument, "kernel_size");
  expect_error(
      [] {
        Conv(2, {.in_channels = 3, .out_channels = 4, .kernel_size = {1, 1}, .groups = 2});
      },
      Code::invalid_argument, "groups");
  expect_error([] { BatchNorm(2, {.num_features = 3, .momentum = 2}); }, Code::invalid_argument, "momentum");
  expect_error(
      [] {
        BatchNorm(2, {.num_features = 3}).call(ops::zeros(Shape{1, 3}));
      },
      Code::shape, "(N, C, H, W) with C = 3, got [1, 3]");
  expect_error([] { BatchNorm(1, {.num_features = 3}).call(ops::zeros(Shape{1, 4})); }, Code::shape, "C = 3");
  expect_error([] { LayerNorm(Shape{}); }, Code::invalid_argument, "normalized_shape");
  expect_error([] { Dropout(1.5); }, Code::invalid_argument, "[0, 1]");
  expect_error([] { Embedding(3, 2, {.padding_idx = 3}); }, Code::index, "padding_idx");
  expect_error([] { max_pool2d({2, 2}, {0, 0}, {2, 0}); }, Code::invalid_argument, "half");
  expect_error([] { max_pool2d({2, 2}, {0, 0}, {0, 0}, {0, 2}); }, Code::invalid_argument, "dilation");
  expect_error([] { softplus(0); }, Code::invalid_argument, "beta must be > 0, got 0");
}

TEST_F(Layers, LossesTakePredictionAndTarget) {
  Tensor x = testing::tensor({0.5, -1, 2}), target = testing::tensor({1, 0, 4}),
         weight = testing::tensor({2, 1, 0.5});
  auto run = [&](const Ref<Module>& m) { return values(m->call_many(std::vector{x, target})[0]); };
  EXPECT_EQ(run(huber_loss(2, 0.5)), values(ops::huber_loss(x, target, 2, 0.5)));
  Ref<Module> weighted = bce_with_logits_loss(weight, 0);
  EXPECT_EQ(run(weighted), values(ops::binary_cross_entropy_with_logits(x, target, weight, {}, 0)));
  EXPECT_EQ(weighted->state_dict().size(), 1u);  // pos_weight is absent, as PyTorch's None
  EXPECT_EQ(weighted->named_buffers()[0].name, "weight");
  expect_error([&] { weighted->call_many(std::vector{x}); }, Code::invalid_argument,
               "takes input and target, got 1 tensors");
  Ref<Module> ranking = margin_ranking_loss(0.5);
  Tensor order = testing::tensor({1, -1, 1});
  EXPECT_EQ(values(ranking->call_many(std::vector{x, target, order})[0]),
            values(ops::margin_ranking_loss(x, target, order, 0.5)));
  expect_error(
      [&] {
        ranking->call_many(std::vector{x, target});
      },
      Code::invalid_argument, "takes input1, input2 and target, got 2 tensors");
  expect_error(
      [&] {
        ranking->call_many(std::vector{x, Tensor(), order});
      },
      Code::invalid_argument, "input2 is NULL");
  expect_error([&] { weighted->call(x); }, Code::unsupported, "BCEWithLogitsLoss");
  expect_error([] { smooth_l1_loss(1, -1); }, Code::invalid_argument, "beta must be >= 0, got -1");
}

TEST_F(Layers, BatchNormTrainsAndEvaluates) {
  BatchNorm norm(1, {.num_features = 2, .momentum = 0.5});
  Tensor x = ops::reshape(testing::tensor({1, 10, 3, 30}), Shape{2, 2});
  Tensor y = norm.call(x);
  EXPECT_NEAR(values(y)[0], -1, 1e-4);
  EXPECT_EQ(values(norm.find_buffer("running_mean")), (std::vector<double>{1, 10}));
  EXPECT_NEAR(values(norm.find_buffer("running_var"))[0], 0.5 + 1, 1e-5);  // the unbiased variance
  EXPECT_NEAR(values(norm.find_buffer("running_var"))[1], 0.5 + 100, 1e-4);
  EXPECT_EQ(values(norm.find_buffer("num_batches_tracked")), (std::vector<double>{1}));
  norm.eval();
  y = norm.call(x);
  EXPECT_NEAR(values(y)[0], 0, 1e-6);
  EXPECT_NEAR(values(y)[2], 2 / std::sqrt(1.5), 1e-4);
  EXPECT_EQ(values(norm.find_buffer("num_batches_tracked")), (std::vector<double>{1}));

  BatchNorm loose(1, {.num_features = 2, .affine = false, .track_running_stats = false});
  EXPECT_TRUE(loose.state_dict().empty());
  loose.eval();
  EXPECT_NEAR(values(loose.call(x))[0], -1, 1e-4);
}

TEST_F(Layers, DropoutDrawsFromItsGenerator) {
  auto g = make_ref<Generator>(7);
  Dropout drop(0.25, g);
  Tensor x = ops::ones(Shape{10000});
  auto a = values(drop.call(x));
  g->reseed(7);
  EXPECT_EQ(values(drop.call(x)), a);
  EXPECT_NE(values(drop.call(x)), a);
  double kept = 0;
  for (double v : a) {
    EXPECT_TRUE(v == 0 || std::abs(v - 4.0 / 3) < 1e-6);
    kept += v != 0;
  }
  EXPECT_NEAR(kept / 1e4, 0.75, 0.03);
  drop.eval();
  EXPECT_EQ(drop.call(x).impl(), x.impl());
}

TEST_F(Layers, InferFromManyThreads) {
  auto net = make_ref<Sequential>(std::vector<Ref<Module>>{
      make_ref<Linear>(64, 32), make_ref<BatchNorm>(1, BatchNormOptions{.num_features = 32}), gelu(),
      make_ref<Dropout>(), make_ref<Linear>(32, 8)});
  net->eval();
  Tensor x = ops::randn(Shape{16, 64});
  auto want = values(net->call(x));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      NoGradGuard off;
      for (int k = 0; k < 50; ++k) wrong += values(net->call(x)) != want;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Layers, CanBeMadeInInferenceModeAndTrainedLater) {
  Ref<Linear> linear;
  {
    ScopedValue<bool> inference(thread_state().inference, true);
    linear = make_ref<Linear>(2, 2);
  }
  backward(ops::sum(linear->call(ops::ones(Shape{1, 2}))));
  EXPECT_TRUE(gradient_of(linear->find_parameter("weight")));
}

TEST_F(Layers, LossesRefuseComplexNumbers) {
  const Tensor x = ops::complex(ops::ones(Shape{2}), ops::ones(Shape{2})), both[] = {x, x};
  for (const Ref<Module>& m : {mse_loss(), l1_loss(), huber_loss(), soft_margin_loss()})
    expect_error([&] { m->call_many(both); }, Code::dtype, concat(m->type(), " does not take complex64"));
}

}  // namespace
}  // namespace haft::nn
