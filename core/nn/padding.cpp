#include "core/nn/padding.h"

#include "core/nn/factories.h"
#include "core/nn/function_module.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

const char* padding_mode_name(PaddingMode mode) {
  constexpr const char* names[] = {"zeros", "reflect", "replicate", "circular"};
  return names[int(mode)];
}

Tensor pad_edges(const Tensor& x, IntList sides, PaddingMode mode) {
  return ops::pad(x, sides, int64_t(mode));
}

namespace {

// `padding` is one number for all sides, or two for each dimension, the last dimension first.
Ref<Module> pad_layer(std::string type, int dims, IntList padding, PaddingMode mode, double value = 0,
                      bool named = false) {
  Shape sides = padding.size() == 1 ? Shape(2 * dims, padding[0]) : Shape(padding);
  if (int(sides.size()) != 2 * dims)
    fail(Code::invalid_argument, concat(type, ": padding is one number or ", 2 * dims, ", got ", padding), {},
         "padding");
  std::string extra =
      named ? concat("padding=", tuple_text(sides), ", value=", float_text(value)) : tuple_text(sides);
  return function(type.c_str(), std::move(extra),
                  [=](const Tensor& x) { return ops::pad(x, sides, int64_t(mode), Scalar(value)); });
}

}  // namespace

#define HAFT_PADS(n)                                                                     \
  Ref<Module> reflection_pad##n##d(IntList padding) {                                    \
    return pad_layer("ReflectionPad" #n "d", n, padding, PaddingMode::reflect);          \
  }                                                                                      \
  Ref<Module> replication_pad##n##d(IntList padding) {                                   \
    return pad_layer("ReplicationPad" #n "d", n, padding, PaddingMode::replicate);       \
  }                                                                                      \
  Ref<Module> circular_pad##n##d(IntList padding) {                                      \
    return pad_layer("CircularPad" #n "d", n, padding, PaddingMode::circular);           \
  }                                                                                      \
  Ref<Module> zero_pad##n##d(IntList padding) {                                          \
    return pad_layer("ZeroPad" #n "d", n, padding, PaddingMode::zeros);                  \
  }                                                                                      \
  Ref<Module> constant_pad##n##d(IntList padding, double value) {                        \
    return pad_layer("ConstantPad" #n "d", n, padding, PaddingMode::zeros, value, true); \
  }
HAFT_PADS(1)
HAFT_PADS(2)
HAFT_PADS(3)

}  // namespace haft::nn
