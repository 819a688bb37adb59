// A perceptron in C++ without modules: y = sin(3 x) fitted by 1-32-32-1 and plain gradient descent with
// momentum. usage: mlp [--steps 800] [--device cpu]
#include <cmath>

#include "options.hpp"

namespace {

struct Layer {
  haft::Tensor weight, bias, weight_speed, bias_speed;

  Layer(std::int64_t in, std::int64_t out) {
    double bound = 1 / std::sqrt(double(in));
    weight = haft::uniform({out, in}, -bound, bound).set_requires_grad();
    bias = haft::uniform({out}, -bound, bound).set_requires_grad();
    weight_speed = haft::zeros({out, in});
    bias_speed = haft::zeros({out});
  }
  haft::Tensor operator()(const haft::Tensor& x) const { return haft::linear(x, weight, bias); }

  void step(double rate) {
    haft::NoGrad off;
    descend(weight, weight_speed, rate);
    descend(bias, bias_speed, rate);
  }

 private:
  static void descend(haft::Tensor& p, haft::Tensor& speed, double rate) {
    haft::mul_scalar_(speed, 0.9);
    haft::add_(speed, p.grad());
    haft::sub_(p, speed * rate);
    p.zero_grad();
  }
};

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[OPTION NUMBER]...", {{"--steps", 800, 0, "steps over all 256 numbers"}});
  const long steps = o["--steps"];
  try {
    Layer a(1, 32), b(32, 32), c(32, 1);
    haft::Tensor x = haft::reshape(haft::linspace(-1, 1, 256), {256, 1}), y = haft::sin(x * 3.0);
    double loss = 0;
    for (long step = 0; step <= steps; ++step) {
      haft::Tensor error = haft::mse_loss(c(haft::tanh(b(haft::tanh(a(x))))), y);
      error.backward();
      for (Layer* layer : {&a, &b, &c}) layer->step(0.02);
      loss = error.item();
      if (step % 200 == 0) std::printf("step %4ld  loss %.6f\n", step, loss);
    }
    return steps < 800 || loss < 1e-2 ? 0 : 1;
  } catch (const haft::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
