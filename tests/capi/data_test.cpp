// Datasets and the loader as a user of the library has them; Fashion-MNIST where it is installed.
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "training_testing.h"

namespace {

namespace data = haft::data;
using haft::Tensor;
using Data = TrainingTest;

data::Dataset small() {
  std::vector<float> x(20);
  std::vector<int64_t> y(10);
  for (int i = 0; i < 20; ++i) x[size_t(i)] = float(i);
  for (int i = 0; i < 10; ++i) y[size_t(i)] = i;
  return data::tensor_dataset({Tensor::from(x.data(), {10, 2}), Tensor::from(y)});
}

TEST_F(Data, LoopsInC) {
  data::Dataset d = small();
  EXPECT_EQ(d.size(), 10);
  haft_loader_options options = HAFT_LOADER_OPTIONS_INIT;
  options.batch_size = 4;
  options.shuffle = 1;
  options.num_workers = 2;
  options.seed = 3;
  haft_loader* l = nullptr;
  ASSERT_EQ(haft_loader_create(d.get(), &options, &l), HAFT_OK);
  int64_t n = 0, batches = 0;
  ASSERT_EQ(haft_loader_get_batch_count(l, &batches), HAFT_OK);
  EXPECT_EQ(batches, 3);
  haft_tensor* batch[2];
  EXPECT_FAILS(haft_loader_next(l, batch, 1, &n), HAFT_ERROR_INVALID_ARGUMENT, "room for 1");
  EXPECT_EQ(n, 2);
  for (int epoch = 0; epoch < 3; ++epoch) {
    int64_t sum = 0, count = 0;
    haft_status s;
    haft_error_clear();
    while ((s = haft_loader_next(l, batch, 2, &n)) == HAFT_OK) {
      Tensor x(batch[0]), y(batch[1]);
      auto xs = x.to_vector<float>();
      auto ys = y.to_vector<int64_t>();
      for (size_t i = 0; i < ys.size(); ++i) {
        EXPECT_EQ(xs[2 * i], float(2 * ys[i]));
        sum += ys[i];
      }
      count += int64_t(ys.size());
    }
    EXPECT_EQ(s, HAFT_END);
    EXPECT_EQ(last_error().code, HAFT_OK);  // the end is no failure
    EXPECT_EQ(count, 10);
    EXPECT_EQ(sum, 45);
    ASSERT_EQ(haft_loader_reset(l), HAFT_OK);
  }
  int64_t seed = 0, epoch = 0, at = 0;
  ASSERT_EQ(haft_loader_get_state(l, &seed, &epoch, &at), HAFT_OK);
  EXPECT_EQ(seed, 3);
  EXPECT_EQ(epoch, 3);
  EXPECT_EQ(at, 0);
  EXPECT_FAILS(haft_loader_set_state(l, 3, 0, 4), HAFT_ERROR_INVALID_ARGUMENT, "3 batches");
  haft_loader_release(l);
}

TEST_F(Data, SeedsComeFromTheDefaultGenerator) {
  auto first = [] {
    data::LoaderOptions o(10, true);
    data::Loader l(small(), o);
    std::vector<Tensor> b;
    EXPECT_TRUE(l.next(b));
    return b[1].to_vector<int64_t>();
  };
  haft::manual_seed(7);
  auto a = first(), b = first();
  haft::manual_seed(7);
  EXPECT_EQ(first(), a);
  EXPECT_NE(a, b);
}

TEST_F(Data, CallbacksAndTheirErrors) {
  data::Dataset d = data::callback_dataset(
      6, {data::field(HAFT_FLOAT32, {2, 2}), data::field(HAFT_INT64, {})}, [](int64_t i, void* const* f) {
        if (i == 4) throw std::runtime_error("item 4 has no file");
        for (int k = 0; k < 4; ++k) static_cast<float*>(f[0])[k] = float(i);
        *static_cast<int64_t*>(f[1]) = i;
      });
  auto item = d[3];
  EXPECT_EQ(item[0].sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(item[1].item(), 3);
  for (int workers : {0, 2}) {
    data::Loader l(d, data::LoaderOptions(2, false, workers));
    std::vector<Tensor> b;
    ASSERT_TRUE(l.next(b));
    ASSERT_TRUE(l.next(b));
    EXPECT_EQ(b[1].to_vector<int64_t>(), (std::vector<int64_t>{2, 3}));
    try {
      l.next(b);
      ADD_FAILURE();
    } catch (const haft::Error& e) {
      EXPECT_EQ(e.code(), HAFT_ERROR_CALLBACK);
      EXPECT_EQ(e.message(), "item 4 has no file");
    }
    EXPECT_FALSE(l.next(b));
  }
  int64_t n = 0;
  haft_tensor* outs[2];
  EXPECT_FAILS(haft_dataset_item(d.get(), 6, outs, 2, &n), HAFT_ERROR_INDEX, "6 items");
}

TEST_F(Data, MisuseIsAStatus) {
  haft_dataset* d = nullptr;
  EXPECT_FAILS(haft_idx_dataset_create("/nowhere/images", "/nowhere/labels", &d), HAFT_ERROR_IO,
               "/nowhere/images");
  EXPECT_FAILS(haft_tensor_dataset_create(nullptr, 0, &d), HAFT_ERROR_INVALID_ARGUMENT, "no tensors");
  haft_field f = HAFT_FIELD_INIT;
  f.dtype = HAFT_FLOAT32;
  f.ndim = 8;
  auto read = [](int64_t, void* const*, void*) -> haft_status { return HAFT_OK; };
  EXPECT_FAILS(haft_callback_dataset_create(1, &f, 1, read, nullptr, nullptr, 0, &d), HAFT_ERROR_SHAPE,
               "ndim");
  f = data::field(HAFT_FLOAT32, {int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_FAILS(haft_callback_dataset_create(1, &f, 1, read, nullptr, nullptr, 0, &d), HAFT_ERROR_OVERFLOW,
               "");
  f = data::field(HAFT_FLOAT32, {1});
  f.reserved[0] = 1;
  EXPECT_FAILS(haft_callback_dataset_create(1, &f, 1, read, nullptr, nullptr, 0, &d), HAFT_ERROR_BAD_STRUCT,
               "reserved");
  data::Dataset s = small();
  haft_loader_options options = HAFT_LOADER_OPTIONS_INIT;
  haft_loader* l = nullptr;
  options.batch_size = 0;
  EXPECT_FAILS(haft_loader_create(s.get(), &options, &l), HAFT_ERROR_INVALID_ARGUMENT, "batch_size");
  options.batch_size = 1;
  options.transform_count = 1;
  EXPECT_FAILS(haft_loader_create(s.get(), &options, &l), HAFT_ERROR_INVALID_ARGUMENT, "transforms");
  double std = 0, mean = 0;
  haft_transform* t = nullptr;
  EXPECT_FAILS(haft_normalize_transform_create(&mean, &std, 1, &t), HAFT_ERROR_INVALID_ARGUMENT, "positive");
}

// Two threads that use one loader are told so; handles of batches live on without it.
TEST_F(Data, OneCallerAtATime) {
  std::atomic<bool> entered{false}, go{false};
  data::Dataset d = data::callback_dataset(4, {data::field(HAFT_INT64, {})}, [&](int64_t i, void* const* f) {
    entered = true;
    while (!go) std::this_thread::yield();
    *static_cast<int64_t*>(f[0]) = i;
  });
  std::vector<Tensor> b;
  {
    data::Loader l(d, data::LoaderOptions(4));
    std::thread t([&] { EXPECT_TRUE(l.next(b)); });
    while (!entered) std::this_thread::yield();
    haft_tensor* outs[1];
    int64_t n = 0;
    EXPECT_FAILS(haft_loader_next(l.get(), outs, 1, &n), HAFT_ERROR_BUSY, "loader");
    go = true;
    t.join();
  }
  EXPECT_EQ(b[0].to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST_F(Data, FashionMnist) {
  const std::string folder = "/usr/share/datasets/fashion-mnist/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
  for (auto [part, want] : {std::pair{"train", 60000}, {"t10k", 10000}}) {
    data::Dataset d =
        data::idx_dataset(folder + part + "-images-idx3-ubyte.gz", folder + part + "-labels-idx1-ubyte.gz");
    ASSERT_EQ(d.size(), want);
    data::LoaderOptions o(128, true, 2);
    o.steps = {data::to_float()};
    data::Loader l(d, o);
    double sum = 0, squares = 0;
    std::vector<int64_t> labels(10);
    std::vector<Tensor> b;
    while (l.next(b)) {
      auto x = b[0].to_vector<float>();
      ASSERT_EQ(b[0].sizes()[3], 28);
      for (float v : x) {
        sum += double(v);
        squares += double(v) * double(v);
      }
      for (int64_t y : b[1].to_vector<int64_t>()) ++labels.at(size_t(y));
    }
    for (int64_t c : labels) EXPECT_EQ(c, want / 10);
    double pixels = want * 784.0, mean = sum / pixels;
    if (want == 60000) {
      EXPECT_NEAR(mean, 0.2860, 5e-5);
      EXPECT_NEAR(std::sqrt(squares / pixels - mean * mean), 0.3530, 5e-5);
    }
  }
  haft_dataset* d = nullptr;
  EXPECT_FAILS(haft_idx_dataset_create((folder + "train-labels-idx1-ubyte.gz").c_str(),
                                       (folder + "train-labels-idx1-ubyte.gz").c_str(), &d),
               HAFT_ERROR_CORRUPT, "images");
  EXPECT_FAILS(haft_idx_dataset_create((folder + "t10k-images-idx3-ubyte.gz").c_str(),
                                       (folder + "train-labels-idx1-ubyte.gz").c_str(), &d),
               HAFT_ERROR_CORRUPT, "60000 labels");
}

}  // namespace
