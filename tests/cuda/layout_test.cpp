// A residual block in bfloat16, as autocast runs it: its maps lie channels last and stay so on their way forward and
// back, so that every kernel is one that an operator computes with. Convolutions are the library's; a kernel beside
// them is a copy.
#include <map>
#include <string>

#include "core/autograd/engine.h"
#include "core/backend/memory.h"
#include "core/modes/profiler.h"
#include "core/tensor/order.h"
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;

struct ChannelsLast : CudaTest {
  struct Count {
    int64_t calls = 0, kernels = 0;
  };

  Tensor leaf(IntList size, DType t) {
    Tensor w = on(real(size, t), cuda());
    set_requires_grad(w, true);
    return w;
  }
  static bool lies_last(const Tensor& t) {
    return is_channels_last(t.sizes(), t.strides()) && !t.is_contiguous();
  }

  Tensor conv(const Tensor& x, int64_t to, int64_t kernel, int64_t stride = 1) {
    const Tensor y = ops::conv2d(x, leaf(Shape{to, x.size(1), kernel, kernel}, DType::bf16), {},
                                 Shape{stride}, Shape{kernel / 2}, Shape{1}, 1);
    EXPECT_TRUE(lies_last(y));
    return ops::batch_norm(y, leaf(Shape{to}, DType::f32), leaf(Shape{to}, DType::f32),
                           on(ops::zeros(Shape{to}), cuda()), on(ops::ones(Shape{to}), cuda()), true, 0.1,
                           1e-5);
  }
  Tensor bottleneck(const Tensor& x, int64_t width, int64_t stride) {
    const int64_t to = 4 * width;
    const Tensor beside = x.size(1) == to ? x : conv(x, to, 1, stride);
    const Tensor y = ops::relu(conv(ops::relu(conv(x, width, 1)), width, 3, stride));
    return ops::relu(ops::add(conv(y, to, 1), beside));
  }

  // What f runs on the device, by operators.
  template <class F>
  static std::map<std::string, Count> ran(F&& f) {
    synchronize(cuda());
    profiler_start(kProfileDevices);
    f();
    std::map<std::string, Count> counts;
    std::map<uint64_t, std::string> names;
    for (const ProfileEvent& e : profiler_events()) ++counts[e.name].calls, names[e.id] = e.name;
    const DeviceRows rows = profiler_device_rows();
    profiler_stop();
    EXPECT_TRUE(rows.notes.empty()) << rows.notes[0];
    for (const DeviceEvent& e : rows.events)
      if (e.kind == HAFT_PROFILED_KERNEL) ++counts[names[e.caller]].kernels;
    return counts;
  }
};

TEST_F(ChannelsLast, FlowsThroughResidualBlocksForwardAndBack) {
  const Tensor image = on(ops::permute(real(Shape{2, 16, 16, 3}, DType::bf16), Shape{0, 3, 1, 2}), cuda());
  ASSERT_TRUE(lies_last(image));
  auto counts = ran([&] {
    const Tensor x =
        ops::max_pool2d(ops::relu(conv(image, 16, 7, 2)), Shape{3}, Shape{2}, Shape{1}, Shape{1});
    EXPECT_TRUE(lies_last(x));
    const Tensor y = bottleneck(bottleneck(x, 8, 2), 8, 1);
    EXPECT_TRUE(lies_last(y));
    const Tensor logits = ops::linear(ops::flatten(ops::adaptive_avg_pool2d(y, Shape{1}), 1),
                                      leaf(Shape{10, 32}, DType::bf16), {});
    const Tensor loss = ops::sum(ops::square(logits));
    haft::backward({&loss, 1}, {});
  });
  // Weights of more than 1 x 1 are row-major, as optimizers step them: 7 x 7 and twice 3 x 3. The images need no
  // gradient.
  EXPECT_EQ(counts["conv2d"].calls, 8);
  EXPECT_EQ(counts["conv2d"].kernels, 3);
  EXPECT_EQ(counts["conv2d_input"].calls, 7);
  EXPECT_EQ(counts["conv2d_input"].kernels, 2);
  EXPECT_EQ(counts["conv2d_weight"].calls, 8);
  EXPECT_EQ(counts["conv2d_weight"].kernels, 3);
  for (const char* name : {"relu", "relu_backward", "add", "adaptive_avg_pool2d",
                           "adaptive_avg_pool2d_backward", "max_pool2d_indices"}) {
    EXPECT_GT(counts[name].calls, 0) << name;
    EXPECT_EQ(counts[name].kernels, counts[name].calls) << name;
  }
  // Sums, what they come to for each channel, and one pass over the maps.
  EXPECT_EQ(counts["batch_norm_stats"].kernels, 3 * 8);
  EXPECT_EQ(counts["batch_norm_backward"].kernels, 3 * 8);
  EXPECT_EQ(counts["max_pool2d_backward"].kernels, 2);  // where maxima reach, and their gradients
  for (const char* name : {"contiguous_copy", "copy", "cast"}) EXPECT_EQ(counts[name].kernels, 0) << name;
}

TEST_F(ChannelsLast, JoinsAndResamplesWhereTheyLie) {
  for (DType t : {DType::bf16, DType::f32, DType::u8}) {
    // Of channels that fill vectors and of those that do not.
    for (int64_t channels : {8, 3}) {
      SCOPED_TRACE(concat(dtype_name(t), " of ", channels));
      auto image = [&](Shape size) { return ops::permute(few(size, t, false), Shape{0, 3, 1, 2}); };
      const Tensor x = image(Shape{2, 6, 5, channels}), y = image(Shape{2, 6, 5, 16});
      const Tensor more[] = {on(x, cuda()), on(y, cuda()), on(x, cuda())};
      auto counts = ran([&] {
        for (int64_t dim : {1, -3}) EXPECT_TRUE(lies_last(ops::cat(more, dim)));
        const Tensor z[] = {more[0], more[2]};
        for (int64_t dim : {0, 2, 3}) EXPECT_TRUE(lies_last(ops::cat(z, dim)));
      });
      EXPECT_EQ(counts["cat"].kernels, 5);
      const Tensor apart[] = {more[0], ops::contiguous(more[1])};
      EXPECT_TRUE(ops::cat(apart, 1).is_contiguous());
      for (int64_t dim : {0, 1, 2, 3})
        expect_same({x, x}, [&](const Tensors& in) -> Tensors { return {ops::cat(in, dim)}; });
      expect_same({x, y}, [](const Tensors& in) -> Tensors { return {ops::cat(in, 1)}; });
      for (int64_t mode : {0, 1}) {
        EXPECT_TRUE(lies_last(ops::interpolate(more[0], Shape{12, 4}, mode, false, 0, 0, 0)));
        expect_same(
            {x},
            [&](const Tensors& in) -> Tensors {
              return {ops::interpolate(in[0], Shape{12, 4}, mode, false, 0, 0, 0)};
            },
            mode == 0         ? 0
            : t == DType::f32 ? 1e-6
                              : 0.05);
      }
    }
  }
}

// A step down and up again with what was before joined on, as in U-Nets: no copies for the sake of an order.
TEST_F(ChannelsLast, FlowsDownAndUp) {
  const Tensor image = on(ops::permute(real(Shape{2, 8, 8, 8}, DType::bf16), Shape{0, 3, 1, 2}), cuda());
  const Tensor down_weight = leaf(Shape{16, 8, 1, 1}, DType::bf16),
               up_weight = leaf(Shape{8, 24, 1, 1}, DType::bf16);
  auto counts = ran([&] {
    const Shape one{1}, none{0};
    const Tensor down = ops::conv2d(ops::max_pool2d(image, Shape{2}, Shape{2}, none, one), down_weight, {},
                                    one, none, one, 1);
    const Tensor parts[] = {ops::interpolate(down, Shape{8, 8}, 0, false, 0, 0, 0), image};
    const Tensor y = ops::conv2d(ops::cat(parts, 1), up_weight, {}, one, none, one, 1);
    EXPECT_TRUE(lies_last(y));
    synchronize(cuda());
  });
  EXPECT_EQ(counts["conv2d"].kernels, 0);  // the library's alone
  for (const char* name : {"contiguous_copy", "copy"}) EXPECT_EQ(counts[name].kernels, 0) << name;
}

}  // namespace
}  // namespace haft
