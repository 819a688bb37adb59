// ResNet-18 (He et al., arXiv:1512.03385) learns Fashion-MNIST.
//
//   c++ -std=c++17 resnet.cpp $(pkg-config --cflags --libs haft)
//   ./a.out [FOLDER] [--steps 9380] [--width 64] [--bf16 1]
//
// As for all small pictures its first convolution is 3 wide and nothing is pooled before the blocks. Pictures are
// shifted by up to two pixels and mirrored; the rate goes up and down once (Smith, arXiv:1708.07120). 938 steps are
// all pictures once. With --bf16 convolutions compute in bfloat16, weights stay float32.
#include "options.hpp"
#include "pictures.hpp"

namespace {

namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::Tensor;

nn::Module convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  nn::ConvOptions o;
  o.stride = stride, o.padding = kernel / 2, o.bias = false;
  nn::Module conv = nn::Conv2d(in, out, kernel, o);
  nn::init::kaiming_normal_(conv.parameter("weight"), 0, HAFT_FAN_OUT, HAFT_NONLINEARITY_RELU);
  return conv;
}

// Two convolutions beside a way around them.
struct Block : nn::Definition {
  nn::Module conv1, bn1, conv2, bn2, around;

  Block(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1(child("conv1", convolution(in, out, 3, stride))),
        bn1(child("bn1", nn::BatchNorm2d(out))),
        conv2(child("conv2", convolution(out, out, 3, 1))),
        bn2(child("bn2", nn::BatchNorm2d(out))) {
    if (in != out || stride > 1)
      around = child("downsample", nn::Sequential({convolution(in, out, 1, stride), nn::BatchNorm2d(out)}));
  }
  Tensor forward(const Tensor& x) override {
    const Tensor y = bn2(conv2(haft::relu(bn1(conv1(x)))));
    return haft::relu(y + (around ? around(x) : x));
  }
};

nn::Module resnet18(std::int64_t width) {
  nn::Module net = nn::Sequential({convolution(1, width, 3, 1), nn::BatchNorm2d(width), nn::ReLU()});
  std::int64_t channels = width;
  for (std::int64_t stage = 0; stage < 4; ++stage)
    for (std::int64_t i = 0; i < 2; ++i) {
      const std::int64_t out = width << stage;
      net.append(nn::make<Block>("Block", channels, out, stage > 0 && i == 0 ? 2 : 1));
      channels = out;
    }
  for (const nn::Module& last : {nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(channels, 10)})
    net.append(last);
  return net;
}

double accuracy(const nn::Module& net, const haft::data::Loader& loader, bool bf16) {
  const haft::NoGrad off;
  const haft::Autocast region(HAFT_DEVICE_DEFAULT, HAFT_BFLOAT16, bf16);
  double right = 0;
  net.eval();
  loader.reset();
  for (std::vector<Tensor> batch; next_batch(loader, batch);)
    right += haft::sum(haft::eq(haft::argmax(net(batch[0]), 1), batch[1])).item();
  net.train();
  return 100 * right / double(loader.sample_count());
}

void run(Options& o) {
  const std::string folder = o.rest.empty() ? kFashion : o.rest[0];
  const auto normal = haft::data::normalize({0.2860}, {0.3530});
  const auto training =
      pictures(folder, "train", 64, o["--seed"],
               {normal, haft::data::random_crop(28, 28, 2), haft::data::random_horizontal_flip()});
  const auto testing = pictures(folder, "t10k", 250, 0, {normal}, o["--tested"]);
  const long steps = o["--steps"];
  const bool bf16 = o["--bf16"];
  const nn::Module net = resnet18(o["--width"]);
  optim::SGDOptions sgd(0.1);
  sgd.momentum = 0.9, sgd.nesterov = 1, sgd.weight_decay = 5e-4;
  const optim::Optimizer optimizer = optim::sgd(net.parameters(), sgd);
  // Up for a fifth of the steps, then down.
  const optim::Scheduler schedule = optim::lambda_lr(optimizer, [=](std::int64_t step) {
    const double at = double(step + 1) / double(steps + 1);
    return at < 0.2 ? at / 0.2 : (1 - at) / 0.8;
  });
  std::printf("ResNet-18 of %ld parameters\n", long(net.parameter_count()));
  double mean = 0;
  std::vector<Tensor> batch;
  net.train();
  for (long step = 1; step <= steps; ++step) {
    while (!next_batch(training, batch)) training.reset();
    Tensor loss;
    {
      const haft::Autocast region(HAFT_DEVICE_DEFAULT, HAFT_BFLOAT16, bf16);
      loss = haft::cross_entropy(net(batch[0]), batch[1]);
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    schedule.step();
    mean = step == 1 ? loss.item() : 0.98 * mean + 0.02 * loss.item();
    if (step % 50 && step != steps) continue;
    std::printf("step %5ld  loss %.4f\n", step, mean);
    if (step % 938 == 0 && step != steps)
      std::printf("after %ld epochs: %.2f %% of the test's pictures\n", step / 938,
                  accuracy(net, testing, bf16));
    std::fflush(stdout);
  }
  std::printf("accuracy: %.2f %% of the test's pictures\n", accuracy(net, testing, bf16));
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[FOLDER] [OPTION NUMBER]...",
            {{"--steps", 9380, 1, "steps of 64 pictures; 938 are all of them once"},
             {"--width", 64, 1, "channels of the first stage; 64 are ResNet-18's"},
             {"--bf16", 0, 0, "1: compute in bfloat16 (autocast)"},
             {"--tested", 10000, 1, "pictures that it is tested on"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
