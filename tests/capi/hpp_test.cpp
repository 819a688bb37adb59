// haft.hpp: handles that release themselves, exceptions that say what the record says, functions as callbacks.
#include <stdexcept>
#include <type_traits>

#include <haft/train.hpp>

#include "capi_testing.h"

namespace {

struct Hpp : CapiTest {};

static_assert(std::is_nothrow_move_constructible_v<Tensor>);
static_assert(!std::is_copy_constructible_v<haft::NoGrad>);

TEST_F(Hpp, TensorsOwnTheirHandles) {
  Tensor empty;
  EXPECT_FALSE(empty);
  Tensor a = Tensor::from({1.f, 2.f}), copy = a, moved = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(copy.get(), moved.get());
  copy = Tensor::from<int64_t>({4, 5, 6});
  EXPECT_EQ(copy.dtype(), HAFT_INT64);
  EXPECT_EQ(copy.to_vector<int64_t>(), (std::vector<int64_t>{4, 5, 6}));
  Tensor& self = moved;
  moved = self;
  EXPECT_EQ(moved.numel(), 2);
  haft_tensor* raw = moved.release();
  EXPECT_FALSE(moved);
  Tensor again(raw);
  Tensor m = haft::reshape(haft::arange(0, 6), {2, 3});
  EXPECT_EQ(m.sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(m.strides(), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(m.size(-1), 3);
  EXPECT_EQ(m.ndim(), 2);
  EXPECT_TRUE(m.is_contiguous());
  EXPECT_EQ(m.data<int64_t>()[5], 5);
  EXPECT_EQ(m.device(), haft::device("cpu"));
}

TEST_F(Hpp, OperatorsAndScalars) {
  Tensor a = floats({1, 2}), b = floats({3, 5});
  EXPECT_EQ((a + b * 2 - 1).to_vector<float>(), (std::vector<float>{6, 11}));
  EXPECT_EQ((1 / a).to_vector<float>(), (std::vector<float>{1, 0.5}));
  EXPECT_EQ((-a / b).to_vector<float>()[0], -1.f / 3);
  EXPECT_EQ((10 - a).to_vector<float>(), (std::vector<float>{9, 8}));
  EXPECT_EQ((haft::arange(0, 3) * 2.5).dtype(), HAFT_FLOAT32);
  EXPECT_EQ((haft::arange(0, 3) * 2).dtype(), HAFT_INT64);
  EXPECT_EQ(haft::split(haft::arange(0, 5), 2).size(), 3u);
  EXPECT_EQ(std::get<1>(haft::max_dim(floats({1, 9, 3}), 0)).item(), 1);
}

TEST_F(Hpp, TheLibraryAsAGuest) {
  EXPECT_EQ(haft::version_number(), HAFT_VERSION_NUMBER);
  EXPECT_EQ(haft::version(), haft_get_version_string());
  EXPECT_NE(haft::library_path().find("libhaft.so"), std::string::npos);
  EXPECT_EQ(haft::status_name(HAFT_ERROR_SHAPE), "HAFT_ERROR_SHAPE");
  EXPECT_EQ(haft::dtype_name(HAFT_BFLOAT16), "bfloat16");
  EXPECT_EQ(haft::dtype_name(99), "");
  EXPECT_EQ(haft::dtype_size(HAFT_BFLOAT16), 2);
  EXPECT_EQ(haft::dtype_size(-1), 0);
  EXPECT_EQ(haft::math_precision(), HAFT_MATH_FAST);
  for (std::int32_t p : {HAFT_MATH_EXACT, HAFT_MATH_TF32, HAFT_MATH_FAST}) {
    haft::set_math_precision(p);
    EXPECT_EQ(haft::math_precision(), p);
    std::thread([] { EXPECT_EQ(haft::math_precision(), HAFT_MATH_FAST); }).join();
  }
  EXPECT_THROW(haft::set_math_precision(3), haft::Error);
  EXPECT_FALSE(haft::is_inference_mode());
  {
    haft::InferenceMode on;
    EXPECT_TRUE(haft::is_inference_mode());
  }
  haft::nn::Module net = haft::nn::Sequential({haft::nn::Linear(2, 2), haft::nn::ReLU()});
  EXPECT_EQ(net.child_name(1), "1");
  EXPECT_THROW(net.child_name(2), haft::Error);
}

TEST_F(Hpp, MemoryLimitsAndPressure) {
  EXPECT_EQ(haft::memory_limit(), 0);
  haft::set_memory_limit(int64_t(1) << 40);
  EXPECT_EQ(haft::memory_limit(), int64_t(1) << 40);
  haft::set_memory_limit(0);
  EXPECT_EQ(haft::memory_stats().limit, 0);
  int64_t seen = 0, mark = haft::memory_stats().live + (1 << 20);
  haft::set_memory_pressure_callback(mark, [&](int64_t live) {
    seen = live;
    throw std::runtime_error("dropped");
  });
  { Tensor t = haft::zeros({1 << 20}); }
  EXPECT_GT(seen, mark);
  seen = 0;
  haft::set_memory_pressure_callback(0, nullptr);
  { Tensor t = haft::zeros({1 << 20}); }
  EXPECT_EQ(seen, 0);
  try {
    haft::set_allocator([](int64_t, int64_t, void*) -> void* { return nullptr; },
                        [](void*, int64_t, void*) {});
    FAIL() << "taken after the first allocation";
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_BUSY);
  }
}

TEST_F(Hpp, ScopesReleaseWhatCFunctionsAnswered) {
  Tensor kept;
  haft_tensor* gone = nullptr;
  {
    haft::Scope scope;
    haft::check(haft_neg(floats({1, 2}).get(), &gone));
    kept = scope.keep(floats({3, 4}));
    haft::Scope inner;
    Tensor t = floats({5});
  }
  EXPECT_EQ(kept.to_vector<float>(), (std::vector<float>{3, 4}));
  int64_t n = 0;
  EXPECT_EQ(haft_tensor_get_numel(gone, &n), HAFT_ERROR_STALE_HANDLE);
}

TEST_F(Hpp, ExceptionsCarryTheRecord) {
  try {
    haft::add(floats({1, 2}), floats({1, 2, 3}));
    FAIL();
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_SHAPE);
    EXPECT_EQ(e.function(), "haft_add");
    EXPECT_EQ(std::string(e.what()).rfind("haft_add: ", 0), 0u);
    int64_t n = 0;
    haft_tensor_get_ndim(nullptr, &n);  // another failure does not change it
    EXPECT_EQ(e.function(), "haft_add");
  }
  try {
    haft::neg(Tensor());
    FAIL();
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(e.argument_index(), 0);
    EXPECT_EQ(e.argument(), "input");
  }
  EXPECT_THROW(haft::device("gpu"), haft::Error);
}

TEST_F(Hpp, HooksMayThrow) {
  Tensor x = leaf({1, 2});
  x.add_hook([](const Tensor& g) { return g * 3; });
  x.add_hook([](const Tensor&) { return Tensor(); });
  haft::sum(x).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 3}));
  x.zero_grad();
  EXPECT_FALSE(x.grad());
  x.add_hook([](const Tensor&) -> Tensor { throw std::runtime_error("mine"); });
  try {
    haft::sum(x).backward();
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("mine"), std::string::npos);
  }
  EXPECT_THROW(floats({1}).add_hook([](const Tensor& g) { return g; }), haft::Error);
}

TEST_F(Hpp, GuardsRestore) {
  Tensor x = leaf({1});
  try {
    haft::NoGrad off;
    EXPECT_FALSE((x * x).requires_grad());
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE((x * x).requires_grad());
  auto g = haft::grad({haft::sum(x * x * x)}, {x}, HAFT_BACKWARD_CREATE_GRAPH);
  EXPECT_EQ(g[0].item(), 3);
  EXPECT_TRUE(g[0].requires_grad());
}

// After two epochs the rate is too high, and the loss climbs: the run ends early, with the weights of the second epoch.
TEST_F(Hpp, ATrainingRunEndsEarlyWithTheBestWeights) {
  haft::manual_seed(3);
  Tensor x = haft::randn({64, 3}), y = haft::sum(x, {1}, true);
  const haft::data::Loader loader(haft::data::tensor_dataset({x, y}), haft::data::LoaderOptions(16));
  const haft::nn::Module net = haft::nn::Linear(3, 1);
  const haft::optim::Optimizer sgd = haft::optim::sgd(net.parameters(), 0.1);
  haft::TrainingOptions o;
  o.epochs = 20;
  o.patience = 3;
  o.restore_best = true;
  o.scheduler = haft::optim::lambda_lr(sgd, [](std::int64_t step) { return step < 8 ? 1. : 20.; });
  o.loss = haft::nn::MSELoss();
  o.validation = loader;
  o.report_every = std::chrono::hours(1);
  haft::TrainingRun run(net, sgd, loader, o);
  std::vector<haft::TrainingProgress> reports;
  while (run.step())
    if (run.is_due()) reports.push_back(run.progress());
  ASSERT_EQ(reports.size(), 5u);
  EXPECT_EQ(reports[4].best_epoch, 2);
  EXPECT_TRUE(reports[4].stopped_early && !reports[3].stopped_early);
  EXPECT_EQ(reports[4].samples, 64);
  EXPECT_TRUE(std::isnan(reports[4].accuracy));
  EXPECT_NEAR(haft::mse_loss(net(x), y).item(), reports[1].validation_loss, 1e-6);
  EXPECT_GT(reports[4].validation_loss, 2 * reports[1].validation_loss);
  EXPECT_FALSE(run.step());
  // A loader that is cancelled in the middle ends a run with an error, not with a short epoch.
  o.epochs = 1;
  o.scheduler = {};
  haft::TrainingRun other(net, sgd, loader, o);
  EXPECT_TRUE(other.step());
  loader.cancel();
  try {
    other.step();
    FAIL();
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_CANCELLED);
  }
  o.epochs = 0;
  EXPECT_THROW(haft::TrainingRun(net, sgd, loader, o), haft::Error);
}

}  // namespace
