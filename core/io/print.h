// A tensor as text, in PyTorch's manner.
#pragma once
#include <optional>
#include <string>

#include "core/tensor/tensor.h"

namespace haft {

struct PrintOptions {
  int precision = 4;
  int64_t threshold = 1000;  // elements above which only the edges are shown
  int64_t edge = 3;          // elements at each edge
  int line_width = 80;
  int scientific = -1;  // 1: numbers have exponents, 0: none has, -1: as they need it
  std::string name = "tensor";
  // What stands behind the numbers, one a line, in place of device, size, type and gradient.
  std::optional<std::string> notes;
};

std::string tensor_text(const Tensor& t, const PrintOptions& options = {});

}  // namespace haft
