// The cases of tests/perf/op_cases.h through libtorch's C++ interface. usage: ops
#include <torch/torch.h>

#include <functional>

#include "bench/timing.h"

namespace {

using torch::Tensor;

double time_ns(const char* name, const std::function<void()>& f, int parts = 1, bool print = true) {
  timing t = measure(
      name,
      [](void* arg, int n) {
        for (int i = 0; i < n; ++i) (*static_cast<const std::function<void()>*>(arg))();
      },
      const_cast<std::function<void()>*>(&f), 0.05, 9);
  double ns = t.cpu * 1e9 / parts;
  if (print) emit(name, 1, "ns", ns, &t);
  return ns;
}

}  // namespace

int main() {
  at::set_num_threads(1);
  Tensor one = torch::ones({1}), two = torch::ones({1}), c1 = torch::ones({1});
  Tensor a4 = torch::ones({4}), b4 = torch::ones({4}), out4 = torch::ones({4});
  Tensor m4 = torch::ones({4, 4}), row4 = torch::ones({1, 4});
  Tensor g1 = torch::ones({1}, torch::requires_grad()), g4 = torch::ones({4}, torch::requires_grad());
  at::Scalar factor(2.0);
  time_ns("add", [&] { Tensor y = one + two; });
  time_ns("add4", [&] { Tensor y = a4 + b4; });
  time_ns("add_out", [&] { at::add_out(out4, a4, b4); });
  time_ns("add_inplace", [&] { out4.add_(b4); });
  time_ns("mul_scalar", [&] { Tensor y = a4 * factor; });
  time_ns("relu", [&] { Tensor y = torch::relu(a4); });
  time_ns("sum", [&] { Tensor y = a4.sum(); });
  time_ns("add_grad", [&] { Tensor y = g1 + one; });
  time_ns("add4_grad", [&] { Tensor y = g4 + b4; });
  time_ns("view", [&] { Tensor y = a4.view({2, 2}); });
  time_ns("view_grad", [&] { Tensor y = g4.view({2, 2}); });
  time_ns("transpose", [&] { Tensor y = m4.transpose(0, 1); });
  time_ns("select", [&] { Tensor y = m4.select(0, 0); });
  time_ns("mm", [&] { Tensor y = m4.mm(m4); });
  time_ns("linear", [&] { Tensor y = at::linear(row4, m4, a4); });
  const int kChain = 64;
  for (bool multiply : {false, true}) {
    auto chain = [&] {
      Tensor y = g1;
      for (int k = 0; k < kChain; ++k) y = multiply ? y * c1 : y + c1;
      return y;
    };
    std::string name = multiply ? "chain_mul" : "chain_add";
    double forward = time_ns(
        name.c_str(), [&] { chain(); }, kChain);
    double both = time_ns((name + "_backward").c_str(),
                          [&] {
                            chain().backward();
                            g1.mutable_grad() = Tensor();
                          },
                          kChain);
    emit(multiply ? "node_mul" : "node_add", 1, "ns", both - forward, nullptr);
  }
  time_ns("square_sum_backward", [&] {
    (g4 * g4).sum().backward();
    g4.mutable_grad() = Tensor();
  });
}
