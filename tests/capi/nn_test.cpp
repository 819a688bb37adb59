// Modules as a user of the library has them: the C functions and haft::nn over them.
#include <gtest/gtest.h>
#include <unistd.h>
#include <haft/haft.hpp>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>

namespace {

namespace nn = haft::nn;
using haft::Tensor;

haft_status last_code() {
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  haft_error_get_last(&info);
  return info.code;
}
std::string last_argument() {
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  haft_error_get_last(&info);
  return info.argument;
}
#define EXPECT_FAILS(call, status)                           \
  do {                                                       \
    EXPECT_EQ((call), (status)) << haft_error_get_message(); \
    EXPECT_EQ(last_code(), (status));                        \
  } while (0)

// Every handle that a test makes is released by its end.
struct Nn : testing::Test {
  int64_t before = 0;
  void SetUp() override { haft::check(haft_get_live_handles(&before)); }
  void TearDown() override {
    int64_t after = 0;
    haft::check(haft_get_live_handles(&after));
    EXPECT_EQ(after, before);
  }
};

nn::Module small_cnn() {
  return nn::Sequential({nn::Conv2d(1, 16, 3, {/*stride*/ 1, /*padding*/ 1}), nn::BatchNorm2d(16), nn::ReLU(),
                         nn::MaxPool2d(2), nn::Flatten(), nn::Dropout(0.5), nn::Linear(16 * 16, 10)});
}
Tensor images(int64_t n) { return haft::randn({n, 1, 8, 8}); }

std::vector<std::string> names(const nn::NamedTensors& list) {
  std::vector<std::string> out;
  for (const auto& n : list) out.push_back(n.first);
  return out;
}

// ---- life of a module ----

TEST_F(Nn, TrainsAStepInC) {
  haft_module *fc1 = nullptr, *relu = nullptr, *fc2 = nullptr, *net = nullptr;
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  linear.in_features = 4, linear.out_features = 8;
  linear.dtype = HAFT_FLOAT32, linear.device = HAFT_DEVICE_CPU;
  ASSERT_EQ(haft_linear_create(&linear, &fc1), HAFT_OK);
  ASSERT_EQ(haft_relu_create(&relu), HAFT_OK);
  linear = HAFT_LINEAR_OPTIONS_INIT;
  linear.in_features = 8, linear.out_features = 2;
  ASSERT_EQ(haft_linear_create(&linear, &fc2), HAFT_OK);
  haft_module* list[] = {fc1, relu, fc2};
  ASSERT_EQ(haft_sequential_create(list, 3, &net), HAFT_OK);
  for (haft_module* m : list) haft_module_release(m);  // the container holds them

  Tensor x = haft::ones({3, 4});
  haft_tensor* y = nullptr;
  ASSERT_EQ(haft_module_forward(net, x.get(), &y), HAFT_OK) << haft_error_get_message();
  Tensor loss = haft::sum(Tensor(y));
  loss.backward();
  int64_t tensors = 0, elements = 0;
  ASSERT_EQ(haft_module_get_parameter_count(net, &tensors, &elements), HAFT_OK);
  EXPECT_EQ(tensors, 4);
  EXPECT_EQ(elements, 4 * 8 + 8 + 8 * 2 + 2);
  haft_tensor* parameters[4];
  EXPECT_FAILS(haft_module_parameters(net, parameters, 3, &tensors), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tensors, 4);
  ASSERT_EQ(haft_module_parameters(net, parameters, 4, &tensors), HAFT_OK);
  char name[16];
  ASSERT_EQ(haft_module_get_parameter_name(net, 3, name, sizeof name, nullptr), HAFT_OK);
  EXPECT_STREQ(name, "2.bias");
  EXPECT_FAILS(haft_module_get_parameter_name(net, 4, name, sizeof name, nullptr), HAFT_ERROR_INDEX);
  haft_tensor* grad = nullptr;
  ASSERT_EQ(haft_tensor_grad(parameters[3], &grad), HAFT_OK);
  EXPECT_EQ(Tensor(grad).to_vector<float>(), (std::vector<float>{3, 3}));
  ASSERT_EQ(haft_module_zero_grad(net), HAFT_OK);
  ASSERT_EQ(haft_tensor_grad(parameters[3], &grad), HAFT_OK);
  EXPECT_EQ(grad, nullptr);
  haft_tensor_release_many(parameters, 4);
  haft_module_release(net);
}

TEST_F(Nn, HandlesAreChecked) {
  haft_module* m = nullptr;
  ASSERT_EQ(haft_relu_create(&m), HAFT_OK);
  Tensor x = haft::ones({2});
  haft_tensor* y = nullptr;
  EXPECT_FAILS(haft_module_forward(reinterpret_cast<haft_module*>(x.get()), x.get(), &y),
               HAFT_ERROR_WRONG_HANDLE);
  EXPECT_FAILS(haft_module_forward(m, reinterpret_cast<haft_tensor*>(m), &y), HAFT_ERROR_WRONG_HANDLE);
  EXPECT_FAILS(haft_module_forward(m, x.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_module_forward(nullptr, x.get(), &y), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(last_argument(), "m");
  ASSERT_EQ(haft_module_retain(m), HAFT_OK);
  haft_module_release(m);
  EXPECT_EQ(haft_module_train(m, 0), HAFT_OK);
  EXPECT_FAILS(haft_module_train(m, 2), HAFT_ERROR_INVALID_ARGUMENT);
  haft_module_release(m);
  EXPECT_FAILS(haft_module_train(m, 1), HAFT_ERROR_STALE_HANDLE);
  EXPECT_FAILS(haft_module_retain(m), HAFT_ERROR_STALE_HANDLE);
  EXPECT_EQ(y, nullptr);
  haft_module_release(nullptr);
}

TEST_F(Nn, OptionsAreChecked) {
  haft_module* m = nullptr;
  haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
  EXPECT_FAILS(haft_conv2d_create(nullptr, &m), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_conv2d_create(&o, &m), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(last_argument(), "in_channels");
  o.in_channels = o.out_channels = 4;
  o.kernel_size[0] = o.kernel_size[1] = 1;
  o.padding_mode = HAFT_PADDING_CIRCULAR + 1;
  EXPECT_FAILS(haft_conv2d_create(&o, &m), HAFT_ERROR_INVALID_ARGUMENT);
  // Rows beyond counting, not a list of them.
  o.padding_mode = HAFT_PADDING_REPLICATE;
  o.padding[0] = INT64_MAX / 2;
  ASSERT_EQ(haft_conv2d_create(&o, &m), HAFT_OK) << haft_error_get_message();
  haft_tensor* y = nullptr;
  EXPECT_FAILS(haft_module_forward(m, haft::ones({1, 4, 2, 2}).get(), &y), HAFT_ERROR_SHAPE);
  haft_module_release(m);
  o.padding[0] = 0;
  o.padding_mode = HAFT_PADDING_ZEROS;
  o.bias = 2;
  EXPECT_FAILS(haft_conv2d_create(&o, &m), HAFT_ERROR_INVALID_ARGUMENT);
  o.bias = 0;
  o.dtype = HAFT_INT64;
  EXPECT_FAILS(haft_conv2d_create(&o, &m), HAFT_ERROR_DTYPE);
  o.dtype = HAFT_FLOAT64;
  o.struct_size = 3;
  EXPECT_FAILS(haft_conv2d_create(&o, &m), HAFT_ERROR_BAD_STRUCT);

  struct Newer {
    haft_conv2d_options known;
    int64_t added;
  } newer{HAFT_CONV2D_OPTIONS_INIT, 0};
  newer.known = o;
  newer.known.struct_size = sizeof newer;
  ASSERT_EQ(haft_conv2d_create(&newer.known, &m), HAFT_OK) << haft_error_get_message();
  haft_module_release(m);
  newer.added = 1;
  EXPECT_FAILS(haft_conv2d_create(&newer.known, &m), HAFT_ERROR_BAD_STRUCT);

  haft_max_pool2d_options pool = HAFT_MAX_POOL2D_OPTIONS_INIT;
  EXPECT_FAILS(haft_max_pool2d_create(&pool, &m), HAFT_ERROR_INVALID_ARGUMENT);
  haft_batch_norm1d_options norm = HAFT_BATCH_NORM1D_OPTIONS_INIT;
  norm.num_features = -1;
  EXPECT_FAILS(haft_batch_norm1d_create(&norm, &m), HAFT_ERROR_INVALID_ARGUMENT);
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  linear.dtype = 77;
  EXPECT_FAILS(haft_linear_create(&linear, &m), HAFT_ERROR_INVALID_ARGUMENT);
  haft_mse_loss_options loss = HAFT_MSE_LOSS_OPTIONS_INIT;
  loss.reduction = 3;
  EXPECT_FAILS(haft_mse_loss_create(&loss, &m), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(last_argument(), "options.reduction");
  haft_huber_loss_options huber = HAFT_HUBER_LOSS_OPTIONS_INIT;
  huber.delta = 0;
  EXPECT_FAILS(haft_huber_loss_create(&huber, &m), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(last_argument(), "delta");
  EXPECT_FAILS(haft_sequential_create(nullptr, 2, &m), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_module_dict_create(nullptr, nullptr, -1, &m), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nn, EveryKindRuns) {
  Tensor x = haft::randn({2, 4, 6, 6});
  auto same = [](const Tensor& a, const Tensor& b) { EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>()); };
  same(nn::ReLU()(x), haft::relu(x));
  same(nn::LeakyReLU(0.3)(x), haft::leaky_relu(x, 0.3));
  same(nn::GELU()(x), haft::gelu(x));
  same(nn::GELU(true)(x), haft::gelu(x, true));
  same(nn::SiLU()(x), haft::silu(x));
  same(nn::Sigmoid()(x), haft::sigmoid(x));
  same(nn::Tanh()(x), haft::tanh(x));
  same(nn::ELU(2)(x), haft::elu(x, 2));
  same(nn::Softplus()(x), haft::softplus(x));
  same(nn::Hardswish()(x), haft::hardswish(x));
  same(nn::Mish()(x), haft::mish(x));
  same(nn::Softmax(1)(x), haft::softmax(x, 1));
  same(nn::LogSoftmax(-1)(x), haft::log_softmax(x, -1));
  same(nn::Identity()(x), x);
  same(nn::MaxPool3d({1, 2, 2})(x), haft::max_pool3d(x, {1, 2, 2}));
  same(nn::AvgPool3d({2}, {1}, {}, false, true, 5)(x), haft::avg_pool3d(x, {2}, {1}, {}, false, true, 5));
  same(nn::LPPool2d(2, {3})(haft::abs(x)), haft::lp_pool2d(haft::abs(x), 2, {3}));
  same(nn::AdaptiveMaxPool2d({4, HAFT_NONE})(x), haft::adaptive_max_pool2d(x, {4, 6}));
  same(nn::PixelShuffle(2)(x), haft::pixel_shuffle(x, 2));
  same(nn::LocalResponseNorm(2)(x), haft::local_response_norm(x, 2));
  EXPECT_EQ(nn::Flatten()(x).sizes(), (std::vector<int64_t>{2, 144}));
  EXPECT_EQ(nn::Flatten(0, 1)(x).sizes(), (std::vector<int64_t>{8, 6, 6}));
  EXPECT_EQ(nn::MaxPool2d(2)(x).sizes(), (std::vector<int64_t>{2, 4, 3, 3}));
  EXPECT_EQ(nn::AvgPool2d({2, 3}, 1)(x).sizes(), (std::vector<int64_t>{2, 4, 5, 4}));
  EXPECT_EQ(nn::AdaptiveAvgPool2d({1, 2})(x).sizes(), (std::vector<int64_t>{2, 4, 1, 2}));
  EXPECT_EQ(nn::LayerNorm({6, 6})(x).sizes(), x.sizes());
  const Tensor steps = haft::randn({5, 2, 3});  // (L, N, I)
  EXPECT_EQ(nn::RNN(3, 4)(steps).sizes(), (std::vector<int64_t>{5, 2, 4}));
  nn::LSTMOptions both;
  both.bidirectional = true;
  both.proj_size = 2;
  const std::vector<Tensor> lstm = nn::LSTM(3, 4, both)(std::vector<Tensor>{steps});
  ASSERT_EQ(lstm.size(), 3u);
  EXPECT_EQ(lstm[0].sizes(), (std::vector<int64_t>{5, 2, 4}));
  EXPECT_EQ(lstm[1].sizes(), (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(lstm[2].sizes(), (std::vector<int64_t>{2, 2, 4}));
  const std::vector<Tensor> packed =
      nn::GRU(3, 4)({haft::randn({6, 3}), haft::zeros({1, 3, 4}), Tensor::from<int64_t>({3, 2, 1})});
  EXPECT_EQ(packed[0].sizes(), (std::vector<int64_t>{6, 4}));
  EXPECT_EQ(nn::GRUCell(3, 4)(haft::randn({2, 3})).sizes(), (std::vector<int64_t>{2, 4}));
  nn::MultiheadAttentionOptions own;
  own.kdim = 5;
  const Tensor other = haft::randn({7, 2, 5});
  const std::vector<Tensor> attended = nn::MultiheadAttention(
      6, 2, own)(std::vector<Tensor>{haft::randn({5, 2, 6}), other, haft::randn({7, 2, 6})});
  ASSERT_EQ(attended.size(), 2u);
  EXPECT_EQ(attended[0].sizes(), (std::vector<int64_t>{5, 2, 6}));
  EXPECT_EQ(attended[1].sizes(), (std::vector<int64_t>{2, 5, 7}));
  nn::TransformerOptions small;
  small.d_model = 6, small.nhead = 2, small.num_encoder_layers = small.num_decoder_layers = 1,
  small.dim_feedforward = 8;
  EXPECT_EQ(
      nn::Transformer(small)(std::vector<Tensor>{haft::randn({5, 2, 6}), haft::randn({4, 2, 6})})[0].sizes(),
      (std::vector<int64_t>{4, 2, 6}));
  EXPECT_EQ(nn::TransformerEncoder(6, 2, 2)(haft::randn({5, 2, 6})).sizes(), (std::vector<int64_t>{5, 2, 6}));
  nn::Module cache = nn::KVCache(2, 3, 4, 6);
  const Tensor key = haft::randn({2, 3, 2, 6});
  cache(std::vector<Tensor>{key, key});
  EXPECT_EQ(cache(std::vector<Tensor>{nn::RotaryEmbedding(6)(key), key})[1].sizes(),
            (std::vector<int64_t>{2, 3, 4, 6}));
  EXPECT_EQ(nn::BatchNorm2d(4)(x).sizes(), x.sizes());
  EXPECT_EQ(nn::BatchNorm1d(6)(haft::randn({5, 6})).sizes(), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(nn::Embedding(9, 3)(Tensor::from<int64_t>({1, 8})).sizes(), (std::vector<int64_t>{2, 3}));
  nn::Conv2d(4, 8, {3, 1}, {2, {1, 0}, 1, 2, false})(x);
  same(nn::Hardtanh(-0.5, 0.25)(x), haft::hardtanh(x, -0.5, 0.25));
  same(nn::Hardsigmoid()(x), haft::hardsigmoid(x));
  auto list = nn::ModuleList({nn::ReLU(), nn::Tanh()});
  EXPECT_EQ(list.to_string(), "ModuleList(\n  (0): ReLU()\n  (1): Tanh()\n)");
  EXPECT_THROW(list(x), haft::Error);
  EXPECT_EQ(nn::ModuleDict({{"act", nn::ReLU()}})["act"].type(), "ReLU");
}

TEST_F(Nn, EveryLossRuns) {
  Tensor x = haft::randn({4, 3}), y = haft::sigmoid(haft::randn({4, 3})), odds = haft::sigmoid(x),
         logs = haft::log_softmax(x, 1);
  Tensor classes = Tensor::from<int64_t>({0, 2, 1, 0}), weight = Tensor::from<float>({1, 2, 0.5});
  auto same = [](const nn::Module& loss, const Tensor& input, const Tensor& target, const Tensor& wanted) {
    std::vector<Tensor> out = loss(std::vector<Tensor>{input, target});
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].to_vector<float>(), wanted.to_vector<float>()) << loss.type();
    EXPECT_THROW(loss(std::vector<Tensor>{input}), haft::Error) << loss.type();
    EXPECT_THROW(loss(std::vector<Tensor>{input, Tensor()}), haft::Error) << loss.type();
    EXPECT_THROW(loss(std::vector<Tensor>{Tensor(), target}), haft::Error) << loss.type();
  };
  constexpr int32_t kSum = HAFT_REDUCTION_SUM;
  same(nn::CrossEntropyLoss(), x, classes, haft::cross_entropy(x, classes, {}));
  same(nn::CrossEntropyLoss(weight, 1, kSum, 0.1), x, classes,
       haft::cross_entropy(x, classes, weight, kSum, 1, 0.1));
  same(nn::NLLLoss(weight, 0, kSum), logs, classes, haft::nll_loss(logs, classes, weight, kSum, 0));
  same(nn::MSELoss(HAFT_REDUCTION_NONE), x, y, haft::mse_loss(x, y, HAFT_REDUCTION_NONE));
  same(nn::L1Loss(), x, y, haft::l1_loss(x, y));
  same(nn::SmoothL1Loss(kSum, 0.3), x, y, haft::smooth_l1_loss(x, y, kSum, 0.3));
  same(nn::HuberLoss(kSum, 0.7), x, y, haft::huber_loss(x, y, kSum, 0.7));
  same(nn::BCELoss(weight), odds, y, haft::binary_cross_entropy(odds, y, weight));
  same(nn::BCEWithLogitsLoss(weight, kSum, weight), x, y,
       haft::binary_cross_entropy_with_logits(x, y, weight, weight, kSum));
  same(nn::KLDivLoss(kSum, true), logs, logs, haft::kl_div(logs, logs, kSum, true));
  same(nn::PoissonNLLLoss(true, true, 1e-8, kSum), x, y,
       haft::poisson_nll_loss(x, y, true, true, 1e-8, kSum));
  same(nn::HingeEmbeddingLoss(0.7, kSum), x, haft::sign(x),
       haft::hinge_embedding_loss(x, haft::sign(x), 0.7, kSum));
  same(nn::MultiMarginLoss(2, 0.7, weight, kSum), x, classes,
       haft::multi_margin_loss(x, classes, weight, 2, 0.7, kSum));
  std::vector<Tensor> out = nn::TripletMarginLoss(0.9, 2, 1e-6, true)(std::vector<Tensor>{x, y, odds});
  EXPECT_EQ(out[0].item(), haft::triplet_margin_loss(x, y, odds, 0.9, 2, 1e-6, true).item());
  nn::Module weighted = nn::BCEWithLogitsLoss({}, HAFT_REDUCTION_MEAN, weight);
  EXPECT_EQ(names(weighted.state_dict()), std::vector<std::string>{"pos_weight"});
  EXPECT_EQ(weighted.to_string(), "BCEWithLogitsLoss()");
}

// ---- state and files ----

TEST_F(Nn, StateHasPyTorchsKeys) {
  auto net = small_cnn();
  EXPECT_EQ(names(net.state_dict()),
            (std::vector<std::string>{"0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean",
                                      "1.running_var", "1.num_batches_tracked", "6.weight", "6.bias"}));
  EXPECT_EQ(names(net.named_parameters()),
            (std::vector<std::string>{"0.weight", "0.bias", "1.weight", "1.bias", "6.weight", "6.bias"}));
  EXPECT_EQ(net.buffer("1.running_var").to_vector<float>(), std::vector<float>(16, 1));
  EXPECT_EQ(net.parameter("6.bias").sizes(), (std::vector<int64_t>{10}));
  EXPECT_TRUE(net.summary().find("parameters: 2,762") != std::string::npos) << net.summary();
}

TEST_F(Nn, SavesAndLoads) {
  std::string path = testing::TempDir() + "haft_nn_test.safetensors";
  auto a = small_cnn(), b = small_cnn();
  a(images(4));  // running statistics leave their start
  a.save(path);
  b.load(path);
  auto sa = a.state_dict(), sb = b.state_dict();
  for (size_t i = 0; i < sa.size(); ++i) {
    if (sa[i].second.dtype() == HAFT_FLOAT32)
      EXPECT_EQ(sa[i].second.to_vector<float>(), sb[i].second.to_vector<float>()) << sa[i].first;
    else
      EXPECT_EQ(sb[i].second.item(), 1);
  }
  a.eval();
  b.eval();
  Tensor x = images(2);
  EXPECT_EQ(a(x).to_vector<float>(), b(x).to_vector<float>());

  auto other = nn::Sequential({nn::Conv2d(1, 16, 3)});
  try {
    other.load(path);
    FAIL();
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(e.message().find("unexpected"), std::string::npos);
    EXPECT_EQ(e.message().find("missing"), std::string::npos);
  }
  other.load(path, false);
  EXPECT_EQ(other.parameter("0.bias").to_vector<float>(), a.parameter("0.bias").to_vector<float>());
  b.load_state_dict({{"6.bias", haft::zeros({10}, HAFT_FLOAT64)}}, false);
  EXPECT_EQ(b.parameter("6.bias").to_vector<float>(), std::vector<float>(10, 0));
  EXPECT_THROW(b.load_state_dict({{"6.bias", haft::zeros({11})}}, false), haft::Error);

  // A broken file changes nothing.
  std::FILE* f = std::fopen(path.c_str(), "wb");
  std::fputs("not safetensors", f);
  std::fclose(f);
  EXPECT_EQ(haft_module_load(b.get(), path.c_str(), 1), HAFT_ERROR_CORRUPT);
  EXPECT_EQ(b.parameter("6.bias").to_vector<float>(), std::vector<float>(10, 0));
  std::remove(path.c_str());
  EXPECT_EQ(haft_module_load(b.get(), path.c_str(), 1), HAFT_ERROR_IO);
  EXPECT_EQ(haft_module_save(b.get(), "/nowhere/at/all"), HAFT_ERROR_IO);
}

TEST_F(Nn, MovesToAnotherDtype) {
  auto net = small_cnn();
  Tensor w = net.parameter("6.weight");
  net.to(HAFT_FLOAT64);
  EXPECT_EQ(w.dtype(), HAFT_FLOAT64);
  EXPECT_EQ(net.buffer("1.num_batches_tracked").dtype(), HAFT_INT64);
  net.register_buffer("kept", haft::ones({2}), false);
  EXPECT_EQ(names(net.named_buffers()),
            (std::vector<std::string>{"kept", "1.running_mean", "1.running_var", "1.num_batches_tracked"}));
  EXPECT_TRUE(net.named_buffers()[1].second.shares_memory(net.buffer("1.running_mean")));
  EXPECT_EQ(net(haft::randn({2, 1, 8, 8}, HAFT_FLOAT64)).dtype(), HAFT_FLOAT64);
  EXPECT_EQ(haft_module_to(net.get(), HAFT_INT32, HAFT_DEVICE_DEFAULT), HAFT_ERROR_DTYPE);
}

// ---- modules of the user's ----

struct Residual : nn::Definition {
  nn::Module fc;
  Tensor scale;
  explicit Residual(int64_t n)
      : fc(child("fc", nn::Linear(n, n))), scale(parameter("scale", haft::full({1}, 2.0))) {}
  Tensor forward(const Tensor& x) override { return x + fc(x) * scale; }
};

TEST_F(Nn, ClassesAreModules) {
  auto net = nn::Sequential({nn::make<Residual>("Residual", 3), nn::ReLU()});
  EXPECT_EQ(names(net.state_dict()), (std::vector<std::string>{"0.scale", "0.fc.weight", "0.fc.bias"}));
  EXPECT_EQ(net.to_string(),
            "Sequential(\n  (0): Residual(\n    (fc): Linear(in_features=3, out_features=3, bias=True)\n  "
            ")\n  (1): ReLU()\n)");
  haft::sum(net["0"](haft::ones({1, 3}))).backward();
  EXPECT_EQ(net.parameter("0.fc.bias").grad().to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_TRUE(net.parameter("0.scale").grad());
}

TEST_F(Nn, AbsentInputsReachTheModule) {
  nn::Module masked = nn::Callback("Masked", [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[1] ? haft::mul(in[0], in[1]) : haft::neg(in[0])};
  });
  Tensor x = Tensor::from<float>({2, 3});
  EXPECT_EQ(masked({x, x})[0].to_vector<float>(), (std::vector<float>{4, 9}));
  EXPECT_EQ(masked({x, Tensor()})[0].to_vector<float>(), (std::vector<float>{-2, -3}));
  int absent = 0;
  masked.add_pre_hook([&](std::vector<Tensor>& in) {
    absent += !in[1];
    in[1] = x;
  });
  EXPECT_EQ(masked({x, Tensor()})[0].to_vector<float>(), (std::vector<float>{4, 9}));
  EXPECT_EQ(absent, 1);
}

struct Counted {
  int calls = 0, destroyed = 0, training = -1;
};

TEST_F(Nn, CallbacksInC) {
  Counted counted;
  haft_module* m = nullptr;
  auto forward = [](haft_module* self, haft_tensor* const* in, int64_t n, haft_tensor** out, int64_t* count,
                    void* user) -> haft_status {
    auto* c = static_cast<Counted*>(user);
    ++c->calls;
    int32_t training = 0;
    haft_module_is_training(self, &training);
    c->training = training;
    if (n == 3) return haft_error_set(HAFT_ERROR_CALLBACK, "three is too many", 42);
    if (n == 4) {  // answers an input
      haft_tensor_retain(const_cast<haft_tensor*>(in[0]));
      out[(*count)++] = const_cast<haft_tensor*>(in[0]);
      return HAFT_OK;
    }
    if (n == 5) {
      *count = 1;  // and leaves it NULL
      return HAFT_OK;
    }
    haft_status s = haft_mul(in[0], in[n - 1], &out[0]);
    *count = s == HAFT_OK;
    return s;
  };
  ASSERT_EQ(haft_callback_module_create(
                "Product", forward, &counted, [](void* u) { ++static_cast<Counted*>(u)->destroyed; }, &m),
            HAFT_OK);
  Tensor x = Tensor::from<float>({2, 3}), wrong = haft::ones({5});
  x.set_requires_grad();
  haft_tensor* y = nullptr;
  ASSERT_EQ(haft_module_forward(m, x.get(), &y), HAFT_OK) << haft_error_get_message();
  haft::sum(Tensor(y)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{4, 6}));
  EXPECT_EQ(counted.training, 1);

  haft_tensor* many[] = {x.get(), wrong.get(), x.get(), x.get(), x.get()};
  haft_tensor* outs[2] = {nullptr, nullptr};
  int64_t count = 0;
  EXPECT_FAILS(haft_module_forward_many(m, many, 2, outs, 2, &count), HAFT_ERROR_CALLBACK);
  EXPECT_NE(std::string(haft_error_get_message()).find("[2]"), std::string::npos) << haft_error_get_message();
  EXPECT_FAILS(haft_module_forward_many(m, many, 3, outs, 2, &count), HAFT_ERROR_CALLBACK);
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  haft_error_get_last(&info);
  EXPECT_EQ(info.foreign_token, 42u);
  EXPECT_STREQ(info.message, "three is too many");
  ASSERT_EQ(haft_module_forward_many(m, many, 4, outs, 2, &count), HAFT_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(Tensor(outs[0]).to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_FAILS(haft_module_forward_many(m, many, 5, outs, 2, &count), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_module_forward_many(m, many, 4, outs, 0, &count), HAFT_ERROR_INVALID_ARGUMENT);

  haft_tensor* nothing = nullptr;
  EXPECT_FAILS(haft_module_forward_many(nn::Linear(2, 2).get(), &nothing, 1, outs, 2, &count),
               HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(haft_error_get_message()).find("a Linear takes one tensor, got NULL"),
            std::string::npos);

  auto net = nn::Sequential();
  haft_module_train(m, 0);
  ASSERT_EQ(haft_module_add_child(net.get(), "product", m), HAFT_OK);
  haft_module_release(m);
  EXPECT_EQ(counted.destroyed, 0);
  net(x);
  EXPECT_EQ(counted.training, 0);
  net = nn::Module();
  EXPECT_EQ(counted.destroyed, 1);
  EXPECT_FAILS(haft_callback_module_create(
                   "Nothing", nullptr, &counted, [](void* u) { ++static_cast<Counted*>(u)->destroyed; }, &m),
               HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_callback_module_create(
                   "\xff", forward, &counted, [](void* u) { ++static_cast<Counted*>(u)->destroyed; }, &m),
               HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(counted.destroyed, 1);
}

TEST_F(Nn, ScopesOwnWhatCallbacksLeave) {
  auto net = nn::Callback("Twice", [](const std::vector<Tensor>& in) {
    Tensor unused = haft::neg(in[0]);
    return std::vector<Tensor>{in[0] + in[0]};
  });
  Tensor x = haft::ones({2});
  haft::check(haft_scope_begin());
  haft_tensor* y = nullptr;
  haft::check(haft_module_forward(net.get(), x.get(), &y));
  haft::check(haft_scope_end());
  haft_dtype t = 0;
  EXPECT_EQ(haft_tensor_get_dtype(y, &t), HAFT_ERROR_STALE_HANDLE);
}

TEST_F(Nn, ExceptionsComeThrough) {
  auto net = nn::Sequential({nn::Callback("Bad", [](const std::vector<Tensor>&) -> std::vector<Tensor> {
    throw std::runtime_error("no luck");
  })});
  try {
    net(haft::ones({1}));
    FAIL();
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_CALLBACK);
    EXPECT_EQ(e.message(), "no luck");
  }
  EXPECT_THROW(net.apply([](const nn::Module&, const std::string&) { throw std::out_of_range("mine"); }),
               std::out_of_range);
}

// ---- tree and hooks ----

TEST_F(Nn, TreesAreWalkedAndChanged) {
  auto net = small_cnn();
  std::vector<std::string> seen;
  net.apply([&](const nn::Module& m, const std::string& name) {
    seen.push_back(name + ":" + m.type());
    if (m.type() == "Linear") nn::init::constant_(m.parameter("bias"), 3);
  });
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(seen.back(), ":Sequential");
  EXPECT_EQ(net.parameter("6.bias").to_vector<float>(), std::vector<float>(10, 3));
  net.add_child("6", nn::Linear(256, 2));
  net.append(nn::LogSoftmax(1));
  EXPECT_EQ(net.child_count(), 8);
  EXPECT_EQ(net(images(3)).sizes(), (std::vector<int64_t>{3, 2}));
  char name[8];
  int64_t needed = 0;
  EXPECT_EQ(haft_module_get_child_name(net.get(), 7, name, sizeof name, &needed), HAFT_OK);
  EXPECT_STREQ(name, "7");
  EXPECT_EQ(needed, 2);
  EXPECT_FAILS(haft_module_get_child_name(net.get(), 8, name, sizeof name, &needed), HAFT_ERROR_INDEX);
  EXPECT_FAILS(haft_module_add_child(net.get(), "x", net.get()), HAFT_ERROR_INVALID_ARGUMENT);
  haft_module* none = nullptr;
  EXPECT_FAILS(haft_module_child(net.get(), "0.nothing", &none), HAFT_ERROR_INVALID_ARGUMENT);

  net.set_requires_grad(false);
  net["6"].set_requires_grad(true);
  EXPECT_FALSE(net.parameter("0.weight").requires_grad());
  EXPECT_TRUE(net.parameter("6.weight").requires_grad());
  auto tied = nn::Linear(2, 256);
  EXPECT_FAILS(haft_module_register_parameter(net["6"].get(), "weight", tied.parameter("weight").get(), 1),
               HAFT_ERROR_SHAPE);
}

TEST_F(Nn, HooksAreCalledAndReleased) {
  auto net = nn::Sequential({nn::ReLU()});
  auto alive = std::make_shared<int>(0);
  std::weak_ptr<int> watch = alive;
  int64_t pre = net["0"].add_pre_hook([alive](std::vector<Tensor>& in) {
    ++*alive;
    in[0] = in[0] + 1.0;
  });
  alive.reset();
  net.add_hook([](const std::vector<Tensor>&, std::vector<Tensor>& out) { out[0] = -out[0]; });
  Tensor x = Tensor::from<float>({1, -3});
  EXPECT_EQ(net(x).to_vector<float>(), (std::vector<float>{-2, 0}));
  EXPECT_EQ(*watch.lock(), 1);
  net["0"].remove_hook(pre);
  EXPECT_TRUE(watch.expired());
  EXPECT_FAILS(haft_module_remove_hook(net["0"].get(), pre), HAFT_ERROR_INVALID_ARGUMENT);
  int64_t id =
      net.add_hook([&](const std::vector<Tensor>&, std::vector<Tensor>&) { net.append(nn::ReLU()); });
  EXPECT_THROW(net(x), haft::Error);  // a running module is not changed
  net.remove_hook(id);
  EXPECT_EQ(net(x).to_vector<float>(), (std::vector<float>{-1, 0}));
}

// ---- threads ----

TEST_F(Nn, EightThreadsInferAlike) {
  auto net = small_cnn();
  net(images(8));
  net.eval();
  Tensor x = images(4);
  auto want = net(x).to_vector<float>();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      haft::NoGrad off;
      for (int k = 0; k < 25; ++k) wrong += net(x).to_vector<float>() != want;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Nn, TwoThreadsDoNotMixStatistics) {
  auto net = nn::BatchNorm1d(64);
  Tensor x = haft::randn({512, 64});
  std::atomic<int> done{0}, busy{0}, other{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        haft_tensor* y = nullptr;
        haft_status s = haft_module_forward(net.get(), x.get(), &y);
        ++(s == HAFT_OK ? done : s == HAFT_ERROR_BUSY ? busy : other);
        haft_tensor_release(y);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(other, 0);
  EXPECT_EQ(done + busy, 200);
  EXPECT_EQ(net.buffer("num_batches_tracked").item(), double(done));
}

// Who finds no room is told before the module has run.
TEST_F(Nn, RoomIsCheckedBeforeStatisticsMove) {
  auto net = nn::Sequential({nn::BatchNorm1d(4)});
  Tensor x = haft::randn({8, 4});
  haft_tensor *in = x.get(), *y = nullptr;
  int64_t count = 0;
  EXPECT_FAILS(haft_module_forward_many(net.get(), &in, 1, &y, 0, &count), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(y, nullptr);
  count = 0;
  ASSERT_EQ(haft_module_forward_many(net.get(), &in, 1, nullptr, 0, &count), HAFT_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(net.buffer("0.num_batches_tracked").item(), 0);
  ASSERT_EQ(haft_module_forward_many(net.get(), &in, 1, &y, 1, &count), HAFT_OK);
  EXPECT_EQ(net.buffer("0.num_batches_tracked").item(), 1);
  haft_tensor_release(y);
}

// A change that meets readers or runs is refused, or refuses them; nobody sees half of it.
TEST_F(Nn, ReadersMeetWriters) {
  auto net = nn::Sequential({nn::Linear(4, 4), nn::Sequential({nn::Linear(4, 4)})});
  const std::string path = ::testing::TempDir() + "haft-readers-" + std::to_string(::getpid());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, read{0};
  auto allowed = [&](haft_status s) {
    if (s == HAFT_OK) return true;
    if (s != HAFT_ERROR_BUSY) {
      ++wrong;
      ADD_FAILURE() << haft_error_get_message();
    }
    return false;
  };
  std::vector<std::thread> readers;
  for (int k = 0; k < 2; ++k)
    readers.emplace_back([&, k] {
      for (int i = 0; !stop; ++i) {
        char name[64];
        haft_tensor* tensors[64];
        haft_module* child = nullptr;
        haft_tensor* t = nullptr;
        int64_t n = 0, elements = 0;
        if (allowed(haft_module_get_child_count(net.get(), &n))) wrong += n < 2;
        if (allowed(haft_module_get_child_name(net.get(), 1, name, sizeof name, &n)))
          wrong += std::string(name) != "1";
        if (allowed(haft_module_child(net.get(), "1.0", &child))) haft_module_release(child);
        if (allowed(haft_module_parameter(net.get(), "1.0.weight", &t))) haft_tensor_release(t);
        if (allowed(haft_module_get_parameter_count(net.get(), &n, &elements))) wrong += elements < 40;
        n = 0;
        if (haft_module_state(net.get(), tensors, 64, &n) == HAFT_OK) {
          wrong += n < 4;
          haft_tensor_release_many(tensors, n);
          ++read;
        }
        if (k == 0 && i % 8 == 0) allowed(haft_module_save(net.get(), path.c_str()));
        allowed(haft_module_to_string(net.get(), nullptr, 0, &n));
      }
    });
  auto inner = net["1"];
  int changed = 0;
  for (int i = 0; i < 3000 || read < 50 || changed == 0; ++i) {  // a busy machine may starve either side
    const std::string name = "b" + std::to_string(i % 7);
    changed += allowed(haft_module_register_buffer(inner.get(), name.c_str(), haft::zeros({i % 5}).get(), 1));
    if (i % 100 == 0 && i < 1000) allowed(haft_module_add_child(inner.get(), nullptr, nn::ReLU().get()));
    if (i % 64 == 0) allowed(haft_module_train(net.get(), i % 128 == 0));
  }
  stop = true;
  for (auto& t : readers) t.join();
  std::remove(path.c_str());
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(changed, 0);
}

// ---- initial values ----

TEST_F(Nn, InitialValues) {
  haft_generator* g = nullptr;
  haft::check(haft_generator_create(3, &g));
  auto a = nn::Linear(5, 4, true, {HAFT_FLOAT32, HAFT_DEVICE_CPU, g});
  haft::check(haft_generator_seed(g, 3));
  auto b = nn::Linear(5, 4, true, {HAFT_FLOAT32, HAFT_DEVICE_CPU, g});
  EXPECT_EQ(a.parameter("weight").to_vector<float>(), b.parameter("weight").to_vector<float>());
  EXPECT_EQ(a.parameter("bias").to_vector<float>(), b.parameter("bias").to_vector<float>());
  Tensor w = a.parameter("weight");
  nn::init::xavier_uniform_(w, 1, g);
  nn::init::xavier_normal_(w);
  nn::init::kaiming_uniform_(w);
  nn::init::kaiming_normal_(w, 0, HAFT_FAN_OUT, HAFT_NONLINEARITY_RELU, g);
  nn::init::trunc_normal_(w);
  nn::init::normal_(w);
  nn::init::uniform_(w, 0, 1);
  nn::init::orthogonal_(w);
  EXPECT_TRUE(w.is_leaf());
  EXPECT_FAILS(haft_init_kaiming_normal(w.get(), 0, 2, 0, nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_init_kaiming_normal(w.get(), 0, 0, 9, nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_FAILS(haft_init_xavier_normal(a.parameter("bias").get(), 1, nullptr), HAFT_ERROR_SHAPE);
  auto drop = nn::Dropout(0.5, g);
  haft_generator_release(g);  // the module keeps it
  drop(w);
}

}  // namespace
