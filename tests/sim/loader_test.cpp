// Batches that go to a device beside what it computes.
#include "core/data/loader.h"

#include "tests/sim/device_testing.h"

namespace haft {
namespace {

using namespace testing;
struct SimLoader : DeviceTest {};

Ref<Dataset> numbers(int64_t count) {
  std::vector<Tensor> fields{
      ops::reshape(ops::arange(Scalar(0.0), Scalar(double(count * 3)), Scalar(1.0), DType::f32, Device{}),
                   Shape{count, 3}),
      ops::arange(Scalar(int64_t(0)), Scalar(count), Scalar(int64_t(1)), DType::i64, Device{})};
  return make_ref<TensorDataset>(std::move(fields));
}

TEST_F(SimLoader, BatchesGoToTheDevice) {
  for (int workers : {0, 2})
    for (bool own : {false, true}) {
      SCOPED_TRACE(std::to_string(workers) + " workers");
      LoaderOptions o;
      o.batch_size = 4;
      o.num_workers = workers;
      o.sampler.shuffle = true;
      o.seed = 5;
      DataLoader plain(numbers(22), o);
      o.device = sim();
      DataLoader loader(numbers(22), o);
      const haft_raw_stream s = own ? create_stream(sim()) : 0;
      {
        const StreamGuard on(sim(), s);
        for (int epoch = 0; epoch < 2; ++epoch) {
          std::vector<Tensor> here, there, kept;
          std::vector<Numbers> sums;
          Tensor sum = ops::zeros(Shape{3}, DType::f32, sim());
          while (plain.next(&here)) {
            ASSERT_TRUE(loader.next(&there));
            ASSERT_EQ(there.size(), 2u);
            for (const Tensor& t : there) EXPECT_EQ(t.device(), sim());
            // Used at once, and let go of while that may still be to come.
            sum = ops::add(sum, ops::sum(ops::mul_scalar(there[0], Scalar(2.0)), IntList({0}), false));
            kept.push_back(ops::add_scalar(there[1], Scalar(1.0)));
            sums.push_back(values(here[1]));
          }
          EXPECT_FALSE(loader.next(&there));
          EXPECT_EQ(values(ops::sum(sum)), Numbers({65.0 * 66}));
          for (size_t i = 0; i < kept.size(); ++i)
            for (size_t k = 0; k < sums[i].size(); ++k) EXPECT_EQ(values(kept[i])[k], sums[i][k] + 1);
          plain.reset();
          loader.reset();
        }
      }
      if (s) destroy_stream(sim(), s);
    }
}

TEST_F(SimLoader, OrStayInMemoryThatTheDeviceReads) {
  LoaderOptions o;
  o.batch_size = 4;
  o.device = sim();
  o.pin_memory = true;
  DataLoader loader(numbers(8), o);
  std::vector<Tensor> batch;
  ASSERT_TRUE(loader.next(&batch));
  for (const Tensor& t : batch) {
    EXPECT_TRUE(t.device().is_cpu());
    EXPECT_NE(t.impl()->storage->pinned, 0);
  }
  EXPECT_EQ(values(ops::to_device(batch[1], sim(), true)), Numbers({0, 1, 2, 3}));
}

TEST_F(SimLoader, ADeviceThatIsNotThereIsRefused) {
  LoaderOptions o;
  o.device = {sim().type, 99};
  EXPECT_THROW(DataLoader(numbers(8), o), Error);
}

}  // namespace
}  // namespace haft
