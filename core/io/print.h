// A tensor as text, in PyTorch's manner.
#pragma once
#include <string>

#include "core/tensor/tensor.h"

namespace haft {

struct PrintOptions {
  int precision = 4;
  int64_t threshold = 1000;  // elements above which only the edges are shown
  int64_t edge = 3;          // elements at each edge
  int line_width = 80;
};

std::string tensor_text(const Tensor& t, const PrintOptions& options = {});

}  // namespace haft
