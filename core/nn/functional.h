// Modules without parameters or state: an operator with its attributes and a name.
#pragma once
#include "core/nn/layers.h"

namespace haft::nn {

Ref<Module> identity();
Ref<Module> relu();
Ref<Module> leaky_relu(double negative_slope = 0.01);
Ref<Module> gelu(bool tanh = false);
Ref<Module> silu();
Ref<Module> sigmoid();
Ref<Module> tanh();
Ref<Module> elu(double alpha = 1);
Ref<Module> softplus(double beta = 1, double threshold = 20);
Ref<Module> hardswish();
Ref<Module> mish();
Ref<Module> softmax(int64_t dim);
Ref<Module> log_softmax(int64_t dim);
Ref<Module> flatten(int64_t start_dim = 1, int64_t end_dim = -1);

struct Pool2dOptions {
  Pair kernel_size{0, 0}, stride{0, 0} /* 0: the kernel's size */, padding{0, 0};
  Pair dilation{1, 1};  // of max pooling
  bool ceil_mode = false;
  bool count_include_pad = true;  // of average pooling
};
Ref<Module> max_pool2d(Pool2dOptions options);
Ref<Module> avg_pool2d(Pool2dOptions options);
Ref<Module> adaptive_avg_pool2d(Pair output_size);

}  // namespace haft::nn
