// Datasets, samplers, transforms and the loader.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

#include "core/data/loader.h"
#include "core/dispatch/host_access.h"
#include "core/init.h"
#include "core/ops/functions.h"

namespace haft {
namespace {

template <class T>
Tensor tensor_of(const std::vector<T>& v, std::vector<int64_t> sizes) {
  Tensor x = new_tensor(sizes, DTypeOf<T>::value);
  copy_from_host(x, v.data());
  return x;
}

template <class T>
std::vector<T> values(const Tensor& x) {
  EXPECT_EQ(x.dtype(), DTypeOf<T>::value);
  std::vector<T> v(size_t(x.numel()));
  copy_to_host(x, v.data());
  return v;
}

template <class F>
void expect_failure(F&& f, Code code, const char* part) {
  try {
    f();
    ADD_FAILURE() << "did not fail: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << e.message;
    EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
  }
}

// n items: an image of one channel whose pixels are the item's number, and the number.
Ref<Dataset> numbered(int64_t n, int64_t h = 2, int64_t w = 3) {
  std::vector<uint8_t> pixels;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < n; ++i) {
    pixels.insert(pixels.end(), size_t(h * w), uint8_t(i));
    labels.push_back(i);
  }
  std::vector<Tensor> ts{tensor_of(pixels, {n, 1, h, w}), tensor_of(labels, {n})};
  return make_ref<TensorDataset>(ts);
}

// The labels of an epoch, and a check that images belong to them.
std::vector<int64_t> epoch_of(DataLoader& l, std::vector<int64_t>* sizes = nullptr) {
  std::vector<int64_t> out;
  std::vector<Tensor> batch;
  while (l.next(&batch)) {
    auto labels = values<int64_t>(batch[1]);
    if (sizes) sizes->push_back(int64_t(labels.size()));
    if (batch[0].dtype() == DType::u8) {
      auto images = values<uint8_t>(batch[0]);
      for (size_t i = 0; i < images.size(); ++i)
        EXPECT_EQ(images[i], uint8_t(labels[i / (images.size() / labels.size())]));
    }
    out.insert(out.end(), labels.begin(), labels.end());
  }
  return out;
}

class Data : public testing::Test {
 protected:
  void SetUp() override { init(); }
};

TEST_F(Data, SequentialAndLastBatch) {
  for (int workers : {0, 1, 3}) {
    std::vector<int64_t> sizes, want(10);
    std::iota(want.begin(), want.end(), 0);
    LoaderOptions o;
    o.batch_size = 4;
    o.num_workers = workers;
    DataLoader l(numbered(10), o);
    EXPECT_EQ(l.batches(), 3);
    EXPECT_EQ(l.samples(), 10);
    EXPECT_EQ(epoch_of(l, &sizes), want);
    EXPECT_EQ(sizes, (std::vector<int64_t>{4, 4, 2}));
    std::vector<Tensor> none;
    EXPECT_FALSE(l.next(&none));  // until reset
    l.reset();
    EXPECT_EQ(epoch_of(l), want);
    o.drop_last = true;
    DataLoader d(numbered(10), o);
    EXPECT_EQ(d.batches(), 2);
    EXPECT_EQ(d.samples(), 8);
    EXPECT_EQ(epoch_of(d).size(), 8u);
  }
}

TEST_F(Data, ShuffleDependsOnSeedAndEpochAlone) {
  LoaderOptions o;
  o.batch_size = 7;
  o.sampler.shuffle = true;
  o.seed = 5;
  std::vector<std::vector<int64_t>> first, second;
  for (int workers : {0, 1, 2, 5}) {
    o.num_workers = workers;
    DataLoader l(numbered(100), o);
    first.push_back(epoch_of(l));
    l.reset();
    second.push_back(epoch_of(l));
  }
  for (size_t i = 1; i < first.size(); ++i) {
    EXPECT_EQ(first[i], first[0]);
    EXPECT_EQ(second[i], second[0]);
  }
  EXPECT_NE(first[0], second[0]);
  auto sorted = first[0];
  std::ranges::sort(sorted);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[size_t(i)], i);
  o.seed = 6;
  DataLoader other(numbered(100), o);
  EXPECT_NE(epoch_of(other), first[0]);
}

TEST_F(Data, ResetBeforeTheFirstBatchChangesNothing) {
  LoaderOptions o;
  o.batch_size = 3;
  o.sampler.shuffle = true;
  o.num_workers = 2;
  DataLoader a(numbered(20), o), b(numbered(20), o);
  for (int e = 0; e < 3; ++e) {
    b.reset();
    EXPECT_EQ(epoch_of(a), epoch_of(b));
    a.reset();
  }
}

TEST_F(Data, GoesOnInTheMiddleOfAnEpoch) {
  for (int workers : {0, 2}) {
    LoaderOptions o;
    o.batch_size = 6;
    o.sampler.shuffle = true;
    o.num_workers = workers;
    o.seed = 9;
    o.transforms = {make_random_crop(2, 3, 1), make_random_horizontal_flip(0.5), make_to_float(1)};
    DataLoader l(numbered(50), o);
    std::vector<Tensor> batch;
    epoch_of(l);
    l.reset();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(l.next(&batch));
    LoaderState s = l.state();
    EXPECT_EQ(s.epoch, 1);
    EXPECT_EQ(s.batch, 3);
    o.seed = 1;  // the state brings its own
    o.num_workers = 2 - workers;
    DataLoader r(numbered(50), o);
    ASSERT_TRUE(r.next(&batch));
    r.set_state(s);
    for (;;) {
      std::vector<Tensor> x, y;
      bool more = l.next(&x);
      ASSERT_EQ(more, r.next(&y));
      if (!more) break;
      EXPECT_EQ(values<float>(x[0]), values<float>(y[0]));
      EXPECT_EQ(values<int64_t>(x[1]), values<int64_t>(y[1]));
    }
    expect_failure([&] { l.set_state({1, 0, 10}); }, Code::invalid_argument, "9 batches");
  }
}

TEST_F(Data, SubsetsWeightsAndReplacement) {
  LoaderOptions o;
  o.batch_size = 100;
  o.sampler.indices = tensor_of<int64_t>({3, 3, 1, 9}, {4});
  {
    DataLoader l(numbered(10), o);
    EXPECT_EQ(epoch_of(l), (std::vector<int64_t>{3, 3, 1, 9}));
  }
  o.sampler.shuffle = true;
  {
    DataLoader l(numbered(10), o);
    auto v = epoch_of(l);
    std::ranges::sort(v);
    EXPECT_EQ(v, (std::vector<int64_t>{1, 3, 3, 9}));
  }
  o.sampler.num_samples = 2;
  {
    DataLoader l(numbered(10), o);
    EXPECT_EQ(epoch_of(l).size(), 2u);
  }
  o.sampler = {};
  o.sampler.weights = tensor_of<double>({0, 1, 0, 3}, {4});
  o.sampler.replacement = true;
  o.sampler.num_samples = 8000;
  {
    DataLoader l(numbered(4), o);
    int64_t count[4] = {};
    for (int64_t v : epoch_of(l)) ++count[v];
    EXPECT_EQ(count[0] + count[2], 0);
    EXPECT_NEAR(double(count[3]), 6000, 200);
  }
  o.sampler.weights = Tensor();
  expect_failure([&] { DataLoader l(numbered(4), o); }, Code::invalid_argument, "shuffle");
  o.sampler.shuffle = true;
  {
    DataLoader l(numbered(4), o);
    EXPECT_EQ(epoch_of(l).size(), 8000u);
  }
  o.sampler.replacement = false;
  expect_failure([&] { DataLoader l(numbered(4), o); }, Code::invalid_argument, "replacement");
  o.sampler = {};
  o.sampler.indices = tensor_of<int64_t>({4}, {1});
  expect_failure([&] { DataLoader l(numbered(4), o); }, Code::index, "index 4");
}

TEST_F(Data, EmptyDataset) {
  for (int workers : {0, 2}) {
    LoaderOptions o;
    o.sampler.shuffle = true;
    o.num_workers = workers;
    DataLoader l(numbered(0), o);
    EXPECT_EQ(l.batches(), 0);
    EXPECT_TRUE(epoch_of(l).empty());
    l.reset();
    EXPECT_TRUE(epoch_of(l).empty());
  }
}

TEST_F(Data, NormalizesAsPyTorchDoes) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 2 * 3 * 7 * 5; ++i) pixels.push_back(uint8_t(i * 37));
  std::vector<Tensor> ts{tensor_of(pixels, {2, 3, 7, 5})};
  const double mean[] = {0.485, 0.456, 0.406}, std[] = {0.229, 0.224, 0.225};
  LoaderOptions o;
  o.batch_size = 2;
  o.transforms = {make_to_float(1.0 / 255), make_normalize(mean, std)};
  DataLoader l(make_ref<TensorDataset>(ts), o);
  std::vector<Tensor> batch;
  ASSERT_TRUE(l.next(&batch));
  auto v = values<float>(batch[0]);
  for (size_t i = 0; i < v.size(); ++i) {
    size_t c = i / 35 % 3;
    EXPECT_NEAR(v[i], (pixels[i] / 255.0 - mean[c]) / std[c], 1e-6);
  }
  o.transforms = {make_normalize(mean, std)};
  expect_failure([&] { DataLoader bad(make_ref<TensorDataset>(ts), o); }, Code::shape, "float32");
  o.transforms = {make_to_float(1), make_normalize({mean, 2}, {std, 2})};
  expect_failure([&] { DataLoader bad(make_ref<TensorDataset>(ts), o); }, Code::shape, "2 channels");
  o.transforms = {make_random_crop(9, 9, 0)};
  expect_failure([&] { DataLoader bad(make_ref<TensorDataset>(ts), o); }, Code::shape, "9 x 9");
}

TEST_F(Data, ToFloatTakesEveryFloat) {
  for (DType t : {DType::f16, DType::bf16, DType::f64, DType::f32, DType::boolean, DType::u8}) {
    std::vector<Tensor> ts{ops::cast(tensor_of<float>({0, 1, 1, 0}, {4, 1}), t)};
    LoaderOptions o;
    o.batch_size = 4;
    o.transforms = {make_to_float(0.5)};
    DataLoader l(make_ref<TensorDataset>(ts), o);
    std::vector<Tensor> batch;
    ASSERT_TRUE(l.next(&batch));
    EXPECT_EQ(values<float>(batch[0]), (std::vector<float>{0, 0.5, 0.5, 0})) << dtype_name(t);
  }
}

// Each transform alone, with numbers drawn by hand.
TEST_F(Data, CropFlipRotate) {
  Field in{DType::u8, Shape{1, 3, 3}};
  const uint8_t x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  uint8_t y[9];
  auto run = [&](const Ref<Transform>& t, double a, double b) {
    const double draws[kDraws] = {a, b, 0, 0};
    t->apply(in, x, y, draws);
    return std::vector<int>(y, y + t->output(in).numel());
  };
  auto crop = make_random_crop(3, 3, 1);
  EXPECT_EQ(run(crop, 0.5, 0.5), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(run(crop, 0, 0), (std::vector<int>{0, 0, 0, 0, 1, 2, 0, 4, 5}));
  EXPECT_EQ(run(crop, 0.999, 0.999), (std::vector<int>{5, 6, 0, 8, 9, 0, 0, 0, 0}));
  EXPECT_EQ(run(make_random_crop(2, 2, 0), 0, 0.6), (std::vector<int>{2, 3, 5, 6}));
  // A window that lies in the padding altogether.
  EXPECT_EQ(run(make_random_crop(2, 2, 2), 0, 0), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(run(make_random_horizontal_flip(0.5), 0.4, 0), (std::vector<int>{3, 2, 1, 6, 5, 4, 9, 8, 7}));
  EXPECT_EQ(run(make_random_horizontal_flip(0.5), 0.5, 0), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(run(make_random_rotation(180), 0.5, 0), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(run(make_random_rotation(180), 0, 0), (std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1}));
  auto quarter = run(make_random_rotation(90), 0, 0);
  EXPECT_TRUE(quarter == (std::vector<int>{3, 6, 9, 2, 5, 8, 1, 4, 7}) ||
              quarter == (std::vector<int>{7, 4, 1, 8, 5, 2, 9, 6, 3}));
}

TEST_F(Data, RandomTransformsAreFreshAndUniform) {
  LoaderOptions o;
  o.batch_size = 500;
  o.transforms = {make_random_horizontal_flip(0.3)};
  const int64_t n = 4000;
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < n; ++i) pixels.insert(pixels.end(), {0, 1});
  std::vector<Tensor> ts{tensor_of(pixels, {n, 1, 1, 2})};
  DataLoader l(make_ref<TensorDataset>(ts), o);
  std::vector<std::vector<uint8_t>> epochs;
  for (int e = 0; e < 2; ++e) {
    epochs.emplace_back();
    std::vector<Tensor> batch;
    while (l.next(&batch)) {
      auto v = values<uint8_t>(batch[0]);
      epochs.back().insert(epochs.back().end(), v.begin(), v.end());
    }
    int64_t flipped = 0;
    for (size_t i = 0; i < epochs.back().size(); i += 2) flipped += epochs.back()[i];
    EXPECT_NEAR(double(flipped), 0.3 * double(n), 4 * std::sqrt(0.21 * double(n)));
    l.reset();
  }
  EXPECT_NE(epochs[0], epochs[1]);
}

Ref<Dataset> callback(int64_t n, std::function<void(int64_t)> before, bool one_at_a_time = false) {
  return make_ref<CallbackDataset>(
      n, std::vector<Field>{{DType::f32, Shape{2}}, {DType::i64, Shape{}}},
      [before](int64_t i, void* const* dst) {
        before(i);
        static_cast<float*>(dst[0])[0] = float(i);
        static_cast<float*>(dst[0])[1] = -float(i);
        *static_cast<int64_t*>(dst[1]) = i;
      },
      one_at_a_time);
}

TEST_F(Data, CallbacksFillItems) {
  std::atomic<int> inside{0}, most{0};
  auto count = [&](int64_t) {
    int now = ++inside;
    for (int m = most; now > m && !most.compare_exchange_weak(m, now);) {
    }
    std::this_thread::yield();
    --inside;
  };
  for (bool alone : {false, true}) {
    most = 0;
    LoaderOptions o;
    o.batch_size = 5;
    o.num_workers = 4;
    o.transforms = {make_to_float(2)};
    DataLoader l(callback(200, count, alone), o);
    std::vector<Tensor> batch;
    int64_t at = 0;
    while (l.next(&batch)) {
      auto x = values<float>(batch[0]);
      for (int64_t v : values<int64_t>(batch[1])) {
        EXPECT_EQ(v, at);
        EXPECT_EQ(x[size_t(2 * (at % 5))], 2 * float(at));
        ++at;
      }
    }
    EXPECT_EQ(at, 200);
    if (alone) {
      EXPECT_EQ(most, 1);
    }
  }
}

TEST_F(Data, ErrorsComeInTheirTurn) {
  for (int workers : {0, 3}) {
    LoaderOptions o;
    o.batch_size = 10;
    o.num_workers = workers;
    auto broken = [](int64_t i) {
      if (i == 25) fail(Code::callback, "item 25 is broken");
    };
    DataLoader l(callback(50, broken), o);
    std::vector<Tensor> batch;
    for (int b = 0; b < 5; ++b) {
      if (b == 2) {
        expect_failure([&] { l.next(&batch); }, Code::callback, "item 25 is broken");
      } else {
        ASSERT_TRUE(l.next(&batch));
        EXPECT_EQ(values<int64_t>(batch[1])[0], 10 * b);
      }
    }
    EXPECT_FALSE(l.next(&batch));
  }
}

TEST_F(Data, StopsWhileWorkersRun) {
  for (int round = 0; round < 30; ++round) {
    LoaderOptions o;
    o.batch_size = 4;
    o.num_workers = 3;
    auto slow = [](int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); };
    DataLoader l(callback(1000, slow), o);
    std::vector<Tensor> batch;
    for (int i = 0; i < round % 5; ++i) ASSERT_TRUE(l.next(&batch));
    if (round % 3 == 1) l.reset();
    if (round % 3 == 2) l.set_state({0, 4, 2});
    if (round % 2) {
      ASSERT_TRUE(l.next(&batch));
    }
  }
}

TEST_F(Data, CancelWakesAWaitingCaller) {
  for (int workers : {0, 2}) {
    std::atomic<bool> hold{true}, entered{false};
    LoaderOptions o;
    o.batch_size = 2;
    o.num_workers = workers;
    DataLoader l(callback(100,
                          [&](int64_t) {
                            entered = true;
                            while (hold) std::this_thread::sleep_for(std::chrono::microseconds(100));
                          }),
                 o);
    std::thread other([&] {
      while (!entered) std::this_thread::yield();
      l.cancel();
      if (workers == 0)
        hold = false;  // the caller is inside the dataset; cancel takes effect behind the item
    });
    std::vector<Tensor> batch;
    EXPECT_FALSE(l.next(&batch));
    other.join();
    EXPECT_FALSE(l.next(&batch));
    hold = false;
    l.reset();
    ASSERT_TRUE(l.next(&batch));
  }
}

TEST_F(Data, TellsAForkedChild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer does not take forks of programs with threads";
#endif
  LoaderOptions o;
  o.num_workers = 2;
  auto l = std::make_unique<DataLoader>(numbered(100), o);
  std::vector<Tensor> batch;
  ASSERT_TRUE(l->next(&batch));
  pid_t child = fork();
  if (child == 0) {
    int rc = 1;
    try {
      l->next(&batch);
    } catch (const Error& e) {
      rc = e.code == Code::forked ? 0 : 2;
    }
    l.reset();  // must not wait for threads that are not there
    o.num_workers = 1;
    DataLoader own(numbered(10), o);
    for (int i = 0; i < 10; ++i) rc = own.next(&batch) ? rc : 3;
    _exit(rc);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ASSERT_TRUE(l->next(&batch));
}

TEST_F(Data, RefusesWhatCannotBe) {
  std::vector<Tensor> none, uneven{tensor_of<float>({1, 2}, {2}), tensor_of<float>({1}, {1})},
      scalar{tensor_of<float>({1}, {})};
  expect_failure([&] { TensorDataset d(none); }, Code::invalid_argument, "no tensors");
  expect_failure([&] { TensorDataset d(uneven); }, Code::shape, "1 has 1 items");
  expect_failure([&] { TensorDataset d(scalar); }, Code::shape, "no dimensions");
  LoaderOptions o;
  o.batch_size = 0;
  expect_failure([&] { DataLoader l(numbered(3), o); }, Code::invalid_argument, "batch_size");
  o = {};
  o.num_workers = -1;
  expect_failure([&] { DataLoader l(numbered(3), o); }, Code::invalid_argument, "num_workers");
  o = {};
  o.transforms = {make_to_float(1)};
  o.transform_field = 2;
  expect_failure([&] { DataLoader l(numbered(3), o); }, Code::index, "2 fields");
}

TEST_F(Data, StridedTensorsBecomeRows) {
  std::vector<Tensor> ts{ops::transpose(tensor_of<float>({1, 2, 3, 4, 5, 6}, {2, 3}), 0, 1)};
  LoaderOptions o;
  o.batch_size = 3;
  DataLoader l(make_ref<TensorDataset>(ts), o);
  std::vector<Tensor> batch;
  ASSERT_TRUE(l.next(&batch));
  EXPECT_EQ(values<float>(batch[0]), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace haft
